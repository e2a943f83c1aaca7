#pragma once
#include "../core/platform.h"
#include "einsum_expression.h"

#ifndef PADIC_NO_TENSOR

typedef struct padici_tensor_einsum_greedy {
    double score[PADIC_TENSOR_MAX_OPERANDS][PADIC_TENSOR_MAX_OPERANDS]; // of row > column
    double size[PADIC_TENSOR_MAX_OPERANDS];
    padici_tensor_label_set set[PADIC_TENSOR_MAX_OPERANDS];
    uint8_t node[PADIC_TENSOR_MAX_OPERANDS];
    uint32_t count;
} padici_tensor_einsum_greedy;

PADICI_FN void padici_tensor_einsum_greedy_all(padici_tensor_einsum *e,
                                               padici_tensor_einsum_greedy *g,
                                               padic_tensor_path *path);

#endif
