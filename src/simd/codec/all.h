#pragma once
#include "../level.h"
#include "../../codec/bytes.h"
#include "../../codec/differences.h"
#include "../../core/platform.h"

#if !defined(PADIC_NO_CODEC) && (PADICI_SIMD_X86 || PADICI_SIMD_ARM)

PADICI_FN uint64_t padici_codec_checksum_remainder(const uint8_t *data, size_t size, size_t words,
                                                   uint64_t seed);

// One vector of mix(w ^ key); `key` is of the first lane.
#define PADICI_CODEC_WORDS(L, TARGET, V, N) \
    TARGET PADICI_INLINE V padici_##L##_mix(V x) \
    { \
        x = padici_##L##_mul64(x, padici_##L##_all(UINT64_C(0xbf58476d1ce4e5b9))); \
        x = padici_##L##_xor(x, padici_##L##_high(x)); \
        x = padici_##L##_mul64(x, padici_##L##_all(UINT64_C(0x94d049bb133111eb))); \
        return padici_##L##_xor(x, padici_##L##_srl(x, padici_##L##_all(29))); \
    } \
\
    TARGET static uint64_t padici_codec_checksum_##L(const void *data, size_t size, uint64_t seed) \
    { \
        const uint64_t step = UINT64_C(0x9e3779b97f4a7c15); \
        const uint64_t first = (seed + 1) * UINT64_C(0xd1342543de82ef95); \
        const uint8_t *p = (const uint8_t *)data; \
        const size_t words = size / 8 - size / 8 % (2 * N); \
        const V near_step = padici_##L##_all(N * step), far_step = padici_##L##_all(2 * N * step); \
        uint64_t keys[N], lanes[N], sum = 0; \
        V key, a = padici_##L##_all(0), b = a; \
        size_t i; \
        for (i = 0; i < N; i++) keys[i] = first + i * step; \
        key = padici_##L##_load(keys); \
        for (i = 0; i < words; i += 2 * N, p += 16 * N) { \
            const V x = padici_##L##_xor(padici_##L##_load(p), key); \
            const V y = \
                padici_##L##_xor(padici_##L##_load(p + 8 * N), padici_##L##_add(key, near_step)); \
            a = padici_##L##_add(a, padici_##L##_mix(x)); \
            b = padici_##L##_add(b, padici_##L##_mix(y)); \
            key = padici_##L##_add(key, far_step); \
        } \
        padici_##L##_store(lanes, padici_##L##_add(a, b)); \
        for (i = 0; i < N; i++) sum += lanes[i]; \
        return sum + padici_codec_checksum_remainder((const uint8_t *)data, size, words, seed); \
    } \
\
    TARGET PADICI_INLINE V padici_##L##_unfold(V z) \
    { \
        const V one = padici_##L##_all(1); \
        return padici_##L##_xor(padici_##L##_srl(z, one), \
                                padici_##L##_sub(padici_##L##_all(0), padici_##L##_and(z, one))); \
    } \
\
    TARGET PADICI_INLINE void padici_codec_unfold_##L(uint64_t *x, size_t i, size_t end) \
    { \
        for (; i + N <= end; i += N) \
            padici_##L##_store(x + i, padici_##L##_unfold(padici_##L##_load(x + i))); \
        for (; i < end; i++) x[i] = padici_codec_unfold(x[i]); \
    } \
\
    /* x[i] from x[i - stride], stride at least a vector; whole vectors, returns how far. */ \
    TARGET PADICI_INLINE size_t padici_codec_far_##L(uint64_t *x, size_t i, size_t end, \
                                                     size_t stride, int zigzag, int exclusive) \
    { \
        for (; i + N <= end; i += N) { \
            V r = padici_##L##_load(x + i); \
            const V before = padici_##L##_load(x + i - stride); \
            if (zigzag) r = padici_##L##_unfold(r); \
            r = exclusive ? padici_##L##_xor(r, before) : padici_##L##_add(r, before); \
            padici_##L##_store(x + i, r); \
        } \
        return i; \
    }

// Running sums with a level's `near`.
#define PADICI_CODEC_SUMS(L, TARGET) \
    TARGET PADICI_INLINE void padici_codec_sum_loop_##L( \
        uint64_t *x, size_t i, size_t to, const padici_codec_op *op, uint64_t carry[8], \
        int zigzag, int exclusive) \
    { \
        const size_t stride = op->stride, segment = op->segment; \
        if (padici_codec_rows_##L(x, i, to, op, carry, zigzag, exclusive)) return; \
        while (i < to) { \
            const size_t place = i % segment, end = padici_codec_least(i + segment - place, to); \
            if (stride >= 8) { \
                const size_t edge = \
                    place < stride ? padici_codec_least(i + stride - place, end) : i; \
                if (zigzag) padici_codec_unfold_##L(x, i, edge); \
                i = padici_codec_far_##L(x, edge, end, stride, zigzag, exclusive); \
            } else if (end - i >= 16) { \
                if (place == 0) memset(carry, 0, 8 * sizeof *carry); \
                i = padici_codec_near_##L(x, i, end, place, op->stride, carry, zigzag, exclusive); \
            } \
            if (i < end) padici_codec_sum(x, i, end, op, carry, zigzag, exclusive); \
            i = end; \
        } \
    } \
\
    PADICI_FN TARGET void padici_codec_sum_##L(uint64_t *x, size_t from, size_t to, \
                                               const padici_codec_op *op, uint64_t carry[8], \
                                               int zigzag, int exclusive) \
    { \
        if (exclusive) \
            padici_codec_sum_loop_##L(x, from, to, op, carry, 0, 1); \
        else if (zigzag) \
            padici_codec_sum_loop_##L(x, from, to, op, carry, 1, 0); \
        else \
            padici_codec_sum_loop_##L(x, from, to, op, carry, 0, 0); \
    }

// Words of up to 57 bits come in pairs that lie within 16 bytes: where each pair begins, the bytes
// that make 8 of each word, and by how much it is shifted down. 8 words take `width` bytes.
typedef struct padici_codec_pairs {
    uint8_t at[4], take[4][16];
    uint64_t shift[8];
} padici_codec_pairs;

PADICI_FN void padici_codec_pairs_make(padici_codec_pairs *pairs, uint32_t width);

#endif
