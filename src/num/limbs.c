#include "limbs.h"

#if PADICI_IMPLEMENT_NUM

// Limbs of base p^e, lowest first; L = r->words of them, the top one with top_digits digits.

PADICI_FN void padici_num_limbs_add(const padic_num_ring *r, uint64_t *x, const uint64_t *a,
                                const uint64_t *b)
{
    uint64_t carry = 0, base = r->base;
    uint32_t i;
    for (i = 0; i < r->words; i++) {
        uint64_t s = a[i] + b[i] + carry;
        if (i + 1 == r->words) base = r->power[r->top_digits][0];
        carry = s >= base;
        s -= base & (0 - carry); // no branch: half of them are
        x[i] = s;
    }
}

PADICI_FN void padici_num_limbs_sub(const padic_num_ring *r, uint64_t *x, const uint64_t *a,
                                const uint64_t *b)
{
    uint64_t borrow = 0, base = r->base;
    uint32_t i;
    for (i = 0; i < r->words; i++) {
        const uint64_t d = b[i] + borrow, u = a[i];
        if (i + 1 == r->words) base = r->power[r->top_digits][0];
        borrow = u < d;
        x[i] = u - d + (base & (0 - borrow));
    }
}

// Adds b[i] a[k - i] to *x and b[i] a[k + 1 - i] to *y: two columns share the limbs of b.
PADICI_INLINE void padici_num_limbs_columns(const uint64_t *a, uint32_t an, const uint64_t *b,
                                            uint32_t bn, uint32_t k, padici_num_wide *x,
                                            padici_num_wide *y)
{
    const uint32_t end = k + 1 < bn ? k + 1 : bn;
    uint32_t i = k + 2 > an ? k + 2 - an : 0;
#if PADICI_INT128
    padici_u128 c = (padici_u128)x->high << 64 | x->low, d = (padici_u128)y->high << 64 | y->low;
    if (i && i <= end) c += (padici_u128)b[i - 1] * a[an - 1];
    if (k + 1 < bn) d += (padici_u128)b[k + 1] * a[0];
    for (a += k; i < end; i++) {
        c += (padici_u128)b[i] * *(a - i);
        d += (padici_u128)b[i] * *(a - i + 1);
    }
    *x = padici_num_wide_make((uint64_t)c, (uint64_t)(c >> 64));
    *y = padici_num_wide_make((uint64_t)d, (uint64_t)(d >> 64));
#else
    if (i && i <= end) *x = padici_num_wide_add(*x, padici_num_wide_mul(b[i - 1], a[an - 1]));
    if (k + 1 < bn) *y = padici_num_wide_add(*y, padici_num_wide_mul(b[k + 1], a[0]));
    for (a += k; i < end; i++) {
        *x = padici_num_wide_add(*x, padici_num_wide_mul(b[i], *(a - i)));
        *y = padici_num_wide_add(*y, padici_num_wide_mul(b[i], *(a - i + 1)));
    }
#endif
}

// The same as below for limbs from 2^49 on: a column has three words.
static void padici_num_limbs_product_wide(const padic_num_ring *r, uint64_t *x, uint32_t n,
                                          const uint64_t *a, uint32_t an, const uint64_t *b,
                                          uint32_t bn, const uint64_t *d, uint64_t s)
{
    const uint64_t divisor = r->base << r->shift;
    const uint32_t up = r->shift, down = 64 - up; // the base is below 2^63
    padici_num_wide low = {0, 0}, y;
    uint64_t high = 0, rest, q;
    uint32_t i, k;
    for (k = 0; k < n; k++) { // the column is low + 2^128 high
        const uint32_t end = k + 1 < an ? k + 1 : an;
        y = d ? padici_num_wide_mul(d[k], s) : padici_num_wide_make(0, 0);
        low = padici_num_wide_add(low, y);
        high += (uint64_t)padici_num_wide_less(low, y);
        for (i = k + 1 > bn ? k + 1 - bn : 0; i < end; i++) {
            y = padici_num_wide_mul(a[i], b[k - i]);
            low = padici_num_wide_add(low, y);
            high += (uint64_t)padici_num_wide_less(low, y);
        }
        y = padici_num_wide_make(low.high << up | low.low >> down, high << up | low.high >> down);
        q = padici_num_divide(y, divisor, r->reciprocal, &rest);
        y = padici_num_wide_make(low.low << up, rest);
        low = padici_num_wide_make(padici_num_divide(y, divisor, r->reciprocal, &rest), q);
        x[k] = rest >> up;
        high = 0;
    }
}

// The n lowest limbs of a b + d s, a of `an` limbs and b of `bn`, s below the base, d NULL or of n
// limbs; the top one is not cut to its digits. x aliases neither a nor b. A column is below (L + 1)
// p^2e < 2^110 where the base is below 2^49.
PADICI_FN void padici_num_limbs_product(const padic_num_ring *r, uint64_t *x, uint32_t n,
                                    const uint64_t *a, uint32_t an, const uint64_t *b, uint32_t bn,
                                    const uint64_t *d, uint64_t s)
{
    padici_num_wide carry = {0, 0}, next;
    uint32_t k;
    if (PADICI_UNLIKELY(r->base >> 49)) {
        padici_num_limbs_product_wide(r, x, n, a, an, b, bn, d, s);
        return;
    }
    for (k = 0; k < n; k += 2) {
        if (d) carry = padici_num_wide_add(carry, padici_num_wide_mul(d[k], s));
        next = d && k + 1 < n ? padici_num_wide_mul(d[k + 1], s) : padici_num_wide_make(0, 0);
        padici_num_limbs_columns(a, an, b, bn, k, &carry, &next);
        x[k] = padici_num_limbs_carry(r, &carry);
        if (k + 1 == n) break;
        carry = padici_num_wide_add(carry, next);
        x[k + 1] = padici_num_limbs_carry(r, &carry);
    }
}

PADICI_FN void padici_num_limbs_mul(const padic_num_ring *r, uint64_t *x, const uint64_t *a,
                                const uint64_t *b, uint32_t n)
{
    padici_num_limbs_product(r, x, n, a, n, b, n, NULL, 0);
}

#endif
