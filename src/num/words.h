#pragma once
#include "../core/platform.h"
#include "../core/words.h"

#ifndef PADIC_NO_NUM

#define PADICI_NUM_MAGIC UINT32_C(0x31474e52)

typedef struct padici_num_wide { // an integer below 2^128
    uint64_t low, high;
} padici_num_wide;

PADICI_INLINE padici_num_wide padici_num_wide_make(uint64_t low, uint64_t high)
{
    padici_num_wide x;
    x.low = low;
    x.high = high;
    return x;
}

PADICI_INLINE padici_num_wide padici_num_wide_mul(uint64_t a, uint64_t b)
{
#if PADICI_INT128 // gcc needs two multiplications for the other version
    const padici_u128 x = (padici_u128)a * b;
    return padici_num_wide_make((uint64_t)x, (uint64_t)(x >> 64));
#else
    return padici_num_wide_make(a * b, padici_mulhi64(a, b));
#endif
}

PADICI_INLINE padici_num_wide padici_num_wide_add(padici_num_wide a, padici_num_wide b)
{
    const uint64_t low = a.low + b.low;
    return padici_num_wide_make(low, a.high + b.high + (low < a.low));
}

PADICI_INLINE padici_num_wide padici_num_wide_sub(padici_num_wide a, padici_num_wide b)
{
    return padici_num_wide_make(a.low - b.low, a.high - b.high - (a.low < b.low));
}

PADICI_INLINE int padici_num_wide_less(padici_num_wide a, padici_num_wide b)
{
    return a.high < b.high || (a.high == b.high && a.low < b.low);
}

PADICI_INLINE int padici_num_wide_zero(padici_num_wide a)
{
    return !(a.low | a.high);
}

// Modulo 2^128.
PADICI_INLINE padici_num_wide padici_num_wide_mul_low(padici_num_wide a, padici_num_wide b)
{
    padici_num_wide x = padici_num_wide_mul(a.low, b.low);
    x.high += a.low * b.high + a.high * b.low;
    return x;
}

// a b / 2^128, less than 3 too small.
PADICI_INLINE padici_num_wide padici_num_wide_mul_high(padici_num_wide a, padici_num_wide b)
{
    padici_num_wide x = padici_num_wide_mul(a.high, b.high);
    x = padici_num_wide_add(x, padici_num_wide_make(padici_mulhi64(a.high, b.low), 0));
    return padici_num_wide_add(x, padici_num_wide_make(padici_mulhi64(a.low, b.high), 0));
}

PADICI_INLINE padici_num_wide padici_num_wide_shl(padici_num_wide a, uint32_t k) // k < 128
{
    if (k >= 64) return padici_num_wide_make(0, a.low << (k - 64));
    return k ? padici_num_wide_make(a.low << k, a.high << k | a.low >> (64 - k)) : a;
}

PADICI_INLINE padici_num_wide padici_num_wide_shr(padici_num_wide a, uint32_t k) // k < 128
{
    if (k >= 64) return padici_num_wide_make(a.high >> (k - 64), 0);
    return k ? padici_num_wide_make(a.low >> k | a.high << (64 - k), a.high >> k) : a;
}

PADICI_INLINE uint32_t padici_num_wide_bits(padici_num_wide a) // bit length
{
    if (a.high) return 128u - padici_clz64(a.high);
    return a.low ? 64u - padici_clz64(a.low) : 0;
}

PADICI_FN padici_num_wide padici_num_wide_div(padici_num_wide a, padici_num_wide b,
                                              padici_num_wide *remainder);

// floor(x / d) and the remainder, x.high < d, for a divisor with its reciprocal (Moeller, Granlund:
// Improved division by invariant integers, 2011). `d` is shifted until its top bit is set, x
// equally; so is the remainder.
PADICI_INLINE uint64_t padici_num_divide(padici_num_wide x, uint64_t d, uint64_t reciprocal,
                                         uint64_t *remainder)
{
    padici_num_wide q = padici_num_wide_add(padici_num_wide_mul(reciprocal, x.high), x);
    uint64_t r, over;
    q.high++;
    r = x.low - q.high * d;
    over = 0 - (uint64_t)(r > q.low); // unpredictable, so no branch
    q.high += over;
    r += d & over;
    if (PADICI_UNLIKELY(r >= d)) {
        q.high++;
        r -= d;
    }
    *remainder = r;
    return q.high;
}

PADICI_FN uint64_t padici_num_reciprocal(uint64_t d);

// a^-1 modulo 2^64, a odd: 5 bits, doubled four times.
PADICI_INLINE uint64_t padici_num_inverse64(uint64_t a)
{
    uint64_t x = (3 * a) ^ 2;
    x *= 2 - a * x;
    x *= 2 - a * x;
    x *= 2 - a * x;
    return x * (2 - a * x);
}

PADICI_INLINE uint64_t padici_num_add1(const padic_num_ring *r, padic_num_form form, uint64_t a,
                                   uint64_t b)
{
    if (form == PADIC_NUM_B2) return (a + b) & (r->base - 1);
    if (form == PADIC_NUM_W64) { // the sum may reach 2^64
        const uint64_t d = r->base - b;
        return a >= d ? a - d : a + b;
    } else {
        const uint64_t s = a + b, d = s - r->base;
        return d < s ? d : s;
    }
}

PADICI_INLINE uint64_t padici_num_sub1(const padic_num_ring *r, padic_num_form form, uint64_t a,
                                   uint64_t b)
{
    const uint64_t d = a - b;
    if (form == PADIC_NUM_B2) return d & (r->base - 1);
    return d + (r->base & (0 - (uint64_t)(a < b))); // no branch: half of them are below
}

PADICI_INLINE uint64_t padici_num_mul1(const padic_num_ring *r, padic_num_form form, uint64_t a,
                                   uint64_t b)
{
    if (form == PADIC_NUM_B2) return (a * b) & (r->base - 1);
    if (form == PADIC_NUM_W64) {
        uint64_t remainder;
        padici_num_divide(padici_num_wide_mul(a << r->shift, b), r->base << r->shift, r->reciprocal,
                          &remainder);
        return remainder >> r->shift;
    } else { // Barrett: the quotient is at most one too small, since ab/P - q < 1 + 1/2 + 2^-13
        const uint64_t h = padici_mulhi64(a << (64 - r->bits), b << 14);
        const uint64_t x = a * b - padici_mulhi64(h, r->barrett) * r->base, y = x - r->base;
        return y < x ? y : x;
    }
}

PADICI_INLINE padici_num_wide padici_num_modulus(const padic_num_ring *r)
{
    return padici_num_wide_make(r->modulus[0], r->modulus[1]);
}

PADICI_INLINE padici_num_wide padici_num_add2(const padic_num_ring *r, padici_num_wide a,
                                              padici_num_wide b)
{
    const padici_num_wide s = padici_num_wide_add(a, b), p = padici_num_modulus(r);
    return padici_num_wide_less(s, p) ? s : padici_num_wide_sub(s, p);
}

PADICI_INLINE padici_num_wide padici_num_sub2(const padic_num_ring *r, padici_num_wide a,
                                              padici_num_wide b)
{
    const padici_num_wide d = padici_num_wide_sub(a, b);
    return padici_num_wide_less(a, b) ? padici_num_wide_add(d, padici_num_modulus(r)) : d;
}

// a b 2^-128 mod P or that plus P (Montgomery), P odd and below 2^127; a < P, any b.
PADICI_INLINE padici_num_wide padici_num_product2(const padic_num_ring *r, padici_num_wide a,
                                                  padici_num_wide b)
{
    const padici_num_wide p = padici_num_modulus(r);
    padici_num_wide t = {0, 0}, x, y;
    uint32_t i;
    for (i = 0; i < 2; i++) { // t = (t + a b_i + m P) / 2^64 < 2 P
        const uint64_t bi = i ? b.high : b.low;
        uint64_t m, carry;
        x = padici_num_wide_add(padici_num_wide_mul(a.low, bi), padici_num_wide_make(t.low, 0));
        y = padici_num_wide_mul(a.high, bi);
        y = padici_num_wide_add(padici_num_wide_add(y, padici_num_wide_make(t.high, 0)),
                            padici_num_wide_make(x.high, 0));
        m = x.low * r->mont_inverse;
        t = padici_num_wide_add(padici_num_wide_mul(m, p.low), padici_num_wide_make(x.low, 0));
        carry = t.high; // t.low is 0
        t = padici_num_wide_add(padici_num_wide_add(padici_num_wide_mul(m, p.high), y),
                            padici_num_wide_make(carry, 0));
    }
    return t;
}

// The same, reduced below P without a branch.
PADICI_INLINE padici_num_wide padici_num_montgomery2(const padic_num_ring *r, padici_num_wide a,
                                                     padici_num_wide b)
{
    const padici_num_wide p = padici_num_modulus(r), t = padici_num_product2(r, a, b);
    const uint64_t less = 0 - (uint64_t)padici_num_wide_less(t, p);
    return padici_num_wide_add(padici_num_wide_sub(t, p),
                               padici_num_wide_make(p.low & less, p.high & less));
}

PADICI_FN padici_num_wide padici_num_mul2_even(const padic_num_ring *r, padici_num_wide a,
                                               padici_num_wide b);

PADICI_INLINE padici_num_wide padici_num_mul2(const padic_num_ring *r, padici_num_wide a,
                                              padici_num_wide b)
{
    if (PADICI_UNLIKELY(!(r->modulus[0] & 1))) return padici_num_mul2_even(r, a, b);
    a = padici_num_product2(r, a, b);
    return padici_num_montgomery2(r, padici_num_wide_make(r->mont_square[0], r->mont_square[1]), a);
}

#endif
