#pragma once
#include "../../core/platform.h"
#include "../tests.h"
#include "cores.h"
#include "product.h"

#ifndef PADIC_NO_TENSOR

PADICI_FN void padici_test_cores_plan(const padici_gpu_case *c, padici_gpu_tensor *t);
PADICI_FN uint16_t padici_test_half(float x);
PADICI_FN void padici_test_cores_cut(const padici_gpu_tensor *t, const padici_gpu_cores *x,
                                     uint32_t o, const float *from, const float *scale,
                                     uint32_t batches, uint16_t *to);
PADICI_FN int padici_test_cores_begin(const padici_gpu_case *c, padici_gpu_tensor *t,
                                      padici_gpu_cores *x, float *scale);
PADICI_FN padic_result padici_test_cuda_tensor_product(padici_gpu_case *c);
PADICI_FN padic_result padici_test_cuda_tensor_exact(padici_gpu_case *c);
PADICI_FN padic_result padici_test_cuda_tensor_async_product(padici_gpu_case *c);
PADICI_FN padic_result padici_test_cuda_tensor_cut(padici_gpu_case *c);
PADICI_FN padic_result padici_test_cuda_tensor_scale(padici_gpu_case *c);

#endif
