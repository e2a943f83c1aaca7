#pragma once
#include "../core/platform.h"
#include "source.h"

#ifndef PADIC_NO_WAVE

PADICI_FN int padici_wave_way(const padici_wave_job *job, const padici_wave_source *source,
                              const double at[3], double d[3], double *squared, double *r);
PADICI_FN padici_complex padici_wave_weight(const padici_wave_source *source, double r);
PADICI_FN void padici_wave_add(const padic_wave_superpose_desc *desc, padici_complex g,
                               padici_complex weight, padici_complex *sum);
PADICI_FN int padici_wave_pair(const padici_wave_job *job, const padici_wave_source *source,
                               const double at[3], padici_complex *sum);
PADICI_FN void padici_wave_slices_begin(padici_wave_job *job, padici_wave_slice *slices);
PADICI_FN PADICI_NOINLINE void padici_wave_slices_end(const padici_wave_job *job);
PADICI_FN void padici_wave_report_f64(const padici_wave_job *job);

#endif
