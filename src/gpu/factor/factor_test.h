#pragma once
#include "../../context/operation.h"
#include "../../core/platform.h"
#include "../tests.h"
#include "factor.h"

#ifndef PADIC_NO_TENSOR

typedef struct padici_test_factor {
    padici_gpu_factor g;
    padici_operand operands[4];
    padic_tensor tensors[4], answers[4];
    uint32_t batch, m, n, kind;
    double bound; // of errors in F32: norm by distance of values, as many as there are columns
} padici_test_factor;

PADICI_FN PADICI_NOINLINE void *padici_test_factor_tensor(padici_gpu_case *c, padici_test_factor *t,
                                                          uint32_t buffer, uint32_t i,
                                                          uint64_t rows, uint64_t columns);
PADICI_FN void padici_test_factor_numbers(const padici_test_factor *t);
PADICI_FN PADICI_NOINLINE padic_result padici_test_factor_answers(padici_test_factor *t);
PADICI_FN padic_result padici_test_factor_case(padici_gpu_case *c, uint32_t kind, int cuda,
                                               uint32_t longer);
PADICI_FN padic_result padici_test_factor_svd(padici_gpu_case *c);
PADICI_FN padic_result padici_test_factor_qr(padici_gpu_case *c);
PADICI_FN padic_result padici_test_factor_eigh(padici_gpu_case *c);
PADICI_FN padic_result padici_test_cuda_factor(padici_gpu_case *c, uint32_t longer);
PADICI_FN padic_result padici_test_cuda_factor_columns(padici_gpu_case *c);
PADICI_FN padic_result padici_test_cuda_factor_small(padici_gpu_case *c);

#endif
