#pragma once
#include "../core/platform.h"
#include "operation.h"
#include "state.h"

PADICI_FN void padici_kept_call_end_stale(padic_context *context);
PADICI_FN void padici_kept_call_end_all(padic_context *context);
PADICI_FN padici_kept_call *padici_kept_call_find(padic_context *context, uint32_t op,
                                                  const void *desc);
PADICI_FN void padici_kept_call_note(const padici_call *call, const void *desc);
PADICI_FN padic_result padici_kept_call_run(padic_context *context, padici_kept_call *seen,
                                            padici_call *call, padici_any_desc *copy);
