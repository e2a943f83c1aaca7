// @per-level
#if !defined(PADIC_NO_WAVE) && PADICI_ISA_LEVEL <= 3

// --------------------------------------------------------------------------------- >>vector words
//
// VF: a vector of f32; VD: of f64, half as many; VG, VDG: marks of lanes. ROOT0, PART0: estimates
// of 1/sqrt(x), 1/x. TINY, DTINY: lanes below FLT_MIN; DROP: 0 in these.

#if PADICI_ISA_LEVEL >= 3
#define PADICI_TARGET PADICI_AVX512
#define PADICI_VF __m512
#define PADICI_VD __m512d
#define PADICI_VG __mmask16
#define PADICI_VDG __mmask8
#define PADICI_F(op) _mm512_##op##_ps
#define PADICI_D(op) _mm512_##op##_pd
#define PADICI_LANES 16u
#define PADICI_ROOT0(x) _mm512_rsqrt14_ps(x)
#define PADICI_PART0(x) _mm512_rcp14_ps(x)
#define PADICI_TINY(x) _mm512_cmp_ps_mask(x, _mm512_set1_ps(FLT_MIN), _CMP_LT_OQ)
#define PADICI_DROP(g, x) _mm512_maskz_mov_ps((__mmask16)~(g), x)
#define PADICI_ANY(g) (g)
#define PADICI_G0 0
#define PADICI_OR(a, b) (__mmask16)((a) | (b))
#define PADICI_DTINY(x) _mm512_cmp_pd_mask(x, _mm512_set1_pd(FLT_MIN), _CMP_LT_OQ)
#define PADICI_DDROP(g, x) _mm512_maskz_mov_pd((__mmask8)~(g), x)
#define PADICI_DG0 0
#define PADICI_DOR(a, b) (__mmask8)((a) | (b))
#define PADICI_DROUND(x) _mm512_roundscale_pd(x, 8)
#define PADICI_LOW(x) _mm512_cvtps_pd(_mm512_castps512_ps256(x))
#define PADICI_HIGH(x) _mm512_cvtps_pd(_mm512_extractf32x8_ps(x, 1))
#define PADICI_JOIN(a, b) \
    _mm512_insertf32x8(_mm512_castps256_ps512(_mm512_cvtpd_ps(a)), _mm512_cvtpd_ps(b), 1)
#define PADICI_NEAREST(x) _mm512_cvtps_epi32(x)
#define PADICI_WHOLE(n) _mm512_cvtepi32_ps(n)
#define PADICI_FLIP(x, n) \
    _mm512_castsi512_ps( \
        _mm512_xor_si512(_mm512_castps_si512(x), _mm512_slli_epi32(n, 31)))
#define PADICI_SCALE(x, n) \
    _mm512_castsi512_ps( \
        _mm512_add_epi32(_mm512_castps_si512(x), _mm512_slli_epi32(n, 23)))
#define PADICI_N __m512i
#define PADICI_DMADD(a, b, c) _mm512_fmadd_pd(a, b, c)
#define PADICI_DNMADD(a, b, c) _mm512_fnmadd_pd(a, b, c)
#define PADICI_DABS(x)                                                      \
    _mm512_castsi512_pd(_mm512_and_si512(_mm512_castpd_si512(x),            \
                                         _mm512_set1_epi64(0x7fffffffffffffff)))
#define PADICI_DLESS(a, b) _mm512_cmp_pd_mask(a, b, _CMP_LT_OQ)
#define PADICI_DPICK(g, yes, no) _mm512_mask_blend_pd(g, no, yes)
#define PADICI_DBITS(g) ((uint32_t)(g))
#define PADICI_CUT(x) _mm512_cvttps_epi32(x)
#define PADICI_NSTORE(to, n) _mm512_storeu_si512((void *)(to), n)
#define PADICI_SPLIT(from, re, im)                                                             \
    do {                                                                                       \
        const __m512 a_ = _mm512_loadu_ps(from), b_ = _mm512_loadu_ps((from) + 16);            \
        (re) = _mm512_permutex2var_ps(a_, _mm512_set_epi32(30, 28, 26, 24, 22, 20, 18, 16, 14, \
                                                           12, 10, 8, 6, 4, 2, 0), b_);        \
        (im) = _mm512_permutex2var_ps(a_, _mm512_set_epi32(31, 29, 27, 25, 23, 21, 19, 17, 15, \
                                                           13, 11, 9, 7, 5, 3, 1), b_);        \
    } while (0)
#define PADICI_BLOCKS(from, re, im)                                                            \
    do {                                                                                       \
        const __m512i g_ = _mm512_i64gather_epi64(                                             \
            _mm512_set_epi64(14336, 12288, 10240, 8192, 6144, 4096, 2048, 0),                  \
            (const void *)(from), 1);                                                          \
        (re) = _mm512_cvtps_pd(_mm256_castsi256_ps(_mm512_cvtepi64_epi32(g_)));                \
        (im) = _mm512_cvtps_pd(                                                                \
            _mm256_castsi256_ps(_mm512_cvtepi64_epi32(_mm512_srli_epi64(g_, 32))));            \
    } while (0)
#elif PADICI_ISA_LEVEL == 2
#define PADICI_TARGET PADICI_AVX2
#define PADICI_VF __m256
#define PADICI_VD __m256d
#define PADICI_VG __m256
#define PADICI_VDG __m256d
#define PADICI_F(op) _mm256_##op##_ps
#define PADICI_D(op) _mm256_##op##_pd
#define PADICI_LANES 8u
#define PADICI_ROOT0(x) _mm256_rsqrt_ps(x)
#define PADICI_PART0(x) _mm256_rcp_ps(x)
#define PADICI_TINY(x) _mm256_cmp_ps(x, _mm256_set1_ps(FLT_MIN), _CMP_LT_OQ)
#define PADICI_DROP(g, x) _mm256_andnot_ps(g, x)
#define PADICI_ANY(g) _mm256_movemask_ps(g)
#define PADICI_G0 _mm256_setzero_ps()
#define PADICI_OR(a, b) _mm256_or_ps(a, b)
#define PADICI_DTINY(x) _mm256_cmp_pd(x, _mm256_set1_pd(FLT_MIN), _CMP_LT_OQ)
#define PADICI_DDROP(g, x) _mm256_andnot_pd(g, x)
#define PADICI_DANY(g) _mm256_movemask_pd(g)
#define PADICI_DG0 _mm256_setzero_pd()
#define PADICI_DOR(a, b) _mm256_or_pd(a, b)
#define PADICI_DROUND(x) _mm256_round_pd(x, 8)
#define PADICI_LOW(x) _mm256_cvtps_pd(_mm256_castps256_ps128(x))
#define PADICI_HIGH(x) _mm256_cvtps_pd(_mm256_extractf128_ps(x, 1))
#define PADICI_JOIN(a, b) \
    _mm256_insertf128_ps(_mm256_castps128_ps256(_mm256_cvtpd_ps(a)), _mm256_cvtpd_ps(b), 1)
#define PADICI_NEAREST(x) _mm256_cvtps_epi32(x)
#define PADICI_WHOLE(n) _mm256_cvtepi32_ps(n)
#define PADICI_FLIP(x, n) \
    _mm256_castsi256_ps( \
        _mm256_xor_si256(_mm256_castps_si256(x), _mm256_slli_epi32(n, 31)))
#define PADICI_SCALE(x, n) \
    _mm256_castsi256_ps( \
        _mm256_add_epi32(_mm256_castps_si256(x), _mm256_slli_epi32(n, 23)))
#define PADICI_N __m256i
#define PADICI_DMADD(a, b, c) _mm256_fmadd_pd(a, b, c)
#define PADICI_DNMADD(a, b, c) _mm256_fnmadd_pd(a, b, c)
#define PADICI_DABS(x) _mm256_andnot_pd(_mm256_set1_pd(-0.0), x)
#define PADICI_DLESS(a, b) _mm256_cmp_pd(a, b, _CMP_LT_OQ)
#define PADICI_DPICK(g, yes, no) _mm256_blendv_pd(no, yes, g)
#define PADICI_DBITS(g) ((uint32_t)_mm256_movemask_pd(g))
#define PADICI_CUT(x) _mm256_cvttps_epi32(x)
#define PADICI_NSTORE(to, n) _mm256_storeu_si256((__m256i *)(void *)(to), n)
#define PADICI_SPLIT(from, re, im)                                                             \
    do {                                                                                       \
        const __m256 a_ = _mm256_loadu_ps(from), b_ = _mm256_loadu_ps((from) + 8);             \
        (re) = _mm256_castpd_ps(_mm256_permute4x64_pd(                                         \
            _mm256_castps_pd(_mm256_shuffle_ps(a_, b_, 0x88)), 0xd8));                         \
        (im) = _mm256_castpd_ps(_mm256_permute4x64_pd(                                         \
            _mm256_castps_pd(_mm256_shuffle_ps(a_, b_, 0xdd)), 0xd8));                         \
    } while (0)
#define PADICI_BLOCKS(from, re, im)                                                            \
    do {                                                                                       \
        const __m256i g_ = _mm256_i64gather_epi64((const long long *)(const void *)(from),     \
                                                  _mm256_set_epi64x(6144, 4096, 2048, 0), 1);  \
        const __m256i h_ = _mm256_permutevar8x32_epi32(                                        \
            g_, _mm256_set_epi32(7, 5, 3, 1, 6, 4, 2, 0));                                     \
        (re) = _mm256_cvtps_pd(_mm_castsi128_ps(_mm256_castsi256_si128(h_)));                  \
        (im) = _mm256_cvtps_pd(_mm_castsi128_ps(_mm256_extracti128_si256(h_, 1)));             \
    } while (0)
#else
#define PADICI_TARGET
#define PADICI_VF float32x4_t
#define PADICI_VD float64x2_t
#define PADICI_VG uint32x4_t
#define PADICI_VDG uint64x2_t
#define PADICI_LANES 4u
#define PADICI_F(op) PADICI_F_##op
#define PADICI_D(op) PADICI_D_##op
#define PADICI_F_set1 vdupq_n_f32
#define PADICI_F_loadu vld1q_f32
#define PADICI_F_storeu vst1q_f32
#define PADICI_F_add vaddq_f32
#define PADICI_F_sub vsubq_f32
#define PADICI_F_mul vmulq_f32
#define PADICI_F_max vmaxq_f32
#define PADICI_F_min vminq_f32
#define PADICI_F_sqrt vsqrtq_f32
#define PADICI_F_setzero() vdupq_n_f32(0)
#define PADICI_F_fmadd(a, b, c) vfmaq_f32(c, a, b)
#define PADICI_F_fnmadd(a, b, c) vfmsq_f32(c, a, b)
#define PADICI_D_set1 vdupq_n_f64
#define PADICI_D_loadu vld1q_f64
#define PADICI_D_storeu vst1q_f64
#define PADICI_D_add vaddq_f64
#define PADICI_D_sub vsubq_f64
#define PADICI_D_mul vmulq_f64
#define PADICI_D_div vdivq_f64
#define PADICI_D_max vmaxq_f64
#define PADICI_D_sqrt vsqrtq_f64
#define PADICI_ROOT0(x) PADICI_WK(root0)(x)
#define PADICI_PART0(x) PADICI_WK(part0)(x)
#define PADICI_TINY(x) vcltq_f32(x, vdupq_n_f32(FLT_MIN))
#define PADICI_DROP(g, x) vreinterpretq_f32_u32(vbicq_u32(vreinterpretq_u32_f32(x), g))
#define PADICI_ANY(g) vmaxvq_u32(g)
#define PADICI_G0 vdupq_n_u32(0)
#define PADICI_OR(a, b) vorrq_u32(a, b)
#define PADICI_DTINY(x) vcltq_f64(x, vdupq_n_f64(FLT_MIN))
#define PADICI_DDROP(g, x) vreinterpretq_f64_u64(vbicq_u64(vreinterpretq_u64_f64(x), g))
#define PADICI_DANY(g) (vgetq_lane_u64(g, 0) | vgetq_lane_u64(g, 1))
#define PADICI_DG0 vdupq_n_u64(0)
#define PADICI_DOR(a, b) vorrq_u64(a, b)
#define PADICI_DROUND(x) vrndnq_f64(x)
#define PADICI_LOW(x) vcvt_f64_f32(vget_low_f32(x))
#define PADICI_HIGH(x) vcvt_high_f64_f32(x)
#define PADICI_JOIN(a, b) vcvt_high_f32_f64(vcvt_f32_f64(a), b)
#define PADICI_NEAREST(x) vcvtnq_s32_f32(x)
#define PADICI_WHOLE(n) vcvtq_f32_s32(n)
#define PADICI_FLIP(x, n)                                   \
    vreinterpretq_f32_u32(veorq_u32(vreinterpretq_u32_f32(x), \
                                    vreinterpretq_u32_s32(vshlq_n_s32(n, 31))))
#define PADICI_SCALE(x, n) \
    vreinterpretq_f32_s32(vaddq_s32(vreinterpretq_s32_f32(x), vshlq_n_s32(n, 23)))
#define PADICI_N int32x4_t
#define PADICI_D_min vminq_f64
#define PADICI_DMADD(a, b, c) vfmaq_f64(c, a, b)
#define PADICI_DNMADD(a, b, c) vfmsq_f64(c, a, b)
#define PADICI_DABS(x) vabsq_f64(x)
#define PADICI_DLESS(a, b) vcltq_f64(a, b)
#define PADICI_DPICK(g, yes, no) vbslq_f64(g, yes, no)
#define PADICI_DBITS(g) \
    ((uint32_t)(vgetq_lane_u64(g, 0) & 1) | (uint32_t)(vgetq_lane_u64(g, 1) & 2))
#define PADICI_CUT(x) vcvtq_s32_f32(x)
#define PADICI_NSTORE(to, n) vst1q_s32(to, n)
#define PADICI_SPLIT(from, re, im)                \
    do {                                          \
        const float32x4x2_t a_ = vld2q_f32(from); \
        (re) = a_.val[0];                         \
        (im) = a_.val[1];                         \
    } while (0)
#define PADICI_BLOCKS(from, re, im)                                            \
    do {                                                                       \
        const float32x2_t a_ = vld1_f32(from), b_ = vld1_f32((from) + 512);    \
        (re) = vcvt_f64_f32(vtrn1_f32(a_, b_));                                \
        (im) = vcvt_f64_f32(vtrn2_f32(a_, b_));                                \
    } while (0)
PADICI_INLINE PADICI_VF PADICI_WK(root0)(PADICI_VF x)
{
    const PADICI_VF y = vrsqrteq_f32(x); // 8 bits
    return vmulq_f32(y, vrsqrtsq_f32(vmulq_f32(x, y), y));
}

PADICI_INLINE PADICI_VF PADICI_WK(part0)(PADICI_VF x)
{
    const PADICI_VF y = vrecpeq_f32(x);
    return vmulq_f32(y, vrecpsq_f32(x, y));
}
#endif

#define PADICI_SET(x) PADICI_F(set1)(x)
#define PADICI_ADD(a, b) PADICI_F(add)(a, b)
#define PADICI_MUL(a, b) PADICI_F(mul)(a, b)
#define PADICI_MADD(a, b, c) PADICI_F(fmadd)(a, b, c)
#define PADICI_NMADD(a, b, c) PADICI_F(fnmadd)(a, b, c)

// 1/sqrt(x): y (1 + e/2 + 3 e^2/8), e = 1 - x y^2.
PADICI_TARGET PADICI_INLINE PADICI_VF PADICI_WK(root)(PADICI_VF x)
{
    const PADICI_VF y = PADICI_ROOT0(x), e = PADICI_NMADD(PADICI_MUL(x, y), y, PADICI_SET(1.0f));
    return PADICI_MADD(PADICI_MUL(y, e), PADICI_MADD(PADICI_SET(0.375f), e, PADICI_SET(0.5f)), y);
}

// 1/x: y (1 + e + e^2), e = 1 - x y.
PADICI_TARGET PADICI_INLINE PADICI_VF PADICI_WK(part)(PADICI_VF x)
{
    const PADICI_VF y = PADICI_PART0(x), e = PADICI_NMADD(x, y, PADICI_SET(1.0f));
    return PADICI_MADD(PADICI_MUL(y, e), PADICI_ADD(e, PADICI_SET(1.0f)), y);
}

// sum += size e^{i pi t}.
PADICI_TARGET PADICI_INLINE void PADICI_WK(wave)(PADICI_VF t, PADICI_VF size, PADICI_VF *re,
                                              PADICI_VF *im)
{
    const PADICI_N n = PADICI_NEAREST(t);
    const PADICI_VF g = PADICI_F(sub)(t, PADICI_WHOLE(n)), z = PADICI_MUL(g, g);
    PADICI_VF s = PADICI_MADD(PADICI_SET(-0.5546361974f), z, PADICI_SET(2.541899028f));
    PADICI_VF c = PADICI_MADD(PADICI_SET(0.2196967987f), z, PADICI_SET(-1.3318801613f));
    s = PADICI_MADD(s, z, PADICI_SET(-5.1671427964f));
    c = PADICI_MADD(c, z, PADICI_SET(4.0584119042f));
    s = PADICI_MADD(s, z, PADICI_SET(3.1415820222f));
    c = PADICI_MADD(c, z, PADICI_SET(-4.9347928587f));
    size = PADICI_FLIP(size, n);
    c = PADICI_MADD(c, z, PADICI_SET(0.9999999535f));
    *re = PADICI_MADD(size, c, *re);
    *im = PADICI_MADD(PADICI_MUL(size, g), s, *im);
}

PADICI_TARGET PADICI_INLINE void PADICI_WK(add)(padici_wave_tile *t, uint32_t i, PADICI_VF re,
                                                PADICI_VF im)
{
    const uint32_t half = PADICI_LANES / 2;
    double *to = t->total[0] + i;
    PADICI_D(storeu)(to, PADICI_D(add)(PADICI_D(loadu)(to), PADICI_LOW(re)));
    PADICI_D(storeu)(to + half, PADICI_D(add)(PADICI_D(loadu)(to + half), PADICI_HIGH(re)));
    to = t->total[1] + i;
    PADICI_D(storeu)(to, PADICI_D(add)(PADICI_D(loadu)(to), PADICI_LOW(im)));
    PADICI_D(storeu)(to + half, PADICI_D(add)(PADICI_D(loadu)(to + half), PADICI_HIGH(im)));
}

#endif
