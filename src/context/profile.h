#pragma once
#include "../core/platform.h"
#include "state.h"

PADICI_FN uint64_t padici_clock_default(void *user);
PADICI_FN uint64_t padici_profile_now(padic_context *context);
PADICI_FN int padici_clock_pair_now(padic_context *context, padici_target *target,
                                    padici_clock_pair *pair);
PADICI_FN void padici_profile_settle(padic_context *context);
PADICI_FN PADICI_NOINLINE padici_stamp padici_stamp_begin(padic_context *context,
                                                          padici_target *target);
PADICI_FN padic_result padici_stamp_end(padic_context *context, padici_target *target,
                                        const padici_stamp *stamp, padic_result result,
                                        const char *name, const char *method, uint64_t bytes,
                                        uint64_t replays);
