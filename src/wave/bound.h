#pragma once
#include "../context/state.h"
#include "../core/platform.h"

#ifndef PADIC_NO_WAVE

PADICI_FN double padici_wave_place(const padic_wave_grid *grid);
PADICI_FN void padici_wave_extent(const padic_wave_superpose_desc *desc, double *turns,
                                  double *place, double *step);
PADICI_FN double padici_wave_bound_f64(double turns, double place);
PADICI_FN padic_result padici_wave_bound_memory(padic_context *context,
                                                const padic_wave_superpose_desc *desc,
                                                const padic_tensor *times);
PADICI_FN double padici_wave_bound_any(const padic_wave_superpose_desc *desc);

#endif
