#pragma once
#include "../core/platform.h"
#include "cell.h"
#include "residue.h"
#include "words.h"

#ifndef PADIC_NO_NUM

PADICI_INLINE uint64_t padici_num_word_at(padic_num_form form, const void *plane, uint64_t i,
                                      uint32_t narrow)
{
    return form == PADIC_NUM_W32 || (form == PADIC_NUM_B2 && narrow)
               ? ((const uint32_t *)plane)[i]
               : ((const uint64_t *)plane)[i];
}

PADICI_INLINE void padici_num_word_to(padic_num_form form, void *plane, uint64_t i, uint32_t narrow,
                                  uint64_t x)
{
    if (form == PADIC_NUM_W32 || (form == PADIC_NUM_B2 && narrow))
        ((uint32_t *)plane)[i] = (uint32_t)x;
    else
        ((uint64_t *)plane)[i] = x;
}

// 1 if all operands of a call have i32 valuations and one word.
PADICI_INLINE int padici_num_fast(const padic_num_call *call, padic_num_model model)
{
    return call->model == model && call->ring->form < PADIC_NUM_W128 &&
           !(call->a.val16 | call->b.val16 | call->c.val16 | call->out.val16);
}

// A float of one word and its status.
typedef struct padici_num_word_float {
    uint64_t u;
    int32_t v;
    uint32_t bits;
} padici_num_word_float;

// x becomes x b, x + b or x - b; both valuations are finite. 0: the result is rare, beyond the
// limits, and x is not valid. `form` and `kernel` are constants in loops.
PADICI_INLINE int padici_num_word_float_op(const padic_num_ring *r, padic_num_form form,
                                           uint32_t kernel, padici_num_word_float *x,
                                           padici_num_word_float b)
{
    const padici_num_word_float a = *x;
    uint64_t d;
    if (kernel == PADIC_OP_NUM_MUL) {
        x->u = padici_num_mul1(r, form, a.u, b.u);
        x->v = a.v + b.v;
        return padici_num_val_finite(x->v);
    }
    d = (uint64_t)(a.v < b.v ? (int64_t)b.v - a.v : (int64_t)a.v - b.v);
    if (kernel == PADIC_OP_NUM_SUB) b.u = padici_num_sub1(r, form, 0, b.u);
    if (a.v > b.v) x->v = b.v;
    if (d) { // the number further down is a unit there, and stays one
        uint64_t low = a.v < b.v ? a.u : b.u, high = a.v < b.v ? b.u : a.u;
        high = d >= r->precision      ? 0
               : form == PADIC_NUM_B2 ? (high << d) & (r->base - 1)
                                      : padici_num_mul1(r, form, high, r->power[d][0]);
        x->u = padici_num_add1(r, form, low, high);
        return 1;
    }
    x->u = padici_num_add1(r, form, a.u, b.u);
    if (!x->u) {
        x->v = PADIC_NUM_ZERO;
        x->bits |= PADIC_NUM_PRECLOSS;
    } else if (form == PADIC_NUM_B2 || x->u * r->inverse <= r->ladder_limit[0]) {
        x->v += (int32_t)padici_num_split1(r, x->u, &x->u);
        return x->v <= PADIC_NUM_MAX_VALUATION;
    }
    return 1;
}

PADICI_FN void padici_num_mul_loop(padic_num_call *call);
PADICI_FN void padici_num_neg_loop(padic_num_call *call);
PADICI_FN void padici_num_fma_loop(padic_num_call *call);
PADICI_FN void padici_num_div_loop(padic_num_call *call);
PADICI_FN void padici_num_shift_loop(padic_num_call *call);
PADICI_FN void padici_num_pow_loop(padic_num_call *call);
PADICI_FN void padici_num_add_loop(padic_num_call *call);
PADICI_FN void padici_num_sub_loop(padic_num_call *call);

#endif
