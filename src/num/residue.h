#pragma once
#include "../core/platform.h"
#include "../core/words.h"
#include "words.h"

#ifndef PADIC_NO_NUM

PADICI_INLINE padici_num_wide padici_num_wide_load(const uint64_t *a)
{
    return padici_num_wide_make(a[0], a[1]);
}

PADICI_INLINE void padici_num_wide_store(uint64_t *x, padici_num_wide a)
{
    x[0] = a.low;
    x[1] = a.high;
}

PADICI_INLINE void padici_num_ring_copy(const padic_num_ring *r, uint64_t *x, const uint64_t *a)
{
    memmove(x, a, r->words * sizeof *x);
}

PADICI_INLINE int padici_num_ring_is_zero(const padic_num_ring *r, const uint64_t *a)
{
    uint32_t i;
    for (i = 0; i < r->words; i++)
        if (a[i]) return 0;
    return 1;
}

PADICI_INLINE int padici_num_ring_same(const padic_num_ring *r, const uint64_t *a,
                                       const uint64_t *b)
{
    return !memcmp(a, b, r->words * sizeof *a);
}

PADICI_FN void padici_num_ring_set(const padic_num_ring *r, uint64_t *x, uint64_t s);
PADICI_FN void padici_num_ring_add(const padic_num_ring *r, uint64_t *x, const uint64_t *a,
                               const uint64_t *b);
PADICI_FN void padici_num_ring_sub(const padic_num_ring *r, uint64_t *x, const uint64_t *a,
                               const uint64_t *b);
PADICI_FN void padici_num_ring_mul(const padic_num_ring *r, uint64_t *x, const uint64_t *a,
                               const uint64_t *b);
PADICI_FN void padici_num_ring_neg(const padic_num_ring *r, uint64_t *x, const uint64_t *a);
PADICI_FN void padici_num_ring_down(const padic_num_ring *r, uint64_t *x, const uint64_t *a,
                                uint64_t k);
PADICI_FN void padici_num_ring_up(const padic_num_ring *r, uint64_t *x, const uint64_t *a,
                                  uint64_t k);
PADICI_FN void padici_num_ring_low(const padic_num_ring *r, uint64_t *x, const uint64_t *a,
                                   uint64_t n);

// The lowest digit, a mod p.
PADICI_INLINE uint64_t padici_num_ring_digit(const padic_num_ring *r, const uint64_t *a)
{
    padici_num_wide rest;
    if (r->form != PADIC_NUM_W128 || !a[1]) return a[0] % r->p;
    padici_num_wide_div(padici_num_wide_load(a), padici_num_wide_make(r->p, 0), &rest);
    return rest.low;
}

// 1 if an odd p divides x, and then *q = x / p: x p^-1 mod 2^128 is no larger than any quotient can
// be.
PADICI_INLINE int padici_num_wide_divides(const padic_num_ring *r, padici_num_wide x,
                                          padici_num_wide *q)
{
    *q = padici_num_wide_mul_low(x, padici_num_wide_load(r->wide_inverse));
    return !padici_num_wide_less(padici_num_wide_load(r->wide_limit), *q);
}

// 1 if p does not divide a.
PADICI_INLINE int padici_num_ring_unit(const padic_num_ring *r, const uint64_t *a)
{
    padici_num_wide q;
    if (r->p == 2) return (int)(a[0] & 1);
    if (r->form == PADIC_NUM_W128) return !padici_num_wide_divides(r, padici_num_wide_load(a), &q);
    return a[0] * r->inverse > r->unit_limit;
}

// v of a word that is not 0, and *unit = x / p^v. Odd p: for p^(2^j) descending, x is divisible iff
// x p^-(2^j) mod 2^64 is at most the largest possible quotient; no branch, no division.
PADICI_INLINE uint32_t padici_num_split1(const padic_num_ring *r, uint64_t x, uint64_t *unit)
{
    uint32_t v = 0, j = r->ladder;
    if (r->p == 2) {
        v = padici_ctz64(x);
        *unit = x >> v;
        return v;
    }
    while (j-- > 0) {
        const uint64_t q = x * r->ladder_inverse[j];
        const int divides = q <= r->ladder_limit[j];
        x = divides ? q : x;
        v += (uint32_t)divides << j;
    }
    *unit = x;
    return v;
}

PADICI_FN uint32_t padici_num_ring_valuation(const padic_num_ring *r, const uint64_t *a);
PADICI_FN void padici_num_ring_pow(const padic_num_ring *r, uint64_t *x, const uint64_t *a,
                                   uint64_t k, uint64_t *t);
PADICI_FN uint64_t padici_num_inverse_mod(uint64_t a, uint64_t p);
PADICI_FN void padici_num_ring_inv(const padic_num_ring *r, uint64_t *x, const uint64_t *a,
                               uint64_t *t);
PADICI_FN uint64_t padici_num_float_round(padic_dtype dtype, uint64_t m, int64_t e, uint32_t more,
                                      uint32_t *inexact, uint32_t *overflow);

#endif
