#pragma once
#include "../core/platform.h"
#include "source.h"

#ifndef PADIC_NO_WAVE

typedef struct padici_wave_slopes {
    padici_wave_job field;
    const padic_wave_gradient_desc *desc;
    int64_t stride[4]; // of out: three axes of points, components
    uint32_t components;
} padici_wave_slopes;

PADICI_FN int padici_wave_pair_slope(const padici_wave_job *job, const padici_wave_source *source,
                                     const double at[3], padici_complex sum[4]);
PADICI_FN void padici_wave_slope_store(const padici_wave_slopes *job, padici_wave_slice *slice,
                                       uint64_t i, const padici_complex sum[4]);
PADICI_FN void padici_wave_slopes_begin(padici_wave_slopes *job,
                                        const padic_wave_gradient_desc *desc);
PADICI_FN void padici_wave_gradient_field(const padic_wave_gradient_desc *desc,
                                          padic_wave_superpose_desc *field);

#endif
