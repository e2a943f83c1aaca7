#include "run.h"
#include "../tensor/ops.h"
#include "call.h"
#include "kept_calls.h"
#include "messages.h"
#include "operands.h"
#include "operation.h"
#include "ops.h"
#include "target.h"

#if PADICI_IMPLEMENT_CORE

// From a public function to its call: the one way into every operation.

#ifndef PADIC_NO_TENSOR
// A small matrix product takes less time than a call: where nothing is asked for that needs one,
// the first backend's kernel does it. 0: not done.
static int padici_run_product(padic_context *context, const padic_tensor_gemm_desc *desc)
{
    padic_op_stats *stats = &context->ops[PADIC_OP_TENSOR_GEMM];
    const padici_target *target = &context->targets[0];
    padic_tensor_product product;
    if (context->target_count < 2 || !padici_target_is_host(target) || !target->backend->run ||
        context->spans || context->autos || context->recording || context->tuning ||
        !desc || !padici_tensor_gemm_small(desc, &product) ||
        (*target->backend->run)(target->device, PADIC_KERNEL_TENSOR, &product, 0))
        return 0;
    context->method = target->backend->name;
    stats->calls++;
    stats->backend = stats->method = context->method;
    return 1;
}
#endif

PADICI_NOINLINE static padic_result padici_run_named(padic_context *context, uint32_t op,
                                                     const void *desc)
{
    padici_call call;
    padici_auto *seen;
    padic_result result;
#ifndef PADIC_NO_TENSOR
    if (op == PADIC_OP_TENSOR_GEMM && context &&
        padici_run_product(context, (const padic_tensor_gemm_desc *)desc))
        return PADIC_OK;
#endif
    seen = padici_auto_find(context, op, desc);
    if (seen) {
        result = padici_auto_run(context, seen, &call);
        if (result != PADIC_ERROR_NOT_SUPPORTED) return result;
    }
    result = padici_call_begin(&call, context, op, desc);
    if (result && context && context->recording && !context->recording_broken)
        context->recording_broken = result;
    if (result || (!call.count && !padici_op_row_of(op)->host_env)) return result;
    if (!context || !call.count)
        return padici_op_host(op, context ? &context->env : NULL, &call.desc);
    result = padici_run_in(&call);
    if (!result && context->autos && !seen && !context->recording && !context->tuning &&
        padici_auto_may(op, desc))
        padici_auto_note(&call, desc);
    return result;
}

// The one way into every operation.
PADICI_FN PADICI_NOINLINE padic_result padici_run(padic_context *context, uint32_t op,
                                                  const void *desc)
{
    const char *before = padici_enter(context, padici_op_name((uint32_t)op));
    const padic_result result = padici_run_named(context, op, desc);
    padici_leave(context, before);
    return result;
}

#define PADICI_OP_ENTRY(number, NAME, name, driver)                                              \
    PADIC_API padic_result padic_##name(padic_context *context, const padic_##name##_desc *desc) \
    {                                                                                            \
        return padici_run(context, PADIC_OP_##NAME, desc);                                       \
    }
PADICI_OPS_HERE(PADICI_OP_ENTRY)

#undef PADICI_OP_ENTRY

static padic_result padici_supports_named(padic_context *context, padic_op op, const void *desc,
                                          const char **backend)
{
    padici_call call;
    uint32_t index = 0, first;
    padic_result result = padici_call_begin(&call, context, (uint32_t)op, desc);
    if (backend) *backend = "";
    if (result) return result;
    if (context) {
        if (context->targets[0].lost) return padici_target_begin(context, &context->targets[0]);
        if (call.count && !padici_call_choose(&call, &index, &first)) // of nothing, anyone can
            return padici_call_refused(&call);
    }
    if (backend) *backend = context ? context->targets[index].backend->name : "cpu";
    return PADIC_OK;
}

PADIC_API padic_result padic_supports(padic_context *context, padic_op op, const void *desc,
                                      const char **backend)
{
    const char *before =
        padici_enter(context, padici_op_name((uint32_t)op));
    const padic_result result = padici_supports_named(context, op, desc, backend);
    padici_leave(context, before);
    return result;
}

#endif
