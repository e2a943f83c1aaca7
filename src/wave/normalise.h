#pragma once
#include "../core/platform.h"

#ifndef PADIC_NO_WAVE

PADICI_FN int padici_wave_norm_factor(const padic_wave_normalise_desc *desc, double *sum,
                                      double *factor);
PADICI_FN padic_result padici_wave_norm_bad(const padic_env *env);

#endif
