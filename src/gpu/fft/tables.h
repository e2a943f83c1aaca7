#pragma once
#include "../../core/platform.h"
#include "../../fft/plan.h"
#include "../frame.h"
#include "../texts.h"

#ifndef PADIC_NO_FFT

// How kernels do lines of n elements, and what their tables hold; places in pairs of reals.
typedef struct padici_gpu_fft_layout {
    uint32_t n, m;       // elements; of a convolution's transforms, else n
    uint32_t n1, n2;     // of m as a matrix; n2 1: done whole
    uint32_t roots[2];   // of order n1, n2
    uint32_t twist, shift; // of order m: the first 2^shift, then each 2^shift-th
    uint32_t chirp, spectrum; // of a convolution
    uint32_t is_double, size;
} padici_gpu_fft_layout;

PADICI_FN int padici_gpu_fft_layout_of(uint64_t n, uint32_t is_double,
                                       padici_gpu_fft_layout *layout);
PADICI_FN padic_result padici_gpu_fft_tables(padici_gpu *gpu, const padici_gpu_fft_layout *layout,
                                             uint64_t since, padici_gpu_block *block);

#endif
