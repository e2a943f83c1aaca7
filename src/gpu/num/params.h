#pragma once
#include "../../core/platform.h"
#include "../../num/task.h"
#include "../texts.h"

#ifndef PADIC_NO_NUM

// Kernel addresses of the planes of a call: the number of the memory, from 1, in the highest byte,
// and the byte offset below; 0: absent.
typedef struct padici_gpu_num_places {
    uint64_t at[PADICI_NUM_SLOTS];
} padici_gpu_num_places;

PADICI_FN uint32_t padici_gpu_num_op(uint32_t kernel);

#define PADICI_GPU_NUM_FOLD 19u

PADICI_FN int padici_gpu_num_narrow(padici_num_task *task, int val);
PADICI_FN uint32_t padici_gpu_num_float_kind(const padic_num_call *call);
PADICI_FN uint32_t padici_gpu_num_root_kind(const padic_num_call *call);
PADICI_FN int padici_gpu_num_can(padici_num_task *task, uint32_t op);
PADICI_FN void padici_gpu_num_pair(uint32_t *to, uint64_t x);
PADICI_FN void padici_gpu_num_params(padici_k_num_each_params *k, const padic_num_call *call,
                                     const padici_gpu_num_places *places, uint32_t bits);
PADICI_FN uint32_t padici_gpu_num_norm_most(const padic_num_call *call);
PADICI_FN uint32_t padici_gpu_num_int_kind(padic_dtype dtype);

#endif
