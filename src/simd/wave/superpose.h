#pragma once
#include "../level.h"
#include "../../core/platform.h"

#if !defined(PADIC_NO_WAVE) && (PADICI_SIMD_X86 || PADICI_SIMD_ARM)

PADICI_FN PADICI_NOINLINE padic_result padici_simd_superpose(const padic_env *env, uint32_t level,
                                                             const padic_wave_superpose_desc *desc,
                                                             int query);
PADICI_FN PADICI_NOINLINE padic_result padici_simd_frames(const padic_env *env, uint32_t level,
                                                          const padic_wave_frames_desc *desc,
                                                          int query);
PADICI_FN PADICI_NOINLINE padic_result padici_simd_gradient(const padic_env *env, uint32_t level,
                                                            const padic_wave_gradient_desc *desc,
                                                            int query);

#endif
