#pragma once
#include "../core/platform.h"
#include "state.h"

PADICI_FN void padici_pool_begin(padici_pool *pool, padici_target *target);
PADICI_FN void padici_pool_give(padic_context *context, padici_pool *pool, uint32_t index);
PADICI_FN padic_result padici_pool_take(padic_context *context, padici_pool *pool, uint64_t size,
                                        uint32_t *index);
PADICI_FN void padici_pool_end(padic_context *context, padici_pool *pool);
