#include "element.h"
#include "residue.h"

#if PADICI_IMPLEMENT_NUM

// --------------------------------------------------------------------------------- >>arith impl
//
// Each operation is a function of one element (padici_..._one), right for every form and model.
// One-word rings and floats also have loops, made for each form, which hand the rare elements
// (specials, limits) to that function.

PADICI_FN void padici_num_cell_copy(const padic_num_ring *r, padici_num_cell *x,
                                    const padici_num_cell *a)
{
    x->v = a->v;
    x->n = a->n;
    x->bits = a->bits;
    padici_num_ring_copy(r, x->u, a->u);
}

// a + b, or a - b.
PADICI_FN void padici_num_cell_sum(const padic_num_call *call, padici_num_cell *x,
                                   const padici_num_cell *a, const padici_num_cell *b, int minus,
                                   uint64_t *temp)
{
    const padic_num_ring *r = call->ring;
    int64_t d, known;
    if (call->model == PADIC_NUM_RING) {
        (minus ? padici_num_ring_sub : padici_num_ring_add)(r, x->u, a->u, b->u);
        return;
    }
    if (padici_num_cell_nan(x, a, b)) return;
    if (b->v == PADIC_NUM_ZERO) {
        padici_num_cell_copy(r, x, a);
        return;
    }
    if (minus) {
        padici_num_ring_neg(r, temp, b->u);
        padici_num_ring_low(r, temp, temp, b->n);
    } else {
        padici_num_ring_copy(r, temp, b->u);
    }
    if (a->v == PADIC_NUM_ZERO) {
        padici_num_cell_copy(r, x, b);
        padici_num_ring_copy(r, x->u, temp);
        return;
    }
    x->v = a->v < b->v ? a->v : b->v;
    d = (int64_t)b->v - a->v;
    known = (int64_t)a->v + a->n < (int64_t)b->v + b->n ? (int64_t)a->v + a->n
                                                        : (int64_t)b->v + b->n;
    if (call->model == PADIC_NUM_BALL && known <= x->v) { // no known digit remains
        x->v = (int32_t)known;
        x->n = 0;
        memset(x->u, 0, r->words * sizeof *x->u);
        x->bits |= PADIC_NUM_PRECLOSS;
        return;
    }
    if (call->model == PADIC_NUM_BALL) x->n = (uint32_t)(known - x->v);
    if (d >= 0) {
        padici_num_ring_up(r, temp, temp, (uint64_t)d);
        padici_num_ring_add(r, x->u, a->u, temp);
    } else {
        padici_num_ring_up(r, x->u, a->u, (uint64_t)-d);
        padici_num_ring_add(r, x->u, x->u, temp);
    }
    padici_num_cell_normal(call, x);
}

// Applies the limits of valuations to an intermediate result, as if it had been stored.
PADICI_FN void padici_num_cell_limit(padici_num_cell *x)
{
    if (x->v == PADIC_NUM_NAN || x->v == PADIC_NUM_ZERO) return;
    if (x->v > PADIC_NUM_MAX_VALUATION) {
        x->v = PADIC_NUM_ZERO;
        x->bits |= PADIC_NUM_INEXACT;
    } else if (x->v < -PADIC_NUM_MAX_VALUATION) {
        x->v = PADIC_NUM_NAN;
        x->bits |= PADIC_NUM_RANGE;
    }
}

// a b: 1 if a product of the units is needed.
PADICI_FN int padici_num_mul_begin(const padic_num_call *call, padici_num_cell *x,
                                   const padici_num_cell *a, const padici_num_cell *b)
{
    if (call->model == PADIC_NUM_RING) return 1;
    if (padici_num_cell_nan(x, a, b)) return 0;
    if (a->v == PADIC_NUM_ZERO || b->v == PADIC_NUM_ZERO) {
        x->v = PADIC_NUM_ZERO;
        memset(x->u, 0, call->ring->words * sizeof *x->u);
        return 0;
    }
    x->v = a->v + b->v;
    x->n = a->n < b->n ? a->n : b->n;
    return 1;
}

PADICI_FN void padici_num_cell_mul(const padic_num_call *call, padici_num_cell *x,
                                   const padici_num_cell *a, const padici_num_cell *b)
{
    const padic_num_ring *r = call->ring;
    if (!padici_num_mul_begin(call, x, a, b)) return;
    padici_num_ring_mul(r, x->u, a->u, b->u);
    if (call->model == PADIC_NUM_BALL) padici_num_ring_low(r, x->u, x->u, x->n);
}

// a / b; a NULL: 1 / b. 1 if a quotient of the units is needed, and not 0 or a special.
PADICI_FN int padici_num_div_begin(const padic_num_call *call, padici_num_cell *x,
                                   const padici_num_cell *a, const padici_num_cell *b)
{
    const padic_num_ring *r = call->ring;
    if (call->model == PADIC_NUM_RING) {
        if (padici_num_ring_is_zero(r, b->u))
            x->bits = PADIC_NUM_DIV0;
        else if (!padici_num_ring_unit(r, b->u))
            x->bits = PADIC_NUM_NONUNIT;
    } else {
        if (padici_num_cell_nan(x, a ? a : b, b)) return 0;
        if (b->v == PADIC_NUM_ZERO || !b->n)
            x->bits = PADIC_NUM_DIV0;
        else if (a && a->v == PADIC_NUM_ZERO)
            x->v = PADIC_NUM_ZERO;
        else
            x->v = a ? a->v - b->v : -b->v;
        x->n = a && a->n < b->n ? a->n : b->n;
    }
    if (!x->bits && x->v != PADIC_NUM_ZERO) return 1;
    memset(x->u, 0, r->words * sizeof *x->u);
    return 0;
}

PADICI_FN void padici_num_cell_div(const padic_num_call *call, padici_num_cell *x,
                                   const padici_num_cell *a, const padici_num_cell *b,
                                   uint64_t *temp)
{
    const padic_num_ring *r = call->ring;
    uint64_t *const inverse = temp + 2 * r->words;
    if (!padici_num_div_begin(call, x, a, b)) return;
    if (a) {
        padici_num_ring_inv(r, inverse, b->u, temp);
        padici_num_ring_mul(r, x->u, a->u, inverse);
    } else {
        padici_num_ring_inv(r, x->u, b->u, temp);
    }
    if (call->model == PADIC_NUM_BALL) padici_num_ring_low(r, x->u, x->u, x->n);
}

PADICI_FN void padici_num_add_one(const padic_num_call *call, padici_num_cell *x,
                                  const padici_num_cell *a, const padici_num_cell *b,
                                  const padici_num_cell *c, uint64_t *temp)
{
    (void)c;
    padici_num_cell_sum(call, x, a, b, 0, temp);
}

PADICI_FN void padici_num_sub_one(const padic_num_call *call, padici_num_cell *x,
                                  const padici_num_cell *a, const padici_num_cell *b,
                                  const padici_num_cell *c, uint64_t *temp)
{
    (void)c;
    padici_num_cell_sum(call, x, a, b, 1, temp);
}

PADICI_FN void padici_num_neg_one(const padic_num_call *call, padici_num_cell *x,
                                  const padici_num_cell *a, const padici_num_cell *b,
                                  const padici_num_cell *c, uint64_t *temp)
{
    (void)b;
    (void)c;
    (void)temp;
    padici_num_cell_copy(call->ring, x, a);
    padici_num_ring_neg(call->ring, x->u, a->u);
    padici_num_ring_low(call->ring, x->u, x->u, a->n);
}

PADICI_FN void padici_num_mul_one(const padic_num_call *call, padici_num_cell *x,
                                  const padici_num_cell *a, const padici_num_cell *b,
                                  const padici_num_cell *c, uint64_t *temp)
{
    (void)c;
    (void)temp;
    padici_num_cell_mul(call, x, a, b);
}

PADICI_FN void padici_num_inv_one(const padic_num_call *call, padici_num_cell *x,
                                  const padici_num_cell *a, const padici_num_cell *b,
                                  const padici_num_cell *c, uint64_t *temp)
{
    (void)b;
    (void)c;
    padici_num_cell_div(call, x, NULL, a, temp);
}

PADICI_FN void padici_num_div_one(const padic_num_call *call, padici_num_cell *x,
                                  const padici_num_cell *a, const padici_num_cell *b,
                                  const padici_num_cell *c, uint64_t *temp)
{
    (void)c;
    padici_num_cell_div(call, x, a, b, temp);
}

// x = a b + c with an intermediate at temp.
PADICI_FN void padici_num_fma_one(const padic_num_call *call, padici_num_cell *x,
                                  const padici_num_cell *a, const padici_num_cell *b,
                                  const padici_num_cell *c, uint64_t *temp)
{
    padici_num_cell product;
    product.u = temp + call->ring->words;
    product.v = 0;
    product.n = call->ring->precision;
    product.bits = 0;
    padici_num_cell_mul(call, &product, a, b);
    padici_num_cell_limit(&product);
    padici_num_cell_sum(call, x, &product, c, 0, temp);
    if (x->v != PADIC_NUM_NAN) x->bits |= product.bits;
}

// a p^k.
PADICI_FN void padici_num_shift_one(const padic_num_call *call, padici_num_cell *x,
                                    const padici_num_cell *a, const padici_num_cell *b,
                                    const padici_num_cell *c, uint64_t *temp)
{
    const padic_num_ring *r = call->ring;
    const int64_t k = call->k;
    (void)b;
    (void)c;
    (void)temp;
    padici_num_cell_copy(r, x, a);
    if (call->model != PADIC_NUM_RING) {
        if (a->v == PADIC_NUM_NAN || a->v == PADIC_NUM_ZERO) return;
        x->v = padici_num_val_clamp(k > INT32_MAX   ? INT32_MAX
                                    : k < INT32_MIN ? INT32_MIN
                                                    : a->v + k);
    } else if (k >= 0) {
        padici_num_ring_up(r, x->u, a->u, (uint64_t)k);
    } else if (!padici_num_ring_is_zero(r, a->u) &&
               padici_num_ring_valuation(r, a->u) < 0 - (uint64_t)k) {
        x->bits = PADIC_NUM_NONUNIT;
        memset(x->u, 0, r->words * sizeof *x->u);
    } else {
        padici_num_ring_down(r, x->u, a->u, 0 - (uint64_t)k);
        x->bits = PADIC_NUM_PRECLOSS;
    }
}

// a^k for an exponent given by sign and magnitude.
PADICI_FN void padici_num_cell_pow(const padic_num_call *call, padici_num_cell *x,
                                   const padici_num_cell *a, int negative, padici_num_wide k,
                                   uint64_t *temp)
{
    const padic_num_ring *r = call->ring;
    uint64_t *const base = temp + 3 * r->words, unit;
    uint32_t i = padici_num_wide_bits(k);
    const int zero = call->model == PADIC_NUM_RING ? padici_num_ring_is_zero(r, a->u)
                                                   : a->v == PADIC_NUM_ZERO || !a->n;
    if (call->model != PADIC_NUM_RING && padici_num_cell_nan(x, a, NULL)) return;
    if (i && negative && zero) x->bits = PADIC_NUM_DIV0;
    if (i && negative && !zero && call->model == PADIC_NUM_RING && !padici_num_ring_unit(r, a->u))
        x->bits = PADIC_NUM_NONUNIT;
    if (x->bits) {
        memset(x->u, 0, r->words * sizeof *x->u);
        return;
    }
    if (i && call->model != PADIC_NUM_RING) {
        if (a->v == PADIC_NUM_ZERO) {
            x->v = PADIC_NUM_ZERO;
            return;
        }
        if (a->v) {
            const int64_t most = PADIC_NUM_MAX_VALUATION + INT64_C(1);
            const int64_t m = k.high || k.low > (uint64_t)most ? most : (int64_t)k.low;
            x->v = padici_num_val_clamp(a->v * m * (negative ? -1 : 1));
        }
        x->n = a->n;
        if (a->n) { // (u + O(p^n))^k is known to n + v(k) digits
            padici_num_wide remainder = k, digit;
            for (; x->n < r->precision; x->n++) {
                remainder = padici_num_wide_div(remainder, padici_num_wide_make(r->p, 0), &digit);
                if (!padici_num_wide_zero(digit)) break;
            }
            // (1 + O(2))^k, k even: of any odd x, x^2 is 1 modulo 8
            if (r->p == 2 && a->n == 1 && !(k.low & 1) && x->n < r->precision) x->n++;
        } else {
            memset(x->u, 0, r->words * sizeof *x->u);
            return; // O(p^v)^k = O(p^(v k))
        }
    }
    if (i && negative)
        padici_num_ring_inv(r, base, a->u, temp);
    else
        padici_num_ring_copy(r, base, a->u);
    padici_num_ring_set(r, x->u, 1);
    while (i-- > 0) {
        padici_num_ring_mul(r, temp, x->u, x->u);
        unit = i < 64 ? k.low >> i : k.high >> (i - 64);
        if (unit & 1)
            padici_num_ring_mul(r, x->u, temp, base);
        else
            padici_num_ring_copy(r, x->u, temp);
    }
    if (call->model == PADIC_NUM_BALL) padici_num_ring_low(r, x->u, x->u, x->n);
}

PADICI_FN void padici_num_pow_one(const padic_num_call *call, padici_num_cell *x,
                                  const padici_num_cell *a, const padici_num_cell *b,
                                  const padici_num_cell *c, uint64_t *temp)
{
    const uint64_t k = call->k < 0 ? 0 - (uint64_t)call->k : (uint64_t)call->k;
    (void)b;
    (void)c;
    padici_num_cell_pow(call, x, a, call->k < 0, padici_num_wide_make(k, 0), temp);
}

#endif
