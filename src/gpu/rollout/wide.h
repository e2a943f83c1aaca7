#pragma once
#include "../../core/platform.h"
#include "net.h"

#ifndef PADIC_NO_ROLLOUT

// Operators in 16 bits on tensor cores: kernels/cuda/rollout. NVIDIA's devices from sm_80 on;
// elsewhere there are none in 16 bits yet, as the dialect has no matrix instructions.

// What becomes of an evaluation: X of a step, where nothing else follows. `result`: O is to be in
// the last node's field, f32, as of other operators.
typedef struct padici_gpu_rollout_wide_end {
    uint32_t result;
    uint32_t x, status_at, wanted;
    uint64_t frame, frames, out_at;
    padic_mem out, status;
    float limit;
} padici_gpu_rollout_wide_end;

// Lays out nodes and fields, n->each; 0 where kernels do not reach the operator.
PADICI_FN int padici_gpu_rollout_wide_lay(padici_gpu_rollout *n);
// Builds and tests what it needs.
PADICI_FN padic_result padici_gpu_rollout_wide_need(const padici_gpu_rollout *n);
// Weights in 16 bits, whose f32 are there.
PADICI_FN padic_result padici_gpu_rollout_wide_begin(padici_gpu_rollout *n);
// An evaluation of trajectories n->first to n->first + n->count - 1.
PADICI_FN padic_result padici_gpu_rollout_wide(const padici_gpu_rollout *n,
                                               const padici_gpu_rollout_wide_end *end);
// What 16 bits could not hold, to the moments that rollout/rollout.cl judges by.
PADICI_FN padic_result padici_gpu_rollout_wide_mark(const padici_gpu_rollout *n,
                                                    uint32_t partial);

#endif
