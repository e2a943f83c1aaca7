#pragma once
#include "../context/state.h"
#include "../core/platform.h"
#include "source.h"

#ifndef PADIC_NO_WAVE

// A source by its frequency.
typedef struct padici_wave_rate {
    double frequency;
    uint64_t source;
} padici_wave_rate;

typedef struct padici_wave_frames {
    padici_wave_job field;
    padic_wave_superpose_desc one; // at time `base`; its out is that of a frame
    const padic_wave_frames_desc *desc;
    uint64_t frames, groups;
    double base, half, largest;    // the time of Phi; half of all times; the largest |t|
    double merged;                 // turns that merging costs
    double speed;                  // what makes frequencies of `rates`
    padici_wave_rate *rates;       // of the sources, sorted; then of groups
    uint64_t *ends;                // of groups, in the order of rates
    padici_complex *factors;       // (F, K), or NULL with a drive
    padici_complex *waves;         // K x PADICI_WAVE_POINTS a task
    int64_t frame_stride, drive_stride[PADIC_MAX_RANK], mean_stride[PADIC_MAX_RANK];
} padici_wave_frames;

PADICI_FN void padici_wave_frames_one(const padic_wave_frames_desc *desc,
                                      padic_wave_superpose_desc *one, int64_t *frame_stride);
PADICI_FN padici_complex padici_wave_frames_factor(const padici_wave_frames *job, uint64_t f,
                                                   uint64_t g);
PADICI_FN int padici_wave_bytes(uint64_t a, uint64_t b, uint64_t *c);
PADICI_FN void padici_wave_frames_begin(padici_wave_frames *job,
                                        const padic_wave_frames_desc *desc);
PADICI_FN padic_result padici_wave_frames_values(padic_context *context,
                                                 const padic_wave_frames_desc *desc);
PADICI_FN padic_result padici_wave_frames_sorted(padici_wave_frames *job,
                                                 const padic_allocator *allocator, uint64_t *bytes);

#endif
