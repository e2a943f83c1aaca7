#pragma once
#include "../core/platform.h"
#include "state.h"

PADICI_NOINLINE PADICI_FN padic_result padici_run(padic_context *context, uint32_t op,
                                                  const void *desc);
