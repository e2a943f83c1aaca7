#pragma once
#include "../core/platform.h"
#include "source.h"

#ifndef PADIC_NO_WAVE

PADICI_FN padici_complex padici_wave_load(const padic_tensor *t, int64_t at);
PADICI_FN padici_complex padici_wave_near(padici_complex z, int *power);
PADICI_FN double padici_wave_real(padic_wave_output output, padici_complex psi);
PADICI_FN void padici_wave_pixel(const padici_wave_job *job, padici_complex psi, double v,
                                 uint8_t pixel[4]);
PADICI_FN void padici_wave_store_rgba(const padici_wave_job *job, padici_wave_slice *slice,
                                      padici_complex psi, char *to);
PADICI_FN int64_t padici_wave_index(const padici_wave_job *job, const int64_t stride[3],
                                    uint64_t i);
PADICI_FN void padici_wave_put(const padic_tensor *out, int64_t at, padici_complex z,
                               int accumulate);
PADICI_FN void padici_wave_store_at(const padici_wave_job *job, padici_wave_slice *slice,
                                    int64_t at, padici_complex psi);
PADICI_FN void padici_wave_store(const padici_wave_job *job, padici_wave_slice *slice, uint64_t i,
                                 padici_complex psi);

#endif
