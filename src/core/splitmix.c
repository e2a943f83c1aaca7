#include "splitmix.h"
#include "words.h"

#if PADICI_IMPLEMENT_CORE

// ---------------------------------------------------------------------------------------- >>rng

// The checksum of every byte format: the sum over its 64-bit words w_i of mix(w_i ^ key_i), key_i =
// (seed + 1) K + i G, the last word filled up with zeros, plus mix of the size: a parallel sum, any
// order of words gives it.
PADICI_FN uint64_t padici_mix(uint64_t x)
{
    x *= UINT64_C(0xbf58476d1ce4e5b9);
    x ^= x >> 32;
    x *= UINT64_C(0x94d049bb133111eb);
    return x ^ (x >> 29);
}

PADICI_FN PADICI_NOINLINE uint64_t padici_checksum(const void *data, size_t size, uint64_t seed)
{
    const uint64_t step = UINT64_C(0x9e3779b97f4a7c15);
    const uint8_t *p = (const uint8_t *)data;
    uint64_t key = (seed + 1) * UINT64_C(0xd1342543de82ef95), sum = 0;
    const size_t words = size / 8;
    size_t i = 0;
    for (; i + 4 <= words; i += 4, key += 4 * step) {
        const uint64_t a = padici_mix(padici_load64(p + 8 * i) ^ key);
        const uint64_t b = padici_mix(padici_load64(p + 8 * i + 8) ^ (key + step));
        const uint64_t c = padici_mix(padici_load64(p + 8 * i + 16) ^ (key + 2 * step));
        const uint64_t d = padici_mix(padici_load64(p + 8 * i + 24) ^ (key + 3 * step));
        sum += (a + b) + (c + d);
    }
    // At most 3 times, which gcc -O3 does not find out by itself: it warns.
    for (i = words - words % 4; i < words; i++, key += step)
        sum += padici_mix(padici_load64(p + 8 * i) ^ key);
    if (size % 8) {
        uint8_t last[8] = {0, 0, 0, 0, 0, 0, 0, 0};
        memcpy(last, p + 8 * words, size % 8);
        sum += padici_mix(padici_load64(last) ^ key);
    }
    return sum + padici_mix(size ^ ~seed);
}

// What 64-bit word number i adds to it.
PADICI_FN uint64_t padici_checksum_word(uint64_t word, uint64_t i, uint64_t seed)
{
    return padici_mix(word ^ ((seed + 1) * UINT64_C(0xd1342543de82ef95) +
                              i * UINT64_C(0x9e3779b97f4a7c15)));
}

#endif
