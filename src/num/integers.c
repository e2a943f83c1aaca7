#include "integers.h"
#include "../context/messages.h"
#include "../context/state.h"
#include "../core/log.h"
#include "element.h"
#include "ring.h"

#if PADICI_IMPLEMENT_NUM

// ---- integers

// An integer tensor as operand j of a task; the loop finds its number of limbs in call->k (0: plain
// integers) and their distance in call->stride.
PADICI_FN padic_result padici_num_task_ints(padici_num_task *task, uint32_t j,
                                            const padic_tensor *t, const padic_num_array *array)
{
    task->other[j] = t;
    task->other_dtypes[j] = PADICI_NUM_SIGNED | PADICI_NUM_UNSIGNED;
    if (t->dtype != PADIC_U64 || t->rank != 2 || !padici_num_ring_is(array->ring)) return PADIC_OK;
    if (!t->shape[0] || t->shape[0] > padici_num_big_room(array->ring)) return PADIC_ERROR_LIMIT;
    if (t->shape[1] != array->count) return PADIC_ERROR_MISMATCH;
    task->other_each[j] = t->shape[0];
    task->other_planes |= 1u << j;
    task->call.k = (int64_t)t->shape[0];
    task->call.stride = array->count;
    return PADIC_OK;
}

// |element i| of an integer tensor; 1 if it is negative.
static int padici_num_big_load(const void *data, padic_dtype dtype, uint32_t limbs, uint64_t stride,
                           uint64_t i, padici_num_big *b)
{
    const uint64_t *const plane = (const uint64_t *)data;
    uint64_t carry = 1;
    int negative;
    if (!limbs) {
        padici_num_big_set(b, padici_num_int_load(data, dtype, i, &negative));
        return negative;
    }
    negative = plane[(limbs - 1) * stride + i] >> 63 != 0;
    for (b->n = 0; b->n < limbs; b->n++) {
        const uint64_t w = plane[b->n * stride + i];
        b->w[b->n] = negative ? ~w + carry : w;
        carry = carry && !w;
    }
    padici_num_big_trim(b);
    return negative;
}

// Writes +-b to element i, or 0 with RANGE if it is too wide.
PADICI_FN uint32_t padici_num_big_store(void *data, padic_dtype dtype, uint32_t limbs,
                                        uint64_t stride, uint64_t i, const padici_num_big *b,
                                        int negative)
{
    const uint32_t size = padic_dtype_size(dtype),
                   is_signed = limbs || PADICI_NUM_SIGNED >> dtype & 1;
    const uint64_t bits = padici_num_big_bits(b), room = limbs ? 64 * (uint64_t)limbs : 8 * size;
    uint64_t carry = 1;
    uint32_t k, fits = bits <= room - is_signed && (is_signed || !negative || !bits);
    if (is_signed && negative && bits == room) { // -2^(room - 1)
        fits = b->w[b->n - 1] == UINT64_C(1) << ((room - 1) & 63);
        for (k = 0; k + 1 < b->n; k++) fits &= !b->w[k];
    }
    for (k = 0; k < limbs || k < 1; k++) {
        uint64_t w = fits && k < b->n ? b->w[k] : 0;
        if (negative && fits) {
            const uint64_t zero = !w;
            w = ~w + carry;
            carry &= zero;
        }
        if (limbs)
            ((uint64_t *)data)[k * stride + i] = w;
        else
            padici_num_int_store(data, size, i, w);
    }
    return fits ? 0 : PADIC_NUM_RANGE;
}

// x = +-b, which is destroyed: p^v and a unit if `split`, otherwise v = 0.
PADICI_FN void padici_num_cell_of_big(const padic_num_ring *r, padici_num_cell *x,
                                      padici_num_big *b, int negative, int split)
{
    x->v = !split ? 0 : b->n ? (int32_t)padici_num_big_strip(r, b) : PADIC_NUM_ZERO;
    x->n = r->precision;
    x->bits = 0;
    padici_num_ring_of_big(r, x->u, b);
    if (negative) padici_num_ring_neg(r, x->u, x->u);
}

// Converts a split number to the model: in a ring p^v u.
PADICI_FN void padici_num_cell_settle(const padic_num_call *call, padici_num_cell *x)
{
    if (call->model != PADIC_NUM_RING) return;
    if (x->v == PADIC_NUM_ZERO)
        memset(x->u, 0, call->ring->words * sizeof *x->u);
    else if (x->v > 0)
        padici_num_ring_up(call->ring, x->u, x->u, (uint64_t)x->v);
    else if (x->v < 0 && x->v != PADIC_NUM_NAN)
        x->bits |= PADIC_NUM_NONUNIT;
    x->v = 0;
}

static void padici_num_from_int_loop(padic_num_call *call)
{
    const padic_num_ring *r = call->ring;
    const int split = call->model != PADIC_NUM_RING, word = r->form < PADIC_NUM_W128 && !call->k;
    padici_num_work work;
    padici_num_cell x;
    uint64_t i;
    int negative;
    padici_num_work_begin(&work, r, call->workspace);
    x.u = work.u;
    for (i = 0; i < call->count && word; i++) {
        const uint64_t m = padici_num_int_load(call->other[0], call->dtype, i, &negative);
        padici_num_cell_of_word(r, &x, work.limit, m, 1, negative, split);
        padici_num_cell_put(call, i, &x);
    }
    for (; i < call->count; i++) {
        negative = padici_num_big_load(call->other[0], call->dtype, (uint32_t)call->k, call->stride,
                                       i, &work.a);
        padici_num_cell_of_big(r, &x, &work.a, negative, split);
        padici_num_cell_store(call, i, &x);
    }
}

PADIC_API padic_result padic_num_from_int(padic_context *context,
                                          const padic_num_from_int_desc *desc)
{
    padici_num_task task;
    padic_result result;
    if (!desc) return padici_fail_in(context, PADIC_ERROR_ARGUMENT, "num_from_int", "desc is NULL");
    padici_num_task_begin(&task, "num_from_int", PADIC_OP_NUM_FROM_INT, padici_num_from_int_loop,
                          &desc->out, NULL, NULL, NULL);
    task.other_field[0] = "in";
    if ((result = padici_num_task_ints(&task, 0, &desc->in, &desc->out)) != PADIC_OK)
        return padici_fail_in(context, result, "num_from_int", PADICI_NUM_LIMBS("in", "out"));
    return padici_num_run(context, &task);
}

// x = a / b of split numbers. `temp` has room for 3 residues.
static void padici_num_cell_quotient(const padic_num_call *call, padici_num_cell *x,
                                     const padici_num_cell *a, const padici_num_cell *b,
                                     uint64_t *temp)
{
    padic_num_call split = *call;
    split.model = PADIC_NUM_FLOAT;
    x->v = 0;
    x->n = call->ring->precision;
    x->bits = 0;
    padici_num_cell_div(&split, x, a, b, temp);
    padici_num_cell_settle(call, x);
}

// x = +-n / d, which are destroyed. `temp` has room for 5 residues.
PADICI_FN void padici_num_cell_of_fraction(const padic_num_call *call, padici_num_cell *x,
                                           padici_num_big *n, int negative, padici_num_big *d,
                                           uint64_t *temp)
{
    const padic_num_ring *r = call->ring;
    padici_num_cell a, b;
    a.u = temp;
    b.u = temp + r->words;
    padici_num_cell_of_big(r, &a, n, negative, 1);
    padici_num_cell_of_big(r, &b, d, 0, 1);
    padici_num_cell_quotient(call, x, &a, &b, temp + 2 * r->words);
}

static void padici_num_from_rational_loop(padic_num_call *call)
{
    const padic_num_ring *r = call->ring;
    const uint32_t limbs = (uint32_t)call->k, word = r->form < PADIC_NUM_W128 && !limbs;
    padici_num_work work;
    padici_num_cell x, a, b;
    uint64_t i;
    padici_num_work_begin(&work, r, call->workspace);
    x.u = work.u;
    a.u = work.temp;
    b.u = work.temp + r->words;
    for (i = 0; i < call->count; i++) {
        if (word) {
            int sign, negative;
            const uint64_t n = padici_num_int_load(call->other[0], call->dtype, i, &sign);
            const uint64_t d = padici_num_int_load(call->other[1], call->dtype, i, &negative);
            padici_num_cell_of_word(r, &a, work.limit, n, 1, negative ^ sign, 1);
            padici_num_cell_of_word(r, &b, work.limit, d, 1, 0, 1);
            padici_num_cell_quotient(call, &x, &a, &b, work.temp + 2 * r->words);
        } else {
            int sign =
                padici_num_big_load(call->other[0], call->dtype, limbs, call->stride, i, &work.a);
            sign ^=
                padici_num_big_load(call->other[1], call->dtype, limbs, call->stride, i, &work.b);
            padici_num_cell_of_fraction(call, &x, &work.a, sign, &work.b, work.temp);
        }
        padici_num_cell_store(call, i, &x);
    }
}

PADIC_API padic_result padic_num_from_rational(padic_context *context,
                                               const padic_num_from_rational_desc *desc)
{
    padici_num_task task;
    const padic_tensor *d;
    padic_result result;
    if (!desc)
        return padici_fail_in(context, PADIC_ERROR_ARGUMENT, "num_from_rational", "desc is NULL");
    d = &desc->denominator;
    padici_num_task_begin(&task, "num_from_rational", PADIC_OP_NUM_FROM_RATIONAL,
                          padici_num_from_rational_loop, &desc->out, NULL, NULL, NULL);
    task.other_field[0] = "numerator";
    task.other_field[1] = "denominator";
    result = padici_num_task_ints(&task, 1, d, &desc->out);
    if (!result) result = padici_num_task_ints(&task, 0, &desc->numerator, &desc->out);
    if (!result && d->dtype != desc->numerator.dtype) result = PADIC_ERROR_DTYPE;
    if (!result && task.other_each[0] != task.other_each[1]) result = PADIC_ERROR_MISMATCH;
    if (result)
        return padici_fail_in(context, result, "num_from_rational",
                              "numerator and denominator must have one dtype and shape that fits "
                              "out: one integer for each number, or (limbs, out.count)");
    return padici_num_run(context, &task);
}

// p^v u as an integer, least or balanced residue, in work->a. Returns status bits if there is none.
PADICI_FN uint32_t padici_num_big_of_cell(const padic_num_call *call, padici_num_cell *x,
                                          int balanced, int power, padici_num_work *work,
                                          int *negative)
{
    *negative = 0;
    work->a.n = 0;
    if (x->v == PADIC_NUM_NAN) return x->bits;
    if (x->v == PADIC_NUM_ZERO) return 0;
    if (x->v < 0 && power) return PADIC_NUM_OUTSIDE;
    if (!x->n) return PADIC_NUM_PRECLOSS;
    if (balanced) *negative = padici_num_ring_balance(call->ring, x->u, x->n, work->temp);
    padici_num_big_of_ring(call->ring, &work->a, x->u);
    if (!power || padici_num_big_power(call->ring, &work->a, (uint32_t)x->v)) return 0;
    return PADIC_NUM_RANGE;
}

static void padici_num_to_int_loop(padic_num_call *call)
{
    padici_num_work work;
    padici_num_cell x;
    uint64_t i;
    const int balanced = call->k >> 32 != 0;
    padici_num_work_begin(&work, call->ring, call->workspace);
    x.u = work.u;
    for (i = 0; i < call->count; i++) {
        uint32_t bits;
        int negative;
        padici_num_cell_load(call, &call->a, i, &x);
        bits = padici_num_big_of_cell(call, &x, balanced, 1, &work, &negative);
        if (bits) work.a.n = 0;
        bits |= padici_num_big_store(call->other[0], call->dtype, (uint32_t)call->k, call->stride,
                                     i, &work.a, negative);
        padici_num_report(call, i, bits);
    }
}

PADIC_API padic_result padic_num_to_int(padic_context *context, const padic_num_to_int_desc *desc)
{
    padici_num_task task;
    padic_result result;
    if (!desc || (uint32_t)desc->mode > PADIC_NUM_INT_BALANCED)
        return padici_fail_in(context, PADIC_ERROR_ARGUMENT, "num_to_int",
                              desc ? "mode must be LEAST or BALANCED" : "desc is NULL");
    padici_num_task_begin(&task, "num_to_int", PADIC_OP_NUM_TO_INT, padici_num_to_int_loop, NULL,
                          &desc->in, NULL, NULL);
    task.field[1] = "in";
    task.other_field[0] = "out";
    if ((result = padici_num_task_ints(&task, 0, &desc->out, &desc->in)) != PADIC_OK)
        return padici_fail_in(context, result, "num_to_int", PADICI_NUM_LIMBS("out", "in"));
    task.call.k |= (int64_t)desc->mode << 32;
    task.other_out = 1;
    task.status = &desc->status;
    task.sticky = desc->sticky;
    return padici_num_run(context, &task);
}

#endif
