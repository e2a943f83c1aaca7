#pragma once
#include "../core/platform.h"
#include "state.h"

// Whether calls are only asked; those of the tuner are done.
PADICI_INLINE int padici_run_asks(const padic_context *context)
{
    return context->ask && !context->tuning;
}

PADICI_FN PADICI_NOINLINE padic_result padici_run(padic_context *context, uint32_t op,
                                                  const void *desc);
PADICI_FN padic_result padici_run_task(padic_context *context, uint32_t op, void *task);
PADICI_FN void padici_run_counted(padic_context *context, uint32_t op);
