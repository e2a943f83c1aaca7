#pragma once
#include "../../core/platform.h"
#include "../../num/rational.h"
#include "../../num/task.h"
#include "../frame.h"

#ifndef PADIC_NO_NUM

PADICI_FN void padici_gpu_num_bounds(const padic_num_ring *r, const padici_num_rational *o,
                                     uint64_t *table);
PADICI_FN uint64_t padici_gpu_num_powers(uint64_t p, uint32_t limit, uint64_t *table);
PADICI_FN padic_result padici_gpu_num_floats(padici_gpu *gpu, const padic_num_call *call,
                                             padici_gpu_block *block);
PADICI_FN padic_result padici_gpu_num_fractions(padici_gpu *gpu, const padici_num_task *task,
                                                uint32_t kernel, padici_gpu_block *block);
PADICI_FN uint32_t padici_gpu_num_root_numbers(const padic_num_call *call, uint64_t *less,
                                               uint64_t *turn);
PADICI_FN uint64_t padici_gpu_num_coefficients(const padic_num_ring *r, uint32_t which, void *to,
                                               uint64_t *terms);
PADICI_FN padic_result padici_gpu_num_series(padici_gpu *gpu, const padic_num_ring *r,
                                             uint32_t which, padici_gpu_block *block,
                                             uint64_t *terms);
PADICI_FN void padici_gpu_num_norm_table(const padic_num_call *call, uint32_t most, void *table);
PADICI_FN padic_result padici_gpu_num_norms(padici_gpu *gpu, const padic_num_call *call,
                                            padici_gpu_block *block);
PADICI_FN void padici_gpu_num_root_sizes(const padic_num_ring *r, uint32_t kind, uint64_t size[3]);
PADICI_FN void padici_gpu_num_root_make(const padic_num_call *call, uint32_t kind, char *to);
PADICI_FN padic_result padici_gpu_num_root_tables(padici_gpu *gpu, const padic_num_call *call,
                                            padici_gpu_block *block);

#endif
