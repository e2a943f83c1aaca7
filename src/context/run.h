#pragma once
#include "../core/platform.h"
#include "state.h"

// Whether calls are queries (padic_context_ask()); those of the tuner are done all the same.
PADICI_INLINE int padici_run_asks(const padic_context *context)
{
    return context->ask && !context->tuning;
}

PADICI_FN PADICI_NOINLINE padic_result padici_run(padic_context *context, uint32_t op,
                                                  const void *desc);
PADICI_FN padic_result padici_run_task(padic_context *context, uint32_t op, void *task);

// Says again what may be done at once, after a change of the profile, a recording, the tuner, or of
// who asks.
PADICI_FN void padici_run_settle(padic_context *context);

// Whether a call may be done at once, in host memory; it is counted like any other.
PADICI_INLINE int padici_run_may(const padic_context *context, uint32_t what)
{
    return !context || (context->at_once & what);
}

PADICI_INLINE padic_result padici_run_counted(padic_context *context, uint32_t op)
{
    if (context) context->done_at_once[op]++;
    return PADIC_OK;
}

// The counters of an operation, and the same with what was done at once among `ops`.
PADICI_FN padic_op_stats padici_run_stats(const padic_context *context, uint32_t op);
PADICI_FN padic_op_stats *padici_run_settle_stats(padic_context *context, uint32_t op);
