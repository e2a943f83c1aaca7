#include "kernels.h"
#include "../../pq/number.h"
#include "../levels.h"

#if PADICI_IMPLEMENT_SIMD && !defined(PADIC_NO_PQ) && (PADICI_SIMD_X86 || PADICI_SIMD_ARM)

// Rows of keys and values in f64, four at a time: those of a list are far from each other, so that
// the next four are fetched meanwhile. Sums have the order of src/pq/plain.c.

// The last components of a row, and zeros.
static void padici_pq_rows_tail(const char *row, padic_dtype dtype, uint32_t n, float to[8])
{
    uint32_t i;
    for (i = 0; i < 8; i++)
        to[i] = i < n ? padici_pq_float(padici_pq_load(
                            row + i * (dtype == PADIC_F32 ? 4u : 2u), dtype))
                      : 0;
}

#if PADICI_SIMD_X86

static void padici_pq_rows_fetch(const char *const *row, uint64_t at, uint64_t n, uint64_t bytes)
{
    uint64_t j, i;
    for (j = at + 4; j < at + 8 && j < n; j++)
        for (i = 0; i < bytes; i += 64) _mm_prefetch(row[j] + i, _MM_HINT_T0);
}

// Eight components.
PADICI_AVX2 PADICI_INLINE __m256 padici_pq_eight_avx2(const char *at, padic_dtype dtype)
{
    __m128i v;
    if (dtype == PADIC_F32) return _mm256_loadu_ps((const float *)(const void *)at);
    v = _mm_loadu_si128((const __m128i *)(const void *)at);
    if (dtype == PADIC_F16) return _mm256_cvtph_ps(v);
    return _mm256_castsi256_ps(_mm256_slli_epi32(_mm256_cvtepu16_epi32(v), 16));
}

PADICI_AVX2 PADICI_INLINE void padici_pq_add_avx2(const double *q, __m256 x, __m256d sum[2])
{
    const __m256d low = _mm256_cvtps_pd(_mm256_castps256_ps128(x));
    const __m256d high = _mm256_cvtps_pd(_mm256_extractf128_ps(x, 1));
    sum[0] = _mm256_fmadd_pd(_mm256_loadu_pd(q), low, sum[0]); // the product is exact
    sum[1] = _mm256_fmadd_pd(_mm256_loadu_pd(q + 4), high, sum[1]);
}

PADICI_AVX2 PADICI_INLINE void padici_pq_dots_four_avx2(const double *q, const char *const *row,
                                                        uint64_t d, padic_dtype dtype,
                                                        double out[4])
{
    const uint64_t size = dtype == PADIC_F32 ? 4 : 2;
    const uint32_t rest = (uint32_t)(d & 7);
    __m256d sum[4][2];
    double eight[8];
    uint64_t i;
    uint32_t r;
    for (r = 0; r < 4; r++) sum[r][0] = sum[r][1] = _mm256_setzero_pd();
    for (i = 0; i + 8 <= d; i += 8)
        for (r = 0; r < 4; r++)
            padici_pq_add_avx2(q + i, padici_pq_eight_avx2(row[r] + i * size, dtype), sum[r]);
    for (r = 0; r < 4; r++) {
        if (rest) {
            float x[8];
            uint32_t k;
            for (k = 0; k < 8; k++) eight[k] = k < rest ? q[i + k] : 0;
            padici_pq_rows_tail(row[r] + i * size, dtype, rest, x);
            padici_pq_add_avx2(eight, _mm256_loadu_ps(x), sum[r]);
        }
        _mm256_storeu_pd(eight, sum[r][0]);
        _mm256_storeu_pd(eight + 4, sum[r][1]);
        out[r] = padici_pq_eight(eight);
    }
}

#define PADICI_PQ_ROWS_DOTS(level, TARGET)                                                      \
    TARGET PADICI_FN void padici_simd_pq_rows_dots_##level(                                     \
        const double *q, const char *const *row,                                                \
        uint64_t n, uint64_t d, padic_dtype dtype, double *out)                                 \
    {                                                                                           \
        uint64_t j;                                                                             \
        uint32_t r;                                                                             \
        for (j = 0; j < n; j += 4) {                                                            \
            const char *four[4];                                                                \
            double dots[4];                                                                     \
            for (r = 0; r < 4; r++) four[r] = row[j + r < n ? j + r : n - 1];                   \
            padici_pq_rows_fetch(row, j, n, d * (dtype == PADIC_F32 ? 4 : 2));                  \
            if (dtype == PADIC_F32)                                                             \
                padici_pq_dots_four_##level(q, four, d, PADIC_F32, dots);                       \
            else if (dtype == PADIC_F16)                                                        \
                padici_pq_dots_four_##level(q, four, d, PADIC_F16, dots);                       \
            else                                                                                \
                padici_pq_dots_four_##level(q, four, d, PADIC_BF16, dots);                      \
            for (r = 0; r < 4 && j + r < n; r++) out[j + r] = dots[r];                          \
        }                                                                                       \
    }                                                                                           \
    TARGET PADICI_FN void padici_simd_pq_rows_add_##level(                                      \
        const double *w, const char *const *row,                                                \
        uint64_t n, uint64_t d, padic_dtype dtype, double *o)                                   \
    {                                                                                           \
        uint64_t j;                                                                             \
        for (j = 0; j < n; j += 4) {                                                            \
            const uint32_t some = n - j < 4 ? (uint32_t)(n - j) : 4u;                           \
            padici_pq_rows_fetch(row, j, n, d * (dtype == PADIC_F32 ? 4 : 2));                  \
            if (dtype == PADIC_F32 && some == 4)                                                \
                padici_pq_add_four_##level(w + j, row + j, 4, d, PADIC_F32, o);                 \
            else if (dtype == PADIC_F16 && some == 4)                                           \
                padici_pq_add_four_##level(w + j, row + j, 4, d, PADIC_F16, o);                 \
            else if (some == 4)                                                                 \
                padici_pq_add_four_##level(w + j, row + j, 4, d, PADIC_BF16, o);                \
            else padici_pq_add_four_##level(w + j, row + j, some, d, dtype, o);                 \
        }                                                                                       \
    }

PADICI_AVX2 PADICI_INLINE void padici_pq_add_four_avx2(const double *w, const char *const *row,
                                                       uint32_t n, uint64_t d, padic_dtype dtype,
                                                       double *o)
{
    const uint64_t size = dtype == PADIC_F32 ? 4 : 2;
    uint64_t i;
    uint32_t r;
    for (i = 0; i + 8 <= d; i += 8) {
        __m256d low = _mm256_loadu_pd(o + i), high = _mm256_loadu_pd(o + i + 4);
        for (r = 0; r < n; r++) {
            const __m256 x = padici_pq_eight_avx2(row[r] + i * size, dtype);
            const __m256d by = _mm256_set1_pd(w[r]);
            low = _mm256_add_pd(
                low, _mm256_mul_pd(by, _mm256_cvtps_pd(_mm256_castps256_ps128(x))));
            high = _mm256_add_pd(
                high, _mm256_mul_pd(by, _mm256_cvtps_pd(_mm256_extractf128_ps(x, 1))));
        }
        _mm256_storeu_pd(o + i, low);
        _mm256_storeu_pd(o + i + 4, high);
    }
    for (; i < d; i++)
        for (r = 0; r < n; r++)
            o[i] = o[i] +
                   w[r] * (double)padici_pq_float(padici_pq_load(row[r] + i * size, dtype));
}

PADICI_PQ_ROWS_DOTS(avx2, PADICI_AVX2)

// Eight components as f64, of those in `some`.
PADICI_AVX512 PADICI_INLINE __m512d padici_pq_eight_avx512(const char *at, padic_dtype dtype,
                                                           __mmask8 some)
{
    __m128i v;
    if (dtype == PADIC_F32)
        return _mm512_cvtps_pd(_mm256_maskz_loadu_ps(some, (const float *)(const void *)at));
    v = _mm_maskz_loadu_epi16(some, (const void *)at);
    if (dtype == PADIC_F16) return _mm512_cvtps_pd(_mm256_cvtph_ps(v));
    return _mm512_cvtps_pd(
        _mm256_castsi256_ps(_mm256_slli_epi32(_mm256_cvtepu16_epi32(v), 16)));
}

PADICI_AVX512 PADICI_INLINE void padici_pq_dots_four_avx512(const double *q,
                                                            const char *const *row, uint64_t d,
                                                            padic_dtype dtype, double out[4])
{
    const uint64_t size = dtype == PADIC_F32 ? 4 : 2;
    __m512d sum[4];
    double eight[8];
    uint64_t i;
    uint32_t r;
    for (r = 0; r < 4; r++) sum[r] = _mm512_setzero_pd();
    for (i = 0; i + 8 <= d; i += 8) {
        const __m512d x = _mm512_loadu_pd(q + i);
        for (r = 0; r < 4; r++)
            sum[r] = _mm512_fmadd_pd(
                x, padici_pq_eight_avx512(row[r] + i * size, dtype, 255), sum[r]);
    }
    if (i < d) {
        const __mmask8 some = (__mmask8)((1u << (d - i)) - 1u);
        const __m512d x = _mm512_maskz_loadu_pd(some, q + i);
        for (r = 0; r < 4; r++)
            sum[r] = _mm512_fmadd_pd(
                x, padici_pq_eight_avx512(row[r] + i * size, dtype, some), sum[r]);
    }
    for (r = 0; r < 4; r++) {
        _mm512_storeu_pd(eight, sum[r]);
        out[r] = padici_pq_eight(eight);
    }
}

PADICI_AVX512 PADICI_INLINE void padici_pq_add_four_avx512(const double *w,
                                                           const char *const *row, uint32_t n,
                                                           uint64_t d, padic_dtype dtype,
                                                           double *o)
{
    const uint64_t size = dtype == PADIC_F32 ? 4 : 2;
    uint64_t i;
    uint32_t r;
    for (i = 0; i < d; i += 8) {
        const __mmask8 some = (__mmask8)(d - i < 8 ? (1u << (d - i)) - 1u : 255u);
        __m512d sum = _mm512_maskz_loadu_pd(some, o + i);
        for (r = 0; r < n; r++)
            sum = _mm512_add_pd(
                sum, _mm512_mul_pd(_mm512_set1_pd(w[r]),
                                   padici_pq_eight_avx512(row[r] + i * size, dtype, some)));
        _mm512_mask_storeu_pd(o + i, some, sum);
    }
}

PADICI_PQ_ROWS_DOTS(avx512, PADICI_AVX512)

#undef PADICI_PQ_ROWS_DOTS

#else // NEON

// Four components.
PADICI_INLINE float32x4_t padici_pq_four_neon(const char *at, padic_dtype dtype)
{
    float x[4];
    uint32_t i;
    if (dtype == PADIC_F32) return vld1q_f32((const float *)(const void *)at);
    if (dtype == PADIC_BF16)
        return vreinterpretq_f32_u32(
            vshll_n_u16(vld1_u16((const uint16_t *)(const void *)at), 16));
    for (i = 0; i < 4; i++) x[i] = padici_pq_float(padici_pq_load(at + 2 * i, dtype));
    return vld1q_f32(x);
}

PADICI_INLINE void padici_pq_add_neon(const double *q, float32x4_t x, float64x2_t sum[2])
{
    sum[0] = vfmaq_f64(sum[0], vld1q_f64(q), vcvt_f64_f32(vget_low_f32(x))); // exact products
    sum[1] = vfmaq_f64(sum[1], vld1q_f64(q + 2), vcvt_high_f64_f32(x));
}

PADICI_FN void padici_simd_pq_rows_dots_neon(const double *q, const char *const *row, uint64_t n,
                                             uint64_t d, padic_dtype dtype, double *out)
{
    const uint64_t size = dtype == PADIC_F32 ? 4 : 2;
    const uint32_t rest = (uint32_t)(d & 7);
    uint64_t j, i;
    uint32_t k;
    for (j = 0; j < n; j++) {
        float64x2_t sum[4];
        double eight[8];
        for (k = 0; k < 4; k++) sum[k] = vdupq_n_f64(0);
        for (i = 0; i + 8 <= d; i += 8) {
            padici_pq_add_neon(q + i, padici_pq_four_neon(row[j] + i * size, dtype), sum);
            padici_pq_add_neon(q + i + 4, padici_pq_four_neon(row[j] + (i + 4) * size, dtype),
                               sum + 2);
        }
        if (rest) {
            float x[8];
            for (k = 0; k < 8; k++) eight[k] = k < rest ? q[i + k] : 0;
            padici_pq_rows_tail(row[j] + i * size, dtype, rest, x);
            padici_pq_add_neon(eight, vld1q_f32(x), sum);
            padici_pq_add_neon(eight + 4, vld1q_f32(x + 4), sum + 2);
        }
        for (k = 0; k < 4; k++) vst1q_f64(eight + 2 * k, sum[k]);
        out[j] = padici_pq_eight(eight);
    }
}

PADICI_FN void padici_simd_pq_rows_add_neon(const double *w, const char *const *row, uint64_t n,
                                            uint64_t d, padic_dtype dtype, double *o)
{
    const uint64_t size = dtype == PADIC_F32 ? 4 : 2;
    uint64_t j, i;
    for (j = 0; j < n; j++) {
        const float64x2_t by = vdupq_n_f64(w[j]);
        for (i = 0; i + 4 <= d; i += 4) {
            const float32x4_t x = padici_pq_four_neon(row[j] + i * size, dtype);
            vst1q_f64(o + i, vaddq_f64(vld1q_f64(o + i),
                                       vmulq_f64(by, vcvt_f64_f32(vget_low_f32(x)))));
            vst1q_f64(o + i + 2,
                      vaddq_f64(vld1q_f64(o + i + 2), vmulq_f64(by, vcvt_high_f64_f32(x))));
        }
        for (; i < d; i++)
            o[i] = o[i] +
                   w[j] * (double)padici_pq_float(padici_pq_load(row[j] + i * size, dtype));
    }
}

#endif
#endif
