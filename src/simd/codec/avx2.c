#include "avx2.h"
#include "../../codec/bytes.h"
#include "../../codec/constants.h"
#include "../../codec/representation.h"
#include "../../codec/rans.h"
#include "../../core/words.h"
#include "../words.h"
#include "all.h"
#include "transforms.h"

#if PADICI_IMPLEMENT_SIMD && !defined(PADIC_NO_CODEC) && PADICI_SIMD_X86

// ---- AVX2

// Running sums at distances 1 to 4 of whole vectors; `carry` is indexed by place mod stride.
PADICI_AVX2 PADICI_INLINE size_t padici_codec_near_avx2(uint64_t *x, size_t i, size_t end,
                                                        size_t place, uint32_t stride,
                                                        uint64_t carry[8], int zigzag,
                                                        int exclusive)
{
    const __m256i none = _mm256_setzero_si256();
    uint64_t lanes[4];
    size_t k;
    __m256i c;
    if (stride > 4) return i;
    for (k = 0; k < 4; k++) lanes[k] = carry[(place + k) % stride];
    c = padici_avx2_load(lanes);
    place -= i;
#define PADICI_JOIN(a, b) (exclusive ? _mm256_xor_si256(a, b) : _mm256_add_epi64(a, b))
#define PADICI_CODEC_ROWS(SCAN, NEXT) \
    for (; i + 4 <= end; i += 4) { \
        __m256i v = padici_avx2_load(x + i); \
        if (zigzag) v = padici_avx2_unfold(v); \
        SCAN; \
        v = PADICI_JOIN(v, c); \
        padici_avx2_store(x + i, v); \
        c = NEXT; \
    }
#define PADICI_CODEC_UP1 _mm256_blend_epi32(_mm256_permute4x64_epi64(v, 0x90), none, 0x03)
#define PADICI_CODEC_UP2 _mm256_permute2x128_si256(v, v, 0x08)
#define PADICI_CODEC_UP3 _mm256_blend_epi32(_mm256_permute4x64_epi64(v, 0x00), none, 0x3f)
    if (stride == 1) {
        PADICI_CODEC_ROWS(
            (v = PADICI_JOIN(v, PADICI_CODEC_UP1), v = PADICI_JOIN(v, PADICI_CODEC_UP2)),
            _mm256_permute4x64_epi64(v, 0xff))
    } else if (stride == 2) {
        PADICI_CODEC_ROWS(v = PADICI_JOIN(v, PADICI_CODEC_UP2), _mm256_permute4x64_epi64(v, 0xee))
    } else if (stride == 3) {
        PADICI_CODEC_ROWS(v = PADICI_JOIN(v, PADICI_CODEC_UP3), _mm256_permute4x64_epi64(v, 0x79))
    } else {
        PADICI_CODEC_ROWS((void)0, v)
    }
#undef PADICI_CODEC_ROWS
#undef PADICI_CODEC_UP1
#undef PADICI_CODEC_UP2
#undef PADICI_CODEC_UP3
#undef PADICI_JOIN
    padici_avx2_store(lanes, c);
    for (k = 0; k < stride; k++) carry[(place + i + k) % stride] = lanes[k];
    return i;
}

PADICI_INLINE int padici_codec_rows_avx2(uint64_t *x, size_t i, size_t to,
                                         const padici_codec_op *op, uint64_t carry[8], int zigzag,
                                         int exclusive)
{
    (void)x;
    (void)i;
    (void)to;
    (void)op;
    (void)carry;
    (void)zigzag;
    (void)exclusive;
    return 0;
}

PADICI_CODEC_SUMS(avx2, PADICI_AVX2)

PADICI_FN PADICI_AVX2 void padici_codec_fixed_avx2(const uint8_t *p, const uint8_t *end,
                                                   uint32_t width, uint64_t *z, size_t n)
{
    padici_codec_pairs pairs;
    size_t i = 0;
    if (width - 1 < 57 && n >= 16) {
        const __m256i mask = padici_avx2_all(~UINT64_C(0) >> (64 - width));
        __m256i low, high, down[2];
        padici_codec_pairs_make(&pairs, width);
        low = padici_avx2_load(pairs.take[0]);
        high = padici_avx2_load(pairs.take[2]);
        down[0] = padici_avx2_load(pairs.shift);
        down[1] = padici_avx2_load(pairs.shift + 4);
        for (; i + 8 <= n && (size_t)(end - p) >= width + 16; i += 8, p += width) {
            const __m128i *const a = (const __m128i *)(const void *)p;
            const __m128i *const b = (const __m128i *)(const void *)(p + pairs.at[1]);
            const __m128i *const c = (const __m128i *)(const void *)(p + pairs.at[2]);
            const __m128i *const d = (const __m128i *)(const void *)(p + pairs.at[3]);
            __m256i v = _mm256_set_m128i(_mm_loadu_si128(b), _mm_loadu_si128(a));
            __m256i w = _mm256_set_m128i(_mm_loadu_si128(d), _mm_loadu_si128(c));
            v = _mm256_srlv_epi64(_mm256_shuffle_epi8(v, low), down[0]);
            w = _mm256_srlv_epi64(_mm256_shuffle_epi8(w, high), down[1]);
            padici_avx2_store(z + i, _mm256_and_si256(v, mask));
            padici_avx2_store(z + i + 4, _mm256_and_si256(w, mask));
        }
    }
    padici_codec_fixed_loop(p, end, width, z + i, n - i);
}

PADICI_FN PADICI_AVX2 void padici_codec_planes_avx2(const padici_codec_decoder *decoder,
                                                    uint64_t *z, size_t from, size_t to)
{
    const uint8_t *const *p = decoder->plane;
    const uint32_t planes = decoder->planes;
    size_t i = from;
    for (; planes && i + 8 <= to; i += 8) {
        __m256i low = _mm256_setzero_si256(), high = low;
        uint32_t k;
        for (k = 0; k < planes; k++) {
            const __m128i bytes = _mm_loadl_epi64((const __m128i *)(const void *)(p[k] + i));
            const __m256i wide = _mm256_cvtepu8_epi32(bytes);
            const __m128i up = _mm_cvtsi32_si128((int)(8 * (k & 3)));
            if (k < 4)
                low = _mm256_or_si256(low, _mm256_sll_epi32(wide, up));
            else
                high = _mm256_or_si256(high, _mm256_sll_epi32(wide, up));
        }
        low = _mm256_permute4x64_epi64(low, 0xd8); // so that the halves that meet are in order
        high = _mm256_permute4x64_epi64(high, 0xd8);
        padici_avx2_store(z + i, _mm256_unpacklo_epi32(low, high));
        padici_avx2_store(z + i + 4, _mm256_unpackhi_epi32(low, high));
    }
    padici_codec_next_planes(decoder, z, i, to);
}

// 8 states.
PADICI_AVX2 PADICI_INLINE __m256i padici_codec_rans8(__m256i x, const uint32_t *table,
                                                     const uint8_t **p, uint8_t *data)
{
    const __m256i slot = _mm256_and_si256(x, _mm256_set1_epi32(PADICI_CODEC_RANS_TOTAL - 1));
    const __m256i e = _mm256_i32gather_epi32((const int *)(const void *)table, slot, 4);
    const __m256i f = _mm256_and_si256(_mm256_srli_epi32(e, 8), _mm256_set1_epi32(4095));
    const __m256i q = _mm256_srli_epi32(x, PADICI_CODEC_RANS_SCALE_BITS);
    const __m256i y = _mm256_add_epi32(
        _mm256_mullo_epi32(_mm256_add_epi32(f, _mm256_set1_epi32(1)), q), _mm256_srli_epi32(e, 20));
    const __m256i low = _mm256_cmpeq_epi32(_mm256_srli_epi32(y, 16), _mm256_setzero_si256());
    const __m256i first = _mm256_setr_epi8(0, 4, 8, 12, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1,
                                           -1, 0, 4, 8, 12, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1,
                                           -1, -1);
    const __m256i bytes = _mm256_shuffle_epi8(e, first);
    padici_store32(data, (uint32_t)_mm256_extract_epi32(bytes, 0));
    padici_store32(data + 4, (uint32_t)_mm256_extract_epi32(bytes, 4));
    return padici_avx2_refill(y, low, p);
}

PADICI_FN PADICI_AVX2 const uint8_t *padici_codec_rans_avx2(uint32_t state[32],
                                                            const uint32_t *table, const uint8_t *p,
                                                            const uint8_t *end, uint8_t *data,
                                                            size_t n, size_t *done)
{
    __m256i a = padici_avx2_load(state), b = padici_avx2_load(state + 8);
    __m256i c = padici_avx2_load(state + 16), d = padici_avx2_load(state + 24);
    size_t at = 0;
    for (; at + 32 <= n && end - p >= 64; at += 32) {
        a = padici_codec_rans8(a, table, &p, data + at);
        b = padici_codec_rans8(b, table, &p, data + at + 8);
        c = padici_codec_rans8(c, table, &p, data + at + 16);
        d = padici_codec_rans8(d, table, &p, data + at + 24);
    }
    padici_avx2_store(state, a);
    padici_avx2_store(state + 8, b);
    padici_avx2_store(state + 16, c);
    padici_avx2_store(state + 24, d);
    *done = at;
    return p;
}

// The double nearest to a signed word: both halves are parts of doubles, and added once.
PADICI_AVX2 PADICI_INLINE __m256d padici_avx2_to_double(__m256i n)
{
    const __m256i tail = _mm256_set1_epi64x(0x4330000000000000);
    const __m256i head = _mm256_set1_epi64x(0x4530000080000000);
    const __m256d both = _mm256_castsi256_pd(_mm256_set1_epi64x(0x4530000080100000));
    const __m256i low = _mm256_blend_epi32(tail, n, 0x55);
    const __m256i high = _mm256_xor_si256(_mm256_srli_epi64(n, 32), head);
    return _mm256_add_pd(_mm256_sub_pd(_mm256_castsi256_pd(high), both), _mm256_castsi256_pd(low));
}

// Rounded to odd on the way, which the next rounding cannot tell from the whole: 29 bits fewer are
// the 24 of a float. What is too small or too large for a float is so for f16.
PADICI_AVX2 PADICI_INLINE __m128i padici_avx2_to_f16(__m256d x)
{
    const __m256i bits = _mm256_castpd_si256(x), low = _mm256_set1_epi64x((1 << 29) - 1);
    const __m256i whole = _mm256_cmpeq_epi64(_mm256_and_si256(bits, low), _mm256_setzero_si256());
    const __m256i odd = _mm256_andnot_si256(whole, _mm256_set1_epi64x(1 << 29));
    const __m256i y = _mm256_or_si256(_mm256_andnot_si256(low, bits), odd);
    return _mm_cvtps_ph(_mm256_cvtpd_ps(_mm256_castsi256_pd(y)), _MM_FROUND_TO_NEAREST_INT);
}

// The lowest `size` bytes of 4 words.
PADICI_AVX2 PADICI_INLINE void padici_avx2_put(uint8_t *to, __m256i n, uint32_t size)
{
    const __m256i halves = _mm256_setr_epi32(0, 2, 4, 6, 0, 2, 4, 6);
    const __m128i four = _mm256_castsi256_si128(_mm256_permutevar8x32_epi32(n, halves));
    const __m128i twos = _mm_setr_epi8(0, 1, 4, 5, 8, 9, 12, 13, -1, -1, -1, -1, -1, -1, -1, -1);
    const __m128i ones = _mm_setr_epi8(0, 4, 8, 12, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1);
    if (size == 8) padici_avx2_store(to, n);
    if (size == 4) _mm_storeu_si128((__m128i *)(void *)to, four);
    if (size == 2) _mm_storel_epi64((__m128i *)(void *)to, _mm_shuffle_epi8(four, twos));
    if (size == 1)
        padici_store32(to, (uint32_t)_mm_cvtsi128_si32(_mm_shuffle_epi8(four, ones)));
}

// 4 elements of a transform; `kind` and `size` are constants where it is called.
PADICI_AVX2 PADICI_INLINE void padici_codec_put4(const padici_codec_transform *transform,
                                                 uint32_t kind, int is_float, uint32_t size,
                                                 __m256i n, uint8_t *to)
{
    if (kind == PADICI_CODEC_TRANSFORM_BITS && is_float) {
        const __m256i top = _mm256_sll_epi64(n, _mm_cvtsi32_si128((int)(64 - 8 * size)));
        const __m256i sign = _mm256_cmpgt_epi64(_mm256_setzero_si256(), top);
        n = _mm256_xor_si256(n, _mm256_srl_epi64(sign, _mm_cvtsi32_si128((int)(65 - 8 * size))));
    } else if (kind == PADICI_CODEC_TRANSFORM_FIELDS) {
        const __m256i ones = padici_avx2_all(~UINT64_C(0) >> (64 - 8 * size));
        const __m256i top = _mm256_sll_epi64(n, _mm_cvtsi32_si128((int)(8 * size - 1)));
        n = _mm256_or_si256(_mm256_srli_epi64(_mm256_and_si256(n, ones), 1), top);
    } else if (kind >= PADICI_CODEC_TRANSFORM_SCALE && is_float) {
        const __m256d g = _mm256_castsi256_pd(padici_avx2_all(transform->g));
        __m256d x = padici_avx2_to_double(n);
        x = kind == PADICI_CODEC_TRANSFORM_DECIMAL ? _mm256_div_pd(x, g) : _mm256_mul_pd(x, g);
        if (kind == PADICI_CODEC_TRANSFORM_AFFINE)
            x = _mm256_add_pd(x, _mm256_castsi256_pd(padici_avx2_all(transform->o)));
        if (size == 2) {
            _mm_storel_epi64((__m128i *)(void *)to, padici_avx2_to_f16(x));
            return;
        }
        if (size == 4) {
            _mm_storeu_ps((float *)(void *)to, _mm256_cvtpd_ps(x));
            return;
        }
        if (transform->single) x = _mm256_cvtps_pd(_mm256_cvtpd_ps(x));
        n = _mm256_castpd_si256(x);
    }
    padici_avx2_put(to, n, size);
}

PADICI_AVX2 PADICI_INLINE void padici_codec_run_avx2(const padici_codec_transform *given,
                                                     uint32_t kind, int is_float, uint32_t size,
                                                     const uint64_t *words, uint8_t *raw, size_t n)
{
    const padici_codec_transform transform = *given;
    const __m256i first = padici_avx2_all(transform.first), step = padici_avx2_all(transform.step);
    size_t i;
    for (i = 0; i < n; i += 4) {
        __m256i w = padici_avx2_load(words + i);
        if (transform.step != 1) w = padici_avx2_mul64(step, w);
        padici_codec_put4(&transform, kind, is_float, size, _mm256_add_epi64(first, w),
                          raw + i * size);
    }
}

PADICI_FN PADICI_AVX2 void padici_codec_elements_avx2(const padici_codec_transform *transform,
                                                      padic_dtype dtype, const uint64_t *words,
                                                      uint8_t *raw, size_t n)
{
    const uint32_t size = padic_dtype_size(dtype);
    const int is_float = padici_codec_is_float(dtype);
    const size_t whole = n - n % 4;
#define PADICI_CODEC_RUN_TRANSFORM(KIND, FLOAT, SIZE) \
    if (transform->kind == (KIND) && is_float == (FLOAT) && size == (SIZE)) { \
        padici_codec_run_avx2(transform, KIND, FLOAT, SIZE, words, raw, whole); \
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

// Whether 4 elements hold, and their words. What this leaves out is decided one by one.
PADICI_AVX2 PADICI_INLINE int padici_codec_get4(const padici_codec_transform *transform,
                                                uint32_t kind, uint32_t size, double inverse,
                                                double within, const uint8_t *from, __m256i *word)
{
    const __m256d g = _mm256_castsi256_pd(padici_avx2_all(transform->g));
    const __m256d o = _mm256_castsi256_pd(padici_avx2_all(transform->o));
    const __m256d half = _mm256_set1_pd(0.5), sign = _mm256_set1_pd(-0.0);
    const __m256d limit = _mm256_set1_pd(2251799813685247.0); // 2^51 - 1
    const __m256d magic = _mm256_set1_pd(6755399441055744.0); // 2^52 + 2^51: its low bits are n
    __m256d value, v, again, holds, equal;
    __m256i bits, raw;
    if (size == 8) {
        bits = padici_avx2_load(from);
        value = _mm256_castsi256_pd(bits);
    } else if (size == 4) {
        const __m128i x = _mm_loadu_si128((const __m128i *)(const void *)from);
        bits = _mm256_cvtepi32_epi64(x);
        value = _mm256_cvtps_pd(_mm_castsi128_ps(x));
    } else {
        const __m128i x = _mm_loadl_epi64((const __m128i *)(const void *)from);
        bits = _mm256_cvtepi16_epi64(x);
        value = _mm256_cvtps_pd(_mm_cvtph_ps(x));
    }
    if (kind == PADICI_CODEC_TRANSFORM_BITS) { // shift 0
        const __m256i below = _mm256_cmpgt_epi64(_mm256_setzero_si256(), bits);
        *word = _mm256_xor_si256(
            bits, _mm256_srl_epi64(below, _mm_cvtsi32_si128((int)(65 - 8 * size))));
        return 1;
    }
    if (kind == PADICI_CODEC_TRANSFORM_FIELDS) {
        const __m256i ones = padici_avx2_all(~UINT64_C(0) >> (64 - 8 * size));
        const __m256i top = _mm256_srli_epi64(bits, 63); // they are signed
        *word = _mm256_or_si256(_mm256_and_si256(_mm256_slli_epi64(bits, 1), ones), top);
        return 1;
    }
    v = kind == PADICI_CODEC_TRANSFORM_AFFINE ? _mm256_sub_pd(value, o) : value;
    v = _mm256_mul_pd(v, kind == PADICI_CODEC_TRANSFORM_DECIMAL ? g : _mm256_set1_pd(inverse));
    holds = _mm256_cmp_pd(_mm256_andnot_pd(sign, v), limit, _CMP_LT_OQ);
    v = _mm256_add_pd(v, _mm256_or_pd(half, _mm256_and_pd(v, sign)));
    v = _mm256_add_pd(_mm256_round_pd(v, _MM_FROUND_TO_ZERO | _MM_FROUND_NO_EXC), magic);
    *word = _mm256_sub_epi64(_mm256_castpd_si256(v), _mm256_castpd_si256(magic));
    again = _mm256_sub_pd(v, magic);
    again =
        kind == PADICI_CODEC_TRANSFORM_DECIMAL ? _mm256_div_pd(again, g) : _mm256_mul_pd(again, g);
    if (kind == PADICI_CODEC_TRANSFORM_AFFINE) again = _mm256_add_pd(again, o);
    if (size == 8) {
        if (transform->single) again = _mm256_cvtps_pd(_mm256_cvtpd_ps(again));
        raw = _mm256_castpd_si256(again);
    } else if (size == 4) {
        const __m128 x = _mm256_cvtpd_ps(again);
        raw = _mm256_cvtepi32_epi64(_mm_castps_si128(x));
        again = _mm256_cvtps_pd(x);
    } else {
        const __m128i x = padici_avx2_to_f16(again);
        raw = _mm256_cvtepi16_epi64(x);
        again = _mm256_cvtps_pd(_mm_cvtph_ps(x));
    }
    equal = _mm256_castsi256_pd(_mm256_cmpeq_epi64(raw, bits));
    again = _mm256_andnot_pd(sign, _mm256_sub_pd(value, again));
    equal = _mm256_or_pd(equal, _mm256_cmp_pd(again, _mm256_set1_pd(within), _CMP_LT_OQ));
    return _mm256_movemask_pd(_mm256_and_pd(holds, equal)) == 15;
}

PADICI_AVX2 PADICI_INLINE size_t
padici_codec_words_loop4(const padici_codec_transform *given, uint32_t kind,
                         const padici_codec_tolerance *tolerance, padic_dtype dtype, uint32_t size,
                         const uint8_t *raw, size_t n, uint64_t *words, uint32_t *off, size_t most)
{
    const padici_codec_transform transform = *given;
    const double inverse = 1.0 / padici_codec_double_of(transform.g),
                 within = padici_codec_within(tolerance);
    size_t count = 0, i = 0, run = 4; // run: how many are decided one by one where these four are
    while (i + 4 <= n) {
        __m256i word;
        if (PADICI_LIKELY(padici_codec_get4(&transform, kind, size, inverse, within, raw + i * size,
                                            &word))) {
            padici_avx2_store(words + i, word);
            i += 4, run = 4;
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

PADICI_FN PADICI_AVX2 size_t padici_codec_words_avx2(const padici_codec_transform *transform,
                                                     const padici_codec_tolerance *tolerance,
                                                     padic_dtype dtype, uint32_t size,
                                                     const uint8_t *raw, size_t n, uint64_t *words,
                                                     uint32_t *off, size_t most)
{
    const int is_float = padici_codec_is_float(dtype);
#define PADICI_CODEC_RUN_TRANSFORM(KIND, FLOAT, SIZE) \
    if (transform->kind == (KIND) && is_float && (FLOAT) && size == (SIZE)) \
        return padici_codec_words_loop4(transform, KIND, tolerance, dtype, SIZE, raw, n, words, \
                                        off, most);
    if (!padici_codec_plain_transform(transform, dtype)) {
        PADICI_CODEC_TRANSFORM_LOOPS(PADICI_CODEC_RUN_TRANSFORM)
    }
#undef PADICI_CODEC_RUN_TRANSFORM
    return padici_codec_elements_to_words(transform, tolerance, dtype, size, raw, n, words, off,
                                          most);
}

// The plain loops, for the compiler to turn into vectors.
PADICI_FN PADICI_AVX2 void padici_codec_difference_avx2(const uint64_t *x, uint64_t *to, size_t n,
                                                        const padici_codec_op *op, int zigzag,
                                                        int exclusive)
{
    if (x == to || exclusive || op->stride < 4)
        padici_codec_difference(x, to, n, op, zigzag, exclusive);
    else if (zigzag)
        padici_codec_difference_plain(x, to, n, op, 1, 0);
    else
        padici_codec_difference_plain(x, to, n, op, 0, 0);
}

PADICI_FN PADICI_AVX2 void padici_codec_lower_avx2(uint64_t *x, size_t n, uint64_t first,
                                                   uint32_t shift)
{
    padici_codec_lower_loop(x, n, first, shift);
}

#endif
