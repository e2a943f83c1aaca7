#pragma once
#include "../core/platform.h"
#include "words.h"

#ifndef PADIC_NO_NUM

PADICI_FN padici_wide padici_wide_sqrt(padici_wide x);
PADICI_FN padici_wide padici_ratrec_half(const padic_num_ring *r, uint32_t digits, uint32_t guard);
PADICI_FN int padici_ratrec(uint64_t p, padici_wide m, padici_wide u, padici_wide most_n,
                            padici_wide most_d, padici_wide *n, padici_wide *d);

// What is asked of a fraction. All zero but guard: the default bounds.
typedef struct padici_bounds {
    uint32_t guard;
    uint32_t bits_n, bits_d;    // not 0: |n| < 2^bits_n, d < 2^bits_d, and nothing of the following
    padici_wide most_n, most_d; // 0: the largest that the other leaves
    uint64_t quotient;          // not 0: the row before the largest quotient, if that is above this
} padici_bounds;

#endif
