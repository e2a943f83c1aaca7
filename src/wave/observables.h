#pragma once
#include "../core/platform.h"
#include "source.h"
#include "vortex.h"

#ifndef PADIC_NO_WAVE

typedef struct padici_wave_each {
    const padic_tensor *in, *out;
    int64_t in_stride[PADIC_MAX_RANK], out_stride[PADIC_MAX_RANK];
    uint64_t count, tasks;
    padic_wave_output output;
    padici_wave_job pixels; // its tone and range
    int power; // psi is multiplied with factor 2^power
    double factor, scale, sums[PADICI_WAVE_SHARES]; // scale: of psi, before anything else
    padici_wave_slice slices[PADICI_WAVE_SHARES];
} padici_wave_each;

PADICI_FN void padici_wave_each_begin(padici_wave_each *job, const padic_tensor *in,
                                      const padic_tensor *out);
PADICI_FN int64_t padici_wave_each_at(const padic_tensor *t, const int64_t *stride, uint64_t i);
PADICI_FN padici_complex padici_wave_each_get(const padici_wave_each *job, uint64_t i);
PADICI_FN int padici_wave_complex_type(const padic_tensor *t);
PADICI_FN int padici_wave_same_shape(const padic_tensor *in, const padic_tensor *out,
                                     uint32_t more);

#endif
