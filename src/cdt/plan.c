#include "plan.h"
#include "../context/messages.h"
#include "../context/state.h"
#include "../core/memory.h"
#include "arrays.h"
#include "moves.h"

#if PADICI_IMPLEMENT_CDT

// Plans: replicas and their records, in one piece of memory.

#define PADICI_CDT_PADDED(bytes) (((bytes) + 63) & ~(uint64_t)63)

// Bytes of the arrays of one replica.
static void padici_cdt_parts(const padici_cdt_rules *rules, uint64_t part[3])
{
    const uint64_t n = rules->most;
    part[0] = PADICI_CDT_PADDED(rules->sphere ? 32 * padici_cdt_triangles(rules, n) : 16 * n);
    part[1] = PADICI_CDT_PADDED(4 * n);
    part[2] = PADICI_CDT_PADDED(4 * (uint64_t)rules->desc.slices);
}

// 0: more than memory can be.
PADICI_FN uint64_t padici_cdt_plan_bytes(const padici_cdt_rules *rules)
{
    uint64_t part[3], bytes;
    padici_cdt_parts(rules, part);
    bytes = part[0] + part[1] + part[2] + sizeof(padici_cdt_replica); // below 2^37
    if (rules->desc.replicas > ((uint64_t)1 << 62) / bytes) return 0;
    bytes = PADICI_CDT_PADDED(sizeof(padic_cdt_plan)) +
            PADICI_CDT_PADDED(rules->desc.replicas * sizeof(padici_cdt_replica)) +
            rules->desc.replicas * (part[0] + part[1] + part[2]);
    return bytes > (size_t)-1 - 64 ? 0 : bytes;
}

// A plan in memory of that size; of its replicas only the arrays and the stream are set.
PADICI_FN padic_cdt_plan *padici_cdt_plan_place(void *memory, const padici_cdt_rules *rules)
{
    padic_cdt_plan *plan = (padic_cdt_plan *)memory;
    char *at = (char *)memory + PADICI_CDT_PADDED(sizeof *plan);
    uint64_t part[3], i;
    padici_cdt_parts(rules, part);
    memset(plan, 0, sizeof *plan);
    plan->rules = *rules;
    plan->size = padici_cdt_plan_bytes(rules);
    plan->replicas = (padici_cdt_replica *)(void *)at;
    at += PADICI_CDT_PADDED(rules->desc.replicas * sizeof *plan->replicas);
    for (i = 0; i < rules->desc.replicas; i++) {
        padici_cdt_replica *r = &plan->replicas[i];
        memset(r, 0, sizeof *r);
        r->records = (uint32_t *)(void *)at;
        r->places = (uint32_t *)(void *)(at + part[0]);
        r->lengths = (uint32_t *)(void *)(at + part[0] + part[1]);
        r->stream = rules->desc.stream + (uint32_t)i;
        at += part[0] + part[1] + part[2];
    }
    return plan;
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
    return padici_cdt_desc_check(NULL, desc, &rules) ? 0 : padici_cdt_plan_bytes(&rules);
}

static padic_result padici_cdt_plan_create_named(padic_context *context,
                                                 const padic_cdt_plan_desc *desc,
                                                 padic_cdt_plan **plan)
{
    padici_cdt_rules rules;
    padici_cdt_scratch memory;
    uint64_t i, bytes = 0;
    padic_result result;
    if (!plan) return padici_fail_here(context, PADIC_ERROR_ARGUMENT, "plan is NULL");
    *plan = NULL;
    result = padici_cdt_desc_check(context, desc, &rules);
    if (!result && !(bytes = padici_cdt_plan_bytes(&rules)))
        result = padici_fail_here(context, PADIC_ERROR_LIMIT, "it is larger than any memory");
    if (!result) result = padici_cdt_workspace_check(context, &desc->workspace, bytes);
    if (!result) result = padici_cdt_scratch_take(context, &desc->workspace, bytes, &memory);
    if (result) return result;
    *plan = padici_cdt_plan_place(memory.memory, &rules);
    (*plan)->placed = !memory.own;
    if (padici_allocator(context)) (*plan)->allocator = *padici_allocator(context);
    for (i = 0; i < rules.desc.replicas; i++) {
        padici_cdt_replica *r = &(*plan)->replicas[i];
        padici_cdt_law_set(&rules, r, padici_cdt_own_lambda(desc, i),
                           padici_cdt_own_target(desc, i));
        if (rules.sphere)
            padici_cdt_sphere_begin(r);
        else
            padici_cdt_torus_begin(&rules, r);
        padici_cdt_law_follow(&rules, r);
    }
    return PADIC_OK;
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
