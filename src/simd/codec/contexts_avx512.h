#pragma once
#include "../../codec/contexts.h"
#include "../level.h"
#include "../../codec/choose_transform.h"
#include "../../codec/constants.h"
#include "../../codec/transforms.h"
#include "../../core/platform.h"
#include "../words.h"

#if !defined(PADIC_NO_CODEC) && PADICI_SIMD_X86

PADICI_FN PADICI_AVX512 void padici_codec_slots_avx512(const uint16_t freq[256], uint32_t *table);

PADICI_AVX512 PADICI_INLINE __m512i padici_codec_to_f16(__m512d x)
{
    // Rounded to odd on the way, which the next rounding cannot tell from the whole: 29 bits fewer
    // are the 24 of a float. What is too small or too large for a float is so for f16.
    const __m512i bits = _mm512_castpd_si512(x), low = _mm512_set1_epi64((1 << 29) - 1);
    const __m512i cut = _mm512_andnot_si512(low, bits), odd = _mm512_set1_epi64(1 << 29);
    const __m512i y = _mm512_mask_or_epi64(cut, _mm512_test_epi64_mask(bits, low), cut, odd);
    const __m256 f = _mm512_cvtpd_ps(_mm512_castsi512_pd(y));
    return _mm512_castsi128_si512(_mm256_cvtps_ph(f, _MM_FROUND_TO_NEAREST_INT));
}

// 8 elements of a transform; `kind` and `size` are constants where it is called.
PADICI_AVX512 PADICI_INLINE void padici_codec_put8(const padici_codec_transform *transform,
                                                   uint32_t kind, int is_float, uint32_t size,
                                                   __m512i n, uint8_t *to)
{
    if (kind == PADICI_CODEC_TRANSFORM_BITS && is_float) {
        const __m512i top = _mm512_sll_epi64(n, _mm_cvtsi32_si128((int)(64 - 8 * size)));
        const __m512i sign = _mm512_srai_epi64(top, 63);
        n = _mm512_xor_si512(n, _mm512_srl_epi64(sign, _mm_cvtsi32_si128((int)(65 - 8 * size))));
    } else if (kind == PADICI_CODEC_TRANSFORM_FIELDS) {
        const __m512i ones = _mm512_set1_epi64((long long)(~UINT64_C(0) >> (64 - 8 * size)));
        const __m512i top = _mm512_sll_epi64(n, _mm_cvtsi32_si128((int)(8 * size - 1)));
        n = _mm512_or_si512(_mm512_srli_epi64(_mm512_and_si512(n, ones), 1), top);
    } else if (kind >= PADICI_CODEC_TRANSFORM_SCALE && is_float) {
        const __m512d g = _mm512_castsi512_pd(padici_avx512_all(transform->g));
        __m512d x = _mm512_cvtepi64_pd(n);
        x = kind == PADICI_CODEC_TRANSFORM_DECIMAL ? _mm512_div_pd(x, g) : _mm512_mul_pd(x, g);
        if (kind == PADICI_CODEC_TRANSFORM_AFFINE)
            x = _mm512_add_pd(x, _mm512_castsi512_pd(padici_avx512_all(transform->o)));
        if (size == 2) {
            n = padici_codec_to_f16(x);
            _mm_storeu_si128((__m128i *)(void *)to, _mm512_castsi512_si128(n));
            return;
        }
        if (size == 4) {
            _mm256_storeu_ps((float *)(void *)to, _mm512_cvtpd_ps(x));
            return;
        }
        if (transform->single) x = _mm512_cvtps_pd(_mm512_cvtpd_ps(x));
        n = _mm512_castpd_si512(x);
    }
    if (size == 8) padici_avx512_store(to, n);
    if (size == 4)
        _mm256_storeu_si256((__m256i *)(void *)to, _mm512_cvtepi64_epi32(n));
    if (size == 2) _mm_storeu_si128((__m128i *)(void *)to, _mm512_cvtepi64_epi16(n));
    if (size == 1) _mm_storel_epi64((__m128i *)(void *)to, _mm512_cvtepi64_epi8(n));
}

PADICI_FN PADICI_AVX512 void padici_codec_elements_avx512(const padici_codec_transform *transform,
                                                          padic_dtype dtype, const uint64_t *words,
                                                          uint8_t *raw, size_t n);
PADICI_FN PADICI_AVX512 size_t padici_codec_words_avx512(const padici_codec_transform *transform,
                                                         const padici_codec_tolerance *tolerance,
                                                         padic_dtype dtype, uint32_t size,
                                                         const uint8_t *raw, size_t n,
                                                         uint64_t *words, uint32_t *off,
                                                         size_t most);

PADICI_FN size_t padici_codec_context_avx512(const padici_codec_context_plan *plan,
                                             const uint32_t *table, const uint8_t *map,
                                             uint32_t state[32], uint8_t *data, size_t n,
                                             const uint8_t **words, const uint8_t *end,
                                             uint8_t *rows, size_t room);

#endif
