#pragma once
#include "../core/platform.h"
#include "words.h"

#ifndef PADIC_NO_NUM

// The value of x modulo p^k for a limb, k <= e.
PADICI_INLINE uint64_t padici_num_limb_low(const padic_num_ring *r, uint64_t x, uint32_t k)
{
    return x % r->power[k][0];
}

PADICI_INLINE uint64_t padici_num_limb_base(const padic_num_ring *r, uint32_t i)
{
    return i + 1 < r->words ? r->base : r->power[r->top_digits][0];
}

PADICI_FN void padici_num_limbs_add(const padic_num_ring *r, uint64_t *x, const uint64_t *a,
                                const uint64_t *b);
PADICI_FN void padici_num_limbs_sub(const padic_num_ring *r, uint64_t *x, const uint64_t *a,
                                const uint64_t *b);

// The lowest limb of a column, which becomes the carry.
PADICI_INLINE uint64_t padici_num_limbs_carry(const padic_num_ring *r, padici_num_wide *column)
{
    uint64_t rest;
    column->low = padici_num_divide(padici_num_wide_shl(*column, r->shift), r->base << r->shift,
                                r->reciprocal, &rest);
    column->high = 0;
    return rest >> r->shift;
}

// a b modulo the base of limbs.
PADICI_INLINE uint64_t padici_num_limb_mul(const padic_num_ring *r, uint64_t a, uint64_t b)
{
    uint64_t remainder;
    padici_num_divide(padici_num_wide_shl(padici_num_wide_mul(a, b), r->shift), r->base << r->shift,
                  r->reciprocal, &remainder);
    return remainder >> r->shift;
}

PADICI_FN void padici_num_limbs_product(const padic_num_ring *r, uint64_t *x, uint32_t n,
                                    const uint64_t *a, uint32_t an, const uint64_t *b, uint32_t bn,
                                    const uint64_t *d, uint64_t s);
PADICI_FN void padici_num_limbs_mul(const padic_num_ring *r, uint64_t *x, const uint64_t *a,
                                const uint64_t *b, uint32_t n);

#endif
