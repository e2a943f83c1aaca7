#pragma once
#include "../core/platform.h"
#include "../context/api_backend.h"

#ifndef PADIC_NO_ROLLOUT

// What is done to each state before it is kept.
typedef struct padici_rollout_finishing {
    padic_rollout_post post;
    uint32_t flags; // POST_PER_CHANNEL, CLAMP
    double lo, hi;
    uint64_t numbers, channels; // of a state
    size_t size;                // of a number
} padici_rollout_finishing;

// X from X before and O; into o. `parameter` is dt or alpha.
PADICI_FN void padici_rollout_step(padic_rollout_policy policy, double parameter,
                                   uint64_t numbers, size_t size, const char *x, char *o);
// dt or alpha of operator n, the default if there is no memory.
PADICI_FN double padici_rollout_parameter(padic_rollout_policy policy, const padic_tensor *p,
                                          uint64_t n);
// Whether `count` of them are what the policy takes.
PADICI_FN padic_result padici_rollout_parameters_fit(const padic_env *env,
                                                     padic_rollout_policy policy,
                                                     const padic_tensor *parameter,
                                                     uint64_t count);
PADICI_FN void padici_rollout_finish(const padici_rollout_finishing *how, char *x);

#endif
