#include "special.h"
#include "../../num/convert.h"
#include "../../num/floats.h"
#include "../../num/integers.h"
#include "../../num/rational.h"
#include "../../num/tropical.h"
#include "../../num/words.h"
#include "params.h"
#include "tables.h"
#include "../texts.h"

#if PADICI_IMPLEMENT_GPU && !defined(PADIC_NO_NUM)

// The kernel's parameters of one operation.

static void padici_gpu_num_reconstruction(padici_k_num_each_params *k, padici_num_task *task)
{
    const padic_num_call *const call = &task->call;
    const padici_num_rational *o = (const padici_num_rational *)call->options;
    k->mode = padici_gpu_num_int_kind(o->dtype[0]);
    if (padici_num_has(task, PADICI_NUM_OTHER + 1))
        k->mode |= padici_gpu_num_int_kind(o->dtype[1]) << 3 | 64;
    if (o->mode == PADIC_NUM_RATIONAL_COMMON) {
        k->count = (uint32_t)(k->count / o->vector);
        padici_gpu_num_pair(k->stride, o->vector);
    } else if (o->mode == PADIC_NUM_RATIONAL_FIXED) {
        uint64_t unit;
        padici_num_big d;
        uint64_t word = o->unit[0];
        d.w = &word;
        d.n = d.room = 1;
        padici_num_ring_of_big(call->ring, &unit, &d);
        k->mode |= o->fixed_v << 8;
        padici_gpu_num_pair(k->k, unit);
        padici_gpu_num_pair(k->stride, o->fixed[0]);
    } else if (o->mode == PADIC_NUM_RATIONAL_QUOTIENT) {
        padici_gpu_num_pair(k->k, o->bounds.quotient);
    }
}

// Parameters of particular operations.
PADICI_FN void padici_gpu_num_special(padici_k_num_each_params *k, padici_num_task *task,
                                      uint32_t kernel)
{
    const padic_num_call *call = &task->call;
    const uint32_t is_signed = PADICI_NUM_SIGNED >> call->dtype & 1;
    switch (kernel) {
    case PADIC_OP_NUM_HENSEL:
    case PADIC_OP_NUM_HORNER: k->flags &= ~8u; break; // shared coefficients are not a scalar
    case PADIC_OP_NUM_TO_DIGITS:
    case PADIC_OP_NUM_FROM_DIGITS:
    case PADIC_OP_NUM_FROM_INT:
    case PADIC_OP_NUM_FROM_RATIONAL:
        k->mode = kernel == PADIC_OP_NUM_TO_DIGITS || kernel == PADIC_OP_NUM_FROM_DIGITS
                      ? (uint32_t)call->k & 16
                      : is_signed;
        break;
    case PADIC_OP_NUM_TO_INT:
        k->mode = is_signed | (uint32_t)(call->k >> 32 != 0) << 1;
        break;
    case PADICI_NUM_RATIONAL: padici_gpu_num_reconstruction(k, task); break;
    case PADIC_OP_NUM_RANDOM:
        padici_gpu_num_pair(k->k, ((const padic_num_random_desc *)call->options)->seed);
        padici_gpu_num_pair(k->stride, ((const padic_num_random_desc *)call->options)->stream);
        break;
    case PADIC_OP_NUM_CHANGE_PRIME:
    case PADIC_OP_NUM_SET_PRECISION:
        k->mode = (uint32_t)(task->a->ring->unit_size == 4) |
                  (uint32_t)(call->ring->unit_size == 4) << 1;
        padici_gpu_num_pair(k->k, task->a->ring->precision);
        break;
    case PADIC_OP_NUM_SQRT:
    case PADIC_OP_NUM_ROOT: {
        uint64_t less, turn;
        k->mode = padici_gpu_num_root_numbers(call, &less, &turn);
        padici_gpu_num_pair(k->stride, less);
        if (turn) padici_gpu_num_pair(k->place + 28, turn); // other[0] is no plane
        break;
    }
    case PADIC_OP_NUM_VALUATION:
        if (!padici_num_has(task, PADICI_NUM_OTHER + 1)) break;
        padici_gpu_num_pair(k->k, padici_gpu_num_norm_most(call));
        break;
    case PADIC_OP_NUM_TROPICAL: {
        const padici_num_wide ln = padici_num_ln(call->ring->p);
        padici_gpu_num_pair(k->k, ln.low);
        padici_gpu_num_pair(k->stride, ln.high);
        break;
    }
    case PADIC_OP_NUM_TO_FLOAT:
    case PADIC_OP_NUM_FROM_FLOAT: {
        const padici_num_format f = padici_num_format_of(call->dtype);
        k->mode = ((uint32_t)call->k & 3) | f.mantissa << 8 | f.exponent << 16;
        padici_gpu_num_pair(k->k, kernel == PADIC_OP_NUM_TO_FLOAT
                                      ? 0 - (uint64_t)(call->k >> 8)
                                      : (uint64_t)(call->k >> 8));
        padici_gpu_num_pair(k->stride, call->ring->bits);
        break;
    }
    default: break;
    }
}

#endif
