#pragma once
#include "../core/platform.h"
#include "../core/words.h"
#include "sample.h"

#ifndef PADIC_NO_SAMPLE

// The published xor-shift-multiply finalisers: bijections of 32 and 64 bits.
PADICI_INLINE uint32_t padici_sample_mix32(uint32_t h)
{
    h = (h ^ (h >> 16)) * 0x7feb352du;
    h = (h ^ (h >> 15)) * 0x846ca68bu;
    return h ^ (h >> 16);
}

PADICI_INLINE uint64_t padici_sample_mix64(uint64_t h)
{
    h = (h ^ (h >> 30)) * 0xbf58476d1ce4e5b9u;
    h = (h ^ (h >> 27)) * 0x94d049bb133111ebu;
    return h ^ (h >> 31);
}

PADICI_INLINE uint32_t padici_sample_mulhi32(uint32_t a, uint32_t b)
{
    return (uint32_t)(((uint64_t)a * b) >> 32);
}

// floor(x / b): any x, or only x < 2^46.
PADICI_INLINE uint64_t padici_sample_divide(uint64_t x, uint64_t base, uint64_t inverse)
{
    uint64_t q = padici_mulhi64(x, inverse);
    return q + (x - q * base >= base);
}

PADICI_INLINE uint64_t padici_sample_divide46(uint64_t x, uint64_t inverse)
{
    return padici_mulhi64(x, inverse + 1);
}

PADICI_FN void padici_sample_reciprocal32(uint64_t d, uint64_t *m, uint64_t *a, uint64_t *s);

// The map d -> (a d + c) mod b of a node; `prefix` is the scrambled digits before it, reversed.
PADICI_INLINE void padici_sample_affine32(uint32_t prefix, uint32_t key, uint32_t base, uint32_t *a,
                                          uint32_t *c)
{
    uint32_t h = padici_sample_mix32(prefix ^ key);
    *c = padici_sample_mulhi32(h, base);
    *a = 1 + padici_sample_mulhi32(h * 0x01000193u, base - 1);
}

PADICI_INLINE void padici_sample_affine64(uint64_t prefix, uint64_t key, uint32_t base, uint64_t *a,
                                          uint64_t *c)
{
    uint64_t h = padici_sample_mix64(prefix ^ key);
    *c = padici_mulhi64(h, base);
    *a = 1 + padici_mulhi64(h * 0x9e3779b97f4a7c15u, base - 1);
}

PADICI_FN uint64_t padici_sample_node(const padici_sample_radix *x, uint64_t prefix,
                                      uint32_t level);
PADICI_FN uint32_t padici_sample_full(const padici_sample_radix *x, uint64_t h, uint32_t d);
PADICI_FN uint32_t padici_sample_full_inverse(const padici_sample_radix *x, uint64_t h, uint32_t s);
PADICI_FN uint64_t padici_sample_reciprocal(uint64_t a, uint64_t b);

#endif
