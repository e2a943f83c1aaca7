#include "params.h"
#include "../../core/words.h"
#include "../../num/integers.h"
#include "../../num/rational.h"
#include "../../num/root.h"
#include "../../num/words.h"
#include "../texts.h"

#if PADICI_IMPLEMENT_GPU && !defined(PADIC_NO_NUM)

// The calls that the kernel of numbers supports, and the parameters that all of them share.

// The kernel's NUM_OP_... for an operation; 0: there is none.
PADICI_FN uint32_t padici_gpu_num_op(uint32_t op)
{
    static const uint8_t number[] = {
        1,  2,  3,  4, 5, 6, 7, // ADD, SUB, NEG, MUL, FMA, INV, DIV
        10, 11, 13, // SPLIT, VALUATION, HORNER
        25, 26, 27, 24, // SQRT (ROOT), EXP, LOG, TEICHMUELLER
        14, 15, 21, 22, // TO_DIGITS, FROM_DIGITS, TO_RATIONAL, FROM_FLOAT
        18, 18, // DOT, SUM
        8,  9,  9,  12, 29, // SHIFT, POW, POW_ARRAY, EQUAL, TROPICAL
        16, 17, 20, 23, // FROM_INT, TO_INT, FROM_RATIONAL, TO_FLOAT
        25, 31, 28, 0,  30, 32, 33, // ROOT, POW_PADIC, SET_PRECISION, -, CHANGE_PRIME, RANDOM,
        34, 35                      // HENSEL; SOLVE, POLYNOMIAL_ROOTS
    };
    const uint32_t i = op - PADIC_OP_NUM_ADD;
    return op == PADICI_NUM_RATIONAL ? 21u : i < sizeof number ? number[i] : 0;
}

// 1 if the planes of a call are I16 valuations (`val` 1), U16 precisions (0); -1: some of them.
PADICI_FN int padici_gpu_num_narrow(padici_num_task *task, int val)
{
    const padic_num_planes *planes[4];
    uint32_t i, all = 0, some = 0;
    planes[0] = &task->call.out;
    planes[1] = &task->call.a;
    planes[2] = &task->call.b;
    planes[3] = &task->call.c;
    for (i = 0; i < 4; i++) {
        if (!padici_num_has(task, 3 * i + (val ? 1 : 2))) continue;
        all++;
        some += val ? planes[i]->val16 : planes[i]->known16;
    }
    return !some ? 0 : some == all ? 1 : -1;
}

// TO_FLOAT: 0: p^v is a power of two, or 1; 1: u p^v is an integer; 2: a fraction.
PADICI_FN uint32_t padici_gpu_num_float_kind(const padic_num_call *call)
{
    if (call->ring->p == 2) return 0;
    return (call->k & 255) == PADIC_NUM_FLOAT_DIRECT ? 2 : call->model != PADIC_NUM_RING;
}

// ROOT: 1 if p is too large for a table, plus 2 if p divides n, except for p = n = 2.
PADICI_FN uint32_t padici_gpu_num_root_kind(const padic_num_call *call)
{
    const uint64_t p = call->ring->p;
    return (p > 65537 ? 1u : 0u) | ((uint64_t)call->k % p == 0 && call->k != 2 ? 2u : 0u);
}

// 1 if the kernel supports this call.
PADICI_FN int padici_gpu_num_can(padici_num_task *task, uint32_t kernel)
{
    const padic_num_call *call = &task->call;
    const padic_num_ring *r = call->ring;
    const uint32_t op = padici_gpu_num_op(kernel);
    if (!op || r->form > PADIC_NUM_W64 || r->composite) return 0;
    if (task->report && padici_num_has(task, PADICI_NUM_STICKY)) return 0;
    if (padici_gpu_num_narrow(task, 0) < 0 || padici_gpu_num_narrow(task, 1) < 0) return 0;
    switch (kernel) {
    case PADIC_OP_NUM_POW_ARRAY: return call->dtype != PADIC_U64;
    case PADIC_OP_NUM_VALUATION:
        return !padici_num_has(task, PADICI_NUM_OTHER + 1) || !task->context->recording; // a table
    case PADIC_OP_NUM_FROM_INT:
    case PADIC_OP_NUM_TO_INT:
    case PADIC_OP_NUM_FROM_RATIONAL: return !(uint32_t)call->k; // no limbs
    case PADIC_OP_NUM_SET_PRECISION: return task->a->ring->form <= PADIC_NUM_W64;
    case PADIC_OP_NUM_CHANGE_PRIME: // a table is uploaded
        return task->a->ring->form <= PADIC_NUM_W64 && !task->a->ring->composite &&
               !task->context->recording;
    case PADICI_NUM_RATIONAL: {
        const padici_num_rational *o = (const padici_num_rational *)call->options;
        return !o->limbs[0] && !o->limbs[1] && !task->context->recording &&
               (o->mode != PADIC_NUM_RATIONAL_COMMON || task->count >> 30 == 0) &&
               (o->mode != PADIC_NUM_RATIONAL_FIXED || !o->fixed[1]);
    }
    case PADIC_OP_NUM_DOT:
    case PADIC_OP_NUM_SUM: return task->count >> 31 == 0;
    case PADIC_OP_NUM_TO_FLOAT:
        return !padici_gpu_num_float_kind(call) || !task->context->recording; // a table is uploaded
    case PADIC_OP_NUM_SQRT:
    case PADIC_OP_NUM_ROOT:
        if (task->context->recording) return 0; // a table is uploaded
        // Without a table the smallest of many roots is searched; Mesa's loops end after 65,535.
        return r->p <= 65537 || ((const padici_root *)call->options)->count <= 32768;
    case PADIC_OP_NUM_POLYNOMIAL_ROOTS: // it waits for its report
        return !task->context->recording && task->count >> 32 == 0;
    case PADIC_OP_NUM_POW_PADIC:
    case PADIC_OP_NUM_EXP:
    case PADIC_OP_NUM_LOG: return !task->context->recording; // the coefficients are uploaded
    default: return 1;
    }
}

PADICI_FN void padici_gpu_num_pair(uint32_t *to, uint64_t x)
{
    to[0] = (uint32_t)x;
    to[1] = (uint32_t)(x >> 32);
}

// The constants of a ring for units of `bits`.
static void padici_gpu_num_ring(padici_k_num_each_params *k, const padic_num_ring *r, uint32_t bits)
{
    const uint64_t most = bits == 32 ? UINT32_MAX : UINT64_MAX, p = r->base;
    uint32_t j;
    k->precision = r->precision;
    padici_gpu_num_pair(k->p, r->p);
    if (r->p == 2) {
        padici_gpu_num_pair(k->base, p - 1);
        padici_gpu_num_pair(k->one, 1);
        return;
    }
    padici_gpu_num_pair(k->base, p);
    padici_gpu_num_pair(k->inverse, padici_num_inverse64(p));
    padici_gpu_num_pair(k->one, (most % p + 1) % p);
    padici_gpu_num_pair(k->square, bits == 32 ? (UINT64_MAX % p + 1) % p : r->mont_square[0]);
    padici_gpu_num_pair(k->limit, most / r->p);
    for (j = 1; j < r->ladder && j < 6; j++)
        padici_gpu_num_pair(k->limit + 2 * j, most / r->ladder_power[j]);
}

// Parameters of a part of a call, except those of a single operation.
PADICI_FN void padici_gpu_num_params(padici_k_num_each_params *k, const padic_num_call *call,
                                     const padici_gpu_num_places *places, uint32_t bits)
{
    uint32_t j;
    memset(k, 0, sizeof *k);
    k->count = (uint32_t)call->count;
    padici_gpu_num_ring(k, call->ring, bits);
    for (j = 0; j < PADICI_NUM_OTHER + 3; j++) padici_gpu_num_pair(k->place + 2 * j, places->at[j]);
    k->flags |= call->out.scalar | call->a.scalar << 1 | call->b.scalar << 2 | call->c.scalar << 3;
    padici_gpu_num_pair(k->k, (uint64_t)call->k);
    padici_gpu_num_pair(k->stride, call->stride);
}

// The number of v on either side of 0 whose norm p^-v is neither 0 nor infinite, or that occur.
PADICI_FN uint32_t padici_gpu_num_norm_most(const padic_num_call *call)
{
    const uint32_t bits = (padic_dtype)call->k == PADIC_F64 ? 1075 : 150;
    if (call->model == PADIC_NUM_RING) return call->ring->precision;
    return bits / (63 - padici_clz64(call->ring->p)) + 1;
}

// The code of RATIONAL's integer type: log2 of its bytes, plus 4 if it is signed.
PADICI_FN uint32_t padici_gpu_num_int_kind(padic_dtype dtype)
{
    const uint32_t size = padic_dtype_size(dtype);
    return (size == 8 ? 3 : size == 4 ? 2 : size == 2 ? 1 : 0) |
           (PADICI_NUM_SIGNED >> dtype & 1 ? 4 : 0);
}

#endif
