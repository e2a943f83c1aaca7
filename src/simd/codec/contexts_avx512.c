#include "contexts_avx512.h"
#include "../../codec/bytes.h"
#include "../../codec/contexts.h"
#include "../../codec/rans.h"
#include "../../core/words.h"
#include "avx512.h"
#include "contexts_avx2.h"
#include "transforms.h"

#if PADICI_IMPLEMENT_SIMD && !defined(PADIC_NO_CODEC) && PADICI_SIMD_X86

// ---- rANS with contexts, 32 stretches at once. The bytes of the last two steps stay in registers,
// 32 bits each; all go to rows, lane by lane, which become stretches at the end.

// The classes of sums 0 to 511, 4 bits each, turned so that those of 8 k stand at bit 12.
PADICI_AVX512 PADICI_INLINE void padici_codec_nibbles(const padici_codec_context_plan *plan,
                                                      const uint8_t *map, __m512i nibbles[4])
{
    const uint32_t reach = plan->b ? 64 : 32;
    uint32_t packed[64], k, v;
    for (k = 0; k < reach; k++) {
        uint32_t word = 0;
        for (v = 8; v-- > 0;) word = word << 4 | map[8 * k + v];
        packed[k] = word << 12 | word >> 20;
    }
    for (; k < 64; k++) packed[k] = 0;
    for (k = 0; k < 4; k++) nibbles[k] = padici_avx512_load(packed + 16 * k);
}

// Where the tables of the classes of 16 sums begin.
PADICI_AVX512 PADICI_INLINE __m512i padici_codec_bucket16(__m512i sum, const __m512i nibbles[4],
                                                          int wide)
{
    const __m512i at = _mm512_srli_epi32(sum, 3), turn = _mm512_slli_epi32(sum, 2);
    __m512i v = _mm512_permutex2var_epi32(nibbles[0], at, nibbles[1]);
    if (wide)
        v = _mm512_mask_mov_epi32(v, _mm512_cmpge_epu32_mask(sum, _mm512_set1_epi32(256)),
                                  _mm512_permutex2var_epi32(nibbles[2], at, nibbles[3]));
    return _mm512_and_si512(_mm512_rorv_epi32(v, turn), _mm512_set1_epi32(0xf000));
}

// 16 states of a step; its bytes are returned and go to `row`.
PADICI_AVX512 PADICI_INLINE __m512i padici_codec_context16(__m512i *state, __m512i begin,
                                                           __mmask16 active, const uint32_t *table,
                                                           const uint8_t **p, uint8_t *row)
{
    const __m512i x = *state, mask = _mm512_set1_epi32(PADICI_CODEC_RANS_TOTAL - 1);
    const __m512i at = _mm512_ternarylogic_epi32(begin, x, mask, 0xf8); // begin | (x & mask)
    const __m512i e = padici_codec_gather16(table, at),
                  q = _mm512_srli_epi32(x, PADICI_CODEC_RANS_SCALE_BITS);
    const __m512i f = _mm512_and_si512(_mm512_srli_epi32(e, 8), mask);
    const __m512i y = _mm512_mask_add_epi32(
        x, active, _mm512_mullo_epi32(f, q), _mm512_add_epi32(q, _mm512_srli_epi32(e, 20)));
    const __mmask16 low =
        _mm512_mask_cmplt_epu32_mask(active, y, _mm512_set1_epi32(PADICI_CODEC_RANS_LOW));
    const __m512i words =
        _mm512_cvtepu16_epi32(_mm256_loadu_si256((const __m256i *)(const void *)*p));
    _mm_storeu_si128((__m128i *)(void *)row, _mm512_cvtepi32_epi8(e));
    *p += 2 * _mm_popcnt_u32((uint32_t)padici_mask16(low));
    *state = _mm512_mask_or_epi32(y, low, _mm512_slli_epi32(y, 16),
                                  _mm512_maskz_expand_epi32(low, words));
    return _mm512_and_si512(e, _mm512_set1_epi32(255));
}

// The bytes before, and the one `lanes` stretches and `steps` steps before where there is one.
PADICI_AVX512 PADICI_INLINE __m512i padici_codec_before(__m512i last, const uint8_t *row, size_t j,
                                                        size_t steps, size_t lanes, size_t half)
{
    const uint8_t *const from = row + half - 32 * steps - lanes;
    if (steps > j || lanes >= 32 || (steps == 1 && lanes == 0)) return last;
    return _mm512_mask_cvtepu8_epi32(last, (__mmask16)((0xffffffffu << lanes) >> half),
                                     _mm_loadu_si128((const __m128i *)(const void *)from));
}

PADICI_AVX512 PADICI_INLINE size_t padici_codec_context_run_avx512(
    const padici_codec_context_plan *plan, const uint32_t *table, const uint8_t *map,
    uint32_t state[32], size_t n, const uint8_t **words, const uint8_t *end, uint8_t *row,
    uint32_t what)
{
    const size_t length = plan->length, a = plan->a / length, b = plan->b / length;
    const size_t a_steps = plan->a % length, b_steps = plan->b % length;
    const int wide = plan->b && plan->from[plan->count - 1] > 255;
    const __m512i most = _mm512_set1_epi32(255);
    __m512i x = padici_avx512_load(state), y = padici_avx512_load(state + 16), nibbles[4];
    __m512i last_x = _mm512_setzero_si512(), last_y = last_x, old_x = last_x, old_y = last_x;
    size_t lanes = (n + length - 1) / length, j;
    const uint8_t *p = *words;
    padici_codec_nibbles(plan, map, nibbles);
    for (j = 0; j < length && end - p >= 64; j++, row += 32) {
        __m512i u = last_x, v = last_y;
        uint32_t active;
        while ((lanes - 1) * length + j >= n) lanes--;
        active = 0xffffffffu >> (32 - lanes);
        if (what == PADICI_CODEC_CONTEXT_COLUMN) {
            u = v = _mm512_set1_epi32(map[j % plan->b] << 12);
        } else {
            if (what == PADICI_CODEC_CONTEXT_TWO) {
                u = _mm512_add_epi32(u, j > 1 ? old_x : last_x);
                v = _mm512_add_epi32(v, j > 1 ? old_y : last_y);
                old_x = last_x;
                old_y = last_y;
            } else if (what == PADICI_CODEC_CONTEXT_ANY) {
                u = padici_codec_before(last_x, row, j, a_steps, a, 0);
                v = padici_codec_before(last_y, row, j, a_steps, a, 16);
                if (plan->b) {
                    u = _mm512_add_epi32(u, padici_codec_before(last_x, row, j, b_steps, b, 0));
                    v = _mm512_add_epi32(v, padici_codec_before(last_y, row, j, b_steps, b, 16));
                }
            }
            if (what != PADICI_CODEC_CONTEXT_ONE && !wide) {
                u = _mm512_min_epu32(u, most);
                v = _mm512_min_epu32(v, most);
            }
            u = padici_codec_bucket16(u, nibbles, wide);
            v = padici_codec_bucket16(v, nibbles, wide);
        }
        last_x = padici_codec_context16(&x, u, (__mmask16)(active & 0xffff), table, &p, row);
        last_y = padici_codec_context16(&y, v, (__mmask16)(active >> 16), table, &p, row + 16);
    }
    padici_avx512_store(state, x);
    padici_avx512_store(state + 16, y);
    *words = p;
    return j;
}

PADICI_CODEC_CONTEXT(avx512, PADICI_AVX512)

// Symbol | frequency - 1 << 8 | offset << 20, as many of each symbol as its frequency.
PADICI_FN PADICI_AVX512 void padici_codec_slots_avx512(const uint16_t freq[256], uint32_t *table)
{
    const __m512i lanes = _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
    const __m512i up = _mm512_set1_epi32(16 << 20);
    uint32_t s;
    for (s = 0; s < 256; s++) {
        uint32_t left = freq[s];
        __m512i v = _mm512_add_epi32(_mm512_slli_epi32(lanes, 20),
                                     _mm512_set1_epi32((int)(s | (left - 1) << 8)));
        for (; left > 16; left -= 16, table += 16, v = _mm512_add_epi32(v, up))
            padici_avx512_store(table, v);
        _mm512_mask_storeu_epi32(table, (__mmask16)((1u << left) - 1), v);
        table += left;
    }
}

PADICI_AVX512 PADICI_INLINE void padici_codec_run_avx512(const padici_codec_transform *given,
                                                         uint32_t kind, int is_float, uint32_t size,
                                                         const uint64_t *words, uint8_t *raw,
                                                         size_t n)
{
    const padici_codec_transform transform = *given;
    const __m512i first = padici_avx512_all(transform.first),
                  step = padici_avx512_all(transform.step);
    size_t i;
    if (transform.step == 1) {
        for (i = 0; i < n; i += 8)
            padici_codec_put8(&transform, kind, is_float, size,
                              _mm512_add_epi64(first, padici_avx512_load(words + i)),
                              raw + i * size);
    } else {
        for (i = 0; i < n; i += 8) {
            const __m512i w = _mm512_mullo_epi64(step, padici_avx512_load(words + i));
            padici_codec_put8(&transform, kind, is_float, size, _mm512_add_epi64(first, w),
                              raw + i * size);
        }
    }
}

PADICI_FN PADICI_AVX512 void padici_codec_elements_avx512(const padici_codec_transform *transform,
                                                          padic_dtype dtype, const uint64_t *words,
                                                          uint8_t *raw, size_t n)
{
    const uint32_t size = padic_dtype_size(dtype);
    const int is_float = padici_codec_is_float(dtype);
    const size_t whole = n - n % 8;
#define PADICI_CODEC_RUN_TRANSFORM(KIND, FLOAT, SIZE) \
    if (transform->kind == (KIND) && is_float == (FLOAT) && size == (SIZE)) { \
        padici_codec_run_avx512(transform, KIND, FLOAT, SIZE, words, raw, whole); \
        if (whole < n) \
            padici_codec_words_to_elements(transform, dtype, words + whole, raw + whole * size, \
                                           n - whole); \
        return; \
    }
    if (!padici_codec_plain_transform(transform, dtype)) {
        PADICI_CODEC_TRANSFORM_LOOPS(PADICI_CODEC_RUN_TRANSFORM)
    }
#undef PADICI_CODEC_RUN_TRANSFORM
    padici_codec_words_to_elements(transform, dtype, words, raw, n);
}

PADICI_AVX512 PADICI_INLINE __m512i padici_codec_ordered(__m512i bits, uint32_t size)
{
    const __m512i sign = _mm512_srai_epi64(bits, 63);
    return _mm512_xor_si512(bits,
                            _mm512_srl_epi64(sign, _mm_cvtsi32_si128((int)(65 - 8 * size))));
}

// Whether 8 elements hold, or come so close that their words are told relative to; and their words.
// Within a tolerance what this leaves out is decided one by one.
PADICI_AVX512 PADICI_INLINE __mmask8 padici_codec_get8(const padici_codec_transform *transform,
                                                       uint32_t kind, int is_float, uint32_t size,
                                                       double inverse, double within,
                                                       const uint8_t *from, __m512i *word,
                                                       __mmask8 *close)
{
    const __m512d g = _mm512_castsi512_pd(padici_avx512_all(transform->g));
    const __m512d o = _mm512_castsi512_pd(padici_avx512_all(transform->o));
    const __m512d half = _mm512_set1_pd(0.5), limit = _mm512_set1_pd(4611686018427387904.0);
    const __m512d none = _mm512_setzero_pd(), whole = _mm512_set1_pd(4503599627370496.0);
    __m512d value, v, again;
    __m512i bits, raw;
    __mmask8 holds, equal;
    if (size == 8) {
        bits = padici_avx512_load(from);
        value = _mm512_castsi512_pd(bits);
    } else if (size == 4) {
        const __m256i x = _mm256_loadu_si256((const __m256i *)(const void *)from);
        bits = _mm512_cvtepi32_epi64(x);
        value = _mm512_cvtps_pd(_mm256_castsi256_ps(x));
    } else {
        const __m128i x = _mm_loadu_si128((const __m128i *)(const void *)from);
        bits = _mm512_cvtepi16_epi64(x);
        value = _mm512_cvtps_pd(_mm256_cvtph_ps(x));
    }
    if (kind == PADICI_CODEC_TRANSFORM_BITS) { // shift 0
        *word = is_float ? padici_codec_ordered(bits, size) : bits;
        return 0xff;
    }
    if (kind == PADICI_CODEC_TRANSFORM_FIELDS) {
        const __m512i ones = _mm512_set1_epi64((long long)(~UINT64_C(0) >> (64 - 8 * size)));
        const __m512i top = _mm512_and_si512(_mm512_srli_epi64(bits, 8 * size - 1),
                                             _mm512_set1_epi64(1));
        *word = _mm512_or_si512(_mm512_and_si512(_mm512_slli_epi64(bits, 1), ones), top);
        return 0xff;
    }
    v = kind == PADICI_CODEC_TRANSFORM_AFFINE ? _mm512_sub_pd(value, o) : value;
    v = _mm512_mul_pd(v, kind == PADICI_CODEC_TRANSFORM_DECIMAL ? g : _mm512_set1_pd(inverse));
    holds = _mm512_cmp_pd_mask(_mm512_abs_pd(v), limit, _CMP_LT_OQ);
    again = _mm512_mask_sub_pd(_mm512_add_pd(v, half), _mm512_cmp_pd_mask(v, none, _CMP_LT_OQ), v,
                               half);
    v = _mm512_mask_mov_pd(v, _mm512_cmp_pd_mask(_mm512_abs_pd(v), whole, _CMP_LT_OQ), again);
    *word = _mm512_cvttpd_epi64(v);
    again = _mm512_cvtepi64_pd(*word);
    again =
        kind == PADICI_CODEC_TRANSFORM_DECIMAL ? _mm512_div_pd(again, g) : _mm512_mul_pd(again, g);
    if (kind == PADICI_CODEC_TRANSFORM_AFFINE) again = _mm512_add_pd(again, o);
    if (size == 8) {
        if (transform->single) again = _mm512_cvtps_pd(_mm512_cvtpd_ps(again));
        raw = _mm512_castpd_si512(again);
    } else if (size == 4) {
        const __m256 x = _mm512_cvtpd_ps(again);
        raw = _mm512_cvtepi32_epi64(_mm256_castps_si256(x));
        again = _mm512_cvtps_pd(x);
    } else {
        const __m128i x = _mm512_castsi512_si128(padici_codec_to_f16(again));
        raw = _mm512_cvtepi16_epi64(x);
        again = _mm512_cvtps_pd(_mm256_cvtph_ps(x));
    }
    equal = _mm512_mask_cmpeq_epi64_mask(holds, raw, bits);
    if (PADICI_LIKELY(padici_mask8(equal) == 0xff)) return equal;
    again = _mm512_abs_pd(_mm512_sub_pd(value, again));
    *close = _mm512_mask_cmple_epu64_mask(
        holds,
        _mm512_add_epi64(_mm512_sub_epi64(padici_codec_ordered(raw, size),
                                          padici_codec_ordered(bits, size)),
                         _mm512_set1_epi64(64)),
        _mm512_set1_epi64(128));
    return equal | _mm512_mask_cmp_pd_mask(holds, again, _mm512_set1_pd(within), _CMP_LT_OQ);
}

PADICI_AVX512 PADICI_INLINE size_t padici_codec_words_loop(
    const padici_codec_transform *given, uint32_t kind, const padici_codec_tolerance *tolerance,
    padic_dtype dtype, int is_float, uint32_t size, const uint8_t *raw, size_t n, uint64_t *words,
    uint32_t *off, size_t most)
{
    const padici_codec_transform transform = *given;
    const double inverse = 1.0 / padici_codec_double_of(transform.g),
                 within = padici_codec_within(tolerance);
    size_t count = 0, i = 0, run = 8; // as of loop4
    while (i + 8 <= n) {
        __m512i word;
        __mmask8 close = 0;
        const __mmask8 holds = padici_codec_get8(&transform, kind, is_float, size, inverse, within,
                                                 raw + i * size, &word, &close);
        uint32_t bad = 0xff & ~(uint32_t)padici_mask8(holds), lost;
        if (PADICI_LIKELY(bad == 0)) {
            padici_avx512_store(words + i, word);
            i += 8, run = 8;
            continue;
        }
        if (tolerance->mode == PADIC_CODEC_TOLERANCE_NONE && count + 8 <= most) {
            padici_avx512_store(words + i, word);
            for (lost = bad & ~(uint32_t)padici_mask8(close); lost; lost &= lost - 1) {
                const size_t at = i + padici_ctz64(lost);
                words[at] = at ? words[at - 1] : 0;
            }
            for (; bad; bad &= bad - 1, count++)
                if (off) off[count] = (uint32_t)(i + padici_ctz64(bad));
            i += 8, run = 8;
            continue;
        }
        run = padici_codec_least(run, n - i);
        count = padici_codec_convert_from(given, tolerance, dtype, size, raw, i, i + run, words,
                                          off, count, most);
        if (count > most) return count;
        i += run, run = run < 256 ? 2 * run : run;
    }
    return padici_codec_convert_from(given, tolerance, dtype, size, raw, i, n, words, off, count,
                                     most);
}

PADICI_FN PADICI_AVX512 size_t padici_codec_words_avx512(const padici_codec_transform *transform,
                                                         const padici_codec_tolerance *tolerance,
                                                         padic_dtype dtype, uint32_t size,
                                                         const uint8_t *raw, size_t n,
                                                         uint64_t *words, uint32_t *off,
                                                         size_t most)
{
    const int is_float = padici_codec_is_float(dtype);
#define PADICI_CODEC_RUN_TRANSFORM(KIND, FLOAT, SIZE) \
    if (transform->kind == (KIND) && is_float && (FLOAT) && size == (SIZE)) \
        return padici_codec_words_loop(transform, KIND, tolerance, dtype, 1, SIZE, raw, n, words, \
                                       off, most);
    if (!padici_codec_plain_transform(transform, dtype)) {
        PADICI_CODEC_TRANSFORM_LOOPS(PADICI_CODEC_RUN_TRANSFORM)
    }
#undef PADICI_CODEC_RUN_TRANSFORM
    return padici_codec_elements_to_words(transform, tolerance, dtype, size, raw, n, words, off,
                                          most);
}

#endif
