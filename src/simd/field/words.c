// @per-level
#if !defined(PADIC_NO_FIELD) && PADICI_ISA_LEVEL <= 3

// PADICI_V: a vector of floats, real and imaginary parts in turn. BEFORE, AFTER: each number's
// neighbour in a row, `b` being the vector after `a`. REAL_PARTS, IMAGINARY_PARTS: of the numbers
// in two vectors, in one order. PART: the first n floats, the others 0 and
// not read or written.

#if PADICI_ISA_LEVEL == 3
#define PADICI_TARGET PADICI_AVX512
#define PADICI_LANES 16
#define PADICI_V __m512
#define PADICI_R(op) _mm512_##op##_ps
#define PADICI_PART_LOAD(p, n) _mm512_maskz_loadu_ps((__mmask16)((1u << (n)) - 1), p)
#define PADICI_PART_STORE(p, n, v) _mm512_mask_storeu_ps(p, (__mmask16)((1u << (n)) - 1), v)
#define PADICI_SHIFT(a, b, n)                                                             \
    _mm512_castsi512_ps(                                                                  \
        _mm512_alignr_epi64(_mm512_castps_si512(b), _mm512_castps_si512(a), n))
#define PADICI_BEFORE(a, b) PADICI_SHIFT(a, b, 7)
#define PADICI_AFTER(a, b) PADICI_SHIFT(a, b, 1)
#define PADICI_SWAP_PARTS(x) _mm512_permute_ps(x, 0xb1)
#define PADICI_REAL_PARTS(a, b) _mm512_shuffle_ps(a, b, 0x88)
#define PADICI_IMAGINARY_PARTS(a, b) _mm512_shuffle_ps(a, b, 0xdd)
#elif PADICI_ISA_LEVEL == 2
#define PADICI_TARGET PADICI_AVX2
#define PADICI_LANES 8
#define PADICI_V __m256
#define PADICI_R(op) _mm256_##op##_ps
#define PADICI_PART_MASK(n)                                                               \
    _mm256_cmpgt_epi32(_mm256_set1_epi32((int)(n)), _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7))
#define PADICI_PART_LOAD(p, n) _mm256_maskload_ps(p, PADICI_PART_MASK(n))
#define PADICI_PART_STORE(p, n, v) _mm256_maskstore_ps(p, PADICI_PART_MASK(n), v)
#define PADICI_MIDDLE(a, b)                                                               \
    _mm256_permute2f128_pd(_mm256_castps_pd(a), _mm256_castps_pd(b), 0x21)
#define PADICI_BEFORE(a, b)                                                               \
    _mm256_castpd_ps(_mm256_shuffle_pd(PADICI_MIDDLE(a, b), _mm256_castps_pd(b), 5))
#define PADICI_AFTER(a, b)                                                                \
    _mm256_castpd_ps(_mm256_shuffle_pd(_mm256_castps_pd(a), PADICI_MIDDLE(a, b), 5))
#define PADICI_SWAP_PARTS(x) _mm256_permute_ps(x, 0xb1)
#define PADICI_REAL_PARTS(a, b) _mm256_shuffle_ps(a, b, 0x88)
#define PADICI_IMAGINARY_PARTS(a, b) _mm256_shuffle_ps(a, b, 0xdd)
#endif

#if PADICI_ISA_LEVEL >= 2
#define PADICI_NONE PADICI_R(setzero)()
#define PADICI_SET PADICI_R(set1)
#define PADICI_LOAD PADICI_R(loadu)
#define PADICI_STORE PADICI_R(storeu)
#define PADICI_ADD PADICI_R(add)
#define PADICI_SUB PADICI_R(sub)
#define PADICI_MUL PADICI_R(mul)
#define PADICI_FMA(x, y, v) PADICI_R(fmadd)(x, y, v)
#define PADICI_FNMA(x, y, v) PADICI_R(fnmadd)(x, y, v)
#else
#define PADICI_TARGET
#define PADICI_LANES 4
#define PADICI_V float32x4_t
#define PADICI_PART_LOAD(p, n) PADICI_LK(part_load)(p, n)
#define PADICI_PART_STORE(p, n, v) PADICI_LK(part_store)(p, n, v)
#define PADICI_BEFORE(a, b) vextq_f32(a, b, 2)
#define PADICI_AFTER(a, b) vextq_f32(a, b, 2)
#define PADICI_SWAP_PARTS(x) vrev64q_f32(x)
#define PADICI_REAL_PARTS vuzp1q_f32
#define PADICI_IMAGINARY_PARTS vuzp2q_f32
#define PADICI_NONE vdupq_n_f32(0)
#define PADICI_SET vdupq_n_f32
#define PADICI_LOAD vld1q_f32
#define PADICI_STORE vst1q_f32
#define PADICI_ADD vaddq_f32
#define PADICI_SUB vsubq_f32
#define PADICI_MUL vmulq_f32
#define PADICI_FMA(x, y, v) vfmaq_f32(v, x, y)
#define PADICI_FNMA(x, y, v) vfmsq_f32(v, x, y)

PADICI_INLINE PADICI_V PADICI_LK(part_load)(const float *p, uint32_t n)
{
    float lanes[PADICI_LANES];
    uint32_t i;
    for (i = 0; i < PADICI_LANES; i++) lanes[i] = i < n ? p[i] : 0;
    return PADICI_LOAD(lanes);
}

PADICI_INLINE void PADICI_LK(part_store)(float *p, uint32_t n, PADICI_V v)
{
    float lanes[PADICI_LANES];
    uint32_t i;
    PADICI_STORE(lanes, v);
    for (i = 0; i < n; i++) p[i] = lanes[i];
}
#endif

// sqrt(x), of 0 too; of AVX-512 by an estimate of 1 / sqrt(x) and a Newton step, within 1 ulp.
PADICI_TARGET PADICI_INLINE PADICI_V PADICI_LK(root)(PADICI_V x)
{
#if PADICI_ISA_LEVEL == 3
    const PADICI_V y = _mm512_rsqrt14_ps(_mm512_max_ps(x, _mm512_set1_ps(FLT_MIN)));
    const PADICI_V s = PADICI_MUL(x, y);
    return PADICI_FMA(PADICI_MUL(PADICI_SET(0.5f), y), PADICI_FNMA(s, s, x), s);
#elif PADICI_ISA_LEVEL == 2
    return _mm256_sqrt_ps(x);
#else
    return vsqrtq_f32(x);
#endif
}

// The number at p in all places.
PADICI_TARGET PADICI_INLINE PADICI_V PADICI_LK(pair)(float re, float im)
{
#if PADICI_ISA_LEVEL == 3
    return _mm512_mask_blend_ps(0xaaaa, _mm512_set1_ps(re), _mm512_set1_ps(im));
#elif PADICI_ISA_LEVEL == 2
    return _mm256_blend_ps(_mm256_set1_ps(re), _mm256_set1_ps(im), 0xaa);
#else
    return vzip1q_f32(vdupq_n_f32(re), vdupq_n_f32(im));
#endif
}

// n floats at p, fewer than lanes, then the number {re, im}, then zeros.
PADICI_TARGET PADICI_INLINE PADICI_V PADICI_LK(tail)(const float *p, uint32_t n, float re, float im)
{
    float lanes[PADICI_LANES];
    uint32_t i;
    for (i = 0; i < n; i++) lanes[i] = p[i];
    lanes[i++] = re;
    lanes[i++] = im;
    for (; i < PADICI_LANES; i++) lanes[i] = 0;
    return PADICI_LOAD(lanes);
}

// |z|^(2 half) |z|^odd of squares |z|^2.
PADICI_TARGET PADICI_INLINE PADICI_V PADICI_LK(power)(PADICI_V square, uint32_t half, uint32_t odd)
{
    PADICI_V x = odd ? PADICI_LK(root)(square) : half ? square : PADICI_SET(1);
    uint32_t i;
    for (i = !odd; i < half; i++) x = PADICI_MUL(x, square);
    return x;
}

#endif
