#include "plan.h"
#include "../context/messages.h"
#include "../context/place.h"
#include "../context/state.h"
#include "../context/target.h"
#include "../context/workspace.h"
#include "../core/memory.h"
#include "arrays.h"
#include "moves.h"

#if PADICI_IMPLEMENT_CDT

// Plans: replicas and their records, in one piece of memory.

#define PADICI_CDT_PADDED(bytes) (((bytes) + 63) & ~(uint64_t)63)

// Bytes of one replica's memory, and of each of its arrays.
PADICI_FN uint64_t padici_cdt_stride(const padici_cdt_rules *rules, uint64_t part[3])
{
    const uint64_t n = rules->most;
    part[0] = PADICI_CDT_PADDED(rules->sphere ? 32 * padici_cdt_triangles(rules, n) : 16 * n);
    part[1] = PADICI_CDT_PADDED(4 * n);
    part[2] = PADICI_CDT_PADDED(4 * (uint64_t)rules->desc.slices);
    return part[0] + part[1] + part[2]; // below 2^37
}

// Bytes of all chains; 0: more than memory can be.
PADICI_FN uint64_t padici_cdt_state_bytes(const padici_cdt_rules *rules)
{
    uint64_t part[3];
    const uint64_t stride = padici_cdt_stride(rules, part);
    return rules->desc.replicas > ((uint64_t)1 << 62) / stride ? 0 : rules->desc.replicas * stride;
}

// Bytes of a plan whose chains lie here, or apart; 0: more than memory can be.
PADICI_FN uint64_t padici_cdt_plan_bytes(const padici_cdt_rules *rules, int apart)
{
    const uint64_t replicas = rules->desc.replicas; // at most 2^32
    uint64_t bytes = padici_cdt_state_bytes(rules);
    if (!bytes) return 0;
    if (apart) bytes = replicas * PADICI_CDT_HEAD * sizeof(uint64_t);
    bytes += PADICI_CDT_PADDED(sizeof(padic_cdt_plan)) +
             PADICI_CDT_PADDED(replicas * sizeof(padici_cdt_replica));
    return bytes > (size_t)-1 - 64 ? 0 : bytes;
}

static void padici_cdt_replica_place(const padici_cdt_rules *rules, padici_cdt_replica *r, char *at)
{
    uint64_t part[3];
    (void)padici_cdt_stride(rules, part);
    r->records = (uint32_t *)(void *)at;
    r->places = (uint32_t *)(void *)(at + part[0]);
    r->lengths = (uint32_t *)(void *)(at + part[0] + part[1]);
}

// A plan in memory of that size; of its replicas only the stream is set, and where they lie, if
// that is in the plan.
PADICI_FN padic_cdt_plan *padici_cdt_plan_place(void *memory, const padici_cdt_rules *rules,
                                                const padic_tensor *state)
{
    const int apart = state && (state->data || state->buffer.id);
    padic_cdt_plan *plan = (padic_cdt_plan *)memory;
    char *at = (char *)memory + PADICI_CDT_PADDED(sizeof *plan);
    uint64_t part[3], i;
    const uint64_t stride = padici_cdt_stride(rules, part);
    memset(plan, 0, sizeof *plan);
    plan->rules = *rules;
    plan->size = padici_cdt_plan_bytes(rules, apart);
    plan->replicas = (padici_cdt_replica *)(void *)at;
    at += PADICI_CDT_PADDED(rules->desc.replicas * sizeof *plan->replicas);
    if (apart) {
        plan->heads = (uint64_t *)(void *)at;
        plan->state = *state;
    }
    for (i = 0; i < rules->desc.replicas; i++) {
        padici_cdt_replica *r = &plan->replicas[i];
        memset(r, 0, sizeof *r);
        if (!apart) padici_cdt_replica_place(rules, r, at + i * stride);
        r->stream = rules->desc.stream + (uint32_t)i;
    }
    return plan;
}

// The memory of some replicas as an operand; nothing where it is in the plan.
PADICI_FN void padici_cdt_state_view(const padic_cdt_plan *plan, uint64_t first, uint64_t count,
                                     padic_tensor *view)
{
    uint64_t part[3], stride;
    memset(view, 0, sizeof *view);
    if (!plan || !plan->heads || first >= plan->rules.desc.replicas) return;
    stride = padici_cdt_stride(&plan->rules, part);
    *view = plan->state;
    view->shape[0] = count * stride;
    if (view->data)
        view->data = (char *)view->data + first * stride;
    else
        view->offset += first * stride;
}

// These replicas are in this memory, where the view is now.
PADICI_FN void padici_cdt_state_reach(const padic_cdt_plan *plan, uint64_t first, uint64_t count,
                                      const padic_tensor *view)
{
    uint64_t part[3], i;
    const uint64_t stride = padici_cdt_stride(&plan->rules, part);
    for (i = 0; i < count && view->data; i++)
        padici_cdt_replica_place(&plan->rules, &plan->replicas[first + i],
                                 (char *)view->data + i * stride);
}

// A table with a value for each replica, or none.
static padic_result padici_cdt_own_check(padic_context *context, const padic_tensor *t,
                                         const char *field, padic_dtype dtype, uint64_t replicas)
{
    if (!t->data && !t->buffer.id) return PADIC_OK;
    if (!t->data)
        return padici_fail_field(context, PADIC_ERROR_ARGUMENT, field, "is not in host memory");
    return padici_cdt_array_check(context, field, t, dtype, 1, &replicas);
}

static double padici_cdt_own_lambda(const padic_cdt_plan_desc *desc, uint64_t i)
{
    return desc->lambdas.data ? ((const double *)desc->lambdas.data)[i] : desc->lambda;
}

static uint64_t padici_cdt_own_target(const padic_cdt_plan_desc *desc, uint64_t i)
{
    return desc->targets.data ? ((const uint64_t *)desc->targets.data)[i] : desc->target;
}

// The desc, its defaults, and the law of each replica.
static padic_result padici_cdt_desc_check(padic_context *context, const padic_cdt_plan_desc *desc,
                                          padici_cdt_rules *rules)
{
    uint64_t i, most = desc ? desc->target : 0;
    padic_cdt_plan_desc copy;
    padic_result result;
    if (!desc) return padici_fail_here(context, PADIC_ERROR_ARGUMENT, "desc is NULL");
    copy = *desc;
    i = copy.replicas ? copy.replicas : 1;
    result = padici_cdt_own_check(context, &desc->lambdas, "lambdas", PADIC_F64, i);
    if (!result) result = padici_cdt_own_check(context, &desc->targets, "targets", PADIC_U64, i);
    if (result) return result;
    for (; desc->targets.data && i--;)
        if (padici_cdt_own_target(desc, i) > most) most = padici_cdt_own_target(desc, i);
    copy.target = most; // for the capacity
    result = padici_cdt_rules_make(context, &copy, rules);
    for (i = 0; !result && i < rules->desc.replicas; i++) {
        result = padici_cdt_law_check(context, rules, padici_cdt_own_lambda(desc, i),
                                      padici_cdt_own_target(desc, i));
        if (!desc->lambdas.data && !desc->targets.data) break; // all alike
    }
    return result;
}

PADIC_API uint64_t padic_cdt_plan_size_bound(const padic_cdt_plan_desc *desc)
{
    padici_cdt_rules rules;
    if (padici_cdt_desc_check(NULL, desc, &rules)) return 0;
    return padici_cdt_plan_bytes(&rules, desc->state.data || desc->state.buffer.id);
}

PADIC_API uint64_t padic_cdt_state_size_bound(const padic_cdt_plan_desc *desc)
{
    padici_cdt_rules rules;
    return padici_cdt_desc_check(NULL, desc, &rules) ? 0 : padici_cdt_state_bytes(&rules);
}

// The first state of a replica, in its place.
static void padici_cdt_plan_start(padic_cdt_plan *plan, const padic_cdt_plan_desc *desc, uint64_t i)
{
    const padici_cdt_rules *rules = &plan->rules;
    padici_cdt_replica *r = &plan->replicas[i];
    padici_cdt_law_set(rules, r, padici_cdt_own_lambda(desc, i), padici_cdt_own_target(desc, i));
    if (rules->sphere)
        padici_cdt_sphere_begin(r);
    else
        padici_cdt_torus_begin(rules, r);
    padici_cdt_law_follow(rules, r);
}

// The same of all, made in host memory of one; what they have of each array moves to the buffer.
static padic_result padici_cdt_plan_start_there(padic_context *context, padic_cdt_plan *plan,
                                                const padic_cdt_plan_desc *desc)
{
    const padici_cdt_rules *rules = &plan->rules;
    padici_cdt_scratch scratch;
    padici_place from, to;
    uint64_t part[3], used[3], i, at;
    const uint64_t stride = padici_cdt_stride(rules, part);
    padic_result result = padici_cdt_scratch_take(context, NULL, stride, &scratch);
    uint32_t k;
    if (result) return result;
    for (i = 0; i < rules->desc.replicas && !result; i++) {
        padici_cdt_replica_place(rules, &plan->replicas[i], (char *)scratch.memory);
        padici_cdt_plan_start(plan, desc, i);
        used[1] = 4 * (uint64_t)plan->replicas[i].vertices;
        used[0] = rules->sphere ? 32 * padici_cdt_triangles(rules, used[1] / 4) : 4 * used[1];
        used[2] = 4 * (uint64_t)rules->desc.slices;
        for (k = 0, at = 0; k < 3 && !result; at += part[k++]) {
            from.mem.bits = (uint64_t)(uintptr_t)scratch.memory;
            from.at = at;
            from.host = 1;
            result = padici_buffer_range(context, plan->state.buffer,
                                         plan->state.offset + i * stride + at, used[k], &to);
            if (!result)
                result = padici_target_move(context, &context->targets[0], &to, &from, used[k]);
        }
    }
    padici_cdt_scratch_give(context, &scratch);
    return result;
}

static padic_result padici_cdt_plan_create_named(padic_context *context,
                                                 const padic_cdt_plan_desc *desc,
                                                 padic_cdt_plan **plan)
{
    padici_cdt_rules rules;
    padici_cdt_scratch memory;
    uint64_t i, bytes = 0;
    padic_result result;
    int apart;
    if (!plan) return padici_fail_here(context, PADIC_ERROR_ARGUMENT, "plan is NULL");
    *plan = NULL;
    result = padici_cdt_desc_check(context, desc, &rules);
    if (result) return result;
    apart = desc->state.data || desc->state.buffer.id;
    bytes = padici_cdt_plan_bytes(&rules, apart);
    if (!bytes) return padici_fail_here(context, PADIC_ERROR_LIMIT, "it is larger than any memory");
    result = padici_workspace_check(context, &desc->workspace, bytes);
    if (!result && apart)
        result = padici_cdt_state_check(context, &desc->state, padici_cdt_state_bytes(&rules));
    if (!result) result = padici_cdt_scratch_take(context, &desc->workspace, bytes, &memory);
    if (result) return result;
    *plan = padici_cdt_plan_place(memory.memory, &rules, &desc->state);
    (*plan)->placed = !memory.own;
    if (padici_allocator(context)) (*plan)->allocator = *padici_allocator(context);
    if (apart && !desc->state.data) {
        result = padici_cdt_plan_start_there(context, *plan, desc);
    } else {
        padici_cdt_state_reach(*plan, 0, rules.desc.replicas, &desc->state);
        for (i = 0; i < rules.desc.replicas; i++) padici_cdt_plan_start(*plan, desc, i);
    }
    if (!result) return PADIC_OK;
    padic_cdt_plan_destroy(*plan);
    *plan = NULL;
    return result;
}

PADIC_API padic_result padic_cdt_plan_create(padic_context *context,
                                             const padic_cdt_plan_desc *desc, padic_cdt_plan **plan)
{
    const char *before = padici_enter(context, "cdt_plan_create");
    const padic_result result = padici_cdt_plan_create_named(context, desc, plan);
    padici_leave(context, before);
    return result;
}

PADIC_API void padic_cdt_plan_destroy(padic_cdt_plan *plan)
{
    padic_allocator allocator;
    if (!plan || !plan->size || plan->placed) return; // of size 0: zeros, no plan
    allocator = plan->allocator;
    padici_free(&allocator, plan, (size_t)plan->size);
}

PADICI_FN void padici_cdt_report(const padic_cdt_plan *plan, padic_cdt_plan_report *report)
{
    uint64_t i;
    memset(report, 0, sizeof *report);
    report->desc = plan->rules.desc;
    report->desc.lambda = plan->replicas[0].lambda_given;
    report->desc.target = plan->replicas[0].target_given;
    report->size = plan->size;
    for (i = 0; i < plan->rules.desc.replicas; i++) {
        const uint64_t n = padici_cdt_triangles(&plan->rules, plan->replicas[i].vertices);
        if (n > report->triangles) report->triangles = n;
    }
}

PADIC_API padic_result padic_cdt_plan_info(const padic_cdt_plan *plan,
                                           padic_cdt_plan_report *report)
{
    if (report) memset(report, 0, sizeof *report);
    if (!plan || !plan->size || !report) return PADIC_ERROR_ARGUMENT;
    padici_cdt_report(plan, report);
    return PADIC_OK;
}

#undef PADICI_CDT_PADDED

#endif
