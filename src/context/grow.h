#pragma once
#include "../core/platform.h"
#include "state.h"

PADICI_FN padic_result padici_grow(padic_context *context, void **table, uint32_t *capacity,
                                   uint32_t used, size_t element);
