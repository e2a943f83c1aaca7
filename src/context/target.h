#pragma once
#include "../core/platform.h"
#include "operation.h"
#include "state.h"

PADICI_FN PADICI_NOINLINE padic_result padici_target_begin(padic_context *context,
                                                           padici_target *target);
PADICI_FN padic_result padici_target_end(padic_context *context, padici_target *target,
                                         padic_result result);
PADICI_FN int padici_target_is_host(const padici_target *target);
PADICI_FN padic_result padici_target_fill(padic_context *context, padici_target *target,
                                          padic_mem mem, uint64_t at, uint32_t word, uint64_t size);
PADICI_FN padic_result padici_target_launch(padic_context *context, padici_target *target,
                                            const padic_launch *launch);
PADICI_FN padic_result padici_target_sync(padic_context *context, padici_target *target);
PADICI_FN padic_result padici_target_move(padic_context *context, padici_target *target,
                                          const padici_place *to, const padici_place *from,
                                          uint64_t size);
