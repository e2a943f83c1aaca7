#pragma once
#include "../../core/platform.h"
#include "../frame.h"
#include "../texts.h"

#ifndef PADIC_NO_FFT

#define PADICI_GPU_FFT_WORDS 4u
#define PADICI_GPU_FFT_POINTS(is_double) ((is_double) ? 1024u : 2048u) // in local memory

// A variant of the kernels for lines of 2^k elements.
typedef struct padici_gpu_fft_power {
    const char *defines[PADICI_GPU_FFT_WORDS];
    uint32_t define_count, lines; // of a group
} padici_gpu_fft_power;

PADICI_FN int padici_gpu_fft_power_find(const padici_gpu *gpu, uint64_t n, uint64_t all,
                                        uint64_t outer, uint32_t across, uint32_t is_double,
                                        uint32_t most, padici_gpu_fft_power *power);
PADICI_FN int padici_gpu_fft_power_of(const padici_gpu *gpu, const padici_k_fft_lines_params *k,
                                      uint32_t is_double, uint64_t outer,
                                      padici_gpu_fft_power *power);

#endif
