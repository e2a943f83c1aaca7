#pragma once
#include "../context/operation.h"
#include "../core/platform.h"

#ifndef PADIC_NO_SPARSE

// Decoding on a device: what its driver gets with PADIC_KERNEL_SPARSE_DECODE.
typedef struct padici_sparse_decode_drive {
    uint32_t size, wide;
    uint64_t rows, cols, nnz;
    padici_place row_ptr, col, value, dense;
} padici_sparse_decode_drive;

#endif
