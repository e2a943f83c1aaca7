#pragma once
#include "../core/platform.h"
#include "../core/words.h"
#include "hashes.h"

#ifndef PADIC_NO_SAMPLE

// floor(2^64 r / n) for r < n. With n shifted up to d >= 2^63 and v = floor((2^128 - 1) / d) - 2^64
// this is the division of Moeller and Granlund (Improved division by invariant integers, 2011).
typedef struct padici_sample_fraction {
    uint64_t n, d, v; // n 0: 2^64
    uint64_t inverse; // floor((2^64 - 1) / n) for n <= 2^32, else 0
    uint32_t shift;
} padici_sample_fraction;

PADICI_FN void padici_sample_fraction_make(padici_sample_fraction *f, uint64_t last, int need64);

PADICI_INLINE uint64_t padici_sample_cut64(const padici_sample_fraction *f, uint64_t r)
{
    uint64_t u, q, low, rest;
    if (!f->n) return r;
    u = r << f->shift;
    q = padici_mulhi64(f->v, u) + u + 1;
    low = f->v * u;
    rest = 0 - q * f->d;
    if (rest > low) {
        q--;
        rest += f->d;
    }
    return q + (rest >= f->d);
}

// floor(2^32 r / n).
PADICI_INLINE uint32_t padici_sample_cut32(const padici_sample_fraction *f, uint64_t r)
{
    if (!f->inverse) return (uint32_t)(padici_sample_cut64(f, r) >> 32);
    return (uint32_t)padici_sample_divide(r << 32, f->n, f->inverse);
}

#endif
