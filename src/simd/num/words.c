// @per-level
#ifndef PADIC_NO_NUM

// --------------------------------------------------------------------------------- >>vector words
//
// PADICI_V: a vector; of doubles where a word begins with D. PADICI_M: a mask of lanes.

#if PADICI_ISA_LEVEL >= 3
#define PADICI_V __m512i
#define PADICI_M __mmask8
#define PADICI_LANES 8
#define PADICI_VSET(x) _mm512_set1_epi64((long long)(x))
#define PADICI_VLOAD(p) _mm512_loadu_si512((const void *)(p))
#define PADICI_VSTORE(p, v) _mm512_storeu_si512((void *)(p), v)
#define PADICI_VLOADU(p) \
    _mm512_cvtepu32_epi64(_mm256_loadu_si256((const __m256i *)(const void *)(p)))
#define PADICI_VLOADS(p) \
    _mm512_cvtepi32_epi64(_mm256_loadu_si256((const __m256i *)(const void *)(p)))
#define PADICI_VSTORE32(p, v) \
    _mm256_storeu_si256((__m256i *)(void *)(p), _mm512_cvtepi64_epi32(v))
#define PADICI_VSTORE8(p, v) _mm_storel_epi64((__m128i *)(void *)(p), _mm512_cvtepi64_epi8(v))
#define PADICI_VSTORE16(p, v) _mm_storeu_si128((__m128i *)(void *)(p), _mm512_cvtepi64_epi16(v))
#define PADICI_VLOAD8(p) _mm512_cvtepu8_epi64(_mm_loadl_epi64((const __m128i *)(const void *)(p)))
#define PADICI_VLOAD16(p) _mm512_cvtepu16_epi64(_mm_loadu_si128((const __m128i *)(const void *)(p)))
#define PADICI_VADD(a, b) _mm512_add_epi64(a, b)
#define PADICI_VSUB(a, b) _mm512_sub_epi64(a, b)
#define PADICI_VMUL(a, b) _mm512_mullo_epi64(a, b)
#define PADICI_VAND(a, b) _mm512_and_si512(a, b)
#define PADICI_VOR(a, b) _mm512_or_si512(a, b)
#define PADICI_VXOR(a, b) _mm512_xor_si512(a, b)
#define PADICI_VSHL(a, n) _mm512_sllv_epi64(a, n)
#define PADICI_VSHR(a, n) _mm512_srlv_epi64(a, n)
#define PADICI_VEQ(a, b) _mm512_cmpeq_epi64_mask(a, b)
#define PADICI_VGT(a, b) _mm512_cmpgt_epi64_mask(a, b)
#define PADICI_VLT(a, b) _mm512_cmplt_epu64_mask(a, b) // unsigned
#define PADICI_VMUL32(a, b) _mm512_mul_epu32(a, b)
#define PADICI_VSEL(m, a, b) _mm512_mask_blend_epi64(m, b, a)
#define PADICI_VANY(v) PADICI_MANY(_mm512_test_epi64_mask(v, v))
#define PADICI_VLOW(x, y) _mm512_min_epu64(x, y)
#define PADICI_MAND(a, b) _kand_mask8(a, b)
#define PADICI_MOR(a, b) _kor_mask8(a, b)
#define PADICI_MANY(m) (!_kortestz_mask8_u8(m, m))
#define PADICI_NONE 0
#define PADICI_DCAST(v) _mm512_castsi512_pd(v)
#define PADICI_ICAST(d) _mm512_castpd_si512(d)
#define PADICI_DADD(a, b) PADICI_ICAST(_mm512_add_pd(PADICI_DCAST(a), PADICI_DCAST(b)))
#define PADICI_DSUB(a, b) PADICI_ICAST(_mm512_sub_pd(PADICI_DCAST(a), PADICI_DCAST(b)))
#define PADICI_DMUL(a, b) PADICI_ICAST(_mm512_mul_pd(PADICI_DCAST(a), PADICI_DCAST(b)))
#define PADICI_DDIV(a, b) PADICI_ICAST(_mm512_div_pd(PADICI_DCAST(a), PADICI_DCAST(b)))
#define PADICI_DGT(a, b) _mm512_cmp_pd_mask(PADICI_DCAST(a), PADICI_DCAST(b), _CMP_GT_OQ)
#define PADICI_DLOAD(p) PADICI_ICAST(_mm512_loadu_pd((const double *)(const void *)(p)))
#define PADICI_DMSUB(a, b, c) \
    PADICI_ICAST(_mm512_fmsub_pd(PADICI_DCAST(a), PADICI_DCAST(b), PADICI_DCAST(c)))
#define PADICI_DMADD(a, b, c) \
    PADICI_ICAST(_mm512_fmadd_pd(PADICI_DCAST(a), PADICI_DCAST(b), PADICI_DCAST(c)))
#define PADICI_DNMADD(a, b, c) \
    PADICI_ICAST(_mm512_fnmadd_pd(PADICI_DCAST(a), PADICI_DCAST(b), PADICI_DCAST(c)))
#define PADICI_DROUND(a) PADICI_ICAST(_mm512_roundscale_pd(PADICI_DCAST(a), 8))
#define PADICI_DFLOOR(a) PADICI_ICAST(_mm512_roundscale_pd(PADICI_DCAST(a), 9))
#define PADICI_DZERO(a) _mm512_cmp_pd_mask(PADICI_DCAST(a), _mm512_setzero_pd(), _CMP_EQ_OQ)
#define PADICI_DSET(x) PADICI_ICAST(_mm512_set1_pd(x))
#define PADICI_DFROM(v) PADICI_ICAST(_mm512_cvtepu64_pd(v))
#define PADICI_DLOADF(p) PADICI_ICAST(_mm512_cvtps_pd(_mm256_loadu_ps(p)))
#define PADICI_DTO(d) _mm512_cvtpd_epu64(PADICI_DCAST(d))
#define PADICI_GATHER(t, i) _mm512_i64gather_epi64(i, (const void *)(t), 8)
#define PADICI_GATHER32(t, i) \
    _mm512_cvtepu32_epi64(_mm512_i64gather_epi32(i, (const void *)(t), 4))
#define PADICI_W __m512i
#define PADICI_WIDE 16
#define PADICI_WSET(x) _mm512_set1_epi32((int)(x))
#define PADICI_WADD(a, b) _mm512_add_epi32(a, b)
#define PADICI_WSUB(a, b) _mm512_sub_epi32(a, b)
#define PADICI_WMUL(a, b) _mm512_mullo_epi32(a, b)
#define PADICI_WLOW(a, b) _mm512_min_epu32(a, b)
#define PADICI_HIGHS(v) _mm512_shuffle_epi32(v, _MM_PERM_DDBB)
#define PADICI_HALVES(a, b) _mm512_mask_shuffle_epi32(a, 0xaaaa, b, _MM_PERM_CCAA)
#define PADICI_WSUBMOD(a, b, p) \
    _mm512_mask_add_epi32(_mm512_sub_epi32(a, b), _mm512_cmplt_epu32_mask(a, b), \
                          _mm512_sub_epi32(a, b), p)
#endif

#if PADICI_ISA_LEVEL == 4
#define PADICI_TARGET PADICI_IFMA
#elif PADICI_ISA_LEVEL == 3
#define PADICI_TARGET PADICI_AVX512
#elif PADICI_ISA_LEVEL == 2
#define PADICI_TARGET PADICI_AVX2
#define PADICI_V __m256i
#define PADICI_M __m256i
#define PADICI_LANES 4
#define PADICI_VSET(x) _mm256_set1_epi64x((long long)(x))
#define PADICI_VLOAD(p) _mm256_loadu_si256((const __m256i *)(const void *)(p))
#define PADICI_VSTORE(p, v) _mm256_storeu_si256((__m256i *)(void *)(p), v)
#define PADICI_VLOADU(p) _mm256_cvtepu32_epi64(_mm_loadu_si128((const __m128i *)(const void *)(p)))
#define PADICI_VLOADS(p) _mm256_cvtepi32_epi64(_mm_loadu_si128((const __m128i *)(const void *)(p)))
#define PADICI_VSTORE32(p, v) _mm_storeu_si128((__m128i *)(void *)(p), PADICI_K(low32)(v))
#define PADICI_VSTORE8(p, v) PADICI_K(store8)((p), v)
#define PADICI_VSTORE16(p, v) _mm_storel_epi64((__m128i *)(void *)(p), PADICI_K(low16)(v))
#define PADICI_VLOAD8(p) PADICI_K(load8)(p)
#define PADICI_VLOAD16(p) \
    _mm256_cvtepu16_epi64(_mm_loadl_epi64((const __m128i *)(const void *)(p)))
#define PADICI_VADD(a, b) _mm256_add_epi64(a, b)
#define PADICI_VSUB(a, b) _mm256_sub_epi64(a, b)
#define PADICI_VMUL(a, b) PADICI_K(mul64)(a, b)
#define PADICI_VAND(a, b) _mm256_and_si256(a, b)
#define PADICI_VOR(a, b) _mm256_or_si256(a, b)
#define PADICI_VXOR(a, b) _mm256_xor_si256(a, b)
#define PADICI_VSHL(a, n) _mm256_sllv_epi64(a, n)
#define PADICI_VSHR(a, n) _mm256_srlv_epi64(a, n)
#define PADICI_VEQ(a, b) _mm256_cmpeq_epi64(a, b)
#define PADICI_VGT(a, b) _mm256_cmpgt_epi64(a, b)
#define PADICI_VLT(a, b) \
    _mm256_cmpgt_epi64(_mm256_xor_si256(b, _mm256_set1_epi64x(INT64_MIN)), \
                       _mm256_xor_si256(a, _mm256_set1_epi64x(INT64_MIN)))
#define PADICI_VMUL32(a, b) _mm256_mul_epu32(a, b)
#define PADICI_VSEL(m, a, b) _mm256_blendv_epi8(b, a, m)
#define PADICI_VANY(v) (!_mm256_testz_si256(v, v))
#define PADICI_VLOW(x, y) PADICI_K(low)(x, y)
#define PADICI_MAND(a, b) _mm256_and_si256(a, b)
#define PADICI_MOR(a, b) _mm256_or_si256(a, b)
#define PADICI_MANY(m) PADICI_VANY(m)
#define PADICI_NONE PADICI_VSET(0)
#define PADICI_DCAST(v) _mm256_castsi256_pd(v)
#define PADICI_ICAST(d) _mm256_castpd_si256(d)
#define PADICI_DADD(a, b) PADICI_ICAST(_mm256_add_pd(PADICI_DCAST(a), PADICI_DCAST(b)))
#define PADICI_DSUB(a, b) PADICI_ICAST(_mm256_sub_pd(PADICI_DCAST(a), PADICI_DCAST(b)))
#define PADICI_DMUL(a, b) PADICI_ICAST(_mm256_mul_pd(PADICI_DCAST(a), PADICI_DCAST(b)))
#define PADICI_DDIV(a, b) PADICI_ICAST(_mm256_div_pd(PADICI_DCAST(a), PADICI_DCAST(b)))
#define PADICI_DGT(a, b) \
    PADICI_ICAST(_mm256_cmp_pd(PADICI_DCAST(a), PADICI_DCAST(b), _CMP_GT_OQ))
#define PADICI_DLOAD(p) PADICI_ICAST(_mm256_loadu_pd((const double *)(const void *)(p)))
#define PADICI_DMSUB(a, b, c) \
    PADICI_ICAST(_mm256_fmsub_pd(PADICI_DCAST(a), PADICI_DCAST(b), PADICI_DCAST(c)))
#define PADICI_DMADD(a, b, c) \
    PADICI_ICAST(_mm256_fmadd_pd(PADICI_DCAST(a), PADICI_DCAST(b), PADICI_DCAST(c)))
#define PADICI_DNMADD(a, b, c) \
    PADICI_ICAST(_mm256_fnmadd_pd(PADICI_DCAST(a), PADICI_DCAST(b), PADICI_DCAST(c)))
#define PADICI_DROUND(a) PADICI_ICAST(_mm256_round_pd(PADICI_DCAST(a), 8))
#define PADICI_DFLOOR(a) PADICI_ICAST(_mm256_round_pd(PADICI_DCAST(a), 9))
#define PADICI_DZERO(a) \
    PADICI_ICAST(_mm256_cmp_pd(PADICI_DCAST(a), _mm256_setzero_pd(), _CMP_EQ_OQ))
#define PADICI_DSET(x) PADICI_ICAST(_mm256_set1_pd(x))
// x + 2^52 has x in its low bits, 0 <= x < 2^52.
#define PADICI_DLOADF(p) PADICI_ICAST(_mm256_cvtps_pd(_mm_loadu_ps(p)))
#define PADICI_DFROM(v) \
    PADICI_DSUB(_mm256_or_si256(v, PADICI_DSET(4503599627370496.0)), \
                PADICI_DSET(4503599627370496.0))
#define PADICI_DTO(d) \
    _mm256_xor_si256(PADICI_DADD(d, PADICI_DSET(4503599627370496.0)), \
                     PADICI_DSET(4503599627370496.0))
#define PADICI_GATHER(t, i) _mm256_i64gather_epi64((const long long *)(const void *)(t), i, 8)
#define PADICI_GATHER32(t, i) \
    _mm256_cvtepu32_epi64(_mm256_i64gather_epi32((const int *)(const void *)(t), i, 4))
#define PADICI_W __m256i
#define PADICI_WIDE 8
#define PADICI_WSET(x) _mm256_set1_epi32((int)(x))
#define PADICI_WADD(a, b) _mm256_add_epi32(a, b)
#define PADICI_WSUB(a, b) _mm256_sub_epi32(a, b)
#define PADICI_WMUL(a, b) _mm256_mullo_epi32(a, b)
#define PADICI_WLOW(a, b) _mm256_min_epu32(a, b)
#define PADICI_HIGHS(v) _mm256_shuffle_epi32(v, 0xf5)
#define PADICI_HALVES(a, b) _mm256_blend_epi32(a, _mm256_shuffle_epi32(b, 0xa0), 0xaa)
#define PADICI_WSUBMOD(a, b, p) \
    _mm256_add_epi32(_mm256_sub_epi32(a, b), \
                     _mm256_andnot_si256(_mm256_cmpeq_epi32(_mm256_max_epu32(a, b), a), p))

PADICI_TARGET PADICI_INLINE __m128i padici_simd_num_low32_avx2(__m256i v)
{
    return _mm256_castsi256_si128(
        _mm256_permutevar8x32_epi32(v, _mm256_setr_epi32(0, 2, 4, 6, 0, 0, 0, 0)));
}

PADICI_TARGET PADICI_INLINE __m128i padici_simd_num_low16_avx2(__m256i v) // below 2^16
{
    return _mm_packus_epi32(padici_simd_num_low32_avx2(v), _mm_setzero_si128());
}

PADICI_TARGET PADICI_INLINE void padici_simd_num_store8_avx2(uint8_t *p, __m256i v)
{
    const int four =
        _mm_cvtsi128_si32(_mm_packus_epi16(padici_simd_num_low16_avx2(v), _mm_setzero_si128()));
    memcpy(p, &four, 4);
}

PADICI_TARGET PADICI_INLINE __m256i padici_simd_num_load8_avx2(const uint8_t *p)
{
    int four;
    memcpy(&four, p, 4);
    return _mm256_cvtepu8_epi64(_mm_cvtsi32_si128(four));
}

PADICI_TARGET PADICI_INLINE __m256i padici_simd_num_mul64_avx2(__m256i a, __m256i b)
{
    const __m256i cross = _mm256_add_epi64(_mm256_mul_epu32(_mm256_srli_epi64(a, 32), b),
                                           _mm256_mul_epu32(a, _mm256_srli_epi64(b, 32)));
    return _mm256_add_epi64(_mm256_mul_epu32(a, b), _mm256_slli_epi64(cross, 32));
}

PADICI_TARGET PADICI_INLINE __m256i padici_simd_num_bits_avx2(__m256i x) // population counts
{
    const __m256i count = _mm256_setr_epi8(0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4, 0, 1, 1,
                                           2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4);
    const __m256i nibble = _mm256_set1_epi8(15);
    const __m256i low = _mm256_shuffle_epi8(count, _mm256_and_si256(x, nibble));
    const __m256i high = _mm256_and_si256(_mm256_srli_epi16(x, 4), nibble);
    return _mm256_sad_epu8(_mm256_add_epi8(low, _mm256_shuffle_epi8(count, high)),
                           _mm256_setzero_si256());
}

// The non-negative one of x and y, y if both are.
PADICI_TARGET PADICI_INLINE __m256i padici_simd_num_low_avx2(__m256i x, __m256i y)
{
    return PADICI_ICAST(_mm256_blendv_pd(PADICI_DCAST(x), PADICI_DCAST(y), PADICI_DCAST(x)));
}
#endif

#if PADICI_ISA_LEVEL == 1
#define PADICI_TARGET
#define PADICI_V uint64x2_t
#define PADICI_M uint64x2_t
#define PADICI_LANES 2
#define PADICI_VSET(x) vdupq_n_u64((uint64_t)(x))
#define PADICI_VLOAD(p) vld1q_u64((const uint64_t *)(const void *)(p))
#define PADICI_VSTORE(p, v) vst1q_u64((uint64_t *)(void *)(p), v)
#define PADICI_VLOADU(p) vmovl_u32(vld1_u32((const uint32_t *)(const void *)(p)))
#define PADICI_VLOADS(p) \
    vreinterpretq_u64_s64(vmovl_s32(vld1_s32((const int32_t *)(const void *)(p))))
#define PADICI_VSTORE32(p, v) vst1_u32((uint32_t *)(void *)(p), vmovn_u64(v))
#define PADICI_VSTORE8(p, v) \
    ((p)[0] = (uint8_t)vgetq_lane_u64(v, 0), (p)[1] = (uint8_t)vgetq_lane_u64(v, 1))
#define PADICI_VSTORE16(p, v) \
    ((p)[0] = (uint16_t)vgetq_lane_u64(v, 0), (p)[1] = (uint16_t)vgetq_lane_u64(v, 1))
#define PADICI_VLOAD8(p) vcombine_u64(vcreate_u64((p)[0]), vcreate_u64((p)[1]))
#define PADICI_VLOAD16 PADICI_VLOAD8
#define PADICI_VADD(a, b) vaddq_u64(a, b)
#define PADICI_VSUB(a, b) vsubq_u64(a, b)
#define PADICI_VMUL(a, b) PADICI_K(mul64)(a, b)
#define PADICI_VAND(a, b) vandq_u64(a, b)
#define PADICI_VOR(a, b) vorrq_u64(a, b)
#define PADICI_VXOR(a, b) veorq_u64(a, b)
#define PADICI_VSHL(a, n) vshlq_u64(a, vreinterpretq_s64_u64(n))
#define PADICI_VSHR(a, n) vshlq_u64(a, vnegq_s64(vreinterpretq_s64_u64(n)))
#define PADICI_VEQ(a, b) vceqq_u64(a, b)
#define PADICI_VLT(a, b) vcltq_u64(a, b)
#define PADICI_VMUL32(a, b) vmull_u32(vmovn_u64(a), vmovn_u64(b))
#define PADICI_VGT(a, b) vcgtq_s64(vreinterpretq_s64_u64(a), vreinterpretq_s64_u64(b))
#define PADICI_VSEL(m, a, b) vbslq_u64(m, a, b)
#define PADICI_VANY(v) ((vgetq_lane_u64(v, 0) | vgetq_lane_u64(v, 1)) != 0)
#define PADICI_VLOW(x, y) vbslq_u64(vcltzq_s64(vreinterpretq_s64_u64(x)), y, x)
#define PADICI_MAND(a, b) vandq_u64(a, b)
#define PADICI_MOR(a, b) vorrq_u64(a, b)
#define PADICI_MANY(m) PADICI_VANY(m)
#define PADICI_NONE PADICI_VSET(0)
#define PADICI_DCAST(v) vreinterpretq_f64_u64(v)
#define PADICI_ICAST(d) vreinterpretq_u64_f64(d)
#define PADICI_DADD(a, b) PADICI_ICAST(vaddq_f64(PADICI_DCAST(a), PADICI_DCAST(b)))
#define PADICI_DSUB(a, b) PADICI_ICAST(vsubq_f64(PADICI_DCAST(a), PADICI_DCAST(b)))
#define PADICI_DMUL(a, b) PADICI_ICAST(vmulq_f64(PADICI_DCAST(a), PADICI_DCAST(b)))
#define PADICI_DDIV(a, b) PADICI_ICAST(vdivq_f64(PADICI_DCAST(a), PADICI_DCAST(b)))
#define PADICI_DGT(a, b) vcgtq_f64(PADICI_DCAST(a), PADICI_DCAST(b))
#define PADICI_DLOAD(p) PADICI_VLOAD(p)
#define PADICI_DMSUB(a, b, c) \
    PADICI_ICAST(vfmaq_f64(vnegq_f64(PADICI_DCAST(c)), PADICI_DCAST(a), PADICI_DCAST(b)))
#define PADICI_DMADD(a, b, c) \
    PADICI_ICAST(vfmaq_f64(PADICI_DCAST(c), PADICI_DCAST(a), PADICI_DCAST(b)))
#define PADICI_DNMADD(a, b, c) \
    PADICI_ICAST(vfmsq_f64(PADICI_DCAST(c), PADICI_DCAST(a), PADICI_DCAST(b)))
#define PADICI_DROUND(a) PADICI_ICAST(vrndnq_f64(PADICI_DCAST(a)))
#define PADICI_DFLOOR(a) PADICI_ICAST(vrndmq_f64(PADICI_DCAST(a)))
#define PADICI_DZERO(a) vceqzq_f64(PADICI_DCAST(a))
#define PADICI_DSET(x) PADICI_ICAST(vdupq_n_f64(x))
#define PADICI_DFROM(v) PADICI_ICAST(vcvtq_f64_u64(v))
#define PADICI_DLOADF(p) PADICI_ICAST(vcvt_f64_f32(vld1_f32(p)))
#define PADICI_DTO(d) vcvtq_u64_f64(PADICI_DCAST(d))
#define PADICI_GATHER(t, i) \
    vcombine_u64(vld1_u64((t) + vgetq_lane_u64(i, 0)), vld1_u64((t) + vgetq_lane_u64(i, 1)))
#define PADICI_GATHER32(t, i) \
    vcombine_u64(vcreate_u64((t)[vgetq_lane_u64(i, 0)]), vcreate_u64((t)[vgetq_lane_u64(i, 1)]))
#define PADICI_W uint32x4_t
#define PADICI_WIDE 4
#define PADICI_WLOAD(p) vld1q_u32(p)
#define PADICI_WSTORE(p, v) vst1q_u32(p, v)
#define PADICI_WSET(x) vdupq_n_u32((uint32_t)(x))
#define PADICI_WADD(a, b) vaddq_u32(a, b)
#define PADICI_WSUB(a, b) vsubq_u32(a, b)
#define PADICI_WMUL(a, b) vmulq_u32(a, b)
#define PADICI_WAND(a, b) vandq_u32(a, b)
#define PADICI_WSUBMOD(a, b, p) vaddq_u32(vsubq_u32(a, b), vandq_u32(vcltq_u32(a, b), p))

PADICI_INLINE uint64x2_t padici_simd_num_mul64_neon(uint64x2_t a, uint64x2_t b)
{
    const uint32x2_t a0 = vmovn_u64(a), b0 = vmovn_u64(b);
    const uint64x2_t cross = vmlal_u32(vmull_u32(vshrn_n_u64(a, 32), b0), a0, vshrn_n_u64(b, 32));
    return vmlal_u32(vshlq_n_u64(cross, 32), a0, b0);
}

PADICI_INLINE uint64x2_t padici_simd_num_bits_neon(uint64x2_t x)
{
    return vpaddlq_u32(vpaddlq_u16(vpaddlq_u8(vcntq_u8(vreinterpretq_u8_u64(x)))));
}
#else
#define PADICI_WLOAD PADICI_VLOAD
#define PADICI_WSTORE PADICI_VSTORE
#define PADICI_WAND PADICI_VAND
#endif

#endif
