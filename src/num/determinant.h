#pragma once
#include "../context/state.h"
#include "../core/platform.h"
#include "array.h"
#include "task.h"
#include "words.h"

#ifndef PADIC_NO_NUM

// An integer tensor of a call; U64 always has planes of words.
typedef struct padici_num_integers {
    void *data; // NULL: absent, or on a device
    uint32_t wanted;
    padic_dtype dtype;
    uint32_t limbs; // 0: no planes
    uint64_t step;  // from plane to plane
} padici_num_integers;

PADICI_FN padic_result padici_num_integers_of(padic_context *context, padici_num_memory *memory,
                                          const padic_tensor *t, uint64_t count, uint32_t allowed,
                                          uint32_t out, padici_num_integers *x);
PADICI_FN uint32_t padici_num_integer_set(const padici_num_integers *out, uint64_t i, uint64_t *x,
                                      uint32_t n, int negative);

// A prime field.
typedef struct padici_num_prime {
    uint64_t q, reciprocal; // of q 2^15
} padici_num_prime;

PADICI_FN padici_num_prime padici_num_prime_make(uint32_t index);

// x mod q, x < 2^112.
PADICI_INLINE uint64_t padici_num_prime_mod(const padici_num_prime *f, padici_num_wide x)
{
    uint64_t remainder;
    padici_num_divide(padici_num_wide_shl(x, 15), f->q << 15, f->reciprocal, &remainder);
    return remainder >> 15;
}

PADICI_INLINE uint64_t padici_num_prime_sub(const padici_num_prime *f, uint64_t a, uint64_t b)
{
    return a >= b ? a - b : a + f->q - b;
}

// The same for x in two's complement, |x| < 2^112.
PADICI_INLINE uint64_t padici_num_prime_of(const padici_num_prime *f, padici_num_wide x)
{
    const int negative = (int)(x.high >> 63);
    uint64_t remainder;
    if (negative) x = padici_num_wide_sub(padici_num_wide_make(0, 0), x);
    remainder = x.high || x.low >= f->q ? padici_num_prime_mod(f, x) : x.low;
    return negative && remainder ? f->q - remainder : remainder;
}

PADICI_INLINE padici_num_wide padici_num_wide_signed(int64_t a)
{
    return padici_num_wide_make((uint64_t)a, a < 0 ? UINT64_MAX : 0);
}

// a b in two's complement, modulo 2^128.
PADICI_INLINE padici_num_wide padici_num_wide_mul_signed(int64_t a, int64_t b)
{
    padici_num_wide x = padici_num_wide_mul((uint64_t)a, (uint64_t)b);
    x.high -= (a < 0 ? (uint64_t)b : 0) + (b < 0 ? (uint64_t)a : 0);
    return x;
}

PADICI_FN padici_num_wide padici_num_dot(const uint64_t *a, const uint64_t *b, uint32_t n);

// Upper bounds m 2^e, m with its top bit set; 0 is m = 0.
typedef struct padici_num_scale {
    uint64_t m;
    int32_t e;
} padici_num_scale;

PADICI_FN padici_num_scale padici_num_scale_mul(padici_num_scale a, padici_num_scale b);
PADICI_FN uint32_t padici_num_scale_bits(padici_num_scale x);

PADICI_INLINE uint64_t padici_num_magnitude(int64_t a)
{
    return a < 0 ? 0 - (uint64_t)a : (uint64_t)a;
}

PADICI_INLINE int64_t padici_num_integer(const void *data, padic_dtype dtype, uint64_t i)
{
    return dtype == PADIC_I32 ? ((const int32_t *)data)[i] : ((const int64_t *)data)[i];
}

PADICI_FN padici_num_scale padici_num_norm(const void *a, padic_dtype dtype, uint64_t first,
                                           uint32_t n, uint32_t step, int one);
PADICI_FN uint32_t padici_num_hadamard(const void *a, padic_dtype dtype, uint64_t first, uint32_t n,
                                   int one);
PADICI_FN uint32_t padici_num_solve_bits(const int64_t *a, uint32_t n, padici_num_scale *others);
PADICI_FN uint32_t padici_num_bareiss(int64_t *w, uint32_t n, uint32_t cols, int *sign);
PADICI_FN uint32_t padici_num_lu(const padici_num_prime *f, const int64_t *a, uint32_t n,
                                 uint64_t *lu, uint64_t *inverse, uint64_t *order, uint64_t *column,
                                 uint64_t *det);
PADICI_FN uint32_t padici_num_primes_for(uint32_t bits);

#endif
