#include "../context/state.h"
#include "../context/messages.h"
#include "../core/log.h"
#include "../core/platform.h"
#include "array.h"
#include "cell.h"
#include "element.h"
#include "few.h"
#include "ring.h"
#include "task.h"
#include "word_loops.h"
#include "words.h"

#if PADICI_IMPLEMENT_NUM

// Public functions of up to three operands.
static PADICI_NOINLINE padic_result padici_num_simple(
    padic_context *context, const char *name, uint32_t op, void (*loop)(padic_num_call *call),
    const padic_num_array *out, const padic_num_array *a, const padic_num_array *b,
    const padic_num_array *c, uint32_t operands, int64_t k)
{
    const uint32_t kernel = op != PADIC_OP_NUM_SQUARE ? op
                            : k                       ? (uint32_t)PADIC_OP_NUM_POW
                                                      : (uint32_t)PADIC_OP_NUM_MUL;
    padici_num_task task;
    if (!out || !a || (operands > 1 && !b) || (operands > 2 && !c))
        return padici_fail_in(context, PADIC_ERROR_ARGUMENT, name,
                              !out ? "out is NULL" : !a ? "a is NULL" : !b ? "b is NULL"
                                                                          : "c is NULL");
    if (kernel <= PADIC_OP_NUM_DIV && kernel != PADIC_OP_NUM_FMA &&
        padici_num_few(context, op, kernel, out, a, b))
        return PADIC_OK;
    padici_num_task_begin(&task, name, op, loop, out, a, b, c);
    task.call.op = kernel;
    task.call.k = k;
    return padici_num_run(context, &task);
}

PADIC_API padic_result padic_num_add(padic_context *context, const padic_num_array *out,
                                     const padic_num_array *a, const padic_num_array *b)
{
    return padici_num_simple(context, "num_add", PADIC_OP_NUM_ADD, padici_num_add_loop, out, a, b,
                             NULL, 2, 0);
}

PADIC_API padic_result padic_num_sub(padic_context *context, const padic_num_array *out,
                                     const padic_num_array *a, const padic_num_array *b)
{
    return padici_num_simple(context, "num_sub", PADIC_OP_NUM_SUB, padici_num_sub_loop, out, a, b,
                             NULL, 2, 0);
}

PADIC_API padic_result padic_num_neg(padic_context *context, const padic_num_array *out,
                                     const padic_num_array *a)
{
    return padici_num_simple(context, "num_neg", PADIC_OP_NUM_NEG, padici_num_neg_loop,
                             out, a, NULL, NULL, 1, 0);
}

PADIC_API padic_result padic_num_mul(padic_context *context, const padic_num_array *out,
                                     const padic_num_array *a, const padic_num_array *b)
{
    return padici_num_simple(context, "num_mul", PADIC_OP_NUM_MUL, padici_num_mul_loop, out, a, b,
                             NULL, 2, 0);
}

PADIC_API padic_result padic_num_square(padic_context *context, const padic_num_array *out,
                                        const padic_num_array *a)
{
    // (u + O(2^n))^2 is known to more digits than a product of two such numbers
    if (out && padici_num_ring_is(out->ring) && out->ring->p == 2 && out->model == PADIC_NUM_BALL)
        return padici_num_simple(context, "num_square", PADIC_OP_NUM_SQUARE, padici_num_pow_loop,
                                 out, a, NULL, NULL, 1, 2);
    return padici_num_simple(context, "num_square", PADIC_OP_NUM_SQUARE, padici_num_mul_loop, out,
                             a, a, NULL, 1, 0);
}

PADIC_API padic_result padic_num_inv(padic_context *context, const padic_num_array *out,
                                     const padic_num_array *a)
{
    return padici_num_simple(context, "num_inv", PADIC_OP_NUM_INV, padici_num_div_loop,
                             out, a, NULL, NULL, 1, 0);
}

PADIC_API padic_result padic_num_div(padic_context *context, const padic_num_array *out,
                                     const padic_num_array *a, const padic_num_array *b)
{
    return padici_num_simple(context, "num_div", PADIC_OP_NUM_DIV, padici_num_div_loop, out, a, b,
                             NULL, 2, 0);
}

PADIC_API padic_result padic_num_shift(padic_context *context, const padic_num_array *out,
                                       const padic_num_array *a, int64_t k)
{
    return padici_num_simple(context, "num_shift", PADIC_OP_NUM_SHIFT, padici_num_shift_loop,
                             out, a, NULL, NULL, 1, k);
}

PADIC_API padic_result padic_num_pow(padic_context *context, const padic_num_array *out,
                                     const padic_num_array *a, int64_t k)
{
    return padici_num_simple(context, "num_pow", PADIC_OP_NUM_POW, padici_num_pow_loop,
                             out, a, NULL, NULL, 1, k);
}

PADIC_API padic_result padic_num_fma(padic_context *context, const padic_num_array *out,
                                     const padic_num_array *a, const padic_num_array *b,
                                     const padic_num_array *c)
{
    return padici_num_simple(context, "num_fma", PADIC_OP_NUM_FMA, padici_num_fma_loop,
                             out, a, b, c, 3, 0);
}

// One exponent per element: other[0], for 128 bits two planes `stride` apart.
static void padici_num_pow_array_loop(padic_num_call *call)
{
    const char *const k = (const char *)call->other[0];
    padic_num_call one = *call;
    const padic_num_ring *r = call->ring;
    uint64_t local[2 * (PADICI_NUM_TEMPS + PADICI_NUM_CELLS)], i;
    uint64_t *words = r->form == PADIC_NUM_RX ? (uint64_t *)call->workspace : local;
    padici_num_cell x, a;
    x.u = words;
    a.u = words + r->words;
    for (i = 0; i < call->count; i++) {
        padici_num_wide e = {0, 0};
        int negative;
        if (call->dtype == PADIC_I32)
            e.low = (uint64_t)(int64_t)((const int32_t *)(const void *)k)[i];
        else
            e.low = ((const uint64_t *)(const void *)k)[i];
        negative = (int64_t)e.low < 0;
        e.high = 0 - (uint64_t)negative;
        if (call->dtype == PADIC_U64) {
            e.high = ((const uint64_t *)(const void *)k)[i + call->stride];
            negative = (int64_t)e.high < 0;
        }
        if (negative) e = padici_num_wide_sub(padici_num_wide_make(0, 0), e);
        padici_num_cell_load(call, &call->a, i, &a);
        x.v = 0;
        x.n = r->precision;
        x.bits = 0;
        padici_num_cell_pow(call, &x, &a, negative, e, words + PADICI_NUM_CELLS * r->words);
        padici_num_cell_store(&one, i, &x);
    }
    call->bits = one.bits;
}

PADIC_API padic_result padic_num_pow_array(padic_context *context, const padic_num_array *out,
                                           const padic_num_array *a, const padic_tensor *k)
{
    padici_num_task task;
    if (!out || !a || !k)
        return padici_fail_in(context, PADIC_ERROR_ARGUMENT, "num_pow_array",
                              !out ? "out is NULL" : !a ? "a is NULL" : "k is NULL");
    padici_num_task_begin(&task, "num_pow_array", PADIC_OP_NUM_POW_ARRAY, padici_num_pow_array_loop,
                          out, a, NULL, NULL);
    task.call.stride = out->count;
    task.other[0] = k;
    task.other_field[0] = "k";
    task.other_each[0] = k->dtype == PADIC_U64 ? 2 : 1;
    task.other_planes = 1;
    task.other_dtypes[0] = 1u << PADIC_I32 | 1u << PADIC_I64 | 1u << PADIC_U64;
    return padici_num_run(context, &task);
}

#endif
