#pragma once
#include "../core/platform.h"
#include "einsum_expression.h"

#ifndef PADIC_NO_TENSOR

// What a path costs. As doubles where sums may be beyond 64 bits.
typedef struct padici_tensor_einsum_cost {
    double flops, writes, score, tie; // score, then tie: by the objective
    uint64_t whole_flops, whole_writes, peak, workspace;
    uint64_t widest; // bytes of the largest result
} padici_tensor_einsum_cost;

PADICI_FN uint64_t padici_tensor_einsum_bytes(double elements, uint64_t exact, uint32_t size);
PADICI_FN void padici_tensor_einsum_measure(padici_tensor_einsum *e, const padic_tensor_path *path,
                                            padici_tensor_einsum_cost *cost);
PADICI_FN int padici_tensor_einsum_path_valid(const padici_tensor_einsum *e,
                                              const padic_tensor_path *path);
PADICI_FN void padici_tensor_einsum_reorder(padici_tensor_einsum *e, padic_tensor_path *path);

#endif
