// Byte shuffle: byte j of element i goes to plane j, place i. It is part of the peers' time, so it
// is as good as the target's base instruction set allows: SSE2 on x86-64 (16 elements a step, as
// Blosc does it), elsewhere plain loops over tiles that stay in the first cache and that a compiler
// can vectorise. Elements of 1 byte need none.

#ifndef BENCH_SHUFFLE_H
#define BENCH_SHUFFLE_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>
#if defined(__SSE2__)
#include <emmintrin.h>
#endif

// Elements [from, n) one tile after another.
static void shuffle_plain(const unsigned char *src, unsigned char *dst, size_t from, size_t n,
                          size_t item)
{
    size_t at, i, j;
    for (at = from; at < n; at += 2048) {
        size_t end = n - at < 2048 ? n : at + 2048;
        for (j = 0; j < item; j++)
            for (i = at; i < end; i++) dst[j * n + i] = src[i * item + j];
    }
}

static void unshuffle_plain(const unsigned char *src, unsigned char *dst, size_t from, size_t n,
                            size_t item)
{
    size_t at, i, j;
    for (at = from; at < n; at += 2048) {
        size_t end = n - at < 2048 ? n : at + 2048;
        for (j = 0; j < item; j++)
            for (i = at; i < end; i++) dst[i * item + j] = src[j * n + i];
    }
}

#if defined(__SSE2__)

#define SHUFFLE_LOAD(p) _mm_loadu_si128((const __m128i *)(const void *)(p))
#define SHUFFLE_STORE(p, x) _mm_storeu_si128((__m128i *)(void *)(p), x)

// Perfect shuffle of the bytes of 2, 4 or 8 registers, from r to t: those of the first half of the
// registers and those of the second half take turns. Four rounds take 16 elements to planes,
// log2(element size) rounds take them back. Written out, so that -O2 keeps all in registers.
#define SHUFFLE_PAIR(t, r, i, half)                                                                \
    t[2 * i] = _mm_unpacklo_epi8(r[i], r[i + half]);                                               \
    t[2 * i + 1] = _mm_unpackhi_epi8(r[i], r[i + half]);
#define SHUFFLE_ROUND_2(t, r) SHUFFLE_PAIR(t, r, 0, 1)
#define SHUFFLE_ROUND_4(t, r) SHUFFLE_PAIR(t, r, 0, 2) SHUFFLE_PAIR(t, r, 1, 2)
#define SHUFFLE_ROUND_8(t, r)                                                                      \
    SHUFFLE_PAIR(t, r, 0, 4) SHUFFLE_PAIR(t, r, 1, 4)                                              \
    SHUFFLE_PAIR(t, r, 2, 4) SHUFFLE_PAIR(t, r, 3, 4)

#define SHUFFLE_EACH_2(F) F(0) F(1)
#define SHUFFLE_EACH_4(F) SHUFFLE_EACH_2(F) F(2) F(3)
#define SHUFFLE_EACH_8(F) SHUFFLE_EACH_4(F) F(4) F(5) F(6) F(7)

#define SHUFFLE_BACK_2(r, t) SHUFFLE_ROUND_2(t, r)
#define SHUFFLE_BACK_4(r, t) SHUFFLE_ROUND_4(t, r) SHUFFLE_ROUND_4(r, t)
#define SHUFFLE_BACK_8(r, t) SHUFFLE_ROUND_8(t, r) SHUFFLE_ROUND_8(r, t) SHUFFLE_ROUND_8(t, r)

// `last` is the array that the rounds of SHUFFLE_BACK end in.
#define SHUFFLE_FUNCTIONS(C, last)                                                                 \
    static size_t shuffle_sse2_##C(const unsigned char *src, unsigned char *dst, size_t n)         \
    {                                                                                              \
        size_t i;                                                                                  \
        for (i = 0; i + 16 <= n; i += 16) {                                                        \
            __m128i r[C], t[C];                                                                    \
            SHUFFLE_EACH_##C(SHUFFLE_LOAD_ROWS)                                                    \
            SHUFFLE_ROUND_##C(t, r) SHUFFLE_ROUND_##C(r, t)                                        \
            SHUFFLE_ROUND_##C(t, r) SHUFFLE_ROUND_##C(r, t)                                        \
            SHUFFLE_EACH_##C(SHUFFLE_STORE_PLANES)                                                 \
        }                                                                                          \
        return i;                                                                                  \
    }                                                                                              \
    static size_t unshuffle_sse2_##C(const unsigned char *src, unsigned char *dst, size_t n)       \
    {                                                                                              \
        size_t i;                                                                                  \
        for (i = 0; i + 16 <= n; i += 16) {                                                        \
            const size_t step = C;                                                                 \
            __m128i r[C], t[C], *rows = last;                                                      \
            SHUFFLE_EACH_##C(SHUFFLE_LOAD_PLANES)                                                  \
            SHUFFLE_BACK_##C(r, t)                                                                 \
            SHUFFLE_EACH_##C(SHUFFLE_STORE_ROWS)                                                   \
        }                                                                                          \
        return i;                                                                                  \
    }
#define SHUFFLE_LOAD_ROWS(k) r[k] = SHUFFLE_LOAD(src + i * (sizeof r / 16) + 16 * k);
#define SHUFFLE_STORE_PLANES(k) SHUFFLE_STORE(dst + k * n + i, r[k]);
#define SHUFFLE_LOAD_PLANES(k) r[k] = SHUFFLE_LOAD(src + k * n + i);
#define SHUFFLE_STORE_ROWS(k) SHUFFLE_STORE(dst + i * step + 16 * k, rows[k]);
SHUFFLE_FUNCTIONS(2, t)
SHUFFLE_FUNCTIONS(4, r)
SHUFFLE_FUNCTIONS(8, t)

#endif

// `bytes` is a multiple of `item`.
static void shuffle_bytes(const unsigned char *src, unsigned char *dst, size_t bytes, size_t item)
{
    size_t n = bytes / item, from = 0;
    if (item == 1) {
        memcpy(dst, src, bytes);
        return;
    }
#if defined(__SSE2__)
    if (item == 2) from = shuffle_sse2_2(src, dst, n);
    if (item == 4) from = shuffle_sse2_4(src, dst, n);
    if (item == 8) from = shuffle_sse2_8(src, dst, n);
#endif
    shuffle_plain(src, dst, from, n, item);
}

static void unshuffle_bytes(const unsigned char *src, unsigned char *dst, size_t bytes, size_t item)
{
    size_t n = bytes / item, from = 0;
    if (item == 1) {
        memcpy(dst, src, bytes);
        return;
    }
#if defined(__SSE2__)
    if (item == 2) from = unshuffle_sse2_2(src, dst, n);
    if (item == 4) from = unshuffle_sse2_4(src, dst, n);
    if (item == 8) from = unshuffle_sse2_8(src, dst, n);
#endif
    unshuffle_plain(src, dst, from, n, item);
}

#endif
