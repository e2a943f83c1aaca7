#pragma once
#include "../context/state.h"
#include "../core/platform.h"

#ifndef PADIC_NO_WAVE

PADICI_FN PADICI_NOINLINE padic_result padici_wave_bad(padic_context *context, padic_result result,
                                                       const char *sentence);
PADICI_FN int padici_wave_finite(double x);
PADICI_FN int padici_wave_within(double x);
PADICI_FN padic_result padici_wave_check_positions(padic_context *context, const padic_tensor *t,
                                                   uint32_t dimensions, const char *shape,
                                                   const char *dimension);
PADICI_FN uint32_t padici_wave_dimensions(const padic_wave_superpose_desc *desc);
PADICI_FN padic_result padici_wave_check_points(padic_context *context,
                                                const padic_wave_superpose_desc *desc);
PADICI_FN PADICI_NOINLINE padic_result padici_wave_check_out(padic_context *context,
                                                             const padic_wave_superpose_desc *desc);
PADICI_FN padic_result padici_wave_check_tone(padic_context *context,
                                              const padic_wave_superpose_desc *desc);
PADICI_FN padic_result padici_wave_check_scalars(padic_context *context,
                                                 const padic_wave_superpose_desc *desc);
PADICI_FN padic_result padici_wave_check_finite(padic_context *context, const padic_tensor *t,
                                                const char *name);
PADICI_FN padic_result padici_wave_check_values(padic_context *context,
                                                const padic_wave_superpose_desc *desc);

#endif
