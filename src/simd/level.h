#pragma once
#include "../core/platform.h"

// ---------------------------------------------------------------------------------------- >>level

#if (defined(__x86_64__) || defined(_M_X64)) && !defined(_M_ARM64EC)
#if defined(__clang__)
#if __clang_major__ >= (defined(_MSC_VER) ? 19 : 9) // clang-cl hid intrinsics that no flag enables
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

// Precedes every function that uses intrinsics of a level; helpers are PADICI_INLINE as well.
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
// too. And with ipa-ra gcc leaves the upper halves of vectors dirty before generic functions, whose
// instructions take twice as long then.
#if defined(__clang__)
#pragma STDC FP_CONTRACT OFF
#elif defined(__GNUC__)
#pragma GCC push_options
#pragma GCC optimize("fp-contract=off", "tree-vectorize", "vect-cost-model=dynamic", "no-ipa-ra")
#pragma GCC diagnostic push // gcc's own intrinsics start from a register as it is (its bug 105593)
#pragma GCC diagnostic ignored "-Wuninitialized"
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#ifndef __OPTIMIZE__
#pragma GCC diagnostic ignored "-Wsign-conversion" // in its intrinsics, which then are macros
#endif
#elif defined(_MSC_VER)
#pragma fp_contract(off)
#endif

enum { // of x86 and ARM: a CPU has all levels of its architecture up to its own
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
    padici_simd_ask(leaf & 0x80000000u, out); // the largest leaf of its range
    if (out[0] < leaf)
        memset(out, 0, 4 * sizeof *out);
    else
        padici_simd_ask(leaf, out);
}

// The register state that the operating system saves: bits 1, 2 for AVX, 5 to 7 for AVX-512.
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

// The value of the environment variable, or "".
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

// The level of a name; PADICI_SIMD_LEVELS for an unknown word or none.
static uint32_t padici_simd_level(const char *name)
{
    uint32_t i = 0;
    while (i < PADICI_SIMD_LEVELS && (!name || strcmp(name, padici_simd_names[i]))) i++;
    return i;
}

