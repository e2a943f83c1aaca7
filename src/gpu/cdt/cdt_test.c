#include "../../cdt/moves.h"
#include "../tables.h"
#include "../tests.h"
#include "../texts.h"
#include "chains.h"

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
    return PADIC_OK;
}

PADICI_FN const padici_gpu_test *padici_tests_cdt(void)
{
    static const padici_gpu_test rows[] = {
        {PADICI_KERNEL_CDT_RUN, 4, 2, padici_test_cdt,
         {PADICI_TEST_NONE, PADICI_TEST_NONE, PADICI_TEST_BOTH(ZERO, PADIC_U32, 2, 0)}},
        PADICI_TESTS_END};
    return rows;
}

#undef PADICI_CDT_KNOWN

#endif
