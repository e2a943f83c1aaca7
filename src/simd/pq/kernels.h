#pragma once
#include "../../core/platform.h"
#include "../../pq/calls.h"
#include "../device.h"
#include "../level.h"

#ifndef PADIC_NO_PQ

PADICI_FN const padici_pq_kernels *padici_simd_pq_kernels(const padici_simd *simd);

#define PADICI_PQ_ROWS(level)                                                                  \
    PADICI_FN void padici_simd_pq_rows_dots_##level(const double *q, const char *const *row,   \
                                                    uint64_t n, uint64_t d, padic_dtype dtype, \
                                                    double *out);                              \
    PADICI_FN void padici_simd_pq_rows_add_##level(const double *w, const char *const *row,    \
                                                   uint64_t n, uint64_t d, padic_dtype dtype,  \
                                                   double *o)
#if PADICI_SIMD_X86
PADICI_PQ_ROWS(avx2);
PADICI_PQ_ROWS(avx512);
#else
PADICI_PQ_ROWS(neon);
#endif
#undef PADICI_PQ_ROWS

#define PADICI_PQNAME_(name, level) padici_simd_pq_##name##_##level
#define PADICI_PQNAME(name, level) PADICI_PQNAME_(name, level)
#define PADICI_PQK(name) PADICI_PQNAME(name, PADICI_ISA) // .._name_avx2

#endif
