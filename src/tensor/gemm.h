#pragma once
#include "../context/state.h"
#include "../core/platform.h"
#include "plan.h"

#ifndef PADIC_NO_TENSOR

PADICI_FN padic_result padici_tensor_gemm_plan(padic_context *context,
                                               const padic_tensor_gemm_desc *desc,
                                               padici_tensor_plan *plan);

// Rows and columns of a matrix of a group as it lies in memory, its first element and its line:
// operand 0, 1 or 2.
typedef struct padici_tensor_place {
    uint64_t rows, columns, first, line;
} padici_tensor_place;

PADICI_FN void padici_tensor_group_place(const padic_tensor_gemm_desc *desc, uint32_t group,
                                         uint32_t operand, padici_tensor_place *place);
PADICI_FN PADICI_NOINLINE padic_result
padici_tensor_gemm_groups(padic_context *context, const padic_tensor_gemm_desc *desc);
PADICI_FN void padici_tensor_gemm_group_at(const padic_tensor_gemm_desc *desc, uint32_t group,
                                           padic_tensor_gemm_desc *one);

#endif
