#pragma once
#include "../level.h"
#include "../../core/platform.h"

#if !defined(PADIC_NO_WAVE) && (PADICI_SIMD_X86 || PADICI_SIMD_ARM)

PADICI_FN padic_result padici_simd_field(const padic_env *env, uint32_t level, uint32_t op,
                                         const void *desc, int query);

#endif
