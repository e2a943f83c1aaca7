#pragma once
#include "../core/platform.h"
#include "cell.h"

#ifndef PADIC_NO_NUM

PADICI_FN uint32_t padici_num_series_terms(uint64_t p, uint32_t precision, uint32_t c, int log);
PADICI_FN uint32_t padici_num_series_count(const padic_num_ring *r, int log);
PADICI_FN void padici_num_series_make(const padic_num_ring *r, int log, uint64_t *x, uint32_t terms,
                                  uint64_t *t);

PADICI_FN void padici_num_limbs_exp_log(const padic_num_ring *r, int log, uint64_t *x,
                                        const uint64_t *a, uint64_t *t);

// call->options of a loop, for its function of one element.
typedef struct padici_num_series {
    const uint64_t *coefficients[2]; // of exp, log; NULL for long numbers
    uint32_t terms[2];
    uint32_t needs_exp;
    const struct padici_root *root;
    void (*loop)(padic_num_call *call);
} padici_num_series;

PADICI_FN void padici_num_ring_exp(const padic_num_ring *r, const padici_num_series *s, uint64_t *x,
                               const uint64_t *a, uint64_t *t);
PADICI_FN void padici_num_ring_log(const padic_num_ring *r, const padici_num_series *s, uint64_t *x,
                               const uint64_t *a, uint64_t *t);
PADICI_FN void padici_num_cell_unknown(const padic_num_ring *r, padici_num_cell *x, int32_t v);
PADICI_FN void padici_num_cell_integer(const padic_num_call *call, padici_num_cell *x, uint64_t s);
PADICI_FN void padici_num_cell_unit(const padic_num_call *call, padici_num_cell *x,
                                    const padici_num_cell *a);
PADICI_FN void padici_num_pow_padic_one(const padic_num_call *call, padici_num_cell *x,
                                    const padici_num_cell *a, const padici_num_cell *b,
                                    const padici_num_cell *c, uint64_t *temp);
typedef struct padici_num_log_state {
    uint64_t digit; // the lowest one
    uint32_t known;
    int one; // the number is 1
} padici_num_log_state;

PADICI_FN int padici_num_exp_begin(const padic_num_call *call, padici_num_cell *x,
                                   const padici_num_cell *a, uint64_t *y);
PADICI_FN void padici_num_exp_end(const padic_num_call *call, padici_num_cell *x,
                                  const padici_num_cell *a);
PADICI_FN int padici_num_log_begin(const padic_num_call *call, padici_num_cell *x,
                                   const padici_num_cell *a, padici_num_log_state *state,
                                   uint64_t *y, uint64_t *t);
PADICI_FN void padici_num_log_end(const padic_num_call *call, padici_num_cell *x,
                                  const padici_num_log_state *state, uint64_t *t);
PADICI_FN void padici_num_exp_one(const padic_num_call *call, padici_num_cell *x,
                                  const padici_num_cell *a, const padici_num_cell *b,
                                  const padici_num_cell *c, uint64_t *temp);
PADICI_FN void padici_num_log_one(const padic_num_call *call, padici_num_cell *x,
                                  const padici_num_cell *a, const padici_num_cell *b,
                                  const padici_num_cell *c, uint64_t *temp);
PADICI_FN void padici_num_teichmueller_one(const padic_num_call *call, padici_num_cell *x,
                                    const padici_num_cell *a, const padici_num_cell *b,
                                    const padici_num_cell *c, uint64_t *temp);

#endif
