#pragma once
#include "../core/platform.h"
#include "spectral.h"

#ifndef PADIC_NO_ROLLOUT

// Measures frames of one shape: tables and scratch, for one thread. Made once; measuring allocates
// nothing.
typedef struct padici_rollout_reducer {
    padic_rollout_metrics metrics; // without defaults; `range` is not used
    float range[2];
    uint32_t ranged; // whether that is given
    uint64_t channels, height, width;
    uint32_t columns; // of a channel, or of all together
    const padic_allocator *allocator;
    double *counts, *bands; // of the bins; of the bands
    uint64_t bytes;
    padici_rollout_spectral spectral; // of SPECTRUM
} padici_rollout_reducer;

PADICI_FN padic_result padici_rollout_reducer_begin(padici_rollout_reducer *r,
                                                    const padic_env *env,
                                                    const padic_rollout_metrics *metrics,
                                                    uint64_t channels, uint64_t height,
                                                    uint64_t width);
// `frame` and `previous` are dense (C, H, W); `previous` NULL: the first frame. Writes R numbers.
PADICI_FN void padici_rollout_reducer_run(padici_rollout_reducer *r, const float *frame,
                                          const float *previous, float *out);
PADICI_FN void padici_rollout_reducer_end(padici_rollout_reducer *r);

#endif
