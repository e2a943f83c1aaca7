#pragma once
#include "../level.h"
#include "../../core/platform.h"

#if !defined(PADIC_NO_TENSOR) && (PADICI_SIMD_X86 || PADICI_SIMD_ARM)

PADICI_FN padic_result padici_simd_product(uint32_t level, const padic_tensor_product *p);
PADICI_FN PADICI_NOINLINE padic_result padici_simd_tensor(uint32_t level, const padic_env *env,
                                                          uint32_t op, const void *desc,
                                                          void **space, size_t *size);

#endif
