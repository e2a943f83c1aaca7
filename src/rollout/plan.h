#pragma once
#include "../core/platform.h"
#include "going.h"

#ifndef PADIC_NO_ROLLOUT

#define PADICI_ROLLOUT_KEPT 5 // views that a plan copies; the weights are packed instead

// A plan: the desc with its own copies of what it points at, and a rollout of all trajectories.
struct padic_rollout_plan {
    padic_context *context; // it was made for
    padic_allocator allocator;
    uint64_t size;  // bytes of this and the copies,
    uint64_t total; // and of all
    padic_rollout_run_desc desc; // its views are dense copies; those of outputs are of a call
    padici_rollout_going going;
    uint32_t making; // it is being made: a device that does its reset takes it
    void *device;    // what that has of it: NULL, or the host's states and statuses are not used
    uint64_t device_size;
    void (*device_end)(struct padic_rollout_plan *plan);
};

PADICI_FN padic_result padici_rollout_plan_step_run(const padic_env *env,
                                                    const padic_rollout_plan_step_desc *desc);
PADICI_FN padic_result padici_rollout_plan_run_run(const padic_env *env,
                                                   const padic_rollout_plan_run_desc *desc);
PADICI_FN padic_result padici_rollout_plan_reset_run(const padic_env *env,
                                                     const padic_rollout_plan_reset_desc *desc);
PADICI_FN padic_result padici_rollout_plan_status_run(const padic_env *env,
                                                      const padic_rollout_plan_status_desc *desc);

#endif
