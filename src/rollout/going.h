#pragma once
#include "../core/jobs.h"
#include "../core/platform.h"
#include "apply.h"
#include "metrics.h"
#include "step.h"

#ifndef PADIC_NO_ROLLOUT

typedef struct padici_rollout_track { // of a trajectory
    padic_rollout_status is;
    double most;
} padici_rollout_track;

// Measures frames, one for each worker.
typedef struct padici_rollout_meter {
    padici_rollout_reducer reducer;
    float *frame, *before; // of F64 states, rounded
} padici_rollout_meter;

// A rollout in hand: trajectories `start` to start + together - 1 are at step t.
typedef struct padici_rollout_going {
    const padic_rollout_run_desc *desc;
    const padic_allocator *allocator;
    const padic_env *env; // of the call
    padici_rollout_engine *e;
    padici_steps steps;
    uint64_t initials, realisations; // I, M
    uint64_t trajectories;           // N I M
    uint64_t numbers, frames;        // of a state; F
    padici_rollout_finishing finish;
    uint64_t start, together;        // of `together` at most `most`
    uint64_t most;
    uint32_t t, ring; // ring: frames that it holds; 0: there is none
    size_t size;      // of a number
    char *memory;     // of what follows, `most` of each
    uint64_t bytes;
    char *x, *held; // (most, C, H, W); (most, ring, C, H, W)
    char *o;        // (batch, C, H, W)
    padici_rollout_track *track;
    int measures;                // metrics
    int single;                  // of this step alone: a row of each trajectory
    padici_rollout_meter *meter; // `workers` of them, if it measures, on their own memory
    uint64_t meter_bytes;        // of that
    uint32_t workers, columns;   // columns: R
    padic_rollout_run_report report;
    padic_result result; // of the record that frames go to
} padici_rollout_going;

// F, and F_r.
PADICI_FN uint64_t padici_rollout_run_frames(const padic_rollout_run_desc *desc);
PADICI_FN uint64_t padici_rollout_run_measured(const padic_rollout_run_desc *desc);
// dt or alpha of an operator.
PADICI_FN double padici_rollout_parameter_of(const padic_rollout_run_desc *desc, uint64_t n);

// Whether the frame of step t is kept, and which one of F it is.
PADICI_FN int padici_rollout_wants(const padici_rollout_going *g, uint64_t *frame);

// Checks of a desc: all but what it writes, and that.
PADICI_FN padic_result padici_rollout_run_inputs(padic_context *context,
                                                 const padic_rollout_run_desc *desc,
                                                 int measures);
PADICI_FN padic_result padici_rollout_run_outputs(padic_context *context,
                                                  const padic_rollout_run_desc *desc);
PADICI_FN int padici_rollout_parameters_fault(const padic_rollout_run_desc *desc);

// What a rollout is begun with: a checked desc with a trajectory or more.
typedef struct padici_rollout_intent {
    const padic_rollout_run_desc *desc;
    const padici_rollout_kernels *kernels; // of F32
    uint64_t taken;                        // bytes of max_bytes that the caller has taken
    int together;                          // all trajectories are held at once
    int measures;
} padici_rollout_intent;

// Errors: MEMORY, LIMIT.
PADICI_FN padic_result padici_rollout_going_begin(const padic_env *env,
                                                  const padici_rollout_intent *intent,
                                                  padici_rollout_going *g);
// The bytes it takes; 0: more than memory can be, or there is none to find out.
PADICI_FN uint64_t padici_rollout_going_size(const padic_env *env,
                                             const padici_rollout_intent *intent);
PADICI_FN void padici_rollout_going_end(padici_rollout_going *g);
// Step g->t of trajectories first to first + count - 1, count <= batch; step 0: from the initial
// conditions.
PADICI_FN void padici_rollout_advance(padici_rollout_going *g, uint64_t first, uint64_t count);
// The whole rollout, with its outputs.
PADICI_FN padic_result padici_rollout_going_run(padici_rollout_going *g);
// Adds statuses of the trajectories in hand to the report.
PADICI_FN void padici_rollout_note(padici_rollout_going *g);
PADICI_FN padic_result padici_rollout_failed(const padic_env *env,
                                             const padic_rollout_run_report *report);

#endif
