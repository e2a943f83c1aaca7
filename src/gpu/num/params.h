#pragma once
#include "../../core/platform.h"
#include "../../num/task.h"
#include "../texts.h"

#ifndef PADIC_NO_NUM

PADICI_FN uint32_t padici_gpu_num_op(uint32_t kernel);

#define PADICI_GPU_NUM_FOLD 19u

PADICI_FN int padici_gpu_num_narrow(const padic_num_call *call, int val);
PADICI_FN uint32_t padici_gpu_num_float_kind(const padic_num_call *call);
PADICI_FN uint32_t padici_gpu_num_root_kind(const padic_num_call *call);
PADICI_FN int padici_gpu_num_can(const padici_num_task *task, uint32_t kernel);
PADICI_FN void padici_gpu_num_pair(uint32_t *to, uint64_t x);
PADICI_FN void padici_gpu_num_place(padici_k_num_each_params *k, uint32_t at, const void *pointer);
PADICI_FN void padici_gpu_num_params(padici_k_num_each_params *k, const padic_num_call *call,
                                     const void *sticky, uint32_t bits);
PADICI_FN uint32_t padici_gpu_num_norm_most(const padic_num_call *call);
PADICI_FN uint32_t padici_gpu_num_int_kind(padic_dtype dtype);

#endif
