#include "packs.h"
#include "limbs.h"
#include "residue.h"
#include "ring_tables.h"
#include "series.h"
#include "words.h"

#if PADICI_IMPLEMENT_NUM

// Inverses, square roots, exponentials and logarithms of long numbers, of one or of several side by
// side: the same steps for all, since they depend on the ring alone.

// The product of one lane.
PADICI_FN void padici_num_packs_plain(const padici_num_packs *p, uint64_t *x, uint32_t n,
                                      const uint64_t *a, uint32_t an, const uint64_t *b,
                                      uint32_t bn, const uint64_t *add, uint32_t step, int minus)
{
    const padic_num_ring *r = p->ring;
    uint64_t borrow = 0;
    uint32_t k;
    (void)step;
    padici_num_limbs_product(r, x, n, a, an, b, bn, minus ? NULL : add, 1);
    for (k = 0; minus && k < n; k++) {
        const uint64_t y = x[k] + borrow, z = add ? add[k] : 0;
        borrow = z < y;
        x[k] = z - y + (borrow ? r->base : 0);
    }
}

static void padici_num_packs_same(const padici_num_packs *p, uint64_t *x, const uint64_t *a,
                                  uint32_t n)
{
    uint32_t j, k;
    for (k = 0; k < n; k++)
        for (j = 0; j < p->lanes; j++) x[k * p->lanes + j] = a[k];
}

// x = floor(x / p^k) of `from` limbs, of which `to` remain.
static void padici_num_packs_down(const padici_num_packs *p, uint64_t *x, uint32_t from,
                                  uint32_t to, uint32_t k)
{
    const padic_num_ring *r = p->ring;
    const uint32_t limbs = k / r->limb_digits, part = k % r->limb_digits;
    const uint64_t low = r->power[part][0], up = r->power[r->limb_digits - part][0];
    uint32_t i, j;
    for (i = 0; i < to; i++)
        for (j = 0; j < p->lanes; j++) {
            const uint64_t here = i + limbs < from ? x[(i + limbs) * p->lanes + j] : 0;
            const uint64_t next = i + limbs + 1 < from ? x[(i + limbs + 1) * p->lanes + j] : 0;
            x[i * p->lanes + j] = part ? here / low + next % low * up : here;
        }
}

PADICI_FN void padici_num_packs_cut(const padici_num_packs *p, uint64_t *x)
{
    const padic_num_ring *r = p->ring;
    uint32_t j;
    x += (r->words - 1) * p->lanes;
    if (r->top_digits == r->limb_digits) return;
    for (j = 0; j < p->lanes; j++) x[j] = padici_num_limb_low(r, x[j], r->top_digits);
}

// x = 1 - a, a of n limbs.
static void padici_num_packs_one_minus(const padici_num_packs *p, uint64_t *x, const uint64_t *a,
                                       uint32_t n)
{
    uint32_t j, k;
    for (j = 0; j < p->lanes; j++) {
        uint64_t borrow = 0;
        for (k = 0; k < p->ring->words; k++) {
            const uint64_t y = (k < n ? a[k * p->lanes + j] : 0) + borrow, z = !k;
            borrow = z < y;
            x[k * p->lanes + j] = z - y + (borrow ? p->ring->base : 0);
        }
    }
}

// Integers below base^n that all lanes share. *len limbs times s.
static void padici_num_shared_times(const padic_num_ring *r, uint64_t *d, uint32_t *len, uint64_t s)
{
    padici_num_wide carry = {0, 0};
    uint32_t i;
    for (i = 0; i < *len; i++) {
        const padici_num_wide x = padici_num_wide_mul(d[i], s);
        carry = padici_num_wide_add(x, carry);
        d[i] = padici_num_limbs_carry(r, &carry);
    }
    if (carry.low) d[(*len)++] = carry.low;
}

// x = d / s, which is exact.
static void padici_num_shared_over(const padic_num_ring *r, uint64_t *x, const uint64_t *d,
                                   uint32_t len, uint64_t s)
{
    padici_num_wide rest = {0, 0};
    while (len-- > 0) {
        padici_num_wide next = padici_num_wide_mul(rest.low, r->base);
        next = padici_num_wide_add(next, padici_num_wide_make(d[len], 0));
        x[len] = padici_num_wide_div(next, padici_num_wide_make(s, 0), &rest).low;
    }
}

// The common denominator of the terms below `terms`, of `*len` limbs: (terms - 1)! of exp, the
// least common multiple of log. Returns its valuation.
static uint32_t padici_num_shared_make(const padic_num_ring *r, int log, uint32_t terms,
                                       uint64_t *d, uint32_t *len)
{
    uint32_t v = 0, k, q, rest;
    d[0] = 1;
    *len = 1;
    for (k = 2; k < terms; k++) {
        for (q = 2; log && q * q <= k && k % q; q++) {}
        if (!log || q * q > k) q = k;
        for (rest = k; log && rest % q == 0; rest /= q) {}
        if (log && rest > 1) continue; // only powers of a prime q are new, by a factor q
        padici_num_shared_times(r, d, len, q);
        for (rest = q; rest % r->p == 0; rest /= (uint32_t)r->p) v++;
    }
    return v;
}

// The inverse of d / p^v for p->inverse, unless that is already of this part.
static void padici_num_shared_inverse(padici_num_packs *p, uint32_t key, uint64_t *d, uint32_t v,
                                      uint64_t *t)
{
    const padic_num_ring *r = p->ring;
    padici_num_packs one = *p;
    one.lanes = 1;
    if (p->key == key) return;
    padici_num_packs_down(&one, d, r->words, r->words, v);
    padici_num_ring_inv(r, t, d, t + r->words);
    padici_num_packs_same(p, p->inverse, t, r->words);
    p->key = key;
}

// x = exp(X), or add + log(1 - X), for X = base^start Y, Y of `len` limbs: the sum over a common
// denominator, S = Y S + base^(k start) d_k from the end, without the limbs that are 0. `t`: 2
// packs, then 5 pack lengths of one lane.
static void padici_num_packs_series(padici_num_packs *p, int log, uint64_t *x, const uint64_t *y,
                                    uint32_t len, uint32_t start, const uint64_t *add, uint64_t *t)
{
    const padic_num_ring *r = p->ring;
    const uint32_t lanes = p->lanes, size = padici_num_pack_limbs(r);
    uint64_t *s = t, *next = t + (size_t)size * lanes, *other;
    uint64_t *const d = t + 2 * (size_t)size * lanes, *const all = d + size;
    const uint32_t terms = padici_num_series_terms(r->p, r->precision, start * r->limb_digits, log);
    uint32_t d_len, n, v, k = terms - 1, first = 1;
    memset(d, 0, 2 * size * sizeof *d);
    v = padici_num_shared_make(r, log, terms, all, &d_len);
    n = r->words + (v + r->limb_digits - 1) / r->limb_digits;
    if (!log) {
        d[0] = 1;
        d_len = 1;
    } else {
        padici_num_shared_over(r, d, all, d_len, k ? k : 1);
    }
    padici_num_packs_same(p, s + (size_t)k * start * lanes, d, n - k * start);
    for (; k > 0; k--) {
        const uint32_t at = k * start, rest = n - at;
        uint32_t an = rest;
        if (first && d_len < an) an = d_len;
        first = 0;
        if (!log)
            padici_num_shared_times(r, d, &d_len, k);
        else if (k > 1)
            padici_num_shared_over(r, d, all, d_len, k - 1);
        else
            memset(d, 0, size * sizeof *d);
        (*p->product)(p, next + (size_t)at * lanes, rest, s + (size_t)at * lanes, an, y,
                      len < rest ? len : rest, d + start, 1, 0);
        padici_num_packs_same(p, next + (size_t)(at - start) * lanes, d, start);
        other = s;
        s = next;
        next = other;
    }
    if (v) padici_num_packs_down(p, s, n, r->words, v);
    padici_num_shared_inverse(p, 2 * start + (uint32_t)log, all, v, all + size);
    (*p->product)(p, x, r->words, s, r->words, p->inverse, r->words, log ? add : NULL, lanes, log);
}

// Exponentials of the lowest limb: of p^c 2^(w i) k for k < 2^w, in the ring's tables. The number
// of windows; 0: none, since the limb has no digit from c on, or they would take too much memory.
PADICI_FN uint32_t padici_num_windows(const padic_num_ring *r, uint32_t *bits)
{
    const uint32_t c = r->p == 2 ? 2 : 1;
    uint32_t w, n, all;
    *bits = 0;
    if (r->form != PADIC_NUM_RX || r->limb_digits <= c) return 0;
    all = 64 - padici_clz64(r->power[r->limb_digits - c][0] - 1);
    for (w = 5; w > 1; w--) {
        n = (all + w - 1) / w;
        if ((uint64_t)n * r->words << w <= UINT64_C(1) << 17) break;
    }
    *bits = w;
    return w > 1 ? n : 0;
}

// 1 if the exponential and logarithm below can be taken.
PADICI_FN int padici_num_packs_can(const padic_num_ring *r)
{
    const padici_num_tables *t = padici_num_tables_of(r);
    return r->form == PADIC_NUM_RX && (r->limb_digits <= (r->p == 2 ? 2u : 1u) ||
                                       (t && t->series[0]));
}

// x = the window's exponentials for the lanes' y.
static void padici_num_packs_window(const padici_num_packs *p, uint32_t window, uint64_t *x,
                                    const uint64_t *y)
{
    const padic_num_ring *r = p->ring;
    const padici_num_tables *t = padici_num_tables_of(r);
    const uint64_t *const table = padici_num_table(t, t->series[0]);
    uint32_t bits, j, k;
    padici_num_windows(r, &bits);
    for (j = 0; j < p->lanes; j++) {
        const uint64_t at = (y[j] >> window * bits) & ((UINT64_C(1) << bits) - 1);
        const uint64_t *const from = table + (((uint64_t)window << bits) + at) * r->words;
        for (k = 0; k < r->words; k++) x[k * p->lanes + j] = from[k];
    }
}

static uint32_t padici_num_packs_part(const padic_num_ring *r, uint32_t start)
{
    const uint32_t len = r->words <= PADICI_NUM_PACK_WHOLE ? r->words : 3 * start;
    return len < r->words - start ? len : r->words - start;
}

// x = exp(a), v(a) >= c. `t`: 5 packs, then 5 pack lengths of one lane.
PADICI_FN void padici_num_packs_exp(padici_num_packs *p, uint64_t *x, const uint64_t *a,
                                    uint64_t *t)
{
    const padic_num_ring *r = p->ring;
    const size_t size = (size_t)padici_num_pack_limbs(r) * p->lanes;
    uint64_t *now = t, *next = t + size, *other, *const part = t + 2 * size, y[8];
    const uint64_t c = r->power[r->p == 2 ? 2 : 1][0];
    uint32_t bits, i, start, len, have = 0;
    const uint32_t windows = padici_num_windows(r, &bits);
    for (i = 0; i < p->lanes; i++) y[i] = a[i] / c;
    for (i = 0; i < windows; i++) {
        padici_num_packs_window(p, i, have ? part : now, y);
        if (!have++) continue;
        (*p->product)(p, next, r->words, now, r->words, part, r->words, NULL, 0, 0);
        other = now;
        now = next;
        next = other;
    }
    for (start = 1; start < r->words; start += len) {
        len = padici_num_packs_part(r, start);
        padici_num_packs_series(p, 0, have ? part : now, a + (size_t)start * p->lanes, len, start,
                                NULL, t + 3 * size);
        if (!have++) continue;
        (*p->product)(p, next, r->words, now, r->words, part, r->words, NULL, 0, 0);
        other = now;
        now = next;
        next = other;
    }
    if (!have) {
        memset(now, 0, r->words * p->lanes * sizeof *now);
        for (i = 0; i < p->lanes; i++) now[i] = 1;
    }
    memcpy(x, now, r->words * p->lanes * sizeof *x);
    padici_num_packs_cut(p, x);
}

PADICI_FN uint32_t padici_num_limb_terms(const padic_num_ring *r)
{
    return padici_num_series_terms(r->p, r->limb_digits, r->p == 2 ? 2 : 1, 1);
}

// The logarithm of 1 + p^c y modulo the base.
static uint64_t padici_num_limb_log(const padic_num_ring *r, uint64_t y)
{
    const padici_num_tables *t = padici_num_tables_of(r);
    const uint64_t *const c = padici_num_table(t, t->series[1]);
    uint32_t k = padici_num_limb_terms(r) - 1;
    uint64_t x = c[k];
    while (k-- > 0) {
        x = padici_num_limb_mul(r, x, y) + c[k];
        if (x >= r->base) x -= r->base;
    }
    return x;
}

// part = 1 - a exp(X0), x = -X0, for the X0 below the base that makes limb 0 of `part` 0.
static void padici_num_packs_first(padici_num_packs *p, uint64_t *x, uint64_t *part,
                                   const uint64_t *a, uint64_t *t)
{
    const padic_num_ring *r = p->ring;
    const size_t size = (size_t)padici_num_pack_limbs(r) * p->lanes;
    const uint64_t c = r->power[r->p == 2 ? 2 : 1][0];
    uint64_t *now = t, *next = t + size, *other, *const factor = t + 2 * size;
    uint64_t *const one = t + 3 * size, y[8];
    uint32_t bits, i, j;
    const uint32_t windows = padici_num_windows(r, &bits);
    memset(one, 0, r->words * sizeof *one);
    one[0] = 1;
    for (j = 0; j < p->lanes; j++) {
        x[j] = windows ? padici_num_limb_log(r, (a[j] - 1) / c) : 0;
        y[j] = x[j] ? (r->base - x[j]) / c : 0;
        for (i = 1; i < r->words; i++) x[i * p->lanes + j] = x[j] ? r->base - 1 : 0;
    }
    memcpy(now, a, r->words * p->lanes * sizeof *now);
    for (i = 0; i < windows; i++) {
        padici_num_packs_window(p, i, factor, y);
        (*p->product)(p, i + 1 < windows ? next : part, r->words, now, r->words, factor, r->words,
                      i + 1 < windows ? NULL : one, 1, i + 1 == windows);
        other = now;
        now = next;
        next = other;
    }
    if (!windows) padici_num_packs_one_minus(p, part, a, r->words);
}

// x = log(a), a = 1 modulo p^c. `t`: 7 packs, then 5 pack lengths of one lane.
PADICI_FN void padici_num_packs_log(padici_num_packs *p, uint64_t *x, const uint64_t *a,
                                    uint64_t *t)
{
    const padic_num_ring *r = p->ring;
    const size_t size = (size_t)padici_num_pack_limbs(r) * p->lanes;
    uint64_t *sum = t, *next = t + size, *const part = t + 2 * size, *const y = t + 3 * size;
    uint64_t *const more = t + 4 * size, *other;
    uint32_t start, len;
    padici_num_packs_first(p, sum, part, a, y);
    for (start = 1; start < r->words; start += len) {
        const size_t low = (size_t)start * p->lanes;
        len = padici_num_packs_part(r, start);
        padici_num_packs_series(p, 1, next, part + low, len, start, sum, more);
        other = sum;
        sum = next;
        next = other;
        if (start + len >= r->words) break;
        // 1 - part' = (1 - part) / (1 - y), y the limbs that are done
        padici_num_packs_one_minus(p, y, part, start + len);
        padici_num_packs_inv(p, next, y, r->words, more);
        padici_num_packs_one_minus(p, y, part, r->words);
        (*p->product)(p, more, r->words, y, r->words, next, r->words, NULL, 0, 0);
        padici_num_packs_one_minus(p, part, more, r->words);
    }
    memcpy(x, sum, r->words * p->lanes * sizeof *x);
    padici_num_packs_cut(p, x);
}

// The inverses modulo the base of units, by one inversion of their product.
static void padici_num_packs_seeds(const padici_num_packs *p, uint64_t *x, const uint64_t *a)
{
    const padic_num_ring *r = p->ring;
    uint64_t left[PADICI_NUM_PACK_LANES], all = a[0], inverse, two;
    uint32_t j, known;
    for (j = 1; j < p->lanes; j++) {
        left[j] = all;
        all = padici_num_limb_mul(r, all, a[j]);
    }
    inverse = padici_num_seed_inverse(r, &all, &known);
    for (; known < r->limb_digits; known *= 2) {
        two = padici_num_limb_mul(r, all, inverse);
        two = two > 2 ? r->base + 2 - two : 2 - two;
        inverse = padici_num_limb_mul(r, inverse, two);
    }
    while (j-- > 1) {
        x[j] = padici_num_limb_mul(r, inverse, left[j]);
        inverse = padici_num_limb_mul(r, inverse, a[j]);
    }
    x[0] = inverse;
}

// x = 1 / a by Newton's x (2 - a x), a of `len` limbs. `t`: 1 pack.
PADICI_FN void padici_num_packs_inv(padici_num_packs *p, uint64_t *x, const uint64_t *a,
                                    uint32_t len, uint64_t *t)
{
    const padic_num_ring *r = p->ring;
    const uint32_t lanes = p->lanes;
    uint32_t known, n, j, k;
    padici_num_packs_seeds(p, x, a);
    for (n = 1; n < r->words; n = known) {
        known = n > r->words / 2 ? r->words : 2 * n;
        (*p->product)(p, t, known, a, len < known ? len : known, x, n, NULL, 0, 0);
        for (j = 0; j < lanes; j++) { // 2 - a x = 1 - base^n (...)
            uint64_t borrow = 0;
            for (k = n; k < known; k++) {
                const uint64_t d = t[k * lanes + j] + borrow;
                borrow = d != 0;
                t[k * lanes + j] = d ? r->base - d : 0;
            }
        }
        (*p->product)(p, x + (size_t)n * lanes, known - n, x, known - n, t + (size_t)n * lanes,
                      known - n, NULL, 0, 0);
    }
}

// x = sqrt(u), p odd, from z = 1 / root modulo the base: z += z (1 - u z^2) / 2, and from half of
// the limbs y = u z, x = y + z (u - y^2) / 2. z has room for a pack. `t`: 4 packs.
PADICI_FN void padici_num_packs_sqrt(padici_num_packs *p, uint64_t *x, const uint64_t *u,
                                     uint64_t *z, uint64_t *t)
{
    const padic_num_ring *r = p->ring;
    const uint32_t lanes = p->lanes, half = (r->words + 1) / 2;
    const size_t size = (size_t)padici_num_pack_limbs(r) * lanes;
    uint64_t *const two = t, *const uh = t + size, *const q = t + 2 * size, *const b = t + 3 * size;
    uint32_t n, next, j;
    for (n = 0; n < r->words; n++) // 1 / 2
        for (j = 0; j < lanes; j++) two[n * lanes + j] = r->base / 2 + !n;
    if (half > 1) (*p->product)(p, uh, half, u, half, two, half, NULL, 0, 0);
    for (n = 1; n < half; n = next) {
        next = n > half / 2 ? half : 2 * n;
        (*p->product)(p, q, next, z, n, z, n, NULL, 0, 0);
        (*p->product)(p, b, next, uh, next, q, next, two, lanes, 1);
        (*p->product)(p, z + (size_t)n * lanes, next - n, z, next - n, b + (size_t)n * lanes,
                      next - n, NULL, 0, 0);
    }
    (*p->product)(p, x, half, u, half, z, half, NULL, 0, 0);
    if (half < r->words) {
        n = r->words - half; // not above half
        (*p->product)(p, q, r->words, x, half, x, half, u, lanes, 1);
        (*p->product)(p, uh, n, z, n, two, n, NULL, 0, 0);
        (*p->product)(p, x + (size_t)half * lanes, n, uh, n, q + (size_t)half * lanes, n, NULL, 0,
                      0);
    }
    padici_num_packs_cut(p, x);
}

#endif
