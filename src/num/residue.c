#include "residue.h"
#include "limbs.h"
#include "ring_tables.h"

#if PADICI_IMPLEMENT_NUM

// Any residue by pointer: r->words words of 64 bits, lowest first (RX: limbs). x may alias a or b
// unless the comment says otherwise.

// x = s mod P.
PADICI_FN void padici_num_ring_set(const padic_num_ring *r, uint64_t *x, uint64_t s)
{
    uint32_t i;
    if (r->form < PADIC_NUM_W128) {
        x[0] = r->base ? s % r->base : s;
    } else if (r->form == PADIC_NUM_W128) { // forced on a small P, where s may exceed it
        padici_num_wide remainder;
        padici_num_wide_div(padici_num_wide_make(s, 0), padici_num_modulus(r), &remainder);
        padici_num_wide_store(x, remainder);
    } else {
        for (i = 0; i < r->words; i++) {
            const uint64_t base = padici_num_limb_base(r, i);
            x[i] = s % base;
            s = s / base;
        }
    }
}

PADICI_FN void padici_num_ring_add(const padic_num_ring *r, uint64_t *x, const uint64_t *a,
                               const uint64_t *b)
{
    if (r->form < PADIC_NUM_W128)
        x[0] = padici_num_add1(r, r->form, a[0], b[0]);
    else if (r->form == PADIC_NUM_W128)
        padici_num_wide_store(x,
                              padici_num_add2(r, padici_num_wide_load(a), padici_num_wide_load(b)));
    else
        padici_num_limbs_add(r, x, a, b);
}

PADICI_FN void padici_num_ring_sub(const padic_num_ring *r, uint64_t *x, const uint64_t *a,
                               const uint64_t *b)
{
    if (r->form < PADIC_NUM_W128)
        x[0] = padici_num_sub1(r, r->form, a[0], b[0]);
    else if (r->form == PADIC_NUM_W128)
        padici_num_wide_store(x,
                              padici_num_sub2(r, padici_num_wide_load(a), padici_num_wide_load(b)));
    else
        padici_num_limbs_sub(r, x, a, b);
}

// x = a b; x aliases neither a nor b.
PADICI_FN void padici_num_ring_mul(const padic_num_ring *r, uint64_t *x, const uint64_t *a,
                               const uint64_t *b)
{
    if (r->form < PADIC_NUM_W128)
        x[0] = padici_num_mul1(r, r->form, a[0], b[0]);
    else if (r->form == PADIC_NUM_W128)
        padici_num_wide_store(x,
                              padici_num_mul2(r, padici_num_wide_load(a), padici_num_wide_load(b)));
    else {
        padici_num_limbs_mul(r, x, a, b, r->words);
        x[r->words - 1] = padici_num_limb_low(r, x[r->words - 1], r->top_digits);
    }
}

PADICI_FN void padici_num_ring_neg(const padic_num_ring *r, uint64_t *x, const uint64_t *a)
{
    uint64_t borrow = 0;
    uint32_t i;
    if (r->form < PADIC_NUM_W128) {
        x[0] = padici_num_sub1(r, r->form, 0, a[0]);
    } else if (r->form == PADIC_NUM_W128) {
        padici_num_wide_store(
            x, padici_num_sub2(r, padici_num_wide_make(0, 0), padici_num_wide_load(a)));
    } else {
        for (i = 0; i < r->words; i++) {
            const uint64_t d = a[i] + borrow;
            borrow = d != 0;
            x[i] = d ? padici_num_limb_base(r, i) - d : 0;
        }
    }
}

// x = floor(a / p^k) for k >= 0: drops the k lowest digits; the top ones become 0.
PADICI_FN void padici_num_ring_down(const padic_num_ring *r, uint64_t *x, const uint64_t *a,
                                    uint64_t k)
{
    if (k >= r->precision) {
        memset(x, 0, r->words * sizeof *x);
    } else if (r->form < PADIC_NUM_W128) {
        x[0] = r->form == PADIC_NUM_B2 ? a[0] >> k : a[0] / r->power[k][0];
    } else if (r->form == PADIC_NUM_W128) {
        padici_num_wide_store(x, padici_num_wide_div(padici_num_wide_load(a),
                                                     padici_num_wide_load(r->power[k]), NULL));
    } else {
        const uint32_t limbs = (uint32_t)k / r->limb_digits, part = (uint32_t)k % r->limb_digits;
        const uint64_t low = r->power[part][0], up = r->power[r->limb_digits - part][0];
        uint32_t i;
        for (i = 0; i < r->words; i++) {
            const uint64_t here = i + limbs < r->words ? a[i + limbs] : 0;
            const uint64_t next = i + limbs + 1 < r->words ? a[i + limbs + 1] : 0;
            x[i] = part ? here / low + next % low * up : here;
        }
    }
}

// x = a p^k mod P for k >= 0.
PADICI_FN void padici_num_ring_up(const padic_num_ring *r, uint64_t *x, const uint64_t *a,
                                  uint64_t k)
{
    if (!k) {
        padici_num_ring_copy(r, x, a);
    } else if (k >= r->precision) {
        memset(x, 0, r->words * sizeof *x);
    } else if (r->form < PADIC_NUM_W128) {
        x[0] = padici_num_mul1(r, r->form, a[0], r->power[k][0]);
    } else if (r->form == PADIC_NUM_W128) {
        padici_num_wide_store(
            x, padici_num_mul2(r, padici_num_wide_load(a), padici_num_wide_load(r->power[k])));
    } else {
        const uint32_t limbs = (uint32_t)k / r->limb_digits, part = (uint32_t)k % r->limb_digits;
        const uint64_t low = r->power[part][0], up = r->power[r->limb_digits - part][0];
        uint32_t i = r->words;
        while (i-- > 0) {
            const uint64_t here = i >= limbs ? a[i - limbs] : 0;
            const uint64_t before = i >= limbs + 1 ? a[i - limbs - 1] : 0;
            x[i] = part ? here % up * low + before / up : here;
        }
        x[r->words - 1] = padici_num_limb_low(r, x[r->words - 1], r->top_digits);
    }
}

// x = a mod p^n.
PADICI_FN void padici_num_ring_low(const padic_num_ring *r, uint64_t *x, const uint64_t *a,
                                   uint64_t n)
{
    if (n >= r->precision) {
        padici_num_ring_copy(r, x, a);
    } else if (r->form < PADIC_NUM_W128) {
        x[0] = a[0] % r->power[n][0];
    } else if (r->form == PADIC_NUM_W128) {
        padici_num_wide remainder;
        padici_num_wide_div(padici_num_wide_load(a), padici_num_wide_load(r->power[n]), &remainder);
        padici_num_wide_store(x, remainder);
    } else {
        const uint32_t limbs = (uint32_t)n / r->limb_digits, part = (uint32_t)n % r->limb_digits;
        uint32_t i;
        for (i = 0; i < r->words; i++)
            x[i] = i < limbs ? a[i] : i == limbs ? padici_num_limb_low(r, a[i], part) : 0;
    }
}

// v(a), N for 0.
PADICI_FN uint32_t padici_num_ring_valuation(const padic_num_ring *r, const uint64_t *a)
{
    uint64_t unit;
    uint32_t i = 0, v = 0;
    if (padici_num_ring_is_zero(r, a)) return r->precision;
    if (r->form < PADIC_NUM_W128) return padici_num_split1(r, a[0], &unit);
    if (r->form == PADIC_NUM_RX) {
        while (!a[i]) i++;
        return i * r->limb_digits + padici_num_split1(r, a[i], &unit);
    } else {
        padici_num_wide x = padici_num_wide_load(a), q;
        if (r->p == 2) return a[0] ? padici_ctz64(a[0]) : 64 + padici_ctz64(a[1]);
        for (; padici_num_wide_divides(r, x, &q); x = q) v++;
        return v;
    }
}

// x = a^k; x does not alias a. `t` has room for 1 residue. Left to right.
PADICI_FN void padici_num_ring_pow(const padic_num_ring *r, uint64_t *x, const uint64_t *a,
                                   uint64_t k, uint64_t *t)
{
    uint32_t i = k ? 64u - padici_clz64(k) : 0;
    padici_num_ring_set(r, x, 1);
    while (i-- > 0) {
        padici_num_ring_mul(r, t, x, x);
        if (k >> i & 1)
            padici_num_ring_mul(r, x, t, a);
        else
            padici_num_ring_copy(r, x, t);
    }
}

// a^-1 mod p for 0 < a < p, by Euclid's algorithm.
PADICI_FN uint64_t padici_num_inverse_mod(uint64_t a, uint64_t p)
{
    uint64_t r0 = p, r1 = a % p, x0 = 0, x1 = 1; // |x| stays below p, kept modulo 2^64 with a sign
    uint32_t odd = 0;
    while (r1) {
        const uint64_t q = r0 / r1, r2 = r0 - q * r1, x2 = x0 + q * x1;
        r0 = r1;
        r1 = r2;
        x0 = x1;
        x1 = x2;
        odd ^= 1;
    }
    return odd ? x0 : p - x0;
}

// x = a^-1 by Newton's x (2 - a x), from one digit to one limb, then doubling the limbs in each
// step. Where a has one limb: one limb at a time. `t` has room for a residue.
static void padici_num_limbs_inv(const padic_num_ring *r, uint64_t *x, const uint64_t *a,
                                 uint64_t *t)
{
    uint32_t known, n, i, len = r->words;
    uint64_t inverse = padici_num_seed_inverse(r, a, &known), borrow = 0;
    for (; known < r->limb_digits; known *= 2) {
        uint64_t two = padici_num_limb_mul(r, a[0], inverse);
        two = two > 2 ? r->base + 2 - two : 2 - two;
        inverse = padici_num_limb_mul(r, inverse, two);
    }
    x[0] = inverse;
    while (len > 1 && !a[len - 1]) len--;
    for (n = 1; len == 1 && n < r->words; n++) { // 1 - a x = -base^n borrow
        padici_num_wide next = padici_num_wide_mul(a[0], x[n - 1]);
        next = padici_num_wide_add(next, padici_num_wide_make(borrow, 0));
        padici_num_limbs_carry(r, &next);
        borrow = next.low;
        x[n] = padici_num_limb_mul(r, borrow, inverse);
        if (x[n]) x[n] = r->base - x[n];
    }
    for (n = 1; len > 1 && n < r->words; n = known) {
        known = n > r->words / 2 ? r->words : 2 * n;
        padici_num_limbs_product(r, t, known, a, len < known ? len : known, x, n, NULL, 0);
        for (i = n; i < known; i++) { // 2 - a x = 1 - base^n (...)
            const uint64_t d = t[i] + borrow;
            borrow = d != 0;
            t[i] = d ? r->base - d : 0;
        }
        borrow = 0;
        padici_num_limbs_mul(r, x + n, x, t + n, known - n);
    }
    x[r->words - 1] = padici_num_limb_low(r, x[r->words - 1], r->top_digits);
}

// x = a^-1 for a unit a; x does not alias a. `t` has room for 2 residues.
PADICI_FN void padici_num_ring_inv(const padic_num_ring *r, uint64_t *x, const uint64_t *a,
                                   uint64_t *t)
{
    uint64_t *const two = t + r->words;
    uint32_t known;
    padici_num_ring_set(r, two, 2);
    if (r->form == PADIC_NUM_B2) {
        x[0] = padici_num_inverse64(a[0]) & (r->base - 1);
        return;
    }
    if (r->form == PADIC_NUM_RX) {
        padici_num_limbs_inv(r, x, a, t);
        return;
    }
    padici_num_ring_set(r, x, padici_num_seed_inverse(r, a, &known));
    for (; known < r->precision; known *= 2) { // x (2 - a x)
        padici_num_ring_mul(r, t, a, x);
        padici_num_ring_sub(r, t, two, t);
        if (r->form == PADIC_NUM_W128)
            padici_num_wide_store(
                x, padici_num_mul2(r, padici_num_wide_load(x), padici_num_wide_load(t)));
        else
            x[0] = padici_num_mul1(r, r->form, x[0], t[0]);
    }
}

// Rounds m 2^e to the nearest float, ties to even, and returns its bits without a sign. `more` 1:
// the value exceeds m 2^e by less than one unit of m, and m has at least 55 bits. Sets *inexact,
// and *overflow for infinity.
PADICI_FN uint64_t padici_num_float_round(padic_dtype dtype, uint64_t m, int64_t e, uint32_t more,
                                      uint32_t *inexact, uint32_t *overflow)
{
    const uint32_t t = dtype == PADIC_F64   ? 53
                       : dtype == PADIC_F32 ? 24
                       : dtype == PADIC_F16 ? 11
                                            : 8;
    const uint32_t ebits = dtype == PADIC_F64 ? 11 : dtype == PADIC_F16 ? 5 : 8;
    const int64_t bias = ((int64_t)1 << (ebits - 1)) - 1;
    uint64_t q, remainder, half;
    int64_t drop;
    *inexact = *overflow = 0;
    if (!m) return 0;
    drop = 64 - (int64_t)padici_clz64(m) - t;                 // bits below the significand
    if (e + drop < 2 - bias - (int64_t)t) drop = 2 - bias - (int64_t)t - e; // subnormal
    if (drop <= 0) {
        q = m << -drop;
        remainder = half = 0;
    } else {
        q = drop > 63 ? 0 : m >> drop;
        remainder = drop > 64 ? 1 : drop == 64 ? m : m & ((UINT64_C(1) << drop) - 1);
        half = drop > 64 ? 2 : UINT64_C(1) << (drop - 1);
    }
    *inexact = remainder || more;
    if (half && (remainder > half || (remainder == half && (more || q & 1)))) q++;
    e += drop; // the value is q 2^e, q <= 2^t
    if (q >> t) {
        q >>= 1;
        e++;
    }
    if (!(q >> (t - 1))) return q; // subnormal or zero
    e += bias + (int64_t)t - 1;
    if (e >= ((int64_t)1 << ebits) - 1) {
        *inexact = *overflow = 1;
        return (((uint64_t)1 << ebits) - 1) << (t - 1);
    }
    return (uint64_t)e << (t - 1) | (q & (((uint64_t)1 << (t - 1)) - 1));
}

#endif
