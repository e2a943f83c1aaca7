#include "horner.h"
#include "../context/messages.h"
#include "../context/state.h"
#include "../core/log.h"
#include "../core/words.h"
#include "array.h"
#include "cell.h"
#include "element.h"
#include "task.h"
#include "word_loops.h"
#include "words.h"

#if PADICI_IMPLEMENT_NUM

// Horner's rule, sums

// x = x y + c, in place.
static void padici_num_horner_step(const padic_num_call *call, padici_num_cell *x,
                                   const padici_num_cell *y, const padici_num_cell *c,
                                   uint64_t *temp)
{
    padici_num_cell next;
    next.u = temp + 2 * call->ring->words;
    next.v = 0;
    next.n = call->ring->precision;
    next.bits = 0;
    padici_num_fma_one(call, &next, x, y, c, temp);
    if (next.v != PADIC_NUM_NAN) next.bits |= x->bits;
    padici_num_cell_copy(call->ring, x, &next);
}

// Points i to i + 3 of one-word residues interleaved, since each step depends on the one before it.
PADICI_INLINE void padici_num_horner_four(const padic_num_call *call, const padic_num_ring *r,
                                      padic_num_form form, uint64_t i, uint64_t x[4])
{
    const uint64_t step = call->stride ? 1 : 0, from = call->stride ? i : 0;
    const uint64_t next = call->a.scalar ? 0 : 1, first = next * i;
    const uint64_t y0 = padici_num_word(r, call->a.unit, first);
    const uint64_t y1 = padici_num_word(r, call->a.unit, first + next);
    const uint64_t y2 = padici_num_word(r, call->a.unit, first + 2 * next);
    const uint64_t y3 = padici_num_word(r, call->a.unit, first + 3 * next);
    uint64_t x0 = 0, x1 = 0, x2 = 0, x3 = 0, k;
    for (k = (uint64_t)call->k; k > 0; k--) {
        const uint64_t at = call->stride ? (k - 1) * call->stride + from : k - 1;
        x0 = padici_num_mul1(r, form, x0, y0);
        x1 = padici_num_mul1(r, form, x1, y1);
        x2 = padici_num_mul1(r, form, x2, y2);
        x3 = padici_num_mul1(r, form, x3, y3);
        x0 = padici_num_add1(r, form, x0, padici_num_word(r, call->c.unit, at));
        x1 = padici_num_add1(r, form, x1, padici_num_word(r, call->c.unit, at + step));
        x2 = padici_num_add1(r, form, x2, padici_num_word(r, call->c.unit, at + 2 * step));
        x3 = padici_num_add1(r, form, x3, padici_num_word(r, call->c.unit, at + 3 * step));
    }
    x[0] = x0;
    x[1] = x1;
    x[2] = x2;
    x[3] = x3;
}

// The same for P < 2^31 and shared coefficients, two steps at once: x y^2 + b y + a < 3 P^2 for x <
// 2 P, then its remainder.
static void padici_num_horner_narrow(const padic_num_call *call, const padic_num_ring *r,
                                     uint64_t i)
{
    const uint32_t *const c = (const uint32_t *)call->c.unit;
    const uint32_t *const y = (const uint32_t *)call->a.unit + i;
    uint32_t *const out = (uint32_t *)call->out.unit + i;
    const uint64_t p = r->base, high = UINT64_MAX / p;
    const uint64_t y0 = y[0], y1 = y[1], y2 = y[2], y3 = y[3];
    const uint64_t z0 = y0 * y0 % p, z1 = y1 * y1 % p, z2 = y2 * y2 % p, z3 = y3 * y3 % p;
    uint64_t k = (uint64_t)call->k, x0 = k & 1 ? c[k - 1] : 0, x1 = x0, x2 = x0, x3 = x0;
    for (k &= ~UINT64_C(1); k > 0; k -= 2) {
        const uint64_t a = c[k - 2], b = c[k - 1];
        x0 = x0 * z0 + b * y0 + a;
        x1 = x1 * z1 + b * y1 + a;
        x2 = x2 * z2 + b * y2 + a;
        x3 = x3 * z3 + b * y3 + a;
        x0 -= padici_mulhi64(x0, high) * p;
        x1 -= padici_mulhi64(x1, high) * p;
        x2 -= padici_mulhi64(x2, high) * p;
        x3 -= padici_mulhi64(x3, high) * p;
    }
    out[0] = (uint32_t)(x0 < p ? x0 : x0 - p);
    out[1] = (uint32_t)(x1 < p ? x1 : x1 - p);
    out[2] = (uint32_t)(x2 < p ? x2 : x2 - p);
    out[3] = (uint32_t)(x3 < p ? x3 : x3 - p);
}

// The first points of a call on one-word residues, four at a time. Returns how many.
static uint64_t padici_num_horner_fours(padic_num_call *call, const padic_num_ring *r)
{
    uint64_t x[4], i = 0, j;
    padici_num_cell cell;
    if (r->form == PADIC_NUM_W32 && r->bits < 32 && !call->stride && !call->a.scalar) {
        for (; i + 4 <= call->count; i += 4) padici_num_horner_narrow(call, r, i);
        if (call->status) memset(call->status, 0, (size_t)i);
        return i;
    }
    for (; i + 4 <= call->count; i += 4) {
        if (r->form == PADIC_NUM_B2)
            padici_num_horner_four(call, r, PADIC_NUM_B2, i, x);
        else if (r->form == PADIC_NUM_W64)
            padici_num_horner_four(call, r, PADIC_NUM_W64, i, x);
        else
            padici_num_horner_four(call, r, PADIC_NUM_W49, i, x);
        for (j = 0; j < 4; j++) {
            cell.u = x + j;
            cell.v = 0;
            cell.n = r->precision;
            cell.bits = 0;
            padici_num_cell_store(call, i + j, &cell);
        }
    }
    return i;
}

// a: points; c: call->k coefficients, consecutive or `stride` elements apart.
PADICI_FN void padici_num_horner_loop(padic_num_call *call)
{
    const padic_num_ring r = *call->ring;
    const int fast = padici_num_fast(call, PADIC_NUM_RING);
    uint64_t local[2 * (PADICI_NUM_TEMPS + PADICI_NUM_CELLS)], i, k;
    uint64_t *words = r.form == PADIC_NUM_RX ? (uint64_t *)call->workspace : local;
    padic_num_planes coefficients = call->c;
    padici_num_cell x, y, c;
    coefficients.scalar = 0; // `scalar` only meant that the operand does not advance
    x.u = words;
    y.u = words + r.words;
    c.u = words + 2 * r.words;
    for (i = fast ? padici_num_horner_fours(call, &r) : 0; i < call->count; i++) {
        padici_num_cell_load(call, &call->a, i, &y);
        k = (uint64_t)call->k - 1;
        padici_num_cell_load(call, &coefficients, call->stride ? k * call->stride + i : k, &x);
        if (fast) {
            for (; k > 0; k--) {
                const uint64_t at = call->stride ? (k - 1) * call->stride + i : k - 1;
                x.u[0] = padici_num_mul1(&r, r.form, x.u[0], y.u[0]);
                x.u[0] =
                    padici_num_add1(&r, r.form, x.u[0], padici_num_word(&r, coefficients.unit, at));
            }
        } else {
            for (; k > 0; k--) {
                padici_num_cell_load(call, &coefficients,
                                 call->stride ? (k - 1) * call->stride + i : k - 1, &c);
                padici_num_horner_step(call, &x, &y, &c, words + PADICI_NUM_CELLS * r.words);
            }
        }
        padici_num_cell_store(call, i, &x);
    }
}

PADIC_API padic_result padic_num_horner(padic_context *context, const padic_num_horner_desc *desc)
{
    padici_num_task task;
    uint64_t own;
    if (!desc || !desc->terms)
        return padici_fail_in(context, PADIC_ERROR_ARGUMENT, "num_horner",
                              desc ? "terms is 0: give at least one coefficient" : "desc is NULL");
    if (desc->terms >> 20 || !padici_mul_u64(desc->terms, desc->out.count, &own))
        return padici_fail_in(context, PADIC_ERROR_LIMIT, "num_horner",
                              "terms is 2^20 or more: split the polynomial");
    padici_num_task_begin(&task, "num_horner", PADIC_OP_NUM_HORNER, padici_num_horner_loop,
                          &desc->out, &desc->x, NULL, &desc->coefficients);
    task.field[1] = "x";
    task.field[3] = "coefficients";
    task.call.k = desc->terms;
    task.c_moves = desc->coefficients.count != desc->terms;
    task.c_count = task.c_moves ? own : desc->terms;
    task.call.stride = task.c_moves ? desc->out.count : 0;
    if (padici_num_same_units(&desc->coefficients, &desc->out))
        return padici_fail_in(context, PADIC_ERROR_OVERLAP, "num_horner",
                              "out must not be the coefficients");
    return padici_num_run(context, &task);
}

#endif
