// @per-level
#if PADICI_ISA_LEVEL <= 3

// The functions of every level, implemented for each: see words.h.
#if PADICI_ISA_LEVEL >= 2
PADICI_TARGET PADICI_INLINE PADICI_V PADICI_L(load)(const void *p)
{
    return PADICI_XI(loadu)((const PADICI_V *)p);
}

PADICI_TARGET PADICI_INLINE void PADICI_L(store)(void *p, PADICI_V a)
{
    PADICI_XI(storeu)((PADICI_V *)p, a);
}

PADICI_TARGET PADICI_INLINE PADICI_V PADICI_L(add)(PADICI_V a, PADICI_V b)
{
    return PADICI_X(add_epi64)(a, b);
}

PADICI_TARGET PADICI_INLINE PADICI_V PADICI_L(sub)(PADICI_V a, PADICI_V b)
{
    return PADICI_X(sub_epi64)(a, b);
}

PADICI_TARGET PADICI_INLINE PADICI_V PADICI_L(mul)(PADICI_V a, PADICI_V b)
{
    return PADICI_X(mul_epu32)(a, b);
}

PADICI_TARGET PADICI_INLINE PADICI_V PADICI_L(bit_and)(PADICI_V a, PADICI_V b)
{
    return PADICI_XI(and)(a, b);
}

PADICI_TARGET PADICI_INLINE PADICI_V PADICI_L(bit_or)(PADICI_V a, PADICI_V b)
{
    return PADICI_XI(or)(a, b);
}

PADICI_TARGET PADICI_INLINE PADICI_V PADICI_L(bit_xor)(PADICI_V a, PADICI_V b)
{
    return PADICI_XI(xor)(a, b);
}

PADICI_TARGET PADICI_INLINE PADICI_V PADICI_L(srl)(PADICI_V a, PADICI_V n)
{
    return PADICI_X(srlv_epi64)(a, n);
}

PADICI_TARGET PADICI_INLINE PADICI_V PADICI_L(sll)(PADICI_V a, PADICI_V n)
{
    return PADICI_X(sllv_epi64)(a, n);
}

PADICI_TARGET PADICI_INLINE PADICI_V PADICI_L(high)(PADICI_V a)
{
    return PADICI_X(srli_epi64)(a, 32);
}

PADICI_TARGET PADICI_INLINE PADICI_V PADICI_L(half16)(PADICI_V a)
{
    return PADICI_X(srli_epi32)(a, 16);
}

PADICI_TARGET PADICI_INLINE PADICI_V PADICI_L(half15)(PADICI_V a)
{
    return PADICI_X(srli_epi32)(a, 15);
}
#endif

#if PADICI_ISA_LEVEL == 2
PADICI_TARGET PADICI_INLINE PADICI_V PADICI_L(all)(uint64_t a)
{
    return _mm256_set1_epi64x((long long)a);
}

PADICI_TARGET PADICI_INLINE PADICI_V PADICI_L(mul64)(PADICI_V a, PADICI_V b)
{
    const PADICI_V cross = _mm256_mullo_epi32(a, _mm256_shuffle_epi32(b, 0xb1));
    const PADICI_V sum = _mm256_add_epi32(cross, _mm256_shuffle_epi32(cross, 0xb1));
    return _mm256_add_epi64(_mm256_mul_epu32(a, b), _mm256_slli_epi64(sum, 32));
}

PADICI_TARGET PADICI_INLINE PADICI_V PADICI_L(lanes)(void) // 0, 1, ...
{
    return _mm256_setr_epi64x(0, 1, 2, 3);
}

PADICI_TARGET PADICI_INLINE PADICI_V PADICI_L(above)(PADICI_V a, PADICI_V b)
{
    return _mm256_cmpgt_epi64(a, b);
}

PADICI_TARGET PADICI_INLINE PADICI_V PADICI_L(sign)(PADICI_V a)
{
    return _mm256_cmpgt_epi64(_mm256_setzero_si256(), a);
}

PADICI_TARGET PADICI_INLINE PADICI_V PADICI_L(load16)(const uint16_t *p)
{
    return _mm256_cvtepu16_epi64(_mm_loadl_epi64((const __m128i *)(const void *)p));
}

PADICI_TARGET PADICI_INLINE PADICI_V PADICI_L(load32)(const void *p)
{
    return _mm256_cvtepu32_epi64(_mm_loadu_si128((const __m128i *)p));
}

PADICI_TARGET PADICI_INLINE PADICI_V PADICI_L(low)(PADICI_V a, PADICI_V b) // low halves, in order
{
    const __m256 c = _mm256_shuffle_ps(_mm256_castsi256_ps(a), _mm256_castsi256_ps(b), 0x88);
    return _mm256_permute4x64_epi64(_mm256_castps_si256(c), 0xd8);
}

PADICI_TARGET PADICI_INLINE void PADICI_L(put_u32)(void *p, PADICI_V a, PADICI_V b)
{
    _mm256_storeu_si256((PADICI_V *)p, PADICI_L(low)(a, b));
}

PADICI_TARGET PADICI_INLINE void PADICI_L(put_f32)(void *p, PADICI_V a, PADICI_V b)
{
    const __m256 c = _mm256_cvtepi32_ps(PADICI_L(low)(a, b));
    _mm256_storeu_ps((float *)p, _mm256_mul_ps(c, _mm256_set1_ps(1.0f / 16777216.0f)));
}

// Both halves become doubles as bits below 2^84 and 2^52; their sum is exact.
PADICI_TARGET PADICI_INLINE void PADICI_L(put_f64)(void *p, PADICI_V a)
{
    const PADICI_V high = _mm256_set1_epi64x(0x4530000000000000);
    const PADICI_V low = _mm256_set1_epi64x(0x4330000000000000);
    const __m256d both = _mm256_set1_pd(19342813113834066795298816.0 + 4503599627370496.0);
    const __m256d h = _mm256_castsi256_pd(_mm256_or_si256(_mm256_srli_epi64(a, 32), high));
    const __m256d l = _mm256_castsi256_pd(_mm256_blend_epi32(a, low, 0xaa));
    const __m256d sum = _mm256_add_pd(_mm256_sub_pd(h, both), l);
    _mm256_storeu_pd((double *)p, _mm256_mul_pd(sum, _mm256_set1_pd(1.0 / 9007199254740992.0)));
}
#elif PADICI_ISA_LEVEL == 3
PADICI_TARGET PADICI_INLINE PADICI_V PADICI_L(all)(uint64_t a)
{
    return _mm512_set1_epi64((long long)a);
}

PADICI_TARGET PADICI_INLINE PADICI_V PADICI_L(mul64)(PADICI_V a, PADICI_V b)
{
    return _mm512_mullo_epi64(a, b);
}

PADICI_TARGET PADICI_INLINE PADICI_V PADICI_L(lanes)(void)
{
    return _mm512_setr_epi64(0, 1, 2, 3, 4, 5, 6, 7);
}

PADICI_TARGET PADICI_INLINE PADICI_V PADICI_L(above)(PADICI_V a, PADICI_V b)
{
    return _mm512_movm_epi64(_mm512_cmpgt_epi64_mask(a, b));
}

PADICI_TARGET PADICI_INLINE PADICI_V PADICI_L(sign)(PADICI_V a)
{
    return _mm512_srai_epi64(a, 63);
}

PADICI_TARGET PADICI_INLINE PADICI_V PADICI_L(load16)(const uint16_t *p)
{
    return _mm512_cvtepu16_epi64(_mm_loadu_si128((const __m128i *)(const void *)p));
}

PADICI_TARGET PADICI_INLINE PADICI_V PADICI_L(load32)(const void *p)
{
    return _mm512_cvtepu32_epi64(_mm256_loadu_si256((const __m256i *)p));
}

PADICI_TARGET PADICI_INLINE void PADICI_L(put_u32)(void *p, PADICI_V a, PADICI_V b)
{
    _mm256_storeu_si256((__m256i *)p, _mm512_cvtepi64_epi32(a));
    _mm256_storeu_si256((__m256i *)p + 1, _mm512_cvtepi64_epi32(b));
}

PADICI_TARGET PADICI_INLINE void PADICI_L(put_f32)(void *p, PADICI_V a, PADICI_V b)
{
    const __m256 scale = _mm256_set1_ps(1.0f / 16777216.0f);
    _mm256_storeu_ps((float *)p, _mm256_mul_ps(_mm512_cvtepi64_ps(a), scale));
    _mm256_storeu_ps((float *)p + 8, _mm256_mul_ps(_mm512_cvtepi64_ps(b), scale));
}

PADICI_TARGET PADICI_INLINE void PADICI_L(put_f64)(void *p, PADICI_V a)
{
    const __m512d scale = _mm512_set1_pd(1.0 / 9007199254740992.0);
    _mm512_storeu_pd((double *)p, _mm512_mul_pd(_mm512_cvtepi64_pd(a), scale));
}
#else
PADICI_TARGET PADICI_INLINE PADICI_V PADICI_L(load)(const void *p)
{
    return vreinterpretq_u64_u8(vld1q_u8((const uint8_t *)p));
}

PADICI_TARGET PADICI_INLINE void PADICI_L(store)(void *p, PADICI_V a)
{
    vst1q_u8((uint8_t *)p, vreinterpretq_u8_u64(a));
}

PADICI_TARGET PADICI_INLINE PADICI_V PADICI_L(all)(uint64_t a)
{
    return vdupq_n_u64(a);
}

PADICI_TARGET PADICI_INLINE PADICI_V PADICI_L(lanes)(void)
{
    return vcombine_u64(vcreate_u64(0), vcreate_u64(1));
}

PADICI_TARGET PADICI_INLINE PADICI_V PADICI_L(add)(PADICI_V a, PADICI_V b)
{
    return vaddq_u64(a, b);
}

PADICI_TARGET PADICI_INLINE PADICI_V PADICI_L(sub)(PADICI_V a, PADICI_V b)
{
    return vsubq_u64(a, b);
}

PADICI_TARGET PADICI_INLINE PADICI_V PADICI_L(mul)(PADICI_V a, PADICI_V b)
{
    return vmull_u32(vmovn_u64(a), vmovn_u64(b));
}

PADICI_TARGET PADICI_INLINE PADICI_V PADICI_L(mul64)(PADICI_V a, PADICI_V b)
{
    const uint32x4_t swapped = vrev64q_u32(vreinterpretq_u32_u64(b));
    const uint32x4_t cross = vmulq_u32(vreinterpretq_u32_u64(a), swapped);
    return vaddq_u64(PADICI_L(mul)(a, b), vshlq_n_u64(vpaddlq_u32(cross), 32));
}

PADICI_TARGET PADICI_INLINE PADICI_V PADICI_L(bit_and)(PADICI_V a, PADICI_V b)
{
    return vandq_u64(a, b);
}

PADICI_TARGET PADICI_INLINE PADICI_V PADICI_L(bit_or)(PADICI_V a, PADICI_V b)
{
    return vorrq_u64(a, b);
}

PADICI_TARGET PADICI_INLINE PADICI_V PADICI_L(bit_xor)(PADICI_V a, PADICI_V b)
{
    return veorq_u64(a, b);
}

PADICI_TARGET PADICI_INLINE PADICI_V PADICI_L(srl)(PADICI_V a, PADICI_V n)
{
    return vshlq_u64(a, vnegq_s64(vreinterpretq_s64_u64(n)));
}

PADICI_TARGET PADICI_INLINE PADICI_V PADICI_L(sll)(PADICI_V a, PADICI_V n)
{
    return vshlq_u64(a, vreinterpretq_s64_u64(n));
}

PADICI_TARGET PADICI_INLINE PADICI_V PADICI_L(high)(PADICI_V a)
{
    return vshrq_n_u64(a, 32);
}

PADICI_TARGET PADICI_INLINE PADICI_V PADICI_L(half16)(PADICI_V a)
{
    return vreinterpretq_u64_u32(vshrq_n_u32(vreinterpretq_u32_u64(a), 16));
}

PADICI_TARGET PADICI_INLINE PADICI_V PADICI_L(half15)(PADICI_V a)
{
    return vreinterpretq_u64_u32(vshrq_n_u32(vreinterpretq_u32_u64(a), 15));
}

PADICI_TARGET PADICI_INLINE PADICI_V PADICI_L(above)(PADICI_V a, PADICI_V b)
{
    return vcgtq_s64(vreinterpretq_s64_u64(a), vreinterpretq_s64_u64(b));
}

PADICI_TARGET PADICI_INLINE PADICI_V PADICI_L(sign)(PADICI_V a)
{
    return vreinterpretq_u64_s64(vshrq_n_s64(vreinterpretq_s64_u64(a), 63));
}

PADICI_TARGET PADICI_INLINE PADICI_V PADICI_L(load16)(const uint16_t *p)
{
    const uint64_t pair[2] = {p[0], p[1]};
    return vld1q_u64(pair);
}

PADICI_TARGET PADICI_INLINE PADICI_V PADICI_L(load32)(const void *p)
{
    return vmovl_u32(vreinterpret_u32_u8(vld1_u8((const uint8_t *)p)));
}

PADICI_TARGET PADICI_INLINE void PADICI_L(put_u32)(void *p, PADICI_V a, PADICI_V b)
{
    vst1q_u32((uint32_t *)p, vcombine_u32(vmovn_u64(a), vmovn_u64(b)));
}

PADICI_TARGET PADICI_INLINE void PADICI_L(put_f32)(void *p, PADICI_V a, PADICI_V b)
{
    const float32x4_t c = vcvtq_f32_u32(vcombine_u32(vmovn_u64(a), vmovn_u64(b)));
    vst1q_f32((float *)p, vmulq_n_f32(c, 1.0f / 16777216.0f));
}

PADICI_TARGET PADICI_INLINE void PADICI_L(put_f64)(void *p, PADICI_V a)
{
    vst1q_f64((double *)p, vmulq_n_f64(vcvtq_f64_u64(a), 1.0 / 9007199254740992.0));
}
#endif

// A signed word from its zigzag code 0, -1, 1, -2, .., and back.
PADICI_TARGET PADICI_INLINE PADICI_V PADICI_L(unfold)(PADICI_V z)
{
    const PADICI_V one = PADICI_L(all)(1);
    return PADICI_L(bit_xor)(PADICI_L(srl)(z, one),
                         PADICI_L(sub)(PADICI_L(all)(0), PADICI_L(bit_and)(z, one)));
}

PADICI_TARGET PADICI_INLINE PADICI_V PADICI_L(fold)(PADICI_V r)
{
    return PADICI_L(bit_xor)(PADICI_L(add)(r, r), PADICI_L(sign)(r));
}

#endif
