#pragma once
#include "level.h"
#include "../core/platform.h"

// ---------------------------------------------------------------------------------------- >>words
//
// Vectors of 64-bit words, the same few functions for each level: what kernels are made of that are
// alike everywhere (PADICI_SAMPLE_KERNELS). mul: products of the low halves; mul64: low words of
// products; srl, sll: by a number in each lane; half15, half16: 32-bit lanes shifted right; high:
// the upper half; above: all ones where a > b, signed; load16, load32: widened; put_u32, put_f32:
// two vectors of words below 2^32, 2^24, as integers or times 2^-24; put_f64: words below 2^53,
// times 2^-53.

#if PADICI_SIMD_X86
#define PADICI_WORDS(L, TARGET, V, WIDE, SI)                                                    \
    TARGET PADICI_INLINE V padici_##L##_load(const void *p)                                     \
    {                                                                                           \
        return WIDE##_loadu_##SI((const V *)p);                                                 \
    }                                                                                           \
    TARGET PADICI_INLINE void padici_##L##_store(void *p, V a)                                  \
    {                                                                                           \
        WIDE##_storeu_##SI((V *)p, a);                                                          \
    }                                                                                           \
    TARGET PADICI_INLINE V padici_##L##_add(V a, V b)                                           \
    {                                                                                           \
        return WIDE##_add_epi64(a, b);                                                          \
    }                                                                                           \
    TARGET PADICI_INLINE V padici_##L##_sub(V a, V b)                                           \
    {                                                                                           \
        return WIDE##_sub_epi64(a, b);                                                          \
    }                                                                                           \
    TARGET PADICI_INLINE V padici_##L##_mul(V a, V b)                                           \
    {                                                                                           \
        return WIDE##_mul_epu32(a, b);                                                          \
    }                                                                                           \
    TARGET PADICI_INLINE V padici_##L##_and(V a, V b)                                           \
    {                                                                                           \
        return WIDE##_and_##SI(a, b);                                                           \
    }                                                                                           \
    TARGET PADICI_INLINE V padici_##L##_or(V a, V b)                                            \
    {                                                                                           \
        return WIDE##_or_##SI(a, b);                                                            \
    }                                                                                           \
    TARGET PADICI_INLINE V padici_##L##_xor(V a, V b)                                           \
    {                                                                                           \
        return WIDE##_xor_##SI(a, b);                                                           \
    }                                                                                           \
    TARGET PADICI_INLINE V padici_##L##_srl(V a, V n)                                           \
    {                                                                                           \
        return WIDE##_srlv_epi64(a, n);                                                         \
    }                                                                                           \
    TARGET PADICI_INLINE V padici_##L##_sll(V a, V n)                                           \
    {                                                                                           \
        return WIDE##_sllv_epi64(a, n);                                                         \
    }                                                                                           \
    TARGET PADICI_INLINE V padici_##L##_high(V a)                                               \
    {                                                                                           \
        return WIDE##_srli_epi64(a, 32);                                                        \
    }                                                                                           \
    TARGET PADICI_INLINE V padici_##L##_half16(V a)                                             \
    {                                                                                           \
        return WIDE##_srli_epi32(a, 16);                                                        \
    }                                                                                           \
    TARGET PADICI_INLINE V padici_##L##_half15(V a)                                             \
    {                                                                                           \
        return WIDE##_srli_epi32(a, 15);                                                        \
    }

PADICI_WORDS(avx2, PADICI_AVX2, __m256i, _mm256, si256)
PADICI_WORDS(avx512, PADICI_AVX512, __m512i, _mm512, si512)

PADICI_AVX2 PADICI_INLINE __m256i padici_avx2_all(uint64_t a)
{
    return _mm256_set1_epi64x((long long)a);
}

PADICI_AVX2 PADICI_INLINE __m256i padici_avx2_mul64(__m256i a, __m256i b)
{
    const __m256i cross = _mm256_mullo_epi32(a, _mm256_shuffle_epi32(b, 0xb1));
    const __m256i sum = _mm256_add_epi32(cross, _mm256_shuffle_epi32(cross, 0xb1));
    return _mm256_add_epi64(_mm256_mul_epu32(a, b), _mm256_slli_epi64(sum, 32));
}

PADICI_AVX2 PADICI_INLINE __m256i padici_avx2_lanes(void) // 0, 1, ...
{
    return _mm256_setr_epi64x(0, 1, 2, 3);
}

PADICI_AVX2 PADICI_INLINE __m256i padici_avx2_above(__m256i a, __m256i b)
{
    return _mm256_cmpgt_epi64(a, b);
}

PADICI_AVX2 PADICI_INLINE __m256i padici_avx2_load16(const uint16_t *p)
{
    return _mm256_cvtepu16_epi64(_mm_loadl_epi64((const __m128i *)(const void *)p));
}

PADICI_AVX2 PADICI_INLINE __m256i padici_avx2_load32(const void *p)
{
    return _mm256_cvtepu32_epi64(_mm_loadu_si128((const __m128i *)p));
}

PADICI_AVX2 PADICI_INLINE __m256i padici_avx2_low(__m256i a, __m256i b) // low halves, in order
{
    const __m256 c = _mm256_shuffle_ps(_mm256_castsi256_ps(a), _mm256_castsi256_ps(b), 0x88);
    return _mm256_permute4x64_epi64(_mm256_castps_si256(c), 0xd8);
}

PADICI_AVX2 PADICI_INLINE void padici_avx2_put_u32(void *p, __m256i a, __m256i b)
{
    _mm256_storeu_si256((__m256i *)p, padici_avx2_low(a, b));
}

PADICI_AVX2 PADICI_INLINE void padici_avx2_put_f32(void *p, __m256i a, __m256i b)
{
    const __m256 c = _mm256_cvtepi32_ps(padici_avx2_low(a, b));
    _mm256_storeu_ps((float *)p, _mm256_mul_ps(c, _mm256_set1_ps(1.0f / 16777216.0f)));
}

// Both halves become doubles as bits below 2^84 and 2^52; their sum is exact.
PADICI_AVX2 PADICI_INLINE void padici_avx2_put_f64(void *p, __m256i a)
{
    const __m256i high = _mm256_set1_epi64x(0x4530000000000000);
    const __m256i low = _mm256_set1_epi64x(0x4330000000000000);
    const __m256d both = _mm256_set1_pd(19342813113834066795298816.0 + 4503599627370496.0);
    const __m256d h = _mm256_castsi256_pd(_mm256_or_si256(_mm256_srli_epi64(a, 32), high));
    const __m256d l = _mm256_castsi256_pd(_mm256_blend_epi32(a, low, 0xaa));
    const __m256d sum = _mm256_add_pd(_mm256_sub_pd(h, both), l);
    _mm256_storeu_pd((double *)p, _mm256_mul_pd(sum, _mm256_set1_pd(1.0 / 9007199254740992.0)));
}

PADICI_AVX512 PADICI_INLINE __m512i padici_avx512_all(uint64_t a)
{
    return _mm512_set1_epi64((long long)a);
}

PADICI_AVX512 PADICI_INLINE __m512i padici_avx512_mul64(__m512i a, __m512i b)
{
    return _mm512_mullo_epi64(a, b);
}

PADICI_AVX512 PADICI_INLINE __m512i padici_avx512_lanes(void)
{
    return _mm512_setr_epi64(0, 1, 2, 3, 4, 5, 6, 7);
}

PADICI_AVX512 PADICI_INLINE __m512i padici_avx512_above(__m512i a, __m512i b)
{
    return _mm512_movm_epi64(_mm512_cmpgt_epi64_mask(a, b));
}

PADICI_AVX512 PADICI_INLINE __m512i padici_avx512_load16(const uint16_t *p)
{
    return _mm512_cvtepu16_epi64(_mm_loadu_si128((const __m128i *)(const void *)p));
}

PADICI_AVX512 PADICI_INLINE __m512i padici_avx512_load32(const void *p)
{
    return _mm512_cvtepu32_epi64(_mm256_loadu_si256((const __m256i *)p));
}

PADICI_AVX512 PADICI_INLINE void padici_avx512_put_u32(void *p, __m512i a, __m512i b)
{
    _mm256_storeu_si256((__m256i *)p, _mm512_cvtepi64_epi32(a));
    _mm256_storeu_si256((__m256i *)p + 1, _mm512_cvtepi64_epi32(b));
}

PADICI_AVX512 PADICI_INLINE void padici_avx512_put_f32(void *p, __m512i a, __m512i b)
{
    const __m256 scale = _mm256_set1_ps(1.0f / 16777216.0f);
    _mm256_storeu_ps((float *)p, _mm256_mul_ps(_mm512_cvtepi64_ps(a), scale));
    _mm256_storeu_ps((float *)p + 8, _mm256_mul_ps(_mm512_cvtepi64_ps(b), scale));
}

PADICI_AVX512 PADICI_INLINE void padici_avx512_put_f64(void *p, __m512i a)
{
    const __m512d scale = _mm512_set1_pd(1.0 / 9007199254740992.0);
    _mm512_storeu_pd((double *)p, _mm512_mul_pd(_mm512_cvtepi64_pd(a), scale));
}
// A mask of lanes as an integer. gcc 12 spills the bits of a mask and reads back as many as the
// integer has to which it is widened, so that has to wait until it is in a general register.
#if defined(__GNUC__) && !defined(__clang__)
#define PADICI_MASK_BITS(bits)                                                                  \
    PADICI_INLINE uint64_t padici_mask##bits(uint##bits##_t mask)                               \
    {                                                                                           \
        __asm__("" : "+r"(mask));                                                               \
        return mask;                                                                            \
    }
#else
#define PADICI_MASK_BITS(bits)                                                                  \
    PADICI_INLINE uint64_t padici_mask##bits(uint##bits##_t mask)                               \
    {                                                                                           \
        return mask;                                                                            \
    }
#endif
PADICI_MASK_BITS(8)
PADICI_MASK_BITS(16)
PADICI_MASK_BITS(32)
PADICI_MASK_BITS(64)
#endif

#if PADICI_SIMD_ARM
PADICI_INLINE uint64x2_t padici_neon_load(const void *p)
{
    return vreinterpretq_u64_u8(vld1q_u8((const uint8_t *)p));
}

PADICI_INLINE void padici_neon_store(void *p, uint64x2_t a)
{
    vst1q_u8((uint8_t *)p, vreinterpretq_u8_u64(a));
}

PADICI_INLINE uint64x2_t padici_neon_all(uint64_t a)
{
    return vdupq_n_u64(a);
}

PADICI_INLINE uint64x2_t padici_neon_lanes(void)
{
    return vcombine_u64(vcreate_u64(0), vcreate_u64(1));
}

PADICI_INLINE uint64x2_t padici_neon_add(uint64x2_t a, uint64x2_t b)
{
    return vaddq_u64(a, b);
}

PADICI_INLINE uint64x2_t padici_neon_sub(uint64x2_t a, uint64x2_t b)
{
    return vsubq_u64(a, b);
}

PADICI_INLINE uint64x2_t padici_neon_mul(uint64x2_t a, uint64x2_t b)
{
    return vmull_u32(vmovn_u64(a), vmovn_u64(b));
}

PADICI_INLINE uint64x2_t padici_neon_mul64(uint64x2_t a, uint64x2_t b)
{
    const uint32x4_t swapped = vrev64q_u32(vreinterpretq_u32_u64(b));
    const uint32x4_t cross = vmulq_u32(vreinterpretq_u32_u64(a), swapped);
    return vaddq_u64(padici_neon_mul(a, b), vshlq_n_u64(vpaddlq_u32(cross), 32));
}

PADICI_INLINE uint64x2_t padici_neon_and(uint64x2_t a, uint64x2_t b)
{
    return vandq_u64(a, b);
}

PADICI_INLINE uint64x2_t padici_neon_or(uint64x2_t a, uint64x2_t b)
{
    return vorrq_u64(a, b);
}

PADICI_INLINE uint64x2_t padici_neon_xor(uint64x2_t a, uint64x2_t b)
{
    return veorq_u64(a, b);
}

PADICI_INLINE uint64x2_t padici_neon_srl(uint64x2_t a, uint64x2_t n)
{
    return vshlq_u64(a, vnegq_s64(vreinterpretq_s64_u64(n)));
}

PADICI_INLINE uint64x2_t padici_neon_sll(uint64x2_t a, uint64x2_t n)
{
    return vshlq_u64(a, vreinterpretq_s64_u64(n));
}

PADICI_INLINE uint64x2_t padici_neon_high(uint64x2_t a)
{
    return vshrq_n_u64(a, 32);
}

PADICI_INLINE uint64x2_t padici_neon_half16(uint64x2_t a)
{
    return vreinterpretq_u64_u32(vshrq_n_u32(vreinterpretq_u32_u64(a), 16));
}

PADICI_INLINE uint64x2_t padici_neon_half15(uint64x2_t a)
{
    return vreinterpretq_u64_u32(vshrq_n_u32(vreinterpretq_u32_u64(a), 15));
}

PADICI_INLINE uint64x2_t padici_neon_above(uint64x2_t a, uint64x2_t b)
{
    return vcgtq_s64(vreinterpretq_s64_u64(a), vreinterpretq_s64_u64(b));
}

PADICI_INLINE uint64x2_t padici_neon_load16(const uint16_t *p)
{
    const uint64_t pair[2] = {p[0], p[1]};
    return vld1q_u64(pair);
}

PADICI_INLINE uint64x2_t padici_neon_load32(const void *p)
{
    return vmovl_u32(vreinterpret_u32_u8(vld1_u8((const uint8_t *)p)));
}

PADICI_INLINE void padici_neon_put_u32(void *p, uint64x2_t a, uint64x2_t b)
{
    vst1q_u32((uint32_t *)p, vcombine_u32(vmovn_u64(a), vmovn_u64(b)));
}

PADICI_INLINE void padici_neon_put_f32(void *p, uint64x2_t a, uint64x2_t b)
{
    const float32x4_t c = vcvtq_f32_u32(vcombine_u32(vmovn_u64(a), vmovn_u64(b)));
    vst1q_f32((float *)p, vmulq_n_f32(c, 1.0f / 16777216.0f));
}

PADICI_INLINE void padici_neon_put_f64(void *p, uint64x2_t a)
{
    vst1q_f64((double *)p, vmulq_n_f64(vcvtq_f64_u64(a), 1.0 / 9007199254740992.0));
}

#endif

