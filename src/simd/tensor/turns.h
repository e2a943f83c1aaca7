#pragma once
#include "../level.h"
#include "../../core/platform.h"

#if !defined(PADIC_NO_TENSOR) && (PADICI_SIMD_X86 || PADICI_SIMD_ARM)

#define PADICI_SIMD_TENSOR_HELD 32 // most sweeps that wait

// Sweeps of plane rotations that wait for being applied to the columns of two matrices (of right
// and left vectors; NULL is fine), or of one. The rotations of all sweeps lie one after another.
typedef struct padici_simd_tensor_turns {
    double *c[2], *s[2];
    uint64_t room, used; // rotations
    uint32_t sweeps, sides;
    uint64_t first[PADICI_SIMD_TENSOR_HELD], count[PADICI_SIMD_TENSOR_HELD]; // columns, rotations
    void *x[2];
    size_t step; // from column to column
    void (*turn)(const struct padici_simd_tensor_turns *turns, uint32_t side);
} padici_simd_tensor_turns;

PADICI_FN int padici_simd_tensor_bidiagonal_qr(uint64_t n, double *d, double *e, double eps,
                                               padici_simd_tensor_turns *turns);
PADICI_FN int padici_simd_tensor_tridiagonal_qr(uint64_t n, double *d, double *e, double eps,
                                                padici_simd_tensor_turns *turns);

#endif
