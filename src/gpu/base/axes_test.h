#pragma once
#include "../../core/platform.h"
#include "../tests.h"
#include "axes.h"

PADICI_FN uint32_t padici_test_base_view(padici_gpu_axes *x, uint32_t unit, uint32_t extent[9],
                                         uint32_t magic[9], uint32_t shift[9]);
PADICI_FN uint64_t padici_test_base_at(const padici_gpu_axes *x, uint32_t j, uint64_t i);
PADICI_FN padic_result padici_test_base_fill(padici_gpu_case *c, uint32_t unit);
PADICI_FN padic_result padici_test_base_copy(padici_gpu_case *c, uint32_t unit);
PADICI_FN padic_result padici_test_base_random(padici_gpu_case *c, uint32_t unit);
PADICI_FN padic_result padici_test_base_fill_1(padici_gpu_case *c);
PADICI_FN padic_result padici_test_base_fill_2(padici_gpu_case *c);
PADICI_FN padic_result padici_test_base_fill_4(padici_gpu_case *c);
PADICI_FN padic_result padici_test_base_copy_1(padici_gpu_case *c);
PADICI_FN padic_result padici_test_base_copy_2(padici_gpu_case *c);
PADICI_FN padic_result padici_test_base_copy_4(padici_gpu_case *c);
PADICI_FN padic_result padici_test_base_random_1(padici_gpu_case *c);
PADICI_FN padic_result padici_test_base_random_2(padici_gpu_case *c);
PADICI_FN padic_result padici_test_base_random_4(padici_gpu_case *c);
PADICI_FN padic_result padici_test_base_mul_add(padici_gpu_case *c);
