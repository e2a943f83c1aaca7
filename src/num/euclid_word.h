#pragma once
#include "../core/platform.h"
#include "words.h"

#ifndef PADIC_NO_NUM

PADICI_FN padici_num_wide padici_num_wide_sqrt(padici_num_wide x);
PADICI_FN padici_num_wide padici_num_ratrec_half(const padic_num_ring *r, uint32_t digits,
                                                 uint32_t guard);
PADICI_FN int padici_num_ratrec(uint64_t p, padici_num_wide m, padici_num_wide u,
                                padici_num_wide most_n, padici_num_wide most_d, padici_num_wide *n,
                                padici_num_wide *d);

// Options of a reconstruction. All zero but guard: the default bounds.
typedef struct padici_num_bounds {
    uint32_t guard;
    uint32_t bits_n, bits_d;    // not 0: |n| < 2^bits_n, d < 2^bits_d; the rest is ignored
    padici_num_wide most_n, most_d; // 0: the largest that the other one allows
    uint64_t quotient;          // not 0: the row before the largest quotient, if that exceeds this
} padici_num_bounds;

#endif
