#pragma once
#include "platform.h"

// Philox4x32-10 (Salmon, Moraes, Dror, Shaw 2011): ten rounds of two multiplications, keyed by a
// Weyl sequence. A bijection of the counter, so blocks never repeat under one key.
PADICI_INLINE void padici_philox(uint32_t k0, uint32_t k1, const uint32_t counter[4],
                                 uint32_t out[4])
{
    uint32_t a = counter[0], b = counter[1], c = counter[2], d = counter[3], round;
    for (round = 0; round < 10; round++) {
        uint64_t p = (uint64_t)0xd2511f53u * a, q = (uint64_t)0xcd9e8d57u * c;
        a = (uint32_t)(q >> 32) ^ b ^ k0;
        c = (uint32_t)(p >> 32) ^ d ^ k1;
        b = (uint32_t)q;
        d = (uint32_t)p;
        k0 += 0x9e3779b9u;
        k1 += 0xbb67ae85u;
    }
    out[0] = a;
    out[1] = b;
    out[2] = c;
    out[3] = d;
}

// (32, 8): of each octave the coefficients of padic_random_normal(), the highest last.
PADICI_FN const float *padici_random_normal_table(void);
PADICI_FN uint64_t padici_mix(uint64_t x);
PADICI_FN PADICI_NOINLINE uint64_t padici_checksum(const void *data, size_t size, uint64_t seed);
PADICI_FN uint64_t padici_checksum_word(uint64_t word, uint64_t i, uint64_t seed);
