#pragma once
#include "../level.h"
#include "kernel_texts.h"

#if !defined(PADIC_NO_TENSOR) && (PADICI_SIMD_X86 || PADICI_SIMD_ARM)

PADICI_FN const padici_gemm_kernels *padici_gemm_of(uint32_t longest, uint32_t is_double);

#endif
