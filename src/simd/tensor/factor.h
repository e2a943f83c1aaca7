#pragma once
#include "../../tensor/factor.h"
#include "../../tensor/plan.h"
#include "../../tensor/vectors.h"
#include "../level.h"
#include "turns.h"

#if !defined(PADIC_NO_TENSOR) && (PADICI_SIMD_X86 || PADICI_SIMD_ARM)

// Factorisations of one matrix by a level and a precision: of[kind], with `bytes` of memory.
typedef struct padici_simd_tensor_factor_kernels {
    size_t (*bytes)(const padici_tensor_factor *f);
    int (*of[3])(const padici_tensor_factor *f, uint64_t b, double *space);
} padici_simd_tensor_factor_kernels;

#endif
