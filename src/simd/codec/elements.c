// @per-level
#if !defined(PADIC_NO_CODEC) && (PADICI_ISA_LEVEL == 2 || PADICI_ISA_LEVEL == 3)

// Words to elements and back, by a transform; `kind`, `is_float` and `size` are constants at each
// call.

// The double nearest to a signed word.
PADICI_TARGET PADICI_INLINE PADICI_D PADICI_CK(to_double)(PADICI_V n)
{
#if PADICI_ISA_LEVEL == 3
    return _mm512_cvtepi64_pd(n);
#else // both halves are parts of doubles; one addition joins them
    const __m256i tail = _mm256_set1_epi64x(0x4330000000000000);
    const __m256i head = _mm256_set1_epi64x(0x4530000080000000);
    const __m256d both = _mm256_castsi256_pd(_mm256_set1_epi64x(0x4530000080100000));
    const __m256i low = _mm256_blend_epi32(tail, n, 0x55);
    const __m256i high = _mm256_xor_si256(_mm256_srli_epi64(n, 32), head);
    return _mm256_add_pd(_mm256_sub_pd(_mm256_castsi256_pd(high), both), _mm256_castsi256_pd(low));
#endif
}

// First rounded to odd, which a second rounding cannot distinguish from the exact value: 29 bits
// fewer are the 24 of a float. A value out of a float's range is also out of f16's.
PADICI_TARGET PADICI_INLINE __m128i PADICI_CK(to_f16)(PADICI_D x)
{
    const PADICI_V bits = PADICI_BITS(x), low = PADICI_L(all)((1 << 29) - 1);
#if PADICI_ISA_LEVEL == 3
    const __m512i cut = _mm512_andnot_si512(low, bits), odd = _mm512_set1_epi64(1 << 29);
    const __m512i y = _mm512_mask_or_epi64(cut, _mm512_test_epi64_mask(bits, low), cut, odd);
    return _mm256_cvtps_ph(_mm512_cvtpd_ps(PADICI_DOUBLE(y)), _MM_FROUND_TO_NEAREST_INT);
#else
    const __m256i whole = _mm256_cmpeq_epi64(_mm256_and_si256(bits, low), _mm256_setzero_si256());
    const __m256i odd = _mm256_andnot_si256(whole, _mm256_set1_epi64x(1 << 29));
    const __m256i y = _mm256_or_si256(_mm256_andnot_si256(low, bits), odd);
    return _mm_cvtps_ph(_mm256_cvtpd_ps(PADICI_DOUBLE(y)), _MM_FROUND_TO_NEAREST_INT);
#endif
}

// Float bits as signed words in the order of their values; its own inverse.
PADICI_TARGET PADICI_INLINE PADICI_V PADICI_CK(ordered)(PADICI_V bits, uint32_t size)
{
    return PADICI_L(bit_xor)(bits, PADICI_SHR(PADICI_L(sign)(bits), 65 - 8 * size));
}

// A vector of elements.
PADICI_TARGET PADICI_INLINE void PADICI_CK(put)(const padici_codec_transform *transform,
                                                uint32_t kind, int is_float, uint32_t size,
                                                PADICI_V n, uint8_t *to)
{
    if (kind == PADICI_CODEC_TRANSFORM_BITS && is_float) {
        const PADICI_V sign = PADICI_L(sign)(PADICI_SHL(n, 64 - 8 * size));
        n = PADICI_L(bit_xor)(n, PADICI_SHR(sign, 65 - 8 * size));
    } else if (kind == PADICI_CODEC_TRANSFORM_FIELDS) {
        const PADICI_V ones = PADICI_L(all)(~UINT64_C(0) >> (64 - 8 * size));
        const PADICI_V top = PADICI_SHL(n, 8 * size - 1);
        n = PADICI_L(bit_or)(PADICI_X(srli_epi64)(PADICI_L(bit_and)(n, ones), 1), top);
    } else if (kind >= PADICI_CODEC_TRANSFORM_SCALE && is_float) {
        const PADICI_D g = PADICI_DOUBLE(PADICI_L(all)(transform->g));
        PADICI_D x = PADICI_CK(to_double)(n);
        x = kind == PADICI_CODEC_TRANSFORM_DECIMAL ? PADICI_X(div_pd)(x, g)
                                                   : PADICI_X(mul_pd)(x, g);
        if (kind == PADICI_CODEC_TRANSFORM_AFFINE)
            x = PADICI_X(add_pd)(x, PADICI_DOUBLE(PADICI_L(all)(transform->o)));
        if (size == 2) {
            PADICI_STOREQ(to, PADICI_CK(to_f16)(x));
            return;
        }
        if (size == 4) {
            PADICI_STOREH(to, PADICI_TO_FLOATS(x));
            return;
        }
        if (transform->single) x = PADICI_FROM_FLOATS(PADICI_TO_FLOATS(x));
        n = PADICI_BITS(x);
    }
    if (size == 8) PADICI_L(store)(to, n);
    if (size == 4) PADICI_STOREH(to, PADICI_CUT32(n));
    if (size == 2) PADICI_STOREQ(to, PADICI_CUT16(n));
    if (size == 1) PADICI_STORE_BYTES(to, n);
}

PADICI_TARGET PADICI_INLINE void PADICI_CK(elements_loop)(const padici_codec_transform *given,
                                                          uint32_t kind, int is_float,
                                                          uint32_t size, const uint64_t *words,
                                                          uint8_t *raw, size_t n)
{
    const padici_codec_transform transform = *given;
    const PADICI_V first = PADICI_L(all)(transform.first), step = PADICI_L(all)(transform.step);
    size_t i;
    for (i = 0; transform.step == 1 && i < n; i += PADICI_LANES)
        PADICI_CK(put)(&transform, kind, is_float, size,
                       PADICI_L(add)(first, PADICI_L(load)(words + i)), raw + i * size);
    for (; i < n; i += PADICI_LANES) {
        const PADICI_V w = PADICI_L(mul64)(step, PADICI_L(load)(words + i));
        PADICI_CK(put)(&transform, kind, is_float, size, PADICI_L(add)(first, w), raw + i * size);
    }
}

PADICI_FN PADICI_TARGET void PADICI_CK(elements)(const padici_codec_transform *transform,
                                                 padic_dtype dtype, const uint64_t *words,
                                                 uint8_t *raw, size_t n)
{
    const uint32_t size = padic_dtype_size(dtype);
    const int is_float = padici_codec_is_float(dtype);
    const size_t whole = n - n % PADICI_LANES;
#define PADICI_CODEC_RUN_TRANSFORM(KIND, FLOAT, SIZE) \
    if (transform->kind == (KIND) && is_float == (FLOAT) && size == (SIZE)) { \
        PADICI_CK(elements_loop)(transform, KIND, FLOAT, SIZE, words, raw, whole); \
        if (whole < n) \
            padici_codec_words_to_elements(transform, dtype, words + whole, raw + whole * size, \
                                           n - whole); \
        return; \
    }
    if (!padici_simd_codec_plain_transform(transform, dtype)) {
        PADICI_CODEC_TRANSFORM_LOOPS(PADICI_CODEC_RUN_TRANSFORM)
    }
#undef PADICI_CODEC_RUN_TRANSFORM
    padici_codec_words_to_elements(transform, dtype, words, raw, n);
}

#if PADICI_ISA_LEVEL == 3
// Words of 32 bits, x[i] to x[to - 1], to floats by the transforms that scale; returns where it
// stopped.
PADICI_TARGET PADICI_INLINE size_t PADICI_CK(scaled_loop)(const uint8_t *x, size_t i, size_t to,
                                                          const padici_codec_transform *given,
                                                          uint32_t kind, uint32_t size,
                                                          uint8_t *raw)
{
    const padici_codec_transform transform = *given;
    const PADICI_V first = PADICI_L(all)(transform.first);
    for (; i + PADICI_LANES <= to; i += PADICI_LANES) {
        const PADICI_V w = _mm512_cvtepi32_epi64(PADICI_LOADH(x + 4 * i));
        PADICI_CK(put)(&transform, kind, 1, size, PADICI_L(add)(first, w), raw + i * size);
    }
    return i;
}

PADICI_FN PADICI_TARGET size_t PADICI_CK(scaled)(const uint8_t *x, size_t i, size_t to,
                                                 const padici_codec_transform *transform,
                                                 padic_dtype dtype, uint8_t *raw)
{
    const uint32_t size = padic_dtype_size(dtype);
    if (!padici_codec_is_float(dtype) || transform->step != 1 ||
        padici_simd_codec_plain_transform(transform, dtype))
        return i;
    if (transform->kind == PADICI_CODEC_TRANSFORM_SCALE && size == 4)
        return PADICI_CK(scaled_loop)(x, i, to, transform, PADICI_CODEC_TRANSFORM_SCALE, 4, raw);
    if (transform->kind == PADICI_CODEC_TRANSFORM_SCALE && size == 8)
        return PADICI_CK(scaled_loop)(x, i, to, transform, PADICI_CODEC_TRANSFORM_SCALE, 8, raw);
    if (transform->kind == PADICI_CODEC_TRANSFORM_DECIMAL && size == 4)
        return PADICI_CK(scaled_loop)(x, i, to, transform, PADICI_CODEC_TRANSFORM_DECIMAL, 4, raw);
    if (transform->kind == PADICI_CODEC_TRANSFORM_DECIMAL && size == 8)
        return PADICI_CK(scaled_loop)(x, i, to, transform, PADICI_CODEC_TRANSFORM_DECIMAL, 8, raw);
    return i;
}
#endif

#if PADICI_ISA_LEVEL == 3
#define PADICI_ROUND_LIMIT 4611686018427387904.0 // 2^62
#else
#define PADICI_ROUND_LIMIT 2251799813685247.0 // 2^51 - 1
#endif

// The integers nearest to v below the limit, halves away from 0, as words and doubles.
PADICI_TARGET PADICI_INLINE PADICI_D PADICI_CK(round)(PADICI_D v, PADICI_V *word)
{
#if PADICI_ISA_LEVEL == 3
    const __m512d half = _mm512_set1_pd(0.5), whole = _mm512_set1_pd(4503599627370496.0);
    const __m512d nearest = _mm512_mask_sub_pd(
        _mm512_add_pd(v, half), _mm512_cmp_pd_mask(v, _mm512_setzero_pd(), _CMP_LT_OQ), v, half);
    v = _mm512_mask_mov_pd(v, PADICI_LESS(_mm512_abs_pd(v), whole), nearest);
    *word = _mm512_cvttpd_epi64(v);
    return _mm512_cvtepi64_pd(*word);
#else
    const __m256d half = _mm256_set1_pd(0.5), sign = _mm256_set1_pd(-0.0);
    const __m256d magic = _mm256_set1_pd(6755399441055744.0); // 2^52 + 2^51: its low bits are n
    v = _mm256_add_pd(v, _mm256_or_pd(half, _mm256_and_pd(v, sign)));
    v = _mm256_add_pd(_mm256_round_pd(v, _MM_FROUND_TO_ZERO | _MM_FROUND_NO_EXC), magic);
    *word = _mm256_sub_epi64(_mm256_castpd_si256(v), _mm256_castpd_si256(magic));
    return _mm256_sub_pd(v, magic);
#endif
}

// A mask of the lanes that reproduce their bits, or are within the tolerance; *close, at level 3
// only: those so close that their words are coded relative to each other. `holds`: the candidates.
PADICI_TARGET PADICI_INLINE uint32_t PADICI_CK(held)(uint32_t size, PADICI_D value, PADICI_D again,
                                                     PADICI_V bits, PADICI_V raw, PADICI_M holds,
                                                     double within, PADICI_M *close)
{
    PADICI_M equal;
#if PADICI_ISA_LEVEL == 3
    equal = _mm512_mask_cmpeq_epi64_mask(holds, raw, bits);
    if (PADICI_LIKELY(PADICI_WHICH(equal) == 0xff)) return 0xff;
    bits = _mm512_sub_epi64(PADICI_CK(ordered)(raw, size), PADICI_CK(ordered)(bits, size));
    bits = _mm512_add_epi64(bits, _mm512_set1_epi64(64));
    *close = _mm512_mask_cmple_epu64_mask(holds, bits, _mm512_set1_epi64(128));
    again = PADICI_ABS(_mm512_sub_pd(value, again));
    equal |= _mm512_mask_cmp_pd_mask(holds, again, _mm512_set1_pd(within), _CMP_LT_OQ);
#else
    (void)size;
    (void)close;
    again = PADICI_ABS(_mm256_sub_pd(value, again));
    equal = _mm256_castsi256_pd(_mm256_cmpeq_epi64(raw, bits));
    equal = _mm256_or_pd(equal, PADICI_LESS(again, _mm256_set1_pd(within)));
    equal = _mm256_and_pd(equal, holds);
#endif
    return PADICI_WHICH(equal);
}

// A mask of the elements of a vector that hold, and their words. Those within a tolerance that it
// leaves out are decided one by one.
PADICI_TARGET PADICI_INLINE uint32_t PADICI_CK(get)(const padici_codec_transform *transform,
                                                    uint32_t kind, int is_float, uint32_t size,
                                                    double inverse, double within,
                                                    const uint8_t *from, PADICI_V *word,
                                                    PADICI_M *close)
{
    const PADICI_D g = PADICI_DOUBLE(PADICI_L(all)(transform->g));
    const PADICI_D o = PADICI_DOUBLE(PADICI_L(all)(transform->o));
    const int decimal = kind == PADICI_CODEC_TRANSFORM_DECIMAL;
    PADICI_D value, v, again;
    PADICI_V bits, raw;
    PADICI_M holds;
    if (size == 8) {
        bits = PADICI_L(load)(from);
        value = PADICI_DOUBLE(bits);
    } else if (size == 4) {
        const PADICI_H x = PADICI_LOADH(from);
        bits = PADICI_X(cvtepi32_epi64)(x);
        value = PADICI_FROM_FLOATS(x);
    } else {
        const __m128i x = PADICI_LOADQ(from);
        bits = PADICI_X(cvtepi16_epi64)(x);
        value = PADICI_FROM_HALVES(x);
    }
    if (kind == PADICI_CODEC_TRANSFORM_BITS) { // its shift is 0
        *word = is_float ? PADICI_CK(ordered)(bits, size) : bits;
        return (1u << PADICI_LANES) - 1;
    }
    if (kind == PADICI_CODEC_TRANSFORM_FIELDS) {
        const PADICI_V ones = PADICI_L(all)(~UINT64_C(0) >> (64 - 8 * size));
        const PADICI_V top = PADICI_X(srli_epi64)(bits, 63); // they are signed
        *word = PADICI_L(bit_or)(PADICI_L(bit_and)(PADICI_X(slli_epi64)(bits, 1), ones), top);
        return (1u << PADICI_LANES) - 1;
    }
    v = kind == PADICI_CODEC_TRANSFORM_AFFINE ? PADICI_X(sub_pd)(value, o) : value;
    v = PADICI_X(mul_pd)(v, decimal ? g : PADICI_X(set1_pd)(inverse));
    holds = PADICI_LESS(PADICI_ABS(v), PADICI_X(set1_pd)(PADICI_ROUND_LIMIT));
    again = PADICI_CK(round)(v, word);
    again = decimal ? PADICI_X(div_pd)(again, g) : PADICI_X(mul_pd)(again, g);
    if (kind == PADICI_CODEC_TRANSFORM_AFFINE) again = PADICI_X(add_pd)(again, o);
    if (size == 8) {
        if (transform->single) again = PADICI_FROM_FLOATS(PADICI_TO_FLOATS(again));
        raw = PADICI_BITS(again);
    } else if (size == 4) {
        const PADICI_H x = PADICI_TO_FLOATS(again);
        raw = PADICI_X(cvtepi32_epi64)(x);
        again = PADICI_FROM_FLOATS(x);
    } else {
        const __m128i x = PADICI_CK(to_f16)(again);
        raw = PADICI_X(cvtepi16_epi64)(x);
        again = PADICI_FROM_HALVES(x);
    }
    return PADICI_CK(held)(size, value, again, bits, raw, holds, within, close);
}

PADICI_TARGET PADICI_INLINE size_t PADICI_CK(words_loop)(const padici_codec_transform *given,
                                                         uint32_t kind,
                                                         const padici_codec_tolerance *tolerance,
                                                         padic_dtype dtype, uint32_t size,
                                                         const uint8_t *raw, size_t n,
                                                         uint64_t *words, uint32_t *off,
                                                         size_t most)
{
    const padici_codec_transform transform = *given;
    const double inverse = 1.0 / padici_codec_double_of(transform.g);
    const double within = padici_simd_codec_within(tolerance);
    size_t count = 0, i = 0, run = PADICI_LANES; // run: elements decided one by one
    while (i + PADICI_LANES <= n) {
        PADICI_V word;
        PADICI_M close = PADICI_MNONE;
        const uint32_t all = (1u << PADICI_LANES) - 1;
        const uint32_t held = PADICI_CK(get)(&transform, kind, 1, size, inverse, within,
                                             raw + i * size, &word, &close);
        if (PADICI_LIKELY(held == all)) {
            PADICI_L(store)(words + i, word);
            i += PADICI_LANES, run = PADICI_LANES;
            continue;
        }
#if PADICI_ISA_LEVEL == 3
        if (tolerance->mode == PADIC_CODEC_TOLERANCE_NONE && count + PADICI_LANES <= most) {
            uint32_t lost, bad = all & ~held;
            PADICI_L(store)(words + i, word);
            for (lost = bad & ~PADICI_WHICH(close); lost; lost &= lost - 1) {
                const size_t at = i + padici_ctz64(lost);
                words[at] = at ? words[at - 1] : 0;
            }
            for (; bad; bad &= bad - 1, count++)
                if (off) off[count] = (uint32_t)(i + padici_ctz64(bad));
            i += PADICI_LANES, run = PADICI_LANES;
            continue;
        }
#endif
        run = padici_codec_least(run, n - i);
        count = padici_codec_convert_from(given, tolerance, dtype, size, raw, i, i + run, words,
                                          off, count, most);
        if (count > most) return count;
        i += run, run = run < 256 ? 2 * run : run;
    }
    return padici_codec_convert_from(given, tolerance, dtype, size, raw, i, n, words, off, count,
                                     most);
}

PADICI_TARGET static size_t PADICI_CK(words)(const padici_codec_transform *transform,
                                             const padici_codec_tolerance *tolerance,
                                             padic_dtype dtype, uint32_t size, const uint8_t *raw,
                                             size_t n, uint64_t *words, uint32_t *off, size_t most)
{
    const int is_float = padici_codec_is_float(dtype);
#define PADICI_CODEC_RUN_TRANSFORM(KIND, FLOAT, SIZE) \
    if (transform->kind == (KIND) && is_float && (FLOAT) && size == (SIZE)) \
        return PADICI_CK(words_loop)(transform, KIND, tolerance, dtype, SIZE, raw, n, words, off, \
                                     most);
    if (!padici_simd_codec_plain_transform(transform, dtype)) {
        PADICI_CODEC_TRANSFORM_LOOPS(PADICI_CODEC_RUN_TRANSFORM)
    }
#undef PADICI_CODEC_RUN_TRANSFORM
    return padici_codec_elements_to_words(transform, tolerance, dtype, size, raw, n, words, off,
                                          most);
}

// Least and greatest: where one of two is NaN, min and max are the second.
PADICI_TARGET static void PADICI_CK(range)(padic_dtype dtype, const uint8_t *raw, size_t n,
                                           double *low, double *high)
{
    const size_t size = padic_dtype_size(dtype), step = sizeof(PADICI_V) / size;
    const size_t whole = n / (2 * step) * (2 * step);
    const uint8_t *p, *end = raw + whole * size;
    const double infinite = padici_codec_double_of(UINT64_C(0x7ff) << 52);
    double a[8], b[8];
    uint32_t k;
    padici_codec_range_loop(dtype, raw + whole * size, n - whole, low, high);
    if (dtype == PADIC_F32) {
        PADICI_F least = PADICI_X(set1_ps)((float)infinite);
        PADICI_F most = PADICI_X(set1_ps)((float)-infinite);
        PADICI_F other = least, more = most;
        float x[16], y[16];
        for (p = raw; p < end; p += 2 * sizeof(PADICI_V)) {
            const PADICI_F u = PADICI_X(loadu_ps)((const float *)(const void *)p);
            const PADICI_F v = PADICI_X(loadu_ps)((const float *)(const void *)(p + sizeof u));
            least = PADICI_X(min_ps)(u, least);
            most = PADICI_X(max_ps)(u, most);
            other = PADICI_X(min_ps)(v, other);
            more = PADICI_X(max_ps)(v, more);
        }
        PADICI_X(storeu_ps)(x, PADICI_X(min_ps)(least, other));
        PADICI_X(storeu_ps)(y, PADICI_X(max_ps)(most, more));
        for (k = 0; k < PADICI_LANES; k++) {
            a[k] = (double)(x[k] < x[k + PADICI_LANES] ? x[k] : x[k + PADICI_LANES]);
            b[k] = (double)(y[k] > y[k + PADICI_LANES] ? y[k] : y[k + PADICI_LANES]);
        }
    } else {
        PADICI_D least = PADICI_X(set1_pd)(infinite), most = PADICI_X(set1_pd)(-infinite);
        PADICI_D other = least, more = most;
        for (p = raw; p < end; p += 2 * sizeof(PADICI_V)) {
            const PADICI_D u = PADICI_X(loadu_pd)((const double *)(const void *)p);
            const PADICI_D v = PADICI_X(loadu_pd)((const double *)(const void *)(p + sizeof u));
            least = PADICI_X(min_pd)(u, least);
            most = PADICI_X(max_pd)(u, most);
            other = PADICI_X(min_pd)(v, other);
            more = PADICI_X(max_pd)(v, more);
        }
        PADICI_X(storeu_pd)(a, PADICI_X(min_pd)(least, other));
        PADICI_X(storeu_pd)(b, PADICI_X(max_pd)(most, more));
    }
    for (k = 0; k < PADICI_LANES; k++) {
        if (a[k] < *low) *low = a[k];
        if (b[k] > *high) *high = b[k];
    }
}

// 1 if all differences are less than the tolerance.
PADICI_TARGET static int PADICI_CK(within)(padic_dtype dtype, const uint8_t *a, const uint8_t *b,
                                           size_t n, double tolerance)
{
    const PADICI_D most = PADICI_X(set1_pd)(tolerance);
    const size_t size = padic_dtype_size(dtype), whole = n / PADICI_LANES * PADICI_LANES;
    uint32_t inside = (1u << PADICI_LANES) - 1;
    size_t i;
    for (i = 0; i < whole; i += PADICI_LANES) {
        PADICI_D d;
        if (dtype == PADIC_F32)
            d = PADICI_X(sub_pd)(PADICI_FROM_FLOATS(PADICI_LOADH(a + 4 * i)),
                                 PADICI_FROM_FLOATS(PADICI_LOADH(b + 4 * i)));
        else
            d = PADICI_X(sub_pd)(PADICI_DOUBLE(PADICI_L(load)(a + 8 * i)),
                                 PADICI_DOUBLE(PADICI_L(load)(b + 8 * i)));
        inside &= PADICI_WHICH(PADICI_LESS(PADICI_ABS(d), most));
    }
    if (inside != (1u << PADICI_LANES) - 1) return 0;
    return padici_codec_within_loop(dtype, a + i * size, b + i * size, n - i, tolerance);
}

#endif
