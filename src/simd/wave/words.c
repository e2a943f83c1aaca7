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

PADICI_TARGET PADICI_INLINE void PADICI_WK(add)(padici_tile *t, uint32_t i, PADICI_VF re,
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

// `soft` and `root` are constants where it is called.
PADICI_TARGET PADICI_INLINE void PADICI_WK(direct_as)(padici_tile *t, uint32_t soft, uint32_t root)
{
    const uint32_t n = t->count[0];
    const PADICI_VF add = PADICI_SET(t->add), least = PADICI_SET(t->least);
    const PADICI_VF widen = PADICI_SET(t->widen);
    PADICI_VG bad = PADICI_G0;
    uint32_t i, j, p;
    for (i = 0; i < t->vectors; i += 2 * PADICI_LANES) {
        PADICI_VF re[2], im[2], d[2][3];
        for (p = 0; p < 2; p++) {
            for (j = 0; j < 3; j++) d[p][j] = PADICI_F(loadu)(t->d[j] + i + p * PADICI_LANES);
            re[p] = im[p] = PADICI_F(setzero)();
        }
        for (j = 0; j < n; j++) {
            const padici_tile_source *s = &t->direct[j];
            for (p = 0; p < 2; p++) {
                const PADICI_VF x = PADICI_ADD(d[p][0], PADICI_SET(s->at[0]));
                const PADICI_VF y = PADICI_ADD(d[p][1], PADICI_SET(s->at[1]));
                const PADICI_VF z = PADICI_ADD(d[p][2], PADICI_SET(s->at[2]));
                PADICI_VF r2 = PADICI_MADD(z, z, PADICI_MADD(y, y, PADICI_MUL(x, x))), size, r;
                if (soft == PADICI_TILE_SOFT) r2 = PADICI_F(max)(PADICI_ADD(r2, add), least);
                if (soft == PADICI_TILE_PLUMMER) {
                    r = PADICI_F(sqrt)(r2);
                    size = PADICI_WK(root)(PADICI_ADD(r2, widen));
                } else {
                    size = PADICI_WK(root)(r2);
                    r = PADICI_MUL(r2, size);
                }
                if (root) size = PADICI_F(sqrt)(size);
                if (soft == PADICI_TILE_NONE) {
                    const PADICI_VG tiny = PADICI_TINY(r2);
                    bad = PADICI_OR(bad, tiny);
                    size = PADICI_DROP(tiny, size);
                    r = PADICI_DROP(tiny, r); // an estimate of 1/0 makes NaN
                }
                PADICI_WK(wave)(PADICI_MADD(PADICI_SET(s->wave), r, PADICI_SET(s->phase)),
                                PADICI_MUL(size, PADICI_SET(s->size)), &re[p], &im[p]);
            }
        }
        for (p = 0; p < 2; p++) PADICI_WK(add)(t, i + p * PADICI_LANES, re[p], im[p]);
    }
    if (PADICI_ANY(bad)) t->bad = 1;
}

PADICI_TARGET static void PADICI_WK(direct)(padici_tile *t)
{
    if (t->soft == PADICI_TILE_NONE && !t->root) PADICI_WK(direct_as)(t, PADICI_TILE_NONE, 0);
    else if (t->soft == PADICI_TILE_SOFT && !t->root) PADICI_WK(direct_as)(t, PADICI_TILE_SOFT, 0);
    else if (t->soft == PADICI_TILE_NONE) PADICI_WK(direct_as)(t, PADICI_TILE_NONE, 1);
    else if (t->soft == PADICI_TILE_SOFT) PADICI_WK(direct_as)(t, PADICI_TILE_SOFT, 1);
    else PADICI_WK(direct_as)(t, PADICI_TILE_PLUMMER, t->root);
}

PADICI_TARGET PADICI_INLINE void PADICI_WK(mid_as)(padici_tile *t, uint32_t soft, uint32_t root)
{
    const uint32_t n = t->count[1];
    const PADICI_VF widen = PADICI_SET(t->widen);
    uint32_t i, j, p;
    for (i = 0; i < t->vectors; i += 2 * PADICI_LANES) {
        PADICI_VF re[2], im[2], d[2][4];
        for (p = 0; p < 2; p++) {
            for (j = 0; j < 4; j++) d[p][j] = PADICI_F(loadu)(t->d[j] + i + p * PADICI_LANES);
            re[p] = im[p] = PADICI_F(setzero)();
        }
        for (j = 0; j < n; j++) {
            const padici_tile_source *s = &t->mid[j];
            for (p = 0; p < 2; p++) {
                PADICI_VF more = PADICI_MADD(d[p][0], PADICI_SET(s->at[0]), d[p][3]), r2, size, way;
                more = PADICI_MADD(d[p][1], PADICI_SET(s->at[1]), more);
                more = PADICI_MADD(d[p][2], PADICI_SET(s->at[2]), more);
                r2 = PADICI_ADD(more, PADICI_SET(s->r2));
                size = PADICI_WK(root)(r2);
                way = PADICI_MADD(r2, size, PADICI_SET(s->r0)); // r + r0
                way = PADICI_MUL(more, PADICI_WK(part)(way));
                if (soft == PADICI_TILE_PLUMMER) size = PADICI_WK(root)(PADICI_ADD(r2, widen));
                if (root) size = PADICI_F(sqrt)(size);
                PADICI_WK(wave)(PADICI_MADD(PADICI_SET(s->wave), way, PADICI_SET(s->phase)),
                                PADICI_MUL(size, PADICI_SET(s->size)), &re[p], &im[p]);
            }
        }
        for (p = 0; p < 2; p++) PADICI_WK(add)(t, i + p * PADICI_LANES, re[p], im[p]);
    }
}

PADICI_TARGET static void PADICI_WK(mid)(padici_tile *t)
{
    if (t->soft != PADICI_TILE_PLUMMER && !t->root) PADICI_WK(mid_as)(t, PADICI_TILE_NONE, 0);
    else PADICI_WK(mid_as)(t, t->soft, t->root);
}

PADICI_TARGET static void PADICI_WK(series)(padici_tile *t)
{
    const uint32_t n = t->count[3];
    uint32_t i, j, k, p;
    for (i = 0; i < t->vectors; i += 2 * PADICI_LANES) {
        PADICI_VF re[2], im[2], d[2][4];
        for (p = 0; p < 2; p++) {
            for (j = 0; j < 4; j++) d[p][j] = PADICI_F(loadu)(t->d[j] + i + p * PADICI_LANES);
            re[p] = im[p] = PADICI_F(setzero)();
        }
        for (j = 0; j < n; j++) {
            const padici_tile_far *s = &t->far_[j];
            for (p = 0; p < 2; p++) {
                PADICI_VF u = PADICI_MUL(d[p][3], PADICI_SET(s->square)), phase, size;
                u = PADICI_MADD(d[p][2], PADICI_SET(s->at[2]), u);
                u = PADICI_MADD(d[p][1], PADICI_SET(s->at[1]), u);
                u = PADICI_MADD(d[p][0], PADICI_SET(s->at[0]), u);
                phase = PADICI_MADD(PADICI_SET(s->phase[4]), u, PADICI_SET(s->phase[3]));
                size = PADICI_MADD(PADICI_SET(s->size[4]), u, PADICI_SET(s->size[3]));
                for (k = 3; k-- > 0;) {
                    phase = PADICI_MADD(phase, u, PADICI_SET(s->phase[k]));
                    size = PADICI_MADD(size, u, PADICI_SET(s->size[k]));
                }
                PADICI_WK(wave)(phase, size, &re[p], &im[p]);
            }
        }
        for (p = 0; p < 2; p++) PADICI_WK(add)(t, i + p * PADICI_LANES, re[p], im[p]);
    }
}

// Of a source, re and im: the wave in the middle row, its factors to the next row and to the one
// before, and what these are multiplied by from row to row, less 1.
typedef struct PADICI_WK(rows_at) {
    PADICI_VF z[2], up[2], down[2], more[2];
} PADICI_WK(rows_at);

// re + i im turned by the small angle `bend`, and stretched by e^e, e small.
PADICI_TARGET PADICI_INLINE void PADICI_WK(rows_factor)(PADICI_VF re, PADICI_VF im, PADICI_VF bend,
                                                        PADICI_VF e, PADICI_VF to[2])
{
    const PADICI_VF one = PADICI_SET(1.0f);
    const PADICI_VF less = PADICI_NMADD(PADICI_MUL(PADICI_SET(0.5f), bend), bend, one);
    const PADICI_VF size = PADICI_MADD(e, PADICI_MADD(PADICI_SET(0.5f), e, one), one);
    const PADICI_VF x = PADICI_NMADD(im, bend, PADICI_MUL(re, less));
    const PADICI_VF y = PADICI_MADD(re, bend, PADICI_MUL(im, less));
    to[0] = PADICI_MUL(x, size);
    to[1] = PADICI_MUL(y, size);
}

// e^{i pi t}, sine and cosine to 5e-8.
PADICI_TARGET PADICI_INLINE void PADICI_WK(rows_turn)(PADICI_VF t, PADICI_VF *re, PADICI_VF *im)
{
    const PADICI_N n = PADICI_NEAREST(t);
    const PADICI_VF g = PADICI_F(sub)(t, PADICI_WHOLE(n)), z = PADICI_MUL(g, g);
    PADICI_VF s = PADICI_MADD(PADICI_SET(0.07722013f), z, PADICI_SET(-0.59804517f));
    PADICI_VF c = PADICI_MADD(PADICI_SET(0.2196967987f), z, PADICI_SET(-1.3318801613f));
    s = PADICI_MADD(s, z, PADICI_SET(2.55003138f));
    c = PADICI_MADD(c, z, PADICI_SET(4.0584119042f));
    s = PADICI_MADD(s, z, PADICI_SET(-5.16770688f));
    c = PADICI_MADD(c, z, PADICI_SET(-4.9347928587f));
    s = PADICI_MADD(s, z, PADICI_SET(3.14159258f));
    *re = PADICI_FLIP(PADICI_MADD(c, z, PADICI_SET(0.9999999535f)), n);
    *im = PADICI_FLIP(PADICI_MUL(s, g), n);
}

// At points i of the middle row; m: the part of r that lies along rows, p = step/r. After j rows r
// is r (1 + j p m + j^2 p^2 (1 - m^2)/2), ln r has grown by j p m + j^2 p^2 (1 - 2 m^2)/2.
PADICI_TARGET PADICI_INLINE void PADICI_WK(rows_begin)(const padici_tile *t,
                                                       const padici_tile_rows *s, uint32_t i,
                                                       PADICI_WK(rows_at) *to)
{
    const padici_tile_far *f = &s->far_;
    const PADICI_VF along = PADICI_F(loadu)(t->along + i);
    const PADICI_VF power = PADICI_SET(t->root ? 0.5f : 1.0f);
    PADICI_VF u = PADICI_MUL(PADICI_F(loadu)(t->d[3] + i), PADICI_SET(f->square)), phase, size;
    PADICI_VF inverse, m, p, turn, bend, first, second, x, y;
    uint32_t k;
    for (k = 3; k-- > 0;) u = PADICI_MADD(PADICI_F(loadu)(t->d[k] + i), PADICI_SET(f->at[k]), u);
    phase = PADICI_SET(f->phase[4]);
    size = PADICI_SET(f->size[4]);
    for (k = 4; k-- > 0;) {
        if (k) phase = PADICI_MADD(phase, u, PADICI_SET(f->phase[k]));
        size = PADICI_MADD(size, u, PADICI_SET(f->size[k]));
    }
    phase = PADICI_MUL(phase, u); // k (r - r0)
    inverse = PADICI_WK(root)(PADICI_MADD(u, PADICI_SET(s->r2), PADICI_SET(s->r2)));
    m = PADICI_MUL(PADICI_ADD(along, PADICI_SET(s->reach)), inverse);
    p = PADICI_MUL(PADICI_SET((float)t->step), inverse);
    // k step m is that of the centre and k step (along - (r - r0) reach/r0)/r
    turn = PADICI_NMADD(PADICI_SET(s->slant), phase, PADICI_MUL(PADICI_SET(s->wave), along));
    turn = PADICI_MADD(turn, inverse, PADICI_SET(s->turn));
    bend = PADICI_MUL(p, PADICI_NMADD(m, m, PADICI_SET(1.0f)));
    bend = PADICI_MUL(PADICI_SET(1.57079633f * s->wave), bend);
    first = PADICI_MUL(PADICI_MUL(power, p), m);
    second = PADICI_MUL(PADICI_MUL(power, PADICI_MUL(p, p)), // less, as amplitudes fall
                        PADICI_MADD(m, m, PADICI_SET(-0.5f)));
    PADICI_WK(rows_turn)(PADICI_ADD(phase, PADICI_SET(f->phase[0])), &x, &y);
    to->z[0] = PADICI_MUL(x, size);
    to->z[1] = PADICI_MUL(y, size);
    PADICI_WK(rows_turn)(turn, &x, &y);
    PADICI_WK(rows_factor)(x, y, bend, PADICI_F(sub)(second, first), to->up);
    PADICI_WK(rows_factor)(x, PADICI_F(sub)(PADICI_SET(0.0f), y), bend, PADICI_ADD(second, first),
                           to->down);
    p = PADICI_ADD(bend, bend);
    to->more[0] = PADICI_NMADD(p, bend, PADICI_ADD(second, second));
    to->more[1] = p;
}

// z *= w, added to the sums at i; w += w more.
PADICI_TARGET PADICI_INLINE void PADICI_WK(rows_step)(padici_tile *t, uint32_t i, PADICI_VF z[2],
                                                      PADICI_VF w[2], const PADICI_VF more[2])
{
    const PADICI_VF x = PADICI_NMADD(z[1], w[1], PADICI_MUL(z[0], w[0])), u = w[0], v = w[1];
    z[1] = PADICI_MADD(z[1], u, PADICI_MUL(z[0], v));
    z[0] = x;
    w[0] = PADICI_NMADD(v, more[1], PADICI_MADD(u, more[0], u));
    w[1] = PADICI_MADD(u, more[1], PADICI_MADD(v, more[0], v));
    PADICI_F(storeu)(t->frame[0] + i, PADICI_ADD(PADICI_F(loadu)(t->frame[0] + i), z[0]));
    PADICI_F(storeu)(t->frame[1] + i, PADICI_ADD(PADICI_F(loadu)(t->frame[1] + i), z[1]));
}

// Sums of rows are in memory: in that of frames, which come later.
PADICI_TARGET static void PADICI_WK(rows)(padici_tile *t)
{
    const uint32_t n = t->count[4], row = t->row, middle = t->row_count / 2;
    uint32_t i, j, k, part;
    memset(t->frame, 0, sizeof t->frame);
    for (i = middle * row; i < (middle + 1) * row; i += PADICI_LANES)
        for (j = 0; j < n; j++) {
            PADICI_WK(rows_at) at;
            PADICI_VF down[2];
            PADICI_WK(rows_begin)(t, &t->rows[j], i, &at);
            for (part = 0; part < 2; part++) {
                float *sum = t->frame[part] + i;
                down[part] = at.z[part];
                PADICI_F(storeu)(sum, PADICI_ADD(PADICI_F(loadu)(sum), at.z[part]));
            }
            for (k = 1; k < middle; k++) {
                PADICI_WK(rows_step)(t, i + k * row, at.z, at.up, at.more);
                PADICI_WK(rows_step)(t, i - k * row, down, at.down, at.more);
            }
            PADICI_WK(rows_step)(t, i - k * row, down, at.down, at.more);
        }
    for (i = 0; i < PADICI_TILE_POINTS; i += PADICI_LANES)
        PADICI_WK(add)(t, i, PADICI_F(loadu)(t->frame[0] + i), PADICI_F(loadu)(t->frame[1] + i));
}

// Half a vector in f64: phase in half-turns within [-1, 1], 1/r of the amplitude.
PADICI_TARGET PADICI_INLINE PADICI_VDG PADICI_WK(half)(const padici_tile *t,
                                                       const padici_tile_wide *s, uint32_t i,
                                                       PADICI_VD *phase, PADICI_VD *size)
{
    const PADICI_VD one = PADICI_D(set1)(1);
    PADICI_VD r2 = PADICI_D(set1)(0), r, turns;
    PADICI_VDG tiny = PADICI_DG0;
    uint32_t a;
    for (a = 0; a < 3; a++) {
        const PADICI_VD x = PADICI_D(sub)(PADICI_D(loadu)(t->at[a] + i), PADICI_D(set1)(s->at[a]));
        r2 = PADICI_D(add)(r2, PADICI_D(mul)(x, x));
    }
    r2 = PADICI_D(max)(PADICI_D(add)(r2, PADICI_D(set1)(t->wide_add)),
                       PADICI_D(set1)(t->wide_least));
    r = PADICI_D(sqrt)(r2);
    *size = r;
    if (t->soft == PADICI_TILE_PLUMMER)
        *size = PADICI_D(sqrt)(PADICI_D(add)(r2, PADICI_D(set1)(t->wide_widen)));
    if (t->root) *size = PADICI_D(sqrt)(*size);
    *size = PADICI_D(div)(PADICI_D(set1)(s->size), *size);
    if (t->soft == PADICI_TILE_NONE) {
        tiny = PADICI_DTINY(r2);
        *size = PADICI_DDROP(tiny, *size);
    }
    turns = PADICI_D(add)(PADICI_D(mul)(r, PADICI_D(set1)(s->wave)), PADICI_D(set1)(s->phase));
    turns = PADICI_D(sub)(turns, PADICI_DROUND(turns));
    *phase = PADICI_D(mul)(turns, PADICI_D(add)(one, one));
    return tiny;
}

PADICI_TARGET static void PADICI_WK(wide)(padici_tile *t)
{
    const uint32_t n = t->count[2];
    PADICI_VDG bad = PADICI_DG0;
    uint32_t i, j;
    for (i = 0; i < t->vectors; i += PADICI_LANES) {
        PADICI_VF re = PADICI_F(setzero)(), im = re;
        for (j = 0; j < n; j++) {
            PADICI_VD phase[2], size[2];
            bad = PADICI_DOR(bad, PADICI_WK(half)(t, &t->wide[j], i, &phase[0], &size[0]));
            bad = PADICI_DOR(bad, PADICI_WK(half)(t, &t->wide[j], i + PADICI_LANES / 2, &phase[1],
                                                  &size[1]));
            PADICI_WK(wave)(PADICI_JOIN(phase[0], phase[1]), PADICI_JOIN(size[0], size[1]), &re,
                            &im);
        }
        PADICI_WK(add)(t, i, re, im);
    }
#if PADICI_ISA_LEVEL >= 3
    if (bad) t->bad = 1;
#else
    if (PADICI_DANY(bad)) t->bad = 1;
#endif
}

// Slopes. Of a pair at distance r, its term psi and the way d: d (i k psi - psi q^2 r)/r, q^2 =
// 1/r^2, or 1/(r^2 + a^2); so kernels sum psi, and d times (i k/r - q^2) psi.

PADICI_TARGET PADICI_INLINE void PADICI_WK(sum)(double *to, PADICI_VF x)
{
    const uint32_t half = PADICI_LANES / 2;
    PADICI_D(storeu)(to, PADICI_D(add)(PADICI_D(loadu)(to), PADICI_LOW(x)));
    PADICI_D(storeu)(to + half, PADICI_D(add)(PADICI_D(loadu)(to + half), PADICI_HIGH(x)));
}

PADICI_TARGET PADICI_INLINE void PADICI_WK(slope_end)(padici_tile *t, uint32_t i,
                                                      const PADICI_VF sum[8])
{
    uint32_t j;
    for (j = 0; j < 2; j++) PADICI_WK(sum)(t->total[j] + i, sum[j]);
    for (j = 0; j < 6; j++) PADICI_WK(sum)(t->slope[j] + i, sum[2 + j]);
}

// phase in half-turns, size of the term, wave k in half-turns; inverse 1/r and q2 as above.
PADICI_TARGET PADICI_INLINE void PADICI_WK(slope_pair)(PADICI_VF phase, PADICI_VF size, float wave,
                                                       PADICI_VF inverse, PADICI_VF q2,
                                                       const PADICI_VF way[3], PADICI_VF sum[8])
{
    const PADICI_VF k = PADICI_MUL(inverse, PADICI_SET(3.14159265f * wave));
    PADICI_VF re = PADICI_SET(0.0f), im = re, x, y;
    uint32_t j;
    PADICI_WK(wave)(phase, size, &re, &im);
    x = PADICI_NMADD(k, im, PADICI_NMADD(q2, re, PADICI_SET(0.0f)));
    y = PADICI_MADD(k, re, PADICI_NMADD(q2, im, PADICI_SET(0.0f)));
    sum[0] = PADICI_ADD(sum[0], re);
    sum[1] = PADICI_ADD(sum[1], im);
    for (j = 0; j < 3; j++) {
        sum[2 + 2 * j] = PADICI_MADD(x, way[j], sum[2 + 2 * j]);
        sum[3 + 2 * j] = PADICI_MADD(y, way[j], sum[3 + 2 * j]);
    }
}

// Of r^2 (softened): r, 1/r, the size of the term without its amplitude, q^2.
PADICI_TARGET PADICI_INLINE void PADICI_WK(slope_size)(const padici_tile *t, PADICI_VF r2,
                                                       uint32_t soft, uint32_t root, PADICI_VF *r,
                                                       PADICI_VF *inverse, PADICI_VF *size,
                                                       PADICI_VF *q2)
{
    *inverse = PADICI_WK(root)(r2);
    if (soft == PADICI_TILE_PLUMMER) *inverse = PADICI_DROP(PADICI_TINY(r2), *inverse);
    *r = PADICI_MUL(r2, *inverse);
    *size = *inverse;
    if (soft == PADICI_TILE_PLUMMER)
        *size = PADICI_WK(root)(PADICI_ADD(r2, PADICI_SET(t->widen)));
    *q2 = PADICI_MUL(*size, *size);
    if (soft == PADICI_TILE_PLUMMER) *q2 = PADICI_DROP(PADICI_TINY(r2), *q2);
    if (!root) return;
    *q2 = PADICI_MUL(*q2, PADICI_SET(0.5f));
    *size = PADICI_F(sqrt)(*size);
}

PADICI_TARGET PADICI_INLINE void PADICI_WK(slope_direct_as)(padici_tile *t, uint32_t soft,
                                                            uint32_t root)
{
    const uint32_t n = t->count[0];
    PADICI_VG bad = PADICI_G0;
    uint32_t i, j, a;
    for (i = 0; i < t->vectors; i += PADICI_LANES) {
        PADICI_VF sum[8], d[3];
        for (a = 0; a < 3; a++) d[a] = PADICI_F(loadu)(t->d[a] + i);
        for (a = 0; a < 8; a++) sum[a] = PADICI_F(setzero)();
        for (j = 0; j < n; j++) {
            const padici_tile_source *s = &t->direct[j];
            PADICI_VF way[3], r2, r, inverse, size, q2;
            for (a = 0; a < 3; a++) way[a] = PADICI_ADD(d[a], PADICI_SET(s->at[a]));
            r2 = PADICI_MUL(way[0], way[0]);
            r2 = PADICI_MADD(way[2], way[2], PADICI_MADD(way[1], way[1], r2));
            if (soft == PADICI_TILE_SOFT) {
                const PADICI_VF own = PADICI_ADD(r2, PADICI_SET(t->add));
                r2 = PADICI_F(max)(own, PADICI_SET(t->least));
                PADICI_WK(slope_size)(t, r2, soft, root, &r, &inverse, &size, &q2);
                if (t->least > 0) { // inside nothing changes
                    const PADICI_VG in = PADICI_TINY(PADICI_F(sub)(own, PADICI_SET(t->least)));
                    inverse = PADICI_DROP(in, inverse);
                    q2 = PADICI_DROP(in, q2);
                }
            } else {
                PADICI_WK(slope_size)(t, r2, soft, root, &r, &inverse, &size, &q2);
            }
            if (soft == PADICI_TILE_NONE) {
                const PADICI_VG tiny = PADICI_TINY(PADICI_F(sub)(r2, PADICI_SET(t->close)));
                bad = PADICI_OR(bad, tiny);
                size = PADICI_DROP(tiny, size);
                inverse = PADICI_DROP(tiny, inverse);
                q2 = PADICI_DROP(tiny, q2);
                r = PADICI_DROP(tiny, r);
            }
            PADICI_WK(slope_pair)(PADICI_MADD(PADICI_SET(s->wave), r, PADICI_SET(s->phase)),
                                  PADICI_MUL(size, PADICI_SET(s->size)), s->wave, inverse, q2,
                                  way, sum);
        }
        PADICI_WK(slope_end)(t, i, sum);
    }
    if (PADICI_ANY(bad)) t->bad = 1;
}

PADICI_TARGET static void PADICI_WK(slope_direct)(padici_tile *t)
{
    if (t->soft == PADICI_TILE_NONE && !t->root)
        PADICI_WK(slope_direct_as)(t, PADICI_TILE_NONE, 0);
    else
        PADICI_WK(slope_direct_as)(t, t->soft, t->root);
}

PADICI_TARGET static void PADICI_WK(slope_mid)(padici_tile *t)
{
    const uint32_t n = t->count[1];
    uint32_t i, j, a;
    for (i = 0; i < t->vectors; i += PADICI_LANES) {
        PADICI_VF sum[8], d[4];
        for (a = 0; a < 4; a++) d[a] = PADICI_F(loadu)(t->d[a] + i);
        for (a = 0; a < 8; a++) sum[a] = PADICI_F(setzero)();
        for (j = 0; j < n; j++) {
            const padici_tile_source *s = &t->mid[j];
            PADICI_VF way[3], more = d[3], r2, r, inverse, size, q2, longer;
            for (a = 0; a < 3; a++) {
                more = PADICI_MADD(d[a], PADICI_SET(s->at[a]), more);
                way[a] = PADICI_MADD(PADICI_SET(0.5f), PADICI_SET(s->at[a]), d[a]);
            }
            r2 = PADICI_ADD(more, PADICI_SET(s->r2));
            PADICI_WK(slope_size)(t, r2, t->soft, t->root, &r, &inverse, &size, &q2);
            longer = PADICI_MUL(more, PADICI_WK(part)(PADICI_ADD(r, PADICI_SET(s->r0))));
            PADICI_WK(slope_pair)(PADICI_MADD(PADICI_SET(s->wave), longer, PADICI_SET(s->phase)),
                                  PADICI_MUL(size, PADICI_SET(s->size)), s->wave, inverse, q2,
                                  way, sum);
        }
        PADICI_WK(slope_end)(t, i, sum);
    }
}

// Half a vector in f64: phase, size with the amplitude, 1, q^2 r, the way over r, which f32 holds
// whatever r is.
PADICI_TARGET PADICI_INLINE PADICI_VDG PADICI_WK(slope_half)(const padici_tile *t,
                                                             const padici_tile_wide *s,
                                                             uint32_t i, PADICI_VD to[7])
{
    const PADICI_VD one = PADICI_D(set1)(1);
    PADICI_VD r2 = PADICI_D(set1)(0), own, r, turns, size;
    PADICI_VDG tiny = PADICI_DG0, in;
    uint32_t a;
    for (a = 0; a < 3; a++) {
        to[4 + a] = PADICI_D(sub)(PADICI_D(loadu)(t->at[a] + i), PADICI_D(set1)(s->at[a]));
        r2 = PADICI_D(add)(r2, PADICI_D(mul)(to[4 + a], to[4 + a]));
    }
    own = PADICI_D(add)(r2, PADICI_D(set1)(t->wide_add));
    r2 = PADICI_D(max)(own, PADICI_D(set1)(t->wide_least));
    r = PADICI_D(sqrt)(r2);
    size = r;
    if (t->soft == PADICI_TILE_PLUMMER)
        size = PADICI_D(sqrt)(PADICI_D(add)(r2, PADICI_D(set1)(t->wide_widen)));
    to[3] = PADICI_D(div)(r, PADICI_D(mul)(size, size));
    if (t->root) {
        to[3] = PADICI_D(mul)(to[3], PADICI_D(set1)(0.5));
        size = PADICI_D(sqrt)(size);
    }
    to[1] = PADICI_D(div)(PADICI_D(set1)(s->size), size);
    to[2] = one;
    for (a = 0; a < 3; a++) to[4 + a] = PADICI_D(div)(to[4 + a], r);
    if (t->soft == PADICI_TILE_NONE) {
        tiny = PADICI_DTINY(PADICI_D(sub)(r2, PADICI_D(set1)(PADICI_TILE_CLOSE)));
        for (a = 1; a < 7; a++) to[a] = PADICI_DDROP(tiny, to[a]);
    } else {
        in = PADICI_DLESS(own, PADICI_D(set1)(t->wide_inside));
        for (a = 2; a < 7; a++) to[a] = PADICI_DDROP(in, to[a]);
    }
    turns = PADICI_D(add)(PADICI_D(mul)(r, PADICI_D(set1)(s->wave)), PADICI_D(set1)(s->phase));
    turns = PADICI_D(sub)(turns, PADICI_DROUND(turns));
    to[0] = PADICI_D(mul)(turns, PADICI_D(add)(one, one));
    return tiny;
}

PADICI_TARGET static void PADICI_WK(slope_wide)(padici_tile *t)
{
    const uint32_t n = t->count[2];
    PADICI_VDG bad = PADICI_DG0;
    uint32_t i, j, a;
    for (i = 0; i < t->vectors; i += PADICI_LANES) {
        PADICI_VF sum[8];
        for (a = 0; a < 8; a++) sum[a] = PADICI_F(setzero)();
        for (j = 0; j < n; j++) {
            PADICI_VD low[7], high[7];
            PADICI_VF v[7];
            bad = PADICI_DOR(bad, PADICI_WK(slope_half)(t, &t->wide[j], i, low));
            bad = PADICI_DOR(bad,
                             PADICI_WK(slope_half)(t, &t->wide[j], i + PADICI_LANES / 2, high));
            for (a = 0; a < 7; a++) v[a] = PADICI_JOIN(low[a], high[a]);
            PADICI_WK(slope_pair)(v[0], v[1], (float)(2 * t->wide[j].wave), v[2], v[3], v + 4,
                                  sum);
        }
        PADICI_WK(slope_end)(t, i, sum);
    }
#if PADICI_ISA_LEVEL >= 3
    if (bad) t->bad = 1;
#else
    if (PADICI_DANY(bad)) t->bad = 1;
#endif
}

// A frame: the waves of all frequencies by its factors.
PADICI_TARGET static void PADICI_WK(frame)(padici_tile *t)
{
    uint32_t i, j, p;
    for (i = 0; i < t->vectors; i += 2 * PADICI_LANES) {
        PADICI_VD total[2][4];
        uint64_t g = 0;
        for (p = 0; p < 2; p++)
            for (j = 0; j < 4; j++) total[p][j] = PADICI_D(set1)(0);
        while (g < t->groups) {
            const uint64_t end = t->groups - g < 32 ? t->groups : g + 32;
            PADICI_VF re[2], im[2];
            for (p = 0; p < 2; p++) re[p] = im[p] = PADICI_F(setzero)();
            for (; g < end; g++) {
                const float *wave = t->waves + g * 2 * PADICI_TILE_POINTS + i;
                const PADICI_VF c = PADICI_SET(t->factors[2 * g]);
                const PADICI_VF s = PADICI_SET(t->factors[2 * g + 1]);
                for (p = 0; p < 2; p++, wave += PADICI_LANES) {
                    const PADICI_VF x = PADICI_F(loadu)(wave);
                    const PADICI_VF y = PADICI_F(loadu)(wave + PADICI_TILE_POINTS);
                    re[p] = PADICI_NMADD(s, y, PADICI_MADD(c, x, re[p]));
                    im[p] = PADICI_MADD(s, x, PADICI_MADD(c, y, im[p]));
                }
            }
            for (p = 0; p < 2; p++) {
                total[p][0] = PADICI_D(add)(total[p][0], PADICI_LOW(re[p]));
                total[p][1] = PADICI_D(add)(total[p][1], PADICI_HIGH(re[p]));
                total[p][2] = PADICI_D(add)(total[p][2], PADICI_LOW(im[p]));
                total[p][3] = PADICI_D(add)(total[p][3], PADICI_HIGH(im[p]));
            }
        }
        for (p = 0; p < 2; p++) {
            PADICI_F(storeu)(t->frame[0] + i + p * PADICI_LANES,
                             PADICI_JOIN(total[p][0], total[p][1]));
            PADICI_F(storeu)(t->frame[1] + i + p * PADICI_LANES,
                             PADICI_JOIN(total[p][2], total[p][3]));
        }
    }
}

// tanh(x), x >= 0: p/(p + 2), p = e^{2x} - 1 = (2^n - 1) + 2^n (2^f - 1), 2x/ln 2 = n + f.
PADICI_TARGET PADICI_INLINE PADICI_VF PADICI_WK(tanh)(PADICI_VF x)
{
    const PADICI_VF y = PADICI_MUL(PADICI_F(min)(x, PADICI_SET(10.0f)), PADICI_SET(2.885390082f));
    const PADICI_N n = PADICI_NEAREST(y);
    const PADICI_VF f = PADICI_F(sub)(y, PADICI_WHOLE(n)), two = PADICI_SCALE(PADICI_SET(1.0f), n);
    PADICI_VF g = PADICI_MADD(PADICI_SET(1.5252734e-5f), f, PADICI_SET(1.5403530e-4f)), p;
    g = PADICI_MADD(g, f, PADICI_SET(1.3333558e-3f)); // (ln 2)^k/k!
    g = PADICI_MADD(g, f, PADICI_SET(9.6181291e-3f));
    g = PADICI_MADD(g, f, PADICI_SET(5.5504109e-2f));
    g = PADICI_MADD(g, f, PADICI_SET(0.24022651f));
    g = PADICI_MADD(g, f, PADICI_SET(0.69314718f));
    p = PADICI_MADD(two, PADICI_MUL(g, f), PADICI_F(sub)(two, PADICI_SET(1.0f)));
    return PADICI_MUL(p, PADICI_WK(part)(PADICI_ADD(p, PADICI_SET(2.0f))));
}

// Half a vector of (point - c).e; f64, because points far along an axis may be near to it.
PADICI_TARGET PADICI_INLINE PADICI_VD PADICI_WK(along)(const padici_wave_places *places,
                                                       uint32_t i, const double c[3],
                                                       const double e[3])
{
    PADICI_VD sum = PADICI_D(mul)(PADICI_D(sub)(PADICI_D(loadu)(places->at[0] + i),
                                                PADICI_D(set1)(c[0])), PADICI_D(set1)(e[0]));
    uint32_t k;
    for (k = 1; k < 3; k++)
        sum = PADICI_D(add)(sum, PADICI_D(mul)(PADICI_D(sub)(PADICI_D(loadu)(places->at[k] + i),
                                                             PADICI_D(set1)(c[k])),
                                               PADICI_D(set1)(e[k])));
    return sum;
}

// Points i, ... along axis k, less c.
PADICI_TARGET PADICI_INLINE PADICI_VF PADICI_WK(from)(const padici_wave_places *places, uint32_t i,
                                                      uint32_t k, double c)
{
    const double *at = places->at[k] + i;
    return PADICI_JOIN(PADICI_D(sub)(PADICI_D(loadu)(at), PADICI_D(set1)(c)),
                       PADICI_D(sub)(PADICI_D(loadu)(at + PADICI_LANES / 2), PADICI_D(set1)(c)));
}

// What makes z a factor of charge 1; LEGACY: of modulus 1, and *modulus. Marks lanes where f32 is
// not enough.
PADICI_TARGET PADICI_INLINE PADICI_VF PADICI_WK(core)(padic_wave_core core, PADICI_VF rho2,
                                                      PADICI_VF d2, float xi, PADICI_VF *modulus,
                                                      PADICI_VG *bad)
{
    const PADICI_VF one = PADICI_SET(1.0f), part = PADICI_SET(1 / xi);
    PADICI_VF r = rho2, x, size;
    if (core == PADIC_WAVE_RATIONAL) {
        r = PADICI_ADD(r, PADICI_SET(xi * xi));
        size = PADICI_WK(root)(r);
    } else if (core == PADIC_WAVE_PADE) {
        const PADICI_VF a1 = PADICI_SET(0.3401100f), a2 = PADICI_SET(0.0464431f);
        x = PADICI_MUL(rho2, PADICI_MUL(part, part));
        size = PADICI_MADD(PADICI_MADD(a2, x, PADICI_ADD(a1, a2)), x, one);
        size = PADICI_MUL(PADICI_MADD(a2, x, a1), PADICI_WK(part)(size));
        size = PADICI_MUL(PADICI_MUL(size, PADICI_WK(root)(size)), part);
        r = PADICI_MADD(x, PADICI_MUL(x, PADICI_SET(1e18f)), one);
    } else {
        size = PADICI_WK(root)(rho2);
    }
    if (core == PADIC_WAVE_CORE_LEGACY) {
        x = PADICI_MUL(PADICI_MUL(d2, PADICI_WK(root)(d2)), part);
        *modulus = PADICI_WK(tanh)(x);
        *bad = PADICI_OR(*bad, PADICI_TINY(PADICI_F(sub)(PADICI_SET(1e37f), d2)));
    }
    *bad = PADICI_OR(*bad, PADICI_TINY(r));
    *bad = PADICI_OR(*bad, PADICI_TINY(PADICI_F(sub)(PADICI_SET(1e37f), r)));
    return size;
}

// (point - c) along axis a: high words first, whose difference is exact where it is small.
PADICI_TARGET PADICI_INLINE PADICI_VF PADICI_WK(apart)(const padici_vortex_block *b, uint32_t i,
                                                       const padici_vortex_line *l, uint32_t a)
{
    return PADICI_ADD(PADICI_F(sub)(PADICI_F(loadu)(b->at[a][0] + i), PADICI_SET(l->at[a][0])),
                      PADICI_F(sub)(PADICI_F(loadu)(b->at[a][1] + i), PADICI_SET(l->at[a][1])));
}

// `core` is a constant where it is called. Extremes of what goes under a root are kept: outside of
// f32's numbers the reference does the points again.
PADICI_TARGET PADICI_INLINE void PADICI_WK(vortex_as)(padici_vortex_block *b, padic_wave_core core)
{
    const PADICI_VF one = PADICI_SET(1.0f);
    uint64_t j;
    uint32_t i, k;
    for (i = 0; i < b->points; i += PADICI_LANES) {
        PADICI_VF pr = PADICI_F(loadu)(b->psi[0] + i), pi = PADICI_F(loadu)(b->psi[1] + i);
        PADICI_VF least = one, most = one;
        PADICI_VG bad;
        for (j = 0; j < b->lines; j++) {
            const padici_vortex_line *l = &b->line[j];
            PADICI_VF zr = PADICI_WK(apart)(b, i, l, 0), zi = PADICI_WK(apart)(b, i, l, 1);
            const PADICI_VF rho2 = PADICI_MADD(zr, zr, PADICI_MUL(zi, zi));
            PADICI_VF r = rho2, size, next;
            if (core == PADIC_WAVE_RATIONAL) {
                r = PADICI_ADD(r, PADICI_SET(l->core * l->core));
                size = PADICI_WK(root)(r);
            } else if (core == PADIC_WAVE_PADE) {
                const PADICI_VF a1 = PADICI_SET(0.3401100f), a2 = PADICI_SET(0.0464431f);
                const PADICI_VF x = PADICI_MUL(rho2, PADICI_SET(l->part * l->part));
                size = PADICI_MADD(PADICI_MADD(a2, x, PADICI_ADD(a1, a2)), x, one);
                size = PADICI_MUL(PADICI_MADD(a2, x, a1), PADICI_WK(part)(size));
                size = PADICI_MUL(PADICI_MUL(size, PADICI_WK(root)(size)), PADICI_SET(l->part));
                r = PADICI_MADD(x, PADICI_MUL(x, PADICI_SET(1e18f)), one);
            } else {
                size = PADICI_WK(root)(rho2);
            }
            least = PADICI_F(min)(r, least);
            most = PADICI_F(max)(r, most);
            if (core == PADIC_WAVE_CORE_LEGACY) { // once, then powers of a unit
                const PADICI_VF z = PADICI_WK(apart)(b, i, l, 2), d2 = PADICI_MADD(z, z, rho2);
                const PADICI_VF modulus = PADICI_WK(tanh)(
                    PADICI_MUL(PADICI_MUL(d2, PADICI_WK(root)(d2)), PADICI_SET(l->part)));
                most = PADICI_F(max)(d2, most);
                pr = PADICI_MUL(pr, modulus);
                pi = PADICI_MUL(pi, modulus);
            }
            zr = PADICI_MUL(zr, size);
            zi = PADICI_MUL(zi, PADICI_MUL(size, PADICI_SET(l->sign)));
            for (k = 0; k < l->charge; k++) {
                next = PADICI_NMADD(pi, zi, PADICI_MUL(pr, zr));
                pi = PADICI_MADD(pr, zi, PADICI_MUL(pi, zr));
                pr = next;
            }
        }
        bad = PADICI_OR(PADICI_TINY(least),
                        PADICI_TINY(PADICI_F(sub)(PADICI_SET(1e37f), most)));
        if (PADICI_ANY(bad)) b->bad |= ((1u << PADICI_LANES / 4) - 1) << i / 4;
        PADICI_F(storeu)(b->psi[0] + i, pr);
        PADICI_F(storeu)(b->psi[1] + i, pi);
    }
}

PADICI_TARGET static void PADICI_WK(vortex)(padici_vortex_block *b)
{
    if (b->core == PADIC_WAVE_RATIONAL) PADICI_WK(vortex_as)(b, PADIC_WAVE_RATIONAL);
    else if (b->core == PADIC_WAVE_PADE) PADICI_WK(vortex_as)(b, PADIC_WAVE_PADE);
    else if (b->core == PADIC_WAVE_CORE_NONE) PADICI_WK(vortex_as)(b, PADIC_WAVE_CORE_NONE);
    else PADICI_WK(vortex_as)(b, PADIC_WAVE_CORE_LEGACY);
}

// padici_wave_lines.
PADICI_TARGET static void PADICI_WK(lines)(padic_wave_core core, const padici_wave_line *lines,
                                           uint32_t n, const padici_wave_places *places,
                                           uint32_t first, uint32_t end, padici_complex *products)
{
    float re[PADICI_LANES], im[PADICI_LANES];
    uint32_t i, j, k;
    for (j = 0; j < n; j++) { // charges of LEGACY may be any, cores beyond f32
        const padici_wave_line *l = &lines[j];
        if (l->charge != floor(l->charge)) break;
        if (!(fabs(l->centre[0]) < 1e150 && fabs(l->centre[1]) < 1e150 &&
              fabs(l->centre[2]) < 1e150))
            break;
        if (core != PADIC_WAVE_CORE_NONE && !(l->core > 1e-18 && l->core < 1e18)) break;
    }
    if (j < n) {
        padici_wave_lines_plain(core, lines, n, places, first, end, products);
        return;
    }
    for (i = first; i < end; i += PADICI_LANES) {
        PADICI_VF pr = PADICI_SET(1.0f), pi = PADICI_SET(0.0f);
        PADICI_VG bad = PADICI_G0;
        for (j = 0; j < n; j++) {
            const padici_wave_line *l = &lines[j];
            PADICI_VF d, zr, zi, d2, size, next, modulus = pr;
            const uint32_t charge = (uint32_t)fabs(l->charge);
            if (!charge && core != PADIC_WAVE_CORE_LEGACY) continue;
            if (l->e1[0] == 1 && l->e2[1] == 1) { // along +z
                zr = PADICI_WK(from)(places, i, 0, l->centre[0]);
                zi = PADICI_WK(from)(places, i, 1, l->centre[1]);
            } else {
                zr = PADICI_JOIN(PADICI_WK(along)(places, i, l->centre, l->e1),
                                 PADICI_WK(along)(places, i + PADICI_LANES / 2, l->centre, l->e1));
                zi = PADICI_JOIN(PADICI_WK(along)(places, i, l->centre, l->e2),
                                 PADICI_WK(along)(places, i + PADICI_LANES / 2, l->centre, l->e2));
            }
            d2 = PADICI_MADD(zr, zr, PADICI_MUL(zi, zi));
            d = zr;
            if (core == PADIC_WAVE_CORE_LEGACY) d = PADICI_WK(from)(places, i, 2, l->centre[2]);
            size = PADICI_WK(core)(core, d2, PADICI_MADD(d, d, d2),
                                   core == PADIC_WAVE_CORE_NONE ? 1.0f : (float)l->core, &modulus,
                                   &bad);
            if (core == PADIC_WAVE_CORE_LEGACY) { // once, then powers of a unit
                pr = PADICI_MUL(pr, modulus);
                pi = PADICI_MUL(pi, modulus);
            }
            zr = PADICI_MUL(zr, size);
            zi = PADICI_MUL(zi, l->charge < 0 ? PADICI_MUL(size, PADICI_SET(-1.0f)) : size);
            for (k = 0; k < charge; k++) {
                next = PADICI_NMADD(pi, zi, PADICI_MUL(pr, zr));
                pi = PADICI_MADD(pr, zi, PADICI_MUL(pi, zr));
                pr = next;
            }
        }
        PADICI_F(storeu)(re, pr);
        PADICI_F(storeu)(im, pi);
        for (k = 0; k < PADICI_LANES && i + k < end; k++) {
            const padici_complex factor = {(double)re[k], (double)im[k]};
            if (PADICI_ANY(bad))
                padici_wave_lines_plain(core, lines, n, places, i + k, i + k + 1, products);
            else
                products[i + k] = padici_wave_times(products[i + k], factor);
        }
    }
}

