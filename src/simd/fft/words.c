// @per-level
#ifndef PADIC_NO_FFT

// PADICI_V: a vector of PADICI_REAL. FMA, FNMA: v plus and minus x y. PART: the first n lanes, the
// others 0 and not read or written. LOW_h, HIGH_h of v, w: where the lane's bit h is 0, v's own or
// w's h lanes below; so that they turn blocks of h lanes.

#if PADICI_ISA_LEVEL == 3
#define PADICI_TARGET PADICI_AVX512
#define PADICI_LANES (64 / PADICI_REAL_SIZE)
#define PADICI_WIDEST 8
#define PADICI_PART_MASK(n) ((1u << (n)) - 1)
#if PADICI_REAL_SIZE == 4
#define PADICI_V __m512
#define PADICI_R(op) _mm512_##op##_ps
#define PADICI_PART_LOAD(p, n) _mm512_maskz_loadu_ps((__mmask16)PADICI_PART_MASK(n), p)
#define PADICI_PART_STORE(p, n, v) _mm512_mask_storeu_ps(p, (__mmask16)PADICI_PART_MASK(n), v)
#define PADICI_LOW_1(v, w) _mm512_mask_permute_ps(v, 0xaaaa, w, 0xb1)
#define PADICI_HIGH_1(v, w) _mm512_mask_permute_ps(w, 0x5555, v, 0xb1)
#define PADICI_LOW_2(v, w) _mm512_shuffle_ps(v, w, 0x44)
#define PADICI_HIGH_2(v, w) _mm512_shuffle_ps(v, w, 0xee)
#define PADICI_LOW_4(v, w)                                                                       \
    _mm512_castpd_ps(_mm512_mask_permutex_pd(_mm512_castps_pd(v), 0xcc, _mm512_castps_pd(w), 0x4e))
#define PADICI_HIGH_4(v, w)                                                                      \
    _mm512_castpd_ps(_mm512_mask_permutex_pd(_mm512_castps_pd(w), 0x33, _mm512_castps_pd(v), 0x4e))
#define PADICI_LOW_8(v, w) _mm512_shuffle_f32x4(v, w, 0x44)
#define PADICI_HIGH_8(v, w) _mm512_shuffle_f32x4(v, w, 0xee)
#else
#define PADICI_V __m512d
#define PADICI_R(op) _mm512_##op##_pd
#define PADICI_PART_LOAD(p, n) _mm512_maskz_loadu_pd((__mmask8)PADICI_PART_MASK(n), p)
#define PADICI_PART_STORE(p, n, v) _mm512_mask_storeu_pd(p, (__mmask8)PADICI_PART_MASK(n), v)
#define PADICI_LOW_1(v, w) _mm512_unpacklo_pd(v, w)
#define PADICI_HIGH_1(v, w) _mm512_unpackhi_pd(v, w)
#define PADICI_LOW_2(v, w) _mm512_mask_permutex_pd(v, 0xcc, w, 0x4e)
#define PADICI_HIGH_2(v, w) _mm512_mask_permutex_pd(w, 0x33, v, 0x4e)
#define PADICI_LOW_4(v, w) _mm512_shuffle_f64x2(v, w, 0x44)
#define PADICI_HIGH_4(v, w) _mm512_shuffle_f64x2(v, w, 0xee)
#endif
#endif

#if PADICI_ISA_LEVEL == 2
#define PADICI_TARGET PADICI_AVX2
#define PADICI_LANES (32 / PADICI_REAL_SIZE)
#define PADICI_WIDEST 4
#if PADICI_REAL_SIZE == 4
#define PADICI_V __m256
#define PADICI_R(op) _mm256_##op##_ps
#define PADICI_PART_MASK(n)                                                                      \
    _mm256_cmpgt_epi32(_mm256_set1_epi32((int)(n)), _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7))
#define PADICI_LOW_1(v, w) _mm256_blend_ps(v, _mm256_permute_ps(w, 0xb1), 0xaa)
#define PADICI_HIGH_1(v, w) _mm256_blend_ps(_mm256_permute_ps(v, 0xb1), w, 0xaa)
#define PADICI_LOW_2(v, w) _mm256_shuffle_ps(v, w, 0x44)
#define PADICI_HIGH_2(v, w) _mm256_shuffle_ps(v, w, 0xee)
#define PADICI_LOW_4(v, w) _mm256_permute2f128_ps(v, w, 0x20)
#define PADICI_HIGH_4(v, w) _mm256_permute2f128_ps(v, w, 0x31)
#else
#define PADICI_V __m256d
#define PADICI_R(op) _mm256_##op##_pd
#define PADICI_PART_MASK(n)                                                                      \
    _mm256_cmpgt_epi64(_mm256_set1_epi64x((int)(n)), _mm256_setr_epi64x(0, 1, 2, 3))
#define PADICI_LOW_1(v, w) _mm256_unpacklo_pd(v, w)
#define PADICI_HIGH_1(v, w) _mm256_unpackhi_pd(v, w)
#define PADICI_LOW_2(v, w) _mm256_permute2f128_pd(v, w, 0x20)
#define PADICI_HIGH_2(v, w) _mm256_permute2f128_pd(v, w, 0x31)
#endif
#define PADICI_PART_LOAD(p, n) PADICI_R(maskload)(p, PADICI_PART_MASK(n))
#define PADICI_PART_STORE(p, n, v) PADICI_R(maskstore)(p, PADICI_PART_MASK(n), v)
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
#endif

#if PADICI_ISA_LEVEL == 1
#define PADICI_TARGET
#define PADICI_LANES (16 / PADICI_REAL_SIZE)
#define PADICI_WIDEST 8
#if PADICI_REAL_SIZE == 4
#define PADICI_V float32x4_t
#define PADICI_R(op) op##_f32
#define PADICI_LOW_2(v, w) vcombine_f32(vget_low_f32(v), vget_low_f32(w))
#define PADICI_HIGH_2(v, w) vcombine_f32(vget_high_f32(v), vget_high_f32(w))
#else
#define PADICI_V float64x2_t
#define PADICI_R(op) op##_f64
#endif
#define PADICI_LOW_1 PADICI_R(vtrn1q)
#define PADICI_HIGH_1 PADICI_R(vtrn2q)
#define PADICI_NONE PADICI_R(vdupq_n)(0)
#define PADICI_SET PADICI_R(vdupq_n)
#define PADICI_LOAD PADICI_R(vld1q)
#define PADICI_STORE PADICI_R(vst1q)
#define PADICI_ADD PADICI_R(vaddq)
#define PADICI_SUB PADICI_R(vsubq)
#define PADICI_MUL PADICI_R(vmulq)
#define PADICI_FMA(x, y, v) PADICI_R(vfmaq)(v, x, y)
#define PADICI_FNMA(x, y, v) PADICI_R(vfmsq)(v, x, y)
#define PADICI_PART_LOAD(p, n) PADICI_HK(part_load)(p, n)
#define PADICI_PART_STORE(p, n, v) PADICI_HK(part_store)(p, n, v)

PADICI_INLINE PADICI_V PADICI_HK(part_load)(const PADICI_REAL *p, uint32_t n)
{
    PADICI_REAL lanes[PADICI_LANES];
    uint32_t i;
    for (i = 0; i < PADICI_LANES; i++) lanes[i] = i < n ? p[i] : 0;
    return PADICI_LOAD(lanes);
}

PADICI_INLINE void PADICI_HK(part_store)(PADICI_REAL *p, uint32_t n, PADICI_V v)
{
    PADICI_REAL lanes[PADICI_LANES];
    uint32_t i;
    PADICI_STORE(lanes, v);
    for (i = 0; i < n; i++) p[i] = lanes[i];
}
#endif

#define PADICI_VECTOR (2 * PADICI_LANES) // reals of an element of a block

typedef struct PADICI_HK(number) { // complex numbers
    PADICI_V re, im;
} PADICI_HK(number);

#define PADICI_NUMBER PADICI_HK(number)

PADICI_TARGET PADICI_INLINE PADICI_NUMBER PADICI_HK(get)(const PADICI_REAL *x)
{
    PADICI_NUMBER a;
    a.re = PADICI_LOAD(x);
    a.im = PADICI_LOAD(x + PADICI_LANES);
    return a;
}

PADICI_TARGET PADICI_INLINE void PADICI_HK(put)(PADICI_REAL *x, PADICI_NUMBER a)
{
    PADICI_STORE(x, a.re);
    PADICI_STORE(x + PADICI_LANES, a.im);
}

PADICI_TARGET PADICI_INLINE PADICI_NUMBER PADICI_HK(plus)(PADICI_NUMBER a, PADICI_NUMBER b)
{
    a.re = PADICI_ADD(a.re, b.re);
    a.im = PADICI_ADD(a.im, b.im);
    return a;
}

PADICI_TARGET PADICI_INLINE PADICI_NUMBER PADICI_HK(minus)(PADICI_NUMBER a, PADICI_NUMBER b)
{
    a.re = PADICI_SUB(a.re, b.re);
    a.im = PADICI_SUB(a.im, b.im);
    return a;
}

// a - i b, a + i b
PADICI_TARGET PADICI_INLINE PADICI_NUMBER PADICI_HK(below)(PADICI_NUMBER a, PADICI_NUMBER b)
{
    a.re = PADICI_ADD(a.re, b.im);
    a.im = PADICI_SUB(a.im, b.re);
    return a;
}

PADICI_TARGET PADICI_INLINE PADICI_NUMBER PADICI_HK(above)(PADICI_NUMBER a, PADICI_NUMBER b)
{
    a.re = PADICI_SUB(a.re, b.im);
    a.im = PADICI_ADD(a.im, b.re);
    return a;
}

PADICI_TARGET PADICI_INLINE PADICI_NUMBER PADICI_HK(times)(PADICI_NUMBER a, PADICI_V re,
                                                           PADICI_V im)
{
    PADICI_NUMBER b;
    b.re = PADICI_FNMA(a.im, im, PADICI_MUL(a.re, re));
    b.im = PADICI_FMA(a.im, re, PADICI_MUL(a.re, im));
    return b;
}

// As many numbers next to each other in memory, to and from a vector of each part.
PADICI_TARGET PADICI_INLINE PADICI_NUMBER PADICI_HK(apart)(PADICI_V v, PADICI_V w)
{
    PADICI_NUMBER a;
#if PADICI_ISA_LEVEL == 3 && PADICI_REAL_SIZE == 4
    const __m512i even = _mm512_setr_epi32(0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28,
                                           30);
    a.re = _mm512_permutex2var_ps(v, even, w);
    a.im = _mm512_permutex2var_ps(v, _mm512_add_epi32(even, _mm512_set1_epi32(1)), w);
#elif PADICI_ISA_LEVEL == 3
    const __m512i even = _mm512_setr_epi64(0, 2, 4, 6, 8, 10, 12, 14);
    a.re = _mm512_permutex2var_pd(v, even, w);
    a.im = _mm512_permutex2var_pd(v, _mm512_add_epi64(even, _mm512_set1_epi64(1)), w);
#elif PADICI_ISA_LEVEL == 2 && PADICI_REAL_SIZE == 4
    const __m256 low = _mm256_permute2f128_ps(v, w, 0x20), high = _mm256_permute2f128_ps(v, w, 0x31);
    a.re = _mm256_shuffle_ps(low, high, 0x88);
    a.im = _mm256_shuffle_ps(low, high, 0xdd);
#elif PADICI_ISA_LEVEL == 2
    const __m256d low = _mm256_permute2f128_pd(v, w, 0x20);
    const __m256d high = _mm256_permute2f128_pd(v, w, 0x31);
    a.re = _mm256_unpacklo_pd(low, high);
    a.im = _mm256_unpackhi_pd(low, high);
#else
    a.re = PADICI_R(vuzp1q)(v, w);
    a.im = PADICI_R(vuzp2q)(v, w);
#endif
    return a;
}

PADICI_TARGET PADICI_INLINE void PADICI_HK(together)(PADICI_NUMBER a, PADICI_V out[2])
{
#if PADICI_ISA_LEVEL == 3 && PADICI_REAL_SIZE == 4
    const __m512i first = _mm512_setr_epi32(0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23);
    out[0] = _mm512_permutex2var_ps(a.re, first, a.im);
    out[1] = _mm512_permutex2var_ps(a.re, _mm512_add_epi32(first, _mm512_set1_epi32(8)), a.im);
#elif PADICI_ISA_LEVEL == 3
    const __m512i first = _mm512_setr_epi64(0, 8, 1, 9, 2, 10, 3, 11);
    out[0] = _mm512_permutex2var_pd(a.re, first, a.im);
    out[1] = _mm512_permutex2var_pd(a.re, _mm512_add_epi64(first, _mm512_set1_epi64(4)), a.im);
#elif PADICI_ISA_LEVEL == 2
    const PADICI_V low = PADICI_R(unpacklo)(a.re, a.im), high = PADICI_R(unpackhi)(a.re, a.im);
    out[0] = PADICI_R(permute2f128)(low, high, 0x20);
    out[1] = PADICI_R(permute2f128)(low, high, 0x31);
#else
    out[0] = PADICI_R(vzip1q)(a.re, a.im);
    out[1] = PADICI_R(vzip2q)(a.re, a.im);
#endif
}

#define PADICI_TURN_BY(h)                                           \
    PADICI_UNROLL_ALL                                               \
    for (i = 0; i < PADICI_LANES / 2; i++) {                        \
        const uint32_t a = i / (h) * 2 * (h) + i % (h), b = a + (h); \
        const PADICI_V low = PADICI_LOW_##h(v[a], v[b]);            \
        v[b] = PADICI_HIGH_##h(v[a], v[b]);                         \
        v[a] = low;                                                 \
    }

// As many vectors as lanes: rows become columns.
PADICI_TARGET PADICI_INLINE void PADICI_HK(turn)(PADICI_V v[PADICI_LANES])
{
    uint32_t i;
    PADICI_TURN_BY(1)
#if PADICI_ISA_LEVEL > 1 || PADICI_REAL_SIZE == 4
    PADICI_TURN_BY(2)
#endif
#if PADICI_ISA_LEVEL == 3 || (PADICI_ISA_LEVEL == 2 && PADICI_REAL_SIZE == 4)
    PADICI_TURN_BY(4)
#endif
#if PADICI_ISA_LEVEL == 3 && PADICI_REAL_SIZE == 4
    PADICI_TURN_BY(8)
#endif
}

#endif
