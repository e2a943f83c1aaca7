#pragma once
#include "../core/platform.h"
#include "plan.h"

#ifndef PADIC_NO_FFT

// Lines of one axis: their elements, and the other axes, which number the lines. Steps in bytes.
typedef struct padici_fft_sweep {
    const padici_fft_axis *axis;
    padici_fft_view from, to; // of line 0
    uint32_t real;            // from reals, to reals, or 0: complex
    uint32_t rank;            // of the other axes, the first of which is the fastest
    uint64_t count[PADIC_MAX_RANK];
    int64_t from_step[PADIC_MAX_RANK], to_step[PADIC_MAX_RANK];
} padici_fft_sweep;

enum { PADICI_FFT_FROM_REALS = 1, PADICI_FFT_TO_REALS = 2 };

PADICI_FN void *padici_fft_stages_run(const padici_fft_kernels *kernels,
                                      const padici_fft_stages *stages, void *x, void *y);
PADICI_FN void padici_fft_line_run(const padic_fft_plan *plan, const padici_fft_line *line,
                                   const padici_fft_view *from, const padici_fft_view *to,
                                   uint32_t worker, const padic_jobs *jobs);
PADICI_FN void padici_fft_axis_run(const padic_fft_plan *plan, const padic_jobs *jobs,
                                   const padici_fft_sweep *sweep);

#endif
