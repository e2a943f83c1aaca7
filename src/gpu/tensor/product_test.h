#pragma once
#include "../../core/platform.h"
#include "../tests.h"
#include "product.h"

#ifndef PADIC_NO_TENSOR

PADICI_FN void padici_test_tensor_plan(const padici_gpu_case *c, uint32_t tile,
                                       padici_gpu_tensor *t);
PADICI_FN void *padici_test_tensor_numbers(padici_gpu_case *c, uint32_t i, uint64_t count,
                                           padic_dtype dtype);
PADICI_FN void padici_test_tensor_exact(padici_gpu_case *c, uint32_t i, padic_dtype dtype);
PADICI_FN void padici_test_tensor_three(padici_gpu_case *c, padic_tensor_gemm_group *groups,
                                        padic_tensor_gemm_desc *desc);
PADICI_FN PADICI_NOINLINE padic_result padici_test_tensor_groups(padici_gpu_case *c);
PADICI_FN padic_result padici_test_tensor_product(padici_gpu_case *c);
PADICI_FN padic_result padici_test_tensor_add(padici_gpu_case *c);
PADICI_FN padic_result padici_test_tensor_shape(padici_gpu_case *c);

#endif
