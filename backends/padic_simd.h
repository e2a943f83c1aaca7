// padic_simd.h: vector kernels for x86-64 (AVX2, AVX-512) and AArch64 (NEON), chosen at run time.
// Include after padic.h (and padic_num.h, if you use it); where PADIC_IMPLEMENTATION is defined for
// that, this file's functions are compiled, too. No compile flag is needed.
//
//     padic_context_desc desc = PADIC_ZERO;
//     desc.backends[0] = padic_simd();              // may follow a GPU's
//     padic_context_create(&desc, &context);
//     padic_sample_halton(context, &halton);        // the same bytes as with NULL, faster
//
// Memory is host memory. Kernels replace inner loops: samplers, numbers, sparse matrices, codec,
// waves, matrix products; other operations of the context are done plainly. The level is the
// highest that the CPU has:
//
//     avx512ifma   AVX-512 F, CD, DQ, BW, VL, IFMA, VBMI, VBMI2 (Ice Lake, Zen 4 and later)
//     avx512       AVX-512 F, CD, DQ, BW, VL (Skylake servers)
//     avx2         AVX2, FMA, F16C, BMI, BMI2, LZCNT, POPCNT (Haswell, Zen and later)
//     neon         AArch64
//     none         every other CPU or compiler: everything is done plainly
//
// padic_device_info.arch says which. desc.device.name set to one of these words asks for that level
// (NO_DEVICE if the CPU lacks it); other names are meant for other backends. Without it the
// environment variable PADIC_SIMD, one of these words, lowers the level.
//
// MinGW's gcc does not align vectors on the stack (gcc bug 54412), so there the level is none. If
// yours does (Debian's), or moves them as unaligned ones (-Wa,-muse-unaligned-vector-move), define
// PADIC_SIMD_MINGW.
#ifndef PADIC_SIMD_H
#define PADIC_SIMD_H

#ifndef PADIC_HEADER
#error "include padic.h before padic_simd.h"
#endif
#if PADIC_BACKEND_VERSION != 2
#error "padic_simd.h was made for another version of padic.h"
#endif

#ifdef __cplusplus
extern "C" {
#endif

PADIC_API const padic_backend *padic_simd(void);

#ifdef __cplusplus
}
#endif
#endif // PADIC_SIMD_H

// ================================================================================================
#if defined(PADIC_IMPLEMENTATION) && !defined(PADIC_SIMD_IMPLEMENTED)
#define PADIC_SIMD_IMPLEMENTED

#include <stdlib.h>
#include <string.h>

// room: src/simd/level.h
// ---------------------------------------------------------------------------------------- >>level

#if (defined(__x86_64__) || defined(_M_X64)) && !defined(_M_ARM64EC)
#if defined(__clang__)
#if __clang_major__ >= (defined(_MSC_VER) ? 19 : 9) // clang-cl hid what no flag asks for
#define PADICI_SIMD_X86 1
#endif
#elif defined(__GNUC__)
#if __GNUC__ >= 9 && (!defined(__MINGW32__) || defined(PADIC_SIMD_MINGW))
#define PADICI_SIMD_X86 1
#endif
#elif defined(_MSC_VER) && _MSC_VER >= 1920
#define PADICI_SIMD_X86 1
#include <intrin.h>
#endif
#elif defined(__aarch64__) && !defined(__AARCH64EB__) && (defined(__clang__) || __GNUC__ >= 11)
#include <arm_neon.h>
#define PADICI_SIMD_ARM 1
#endif
#ifndef PADICI_SIMD_X86
#define PADICI_SIMD_X86 0
#else
#include <immintrin.h>
#endif
#ifndef PADICI_SIMD_ARM
#define PADICI_SIMD_ARM 0
#endif

// Before every function that uses intrinsics of a level; helpers are PADICI_INLINE as well.
#if PADICI_SIMD_X86 && (defined(__clang__) || defined(__GNUC__))
#define PADICI_AVX2 __attribute__((target("avx2,fma,f16c,bmi,bmi2,lzcnt,popcnt")))
#define PADICI_AVX512                                                                           \
    __attribute__((target("avx2,fma,f16c,bmi,bmi2,lzcnt,popcnt,avx512f,avx512cd,avx512dq,"       \
                          "avx512bw,avx512vl")))
#define PADICI_IFMA                                                                             \
    __attribute__((target("avx2,fma,f16c,bmi,bmi2,lzcnt,popcnt,avx512f,avx512cd,avx512dq,"       \
                          "avx512bw,avx512vl,avx512ifma,avx512vbmi,avx512vbmi2")))
#else
#define PADICI_AVX2
#define PADICI_AVX512
#define PADICI_IFMA
#endif

// a * b + c must stay two operations unless an FMA is written by name: compilers fuse intrinsics,
// too. And with ipa-ra gcc leaves the upper halves of vectors in use where a plain function
// follows, whose instructions take twice as long then.
#if defined(__clang__)
#pragma STDC FP_CONTRACT OFF
#elif defined(__GNUC__)
#pragma GCC push_options
#pragma GCC optimize("fp-contract=off", "tree-vectorize", "vect-cost-model=dynamic", "no-ipa-ra")
#pragma GCC diagnostic push // gcc's own intrinsics start from a register as it is (its bug 105593)
#pragma GCC diagnostic ignored "-Wuninitialized"
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#elif defined(_MSC_VER)
#pragma fp_contract(off)
#endif

enum { // of x86 and ARM: a CPU has all levels of its kind up to its own
    PADICI_SIMD_NONE,
    PADICI_SIMD_NEON,
    PADICI_SIMD_AVX2,
    PADICI_SIMD_AVX512,
    PADICI_SIMD_IFMA,
    PADICI_SIMD_LEVELS
};

static const char *const padici_simd_names[PADICI_SIMD_LEVELS] = {"none", "neon", "avx2", "avx512",
                                                                  "avx512ifma"};

#if PADICI_SIMD_X86
static void padici_simd_ask(uint32_t leaf, uint32_t out[4])
{
#if defined(_MSC_VER) && !defined(__clang__)
    int words[4];
    __cpuidex(words, (int)leaf, 0);
    memcpy(out, words, sizeof words);
#else
    __asm__ volatile("cpuid"
                     : "=a"(out[0]), "=b"(out[1]), "=c"(out[2]), "=d"(out[3])
                     : "a"(leaf), "c"(0));
#endif
}

static void padici_simd_cpuid(uint32_t leaf, uint32_t out[4])
{
    padici_simd_ask(leaf & 0x80000000u, out); // the largest leaf of its kind
    if (out[0] < leaf)
        memset(out, 0, 4 * sizeof *out);
    else
        padici_simd_ask(leaf, out);
}

// What the operating system keeps of the registers: bits 1, 2 for AVX, 5 to 7 for AVX-512.
static uint32_t padici_simd_xgetbv(void)
{
#if defined(_MSC_VER) && !defined(__clang__)
    return (uint32_t)_xgetbv(0);
#else
    uint32_t low, high;
    __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
    return low;
#endif
}

#define PADICI_SIMD_HAS(word, bits) (((word) & (bits)) == (bits))

static uint32_t padici_simd_detect(void)
{
    // OSXSAVE, AVX, FMA, F16C, POPCNT; LZCNT; BMI, AVX2, BMI2
    const uint32_t first = 1u << 27 | 1u << 28 | 1u << 12 | 1u << 29 | 1u << 23, lzcnt = 1u << 5;
    const uint32_t avx2 = 1u << 3 | 1u << 5 | 1u << 8;
    // AVX-512 F, DQ, CD, BW, VL; IFMA; VBMI, VBMI2
    const uint32_t avx512 = 1u << 16 | 1u << 17 | 1u << 28 | 1u << 30 | 1u << 31;
    const uint32_t ifma = 1u << 21, vbmi = 1u << 1 | 1u << 6;
    uint32_t one[4], seven[4], more[4], kept;
    padici_simd_cpuid(1, one);
    padici_simd_cpuid(7, seven);
    padici_simd_cpuid(0x80000001u, more);
    if (!PADICI_SIMD_HAS(one[2], first) || !PADICI_SIMD_HAS(more[2], lzcnt) ||
        !PADICI_SIMD_HAS(seven[1], avx2))
        return PADICI_SIMD_NONE;
    kept = padici_simd_xgetbv();
    if (!PADICI_SIMD_HAS(kept, 0x06u)) return PADICI_SIMD_NONE;
    if (!PADICI_SIMD_HAS(kept, 0xe6u) || !PADICI_SIMD_HAS(seven[1], avx512))
        return PADICI_SIMD_AVX2;
    if (!PADICI_SIMD_HAS(seven[1], ifma) || !PADICI_SIMD_HAS(seven[2], vbmi))
        return PADICI_SIMD_AVX512;
    return PADICI_SIMD_IFMA;
}
#else
static uint32_t padici_simd_detect(void)
{
    return PADICI_SIMD_ARM ? PADICI_SIMD_NEON : PADICI_SIMD_NONE;
}
#endif

// The environment's wish; "" for none.
static void padici_simd_environment(char *word, size_t size)
{
#if defined(_MSC_VER)
    size_t length;
    if (getenv_s(&length, word, size, "PADIC_SIMD")) word[0] = 0;
#else
    const char *value = getenv("PADIC_SIMD");
    const size_t length = value ? strlen(value) : 0;
    word[0] = 0;
    if (length && length < size) memcpy(word, value, length + 1);
#endif
}

// The number of a level's name; PADICI_SIMD_LEVELS for another word or none.
static uint32_t padici_simd_level(const char *name)
{
    uint32_t i = 0;
    while (i < PADICI_SIMD_LEVELS && (!name || strcmp(name, padici_simd_names[i]))) i++;
    return i;
}

// room: src/simd/words.h
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

// room: src/simd/sample.c
// ---------------------------------------------------------------------------------------- >>sample
#ifndef PADIC_NO_SAMPLE

// Numbers go through in blocks of words as in padic.h: fetched, reversed, emitted. Of numbers above
// 2^32 (LONG) only the scrambling is done here, which is nearly all of their time.

#define PADICI_SAMPLE_WORDS (2 * PADICI_SAMPLE_BLOCK)
#define PADICI_SAMPLE_POWERS 24

typedef struct padici_sample_plan {
    const padic_sample_call *call;
    padici_sample_radix radix;
    padici_sample_job job; // for the plain functions
    padici_sample_fraction fraction; // of LONG
    uint32_t ranged;        // consecutive indices, not scrambled: `table`; else `by`
    uint64_t n, cut, shift; // floor(2^32 R / n) is (R cut) >> shift, or up to 2 more
    // Consecutive indices q span + t share what their high digits add to R, `low`.
    uint64_t q, t, low, scale; // of their low digits
    union {
        uint16_t table[PADICI_SAMPLE_TABLE + 8];
        struct {
            // q_k = floor(i / b^k) = (i m[k] + a[k]) >> s[k] for every i < 2^32; c[k]: its weight
            uint64_t m[PADICI_SAMPLE_POWERS], a[PADICI_SAMPLE_POWERS], s[PADICI_SAMPLE_POWERS];
            uint64_t c[PADICI_SAMPLE_POWERS], top; // b^(levels - 1): the weight of q_0
            // IFMA: q_k = (q w[k]) >> 52, q = i while b^k <= 2^20, k <= nearby, then q = q_nearby
            uint64_t w[PADICI_SAMPLE_POWERS];
            uint32_t nearby;
        } by;
    } u;
} padici_sample_plan;

// With d_k = q_k - b q_(k+1), R = q_0 b^(D-1) - (b^2 - 1) (q_1 b^(D-2) + ... + q_(D-1)).
static void padici_sample_plan_powers(padici_sample_plan *p)
{
    const uint64_t base = p->radix.base;
    uint64_t power = 1, nearby_power = 1, weight = 1;
    uint32_t k;
    for (k = 1; k < p->radix.levels; k++) {
        power *= base;
        if (power <= 1u << 20) nearby_power = power, p->u.by.nearby = k;
        p->u.by.w[k] =
            (UINT64_C(1) << 52) / (p->u.by.nearby < k ? power / nearby_power : power) + 1;
        padici_sample_reciprocal32(power, &p->u.by.m[k], &p->u.by.a[k], &p->u.by.s[k]);
    }
    p->u.by.top = power;
    for (k = p->radix.levels; k-- > 1; weight *= base)
        p->u.by.c[k] = 0 - weight * (base * base - 1);
}

static void padici_sample_plan_next(padici_sample_plan *p) // the next run of consecutive indices
{
    p->t = 0;
    p->low = padici_sample_reverse(&p->radix, p->radix.levels - p->radix.together, ++p->q);
}

#define PADICI_SAMPLE_KERNELS(L, TARGET, V, N)                                                  \
    /* U32 indices side by side; whether one is above `last`. */                                \
    TARGET static int padici_sample_fetch_##L(const padici_sample_plan *p, const char *from,    \
                                              uint64_t *v)                                      \
    {                                                                                           \
        const V last = padici_##L##_all(p->call->last);                                         \
        V bad = padici_##L##_all(0);                                                            \
        uint64_t any[N], all = 0;                                                               \
        uint32_t j;                                                                             \
        for (j = 0; j < PADICI_SAMPLE_WORDS; j += N) {                                          \
            const V i = padici_##L##_load32(from + 4 * j);                                      \
            bad = padici_##L##_or(bad, padici_##L##_above(i, last));                            \
            padici_##L##_store(v + j, i);                                                       \
        }                                                                                       \
        padici_##L##_store(any, bad);                                                           \
        for (j = 0; j < N; j++) all |= any[j];                                                  \
        return all != 0;                                                                        \
    }                                                                                           \
                                                                                                \
    TARGET static void padici_sample_bits_##L(const padici_sample_plan *p, uint64_t *v)         \
    {                                                                                           \
        static const uint64_t masks[6] = {                                                      \
            0x5555555555555555u, 0x3333333333333333u, 0x0f0f0f0f0f0f0f0fu,                      \
            0x00ff00ff00ff00ffu, 0x0000ffff0000ffffu, 0x00000000ffffffffu};                     \
        const V rest = padici_##L##_all(64 - p->radix.levels);                                  \
        uint32_t j, k;                                                                          \
        for (j = 0; j < PADICI_SAMPLE_WORDS; j += N) {                                          \
            V x = padici_##L##_load(v + j);                                                     \
            for (k = 0; k < 6; k++) {                                                           \
                const V mask = padici_##L##_all(masks[k]), n = padici_##L##_all(1u << k);       \
                x = padici_##L##_or(padici_##L##_and(padici_##L##_srl(x, n), mask),             \
                                    padici_##L##_sll(padici_##L##_and(x, mask), n));            \
            }                                                                                   \
            padici_##L##_store(v + j, padici_##L##_srl(x, rest));                               \
        }                                                                                       \
    }                                                                                           \
                                                                                                \
    TARGET static void padici_sample_plain_##L(const padici_sample_plan *p, uint64_t *v)        \
    {                                                                                           \
        const V top = padici_##L##_all(p->u.by.top), mask = padici_##L##_all(0xffffffffu);      \
        uint32_t j, k;                                                                          \
        for (j = 0; j < PADICI_SAMPLE_WORDS; j += 2 * N) {                                      \
            const V i = padici_##L##_load(v + j), h = padici_##L##_load(v + j + N);             \
            V r = padici_##L##_mul(i, top), s = padici_##L##_mul(h, top);                       \
            for (k = 1; k < p->radix.levels; k++) {                                             \
                const V m = padici_##L##_all(p->u.by.m[k]), a = padici_##L##_all(p->u.by.a[k]); \
                const V n = padici_##L##_all(p->u.by.s[k]), c = padici_##L##_all(p->u.by.c[k]); \
                V q = padici_##L##_srl(padici_##L##_add(padici_##L##_mul(i, m), a), n);         \
                r = padici_##L##_add(r, padici_##L##_mul(q, c));                                \
                q = padici_##L##_srl(padici_##L##_add(padici_##L##_mul(h, m), a), n);           \
                s = padici_##L##_add(s, padici_##L##_mul(q, c));                                \
            }                                                                                   \
            padici_##L##_store(v + j, padici_##L##_and(r, mask));                               \
            padici_##L##_store(v + j + N, padici_##L##_and(s, mask));                           \
        }                                                                                       \
    }                                                                                           \
                                                                                                \
    /* One affine map a node (OWEN) or a level: see padici_sample_owen32() and _permute(). */   \
    TARGET static void padici_sample_map_##L(const padici_sample_plan *p, uint64_t *v)          \
    {                                                                                           \
        const V base = padici_##L##_all(p->radix.base), less = padici_##L##_all(p->radix.base - 1);\
        const V m = padici_##L##_all(p->u.by.m[1]), a = padici_##L##_all(p->u.by.a[1]);         \
        const V n = padici_##L##_all(p->u.by.s[1]), mix1 = padici_##L##_all(0x7feb352du);       \
        const V mix2 = padici_##L##_all(0x846ca68bu), mix3 = padici_##L##_all(0x01000193u);     \
        const V inverse = padici_##L##_all(UINT32_MAX / p->radix.base + 1);                     \
        const V prefixes = padici_##L##_all(p->radix.mode == PADIC_SAMPLE_PERMUTE ? 0 : ~0ull); \
        uint64_t r[PADICI_SAMPLE_WORDS];                                                        \
        uint32_t j, k;                                                                          \
        memset(r, 0, sizeof r);                                                                 \
        for (k = 0; k < p->radix.levels; k++) {                                                 \
            const V key = padici_##L##_all(p->radix.keys[k]);                                   \
            for (j = 0; j < PADICI_SAMPLE_WORDS; j += N) {                                      \
                const V i = padici_##L##_load(v + j), prefix = padici_##L##_load(r + j);        \
                const V q = padici_##L##_srl(padici_##L##_add(padici_##L##_mul(i, m), a), n);   \
                const V d = padici_##L##_sub(i, padici_##L##_mul(q, base));                     \
                V h = padici_##L##_xor(padici_##L##_and(prefix, prefixes), key), t;             \
                h = padici_##L##_mul(padici_##L##_xor(h, padici_##L##_half16(h)), mix1);        \
                h = padici_##L##_mul(padici_##L##_xor(h, padici_##L##_half15(h)), mix2);        \
                h = padici_##L##_xor(h, padici_##L##_half16(h));                                \
                t = padici_##L##_high(padici_##L##_mul(padici_##L##_mul(h, mix3), less));       \
                t = padici_##L##_add(padici_##L##_add(padici_##L##_mul(t, d), d),               \
                                     padici_##L##_high(padici_##L##_mul(h, base)));             \
                h = padici_##L##_high(padici_##L##_mul(t, inverse));                            \
                t = padici_##L##_sub(t, padici_##L##_mul(h, base));                             \
                padici_##L##_store(v + j, q);                                                   \
                padici_##L##_store(r + j, padici_##L##_add(padici_##L##_mul(prefix, base), t)); \
            }                                                                                   \
        }                                                                                       \
        memcpy(v, r, sizeof r);                                                                 \
    }                                                                                           \
                                                                                                \
    /* floor(h b / 2^64), b < 2^32. */                                                          \
    TARGET PADICI_INLINE V padici_sample_part_##L(V h, V b)                                     \
    {                                                                                           \
        const V low = padici_##L##_high(padici_##L##_mul(h, b));                                \
        const V high = padici_##L##_mul(padici_##L##_high(h), b);                               \
        return padici_##L##_high(padici_##L##_add(high, low));                                  \
    }                                                                                           \
                                                                                                \
    /* floor(x / b) of x < 2^32; *rest: x mod b. */                                             \
    TARGET PADICI_INLINE V padici_sample_div_##L(const padici_sample_plan *p, V x, V *rest)     \
    {                                                                                           \
        const V m = padici_##L##_all(p->u.by.m[1]), a = padici_##L##_all(p->u.by.a[1]);         \
        const V n = padici_##L##_all(p->u.by.s[1]), base = padici_##L##_all(p->radix.base);     \
        const V q = padici_##L##_srl(padici_##L##_add(padici_##L##_mul(x, m), a), n);           \
        *rest = padici_##L##_sub(x, padici_##L##_mul(q, base));                                 \
        return q;                                                                               \
    }                                                                                           \
                                                                                                \
    /* The same with 64-bit words and hashes, b < 2^16; i is divided from the top down, 16 bits \
     * of it at a time after the upper half: see padici_sample_owen64(). */                     \
    TARGET static void padici_sample_map64_##L(const padici_sample_plan *p, uint64_t *v)        \
    {                                                                                           \
        const V base = padici_##L##_all(p->radix.base), less = padici_##L##_all(p->radix.base - 1);\
        const V mix1 = padici_##L##_all(0xbf58476d1ce4e5b9u);                                   \
        const V mix2 = padici_##L##_all(0x94d049bb133111ebu);                                   \
        const V mix3 = padici_##L##_all(0x9e3779b97f4a7c15u), half = padici_##L##_all(0xffff);  \
        const V by16 = padici_##L##_all(16), by27 = padici_##L##_all(27);                       \
        const V by30 = padici_##L##_all(30), by31 = padici_##L##_all(31);                       \
        const V by32 = padici_##L##_all(32);                                                    \
        const V prefixes = padici_##L##_all(p->radix.mode == PADIC_SAMPLE_PERMUTE ? 0 : ~0ull); \
        uint64_t r[PADICI_SAMPLE_WORDS];                                                        \
        uint32_t j, k;                                                                          \
        memset(r, 0, sizeof r);                                                                 \
        for (k = 0; k < p->radix.levels; k++) {                                                 \
            const V key = padici_##L##_all(p->radix.keys[k]);                                   \
            for (j = 0; j < PADICI_SAMPLE_WORDS; j += N) {                                      \
                const V i = padici_##L##_load(v + j), prefix = padici_##L##_load(r + j);        \
                V h = padici_##L##_xor(padici_##L##_and(prefix, prefixes), key), d, q, a, c;    \
                q = padici_##L##_sll(padici_sample_div_##L(p, padici_##L##_high(i), &d), by32); \
                a = padici_##L##_and(padici_##L##_srl(i, by16), half);                          \
                a = padici_##L##_or(padici_##L##_sll(d, by16), a);                              \
                a = padici_sample_div_##L(p, a, &d);                                            \
                q = padici_##L##_add(q, padici_##L##_sll(a, by16));                             \
                a = padici_##L##_or(padici_##L##_sll(d, by16), padici_##L##_and(i, half));      \
                q = padici_##L##_add(q, padici_sample_div_##L(p, a, &d));                       \
                padici_##L##_store(v + j, q);                                                   \
                h = padici_##L##_xor(h, padici_##L##_srl(h, by30));                             \
                h = padici_##L##_mul64(h, mix1);                                                \
                h = padici_##L##_xor(h, padici_##L##_srl(h, by27));                             \
                h = padici_##L##_mul64(h, mix2);                                                \
                h = padici_##L##_xor(h, padici_##L##_srl(h, by31));                             \
                c = padici_sample_part_##L(h, base);                                            \
                a = padici_sample_part_##L(padici_##L##_mul64(h, mix3), less);                  \
                a = padici_##L##_add(padici_##L##_add(padici_##L##_mul(a, d), d), c);           \
                (void)padici_sample_div_##L(p, a, &d);                                          \
                padici_##L##_store(r + j, padici_##L##_add(padici_##L##_mul64(prefix, base), d));\
            }                                                                                   \
        }                                                                                       \
        memcpy(v, r, sizeof r);                                                                 \
    }                                                                                           \
                                                                                                \
    /* 64 consecutive indices, as padici_sample_range(); the table is read beyond its end. */   \
    TARGET static void padici_sample_range_##L(padici_sample_plan *p, uint64_t *v)              \
    {                                                                                           \
        const V scale = padici_##L##_all(p->scale);                                             \
        uint32_t j = 0, i, run;                                                                 \
        while (j < PADICI_SAMPLE_WORDS) {                                                       \
            const V low = padici_##L##_all(p->low);                                             \
            run = PADICI_SAMPLE_WORDS - j;                                                      \
            if (run > p->radix.span - p->t) run = (uint32_t)(p->radix.span - p->t);             \
            for (i = 0; i < run; i += N) { /* up to N - 1 words too far, in v as well */        \
                const V t = p->radix.together > 1                                               \
                                ? padici_##L##_load16(p->u.table + p->t + i)                    \
                                : padici_##L##_add(padici_##L##_lanes(),                        \
                                                   padici_##L##_all(p->t + i));                 \
                padici_##L##_store(v + j + i,                                                   \
                                   padici_##L##_add(padici_##L##_mul(t, scale), low));          \
            }                                                                                   \
            j += run;                                                                           \
            p->t += run;                                                                        \
            if (p->t == p->radix.span) padici_sample_plan_next(p);                              \
        }                                                                                       \
    }                                                                                           \
                                                                                                \
    /* *rest 2^32 over n, cut off; *rest becomes the remainder. */                              \
    TARGET PADICI_INLINE V padici_sample_cut_##L(const padici_sample_plan *p, V *rest)          \
    {                                                                                           \
        const V n = padici_##L##_all(p->n), last = padici_##L##_all(p->n - 1);                  \
        const V q = padici_##L##_srl(padici_##L##_mul(*rest, padici_##L##_all(p->cut)),         \
                                     padici_##L##_all(p->shift));                               \
        const V r = padici_##L##_sub(padici_##L##_sll(*rest, padici_##L##_all(32)),             \
                                     padici_##L##_mul(q, n));                                   \
        const V more = padici_##L##_above(r, last);                                             \
        const V s = padici_##L##_sub(r, padici_##L##_and(more, n));                             \
        const V again = padici_##L##_above(s, last);                                            \
        *rest = padici_##L##_sub(s, padici_##L##_and(again, n));                                \
        return padici_##L##_sub(padici_##L##_sub(q, more), again);                              \
    }                                                                                           \
                                                                                                \
    /* r 2^24 over n, cut off. */                                                               \
    TARGET PADICI_INLINE V padici_sample_cut24_##L(const padici_sample_plan *p, V r)            \
    {                                                                                           \
        const V n = padici_##L##_all(p->n), up = padici_##L##_all(24), by = padici_##L##_all(8);\
        const V cut = padici_##L##_all(p->cut), shift = padici_##L##_all(p->shift + 8);         \
        const V q = padici_##L##_srl(padici_##L##_mul(r, cut), shift);                          \
        const V rest = padici_##L##_sub(padici_##L##_sll(r, up), padici_##L##_mul(q, n));       \
        if (p->n >> 32) return padici_##L##_srl(r, by);                                         \
        return padici_##L##_sub(q, padici_##L##_above(rest, padici_##L##_all(p->n - 1)));       \
    }                                                                                           \
                                                                                                \
    TARGET static void padici_sample_emit_##L(const padici_sample_plan *p, const uint64_t *v,   \
                                              char *out, uint32_t words)                        \
    {                                                                                           \
        const padic_dtype dtype = p->call->dtype;                                               \
        const V eleven = padici_##L##_all(11), up = padici_##L##_all(32);                       \
        const int whole = p->call->integers || p->n >> 32;                                      \
        uint32_t j;                                                                             \
        for (j = 0; dtype == PADIC_F32 && j < words; j += 2 * N, out += 8 * N)                  \
            padici_##L##_put_f32(out, padici_sample_cut24_##L(p, padici_##L##_load(v + j)),     \
                                 padici_sample_cut24_##L(p, padici_##L##_load(v + j + N)));     \
        for (j = 0; dtype == PADIC_U32 && j < words; j += 2 * N, out += 8 * N) {                \
            V r = padici_##L##_load(v + j), s = padici_##L##_load(v + j + N);                   \
            if (!whole) r = padici_sample_cut_##L(p, &r);                                       \
            if (!whole) s = padici_sample_cut_##L(p, &s);                                       \
            padici_##L##_put_u32(out, r, s);                                                    \
        }                                                                                       \
        if (dtype == PADIC_U32 || dtype == PADIC_F32) return;                                   \
        for (j = 0; j < words; j += N, out += 8 * N) {                                          \
            V r = padici_##L##_load(v + j);                                                     \
            if (!whole) {                                                                       \
                const V q = padici_sample_cut_##L(p, &r);                                       \
                r = padici_##L##_or(padici_##L##_sll(q, up), padici_sample_cut_##L(p, &r));     \
            } else if (!p->call->integers) {                                                    \
                r = padici_##L##_sll(r, up);                                                    \
            }                                                                                   \
            if (dtype == PADIC_U64)                                                             \
                padici_##L##_store(out, r);                                                     \
            else                                                                                \
                padici_##L##_put_f64(out, padici_##L##_srl(r, eleven));                         \
        }                                                                                       \
    }

#if PADICI_SIMD_X86
PADICI_SAMPLE_KERNELS(avx2, PADICI_AVX2, __m256i, 4)
PADICI_SAMPLE_KERNELS(avx512, PADICI_AVX512, __m512i, 8)

// madd52 takes the low 52 bits of its factors, so what gathers above them does no harm.
PADICI_IFMA static void padici_sample_plain_ifma(const padici_sample_plan *p, uint64_t *v)
{
    const __m512i zero = _mm512_setzero_si512(), mask = padici_avx512_all(0xffffffffu);
    const __m512i top = padici_avx512_all(p->u.by.top);
    uint32_t j, k;
    for (j = 0; j < PADICI_SAMPLE_WORDS; j += 16) {
        __m512i i = padici_avx512_load(v + j), h = padici_avx512_load(v + j + 8);
        __m512i r = _mm512_madd52lo_epu64(zero, i, top), s = _mm512_madd52lo_epu64(zero, h, top);
        for (k = 1; k < p->radix.levels; k++) {
            const __m512i w = padici_avx512_all(p->u.by.w[k]), c = padici_avx512_all(p->u.by.c[k]);
            const __m512i q = _mm512_madd52hi_epu64(zero, i, w);
            const __m512i t = _mm512_madd52hi_epu64(zero, h, w);
            r = _mm512_madd52lo_epu64(r, q, c);
            s = _mm512_madd52lo_epu64(s, t, c);
            if (k == p->u.by.nearby) i = q, h = t;
        }
        padici_avx512_store(v + j, _mm512_and_si512(r, mask));
        padici_avx512_store(v + j + 8, _mm512_and_si512(s, mask));
    }
}

PADICI_IFMA static void padici_sample_map_ifma(const padici_sample_plan *p, uint64_t *v)
{
    const uint64_t b = p->radix.base;
    const __m512i zero = _mm512_setzero_si512(), base = padici_avx512_all(b);
    const __m512i minus = padici_avx512_all(0 - b), inverse = padici_avx512_all(p->u.by.w[1]);
    const __m512i base20 = padici_avx512_all(b << 20), less = padici_avx512_all(b - 1);
    const __m512i mix1 = padici_avx512_all(0x7feb352du), mix2 = padici_avx512_all(0x846ca68bu);
    const __m512i mix3 = padici_avx512_all(0x01000193u), mask = padici_avx512_all(0xffffffffu);
    const __m512i prefixes = padici_avx512_all(p->radix.mode == PADIC_SAMPLE_PERMUTE ? 0 : ~0u);
    __m512i r[PADICI_SAMPLE_WORDS / 8];
    uint32_t j, k;
    for (j = 0; j < PADICI_SAMPLE_WORDS / 8; j++) r[j] = zero;
    for (k = 0; k < p->radix.levels; k++) {
        const __m512i key = padici_avx512_all(p->radix.keys[k]);
        for (j = 0; j < PADICI_SAMPLE_WORDS / 8; j++) {
            const __m512i i = padici_avx512_load(v + 8 * j);
            const __m512i q = _mm512_madd52hi_epu64(zero, i, inverse);
            const __m512i d = _mm512_madd52lo_epu64(i, q, minus);
            __m512i h = _mm512_ternarylogic_epi64(r[j], prefixes, key, 0x6a), a, t; // (r & p) ^ key
            h = _mm512_mul_epu32(_mm512_xor_si512(h, _mm512_srli_epi32(h, 16)), mix1);
            h = _mm512_mul_epu32(_mm512_xor_si512(h, _mm512_srli_epi32(h, 15)), mix2);
            h = _mm512_ternarylogic_epi64(h, _mm512_srli_epi32(h, 16), mask, 0x28); // (a ^ b) & c
            a = _mm512_srli_epi64(_mm512_mul_epu32(_mm512_mul_epu32(h, mix3), less), 32);
            t = _mm512_madd52hi_epu64(d, h, base20);
            t = _mm512_madd52lo_epu64(t, a, d);
            h = _mm512_madd52hi_epu64(zero, t, inverse);
            t = _mm512_madd52lo_epu64(t, h, minus);
            padici_avx512_store(v + 8 * j, q);
            r[j] = _mm512_madd52lo_epu64(t, r[j], base);
        }
    }
    for (j = 0; j < PADICI_SAMPLE_WORDS / 8; j++)
        padici_avx512_store(v + 8 * j, _mm512_and_si512(r[j], mask));
}

// 64-bit words and hashes, b <= 1,024: the rest of the upper half times 2^32, with the lower half,
// is below 2^42, so that its product with w[1] is right.
PADICI_IFMA static void padici_sample_map64_ifma(const padici_sample_plan *p, uint64_t *v)
{
    const uint64_t b = p->radix.base;
    const __m512i zero = _mm512_setzero_si512(), base = padici_avx512_all(b);
    const __m512i minus = padici_avx512_all(0 - b), inverse = padici_avx512_all(p->u.by.w[1]);
    const __m512i less = padici_avx512_all(b - 1), mask = padici_avx512_all(0xffffffffu);
    const __m512i mix1 = padici_avx512_all(0xbf58476d1ce4e5b9u);
    const __m512i mix2 = padici_avx512_all(0x94d049bb133111ebu);
    const __m512i mix3 = padici_avx512_all(0x9e3779b97f4a7c15u);
    const __m512i prefixes = padici_avx512_all(p->radix.mode == PADIC_SAMPLE_PERMUTE ? 0 : ~0ull);
    __m512i r[PADICI_SAMPLE_WORDS / 8];
    uint32_t j, k;
    for (j = 0; j < PADICI_SAMPLE_WORDS / 8; j++) r[j] = zero;
    for (k = 0; k < p->radix.levels; k++) {
        const __m512i key = padici_avx512_all(p->radix.keys[k]);
        for (j = 0; j < PADICI_SAMPLE_WORDS / 8; j++) {
            const __m512i i = padici_avx512_load(v + 8 * j), upper = _mm512_srli_epi64(i, 32);
            const __m512i q = _mm512_madd52hi_epu64(zero, upper, inverse);
            __m512i h = _mm512_ternarylogic_epi64(r[j], prefixes, key, 0x6a), d, t, a;
            d = _mm512_slli_epi64(_mm512_madd52lo_epu64(upper, q, minus), 32);
            t = _mm512_ternarylogic_epi64(d, i, mask, 0xf8); // d | (i & mask)
            a = _mm512_madd52hi_epu64(zero, t, inverse);
            padici_avx512_store(v + 8 * j, _mm512_add_epi64(_mm512_slli_epi64(q, 32), a));
            d = _mm512_madd52lo_epu64(t, a, minus);
            h = _mm512_mullo_epi64(_mm512_xor_si512(h, _mm512_srli_epi64(h, 30)), mix1);
            h = _mm512_mullo_epi64(_mm512_xor_si512(h, _mm512_srli_epi64(h, 27)), mix2);
            h = _mm512_xor_si512(h, _mm512_srli_epi64(h, 31));
            t = _mm512_add_epi64(padici_sample_part_avx512(h, base), d);
            a = padici_sample_part_avx512(_mm512_mullo_epi64(h, mix3), less);
            t = _mm512_madd52lo_epu64(t, a, d);
            a = _mm512_madd52hi_epu64(zero, t, inverse);
            t = _mm512_and_si512(_mm512_madd52lo_epu64(t, a, minus), mask);
            r[j] = _mm512_add_epi64(_mm512_mullo_epi64(r[j], base), t);
        }
    }
    for (j = 0; j < PADICI_SAMPLE_WORDS / 8; j++) padici_avx512_store(v + 8 * j, r[j]);
}
#elif PADICI_SIMD_ARM
PADICI_SAMPLE_KERNELS(neon, , uint64x2_t, 2)
#endif

typedef struct padici_sample_kernels {
    int (*fetch)(const padici_sample_plan *p, const char *from, uint64_t *v);
    void (*bits)(const padici_sample_plan *p, uint64_t *v);
    void (*plain)(const padici_sample_plan *p, uint64_t *v);
    void (*map)(const padici_sample_plan *p, uint64_t *v);
    void (*map64)(const padici_sample_plan *p, uint64_t *v); // bases below 1,024
    void (*map64_any)(const padici_sample_plan *p, uint64_t *v);
    void (*range)(padici_sample_plan *p, uint64_t *v);
    void (*emit)(const padici_sample_plan *p, const uint64_t *v, char *out, uint32_t words);
} padici_sample_kernels;

static const padici_sample_kernels *padici_sample_kernels_of(uint32_t level)
{
#if PADICI_SIMD_X86
    static const padici_sample_kernels kernels[3] = {
        {padici_sample_fetch_avx2, padici_sample_bits_avx2, padici_sample_plain_avx2,
         padici_sample_map_avx2, padici_sample_map64_avx2, padici_sample_map64_avx2,
         padici_sample_range_avx2, padici_sample_emit_avx2},
        {padici_sample_fetch_avx512, padici_sample_bits_avx512, padici_sample_plain_avx512,
         padici_sample_map_avx512, padici_sample_map64_avx512, padici_sample_map64_avx512,
         padici_sample_range_avx512, padici_sample_emit_avx512},
        {padici_sample_fetch_avx512, padici_sample_bits_avx512, padici_sample_plain_ifma,
         padici_sample_map_ifma, padici_sample_map64_ifma, padici_sample_map64_avx512,
         padici_sample_range_avx512, padici_sample_emit_avx512}};
    return &kernels[level - PADICI_SIMD_AVX2];
#elif PADICI_SIMD_ARM
    static const padici_sample_kernels kernels = {
        padici_sample_fetch_neon, padici_sample_bits_neon,  padici_sample_plain_neon,
        padici_sample_map_neon,   padici_sample_map64_neon, padici_sample_map64_neon,
        padici_sample_range_neon, padici_sample_emit_neon};
    (void)level;
    return &kernels;
#else
    (void)level;
    return NULL;
#endif
}

static void padici_sample_plan_make(padici_sample_plan *p, const padic_sample_call *call)
{
    const uint32_t n_bits = 64 - padici_clz64(call->scale);
    uint32_t k, rest;
    p->call = call;
    padici_sample_radix_make(&p->radix, call->base, 0);
    p->radix.levels = call->levels;
    p->radix.mode = call->mode;
    p->radix.keys = call->keys;
    memset(&p->job, 0, sizeof p->job);
    p->job.first = call->first;
    p->job.index = (const char *)call->index;
    p->job.index_stride = call->index_stride;
    p->job.index_dtype = call->index_dtype;
    p->job.last = call->last;
    p->job.out = (char *)call->out;
    p->job.out_stride = call->out_stride;
    p->job.dtype = call->dtype;
    p->job.integers = call->integers;
    p->u.by.nearby = 0;
    p->u.by.w[1] = (UINT64_C(1) << 52) / call->base + 1;
    padici_sample_reciprocal32(call->base, &p->u.by.m[1], &p->u.by.a[1], &p->u.by.s[1]);
    p->n = call->scale + 1;
    if (call->scale >> 32) {
        padici_sample_fraction_make(&p->fraction, call->scale, 1);
    } else {
        p->cut = (UINT64_C(1) << (31 + n_bits)) / p->n;
        p->shift = n_bits - 1;
    }
    p->ranged = call->mode == PADIC_SAMPLE_NONE && !call->index && !call->index_out;
    if (!p->ranged && call->base > 2 &&
        (call->mode == PADIC_SAMPLE_NONE || call->index_out || call->reversed_in))
        padici_sample_plan_powers(p);
    if (!p->ranged) return;
    memset(p->u.table, 0, sizeof p->u.table);
    if (p->radix.together > 1) padici_sample_table(&p->radix, p->u.table);
    rest = p->radix.levels - p->radix.together;
    for (k = 0, p->scale = 1; k < rest; k++) p->scale *= call->base;
    p->q = call->first / p->radix.span - 1;
    padici_sample_plan_next(p);
    p->t = call->first % p->radix.span;
}

// Numbers at .. at + n - 1, the rest of the block 0; bits of those above `last`, which become 0.
static void padici_sample_take(const padici_sample_plan *p, const padici_sample_kernels *kernels,
                               uint64_t at, uint64_t *v, uint32_t n, uint64_t bad[2])
{
    const padic_sample_call *call = p->call;
    uint32_t j;
    bad[0] = bad[1] = 0;
    if (!call->index) {
        for (j = 0; j < PADICI_SAMPLE_WORDS; j++) v[j] = call->first + at + j;
        return;
    }
    if (n == PADICI_SAMPLE_WORDS && call->index_stride == 1 && call->index_dtype == PADIC_U32 &&
        !(*kernels->fetch)(p, (const char *)call->index + (size_t)at * 4, v))
        return;
    memset(v, 0, PADICI_SAMPLE_WORDS * sizeof *v);
    j = n < PADICI_SAMPLE_BLOCK ? n : PADICI_SAMPLE_BLOCK;
    bad[0] = padici_sample_fetch(&p->job, at, v, j);
    bad[1] = padici_sample_fetch(&p->job, at + j, v + j, n - j);
}

static void padici_sample_digits(const padici_sample_plan *p, const padici_sample_kernels *kernels,
                                 uint64_t *v, uint64_t *space)
{
    const padic_sample_call *call = p->call;
    void (*plain)(const padici_sample_plan *, uint64_t *) =
        call->base == 2 ? kernels->bits : kernels->plain;
    uint32_t j;
    if (call->reversed_in) (*plain)(p, v);
    for (j = 0; call->group && j < PADICI_SAMPLE_WORDS; j++) {
        space[j] = v[j] - v[j] % call->group;
        v[j] -= space[j];
    }
    if (call->mode == PADIC_SAMPLE_NONE)
        (*plain)(p, v);
    else if (call->wide)
        (*(call->base < 1024 ? kernels->map64 : kernels->map64_any))(p, v);
    else
        (*kernels->map)(p, v);
    if (call->index_out) (*plain)(p, v);
    for (j = 0; call->group && j < PADICI_SAMPLE_WORDS; j++) v[j] += space[j];
}

static void padici_sample_put(const padici_sample_plan *p, const padici_sample_kernels *kernels,
                              uint64_t at, const uint64_t *v, uint32_t n, uint64_t *space)
{
    const padic_sample_call *call = p->call;
    const size_t size = call->dtype == PADIC_U64 || call->dtype == PADIC_F64 ? 8 : 4;
    const size_t step = (size_t)call->out_stride * size;
    char *out = (char *)call->out + (size_t)at * step;
    uint32_t j;
    if (call->scale >> 32) {
        padici_sample_emit(&p->job, &p->fraction, at, v, n);
        return;
    }
    if (n == PADICI_SAMPLE_WORDS && step == size) {
        (*kernels->emit)(p, v, out, n);
        return;
    }
    (*kernels->emit)(p, v, (char *)space, PADICI_SAMPLE_WORDS);
    if (size == 4)
        for (j = 0; j < n; j++, out += step) memcpy(out, (char *)space + j * 4, 4);
    else
        for (j = 0; j < n; j++, out += step) memcpy(out, space + j, 8);
}

static padic_result padici_simd_sample(uint32_t level, padic_sample_call *call)
{
    const padici_sample_kernels *kernels = padici_sample_kernels_of(level);
    uint64_t v[PADICI_SAMPLE_WORDS + 8], space[PADICI_SAMPLE_WORDS], bad[2], at;
    padici_sample_plan plan;
    uint32_t n, j;
    if (!kernels || call->count < 32 || call->full || call->base > 65536)
        return PADIC_ERROR_NOT_SUPPORTED;
    if (call->scale >> 32 &&
        (call->mode == PADIC_SAMPLE_NONE || call->reversed_in || call->index_out))
        return PADIC_ERROR_NOT_SUPPORTED;
    padici_sample_plan_make(&plan, call);
    call->outside = 0;
    for (at = 0; at < call->count; at += n) {
        n = call->count - at < PADICI_SAMPLE_WORDS ? (uint32_t)(call->count - at)
                                                   : PADICI_SAMPLE_WORDS;
        if (plan.ranged) {
            (*kernels->range)(&plan, v);
        } else {
            padici_sample_take(&plan, kernels, at, v, n, bad);
            padici_sample_digits(&plan, kernels, v, space);
            for (j = 0; (bad[0] | bad[1]) && j < PADICI_SAMPLE_WORDS; j++)
                if (bad[j / 64] >> (j % 64) & 1) {
                    call->outside = 1;
                    v[j] = 0;
                }
        }
        padici_sample_put(&plan, kernels, at, v, n, space);
    }
    return PADIC_OK;
}

#endif // PADIC_NO_SAMPLE

// room: src/simd/sparse.c
// ---------------------------------------------------------------------------------------- >>sparse
#ifdef PADIC_SPARSE_H

// Keys go through in blocks of 64: `find` makes a mask of those that are kept, `fill` writes what
// they keep, whole vectors at a time, so the next block begins inside what the one before wrote.
// A block is a part of a long row, or all of a short one.

#define PADICI_PICK_BLOCKS 32 // masks made at a time
#define PADICI_PICK_ROWS 128  // short rows at a time

#if PADICI_SIMD_X86 || PADICI_SIMD_ARM
typedef struct padici_pick_span {
    const uint8_t *key; // 64 of them may be read from the begin of each block
    const uint64_t *masks;
    uint32_t blocks, keys; // keys from block to block
    uint64_t first, next;  // column of the first key; columns from block to block
    uint32_t size, index_size;
    uint8_t *col, *value; // room for 64 entries from the begin of each block; value may be NULL
} padici_pick_span;

// Byte k of entry m is the number of the k-th bit of m: moves the bytes that m names together.
#define PADICI_NTH(v, m, i) ((v) << 8 * ((m) >> (i) & 1) | (uint64_t)(i) * ((m) >> (i) & 1))
#define PADICI_NTH4(v, m, i) \
    PADICI_NTH(PADICI_NTH(PADICI_NTH(PADICI_NTH(v, m, (i) + 3), m, (i) + 2), m, (i) + 1), m, i)
#define PADICI_BYTES1(m) PADICI_NTH4(PADICI_NTH4(UINT64_C(0), m, 4), m, 0)
#define PADICI_BYTES4(m) \
    PADICI_BYTES1(m), PADICI_BYTES1((m) + 1), PADICI_BYTES1((m) + 2), PADICI_BYTES1((m) + 3)
#define PADICI_BYTES16(m) \
    PADICI_BYTES4(m), PADICI_BYTES4((m) + 4), PADICI_BYTES4((m) + 8), PADICI_BYTES4((m) + 12)
#define PADICI_BYTES64(m) \
    PADICI_BYTES16(m), PADICI_BYTES16((m) + 16), PADICI_BYTES16((m) + 32), PADICI_BYTES16((m) + 48)
static const uint64_t padici_pick_bytes[256] = {PADICI_BYTES64(0), PADICI_BYTES64(64),
                                                  PADICI_BYTES64(128), PADICI_BYTES64(192)};

#if PADICI_SIMD_X86
#define PADICI_PICK_ANY PADICI_AVX2 // every level has it
#define PADICI_PICK_POPCOUNT(m) ((uint32_t)_mm_popcnt_u64(m))
#else
#define PADICI_PICK_ANY
#define PADICI_PICK_POPCOUNT(m) ((uint32_t)__builtin_popcountll(m))
#endif

PADICI_INLINE void padici_pick_entry(const padici_pick_span *s, uint32_t block, uint32_t i,
                                       uint64_t to, uint32_t size, uint32_t index_size)
{
    const uint64_t column = s->first + block * s->next + i;
    const uint32_t half = (uint32_t)column;
    if (index_size == 4)
        memcpy(s->col + (size_t)to * 4, &half, 4);
    else
        memcpy(s->col + (size_t)to * 8, &column, 8);
    if (s->value)
        memcpy(s->value + (size_t)to * size, s->key + ((size_t)block * s->keys + i) * size, size);
}

// Writes nothing that is not kept; fastest where hardly any block keeps any.
static uint32_t padici_pick_exact(const padici_pick_span *s)
{
    uint32_t b, n = 0;
    uint64_t m;
    for (b = 0; b < s->blocks; b++)
        for (m = s->masks[b]; m; m &= m - 1)
            padici_pick_entry(s, b, padici_ctz64(m), n++, s->size, s->index_size);
    return n;
}

// Few keys a block: four are written whether kept or not, which hardly ever takes a branch.
PADICI_PICK_ANY PADICI_INLINE uint32_t padici_pick_few_of(const padici_pick_span *span,
                                                              uint32_t size, uint32_t index_size)
{
    const padici_pick_span own = *span, *const s = &own; // which no store can change
    uint32_t b, n = 0, i, j;
    for (b = 0; b < s->blocks; b++) {
        uint64_t m = s->masks[b];
        const uint32_t kept = PADICI_PICK_POPCOUNT(m);
        for (j = 0; j < kept || !j; j += 4)
            for (i = 0; i < 4; i++, m &= m - 1)
                padici_pick_entry(s, b, padici_ctz64(m | UINT64_C(1) << 63), n + j + i, size,
                                    index_size);
        n += kept;
    }
    return n;
}

PADICI_PICK_ANY static uint32_t padici_pick_few(const padici_pick_span *s)
{
    switch (s->size + (s->index_size == 8)) {
    case 1: return padici_pick_few_of(s, 1, 4);
    case 2: return s->size == 1 ? padici_pick_few_of(s, 1, 8) : padici_pick_few_of(s, 2, 4);
    case 3: return padici_pick_few_of(s, 2, 8);
    case 4: return padici_pick_few_of(s, 4, 4);
    case 5: return padici_pick_few_of(s, 4, 8);
    case 8: return padici_pick_few_of(s, 8, 4);
    default: return padici_pick_few_of(s, 8, 8);
    }
}

#endif

#if PADICI_SIMD_X86
// A number of `bits` bits repeated to a word.
PADICI_INLINE uint64_t padici_pick_spread(uint64_t v, uint32_t bits)
{
    const uint64_t ones = UINT64_MAX >> (64 - bits);
    return (v & ones) * (UINT64_MAX / ones);
}

// Products of bytes, which no instruction makes, from those of 16-bit lanes.
PADICI_AVX512 PADICI_INLINE __m512i padici_pick_mul8_avx512(__m512i a, __m512i b)
{
    const __m512i odd = _mm512_mullo_epi16(_mm512_srli_epi16(a, 8), _mm512_srli_epi16(b, 8));
    const __m512i even = _mm512_and_si512(_mm512_mullo_epi16(a, b), _mm512_set1_epi16(255));
    return _mm512_or_si512(_mm512_slli_epi16(odd, 8), even);
}

PADICI_AVX2 PADICI_INLINE __m256i padici_pick_mul8_avx2(__m256i a, __m256i b)
{
    const __m256i odd = _mm256_mullo_epi16(_mm256_srli_epi16(a, 8), _mm256_srli_epi16(b, 8));
    const __m256i even = _mm256_and_si256(_mm256_mullo_epi16(a, b), _mm256_set1_epi16(255));
    return _mm256_or_si256(_mm256_slli_epi16(odd, 8), even);
}

// The upper bits of the bytes of two halves, lanes in order: 32, 16, 8 or 4 bits.
PADICI_AVX2 PADICI_INLINE uint64_t padici_pick_bits8_avx2(__m256i x)
{
    return (uint32_t)_mm256_movemask_epi8(x);
}

PADICI_AVX2 PADICI_INLINE uint64_t padici_pick_bits16_avx2(__m256i x)
{
    const __m128i low = _mm256_castsi256_si128(x), high = _mm256_extracti128_si256(x, 1);
    return (uint32_t)_mm_movemask_epi8(_mm_packs_epi16(low, high));
}

PADICI_AVX2 PADICI_INLINE uint64_t padici_pick_bits32_avx2(__m256i x)
{
    return (uint32_t)_mm256_movemask_ps(_mm256_castsi256_ps(x));
}

PADICI_AVX2 PADICI_INLINE uint64_t padici_pick_bits64_avx2(__m256i x)
{
    return (uint32_t)_mm256_movemask_pd(_mm256_castsi256_pd(x));
}

// Memory is asked for early: branches of the fill keep the processor from running ahead by itself.
// A prefetch beyond the end does nothing.
#define PADICI_PICK_AHEAD(key) \
    _mm_prefetch((const char *)((uintptr_t)(key) + 768), _MM_HINT_T0)

#define PADICI_PICK_FIND512(BITS, MUL, AS_BITS)                                               \
    PADICI_AVX512 static uint64_t padici_pick_find##BITS##_avx512(                            \
        const padic_sparse_call *call, const uint8_t *key, uint32_t blocks, uint64_t *masks)    \
    {                                                                                           \
        const __m512i factor = padici_avx512_all(padici_pick_spread(call->factor, BITS));     \
        const __m512i bias = padici_avx512_all(padici_pick_spread(call->bias, BITS));         \
        const __m512i mask = padici_avx512_all(padici_pick_spread(call->mask, BITS));         \
        const __m512i limit = padici_avx512_all(padici_pick_spread(call->limit, BITS));       \
        const int times = call->factor != 1;                                                    \
        uint64_t kept = 0, m;                                                                   \
        uint32_t b, j;                                                                          \
        for (b = 0; b < blocks; b++) {                                                          \
            for (m = 0, j = 0; j < BITS; j += 8, key += 64) {                                   \
                __m512i x = padici_avx512_load(key);                                            \
                PADICI_PICK_AHEAD(key);                                                         \
                if (times) x = MUL(x, factor);                                                  \
                x = _mm512_and_si512(_mm512_add_epi##BITS(x, bias), mask);                      \
                m |= AS_BITS(_mm512_cmpgt_epu##BITS##_mask(x, limit))                           \
                     << (512 / BITS * (j / 8));                                                 \
            }                                                                                   \
            masks[b] = m;                                                                       \
            kept += (uint64_t)_mm_popcnt_u64(m);                                                \
        }                                                                                       \
        return kept;                                                                            \
    }

#define PADICI_PICK_FIND256(BITS, MUL)                                                        \
    PADICI_AVX2 static uint64_t padici_pick_find##BITS##_avx2(                                \
        const padic_sparse_call *call, const uint8_t *key, uint32_t blocks, uint64_t *masks)    \
    {                                                                                           \
        const uint64_t sign = padici_pick_spread(UINT64_C(1) << (BITS - 1), BITS);            \
        const __m256i factor = padici_avx2_all(padici_pick_spread(call->factor, BITS));       \
        const __m256i bias = padici_avx2_all(padici_pick_spread(call->bias, BITS));           \
        const __m256i mask = padici_avx2_all(padici_pick_spread(call->mask, BITS));           \
        const __m256i flip = padici_avx2_all(sign);                                             \
        const __m256i limit =                                                                   \
            padici_avx2_all(padici_pick_spread(call->limit, BITS) ^ sign);                    \
        const int times = call->factor != 1;                                                    \
        uint64_t kept = 0, m;                                                                   \
        uint32_t b, j;                                                                          \
        for (b = 0; b < blocks; b++) {                                                          \
            for (m = 0, j = 0; j < BITS; j += 4, key += 32) {                                   \
                __m256i x = padici_avx2_load(key);                                              \
                PADICI_PICK_AHEAD(key);                                                         \
                if (times) x = MUL(x, factor);                                                  \
                x = _mm256_and_si256(_mm256_add_epi##BITS(x, bias), mask);                      \
                x = _mm256_cmpgt_epi##BITS(_mm256_xor_si256(x, flip), limit);                   \
                m |= padici_pick_bits##BITS##_avx2(x) << (256 / BITS * (j / 4));              \
            }                                                                                   \
            masks[b] = m;                                                                       \
            kept += (uint64_t)_mm_popcnt_u64(m);                                                \
        }                                                                                       \
        return kept;                                                                            \
    }

PADICI_PICK_FIND512(8, padici_pick_mul8_avx512, padici_mask64)
PADICI_PICK_FIND512(16, _mm512_mullo_epi16, padici_mask32)
PADICI_PICK_FIND512(32, _mm512_mullo_epi32, padici_mask16)
PADICI_PICK_FIND512(64, _mm512_mullo_epi64, padici_mask8)
PADICI_PICK_FIND256(8, padici_pick_mul8_avx2)
PADICI_PICK_FIND256(16, _mm256_mullo_epi16)
PADICI_PICK_FIND256(32, _mm256_mullo_epi32)
PADICI_PICK_FIND256(64, padici_avx2_mul64)

// 8 keys of `size` bytes from p on, those that the table's entry numbers first.
PADICI_AVX2 PADICI_INLINE void padici_pick_move_avx2(uint8_t *to, const uint8_t *p, __m128i entry,
                                                       __m128i entry4, uint32_t n4, uint32_t size)
{
    const __m256i pair = _mm256_set1_epi64x(0x100000000);
    if (size == 1) {
        const __m128i x = _mm_loadl_epi64((const __m128i *)(const void *)p);
        _mm_storel_epi64((__m128i *)(void *)to, _mm_shuffle_epi8(x, entry));
    } else if (size == 2) { // numbers of bytes: 2 e, 2 e + 1
        const __m128i x = _mm_loadu_si128((const __m128i *)(const void *)p);
        const __m128i twice = _mm_add_epi8(entry, entry), both = _mm_unpacklo_epi8(twice, twice);
        _mm_storeu_si128((__m128i *)(void *)to,
                         _mm_shuffle_epi8(x, _mm_add_epi8(both, _mm_set1_epi16(256))));
    } else if (size == 4) {
        const __m256i x = padici_avx2_load(p);
        padici_avx2_store(to, _mm256_permutevar8x32_epi32(x, _mm256_cvtepu8_epi32(entry)));
    } else { // four and four; numbers of halves: 2 e, 2 e + 1
        const __m256i low = _mm256_cvtepu8_epi64(entry), high = _mm256_cvtepu8_epi64(entry4);
        const __m256i x = padici_avx2_load(p), y = padici_avx2_load(p + 32);
        const __m256i i = _mm256_or_si256(_mm256_slli_epi64(low, 1), _mm256_slli_epi64(low, 33));
        const __m256i j = _mm256_or_si256(_mm256_slli_epi64(high, 1), _mm256_slli_epi64(high, 33));
        padici_avx2_store(to, _mm256_permutevar8x32_epi32(x, _mm256_or_si256(i, pair)));
        padici_avx2_store(to + 8 * n4, _mm256_permutevar8x32_epi32(y, _mm256_or_si256(j, pair)));
    }
}

PADICI_AVX2 PADICI_INLINE uint32_t padici_pick_fill_of_avx2(const padici_pick_span *span,
                                                              uint32_t size)
{
    const padici_pick_span own = *span, *const s = &own; // which no store can change
    uint32_t b, i, n = 0;
    for (b = 0; b < s->blocks; b++) {
        const uint8_t *key = s->key + (size_t)b * s->keys * size;
        const uint64_t mask = s->masks[b];
        for (i = 0; i < s->keys; i += 8) {
            const uint32_t m = (uint32_t)(mask >> i) & 255;
            const __m128i entry =
                _mm_loadl_epi64((const __m128i *)(const void *)&padici_pick_bytes[m]);
            const uint64_t first = s->first + b * s->next + i;
            if (s->index_size == 4) {
                padici_avx2_store(s->col + 4 * (size_t)n,
                                  _mm256_add_epi32(_mm256_cvtepu8_epi32(entry),
                                                   _mm256_set1_epi32((int)first)));
            } else {
                const __m128i rest = _mm_srli_si128(entry, 4);
                padici_avx2_store(s->col + 8 * (size_t)n,
                                  _mm256_add_epi64(_mm256_cvtepu8_epi64(entry),
                                                   padici_avx2_all(first)));
                padici_avx2_store(s->col + 8 * (size_t)n + 32,
                                  _mm256_add_epi64(_mm256_cvtepu8_epi64(rest),
                                                   padici_avx2_all(first)));
            }
            if (s->value)
                padici_pick_move_avx2(
                    s->value + (size_t)n * size, key + i * size, entry,
                    _mm_loadl_epi64((const __m128i *)(const void *)&padici_pick_bytes[m >> 4]),
                    (uint32_t)_mm_popcnt_u32(m & 15), size);
            n += (uint32_t)_mm_popcnt_u32(m);
        }
    }
    return n;
}

PADICI_AVX2 static uint32_t padici_pick_fill_avx2(const padici_pick_span *s)
{
    switch (s->size) {
    case 1: return padici_pick_fill_of_avx2(s, 1);
    case 2: return padici_pick_fill_of_avx2(s, 2);
    case 4: return padici_pick_fill_of_avx2(s, 4);
    default: return padici_pick_fill_of_avx2(s, 8);
    }
}

// Columns 16 k to 16 k + 15 of a block, whose numbers in it are `id`.
PADICI_IFMA PADICI_INLINE void padici_pick_columns_ifma(uint8_t *col, __m128i id, uint64_t first,
                                                          uint32_t index_size)
{
    if (index_size == 4) {
        const __m512i x = _mm512_cvtepu8_epi32(id);
        padici_avx512_store(col, _mm512_add_epi32(x, _mm512_set1_epi32((int)first)));
    } else {
        const __m512i x = _mm512_cvtepu8_epi64(id), all = padici_avx512_all(first);
        const __m512i y = _mm512_cvtepu8_epi64(_mm_srli_si128(id, 8));
        padici_avx512_store(col, _mm512_add_epi64(x, all));
        padici_avx512_store(col + 64, _mm512_add_epi64(y, all));
    }
}

PADICI_IFMA PADICI_INLINE void padici_pick_move_ifma(uint8_t *to, const uint8_t *key, uint64_t m,
                                                       uint32_t size)
{
    uint32_t i;
    for (i = 0; i < size; i++, key += 64) {
        const __m512i x = padici_avx512_load(key);
        const uint64_t part = m >> (64 / size * i) & (UINT64_MAX >> (64 - 64 / size));
        padici_avx512_store(to, size == 1   ? _mm512_maskz_compress_epi8(part, x)
                                : size == 2 ? _mm512_maskz_compress_epi16((__mmask32)part, x)
                                : size == 4 ? _mm512_maskz_compress_epi32((__mmask16)part, x)
                                            : _mm512_maskz_compress_epi64((__mmask8)part, x));
        to += size * (uint32_t)_mm_popcnt_u64(part);
    }
}

PADICI_IFMA PADICI_INLINE uint32_t padici_pick_fill_of_ifma(const padici_pick_span *span,
                                                              uint32_t size)
{
    const padici_pick_span own = *span, *const s = &own; // which no store can change
    const __m512i numbers = _mm512_set_epi64(
        0x3f3e3d3c3b3a3938, 0x3736353433323130, 0x2f2e2d2c2b2a2928, 0x2726252423222120,
        0x1f1e1d1c1b1a1918, 0x1716151413121110, 0x0f0e0d0c0b0a0908, 0x0706050403020100);
    const uint32_t wide = s->index_size;
    uint32_t b, n = 0;
    for (b = 0; b < s->blocks; b++) {
        const uint64_t m = s->masks[b], first = s->first + b * s->next;
        const uint32_t kept = (uint32_t)_mm_popcnt_u64(m);
        const __m512i ids = _mm512_maskz_compress_epi8(m, numbers);
        uint8_t *const col = s->col + (size_t)n * wide;
        padici_pick_columns_ifma(col, _mm512_castsi512_si128(ids), first, wide);
        if (kept > 16)
            padici_pick_columns_ifma(col + 16 * wide, _mm512_extracti32x4_epi32(ids, 1), first,
                                       wide);
        if (kept > 32) {
            padici_pick_columns_ifma(col + 32 * wide, _mm512_extracti32x4_epi32(ids, 2), first,
                                       wide);
            padici_pick_columns_ifma(col + 48 * wide, _mm512_extracti32x4_epi32(ids, 3), first,
                                       wide);
        }
        if (s->value)
            padici_pick_move_ifma(s->value + (size_t)n * size,
                                    s->key + (size_t)b * s->keys * size, m, size);
        n += kept;
    }
    return n;
}

PADICI_IFMA static uint32_t padici_pick_fill_ifma(const padici_pick_span *s)
{
    switch (s->size) {
    case 1: return padici_pick_fill_of_ifma(s, 1);
    case 2: return padici_pick_fill_of_ifma(s, 2);
    case 4: return padici_pick_fill_of_ifma(s, 4);
    default: return padici_pick_fill_of_ifma(s, 8);
    }
}
#elif PADICI_SIMD_ARM
// The upper bits of 64 bytes: each byte's own bit of its group of 8, added up pairwise.
PADICI_INLINE uint64_t padici_pick_bits_neon(const uint8x16_t x[4])
{
    const uint8x16_t own = vreinterpretq_u8_u64(vdupq_n_u64(0x8040201008040201));
    const uint8x16_t a = vpaddq_u8(vandq_u8(x[0], own), vandq_u8(x[1], own));
    const uint8x16_t b = vpaddq_u8(vandq_u8(x[2], own), vandq_u8(x[3], own));
    const uint8x16_t c = vpaddq_u8(a, b);
    return vgetq_lane_u64(vreinterpretq_u64_u8(vpaddq_u8(c, c)), 0);
}

// Masks of `count` vectors narrowed to bytes, to four vectors.
PADICI_INLINE uint64_t padici_pick_narrow_neon(uint8x16_t *x, uint32_t count)
{
    uint32_t i;
    for (; count > 4; count /= 2)
        for (i = 0; i < count / 2; i++) x[i] = vuzp1q_u8(x[2 * i], x[2 * i + 1]);
    return padici_pick_bits_neon(x);
}

#define PADICI_PICK_FIND_NEON(BITS, LANES, FROM, TO, MUL)                                     \
    static uint64_t padici_pick_find##BITS##_neon(const padic_sparse_call *call,              \
                                                    const uint8_t *key, uint32_t blocks,        \
                                                    uint64_t *masks)                            \
    {                                                                                           \
        const uint##BITS##x##LANES##_t factor = vdupq_n_u##BITS((uint##BITS##_t)call->factor);  \
        const uint##BITS##x##LANES##_t bias = vdupq_n_u##BITS((uint##BITS##_t)call->bias);      \
        const uint##BITS##x##LANES##_t mask = vdupq_n_u##BITS((uint##BITS##_t)call->mask);      \
        const uint##BITS##x##LANES##_t limit = vdupq_n_u##BITS((uint##BITS##_t)call->limit);    \
        const int times = call->factor != 1;                                                    \
        uint64_t kept = 0;                                                                      \
        uint32_t b, j;                                                                          \
        for (b = 0; b < blocks; b++) {                                                          \
            uint8x16_t found[BITS / 2];                                                         \
            for (j = 0; j < BITS / 2; j++, key += 16) {                                         \
                uint##BITS##x##LANES##_t x = FROM(vld1q_u8(key));                               \
                if (times) x = MUL(x, factor);                                                  \
                x = vandq_u##BITS(vaddq_u##BITS(x, bias), mask);                                \
                found[j] = TO(vcgtq_u##BITS(x, limit));                                         \
            }                                                                                   \
            masks[b] = padici_pick_narrow_neon(found, BITS / 2);                              \
            kept += padici_popcount64(masks[b]);                                                \
        }                                                                                       \
        return kept;                                                                            \
    }

#define PADICI_SAME(x) (x)
PADICI_PICK_FIND_NEON(8, 16, PADICI_SAME, PADICI_SAME, vmulq_u8)
PADICI_PICK_FIND_NEON(16, 8, vreinterpretq_u16_u8, vreinterpretq_u8_u16, vmulq_u16)
PADICI_PICK_FIND_NEON(32, 4, vreinterpretq_u32_u8, vreinterpretq_u8_u32, vmulq_u32)
PADICI_PICK_FIND_NEON(64, 2, vreinterpretq_u64_u8, vreinterpretq_u8_u64, padici_neon_mul64)

// 8 keys from p on, those that the table's entry numbers first: byte k of key e is byte
// size e + k of them.
PADICI_INLINE void padici_pick_move_neon(uint8_t *to, const uint8_t *p, uint64_t entry,
                                           uint32_t size)
{
    static const uint8_t of[8][16] = {
        {0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6, 7, 7},
        {0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3},
        {4, 4, 4, 4, 5, 5, 5, 5, 6, 6, 6, 6, 7, 7, 7, 7},
        {0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1},
        {2, 2, 2, 2, 2, 2, 2, 2, 3, 3, 3, 3, 3, 3, 3, 3},
        {4, 4, 4, 4, 4, 4, 4, 4, 5, 5, 5, 5, 5, 5, 5, 5},
        {6, 6, 6, 6, 6, 6, 6, 6, 7, 7, 7, 7, 7, 7, 7, 7},
        {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15}};
    const uint8x16_t e = vreinterpretq_u8_u64(vdupq_n_u64(entry));
    const uint8x16_t by = vld1q_u8(of[7]), byte = vandq_u8(by, vdupq_n_u8((uint8_t)(size - 1)));
    const int8x16_t up = vdupq_n_s8((int8_t)(size == 2 ? 1 : size == 4 ? 2 : 3));
    uint32_t k;
    if (size == 1) {
        vst1_u8(to, vtbl1_u8(vld1_u8(p), vcreate_u8(entry)));
        return;
    }
    for (k = 0; k < size / 2; k++) {
        const uint8x16_t which = vqtbl1q_u8(e, vld1q_u8(of[size / 2 - 1 + k]));
        const uint8x16_t from = vaddq_u8(vshlq_u8(which, up), byte);
        if (size == 2)
            vst1q_u8(to, vqtbl1q_u8(vld1q_u8(p), from));
        else if (size == 4)
            vst1q_u8(to + 16 * k, vqtbl2q_u8(vld1q_u8_x2(p), from));
        else
            vst1q_u8(to + 16 * k, vqtbl4q_u8(vld1q_u8_x4(p), from));
    }
}

PADICI_INLINE void padici_pick_columns_neon(uint8_t *col, uint64_t entry, uint64_t first,
                                              uint32_t index_size)
{
    const uint32x4_t half = vdupq_n_u32((uint32_t)first);
    const uint64x2_t all = vdupq_n_u64(first);
    const uint16x8_t id = vmovl_u8(vcreate_u8(entry));
    const uint32x4_t low = vmovl_u16(vget_low_u16(id)), high = vmovl_u16(vget_high_u16(id));
    if (index_size == 4) {
        vst1q_u8(col, vreinterpretq_u8_u32(vaddq_u32(low, half)));
        vst1q_u8(col + 16, vreinterpretq_u8_u32(vaddq_u32(high, half)));
        return;
    }
    padici_neon_store(col, vaddw_u32(all, vget_low_u32(low)));
    padici_neon_store(col + 16, vaddw_u32(all, vget_high_u32(low)));
    padici_neon_store(col + 32, vaddw_u32(all, vget_low_u32(high)));
    padici_neon_store(col + 48, vaddw_u32(all, vget_high_u32(high)));
}

static uint32_t padici_pick_fill_neon(const padici_pick_span *s)
{
    uint32_t b, i, n = 0;
    for (b = 0; b < s->blocks; b++) {
        const uint8_t *key = s->key + (size_t)b * s->keys * s->size;
        for (i = 0; i < s->keys; i += 8) {
            const uint32_t m = (uint32_t)(s->masks[b] >> i) & 255;
            padici_pick_columns_neon(s->col + (size_t)n * s->index_size, padici_pick_bytes[m],
                                       s->first + b * s->next + i, s->index_size);
            if (s->value)
                padici_pick_move_neon(s->value + (size_t)n * s->size, key + i * s->size,
                                        padici_pick_bytes[m], s->size);
            n += PADICI_PICK_POPCOUNT(m);
        }
    }
    return n;
}
#endif

#if PADICI_SIMD_X86 || PADICI_SIMD_ARM
typedef struct padici_pick_kernels {
    uint64_t (*find[4])(const padic_sparse_call *call, const uint8_t *key, uint32_t blocks,
                        uint64_t *masks); // of keys of 1, 2, 4, 8 bytes; their bits
    uint32_t (*fill)(const padici_pick_span *span);
    uint32_t few; // up to this many kept keys a block padici_pick_few() is faster
} padici_pick_kernels;

#if PADICI_SIMD_X86
static const padici_pick_kernels padici_pick_table[3] = {
    {{padici_pick_find8_avx2, padici_pick_find16_avx2, padici_pick_find32_avx2,
      padici_pick_find64_avx2},
     padici_pick_fill_avx2,
     5},
    {{padici_pick_find8_avx512, padici_pick_find16_avx512, padici_pick_find32_avx512,
      padici_pick_find64_avx512},
     padici_pick_fill_avx2,
     5},
    {{padici_pick_find8_avx512, padici_pick_find16_avx512, padici_pick_find32_avx512,
      padici_pick_find64_avx512},
     padici_pick_fill_ifma,
     0}};
#else
static const padici_pick_kernels padici_pick_table[1] = {
    {{padici_pick_find8_neon, padici_pick_find16_neon, padici_pick_find32_neon,
      padici_pick_find64_neon},
     padici_pick_fill_neon,
     5}};
#endif

typedef struct padici_pick_work {
    const padici_pick_kernels *kernels;
    padic_sparse_call *call;
    uint32_t kind; // of `find`
    int fill;
} padici_pick_work;

// Writes what the blocks of a span keep, `found` keys: as many at a time as surely find room for
// whole vectors, the last ones key by key. `whole`: blocks of which 64 keys may be read.
static void padici_pick_write(const padici_pick_work *w, padici_pick_span *s, uint64_t found,
                                uint32_t whole)
{
    padic_sparse_call *call = w->call;
    const uint32_t all = s->blocks;
    uint32_t at = 0;
    const int few = found <= (uint64_t)all * w->kernels->few, rare = found * 8 <= all;
    s->size = call->size;
    s->index_size = call->index_size;
    for (; at < all && found; at += s->blocks) {
        const uint64_t room = (call->room - call->kept) / 64;
        uint32_t kept;
        s->blocks = at < whole && room ? whole - at : 1;
        if (room && s->blocks > room) s->blocks = (uint32_t)room;
        s->col = (uint8_t *)call->col + (size_t)(call->kept * s->index_size);
        s->value = call->value ? (uint8_t *)call->value + (size_t)(call->kept * s->size) : NULL;
        kept = rare || at >= whole || !room ? padici_pick_exact(s)
               : few                        ? padici_pick_few(s)
                                            : (*w->kernels->fill)(s);
        call->kept += kept;
        found -= kept;
        s->masks += s->blocks;
        s->key += (size_t)s->blocks * s->keys * s->size;
        s->first += s->blocks * s->next;
    }
}

// Blocks of one row from column `column` on; `last`: the keys of the last block that belong to it.
static void padici_pick_part(const padici_pick_work *w, const uint8_t *key, uint32_t blocks,
                               uint64_t column, uint64_t last)
{
    uint64_t masks[PADICI_PICK_BLOCKS], found;
    padici_pick_span s;
    found = (*w->kernels->find[w->kind])(w->call, key, blocks, masks);
    found -= padici_popcount64(masks[blocks - 1] & ~last);
    masks[blocks - 1] &= last;
    s.key = key;
    s.masks = masks;
    s.blocks = blocks;
    s.keys = 64;
    s.first = w->call->first + column;
    s.next = 64;
    if (!w->fill)
        w->call->kept += found;
    else if (found)
        padici_pick_write(w, &s, found, blocks);
}

// A row, and how many keys from its begin on may be read: a last block that is short by itself is
// filled up by what follows, or in memory of ours.
static void padici_pick_row(const padici_pick_work *w, const uint8_t *key, uint64_t readable)
{
    const uint64_t cols = w->call->cols, last = UINT64_MAX >> (63 - (cols - 1) % 64);
    const uint64_t blocks = ((cols + 63) / 64 * 64 <= readable ? cols + 63 : cols) / 64;
    const uint32_t size = w->call->size;
    uint64_t c, space[64];
    uint32_t n;
    for (c = 0; c < blocks; c += n) {
        n = blocks - c < PADICI_PICK_BLOCKS ? (uint32_t)(blocks - c) : PADICI_PICK_BLOCKS;
        padici_pick_part(w, key + (size_t)(c * 64 * size), n, c * 64,
                           (c + n) * 64 < cols ? UINT64_MAX : last);
    }
    if (blocks * 64 >= cols) return;
    memset(space, 0, sizeof space);
    memcpy(space, key + (size_t)(blocks * 64 * size), (size_t)(cols - blocks * 64) * size);
    padici_pick_part(w, (const uint8_t *)space, 1, blocks * 64, last);
}

// Row r of the call begins.
PADICI_INLINE void padici_pick_pointer(const padic_sparse_call *call, uint64_t r)
{
    const uint64_t before = call->start + call->kept;
    const uint32_t half = (uint32_t)before;
    if (call->row_ptr && call->index_size == 4)
        memcpy((uint8_t *)call->row_ptr + (size_t)r * 4, &half, 4);
    else if (call->row_ptr)
        memcpy((uint8_t *)call->row_ptr + (size_t)r * 8, &before, 8);
}

// Rows of up to 64 keys next to each other, as many as have their masks at a time.
PADICI_PICK_ANY static void padici_pick_short(const padici_pick_work *w)
{
    padic_sparse_call *call = w->call;
    const uint32_t cols = (uint32_t)call->cols, size = call->size;
    const uint64_t all = UINT64_MAX >> (64 - cols);
    const uint32_t most = PADICI_PICK_BLOCKS * 64 / cols;
    const uint32_t at_once = most < PADICI_PICK_ROWS ? most : PADICI_PICK_ROWS;
    uint64_t masks[PADICI_PICK_BLOCKS + 2], rows[PADICI_PICK_ROWS], space[64], r, before;
    uint64_t left = call->rows * cols;
    const uint8_t *key = (const uint8_t *)call->key;
    for (r = 0; r < call->rows; key += (size_t)size * cols * at_once) {
        const uint32_t n = call->rows - r < at_once ? (uint32_t)(call->rows - r) : at_once;
        const uint32_t blocks = n * cols / 64, rest = n * cols % 64;
        const uint64_t whole = left < 64 ? 0 : (left - 64) / cols + 1;
        padici_pick_span s;
        uint32_t k, at = 0;
        (void)(*w->kernels->find[w->kind])(call, key, blocks, masks);
        memset(space, 0, sizeof space);
        memcpy(space, key + (size_t)blocks * 64 * size, rest * size);
        (void)(*w->kernels->find[w->kind])(call, (const uint8_t *)space, 1, masks + blocks);
        masks[blocks + 1] = 0;
        before = call->kept;
        for (k = 0; k < n; k++, at += cols) {
            const uint32_t bit = at % 64;
            rows[k] = (masks[at / 64] >> bit | masks[at / 64 + 1] << 1 << (63 - bit)) & all;
            padici_pick_pointer(call, r++);
            call->kept += PADICI_PICK_POPCOUNT(rows[k]);
        }
        left -= (uint64_t)n * cols;
        if (!w->fill || call->kept == before) continue;
        s.key = key;
        s.masks = rows;
        s.blocks = n;
        s.keys = cols;
        s.first = call->first;
        s.next = 0;
        at = (uint32_t)(call->kept - before);
        call->kept = before;
        padici_pick_write(w, &s, at, whole < n ? (uint32_t)whole : n);
    }
}
#endif

static padic_result padici_simd_sparse(uint32_t level, uint32_t op, void *call_)
{
#if PADICI_SIMD_X86 || PADICI_SIMD_ARM
    padic_sparse_call *call = (padic_sparse_call *)call_;
    padici_pick_work w;
    uint64_t r;
    const int flat = call->cols <= 64 && call->stride == call->cols;
    if (op != PADIC_KERNEL_SPARSE_COUNT && op != PADIC_KERNEL_SPARSE_FILL)
        return PADIC_ERROR_NOT_SUPPORTED;
    if (!call->cols || (call->cols < 32 && !flat)) // plain loops are faster
        return PADIC_ERROR_NOT_SUPPORTED;
    w.kernels = &padici_pick_table[PADICI_SIMD_X86 ? level - PADICI_SIMD_AVX2 : 0];
    w.call = call;
    w.kind = call->size == 8 ? 3 : call->size / 2;
    w.fill = op == PADIC_KERNEL_SPARSE_FILL;
    call->kept = 0;
    if (flat) padici_pick_short(&w);
    for (r = 0; !flat && r < call->rows; r++) {
        padici_pick_pointer(call, r);
        padici_pick_row(&w, (const uint8_t *)call->key + (size_t)(r * call->stride * call->size),
                          call->stride == call->cols ? (call->rows - r) * call->cols : call->cols);
    }
    return PADIC_OK;
#else
    (void)level;
    (void)op;
    (void)call_;
    return PADIC_ERROR_NOT_SUPPORTED;
#endif
}

#endif // PADIC_NUM_H


// room: src/simd/padic_simd.in.h:59
// --------------------------------------------------------------------------------------- >>numbers

#ifdef PADIC_NUM_H
#define PADICI_SIMD_NUM
#include "padic_simd_num.h"
#endif

// ----------------------------------------------------------------------------------------- >>codec

#ifndef PADIC_NO_CODEC
#define PADICI_SIMD_CODEC
#include "padic_simd_codec.h"
#endif


// ----------------------------------------------------------------------------------------- >>waves

#ifndef PADIC_NO_WAVE
#define PADICI_SIMD_WAVE
#include "padic_simd_wave.h"
#endif

// ---------------------------------------------------------------------------------------- >>tensor

#include "padic_simd_tensor.h"

// room: src/simd/backend.c
// -------------------------------------------------------------------------------------- >>backend

typedef struct padici_simd { // what a padic_device of this backend really is
    padic_env env;           // first: the CPU backend's functions see only this
    uint32_t level;
    void *tensor_space; // packed panels, kept from call to call
    size_t tensor_size;
} padici_simd;

static padic_result padici_simd_open(const padic_env *env, const padic_device_desc *desc,
                                     padic_device **out)
{
    const uint32_t have = padici_simd_detect(), asked = padici_simd_level(desc->name);
    uint32_t level = asked;
    padici_simd *simd;
    padici_text text;
    char word[16];
    *out = NULL;
    if (asked == PADICI_SIMD_LEVELS) {
        padici_simd_environment(word, sizeof word);
        level = padici_simd_level(word);
        if (level > have) level = have;
    }
    if (level > have || (level == PADICI_SIMD_NEON && have != level)) {
        padici_text_begin(&text, env->message, env->message_size);
        padici_text_add(&text, "this CPU, or this build, lacks ");
        padici_text_add(&text, padici_simd_names[level]);
        return PADIC_ERROR_NO_DEVICE;
    }
    simd = (padici_simd *)padici_alloc(env->allocator, sizeof *simd, 16);
    if (!simd) return PADIC_ERROR_MEMORY;
    simd->env = *env;
    simd->level = level;
    simd->tensor_space = NULL;
    simd->tensor_size = 0;
    *out = (padic_device *)(void *)simd;
    return PADIC_OK;
}

static void padici_simd_close(padic_device *device)
{
    padici_simd *simd = (padici_simd *)(void *)device;
    padici_free(simd->env.allocator, simd->tensor_space, simd->tensor_size);
    padici_free(simd->env.allocator, simd, sizeof *simd);
}

static void padici_simd_info(padic_device *device, padic_device_info *info)
{
    const char *name = padici_simd_names[((const padici_simd *)(void *)device)->level];
    padici_text text;
    padici_cpu_info(device, info);
    padici_text_begin(&text, info->name, sizeof info->name);
    padici_text_add(&text, "CPU, ");
    padici_text_add(&text, name);
    padici_text_begin(&text, info->arch, sizeof info->arch);
    padici_text_add(&text, name);
}

#ifndef PADIC_NO_WAVE
// Fields. NOT_SUPPORTED: by the reference.
static padic_result padici_simd_waves(const padic_env *env, uint32_t level, uint32_t op,
                                      const void *desc, int query)
{
    padic_result result = PADIC_ERROR_NOT_SUPPORTED;
    if (level == PADICI_SIMD_NONE) return result;
    if (op == PADIC_OP_WAVE_SUPERPOSE)
        result = padici_simd_superpose(env, level, (const padic_wave_superpose_desc *)desc, query);
    if (op == PADIC_OP_WAVE_FRAMES)
        result = padici_simd_frames(env, level, (const padic_wave_frames_desc *)desc, query);
    if (op == PADIC_OP_WAVE_GRADIENT)
        result = padici_simd_gradient(env, level, (const padic_wave_gradient_desc *)desc, query);
#if PADICI_SIMD_X86 || PADICI_SIMD_ARM
    if (op == PADIC_OP_WAVE_VORTEX)
        result = padici_simd_vortex(env, level, (const padic_wave_vortex_desc *)desc, query);
    if (result == PADIC_ERROR_NOT_SUPPORTED)
        result = padici_simd_field(env, level, op, desc, query);
#endif
    return result;
}
#endif

// Other operations of the context are done plainly, so that this backend can be the only one named.
static padic_result padici_simd_run(padic_device *device, uint32_t op, const void *desc, int query)
{
    const uint32_t level = ((const padici_simd *)(void *)device)->level;
    void *call = (void *)(uintptr_t)desc; // a kernel's struct is written to
#ifdef PADICI_SIMD_HAS_TENSOR
    if (op == PADIC_KERNEL_TENSOR)
        return level == PADICI_SIMD_NONE
                   ? PADIC_ERROR_NOT_SUPPORTED
                   : padici_simd_product(level, (const padic_tensor_product *)desc);
#endif
#ifndef PADIC_NO_WAVE
    {
        const padic_env *env = &((const padici_simd *)(void *)device)->env;
        const padic_result result = padici_simd_waves(env, level, op, desc, query);
        if (result != PADIC_ERROR_NOT_SUPPORTED) return result;
    }
#endif
#ifdef PADICI_SIMD_HAS_TENSOR
    if ((op == PADIC_OP_TENSOR_GEMM || op == PADIC_OP_TENSOR_CONTRACT) && !query && level) {
        padici_simd *simd = (padici_simd *)(void *)device;
        const padic_result result = padici_simd_tensor(level, &simd->env, op, desc,
                                                       &simd->tensor_space, &simd->tensor_size);
        if (result != PADIC_ERROR_NOT_SUPPORTED) return result;
    }
#endif
    if (op < PADIC_OP_COUNT) return padici_cpu_run(device, op, desc, query);
    if (level == PADICI_SIMD_NONE) return PADIC_ERROR_NOT_SUPPORTED;
#ifndef PADIC_NO_SAMPLE
    if (op == PADIC_KERNEL_SAMPLE) return padici_simd_sample(level, (padic_sample_call *)call);
#endif
#ifndef PADIC_NO_CODEC
    if (op == PADIC_KERNEL_CODEC) return padici_simd_codec(level, (padici_codec_loops *)call);
#endif
#ifdef PADIC_SPARSE_H
    if (op >= PADIC_KERNEL_SPARSE && op < PADIC_KERNEL_CODEC)
        return padici_simd_sparse(level, op, call);
#endif
#ifdef PADIC_NUM_H
    if (op == PADIC_KERNEL_NUM_SYSTEMS)
        return padici_simd_systems(level, (const padic_num_systems *)call);
    if (op >= PADIC_KERNEL_NUM && op < PADIC_KERNEL_SPARSE)
        return padici_simd_num(level, op, (padic_num_call *)call);
#endif
    (void)call;
    return PADIC_ERROR_NOT_SUPPORTED;
}

static const padic_backend padici_simd_backend = {PADIC_BACKEND_VERSION,
                                                  "simd",
                                                  padici_simd_open,
                                                  padici_simd_close,
                                                  padici_simd_info,
                                                  padici_cpu_alloc,
                                                  padici_cpu_free,
                                                  padici_cpu_upload,
                                                  padici_cpu_download,
                                                  padici_cpu_copy,
                                                  padici_cpu_fill,
                                                  padici_cpu_program,
                                                  padici_cpu_launch,
                                                  padici_cpu_sync,
                                                  NULL,
                                                  NULL,
                                                  NULL,
                                                  padici_simd_run,
                                                  PADIC_BACKEND_HOST,
                                                  NULL,
                                                  NULL};

PADIC_API const padic_backend *padic_simd(void)
{
    return &padici_simd_backend;
}

#if defined(__clang__)
#pragma STDC FP_CONTRACT DEFAULT
#elif defined(__GNUC__)
#pragma GCC diagnostic pop
#pragma GCC pop_options
#elif defined(_MSC_VER)
#pragma fp_contract(on)
#endif
// room: src/simd/padic_simd.in.h:86
#endif // PADIC_IMPLEMENTATION
