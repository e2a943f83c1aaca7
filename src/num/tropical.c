#include "tropical.h"
#include "../context/messages.h"
#include "../context/state.h"
#include "../core/log.h"
#include "../core/words.h"
#include "array.h"
#include "cell.h"
#include "element.h"
#include "residue.h"
#include "ring.h"
#include "task.h"
#include "valuation.h"

#if PADICI_IMPLEMENT_NUM

// Tests a = b modulo p^k by the valuation of the difference: at least k (1), below k (0), or only
// known to be at least A < k (2).
static void padici_num_equal_loop(padic_num_call *call)
{
    const padic_num_ring *r = call->ring;
    uint64_t local[2 * (PADICI_NUM_TEMPS + PADICI_NUM_CELLS)], i;
    uint64_t *words = r->form == PADIC_NUM_RX ? (uint64_t *)call->workspace : local;
    padici_num_cell x, a, b;
    x.u = words;
    a.u = words + r->words;
    b.u = words + 2 * r->words;
    for (i = 0; i < call->count; i++) {
        uint32_t bits;
        int32_t v;
        padici_num_cell_load(call, &call->a, i, &a);
        padici_num_cell_load(call, &call->b, i, &b);
        x.v = 0;
        x.n = r->precision;
        x.bits = 0;
        padici_num_cell_sum(call, &x, &a, &b, 1, words + PADICI_NUM_CELLS * r->words);
        v = padici_num_cell_valuation(call, &x, &bits);
        ((uint8_t *)call->other[0])[i] =
            (uint8_t)(v == PADIC_NUM_NAN                              ? 0
                      : v >= call->k                                  ? 1
                      : call->model == PADIC_NUM_BALL && !x.n ? 2
                                                                      : 0);
    }
}

PADIC_API padic_result padic_num_equal(padic_context *context, const padic_tensor *equal,
                                       const padic_num_array *a, const padic_num_array *b,
                                       int64_t prec)
{
    padici_num_task task;
    if (!equal || !a || !b)
        return padici_fail_in(context, PADIC_ERROR_ARGUMENT, "num_equal",
                              !equal ? "equal is NULL" : !a ? "a is NULL" : "b is NULL");
    padici_num_task_begin(&task, "num_equal", PADIC_OP_NUM_EQUAL, padici_num_equal_loop, NULL, a, b,
                          NULL);
    task.other_field[0] = "equal";
    task.other[0] = equal;
    task.other_dtypes[0] = 1u << PADIC_U8;
    task.other_out = 1;
    task.call.k = prec ? prec : padici_num_ring_is(a->ring) ? a->ring->precision : 0;
    return padici_num_run(context, &task);
}

// ln p in units of 2^-122, less than 2^7 units too small, 1 < p < 2^63: with 2^k <= p < 2^(k+1), k
// ln 2 + 2 artanh z, z = (p - 2^k) / (p + 2^k) < 1/3.
PADICI_FN padici_num_wide padici_num_ln(uint64_t p)
{
    const padici_num_wide ln2 = {UINT64_C(0xaf278ece600fcbda),
                             UINT64_C(0x02c5c85fdf473de6)}; // floor(2^122 ln 2)
    const uint32_t k = 63 - padici_clz64(p);
    const padici_num_wide sum = padici_num_wide_make(p + (UINT64_C(1) << k), 0);
    padici_num_wide rest = {0, 0}, z, z2, term, x;
    uint64_t j = 1;
    z.high = padici_num_wide_div(padici_num_wide_make(0, p - (UINT64_C(1) << k)), sum, &rest).low;
    z.low =
        padici_num_wide_div(padici_num_wide_make(0, rest.low), sum, NULL).low; // in units of 2^-128
    z2 = padici_num_wide_mul_high(z, z);
    x = term = z;
    while (!padici_num_wide_zero(term)) {
        term = padici_num_wide_mul_high(term, z2);
        x = padici_num_wide_add(x,
                                padici_num_wide_div(term, padici_num_wide_make(j += 2, 0), NULL));
    }
    return padici_num_wide_add(padici_num_wide_shr(x, 5),
                           padici_num_wide_mul_low(ln2, padici_num_wide_make(k, 0)));
}

// -v, or the bits of -v ln p: the product is known to 115 - 30 bits below the point, and lies on no
// boundary between two floats, since ln p is irrational.
static void padici_num_tropical_loop(padic_num_call *call)
{
    const padic_num_ring *r = call->ring;
    const padici_num_wide ln = padici_num_ln(r->p);
    uint64_t local[2], i, bits;
    padici_num_cell x;
    x.u = r->form == PADIC_NUM_RX ? (uint64_t *)call->workspace : local;
    for (i = 0; i < call->count; i++) {
        uint32_t soft, inexact, overflow, down;
        int32_t v;
        padici_num_cell_load(call, &call->a, i, &x);
        v = padici_num_cell_valuation(call, &x, &soft);
        if (call->dtype == PADIC_I32) {
            ((int32_t *)call->other[0])[i] = v == PADIC_NUM_NAN ? v : -v; // zero: -(2^31 - 1)
            continue;
        }
        bits = v > 0 ? UINT64_C(1) << 63 : 0;
        if (v == PADIC_NUM_ZERO) {
            bits = UINT64_C(0xfff) << 52; // minus infinity
        } else if (v == PADIC_NUM_NAN) {
            bits = UINT64_C(0x7ff8) << 48;
        } else if (v) { // of 158 bits the 30 below the unit of 2^-122 are always 0
            const uint64_t k = (uint64_t)(v < 0 ? -(int64_t)v : v);
            padici_num_wide m = padici_num_wide_mul(ln.high, k);
            m = padici_num_wide_add(m, padici_num_wide_make(padici_mulhi64(ln.low, k), 0));
            down = padici_num_wide_bits(m) > 64 ? padici_num_wide_bits(m) - 64 : 0;
            bits |= padici_num_float_round(PADIC_F64, padici_num_wide_shr(m, down).low,
                                       (int64_t)down + 64 - 122, 1, &inexact, &overflow);
        }
        memcpy((char *)call->other[0] + 8 * i, &bits, 8);
    }
}

PADIC_API padic_result padic_num_tropical(padic_context *context, const padic_tensor *out,
                                          const padic_num_array *in)
{
    padici_num_task task;
    if (!out || !in)
        return padici_fail_in(context, PADIC_ERROR_ARGUMENT, "num_tropical",
                              !out ? "out is NULL" : "in is NULL");
    padici_num_task_begin(&task, "num_tropical", PADIC_OP_NUM_TROPICAL, padici_num_tropical_loop,
                          NULL, in, NULL, NULL);
    task.field[1] = "in";
    task.other_field[0] = "out";
    task.other[0] = out;
    task.other_dtypes[0] = 1u << PADIC_I32 | 1u << PADIC_F64;
    task.other_out = 1;
    return padici_num_run(context, &task);
}

#endif
