#include "valuation.h"
#include "../context/messages.h"
#include "../context/state.h"
#include "../core/log.h"
#include "../core/view.h"
#include "../core/words.h"
#include "array.h"
#include "element.h"
#include "residue.h"
#include "ring.h"
#include "task.h"
#include "word_loops.h"
#include "words.h"

#if PADICI_IMPLEMENT_NUM

// Valuation and metric

PADICI_FN uint64_t padici_num_norm_round(const uint64_t *power, uint32_t used, int inverse,
                                     padic_dtype dtype, uint32_t *overflow)
{
    uint64_t rest[PADICI_NUM_NORM_WORDS], q = 0;
    const uint32_t bits = 64 * used - padici_clz64(power[used - 1]);
    uint32_t i, j, more = 0, inexact;
    *overflow = 0;
    if (used == PADICI_NUM_NORM_WORDS - 1) {
        *overflow = !inverse;
        return inverse ? 0 : padici_num_float_round(dtype, 1, 2000, 0, &inexact, &more);
    }
    if (!inverse) { // the 64 highest bits, and whether others are set
        const uint32_t drop = bits > 64 ? bits - 64 : 0;
        q = power[drop / 64] >> (drop & 63);
        if (drop & 63) q |= power[drop / 64 + 1] << (64 - (drop & 63));
        for (i = 0; i < drop; i++) more |= (uint32_t)(power[i / 64] >> (i & 63) & 1);
        return padici_num_float_round(dtype, q, drop, more, &inexact, overflow);
    }
    used++; // twice the remainder may take one word more than the power
    memset(rest, 0, sizeof rest); // 2^(bits - 1) divided by the power, bit by bit
    rest[(bits - 1) / 64] = UINT64_C(1) << ((bits - 1) & 63);
    for (i = 0; i < 64; i++) {
        int32_t less = 0;
        for (j = used; j-- > 0 && !less;) less = rest[j] < power[j] ? -1 : rest[j] > power[j];
        if (less >= 0) { // remainder - power
            uint64_t borrow = 0;
            for (j = 0; j < used; j++) {
                const uint64_t d = rest[j] - power[j], e = d - borrow;
                borrow = (rest[j] < power[j]) | (d < borrow);
                rest[j] = e;
            }
        }
        q = q << 1 | (less >= 0);
        for (j = used; j-- > 0;) rest[j] = rest[j] << 1 | (j ? rest[j - 1] >> 63 : 0);
    }
    for (j = 0; j < used; j++) more |= rest[j] != 0;
    return padici_num_float_round(dtype, q, -(int64_t)(bits - 1) - 63, more, &inexact, overflow);
}

// Multiplies a power of `used` words by p; returns its new number of words.
PADICI_FN uint32_t padici_num_norm_times(uint64_t *power, uint32_t used, uint64_t p)
{
    uint64_t carry = 0;
    uint32_t j;
    for (j = 0; j < used; j++) {
        const padici_num_wide x = padici_num_wide_add(padici_num_wide_mul(power[j], p),
                                              padici_num_wide_make(carry, 0));
        power[j] = x.low;
        carry = x.high;
    }
    if (carry) power[used++] = carry;
    return used;
}

// p^-v.
static uint64_t padici_num_norm_bits(uint64_t p, int32_t v, padic_dtype dtype, uint32_t *overflow)
{
    uint64_t power[PADICI_NUM_NORM_WORDS];
    uint32_t k = (uint32_t)(v < 0 ? -v : v), used = 1, i;
    memset(power, 0, sizeof power);
    power[0] = 1;
    for (i = 0; i < k && used < PADICI_NUM_NORM_WORDS - 1; i++)
        used = padici_num_norm_times(power, used, p);
    return padici_num_norm_round(power, used, v > 0, dtype, overflow);
}

typedef struct padici_num_norms { // for narrow valuations, computed once per call
    uint64_t bits[64];
    int32_t v[64];
} padici_num_norms;

static uint32_t padici_num_norm_store(padici_num_norms *norms, const padic_num_call *call,
                                      uint64_t i, int32_t v, uint32_t bits)
{
    const padic_dtype dtype = (padic_dtype)call->k;
    const uint32_t slot = (uint32_t)v & 63;
    uint64_t x;
    uint32_t overflow = 0;
    if (v == PADIC_NUM_ZERO) {
        x = 0;
    } else if (v == PADIC_NUM_NAN) {
        x = dtype == PADIC_F64 ? UINT64_C(0x7ff8) << 48 : 0x7fc00000u;
    } else if (norms->v[slot] == v) {
        x = norms->bits[slot];
        overflow = x == (dtype == PADIC_F64 ? UINT64_C(0x7ff) << 52 : 0x7f800000u);
    } else {
        x = padici_num_norm_bits(call->ring->p, v, dtype, &overflow);
        norms->v[slot] = v;
        norms->bits[slot] = x;
    }
    if (dtype == PADIC_F64)
        memcpy((char *)call->other[1] + 8 * i, &x, 8);
    else {
        const uint32_t y = (uint32_t)x;
        memcpy((char *)call->other[1] + 4 * i, &y, 4);
    }
    return overflow ? bits | PADIC_NUM_RANGE : bits;
}

// The valuation of a cell, and its status.
PADICI_FN int32_t padici_num_cell_valuation(const padic_num_call *call, const padici_num_cell *a,
                                        uint32_t *bits)
{
    *bits = a->bits;
    if (call->model == PADIC_NUM_RING) {
        const uint32_t v = padici_num_ring_valuation(call->ring, a->u);
        return v < call->ring->precision ? (int32_t)v : PADIC_NUM_ZERO;
    }
    if (a->v != PADIC_NUM_ZERO && a->v != PADIC_NUM_NAN && !a->n) *bits |= PADIC_NUM_PRECLOSS;
    return a->v;
}

// The same for one word, if the element is an ordinary one.
PADICI_INLINE int padici_num_word_valuation(const padic_num_call *call, const padic_num_ring *r,
                                        uint64_t i, int32_t *v)
{
    const uint64_t ia = call->a.scalar ? 0 : i, ib = call->b.scalar ? 0 : i;
    uint64_t x;
    *v = 0;
    if (call->model != PADIC_NUM_RING) {
        const int32_t va = ((const int32_t *)call->a.val)[ia];
        const int32_t vb = call->b.unit ? ((const int32_t *)call->b.val)[ib] : va;
        *v = va < vb ? va : vb;
        if (!padici_num_val_finite(va) || !padici_num_val_finite(vb)) return 0;
        if (!call->b.unit || va != vb) return 1; // if they differ, the smaller one
    }
    x = padici_num_word(r, call->a.unit, ia);
    if (call->b.unit) x = padici_num_sub1(r, r->form, x, padici_num_word(r, call->b.unit, ib));
    if (!x) return 0;
    if (r->p == 2 || x * r->inverse <= r->unit_limit) *v += (int32_t)padici_num_split1(r, x, &x);
    return padici_num_val_finite(*v);
}

// v(a), or v(a - b).
static void padici_num_valuation_loop(padic_num_call *call)
{
    const padic_num_ring *r = call->ring;
    uint64_t local[2 * (PADICI_NUM_TEMPS + PADICI_NUM_CELLS)], i;
    uint64_t *words = r->form == PADIC_NUM_RX ? (uint64_t *)call->workspace : local;
    int32_t *const val = (int32_t *)call->other[0];
    const int fast = padici_num_fast(call, PADIC_NUM_RING) ||
                     padici_num_fast(call, PADIC_NUM_FLOAT);
    padici_num_norms norms;
    padici_num_cell x, a, b;
    x.u = words;
    a.u = words + r->words;
    b.u = words + 2 * r->words;
    for (i = 0; i < 64; i++) norms.v[i] = PADIC_NUM_NAN;
    for (i = 0; i < call->count; i++) {
        uint32_t bits;
        int32_t v;
        if (fast && padici_num_word_valuation(call, r, i, &v)) {
            bits = 0;
            if (val) val[i] = v;
            if (call->other[1]) bits = padici_num_norm_store(&norms, call, i, v, 0);
            if (call->status) call->status[i] = (uint8_t)bits;
            call->bits |= bits;
            continue;
        }
        padici_num_cell_load(call, &call->a, i, &a);
        if (call->b.unit) {
            padici_num_cell_load(call, &call->b, i, &b);
            x.v = 0;
            x.n = r->precision;
            x.bits = 0;
            padici_num_cell_sum(call, &x, &a, &b, 1, words + PADICI_NUM_CELLS * r->words);
            v = padici_num_cell_valuation(call, &x, &bits);
        } else {
            v = padici_num_cell_valuation(call, &a, &bits);
        }
        if (val) val[i] = v;
        if (call->other[1]) bits = padici_num_norm_store(&norms, call, i, v, bits);
        if (call->status) call->status[i] = (uint8_t)bits;
        call->bits |= bits;
    }
}

PADIC_API padic_result padic_num_valuation(padic_context *context,
                                           const padic_num_valuation_desc *desc)
{
    padici_num_task task;
    if (!desc || (!desc->val.dtype && !desc->norm.dtype))
        return padici_fail_in(context, PADIC_ERROR_ARGUMENT, "num_valuation",
                              "val and norm are both missing: give one of them");
    padici_num_task_begin(&task, "num_valuation", PADIC_OP_NUM_VALUATION,
                          padici_num_valuation_loop, NULL, &desc->in,
                          desc->other.ring ? &desc->other : NULL, NULL);
    task.field[1] = "in";
    task.field[2] = "other";
    task.other_field[0] = "val";
    task.other_field[1] = "norm";
    if (desc->val.dtype) task.other[0] = &desc->val;
    if (desc->norm.dtype) task.other[1] = &desc->norm;
    task.other_dtypes[0] = 1u << PADIC_I32;
    task.other_dtypes[1] = 1u << PADIC_F32 | 1u << PADIC_F64;
    task.other_out = 3;
    task.call.k = desc->norm.dtype;
    task.status = &desc->status;
    task.sticky = desc->sticky;
    return padici_num_run(context, &task);
}

// v_p of an integer of any type in a tensor; ZERO for 0.
static int32_t padici_num_integer_valuation(const padic_num_ring *r, padic_dtype dtype,
                                        const void *data, uint64_t i)
{
    uint64_t x = 0;
    int64_t y;
    int32_t v = 0;
    switch (dtype) {
    case PADIC_I8: y = ((const int8_t *)data)[i]; break;
    case PADIC_I16: y = ((const int16_t *)data)[i]; break;
    case PADIC_I32: y = ((const int32_t *)data)[i]; break;
    case PADIC_U8: y = ((const uint8_t *)data)[i]; break;
    case PADIC_U16: y = ((const uint16_t *)data)[i]; break;
    case PADIC_U32: y = ((const uint32_t *)data)[i]; break;
    default: memcpy(&y, (const char *)data + 8 * i, 8); break;
    }
    x = (uint64_t)y;
    if (y < 0 && dtype != PADIC_U64) x = 0 - x;
    if (!x) return PADIC_NUM_ZERO;
    for (; x % r->p == 0; x /= r->p) v++;
    return v;
}

// The operands of valuation_of: `out` is apart from the integers, or replaces some of four bytes.
static padic_result padici_num_valuation_of_apart(const padic_num_valuation_of_desc *desc,
                                                  uint64_t count, void *out, void *n, void *d)
{
    padici_num_range range[3];
    uint32_t k = 0;
    padici_num_range_add(range, &k, out, 4 * count, 1, 1);
    padici_num_range_add(range, &k, n, count * padic_dtype_size(desc->numerator.dtype), 1, 0);
    padici_num_range_add(range, &k, d, count * padic_dtype_size(desc->denominator.dtype), 1, 0);
    return padici_num_overlap(range, k);
}

PADIC_API padic_result padic_num_valuation_of(padic_context *context,
                                              const padic_num_valuation_of_desc *desc)
{
    const uint32_t integers = 0xffu << PADIC_I8; // I8 to U64
    void *out, *n, *d = NULL;
    uint64_t i, count;
    padic_result result;
    const char *field = "out";
    if (!desc)
        return padici_fail_in(context, PADIC_ERROR_ARGUMENT, "num_valuation_of", "desc is NULL");
    if (!padici_num_ring_is(desc->ring))
        return padici_fail_in(context, PADIC_ERROR_ARGUMENT, "num_valuation_of",
                              "ring was not made by num_ring_init");
    if (desc->ring->composite)
        return padici_fail_in(context, PADIC_ERROR_NOT_SUPPORTED, "num_valuation_of",
                              "ring has a radix that is no prime");
    result = padici_tensor_check_shape(&desc->out, &count);
    if (!result) result = padici_num_plane(context, &desc->out, count, 1u << PADIC_I32, &out);
    if (!result) {
        field = "numerator";
        result = padici_num_plane(context, &desc->numerator, count, integers, &n);
    }
    if (!result && (desc->denominator.dtype || desc->denominator.data)) {
        field = "denominator";
        result = padici_num_plane(context, &desc->denominator, count, integers, &d);
    }
    if (!result) {
        field = "out";
        result = padici_num_valuation_of_apart(desc, count, out, n, d);
    }
    if (result) {
        padici_blame(context, result, field, NULL, NULL);
        return padici_fault(context, result, "num_valuation_of");
    }
    for (i = 0; i < count; i++) {
        const int32_t vn =
            padici_num_integer_valuation(desc->ring, desc->numerator.dtype, n, i);
        const int32_t vd =
            d ? padici_num_integer_valuation(desc->ring, desc->denominator.dtype, d, i) : 0;
        if (vd == PADIC_NUM_ZERO) result = PADIC_ERROR_DOMAIN;
        ((int32_t *)out)[i] = vd == PADIC_NUM_ZERO   ? PADIC_NUM_NAN
                              : vn == PADIC_NUM_ZERO ? vn
                                                     : vn - vd;
    }
    if (!result) return PADIC_OK;
    return padici_fail_in(context, result, "num_valuation_of", "a denominator is 0: NAN there");
}

static void padici_num_split_loop(padic_num_call *call)
{
    const padic_num_ring *r = call->ring;
    uint64_t local[2], i;
    int32_t *const val = (int32_t *)call->other[0];
    const int ring = padici_num_fast(call, PADIC_NUM_RING);
    const int fast = ring || padici_num_fast(call, PADIC_NUM_FLOAT);
    padici_num_cell x;
    x.u = r->form == PADIC_NUM_RX ? (uint64_t *)call->workspace : local;
    for (i = 0; i < call->count; i++) {
        const uint64_t at = call->a.scalar ? 0 : i;
        uint32_t bits;
        int32_t v = 0;
        if (fast) {
            uint64_t u = padici_num_word(r, call->a.unit, at);
            int easy = u != 0;
            if (!ring) { // it is already its own unit
                v = ((const int32_t *)call->a.val)[at];
                easy = padici_num_val_finite(v);
            } else if (easy && (r->p == 2 || u * r->inverse <= r->unit_limit)) {
                v = (int32_t)padici_num_split1(r, u, &u);
            }
            if (easy) {
                bits = ring && v ? PADIC_NUM_PRECLOSS : 0;
                padici_num_word_set(r, call->out.unit, i, u);
                if (!ring) ((int32_t *)call->out.val)[i] = 0;
                if (val) val[i] = v;
                if (call->status) call->status[i] = (uint8_t)bits;
                call->bits |= bits;
                continue;
            }
        }
        padici_num_cell_load(call, &call->a, i, &x);
        v = padici_num_cell_valuation(call, &x, &bits);
        x.bits = bits;
        if (call->model == PADIC_NUM_RING && v != PADIC_NUM_ZERO && v) {
            if (r->form < PADIC_NUM_W128)
                padici_num_split1(r, x.u[0], x.u);
            else
                padici_num_ring_down(r, x.u, x.u, (uint64_t)v);
            x.bits |= PADIC_NUM_PRECLOSS;
        }
        if (val) val[i] = v;
        if (x.v != PADIC_NUM_ZERO && x.v != PADIC_NUM_NAN) x.v = 0;
        padici_num_cell_store(call, i, &x);
    }
}

PADIC_API padic_result padic_num_split(padic_context *context, const padic_num_array *out,
                                       const padic_tensor *val, const padic_num_array *in)
{
    padici_num_task task;
    if (!out || !in)
        return padici_fail_in(context, PADIC_ERROR_ARGUMENT, "num_split",
                              !out ? "out is NULL" : "in is NULL");
    padici_num_task_begin(&task, "num_split", PADIC_OP_NUM_SPLIT, padici_num_split_loop, out, in,
                          NULL, NULL);
    task.field[1] = "in";
    task.other_field[0] = "val";
    task.other[0] = val;
    task.other_dtypes[0] = 1u << PADIC_I32;
    task.other_out = 1;
    return padici_num_run(context, &task);
}

#endif
