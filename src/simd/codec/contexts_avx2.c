#include "contexts_avx2.h"
#include "../../codec/constants.h"
#include "../../codec/rans.h"
#include "avx2.h"
#include "../words.h"

#if PADICI_IMPLEMENT_SIMD && !defined(PADIC_NO_CODEC) && PADICI_SIMD_X86

// ---- rANS with contexts: rows of 32 lanes, one a step, become stretches

// Whether the rows of all steps have room, and no step looks at itself.
PADICI_FN int padici_codec_rows_fit(const padici_codec_context_plan *plan, size_t n, size_t room)
{
    const size_t length = plan->length;
    if (length < 32 || length > room / 32 || 32 * length + 64 > room || n < length) return 0;
    return !plan->a || (plan->a % length && (!plan->b || plan->b % length));
}

// 16 rows to 16 bytes of 32 stretches, as far as they reach.
PADICI_AVX2 static void padici_codec_turn(const uint8_t *rows, uint8_t *data, size_t length,
                                          size_t left)
{
    __m256i four[4][4]; // rows 4 g to 4 g + 3 of lanes 4 t to 4 t + 3 and 16 behind them
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

PADICI_FN PADICI_AVX2 void padici_codec_stretches(const uint8_t *rows, uint8_t *data, size_t steps,
                                                  size_t length, size_t n)
{
    size_t k;
    for (k = 0; k + 16 <= steps; k += 16) padici_codec_turn(rows + 32 * k, data + k, length, n - k);
    for (; k < steps; k++) {
        size_t lane, i = k;
        for (lane = 0; i < n; lane++, i += length) data[i] = rows[32 * k + lane];
    }
}

// 16-bit lanes of a step in the order that packing four vectors of states gives: lanes 0 to 3, 8 to
// 11, 4 to 7, 12 to 15.
PADICI_AVX2 PADICI_INLINE __m256i padici_avx2_mixed(__m128i bytes)
{
    return _mm256_permute4x64_epi64(_mm256_cvtepu8_epi16(bytes), 0xd8);
}

// The bytes before, and the one `lanes` stretches and `steps` steps before where there is one, of
// lanes `half` and up, which stand from `row` on.
PADICI_AVX2 PADICI_INLINE __m256i padici_avx2_before(__m256i last, const uint8_t *row, size_t j,
                                                     size_t steps, size_t lanes, uint32_t half)
{
    const uint8_t *const from = row - 32 * steps - lanes;
    const __m256i lane = _mm256_setr_epi16(0, 1, 2, 3, 8, 9, 10, 11, 4, 5, 6, 7, 12, 13, 14, 15);
    if (steps > j || lanes >= 32 || (steps == 1 && lanes == 0)) return last;
    return _mm256_blendv_epi8(
        padici_avx2_mixed(_mm_loadu_si128((const __m128i *)(const void *)from)), last,
        _mm256_cmpgt_epi16(_mm256_set1_epi16((short)((int)lanes - (int)half)), lane));
}

// 8 states, of a class each; the symbols are returned in 32 bits each.
PADICI_AVX2 PADICI_INLINE __m256i padici_avx2_context8(__m256i *state, __m256i begin,
                                                       __m256i active, const uint32_t *table,
                                                       const uint8_t **p)
{
    const __m256i x = *state, mask = _mm256_set1_epi32(PADICI_CODEC_RANS_TOTAL - 1);
    const __m256i at = _mm256_or_si256(begin, _mm256_and_si256(x, mask));
    const __m256i e = _mm256_i32gather_epi32((const int *)(const void *)table, at, 4);
    const __m256i f = _mm256_and_si256(_mm256_srli_epi32(e, 8), mask);
    const __m256i q = _mm256_srli_epi32(x, PADICI_CODEC_RANS_SCALE_BITS);
    const __m256i y = _mm256_add_epi32(_mm256_mullo_epi32(f, q),
                                       _mm256_add_epi32(q, _mm256_srli_epi32(e, 20)));
    const __m256i low = _mm256_and_si256(
        active, _mm256_cmpeq_epi32(_mm256_srli_epi32(y, 16), _mm256_setzero_si256()));
    *state = _mm256_blendv_epi8(x, padici_avx2_refill(y, low, p), active);
    return _mm256_and_si256(e, _mm256_set1_epi32(255));
}

PADICI_AVX2 PADICI_INLINE size_t padici_codec_context_run_avx2(
    const padici_codec_context_plan *plan, const uint32_t *table, const uint8_t *map,
    uint32_t state[32], size_t n, const uint8_t **words, const uint8_t *end, uint8_t *row,
    uint32_t what)
{
    const size_t length = plan->length, steps[2] = {plan->a % length, plan->b % length};
    const size_t behind[2] = {plan->a / length, plan->b / length};
    const __m256i lane = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7), none = _mm256_setzero_si256();
    const __m256i order = _mm256_setr_epi32(0, 4, 1, 5, 2, 6, 3, 7);
    __m256i x[4], last[2], old[2], active[4], from[PADICI_CODEC_CONTEXTS];
    size_t lanes = (n + length - 1) / length + 1, j;
    const uint8_t *p = *words;
    uint32_t k, h;
    for (k = 0; k < 4; k++) x[k] = padici_avx2_load(state + 8 * k);
    for (k = 1; k < plan->count; k++) from[k] = _mm256_set1_epi16((short)(plan->from[k] - 1));
    last[0] = last[1] = old[0] = old[1] = none;
    for (j = 0; j < length && end - p >= 64; j++, row += 32) {
        __m256i symbols[4], begin[2];
        if ((lanes - 1) * length + j >= n || j == 0) {
            while ((lanes - 1) * length + j >= n) lanes--;
            for (k = 0; k < 4; k++)
                active[k] = _mm256_cmpgt_epi32(_mm256_set1_epi32((int)lanes - 8 * (int)k), lane);
        }
        for (h = 0; h < 2; h++) {
            __m256i sum = last[h], class16 = none;
            if (what == PADICI_CODEC_CONTEXT_COLUMN) {
                begin[h] = _mm256_set1_epi16((short)((uint32_t)map[j % plan->b] << 12));
                continue;
            }
            if (what == PADICI_CODEC_CONTEXT_TWO) {
                sum = _mm256_add_epi16(sum, j > 1 ? old[h] : last[h]);
                old[h] = last[h];
            } else if (what == PADICI_CODEC_CONTEXT_ANY) {
                sum = padici_avx2_before(last[h], row + 16 * h, j, steps[0], behind[0], 16 * h);
                if (plan->b)
                    sum = _mm256_add_epi16(sum, padici_avx2_before(last[h], row + 16 * h, j,
                                                                   steps[1], behind[1], 16 * h));
            }
            for (k = 1; k < plan->count; k++)
                class16 = _mm256_sub_epi16(class16, _mm256_cmpgt_epi16(sum, from[k]));
            begin[h] = _mm256_slli_epi16(class16, 12);
        }
        for (h = 0; h < 2; h++) {
            symbols[2 * h] = padici_avx2_context8(&x[2 * h], _mm256_unpacklo_epi16(begin[h], none),
                                                  active[2 * h], table, &p);
            symbols[2 * h + 1] =
                padici_avx2_context8(&x[2 * h + 1], _mm256_unpackhi_epi16(begin[h], none),
                                     active[2 * h + 1], table, &p);
            last[h] = _mm256_packus_epi32(symbols[2 * h], symbols[2 * h + 1]);
        }
        padici_avx2_store(row, _mm256_permutevar8x32_epi32(_mm256_packus_epi16(last[0], last[1]),
                                                           order));
    }
    for (k = 0; k < 4; k++) padici_avx2_store(state + 8 * k, x[k]);
    *words = p;
    return j;
}

PADICI_CODEC_CONTEXT(avx2, PADICI_AVX2)

// Symbol | frequency - 1 << 8 | offset << 20, as many of each symbol as its frequency.
PADICI_FN PADICI_AVX2 void padici_codec_slots_avx2(const uint16_t freq[256], uint32_t *table)
{
    const __m256i lanes = _mm256_setr_epi32(0, 1 << 20, 2 << 20, 3 << 20, 4 << 20, 5 << 20, 6 << 20,
                                            7 << 20);
    const __m256i up = _mm256_set1_epi32(8 << 20);
    const uint32_t *const end = table + PADICI_CODEC_RANS_TOTAL;
    uint32_t s, i;
    for (s = 0; s < 256; s++) {
        const uint32_t f = freq[s], entry = s | (f - 1) << 8;
        __m256i v = _mm256_add_epi32(lanes, _mm256_set1_epi32((int)entry));
        for (i = 0; i < f && end - table >= (ptrdiff_t)i + 8; i += 8, v = _mm256_add_epi32(v, up))
            padici_avx2_store(table + i, v); // what is beyond f is written over
        for (; i < f; i++) table[i] = entry | i << 20;
        table += f;
    }
}

#endif
