#include "../context/state.h"
#include "../context/messages.h"
#include "../core/log.h"
#include "../core/platform.h"
#include "array.h"
#include "cell.h"
#include "convert.h"
#include "euclid.h"
#include "euclid_word.h"
#include "integers.h"
#include "limbs.h"
#include "rational.h"
#include "residue.h"
#include "ring.h"
#include "task.h"
#include "words.h"

#if PADICI_IMPLEMENT_NUM

// Precision and prime

// Digits from .. from + count - 1 of a residue as an integer below 2^127; digits beyond N are 0.
static padici_num_wide padici_num_ring_part(const padic_num_ring *r, const uint64_t *u,
                                            uint32_t from, uint32_t count)
{
    padici_num_wide sum = {0, 0}, x;
    uint32_t at, take;
    if (from >= r->precision) return sum;
    if (count > r->precision - from) count = r->precision - from;
    if (r->form < PADIC_NUM_RX) {
        x = padici_num_wide_make(u[0], r->words > 1 ? u[1] : 0);
        x = padici_num_wide_div(x, padici_num_wide_load(r->power[from]), NULL);
        if (from + count < r->precision)
            padici_num_wide_div(x, padici_num_wide_load(r->power[count]), &x);
        return x;
    }
    for (at = 0; at < count; at += take) { // limb by limb
        const uint32_t low = (from + at) % r->limb_digits;
        uint64_t limb = u[(from + at) / r->limb_digits] / r->power[low][0];
        take = r->limb_digits - low < count - at ? r->limb_digits - low : count - at;
        limb = padici_num_limb_low(r, limb, take);
        sum = padici_num_wide_add(sum, padici_num_wide_mul_low(padici_num_wide_load(r->power[at]),
                                                       padici_num_wide_make(limb, 0)));
    }
    return sum;
}

// call->options: the ring of a.
static void padici_num_set_precision_loop(padic_num_call *call)
{
    const padic_num_ring *const r = call->ring, *const from = (const padic_num_ring *)call->options;
    padic_num_call in = *call;
    padici_num_exact e;
    padici_num_cell x, y;
    uint64_t i;
    uint32_t k;
    in.ring = from;
    padici_num_exact_begin(&e, from->words > r->words ? from->words : r->words, call->workspace);
    x.u = e.at;
    y.u = e.at + e.part;
    for (i = 0; i < call->count; i++) {
        padici_num_cell_load(&in, &call->a, i, &x);
        y.v = x.v;
        y.n = x.n < r->precision ? x.n : r->precision;
        if (call->model == PADIC_NUM_FLOAT) y.n = r->precision;
        y.bits = x.bits;
        if (r->form < PADIC_NUM_RX) {
            const padici_num_wide u = padici_num_ring_part(from, x.u, 0, r->precision);
            y.u[0] = u.low;
            if (r->words > 1) y.u[1] = u.high;
        }
        for (k = 0; r->form == PADIC_NUM_RX && k < r->words; k++)
            y.u[k] = padici_num_ring_part(from, x.u, k * r->limb_digits,
                                      k + 1 < r->words ? r->limb_digits : r->top_digits).low;
        if (r->precision > from->precision && call->model != PADIC_NUM_BALL && !x.bits &&
            x.v != PADIC_NUM_ZERO)
            y.bits = PADIC_NUM_PRECLOSS;
        padici_num_cell_store(call, i, &y);
    }
}

// Checks that both arrays have the same prime and model, and that `out` is not `in`.
PADIC_API padic_result padic_num_set_precision(padic_context *context, const padic_num_array *out,
                                               const padic_num_array *in)
{
    padici_num_task task;
    if (!out || !in || !padici_num_ring_is(out->ring) || !padici_num_ring_is(in->ring))
        return padici_fail_in(context, PADIC_ERROR_ARGUMENT, "num_set_precision",
                              "out or in is NULL, or its ring was not made by num_ring_init");
    if (out->ring->p != in->ring->p || out->model != in->model)
        return padici_fail_in(context, PADIC_ERROR_RING, "num_set_precision",
                              "out and in must have one prime and model: see num_change_prime");
    if (out->count != in->count)
        return padici_fail_in(context, PADIC_ERROR_MISMATCH, "num_set_precision",
                              "out.count and in.count differ");
    if (padici_num_same_units(out, in))
        return padici_fail_in(context, PADIC_ERROR_OVERLAP, "num_set_precision",
                              "out must not be in: precision is not changed in place");
    padici_num_task_begin(&task, "num_set_precision", PADIC_OP_NUM_SET_PRECISION,
                          padici_num_set_precision_loop, out, in, NULL, NULL);
    task.field[1] = "in";
    task.free_rings = 1;
    task.call.options = in->ring;
    return padici_num_run(context, &task);
}

// x = p^v n / d in the ring of q, n and d in e.
static void padici_num_change_prime_one(const padic_num_call *call, padici_num_cell *x, uint64_t p,
                                    int32_t v, int negative, padici_num_exact *e)
{
    const padic_num_ring *r = call->ring;
    padic_num_call split = *call;
    uint64_t *const power = e->at + 2 * e->part, *const t = power + e->part;
    split.model = PADIC_NUM_FLOAT;
    padici_num_cell_of_fraction(&split, x, &e->n, negative, &e->d, e->at + 2 * e->part);
    if (p == r->p) {
        if (x->v != PADIC_NUM_ZERO) x->v += v;
    } else if (v && x->v != PADIC_NUM_ZERO) {
        padici_num_ring_set(r, t, p);
        padici_num_ring_pow(r, power, t, v < 0 ? 0 - (uint64_t)v : (uint64_t)v, t + e->part);
        if (v < 0) {
            padici_num_ring_inv(r, t, power, t + e->part);
            padici_num_ring_copy(r, power, t);
        }
        padici_num_ring_mul(r, t, x->u, power);
        padici_num_ring_copy(r, x->u, t);
    }
    padici_num_cell_settle(call, x);
}

// call->options: the array a.
static void padici_num_change_prime_loop(padic_num_call *call)
{
    const padic_num_array *const array = (const padic_num_array *)call->options;
    const padic_num_ring *const r = call->ring, *const from = array->ring;
    padici_num_bounds bounds = {1, 0, 0, {0, 0}, {0, 0}, 0};
    padic_num_call in = *call;
    padici_num_exact e;
    padici_num_cell x, y;
    uint64_t i;
    in.ring = from;
    in.model = array->model;
    padici_num_exact_begin(&e, from->words > r->words ? from->words : r->words, call->workspace);
    x.u = e.at;
    y.u = e.at + e.part;
    for (i = 0; i < call->count; i++) {
        int sign;
        padici_num_cell_load(&in, &call->a, i, &x);
        y.v = PADIC_NUM_ZERO;
        y.n = r->precision;
        y.bits = x.bits;
        memset(y.u, 0, r->words * sizeof *y.u);
        if (x.v != PADIC_NUM_ZERO && x.v != PADIC_NUM_NAN) {
            sign = padici_num_fraction(from, x.u, x.n, &bounds, e.n.w, e.d.w, e.at + 2 * e.part);
            e.n.n = e.d.n = sign ? from->words : 0;
            padici_num_big_trim(&e.n);
            padici_num_big_trim(&e.d);
            if (sign) padici_num_change_prime_one(call, &y, from->p, x.v, sign < 0, &e);
            else y.bits = PADIC_NUM_RATREC;
        } else if (x.v == PADIC_NUM_NAN) {
            y.v = PADIC_NUM_NAN;
        }
        if (call->model == PADIC_NUM_RING && y.bits & PADIC_NUM_HARD)
            memset(y.u, 0, r->words * sizeof *y.u);
        padici_num_cell_store(call, i, &y);
    }
}

PADIC_API padic_result padic_num_change_prime(padic_context *context, const padic_num_array *out,
                                              const padic_num_array *in)
{
    padici_num_task task;
    if (!out || !in || !padici_num_ring_is(out->ring) || !padici_num_ring_is(in->ring))
        return padici_fail_in(context, PADIC_ERROR_ARGUMENT, "num_change_prime",
                              "out or in is NULL, or its ring was not made by num_ring_init");
    if (out->count != in->count)
        return padici_fail_in(context, PADIC_ERROR_MISMATCH, "num_change_prime",
                              "out.count and in.count differ");
    if (padici_num_same_units(out, in))
        return padici_fail_in(context, PADIC_ERROR_OVERLAP, "num_change_prime",
                              "out must not be in: the prime is not changed in place");
    padici_num_task_begin(&task, "num_change_prime", PADIC_OP_NUM_CHANGE_PRIME,
                          padici_num_change_prime_loop, out, in, NULL, NULL);
    task.field[1] = "in";
    task.free_rings = 1;
    task.call.options = in;
    return padici_num_run(context, &task);
}

#endif
