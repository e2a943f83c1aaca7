#include "euclid.h"
#include "../core/words.h"
#include "convert.h"
#include "residue.h"

#if PADICI_IMPLEMENT_NUM

// Binary integers of any length, lowest word first.

PADICI_FN uint32_t padici_num_words_bits(const uint64_t *x, uint32_t n)
{
    while (n > 0 && !x[n - 1]) n--;
    return n ? 64 * n - padici_clz64(x[n - 1]) : 0;
}

PADICI_FN int padici_num_words_less(const uint64_t *a, const uint64_t *b, uint32_t n)
{
    while (n > 0 && a[n - 1] == b[n - 1]) n--;
    return n > 0 && a[n - 1] < b[n - 1];
}

PADICI_FN void padici_num_words_swap(uint64_t *a, uint64_t *b, uint64_t n)
{
    for (; n > 0 && a != b; n--, a++, b++) {
        const uint64_t x = *a;
        *a = *b;
        *b = x;
    }
}

// x += a q; returns the carry out of n words.
PADICI_FN uint64_t padici_num_words_add(uint64_t *x, const uint64_t *a, uint64_t q, uint32_t n)
{
    uint64_t carry = 0;
    uint32_t i;
    for (i = 0; i < n; i++) {
        padici_num_wide s =
            padici_num_wide_add(padici_num_wide_mul(a[i], q), padici_num_wide_make(carry, 0));
        s = padici_num_wide_add(s, padici_num_wide_make(x[i], 0));
        x[i] = s.low;
        carry = s.high;
    }
    return carry;
}

// x -= a q; returns the borrow.
PADICI_FN uint64_t padici_num_words_sub(uint64_t *x, const uint64_t *a, uint64_t q, uint32_t n)
{
    uint64_t carry = 0;
    uint32_t i;
    for (i = 0; i < n; i++) {
        const padici_num_wide s =
            padici_num_wide_add(padici_num_wide_mul(a[i], q), padici_num_wide_make(carry, 0));
        carry = s.high + (x[i] < s.low);
        x[i] -= s.low;
    }
    return carry;
}

// x = x q + carry; returns the carry out.
PADICI_FN uint64_t padici_num_words_scale(uint64_t *x, uint64_t q, uint64_t carry, uint32_t n)
{
    uint32_t i;
    for (i = 0; i < n; i++) {
        const padici_num_wide s =
            padici_num_wide_add(padici_num_wide_mul(x[i], q), padici_num_wide_make(carry, 0));
        x[i] = s.low;
        carry = s.high;
    }
    return carry;
}

// x = a in n words; a has m words, and its value fits in n.
PADICI_FN void padici_num_words_copy(uint64_t *x, uint32_t n, const uint64_t *a, uint32_t m)
{
    memset(x, 0, n * sizeof *x);
    memcpy(x, a, (n < m ? n : m) * sizeof *x);
}

// x = a b; x has na + nb words and aliases neither.
PADICI_FN void padici_num_words_mul(uint64_t *x, const uint64_t *a, uint32_t na, const uint64_t *b,
                                uint32_t nb)
{
    uint32_t i;
    memset(x, 0, (na + nb) * sizeof *x);
    for (i = 0; i < nb; i++) x[i + na] = padici_num_words_add(x + i, a, b[i], na);
}

// The 64 bits of x from bit `at` up, zero beyond its n words.
static uint64_t padici_num_words_window(const uint64_t *x, uint32_t n, uint32_t at)
{
    const uint32_t k = at / 64, part = at % 64;
    const uint64_t low = k < n ? x[k] : 0, high = k + 1 < n ? x[k + 1] : 0;
    return part ? low >> part | high << (64 - part) : low;
}

// x = a p^k in n words, which must fit; a = NULL: p^k.
PADICI_FN void padici_num_words_power(const padic_num_ring *r, uint64_t *x, const uint64_t *a,
                                  uint32_t k, uint32_t n)
{
    const uint64_t one = 1;
    padici_num_big b;
    padici_num_words_copy(x, n, a ? a : &one, a ? n : 1);
    b.w = x;
    b.n = b.room = n;
    padici_num_big_trim(&b);
    padici_num_big_power(r, &b, k);
}

// x = the residue u of any form in n words, which must fit.
static void padici_num_words_of_ring(const padic_num_ring *r, uint64_t *x, const uint64_t *u,
                                 uint32_t n)
{
    uint32_t i;
    memset(x, 0, n * sizeof *x);
    if (r->form != PADIC_NUM_RX) memcpy(x, u, r->words * sizeof *x);
    for (i = r->form == PADIC_NUM_RX ? r->words : 0; i-- > 0;)
        padici_num_words_scale(x, r->base, u[i], r->words - i < n ? r->words - i : n);
}

// x mod d; *q = floor(x / d), which may be x, or NULL.
PADICI_FN uint64_t padici_num_words_divide(uint64_t *q, const uint64_t *x, uint32_t n, uint64_t d)
{
    const uint32_t shift = padici_clz64(d);
    const uint64_t reciprocal = padici_num_reciprocal(d << shift);
    uint64_t remainder = 0;
    while (n-- > 0) {
        const uint64_t digit =
            padici_num_divide(padici_num_wide_shl(padici_num_wide_make(x[n], remainder), shift),
                              d << shift, reciprocal, &remainder);
        remainder >>= shift;
        if (q) q[n] = digit;
    }
    return remainder;
}

// Euclid's rows: remainders r[0] > r[1] >= 0, cofactors |t[0]|, |t[1]| with alternating signs.
typedef struct padici_num_euclid {
    uint64_t *r[2], *t[2];
    uint32_t words; // of each
    int sign;       // of t[1]
} padici_num_euclid;

// One row further. Returns the quotient, or UINT64_MAX if it is too large. r[0] / r[1] is
// estimated, never too large, from 63 bits of r[0] and as many of r[1] as make the shift of the
// quotient a multiple of 64; repeated until r[0] < r[1].
static uint64_t padici_num_euclid_step(padici_num_euclid *e)
{
    uint64_t *const r0 = e->r[0], *const r1 = e->r[1], *const t0 = e->t[0], *const t1 = e->t[1];
    const uint32_t n = e->words, b1 = padici_num_words_bits(r1, n);
    uint64_t sum = 0;
    int large = 0;
    while (!padici_num_words_less(r0, r1, n)) {
        const uint32_t b0 = padici_num_words_bits(r0, n), places = b0 > b1 ? (b0 - b1 - 1) / 64 : 0;
        const uint32_t left = b0 > 63 ? b0 - 63 : 0; // r1 is shifted equally, apart from the places
        const uint64_t x = padici_num_words_window(r0, n, left);
        const uint64_t y = left >= 64 * places ? padici_num_words_window(r1, n, left - 64 * places)
                                               : padici_num_words_window(r1, n, 0)
                                                     << (64 * places - left);
        uint64_t q = left ? x / (y + 1) : x / y;
        q += !q;
        padici_num_words_sub(r0 + places, r1, q, n - places);
        padici_num_words_add(t0 + places, t1, q, n - places);
        large |= b0 - b1 > 62;
        sum += q;
    }
    e->r[0] = r1;
    e->r[1] = r0;
    e->t[0] = t1;
    e->t[1] = t0;
    e->sign = -e->sign;
    return large ? UINT64_MAX : sum;
}

// A word of u a - v b, u and v below 2^33; the carry is in two's complement.
PADICI_INLINE uint64_t padici_num_euclid_word(uint64_t u, uint64_t a, uint64_t v, uint64_t b,
                                          uint64_t *carry)
{
    const padici_num_wide x =
        padici_num_wide_sub(padici_num_wide_mul(u, a), padici_num_wide_mul(v, b));
    const padici_num_wide y =
        padici_num_wide_add(x, padici_num_wide_make(*carry, 0 - (*carry >> 63)));
    *carry = y.high;
    return y.low;
}

// Multiplies r[0], r[1] by the matrix (u0, -v0; -u1, v1), or by its negative after an odd number of
// rows, and t by it without signs. `n` words of r, `m` of t.
static void padici_num_euclid_apply(padici_num_euclid *e, const uint64_t u[2], const uint64_t v[2],
                                int odd, uint32_t n, uint32_t m)
{
    const uint64_t *const a = e->r[odd], *const b = e->r[!odd];
    const uint64_t *const x = odd ? v : u, *const y = odd ? u : v;
    uint64_t c0 = 0, c1 = 0;
    uint32_t i;
    for (i = 0; i < n; i++) {
        const uint64_t first = padici_num_euclid_word(x[0], a[i], y[0], b[i], &c0);
        const uint64_t second = padici_num_euclid_word(y[1], b[i], x[1], a[i], &c1);
        e->r[0][i] = first;
        e->r[1][i] = second;
    }
    for (i = 0, c0 = c1 = 0; i < m; i++) {
        const uint64_t t0 = e->t[0][i], t1 = e->t[1][i];
        padici_num_wide s =
            padici_num_wide_add(padici_num_wide_mul(u[0], t0), padici_num_wide_mul(v[0], t1));
        s = padici_num_wide_add(s, padici_num_wide_make(c0, 0));
        e->t[0][i] = s.low;
        c0 = s.high;
        s = padici_num_wide_add(padici_num_wide_mul(u[1], t0), padici_num_wide_mul(v[1], t1));
        s = padici_num_wide_add(s, padici_num_wide_make(c1, 0));
        e->t[1][i] = s.low;
        c1 = s.high;
    }
    if (odd) e->sign = -e->sign;
}

// Applies as many rows as the top 64 bits of r[0] and r[1] prove (Lehmer 1938) while r[1] keeps
// more than `stop` bits; 0 if there are none. A quotient of the tops is right if neither the
// remainder nor its distance to the divisor is below the cofactors (Jebelean 1993), which so stay
// below 2^32.
static int padici_num_euclid_leap(padici_num_euclid *e, uint32_t stop)
{
    const uint32_t bits = padici_num_words_bits(e->r[0], e->words), at = bits > 64 ? bits - 64 : 0;
    uint64_t a = padici_num_words_window(e->r[0], e->words, at);
    uint64_t b = padici_num_words_window(e->r[1], e->words, at), least = 1;
    uint64_t u[2] = {1, 0}, v[2] = {0, 1};
    uint32_t n = (bits + 63) / 64, m;
    int odd = 0;
    if (stop > at) {
        if (stop - at >= 64) return 0;
        least = UINT64_C(1) << (stop - at);
    }
    while (b) {
        const uint64_t q = a / b, c = a - q * b, x = u[0] + q * u[1], y = v[0] + q * v[1];
        if (c < y || b - c < y + v[1] || c - y < least) break;
        a = b;
        b = c;
        u[0] = u[1];
        u[1] = x;
        v[0] = v[1];
        v[1] = y;
        odd = !odd;
    }
    if (v[0] == 0) return 0;
    m = e->words - n + 2;
    padici_num_euclid_apply(e, u, v, odd, n, m < e->words ? m : e->words);
    return 1;
}

// 1 if 2 a b < limit, n words. `product` has room for na + nb + 1 words.
static int padici_num_words_below(const uint64_t *a, uint32_t na, const uint64_t *b, uint32_t nb,
                              const uint64_t *limit, uint32_t n, uint64_t *product)
{
    const uint32_t ba = padici_num_words_bits(a, na), bb = padici_num_words_bits(b, nb);
    const uint32_t bits = padici_num_words_bits(limit, n);
    uint32_t i;
    if (!ba || !bb) return bits > 0;
    if (ba + bb > bits) return 0; // 2 a b >= 2^(ba + bb - 1)
    na = (ba + 63) / 64;
    nb = (bb + 63) / 64;
    padici_num_words_mul(product, a, na, b, nb);
    na += nb;
    product[na] = padici_num_words_scale(product, 2, 0, na);
    for (i = n; i <= na; i++)
        if (product[i]) return 0;
    for (i = na + 1; i < n; i++)
        if (limit[i]) return 1;
    return padici_num_words_less(product, limit, na < n ? na + 1 : n);
}

// 1 if x is at most the bound of numerators (d = 1: of denominators). limit is p^(digits - guard).
// *stop: no x with more bits is.
static int padici_num_bounds_allow(const padici_num_bounds *bounds, int d, const uint64_t *x,
                                   uint32_t n, const uint64_t *limit, uint64_t *product,
                                   uint32_t *stop)
{
    const uint32_t most_bits = d ? bounds->bits_d : bounds->bits_n;
    const padici_num_wide most = d ? bounds->most_d : bounds->most_n;
    const padici_num_wide other = d ? bounds->most_n : bounds->most_d;
    const uint32_t all = padici_num_words_bits(limit, n), other_bits = padici_num_wide_bits(other);
    uint64_t word[2];
    *stop = most_bits                  ? most_bits
            : !padici_num_wide_zero(most)  ? padici_num_wide_bits(most)
            : !padici_num_wide_zero(other) ? all > other_bits ? all - other_bits : 0
                                       : all / 2;
    if (padici_num_words_bits(x, n) > *stop) return 0;
    if (most_bits) return 1;
    padici_num_wide_store(word, padici_num_wide_zero(most) ? other : most);
    if (!padici_num_wide_zero(most))
        return !padici_num_wide_less(most, padici_num_wide_make(x[0], n > 1 ? x[1] : 0));
    if (padici_num_wide_zero(other)) return padici_num_words_below(x, n, x, n, limit, n, product);
    return padici_num_words_below(x, n, word, 2, limit, n, product);
}

// 1 if 2 Nmax Dmax < limit, as far as they are given.
PADICI_FN int padici_num_bounds_fit(const padici_num_bounds *bounds, const uint64_t *limit,
                                    uint32_t n, uint64_t *product)
{
    uint64_t a[2], b[2];
    padici_num_wide_store(a, bounds->most_n);
    padici_num_wide_store(b, bounds->most_d);
    if (!(a[0] | a[1] | b[0] | b[1]) || bounds->bits_n) return 1;
    if (!(a[0] | a[1])) a[0] = 1;
    if (!(b[0] | b[1])) b[0] = 1;
    return padici_num_words_below(a, 2, b, 2, limit, n, product);
}

// The two bounds as numbers, up to W128. 0: 2 Nmax Dmax >= p^(digits - guard).
PADICI_FN int padici_num_bounds_wide(const padic_num_ring *r, uint32_t digits,
                                     const padici_num_bounds *bounds, padici_num_wide *n,
                                     padici_num_wide *d)
{
    const padici_num_wide half = padici_num_ratrec_half(r, digits, bounds->guard);
    *n = bounds->most_n;
    *d = bounds->most_d;
    if (padici_num_wide_zero(*n) && padici_num_wide_zero(*d)) {
        *n = *d = padici_num_wide_sqrt(half);
        return digits > bounds->guard;
    }
    if (padici_num_wide_zero(*n)) *n = padici_num_wide_div(half, *d, NULL);
    if (padici_num_wide_zero(*d)) *d = padici_num_wide_div(half, *n, NULL);
    return !padici_num_wide_zero(*n) && !padici_num_wide_zero(*d) &&
           !padici_num_wide_less(padici_num_wide_div(half, *d, NULL), *n);
}

// Monagan's maximal quotient: the remainder of the row before it goes to n, its cofactor to d.
static int padici_num_euclid_largest(padici_num_euclid *e, uint64_t most, uint64_t *n, uint64_t *d,
                                 uint32_t words)
{
    int found = 0;
    if (!padici_num_words_bits(e->r[1], e->words)) { // 0 / 1
        padici_num_words_copy(n, words, e->r[1], e->words);
        padici_num_words_copy(d, words, e->t[1], e->words);
        return 1;
    }
    while (padici_num_words_bits(e->r[1], e->words) &&
           (padici_num_words_bits(e->r[0], e->words) > 64 || e->r[0][0] > most)) {
        const uint64_t q = padici_num_euclid_step(e);
        if (q <= most) continue;
        most = q;
        found = -e->sign;
        padici_num_words_copy(n, words, e->r[0], e->words);
        padici_num_words_copy(d, words, e->t[0], e->words);
    }
    return found;
}

// padici_num_ratrec() for any form: u known to `digits` digits, n and d as r->words binary words.
// `temp` has room for 20 residues, or for 6 (r->bits / 64 + 2) + 3 words.
PADICI_FN int padici_num_fraction(const padic_num_ring *r, const uint64_t *u, uint32_t digits,
                                  const padici_num_bounds *bounds, uint64_t *n, uint64_t *d,
                                  uint64_t *temp)
{
    const uint32_t words = r->bits / 64 + 2; // of p^N and a carry
    uint64_t *const limit = temp + 4 * words, *const product = temp + 5 * words;
    padici_num_euclid e;
    uint32_t stop;
    if (digits <= bounds->guard) return 0;
    if (r->form < PADIC_NUM_RX && !bounds->quotient && !bounds->bits_n) {
        padici_num_wide x = {0, 0}, y = {0, 0}, most_n, most_d;
        int sign;
        if (!padici_num_bounds_wide(r, digits, bounds, &most_n, &most_d)) return 0;
        x = padici_num_wide_make(u[0], r->words > 1 ? u[1] : 0);
        sign = padici_num_ratrec(r->p, padici_num_wide_load(r->power[digits]), x, most_n, most_d,
                                 &x, &y);
        n[0] = x.low;
        d[0] = y.low;
        if (r->words > 1) n[1] = x.high;
        if (r->words > 1) d[1] = y.high;
        return sign;
    }
    e.r[0] = temp;
    e.r[1] = temp + words;
    e.t[0] = temp + 2 * words;
    e.t[1] = temp + 3 * words;
    e.words = words;
    e.sign = 1;
    padici_num_words_power(r, limit, NULL, digits - bounds->guard, words);
    padici_num_words_power(r, e.r[0], limit, bounds->guard, words);
    padici_num_words_of_ring(r, e.r[1], u, words);
    memset(e.t[0], 0, 2 * words * sizeof *temp);
    e.t[1][0] = 1;
    if (bounds->quotient) {
        e.sign = padici_num_euclid_largest(&e, bounds->quotient, n, d, r->words);
        return e.sign && padici_num_words_divide(NULL, d, r->words, r->p) ? e.sign : 0;
    }
    if (!padici_num_bounds_fit(bounds, limit, words, product)) return 0;
    while (!padici_num_bounds_allow(bounds, 0, e.r[1], words, limit, product, &stop))
        if (!padici_num_euclid_leap(&e, stop)) padici_num_euclid_step(&e);
    if (!padici_num_bounds_allow(bounds, 1, e.t[1], words, limit, product, &stop) ||
        !padici_num_words_divide(NULL, e.t[1], words, r->p))
        return 0;
    padici_num_words_copy(n, r->words, e.r[1], words);
    padici_num_words_copy(d, r->words, e.t[1], words);
    return e.sign;
}

PADICI_FN int padici_num_fraction_of(const padic_num_ring *r, const uint64_t *u, uint32_t digits,
                                 uint64_t *n, uint64_t *d, uint64_t *temp)
{
    const padici_num_bounds bounds = {1, 0, 0, {0, 0}, {0, 0}, 0};
    return padici_num_fraction(r, u, digits, &bounds, n, d, temp);
}

// Lays out 15 parts of `part` words, and sets d = 1.
PADICI_FN void padici_num_joint_begin(padici_num_joint *j, const padic_num_ring *r,
                                  const padici_num_bounds *bounds, uint64_t *memory, uint64_t *d,
                                  uint32_t part)
{
    j->ring = r;
    j->bounds = bounds;
    j->d = d;
    j->ring_d = memory;
    j->w = memory + part;
    j->x = memory + 2 * part;
    j->t = memory + 3 * part;
    j->limit = memory + 4 * part;
    j->product = memory + 5 * part; // 2 parts
    j->temp = memory + 7 * part;
    j->words = r->bits / 64 + 2;
    j->digits = 0;
    memset(d, 0, part * sizeof *d);
    d[0] = 1;
    padici_num_ring_set(r, j->ring_d, 1);
}

// w = u d mod p^digits, x = its balanced magnitude. Returns its sign, or 0 if x exceeds the bound
// of numerators.
PADICI_FN int padici_num_joint_numerator(padici_num_joint *j, const uint64_t *u, uint32_t digits)
{
    const padic_num_ring *r = j->ring;
    uint32_t stop;
    if (digits <= j->bounds->guard) return 0;
    if (digits != j->digits) {
        padici_num_words_power(r, j->limit, NULL, digits - j->bounds->guard, j->words);
        j->fit = padici_num_bounds_fit(j->bounds, j->limit, j->words, j->product);
    }
    j->digits = digits;
    if (!j->fit) return 0;
    padici_num_ring_mul(r, j->w, u, j->ring_d);
    padici_num_ring_low(r, j->w, j->w, digits);
    padici_num_words_of_ring(r, j->x, j->w, j->words);
    if (padici_num_bounds_allow(j->bounds, 0, j->x, j->words, j->limit, j->product, &stop))
        return 1;
    padici_num_ring_neg(r, j->t, j->w);
    padici_num_ring_low(r, j->t, j->t, digits);
    padici_num_words_of_ring(r, j->x, j->t, j->words);
    return -padici_num_bounds_allow(j->bounds, 0, j->x, j->words, j->limit, j->product, &stop);
}

// Multiplies d by the denominator of w. 0: there is none, or d exceeds its bound.
PADICI_FN int padici_num_joint_extend(padici_num_joint *j)
{
    const padic_num_ring *r = j->ring;
    const uint32_t n = j->words, all = padici_num_words_bits(j->limit, n);
    uint32_t stop;
    padici_num_big d;
    if (!padici_num_fraction(r, j->w, j->digits, j->bounds, j->x, j->t, j->temp)) return 0;
    if (padici_num_words_bits(j->t, r->words) + padici_num_words_bits(j->d, n) > all + 1) return 0;
    padici_num_words_mul(j->temp, j->d, n, j->t, r->words < n ? r->words : n);
    padici_num_words_copy(j->d, n, j->temp, n);
    if (!padici_num_bounds_allow(j->bounds, 1, j->d, n, j->limit, j->product, &stop)) return 0;
    d.w = j->temp;
    d.n = d.room = n;
    padici_num_big_trim(&d);
    padici_num_ring_of_big(r, j->ring_d, &d);
    return 1;
}

#endif
