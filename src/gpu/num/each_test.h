#pragma once
#include "../../core/platform.h"
#include "../../num/task.h"
#include "../tests.h"
#include "each_arrays_test.h"
#include "../texts.h"

#ifndef PADIC_NO_NUM

PADICI_FN void padici_test_num_call(const padici_test_num *t, padici_num_task *task);
PADICI_FN void *padici_test_num_address(const unsigned char *image, const void *p);
PADICI_FN void padici_test_num_addresses(const unsigned char *image, padic_num_call *call);
PADICI_FN void padici_test_num_begin(padici_test_num *t, const padici_gpu_case *c);
PADICI_FN void padici_test_num_bounds(padici_test_num *t);
PADICI_FN PADICI_NOINLINE padic_result padici_test_solve_host(padici_gpu *gpu,
                                                              padic_num_solve_desc *desc);
PADICI_FN PADICI_NOINLINE padic_result padici_test_num_solve(padici_gpu *gpu, padici_test_num *t,
                                                             uint32_t *sticky);
PADICI_FN PADICI_NOINLINE void padici_test_num_inputs(padici_test_num *t);
PADICI_FN void padici_test_num_cells(const padici_test_num *t, padic_num_call *call);
PADICI_FN uint32_t padici_test_num_kernel(const padici_test_num *t);
PADICI_FN padic_result padici_test_num_scratch(padici_gpu_case *c, const padici_test_num *t,
                                               padici_k_num_each_params *k);
PADICI_FN PADICI_NOINLINE padic_result padici_test_num_table(padici_gpu_case *c,
                                                             const padici_test_num *t,
                                                             const padic_num_call *call,
                                                             padici_k_num_each_params *k);
PADICI_FN padic_result padici_test_num_answer(padici_gpu_case *c, padici_test_num *t,
                                              padici_num_task *task);
PADICI_FN padic_result padici_test_num_with(padici_gpu_case *c, padici_test_num *t);
PADICI_FN padic_result padici_test_num_each(padici_gpu_case *c);

#endif
