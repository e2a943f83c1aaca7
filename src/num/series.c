#include "series.h"
#include "element.h"
#include "limbs.h"
#include "packs.h"
#include "residue.h"
#include "ring_tables.h"
#include "words.h"

#if PADICI_IMPLEMENT_NUM

// exp and log. With x = p^c y: exp(x) = sum p^(kc)/k! y^k and -log(1 - x) = sum p^(kc)/k y^k have
// integral coefficients, so no digit is lost and no guard digits are needed.

// The least v of x for exp.
PADICI_INLINE uint32_t padici_num_series_c(const padic_num_ring *r)
{
    return r->p == 2 ? 2 : 1;
}

static uint32_t padici_num_small_valuation(uint64_t p, uint64_t k, uint64_t *unit)
{
    uint32_t v = 0;
    for (; k && k % p == 0; k /= p) v++;
    *unit = k;
    return v;
}

// The valuation of coefficient k.
static int64_t padici_num_series_valuation(uint64_t p, uint32_t c, int log, uint64_t k)
{
    uint64_t v = 0, unit = k;
    if (log)
        v = padici_num_small_valuation(p, k, &unit);
    else
        while ((unit /= p) > 0) v += unit;
    return (int64_t)(k * c) - (int64_t)v;
}

// How many coefficients are not 0 modulo p^N. The valuations are >= N for exp from
// ((p-1) N - 1) / ((p-1) c - 1) on, for log from N / c + 18 on, since v(k) < 18.
PADICI_FN uint32_t padici_num_series_terms(uint64_t p, uint32_t precision, uint32_t c, int log)
{
    const uint64_t q = (p >> 32 ? UINT64_C(1) << 32 : p) - 1, d = q * c - 1;
    uint64_t n = log ? precision / c + 18 : (q * precision - 1 + d - 1) / d;
    while (n > 1 && padici_num_series_valuation(p, c, log, n - 1) >= (int64_t)precision) n--;
    return n ? (uint32_t)n : 1;
}

PADICI_FN uint32_t padici_num_series_count(const padic_num_ring *r, int log)
{
    return padici_num_series_terms(r->p, r->precision, padici_num_series_c(r), log);
}

// The coefficients, `terms` residues, of exp, or of log(1 + x), up to W128. `t`: 5 residues.
PADICI_FN void padici_num_series_make(const padic_num_ring *r, int log, uint64_t *x, uint32_t terms,
                                  uint64_t *t)
{
    const uint32_t words = r->words, c = padici_num_series_c(r);
    uint64_t *const a = t + words, *const b = t + 2 * words, unit;
    uint32_t k;
    padici_num_ring_set(r, x, 1);
    for (k = 1; k < terms; k++) { // k! without its factors p
        padici_num_small_valuation(r->p, k, &unit);
        padici_num_ring_set(r, a, unit);
        padici_num_ring_mul(r, x + k * words, x + (k - 1) * words, a);
    }
    padici_num_ring_inv(r, t, x + (terms - 1) * words, a);
    for (k = terms; k-- > 0;) { // t = 1 / k!
        uint64_t *const here = x + k * words;
        if (log && k)
            padici_num_ring_mul(r, a, t, here - words);
        else
            padici_num_ring_set(r, a, 0);
        padici_num_ring_up(r, here, log ? a : t,
                           (uint64_t)padici_num_series_valuation(r->p, c, log, k));
        if (log && k % 2 == 0) padici_num_ring_neg(r, here, here);
        padici_num_small_valuation(r->p, k, &unit);
        padici_num_ring_set(r, a, unit);
        padici_num_ring_mul(r, b, t, a);
        padici_num_ring_copy(r, t, b);
    }
}

// x = a b + d s modulo base^words, b of `len` limbs, s below the base; x aliases none of them. For
// one limb the divisions are independent; only the small carries form a chain.
static void padici_num_limbs_muladd(const padic_num_ring *r, uint32_t words, uint64_t *x,
                                const uint64_t *a, const uint64_t *b, uint32_t len,
                                const uint64_t *d, uint64_t s)
{
    const uint64_t base = r->base, divisor = base << r->shift, reciprocal = r->reciprocal;
    const uint32_t shift = r->shift;
    uint64_t quotient = 0, remainder, carry = 0;
    uint32_t k;
    if (len > 1 || base >> 60) {
        padici_num_limbs_product(r, x, words, a, words, b, len, d, s);
        return;
    }
    for (k = 0; k < words; k++) {
        padici_num_wide sum = padici_num_wide_mul(a[k], *b);
        const uint64_t before = quotient + carry;
        if (s) sum = padici_num_wide_add(sum, padici_num_wide_mul(d[k], s));
        quotient = padici_num_divide(padici_num_wide_shl(sum, shift), divisor, reciprocal,
                                     &remainder);
        remainder = (remainder >> shift) + before; // below 3 base
        carry = (uint64_t)(remainder >= base) + (remainder >= 2 * base);
        x[k] = remainder - carry * base;
    }
}

// x = exp(X) or -log(1 - X) for X = base^start Y (start = 0: p^c Y), Y of `len` limbs. The sum over
// a common denominator, by Horner's rule from the end: S = Y S + p^w d, d = k d. The sum from term
// k on is divisible by p^mu, mu the least valuation of a coefficient from there on; S omits that
// factor and needs only N - mu digits. `t`: 5 residues.
static void padici_num_limbs_series(const padic_num_ring *r, int log, uint64_t *x,
                                    const uint64_t *y, uint32_t len, uint32_t start, uint64_t *t)
{
    const uint32_t c = start ? start * r->limb_digits : padici_num_series_c(r);
    const uint64_t size = r->words * sizeof *t;
    uint64_t *s = t, *d = t + r->words, *next = t + 2 * r->words, *other, unit, word, factor;
    uint32_t k = padici_num_series_terms(r->p, r->precision, c, log), words, d_words = 1, first = 1;
    int64_t mu = r->precision, w, up;
    memset(t, 0, (size_t)(3 * size));
    d[0] = 1;
    while (k-- > 0) {
        w = log && !k ? 0 : padici_num_series_valuation(r->p, c, log, k);
        up = w < mu ? mu - w : 0;
        mu -= up;
        if (first) up = 0; // s is 0
        first = 0;
        words = (uint32_t)(r->precision - mu) / r->limb_digits + 1;
        if (words > r->words) words = r->words;
        padici_num_small_valuation(r->p, k, &unit);
        word = log && !k ? 0 : r->power[w - mu][0];
        if (log && k) { // up <= c + v(k), so the factor is at most k
            factor = unit * (up > (int64_t)c && !start ? r->power[up - c][0] : 1);
            padici_num_limbs_muladd(r, words, next, s, &factor, 1, s, 0);
            other = s;
            s = next;
            next = other;
        }
        if (start) {
            padici_num_ring_up(r, s, s, (uint64_t)up);
            padici_num_limbs_muladd(r, words, next, s, y, len, d, word);
        } else {
            factor = y[0] * r->power[up > (int64_t)c ? c : up][0];
            padici_num_limbs_muladd(r, words, next, s, &factor, 1, d, word);
        }
        other = s;
        s = next;
        next = other;
        if (unit < 2) continue;
        if (d_words < r->words) d_words++;
        padici_num_limbs_muladd(r, d_words, next, d, &unit, 1, d, 0);
        if (!next[d_words - 1]) d_words--;
        memcpy(d, next, d_words * sizeof *d);
    }
    s[r->words - 1] = padici_num_limb_low(r, s[r->words - 1], r->top_digits);
    d[r->words - 1] = padici_num_limb_low(r, d[r->words - 1], r->top_digits);
    padici_num_ring_inv(r, next, d, t + 3 * r->words);
    padici_num_ring_mul(r, x, s, next);
}

// exp(a), or log(a) for a = 1 mod p^c, of a long number: a is split at limbs 1, 4, 16, ..., so that
// the many terms of the first part have a factor of one limb. `t`: 10 residues.
PADICI_FN void padici_num_limbs_exp_log(const padic_num_ring *r, int log, uint64_t *x,
                                     const uint64_t *a, uint64_t *t)
{
    uint64_t *const left = t, *const part = t + r->words, *const y = t + 2 * r->words;
    uint64_t *const more = t + 3 * r->words;
    uint32_t start, len = 1;
    padici_num_ring_copy(r, left, a);
    padici_num_ring_set(r, x, !log);
    for (start = 0; start < r->words; start += len, len = 3 * start) {
        if (len > r->words - start) len = r->words - start;
        if (log) { // 1 - left begins at limb `start`; the factor 1 - part takes `len` limbs of it
            padici_num_ring_set(r, y, 1);
            padici_num_ring_sub(r, part, y, left);
            memset(part + start + len, 0, (r->words - start - len) * sizeof *part);
        }
        memcpy(y, (log ? part : left) + start, len * sizeof *y);
        if (!start) y[0] /= r->power[padici_num_series_c(r)][0];
        padici_num_limbs_series(r, log, more, y, len, start, more + r->words);
        if (log) {
            padici_num_ring_sub(r, x, x, more);
            padici_num_ring_set(r, y, 1);
            padici_num_ring_sub(r, part, y, part);
            padici_num_ring_inv(r, y, part, more);
            padici_num_ring_mul(r, more, left, y);
            padici_num_ring_copy(r, left, more);
        } else {
            padici_num_ring_mul(r, y, x, more);
            padici_num_ring_copy(r, x, y);
        }
    }
}

// x = c_0 + c_1 y + ...; `t`: 1 residue.
static void padici_num_ring_horner(const padic_num_ring *r, uint64_t *x, const uint64_t *y,
                               const uint64_t *c, uint32_t terms, uint64_t *t)
{
    padici_num_ring_copy(r, x, c + --terms * r->words);
    while (terms-- > 0) {
        padici_num_ring_mul(r, t, x, y);
        padici_num_ring_add(r, x, t, c + terms * r->words);
    }
}

// x = exp(a), v(a) >= c; `t`: 50 residues.
PADICI_FN void padici_num_ring_exp(const padic_num_ring *r, const padici_num_series *s, uint64_t *x,
                               const uint64_t *a, uint64_t *t)
{
    if (padici_num_packs_can(r)) {
        padici_num_packs_one(r, 0, x, a, t);
    } else if (r->form == PADIC_NUM_RX) {
        padici_num_limbs_exp_log(r, 0, x, a, t);
    } else {
        padici_num_ring_down(r, t, a, padici_num_series_c(r));
        padici_num_ring_horner(r, x, t, s->coefficients[0], s->terms[0], t + r->words);
    }
}

// x = log(a), a = 1 mod p^c; `t`: 50 residues.
PADICI_FN void padici_num_ring_log(const padic_num_ring *r, const padici_num_series *s, uint64_t *x,
                               const uint64_t *a, uint64_t *t)
{
    if (padici_num_packs_can(r)) {
        padici_num_packs_one(r, 1, x, a, t);
    } else if (r->form == PADIC_NUM_RX) {
        padici_num_limbs_exp_log(r, 1, x, a, t);
    } else {
        padici_num_ring_set(r, t, 1);
        padici_num_ring_sub(r, t, a, t);
        padici_num_ring_down(r, t, t, padici_num_series_c(r));
        padici_num_ring_horner(r, x, t, s->coefficients[1], s->terms[1], t + r->words);
    }
}

// x becomes O(p^v): nothing more is known.
PADICI_FN void padici_num_cell_unknown(const padic_num_ring *r, padici_num_cell *x, int32_t v)
{
    padici_num_ring_set(r, x->u, 0);
    x->v = v;
    x->n = 0;
    x->bits = PADIC_NUM_PRECLOSS;
}

// x = the exact 0, or the integer s.
PADICI_FN void padici_num_cell_integer(const padic_num_call *call, padici_num_cell *x, uint64_t s)
{
    padici_num_ring_set(call->ring, x->u, s);
    x->v = !s && call->model != PADIC_NUM_RING ? PADIC_NUM_ZERO : 0;
    x->n = call->ring->precision;
}

// The unit of a in x->u and its valuation in x->v, for RING too, where only x->n digits of it are
// known. 0 and O(p^v) have x->n = 0.
PADICI_FN void padici_num_cell_unit(const padic_num_call *call, padici_num_cell *x,
                                    const padici_num_cell *a)
{
    const padic_num_ring *r = call->ring;
    x->v = a->v;
    x->n = call->model == PADIC_NUM_BALL ? a->n : r->precision;
    if (call->model == PADIC_NUM_RING) {
        const uint32_t v = padici_num_ring_valuation(r, a->u);
        x->v = v < r->precision ? (int32_t)v : PADIC_NUM_ZERO;
        x->n -= v;
        padici_num_ring_down(r, x->u, a->u, v);
    } else {
        padici_num_ring_copy(r, x->u, a->u);
    }
    if (x->v == PADIC_NUM_ZERO) x->n = 0;
}

// exp(a): 1 if the series is needed, of `y`, with padici_num_exp_end() after it.
PADICI_FN int padici_num_exp_begin(const padic_num_call *call, padici_num_cell *x,
                                   const padici_num_cell *a, uint64_t *y)
{
    const padic_num_ring *r = call->ring;
    int64_t v = a->v;
    if (padici_num_cell_nan(x, a, NULL)) return 0;
    padici_num_cell_integer(call, x, 1);
    if (call->model == PADIC_NUM_RING)
        v = padici_num_ring_is_zero(r, a->u) ? PADIC_NUM_ZERO
                                             : (int64_t)padici_num_ring_valuation(r, a->u);
    if (v < (int64_t)padici_num_series_c(r)) {
        x->bits = PADIC_NUM_OUTSIDE;
        return 0;
    }
    if (padici_num_ring_is_zero(r, a->u)) {
        padici_num_exp_end(call, x, a);
        return 0;
    }
    padici_num_ring_up(r, y, a->u, call->model == PADIC_NUM_RING ? 0 : (uint64_t)v);
    return 1;
}

PADICI_FN void padici_num_exp_end(const padic_num_call *call, padici_num_cell *x,
                                  const padici_num_cell *a)
{
    const padic_num_ring *r = call->ring;
    const int64_t known = (int64_t)a->v + a->n;
    if (call->model == PADIC_NUM_BALL && known < (int64_t)r->precision) {
        x->n = (uint32_t)known;
        padici_num_ring_low(r, x->u, x->u, x->n);
    }
}

PADICI_FN void padici_num_exp_one(const padic_num_call *call, padici_num_cell *x,
                                  const padici_num_cell *a, const padici_num_cell *b,
                                  const padici_num_cell *c, uint64_t *temp)
{
    const padic_num_ring *r = call->ring;
    (void)b;
    (void)c;
    if (!padici_num_exp_begin(call, x, a, temp)) return;
    padici_num_ring_exp(r, (const padici_num_series *)call->options, x->u, temp, temp + r->words);
    padici_num_exp_end(call, x, a);
}

// log(a): 1 if the series is needed, of `y`, with padici_num_log_end() after it. `t`: 1 residue.
// call->k: the padic_num_log_branch.
PADICI_FN int padici_num_log_begin(const padic_num_call *call, padici_num_cell *x,
                                   const padici_num_cell *a, padici_num_log_state *state,
                                   uint64_t *y, uint64_t *t)
{
    const padic_num_ring *r = call->ring;
    if (padici_num_cell_nan(x, a, NULL)) return 0;
    padici_num_cell_unit(call, x, a);
    state->known = x->n;
    state->digit = padici_num_ring_digit(r, x->u);
    if (!x->n || (!call->k && (x->v || state->digit != 1))) {
        x->bits = PADIC_NUM_OUTSIDE;
        return 0;
    }
    if (r->p == 2 && call->model == PADIC_NUM_BALL && x->n == 1) {
        padici_num_cell_unknown(r, x, 2); // the logarithms of odd numbers fill all of 4 Z_2
        return 0;
    }
    x->v = 0;
    padici_num_ring_set(r, t, 1);
    state->one = padici_num_ring_same(r, t, x->u);
    padici_num_ring_copy(r, y, x->u);
    if (r->p == 2 && x->u[0] & 2) padici_num_ring_neg(r, y, y);
    if (state->digit != 1) padici_num_ring_pow(r, y, x->u, r->p - 1, t);
    return 1;
}

// `t`: 4 residues.
PADICI_FN void padici_num_log_end(const padic_num_call *call, padici_num_cell *x,
                                  const padici_num_log_state *state, uint64_t *t)
{
    const padic_num_ring *r = call->ring;
    if (state->digit != 1) { // / (p - 1)
        padici_num_ring_set(r, t, r->p - 1);
        padici_num_ring_inv(r, t + r->words, t, t + 2 * r->words);
        padici_num_ring_mul(r, t, x->u, t + r->words);
        padici_num_ring_copy(r, x->u, t);
    }
    if (call->model == PADIC_NUM_RING && state->known < r->precision) {
        padici_num_ring_low(r, x->u, x->u, state->known);
        x->bits = PADIC_NUM_PRECLOSS;
    } else if (call->model == PADIC_NUM_FLOAT && state->one) {
        padici_num_cell_integer(call, x, 0);
    } else {
        padici_num_cell_normal(call, x);
    }
}

PADICI_FN void padici_num_log_one(const padic_num_call *call, padici_num_cell *x,
                                  const padici_num_cell *a, const padici_num_cell *b,
                                  const padici_num_cell *c, uint64_t *temp)
{
    const padic_num_ring *r = call->ring;
    padici_num_log_state state;
    (void)b;
    (void)c;
    if (!padici_num_log_begin(call, x, a, &state, temp, temp + r->words)) return;
    padici_num_ring_log(r, (const padici_num_series *)call->options, x->u, temp, temp + r->words);
    padici_num_log_end(call, x, &state, temp);
}

PADICI_FN void padici_num_pow_padic_one(const padic_num_call *call, padici_num_cell *x,
                                    const padici_num_cell *a, const padici_num_cell *b,
                                    const padici_num_cell *c, uint64_t *temp)
{
    const padic_num_ring *r = call->ring;
    padici_num_cell log, product;
    if (padici_num_cell_nan(x, a, b)) return;
    log = product = *x;
    log.u = temp;
    product.u = temp + r->words;
    temp += 2 * r->words;
    if (r->p == 2 && (call->model == PADIC_NUM_BALL ? a->n == 1 || a->u[0] & 2
                                                    : r->precision > 1 && a->u[0] & 2)) {
        x->bits = PADIC_NUM_OUTSIDE;
        return;
    }
    padici_num_log_one(call, &log, a, b, c, temp);
    if (log.bits & PADIC_NUM_HARD) {
        x->bits = log.bits;
        return;
    }
    padici_num_cell_mul(call, &product, &log, b);
    product.bits = 0;
    padici_num_exp_one(call, x, &product, b, c, temp);
}

PADICI_FN void padici_num_teichmueller_one(const padic_num_call *call, padici_num_cell *x,
                                    const padici_num_cell *a, const padici_num_cell *b,
                                    const padici_num_cell *c, uint64_t *temp)
{
    const padic_num_ring *r = call->ring;
    (void)b;
    (void)c;
    if (padici_num_cell_nan(x, a, NULL)) return;
    padici_num_cell_integer(call, x, 0);
    if (a->v > 0) return; // includes ZERO
    if (a->v < 0) {
        x->bits = PADIC_NUM_OUTSIDE;
    } else if (call->model == PADIC_NUM_BALL && !a->n) {
        padici_num_cell_unknown(r, x, 0);
    } else if (call->model == PADIC_NUM_RING || padici_num_ring_digit(r, a->u)) {
        x->v = 0;
        x->n = r->precision;
        padici_num_ring_teichmueller(
            r, x->u, r->p == 2 ? a->u[0] & 3 : padici_num_ring_digit(r, a->u), temp);
        if (r->p == 2 && call->model == PADIC_NUM_BALL && a->n == 1 && r->precision > 1) {
            x->n = 1;
            x->bits = PADIC_NUM_PRECLOSS;
        }
    }
}

#endif
