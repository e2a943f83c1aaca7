#include "vbmi.h"
#include "../../codec/bytes.h"
#include "../../codec/representation.h"
#include "../words.h"
#include "blocks_vbmi.h"

#if PADICI_IMPLEMENT_SIMD && !defined(PADIC_NO_CODEC) && PADICI_SIMD_X86

// ---- AVX-512 with VBMI: any 8 bytes of 64 are one instruction away

PADICI_IFMA static void padici_simd_codec_packed_bytes_ifma(const uint8_t *p, uint32_t base,
                                                            uint32_t width, uint8_t *data, size_t n)
{
    const __m512i mask = _mm512_set1_epi8((char)((1u << width) - 1));
    const __m512i add = _mm512_set1_epi8((char)base);
    uint8_t take[64], shift[64];
    __m512i from, by;
    size_t i, j;
    for (j = 0; j < 64; j++) {
        take[j] = (uint8_t)(j / 8 * width + j % 8);
        shift[j] = (uint8_t)(j % 8 * width);
    }
    from = padici_avx512_load(take);
    by = padici_avx512_load(shift);
    for (i = 0; i + 64 <= n && (n - i) * width / 8 + 8 >= 64; i += 64, p += 8 * width) {
        const __m512i v = _mm512_permutexvar_epi8(from, padici_avx512_load(p));
        const __m512i b = _mm512_and_si512(_mm512_multishift_epi64_epi8(by, v), mask);
        padici_avx512_store(data + i, _mm512_add_epi8(b, add));
    }
    padici_codec_packed_bytes(p, base, width, data + i, n - i);
}

PADICI_FN PADICI_IFMA void padici_simd_codec_fixed_ifma(const uint8_t *p, const uint8_t *end,
                                                        uint32_t width, uint64_t *z, size_t n)
{
    size_t i = 0;
    if (width - 1 < 57) {
        const __m512i bit = _mm512_mullo_epi64(padici_avx512_lanes(), padici_avx512_all(width));
        const __m512i mask = padici_avx512_all(~UINT64_C(0) >> (64 - width));
        for (; i + 8 <= n && end - p >= 56; i += 8, p += width) {
            const __m512i v = padici_simd_codec_window(padici_avx512_load(p), bit);
            padici_avx512_store(z + i, _mm512_and_si512(v, mask));
        }
    }
    padici_codec_fixed_loop(p, end, width, z + i, n - i);
}

// 8 words of buckets whose plain bits lie in 64 bytes from bit `at` of `p` on; returns their number
// of bits.
PADICI_IFMA PADICI_INLINE uint32_t padici_simd_codec_buckets8(const uint8_t *tokens, __m128i m,
                                                              __m512i lead, const uint8_t *p,
                                                              uint64_t at, uint64_t *z)
{
    const __m512i below = _mm512_sub_epi64(lead, _mm512_set1_epi64(1));
    const __m128i t = _mm_loadl_epi64((const __m128i *)(const void *)tokens);
    const __m128i t16 = _mm_cvtepu8_epi16(t);
    const __m128i e16 = _mm_min_epu16(_mm_subs_epu16(_mm_srl_epi16(t16, m), _mm_set1_epi16(1)),
                                      _mm_set1_epi16(63));
    __m128i sum = _mm_add_epi16(e16, _mm_slli_si128(e16, 2));
    __m512i t64 = _mm512_cvtepu8_epi64(t), e = _mm512_cvtepu16_epi64(e16), bit, v, mask;
    const __m512i led = _mm512_or_si512(_mm512_and_si512(t64, below), lead);
    sum = _mm_add_epi16(sum, _mm_slli_si128(sum, 4));
    sum = _mm_add_epi16(sum, _mm_slli_si128(sum, 8));
    bit = _mm512_add_epi64(_mm512_cvtepu16_epi64(_mm_sub_epi16(sum, e16)),
                           padici_avx512_all(at & 7));
    v = padici_simd_codec_window(padici_avx512_load(p + (at >> 3)), bit);
    mask = _mm512_sub_epi64(_mm512_sllv_epi64(_mm512_set1_epi64(1), e), _mm512_set1_epi64(1));
    t64 = _mm512_mask_mov_epi64(t64, _mm512_test_epi64_mask(e, e), led);
    t64 = _mm512_add_epi64(_mm512_sllv_epi64(t64, e), _mm512_and_si512(v, mask));
    padici_avx512_store(z, t64);
    return (uint32_t)_mm_extract_epi16(sum, 7);
}

PADICI_IFMA static size_t padici_simd_codec_buckets_ifma(padici_codec_decoder *decoder, uint64_t *z,
                                                         size_t from, size_t to)
{
    const __m128i m = _mm_cvtsi32_si128((int)decoder->m);
    const __m512i lead = padici_avx512_all(UINT64_C(1) << decoder->m);
    const __m512i least = _mm512_set1_epi8((char)(2u << decoder->m)); // they have plain bits
    const uint8_t *p = decoder->plain, *tokens = decoder->tokens;
    const uint64_t end = decoder->end;
    uint64_t at = decoder->at, first = 0;
    uint8_t rest[128]; // the last bits, padded for wide loads
    size_t i = from, look = from;
    while (decoder->widest <= 57 && i < to && at <= end) {
        uint32_t bits;
        if (i >= look) {
            look = i + 64;
            if (look <= to && !_mm512_cmpge_epu8_mask(padici_avx512_load(tokens + i), least)) {
                for (; i < look; i += 8) {
                    const __m128i t = _mm_loadl_epi64((const __m128i *)(const void *)(tokens + i));
                    padici_avx512_store(z + i, _mm512_cvtepu8_epi64(t));
                }
                continue;
            }
        }
        if (p != rest && at + 56 * 8 > end) { // 8 bytes past the end may be loaded
            first = at & ~(uint64_t)7;
            memset(rest, 0, sizeof rest);
            memcpy(rest, p + first / 8, (size_t)((end - first + 7) / 8));
            p = rest;
        }
        if (i + 8 <= to) {
            bits = padici_simd_codec_buckets8(tokens + i, m, lead, p, at - first, z + i);
            if (bits > end - at) break; // padici_codec_buckets_loop() finds where it ends
        } else {
            uint64_t few[8];
            uint8_t last[8] = {0, 0, 0, 0, 0, 0, 0, 0};
            memcpy(last, tokens + i, to - i);
            bits = padici_simd_codec_buckets8(last, m, lead, p, at - first, few);
            if (bits > end - at) break;
            memcpy(z + i, few, (to - i) * sizeof *z);
        }
        at += bits;
        i = padici_codec_least(i + 8, to);
    }
    decoder->at = at;
    return padici_codec_buckets_loop(decoder, z, i, to);
}

PADICI_FN void padici_simd_codec_unpack_vbmi(padici_codec_loops *loops)
{
    loops->fixed = padici_simd_codec_fixed_ifma;
    loops->buckets = padici_simd_codec_buckets_ifma;
    loops->narrow = padici_simd_codec_narrow_ifma;
    loops->packed_bytes = padici_simd_codec_packed_bytes_ifma;
}

#endif
