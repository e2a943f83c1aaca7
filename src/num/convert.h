#pragma once
#include "../core/platform.h"

#ifndef PADIC_NO_NUM

// A natural number: n words, lowest first, the top one not 0, and its capacity.
typedef struct padici_num_big {
    uint64_t *w;
    uint32_t n, room;
} padici_num_big;

typedef struct padici_num_divisor {
    uint64_t d, reciprocal; // shifted up
    uint32_t shift;
} padici_num_divisor;

PADICI_FN padici_num_divisor padici_num_divisor_make(uint64_t d);
PADICI_FN void padici_num_big_set(padici_num_big *b, uint64_t x);
PADICI_FN void padici_num_big_trim(padici_num_big *b);
PADICI_FN uint64_t padici_num_big_bits(const padici_num_big *b);
PADICI_FN int padici_num_big_less(const padici_num_big *a, const padici_num_big *b);
PADICI_FN int padici_num_big_mul_add(padici_num_big *b, uint64_t m, uint64_t c);
PADICI_FN void padici_num_big_sub(padici_num_big *a, const padici_num_big *b);
PADICI_FN int padici_num_big_up(padici_num_big *b, uint64_t k);
PADICI_FN uint64_t padici_num_big_div(padici_num_big *b, const padici_num_divisor *d);
PADICI_FN uint32_t padici_num_word_digits(const padic_num_ring *r);
PADICI_FN int padici_num_big_power(const padic_num_ring *r, padici_num_big *b, uint64_t v);
PADICI_FN uint32_t padici_num_big_strip(const padic_num_ring *r, padici_num_big *b);
PADICI_FN void padici_num_big_of_ring(const padic_num_ring *r, padici_num_big *b,
                                      const uint64_t *u);
PADICI_FN int padici_num_ring_of_big(const padic_num_ring *r, uint64_t *x, padici_num_big *b);
PADICI_FN int padici_num_ring_less(const padic_num_ring *r, const uint64_t *a, const uint64_t *b);
PADICI_FN int padici_num_ring_balance(const padic_num_ring *r, uint64_t *u, uint32_t n,
                                      uint64_t *t);

// Working memory of a loop: a residue, eight more, and two integers.
#define PADICI_NUM_BIG_ROOM 64u

typedef struct padici_num_work {
    uint64_t *u, *temp, limit; // UINT64_MAX / p
    padici_num_big a, b;
    uint64_t local[2 * 9 + 2 * PADICI_NUM_BIG_ROOM];
} padici_num_work;

PADICI_FN uint32_t padici_num_big_room(const padic_num_ring *r);
PADICI_FN void padici_num_work_begin(padici_num_work *work, const padic_num_ring *r,
                                     void *workspace);

// Element i of a loop that writes no array.
PADICI_INLINE void padici_num_report(padic_num_call *call, uint64_t i, uint32_t bits)
{
    if (call->status) call->status[i] = (uint8_t)bits;
    call->bits |= bits;
}

#endif
