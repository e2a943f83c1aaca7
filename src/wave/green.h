#pragma once
#include "../core/platform.h"
#include "source.h"

#ifndef PADIC_NO_WAVE

PADICI_FN padici_complex padici_wave_hankel_at(double x, int order);
PADICI_FN padici_complex padici_wave_green(const padic_wave_superpose_desc *desc, double a,
                                           double k, double r);

#endif
