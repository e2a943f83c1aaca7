#pragma once
#include "../core/platform.h"
#include "state.h"

PADICI_FN PADICI_NOINLINE padic_result padici_run(padic_context *context, uint32_t op,
                                                  const void *desc);
PADICI_FN padic_result padici_run_task(padic_context *context, uint32_t op, void *task);
PADICI_FN void padici_run_counted(padic_context *context, uint32_t op);
