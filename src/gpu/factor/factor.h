#pragma once
#include "../../context/operation.h"
#include "../../core/platform.h"
#include "../../tensor/factor.h"
#include "../frame.h"
#include "../source.h"
#include "../texts.h"

#ifndef PADIC_NO_TENSOR

// The kernel's.
#define PADICI_GPU_TENSOR_FACTOR_LEFT 1u
#define PADICI_GPU_TENSOR_FACTOR_RIGHT 2u
#define PADICI_GPU_TENSOR_FACTOR_VALUES 4u
#define PADICI_GPU_TENSOR_FACTOR_ADJOINT 8u
#define PADICI_GPU_TENSOR_FACTOR_RELATIVE 16u
#define PADICI_GPU_TENSOR_FACTOR_HERMITIAN 32u // cuda/tensor/factor.cu

typedef struct padici_gpu_tensor_factor {
    padici_tensor_factor f;
    padici_k_tensor_factor_params k;
    const char *defines[3];
    uint32_t define_count;
    uint32_t kernel, unit, parts;       // unit: bytes of a real number
    const padici_operand *operands[4];  // of the tensors of f; NULL: absent
    const padici_operand *status;       // NULL: absent
} padici_gpu_tensor_factor;

PADICI_FN int padici_gpu_tensor_factor_fits(uint64_t local, uint64_t m, uint64_t n, uint64_t bytes);
PADICI_FN uint32_t padici_gpu_tensor_factor_cuda(const padici_gpu *gpu, uint64_t m, uint64_t n,
                                                 int vectors, const char **defines);
PADICI_FN void padici_gpu_tensor_factor_words(padici_k_tensor_factor_params *k, uint32_t first,
                                              int32_t step);
PADICI_FN padic_result padici_gpu_tensor_factor_begin(padici_gpu_tensor_factor *g, uint64_t local);
PADICI_FN int padici_example_factor_groups(padici_any_desc *desc, uint32_t size_class);

// Keyed by the numbers of A. Choices: groups of items per unit, each with consecutive matrices.
static const padici_gpu_tunable padici_tunable_factor_groups = {
    "factor_groups", PADIC_AREA_TENSOR, PADIC_OP_TENSOR_SVD, PADICI_PROGRAM_FACTOR, 4,
    {{{NULL, NULL, NULL, NULL}, 0, 8},
     {{NULL, NULL, NULL, NULL}, 0, 4},
     {{NULL, NULL, NULL, NULL}, 0, 16},
     {{NULL, NULL, NULL, NULL}, 0, 32}},
    padici_example_factor_groups, 1e-5};

#endif
