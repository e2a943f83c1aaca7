#include "avx512.h"
#include "../../codec/bytes.h"
#include "../../codec/differences.h"
#include "../../codec/representation.h"
#include "../../codec/rans.h"
#include "../words.h"
#include "all.h"

#if PADICI_IMPLEMENT_SIMD && !defined(PADIC_NO_CODEC) && PADICI_SIMD_X86

// ---- AVX-512

PADICI_AVX512 PADICI_INLINE size_t padici_codec_near_avx512(uint64_t *x, size_t i, size_t end,
                                                            size_t place, uint32_t stride,
                                                            uint64_t carry[8], int zigzag,
                                                            int exclusive)
{
    const __m512i lane = padici_avx512_lanes();
    const uint32_t steps = stride == 1 ? 3 : stride < 4 ? 2 : 1;
    __m512i from[3], next, c;
    __mmask8 have[3];
    uint64_t lanes[8], k;
    for (k = 0; k < 3; k++) {
        from[k] = _mm512_sub_epi64(lane, padici_avx512_all((uint64_t)stride << k));
        have[k] = (__mmask8)(0xffu << (stride << k) & 0xffu);
    }
    for (k = 0; k < 8; k++) lanes[k] = 8 - stride + k % stride;
    next = padici_avx512_load(lanes);
    for (k = 0; k < 8; k++) lanes[k] = carry[(place + k) % stride];
    c = padici_avx512_load(lanes);
    place -= i;
#define PADICI_JOIN(a, b) (exclusive ? _mm512_xor_si512(a, b) : _mm512_add_epi64(a, b))
#define PADICI_CODEC_UP(K) v = PADICI_JOIN(v, _mm512_maskz_permutexvar_epi64(have[K], from[K], v))
    // the sums of a vector are known before what came before it; where the stride divides 8 the
    // lanes stay in step, so that only one addition waits for the last vector
#define PADICI_CODEC_ROWS(SCAN, APART) \
    for (; i + 8 <= end; i += 8) { \
        __m512i v = padici_avx512_load(x + i), w; \
        if (zigzag) v = padici_avx512_unfold(v); \
        SCAN; \
        w = PADICI_JOIN(v, c); \
        padici_avx512_store(x + i, w); \
        c = APART ? PADICI_JOIN(c, _mm512_permutexvar_epi64(next, v)) \
                  : _mm512_permutexvar_epi64(next, w); \
    }
    if (steps == 3) {
        PADICI_CODEC_ROWS((PADICI_CODEC_UP(0), PADICI_CODEC_UP(1), PADICI_CODEC_UP(2)), 1)
    } else if (stride == 2) {
        PADICI_CODEC_ROWS((PADICI_CODEC_UP(0), PADICI_CODEC_UP(1)), 1)
    } else if (steps == 2) {
        PADICI_CODEC_ROWS((PADICI_CODEC_UP(0), PADICI_CODEC_UP(1)), 0)
    } else {
        PADICI_CODEC_ROWS(PADICI_CODEC_UP(0), 0)
    }
#undef PADICI_CODEC_ROWS
#undef PADICI_CODEC_UP
#undef PADICI_JOIN
    padici_avx512_store(lanes, c);
    for (k = 0; k < stride; k++) carry[(place + i + k) % stride] = lanes[k];
    return i;
}

// Differences of neighbours in short segments: a sum passes on only what is of its own segment.
PADICI_AVX512 PADICI_INLINE int padici_codec_rows_avx512(uint64_t *x, size_t i, size_t to,
                                                         const padici_codec_op *op,
                                                         uint64_t carry[8], int zigzag,
                                                         int exclusive)
{
    const __m512i lane = padici_avx512_lanes(), segment = padici_avx512_all(op->segment);
    const __m512i by = padici_avx512_all(8 % op->segment), last = _mm512_set1_epi64(7);
    size_t at = i % op->segment, inner;
    __m512i from[3], place, c, v;
    uint32_t k;
    if (op->stride != 1 || op->segment < 2) return 0;
    if (i >= to) return 1;
    for (k = 0; k < 3; k++) from[k] = _mm512_sub_epi64(lane, padici_avx512_all(UINT64_C(1) << k));
    place = padici_codec_places(i, op->segment);
    c = padici_avx512_all(i ? carry[0] : 0); // nothing is carried to the first
#define PADICI_JOIN(a, b) (exclusive ? _mm512_xor_si512(a, b) : _mm512_add_epi64(a, b))
#define PADICI_CODEC_UP(K, WHERE) \
    v = PADICI_JOIN(v, _mm512_maskz_permutexvar_epi64( \
                           (__mmask8)((WHERE) & (0xffu << (1u << (K)) & 0xffu)), from[K], v))
#define PADICI_CODEC_OWN(K) _mm512_cmpge_epu64_mask(place, padici_avx512_all(UINT64_C(1) << (K)))
    while (i < to) {
        __mmask8 there;
        if (op->segment >= 32) { // vectors inside the segment; then one that holds its end
            inner = padici_codec_least(op->segment - at, to - i) / 8;
            if (at == 0) c = _mm512_setzero_si512();
            at += 8 * inner;
            for (; inner > 0; inner--, i += 8) {
                v = padici_avx512_load(x + i);
                if (zigzag) v = padici_avx512_unfold(v);
                PADICI_CODEC_UP(0, 0xffu);
                PADICI_CODEC_UP(1, 0xffu);
                PADICI_CODEC_UP(2, 0xffu);
                padici_avx512_store(x + i, PADICI_JOIN(v, c));
                c = PADICI_JOIN(c, _mm512_permutexvar_epi64(last, v));
            }
            if (at == op->segment) {
                at = 0;
                continue;
            }
            if (i == to) break;
            place = padici_codec_behind(padici_avx512_all(at), lane, segment);
            at = at + 8 < op->segment ? at + 8 : at + 8 - op->segment;
        }
        there = (__mmask8)(to - i >= 8 ? 0xff : (1u << (to - i)) - 1);
        v = _mm512_maskz_loadu_epi64(there, x + i);
        if (zigzag) v = padici_avx512_unfold(v);
        PADICI_CODEC_UP(0, PADICI_CODEC_OWN(0));
        PADICI_CODEC_UP(1, PADICI_CODEC_OWN(1));
        PADICI_CODEC_UP(2, PADICI_CODEC_OWN(2));
        v = PADICI_JOIN(v, _mm512_maskz_mov_epi64(_mm512_cmpgt_epu64_mask(place, lane), c));
        _mm512_mask_storeu_epi64(x + i, there, v);
        c = _mm512_permutexvar_epi64(last, v);
        place = padici_codec_behind(place, by, segment);
        i += 8;
    }
#undef PADICI_CODEC_OWN
#undef PADICI_CODEC_UP
#undef PADICI_JOIN
    carry[0] = x[to - 1];
    return 1;
}

PADICI_CODEC_SUMS(avx512, PADICI_AVX512)

PADICI_FN PADICI_AVX512 void padici_codec_planes_avx512(const padici_codec_decoder *decoder,
                                                        uint64_t *z, size_t from, size_t to)
{
    const uint8_t *const *p = decoder->plane;
    const uint32_t planes = decoder->planes;
    size_t i = from;
    for (; planes && i + 16 <= to; i += 16) {
        __m512i low = _mm512_setzero_si512(), high = low, a, b;
        uint32_t k;
        for (k = 0; k < planes; k++) {
            const __m512i wide = _mm512_cvtepu8_epi32(
                _mm_loadu_si128((const __m128i *)(const void *)(p[k] + i)));
            const __m128i up = _mm_cvtsi32_si128((int)(8 * (k & 3)));
            if (k < 4)
                low = _mm512_or_si512(low, _mm512_sll_epi32(wide, up));
            else
                high = _mm512_or_si512(high, _mm512_sll_epi32(wide, up));
        }
        a = _mm512_cvtepu32_epi64(_mm512_castsi512_si256(low));
        b = _mm512_cvtepu32_epi64(_mm512_extracti64x4_epi64(low, 1));
        if (planes > 4) {
            const __m512i c = _mm512_cvtepu32_epi64(_mm512_castsi512_si256(high));
            const __m512i d = _mm512_cvtepu32_epi64(_mm512_extracti64x4_epi64(high, 1));
            a = _mm512_or_si512(a, _mm512_slli_epi64(c, 32));
            b = _mm512_or_si512(b, _mm512_slli_epi64(d, 32));
        }
        padici_avx512_store(z + i, a);
        padici_avx512_store(z + i + 8, b);
    }
    padici_codec_next_planes(decoder, z, i, to);
}

// Unoptimised, gcc 12 has a macro here, which narrows its own mask.
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wsign-conversion"
#endif

#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic pop
#endif

// 16 states: the symbols go to `data`, words in as many lanes as need one.
PADICI_AVX512 PADICI_INLINE __m512i padici_codec_rans16(__m512i x, const uint32_t *table,
                                                        const uint8_t **p, uint8_t *data)
{
    const __m512i slot = _mm512_and_si512(x, _mm512_set1_epi32(PADICI_CODEC_RANS_TOTAL - 1));
    const __m512i e = padici_codec_gather16(table, slot);
    const __m512i f = _mm512_and_si512(_mm512_srli_epi32(e, 8), _mm512_set1_epi32(4095));
    const __m512i q = _mm512_srli_epi32(x, PADICI_CODEC_RANS_SCALE_BITS);
    const __m512i y = _mm512_add_epi32(
        _mm512_mullo_epi32(_mm512_add_epi32(f, _mm512_set1_epi32(1)), q), _mm512_srli_epi32(e, 20));
    const __mmask16 low = _mm512_cmplt_epu32_mask(y, _mm512_set1_epi32(PADICI_CODEC_RANS_LOW));
    const __m512i words =
        _mm512_cvtepu16_epi32(_mm256_loadu_si256((const __m256i *)(const void *)*p));
    _mm_storeu_si128((__m128i *)(void *)data, _mm512_cvtepi32_epi8(e));
    *p += 2 * _mm_popcnt_u32((uint32_t)padici_mask16(low));
    return _mm512_mask_or_epi32(y, low, _mm512_slli_epi32(y, 16),
                                _mm512_maskz_expand_epi32(low, words));
}

PADICI_FN PADICI_AVX512 const uint8_t *padici_codec_rans_avx512(uint32_t state[32],
                                                                const uint32_t *table,
                                                                const uint8_t *p,
                                                                const uint8_t *end, uint8_t *data,
                                                                size_t n, size_t *done)
{
    __m512i a = padici_avx512_load(state), b = padici_avx512_load(state + 16);
    size_t at = 0;
    for (; at + 32 <= n && end - p >= 64; at += 32) {
        a = padici_codec_rans16(a, table, &p, data + at);
        b = padici_codec_rans16(b, table, &p, data + at + 16);
    }
    padici_avx512_store(state, a);
    padici_avx512_store(state + 16, b);
    *done = at;
    return p;
}

#endif
