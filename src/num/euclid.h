#pragma once
#include "../core/platform.h"
#include "euclid_word.h"
#include "words.h"

#ifndef PADIC_NO_NUM

PADICI_FN uint32_t padici_num_words_bits(const uint64_t *x, uint32_t n);
PADICI_FN int padici_num_words_less(const uint64_t *a, const uint64_t *b, uint32_t n);
PADICI_FN void padici_num_words_swap(uint64_t *a, uint64_t *b, uint64_t n);
PADICI_FN uint64_t padici_num_words_add(uint64_t *x, const uint64_t *a, uint64_t q, uint32_t n);
PADICI_FN uint64_t padici_num_words_sub(uint64_t *x, const uint64_t *a, uint64_t q, uint32_t n);
PADICI_FN uint64_t padici_num_words_scale(uint64_t *x, uint64_t q, uint64_t carry, uint32_t n);
PADICI_FN void padici_num_words_copy(uint64_t *x, uint32_t n, const uint64_t *a, uint32_t m);
PADICI_FN void padici_num_words_mul(uint64_t *x, const uint64_t *a, uint32_t na, const uint64_t *b,
                                uint32_t nb);
PADICI_FN void padici_num_words_power(const padic_num_ring *r, uint64_t *x, const uint64_t *a,
                                  uint32_t k, uint32_t n);
PADICI_FN uint64_t padici_num_words_divide(uint64_t *q, const uint64_t *x, uint32_t n, uint64_t d);
PADICI_FN int padici_num_bounds_fit(const padici_num_bounds *bounds, const uint64_t *limit,
                                    uint32_t n, uint64_t *product);
PADICI_FN int padici_num_bounds_wide(const padic_num_ring *r, uint32_t digits,
                                     const padici_num_bounds *bounds, padici_num_wide *n,
                                     padici_num_wide *d);
PADICI_FN int padici_num_fraction(const padic_num_ring *r, const uint64_t *u, uint32_t digits,
                              const padici_num_bounds *bounds, uint64_t *n, uint64_t *d,
                              uint64_t *temp);
PADICI_FN int padici_num_fraction_of(const padic_num_ring *r, const uint64_t *u, uint32_t digits,
                                 uint64_t *n, uint64_t *d, uint64_t *temp);

// Numbers over a common denominator d: where u d has no small balanced residue, d is multiplied by
// the denominator of u d.
typedef struct padici_num_joint {
    const padic_num_ring *ring;
    const padici_num_bounds *bounds;
    uint64_t *d, *ring_d;            // d in binary words, and as a residue
    uint64_t *w, *x, *t;             // u d, its magnitude in binary, and scratch
    uint64_t *limit, *product, *temp; // as in padici_num_fraction()
    uint32_t words, digits;          // of binary integers; the digits `limit` is for, 0: not set
    int fit;                         // 2 Nmax Dmax < limit
} padici_num_joint;

PADICI_FN void padici_num_joint_begin(padici_num_joint *j, const padic_num_ring *r,
                                  const padici_num_bounds *bounds, uint64_t *memory, uint64_t *d,
                                  uint32_t part);
PADICI_FN int padici_num_joint_numerator(padici_num_joint *j, const uint64_t *u, uint32_t digits);
PADICI_FN int padici_num_joint_extend(padici_num_joint *j);

#endif
