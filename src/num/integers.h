#pragma once
#include "../core/platform.h"
#include "cell.h"
#include "convert.h"
#include "residue.h"
#include "task.h"
#include "words.h"

#ifndef PADIC_NO_NUM

#define PADICI_NUM_LIMBS(tensor, array) \
    tensor " must have the shape (limbs, " array ".count), with at most 64 limbs or 7 for each " \
    "word of a long ring"
#define PADICI_NUM_SIGNED (1u << PADIC_I8 | 1u << PADIC_I16 | 1u << PADIC_I32 | 1u << PADIC_I64)
#define PADICI_NUM_UNSIGNED (1u << PADIC_U8 | 1u << PADIC_U16 | 1u << PADIC_U32 | 1u << PADIC_U64)

PADICI_INLINE uint64_t padici_num_int_load(const void *data, padic_dtype dtype, uint64_t i,
                                       int *negative)
{
    int64_t x;
    *negative = 0;
    switch (dtype) {
    case PADIC_U8: return ((const uint8_t *)data)[i];
    case PADIC_U16: return ((const uint16_t *)data)[i];
    case PADIC_U32: return ((const uint32_t *)data)[i];
    case PADIC_I8: x = ((const int8_t *)data)[i]; break;
    case PADIC_I16: x = ((const int16_t *)data)[i]; break;
    case PADIC_I32: x = ((const int32_t *)data)[i]; break;
    case PADIC_I64: x = ((const int64_t *)data)[i]; break;
    default: return ((const uint64_t *)data)[i];
    }
    *negative = x < 0;
    return x < 0 ? 0u - (uint64_t)x : (uint64_t)x;
}

PADICI_INLINE void padici_num_int_store(void *data, uint32_t size, uint64_t i, uint64_t x)
{
    switch (size) {
    case 1: ((uint8_t *)data)[i] = (uint8_t)x; break;
    case 2: ((uint16_t *)data)[i] = (uint16_t)x; break;
    case 4: ((uint32_t *)data)[i] = (uint32_t)x; break;
    default: ((uint64_t *)data)[i] = x;
    }
}

PADICI_FN padic_result padici_num_task_ints(padici_num_task *task, uint32_t j,
                                            const padic_tensor *t, const padic_num_array *array);
PADICI_FN uint32_t padici_num_big_store(void *data, padic_dtype dtype, uint32_t limbs,
                                        uint64_t stride, uint64_t i, const padici_num_big *b,
                                        int negative);
PADICI_FN void padici_num_cell_of_big(const padic_num_ring *r, padici_num_cell *x,
                                      padici_num_big *b, int negative, int split);

// v of a word that is not 0, and *unit. A large prime rarely divides. padici_num_split1() does
// small ones, but is made for residues: factors p may remain. limit: UINT64_MAX / p.
PADICI_INLINE uint32_t padici_num_word_split(const padic_num_ring *r, uint64_t limit, uint64_t x,
                                         uint64_t *unit)
{
    uint32_t v = r->p < 16 ? padici_num_split1(r, x, &x) : 0;
    if (r->p != 2)
        for (; x * r->inverse <= limit; v++) x *= r->inverse;
    *unit = x;
    return v;
}

// The same for one word m, times t < P unless p = 2, in a ring of one word.
PADICI_INLINE void padici_num_cell_of_word(const padic_num_ring *r, padici_num_cell *x,
                                           uint64_t limit, uint64_t m, uint64_t t, int negative,
                                           int split)
{
    x->v = !split ? 0 : m ? (int32_t)padici_num_word_split(r, limit, m, &m) : PADIC_NUM_ZERO;
    x->n = r->precision;
    x->bits = 0;
    m = r->p == 2 ? m & (r->base - 1) : padici_num_mul1(r, PADIC_NUM_W64, t, m);
    x->u[0] = negative ? padici_num_sub1(r, r->form, 0, m) : m;
}

// Writes element i of call->out in a ring of one word where padici_num_cell_store() has nothing to
// check: no hard bit, v within the limits.
PADICI_INLINE void padici_num_cell_put(padic_num_call *call, uint64_t i, const padici_num_cell *x)
{
    const padic_num_planes *p = &call->out;
    padici_num_word_set(call->ring, p->unit, i, x->u[0]);
    if (p->val) padici_num_val_store(p, i, x->v);
    if (p->known)
        padici_num_int_store(p->known, p->known16 ? 2 : 1, i, x->v == PADIC_NUM_ZERO ? 0 : x->n);
    if (call->status) call->status[i] = (uint8_t)x->bits;
    call->bits |= x->bits;
}

PADICI_FN void padici_num_cell_settle(const padic_num_call *call, padici_num_cell *x);
PADICI_FN void padici_num_cell_of_fraction(const padic_num_call *call, padici_num_cell *x,
                                           padici_num_big *n, int negative, padici_num_big *d,
                                           uint64_t *temp);
PADICI_FN uint32_t padici_num_big_of_cell(const padic_num_call *call, padici_num_cell *x,
                                          int balanced, int power, padici_num_work *work,
                                          int *negative);

#endif
