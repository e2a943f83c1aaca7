#include "plan.h"
#include "../context/messages.h"
#include "../context/operation.h"
#include "../context/ops.h"
#include "../context/state.h"
#include "../core/view.h"

#if PADICI_IMPLEMENT_ROLLOUT

// Plans: their calls.

static padic_result padici_rollout_plan_of(padic_context *context, const padic_rollout_plan *plan)
{
    if (!plan) return padici_fail_field(context, PADIC_ERROR_ARGUMENT, "plan", "is NULL");
    return plan->context == context
               ? PADIC_OK
               : padici_fail_field(context, PADIC_ERROR_ARGUMENT, "plan", "is of another context");
}

static uint32_t padici_rollout_plan_operand(padici_operand *operands, uint32_t n, const char *name,
                                            padic_tensor *tensor, uint8_t out)
{
    if (!padici_rollout_here(tensor)) return n;
    operands[n].name = name;
    operands[n].tensor = tensor;
    operands[n].out = out;
    return n + 1;
}

// A dense view (N, I, M, ..) of a plan, if it is there.
static padic_result padici_rollout_plan_view(padic_context *context, const char *name,
                                             const padic_rollout_plan *plan,
                                             const padic_tensor *t, padic_dtype dtype,
                                             uint32_t more, const uint64_t *rest)
{
    const padici_rollout_going *g = &plan->going;
    if (!padici_rollout_here(t)) return PADIC_OK;
    if (t->dtype != dtype)
        return padici_fail_field(context, PADIC_ERROR_DTYPE, name, "has another dtype");
    if (t->rank != 3 + more || t->shape[0] != plan->desc.weights.shape[0] ||
        t->shape[1] != g->initials || t->shape[2] != g->realisations ||
        memcmp(t->shape + 3, rest, more * sizeof *rest))
        return padici_fail_field(context, PADIC_ERROR_MISMATCH, name,
                                 "has not the axes (N, I, M, ..) of the plan");
    return padici_rollout_is_dense(t)
               ? PADIC_OK
               : padici_fail_field(context, PADIC_ERROR_ARGUMENT, name, "is not dense");
}

static padic_result padici_rollout_plan_out(padic_context *context, const padic_rollout_plan *plan,
                                            const padic_tensor *out, const padic_tensor *status)
{
    const uint64_t four = 4;
    const padic_result result =
        padici_rollout_plan_view(context, "out", plan, out, plan->desc.initial.dtype, 3,
                                 plan->desc.initial.shape + 1);
    return result ? result
                  : padici_rollout_plan_view(context, "status", plan, status, PADIC_U32, 1, &four);
}

// States and statuses of now.
static void padici_rollout_plan_give(padic_rollout_plan *plan, const padic_tensor *out,
                                     const padic_tensor *status)
{
    padici_rollout_going *g = &plan->going;
    plan->desc.status = *status;
    g->report.failed = 0;
    padici_rollout_note(g);
    memset(&plan->desc.status, 0, sizeof plan->desc.status);
    if (out->data) memcpy(out->data, g->x, (size_t)(g->trajectories * g->numbers * g->size));
}

// Step g->t of all trajectories.
static void padici_rollout_plan_advance(padici_rollout_going *g)
{
    uint64_t first, count;
    for (first = 0; first < g->trajectories; first += count) {
        count = g->trajectories - first < g->e->batch ? g->trajectories - first : g->e->batch;
        padici_rollout_advance(g, first, count);
    }
}

// With FAIL: whether a trajectory failed after step `before`, or at all for before = UINT32_MAX.
static padic_result padici_rollout_plan_failed(const padic_env *env, padici_rollout_going *g,
                                               uint32_t before)
{
    padic_rollout_run_report report = g->report;
    uint64_t i;
    if (g->desc->failure != PADIC_ROLLOUT_FAILURE_FAIL) return PADIC_OK;
    for (i = 0; i < g->trajectories; i++) {
        const padic_rollout_status *is = &g->track[i].is;
        if (!is->code || (before != UINT32_MAX && is->step <= before)) continue;
        report.op = i / (g->initials * g->realisations);
        report.initial = i / g->realisations % g->initials;
        report.realisation = i % g->realisations;
        report.step = is->step;
        return padici_rollout_failed(env, &report);
    }
    return PADIC_OK;
}

// ---- steps

PADICI_FN uint32_t padici_rollout_plan_step_operands(void *desc_, padici_operand *operands)
{
    padic_rollout_plan_step_desc *desc = (padic_rollout_plan_step_desc *)desc_;
    uint32_t n = padici_rollout_plan_operand(operands, 0, "out", &desc->out, 1);
    n = padici_rollout_plan_operand(operands, n, "metrics", &desc->metrics, 1);
    return padici_rollout_plan_operand(operands, n, "status", &desc->status, 1);
}

PADICI_FN padic_result padici_rollout_plan_step_check(padic_context *context, const void *desc_)
{
    const padic_rollout_plan_step_desc *desc = (const padic_rollout_plan_step_desc *)desc_;
    const uint32_t count = desc->count ? desc->count : 1;
    const padici_rollout_going *g;
    uint64_t columns;
    padic_result result = padici_rollout_plan_of(context, desc->plan);
    if (result) return result;
    g = &desc->plan->going;
    if (padici_rollout_here(&desc->metrics) && !g->measures)
        return padici_fail_field(context, PADIC_ERROR_ARGUMENT, "metrics",
                                 "is given, but the plan does not measure");
    columns = g->columns;
    result = padici_rollout_plan_out(context, desc->plan, &desc->out, &desc->status);
    if (!result)
        result = padici_rollout_plan_view(context, "metrics", desc->plan, &desc->metrics,
                                          PADIC_F32, 1, &columns);
    if (!result && count > desc->plan->desc.steps - 1 - g->t)
        result = padici_fail_field(context, PADIC_ERROR_LIMIT, "count",
                                   "leads past the last step, T - 1");
    return result;
}

PADICI_FN padic_result padici_rollout_plan_step_run(const padic_env *env,
                                                    const padic_rollout_plan_step_desc *desc)
{
    padic_rollout_plan *plan = desc->plan;
    padici_rollout_going *g = &plan->going;
    const uint32_t count = desc->count ? desc->count : 1, before = g->t, end = g->t + count;
    int stop = 0;
    padici_steps_begin(&g->steps, env ? env->progress : NULL, NULL, count);
    while (g->t < end && !stop) {
        g->t++;
        g->single = 1;
        if (g->t == end) plan->desc.metrics = desc->metrics;
        padici_rollout_plan_advance(g);
        stop = padici_steps_more(&g->steps, 1);
    }
    memset(&plan->desc.metrics, 0, sizeof plan->desc.metrics);
    g->single = 0;
    if (padici_steps_end(&g->steps) || stop) return PADIC_ERROR_CANCELLED;
    padici_rollout_plan_give(plan, &desc->out, &desc->status);
    return padici_rollout_plan_failed(env, g, before);
}

PADICI_FN padic_result padici_rollout_plan_step_host(const padic_env *env, const void *desc)
{
    return padici_rollout_plan_step_run(env, (const padic_rollout_plan_step_desc *)desc);
}

// ---- all of them

PADICI_FN uint32_t padici_rollout_plan_run_operands(void *desc_, padici_operand *operands)
{
    padic_rollout_plan_run_desc *desc = (padic_rollout_plan_run_desc *)desc_;
    uint32_t n = padici_rollout_plan_operand(operands, 0, "out", &desc->out, 1);
    n = padici_rollout_plan_operand(operands, n, "metrics", &desc->metrics, 1);
    return padici_rollout_plan_operand(operands, n, "status", &desc->status, 1);
}

PADICI_FN padic_result padici_rollout_plan_run_check(padic_context *context, const void *desc_)
{
    const padic_rollout_plan_run_desc *desc = (const padic_rollout_plan_run_desc *)desc_;
    padic_rollout_run_desc run;
    padic_result result = padici_rollout_plan_of(context, desc->plan);
    if (result) return result;
    if (padici_rollout_here(&desc->metrics) && !desc->plan->going.measures)
        return padici_fail_field(context, PADIC_ERROR_ARGUMENT, "metrics",
                                 "is given, but the plan does not measure");
    run = desc->plan->desc;
    run.out = desc->out;
    run.metrics = desc->metrics;
    run.status = desc->status;
    return padici_rollout_run_outputs(context, &run);
}

PADICI_FN padic_result padici_rollout_plan_run_run(const padic_env *env,
                                                   const padic_rollout_plan_run_desc *desc)
{
    padic_rollout_plan *plan = desc->plan;
    padici_rollout_going *g = &plan->going;
    padic_result result;
    plan->desc.out = desc->out;
    plan->desc.metrics = desc->metrics;
    plan->desc.status = desc->status;
    g->report.failed = 0;
    g->env = env;
    result = padici_rollout_going_run(g);
    g->env = NULL;
    g->start = 0;
    g->t = plan->desc.steps - 1;
    memset(&plan->desc.out, 0, sizeof plan->desc.out);
    memset(&plan->desc.metrics, 0, sizeof plan->desc.metrics);
    memset(&plan->desc.status, 0, sizeof plan->desc.status);
    if (desc->report) *desc->report = g->report;
    if (result == PADIC_ERROR_CANCELLED || g->result) { // trajectories may be at different steps
        padic_rollout_plan_reset_desc reset;
        memset(&reset, 0, sizeof reset);
        reset.plan = plan;
        (void)padici_rollout_plan_reset_run(env, &reset);
    }
    return result;
}

PADICI_FN padic_result padici_rollout_plan_run_host(const padic_env *env, const void *desc)
{
    return padici_rollout_plan_run_run(env, (const padic_rollout_plan_run_desc *)desc);
}

// ---- back to t = 0

PADICI_FN uint32_t padici_rollout_plan_reset_operands(void *desc_, padici_operand *operands)
{
    padic_rollout_plan_reset_desc *desc = (padic_rollout_plan_reset_desc *)desc_;
    return padici_rollout_plan_operand(operands, 0, "initial", &desc->initial, 0);
}

PADICI_FN padic_result padici_rollout_plan_reset_check(padic_context *context, const void *desc_)
{
    const padic_rollout_plan_reset_desc *desc = (const padic_rollout_plan_reset_desc *)desc_;
    const padic_tensor *has;
    padic_result result = padici_rollout_plan_of(context, desc->plan);
    if (result || !padici_rollout_here(&desc->initial)) return result;
    has = &desc->plan->desc.initial;
    if (desc->initial.dtype != has->dtype)
        return padici_fail_field(context, PADIC_ERROR_DTYPE, "initial", "has another dtype");
    if (desc->initial.rank != 4 || memcmp(desc->initial.shape, has->shape, 4 * sizeof *has->shape))
        return padici_fail_field(context, PADIC_ERROR_MISMATCH, "initial",
                                 "has another shape than the plan's");
    return padici_rollout_is_dense(&desc->initial)
               ? PADIC_OK
               : padici_fail_field(context, PADIC_ERROR_ARGUMENT, "initial", "is not dense");
}

PADICI_FN padic_result padici_rollout_plan_reset_run(const padic_env *env,
                                                     const padic_rollout_plan_reset_desc *desc)
{
    padic_rollout_plan *plan = desc->plan;
    padici_rollout_going *g = &plan->going;
    if (desc->initial.data)
        memcpy(plan->desc.initial.data, desc->initial.data,
               (size_t)(padic_tensor_count(&plan->desc.initial) * g->size));
    g->t = 0;
    g->start = 0;
    g->together = g->trajectories;
    padici_rollout_plan_advance(g);
    return padici_rollout_plan_failed(env, g, UINT32_MAX);
}

PADICI_FN padic_result padici_rollout_plan_reset_host(const padic_env *env, const void *desc)
{
    return padici_rollout_plan_reset_run(env, (const padic_rollout_plan_reset_desc *)desc);
}

// ---- where it is

PADICI_FN uint32_t padici_rollout_plan_status_operands(void *desc_, padici_operand *operands)
{
    padic_rollout_plan_status_desc *desc = (padic_rollout_plan_status_desc *)desc_;
    const uint32_t n = padici_rollout_plan_operand(operands, 0, "out", &desc->out, 1);
    return padici_rollout_plan_operand(operands, n, "status", &desc->status, 1);
}

PADICI_FN padic_result padici_rollout_plan_status_check(padic_context *context, const void *desc_)
{
    const padic_rollout_plan_status_desc *desc = (const padic_rollout_plan_status_desc *)desc_;
    const padic_result result = padici_rollout_plan_of(context, desc->plan);
    return result ? result
                  : padici_rollout_plan_out(context, desc->plan, &desc->out, &desc->status);
}

PADICI_FN padic_result padici_rollout_plan_status_run(const padic_env *env,
                                                      const padic_rollout_plan_status_desc *desc)
{
    padic_rollout_plan *plan = desc->plan;
    (void)env;
    padici_rollout_plan_give(plan, &desc->out, &desc->status);
    if (!desc->report) return PADIC_OK;
    desc->report->step = plan->going.t;
    desc->report->failed = plan->going.report.failed;
    desc->report->size = plan->total;
    return PADIC_OK;
}

PADICI_FN padic_result padici_rollout_plan_status_host(const padic_env *env, const void *desc)
{
    return padici_rollout_plan_status_run(env, (const padic_rollout_plan_status_desc *)desc);
}

#endif
