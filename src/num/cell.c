#include "cell.h"
#include "array.h"
#include "residue.h"
#include "words.h"

#if PADICI_IMPLEMENT_NUM

// Elements

// Reads element i of an operand unchecked; x->u has room. The status byte of a NaN becomes bits.
PADICI_FN void padici_num_cell_raw(const padic_num_ring *r, const padic_num_planes *p, uint64_t i,
                               padici_num_cell *x)
{
    uint64_t at, step;
    uint32_t k;
    if (p->scalar) i = 0;
    at = padici_num_at(r, p, i, &step);
    for (k = 0; k < r->words; k++) x->u[k] = padici_num_word(r, p->unit, at + k * step);
    x->v = p->val ? padici_num_val_raw(p, i) : 0;
    x->n = r->precision;
    x->bits = 0;
    if (p->known)
        x->n = p->known16 ? ((const uint16_t *)p->known)[i] : ((const uint8_t *)p->known)[i];
    if (x->v == PADIC_NUM_NAN) x->bits = (uint32_t)x->u[0] & 255;
}

// 1 if u < p^n, n <= N, limb by limb.
static int padici_num_ring_below(const padic_num_ring *r, const uint64_t *u, uint32_t n)
{
    uint32_t i, k;
    if (r->form < PADIC_NUM_W128)
        return n == r->precision ? !r->base || u[0] < r->base : u[0] < r->power[n][0];
    if (r->form == PADIC_NUM_W128)
        return padici_num_wide_less(padici_num_wide_load(u), padici_num_wide_load(r->power[n]));
    for (i = 0; i < r->words; i++, n -= k) {
        k = n < r->limb_digits ? n : r->limb_digits;
        if (u[i] >= r->power[k][0]) return 0;
    }
    return 1;
}

// u mod p^n for arbitrary words.
static void padici_num_ring_tame(const padic_num_ring *r, uint64_t *u, uint32_t n)
{
    padici_num_wide remainder;
    uint32_t i, k;
    if (r->form == PADIC_NUM_W128) {
        padici_num_wide_div(padici_num_wide_load(u), padici_num_wide_load(r->power[n]), &remainder);
        padici_num_wide_store(u, remainder);
    } else if (r->form < PADIC_NUM_W128) {
        u[0] %= r->power[n][0];
    } else {
        for (i = 0; i < r->words; i++, n -= k) {
            k = n < r->limb_digits ? n : r->limb_digits;
            u[i] %= r->power[k][0];
        }
    }
}

// Reads element i of an operand. The caller's planes may hold anything, so u is reduced below p^n,
// n is cut to N, and v is within its limits or special. That p does not divide u is trusted.
PADICI_FN void padici_num_cell_load(const padic_num_call *call, const padic_num_planes *p,
                                    uint64_t i, padici_num_cell *x)
{
    const padic_num_ring *r = call->ring;
    padici_num_cell_raw(r, p, i, x);
    if (PADICI_UNLIKELY(!padici_num_val_finite(x->v)) && x->v != PADIC_NUM_ZERO) {
        if (x->v != PADIC_NUM_NAN) {
            x->bits = x->v > 0 ? PADIC_NUM_INEXACT : PADIC_NUM_RANGE;
            x->v = x->v > 0 ? PADIC_NUM_ZERO : PADIC_NUM_NAN;
        }
        memset(x->u, 0, r->words * sizeof *x->u);
        x->u[0] = x->v == PADIC_NUM_NAN ? x->bits : 0;
        x->n = p->known ? 0 : x->n;
        return;
    }
    if (PADICI_UNLIKELY(x->n > r->precision)) x->n = r->precision;
    if (PADICI_UNLIKELY(!padici_num_ring_below(r, x->u, x->n))) padici_num_ring_tame(r, x->u, x->n);
}

// Writes element i of call->out: specials for hard bits and for valuations beyond the limits, the
// status byte, and the bits of the call.
PADICI_FN void padici_num_cell_store(padic_num_call *call, uint64_t i, padici_num_cell *x)
{
    const padic_num_ring *r = call->ring;
    const padic_num_planes *p = &call->out;
    uint64_t at, step;
    uint32_t k;
    if (p->val && x->v != PADIC_NUM_ZERO && x->v != PADIC_NUM_NAN) {
        const int32_t limit = p->val16 ? PADIC_NUM_MAX_VALUATION16 : PADIC_NUM_MAX_VALUATION;
        if (x->v > limit) {
            x->v = PADIC_NUM_ZERO;
            x->bits |= PADIC_NUM_INEXACT;
        } else if (x->v < -limit) {
            x->bits |= PADIC_NUM_RANGE;
        }
    }
    if (x->bits & PADIC_NUM_HARD) x->v = PADIC_NUM_NAN;
    if (x->v == PADIC_NUM_NAN || x->v == PADIC_NUM_ZERO) {
        memset(x->u, 0, r->words * sizeof *x->u);
        x->n = 0;
        if (p->val && x->v == PADIC_NUM_NAN) x->u[0] = x->bits;
    }
    at = padici_num_at(r, p, i, &step);
    for (k = 0; k < r->words; k++) padici_num_word_set(r, p->unit, at + k * step, x->u[k]);
    if (p->val) padici_num_val_store(p, i, x->v);
    if (p->known) {
        if (p->known16)
            ((uint16_t *)p->known)[i] = (uint16_t)x->n;
        else
            ((uint8_t *)p->known)[i] = (uint8_t)x->n;
    }
    if (call->status) call->status[i] = (uint8_t)x->bits;
    call->bits |= x->bits;
}

// Makes p^v u canonical. u is any residue with n known digits. FLOAT: strips p from u; 0 becomes
// ZERO with PRECLOSS. BALL: reduces u mod p^n, then the same; 0 becomes O(p^(v+n)) with PRECLOSS.
PADICI_FN void padici_num_cell_normal(const padic_num_call *call, padici_num_cell *x)
{
    const padic_num_ring *r = call->ring;
    uint32_t w;
    if (call->model == PADIC_NUM_RING || x->v == PADIC_NUM_ZERO || x->v == PADIC_NUM_NAN ||
        x->bits & PADIC_NUM_HARD)
        return;
    if (call->model == PADIC_NUM_BALL) padici_num_ring_low(r, x->u, x->u, x->n);
    if (padici_num_ring_unit(r, x->u)) return;
    w = padici_num_ring_valuation(r, x->u);
    if (w == r->precision) { // u is 0
        if (call->model == PADIC_NUM_FLOAT)
            x->v = PADIC_NUM_ZERO;
        else if (x->n)
            x->v += (int32_t)x->n;
        else
            return; // O(p^v) unchanged
        x->n = 0;
        x->bits |= PADIC_NUM_PRECLOSS;
    } else if (w) {
        padici_num_ring_down(r, x->u, x->u, w);
        x->v += (int32_t)w;
        x->n -= w;
    }
}

// Elements first to end - 1 of any operation, for every form and model.
PADICI_FN void padici_num_span(padic_num_call *call, uint64_t first, uint64_t end,
                               padici_num_one one)
{
    const padic_num_ring *r = call->ring;
    uint64_t local[2 * (PADICI_NUM_TEMPS + PADICI_NUM_CELLS)];
    uint64_t *words = r->form == PADIC_NUM_RX ? (uint64_t *)call->workspace : local, i;
    padici_num_cell x, a, b, c;
    memset(&x, 0, sizeof x);
    a = b = c = x;
    x.u = words;
    a.u = words + r->words;
    b.u = words + 2 * r->words;
    c.u = words + 3 * r->words;
    for (i = first; i < end; i++) {
        if (call->a.unit) padici_num_cell_load(call, &call->a, i, &a);
        if (call->b.unit) padici_num_cell_load(call, &call->b, i, &b);
        if (call->c.unit) padici_num_cell_load(call, &call->c, i, &c);
        x.v = 0;
        x.n = r->precision;
        x.bits = 0;
        (*one)(call, &x, &a, &b, &c, words + PADICI_NUM_CELLS * r->words);
        padici_num_cell_store(call, i, &x);
    }
}

#endif
