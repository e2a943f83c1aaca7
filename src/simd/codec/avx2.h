#pragma once
#include "../level.h"
#include "../../codec/prediction.h"
#include "../words.h"
#include "all.h"
#include "../../codec/choose_transform.h"
#include "../../codec/differences.h"
#include "../../codec/transforms.h"
#include "../../codec/streams.h"
#include "../../core/platform.h"

#if !defined(PADIC_NO_CODEC) && PADICI_SIMD_X86

PADICI_CODEC_WORDS(avx2, PADICI_AVX2, __m256i, 4)

PADICI_FN PADICI_AVX2 void padici_codec_fixed_avx2(const uint8_t *p, const uint8_t *end,
                                                   uint32_t width, uint64_t *z, size_t n);
PADICI_FN PADICI_AVX2 void padici_codec_planes_avx2(const padici_codec_decoder *decoder,
                                                    uint64_t *z, size_t from, size_t to);

// States that are low (-1) take one word each.
PADICI_AVX2 PADICI_INLINE __m256i padici_avx2_refill(__m256i y, __m256i low, const uint8_t **p)
{
    __m256i sum = _mm256_add_epi32(low, _mm256_slli_si256(low, 4)), words;
    sum = _mm256_add_epi32(sum, _mm256_slli_si256(sum, 8));
    sum = _mm256_add_epi32(sum, _mm256_blend_epi32(_mm256_setzero_si256(),
                                                   _mm256_permutevar8x32_epi32(
                                                       sum, _mm256_set1_epi32(3)),
                                                   0xf0));
    words = _mm256_cvtepu16_epi32(_mm_loadu_si128((const __m128i *)(const void *)*p));
    words = _mm256_permutevar8x32_epi32(words, _mm256_sub_epi32(low, sum)); // how many came before
    *p += 2 * _mm_popcnt_u32((uint32_t)_mm256_movemask_ps(_mm256_castsi256_ps(low)));
    return _mm256_blendv_epi8(y, _mm256_or_si256(_mm256_slli_epi32(y, 16), words), low);
}

PADICI_FN PADICI_AVX2 const uint8_t *padici_codec_rans_avx2(uint32_t state[32],
                                                            const uint32_t *table, const uint8_t *p,
                                                            const uint8_t *end, uint8_t *data,
                                                            size_t n, size_t *done);
PADICI_FN PADICI_AVX2 void padici_codec_elements_avx2(const padici_codec_transform *transform,
                                                      padic_dtype dtype, const uint64_t *words,
                                                      uint8_t *raw, size_t n);
PADICI_FN PADICI_AVX2 size_t padici_codec_words_avx2(const padici_codec_transform *transform,
                                                     const padici_codec_tolerance *tolerance,
                                                     padic_dtype dtype, uint32_t size,
                                                     const uint8_t *raw, size_t n, uint64_t *words,
                                                     uint32_t *off, size_t most);
PADICI_FN PADICI_AVX2 void padici_codec_difference_avx2(const uint64_t *x, uint64_t *to, size_t n,
                                                        const padici_codec_op *op, int zigzag,
                                                        int exclusive);
PADICI_FN PADICI_AVX2 void padici_codec_lower_avx2(uint64_t *x, size_t n, uint64_t first,
                                                   uint32_t shift);
PADICI_FN void padici_codec_sum_avx2(uint64_t *x, size_t from, size_t to, const padici_codec_op *op,
                                     uint64_t carry[8], int zigzag, int exclusive);

#endif
