#include "../../cdt/measure.h"
#include "../../cdt/moves.h"
#include "../tables.h"
#include "../tests.h"
#include "../texts.h"
#include "chains.h"
#include "observe.h"

#if PADICI_IMPLEMENT_GPU && !defined(PADIC_NO_CDT)

// Known answers: five small chains, three in a group, by the host: grown, moved, at their target
// again, and with more to do than one launch does.

#define PADICI_CDT_KNOWN 5u

// A plan in memory of the case; its chains in the image of the first buffer.
static padic_cdt_plan *padici_test_cdt_plan(padici_gpu_case *c)
{
    const uint32_t sphere = padici_gpu_define(c, "PD_CDT_SPHERE", 0);
    padic_cdt_plan_desc desc;
    padici_cdt_rules rules;
    padic_tensor state;
    padic_cdt_plan *plan;
    uint32_t i;
    memset(&desc, 0, sizeof desc);
    desc.kind = sphere ? PADIC_CDT_KIND_EUCLID_SPHERE : PADIC_CDT_KIND_CAUSAL_TORUS;
    if (padici_gpu_define(c, "PD_CDT_SQUARE", 0)) desc.volume = PADIC_CDT_VOLUME_SQUARE;
    desc.replicas = PADICI_CDT_KNOWN;
    desc.slices = 3;
    desc.target = 36;
    desc.capacity = 44;
    desc.epsilon = 0.25; // so that chains come back to their targets
    desc.seed = UINT64_C(0x123456789abcdef);
    desc.stream = UINT32_MAX - 9;
    if (padici_cdt_rules_make(NULL, &desc, &rules)) return NULL;
    state = padic_tensor_1d(PADIC_U8, NULL, padici_cdt_state_bytes(&rules));
    state.data = padici_gpu_image(c, 0, state.shape[0]);
    plan = (padic_cdt_plan *)padici_gpu_space(c, padici_cdt_plan_bytes(&rules, 1));
    if (c->failed) return NULL;
    memset(state.data, 0, (size_t)state.shape[0]);
    plan = padici_cdt_plan_place(plan, &rules, &state);
    padici_cdt_state_reach(plan, 0, PADICI_CDT_KNOWN, &state);
    for (i = 0; i < PADICI_CDT_KNOWN; i++) {
        padici_cdt_law_set(&rules, &plan->replicas[i], 0, desc.target - 4 * (i % 2));
        if (sphere)
            padici_cdt_sphere_begin(&plan->replicas[i]);
        else
            padici_cdt_torus_begin(&rules, &plan->replicas[i]);
        padici_cdt_law_follow(&rules, &plan->replicas[i]);
    }
    return plan;
}

// No pointers stay in the memory of a case.
static padic_result padici_test_cdt_end(padic_cdt_plan *plan)
{
    memset(plan, 0, (size_t)plan->size);
    return PADIC_OK;
}

static padic_result padici_test_cdt(padici_gpu_case *c)
{
    padic_cdt_plan *plan = padici_test_cdt_plan(c);
    padici_cdt_run run;
    padici_k_cdt_run_params k;
    uint64_t *head, left;
    uint32_t i;
    if (!plan) return PADIC_ERROR_SELF_TEST;
    memset(&run, 0, sizeof run);
    padici_view_task_begin(&run.task, NULL, NULL, padici_cdt_run_work);
    run.plan = plan;
    run.grow = 1;
    run.discard = c->round ? 200 : UINT64_MAX;
    padici_gpu_cdt_params(&plan->rules, &k);
    k.lanes = 3;
    k.turn = 7;
    k.mode = c->round ? (c->round == 2) : 2;
    if (c->round) { // from a state with a history on
        if (padici_cdt_run_work(&run.task)) return PADIC_ERROR_SELF_TEST;
        memset(&run.report, 0, sizeof run.report);
        run.grow = 0;
        run.attempts = c->round == 2 ? 0 : 200;
        run.visits = c->round == 2 ? 3 : 0;
        run.more = k.more_lo = 4000;
        k.begin = k.mode;
        if (c->round == 3) k.share = 1; // one attempt of each
    }
    (void)padici_gpu_cdt_heads(&run);
    memcpy(padici_gpu_image(c, 1, PADICI_CDT_KNOWN * PADICI_CDT_HEAD * 8), plan->heads,
           PADICI_CDT_KNOWN * PADICI_CDT_HEAD * 8);
    run.state = padic_tensor_1d(PADIC_U8, NULL, c->buffers[0].size);
    run.state.data = padici_gpu_answer(c, 0);
    if (c->round == 3) run.attempts = k.share;
    head = (uint64_t *)padici_gpu_answer(c, 1);
    if (c->failed || padici_cdt_run_work(&run.task)) return PADIC_ERROR_SELF_TEST;
    left = c->round == 3 ? 200 - k.share : 0;
    run.attempts = left;
    run.visits = 0;
    (void)padici_gpu_cdt_heads(&run);
    for (i = 0; i < PADICI_CDT_KNOWN && c->round == 2; i++)
        plan->heads[i * PADICI_CDT_HEAD + PADICI_CDT_HEAD_LEFT] =
            run.more - (plan->replicas[i].attempt - head[i * PADICI_CDT_HEAD + 1]);
    memcpy(head, plan->heads, PADICI_CDT_KNOWN * PADICI_CDT_HEAD * 8);
    PADICI_TEST_ANSWER(uint32_t, 2)[0] = left ? k.turn : 0;
    PADICI_TEST_ANSWER(uint32_t, 2)[1] =
        (uint32_t)(run.report.attempts[0] + run.report.attempts[1] + run.report.attempts[2]);
    memcpy(&c->params, &k, sizeof k);
    return padici_test_cdt_end(plan);
}

// A grown plan, its chains in the image of the first buffer, its heads in that of the second.
static padic_cdt_plan *padici_test_cdt_grown(padici_gpu_case *c)
{
    padic_cdt_plan *plan = padici_test_cdt_plan(c);
    padici_cdt_run run;
    uint64_t *head;
    if (!plan) return NULL;
    memset(&run, 0, sizeof run);
    padici_view_task_begin(&run.task, NULL, NULL, padici_cdt_run_work);
    run.plan = plan;
    run.grow = 1;
    run.discard = 200;
    if (padici_cdt_run_work(&run.task)) return NULL;
    (void)padici_gpu_cdt_heads(&run);
    head = (uint64_t *)padici_gpu_image(c, 1, PADICI_CDT_KNOWN * PADICI_CDT_HEAD * 8);
    memcpy(head, plan->heads, PADICI_CDT_KNOWN * PADICI_CDT_HEAD * 8);
    return plan;
}

// The host's answer for one output.
static padic_result padici_test_cdt_observe(padici_gpu_case *c, padic_cdt_plan *plan,
                                            uint32_t output, const padic_tensor *out)
{
    padici_cdt_measure m;
    memset(&m, 0, sizeof m);
    padici_view_task_begin(&m.task, NULL, NULL, padici_cdt_measure_work);
    m.desc.plan = plan;
    m.desc.accumulate = 1;
    m.together = out->shape[0] == 1;
    *padici_cdt_out(&m, output) = *out;
    m.desc.workspace = padic_tensor_1d(PADIC_U8, NULL, padic_cdt_measure_workspace(plan));
    m.desc.workspace.data = padici_gpu_space(c, m.desc.workspace.shape[0]);
    return c->failed ? PADIC_ERROR_SELF_TEST : padici_cdt_measure_work(&m.task);
}

#define PADICI_CDT_BINS 7u

static padic_result padici_test_cdt_order(padici_gpu_case *c)
{
    padic_cdt_plan *plan = padici_test_cdt_grown(c);
    padici_k_cdt_measure_params k;
    uint64_t rows[PADICI_CDT_KNOWN * PADICI_CDT_BINS];
    const padic_tensor out = padic_tensor_2d(PADIC_U64, rows, PADICI_CDT_KNOWN, PADICI_CDT_BINS);
    uint32_t i;
    if (!plan) return PADIC_ERROR_SELF_TEST;
    memset(rows, 0, sizeof rows);
    if (padici_test_cdt_observe(c, plan, PADICI_CDT_OUT_ORDER, &out)) return PADIC_ERROR_SELF_TEST;
    for (i = 0; i < PADICI_CDT_KNOWN * PADICI_CDT_BINS; i++)
        PADICI_TEST_ANSWER(uint32_t, 2)[i] = (uint32_t)rows[i];
    padici_gpu_cdt_measure_params(&plan->rules, PADICI_CDT_OUT_ORDER, &out, &k);
    c->groups[0] = PADICI_CDT_KNOWN;
    memcpy(&c->params, &k, sizeof k);
    return padici_test_cdt_end(plan);
}

// Counts and what there is of slices, each replica's and their sum, to what is there.
static padic_result padici_test_cdt_rows(padici_gpu_case *c)
{
    const uint32_t output = c->round / 2, rows = c->round % 2 ? 1 : PADICI_CDT_KNOWN, slices = 3;
    const uint32_t sphere = padici_gpu_define(c, "PD_CDT_SPHERE", 0);
    padic_cdt_plan *plan = padici_test_cdt_grown(c);
    padici_k_cdt_measure_params k;
    padic_tensor out = padic_tensor_2d(PADIC_U64, NULL, rows, slices);
    if (output == PADICI_CDT_OUT_COUNTS) out = padic_tensor_2d(PADIC_U64, NULL, rows, 10);
    if (output == PADICI_CDT_OUT_PRODUCT) out = padic_tensor_3d(PADIC_U64, NULL, rows, 3, 3);
    if (output == PADICI_CDT_OUT_PROFILE)
        out = padic_tensor_2d(PADIC_U32, NULL, PADICI_CDT_KNOWN, slices);
    c->again = sphere ? c->round < 1 : c->round < 7;
    if (!plan) return PADIC_ERROR_SELF_TEST;
    padici_gpu_cdt_measure_params(&plan->rules, output, &out, &k);
    k.add = output != PADICI_CDT_OUT_PROFILE;
    out.data = padici_gpu_answer(c, output == PADICI_CDT_OUT_PROFILE ? 3 : 2);
    if (padici_test_cdt_observe(c, plan, output, &out)) return PADIC_ERROR_SELF_TEST;
    memcpy(&c->params, &k, sizeof k);
    return padici_test_cdt_end(plan);
}

PADICI_FN const padici_gpu_test *padici_tests_cdt(void)
{
    static const padici_gpu_test rows[] = {
        {PADICI_KERNEL_CDT_RUN, 4, 2, padici_test_cdt,
         {PADICI_TEST_NONE, PADICI_TEST_NONE, PADICI_TEST_BOTH(ZERO, PADIC_U32, 2, 0)}},
        {PADICI_KERNEL_CDT_ORDER, 1, 0, padici_test_cdt_order,
         {PADICI_TEST_NONE, PADICI_TEST_NONE,
          PADICI_TEST_BOTH(ZERO, PADIC_U32, PADICI_CDT_KNOWN * PADICI_CDT_BINS, 0)}},
        {PADICI_KERNEL_CDT_ROWS, 8, 2, padici_test_cdt_rows,
         {PADICI_TEST_NONE, PADICI_TEST_NONE, PADICI_TEST_BOTH(HASH, PADIC_U64, 64, 0),
          PADICI_TEST_BOTH(BYTES, PADIC_U32, 64, 0)}},
        PADICI_TESTS_END};
    return rows;
}

#undef PADICI_CDT_KNOWN
#undef PADICI_CDT_BINS

#endif
