#pragma once
#include "metrics.h"
#include "stream.h"

#ifndef PADIC_NO_ROLLOUT

// A rollout in hand.
typedef struct padici_gpu_rollout_going {
    padici_gpu_rollout *n;
    const padic_rollout_run_desc *desc;
    padici_rollout_going g; // of it desc, frames and t, for the host's functions
    padici_steps steps;
    uint32_t initials, trajectories, channels, cells, chunks, parts;
    uint32_t x, o, partial, decided; // among the numbers of a trajectory
    padici_gpu_block block;          // of statuses, where the caller wants none
    padic_mem status;
    uint32_t status_at;
    float limit, below, above;
    padici_gpu_rollout_meter meter;
    padici_gpu_rollout_stream stream;
    uint32_t single; // of a plan: out and metrics have one step, their row or frame is 0
} padici_gpu_rollout_going;

// What a rollout has beside its nodes; 0 where kernels do not reach it.
PADICI_FN int padici_gpu_rollout_lay(padici_gpu_rollout_going *r);
// Policies of all operators, and what noise needs, to the device.
PADICI_FN padic_result padici_gpu_rollout_prepare(padici_gpu_rollout_going *r,
                                                 padic_tensor fetched[4]);
// Launches of step r->g.t of the trajectories in hand.
PADICI_FN padic_result padici_gpu_rollout_step(padici_gpu_rollout_going *r);
// All their steps, with what the stream gets. *stop: the progress hook or the stream said so.
PADICI_FN padic_result padici_gpu_rollout_steps(padici_gpu_rollout_going *r, int *stop);
PADICI_FN padic_result padici_gpu_rollout_stopped(const padici_gpu_rollout_going *r);
// What statuses say of all trajectories, to r->desc->report or as FAIL has it: the device is waited
// for.
PADICI_FN padic_result padici_gpu_rollout_report(const padici_gpu_rollout_going *r);
// Whether kernels count the elements of all operands.
PADICI_FN int padici_gpu_rollout_reach(const padici_call *call, const padic_tensor *large);

#endif
