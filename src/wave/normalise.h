#pragma once
#include "../core/platform.h"

#ifndef PADIC_NO_WAVE

typedef struct padici_wave_norm {
    double norm, factor; // psi is multiplied with factor 2^power
    int power;
} padici_wave_norm;

PADICI_FN int padici_wave_norm_factor(const padic_wave_normalise_desc *desc, double sum, int power,
                                      padici_wave_norm *norm);
PADICI_FN padic_result padici_wave_norm_bad(const padic_env *env);

#endif
