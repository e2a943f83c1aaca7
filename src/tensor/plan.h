#pragma once
#include "../context/state.h"
#include "../core/platform.h"

#ifndef PADIC_NO_TENSOR

#define PADICI_TENSOR_AXES 16 // SUM: 8 labels of a alone and 8 of b alone

enum { PADICI_TENSOR_BATCH, PADICI_TENSOR_ROW, PADICI_TENSOR_COLUMN, PADICI_TENSOR_SUM };

typedef struct padici_tensor_axis {
    uint64_t size;
    int64_t step[3]; // of a, b, c, in elements
} padici_tensor_axis;

typedef struct padici_tensor_group {
    uint32_t count;
    uint64_t size; // product of the sizes
    padici_tensor_axis axis[PADICI_TENSOR_AXES]; // slowest first
} padici_tensor_group;

typedef struct padici_tensor_plan {
    padici_tensor_group group[4];
    padic_dtype dtype[3];
    uint32_t conj; // 1 a, 2 b
    padic_tensor_math math;
    double alpha[2], beta[2];
} padici_tensor_plan;

PADICI_INLINE int padici_tensor_is_complex(padic_dtype dtype)
{
    return dtype == PADIC_C64 || dtype == PADIC_C128;
}

PADICI_INLINE int padici_tensor_is_double(padic_dtype dtype)
{
    return dtype == PADIC_F64 || dtype == PADIC_C128;
}

PADICI_FN void padici_tensor_group_add(padici_tensor_group *group, uint64_t size, int64_t a,
                                       int64_t b, int64_t c);
PADICI_FN int padici_tensor_plan_tidy(padici_tensor_plan *plan);
PADICI_FN padic_result padici_tensor_plan_begin(padic_context *context, padici_tensor_plan *plan,
                                                const padic_tensor *const t[3],
                                                padic_tensor_math math, const double alpha[2],
                                                const double beta[2]);
// Whether alpha and beta are 0 or normal in the precision of c: what adds in it can do the plan.
PADICI_FN int padici_tensor_factors_fit(const padici_tensor_plan *plan);

#endif
