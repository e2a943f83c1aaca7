#include "stretches.h"
#include "../words.h"

#if PADICI_IMPLEMENT_SIMD && !defined(PADIC_NO_CODEC) && PADICI_SIMD_X86

// rANS with contexts: transposes rows of 32 lanes, one per step, to stretches.

// 1 if the rows of all steps fit, and no step depends on itself.
PADICI_FN int padici_simd_codec_rows_fit(const padici_codec_context_plan *plan, size_t n,
                                         size_t room)
{
    const size_t length = plan->length;
    if (length < 32 || length > room / 32 || 32 * length + 64 > room || n < length) return 0;
    return !plan->a || (plan->a % length && (!plan->b || plan->b % length));
}

// 16 rows to 16 bytes of 32 stretches, or to `left` bytes.
PADICI_AVX2 static void padici_simd_codec_turn(const uint8_t *rows, uint8_t *data, size_t length,
                                               size_t left)
{
    __m256i four[4][4]; // rows 4 g to 4 g + 3 of lanes 4 t to 4 t + 3 and 16 after them
    uint32_t g, t, k;
    for (g = 0; g < 4; g++) {
        const __m256i a = padici_avx2_load(rows + 128 * g);
        const __m256i b = padici_avx2_load(rows + 128 * g + 32);
        const __m256i c = padici_avx2_load(rows + 128 * g + 64);
        const __m256i d = padici_avx2_load(rows + 128 * g + 96);
        const __m256i ab = _mm256_unpacklo_epi8(a, b), cd = _mm256_unpacklo_epi8(c, d);
        const __m256i ab_high = _mm256_unpackhi_epi8(a, b), cd_high = _mm256_unpackhi_epi8(c, d);
        four[g][0] = _mm256_unpacklo_epi16(ab, cd);
        four[g][1] = _mm256_unpackhi_epi16(ab, cd);
        four[g][2] = _mm256_unpacklo_epi16(ab_high, cd_high);
        four[g][3] = _mm256_unpackhi_epi16(ab_high, cd_high);
    }
    for (t = 0; t < 4; t++) {
        const __m256i a = _mm256_unpacklo_epi32(four[0][t], four[1][t]);
        const __m256i b = _mm256_unpackhi_epi32(four[0][t], four[1][t]);
        const __m256i c = _mm256_unpacklo_epi32(four[2][t], four[3][t]);
        const __m256i d = _mm256_unpackhi_epi32(four[2][t], four[3][t]);
        __m256i lane[4];
        lane[0] = _mm256_unpacklo_epi64(a, c);
        lane[1] = _mm256_unpackhi_epi64(a, c);
        lane[2] = _mm256_unpacklo_epi64(b, d);
        lane[3] = _mm256_unpackhi_epi64(b, d);
        for (k = 0; k < 8; k++) {
            const size_t at = (4 * t + k % 4 + k / 4 * 16) * length;
            const __m128i v = k < 4 ? _mm256_castsi256_si128(lane[k % 4])
                                    : _mm256_extracti128_si256(lane[k % 4], 1);
            uint8_t bytes[16];
            if (at + 16 <= left) {
                _mm_storeu_si128((__m128i *)(void *)(data + at), v);
            } else if (at < left) {
                _mm_storeu_si128((__m128i *)(void *)bytes, v);
                memcpy(data + at, bytes, left - at);
            }
        }
    }
}

PADICI_FN PADICI_AVX2 void padici_simd_codec_stretches(const uint8_t *rows, uint8_t *data,
                                                       size_t steps, size_t length, size_t n)
{
    size_t k;
    for (k = 0; k + 16 <= steps; k += 16)
        padici_simd_codec_turn(rows + 32 * k, data + k, length, n - k);
    for (; k < steps; k++) {
        size_t lane, i = k;
        for (lane = 0; i < n; lane++, i += length) data[i] = rows[32 * k + lane];
    }
}

#endif
