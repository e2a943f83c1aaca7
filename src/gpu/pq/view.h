#pragma once
#include "../../core/platform.h"
#include "../../pq/shape.h"
#include "../frame.h"
#include "../texts.h"

#ifndef PADIC_NO_PQ

// A tensor in a device's memory, in its elements.
typedef struct padici_gpu_pq_view {
    padic_mem mem;
    uint64_t at;
    uint32_t step[5]; // signed
    uint32_t here, dtype; // dtype: 0 f32, 1 f16, 2 bf16
} padici_gpu_pq_view;

PADICI_FN void padici_gpu_pq_view_of(const padici_call *call, const padic_tensor *t,
                                     padici_gpu_pq_view *view);
// Where it is, as parameters of a kernel have it.
PADICI_INLINE void padici_gpu_pq_place(const padici_gpu_pq_view *view, uint32_t *at, uint32_t *step,
                                       size_t size)
{
    *at = (uint32_t)view->at;
    memcpy(step, view->step, size);
}

// Whether kernels reach all operands; those of more than 2^32 elements must be among the three
// that they reach by 64 bits.
PADICI_FN int padici_gpu_pq_reach(const padici_call *call, const padic_tensor *a,
                                  const padic_tensor *b, const padic_tensor *c);

// Packed codes, which kernels/cuda/pq/lists.cu does not read.
PADICI_INLINE int padici_gpu_pq_packed(const padic_pq_cache *cache)
{
    return cache->codes.shape[4] == PADICI_PQ_PACKED;
}

// Memory for the duration of a call.
#define PADICI_GPU_PQ_SPACES 2
typedef struct padici_gpu_pq_space {
    padici_gpu *gpu;
    padici_gpu_block block[PADICI_GPU_PQ_SPACES];
    uint32_t count;
} padici_gpu_pq_space;
PADICI_FN padic_result padici_gpu_pq_take(padici_gpu_pq_space *space, uint64_t size,
                                          padic_mem *mem);
PADICI_FN void padici_gpu_pq_end(padici_gpu_pq_space *space);

PADICI_FN padic_result padici_gpu_pq_launch(padici_gpu *gpu, uint32_t kernel,
                                            const char *const *defines, uint32_t define_count,
                                            const padic_mem *mem, uint32_t mem_count,
                                            const void *params, uint32_t size, uint64_t groups);
// The same with so many slices of each group side by side.
PADICI_FN padic_result padici_gpu_pq_launch_sliced(padici_gpu *gpu, uint32_t kernel,
                                                   const char *const *defines,
                                                   uint32_t define_count, const padic_mem *mem,
                                                   uint32_t mem_count, const void *params,
                                                   uint32_t size, uint64_t groups,
                                                   uint32_t slices);

#endif
