#pragma once
#include "../core/platform.h"
#include "plan.h"

#ifndef PADIC_NO_TENSOR

#define PADICI_TENSOR_SMALL 8 // most rows, columns and products in a sum without vectors
#define PADICI_TENSOR_SMALL_SIDE 128 // and with them

// A product of matrices in host memory, checked: c = alpha a b + beta c.
typedef struct padici_tensor_small {
    padic_tensor_product of; // without its lines
    uint32_t conj; // 1 a, 2 b
    int64_t step[3][2]; // of a, b, c: from row to row, and along a row, in elements
    double alpha[2], beta[2];
    int plain; // c = a b
} padici_tensor_small;

PADICI_FN int padici_tensor_small_gemm(const padic_tensor_gemm_desc *desc, padici_tensor_small *s);
PADICI_FN int padici_tensor_small_contract(const padic_tensor_contract_desc *desc,
                                           padici_tensor_small *s);
PADICI_FN padic_result padici_tensor_small_run(const padici_tensor_small *s);

#endif
