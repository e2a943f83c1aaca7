#pragma once
#include "../core/platform.h"

#ifndef PADIC_NO_FFT

// A number as the sum of two doubles, about 106 bits.
typedef struct padici_fft_pair {
    double high, low;
} padici_fft_pair;

// Roots of unity exp(-2 pi i k / n), rounded to the nearest doubles. An angle is the sum of one of
// `coarse` and one of `fine`, whose cosines and sines are tables of pairs.
typedef struct padici_fft_roots {
    uint64_t n, step; // elements of `fine`
    padici_fft_pair *coarse, *fine; // cosine, sine
    const padic_allocator *allocator;
    size_t size;
} padici_fft_roots;

PADICI_FN padic_result padici_fft_roots_begin(padici_fft_roots *roots,
                                              const padic_allocator *allocator, uint64_t n);
PADICI_FN void padici_fft_roots_end(padici_fft_roots *roots);
PADICI_FN void padici_fft_root(const padici_fft_roots *roots, uint64_t k, double out[2]);

#endif
