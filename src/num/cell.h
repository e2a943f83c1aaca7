#pragma once
#include "../core/platform.h"

#ifndef PADIC_NO_NUM

// One number: v marks NaN and ZERO as in a plane, `bits` are its status bits.
typedef struct padici_num_cell {
    int32_t v;
    uint32_t n, bits;
    uint64_t *u; // ring->words words
} padici_num_cell;

PADICI_INLINE uint64_t padici_num_word(const padic_num_ring *r, const void *plane, uint64_t i)
{
    return r->unit_size == 4 ? ((const uint32_t *)plane)[i] : ((const uint64_t *)plane)[i];
}

PADICI_INLINE void padici_num_word_set(const padic_num_ring *r, void *plane, uint64_t i, uint64_t x)
{
    if (r->unit_size == 4)
        ((uint32_t *)plane)[i] = (uint32_t)x;
    else
        ((uint64_t *)plane)[i] = x;
}

// The number as the plane holds it.
PADICI_INLINE int32_t padici_num_val_raw(const padic_num_planes *p, uint64_t i)
{
    int32_t v;
    if (!p->val16) return ((const int32_t *)p->val)[i];
    v = ((const int16_t *)p->val)[i];
    return v == PADIC_NUM_ZERO16 ? PADIC_NUM_ZERO : v == PADIC_NUM_NAN16 ? PADIC_NUM_NAN : v;
}

PADICI_INLINE int padici_num_val_finite(int32_t v)
{
    const uint32_t most = (uint32_t)PADIC_NUM_MAX_VALUATION;
    return (uint32_t)v + most <= 2 * most;
}

// The number as operations read it: beyond the limits it becomes the special that a result there
// would have become, so that sums of valuations stay below 2^31.
PADICI_INLINE int32_t padici_num_val_load(const padic_num_planes *p, uint64_t i)
{
    const int32_t v = padici_num_val_raw(p, i);
    return padici_num_val_finite(v) ? v : v > 0 ? PADIC_NUM_ZERO : PADIC_NUM_NAN;
}

PADICI_INLINE void padici_num_val_store(const padic_num_planes *p, uint64_t i, int32_t v)
{
    if (!p->val16)
        ((int32_t *)p->val)[i] = v;
    else
        ((int16_t *)p->val)[i] = (int16_t)(v == PADIC_NUM_ZERO  ? PADIC_NUM_ZERO16
                                           : v == PADIC_NUM_NAN ? PADIC_NUM_NAN16
                                                                : v);
}

// The first word of element i, and the distance between its words.
PADICI_INLINE uint64_t padici_num_at(const padic_num_ring *r, const padic_num_planes *p, uint64_t i,
                                     uint64_t *step)
{
    *step = r->form == PADIC_NUM_RX ? 32 : p->high;
    return r->form == PADIC_NUM_RX ? (i >> 5) * 32 * r->words + (i & 31) : i;
}

PADICI_FN void padici_num_cell_raw(const padic_num_ring *r, const padic_num_planes *p, uint64_t i,
                               padici_num_cell *x);
PADICI_FN void padici_num_cell_load(const padic_num_call *call, const padic_num_planes *p,
                                    uint64_t i, padici_num_cell *x);
PADICI_FN void padici_num_cell_store(padic_num_call *call, uint64_t i, padici_num_cell *x);
PADICI_FN void padici_num_cell_normal(const padic_num_call *call, padici_num_cell *x);

// One element of an operation: *x from those of *a, *b, *c that the operation has. x->u aliases
// none of them; x starts with v = 0, n = N, bits = 0. `temp` has room for PADICI_NUM_TEMPS
// residues.
typedef void (*padici_num_one)(const padic_num_call *call, padici_num_cell *x,
                               const padici_num_cell *a, const padici_num_cell *b,
                               const padici_num_cell *c, uint64_t *temp);

PADICI_FN void padici_num_span(padic_num_call *call, uint64_t first, uint64_t end,
                               padici_num_one one);

// The generic loop of an operation.
PADICI_INLINE void padici_num_each(padic_num_call *call, padici_num_one one)
{
    padici_num_span(call, 0, call->count, one);
}

#endif
