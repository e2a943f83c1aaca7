#pragma once
#include "../level.h"
#include "../../core/platform.h"

#if !defined(PADIC_NO_WAVE) && (PADICI_SIMD_X86 || PADICI_SIMD_ARM)

PADICI_FN padic_result padici_simd_vortex(const padic_env *env, uint32_t level,
                                          const padic_wave_vortex_desc *desc, int query);

#endif
