#include "series_loops.h"
#include "../core/words.h"
#include "array.h"
#include "cell.h"
#include "residue.h"
#include "ring_tables.h"
#include "series.h"
#include "word_loops.h"
#include "words.h"
#include "root.h"

#if PADICI_IMPLEMENT_NUM

// Loops. Coefficients are in the tables, or made for each piece of a call in a separate stack
// frame.

static PADICI_NOINLINE void padici_num_series_with(padic_num_call *call, padici_num_series *s,
                                                   int log)
{
    uint64_t local[2 * PADICI_NUM_SERIES_TERMS], temp[16];
    const padic_num_ring *r = call->ring;
    const padici_num_tables *t = padici_num_tables_of(r);
    if (r->form != PADIC_NUM_RX) {
        s->terms[log] = padici_num_series_count(r, log);
        s->coefficients[log] = t ? padici_num_table(t, t->series[log]) : local;
        if (!t) padici_num_series_make(r, log, local, s->terms[log], temp);
    }
    if (log && s->needs_exp)
        padici_num_series_with(call, s, 0);
    else
        (*s->loop)(call);
    s->coefficients[log] = NULL;
}

// Runs a loop with the coefficients of exp, log or both.
PADICI_FN void padici_num_series_run(padic_num_call *call, const padici_root *root, int exp,
                                     int log, void (*loop)(padic_num_call *call))
{
    const void *options = call->options;
    padici_num_series s;
    memset(&s, 0, sizeof s);
    s.root = root;
    s.needs_exp = (uint32_t)exp;
    s.loop = loop;
    call->options = &s;
    if (exp || log)
        padici_num_series_with(call, &s, log);
    else
        (*loop)(call);
    call->options = options;
}

// 1 if the loops below can do the call: one word, RING, or FLOAT with i32 valuations.
static int padici_num_series_fast(const padic_num_call *call)
{
    return (padici_num_fast(call, PADIC_NUM_RING) || padici_num_fast(call, PADIC_NUM_FLOAT)) &&
           (call->ring->p > 2 || call->ring->form == PADIC_NUM_B2);
}

// p divides x, p odd: *y = x / p.
PADICI_INLINE int padici_num_word_divides(const padic_num_ring *r, uint64_t x, uint64_t *y)
{
    *y = x * r->inverse;
    return *y <= r->ladder_limit[0];
}

// x / 2 modulo P, P odd.
PADICI_INLINE uint64_t padici_num_word_half(const padic_num_ring *r, uint64_t x)
{
    return (x >> 1) + (x & 1 ? (r->base >> 1) + 1 : 0);
}

// Arguments of the word loops, which interleave eight elements, so that no product waits for the
// one before it.
enum { PADICI_EXP, PADICI_LOG, PADICI_SQRT, PADICI_TEICHMUELLER };

#define PADICI_NUM_SERIES_LANES 8u

// Element i: *u is y of x = p^c y for exp, of x = 1 + p^c y for log, the unit for the square root
// and *z its seed, or a residue (its table entry) for Teichmueller; *v the valuation of a root. 0:
// left to the function of one element.
PADICI_INLINE int padici_num_lane_load(const padic_num_planes *a, const padic_num_ring *r,
                                   padic_num_form form, int what, uint64_t i,
                                   const padici_root *root, const uint64_t *table, uint64_t *u,
                                   uint64_t *z, int32_t *v, uint32_t *known)
{
    const int two = form == PADIC_NUM_B2;
    const int32_t c = two ? 2 : 1;
    uint64_t other, at = a->scalar ? 0 : i;
    int here;
    *u = padici_num_word_at(form, a->unit, at, r->unit_size == 4);
    *v = a->val ? ((const int32_t *)a->val)[at] : 0;
    here = padici_num_val_finite(*v);
    if (what == PADICI_TEICHMUELLER) {
        *u = two ? (*u & 1) * (*u & 2 ? r->base - 1 : 1)
             : !table
                 ? *u % r->p
                 : table[padici_num_table_mod(*u, r->p, padici_num_tables_of(r)->p_reciprocal)];
        return here && !*v;
    }
    if (what == PADICI_SQRT) {
        here &= !(*v & 1);
        here &= two ? (*u & 7) == 1 : a->val || !padici_num_word_divides(r, *u, &other);
        *z = here ? padici_num_seed_root(r, root, u, known) : 0;
        *v /= 2;
        return *z != 0;
    }
    if (what == PADICI_LOG) {
        here &= *v == 0;
        here &= two ? (int)(*u & 1) : padici_num_word_divides(r, *u - 1, &other) & (*u != 0);
        *u = two ? ((*u & 2 ? 0 - *u : *u) & (r->base - 1)) >> 2 : other;
    } else if (a->val) {
        here &= *v >= c;
        if (here && *v > c)
            *u = *v - c >= (int32_t)r->precision ? 0
                 : two                           ? *u << (*v - c)
                       : padici_num_mul1(r, form, *u, r->power[*v - c][0]);
    } else {
        here &= two ? !(*u & 3) : padici_num_word_divides(r, *u, &other);
        *u = two ? *u >> 2 : other;
    }
    *v = 0;
    return here;
}

PADICI_INLINE void padici_num_lanes_series(const padic_num_ring *r, padic_num_form form,
                                       const uint64_t *c, uint32_t terms, uint64_t *x,
                                       const uint64_t *y)
{
    uint32_t j, k;
    for (j = 0; j < PADICI_NUM_SERIES_LANES; j++) x[j] = c[terms - 1];
    for (k = terms - 1; k-- > 0;)
        for (j = 0; j < PADICI_NUM_SERIES_LANES; j++)
            x[j] = form == PADIC_NUM_B2
                       ? x[j] * y[j] + c[k]
                       : padici_num_add1(r, form, padici_num_mul1(r, form, x[j], y[j]), c[k]);
    for (j = 0; j < PADICI_NUM_SERIES_LANES && form == PADIC_NUM_B2; j++) x[j] &= r->base - 1;
}

// Square roots from z = 1 / sqrt(u), p odd: z += z (1 - u z^2) / 2, and from half of the digits the
// root itself, x = u z, x + z (u - x^2) / 2. p = 2: e digits become 2 e - 1; modulo 2^64.
PADICI_INLINE void padici_num_lanes_sqrt(const padic_num_ring *r, padic_num_form form, uint64_t *x,
                                     const uint64_t *u, uint64_t *z, uint32_t known)
{
    const int two = form == PADIC_NUM_B2;
    uint64_t d;
    uint32_t j;
    for (; 2 * known < r->precision; known = 2 * known - (uint32_t)two)
        for (j = 0; j < PADICI_NUM_SERIES_LANES; j++) {
            if (two) {
                z[j] += z[j] * ((1 - u[j] * z[j] * z[j]) >> 1);
                continue;
            }
            d = padici_num_mul1(r, form, padici_num_mul1(r, form, z[j], z[j]), u[j]);
            d = padici_num_word_half(r, padici_num_sub1(r, form, 1, d));
            z[j] = padici_num_add1(r, form, z[j], padici_num_mul1(r, form, z[j], d));
        }
    for (j = 0; j < PADICI_NUM_SERIES_LANES; j++) {
        if (two) {
            x[j] = u[j] * z[j];
            x[j] = (x[j] + z[j] * ((u[j] - x[j] * x[j]) >> 1)) & (r->base - 1) >> 1;
            continue;
        }
        x[j] = padici_num_mul1(r, form, u[j], z[j]);
        d = padici_num_sub1(r, form, u[j], padici_num_mul1(r, form, x[j], x[j]));
        x[j] = padici_num_add1(r, form, x[j],
                               padici_num_mul1(r, form, z[j], padici_num_word_half(r, d)));
    }
}

// Teichmueller residues of residues x, as in padici_num_ring_teichmueller(). 1 / (p - 1) modulo P
// is -(1 + p + ... + p^(N-1)).
PADICI_INLINE void padici_num_lanes_teichmueller(const padic_num_ring *r, padic_num_form form,
                                             uint64_t *x)
{
    const uint64_t inverse = r->base - (r->base - 1) / (r->p - 1);
    uint64_t y[PADICI_NUM_SERIES_LANES];
    uint32_t known, j, bit;
    for (known = 1; known < r->precision; known = 2 * known + 1) {
        memcpy(y, x, sizeof y);
        for (bit = 63u - padici_clz64(r->p); bit-- > 0;) // y = x^p
            for (j = 0; j < PADICI_NUM_SERIES_LANES; j++) {
                y[j] = padici_num_mul1(r, form, y[j], y[j]);
                if (r->p >> bit & 1) y[j] = padici_num_mul1(r, form, y[j], x[j]);
            }
        for (j = 0; j < PADICI_NUM_SERIES_LANES; j++) {
            x[j] = padici_num_sub1(r, form, padici_num_mul1(r, form, x[j], r->p), y[j]);
            x[j] = padici_num_mul1(r, form, x[j], inverse);
        }
    }
}

PADICI_INLINE void padici_num_series_lanes(padic_num_call *call, padic_num_form form, int what,
                                       padici_num_one one)
{
    const padic_num_ring *r = call->ring;
    const padici_num_series *s = (const padici_num_series *)call->options;
    const padici_root *const root = what == PADICI_SQRT ? s->root : NULL;
    const padici_num_tables *t = padici_num_tables_of(r);
    const uint64_t *const table = t ? padici_num_table(t, t->teichmueller) : NULL;
    const padic_num_planes a = call->a, out = call->out;
    uint8_t *const status = call->status;
    const uint32_t lost = what == PADICI_SQRT && form == PADIC_NUM_B2 && !call->a.val
                              ? PADIC_NUM_PRECLOSS : 0;
    uint64_t u[PADICI_NUM_SERIES_LANES], z[PADICI_NUM_SERIES_LANES], x[PADICI_NUM_SERIES_LANES], i;
    int32_t v[PADICI_NUM_SERIES_LANES];
    uint32_t j, n, here, known = 2; // set where there is a seed
    for (i = 0; i < call->count; i += n) {
        n = call->count - i < PADICI_NUM_SERIES_LANES ? (uint32_t)(call->count - i)
                                                  : PADICI_NUM_SERIES_LANES;
        for (j = n; j < PADICI_NUM_SERIES_LANES; j++) u[j] = z[j] = 0;
        for (j = here = 0; j < n; j++)
            here |= (uint32_t)padici_num_lane_load(&a, r, form, what, i + j, root, table, &u[j],
                                               &z[j], &v[j], &known) << j;
        if (what == PADICI_SQRT) {
            padici_num_lanes_sqrt(r, form, x, u, z, known);
        } else if (what == PADICI_TEICHMUELLER) {
            memcpy(x, u, sizeof x);
            if (form != PADIC_NUM_B2 && !table) padici_num_lanes_teichmueller(r, form, x);
        } else {
            padici_num_lanes_series(r, form, s->coefficients[what], s->terms[what], x, u);
        }
        for (j = 0; j < n; j++) {
            if (what == PADICI_LOG && a.val) {
                if (x[j])
                    v[j] = (int32_t)padici_num_split1(r, x[j], &x[j]);
                else if (form == PADIC_NUM_B2) // of 1 or -1, whose bits differ
                    here &= ~(1u << j);
                else
                    v[j] = PADIC_NUM_ZERO;
            }
            if (PADICI_UNLIKELY(!(here >> j & 1))) {
                padici_num_span(call, i + j, i + j + 1, one);
                continue;
            }
            padici_num_word_to(form, out.unit, i + j, r->unit_size == 4, x[j]);
            if (out.val) ((int32_t *)out.val)[i + j] = v[j];
            if (status) status[i + j] = (uint8_t)lost;
            call->bits |= lost;
        }
    }
}

// padici_NAME_words() with the form of the ring as a constant, padici_NAME_each() for all others.
#define PADICI_NUM_SERIES_LOOPS(name, what) \
    static void padici_num_##name##_each(padic_num_call *call) \
    { \
        padici_num_each(call, padici_num_##name##_one); \
    } \
    PADICI_FN void padici_num_##name##_words(padic_num_call *call) \
    { \
        if (call->ring->form == PADIC_NUM_W32) \
            padici_num_series_lanes(call, PADIC_NUM_W32, what, padici_num_##name##_one); \
        else if (call->ring->form == PADIC_NUM_W49) \
            padici_num_series_lanes(call, PADIC_NUM_W49, what, padici_num_##name##_one); \
        else if (call->ring->form == PADIC_NUM_W64) \
            padici_num_series_lanes(call, PADIC_NUM_W64, what, padici_num_##name##_one); \
        else \
            padici_num_series_lanes(call, PADIC_NUM_B2, what, padici_num_##name##_one); \
    }

PADICI_NUM_SERIES_LOOPS(exp, PADICI_EXP)

PADICI_NUM_SERIES_LOOPS(log, PADICI_LOG)

PADICI_NUM_SERIES_LOOPS(sqrt, PADICI_SQRT)

PADICI_NUM_SERIES_LOOPS(teichmueller, PADICI_TEICHMUELLER)

PADICI_FN void padici_num_exp_loop(padic_num_call *call)
{
    padici_num_series_run(call, NULL, 1, 0,
                      padici_num_series_fast(call) ? padici_num_exp_words : padici_num_exp_each);
}

PADICI_FN void padici_num_log_loop(padic_num_call *call)
{
    padici_num_series_run(call, NULL, 0, 1,
                      padici_num_series_fast(call) ? padici_num_log_words : padici_num_log_each);
}

static void padici_num_pow_padic_each(padic_num_call *call)
{
    padici_num_each(call, padici_num_pow_padic_one);
}

PADICI_FN void padici_num_pow_padic_loop(padic_num_call *call)
{
    padici_num_series_run(call, NULL, 1, 1, padici_num_pow_padic_each);
}

PADICI_FN void padici_num_teichmueller_loop(padic_num_call *call)
{
    padici_num_series_run(call, NULL, 0, 0,
                      padici_num_series_fast(call) ? padici_num_teichmueller_words
                                               : padici_num_teichmueller_each);
}

PADICI_FN void padici_num_root_loop(padic_num_call *call)
{
    const padici_root *root = (const padici_root *)call->options;
    const int words = root->n == 2 && padici_num_series_fast(call) && call->ring->precision > 2;
    const int series = root->e && root->n != 2;
    padici_num_series_run(call, root, series, series,
                          words ? padici_num_sqrt_words : padici_num_sqrt_each);
}

// The root of unity that leads from one root of a number to the next.
PADICI_FN void padici_num_root_unity(const padic_num_ring *r, const padici_root *root,
                                     uint64_t *unity, uint64_t *temp)
{
    padici_num_ring_teichmueller(r, unity, r->p == 2 ? 3 : padici_num_mod_mul(root, root->zeta, 1),
                                 temp);
}

// All roots: root j of element i at j stride + i; or a single one at i.
static void padici_num_roots_each(padic_num_call *call)
{
    const padic_num_ring *r = call->ring;
    const padici_root *root = ((const padici_num_series *)call->options)->root;
    const uint64_t roots = root->alone ? 1 : root->count;
    uint64_t local[2 * (PADICI_NUM_TEMPS + PADICI_NUM_CELLS)], i, j;
    uint64_t *const words = r->form == PADIC_NUM_RX ? (uint64_t *)call->workspace : local;
    uint64_t *const unity = words + 2 * r->words, *const y = words + 3 * r->words;
    uint64_t *const temp = words + 4 * r->words;
    padici_num_cell a, x, copy;
    a.u = words;
    x.u = words + r->words;
    padici_num_root_unity(r, root, unity, temp);
    if (root->alone) {
        padici_num_ring_pow(r, y, unity, root->turn, temp);
        padici_num_ring_copy(r, unity, y);
    }
    for (i = 0; i < call->count; i++) {
        int unit;
        padici_num_cell_load(call, &call->a, i, &a);
        x.v = 0;
        x.bits = 0;
        x.n = r->precision;
        unit = padici_num_root_unit(call, &x, &a, temp);
        padici_num_ring_copy(r, y, x.u);
        if (unit && root->alone) padici_num_ring_mul(r, y, x.u, unity);
        for (j = 0; j < roots; j++) {
            copy = x;
            if (unit) {
                padici_num_root_finish(call, &copy, y);
                padici_num_ring_mul(r, temp, y, unity);
                padici_num_ring_copy(r, y, temp);
            }
            padici_num_cell_store(call, j * call->stride + i, &copy);
        }
    }
}

PADICI_FN void padici_num_roots_loop(padic_num_call *call)
{
    const padici_root *root = (const padici_root *)call->options;
    const int series = root->e && root->n != 2;
    padici_num_series_run(call, root, series, series, padici_num_roots_each);
}

#undef PADICI_NUM_SERIES_LANES
#undef PADICI_NUM_SERIES_LOOPS

#endif
