#pragma once
#include "../core/platform.h"
#include "source.h"

#ifndef PADIC_NO_WAVE

typedef struct padici_wave_tally {
    int64_t total[3];
    uint64_t absolute, undefined, listed;
} padici_wave_tally;

typedef struct padici_wave_grid_job {
    const padic_tensor *psi;
    uint64_t count[3], points, tasks;
    int64_t stride[3], out_stride[4]; // of out or map; there the orientation's comes last
    uint32_t periodic, filling;
    const padic_wave_phase_gradient_desc *gradient;
    const padic_wave_winding_desc *winding;
    padici_wave_tally *tallies;
} padici_wave_grid_job;

PADICI_FN void padici_wave_grid_begin(padici_wave_grid_job *job, const padic_tensor *psi,
                                      uint32_t periodic, padici_wave_tally *tallies);
PADICI_FN void padici_wave_grid_index(const padici_wave_grid_job *job, uint64_t i,
                                      uint64_t index[3]);
PADICI_FN int padici_wave_beside(const padici_wave_grid_job *job, const uint64_t index[3],
                                 uint32_t axis, int left, int64_t *way);
PADICI_FN double padici_wave_angle(padici_complex z);
PADICI_FN double padici_wave_link(padici_complex a, padici_complex b);

#endif
