#pragma once
#include "../../core/platform.h"
#include "../../fft/plan.h"
#include "../frame.h"
#include "../texts.h"
#include "tables.h"

#ifndef PADIC_NO_FFT

// The memory of a tensor; steps in reals, from one element to the next.
typedef struct padici_gpu_fft_place {
    padic_mem mem;
    uint64_t at;
    int64_t step[PADIC_MAX_RANK];
} padici_gpu_fft_place;

// The lines of one axis.
typedef struct padici_gpu_fft_lines {
    padici_gpu *gpu;
    const padici_gpu_fft_layout *layout;
    padici_fft_sweep sweep; // steps in reals, no addresses
    padici_gpu_fft_place from, to;
    padic_mem tables;
    padici_gpu_block matrix, spectrum; // scratch: between columns and rows; of a convolution
    uint64_t batch;
    uint32_t swapped;
    double scale;
} padici_gpu_fft_lines;

PADICI_FN uint32_t padici_gpu_fft_together(const padici_gpu *gpu, uint32_t n, uint32_t all,
                                           uint64_t outer, uint32_t is_double, uint32_t ordered);

#endif
