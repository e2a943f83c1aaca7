#pragma once
#include "../core/platform.h"
#include "observables.h"

#ifndef PADIC_NO_WAVE

PADICI_FN void padici_wave_tonemap_begin(padici_wave_each *job, const padic_wave_tonemap_desc *desc,
                                         padic_wave_superpose_desc *field);
PADICI_FN void padici_wave_tonemap_range(padici_wave_each *job,
                                         const padic_wave_tonemap_desc *desc);

#endif
