// @per-level
#ifndef PADIC_NO_TENSOR

// --------------------------------------------------------------------------------- >>vector words
//
// PADICI_V: a vector of PADICI_REAL, which is float or double and has PADICI_REAL_SIZE bytes.
// PADICI_MR: rows of c whose sums stay in registers, two vectors each. SWAPPED: swaps neighbours.
// TURN(v, w): v + i w of complex numbers, w being swapped. PAIR: two numbers, repeated.

#if PADICI_ISA_LEVEL == 3
#define PADICI_TARGET PADICI_AVX512
#define PADICI_LANES (64 / PADICI_REAL_SIZE)
#define PADICI_MR 8
#if PADICI_REAL_SIZE == 4
#define PADICI_V __m512
#define PADICI_R(op) _mm512_##op##_ps
#define PADICI_SWAPPED(x) _mm512_permute_ps(x, 0xb1)
#define PADICI_PAIR(p)                                                                             \
    _mm512_castpd_ps(_mm512_broadcastsd_pd(                                                        \
        _mm_castsi128_pd(_mm_loadl_epi64((const __m128i *)(const void *)(p)))))
#else
#define PADICI_V __m512d
#define PADICI_R(op) _mm512_##op##_pd
#define PADICI_SWAPPED(x) _mm512_permute_pd(x, 0x55)
#define PADICI_PAIR(p) _mm512_castps_pd(_mm512_broadcast_f32x4(_mm_castpd_ps(_mm_loadu_pd(p))))
#endif
#define PADICI_TURN(v, w) PADICI_R(fmaddsub)(PADICI_R(set1)(1), v, w)
#endif

#if PADICI_ISA_LEVEL == 2
#define PADICI_TARGET PADICI_AVX2
#define PADICI_LANES (32 / PADICI_REAL_SIZE)
#define PADICI_MR 6
#if PADICI_REAL_SIZE == 4
#define PADICI_V __m256
#define PADICI_R(op) _mm256_##op##_ps
#define PADICI_SWAPPED(x) _mm256_permute_ps(x, 0xb1)
#define PADICI_PAIR(p)                                                                             \
    _mm256_castpd_ps(_mm256_broadcastsd_pd(                                                        \
        _mm_castsi128_pd(_mm_loadl_epi64((const __m128i *)(const void *)(p)))))
#else
#define PADICI_V __m256d
#define PADICI_R(op) _mm256_##op##_pd
#define PADICI_SWAPPED(x) _mm256_permute_pd(x, 5)
#define PADICI_PAIR(p)                                                                             \
    _mm256_insertf128_pd(_mm256_castpd128_pd256(_mm_loadu_pd(p)), _mm_loadu_pd(p), 1)
#endif
#define PADICI_TURN(v, w) PADICI_R(addsub)(v, w)
#endif

#if PADICI_ISA_LEVEL >= 2
#define PADICI_NONE PADICI_R(setzero)()
#define PADICI_SET PADICI_R(set1)
#define PADICI_LOAD PADICI_R(loadu)
#define PADICI_STORE PADICI_R(storeu)
#define PADICI_ADD PADICI_R(add)
#define PADICI_FMA(x, y, v) PADICI_R(fmadd)(x, y, v)
#endif

#if PADICI_ISA_LEVEL == 1
#define PADICI_TARGET
#define PADICI_LANES (16 / PADICI_REAL_SIZE)
#define PADICI_MR 8
#if PADICI_REAL_SIZE == 4
#define PADICI_V float32x4_t
#define PADICI_R(op) op##_f32
#define PADICI_SWAPPED(x) vrev64q_f32(x)
#define PADICI_PAIR(p) vcombine_f32(vld1_f32(p), vld1_f32(p))
#else
#define PADICI_V float64x2_t
#define PADICI_R(op) op##_f64
#define PADICI_SWAPPED(x) vextq_f64(x, x, 1)
#define PADICI_PAIR(p) vld1q_f64(p)
#endif
#define PADICI_NONE PADICI_R(vdupq_n)(0)
#define PADICI_SET PADICI_R(vdupq_n)
#define PADICI_LOAD PADICI_R(vld1q)
#define PADICI_STORE PADICI_R(vst1q)
#define PADICI_ADD PADICI_R(vaddq)
#define PADICI_FMA(x, y, v) PADICI_R(vfmaq)(v, x, y)
#define PADICI_TURN(v, w) PADICI_R(vfmaq)(v, w, PADICI_GK(signs)())

PADICI_INLINE PADICI_V PADICI_GK(signs)(void)
{
    static const PADICI_REAL signs[4] = {-1, 1, -1, 1};
    return PADICI_LOAD(signs);
}
#endif

#define PADICI_NR (2 * PADICI_LANES) // real columns of c

#endif
