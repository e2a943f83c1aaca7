#pragma once
#include "../../core/platform.h"
#include "../frame.h"

#ifndef PADIC_NO_SPARSE

PADICI_FN padic_result padici_gpu_sparse(padici_gpu *gpu, uint32_t kernel, void *call, int query);
PADICI_FN padic_result padici_warm_sparse(padici_gpu *gpu);

#define PADICI_GPU_WARM_SPARSE(X) X(PADIC_AREA_SPARSE, sparse)
#define PADICI_GPU_TESTS_SPARSE(X)         \
    X(SPARSE_BITS, sparse_bits)            \
    X(SPARSE_SCAN, sparse_scan)            \
    X(SPARSE_EMIT, sparse_emit)            \
    X(SPARSE_SMALL, sparse_small)          \
    X(SPARSE_SEGMENTS, sparse_segments)    \
    X(SPARSE_DECODE, sparse_decode)        \
    X(CUDA_SPARSE_ENCODE, cuda_sparse_encode) \
    X(CUDA_SPARSE_RING_ENCODE, cuda_sparse_ring_encode)
#define PADICI_GPU_LAYERS_SPARSE(X) X(PADIC_KERNEL_SPARSE, sparse)

#endif
