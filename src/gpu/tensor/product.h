#pragma once
#include "../../context/operation.h"
#include "../../core/platform.h"
#include "../../tensor/plan.h"
#include "../frame.h"
#include "../texts.h"

#ifndef PADIC_NO_TENSOR

// Layout of `shape`. a and b have 16 axes together: 4 words for one of a or b alone, 8 for a common
// one.
#define PADICI_GPU_TENSOR_WORDS 64u

typedef struct padici_gpu_tensor {
    padici_tensor_plan plan;
    padici_k_tensor_product_params k;
    uint32_t shape[PADICI_GPU_TENSOR_WORDS], words;
    uint32_t tile, general, splits, parts; // number of parts of c: 1 real, 2 complex
    uint64_t results;                      // elements of c
    uint32_t group; // items that work on large tiles: 256, or 128 with more registers
    char text[8][32];
    const char *defines[8];
    uint32_t define_count; // 0: 7; groups have one more
} padici_gpu_tensor;

PADICI_FN void padici_gpu_tensor_define(padici_gpu_tensor *t, uint32_t i, const char *word,
                                        uint32_t number);
PADICI_FN uint32_t padici_gpu_tensor_group(const padici_gpu *gpu);
PADICI_FN uint32_t padici_gpu_tensor_size(uint64_t rows, uint64_t columns, int is_double);
PADICI_FN void padici_gpu_tensor_half(uint32_t *to, uint64_t value);
PADICI_FN void padici_gpu_tensor_scales(padici_gpu_tensor *t);
PADICI_FN void padici_gpu_tensor_defines(padici_gpu_tensor *t);
PADICI_FN int padici_gpu_tensor_begin(padici_gpu_tensor *t);
PADICI_FN padic_result padici_gpu_tensor_launch(padici_gpu *gpu, const padici_gpu_tensor *t,
                                                uint32_t kernel, const padic_mem *mem,
                                                uint32_t count, const void *params, uint32_t size,
                                                uint32_t groups, uint32_t groups_y);
PADICI_FN padic_result padici_gpu_tensor_words(padici_gpu *gpu, const padici_gpu_tensor *t,
                                               padic_mem mem, const uint32_t *words,
                                               uint32_t count);
PADICI_FN padic_result padici_gpu_tensor_shape(padici_gpu *gpu, const padici_gpu_tensor *t,
                                               padic_mem mem);
PADICI_FN uint32_t padici_gpu_tensor_groups(const padici_gpu_tensor *t);
PADICI_FN padic_result padici_gpu_tensor_run(padici_gpu *gpu, padici_gpu_tensor *t,
                                             const padici_operand *operands);

#endif
