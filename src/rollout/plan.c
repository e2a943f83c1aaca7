#include "plan.h"
#include "../context/loops.h"
#include "../context/messages.h"
#include "../context/operation.h"
#include "../context/ops.h"
#include "../context/state.h"
#include "../core/memory.h"
#include "../core/view.h"
#include "../core/words.h"
#include "record.h"

#if PADICI_IMPLEMENT_ROLLOUT

// Plans: their memory.

static void padici_rollout_plan_views(const padic_rollout_run_desc *desc,
                                      const padic_tensor *view[PADICI_ROLLOUT_KEPT])
{
    view[0] = &desc->initial;
    view[1] = &desc->parameter;
    view[2] = &desc->ids;
    view[3] = &desc->noise_ids;
    view[4] = &desc->noise_scale;
}

static padic_result padici_rollout_plan_host_check(padic_context *context, const char *name,
                                                   const padic_tensor *t)
{
    uint64_t count;
    padic_result result = PADIC_OK;
    if (!t->data && (t->buffer.id || t->rank != 2 || t->shape[1])) // no parameters: no memory
        return padici_fail_field(context, PADIC_ERROR_ARGUMENT, name, "is not in host memory");
    result = padici_tensor_check_view(t, 1, &count);
    return result ? padici_fail_view(context, result, name, t) : PADIC_OK;
}

static padic_result padici_rollout_plan_check(padic_context *context,
                                              const padic_rollout_plan_desc *desc)
{
    static const char *const name[PADICI_ROLLOUT_KEPT] = {"initial", "parameter", "ids",
                                                          "noise_ids", "noise_scale"};
    const padic_tensor *view[PADICI_ROLLOUT_KEPT];
    const padic_rollout_run_desc *run;
    padic_result result;
    uint32_t i;
    if (!desc) return padici_fail_here(context, PADIC_ERROR_ARGUMENT, "desc is NULL");
    run = &desc->run;
    padici_rollout_plan_views(run, view);
    if (padici_rollout_here(&run->out) || padici_rollout_here(&run->status) ||
        padici_rollout_here(&run->metrics) || run->report)
        return padici_fail_field(context, PADIC_ERROR_ARGUMENT, "run",
                                 "has out, metrics, status or report, which are of the calls");
    if (desc->measures > 1)
        return padici_fail_field(context, PADIC_ERROR_ARGUMENT, "measures", "is not 0 or 1");
    result = padici_rollout_plan_host_check(context, "weights", &run->weights);
    if (!result) result = padici_rollout_plan_host_check(context, "initial", &run->initial);
    for (i = 1; i < PADICI_ROLLOUT_KEPT && !result; i++)
        if (padici_rollout_here(view[i]))
            result = padici_rollout_plan_host_check(context, name[i], view[i]);
    if (!result) result = padici_rollout_run_inputs(context, run, (int)desc->measures);
    if (!result && (!run->weights.shape[0] || !run->initial.shape[0]))
        result = padici_fail_field(context, PADIC_ERROR_ARGUMENT, "run",
                                   "has no operators, or no initial conditions");
    return result;
}

// Bytes of a plan and its copies; with `plan`, which has them, the copies are made.
static uint64_t padici_rollout_plan_place(const padic_rollout_run_desc *run,
                                          padic_rollout_plan *plan)
{
    const padic_tensor *view[PADICI_ROLLOUT_KEPT];
    uint64_t at = (sizeof *plan + 63) / 64 * 64, i;
    padici_rollout_plan_views(run, view);
    for (i = 0; i < PADICI_ROLLOUT_KEPT; i++) {
        const uint64_t size = padic_dtype_size(view[i]->dtype);
        const uint64_t count = view[i]->data ? padic_tensor_count(view[i]) : 0;
        if (count > (size_t)-1 / 64) return 0;
        if (plan && count) {
            char *copy = (char *)plan + at;
            padic_tensor *to = (padic_tensor *)(void *)((char *)&plan->desc +
                                                        ((const char *)view[i] -
                                                         (const char *)run));
            int64_t stride[PADIC_MAX_RANK];
            uint64_t k;
            padici_tensor_dense(view[i], stride);
            for (k = 0; k < count; k++) {
                int64_t place = 0;
                uint64_t rest = k;
                uint32_t axis;
                for (axis = view[i]->rank; axis-- > 0; rest /= view[i]->shape[axis])
                    place += (int64_t)(rest % view[i]->shape[axis]) * stride[axis];
                memcpy(copy + k * size, (const char *)view[i]->data + place * (int64_t)size,
                       (size_t)size);
            }
            *to = padic_tensor_nd(view[i]->dtype, copy, view[i]->rank, view[i]->shape);
        }
        at += (count * size + 63) / 64 * 64;
    }
    return at;
}

static void padici_rollout_plan_intent(const padic_context *context,
                                       const padic_rollout_plan_desc *desc,
                                       const padic_rollout_run_desc *run,
                                       padici_rollout_intent *intent)
{
    padici_rollout_choice choice;
    choice.kernels = padici_rollout_plain();
    (void)padici_loop_run(padici_loop_of(context, PADIC_OP_ROLLOUT_KERNELS), &choice);
    intent->desc = run;
    intent->kernels = choice.kernels;
    intent->together = 1;
    intent->taken = padici_rollout_plan_place(&desc->run, NULL);
    intent->measures = (int)desc->measures;
}

static void padici_rollout_plan_env(padic_context *context, const padic_allocator *allocator,
                                    char message[256], padic_env *env)
{
    memset(env, 0, sizeof *env);
    message[0] = 0;
    env->message = message;
    env->message_size = 256;
    env->allocator = allocator;
    env->jobs = context ? padici_jobs(context) : NULL;
}

static void padici_rollout_plan_allocator(padic_context *context, padic_allocator *to)
{
    const padic_allocator *from = context ? padici_allocator(context) : NULL;
    memset(to, 0, sizeof *to);
    if (from) *to = *from;
}

PADIC_API uint64_t padic_rollout_plan_size_bound(padic_context *context,
                                                 const padic_rollout_plan_desc *desc)
{
    padici_rollout_intent intent;
    padic_allocator allocator;
    char message[256];
    padic_env env;
    if (!desc || padici_rollout_plan_check(NULL, desc)) return 0;
    padici_rollout_plan_allocator(context, &allocator);
    padici_rollout_plan_env(context, &allocator, message, &env);
    padici_rollout_plan_intent(context, desc, &desc->run, &intent);
    return intent.taken ? padici_rollout_going_size(&env, &intent) : 0;
}

static void padici_rollout_plan_end(padic_rollout_plan *plan)
{
    if (plan->device_end) (*plan->device_end)(plan);
    padici_rollout_going_end(&plan->going);
}

static padic_result padici_rollout_plan_create_named(padic_context *context,
                                                     const padic_rollout_plan_desc *desc,
                                                     padic_rollout_plan **plan)
{
    padici_rollout_intent intent;
    padic_allocator allocator;
    padic_rollout_plan *p;
    char message[256];
    padic_env env;
    uint64_t size;
    padic_result result;
    if (!plan) return padici_fail_here(context, PADIC_ERROR_ARGUMENT, "plan is NULL");
    *plan = NULL;
    result = padici_rollout_plan_check(context, desc);
    if (!result) result = padici_rollout_record_own(context, desc->run.stream.record);
    if (!result && padici_rollout_parameters_fault(&desc->run))
        result = padici_fail_field(context, PADIC_ERROR_ARGUMENT, "parameter",
                                   "has an alpha outside [0, 1], or a dt not finite");
    if (result) return result;
    padici_rollout_plan_allocator(context, &allocator);
    size = padici_rollout_plan_place(&desc->run, NULL);
    p = size ? (padic_rollout_plan *)padici_alloc(&allocator, (size_t)size, 64) : NULL;
    if (!p) return padici_fail_here(context, PADIC_ERROR_MEMORY, "no memory for the plan");
    memset(p, 0, sizeof *p);
    p->context = context;
    p->allocator = allocator;
    p->size = size;
    p->desc = desc->run;
    (void)padici_rollout_plan_place(&desc->run, p);
    padici_rollout_plan_env(context, &p->allocator, message, &env);
    padici_rollout_plan_intent(context, desc, &p->desc, &intent);
    result = padici_rollout_going_begin(&env, &intent, &p->going);
    if (!result) {
        padic_rollout_plan_reset_desc reset;
        memset(&reset, 0, sizeof reset);
        reset.plan = p;
        p->total = p->size + p->going.report.size;
        p->making = context && !context->recording;
        result = p->making ? padic_rollout_plan_reset(context, &reset) : PADIC_ERROR_NOT_SUPPORTED;
        p->making = 0;
        if (result == PADIC_ERROR_NOT_SUPPORTED && !p->device)
            result = padici_rollout_plan_reset_run(&env, &reset);
        p->total += p->device_size;
        if (result) padici_rollout_plan_end(p);
    }
    if (result) padici_free(&allocator, p, (size_t)size);
    else *plan = p;
    return result && message[0] ? padici_fail_here(context, result, message) : result;
}

PADIC_API padic_result padic_rollout_plan_create(padic_context *context,
                                                 const padic_rollout_plan_desc *desc,
                                                 padic_rollout_plan **plan)
{
    const char *before = padici_enter(context, "rollout_plan_create");
    const padic_result result = padici_rollout_plan_create_named(context, desc, plan);
    padici_leave(context, before);
    return result;
}

PADIC_API void padic_rollout_plan_destroy(padic_rollout_plan *plan)
{
    padic_allocator allocator;
    if (!plan) return;
    allocator = plan->allocator;
    padici_rollout_plan_end(plan);
    padici_free(&allocator, plan, (size_t)plan->size);
}

#endif
