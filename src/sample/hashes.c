#include "hashes.h"

#if PADICI_IMPLEMENT_SAMPLE

// ---- hashes and digit maps

// The reciprocal of d >= 2: with 2^l <= d < 2^(l + 1), m = floor(2^(32 + l) / d) or one more serves
// every i < 2^32, or m does for i + 1 (Robison, N-bit unsigned division via multiply-add, 2005):
// floor(i / d) = (i m + a) >> s.
PADICI_FN void padici_sample_reciprocal32(uint64_t d, uint64_t *m, uint64_t *a, uint64_t *s)
{
    const uint32_t l = 63 - padici_clz64(d);
    const uint64_t power = UINT64_C(1) << (32 + l);
    *a = 0;
    *s = 32 + l;
    if (!(d & (d - 1))) {
        *m = UINT64_C(1) << 31;
        *s = 31 + l;
        return;
    }
    *m = power / d;
    if (d * (*m + 1) - power <= UINT64_C(1) << l)
        ++*m;
    else
        *a = *m;
}

// Whom Fisher-Yates swaps with place j.
PADICI_INLINE uint32_t padici_sample_partner(uint64_t h, uint32_t j, int wide)
{
    if (wide) return (uint32_t)padici_mulhi64(padici_sample_mix64(h + j * 0x9e3779b9ull), j + 1);
    return padici_sample_mulhi32(padici_sample_mix32((uint32_t)h + j * 0x9e3779b9u), j + 1);
}

PADICI_FN uint64_t padici_sample_node(const padici_sample_radix *x, uint64_t prefix, uint32_t level)
{
    uint64_t key = x->keys[level];
    if (x->mode == PADIC_SAMPLE_MODE_PERMUTE) prefix = 0;
    if (x->wide) return padici_sample_mix64(prefix ^ key);
    return padici_sample_mix32((uint32_t)prefix ^ (uint32_t)key);
}

// Element d of the permutation that swapping places j = b - 1, ..., 1 with their partners makes of
// 0, ..., b - 1. No array: place d is final after step d, and what lies there is followed back
// through the steps before, where it came from place j whenever it is j's partner.
PADICI_FN uint32_t padici_sample_full(const padici_sample_radix *x, uint64_t h, uint32_t d)
{
    uint32_t at = padici_sample_partner(h, d, (int)x->wide), j;
    for (j = d + 1; j < x->base; j++)
        if (padici_sample_partner(h, j, (int)x->wide) == at) at = j;
    return at;
}

// The place of s in that permutation, following it forward.
PADICI_FN uint32_t padici_sample_full_inverse(const padici_sample_radix *x, uint64_t h, uint32_t s)
{
    uint32_t j;
    for (j = x->base - 1; j > 0; j--) {
        uint32_t partner = padici_sample_partner(h, j, (int)x->wide);
        if (partner == s) return j;
        if (j == s) s = partner;
    }
    return 0;
}

// 1 / a mod a prime b, 0 < a < b, by Euclid.
PADICI_FN uint64_t padici_sample_reciprocal(uint64_t a, uint64_t b)
{
    int64_t s = 0, t = 1;
    uint64_t r = b;
    while (a > 1) {
        uint64_t q = r / a, rest = r % a;
        int64_t next = s - (int64_t)q * t;
        r = a;
        a = rest;
        s = t;
        t = next;
    }
    return (uint64_t)(t < 0 ? t + (int64_t)b : t);
}

#endif
