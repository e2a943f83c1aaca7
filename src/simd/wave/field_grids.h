#pragma once
#include "../device.h"
#include "../level.h"
#include "../../core/platform.h"

#if !defined(PADIC_NO_WAVE) && (PADICI_SIMD_X86 || PADICI_SIMD_ARM)

PADICI_FN padic_result padici_simd_wave_phase_gradient(const padici_simd *simd,
                                                       const padic_wave_phase_gradient_desc *desc);
PADICI_FN padic_result padici_simd_wave_winding(const padici_simd *simd,
                                                const padic_wave_winding_desc *desc);

#endif
