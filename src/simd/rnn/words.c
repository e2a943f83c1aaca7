// @per-level
#if (!defined(PADIC_NO_RNN) || !defined(PADIC_NO_ROLLOUT) || !defined(PADIC_NO_PQ)) && \
    PADICI_REAL_SIZE == 4

// PADICI_V: a vector of floats, PADICI_W one of words. PART: the first n lanes, the others 0 and
// not read or written. HALF, BYTES: as many F16, I8 at p. PAIR: two vectors of BF16 at p, of which
// EVEN and ODD are every other one. WHOLE: the nearest integer, POWER: 2 to that. TOTAL: of lanes.

#if PADICI_ISA_LEVEL == 3
#define PADICI_TARGET PADICI_AVX512
#define PADICI_LANES 16
#define PADICI_ROWS 6
#define PADICI_V __m512
#define PADICI_W __m512i
#define PADICI_R(op) _mm512_##op##_ps
#define PADICI_I(op) _mm512_##op
#define PADICI_MASK(n) ((__mmask16)((1u << (n)) - 1))
#define PADICI_PART_LOAD(p, n) _mm512_maskz_loadu_ps(PADICI_MASK(n), p)
#define PADICI_PART_STORE(p, n, v) _mm512_mask_storeu_ps(p, PADICI_MASK(n), v)
#define PADICI_HALF(p) _mm512_cvtph_ps(_mm256_loadu_si256((const __m256i *)(const void *)(p)))
#define PADICI_BYTES(p)                                                                          \
    _mm512_cvtepi32_ps(_mm512_cvtepi8_epi32(_mm_loadu_si128((const __m128i *)(const void *)(p))))
#define PADICI_BFLOATS(p)                                                                        \
    _mm512_castsi512_ps(_mm512_slli_epi32(                                                       \
        _mm512_cvtepu16_epi32(_mm256_loadu_si256((const __m256i *)(const void *)(p))), 16))
#define PADICI_PAIR(p) _mm512_loadu_si512((const void *)(p))
#define PADICI_ODD(w)                                                                            \
    _mm512_castsi512_ps(_mm512_and_si512(w, _mm512_set1_epi32((int)0xffff0000u)))
#define PADICI_SIGNED(v, sign) /* the sign of `sign`, v being positive */                        \
    _mm512_castsi512_ps(_mm512_ternarylogic_epi32(_mm512_castps_si512(v),                        \
                                                  _mm512_castps_si512(sign),                     \
                                                  _mm512_set1_epi32((int)0x80000000u), 0xd8))
#define PADICI_MAGNITUDE(v)                                                                      \
    _mm512_castsi512_ps(                                                                         \
        _mm512_and_si512(_mm512_castps_si512(v), _mm512_set1_epi32(0x7fffffff)))
#define PADICI_IF_NEGATIVE(x, v, w) /* x < 0 ? v : w */                                          \
    _mm512_mask_blend_ps(_mm512_movepi32_mask(_mm512_castps_si512(x)), w, v)
#define PADICI_EVEN(w) _mm512_castsi512_ps(_mm512_slli_epi32(w, 16))
#define PADICI_POWER(n)                                                                          \
    _mm512_castsi512_ps(_mm512_slli_epi32(_mm512_add_epi32(n, _mm512_set1_epi32(127)), 23))
#define PADICI_HALVED(n) _mm512_srai_epi32(n, 1)
#define PADICI_LESS(n, m) _mm512_sub_epi32(n, m)
#define PADICI_WHOLE(v) _mm512_cvtps_epi32(v)
#define PADICI_FLOAT(n) _mm512_cvtepi32_ps(n)
#define PADICI_TOTAL(v) _mm512_reduce_add_ps(v)
#endif

#if PADICI_ISA_LEVEL == 2
#define PADICI_TARGET PADICI_AVX2
#define PADICI_LANES 8
#define PADICI_ROWS 2
#define PADICI_V __m256
#define PADICI_W __m256i
#define PADICI_R(op) _mm256_##op##_ps
#define PADICI_I(op) _mm256_##op
#define PADICI_MASK(n)                                                                           \
    _mm256_cmpgt_epi32(_mm256_set1_epi32((int)(n)), _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7))
#define PADICI_PART_LOAD(p, n) _mm256_maskload_ps(p, PADICI_MASK(n))
#define PADICI_PART_STORE(p, n, v) _mm256_maskstore_ps(p, PADICI_MASK(n), v)
#define PADICI_HALF(p) _mm256_cvtph_ps(_mm_loadu_si128((const __m128i *)(const void *)(p)))
#define PADICI_BYTES(p)                                                                          \
    _mm256_cvtepi32_ps(_mm256_cvtepi8_epi32(_mm_loadl_epi64((const __m128i *)(const void *)(p))))
#define PADICI_BFLOATS(p)                                                                        \
    _mm256_castsi256_ps(_mm256_slli_epi32(                                                       \
        _mm256_cvtepu16_epi32(_mm_loadu_si128((const __m128i *)(const void *)(p))), 16))
#define PADICI_PAIR(p) _mm256_loadu_si256((const __m256i *)(const void *)(p))
#define PADICI_ODD(w)                                                                            \
    _mm256_castsi256_ps(_mm256_and_si256(w, _mm256_set1_epi32((int)0xffff0000u)))
#define PADICI_SIGNED(v, sign)                                                                   \
    _mm256_or_ps(v, _mm256_and_ps(sign, _mm256_set1_ps(-0.0f)))
#define PADICI_MAGNITUDE(v) _mm256_andnot_ps(_mm256_set1_ps(-0.0f), v)
#define PADICI_IF_NEGATIVE(x, v, w) _mm256_blendv_ps(w, v, x)
#define PADICI_EVEN(w) _mm256_castsi256_ps(_mm256_slli_epi32(w, 16))
#define PADICI_POWER(n)                                                                          \
    _mm256_castsi256_ps(_mm256_slli_epi32(_mm256_add_epi32(n, _mm256_set1_epi32(127)), 23))
#define PADICI_HALVED(n) _mm256_srai_epi32(n, 1)
#define PADICI_LESS(n, m) _mm256_sub_epi32(n, m)
#define PADICI_WHOLE(v) _mm256_cvtps_epi32(v)
#define PADICI_FLOAT(n) _mm256_cvtepi32_ps(n)
#define PADICI_TOTAL(v) PADICI_RK(total)(v)
#endif

#if PADICI_ISA_LEVEL == 2
PADICI_TARGET PADICI_INLINE float PADICI_RK(total)(PADICI_V v)
{
    __m128 s = _mm_add_ps(_mm256_castps256_ps128(v), _mm256_extractf128_ps(v, 1));
    s = _mm_add_ps(s, _mm_movehl_ps(s, s));
    return _mm_cvtss_f32(_mm_add_ss(s, _mm_movehdup_ps(s)));
}
#endif

#if PADICI_ISA_LEVEL >= 2
#define PADICI_NONE PADICI_R(setzero)()
#define PADICI_SET PADICI_R(set1)
#define PADICI_LOAD PADICI_R(loadu)
#define PADICI_STORE PADICI_R(storeu)
#define PADICI_ADD PADICI_R(add)
#define PADICI_SUB PADICI_R(sub)
#define PADICI_MUL PADICI_R(mul)
#define PADICI_DIV PADICI_R(div)
#define PADICI_LEAST(most, v) PADICI_R(min)(most, v) // NaN stays
#define PADICI_MOST(least, v) PADICI_R(max)(least, v)
#define PADICI_FMA(x, y, v) PADICI_R(fmadd)(x, y, v)
#define PADICI_AHEAD(p) _mm_prefetch((const char *)(p), _MM_HINT_T0)
#endif

#if PADICI_ISA_LEVEL == 1
#define PADICI_TARGET
#define PADICI_LANES 4
#define PADICI_ROWS 6
#define PADICI_V float32x4_t
#define PADICI_W int32x4_t
#define PADICI_NONE vdupq_n_f32(0)
#define PADICI_SET vdupq_n_f32
#define PADICI_LOAD vld1q_f32
#define PADICI_STORE vst1q_f32
#define PADICI_ADD vaddq_f32
#define PADICI_SUB vsubq_f32
#define PADICI_MUL vmulq_f32
#define PADICI_DIV vdivq_f32
#define PADICI_LEAST(most, v) vminq_f32(most, v)
#define PADICI_MOST(least, v) vmaxq_f32(least, v)
#define PADICI_FMA(x, y, v) vfmaq_f32(v, x, y)
#define PADICI_AHEAD(p) ((void)(p))
#define PADICI_PART_LOAD(p, n) PADICI_RK(part_load)(p, n)
#define PADICI_PART_STORE(p, n, v) PADICI_RK(part_store)(p, n, v)
#define PADICI_HALF(p)                                                                           \
    vcvt_f32_f16(vreinterpret_f16_u8(vld1_u8((const uint8_t *)(const void *)(p))))
#define PADICI_BYTES(p) PADICI_RK(bytes)((const int8_t *)(p))
#define PADICI_BFLOATS(p)                                                                        \
    vreinterpretq_f32_u32(                                                                       \
        vshll_n_u16(vreinterpret_u16_u8(vld1_u8((const uint8_t *)(const void *)(p))), 16))
#define PADICI_PAIR(p) vreinterpretq_s32_u8(vld1q_u8((const uint8_t *)(const void *)(p)))
#define PADICI_EVEN(w) vreinterpretq_f32_s32(vshlq_n_s32(w, 16))
#define PADICI_ODD(w) vreinterpretq_f32_s32(vandq_s32(w, vdupq_n_s32((int32_t)0xffff0000u)))
#define PADICI_SIGNED(v, sign) vbslq_f32(vdupq_n_u32(0x80000000u), sign, v)
#define PADICI_MAGNITUDE vabsq_f32
#define PADICI_IF_NEGATIVE(x, v, w) vbslq_f32(vcltzq_s32(vreinterpretq_s32_f32(x)), v, w)
#define PADICI_POWER(n) vreinterpretq_f32_s32(vshlq_n_s32(vaddq_s32(n, vdupq_n_s32(127)), 23))
#define PADICI_HALVED(n) vshrq_n_s32(n, 1)
#define PADICI_LESS(n, m) vsubq_s32(n, m)
#define PADICI_WHOLE(v) vcvtnq_s32_f32(v)
#define PADICI_FLOAT(n) vcvtq_f32_s32(n)
#define PADICI_TOTAL(v) vaddvq_f32(v)

PADICI_INLINE PADICI_V PADICI_RK(part_load)(const float *p, uint32_t n)
{
    float lanes[PADICI_LANES];
    uint32_t i;
    for (i = 0; i < PADICI_LANES; i++) lanes[i] = i < n ? p[i] : 0;
    return PADICI_LOAD(lanes);
}

PADICI_INLINE void PADICI_RK(part_store)(float *p, uint32_t n, PADICI_V v)
{
    float lanes[PADICI_LANES];
    uint32_t i;
    PADICI_STORE(lanes, v);
    for (i = 0; i < n; i++) p[i] = lanes[i];
}

PADICI_INLINE PADICI_V PADICI_RK(bytes)(const int8_t *p)
{
    int32_t word;
    memcpy(&word, p, 4);
    return vcvtq_f32_s32(
        vmovl_s16(vget_low_s16(vmovl_s8(vreinterpret_s8_s32(vdup_n_s32(word))))));
}
#endif

// The totals of eight vectors, by transposing while adding.
#if PADICI_ISA_LEVEL == 3
PADICI_TARGET PADICI_INLINE void PADICI_RK(totals)(const PADICI_V *v, float *to)
{
    PADICI_V two[4], four[2], lanes;
    uint32_t i;
    PADICI_UNROLL_ALL
    for (i = 0; i < 4; i++)
        two[i] = _mm512_add_ps(_mm512_unpacklo_ps(v[2 * i], v[2 * i + 1]),
                               _mm512_unpackhi_ps(v[2 * i], v[2 * i + 1]));
    PADICI_UNROLL_ALL
    for (i = 0; i < 2; i++) {
        const __m512d a = _mm512_castps_pd(two[2 * i]), b = _mm512_castps_pd(two[2 * i + 1]);
        four[i] = _mm512_add_ps(_mm512_castpd_ps(_mm512_unpacklo_pd(a, b)),
                                _mm512_castpd_ps(_mm512_unpackhi_pd(a, b)));
    }
    lanes = _mm512_add_ps(_mm512_shuffle_f32x4(four[0], four[1], 0x88),
                          _mm512_shuffle_f32x4(four[0], four[1], 0xdd));
    lanes = _mm512_add_ps(lanes, _mm512_shuffle_f32x4(lanes, lanes, 0xb1));
    _mm256_storeu_ps(to, _mm512_castps512_ps256(_mm512_shuffle_f32x4(lanes, lanes, 0x88)));
}
#elif PADICI_ISA_LEVEL == 2
PADICI_TARGET PADICI_INLINE void PADICI_RK(totals)(const PADICI_V *v, float *to)
{
    const PADICI_V a = _mm256_hadd_ps(_mm256_hadd_ps(v[0], v[1]), _mm256_hadd_ps(v[2], v[3]));
    const PADICI_V b = _mm256_hadd_ps(_mm256_hadd_ps(v[4], v[5]), _mm256_hadd_ps(v[6], v[7]));
    _mm256_storeu_ps(to, _mm256_add_ps(_mm256_permute2f128_ps(a, b, 0x20),
                                       _mm256_permute2f128_ps(a, b, 0x31)));
}
#else
PADICI_TARGET PADICI_INLINE void PADICI_RK(totals)(const PADICI_V *v, float *to)
{
    PADICI_STORE(to, vpaddq_f32(vpaddq_f32(v[0], v[1]), vpaddq_f32(v[2], v[3])));
    PADICI_STORE(to + 4, vpaddq_f32(vpaddq_f32(v[4], v[5]), vpaddq_f32(v[6], v[7])));
}
#endif

#define PADICI_VECTORS 4 // of a panel
#define PADICI_PANEL (PADICI_VECTORS * PADICI_LANES)
#define PADICI_DEPTH 128 // columns that are summed before they are added to the sums

#endif
