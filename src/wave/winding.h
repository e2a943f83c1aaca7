#pragma once
#include "../core/platform.h"
#include "grid.h"

#ifndef PADIC_NO_WAVE

PADICI_FN void padici_wave_winding_results(const padic_wave_winding_desc *desc,
                                           const padici_wave_tally *sum);
PADICI_FN void padici_wave_winding_begin(padici_wave_grid_job *job,
                                         const padic_wave_winding_desc *desc,
                                         padici_wave_tally *tallies);

#endif
