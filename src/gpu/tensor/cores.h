#pragma once
#include "../../context/operation.h"
#include "../../core/platform.h"
#include "../frame.h"
#include "product.h"
#include "../texts.h"

#ifndef PADIC_NO_TENSOR

typedef struct padici_gpu_tensor_cores {
    padici_k_tensor_cores_params k;
    uint32_t along[2], pairs; // pairs: neighbours of a and b are adjacent and aligned
    uint32_t chunk;           // batches at a time
    uint64_t words;           // of their pieces
    char text[5][32];
    const char *defines[5];
} padici_gpu_tensor_cores;

PADICI_FN void padici_gpu_tensor_cores_begin(const padici_gpu_tensor *t, const padic_mem mem[3],
                                             padici_gpu_tensor_cores *x);
PADICI_FN padic_result padici_gpu_tensor_cores_run(padici_gpu *gpu, padici_gpu_tensor *t,
                                                   const padici_operand *operands);
PADICI_FN padic_result padici_gpu_tensor_async_run(padici_gpu *gpu, const padici_gpu_tensor *t,
                                                   const padici_operand *operands);
PADICI_FN padic_result padici_gpu_tensor_exact_run(padici_gpu *gpu, const padici_gpu_tensor *t,
                                                   const padici_operand *operands);

#endif
