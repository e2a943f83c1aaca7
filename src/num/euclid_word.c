#include "euclid_word.h"
#include "../core/words.h"
#include "residue.h"

#if PADICI_IMPLEMENT_NUM

// ------------------------------------------------------------------------------- >>exact impl

//
// From the bottom up: reconstruction of one number, in two words or in many, then of several over a
// common denominator; linear algebra, which ends with that; the operations on arrays.

// floor(sqrt(x)), bit by bit.
PADICI_FN padici_num_wide padici_num_wide_sqrt(padici_num_wide x)
{
    uint32_t k = (padici_num_wide_bits(x) + 1) / 2;
    uint64_t root = 0;
    while (k-- > 0) {
        const uint64_t c = root | UINT64_C(1) << k;
        if (!padici_num_wide_less(x, padici_num_wide_mul(c, c))) root = c;
    }
    return padici_num_wide_make(root, 0);
}

// floor((p^(digits - guard) - 1) / 2): 2 Nmax Dmax may not exceed twice this. 0 for no digits.
PADICI_FN padici_num_wide padici_num_ratrec_half(const padic_num_ring *r, uint32_t digits,
                                                 uint32_t guard)
{
    if (digits <= guard) return padici_num_wide_make(0, 0);
    return padici_num_wide_shr(padici_num_wide_sub(padici_num_wide_load(r->power[digits - guard]),
                                           padici_num_wide_make(1, 0)), 1);
}

// floor(a / b) and the remainder for a >= b > 0: usually a small quotient, estimated from the top
// words.
PADICI_INLINE padici_num_wide padici_num_ratrec_divide(padici_num_wide a, padici_num_wide b,
                                                       padici_num_wide *remainder)
{
    const uint32_t k = 64 - padici_clz64(a.high | 1);
    const uint64_t y = padici_num_wide_shr(b, k).low;
    if (!a.high) {
        const uint64_t q = a.low / b.low;
        *remainder = padici_num_wide_make(a.low - q * b.low, 0);
        return padici_num_wide_make(q, 0);
    }
    if (y >> 34) { // the estimate is at most 1 too small
        uint64_t q = padici_num_wide_shr(a, k).low / (y + 1);
        a = padici_num_wide_sub(a, padici_num_wide_mul_low(b, padici_num_wide_make(q, 0)));
        for (; !padici_num_wide_less(a, b); q++) a = padici_num_wide_sub(a, b);
        *remainder = a;
        return padici_num_wide_make(q, 0);
    }
    return padici_num_wide_div(a, b, remainder);
}

// The fraction n / d = u modulo m, a power of p, with |n| <= most_n and 0 < d <= most_d, in lowest
// terms: the first half of Euclid's algorithm, r = t u mod m in every row, |t| growing, its sign
// alternating. gcd(r, t) divides m, so it suffices to test that p does not divide t. Unique if 2
// most_n most_d < m. 0: there is none; 1: n >= 0; -1: *n is -n.
PADICI_FN int padici_num_ratrec(uint64_t p, padici_num_wide m, padici_num_wide u,
                                padici_num_wide most_n, padici_num_wide most_d, padici_num_wide *n,
                                padici_num_wide *d)
{
    padici_num_wide r0 = m, r1 = u, t0 = {0, 0}, t1 = {1, 0}, remainder;
    int sign = 1;
    while (padici_num_wide_less(most_n, r1)) {
        const padici_num_wide q = padici_num_ratrec_divide(r0, r1, &remainder);
        const padici_num_wide t = padici_num_wide_add(t0, padici_num_wide_mul_low(q, t1));
        r0 = r1;
        r1 = remainder;
        t0 = t1;
        t1 = t;
        sign = -sign;
    }
    *n = r1;
    *d = t1;
    if (padici_num_wide_less(most_d, t1)) return 0;
    if (!t1.high && t1.low < p) return sign;
    padici_num_wide_div(t1, padici_num_wide_make(p, 0), &remainder);
    return padici_num_wide_zero(remainder) ? 0 : sign;
}

#endif
