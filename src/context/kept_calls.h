#pragma once
#include "../core/platform.h"
#include "operation.h"
#include "state.h"

PADICI_FN int padici_auto_may(uint32_t op, const void *desc);
PADICI_FN void padici_auto_end_stale(padic_context *context);
PADICI_FN void padici_auto_end_all(padic_context *context);
PADICI_FN padici_auto *padici_auto_find(padic_context *context, uint32_t op, const void *desc);
PADICI_FN void padici_auto_note(const padici_call *call, const void *desc);
PADICI_FN padic_result padici_auto_run(padic_context *context, padici_auto *seen,
                                       padici_call *call);
