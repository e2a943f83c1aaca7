#pragma once
#include "../core/platform.h"
#include "grid.h"

#ifndef PADIC_NO_WAVE

PADICI_FN void padici_wave_gradient_point(const padici_wave_grid_job *job, uint32_t task,
                                          uint64_t i);
PADICI_FN void padici_wave_gradient_begin(padici_wave_grid_job *job,
                                          const padic_wave_phase_gradient_desc *desc,
                                          padici_wave_tally *tallies);
PADICI_FN void padici_wave_gradient_skipped(const padici_wave_grid_job *job,
                                            const padic_wave_phase_gradient_desc *desc);

#endif
