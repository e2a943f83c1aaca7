#pragma once
#include "../core/platform.h"
#include "cell.h"
#include "words.h"

#ifndef PADIC_NO_NUM

// The first step of every operation: 1 if an operand is NaN, whose bits the result then has.
PADICI_INLINE int padici_num_cell_nan(padici_num_cell *x, const padici_num_cell *a,
                                      const padici_num_cell *b)
{
    const padici_num_cell *nan = a->v == PADIC_NUM_NAN              ? a
                             : b && b->v == PADIC_NUM_NAN ? b
                                                                : NULL;
    if (!nan) return 0;
    x->v = PADIC_NUM_NAN;
    x->bits = nan->bits;
    return 1;
}

PADICI_FN void padici_num_cell_copy(const padic_num_ring *r, padici_num_cell *x,
                                    const padici_num_cell *a);

// A valuation that may lie far outside the limits, which padici_num_cell_store() then finds.
PADICI_INLINE int32_t padici_num_val_clamp(int64_t v)
{
    const int64_t most = PADIC_NUM_MAX_VALUATION + INT64_C(1);
    return (int32_t)(v > most ? most : v < -most ? -most : v);
}

PADICI_FN void padici_num_cell_sum(const padic_num_call *call, padici_num_cell *x,
                                   const padici_num_cell *a, const padici_num_cell *b, int minus,
                                   uint64_t *temp);
PADICI_FN void padici_num_cell_limit(padici_num_cell *x);
PADICI_FN void padici_num_cell_mul(const padic_num_call *call, padici_num_cell *x,
                                   const padici_num_cell *a, const padici_num_cell *b);
PADICI_FN int padici_num_mul_begin(const padic_num_call *call, padici_num_cell *x,
                                   const padici_num_cell *a, const padici_num_cell *b);
PADICI_FN int padici_num_div_begin(const padic_num_call *call, padici_num_cell *x,
                                   const padici_num_cell *a, const padici_num_cell *b);
PADICI_FN void padici_num_cell_div(const padic_num_call *call, padici_num_cell *x,
                                   const padici_num_cell *a, const padici_num_cell *b,
                                   uint64_t *temp);
PADICI_FN void padici_num_neg_one(const padic_num_call *call, padici_num_cell *x,
                                  const padici_num_cell *a, const padici_num_cell *b,
                                  const padici_num_cell *c, uint64_t *temp);
PADICI_FN void padici_num_inv_one(const padic_num_call *call, padici_num_cell *x,
                                  const padici_num_cell *a, const padici_num_cell *b,
                                  const padici_num_cell *c, uint64_t *temp);
PADICI_FN void padici_num_div_one(const padic_num_call *call, padici_num_cell *x,
                                  const padici_num_cell *a, const padici_num_cell *b,
                                  const padici_num_cell *c, uint64_t *temp);
PADICI_FN void padici_num_fma_one(const padic_num_call *call, padici_num_cell *x,
                                  const padici_num_cell *a, const padici_num_cell *b,
                                  const padici_num_cell *c, uint64_t *temp);
PADICI_FN void padici_num_shift_one(const padic_num_call *call, padici_num_cell *x,
                                    const padici_num_cell *a, const padici_num_cell *b,
                                    const padici_num_cell *c, uint64_t *temp);
PADICI_FN void padici_num_cell_pow(const padic_num_call *call, padici_num_cell *x,
                                   const padici_num_cell *a, int negative, padici_num_wide k,
                                   uint64_t *temp);
PADICI_FN void padici_num_pow_one(const padic_num_call *call, padici_num_cell *x,
                                  const padici_num_cell *a, const padici_num_cell *b,
                                  const padici_num_cell *c, uint64_t *temp);
PADICI_FN void padici_num_add_one(const padic_num_call *call, padici_num_cell *x,
                                  const padici_num_cell *a, const padici_num_cell *b,
                                  const padici_num_cell *c, uint64_t *temp);
PADICI_FN void padici_num_sub_one(const padic_num_call *call, padici_num_cell *x,
                                  const padici_num_cell *a, const padici_num_cell *b,
                                  const padici_num_cell *c, uint64_t *temp);
PADICI_FN void padici_num_mul_one(const padic_num_call *call, padici_num_cell *x,
                                  const padici_num_cell *a, const padici_num_cell *b,
                                  const padici_num_cell *c, uint64_t *temp);

#endif
