// padic_simd.h: vector kernels for x86-64 (AVX2, AVX-512) and AArch64 (NEON), chosen at run time.
// Needs padic.h, which it includes; where PADIC_IMPLEMENTATION is defined, its functions are
// compiled, too. No compile flag is needed. A copy under another name defines PADICI_SIMD_FILE as
// that name, in quotes: the file includes itself.
//
//     padic_context_desc desc = PADIC_ZERO;
//     desc.backends[0] = padic_simd();              // may follow a GPU's
//     padic_context_create(&desc, &context);
//     padic_sample_halton(context, &halton);        // the same bytes as with NULL, faster
//
// Memory is host memory. Kernels replace inner loops: samplers, numbers, sparse matrices, codec,
// waves, matrix products and factorisations, Fourier transforms, fields, recurrent networks; other
// operations of the context use generic loops.
// The level is the highest that the CPU has:
//
//     avx512ifma   AVX-512 F, CD, DQ, BW, VL, IFMA, VBMI, VBMI2 (Ice Lake, Zen 4 and later)
//     avx512       AVX-512 F, CD, DQ, BW, VL (Skylake servers)
//     avx2         AVX2, FMA, F16C, BMI, BMI2, LZCNT, POPCNT (Haswell, Zen and later)
//     neon         AArch64
//     none         every other CPU or compiler: generic loops only
//
// padic_device_info.arch says which. desc.device.name set to one of these words asks for that level
// (NO_DEVICE if the CPU lacks it); other names are meant for other backends. Without it the
// environment variable PADIC_SIMD, one of these words, lowers the level.
//
// MinGW's gcc does not align vectors on the stack (gcc bug 54412), so there the level is none. If
// yours does (Debian's), or moves them as unaligned ones (-Wa,-muse-unaligned-vector-move), define
// PADIC_SIMD_MINGW.
//
// Made by tools/amalgamate.py from src/simd/padic_simd.in.h.
#ifndef PADICI_ISA
#if !defined(PADIC_HEADER) || !defined(PADIC_IMPLEMENTED)
#ifdef __has_include
#if __has_include("padic.h")
#include "padic.h"
#elif __has_include("../padic.h")
#include "../padic.h"
#endif
#elif !defined(PADIC_HEADER)
#include "../padic.h"
#endif
#endif
#ifndef PADIC_HEADER
#error "padic_simd.h needs padic.h beside it or in the folder above: put it there"
#endif
#if PADIC_BACKEND_VERSION != 4u
#error "padic_simd.h is for another version of padic.h: take both from one release"
#endif

#if PADIC_TEXT != 0xcd357fb6u
#error "padic_simd.h and padic.h are of different versions: take both from one release"
#endif

#ifndef PADIC_SIMD_H
#define PADIC_SIMD_H

#ifdef __cplusplus
extern "C" {
#endif

PADIC_API const padic_backend *padic_simd(void);
#undef PADICI_BEST_SIMD
#define PADICI_BEST_SIMD padic_simd()

#ifdef __cplusplus
}
#endif
#endif // PADIC_SIMD_H
#if defined(PADIC_SIMD_TEXT) && PADIC_SIMD_TEXT != 0xa521f60bu
#error "two versions of padic_simd.h in one translation unit"
#endif
#ifndef PADIC_SIMD_TEXT
#define PADIC_SIMD_TEXT 0xa521f60bu // a hash of this file
#endif
// room: src/simd/padic_simd.in.h:67
// ================================================================================================
#if (defined(PADIC_IMPLEMENTATION) || defined(PADIC_IMPLEMENT_SIMD)) && \
    !defined(PADIC_SIMD_IMPLEMENTED)
#define PADIC_SIMD_IMPLEMENTED

// room: src/simd/level.h:4
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

// room: src/simd/words.h:5
// ---------------------------------------------------------------------------------------- >>words
//
// Vectors of 64-bit words with the same few functions for each level; the shared kernels are built
// on them. mul: products of the low halves; mul64: low words of products; srl, sll: by a number in
// each lane; half15, half16: 32-bit lanes shifted right; high: the upper half; above: all ones
// where a > b, signed; sign: where a < 0; load16, load32: widened; put_u32, put_f32: two vectors of
// words below 2^32, 2^24, as integers or times 2^-24; put_f64: words below 2^53, times 2^-53.

#define PADICI_LPASTE(a, b) padici_##a##_##b
#define PADICI_LNAME(a, b) PADICI_LPASTE(a, b)
#define PADICI_L(name) PADICI_LNAME(PADICI_ISA, name) // padici_avx2_name

// Loops over arrays of vectors must unroll, so that these stay in registers.
#if defined(__clang__)
#define PADICI_UNROLL_ALL _Pragma("unroll")
#elif defined(__GNUC__)
#define PADICI_UNROLL_ALL _Pragma("GCC unroll 8")
#else
#define PADICI_UNROLL_ALL
#endif

// The code that all levels share is written once in this file and compiled for each: the file
// includes itself, here for the words, in levels.c for the kernels.
#ifndef PADICI_SIMD_FILE
#ifdef PADIC_SIMD_H
#define PADICI_SIMD_FILE "padic_simd.h"
#else
#define PADICI_SIMD_FILE "per_level.in.h" // this room compiled by itself
#endif
#endif
#define PADICI_ISA_WORDS
#if PADICI_SIMD_X86
#define PADICI_ISA avx2
#define PADICI_ISA_LEVEL 2
#include PADICI_SIMD_FILE
#define PADICI_ISA avx512
#define PADICI_ISA_LEVEL 3
#include PADICI_SIMD_FILE
#elif PADICI_SIMD_ARM
#define PADICI_ISA neon
#define PADICI_ISA_LEVEL 1
#include PADICI_SIMD_FILE
#endif
#undef PADICI_ISA_WORDS

#if PADICI_SIMD_X86
// A mask of lanes as an integer. gcc 12 spills the bits of a mask and reads back the width of the
// integer it is widened to, so widening must wait until the mask is in a general register.
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
// room: src/simd/device.h:6
typedef struct padici_simd { // the padic_device of this backend
    padic_env env;           // first: the CPU backend's functions only see this
    uint32_t level;          // not PADICI_SIMD_NONE where an operation's function is called
    void *tensor_space;      // packed panels, reused from call to call
    size_t tensor_size;
} padici_simd;

// The vectorised rows of src/ops.def that are not loops.
#if PADICI_SIMD_X86 || PADICI_SIMD_ARM
#define PADICI_SIMD_DECLARE_0(kind, name)
#define PADICI_SIMD_DECLARE_1(kind, name)
#define PADICI_SIMD_DECLARE_2(kind, name) PADICI_SIMD_DECLARE_##kind(name)
#define PADICI_SIMD_DECLARE_3(kind, name) PADICI_SIMD_DECLARE_##kind(name)
#define PADICI_SIMD_DECLARE_CALL(name) \
    PADICI_FN padic_result padici_simd_##name(padici_simd *simd, const padic_##name##_desc *desc);
#define PADICI_SIMD_DECLARE_QUICK(name) PADICI_SIMD_DECLARE_CALL(name)
#define PADICI_SIMD_DECLARE_TASK(name) \
    PADICI_FN padic_result padici_simd_##name(padici_simd *simd, padici_##name##_task *task);
#define PADICI_SIMD_DECLARE_LOOP(name)
#define PADICI_SIMD_DECLARE(number, NAME, name, kind, by, rules) \
    PADICI_SIMD_DECLARE_##by(kind, name)
PADICI_OPS_HERE(PADICI_SIMD_DECLARE)
#undef PADICI_SIMD_DECLARE
#undef PADICI_SIMD_DECLARE_0
#undef PADICI_SIMD_DECLARE_1
#undef PADICI_SIMD_DECLARE_2
#undef PADICI_SIMD_DECLARE_3
#undef PADICI_SIMD_DECLARE_CALL
#undef PADICI_SIMD_DECLARE_QUICK
#undef PADICI_SIMD_DECLARE_TASK
#undef PADICI_SIMD_DECLARE_LOOP
#endif
// room: src/simd/sample.h:11
#ifndef PADIC_NO_SAMPLE

#define PADICI_SAMPLE_WORDS (2 * PADICI_SAMPLE_BLOCK)
#define PADICI_SAMPLE_POWERS 24

typedef struct padici_simd_sample_plan {
    const padic_sample_call *call;
    padici_sample_radix radix;
    padici_sample_job job; // for the generic functions
    padici_sample_fraction fraction; // of LONG
    uint32_t ranged;        // consecutive indices, not scrambled: uses `table`, otherwise `by`
    uint64_t n, cut, shift; // floor(2^32 R / n) is (R cut) >> shift, or up to 2 more
    // Consecutive indices q span + t share the contribution `low` of their high digits to R.
    uint64_t q, t, low, scale; // of their low digits
    union {
        uint16_t table[PADICI_SAMPLE_TABLE + 8];
        struct {
            // q_k = floor(i / b^k) = (i m[k] + a[k]) >> s[k] for every i < 2^32; c[k]: its weight.
            uint64_t m[PADICI_SAMPLE_POWERS], a[PADICI_SAMPLE_POWERS], s[PADICI_SAMPLE_POWERS];
            uint64_t c[PADICI_SAMPLE_POWERS], top; // b^(levels - 1): the weight of q_0
            // IFMA: q_k = (q w[k]) >> 52, q = i while b^k <= 2^20, k <= nearby, then q = q_nearby
            uint64_t w[PADICI_SAMPLE_POWERS];
            uint32_t nearby;
        } by;
    } u;
} padici_simd_sample_plan;

typedef struct padici_simd_sample_kernels {
    int (*fetch)(const padici_simd_sample_plan *p, const char *from, uint64_t *v);
    void (*bits)(const padici_simd_sample_plan *p, uint64_t *v);
    void (*plain)(const padici_simd_sample_plan *p, uint64_t *v);
    void (*map)(const padici_simd_sample_plan *p, uint64_t *v);
    void (*map64)(const padici_simd_sample_plan *p, uint64_t *v); // bases below 1,024
    void (*map64_any)(const padici_simd_sample_plan *p, uint64_t *v);
    void (*range)(padici_simd_sample_plan *p, uint64_t *v);
    void (*write)(const padici_simd_sample_plan *p, const uint64_t *v, char *out, uint32_t words);
} padici_simd_sample_kernels;

#define PADICI_SPASTE(a, b) padici_simd_sample_##a##_##b
#define PADICI_SNAME(a, b) PADICI_SPASTE(a, b)
#define PADICI_SK(name) PADICI_SNAME(name, PADICI_ISA) // .._name_avx2

PADICI_FN void padici_simd_sample_next(padici_simd_sample_plan *p);
PADICI_FN padic_result padici_simd_sample_loop(padici_simd *simd, void *call_);

#endif
// room: src/simd/sparse.h:6
#ifndef PADIC_NO_SPARSE

PADICI_FN padic_result padici_simd_sparse_count_loop(padici_simd *simd, void *call);
PADICI_FN padic_result padici_simd_sparse_fill_loop(padici_simd *simd, void *call);

#endif
// room: src/simd/num/calls.h:7
#ifndef PADIC_NO_NUM

typedef uint32_t (*padici_simd_num_kernel)(const padic_num_call *call); // returns the status bits

#define PADICI_SIMD_NUM_TAIL 48 // elements of a tail at a time, divisible by two vectors
#define PADICI_SIMD_BLOCK 144   // elements that share an inversion

PADICI_FN int padici_simd_num_kind(const padic_num_ring *r);
PADICI_FN void padici_simd_num_tail_in(const padic_num_call *call, padic_num_planes *p,
                                       uint64_t first, uint32_t n, uint32_t lanes, uint64_t *unit,
                                       int32_t *val);
PADICI_FN uint32_t padici_simd_num_drive(const padic_num_call *call, uint32_t lanes,
                                         padici_simd_num_kernel kernel);
PADICI_FN uint32_t padici_simd_num_plain(const padic_num_call *call, uint64_t first, uint64_t n,
                                         void (*loop)(padic_num_call *call));
PADICI_FN void padici_simd_num_ends(padic_num_call *call, uint32_t lanes,
                                    padici_simd_num_kernel kernel, void (*loop)(padic_num_call *));
PADICI_FN void padici_simd_num_tiles(padic_num_call *call, padici_simd_num_kernel kernel,
                                     void (*loop)(padic_num_call *));

typedef int (*padici_simd_num_lanes)(const padic_num_call *call, uint64_t first, uint64_t end,
                                     uint64_t *unit, int32_t *val, uint32_t *bits);

PADICI_FN padic_result padici_simd_num_dot(padic_num_call *call, padici_simd_num_lanes lanes);

#if defined(__GNUC__) || defined(__clang__)
#define PADICI_UNROLL _Pragma("GCC unroll 4")
#define PADICI_UNROLL8 _Pragma("GCC unroll 8")
#define PADICI_UNROLL16 _Pragma("GCC unroll 16")
#else
#define PADICI_UNROLL
#define PADICI_UNROLL8
#define PADICI_UNROLL16
#endif

static const uint8_t padici_simd_num_bits_of5[32] = {0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4,
                                            1, 2, 2, 3, 2, 3, 3, 4, 2, 3, 3, 4, 3, 4, 4, 5};

// With gcc 12 -O2, arrays indexed in a loop stay in memory; these unrolled ones do not.
#define PADICI_FOUR(step) step(0) step(1) step(2) step(3)
#define PADICI_EIGHT(step) PADICI_FOUR(step) step(4) step(5) step(6) step(7)

#define PADICI_SIMD_PASTE(a, b) padici_simd_num_##a##_##b
#define PADICI_SIMD_NAME(a, b) PADICI_SIMD_PASTE(a, b)
#define PADICI_K(name) PADICI_SIMD_NAME(name, PADICI_ISA) // padici_simd_num_name_avx2

PADICI_FN padic_result padici_simd_num_systems_loop(padici_simd *simd, const void *systems);
PADICI_FN padic_result padici_simd_num_loop(padici_simd *simd, void *call_);

#endif
// room: src/simd/codec/all.h:9
#if !defined(PADIC_NO_CODEC) && (PADICI_SIMD_X86 || PADICI_SIMD_ARM)

#define PADICI_CPASTE(a, b) padici_simd_codec_##a##_##b
#define PADICI_CNAME(a, b) PADICI_CPASTE(a, b)
#define PADICI_CK(name) PADICI_CNAME(name, PADICI_ISA) // .._name_avx2

PADICI_FN uint64_t padici_simd_codec_checksum_end(const uint8_t *data, size_t size, size_t words,
                                                  uint64_t seed);

// Words of up to 57 bits are loaded in pairs that lie within 16 bytes: the offset of each pair, the
// byte indices of 8 bytes for each word, and its right shift. 8 words take `width` bytes.
typedef struct padici_simd_codec_pairs {
    uint8_t at[4], take[4][16];
    uint64_t shift[8];
} padici_simd_codec_pairs;

PADICI_FN void padici_simd_codec_pairs_make(padici_simd_codec_pairs *pairs, uint32_t width);

#endif

#ifndef PADIC_NO_CODEC
PADICI_FN padic_result padici_simd_codec_loops(padici_simd *simd, void *loops_);
#endif
// room: src/simd/codec/transforms.h:8
#if !defined(PADIC_NO_CODEC) && PADICI_SIMD_X86

// ------------------------------------------------------------------------------------ >>codec, x86
// The transforms and sizes with a vector loop; `run` is that of a level.
#define PADICI_CODEC_TRANSFORM_LOOPS(RUN) \
    RUN(PADICI_CODEC_TRANSFORM_BITS, 1, 8) \
    RUN(PADICI_CODEC_TRANSFORM_BITS, 1, 4) \
    RUN(PADICI_CODEC_TRANSFORM_BITS, 1, 2) \
    RUN(PADICI_CODEC_TRANSFORM_BITS, 0, 8) \
    RUN(PADICI_CODEC_TRANSFORM_BITS, 0, 4) \
    RUN(PADICI_CODEC_TRANSFORM_BITS, 0, 2) \
    RUN(PADICI_CODEC_TRANSFORM_BITS, 0, 1) \
    RUN(PADICI_CODEC_TRANSFORM_FIELDS, 1, 8) \
    RUN(PADICI_CODEC_TRANSFORM_FIELDS, 1, 4) \
    RUN(PADICI_CODEC_TRANSFORM_FIELDS, 1, 2) \
    RUN(PADICI_CODEC_TRANSFORM_SCALE, 1, 8) \
    RUN(PADICI_CODEC_TRANSFORM_SCALE, 1, 4) \
    RUN(PADICI_CODEC_TRANSFORM_SCALE, 1, 2) \
    RUN(PADICI_CODEC_TRANSFORM_AFFINE, 1, 8) \
    RUN(PADICI_CODEC_TRANSFORM_AFFINE, 1, 4) \
    RUN(PADICI_CODEC_TRANSFORM_DECIMAL, 1, 8) \
    RUN(PADICI_CODEC_TRANSFORM_DECIMAL, 1, 4)

PADICI_FN int padici_simd_codec_plain_transform(const padici_codec_transform *transform,
                                                padic_dtype dtype);
PADICI_FN double padici_simd_codec_within(const padici_codec_tolerance *tolerance);

#endif
// room: src/simd/codec/stretches.h:6
#if !defined(PADIC_NO_CODEC) && PADICI_SIMD_X86

// Input of the context: a column, the previous byte, the previous two, arbitrary bytes.
enum {
    PADICI_CODEC_CONTEXT_COLUMN,
    PADICI_CODEC_CONTEXT_ONE,
    PADICI_CODEC_CONTEXT_TWO,
    PADICI_CODEC_CONTEXT_ANY
};

PADICI_FN int padici_simd_codec_rows_fit(const padici_codec_context_plan *plan, size_t n,
                                         size_t room);
PADICI_FN PADICI_AVX2 void padici_simd_codec_stretches(const uint8_t *rows, uint8_t *data,
                                                       size_t steps, size_t length, size_t n);

#endif
// room: src/simd/codec/avx512.h:6
#if !defined(PADIC_NO_CODEC) && PADICI_SIMD_X86

// Positions of 8 words within their segments, and of the 8 words after or before them: `by` is 8
// mod the segment.
PADICI_AVX512 PADICI_INLINE __m512i padici_simd_codec_places(size_t i, size_t segment)
{
    uint64_t lanes[8], k, place = i % segment;
    for (k = 0; k < 8; k++) {
        lanes[k] = place;
        if (++place == segment) place = 0;
    }
    return padici_avx512_load(lanes);
}

PADICI_AVX512 PADICI_INLINE __m512i padici_simd_codec_behind(__m512i places, __m512i by,
                                                             __m512i segment)
{
    const __m512i v = _mm512_add_epi64(places, by);
    return _mm512_min_epu64(v, _mm512_sub_epi64(v, segment));
}

// Words and doubles from p[at].
PADICI_AVX512 PADICI_INLINE __m512i padici_simd_codec_fetch(__m512i at, const uint64_t *p)
{
    return _mm512_i64gather_epi64(at, (const void *)p, 8);
}

PADICI_AVX512 PADICI_INLINE __m512d padici_simd_codec_fetch_doubles(__m512i at, const double *p)
{
    return _mm512_i64gather_pd(at, (const void *)p, 8);
}

PADICI_AVX512 PADICI_INLINE void padici_simd_codec_scatter(__m512i at, uint64_t *p, __m512i v)
{
    _mm512_i64scatter_epi64((void *)p, at, v, 8);
}

PADICI_AVX512 PADICI_INLINE void padici_simd_codec_scatter_doubles(__m512i at, double *p, __m512d v)
{
    _mm512_i64scatter_pd((void *)p, at, v, 8);
}

#endif
// room: src/simd/codec/pack_avx512.h:6
#if !defined(PADIC_NO_CODEC) && PADICI_SIMD_X86

PADICI_FN void padici_simd_codec_pack_avx512(padici_codec_loops *loops);

#endif
// room: src/simd/codec/vbmi.h:7
#if !defined(PADIC_NO_CODEC) && PADICI_SIMD_X86

PADICI_IFMA PADICI_INLINE __m512i padici_simd_codec_window(__m512i window, __m512i bit)
{
    const __m512i spread = _mm512_set_epi64(
        0x3838383838383838, 0x3030303030303030, 0x2828282828282828, 0x2020202020202020,
        0x1818181818181818, 0x1010101010101010, 0x0808080808080808, 0x0000000000000000);
    const __m512i byte = _mm512_permutexvar_epi8(spread, _mm512_srli_epi64(bit, 3));
    const __m512i eight = _mm512_set1_epi64(0x0706050403020100);
    const __m512i v = _mm512_permutexvar_epi8(_mm512_add_epi8(byte, eight), window);
    return _mm512_srlv_epi64(v, _mm512_and_si512(bit, _mm512_set1_epi64(7)));
}

PADICI_FN PADICI_IFMA void padici_simd_codec_fixed_ifma(const uint8_t *p, const uint8_t *end,
                                                        uint32_t width, uint64_t *z, size_t n);
PADICI_FN void padici_simd_codec_unpack_vbmi(padici_codec_loops *loops);

#endif
// room: src/simd/codec/blocks_vbmi.h:8
#if !defined(PADIC_NO_CODEC) && PADICI_SIMD_X86

PADICI_FN PADICI_IFMA int padici_simd_codec_narrow_ifma(const padici_codec_decoder *given,
                                                        const padici_codec_predictor *predictor,
                                                        int zigzag,
                                                        const padici_codec_transform *transform,
                                                        padic_dtype dtype, void *space,
                                                        uint8_t *raw, size_t n);

#endif
// room: src/simd/wave/kernels.h:9
#ifndef PADIC_NO_WAVE

#define PADICI_WAVE_TILE_POINTS 256u
#define PADICI_WAVE_TILE_SOURCES 64u // summed in f32
#define PADICI_WAVE_TILE_CLOSE 1e-24 // r^2 below which slopes are left to the reference, at least

// A source relative to a tile. direct: at = D. mid: at = 2 D.
typedef struct padici_wave_tile_source {
    float at[3], wave;  // k in half-turns per length
    float phase, size;  // in half-turns; amplitude
    float r0, r2;       // mid: includes the softening
    uint32_t source, pad[3];
} padici_wave_tile_source;

typedef struct padici_wave_tile_far {
    float at[3], square; // E = 2D/r0^2; 1/r0^2
    float phase[5], size[5]; // coefficients of u^0 to u^4, in half-turns and of the amplitude
    uint32_t pad[2];
} padici_wave_tile_far;

// Half-turns from row to row: of the centre, and k times the step; the square of r0.
typedef struct padici_wave_tile_rows {
    padici_wave_tile_far far_;
    float turn, wave, slant, reach, r2; // r0 along rows: reach; slant: step reach/r0
    uint32_t pad[3];
} padici_wave_tile_rows;

typedef struct padici_wave_tile_wide {
    double at[3], wave, phase, size; // turns
    uint32_t source, pad[3];
} padici_wave_tile_wide;

typedef struct padici_wave_tile {
    float d[4][PADICI_WAVE_TILE_POINTS]; // from the centre; d.d
    double at[3][PADICI_WAVE_TILE_POINTS], total[2][PADICI_WAVE_TILE_POINTS], centre[3], radius;
    uint64_t index[PADICI_WAVE_TILE_POINTS]; // of the point, in C order
    uint32_t points, vectors;    // vectors: points in whole kernel groups, the last repeated
    uint32_t soft, root; // PADICI_WAVE_TILE_..., and whether the amplitude is the root of 1/r
    float add, least, widen;     // r^2 = max(r^2 + add, least); r^2 + widen below the amplitude
    double wide_add, wide_least, wide_widen, wide_inside; // the last: below it no slope
    padici_wave_tile_source direct[PADICI_WAVE_TILE_SOURCES], mid[PADICI_WAVE_TILE_SOURCES];
    padici_wave_tile_wide wide[PADICI_WAVE_TILE_SOURCES];
    padici_wave_tile_far far_[PADICI_WAVE_TILE_SOURCES];
    padici_wave_tile_rows rows[PADICI_WAVE_TILE_SOURCES];
    uint32_t count[5]; // of each
    // A whole tile of a grid: rows of `row` points each, `step` apart, and the points' positions
    // along the direction from row to row.
    uint32_t row, row_count; // row_count 0: not a whole tile
    double way[3], step;
    float along[PADICI_WAVE_TILE_POINTS];
    uint32_t bad;      // a vector of the last kernel had a pair too close
    // Frames: waves of each frequency (re of all points, im of all), factors of a frame, its sums,
    // and where points lie in out.
    uint64_t groups;
    float *waves;
    const float *factors;
    float frame[2][PADICI_WAVE_TILE_POINTS];
    int64_t place[PADICI_WAVE_TILE_POINTS];
    // Gradients: its sums, re and im of x, y, z; r^2 below which f32 is not enough for a slope.
    double slope[6][PADICI_WAVE_TILE_POINTS];
    float close;
} padici_wave_tile;

enum { PADICI_WAVE_TILE_NONE, PADICI_WAVE_TILE_SOFT, PADICI_WAVE_TILE_PLUMMER };

typedef void (*padici_wave_tile_kernel)(padici_wave_tile *t);

typedef struct padici_wave_tiles {
    padici_wave_job job;
    const padic_wave_superpose_desc *desc;
    padici_wave_tile_kernel
        kernels[6];                // direct, mid, wide (of slopes for a gradient), far, rows; frame
    double *sources;               // six rows: x, y, z, k in turns, phase in turns, amplitude
    padici_wave_tile *tiles;       // one per task
    double *bounds;                // one per task
    uint64_t tile_count, tasks, grid_tiles[3];
    uint32_t log[3]; // points of a tile of a grid by axis, as a power of two
    double tolerance, place; // turns; rounding of a grid's points in f64, in lengths
    int listed, in_f64; // in_f64: each pair in f64, all by `wide`
    const padici_wave_frames *frames; // or NULL; if set, rows of sources follow its rates
    float *factors;                   // (F, K) pairs
    const padici_wave_slopes *slopes; // or NULL
} padici_wave_tiles;

// Vortices along +z, on a block of points: positions in two words of f32, so that differences close
// to a line keep their digits, and the product so far.
#define PADICI_WAVE_VORTEX_POINTS 64u

typedef struct padici_wave_vortex_line {
    float at[3][2], core, part, sign; // part: 1/core; sign: of the charge
    uint32_t charge;
} padici_wave_vortex_line;

typedef struct padici_wave_vortex_block {
    float at[3][2][PADICI_WAVE_VORTEX_POINTS], psi[2][PADICI_WAVE_VORTEX_POINTS];
    const padici_wave_vortex_line *line;
    uint64_t lines;
    uint32_t points, bad; // bad: a bit for each 4 points where f32 does not suffice
    padic_wave_core core;
} padici_wave_vortex_block;

typedef void (*padici_wave_vortex_kernel)(padici_wave_vortex_block *b);

#define PADICI_WAVE_FIELD_ROW 64u // elements at a time

// A row of a field, or several that are read together.
typedef struct padici_wave_field_row {
    const float *z[4]; // complex, or real
    float *out;
    double *sums, *seen;
    int32_t *bytes[3];
    uint16_t *marks[3]; // a bit per element
    double factor, low, high;
    uint32_t count, what, curve, map, real;
    uint32_t odd; // not 0: something is not finite, and the row is left to the reference
} padici_wave_field_row;

typedef void (*padici_wave_field_kernel)(padici_wave_field_row *f);

#define PADICI_WPASTE(a, b) padici_wave_tile_##a##_##b
#define PADICI_WNAME(a, b) PADICI_WPASTE(a, b)
#define PADICI_WK(name) PADICI_WNAME(name, PADICI_ISA) // padici_wave_tile_name_avx2

#endif
// room: src/simd/wave/tiles.h:6
#if !defined(PADIC_NO_WAVE) && (PADICI_SIMD_X86 || PADICI_SIMD_ARM)

PADICI_FN void padici_wave_tiles_cut(padici_wave_tiles *w);
PADICI_FN void padici_wave_tile_begin(const padici_wave_tiles *w, uint64_t number,
                                      padici_wave_tile *t);

#endif
// room: src/simd/wave/ways.h:6
#if !defined(PADIC_NO_WAVE) && (PADICI_SIMD_X86 || PADICI_SIMD_ARM)

PADICI_FN double padici_wave_tile_sort(const padici_wave_tiles *w, padici_wave_tile *t,
                                       uint64_t first, uint64_t end);
PADICI_FN uint64_t padici_wave_tiles_source(const padici_wave_tiles *w, uint64_t row);

#endif
// room: src/simd/wave/superpose.h:6
#if !defined(PADIC_NO_WAVE) && (PADICI_SIMD_X86 || PADICI_SIMD_ARM)

#endif
// room: src/simd/wave/vortex.h:6
#if !defined(PADIC_NO_WAVE) && (PADICI_SIMD_X86 || PADICI_SIMD_ARM)

#endif
// room: src/simd/wave/field_rows.h:8
#if !defined(PADIC_NO_WAVE) && (PADICI_SIMD_X86 || PADICI_SIMD_ARM)

enum {
    PADICI_WAVE_FIELD_OBSERVE,
    PADICI_WAVE_FIELD_SQUARES,
    PADICI_WAVE_FIELD_SCALE,
    PADICI_WAVE_FIELD_SLOPE,
    PADICI_WAVE_FIELD_CHARGE,
    PADICI_WAVE_FIELD_PIXELS
};

typedef struct padici_wave_field_grid {
    padici_wave_grid_job job;
    padici_wave_field_kernel kernel;
    uint64_t rows, tasks;
    uint32_t last; // the axis of rows
} padici_wave_field_grid;

PADICI_FN padici_wave_field_kernel padici_wave_field_of(uint32_t level, uint32_t which);

#endif
// room: src/simd/wave/field_grids.h:6
#if !defined(PADIC_NO_WAVE) && (PADICI_SIMD_X86 || PADICI_SIMD_ARM)

#endif
// room: src/simd/tensor/kernels.h:6
#if !defined(PADIC_NO_TENSOR) && (PADICI_SIMD_X86 || PADICI_SIMD_ARM)

#define PADICI_SIMD_TENSOR_DEPTH 384u // rows of the packed b: a panel of it fills the first cache
#define PADICI_SIMD_TENSOR_ROWS 128u  // of packed a at a time, which fit the second cache
#define PADICI_SIMD_TENSOR_WIDE 1024u // columns of the packed b, in real numbers; half with workers
#define PADICI_SIMD_TENSOR_MOST 1024u // rows of c that one task computes with a packed b
#define PADICI_SIMD_TENSOR_THIN 2048u // columns at a time when c has one row
#define PADICI_SIMD_TENSOR_LINES 32   // most lines of a panel
#define PADICI_SIMD_TENSOR_SMALL 128u // real numbers per line of c in an unpacked product

// Lines (rows of a, columns of b) of a panel to be packed: the positions of these and of the places
// of the sum, in elements; `flat`: the lines are contiguous.
typedef struct padici_simd_tensor_pack {
    const char *from;
    const int64_t *sum;
    uint32_t depth, flat;
    uint32_t paired, negate; // complex; to be conjugated
    uint32_t adjacent;       // of a: places of the sum are contiguous
    uint32_t twice;          // b combined with a complex a
    int64_t line[PADICI_SIMD_TENSOR_LINES]; // beyond the last one it is repeated
} padici_simd_tensor_pack;

// An unpacked product: lines of b and c are used in place, in whole vectors. Steps in real numbers.
typedef struct padici_simd_tensor_direct {
    uint32_t depth, rows, columns, paired, add; // columns: real numbers
    int64_t a_row, a_sum, b_sum, c_row;
} padici_simd_tensor_direct;

// The kernels of a level and a precision.
typedef struct padici_simd_tensor_kernels {
    uint32_t mr, nr; // rows and real columns of c in a product of two panels
    uint32_t lanes;  // of a vector: a power of two
    // Packs a panel of a. For each place of the sum the real parts of the lines, then the imaginary
    // parts.
    void (*pack_a)(const padici_simd_tensor_pack *pack, void *to);
    // Packs a panel of b. For each place of the sum the lines; after them, for a complex a, i times
    // the lines.
    void (*pack_b)(const padici_simd_tensor_pack *pack, void *to);
    // Rows of c are `row` apart from `c`, in real numbers; `add`: to the previous contents.
    // `factor`: NULL, or four numbers as below that multiply the product, complex with `twice`.
    void (*product)(uint32_t depth, const void *a, const void *b, void *c, const int64_t *row,
                    const void *factor, uint32_t twice, int add);
    // sum += lines of b at `place`, in bytes, each times its factor: four numbers, for even and odd
    // places, then, if b and the factor are complex (`twice`), for their neighbours.
    void (*line)(uint32_t count, uint32_t lines, const char *b, const int64_t *place,
                 const void *factor, uint32_t twice, void *sum);
    void (*direct)(const padici_simd_tensor_direct *d, const void *a, const void *b, void *c);
} padici_simd_tensor_kernels;

// Prefetches memory; the address need not exist.
#if defined(__GNUC__) || defined(__clang__)
#define PADICI_SIMD_TENSOR_AHEAD(address) __builtin_prefetch((const void *)(address))
#else
#define PADICI_SIMD_TENSOR_AHEAD(address) ((void)(address))
#endif

#define PADICI_GPASTE(a, b, c) padici_simd_tensor_##a##_##b##_##c
#define PADICI_GNAME(a, b, c) PADICI_GPASTE(a, b, c)
#define PADICI_GK(name) PADICI_GNAME(name, PADICI_ISA, PADICI_REAL) // .._name_avx2_float

PADICI_FN const padici_simd_tensor_kernels *padici_simd_tensor_of(uint32_t longest,
                                                                  uint32_t is_double);

#endif
// room: src/simd/tensor/gemm.h:6
#if !defined(PADIC_NO_TENSOR) && (PADICI_SIMD_X86 || PADICI_SIMD_ARM)

PADICI_FN padic_result padici_simd_tensor_product_loop(padici_simd *simd, const void *product);

#endif
// room: src/simd/tensor/turns.h:5
#if !defined(PADIC_NO_TENSOR) && (PADICI_SIMD_X86 || PADICI_SIMD_ARM)

#define PADICI_SIMD_TENSOR_HELD 32 // most sweeps that wait

// Sweeps of plane rotations that wait for being applied to the columns of two matrices (of right
// and left vectors; NULL is fine), or of one. The rotations of all sweeps lie one after another.
typedef struct padici_simd_tensor_turns {
    double *c[2], *s[2];
    uint64_t room, used; // rotations
    uint32_t sweeps, sides;
    uint64_t first[PADICI_SIMD_TENSOR_HELD], count[PADICI_SIMD_TENSOR_HELD]; // columns, rotations
    void *x[2];
    size_t step; // from column to column
    void (*turn)(const struct padici_simd_tensor_turns *turns, uint32_t side);
} padici_simd_tensor_turns;

PADICI_FN int padici_simd_tensor_bidiagonal_qr(uint64_t n, double *d, double *e, double eps,
                                               padici_simd_tensor_turns *turns);
PADICI_FN int padici_simd_tensor_tridiagonal_qr(uint64_t n, double *d, double *e, double eps,
                                                padici_simd_tensor_turns *turns);

#endif
// room: src/simd/tensor/factor.h:8
#if !defined(PADIC_NO_TENSOR) && (PADICI_SIMD_X86 || PADICI_SIMD_ARM)

// Factorisations of one matrix by a level and a precision: of[kind], with `bytes` of memory.
typedef struct padici_simd_tensor_factor_kernels {
    size_t (*bytes)(const padici_tensor_factor *f);
    int (*of[3])(const padici_tensor_factor *f, uint64_t b, double *space);
} padici_simd_tensor_factor_kernels;

#endif
// room: src/simd/fft/kernels.h:7
#ifndef PADIC_NO_FFT

#define PADICI_HPASTE(a, b, c) padici_simd_fft_##a##_##b##_##c
#define PADICI_HNAME(a, b, c) PADICI_HPASTE(a, b, c)
#define PADICI_HK(name) PADICI_HNAME(name, PADICI_ISA, PADICI_REAL) // .._name_avx2_float

PADICI_FN padic_result padici_simd_fft_kernels(padici_simd *simd, void *choice);

#endif
// room: src/simd/field/kernels.h:7
#ifndef PADIC_NO_FIELD

// Rows `first` to `end` of a plane of axes 1 and 2, in f32, real and imaginary parts in turn. Of
// the step `below` and `above` are the planes beside it, of the energy those of the difference.
typedef struct padici_field_legacy_plane {
    const float *at, *below, *above; // row 0
    float *out;
    int64_t row, out_row;            // floats from row to row
    uint64_t rows, first, end, count;
    uint32_t power, odd;             // odd: set where a result is not finite
    float mass, lambda, dt;
    uint32_t edge;                   // `above` and `below` are one step apart, not two
    double sum[3][16];               // four times the kinetic one, norm, interaction, in lanes:
                                     // added to
} padici_field_legacy_plane;

#define PADICI_FIELD_LEGACY_SUMMED 64 // vectors whose sums are made in f32

#define PADICI_LFPASTE(a, b) padici_simd_field_##a##_##b
#define PADICI_LFNAME(a, b) PADICI_LFPASTE(a, b)
#define PADICI_LK(name) PADICI_LFNAME(name, PADICI_ISA) // padici_simd_field_name_avx2
#define PADICI_LRPASTE(a, b, c) padici_simd_field_##a##_##b##_##c
#define PADICI_LRNAME(a, b, c) PADICI_LRPASTE(a, b, c)
#define PADICI_LRK(name) PADICI_LRNAME(name, PADICI_ISA, PADICI_REAL) // .._name_avx2_float

#endif
// room: src/simd/field/run.h:6
#ifndef PADIC_NO_FIELD
PADICI_FN padic_result padici_simd_field_kernels(padici_simd *simd, void *choice);
#endif
// room: src/simd/rnn/kernels.h:7
#define PADICI_RPASTE(a, b) padici_simd_rnn_##a##_##b
#define PADICI_RNAME(a, b) PADICI_RPASTE(a, b)
#define PADICI_RK(name) PADICI_RNAME(name, PADICI_ISA) // .._name_avx2

#ifndef PADIC_NO_RNN

PADICI_FN padic_result padici_simd_rnn_kernels(padici_simd *simd, void *choice);

#endif
// room: src/simd/rollout/kernels.h:8
#ifndef PADIC_NO_ROLLOUT

PADICI_FN padic_result padici_simd_rollout_kernels(padici_simd *simd, void *choice);

#define PADICI_OPASTE(a, b) padici_simd_rollout_##a##_##b
#define PADICI_ONAME(a, b) PADICI_OPASTE(a, b)
#define PADICI_OK(name) PADICI_ONAME(name, PADICI_ISA) // .._name_avx2

#endif
// room: src/simd/pq/kernels.h:7
#ifndef PADIC_NO_PQ

PADICI_FN const padici_pq_kernels *padici_simd_pq_kernels(const padici_simd *simd);

#define PADICI_PQ_ROWS(level)                                                                  \
    PADICI_FN void padici_simd_pq_rows_dots_##level(const double *q, const char *const *row,   \
                                                    uint64_t n, uint64_t d, padic_dtype dtype, \
                                                    double *out);                              \
    PADICI_FN void padici_simd_pq_rows_add_##level(const double *w, const char *const *row,    \
                                                   uint64_t n, uint64_t d, padic_dtype dtype,  \
                                                   double *o)
#if PADICI_SIMD_X86
PADICI_PQ_ROWS(avx2);
PADICI_PQ_ROWS(avx512);
#else
PADICI_PQ_ROWS(neon);
#endif
#undef PADICI_PQ_ROWS

#define PADICI_PQNAME_(name, level) padici_simd_pq_##name##_##level
#define PADICI_PQNAME(name, level) PADICI_PQNAME_(name, level)
#define PADICI_PQK(name) PADICI_PQNAME(name, PADICI_ISA) // .._name_avx2

#endif
// room: src/simd/levels.h:44
// Tables of each level's shared kernels: see levels.c.

#ifndef PADIC_NO_NUM
#define PADICI_LEVEL_NUM(L) PADICI_FN padic_result padici_simd_num_call_##L(padic_num_call *call);
#define PADICI_LEVEL_SYSTEMS(L) \
    PADICI_FN padic_result padici_simd_num_systems_##L(const padic_num_systems *s);
#else
#define PADICI_LEVEL_NUM(L)
#define PADICI_LEVEL_SYSTEMS(L)
#endif
#ifndef PADIC_NO_WAVE
#define PADICI_LEVEL_WAVE(L) \
    PADICI_FN void padici_wave_tile_direct_##L(padici_wave_tile *t); \
    PADICI_FN void padici_wave_tile_mid_##L(padici_wave_tile *t); \
    PADICI_FN void padici_wave_tile_wide_##L(padici_wave_tile *t); \
    PADICI_FN void padici_wave_tile_series_##L(padici_wave_tile *t); \
    PADICI_FN void padici_wave_tile_rows_##L(padici_wave_tile *t); \
    PADICI_FN void padici_wave_tile_frame_##L(padici_wave_tile *t); \
    PADICI_FN void padici_wave_tile_slope_direct_##L(padici_wave_tile *t); \
    PADICI_FN void padici_wave_tile_slope_mid_##L(padici_wave_tile *t); \
    PADICI_FN void padici_wave_tile_slope_wide_##L(padici_wave_tile *t); \
    PADICI_FN void padici_wave_tile_double_##L(padici_wave_tile *t); \
    PADICI_FN void padici_wave_tile_slope_double_##L(padici_wave_tile *t); \
    PADICI_FN void padici_wave_tile_field_observe_##L(padici_wave_field_row *f); \
    PADICI_FN void padici_wave_tile_field_squares_##L(padici_wave_field_row *f); \
    PADICI_FN void padici_wave_tile_field_scale_##L(padici_wave_field_row *f); \
    PADICI_FN void padici_wave_tile_field_slope_##L(padici_wave_field_row *f); \
    PADICI_FN void padici_wave_tile_field_charge_##L(padici_wave_field_row *f); \
    PADICI_FN void padici_wave_tile_field_pixels_##L(padici_wave_field_row *f); \
    PADICI_FN void padici_wave_tile_vortex_##L(padici_wave_vortex_block *b); \
    PADICI_FN void padici_wave_tile_lines_##L( \
        padic_wave_core core, const padici_wave_line *lines, uint32_t n, \
        const padici_wave_places *places, uint32_t first, uint32_t end, padici_complex *products);
#else
#define PADICI_LEVEL_WAVE(L)
#endif
#ifndef PADIC_NO_CODEC
#define PADICI_LEVEL_CODEC(L) PADICI_FN void padici_simd_codec_loops_##L(padici_codec_loops *loops);
#else
#define PADICI_LEVEL_CODEC(L)
#endif
#ifndef PADIC_NO_SAMPLE
#define PADICI_LEVEL_SAMPLE(L) \
    PADICI_FN const padici_simd_sample_kernels *padici_simd_sample_kernels_##L(void);
#else
#define PADICI_LEVEL_SAMPLE(L)
#endif
#ifndef PADIC_NO_TENSOR
#define PADICI_LEVEL_TENSOR(L) \
    PADICI_FN const padici_simd_tensor_kernels *padici_simd_tensor_kernels_##L##_float(void); \
    PADICI_FN const padici_simd_tensor_kernels *padici_simd_tensor_kernels_##L##_double(void); \
    PADICI_FN const padici_simd_tensor_factor_kernels * \
        padici_simd_tensor_factor_kernels_##L##_float(void); \
    PADICI_FN const padici_simd_tensor_factor_kernels * \
        padici_simd_tensor_factor_kernels_##L##_double(void);
#else
#define PADICI_LEVEL_TENSOR(L)
#endif

#ifndef PADIC_NO_RNN
#define PADICI_LEVEL_RNN(L) PADICI_FN const padici_rnn_kernels *padici_simd_rnn_kernels_##L(void);
#else
#define PADICI_LEVEL_RNN(L)
#endif
#ifndef PADIC_NO_ROLLOUT
#define PADICI_LEVEL_ROLLOUT(L) \
    PADICI_FN const padici_rollout_kernels *padici_simd_rollout_kernels_##L(void);
#else
#define PADICI_LEVEL_ROLLOUT(L)
#endif
#ifndef PADIC_NO_PQ
#define PADICI_LEVEL_PQ(L)                                                              \
    PADICI_FN void padici_simd_pq_dots_##L(const float *x, const float *c, uint64_t n, \
                                           uint64_t cells, float *out);
#else
#define PADICI_LEVEL_PQ(L)
#endif
#ifndef PADIC_NO_FFT
#define PADICI_LEVEL_FFT(L) \
    PADICI_FN const padici_fft_kernels *padici_simd_fft_kernels_##L##_float(void); \
    PADICI_FN const padici_fft_kernels *padici_simd_fft_kernels_##L##_double(void);
#else
#define PADICI_LEVEL_FFT(L)
#endif

#ifndef PADIC_NO_FIELD
#define PADICI_LEVEL_FIELD(L) \
    PADICI_FN void padici_simd_field_euler_##L(padici_field_legacy_plane *p); \
    PADICI_FN void padici_simd_field_energy_##L(padici_field_legacy_plane *p); \
    PADICI_FN const padici_field_kernels *padici_simd_field_kernels_##L##_float(void); \
    PADICI_FN const padici_field_kernels *padici_simd_field_kernels_##L##_double(void);
#else
#define PADICI_LEVEL_FIELD(L)
#endif

#if PADICI_SIMD_X86
PADICI_LEVEL_NUM(avx2)
PADICI_LEVEL_NUM(avx512)
PADICI_LEVEL_NUM(ifma)
PADICI_LEVEL_SAMPLE(ifma)
PADICI_LEVEL_SYSTEMS(avx2)
PADICI_LEVEL_SYSTEMS(avx512)
PADICI_LEVEL_WAVE(avx2)
PADICI_LEVEL_CODEC(avx2)
PADICI_LEVEL_SAMPLE(avx2)
PADICI_LEVEL_TENSOR(avx2)
PADICI_LEVEL_FFT(avx2)
PADICI_LEVEL_FIELD(avx2)
PADICI_LEVEL_RNN(avx2)
PADICI_LEVEL_ROLLOUT(avx2)
PADICI_LEVEL_PQ(avx2)
PADICI_LEVEL_WAVE(avx512)
PADICI_LEVEL_CODEC(avx512)
PADICI_LEVEL_SAMPLE(avx512)
PADICI_LEVEL_TENSOR(avx512)
PADICI_LEVEL_FFT(avx512)
PADICI_LEVEL_FIELD(avx512)
PADICI_LEVEL_RNN(avx512)
PADICI_LEVEL_ROLLOUT(avx512)
PADICI_LEVEL_PQ(avx512)
#elif PADICI_SIMD_ARM
PADICI_LEVEL_NUM(neon)
PADICI_LEVEL_SYSTEMS(neon)
PADICI_LEVEL_WAVE(neon)
PADICI_LEVEL_CODEC(neon)
PADICI_LEVEL_SAMPLE(neon)
PADICI_LEVEL_TENSOR(neon)
PADICI_LEVEL_FFT(neon)
PADICI_LEVEL_FIELD(neon)
PADICI_LEVEL_RNN(neon)
PADICI_LEVEL_ROLLOUT(neon)
PADICI_LEVEL_PQ(neon)
#endif

#if !defined(PADIC_NO_CODEC) && PADICI_SIMD_X86
PADICI_FN PADICI_AVX2 void padici_simd_codec_elements_avx2(const padici_codec_transform *transform,
                                                           padic_dtype dtype, const uint64_t *words,
                                                           uint8_t *raw, size_t n);
PADICI_FN PADICI_AVX512 void padici_simd_codec_elements_avx512(
    const padici_codec_transform *transform, padic_dtype dtype, const uint64_t *words, uint8_t *raw,
    size_t n);
PADICI_FN PADICI_AVX512 size_t padici_simd_codec_scaled_avx512(const uint8_t *x, size_t i,
    size_t to, const padici_codec_transform *transform, padic_dtype dtype, uint8_t *raw);
#endif
#undef PADICI_LEVEL_NUM
#undef PADICI_LEVEL_SYSTEMS
#undef PADICI_LEVEL_WAVE
#undef PADICI_LEVEL_CODEC
#undef PADICI_LEVEL_SAMPLE
#undef PADICI_LEVEL_TENSOR
#undef PADICI_LEVEL_FFT
#undef PADICI_LEVEL_FIELD
#undef PADICI_LEVEL_RNN
// room: src/simd/levels.c:3
#if PADICI_IMPLEMENT_SIMD

// The kernels that all levels share are written once, over words of vectors, and compiled for each
// level: the file includes itself. Residues modulo P < 2^49 are integers where the CPU multiplies
// 52-bit integers (IFMA), otherwise doubles, whose fused multiply-add gives both halves of a
// product. Every kernel gives the bytes of the generic loop, or does not exist. Products of
// matrices are also compiled for each precision; level 4 has none of its own.

#if PADICI_SIMD_X86
#define PADICI_ISA avx2
#define PADICI_ISA_LEVEL 2
#include PADICI_SIMD_FILE
#define PADICI_ISA avx2
#define PADICI_ISA_LEVEL 2
#define PADICI_REAL float
#define PADICI_REAL_SIZE 4
#include PADICI_SIMD_FILE
#define PADICI_ISA avx2
#define PADICI_ISA_LEVEL 2
#define PADICI_REAL double
#define PADICI_REAL_SIZE 8
#include PADICI_SIMD_FILE
#define PADICI_ISA avx512
#define PADICI_ISA_LEVEL 3
#include PADICI_SIMD_FILE
#define PADICI_ISA avx512
#define PADICI_ISA_LEVEL 3
#define PADICI_REAL float
#define PADICI_REAL_SIZE 4
#include PADICI_SIMD_FILE
#define PADICI_ISA avx512
#define PADICI_ISA_LEVEL 3
#define PADICI_REAL double
#define PADICI_REAL_SIZE 8
#include PADICI_SIMD_FILE
#define PADICI_ISA ifma
#define PADICI_ISA_LEVEL 4
#include PADICI_SIMD_FILE
#elif PADICI_SIMD_ARM
#define PADICI_ISA neon
#define PADICI_ISA_LEVEL 1
#include PADICI_SIMD_FILE
#define PADICI_ISA neon
#define PADICI_ISA_LEVEL 1
#define PADICI_REAL float
#define PADICI_REAL_SIZE 4
#include PADICI_SIMD_FILE
#define PADICI_ISA neon
#define PADICI_ISA_LEVEL 1
#define PADICI_REAL double
#define PADICI_REAL_SIZE 8
#include PADICI_SIMD_FILE
#endif

#undef PADICI_SIMD_FILE
#undef PADICI_ISA
#undef PADICI_ISA_LEVEL
#undef PADICI_REAL
#undef PADICI_REAL_SIZE

#endif
// room: src/simd/sample.c:10
#if PADICI_IMPLEMENT_SIMD && !defined(PADIC_NO_SAMPLE)

// ---------------------------------------------------------------------------------------- >>sample

// Numbers are processed in blocks of words as in padic.h: fetched, reversed, emitted. For numbers
// above 2^32 (LONG) only the scrambling is vectorised, which takes nearly all of their time.

// With d_k = q_k - b q_(k+1), R = q_0 b^(D-1) - (b^2 - 1) (q_1 b^(D-2) + ... + q_(D-1)).
static void padici_simd_sample_plan_powers(padici_simd_sample_plan *p)
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

// The next run of consecutive indices.
PADICI_FN void padici_simd_sample_next(padici_simd_sample_plan *p)
{
    p->t = 0;
    p->low = padici_sample_reverse(&p->radix, p->radix.levels - p->radix.together, ++p->q);
}

static const padici_simd_sample_kernels *padici_simd_sample_kernels_of(uint32_t level)
{
#if PADICI_SIMD_X86
    return level == PADICI_SIMD_IFMA     ? padici_simd_sample_kernels_ifma()
           : level == PADICI_SIMD_AVX512 ? padici_simd_sample_kernels_avx512()
                                         : padici_simd_sample_kernels_avx2();
#elif PADICI_SIMD_ARM
    (void)level;
    return padici_simd_sample_kernels_neon();
#else
    (void)level;
    return NULL;
#endif
}

static void padici_simd_sample_plan_make(padici_simd_sample_plan *p, const padic_sample_call *call)
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
    p->ranged = call->mode == PADIC_SAMPLE_MODE_NONE && !call->index && !call->index_out;
    if (!p->ranged && call->base > 2 &&
        (call->mode == PADIC_SAMPLE_MODE_NONE || call->index_out || call->reversed_in))
        padici_simd_sample_plan_powers(p);
    if (!p->ranged) return;
    memset(p->u.table, 0, sizeof p->u.table);
    if (p->radix.together > 1) padici_sample_table(&p->radix, p->u.table);
    rest = p->radix.levels - p->radix.together;
    for (k = 0, p->scale = 1; k < rest; k++) p->scale *= call->base;
    p->q = call->first / p->radix.span - 1;
    padici_simd_sample_next(p);
    p->t = call->first % p->radix.span;
}

// Numbers at .. at + n - 1, the rest of the block 0; `bad`: bits of those above `last`, which
// become 0.
static void padici_simd_sample_take(const padici_simd_sample_plan *p,
                                    const padici_simd_sample_kernels *kernels, uint64_t at,
                                    uint64_t *v, uint32_t n, uint64_t bad[2])
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

static void padici_simd_sample_digits(const padici_simd_sample_plan *p,
                                      const padici_simd_sample_kernels *kernels, uint64_t *v,
                                      uint64_t *space)
{
    const padic_sample_call *call = p->call;
    void (*plain)(const padici_simd_sample_plan *, uint64_t *) =
        call->base == 2 ? kernels->bits : kernels->plain;
    uint32_t j;
    if (call->reversed_in) (*plain)(p, v);
    for (j = 0; call->group && j < PADICI_SAMPLE_WORDS; j++) {
        space[j] = v[j] - v[j] % call->group;
        v[j] -= space[j];
    }
    if (call->mode == PADIC_SAMPLE_MODE_NONE)
        (*plain)(p, v);
    else if (call->wide)
        (*(call->base < 1024 ? kernels->map64 : kernels->map64_any))(p, v);
    else
        (*kernels->map)(p, v);
    if (call->index_out) (*plain)(p, v);
    for (j = 0; call->group && j < PADICI_SAMPLE_WORDS; j++) v[j] += space[j];
}

static void padici_simd_sample_put(const padici_simd_sample_plan *p,
                                   const padici_simd_sample_kernels *kernels, uint64_t at,
                                   const uint64_t *v, uint32_t n, uint64_t *space)
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
        (*kernels->write)(p, v, out, n);
        return;
    }
    (*kernels->write)(p, v, (char *)space, PADICI_SAMPLE_WORDS);
    if (size == 4)
        for (j = 0; j < n; j++, out += step) memcpy(out, (char *)space + j * 4, 4);
    else
        for (j = 0; j < n; j++, out += step) memcpy(out, space + j, 8);
}

PADICI_FN padic_result padici_simd_sample_loop(padici_simd *simd, void *call_)
{
    padic_sample_call *call = (padic_sample_call *)call_;
    const padici_simd_sample_kernels *kernels = padici_simd_sample_kernels_of(simd->level);
    uint64_t v[PADICI_SAMPLE_WORDS + 8], space[PADICI_SAMPLE_WORDS], bad[2], at;
    padici_simd_sample_plan plan;
    uint32_t n, j;
    if (!kernels || call->count < 32 || call->full || call->base > 65536)
        return PADIC_ERROR_NOT_SUPPORTED;
    if (call->scale >> 32 &&
        (call->mode == PADIC_SAMPLE_MODE_NONE || call->reversed_in || call->index_out))
        return PADIC_ERROR_NOT_SUPPORTED;
    padici_simd_sample_plan_make(&plan, call);
    call->outside = 0;
    for (at = 0; at < call->count; at += n) {
        n = call->count - at < PADICI_SAMPLE_WORDS ? (uint32_t)(call->count - at)
                                                   : PADICI_SAMPLE_WORDS;
        if (plan.ranged) {
            (*kernels->range)(&plan, v);
        } else {
            padici_simd_sample_take(&plan, kernels, at, v, n, bad);
            padici_simd_sample_digits(&plan, kernels, v, space);
            for (j = 0; (bad[0] | bad[1]) && j < PADICI_SAMPLE_WORDS; j++)
                if (bad[j / 64] >> (j % 64) & 1) {
                    call->outside = 1;
                    v[j] = 0;
                }
        }
        padici_simd_sample_put(&plan, kernels, at, v, n, space);
    }
    return PADIC_OK;
}


#endif
// room: src/simd/sparse.c:6
#if PADICI_IMPLEMENT_SIMD && !defined(PADIC_NO_SPARSE)

// ---------------------------------------------------------------------------------------- >>sparse

// Keys are processed in blocks of 64: `find` makes a mask of those to keep, `fill` writes the kept
// entries, whole vectors at a time, so the next block starts inside what the previous one wrote. A
// block is a part of a long row, or a whole short one.

#define PADICI_PICK_BLOCKS 32 // masks made at a time
#define PADICI_PICK_ROWS 128  // short rows at a time

#if PADICI_SIMD_X86 || PADICI_SIMD_ARM
typedef struct padici_simd_sparse_span {
    const uint8_t *key; // 64 of them may be read from the start of each block
    const uint64_t *masks;
    uint32_t blocks, keys; // keys from block to block
    uint64_t first, next;  // column of the first key; columns from block to block
    uint32_t size, index_size;
    uint8_t *col, *value; // room for 64 entries from the start of each block; value may be NULL
} padici_simd_sparse_span;

// Byte k of entry m is the number of the k-th bit of m: a shuffle that moves the bytes selected by
// m.
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
static const uint64_t padici_simd_sparse_bytes[256] = {PADICI_BYTES64(0), PADICI_BYTES64(64),
                                                  PADICI_BYTES64(128), PADICI_BYTES64(192)};

#if PADICI_SIMD_X86
#define PADICI_PICK_ANY PADICI_AVX2 // every level has it
#define PADICI_PICK_POPCOUNT(m) ((uint32_t)_mm_popcnt_u64(m))
#else
#define PADICI_PICK_ANY
#define PADICI_PICK_POPCOUNT(m) ((uint32_t)__builtin_popcountll(m))
#endif

PADICI_INLINE void padici_simd_sparse_entry(const padici_simd_sparse_span *s, uint32_t block,
                                            uint32_t i, uint64_t to, uint32_t size,
                                            uint32_t index_size)
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

// Writes only kept keys; fastest where hardly any block keeps any.
static uint32_t padici_simd_sparse_exact(const padici_simd_sparse_span *s)
{
    uint32_t b, n = 0;
    uint64_t m;
    for (b = 0; b < s->blocks; b++)
        for (m = s->masks[b]; m; m &= m - 1)
            padici_simd_sparse_entry(s, b, padici_ctz64(m), n++, s->size, s->index_size);
    return n;
}

// Few keys per block: four are written whether kept or not, which hardly ever takes a branch.
PADICI_PICK_ANY PADICI_INLINE uint32_t padici_simd_sparse_few_of(
    const padici_simd_sparse_span *span, uint32_t size, uint32_t index_size)
{
    const padici_simd_sparse_span own = *span, *const s = &own; // a copy that no store can change
    uint32_t b, n = 0, i, j;
    for (b = 0; b < s->blocks; b++) {
        uint64_t m = s->masks[b];
        const uint32_t kept = PADICI_PICK_POPCOUNT(m);
        for (j = 0; j < kept || !j; j += 4)
            for (i = 0; i < 4; i++, m &= m - 1)
                padici_simd_sparse_entry(s, b, padici_ctz64(m | UINT64_C(1) << 63), n + j + i, size,
                                         index_size);
        n += kept;
    }
    return n;
}

PADICI_PICK_ANY static uint32_t padici_simd_sparse_few(const padici_simd_sparse_span *s)
{
    switch (s->size + (s->index_size == 8)) {
    case 1: return padici_simd_sparse_few_of(s, 1, 4);
    case 2:
        return s->size == 1 ? padici_simd_sparse_few_of(s, 1, 8)
                            : padici_simd_sparse_few_of(s, 2, 4);
    case 3: return padici_simd_sparse_few_of(s, 2, 8);
    case 4: return padici_simd_sparse_few_of(s, 4, 4);
    case 5: return padici_simd_sparse_few_of(s, 4, 8);
    case 8: return padici_simd_sparse_few_of(s, 8, 4);
    default: return padici_simd_sparse_few_of(s, 8, 8);
    }
}

#endif

#if PADICI_SIMD_X86
// A number of `bits` bits repeated to a word.
PADICI_INLINE uint64_t padici_simd_sparse_spread(uint64_t v, uint32_t bits)
{
    const uint64_t ones = UINT64_MAX >> (64 - bits);
    return (v & ones) * (UINT64_MAX / ones);
}

// Products of bytes, for which there is no instruction, from those of 16-bit lanes.
PADICI_AVX512 PADICI_INLINE __m512i padici_simd_sparse_mul8_avx512(__m512i a, __m512i b)
{
    const __m512i odd = _mm512_mullo_epi16(_mm512_srli_epi16(a, 8), _mm512_srli_epi16(b, 8));
    const __m512i even = _mm512_and_si512(_mm512_mullo_epi16(a, b), _mm512_set1_epi16(255));
    return _mm512_or_si512(_mm512_slli_epi16(odd, 8), even);
}

PADICI_AVX2 PADICI_INLINE __m256i padici_simd_sparse_mul8_avx2(__m256i a, __m256i b)
{
    const __m256i odd = _mm256_mullo_epi16(_mm256_srli_epi16(a, 8), _mm256_srli_epi16(b, 8));
    const __m256i even = _mm256_and_si256(_mm256_mullo_epi16(a, b), _mm256_set1_epi16(255));
    return _mm256_or_si256(_mm256_slli_epi16(odd, 8), even);
}

// The upper bits of the bytes of two halves, lanes in order: 32, 16, 8 or 4 bits.
PADICI_AVX2 PADICI_INLINE uint64_t padici_simd_sparse_bits8_avx2(__m256i x)
{
    return (uint32_t)_mm256_movemask_epi8(x);
}

PADICI_AVX2 PADICI_INLINE uint64_t padici_simd_sparse_bits16_avx2(__m256i x)
{
    const __m128i low = _mm256_castsi256_si128(x), high = _mm256_extracti128_si256(x, 1);
    return (uint32_t)_mm_movemask_epi8(_mm_packs_epi16(low, high));
}

PADICI_AVX2 PADICI_INLINE uint64_t padici_simd_sparse_bits32_avx2(__m256i x)
{
    return (uint32_t)_mm256_movemask_ps(_mm256_castsi256_ps(x));
}

PADICI_AVX2 PADICI_INLINE uint64_t padici_simd_sparse_bits64_avx2(__m256i x)
{
    return (uint32_t)_mm256_movemask_pd(_mm256_castsi256_pd(x));
}

// Prefetches: branches of the fill keep the processor from running ahead by itself. A prefetch
// beyond the end does nothing.
#define PADICI_PICK_AHEAD(key) \
    _mm_prefetch((const char *)((uintptr_t)(key) + 768), _MM_HINT_T0)

#define PADICI_PICK_FIND512(BITS, MUL, AS_BITS) \
    PADICI_AVX512 static uint64_t padici_simd_sparse_find##BITS##_avx512( \
        const padic_sparse_call *call, const uint8_t *key, uint32_t blocks, uint64_t *masks) \
    { \
        const __m512i factor = padici_avx512_all(padici_simd_sparse_spread(call->factor, BITS)); \
        const __m512i bias = padici_avx512_all(padici_simd_sparse_spread(call->bias, BITS)); \
        const __m512i mask = padici_avx512_all(padici_simd_sparse_spread(call->mask, BITS)); \
        const __m512i limit = padici_avx512_all(padici_simd_sparse_spread(call->limit, BITS)); \
        const int times = call->factor != 1; \
        uint64_t kept = 0, m; \
        uint32_t b, j; \
        for (b = 0; b < blocks; b++) { \
            for (m = 0, j = 0; j < BITS; j += 8, key += 64) { \
                __m512i x = padici_avx512_load(key); \
                PADICI_PICK_AHEAD(key); \
                if (times) x = MUL(x, factor); \
                x = _mm512_and_si512(_mm512_add_epi##BITS(x, bias), mask); \
                m |= AS_BITS(_mm512_cmpgt_epu##BITS##_mask(x, limit)) \
                     << (512 / BITS * (j / 8)); \
            } \
            masks[b] = m; \
            kept += (uint64_t)_mm_popcnt_u64(m); \
        } \
        return kept; \
    }

#define PADICI_PICK_FIND256(BITS, MUL) \
    PADICI_AVX2 static uint64_t padici_simd_sparse_find##BITS##_avx2( \
        const padic_sparse_call *call, const uint8_t *key, uint32_t blocks, uint64_t *masks) \
    { \
        const uint64_t sign = padici_simd_sparse_spread(UINT64_C(1) << (BITS - 1), BITS); \
        const __m256i factor = padici_avx2_all(padici_simd_sparse_spread(call->factor, BITS)); \
        const __m256i bias = padici_avx2_all(padici_simd_sparse_spread(call->bias, BITS)); \
        const __m256i mask = padici_avx2_all(padici_simd_sparse_spread(call->mask, BITS)); \
        const __m256i flip = padici_avx2_all(sign); \
        const __m256i limit = \
            padici_avx2_all(padici_simd_sparse_spread(call->limit, BITS) ^ sign); \
        const int times = call->factor != 1; \
        uint64_t kept = 0, m; \
        uint32_t b, j; \
        for (b = 0; b < blocks; b++) { \
            for (m = 0, j = 0; j < BITS; j += 4, key += 32) { \
                __m256i x = padici_avx2_load(key); \
                PADICI_PICK_AHEAD(key); \
                if (times) x = MUL(x, factor); \
                x = _mm256_and_si256(_mm256_add_epi##BITS(x, bias), mask); \
                x = _mm256_cmpgt_epi##BITS(_mm256_xor_si256(x, flip), limit); \
                m |= padici_simd_sparse_bits##BITS##_avx2(x) << (256 / BITS * (j / 4)); \
            } \
            masks[b] = m; \
            kept += (uint64_t)_mm_popcnt_u64(m); \
        } \
        return kept; \
    }

PADICI_PICK_FIND512(8, padici_simd_sparse_mul8_avx512, padici_mask64)
PADICI_PICK_FIND512(16, _mm512_mullo_epi16, padici_mask32)
PADICI_PICK_FIND512(32, _mm512_mullo_epi32, padici_mask16)
PADICI_PICK_FIND512(64, _mm512_mullo_epi64, padici_mask8)
PADICI_PICK_FIND256(8, padici_simd_sparse_mul8_avx2)
PADICI_PICK_FIND256(16, _mm256_mullo_epi16)
PADICI_PICK_FIND256(32, _mm256_mullo_epi32)
PADICI_PICK_FIND256(64, padici_avx2_mul64)

// 8 keys of `size` bytes from p on, with those that the table's entry selects first.
PADICI_AVX2 PADICI_INLINE void padici_simd_sparse_move_avx2(uint8_t *to, const uint8_t *p,
                                                            __m128i entry, __m128i entry4,
                                                            uint32_t n4, uint32_t size)
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

PADICI_AVX2 PADICI_INLINE uint32_t padici_simd_sparse_fill_of_avx2(
    const padici_simd_sparse_span *span, uint32_t size)
{
    const padici_simd_sparse_span own = *span, *const s = &own; // a copy that no store can change
    uint32_t b, i, n = 0;
    for (b = 0; b < s->blocks; b++) {
        const uint8_t *key = s->key + (size_t)b * s->keys * size;
        const uint64_t mask = s->masks[b];
        for (i = 0; i < s->keys; i += 8) {
            const uint32_t m = (uint32_t)(mask >> i) & 255;
            const __m128i entry =
                _mm_loadl_epi64((const __m128i *)(const void *)&padici_simd_sparse_bytes[m]);
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
                padici_simd_sparse_move_avx2(
                    s->value + (size_t)n * size, key + i * size, entry,
                    _mm_loadl_epi64(
                        (const __m128i *)(const void *)&padici_simd_sparse_bytes[m >> 4]),
                    (uint32_t)_mm_popcnt_u32(m & 15), size);
            n += (uint32_t)_mm_popcnt_u32(m);
        }
    }
    return n;
}

PADICI_AVX2 static uint32_t padici_simd_sparse_fill_avx2(const padici_simd_sparse_span *s)
{
    switch (s->size) {
    case 1: return padici_simd_sparse_fill_of_avx2(s, 1);
    case 2: return padici_simd_sparse_fill_of_avx2(s, 2);
    case 4: return padici_simd_sparse_fill_of_avx2(s, 4);
    default: return padici_simd_sparse_fill_of_avx2(s, 8);
    }
}

// Columns 16 k to 16 k + 15 of a block, whose numbers in it are `id`.
PADICI_IFMA PADICI_INLINE void padici_simd_sparse_columns_ifma(uint8_t *col, __m128i id,
                                                               uint64_t first, uint32_t index_size)
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

PADICI_IFMA PADICI_INLINE void padici_simd_sparse_move_ifma(uint8_t *to, const uint8_t *key,
                                                            uint64_t m, uint32_t size)
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

PADICI_IFMA PADICI_INLINE uint32_t padici_simd_sparse_fill_of_ifma(
    const padici_simd_sparse_span *span, uint32_t size)
{
    const padici_simd_sparse_span own = *span, *const s = &own; // a copy that no store can change
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
        padici_simd_sparse_columns_ifma(col, _mm512_castsi512_si128(ids), first, wide);
        if (kept > 16)
            padici_simd_sparse_columns_ifma(col + 16 * wide, _mm512_extracti32x4_epi32(ids, 1),
                                            first, wide);
        if (kept > 32) {
            padici_simd_sparse_columns_ifma(col + 32 * wide, _mm512_extracti32x4_epi32(ids, 2),
                                            first, wide);
            padici_simd_sparse_columns_ifma(col + 48 * wide, _mm512_extracti32x4_epi32(ids, 3),
                                            first, wide);
        }
        if (s->value)
            padici_simd_sparse_move_ifma(s->value + (size_t)n * size,
                                         s->key + (size_t)b * s->keys * size, m, size);
        n += kept;
    }
    return n;
}

PADICI_IFMA static uint32_t padici_simd_sparse_fill_ifma(const padici_simd_sparse_span *s)
{
    switch (s->size) {
    case 1: return padici_simd_sparse_fill_of_ifma(s, 1);
    case 2: return padici_simd_sparse_fill_of_ifma(s, 2);
    case 4: return padici_simd_sparse_fill_of_ifma(s, 4);
    default: return padici_simd_sparse_fill_of_ifma(s, 8);
    }
}
#elif PADICI_SIMD_ARM
// The upper bits of 64 bytes: the bit of each byte in its group of 8, added up pairwise.
PADICI_INLINE uint64_t padici_simd_sparse_bits_neon(const uint8x16_t x[4])
{
    const uint8x16_t own = vreinterpretq_u8_u64(vdupq_n_u64(0x8040201008040201));
    const uint8x16_t a = vpaddq_u8(vandq_u8(x[0], own), vandq_u8(x[1], own));
    const uint8x16_t b = vpaddq_u8(vandq_u8(x[2], own), vandq_u8(x[3], own));
    const uint8x16_t c = vpaddq_u8(a, b);
    return vgetq_lane_u64(vreinterpretq_u64_u8(vpaddq_u8(c, c)), 0);
}

// Masks of `count` vectors narrowed to bytes, to four vectors.
PADICI_INLINE uint64_t padici_simd_sparse_narrow_neon(uint8x16_t *x, uint32_t count)
{
    uint32_t i;
    for (; count > 4; count /= 2)
        for (i = 0; i < count / 2; i++) x[i] = vuzp1q_u8(x[2 * i], x[2 * i + 1]);
    return padici_simd_sparse_bits_neon(x);
}

#define PADICI_PICK_FIND_NEON(BITS, LANES, FROM, TO, MUL) \
    static uint64_t padici_simd_sparse_find##BITS##_neon(const padic_sparse_call *call, \
                                                    const uint8_t *key, uint32_t blocks, \
                                                    uint64_t *masks) \
    { \
        const uint##BITS##x##LANES##_t factor = vdupq_n_u##BITS((uint##BITS##_t)call->factor); \
        const uint##BITS##x##LANES##_t bias = vdupq_n_u##BITS((uint##BITS##_t)call->bias); \
        const uint##BITS##x##LANES##_t mask = vdupq_n_u##BITS((uint##BITS##_t)call->mask); \
        const uint##BITS##x##LANES##_t limit = vdupq_n_u##BITS((uint##BITS##_t)call->limit); \
        const int times = call->factor != 1; \
        uint64_t kept = 0; \
        uint32_t b, j; \
        for (b = 0; b < blocks; b++) { \
            uint8x16_t found[BITS / 2]; \
            for (j = 0; j < BITS / 2; j++, key += 16) { \
                uint##BITS##x##LANES##_t x = FROM(vld1q_u8(key)); \
                if (times) x = MUL(x, factor); \
                x = vandq_u##BITS(vaddq_u##BITS(x, bias), mask); \
                found[j] = TO(vcgtq_u##BITS(x, limit)); \
            } \
            masks[b] = padici_simd_sparse_narrow_neon(found, BITS / 2); \
            kept += padici_popcount64(masks[b]); \
        } \
        return kept; \
    }

#define PADICI_SAME(x) (x)
PADICI_PICK_FIND_NEON(8, 16, PADICI_SAME, PADICI_SAME, vmulq_u8)
PADICI_PICK_FIND_NEON(16, 8, vreinterpretq_u16_u8, vreinterpretq_u8_u16, vmulq_u16)
PADICI_PICK_FIND_NEON(32, 4, vreinterpretq_u32_u8, vreinterpretq_u8_u32, vmulq_u32)
PADICI_PICK_FIND_NEON(64, 2, vreinterpretq_u64_u8, vreinterpretq_u8_u64, padici_neon_mul64)

// 8 keys from p on, with those that the table's entry selects first: byte k of key e is byte size e
// + k of them.
PADICI_INLINE void padici_simd_sparse_move_neon(uint8_t *to, const uint8_t *p, uint64_t entry,
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

PADICI_INLINE void padici_simd_sparse_columns_neon(uint8_t *col, uint64_t entry, uint64_t first,
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

static uint32_t padici_simd_sparse_fill_neon(const padici_simd_sparse_span *s)
{
    uint32_t b, i, n = 0;
    for (b = 0; b < s->blocks; b++) {
        const uint8_t *key = s->key + (size_t)b * s->keys * s->size;
        for (i = 0; i < s->keys; i += 8) {
            const uint32_t m = (uint32_t)(s->masks[b] >> i) & 255;
            padici_simd_sparse_columns_neon(s->col + (size_t)n * s->index_size,
                                            padici_simd_sparse_bytes[m], s->first + b * s->next + i,
                                            s->index_size);
            if (s->value)
                padici_simd_sparse_move_neon(s->value + (size_t)n * s->size, key + i * s->size,
                                             padici_simd_sparse_bytes[m], s->size);
            n += PADICI_PICK_POPCOUNT(m);
        }
    }
    return n;
}
#endif

#if PADICI_SIMD_X86 || PADICI_SIMD_ARM
typedef struct padici_simd_sparse_kernels {
    uint64_t (*find[4])(const padic_sparse_call *call, const uint8_t *key, uint32_t blocks,
                        uint64_t *masks); // of keys of 1, 2, 4, 8 bytes; their bits
    uint32_t (*fill)(const padici_simd_sparse_span *span);
    uint32_t few; // up to this many kept keys per block padici_simd_sparse_few() is faster
} padici_simd_sparse_kernels;

#if PADICI_SIMD_X86
static const padici_simd_sparse_kernels padici_simd_sparse_table[3] = {
    {{padici_simd_sparse_find8_avx2, padici_simd_sparse_find16_avx2, padici_simd_sparse_find32_avx2,
      padici_simd_sparse_find64_avx2},
     padici_simd_sparse_fill_avx2,
     5},
    {{padici_simd_sparse_find8_avx512, padici_simd_sparse_find16_avx512,
      padici_simd_sparse_find32_avx512, padici_simd_sparse_find64_avx512},
     padici_simd_sparse_fill_avx2,
     5},
    {{padici_simd_sparse_find8_avx512, padici_simd_sparse_find16_avx512,
      padici_simd_sparse_find32_avx512, padici_simd_sparse_find64_avx512},
     padici_simd_sparse_fill_ifma,
     0}};
#else
static const padici_simd_sparse_kernels padici_simd_sparse_table[1] = {
    {{padici_simd_sparse_find8_neon, padici_simd_sparse_find16_neon, padici_simd_sparse_find32_neon,
      padici_simd_sparse_find64_neon},
     padici_simd_sparse_fill_neon,
     5}};
#endif

typedef struct padici_simd_sparse_work {
    const padici_simd_sparse_kernels *kernels;
    padic_sparse_call *call;
    uint32_t kind; // of `find`
    int fill;
} padici_simd_sparse_work;

// Writes the `found` kept keys of the blocks of a span: whole vectors as long as they certainly
// fit, the last keys one by one. `whole`: blocks of which 64 keys may be read.
static void padici_simd_sparse_write(const padici_simd_sparse_work *w, padici_simd_sparse_span *s,
                                     uint64_t found, uint32_t whole)
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
        kept = rare || at >= whole || !room ? padici_simd_sparse_exact(s)
               : few                        ? padici_simd_sparse_few(s)
                                            : (*w->kernels->fill)(s);
        call->kept += kept;
        found -= kept;
        s->masks += s->blocks;
        s->key += (size_t)s->blocks * s->keys * s->size;
        s->first += s->blocks * s->next;
    }
}

// Blocks of one row from column `column` on; `last`: the keys of the last block that belong to it.
static void padici_simd_sparse_part(const padici_simd_sparse_work *w, const uint8_t *key,
                                    uint32_t blocks, uint64_t column, uint64_t last)
{
    uint64_t masks[PADICI_PICK_BLOCKS], found;
    padici_simd_sparse_span s;
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
        padici_simd_sparse_write(w, &s, found, blocks);
}

// A row, and how many keys from its start on may be read: a short last block reads into the
// following keys, or is copied to our memory.
static void padici_simd_sparse_row(const padici_simd_sparse_work *w, const uint8_t *key,
                                   uint64_t readable)
{
    const uint64_t cols = w->call->cols, last = UINT64_MAX >> (63 - (cols - 1) % 64);
    const uint64_t blocks = ((cols + 63) / 64 * 64 <= readable ? cols + 63 : cols) / 64;
    const uint32_t size = w->call->size;
    uint64_t c, space[64];
    uint32_t n;
    for (c = 0; c < blocks; c += n) {
        n = blocks - c < PADICI_PICK_BLOCKS ? (uint32_t)(blocks - c) : PADICI_PICK_BLOCKS;
        padici_simd_sparse_part(w, key + (size_t)(c * 64 * size), n, c * 64,
                                (c + n) * 64 < cols ? UINT64_MAX : last);
    }
    if (blocks * 64 >= cols) return;
    memset(space, 0, sizeof space);
    memcpy(space, key + (size_t)(blocks * 64 * size), (size_t)(cols - blocks * 64) * size);
    padici_simd_sparse_part(w, (const uint8_t *)space, 1, blocks * 64, last);
}

// Starts row r of the call.
PADICI_INLINE void padici_simd_sparse_pointer(const padic_sparse_call *call, uint64_t r)
{
    const uint64_t before = call->start + call->kept;
    const uint32_t half = (uint32_t)before;
    if (call->row_ptr && call->index_size == 4)
        memcpy((uint8_t *)call->row_ptr + (size_t)r * 4, &half, 4);
    else if (call->row_ptr)
        memcpy((uint8_t *)call->row_ptr + (size_t)r * 8, &before, 8);
}

// Consecutive rows of up to 64 keys, as many as have their masks at a time.
PADICI_PICK_ANY static void padici_simd_sparse_short(const padici_simd_sparse_work *w)
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
        padici_simd_sparse_span s;
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
            padici_simd_sparse_pointer(call, r++);
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
        padici_simd_sparse_write(w, &s, at, whole < n ? (uint32_t)whole : n);
    }
}
#endif

static padic_result padici_simd_sparse(uint32_t level, padic_sparse_call *call, int fill)
{
#if PADICI_SIMD_X86 || PADICI_SIMD_ARM
    padici_simd_sparse_work w;
    uint64_t r;
    const int flat = call->cols <= 64 && call->stride == call->cols;
    if (!call->cols || (call->cols < 32 && !flat)) // generic loops are faster
        return PADIC_ERROR_NOT_SUPPORTED;
    w.kernels = &padici_simd_sparse_table[PADICI_SIMD_X86 ? level - PADICI_SIMD_AVX2 : 0];
    w.call = call;
    w.kind = call->size == 8 ? 3 : call->size / 2;
    w.fill = fill;
    call->kept = 0;
    if (flat) padici_simd_sparse_short(&w);
    for (r = 0; !flat && r < call->rows; r++) {
        padici_simd_sparse_pointer(call, r);
        padici_simd_sparse_row(
            &w, (const uint8_t *)call->key + (size_t)(r * call->stride * call->size),
            call->stride == call->cols ? (call->rows - r) * call->cols : call->cols);
    }
    return PADIC_OK;
#else
    (void)level;
    (void)call;
    (void)fill;
    return PADIC_ERROR_NOT_SUPPORTED;
#endif
}

PADICI_FN padic_result padici_simd_sparse_count_loop(padici_simd *simd, void *call)
{
    return padici_simd_sparse(simd->level, (padic_sparse_call *)call, 0);
}

PADICI_FN padic_result padici_simd_sparse_fill_loop(padici_simd *simd, void *call)
{
    return padici_simd_sparse(simd->level, (padic_sparse_call *)call, 1);
}

#undef PADICI_PICK_BLOCKS
#undef PADICI_PICK_ROWS
#undef PADICI_NTH
#undef PADICI_NTH4
#undef PADICI_BYTES1
#undef PADICI_BYTES4
#undef PADICI_BYTES16
#undef PADICI_BYTES64
#undef PADICI_PICK_ANY
#undef PADICI_PICK_POPCOUNT
#undef PADICI_PICK_AHEAD
#undef PADICI_PICK_FIND512
#undef PADICI_PICK_FIND256
#undef PADICI_PICK_FIND_NEON
#undef PADICI_SAME

#endif
// room: src/simd/backend.c:24
#if PADICI_IMPLEMENT_SIMD

// -------------------------------------------------------------------------------------- >>backend

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

// Vectorised operations and loops, the rows of src/ops.def with vectors: padici_simd_name(simd,
// desc) returns NOT_SUPPORTED where the generic loop is better, before it touches memory.
#if PADICI_SIMD_X86 || PADICI_SIMD_ARM
#define PADICI_SIMD_ROWS(X) PADICI_OPS_HERE(X)
#else // only rows that have a generic implementation of their own
#define PADICI_SIMD_ROWS(X)                                                                 \
    PADICI_OPS_SAMPLE_HERE(X) PADICI_OPS_NUM_HERE(X) PADICI_OPS_SPARSE_HERE(X)              \
    PADICI_OPS_CODEC_HERE(X)
#endif

#define PADICI_SIMD_RUN_0(name, given)
#define PADICI_SIMD_RUN_1(name, given)
#define PADICI_SIMD_RUN_2(name, given)                                                      \
    static padic_result padici_simd_run_##name(padic_device *device, uint32_t op, void *desc, \
                                               const padic_mem *mem)                        \
    {                                                                                       \
        padici_simd *simd = (padici_simd *)(void *)device;                                  \
        (void)op;                                                                           \
        (void)mem;                                                                          \
        return simd->level == PADICI_SIMD_NONE ? PADIC_ERROR_NOT_SUPPORTED                  \
                                               : padici_simd_##name(simd, given desc);      \
    }
#define PADICI_SIMD_RUN_3(name, given) PADICI_SIMD_RUN_2(name, given)
#define PADICI_SIMD_GIVEN_CALL(name) (padic_##name##_desc *)
#define PADICI_SIMD_GIVEN_QUICK(name) (padic_##name##_desc *)
#define PADICI_SIMD_GIVEN_TASK(name) (padici_##name##_task *)
#define PADICI_SIMD_GIVEN_LOOP(name)
#define PADICI_SIMD_RUN(number, NAME, name, kind, by, rules) \
    PADICI_SIMD_RUN_##by(name, PADICI_SIMD_GIVEN_##kind(name))
PADICI_SIMD_ROWS(PADICI_SIMD_RUN)

#define PADICI_SIMD_ROW_0(NAME, name)
#define PADICI_SIMD_ROW_1(NAME, name)
#define PADICI_SIMD_ROW_2(NAME, name) {PADIC_OP_##NAME, NULL, padici_simd_run_##name},
#define PADICI_SIMD_ROW_3(NAME, name) PADICI_SIMD_ROW_2(NAME, name)
#define PADICI_SIMD_ROW(number, NAME, name, kind, by, rules) PADICI_SIMD_ROW_##by(NAME, name)
static const padic_backend_op padici_simd_ops[] = {
    PADICI_SIMD_ROWS(PADICI_SIMD_ROW){PADIC_OP_NONE, NULL, NULL}};

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
                                                  padici_simd_ops,
                                                  sizeof padici_simd_ops /
                                                      sizeof *padici_simd_ops - 1,
                                                  PADIC_BACKEND_HOST | PADIC_BACKEND_PLAIN,
                                                  NULL,
                                                  NULL,
                                                  NULL,
                                                  NULL};

PADIC_API const padic_backend *padic_simd(void)
{
    return &padici_simd_backend;
}

#undef PADICI_SIMD_ROWS
#undef PADICI_SIMD_RUN_0
#undef PADICI_SIMD_RUN_1
#undef PADICI_SIMD_RUN_2
#undef PADICI_SIMD_RUN_3
#undef PADICI_SIMD_GIVEN_CALL
#undef PADICI_SIMD_GIVEN_QUICK
#undef PADICI_SIMD_GIVEN_TASK
#undef PADICI_SIMD_GIVEN_LOOP
#undef PADICI_SIMD_RUN
#undef PADICI_SIMD_ROW_0
#undef PADICI_SIMD_ROW_1
#undef PADICI_SIMD_ROW_2
#undef PADICI_SIMD_ROW_3
#undef PADICI_SIMD_ROW

#endif
// room: src/simd/num/calls.c:7
#if PADICI_IMPLEMENT_SIMD && !defined(PADIC_NO_NUM)

// --------------------------------------------------------------------------------- >>number calls

// A few elements, for the end of a call and for operands of one element.
typedef struct padici_simd_num_tail {
    uint64_t unit[4][PADICI_SIMD_NUM_TAIL];
    int32_t val[4][PADICI_SIMD_NUM_TAIL], other[PADICI_SIMD_NUM_TAIL];
    uint8_t status[PADICI_SIMD_NUM_TAIL];
} padici_simd_num_tail;

// The kind of a kernel. 0: odd p, P < 2^49; 1: P is a power of two; 2: odd p, P < 2^64.
PADICI_FN int padici_simd_num_kind(const padic_num_ring *r)
{
    return r->form == PADIC_NUM_B2 ? 1 : r->form == PADIC_NUM_W64 ? 2 : 0;
}

// Copies elements [first, first + n) of a plane, or its scalar n times; units up to `lanes` are
// padded with 1.
PADICI_FN void padici_simd_num_tail_in(const padic_num_call *call, padic_num_planes *p,
                                       uint64_t first, uint32_t n, uint32_t lanes, uint64_t *unit,
                                       int32_t *val)
{
    uint32_t i;
    for (i = 0; i < lanes; i++) {
        const uint64_t from = p->scalar ? 0 : first + i;
        const uint64_t u = i < n ? padici_num_word(call->ring, p->unit, from) : 1;
        padici_num_word_set(call->ring, unit, i, u);
        if (p->val) val[i] = i < n ? ((const int32_t *)p->val)[from] : 0;
    }
    p->unit = unit;
    if (p->val) p->val = val;
}

// Runs a kernel that takes whole vectors of non-scalar operands over any call.
PADICI_FN uint32_t padici_simd_num_drive(const padic_num_call *call, uint32_t lanes,
                                         padici_simd_num_kernel kernel)
{
    const size_t size = call->ring->unit_size;
    const uint32_t scalars = call->a.scalar | call->b.scalar | call->c.scalar;
    uint64_t first = scalars ? 0 : call->count - call->count % lanes;
    uint32_t bits = 0, i, filled = 0;
    padici_simd_num_tail rest;
    padic_num_call part;
    if (call->count && first == call->count) return (*kernel)(call);
    part = *call;
    part.count = first;
    memset(rest.status, 0, sizeof rest.status);
    if (first) bits = (*kernel)(&part);
    for (; first < call->count; first += PADICI_SIMD_NUM_TAIL) {
        const uint64_t left = call->count - first;
        const uint32_t n = left < PADICI_SIMD_NUM_TAIL ? (uint32_t)left : PADICI_SIMD_NUM_TAIL;
        const uint32_t whole = (n + lanes - 1) / lanes * lanes;
        const padic_num_planes *const from[4] = {&call->out, &call->a, &call->b, &call->c};
        padic_num_planes *const to[4] = {&part.out, &part.a, &part.b, &part.c};
        for (i = 0; i < 4; i++) {
            if (!from[i]->unit || (from[i]->scalar && filled)) continue;
            *to[i] = *from[i];
            if (from[i]->scalar) {
                padici_simd_num_tail_in(call, to[i], 0, PADICI_SIMD_NUM_TAIL, PADICI_SIMD_NUM_TAIL,
                                        rest.unit[i], rest.val[i]);
            } else if (n < whole) {
                padici_simd_num_tail_in(call, to[i], first, n, whole, rest.unit[i], rest.val[i]);
            } else {
                padici_num_advance(call->ring, to[i], first);
            }
        }
        filled = 1;
        part.count = whole;
        part.status = n < whole || !call->status ? rest.status : call->status + first;
        if (call->other[0])
            part.other[0] = n < whole ? rest.other : (int32_t *)call->other[0] + first;
        (*kernel)(&part);
        for (i = 0; i < n; i++) bits |= part.status[i];
        if (n == whole) continue;
        if (call->out.unit) memcpy((char *)call->out.unit + first * size, part.out.unit, n * size);
        if (call->out.val)
            memcpy((int32_t *)call->out.val + first, part.out.val, n * sizeof(int32_t));
        if (call->status) memcpy(call->status + first, part.status, n);
        if (call->other[0])
            memcpy((int32_t *)call->other[0] + first, part.other[0], n * sizeof(int32_t));
    }
    return bits;
}

// Elements [first, first + n) by the generic loop, for the few that a kernel cannot do.
PADICI_FN uint32_t padici_simd_num_plain(const padic_num_call *call, uint64_t first, uint64_t n,
                                         void (*loop)(padic_num_call *call))
{
    padic_num_call part = *call;
    padici_num_advance(call->ring, &part.out, first);
    padici_num_advance(call->ring, &part.a, first);
    padici_num_advance(call->ring, &part.b, first);
    padici_num_advance(call->ring, &part.c, first);
    if (part.status) part.status += first;
    if (part.other[0]) part.other[0] = (char *)part.other[0] + first * padic_dtype_size(part.dtype);
    if (part.other[1]) // exponents, denominators, or valuations
        part.other[1] = (char *)part.other[1] +
                        first * (part.op == PADIC_OP_NUM_FROM_FLOAT    ? 2
                                 : part.op == PADIC_OP_NUM_TO_RATIONAL ? 8
                                                                               : 4);
    part.first += first;
    part.count = n;
    part.bits = 0;
    (*loop)(&part);
    return part.bits;
}

// A kernel for whole vectors, and the generic loop for the remaining elements.
PADICI_FN void padici_simd_num_ends(padic_num_call *call, uint32_t lanes,
                                    padici_simd_num_kernel kernel, void (*loop)(padic_num_call *))
{
    const uint64_t count = call->count, rest = count % lanes;
    call->count = count - rest;
    if (call->count) call->bits |= (*kernel)(call);
    if (rest) call->bits |= padici_simd_num_plain(call, count - rest, rest, loop);
    call->count = count;
}

// FLOAT, long residues, one tile after the other: by `kernel` where all numbers are finite and not
// 0, valuations of terms equal and no sum divisible by p; otherwise by the generic loop.
PADICI_FN void padici_simd_num_tiles(padic_num_call *call, padici_simd_num_kernel kernel,
                                     void (*loop)(padic_num_call *))
{
    const padic_num_ring *r = call->ring;
    const uint32_t op = call->op;
    const int32_t limit = call->out.val16 ? PADIC_NUM_MAX_VALUATION16 : PADIC_NUM_MAX_VALUATION;
    uint64_t first;
    for (first = 0; first < call->count; first += 32) {
        padic_num_call part = *call;
        int32_t val[32];
        uint32_t i, n = call->count - first < 32 ? (uint32_t)(call->count - first) : 0;
        padici_num_advance(r, &part.out, first);
        padici_num_advance(r, &part.a, first);
        padici_num_advance(r, &part.b, first);
        part.count = 32;
        for (i = 0; !n && i < 32; i++) {
            const int32_t a = padici_num_val_load(&part.a, i);
            const int32_t b = op == PADIC_OP_NUM_NEG ? a : padici_num_val_load(&part.b, i);
            val[i] = a;
            if (!padici_num_val_finite(a) || !padici_num_val_finite(b)) {
                n = 32;
            } else if (op == PADIC_OP_NUM_MUL) {
                val[i] += b;
            } else if (op != PADIC_OP_NUM_NEG) {
                const uint64_t x = r->unit_size == 4 ? ((const uint32_t *)part.a.unit)[i]
                                                     : ((const uint64_t *)part.a.unit)[i];
                const uint64_t y = r->unit_size == 4 ? ((const uint32_t *)part.b.unit)[i]
                                                     : ((const uint64_t *)part.b.unit)[i];
                const uint64_t sum = op == PADIC_OP_NUM_ADD ? x + y : x + r->base - y;
                if (a != b || sum % r->p == 0) n = 32;
            }
            if (val[i] > limit || val[i] < -limit) n = 32;
        }
        if (n) {
            call->bits |= padici_simd_num_plain(call, first, n, loop);
            continue;
        }
        (*kernel)(&part);
        for (i = 0; i < 32; i++) padici_num_val_store(&part.out, i, val[i]);
        if (call->status) memset(call->status + first, 0, 32);
    }
}

// FLOAT dot product: lanes of chunks in vectors, their sums and those of the chunks as in
// padici_sum_loop. NOT_SUPPORTED, with nothing written, if there is a special element.
PADICI_FN padic_result padici_simd_num_dot(padic_num_call *call, padici_simd_num_lanes lanes)
{
    enum { CHUNK = 4096, LEVELS = 38, LANE_LEVELS = 7, TEMPS = 20 };
    uint64_t local[LEVELS + LANE_LEVELS + TEMPS], unit[32], first;
    uint64_t *const temp = local + LEVELS + LANE_LEVELS;
    int32_t val[32];
    padici_num_reduction chunks, part;
    padici_num_cell x;
    uint32_t bits = 0, i;
    for (i = 0; i < LEVELS; i++) chunks.level[i].u = local + i;
    for (i = 0; i < LANE_LEVELS; i++) part.level[i].u = local + LEVELS + i;
    chunks.count = chunks.depth = 0;
    x.n = call->ring->precision;
    for (first = 0; first < call->count; first += CHUNK) {
        const uint64_t end = call->count - first < CHUNK ? call->count : first + CHUNK;
        if (!(*lanes)(call, first, end, unit, val, &bits)) return PADIC_ERROR_NOT_SUPPORTED;
        part.count = part.depth = 0;
        for (i = 0; i < 32; i++) {
            x.u = unit + i;
            x.v = val[i];
            x.bits = 0;
            padici_num_reduce_push(call, &part, &x, temp);
        }
        padici_num_reduce_push(call, &chunks, &part.level[0], temp);
    }
    while (chunks.depth > 1) padici_num_reduce_merge(call, &chunks, temp);
    chunks.level[0].bits |= bits;
    call->out = call->c;
    padici_num_cell_store(call, 0, &chunks.level[0]);
    return PADIC_OK;
}

// Systems and determinants.
PADICI_FN padic_result padici_simd_num_systems_loop(padici_simd *simd, const void *systems)
{
    const padic_num_systems *s = (const padic_num_systems *)systems;
    const uint32_t level = simd->level;
    (void)level;
    if (s->n < 3 || s->n > 8 || s->count > PADIC_NUM_SYSTEMS) return PADIC_ERROR_NOT_SUPPORTED;
#if PADICI_SIMD_X86
    if (level >= PADICI_SIMD_AVX512) return padici_simd_num_systems_avx512(s);
    if (level == PADICI_SIMD_AVX2) return padici_simd_num_systems_avx2(s);
#elif PADICI_SIMD_ARM
    if (level == PADICI_SIMD_NEON) return padici_simd_num_systems_neon(s);
#endif
    return PADIC_ERROR_NOT_SUPPORTED;
}

PADICI_FN padic_result padici_simd_num_loop(padici_simd *simd, void *call_)
{
    padic_num_call *call = (padic_num_call *)call_;
    const uint32_t level = simd->level, op = call->op;
    const padic_num_ring *r = call->ring;
    if (r->form != PADIC_NUM_RX &&
        (call->model == PADIC_NUM_BALL || call->out.val16 | call->a.val16 | call->b.val16 |
                                              call->c.val16))
        return PADIC_ERROR_NOT_SUPPORTED;
    if (r->p == 2 && r->form != PADIC_NUM_B2 && r->form < PADIC_NUM_W128)
        return PADIC_ERROR_NOT_SUPPORTED;
    // 1 if the generic loop is faster: series of one digit, and sums of 64 bits without unsigned
    // compares.
    if (r->precision == 1 && (op == PADIC_OP_NUM_EXP || op == PADIC_OP_NUM_LOG))
        return PADIC_ERROR_NOT_SUPPORTED;
    if (r->form == PADIC_NUM_W64 && call->model == PADIC_NUM_FLOAT && level < PADICI_SIMD_AVX512 &&
        (op == PADIC_OP_NUM_ADD || op == PADIC_OP_NUM_SUB))
        return PADIC_ERROR_NOT_SUPPORTED;
#if PADICI_SIMD_X86
    if (level == PADICI_SIMD_IFMA) return padici_simd_num_call_ifma(call);
    if (level == PADICI_SIMD_AVX512) return padici_simd_num_call_avx512(call);
    if (level == PADICI_SIMD_AVX2) return padici_simd_num_call_avx2(call);
#elif PADICI_SIMD_ARM
    if (level == PADICI_SIMD_NEON) return padici_simd_num_call_neon(call);
#endif
    return PADIC_ERROR_NOT_SUPPORTED;
}

#endif
// room: src/simd/codec/all.c:8
#if PADICI_IMPLEMENT_SIMD && !defined(PADIC_NO_CODEC) && (PADICI_SIMD_X86 || PADICI_SIMD_ARM)

// ------------------------------------------------------------------------------- >>codec, all CPUs

// The end of a checksum after `words` words, mixed with the size.
PADICI_FN uint64_t padici_simd_codec_checksum_end(const uint8_t *data, size_t size, size_t words,
                                                  uint64_t seed)
{
    uint64_t key = (seed + 1) * UINT64_C(0xd1342543de82ef95), sum = 0;
    key += words * UINT64_C(0x9e3779b97f4a7c15);
    for (; words < size / 8; words++, key += UINT64_C(0x9e3779b97f4a7c15))
        sum += padici_mix(padici_load64(data + 8 * words) ^ key);
    if (size % 8) {
        uint8_t last[8] = {0, 0, 0, 0, 0, 0, 0, 0};
        memcpy(last, data + 8 * words, size % 8);
        sum += padici_mix(padici_load64(last) ^ key);
    }
    return sum + padici_mix(size ^ ~seed);
}

PADICI_FN void padici_simd_codec_pairs_make(padici_simd_codec_pairs *pairs, uint32_t width)
{
    uint32_t k, b;
    for (k = 0; k < 4; k++) {
        const uint32_t first = 2 * k * width % 8, second = first + width;
        pairs->at[k] = (uint8_t)(2 * k * width / 8);
        pairs->shift[2 * k] = first;
        pairs->shift[2 * k + 1] = second % 8;
        for (b = 0; b < 8; b++) {
            pairs->take[k][b] = (uint8_t)b;
            pairs->take[k][8 + b] = (uint8_t)(second / 8 + b);
        }
    }
}

#endif

#if PADICI_IMPLEMENT_SIMD && !defined(PADIC_NO_CODEC)

// Replaces the loops that a level has; the others stay generic.
PADICI_FN padic_result padici_simd_codec_loops(padici_simd *simd, void *loops_)
{
    padici_codec_loops *loops = (padici_codec_loops *)loops_;
#if PADICI_SIMD_X86
    padici_simd_codec_loops_avx2(loops);
    if (simd->level >= PADICI_SIMD_AVX512) padici_simd_codec_loops_avx512(loops);
    if (simd->level >= PADICI_SIMD_AVX512) padici_simd_codec_pack_avx512(loops);
    if (simd->level >= PADICI_SIMD_IFMA) padici_simd_codec_unpack_vbmi(loops);
    return PADIC_OK;
#elif PADICI_SIMD_ARM
    (void)simd;
    padici_simd_codec_loops_neon(loops);
    return PADIC_OK;
#else
    (void)simd;
    (void)loops;
    return PADIC_ERROR_NOT_SUPPORTED;
#endif
}

#endif
// room: src/simd/codec/transforms.c:3
#if PADICI_IMPLEMENT_SIMD && !defined(PADIC_NO_CODEC) && PADICI_SIMD_X86

// 1 if the transform has no vector loop: shifts, bf16 lattices, and factors that could make a NaN,
// whose bits depend on the instruction.
PADICI_FN int padici_simd_codec_plain_transform(const padici_codec_transform *transform,
                                                padic_dtype dtype)
{
    const double g = padici_codec_double_of(transform->g), o = padici_codec_double_of(transform->o);
    if (transform->kind == PADICI_CODEC_TRANSFORM_BITS) return transform->shift != 0;
    if (transform->kind == PADICI_CODEC_TRANSFORM_FIELDS) return 0;
    return dtype == PADIC_BF16 || !(g - g == 0) || !(o - o == 0) || g == 0;
}

// A difference below this is within the tolerance; others are decided one by one.
PADICI_FN double padici_simd_codec_within(const padici_codec_tolerance *tolerance)
{
    return tolerance->mode == PADIC_CODEC_TOLERANCE_ABSOLUTE ||
                   tolerance->mode == PADIC_CODEC_TOLERANCE_RANGE
               ? tolerance->absolute
               : 0;
}

#endif
// room: src/simd/codec/stretches.c:4
#if PADICI_IMPLEMENT_SIMD && !defined(PADIC_NO_CODEC) && PADICI_SIMD_X86

// rANS with contexts: transposes rows of 32 lanes, one per step, to stretches.

// 1 if the rows of all steps fit, and no step depends on itself.
PADICI_FN int padici_simd_codec_rows_fit(const padici_codec_context_plan *plan, size_t n,
                                         size_t room)
{
    const size_t length = plan->length;
    if (length < 32 || length > room / 32 || 32 * length + 64 > room || n < length) return 0;
    return !plan->a || (plan->a % length && (!plan->b || plan->b % length));
}

// 16 rows to 16 bytes of 32 stretches, or to `left` bytes.
PADICI_AVX2 static void padici_simd_codec_turn(const uint8_t *rows, uint8_t *data, size_t length,
                                               size_t left)
{
    __m256i four[4][4]; // rows 4 g to 4 g + 3 of lanes 4 t to 4 t + 3 and 16 after them
    uint32_t g, t, k;
    for (g = 0; g < 4; g++) {
        const __m256i a = padici_avx2_load(rows + 128 * g);
        const __m256i b = padici_avx2_load(rows + 128 * g + 32);
        const __m256i c = padici_avx2_load(rows + 128 * g + 64);
        const __m256i d = padici_avx2_load(rows + 128 * g + 96);
        const __m256i ab = _mm256_unpacklo_epi8(a, b), cd = _mm256_unpacklo_epi8(c, d);
        const __m256i ab_high = _mm256_unpackhi_epi8(a, b), cd_high = _mm256_unpackhi_epi8(c, d);
        four[g][0] = _mm256_unpacklo_epi16(ab, cd);
        four[g][1] = _mm256_unpackhi_epi16(ab, cd);
        four[g][2] = _mm256_unpacklo_epi16(ab_high, cd_high);
        four[g][3] = _mm256_unpackhi_epi16(ab_high, cd_high);
    }
    for (t = 0; t < 4; t++) {
        const __m256i a = _mm256_unpacklo_epi32(four[0][t], four[1][t]);
        const __m256i b = _mm256_unpackhi_epi32(four[0][t], four[1][t]);
        const __m256i c = _mm256_unpacklo_epi32(four[2][t], four[3][t]);
        const __m256i d = _mm256_unpackhi_epi32(four[2][t], four[3][t]);
        __m256i lane[4];
        lane[0] = _mm256_unpacklo_epi64(a, c);
        lane[1] = _mm256_unpackhi_epi64(a, c);
        lane[2] = _mm256_unpacklo_epi64(b, d);
        lane[3] = _mm256_unpackhi_epi64(b, d);
        for (k = 0; k < 8; k++) {
            const size_t at = (4 * t + k % 4 + k / 4 * 16) * length;
            const __m128i v = k < 4 ? _mm256_castsi256_si128(lane[k % 4])
                                    : _mm256_extracti128_si256(lane[k % 4], 1);
            uint8_t bytes[16];
            if (at + 16 <= left) {
                _mm_storeu_si128((__m128i *)(void *)(data + at), v);
            } else if (at < left) {
                _mm_storeu_si128((__m128i *)(void *)bytes, v);
                memcpy(data + at, bytes, left - at);
            }
        }
    }
}

PADICI_FN PADICI_AVX2 void padici_simd_codec_stretches(const uint8_t *rows, uint8_t *data,
                                                       size_t steps, size_t length, size_t n)
{
    size_t k;
    for (k = 0; k + 16 <= steps; k += 16)
        padici_simd_codec_turn(rows + 32 * k, data + k, length, n - k);
    for (; k < steps; k++) {
        size_t lane, i = k;
        for (lane = 0; i < n; lane++, i += length) data[i] = rows[32 * k + lane];
    }
}

#endif
// room: src/simd/codec/pack_avx512.c:16
#if PADICI_IMPLEMENT_SIMD && !defined(PADIC_NO_CODEC) && PADICI_SIMD_X86

// ---- AVX-512, packing

PADICI_AVX512 PADICI_INLINE __m512i padici_simd_codec_step(const uint64_t *x, size_t stride,
                                                           __mmask8 lanes, int zigzag,
                                                           int exclusive)
{
    const __m512i a = _mm512_maskz_loadu_epi64(lanes, x);
    const __m512i b = _mm512_maskz_loadu_epi64(lanes, x - stride);
    const __m512i r = exclusive ? _mm512_xor_si512(a, b) : _mm512_sub_epi64(a, b);
    return zigzag ? padici_avx512_fold(r) : r;
}

PADICI_AVX512 PADICI_INLINE void padici_simd_codec_difference_loop(const uint64_t *x, uint64_t *to,
                                                                   size_t n,
                                                                   const padici_codec_op *op,
                                                                   int zigzag, int exclusive)
{
    const size_t stride = op->stride, segment = op->segment;
    size_t from, i;
    if (segment < 96) { // in descending order, too
        const __m512i size = padici_avx512_all(segment), first = padici_avx512_all(stride);
        const __m512i by = padici_avx512_all(segment - 8 % segment);
        size_t left = n;
        __m512i place = padici_simd_codec_places((n + 8 * segment - 8) % segment, segment);
        while (left) {
            const size_t at = left >= 8 ? left - 8 : 0;
            const __mmask8 there = (__mmask8)(0xffu >> (at + 8 - left));
            __m512i a, b;
            if (left < 8) place = padici_simd_codec_places(0, segment);
            a = _mm512_maskz_loadu_epi64(there, x + at);
            b = _mm512_maskz_loadu_epi64(there & _mm512_cmpge_epu64_mask(place, first),
                                         x + at - stride);
            a = exclusive ? _mm512_xor_si512(a, b) : _mm512_sub_epi64(a, b);
            _mm512_mask_storeu_epi64(to + at, there, zigzag ? padici_avx512_fold(a) : a);
            place = padici_simd_codec_behind(place, by, size);
            left = at;
        }
        return;
    }
    for (from = 0; from < n; from += segment) {
        const size_t end = padici_codec_least(from + segment, n);
        const size_t edge = padici_codec_least(from + stride, end);
        for (i = end; i >= edge + 8; i -= 8)
            padici_avx512_store(to + i - 8,
                                padici_simd_codec_step(x + i - 8, stride, 0xff, zigzag, exclusive));
        if (i > edge) {
            const __mmask8 rest = (__mmask8)((1u << (i - edge)) - 1);
            _mm512_mask_storeu_epi64(
                to + edge, rest,
                padici_simd_codec_step(x + edge, stride, rest, zigzag, exclusive));
        }
        for (i = from; i < edge; i++) to[i] = zigzag ? padici_codec_fold(x[i]) : x[i];
    }
}

PADICI_AVX512 static void padici_simd_codec_difference_avx512(const uint64_t *x, uint64_t *to,
                                                              size_t n, const padici_codec_op *op,
                                                              int zigzag, int exclusive)
{
    if (exclusive)
        padici_simd_codec_difference_loop(x, to, n, op, 0, 1);
    else if (zigzag)
        padici_simd_codec_difference_loop(x, to, n, op, 1, 0);
    else
        padici_simd_codec_difference_loop(x, to, n, op, 0, 0);
}

PADICI_AVX512 static uint64_t padici_simd_codec_least_avx512(const uint64_t *x, size_t n,
                                                             uint64_t *differ)
{
    const __m512i first = padici_avx512_all(x[0]);
    __m512i low = first, all = _mm512_setzero_si512();
    uint64_t rest, least;
    size_t i;
    for (i = 0; i + 8 <= n; i += 8) {
        const __m512i v = padici_avx512_load(x + i);
        low = _mm512_min_epi64(low, v);
        all = _mm512_or_si512(all, _mm512_xor_si512(v, first));
    }
    *differ = (uint64_t)_mm512_reduce_or_epi64(all);
    least = (uint64_t)_mm512_reduce_min_epi64(low);
    if (i == n) return least;
    low = padici_avx512_all(padici_codec_least_word(x + i, n - i, &rest));
    *differ |= rest | (x[i] ^ x[0]);
    rest = (uint64_t)_mm512_reduce_min_epi64(low);
    return (int64_t)rest < (int64_t)least ? rest : least;
}

PADICI_AVX512 static size_t padici_simd_codec_runs_avx512(const uint64_t *z, size_t n)
{
    size_t i, runs = 1;
    for (i = 1; i + 8 <= n; i += 8)
        runs += (size_t)_mm_popcnt_u32((uint32_t)padici_mask8(_mm512_cmpneq_epi64_mask(
            padici_avx512_load(z + i), padici_avx512_load(z + i - 1))));
    return i < n ? runs + padici_codec_count_runs(z + i - 1, n - i + 1) - 1 : runs;
}

// A mask of the 256 bytes of `lengths` that are at least `width`.
PADICI_AVX512 PADICI_INLINE uint64_t padici_simd_codec_wide(const uint8_t *lengths, uint32_t width)
{
    return (uint64_t)padici_mask64(_mm512_cmpge_epu8_mask(padici_avx512_load(lengths),
                                                          _mm512_set1_epi8((char)width)));
}

PADICI_AVX512 static size_t padici_simd_codec_group_avx512(const uint64_t *z, size_t from,
                                                           size_t to, uint8_t *chosen,
                                                           uint64_t *gaps, uint64_t *high,
                                                           size_t count, size_t *before)
{
    uint8_t lengths[PADICI_CODEC_GROUP];
    uint32_t width, best, above = 0, k;
    uint32_t cost = 0xffffffffu;
    __m512i all = _mm512_setzero_si512();
    size_t i;
    if (to - from != PADICI_CODEC_GROUP)
        return padici_codec_fixed_group(z, from, to, chosen, gaps, high, count, before);
    for (i = 0; i < PADICI_CODEC_GROUP; i += 8) {
        const __m512i v = padici_avx512_load(z + from + i);
        const __m512i length = _mm512_sub_epi64(_mm512_set1_epi64(64), _mm512_lzcnt_epi64(v));
        all = _mm512_or_si512(all, v);
        _mm_storel_epi64((__m128i *)(void *)(lengths + i), _mm512_cvtepi64_epi8(length));
    }
    width = best = padici_codec_bit_length((uint64_t)_mm512_reduce_or_epi64(all));
    for (;; width--) {
        const uint32_t here = PADICI_CODEC_GROUP * width + 12 * above;
        if (8 * above > PADICI_CODEC_GROUP) break;
        if (here <= cost) cost = here, best = width;
        if (width == 0) break;
        for (above = 0, k = 0; k < PADICI_CODEC_GROUP; k += 64)
            above += (uint32_t)_mm_popcnt_u64(padici_simd_codec_wide(lengths + k, width));
    }
    *chosen = (uint8_t)best;
    for (k = 0; k < PADICI_CODEC_GROUP && best < 64; k += 64) {
        uint64_t over = padici_simd_codec_wide(lengths + k, best + 1);
        for (; over; over &= over - 1) {
            i = from + k + padici_ctz64(over);
            gaps[count] = i - *before;
            high[count++] = z[i] >> best;
            *before = i + 1;
        }
    }
    return count;
}

PADICI_AVX512 static uint64_t padici_simd_codec_tokens_avx512(const uint64_t *z, size_t n,
                                                              uint32_t m, uint8_t *tokens,
                                                              uint32_t *widest)
{
    const __m512i one = _mm512_set1_epi64(1), top = padici_avx512_all(63 - m);
    const __m512i plain = padici_avx512_all((uint64_t)2 << m);
    const __m512i low = padici_avx512_all((1u << m) - 1);
    const __m128i up = _mm_cvtsi32_si128((int)m);
    __m512i sum = _mm512_setzero_si512(), most = sum;
    uint64_t total;
    uint32_t rest = 0;
    size_t i;
    for (i = 0; i + 8 <= n; i += 8) {
        const __m512i v = padici_avx512_load(z + i);
        const __m512i e = _mm512_maskz_sub_epi64(_mm512_cmpge_epu64_mask(v, plain), top,
                                                 _mm512_lzcnt_epi64(v));
        const __m512i t = _mm512_add_epi64(_mm512_sll_epi64(_mm512_add_epi64(e, one), up),
                                           _mm512_and_si512(_mm512_srlv_epi64(v, e), low));
        sum = _mm512_add_epi64(sum, e);
        most = _mm512_max_epi64(most, e);
        _mm_storel_epi64((__m128i *)(void *)(tokens + i),
                         _mm512_cvtepi64_epi8(_mm512_mask_mov_epi64(
                             t, _mm512_cmplt_epu64_mask(v, plain), v)));
    }
    total = (uint64_t)_mm512_reduce_add_epi64(sum) +
            padici_codec_make_tokens(z + i, n - i, m, tokens + i, &rest);
    *widest = (uint32_t)_mm512_reduce_max_epi64(most);
    if (rest > *widest) *widest = rest;
    return total;
}

// The logarithms of 16 counts at once; those of 0 do not matter.
PADICI_AVX512 static uint64_t padici_simd_codec_entropy_avx512(const uint32_t *counts,
                                                               uint32_t symbols, uint32_t total)
{
    const __m512i all = _mm512_set1_epi32((int)(total ? padici_codec_log2(total) : 0));
    __m512i sum = _mm512_setzero_si512();
    uint32_t i;
    for (i = 0; i < symbols; i += 16) {
        const uint32_t left = symbols - i < 16 ? symbols - i : 16;
        const __m512i x =
            _mm512_maskz_loadu_epi32((__mmask16)(0xffffu >> (16 - left)), counts + i);
        const __m512i zeros = _mm512_lzcnt_epi32(x);
        const __m512i whole = _mm512_sub_epi32(_mm512_set1_epi32(31), zeros);
        const __m512i f =
            _mm512_and_si512(_mm512_srli_epi32(_mm512_sllv_epi32(x, zeros), 15),
                             _mm512_set1_epi32(0xffff));
        const __m512i bow = _mm512_srli_epi32(
            _mm512_mullo_epi32(f, _mm512_sub_epi32(_mm512_set1_epi32(65536), f)), 16);
        const __m512i part = _mm512_add_epi32(
            f, _mm512_srli_epi32(_mm512_mullo_epi32(bow, _mm512_set1_epi32(22479)), 16));
        const __m512i bits = _mm512_sub_epi32(
            all, _mm512_or_si512(_mm512_slli_epi32(whole, 8), _mm512_srli_epi32(part, 8)));
        sum = _mm512_add_epi64(sum, _mm512_mul_epu32(x, bits));
        sum = _mm512_add_epi64(sum, _mm512_mul_epu32(_mm512_srli_epi64(x, 32),
                                                     _mm512_srli_epi64(bits, 32)));
    }
    return (uint64_t)_mm512_reduce_add_epi64(sum);
}

// Plain bits of two or four words at a time.
PADICI_AVX512 static void padici_simd_codec_put_plain_avx512(const uint64_t *z,
                                                             const uint8_t *tokens, size_t n,
                                                             uint32_t m, uint32_t widest,
                                                             uint8_t *p)
{
    const __m512i one = _mm512_set1_epi64(1);
    const __m128i down = _mm_cvtsi32_si128((int)m);
    uint64_t bits8[8], extra8[8];
    const uint32_t step = widest <= 14 ? 4 : 2;
    padici_codec_bits bits;
    size_t i;
    uint32_t k;
    bits.at = p;
    bits.held = 0;
    bits.count = 0;
    for (i = 0; i + 8 <= n && widest <= 28; i += 8) {
        const __m512i t = _mm512_cvtepu8_epi64(
            _mm_loadl_epi64((const __m128i *)(const void *)(tokens + i)));
        __m512i e = _mm512_sub_epi64(_mm512_max_epi64(_mm512_srl_epi64(t, down), one), one);
        __m512i v = _mm512_and_si512(padici_avx512_load(z + i),
                                     _mm512_sub_epi64(_mm512_sllv_epi64(one, e), one));
        v = _mm512_or_si512(v, _mm512_sllv_epi64(_mm512_bsrli_epi128(v, 8), e));
        e = _mm512_add_epi64(e, _mm512_bsrli_epi128(e, 8));
        if (step == 4) {
            v = _mm512_or_si512(v, _mm512_sllv_epi64(_mm512_permutex_epi64(v, 0xee), e));
            e = _mm512_add_epi64(e, _mm512_permutex_epi64(e, 0xee));
        }
        padici_avx512_store(bits8, v);
        padici_avx512_store(extra8, e);
        for (k = 0; k < 8; k += step) padici_codec_put_bits(&bits, bits8[k], (uint32_t)extra8[k]);
    }
    (void)padici_codec_put_plain_bits(bits, z + i, tokens + i, n - i, m);
}

PADICI_AVX512 static uint64_t padici_simd_codec_packed_avx512(const uint64_t *z, size_t n)
{
    const __m512i all = _mm512_set1_epi64(64);
    uint64_t total = 0;
    size_t i;
    for (i = 0; i + 32 <= n; i += 32) {
        const __m512i a = _mm512_sub_epi64(all, _mm512_lzcnt_epi64(padici_avx512_load(z + i)));
        const __m512i b = _mm512_sub_epi64(all, _mm512_lzcnt_epi64(padici_avx512_load(z + i + 8)));
        const __m512i c = _mm512_sub_epi64(all, _mm512_lzcnt_epi64(padici_avx512_load(z + i + 16)));
        const __m512i d = _mm512_sub_epi64(all, _mm512_lzcnt_epi64(padici_avx512_load(z + i + 24)));
        const __m512i ab = _mm512_or_si512(a, _mm512_slli_epi64(b, 8));
        const __m512i cd = _mm512_or_si512(c, _mm512_slli_epi64(d, 8));
        const __m512i lengths = _mm512_or_si512(ab, _mm512_slli_epi64(cd, 16));
        const __m256i bytes = _mm512_cvtepi64_epi32(lengths);
        uint32_t width = (uint32_t)_mm512_reduce_max_epi64(
            _mm512_max_epi64(_mm512_max_epi64(a, b), _mm512_max_epi64(c, d)));
        uint32_t cost = 32 * width, above, here;
        for (; width > 0; width--) {
            above = (uint32_t)_mm_popcnt_u32((uint32_t)padici_mask32(
                _mm256_cmpge_epu8_mask(bytes, _mm256_set1_epi8((char)width))));
            here = 32 * (width - 1) + 16 * above;
            if (8 * above > 32) break;
            if (here < cost) cost = here;
        }
        total += cost;
    }
    return i < n ? total + padici_codec_packed_cost(z + i, n - i) : total;
}

PADICI_AVX512 PADICI_INLINE size_t padici_simd_codec_pick16(__m512i upper, uint32_t share, size_t i,
                                                            uint32_t *picks)
{
    const __m512i lanes = _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
    const __m512i h = _mm512_mullo_epi32(upper, _mm512_set1_epi32((int)0x9e3779b1u));
    const __mmask16 found = _mm512_testn_epi32_mask(
        h, _mm512_set1_epi32((int)(0xffffffffu << (32 - share))));
    const uint32_t mask = (uint32_t)padici_mask16(found);
    // no branch; what follows the places found is overwritten: there is room for n
    _mm512_storeu_si512(picks, _mm512_maskz_compress_epi32(
                                   found, _mm512_add_epi32(lanes, _mm512_set1_epi32((int)i))));
    return (size_t)_mm_popcnt_u32(mask);
}

PADICI_AVX512 PADICI_INLINE __m512i padici_simd_codec_upper8(const uint8_t *raw, uint32_t split)
{
    const __m512i v = _mm512_srl_epi64(_mm512_rol_epi64(padici_avx512_load(raw), 1),
                                       _mm_cvtsi32_si128((int)split));
    return _mm512_xor_si512(v, _mm512_srli_epi64(v, 32));
}

PADICI_AVX512 static size_t padici_simd_codec_pick_avx512(const uint8_t *raw, size_t n,
                                                          uint32_t size, uint32_t split,
                                                          uint32_t share, uint32_t *picks)
{
    const __m128i down = _mm_cvtsi32_si128((int)split);
    size_t i = 0, count = 0, rest, k;
    if (size == 8) {
        for (; i + 16 <= n; i += 16) {
            const __m512i a = padici_simd_codec_upper8(raw + 8 * i, split);
            const __m512i b = padici_simd_codec_upper8(raw + 8 * i + 64, split);
            const __m512i low = _mm512_castsi256_si512(_mm512_cvtepi64_epi32(a));
            const __m512i v = _mm512_inserti64x4(low, _mm512_cvtepi64_epi32(b), 1);
            count += padici_simd_codec_pick16(v, share, i, picks + count);
        }
    } else if (size == 4) {
        for (; i + 16 <= n; i += 16) {
            const __m512i v = _mm512_rol_epi32(padici_avx512_load(raw + 4 * i), 1);
            count += padici_simd_codec_pick16(_mm512_srl_epi32(v, down), share, i, picks + count);
        }
    } else if (size == 2) {
        for (; i + 16 <= n; i += 16) {
            const __m256i x = _mm256_loadu_si256((const __m256i *)(const void *)(raw + 2 * i));
            const __m256i v = _mm256_or_si256(_mm256_slli_epi16(x, 1), _mm256_srli_epi16(x, 15));
            const __m512i upper = _mm512_srl_epi32(_mm512_cvtepu16_epi32(v), down);
            count += padici_simd_codec_pick16(upper, share, i, picks + count);
        }
    }
    rest = padici_codec_pick_plain(raw + i * size, n - i, size, split, share, picks + count);
    for (k = 0; k < rest; k++) picks[count + k] += (uint32_t)i;
    return count + rest;
}

PADICI_AVX512 static void padici_simd_codec_plane_avx512(const uint64_t *z, size_t n,
                                                         uint32_t shift, uint8_t *to)
{
    const __m128i down = _mm_cvtsi32_si128((int)shift);
    size_t i;
    for (i = 0; i + 8 <= n; i += 8)
        _mm_storel_epi64((__m128i *)(void *)(to + i),
                         _mm512_cvtepi64_epi8(_mm512_srl_epi64(padici_avx512_load(z + i), down)));
    padici_codec_plane_loop(z + i, n - i, shift, to + i);
}

PADICI_AVX512 static void padici_simd_codec_join_avx512(const padici_codec_transform *transform,
                                                        uint32_t split, uint64_t *words,
                                                        const uint8_t *low, size_t plane, size_t n)
{
    const __m512i first = padici_avx512_all(transform->first);
    const __m512i step = padici_avx512_all(transform->step);
    const __m128i by = _mm_cvtsi32_si128((int)split);
    size_t i;
    uint32_t k;
    for (i = 0; i + 8 <= n; i += 8) {
        __m512i w = padici_avx512_load(words + i);
        if (transform->step != 1) w = _mm512_mullo_epi64(w, step);
        w = _mm512_sll_epi64(_mm512_add_epi64(w, first), by);
        for (k = 0; k < split; k += 8) {
            const uint8_t *const bytes = low + k / 8 * plane + i;
            const __m512i b =
                _mm512_cvtepu8_epi64(_mm_loadl_epi64((const __m128i *)(const void *)bytes));
            w = _mm512_or_si512(w, _mm512_sll_epi64(b, _mm_cvtsi32_si128((int)k)));
        }
        padici_avx512_store(words + i, w);
    }
    padici_codec_join_split(transform, split, words + i, low + i, plane, n - i);
}

PADICI_AVX512 static void padici_simd_codec_outer_avx512(double *sums, size_t row, const double *y,
                                                         uint32_t m, double counts)
{
    uint32_t j, k;
    for (j = 0; j <= m; j++, sums += row) {
        const __m512d f = _mm512_set1_pd(y[j] * counts);
        for (k = j; k <= m; k += 8) {
            const __mmask8 there = (__mmask8)(m - k >= 7 ? 0xff : (2u << (m - k)) - 1);
            const __m512d v = _mm512_mul_pd(f, _mm512_maskz_loadu_pd(there, y + k));
            _mm512_mask_storeu_pd(sums + k, there,
                                  _mm512_add_pd(_mm512_maskz_loadu_pd(there, sums + k), v));
        }
    }
}

// Prediction at the midpoint, with a[] = left + right: the mean, or with b[] = three times as far
// the cubic.
PADICI_AVX512 PADICI_INLINE __m512i padici_simd_codec_cubic(__m512i a, __m512i b)
{
    const __m512i nine = _mm512_add_epi64(_mm512_slli_epi64(a, 3), a);
    return _mm512_srai_epi64(
        _mm512_add_epi64(_mm512_sub_epi64(nine, b), _mm512_set1_epi64(8)), 4);
}

PADICI_AVX512 PADICI_INLINE __m512i padici_simd_codec_scaled(__m512i v, __m512i scale, int zigzag)
{
    return _mm512_mullo_epi64(zigzag ? padici_avx512_unfold(v) : v, scale);
}

// Every `period`-th word of a row, x[i] to x[end - 1]: residuals to words, from those at distance d
// in other rows.
PADICI_AVX512 PADICI_INLINE void padici_simd_codec_between8(uint64_t *x, size_t i, size_t end,
                                                            size_t period, size_t d, uint32_t order,
                                                            uint64_t scale, int zigzag)
{
    const __m512i by = _mm512_set1_epi64((int64_t)scale);
    const __mmask8 each = (__mmask8)(period == 1 ? 0xff : period == 2 ? 0x55 : 0x11);
    for (; i + 8 <= end; i += 8) {
        const __m512i old = padici_avx512_load(x + i);
        __m512i v = padici_simd_codec_scaled(old, by, zigzag), a = padici_avx512_load(x + i - d);
        if (order) a = _mm512_add_epi64(a, padici_avx512_load(x + i + d));
        if (order == 2)
            a = padici_simd_codec_cubic(a, _mm512_add_epi64(padici_avx512_load(x + i - 3 * d),
                                                            padici_avx512_load(x + i + 3 * d)));
        else if (order == 1)
            a = _mm512_srai_epi64(a, 1);
        v = _mm512_mask_add_epi64(old, each, v, a);
        _mm512_storeu_si512((void *)(x + i), v);
    }
    for (; i < end; i += period)
        x[i] = (zigzag ? padici_codec_unfold(x[i]) : x[i]) * scale +
               padici_codec_between_words(x, i, d, order);
}

PADICI_AVX512 static void padici_simd_codec_between_row(uint64_t *x, size_t from, size_t end,
                                                        size_t period, size_t d, uint32_t order,
                                                        uint64_t scale, int zigzag)
{
    size_t i;
    if (period > 4) {
        for (i = from; i < end; i += period)
            x[i] = (zigzag ? padici_codec_unfold(x[i]) : x[i]) * scale +
                   padici_codec_between_words(x, i, d, order);
    } else if (order == 2) {
        padici_simd_codec_between8(x, from, end, period, d, 2, scale, zigzag);
    } else if (order == 1) {
        padici_simd_codec_between8(x, from, end, period, d, 1, scale, zigzag);
    } else {
        padici_simd_codec_between8(x, from, end, period, d, 0, scale, zigzag);
    }
}

// Of a line the words from c + 7 on, as far as it goes.
PADICI_AVX512 PADICI_INLINE __m512i padici_simd_codec_line_next(const uint64_t *x, size_t extent,
                                                                size_t c)
{
    const size_t left = extent - c - 7;
    return _mm512_maskz_loadu_epi64((__mmask8)(left >= 8 ? 0xff : (1u << left) - 1), x + c + 7);
}

// What is between their neighbours for the words from c - 1 on, of which `here` are, the eight
// before and the eight after.
PADICI_AVX512 PADICI_INLINE __m512i padici_simd_codec_line8(__m512i before, __m512i here,
                                                            __m512i next, size_t extent, size_t c,
                                                            int cubic)
{
    const __m512i lanes = _mm512_set_epi64(7, 6, 5, 4, 3, 2, 1, 0);
    const __m512i at = _mm512_add_epi64(lanes, _mm512_set1_epi64((int64_t)c - 1));
    const __m512i low = _mm512_alignr_epi64(here, before, 7);
    const __m512i sum = _mm512_add_epi64(low, _mm512_alignr_epi64(next, here, 1));
    const __mmask8 both = _mm512_cmplt_epi64_mask(at, _mm512_set1_epi64((int64_t)extent - 1));
    const __m512i a = _mm512_mask_srai_epi64(low, both, sum, 1);
    const __mmask8 wide = _mm512_cmplt_epi64_mask(at, _mm512_set1_epi64((int64_t)extent - 3)) &
                          _mm512_cmpgt_epi64_mask(at, _mm512_set1_epi64(2));
    if (!cubic) return a;
    return _mm512_mask_mov_epi64(
        a, wide,
        padici_simd_codec_cubic(sum, _mm512_add_epi64(_mm512_alignr_epi64(here, before, 5),
                                                      _mm512_alignr_epi64(next, here, 3))));
}

// One line along the fastest axis, whose points at multiples of 2 step are already decoded. At the
// finest level the next vector is loaded before this one is stored, so that no load waits for a
// store.
PADICI_AVX512 static void padici_simd_codec_between_line(uint64_t *x, size_t extent, size_t step,
                                                         int cubic, uint64_t scale, int zigzag)
{
    const __m512i by = _mm512_set1_epi64((int64_t)scale);
    __m512i before = _mm512_setzero_si512(), here = before;
    size_t c = step;
    if (step == 1 && extent >= 8) here = padici_avx512_load(x);
    for (; step == 1 && c + 7 <= extent; c += 8) { // at c - 1
        const __m512i next = padici_simd_codec_line_next(x, extent, c);
        __m512i a = padici_simd_codec_line8(before, here, next, extent, c, cubic);
        a = _mm512_mask_add_epi64(here, 0xaa, padici_simd_codec_scaled(here, by, zigzag), a);
        _mm512_storeu_si512((void *)(x + c - 1), a);
        before = here;
        here = next;
    }
    for (; c < extent; c += 2 * step) {
        uint32_t order = 0;
        if (c + step < extent) order = cubic && c >= 3 * step && c + 3 * step < extent ? 2 : 1;
        x[c] = (zigzag ? padici_codec_unfold(x[c]) : x[c]) * scale +
               padici_codec_between_words(x, c, step, order);
    }
}

// Moves 8 words x to the nearest that differ from their predictions by multiples of 31, which go to
// z, folded. Quotients of doubles are exact below 2^45: no multiple of 1/31 is near to a half.
// Returns 0 if one is larger.
PADICI_AVX512 PADICI_INLINE int padici_simd_codec_close8(__m512i old, __m512i between,
                                                         __mmask8 each, uint64_t *x, uint64_t *z)
{
    const __m512i apart = _mm512_sub_epi64(old, between);
    const __m512d share = _mm512_mul_pd(_mm512_cvtepi64_pd(apart), _mm512_set1_pd(1.0 / 31));
    const __m512i q = _mm512_cvt_roundpd_epi64(share,
                                               _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
    const __m512i moved = _mm512_add_epi64(
        between, _mm512_sub_epi64(_mm512_slli_epi64(q, 5), q));
    if (_mm512_mask_cmpge_epu64_mask(each, _mm512_abs_epi64(apart),
                                     _mm512_set1_epi64((int64_t)1 << 45)))
        return 0;
    _mm512_storeu_si512((void *)x, _mm512_mask_mov_epi64(old, each, moved));
    _mm512_mask_storeu_epi64(z, each, padici_avx512_fold(q));
    return 1;
}

// As between_row, the other way.
PADICI_AVX512 PADICI_INLINE void padici_simd_codec_close_row(uint64_t *x, uint64_t *z, size_t i,
                                                             size_t end, size_t period, size_t d,
                                                             uint32_t order)
{
    const __mmask8 each = (__mmask8)(period == 1 ? 0xff : period == 2 ? 0x55 : 0x11);
    size_t k;
    for (; i + 8 <= end && period <= 4; i += 8) {
        __m512i a = padici_avx512_load(x + i - d);
        if (order) a = _mm512_add_epi64(a, padici_avx512_load(x + i + d));
        if (order == 2)
            a = padici_simd_codec_cubic(a, _mm512_add_epi64(padici_avx512_load(x + i - 3 * d),
                                                            padici_avx512_load(x + i + 3 * d)));
        else if (order == 1)
            a = _mm512_srai_epi64(a, 1);
        if (padici_simd_codec_close8(padici_avx512_load(x + i), a, each, x + i, z + i)) continue;
        for (k = i; k < i + 8; k += period)
            padici_codec_close_point(x, z, k, padici_codec_between_words(x, k, d, order));
    }
    for (; i < end; i += period)
        padici_codec_close_point(x, z, i, padici_codec_between_words(x, i, d, order));
}

// As between_line, the other way.
PADICI_AVX512 static void padici_simd_codec_close_line(uint64_t *x, uint64_t *z, size_t extent,
                                                       size_t step, int cubic)
{
    __m512i before = _mm512_setzero_si512(), here = before;
    size_t c = step;
    if (step == 1 && extent >= 8) here = padici_avx512_load(x);
    for (; step == 1 && c + 7 <= extent; c += 8) { // at c - 1
        const __m512i next = padici_simd_codec_line_next(x, extent, c);
        const __m512i a = padici_simd_codec_line8(before, here, next, extent, c, cubic);
        if (!padici_simd_codec_close8(here, a, 0xaa, x + c - 1, z + c - 1)) break;
        before = here; // at even places as they were
        here = next;
    }
    for (; c < extent; c += 2 * step) {
        uint32_t order = 0;
        if (c + step < extent) order = cubic && c >= 3 * step && c + 3 * step < extent ? 2 : 1;
        padici_codec_close_point(x, z, c, padici_codec_between_words(x, c, step, order));
    }
}

// Row by row along the fastest axis; if that is not among the axes the generic loop is used. If it
// is the last one, the axis before it is processed together with it, each row just before its line.
// z NULL: residuals to words; otherwise words are moved, and z are the residuals. Returns 0 where
// it does nothing.
PADICI_AVX512 PADICI_INLINE int padici_simd_codec_between_all(
    const padici_codec_predictor *predictor, uint64_t *x, uint64_t *z, size_t n, int zigzag)
{
    const padici_codec_op *op = predictor->op;
    const uint32_t count = predictor->count;
    const uint64_t scale = predictor->scale;
    size_t extent[PADICI_CODEC_MAX_OPS], at[PADICI_CODEC_MAX_OPS], all = 1;
    uint32_t fast = count, level = 0, k, j, with;
    for (k = 0; k < count; k++) {
        extent[k] = op[k].segment / op[k].stride;
        all *= extent[k];
        if (op[k].stride == 1) fast = k;
        while ((size_t)1 << level < extent[k]) level++;
    }
    if (fast == count || all != n) return 0;
    with = fast && fast + 1 == count ? fast - 1 : count;
    if (z) padici_codec_close_point(x, z, 0, 0);
    else x[0] = (zigzag ? padici_codec_unfold(x[0]) : x[0]) * scale;
    while (level-- > 0) {
        const size_t step = (size_t)1 << level;
        for (k = 0; k < count; k++) {
            const uint32_t row = k == fast ? with : k; // the axis whose rows are decoded
            if (k == with || (k != fast && step >= extent[k])) continue;
            for (j = 0; j < count; j++) at[j] = 0;
            if (k != fast) at[k] = step;
            for (;;) {
                size_t base = 0;
                for (j = 0; j < count; j++) base += at[j] * op[j].stride;
                if (row < count && (at[row] & step)) {
                    const size_t c = at[row], end = extent[row];
                    uint32_t order = 0;
                    if (c + step < end)
                        order = (op[row].cubic >> level & 1) && c >= 3 * step && c + 3 * step < end
                                    ? 2
                                    : 1;
                    if (z)
                        padici_simd_codec_close_row(
                            x, z, base, base + extent[fast], fast < row ? step : 2 * step,
                            step * op[row].stride, order);
                    else padici_simd_codec_between_row(
                        x, base, base + extent[fast], fast < row ? step : 2 * step,
                        step * op[row].stride, order, scale, zigzag);
                }
                if (z && k == fast && step < extent[k])
                    padici_simd_codec_close_line(x + base, z + base, extent[k], step,
                                                 op[k].cubic >> level & 1);
                else if (k == fast && step < extent[k])
                    padici_simd_codec_between_line(x + base, extent[k], step,
                                                   op[k].cubic >> level & 1, scale, zigzag);
                for (j = count; j-- > 0;) {
                    if (j == fast) continue;
                    at[j] += j < k ? step : 2 * step;
                    if (at[j] < extent[j]) break;
                    at[j] = j == k ? step : 0;
                }
                if (j == UINT32_MAX) break;
            }
        }
    }
    return 1;
}

PADICI_AVX512 static void padici_simd_codec_between_avx512(const padici_codec_predictor *predictor,
                                                           uint64_t *x, size_t n, int zigzag)
{
    if (!padici_simd_codec_between_all(predictor, x, NULL, n, zigzag))
        padici_codec_between_loop(predictor, x, n, zigzag);
}

PADICI_AVX512 static void padici_simd_codec_close_avx512(const padici_codec_predictor *predictor,
                                                         uint64_t *x, uint64_t *z, size_t n)
{
    if (!padici_simd_codec_between_all(predictor, x, z, n, 0))
        padici_codec_close_loop(predictor, x, z, n);
}

// The weighted sum of 8 words' neighbours, over the taps [0, count) in the bit set `use`.
PADICI_AVX512 PADICI_INLINE __m512i padici_simd_codec_taps(const padici_codec_tap_places *taps,
                                                           uint32_t use, const uint64_t *x)
{
    __m512i sum = _mm512_setzero_si512();
    for (; use; use &= use - 1) {
        const uint32_t t = padici_ctz64(use);
        sum = _mm512_add_epi64(
            sum, _mm512_mullo_epi64(padici_avx512_load(x - taps->distance[t]),
                                    padici_avx512_all((uint64_t)taps->weight[t])));
    }
    return sum;
}

#define PADICI_CODEC_TAP_STRIPE 16u

// One stripe at a time: neighbours before the stripe are summed in vectors, 4 `fours` neighbours
// within it word by word.
typedef struct padici_simd_codec_stripe {
    uint64_t weight[PADICI_CODEC_TAP_STRIPE];
    size_t distance[PADICI_CODEC_TAP_STRIPE];
} padici_simd_codec_stripe;

PADICI_AVX512 PADICI_INLINE size_t padici_simd_codec_stripes(const padici_codec_tap_places *taps,
                                                             uint32_t before,
                                                             const padici_simd_codec_stripe *within,
                                                             uint32_t fours, uint32_t shift,
                                                             uint64_t *x, size_t i, size_t to,
                                                             int zigzag)
{
    const uint64_t half = (uint64_t)1 << shift >> 1, *weight = within->weight;
    const size_t first = taps->distance[0], *distance = within->distance;
    uint64_t part[PADICI_CODEC_TAP_STRIPE];
    size_t k;
    for (; i + PADICI_CODEC_TAP_STRIPE <= to; i += PADICI_CODEC_TAP_STRIPE) {
        for (k = 0; k < PADICI_CODEC_TAP_STRIPE; k += 8)
            padici_avx512_store(part + k, padici_simd_codec_taps(taps, before, x + i + k));
        for (k = i; k < i + PADICI_CODEC_TAP_STRIPE; k++) {
            uint64_t sum = half + part[k - i];
            uint32_t t;
            for (t = 4 * fours; t > 0; t -= 4) { // nearest last: it is known last
                sum += weight[t - 1] * x[k - distance[t - 1]];
                sum += weight[t - 2] * x[k - distance[t - 2]];
                sum += weight[t - 3] * x[k - distance[t - 3]];
                sum += weight[t - 4] * x[k - distance[t - 4]];
            }
            x[k] = x[k - first] + (uint64_t)((int64_t)sum >> shift) +
                   (zigzag ? padici_codec_unfold(x[k]) : x[k]);
        }
    }
    return i;
}

PADICI_AVX512 PADICI_INLINE size_t padici_simd_codec_undo(const padici_codec_tap_places *taps,
                                                          uint32_t shift, uint64_t *x, size_t from,
                                                          size_t to, int zigzag)
{
    padici_simd_codec_stripe within;
    uint32_t before = 0, count = 0, t;
    for (t = 0; t < taps->count; t++) {
        if (taps->distance[t] >= PADICI_CODEC_TAP_STRIPE) {
            before |= 1u << t;
        } else {
            if (count == PADICI_CODEC_TAP_STRIPE) return from;
            within.distance[count] = taps->distance[t];
            within.weight[count++] = (uint64_t)taps->weight[t];
        }
    }
    if (!before || from == 0) return from;
    for (t = count; t < PADICI_CODEC_TAP_STRIPE; t++) {
        within.distance[t] = 1;
        within.weight[t] = 0;
    }
#define PADICI_CODEC_STRIPES(FOURS) \
    padici_simd_codec_stripes(taps, before, &within, FOURS, shift, x, from, to, zigzag)
    if (count <= 4) return PADICI_CODEC_STRIPES(1);
    if (count <= 8) return PADICI_CODEC_STRIPES(2);
    if (count <= 12) return PADICI_CODEC_STRIPES(3);
    return PADICI_CODEC_STRIPES(4);
#undef PADICI_CODEC_STRIPES
}

PADICI_AVX512 static void padici_simd_codec_linear_avx512(const padici_codec_tap_places *taps,
                                                          uint32_t shift, uint64_t *x, uint64_t *z,
                                                          size_t from, size_t to, int what)
{
    const __m512i half = padici_avx512_all((uint64_t)1 << shift >> 1);
    const __m128i down = _mm_cvtsi32_si128((int)shift);
    size_t i = from;
    if (taps->count && what == PADICI_CODEC_LINEAR_DO) {
        const uint32_t use = 0xffffffffu >> (32 - taps->count);
        for (; i + 8 <= to; i += 8) {
            const __m512i sum = _mm512_add_epi64(half, padici_simd_codec_taps(taps, use, x + i));
            const __m512i about = _mm512_add_epi64(padici_avx512_load(x + i - taps->distance[0]),
                                                   _mm512_sra_epi64(sum, down));
            padici_avx512_store(z + i - from, _mm512_sub_epi64(padici_avx512_load(x + i), about));
        }
    } else if (taps->count) {
        i = what == PADICI_CODEC_LINEAR_UNFOLD ? padici_simd_codec_undo(taps, shift, x, from, to, 1)
                                         : padici_simd_codec_undo(taps, shift, x, from, to, 0);
    }
    padici_codec_linear_words(taps, shift, x, z ? z + (i - from) : NULL, i, to, what);
}

// Words and values of 8 lanes, from their sums without the nearest neighbour.
PADICI_AVX512 PADICI_INLINE void padici_simd_codec_wave_put(const padici_codec_wave *wave,
                                                            padic_dtype dtype, __m512d sum,
                                                            __m512i at, double *values, int zigzag)
{
    const __mmask8 active = _mm512_cmplt_epu64_mask(at, padici_avx512_load(wave->end));
    const __mmask8 number = _mm512_cmp_pd_mask(sum, sum, _CMP_ORD_Q);
    const __m512i old = _mm512_mask_i64gather_epi64(_mm512_setzero_si512(), active, at,
                                                    (const void *)wave->x, 8);
    const __m512i z = zigzag ? padici_avx512_unfold(old) : old;
    __m512i word;
    __m512d v;
    if (dtype == PADIC_F64) {
        const __m512i bits = _mm512_castpd_si512(sum), ones = padici_avx512_all(0x7ff);
        const __m512i way = _mm512_srli_epi64(_mm512_srai_epi64(bits, 63), 1);
        __m512i back;
        word = _mm512_add_epi64(_mm512_maskz_xor_epi64(number, bits, way), z);
        back = _mm512_xor_si512(word, _mm512_srli_epi64(_mm512_srai_epi64(word, 63), 1));
        v = _mm512_maskz_mov_pd(active & _mm512_cmpneq_epi64_mask(
                                             _mm512_and_si512(_mm512_srli_epi64(back, 52), ones),
                                             ones),
                                _mm512_castsi512_pd(back));
    } else { // the lower half has the sign
        const __m256i bits = _mm256_castps_si256(_mm512_cvtpd_ps(sum));
        const __m256i way = _mm256_srli_epi32(_mm256_srai_epi32(bits, 31), 1);
        const __m256i about = _mm256_maskz_xor_epi32(number, bits, way);
        const __m256i low = _mm256_add_epi32(about, _mm512_cvtepi64_epi32(z));
        const __m256i sign = _mm256_srai_epi32(low, 31), ones = _mm256_set1_epi32(0x7f800000);
        const __m256i back = _mm256_xor_si256(low, _mm256_srli_epi32(sign, 1));
        word = _mm512_add_epi64(_mm512_cvtepi32_epi64(about), z);
        v = _mm512_maskz_cvtps_pd(
            active & _mm256_cmpneq_epi32_mask(_mm256_and_si256(back, ones), ones),
            _mm256_castsi256_ps(back));
    }
    _mm512_mask_i64scatter_epi64((void *)wave->x, active, at, word, 8);
    _mm512_storeu_pd(values, v);
}

typedef struct padici_simd_codec_wave_lanes {
    __m512i from;         // the place of the nearest neighbour
    __mmask8 some, other; // whether there is one; and it is not tap 0
} padici_simd_codec_wave_lanes;

// The rest of a step whose sum has the taps from `recent` on; v is the values of the last one.
PADICI_AVX512 PADICI_INLINE void padici_simd_codec_wave_close(
    const padici_codec_wave *wave, const padici_simd_codec_wave_lanes *lanes, padic_dtype dtype,
    double *values, __m512i at, __m512d sum, __m512d v, int zigzag)
{
    uint32_t t;
    for (t = wave->recent; t-- > 0;) {
        if (!(wave->use >> t & 1)) continue;
        v = _mm512_loadu_pd(values + wave->place[t]);
        sum = _mm512_add_pd(sum, _mm512_mul_pd(_mm512_loadu_pd(wave->factor[t]), v));
    }
    if (lanes->other)
        v = _mm512_mask_i64gather_pd(v, lanes->other, lanes->from, (const void *)values, 8);
    sum = _mm512_mask_add_pd(sum, lanes->some, sum, v);
    padici_simd_codec_wave_put(wave, dtype, sum, at, values, zigzag);
}

// Four steps, or one, are side by side as long as they do not need each other.
PADICI_AVX512 PADICI_INLINE void padici_simd_codec_wave_run(const padici_codec_wave *wave,
                                                            padic_dtype dtype, double *values,
                                                            size_t steps, int zigzag)
{
    const __m512i one = padici_avx512_all(1), nearest = padici_avx512_load(wave->nearest);
    padici_simd_codec_wave_lanes lanes;
    __m512i at = padici_avx512_load(wave->at);
    size_t s = 0;
    uint32_t t;
    lanes.from = _mm512_add_epi64(padici_avx512_lanes(), nearest);
    lanes.some = _mm512_test_epi64_mask(nearest, nearest);
    lanes.other = lanes.some & (__mmask8)~wave->first;
    for (; s + 4 <= steps; s += 4) {
        __m512d a = _mm512_setzero_pd(), b = a, c = a, d = a, va = a, vb = a, vc = a, vd = a;
        for (t = wave->taps; t-- > wave->recent;) {
            const __m512d factor = _mm512_loadu_pd(wave->factor[t]);
            const double *value;
            if (!(wave->use >> t & 1)) continue;
            value = values + wave->place[t];
            va = _mm512_loadu_pd(value);
            vb = _mm512_loadu_pd(value + 8);
            vc = _mm512_loadu_pd(value + 16);
            vd = _mm512_loadu_pd(value + 24);
            a = _mm512_add_pd(a, _mm512_mul_pd(factor, va));
            b = _mm512_add_pd(b, _mm512_mul_pd(factor, vb));
            c = _mm512_add_pd(c, _mm512_mul_pd(factor, vc));
            d = _mm512_add_pd(d, _mm512_mul_pd(factor, vd));
        }
        padici_simd_codec_wave_close(wave, &lanes, dtype, values, at, a, va, zigzag);
        at = _mm512_add_epi64(at, one);
        padici_simd_codec_wave_close(wave, &lanes, dtype, values + 8, at, b, vb, zigzag);
        at = _mm512_add_epi64(at, one);
        padici_simd_codec_wave_close(wave, &lanes, dtype, values + 16, at, c, vc, zigzag);
        at = _mm512_add_epi64(at, one);
        padici_simd_codec_wave_close(wave, &lanes, dtype, values + 24, at, d, vd, zigzag);
        at = _mm512_add_epi64(at, one);
        values += 32;
    }
    for (; s < steps; s++, values += 8) {
        __m512d sum = _mm512_setzero_pd(), v = sum;
        for (t = wave->taps; t-- > wave->recent;) {
            if (!(wave->use >> t & 1)) continue;
            v = _mm512_loadu_pd(values + wave->place[t]);
            sum = _mm512_add_pd(sum, _mm512_mul_pd(_mm512_loadu_pd(wave->factor[t]), v));
        }
        padici_simd_codec_wave_close(wave, &lanes, dtype, values, at, sum, v, zigzag);
        at = _mm512_add_epi64(at, one);
    }
}

PADICI_AVX512 static void padici_simd_codec_wave_steps_avx512(const padici_codec_wave *wave,
                                                              double *values, size_t steps)
{
    if (wave->dtype == PADIC_F64)
        padici_simd_codec_wave_run(wave, PADIC_F64, values, steps, wave->zigzag);
    else
        padici_simd_codec_wave_run(wave, PADIC_F32, values, steps, wave->zigzag);
}

// The source of the bits of 8 words of 32 to 64 bits: up to three words for each output word.
typedef struct padici_simd_codec_spread {
    uint64_t word[8], down[8], up[8];
} padici_simd_codec_spread;

static void padici_simd_codec_spread_make(padici_simd_codec_spread *s, uint32_t width)
{
    uint32_t q, word = 0, bit = 0;
    for (q = 0; q < 8; q++, bit += 64) {
        while (bit >= width) bit -= width, word++;
        s->word[q] = word < 8 ? word : 8;
        s->down[q] = word < 8 ? bit : 64;
        s->up[q] = word + 1 < 8 ? width - bit : 64;
    }
}

// Words are joined in pairs until they have at least 32 bits; a vector of those gives `width`
// bytes.
PADICI_AVX512 static void padici_simd_codec_put_fixed_avx512(const uint64_t *z, size_t n,
                                                             uint32_t width, uint8_t *p,
                                                             size_t room)
{
    const __m512i even = _mm512_setr_epi64(0, 2, 4, 6, 8, 10, 12, 14);
    const __m512i odd = _mm512_setr_epi64(1, 3, 5, 7, 9, 11, 13, 15);
    const __m512i mask = padici_avx512_all(~UINT64_C(0) >> (64 - width));
    const __m512i none = _mm512_setzero_si512();
    __m512i held[6], word, next, last, down, up, above;
    padici_simd_codec_spread spread;
    uint32_t joins = 0, k;
    size_t i, block;
    while (width << joins < 32) joins++;
    block = (size_t)8 << joins;
    padici_simd_codec_spread_make(&spread, width << joins);
    word = padici_avx512_load(spread.word);
    next = _mm512_add_epi64(word, _mm512_set1_epi64(1));
    last = _mm512_add_epi64(word, _mm512_set1_epi64(2));
    down = padici_avx512_load(spread.down);
    up = padici_avx512_load(spread.up);
    above = _mm512_mask_mov_epi64(
        _mm512_add_epi64(up, padici_avx512_all(width << joins)),
        _mm512_cmpgt_epi64_mask(last, _mm512_set1_epi64(7)), _mm512_set1_epi64(64));
    for (k = 0; k < 6; k++) held[k] = none;
    for (i = 0; i + block <= n && room >= 64; i += block) {
        __m512i v = none, out;
        uint32_t vector;
        for (vector = 0; vector < 1u << joins; vector++) {
            v = _mm512_and_si512(padici_avx512_load(z + i + 8 * vector), mask);
            for (k = 0; vector >> k & 1; k++) {
                const __m512i high = _mm512_permutex2var_epi64(held[k], odd, v);
                const __m128i by = _mm_cvtsi32_si128((int)(width << k));
                v = _mm512_or_si512(_mm512_permutex2var_epi64(held[k], even, v),
                                    _mm512_sll_epi64(high, by));
            }
            held[k] = v;
        }
        out = _mm512_srlv_epi64(_mm512_permutexvar_epi64(word, v), down);
        out = _mm512_or_si512(out, _mm512_sllv_epi64(_mm512_permutexvar_epi64(next, v), up));
        out = _mm512_or_si512(out, _mm512_sllv_epi64(_mm512_permutexvar_epi64(last, v), above));
        padici_avx512_store(p, out);
        p += width << joins;
        room -= width << joins;
    }
    padici_codec_put_fixed_loop(z + i, n - i, width, p, room);
}

#define PADICI_CODEC_LARGE 67108864u // bytes of an array larger than any cache

// Copies to a large array bypass the caches, which would only read it to overwrite it; to others
// the next destination is prefetched.
PADICI_AVX512 static void padici_simd_codec_copy_avx512(void *to, const void *from, size_t size,
                                                        uint64_t all)
{
    const uint8_t *q = (const uint8_t *)from;
    uint8_t *p = (uint8_t *)to;
    const size_t head = (0 - (size_t)(uintptr_t)p) & 63;
    size_t i;
    if (size < 4096) {
        memcpy(p, q, size);
        return;
    }
    memcpy(p, q, 64);
    if (all >= PADICI_CODEC_LARGE) {
        for (i = head; i + 64 <= size; i += 64)
            _mm512_stream_si512((__m512i *)(void *)(p + i), padici_avx512_load(q + i));
        _mm_sfence();
    } else {
        for (i = head; i + 64 <= size; i += 64) {
            if (size - i > 2048) _mm_prefetch((const char *)(p + i + 2048), _MM_HINT_T0);
            padici_avx512_store(p + i, padici_avx512_load(q + i));
        }
    }
    memcpy(p + size - 64, q + size - 64, 64);
}

// Loops that only this level has.
PADICI_FN void padici_simd_codec_pack_avx512(padici_codec_loops *loops)
{
    loops->put_fixed = padici_simd_codec_put_fixed_avx512;
    loops->difference = padici_simd_codec_difference_avx512;
    loops->least = padici_simd_codec_least_avx512;
    loops->runs = padici_simd_codec_runs_avx512;
    loops->group = padici_simd_codec_group_avx512;
    loops->pick = padici_simd_codec_pick_avx512;
    loops->packed = padici_simd_codec_packed_avx512;
    loops->tokens = padici_simd_codec_tokens_avx512;
    loops->entropy = padici_simd_codec_entropy_avx512;
    loops->put_plain = padici_simd_codec_put_plain_avx512;
    loops->plane = padici_simd_codec_plane_avx512;
    loops->linear = padici_simd_codec_linear_avx512;
    loops->wave_steps = padici_simd_codec_wave_steps_avx512;
    loops->outer = padici_simd_codec_outer_avx512;
    loops->copy = padici_simd_codec_copy_avx512;
    loops->join = padici_simd_codec_join_avx512;
    loops->between = padici_simd_codec_between_avx512;
    loops->close = padici_simd_codec_close_avx512;
}

#undef PADICI_CODEC_TAP_STRIPE
#undef PADICI_CODEC_LARGE

#endif
// room: src/simd/codec/vbmi.c:7
#if PADICI_IMPLEMENT_SIMD && !defined(PADIC_NO_CODEC) && PADICI_SIMD_X86

// ---- AVX-512 with VBMI: any 8 bytes of 64 are one instruction away

PADICI_IFMA static void padici_simd_codec_packed_bytes_ifma(const uint8_t *p, uint32_t base,
                                                            uint32_t width, uint8_t *data, size_t n)
{
    const __m512i mask = _mm512_set1_epi8((char)((1u << width) - 1));
    const __m512i add = _mm512_set1_epi8((char)base);
    uint8_t take[64], shift[64];
    __m512i from, by;
    size_t i, j;
    for (j = 0; j < 64; j++) {
        take[j] = (uint8_t)(j / 8 * width + j % 8);
        shift[j] = (uint8_t)(j % 8 * width);
    }
    from = padici_avx512_load(take);
    by = padici_avx512_load(shift);
    for (i = 0; i + 64 <= n && (n - i) * width / 8 + 8 >= 64; i += 64, p += 8 * width) {
        const __m512i v = _mm512_permutexvar_epi8(from, padici_avx512_load(p));
        const __m512i b = _mm512_and_si512(_mm512_multishift_epi64_epi8(by, v), mask);
        padici_avx512_store(data + i, _mm512_add_epi8(b, add));
    }
    padici_codec_packed_bytes(p, base, width, data + i, n - i);
}

PADICI_FN PADICI_IFMA void padici_simd_codec_fixed_ifma(const uint8_t *p, const uint8_t *end,
                                                        uint32_t width, uint64_t *z, size_t n)
{
    size_t i = 0;
    if (width - 1 < 57) {
        const __m512i bit = _mm512_mullo_epi64(padici_avx512_lanes(), padici_avx512_all(width));
        const __m512i mask = padici_avx512_all(~UINT64_C(0) >> (64 - width));
        for (; i + 8 <= n && end - p >= 56; i += 8, p += width) {
            const __m512i v = padici_simd_codec_window(padici_avx512_load(p), bit);
            padici_avx512_store(z + i, _mm512_and_si512(v, mask));
        }
    }
    padici_codec_fixed_loop(p, end, width, z + i, n - i);
}

// 8 words of buckets whose plain bits lie in 64 bytes from bit `at` of `p` on; returns their number
// of bits.
PADICI_IFMA PADICI_INLINE uint32_t padici_simd_codec_buckets8(const uint8_t *tokens, __m128i m,
                                                              __m512i lead, const uint8_t *p,
                                                              uint64_t at, uint64_t *z)
{
    const __m512i below = _mm512_sub_epi64(lead, _mm512_set1_epi64(1));
    const __m128i t = _mm_loadl_epi64((const __m128i *)(const void *)tokens);
    const __m128i t16 = _mm_cvtepu8_epi16(t);
    const __m128i e16 = _mm_min_epu16(_mm_subs_epu16(_mm_srl_epi16(t16, m), _mm_set1_epi16(1)),
                                      _mm_set1_epi16(63));
    __m128i sum = _mm_add_epi16(e16, _mm_slli_si128(e16, 2));
    __m512i t64 = _mm512_cvtepu8_epi64(t), e = _mm512_cvtepu16_epi64(e16), bit, v, mask;
    const __m512i led = _mm512_or_si512(_mm512_and_si512(t64, below), lead);
    sum = _mm_add_epi16(sum, _mm_slli_si128(sum, 4));
    sum = _mm_add_epi16(sum, _mm_slli_si128(sum, 8));
    bit = _mm512_add_epi64(_mm512_cvtepu16_epi64(_mm_sub_epi16(sum, e16)),
                           padici_avx512_all(at & 7));
    v = padici_simd_codec_window(padici_avx512_load(p + (at >> 3)), bit);
    mask = _mm512_sub_epi64(_mm512_sllv_epi64(_mm512_set1_epi64(1), e), _mm512_set1_epi64(1));
    t64 = _mm512_mask_mov_epi64(t64, _mm512_test_epi64_mask(e, e), led);
    t64 = _mm512_add_epi64(_mm512_sllv_epi64(t64, e), _mm512_and_si512(v, mask));
    padici_avx512_store(z, t64);
    return (uint32_t)_mm_extract_epi16(sum, 7);
}

PADICI_IFMA static size_t padici_simd_codec_buckets_ifma(padici_codec_decoder *decoder, uint64_t *z,
                                                         size_t from, size_t to)
{
    const __m128i m = _mm_cvtsi32_si128((int)decoder->m);
    const __m512i lead = padici_avx512_all(UINT64_C(1) << decoder->m);
    const __m512i least = _mm512_set1_epi8((char)(2u << decoder->m)); // they have plain bits
    const uint8_t *p = decoder->plain, *tokens = decoder->tokens;
    const uint64_t end = decoder->end;
    uint64_t at = decoder->at, first = 0;
    uint8_t rest[128]; // the last bits, padded for wide loads
    size_t i = from, look = from;
    while (decoder->widest <= 57 && i < to && at <= end) {
        uint32_t bits;
        if (i >= look) {
            look = i + 64;
            if (look <= to && !_mm512_cmpge_epu8_mask(padici_avx512_load(tokens + i), least)) {
                for (; i < look; i += 8) {
                    const __m128i t = _mm_loadl_epi64((const __m128i *)(const void *)(tokens + i));
                    padici_avx512_store(z + i, _mm512_cvtepu8_epi64(t));
                }
                continue;
            }
        }
        if (p != rest && at + 56 * 8 > end) { // 8 bytes past the end may be loaded
            first = at & ~(uint64_t)7;
            memset(rest, 0, sizeof rest);
            memcpy(rest, p + first / 8, (size_t)((end - first + 7) / 8));
            p = rest;
        }
        if (i + 8 <= to) {
            bits = padici_simd_codec_buckets8(tokens + i, m, lead, p, at - first, z + i);
            if (bits > end - at) break; // padici_codec_buckets_loop() finds where it ends
        } else {
            uint64_t few[8];
            uint8_t last[8] = {0, 0, 0, 0, 0, 0, 0, 0};
            memcpy(last, tokens + i, to - i);
            bits = padici_simd_codec_buckets8(last, m, lead, p, at - first, few);
            if (bits > end - at) break;
            memcpy(z + i, few, (to - i) * sizeof *z);
        }
        at += bits;
        i = padici_codec_least(i + 8, to);
    }
    decoder->at = at;
    return padici_codec_buckets_loop(decoder, z, i, to);
}

PADICI_FN void padici_simd_codec_unpack_vbmi(padici_codec_loops *loops)
{
    loops->fixed = padici_simd_codec_fixed_ifma;
    loops->buckets = padici_simd_codec_buckets_ifma;
    loops->narrow = padici_simd_codec_narrow_ifma;
    loops->packed_bytes = padici_simd_codec_packed_bytes_ifma;
}

#endif
// room: src/simd/codec/blocks_vbmi.c:13
#if PADICI_IMPLEMENT_SIMD && !defined(PADIC_NO_CODEC) && PADICI_SIMD_X86

// ---- AVX-512 with VBMI: blocks whose words fit into 32 bits, 16 at a time

#define PADICI_CODEC_NARROW_TILE 2048u

// A lane sum that overflows 32 bits sets the sign of `over`.
PADICI_IFMA PADICI_INLINE __m512i padici_simd_codec_narrow_add(__m512i a, __m512i b, __m512i *over)
{
    const __m512i sum = _mm512_add_epi32(a, b);
    const __m512i left = _mm512_ternarylogic_epi32(a, b, sum, 0x42); // signs a = b != sum
    *over = _mm512_or_si512(*over, left);
    return sum;
}

PADICI_IFMA PADICI_INLINE __m512i padici_simd_codec_narrow_unfold(__m512i z)
{
    const __m512i half = _mm512_srli_epi32(z, 1);
    return _mm512_mask_xor_epi32(half, _mm512_test_epi32_mask(z, _mm512_set1_epi32(1)), half,
                                 _mm512_set1_epi32(-1));
}

PADICI_IFMA PADICI_INLINE __mmask16 padici_simd_codec_narrow_there(size_t left)
{
    return (__mmask16)(left >= 16 ? 0xffff : (1u << left) - 1);
}

// Reduces a longer word so that its unfolded value is right modulo 2^32.
PADICI_INLINE uint32_t padici_simd_codec_narrow_cut(uint64_t z, int zigzag)
{
    uint32_t r = (uint32_t)padici_codec_unfold(z);
    return zigzag && z >> 32 ? r << 1 ^ (0 - (r >> 31)) : (uint32_t)z;
}

// 1 if the packed words have exactly the expected size and none has more than `most` bits.
static int padici_simd_codec_narrow_fits(const padici_codec_decoder *decoder, size_t n,
                                         uint32_t most)
{
    uint64_t bytes = decoder->at;
    size_t g, e, place = decoder->place;
    for (g = 0; g * PADICI_CODEC_GROUP < n; g++) {
        if (decoder->widths[g] > most) return 0;
        const size_t count = padici_codec_least(n - g * PADICI_CODEC_GROUP, PADICI_CODEC_GROUP);
        bytes += (count * decoder->widths[g] + 7) / 8;
    }
    if (bytes != decoder->end) return 0;
    for (e = 0; e < decoder->exceptions; e++) {
        if (e && decoder->gaps[e] >= n - place) return 0;
        if (e) place += (size_t)decoder->gaps[e] + 1;
        if (place >= n) return 0;
        if (most < 64 && decoder->high[e] >> (most - decoder->widths[place / PADICI_CODEC_GROUP]))
            return 0;
    }
    return 1;
}

// A group of more than 32 bits per word.
PADICI_IFMA PADICI_NOINLINE static void padici_simd_codec_narrow_long(padici_codec_decoder *decoder,
                                                                      uint8_t *x, size_t from,
                                                                      size_t count, uint32_t width,
                                                                      int zigzag)
{
    uint64_t words[PADICI_CODEC_GROUP];
    size_t i;
    padici_simd_codec_fixed_ifma(decoder->plain + decoder->at, decoder->plain + decoder->end, width,
                                 words, count);
    while (decoder->exceptions && decoder->place < from + count) {
        if (width < 64) words[decoder->place - from] |= *decoder->high << width;
        decoder->high++;
        decoder->gaps++;
        if (--decoder->exceptions) decoder->place += (size_t)*decoder->gaps + 1;
    }
    for (i = 0; i < count; i++) {
        const uint32_t word = padici_simd_codec_narrow_cut(words[i], zigzag);
        memcpy(x + 4 * (from + i), &word, 4);
    }
}

// Words [from, to); `from` starts a group.
PADICI_IFMA static void padici_simd_codec_narrow_fixed(padici_codec_decoder *decoder, uint8_t *x,
                                                       size_t from, size_t to, int zigzag)
{
    const __m512i lane = _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
    const __m512i four = _mm512_set1_epi32(0x03020100);
    const uint8_t *const end = decoder->plain + decoder->end;
    uint64_t words[PADICI_CODEC_GROUP];
    for (; from < to; from += PADICI_CODEC_GROUP) {
        const size_t count = padici_codec_least(to - from, PADICI_CODEC_GROUP);
        const uint32_t width = decoder->widths[from / PADICI_CODEC_GROUP];
        const uint8_t *p = decoder->plain + decoder->at;
        uint32_t word;
        size_t i = 0;
        if (width > 32) {
            padici_simd_codec_narrow_long(decoder, x, from, count, width, zigzag);
        } else if (width <= 25) {
            const __m512i bit = _mm512_mullo_epi32(lane, _mm512_set1_epi32((int)width));
            const __m512i mask = _mm512_set1_epi32((int)((1u << width) - 1));
            const __m512i down = _mm512_and_si512(bit, _mm512_set1_epi32(7));
            __m512i take = _mm512_srli_epi32(bit, 3);
            take = _mm512_add_epi32(_mm512_mullo_epi32(take, _mm512_set1_epi32(0x01010101)), four);
            for (; i + 16 <= count && end - p >= 56; i += 16, p += 2 * width) {
                __m512i v = _mm512_permutexvar_epi8(take, padici_avx512_load(p));
                _mm_prefetch((const char *)p + 2048, _MM_HINT_T0);
                v = _mm512_and_si512(_mm512_srlv_epi32(v, down), mask);
                padici_avx512_store(x + 4 * (from + i), v);
            }
        } else {
            const __m512i bit = _mm512_mullo_epi64(padici_avx512_lanes(), padici_avx512_all(width));
            const __m512i mask = padici_avx512_all(~UINT64_C(0) >> (64 - width));
            for (; i + 8 <= count && end - p >= 56; i += 8, p += width) {
                const __m512i v = padici_simd_codec_window(padici_avx512_load(p), bit);
                const __m256i cut = _mm512_cvtepi64_epi32(_mm512_and_si512(v, mask));
                _mm256_storeu_si256((__m256i *)(void *)(x + 4 * (from + i)), cut);
            }
        }
        if (i < count && width <= 32) {
            size_t k;
            padici_simd_codec_fixed_ifma(p, end, width, words, count - i);
            for (k = 0; k < count - i; k += 8)
                _mm512_mask_cvtepi64_storeu_epi32(
                    x + 4 * (from + i + k), (__mmask8)padici_simd_codec_narrow_there(count - i - k),
                    padici_avx512_load(words + k));
        }
        decoder->at += (count * width + 7) / 8;
        while (decoder->exceptions && decoder->place < from + count) {
            memcpy(&word, x + 4 * decoder->place, 4);
            word = padici_simd_codec_narrow_cut(word | *decoder->high++ << width, zigzag);
            memcpy(x + 4 * decoder->place, &word, 4);
            decoder->gaps++;
            if (--decoder->exceptions) decoder->place += (size_t)*decoder->gaps + 1;
        }
    }
}

// Folded differences at a distance below 16 to words. Those of 16 lanes have no more than 28 bits,
// so that their sums fit; `kept` holds the 16 words before `from`.
PADICI_IFMA PADICI_INLINE void padici_simd_codec_narrow_scan(uint8_t *x, size_t from, size_t to,
                                                             const padici_codec_op *op,
                                                             const uint32_t kept[16], __m512i *over,
                                                             uint32_t steps, int apart, int zigzag)
{
    const uint32_t stride = op->stride;
    // words are loaded before the previous ones are stored, as in ..._narrow_short()
    __m512i back[4], next, carry, sum = *over, z = padici_avx512_load(x + 4 * from);
    __mmask16 have[4], there;
    uint32_t lanes[16], k;
    size_t i = from;
    for (k = 0; k < 4; k++) {
        uint32_t j;
        for (j = 0; j < 16; j++) lanes[j] = (j - (stride << k)) & 15;
        back[k] = padici_avx512_load(lanes);
        have[k] = (__mmask16)(stride << k < 16 ? 0xffffu << (stride << k) : 0);
    }
    for (k = 0; k < 16; k++) lanes[k] = 16 - stride + k % stride;
    next = padici_avx512_load(lanes);
    while (i < to) {
        const size_t place = i % op->segment, end = padici_codec_least(i + op->segment - place, to);
        for (k = 0; k < 16; k++)
            lanes[k] = place + k % stride < stride ? 0 : kept[16 - stride + k % stride];
        carry = padici_avx512_load(lanes);
#define PADICI_CODEC_UP(K) \
    if (steps > (K)) \
        v = _mm512_add_epi32(v, _mm512_maskz_permutexvar_epi32(have[K], back[K], v))
#define PADICI_CODEC_ROW(WORDS, NEXT, STORE) \
    do { \
        __m512i v = WORDS, w; \
        if (zigzag) v = padici_simd_codec_narrow_unfold(v); \
        PADICI_CODEC_UP(0); \
        PADICI_CODEC_UP(1); \
        PADICI_CODEC_UP(2); \
        PADICI_CODEC_UP(3); \
        w = padici_simd_codec_narrow_add(v, carry, &sum); \
        NEXT; \
        STORE; \
        carry = apart ? _mm512_add_epi32(carry, _mm512_permutexvar_epi32(next, v)) \
                      : _mm512_permutexvar_epi32(next, w); \
    } while (0)
        for (; i + 16 <= end; i += 16)
            PADICI_CODEC_ROW(z, z = padici_avx512_load(x + 4 * i + 64),
                       padici_avx512_store(x + 4 * i, w));
        there = padici_simd_codec_narrow_there(end - i);
        if (i < end)
            PADICI_CODEC_ROW(_mm512_maskz_mov_epi32(there, z), z = padici_avx512_load(x + 4 * end),
                       _mm512_mask_storeu_epi32(x + 4 * i, there, w));
#undef PADICI_CODEC_ROW
#undef PADICI_CODEC_UP
        i = end;
    }
    *over = sum;
}

// Differences of neighbours inside segments of 2 to 16 words: as many whole segments as fit at a
// time.
PADICI_IFMA static void padici_simd_codec_narrow_short(uint8_t *x, size_t from, size_t to,
                                                       uint32_t segment, uint32_t carry, int zigzag)
{
    const size_t each = 16 - 16 % segment;
    __m512i back[4], next;
    __mmask16 have[4] = {0, 0, 0, 0}, there;
    uint32_t lanes[16], k, j;
    size_t i = from, count;
    for (k = 0; k < 4; k++) {
        for (j = 0; j < 16; j++) {
            lanes[j] = (j - (1u << k)) & 15;
            if (j % segment >= 1u << k) have[k] = (__mmask16)(have[k] | 1u << j);
        }
        back[k] = padici_avx512_load(lanes);
    }
    for (; i < to && i % segment; i++) { // of a segment that started earlier
        uint32_t z;
        memcpy(&z, x + 4 * i, 4);
        carry += zigzag ? z >> 1 ^ (0 - (z & 1)) : z;
        memcpy(x + 4 * i, &carry, 4);
    }
    // the next words are loaded before these are stored: a load right after a masked store waits
    for (there = padici_simd_codec_narrow_there(padici_codec_least(each, to - i)),
         next = _mm512_maskz_loadu_epi32(there, x + 4 * i);
         i < to; i += count) {
        const __mmask16 here = there;
        __m512i v = next;
        count = padici_codec_least(each, to - i);
        there = padici_simd_codec_narrow_there(padici_codec_least(each, to - i - count));
        next = _mm512_maskz_loadu_epi32(there, x + 4 * (i + count));
        if (zigzag) v = padici_simd_codec_narrow_unfold(v);
        for (k = 0; 1u << k < segment; k++)
            v = _mm512_add_epi32(v, _mm512_maskz_permutexvar_epi32(have[k], back[k], v));
        _mm512_mask_storeu_epi32(x + 4 * i, here, v);
    }
}

PADICI_IFMA static void padici_simd_codec_narrow_near(uint8_t *x, size_t from, size_t to,
                                                      const padici_codec_op *op, uint32_t kept[16],
                                                      __m512i *over, int zigzag)
{
    if (op->segment < 32)
        padici_simd_codec_narrow_short(x, from, to, op->segment, kept[15], zigzag);
    else if (!zigzag)
        padici_simd_codec_narrow_scan(x, from, to, op, kept, over, 4, 0, 0);
    else if (op->stride == 1)
        padici_simd_codec_narrow_scan(x, from, to, op, kept, over, 4, 1, 1);
    else if (op->stride == 2)
        padici_simd_codec_narrow_scan(x, from, to, op, kept, over, 3, 1, 1);
    else if (op->stride == 3)
        padici_simd_codec_narrow_scan(x, from, to, op, kept, over, 3, 0, 1);
    else
        padici_simd_codec_narrow_scan(x, from, to, op, kept, over, op->stride < 8 ? 2 : 1, 0, 1);
    memcpy(kept, x + 4 * (to - 16), 64);
}

// The same at a distance of at least 16.
PADICI_IFMA static void padici_simd_codec_narrow_far(uint8_t *x, size_t from, size_t to,
                                                     const padici_codec_op *op, int zigzag,
                                                     __m512i *over)
{
    const size_t stride = op->stride;
    __m512i sum = *over;
    size_t i = from;
    while (i < to) {
        const size_t place = i % op->segment, end = padici_codec_least(i + op->segment - place, to);
        const size_t edge = place < stride ? padici_codec_least(i + stride - place, end) : i;
        for (; zigzag && i < edge; i += 16) {
            const __mmask16 there = padici_simd_codec_narrow_there(edge - i);
            const __m512i v = _mm512_maskz_loadu_epi32(there, x + 4 * i);
            _mm512_mask_storeu_epi32(x + 4 * i, there, padici_simd_codec_narrow_unfold(v));
        }
        for (i = edge; i + 16 <= end; i += 16) {
            __m512i v = padici_avx512_load(x + 4 * i);
            if (zigzag) v = padici_simd_codec_narrow_unfold(v);
            v = padici_simd_codec_narrow_add(v, padici_avx512_load(x + 4 * (i - stride)), &sum);
            padici_avx512_store(x + 4 * i, v);
        }
        if (i < end) {
            const __mmask16 there = padici_simd_codec_narrow_there(end - i);
            __m512i v = _mm512_maskz_loadu_epi32(there, x + 4 * i);
            if (zigzag) v = padici_simd_codec_narrow_unfold(v);
            v = padici_simd_codec_narrow_add(
                v, _mm512_maskz_loadu_epi32(there, x + 4 * (i - stride)), &sum);
            _mm512_mask_storeu_epi32(x + 4 * i, there, v);
        }
        i = end;
    }
    *over = sum;
}

// Words [from, to) to elements; `wide` has room for a tile of longer words.
PADICI_IFMA static void padici_simd_codec_narrow_elements(const uint8_t *x, size_t from, size_t to,
                                                          const padici_codec_transform *transform,
                                                          padic_dtype dtype, uint64_t *wide,
                                                          uint8_t *raw)
{
    const uint32_t size = padic_dtype_size(dtype);
    size_t i = from, done;
    if (transform->kind == PADICI_CODEC_TRANSFORM_BITS && transform->shift == 0 &&
        padici_codec_is_float(dtype) && size == 4 && transform->step == 1 &&
        transform->first == 0) {
        for (; i + 16 <= to; i += 16) {
            const __m512i v = padici_avx512_load(x + 4 * i);
            const __m512i sign = _mm512_srli_epi32(_mm512_srai_epi32(v, 31), 1);
            padici_avx512_store(raw + 4 * i, _mm512_xor_si512(v, sign));
        }
    }
    if (transform->kind == PADICI_CODEC_TRANSFORM_FIELDS && size == 4 && transform->step == 1 &&
        transform->first == 0)
        for (; i + 16 <= to; i += 16)
            padici_avx512_store(raw + 4 * i, _mm512_ror_epi32(padici_avx512_load(x + 4 * i), 1));
    if (transform->kind <= PADICI_CODEC_TRANSFORM_FIELDS && transform->shift == 0 &&
        padici_codec_is_float(dtype) && size == 2 && transform->step == 1 &&
        transform->first == 0) {
        const int bits = transform->kind == PADICI_CODEC_TRANSFORM_BITS;
        for (; i + 16 <= to; i += 16) {
            const __m512i v = padici_avx512_load(x + 4 * i), up = _mm512_slli_epi32(v, 16);
            const __m512i twice = _mm512_or_si512(up, _mm512_srli_epi32(up, 16));
            const __m512i turned = _mm512_srli_epi32(twice, 1);
            const __m512i sign = _mm512_srli_epi32(_mm512_srai_epi32(up, 31), 17);
            _mm256_storeu_si256((__m256i *)(void *)(raw + 2 * i),
                                _mm512_cvtepi32_epi16(bits ? _mm512_xor_si512(v, sign) : turned));
        }
    }
    // n times a power of 2 is rounded once, to a float or first to a double, which it is
    if (transform->kind == PADICI_CODEC_TRANSFORM_SCALE && dtype == PADIC_F32 &&
        transform->step == 1 && transform->first == 0 &&
        (transform->g & ((UINT64_C(1) << 52) - 1)) == 0 && transform->g >> 52 >= 1023 - 126 &&
        transform->g >> 52 <= 1023 + 96) {
        const __m512 g = _mm512_set1_ps((float)padici_codec_double_of(transform->g));
        for (; i + 16 <= to; i += 16)
            _mm512_storeu_ps((float *)(void *)(raw + 4 * i),
                             _mm512_mul_ps(_mm512_cvtepi32_ps(padici_avx512_load(x + 4 * i)), g));
    }
    i = padici_simd_codec_scaled_avx512(x, i, to, transform, dtype, raw);
    if (i == to) return;
    for (done = i; i < to; i += 8) {
        const __mmask8 there = (__mmask8)padici_simd_codec_narrow_there(to - i);
        const __m256i v = _mm512_castsi512_si256(_mm512_maskz_loadu_epi32(there, x + 4 * i));
        padici_avx512_store(wide + (i - done), _mm512_cvtepi32_epi64(v));
    }
    padici_simd_codec_elements_avx512(transform, dtype, wide, raw + done * size, to - done);
}

// A whole block whose words fit into 32 bits, or whose elements depend only on that many bits of
// them: see padici_codec_loops.
PADICI_FN PADICI_IFMA int padici_simd_codec_narrow_ifma(const padici_codec_decoder *given,
                                                        const padici_codec_predictor *predictor,
                                                        int zigzag,
                                                        const padici_codec_transform *transform,
                                                        padic_dtype dtype, void *space,
                                                        uint8_t *raw, size_t n)
{
    padici_codec_decoder decoder = *given;
    uint8_t *const x = (uint8_t *)space;
    uint64_t *const wide = (uint64_t *)space + n / 2 + 16; // after the words
    const int cut = padic_dtype_size(dtype) <= 4 &&
                    transform->kind <= PADICI_CODEC_TRANSFORM_FIELDS && transform->shift == 0;
    __m512i over = _mm512_setzero_si512();
    size_t from, to, ready = 0, step = PADICI_CODEC_NARROW_TILE;
    uint32_t kept[3][16], k, near_ops = 0, most = cut ? 64 : predictor->count ? 28 : 31, sums = 1;
    if (n < 4 * PADICI_CODEC_NARROW_TILE || (predictor->count && !zigzag) ||
        predictor->kind == PADICI_CODEC_PREDICTOR_XOR ||
        predictor->kind >= PADICI_CODEC_PREDICTOR_MEDIAN)
        return 0;
    for (k = 0; k < predictor->count; k++) {
        const padici_codec_op *op = predictor->op + k;
        if (op->stride < 16) {
            if (k != near_ops || k == 3 || (k && op[-1].segment >= 32 && !cut) ||
                (op->segment < 32 && (op->stride > 1 || op->segment > 16)))
                return 0;
            near_ops++;
            sums *= op->segment < 32 ? op->segment : 15 / op->stride + 1;
        } else if (k + 1 < predictor->count) { // it is looked back at, inside its segments
            step = (step + op->segment - 1) / op->segment * op->segment;
        }
    }
    for (k = near_ops; k + 1 < predictor->count; k++)
        if (step % predictor->op[k].segment) step = n;
    for (; sums > 16 && !cut; sums = (sums + 1) / 2) most--;
    if (!padici_simd_codec_narrow_fits(&decoder, n, most)) return 0;
    memset(kept, 0, sizeof kept);
    for (from = 0; from < n; from = to) {
        size_t done;
        to = n - from < step + 16 ? n : from + step; // the last one has at least 16
        while (ready < to) {
            done = ready;
            ready = n - done < PADICI_CODEC_NARROW_TILE + 16 ? n : done + PADICI_CODEC_NARROW_TILE;
            padici_simd_codec_narrow_fixed(&decoder, x, done, ready, zigzag);
            for (k = 0; k < near_ops; k++)
                padici_simd_codec_narrow_near(x, done, ready, predictor->op + k, kept[k], &over,
                                              k == 0);
        }
        for (k = near_ops; k < predictor->count; k++)
            padici_simd_codec_narrow_far(x, from, to, predictor->op + k, k == 0, &over);
        if (!cut && _mm512_movepi32_mask(over)) return 0;
        for (done = from; done < to;) {
            const size_t end = padici_codec_least(done + PADICI_CODEC_NARROW_TILE, to);
            padici_simd_codec_narrow_elements(x, done, end, transform, dtype, wide, raw);
            done = end;
        }
    }
    return 1;
}

#undef PADICI_CODEC_NARROW_TILE

#endif
// room: src/simd/wave/kernels.c:4
#if PADICI_IMPLEMENT_SIMD && !defined(PADIC_NO_WAVE)

// The arguments of the kernels of tiles, vortices and fields, and the kernels: this header includes
// itself once for each instruction set.


#endif
// room: src/simd/wave/tiles.c:4
#if PADICI_IMPLEMENT_SIMD && !defined(PADIC_NO_WAVE) && (PADICI_SIMD_X86 || PADICI_SIMD_ARM)

// Tiles of points: the points of a tile, its centre and half its diagonal, and its rows.

// A tile of a grid has about the same extent along each axis.
PADICI_FN void padici_wave_tiles_cut(padici_wave_tiles *w)
{
    double extent[3];
    uint32_t a, i, best;
    w->listed = w->desc->points.dtype != PADIC_DTYPE_NONE;
    for (a = 0; a < 3; a++) {
        const double *s = w->job.step[a];
        extent[a] = sqrt(s[0] * s[0] + s[1] * s[1] + s[2] * s[2]);
        w->log[a] = 0;
    }
    for (i = 0; i < 8; i++) {
        for (a = best = 3; a-- > 0;)
            if (w->job.count[a] >> w->log[a] > 1 && (best == 3 || extent[a] < extent[best]))
                best = a;
        if (w->listed || best == 3) best = 0;
        w->log[best]++;
        extent[best] *= 2;
    }
    w->tile_count = 1;
    for (a = 0; a < 3; a++) {
        w->grid_tiles[a] = (w->job.count[a] + (UINT64_C(1) << w->log[a]) - 1) >> w->log[a];
        w->tile_count *= w->grid_tiles[a];
    }
}

// Coordinate `axis` of n listed points.
static void padici_wave_tile_column(const padici_wave_tiles *w, uint32_t axis, uint64_t first,
                                    uint32_t n, double *to)
{
    const padic_tensor *points = &w->desc->points;
    const int64_t step = w->job.point_stride[0], size = (int64_t)padic_dtype_size(points->dtype);
    const char *from = (const char *)points->data +
                       ((int64_t)first * step + (int64_t)axis * w->job.point_stride[1]) * size;
    uint32_t i;
    if (axis >= points->shape[1]) {
        for (i = 0; i < n; i++) to[i] = 0;
    } else if (points->dtype == PADIC_F64) {
        for (i = 0; i < n; i++) memcpy(&to[i], from + (int64_t)i * step * 8, 8);
    } else {
        for (i = 0; i < n; i++) {
            float single;
            memcpy(&single, from + (int64_t)i * step * 4, 4);
            to[i] = (double)single;
        }
    }
}

// The axis with most points of a tile of a grid; its rows are consecutive.
static uint32_t padici_wave_tiles_slow(const padici_wave_tiles *w)
{
    uint32_t a, slow = 0;
    for (a = 1; a < 3; a++)
        if (w->log[a] > w->log[slow]) slow = a;
    return slow;
}

// Indices and positions of the points of tile `number`.
static void padici_wave_tile_points(const padici_wave_tiles *w, uint64_t number,
                                    padici_wave_tile *t)
{
    const padic_wave_superpose_desc *desc = w->desc;
    const uint64_t *count = w->job.count;
    uint64_t first[3], end[3], i[3];
    const uint32_t slow = padici_wave_tiles_slow(w), middle = slow == 0, fast = slow == 2 ? 1 : 2;
    uint32_t a, n = 0;
    first[2] = number % w->grid_tiles[2];
    first[1] = number / w->grid_tiles[2] % w->grid_tiles[1];
    first[0] = number / w->grid_tiles[2] / w->grid_tiles[1];
    for (a = 0; a < 3; a++) {
        first[a] <<= w->log[a];
        end[a] = first[a] + (UINT64_C(1) << w->log[a]);
        if (end[a] > count[a]) end[a] = count[a];
    }
    for (i[slow] = first[slow]; i[slow] < end[slow] && !w->listed; i[slow]++)
        for (i[middle] = first[middle]; i[middle] < end[middle]; i[middle]++)
            for (i[fast] = first[fast]; i[fast] < end[fast]; i[fast]++, n++) {
                t->index[n] = (i[0] * count[1] + i[1]) * count[2] + i[2];
                for (a = 0; a < 3; a++)
                    t->at[a][n] = desc->grid.origin[a] + ((double)i[0] * w->job.step[0][a] +
                                                          (double)i[1] * w->job.step[1][a] +
                                                          (double)i[2] * w->job.step[2][a]);
            }
    if (w->listed) {
        n = (uint32_t)(end[0] - first[0]);
        for (a = 0; a < 3; a++) padici_wave_tile_column(w, a, first[0], n, t->at[a]);
        for (a = 0; a < n; a++) t->index[a] = first[0] + a;
    }
    t->points = n;
    t->vectors = (n + 31) / 32 * 32;
    for (a = 0; a < 3; a++)
        for (n = t->points; n < t->vectors; n++) t->at[a][n] = t->at[a][t->points - 1];
}

// The least and the largest of n numbers, a multiple of 8: eight independent chains.
static void padici_wave_tile_range(const double *x, uint32_t n, double *low, double *high)
{
    double least[8], most[8];
    uint32_t i, j;
    for (j = 0; j < 8; j++) least[j] = most[j] = x[j];
    for (i = 8; i < n; i += 8)
        for (j = 0; j < 8; j++) {
            least[j] = x[i + j] < least[j] ? x[i + j] : least[j];
            most[j] = x[i + j] > most[j] ? x[i + j] : most[j];
        }
    *low = least[0];
    *high = most[0];
    for (j = 1; j < 8; j++) {
        *low = least[j] < *low ? least[j] : *low;
        *high = most[j] > *high ? most[j] : *high;
    }
}

// Rows of a whole tile of a grid, at least as long as a vector.
static void padici_wave_tile_rows_begin(const padici_wave_tiles *w, padici_wave_tile *t)
{
    const uint32_t slow = padici_wave_tiles_slow(w);
    const double *step = w->job.step[slow];
    double size = sqrt(step[0] * step[0] + step[1] * step[1] + step[2] * step[2]);
    uint32_t i, a;
    t->row_count = 0;
    if (w->listed || t->points < PADICI_WAVE_TILE_POINTS || !(size > 0)) return;
    t->row = PADICI_WAVE_TILE_POINTS >> w->log[slow];
    for (a = 0; a < 3; a++) t->way[a] = step[a] / size;
    for (; t->row < 16; t->row *= 2) size *= 2;
    t->row_count = PADICI_WAVE_TILE_POINTS / t->row;
    t->step = size;
    for (i = 0; i < PADICI_WAVE_TILE_POINTS; i++) {
        double along = 0;
        for (a = 0; a < 3; a++) along += (t->at[a][i] - t->centre[a]) * t->way[a];
        t->along[i] = (float)along;
    }
}

// 32 points from i on, relative to the centre: a fixed count that compilers vectorise.
static void padici_wave_tile_from_centre(padici_wave_tile *t, uint32_t i)
{
    const double x = t->centre[0], y = t->centre[1], z = t->centre[2];
    uint32_t j;
    for (j = 0; j < 32; j++) {
        const double dx = t->at[0][i + j] - x, dy = t->at[1][i + j] - y, dz = t->at[2][i + j] - z;
        t->d[0][i + j] = (float)dx;
        t->d[1][i + j] = (float)dy;
        t->d[2][i + j] = (float)dz;
        t->d[3][i + j] = (float)(dx * dx + dy * dy + dz * dz);
    }
    for (j = 0; j < 32; j++) t->total[0][i + j] = t->total[1][i + j] = 0;
}

PADICI_FN void padici_wave_tile_begin(const padici_wave_tiles *w, uint64_t number,
                                      padici_wave_tile *t)
{
    double r2 = 0;
    uint32_t i, a;
    padici_wave_tile_points(w, number, t);
    for (a = 0; a < 3; a++) {
        double low, high;
        padici_wave_tile_range(t->at[a], t->vectors, &low, &high);
        t->centre[a] = (low + high) / 2;
        r2 += (high - low) * (high - low) / 4;
    }
    t->radius = sqrt(r2);
    for (i = 0; i < t->vectors; i += 32) padici_wave_tile_from_centre(t, i);
    t->close = 0;
    if (w->slopes) { // closer than this, rounding a point to f32 costs a slope its tolerance
        const double least = 2.4e-7 * t->radius / (PADICI_TWO_PI * w->tolerance + 2e-6);
        t->close = (float)(least * least > PADICI_WAVE_TILE_CLOSE ? least * least
                                                                  : PADICI_WAVE_TILE_CLOSE);
        memset(t->slope, 0, sizeof t->slope);
    }
    padici_wave_tile_rows_begin(w, t);
}

#endif
// room: src/simd/wave/ways.c:3
#if PADICI_IMPLEMENT_SIMD && !defined(PADIC_NO_WAVE) && (PADICI_SIMD_X86 || PADICI_SIMD_ARM)

// Chooses the method of each source for a tile: the first whose error the tolerance allows.

// The error that rows add to the series, in turns; 1: rows must not be used. The third derivative
// of r along a line is at most 1.155/r^2.
static double padici_wave_tile_rows_error(const padici_wave_tile *t, double r0, double number)
{
    const double half = t->step * t->row_count / 2, least = r0 - t->radius;
    if (t->row_count < 8 || t->soft == PADICI_WAVE_TILE_PLUMMER) return 1;
    if (half * half * half > 1e-7 * least * least * least) return 1; // of the amplitude
    if (number * t->step * t->step > 3e-4 * least) return 1;
    return 6e-7 + 0.193 * number * half * half * half / (least * least);
}

// The error of the phase after the series up to u^4, in turns; 1: the series must not be used.
static double padici_wave_tile_series(const padici_wave_tile *t, double r2, double r0,
                                      double number)
{
    const double h = t->radius, soft = r2 + t->wide_add;
    double u, tail;
    if (!(r0 > 4 * h) || r0 - h <= sqrt(t->wide_least)) return 1;
    u = (2 * r0 + h) * h / soft; // U
    tail = u * u * u * u * u / (1 - u);
    return 63.0 / 256 * tail <= 1e-6 ? 7.0 / 256 * sqrt(soft) * number * tail : 1;
}

static void padici_wave_tile_far_put(const padici_wave_tile *t, padici_wave_tile_far *s,
                                     const double at[3], double r2, double wave, double phase,
                                     double amplitude)
{
    static const double root[5] = {1, 1.0 / 2, -1.0 / 8, 1.0 / 16, -5.0 / 128};
    static const double part[5] = {1, -1.0 / 2, 3.0 / 8, -5.0 / 16, 35.0 / 128};
    static const double fourth[5] = {1, -1.0 / 4, 5.0 / 32, -15.0 / 128, 195.0 / 2048};
    const double soft = r2 + t->wide_add, r0 = sqrt(soft), wider = r2 + t->wide_add + t->wide_widen;
    double size = amplitude / (t->root ? sqrt(sqrt(wider)) : sqrt(wider));
    double turns = wave * r0 + phase;
    uint32_t i;
    turns -= floor(turns + 0.5);
    for (i = 0; i < 3; i++) s->at[i] = (float)(2 * at[i] / soft);
    s->square = (float)(1 / soft);
    for (i = 0; i < 5; i++, size *= soft / wider) {
        s->phase[i] = (float)(i ? 2 * wave * r0 * root[i] : 2 * turns);
        s->size[i] = (float)(size * (t->root ? fourth[i] : part[i]));
    }
}

static void padici_wave_tile_rows_put(padici_wave_tile *t, const double at[3], double r2,
                                      double wave, double phase, double amplitude)
{
    padici_wave_tile_rows *s = &t->rows[t->count[4]++];
    const double r0 = sqrt(r2 + t->wide_add);
    const double part = (at[0] * t->way[0] + at[1] * t->way[1] + at[2] * t->way[2]) / r0;
    double turns = wave * t->step * part;
    padici_wave_tile_far_put(t, &s->far_, at, r2, wave, phase, amplitude);
    turns -= floor(turns + 0.5);
    s->turn = (float)(2 * turns);
    s->wave = (float)(2 * wave * t->step);
    s->slant = (float)(t->step * part);
    s->reach = (float)(part * r0);
    s->r2 = (float)(r2 + t->wide_add);
}

// The data of a source for the kernels of the other methods, phase and wave in half-turns.
static void padici_wave_tile_direct_put(padici_wave_tile *t, const double at[3], double wave,
                                        double phase, double size, uint64_t number)
{
    const double x = at[0], y = at[1], z = at[2];
    padici_wave_tile_source *s = &t->direct[t->count[0]++];
    s->at[0] = (float)x;
    s->at[1] = (float)y;
    s->at[2] = (float)z;
    s->wave = (float)(2 * wave);
    s->phase = (float)(2 * phase);
    s->size = (float)size;
    s->source = (uint32_t)number;
}

static void padici_wave_tile_mid_put(padici_wave_tile *t, const double at[3], double r2,
                                     double wave, double phase, double size)
{
    const double x = at[0], y = at[1], z = at[2];
    padici_wave_tile_source *s = &t->mid[t->count[1]++];
    const double soft = r2 + t->wide_add, root = sqrt(soft);
    double turns = wave * root + phase;
    turns -= floor(turns + 0.5);
    s->at[0] = (float)(2 * x);
    s->at[1] = (float)(2 * y);
    s->at[2] = (float)(2 * z);
    s->wave = (float)(2 * wave);
    s->phase = (float)(2 * turns);
    s->size = (float)size;
    s->r0 = (float)root;
    s->r2 = (float)soft;
}

static void padici_wave_tile_wide_put(const padici_wave_tiles *w, padici_wave_tile *t, uint64_t i)
{
    const double *from = w->sources + i;
    const uint64_t m = w->job.sources;
    padici_wave_tile_wide *s = &t->wide[t->count[2]++];
    s->at[0] = from[0];
    s->at[1] = from[m];
    s->at[2] = from[2 * m];
    s->wave = from[3 * m];
    s->phase = from[4 * m];
    s->size = from[5 * m];
    s->source = (uint32_t)i;
}

// Sorts sources [first, end) by method; returns the largest error, in turns.
PADICI_FN double padici_wave_tile_sort(const padici_wave_tiles *w, padici_wave_tile *t,
                                       uint64_t first, uint64_t end)
{
    const uint64_t m = w->job.sources;
    const double *from = w->sources, h = t->radius, h2 = 2 * h;
    double bound = 0;
    uint64_t i;
    memset(t->count, 0, sizeof t->count);
    for (i = first; i < end && w->in_f64; i++) padici_wave_tile_wide_put(w, t, i);
    for (; i < end; i++) {
        const double x = t->centre[0] - from[i], y = t->centre[1] - from[m + i];
        const double z = t->centre[2] - from[2 * m + i], wave = from[3 * m + i];
        const double r2 = x * x + y * y + z * z, r0 = sqrt(r2), number = fabs(wave);
        const double rest = (1e-15 * (r0 + h) + w->place) * number;
        const double mid = 3e-7 * h * number + 5e-8 + rest;
        const double direct = (2.5e-7 * (r0 + h) + w->place) * number + 5e-8;
        const int held = r0 + h < 1e15, apart = r0 - h > 1e-15; // squares and their inverses in f32
        double error = 4e-8 + rest;
        const double series = w->slopes ? 1 : padici_wave_tile_series(t, r2, r0, number);
        if (mid + series <= w->tolerance && held && apart) {
            const double at[3] = {x, y, z};
            const double rows = padici_wave_tile_rows_error(t, r0, number);
            error = mid + series;
            if (error + rows <= w->tolerance) {
                padici_wave_tile_rows_put(t, at, r2, wave, from[4 * m + i], from[5 * m + i]);
                error += rows;
            } else {
                padici_wave_tile_far_put(t, &t->far_[t->count[3]++], at, r2, wave, from[4 * m + i],
                                         from[5 * m + i]);
            }
        } else if (direct <= w->tolerance && held) {
            const double at[3] = {x, y, z};
            padici_wave_tile_direct_put(t, at, wave, from[4 * m + i], from[5 * m + i], i);
            error = direct;
        } else if (mid <= w->tolerance && r0 > h2 && held && apart &&
                   r0 - h > sqrt(t->wide_least)) {
            const double at[3] = {x, y, z};
            padici_wave_tile_mid_put(t, at, r2, wave, from[4 * m + i], from[5 * m + i]);
            error = mid;
        } else {
            padici_wave_tile_wide_put(w, t, i);
        }
        if (error > bound) bound = error;
    }
    return bound;
}

// The source of a row.
PADICI_FN uint64_t padici_wave_tiles_source(const padici_wave_tiles *w, uint64_t row)
{
    return w->frames ? w->frames->rates[row].source : row;
}

#endif
// room: src/simd/wave/superpose.c:17
#if PADICI_IMPLEMENT_SIMD && !defined(PADIC_NO_WAVE) && (PADICI_SIMD_X86 || PADICI_SIMD_ARM)

// Superposition, frames and gradients: sources by their methods to the sums of a tile, and the
// calls.

// Pairs that f32 took for coincident, which the kernel omitted: computed as by the reference.
static void padici_wave_tile_correct(const padici_wave_tiles *w, padici_wave_slice *slice,
                                     padici_wave_tile *t)
{
    uint32_t i, j;
    for (j = 0; j < t->count[0] + t->count[2]; j++) {
        const int direct = j < t->count[0];
        const padici_wave_tile_source *s = &t->direct[direct ? j : 0];
        padici_wave_source source;
        padici_wave_source_get(
            w->desc,
            padici_wave_tiles_source(w, direct ? s->source : t->wide[j - t->count[0]].source),
            &source);
        for (i = 0; i < t->points; i++) {
            padici_complex sum[4];
            double at[3], r2 = 0;
            const double turn = w->desc->sign == PADIC_WAVE_SIGN_CONJUGATE ? -1 : 1;
            uint32_t a;
            memset(sum, 0, sizeof sum);
            for (a = 0; a < 3; a++) {
                at[a] = t->at[a][i];
                r2 += (at[a] - source.at[a]) * (at[a] - source.at[a]);
            }
            if (direct) {
                const float x = t->d[0][i] + s->at[0], y = t->d[1][i] + s->at[1];
                const float z = t->d[2][i] + s->at[2];
                if (fmaf(z, z, fmaf(y, y, x * x)) - t->close >= FLT_MIN) continue;
            } else if (r2 - (w->slopes ? PADICI_WAVE_TILE_CLOSE : 0) >= w->job.least) {
                continue;
            }
            slice->coincident += (uint32_t)(w->slopes
                ? padici_wave_pair_slope(&w->job, &source, at, sum)
                : padici_wave_pair(&w->job, &source, at, sum));
            t->total[0][i] += sum[0].re;
            t->total[1][i] += turn * sum[0].im;
            for (a = 0; a < 3 && w->slopes; a++) {
                t->slope[2 * a][i] += sum[1 + a].re;
                t->slope[2 * a + 1][i] += turn * sum[1 + a].im;
            }
        }
    }
}

static void padici_wave_tile_store(const padici_wave_tiles *w, padici_wave_slice *slice,
                                   const padici_wave_tile *t)
{
    const padic_wave_superpose_desc *desc = w->desc;
    const int turned = desc->sign == PADIC_WAVE_SIGN_CONJUGATE;
    const int plain = w->listed && desc->out.dtype == PADIC_C64 && !desc->flags;
    uint32_t i;
    for (i = 0; i < t->points; i++) {
        padici_complex psi;
        psi.re = t->total[0][i];
        psi.im = turned ? -t->total[1][i] : t->total[1][i];
        if (plain) {
            float pair[2];
            pair[0] = (float)psi.re;
            pair[1] = (float)psi.im;
            memcpy((char *)desc->out.data + (int64_t)t->index[i] * w->job.stride[0] * 8, pair, 8);
        } else {
            padici_wave_store(&w->job, slice, t->index[i], psi);
        }
    }
}

// Adds the sources of rows [first, end).
static void padici_wave_tile_sum(const padici_wave_tiles *w, uint32_t task, uint64_t first,
                                 uint64_t end)
{
    padici_wave_tile *t = &w->tiles[task];
    uint64_t last;
    uint32_t k;
    for (; first < end; first = last) {
        const uint64_t left = end - first;
        double bound;
        last = first + (left < PADICI_WAVE_TILE_SOURCES ? left : PADICI_WAVE_TILE_SOURCES);
        bound = padici_wave_tile_sort(w, t, first, last);
        if (bound > w->bounds[task]) w->bounds[task] = bound;
        t->bad = 0;
        for (k = 0; k < 5; k++)
            if (t->count[k]) (*w->kernels[k])(t);
        if (t->bad) padici_wave_tile_correct(w, &w->job.slices[task], t);
    }
}

static void padici_wave_tile_frame_store(const padici_wave_tiles *w, padici_wave_slice *slice,
                                         const padici_wave_tile *t, uint64_t f)
{
    const padic_wave_superpose_desc *desc = w->desc;
    const int64_t base = (int64_t)f * w->frames->frame_stride;
    const int plain = desc->out.dtype == PADIC_C64 && !(desc->flags & PADIC_WAVE_FLAG_ACCUMULATE);
    char *out = (char *)desc->out.data;
    uint32_t i;
    for (i = 0; i < t->points; i++) {
        if (plain) {
            float pair[2];
            pair[0] = t->frame[0][i];
            pair[1] = t->frame[1][i];
            memcpy(out + (base + t->place[i]) * 8, pair, 8);
        } else {
            padici_complex psi;
            psi.re = (double)t->frame[0][i];
            psi.im = (double)t->frame[1][i];
            padici_wave_store_at(&w->job, slice, base + t->place[i], psi);
        }
    }
}

static void padici_wave_tile_frame_mean(const padici_wave_tiles *w, const padici_wave_tile *t)
{
    uint64_t g;
    uint32_t i;
    for (i = 0; i < t->points; i++) {
        padici_complex sum = {0, 0};
        for (g = 0; g < t->groups; g++) {
            const float *wave = t->waves + g * 2 * PADICI_WAVE_TILE_POINTS;
            const double re = (double)wave[i], im = (double)wave[PADICI_WAVE_TILE_POINTS + i];
            sum.re += re * re + im * im;
        }
        padici_wave_put(&w->frames->desc->mean_intensity,
                        padici_wave_index(&w->job, w->frames->mean_stride, t->index[i]), sum, 0);
    }
}

static void padici_wave_tile_frames(const padici_wave_tiles *w, uint32_t task)
{
    const padici_wave_frames *frames = w->frames;
    const double turn = w->desc->sign == PADIC_WAVE_SIGN_CONJUGATE ? -1 : 1;
    padici_wave_tile *t = &w->tiles[task];
    uint64_t f, g;
    uint32_t i;
    for (g = 0; g < t->groups; g++) {
        float *wave = t->waves + g * 2 * PADICI_WAVE_TILE_POINTS;
        if (g) memset(t->total, 0, sizeof t->total);
        padici_wave_tile_sum(w, task, g ? frames->ends[g - 1] : 0, frames->ends[g]);
        for (i = 0; i < t->vectors; i++) {
            wave[i] = (float)t->total[0][i];
            wave[PADICI_WAVE_TILE_POINTS + i] = (float)(turn * t->total[1][i]);
        }
    }
    if (frames->desc->mean_intensity.dtype != PADIC_DTYPE_NONE) padici_wave_tile_frame_mean(w, t);
    for (i = 0; i < t->points; i++)
        t->place[i] = padici_wave_index(&w->job, w->job.stride, t->index[i]);
    for (f = 0; f < frames->frames; f++) {
        t->factors = w->factors + 2 * f * t->groups;
        (*w->kernels[5])(t);
        padici_wave_tile_frame_store(w, &w->job.slices[task], t, f);
    }
}

static void padici_wave_tile_slopes(const padici_wave_tiles *w, padici_wave_slice *slice,
                                    const padici_wave_tile *t)
{
    const double turn = w->desc->sign == PADIC_WAVE_SIGN_CONJUGATE ? -1 : 1;
    uint32_t i, a;
    for (i = 0; i < t->points; i++) {
        padici_complex sum[4];
        sum[0].re = t->total[0][i];
        sum[0].im = turn * t->total[1][i];
        for (a = 0; a < 3; a++) {
            sum[1 + a].re = t->slope[2 * a][i];
            sum[1 + a].im = turn * t->slope[2 * a + 1][i];
        }
        padici_wave_slope_store(w->slopes, slice, t->index[i], sum);
    }
}

static void padici_wave_tiles_task(void *arg, uint32_t task)
{
    const padici_wave_tiles *w = (const padici_wave_tiles *)arg;
    padici_wave_tile *t = &w->tiles[task];
    uint64_t tile, end;
    padici_wave_share(w->tile_count, w->tasks, task, &tile, &end);
    for (; tile < end; tile++) {
        padici_wave_tile_begin(w, tile, t);
        if (w->frames) {
            padici_wave_tile_frames(w, task);
        } else {
            padici_wave_tile_sum(w, task, 0, w->job.sources);
            if (w->slopes)
                padici_wave_tile_slopes(w, &w->job.slices[task], t);
            else
                padici_wave_tile_store(w, &w->job.slices[task], t);
        }
        if (padici_wave_stopped(&w->job)) return;
    }
}

static int padici_wave_tiles_extreme(double x)
{
    x = fabs(x);
    return x != 0 && (x < 1e-15 || x > 1e15);
}

// Rows of sources. 0 if one has numbers outside f32.
static int padici_wave_tiles_sources(padici_wave_tiles *w)
{
    const uint64_t m = w->job.sources;
    uint64_t i;
    uint32_t a;
    for (i = 0; i < m; i++) {
        padici_wave_source s;
        double turns;
        padici_wave_source_get(w->desc, padici_wave_tiles_source(w, i), &s);
        for (a = 0; a < 3; a++) w->sources[a * m + i] = s.at[a];
        turns = s.phase / PADICI_TWO_PI;
        w->sources[3 * m + i] = s.wavenumber / PADICI_TWO_PI;
        w->sources[4 * m + i] = turns - floor(turns + 0.5);
        if (w->desc->kernel == PADIC_WAVE_KERNEL_GREEN3) s.amplitude /= 2 * PADICI_TWO_PI;
        w->sources[5 * m + i] = s.amplitude;
        if (padici_wave_tiles_extreme(s.amplitude) || padici_wave_tiles_extreme(s.wavenumber))
            return 0;
    }
    return 1;
}

static void padici_wave_tiles_soften(const padici_wave_tiles *w, padici_wave_tile *t)
{
    const double a2 = w->job.length * w->job.length;
    const padic_wave_softening soft = w->desc->softening;
    t->soft = soft == PADIC_WAVE_SOFTENING_NONE ? PADICI_WAVE_TILE_NONE
              : soft == PADIC_WAVE_SOFTENING_PLUMMER   ? PADICI_WAVE_TILE_PLUMMER
                                             : PADICI_WAVE_TILE_SOFT;
    t->root = w->desc->kernel == PADIC_WAVE_KERNEL_SQRT;
    t->wide_add = soft == PADIC_WAVE_SOFTENING_PLUMMER_BOTH ? a2 : 0;
    t->wide_least = soft == PADIC_WAVE_SOFTENING_CLAMP ? a2 : 0;
    t->wide_widen = soft == PADIC_WAVE_SOFTENING_PLUMMER ? a2 : 0;
    t->wide_inside = t->wide_least > w->job.least ? t->wide_least : w->job.least;
    t->add = (float)t->wide_add;
    t->least = (float)t->wide_least;
    t->widen = (float)t->wide_widen;
}

static void padici_wave_tiles_results(const padici_wave_tiles *w)
{
    padic_wave_superpose_report *report = w->desc->report;
    double low = DBL_MAX, high = -DBL_MAX, bound = 0;
    uint64_t coincident = 0;
    uint32_t i;
    if (!report) return;
    for (i = 0; i < w->tasks; i++) {
        const padici_wave_slice *s = &w->job.slices[i];
        coincident += s->coincident;
        if (s->low < low) low = s->low;
        if (s->high > high) high = s->high;
        if (w->bounds[i] > bound) bound = w->bounds[i];
    }
    report->coincident = coincident;
    report->error_bound = bound;
    if (w->in_f64) padici_wave_report_f64(&w->job);
    if (w->frames) report->error_bound += 1e-8 + w->frames->merged; // factors are f32
    padici_wave_range_set(low, high, &report->smallest, &report->largest);
}

static int padici_wave_tiles_may(const padic_wave_superpose_desc *desc)
{
    const int kernel = desc->kernel == PADIC_WAVE_KERNEL_POINT3 ||
        desc->kernel == PADIC_WAVE_KERNEL_GREEN3 ||
                       desc->kernel == PADIC_WAVE_KERNEL_SQRT;
    const int soft = desc->softening != PADIC_WAVE_SOFTENING_SHELL &&
        desc->softening != PADIC_WAVE_SOFTENING_ADDED;
    return kernel && soft && desc->absorption.dtype == PADIC_DTYPE_NONE &&
           !padici_wave_tiles_extreme(padici_wave_length(desc)) && desc->sources.shape[0] &&
           desc->sources.shape[0] < UINT32_MAX;
}

static void padici_wave_tiles_kernels(padici_wave_tiles *w, uint32_t level)
{
#if PADICI_SIMD_X86
    const int wide = level > PADICI_SIMD_AVX2;
    w->kernels[0] = wide ? padici_wave_tile_direct_avx512 : padici_wave_tile_direct_avx2;
    w->kernels[1] = wide ? padici_wave_tile_mid_avx512 : padici_wave_tile_mid_avx2;
    w->kernels[2] = wide ? padici_wave_tile_wide_avx512 : padici_wave_tile_wide_avx2;
    w->kernels[3] = wide ? padici_wave_tile_series_avx512 : padici_wave_tile_series_avx2;
    w->kernels[4] = wide ? padici_wave_tile_rows_avx512 : padici_wave_tile_rows_avx2;
    w->kernels[5] = wide ? padici_wave_tile_frame_avx512 : padici_wave_tile_frame_avx2;
    if (w->slopes) {
        w->kernels[0] =
            wide ? padici_wave_tile_slope_direct_avx512 : padici_wave_tile_slope_direct_avx2;
        w->kernels[1] = wide ? padici_wave_tile_slope_mid_avx512 : padici_wave_tile_slope_mid_avx2;
        w->kernels[2] =
            wide ? padici_wave_tile_slope_wide_avx512 : padici_wave_tile_slope_wide_avx2;
    }
    if (w->in_f64)
        w->kernels[2] = w->slopes
            ? wide ? padici_wave_tile_slope_double_avx512 : padici_wave_tile_slope_double_avx2
            : wide ? padici_wave_tile_double_avx512 : padici_wave_tile_double_avx2;
#else
    (void)level;
    w->kernels[0] = padici_wave_tile_direct_neon;
    w->kernels[1] = padici_wave_tile_mid_neon;
    w->kernels[2] = padici_wave_tile_wide_neon;
    w->kernels[3] = padici_wave_tile_series_neon;
    w->kernels[4] = padici_wave_tile_rows_neon;
    w->kernels[5] = padici_wave_tile_frame_neon;
    if (w->slopes) {
        w->kernels[0] = padici_wave_tile_slope_direct_neon;
        w->kernels[1] = padici_wave_tile_slope_mid_neon;
        w->kernels[2] = padici_wave_tile_slope_wide_neon;
    }
    if (w->in_f64)
        w->kernels[2] =
            w->slopes ? padici_wave_tile_slope_double_neon : padici_wave_tile_double_neon;
#endif
}

// Factors of all frames. 0 if one has numbers outside f32.
static int padici_wave_tiles_factors(padici_wave_tiles *w)
{
    const padici_wave_frames *frames = w->frames;
    uint64_t f, g;
    float *to = w->factors;
    for (f = 0; f < frames->frames; f++)
        for (g = 0; g < frames->groups; g++, to += 2) {
            const padici_complex factor = padici_wave_frames_factor(frames, f, g);
            if (padici_wave_tiles_extreme(fabs(factor.re) + fabs(factor.im))) return 0;
            to[0] = (float)factor.re;
            to[1] = (float)factor.im;
        }
    return 1;
}

// The total memory in bytes; 0: too much. Frames: as many tasks as their waves have room for.
static uint64_t padici_wave_tiles_room(padici_wave_tiles *w, const padic_jobs *jobs)
{
    const uint64_t groups = w->frames ? w->frames->groups : 0;
    const uint64_t wave = 2 * PADICI_WAVE_TILE_POINTS * sizeof(float);
    const uint64_t own = jobs && jobs->workers > 1 ? jobs->workers : 1;
    const uint64_t most = (UINT64_C(1) << 26) / (wave * (groups + 1));
    uint64_t room = 0;
    if (groups && w->tasks > (most > own ? most : own)) w->tasks = most > own ? most : own;
    if (!padici_wave_bytes(w->tasks, sizeof(padici_wave_tile) + sizeof(double), &room) ||
        !padici_wave_bytes(w->tasks, sizeof(padici_wave_slice) + groups * wave, &room) ||
        !padici_wave_bytes(w->job.sources, 6 * sizeof(double), &room) ||
        (groups && !padici_wave_bytes(w->frames->frames, groups * 2 * sizeof(float), &room)))
        return 0;
    return room;
}

// NOT_SUPPORTED, before anything is written, where the reference must do it.
static padic_result padici_wave_tiles_run(padici_wave_tiles *w, const padic_env *env,
                                          uint32_t level)
{
    const padic_jobs *jobs = env->jobs;
    const uint64_t workers =
        jobs && jobs->enqueue && jobs->finish && jobs->workers > 1 ? jobs->workers : 1;
    uint64_t room;
    uint32_t i;
    padic_result result = PADIC_ERROR_NOT_SUPPORTED;
    padici_steps steps;
    float *waves;
    char *space;
    w->tolerance = w->desc->tolerance > 0 ? w->desc->tolerance : 2e-6;
    padici_wave_tiles_cut(w);
    w->place = w->listed ? 0 : 6e-16 * padici_wave_place(&w->desc->grid);
    // One worker reuses the same memory. For more, 16 tasks each keep the wait at the end short.
    w->tasks = workers == 1 ? 1 : workers < 64 ? 16 * workers : 1024;
    if (w->tasks > w->tile_count) w->tasks = w->tile_count;
    padici_wave_tiles_kernels(w, level);
    room = padici_wave_tiles_room(w, env->jobs);
    space = room ? (char *)padici_alloc(env->allocator, (size_t)room, 64) : NULL;
    if (!space) return PADIC_ERROR_NOT_SUPPORTED;
    w->tiles = (padici_wave_tile *)(void *)space;
    w->job.slices = (padici_wave_slice *)(void *)(w->tiles + w->tasks);
    w->bounds = (double *)(void *)(w->job.slices + w->tasks);
    w->sources = w->bounds + w->tasks;
    w->factors = waves = (float *)(void *)(w->sources + 6 * w->job.sources);
    if (w->frames) waves += 2 * w->frames->frames * w->frames->groups;
    for (i = 0; i < w->tasks; i++) {
        padici_wave_tiles_soften(w, &w->tiles[i]);
        w->job.slices[i].coincident = 0;
        w->job.slices[i].low = DBL_MAX;
        w->job.slices[i].high = -DBL_MAX;
        w->bounds[i] = 0;
        w->tiles[i].groups = w->frames ? w->frames->groups : 0;
        w->tiles[i].waves = waves + i * w->tiles[i].groups * 2 * PADICI_WAVE_TILE_POINTS;
    }
    if (padici_wave_tiles_sources(w) && (!w->frames || padici_wave_tiles_factors(w))) {
        padici_wave_watch(&w->job, &steps, env, w->tile_count);
        padici_parallel(env->jobs, (uint32_t)w->tasks, padici_wave_tiles_task, w);
        result = padici_wave_unwatch(&w->job, env);
        if (!result) padici_wave_tiles_results(w);
    }
    padici_free(env->allocator, space, (size_t)room);
    return result;
}

PADICI_FN padic_result padici_simd_wave_superpose(padici_simd *simd,
                                                  const padic_wave_superpose_desc *desc)
{
    padici_wave_tiles w;
    padic_result result = PADIC_OK;
    if (!padici_wave_tiles_may(desc)) return PADIC_ERROR_NOT_SUPPORTED;
    if (desc->flags & PADIC_WAVE_FLAG_CHECK_FINITE) result = padici_wave_check_values(NULL, desc);
    if (result) return result;
    memset(&w, 0, sizeof w);
    w.desc = desc;
    w.in_f64 = padici_wave_is_f64(desc);
    padici_wave_job_begin(&w.job, desc);
    return w.job.points ? padici_wave_tiles_run(&w, &simd->env, simd->level) : PADIC_OK;
}

PADICI_FN padic_result padici_simd_wave_frames(padici_simd *simd,
                                               const padic_wave_frames_desc *desc)
{
    padici_wave_frames frames;
    padici_wave_tiles w;
    uint64_t bytes;
    padic_result result = PADIC_OK;
    padici_wave_frames_one(desc, &frames.one, &frames.frame_stride);
    if (!padici_wave_tiles_may(&frames.one) || padici_wave_is_f64(&frames.one) ||
        desc->mean_intensity.dtype == PADIC_F64)
        return PADIC_ERROR_NOT_SUPPORTED;
    if (desc->field.flags & PADIC_WAVE_FLAG_CHECK_FINITE)
        result = padici_wave_frames_values(NULL, desc);
    if (result) return result;
    padici_wave_frames_begin(&frames, desc);
    if (!frames.field.points) return PADIC_OK;
    result = padici_wave_frames_sorted(&frames, simd->env.allocator, &bytes);
    if (result) return result;
    memset(&w, 0, sizeof w);
    w.desc = &frames.one;
    w.frames = &frames;
    padici_wave_job_begin(&w.job, &frames.one);
    result = padici_wave_tiles_run(&w, &simd->env, simd->level);
    padici_free(simd->env.allocator, frames.rates, (size_t)bytes);
    return result;
}

PADICI_FN padic_result padici_simd_wave_gradient(padici_simd *simd,
                                                 const padic_wave_gradient_desc *desc)
{
    padic_wave_superpose_desc field = desc->field;
    padici_wave_slopes slopes;
    padici_wave_tiles w;
    padic_result result = PADIC_OK;
    if (field.out.dtype == PADIC_DTYPE_NONE) padici_wave_gradient_field(desc, &field);
    if (!padici_wave_tiles_may(&field) ||
        padici_wave_is_f64(&field) != (desc->out.dtype == PADIC_C128))
        return PADIC_ERROR_NOT_SUPPORTED;
    if (field.flags & PADIC_WAVE_FLAG_CHECK_FINITE) result = padici_wave_check_values(NULL, &field);
    if (result) return result;
    padici_wave_slopes_begin(&slopes, desc);
    memset(&w, 0, sizeof w);
    w.desc = &field;
    w.slopes = &slopes;
    w.in_f64 = padici_wave_is_f64(&field);
    padici_wave_job_begin(&w.job, &field);
    return w.job.points ? padici_wave_tiles_run(&w, &simd->env, simd->level) : PADIC_OK;
}

#endif
// room: src/simd/wave/vortex.c:12
#if PADICI_IMPLEMENT_SIMD && !defined(PADIC_NO_WAVE) && (PADICI_SIMD_X86 || PADICI_SIMD_ARM)

// Reads and writes vortices, block by block. Fields in f32; f64 is left to the reference.

typedef struct padici_wave_vortex_run {
    padici_wave_vortices job; // its field's points and strides; desc
    padici_wave_vortex_kernel kernel;
    const padici_wave_vortex_line *line;
    uint64_t tasks, blocks, lines;
} padici_wave_vortex_run;

static void padici_wave_vortex_two(double x, float *high, float *low)
{
    *high = (float)x;
    *low = (float)(x - (double)*high);
    if (*low - *low != 0) *low = 0; // beyond f32: far from all others
}

// The next point's index in C order.
static void padici_wave_vortex_next(const uint64_t count[3], uint64_t i[3])
{
    if (++i[2] < count[2]) return;
    i[2] = 0;
    if (++i[1] < count[1]) return;
    i[1] = 0;
    i[0]++;
}

static void padici_wave_vortex_list(const padici_wave_vortex_run *v, uint64_t first,
                                    padici_wave_vortex_block *b)
{
    const padic_tensor *points = &v->job.desc->points;
    const int64_t *stride = v->job.field.point_stride;
    const int64_t size = (int64_t)padic_dtype_size(points->dtype);
    const char *from = (const char *)points->data + (int64_t)first * stride[0] * size;
    uint32_t i, a;
    // Parts that are not read were 0 and stay so.
    for (a = 0; a < points->shape[1]; a++, from += stride[1] * size) {
        if (a == 2 && b->core != PADIC_WAVE_CORE_LEGACY) continue;
        if (points->dtype == PADIC_F32) {
            const char *at = from;
            for (i = 0; i < b->points; i++, at += stride[0] * 4) memcpy(&b->at[a][0][i], at, 4);
        } else {
            for (i = 0; i < b->points; i++) {
                double x;
                memcpy(&x, from + (int64_t)i * stride[0] * 8, 8);
                padici_wave_vortex_two(x, &b->at[a][0][i], &b->at[a][1][i]);
            }
        }
    }
}

// Points `first` to first + points, the last one repeated to fill vectors; psi, or 1.
static void padici_wave_vortex_read(const padici_wave_vortex_run *v, uint64_t first,
                                    padici_wave_vortex_block *b)
{
    const padic_wave_vortex_desc *desc = v->job.desc;
    const uint64_t *count = v->job.field.count;
    const int64_t *stride = v->job.psi_stride;
    const int listed = desc->points.dtype != PADIC_DTYPE_NONE;
    uint64_t at[3];
    uint32_t i, a;
    at[2] = first % count[2];
    at[1] = first / count[2] % count[1];
    at[0] = first / count[2] / count[1];
    if (listed) padici_wave_vortex_list(v, first, b);
    for (i = 0; i < PADICI_WAVE_VORTEX_POINTS; i++) {
        b->psi[0][i] = 1;
        b->psi[1][i] = 0;
    }
    i = listed && desc->psi.dtype == PADIC_DTYPE_NONE ? b->points : 0;
    for (; i < b->points; i++) {
        const int64_t from =
            (int64_t)at[0] * stride[0] + (int64_t)at[1] * stride[1] + (int64_t)at[2] * stride[2];
        for (a = 0; a < 3 && !listed; a++) {
            const double(*step)[3] = v->job.field.step;
            padici_wave_vortex_two(desc->grid.origin[a] +
                                       ((double)at[0] * step[0][a] + (double)at[1] * step[1][a] +
                                        (double)at[2] * step[2][a]),
                                   &b->at[a][0][i], &b->at[a][1][i]);
        }
        if (desc->psi.dtype != PADIC_DTYPE_NONE) {
            float pair[2];
            memcpy(pair, (const char *)desc->psi.data + 8 * from, 8);
            b->psi[0][i] = pair[0];
            b->psi[1][i] = pair[1];
        }
        padici_wave_vortex_next(count, at);
    }
    for (; i % 16; i++)
        for (a = 0; a < 6; a++) b->at[a / 2][a % 2][i] = b->at[a / 2][a % 2][b->points - 1];
}

// Computes a point for which f32 does not suffice, by the reference.
static void padici_wave_vortex_again(const padici_wave_vortex_run *v, uint64_t point, float pair[2])
{
    const padic_wave_vortex_desc *desc = v->job.desc;
    const uint64_t *count = v->job.field.count;
    const int64_t *stride = v->job.psi_stride;
    padici_complex psi = {1, 0};
    double at[3];
    uint64_t j;
    if (desc->psi.dtype != PADIC_DTYPE_NONE)
        psi = padici_wave_load(&desc->psi,
                               (int64_t)(point % count[2]) * stride[2] +
                                   (int64_t)(point / count[2] % count[1]) * stride[1] +
                                   (int64_t)(point / count[2] / count[1]) * stride[0]);
    padici_wave_point(&v->job.field, point, at);
    for (j = 0; j < desc->centres.shape[0]; j++) {
        padici_wave_line line;
        padici_wave_line_get(&v->job, j, &line);
        psi = padici_wave_times(psi, padici_wave_line_factor(&line, desc->core, at));
    }
    pair[0] = (float)psi.re;
    pair[1] = (float)psi.im;
}

static void padici_wave_vortex_write(const padici_wave_vortex_run *v, uint64_t first,
                                     const padici_wave_vortex_block *b)
{
    const uint64_t *count = v->job.field.count;
    const int64_t *stride = v->job.field.stride;
    uint64_t at[3];
    uint32_t i;
    if (count[1] * count[2] == 1 && !b->bad) { // a list
        char *to = (char *)v->job.desc->out.data + 8 * (int64_t)first * stride[0];
        for (i = 0; i < b->points; i++, to += 8 * stride[0]) {
            memcpy(to, &b->psi[0][i], 4);
            memcpy(to + 4, &b->psi[1][i], 4);
        }
        return;
    }
    at[2] = first % count[2];
    at[1] = first / count[2] % count[1];
    at[0] = first / count[2] / count[1];
    for (i = 0; i < b->points; i++) {
        const int64_t to =
            (int64_t)at[0] * stride[0] + (int64_t)at[1] * stride[1] + (int64_t)at[2] * stride[2];
        float pair[2];
        pair[0] = b->psi[0][i];
        pair[1] = b->psi[1][i];
        if (b->bad >> i / 4 & 1) padici_wave_vortex_again(v, first + i, pair);
        memcpy((char *)v->job.desc->out.data + 8 * to, pair, 8);
        padici_wave_vortex_next(count, at);
    }
}

// Packs all lines; returns how many have an effect.
static uint64_t padici_wave_vortex_lines(const padici_wave_vortex_run *v,
                                         padici_wave_vortex_line *to)
{
    const padic_wave_core core = v->job.desc->core;
    const padici_wave_vortex_line *first = to;
    uint64_t j;
    uint32_t a;
    for (j = 0; j < v->job.desc->centres.shape[0]; j++) {
        padici_wave_line line;
        padici_wave_line_get(&v->job, j, &line);
        if (line.charge == 0 && core != PADIC_WAVE_CORE_LEGACY) continue;
        for (a = 0; a < 3; a++)
            padici_wave_vortex_two(line.centre[a], &to->at[a][0], &to->at[a][1]);
        to->core = core == PADIC_WAVE_CORE_NONE ? 1.0f : (float)line.core;
        to->part = 1 / to->core;
        to->sign = line.charge < 0 ? -1.0f : 1.0f;
        to->charge = (uint32_t)fabs(line.charge);
        to++;
    }
    return (uint64_t)(to - first);
}

static void padici_wave_vortex_blocks_task(void *arg, uint32_t task)
{
    const padici_wave_vortex_run *v = (const padici_wave_vortex_run *)arg;
    padici_wave_vortex_block b;
    uint64_t block, end;
    padici_wave_share(v->blocks, v->tasks, task, &block, &end);
    memset(&b, 0, sizeof b);
    b.core = v->job.desc->core;
    b.line = v->line;
    b.lines = v->lines;
    for (; block < end; block++) {
        const uint64_t first = block * PADICI_WAVE_VORTEX_POINTS,
                       left = v->job.field.points - first;
        b.points = left < PADICI_WAVE_VORTEX_POINTS ? (uint32_t)left : PADICI_WAVE_VORTEX_POINTS;
        b.bad = 0;
        padici_wave_vortex_read(v, first, &b);
        (*v->kernel)(&b);
        padici_wave_vortex_write(v, first, &b);
        if (padici_wave_stopped(&v->job.field)) return;
    }
}

// 1 if the kernels of blocks can do all lines: along +z, integral charges, cores within f32.
static int padici_wave_vortex_may(const padic_wave_vortex_desc *desc, padici_wave_vortices *job)
{
    const int cored = desc->core != PADIC_WAVE_CORE_NONE;
    uint64_t j;
    if (desc->out.dtype != PADIC_C64 || desc->axes.dtype != PADIC_DTYPE_NONE ||
        (desc->psi.dtype != PADIC_DTYPE_NONE && desc->psi.dtype != PADIC_C64))
        return 0;
    for (j = 0; j < desc->centres.shape[0]; j++) {
        padici_wave_line line;
        padici_wave_line_get(job, j, &line);
        if (line.charge != floor(line.charge)) return 0;
        if (!(fabs(line.centre[0]) < 1e30 && fabs(line.centre[1]) < 1e30 &&
              fabs(line.centre[2]) < 1e30))
            return 0;
        if (cored && !(line.core > 1e-18 && line.core < 1e18)) return 0;
    }
    return 1;
}

// NOT_SUPPORTED, before anything is written, where the kernels of passes must do it.
PADICI_NOINLINE static padic_result padici_wave_vortex_blocks(padici_wave_vortex_kernel kernel,
                                                              const padic_env *env,
                                                              const padic_wave_vortex_desc *desc)
{
    const padic_jobs *jobs = env->jobs;
    padic_wave_superpose_desc field;
    padici_wave_vortex_run v;
    padici_wave_vortex_line *line;
    padici_steps steps;
    padic_result result;
    size_t bytes;
    padici_wave_vortex_field(desc, &field);
    padici_wave_job_begin(&v.job.field, &field);
    v.job.desc = desc;
    v.kernel = kernel;
    padici_tensor_dense(&desc->centres, v.job.centre_stride);
    padici_tensor_dense(&desc->axes, v.job.axis_stride);
    memset(v.job.psi_stride, 0, sizeof v.job.psi_stride);
    if (desc->psi.dtype != PADIC_DTYPE_NONE) padici_tensor_dense(&desc->psi, v.job.psi_stride);
    if (!v.job.field.points || !padici_wave_vortex_may(desc, &v.job))
        return PADIC_ERROR_NOT_SUPPORTED;
    if (desc->flags & PADIC_WAVE_FLAG_CHECK_FINITE) {
        result = padici_wave_vortex_values(NULL, desc);
        if (result) return result;
    }
    v.blocks = (v.job.field.points + PADICI_WAVE_VORTEX_POINTS - 1) / PADICI_WAVE_VORTEX_POINTS;
    v.tasks = v.blocks < PADICI_WAVE_SHARES ? v.blocks : PADICI_WAVE_SHARES;
    if (!jobs || jobs->workers < 2) v.tasks = 1; // no point depends on its task
    if (desc->centres.shape[0] > SIZE_MAX / sizeof *line - 1) return PADIC_ERROR_NOT_SUPPORTED;
    bytes = ((size_t)desc->centres.shape[0] + 1) * sizeof *line;
    line = (padici_wave_vortex_line *)padici_alloc(env->allocator, bytes, 16);
    if (!line) return PADIC_ERROR_NOT_SUPPORTED;
    v.line = line;
    v.lines = padici_wave_vortex_lines(&v, line);
    padici_wave_watch(&v.job.field, &steps, env, v.blocks);
    padici_parallel(jobs, (uint32_t)v.tasks, padici_wave_vortex_blocks_task, &v);
    result = padici_wave_unwatch(&v.job.field, env);
    padici_free(env->allocator, line, bytes);
    if (!result && desc->report) memset(desc->report, 0, sizeof *desc->report);
    return result;
}

// Fields in f32 and bytes; f64 is left to the reference.
PADICI_FN padic_result padici_simd_wave_vortex(padici_simd *simd,
                                               const padic_wave_vortex_desc *desc)
{
#if PADICI_SIMD_X86
    const int wide = simd->level > PADICI_SIMD_AVX2;
    const padici_wave_lines lines =
        wide ? padici_wave_tile_lines_avx512 : padici_wave_tile_lines_avx2;
    const padici_wave_vortex_kernel kernel =
        wide ? padici_wave_tile_vortex_avx512 : padici_wave_tile_vortex_avx2;
#else
    const padici_wave_lines lines = padici_wave_tile_lines_neon;
    const padici_wave_vortex_kernel kernel = padici_wave_tile_vortex_neon;
#endif
    padic_result result;
    if (desc->out.dtype == PADIC_C128 || desc->out.dtype == PADIC_F64)
        return PADIC_ERROR_NOT_SUPPORTED;
    result = padici_wave_vortex_blocks(kernel, &simd->env, desc);
    if (result != PADIC_ERROR_NOT_SUPPORTED) return result;
    return padici_wave_vortex_with(lines, &simd->env, desc);
}

// Fields: observables, pixels, the norm, slopes of the phase, charges; c64 in C order (for grids:
// the last axis is). Values that are not finite are left to the reference.

#endif
// room: src/simd/wave/field_rows.c:13
#if PADICI_IMPLEMENT_SIMD && !defined(PADIC_NO_WAVE) && (PADICI_SIMD_X86 || PADICI_SIMD_ARM)

// Fields, row by row: observables, pixels, the norm; c64 in C order (for grids: the last axis is).
// Rows with values that are not finite are left to the reference.

typedef struct padici_wave_field_run {
    padici_wave_each each; // tasks, and for normalise its whole work
    padici_wave_field_kernel kernel;
    const float *psi;
    char *out;
    int ranged; // pixels: the range is requested
} padici_wave_field_run;

PADICI_FN padici_wave_field_kernel padici_wave_field_of(uint32_t level, uint32_t which)
{
#if PADICI_SIMD_X86
    static const padici_wave_field_kernel kernels[2][6] = {
        {padici_wave_tile_field_observe_avx2, padici_wave_tile_field_squares_avx2,
         padici_wave_tile_field_scale_avx2, padici_wave_tile_field_slope_avx2,
         padici_wave_tile_field_charge_avx2, padici_wave_tile_field_pixels_avx2},
        {padici_wave_tile_field_observe_avx512, padici_wave_tile_field_squares_avx512,
         padici_wave_tile_field_scale_avx512, padici_wave_tile_field_slope_avx512,
         padici_wave_tile_field_charge_avx512, padici_wave_tile_field_pixels_avx512}};
    return kernels[level > PADICI_SIMD_AVX2][which];
#else
    static const padici_wave_field_kernel kernels[6] = {
        padici_wave_tile_field_observe_neon, padici_wave_tile_field_squares_neon,
        padici_wave_tile_field_scale_neon,   padici_wave_tile_field_slope_neon,
        padici_wave_tile_field_charge_neon,  padici_wave_tile_field_pixels_neon};
    (void)level;
    return kernels[which];
#endif
}

static int padici_wave_field_dense(const padic_tensor *t)
{
    int64_t stride[PADIC_MAX_RANK], next = 1;
    uint32_t axis = t->rank;
    padici_tensor_dense(t, stride);
    while (axis--) {
        if (t->shape[axis] > 1 && stride[axis] != next) return 0;
        next *= (int64_t)t->shape[axis];
    }
    return 1;
}

// The task's elements i to i + n, n at most 64; advances *i. 0: none left. Blocks of 64 are never
// split between tasks.
static uint32_t padici_wave_field_next(const padici_wave_each *each, uint32_t task, uint64_t *i)
{
    uint64_t first, end;
    padici_wave_share((each->count + PADICI_WAVE_FIELD_ROW - 1) / PADICI_WAVE_FIELD_ROW,
                      each->tasks, task, &first, &end);
    first *= PADICI_WAVE_FIELD_ROW;
    end *= PADICI_WAVE_FIELD_ROW;
    if (end > each->count) end = each->count;
    *i = *i == UINT64_MAX ? first : *i + PADICI_WAVE_FIELD_ROW;
    if (*i >= end) return 0;
    return end - *i < PADICI_WAVE_FIELD_ROW ? (uint32_t)(end - *i) : PADICI_WAVE_FIELD_ROW;
}

// Elements i to i + n, of `each` numbers, as a whole row: in place, or in `space` padded with
// zeros.
static void padici_wave_field_row_begin(padici_wave_field_row *row,
                                        const padici_wave_field_run *run, uint64_t i, uint32_t n,
                                        uint32_t each, float *space)
{
    memset(row, 0, sizeof *row);
    row->count = PADICI_WAVE_FIELD_ROW;
    row->z[0] = run->psi + each * i;
    if (n == PADICI_WAVE_FIELD_ROW) return;
    memcpy(space, row->z[0], 4 * (size_t)(each * n));
    memset(space + each * n, 0, 4 * (size_t)(each * (PADICI_WAVE_FIELD_ROW - n)));
    row->z[0] = space;
}

static void padici_wave_field_observe_task(void *arg, uint32_t task)
{
    const padici_wave_field_run *run = (const padici_wave_field_run *)arg;
    float space[2 * PADICI_WAVE_FIELD_ROW], seen[PADICI_WAVE_FIELD_ROW];
    uint64_t i = UINT64_MAX;
    uint32_t n, j;
    while ((n = padici_wave_field_next(&run->each, task, &i)) != 0) {
        padici_wave_field_row row;
        padici_wave_field_row_begin(&row, run, i, n, 2, space);
        row.out = seen;
        row.what = (uint32_t)run->each.output;
        (*run->kernel)(&row);
        for (j = 0; j < n && row.odd; j++) {
            const padici_complex z = padici_wave_each_get(&run->each, i + j);
            seen[j] = (float)padici_wave_real(run->each.output, z);
        }
        memcpy(run->out + 4 * i, seen, 4 * (size_t)n);
    }
}

PADICI_FN padic_result padici_simd_wave_observe(padici_simd *simd,
                                                const padic_wave_observe_desc *desc)
{
    padici_wave_field_run run;
    if (desc->psi.dtype != PADIC_C64 || desc->out.dtype != PADIC_F32 ||
        !padici_wave_field_dense(&desc->psi) || !padici_wave_field_dense(&desc->out))
        return PADIC_ERROR_NOT_SUPPORTED;
    padici_wave_each_begin(&run.each, &desc->psi, &desc->out);
    run.each.output = desc->output;
    run.kernel = padici_wave_field_of(simd->level, PADICI_WAVE_FIELD_OBSERVE);
    run.psi = (const float *)desc->psi.data;
    run.out = (char *)desc->out.data;
    padici_parallel(simd->env.jobs, (uint32_t)run.each.tasks, padici_wave_field_observe_task, &run);
    return PADIC_OK;
}

// Four components of the flux, in f64, where products of two f32 are exact: the reference's bytes.
#if PADICI_SIMD_X86
PADICI_AVX2 static void padici_wave_field_flux(const float psi[8], const float gradient[8],
                                               double scale, float out[4])
{
    const __m256 z = _mm256_loadu_ps(psi), g = _mm256_loadu_ps(gradient);
    const __m128 z0 = _mm256_castps256_ps128(z), z1 = _mm256_extractf128_ps(z, 1);
    const __m128 g0 = _mm256_castps256_ps128(g), g1 = _mm256_extractf128_ps(g, 1);
    const __m256d re = _mm256_cvtps_pd(_mm_shuffle_ps(z0, z1, 0x88));
    const __m256d im = _mm256_cvtps_pd(_mm_shuffle_ps(z0, z1, 0xdd));
    const __m256d x = _mm256_cvtps_pd(_mm_shuffle_ps(g0, g1, 0x88));
    const __m256d y = _mm256_cvtps_pd(_mm_shuffle_ps(g0, g1, 0xdd));
    const __m256d j = _mm256_sub_pd(_mm256_mul_pd(re, y), _mm256_mul_pd(im, x));
    _mm_storeu_ps(out, _mm256_cvtpd_ps(_mm256_mul_pd(j, _mm256_set1_pd(scale))));
}

static void padici_wave_field_flux_task(void *arg, uint32_t task)
{
    const padic_wave_flux_desc *desc = (const padic_wave_flux_desc *)arg;
    const uint64_t components = desc->gradient.shape[desc->psi.rank];
    const uint64_t count = padic_tensor_count(&desc->gradient);
    const float *psi = (const float *)desc->psi.data, *from = (const float *)desc->gradient.data;
    float *to = (float *)desc->out.data, z[8], g[8] = {0, 0, 0, 0, 0, 0, 0, 0}, seen[4];
    uint64_t i, end, point, a;
    uint32_t j, n;
    padici_wave_share((count + 3) / 4, PADICI_WAVE_SHARES, task, &i, &end);
    point = 4 * i / components;
    a = 4 * i % components;
    end = 4 * end < count ? 4 * end : count;
    for (i *= 4; i < end; i += n) {
        n = end - i < 4 ? (uint32_t)(end - i) : 4;
        memset(z, 0, sizeof z);
        for (j = 0; j < n; j++) {
            memcpy(z + 2 * j, psi + 2 * point, 8);
            if (++a < components) continue;
            a = 0;
            point++;
        }
        memcpy(g, from + 2 * i, 8 * (size_t)n);
        padici_wave_field_flux(z, g, desc->scale != 0 ? desc->scale : 1, seen);
        memcpy(to + i, seen, 4 * (size_t)n);
    }
}
#endif

PADICI_FN padic_result padici_simd_wave_flux(padici_simd *simd, const padic_wave_flux_desc *desc)
{
#if PADICI_SIMD_X86
    if (desc->psi.dtype != PADIC_C64 || desc->out.dtype != PADIC_F32 ||
        !padici_wave_field_dense(&desc->psi) || !padici_wave_field_dense(&desc->gradient) ||
        !padici_wave_field_dense(&desc->out) || !padic_tensor_count(&desc->gradient))
        return PADIC_ERROR_NOT_SUPPORTED;
    padici_parallel(simd->env.jobs, PADICI_WAVE_SHARES, padici_wave_field_flux_task,
                    (void *)(uintptr_t)desc);
    return PADIC_OK;
#else
    (void)simd;
    (void)desc;
    return PADIC_ERROR_NOT_SUPPORTED;
#endif
}

// The words of pixels, R in the low byte.
static void padici_wave_field_pack(const padici_wave_field_row *row, const uint8_t *table,
                                   uint32_t n, char *to)
{
    uint32_t j, word;
    for (j = 0; j < n; j++) {
        const uint32_t r = (uint32_t)row->bytes[0][j];
        if (row->map == PADIC_WAVE_MAP_TABLE) {
            memcpy(to + 4 * j, table + 4 * (size_t)r, 4);
            continue;
        }
        word = r * 0x10101u;
        if (row->map != PADIC_WAVE_MAP_GREY)
            word = r | (uint32_t)row->bytes[1][j] << 8 | (uint32_t)row->bytes[2][j] << 16;
        padici_store32((uint8_t *)to + 4 * j, word | 0xff000000u);
    }
}

static void padici_wave_field_pixels_task(void *arg, uint32_t task)
{
    padici_wave_field_run *run = (padici_wave_field_run *)arg;
    const padici_wave_job *pixels = &run->each.pixels;
    const padic_wave_tone *tone = &pixels->desc->tone;
    padici_wave_slice *slice = &run->each.slices[task];
    const uint32_t real = run->each.in->dtype == PADIC_F32;
    float space[2 * PADICI_WAVE_FIELD_ROW];
    int32_t bytes[3][PADICI_WAVE_FIELD_ROW];
    double seen[PADICI_WAVE_FIELD_ROW];
    uint64_t i = UINT64_MAX;
    uint32_t n, j;
    while ((n = padici_wave_field_next(&run->each, task, &i)) != 0) {
        char *to = run->out + 4 * i;
        padici_wave_field_row row;
        padici_wave_field_row_begin(&row, run, i, n, real ? 1 : 2, space);
        for (j = 0; j < 3; j++) row.bytes[j] = bytes[j];
        row.seen = seen;
        row.what = (uint32_t)tone->value;
        row.curve = (uint32_t)tone->curve;
        row.map = (uint32_t)tone->map;
        row.real = real;
        row.low = pixels->low;
        row.high = pixels->high;
        (*run->kernel)(&row);
        for (j = 0; j < n && row.odd; j++)
            padici_wave_store_rgba(pixels, slice, padici_wave_each_get(&run->each, i + j),
                                   to + 4 * j);
        if (row.odd) continue;
        padici_wave_field_pack(&row, tone->table, n, to);
        for (j = 0; j < n && run->ranged; j++) {
            if (seen[j] < slice->low) slice->low = seen[j];
            if (seen[j] > slice->high) slice->high = seen[j];
        }
    }
}

// All curves but LOG, of no range that high - low or v + high would leave.
PADICI_FN padic_result padici_simd_wave_tonemap(padici_simd *simd,
                                                const padic_wave_tonemap_desc *desc)
{
    padic_wave_superpose_desc field;
    padici_wave_field_run run;
    if ((desc->field.dtype != PADIC_C64 && desc->field.dtype != PADIC_F32) ||
        desc->tone.curve == PADIC_WAVE_CURVE_LOG || desc->tone.high > 1e300 ||
        desc->tone.low < -1e300 || !padici_wave_field_dense(&desc->field) ||
        !padici_wave_field_dense(&desc->out))
        return PADIC_ERROR_NOT_SUPPORTED;
    padici_wave_tonemap_begin(&run.each, desc, &field);
    run.kernel = padici_wave_field_of(simd->level, PADICI_WAVE_FIELD_PIXELS);
    run.psi = (const float *)desc->field.data;
    run.out = (char *)desc->out.data;
    run.ranged = desc->report != NULL;
    padici_parallel(simd->env.jobs, (uint32_t)run.each.tasks, padici_wave_field_pixels_task, &run);
    padici_wave_tonemap_range(&run.each, desc);
    return PADIC_OK;
}

// The tree of the reference: blocks of 256 of a task, each in order; 8 of them at a time.
static void padici_wave_field_norm_task(void *arg, uint32_t task)
{
    padici_wave_field_run *run = (padici_wave_field_run *)arg;
    uint64_t i, end, block;
    double total = 0, sums[8];
    uint32_t j;
    padici_wave_share(run->each.count, run->each.tasks, task, &i, &end);
    for (; end - i >= 2048; i += 2048) {
        padici_wave_field_row row;
        memset(&row, 0, sizeof row);
        row.z[0] = run->psi + 2 * i;
        row.sums = sums;
        (*run->kernel)(&row);
        for (j = 0; j < 8; j++) total += sums[j];
    }
    while (i < end) {
        double sum = 0;
        for (block = end - i < 256 ? end : i + 256; i < block; i++) {
            const double re = (double)run->psi[2 * i], im = (double)run->psi[2 * i + 1];
            sum += re * re + im * im;
        }
        total += sum;
    }
    run->each.sums[task] = total;
}

static void padici_wave_field_scale_task(void *arg, uint32_t task)
{
    padici_wave_field_run *run = (padici_wave_field_run *)arg;
    float space[2 * PADICI_WAVE_FIELD_ROW];
    uint64_t i = UINT64_MAX;
    uint32_t n;
    while ((n = padici_wave_field_next(&run->each, task, &i)) != 0) {
        padici_wave_field_row row;
        padici_wave_field_row_begin(&row, run, i, n, 2, space);
        row.out = space;
        row.factor = run->each.factor;
        (*run->kernel)(&row);
        memcpy(run->out + 8 * i, space, 8 * (size_t)n);
    }
}

PADICI_FN padic_result padici_simd_wave_normalise(padici_simd *simd,
                                                  const padic_wave_normalise_desc *desc)
{
    padici_wave_field_run run;
    padici_wave_norm norm;
    double sum = 0;
    uint32_t i;
    if (desc->psi.dtype != PADIC_C64 || !padici_wave_field_dense(&desc->psi))
        return PADIC_ERROR_NOT_SUPPORTED;
    padici_wave_each_begin(&run.each, &desc->psi, &desc->psi);
    if (!run.each.count) return PADIC_OK;
    run.kernel = padici_wave_field_of(simd->level, PADICI_WAVE_FIELD_SQUARES);
    run.psi = (const float *)desc->psi.data;
    run.out = (char *)desc->psi.data;
    padici_parallel(simd->env.jobs, (uint32_t)run.each.tasks, padici_wave_field_norm_task, &run);
    for (i = 0; i < run.each.tasks; i++) sum += run.each.sums[i];
    if (!padici_wave_norm_factor(desc, sum, 0, &norm)) return padici_wave_norm_bad(&simd->env);
    run.each.factor = norm.factor;
    run.kernel = padici_wave_field_of(simd->level, PADICI_WAVE_FIELD_SCALE);
    padici_parallel(simd->env.jobs, (uint32_t)run.each.tasks, padici_wave_field_scale_task, &run);
    if (desc->report) desc->report->norm = norm.norm;
    return PADIC_OK;
}

#endif
// room: src/simd/wave/field_grids.c:12
#if PADICI_IMPLEMENT_SIMD && !defined(PADIC_NO_WAVE) && (PADICI_SIMD_X86 || PADICI_SIMD_ARM)

// Fields on grids: slopes of the phase and charges, from neighbouring rows.

// Element k of a row of n, which may lie one beyond either end: then wrapped around, or the last
// one.
static const float *padici_wave_field_at(const float *row, uint64_t count, int64_t k, int around)
{
    const int64_t last = (int64_t)count - 1;
    if (k < 0) k = around ? last : 0;
    if (k > last) k = around ? 0 : last;
    return row + 2 * k;
}

// Copies elements k to k + n of a row to `space`, with zeros up to `whole`.
static const float *padici_wave_field_part(const float *row, uint64_t count, int64_t k, uint32_t n,
                                           uint32_t whole, int around, float *space)
{
    uint32_t j;
    if (k >= 0 && (uint64_t)k + whole <= count && n == whole) return row + 2 * k;
    for (j = 0; j < n; j++)
        memcpy(space + 2 * j, padici_wave_field_at(row, count, k + (int64_t)j, around), 8);
    memset(space + 2 * n, 0, 8 * (size_t)(whole - n));
    return space;
}

// Points k to k + n of a row: the slope along axis a.
static uint32_t padici_wave_field_slope(const padici_wave_field_grid *g, const uint64_t index[3],
                                        uint32_t n, uint32_t a, uint16_t *marks, float *slope)
{
    const padici_wave_grid_job *job = &g->job;
    const padic_wave_phase_gradient_desc *desc = job->gradient;
    const uint64_t k = index[g->last], count = job->count[g->last];
    const double step = desc->step[a] > 0 ? desc->step[a] : 1;
    const int around = (int)(job->periodic >> g->last & 1);
    const float *row = (const float *)desc->psi.data;
    float space[3][2 * PADICI_WAVE_FIELD_ROW];
    padici_wave_field_row f;
    uint32_t j, links = 2;
    for (j = 0; j < g->last; j++) row += 2 * (int64_t)index[j] * job->stride[j];
    memset(&f, 0, sizeof f);
    for (j = 0; j < 3; j++) { // left, here, right
        const float *from = row;
        int64_t way = 0, at = (int64_t)k;
        if (a == g->last) at += (int64_t)j - 1;
        else if (j != 1 && padici_wave_beside(job, index, a, j == 0, &way)) from += 2 * way;
        else if (j != 1) links--;
        f.z[j] =
            padici_wave_field_part(from, count, at, n, PADICI_WAVE_FIELD_ROW, around, space[j]);
    }
    f.marks[0] = marks;
    f.out = slope;
    f.count = PADICI_WAVE_FIELD_ROW;
    f.what = (uint32_t)desc->method;
    f.low = desc->floor;
    f.factor = (desc->scale != 0 ? desc->scale : 1) / step / (links ? links : 1);
    if (desc->method != PADIC_WAVE_PHASE_CURRENT) f.factor *= PADICI_TWO_PI;
    (*g->kernel)(&f);
    if (a == g->last && !around && count > 1) { // an open edge has a single link
        if (!k) slope[0] *= 2;
        if (k + n == count) slope[n - 1] *= 2;
    }
    return f.odd;
}

// The task's next part of a row: points *i to *i + n in C order, the first at index[]. 0: none
// left.
static uint32_t padici_wave_field_grid_next(const padici_wave_field_grid *g, uint32_t task,
                                            uint64_t *i, uint64_t index[3])
{
    const uint64_t count = g->job.count[g->last];
    uint64_t first, end, left;
    padici_wave_share(g->rows, g->tasks, task, &first, &end);
    if (first == end) return 0;
    left = *i == UINT64_MAX ? 0 : count - *i % count;
    *i = *i == UINT64_MAX ? first * count
                          : *i + (left < PADICI_WAVE_FIELD_ROW ? left : PADICI_WAVE_FIELD_ROW);
    if (*i >= end * count) return 0;
    padici_wave_grid_index(&g->job, *i, index);
    left = count - *i % count;
    return left < PADICI_WAVE_FIELD_ROW ? (uint32_t)left : PADICI_WAVE_FIELD_ROW;
}

static void padici_wave_field_slopes_task(void *arg, uint32_t task)
{
    const padici_wave_field_grid *g = (const padici_wave_field_grid *)arg;
    const padici_wave_grid_job *job = &g->job;
    const padic_wave_phase_gradient_desc *desc = job->gradient;
    uint64_t i = UINT64_MAX, index[3];
    uint32_t n;
    while ((n = padici_wave_field_grid_next(g, task, &i, index)) != 0) {
        float slope[3][PADICI_WAVE_FIELD_ROW], *to = (float *)desc->out.data;
        uint16_t marks[PADICI_WAVE_FIELD_ROW / 16];
        uint32_t a, j, odd = 0;
        for (a = 0; a < desc->psi.rank; a++)
            odd |= padici_wave_field_slope(g, index, n, a, marks, slope[a]);
        for (j = 0; j < n && odd; j++) padici_wave_gradient_point(job, task, i + j);
        if (odd) continue;
        for (a = 0; a < 3; a++) to += (int64_t)index[a] * job->out_stride[a];
        for (a = 0; a < desc->psi.rank; a++)
            for (j = 0; j < n; j++)
                to[(int64_t)j * job->out_stride[g->last] + (int64_t)a * job->out_stride[3]] =
                    slope[a][j];
        for (j = 0; j < n; j++) job->tallies[task].undefined += marks[j / 16] >> (j & 15) & 1u;
    }
}

static void padici_wave_field_grid_begin(padici_wave_field_grid *g, padici_wave_field_kernel kernel)
{
    g->kernel = kernel;
    g->last = g->job.psi->rank - 1;
    g->rows = g->job.points / (g->job.count[g->last] ? g->job.count[g->last] : 1);
    g->tasks = g->rows < PADICI_WAVE_SHARES ? g->rows : PADICI_WAVE_SHARES;
}

// 1 if the last axis is contiguous.
static int padici_wave_field_rows(const padic_tensor *t)
{
    int64_t stride[PADIC_MAX_RANK];
    padici_tensor_dense(t, stride);
    return t->shape[t->rank - 1] < 2 || stride[t->rank - 1] == 1;
}

PADICI_FN padic_result padici_simd_wave_phase_gradient(padici_simd *simd,
                                                       const padic_wave_phase_gradient_desc *desc)
{
    padici_wave_tally tallies[PADICI_WAVE_SHARES];
    padici_wave_field_grid g;
    uint32_t i;
    if (desc->psi.dtype != PADIC_C64 || desc->out.dtype != PADIC_F32 ||
        !padici_wave_field_rows(&desc->psi))
        return PADIC_ERROR_NOT_SUPPORTED;
    for (i = 0; i < desc->psi.rank; i++) { // the factors of slopes are normal numbers
        const double factor =
            (desc->scale != 0 ? desc->scale : 1) / (desc->step[i] > 0 ? desc->step[i] : 1);
        if (!(fabs(factor) >= 1e-300 && fabs(factor) <= 1e300)) return PADIC_ERROR_NOT_SUPPORTED;
    }
    padici_wave_gradient_begin(&g.job, desc, tallies);
    padici_wave_field_grid_begin(&g, padici_wave_field_of(simd->level, PADICI_WAVE_FIELD_SLOPE));
    padici_parallel(simd->env.jobs, (uint32_t)g.tasks, padici_wave_field_slopes_task, &g);
    padici_wave_gradient_skipped(&g.job, desc);
    return PADIC_OK;
}

// Squares k to k + n of a row, of orientation o.
static void padici_wave_field_charges(const padici_wave_field_grid *g, const uint64_t index[3],
                                      uint32_t n, uint32_t o,
                                      uint16_t (*marks)[PADICI_WAVE_FIELD_ROW / 16])
{
    static const uint32_t corner[4][2] = {{0, 0}, {1, 0}, {1, 1}, {0, 1}};
    const padici_wave_grid_job *job = &g->job;
    const uint32_t axes[2] = {(o + 1) % 3, (o + 2) % 3};
    const uint64_t k = index[g->last], count = job->count[g->last];
    const int around = (int)(job->periodic >> g->last & 1);
    const float *row = (const float *)job->psi->data;
    float space[4][2 * PADICI_WAVE_FIELD_ROW];
    padici_wave_field_row f;
    uint32_t c, j;
    for (j = 0; j < g->last; j++) row += 2 * (int64_t)index[j] * job->stride[j];
    memset(&f, 0, sizeof f);
    memset(marks, 0, 3 * sizeof *marks);
    for (c = 0; c < 4; c++) {
        const float *from = row;
        int64_t way, at = (int64_t)k;
        for (j = 0; j < 2; j++) {
            if (axes[j] == g->last) {
                at += corner[c][j];
                continue;
            }
            if (!padici_wave_beside(job, index, axes[j], 0, &way)) return; // none
            if (corner[c][j]) from += 2 * way;
        }
        f.z[c] =
            padici_wave_field_part(from, count, at, n, PADICI_WAVE_FIELD_ROW, around, space[c]);
    }
    for (j = 0; j < 3; j++) f.marks[j] = marks[j];
    f.count = PADICI_WAVE_FIELD_ROW;
    (*g->kernel)(&f);
    if (k + n == count && !around && (axes[0] == g->last || axes[1] == g->last)) // no square there
        for (j = 0; j < 3; j++)
            marks[j][(n - 1) / 16] &= (uint16_t)~(1u << ((n - 1) & 15));
}

static void padici_wave_field_charges_task(void *arg, uint32_t task)
{
    const padici_wave_field_grid *g = (const padici_wave_field_grid *)arg;
    const padici_wave_grid_job *job = &g->job;
    const padic_wave_winding_desc *desc = job->winding;
    padici_wave_tally *tally = &job->tallies[task];
    uint64_t i = UINT64_MAX, index[3];
    uint32_t n;
    while ((n = padici_wave_field_grid_next(g, task, &i, index)) != 0) {
        uint16_t marks[3][PADICI_WAVE_FIELD_ROW / 16];
        uint32_t o, a, j;
        for (o = desc->psi.rank == 2 ? 2 : 0; o < 3; o++) {
            int64_t to = (int64_t)o * job->out_stride[3];
            padici_wave_field_charges(g, index, n, o, marks);
            for (a = 0; a < 3; a++) to += (int64_t)index[a] * job->out_stride[a];
            for (j = 0; j < n; j++) {
                const int plus = marks[0][j / 16] >> (j & 15) & 1;
                const int minus = marks[1][j / 16] >> (j & 15) & 1;
                const int bad = marks[2][j / 16] >> (j & 15) & 1;
                if (desc->map.dtype != PADIC_DTYPE_NONE)
                    ((int8_t *)desc->map.data)[to + (int64_t)j * job->out_stride[g->last]] =
                        (int8_t)(plus - minus - 128 * bad);
                tally->total[o] += plus - minus;
                tally->absolute += (uint64_t)(plus + minus);
                tally->undefined += (uint64_t)bad;
            }
        }
    }
}

PADICI_FN padic_result padici_simd_wave_winding(padici_simd *simd,
                                                const padic_wave_winding_desc *desc)
{
    padici_wave_tally tallies[PADICI_WAVE_SHARES], sum;
    padici_wave_field_grid g;
    uint32_t i, o;
    if (desc->psi.dtype != PADIC_C64 || desc->defects.dtype || !padici_wave_field_rows(&desc->psi))
        return PADIC_ERROR_NOT_SUPPORTED;
    padici_wave_winding_begin(&g.job, desc, tallies);
    padici_wave_field_grid_begin(&g, padici_wave_field_of(simd->level, PADICI_WAVE_FIELD_CHARGE));
    padici_parallel(simd->env.jobs, (uint32_t)g.tasks, padici_wave_field_charges_task, &g);
    memset(&sum, 0, sizeof sum);
    for (i = 0; i < g.tasks; i++) {
        for (o = 0; o < 3; o++) sum.total[o] += tallies[i].total[o];
        sum.absolute += tallies[i].absolute;
        sum.undefined += tallies[i].undefined;
    }
    padici_wave_winding_results(desc, &sum);
    return PADIC_OK;
}

#endif
// room: src/simd/tensor/kernels.c:4
#if PADICI_IMPLEMENT_SIMD && !defined(PADIC_NO_TENSOR) && (PADICI_SIMD_X86 || PADICI_SIMD_ARM)

// The kernels with vectors of half the possible length, or of the full one; of f32 or f64.
PADICI_FN const padici_simd_tensor_kernels *padici_simd_tensor_of(uint32_t longest,
                                                                  uint32_t is_double)
{
#if PADICI_SIMD_X86
    if (longest)
        return is_double ? padici_simd_tensor_kernels_avx512_double()
                         : padici_simd_tensor_kernels_avx512_float();
    return is_double ? padici_simd_tensor_kernels_avx2_double()
                     : padici_simd_tensor_kernels_avx2_float();
#else
    (void)longest;
    return is_double ? padici_simd_tensor_kernels_neon_double()
                     : padici_simd_tensor_kernels_neon_float();
#endif
}

#endif
// room: src/simd/tensor/gemm.c:11
#if PADICI_IMPLEMENT_SIMD && !defined(PADIC_NO_TENSOR) && (PADICI_SIMD_X86 || PADICI_SIMD_ARM)

// Products by these kernels: packs panels, distributes units of c among the workers; the calls.

typedef struct padici_simd_tensor_job {
    const padici_tensor_plan *plan;
    const padici_simd_tensor_kernels *kernels;
    const padici_tensor_group *row, *column, *sum;
    uint32_t a, b; // operands 0 and 1, or swapped
    char *data[3];
    uint32_t size;               // bytes of a real number
    uint32_t paired[2];          // a, b are complex
    uint32_t wide;               // real numbers per element of c
    uint32_t most, across;       // rows and columns of c per unit
    uint64_t down, right, units; // units per column, per row, in total
    uint32_t tasks, thin;        // thin: one row, b and c are contiguous
    uint32_t direct;             // small, b and c are contiguous: not packed
    uint32_t scaled, turned;     // alpha is not 1; has an imaginary part
    double factor[4];            // alpha in the kernels' representation: in the precision of c
    char *space;
    size_t each, space_a, space_places; // per task: in total; offsets of packed a and of the places
} padici_simd_tensor_job;

// Memory of a task: packed a and b, and the places of rows, columns and sum.
typedef struct padici_simd_tensor_room {
    char *a, *b, *data[3]; // data: of the batch
    int64_t *row_a, *row_c, *column_b, *column_c, *sum_a, *sum_b;
    uint32_t rows, columns;
} padici_simd_tensor_room;

static void padici_simd_tensor_places(const padici_tensor_group *group, uint64_t from,
                                      uint32_t count, uint32_t x, int64_t *at_x, uint32_t y,
                                      int64_t *at_y)
{
    padici_tensor_walk walk;
    padici_tensor_walk_to(&walk, group, from);
    padici_tensor_places(&walk, count, x, at_x, y, at_y);
}

// The lines of a panel, and whether they are contiguous.
static void padici_simd_tensor_lines(padici_simd_tensor_pack *pack, const int64_t *place,
                                     uint32_t count, uint32_t all)
{
    uint32_t i;
    pack->flat = count == all;
    for (i = 0; i < all; i++) {
        pack->line[i] = place[i < count ? i : count - 1];
        if (pack->line[i] != pack->line[0] + (int64_t)i) pack->flat = 0;
    }
}

static void padici_simd_tensor_pack_b(const padici_simd_tensor_job *g,
                                      const padici_simd_tensor_room *room, uint32_t depth)
{
    const uint32_t lines = g->kernels->nr / g->wide, rows = g->paired[0] ? 2 : 1;
    const size_t panel = (size_t)depth * rows * g->kernels->nr * g->size;
    padici_simd_tensor_pack pack;
    uint32_t j;
    char *to = room->b;
    memset(&pack, 0, sizeof pack);
    pack.from = room->data[1];
    pack.sum = room->sum_b;
    pack.depth = depth;
    pack.paired = g->paired[1];
    pack.negate = g->plan->conj >> g->b & 1;
    pack.twice = g->paired[0];
    for (j = 0; j < room->columns; j += lines, to += panel) {
        padici_simd_tensor_lines(&pack, room->column_b + j,
                                 room->columns - j < lines ? room->columns - j : lines, lines);
        (*g->kernels->pack_b)(&pack, to);
    }
}

static void padici_simd_tensor_pack_a(const padici_simd_tensor_job *g,
                                      const padici_simd_tensor_room *room, uint32_t depth,
                                      uint32_t begin, uint32_t end)
{
    const uint32_t lines = g->kernels->mr;
    const size_t panel = (size_t)depth * (g->paired[0] ? 2 : 1) * lines * g->size;
    padici_simd_tensor_pack pack;
    uint32_t i;
    char *to = room->a;
    memset(&pack, 0, sizeof pack);
    pack.from = room->data[0];
    pack.sum = room->sum_a;
    pack.depth = depth;
    pack.paired = g->paired[0];
    pack.negate = pack.paired && (g->plan->conj >> g->a & 1);
    pack.adjacent = 1;
    for (i = 1; i < depth; i++) pack.adjacent &= room->sum_a[i] == room->sum_a[0] + (int64_t)i;
    for (i = begin; i < end; i += lines, to += panel) {
        padici_simd_tensor_lines(&pack, room->row_a + i, end - i < lines ? end - i : lines, lines);
        (*g->kernels->pack_a)(&pack, to);
    }
}

// A product of panels through a temporary tile, of which the part within c is stored or added.
static void padici_simd_tensor_edge(const padici_simd_tensor_job *g, uint32_t depth, const char *a,
                                    const char *b, char *c, const int64_t *row, uint32_t rows,
                                    const int64_t *column, uint32_t columns, int add)
{
    double tile[8 * 16]; // or 8 x 32 floats
    int64_t apart[8];
    const uint32_t nr = g->kernels->nr, parts = g->wide;
    uint32_t i, j, p;
    int flat = 1;
    for (i = 0; i < g->kernels->mr; i++) apart[i] = (int64_t)(i * nr);
    (*g->kernels->product)(depth, a, b, tile, apart, g->scaled ? g->factor : NULL, g->turned, 0);
    for (j = 1; flat && j < columns; j++) flat = column[j] == column[0] + (int64_t)j;
    for (i = 0; i < rows && flat && !add; i++)
        memcpy(c + (row[i] + column[0]) * (int64_t)(parts * g->size),
               (const char *)tile + (size_t)i * nr * g->size, (size_t)columns * parts * g->size);
    for (i = 0; i < rows && (!flat || add); i++)
        for (j = 0; j < columns; j++)
            for (p = 0; p < parts; p++) {
                const int64_t at = (row[i] + column[j]) * (int64_t)parts + (int64_t)p;
                const uint32_t from = i * nr + j * parts + p;
                if (g->size == 4) {
                    float *to = (float *)(void *)c + at, x;
                    memcpy(&x, (const char *)tile + 4 * from, 4);
                    *to = add ? *to + x : x;
                } else {
                    double *to = (double *)(void *)c + at;
                    *to = add ? *to + tile[from] : tile[from];
                }
            }
}

// Rows [begin, end) of c from the panels of a, all columns of the unit.
static void padici_simd_tensor_block(const padici_simd_tensor_job *g,
                                     const padici_simd_tensor_room *room, uint32_t depth,
                                     uint32_t begin, uint32_t end, int add)
{
    const padici_simd_tensor_kernels *kernels = g->kernels;
    const uint32_t lines = kernels->nr / g->wide, deep = depth * (g->paired[0] ? 2 : 1);
    const size_t panel_a = (size_t)deep * kernels->mr * g->size;
    const size_t panel_b = (size_t)deep * kernels->nr * g->size;
    const char *b = room->b;
    uint32_t i, j, l;
    for (j = 0; j < room->columns; j += lines, b += panel_b) {
        const int64_t *column = room->column_c + j;
        const uint32_t columns = room->columns - j < lines ? room->columns - j : lines;
        const char *a = room->a;
        int whole = columns == lines;
        for (l = 1; whole && l < lines; l++) whole = column[l] == column[0] + (int64_t)l;
        for (i = begin; i < end; i += kernels->mr, a += panel_a) {
            const uint32_t rows = end - i < kernels->mr ? end - i : kernels->mr;
            int64_t row[8];
            if (!whole || rows < kernels->mr) {
                padici_simd_tensor_edge(g, deep, a, b, room->data[2], room->row_c + i, rows, column,
                                        columns, add);
                continue;
            }
            for (l = 0; l < rows; l++)
                row[l] = (room->row_c[i + l] + column[0]) * (int64_t)g->wide;
            (*kernels->product)(deep, a, b, room->data[2], row, g->scaled ? g->factor : NULL,
                                g->turned, add);
        }
    }
}

// c = beta c, where beta is neither 0 nor 1.
static void padici_simd_tensor_scale(const padici_simd_tensor_job *g,
                                     const padici_simd_tensor_room *room)
{
    const padic_dtype dtype = g->plan->dtype[2];
    const double *y = g->plan->beta;
    uint32_t i, j;
    for (i = 0; i < room->rows; i++)
        for (j = 0; j < room->columns; j++) {
            const int64_t at = room->row_c[i] + room->column_c[j];
            double re, im;
            padici_tensor_read(dtype, room->data[2], at, &re, &im);
            padici_tensor_times(y, &re, &im);
            padici_tensor_write(dtype, room->data[2], at, re, im);
        }
}

// Four factors for each line of b: for even and odd places, then for their neighbours.
static void padici_simd_tensor_factors(const padici_simd_tensor_job *g,
                                       const padici_simd_tensor_room *room, uint32_t depth)
{
    const padici_tensor_plan *plan = g->plan;
    const double turn = plan->conj >> g->b & 1 ? -1 : 1;
    float *single = (float *)(void *)room->a;
    uint32_t i;
    if (!plan->conj && plan->dtype[g->a] == PADIC_C64) {
        const float *from = (const float *)(const void *)room->data[0] + 2 * room->row_a[0];
        for (i = 0; i < depth; i++) {
            const float *z = from + 2 * room->sum_a[i];
            single[4 * i] = single[4 * i + 1] = z[0];
            single[4 * i + 2] = -z[1];
            single[4 * i + 3] = z[1];
        }
        return;
    }
    for (i = 0; i < depth; i++) {
        double factor[4], re, im;
        padici_tensor_read(plan->dtype[g->a], room->data[0], room->row_a[0] + room->sum_a[i], &re,
                           &im);
        if (plan->conj >> g->a & 1) im = -im;
        factor[0] = re;
        factor[3] = im;
        factor[1] = g->wide == 2 ? turn * factor[0] : factor[0];
        factor[2] = -turn * factor[3];
        if (g->size == 4) {
            single[4 * i] = (float)factor[0], single[4 * i + 1] = (float)factor[1];
            single[4 * i + 2] = (float)factor[2], single[4 * i + 3] = (float)factor[3];
        } else {
            memcpy(room->a + 32 * (size_t)i, factor, sizeof factor);
        }
    }
}

// One row: lines of b are summed in place. Memory bandwidth is the limit.
static void padici_simd_tensor_thin(const padici_simd_tensor_job *g, padici_simd_tensor_room *room)
{
    const padici_tensor_plan *plan = g->plan;
    const uint32_t count = room->columns * g->wide, size_b = g->size * (g->paired[1] ? 2 : 1);
    const int add = plan->beta[0] != 0 || plan->beta[1] != 0;
    char *to;
    uint64_t k;
    uint32_t i;
    memset(room->b, 0, (size_t)count * g->size);
    for (k = 0; k < g->sum->size; k += PADICI_SIMD_TENSOR_DEPTH) {
        const uint32_t depth = padici_tensor_part(g->sum->size, k, PADICI_SIMD_TENSOR_DEPTH);
        padici_simd_tensor_places(g->sum, k, depth, g->a, room->sum_a, g->b, room->sum_b);
        padici_simd_tensor_factors(g, room, depth);
        for (i = 0; i < depth; i++)
            room->sum_b[i] = (room->column_b[0] + room->sum_b[i]) * (int64_t)size_b;
        (*g->kernels->line)(count, depth, room->data[1], room->sum_b, room->a,
                            g->paired[0], room->b);
    }
    if (g->scaled) {
        const padic_dtype dtype = plan->dtype[2];
        for (i = 0; i < room->columns; i++) {
            double re, im;
            padici_tensor_read(dtype, room->b, i, &re, &im);
            padici_tensor_times(plan->alpha, &re, &im);
            padici_tensor_write(dtype, room->b, i, re, im);
        }
    }
    to = room->data[2] +
         (room->row_c[0] + room->column_c[0]) * (int64_t)g->wide * (int64_t)g->size;
    for (i = 0; i < count && add && g->size == 4; i++)
        ((float *)(void *)room->b)[i] += ((const float *)(const void *)to)[i];
    for (i = 0; i < count && add && g->size == 8; i++)
        ((double *)(void *)room->b)[i] += ((const double *)(const void *)to)[i];
    memcpy(to, room->b, (size_t)count * g->size);
}

// Steps of the single axis of operand o, in real numbers.
PADICI_INLINE int64_t padici_simd_tensor_step(const padici_simd_tensor_job *g,
                                              const padici_tensor_group *group, uint32_t o)
{
    return group->count ? group->axis[0].step[o] * (int64_t)g->wide : 0;
}

static void padici_simd_tensor_do_direct(const padici_simd_tensor_job *g,
                                         const padici_simd_tensor_room *room, uint64_t row)
{
    padici_simd_tensor_direct d;
    d.depth = (uint32_t)g->sum->size;
    d.rows = padici_tensor_part(g->row->size, row, g->most);
    d.columns = (uint32_t)g->column->size * g->wide;
    d.paired = g->paired[0];
    d.add = g->plan->beta[0] != 0;
    d.a_row = padici_simd_tensor_step(g, g->row, g->a);
    d.a_sum = padici_simd_tensor_step(g, g->sum, g->a);
    d.b_sum = padici_simd_tensor_step(g, g->sum, g->b);
    d.c_row = padici_simd_tensor_step(g, g->row, 2);
    (*g->kernels->direct)(&d, room->data[0] + (int64_t)row * d.a_row * (int64_t)g->size,
                          room->data[1], room->data[2] + (int64_t)row * d.c_row * (int64_t)g->size);
}

static void padici_simd_tensor_unit(const padici_simd_tensor_job *g, padici_simd_tensor_room *room,
                                    uint64_t unit)
{
    const uint64_t column = unit % g->right * g->across, row = unit / g->right % g->down * g->most;
    const uint32_t deepest = PADICI_SIMD_TENSOR_DEPTH / (g->paired[0] ? 2 : 1);
    const double *beta = g->plan->beta;
    int add = beta[0] != 0 || beta[1] != 0;
    padici_tensor_walk walk;
    uint64_t k;
    uint32_t i;
    padici_tensor_walk_to(&walk, &g->plan->group[PADICI_TENSOR_BATCH], unit / g->right / g->down);
    for (i = 0; i < 3; i++) {
        const uint32_t o = i == 0 ? g->a : i == 1 ? g->b : 2;
        room->data[i] =
            g->data[o] + walk.at[o] * (int64_t)padic_dtype_size(g->plan->dtype[o]);
    }
    if (g->direct) {
        padici_simd_tensor_do_direct(g, room, row);
        return;
    }
    room->rows = padici_tensor_part(g->row->size, row, g->most);
    room->columns = padici_tensor_part(g->column->size, column, g->across);
    padici_simd_tensor_places(g->row, row, room->rows, g->a, room->row_a, 2, room->row_c);
    padici_simd_tensor_places(g->column, column, g->thin && !add ? 1 : room->columns, g->b,
                              room->column_b, 2, room->column_c);
    if (add && (beta[0] != 1 || beta[1] != 0)) padici_simd_tensor_scale(g, room);
    if (g->thin) {
        padici_simd_tensor_thin(g, room);
        return;
    }
    for (k = 0; k < g->sum->size; k += deepest, add = 1) {
        const uint32_t depth = padici_tensor_part(g->sum->size, k, deepest);
        padici_simd_tensor_places(g->sum, k, depth, g->a, room->sum_a, g->b, room->sum_b);
        padici_simd_tensor_pack_b(g, room, depth);
        for (i = 0; i < room->rows; i += PADICI_SIMD_TENSOR_ROWS) {
            const uint32_t end =
                room->rows - i < PADICI_SIMD_TENSOR_ROWS ? room->rows : i + PADICI_SIMD_TENSOR_ROWS;
            padici_simd_tensor_pack_a(g, room, depth, i, end);
            padici_simd_tensor_block(g, room, depth, i, end, add);
        }
    }
}

static void padici_simd_tensor_task(void *arg, uint32_t task)
{
    const padici_simd_tensor_job *g = (const padici_simd_tensor_job *)arg;
    char *space = g->space + (size_t)task * g->each;
    padici_simd_tensor_room room;
    uint64_t unit;
    room.b = space;
    room.a = space + g->space_a;
    room.row_a = (int64_t *)(void *)(space + g->space_places);
    room.row_c = room.row_a + g->most;
    room.column_b = room.row_c + g->most;
    room.column_c = room.column_b + g->across;
    room.sum_a = room.column_c + g->across;
    room.sum_b = room.sum_a + PADICI_SIMD_TENSOR_DEPTH;
    for (unit = task; unit < g->units; unit += g->tasks) padici_simd_tensor_unit(g, &room, unit);
}

// 1 if the step of c along the fastest axis of a group is 1.
static int padici_simd_tensor_flat(const padici_tensor_group *group)
{
    return group->count && group->axis[group->count - 1].step[2] == 1;
}

static uint32_t padici_simd_tensor_up(uint64_t n, uint32_t step, uint32_t most)
{
    return n >= most ? most : ((uint32_t)n + step - 1) / step * step;
}

// 1 if both are complex or none, the product is unconjugated, and each group is one axis.
static uint32_t padici_simd_tensor_is_direct(const padici_simd_tensor_job *g)
{
    const padici_tensor_plan *plan = g->plan;
    const padici_tensor_group *column = g->column;
    return g->paired[0] == g->paired[1] && !plan->conj && plan->alpha[0] == 1 &&
           plan->alpha[1] == 0 && plan->beta[1] == 0 &&
           (plan->beta[0] == 0 || plan->beta[0] == 1) && g->row->count <= 1 && g->sum->count <= 1 &&
           column->count == 1 && column->axis[0].step[g->b] == 1 && column->axis[0].step[2] == 1 &&
           column->size * g->wide <= PADICI_SIMD_TENSOR_SMALL &&
           column->size * g->wide % g->kernels->lanes == 0 &&
           g->sum->size <= PADICI_SIMD_TENSOR_SMALL;
}

// Decides which operand is a, and how c is divided.
static void padici_simd_tensor_begin(padici_simd_tensor_job *g, uint32_t workers)
{
    const padici_tensor_plan *plan = g->plan;
    const padici_tensor_group *group = plan->group;
    const uint32_t left = (uint32_t)padici_tensor_is_complex(plan->dtype[0]);
    const uint32_t right = (uint32_t)padici_tensor_is_complex(plan->dtype[1]);
    // A real operand with a complex one is a; otherwise c is written along its axis of step 1.
    const int turn = left != right ? left != 0
                                   : padici_simd_tensor_flat(&group[PADICI_TENSOR_ROW]) &&
                                         !padici_simd_tensor_flat(&group[PADICI_TENSOR_COLUMN]);
    g->a = turn ? 1 : 0;
    g->b = 1 - g->a;
    g->row = &group[turn ? PADICI_TENSOR_COLUMN : PADICI_TENSOR_ROW];
    g->column = &group[turn ? PADICI_TENSOR_ROW : PADICI_TENSOR_COLUMN];
    g->sum = &group[PADICI_TENSOR_SUM];
    g->paired[0] = turn ? right : left;
    g->paired[1] = turn ? left : right;
    g->wide = left | right ? 2 : 1;
    g->thin = g->row->size == 1 && g->column->count == 1 && g->column->axis[0].step[g->b] == 1 &&
              g->column->axis[0].step[2] == 1 && (g->wide == 1 || g->paired[1]);
    g->direct = padici_simd_tensor_is_direct(g);
#if PADICI_SIMD_X86
    if (!g->direct && g->kernels == padici_simd_tensor_of(1, g->size == 8)) {
        g->kernels = padici_simd_tensor_of(0, g->size == 8); // vectors of half the length
        g->direct = padici_simd_tensor_is_direct(g);
        if (!g->direct) g->kernels = padici_simd_tensor_of(1, g->size == 8);
    }
#endif
    if (g->direct) g->thin = 0; // one row of few: the factors do not pay
    g->across =
        g->thin ? padici_simd_tensor_up(g->column->size, 1, PADICI_SIMD_TENSOR_THIN)
        : g->direct
            ? (uint32_t)g->column->size
            : padici_simd_tensor_up(g->column->size, g->kernels->nr / g->wide,
                                    PADICI_SIMD_TENSOR_WIDE / g->wide / (workers > 1 ? 2 : 1));
    g->most = padici_simd_tensor_up(g->row->size, g->kernels->mr, PADICI_SIMD_TENSOR_MOST);
    for (;;) { // sums do not depend on the division of c, so it may follow the workers
        g->down = (g->row->size + g->most - 1) / g->most;
        g->right = (g->column->size + g->across - 1) / g->across;
        g->units = g->down * g->right * group[PADICI_TENSOR_BATCH].size;
        if (workers == 1 || g->units >= 4 * workers || g->most <= 64) break;
        g->most = padici_simd_tensor_up(g->most / 2, g->kernels->mr, g->most);
    }
    g->tasks = g->units < workers ? (uint32_t)g->units : workers;
}

// The memory that a task needs.
static void padici_simd_tensor_measure(padici_simd_tensor_job *g)
{
    const uint32_t twice = g->paired[0] ? 2 : 1;
    const size_t deep =
        g->thin ? 1 : padici_simd_tensor_up(g->sum->size * twice, twice, PADICI_SIMD_TENSOR_DEPTH);
    const size_t high =
        g->most < PADICI_SIMD_TENSOR_ROWS ? g->most : PADICI_SIMD_TENSOR_ROWS + g->kernels->mr;
    g->space_a = (deep * g->across * g->wide * g->size + 63) / 64 * 64;
    g->space_places = // thin: four factors per line
        (g->space_a + (g->thin ? 4 * PADICI_SIMD_TENSOR_DEPTH : deep * high) * g->size + 63) / 64 *
        64;
    g->each = g->space_places + 2 * ((size_t)g->most + g->across + PADICI_SIMD_TENSOR_DEPTH) * 8;
    g->each = (g->each + 63) / 64 * 64;
}

#define PADICI_SIMD_TENSOR_NARROW 8 // most rows and products of a sum

// Lines shorter than a vector, in local memory, padded with zeros.
static void padici_simd_tensor_narrow(const padici_simd_tensor_kernels *kernels,
                                      padici_simd_tensor_direct *d, const padic_tensor_product *p,
                                      size_t size)
{
    double b[PADICI_SIMD_TENSOR_NARROW * 8]; // a vector has 64 bytes at most
    double c[PADICI_SIMD_TENSOR_NARROW * 8];
    const size_t line = d->columns * size;
    const int64_t b_step = d->b_sum * (int64_t)size, c_step = d->c_row * (int64_t)size;
    uint32_t i;
    memset(b, 0, sizeof b);
    for (i = 0; i < p->depth; i++)
        memcpy((char *)b + i * kernels->lanes * size, (const char *)p->b + i * b_step, line);
    d->columns = kernels->lanes;
    d->b_sum = d->c_row = kernels->lanes;
    (*kernels->direct)(d, p->a, b, c);
    for (i = 0; i < p->rows; i++)
        memcpy((char *)p->c + i * c_step, (const char *)c + i * kernels->lanes * size, line);
}

// A small product, without a plan: by the kernel that a general call would try first.
PADICI_FN padic_result padici_simd_tensor_product_loop(padici_simd *simd, const void *product)
{
    const padic_tensor_product *p = (const padic_tensor_product *)product;
    const uint32_t wide = (uint32_t)padici_tensor_is_double(p->dtype);
    const uint32_t parts = padici_tensor_is_complex(p->dtype) ? 2 : 1, width = p->columns * parts;
    const padici_simd_tensor_kernels *kernels =
        padici_simd_tensor_of(PADICI_SIMD_X86 && simd->level > PADICI_SIMD_AVX2, wide);
    padici_simd_tensor_direct d;
    int narrow;
    if (p->rows < 2 || p->rows > 64 || p->columns < 2 ||
        width > PADICI_SIMD_TENSOR_SMALL || p->depth > PADICI_SIMD_TENSOR_SMALL)
        return PADIC_ERROR_NOT_SUPPORTED;
    if (width & (kernels->lanes - 1)) kernels = padici_simd_tensor_of(0, wide);
    // Complex ones are summed differently there.
    narrow = parts == 1 && p->columns < kernels->lanes && p->rows <= PADICI_SIMD_TENSOR_NARROW &&
             p->depth <= PADICI_SIMD_TENSOR_NARROW;
    if (width & (kernels->lanes - 1) && !narrow) return PADIC_ERROR_NOT_SUPPORTED;
    d.depth = p->depth;
    d.rows = p->rows;
    d.columns = width;
    d.paired = parts == 2;
    d.add = 0;
    d.a_row = p->line_a * (int64_t)parts;
    d.a_sum = (int64_t)parts;
    d.b_sum = p->line_b * (int64_t)parts;
    d.c_row = p->line_c * (int64_t)parts;
    if (narrow) padici_simd_tensor_narrow(kernels, &d, p, wide ? 8 : 4);
    else (*kernels->direct)(&d, p->a, p->b, p->c);
    return PADIC_OK;
}

// alpha in the kernels' representation.
static void padici_simd_tensor_alpha(padici_simd_tensor_job *g)
{
    const double *alpha = g->plan->alpha;
    const float single[4] = {(float)alpha[0], (float)alpha[0], -(float)alpha[1], (float)alpha[1]};
    g->scaled = alpha[0] != 1 || alpha[1] != 0;
    g->turned = alpha[1] != 0;
    g->factor[0] = g->factor[1] = alpha[0];
    g->factor[2] = -alpha[1];
    g->factor[3] = alpha[1];
    if (g->size == 4) memcpy(g->factor, single, sizeof single);
}

// A checked plan. NOT_SUPPORTED: nothing to sum, alpha or beta outside the precision, or no memory;
// then the generic loop is used.
static padic_result padici_simd_tensor_plan(padici_simd *simd, const padici_tensor_plan *plan,
                                            void *const data[3])
{
    const padic_jobs *jobs = simd->env.jobs;
    padici_simd_tensor_job g;
    uint32_t i;
    memset(&g, 0, sizeof g);
    for (i = 0; i < 4; i++)
        if (!plan->group[i].size) return PADIC_ERROR_NOT_SUPPORTED;
    if (!padici_tensor_factors_fit(plan)) return PADIC_ERROR_NOT_SUPPORTED;
    for (i = 0; i < 3; i++) g.data[i] = (char *)data[i];
    g.plan = plan;
    g.size = padici_tensor_is_double(plan->dtype[2]) ? 8 : 4;
    g.kernels =
        padici_simd_tensor_of(PADICI_SIMD_X86 && simd->level > PADICI_SIMD_AVX2, g.size == 8);
    padici_simd_tensor_alpha(&g);
    padici_simd_tensor_begin(
        &g, jobs && jobs->enqueue && jobs->finish && jobs->workers > 1 ? jobs->workers : 1);
    padici_simd_tensor_measure(&g);
    if (simd->tensor_size < g.tasks * g.each) {
        padici_free(simd->env.allocator, simd->tensor_space, simd->tensor_size);
        simd->tensor_size = g.tasks * g.each;
        simd->tensor_space = padici_alloc(simd->env.allocator, simd->tensor_size, 64);
        if (!simd->tensor_space) simd->tensor_size = 0;
    }
    if (!simd->tensor_space) return PADIC_ERROR_NOT_SUPPORTED;
    g.space = (char *)simd->tensor_space;
    padici_parallel(jobs, g.tasks, padici_simd_tensor_task, &g);
    return PADIC_OK;
}

// Groups one after the other, each with vectors where possible.
PADICI_NOINLINE static padic_result padici_simd_tensor_groups(padici_simd *simd,
                                                              const padic_tensor_gemm_desc *desc)
{
    padic_result result = PADIC_OK;
    uint32_t i;
    for (i = 0; i < desc->group_count && !result; i++) {
        padic_tensor_gemm_desc one;
        padici_tensor_plan plan;
        void *data[3];
        padici_tensor_gemm_group_at(desc, i, &one);
        if (!one.c.shape[0] || !one.c.shape[1]) continue;
        result = padici_tensor_gemm_plan(NULL, &one, &plan);
        if (result) return result;
        data[0] = one.a.data, data[1] = one.b.data, data[2] = one.c.data;
        result = padici_simd_tensor_plan(simd, &plan, data);
        if (result != PADIC_ERROR_NOT_SUPPORTED) continue;
        result = PADIC_OK;
        padici_tensor_run(simd->env.jobs, &plan, data[0], data[1], data[2]);
    }
    return result;
}

PADICI_FN padic_result padici_simd_tensor_gemm(padici_simd *simd,
                                               const padic_tensor_gemm_desc *desc)
{
    padici_tensor_plan plan;
    void *data[3];
    padic_result result;
    if (desc->groups) return padici_simd_tensor_groups(simd, desc);
    data[0] = desc->a.data, data[1] = desc->b.data, data[2] = desc->c.data;
    result = padici_tensor_gemm_plan(NULL, desc, &plan);
    return result ? result : padici_simd_tensor_plan(simd, &plan, data);
}

PADICI_FN padic_result padici_simd_tensor_contract(padici_simd *simd,
                                                   const padic_tensor_contract_desc *desc)
{
    padici_tensor_plan plan;
    void *data[3];
    padic_result result;
    data[0] = desc->a.data, data[1] = desc->b.data, data[2] = desc->c.data;
    result = padici_tensor_contract_plan(NULL, desc, &plan);
    return result ? result : padici_simd_tensor_plan(simd, &plan, data);
}

#undef PADICI_SIMD_TENSOR_NARROW

#endif
// room: src/simd/tensor/turns.c:4
#if PADICI_IMPLEMENT_SIMD && !defined(PADIC_NO_TENSOR) && (PADICI_SIMD_X86 || PADICI_SIMD_ARM)

// Singular values of a bidiagonal matrix and eigenvalues of a tridiagonal one by implicit QR steps
// (Golub and Kahan 1965; Demmel and Kahan 1990 for steps without a shift). The rotations wait until
// several sweeps go over the vectors together (Van Zee, van de Geijn and Quintana-Orti 2014). A
// matrix has numbers of about 1 at most; a coupling within a few roundings of the largest is none.

#define PADICI_SIMD_TENSOR_STEPS (2 * PADICI_TENSOR_SWEEPS) // most sweeps for a value

// The rotation that takes (f, g) to (r, 0).
PADICI_INLINE double padici_simd_tensor_rotation(double f, double g, double *c, double *s)
{
    const double square = f * f + g * g, r = sqrt(square);
    if (square < 1e-280) { // below all that counts
        *c = 1;
        *s = 0;
        return f;
    }
    *c = f / r;
    *s = g / r;
    return r;
}

static void padici_simd_tensor_turns_flush(padici_simd_tensor_turns *t)
{
    uint32_t side;
    for (side = 0; side < t->sides; side++)
        if (t->x[side]) (*t->turn)(t, side);
    t->used = t->sweeps = 0;
}

// Room for a sweep over columns first to last.
static void padici_simd_tensor_turns_begin(padici_simd_tensor_turns *t, uint64_t first,
                                           uint64_t last)
{
    if (t->sweeps == PADICI_SIMD_TENSOR_HELD || t->used + (last - first) > t->room)
        padici_simd_tensor_turns_flush(t);
    t->first[t->sweeps] = first;
    t->count[t->sweeps++] = last - first;
    t->used += last - first;
}

// The smaller singular value of [f g; 0 h].
static double padici_simd_tensor_shift(double f, double g, double h)
{
    double least = fabs(f) < fabs(h) ? fabs(f) : fabs(h), most, a, b, c;
    most = fabs(f) < fabs(h) ? fabs(h) : fabs(f);
    if (least == 0) return 0;
    a = 1 + least / most;
    b = (most - least) / most;
    g = fabs(g);
    if (g < most) {
        c = g / most;
        return least * (2 / (sqrt(a * a + c * c) + sqrt(b * b + c * c)));
    }
    c = most / g;
    return 2 * (least / (sqrt(1 + a * c * (a * c)) + sqrt(1 + b * c * (b * c)))) * c;
}

// A sweep with a shift over rows l to k.
static void padici_simd_tensor_bidiagonal_sweep(uint64_t l, uint64_t k, double *d, double *e,
                                                double shift, double *const rotation[4])
{
    double f = (fabs(d[l]) - shift) * ((d[l] < 0 ? -1 : 1) + shift / d[l]), g = e[l], x = d[l];
    uint64_t i;
    for (i = l; i < k; i++) {
        double c, s, r = padici_simd_tensor_rotation(f, g, &c, &s), y = e[i], z = d[i + 1];
        if (i > l) e[i - 1] = r;
        rotation[0][i - l] = c;
        rotation[1][i - l] = s;
        f = c * x + s * y;
        y = c * y - s * x;
        g = s * z;
        z = c * z;
        d[i] = padici_simd_tensor_rotation(f, g, &c, &s);
        rotation[2][i - l] = c;
        rotation[3][i - l] = s;
        f = c * y + s * z;
        x = c * z - s * y;
        if (i + 1 == k) break;
        g = s * e[i + 1];
        e[i + 1] = c * e[i + 1];
    }
    d[k] = x;
    e[k - 1] = f;
}

// Without one: small values keep their digits.
static void padici_simd_tensor_bidiagonal_zero(uint64_t l, uint64_t k, double *d, double *e,
                                               double *const rotation[4])
{
    double c = 1, s = 0, old_c = 1, old_s = 0, r;
    uint64_t i;
    for (i = l; i < k; i++) {
        r = padici_simd_tensor_rotation(d[i] * c, e[i], &c, &s);
        if (i > l) e[i - 1] = old_s * r;
        rotation[0][i - l] = c;
        rotation[1][i - l] = s;
        d[i] = padici_simd_tensor_rotation(old_c * r, d[i + 1] * s, &old_c, &old_s);
        rotation[2][i - l] = old_c;
        rotation[3][i - l] = old_s;
    }
    r = d[k] * c;
    d[k] = r * old_c;
    e[k - 1] = r * old_s;
}

// Diagonal d (n) and e above it (n; the last is space) to singular values, of any sign and order.
// 0: no convergence.
PADICI_FN int padici_simd_tensor_bidiagonal_qr(uint64_t n, double *d, double *e, double eps,
                                               padici_simd_tensor_turns *turns)
{
    double least = 0, smallest, shift;
    uint64_t k, l, i, steps = 0;
    for (i = 0; i < n; i++) {
        if (fabs(d[i]) > least) least = fabs(d[i]);
        if (i + 1 < n && fabs(e[i]) > least) least = fabs(e[i]);
    }
    least = 8 * eps * least + 1e-290;
    for (k = n ? n - 1 : 0; k > 0;) {
        double *rotation[4];
        if (fabs(e[k - 1]) <= least) {
            k--;
            continue;
        }
        smallest = fabs(d[k]);
        for (l = k; l > 0 && fabs(e[l - 1]) > least; l--)
            if (fabs(d[l - 1]) < smallest) smallest = fabs(d[l - 1]);
        if (steps++ == PADICI_SIMD_TENSOR_STEPS * n) break;
        padici_simd_tensor_turns_begin(turns, l, k);
        for (i = 0; i < 2; i++) {
            rotation[2 * i] = turns->c[i] + turns->used - (k - l);
            rotation[2 * i + 1] = turns->s[i] + turns->used - (k - l);
        }
        shift = smallest > least ? padici_simd_tensor_shift(d[k - 1], e[k - 1], d[k]) : 0;
        if (smallest > least && shift * shift > eps * d[l] * d[l])
            padici_simd_tensor_bidiagonal_sweep(l, k, d, e, shift, rotation);
        else
            padici_simd_tensor_bidiagonal_zero(l, k, d, e, rotation);
    }
    padici_simd_tensor_turns_flush(turns);
    return k == 0;
}

static void padici_simd_tensor_tridiagonal_sweep(uint64_t l, uint64_t k, double *d, double *e,
                                                 double *cosine, double *sine)
{
    const double half = (d[k - 1] - d[k]) / 2, size = sqrt(half * half + e[k - 1] * e[k - 1]);
    double f = d[l] - (d[k] - e[k - 1] / (half + (half < 0 ? -size : size)) * e[k - 1]), g = e[l];
    double x = d[l], y = e[l];
    uint64_t i;
    for (i = l; i < k; i++) {
        double c, s, r = padici_simd_tensor_rotation(f, g, &c, &s), p, q, z = d[i + 1];
        if (i > l) e[i - 1] = r;
        cosine[i - l] = c;
        sine[i - l] = s;
        p = c * x + s * y;
        q = c * y + s * z;
        d[i] = c * p + s * q;
        x = c * (c * z - s * y) - s * (c * y - s * x);
        f = c * q - s * p;
        if (i + 1 == k) break;
        g = s * e[i + 1];
        y = c * e[i + 1];
    }
    d[k] = x;
    e[k - 1] = f;
}

// Values alone need no square roots (Pal, Walker and Kahan; Parlett 8.15): e has squares, l < k.
static void padici_simd_tensor_tridiagonal_rootless(uint64_t l, uint64_t k, double *d, double *e)
{
    const double half = (d[k - 1] - d[k]) / 2, size = sqrt(half * half + e[k - 1]);
    const double shift = d[k] - e[k - 1] / (half + (half < 0 ? -size : size));
    double c = 1, s = 0, gamma = d[l] - shift, p = gamma * gamma;
    uint64_t i;
    for (i = l; i < k; i++) {
        const double square = e[i], r = p + square, over = p > 0 ? r / p : 0, old = gamma;
        const double before = c, next = d[i + 1];
        if (i > l) e[i - 1] = s * r;
        c = p / r;
        s = square / r;
        gamma = c * (next - shift) - s * old;
        d[i] = old + (next - gamma);
        p = p > 0 ? gamma * gamma * over : before * square;
    }
    e[k - 1] = s * p;
    d[k] = shift + gamma;
}

// Diagonal d (n) and e beside it (n) to eigenvalues, in any order.
PADICI_FN int padici_simd_tensor_tridiagonal_qr(uint64_t n, double *d, double *e, double eps,
                                                padici_simd_tensor_turns *turns)
{
    double least = 0;
    uint64_t k, l, i, steps = 0;
    for (i = 0; i < n; i++) {
        if (fabs(d[i]) > least) least = fabs(d[i]);
        if (i + 1 < n && fabs(e[i]) > least) least = fabs(e[i]);
    }
    least = 8 * eps * least + 1e-145;
    for (i = 0; i < n && !turns->sides; i++) e[i] *= e[i];
    if (!turns->sides) least *= least;
    for (k = n ? n - 1 : 0; k > 0;) {
        if (fabs(e[k - 1]) <= least) {
            k--;
            continue;
        }
        for (l = k; l > 0 && fabs(e[l - 1]) > least;) l--;
        if (steps++ == PADICI_SIMD_TENSOR_STEPS * n) break;
        if (!turns->sides) {
            padici_simd_tensor_tridiagonal_rootless(l, k, d, e);
            continue;
        }
        padici_simd_tensor_turns_begin(turns, l, k);
        padici_simd_tensor_tridiagonal_sweep(l, k, d, e, turns->c[0] + turns->used - (k - l),
                                             turns->s[0] + turns->used - (k - l));
    }
    padici_simd_tensor_turns_flush(turns);
    return k == 0;
}

#undef PADICI_SIMD_TENSOR_STEPS

#endif
// room: src/simd/tensor/factor.c:7
#if PADICI_IMPLEMENT_SIMD && !defined(PADIC_NO_TENSOR) && (PADICI_SIMD_X86 || PADICI_SIMD_ARM)

// Calls of svd, qr and eigh with vectors: a matrix by one worker, in the precision of its numbers.

static const padici_simd_tensor_factor_kernels *padici_simd_tensor_factor_kernels_of(
    const padici_simd *simd, int is_double)
{
#if PADICI_SIMD_X86
    if (simd->level > PADICI_SIMD_AVX2)
        return is_double ? padici_simd_tensor_factor_kernels_avx512_double()
                         : padici_simd_tensor_factor_kernels_avx512_float();
    return is_double ? padici_simd_tensor_factor_kernels_avx2_double()
                     : padici_simd_tensor_factor_kernels_avx2_float();
#else
    (void)simd;
    return is_double ? padici_simd_tensor_factor_kernels_neon_double()
                     : padici_simd_tensor_factor_kernels_neon_float();
#endif
}

static padic_result padici_simd_tensor_factor(padici_simd *simd, padici_tensor_factor *f)
{
    const padici_simd_tensor_factor_kernels *kernels =
        padici_simd_tensor_factor_kernels_of(simd, padici_tensor_is_double(f->tensors[0].dtype));
    if (!f->r || !f->batch) return PADIC_ERROR_NOT_SUPPORTED;
    if ((f->m + 64) >= ((uint64_t)1 << 40) / (f->n + 64)) return PADIC_ERROR_NOT_SUPPORTED;
    f->one = kernels->of[f->kind];
    f->each = ((*kernels->bytes)(f) + 7) / 8;
    return padici_tensor_factor_run(&simd->env, f);
}

PADICI_FN padic_result padici_simd_tensor_svd(padici_simd *simd, const padic_tensor_svd_desc *desc)
{
    padici_tensor_factor f;
    padic_result result = padici_tensor_factor_of_svd(NULL, desc, &f);
    if (desc->method == PADIC_TENSOR_SVD_METHOD_JACOBI) return PADIC_ERROR_NOT_SUPPORTED;
    return result ? result : padici_simd_tensor_factor(simd, &f);
}

PADICI_FN padic_result padici_simd_tensor_qr(padici_simd *simd, const padic_tensor_qr_desc *desc)
{
    padici_tensor_factor f;
    padic_result result = padici_tensor_factor_of_qr(NULL, desc, &f);
    return result ? result : padici_simd_tensor_factor(simd, &f);
}

PADICI_FN padic_result padici_simd_tensor_eigh(padici_simd *simd,
                                               const padic_tensor_eigh_desc *desc)
{
    padici_tensor_factor f;
    padic_result result = padici_tensor_factor_of_eigh(NULL, desc, &f);
    return result ? result : padici_simd_tensor_factor(simd, &f);
}

#endif
// room: src/simd/fft/kernels.c:5
#if PADICI_IMPLEMENT_SIMD && !defined(PADIC_NO_FFT)

// ------------------------------------------------------------------------------------- >>fft, simd

// The kernels of the device's level.
PADICI_FN padic_result padici_simd_fft_kernels(padici_simd *simd, void *choice_)
{
    padici_fft_choice *choice = (padici_fft_choice *)choice_;
#if PADICI_SIMD_X86
    if (simd->level >= PADICI_SIMD_AVX512)
        choice->kernels = choice->is_double ? padici_simd_fft_kernels_avx512_double()
                                            : padici_simd_fft_kernels_avx512_float();
    else
        choice->kernels = choice->is_double ? padici_simd_fft_kernels_avx2_double()
                                            : padici_simd_fft_kernels_avx2_float();
    return PADIC_OK;
#elif PADICI_SIMD_ARM
    (void)simd;
    choice->kernels = choice->is_double ? padici_simd_fft_kernels_neon_double()
                                        : padici_simd_fft_kernels_neon_float();
    return PADIC_OK;
#else
    (void)simd, (void)choice;
    return PADIC_ERROR_NOT_SUPPORTED;
#endif
}

#if PADICI_SIMD_X86 || PADICI_SIMD_ARM
PADICI_FN padic_result padici_simd_fft_transform(padici_simd *simd,
                                                 const padic_fft_transform_desc *desc)
{
    padici_fft_choice choice;
    choice.is_double = desc->out.dtype == PADIC_F64 || desc->out.dtype == PADIC_C128;
    (void)padici_simd_fft_kernels(simd, &choice);
    return padici_fft_run(&simd->env, choice.kernels, desc);
}
#endif

#endif
// room: src/simd/field/run.c:6
#if PADICI_IMPLEMENT_SIMD && !defined(PADIC_NO_FIELD) && (PADICI_SIMD_X86 || PADICI_SIMD_ARM)

// ----------------------------------------------------------------------------------- >>field, simd
//
// The legacy step and energy of C64 whose last axis is dense. What is beyond f32 is left to the
// reference.

typedef void (*padici_field_legacy_kernel)(padici_field_legacy_plane *plane);

typedef struct padici_field_legacy_run {
    padici_field_legacy_job job;
    padici_field_legacy_kernel kernel;
    uint32_t is_energy;
} padici_field_legacy_run;

static padici_field_legacy_kernel padici_field_legacy_kernel_of(uint32_t level, uint32_t is_energy)
{
#if PADICI_SIMD_X86
    if (level > PADICI_SIMD_AVX2)
        return is_energy ? padici_simd_field_energy_avx512 : padici_simd_field_euler_avx512;
    return is_energy ? padici_simd_field_energy_avx2 : padici_simd_field_euler_avx2;
#else
    (void)level;
    return is_energy ? padici_simd_field_energy_neon : padici_simd_field_euler_neon;
#endif
}

// Plane i of axis 0, and the planes beside it.
static void padici_field_legacy_plane_of(const padici_field_legacy_run *run, uint64_t i,
                                         padici_field_legacy_plane *plane)
{
    const padici_field_legacy_job *job = &run->job;
    const float *phi = (const float *)job->phi->data;
    const uint64_t last = job->count[0] - 1;
    uint64_t below = i ? i - 1 : last, above = i < last ? i + 1 : 0;
    if (run->is_energy) {
        if (i == 0) below = i;
        if (i == last) above = i;
    }
    plane->at = phi + 2 * (int64_t)i * job->stride[0];
    plane->below = phi + 2 * (int64_t)below * job->stride[0];
    plane->above = phi + 2 * (int64_t)above * job->stride[0];
    plane->out = (float *)job->out->data + 2 * (int64_t)i * job->out_stride[0];
    plane->edge = above - below != 2;
    plane->odd = 0;
}

// The sums of all lanes.
static void padici_field_legacy_total(padici_field_legacy_plane *plane, double sum[3])
{
    uint32_t k, i, half;
    for (k = 0; k < 3; k++) {
        for (half = 8; half; half /= 2)
            for (i = 0; i < half; i++) plane->sum[k][i] += plane->sum[k][i + half];
        sum[k] = plane->sum[k][0];
    }
    sum[0] *= 0.25;
}

static void padici_field_legacy_run_task(void *arg, uint32_t task)
{
    padici_field_legacy_run *run = (padici_field_legacy_run *)arg;
    padici_field_legacy_job *job = &run->job;
    padici_field_legacy_plane plane;
    uint64_t row, end;
    padici_field_legacy_share(job, task, &row, &end);
    memset(&plane, 0, sizeof plane);
    plane.row = 2 * job->stride[1];
    plane.out_row = 2 * job->out_stride[1];
    plane.rows = job->count[1];
    plane.count = job->count[2];
    plane.power = job->power;
    plane.mass = (float)job->mass;
    plane.lambda = (float)job->lambda;
    plane.dt = (float)job->dt;
    while (row < end) {
        const uint64_t i = row / plane.rows;
        const uint64_t next = (i + 1) * plane.rows < end ? (i + 1) * plane.rows : end;
        plane.first = row - i * plane.rows;
        plane.end = next - i * plane.rows;
        padici_field_legacy_plane_of(run, i, &plane);
        (*run->kernel)(&plane);
        if (plane.odd) padici_field_legacy_euler_rows(job, row, next);
        row = next;
    }
    padici_field_legacy_total(&plane, job->sum[task]);
}

static int padici_field_legacy_fits(const padici_field_legacy_job *job)
{
    return job->phi->dtype == PADIC_C64 && (job->count[2] == 1 || (job->stride[2] == 1 &&
                                                                   job->out_stride[2] == 1)) &&
           fabs(job->mass) < 1e30 && fabs(job->lambda) < 1e30 && fabs(job->dt) < 1e30 &&
           (job->dt == 0 || fabs(job->dt) > 1e-30);
}

PADICI_FN padic_result padici_simd_field_legacy_euler(padici_simd *simd,
                                                      const padic_field_legacy_euler_desc *desc)
{
    padici_field_legacy_run run;
    padici_field_legacy_begin(&run.job, &desc->phi, &desc->out, desc->mass_squared, desc->lambda,
                              desc->power);
    run.job.dt = desc->dt;
    if (!padici_field_legacy_fits(&run.job)) return PADIC_ERROR_NOT_SUPPORTED;
    run.is_energy = 0;
    run.kernel = padici_field_legacy_kernel_of(simd->level, 0);
    padici_parallel(simd->env.jobs, (uint32_t)run.job.tasks, padici_field_legacy_run_task, &run);
    return PADIC_OK;
}

PADICI_FN padic_result padici_simd_field_legacy_energy(padici_simd *simd,
                                                       const padic_field_legacy_energy_desc *desc)
{
    padici_field_legacy_run run;
    double sum[3] = {0, 0, 0}, least;
    uint64_t i;
    padici_field_legacy_begin(&run.job, &desc->phi, &desc->phi, desc->mass_squared, desc->lambda,
                              desc->power);
    if (!padici_field_legacy_fits(&run.job)) return PADIC_ERROR_NOT_SUPPORTED;
    run.is_energy = 1;
    run.kernel = padici_field_legacy_kernel_of(simd->level, 1);
    padici_parallel(simd->env.jobs, (uint32_t)run.job.tasks, padici_field_legacy_run_task, &run);
    for (i = 0; i < run.job.tasks; i++) {
        sum[0] += run.job.sum[i][0];
        sum[1] += run.job.sum[i][1];
        sum[2] += run.job.sum[i][2];
    }
    least = 1e-26 * (double)run.job.rows * (double)run.job.count[2]; // squares keep their digits
    if (run.job.rows && !(sum[0] <= DBL_MAX && sum[1] >= least && sum[2] >= least &&
                          sum[1] <= DBL_MAX && sum[2] <= DBL_MAX))
        return PADIC_ERROR_NOT_SUPPORTED;
    padici_field_legacy_sums(&run.job, desc);
    return PADIC_OK;
}

// The loops of steps of the device's level.
PADICI_FN padic_result padici_simd_field_kernels(padici_simd *simd, void *choice_)
{
    padici_field_choice *choice = (padici_field_choice *)choice_;
#if PADICI_SIMD_X86
    if (simd->level > PADICI_SIMD_AVX2)
        choice->kernels = choice->is_double ? padici_simd_field_kernels_avx512_double()
                                            : padici_simd_field_kernels_avx512_float();
    else
        choice->kernels = choice->is_double ? padici_simd_field_kernels_avx2_double()
                                            : padici_simd_field_kernels_avx2_float();
#else
    (void)simd;
    choice->kernels = choice->is_double ? padici_simd_field_kernels_neon_double()
                                        : padici_simd_field_kernels_neon_float();
#endif
    return PADIC_OK;
}

#endif
// room: src/simd/rnn/kernels.c:6
#if PADICI_IMPLEMENT_SIMD && !defined(PADIC_NO_RNN)

// ------------------------------------------------------------------------------------- >>rnn, simd

// The kernels of the device's level.
PADICI_FN padic_result padici_simd_rnn_kernels(padici_simd *simd, void *choice_)
{
    padici_rnn_choice *choice = (padici_rnn_choice *)choice_;
#if PADICI_SIMD_X86
    choice->kernels = simd->level >= PADICI_SIMD_AVX512 ? padici_simd_rnn_kernels_avx512()
                                                        : padici_simd_rnn_kernels_avx2();
    return PADIC_OK;
#elif PADICI_SIMD_ARM
    (void)simd;
    choice->kernels = padici_simd_rnn_kernels_neon();
    return PADIC_OK;
#else
    (void)simd, (void)choice;
    return PADIC_ERROR_NOT_SUPPORTED;
#endif
}

#if PADICI_SIMD_X86 || PADICI_SIMD_ARM
PADICI_FN padic_result padici_simd_rnn_gru_step(padici_simd *simd,
                                                const padic_rnn_gru_step_desc *desc)
{
    padici_rnn_choice choice;
    (void)padici_simd_rnn_kernels(simd, &choice);
    return padici_rnn_gru_step_run(&simd->env, choice.kernels, desc);
}

PADICI_FN padic_result padici_simd_rnn_lstm_step(padici_simd *simd,
                                                 const padic_rnn_lstm_step_desc *desc)
{
    padici_rnn_choice choice;
    (void)padici_simd_rnn_kernels(simd, &choice);
    return padici_rnn_lstm_step_run(&simd->env, choice.kernels, desc);
}

PADICI_FN padic_result padici_simd_rnn_linear(padici_simd *simd, const padic_rnn_linear_desc *desc)
{
    padici_rnn_choice choice;
    (void)padici_simd_rnn_kernels(simd, &choice);
    return padici_rnn_linear_run(&simd->env, choice.kernels, desc);
}

// The plan has its kernels.
PADICI_FN padic_result padici_simd_rnn_run(padici_simd *simd, const padic_rnn_run_desc *desc)
{
    return padici_rnn_run_plan(&simd->env, desc);
}
#endif

#endif
// room: src/simd/rollout/kernels.c:6
#if PADICI_IMPLEMENT_SIMD && !defined(PADIC_NO_ROLLOUT)

// --------------------------------------------------------------------------------- >>rollout, simd

// The kernels of the device's level.
PADICI_FN padic_result padici_simd_rollout_kernels(padici_simd *simd, void *choice_)
{
    padici_rollout_choice *choice = (padici_rollout_choice *)choice_;
#if PADICI_SIMD_X86
    choice->kernels = simd->level >= PADICI_SIMD_AVX512 ? padici_simd_rollout_kernels_avx512()
                                                        : padici_simd_rollout_kernels_avx2();
    return PADIC_OK;
#elif PADICI_SIMD_ARM
    (void)simd;
    choice->kernels = padici_simd_rollout_kernels_neon();
    return PADIC_OK;
#else
    (void)simd, (void)choice;
    return PADIC_ERROR_NOT_SUPPORTED;
#endif
}

#if PADICI_SIMD_X86 || PADICI_SIMD_ARM
PADICI_FN padic_result padici_simd_rollout_apply(padici_simd *simd,
                                                 const padic_rollout_apply_desc *desc)
{
    padici_rollout_choice choice;
    (void)padici_simd_rollout_kernels(simd, &choice);
    return padici_rollout_apply_run(&simd->env, choice.kernels, desc);
}

PADICI_FN padic_result padici_simd_rollout_compare(padici_simd *simd,
                                                   const padic_rollout_compare_desc *desc)
{
    padici_rollout_choice choice;
    (void)padici_simd_rollout_kernels(simd, &choice);
    return padici_rollout_compare_with(&simd->env, choice.kernels, desc);
}

PADICI_FN padic_result padici_simd_rollout_probe(padici_simd *simd,
                                                 const padic_rollout_probe_desc *desc)
{
    padici_rollout_choice choice;
    (void)padici_simd_rollout_kernels(simd, &choice);
    return padici_rollout_probe_with(&simd->env, choice.kernels, desc);
}

PADICI_FN padic_result padici_simd_rollout_run(padici_simd *simd,
                                               const padic_rollout_run_desc *desc)
{
    padici_rollout_choice choice;
    (void)padici_simd_rollout_kernels(simd, &choice);
    return padici_rollout_run_with(&simd->env, choice.kernels, desc);
}

// Plans have their kernels.
PADICI_FN padic_result padici_simd_rollout_plan_step(padici_simd *simd,
                                                     const padic_rollout_plan_step_desc *desc)
{
    return padici_rollout_plan_step_run(&simd->env, desc);
}

PADICI_FN padic_result padici_simd_rollout_plan_run(padici_simd *simd,
                                                    const padic_rollout_plan_run_desc *desc)
{
    return padici_rollout_plan_run_run(&simd->env, desc);
}

PADICI_FN padic_result padici_simd_rollout_plan_reset(padici_simd *simd,
                                                      const padic_rollout_plan_reset_desc *desc)
{
    return padici_rollout_plan_reset_run(&simd->env, desc);
}

PADICI_FN padic_result padici_simd_rollout_plan_status(padici_simd *simd,
                                                       const padic_rollout_plan_status_desc *desc)
{
    return padici_rollout_plan_status_run(&simd->env, desc);
}
#endif

#endif
// room: src/simd/pq/rows.c:5
#if PADICI_IMPLEMENT_SIMD && !defined(PADIC_NO_PQ) && (PADICI_SIMD_X86 || PADICI_SIMD_ARM)

// Rows of keys and values in f64, four at a time: those of a list are far from each other, so that
// the next four are fetched meanwhile. Sums have the order of src/pq/plain.c.

// The last components of a row, and zeros.
static void padici_pq_rows_tail(const char *row, padic_dtype dtype, uint32_t n, float to[8])
{
    uint32_t i;
    for (i = 0; i < 8; i++)
        to[i] = i < n ? padici_pq_float(padici_pq_load(
                            row + i * (dtype == PADIC_F32 ? 4u : 2u), dtype))
                      : 0;
}

#if PADICI_SIMD_X86

static void padici_pq_rows_fetch(const char *const *row, uint64_t at, uint64_t n, uint64_t bytes)
{
    uint64_t j, i;
    for (j = at + 4; j < at + 8 && j < n; j++)
        for (i = 0; i < bytes; i += 64) _mm_prefetch(row[j] + i, _MM_HINT_T0);
}

// Eight components.
PADICI_AVX2 PADICI_INLINE __m256 padici_pq_eight_avx2(const char *at, padic_dtype dtype)
{
    __m128i v;
    if (dtype == PADIC_F32) return _mm256_loadu_ps((const float *)(const void *)at);
    v = _mm_loadu_si128((const __m128i *)(const void *)at);
    if (dtype == PADIC_F16) return _mm256_cvtph_ps(v);
    return _mm256_castsi256_ps(_mm256_slli_epi32(_mm256_cvtepu16_epi32(v), 16));
}

PADICI_AVX2 PADICI_INLINE void padici_pq_add_avx2(const double *q, __m256 x, __m256d sum[2])
{
    const __m256d low = _mm256_cvtps_pd(_mm256_castps256_ps128(x));
    const __m256d high = _mm256_cvtps_pd(_mm256_extractf128_ps(x, 1));
    sum[0] = _mm256_fmadd_pd(_mm256_loadu_pd(q), low, sum[0]); // the product is exact
    sum[1] = _mm256_fmadd_pd(_mm256_loadu_pd(q + 4), high, sum[1]);
}

PADICI_AVX2 PADICI_INLINE void padici_pq_dots_four_avx2(const double *q, const char *const *row,
                                                        uint64_t d, padic_dtype dtype,
                                                        double out[4])
{
    const uint64_t size = dtype == PADIC_F32 ? 4 : 2;
    const uint32_t rest = (uint32_t)(d & 7);
    __m256d sum[4][2];
    double eight[8];
    uint64_t i;
    uint32_t r;
    for (r = 0; r < 4; r++) sum[r][0] = sum[r][1] = _mm256_setzero_pd();
    for (i = 0; i + 8 <= d; i += 8)
        for (r = 0; r < 4; r++)
            padici_pq_add_avx2(q + i, padici_pq_eight_avx2(row[r] + i * size, dtype), sum[r]);
    for (r = 0; r < 4; r++) {
        if (rest) {
            float x[8];
            uint32_t k;
            for (k = 0; k < 8; k++) eight[k] = k < rest ? q[i + k] : 0;
            padici_pq_rows_tail(row[r] + i * size, dtype, rest, x);
            padici_pq_add_avx2(eight, _mm256_loadu_ps(x), sum[r]);
        }
        _mm256_storeu_pd(eight, sum[r][0]);
        _mm256_storeu_pd(eight + 4, sum[r][1]);
        out[r] = padici_pq_eight(eight);
    }
}

#define PADICI_PQ_ROWS_DOTS(level, TARGET)                                                      \
    TARGET PADICI_FN void padici_simd_pq_rows_dots_##level(                                     \
        const double *q, const char *const *row,                                                \
        uint64_t n, uint64_t d, padic_dtype dtype, double *out)                                 \
    {                                                                                           \
        uint64_t j;                                                                             \
        uint32_t r;                                                                             \
        for (j = 0; j < n; j += 4) {                                                            \
            const char *four[4];                                                                \
            double dots[4];                                                                     \
            for (r = 0; r < 4; r++) four[r] = row[j + r < n ? j + r : n - 1];                   \
            padici_pq_rows_fetch(row, j, n, d * (dtype == PADIC_F32 ? 4 : 2));                  \
            if (dtype == PADIC_F32)                                                             \
                padici_pq_dots_four_##level(q, four, d, PADIC_F32, dots);                       \
            else if (dtype == PADIC_F16)                                                        \
                padici_pq_dots_four_##level(q, four, d, PADIC_F16, dots);                       \
            else                                                                                \
                padici_pq_dots_four_##level(q, four, d, PADIC_BF16, dots);                      \
            for (r = 0; r < 4 && j + r < n; r++) out[j + r] = dots[r];                          \
        }                                                                                       \
    }                                                                                           \
    TARGET PADICI_FN void padici_simd_pq_rows_add_##level(                                      \
        const double *w, const char *const *row,                                                \
        uint64_t n, uint64_t d, padic_dtype dtype, double *o)                                   \
    {                                                                                           \
        uint64_t j;                                                                             \
        for (j = 0; j < n; j += 4) {                                                            \
            const uint32_t some = n - j < 4 ? (uint32_t)(n - j) : 4u;                           \
            padici_pq_rows_fetch(row, j, n, d * (dtype == PADIC_F32 ? 4 : 2));                  \
            if (dtype == PADIC_F32 && some == 4)                                                \
                padici_pq_add_four_##level(w + j, row + j, 4, d, PADIC_F32, o);                 \
            else if (dtype == PADIC_F16 && some == 4)                                           \
                padici_pq_add_four_##level(w + j, row + j, 4, d, PADIC_F16, o);                 \
            else if (some == 4)                                                                 \
                padici_pq_add_four_##level(w + j, row + j, 4, d, PADIC_BF16, o);                \
            else padici_pq_add_four_##level(w + j, row + j, some, d, dtype, o);                 \
        }                                                                                       \
    }

PADICI_AVX2 PADICI_INLINE void padici_pq_add_four_avx2(const double *w, const char *const *row,
                                                       uint32_t n, uint64_t d, padic_dtype dtype,
                                                       double *o)
{
    const uint64_t size = dtype == PADIC_F32 ? 4 : 2;
    uint64_t i;
    uint32_t r;
    for (i = 0; i + 8 <= d; i += 8) {
        __m256d low = _mm256_loadu_pd(o + i), high = _mm256_loadu_pd(o + i + 4);
        for (r = 0; r < n; r++) {
            const __m256 x = padici_pq_eight_avx2(row[r] + i * size, dtype);
            const __m256d by = _mm256_set1_pd(w[r]);
            low = _mm256_add_pd(
                low, _mm256_mul_pd(by, _mm256_cvtps_pd(_mm256_castps256_ps128(x))));
            high = _mm256_add_pd(
                high, _mm256_mul_pd(by, _mm256_cvtps_pd(_mm256_extractf128_ps(x, 1))));
        }
        _mm256_storeu_pd(o + i, low);
        _mm256_storeu_pd(o + i + 4, high);
    }
    for (; i < d; i++)
        for (r = 0; r < n; r++)
            o[i] = o[i] +
                   w[r] * (double)padici_pq_float(padici_pq_load(row[r] + i * size, dtype));
}

PADICI_PQ_ROWS_DOTS(avx2, PADICI_AVX2)

// Eight components as f64, of those in `some`.
PADICI_AVX512 PADICI_INLINE __m512d padici_pq_eight_avx512(const char *at, padic_dtype dtype,
                                                           __mmask8 some)
{
    __m128i v;
    if (dtype == PADIC_F32)
        return _mm512_cvtps_pd(_mm256_maskz_loadu_ps(some, (const float *)(const void *)at));
    v = _mm_maskz_loadu_epi16(some, (const void *)at);
    if (dtype == PADIC_F16) return _mm512_cvtps_pd(_mm256_cvtph_ps(v));
    return _mm512_cvtps_pd(
        _mm256_castsi256_ps(_mm256_slli_epi32(_mm256_cvtepu16_epi32(v), 16)));
}

PADICI_AVX512 PADICI_INLINE void padici_pq_dots_four_avx512(const double *q,
                                                            const char *const *row, uint64_t d,
                                                            padic_dtype dtype, double out[4])
{
    const uint64_t size = dtype == PADIC_F32 ? 4 : 2;
    __m512d sum[4];
    double eight[8];
    uint64_t i;
    uint32_t r;
    for (r = 0; r < 4; r++) sum[r] = _mm512_setzero_pd();
    for (i = 0; i + 8 <= d; i += 8) {
        const __m512d x = _mm512_loadu_pd(q + i);
        for (r = 0; r < 4; r++)
            sum[r] = _mm512_fmadd_pd(
                x, padici_pq_eight_avx512(row[r] + i * size, dtype, 255), sum[r]);
    }
    if (i < d) {
        const __mmask8 some = (__mmask8)((1u << (d - i)) - 1u);
        const __m512d x = _mm512_maskz_loadu_pd(some, q + i);
        for (r = 0; r < 4; r++)
            sum[r] = _mm512_fmadd_pd(
                x, padici_pq_eight_avx512(row[r] + i * size, dtype, some), sum[r]);
    }
    for (r = 0; r < 4; r++) {
        _mm512_storeu_pd(eight, sum[r]);
        out[r] = padici_pq_eight(eight);
    }
}

PADICI_AVX512 PADICI_INLINE void padici_pq_add_four_avx512(const double *w,
                                                           const char *const *row, uint32_t n,
                                                           uint64_t d, padic_dtype dtype,
                                                           double *o)
{
    const uint64_t size = dtype == PADIC_F32 ? 4 : 2;
    uint64_t i;
    uint32_t r;
    for (i = 0; i < d; i += 8) {
        const __mmask8 some = (__mmask8)(d - i < 8 ? (1u << (d - i)) - 1u : 255u);
        __m512d sum = _mm512_maskz_loadu_pd(some, o + i);
        for (r = 0; r < n; r++)
            sum = _mm512_add_pd(
                sum, _mm512_mul_pd(_mm512_set1_pd(w[r]),
                                   padici_pq_eight_avx512(row[r] + i * size, dtype, some)));
        _mm512_mask_storeu_pd(o + i, some, sum);
    }
}

PADICI_PQ_ROWS_DOTS(avx512, PADICI_AVX512)

#undef PADICI_PQ_ROWS_DOTS

#else // NEON

// Four components.
PADICI_INLINE float32x4_t padici_pq_four_neon(const char *at, padic_dtype dtype)
{
    float x[4];
    uint32_t i;
    if (dtype == PADIC_F32) return vld1q_f32((const float *)(const void *)at);
    if (dtype == PADIC_BF16)
        return vreinterpretq_f32_u32(
            vshll_n_u16(vld1_u16((const uint16_t *)(const void *)at), 16));
    for (i = 0; i < 4; i++) x[i] = padici_pq_float(padici_pq_load(at + 2 * i, dtype));
    return vld1q_f32(x);
}

PADICI_INLINE void padici_pq_add_neon(const double *q, float32x4_t x, float64x2_t sum[2])
{
    sum[0] = vfmaq_f64(sum[0], vld1q_f64(q), vcvt_f64_f32(vget_low_f32(x))); // exact products
    sum[1] = vfmaq_f64(sum[1], vld1q_f64(q + 2), vcvt_high_f64_f32(x));
}

PADICI_FN void padici_simd_pq_rows_dots_neon(const double *q, const char *const *row, uint64_t n,
                                             uint64_t d, padic_dtype dtype, double *out)
{
    const uint64_t size = dtype == PADIC_F32 ? 4 : 2;
    const uint32_t rest = (uint32_t)(d & 7);
    uint64_t j, i;
    uint32_t k;
    for (j = 0; j < n; j++) {
        float64x2_t sum[4];
        double eight[8];
        for (k = 0; k < 4; k++) sum[k] = vdupq_n_f64(0);
        for (i = 0; i + 8 <= d; i += 8) {
            padici_pq_add_neon(q + i, padici_pq_four_neon(row[j] + i * size, dtype), sum);
            padici_pq_add_neon(q + i + 4, padici_pq_four_neon(row[j] + (i + 4) * size, dtype),
                               sum + 2);
        }
        if (rest) {
            float x[8];
            for (k = 0; k < 8; k++) eight[k] = k < rest ? q[i + k] : 0;
            padici_pq_rows_tail(row[j] + i * size, dtype, rest, x);
            padici_pq_add_neon(eight, vld1q_f32(x), sum);
            padici_pq_add_neon(eight + 4, vld1q_f32(x + 4), sum + 2);
        }
        for (k = 0; k < 4; k++) vst1q_f64(eight + 2 * k, sum[k]);
        out[j] = padici_pq_eight(eight);
    }
}

PADICI_FN void padici_simd_pq_rows_add_neon(const double *w, const char *const *row, uint64_t n,
                                            uint64_t d, padic_dtype dtype, double *o)
{
    const uint64_t size = dtype == PADIC_F32 ? 4 : 2;
    uint64_t j, i;
    for (j = 0; j < n; j++) {
        const float64x2_t by = vdupq_n_f64(w[j]);
        for (i = 0; i + 4 <= d; i += 4) {
            const float32x4_t x = padici_pq_four_neon(row[j] + i * size, dtype);
            vst1q_f64(o + i, vaddq_f64(vld1q_f64(o + i),
                                       vmulq_f64(by, vcvt_f64_f32(vget_low_f32(x)))));
            vst1q_f64(o + i + 2,
                      vaddq_f64(vld1q_f64(o + i + 2), vmulq_f64(by, vcvt_high_f64_f32(x))));
        }
        for (; i < d; i++)
            o[i] = o[i] +
                   w[j] * (double)padici_pq_float(padici_pq_load(row[j] + i * size, dtype));
    }
}

#endif
#endif
// room: src/simd/pq/kernels.c:4
#if PADICI_IMPLEMENT_SIMD && !defined(PADIC_NO_PQ) && (PADICI_SIMD_X86 || PADICI_SIMD_ARM)

// ------------------------------------------------------------------------------------- >>pq, simd
//
// Tables of 16 to 256 bytes stay in registers: a byte permute looks up as many codes as a vector
// has bytes. All give the bytes of src/pq/plain.c.

#if PADICI_SIMD_X86

// AVX2

// 32 codes, of keys 0 to 31 of a tile or of those from 32 on.
PADICI_AVX2 PADICI_INLINE __m256i padici_pq_codes_avx2(const uint8_t *codes, uint32_t bits,
                                                       uint32_t half)
{
    __m256i v;
    if (bits > 4) return _mm256_loadu_si256((const __m256i *)(const void *)(codes + 32 * half));
    v = _mm256_loadu_si256((const __m256i *)(const void *)codes);
    if (half) v = _mm256_srli_epi16(v, 4);
    return _mm256_and_si256(v, _mm256_set1_epi8(15));
}

// table[code mod 16 parts], parts 1, 4 or 16: those of 16 bytes, chosen by the bits above.
PADICI_AVX2 PADICI_INLINE __m256i padici_pq_lookup_avx2(const __m256i *table, uint32_t parts,
                                                        __m256i codes)
{
    const __m256i low = _mm256_and_si256(codes, _mm256_set1_epi8(15));
    __m256i part[16], bit;
    uint32_t i, shift = 3;
    for (i = 0; i < parts; i++) part[i] = _mm256_shuffle_epi8(table[i], low);
    for (; parts > 1; parts /= 2, shift--) {
        bit = _mm256_sll_epi16(codes, _mm_cvtsi32_si128((int)shift));
        for (i = 0; i < parts / 2; i++)
            part[i] = _mm256_blendv_epi8(part[2 * i], part[2 * i + 1], bit);
    }
    return part[0];
}

PADICI_AVX2 PADICI_INLINE void padici_pq_table_avx2(const uint8_t *bytes, uint32_t parts,
                                                    __m256i *table)
{
    uint32_t i;
    for (i = 0; i < parts; i++)
        table[i] = _mm256_broadcastsi128_si256(
            _mm_loadu_si128((const __m128i *)(const void *)(bytes + 16 * i)));
}

// A bit where a < b.
PADICI_AVX2 PADICI_INLINE uint32_t padici_pq_below_avx2(__m256i a, __m256i b)
{
    const __m256i none = _mm256_cmpeq_epi8(_mm256_subs_epu8(b, a), _mm256_setzero_si256());
    return ~(uint32_t)_mm256_movemask_epi8(none);
}

// table[code mod 64], of 64 bytes.
PADICI_AVX2 PADICI_INLINE __m256i padici_pq_lookup_64_avx2(const __m256i *table, __m256i codes)
{
    const __m256i low = _mm256_and_si256(codes, _mm256_set1_epi8(15));
    const __m256i bit = _mm256_slli_epi16(codes, 3), next = _mm256_slli_epi16(codes, 2);
    const __m256i first = _mm256_blendv_epi8(_mm256_shuffle_epi8(table[0], low),
                                             _mm256_shuffle_epi8(table[1], low), bit);
    const __m256i second = _mm256_blendv_epi8(_mm256_shuffle_epi8(table[2], low),
                                              _mm256_shuffle_epi8(table[3], low), bit);
    return _mm256_blendv_epi8(first, second, next);
}

// The bits of 64 keys, those of `above` only of the few tiles that have any.
PADICI_AVX2 PADICI_INLINE uint64_t padici_pq_cells_tiles_avx2(const uint8_t *tiles, uint64_t count,
                                                              uint32_t bits, const __m256i *rank,
                                                              const __m256i *most,
                                                              const __m256i *above,
                                                              uint64_t *mask)
{
    const uint32_t step = bits <= 4 ? 32 : 64;
    uint64_t t, some = 0;
    for (t = 0; t < count; t++, tiles += 2 * step) {
        const __m256i c0 = padici_pq_codes_avx2(tiles, bits, 0);
        const __m256i c1 = padici_pq_codes_avx2(tiles, bits, 1);
        const __m256i r0 =
            padici_pq_lookup_64_avx2(rank, padici_pq_codes_avx2(tiles + step, bits, 0));
        const __m256i r1 =
            padici_pq_lookup_64_avx2(rank, padici_pq_codes_avx2(tiles + step, bits, 1));
        const uint64_t any =
            padici_pq_below_avx2(r0, padici_pq_lookup_64_avx2(most, c0)) |
            (uint64_t)padici_pq_below_avx2(r1, padici_pq_lookup_64_avx2(most, c1)) << 32;
        mask[2 * t] = any;
        if (!any) continue;
        some |= (uint64_t)1 << t;
        mask[2 * t + 1] =
            padici_pq_below_avx2(r0, padici_pq_lookup_64_avx2(above, c0)) |
            (uint64_t)padici_pq_below_avx2(r1, padici_pq_lookup_64_avx2(above, c1)) << 32;
    }
    return some;
}

PADICI_AVX2 static uint64_t padici_pq_cells_avx2(const uint8_t *tiles, uint64_t count,
                                                 uint32_t bits, const uint8_t *rank,
                                                 const uint8_t *most, const uint8_t *above,
                                                 uint64_t *mask)
{
    __m256i by_rank[4], by_most[4], by_above[4];
    padici_pq_table_avx2(rank, 4, by_rank);
    padici_pq_table_avx2(most, 4, by_most);
    padici_pq_table_avx2(above, 4, by_above);
    return bits <= 4 ? padici_pq_cells_tiles_avx2(tiles, count, 4, by_rank, by_most, by_above, mask)
                     : padici_pq_cells_tiles_avx2(tiles, count, 6, by_rank, by_most, by_above,
                                                  mask);
}

PADICI_AVX2 PADICI_INLINE void padici_pq_sums_tile_avx2(const uint8_t *tile, uint64_t m,
                                                        uint32_t bits, uint32_t parts,
                                                        const uint8_t *table, uint16_t *out)
{
    __m256i even[2], odd[2], by[16];
    uint64_t j;
    uint32_t half;
    for (half = 0; half < 2; half++) even[half] = odd[half] = _mm256_setzero_si256();
    for (j = 0; j < m; j++, table += 256, tile += bits <= 4 ? 32 : 64) {
        padici_pq_table_avx2(table, parts, by);
        for (half = 0; half < 2; half++) {
            const __m256i v =
                padici_pq_lookup_avx2(by, parts, padici_pq_codes_avx2(tile, bits, half));
            even[half] = _mm256_add_epi16(even[half], _mm256_and_si256(v, _mm256_set1_epi16(255)));
            odd[half] = _mm256_add_epi16(odd[half], _mm256_srli_epi16(v, 8));
        }
    }
    for (half = 0; half < 2; half++) {
        const __m256i low = _mm256_unpacklo_epi16(even[half], odd[half]);
        const __m256i high = _mm256_unpackhi_epi16(even[half], odd[half]);
        _mm256_storeu_si256((__m256i *)(void *)(out + 32 * half),
                            _mm256_permute2x128_si256(low, high, 0x20));
        _mm256_storeu_si256((__m256i *)(void *)(out + 32 * half + 16),
                            _mm256_permute2x128_si256(low, high, 0x31));
    }
}

PADICI_AVX2 static void padici_pq_sums_avx2(const uint8_t *tiles, uint64_t count, uint64_t m,
                                            uint32_t bits, const uint8_t *table, uint16_t *out)
{
    const uint64_t step = m * (bits <= 4 ? 32 : 64);
    uint64_t t;
    if (bits <= 4) {
        for (t = 0; t < count; t++, tiles += step, out += 64)
            padici_pq_sums_tile_avx2(tiles, m, 4, 1, table, out);
    } else if (bits <= 6) {
        for (t = 0; t < count; t++, tiles += step, out += 64)
            padici_pq_sums_tile_avx2(tiles, m, 6, 4, table, out);
    } else {
        for (t = 0; t < count; t++, tiles += step, out += 64)
            padici_pq_sums_tile_avx2(tiles, m, 8, 16, table, out);
    }
}

PADICI_AVX2 static uint64_t padici_pq_tops_avx2(const uint16_t *sums, uint64_t n, uint32_t least,
                                                uint64_t most, uint32_t *place)
{
    const __m256i low = _mm256_set1_epi16((short)least);
    uint64_t count = 0, i;
    for (i = 0; i < n; i += 16) {
        uint32_t some = 0, k;
        if (i + 16 <= n) {
            const __m256i v = _mm256_loadu_si256((const __m256i *)(const void *)(sums + i));
            some = (uint32_t)_mm256_movemask_epi8(
                       _mm256_cmpeq_epi16(_mm256_max_epu16(v, low), v)) &
                   0x55555555u;
        } else {
            for (k = 0; k < n - i; k++) some |= (uint32_t)(sums[i + k] >= least) << 2 * k;
        }
        for (; some; some &= some - 1) {
            if (count == most) return UINT64_MAX;
            place[count++] = (uint32_t)i + padici_ctz64(some) / 2;
        }
    }
    return count;
}

PADICI_AVX512 static uint64_t padici_pq_tops_avx512(const uint16_t *sums, uint64_t n,
                                                    uint32_t least, uint64_t most,
                                                    uint32_t *place)
{
    const __m512i low = _mm512_set1_epi16((short)least);
    uint64_t count = 0, i;
    for (i = 0; i < n; i += 32) {
        const __mmask32 in = (__mmask32)(n - i < 32 ? ((uint32_t)1 << (n - i)) - 1u : UINT32_MAX);
        const __m512i v = _mm512_maskz_loadu_epi16(in, (const void *)(sums + i));
        uint64_t some = padici_mask32(_mm512_mask_cmpge_epu16_mask(in, v, low));
        for (; some; some &= some - 1) {
            if (count == most) return UINT64_MAX;
            place[count++] = (uint32_t)i + padici_ctz64(some);
        }
    }
    return count;
}

PADICI_AVX2 static void padici_pq_ranks_avx2(const uint32_t *order, uint32_t cells, uint8_t *rank)
{
    padici_pq_ranks_loop(order, cells, rank);
}

// AVX-512

PADICI_AVX512 static void padici_pq_ranks_avx512(const uint32_t *order, uint32_t cells,
                                                 uint8_t *rank)
{
    __m512i v[4];
    uint32_t i, k;
    for (k = 0; k < 4; k++) { // nothing is below 0
        const uint32_t n = cells > 16 * k ? cells - 16 * k : 0;
        const __mmask16 some = (__mmask16)(n < 16 ? (1u << n) - 1u : 0xffffu);
        v[k] = _mm512_maskz_loadu_epi32(some, order + (n ? 16 * k : 0));
    }
    for (i = 0; i < cells; i++) {
        const __m512i one = _mm512_set1_epi32((int)order[i]);
        uint64_t above = 0, equal = 0;
        for (k = 0; k < 4; k++) {
            above |= (uint64_t)padici_mask16(_mm512_cmpgt_epu32_mask(v[k], one)) << 16 * k;
            equal |= (uint64_t)padici_mask16(_mm512_cmpeq_epu32_mask(v[k], one)) << 16 * k;
        }
        above |= equal & (((uint64_t)1 << i) - 1);
        rank[i] = (uint8_t)_mm_popcnt_u64(above);
    }
}

// The codes of a tile.
PADICI_IFMA PADICI_INLINE __m512i padici_pq_codes_vbmi(const uint8_t *codes, uint32_t bits)
{
    __m256i low, high;
    if (bits > 4) return _mm512_loadu_si512((const void *)codes);
    low = _mm256_loadu_si256((const __m256i *)(const void *)codes);
    high = _mm256_and_si256(_mm256_srli_epi16(low, 4), _mm256_set1_epi8(15));
    low = _mm256_and_si256(low, _mm256_set1_epi8(15));
    return _mm512_inserti64x4(_mm512_castsi256_si512(low), high, 1);
}

PADICI_IFMA PADICI_INLINE uint64_t padici_pq_cells_tiles_vbmi(const uint8_t *tiles, uint64_t count,
                                                              uint32_t bits, const uint8_t *rank,
                                                              const uint8_t *most,
                                                              const uint8_t *above,
                                                              uint64_t *mask)
{
    const uint32_t step = bits <= 4 ? 32 : 64;
    const __m512i by_rank = _mm512_loadu_si512((const void *)rank);
    const __m512i by_most = _mm512_loadu_si512((const void *)most);
    const __m512i by_above = _mm512_loadu_si512((const void *)above);
    uint64_t t, some = 0;
    __m512i first, at;
    for (t = 0; t < count; t++, tiles += 2 * step) {
        // Codes of all heads are more than fits near the core, and of one head less than what the
        // hardware takes to see a stream. Beyond the end nothing is read.
        _mm_prefetch((const char *)((uintptr_t)tiles + 3072), _MM_HINT_T0);
        if (bits > 4) _mm_prefetch((const char *)((uintptr_t)tiles + 3136), _MM_HINT_T0);
        first = padici_pq_codes_vbmi(tiles, bits);
        at = _mm512_permutexvar_epi8(padici_pq_codes_vbmi(tiles + step, bits), by_rank);
        const uint64_t any = padici_mask64(
            _mm512_cmplt_epu8_mask(at, _mm512_permutexvar_epi8(first, by_most)));
        mask[2 * t] = any;
        mask[2 * t + 1] = padici_mask64(
            _mm512_cmplt_epu8_mask(at, _mm512_permutexvar_epi8(first, by_above)));
        some |= (uint64_t)(any != 0) << t;
    }
    return some;
}

PADICI_IFMA static uint64_t padici_pq_cells_vbmi(const uint8_t *tiles, uint64_t count,
                                                 uint32_t bits, const uint8_t *rank,
                                                 const uint8_t *most, const uint8_t *above,
                                                 uint64_t *mask)
{
    return bits <= 4 ? padici_pq_cells_tiles_vbmi(tiles, count, 4, rank, most, above, mask)
                     : padici_pq_cells_tiles_vbmi(tiles, count, 6, rank, most, above, mask);
}

PADICI_IFMA PADICI_INLINE __m512i padici_pq_lookup_vbmi(const uint8_t *table, uint32_t bits,
                                                        __m512i codes)
{
    const __m512i t0 = _mm512_loadu_si512((const void *)table);
    __m512i low, high;
    if (bits <= 6) return _mm512_permutexvar_epi8(codes, t0);
    low = _mm512_permutex2var_epi8(t0, codes, _mm512_loadu_si512((const void *)(table + 64)));
    high = _mm512_permutex2var_epi8(_mm512_loadu_si512((const void *)(table + 128)), codes,
                                    _mm512_loadu_si512((const void *)(table + 192)));
    return _mm512_mask_blend_epi8(_mm512_movepi8_mask(codes), low, high);
}

PADICI_IFMA PADICI_INLINE void padici_pq_sums_tile_vbmi(const uint8_t *tile, uint64_t m,
                                                        uint32_t bits, const uint8_t *table,
                                                        uint16_t *out)
{
    __m512i even = _mm512_setzero_si512(), odd = _mm512_setzero_si512(), low, high;
    uint64_t j;
    for (j = 0; j < m; j++, table += 256, tile += bits <= 4 ? 32 : 64) {
        const __m512i v = padici_pq_lookup_vbmi(table, bits, padici_pq_codes_vbmi(tile, bits));
        even = _mm512_add_epi16(even, _mm512_and_si512(v, _mm512_set1_epi16(255)));
        odd = _mm512_add_epi16(odd, _mm512_srli_epi16(v, 8));
    }
    low = _mm512_unpacklo_epi16(even, odd); // of each four of 16 bytes their first eight keys
    high = _mm512_unpackhi_epi16(even, odd);
    even = _mm512_permutex2var_epi64(low, _mm512_setr_epi64(0, 1, 8, 9, 2, 3, 10, 11), high);
    odd = _mm512_permutex2var_epi64(low, _mm512_setr_epi64(4, 5, 12, 13, 6, 7, 14, 15), high);
    _mm512_storeu_si512((void *)out, even);
    _mm512_storeu_si512((void *)(out + 32), odd);
}

PADICI_IFMA static void padici_pq_sums_vbmi(const uint8_t *tiles, uint64_t count, uint64_t m,
                                            uint32_t bits, const uint8_t *table, uint16_t *out)
{
    const uint64_t step = m * (bits <= 4 ? 32 : 64);
    uint64_t t;
    if (bits <= 4) {
        for (t = 0; t < count; t++, tiles += step, out += 64)
            padici_pq_sums_tile_vbmi(tiles, m, 4, table, out);
    } else if (bits <= 6) {
        for (t = 0; t < count; t++, tiles += step, out += 64)
            padici_pq_sums_tile_vbmi(tiles, m, 6, table, out);
    } else {
        for (t = 0; t < count; t++, tiles += step, out += 64)
            padici_pq_sums_tile_vbmi(tiles, m, 8, table, out);
    }
}

PADICI_FN const padici_pq_kernels *padici_simd_pq_kernels(const padici_simd *simd)
{
    static const padici_pq_kernels kernels[3] = {
        {padici_simd_pq_dots_avx2, padici_pq_cells_avx2, padici_pq_sums_avx2,
         padici_pq_tops_avx2, padici_pq_ranks_avx2, padici_simd_pq_rows_dots_avx2,
         padici_simd_pq_rows_add_avx2},
        {padici_simd_pq_dots_avx512, padici_pq_cells_avx2, padici_pq_sums_avx2,
         padici_pq_tops_avx512, padici_pq_ranks_avx512, padici_simd_pq_rows_dots_avx512,
         padici_simd_pq_rows_add_avx512},
        {padici_simd_pq_dots_avx512, padici_pq_cells_vbmi, padici_pq_sums_vbmi,
         padici_pq_tops_avx512, padici_pq_ranks_avx512, padici_simd_pq_rows_dots_avx512,
         padici_simd_pq_rows_add_avx512}};
    return &kernels[simd->level >= PADICI_SIMD_IFMA     ? 2
                    : simd->level >= PADICI_SIMD_AVX512 ? 1
                                                        : 0];
}

#else // NEON

// 16 codes, of keys 16 part to 16 part + 15 of a tile.
PADICI_INLINE uint8x16_t padici_pq_codes_neon(const uint8_t *codes, uint32_t bits, uint32_t part)
{
    uint8x16_t v;
    if (bits > 4) return vld1q_u8(codes + 16 * part);
    v = vld1q_u8(codes + 16 * (part & 1));
    return part & 2 ? vshrq_n_u8(v, 4) : vandq_u8(v, vdupq_n_u8(15));
}

PADICI_INLINE uint8x16x4_t padici_pq_table_neon(const uint8_t *bytes)
{
    uint8x16x4_t t;
    t.val[0] = vld1q_u8(bytes);
    t.val[1] = vld1q_u8(bytes + 16);
    t.val[2] = vld1q_u8(bytes + 32);
    t.val[3] = vld1q_u8(bytes + 48);
    return t;
}

// The top bits of 16 bytes of 0 or 255.
PADICI_INLINE uint64_t padici_pq_bits_neon(uint8x16_t v)
{
    static const uint8_t places[16] = {1, 2, 4, 8, 16, 32, 64, 128, 1, 2, 4, 8, 16, 32, 64, 128};
    const uint8x16_t some = vandq_u8(v, vld1q_u8(places));
    return (uint64_t)vaddv_u8(vget_low_u8(some)) | (uint64_t)vaddv_u8(vget_high_u8(some)) << 8;
}

static uint64_t padici_pq_cells_neon(const uint8_t *tiles, uint64_t count, uint32_t bits,
                                     const uint8_t *rank, const uint8_t *most,
                                     const uint8_t *above, uint64_t *mask)
{
    const uint32_t step = bits <= 4 ? 32 : 64;
    const uint8x16x4_t by_rank = padici_pq_table_neon(rank), by_most = padici_pq_table_neon(most);
    const uint8x16x4_t by_above = padici_pq_table_neon(above);
    const uint8x16_t low = vdupq_n_u8(63);
    uint64_t t, tiles_with = 0;
    uint32_t part;
    for (t = 0; t < count; t++, tiles += 2 * step) {
        uint64_t any = 0, best = 0;
        for (part = 0; part < 4; part++) {
            const uint8x16_t first = vandq_u8(padici_pq_codes_neon(tiles, bits, part), low);
            const uint8x16_t second =
                vandq_u8(padici_pq_codes_neon(tiles + step, bits, part), low);
            const uint8x16_t at = vqtbl4q_u8(by_rank, second);
            const uint8x16_t some = vcltq_u8(at, vqtbl4q_u8(by_most, first));
            if (!vmaxvq_u8(some)) continue;
            any |= padici_pq_bits_neon(some) << 16 * part;
            best |= padici_pq_bits_neon(vcltq_u8(at, vqtbl4q_u8(by_above, first))) << 16 * part;
        }
        mask[2 * t] = any;
        mask[2 * t + 1] = best;
        tiles_with |= (uint64_t)(any != 0) << t;
    }
    return tiles_with;
}

static void padici_pq_sums_neon(const uint8_t *tiles, uint64_t count, uint64_t m, uint32_t bits,
                                const uint8_t *table, uint16_t *out)
{
    const uint32_t step = bits <= 4 ? 32 : 64;
    uint64_t t, j;
    uint32_t part;
    for (t = 0; t < count; t++, tiles += m * step, out += 64)
        for (part = 0; part < 4; part++) {
            uint16x8_t low = vdupq_n_u16(0), high = low;
            for (j = 0; j < m; j++) {
                const uint8_t *row = table + 256 * j;
                const uint8x16_t codes = padici_pq_codes_neon(tiles + j * step, bits, part);
                uint8x16_t v = vqtbl4q_u8(padici_pq_table_neon(row), codes);
                if (bits > 4) { // of 64 entries each: an index outside leaves what was there
                    v = vqtbx4q_u8(v, padici_pq_table_neon(row + 64),
                                   vsubq_u8(codes, vdupq_n_u8(64)));
                    v = vqtbx4q_u8(v, padici_pq_table_neon(row + 128),
                                   vsubq_u8(codes, vdupq_n_u8(128)));
                    v = vqtbx4q_u8(v, padici_pq_table_neon(row + 192),
                                   vsubq_u8(codes, vdupq_n_u8(192)));
                }
                low = vaddw_u8(low, vget_low_u8(v));
                high = vaddw_u8(high, vget_high_u8(v));
            }
            vst1q_u16(out + 16 * part, low);
            vst1q_u16(out + 16 * part + 8, high);
        }
}

static uint64_t padici_pq_tops_neon(const uint16_t *sums, uint64_t n, uint32_t least, uint64_t most,
                                    uint32_t *place)
{
    const uint16x8_t low = vdupq_n_u16((uint16_t)least);
    uint64_t count = 0, i, k;
    for (i = 0; i < n; i += 8) {
        if (i + 8 <= n && !vmaxvq_u16(vcgeq_u16(vld1q_u16(sums + i), low))) continue;
        for (k = i; k < i + 8 && k < n; k++) {
            if (sums[k] < least) continue;
            if (count == most) return UINT64_MAX;
            place[count++] = (uint32_t)k;
        }
    }
    return count;
}

static void padici_pq_ranks_neon(const uint32_t *order, uint32_t cells, uint8_t *rank)
{
    padici_pq_ranks_loop(order, cells, rank);
}

PADICI_FN const padici_pq_kernels *padici_simd_pq_kernels(const padici_simd *simd)
{
    static const padici_pq_kernels kernels = {
        padici_simd_pq_dots_neon, padici_pq_cells_neon, padici_pq_sums_neon,
        padici_pq_tops_neon,      padici_pq_ranks_neon, padici_simd_pq_rows_dots_neon,
        padici_simd_pq_rows_add_neon};
    (void)simd;
    return &kernels;
}

#endif

PADICI_FN padic_result padici_simd_pq_train(padici_simd *simd, const padic_pq_train_desc *desc)
{
    return padici_pq_train_run(&simd->env, padici_simd_pq_kernels(simd), desc);
}

PADICI_FN padic_result padici_simd_pq_encode(padici_simd *simd, const padic_pq_encode_desc *desc)
{
    return padici_pq_encode_run(&simd->env, padici_simd_pq_kernels(simd), desc);
}

PADICI_FN padic_result padici_simd_pq_append(padici_simd *simd, const padic_pq_append_desc *desc)
{
    return padici_pq_append_run(&simd->env, padici_simd_pq_kernels(simd), desc);
}

PADICI_FN padic_result padici_simd_pq_score(padici_simd *simd, const padic_pq_score_desc *desc)
{
    return padici_pq_score_run(&simd->env, padici_simd_pq_kernels(simd), desc);
}

PADICI_FN padic_result padici_simd_pq_select(padici_simd *simd, const padic_pq_select_desc *desc)
{
    return padici_pq_select_run(&simd->env, padici_simd_pq_kernels(simd), desc);
}

PADICI_FN padic_result padici_simd_pq_attend(padici_simd *simd, const padic_pq_attend_desc *desc)
{
    return padici_pq_attend_run(&simd->env, padici_simd_pq_kernels(simd), desc);
}

PADICI_FN padic_result padici_simd_pq_attend_full(padici_simd *simd,
                                                  const padic_pq_attend_full_desc *desc)
{
    return padici_pq_attend_full_run(&simd->env, padici_simd_pq_kernels(simd), desc);
}

PADICI_FN padic_result padici_simd_pq_lut(padici_simd *simd, const padic_pq_lut_desc *desc)
{
    return padici_pq_lut_run(&simd->env, padici_simd_pq_kernels(simd), desc);
}

PADICI_FN padic_result padici_simd_pq_quality(padici_simd *simd, const padic_pq_quality_desc *desc)
{
    return padici_pq_quality_run(&simd->env, padici_simd_pq_kernels(simd), desc);
}

#endif
// room: src/simd/padic_simd.in.h:131
#if defined(__clang__)
#pragma STDC FP_CONTRACT DEFAULT
#elif defined(__GNUC__)
#pragma GCC diagnostic pop
#pragma GCC pop_options
#elif defined(_MSC_VER)
#pragma fp_contract(on)
#endif

#endif // PADIC_SIMD_IMPLEMENTED
#else // the file includes itself, for each level: see src/simd/words.h and levels.c
// room: src/simd/per_level.in.h
// per_level.in.h: compiled once for each level, with PADICI_ISA and PADICI_ISA_LEVEL defined: its
// words, where PADICI_ISA_WORDS is defined; its kernels; those of matrices and of Fourier
// transforms for each of its precisions, with PADICI_REAL and PADICI_REAL_SIZE.
#ifdef PADICI_REAL
// room: src/simd/tensor/words.c
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
// room: src/simd/tensor/pack.c
// @per-level
#ifndef PADIC_NO_TENSOR

// Packing of panels. Contiguous lines are copied one place at a time, others one line at a time.

// A panel of a in which the places of the sum are contiguous, too.
PADICI_TARGET PADICI_INLINE void PADICI_GK(pack_adjacent)(const padici_simd_tensor_pack *pack,
                                                          PADICI_REAL *to)
{
    const PADICI_REAL *from = (const PADICI_REAL *)(const void *)pack->from, *x[PADICI_MR];
    const uint32_t parts = pack->paired ? 2 : 1, all = parts * pack->depth * PADICI_MR;
    uint32_t k, i;
    for (i = 0; i < PADICI_MR; i++) x[i] = from + parts * (pack->line[i] + pack->sum[0]);
    for (k = 0; k < parts * pack->depth; k++, to += PADICI_MR)
        for (i = 0; i < PADICI_MR; i++) to[i] = x[i][k];
    for (to -= all, k = PADICI_MR; k < all && pack->negate; k += 2 * PADICI_MR)
        for (i = 0; i < PADICI_MR; i++) to[k + i] *= -1;
}

PADICI_TARGET static void PADICI_GK(pack_a)(const padici_simd_tensor_pack *pack, void *panel)
{
    const PADICI_REAL *from = (const PADICI_REAL *)(const void *)pack->from;
    const PADICI_REAL sign = pack->negate ? (PADICI_REAL)-1 : (PADICI_REAL)1;
    PADICI_REAL *to = (PADICI_REAL *)panel;
    const int64_t *sum = pack->sum;
    uint32_t k, i;
    if (!pack->paired && pack->flat) {
        for (k = 0; k < pack->depth; k++, to += PADICI_MR)
            memcpy(to, from + pack->line[0] + sum[k], PADICI_MR * sizeof *to);
    } else if (pack->flat) {
        for (k = 0; k < pack->depth; k++, to += 2 * PADICI_MR) {
            const PADICI_REAL *x = from + 2 * (pack->line[0] + sum[k]);
            for (i = 0; i < PADICI_MR; i++) to[i] = x[2 * i];
            for (i = 0; i < PADICI_MR; i++) to[PADICI_MR + i] = sign * x[2 * i + 1];
        }
    } else if (pack->adjacent) {
        PADICI_GK(pack_adjacent)(pack, to);
    } else if (!pack->paired) {
        for (i = 0; i < PADICI_MR; i++) {
            const PADICI_REAL *x = from + pack->line[i];
            for (k = 0; k < pack->depth; k++) to[k * PADICI_MR + i] = x[sum[k]];
        }
    } else {
        for (i = 0; i < PADICI_MR; i++) {
            const PADICI_REAL *x = from + 2 * pack->line[i];
            for (k = 0; k < pack->depth; k++) {
                to[2 * k * PADICI_MR + i] = x[2 * sum[k]];
                to[(2 * k + 1) * PADICI_MR + i] = sign * x[2 * sum[k] + 1];
            }
        }
    }
}

// One complex number of b; after it, for a complex a, i times the number.
PADICI_TARGET PADICI_INLINE void PADICI_GK(pack_number)(const padici_simd_tensor_pack *pack,
                                                        const PADICI_REAL *x, PADICI_REAL *to)
{
    const PADICI_REAL re = x[0], im = pack->negate ? -x[1] : x[1];
    to[0] = re;
    to[1] = im;
    if (!pack->twice) return;
    to[PADICI_NR] = -im;
    to[PADICI_NR + 1] = re;
}

PADICI_TARGET static void PADICI_GK(pack_b)(const padici_simd_tensor_pack *pack, void *panel)
{
    const PADICI_REAL *from = (const PADICI_REAL *)(const void *)pack->from;
    const PADICI_REAL sign = pack->negate ? (PADICI_REAL)-1 : (PADICI_REAL)1;
    const uint32_t rows = pack->twice ? 2 : 1;
    const int64_t *sum = pack->sum;
    PADICI_REAL *to = (PADICI_REAL *)panel;
    uint32_t k, i;
    if (!pack->paired && pack->flat) {
        for (k = 0; k < pack->depth; k++, to += PADICI_NR)
            memcpy(to, from + pack->line[0] + sum[k], PADICI_NR * sizeof *to);
    } else if (!pack->paired) {
        for (i = 0; i < PADICI_NR; i++) {
            const PADICI_REAL *x = from + pack->line[i];
            for (k = 0; k < pack->depth; k++) to[k * PADICI_NR + i] = x[sum[k]];
        }
    } else if (pack->flat && pack->twice) {
        for (k = 0; k < pack->depth; k++, to += 2 * PADICI_NR) {
            const PADICI_REAL *x = from + 2 * (pack->line[0] + sum[k]);
            for (i = 0; i < PADICI_NR; i += 2) {
                to[i] = to[PADICI_NR + i + 1] = x[i];
                to[i + 1] = sign * x[i + 1];
                to[PADICI_NR + i] = -sign * x[i + 1];
            }
        }
    } else {
        for (i = 0; i < PADICI_NR; i += 2)
            for (k = 0; k < pack->depth; k++)
                PADICI_GK(pack_number)(pack, from + 2 * (pack->line[i / 2] + sum[k]),
                                       to + k * rows * PADICI_NR + i);
    }
}

#endif
// room: src/simd/tensor/product.c
// @per-level
#ifndef PADIC_NO_TENSOR

// Products of panels and of lines. Loops over arrays of vectors unroll, so that these stay in
// registers; `n` is constant where a function is called.

// Sums times a factor: the real part, and with `twice` the imaginary one.
PADICI_TARGET PADICI_INLINE void PADICI_GK(scale)(const void *factor_, uint32_t twice, PADICI_V *v)
{
    const PADICI_REAL *factor = (const PADICI_REAL *)factor_;
    const PADICI_V p = PADICI_PAIR(factor), q = PADICI_PAIR(factor + 2);
    uint32_t i;
    PADICI_UNROLL_ALL
    for (i = 0; i < PADICI_MR; i++) {
        const PADICI_V x = v[i];
        v[i] = PADICI_FMA(x, p, PADICI_NONE);
        if (twice) v[i] = PADICI_FMA(PADICI_SWAPPED(x), q, v[i]);
    }
}

// factor a b, or that added to c: a panel of PADICI_MR rows by one of PADICI_NR columns.
PADICI_TARGET static void PADICI_GK(product)(uint32_t depth, const void *a_, const void *b_,
                                             void *c_, const int64_t *row, const void *factor,
                                             uint32_t twice, int add)
{
    const PADICI_REAL *a = (const PADICI_REAL *)a_, *b = (const PADICI_REAL *)b_;
    PADICI_REAL *c = (PADICI_REAL *)c_;
    PADICI_V v[PADICI_MR], w[PADICI_MR];
    uint32_t i;
    PADICI_UNROLL_ALL
    for (i = 0; i < PADICI_MR; i++) {
        v[i] = w[i] = PADICI_NONE;
        PADICI_SIMD_TENSOR_AHEAD(c + row[i]);
        PADICI_SIMD_TENSOR_AHEAD(c + row[i] + PADICI_LANES);
    }
    for (; depth; depth--) {
        const PADICI_V y = PADICI_LOAD(b), z = PADICI_LOAD(b + PADICI_LANES);
        PADICI_SIMD_TENSOR_AHEAD((uintptr_t)a + 32 * PADICI_MR * sizeof *a);
        PADICI_SIMD_TENSOR_AHEAD((uintptr_t)b + 32 * sizeof y);
        if (sizeof y > 32) PADICI_SIMD_TENSOR_AHEAD((uintptr_t)b + 33 * sizeof y);
        PADICI_UNROLL_ALL
        for (i = 0; i < PADICI_MR; i++) {
            const PADICI_V x = PADICI_SET(a[i]);
            v[i] = PADICI_FMA(x, y, v[i]);
            w[i] = PADICI_FMA(x, z, w[i]);
        }
        a += PADICI_MR;
        b += PADICI_NR;
    }
    if (factor) {
        PADICI_GK(scale)(factor, twice, v);
        PADICI_GK(scale)(factor, twice, w);
    }
    PADICI_UNROLL_ALL
    for (i = 0; i < PADICI_MR; i++) {
        PADICI_REAL *to = c + row[i];
        if (add) {
            v[i] = PADICI_ADD(PADICI_LOAD(to), v[i]);
            w[i] = PADICI_ADD(PADICI_LOAD(to + PADICI_LANES), w[i]);
        }
        PADICI_STORE(to, v[i]);
        PADICI_STORE(to + PADICI_LANES, w[i]);
    }
}

// sum += lines of b by their factors, n vectors of them.
PADICI_TARGET PADICI_INLINE void PADICI_GK(strip)(uint32_t n, uint32_t lines, const char *b,
                                                  const int64_t *place, const PADICI_REAL *factor,
                                                  uint32_t twice, PADICI_REAL *sum)
{
    PADICI_V s[4], t[4];
    uint32_t i, r;
    PADICI_UNROLL_ALL
    for (i = 0; i < n; i++) {
        s[i] = PADICI_LOAD(sum + i * PADICI_LANES);
        t[i] = PADICI_NONE;
    }
    for (r = 0; r < lines; r++, factor += 4) {
        const PADICI_V p = PADICI_PAIR(factor), q = PADICI_PAIR(factor + 2);
        const PADICI_REAL *from = (const PADICI_REAL *)(const void *)(b + place[r]);
        PADICI_UNROLL_ALL
        for (i = 0; i < n; i++) {
            const PADICI_V x = PADICI_LOAD(from + i * PADICI_LANES);
            s[i] = PADICI_FMA(x, p, s[i]);
            if (twice) t[i] = PADICI_FMA(PADICI_SWAPPED(x), q, t[i]);
        }
    }
    PADICI_UNROLL_ALL
    for (i = 0; i < n; i++) PADICI_STORE(sum + i * PADICI_LANES, PADICI_ADD(s[i], t[i]));
}

// sum += four lines of b by their factors; returns where whole vectors end.
PADICI_TARGET static uint32_t PADICI_GK(four)(uint32_t count, const char *b, const int64_t *place,
                                              const PADICI_REAL *factor, uint32_t twice,
                                              PADICI_REAL *sum)
{
    const uintptr_t ahead = 4 * (uintptr_t)(place[1] - place[0]);
    PADICI_V p[4], q[4];
    uint32_t i, r;
    PADICI_UNROLL_ALL
    for (r = 0; r < 4; r++) {
        p[r] = PADICI_PAIR(factor + 4 * r);
        q[r] = PADICI_PAIR(factor + 4 * r + 2);
    }
    for (i = 0; i + PADICI_LANES <= count; i += PADICI_LANES) {
        PADICI_V s = PADICI_LOAD(sum + i);
        PADICI_UNROLL_ALL
        for (r = 0; r < 4; r++) {
            const PADICI_REAL *from = (const PADICI_REAL *)(const void *)(b + place[r]) + i;
            const PADICI_V x = PADICI_LOAD(from);
            PADICI_SIMD_TENSOR_AHEAD((uintptr_t)from + ahead);
            s = PADICI_FMA(x, p[r], s);
            if (twice) s = PADICI_FMA(PADICI_SWAPPED(x), q[r], s);
        }
        PADICI_STORE(sum + i, s);
    }
    return i;
}

PADICI_TARGET static void PADICI_GK(line)(uint32_t count, uint32_t lines, const char *b,
                                          const int64_t *place, const void *factor_, uint32_t twice,
                                          void *sum_)
{
    const PADICI_REAL *factor = (const PADICI_REAL *)factor_;
    PADICI_REAL *sum = (PADICI_REAL *)sum_;
    uint32_t i, r, done = 0, first = 0; // lines before `first` are done up to number `done`
    if (count <= 8 * PADICI_LANES) {
        for (; done + 4 * PADICI_LANES <= count; done += 4 * PADICI_LANES)
            PADICI_GK(strip)(4, lines, b + done * sizeof *sum, place, factor, twice, sum + done);
        for (; done + PADICI_LANES <= count; done += PADICI_LANES)
            PADICI_GK(strip)(1, lines, b + done * sizeof *sum, place, factor, twice, sum + done);
        first = lines;
    } else {
        for (; first + 4 <= lines; first += 4)
            done = PADICI_GK(four)(count, b, place + first, factor + 4 * first, twice, sum);
    }
    for (r = 0; r < lines; r++) {
        const PADICI_REAL *from = (const PADICI_REAL *)(const void *)(b + place[r]);
        const PADICI_REAL *f = factor + 4 * r;
        for (i = r < first ? done : 0; i < count; i++) {
            sum[i] += f[i & 1] * from[i];
            if (twice) sum[i] += f[2 + (i & 1)] * from[i ^ 1];
        }
    }
}

#endif
// room: src/simd/tensor/direct.c
// @per-level
#ifndef PADIC_NO_TENSOR

// Small products of unpacked matrices. `n` is constant at each call.

// n rows of complex numbers, a vector of each: products with the real parts of a in v, with the
// imaginary ones in w.
PADICI_TARGET PADICI_INLINE void PADICI_GK(sum_paired)(uint32_t n,
                                                       const padici_simd_tensor_direct *d,
                                                       const PADICI_REAL *a, const PADICI_REAL *b,
                                                       PADICI_V *v, PADICI_V *w)
{
    const int64_t a_row = d->a_row, a_sum = d->a_sum, b_sum = d->b_sum;
    uint32_t i, k;
    for (k = d->depth; k; k--, a += a_sum, b += b_sum) {
        const PADICI_V y = PADICI_LOAD(b), z = PADICI_SWAPPED(y);
        PADICI_UNROLL_ALL
        for (i = 0; i < n; i++) {
            const PADICI_REAL *x = a + (int64_t)i * a_row;
            v[i] = PADICI_FMA(PADICI_SET(x[0]), y, v[i]);
            w[i] = PADICI_FMA(PADICI_SET(x[1]), z, w[i]);
        }
    }
    PADICI_UNROLL_ALL
    for (i = 0; i < n; i++) v[i] = PADICI_TURN(v[i], w[i]);
}

// n rows of real numbers, a vector of each in v; with `two` the next one in w.
PADICI_TARGET PADICI_INLINE void PADICI_GK(sum_real)(uint32_t n, const padici_simd_tensor_direct *d,
                                                     const PADICI_REAL *a, const PADICI_REAL *b,
                                                     int two, PADICI_V *v, PADICI_V *w)
{
    const int64_t a_row = d->a_row, a_sum = d->a_sum, b_sum = d->b_sum;
    uint32_t i, k = d->depth;
    if (two) {
        for (; k; k--, a += a_sum, b += b_sum) {
            const PADICI_V y = PADICI_LOAD(b), z = PADICI_LOAD(b + PADICI_LANES);
            PADICI_UNROLL_ALL
            for (i = 0; i < n; i++) {
                const PADICI_V x = PADICI_SET(a[(int64_t)i * a_row]);
                v[i] = PADICI_FMA(x, y, v[i]);
                w[i] = PADICI_FMA(x, z, w[i]);
            }
        }
    } else {
        for (; k; k--, a += a_sum, b += b_sum) {
            const PADICI_V y = PADICI_LOAD(b);
            PADICI_UNROLL_ALL
            for (i = 0; i < n; i++)
                v[i] = PADICI_FMA(PADICI_SET(a[(int64_t)i * a_row]), y, v[i]);
        }
    }
}

// n rows of c, one vector of each; or two, of real numbers.
PADICI_TARGET PADICI_INLINE void PADICI_GK(rows)(uint32_t n, const padici_simd_tensor_direct *d,
                                                 const PADICI_REAL *a, const PADICI_REAL *b,
                                                 PADICI_REAL *c, int two)
{
    PADICI_V v[PADICI_MR], w[PADICI_MR];
    uint32_t i;
    PADICI_UNROLL_ALL
    for (i = 0; i < n; i++) v[i] = w[i] = PADICI_NONE;
    if (d->paired)
        PADICI_GK(sum_paired)(n, d, a, b, v, w);
    else
        PADICI_GK(sum_real)(n, d, a, b, two, v, w);
    PADICI_UNROLL_ALL
    for (i = 0; i < n; i++) {
        PADICI_REAL *to = c + (int64_t)i * d->c_row;
        if (d->add) v[i] = PADICI_ADD(PADICI_LOAD(to), v[i]);
        PADICI_STORE(to, v[i]);
        if (!two) continue;
        to += PADICI_LANES;
        if (d->add) w[i] = PADICI_ADD(PADICI_LOAD(to), w[i]);
        PADICI_STORE(to, w[i]);
    }
}

// One row of c, n vectors of complex numbers: enough independent sums to hide the latency.
PADICI_TARGET PADICI_INLINE void PADICI_GK(row)(uint32_t n, const padici_simd_tensor_direct *d,
                                                const PADICI_REAL *a, const PADICI_REAL *b,
                                                PADICI_REAL *c)
{
    PADICI_V v[4], w[4];
    uint32_t i, k;
    PADICI_UNROLL_ALL
    for (i = 0; i < n; i++) v[i] = w[i] = PADICI_NONE;
    for (k = d->depth; k; k--, a += d->a_sum, b += d->b_sum) {
        const PADICI_V x = PADICI_SET(a[0]), y = PADICI_SET(a[1]);
        PADICI_UNROLL_ALL
        for (i = 0; i < n; i++) {
            const PADICI_V z = PADICI_LOAD(b + i * PADICI_LANES);
            v[i] = PADICI_FMA(x, z, v[i]);
            w[i] = PADICI_FMA(y, PADICI_SWAPPED(z), w[i]);
        }
    }
    PADICI_UNROLL_ALL
    for (i = 0; i < n; i++) {
        PADICI_REAL *to = c + i * PADICI_LANES;
        v[i] = PADICI_TURN(v[i], w[i]);
        if (d->add) v[i] = PADICI_ADD(PADICI_LOAD(to), v[i]);
        PADICI_STORE(to, v[i]);
    }
}

PADICI_TARGET static void PADICI_GK(direct)(const padici_simd_tensor_direct *d, const void *a_,
                                            const void *b_, void *c_)
{
    const PADICI_REAL *b = (const PADICI_REAL *)b_;
    PADICI_REAL *c = (PADICI_REAL *)c_;
    uint32_t i, j = 0, rows;
    const uint32_t vectors = d->rows == 1 && d->paired ? d->columns / PADICI_LANES : 0;
    for (i = vectors / 4; i > 0; i--, j += 4 * PADICI_LANES)
        PADICI_GK(row)(4, d, (const PADICI_REAL *)a_, b + j, c + j);
    for (i = vectors % 4 / 2; i > 0; i--, j += 2 * PADICI_LANES)
        PADICI_GK(row)(2, d, (const PADICI_REAL *)a_, b + j, c + j);
    while (j < d->columns) {
        const int two = !d->paired && d->columns - j >= PADICI_NR;
        for (i = 0; i < d->rows; i += rows) {
            const PADICI_REAL *a = (const PADICI_REAL *)a_ + (int64_t)i * d->a_row;
            PADICI_REAL *to = c + (int64_t)i * d->c_row + j;
            rows = d->rows - i >= PADICI_MR ? PADICI_MR : d->rows - i >= 4 ? 4 : 1;
            if (rows == PADICI_MR)
                PADICI_GK(rows)(PADICI_MR, d, a, b + j, to, two);
            else if (rows == 4)
                PADICI_GK(rows)(4, d, a, b + j, to, two);
            else
                PADICI_GK(rows)(1, d, a, b + j, to, two);
        }
        j += two ? PADICI_NR : PADICI_LANES;
    }
}

PADICI_FN const padici_simd_tensor_kernels *PADICI_GK(kernels)(void)
{
    static const padici_simd_tensor_kernels kernels = {
        PADICI_MR,         PADICI_NR,          PADICI_LANES,    PADICI_GK(pack_a),
        PADICI_GK(pack_b), PADICI_GK(product), PADICI_GK(line), PADICI_GK(direct)};
    return &kernels;
}

#endif
// room: src/simd/tensor/columns.c
// @per-level
#ifndef PADIC_NO_TENSOR

// Loops over the columns of matrices, for factorisations. Rows are padded with zeros to whole
// vectors. Functions of `n` columns: n is constant at each call.

#if PADICI_ISA_LEVEL >= 2
#define PADICI_MUL PADICI_R(mul)
#define PADICI_FNMA(x, y, v) PADICI_R(fnmadd)(x, y, v)
#else
#define PADICI_MUL PADICI_R(vmulq)
#define PADICI_FNMA(x, y, v) PADICI_R(vfmsq)(v, x, y)
#endif

// Columns `step` numbers apart; imaginary parts lie `im` numbers after the real ones.
typedef struct PADICI_GK(matrix) {
    PADICI_REAL *x;
    size_t im, step;
} PADICI_GK(matrix);

// Columns of a become a + v f + x g, and sums w^dagger a; rows begin to end. f, g and the sums have
// a number for each column, their imaginary parts `factor_im` after.
typedef struct PADICI_GK(pass) {
    PADICI_GK(matrix) a;
    const PADICI_REAL *v, *x, *w, *f, *g; // imaginary parts of v, x and w at a.im
    PADICI_REAL *sums;
    size_t factor_im, begin, end;
} PADICI_GK(pass);

// Sums V^dagger C of columns of v and c to w, or C + V W. Each line of w, one for each column of v,
// has a number for each column of c; lines are w_step apart, imaginary parts w_im after.
typedef struct PADICI_GK(block) {
    PADICI_GK(matrix) v, c;
    PADICI_REAL *w;
    size_t w_im, w_step, begin, end;
} PADICI_GK(block);

// The totals of four vectors.
#if PADICI_ISA_LEVEL >= 2 && PADICI_REAL_SIZE == 8
PADICI_TARGET PADICI_INLINE void PADICI_GK(totals)(const PADICI_V *v, PADICI_REAL *to)
{
    __m256d h[4], a, b;
    uint32_t i;
    PADICI_UNROLL_ALL
    for (i = 0; i < 4; i++)
#if PADICI_ISA_LEVEL == 3
        h[i] = _mm256_add_pd(_mm512_castpd512_pd256(v[i]), _mm512_extractf64x4_pd(v[i], 1));
#else
        h[i] = v[i];
#endif
    a = _mm256_hadd_pd(h[0], h[1]);
    b = _mm256_hadd_pd(h[2], h[3]);
    _mm256_storeu_pd(to, _mm256_add_pd(_mm256_permute2f128_pd(a, b, 0x20),
                                       _mm256_permute2f128_pd(a, b, 0x31)));
}
#elif PADICI_ISA_LEVEL >= 2
PADICI_TARGET PADICI_INLINE void PADICI_GK(totals)(const PADICI_V *v, PADICI_REAL *to)
{
    __m256 h[4], a;
    uint32_t i;
    PADICI_UNROLL_ALL
    for (i = 0; i < 4; i++)
#if PADICI_ISA_LEVEL == 3
        h[i] = _mm256_add_ps(_mm512_castps512_ps256(v[i]), _mm512_extractf32x8_ps(v[i], 1));
#else
        h[i] = v[i];
#endif
    a = _mm256_hadd_ps(_mm256_hadd_ps(h[0], h[1]), _mm256_hadd_ps(h[2], h[3]));
    _mm_storeu_ps(to, _mm_add_ps(_mm256_castps256_ps128(a), _mm256_extractf128_ps(a, 1)));
}
#elif PADICI_REAL_SIZE == 8
PADICI_INLINE void PADICI_GK(totals)(const PADICI_V *v, PADICI_REAL *to)
{
    vst1q_f64(to, vpaddq_f64(v[0], v[1]));
    vst1q_f64(to + 2, vpaddq_f64(v[2], v[3]));
}
#else
PADICI_INLINE void PADICI_GK(totals)(const PADICI_V *v, PADICI_REAL *to)
{
    vst1q_f32(to, vpaddq_f32(vpaddq_f32(v[0], v[1]), vpaddq_f32(v[2], v[3])));
}
#endif

PADICI_TARGET PADICI_INLINE void PADICI_GK(pass_real)(uint32_t n, const PADICI_GK(pass) *p,
                                                      size_t j)
{
    PADICI_V f[4], g[4], s[4];
    PADICI_REAL *c = p->a.x + j * p->a.step, total[4];
    size_t r;
    uint32_t i;
    PADICI_UNROLL_ALL
    for (i = 0; i < 4; i++) s[i] = PADICI_NONE;
    PADICI_UNROLL_ALL
    for (i = 0; i < n; i++) {
        f[i] = PADICI_SET(p->f[j + i]);
        g[i] = PADICI_SET(p->g[j + i]);
    }
    for (r = p->begin; r < p->end; r += PADICI_LANES) {
        const PADICI_V v = PADICI_LOAD(p->v + r), x = PADICI_LOAD(p->x + r);
        const PADICI_V w = PADICI_LOAD(p->w + r);
        PADICI_UNROLL_ALL
        for (i = 0; i < n; i++) {
            PADICI_V y = PADICI_FMA(v, f[i], PADICI_LOAD(c + i * p->a.step + r));
            y = PADICI_FMA(x, g[i], y);
            PADICI_STORE(c + i * p->a.step + r, y);
            s[i] = PADICI_FMA(w, y, s[i]);
        }
    }
    PADICI_GK(totals)(s, total);
    for (i = 0; i < n; i++) p->sums[j + i] = total[i];
}

// Of one or two columns.
PADICI_TARGET PADICI_INLINE void PADICI_GK(pass_paired)(uint32_t n, const PADICI_GK(pass) *p,
                                                        size_t j)
{
    PADICI_V f[4], g[4], s[4];
    PADICI_REAL *c = p->a.x + j * p->a.step, total[4];
    const size_t im = p->a.im;
    size_t r;
    uint32_t i;
    PADICI_UNROLL_ALL
    for (i = 0; i < 4; i++) s[i] = PADICI_NONE;
    PADICI_UNROLL_ALL
    for (i = 0; i < n; i++) {
        f[i] = PADICI_SET(p->f[j + i]);
        f[2 + i] = PADICI_SET(p->f[p->factor_im + j + i]);
        g[i] = PADICI_SET(p->g[j + i]);
        g[2 + i] = PADICI_SET(p->g[p->factor_im + j + i]);
    }
    for (r = p->begin; r < p->end; r += PADICI_LANES) {
        const PADICI_V v = PADICI_LOAD(p->v + r), vi = PADICI_LOAD(p->v + im + r);
        const PADICI_V x = PADICI_LOAD(p->x + r), xi = PADICI_LOAD(p->x + im + r);
        const PADICI_V w = PADICI_LOAD(p->w + r), wi = PADICI_LOAD(p->w + im + r);
        PADICI_UNROLL_ALL
        for (i = 0; i < n; i++) {
            PADICI_REAL *at = c + i * p->a.step + r;
            PADICI_V y = PADICI_FMA(v, f[i], PADICI_LOAD(at));
            PADICI_V z = PADICI_FMA(v, f[2 + i], PADICI_LOAD(at + im));
            y = PADICI_FMA(x, g[i], PADICI_FNMA(vi, f[2 + i], y));
            z = PADICI_FMA(x, g[2 + i], PADICI_FMA(vi, f[i], z));
            y = PADICI_FNMA(xi, g[2 + i], y);
            z = PADICI_FMA(xi, g[i], z);
            PADICI_STORE(at, y);
            PADICI_STORE(at + im, z);
            s[i] = PADICI_FMA(wi, z, PADICI_FMA(w, y, s[i]));
            s[2 + i] = PADICI_FNMA(wi, y, PADICI_FMA(w, z, s[2 + i]));
        }
    }
    PADICI_GK(totals)(s, total);
    for (i = 0; i < n; i++) {
        p->sums[j + i] = total[i];
        p->sums[p->factor_im + j + i] = total[2 + i];
    }
}

PADICI_TARGET static void PADICI_GK(pass_over)(int paired, const PADICI_GK(pass) *p, size_t from,
                                               size_t to)
{
    size_t j = from;
    if (paired) {
        for (; j + 2 <= to; j += 2) PADICI_GK(pass_paired)(2, p, j);
        for (; j < to; j++) PADICI_GK(pass_paired)(1, p, j);
    } else {
        for (; j + 4 <= to; j += 4) PADICI_GK(pass_real)(4, p, j);
        for (; j < to; j++) PADICI_GK(pass_real)(1, p, j);
    }
}

// `n` vectors of the sum of columns of a times f, beginning with row r.
PADICI_TARGET PADICI_INLINE void PADICI_GK(combine_rows)(int paired, uint32_t n,
                                                         const PADICI_GK(pass) *p, size_t from,
                                                         size_t to, size_t r, PADICI_REAL *z)
{
    PADICI_V s[8], t[8];
    size_t j;
    uint32_t i;
    PADICI_UNROLL_ALL
    for (i = 0; i < n; i++) s[i] = t[i] = PADICI_NONE;
    for (j = from; j < to; j++) {
        const PADICI_REAL *c = p->a.x + j * p->a.step + r;
        const PADICI_V f = PADICI_SET(p->f[j]);
        if (paired) {
            const PADICI_V g = PADICI_SET(p->f[p->factor_im + j]);
            PADICI_UNROLL_ALL
            for (i = 0; i < n; i++) {
                const PADICI_V x = PADICI_LOAD(c + i * PADICI_LANES);
                const PADICI_V y = PADICI_LOAD(c + p->a.im + i * PADICI_LANES);
                s[i] = PADICI_FNMA(y, g, PADICI_FMA(x, f, s[i]));
                t[i] = PADICI_FMA(y, f, PADICI_FMA(x, g, t[i]));
            }
        } else {
            PADICI_UNROLL_ALL
            for (i = 0; i < n; i++) s[i] = PADICI_FMA(PADICI_LOAD(c + i * PADICI_LANES), f, s[i]);
        }
    }
    PADICI_UNROLL_ALL
    for (i = 0; i < n; i++) {
        PADICI_STORE(z + r + i * PADICI_LANES, s[i]);
        if (paired) PADICI_STORE(z + p->a.im + r + i * PADICI_LANES, t[i]);
    }
}

// z = sum of columns of a times f.
PADICI_TARGET static void PADICI_GK(combine)(int paired, const PADICI_GK(pass) *p, size_t from,
                                             size_t to, PADICI_REAL *z)
{
    size_t r = p->begin;
    if (paired) {
        for (; r + 4 * PADICI_LANES <= p->end; r += 4 * PADICI_LANES)
            PADICI_GK(combine_rows)(1, 4, p, from, to, r, z);
        for (; r < p->end; r += PADICI_LANES) PADICI_GK(combine_rows)(1, 1, p, from, to, r, z);
    } else {
        for (; r + 8 * PADICI_LANES <= p->end; r += 8 * PADICI_LANES)
            PADICI_GK(combine_rows)(0, 8, p, from, to, r, z);
        for (; r + 2 * PADICI_LANES <= p->end; r += 2 * PADICI_LANES)
            PADICI_GK(combine_rows)(0, 2, p, from, to, r, z);
        for (; r < p->end; r += PADICI_LANES) PADICI_GK(combine_rows)(0, 1, p, from, to, r, z);
    }
}

// Sums of `lines` columns of v with n columns of c.
PADICI_TARGET PADICI_INLINE void PADICI_GK(dots_real)(uint32_t lines, uint32_t n,
                                                      const PADICI_GK(block) *b, size_t j)
{
    const PADICI_REAL *v = b->v.x, *c = b->c.x + j * b->c.step;
    PADICI_V s[16];
    PADICI_REAL total[4];
    size_t r;
    uint32_t i, k;
    PADICI_UNROLL_ALL
    for (i = 0; i < 4; i++)
        s[i] = s[4 + i] = s[8 + i] = s[12 + i] = PADICI_NONE;
    for (r = b->begin; r < b->end; r += PADICI_LANES) {
        PADICI_V x[4];
        PADICI_UNROLL_ALL
        for (k = 0; k < lines; k++) x[k] = PADICI_LOAD(v + k * b->v.step + r);
        PADICI_UNROLL_ALL
        for (i = 0; i < n; i++) {
            const PADICI_V y = PADICI_LOAD(c + i * b->c.step + r);
            PADICI_UNROLL_ALL
            for (k = 0; k < lines; k++) s[4 * k + i] = PADICI_FMA(x[k], y, s[4 * k + i]);
        }
    }
    PADICI_UNROLL_ALL
    for (k = 0; k < lines; k++) {
        PADICI_GK(totals)(s + 4 * k, total);
        for (i = 0; i < n; i++) b->w[k * b->w_step + j + i] = total[i];
    }
}

// Of one or two columns.
PADICI_TARGET PADICI_INLINE void PADICI_GK(dots_paired)(uint32_t lines, uint32_t n,
                                                        const PADICI_GK(block) *b, size_t j)
{
    const PADICI_REAL *v = b->v.x, *c = b->c.x + j * b->c.step;
    PADICI_V s[16];
    PADICI_REAL total[4];
    size_t r;
    uint32_t i, k;
    PADICI_UNROLL_ALL
    for (i = 0; i < 4; i++)
        s[i] = s[4 + i] = s[8 + i] = s[12 + i] = PADICI_NONE;
    for (r = b->begin; r < b->end; r += PADICI_LANES) {
        PADICI_V x[4], t[4];
        PADICI_UNROLL_ALL
        for (k = 0; k < lines; k++) {
            x[k] = PADICI_LOAD(v + k * b->v.step + r);
            t[k] = PADICI_LOAD(v + k * b->v.step + b->v.im + r);
        }
        PADICI_UNROLL_ALL
        for (i = 0; i < n; i++) {
            const PADICI_V y = PADICI_LOAD(c + i * b->c.step + r);
            const PADICI_V z = PADICI_LOAD(c + i * b->c.step + b->c.im + r);
            PADICI_UNROLL_ALL
            for (k = 0; k < lines; k++) {
                s[4 * k + i] = PADICI_FMA(t[k], z, PADICI_FMA(x[k], y, s[4 * k + i]));
                s[4 * k + 2 + i] = PADICI_FNMA(t[k], y, PADICI_FMA(x[k], z, s[4 * k + 2 + i]));
            }
        }
    }
    PADICI_UNROLL_ALL
    for (k = 0; k < lines; k++) {
        PADICI_GK(totals)(s + 4 * k, total);
        for (i = 0; i < n; i++) {
            b->w[k * b->w_step + j + i] = total[i];
            b->w[k * b->w_step + b->w_im + j + i] = total[2 + i];
        }
    }
}

// n columns of c plus `lines` columns of v times w.
PADICI_TARGET PADICI_INLINE void PADICI_GK(add_real)(uint32_t lines, uint32_t n,
                                                     const PADICI_GK(block) *b, size_t j)
{
    const PADICI_REAL *v = b->v.x;
    PADICI_REAL *c = b->c.x + j * b->c.step;
    PADICI_V f[16];
    size_t r;
    uint32_t i, k;
    PADICI_UNROLL_ALL
    for (k = 0; k < lines; k++) {
        PADICI_UNROLL_ALL
        for (i = 0; i < n; i++) f[4 * k + i] = PADICI_SET(b->w[k * b->w_step + j + i]);
    }
    for (r = b->begin; r < b->end; r += PADICI_LANES) {
        PADICI_V x[4];
        PADICI_UNROLL_ALL
        for (k = 0; k < lines; k++) x[k] = PADICI_LOAD(v + k * b->v.step + r);
        PADICI_UNROLL_ALL
        for (i = 0; i < n; i++) {
            PADICI_V y = PADICI_LOAD(c + i * b->c.step + r);
            PADICI_UNROLL_ALL
            for (k = 0; k < lines; k++) y = PADICI_FMA(x[k], f[4 * k + i], y);
            PADICI_STORE(c + i * b->c.step + r, y);
        }
    }
}

// Of one or two columns.
PADICI_TARGET PADICI_INLINE void PADICI_GK(add_paired)(uint32_t lines, uint32_t n,
                                                       const PADICI_GK(block) *b, size_t j)
{
    const PADICI_REAL *v = b->v.x;
    PADICI_REAL *c = b->c.x + j * b->c.step;
    PADICI_V f[16];
    size_t r;
    uint32_t i, k;
    PADICI_UNROLL_ALL
    for (k = 0; k < lines; k++) {
        PADICI_UNROLL_ALL
        for (i = 0; i < n; i++) {
            f[4 * k + i] = PADICI_SET(b->w[k * b->w_step + j + i]);
            f[4 * k + 2 + i] = PADICI_SET(b->w[k * b->w_step + b->w_im + j + i]);
        }
    }
    for (r = b->begin; r < b->end; r += PADICI_LANES) {
        PADICI_V x[4], t[4];
        PADICI_UNROLL_ALL
        for (k = 0; k < lines; k++) {
            x[k] = PADICI_LOAD(v + k * b->v.step + r);
            t[k] = PADICI_LOAD(v + k * b->v.step + b->v.im + r);
        }
        PADICI_UNROLL_ALL
        for (i = 0; i < n; i++) {
            PADICI_REAL *at = c + i * b->c.step + r;
            PADICI_V y = PADICI_LOAD(at), z = PADICI_LOAD(at + b->c.im);
            PADICI_UNROLL_ALL
            for (k = 0; k < lines; k++) {
                y = PADICI_FNMA(t[k], f[4 * k + 2 + i], PADICI_FMA(x[k], f[4 * k + i], y));
                z = PADICI_FMA(t[k], f[4 * k + i], PADICI_FMA(x[k], f[4 * k + 2 + i], z));
            }
            PADICI_STORE(at, y);
            PADICI_STORE(at + b->c.im, z);
        }
    }
}

// Columns from to to of c; four columns of v, or one.
PADICI_TARGET static void PADICI_GK(dots)(int paired, int four, const PADICI_GK(block) *b,
                                          size_t from, size_t to)
{
    size_t j = from;
    if (paired && four) {
        for (; j + 2 <= to; j += 2) PADICI_GK(dots_paired)(4, 2, b, j);
        for (; j < to; j++) PADICI_GK(dots_paired)(4, 1, b, j);
    } else if (paired) {
        for (; j + 2 <= to; j += 2) PADICI_GK(dots_paired)(1, 2, b, j);
        for (; j < to; j++) PADICI_GK(dots_paired)(1, 1, b, j);
    } else if (four) {
        for (; j + 4 <= to; j += 4) PADICI_GK(dots_real)(4, 4, b, j);
        for (; j < to; j++) PADICI_GK(dots_real)(4, 1, b, j);
    } else {
        for (; j + 4 <= to; j += 4) PADICI_GK(dots_real)(1, 4, b, j);
        for (; j < to; j++) PADICI_GK(dots_real)(1, 1, b, j);
    }
}

PADICI_TARGET static void PADICI_GK(add)(int paired, int four, const PADICI_GK(block) *b,
                                         size_t from, size_t to)
{
    size_t j = from;
    if (paired && four) {
        for (; j + 2 <= to; j += 2) PADICI_GK(add_paired)(4, 2, b, j);
        for (; j < to; j++) PADICI_GK(add_paired)(4, 1, b, j);
    } else if (paired) {
        for (; j + 2 <= to; j += 2) PADICI_GK(add_paired)(1, 2, b, j);
        for (; j < to; j++) PADICI_GK(add_paired)(1, 1, b, j);
    } else if (four) {
        for (; j + 4 <= to; j += 4) PADICI_GK(add_real)(4, 4, b, j);
        for (; j < to; j++) PADICI_GK(add_real)(4, 1, b, j);
    } else {
        for (; j + 4 <= to; j += 4) PADICI_GK(add_real)(1, 4, b, j);
        for (; j < to; j++) PADICI_GK(add_real)(1, 1, b, j);
    }
}

// n vectors of rows, through all sweeps of rotations.
PADICI_TARGET PADICI_INLINE void PADICI_GK(turn_rows)(uint32_t n,
                                                      const padici_simd_tensor_turns *t,
                                                      uint32_t side, PADICI_REAL *x)
{
    const double *c = t->c[side], *s = t->s[side];
    uint32_t sweep, i;
    for (sweep = 0; sweep < t->sweeps; sweep++) {
        PADICI_REAL *to = x + t->first[sweep] * t->step;
        uint64_t k;
        PADICI_V h[8];
        PADICI_UNROLL_ALL
        for (i = 0; i < n; i++) h[i] = PADICI_LOAD(to + i * PADICI_LANES);
        for (k = t->count[sweep]; k; k--, to += t->step) {
            const PADICI_V a = PADICI_SET((PADICI_REAL)*c++), b = PADICI_SET((PADICI_REAL)*s++);
            PADICI_UNROLL_ALL
            for (i = 0; i < n; i++) {
                const PADICI_V y = PADICI_LOAD(to + t->step + i * PADICI_LANES);
                PADICI_STORE(to + i * PADICI_LANES, PADICI_FMA(a, h[i], PADICI_MUL(b, y)));
                h[i] = PADICI_FNMA(b, h[i], PADICI_MUL(a, y));
            }
        }
        PADICI_UNROLL_ALL
        for (i = 0; i < n; i++) PADICI_STORE(to + i * PADICI_LANES, h[i]);
    }
}

// Columns k and k + 1 become c x + s y and c y - s x.
PADICI_TARGET static void PADICI_GK(turn)(const padici_simd_tensor_turns *t, uint32_t side)
{
    PADICI_REAL *x = (PADICI_REAL *)t->x[side];
    size_t r = 0;
#if PADICI_ISA_LEVEL >= 2
    // Far from the diagonal products of sines fall below what is normal, where a product takes a
    // hundred cycles: they are 0.
    const uint32_t mode = _mm_getcsr();
    _mm_setcsr(mode | 0x8040u);
#endif
    for (; r + 8 * PADICI_LANES <= t->step; r += 8 * PADICI_LANES)
        PADICI_GK(turn_rows)(8, t, side, x + r);
    for (; r + 4 * PADICI_LANES <= t->step; r += 4 * PADICI_LANES)
        PADICI_GK(turn_rows)(4, t, side, x + r);
    for (; r + 2 * PADICI_LANES <= t->step; r += 2 * PADICI_LANES)
        PADICI_GK(turn_rows)(2, t, side, x + r);
    for (; r < t->step; r += PADICI_LANES) PADICI_GK(turn_rows)(1, t, side, x + r);
#if PADICI_ISA_LEVEL >= 2
    _mm_setcsr(mode);
#endif
}

#endif
// room: src/simd/tensor/reflect.c
// @per-level
#ifndef PADIC_NO_TENSOR

// Householder reflections H = I - tau v v^dagger, v_k = 1, whose H^dagger takes a column to a real
// multiple of e_k; four of them together as I - V T V^dagger (Schreiber and Van Loan 1989).

#define PADICI_UP(n) (((n) + PADICI_LANES - 1) / PADICI_LANES * PADICI_LANES)
#define PADICI_DOWN(n) ((n) / PADICI_LANES * PADICI_LANES)
#if PADICI_REAL_SIZE == 4
#define PADICI_TINY 1e-26 // below it squares lose digits
#else
#define PADICI_TINY 1e-270
#endif

// Memory of one matrix: what its kind does not need is NULL.
typedef struct PADICI_GK(room) {
    int paired, turn, vectors;
    size_t m, n, r;                        // as it is read, m >= n for an SVD
    size_t down, right, line;              // padded rows of a; of n rows; of factors by column
    PADICI_GK(matrix) a, b, w, u, v, x, y; // x, y: real
    PADICI_REAL *vector[2], *factor[3], *sums, *spare;
    double *tau[3], *d, *e;
    uint64_t *order;
    padici_simd_tensor_turns turns;
} PADICI_GK(room);

// The sum of squares of the numbers from `from` to `to`, which is a multiple of a vector.
PADICI_TARGET static double PADICI_GK(squares)(int paired, const PADICI_REAL *x, size_t im,
                                               size_t from, size_t to)
{
    PADICI_V s[4];
    PADICI_REAL total[4];
    double sum = 0;
    size_t i = from;
    const size_t whole = PADICI_UP(from);
    for (; i < whole && i < to; i++) sum += (double)x[i] * (double)x[i];
    for (i = from; paired && i < whole && i < to; i++)
        sum += (double)x[im + i] * (double)x[im + i];
    s[0] = s[1] = s[2] = s[3] = PADICI_NONE;
    for (i = whole; i < to; i += PADICI_LANES) {
        const PADICI_V y = PADICI_LOAD(x + i);
        s[0] = PADICI_FMA(y, y, s[0]);
        if (paired) {
            const PADICI_V z = PADICI_LOAD(x + im + i);
            s[1] = PADICI_FMA(z, z, s[1]);
        }
    }
    PADICI_GK(totals)(s, total);
    return sum + ((double)total[0] + (double)total[1]);
}

// Numbers from `from` to `to` times re + i im.
PADICI_TARGET static void PADICI_GK(times)(int paired, PADICI_REAL *x, size_t im, size_t from,
                                           size_t to, double re_, double im_)
{
    const PADICI_REAL p = (PADICI_REAL)re_, q = (PADICI_REAL)im_;
    size_t i;
    if (paired) {
        for (i = from; i < to; i++) {
            const PADICI_REAL a = x[i], b = x[im + i];
            x[i] = a * p - b * q;
            x[im + i] = a * q + b * p;
        }
    } else {
        for (i = from; i < to; i++) x[i] *= p;
    }
}

// A column whose squares are lost becomes about 1. Returns the factor.
static double PADICI_GK(lift)(int paired, PADICI_REAL *x, size_t im, size_t from, size_t to)
{
    double largest = 0;
    size_t i;
    int power = 0;
    for (i = from; i < to; i++) {
        if (fabs((double)x[i]) > largest) largest = fabs((double)x[i]);
        if (paired && fabs((double)x[im + i]) > largest) largest = fabs((double)x[im + i]);
    }
    if (largest > 0) frexp(largest, &power);
    for (i = from; power && i < to; i++) {
        x[i] = (PADICI_REAL)ldexp((double)x[i], -power);
        if (paired) x[im + i] = (PADICI_REAL)ldexp((double)x[im + i], -power);
    }
    return ldexp(1, -power);
}

// Rows k to `end` of a column become v, with zeros before them as far as a block of four reaches.
PADICI_TARGET static void PADICI_GK(reflector)(int paired, PADICI_REAL *x, size_t im, size_t k,
                                               size_t end, double *beta, double tau[2])
{
    double rest = PADICI_GK(squares)(paired, x, im, k + 1, end), up = 1, re, imag, norm, size;
    size_t i;
    if (rest < PADICI_TINY) {
        up = PADICI_GK(lift)(paired, x, im, k, end);
        rest = PADICI_GK(squares)(paired, x, im, k + 1, end);
        if (rest < PADICI_TINY) {
            rest = 0;
            PADICI_GK(times)(paired, x, im, k + 1, end, 0, 0);
        }
    }
    re = (double)x[k];
    imag = paired ? (double)x[im + k] : 0;
    for (i = PADICI_DOWN(k < 3 ? 0 : k - 3); i < k; i++) {
        x[i] = 0;
        if (paired) x[im + i] = 0;
    }
    if (paired) x[im + k] = 0;
    x[k] = 1;
    *beta = re / up;
    tau[0] = tau[1] = 0;
    if (rest == 0 && imag == 0) return;
    norm = sqrt(re * re + imag * imag + rest);
    if (re > 0) norm = -norm;
    *beta = norm / up;
    tau[0] = (norm - re) / norm;
    tau[1] = -imag / norm;
    re -= norm;
    size = 1 / (re * re + imag * imag);
    PADICI_GK(times)(paired, x, im, k + 1, end, re * size, -imag * size);
}

// T of columns k to k + 3 of v: above the diagonal of the 4 x 4 matrices t (real, imaginary parts).
static void PADICI_GK(triangle)(int paired, PADICI_GK(block) *b, const double *tau, double t[2][16])
{
    PADICI_GK(block) g = *b;
    uint32_t i, l, p;
    g.c = b->v;
    PADICI_GK(dots)(paired, 1, &g, 0, 4);
    memset(t, 0, 2 * sizeof *t);
    for (i = 0; i < 4; i++) {
        t[0][5 * i] = tau[2 * i];
        t[1][5 * i] = tau[2 * i + 1];
        for (l = 0; l < i; l++) {
            double re = 0, im = 0;
            for (p = l; p < i; p++) {
                const double x = (double)g.w[p * g.w_step + i];
                const double y = paired ? (double)g.w[p * g.w_step + g.w_im + i] : 0;
                re += t[0][4 * l + p] * x - t[1][4 * l + p] * y;
                im += t[0][4 * l + p] * y + t[1][4 * l + p] * x;
            }
            t[0][4 * l + i] = -(tau[2 * i] * re - tau[2 * i + 1] * im);
            t[1][4 * l + i] = -(tau[2 * i] * im + tau[2 * i + 1] * re);
        }
    }
}

// Lines of w become -T w, or -T^dagger w; columns from to to.
PADICI_TARGET static void PADICI_GK(fold)(int paired, const PADICI_GK(block) *b,
                                          double t[2][16], int adjoint, size_t from, size_t to)
{
    PADICI_REAL re[16], im[16];
    size_t j;
    uint32_t i, l;
    for (i = 0; i < 4; i++)
        for (l = 0; l < 4; l++) {
            re[4 * i + l] = (PADICI_REAL)-t[0][adjoint ? 4 * l + i : 4 * i + l];
            im[4 * i + l] =
                (PADICI_REAL)(adjoint ? t[1][4 * l + i] : -t[1][4 * i + l]);
        }
    for (j = PADICI_DOWN(from); j < to; j += PADICI_LANES) {
        PADICI_V x[4], y[4];
        for (l = 0; l < 4; l++) {
            x[l] = PADICI_LOAD(b->w + l * b->w_step + j);
            if (paired) y[l] = PADICI_LOAD(b->w + l * b->w_step + b->w_im + j);
        }
        for (i = 0; i < 4; i++) {
            PADICI_V p = PADICI_NONE, q = PADICI_NONE;
            for (l = 0; l < 4; l++) {
                p = PADICI_FMA(PADICI_SET(re[4 * i + l]), x[l], p);
                if (!paired) continue;
                p = PADICI_FNMA(PADICI_SET(im[4 * i + l]), y[l], p);
                q = PADICI_FMA(PADICI_SET(re[4 * i + l]), y[l], q);
                q = PADICI_FMA(PADICI_SET(im[4 * i + l]), x[l], q);
            }
            PADICI_STORE(b->w + i * b->w_step + j, p);
            if (paired) PADICI_STORE(b->w + i * b->w_step + b->w_im + j, q);
        }
    }
}

// One reflection on columns from to to of c.
PADICI_TARGET static void PADICI_GK(reflect_one)(int paired, const PADICI_GK(block) *b,
                                                 const double tau[2], int adjoint, size_t from,
                                                 size_t to)
{
    if (tau[0] == 0 && tau[1] == 0) return;
    PADICI_GK(dots)(paired, 0, b, from, to);
    PADICI_GK(times)(paired, b->w, b->w_im, from, to, -tau[0], adjoint ? tau[1] : -tau[1]);
    PADICI_GK(add)(paired, 0, b, from, to);
}

// The reflections in columns k to k + count of v, whose first v_k is in row `pivot`, on columns
// from to to of c: the product of the H, or its adjoint. `end`: padded rows.
PADICI_TARGET static void PADICI_GK(reflect)(const PADICI_GK(room) *m, const PADICI_GK(matrix) *v,
                                             size_t k, uint32_t count, size_t pivot,
                                             const double *tau, int adjoint,
                                             const PADICI_GK(matrix) *c, size_t from, size_t to,
                                             size_t end)
{
    PADICI_GK(block) b;
    double t[2][16];
    uint32_t i;
    if (from >= to) return;
    b.v = *v;
    b.v.x += k * v->step;
    b.c = *c;
    b.w = m->spare;
    b.w_im = m->line;
    b.w_step = (m->paired ? 2 : 1) * m->line;
    b.begin = PADICI_DOWN(pivot);
    b.end = end;
    if (count == 4) {
        PADICI_GK(triangle)(m->paired, &b, tau, t);
        PADICI_GK(dots)(m->paired, 1, &b, from, to);
        PADICI_GK(fold)(m->paired, &b, t, adjoint, from, to);
        PADICI_GK(add)(m->paired, 1, &b, from, to);
        return;
    }
    for (i = 0; i < count; i++) {
        const uint32_t at = adjoint ? i : count - 1 - i;
        b.v.x = v->x + (k + at) * v->step;
        PADICI_GK(reflect_one)(m->paired, &b, tau + 2 * at, adjoint, from, to);
    }
}

// c (columns from to to) <- H_0 H_1 ... c; v_k of H_k is in row k + shift.
PADICI_TARGET static void PADICI_GK(reflect_all)(const PADICI_GK(room) *m,
                                                 const PADICI_GK(matrix) *v, size_t count,
                                                 size_t shift, const double *tau,
                                                 const PADICI_GK(matrix) *c, size_t to, size_t end,
                                                 int unit)
{
    size_t k = count;
    while (k) {
        const uint32_t some = k % 4 ? (uint32_t)(k % 4) : 4;
        k -= some;
        PADICI_GK(reflect)(m, v, k, some, k + shift, tau + 2 * k, 0, c, unit ? k : 0, to, end);
    }
}

#endif
// room: src/simd/tensor/reduce.c
// @per-level
#ifndef PADIC_NO_TENSOR

// QR, and reduction to bidiagonal and tridiagonal form: one matrix, in vectors along its columns.
// The reflections of the latter two are applied when the next column is known, in the same pass as
// that column's products (Howell and others 2008).

// a (down x n) to R in r (r->x NULL: none) and reflections in its columns.
PADICI_TARGET static void PADICI_GK(qr)(const PADICI_GK(room) *m, const PADICI_GK(matrix) *r,
                                        double *tau)
{
    const size_t count = m->m < m->n ? m->m : m->n, parts = m->paired ? 2 : 1;
    const int each = m->n <= 8; // a block does not pay
    size_t j, k, p;
    for (k = 0; k < count; k += 4) {
        const uint32_t some = count - k < 4 ? (uint32_t)(count - k) : 4;
        for (j = k; j < k + some; j++) {
            PADICI_REAL *x = m->a.x + j * m->a.step, *to = r->x + j * r->step;
            double beta;
            for (p = 0; p < parts; p++)
                memcpy(to + p * r->im, x + p * m->a.im, j * sizeof *x);
            PADICI_GK(reflector)(m->paired, x, m->a.im, j, m->down, &beta, tau + 2 * j);
            to[j] = (PADICI_REAL)beta;
            PADICI_GK(reflect)(m, &m->a, j, 1, j, tau + 2 * j, 1, &m->a, j + 1,
                               each ? m->n : k + some, m->down);
        }
        if (each) continue;
        PADICI_GK(reflect)(m, &m->a, k, some, k, tau + 2 * k, 1, &m->a, k + some, m->n, m->down);
    }
    for (j = count; j < m->n; j++)
        for (p = 0; p < parts; p++)
            memcpy(r->x + j * r->step + p * r->im, m->a.x + j * m->a.step + p * m->a.im,
                   count * sizeof *m->a.x);
}

// The pass over columns that carries what is not yet subtracted from them.
static void PADICI_GK(pass_begin)(const PADICI_GK(room) *m, const PADICI_GK(matrix) *a,
                                  PADICI_GK(pass) *p)
{
    const size_t parts = m->paired ? 2 : 1;
    p->a = *a;
    p->v = m->vector[0];
    p->x = m->vector[1];
    p->w = NULL;
    p->f = m->factor[0];
    p->g = m->factor[1];
    p->sums = m->sums;
    p->factor_im = m->line;
    p->begin = 0;
    p->end = a->im;
    memset(m->vector[0], 0, parts * a->im * sizeof *a->x);
    memset(m->vector[1], 0, parts * a->im * sizeof *a->x);
    memset(m->factor[0], 0, parts * m->line * sizeof *a->x);
    memset(m->factor[1], 0, parts * m->line * sizeof *a->x);
}

// f_j = -conj(tau) sum_j, and row k of the columns after it, conjugated, to y.
static void PADICI_GK(bidiagonal_row)(const PADICI_GK(room) *m, const PADICI_GK(matrix) *a,
                                      size_t k, const double *tau, PADICI_REAL *y)
{
    const PADICI_REAL re = (PADICI_REAL)tau[0], im = (PADICI_REAL)tau[1], *s = m->sums;
    PADICI_REAL *f = m->factor[0];
    size_t j;
    for (j = k + 1; j < m->n; j++) {
        const PADICI_REAL *c = a->x + j * a->step + k;
        if (m->paired) {
            f[j] = -(re * s[j] + im * s[m->line + j]);
            f[m->line + j] = -(re * s[m->line + j] - im * s[j]);
            y[m->right + j] = -(c[a->im] + f[m->line + j]);
        } else {
            f[j] = -re * s[j];
        }
        y[j] = c[0] + f[j];
    }
}

// x = -tau (a y + v (f^T y)), and g = conj(y).
PADICI_TARGET static void PADICI_GK(bidiagonal_column)(const PADICI_GK(room) *m,
                                                       PADICI_GK(pass) *p, size_t k,
                                                       const double *tau, const PADICI_REAL *y)
{
    const size_t parts = m->paired ? 2 : 1;
    const PADICI_REAL *f = m->factor[0], *v = p->v;
    PADICI_REAL *x = m->vector[1], *g = m->factor[1], *z = m->factor[2], re = 0, im = 0;
    size_t i, j;
    for (j = k + 1; j < m->n; j++) {
        g[j] = z[j] = y[j];
        re += f[j] * y[j];
        if (!m->paired) continue;
        z[m->line + j] = y[m->right + j];
        g[m->line + j] = -y[m->right + j];
        re -= f[m->line + j] * y[m->right + j];
        im += f[j] * y[m->right + j] + f[m->line + j] * y[j];
    }
    p->f = z;
    PADICI_GK(combine)(m->paired, p, k + 1, m->n, x);
    p->f = f;
    for (i = p->begin; i < p->end; i++) {
        x[i] += v[i] * re;
        if (parts == 1) continue;
        x[i] -= v[p->a.im + i] * im;
        x[p->a.im + i] += v[i] * im + v[p->a.im + i] * re;
    }
    PADICI_GK(times)(m->paired, x, p->a.im, p->begin, p->end, -tau[0], -tau[1]);
}

// a (padded rows x n) = Q B P^dagger, B upper bidiagonal with d and e: reflections of Q in the
// columns of a, of P in those of w (from row k + 1 on). w.step 0: those of P are not kept.
PADICI_TARGET static void PADICI_GK(bidiagonal)(PADICI_GK(room) *m, const PADICI_GK(matrix) *a)
{
    PADICI_GK(pass) p;
    size_t k;
    PADICI_GK(pass_begin)(m, a, &p);
    for (k = 0; k < m->n; k++) {
        PADICI_REAL *x = a->x + k * a->step, *y = m->w.x + k * m->w.step;
        p.w = p.v;
        if (k) PADICI_GK(pass_over)(m->paired, &p, k, k + 1);
        PADICI_GK(reflector)(m->paired, x, a->im, k, a->im, m->d + k, m->tau[0] + 2 * k);
        m->e[k] = 0;
        if (k + 1 == m->n) break;
        p.w = x;
        p.begin = PADICI_DOWN(k);
        PADICI_GK(pass_over)(m->paired, &p, k + 1, m->n);
        PADICI_GK(bidiagonal_row)(m, a, k, m->tau[0] + 2 * k, y);
        PADICI_GK(reflector)(m->paired, y, m->right, k + 1, m->right, m->e + k,
                             m->tau[1] + 2 * k);
        p.v = x;
        PADICI_GK(bidiagonal_column)(m, &p, k, m->tau[1] + 2 * k, y);
    }
}

// Of Hermitian a (padded rows x n): w = tau a v - (tau (tau a v)^dagger v / 2) v from the sums
// v^dagger a, and the factors of v and w in the next pass.
PADICI_TARGET static void PADICI_GK(tridiagonal_column)(const PADICI_GK(room) *m,
                                                        const PADICI_GK(pass) *p, size_t k,
                                                        const double *tau)
{
    const PADICI_REAL re = (PADICI_REAL)tau[0], im = (PADICI_REAL)tau[1], *s = m->sums, *v = p->w;
    PADICI_REAL *w = m->vector[1], *f = m->factor[0], *g = m->factor[1];
    const size_t line = m->line, a_im = p->a.im;
    double x = 0, y = 0, h[2];
    size_t j;
    for (j = PADICI_DOWN(k + 1); j < p->end; j++) {
        const int in = j > k && j < m->n;
        w[j] = in ? re * s[j] : 0;
        if (m->paired) {
            w[j] = in ? re * s[j] + im * s[line + j] : 0;
            w[a_im + j] = in ? im * s[j] - re * s[line + j] : 0;
            y += (double)(w[j] * v[a_im + j] - w[a_im + j] * v[j]);
            x += (double)(w[a_im + j] * v[a_im + j]);
        }
        x += (double)(w[j] * v[j]);
    }
    h[0] = -(tau[0] * x - tau[1] * y) / 2;
    h[1] = -(tau[0] * y + tau[1] * x) / 2;
    for (j = k + 1; j < m->n; j++) {
        if (m->paired) {
            w[j] += (PADICI_REAL)(h[0] * (double)v[j] - h[1] * (double)v[a_im + j]);
            w[a_im + j] += (PADICI_REAL)(h[0] * (double)v[a_im + j] + h[1] * (double)v[j]);
            f[line + j] = w[a_im + j];
            g[line + j] = v[a_im + j];
        } else {
            w[j] += (PADICI_REAL)h[0] * v[j];
        }
        f[j] = -w[j];
        g[j] = -v[j];
    }
}

// Hermitian a = Q T Q^dagger, T real with d and e: reflections of Q in the columns of a, from row
// k + 1 on.
PADICI_TARGET static void PADICI_GK(tridiagonal)(PADICI_GK(room) *m, const PADICI_GK(matrix) *a)
{
    PADICI_GK(pass) p;
    size_t k;
    PADICI_GK(pass_begin)(m, a, &p);
    for (k = 0; k < m->n; k++) {
        PADICI_REAL *x = a->x + k * a->step;
        p.w = p.v;
        if (k) PADICI_GK(pass_over)(m->paired, &p, k, k + 1);
        m->d[k] = (double)x[k];
        m->e[k] = 0;
        if (k + 1 == m->n) break;
        PADICI_GK(reflector)(m->paired, x, a->im, k + 1, a->im, m->e + k, m->tau[0] + 2 * k);
        p.w = x;
        p.begin = PADICI_DOWN(k + 1);
        PADICI_GK(pass_over)(m->paired, &p, k + 1, m->n);
        PADICI_GK(tridiagonal_column)(m, &p, k, m->tau[0] + 2 * k);
        p.v = x;
    }
}

#endif
// room: src/simd/tensor/factor_one.c
// @per-level
#ifndef PADIC_NO_TENSOR

// SVD, QR and eigenvalues of one matrix of a call, in the precision of its numbers.

// Padded rows; columns do not all begin at the same place of the first cache.
static size_t PADICI_GK(padded)(size_t rows)
{
    const size_t whole = PADICI_UP(rows);
    return whole * PADICI_REAL_SIZE % 1024 ? whole : whole + PADICI_LANES;
}

static void *PADICI_GK(take)(uintptr_t *at, size_t bytes)
{
    const uintptr_t from = *at;
    *at += (bytes + 63) / 64 * 64;
    return (void *)from;
}

static void PADICI_GK(take_matrix)(uintptr_t *at, PADICI_GK(matrix) *a, int paired, size_t rows,
                                   size_t columns)
{
    a->im = rows;
    a->step = paired ? 2 * rows : rows;
    a->x = (PADICI_REAL *)PADICI_GK(take)(at, a->step * columns * sizeof *a->x);
}

static size_t PADICI_GK(is_tall)(const PADICI_GK(room) *m)
{
    return (double)m->m > 1.2 * (double)m->n;
}

// Numbers and lines beside the matrices.
static void PADICI_GK(layout_lines)(PADICI_GK(room) *m, uintptr_t *at)
{
    const size_t parts = m->paired ? 2 : 1, line = parts * m->line * sizeof(PADICI_REAL);
    const size_t rows = m->down > m->right ? m->down : m->right;
    uint32_t i;
    for (i = 0; i < 2; i++)
        m->vector[i] = (PADICI_REAL *)PADICI_GK(take)(at, parts * rows * sizeof(PADICI_REAL));
    for (i = 0; i < 3; i++) m->factor[i] = (PADICI_REAL *)PADICI_GK(take)(at, line);
    m->sums = (PADICI_REAL *)PADICI_GK(take)(at, line);
    m->spare = (PADICI_REAL *)PADICI_GK(take)(at, 4 * line);
    for (i = 0; i < 3; i++) m->tau[i] = (double *)PADICI_GK(take)(at, 16 * (m->r + 1));
    m->d = (double *)PADICI_GK(take)(at, 8 * m->r);
    if (!m->v.step) return; // QR
    m->e = (double *)PADICI_GK(take)(at, 8 * m->r);
    m->order = (uint64_t *)PADICI_GK(take)(at, 8 * m->r);
    m->turns.room = 8 * m->r;
    for (i = 0; i < 2; i++) {
        m->turns.c[i] = (double *)PADICI_GK(take)(at, 8 * (size_t)m->turns.room);
        m->turns.s[i] = (double *)PADICI_GK(take)(at, 8 * (size_t)m->turns.room);
    }
}

// Sizes, and places from `space` on; returns the bytes that they take.
static size_t PADICI_GK(layout)(const padici_tensor_factor *f, PADICI_GK(room) *m, double *space)
{
    uintptr_t at = (uintptr_t)space;
    memset(m, 0, offsetof(PADICI_GK(room), turns));
    m->turns.used = m->turns.sweeps = m->turns.sides = 0;
    m->paired = padici_tensor_is_complex(f->tensors[0].dtype);
    m->turn = f->kind == PADICI_TENSOR_FACTOR_SVD && f->m < f->n;
    m->vectors = f->tensors[1].dtype != PADIC_DTYPE_NONE;
    if (f->kind == PADICI_TENSOR_FACTOR_SVD) m->vectors |= f->tensors[2].dtype != PADIC_DTYPE_NONE;
    m->m = (size_t)(m->turn ? f->n : f->m);
    m->n = (size_t)(m->turn ? f->m : f->n);
    m->r = (size_t)f->r;
    m->down = PADICI_GK(padded)(m->m);
    m->right = PADICI_GK(padded)(f->kind == PADICI_TENSOR_FACTOR_QR ? m->r : m->n);
    m->line = PADICI_UP(m->n + 4);
    PADICI_GK(take_matrix)(&at, &m->a, m->paired, m->down, m->n);
    if (f->kind == PADICI_TENSOR_FACTOR_QR) {
        PADICI_GK(take_matrix)(&at, &m->b, m->paired, m->right, m->n);
        PADICI_GK(take_matrix)(&at, &m->u, m->paired, m->down, m->vectors ? m->r : 0);
    } else if (f->kind == PADICI_TENSOR_FACTOR_SVD) {
        m->b = m->a;
        if (PADICI_GK(is_tall)(m))
            PADICI_GK(take_matrix)(&at, &m->b, m->paired, m->right, m->n);
        PADICI_GK(take_matrix)(&at, &m->w, m->paired, m->right, m->vectors ? m->n : 1);
        if (!m->vectors) m->w.step = 0;
        PADICI_GK(take_matrix)(&at, &m->u, m->paired, m->down, m->vectors ? m->n : 0);
    }
    if (f->kind != PADICI_TENSOR_FACTOR_QR) {
        PADICI_GK(take_matrix)(&at, &m->v, m->paired, m->right, m->vectors ? m->n : 0);
        PADICI_GK(take_matrix)(&at, &m->x, 0, m->right, m->vectors ? m->n : 0);
    }
    if (f->kind == PADICI_TENSOR_FACTOR_SVD && m->vectors)
        PADICI_GK(take_matrix)(&at, &m->y, 0, m->right, m->n);
    PADICI_GK(layout_lines)(m, &at);
    return (size_t)(at - (uintptr_t)space);
}

static size_t PADICI_GK(factor_bytes)(const padici_tensor_factor *f)
{
    PADICI_GK(room) m;
    return PADICI_GK(layout)(f, &m, NULL);
}

// A tile of a matrix to or from a tensor's memory, `row` and `column` in real numbers.
static void PADICI_GK(load_tile)(int paired, const PADICI_REAL *from, int64_t row, int64_t column,
                                 size_t rows, size_t columns, const PADICI_GK(matrix) *a)
{
    size_t i, j;
    if (row == 1) {
        for (j = 0; j < columns; j++)
            memcpy(a->x + j * a->step, from + (int64_t)j * column, rows * sizeof *from);
    } else {
        for (i = 0; i < rows; i++)
            for (j = 0; j < columns; j++) {
                const PADICI_REAL *x = from + (int64_t)i * row + (int64_t)j * column;
                a->x[j * a->step + i] = x[0];
                if (paired) a->x[j * a->step + a->im + i] = x[1];
            }
    }
}

static void PADICI_GK(save_tile)(int paired, PADICI_REAL *to, int64_t row, int64_t column,
                                 size_t rows, size_t columns, const PADICI_GK(matrix) *a, int turn)
{
    size_t i, j;
    if (row == 1) {
        for (j = 0; j < columns; j++)
            memcpy(to + (int64_t)j * column, a->x + j * a->step, rows * sizeof *to);
    } else {
        for (i = 0; i < rows; i++)
            for (j = 0; j < columns; j++) {
                PADICI_REAL *x = to + (int64_t)i * row + (int64_t)j * column;
                x[0] = a->x[j * a->step + i];
                if (!paired) continue;
                x[1] = a->x[j * a->step + a->im + i];
                if (turn) x[1] = -x[1];
            }
    }
}

// Columns of a that lie in tensor i of matrix b, or its adjoint; `load`: the other way.
static void PADICI_GK(transfer)(const padici_tensor_factor *f, uint32_t i, uint64_t b, int paired,
                                const PADICI_GK(matrix) *a, size_t rows, size_t columns, int turn,
                                int load)
{
    const padic_tensor *t = &f->tensors[i];
    const int64_t parts = paired ? 2 : 1, *stride = f->stride[i];
    const int64_t row = parts * stride[turn ? 2 : 1], column = parts * stride[turn ? 1 : 2];
    PADICI_REAL *at = (PADICI_REAL *)t->data + (int64_t)b * stride[0] * parts;
    PADICI_GK(matrix) tile = *a;
    size_t j;
    if (t->dtype == PADIC_DTYPE_NONE) return;
    for (j = 0; j < columns; j += 16, at += 16 * column, tile.x += 16 * tile.step) {
        const size_t some = columns - j < 16 ? columns - j : 16;
        if (load) PADICI_GK(load_tile)(paired, at, row, column, rows, some, &tile);
        else PADICI_GK(save_tile)(paired, at, row, column, rows, some, &tile, turn);
    }
}

// The largest part of rows `from` to rows of a column, or -1 if one is not finite.
static double PADICI_GK(largest)(const PADICI_REAL *x, size_t from, size_t rows, double before)
{
    PADICI_REAL most = (PADICI_REAL)before;
    int bad = before < 0;
    size_t i;
    for (i = from; i < rows; i++) {
        const PADICI_REAL y = x[i] < 0 ? -x[i] : x[i];
        bad |= !(y - y == 0);
        most = y > most ? y : most;
    }
    return bad ? -1 : (double)most;
}

// Reads matrix b. Where squares could overflow it is divided by a power of 2, the scale; 0 when an
// entry is not finite.
static int PADICI_GK(read)(const padici_tensor_factor *f, uint64_t b, const PADICI_GK(room) *m,
                           double *scale)
{
    const int hermitian = f->kind == PADICI_TENSOR_FACTOR_EIGH;
    const PADICI_GK(matrix) *a = &m->a;
    const size_t parts = m->paired ? 2 : 1;
    double largest = 0;
    size_t i, j, p;
    int power;
    PADICI_GK(transfer)(f, 0, b, m->paired, a, m->m, m->n, m->turn, 1);
    for (j = 0; j < m->n; j++)
        for (p = 0; p < parts; p++) {
            PADICI_REAL *x = a->x + j * a->step + p * a->im;
            for (i = m->m; i < a->im; i++) x[i] = 0;
            if (p && m->turn)
                for (i = 0; i < m->m; i++) x[i] = -x[i];
            if (p && hermitian) x[j] = 0;
            largest = PADICI_GK(largest)(x, hermitian ? j : 0, m->m, largest);
        }
    if (largest < 0) return 0;
    for (j = 0; hermitian && j < m->n; j++) // above the diagonal
        for (i = 0; i < j; i++) {
            a->x[j * a->step + i] = a->x[i * a->step + j];
            if (m->paired) a->x[j * a->step + a->im + i] = -a->x[i * a->step + a->im + j];
        }
    frexp(largest, &power);
    power = power < -1000 ? -1000 : power > 1000 ? 1000 : power;
    *scale = 1;
    if (power >= -16 && power <= 16) return 1;
    if (largest > 0) *scale = ldexp(1, power);
    for (j = 0; j < m->n; j++)
        for (p = 0; p < parts; p++) {
            PADICI_REAL *x = a->x + j * a->step + p * a->im;
            for (i = 0; i < m->m; i++) x[i] = (PADICI_REAL)((double)x[i] / *scale);
        }
    return 1;
}

// Turns column j of a so that its largest entry is real and positive, and of b by the same phase.
static void PADICI_GK(sign)(int paired, const PADICI_GK(matrix) *a, size_t rows, size_t j,
                            const PADICI_GK(matrix) *b, size_t b_rows)
{
    PADICI_REAL *x = a->x + j * a->step, most = 0;
    const PADICI_REAL more = (PADICI_REAL)(1 + 1.9073486328125e-6);
    double z[2], phase[2];
    size_t i, at = 0;
    for (i = 0; i < rows; i++) {
        const PADICI_REAL y = paired ? x[i] * x[i] + x[a->im + i] * x[a->im + i] : x[i] * x[i];
        if (y <= most * more) continue;
        most = y;
        at = i;
    }
    z[0] = (double)x[at];
    z[1] = paired ? (double)x[a->im + at] : 0;
    if (z[1] == 0 && z[0] >= 0) return;
    padici_tensor_z_phase(z, phase);
    PADICI_GK(times)(paired, x, a->im, 0, rows, phase[0], -phase[1]);
    if (paired) x[a->im + at] = 0;
    if (b)
        PADICI_GK(times)(paired, b->x + j * b->step, b->im, 0, b_rows, phase[0], -phase[1]);
}

// d as values: the order of the columns by value.
static void PADICI_GK(sort)(const PADICI_GK(room) *m, int ascending)
{
    uint64_t i, j, *order = m->order;
    double *d = m->d;
    for (i = 0; i < m->n; i++) order[i] = i;
    for (i = 1; i < m->n; i++) { // by insertion: they come nearly sorted
        const double value = d[i];
        const uint64_t from = order[i];
        for (j = i; j > 0 && (ascending ? d[j - 1] > value : d[j - 1] < value); j--) {
            d[j] = d[j - 1];
            order[j] = order[j - 1];
        }
        d[j] = value;
        order[j] = from;
    }
}

// The identity, in the order `back` if that is set.
static void PADICI_GK(identity)(const PADICI_GK(matrix) *a, size_t n, int back)
{
    size_t j;
    memset(a->x, 0, a->step * n * sizeof *a->x);
    for (j = 0; j < n; j++) a->x[j * a->step + (back ? n - 1 - j : j)] = 1;
}

// The first columns of x, sorted, to v, whose other rows, imaginary parts and columns are 0.
static void PADICI_GK(gather)(const PADICI_GK(room) *m, const PADICI_GK(matrix) *x,
                              const PADICI_GK(matrix) *v, size_t kept, size_t columns)
{
    size_t j;
    for (j = kept; j < columns; j++) memset(v->x + j * v->step, 0, v->step * sizeof *v->x);
    for (j = 0; j < kept; j++) {
        PADICI_REAL *to = v->x + j * v->step;
        memcpy(to, x->x + (size_t)m->order[j] * x->step, m->n * sizeof *to);
        memset(to + m->n, 0, (v->step - m->n) * sizeof *to);
    }
}

static void PADICI_GK(backwards)(double *x, size_t n)
{
    size_t i;
    for (i = 0; i < n / 2; i++) {
        const double y = x[i];
        x[i] = x[n - 1 - i];
        x[n - 1 - i] = y;
    }
}

// Values of the bidiagonal matrix, and its vectors in y (left) and x (right).
static int PADICI_GK(bidiagonal_values)(PADICI_GK(room) *m)
{
    const size_t n = m->n;
    const int back = fabs(m->d[0]) < fabs(m->d[n - 1]); // large values first: fewer sweeps
    size_t i, j;
    int good;
    if (back) { // as J B^T J
        PADICI_GK(backwards)(m->d, n);
        PADICI_GK(backwards)(m->e, n - 1);
    }
    if (m->vectors) {
        PADICI_GK(identity)(&m->x, n, back);
        PADICI_GK(identity)(&m->y, n, back);
    }
    m->turns.step = m->right;
    m->turns.sides = m->vectors ? 2 : 0;
    m->turns.turn = PADICI_GK(turn);
    m->turns.x[0] = back ? m->y.x : m->x.x;
    m->turns.x[1] = back ? m->x.x : m->y.x;
    good = padici_simd_tensor_bidiagonal_qr(
        n, m->d, m->e, PADICI_REAL_SIZE == 4 ? 5.9604644775390625e-8 : PADICI_TENSOR_EPS,
        &m->turns);
    for (j = 0; j < n; j++) {
        PADICI_REAL *x = m->x.x + j * m->x.step;
        if (!(m->d[j] < 0)) continue;
        m->d[j] = -m->d[j];
        for (i = 0; m->vectors && i < n; i++) x[i] = -x[i];
    }
    PADICI_GK(sort)(m, 0);
    return good;
}

static int PADICI_GK(factor_svd)(const padici_tensor_factor *f, uint64_t b, double *space)
{
    PADICI_GK(room) m;
    double scale;
    size_t j, kept;
    int good, tall;
    (void)PADICI_GK(layout)(f, &m, space);
    if (!PADICI_GK(read)(f, b, &m, &scale)) return PADIC_ERROR_NOT_FINITE;
    tall = m.b.x != m.a.x;
    memset(m.spare, 0, (m.paired ? 8 : 4) * m.line * sizeof *m.spare);
    memset(m.w.x, 0, (m.paired ? 2 : 1) * m.right * (m.vectors ? m.n : 1) * sizeof *m.w.x);
    if (tall) {
        memset(m.b.x, 0, m.b.step * m.n * sizeof *m.b.x);
        PADICI_GK(qr)(&m, &m.b, m.tau[2]);
    }
    PADICI_GK(bidiagonal)(&m, &m.b);
    good = PADICI_GK(bidiagonal_values)(&m);
    if (!padici_tensor_factor_holds(f, 3, m.d, m.n, scale)) return PADIC_ERROR_NOT_FINITE;
    kept = (size_t)padici_tensor_factor_keep(f, b, m.d);
    if (m.vectors) {
        const size_t columns = (size_t)f->columns;
        PADICI_GK(gather)(&m, &m.y, &m.u, kept, columns);
        PADICI_GK(gather)(&m, &m.x, &m.v, kept, columns);
        PADICI_GK(reflect_all)(&m, &m.b, m.n, 0, m.tau[0], &m.u, kept, m.b.im, 0);
        if (tall) PADICI_GK(reflect_all)(&m, &m.a, m.n, 0, m.tau[2], &m.u, kept, m.down, 0);
        PADICI_GK(reflect_all)(&m, &m.w, m.n - 1, 1, m.tau[1], &m.v, kept, m.right, 0);
        for (j = 0; j < kept; j++) {
            if (m.turn) PADICI_GK(sign)(m.paired, &m.v, m.n, j, &m.u, m.m);
            else PADICI_GK(sign)(m.paired, &m.u, m.m, j, &m.v, m.n);
        }
        PADICI_GK(transfer)(f, m.turn ? 2 : 1, b, m.paired, &m.u, m.m, columns, m.turn, 0);
        PADICI_GK(transfer)(f, m.turn ? 1 : 2, b, m.paired, &m.v, m.n, columns, !m.turn, 0);
    }
    padici_tensor_factor_values(f, 3, b, m.d, f->columns, scale);
    return good ? PADIC_OK : PADIC_ERROR_DOMAIN;
}

static int PADICI_GK(factor_eigh)(const padici_tensor_factor *f, uint64_t b, double *space)
{
    PADICI_GK(room) m;
    double scale;
    size_t j;
    int good, back;
    (void)PADICI_GK(layout)(f, &m, space);
    if (!PADICI_GK(read)(f, b, &m, &scale)) return PADIC_ERROR_NOT_FINITE;
    memset(m.spare, 0, (m.paired ? 8 : 4) * m.line * sizeof *m.spare);
    PADICI_GK(tridiagonal)(&m, &m.a);
    back = fabs(m.d[0]) < fabs(m.d[m.n - 1]);
    if (back) {
        PADICI_GK(backwards)(m.d, m.n);
        PADICI_GK(backwards)(m.e, m.n - 1);
    }
    if (m.vectors) PADICI_GK(identity)(&m.x, m.n, back);
    m.turns.step = m.right;
    m.turns.sides = m.vectors ? 1 : 0;
    m.turns.turn = PADICI_GK(turn);
    m.turns.x[0] = m.x.x;
    good = padici_simd_tensor_tridiagonal_qr(
        m.n, m.d, m.e, PADICI_REAL_SIZE == 4 ? 5.9604644775390625e-8 : PADICI_TENSOR_EPS,
        &m.turns);
    PADICI_GK(sort)(&m, 1);
    if (!padici_tensor_factor_holds(f, 2, m.d, m.n, scale)) return PADIC_ERROR_NOT_FINITE;
    if (m.vectors) {
        PADICI_GK(gather)(&m, &m.x, &m.v, m.n, m.n);
        PADICI_GK(reflect_all)(&m, &m.a, m.n - 1, 1, m.tau[0], &m.v, m.n, m.right, 0);
        for (j = 0; j < m.n; j++) PADICI_GK(sign)(m.paired, &m.v, m.n, j, NULL, 0);
        PADICI_GK(transfer)(f, 1, b, m.paired, &m.v, m.n, m.n, 0, 0);
    }
    padici_tensor_factor_values(f, 2, b, m.d, m.n, scale);
    return good ? PADIC_OK : PADIC_ERROR_DOMAIN;
}

// Rows of R (and columns of Q) so that its diagonal is positive, times the scale. 0: a number of R
// is too large.
static int PADICI_GK(qr_signs)(const padici_tensor_factor *f, const PADICI_GK(room) *m,
                               double scale)
{
    const size_t parts = m->paired ? 2 : 1;
    size_t i, j, p;
    int good = 1;
    for (i = 0; i < m->r; i++) m->d[i] = m->b.x[i * m->b.step + i] < 0 ? -scale : scale;
    for (j = 0; j < m->n; j++)
        for (p = 0; p < parts; p++) {
            PADICI_REAL *x = m->b.x + j * m->b.step + p * m->b.im;
            for (i = 0; i <= j && i < m->r; i++) {
                const double y = (double)x[i] * m->d[i];
                if (f->tensors[2].dtype != PADIC_DTYPE_NONE)
                    good &= padici_tensor_holds(f->tensors[2].dtype, y);
                else if (!(y - y == 0))
                    continue;
                x[i] = (PADICI_REAL)y;
            }
        }
    return good;
}

static int PADICI_GK(factor_qr)(const padici_tensor_factor *f, uint64_t b, double *space)
{
    PADICI_GK(room) m;
    double scale;
    size_t i, j;
    (void)PADICI_GK(layout)(f, &m, space);
    if (!PADICI_GK(read)(f, b, &m, &scale)) return PADIC_ERROR_NOT_FINITE;
    memset(m.spare, 0, (m.paired ? 8 : 4) * m.line * sizeof *m.spare);
    memset(m.b.x, 0, m.b.step * m.n * sizeof *m.b.x);
    PADICI_GK(qr)(&m, &m.b, m.tau[0]);
    if (!PADICI_GK(qr_signs)(f, &m, scale)) return PADIC_ERROR_NOT_FINITE;
    if (m.vectors) {
        PADICI_GK(identity)(&m.u, m.r, 0);
        PADICI_GK(reflect_all)(&m, &m.a, m.r, 0, m.tau[0], &m.u, m.r, m.down, 1);
        for (j = 0; j < m.r; j++) {
            PADICI_REAL *x = m.u.x + j * m.u.step;
            for (i = 0; m.d[j] < 0 && i < m.u.step; i++) x[i] = -x[i];
        }
        PADICI_GK(transfer)(f, 1, b, m.paired, &m.u, m.m, m.r, 0, 0);
    }
    PADICI_GK(transfer)(f, 2, b, m.paired, &m.b, m.r, m.n, 0, 0);
    return PADIC_OK;
}

PADICI_FN const padici_simd_tensor_factor_kernels *PADICI_GK(factor_kernels)(void)
{
    static const padici_simd_tensor_factor_kernels kernels = {
        PADICI_GK(factor_bytes),
        {PADICI_GK(factor_svd), PADICI_GK(factor_qr), PADICI_GK(factor_eigh)}};
    return &kernels;
}

#endif
// room: src/made/tensor_level_end.h
#undef PADICI_MUL
#undef PADICI_FNMA
#undef PADICI_UP
#undef PADICI_DOWN
#undef PADICI_TINY
#undef PADICI_TARGET
#undef PADICI_LANES
#undef PADICI_MR
#undef PADICI_V
#undef PADICI_R
#undef PADICI_SWAPPED
#undef PADICI_PAIR
#undef PADICI_TURN
#undef PADICI_NONE
#undef PADICI_SET
#undef PADICI_LOAD
#undef PADICI_STORE
#undef PADICI_ADD
#undef PADICI_FMA
#undef PADICI_NR
// room: src/simd/fft/words.c
// @per-level
#ifndef PADIC_NO_FFT

// PADICI_V: a vector of PADICI_REAL. FMA, FNMA: v plus and minus x y. PART: the first n lanes, the
// others 0 and not read or written. PARTS: the vector of the 16 bytes at p and as many at each
// `step` reals further on; HALF: the first half of it. LOW_h, HIGH_h of v, w exchange blocks of h
// lanes within 16 bytes.

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
#define PADICI_PARTS(p, step)                                                                    \
    _mm512_insertf32x4(                                                                          \
        _mm512_insertf32x4(_mm512_insertf32x4(_mm512_castps128_ps512(_mm_loadu_ps(p)),           \
                                              _mm_loadu_ps((p) + (step)), 1),                    \
                           _mm_loadu_ps((p) + 2 * (step)), 2),                                   \
        _mm_loadu_ps((p) + 3 * (step)), 3)
#define PADICI_HALF(p, step)                                                                     \
    _mm512_castps256_ps512(_mm256_insertf128_ps(_mm256_castps128_ps256(_mm_loadu_ps(p)),         \
                                                _mm_loadu_ps((p) + (step)), 1))
#else
#define PADICI_V __m512d
#define PADICI_R(op) _mm512_##op##_pd
#define PADICI_PART_LOAD(p, n) _mm512_maskz_loadu_pd((__mmask8)PADICI_PART_MASK(n), p)
#define PADICI_PART_STORE(p, n, v) _mm512_mask_storeu_pd(p, (__mmask8)PADICI_PART_MASK(n), v)
#define PADICI_LOW_1(v, w) _mm512_unpacklo_pd(v, w)
#define PADICI_HIGH_1(v, w) _mm512_unpackhi_pd(v, w)
#define PADICI_PARTS(p, step)                                                                    \
    _mm512_insertf64x2(                                                                          \
        _mm512_insertf64x2(_mm512_insertf64x2(_mm512_castpd128_pd512(_mm_loadu_pd(p)),           \
                                              _mm_loadu_pd((p) + (step)), 1),                    \
                           _mm_loadu_pd((p) + 2 * (step)), 2),                                   \
        _mm_loadu_pd((p) + 3 * (step)), 3)
#define PADICI_HALF(p, step)                                                                     \
    _mm512_castpd256_pd512(_mm256_insertf128_pd(_mm256_castpd128_pd256(_mm_loadu_pd(p)),         \
                                                _mm_loadu_pd((p) + (step)), 1))
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
#define PADICI_PARTS(p, step)                                                                    \
    _mm256_insertf128_ps(_mm256_castps128_ps256(_mm_loadu_ps(p)), _mm_loadu_ps((p) + (step)), 1)
#define PADICI_HALF(p, step) _mm256_castps128_ps256(_mm_loadu_ps(p))
#else
#define PADICI_V __m256d
#define PADICI_R(op) _mm256_##op##_pd
#define PADICI_PART_MASK(n)                                                                      \
    _mm256_cmpgt_epi64(_mm256_set1_epi64x((int)(n)), _mm256_setr_epi64x(0, 1, 2, 3))
#define PADICI_LOW_1(v, w) _mm256_unpacklo_pd(v, w)
#define PADICI_HIGH_1(v, w) _mm256_unpackhi_pd(v, w)
#define PADICI_PARTS(p, step)                                                                    \
    _mm256_insertf128_pd(_mm256_castpd128_pd256(_mm_loadu_pd(p)), _mm_loadu_pd((p) + (step)), 1)
#define PADICI_HALF(p, step) _mm256_castpd128_pd256(_mm_loadu_pd(p))
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
#define PADICI_PARTS(p, step) PADICI_LOAD(p)
#define PADICI_HALF(p, step) PADICI_LOAD(p)
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
    const __m256 low = _mm256_permute2f128_ps(v, w, 0x20);
    const __m256 high = _mm256_permute2f128_ps(v, w, 0x31);
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

// Memory for as many elements as lanes, in a frame, where a vector would not be aligned by itself.
#define PADICI_ROWS(name)                                                                       \
    PADICI_REAL name##_space[2 * PADICI_LANES * PADICI_LANES + 64 / PADICI_REAL_SIZE];          \
    PADICI_REAL *const name =                                                                   \
        name##_space + (64 - ((uintptr_t)name##_space & 63)) / PADICI_REAL_SIZE

#define PADICI_PART (16 / PADICI_REAL_SIZE) // lanes of 16 bytes
#define PADICI_MIDDLE (PADICI_LANES / 2 > PADICI_PART ? PADICI_LANES / 2 : PADICI_PART)

// Vectors `from` reals apart: as many as lanes, or half as many, or those of 16 bytes where that is
// more. Rows become columns, `to` reals apart, the first `count` of them. Parts of 16 bytes change
// places while they are loaded.
#define PADICI_TURNED(p) \
    (half ? PADICI_HALF(p, PADICI_PART * from) : PADICI_PARTS(p, PADICI_PART * from))
PADICI_TARGET PADICI_INLINE void PADICI_HK(turn_of)(uint32_t half, const PADICI_REAL *x,
                                                    size_t from, PADICI_REAL *y, size_t to,
                                                    uint32_t count)
{
    uint32_t i;
    for (i = 0; i < count; i += PADICI_PART) {
        const PADICI_REAL *at = x + i;
        PADICI_REAL *out = y + i * to;
        const PADICI_V a = PADICI_TURNED(at);
        const PADICI_V b = PADICI_TURNED(at + from);
        const PADICI_V e = PADICI_LOW_1(a, b), f = PADICI_HIGH_1(a, b);
#if PADICI_REAL_SIZE == 4
        const PADICI_V c = PADICI_TURNED(at + 2 * from);
        const PADICI_V d = PADICI_TURNED(at + 3 * from);
        const PADICI_V g = PADICI_LOW_1(c, d), h = PADICI_HIGH_1(c, d);
        PADICI_STORE(out, PADICI_LOW_2(e, g));
        if (i + 1 < count) PADICI_STORE(out + to, PADICI_LOW_2(f, h));
        if (i + 2 < count) PADICI_STORE(out + 2 * to, PADICI_HIGH_2(e, g));
        if (i + 3 < count) PADICI_STORE(out + 3 * to, PADICI_HIGH_2(f, h));
#else
        PADICI_STORE(out, e);
        if (i + 1 < count) PADICI_STORE(out + to, f);
#endif
    }
}
#undef PADICI_TURNED

PADICI_TARGET PADICI_INLINE void PADICI_HK(turn)(const PADICI_REAL *x, size_t from, PADICI_REAL *y,
                                                 size_t to, uint32_t count)
{
    PADICI_HK(turn_of)(0, x, from, y, to, count);
}

#endif
// room: src/simd/fft/stages.c
// @per-level
#ifndef PADIC_NO_FFT

// Stages of a block: Stockham's passes of radix 2 to 8. Loops over arrays unroll, so that these
// stay in registers.

PADICI_TARGET PADICI_INLINE void PADICI_HK(four)(PADICI_NUMBER *a, PADICI_NUMBER *b,
                                                 PADICI_NUMBER *c, PADICI_NUMBER *d)
{
    const PADICI_NUMBER e = PADICI_HK(plus)(*a, *c), f = PADICI_HK(minus)(*a, *c);
    const PADICI_NUMBER g = PADICI_HK(plus)(*b, *d), h = PADICI_HK(minus)(*b, *d);
    *a = PADICI_HK(plus)(e, g);
    *b = PADICI_HK(below)(f, h);
    *c = PADICI_HK(minus)(e, g);
    *d = PADICI_HK(above)(f, h);
}

PADICI_TARGET PADICI_INLINE void PADICI_HK(eight)(PADICI_NUMBER *a)
{
    const PADICI_V half = PADICI_SET((PADICI_REAL)0.70710678118654752440);
    PADICI_NUMBER b, c;
    PADICI_HK(four)(a, a + 2, a + 4, a + 6);
    PADICI_HK(four)(a + 1, a + 3, a + 5, a + 7);
    b.re = PADICI_MUL(half, PADICI_ADD(a[3].re, a[3].im)); // times exp(-i pi/4)
    b.im = PADICI_MUL(half, PADICI_SUB(a[3].im, a[3].re));
    c.re = PADICI_MUL(half, PADICI_SUB(a[7].im, a[7].re)); // times exp(-i 3 pi/4), i.e. minus
    c.im = PADICI_MUL(half, PADICI_ADD(a[7].re, a[7].im)); // the imaginary part
    a[3] = PADICI_HK(plus)(a[2], b);
    b = PADICI_HK(minus)(a[2], b);
    a[7].re = PADICI_SUB(a[6].re, c.re);
    a[7].im = PADICI_ADD(a[6].im, c.im);
    c.re = PADICI_ADD(a[6].re, c.re);
    c.im = PADICI_SUB(a[6].im, c.im);
    {
        const PADICI_NUMBER e = PADICI_HK(plus)(a[0], a[1]), f = PADICI_HK(minus)(a[0], a[1]);
        const PADICI_NUMBER g = PADICI_HK(below)(a[4], a[5]), h = PADICI_HK(above)(a[4], a[5]);
        a[0] = e;
        a[1] = a[3];
        a[2] = g;
        a[3] = c;
        a[4] = f;
        a[5] = b;
        a[6] = h;
    }
}

PADICI_TARGET PADICI_INLINE void PADICI_HK(odd)(uint32_t n, PADICI_NUMBER *a)
{
    PADICI_NUMBER sum[4], part[4], even[4], first = a[0];
    uint32_t j, k;
    PADICI_UNROLL_ALL
    for (j = 1; j <= n / 2; j++) {
        sum[j] = PADICI_HK(plus)(a[j], a[n - j]);
        part[j] = PADICI_HK(minus)(a[j], a[n - j]);
        first = PADICI_HK(plus)(first, sum[j]);
        even[j] = a[0];
    }
    a[0] = first;
    PADICI_UNROLL_ALL
    for (k = 1; k <= n / 2; k++) {
        PADICI_NUMBER rest;
        rest.re = rest.im = PADICI_NONE;
        PADICI_UNROLL_ALL
        for (j = 1; j <= n / 2; j++) {
            const uint32_t turn = j * k % n, at = turn <= n / 2 ? turn : n - turn;
            const PADICI_V c = PADICI_SET((PADICI_REAL)padici_fft_odd_cos(n, at));
            const PADICI_V s = PADICI_SET((PADICI_REAL)(turn <= n / 2 ? padici_fft_odd_sin(n, at)
                                                                 : -padici_fft_odd_sin(n, at)));
            even[k].re = PADICI_FMA(c, sum[j].re, even[k].re);
            even[k].im = PADICI_FMA(c, sum[j].im, even[k].im);
            rest.re = j == 1 ? PADICI_MUL(s, part[j].re) : PADICI_FMA(s, part[j].re, rest.re);
            rest.im = j == 1 ? PADICI_MUL(s, part[j].im) : PADICI_FMA(s, part[j].im, rest.im);
        }
        a[k] = PADICI_HK(below)(even[k], rest);
        a[n - k] = PADICI_HK(above)(even[k], rest);
    }
}

PADICI_TARGET PADICI_INLINE void PADICI_HK(dft)(uint32_t radix, PADICI_NUMBER *a)
{
    if (radix == 8) {
        PADICI_HK(eight)(a);
    } else if (radix == 4) {
        PADICI_HK(four)(a, a + 1, a + 2, a + 3);
    } else if (radix == 2) {
        const PADICI_NUMBER b = a[1];
        a[1] = PADICI_HK(minus)(a[0], b);
        a[0] = PADICI_HK(plus)(a[0], b);
    } else {
        PADICI_HK(odd)(radix, a);
    }
}

// One butterfly; `w` NULL: the last stage, which has no twiddles.
PADICI_TARGET PADICI_INLINE void PADICI_HK(butterfly)(uint32_t radix, const PADICI_REAL *x,
                                                      size_t from, PADICI_REAL *y, size_t to,
                                                      const PADICI_REAL *w)
{
    PADICI_NUMBER a[8];
    uint32_t k;
    PADICI_UNROLL_ALL
    for (k = 0; k < radix; k++) a[k] = PADICI_HK(get)(x + k * from);
    PADICI_HK(dft)(radix, a);
    PADICI_HK(put)(y, a[0]);
    PADICI_UNROLL_ALL
    for (k = 1; k < radix; k++) {
        if (w) a[k] = PADICI_HK(times)(a[k], PADICI_SET(w[2 * k - 2]), PADICI_SET(w[2 * k - 1]));
        PADICI_HK(put)(y + k * to, a[k]);
    }
}

PADICI_TARGET PADICI_INLINE void PADICI_HK(stage_of)(uint32_t radix, const padici_fft_stage *s,
                                                     const PADICI_REAL *x, PADICI_REAL *y)
{
    const size_t done = (size_t)s->done * PADICI_VECTOR, rest = (size_t)s->rest;
    const PADICI_REAL *w = (const PADICI_REAL *)s->twiddle;
    size_t p, q;
    if (rest == 1) {
        for (q = 0; q < done; q += PADICI_VECTOR)
            PADICI_HK(butterfly)(radix, x + q, done, y + q, done, NULL);
        return;
    }
    for (p = 0; p < rest; p++, w += 2 * (radix - 1), x += done, y += radix * done)
        for (q = 0; q < done; q += PADICI_VECTOR)
            PADICI_HK(butterfly)(radix, x + q, rest * done, y + q, done, w);
}

#define PADICI_STAGE_OF(radix)                                                             \
    PADICI_TARGET static void PADICI_HK(stage_##radix)(const padici_fft_stage *s,          \
                                                       const PADICI_REAL *x, PADICI_REAL *y) \
    {                                                                                      \
        PADICI_HK(stage_of)(radix, s, x, y);                                               \
    }
PADICI_STAGE_OF(2)
PADICI_STAGE_OF(3)
PADICI_STAGE_OF(4)
PADICI_STAGE_OF(5)
PADICI_STAGE_OF(7)
PADICI_STAGE_OF(8)

PADICI_TARGET static void PADICI_HK(stage)(const padici_fft_stage *s, const void *x_, void *y_)
{
    const PADICI_REAL *x = (const PADICI_REAL *)x_;
    PADICI_REAL *y = (PADICI_REAL *)y_;
    switch (s->radix) {
    case 2: PADICI_HK(stage_2)(s, x, y); break;
    case 3: PADICI_HK(stage_3)(s, x, y); break;
    case 4: PADICI_HK(stage_4)(s, x, y); break;
    case 5: PADICI_HK(stage_5)(s, x, y); break;
    case 7: PADICI_HK(stage_7)(s, x, y); break;
    default: PADICI_HK(stage_8)(s, x, y);
    }
}

#endif
// room: src/simd/fft/moves.c
// @per-level
#ifndef PADIC_NO_FFT

// Blocks from and to memory: lines next to each other, a vector of an element of all; elements next
// to each other, turned; else a number at a time.

PADICI_INLINE int PADICI_HK(plain_view)(const padici_fft_view *v)
{
    return v->is_double == (PADICI_REAL_SIZE == 8) && v->imaginary == PADICI_REAL_SIZE;
}

PADICI_TARGET PADICI_INLINE PADICI_NUMBER PADICI_HK(get_pairs)(const PADICI_REAL *p, uint32_t n)
{
    PADICI_V v, w = PADICI_NONE;
    if (n >= PADICI_LANES) {
        v = PADICI_LOAD(p);
        w = PADICI_LOAD(p + PADICI_LANES);
    } else if (2 * n > PADICI_LANES) {
        v = PADICI_LOAD(p);
        w = PADICI_PART_LOAD(p + PADICI_LANES, 2 * n - PADICI_LANES);
    } else if (2 * n == PADICI_LANES) {
        v = PADICI_LOAD(p);
    } else {
        v = PADICI_PART_LOAD(p, 2 * n);
    }
    return PADICI_HK(apart)(v, w);
}

PADICI_TARGET PADICI_INLINE void PADICI_HK(put_pairs)(PADICI_REAL *p, uint32_t n, PADICI_NUMBER a)
{
    PADICI_V v[2];
    PADICI_HK(together)(a, v);
    if (n >= PADICI_LANES) {
        PADICI_STORE(p, v[0]);
        PADICI_STORE(p + PADICI_LANES, v[1]);
    } else if (2 * n >= PADICI_LANES) {
        PADICI_STORE(p, v[0]);
        if (2 * n > PADICI_LANES)
            PADICI_PART_STORE(p + PADICI_LANES, 2 * n - PADICI_LANES, v[1]);
    } else {
        PADICI_PART_STORE(p, 2 * n, v[0]);
    }
}

PADICI_TARGET PADICI_INLINE PADICI_NUMBER PADICI_HK(swapped)(PADICI_NUMBER a, uint32_t swapped)
{
    PADICI_NUMBER b;
    if (!swapped) return a;
    b.re = a.im;
    b.im = a.re;
    return b;
}

PADICI_TARGET PADICI_INLINE void PADICI_HK(load_columns)(const padici_fft_view *view,
                                                         uint32_t lines, uint32_t swapped,
                                                         PADICI_REAL *x)
{
    const char *at = view->at;
    uint64_t j;
    for (j = 0; j < view->count; j++, at += view->element, x += PADICI_VECTOR)
        PADICI_HK(put)(x, PADICI_HK(swapped)(
                              PADICI_HK(get_pairs)((const PADICI_REAL *)(const void *)at, lines),
                              swapped));
}

PADICI_TARGET PADICI_INLINE void PADICI_HK(store_columns)(const padici_fft_view *view,
                                                          uint32_t lines, uint32_t swapped,
                                                          const PADICI_REAL *x)
{
    const PADICI_V scale = PADICI_SET((PADICI_REAL)view->scale);
    char *at = view->at;
    uint64_t j;
    for (j = 0; j < view->count; j++, at += view->element, x += PADICI_VECTOR) {
        PADICI_NUMBER a = PADICI_HK(swapped)(PADICI_HK(get)(x), swapped);
        a.re = PADICI_MUL(scale, a.re);
        a.im = PADICI_MUL(scale, a.im);
        PADICI_HK(put_pairs)((PADICI_REAL *)(void *)at, lines, a);
    }
}

// Lines whose elements lie next to each other, as many elements as lanes at a time.
PADICI_TARGET static void PADICI_HK(load_rows)(const padici_fft_view *view, PADICI_REAL *x)
{
    PADICI_ROWS(rows);
    const size_t re = view->swapped ? PADICI_LANES : 0, im = PADICI_LANES - re;
    uint64_t j;
    uint32_t l;
    for (j = 0; j < view->count; j += PADICI_LANES, x += PADICI_LANES * PADICI_VECTOR) {
        const uint64_t left = view->count - j;
        const char *at = view->at + (int64_t)j * view->element;
        for (l = 0; l < PADICI_LANES; l++) {
            PADICI_HK(put)(rows + l * PADICI_VECTOR,
                           PADICI_HK(get_pairs)((const PADICI_REAL *)(const void *)at,
                                                left < PADICI_LANES ? (uint32_t)left
                                                                    : PADICI_LANES));
            if (l + 1 < view->lines) at += view->line; // the last line again where there is none
        }
        PADICI_HK(turn)(rows, PADICI_VECTOR, x + re, PADICI_VECTOR, PADICI_LANES);
        PADICI_HK(turn)(rows + PADICI_LANES, PADICI_VECTOR, x + im, PADICI_VECTOR, PADICI_LANES);
    }
}

PADICI_TARGET static void PADICI_HK(store_rows)(const padici_fft_view *view, const PADICI_REAL *x)
{
    PADICI_ROWS(rows);
    const PADICI_V scale = PADICI_SET((PADICI_REAL)view->scale);
    const size_t re = view->swapped ? PADICI_LANES : 0, im = PADICI_LANES - re;
    uint64_t j;
    uint32_t l;
    for (j = 0; j < view->count; j += PADICI_LANES, x += PADICI_LANES * PADICI_VECTOR) {
        const uint64_t left = view->count - j;
        char *at = view->at + (int64_t)j * view->element;
        PADICI_HK(turn)(x + re, PADICI_VECTOR, rows, PADICI_VECTOR, PADICI_LANES);
        PADICI_HK(turn)(x + im, PADICI_VECTOR, rows + PADICI_LANES, PADICI_VECTOR, PADICI_LANES);
        for (l = 0; l < view->lines; l++, at += view->line) {
            PADICI_NUMBER a = PADICI_HK(get)(rows + l * PADICI_VECTOR);
            a.re = PADICI_MUL(scale, a.re);
            a.im = PADICI_MUL(scale, a.im);
            PADICI_HK(put_pairs)((PADICI_REAL *)(void *)at,
                                 left < PADICI_LANES ? (uint32_t)left : PADICI_LANES, a);
        }
    }
}

PADICI_TARGET static void PADICI_HK(load)(const padici_fft_view *view, void *block)
{
    PADICI_REAL *x = (PADICI_REAL *)block;
    if (PADICI_HK(plain_view)(view) && view->line == 2 * PADICI_REAL_SIZE) {
        if (view->lines < PADICI_LANES)
            PADICI_HK(load_columns)(view, view->lines, view->swapped, x);
        else if (view->swapped) PADICI_HK(load_columns)(view, PADICI_LANES, 1, x);
        else PADICI_HK(load_columns)(view, PADICI_LANES, 0, x);
    } else if (PADICI_HK(plain_view)(view) && view->element == 2 * PADICI_REAL_SIZE) {
        PADICI_HK(load_rows)(view, x);
    } else {
        padici_fft_load_any(view, PADICI_LANES, PADICI_REAL_SIZE == 8, block);
    }
}

PADICI_TARGET static void PADICI_HK(store)(const padici_fft_view *view, const void *block)
{
    const PADICI_REAL *x = (const PADICI_REAL *)block;
    if (PADICI_HK(plain_view)(view) && view->line == 2 * PADICI_REAL_SIZE) {
        if (view->lines < PADICI_LANES)
            PADICI_HK(store_columns)(view, view->lines, view->swapped, x);
        else if (view->swapped) PADICI_HK(store_columns)(view, PADICI_LANES, 1, x);
        else PADICI_HK(store_columns)(view, PADICI_LANES, 0, x);
    } else if (PADICI_HK(plain_view)(view) && view->element == 2 * PADICI_REAL_SIZE) {
        PADICI_HK(store_rows)(view, x);
    } else {
        padici_fft_store_any(view, PADICI_LANES, PADICI_REAL_SIZE == 8, block);
    }
}

// The first stage, of columns; with a constant radix.
PADICI_TARGET PADICI_INLINE void PADICI_HK(load_stage_of)(uint32_t radix, uint32_t swapped,
                                                          uint32_t lines,
                                                          const padici_fft_view *view,
                                                          const padici_fft_stage *s,
                                                          PADICI_REAL *y)
{
    const size_t rest = (size_t)s->rest;
    const PADICI_REAL *w = (const PADICI_REAL *)s->twiddle;
    const int64_t apart = (int64_t)rest * view->element;
    const char *at = view->at;
    size_t p;
    uint32_t k;
    for (p = 0; p < rest; p++, at += view->element, w += 2 * (radix - 1)) {
        PADICI_NUMBER a[8];
        PADICI_UNROLL_ALL
        for (k = 0; k < radix; k++)
            a[k] = PADICI_HK(swapped)(
                PADICI_HK(get_pairs)((const PADICI_REAL *)(const void *)(at + k * apart), lines),
                swapped);
        PADICI_HK(dft)(radix, a);
        PADICI_HK(put)(y, a[0]);
        y += PADICI_VECTOR;
        if (rest == 1) { // all twiddles are 1
            PADICI_UNROLL_ALL
            for (k = 1; k < radix; k++) PADICI_HK(put)(y + (k - 1) * PADICI_VECTOR, a[k]);
            return;
        }
        PADICI_UNROLL_ALL
        for (k = 1; k < radix; k++, y += PADICI_VECTOR)
            PADICI_HK(put)(y, PADICI_HK(times)(a[k], PADICI_SET(w[2 * k - 2]),
                                               PADICI_SET(w[2 * k - 1])));
    }
}

// The last stage, to columns.
PADICI_TARGET PADICI_INLINE void PADICI_HK(stage_store_of)(uint32_t radix, uint32_t swapped,
                                                           uint32_t lines,
                                                           const padici_fft_view *view,
                                                           const padici_fft_stage *s,
                                                           const PADICI_REAL *x)
{
    const PADICI_V scale = PADICI_SET((PADICI_REAL)view->scale);
    const size_t done = (size_t)s->done * PADICI_VECTOR;
    const int64_t apart = (int64_t)s->done * view->element;
    char *at = view->at;
    size_t q;
    uint32_t k;
    for (q = 0; q < done; q += PADICI_VECTOR, at += view->element) {
        PADICI_NUMBER a[8];
        PADICI_UNROLL_ALL
        for (k = 0; k < radix; k++) a[k] = PADICI_HK(get)(x + q + k * done);
        PADICI_HK(dft)(radix, a);
        PADICI_UNROLL_ALL
        for (k = 0; k < radix; k++) {
            a[k].re = PADICI_MUL(scale, a[k].re);
            a[k].im = PADICI_MUL(scale, a[k].im);
            PADICI_HK(put_pairs)((PADICI_REAL *)(void *)(at + k * apart), lines,
                                 PADICI_HK(swapped)(a[k], swapped));
        }
    }
}

#define PADICI_MOVING_STAGE(radix)                                                              \
    PADICI_TARGET static void PADICI_HK(load_##radix)(const padici_fft_view *view,              \
                                                      const padici_fft_stage *s, PADICI_REAL *y) \
    {                                                                                           \
        if (view->lines == PADICI_MIDDLE && !view->swapped)                                     \
            PADICI_HK(load_stage_of)(radix, 0, PADICI_MIDDLE, view, s, y);                      \
        else if (view->lines < PADICI_LANES)                                                    \
            PADICI_HK(load_stage_of)(radix, view->swapped, view->lines, view, s, y);            \
        else if (view->swapped) PADICI_HK(load_stage_of)(radix, 1, PADICI_LANES, view, s, y);   \
        else PADICI_HK(load_stage_of)(radix, 0, PADICI_LANES, view, s, y);                      \
    }                                                                                           \
    PADICI_TARGET static void PADICI_HK(store_##radix)(                                         \
        const padici_fft_view *view, const padici_fft_stage *s, const PADICI_REAL *x)           \
    {                                                                                           \
        if (view->lines == PADICI_MIDDLE && !view->swapped)                                     \
            PADICI_HK(stage_store_of)(radix, 0, PADICI_MIDDLE, view, s, x);                     \
        else if (view->lines < PADICI_LANES)                                                    \
            PADICI_HK(stage_store_of)(radix, view->swapped, view->lines, view, s, x);           \
        else if (view->swapped) PADICI_HK(stage_store_of)(radix, 1, PADICI_LANES, view, s, x);  \
        else PADICI_HK(stage_store_of)(radix, 0, PADICI_LANES, view, s, x);                     \
    }
PADICI_MOVING_STAGE(3)
PADICI_MOVING_STAGE(4)
PADICI_MOVING_STAGE(5)
PADICI_MOVING_STAGE(7)
PADICI_MOVING_STAGE(8)

PADICI_INLINE int PADICI_HK(all_columns)(const padici_fft_view *view, const padici_fft_stage *s)
{
    return PADICI_HK(plain_view)(view) && view->line == 2 * PADICI_REAL_SIZE &&
           s->radix != 2 && view->count == s->radix * s->rest * s->done;
}

PADICI_TARGET static void PADICI_HK(load_stage)(const padici_fft_view *view,
                                                const padici_fft_stage *s, void *x, void *y_)
{
    PADICI_REAL *y = (PADICI_REAL *)y_;
    if (!PADICI_HK(all_columns)(view, s)) {
        PADICI_HK(load)(view, x);
        PADICI_HK(stage)(s, x, y);
        return;
    }
    switch (s->radix) {
    case 3: PADICI_HK(load_3)(view, s, y); break;
    case 4: PADICI_HK(load_4)(view, s, y); break;
    case 5: PADICI_HK(load_5)(view, s, y); break;
    case 7: PADICI_HK(load_7)(view, s, y); break;
    default: PADICI_HK(load_8)(view, s, y);
    }
}

PADICI_TARGET static void PADICI_HK(stage_store)(const padici_fft_view *view,
                                                 const padici_fft_stage *s, const void *x_, void *y)
{
    const PADICI_REAL *x = (const PADICI_REAL *)x_;
    if (!PADICI_HK(all_columns)(view, s)) {
        PADICI_HK(stage)(s, x, y);
        PADICI_HK(store)(view, y);
        return;
    }
    switch (s->radix) {
    case 3: PADICI_HK(store_3)(view, s, x); break;
    case 4: PADICI_HK(store_4)(view, s, x); break;
    case 5: PADICI_HK(store_5)(view, s, x); break;
    case 7: PADICI_HK(store_7)(view, s, x); break;
    default: PADICI_HK(store_8)(view, s, x);
    }
}

// The numbers from `row` on, `most` of them, times their twiddles; zeros beyond the last row.
PADICI_TARGET PADICI_INLINE void PADICI_HK(twisted)(const padici_fft_twist *t, const PADICI_REAL *x,
                                                    uint64_t row, uint32_t most,
                                                    PADICI_REAL *rows)
{
    const PADICI_REAL *w = (const PADICI_REAL *)t->twiddle + row * PADICI_VECTOR;
    const PADICI_REAL *f = (const PADICI_REAL *)t->factor;
    const uint32_t count = t->rows - row < most ? (uint32_t)(t->rows - row) : most;
    uint32_t i;
    x += row * PADICI_VECTOR;
    if (f) f += 2 * row;
    for (i = 0; i < count; i++, x += PADICI_VECTOR, w += PADICI_VECTOR, rows += PADICI_VECTOR) {
        PADICI_NUMBER a = PADICI_HK(get)(x);
        if (f) a = PADICI_HK(times)(a, PADICI_SET(f[2 * i]), PADICI_SET(f[2 * i + 1]));
        PADICI_HK(put)(rows, PADICI_HK(times)(a, PADICI_LOAD(w), PADICI_LOAD(w + PADICI_LANES)));
    }
    for (; i < most; i++, rows += PADICI_VECTOR) {
        PADICI_STORE(rows, PADICI_NONE);
        PADICI_STORE(rows + PADICI_LANES, PADICI_NONE);
    }
}

PADICI_TARGET PADICI_INLINE void PADICI_HK(turn_both)(uint32_t half, const PADICI_REAL *rows,
                                                      PADICI_REAL *y, uint32_t columns)
{
    PADICI_HK(turn_of)(half, rows, PADICI_VECTOR, y, PADICI_VECTOR, columns);
    PADICI_HK(turn_of)(half, rows + PADICI_LANES, PADICI_VECTOR, y + PADICI_LANES, PADICI_VECTOR,
                       columns);
}

PADICI_TARGET static void PADICI_HK(twist)(const padici_fft_twist *t, const void *block)
{
    PADICI_ROWS(rows);
    char *to = t->to;
    uint64_t row;
    for (row = 0; row < t->rows; row += PADICI_LANES, to += t->next) {
        PADICI_REAL *y = (PADICI_REAL *)(void *)to;
        if (t->rows - row <= PADICI_MIDDLE) { // lanes beyond are no rows, whatever they hold
            PADICI_HK(twisted)(t, (const PADICI_REAL *)block, row, PADICI_MIDDLE, rows);
            if (t->columns == PADICI_LANES) PADICI_HK(turn_both)(1, rows, y, PADICI_LANES);
            else if (t->columns == PADICI_MIDDLE) PADICI_HK(turn_both)(1, rows, y, PADICI_MIDDLE);
            else PADICI_HK(turn_both)(1, rows, y, t->columns);
        } else {
            PADICI_HK(twisted)(t, (const PADICI_REAL *)block, row, PADICI_LANES, rows);
            if (t->columns == PADICI_LANES) PADICI_HK(turn_both)(0, rows, y, PADICI_LANES);
            else PADICI_HK(turn_both)(0, rows, y, t->columns);
        }
    }
}

#endif
// room: src/simd/fft/whole.c
// @per-level
#if !defined(PADIC_NO_FFT) && PADICI_ISA_LEVEL == 3 && PADICI_REAL_SIZE == 4

// Lines in f32 as matrices whose rows have 16 elements, each of them 4 x 4: these stay in
// registers, and lines of 4 or 8 rows altogether.

// Four vectors and their four blocks change places; four vectors and the lanes of each block.
PADICI_TARGET PADICI_INLINE void PADICI_HK(turn_blocks)(PADICI_V *v)
{
    const PADICI_V a = _mm512_shuffle_f32x4(v[0], v[1], 0x44);
    const PADICI_V b = _mm512_shuffle_f32x4(v[0], v[1], 0xee);
    const PADICI_V c = _mm512_shuffle_f32x4(v[2], v[3], 0x44);
    const PADICI_V d = _mm512_shuffle_f32x4(v[2], v[3], 0xee);
    v[0] = _mm512_shuffle_f32x4(a, c, 0x88);
    v[1] = _mm512_shuffle_f32x4(a, c, 0xdd);
    v[2] = _mm512_shuffle_f32x4(b, d, 0x88);
    v[3] = _mm512_shuffle_f32x4(b, d, 0xdd);
}

PADICI_TARGET PADICI_INLINE void PADICI_HK(turn_lanes)(PADICI_V *v)
{
    const PADICI_V a = _mm512_unpacklo_ps(v[0], v[1]), b = _mm512_unpackhi_ps(v[0], v[1]);
    const PADICI_V c = _mm512_unpacklo_ps(v[2], v[3]), d = _mm512_unpackhi_ps(v[2], v[3]);
    v[0] = _mm512_shuffle_ps(a, c, 0x44);
    v[1] = _mm512_shuffle_ps(a, c, 0xee);
    v[2] = _mm512_shuffle_ps(b, d, 0x44);
    v[3] = _mm512_shuffle_ps(b, d, 0xee);
}

// Four rows of 16, element 4 a + b in lane b of block a: element c + 4 d of row k comes to lane c
// of block k of number d.
PADICI_TARGET PADICI_INLINE void PADICI_HK(rows_of_16)(PADICI_NUMBER *x)
{
    static const float w[3][2][4] = { // exp(-2 pi i b c / 16), c = 1 to 3
        {{1, 0.92387953251f, 0.70710678119f, 0.38268343236f},
         {0, -0.38268343236f, -0.70710678119f, -0.92387953251f}},
        {{1, 0.70710678119f, 0, -0.70710678119f}, {0, -0.70710678119f, -1, -0.70710678119f}},
        {{1, 0.38268343236f, -0.70710678119f, -0.92387953251f},
         {0, -0.92387953251f, -0.70710678119f, 0.38268343236f}}};
    PADICI_V re[4], im[4];
    uint32_t i;
    PADICI_UNROLL_ALL
    for (i = 0; i < 4; i++) re[i] = x[i].re, im[i] = x[i].im;
    PADICI_HK(turn_blocks)(re);
    PADICI_HK(turn_blocks)(im);
    PADICI_UNROLL_ALL
    for (i = 0; i < 4; i++) x[i].re = re[i], x[i].im = im[i];
    PADICI_HK(four)(x, x + 1, x + 2, x + 3);
    PADICI_UNROLL_ALL
    for (i = 1; i < 4; i++)
        x[i] = PADICI_HK(times)(x[i], _mm512_broadcast_f32x4(_mm_loadu_ps(w[i - 1][0])),
                                _mm512_broadcast_f32x4(_mm_loadu_ps(w[i - 1][1])));
    PADICI_UNROLL_ALL
    for (i = 0; i < 4; i++) re[i] = x[i].re, im[i] = x[i].im;
    PADICI_HK(turn_lanes)(re);
    PADICI_HK(turn_lanes)(im);
    PADICI_UNROLL_ALL
    for (i = 0; i < 4; i++) x[i].re = re[i], x[i].im = im[i];
    PADICI_HK(four)(x, x + 1, x + 2, x + 3);
}

// Numbers of rows_of_16() to where `rows` rows of a line begin whose matrix has n1: element k2 of
// row k is number k + n1 k2.
PADICI_TARGET PADICI_INLINE void PADICI_HK(put_rows)(uint32_t rows, uint32_t swapped,
                                                     PADICI_V scale, PADICI_NUMBER *x,
                                                     PADICI_REAL *out, size_t n1)
{
    const __m512i first = _mm512_setr_epi32(0, 16, 4, 20, 8, 24, 12, 28, 1, 17, 5, 21, 9, 25, 13,
                                            29);
    const __m512i second = _mm512_add_epi32(first, _mm512_set1_epi32(2));
    uint32_t i;
    PADICI_UNROLL_ALL
    for (i = 0; i < rows; i++) {
        x[i].re = PADICI_MUL(scale, x[i].re);
        x[i].im = PADICI_MUL(scale, x[i].im);
        x[i] = PADICI_HK(swapped)(x[i], swapped);
    }
    PADICI_UNROLL_ALL
    for (i = 0; i < 4; i++) {
        const PADICI_V a = _mm512_permutex2var_ps(x[i].re, first, x[i].im);
        const PADICI_V b = _mm512_permutex2var_ps(x[i].re, second, x[i].im);
        PADICI_REAL *to = out + 8 * i * n1;
        if (rows == 4) {
            PADICI_STORE(to, a);
            PADICI_STORE(to + PADICI_LANES, b);
        } else {
            const PADICI_V c = _mm512_permutex2var_ps(x[i + 4].re, first, x[i + 4].im);
            const PADICI_V d = _mm512_permutex2var_ps(x[i + 4].re, second, x[i + 4].im);
            PADICI_STORE(to, _mm512_shuffle_f32x4(a, c, 0x44));
            PADICI_STORE(to + 2 * n1, _mm512_shuffle_f32x4(a, c, 0xee));
            PADICI_STORE(to + 4 * n1, _mm512_shuffle_f32x4(b, d, 0x44));
            PADICI_STORE(to + 6 * n1, _mm512_shuffle_f32x4(b, d, 0xee));
        }
    }
}

PADICI_TARGET PADICI_INLINE PADICI_NUMBER PADICI_HK(twiddled)(PADICI_NUMBER x, const PADICI_REAL *w)
{
    return PADICI_HK(times)(x, PADICI_LOAD(w), PADICI_LOAD(w + PADICI_LANES));
}

// Lines of 4 or 8 rows.
PADICI_TARGET PADICI_INLINE void PADICI_HK(whole_of)(uint32_t rows, uint32_t swapped,
                                                     const padici_fft_whole_line *line)
{
    const PADICI_REAL *in = (const PADICI_REAL *)line->in;
    const PADICI_REAL *w = (const PADICI_REAL *)line->twiddle;
    PADICI_NUMBER x[8];
    uint32_t i;
    PADICI_UNROLL_ALL
    for (i = 0; i < rows; i++)
        x[i] = PADICI_HK(swapped)(PADICI_HK(get_pairs)(in + i * PADICI_VECTOR, PADICI_LANES),
                                  swapped);
    PADICI_HK(dft)(rows, x);
    PADICI_UNROLL_ALL
    for (i = 1; i < rows; i++) x[i] = PADICI_HK(twiddled)(x[i], w + i * PADICI_VECTOR);
    PADICI_HK(rows_of_16)(x);
    if (rows == 8) PADICI_HK(rows_of_16)(x + 4);
    PADICI_HK(put_rows)(rows, swapped, PADICI_SET((PADICI_REAL)line->scale), x,
                        (PADICI_REAL *)line->out, rows);
}

// The rows of a line whose columns are done, as a block of 16 lines.
PADICI_TARGET PADICI_INLINE void PADICI_HK(rows_of)(uint32_t swapped,
                                                    const padici_fft_whole_line *line)
{
    const PADICI_REAL *in = (const PADICI_REAL *)line->in;
    const PADICI_REAL *w = (const PADICI_REAL *)line->twiddle;
    const size_t n1 = (size_t)line->n / 16;
    size_t row;
    uint32_t i;
    for (row = 0; row < n1; row += 8, in += 8 * PADICI_VECTOR, w += 8 * PADICI_VECTOR) {
        PADICI_NUMBER x[8];
        PADICI_UNROLL_ALL
        for (i = 0; i < 8; i++)
            x[i] = PADICI_HK(twiddled)(PADICI_HK(get)(in + i * PADICI_VECTOR),
                                       w + i * PADICI_VECTOR);
        PADICI_HK(rows_of_16)(x);
        PADICI_HK(rows_of_16)(x + 4);
        PADICI_HK(put_rows)(8, swapped, PADICI_SET((PADICI_REAL)line->scale), x,
                            (PADICI_REAL *)line->out + 2 * row, n1);
    }
}

PADICI_TARGET static void PADICI_HK(whole)(const padici_fft_whole_line *line)
{
    if (line->n > 128 && line->swapped) PADICI_HK(rows_of)(1, line);
    else if (line->n > 128) PADICI_HK(rows_of)(0, line);
    else if (line->n == 64 && line->swapped) PADICI_HK(whole_of)(4, 1, line);
    else if (line->n == 64) PADICI_HK(whole_of)(4, 0, line);
    else if (line->swapped) PADICI_HK(whole_of)(8, 1, line);
    else PADICI_HK(whole_of)(8, 0, line);
}

#endif
// room: src/simd/fft/reals.c
// @per-level
#ifndef PADIC_NO_FFT

// Spectra of reals from those of pairs, and back; products. As in src/fft/plain.c.

PADICI_TARGET static void PADICI_HK(split)(uint64_t n, uint32_t lanes, const void *roots,
                                           void *block)
{
    const PADICI_REAL *w = (const PADICI_REAL *)roots;
    const PADICI_REAL half = (PADICI_REAL)0.5;
    const uint64_t h = n / 2;
    uint64_t k;
    uint32_t l;
    for (k = 0; 2 * k <= h; k++, w += 2) {
        PADICI_REAL *a = (PADICI_REAL *)block + 2 * k * lanes;
        PADICI_REAL *b = (PADICI_REAL *)block + 2 * (h - k) * lanes;
        const PADICI_REAL *z = k ? b : a;
        for (l = 0; l < lanes; l++) {
            const PADICI_REAL er = half * (a[l] + z[l]), ei = half * (a[l + lanes] - z[l + lanes]);
            const PADICI_REAL dr = half * (a[l + lanes] + z[l + lanes]), di = half * (z[l] - a[l]);
            const PADICI_REAL tr = w[0] * dr - w[1] * di, ti = w[0] * di + w[1] * dr;
            a[l] = er + tr;
            a[l + lanes] = ei + ti;
            b[l] = er - tr;
            b[l + lanes] = ti - ei;
        }
    }
}

PADICI_TARGET static void PADICI_HK(merge)(uint64_t n, uint32_t lanes, const void *roots,
                                           void *block)
{
    const PADICI_REAL *w = (const PADICI_REAL *)roots;
    const uint64_t h = n / 2;
    uint64_t k;
    uint32_t l;
    for (k = 0; 2 * k <= h; k++, w += 2) {
        PADICI_REAL *a = (PADICI_REAL *)block + 2 * k * lanes;
        PADICI_REAL *b = (PADICI_REAL *)block + 2 * (h - k) * lanes;
        for (l = 0; l < lanes; l++) {
            const PADICI_REAL ai = k ? a[l + lanes] : 0, bi = k ? b[l + lanes] : 0;
            const PADICI_REAL er = a[l] + b[l], ei = ai - bi;
            const PADICI_REAL dr = a[l] - b[l], di = ai + bi;
            const PADICI_REAL tr = w[0] * dr + w[1] * di, ti = w[0] * di - w[1] * dr;
            b[l + lanes] = er + ti;
            b[l] = tr - ei;
            a[l + lanes] = er - ti;
            a[l] = ei + tr;
        }
    }
}

PADICI_TARGET static void PADICI_HK(multiply)(uint64_t n, const void *factors, void *line)
{
    const PADICI_REAL *w = (const PADICI_REAL *)factors;
    PADICI_REAL *x = (PADICI_REAL *)line;
    uint64_t left;
    for (left = n; left; w += PADICI_VECTOR, x += PADICI_VECTOR) {
        const uint32_t count = left < PADICI_LANES ? (uint32_t)left : PADICI_LANES;
        const PADICI_NUMBER f = PADICI_HK(get_pairs)(w, count);
        PADICI_HK(put_pairs)(x, count,
                             PADICI_HK(times)(PADICI_HK(get_pairs)(x, count), f.re, f.im));
        left -= count;
    }
}

PADICI_FN const padici_fft_kernels *PADICI_HK(kernels)(void)
{
    static const padici_fft_kernels kernels = {
        PADICI_LANES,     PADICI_REAL_SIZE == 8, PADICI_WIDEST,    PADICI_HK(stage),
        PADICI_HK(load),  PADICI_HK(store), PADICI_HK(load_stage), PADICI_HK(stage_store),
        PADICI_HK(twist), PADICI_HK(split),
        PADICI_HK(merge), PADICI_HK(multiply),
#if PADICI_ISA_LEVEL == 3 && PADICI_REAL_SIZE == 4
        PADICI_HK(whole)
#else
        NULL
#endif
    };
    return &kernels;
}

#endif
// room: src/simd/field/steps.c
// @per-level
#if !defined(PADIC_NO_FIELD) && !defined(PADIC_NO_FFT)

// Rows and blocks of split steps, over the words of Fourier transforms. TURNS: a vector of integers
// as wide as reals. ODD: a where the low bit of n is set, else b. FLIP: x, negative where its
// second bit is. FAR: whether one of them is not below `limit`.
#define PADICI_TOP (8 * PADICI_REAL_SIZE - 1)
#if PADICI_ISA_LEVEL == 3
#define PADICI_TURNS __m512i
#define PADICI_XOR _mm512_xor_si512
#define PADICI_REALS PADICI_R(castsi512)
#define PADICI_ODD(n, a, b) PADICI_R(mask_blend)(PADICI_SIGNS(PADICI_SHL(n, PADICI_TOP)), b, a)
#if PADICI_REAL_SIZE == 4
#define PADICI_BITS _mm512_castps_si512
#define PADICI_SHL _mm512_slli_epi32
#define PADICI_SHR _mm512_srli_epi32
#define PADICI_SIGNS _mm512_movepi32_mask
#define PADICI_FAR(x, limit)                                                                    \
    _mm512_cmp_ps_mask(_mm512_abs_ps(x), _mm512_set1_ps(limit), _CMP_NLT_UQ)
#else
#define PADICI_BITS _mm512_castpd_si512
#define PADICI_SHL _mm512_slli_epi64
#define PADICI_SHR _mm512_srli_epi64
#define PADICI_SIGNS _mm512_movepi64_mask
#define PADICI_FAR(x, limit)                                                                    \
    _mm512_cmp_pd_mask(_mm512_abs_pd(x), _mm512_set1_pd(limit), _CMP_NLT_UQ)
#endif
#elif PADICI_ISA_LEVEL == 2
#define PADICI_TURNS __m256i
#define PADICI_XOR _mm256_xor_si256
#define PADICI_REALS PADICI_R(castsi256)
#define PADICI_ODD(n, a, b) PADICI_R(blendv)(b, a, PADICI_REALS(PADICI_SHL(n, PADICI_TOP)))
#define PADICI_FAR(x, limit)                                                                    \
    PADICI_R(movemask)(PADICI_R(cmp)(PADICI_R(andnot)(PADICI_SET(-0.0f), x), PADICI_SET(limit), \
                                     _CMP_NLT_UQ))
#if PADICI_REAL_SIZE == 4
#define PADICI_BITS _mm256_castps_si256
#define PADICI_SHL _mm256_slli_epi32
#define PADICI_SHR _mm256_srli_epi32
#else
#define PADICI_BITS _mm256_castpd_si256
#define PADICI_SHL _mm256_slli_epi64
#define PADICI_SHR _mm256_srli_epi64
#endif
#elif PADICI_REAL_SIZE == 4
#define PADICI_TURNS uint32x4_t
#define PADICI_XOR veorq_u32
#define PADICI_REALS vreinterpretq_f32_u32
#define PADICI_BITS vreinterpretq_u32_f32
#define PADICI_SHL vshlq_n_u32
#define PADICI_SHR vshrq_n_u32
#define PADICI_ODD(n, a, b) vbslq_f32(vtstq_u32(n, vdupq_n_u32(1)), a, b)
#define PADICI_FAR(x, limit) !vminvq_u32(vcaltq_f32(x, vdupq_n_f32(limit)))
#else
#define PADICI_TURNS uint64x2_t
#define PADICI_XOR veorq_u64
#define PADICI_REALS vreinterpretq_f64_u64
#define PADICI_BITS vreinterpretq_u64_f64
#define PADICI_SHL vshlq_n_u64
#define PADICI_SHR vshrq_n_u64
#define PADICI_ODD(n, a, b) vbslq_f64(vtstq_u64(n, vdupq_n_u64(1)), a, b)
#define PADICI_FAR(x, limit)                                                                    \
    !vminvq_u32(vreinterpretq_u32_u64(vcaltq_f64(x, vdupq_n_f64(limit))))
#endif
#define PADICI_FLIP(n, x)                                                                       \
    PADICI_REALS(PADICI_XOR(PADICI_BITS(x), PADICI_SHL(PADICI_SHR(n, 1), PADICI_TOP)))
#define PADICI_HORNER(a, b) PADICI_FMA(z, b, PADICI_SET((PADICI_REAL)(a))) // a + z b

// Exact to an ulp below these; and of angles in f32 nothing is left far beyond.
#if PADICI_REAL_SIZE == 4
#define PADICI_LARGEST 64.0f
#define PADICI_ROUNDER 12582912.0f // 1.5 2^23: rounds to integers
#else
#define PADICI_LARGEST 1e5
#define PADICI_ROUNDER 6755399441055744.0 // 1.5 2^52
#endif

// e^(i x): reduced by parts of pi/2; polynomials of Cephes in f32, of fdlibm in f64.
PADICI_TARGET PADICI_INLINE PADICI_NUMBER PADICI_LRK(turn)(PADICI_V x)
{
    const PADICI_V rounder = PADICI_SET(PADICI_ROUNDER);
    const PADICI_V y = PADICI_FMA(x, PADICI_SET((PADICI_REAL)0.63661977236758134308), rounder);
    const PADICI_V q = PADICI_SUB(y, rounder);
    const PADICI_TURNS n = PADICI_BITS(y);
    PADICI_V r, z, s, c;
    PADICI_NUMBER out;
#if PADICI_REAL_SIZE == 4
    r = PADICI_FNMA(q, PADICI_SET(1.57079637050628662109f), x);
    r = PADICI_FNMA(q, PADICI_SET(-4.37113900018624283e-8f), r);
    z = PADICI_MUL(r, r);
    s = PADICI_HORNER(8.3321608736e-3, PADICI_SET(-1.9515295891e-4f));
    s = PADICI_HORNER(-1.6666654611e-1, s);
    c = PADICI_HORNER(-1.388731625493765e-3, PADICI_SET(2.443315711809948e-5f));
    c = PADICI_HORNER(4.166664568298827e-2, c);
#else
    r = PADICI_FNMA(q, PADICI_SET(1.57079632673412561417), x);
    r = PADICI_FNMA(q, PADICI_SET(6.07710050630396597660e-11), r);
    r = PADICI_FNMA(q, PADICI_SET(2.02226624879595063154e-21), r);
    z = PADICI_MUL(r, r);
    s = PADICI_HORNER(-2.50507602534068634195e-08, PADICI_SET(1.58969099521155010221e-10));
    s = PADICI_HORNER(2.75573137070700676789e-06, s);
    s = PADICI_HORNER(-1.98412698298579493134e-04, s);
    s = PADICI_HORNER(8.33333333332248946124e-03, s);
    s = PADICI_HORNER(-1.66666666666666324348e-01, s);
    c = PADICI_HORNER(2.08757232129817482790e-09, PADICI_SET(-1.13596475577881948265e-11));
    c = PADICI_HORNER(-2.75573143513906633035e-07, c);
    c = PADICI_HORNER(2.48015872894767294178e-05, c);
    c = PADICI_HORNER(-1.38888888888741095749e-03, c);
    c = PADICI_HORNER(4.16666666666666019037e-02, c);
#endif
    s = PADICI_FMA(PADICI_MUL(r, z), s, r);
    c = PADICI_HORNER(-0.5, c);
    c = PADICI_HORNER(1, c);
    out.re = PADICI_FLIP(PADICI_XOR(n, PADICI_SHL(n, 1)), PADICI_ODD(n, s, c));
    out.im = PADICI_FLIP(n, PADICI_ODD(n, c, s));
    return out;
}

PADICI_TARGET PADICI_INLINE PADICI_V PADICI_LRK(root)(PADICI_V x)
{
#if PADICI_ISA_LEVEL >= 2
    return PADICI_R(sqrt)(x);
#else
    return PADICI_R(vsqrtq)(x);
#endif
}

// The angle of a number, from that without its density.
PADICI_TARGET PADICI_INLINE PADICI_V PADICI_LRK(angle)(const padici_field_phase_row *row,
                                                       PADICI_V angle, PADICI_NUMBER a)
{
    const PADICI_V rho = PADICI_FMA(a.re, a.re, PADICI_MUL(a.im, a.im));
    uint32_t j;
    for (j = 0; j < row->terms; j++) {
        const PADICI_V power = row->power[j] == 1   ? rho
                               : row->power[j] == 2 ? PADICI_MUL(rho, rho)
                                                    : PADICI_LRK(root)(rho);
        angle = PADICI_FMA(PADICI_SET((PADICI_REAL)row->scale[j]), power, angle);
    }
    return angle;
}

// One vector of a row, `n` its numbers. Returns 0 where it is left as it is.
PADICI_TARGET PADICI_INLINE int PADICI_LRK(phase_pairs)(const padici_field_phase_row *row,
                                                        PADICI_V angle, uint32_t n, PADICI_REAL *x)
{
    PADICI_NUMBER a = PADICI_HK(get_pairs)(x, n), turn;
    angle = PADICI_LRK(angle)(row, angle, a);
    if (PADICI_FAR(angle, PADICI_LARGEST)) return 0;
    turn = PADICI_LRK(turn)(angle);
    PADICI_HK(put_pairs)(x, n, PADICI_HK(times)(a, turn.re, turn.im));
    return 1;
}

PADICI_TARGET static uint64_t PADICI_LRK(phase)(const padici_field_phase_row *row)
{
    const PADICI_REAL *angle = (const PADICI_REAL *)row->angle;
    const PADICI_V base = PADICI_SET(*(const PADICI_REAL *)row->base);
    PADICI_REAL *x = (PADICI_REAL *)row->psi;
    uint64_t i;
    uint32_t rest;
    for (i = 0; i + PADICI_LANES <= row->count; i += PADICI_LANES)
        if (!PADICI_LRK(phase_pairs)(row, PADICI_ADD(base, PADICI_LOAD(angle + i)), PADICI_LANES,
                                     x + 2 * i))
            return i;
    rest = (uint32_t)(row->count - i);
    if (rest && !PADICI_LRK(phase_pairs)(row, PADICI_ADD(base, PADICI_PART_LOAD(angle + i, rest)),
                                         rest, x + 2 * i))
        return i;
    return row->count;
}

PADICI_TARGET static uint64_t PADICI_LRK(phase_block)(const padici_field_phase_row *row)
{
    const PADICI_REAL *angle = (const PADICI_REAL *)row->angle;
    const PADICI_V base = PADICI_LOAD((const PADICI_REAL *)row->base);
    PADICI_REAL *x = (PADICI_REAL *)row->psi;
    uint64_t i;
    for (i = 0; i < row->count; i++, x += PADICI_VECTOR) {
        const PADICI_NUMBER a = PADICI_HK(swapped)(PADICI_HK(get)(x), row->swapped);
        const PADICI_V all = PADICI_LRK(angle)(row, PADICI_ADD(base, PADICI_SET(angle[i])), a);
        PADICI_NUMBER turn;
        if (PADICI_FAR(all, PADICI_LARGEST)) break;
        turn = PADICI_LRK(turn)(all);
        PADICI_HK(put)(x, PADICI_HK(times)(a, turn.re, turn.im));
    }
    return i;
}

PADICI_TARGET static void PADICI_LRK(angles)(const padici_field_angle_row *row)
{
    const double *v = row->potential;
    PADICI_REAL *out = (PADICI_REAL *)row->out;
    const double rounder = 6755399441055744.0;
    uint64_t i;
    for (i = 0; i < row->count; i++) {
        double x = -row->time * (v ? row->trap[i] + v[i] : row->trap[i]);
        if (PADICI_REAL_SIZE == 4)
            x -= ((x * 0.15915494309189533577 + rounder) - rounder) * 6.28318530717958647692;
        out[i] = (PADICI_REAL)x;
    }
}

PADICI_TARGET static void PADICI_LRK(drift)(const padici_field_drift_row *row)
{
    const PADICI_REAL *k = (const PADICI_REAL *)row->k, *turn = (const PADICI_REAL *)row->turn;
    const PADICI_V re = PADICI_SET(turn[0]), im = PADICI_SET(turn[1]);
    PADICI_REAL *x = (PADICI_REAL *)row->psi;
    uint64_t left = row->count;
    while (left) {
        const uint32_t n = left < PADICI_LANES ? (uint32_t)left : PADICI_LANES;
        const PADICI_NUMBER f = PADICI_HK(times)(PADICI_HK(get_pairs)(k, n), re, im);
        PADICI_HK(put_pairs)(x, n, PADICI_HK(times)(PADICI_HK(get_pairs)(x, n), f.re, f.im));
        left -= n;
        x += 2 * n;
        k += 2 * n;
    }
}

PADICI_TARGET static void PADICI_LRK(drift_block)(const padici_field_drift_row *row)
{
    const PADICI_REAL *k = (const PADICI_REAL *)row->k, *turn = (const PADICI_REAL *)row->turn;
    const PADICI_V re = PADICI_LOAD(turn), im = PADICI_LOAD(turn + PADICI_LANES);
    PADICI_REAL *x = (PADICI_REAL *)row->psi;
    uint64_t i;
    for (i = 0; i < row->count; i++, x += PADICI_VECTOR, k += 2) {
        PADICI_NUMBER a = PADICI_HK(times)(PADICI_HK(get)(x), re, im);
        a = PADICI_HK(times)(a, PADICI_SET(k[0]), PADICI_SET(k[1]));
        PADICI_HK(put)(x, PADICI_HK(swapped)(a, 1));
    }
}

PADICI_FN const padici_field_kernels *PADICI_LRK(kernels)(void)
{
    static const padici_field_kernels kernels = {
        PADICI_REAL_SIZE == 8,   PADICI_LRK(angles), PADICI_LRK(phase),
        PADICI_LRK(phase_block), PADICI_LRK(drift),  PADICI_LRK(drift_block)};
    return &kernels;
}

#undef PADICI_TOP
#undef PADICI_TURNS
#undef PADICI_XOR
#undef PADICI_REALS
#undef PADICI_ODD
#undef PADICI_BITS
#undef PADICI_SHL
#undef PADICI_SHR
#undef PADICI_SIGNS
#undef PADICI_FAR
#undef PADICI_FLIP
#undef PADICI_HORNER
#undef PADICI_LARGEST
#undef PADICI_ROUNDER

#endif
// room: src/made/fft_level_end.h
#undef PADICI_MOVING_STAGE
#undef PADICI_STAGE_OF
#undef PADICI_TARGET
#undef PADICI_LANES
#undef PADICI_WIDEST
#undef PADICI_PART_MASK
#undef PADICI_V
#undef PADICI_R
#undef PADICI_PART_LOAD
#undef PADICI_PART_STORE
#undef PADICI_LOW_1
#undef PADICI_HIGH_1
#undef PADICI_LOW_2
#undef PADICI_HIGH_2
#undef PADICI_PARTS
#undef PADICI_HALF
#undef PADICI_NONE
#undef PADICI_SET
#undef PADICI_LOAD
#undef PADICI_STORE
#undef PADICI_ADD
#undef PADICI_SUB
#undef PADICI_MUL
#undef PADICI_FMA
#undef PADICI_FNMA
#undef PADICI_VECTOR
#undef PADICI_NUMBER
#undef PADICI_ROWS
#undef PADICI_PART
#undef PADICI_MIDDLE
#undef PADICI_TURNED
// room: src/simd/rnn/words.c
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
// room: src/simd/rnn/exponentials.c
// @per-level
#if (!defined(PADIC_NO_RNN) || !defined(PADIC_NO_ROLLOUT)) && PADICI_REAL_SIZE == 4

// tanh and s by one polynomial: with n the integer nearest to y log2(e) and r = y - n ln 2,
// |r| <= ln(2) / 2, e^r - 1 = r + r^2 q(r), q of degree 5 by Taylor: 2e-8 of it at most.
PADICI_TARGET PADICI_INLINE PADICI_V PADICI_RK(reduced)(PADICI_V y, PADICI_W *n)
{
    PADICI_V r, q, whole;
    *n = PADICI_WHOLE(PADICI_MUL(y, PADICI_SET(1.44269504f)));
    whole = PADICI_FLOAT(*n);
    r = PADICI_FMA(whole, PADICI_SET(-0.693145752f), y);
    r = PADICI_FMA(whole, PADICI_SET(-1.42860677e-6f), r);
    q = PADICI_FMA(r, PADICI_SET(1.0f / 5040), PADICI_SET(1.0f / 720));
    q = PADICI_FMA(r, q, PADICI_SET(1.0f / 120));
    q = PADICI_FMA(r, q, PADICI_SET(1.0f / 24));
    q = PADICI_FMA(r, q, PADICI_SET(1.0f / 6));
    q = PADICI_FMA(r, q, PADICI_SET(0.5f));
    return PADICI_FMA(PADICI_MUL(r, r), q, r);
}

// With e = e^-|x|: 1 / (1 + e), or e / (1 + e) of negative x.
PADICI_TARGET PADICI_INLINE PADICI_V PADICI_RK(sigmoid)(PADICI_V x)
{
    const PADICI_V one = PADICI_SET(1), size = PADICI_LEAST(PADICI_SET(105), PADICI_MAGNITUDE(x));
    PADICI_W n, half;
    PADICI_V e = PADICI_RK(reduced)(PADICI_SUB(PADICI_NONE, size), &n);
    half = PADICI_HALVED(n); // so that e may be below the least normal number
    e = PADICI_MUL(PADICI_MUL(PADICI_ADD(e, one), PADICI_POWER(half)),
                   PADICI_POWER(PADICI_LESS(n, half)));
    return PADICI_DIV(PADICI_IF_NEGATIVE(x, e, one), PADICI_ADD(one, e));
}

// With t = e^(-2|x|) - 1: -t / (2 + t), and the sign.
PADICI_TARGET PADICI_INLINE PADICI_V PADICI_RK(tanh)(PADICI_V x)
{
    const PADICI_V size = PADICI_LEAST(PADICI_SET(10), PADICI_MAGNITUDE(x));
    PADICI_W n;
    const PADICI_V e = PADICI_RK(reduced)(PADICI_MUL(PADICI_SET(-2), size), &n);
    const PADICI_V power = PADICI_POWER(n);
    const PADICI_V t = PADICI_FMA(power, e, PADICI_SUB(power, PADICI_SET(1)));
    return PADICI_SIGNED(PADICI_DIV(PADICI_SUB(PADICI_NONE, t), PADICI_ADD(PADICI_SET(2), t)), x);
}

#endif
// room: src/simd/rnn/product.c
// @per-level
#if !defined(PADIC_NO_RNN) && PADICI_REAL_SIZE == 4

// sums += x W^T. Each sum is a chain over 128 columns at a time, whatever rows are beside it. n,
// rows and dtype are constant where a function is called.

// n vectors of a column of a panel.
PADICI_TARGET PADICI_INLINE void PADICI_RK(weights)(padic_dtype dtype, uint32_t n, const char *p,
                                                    PADICI_V *w)
{
    uint32_t v;
    PADICI_UNROLL_ALL
    for (v = 0; v < n; v++) {
        if (dtype == PADIC_F32) {
            w[v] = PADICI_LOAD((const float *)(const void *)p + v * PADICI_LANES);
        } else if (dtype == PADIC_F16) {
            w[v] = PADICI_HALF(p + 2 * v * PADICI_LANES);
        } else if (dtype == PADIC_I8) {
            w[v] = PADICI_BYTES(p + v * PADICI_LANES);
        } else if (v % 2 == 0) {
            const PADICI_W pair = PADICI_PAIR(p + 2 * v * PADICI_LANES);
            w[v] = PADICI_EVEN(pair);
            w[v + 1] = PADICI_ODD(pair);
        }
    }
}

// A block of columns of a panel by some rows of x, added to the first `count` sums of each.
PADICI_TARGET PADICI_INLINE void PADICI_RK(tile)(padic_dtype dtype, uint32_t n, uint32_t rows,
                                                 uint32_t depth, const char *p, const float *x,
                                                 uint64_t x_step, const float *scale, float *sums,
                                                 uint64_t sum_step, uint32_t count)
{
    const uint32_t bytes = PADICI_PANEL * (dtype == PADIC_F32 ? 4 : dtype == PADIC_I8 ? 1 : 2);
    PADICI_V acc[PADICI_ROWS][PADICI_VECTORS], w[PADICI_VECTORS];
    uint32_t i, v;
    PADICI_UNROLL_ALL
    for (i = 0; i < rows; i++)
        PADICI_UNROLL_ALL
        for (v = 0; v < n; v++) acc[i][v] = PADICI_NONE;
    for (; depth; depth--, p += bytes, x++) {
        PADICI_RK(weights)(dtype, n, p, w);
        PADICI_UNROLL_ALL
        for (i = 0; i < rows; i++) {
            const PADICI_V factor = PADICI_SET(x[i * x_step]);
            PADICI_UNROLL_ALL
            for (v = 0; v < n; v++) acc[i][v] = PADICI_FMA(factor, w[v], acc[i][v]);
        }
    }
    PADICI_UNROLL_ALL
    for (i = 0; i < rows; i++) {
        float *to = sums + i * sum_step;
        PADICI_UNROLL_ALL
        for (v = 0; v < n; v++) {
            const uint32_t first = v * PADICI_LANES;
            const uint32_t here = count < first ? 0 : count - first;
            const PADICI_V f = dtype == PADIC_I8 ? PADICI_LOAD(scale + first) : PADICI_SET(1);
            if (here >= PADICI_LANES)
                PADICI_STORE(to + first, PADICI_FMA(acc[i][v], f, PADICI_LOAD(to + first)));
            else if (here)
                PADICI_PART_STORE(to + first, here,
                                  PADICI_FMA(acc[i][v], f, PADICI_PART_LOAD(to + first, here)));
        }
    }
}

// All rows by a block of columns of a panel.
PADICI_TARGET PADICI_INLINE void PADICI_RK(strip)(padic_dtype dtype, uint32_t n,
                                                  const padici_rnn_product *q, uint32_t depth,
                                                  const char *p, const float *x, const float *scale,
                                                  float *sums, uint32_t count)
{
    uint64_t left = q->rows;
    for (; left >= PADICI_ROWS; left -= PADICI_ROWS) {
        PADICI_RK(tile)(dtype, n, PADICI_ROWS, depth, p, x, q->x_step, scale, sums, q->sum_step,
                        count);
        x += PADICI_ROWS * q->x_step;
        sums += PADICI_ROWS * q->sum_step;
    }
    for (; left >= 2; left -= 2) {
        PADICI_RK(tile)(dtype, n, 2, depth, p, x, q->x_step, scale, sums, q->sum_step, count);
        x += 2 * q->x_step;
        sums += 2 * q->sum_step;
    }
    if (left) PADICI_RK(tile)(dtype, n, 1, depth, p, x, q->x_step, scale, sums, q->sum_step, count);
}

PADICI_TARGET PADICI_INLINE void PADICI_RK(panels)(padic_dtype dtype, const padici_rnn_product *q)
{
    const padici_rnn_matrix *m = q->matrix;
    const uint64_t bytes = PADICI_PANEL * (dtype == PADIC_F32 ? 4 : dtype == PADIC_I8 ? 1 : 2);
    uint64_t first, k;
    for (first = 0; first < m->width; first += PADICI_PANEL) {
        const uint64_t more = m->width - first;
        const uint32_t count = more < PADICI_PANEL ? (uint32_t)more : PADICI_PANEL;
        const char *panel = (const char *)m->data + first / PADICI_PANEL * bytes * m->depth;
        const float *scale = m->scale ? (const float *)m->scale + first : NULL;
        for (k = 0; k < m->depth; k += PADICI_DEPTH) {
            const uint64_t left = m->depth - k;
            const uint32_t depth = left < PADICI_DEPTH ? (uint32_t)left : PADICI_DEPTH;
            const float *x = (const float *)q->x + k;
            float *sums = (float *)q->sums + first;
            if (count > 2 * PADICI_LANES)
                PADICI_RK(strip)(dtype, 4, q, depth, panel + k * bytes, x, scale, sums, count);
            else
                PADICI_RK(strip)(dtype, 2, q, depth, panel + k * bytes, x, scale, sums, count);
        }
    }
}

PADICI_TARGET static void PADICI_RK(panels_float)(const padici_rnn_product *q)
{
    PADICI_RK(panels)(PADIC_F32, q);
}

PADICI_TARGET static void PADICI_RK(panels_half)(const padici_rnn_product *q)
{
    PADICI_RK(panels)(PADIC_F16, q);
}

PADICI_TARGET static void PADICI_RK(panels_bfloat)(const padici_rnn_product *q)
{
    PADICI_RK(panels)(PADIC_BF16, q);
}

PADICI_TARGET static void PADICI_RK(panels_byte)(const padici_rnn_product *q)
{
    PADICI_RK(panels)(PADIC_I8, q);
}

// Rows as the caller has them: lanes along the columns.

PADICI_TARGET PADICI_INLINE PADICI_V PADICI_RK(stretch)(padic_dtype dtype, const char *p)
{
    if (dtype == PADIC_F32) return PADICI_LOAD((const float *)(const void *)p);
    if (dtype == PADIC_F16) return PADICI_HALF(p);
    if (dtype == PADIC_BF16) return PADICI_BFLOATS(p);
    return PADICI_BYTES(p);
}

// Dot products of n rows of weights, 8 or 1, with x.
PADICI_TARGET PADICI_INLINE void PADICI_RK(dots)(padic_dtype dtype, uint32_t n,
                                                 const padici_rnn_matrix *m, const char *row,
                                                 const float *x, float *dots)
{
    const uint32_t size = dtype == PADIC_F32 ? 4 : dtype == PADIC_I8 ? 1 : 2;
    char tail[4 * PADICI_LANES];
    PADICI_V acc[8];
    uint64_t k;
    uint32_t i;
    PADICI_UNROLL_ALL
    for (i = 0; i < n; i++) acc[i] = PADICI_NONE;
    for (k = 0; k + PADICI_LANES <= m->depth; k += PADICI_LANES) {
        const PADICI_V factor = PADICI_LOAD(x + k);
        PADICI_UNROLL_ALL
        for (i = 0; i < n; i++)
            acc[i] = PADICI_FMA(
                factor, PADICI_RK(stretch)(dtype, row + i * m->row_bytes + k * size), acc[i]);
    }
    PADICI_UNROLL_ALL
    for (i = 0; i < n; i++) {
        if (k < m->depth) {
            const uint32_t left = (uint32_t)(m->depth - k);
            memset(tail, 0, sizeof tail);
            memcpy(tail, row + i * m->row_bytes + k * size, (size_t)left * size);
            acc[i] = PADICI_FMA(PADICI_PART_LOAD(x + k, left), PADICI_RK(stretch)(dtype, tail),
                                acc[i]);
        }
    }
    if (n == 8) PADICI_RK(totals)(acc, dots);
    else dots[0] = PADICI_TOTAL(acc[0]);
}

PADICI_TARGET PADICI_INLINE void PADICI_RK(rows)(padic_dtype dtype, const padici_rnn_product *q)
{
    const padici_rnn_matrix *m = q->matrix;
    uint64_t first, r;
    for (first = 0; first < m->width; first += 8) {
        const uint32_t n = m->width - first < 8 ? (uint32_t)(m->width - first) : 8;
        const char *row = (const char *)m->data + first * m->row_bytes;
        for (r = 0; r < q->rows; r++) {
            const float *x = (const float *)q->x + r * q->x_step;
            float *sums = (float *)q->sums + r * q->sum_step + first;
            float dots[8];
            uint32_t i;
            if (n == 8) PADICI_RK(dots)(dtype, 8, m, row, x, dots);
            else
                for (i = 0; i < n; i++)
                    PADICI_RK(dots)(dtype, 1, m, row + i * m->row_bytes, x, dots + i);
            for (i = 0; i < n; i++) {
                if (m->row_scale) dots[i] *= m->row_scale[first + i];
                sums[i] += dots[i];
            }
        }
    }
}

PADICI_TARGET static void PADICI_RK(rows_any)(const padici_rnn_product *q)
{
    if (q->matrix->dtype == PADIC_F32) PADICI_RK(rows)(PADIC_F32, q);
    else if (q->matrix->dtype == PADIC_F16) PADICI_RK(rows)(PADIC_F16, q);
    else if (q->matrix->dtype == PADIC_BF16) PADICI_RK(rows)(PADIC_BF16, q);
    else PADICI_RK(rows)(PADIC_I8, q);
}

static void PADICI_RK(product)(const padici_rnn_product *q)
{
    if (q->matrix->row_bytes) PADICI_RK(rows_any)(q);
    else if (q->matrix->dtype == PADIC_F32) PADICI_RK(panels_float)(q);
    else if (q->matrix->dtype == PADIC_F16) PADICI_RK(panels_half)(q);
    else if (q->matrix->dtype == PADIC_BF16) PADICI_RK(panels_bfloat)(q);
    else PADICI_RK(panels_byte)(q);
}

// Columns of a panel of BF16: of two vectors every other one.
static const uint8_t *PADICI_RK(order)(padic_dtype dtype)
{
#define PADICI_PLACE(i)                                                                          \
    (uint8_t)((i) / (2 * PADICI_LANES) * (2 * PADICI_LANES) + 2 * ((i) % PADICI_LANES) +         \
              (i) / PADICI_LANES % 2)
#define PADICI_PLACES(i)                                                                         \
    PADICI_PLACE(i), PADICI_PLACE(i + 1), PADICI_PLACE(i + 2), PADICI_PLACE(i + 3)
    static const uint8_t places[64] = {
        PADICI_PLACES(0),  PADICI_PLACES(4),  PADICI_PLACES(8),  PADICI_PLACES(12),
        PADICI_PLACES(16), PADICI_PLACES(20), PADICI_PLACES(24), PADICI_PLACES(28),
        PADICI_PLACES(32), PADICI_PLACES(36), PADICI_PLACES(40), PADICI_PLACES(44),
        PADICI_PLACES(48), PADICI_PLACES(52), PADICI_PLACES(56), PADICI_PLACES(60)};
    return dtype == PADIC_BF16 ? places : NULL;
}

#endif
// room: src/simd/rnn/gates.c
// @per-level
#if !defined(PADIC_NO_RNN) && PADICI_REAL_SIZE == 4

PADICI_TARGET PADICI_INLINE PADICI_V PADICI_RK(some)(const float *p, uint32_t n)
{
    return n >= PADICI_LANES ? PADICI_LOAD(p) : PADICI_PART_LOAD(p, n);
}

PADICI_TARGET PADICI_INLINE void PADICI_RK(put)(float *p, uint32_t n, PADICI_V v)
{
    if (n >= PADICI_LANES) PADICI_STORE(p, v);
    else PADICI_PART_STORE(p, n, v);
}

#define PADICI_LEFT(all, i) ((all) - (i) < PADICI_LANES ? (uint32_t)((all) - (i)) : PADICI_LANES)

PADICI_TARGET static void PADICI_RK(gru_reset)(const padici_rnn_cell *cell)
{
    const float *sums = (const float *)cell->sums, *h = (const float *)cell->h;
    float *out = (float *)cell->out;
    uint64_t i;
    for (i = 0; i < cell->units; i += PADICI_LANES) {
        const uint32_t n = PADICI_LEFT(cell->units, i);
        PADICI_RK(put)(out + i, n, PADICI_MUL(PADICI_RK(sigmoid)(PADICI_RK(some)(sums + i, n)),
                                              PADICI_RK(some)(h + i, n)));
    }
}

PADICI_TARGET static void PADICI_RK(gru)(const padici_rnn_cell *cell)
{
    const uint64_t all = cell->units;
    const float *sums = (const float *)cell->sums, *fresh = (const float *)cell->fresh;
    const float *h = (const float *)cell->h;
    float *out = (float *)cell->out;
    uint64_t i;
    for (i = 0; i < all; i += PADICI_LANES) {
        const uint32_t n = PADICI_LEFT(all, i);
        const PADICI_V z = PADICI_RK(sigmoid)(PADICI_RK(some)(sums + all + i, n));
        const PADICI_V rest = PADICI_SUB(PADICI_SET(1), z), old = PADICI_RK(some)(h + i, n);
        PADICI_V a = PADICI_RK(some)(sums + 2 * all + i, n);
        if (fresh)
            a = PADICI_FMA(PADICI_RK(sigmoid)(PADICI_RK(some)(sums + i, n)),
                           PADICI_RK(some)(fresh + i, n), a);
        a = PADICI_RK(tanh)(a);
        PADICI_RK(put)(out + i, n, cell->replace ? PADICI_FMA(rest, old, PADICI_MUL(z, a))
                                                 : PADICI_FMA(rest, a, PADICI_MUL(z, old)));
    }
}

PADICI_TARGET static void PADICI_RK(lstm)(const padici_rnn_cell *cell)
{
    const uint64_t all = cell->units;
    const float *sums = (const float *)cell->sums, *c = (const float *)cell->c;
    float *out = (float *)cell->out, *out_c = (float *)cell->out_c;
    uint64_t i;
    for (i = 0; i < all; i += PADICI_LANES) {
        const uint32_t n = PADICI_LEFT(all, i);
        const PADICI_V in = PADICI_RK(sigmoid)(PADICI_RK(some)(sums + i, n));
        const PADICI_V keep = PADICI_RK(sigmoid)(PADICI_RK(some)(sums + all + i, n));
        const PADICI_V g = PADICI_RK(tanh)(PADICI_RK(some)(sums + 2 * all + i, n));
        const PADICI_V o = PADICI_RK(sigmoid)(PADICI_RK(some)(sums + 3 * all + i, n));
        const PADICI_V next = PADICI_FMA(keep, PADICI_RK(some)(c + i, n), PADICI_MUL(in, g));
        PADICI_RK(put)(out_c + i, n, next);
        PADICI_RK(put)(out + i, n, PADICI_MUL(o, PADICI_RK(tanh)(next)));
    }
}

PADICI_TARGET static void PADICI_RK(activate)(padic_rnn_activation activation, double gain,
                                              uint64_t count, const void *in_, void *out_,
                                              uint32_t narrow)
{
    const float *in = (const float *)in_;
    float *out = (float *)out_;
    uint64_t i;
    (void)narrow;
    for (i = 0; i < count; i += PADICI_LANES) {
        const uint32_t n = PADICI_LEFT(count, i);
        PADICI_V v = PADICI_RK(some)(in + i, n);
        if (activation == PADIC_RNN_ACTIVATION_TANH) v = PADICI_RK(tanh)(v);
        else if (activation == PADIC_RNN_ACTIVATION_SIGMOID) v = PADICI_RK(sigmoid)(v);
        else if (activation == PADIC_RNN_ACTIVATION_RELU) v = PADICI_MOST(PADICI_NONE, v);
        PADICI_RK(put)(out + i, n, PADICI_MUL(v, PADICI_SET((float)gain)));
    }
}

PADICI_FN const padici_rnn_kernels *PADICI_RK(kernels)(void)
{
    static const padici_rnn_kernels kernels = {
        0,
        PADICI_PANEL,
        PADICI_RK(order),
        PADICI_RK(product),
        PADICI_RK(gru_reset),
        PADICI_RK(gru),
        PADICI_RK(lstm),
        PADICI_RK(activate)};
    return &kernels;
}

#endif
// room: src/simd/rollout/acts.c
// @per-level
#if !defined(PADIC_NO_ROLLOUT) && PADICI_REAL_SIZE == 4

// x Phi(x), with Phi(-t) = e^(-t^2/2) p(1/(1 + 0.23 t)) for t >= 0: p of degree 8 is within 5e-8 of
// e^(t^2/2) erfc(t/sqrt 2)/2 up to 13, a weighted least-squares fit. NaN stays.
PADICI_TARGET PADICI_INLINE PADICI_V PADICI_OK(gelu_erf)(PADICI_V x)
{
    const PADICI_V one = PADICI_SET(1), t = PADICI_LEAST(PADICI_SET(13), PADICI_MAGNITUDE(x));
    const PADICI_V s = PADICI_DIV(one, PADICI_FMA(PADICI_SET(0.23f), t, one));
    const PADICI_V low = PADICI_MOST(PADICI_SET(-13), x); // -infinity times 0 is no NaN
    PADICI_W n;
    PADICI_V e = PADICI_RK(reduced)(PADICI_MUL(PADICI_MUL(t, t), PADICI_SET(-0.5f)), &n);
    PADICI_V p = PADICI_FMA(s, PADICI_SET(-0.07836881f), PADICI_SET(0.28991216f));
    p = PADICI_FMA(s, p, PADICI_SET(-0.2770347f));
    p = PADICI_FMA(s, p, PADICI_SET(0.3001475f));
    p = PADICI_FMA(s, p, PADICI_SET(-0.031941142f));
    p = PADICI_FMA(s, p, PADICI_SET(0.11906384f));
    p = PADICI_FMA(s, p, PADICI_SET(0.08588857f));
    p = PADICI_FMA(s, p, PADICI_SET(0.09235902f));
    p = PADICI_FMA(s, p, PADICI_SET(-2.648817e-05f));
    p = PADICI_MUL(p, PADICI_MUL(PADICI_ADD(e, one), PADICI_POWER(n)));
    return PADICI_IF_NEGATIVE(x, PADICI_MUL(low, p), PADICI_FMA(PADICI_SUB(PADICI_NONE, t), p, x));
}

// `act` is constant where this is called.
PADICI_TARGET PADICI_INLINE PADICI_V PADICI_OK(act)(padic_rollout_act act, PADICI_V x)
{
    PADICI_V z;
    switch (act) {
    case PADIC_ROLLOUT_ACT_GELU_ERF: return PADICI_OK(gelu_erf)(x);
    case PADIC_ROLLOUT_ACT_RELU: return PADICI_MOST(PADICI_NONE, x);
    case PADIC_ROLLOUT_ACT_GELU_TANH: // x s(2 sqrt(2/pi) (x + 0.044715 x^3))
        z = PADICI_FMA(PADICI_MUL(PADICI_MUL(x, x), x), PADICI_SET(0.044715f), x);
        return PADICI_MUL(PADICI_MOST(PADICI_SET(-40), x),
                          PADICI_RK(sigmoid)(PADICI_MUL(z, PADICI_SET(1.59576912f))));
    case PADIC_ROLLOUT_ACT_SILU:
        return PADICI_MUL(PADICI_MOST(PADICI_SET(-110), x), PADICI_RK(sigmoid)(x));
    case PADIC_ROLLOUT_ACT_TANH: return PADICI_RK(tanh)(x);
    default: return x;
    }
}

PADICI_TARGET PADICI_INLINE void PADICI_OK(map_act)(padic_rollout_act act,
                                                    const padici_rollout_map *map, uint64_t count,
                                                    const float *from, float *to)
{
    uint32_t v;
    uint64_t i;
    for (v = 0; v < 16; v += PADICI_LANES) {
        const PADICI_V mu = map->mu ? PADICI_LOAD((const float *)map->mu + v) : PADICI_NONE;
        const PADICI_V a = map->mu ? PADICI_LOAD((const float *)map->a + v) : PADICI_NONE;
        const PADICI_V beta = map->mu ? PADICI_LOAD((const float *)map->beta + v) : PADICI_NONE;
        for (i = 0; i < count; i++) {
            PADICI_V x = PADICI_LOAD(from + i * 16 + v);
            if (map->mu) x = PADICI_FMA(a, PADICI_SUB(x, mu), beta);
            PADICI_STORE(to + i * 16 + v, PADICI_OK(act)(act, x));
        }
    }
}

PADICI_TARGET static void PADICI_OK(map)(const padici_rollout_map *map, uint64_t count,
                                         const void *from_, void *to_)
{
    const float *from = (const float *)from_;
    float *to = (float *)to_;
    switch (map->act) {
    case PADIC_ROLLOUT_ACT_GELU_ERF:
        PADICI_OK(map_act)(PADIC_ROLLOUT_ACT_GELU_ERF, map, count, from, to);
        break;
    case PADIC_ROLLOUT_ACT_RELU:
        PADICI_OK(map_act)(PADIC_ROLLOUT_ACT_RELU, map, count, from, to);
        break;
    case PADIC_ROLLOUT_ACT_GELU_TANH:
        PADICI_OK(map_act)(PADIC_ROLLOUT_ACT_GELU_TANH, map, count, from, to);
        break;
    case PADIC_ROLLOUT_ACT_SILU:
        PADICI_OK(map_act)(PADIC_ROLLOUT_ACT_SILU, map, count, from, to);
        break;
    case PADIC_ROLLOUT_ACT_TANH:
        PADICI_OK(map_act)(PADIC_ROLLOUT_ACT_TANH, map, count, from, to);
        break;
    default: PADICI_OK(map_act)(PADIC_ROLLOUT_ACT_NONE, map, count, from, to); break;
    }
}

#endif
// room: src/simd/rollout/noise.c
// @per-level
#if !defined(PADIC_NO_ROLLOUT) && PADICI_REAL_SIZE == 4

// Loops that compilers make vectors of: 16 blocks of Philox side by side, then the polynomials of
// padic_random_normal(), operation by operation as there.

PADICI_TARGET PADICI_INLINE void PADICI_OK(words)(uint64_t seed, uint64_t stream, uint32_t step,
                                                  uint32_t block, uint32_t words[4][16])
{
    uint32_t k0 = (uint32_t)seed, k1 = (uint32_t)(seed >> 32), round, i;
    for (i = 0; i < 16; i++) {
        words[0][i] = block + i;
        words[1][i] = step;
        words[2][i] = (uint32_t)stream;
        words[3][i] = (uint32_t)(stream >> 32);
    }
    for (round = 0; round < 10; round++, k0 += 0x9e3779b9u, k1 += 0xbb67ae85u)
        for (i = 0; i < 16; i++) {
            const uint64_t p = (uint64_t)0xd2511f53u * words[0][i];
            const uint64_t q = (uint64_t)0xcd9e8d57u * words[2][i];
            words[0][i] = (uint32_t)(q >> 32) ^ words[1][i] ^ k0;
            words[2][i] = (uint32_t)(p >> 32) ^ words[3][i] ^ k1;
            words[1][i] = (uint32_t)q;
            words[3][i] = (uint32_t)p;
        }
}

// The octave is the exponent of x without the bit below its highest, which is not rounded up.
PADICI_TARGET PADICI_INLINE void PADICI_OK(quantiles)(const uint32_t words[16], float out[16])
{
    const float *table = padici_random_normal_table();
    uint32_t octave[16], sign[16], i;
    float place[16], sum[16];
    int32_t k;
    for (i = 0; i < 16; i++) {
        const uint32_t x = words[i] << 1 | 1;
        const float size = (float)(int32_t)((x & ~(x >> 1)) >> 1);
        uint32_t bits;
        memcpy(&bits, &size, 4);
        octave[i] = bits >> 23 > 126 ? (bits >> 23) - 126 : 0;
        place[i] = (float)((int32_t)(x << (31 - octave[i]) >> 8) - 3 * 4194304) *
                   (1.0f / 4194304.0f);
        sign[i] = words[i] & 0x80000000u;
    }
    for (i = 0; i < 16; i++) sum[i] = table[8 * octave[i] + 7];
    for (k = 6; k >= 0; k--)
        for (i = 0; i < 16; i++) sum[i] = sum[i] * place[i] + table[8 * octave[i] + (uint32_t)k];
    for (i = 0; i < 16; i++) {
        uint32_t bits;
        memcpy(&bits, &sum[i], 4);
        bits ^= sign[i];
        memcpy(&out[i], &bits, 4);
    }
}

PADICI_TARGET static void PADICI_OK(normals)(uint64_t seed, uint64_t stream, uint32_t step,
                                             uint32_t block, uint32_t count, float *out)
{
    uint32_t words[4][16], first, j, i;
    float numbers[4][16];
    for (first = 0; first < count; first += 16) {
        const uint32_t some = count - first < 16 ? count - first : 16;
        PADICI_OK(words)(seed, stream, step, block + first, words);
        for (j = 0; j < 4; j++) PADICI_OK(quantiles)(words[j], numbers[j]);
        for (i = 0; i < some; i++)
            for (j = 0; j < 4; j++) out[4 * (first + i) + j] = numbers[j][i];
    }
}

#endif
// room: src/simd/rollout/conv.c
// @per-level
#if !defined(PADIC_NO_ROLLOUT) && PADICI_REAL_SIZE == 4

// Each sum is one chain of FMA, in the order of the plain kernel, whatever cells are beside it.

// `cells` and `blocks` are constant where this is called: at most 6 times 2, or 12 times 1 vectors.
PADICI_TARGET PADICI_INLINE void PADICI_OK(tile)(uint32_t cells, uint32_t blocks,
                                                 const padici_rollout_conv *q, const float *in,
                                                 float *out)
{
    PADICI_V acc[6][32 / PADICI_LANES], w[32 / PADICI_LANES];
    const float *weights = (const float *)q->weights, *start = (const float *)q->start;
    const uint32_t each = 16 / PADICI_LANES, vectors = blocks * each;
    uint32_t dy, dx, i, c, v;
    PADICI_UNROLL_ALL
    for (c = 0; c < cells; c++)
        PADICI_UNROLL_ALL
        for (v = 0; v < vectors; v++) {
            const uint64_t lane = v % each * PADICI_LANES;
            acc[c][v] = start ? PADICI_LOAD(start + v / each * q->start_block + lane)
                              : PADICI_LOAD(out + c * q->out_cell + v / each * q->out_block + lane);
        }
    for (dy = 0; dy < q->kernel; dy++) {
        const float *x = in + dy * q->line;
        for (dx = 0; dx < q->kernel; dx++, x += 16)
            for (i = 0; i < q->inputs; i++, weights += 16) {
                PADICI_UNROLL_ALL
                for (v = 0; v < vectors; v++)
                    w[v] = PADICI_LOAD(weights + v / each * q->weights_block +
                                       v % each * PADICI_LANES);
                PADICI_UNROLL_ALL
                for (c = 0; c < cells; c++) {
                    const PADICI_V factor = PADICI_SET(x[c * q->in_cell + i]);
                    PADICI_UNROLL_ALL
                    for (v = 0; v < vectors; v++) acc[c][v] = PADICI_FMA(factor, w[v], acc[c][v]);
                }
            }
    }
    PADICI_UNROLL_ALL
    for (c = 0; c < cells; c++)
        PADICI_UNROLL_ALL
        for (v = 0; v < vectors; v++)
            PADICI_STORE(out + c * q->out_cell + v / each * q->out_block +
                             v % each * PADICI_LANES,
                         acc[c][v]);
}

PADICI_TARGET PADICI_INLINE void PADICI_OK(row)(uint32_t cells, uint32_t blocks,
                                                const padici_rollout_conv *q, const float *in,
                                                float *out)
{
    uint32_t x = 0;
    for (; x + cells <= q->cells; x += cells)
        PADICI_OK(tile)(cells, blocks, q, in + x * q->in_cell, out + x * q->out_cell);
    for (; x < q->cells; x++)
        PADICI_OK(tile)(1, blocks, q, in + x * q->in_cell, out + x * q->out_cell);
}

PADICI_TARGET static void PADICI_OK(conv)(const padici_rollout_conv *q)
{
    const float *in = (const float *)q->in;
    float *out = (float *)q->out;
    uint32_t y;
    for (y = 0; y < q->rows; y++, in += q->in_row, out += q->out_row) {
        if (q->blocks == 2) PADICI_OK(row)(PADICI_LANES == 16 ? 6 : 3, 2, q, in, out);
        else PADICI_OK(row)(6, 1, q, in, out);
    }
}

// Means in chunks of 64 cells in floats, which are added in doubles; then squares about that.
PADICI_TARGET PADICI_INLINE void PADICI_OK(chunks)(uint64_t count, const float *from,
                                                   const float *about, int squares, double *sums)
{
    float lanes[16];
    uint64_t first, i, end;
    uint32_t v;
    for (v = 0; v < 16; v++) sums[v] = 0;
    for (first = 0; first < count; first = end) {
        end = count - first < 64 ? count : first + 64;
        for (v = 0; v < 16; v += PADICI_LANES) {
            const PADICI_V center = PADICI_LOAD(about + v);
            PADICI_V even = PADICI_NONE, odd = PADICI_NONE;
            for (i = first; i < end; i += 2) {
                const PADICI_V x = PADICI_SUB(PADICI_LOAD(from + i * 16 + v), center);
                even = squares ? PADICI_FMA(x, x, even) : PADICI_ADD(even, x);
                if (i + 1 < end) {
                    const PADICI_V y = PADICI_SUB(PADICI_LOAD(from + (i + 1) * 16 + v), center);
                    odd = squares ? PADICI_FMA(y, y, odd) : PADICI_ADD(odd, y);
                }
            }
            PADICI_STORE(lanes + v, PADICI_ADD(even, odd));
        }
        for (v = 0; v < 16; v++) sums[v] += (double)lanes[v];
    }
}

// The first cell is a good center for the mean: a constant field has exactly itself.
PADICI_TARGET static void PADICI_OK(moments)(uint64_t count, const void *from_, double *mean,
                                             double *squares)
{
    const float *from = (const float *)from_;
    float about[16];
    uint32_t v;
    PADICI_OK(chunks)(count, from, from, 0, mean);
    for (v = 0; v < 16; v++) {
        mean[v] = (double)from[v] + mean[v] / (double)count;
        about[v] = (float)mean[v];
    }
    PADICI_OK(chunks)(count, from, about, 1, squares);
    for (v = 0; v < 16; v++) {
        const double off = mean[v] - (double)about[v];
        const double more = (double)count * off * off;
        squares[v] = squares[v] > more ? squares[v] - more : squares[v] < more ? 0 : squares[v];
    }
}

// Four chains: re re, im im, re im, im re.
PADICI_TARGET static void PADICI_OK(mix)(uint32_t inputs, const void *x_, const void *weights_,
                                         void *out_)
{
    const float *x = (const float *)x_, *weights = (const float *)weights_;
    float *out = (float *)out_;
    uint32_t v, i;
    for (v = 0; v < 16; v += PADICI_LANES) {
        const float *w = weights + v;
        PADICI_V rr = PADICI_NONE, ii = PADICI_NONE, ri = PADICI_NONE, ir = PADICI_NONE;
        for (i = 0; i < inputs; i++, w += 32) {
            const PADICI_V re = PADICI_SET(x[2 * i]), im = PADICI_SET(x[2 * i + 1]);
            const PADICI_V a = PADICI_LOAD(w), b = PADICI_LOAD(w + 16);
            rr = PADICI_FMA(re, a, rr);
            ii = PADICI_FMA(im, b, ii);
            ri = PADICI_FMA(re, b, ri);
            ir = PADICI_FMA(im, a, ir);
        }
        PADICI_STORE(out + v, PADICI_SUB(rr, ii));
        PADICI_STORE(out + 16 + v, PADICI_ADD(ri, ir));
    }
}

PADICI_FN const padici_rollout_kernels *PADICI_OK(kernels)(void)
{
    static const padici_rollout_kernels kernels = {0, PADICI_OK(map), PADICI_OK(conv),
                                                   PADICI_OK(moments), PADICI_OK(mix),
                                                   PADICI_HK(kernels), PADICI_OK(normals)};
    return &kernels;
}

#endif
// room: src/simd/pq/dots.c
// @per-level
#if !defined(PADIC_NO_PQ) && PADICI_REAL_SIZE == 4

// <x, c> of four vectors of centroids at a time: one product after the other, each rounded before
// it is added, as in src/pq/plain.c.
PADICI_TARGET PADICI_FN void PADICI_PQK(dots)(const float *x, const float *c, uint64_t n,
                                              uint64_t cells, float *out)
{
    uint64_t i, k = 0;
    for (; k + 4 * PADICI_LANES <= cells; k += 4 * PADICI_LANES) {
        const float *row = c + k;
        PADICI_V sum[4];
        uint32_t j;
        PADICI_UNROLL_ALL
        for (j = 0; j < 4; j++)
            sum[j] = PADICI_MUL(PADICI_SET(x[0]), PADICI_LOAD(row + j * PADICI_LANES));
        for (i = 1; i < n; i++) {
            const PADICI_V v = PADICI_SET(x[i]);
            row += cells;
            PADICI_UNROLL_ALL
            for (j = 0; j < 4; j++)
                sum[j] = PADICI_ADD(sum[j], PADICI_MUL(v, PADICI_LOAD(row + j * PADICI_LANES)));
        }
        PADICI_UNROLL_ALL
        for (j = 0; j < 4; j++) PADICI_STORE(out + k + j * PADICI_LANES, sum[j]);
    }
    for (; k < cells; k += PADICI_LANES) {
        const uint32_t some =
            cells - k < PADICI_LANES ? (uint32_t)(cells - k) : (uint32_t)PADICI_LANES;
        PADICI_V sum = PADICI_MUL(PADICI_SET(x[0]), PADICI_PART_LOAD(c + k, some));
        for (i = 1; i < n; i++)
            sum = PADICI_ADD(sum, PADICI_MUL(PADICI_SET(x[i]),
                                             PADICI_PART_LOAD(c + i * cells + k, some)));
        PADICI_PART_STORE(out + k, some, sum);
    }
}

#endif
// room: src/made/rnn_level_end.h
#undef PADICI_LEFT
#undef PADICI_PLACE
#undef PADICI_PLACES
#undef PADICI_TARGET
#undef PADICI_LANES
#undef PADICI_ROWS
#undef PADICI_V
#undef PADICI_W
#undef PADICI_R
#undef PADICI_I
#undef PADICI_MASK
#undef PADICI_PART_LOAD
#undef PADICI_PART_STORE
#undef PADICI_HALF
#undef PADICI_BYTES
#undef PADICI_BFLOATS
#undef PADICI_PAIR
#undef PADICI_ODD
#undef PADICI_SIGNED
#undef PADICI_MAGNITUDE
#undef PADICI_IF_NEGATIVE
#undef PADICI_EVEN
#undef PADICI_POWER
#undef PADICI_HALVED
#undef PADICI_LESS
#undef PADICI_WHOLE
#undef PADICI_FLOAT
#undef PADICI_TOTAL
#undef PADICI_NONE
#undef PADICI_SET
#undef PADICI_LOAD
#undef PADICI_STORE
#undef PADICI_ADD
#undef PADICI_SUB
#undef PADICI_MUL
#undef PADICI_DIV
#undef PADICI_LEAST
#undef PADICI_MOST
#undef PADICI_FMA
#undef PADICI_AHEAD
#undef PADICI_VECTORS
#undef PADICI_PANEL
#undef PADICI_DEPTH
// room: src/simd/per_level.in.h:30
#undef PADICI_REAL
#undef PADICI_REAL_SIZE
#else
// room: src/simd/vector.c
// @per-level
// A level's vector of 64-bit words and its names, for the words and for the kernels over them.
#if PADICI_ISA_LEVEL >= 3
#define PADICI_TARGET PADICI_AVX512
#define PADICI_V __m512i
#define PADICI_LANES 8
#define PADICI_X(op) _mm512_##op
#define PADICI_XI(op) _mm512_##op##_si512
#elif PADICI_ISA_LEVEL == 2
#define PADICI_TARGET PADICI_AVX2
#define PADICI_V __m256i
#define PADICI_LANES 4
#define PADICI_X(op) _mm256_##op
#define PADICI_XI(op) _mm256_##op##_si256
#else
#define PADICI_TARGET
#define PADICI_V uint64x2_t
#define PADICI_LANES 2
#endif
// room: src/simd/per_level.in.h:34
#ifdef PADICI_ISA_WORDS
// room: src/simd/words.c
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
// room: src/made/simd_level_end.h
#undef PADICI_TARGET
#undef PADICI_V
#undef PADICI_LANES
#undef PADICI_X
#undef PADICI_XI
// room: src/simd/per_level.in.h:37
#else
// room: src/simd/sample_kernels.c
// @per-level
#if !defined(PADIC_NO_SAMPLE) && PADICI_ISA_LEVEL <= 3

// U32 indices, contiguous; returns whether one is above `last`.
PADICI_TARGET static int PADICI_SK(fetch)(const padici_simd_sample_plan *p, const char *from,
                                          uint64_t *v)
{
    const PADICI_V last = PADICI_L(all)(p->call->last);
    PADICI_V bad = PADICI_L(all)(0);
    uint64_t any[PADICI_LANES], all = 0;
    uint32_t j;
    for (j = 0; j < PADICI_SAMPLE_WORDS; j += PADICI_LANES) {
        const PADICI_V i = PADICI_L(load32)(from + 4 * j);
        bad = PADICI_L(bit_or)(bad, PADICI_L(above)(i, last));
        PADICI_L(store)(v + j, i);
    }
    PADICI_L(store)(any, bad);
    for (j = 0; j < PADICI_LANES; j++) all |= any[j];
    return all != 0;
}

PADICI_TARGET static void PADICI_SK(bits)(const padici_simd_sample_plan *p, uint64_t *v)
{
    static const uint64_t masks[6] = {
        0x5555555555555555u, 0x3333333333333333u, 0x0f0f0f0f0f0f0f0fu,
        0x00ff00ff00ff00ffu, 0x0000ffff0000ffffu, 0x00000000ffffffffu};
    const PADICI_V rest = PADICI_L(all)(64 - p->radix.levels);
    uint32_t j, k;
    for (j = 0; j < PADICI_SAMPLE_WORDS; j += PADICI_LANES) {
        PADICI_V x = PADICI_L(load)(v + j);
        for (k = 0; k < 6; k++) {
            const PADICI_V mask = PADICI_L(all)(masks[k]), n = PADICI_L(all)(1u << k);
            x = PADICI_L(bit_or)(PADICI_L(bit_and)(PADICI_L(srl)(x, n), mask),
                             PADICI_L(sll)(PADICI_L(bit_and)(x, mask), n));
        }
        PADICI_L(store)(v + j, PADICI_L(srl)(x, rest));
    }
}

PADICI_TARGET static void PADICI_SK(plain)(const padici_simd_sample_plan *p, uint64_t *v)
{
    const PADICI_V top = PADICI_L(all)(p->u.by.top), mask = PADICI_L(all)(0xffffffffu);
    uint32_t j, k;
    for (j = 0; j < PADICI_SAMPLE_WORDS; j += 2 * PADICI_LANES) {
        const PADICI_V i = PADICI_L(load)(v + j), h = PADICI_L(load)(v + j + PADICI_LANES);
        PADICI_V r = PADICI_L(mul)(i, top), s = PADICI_L(mul)(h, top);
        for (k = 1; k < p->radix.levels; k++) {
            const PADICI_V m = PADICI_L(all)(p->u.by.m[k]), a = PADICI_L(all)(p->u.by.a[k]);
            const PADICI_V n = PADICI_L(all)(p->u.by.s[k]), c = PADICI_L(all)(p->u.by.c[k]);
            PADICI_V q = PADICI_L(srl)(PADICI_L(add)(PADICI_L(mul)(i, m), a), n);
            r = PADICI_L(add)(r, PADICI_L(mul)(q, c));
            q = PADICI_L(srl)(PADICI_L(add)(PADICI_L(mul)(h, m), a), n);
            s = PADICI_L(add)(s, PADICI_L(mul)(q, c));
        }
        PADICI_L(store)(v + j, PADICI_L(bit_and)(r, mask));
        PADICI_L(store)(v + j + PADICI_LANES, PADICI_L(bit_and)(s, mask));
    }
}

// One affine map per node (OWEN) or per level: see padici_sample_owen32() and _permute().
PADICI_TARGET static void PADICI_SK(map)(const padici_simd_sample_plan *p, uint64_t *v)
{
    const PADICI_V base = PADICI_L(all)(p->radix.base), less = PADICI_L(all)(p->radix.base - 1);
    const PADICI_V m = PADICI_L(all)(p->u.by.m[1]), a = PADICI_L(all)(p->u.by.a[1]);
    const PADICI_V n = PADICI_L(all)(p->u.by.s[1]), mix1 = PADICI_L(all)(0x7feb352du);
    const PADICI_V mix2 = PADICI_L(all)(0x846ca68bu), mix3 = PADICI_L(all)(0x01000193u);
    const PADICI_V inverse = PADICI_L(all)(UINT32_MAX / p->radix.base + 1);
    const PADICI_V prefixes = PADICI_L(all)(p->radix.mode == PADIC_SAMPLE_MODE_PERMUTE ? 0 : ~0ull);
    uint64_t r[PADICI_SAMPLE_WORDS];
    uint32_t j, k;
    memset(r, 0, sizeof r);
    for (k = 0; k < p->radix.levels; k++) {
        const PADICI_V key = PADICI_L(all)(p->radix.keys[k]);
        for (j = 0; j < PADICI_SAMPLE_WORDS; j += PADICI_LANES) {
            const PADICI_V i = PADICI_L(load)(v + j), prefix = PADICI_L(load)(r + j);
            const PADICI_V q = PADICI_L(srl)(PADICI_L(add)(PADICI_L(mul)(i, m), a), n);
            const PADICI_V d = PADICI_L(sub)(i, PADICI_L(mul)(q, base));
            PADICI_V h = PADICI_L(bit_xor)(PADICI_L(bit_and)(prefix, prefixes), key), t;
            h = PADICI_L(mul)(PADICI_L(bit_xor)(h, PADICI_L(half16)(h)), mix1);
            h = PADICI_L(mul)(PADICI_L(bit_xor)(h, PADICI_L(half15)(h)), mix2);
            h = PADICI_L(bit_xor)(h, PADICI_L(half16)(h));
            t = PADICI_L(high)(PADICI_L(mul)(PADICI_L(mul)(h, mix3), less));
            t = PADICI_L(add)(PADICI_L(add)(PADICI_L(mul)(t, d), d),
                              PADICI_L(high)(PADICI_L(mul)(h, base)));
            h = PADICI_L(high)(PADICI_L(mul)(t, inverse));
            t = PADICI_L(sub)(t, PADICI_L(mul)(h, base));
            PADICI_L(store)(v + j, q);
            PADICI_L(store)(r + j, PADICI_L(add)(PADICI_L(mul)(prefix, base), t));
        }
    }
    memcpy(v, r, sizeof r);
}

// floor(h b / 2^64), b < 2^32.
PADICI_TARGET PADICI_INLINE PADICI_V PADICI_SK(part)(PADICI_V h, PADICI_V b)
{
    const PADICI_V low = PADICI_L(high)(PADICI_L(mul)(h, b));
    const PADICI_V high = PADICI_L(mul)(PADICI_L(high)(h), b);
    return PADICI_L(high)(PADICI_L(add)(high, low));
}

// floor(x / b) of x < 2^32; *rest: x mod b.
PADICI_TARGET PADICI_INLINE PADICI_V PADICI_SK(div)(const padici_simd_sample_plan *p, PADICI_V x,
                                                    PADICI_V *rest)
{
    const PADICI_V m = PADICI_L(all)(p->u.by.m[1]), a = PADICI_L(all)(p->u.by.a[1]);
    const PADICI_V n = PADICI_L(all)(p->u.by.s[1]), base = PADICI_L(all)(p->radix.base);
    const PADICI_V q = PADICI_L(srl)(PADICI_L(add)(PADICI_L(mul)(x, m), a), n);
    *rest = PADICI_L(sub)(x, PADICI_L(mul)(q, base));
    return q;
}

// The same as map with 64-bit words and hashes, b < 2^16. i is divided from the top down, 16 bits
// at a time after the upper half: see padici_sample_owen64().
PADICI_TARGET static void PADICI_SK(map64)(const padici_simd_sample_plan *p, uint64_t *v)
{
    const PADICI_V base = PADICI_L(all)(p->radix.base), less = PADICI_L(all)(p->radix.base - 1);
    const PADICI_V mix1 = PADICI_L(all)(0xbf58476d1ce4e5b9u);
    const PADICI_V mix2 = PADICI_L(all)(0x94d049bb133111ebu);
    const PADICI_V mix3 = PADICI_L(all)(0x9e3779b97f4a7c15u), half = PADICI_L(all)(0xffff);
    const PADICI_V by16 = PADICI_L(all)(16), by27 = PADICI_L(all)(27);
    const PADICI_V by30 = PADICI_L(all)(30), by31 = PADICI_L(all)(31);
    const PADICI_V by32 = PADICI_L(all)(32);
    const PADICI_V prefixes = PADICI_L(all)(p->radix.mode == PADIC_SAMPLE_MODE_PERMUTE ? 0 : ~0ull);
    uint64_t r[PADICI_SAMPLE_WORDS];
    uint32_t j, k;
    memset(r, 0, sizeof r);
    for (k = 0; k < p->radix.levels; k++) {
        const PADICI_V key = PADICI_L(all)(p->radix.keys[k]);
        for (j = 0; j < PADICI_SAMPLE_WORDS; j += PADICI_LANES) {
            const PADICI_V i = PADICI_L(load)(v + j), prefix = PADICI_L(load)(r + j);
            PADICI_V h = PADICI_L(bit_xor)(PADICI_L(bit_and)(prefix, prefixes), key), d, q, a, c;
            q = PADICI_L(sll)(PADICI_SK(div)(p, PADICI_L(high)(i), &d), by32);
            a = PADICI_L(bit_and)(PADICI_L(srl)(i, by16), half);
            a = PADICI_L(bit_or)(PADICI_L(sll)(d, by16), a);
            a = PADICI_SK(div)(p, a, &d);
            q = PADICI_L(add)(q, PADICI_L(sll)(a, by16));
            a = PADICI_L(bit_or)(PADICI_L(sll)(d, by16), PADICI_L(bit_and)(i, half));
            q = PADICI_L(add)(q, PADICI_SK(div)(p, a, &d));
            PADICI_L(store)(v + j, q);
            h = PADICI_L(bit_xor)(h, PADICI_L(srl)(h, by30));
            h = PADICI_L(mul64)(h, mix1);
            h = PADICI_L(bit_xor)(h, PADICI_L(srl)(h, by27));
            h = PADICI_L(mul64)(h, mix2);
            h = PADICI_L(bit_xor)(h, PADICI_L(srl)(h, by31));
            c = PADICI_SK(part)(h, base);
            a = PADICI_SK(part)(PADICI_L(mul64)(h, mix3), less);
            a = PADICI_L(add)(PADICI_L(add)(PADICI_L(mul)(a, d), d), c);
            (void)PADICI_SK(div)(p, a, &d);
            PADICI_L(store)(r + j, PADICI_L(add)(PADICI_L(mul64)(prefix, base), d));
        }
    }
    memcpy(v, r, sizeof r);
}

// 64 consecutive indices, as padici_sample_range(); the table is read beyond its end.
PADICI_TARGET static void PADICI_SK(range)(padici_simd_sample_plan *p, uint64_t *v)
{
    const PADICI_V scale = PADICI_L(all)(p->scale);
    uint32_t j = 0, i, run;
    while (j < PADICI_SAMPLE_WORDS) {
        const PADICI_V low = PADICI_L(all)(p->low);
        run = PADICI_SAMPLE_WORDS - j;
        if (run > p->radix.span - p->t) run = (uint32_t)(p->radix.span - p->t);
        for (i = 0; i < run; i += PADICI_LANES) { // less than a vector beyond the end, also in v
            const PADICI_V t =
                p->radix.together > 1 ? PADICI_L(load16)(p->u.table + p->t + i)
                                      : PADICI_L(add)(PADICI_L(lanes)(), PADICI_L(all)(p->t + i));
            PADICI_L(store)(v + j + i, PADICI_L(add)(PADICI_L(mul)(t, scale), low));
        }
        j += run;
        p->t += run;
        if (p->t == p->radix.span) padici_simd_sample_next(p);
    }
}

// *rest 2^32 over n, truncated; *rest becomes the remainder.
PADICI_TARGET PADICI_INLINE PADICI_V PADICI_SK(cut)(const padici_simd_sample_plan *p,
                                                    PADICI_V *rest)
{
    const PADICI_V n = PADICI_L(all)(p->n), last = PADICI_L(all)(p->n - 1);
    const PADICI_V q = PADICI_L(srl)(PADICI_L(mul)(*rest, PADICI_L(all)(p->cut)),
                                     PADICI_L(all)(p->shift));
    const PADICI_V r = PADICI_L(sub)(PADICI_L(sll)(*rest, PADICI_L(all)(32)), PADICI_L(mul)(q, n));
    const PADICI_V more = PADICI_L(above)(r, last);
    const PADICI_V s = PADICI_L(sub)(r, PADICI_L(bit_and)(more, n));
    const PADICI_V again = PADICI_L(above)(s, last);
    *rest = PADICI_L(sub)(s, PADICI_L(bit_and)(again, n));
    return PADICI_L(sub)(PADICI_L(sub)(q, more), again);
}

// r 2^24 over n, truncated.
PADICI_TARGET PADICI_INLINE PADICI_V PADICI_SK(cut24)(const padici_simd_sample_plan *p, PADICI_V r)
{
    const PADICI_V n = PADICI_L(all)(p->n), up = PADICI_L(all)(24), by = PADICI_L(all)(8);
    const PADICI_V cut = PADICI_L(all)(p->cut), shift = PADICI_L(all)(p->shift + 8);
    const PADICI_V q = PADICI_L(srl)(PADICI_L(mul)(r, cut), shift);
    const PADICI_V rest = PADICI_L(sub)(PADICI_L(sll)(r, up), PADICI_L(mul)(q, n));
    if (p->n >> 32) return PADICI_L(srl)(r, by);
    return PADICI_L(sub)(q, PADICI_L(above)(rest, PADICI_L(all)(p->n - 1)));
}

PADICI_TARGET static void PADICI_SK(write)(const padici_simd_sample_plan *p, const uint64_t *v,
                                          char *out, uint32_t words)
{
    const padic_dtype dtype = p->call->dtype;
    const PADICI_V eleven = PADICI_L(all)(11), up = PADICI_L(all)(32);
    const int whole = p->call->integers || p->n >> 32;
    uint32_t j;
    for (j = 0; dtype == PADIC_F32 && j < words; j += 2 * PADICI_LANES, out += 8 * PADICI_LANES)
        PADICI_L(put_f32)(out, PADICI_SK(cut24)(p, PADICI_L(load)(v + j)),
                          PADICI_SK(cut24)(p, PADICI_L(load)(v + j + PADICI_LANES)));
    for (j = 0; dtype == PADIC_U32 && j < words; j += 2 * PADICI_LANES, out += 8 * PADICI_LANES) {
        PADICI_V r = PADICI_L(load)(v + j), s = PADICI_L(load)(v + j + PADICI_LANES);
        if (!whole) r = PADICI_SK(cut)(p, &r);
        if (!whole) s = PADICI_SK(cut)(p, &s);
        PADICI_L(put_u32)(out, r, s);
    }
    if (dtype == PADIC_U32 || dtype == PADIC_F32) return;
    for (j = 0; j < words; j += PADICI_LANES, out += 8 * PADICI_LANES) {
        PADICI_V r = PADICI_L(load)(v + j);
        if (!whole) {
            const PADICI_V q = PADICI_SK(cut)(p, &r);
            r = PADICI_L(bit_or)(PADICI_L(sll)(q, up), PADICI_SK(cut)(p, &r));
        } else if (!p->call->integers) {
            r = PADICI_L(sll)(r, up);
        }
        if (dtype == PADIC_U64)
            PADICI_L(store)(out, r);
        else
            PADICI_L(put_f64)(out, PADICI_L(srl)(r, eleven));
    }
}

PADICI_FN const padici_simd_sample_kernels *PADICI_SK(kernels)(void)
{
    static const padici_simd_sample_kernels kernels = {
        PADICI_SK(fetch), PADICI_SK(bits),  PADICI_SK(plain), PADICI_SK(map),
        PADICI_SK(map64), PADICI_SK(map64), PADICI_SK(range), PADICI_SK(write)};
    return &kernels;
}

#endif
// room: src/simd/sample_ifma.c
// @per-level
#if !defined(PADIC_NO_SAMPLE) && PADICI_ISA_LEVEL == 4

// madd52 reads the low 52 bits of its factors, so garbage above them is harmless.
PADICI_IFMA static void PADICI_SK(plain)(const padici_simd_sample_plan *p, uint64_t *v)
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

PADICI_IFMA static void PADICI_SK(map)(const padici_simd_sample_plan *p, uint64_t *v)
{
    const uint64_t b = p->radix.base;
    const __m512i zero = _mm512_setzero_si512(), base = padici_avx512_all(b);
    const __m512i minus = padici_avx512_all(0 - b), inverse = padici_avx512_all(p->u.by.w[1]);
    const __m512i base20 = padici_avx512_all(b << 20), less = padici_avx512_all(b - 1);
    const __m512i mix1 = padici_avx512_all(0x7feb352du), mix2 = padici_avx512_all(0x846ca68bu);
    const __m512i mix3 = padici_avx512_all(0x01000193u), mask = padici_avx512_all(0xffffffffu);
    const __m512i prefixes = padici_avx512_all(p->radix.mode == PADIC_SAMPLE_MODE_PERMUTE ? 0
                                               : ~0u);
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

// 64-bit words and hashes, b <= 1,024: the remainder of the upper half times 2^32, plus the lower
// half, is below 2^42, so that its product with w[1] is right.
PADICI_IFMA static void PADICI_SK(map64)(const padici_simd_sample_plan *p, uint64_t *v)
{
    const uint64_t b = p->radix.base;
    const __m512i zero = _mm512_setzero_si512(), base = padici_avx512_all(b);
    const __m512i minus = padici_avx512_all(0 - b), inverse = padici_avx512_all(p->u.by.w[1]);
    const __m512i less = padici_avx512_all(b - 1), mask = padici_avx512_all(0xffffffffu);
    const __m512i mix1 = padici_avx512_all(0xbf58476d1ce4e5b9u);
    const __m512i mix2 = padici_avx512_all(0x94d049bb133111ebu);
    const __m512i mix3 = padici_avx512_all(0x9e3779b97f4a7c15u);
    const __m512i prefixes = padici_avx512_all(p->radix.mode == PADIC_SAMPLE_MODE_PERMUTE ? 0
                                               : ~0ull);
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
            t = _mm512_add_epi64(padici_simd_sample_part_avx512(h, base), d);
            a = padici_simd_sample_part_avx512(_mm512_mullo_epi64(h, mix3), less);
            t = _mm512_madd52lo_epu64(t, a, d);
            a = _mm512_madd52hi_epu64(zero, t, inverse);
            t = _mm512_and_si512(_mm512_madd52lo_epu64(t, a, minus), mask);
            r[j] = _mm512_add_epi64(_mm512_mullo_epi64(r[j], base), t);
        }
    }
    for (j = 0; j < PADICI_SAMPLE_WORDS / 8; j++) padici_avx512_store(v + 8 * j, r[j]);
}

PADICI_FN const padici_simd_sample_kernels *PADICI_SK(kernels)(void)
{
    static const padici_simd_sample_kernels kernels = {
        padici_simd_sample_fetch_avx512,
        padici_simd_sample_bits_avx512,
        PADICI_SK(plain),
        PADICI_SK(map),
        PADICI_SK(map64),
        padici_simd_sample_map64_avx512,
        padici_simd_sample_range_avx512,
        padici_simd_sample_write_avx512};
    return &kernels;
}

#endif
// room: src/simd/codec/words.c
// @per-level
#if !defined(PADIC_NO_CODEC) && PADICI_ISA_LEVEL <= 3

// --------------------------------------------------------------------------------- >>vector words
//
// PADICI_D: as many doubles as a vector has words; PADICI_H: as many numbers of 32 bits. A suffix Q
// is for as many numbers of 16 bits, 32 in a name for lanes of 32 bits. PADICI_M: a mask of words.
// SHL, SHR: all words by one number.
// mask of words. SHL, SHR: all words by one number.

#define PADICI_LANES32 (2 * PADICI_LANES)

#if PADICI_ISA_LEVEL == 3
#define PADICI_H __m256i
#define PADICI_LOADH(p) _mm256_loadu_si256((const __m256i *)(const void *)(p))
#define PADICI_LOADQ(p) _mm_loadu_si128((const __m128i *)(const void *)(p))
#define PADICI_STOREH(p, x) _mm256_storeu_si256((__m256i *)(void *)(p), x)
#define PADICI_STOREQ(p, x) _mm_storeu_si128((__m128i *)(void *)(p), x)
#define PADICI_STORE_BYTES(p, n) _mm_storel_epi64((__m128i *)(void *)(p), _mm512_cvtepi64_epi8(n))
#define PADICI_CUT32(n) _mm512_cvtepi64_epi32(n)
#define PADICI_CUT16(n) _mm512_cvtepi64_epi16(n)
#define PADICI_D __m512d
#define PADICI_F __m512
#define PADICI_BITS(d) _mm512_castpd_si512(d)
#define PADICI_DOUBLE(v) _mm512_castsi512_pd(v)
#define PADICI_FROM_FLOATS(x) _mm512_cvtps_pd(_mm256_castsi256_ps(x))
#define PADICI_FROM_HALVES(x) _mm512_cvtps_pd(_mm256_cvtph_ps(x))
#define PADICI_TO_FLOATS(d) _mm256_castps_si256(_mm512_cvtpd_ps(d))
#define PADICI_ABS(d) _mm512_abs_pd(d)
#define PADICI_M __mmask8
#define PADICI_MNONE 0
#define PADICI_LESS(a, b) _mm512_cmp_pd_mask(a, b, _CMP_LT_OQ)
#define PADICI_WHICH(m) ((uint32_t)padici_mask8(m))
#define PADICI_M32 __mmask16
#define PADICI_LOW(y) _mm512_cmplt_epu32_mask(y, _mm512_set1_epi32(PADICI_CODEC_RANS_LOW))
#define PADICI_M32AND(a, b) ((__mmask16)((a) & (b)))
#define PADICI_PICK32(m, a, b) _mm512_mask_mov_epi32(b, m, a)
#define PADICI_GATHER32(t, at) _mm512_i32gather_epi32(at, (const void *)(t), 4)
#elif PADICI_ISA_LEVEL == 2
#define PADICI_H __m128i
#define PADICI_LOADH(p) _mm_loadu_si128((const __m128i *)(const void *)(p))
#define PADICI_LOADQ(p) _mm_loadl_epi64((const __m128i *)(const void *)(p))
#define PADICI_STOREH(p, x) _mm_storeu_si128((__m128i *)(void *)(p), x)
#define PADICI_STOREQ(p, x) _mm_storel_epi64((__m128i *)(void *)(p), x)
#define PADICI_STORE_BYTES(p, n) PADICI_CK(store_bytes)((p), n)
#define PADICI_CUT32(n) PADICI_CK(cut32)(n)
#define PADICI_CUT16(n) PADICI_CK(cut16)(n)
#define PADICI_D __m256d
#define PADICI_F __m256
#define PADICI_BITS(d) _mm256_castpd_si256(d)
#define PADICI_DOUBLE(v) _mm256_castsi256_pd(v)
#define PADICI_FROM_FLOATS(x) _mm256_cvtps_pd(_mm_castsi128_ps(x))
#define PADICI_FROM_HALVES(x) _mm256_cvtps_pd(_mm_cvtph_ps(x))
#define PADICI_TO_FLOATS(d) _mm_castps_si128(_mm256_cvtpd_ps(d))
#define PADICI_ABS(d) _mm256_andnot_pd(_mm256_set1_pd(-0.0), d)
#define PADICI_M __m256d
#define PADICI_MNONE _mm256_setzero_pd()
#define PADICI_LESS(a, b) _mm256_cmp_pd(a, b, _CMP_LT_OQ)
#define PADICI_WHICH(m) ((uint32_t)_mm256_movemask_pd(m))
#define PADICI_M32 __m256i
#define PADICI_LOW(y) _mm256_cmpeq_epi32(_mm256_srli_epi32(y, 16), _mm256_setzero_si256())
#define PADICI_M32AND(a, b) _mm256_and_si256(a, b)
#define PADICI_PICK32(m, a, b) _mm256_blendv_epi8(b, a, m)
#define PADICI_GATHER32(t, at) _mm256_i32gather_epi32((const int *)(const void *)(t), at, 4)
#endif

#if PADICI_ISA_LEVEL >= 2
#define PADICI_ADD32(a, b) PADICI_X(add_epi32)(a, b)
#define PADICI_ALL32(x) PADICI_X(set1_epi32)((int)(x))
#define PADICI_SHL(a, n) PADICI_X(sll_epi64)(a, _mm_cvtsi32_si128((int)(n)))
#define PADICI_SHR(a, n) PADICI_X(srl_epi64)(a, _mm_cvtsi32_si128((int)(n)))
#else
#define PADICI_ADD32(a, b) \
    vreinterpretq_u64_u32(vaddq_u32(vreinterpretq_u32_u64(a), vreinterpretq_u32_u64(b)))
#define PADICI_ALL32(x) vreinterpretq_u64_u32(vdupq_n_u32((uint32_t)(x)))
#define PADICI_SHR(a, n) vshlq_u64(a, vdupq_n_s64(-(int64_t)(n)))
#endif

#if PADICI_ISA_LEVEL == 2
PADICI_TARGET PADICI_INLINE __m128i PADICI_CK(cut32)(__m256i n)
{
    const __m256i halves = _mm256_setr_epi32(0, 2, 4, 6, 0, 2, 4, 6);
    return _mm256_castsi256_si128(_mm256_permutevar8x32_epi32(n, halves));
}

PADICI_TARGET PADICI_INLINE __m128i PADICI_CK(cut16)(__m256i n)
{
    const __m128i twos = _mm_setr_epi8(0, 1, 4, 5, 8, 9, 12, 13, -1, -1, -1, -1, -1, -1, -1, -1);
    return _mm_shuffle_epi8(PADICI_CK(cut32)(n), twos);
}

PADICI_TARGET PADICI_INLINE void PADICI_CK(store_bytes)(uint8_t *to, __m256i n)
{
    const __m128i ones = _mm_setr_epi8(0, 4, 8, 12, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1);
    const __m128i bytes = _mm_shuffle_epi8(PADICI_CK(cut32)(n), ones);
    padici_store32(to, (uint32_t)_mm_cvtsi128_si32(bytes));
}
#endif

#endif
// room: src/simd/codec/checksum.c
// @per-level
#if !defined(PADIC_NO_CODEC) && PADICI_ISA_LEVEL <= 3

PADICI_TARGET PADICI_INLINE PADICI_V PADICI_CK(mix)(PADICI_V x)
{
    x = PADICI_L(mul64)(x, PADICI_L(all)(UINT64_C(0xbf58476d1ce4e5b9)));
    x = PADICI_L(bit_xor)(x, PADICI_L(high)(x));
    x = PADICI_L(mul64)(x, PADICI_L(all)(UINT64_C(0x94d049bb133111eb)));
    return PADICI_L(bit_xor)(x, PADICI_L(srl)(x, PADICI_L(all)(29)));
}

// The sum of mix(word ^ key), two vectors at a time, each with its own sum; keys are a step apart.
PADICI_TARGET static uint64_t PADICI_CK(checksum)(const void *data, size_t size, uint64_t seed)
{
    const uint64_t step = UINT64_C(0x9e3779b97f4a7c15);
    const uint64_t first = (seed + 1) * UINT64_C(0xd1342543de82ef95);
    const uint8_t *p = (const uint8_t *)data;
    const size_t words = size / 8 - size / 8 % (2 * PADICI_LANES);
    const PADICI_V near_step = PADICI_L(all)(PADICI_LANES * step);
    const PADICI_V far_step = PADICI_L(all)(2 * PADICI_LANES * step);
    uint64_t keys[PADICI_LANES], lanes[PADICI_LANES], sum = 0;
    PADICI_V key, a = PADICI_L(all)(0), b = a;
    size_t i;
    for (i = 0; i < PADICI_LANES; i++) keys[i] = first + i * step;
    key = PADICI_L(load)(keys);
    for (i = 0; i < words; i += 2 * PADICI_LANES, p += 16 * PADICI_LANES) {
        const PADICI_V x = PADICI_L(bit_xor)(PADICI_L(load)(p), key);
        const PADICI_V y = PADICI_L(bit_xor)(PADICI_L(load)(p + 8 * PADICI_LANES),
                                         PADICI_L(add)(key, near_step));
        a = PADICI_L(add)(a, PADICI_CK(mix)(x));
        b = PADICI_L(add)(b, PADICI_CK(mix)(y));
        key = PADICI_L(add)(key, far_step);
    }
    PADICI_L(store)(lanes, PADICI_L(add)(a, b));
    for (i = 0; i < PADICI_LANES; i++) sum += lanes[i];
    return sum + padici_simd_codec_checksum_end((const uint8_t *)data, size, words, seed);
}

#endif
// room: src/simd/codec/scans.c
// @per-level
#if !defined(PADIC_NO_CODEC) && (PADICI_ISA_LEVEL == 2 || PADICI_ISA_LEVEL == 3)

// Running sums at short distances over whole vectors; returns where they stop. `carry` is indexed
// by position mod stride.
#define PADICI_JOIN(a, b) (exclusive ? PADICI_L(bit_xor)(a, b) : PADICI_L(add)(a, b))

#if PADICI_ISA_LEVEL == 3
// Distances below 8.
PADICI_TARGET PADICI_INLINE size_t PADICI_CK(sum_near)(uint64_t *x, size_t i, size_t end,
                                                       size_t place, uint32_t stride,
                                                       uint64_t carry[8], int zigzag, int exclusive)
{
    const __m512i lane = PADICI_L(lanes)();
    const uint32_t steps = stride == 1 ? 3 : stride < 4 ? 2 : 1;
    __m512i from[3], next, c;
    __mmask8 have[3];
    uint64_t lanes[8], k;
    for (k = 0; k < 3; k++) {
        from[k] = _mm512_sub_epi64(lane, PADICI_L(all)((uint64_t)stride << k));
        have[k] = (__mmask8)(0xffu << (stride << k) & 0xffu);
    }
    for (k = 0; k < 8; k++) lanes[k] = 8 - stride + k % stride;
    next = PADICI_L(load)(lanes);
    for (k = 0; k < 8; k++) lanes[k] = carry[(place + k) % stride];
    c = PADICI_L(load)(lanes);
    place -= i;
#define PADICI_CODEC_UP(K) v = PADICI_JOIN(v, _mm512_maskz_permutexvar_epi64(have[K], from[K], v))
    // the sums within a vector do not wait for the carry; where the stride divides 8 the lanes stay
    // aligned, so that only one addition waits for the last vector
#define PADICI_CODEC_ROWS(SCAN, APART) \
    for (; i + 8 <= end; i += 8) { \
        __m512i v = PADICI_L(load)(x + i), w; \
        if (zigzag) v = PADICI_L(unfold)(v); \
        SCAN; \
        w = PADICI_JOIN(v, c); \
        PADICI_L(store)(x + i, w); \
        c = APART ? PADICI_JOIN(c, _mm512_permutexvar_epi64(next, v)) \
                  : _mm512_permutexvar_epi64(next, w); \
    }
    if (steps == 3) {
        PADICI_CODEC_ROWS((PADICI_CODEC_UP(0), PADICI_CODEC_UP(1), PADICI_CODEC_UP(2)), 1)
    } else if (stride == 2) {
        PADICI_CODEC_ROWS((PADICI_CODEC_UP(0), PADICI_CODEC_UP(1)), 1)
    } else if (steps == 2) {
        PADICI_CODEC_ROWS((PADICI_CODEC_UP(0), PADICI_CODEC_UP(1)), 0)
    } else {
        PADICI_CODEC_ROWS(PADICI_CODEC_UP(0), 0)
    }
#undef PADICI_CODEC_ROWS
#undef PADICI_CODEC_UP
    PADICI_L(store)(lanes, c);
    for (k = 0; k < stride; k++) carry[(place + i + k) % stride] = lanes[k];
    return i;
}

// Differences of neighbours in short segments: a carry only passes within its segment.
PADICI_TARGET PADICI_INLINE int PADICI_CK(sum_rows)(uint64_t *x, size_t i, size_t to,
                                                    const padici_codec_op *op, uint64_t carry[8],
                                                    int zigzag, int exclusive)
{
    const __m512i lane = PADICI_L(lanes)(), segment = PADICI_L(all)(op->segment);
    const __m512i by = PADICI_L(all)(8 % op->segment), last = _mm512_set1_epi64(7);
    size_t at = i % op->segment, inner;
    __m512i from[3], place, c, v;
    uint32_t k;
    if (op->stride != 1 || op->segment < 2) return 0;
    if (i >= to) return 1;
    for (k = 0; k < 3; k++) from[k] = _mm512_sub_epi64(lane, PADICI_L(all)(UINT64_C(1) << k));
    place = padici_simd_codec_places(i, op->segment);
    c = PADICI_L(all)(i ? carry[0] : 0); // the first one has no carry
#define PADICI_CODEC_UP(K, WHERE) \
    v = PADICI_JOIN(v, _mm512_maskz_permutexvar_epi64( \
                           (__mmask8)((WHERE) & (0xffu << (1u << (K)) & 0xffu)), from[K], v))
#define PADICI_CODEC_OWN(K) _mm512_cmpge_epu64_mask(place, PADICI_L(all)(UINT64_C(1) << (K)))
    while (i < to) {
        __mmask8 there;
        if (op->segment >= 32) { // vectors inside the segment; then the one that contains its end
            inner = padici_codec_least(op->segment - at, to - i) / 8;
            if (at == 0) c = _mm512_setzero_si512();
            at += 8 * inner;
            for (; inner > 0; inner--, i += 8) {
                v = PADICI_L(load)(x + i);
                if (zigzag) v = PADICI_L(unfold)(v);
                PADICI_CODEC_UP(0, 0xffu);
                PADICI_CODEC_UP(1, 0xffu);
                PADICI_CODEC_UP(2, 0xffu);
                PADICI_L(store)(x + i, PADICI_JOIN(v, c));
                c = PADICI_JOIN(c, _mm512_permutexvar_epi64(last, v));
            }
            if (at == op->segment) {
                at = 0;
                continue;
            }
            if (i == to) break;
            place = padici_simd_codec_behind(PADICI_L(all)(at), lane, segment);
            at = at + 8 < op->segment ? at + 8 : at + 8 - op->segment;
        }
        there = (__mmask8)(to - i >= 8 ? 0xff : (1u << (to - i)) - 1);
        v = _mm512_maskz_loadu_epi64(there, x + i);
        if (zigzag) v = PADICI_L(unfold)(v);
        PADICI_CODEC_UP(0, PADICI_CODEC_OWN(0));
        PADICI_CODEC_UP(1, PADICI_CODEC_OWN(1));
        PADICI_CODEC_UP(2, PADICI_CODEC_OWN(2));
        v = PADICI_JOIN(v, _mm512_maskz_mov_epi64(_mm512_cmpgt_epu64_mask(place, lane), c));
        _mm512_mask_storeu_epi64(x + i, there, v);
        c = _mm512_permutexvar_epi64(last, v);
        place = padici_simd_codec_behind(place, by, segment);
        i += 8;
    }
#undef PADICI_CODEC_OWN
#undef PADICI_CODEC_UP
    carry[0] = x[to - 1];
    return 1;
}
#elif PADICI_ISA_LEVEL == 2
// Distances up to 4.
PADICI_TARGET PADICI_INLINE size_t PADICI_CK(sum_near)(uint64_t *x, size_t i, size_t end,
                                                       size_t place, uint32_t stride,
                                                       uint64_t carry[8], int zigzag, int exclusive)
{
    const __m256i none = _mm256_setzero_si256();
    uint64_t lanes[4];
    size_t k;
    __m256i c;
    if (stride > 4) return i;
    for (k = 0; k < 4; k++) lanes[k] = carry[(place + k) % stride];
    c = PADICI_L(load)(lanes);
    place -= i;
#define PADICI_CODEC_ROWS(SCAN, NEXT) \
    for (; i + 4 <= end; i += 4) { \
        __m256i v = PADICI_L(load)(x + i); \
        if (zigzag) v = PADICI_L(unfold)(v); \
        SCAN; \
        v = PADICI_JOIN(v, c); \
        PADICI_L(store)(x + i, v); \
        c = NEXT; \
    }
#define PADICI_CODEC_UP1 _mm256_blend_epi32(_mm256_permute4x64_epi64(v, 0x90), none, 0x03)
#define PADICI_CODEC_UP2 _mm256_permute2x128_si256(v, v, 0x08)
#define PADICI_CODEC_UP3 _mm256_blend_epi32(_mm256_permute4x64_epi64(v, 0x00), none, 0x3f)
    if (stride == 1) {
        PADICI_CODEC_ROWS(
            (v = PADICI_JOIN(v, PADICI_CODEC_UP1), v = PADICI_JOIN(v, PADICI_CODEC_UP2)),
            _mm256_permute4x64_epi64(v, 0xff))
    } else if (stride == 2) {
        PADICI_CODEC_ROWS(v = PADICI_JOIN(v, PADICI_CODEC_UP2), _mm256_permute4x64_epi64(v, 0xee))
    } else if (stride == 3) {
        PADICI_CODEC_ROWS(v = PADICI_JOIN(v, PADICI_CODEC_UP3), _mm256_permute4x64_epi64(v, 0x79))
    } else {
        PADICI_CODEC_ROWS((void)0, v)
    }
#undef PADICI_CODEC_ROWS
#undef PADICI_CODEC_UP1
#undef PADICI_CODEC_UP2
#undef PADICI_CODEC_UP3
    PADICI_L(store)(lanes, c);
    for (k = 0; k < stride; k++) carry[(place + i + k) % stride] = lanes[k];
    return i;
}
#endif

#endif
// room: src/simd/codec/sums.c
// @per-level
#if !defined(PADIC_NO_CODEC) && PADICI_ISA_LEVEL <= 3

PADICI_TARGET PADICI_INLINE void PADICI_CK(unfold)(uint64_t *x, size_t i, size_t end)
{
    for (; i + PADICI_LANES <= end; i += PADICI_LANES)
        PADICI_L(store)(x + i, PADICI_L(unfold)(PADICI_L(load)(x + i)));
    for (; i < end; i++) x[i] = padici_codec_unfold(x[i]);
}

// x[i] from x[i - stride], stride at least a vector; whole vectors; returns where it stops.
PADICI_TARGET PADICI_INLINE size_t PADICI_CK(sum_far)(uint64_t *x, size_t i, size_t end,
                                                      size_t stride, int zigzag, int exclusive)
{
    for (; i + PADICI_LANES <= end; i += PADICI_LANES) {
        PADICI_V r = PADICI_L(load)(x + i);
        const PADICI_V before = PADICI_L(load)(x + i - stride);
        if (zigzag) r = PADICI_L(unfold)(r);
        r = exclusive ? PADICI_L(bit_xor)(r, before) : PADICI_L(add)(r, before);
        PADICI_L(store)(x + i, r);
    }
    return i;
}

PADICI_TARGET PADICI_INLINE void PADICI_CK(sum_loop)(uint64_t *x, size_t i, size_t to,
                                                     const padici_codec_op *op, uint64_t carry[8],
                                                     int zigzag, int exclusive)
{
    const size_t stride = op->stride, segment = op->segment;
#if PADICI_ISA_LEVEL == 3
    if (PADICI_CK(sum_rows)(x, i, to, op, carry, zigzag, exclusive)) return;
#endif
    while (i < to) {
        const size_t place = i % segment, end = padici_codec_least(i + segment - place, to);
        if (stride >= 8) {
            const size_t edge = place < stride ? padici_codec_least(i + stride - place, end) : i;
            if (zigzag) PADICI_CK(unfold)(x, i, edge);
            i = PADICI_CK(sum_far)(x, edge, end, stride, zigzag, exclusive);
        } else if (end - i >= 16) {
            if (place == 0) memset(carry, 0, 8 * sizeof *carry);
#if PADICI_ISA_LEVEL > 1 // two lanes do not pay for the extra steps
            i = PADICI_CK(sum_near)(x, i, end, place, op->stride, carry, zigzag, exclusive);
#endif
        }
        if (i < end) padici_codec_sum(x, i, end, op, carry, zigzag, exclusive);
        i = end;
    }
}

PADICI_TARGET static void PADICI_CK(sum)(uint64_t *x, size_t from, size_t to,
                                         const padici_codec_op *op, uint64_t carry[8], int zigzag,
                                         int exclusive)
{
    if (exclusive)
        PADICI_CK(sum_loop)(x, from, to, op, carry, 0, 1);
    else if (zigzag)
        PADICI_CK(sum_loop)(x, from, to, op, carry, 1, 0);
    else
        PADICI_CK(sum_loop)(x, from, to, op, carry, 0, 0);
}

#endif
// room: src/simd/codec/differences.c
// @per-level
#if !defined(PADIC_NO_CODEC) && PADICI_ISA_LEVEL <= 3

#if PADICI_ISA_LEVEL < 3
PADICI_TARGET PADICI_INLINE void PADICI_CK(difference_loop)(const uint64_t *x, uint64_t *to,
                                                            size_t n, const padici_codec_op *op,
                                                            int zigzag, int exclusive)
{
    const size_t stride = op->stride, segment = op->segment;
    size_t from, i;
    for (from = 0; from < n; from += segment) {
        const size_t end = padici_codec_least(from + segment, n);
        const size_t edge = padici_codec_least(from + stride, end);
        for (i = from; i < edge; i++) to[i] = zigzag ? padici_codec_fold(x[i]) : x[i];
        for (; i + PADICI_LANES <= end; i += PADICI_LANES) {
            const PADICI_V a = PADICI_L(load)(x + i), b = PADICI_L(load)(x + i - stride);
            const PADICI_V r = exclusive ? PADICI_L(bit_xor)(a, b) : PADICI_L(sub)(a, b);
            PADICI_L(store)(to + i, zigzag ? PADICI_L(fold)(r) : r);
        }
        for (; i < end; i++) {
            const uint64_t r = exclusive ? x[i] ^ x[i - stride] : x[i] - x[i - stride];
            to[i] = zigzag ? padici_codec_fold(r) : r;
        }
    }
}

PADICI_TARGET static void PADICI_CK(difference)(const uint64_t *x, uint64_t *to, size_t n,
                                                const padici_codec_op *op, int zigzag,
                                                int exclusive)
{
    if (x == to)
        padici_codec_difference(x, to, n, op, zigzag, exclusive);
    else if (exclusive)
        PADICI_CK(difference_loop)(x, to, n, op, 0, 1);
    else if (zigzag)
        PADICI_CK(difference_loop)(x, to, n, op, 1, 0);
    else
        PADICI_CK(difference_loop)(x, to, n, op, 0, 0);
}
#endif

PADICI_TARGET static void PADICI_CK(lower)(uint64_t *x, size_t n, uint64_t first, uint32_t shift)
{
    const PADICI_V low = PADICI_L(all)(first);
    size_t i;
    for (i = 0; i + PADICI_LANES <= n; i += PADICI_LANES) {
        const PADICI_V v = PADICI_L(sub)(PADICI_L(load)(x + i), low);
        PADICI_L(store)(x + i, PADICI_SHR(v, shift));
    }
    padici_codec_lower_loop(x + i, n - i, first, shift);
}

#endif
// room: src/simd/codec/unpack.c
// @per-level
#if !defined(PADIC_NO_CODEC) && PADICI_ISA_LEVEL <= 3

#if PADICI_ISA_LEVEL < 3
#if PADICI_ISA_LEVEL == 2
#define PADICI_BYTES_AT(p, at) \
    _mm256_set_m128i(PADICI_LOADH((p) + (at)[1]), PADICI_LOADH((p) + (at)[0]))
#define PADICI_TAKE(v, take) _mm256_shuffle_epi8(v, take)
#else
#define PADICI_BYTES_AT(p, at) PADICI_L(load)((p) + (at)[0])
#define PADICI_TAKE(v, take) \
    vreinterpretq_u64_u8(vqtbl1q_u8(vreinterpretq_u8_u64(v), vreinterpretq_u8_u64(take)))
#endif
#define PADICI_VECTORS (8 / PADICI_LANES)

// Words of one width, 8 at a time, each from 8 bytes of the 16 that hold a pair of words.
PADICI_TARGET static void PADICI_CK(fixed)(const uint8_t *p, const uint8_t *end, uint32_t width,
                                           uint64_t *z, size_t n)
{
    padici_simd_codec_pairs pairs;
    size_t i = 0;
    if (width - 1 < 57 && n >= 16) {
        const PADICI_V mask = PADICI_L(all)(~UINT64_C(0) >> (64 - width));
        PADICI_V take[PADICI_VECTORS], down[PADICI_VECTORS];
        uint32_t k;
        padici_simd_codec_pairs_make(&pairs, width);
        PADICI_UNROLL_ALL
        for (k = 0; k < PADICI_VECTORS; k++) {
            take[k] = PADICI_L(load)(pairs.take[k * (PADICI_LANES / 2)]);
            down[k] = PADICI_L(load)(pairs.shift + k * PADICI_LANES);
        }
        for (; i + 8 <= n && (size_t)(end - p) >= width + 16; i += 8, p += width) {
            PADICI_UNROLL_ALL
            for (k = 0; k < PADICI_VECTORS; k++) {
                const uint8_t *const at = pairs.at + k * (PADICI_LANES / 2);
                PADICI_V v = PADICI_TAKE(PADICI_BYTES_AT(p, at), take[k]);
                v = PADICI_L(srl)(v, down[k]);
                PADICI_L(store)(z + i + k * PADICI_LANES, PADICI_L(bit_and)(v, mask));
            }
        }
    }
    padici_codec_fixed_loop(p, end, width, z + i, n - i);
}
#endif

// Words whose bytes are stored in planes.
#if PADICI_ISA_LEVEL == 3
PADICI_TARGET static void PADICI_CK(planes)(const padici_codec_decoder *decoder, uint64_t *z,
                                            size_t from, size_t to)
{
    const uint8_t *const *p = decoder->plane;
    const uint32_t planes = decoder->planes;
    size_t i = from;
    for (; planes && i + 16 <= to; i += 16) {
        __m512i low = _mm512_setzero_si512(), high = low, a, b;
        uint32_t k;
        for (k = 0; k < planes; k++) {
            const __m512i wide = _mm512_cvtepu8_epi32(PADICI_LOADQ(p[k] + i));
            const __m128i up = _mm_cvtsi32_si128((int)(8 * (k & 3)));
            if (k < 4)
                low = _mm512_or_si512(low, _mm512_sll_epi32(wide, up));
            else
                high = _mm512_or_si512(high, _mm512_sll_epi32(wide, up));
        }
        a = _mm512_cvtepu32_epi64(_mm512_castsi512_si256(low));
        b = _mm512_cvtepu32_epi64(_mm512_extracti64x4_epi64(low, 1));
        if (planes > 4) {
            const __m512i c = _mm512_cvtepu32_epi64(_mm512_castsi512_si256(high));
            const __m512i d = _mm512_cvtepu32_epi64(_mm512_extracti64x4_epi64(high, 1));
            a = _mm512_or_si512(a, _mm512_slli_epi64(c, 32));
            b = _mm512_or_si512(b, _mm512_slli_epi64(d, 32));
        }
        PADICI_L(store)(z + i, a);
        PADICI_L(store)(z + i + 8, b);
    }
    padici_codec_next_planes(decoder, z, i, to);
}
#elif PADICI_ISA_LEVEL == 2
PADICI_TARGET static void PADICI_CK(planes)(const padici_codec_decoder *decoder, uint64_t *z,
                                            size_t from, size_t to)
{
    const uint8_t *const *p = decoder->plane;
    const uint32_t planes = decoder->planes;
    size_t i = from;
    for (; planes && i + 8 <= to; i += 8) {
        __m256i low = _mm256_setzero_si256(), high = low;
        uint32_t k;
        for (k = 0; k < planes; k++) {
            const __m256i wide = _mm256_cvtepu8_epi32(PADICI_LOADQ(p[k] + i));
            const __m128i up = _mm_cvtsi32_si128((int)(8 * (k & 3)));
            if (k < 4)
                low = _mm256_or_si256(low, _mm256_sll_epi32(wide, up));
            else
                high = _mm256_or_si256(high, _mm256_sll_epi32(wide, up));
        }
        low = _mm256_permute4x64_epi64(low, 0xd8); // puts the meeting halves in order
        high = _mm256_permute4x64_epi64(high, 0xd8);
        PADICI_L(store)(z + i, _mm256_unpacklo_epi32(low, high));
        PADICI_L(store)(z + i + 4, _mm256_unpackhi_epi32(low, high));
    }
    padici_codec_next_planes(decoder, z, i, to);
}
#else
static void PADICI_CK(planes)(const padici_codec_decoder *decoder, uint64_t *z, size_t from,
                              size_t to)
{
    const uint32_t planes = decoder->planes;
    size_t i = from;
    for (; planes && i + 16 <= to; i += 16) {
        uint32x4_t half[2][4]; // bytes 0 to 3, 4 to 7 of four words each
        uint32_t h, k;
        for (h = 0; h < 2; h++) {
            uint8x16_t p[4];
            uint16x8_t low[2], high[2];
            for (k = 0; k < 4; k++)
                p[k] = 4 * h + k < planes ? vld1q_u8(decoder->plane[4 * h + k] + i) : vdupq_n_u8(0);
            for (k = 0; k < 2; k++) {
                low[k] = vreinterpretq_u16_u8(vzip1q_u8(p[2 * k], p[2 * k + 1]));
                high[k] = vreinterpretq_u16_u8(vzip2q_u8(p[2 * k], p[2 * k + 1]));
            }
            half[h][0] = vreinterpretq_u32_u16(vzip1q_u16(low[0], low[1]));
            half[h][1] = vreinterpretq_u32_u16(vzip2q_u16(low[0], low[1]));
            half[h][2] = vreinterpretq_u32_u16(vzip1q_u16(high[0], high[1]));
            half[h][3] = vreinterpretq_u32_u16(vzip2q_u16(high[0], high[1]));
        }
        for (k = 0; k < 4; k++) {
            vst1q_u64(z + i + 4 * k, vreinterpretq_u64_u32(vzip1q_u32(half[0][k], half[1][k])));
            vst1q_u64(z + i + 4 * k + 2, vreinterpretq_u64_u32(vzip2q_u32(half[0][k], half[1][k])));
        }
    }
    padici_codec_next_planes(decoder, z, i, to);
}
#endif

#endif
// room: src/simd/codec/rans.c
// @per-level
#if !defined(PADIC_NO_CODEC) && PADICI_ISA_LEVEL <= 3

// Symbol | frequency - 1 << 8 | offset << 20, repeated as often as the symbol's frequency.
#if PADICI_ISA_LEVEL == 3
PADICI_TARGET static void PADICI_CK(slots)(const uint16_t freq[256], uint32_t *table)
{
    const __m512i lanes = _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
    const __m512i up = _mm512_set1_epi32(16 << 20);
    uint32_t s;
    for (s = 0; s < 256; s++) {
        uint32_t left = freq[s];
        __m512i v = _mm512_add_epi32(_mm512_slli_epi32(lanes, 20),
                                     _mm512_set1_epi32((int)(s | (left - 1) << 8)));
        for (; left > 16; left -= 16, table += 16, v = _mm512_add_epi32(v, up))
            PADICI_L(store)(table, v);
        _mm512_mask_storeu_epi32(table, (__mmask16)((1u << left) - 1), v);
        table += left;
    }
}
#else
PADICI_TARGET static void PADICI_CK(slots)(const uint16_t freq[256], uint32_t *table)
{
    static const uint32_t offsets[8] = {0,       1 << 20, 2 << 20, 3 << 20,
                                        4 << 20, 5 << 20, 6 << 20, 7 << 20};
    const PADICI_V first = PADICI_L(load)(offsets), up = PADICI_ALL32(PADICI_LANES32 << 20);
    const uint32_t *const end = table + PADICI_CODEC_RANS_TOTAL;
    uint32_t s, i;
    for (s = 0; s < 256; s++) {
        const uint32_t f = freq[s], entry = s | (f - 1) << 8;
        PADICI_V v = PADICI_ADD32(first, PADICI_ALL32(entry));
        for (i = 0; i < f && end - table >= (ptrdiff_t)i + PADICI_LANES32; i += PADICI_LANES32) {
            PADICI_L(store)(table + i, v); // entries beyond f are overwritten later
            v = PADICI_ADD32(v, up);
        }
        for (; i < f; i++) table[i] = entry | i << 20;
        table += f;
    }
}
#endif

#if PADICI_ISA_LEVEL >= 2
// States that are low refill with one word each.
#if PADICI_ISA_LEVEL == 3
PADICI_TARGET PADICI_INLINE PADICI_V PADICI_CK(refill)(PADICI_V y, __mmask16 low, const uint8_t **p)
{
    const __m512i words = _mm512_cvtepu16_epi32(PADICI_LOADH(*p));
    *p += 2 * _mm_popcnt_u32((uint32_t)padici_mask16(low));
    return _mm512_mask_or_epi32(y, low, _mm512_slli_epi32(y, 16),
                                _mm512_maskz_expand_epi32(low, words));
}
#else
PADICI_TARGET PADICI_INLINE PADICI_V PADICI_CK(refill)(PADICI_V y, __m256i low, const uint8_t **p)
{
    __m256i sum = _mm256_add_epi32(low, _mm256_slli_si256(low, 4)), words;
    sum = _mm256_add_epi32(sum, _mm256_slli_si256(sum, 8));
    sum = _mm256_add_epi32(sum, _mm256_blend_epi32(_mm256_setzero_si256(),
                                                   _mm256_permutevar8x32_epi32(
                                                       sum, _mm256_set1_epi32(3)),
                                                   0xf0));
    words = _mm256_cvtepu16_epi32(PADICI_LOADH(*p));
    words = _mm256_permutevar8x32_epi32(words, _mm256_sub_epi32(low, sum)); // each lane's word
    *p += 2 * _mm_popcnt_u32((uint32_t)_mm256_movemask_ps(_mm256_castsi256_ps(low)));
    return _mm256_blendv_epi8(y, _mm256_or_si256(_mm256_slli_epi32(y, 16), words), low);
}
#endif

// The next states after the symbols of entries `e`.
PADICI_TARGET PADICI_INLINE PADICI_V PADICI_CK(advance)(PADICI_V x, PADICI_V e)
{
    const PADICI_V mask = PADICI_ALL32(PADICI_CODEC_RANS_TOTAL - 1);
    const PADICI_V f = PADICI_XI(and)(PADICI_X(srli_epi32)(e, 8), mask);
    const PADICI_V q = PADICI_X(srli_epi32)(x, PADICI_CODEC_RANS_SCALE_BITS);
    return PADICI_ADD32(PADICI_X(mullo_epi32)(f, q),
                        PADICI_ADD32(q, PADICI_X(srli_epi32)(e, 20)));
}

// The symbols of entries, one byte each.
PADICI_TARGET PADICI_INLINE void PADICI_CK(store_symbols)(uint8_t *data, PADICI_V e)
{
#if PADICI_ISA_LEVEL == 3
    PADICI_STOREQ(data, _mm512_cvtepi32_epi8(e));
#else
    const __m256i first = _mm256_setr_epi8(0, 4, 8, 12, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1,
                                           -1, 0, 4, 8, 12, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1,
                                           -1, -1);
    const __m256i bytes = _mm256_shuffle_epi8(e, first);
    padici_store32(data, (uint32_t)_mm256_extract_epi32(bytes, 0));
    padici_store32(data + 4, (uint32_t)_mm256_extract_epi32(bytes, 4));
#endif
}

PADICI_TARGET static const uint8_t *PADICI_CK(rans)(uint32_t state[32], const uint32_t *table,
                                                    const uint8_t *p, const uint8_t *end,
                                                    uint8_t *data, size_t n, size_t *done)
{
    const PADICI_V mask = PADICI_ALL32(PADICI_CODEC_RANS_TOTAL - 1);
    PADICI_V x[32 / PADICI_LANES32];
    size_t at = 0;
    uint32_t k;
    PADICI_UNROLL_ALL
    for (k = 0; k < 32 / PADICI_LANES32; k++) x[k] = PADICI_L(load)(state + PADICI_LANES32 * k);
    for (; at + 32 <= n && end - p >= 64; at += 32) {
        PADICI_UNROLL_ALL
        for (k = 0; k < 32 / PADICI_LANES32; k++) {
            const PADICI_V e = PADICI_GATHER32(table, PADICI_XI(and)(x[k], mask));
            const PADICI_V y = PADICI_CK(advance)(x[k], e);
            PADICI_CK(store_symbols)(data + at + PADICI_LANES32 * k, e);
            x[k] = PADICI_CK(refill)(y, PADICI_LOW(y), &p);
        }
    }
    PADICI_UNROLL_ALL
    for (k = 0; k < 32 / PADICI_LANES32; k++) PADICI_L(store)(state + PADICI_LANES32 * k, x[k]);
    *done = at;
    return p;
}

// The states of a step with contexts, whose tables start at `begin`, in active lanes; returns the
// symbols, 32 bits each.
PADICI_TARGET PADICI_INLINE PADICI_V PADICI_CK(context_step)(PADICI_V *state, PADICI_V begin,
                                                             PADICI_M32 active,
                                                             const uint32_t *table,
                                                             const uint8_t **p)
{
    const PADICI_V x = *state, mask = PADICI_ALL32(PADICI_CODEC_RANS_TOTAL - 1);
    const PADICI_V e = PADICI_GATHER32(table, PADICI_XI(or)(begin, PADICI_XI(and)(x, mask)));
    const PADICI_V y = PADICI_PICK32(active, PADICI_CK(advance)(x, e), x);
    *state = PADICI_CK(refill)(y, PADICI_M32AND(active, PADICI_LOW(y)), p);
    return PADICI_XI(and)(e, PADICI_ALL32(255));
}
#endif

#endif
// room: src/simd/codec/contexts.c
// @per-level
#if !defined(PADIC_NO_CODEC) && (PADICI_ISA_LEVEL == 2 || PADICI_ISA_LEVEL == 3)

// rANS with contexts, 32 stretches at once. The bytes of the last two steps stay in registers; all
// bytes go to rows, lane by lane, which are transposed to stretches at the end.

#if PADICI_ISA_LEVEL == 3
// The contexts of sums 0 to 511, 4 bits each, rotated so that those of 8 k are at bit 12.
PADICI_TARGET PADICI_INLINE void PADICI_CK(nibbles)(const padici_codec_context_plan *plan,
                                                    const uint8_t *map, __m512i nibbles[4])
{
    const uint32_t reach = plan->b ? 64 : 32;
    uint32_t packed[64], k, v;
    for (k = 0; k < reach; k++) {
        uint32_t word = 0;
        for (v = 8; v-- > 0;) word = word << 4 | map[8 * k + v];
        packed[k] = word << 12 | word >> 20;
    }
    for (; k < 64; k++) packed[k] = 0;
    for (k = 0; k < 4; k++) nibbles[k] = PADICI_L(load)(packed + 16 * k);
}

// The table offsets of the contexts of 16 sums.
PADICI_TARGET PADICI_INLINE __m512i PADICI_CK(bucket16)(__m512i sum, const __m512i nibbles[4],
                                                        int wide)
{
    const __m512i at = _mm512_srli_epi32(sum, 3), turn = _mm512_slli_epi32(sum, 2);
    __m512i v = _mm512_permutex2var_epi32(nibbles[0], at, nibbles[1]);
    if (wide)
        v = _mm512_mask_mov_epi32(v, _mm512_cmpge_epu32_mask(sum, _mm512_set1_epi32(256)),
                                  _mm512_permutex2var_epi32(nibbles[2], at, nibbles[3]));
    return _mm512_and_si512(_mm512_rorv_epi32(v, turn), _mm512_set1_epi32(0xf000));
}

// The previous bytes, and the one `lanes` stretches and `steps` steps before where it exists.
PADICI_TARGET PADICI_INLINE __m512i PADICI_CK(before)(__m512i last, const uint8_t *row, size_t j,
                                                      size_t steps, size_t lanes, size_t half)
{
    const uint8_t *const from = row + half - 32 * steps - lanes;
    if (steps > j || lanes >= 32 || (steps == 1 && lanes == 0)) return last;
    return _mm512_mask_cvtepu8_epi32(last, (__mmask16)((0xffffffffu << lanes) >> half),
                                     PADICI_LOADQ(from));
}

PADICI_TARGET PADICI_INLINE size_t PADICI_CK(context_run)(const padici_codec_context_plan *plan,
                                                          const uint32_t *table, const uint8_t *map,
                                                          uint32_t state[32], size_t n,
                                                          const uint8_t **words, const uint8_t *end,
                                                          uint8_t *row, uint32_t what)
{
    const size_t length = plan->length, a = plan->a / length, b = plan->b / length;
    const size_t a_steps = plan->a % length, b_steps = plan->b % length;
    const int wide = plan->b && plan->from[plan->count - 1] > 255;
    const __m512i most = _mm512_set1_epi32(255);
    __m512i x = PADICI_L(load)(state), y = PADICI_L(load)(state + 16), nibbles[4];
    __m512i last_x = _mm512_setzero_si512(), last_y = last_x, old_x = last_x, old_y = last_x;
    size_t lanes = (n + length - 1) / length, j;
    const uint8_t *p = *words;
    PADICI_CK(nibbles)(plan, map, nibbles);
    for (j = 0; j < length && end - p >= 64; j++, row += 32) {
        __m512i u = last_x, v = last_y;
        uint32_t active;
        while ((lanes - 1) * length + j >= n) lanes--;
        active = 0xffffffffu >> (32 - lanes);
        if (what == PADICI_CODEC_CONTEXT_COLUMN) {
            u = v = _mm512_set1_epi32(map[j % plan->b] << 12);
        } else {
            if (what == PADICI_CODEC_CONTEXT_TWO) {
                u = _mm512_add_epi32(u, j > 1 ? old_x : last_x);
                v = _mm512_add_epi32(v, j > 1 ? old_y : last_y);
                old_x = last_x;
                old_y = last_y;
            } else if (what == PADICI_CODEC_CONTEXT_ANY) {
                u = PADICI_CK(before)(last_x, row, j, a_steps, a, 0);
                v = PADICI_CK(before)(last_y, row, j, a_steps, a, 16);
                if (plan->b) {
                    u = _mm512_add_epi32(u, PADICI_CK(before)(last_x, row, j, b_steps, b, 0));
                    v = _mm512_add_epi32(v, PADICI_CK(before)(last_y, row, j, b_steps, b, 16));
                }
            }
            if (what != PADICI_CODEC_CONTEXT_ONE && !wide) {
                u = _mm512_min_epu32(u, most);
                v = _mm512_min_epu32(v, most);
            }
            u = PADICI_CK(bucket16)(u, nibbles, wide);
            v = PADICI_CK(bucket16)(v, nibbles, wide);
        }
        last_x = PADICI_CK(context_step)(&x, u, (__mmask16)(active & 0xffff), table, &p);
        last_y = PADICI_CK(context_step)(&y, v, (__mmask16)(active >> 16), table, &p);
        PADICI_CK(store_symbols)(row, last_x);
        PADICI_CK(store_symbols)(row + 16, last_y);
    }
    PADICI_L(store)(state, x);
    PADICI_L(store)(state + 16, y);
    *words = p;
    return j;
}
#else
// The order of the 16-bit lanes of a step after packing four vectors of states: lanes 0 to 3, 8 to
// 11, 4 to 7, 12 to 15.
PADICI_TARGET PADICI_INLINE __m256i PADICI_CK(mixed)(__m128i bytes)
{
    return _mm256_permute4x64_epi64(_mm256_cvtepu8_epi16(bytes), 0xd8);
}

// The previous bytes, and the one `lanes` stretches and `steps` steps before where it exists, of
// lanes from `half` on, which start at `row`.
PADICI_TARGET PADICI_INLINE __m256i PADICI_CK(before)(__m256i last, const uint8_t *row, size_t j,
                                                      size_t steps, size_t lanes, uint32_t half)
{
    const uint8_t *const from = row - 32 * steps - lanes;
    const __m256i lane = _mm256_setr_epi16(0, 1, 2, 3, 8, 9, 10, 11, 4, 5, 6, 7, 12, 13, 14, 15);
    if (steps > j || lanes >= 32 || (steps == 1 && lanes == 0)) return last;
    return _mm256_blendv_epi8(
        PADICI_CK(mixed)(PADICI_LOADH(from)), last,
        _mm256_cmpgt_epi16(_mm256_set1_epi16((short)((int)lanes - (int)half)), lane));
}

PADICI_TARGET PADICI_INLINE size_t PADICI_CK(context_run)(const padici_codec_context_plan *plan,
                                                          const uint32_t *table, const uint8_t *map,
                                                          uint32_t state[32], size_t n,
                                                          const uint8_t **words, const uint8_t *end,
                                                          uint8_t *row, uint32_t what)
{
    const size_t length = plan->length, steps[2] = {plan->a % length, plan->b % length};
    const size_t behind[2] = {plan->a / length, plan->b / length};
    const __m256i lane = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7), none = _mm256_setzero_si256();
    const __m256i order = _mm256_setr_epi32(0, 4, 1, 5, 2, 6, 3, 7);
    __m256i x[4], last[2], old[2], active[4], from[PADICI_CODEC_CONTEXTS];
    size_t lanes = (n + length - 1) / length + 1, j;
    const uint8_t *p = *words;
    uint32_t k, h;
    for (k = 0; k < 4; k++) x[k] = PADICI_L(load)(state + 8 * k);
    for (k = 1; k < plan->count; k++) from[k] = _mm256_set1_epi16((short)(plan->from[k] - 1));
    last[0] = last[1] = old[0] = old[1] = none;
    for (j = 0; j < length && end - p >= 64; j++, row += 32) {
        __m256i begin[2];
        if ((lanes - 1) * length + j >= n || j == 0) {
            while ((lanes - 1) * length + j >= n) lanes--;
            for (k = 0; k < 4; k++)
                active[k] = _mm256_cmpgt_epi32(_mm256_set1_epi32((int)lanes - 8 * (int)k), lane);
        }
        for (h = 0; h < 2; h++) {
            __m256i sum = last[h], bucket16 = none;
            if (what == PADICI_CODEC_CONTEXT_COLUMN) {
                begin[h] = _mm256_set1_epi16((short)((uint32_t)map[j % plan->b] << 12));
                continue;
            }
            if (what == PADICI_CODEC_CONTEXT_TWO) {
                sum = _mm256_add_epi16(sum, j > 1 ? old[h] : last[h]);
                old[h] = last[h];
            } else if (what == PADICI_CODEC_CONTEXT_ANY) {
                sum = PADICI_CK(before)(last[h], row + 16 * h, j, steps[0], behind[0], 16 * h);
                if (plan->b)
                    sum = _mm256_add_epi16(
                        sum, PADICI_CK(before)(last[h], row + 16 * h, j, steps[1], behind[1],
                                               16 * h));
            }
            for (k = 1; k < plan->count; k++)
                bucket16 = _mm256_sub_epi16(bucket16, _mm256_cmpgt_epi16(sum, from[k]));
            begin[h] = _mm256_slli_epi16(bucket16, 12);
        }
        for (h = 0; h < 2; h++) {
            const __m256i a = PADICI_CK(context_step)(
                &x[2 * h], _mm256_unpacklo_epi16(begin[h], none), active[2 * h], table, &p);
            const __m256i b = PADICI_CK(context_step)(
                &x[2 * h + 1], _mm256_unpackhi_epi16(begin[h], none), active[2 * h + 1], table, &p);
            last[h] = _mm256_packus_epi32(a, b);
        }
        PADICI_L(store)(
            row, _mm256_permutevar8x32_epi32(_mm256_packus_epi16(last[0], last[1]), order));
    }
    for (k = 0; k < 4; k++) PADICI_L(store)(state + 8 * k, x[k]);
    *words = p;
    return j;
}
#endif

PADICI_TARGET static size_t PADICI_CK(context)(const padici_codec_context_plan *plan,
                                               const uint32_t *table, const uint8_t *map,
                                               uint32_t state[32], uint8_t *data, size_t n,
                                               const uint8_t **words, const uint8_t *end,
                                               uint8_t *rows, size_t room)
{
    uint8_t *const row = rows + 64;
    size_t j;
    if (!padici_simd_codec_rows_fit(plan, n, room)) return 0;
    memset(rows, 0, 64);
    if (plan->a == 0)
        j = PADICI_CK(context_run)(plan, table, map, state, n, words, end, row,
                                   PADICI_CODEC_CONTEXT_COLUMN);
    else if (plan->a == 1 && plan->b == 0)
        j = PADICI_CK(context_run)(plan, table, map, state, n, words, end, row,
                                   PADICI_CODEC_CONTEXT_ONE);
    else if (plan->a == 1 && plan->b == 2)
        j = PADICI_CK(context_run)(plan, table, map, state, n, words, end, row,
                                   PADICI_CODEC_CONTEXT_TWO);
    else
        j = PADICI_CK(context_run)(plan, table, map, state, n, words, end, row,
                                   PADICI_CODEC_CONTEXT_ANY);
    padici_simd_codec_stretches(row, data, j, plan->length, n);
    return j;
}

#endif
// room: src/simd/codec/elements.c
// @per-level
#if !defined(PADIC_NO_CODEC) && (PADICI_ISA_LEVEL == 2 || PADICI_ISA_LEVEL == 3)

// Words to elements and back, by a transform; `kind`, `is_float` and `size` are constants at each
// call.

// The double nearest to a signed word.
PADICI_TARGET PADICI_INLINE PADICI_D PADICI_CK(to_double)(PADICI_V n)
{
#if PADICI_ISA_LEVEL == 3
    return _mm512_cvtepi64_pd(n);
#else // both halves are parts of doubles; one addition joins them
    const __m256i tail = _mm256_set1_epi64x(0x4330000000000000);
    const __m256i head = _mm256_set1_epi64x(0x4530000080000000);
    const __m256d both = _mm256_castsi256_pd(_mm256_set1_epi64x(0x4530000080100000));
    const __m256i low = _mm256_blend_epi32(tail, n, 0x55);
    const __m256i high = _mm256_xor_si256(_mm256_srli_epi64(n, 32), head);
    return _mm256_add_pd(_mm256_sub_pd(_mm256_castsi256_pd(high), both), _mm256_castsi256_pd(low));
#endif
}

// First rounded to odd, which a second rounding cannot distinguish from the exact value: 29 bits
// fewer are the 24 of a float. A value out of a float's range is also out of f16's.
PADICI_TARGET PADICI_INLINE __m128i PADICI_CK(to_f16)(PADICI_D x)
{
    const PADICI_V bits = PADICI_BITS(x), low = PADICI_L(all)((1 << 29) - 1);
#if PADICI_ISA_LEVEL == 3
    const __m512i cut = _mm512_andnot_si512(low, bits), odd = _mm512_set1_epi64(1 << 29);
    const __m512i y = _mm512_mask_or_epi64(cut, _mm512_test_epi64_mask(bits, low), cut, odd);
    return _mm256_cvtps_ph(_mm512_cvtpd_ps(PADICI_DOUBLE(y)), _MM_FROUND_TO_NEAREST_INT);
#else
    const __m256i whole = _mm256_cmpeq_epi64(_mm256_and_si256(bits, low), _mm256_setzero_si256());
    const __m256i odd = _mm256_andnot_si256(whole, _mm256_set1_epi64x(1 << 29));
    const __m256i y = _mm256_or_si256(_mm256_andnot_si256(low, bits), odd);
    return _mm_cvtps_ph(_mm256_cvtpd_ps(PADICI_DOUBLE(y)), _MM_FROUND_TO_NEAREST_INT);
#endif
}

// Float bits as signed words in the order of their values; its own inverse.
PADICI_TARGET PADICI_INLINE PADICI_V PADICI_CK(ordered)(PADICI_V bits, uint32_t size)
{
    return PADICI_L(bit_xor)(bits, PADICI_SHR(PADICI_L(sign)(bits), 65 - 8 * size));
}

// A vector of elements.
PADICI_TARGET PADICI_INLINE void PADICI_CK(put)(const padici_codec_transform *transform,
                                                uint32_t kind, int is_float, uint32_t size,
                                                PADICI_V n, uint8_t *to)
{
    if (kind == PADICI_CODEC_TRANSFORM_BITS && is_float) {
        const PADICI_V sign = PADICI_L(sign)(PADICI_SHL(n, 64 - 8 * size));
        n = PADICI_L(bit_xor)(n, PADICI_SHR(sign, 65 - 8 * size));
    } else if (kind == PADICI_CODEC_TRANSFORM_FIELDS) {
        const PADICI_V ones = PADICI_L(all)(~UINT64_C(0) >> (64 - 8 * size));
        const PADICI_V top = PADICI_SHL(n, 8 * size - 1);
        n = PADICI_L(bit_or)(PADICI_X(srli_epi64)(PADICI_L(bit_and)(n, ones), 1), top);
    } else if (kind >= PADICI_CODEC_TRANSFORM_SCALE && is_float) {
        const PADICI_D g = PADICI_DOUBLE(PADICI_L(all)(transform->g));
        PADICI_D x = PADICI_CK(to_double)(n);
        x = kind == PADICI_CODEC_TRANSFORM_DECIMAL ? PADICI_X(div_pd)(x, g)
                                                   : PADICI_X(mul_pd)(x, g);
        if (kind == PADICI_CODEC_TRANSFORM_AFFINE)
            x = PADICI_X(add_pd)(x, PADICI_DOUBLE(PADICI_L(all)(transform->o)));
        if (size == 2) {
            PADICI_STOREQ(to, PADICI_CK(to_f16)(x));
            return;
        }
        if (size == 4) {
            PADICI_STOREH(to, PADICI_TO_FLOATS(x));
            return;
        }
        if (transform->single) x = PADICI_FROM_FLOATS(PADICI_TO_FLOATS(x));
        n = PADICI_BITS(x);
    }
    if (size == 8) PADICI_L(store)(to, n);
    if (size == 4) PADICI_STOREH(to, PADICI_CUT32(n));
    if (size == 2) PADICI_STOREQ(to, PADICI_CUT16(n));
    if (size == 1) PADICI_STORE_BYTES(to, n);
}

PADICI_TARGET PADICI_INLINE void PADICI_CK(elements_loop)(const padici_codec_transform *given,
                                                          uint32_t kind, int is_float,
                                                          uint32_t size, const uint64_t *words,
                                                          uint8_t *raw, size_t n)
{
    const padici_codec_transform transform = *given;
    const PADICI_V first = PADICI_L(all)(transform.first), step = PADICI_L(all)(transform.step);
    size_t i;
    for (i = 0; transform.step == 1 && i < n; i += PADICI_LANES)
        PADICI_CK(put)(&transform, kind, is_float, size,
                       PADICI_L(add)(first, PADICI_L(load)(words + i)), raw + i * size);
    for (; i < n; i += PADICI_LANES) {
        const PADICI_V w = PADICI_L(mul64)(step, PADICI_L(load)(words + i));
        PADICI_CK(put)(&transform, kind, is_float, size, PADICI_L(add)(first, w), raw + i * size);
    }
}

PADICI_FN PADICI_TARGET void PADICI_CK(elements)(const padici_codec_transform *transform,
                                                 padic_dtype dtype, const uint64_t *words,
                                                 uint8_t *raw, size_t n)
{
    const uint32_t size = padic_dtype_size(dtype);
    const int is_float = padici_codec_is_float(dtype);
    const size_t whole = n - n % PADICI_LANES;
#define PADICI_CODEC_RUN_TRANSFORM(KIND, FLOAT, SIZE) \
    if (transform->kind == (KIND) && is_float == (FLOAT) && size == (SIZE)) { \
        PADICI_CK(elements_loop)(transform, KIND, FLOAT, SIZE, words, raw, whole); \
        if (whole < n) \
            padici_codec_words_to_elements(transform, dtype, words + whole, raw + whole * size, \
                                           n - whole); \
        return; \
    }
    if (!padici_simd_codec_plain_transform(transform, dtype)) {
        PADICI_CODEC_TRANSFORM_LOOPS(PADICI_CODEC_RUN_TRANSFORM)
    }
#undef PADICI_CODEC_RUN_TRANSFORM
    padici_codec_words_to_elements(transform, dtype, words, raw, n);
}

#if PADICI_ISA_LEVEL == 3
// Words of 32 bits, x[i] to x[to - 1], to floats by the transforms that scale; returns where it
// stopped.
PADICI_TARGET PADICI_INLINE size_t PADICI_CK(scaled_loop)(const uint8_t *x, size_t i, size_t to,
                                                          const padici_codec_transform *given,
                                                          uint32_t kind, uint32_t size,
                                                          uint8_t *raw)
{
    const padici_codec_transform transform = *given;
    const PADICI_V first = PADICI_L(all)(transform.first);
    for (; i + PADICI_LANES <= to; i += PADICI_LANES) {
        const PADICI_V w = _mm512_cvtepi32_epi64(PADICI_LOADH(x + 4 * i));
        PADICI_CK(put)(&transform, kind, 1, size, PADICI_L(add)(first, w), raw + i * size);
    }
    return i;
}

PADICI_FN PADICI_TARGET size_t PADICI_CK(scaled)(const uint8_t *x, size_t i, size_t to,
                                                 const padici_codec_transform *transform,
                                                 padic_dtype dtype, uint8_t *raw)
{
    const uint32_t size = padic_dtype_size(dtype);
    if (!padici_codec_is_float(dtype) || transform->step != 1 ||
        padici_simd_codec_plain_transform(transform, dtype))
        return i;
    if (transform->kind == PADICI_CODEC_TRANSFORM_SCALE && size == 4)
        return PADICI_CK(scaled_loop)(x, i, to, transform, PADICI_CODEC_TRANSFORM_SCALE, 4, raw);
    if (transform->kind == PADICI_CODEC_TRANSFORM_SCALE && size == 8)
        return PADICI_CK(scaled_loop)(x, i, to, transform, PADICI_CODEC_TRANSFORM_SCALE, 8, raw);
    if (transform->kind == PADICI_CODEC_TRANSFORM_DECIMAL && size == 4)
        return PADICI_CK(scaled_loop)(x, i, to, transform, PADICI_CODEC_TRANSFORM_DECIMAL, 4, raw);
    if (transform->kind == PADICI_CODEC_TRANSFORM_DECIMAL && size == 8)
        return PADICI_CK(scaled_loop)(x, i, to, transform, PADICI_CODEC_TRANSFORM_DECIMAL, 8, raw);
    return i;
}
#endif

#if PADICI_ISA_LEVEL == 3
#define PADICI_ROUND_LIMIT 4611686018427387904.0 // 2^62
#else
#define PADICI_ROUND_LIMIT 2251799813685247.0 // 2^51 - 1
#endif

// The integers nearest to v below the limit, halves away from 0, as words and doubles.
PADICI_TARGET PADICI_INLINE PADICI_D PADICI_CK(round)(PADICI_D v, PADICI_V *word)
{
#if PADICI_ISA_LEVEL == 3
    const __m512d half = _mm512_set1_pd(0.5), whole = _mm512_set1_pd(4503599627370496.0);
    const __m512d nearest = _mm512_mask_sub_pd(
        _mm512_add_pd(v, half), _mm512_cmp_pd_mask(v, _mm512_setzero_pd(), _CMP_LT_OQ), v, half);
    v = _mm512_mask_mov_pd(v, PADICI_LESS(_mm512_abs_pd(v), whole), nearest);
    *word = _mm512_cvttpd_epi64(v);
    return _mm512_cvtepi64_pd(*word);
#else
    const __m256d half = _mm256_set1_pd(0.5), sign = _mm256_set1_pd(-0.0);
    const __m256d magic = _mm256_set1_pd(6755399441055744.0); // 2^52 + 2^51: its low bits are n
    v = _mm256_add_pd(v, _mm256_or_pd(half, _mm256_and_pd(v, sign)));
    v = _mm256_add_pd(_mm256_round_pd(v, _MM_FROUND_TO_ZERO | _MM_FROUND_NO_EXC), magic);
    *word = _mm256_sub_epi64(_mm256_castpd_si256(v), _mm256_castpd_si256(magic));
    return _mm256_sub_pd(v, magic);
#endif
}

// A mask of the lanes that reproduce their bits, or are within the tolerance; *close, at level 3
// only: those so close that their words are coded relative to each other. `holds`: the candidates.
PADICI_TARGET PADICI_INLINE uint32_t PADICI_CK(held)(uint32_t size, PADICI_D value, PADICI_D again,
                                                     PADICI_V bits, PADICI_V raw, PADICI_M holds,
                                                     double within, PADICI_M *close)
{
    PADICI_M equal;
#if PADICI_ISA_LEVEL == 3
    equal = _mm512_mask_cmpeq_epi64_mask(holds, raw, bits);
    if (PADICI_LIKELY(PADICI_WHICH(equal) == 0xff)) return 0xff;
    bits = _mm512_sub_epi64(PADICI_CK(ordered)(raw, size), PADICI_CK(ordered)(bits, size));
    bits = _mm512_add_epi64(bits, _mm512_set1_epi64(64));
    *close = _mm512_mask_cmple_epu64_mask(holds, bits, _mm512_set1_epi64(128));
    again = PADICI_ABS(_mm512_sub_pd(value, again));
    equal |= _mm512_mask_cmp_pd_mask(holds, again, _mm512_set1_pd(within), _CMP_LT_OQ);
#else
    (void)size;
    (void)close;
    again = PADICI_ABS(_mm256_sub_pd(value, again));
    equal = _mm256_castsi256_pd(_mm256_cmpeq_epi64(raw, bits));
    equal = _mm256_or_pd(equal, PADICI_LESS(again, _mm256_set1_pd(within)));
    equal = _mm256_and_pd(equal, holds);
#endif
    return PADICI_WHICH(equal);
}

// A mask of the elements of a vector that hold, and their words. Those within a tolerance that it
// leaves out are decided one by one.
PADICI_TARGET PADICI_INLINE uint32_t PADICI_CK(get)(const padici_codec_transform *transform,
                                                    uint32_t kind, int is_float, uint32_t size,
                                                    double inverse, double within,
                                                    const uint8_t *from, PADICI_V *word,
                                                    PADICI_M *close)
{
    const PADICI_D g = PADICI_DOUBLE(PADICI_L(all)(transform->g));
    const PADICI_D o = PADICI_DOUBLE(PADICI_L(all)(transform->o));
    const int decimal = kind == PADICI_CODEC_TRANSFORM_DECIMAL;
    PADICI_D value, v, again;
    PADICI_V bits, raw;
    PADICI_M holds;
    if (size == 8) {
        bits = PADICI_L(load)(from);
        value = PADICI_DOUBLE(bits);
    } else if (size == 4) {
        const PADICI_H x = PADICI_LOADH(from);
        bits = PADICI_X(cvtepi32_epi64)(x);
        value = PADICI_FROM_FLOATS(x);
    } else {
        const __m128i x = PADICI_LOADQ(from);
        bits = PADICI_X(cvtepi16_epi64)(x);
        value = PADICI_FROM_HALVES(x);
    }
    if (kind == PADICI_CODEC_TRANSFORM_BITS) { // its shift is 0
        *word = is_float ? PADICI_CK(ordered)(bits, size) : bits;
        return (1u << PADICI_LANES) - 1;
    }
    if (kind == PADICI_CODEC_TRANSFORM_FIELDS) {
        const PADICI_V ones = PADICI_L(all)(~UINT64_C(0) >> (64 - 8 * size));
        const PADICI_V top = PADICI_X(srli_epi64)(bits, 63); // they are signed
        *word = PADICI_L(bit_or)(PADICI_L(bit_and)(PADICI_X(slli_epi64)(bits, 1), ones), top);
        return (1u << PADICI_LANES) - 1;
    }
    v = kind == PADICI_CODEC_TRANSFORM_AFFINE ? PADICI_X(sub_pd)(value, o) : value;
    v = PADICI_X(mul_pd)(v, decimal ? g : PADICI_X(set1_pd)(inverse));
    holds = PADICI_LESS(PADICI_ABS(v), PADICI_X(set1_pd)(PADICI_ROUND_LIMIT));
    again = PADICI_CK(round)(v, word);
    again = decimal ? PADICI_X(div_pd)(again, g) : PADICI_X(mul_pd)(again, g);
    if (kind == PADICI_CODEC_TRANSFORM_AFFINE) again = PADICI_X(add_pd)(again, o);
    if (size == 8) {
        if (transform->single) again = PADICI_FROM_FLOATS(PADICI_TO_FLOATS(again));
        raw = PADICI_BITS(again);
    } else if (size == 4) {
        const PADICI_H x = PADICI_TO_FLOATS(again);
        raw = PADICI_X(cvtepi32_epi64)(x);
        again = PADICI_FROM_FLOATS(x);
    } else {
        const __m128i x = PADICI_CK(to_f16)(again);
        raw = PADICI_X(cvtepi16_epi64)(x);
        again = PADICI_FROM_HALVES(x);
    }
    return PADICI_CK(held)(size, value, again, bits, raw, holds, within, close);
}

PADICI_TARGET PADICI_INLINE size_t PADICI_CK(words_loop)(const padici_codec_transform *given,
                                                         uint32_t kind,
                                                         const padici_codec_tolerance *tolerance,
                                                         padic_dtype dtype, uint32_t size,
                                                         const uint8_t *raw, size_t n,
                                                         uint64_t *words, uint32_t *off,
                                                         size_t most)
{
    const padici_codec_transform transform = *given;
    const double inverse = 1.0 / padici_codec_double_of(transform.g);
    const double within = padici_simd_codec_within(tolerance);
    size_t count = 0, i = 0, run = PADICI_LANES; // run: elements decided one by one
    while (i + PADICI_LANES <= n) {
        PADICI_V word;
        PADICI_M close = PADICI_MNONE;
        const uint32_t all = (1u << PADICI_LANES) - 1;
        const uint32_t held = PADICI_CK(get)(&transform, kind, 1, size, inverse, within,
                                             raw + i * size, &word, &close);
        if (PADICI_LIKELY(held == all)) {
            PADICI_L(store)(words + i, word);
            i += PADICI_LANES, run = PADICI_LANES;
            continue;
        }
#if PADICI_ISA_LEVEL == 3
        if (tolerance->mode == PADIC_CODEC_TOLERANCE_NONE && count + PADICI_LANES <= most) {
            uint32_t lost, bad = all & ~held;
            PADICI_L(store)(words + i, word);
            for (lost = bad & ~PADICI_WHICH(close); lost; lost &= lost - 1) {
                const size_t at = i + padici_ctz64(lost);
                words[at] = at ? words[at - 1] : 0;
            }
            for (; bad; bad &= bad - 1, count++)
                if (off) off[count] = (uint32_t)(i + padici_ctz64(bad));
            i += PADICI_LANES, run = PADICI_LANES;
            continue;
        }
#endif
        run = padici_codec_least(run, n - i);
        count = padici_codec_convert_from(given, tolerance, dtype, size, raw, i, i + run, words,
                                          off, count, most);
        if (count > most) return count;
        i += run, run = run < 256 ? 2 * run : run;
    }
    return padici_codec_convert_from(given, tolerance, dtype, size, raw, i, n, words, off, count,
                                     most);
}

PADICI_TARGET static size_t PADICI_CK(words)(const padici_codec_transform *transform,
                                             const padici_codec_tolerance *tolerance,
                                             padic_dtype dtype, uint32_t size, const uint8_t *raw,
                                             size_t n, uint64_t *words, uint32_t *off, size_t most)
{
    const int is_float = padici_codec_is_float(dtype);
#define PADICI_CODEC_RUN_TRANSFORM(KIND, FLOAT, SIZE) \
    if (transform->kind == (KIND) && is_float && (FLOAT) && size == (SIZE)) \
        return PADICI_CK(words_loop)(transform, KIND, tolerance, dtype, SIZE, raw, n, words, off, \
                                     most);
    if (!padici_simd_codec_plain_transform(transform, dtype)) {
        PADICI_CODEC_TRANSFORM_LOOPS(PADICI_CODEC_RUN_TRANSFORM)
    }
#undef PADICI_CODEC_RUN_TRANSFORM
    return padici_codec_elements_to_words(transform, tolerance, dtype, size, raw, n, words, off,
                                          most);
}

// Least and greatest: where one of two is NaN, min and max are the second.
PADICI_TARGET static void PADICI_CK(range)(padic_dtype dtype, const uint8_t *raw, size_t n,
                                           double *low, double *high)
{
    const size_t size = padic_dtype_size(dtype), step = sizeof(PADICI_V) / size;
    const size_t whole = n / (2 * step) * (2 * step);
    const uint8_t *p, *end = raw + whole * size;
    const double infinite = padici_codec_double_of(UINT64_C(0x7ff) << 52);
    double a[8], b[8];
    uint32_t k;
    padici_codec_range_loop(dtype, raw + whole * size, n - whole, low, high);
    if (dtype == PADIC_F32) {
        PADICI_F least = PADICI_X(set1_ps)((float)infinite);
        PADICI_F most = PADICI_X(set1_ps)((float)-infinite);
        PADICI_F other = least, more = most;
        float x[16], y[16];
        for (p = raw; p < end; p += 2 * sizeof(PADICI_V)) {
            const PADICI_F u = PADICI_X(loadu_ps)((const float *)(const void *)p);
            const PADICI_F v = PADICI_X(loadu_ps)((const float *)(const void *)(p + sizeof u));
            least = PADICI_X(min_ps)(u, least);
            most = PADICI_X(max_ps)(u, most);
            other = PADICI_X(min_ps)(v, other);
            more = PADICI_X(max_ps)(v, more);
        }
        PADICI_X(storeu_ps)(x, PADICI_X(min_ps)(least, other));
        PADICI_X(storeu_ps)(y, PADICI_X(max_ps)(most, more));
        for (k = 0; k < PADICI_LANES; k++) {
            a[k] = (double)(x[k] < x[k + PADICI_LANES] ? x[k] : x[k + PADICI_LANES]);
            b[k] = (double)(y[k] > y[k + PADICI_LANES] ? y[k] : y[k + PADICI_LANES]);
        }
    } else {
        PADICI_D least = PADICI_X(set1_pd)(infinite), most = PADICI_X(set1_pd)(-infinite);
        PADICI_D other = least, more = most;
        for (p = raw; p < end; p += 2 * sizeof(PADICI_V)) {
            const PADICI_D u = PADICI_X(loadu_pd)((const double *)(const void *)p);
            const PADICI_D v = PADICI_X(loadu_pd)((const double *)(const void *)(p + sizeof u));
            least = PADICI_X(min_pd)(u, least);
            most = PADICI_X(max_pd)(u, most);
            other = PADICI_X(min_pd)(v, other);
            more = PADICI_X(max_pd)(v, more);
        }
        PADICI_X(storeu_pd)(a, PADICI_X(min_pd)(least, other));
        PADICI_X(storeu_pd)(b, PADICI_X(max_pd)(most, more));
    }
    for (k = 0; k < PADICI_LANES; k++) {
        if (a[k] < *low) *low = a[k];
        if (b[k] > *high) *high = b[k];
    }
}

// 1 if all differences are less than the tolerance.
PADICI_TARGET static int PADICI_CK(within)(padic_dtype dtype, const uint8_t *a, const uint8_t *b,
                                           size_t n, double tolerance)
{
    const PADICI_D most = PADICI_X(set1_pd)(tolerance);
    const size_t size = padic_dtype_size(dtype), whole = n / PADICI_LANES * PADICI_LANES;
    uint32_t inside = (1u << PADICI_LANES) - 1;
    size_t i;
    for (i = 0; i < whole; i += PADICI_LANES) {
        PADICI_D d;
        if (dtype == PADIC_F32)
            d = PADICI_X(sub_pd)(PADICI_FROM_FLOATS(PADICI_LOADH(a + 4 * i)),
                                 PADICI_FROM_FLOATS(PADICI_LOADH(b + 4 * i)));
        else
            d = PADICI_X(sub_pd)(PADICI_DOUBLE(PADICI_L(load)(a + 8 * i)),
                                 PADICI_DOUBLE(PADICI_L(load)(b + 8 * i)));
        inside &= PADICI_WHICH(PADICI_LESS(PADICI_ABS(d), most));
    }
    if (inside != (1u << PADICI_LANES) - 1) return 0;
    return padici_codec_within_loop(dtype, a + i * size, b + i * size, n - i, tolerance);
}

#endif
// room: src/simd/codec/loops.c
// @per-level
#if !defined(PADIC_NO_CODEC) && PADICI_ISA_LEVEL <= 3

// The loops of every level; a higher level replaces what it does differently.
PADICI_FN void PADICI_CK(loops)(padici_codec_loops *loops)
{
    loops->checksum = PADICI_CK(checksum);
    loops->sum = PADICI_CK(sum);
    loops->lower = PADICI_CK(lower);
    loops->planes = PADICI_CK(planes);
    loops->rans_table = PADICI_CK(slots);
#if PADICI_ISA_LEVEL < 3
    loops->fixed = PADICI_CK(fixed);
    loops->difference = PADICI_CK(difference);
#endif
#if PADICI_ISA_LEVEL >= 2
    loops->rans = PADICI_CK(rans);
    loops->context = PADICI_CK(context);
    loops->elements = PADICI_CK(elements);
    loops->words = PADICI_CK(words);
    loops->range = PADICI_CK(range);
    loops->within = PADICI_CK(within);
#endif
}

#endif
// room: src/made/codec_level_end.h
#undef PADICI_CODEC_RUN_TRANSFORM
#undef PADICI_ROUND_LIMIT
#undef PADICI_JOIN
#undef PADICI_CODEC_UP
#undef PADICI_CODEC_ROWS
#undef PADICI_CODEC_OWN
#undef PADICI_CODEC_UP1
#undef PADICI_CODEC_UP2
#undef PADICI_CODEC_UP3
#undef PADICI_BYTES_AT
#undef PADICI_TAKE
#undef PADICI_VECTORS
#undef PADICI_LANES32
#undef PADICI_H
#undef PADICI_LOADH
#undef PADICI_LOADQ
#undef PADICI_STOREH
#undef PADICI_STOREQ
#undef PADICI_STORE_BYTES
#undef PADICI_CUT32
#undef PADICI_CUT16
#undef PADICI_D
#undef PADICI_F
#undef PADICI_BITS
#undef PADICI_DOUBLE
#undef PADICI_FROM_FLOATS
#undef PADICI_FROM_HALVES
#undef PADICI_TO_FLOATS
#undef PADICI_ABS
#undef PADICI_M
#undef PADICI_MNONE
#undef PADICI_LESS
#undef PADICI_WHICH
#undef PADICI_M32
#undef PADICI_LOW
#undef PADICI_M32AND
#undef PADICI_PICK32
#undef PADICI_GATHER32
#undef PADICI_ADD32
#undef PADICI_ALL32
#undef PADICI_SHL
#undef PADICI_SHR
// room: src/made/simd_level_end.h
#undef PADICI_TARGET
#undef PADICI_V
#undef PADICI_LANES
#undef PADICI_X
#undef PADICI_XI
// room: src/simd/num/words.c
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
// room: src/simd/num/residues.c
// @per-level
#ifndef PADIC_NO_NUM

// ------------------------------------------------------------------------------ >>vector residues

// Constants of a ring. Functions have a constant `kind`: that of padici_simd_num_kind(). Residues
// of kinds 1 and 2 are integers.
typedef struct PADICI_K(ring) {
    PADICI_V p;        // P, or P - 1 for p = 2; kind 0: a double without IFMA
    PADICI_V mu;       // Barrett's constant; 1 / P without IFMA; kind 2: as in padici_num_divide
    PADICI_V up, less; // IFMA: 52 - bits; -P mod 2^52. Kind 2: the shift, P shifted. 3/2 2^52
    PADICI_V down;     // IFMA: bits - 2
    uint64_t power[6]; // p^(2^j); IFMA and kind 2: its inverse mod 2^52, mod 2^64
    uint64_t limit[6]; // 1 / p^(2^j); IFMA and kind 2: the largest quotient
    const padic_num_ring *r;
    uint32_t ladder;   // number of its steps
    uint32_t usual;    // the first of them that divides few numbers, or `ladder`
} PADICI_K(ring);

PADICI_TARGET PADICI_INLINE PADICI_K(ring) PADICI_K(ring_of)(const padic_num_ring *r, int kind)
{
    PADICI_K(ring) c;
    uint32_t j;
    c.r = r;
    c.p = c.mu = c.up = c.less = c.down = PADICI_VSET(r->base - (uint64_t)(kind == 1));
    c.ladder = kind == 1 ? 0 : r->ladder;
    for (c.usual = 0; c.usual < c.ladder && r->ladder_power[c.usual] < 64; c.usual++) {}
    if (kind == 1) return c;
    if (kind == 2) {
        c.mu = PADICI_VSET(r->reciprocal);
        c.up = PADICI_VSET(r->shift);
        c.less = PADICI_VSET(r->base << r->shift);
        memcpy(c.power, r->ladder_inverse, sizeof c.power);
        memcpy(c.limit, r->ladder_limit, sizeof c.limit);
        return c;
    }
    for (j = 0; j < c.ladder; j++) {
#if PADICI_ISA_LEVEL == 4
        c.power[j] = r->ladder_inverse[j];
        c.limit[j] = r->ladder_limit[j] >> 12;
#else
        const double power = (double)r->ladder_power[j], limit = 1.0 / power;
        memcpy(&c.power[j], &power, sizeof power);
        memcpy(&c.limit[j], &limit, sizeof limit);
#endif
    }
#if PADICI_ISA_LEVEL == 4
    c.mu = PADICI_VSET(r->barrett);
    c.up = PADICI_VSET(52 - r->bits);
    c.less = PADICI_VSET((UINT64_C(1) << 52) - r->base);
    c.down = PADICI_VSET(r->bits - 2);
#else
    c.up = PADICI_DSET(6755399441055744.0);
    c.p = PADICI_DSET((double)r->base);
    c.mu = PADICI_DSET(1.0 / (double)r->base);
#endif
    return c;
}

// Converts an integer to the representation used in computations, and back.
PADICI_TARGET PADICI_INLINE PADICI_V PADICI_K(in)(int kind, PADICI_V x)
{
#if PADICI_ISA_LEVEL == 4
    (void)kind;
    return x;
#else
    return kind ? x : PADICI_DFROM(x);
#endif
}

PADICI_TARGET PADICI_INLINE PADICI_V PADICI_K(out)(int kind, PADICI_V x)
{
#if PADICI_ISA_LEVEL == 4
    (void)kind;
    return x;
#else
    return kind ? x : PADICI_DTO(x);
#endif
}

PADICI_TARGET PADICI_INLINE PADICI_V PADICI_K(rsub)(const PADICI_K(ring) *c, int kind, PADICI_V a,
                                                    PADICI_V b)
{
    PADICI_V d;
    if (kind == 1) return PADICI_VAND(PADICI_VSUB(a, b), c->p);
    if (kind == 2) {
        d = PADICI_VSUB(a, b);
#if PADICI_ISA_LEVEL <= 2 // gcc 12 compiles a blend here wrongly with -mavx512vl and a = 0
        return PADICI_VADD(d, PADICI_VAND(PADICI_VLT(a, b), c->p));
#else
        return PADICI_VSEL(PADICI_VLT(a, b), PADICI_VADD(d, c->p), d);
#endif
    }
#if PADICI_ISA_LEVEL == 4
    d = PADICI_VSUB(a, b);
    return PADICI_VLOW(d, PADICI_VADD(d, c->p));
#else
    d = PADICI_DSUB(a, b);
    return PADICI_VLOW(d, PADICI_DADD(d, c->p));
#endif
}

PADICI_TARGET PADICI_INLINE PADICI_V PADICI_K(radd)(const PADICI_K(ring) *c, int kind, PADICI_V a,
                                                    PADICI_V b)
{
    PADICI_V s;
    if (kind == 1) return PADICI_VAND(PADICI_VADD(a, b), c->p);
    if (kind == 2) return PADICI_K(rsub)(c, 2, a, PADICI_VSUB(c->p, b));
#if PADICI_ISA_LEVEL == 4
    s = PADICI_VADD(a, b);
    return PADICI_VLOW(PADICI_VSUB(s, c->p), s);
#else
    s = PADICI_DADD(a, b);
    return PADICI_VLOW(PADICI_DSUB(s, c->p), s);
#endif
}

// The high words of products of 64 bits.
PADICI_TARGET PADICI_INLINE PADICI_V PADICI_K(high64)(PADICI_V a, PADICI_V b)
{
    const PADICI_V half = PADICI_VSET(32), mask = PADICI_VSET(UINT32_MAX);
    const PADICI_V a1 = PADICI_VSHR(a, half), b1 = PADICI_VSHR(b, half);
    const PADICI_V t = PADICI_VADD(PADICI_VMUL32(a1, b), PADICI_VSHR(PADICI_VMUL32(a, b), half));
    const PADICI_V s = PADICI_VADD(PADICI_VMUL32(a, b1), PADICI_VAND(t, mask));
    return PADICI_VADD(PADICI_VADD(PADICI_VMUL32(a1, b1), PADICI_VSHR(t, half)),
                       PADICI_VSHR(s, half));
}

// floor((u1 2^64 + u0) / d) and the remainder, u1 < d; see padici_num_divide.
PADICI_TARGET PADICI_INLINE PADICI_V PADICI_K(divide64)(PADICI_V u1, PADICI_V u0, PADICI_V d,
                                                        PADICI_V reciprocal, PADICI_V *rest)
{
    const PADICI_V q0 = PADICI_VADD(PADICI_VMUL(reciprocal, u1), u0), one = PADICI_VSET(1);
    PADICI_V q = PADICI_VADD(PADICI_VADD(PADICI_K(high64)(reciprocal, u1), u1), one), r;
    PADICI_M m;
    q = PADICI_VSEL(PADICI_VLT(q0, u0), PADICI_VADD(q, one), q);
    r = PADICI_VSUB(u0, PADICI_VMUL(q, d));
    m = PADICI_VLT(q0, r);
    q = PADICI_VSEL(m, PADICI_VSUB(q, one), q);
    r = PADICI_VSEL(m, PADICI_VADD(r, d), r);
    m = PADICI_VLT(r, d);
    *rest = PADICI_VSEL(m, r, PADICI_VSUB(r, d));
    return PADICI_VSEL(m, q, PADICI_VADD(q, one));
}

// a b mod P for odd P < 2^64, as padici_num_mul1 does.
PADICI_TARGET PADICI_INLINE PADICI_V PADICI_K(rmul64)(const PADICI_K(ring) *c, PADICI_V a,
                                                      PADICI_V b)
{
    const PADICI_V x = PADICI_VSHL(a, c->up);
    PADICI_V rest;
    PADICI_K(divide64)(PADICI_K(high64)(x, b), PADICI_VMUL(x, b), c->less, c->mu, &rest);
    return PADICI_VSHR(rest, c->up);
}

// IFMA: Barrett's quotient is at most one too small, as in padici_num_mul1. Doubles: q = round(a b
// / P) is at most one off, a b = h + l exactly, and h - q P is exact because it is small.
PADICI_TARGET PADICI_INLINE PADICI_V PADICI_K(rmul)(const PADICI_K(ring) *c, int kind, PADICI_V a,
                                                    PADICI_V b)
{
    if (kind == 1) return PADICI_VAND(PADICI_VMUL(a, b), c->p);
    if (kind == 2) return PADICI_K(rmul64)(c, a, b);
#if PADICI_ISA_LEVEL == 4
    {
        const __m512i zero = _mm512_setzero_si512();
        const __m512i h =
            _mm512_madd52hi_epu64(zero, PADICI_VSHL(a, c->up), _mm512_slli_epi64(b, 2));
        const __m512i q = _mm512_madd52hi_epu64(zero, h, c->mu);
        const __m512i s = _mm512_madd52lo_epu64(_mm512_madd52lo_epu64(zero, a, b), q, c->less);
        const __m512i x = _mm512_and_si512(s, _mm512_set1_epi64((INT64_C(1) << 52) - 1));
        return PADICI_VLOW(PADICI_VSUB(x, c->p), x);
    }
#else
    {
        const PADICI_V h = PADICI_DMUL(a, b), l = PADICI_DMSUB(a, b, h);
        const PADICI_V q = PADICI_DROUND(PADICI_DMUL(h, c->mu));
        const PADICI_V x = PADICI_DADD(PADICI_DNMADD(q, c->p, h), l);
        return PADICI_VLOW(x, PADICI_DADD(x, c->p));
    }
#endif
}

PADICI_TARGET PADICI_INLINE PADICI_M PADICI_K(rzero)(int kind, PADICI_V x)
{
#if PADICI_ISA_LEVEL == 4
    (void)kind;
    return PADICI_VEQ(x, PADICI_VSET(0));
#else
    return kind ? PADICI_VEQ(x, PADICI_VSET(0)) : PADICI_DZERO(x);
#endif
}

// The lanes that p^(2^j) divides, and there *q = x / p^(2^j): see padici_num_split1; modulo 2^52,
// or by an exact remainder.
PADICI_TARGET PADICI_INLINE PADICI_M PADICI_K(rdown)(const PADICI_K(ring) *c, int kind, uint32_t j,
                                                     PADICI_V x, PADICI_V *q)
{
    if (kind == 2) {
        const PADICI_V beyond = PADICI_VSET(c->limit[j] + 1);
        *q = PADICI_VMUL(x, PADICI_VSET(c->power[j]));
        return PADICI_VLT(*q, beyond);
    }
#if PADICI_ISA_LEVEL == 4
    *q = _mm512_madd52lo_epu64(PADICI_VSET(0), x, PADICI_VSET(c->power[j]));
    return _mm512_cmple_epu64_mask(*q, PADICI_VSET(c->limit[j]));
#else
    *q = PADICI_DROUND(PADICI_DMUL(x, PADICI_VSET(c->limit[j])));
    return PADICI_DZERO(PADICI_DNMADD(*q, PADICI_VSET(c->power[j]), x));
#endif
}

// The lanes that p divides.
PADICI_TARGET PADICI_INLINE PADICI_M PADICI_K(rdivides)(const PADICI_K(ring) *c, int kind,
                                                        PADICI_V x)
{
    if (kind == 1) return PADICI_VEQ(PADICI_VAND(x, PADICI_VSET(1)), PADICI_VSET(0));
    if (!c->ladder) return PADICI_K(rzero)(kind, x);
    return PADICI_K(rdown)(c, kind, 0, x, &x);
}

// The valuation of every lane, and *x without that power of p. Lanes that are 0 stay so, with any
// valuation; if zeros are possible *zero marks them, otherwise it is not changed.
PADICI_TARGET PADICI_INLINE PADICI_V PADICI_K(rsplit)(const PADICI_K(ring) *c, int kind,
                                                      PADICI_V *x, PADICI_M *zero)
{
    PADICI_V v = PADICI_VSET(0), q;
    uint32_t j = c->usual;
    if (kind == 1) {
        const PADICI_V low = PADICI_VAND(*x, PADICI_VSUB(v, *x));
        *zero = PADICI_VEQ(low, v);
#if PADICI_ISA_LEVEL >= 3
        v = _mm512_sub_epi64(PADICI_VSET(63), _mm512_lzcnt_epi64(low)); // -1 for 0
#else
        v = PADICI_K(bits)(PADICI_VSUB(low, PADICI_VSET(1))); // 64 for 0
#endif
        *x = PADICI_VSHR(*x, v);
        return v;
    }
    if (j == c->ladder || PADICI_MANY(PADICI_K(rdown)(c, kind, j, *x, &q))) {
        *zero = PADICI_K(rzero)(kind, *x);
        j = c->ladder;
    }
    while (j-- > 0) {
        const PADICI_M m = PADICI_K(rdown)(c, kind, j, *x, &q);
        *x = PADICI_VSEL(m, q, *x);
        v = PADICI_VSEL(m, PADICI_VADD(v, PADICI_VSET(1u << j)), v);
    }
    return v;
}

// Units, valuations and status bytes of a vector.

PADICI_TARGET PADICI_INLINE PADICI_V PADICI_K(unit)(const padic_num_call *call,
                                                    const padic_num_planes *p, uint64_t i)
{
    return call->ring->unit_size == 4 ? PADICI_VLOADU((const uint32_t *)p->unit + i)
                                      : PADICI_VLOAD((const uint64_t *)p->unit + i);
}

PADICI_TARGET PADICI_INLINE void PADICI_K(unit_store)(const padic_num_call *call, uint64_t i,
                                                      PADICI_V x)
{
    if (call->ring->unit_size == 4)
        PADICI_VSTORE32((uint32_t *)call->out.unit + i, x);
    else
        PADICI_VSTORE((uint64_t *)call->out.unit + i, x);
}

PADICI_TARGET static uint32_t PADICI_K(any_bits)(PADICI_V bits)
{
    uint64_t lane[PADICI_LANES];
    uint32_t i, all = 0;
    PADICI_VSTORE(lane, bits);
    for (i = 0; i < PADICI_LANES; i++) all |= (uint32_t)lane[i];
    return all;
}

#endif
// room: src/simd/num/product.c
// @per-level
#ifndef PADIC_NO_NUM

// ------------------------------------------------------------------------------- >>vector kernels

// RING add, sub, neg: a - b, with P - b for b or 0 for a.
PADICI_TARGET static uint32_t PADICI_K(linear32)(const padic_num_call *call)
{
    const int kind = call->ring->form == PADIC_NUM_B2;
    const uint32_t *a = (const uint32_t *)call->a.unit, *b = (const uint32_t *)call->b.unit;
    uint32_t *out = (uint32_t *)call->out.unit;
    const PADICI_W p = PADICI_WSET(call->ring->base - (uint64_t)(kind == 1));
    uint64_t i;
    for (i = 0; i < call->count; i += PADICI_WIDE) {
        PADICI_W x = PADICI_WLOAD(a + i), y;
        if (call->op == PADIC_OP_NUM_NEG)
            y = x, x = PADICI_WSET(0);
        else
            y = PADICI_WLOAD(b + i);
        if (call->op == PADIC_OP_NUM_ADD)
            y = PADICI_WSUB(kind == 1 ? PADICI_WSET(0) : p, y);
        x = kind == 1 ? PADICI_WAND(PADICI_WSUB(x, y), p) : PADICI_WSUBMOD(x, y, p);
        PADICI_WSTORE(out + i, x);
    }
    return 0;
}

PADICI_TARGET static uint32_t PADICI_K(linear64)(const padic_num_call *call)
{
    const int kind = padici_simd_num_kind(call->ring);
    const uint64_t *a = (const uint64_t *)call->a.unit, *b = (const uint64_t *)call->b.unit;
    uint64_t *out = (uint64_t *)call->out.unit;
    const PADICI_V p = PADICI_VSET(call->ring->base - (uint64_t)(kind == 1));
    uint64_t i;
    for (i = 0; i < call->count; i += PADICI_LANES) {
        PADICI_V x = PADICI_VLOAD(a + i), y, d;
        if (call->op == PADIC_OP_NUM_NEG)
            y = x, x = PADICI_VSET(0);
        else
            y = PADICI_VLOAD(b + i);
        if (call->op == PADIC_OP_NUM_ADD)
            y = PADICI_VSUB(kind == 1 ? PADICI_VSET(0) : p, y);
        d = PADICI_VSUB(x, y);
        if (kind == 0) d = PADICI_VLOW(d, PADICI_VADD(d, p));
        if (kind == 1) d = PADICI_VAND(d, p);
        if (kind == 2) d = PADICI_VSEL(PADICI_VLT(x, y), PADICI_VADD(d, p), d);
        PADICI_VSTORE(out + i, d);
    }
    return 0;
}

PADICI_TARGET PADICI_INLINE uint32_t PADICI_K(ring_mul)(const padic_num_call *call, int kind)
{
    const PADICI_K(ring) c = PADICI_K(ring_of)(call->ring, kind);
    uint64_t i;
    for (i = 0; i < call->count; i += PADICI_LANES) {
        const PADICI_V a = PADICI_K(in)(kind, PADICI_K(unit)(call, &call->a, i));
        const PADICI_V b = PADICI_K(in)(kind, PADICI_K(unit)(call, &call->b, i));
        PADICI_K(unit_store)(call, i, PADICI_K(out)(kind, PADICI_K(rmul)(&c, kind, a, b)));
    }
    return 0;
}

#if PADICI_ISA_LEVEL >= 2
// Products of W32 in halves of 64 bits, P odd. The quotient is h mu, h = ab 2^-down, at most one
// too small; `wide`, without IFMA: for P > 2^30 it is up to three too small (P > 2^31: mu has one
// bit more than 32). The result is r < 2 P, or with `whole` the residue.
PADICI_TARGET PADICI_INLINE PADICI_V PADICI_K(rest32)(int wide, int whole, PADICI_V ab,
                                                      PADICI_V down, PADICI_V mu, PADICI_V p)
{
    PADICI_V h = PADICI_VSHR(ab, down), q, r;
#if PADICI_ISA_LEVEL == 4
    q = _mm512_madd52hi_epu64(PADICI_VSET(0), h, mu);
    r = PADICI_VSUB(ab, PADICI_VMUL32(q, p));
    (void)wide;
#else
    q = PADICI_VMUL32(h, mu);
    q = PADICI_VSHR(q, PADICI_VSET(wide ? 32 : 33));
    if (wide == 2) q = PADICI_VADD(q, h);
    r = PADICI_VSUB(ab, PADICI_VMUL32(q, p));
    if (wide) {
        const PADICI_V two = PADICI_VADD(p, p);
        r = PADICI_VLOW(PADICI_VSUB(r, two), r);
    }
#endif
    return whole ? PADICI_VLOW(PADICI_VSUB(r, p), r) : r;
}

PADICI_TARGET PADICI_INLINE void PADICI_K(products32)(const padic_num_call *call, int wide,
                                                      int whole, uint32_t shift, uint64_t factor)
{
    const uint32_t *const a = (const uint32_t *)call->a.unit;
    const uint32_t *const b = (const uint32_t *)call->b.unit;
    uint32_t *const out = (uint32_t *)call->out.unit;
    const PADICI_V p = PADICI_VSET(call->ring->base), half = PADICI_VSET(32);
    const PADICI_V down = PADICI_VSET(shift), mu = PADICI_VSET(factor);
    const PADICI_W narrow = PADICI_WSET(call->ring->base);
    uint64_t i;
    for (i = 0; i < call->count; i += PADICI_WIDE) {
        const PADICI_V x = PADICI_WLOAD(a + i), y = PADICI_WLOAD(b + i);
        const PADICI_V u = PADICI_VSHR(x, half), v = PADICI_VSHR(y, half);
        PADICI_V r = PADICI_K(rest32)(wide, whole, PADICI_VMUL32(x, y), down, mu, p);
        PADICI_V s = PADICI_K(rest32)(wide, whole, PADICI_VMUL32(u, v), down, mu, p);
        r = PADICI_VOR(r, PADICI_VSHL(s, half));
        if (!whole) r = PADICI_WLOW(PADICI_WSUB(r, narrow), r);
        PADICI_WSTORE(out + i, r);
    }
}

PADICI_TARGET static uint32_t PADICI_K(mul32)(const padic_num_call *call)
{
    const padic_num_ring *const r = call->ring;
    const uint32_t bits = r->bits;
#if PADICI_ISA_LEVEL == 4
    if (bits < 32)
        PADICI_K(products32)(call, 0, 0, bits - 2, r->barrett);
    else
        PADICI_K(products32)(call, 0, 1, bits - 2, r->barrett);
#else
    if (bits < 31)
        PADICI_K(products32)(call, 0, 0, bits - 2, (UINT64_C(1) << (bits + 31)) / r->base);
    else if (bits == 31)
        PADICI_K(products32)(call, 1, 0, 30, (UINT64_C(1) << 62) / r->base);
    else
        PADICI_K(products32)(call, 2, 1, 32, UINT64_MAX / r->base - (UINT64_C(1) << 32));
#endif
    return 0;
}
#endif

// The kernels of a function with the constant `kind`: for 0 and 1, for all. IFMA only helps kind 0;
// the others are those of AVX-512.
#if PADICI_ISA_LEVEL == 4
#define PADICI_KIND(name, suffix, kind)
#else
#define PADICI_KIND(name, suffix, kind) \
    PADICI_TARGET static uint32_t PADICI_K(name##_##suffix)(const padic_num_call *call) \
    { \
        return PADICI_K(name)(call, kind); \
    }
#endif
#define PADICI_BOTH(name) \
    PADICI_TARGET static uint32_t PADICI_K(name##_odd)(const padic_num_call *call) \
    { \
        return PADICI_K(name)(call, 0); \
    } \
    PADICI_KIND(name, two, 1)
#define PADICI_ALL(name) \
    PADICI_BOTH(name) \
    PADICI_KIND(name, wide, 2)
PADICI_ALL(ring_mul)

#endif
// room: src/simd/num/floats.c
// @per-level
#ifndef PADIC_NO_NUM

// FLOAT: numbers p^v u of a vector, with their status bits.
typedef struct PADICI_K(floats) {
    PADICI_V v, u, bits;
} PADICI_K(floats);

PADICI_TARGET PADICI_INLINE PADICI_K(floats) PADICI_K(load)(const padic_num_call *call, int kind,
                                                            const padic_num_planes *p, uint64_t i)
{
    PADICI_K(floats) x;
    x.u = PADICI_K(in)(kind, PADICI_K(unit)(call, p, i));
    x.v = PADICI_VLOADS((const int32_t *)p->val + i);
    x.bits = PADICI_VSET(0);
    return x;
}

PADICI_TARGET PADICI_INLINE void PADICI_K(store)(const padic_num_call *call, int kind, uint64_t i,
                                                 PADICI_K(floats) x)
{
    PADICI_K(unit_store)(call, i, PADICI_K(out)(kind, x.u));
    PADICI_VSTORE32((int32_t *)call->out.val + i, x.v);
    if (call->status) PADICI_VSTORE8(call->status + i, x.bits);
}

// Sets lanes to a special value with its unit and bits.
PADICI_TARGET PADICI_INLINE void PADICI_K(set)(PADICI_K(floats) *x, PADICI_M m, int32_t v,
                                               PADICI_V u, PADICI_V bits)
{
    x->v = PADICI_VSEL(m, PADICI_VSET(v), x->v);
    x->u = PADICI_VSEL(m, u, x->u);
    x->bits = PADICI_VSEL(m, bits, x->bits);
}

// 1 if all lanes are so far from specials and limits that no rule for those can apply.
PADICI_TARGET PADICI_INLINE int PADICI_K(usual)(PADICI_V va, PADICI_V vb)
{
    const PADICI_V half = PADICI_VSET(PADIC_NUM_MAX_VALUATION / 2);
    const PADICI_V both = PADICI_VOR(PADICI_VADD(va, half), PADICI_VADD(vb, half));
    return !PADICI_VANY(PADICI_VAND(both, PADICI_VSET(-(int64_t)PADIC_NUM_MAX_VALUATION)));
}

// The rare case of a sum, a product or a quotient: valuations beyond the limits, and operands that
// are ZERO or NaN. Of two NaN the first wins.
PADICI_TARGET static PADICI_K(floats) PADICI_K(special)(int kind, uint32_t kernel,
                                                        PADICI_K(floats) a, PADICI_K(floats) b,
                                                        PADICI_K(floats) x)
{
    const PADICI_V limit = PADICI_VSET(PADIC_NUM_MAX_VALUATION), none = PADICI_VSET(0);
    const PADICI_V zero = PADICI_VSET(PADIC_NUM_ZERO), nan = PADICI_VSET(PADIC_NUM_NAN);
    const PADICI_V div0 = PADICI_VSET(PADIC_NUM_DIV0);
    const PADICI_M gone = PADICI_VEQ(x.v, zero); // by cancellation
    PADICI_M za = PADICI_VEQ(a.v, zero), zb = PADICI_VEQ(b.v, zero);
    PADICI_V bits = PADICI_VOR(x.bits, PADICI_VSET(PADIC_NUM_INEXACT));
    bits = PADICI_VSEL(gone, x.bits, bits);
    PADICI_K(set)(&x, PADICI_VGT(x.v, limit), PADIC_NUM_ZERO, none, bits);
    bits = PADICI_VOR(x.bits, PADICI_VSET(PADIC_NUM_RANGE));
    PADICI_K(set)(&x, PADICI_VGT(PADICI_VSUB(none, limit), x.v), PADIC_NUM_NAN,
                  PADICI_K(in)(kind, bits), bits);
    if (kernel == PADIC_OP_NUM_MUL) za = PADICI_MOR(za, zb);
    if (kernel == PADIC_OP_NUM_ADD) za = PADICI_MAND(za, zb);
    PADICI_K(set)(&x, za, PADIC_NUM_ZERO, none, none);
    if (kernel == PADIC_OP_NUM_DIV)
        PADICI_K(set)(&x, zb, PADIC_NUM_NAN, PADICI_K(in)(kind, div0), div0);
    PADICI_K(set)(&x, PADICI_VEQ(b.v, nan), PADIC_NUM_NAN, b.u, PADICI_K(out)(kind, b.u));
    PADICI_K(set)(&x, PADICI_VEQ(a.v, nan), PADIC_NUM_NAN, a.u, PADICI_K(out)(kind, a.u));
    return x;
}

// a b, a + b and a - b without the rules for special cases.
PADICI_TARGET PADICI_INLINE PADICI_K(floats) PADICI_K(mul)(const PADICI_K(ring) *c, int kind,
                                                           PADICI_K(floats) a, PADICI_K(floats) b)
{
    PADICI_K(floats) x;
    x.v = PADICI_VADD(a.v, b.v);
    x.u = PADICI_K(rmul)(c, kind, a.u, b.u);
    x.bits = PADICI_VSET(0);
    return x;
}

// p^d mod P, 0 for d >= N.
typedef struct PADICI_K(powers) {
    uint64_t table[64];
    uint32_t n;
} PADICI_K(powers);

PADICI_TARGET static void PADICI_K(powers_of)(PADICI_K(powers) *t, const PADICI_K(ring) *c,
                                               int kind)
{
    uint32_t d;
    t->n = c->r->precision;
    for (d = 0; d < 64; d++) {
        const uint64_t x = d < t->n ? c->r->power[d][0] : 0;
        const double y = (double)x;
        if (PADICI_ISA_LEVEL == 4 || kind == 2)
            t->table[d] = x;
        else
            memcpy(&t->table[d], &y, sizeof y);
    }
}

// u p^d mod P.
PADICI_TARGET PADICI_INLINE PADICI_V PADICI_K(up)(const PADICI_K(ring) *c, int kind,
                                                  const PADICI_K(powers) *t, PADICI_V u, PADICI_V d)
{
    const PADICI_V n = PADICI_VSET(c->r->precision);
    PADICI_V power;
    d = PADICI_VSEL(PADICI_VGT(d, n), n, d);
    if (kind == 1) return PADICI_VAND(PADICI_VSHL(u, d), c->p);
#if PADICI_ISA_LEVEL >= 3
    if (t->n < 8)
        power = _mm512_permutexvar_epi64(d, PADICI_VLOAD(t->table));
    else if (t->n < 16)
        power = _mm512_permutex2var_epi64(PADICI_VLOAD(t->table), d, PADICI_VLOAD(t->table + 8));
    else if (t->n < 32)
        power = PADICI_VSEL(
            PADICI_VGT(d, PADICI_VSET(15)),
            _mm512_permutex2var_epi64(PADICI_VLOAD(t->table + 16), d, PADICI_VLOAD(t->table + 24)),
            _mm512_permutex2var_epi64(PADICI_VLOAD(t->table), d, PADICI_VLOAD(t->table + 8)));
    else
#endif
        power = PADICI_GATHER(t->table, d);
    return PADICI_K(rmul)(c, kind, u, power);
}

PADICI_TARGET PADICI_INLINE PADICI_K(floats) PADICI_K(add)(const PADICI_K(ring) *c, int kind,
                                                           const PADICI_K(powers) *t,
                                                           PADICI_K(floats) a, PADICI_K(floats) b,
                                                           int minus)
{
    const PADICI_M swap = PADICI_VGT(a.v, b.v);
    const PADICI_V ub = minus ? PADICI_K(rsub)(c, kind, PADICI_VSET(0), b.u) : b.u;
    const PADICI_V low = PADICI_VSEL(swap, b.v, a.v), high = PADICI_VSEL(swap, a.v, b.v);
    PADICI_M zero = PADICI_NONE;
    PADICI_K(floats) x;
    x.u = PADICI_K(up)(c, kind, t, PADICI_VSEL(swap, a.u, ub), PADICI_VSUB(high, low));
    x.u = PADICI_K(radd)(c, kind, PADICI_VSEL(swap, ub, a.u), x.u);
    x.v = PADICI_VADD(low, PADICI_K(rsplit)(c, kind, &x.u, &zero));
    x.bits = PADICI_VSET(0);
    if (PADICI_MANY(zero))
        PADICI_K(set)(&x, zero, PADIC_NUM_ZERO, x.u,
                      PADICI_VSEL(PADICI_VEQ(low, PADICI_VSET(PADIC_NUM_ZERO)), PADICI_VSET(0),
                                  PADICI_VSET(PADIC_NUM_PRECLOSS)));
    return x;
}

PADICI_TARGET PADICI_INLINE uint32_t PADICI_K(float_mul)(const padic_num_call *call, int kind)
{
    const PADICI_K(ring) c = PADICI_K(ring_of)(call->ring, kind);
    PADICI_V bits = PADICI_VSET(0);
    uint64_t i;
    for (i = 0; i < call->count; i += PADICI_LANES) {
        const PADICI_K(floats) a = PADICI_K(load)(call, kind, &call->a, i);
        const PADICI_K(floats) b = PADICI_K(load)(call, kind, &call->b, i);
        PADICI_K(floats) x = PADICI_K(mul)(&c, kind, a, b);
        if (!PADICI_K(usual)(a.v, b.v))
            x = PADICI_K(special)(kind, PADIC_OP_NUM_MUL, a, b, x);
        PADICI_K(store)(call, kind, i, x);
        bits = PADICI_VOR(bits, x.bits);
    }
    return PADICI_K(any_bits)(bits);
}
PADICI_ALL(float_mul)

PADICI_TARGET PADICI_INLINE uint32_t PADICI_K(float_add)(const padic_num_call *call, int kind)
{
    const PADICI_K(ring) c = PADICI_K(ring_of)(call->ring, kind);
    const int minus = call->op == PADIC_OP_NUM_SUB;
    PADICI_K(powers) t;
    PADICI_V bits = PADICI_VSET(0);
    uint64_t i;
    PADICI_K(powers_of)(&t, &c, kind);
    for (i = 0; i < call->count; i += PADICI_LANES) {
        const PADICI_K(floats) a = PADICI_K(load)(call, kind, &call->a, i);
        const PADICI_K(floats) b = PADICI_K(load)(call, kind, &call->b, i);
        PADICI_K(floats) x = PADICI_K(add)(&c, kind, &t, a, b, minus);
        if (!PADICI_K(usual)(a.v, b.v))
            x = PADICI_K(special)(kind, PADIC_OP_NUM_ADD, a, b, x);
        PADICI_K(store)(call, kind, i, x);
        bits = PADICI_VOR(bits, x.bits);
    }
    return PADICI_K(any_bits)(bits);
}
PADICI_ALL(float_add)

PADICI_TARGET PADICI_INLINE uint32_t PADICI_K(float_neg)(const padic_num_call *call, int kind)
{
    const PADICI_K(ring) c = PADICI_K(ring_of)(call->ring, kind);
    const PADICI_V nan = PADICI_VSET(PADIC_NUM_NAN);
    PADICI_V bits = PADICI_VSET(0);
    uint64_t i;
    for (i = 0; i < call->count; i += PADICI_LANES) {
        const PADICI_K(floats) a = PADICI_K(load)(call, kind, &call->a, i);
        PADICI_K(floats) x = a;
        x.u = PADICI_K(rsub)(&c, kind, PADICI_VSET(0), a.u);
        PADICI_K(set)(&x, PADICI_VEQ(a.v, nan), PADIC_NUM_NAN, a.u, PADICI_K(out)(kind, a.u));
        PADICI_K(store)(call, kind, i, x);
        bits = PADICI_VOR(bits, x.bits);
    }
    return PADICI_K(any_bits)(bits);
}
PADICI_ALL(float_neg)

PADICI_TARGET PADICI_INLINE uint32_t PADICI_K(ring_fma)(const padic_num_call *call, int kind)
{
    const PADICI_K(ring) c = PADICI_K(ring_of)(call->ring, kind);
    uint64_t i;
    for (i = 0; i < call->count; i += PADICI_LANES) {
        const PADICI_V x = PADICI_K(rmul)(&c, kind,
                                          PADICI_K(in)(kind, PADICI_K(unit)(call, &call->a, i)),
                                          PADICI_K(in)(kind, PADICI_K(unit)(call, &call->b, i)));
        const PADICI_V y = PADICI_K(in)(kind, PADICI_K(unit)(call, &call->c, i));
        PADICI_K(unit_store)(call, i, PADICI_K(out)(kind, PADICI_K(radd)(&c, kind, x, y)));
    }
    return 0;
}
PADICI_ALL(ring_fma)

PADICI_TARGET PADICI_INLINE uint32_t PADICI_K(float_fma)(const padic_num_call *call, int kind)
{
    const PADICI_K(ring) r = PADICI_K(ring_of)(call->ring, kind);
    PADICI_K(powers) t;
    PADICI_V bits = PADICI_VSET(0);
    uint32_t rare = 0;
    uint64_t i;
    PADICI_K(powers_of)(&t, &r, kind);
    for (i = 0; i < call->count; i += PADICI_LANES) {
        const PADICI_K(floats) a = PADICI_K(load)(call, kind, &call->a, i);
        const PADICI_K(floats) b = PADICI_K(load)(call, kind, &call->b, i);
        const PADICI_K(floats) c = PADICI_K(load)(call, kind, &call->c, i);
        if (PADICI_K(usual)(a.v, b.v) && PADICI_K(usual)(c.v, c.v)) {
            const PADICI_K(floats) product = PADICI_K(mul)(&r, kind, a, b);
            const PADICI_K(floats) x = PADICI_K(add)(&r, kind, &t, product, c, 0);
            PADICI_K(store)(call, kind, i, x);
            bits = PADICI_VOR(bits, x.bits);
        } else {
            rare |= padici_simd_num_plain(call, i, PADICI_LANES, padici_num_fma_loop);
        }
    }
    return PADICI_K(any_bits)(bits) | rare;
}
PADICI_ALL(float_fma)

#endif
// room: src/simd/num/valuation.c
// @per-level
#ifndef PADIC_NO_NUM

// Fast path of ring_split for large p: four vectors without a multiple of p, from i on. Returns
// where it stopped: at four with one, or near the end. Units are words of 64 bits.
PADICI_TARGET PADICI_INLINE uint64_t PADICI_K(ring_units)(const padic_num_call *call,
                                                          const PADICI_K(ring) *c, int kind,
                                                          uint64_t i)
{
    const uint64_t *const a = (const uint64_t *)call->a.unit;
    const uint64_t *const b = (const uint64_t *)call->b.unit;
    uint64_t *const unit = (uint64_t *)call->out.unit, end = call->count;
    uint32_t *const val = (uint32_t *)call->other[0];
    uint8_t *const status = unit ? call->status : NULL;
    for (; i + 4 * PADICI_LANES <= end; i += 4 * PADICI_LANES) {
        PADICI_V u[4], q;
        PADICI_M m[4];
        uint32_t j;
        PADICI_UNROLL
        for (j = 0; j < 4; j++) {
            PADICI_V x;
            u[j] = PADICI_VLOAD(a + i + j * PADICI_LANES);
            x = PADICI_K(in)(kind, u[j]);
            if (b)
                x = PADICI_K(rsub)(c, kind, x,
                                   PADICI_K(in)(kind, PADICI_VLOAD(b + i + j * PADICI_LANES)));
            m[j] = PADICI_K(rdown)(c, kind, 0, x, &q);
        }
        if (PADICI_MANY(PADICI_MOR(PADICI_MOR(m[0], m[1]), PADICI_MOR(m[2], m[3])))) break;
        if (val) { // two numbers per word
            PADICI_VSTORE(val + i, PADICI_VSET(0));
            PADICI_VSTORE(val + i + 2 * PADICI_LANES, PADICI_VSET(0));
        }
        if (unit) {
            PADICI_UNROLL
            for (j = 0; j < 4; j++) PADICI_VSTORE(unit + i + j * PADICI_LANES, u[j]);
        }
        if (status) memset(status + i, 0, 4 * PADICI_LANES);
    }
    return i;
}

// Valuation and unit of residues, and valuations of differences.
PADICI_TARGET PADICI_INLINE uint32_t PADICI_K(ring_split)(const padic_num_call *call, int kind)
{
    const PADICI_K(ring) c = PADICI_K(ring_of)(call->ring, kind);
    int32_t *const val = (int32_t *)call->other[0];
    const int large = kind != 1 && c.ladder && !c.usual; // p divides few numbers
    PADICI_V bits = PADICI_VSET(0);
    uint64_t i, next = large && call->ring->unit_size == 8 ? 0 : UINT64_MAX;
    for (i = 0;; i += PADICI_LANES) {
        PADICI_M zero = PADICI_NONE;
        PADICI_V x, v, lost;
        if (i == next) {
            i = PADICI_K(ring_units)(call, &c, kind, i);
            next = i + 4 * PADICI_LANES;
        }
        if (i >= call->count) break;
        x = PADICI_K(in)(kind, PADICI_K(unit)(call, &call->a, i));
        if (call->b.unit)
            x = PADICI_K(rsub)(&c, kind, x, PADICI_K(in)(kind, PADICI_K(unit)(call, &call->b, i)));
        v = PADICI_K(rsplit)(&c, kind, &x, &zero);
        if (val) PADICI_VSTORE32(val + i, PADICI_VSEL(zero, PADICI_VSET(PADIC_NUM_ZERO), v));
        if (!call->out.unit) continue;
        lost = PADICI_VSEL(PADICI_VGT(v, PADICI_VSET(0)), PADICI_VSET(PADIC_NUM_PRECLOSS),
                           PADICI_VSET(0));
        lost = PADICI_VSEL(zero, PADICI_VSET(0), lost);
        bits = PADICI_VOR(bits, lost);
        PADICI_K(unit_store)(call, i, PADICI_K(out)(kind, x));
        if (call->status) PADICI_VSTORE8(call->status + i, lost);
    }
    return PADICI_K(any_bits)(bits);
}
PADICI_ALL(ring_split)

// The status of a NaN valuation is its unit.
PADICI_TARGET static uint32_t PADICI_K(float_split)(const padic_num_call *call)
{
    const PADICI_V zero = PADICI_VSET(PADIC_NUM_ZERO), nan = PADICI_VSET(PADIC_NUM_NAN);
    int32_t *const val = (int32_t *)call->other[0];
    PADICI_V bits = PADICI_VSET(0);
    uint64_t i;
    for (i = 0; i < call->count; i += PADICI_LANES) {
        const PADICI_V u = PADICI_K(unit)(call, &call->a, i);
        const PADICI_V v = PADICI_VLOADS((const int32_t *)call->a.val + i);
        const PADICI_M special = PADICI_MOR(PADICI_VEQ(v, nan), PADICI_VEQ(v, zero));
        const PADICI_V lost = PADICI_VSEL(PADICI_VEQ(v, nan), u, PADICI_VSET(0));
        bits = PADICI_VOR(bits, lost);
        if (call->out.unit) {
            PADICI_K(unit_store)(call, i, u);
            PADICI_VSTORE32((int32_t *)call->out.val + i, PADICI_VSEL(special, v, PADICI_VSET(0)));
        }
        if (val) PADICI_VSTORE32(val + i, v);
        if (call->status) PADICI_VSTORE8(call->status + i, lost);
    }
    return PADICI_K(any_bits)(bits);
}

PADICI_TARGET PADICI_INLINE uint32_t PADICI_K(float_distance)(const padic_num_call *call, int kind)
{
    const PADICI_K(ring) c = PADICI_K(ring_of)(call->ring, kind);
    int32_t *const val = (int32_t *)call->other[0];
    PADICI_V bits = PADICI_VSET(0);
    uint64_t i;
    for (i = 0; i < call->count; i += PADICI_LANES) {
        const PADICI_K(floats) a = PADICI_K(load)(call, kind, &call->a, i);
        const PADICI_K(floats) b = PADICI_K(load)(call, kind, &call->b, i);
        const PADICI_M same = PADICI_VEQ(a.v, b.v);
        PADICI_M zero = PADICI_NONE;
        PADICI_K(floats) x;
        // if they differ, the smaller one
        x.u = PADICI_VSEL(same, PADICI_K(rsub)(&c, kind, a.u, b.u), a.u);
        x.v = PADICI_VSEL(PADICI_VGT(a.v, b.v), b.v, a.v);
        x.v = PADICI_VSEL(same, PADICI_VADD(x.v, PADICI_K(rsplit)(&c, kind, &x.u, &zero)), x.v);
        x.bits = PADICI_VSET(0);
        if (PADICI_MANY(zero))
            PADICI_K(set)(&x, PADICI_MAND(zero, same), PADIC_NUM_ZERO, x.u,
                          PADICI_VSET(PADIC_NUM_PRECLOSS));
        if (!PADICI_K(usual)(a.v, b.v)) {
            const PADICI_V none = PADICI_VSET(0), nan = PADICI_VSET(PADIC_NUM_NAN);
            const PADICI_M both = PADICI_MAND(same, PADICI_VEQ(a.v, PADICI_VSET(PADIC_NUM_ZERO)));
            PADICI_K(set)(&x, both, PADIC_NUM_ZERO, none, none);
            PADICI_K(set)(&x, PADICI_VEQ(b.v, nan), PADIC_NUM_NAN, none, PADICI_K(out)(kind, b.u));
            PADICI_K(set)(&x, PADICI_VEQ(a.v, nan), PADIC_NUM_NAN, none, PADICI_K(out)(kind, a.u));
        }
        if (val) PADICI_VSTORE32(val + i, x.v);
        if (call->status) PADICI_VSTORE8(call->status + i, x.bits);
        bits = PADICI_VOR(bits, x.bits);
    }
    return PADICI_K(any_bits)(bits);
}
PADICI_ALL(float_distance)

#endif
// room: src/simd/num/inverse.c
// @per-level
#ifndef PADIC_NO_NUM

// 1 / x of every lane, all units: the product of the lanes, formed by rotating them, is inverted
// once.
PADICI_TARGET PADICI_INLINE PADICI_V PADICI_K(rinverse)(const PADICI_K(ring) *c, int kind,
                                                        PADICI_V x)
{
    PADICI_V turned[4];
    uint64_t lane[2 * PADICI_LANES], all, inverse, t[4];
    uint32_t k = 0, n;
    for (n = 1; n < PADICI_LANES; n *= 2) {
        PADICI_VSTORE(lane, x);
        PADICI_VSTORE(lane + PADICI_LANES, x);
        turned[k] = PADICI_VLOAD(lane + n);
        x = PADICI_K(rmul)(c, kind, x, turned[k++]);
    }
    PADICI_VSTORE(lane, PADICI_K(out)(kind, x));
    all = lane[0];
    padici_num_ring_inv(c->r, &inverse, &all, t);
    x = PADICI_K(in)(kind, PADICI_VSET(inverse));
    while (k-- > 0) x = PADICI_K(rmul)(c, kind, x, turned[k]);
    return x;
}

// The divisors of a vector; *bad are those that p divides or that are NaN, replaced by 1.
PADICI_TARGET PADICI_INLINE PADICI_V PADICI_K(divisor)(const PADICI_K(ring) *c, int kind,
                                                       const padic_num_call *call, uint64_t i,
                                                       PADICI_M *bad)
{
    const padic_num_planes *p =
        call->op == (uint32_t)PADIC_OP_NUM_INV ? &call->a : &call->b;
    const PADICI_V u = PADICI_K(in)(kind, PADICI_K(unit)(call, p, i));
    *bad = PADICI_K(rdivides)(c, kind, u);
    if (p->val)
        *bad = PADICI_MOR(*bad, PADICI_VEQ(PADICI_VLOADS((const int32_t *)p->val + i),
                                           PADICI_VSET(PADIC_NUM_NAN)));
    return PADICI_VSEL(*bad, PADICI_K(in)(kind, PADICI_VSET(1)), u);
}

// Elements from i on, whose divisors have the inverses x.
PADICI_TARGET PADICI_INLINE PADICI_V PADICI_K(quotient)(const PADICI_K(ring) *c, int kind,
                                                        const padic_num_call *call, uint64_t i,
                                                        PADICI_V inverse, PADICI_M bad)
{
    const int divides = call->op == PADIC_OP_NUM_DIV;
    const padic_num_planes *p = divides ? &call->b : &call->a;
    PADICI_K(floats) a, b, x;
    a.v = x.bits = PADICI_VSET(0);
    a.u = PADICI_K(in)(kind, PADICI_VSET(1));
    if (call->model == PADIC_NUM_RING) {
        if (PADICI_MANY(bad)) {
            b.u = PADICI_K(unit)(call, p, i);
            x.bits = PADICI_VSEL(PADICI_VEQ(b.u, PADICI_VSET(0)), PADICI_VSET(PADIC_NUM_DIV0),
                                 PADICI_VSET(PADIC_NUM_NONUNIT));
            x.bits = PADICI_VSEL(bad, x.bits, PADICI_VSET(0));
            inverse = PADICI_VSEL(bad, PADICI_VSET(0), inverse);
        }
        if (divides) {
            a.u = PADICI_K(in)(kind, PADICI_K(unit)(call, &call->a, i));
            inverse = PADICI_K(rmul)(c, kind, a.u, inverse);
        }
        PADICI_K(unit_store)(call, i, PADICI_K(out)(kind, inverse));
        if (call->status) PADICI_VSTORE8(call->status + i, x.bits);
        return x.bits;
    }
    b = PADICI_K(load)(call, kind, p, i);
    if (divides) a = PADICI_K(load)(call, kind, &call->a, i);
    x.u = divides ? PADICI_K(rmul)(c, kind, a.u, inverse) : inverse;
    x.v = PADICI_VSUB(a.v, b.v);
    if (!PADICI_K(usual)(a.v, b.v)) x = PADICI_K(special)(kind, PADIC_OP_NUM_DIV, a, b, x);
    PADICI_K(store)(call, kind, i, x);
    return x.bits;
}

#if PADICI_ISA_LEVEL != 4
// Modulo powers of two: 5 bits of the inverse, then Newton's x (2 - a x).
PADICI_TARGET static uint32_t PADICI_K(div_two)(const padic_num_call *call)
{
    const PADICI_K(ring) c = PADICI_K(ring_of)(call->ring, 1);
    PADICI_V bits = PADICI_VSET(0);
    uint32_t known;
    uint64_t i;
    for (i = 0; i < call->count; i += PADICI_LANES) {
        PADICI_M bad;
        const PADICI_V a = PADICI_K(divisor)(&c, 1, call, i, &bad), twice = PADICI_VSET(2);
        const PADICI_V three = PADICI_VADD(PADICI_VADD(a, a), a);
        PADICI_V x = PADICI_VXOR(three, twice);
        for (known = 5; known < call->ring->precision; known *= 2)
            x = PADICI_VMUL(x, PADICI_VSUB(twice, PADICI_VMUL(a, x)));
        x = PADICI_VAND(x, c.p);
        bits = PADICI_VOR(bits, PADICI_K(quotient)(&c, 1, call, i, x, bad));
    }
    return PADICI_K(any_bits)(bits);
}

#endif

// Odd p: blocks share one inversion (Montgomery's trick), in two chains, for each lane separately.
PADICI_TARGET PADICI_INLINE uint32_t PADICI_K(div_block)(const padic_num_call *call, int kind)
{
    const uint64_t most = PADICI_SIMD_BLOCK;
    const PADICI_K(ring) c = PADICI_K(ring_of)(call->ring, kind);
    PADICI_V before[PADICI_SIMD_BLOCK / PADICI_LANES], bits = PADICI_VSET(0), u, v, x, y;
    uint64_t first, k, n;
    PADICI_M bad, worse;
    for (first = 0; first < call->count; first += n) {
        n = call->count - first < most ? call->count - first : most;
        x = y = PADICI_K(in)(kind, PADICI_VSET(1));
        for (k = 0; k < n; k += 2 * PADICI_LANES) { // an even number of vectors
            before[k / PADICI_LANES] = x;
            before[k / PADICI_LANES + 1] = y;
            u = PADICI_K(divisor)(&c, kind, call, first + k, &bad);
            v = PADICI_K(divisor)(&c, kind, call, first + k + PADICI_LANES, &bad);
            x = PADICI_K(rmul)(&c, kind, x, u);
            y = PADICI_K(rmul)(&c, kind, y, v);
        }
        u = PADICI_K(rinverse)(&c, kind, PADICI_K(rmul)(&c, kind, x, y));
        v = PADICI_K(rmul)(&c, kind, u, x);
        x = PADICI_K(rmul)(&c, kind, u, y);
        y = v;
        while (k > 0) {
            k -= 2 * PADICI_LANES;
            u = PADICI_K(divisor)(&c, kind, call, first + k, &bad);
            v = PADICI_K(divisor)(&c, kind, call, first + k + PADICI_LANES, &worse);
            bits = PADICI_VOR(bits, PADICI_K(quotient)(
                &c, kind, call, first + k,
                PADICI_K(rmul)(&c, kind, x, before[k / PADICI_LANES]), bad));
            bits = PADICI_VOR(bits, PADICI_K(quotient)(
                &c, kind, call, first + k + PADICI_LANES,
                PADICI_K(rmul)(&c, kind, y, before[k / PADICI_LANES + 1]), worse));
            x = PADICI_K(rmul)(&c, kind, x, u);
            y = PADICI_K(rmul)(&c, kind, y, v);
        }
    }
    return PADICI_K(any_bits)(bits);
}

PADICI_TARGET static uint32_t PADICI_K(div_odd)(const padic_num_call *call)
{
    return PADICI_K(div_block)(call, 0);
}

#if PADICI_ISA_LEVEL != 4
PADICI_TARGET static uint32_t PADICI_K(div_wide)(const padic_num_call *call)
{
    return PADICI_K(div_block)(call, 2);
}
#endif

#endif
// room: src/simd/num/horner.c
// @per-level
#ifndef PADIC_NO_NUM

// A factor of many products modulo P that need not be reduced: y and 2^52 y / P, up to two too
// small, or y / P.
typedef struct PADICI_K(times) {
    PADICI_V y, q;
} PADICI_K(times);

PADICI_TARGET PADICI_INLINE PADICI_K(times) PADICI_K(times_of)(const PADICI_K(ring) *c, int kind,
                                                               PADICI_V y)
{
    PADICI_K(times) f;
    f.y = f.q = y;
    if (kind) return f;
#if PADICI_ISA_LEVEL == 4
    {
        const __m512i zero = PADICI_VSET(0);
        f.q = _mm512_slli_epi64(_mm512_madd52hi_epu64(zero, PADICI_VSHL(y, c->up), c->mu), 2);
        y = _mm512_madd52lo_epu64(zero, f.q, c->less); // 2^52 y - q P < 8 P
        y = PADICI_VSHR(_mm512_madd52hi_epu64(zero, y, c->mu), c->down);
        f.q = PADICI_VADD(f.q, y);
    }
#else
    f.q = PADICI_DMUL(y, c->mu);
#endif
    return f;
}

// x y + a for a below P, only congruent: IFMA: in [0, 3 P), if x is; doubles: in (-2/3 P, 5/3 P).
// There adding 3/2 2^52 rounds to integers.
PADICI_TARGET PADICI_INLINE PADICI_V PADICI_K(times_add)(const PADICI_K(ring) *c, int kind,
                                                         PADICI_V x, PADICI_K(times) f, PADICI_V a)
{
    if (kind == 1) return PADICI_VAND(PADICI_VADD(PADICI_VMUL(x, f.y), a), c->p);
    if (kind == 2) return PADICI_K(radd)(c, 2, PADICI_K(rmul64)(c, x, f.y), a);
#if PADICI_ISA_LEVEL == 4
    {
        const __m512i q = _mm512_madd52hi_epu64(PADICI_VSET(0), x, f.q);
        x = _mm512_madd52lo_epu64(_mm512_madd52lo_epu64(a, x, f.y), q, c->less);
        return _mm512_and_si512(x, PADICI_VSET((INT64_C(1) << 52) - 1));
    }
#else
    {
        const PADICI_V h = PADICI_DMUL(x, f.y), l = PADICI_DMSUB(x, f.y, h);
        const PADICI_V q = PADICI_DSUB(PADICI_DMADD(x, f.q, c->up), c->up);
        return PADICI_DADD(PADICI_DADD(PADICI_DNMADD(q, c->p, h), l), a);
    }
#endif
}

// The canonical residue of such a sum.
PADICI_TARGET PADICI_INLINE PADICI_V PADICI_K(reduce)(const PADICI_K(ring) *c, int kind, PADICI_V x)
{
    if (kind) return x;
#if PADICI_ISA_LEVEL == 4
    x = PADICI_VLOW(PADICI_VSUB(x, c->p), x);
    return PADICI_VLOW(PADICI_VSUB(x, c->p), x);
#else
    x = PADICI_VLOW(x, PADICI_DADD(x, c->p));
    return PADICI_VLOW(PADICI_DSUB(x, c->p), x);
#endif
}

// Coefficient k of the polynomial, common to all points, or individual from point i on.
PADICI_TARGET PADICI_INLINE PADICI_V PADICI_K(coefficient)(const padic_num_call *call, int kind,
                                                           uint64_t k, uint64_t i)
{
    if (call->stride)
        return PADICI_K(in)(kind, PADICI_K(unit)(call, &call->c, k * call->stride + i));
    k = padici_num_word(call->ring, call->c.unit, k);
#if PADICI_ISA_LEVEL == 4
    return PADICI_VSET(k);
#else
    return kind ? PADICI_VSET(k) : PADICI_DSET((double)(int64_t)k);
#endif
}

// Each step waits for the one before, so `n` <= 8 vectors of points, a constant, are interleaved.
// The coefficients are common; `narrow`, a constant: units of 32 bits.
PADICI_TARGET PADICI_INLINE void PADICI_K(points)(const padic_num_call *call,
                                                  const PADICI_K(ring) *c, int narrow, uint32_t n,
                                                  uint64_t i)
{
    const uint32_t *const c32 = (const uint32_t *)call->c.unit;
    const uint64_t *const c64 = (const uint64_t *)call->c.unit;
    const uint32_t *const a32 = (const uint32_t *)call->a.unit + i;
    const uint64_t *const a64 = (const uint64_t *)call->a.unit + i;
    uint32_t *const x32 = (uint32_t *)call->out.unit + i;
    uint64_t *const x64 = (uint64_t *)call->out.unit + i;
    uint64_t k = (uint64_t)call->k - 1;
    PADICI_K(times) y[8];
    PADICI_V x[8], a;
#if PADICI_ISA_LEVEL == 4
#define PADICI_SHARED(k) PADICI_VSET(narrow ? c32[k] : c64[k])
#else
#define PADICI_SHARED(k) PADICI_DSET((double)(int64_t)(narrow ? c32[k] : c64[k]))
#endif
#define PADICI_STEP(j) \
    if (j < n) { \
        x[j] = narrow ? PADICI_VLOADU(a32 + j * PADICI_LANES) \
                      : PADICI_VLOAD(a64 + j * PADICI_LANES); \
        y[j] = PADICI_K(times_of)(c, 0, PADICI_K(in)(0, x[j])); \
        x[j] = a; \
    }
    a = PADICI_SHARED(k);
    PADICI_EIGHT(PADICI_STEP)
#undef PADICI_STEP
#define PADICI_STEP(j) \
    if (j < n) x[j] = PADICI_K(times_add)(c, 0, x[j], y[j], a);
    while (k-- > 0) {
        a = PADICI_SHARED(k);
        PADICI_EIGHT(PADICI_STEP)
    }
#undef PADICI_STEP
#define PADICI_STEP(j) \
    if (j < n) { \
        x[j] = PADICI_K(out)(0, PADICI_K(reduce)(c, 0, x[j])); \
        if (narrow) \
            PADICI_VSTORE32(x32 + j * PADICI_LANES, x[j]); \
        else \
            PADICI_VSTORE(x64 + j * PADICI_LANES, x[j]); \
    }
    PADICI_EIGHT(PADICI_STEP)
#undef PADICI_STEP
#undef PADICI_SHARED
}

#if PADICI_ISA_LEVEL == 2 || PADICI_ISA_LEVEL == 3
// The same for P < 2^30, with even and odd units separated, in Montgomery form and two steps at
// once: y is y 2^32, and x y^2 + b y + a is (x y^2 + b y + (a + P) 2^32 - m P) 2^-32 < 3 P, m P
// congruent to it modulo 2^32. Bits above each half are ignored.
PADICI_TARGET PADICI_INLINE PADICI_V PADICI_K(redc)(PADICI_V x, PADICI_V up, PADICI_V p,
                                                    PADICI_V inverse)
{
    const PADICI_V m = PADICI_VMUL32(PADICI_VMUL32(x, inverse), p);
    return PADICI_HIGHS(PADICI_VSUB(PADICI_VADD(x, up), m));
}

PADICI_TARGET PADICI_INLINE void PADICI_K(points32)(const padic_num_call *call, uint32_t n,
                                                    uint64_t i)
{
    const uint32_t *const c = (const uint32_t *)call->c.unit;
    const uint32_t *const from = (const uint32_t *)call->a.unit + i;
    uint32_t *const to = (uint32_t *)call->out.unit + i;
    const uint64_t P = call->ring->base;
    const PADICI_V p = PADICI_WSET(P), inverse = PADICI_VSET(padici_num_inverse64(P));
    const PADICI_V square = PADICI_VSET(UINT64_MAX % P + 1); // 2^64 mod P
    PADICI_V x[8], y[8], z[8], a = PADICI_VSET(P << 32), b;
    uint64_t k = (uint64_t)call->k;
#define PADICI_STEP(j) \
    if (j < n) { \
        x[j] = PADICI_WLOAD(from + j / 2 * PADICI_WIDE); \
        if (j & 1) x[j] = PADICI_HIGHS(x[j]); \
        y[j] = PADICI_K(redc)(PADICI_VMUL32(x[j], square), a, p, inverse); \
        y[j] = PADICI_WLOW(y[j], PADICI_WSUB(y[j], p)); \
        z[j] = PADICI_K(redc)(PADICI_VMUL32(y[j], y[j]), a, p, inverse); \
        z[j] = PADICI_WLOW(z[j], PADICI_WSUB(z[j], p)); \
        x[j] = b; \
    }
    b = PADICI_VSET(k & 1 ? c[k - 1] : 0);
    PADICI_EIGHT(PADICI_STEP)
#undef PADICI_STEP
#define PADICI_STEP(j) \
    if (j < n) { \
        x[j] = PADICI_VADD(PADICI_VMUL32(x[j], z[j]), PADICI_VMUL32(y[j], b)); \
        x[j] = PADICI_K(redc)(x[j], a, p, inverse); \
    }
    for (k &= ~UINT64_C(1); k > 0; k -= 2) {
        b = PADICI_VSET(c[k - 1]);
        a = PADICI_VSET((c[k - 2] + P) << 32);
        PADICI_EIGHT(PADICI_STEP)
    }
#undef PADICI_STEP
#define PADICI_STEP(j) \
    if (j < n && !(j & 1)) { \
        x[j] = PADICI_HALVES(x[j], x[j + 1]); \
        x[j] = PADICI_WLOW(x[j], PADICI_WSUB(x[j], p)); \
        x[j] = PADICI_WLOW(x[j], PADICI_WSUB(x[j], p)); \
        PADICI_WSTORE(to + j / 2 * PADICI_WIDE, x[j]); \
    }
    PADICI_EIGHT(PADICI_STEP)
#undef PADICI_STEP
}
#endif

PADICI_TARGET static uint32_t PADICI_K(horner_points)(const padic_num_call *call)
{
    const PADICI_K(ring) c = PADICI_K(ring_of)(call->ring, 0);
    const uint64_t count = call->count, step = 8 * PADICI_LANES;
    uint64_t i = 0;
    if (call->ring->unit_size == 8) {
        for (; i + step <= count; i += step) PADICI_K(points)(call, &c, 0, 8, i);
        for (; i < count; i += PADICI_LANES) PADICI_K(points)(call, &c, 0, 1, i);
        return 0;
    }
#if PADICI_ISA_LEVEL == 2 || PADICI_ISA_LEVEL == 3
    if (call->ring->bits <= 30) {
        for (; i + step <= count; i += step) PADICI_K(points32)(call, 8, i);
        for (; i + PADICI_WIDE <= count; i += PADICI_WIDE) PADICI_K(points32)(call, 2, i);
    }
#endif
    for (; i + step <= count; i += step) PADICI_K(points)(call, &c, 1, 8, i);
    for (; i < count; i += PADICI_LANES) PADICI_K(points)(call, &c, 1, 1, i);
    return 0;
}

// Four vectors of points at once, since each step waits for the one before.
PADICI_TARGET PADICI_INLINE uint32_t PADICI_K(ring_horner)(const padic_num_call *call, int kind)
{
    const PADICI_K(ring) c = PADICI_K(ring_of)(call->ring, kind);
    uint64_t i, k;
    uint32_t j;
    if (!kind && !call->stride) return PADICI_K(horner_points)(call);
    for (i = 0; i < call->count; i += 4 * PADICI_LANES) {
        PADICI_K(times) y[4];
        PADICI_V x[4];
        uint64_t at[4]; // past the end: the first vector again
        PADICI_UNROLL
        for (j = 0; j < 4; j++) {
            at[j] = i + j * PADICI_LANES < call->count ? i + j * PADICI_LANES : i;
            y[j] = PADICI_K(times_of)(&c, kind,
                                      PADICI_K(in)(kind, PADICI_K(unit)(call, &call->a, at[j])));
            x[j] = PADICI_K(coefficient)(call, kind, (uint64_t)call->k - 1, at[j]);
        }
        for (k = (uint64_t)call->k - 1; k-- > 0;) {
            PADICI_V a = PADICI_K(coefficient)(call, kind, k, i);
            PADICI_UNROLL
            for (j = 0; j < 4; j++) {
                if (j && call->stride) a = PADICI_K(coefficient)(call, kind, k, at[j]);
                x[j] = PADICI_K(times_add)(&c, kind, x[j], y[j], a);
            }
        }
        PADICI_UNROLL
        for (j = 0; j < 4; j++)
            if (!j || at[j] > i)
                PADICI_K(unit_store)(call, at[j],
                                     PADICI_K(out)(kind, PADICI_K(reduce)(&c, kind, x[j])));
    }
    return 0;
}
PADICI_ALL(ring_horner)

PADICI_TARGET PADICI_INLINE uint32_t PADICI_K(float_horner)(const padic_num_call *call, int kind)
{
    const PADICI_K(ring) c = PADICI_K(ring_of)(call->ring, kind);
    PADICI_K(powers) t;
    PADICI_V bits = PADICI_VSET(0), sum;
    uint32_t rare = 0;
    uint64_t i, k, at;
    PADICI_K(powers_of)(&t, &c, kind);
    for (i = 0; i < call->count; i += PADICI_LANES) {
        const PADICI_K(floats) y = PADICI_K(load)(call, kind, &call->a, i);
        PADICI_K(floats) x, a;
        int usual = 1;
        sum = a.bits = PADICI_VSET(0);
        for (k = (uint64_t)call->k; k-- > 0 && usual;) {
            a.u = PADICI_K(coefficient)(call, kind, k, i);
            at = call->stride ? k * call->stride + i : k;
            a.v = call->stride ? PADICI_VLOADS((const int32_t *)call->c.val + at)
                               : PADICI_VSET(((const int32_t *)call->c.val)[at]);
            usual = PADICI_K(usual)(a.v, y.v);
            if (k + 1 < (uint64_t)call->k) {
                usual = usual && PADICI_K(usual)(x.v, y.v);
                x = PADICI_K(add)(&c, kind, &t, PADICI_K(mul)(&c, kind, x, y), a, 0);
            } else {
                x = a;
            }
            sum = PADICI_VOR(sum, x.bits);
        }
        x.bits = sum;
        if (usual && PADICI_K(usual)(x.v, y.v)) {
            PADICI_K(store)(call, kind, i, x);
            bits = PADICI_VOR(bits, sum);
        } else {
            rare |= padici_simd_num_plain(call, i, PADICI_LANES, padici_num_horner_loop);
        }
    }
    return PADICI_K(any_bits)(bits) | rare;
}
PADICI_ALL(float_horner)

#endif
// room: src/simd/num/sums.c
// @per-level
#ifndef PADIC_NO_NUM

// Sum of products of elements [first, first + count), at most 2^12 vectors, modulo P.
PADICI_TARGET PADICI_INLINE uint64_t PADICI_K(dot_part)(const padic_num_call *call, int kind,
                                                        uint64_t first, uint64_t count)
{
    const PADICI_K(ring) c = PADICI_K(ring_of)(call->ring, kind);
    const padic_num_ring *r = call->ring;
    PADICI_V low = PADICI_VSET(0), high = low;
    uint64_t lane[2][PADICI_LANES], i, sum = 0;
    for (i = first; i < first + count; i += PADICI_LANES) {
        const PADICI_V a = PADICI_K(in)(kind, PADICI_K(unit)(call, &call->a, i));
        const PADICI_V b = PADICI_K(in)(kind, PADICI_K(unit)(call, &call->b, i));
#if PADICI_ISA_LEVEL == 4
        if (kind != 1) { // below 2^52 each
            low = _mm512_madd52lo_epu64(low, a, b);
            high = _mm512_madd52hi_epu64(high, a, b);
            continue;
        }
#endif
        low = PADICI_VADD(low, kind == 1 ? PADICI_VMUL(a, b)
                                   : PADICI_K(out)(kind, PADICI_K(rmul)(&c, kind, a, b)));
    }
    PADICI_VSTORE(lane[0], low);
    PADICI_VSTORE(lane[1], high);
    for (i = 0; i < PADICI_LANES; i++) {
        if (kind == 1) {
            sum = (sum + lane[0][i]) & (r->base - 1);
        } else {
            sum = padici_num_add1(r, r->form, sum, lane[0][i] % r->base);
            sum = padici_num_add1(r, r->form, sum,
                              padici_num_mul1(r, r->form, lane[1][i] % r->base,
                                          (UINT64_C(1) << 52) % r->base));
        }
    }
    return sum;
}

PADICI_TARGET PADICI_INLINE uint32_t PADICI_K(ring_dot)(const padic_num_call *call, int kind)
{
    const padic_num_ring *r = call->ring;
    const uint64_t most = UINT64_C(4096) * PADICI_LANES;
    uint64_t i, n, sum = 0;
    for (i = 0; i + PADICI_LANES <= call->count; i += n) {
        n = call->count - i < most ? (call->count - i) / PADICI_LANES * PADICI_LANES : most;
        sum = padici_num_add1(r, r->form, sum, PADICI_K(dot_part)(call, kind, i, n));
    }
    for (; i < call->count; i++)
        sum = padici_num_add1(r, r->form, sum,
                          padici_num_mul1(r, r->form, padici_num_word(r, call->a.unit, i),
                                      padici_num_word(r, call->b.unit, i)));
    padici_num_word_set(r, call->c.unit, 0, sum);
    return 0;
}
PADICI_BOTH(ring_dot)

// Lane sums of a b for elements [first, end), at most 4,096, in the order of padici_sum_chunk: lane
// j of 32 takes every 32nd. Missing elements at the end count as ZERO. *bits are the status bits;
// returns 0 if there is an element that these sums cannot handle.
PADICI_TARGET PADICI_INLINE int PADICI_K(float_lanes)(const padic_num_call *call, int kind,
                                                      uint64_t first, uint64_t end, uint64_t *unit,
                                                      int32_t *val, uint32_t *bits)
{
    enum { PART = 32 / PADICI_LANES };
    const PADICI_K(ring) c = PADICI_K(ring_of)(call->ring, kind);
    PADICI_K(powers) t;
    PADICI_K(floats) sum[PART], product;
    PADICI_V all = PADICI_VSET(0);
    padic_num_call part = *call;
    uint64_t lane[PADICI_LANES], at;
    uint32_t j, k;
    int usual = 1;
    PADICI_K(powers_of)(&t, &c, kind);
    for (j = 0; j < PART; j++) {
        sum[j].v = PADICI_VSET(PADIC_NUM_ZERO);
        sum[j].u = sum[j].bits = PADICI_VSET(0);
    }
    for (at = first, j = 0; at < end && usual; at += PADICI_LANES, j = (j + 1) % PART) {
        PADICI_K(floats) a, b;
        if (end - at < PADICI_LANES) {
            uint64_t room[2][PADICI_LANES];
            int32_t room_val[2][PADICI_LANES];
            const uint32_t n = (uint32_t)(end - at);
            padici_simd_num_tail_in(call, &part.a, at, n, PADICI_LANES, room[0], room_val[0]);
            padici_simd_num_tail_in(call, &part.b, at, n, PADICI_LANES, room[1], room_val[1]);
            a = PADICI_K(load)(&part, kind, &part.a, 0);
            b = PADICI_K(load)(&part, kind, &part.b, 0);
            product = PADICI_K(mul)(&c, kind, a, b);
            for (k = 0; k < PADICI_LANES; k++) lane[k] = k < n;
            PADICI_K(set)(&product, PADICI_VEQ(PADICI_VLOAD(lane), PADICI_VSET(0)), PADIC_NUM_ZERO,
                          PADICI_VSET(0), PADICI_VSET(0));
        } else {
            a = PADICI_K(load)(call, kind, &call->a, at);
            b = PADICI_K(load)(call, kind, &call->b, at);
            product = PADICI_K(mul)(&c, kind, a, b);
        }
        usual = PADICI_K(usual)(a.v, b.v);
        sum[j] = PADICI_K(add)(&c, kind, &t, sum[j], product, 0);
        all = PADICI_VOR(all, sum[j].bits);
    }
    *bits |= PADICI_K(any_bits)(all);
    for (j = 0; j < PART; j++) {
        PADICI_VSTORE(unit + j * PADICI_LANES, PADICI_K(out)(kind, sum[j].u));
        PADICI_VSTORE32(val + j * PADICI_LANES, sum[j].v);
    }
    return usual;
}

PADICI_TARGET static int PADICI_K(float_lanes_odd)(const padic_num_call *call, uint64_t first,
                                                   uint64_t end, uint64_t *unit, int32_t *val,
                                                   uint32_t *bits)
{
    return PADICI_K(float_lanes)(call, 0, first, end, unit, val, bits);
}

#if PADICI_ISA_LEVEL != 4
PADICI_TARGET static int PADICI_K(float_lanes_two)(const padic_num_call *call, uint64_t first,
                                                   uint64_t end, uint64_t *unit, int32_t *val,
                                                   uint32_t *bits)
{
    return PADICI_K(float_lanes)(call, 1, first, end, unit, val, bits);
}
#endif

#endif
// room: src/simd/num/series.c
// @per-level
#ifndef PADIC_NO_NUM

// exp and log: y with x = p^c y, or x = 1 + p^c y (p = 2: or -1 - 4 y), in the representation used
// in computations; *rare is not 0 in lanes for the generic loop.
PADICI_TARGET PADICI_INLINE PADICI_V PADICI_K(series_y)(const PADICI_K(ring) *c, int kind, int log,
                                                        const PADICI_K(powers) *t,
                                                        const padic_num_call *call, uint64_t i,
                                                        PADICI_V *rare)
{
    const PADICI_V none = PADICI_VSET(0), all = PADICI_VSET(-1),
                   step = PADICI_VSET(kind == 1 ? 2 : 1);
    PADICI_V u = PADICI_K(in)(kind, PADICI_K(unit)(call, &call->a, i)), v = none, y = none;
    PADICI_M good;
    if (call->a.val) v = PADICI_VLOADS((const int32_t *)call->a.val + i);
    if (call->a.val && !log) {
        *rare = PADICI_VSEL(PADICI_VGT(step, v), all, none);
        v = PADICI_VSEL(PADICI_VGT(step, v), none, PADICI_VSUB(v, step));
        return PADICI_K(up)(c, kind, t, u, v);
    }
    if (kind == 1 && log) {
        const PADICI_M minus = PADICI_VEQ(PADICI_VAND(u, step), step);
        good = PADICI_VEQ(PADICI_VAND(u, PADICI_VSET(1)), PADICI_VSET(1));
        y = PADICI_VSHR(PADICI_VAND(PADICI_VSEL(minus, PADICI_VSUB(none, u), u), c->p), step);
    } else if (kind == 1) {
        good = PADICI_VEQ(PADICI_VAND(u, PADICI_VSET(3)), none);
        y = PADICI_VSHR(u, step);
    } else {
        if (log) u = PADICI_K(rsub)(c, kind, u, PADICI_K(in)(kind, PADICI_VSET(1)));
        good = c->ladder ? PADICI_K(rdown)(c, kind, 0, u, &y) : PADICI_K(rzero)(kind, u);
    }
    *rare = PADICI_VOR(PADICI_VSEL(good, none, all), v);
    return PADICI_VSEL(good, y, none);
}

PADICI_TARGET PADICI_INLINE uint32_t PADICI_K(series)(const padic_num_call *call, int kind, int log)
{
    const PADICI_K(ring) c = PADICI_K(ring_of)(call->ring, kind);
    const padici_num_series *s = (const padici_num_series *)call->options;
    const uint64_t *const terms = s->coefficients[log];
    const PADICI_V none = PADICI_VSET(0);
    PADICI_K(powers) t;
    uint64_t i, at[4];
    uint32_t bits = 0, j, k;
    PADICI_K(powers_of)(&t, &c, kind);
    for (i = 0; i < call->count; i += 4 * PADICI_LANES) {
        PADICI_K(times) y[4], f[4];
        PADICI_V x[4], sum[4], rare[4], v = none;
        PADICI_UNROLL
        for (j = 0; j < 4; j++) { // past the end: the first vector again
            at[j] = i + j * PADICI_LANES < call->count ? i + j * PADICI_LANES : i;
            y[j] = PADICI_K(times_of)(&c, kind, PADICI_K(series_y)(&c, kind, log, &t, call, at[j],
                                                                 &rare[j]));
        }
#define PADICI_STEP(j) f[j] = y[j], sum[j] = none;
        PADICI_FOUR(PADICI_STEP)
#undef PADICI_STEP
#define PADICI_STEP(j) sum[j] = PADICI_K(times_add)(&c, kind, sum[j], f[j], a);
        for (k = s->terms[log]; k-- > 0;) {
#if PADICI_ISA_LEVEL == 4
            const PADICI_V a = PADICI_VSET(terms[k]);
#else
            const PADICI_V a =
                kind ? PADICI_VSET(terms[k]) : PADICI_DSET((double)(int64_t)terms[k]);
#endif
            PADICI_FOUR(PADICI_STEP)
        }
#undef PADICI_STEP
#define PADICI_STEP(j) x[j] = sum[j];
        PADICI_FOUR(PADICI_STEP)
#undef PADICI_STEP
        PADICI_UNROLL
        for (j = 0; j < 4; j++) {
            PADICI_M zero = PADICI_NONE;
            if (j && at[j] == i) continue;
            x[j] = PADICI_K(reduce)(&c, kind, x[j]);
            if (log && call->out.val) v = PADICI_K(rsplit)(&c, kind, &x[j], &zero);
            if (PADICI_VANY(rare[j]) || (log && call->out.val && PADICI_MANY(zero))) {
                bits |= padici_simd_num_plain(call, at[j], PADICI_LANES,
                                              log ? padici_num_log_words : padici_num_exp_words);
                continue;
            }
            PADICI_K(unit_store)(call, at[j], PADICI_K(out)(kind, x[j]));
            if (call->out.val) PADICI_VSTORE32((int32_t *)call->out.val + at[j], v);
            if (call->status) PADICI_VSTORE8(call->status + at[j], none);
        }
    }
    return bits;
}

PADICI_TARGET PADICI_INLINE uint32_t PADICI_K(exp)(const padic_num_call *call, int kind)
{
    return PADICI_K(series)(call, kind, 0);
}
PADICI_ALL(exp)

PADICI_TARGET PADICI_INLINE uint32_t PADICI_K(log)(const padic_num_call *call, int kind)
{
    return PADICI_K(series)(call, kind, 1);
}
PADICI_ALL(log)

// Integers modulo a small q. The result is a table index: below q, whatever a plane holds.
PADICI_TARGET PADICI_INLINE PADICI_V PADICI_K(modulo)(int kind, PADICI_V x, uint64_t q)
{
    const PADICI_V n = PADICI_VSET(q);
    if (kind != 2) x = PADICI_VAND(x, PADICI_VSET((UINT64_C(1) << 49) - 1)); // residues are below
    if (kind == 2) { // the quotient is at most one too small
        const PADICI_V k = PADICI_K(high64)(x, PADICI_VSET(UINT64_MAX / q));
        x = PADICI_VSUB(x, PADICI_VMUL(k, n));
        return PADICI_VLOW(PADICI_VSUB(x, n), x);
    }
#if PADICI_ISA_LEVEL == 4
    {
        const PADICI_V k = _mm512_madd52hi_epu64(PADICI_VSET(0), x,
                                                 PADICI_VSET((UINT64_C(1) << 52) / q));
        x = PADICI_VSUB(x, _mm512_madd52lo_epu64(PADICI_VSET(0), k, n));
        return PADICI_VLOW(PADICI_VSUB(x, n), x);
    }
#else
    {
        const double d = (double)q;
        x = PADICI_DFROM(x);
        x = PADICI_DNMADD(PADICI_DROUND(PADICI_DMUL(x, PADICI_DSET(1.0 / d))), PADICI_DSET(d), x);
        return PADICI_DTO(PADICI_VLOW(x, PADICI_DADD(x, PADICI_DSET(d))));
    }
#endif
}

// x / 2 modulo odd P.
PADICI_TARGET PADICI_INLINE PADICI_V PADICI_K(half)(const PADICI_K(ring) *c, int kind, PADICI_V x)
{
#if PADICI_ISA_LEVEL != 4
    if (!kind) {
        const PADICI_V y = PADICI_DMUL(x, PADICI_DSET(0.5));
        const PADICI_M even = PADICI_DZERO(PADICI_DSUB(y, PADICI_DFLOOR(y)));
        return PADICI_VSEL(even, y, PADICI_DADD(y, PADICI_DMUL(c->p, PADICI_DSET(0.5))));
    }
#endif
    {
        const PADICI_V one = PADICI_VSET(1), odd = PADICI_VSUB(PADICI_VSET(0), PADICI_VAND(x, one));
        const PADICI_V half = PADICI_VADD(PADICI_VSHR(c->p, one), one);
        (void)kind;
        return PADICI_VADD(PADICI_VSHR(x, one), PADICI_VAND(odd, half));
    }
}

// Square roots as by padici_word_sqrt, of four vectors, from the known digits of z = 1 / root.
PADICI_TARGET PADICI_INLINE void PADICI_K(roots)(const PADICI_K(ring) *c, int kind, uint32_t known,
                                                 const PADICI_V *u, PADICI_V *z, PADICI_V *x)
{
    const uint32_t n = c->r->precision;
    const PADICI_V one = PADICI_K(in)(kind, PADICI_VSET(1)), step = PADICI_VSET(1);
    PADICI_V d;
    uint32_t j;
    if (kind == 1) { // modulo 2^64
        for (; 2 * known < n; known = 2 * known - 1)
            PADICI_UNROLL
            for (j = 0; j < 4; j++) {
                d = PADICI_VSUB(one, PADICI_VMUL(PADICI_VMUL(z[j], z[j]), u[j]));
                z[j] = PADICI_VADD(z[j], PADICI_VMUL(z[j], PADICI_VSHR(d, step)));
            }
        PADICI_UNROLL
        for (j = 0; j < 4; j++) {
            x[j] = PADICI_VMUL(u[j], z[j]);
            d = PADICI_VSHR(PADICI_VSUB(u[j], PADICI_VMUL(x[j], x[j])), step);
            x[j] = PADICI_VADD(x[j], PADICI_VMUL(z[j], d));
            x[j] = PADICI_VAND(x[j], PADICI_VSHR(c->p, step));
        }
        return;
    }
    for (; 2 * known < n; known *= 2)
        PADICI_UNROLL
        for (j = 0; j < 4; j++) {
            d = PADICI_K(rmul)(c, kind, PADICI_K(rmul)(c, kind, z[j], z[j]), u[j]);
            d = PADICI_K(half)(c, kind, PADICI_K(rsub)(c, kind, one, d));
            z[j] = PADICI_K(radd)(c, kind, z[j], PADICI_K(rmul)(c, kind, z[j], d));
        }
    PADICI_UNROLL
    for (j = 0; j < 4; j++) {
        x[j] = PADICI_K(rmul)(c, kind, u[j], z[j]);
        d = PADICI_K(rsub)(c, kind, u[j], PADICI_K(rmul)(c, kind, x[j], x[j]));
        d = PADICI_K(half)(c, kind, d);
        x[j] = PADICI_K(radd)(c, kind, x[j], PADICI_K(rmul)(c, kind, z[j], d));
    }
}

// Odd p: with seeds from the ring's tables.
PADICI_TARGET PADICI_INLINE uint32_t PADICI_K(sqrt)(const padic_num_call *call, int kind)
{
    const PADICI_K(ring) c = PADICI_K(ring_of)(call->ring, kind);
    const padici_num_tables *tables = padici_num_tables_of(call->ring);
    const uint32_t *seeds =
        kind == 1 ? NULL : (const uint32_t *)padici_num_table(tables, tables->root);
    const uint32_t lost = kind == 1 && !call->a.val ? PADIC_NUM_PRECLOSS : 0;
    const PADICI_V none = PADICI_VSET(0), one = PADICI_VSET(1);
    uint32_t bits = 0, j;
    uint64_t i, at[4];
    for (i = 0; i < call->count; i += 4 * PADICI_LANES) {
        PADICI_V u[4], z[4], x[4], v[4];
        PADICI_M bad[4];
        PADICI_UNROLL
        for (j = 0; j < 4; j++) { // past the end: the first vector again
            at[j] = i + j * PADICI_LANES < call->count ? i + j * PADICI_LANES : i;
            u[j] = PADICI_K(unit)(call, &call->a, at[j]);
            if (kind == 1) {
                z[j] = PADICI_VSEL(PADICI_VEQ(PADICI_VAND(u[j], PADICI_VSET(7)), one), one, none);
            } else {
                z[j] = PADICI_GATHER32(seeds, PADICI_K(modulo)(kind, u[j], tables->modulus));
                u[j] = PADICI_K(in)(kind, u[j]);
            }
            bad[j] = PADICI_VEQ(z[j], none);
            z[j] = PADICI_K(in)(kind, z[j]);
            if (kind != 1 && !call->a.val)
                bad[j] = PADICI_MOR(bad[j], PADICI_K(rdivides)(&c, kind, u[j]));
        }
        PADICI_K(roots)(&c, kind, kind == 1 ? 2 : tables->root_digits, u, z, x);
        PADICI_UNROLL
        for (j = 0; j < 4; j++) {
            int usual = 1;
            if (j && at[j] == i) continue;
            if (call->a.val) {
                v[j] = PADICI_VLOADS((const int32_t *)call->a.val + at[j]);
                usual = PADICI_K(usual)(v[j], v[j]) && !PADICI_VANY(PADICI_VAND(v[j], one));
                // v / 2 for even v
                v[j] = PADICI_VSHR(PADICI_VADD(v[j], PADICI_VSET(INT64_C(1) << 32)), one);
                v[j] = PADICI_VSUB(v[j], PADICI_VSET(INT64_C(1) << 31));
            }
            if (!usual || PADICI_MANY(bad[j])) {
                bits |= padici_simd_num_plain(call, at[j], PADICI_LANES, padici_num_sqrt_words);
                continue;
            }
            PADICI_K(unit_store)(call, at[j], PADICI_K(out)(kind, x[j]));
            if (call->out.val) PADICI_VSTORE32((int32_t *)call->out.val + at[j], v[j]);
            if (call->status) PADICI_VSTORE8(call->status + at[j], PADICI_VSET(lost));
            bits |= lost;
        }
    }
    return bits;
}
PADICI_ALL(sqrt)

// Teichmueller residues from the table; p = 2: 1 and -1, 0 for even residues.
PADICI_TARGET PADICI_INLINE uint32_t PADICI_K(teichmueller)(const padic_num_call *call, int kind)
{
    const padic_num_ring *r = call->ring;
    const padici_num_tables *tables = padici_num_tables_of(r);
    const uint64_t *table = kind == 1 ? NULL : padici_num_table(tables, tables->teichmueller);
    const PADICI_V none = PADICI_VSET(0), one = PADICI_VSET(1), twos = PADICI_VSET(2);
    uint32_t bits = 0;
    uint64_t i;
    for (i = 0; i < call->count; i += PADICI_LANES) {
        PADICI_V x = PADICI_K(unit)(call, &call->a, i), v = none;
        if (call->a.val) v = PADICI_VLOADS((const int32_t *)call->a.val + i);
        if (PADICI_MANY(PADICI_VGT(none, v))) { // or NaN
            bits |= padici_simd_num_plain(call, i, PADICI_LANES, padici_num_teichmueller_words);
            continue;
        }
        if (kind == 1) {
            const PADICI_M even = PADICI_VEQ(PADICI_VAND(x, one), none);
            x = PADICI_VSEL(PADICI_VEQ(PADICI_VAND(x, twos), none), one, PADICI_VSET(r->base - 1));
            x = PADICI_VSEL(even, none, x);
        } else {
            x = PADICI_GATHER(table, PADICI_K(modulo)(kind, x, r->p));
        }
        x = PADICI_VSEL(PADICI_VGT(v, none), none, x);
        v = PADICI_VSEL(PADICI_VGT(v, none), PADICI_VSET(PADIC_NUM_ZERO), none);
        PADICI_K(unit_store)(call, i, x);
        if (call->out.val) PADICI_VSTORE32((int32_t *)call->out.val + i, v);
        if (call->status) PADICI_VSTORE8(call->status + i, none);
    }
    return bits;
}
PADICI_ALL(teichmueller)

#endif
// room: src/simd/num/digits.c
// @per-level
#ifndef PADIC_NO_NUM

// Digits, in planes.

// `size`, a constant, is the bytes of a digit.
PADICI_TARGET PADICI_INLINE void PADICI_K(digit_store)(void *to, uint64_t at, uint32_t size,
                                                       PADICI_V d)
{
    if (size == 1)
        PADICI_VSTORE8((uint8_t *)to + at, d);
    else if (size == 2)
        PADICI_VSTORE16((uint16_t *)to + at, d);
    else
        PADICI_VSTORE32((uint32_t *)to + at, d);
}

PADICI_TARGET PADICI_INLINE PADICI_V PADICI_K(digit)(const void *from, uint64_t at, uint32_t size)
{
    if (size == 1) return PADICI_VLOAD8((const uint8_t *)from + at);
    if (size == 2) return PADICI_VLOAD16((const uint16_t *)from + at);
    return PADICI_VLOADU((const uint32_t *)from + at);
}

// Digit by digit, lowest first. IFMA: floor(x / p) by floor(2^52 / p) is at most one too small; by
// one more it is exact for x < 2^52 / p, that is from the second digit on. Doubles: 1 / p rounded
// up is exact for x < 2^50.
PADICI_TARGET PADICI_INLINE void PADICI_K(spread)(const padic_num_call *call, int kind,
                                                  uint32_t size, uint64_t at, PADICI_V x)
{
    const padic_num_ring *r = call->ring;
    const uint32_t n = r->precision;
    const PADICI_V one = PADICI_VSET(1);
#if PADICI_ISA_LEVEL == 4
    const PADICI_V p = PADICI_VSET(r->p), slow = PADICI_VSET((UINT64_C(1) << 52) / r->p);
    const PADICI_V fast = PADICI_VADD(slow, one);
#else
    const PADICI_V p = PADICI_DSET((double)r->p);
    const PADICI_V fast = PADICI_DSET(1.0 / (double)r->p * (1 + 1.0 / 2251799813685248.0));
#endif
    PADICI_V q = x, d;
    uint32_t k;
    for (k = 0; k + 1 < n; k++, at += call->stride) {
        if (kind == 1) {
            d = PADICI_VAND(x, one);
            q = PADICI_VSHR(x, one);
        } else {
#if PADICI_ISA_LEVEL == 4
            q = _mm512_madd52hi_epu64(PADICI_VSET(0), x, k ? fast : slow);
            d = PADICI_VSUB(x, _mm512_madd52lo_epu64(PADICI_VSET(0), q, p));
            if (!k) {
                const __mmask8 m = _mm512_cmpge_epu64_mask(d, p);
                q = _mm512_mask_add_epi64(q, m, q, one);
                d = _mm512_mask_sub_epi64(d, m, d, p);
            }
#else
            q = PADICI_DFLOOR(PADICI_DMUL(x, fast));
            d = PADICI_DNMADD(q, p, x);
#endif
        }
        PADICI_K(digit_store)(call->other[0], at, size, PADICI_K(out)(kind, d));
        x = q;
    }
    PADICI_K(digit_store)(call->other[0], at, size, PADICI_K(out)(kind, x));
}

PADICI_TARGET PADICI_INLINE uint32_t PADICI_K(digits)(const padic_num_call *call, int kind)
{
    const PADICI_V nan = PADICI_VSET(PADIC_NUM_NAN);
    int32_t *const val = (int32_t *)call->other[1];
    uint64_t i;
    uint32_t bits = 0;
    for (i = 0; i < call->count; i += PADICI_LANES) {
        const PADICI_V x = PADICI_K(in)(kind, PADICI_K(unit)(call, &call->a, i));
        PADICI_V v = PADICI_VSET(0);
        if (call->a.val) v = PADICI_VLOADS((const int32_t *)call->a.val + i);
        if (PADICI_MANY(PADICI_VEQ(v, nan))) {
            bits |= padici_simd_num_plain(call, i, PADICI_LANES, padici_num_to_digits_loop);
            continue;
        }
        if (val) PADICI_VSTORE32(val + i, v);
        if (call->status) PADICI_VSTORE8(call->status + i, PADICI_VSET(0));
        if (call->dtype == PADIC_U8)
            PADICI_K(spread)(call, kind, 1, i, x);
        else if (call->dtype == PADIC_U16)
            PADICI_K(spread)(call, kind, 2, i, x);
        else
            PADICI_K(spread)(call, kind, 4, i, x);
    }
    return bits;
}
PADICI_BOTH(digits)

// Sum of digits d_k p^k; *least is negative where a digit is too large.
PADICI_TARGET PADICI_INLINE PADICI_V PADICI_K(collect)(const padic_num_call *call, int kind,
                                                       uint32_t size, uint64_t at, PADICI_V *least)
{
    const PADICI_V most = PADICI_VSET(call->ring->p - 1);
#if PADICI_ISA_LEVEL == 4
    const PADICI_V p = PADICI_VSET(call->ring->p);
#else
    const PADICI_V p = PADICI_DSET(-(double)call->ring->p);
#endif
    PADICI_V x = PADICI_VSET(0), low = x;
    uint32_t k;
    at += call->ring->precision * call->stride;
    for (k = call->ring->precision; k > 0; k--) {
        const PADICI_V d = PADICI_K(digit)(call->other[0], at -= call->stride, size);
        low = PADICI_VOR(low, PADICI_VSUB(most, d));
        if (kind == 1)
            x = PADICI_VOR(PADICI_VADD(x, x), d);
        else
#if PADICI_ISA_LEVEL == 4
            x = _mm512_madd52lo_epu64(d, x, p);
#else
            x = PADICI_DNMADD(x, p, PADICI_DFROM(d));
#endif
    }
    *least = low;
    return x;
}

#if PADICI_ISA_LEVEL >= 2
// Residues from U16 planes, two digits at a time: d_k + p d_(k+1) by one product of 16-bit words, p
// < 2^15, then Horner's rule in p^2. From element i on, two vectors at once; returns where it
// stopped: at two with a digit that is too large, or at the end.
PADICI_TARGET static uint64_t PADICI_K(collect_pairs)(const padic_num_call *call, uint64_t i)
{
    const uint32_t p = (uint32_t)call->ring->p, n = call->ring->precision;
    const uint64_t stride = call->stride, count = call->count;
    const int narrow = call->ring->unit_size == 4;
    const uint16_t *from = (const uint16_t *)call->other[0] + i;
    uint8_t *const status = call->status;
    uint32_t *const out32 = (uint32_t *)call->out.unit;
    uint64_t *const out64 = (uint64_t *)call->out.unit;
    uint32_t k;
    PADICI_V x, y;
#if PADICI_ISA_LEVEL == 2
    const __m128i weights = _mm_set1_epi32((int)(p << 16 | 1));
    const __m128i most = _mm_set1_epi16((short)(p - 1));
    const __m256d square = _mm256_set1_pd((double)p * p);
    for (; i + 8 <= count; i += 8, from += 8) {
        const uint16_t *d = from + (n - 1) * stride;
        __m128i b = _mm_loadu_si128((const __m128i *)(const void *)d), a = b, high = b;
        __m256d low4, high4;
        if (n & 1)
            b = _mm_setzero_si128();
        else
            a = _mm_loadu_si128((const __m128i *)(const void *)(d -= stride));
        for (k = (n + 1) / 2, low4 = high4 = _mm256_setzero_pd();;) {
            high = _mm_max_epu16(high, _mm_max_epu16(a, b));
            low4 = _mm256_fmadd_pd(
                low4, square,
                _mm256_cvtepi32_pd(_mm_madd_epi16(_mm_unpacklo_epi16(a, b), weights)));
            high4 = _mm256_fmadd_pd(
                high4, square,
                _mm256_cvtepi32_pd(_mm_madd_epi16(_mm_unpackhi_epi16(a, b), weights)));
            if (!--k) break;
            b = _mm_loadu_si128((const __m128i *)(const void *)(d - stride));
            a = _mm_loadu_si128((const __m128i *)(const void *)(d -= 2 * stride));
        }
        high = _mm_subs_epu16(high, most);
        if (!_mm_testz_si128(high, high)) break;
        x = PADICI_DTO(PADICI_ICAST(low4));
        y = PADICI_DTO(PADICI_ICAST(high4));
#else // the halves of a 256-bit register interleave apart: elements 0-3, 8-11 and 4-7, 12-15
    const __m256i weights = _mm256_set1_epi32((int)(p << 16 | 1));
    const __m256i most = _mm256_set1_epi16((short)(p - 1));
#if PADICI_ISA_LEVEL == 4
    const PADICI_V square = PADICI_VSET((uint64_t)p * p);
#define PADICI_STEP(x, pair) _mm512_madd52lo_epu64(_mm512_cvtepu32_epi64(pair), x, square)
#else
    const __m512d square = _mm512_set1_pd((double)p * p);
#define PADICI_STEP(x, pair) \
    PADICI_ICAST(_mm512_fmadd_pd(PADICI_DCAST(x), square, _mm512_cvtepi32_pd(pair)))
#endif
    for (; i + 16 <= count; i += 16, from += 16) {
        const uint16_t *d = from + (n - 1) * stride;
        __m256i b = _mm256_loadu_si256((const __m256i *)(const void *)d), a = b, high = b;
        PADICI_V low8 = PADICI_VSET(0), high8 = low8;
        if (n & 1)
            b = _mm256_setzero_si256();
        else
            a = _mm256_loadu_si256((const __m256i *)(const void *)(d -= stride));
        for (k = (n + 1) / 2;;) {
            high = _mm256_max_epu16(high, _mm256_max_epu16(a, b));
            low8 = PADICI_STEP(low8, _mm256_madd_epi16(_mm256_unpacklo_epi16(a, b), weights));
            high8 = PADICI_STEP(high8, _mm256_madd_epi16(_mm256_unpackhi_epi16(a, b), weights));
            if (!--k) break;
            b = _mm256_loadu_si256((const __m256i *)(const void *)(d - stride));
            a = _mm256_loadu_si256((const __m256i *)(const void *)(d -= 2 * stride));
        }
        high = _mm256_subs_epu16(high, most);
        if (!_mm256_testz_si256(high, high)) break;
        x = PADICI_K(out)(0, _mm512_shuffle_i64x2(low8, high8, 0x44));
        y = PADICI_K(out)(0, _mm512_shuffle_i64x2(low8, high8, 0xee));
#undef PADICI_STEP
#endif
        if (narrow) {
            PADICI_VSTORE32(out32 + i, x);
            PADICI_VSTORE32(out32 + i + PADICI_LANES, y);
        } else {
            PADICI_VSTORE(out64 + i, x);
            PADICI_VSTORE(out64 + i + PADICI_LANES, y);
        }
        if (status) memset(status + i, 0, 2 * PADICI_LANES);
    }
    return i;
}
#endif

PADICI_TARGET PADICI_INLINE uint32_t PADICI_K(of_digits)(const padic_num_call *call, int kind)
{
    const PADICI_K(ring) c = PADICI_K(ring_of)(call->ring, kind);
    const PADICI_V none = PADICI_VSET(0), outside = PADICI_VSET(PADIC_NUM_OUTSIDE);
    const int32_t *const val = (const int32_t *)call->other[1];
#if PADICI_ISA_LEVEL >= 2
    const int pairs = !kind && call->dtype == PADIC_U16 && !call->out.val && c.r->p < 32768;
#endif
    PADICI_V bits = none;
    uint32_t rare = 0;
    uint64_t i;
    for (i = 0; i < call->count; i += PADICI_LANES) {
        PADICI_K(floats) x;
        PADICI_V least;
        PADICI_M bad, zero = PADICI_NONE;
#if PADICI_ISA_LEVEL >= 2
        if (pairs && (i = PADICI_K(collect_pairs)(call, i)) >= call->count) break;
#endif
        if (call->dtype == PADIC_U8)
            x.u = PADICI_K(collect)(call, kind, 1, i, &least);
        else if (call->dtype == PADIC_U16)
            x.u = PADICI_K(collect)(call, kind, 2, i, &least);
        else
            x.u = PADICI_K(collect)(call, kind, 4, i, &least);
        bad = PADICI_VGT(none, least);
        x.bits = none;
        if (!call->out.val) {
            if (PADICI_MANY(bad)) {
                x.u = PADICI_VSEL(bad, none, x.u);
                x.bits = PADICI_VSEL(bad, outside, none);
            }
            PADICI_K(unit_store)(call, i, PADICI_K(out)(kind, x.u));
            if (call->status) PADICI_VSTORE8(call->status + i, x.bits);
        } else {
            x.v = val ? PADICI_VLOADS(val + i) : none;
            if (!PADICI_K(usual)(x.v, x.v)) {
                rare |= padici_simd_num_plain(call, i, PADICI_LANES, padici_num_from_digits_loop);
                continue;
            }
            x.v = PADICI_VADD(x.v, PADICI_K(rsplit)(&c, kind, &x.u, &zero));
            PADICI_K(set)(&x, zero, PADIC_NUM_ZERO, none, none);
            PADICI_K(set)(&x, bad, PADIC_NUM_NAN, PADICI_K(in)(kind, outside), outside);
            PADICI_K(store)(call, kind, i, x);
        }
        bits = PADICI_VOR(bits, x.bits);
    }
    return PADICI_K(any_bits)(bits) | rare;
}
PADICI_BOTH(of_digits)

#endif
// room: src/simd/num/from_floats.c
// @per-level
#ifndef PADIC_NO_NUM

// m mod P for m < 2^53. IFMA: `back` is floor(2^52 / P) and 2^52 mod P.
PADICI_TARGET PADICI_INLINE PADICI_V PADICI_K(mantissa)(const PADICI_K(ring) *c,
                                                        const PADICI_V *back, PADICI_V m)
{
    const PADICI_V low = PADICI_VAND(m, PADICI_VSET((INT64_C(1) << 52) - 1));
    const PADICI_M whole = PADICI_VEQ(low, m);
    PADICI_V x, q;
#if PADICI_ISA_LEVEL == 4
    q = _mm512_madd52hi_epu64(PADICI_VSET(0), low, back[0]);
    x = PADICI_VSUB(low, _mm512_madd52lo_epu64(PADICI_VSET(0), q, c->p));
    x = PADICI_VLOW(PADICI_VSUB(x, c->p), x);
    return PADICI_K(radd)(c, 0, x, PADICI_VSEL(whole, PADICI_VSET(0), back[1]));
#else
    (void)back;
    x = PADICI_DFROM(low);
    x = PADICI_VSEL(whole, x, PADICI_DADD(x, PADICI_DSET(4503599627370496.0)));
    q = PADICI_DROUND(PADICI_DMUL(x, c->mu));
    x = PADICI_DNMADD(q, c->p, x);
    return PADICI_VLOW(x, PADICI_DADD(x, c->p));
#endif
}

// Strips p from the whole m, not only from its residue: by the ladder modulo 2^64. *v are
// valuations. p may still divide a lane if P is small.
PADICI_TARGET static PADICI_V PADICI_K(strip)(const padic_num_ring *r, PADICI_V m, PADICI_V *v)
{
    const PADICI_V sign = PADICI_VSET(UINT64_C(1) << 63);
    uint32_t j = r->ladder;
    *v = PADICI_VSET(0);
    while (j-- > 0) {
        const PADICI_V q = PADICI_VMUL(m, PADICI_VSET(r->ladder_inverse[j]));
        const PADICI_M above = PADICI_VGT(PADICI_VXOR(q, sign),
                                          PADICI_VSET(r->ladder_limit[j] ^ UINT64_C(1) << 63));
        m = PADICI_VSEL(above, m, q);
        *v = PADICI_VSEL(above, *v, PADICI_VADD(*v, PADICI_VSET(1u << j)));
    }
    return m;
}

// 2^e mod P for 128 exponents around that of 1, and for all; integers, or doubles without IFMA.
typedef struct PADICI_K(float_tables) {
    padici_num_twos twos;
    uint64_t table[128];
    int made;
} PADICI_K(float_tables);

enum { PADICI_K(FLOAT_FIRST) = 1088 - 52 - 64 }; // the exponent of table[0], plus 1,088

static PADICI_NOINLINE void PADICI_K(float_tables_make)(const padic_num_ring *r,
                                                        PADICI_K(float_tables) *t)
{
    uint32_t k;
    t->made = 1;
    padici_num_twos_make(r, &t->twos);
    t->table[0] = padici_num_mul1(r, r->form, t->twos.low[PADICI_K(FLOAT_FIRST) & 63],
                              t->twos.high[PADICI_K(FLOAT_FIRST) >> 6]);
    for (k = 1; k < 128; k++)
        t->table[k] = padici_num_add1(r, r->form, t->table[k - 1], t->table[k - 1]);
    for (k = 0; PADICI_ISA_LEVEL != 4 && k < 64 + 33 + 128; k++) {
        uint64_t *const power = k < 64   ? &t->twos.low[k]
                                : k < 97 ? &t->twos.high[k - 64]
                                         : &t->table[k - 97];
        const double y = (double)(int64_t)*power;
        memcpy(power, &y, sizeof y);
    }
}

// Values that the vectors of a call share.
typedef struct PADICI_K(float_rules) {
    PADICI_K(ring) c;
    const PADICI_K(float_tables) *t;
    int wide; // f64, not f32: selects the fields
    PADICI_V hidden, shift, minus, top, bias;
    PADICI_V back[2]; // floor(2^52 / P), 2^52 mod P
#if PADICI_ISA_LEVEL >= 3
    PADICI_V low[2], sixteens; // 2^k and 2^(16 j): two products from registers beat a gather
#endif
} PADICI_K(float_rules);

PADICI_TARGET PADICI_INLINE PADICI_K(float_rules) PADICI_K(float_rules_of)(
    const padic_num_call *call, int kind, const PADICI_K(float_tables) *t)
{
    const padic_num_ring *r = call->ring;
    const int wide = call->dtype == PADIC_F64;
    PADICI_K(float_rules) f;
    f.c = PADICI_K(ring_of)(r, kind);
    f.t = t;
    f.wide = wide;
    f.hidden = PADICI_VSET(UINT64_C(1) << (wide ? 52 : 23));
    f.shift = PADICI_VSET(wide ? 52 : 23);
    f.minus = PADICI_VSET(wide ? 63 : 31);
    f.top = PADICI_VSET(wide ? 2047 : 255);
    f.bias = PADICI_VSET(1088 - (wide ? 1075 : 150));
    f.back[0] = PADICI_VSET((UINT64_C(1) << 52) / (r->base ? r->base : 1));
    f.back[1] = PADICI_VSET((UINT64_C(1) << 52) % (r->base ? r->base : 1));
#if PADICI_ISA_LEVEL >= 3
    f.low[0] = f.low[1] = f.sixteens = PADICI_VSET(0);
    if (kind != 1) {
        f.low[0] = PADICI_VLOAD(t->twos.low);
        f.low[1] = PADICI_VLOAD(t->twos.low + 8);
        f.sixteens = _mm512_i64gather_epi64(_mm512_set_epi64(112, 96, 80, 64, 48, 32, 16, 0),
                                            (const void *)t->table, 8);
    }
#endif
    return f;
}

// Odd p: m 2^e mod P, where e has 1,088 added.
PADICI_TARGET PADICI_INLINE PADICI_V PADICI_K(float_up)(const PADICI_K(float_rules) *f, PADICI_V m,
                                                        PADICI_V e)
{
    PADICI_V from = PADICI_VSUB(e, PADICI_VSET(PADICI_K(FLOAT_FIRST)));
    if (!PADICI_VANY(PADICI_VAND(from, PADICI_VSET(-(int64_t)128)))) {
#if PADICI_ISA_LEVEL >= 3
        m = PADICI_K(rmul)(&f->c, 0, m, _mm512_permutex2var_epi64(f->low[0], from, f->low[1]));
        from = _mm512_permutexvar_epi64(_mm512_srli_epi64(from, 4), f->sixteens);
#else
        from = PADICI_GATHER(f->t->table, from);
#endif
    } else {
        from = PADICI_GATHER(f->t->twos.low, PADICI_VAND(e, PADICI_VSET(63)));
        m = PADICI_K(rmul)(&f->c, 0, m, from);
        from = PADICI_GATHER(f->t->twos.high, PADICI_VSHR(e, PADICI_VSET(6)));
    }
    return PADICI_K(rmul)(&f->c, 0, m, from);
}

// One vector of arbitrary floats. Returns the status bits; *rare are lanes for the generic loop.
// Odd p: m mod P times 2^e mod P. p = 2: m is the unit.
PADICI_TARGET PADICI_INLINE PADICI_V PADICI_K(float_any)(const padic_num_call *call, int kind,
                                                         uint64_t i,
                                                         const PADICI_K(float_rules) *f,
                                                         uint32_t *rare)
{
    const PADICI_K(ring) *const c = &f->c;
    const PADICI_V one = PADICI_VSET(1), none = PADICI_VSET(0);
    const PADICI_V b = f->wide ? PADICI_VLOAD((const uint64_t *)call->other[0] + i)
                               : PADICI_VLOADU((const uint32_t *)call->other[0] + i);
    const PADICI_V field = PADICI_VAND(PADICI_VSHR(b, f->shift), f->top);
    const PADICI_M subnormal = PADICI_VEQ(field, none);
    const PADICI_M minus = PADICI_VGT(PADICI_VSHR(b, f->minus), none);
    const PADICI_V e = PADICI_VADD(PADICI_VSEL(subnormal, one, field), f->bias); // with 1,088 added
    PADICI_V m = PADICI_VAND(b, PADICI_VSUB(f->hidden, one));
    PADICI_M zero = PADICI_MAND(subnormal, PADICI_VEQ(m, none));
    PADICI_K(floats) x;
    m = PADICI_VSEL(subnormal, m, PADICI_VADD(m, f->hidden));
    x.v = x.bits = none;
    if (PADICI_MANY(PADICI_VEQ(field, f->top))) { // Inf, NaN
        *rare |= padici_simd_num_plain(call, i, PADICI_LANES, padici_num_from_float_loop);
        return none;
    }
    if (kind == 1) {
        x.u = m;
        x.v = PADICI_VADD(PADICI_K(rsplit)(c, 1, &x.u, &zero), PADICI_VSUB(e, PADICI_VSET(1088)));
        x.u = PADICI_VAND(x.u, c->p);
        if (!call->out.val) { // integers only, modulo P
            const PADICI_M below = PADICI_VGT(none, x.v);
            const PADICI_V most = PADICI_VSET(64);
            x.bits = PADICI_VSEL(below, PADICI_VSET(PADIC_NUM_NONUNIT), none);
            x.v = PADICI_VSEL(PADICI_VGT(x.v, most), most, x.v);
            x.u = PADICI_VAND(PADICI_VSHL(PADICI_VSEL(below, none, x.u), x.v), c->p);
        }
    } else {
        x.u = PADICI_K(mantissa)(c, f->back, m);
        if (call->out.val && PADICI_MANY(PADICI_K(rdivides)(c, 0, x.u))) {
            m = PADICI_VSEL(zero, one, PADICI_K(strip)(call->ring, m, &x.v));
            x.u = PADICI_K(mantissa)(c, f->back, m);
            if (PADICI_MANY(PADICI_K(rdivides)(c, 0, x.u))) {
                *rare |= padici_simd_num_plain(call, i, PADICI_LANES, padici_num_from_float_loop);
                return none;
            }
        }
        x.u = PADICI_K(float_up)(f, x.u, e);
    }
    x.u = PADICI_VSEL(minus, PADICI_K(rsub)(c, kind, none, x.u), x.u);
    if (PADICI_MANY(zero)) // -0 loses its sign
        PADICI_K(set)(&x, zero, PADIC_NUM_ZERO, none,
                      PADICI_VSEL(minus, PADICI_VSET(PADIC_NUM_INEXACT), none));
    PADICI_K(unit_store)(call, i, PADICI_K(out)(kind, x.u));
    if (call->out.val) PADICI_VSTORE32((int32_t *)call->out.val + i, x.v);
    if (call->status) PADICI_VSTORE8(call->status + i, x.bits);
    return x.bits;
}

PADICI_TARGET static PADICI_NOINLINE uint32_t PADICI_K(float_rare)(const padic_num_call *call,
                                                                   uint64_t i,
                                                                   PADICI_K(float_tables) *t)
{
    uint32_t rare = 0;
    if (!t->made) PADICI_K(float_tables_make)(call->ring, t);
    {
        const PADICI_K(float_rules) f = PADICI_K(float_rules_of)(call, 0, t);
        return PADICI_K(any_bits)(PADICI_K(float_any)(call, 0, i, &f, &rare)) | rare;
    }
}

// Odd p, all vectors. x is y 2^(first + 2^s j), where y is x with another exponent, so that |y| is
// an integer below 2^(52 + 2^s): y mod P needs one rounded quotient below 2^51, exact in doubles,
// then one product by one of eight powers of 2. Vectors with zeros or an exponent outside of the
// eight use the general path.
typedef struct PADICI_K(float_near) {
    PADICI_K(ring) c;
    PADICI_V p, mu;               // P, 1 / P
    PADICI_V begin, beyond, exponent, block;
    const uint64_t *power;
} PADICI_K(float_near);

// y 2^(2^s j) mod P as a residue, the exponent in d.
PADICI_TARGET PADICI_INLINE PADICI_V PADICI_K(float_near_one)(const PADICI_K(float_near) *f,
                                                              PADICI_V y, PADICI_V d)
{
    PADICI_V q = PADICI_DROUND(PADICI_DMUL(y, f->mu));
    y = PADICI_DNMADD(q, f->p, y);
    y = PADICI_VLOW(y, PADICI_DADD(y, f->p));
#if PADICI_ISA_LEVEL >= 3 // the index is 3 bits
    q = _mm512_permutexvar_epi64(PADICI_VSHR(d, f->block), PADICI_VLOAD(f->power));
#else
    q = PADICI_GATHER(f->power, PADICI_VAND(PADICI_VSHR(d, f->block), PADICI_VSET(7)));
#endif
#if PADICI_ISA_LEVEL == 4
    y = PADICI_DTO(y);
#endif
    return PADICI_K(rmul)(&f->c, 0, y, q);
}

PADICI_TARGET PADICI_INLINE uint32_t PADICI_K(floats_near)(const padic_num_call *call,
                                                           PADICI_K(float_tables) *t,
                                                           const PADICI_K(float_near) *f)
{
    const uint64_t sign = UINT64_C(1) << 63, hidden = UINT64_C(1) << 52;
    const PADICI_V none = PADICI_VSET(0), whole = PADICI_VSET(UINT64_C(1075) << 52);
    const PADICI_V same = PADICI_VSET(sign | (hidden - 1));
    const int wide = call->dtype == PADIC_F64;
    uint64_t i;
    uint32_t bits = 0;
    for (i = 0; i < call->count; i += PADICI_LANES) {
        const PADICI_V b = wide ? PADICI_VLOAD((const uint64_t *)call->other[0] + i)
                                : PADICI_DLOADF((const float *)call->other[0] + i);
        const PADICI_V d = PADICI_VSUB(b, f->begin); // relative to the first of the eight exponents
        const PADICI_V k = PADICI_VAND(d, f->exponent);
        const PADICI_V y = PADICI_VADD(PADICI_VOR(PADICI_VAND(b, same), k), whole);
        PADICI_V v = none, x;
        if (PADICI_VANY(PADICI_VAND(d, f->beyond))) {
            bits |= PADICI_K(float_rare)(call, i, t);
            continue;
        }
        x = PADICI_K(float_near_one)(f, y, d);
        if (call->out.val && PADICI_MANY(PADICI_K(rdivides)(&f->c, 0, x))) {
            const PADICI_V m = PADICI_VOR(PADICI_VAND(b, PADICI_VSET(hidden - 1)),
                                          PADICI_VSET(hidden));
            PADICI_V z = PADICI_K(strip)(call->ring, m, &v);
            z = PADICI_VADD(PADICI_DFROM(PADICI_VAND(z, PADICI_VSET(hidden - 1))), k);
            z = PADICI_VOR(z, PADICI_VAND(b, PADICI_VSET(sign)));
            z = PADICI_VSEL(PADICI_VEQ(v, none), y, z);
            x = PADICI_K(float_near_one)(f, z, d);
            if (PADICI_MANY(PADICI_K(rdivides)(&f->c, 0, x))) {
                bits |= PADICI_K(float_rare)(call, i, t);
                continue;
            }
        }
        PADICI_K(unit_store)(call, i, PADICI_K(out)(0, x));
        if (call->out.val) PADICI_VSTORE32((int32_t *)call->out.val + i, v);
        if (call->status) PADICI_VSTORE8(call->status + i, none);
    }
    return bits;
}

// f64 and f32 exactly: x = m 2^e.
PADICI_TARGET PADICI_INLINE uint32_t PADICI_K(of_floats)(const padic_num_call *call, int kind)
{
    const padic_num_ring *r = call->ring;
    PADICI_K(float_tables) t;
    uint64_t i;
    uint32_t bits = 0;
    t.made = 0;
    if (kind != 1 && r->bits >= 10) {
        const uint32_t s = r->bits >= 34 ? 5 : r->bits >= 18 ? 4 : 3; // quotients below 2^51
        const uint64_t first = 1023 - (UINT64_C(4) << s), part = UINT64_C(1) << (52 + s);
        uint64_t power[8], half = (r->base >> 1) + 1, temp;
        PADICI_K(float_near) f;
        f.c = PADICI_K(ring_of)(r, 0);
        f.p = PADICI_DSET((double)r->base);
        f.mu = PADICI_DSET(1.0 / (double)r->base);
        f.begin = PADICI_VSET(first << 52);
        f.beyond = PADICI_VSET((UINT64_C(1) << 63) - 8 * part);
        f.exponent = PADICI_VSET(part - (UINT64_C(1) << 52));
        f.block = PADICI_VSET(52 + s);
        f.power = power;
        padici_num_ring_pow(r, &power[0], &half, 1075 - first, &temp);
        half = (UINT64_C(1) << (1u << s)) % r->base;
        for (i = 1; i < 8; i++) power[i] = padici_num_mul1(r, r->form, power[i - 1], half);
        for (i = 0; PADICI_ISA_LEVEL != 4 && i < 8; i++) {
            const double y = (double)(int64_t)power[i];
            memcpy(&power[i], &y, sizeof y);
        }
        return PADICI_K(floats_near)(call, &t, &f);
    }
    if (kind != 1) PADICI_K(float_tables_make)(r, &t);
    {
        const PADICI_K(float_rules) f = PADICI_K(float_rules_of)(call, kind, &t);
        PADICI_V all = PADICI_VSET(0);
        for (i = 0; i < call->count; i += PADICI_LANES)
            all = PADICI_VOR(all, PADICI_K(float_any)(call, kind, i, &f, &bits));
        return PADICI_K(any_bits)(all) | bits;
    }
}
PADICI_BOTH(of_floats)

#endif
// room: src/simd/num/rational.c
// @per-level
#ifndef PADIC_NO_NUM

// Rational reconstruction as by padici_num_rational_fast, Euclid's algorithm in doubles: for r0 <
// 2^53 a rounded quotient never reaches the next integer, so its floor is right, and everything
// else is exact. t changes its sign in every row.

// Euclid's rows of two vectors to the first r <= most; r and t start from u and 1.
PADICI_TARGET PADICI_INLINE void PADICI_K(euclid)(PADICI_V p, PADICI_V most, PADICI_V *r,
                                                  PADICI_V *t)
{
    PADICI_V r0[2], t0[2];
    PADICI_M on[2];
    uint32_t j;
    r0[0] = r0[1] = p;
    t0[0] = t0[1] = PADICI_VSET(0);
    for (;;) {
        on[0] = PADICI_DGT(r[0], most);
        on[1] = PADICI_DGT(r[1], most);
        if (!PADICI_MANY(PADICI_MOR(on[0], on[1]))) break;
        PADICI_UNROLL
        for (j = 0; j < 2; j++) {
            const PADICI_V q = PADICI_DFLOOR(PADICI_DDIV(r0[j], r[j]));
            const PADICI_V r2 = PADICI_DNMADD(q, r[j], r0[j]), t2 = PADICI_DNMADD(q, t[j], t0[j]);
            r0[j] = r[j];
            t0[j] = t[j];
            r[j] = PADICI_VSEL(on[j], r2, r[j]);
            t[j] = PADICI_VSEL(on[j], t2, t[j]);
        }
    }
}

// Numerators and denominators from these; 0 if the generic loop is needed: NaN, or factors p^v that
// may not fit.
PADICI_TARGET PADICI_INLINE int PADICI_K(fractions)(const padic_num_call *call,
                                                    const PADICI_K(ring) *c, int kind,
                                                    const uint64_t *power, uint64_t i, PADICI_V r,
                                                    PADICI_V t, PADICI_V *bits)
{
    const PADICI_V none = PADICI_VSET(0);
    const PADICI_M minus = PADICI_DGT(none, t);
    PADICI_V d = PADICI_VSEL(minus, PADICI_DSUB(none, t), t), n, v, x, f;
    PADICI_M bad = PADICI_DGT(d, PADICI_DSET((double)(int64_t)call->stride)), divides;
    d = PADICI_DTO(PADICI_VSEL(bad, none, d));
    n = PADICI_DTO(r);
    divides = PADICI_K(rdivides)(c, kind, PADICI_K(in)(kind, d)); // also for d = 0
    *bits = PADICI_VSEL(divides, PADICI_VSET(PADIC_NUM_RATREC), none);
    n = PADICI_VSEL(divides, none, n);
    d = PADICI_VSEL(divides, none, d);
    if (call->a.val) {
        v = PADICI_VLOADS((const int32_t *)call->a.val + i);
        v = PADICI_VSEL(PADICI_VEQ(v, PADICI_VSET(PADIC_NUM_ZERO)), none, v);
        if (PADICI_VANY(v)) {
            const PADICI_M below = PADICI_VGT(none, v);
            v = PADICI_VSEL(below, PADICI_VSUB(none, v), v);
            if (PADICI_VANY(PADICI_VAND(v, PADICI_VSET(-64)))) return 0;
            f = PADICI_GATHER(power, v);
            x = PADICI_VSEL(below, d, n);
            if (PADICI_MANY(PADICI_VGT(f, PADICI_VSET((INT64_C(1) << 52) - 1)))) return 0;
            bad = PADICI_DGT(PADICI_DMUL(PADICI_DFROM(x), PADICI_DFROM(f)), PADICI_DSET(4.0e18));
            if (PADICI_MANY(bad)) return 0;
            x = PADICI_VMUL(x, f);
            n = PADICI_VSEL(below, n, x);
            d = PADICI_VSEL(below, x, d);
        }
    }
    n = PADICI_VSEL(minus, PADICI_VSUB(none, n), n);
    PADICI_VSTORE((int64_t *)call->other[0] + i, n);
    PADICI_VSTORE((int64_t *)call->other[1] + i, d);
    if (call->status) PADICI_VSTORE8(call->status + i, *bits);
    return 1;
}

PADICI_TARGET PADICI_INLINE uint32_t PADICI_K(rational)(const padic_num_call *call, int kind)
{
    const PADICI_K(ring) c = PADICI_K(ring_of)(call->ring, kind);
    const PADICI_V p = PADICI_DSET((double)(int64_t)call->ring->base);
    const PADICI_V most = PADICI_DSET((double)call->k);
    PADICI_V bits = PADICI_VSET(0);
    uint64_t power[64], i;
    uint32_t rare = 0, j;
    for (j = 0; j < 64; j++) { // values that are too large are not used
        const uint64_t x = j < call->ring->power_count ? call->ring->power[j][0] : 0;
        power[j] = x >> 52 || !x || call->ring->power[j][1] ? UINT64_C(1) << 62 : x;
    }
    for (i = 0; i < call->count; i += 2 * PADICI_LANES) {
        PADICI_V r[2], t[2], made;
        PADICI_UNROLL
        for (j = 0; j < 2; j++) {
            r[j] = PADICI_DFROM(PADICI_K(unit)(call, &call->a, i + j * PADICI_LANES));
            t[j] = PADICI_DSET(1.0);
        }
        PADICI_K(euclid)(p, most, r, t);
        PADICI_UNROLL
        for (j = 0; j < 2; j++) {
            const uint64_t at = i + j * PADICI_LANES;
            if (PADICI_K(fractions)(call, &c, kind, power, at, r[j], t[j], &made))
                bits = PADICI_VOR(bits, made);
            else
                rare |= padici_simd_num_plain(call, at, PADICI_LANES, padici_num_rational_fast);
        }
    }
    return PADICI_K(any_bits)(bits) | rare;
}
PADICI_BOTH(rational)

#endif
// room: src/simd/num/long.c
// @per-level
#ifndef PADIC_NO_NUM

// Long residues: limbs below `base` < 2^49, lowest first, of tiles of 32 numbers.

PADICI_TARGET PADICI_INLINE PADICI_V PADICI_K(limb)(const padic_num_ring *r, const void *tile,
                                                    uint32_t k, uint32_t j)
{
    const size_t at = (size_t)k * 32 + j;
    return r->unit_size == 4 ? PADICI_VLOADU((const uint32_t *)tile + at)
                             : PADICI_VLOAD((const uint64_t *)tile + at);
}

PADICI_TARGET PADICI_INLINE void PADICI_K(limb_store)(const padic_num_ring *r, void *tile,
                                                      uint32_t k, uint32_t j, PADICI_V x)
{
    const size_t at = (size_t)k * 32 + j;
    if (r->unit_size == 4)
        PADICI_VSTORE32((uint32_t *)tile + at, x);
    else
        PADICI_VSTORE((uint64_t *)tile + at, x);
}

// a + b, a - b, -a; carries and borrows are lanes of 0 or -1.
PADICI_TARGET static uint32_t PADICI_K(limbs_linear)(const padic_num_call *call)
{
    const padic_num_ring *r = call->ring;
    const size_t tile = (size_t)32 * r->words * r->unit_size;
    const char *a = (const char *)call->a.unit, *b = (const char *)call->b.unit;
    char *out = (char *)call->out.unit;
    const PADICI_V none = PADICI_VSET(0);
    uint64_t i;
    uint32_t j, k;
    if (call->op == PADIC_OP_NUM_NEG) b = a;
    for (i = 0; i < call->count; i += 32, a += tile, b += tile, out += tile)
        for (j = 0; j < 32; j += PADICI_LANES) {
            PADICI_V carry = none;
            for (k = 0; k < r->words; k++) {
                const PADICI_V base = PADICI_VSET(padici_num_limb_base(r, k));
                const PADICI_V y = PADICI_K(limb)(r, b, k, j);
                PADICI_V x = call->op == PADIC_OP_NUM_NEG ? none
                                                                  : PADICI_K(limb)(r, a, k, j);
                if (call->op == PADIC_OP_NUM_ADD) {
                    x = PADICI_VSUB(PADICI_VADD(x, y), carry);
                    carry = PADICI_VSEL(PADICI_VGT(base, x), none, PADICI_VSET(-1));
                    x = PADICI_VLOW(PADICI_VSUB(x, base), x);
                } else {
                    x = PADICI_VADD(PADICI_VSUB(x, y), carry);
                    carry = PADICI_VSEL(PADICI_VGT(none, x), PADICI_VSET(-1), none);
                    x = PADICI_VLOW(x, PADICI_VADD(x, base));
                }
                PADICI_K(limb_store)(r, out, k, j, x);
            }
        }
    return 0;
}

#if PADICI_ISA_LEVEL == 4
// Division of x = high 2^52 + low, high < d, by d < 2^52: see padici_num_divide, with words of 52
// bits.
typedef struct padici_ifma_divisor {
    __m512i d, v, up, down; // d shifted up to 52 bits, its reciprocal, the shift, 52 minus it
} padici_ifma_divisor;

PADICI_IFMA PADICI_INLINE padici_ifma_divisor padici_simd_num_divisor_of_ifma(uint64_t d)
{
    const uint32_t up = padici_clz64(d) - 12;
    padici_ifma_divisor c;
    c.d = PADICI_VSET(d << up);
    // floor((2^104 - 1) / d) - 2^52 from that of 2^128 and 2^64, which has 12 bits more
    c.v = PADICI_VSET(padici_num_reciprocal(d << (up + 12)) >> 12);
    c.up = PADICI_VSET(up);
    c.down = PADICI_VSET(52 - up);
    return c;
}

PADICI_IFMA PADICI_INLINE __m512i padici_simd_num_limb_divide_ifma(const padici_ifma_divisor *c,
                                                                   __m512i high, __m512i low,
                                                                   __m512i *rest)
{
    const __m512i mask = PADICI_VSET((INT64_C(1) << 52) - 1), one = PADICI_VSET(1);
    const __m512i u1 = PADICI_VOR(PADICI_VSHL(high, c->up), PADICI_VSHR(low, c->down));
    const __m512i u0 = PADICI_VAND(PADICI_VSHL(low, c->up), mask);
    const __m512i q0 = _mm512_madd52lo_epu64(u0, c->v, u1); // below 2^53
    __m512i q = _mm512_madd52hi_epu64(PADICI_VADD(u1, one), c->v, u1), r;
    __mmask8 m;
    q = PADICI_VADD(q, _mm512_srli_epi64(q0, 52));
    r = PADICI_VAND(PADICI_VSUB(u0, _mm512_madd52lo_epu64(PADICI_VSET(0), q, c->d)), mask);
    m = _mm512_cmpgt_epu64_mask(r, PADICI_VAND(q0, mask));
    q = _mm512_mask_sub_epi64(q, m, q, one);
    r = PADICI_VAND(_mm512_mask_add_epi64(r, m, r, c->d), mask);
    m = _mm512_cmpge_epu64_mask(r, c->d);
    q = _mm512_mask_add_epi64(q, m, q, one);
    r = _mm512_mask_sub_epi64(r, m, r, c->d);
    *rest = PADICI_VSHR(r, c->up);
    return q;
}

// What a column is reduced by: 2^(k-1) <= base < 2^k, floor(2^(52+k) / base) - 2^52.
typedef struct padici_ifma_limb {
    __m512i base, two, mu, up, down; // base, 2 base, the shifts 52 - k and k
    int few; // the columns of a product are below 2^(52+k)
} padici_ifma_limb;

PADICI_IFMA static padici_ifma_limb padici_simd_num_limb_of_ifma(const padic_num_ring *r,
                                                                 uint32_t n)
{
    const uint32_t k = 64 - padici_clz64(r->base);
    const padici_num_wide top = padici_num_wide_shl(padici_num_wide_make(1, 0), 52 + k);
    const padici_num_wide q = padici_num_wide_div(top, padici_num_wide_make(r->base, 0), NULL);
    const uint64_t most = (UINT64_C(1) << 52) - 1, mu = q.low - most - 1;
    padici_ifma_limb c;
    c.base = PADICI_VSET(r->base);
    c.two = PADICI_VSET(2 * r->base);
    c.mu = PADICI_VSET(mu < most ? mu : most); // a power of two: one less
    c.up = PADICI_VSET(52 - k);
    c.down = PADICI_VSET(k);
    c.few = r->base <= q.low / (n + 2);
    return c;
}

// x below 4 base, as x + q base with x below the base.
PADICI_IFMA PADICI_INLINE __m512i padici_simd_num_limb_low_ifma(const padici_ifma_limb *c,
                                                                __m512i x, __m512i *q)
{
    const __m512i one = PADICI_VSET(1);
    __mmask8 m = _mm512_cmpge_epu64_mask(x, c->two);
    x = _mm512_mask_sub_epi64(x, m, x, c->two);
    *q = _mm512_maskz_add_epi64(m, one, one);
    m = _mm512_cmpge_epu64_mask(x, c->base);
    *q = _mm512_mask_add_epi64(*q, m, *q, one);
    return _mm512_mask_sub_epi64(x, m, x, c->base);
}

// A column, low + 2^52 high, becomes x and the carries to the next one, which are not in it yet:
// carry[0] + 2^52 carry[1] of the division, whose quotient is less than 4 too small, and *over of
// the remainder, which is reduced apart from it.
PADICI_IFMA PADICI_INLINE __m512i padici_simd_num_limbs_column_ifma(const padici_ifma_limb *c,
                                                                    __m512i low, __m512i high,
                                                                    __m512i carry[2], __m512i *over)
{
    const __m512i mask = PADICI_VSET((INT64_C(1) << 52) - 1), one = PADICI_VSET(1);
    __m512i u, q, x;
    __mmask8 m;
    low = PADICI_VADD(low, carry[0]);
    high = PADICI_VADD(PADICI_VADD(high, carry[1]), _mm512_srli_epi64(low, 52));
    carry[1] = PADICI_VSET(0);
    if (!c->few) {
        u = PADICI_VSHR(high, c->down);
        q = _mm512_madd52hi_epu64(u, u, c->mu);
        high = PADICI_VAND(PADICI_VSUB(high, _mm512_madd52lo_epu64(carry[1], q, c->base)), mask);
        high = padici_simd_num_limb_low_ifma(c, high, &u);
        carry[1] = PADICI_VADD(q, u);
    }
    low = PADICI_VAND(low, mask);
    u = PADICI_VOR(PADICI_VSHL(high, c->up), PADICI_VSHR(low, c->down));
    q = _mm512_madd52hi_epu64(u, u, c->mu);
    x = PADICI_VAND(PADICI_VSUB(low, _mm512_madd52lo_epu64(PADICI_VSET(0), q, c->base)), mask);
    carry[0] = q;
    x = PADICI_VADD(padici_simd_num_limb_low_ifma(c, x, &q), *over);
    m = _mm512_cmpge_epu64_mask(x, c->base);
    *over = _mm512_mask_add_epi64(q, m, q, one);
    return _mm512_mask_sub_epi64(x, m, x, c->base);
}

// The product of packs, two columns at a time. A column is below n base^2 < 2^110; its halves of 52
// bits are summed separately.
PADICI_IFMA static void padici_simd_num_packs_product_ifma(const padici_num_packs *p, uint64_t *x,
                                                           uint32_t n, const uint64_t *a,
                                                           uint32_t an, const uint64_t *b,
                                                           uint32_t bn, const uint64_t *add,
                                                           uint32_t step, int minus)
{
    const padici_ifma_limb c = padici_simd_num_limb_of_ifma(p->ring, an < bn ? an : bn);
    const __m512i none = PADICI_VSET(0);
    __m512i carry[2] = {none, none}, over = none, borrow = none;
    uint32_t i, k, odd;
    for (k = 0; k < n; k += 2) {
        const uint32_t end = k + 1 < bn ? k + 1 : bn;
        __m512i low[2] = {none, none}, high[2] = {none, none}, u, v, w;
        i = k + 2 > an ? k + 2 - an : 0;
        if (i && i <= end) {
            u = PADICI_VLOAD(b + 8 * (i - 1));
            v = PADICI_VLOAD(a + 8 * (an - 1));
            low[0] = _mm512_madd52lo_epu64(low[0], u, v);
            high[0] = _mm512_madd52hi_epu64(high[0], u, v);
        }
        if (k + 1 < bn) {
            u = PADICI_VLOAD(b + 8 * (k + 1));
            v = PADICI_VLOAD(a);
            low[1] = _mm512_madd52lo_epu64(low[1], u, v);
            high[1] = _mm512_madd52hi_epu64(high[1], u, v);
        }
        w = i < end ? PADICI_VLOAD(a + 8 * (k + 1 - i)) : none;
        for (; i < end; i++) {
            u = PADICI_VLOAD(b + 8 * i);
            v = PADICI_VLOAD(a + 8 * (k - i));
            low[0] = _mm512_madd52lo_epu64(low[0], u, v);
            high[0] = _mm512_madd52hi_epu64(high[0], u, v);
            low[1] = _mm512_madd52lo_epu64(low[1], u, w);
            high[1] = _mm512_madd52hi_epu64(high[1], u, w);
            w = v;
        }
        for (odd = 0; odd < 2 && k + odd < n; odd++) {
            const uint64_t *const at = add + (step == 1 ? k + odd : 8 * (k + odd));
            v = !add ? none : step == 1 ? PADICI_VSET(*at) : PADICI_VLOAD(at);
            if (!minus) low[odd] = PADICI_VADD(low[odd], v);
            u = padici_simd_num_limbs_column_ifma(&c, low[odd], high[odd], carry, &over);
            if (minus) {
                u = PADICI_VADD(PADICI_VSUB(v, u), borrow);
                borrow = _mm512_srai_epi64(u, 63);
                u = PADICI_VLOW(u, PADICI_VADD(u, c.base));
            }
            PADICI_VSTORE(x + 8 * (k + odd), u);
        }
    }
}

// A top limb, cut to its digits.
PADICI_IFMA PADICI_INLINE void padici_simd_num_limbs_cut_ifma(const padic_num_ring *r, uint64_t *x)
{
    const padici_ifma_divisor top = padici_simd_num_divisor_of_ifma(r->power[r->top_digits][0]);
    __m512i rest;
    if (r->top_digits == r->limb_digits) return;
    padici_simd_num_limb_divide_ifma(&top, PADICI_VSET(0), PADICI_VLOAD(x), &rest);
    PADICI_VSTORE(x, rest);
}
#else
// x mod d for x, d < 2^49.
PADICI_TARGET PADICI_INLINE PADICI_V PADICI_K(limb_modulo)(PADICI_V x, uint64_t d)
{
    const uint32_t up = padici_clz64(d);
    const PADICI_V n = PADICI_VSET(d << up), k = PADICI_VSET(up);
    PADICI_V rest;
    PADICI_K(divide64)(PADICI_VSHR(x, PADICI_VSET(64 - up)), PADICI_VSHL(x, k), n,
                       PADICI_VSET(padici_num_reciprocal(d << up)), &rest);
    return PADICI_VSHR(rest, k);
}

// A column of products of limbs in halves of 25 bits: the limb, and the carry.
PADICI_TARGET PADICI_INLINE PADICI_V PADICI_K(limbs_column)(const padic_num_ring *r, PADICI_V low,
                                                            PADICI_V middle, PADICI_V high,
                                                            PADICI_V *carry)
{
    const PADICI_V none = PADICI_VSET(0), one = PADICI_VSET(1), up = PADICI_VSET(r->shift);
    PADICI_V more[3], top, rest;
    uint32_t j;
    more[0] = PADICI_VSHL(middle, PADICI_VSET(25));
    more[1] = PADICI_VSHL(high, PADICI_VSET(50));
    more[2] = *carry;
    top = PADICI_VADD(PADICI_VSHR(middle, PADICI_VSET(39)), PADICI_VSHR(high, PADICI_VSET(14)));
    PADICI_UNROLL
    for (j = 0; j < 3; j++) {
        low = PADICI_VADD(low, more[j]);
        top = PADICI_VADD(top, PADICI_VSEL(PADICI_VLT(low, more[j]), one, none));
    }
    top = PADICI_VOR(PADICI_VSHL(top, up), PADICI_VSHR(low, PADICI_VSET(64 - r->shift)));
    *carry = PADICI_K(divide64)(top, PADICI_VSHL(low, up), PADICI_VSET(r->base << r->shift),
                                PADICI_VSET(r->reciprocal), &rest);
    return PADICI_VSHR(rest, up);
}

// A top limb, cut to its digits.
PADICI_TARGET PADICI_INLINE void PADICI_K(limbs_cut)(const padic_num_ring *r, uint64_t *x)
{
    if (r->top_digits == r->limb_digits) return;
    PADICI_VSTORE(x, PADICI_K(limb_modulo)(PADICI_VLOAD(x), r->power[r->top_digits][0]));
}

// The product of packs by columns. Operands are copied, each limb as two halves in one word.
PADICI_TARGET static void PADICI_K(packs_product)(const padici_num_packs *p, uint64_t *x,
                                                  uint32_t n, const uint64_t *a, uint32_t an,
                                                  const uint64_t *b, uint32_t bn,
                                                  const uint64_t *add, uint32_t step, int minus)
{
    const PADICI_V none = PADICI_VSET(0), half = PADICI_VSET(25), word = PADICI_VSET(32);
    const PADICI_V mask = PADICI_VSET((1 << 25) - 1), base = PADICI_VSET(p->ring->base);
    uint64_t *const s = p->temp, *const t = s + (size_t)PADICI_LANES * an;
    PADICI_V carry = none, borrow = none, u, v;
    uint32_t i, k;
    for (k = 0; k < an + bn; k++) {
        u = PADICI_VLOAD(k < an ? a + PADICI_LANES * k : b + PADICI_LANES * (k - an));
        v = PADICI_VSHL(PADICI_VSHR(u, half), word);
        PADICI_VSTORE(s + PADICI_LANES * k, PADICI_VOR(PADICI_VAND(u, mask), v));
    }
    for (k = 0; k < n; k++) {
        const uint32_t end = k + 1 < an ? k + 1 : an;
        PADICI_V low = none, middle = none, high = none, more = none;
        for (i = k + 1 > bn ? k + 1 - bn : 0; i < end; i++) {
            const PADICI_V u0 = PADICI_VLOAD(s + PADICI_LANES * i);
            const PADICI_V v0 = PADICI_VLOAD(t + PADICI_LANES * (k - i));
            u = PADICI_VSHR(u0, word);
            v = PADICI_VSHR(v0, word);
            low = PADICI_VADD(low, PADICI_VMUL32(u0, v0));
            middle = PADICI_VADD(middle, PADICI_VMUL32(u, v0));
            middle = PADICI_VADD(middle, PADICI_VMUL32(u0, v));
            high = PADICI_VADD(high, PADICI_VMUL32(u, v));
        }
        if (add) more = step == 1 ? PADICI_VSET(add[k]) : PADICI_VLOAD(add + PADICI_LANES * k);
        if (!minus) carry = PADICI_VADD(carry, more);
        u = PADICI_K(limbs_column)(p->ring, low, middle, high, &carry);
        if (minus) {
            u = PADICI_VADD(PADICI_VSUB(more, u), borrow);
            borrow = PADICI_VSEL(PADICI_VGT(none, u), PADICI_VSET(-1), none);
            u = PADICI_VLOW(u, PADICI_VADD(u, base));
        }
        PADICI_VSTORE(x + PADICI_LANES * k, u);
    }
}
#endif

// Truncated products. Operands are copied, so that their limbs are contiguous and the result may
// replace them.
PADICI_TARGET static uint32_t PADICI_K(limbs_mul)(const padic_num_call *call)
{
    const padic_num_ring *r = call->ring;
    const size_t tile = (size_t)32 * r->words * r->unit_size, size = PADICI_LANES * r->words;
    const char *a = (const char *)call->a.unit, *b = (const char *)call->b.unit;
    char *out = (char *)call->out.unit;
    uint64_t *const x = padici_num_pack_memory(call->workspace), *const y = x + size;
    uint64_t *const z = y + size, i;
    padici_num_packs p;
    uint32_t j, k;
    memset(&p, 0, sizeof p);
    p.ring = r;
    p.lanes = PADICI_LANES;
    p.temp = z + size;
    for (i = 0; i < call->count; i += 32, a += tile, b += tile, out += tile)
        for (j = 0; j < 32; j += PADICI_LANES) {
            for (k = 0; k < r->words; k++) {
                PADICI_VSTORE(x + PADICI_LANES * k, PADICI_K(limb)(r, a, k, j));
                PADICI_VSTORE(y + PADICI_LANES * k, PADICI_K(limb)(r, b, k, j));
            }
            PADICI_K(packs_product)(&p, z, r->words, x, r->words, y, r->words, NULL, 0, 0);
            PADICI_K(limbs_cut)(r, z + PADICI_LANES * (r->words - 1));
            for (k = 0; k < r->words; k++)
                PADICI_K(limb_store)(r, out, k, j, PADICI_VLOAD(z + PADICI_LANES * k));
        }
    return 0;
}

// Residues of two words, RING: the high word is `high` elements further on.

// a + b, a - b, -a: as x - y, with P - b for b or 0 for a.
PADICI_TARGET static uint32_t PADICI_K(pairs_linear)(const padic_num_call *call)
{
    const padic_num_planes *pb = call->op == PADIC_OP_NUM_NEG ? &call->a : &call->b;
    const uint64_t *a = (const uint64_t *)call->a.unit, *b = (const uint64_t *)pb->unit;
    uint64_t *out = (uint64_t *)call->out.unit;
    const PADICI_V p0 = PADICI_VSET(call->ring->modulus[0]), none = PADICI_VSET(0);
    const PADICI_V p1 = PADICI_VSET(call->ring->modulus[1]), one = PADICI_VSET(1);
    uint64_t i;
    for (i = 0; i < call->count; i += PADICI_LANES) {
        PADICI_V y0 = PADICI_VLOAD(b + i), y1 = PADICI_VLOAD(b + pb->high + i);
        PADICI_V x0 = none, x1 = none, less, more;
        if (call->op == PADIC_OP_NUM_ADD) {
            less = PADICI_VSEL(PADICI_VLT(p0, y0), one, none);
            y0 = PADICI_VSUB(p0, y0);
            y1 = PADICI_VSUB(PADICI_VSUB(p1, y1), less);
        }
        if (call->op != PADIC_OP_NUM_NEG) {
            x0 = PADICI_VLOAD(a + i);
            x1 = PADICI_VLOAD(a + call->a.high + i);
        }
        less = PADICI_VSEL(PADICI_VLT(x0, y0), one, none);
        x0 = PADICI_VSUB(x0, y0);
        x1 = PADICI_VSUB(PADICI_VSUB(x1, y1), less);
        less = PADICI_VSEL(PADICI_VGT(none, x1), PADICI_VSET(-1), none); // below 0: + P
        y0 = PADICI_VADD(x0, PADICI_VAND(less, p0));
        more = PADICI_VSEL(PADICI_VLT(y0, x0), one, none);
        PADICI_VSTORE(out + i, y0);
        PADICI_VSTORE(out + call->out.high + i,
                      PADICI_VADD(PADICI_VADD(x1, PADICI_VAND(less, p1)), more));
    }
    return 0;
}

#if PADICI_ISA_LEVEL == 4
// x = a b 2^-156 mod P (Montgomery), in three words of 52 bits, possibly slightly above P.
PADICI_IFMA PADICI_INLINE void padici_simd_num_pairs_montgomery_ifma(const __m512i *p,
                                                                     __m512i inverse,
                                                                     const __m512i *a,
                                                                     const __m512i *b, __m512i *x)
{
    const __m512i none = PADICI_VSET(0), mask = PADICI_VSET((INT64_C(1) << 52) - 1);
    __m512i t0 = none, t1 = none, t2 = none, t3 = none;
    uint32_t i;
    PADICI_UNROLL
    for (i = 0; i < 3; i++) {
        __m512i q;
        t0 = _mm512_madd52lo_epu64(t0, a[0], b[i]);
        q = _mm512_madd52lo_epu64(none, t0, inverse);
        t1 = _mm512_madd52hi_epu64(_mm512_madd52lo_epu64(t1, a[1], b[i]), a[0], b[i]);
        t2 = _mm512_madd52hi_epu64(_mm512_madd52lo_epu64(t2, a[2], b[i]), a[1], b[i]);
        t3 = _mm512_madd52hi_epu64(t3, a[2], b[i]);
        t0 = _mm512_madd52lo_epu64(t0, q, p[0]);
        t1 = _mm512_madd52hi_epu64(_mm512_madd52lo_epu64(t1, q, p[1]), q, p[0]);
        t2 = _mm512_madd52hi_epu64(_mm512_madd52lo_epu64(t2, q, p[2]), q, p[1]);
        t3 = _mm512_madd52hi_epu64(t3, q, p[2]);
        t0 = PADICI_VADD(t1, _mm512_srli_epi64(t0, 52));
        t1 = t2;
        t2 = t3;
        t3 = none;
    }
    t1 = PADICI_VADD(t1, _mm512_srli_epi64(t0, 52));
    x[0] = PADICI_VAND(t0, mask);
    x[1] = PADICI_VAND(t1, mask);
    x[2] = PADICI_VADD(t2, _mm512_srli_epi64(t1, 52));
}

PADICI_IFMA PADICI_INLINE void padici_simd_num_pairs_split_ifma(__m512i low, __m512i high,
                                                                __m512i *x)
{
    const __m512i mask = PADICI_VSET((INT64_C(1) << 52) - 1);
    x[0] = PADICI_VAND(low, mask);
    x[1] = PADICI_VAND(PADICI_VOR(_mm512_srli_epi64(low, 52), _mm512_slli_epi64(high, 12)), mask);
    x[2] = _mm512_srli_epi64(high, 40);
}

// Odd P: the second product, by 2^312 mod P, restores the factor.
PADICI_IFMA static uint32_t padici_simd_num_pairs_mul_ifma(const padic_num_call *call)
{
    const padic_num_ring *r = call->ring;
    const uint64_t *a = (const uint64_t *)call->a.unit, *b = (const uint64_t *)call->b.unit;
    uint64_t *out = (uint64_t *)call->out.unit;
    const __m512i p0 = PADICI_VSET(r->modulus[0]), p1 = PADICI_VSET(r->modulus[1]);
    const __m512i inverse = PADICI_VSET(r->mont_inverse), none = PADICI_VSET(0);
    padici_num_wide square = padici_num_wide_make(r->mont_square[0], r->mont_square[1]); // 2^256
    __m512i p[3], back[3], x[3], y[3], low, high, less;
    uint64_t i;
    for (i = 256; i < 312; i++) square = padici_num_add2(r, square, square);
    padici_simd_num_pairs_split_ifma(p0, p1, p);
    padici_simd_num_pairs_split_ifma(PADICI_VSET(square.low), PADICI_VSET(square.high), back);
    for (i = 0; i < call->count; i += 8) {
        padici_simd_num_pairs_split_ifma(PADICI_VLOAD(a + i), PADICI_VLOAD(a + call->a.high + i),
                                         x);
        padici_simd_num_pairs_split_ifma(PADICI_VLOAD(b + i), PADICI_VLOAD(b + call->b.high + i),
                                         y);
        padici_simd_num_pairs_montgomery_ifma(p, inverse, x, y, x);
        padici_simd_num_pairs_montgomery_ifma(p, inverse, x, back, x);
        low = PADICI_VOR(x[0], _mm512_slli_epi64(x[1], 52));
        high = PADICI_VOR(_mm512_srli_epi64(x[1], 12), _mm512_slli_epi64(x[2], 40));
        less = PADICI_VSEL(PADICI_VLT(low, p0), PADICI_VSET(1), none);
        less = PADICI_VSUB(PADICI_VSUB(high, p1), less);
        x[0] = PADICI_VSEL(PADICI_VGT(none, less), low, PADICI_VSUB(low, p0));
        PADICI_VSTORE(out + i, x[0]);
        PADICI_VSTORE(out + call->out.high + i, PADICI_VSEL(PADICI_VGT(none, less), high, less));
    }
    return 0;
}
#endif

static padic_result PADICI_K(pairs_call)(padic_num_call *call)
{
    if (call->model != PADIC_NUM_RING || call->a.scalar | call->b.scalar)
        return PADIC_ERROR_NOT_SUPPORTED;
    switch (call->op) {
    case PADIC_OP_NUM_ADD:
        padici_simd_num_ends(call, PADICI_LANES, PADICI_K(pairs_linear), padici_num_add_loop);
        break;
    case PADIC_OP_NUM_SUB:
        padici_simd_num_ends(call, PADICI_LANES, PADICI_K(pairs_linear), padici_num_sub_loop);
        break;
    case PADIC_OP_NUM_NEG:
        padici_simd_num_ends(call, PADICI_LANES, PADICI_K(pairs_linear), padici_num_neg_loop);
        break;
#if PADICI_ISA_LEVEL == 4
    case PADIC_OP_NUM_MUL:
        if (call->ring->p == 2) return PADIC_ERROR_NOT_SUPPORTED;
        padici_simd_num_ends(call, PADICI_LANES, padici_simd_num_pairs_mul_ifma,
                             padici_num_mul_loop);
        break;
#endif
    default: return PADIC_ERROR_NOT_SUPPORTED;
    }
    if (call->status) memset(call->status, 0, (size_t)call->count);
    return PADIC_OK;
}

// Long residues, RING and FLOAT.
static padic_result PADICI_K(limbs_call)(padic_num_call *call)
{
    padici_simd_num_kernel kernel = PADICI_K(limbs_linear);
    void (*loop)(padic_num_call *);
    if (call->ring->base >> 49) return PADIC_ERROR_NOT_SUPPORTED; // limbs of more than 49 bits
    if (padici_num_packs_has(call->op) || (call->op == PADIC_OP_NUM_MUL && call->count < 32))
        return padici_num_packs_run(call, PADICI_LANES, PADICI_K(packs_product));
    if (call->model == PADIC_NUM_BALL || call->out.val16 | call->a.val16 | call->b.val16 ||
        call->a.scalar | call->b.scalar || call->count < 32)
        return PADIC_ERROR_NOT_SUPPORTED;
    switch (call->op) {
    case PADIC_OP_NUM_ADD: loop = padici_num_add_loop; break;
    case PADIC_OP_NUM_SUB: loop = padici_num_sub_loop; break;
    case PADIC_OP_NUM_NEG: loop = padici_num_neg_loop; break;
    case PADIC_OP_NUM_MUL:
        loop = padici_num_mul_loop;
        kernel = PADICI_K(limbs_mul);
        break;
    default: return PADIC_ERROR_NOT_SUPPORTED;
    }
    if (call->model == PADIC_NUM_FLOAT) {
        padici_simd_num_tiles(call, kernel, loop);
        return PADIC_OK;
    }
    padici_simd_num_ends(call, 32, kernel, loop);
    if (call->status) memset(call->status, 0, (size_t)call->count);
    return PADIC_OK;
}

#endif
// room: src/simd/num/systems.c
// @per-level
#ifndef PADIC_NO_NUM

#if PADICI_ISA_LEVEL != 4
// Systems of small integers, one in each lane. All minors of the columns are sums of products of an
// entry and a smaller minor, computed in doubles, and exact: by Cauchy's inequality the product of
// the norms of the columns also bounds every partial sum. `a` has n rows of n + 1 columns.

#define PADICI_AT(p, i) ((p) + (size_t)(i) * PADICI_LANES)

// The low rows: minors of a set of other rows combined with each set of these stay in registers.
#if PADICI_ISA_LEVEL == 2
#define PADICI_LOW 3
#define PADICI_LOW_ORDER 0, 1, 2, 4, 3, 5, 6, 7
#else
#define PADICI_LOW 4
#define PADICI_LOW_ORDER 0, 1, 2, 4, 8, 3, 5, 6, 9, 10, 12, 7, 11, 13, 14, 15
#endif
#define PADICI_LOW_SETS (1 << PADICI_LOW)

// x = a p - x, for the sets of low rows by their size: each size has its column.
PADICI_TARGET PADICI_INLINE void PADICI_K(minors_row)(const uint64_t *a, const uint64_t *p,
                                                      int step, PADICI_V *x)
{
    static const uint8_t order[PADICI_LOW_SETS] = {PADICI_LOW_ORDER};
    uint32_t i;
    PADICI_V factor = PADICI_DLOAD(a);
    PADICI_UNROLL16
    for (i = 0; i < PADICI_LOW_SETS; i++) {
        if (i == 1 || i == PADICI_LOW + 1 || i == PADICI_LOW_SETS - PADICI_LOW - 1 ||
            i == PADICI_LOW_SETS - 1) {
            a += step * PADICI_LANES;
            factor = PADICI_DLOAD(a);
        }
        x[order[i]] = PADICI_DMSUB(factor, PADICI_DLOAD(PADICI_AT(p, order[i])), x[order[i]]);
    }
}

// Those of the rows 0, 1, 2, in a set with h other rows: `a` is row 0 in column h, `sign` (-1)^h.
PADICI_TARGET PADICI_INLINE void PADICI_K(minors_three)(const uint64_t *a, size_t row, int step,
                                                        PADICI_V sign, PADICI_V *x)
{
    const uint64_t *const b = a + row, *const c = b + row;
    const int two = 2 * step * PADICI_LANES;
    PADICI_V r = PADICI_VXOR(PADICI_VLOAD(a), sign), s = PADICI_VXOR(PADICI_VLOAD(b), sign);
    PADICI_V t = PADICI_VXOR(PADICI_VLOAD(c), sign);
    x[1] = PADICI_DMADD(r, x[0], x[1]);
    x[2] = PADICI_DMADD(s, x[0], x[2]);
    x[4] = PADICI_DMADD(t, x[0], x[4]);
    r = PADICI_VXOR(PADICI_VLOAD(a + two / 2), sign);
    s = PADICI_VXOR(PADICI_VLOAD(b + two / 2), sign);
    t = PADICI_VXOR(PADICI_VLOAD(c + two / 2), sign);
    x[3] = PADICI_DNMADD(r, x[2], PADICI_DMADD(s, x[1], x[3]));
    x[5] = PADICI_DNMADD(r, x[4], PADICI_DMADD(t, x[1], x[5]));
    x[6] = PADICI_DNMADD(s, x[4], PADICI_DMADD(t, x[2], x[6]));
    r = PADICI_VXOR(PADICI_VLOAD(a + two), sign);
    s = PADICI_VXOR(PADICI_VLOAD(b + two), sign);
    t = PADICI_VXOR(PADICI_VLOAD(c + two), sign);
    x[7] = PADICI_DMADD(r, x[6], PADICI_DNMADD(s, x[5], PADICI_DMADD(t, x[3], x[7])));
}

// det A and y, which may be NULL, as from minors_join(), of 3 rows.
PADICI_TARGET PADICI_INLINE PADICI_V PADICI_K(minors_all)(const uint64_t *a, uint64_t *y,
                                                          size_t apart)
{
    const PADICI_V zero = PADICI_VSET(0), top = PADICI_VSET(UINT64_C(1) << 63);
    PADICI_V p[8], q[8], x;
    p[0] = q[0] = PADICI_DSET(1.0);
    p[1] = p[2] = p[3] = p[4] = p[5] = p[6] = p[7] = zero;
    q[1] = q[2] = q[3] = q[4] = q[5] = q[6] = q[7] = zero;
    PADICI_K(minors_three)(a, 4 * PADICI_LANES, 1, zero, p);
    if (!y) return p[7];
    PADICI_K(minors_three)(PADICI_AT(a, 3), 4 * PADICI_LANES, -1, zero, q);
    PADICI_VSTORE(y, PADICI_VXOR(q[7], top));
    x = PADICI_DMADD(p[4], q[3], PADICI_DNMADD(p[2], q[5], PADICI_DMUL(p[1], q[6])));
    PADICI_VSTORE(y + apart, x);
    x = PADICI_DMADD(p[6], q[1], PADICI_DNMADD(p[5], q[2], PADICI_DMUL(p[3], q[4])));
    PADICI_VSTORE(y + 2 * apart, x);
    return p[7];
}

// Those of the low rows.
PADICI_TARGET PADICI_INLINE void PADICI_K(minors_low)(const uint64_t *a, size_t row, int step,
                                                      PADICI_V sign, PADICI_V *x)
{
    PADICI_K(minors_three)(a, row, step, sign, x);
#if PADICI_LOW == 4
    const int one = step * PADICI_LANES;
    PADICI_V t = PADICI_VXOR(PADICI_VLOAD(a + 3 * row), sign);
    x[8] = PADICI_DMADD(t, x[0], x[8]);
    t = PADICI_VXOR(PADICI_VLOAD(a + 3 * row + one), sign);
    x[9] = PADICI_DMADD(t, x[1], x[9]);
    x[10] = PADICI_DMADD(t, x[2], x[10]);
    x[12] = PADICI_DMADD(t, x[4], x[12]);
    t = PADICI_VXOR(PADICI_VLOAD(a + 3 * row + 2 * one), sign);
    x[11] = PADICI_DMADD(t, x[3], x[11]);
    x[13] = PADICI_DMADD(t, x[5], x[13]);
    x[14] = PADICI_DMADD(t, x[6], x[14]);
    t = PADICI_VXOR(PADICI_VLOAD(a + 3 * row + 3 * one), sign);
    x[15] = PADICI_DMADD(t, x[7], x[15]);
    sign = PADICI_VXOR(sign, PADICI_VSET(UINT64_C(1) << 63)); // row 3 is one more
    PADICI_K(minors_three)(a + one, row, step, sign, x + 8);
#endif
}

// p[R], for each set R of rows, bit i for row i: the determinant of these rows and the first |R|
// columns, those from `a` on, `step` = +-1 apart. Expands along the last of them. Here for the R
// with the rows PADICI_LOW + i, i in `set`; also stored in x.
PADICI_TARGET PADICI_INLINE void PADICI_K(minors_of)(const uint64_t *a, uint32_t n, int step,
                                                     uint32_t set, uint64_t *p, PADICI_V *x)
{
    const size_t row = (size_t)(n + 1) * PADICI_LANES;
    const int h = padici_simd_num_bits_of5[set];
    uint64_t *const to = PADICI_AT(p, PADICI_LOW_SETS * set);
    uint32_t i, rest, bit;
    PADICI_UNROLL16
    for (i = 0; i < PADICI_LOW_SETS; i++) x[i] = PADICI_VSET(0);
    if (!set) x[0] = PADICI_DSET(1.0);
    for (rest = set; rest; rest ^= bit) {
        bit = rest & (0u - rest);
        PADICI_K(minors_row)(a + (PADICI_LOW + padici_simd_num_bits_of5[bit - 1]) * row +
                                 (h - 1) * step * PADICI_LANES,
                             PADICI_AT(p, PADICI_LOW_SETS * (set ^ bit)), step, x);
    }
    PADICI_K(minors_low)(a + h * step * PADICI_LANES, row, step,
                         PADICI_VSET((uint64_t)(h & 1) << 63), x);
    PADICI_UNROLL16
    for (i = 0; i < PADICI_LOW_SETS; i++) PADICI_VSTORE(PADICI_AT(to, i), x[i]);
}

// p, from the left.
PADICI_TARGET static PADICI_NOINLINE void PADICI_K(minors)(const uint64_t *a, uint32_t n,
                                                           uint64_t *p)
{
    PADICI_V x[PADICI_LOW_SETS];
    uint32_t set;
    for (set = 0; set < 1u << (n - PADICI_LOW); set++) PADICI_K(minors_of)(a, n, 1, set, p, x);
}

// y[j], up to n - 1: the determinant of A with the right side in place of column j, of p by the
// columns from the left and q by the right side and the columns from the right (Laplace), computed
// on the fly. `apart`: words from y[j] to the next.
PADICI_TARGET static PADICI_NOINLINE void PADICI_K(minors_join)(const uint64_t *a, uint32_t n,
                                                                const uint64_t *p, uint64_t *q,
                                                                uint64_t *y, size_t apart)
{
    const uint32_t all = (1u << (n - PADICI_LOW)) - 1;
    const PADICI_V zero = PADICI_VSET(0), top = PADICI_VSET(UINT64_C(1) << 63);
    PADICI_V sums[2][9], x[PADICI_LOW_SETS]; // two, since a sum waits for the one before
    uint32_t set, i, j;
    for (j = 0; j <= n; j++) sums[0][j] = sums[1][j] = zero;
    for (set = 0; set <= all; set++) {
        const uint32_t other = all ^ set;
        const uint64_t *const u = PADICI_AT(p, PADICI_LOW_SETS * other);
        const PADICI_V sign = // that of the rows 5, 7 (and 3)
            PADICI_VSET((uint64_t)((PADICI_LOW == 3 ? other ^ other >> 2 ^ other >> 4
                                                    : other >> 1 ^ other >> 3) & 1) << 63);
        PADICI_V t[PADICI_LOW + 1], *const sum = sums[set & 1] + padici_simd_num_bits_of5[other];
        PADICI_K(minors_of)(PADICI_AT(a, n), n, -1, set, q, x);
        PADICI_UNROLL8
        for (i = 0; i <= PADICI_LOW; i++) t[i] = zero;
        PADICI_UNROLL16
        for (i = 0; i < PADICI_LOW_SETS; i++) { // signs of the rows 1 and 3
            const uint32_t k = (i & 1) + (i >> 1 & 1) + (i >> 2 & 1) + (i >> 3);
            const PADICI_V w = x[PADICI_LOW_SETS - 1 - i], v = PADICI_DLOAD(PADICI_AT(u, i));
            t[k] = (i >> 1 ^ i >> 3) & 1 ? PADICI_DNMADD(v, w, t[k]) : PADICI_DMADD(v, w, t[k]);
        }
        PADICI_UNROLL8
        for (i = 0; i <= PADICI_LOW; i++) sum[i] = PADICI_DADD(sum[i], PADICI_VXOR(t[i], sign));
    }
    for (j = 0; j < n; j++) { // columns j + 1 to n are reversed, with the right side last
        const uint32_t m = n - j, odd = ((j * j - j) / 2 + (m * m - m) / 2 + m - 1) & 1;
        const PADICI_V sum = PADICI_DADD(sums[0][j], sums[1][j]);
        PADICI_VSTORE(y + j * apart, odd ? PADICI_VXOR(sum, top) : sum);
    }
}

// Transposes PADICI_LANES entries of each of as many systems, which start at x[i] for system i, to
// a vector for each entry.
PADICI_TARGET PADICI_INLINE void PADICI_K(turn)(PADICI_V *x)
{
    PADICI_V y[PADICI_LANES];
    uint32_t i;
#if PADICI_ISA_LEVEL == 1
    y[0] = vzip1q_u64(x[0], x[1]);
    y[1] = vzip2q_u64(x[0], x[1]);
    for (i = 0; i < 2; i++) x[i] = y[i];
#elif PADICI_ISA_LEVEL == 2
    for (i = 0; i < 4; i += 2) {
        y[i] = _mm256_unpacklo_epi64(x[i], x[i + 1]);
        y[i + 1] = _mm256_unpackhi_epi64(x[i], x[i + 1]);
    }
    for (i = 0; i < 2; i++) {
        x[i] = _mm256_permute2x128_si256(y[i], y[i + 2], 0x20);
        x[i + 2] = _mm256_permute2x128_si256(y[i], y[i + 2], 0x31);
    }
#else
    PADICI_UNROLL
    for (i = 0; i < 8; i += 2) {
        y[i] = _mm512_unpacklo_epi64(x[i], x[i + 1]);
        y[i + 1] = _mm512_unpackhi_epi64(x[i], x[i + 1]);
    }
    PADICI_UNROLL
    for (i = 0; i < 4; i++) { // even lanes of 128 bits, odd ones
        const uint32_t j = i / 2 * 4 + i % 2;
        x[j] = _mm512_shuffle_i64x2(y[j], y[j + 2], 0x88);
        x[j + 2] = _mm512_shuffle_i64x2(y[j], y[j + 2], 0xdd);
    }
    PADICI_UNROLL
    for (i = 0; i < 4; i++) {
        y[i] = _mm512_shuffle_i64x2(x[i], x[i + 4], 0x88);
        y[i + 4] = _mm512_shuffle_i64x2(x[i], x[i + 4], 0xdd);
    }
    PADICI_UNROLL8
    for (i = 0; i < 8; i++) x[i] = y[i];
#endif
}

// Assembled systems, with the position `at` of each.
typedef struct PADICI_K(entries) {
    PADICI_V norm[8]; // squared, of the columns
    PADICI_V large;   // bits of entries of at least 2^51
} PADICI_K(entries);

// One entry as a double, added to the norm of its column.
PADICI_TARGET PADICI_INLINE PADICI_V PADICI_K(entry)(padic_dtype dtype, PADICI_V x, PADICI_V *norm,
                                                     PADICI_V *large)
{
    const PADICI_V middle = PADICI_DSET(6755399441055744.0); // 1.5 2^52
    if (dtype == PADIC_I64)
        *large = PADICI_VOR(*large, PADICI_VSHR(PADICI_VADD(x, PADICI_VSET(UINT64_C(1) << 51)),
                                                PADICI_VSET(52)));
    x = PADICI_DSUB(PADICI_VADD(x, middle), middle);
    *norm = PADICI_DMADD(x, x, *norm);
    return x;
}

PADICI_TARGET PADICI_INLINE PADICI_V PADICI_K(pick)(const void *data, padic_dtype dtype,
                                                    PADICI_V from, size_t i)
{
    const PADICI_V sign = PADICI_VSET(0x80000000u);
    if (dtype == PADIC_I64) return PADICI_GATHER((const uint64_t *)data + i, from);
    return PADICI_VSUB(PADICI_VXOR(PADICI_GATHER32((const uint32_t *)data + i, from), sign), sign);
}

// `count` entries of each system, in rows of `width`, `n` + 1 apart in `a`. For entries that are
// `step` apart, `width` is 1.
PADICI_TARGET PADICI_INLINE void PADICI_K(entries_in)(const void *data, padic_dtype dtype,
                                                      const uint64_t *at, size_t step,
                                                      uint32_t count, uint32_t width, uint32_t n,
                                                      uint64_t *a, PADICI_K(entries) *t)
{
    const PADICI_V from = PADICI_VLOAD(at);
    uint32_t i = 0, j, column = 0;
    PADICI_V x[PADICI_LANES];
    for (; step == 1 && i + PADICI_LANES <= count; i += PADICI_LANES) {
        PADICI_UNROLL8
        for (j = 0; j < PADICI_LANES; j++)
            x[j] = dtype == PADIC_I64 ? PADICI_VLOAD((const uint64_t *)data + at[j] + i)
                                      : PADICI_VLOADS((const int32_t *)data + at[j] + i);
        PADICI_K(turn)(x);
        PADICI_UNROLL8
        for (j = 0; j < PADICI_LANES; j++) {
            PADICI_VSTORE(a, PADICI_K(entry)(dtype, x[j], &t->norm[column], &t->large));
            a = PADICI_AT(a, ++column < width ? 1 : n + 2 - width);
            if (column == width) column = 0;
        }
    }
    for (; i < count; i++) {
        x[0] = PADICI_K(pick)(data, dtype, from, i * step);
        PADICI_VSTORE(a, PADICI_K(entry)(dtype, x[0], &t->norm[column], &t->large));
        a = PADICI_AT(a, ++column < width ? 1 : n + 2 - width);
        if (column == width) column = 0;
    }
}

// One vector of systems from `first` on (the last one repeated beyond the count): det, 0 where
// numbers are too large, and the numerators over it, as doubles.
PADICI_TARGET PADICI_INLINE void PADICI_K(systems_minors)(const padic_num_systems *s,
                                                          padic_dtype dtype, uint32_t first)
{
    const uint32_t n = s->n, sides = s->sides, last = s->count - 1;
    const size_t apart = (size_t)sides * PADIC_NUM_SYSTEMS;
    const PADICI_V limit = PADICI_DSET(1267650600228229401496703205376.0); // 2^100
    const PADICI_V zero = PADICI_VSET(0), one = PADICI_DSET(1.0);
    uint64_t *const a = (uint64_t *)s->work, *const p = PADICI_AT(a, (size_t)n * (n + 1));
    uint64_t *const q = PADICI_AT(p, (size_t)1 << n);
    uint64_t *const det = (uint64_t *)(void *)s->det + first;
    uint64_t *z = (uint64_t *)(void *)s->numerator + first;
    uint64_t at[PADICI_LANES], right[PADICI_LANES];
    PADICI_K(entries) t;
    PADICI_V all = one, least = limit, x;
    PADICI_M good, here;
    uint32_t i, side;
    for (i = 0; i < 8; i++) t.norm[i] = zero;
    t.large = zero;
    for (i = 0; i < PADICI_LANES; i++) {
        right[i] = (uint64_t)(first + i < last ? first + i : last) * n;
        at[i] = right[i] * n;
        right[i] *= sides;
    }
    PADICI_K(entries_in)(s->matrix, dtype, at, 1, n * n, n, n, a, &t);
    for (i = 0; i < n; i++) {
        x = PADICI_VSEL(PADICI_DGT(t.norm[i], one), t.norm[i], one);
        all = PADICI_DMUL(all, x);
        least = PADICI_VSEL(PADICI_DGT(least, x), x, least);
    }
    good = PADICI_MAND(PADICI_VEQ(t.large, zero), PADICI_DGT(limit, all));
    if (n > 3) PADICI_K(minors)(a, n, p);
    for (side = 0; side < sides; side++) {
        t.large = t.norm[0] = zero;
        PADICI_K(entries_in)(s->right, dtype, right, sides, n, 1, n, PADICI_AT(a, n), &t);
        x = PADICI_VSEL(PADICI_DGT(t.norm[0], one), t.norm[0], one);
        here = PADICI_MAND(PADICI_VEQ(t.large, zero),
                           PADICI_DGT(PADICI_DMUL(limit, least), PADICI_DMUL(all, x)));
        good = PADICI_MAND(good, here);
        if (n == 3)
            PADICI_K(minors_all)(a, z, apart);
        else
            PADICI_K(minors_join)(a, n, p, q, z, apart);
        for (i = 0; i < n; i++)
            PADICI_VSTORE(z + i * apart, PADICI_VSEL(here, PADICI_VLOAD(z + i * apart), zero));
        z += PADIC_NUM_SYSTEMS;
        for (i = 0; i < PADICI_LANES; i++) right[i]++;
    }
    x = n == 3 ? PADICI_K(minors_all)(a, NULL, 0)
               : PADICI_VLOAD(PADICI_AT(p, ((size_t)1 << n) - 1));
    PADICI_VSTORE(det, PADICI_VSEL(good, x, zero));
}

// v of integers below 2^52; too large for a shift where x = 0.
PADICI_TARGET PADICI_INLINE PADICI_V PADICI_K(twos)(PADICI_V x)
{
    const PADICI_V low = PADICI_VAND(x, PADICI_VSUB(PADICI_VSET(0), x));
    return PADICI_VSUB(PADICI_VSHR(PADICI_DFROM(low), PADICI_VSET(52)), PADICI_VSET(1023));
}

#define PADICI_SYSTEM_VECTORS 4

// to = gcd(to, from) of integers below 2^52, to > 0, in four vectors (Stein 1967).
PADICI_TARGET PADICI_INLINE void PADICI_K(gcds)(PADICI_V *to, const PADICI_V *from)
{
    const PADICI_V zero = PADICI_VSET(0);
    PADICI_V shift[PADICI_SYSTEM_VECTORS], u[PADICI_SYSTEM_VECTORS], w[PADICI_SYSTEM_VECTORS];
    PADICI_V x;
#define PADICI_STEP(j) \
    w[j] = from[j]; \
    shift[j] = PADICI_K(twos)(PADICI_VOR(to[j], w[j])); \
    u[j] = PADICI_VSHR(to[j], PADICI_K(twos)(to[j]));
    PADICI_FOUR(PADICI_STEP)
#undef PADICI_STEP
#if PADICI_ISA_LEVEL >= 3
#define PADICI_STEP(j) \
    x = PADICI_VSEL(PADICI_VEQ(w[j], zero), u[j], PADICI_VSHR(w[j], PADICI_K(twos)(w[j]))); \
    w[j] = PADICI_VSUB(_mm512_max_epu64(u[j], x), _mm512_min_epu64(u[j], x)); \
    u[j] = _mm512_min_epu64(u[j], x);
#else
    PADICI_M more;
    PADICI_V d;
#define PADICI_STEP(j) \
    x = PADICI_VSEL(PADICI_VEQ(w[j], zero), u[j], PADICI_VSHR(w[j], PADICI_K(twos)(w[j]))); \
    more = PADICI_VGT(u[j], x); \
    d = PADICI_VSUB(u[j], x); \
    u[j] = PADICI_VSEL(more, x, u[j]); \
    w[j] = PADICI_VSEL(more, d, PADICI_VSUB(zero, d));
#endif
    while (PADICI_VANY(PADICI_VOR(PADICI_VOR(w[0], w[1]), PADICI_VOR(w[2], w[3])))) {
        PADICI_FOUR(PADICI_STEP)
    }
#undef PADICI_STEP
#define PADICI_STEP(j) to[j] = PADICI_VSHL(u[j], shift[j]);
    PADICI_FOUR(PADICI_STEP)
#undef PADICI_STEP
}

// One right side of all vectors in lowest terms, as integers; `reduce` 0: over |det A|.
PADICI_TARGET static PADICI_NOINLINE void PADICI_K(systems_side)(const padic_num_systems *s,
                                                                 uint32_t side, uint32_t vectors)
{
    const PADICI_V middle = PADICI_DSET(6755399441055744.0), one = PADICI_DSET(1.0);
    const PADICI_V top = PADICI_VSET(UINT64_C(1) << 63), zero = PADICI_VSET(0);
    const size_t apart = (size_t)s->sides * PADIC_NUM_SYSTEMS;
    const uint64_t *const det = (const uint64_t *)(const void *)s->det;
    uint64_t *const d = (uint64_t *)(void *)s->denominator + (size_t)side * PADIC_NUM_SYSTEMS;
    uint64_t *const y = (uint64_t *)(void *)s->numerator + (size_t)side * PADIC_NUM_SYSTEMS;
    PADICI_V g[PADICI_SYSTEM_VECTORS], inverse[PADICI_SYSTEM_VECTORS], u[PADICI_SYSTEM_VECTORS];
    PADICI_V w[PADICI_SYSTEM_VECTORS], x, any;
    uint32_t i, j;
    for (j = 0; j < PADICI_SYSTEM_VECTORS; j++) {
        x = j < vectors ? PADICI_VLOAD(PADICI_AT(det, j)) : one;
        x = PADICI_VSEL(PADICI_DZERO(x), one, x);
        g[j] = s->reduce ? PADICI_VAND(x, PADICI_VXOR(top, PADICI_VSET(UINT64_MAX))) : one;
        inverse[j] = PADICI_DDIV(one, g[j]);
    }
    for (i = 0; s->reduce && i < s->n; i++) {
        any = zero;
        for (j = 0; j < PADICI_SYSTEM_VECTORS; j++) { // y modulo g
            x = j < vectors ? PADICI_VLOAD(PADICI_AT(y + i * apart, j)) : zero;
            x = PADICI_DNMADD(PADICI_DROUND(PADICI_DMUL(x, inverse[j])), g[j], x);
            x = PADICI_VAND(x, PADICI_VXOR(top, PADICI_VSET(UINT64_MAX)));
            any = PADICI_VOR(any, x);
            u[j] = PADICI_DTO(g[j]);
            w[j] = PADICI_DTO(x);
        }
        if (!PADICI_VANY(any)) continue;
        PADICI_K(gcds)(u, w);
        for (j = 0; j < PADICI_SYSTEM_VECTORS; j++) {
            g[j] = PADICI_DFROM(u[j]);
            inverse[j] = PADICI_DDIV(one, g[j]);
        }
    }
    for (j = 0; j < vectors; j++) {
        const PADICI_V b = PADICI_VLOAD(PADICI_AT(det, j)), sign = PADICI_VAND(b, top);
        x = PADICI_DROUND(PADICI_DMUL(PADICI_VXOR(b, sign), inverse[j]));
        PADICI_VSTORE(PADICI_AT(d, j), PADICI_VSUB(PADICI_DADD(x, middle), middle));
        for (i = 0; i < s->n; i++) {
            uint64_t *const to = PADICI_AT(y + i * apart, j);
            x = PADICI_DROUND(PADICI_DMUL(PADICI_VXOR(PADICI_VLOAD(to), sign), inverse[j]));
            PADICI_VSTORE(to, PADICI_VSUB(PADICI_DADD(x, middle), middle));
        }
    }
}

PADICI_FN PADICI_TARGET padic_result PADICI_K(systems)(const padic_num_systems *s)
{
    const PADICI_V middle = PADICI_DSET(6755399441055744.0);
    uint32_t vectors, first, j, side;
    for (first = 0; first < s->count; first += PADICI_SYSTEM_VECTORS * PADICI_LANES) {
        padic_num_systems part = *s;
        part.det += first;
        part.numerator += first;
        part.denominator += first;
        vectors = (s->count - first + PADICI_LANES - 1) / PADICI_LANES;
        if (vectors > PADICI_SYSTEM_VECTORS) vectors = PADICI_SYSTEM_VECTORS;
        for (j = 0; j < vectors; j++) {
            if (s->dtype == PADIC_I32)
                PADICI_K(systems_minors)(s, PADIC_I32, first + j * PADICI_LANES);
            else
                PADICI_K(systems_minors)(s, PADIC_I64, first + j * PADICI_LANES);
        }
        for (side = 0; side < s->sides; side++) PADICI_K(systems_side)(&part, side, vectors);
        for (j = 0; j < vectors; j++) {
            uint64_t *const to = PADICI_AT((uint64_t *)(void *)part.det, j);
            PADICI_VSTORE(to, PADICI_VSUB(PADICI_DADD(PADICI_VLOAD(to), middle), middle));
        }
    }
    return PADIC_OK;
}

#undef PADICI_AT
#undef PADICI_LOW
#undef PADICI_LOW_ORDER
#undef PADICI_LOW_SETS
#undef PADICI_SYSTEM_VECTORS
#endif

#endif
// room: src/simd/num/tables.c
// @per-level
#ifndef PADIC_NO_NUM

#if PADICI_ISA_LEVEL == 4
#define PADICI_TWO(name) (kind ? NULL : PADICI_K(name##_odd))
#define PADICI_PICK PADICI_TWO
#else
#define PADICI_TWO(name) (kind == 1 ? PADICI_K(name##_two) : PADICI_K(name##_odd))
#define PADICI_PICK(name) (kind == 2 ? PADICI_K(name##_wide) : PADICI_TWO(name))
#endif

// The kernel of a call for each kind, or NULL.
static padici_simd_num_kernel PADICI_K(find)(const padic_num_call *call, int kind)
{
    const int ring = call->model == PADIC_NUM_RING;
    switch (call->op) {
    case PADIC_OP_NUM_NEG:
    case PADIC_OP_NUM_ADD:
    case PADIC_OP_NUM_SUB:
        if (ring) return call->ring->unit_size == 4 ? PADICI_K(linear32) : PADICI_K(linear64);
        if (call->op == PADIC_OP_NUM_NEG) return PADICI_PICK(float_neg);
        return PADICI_PICK(float_add);
    case PADIC_OP_NUM_MUL:
#if PADICI_ISA_LEVEL >= 2
        if (ring && call->ring->form == PADIC_NUM_W32) return PADICI_K(mul32);
#endif
        return ring ? PADICI_PICK(ring_mul) : PADICI_PICK(float_mul);
    case PADIC_OP_NUM_FMA: return ring ? PADICI_PICK(ring_fma) : PADICI_PICK(float_fma);
    case PADIC_OP_NUM_INV:
    case PADIC_OP_NUM_DIV: return PADICI_PICK(div);
    case PADIC_OP_NUM_VALUATION:
        if (call->other[1]) return NULL; // norms
        if (!ring && call->b.unit) return PADICI_PICK(float_distance);
        return ring ? PADICI_PICK(ring_split) : PADICI_K(float_split);
    case PADIC_OP_NUM_SPLIT: return ring ? PADICI_PICK(ring_split) : PADICI_K(float_split);
    case PADIC_OP_NUM_HORNER:
        if (call->a.scalar) return NULL;
        return ring ? PADICI_PICK(ring_horner) : PADICI_PICK(float_horner);
    default: return NULL;
    }
}

// The same for kinds 0 and 1 only.
static padici_simd_num_kernel PADICI_K(find_small)(const padic_num_call *call, int kind)
{
    if (call->a.scalar || call->b.scalar) return NULL;
    switch (call->op) {
    case PADIC_OP_NUM_TO_DIGITS:
    case PADIC_OP_NUM_FROM_DIGITS:
        if ((call->k & 15) != PADIC_NUM_DIGITS_STANDARD || !call->stride || call->other[2] ||
            (call->dtype != PADIC_U8 && call->dtype != PADIC_U16 && call->dtype != PADIC_U32))
            return NULL;
        return call->op == PADIC_OP_NUM_TO_DIGITS ? PADICI_TWO(digits)
                                                          : PADICI_TWO(of_digits);
    case PADIC_OP_NUM_FROM_FLOAT:
        if (call->k & 255 || call->other[1] ||
            (call->dtype != PADIC_F64 && call->dtype != PADIC_F32))
            return NULL;
        return PADICI_TWO(of_floats);
    case PADIC_OP_NUM_TO_RATIONAL:
        if (call->ring->bits > (PADICI_ISA_LEVEL == 2 ? 52 : 53) || call->stride >> 51 ||
            call->k >> 51)
            return NULL;
        return PADICI_TWO(rational);
    case PADIC_OP_NUM_DOT: return call->model == PADIC_NUM_RING ? PADICI_TWO(ring_dot) : NULL;
    default: return NULL;
    }
}

// The loop that gets its coefficients from padici_num_series_run().
static void PADICI_K(series_loop)(padic_num_call *call)
{
    const int kind = padici_simd_num_kind(call->ring);
    switch (call->op) {
    case PADIC_OP_NUM_EXP:
        padici_simd_num_ends(call, PADICI_LANES, PADICI_PICK(exp), padici_num_exp_words);
        break;
    case PADIC_OP_NUM_LOG:
        padici_simd_num_ends(call, PADICI_LANES, PADICI_PICK(log), padici_num_log_words);
        break;
    case PADIC_OP_NUM_SQRT:
        padici_simd_num_ends(call, PADICI_LANES, PADICI_PICK(sqrt), padici_num_sqrt_words);
        break;
    default:
        padici_simd_num_ends(call, PADICI_LANES, PADICI_PICK(teichmueller),
                             padici_num_teichmueller_words);
    }
}

static padic_result PADICI_K(series_call)(padic_num_call *call)
{
    const padici_num_tables *t = padici_num_tables_of(call->ring);
    const int kind = padici_simd_num_kind(call->ring), kernel = (int)call->op;
    const padici_root *root = kernel == PADIC_OP_NUM_SQRT ? (const padici_root *)call->options
                                                              : NULL;
    if (call->a.scalar) return PADIC_ERROR_NOT_SUPPORTED;
    if (kernel == PADIC_OP_NUM_SQRT && (kind == 1 ? call->ring->precision < 3 : !t || !t->root))
        return PADIC_ERROR_NOT_SUPPORTED;
    if (kernel == PADIC_OP_NUM_TEICHMUELLER && kind != 1 && (!t || !t->teichmueller))
        return PADIC_ERROR_NOT_SUPPORTED;
    padici_num_series_run(call, root, kernel == PADIC_OP_NUM_EXP, kernel == PADIC_OP_NUM_LOG,
                      PADICI_K(series_loop));
    return PADIC_OK;
}

PADICI_FN padic_result PADICI_K(call)(padic_num_call *call)
{
    const int kind = padici_simd_num_kind(call->ring);
    padici_simd_num_kernel kernel;
    if (call->ring->form == PADIC_NUM_RX) return PADICI_K(limbs_call)(call);
    if (call->ring->form == PADIC_NUM_W128) return PADICI_K(pairs_call)(call);
#if PADICI_ISA_LEVEL == 4
    if (kind) return padici_simd_num_call_avx512(call);
#endif
    if (call->op >= PADIC_OP_NUM_SQRT && call->op <= PADIC_OP_NUM_TEICHMUELLER)
        return PADICI_K(series_call)(call);
    kernel = PADICI_K(find)(call, kind);
    if (!kernel && kind < 2) kernel = PADICI_K(find_small)(call, kind);
    if (call->op == PADIC_OP_NUM_DOT && call->model == PADIC_NUM_FLOAT && kind < 2 &&
        call->count && !call->a.scalar && !call->b.scalar)
        return padici_simd_num_dot(call, PADICI_TWO(float_lanes));
    if (!kernel) return PADIC_ERROR_NOT_SUPPORTED;
    if (call->model == PADIC_NUM_RING && call->status)
        memset(call->status, 0, call->op == PADIC_OP_NUM_DOT ? 1 : (size_t)call->count);
    switch (call->op) {
    case PADIC_OP_NUM_DOT: call->bits |= (*kernel)(call); break;
    case PADIC_OP_NUM_HORNER:
        padici_simd_num_ends(call, PADICI_LANES, kernel, padici_num_horner_loop);
        break;
    case PADIC_OP_NUM_TO_DIGITS:
        padici_simd_num_ends(call, PADICI_LANES, kernel, padici_num_to_digits_loop);
        break;
    case PADIC_OP_NUM_FROM_DIGITS:
        padici_simd_num_ends(call, PADICI_LANES, kernel, padici_num_from_digits_loop);
        break;
    case PADIC_OP_NUM_FROM_FLOAT:
        padici_simd_num_ends(call, PADICI_LANES, kernel, padici_num_from_float_loop);
        break;
    case PADIC_OP_NUM_TO_RATIONAL:
        padici_simd_num_ends(call, 2 * PADICI_LANES, kernel, padici_num_rational_fast);
        break;
    default: call->bits |= padici_simd_num_drive(call, 2 * PADICI_LANES, kernel);
    }
    return PADIC_OK;
}

#endif
// room: src/made/num_level_end.h
#undef PADICI_STEP
#undef PADICI_SHARED
#undef PADICI_KIND
#undef PADICI_BOTH
#undef PADICI_ALL
#undef PADICI_AT
#undef PADICI_LOW
#undef PADICI_LOW_ORDER
#undef PADICI_LOW_SETS
#undef PADICI_SYSTEM_VECTORS
#undef PADICI_TWO
#undef PADICI_PICK
#undef PADICI_V
#undef PADICI_M
#undef PADICI_LANES
#undef PADICI_VSET
#undef PADICI_VLOAD
#undef PADICI_VSTORE
#undef PADICI_VLOADU
#undef PADICI_VLOADS
#undef PADICI_VSTORE32
#undef PADICI_VSTORE8
#undef PADICI_VSTORE16
#undef PADICI_VLOAD8
#undef PADICI_VLOAD16
#undef PADICI_VADD
#undef PADICI_VSUB
#undef PADICI_VMUL
#undef PADICI_VAND
#undef PADICI_VOR
#undef PADICI_VXOR
#undef PADICI_VSHL
#undef PADICI_VSHR
#undef PADICI_VEQ
#undef PADICI_VGT
#undef PADICI_VLT
#undef PADICI_VMUL32
#undef PADICI_VSEL
#undef PADICI_VANY
#undef PADICI_VLOW
#undef PADICI_MAND
#undef PADICI_MOR
#undef PADICI_MANY
#undef PADICI_NONE
#undef PADICI_DCAST
#undef PADICI_ICAST
#undef PADICI_DADD
#undef PADICI_DSUB
#undef PADICI_DMUL
#undef PADICI_DDIV
#undef PADICI_DGT
#undef PADICI_DLOAD
#undef PADICI_DMSUB
#undef PADICI_DMADD
#undef PADICI_DNMADD
#undef PADICI_DROUND
#undef PADICI_DFLOOR
#undef PADICI_DZERO
#undef PADICI_DSET
#undef PADICI_DFROM
#undef PADICI_DLOADF
#undef PADICI_DTO
#undef PADICI_GATHER
#undef PADICI_GATHER32
#undef PADICI_W
#undef PADICI_WIDE
#undef PADICI_WSET
#undef PADICI_WADD
#undef PADICI_WSUB
#undef PADICI_WMUL
#undef PADICI_WLOW
#undef PADICI_HIGHS
#undef PADICI_HALVES
#undef PADICI_WSUBMOD
#undef PADICI_TARGET
#undef PADICI_WLOAD
#undef PADICI_WSTORE
#undef PADICI_WAND
// room: src/simd/wave/words.c
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
// room: src/simd/wave/superpose_words.c
// @per-level
#if !defined(PADIC_NO_WAVE) && PADICI_ISA_LEVEL <= 3

// Sources to the sums of a tile, by each method, and the waves of a tile to its frames.

// `soft` and `root` are constants at each call.
PADICI_TARGET PADICI_INLINE void PADICI_WK(direct_as)(padici_wave_tile *t, uint32_t soft,
                                                      uint32_t root)
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
            const padici_wave_tile_source *s = &t->direct[j];
            for (p = 0; p < 2; p++) {
                const PADICI_VF x = PADICI_ADD(d[p][0], PADICI_SET(s->at[0]));
                const PADICI_VF y = PADICI_ADD(d[p][1], PADICI_SET(s->at[1]));
                const PADICI_VF z = PADICI_ADD(d[p][2], PADICI_SET(s->at[2]));
                PADICI_VF r2 = PADICI_MADD(z, z, PADICI_MADD(y, y, PADICI_MUL(x, x))), size, r;
                if (soft == PADICI_WAVE_TILE_SOFT) r2 = PADICI_F(max)(PADICI_ADD(r2, add), least);
                if (soft == PADICI_WAVE_TILE_PLUMMER) {
                    r = PADICI_F(sqrt)(r2);
                    size = PADICI_WK(root)(PADICI_ADD(r2, widen));
                } else {
                    size = PADICI_WK(root)(r2);
                    r = PADICI_MUL(r2, size);
                }
                if (root) size = PADICI_F(sqrt)(size);
                if (soft == PADICI_WAVE_TILE_NONE) {
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

PADICI_FN PADICI_TARGET void PADICI_WK(direct)(padici_wave_tile *t)
{
    if (t->soft == PADICI_WAVE_TILE_NONE && !t->root)
        PADICI_WK(direct_as)(t, PADICI_WAVE_TILE_NONE, 0);
    else if (t->soft == PADICI_WAVE_TILE_SOFT && !t->root)
        PADICI_WK(direct_as)(t, PADICI_WAVE_TILE_SOFT, 0);
    else if (t->soft == PADICI_WAVE_TILE_NONE)
        PADICI_WK(direct_as)(t, PADICI_WAVE_TILE_NONE, 1);
    else if (t->soft == PADICI_WAVE_TILE_SOFT)
        PADICI_WK(direct_as)(t, PADICI_WAVE_TILE_SOFT, 1);
    else
        PADICI_WK(direct_as)(t, PADICI_WAVE_TILE_PLUMMER, t->root);
}

PADICI_TARGET PADICI_INLINE void PADICI_WK(mid_as)(padici_wave_tile *t, uint32_t soft,
                                                   uint32_t root)
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
            const padici_wave_tile_source *s = &t->mid[j];
            for (p = 0; p < 2; p++) {
                PADICI_VF more = PADICI_MADD(d[p][0], PADICI_SET(s->at[0]), d[p][3]), r2, size, way;
                more = PADICI_MADD(d[p][1], PADICI_SET(s->at[1]), more);
                more = PADICI_MADD(d[p][2], PADICI_SET(s->at[2]), more);
                r2 = PADICI_ADD(more, PADICI_SET(s->r2));
                size = PADICI_WK(root)(r2);
                way = PADICI_MADD(r2, size, PADICI_SET(s->r0)); // r + r0
                way = PADICI_MUL(more, PADICI_WK(part)(way));
                if (soft == PADICI_WAVE_TILE_PLUMMER) size = PADICI_WK(root)(PADICI_ADD(r2, widen));
                if (root) size = PADICI_F(sqrt)(size);
                PADICI_WK(wave)(PADICI_MADD(PADICI_SET(s->wave), way, PADICI_SET(s->phase)),
                                PADICI_MUL(size, PADICI_SET(s->size)), &re[p], &im[p]);
            }
        }
        for (p = 0; p < 2; p++) PADICI_WK(add)(t, i + p * PADICI_LANES, re[p], im[p]);
    }
}

PADICI_FN PADICI_TARGET void PADICI_WK(mid)(padici_wave_tile *t)
{
    if (t->soft != PADICI_WAVE_TILE_PLUMMER && !t->root)
        PADICI_WK(mid_as)(t, PADICI_WAVE_TILE_NONE, 0);
    else PADICI_WK(mid_as)(t, t->soft, t->root);
}

PADICI_FN PADICI_TARGET void PADICI_WK(series)(padici_wave_tile *t)
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
            const padici_wave_tile_far *s = &t->far_[j];
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

// Of a source, re and im: the wave in the middle row, its factors to the next and to the previous
// row, and the multipliers of these from row to row, minus 1.
typedef struct PADICI_WK(rows_at) {
    PADICI_VF z[2], up[2], down[2], more[2];
} PADICI_WK(rows_at);

// Rotates re + i im by the small angle `bend` and scales it by e^e, e small.
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

// At points i of the middle row; m: the component of r along rows, p = step/r. After j rows r is r
// (1 + j p m + j^2 p^2 (1 - m^2)/2), and ln r has grown by j p m + j^2 p^2 (1 - 2 m^2)/2.
PADICI_TARGET PADICI_INLINE void PADICI_WK(rows_begin)(const padici_wave_tile *t,
                                                       const padici_wave_tile_rows *s, uint32_t i,
                                                       PADICI_WK(rows_at) * to)
{
    const padici_wave_tile_far *f = &s->far_;
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
    second = PADICI_MUL(PADICI_MUL(power, PADICI_MUL(p, p)), // minus, since amplitudes fall
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
PADICI_TARGET PADICI_INLINE void PADICI_WK(rows_step)(padici_wave_tile *t, uint32_t i,
                                                      PADICI_VF z[2], PADICI_VF w[2],
                                                      const PADICI_VF more[2])
{
    const PADICI_VF x = PADICI_NMADD(z[1], w[1], PADICI_MUL(z[0], w[0])), u = w[0], v = w[1];
    z[1] = PADICI_MADD(z[1], u, PADICI_MUL(z[0], v));
    z[0] = x;
    w[0] = PADICI_NMADD(v, more[1], PADICI_MADD(u, more[0], u));
    w[1] = PADICI_MADD(u, more[1], PADICI_MADD(v, more[0], v));
    PADICI_F(storeu)(t->frame[0] + i, PADICI_ADD(PADICI_F(loadu)(t->frame[0] + i), z[0]));
    PADICI_F(storeu)(t->frame[1] + i, PADICI_ADD(PADICI_F(loadu)(t->frame[1] + i), z[1]));
}

// The sums of rows are stored in the memory of frames, which come later.
PADICI_FN PADICI_TARGET void PADICI_WK(rows)(padici_wave_tile *t)
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
    for (i = 0; i < PADICI_WAVE_TILE_POINTS; i += PADICI_LANES)
        PADICI_WK(add)(t, i, PADICI_F(loadu)(t->frame[0] + i), PADICI_F(loadu)(t->frame[1] + i));
}

// Half a vector in f64: phase in half-turns within [-1, 1], 1/r of the amplitude.
PADICI_TARGET PADICI_INLINE PADICI_VDG PADICI_WK(half)(const padici_wave_tile *t,
                                                       const padici_wave_tile_wide *s, uint32_t i,
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
    if (t->soft == PADICI_WAVE_TILE_PLUMMER)
        *size = PADICI_D(sqrt)(PADICI_D(add)(r2, PADICI_D(set1)(t->wide_widen)));
    if (t->root) *size = PADICI_D(sqrt)(*size);
    *size = PADICI_D(div)(PADICI_D(set1)(s->size), *size);
    if (t->soft == PADICI_WAVE_TILE_NONE) {
        tiny = PADICI_DTINY(r2);
        *size = PADICI_DDROP(tiny, *size);
    }
    turns = PADICI_D(add)(PADICI_D(mul)(r, PADICI_D(set1)(s->wave)), PADICI_D(set1)(s->phase));
    turns = PADICI_D(sub)(turns, PADICI_DROUND(turns));
    *phase = PADICI_D(mul)(turns, PADICI_D(add)(one, one));
    return tiny;
}

PADICI_FN PADICI_TARGET void PADICI_WK(wide)(padici_wave_tile *t)
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

// A frame: the sum of the waves of all frequencies times its factors.
PADICI_FN PADICI_TARGET void PADICI_WK(frame)(padici_wave_tile *t)
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
                const float *wave = t->waves + g * 2 * PADICI_WAVE_TILE_POINTS + i;
                const PADICI_VF c = PADICI_SET(t->factors[2 * g]);
                const PADICI_VF s = PADICI_SET(t->factors[2 * g + 1]);
                for (p = 0; p < 2; p++, wave += PADICI_LANES) {
                    const PADICI_VF x = PADICI_F(loadu)(wave);
                    const PADICI_VF y = PADICI_F(loadu)(wave + PADICI_WAVE_TILE_POINTS);
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

#endif
// room: src/simd/wave/gradient_words.c
// @per-level
#if !defined(PADIC_NO_WAVE) && PADICI_ISA_LEVEL <= 3

// Slopes. For a pair at distance r, with term psi and offset d: d (i k psi - psi q^2 r)/r, q^2 =
// 1/r^2, or 1/(r^2 + a^2); so kernels sum psi, and d times (i k/r - q^2) psi.

PADICI_TARGET PADICI_INLINE void PADICI_WK(sum)(double *to, PADICI_VF x)
{
    const uint32_t half = PADICI_LANES / 2;
    PADICI_D(storeu)(to, PADICI_D(add)(PADICI_D(loadu)(to), PADICI_LOW(x)));
    PADICI_D(storeu)(to + half, PADICI_D(add)(PADICI_D(loadu)(to + half), PADICI_HIGH(x)));
}

PADICI_TARGET PADICI_INLINE void PADICI_WK(slope_end)(padici_wave_tile *t, uint32_t i,
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

// From r^2 (softened): r, 1/r, the size of the term without its amplitude, q^2.
PADICI_TARGET PADICI_INLINE void PADICI_WK(slope_size)(const padici_wave_tile *t, PADICI_VF r2,
                                                       uint32_t soft, uint32_t root, PADICI_VF *r,
                                                       PADICI_VF *inverse, PADICI_VF *size,
                                                       PADICI_VF *q2)
{
    *inverse = PADICI_WK(root)(r2);
    if (soft == PADICI_WAVE_TILE_PLUMMER) *inverse = PADICI_DROP(PADICI_TINY(r2), *inverse);
    *r = PADICI_MUL(r2, *inverse);
    *size = *inverse;
    if (soft == PADICI_WAVE_TILE_PLUMMER)
        *size = PADICI_WK(root)(PADICI_ADD(r2, PADICI_SET(t->widen)));
    *q2 = PADICI_MUL(*size, *size);
    if (soft == PADICI_WAVE_TILE_PLUMMER) *q2 = PADICI_DROP(PADICI_TINY(r2), *q2);
    if (!root) return;
    *q2 = PADICI_MUL(*q2, PADICI_SET(0.5f));
    *size = PADICI_F(sqrt)(*size);
}

PADICI_TARGET PADICI_INLINE void PADICI_WK(slope_direct_as)(padici_wave_tile *t, uint32_t soft,
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
            const padici_wave_tile_source *s = &t->direct[j];
            PADICI_VF way[3], r2, r, inverse, size, q2;
            for (a = 0; a < 3; a++) way[a] = PADICI_ADD(d[a], PADICI_SET(s->at[a]));
            r2 = PADICI_MUL(way[0], way[0]);
            r2 = PADICI_MADD(way[2], way[2], PADICI_MADD(way[1], way[1], r2));
            if (soft == PADICI_WAVE_TILE_SOFT) {
                const PADICI_VF own = PADICI_ADD(r2, PADICI_SET(t->add));
                r2 = PADICI_F(max)(own, PADICI_SET(t->least));
                PADICI_WK(slope_size)(t, r2, soft, root, &r, &inverse, &size, &q2);
                if (t->least > 0) { // constant inside
                    const PADICI_VG in = PADICI_TINY(PADICI_F(sub)(own, PADICI_SET(t->least)));
                    inverse = PADICI_DROP(in, inverse);
                    q2 = PADICI_DROP(in, q2);
                }
            } else {
                PADICI_WK(slope_size)(t, r2, soft, root, &r, &inverse, &size, &q2);
            }
            if (soft == PADICI_WAVE_TILE_NONE) {
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

PADICI_FN PADICI_TARGET void PADICI_WK(slope_direct)(padici_wave_tile *t)
{
    if (t->soft == PADICI_WAVE_TILE_NONE && !t->root)
        PADICI_WK(slope_direct_as)(t, PADICI_WAVE_TILE_NONE, 0);
    else
        PADICI_WK(slope_direct_as)(t, t->soft, t->root);
}

PADICI_FN PADICI_TARGET void PADICI_WK(slope_mid)(padici_wave_tile *t)
{
    const uint32_t n = t->count[1];
    uint32_t i, j, a;
    for (i = 0; i < t->vectors; i += PADICI_LANES) {
        PADICI_VF sum[8], d[4];
        for (a = 0; a < 4; a++) d[a] = PADICI_F(loadu)(t->d[a] + i);
        for (a = 0; a < 8; a++) sum[a] = PADICI_F(setzero)();
        for (j = 0; j < n; j++) {
            const padici_wave_tile_source *s = &t->mid[j];
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

// Half a vector in f64: phase, size with the amplitude, 1, q^2 r, the offset over r, which f32 can
// hold for every r.
PADICI_TARGET PADICI_INLINE PADICI_VDG PADICI_WK(slope_half)(const padici_wave_tile *t,
                                                             const padici_wave_tile_wide *s,
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
    if (t->soft == PADICI_WAVE_TILE_PLUMMER)
        size = PADICI_D(sqrt)(PADICI_D(add)(r2, PADICI_D(set1)(t->wide_widen)));
    to[3] = PADICI_D(div)(r, PADICI_D(mul)(size, size));
    if (t->root) {
        to[3] = PADICI_D(mul)(to[3], PADICI_D(set1)(0.5));
        size = PADICI_D(sqrt)(size);
    }
    to[1] = PADICI_D(div)(PADICI_D(set1)(s->size), size);
    to[2] = one;
    for (a = 0; a < 3; a++) to[4 + a] = PADICI_D(div)(to[4 + a], r);
    if (t->soft == PADICI_WAVE_TILE_NONE) {
        tiny = PADICI_DTINY(PADICI_D(sub)(r2, PADICI_D(set1)(PADICI_WAVE_TILE_CLOSE)));
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

PADICI_FN PADICI_TARGET void PADICI_WK(slope_wide)(padici_wave_tile *t)
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

#endif
// room: src/simd/wave/double_words.c
// @per-level
#if !defined(PADIC_NO_WAVE) && PADICI_ISA_LEVEL <= 3

// Superposition and slopes in f64: each pair by its distance, its phase in turns, and polynomials
// for sine and cosine, to about 1e-16 of the amplitude.

#define PADICI_DSET(x) PADICI_D(set1)(x)
#define PADICI_DMUL(a, b) PADICI_D(mul)(a, b)

// sqrt(x) and 1/sqrt(x); of 0 they are 0 and infinity. `tiny`: lanes below DBL_MIN.
PADICI_TARGET PADICI_INLINE void PADICI_WK(double_roots)(PADICI_VD x, PADICI_VDG tiny,
                                                         PADICI_VD *root, PADICI_VD *inverse)
{
#if PADICI_ISA_LEVEL >= 3
    const PADICI_VD half = PADICI_DSET(0.5);
    PADICI_VD y = _mm512_rsqrt14_pd(x), e = PADICI_DNMADD(PADICI_DMUL(x, y), y, PADICI_DSET(1)), r;
    y = PADICI_DMADD(PADICI_DMUL(y, e), PADICI_DMADD(PADICI_DSET(0.375), e, half), y); // 2^-42
    e = PADICI_DNMADD(PADICI_DMUL(x, y), y, PADICI_DSET(1));
    y = PADICI_DMADD(PADICI_DMUL(half, y), e, y);
    r = PADICI_DMUL(x, y);
    r = PADICI_DMADD(PADICI_DMUL(half, y), PADICI_DNMADD(r, r, x), r);
#else
    const PADICI_VD r = PADICI_D(sqrt)(x), y = PADICI_D(div)(PADICI_DSET(1), r);
#endif
    *root = PADICI_DDROP(tiny, r);
    *inverse = PADICI_DPICK(tiny, PADICI_DSET((double)INFINITY), y);
}

// sum += size e^{2 pi i t}. Coefficients: sin(pi x)/x and cos(pi x) in z = x^2 up to 1/4,
// interpolated at Chebyshev's points, errors 3.2e-17 and 8.2e-17 as rounded.
PADICI_TARGET PADICI_INLINE void PADICI_WK(double_wave)(PADICI_VD t, PADICI_VD size, PADICI_VD *re,
                                                        PADICI_VD *im)
{
    static const double sine[8] = {-2.1903497074626018e-05, 0.0004662998161898394,
                                   -0.007370430505916944,   0.0821458865731029,
                                   -0.5992645293189447,     2.5501640398773007,
                                   -5.167712780049969,      3.141592653589793};
    static const double cosine[9] = {4.300724172734847e-06, -0.00010463741681752138,
                                     0.0019295741872812349, -0.025806891376592964,
                                     0.235330630357995,     -1.3352627688545549,
                                     4.058712126416768,     -4.934802200544679,
                                     1};
    const PADICI_VD part = PADICI_D(sub)(t, PADICI_DROUND(t)), turn = PADICI_D(add)(part, part);
    const PADICI_VD n = PADICI_DROUND(turn), x = PADICI_D(sub)(turn, n), z = PADICI_DMUL(x, x);
    PADICI_VD s = PADICI_DSET(7.697826768224191e-07), c = PADICI_DSET(-1.34352129509532e-07);
    uint32_t i;
    for (i = 0; i < 8; i++) s = PADICI_DMADD(s, z, PADICI_DSET(sine[i]));
    for (i = 0; i < 9; i++) c = PADICI_DMADD(c, z, PADICI_DSET(cosine[i]));
    size = PADICI_DMUL(size, PADICI_DNMADD(PADICI_D(add)(n, n), n, PADICI_DSET(1))); // n: -1, 0, 1
    *re = PADICI_DMADD(size, c, *re);
    *im = PADICI_DMADD(PADICI_DMUL(size, x), s, *im);
}

// What a pair needs: the offset, r^2 before CLAMP, r and 1/r, 1/r of the amplitude, its size.
typedef struct PADICI_WK(double_at) {
    PADICI_VD way[3], own, r, inverse, part, size, turns;
} PADICI_WK(double_at);

// `soft` and `root` are constants at each call. Returns the lanes too close for a pair without
// softening, whose size is 0.
PADICI_TARGET PADICI_INLINE PADICI_VDG PADICI_WK(double_pair)(const padici_wave_tile *t,
                                                              const padici_wave_tile_wide *s,
                                                              const PADICI_VD at[3], double close,
                                                              uint32_t soft, uint32_t root,
                                                              PADICI_WK(double_at) * to)
{
    const PADICI_VD least = PADICI_DSET(DBL_MIN);
    PADICI_VD r2;
    PADICI_VDG tiny;
    uint32_t a;
    for (a = 0; a < 3; a++) to->way[a] = PADICI_D(sub)(at[a], PADICI_DSET(s->at[a]));
    r2 = PADICI_DMUL(to->way[0], to->way[0]);
    r2 = PADICI_DMADD(to->way[1], to->way[1], r2);
    to->own = r2 = PADICI_DMADD(to->way[2], to->way[2], r2);
    if (soft == PADICI_WAVE_TILE_SOFT) {
        to->own = PADICI_D(add)(r2, PADICI_DSET(t->wide_add));
        r2 = PADICI_D(max)(to->own, PADICI_DSET(t->wide_least));
    }
    tiny = PADICI_DLESS(r2, least);
    PADICI_WK(double_roots)(r2, tiny, &to->r, &to->inverse);
    to->part = to->inverse;
    if (soft == PADICI_WAVE_TILE_PLUMMER) {
        const PADICI_VD wider = PADICI_D(add)(r2, PADICI_DSET(t->wide_widen));
        PADICI_VD unused;
        PADICI_WK(double_roots)(wider, PADICI_DLESS(wider, least), &unused, &to->part);
    }
    to->size = root ? PADICI_D(sqrt)(to->part) : to->part;
    to->size = PADICI_DMUL(to->size, PADICI_DSET(s->size));
    if (soft == PADICI_WAVE_TILE_NONE) {
        tiny = PADICI_DLESS(PADICI_D(sub)(r2, PADICI_DSET(close)), least);
        to->size = PADICI_DDROP(tiny, to->size);
        to->part = PADICI_DDROP(tiny, to->part);
        to->inverse = PADICI_DDROP(tiny, to->inverse);
    } else {
        tiny = PADICI_DG0;
    }
    to->turns = PADICI_DMADD(to->r, PADICI_DSET(s->wave), PADICI_DSET(s->phase));
    return tiny;
}

PADICI_TARGET PADICI_INLINE void PADICI_WK(double_as)(padici_wave_tile *t, uint32_t soft,
                                                      uint32_t root)
{
    const uint32_t n = t->count[2], lanes = PADICI_LANES / 2;
    PADICI_VDG bad = PADICI_DG0;
    uint32_t i, j, p, a;
    for (i = 0; i < t->vectors; i += 2 * lanes) {
        PADICI_VD sum[2][2], at[2][3];
        for (p = 0; p < 2; p++) {
            for (a = 0; a < 3; a++) at[p][a] = PADICI_D(loadu)(t->at[a] + i + p * lanes);
            for (a = 0; a < 2; a++) sum[p][a] = PADICI_DSET(0);
        }
        for (j = 0; j < n; j++)
            for (p = 0; p < 2; p++) {
                PADICI_WK(double_at) pair;
                bad = PADICI_DOR(bad, PADICI_WK(double_pair)(t, &t->wide[j], at[p], 0, soft, root,
                                                             &pair));
                PADICI_WK(double_wave)(pair.turns, pair.size, &sum[p][0], &sum[p][1]);
            }
        for (p = 0; p < 2; p++)
            for (a = 0; a < 2; a++) {
                double *to = t->total[a] + i + p * lanes;
                PADICI_D(storeu)(to, PADICI_D(add)(PADICI_D(loadu)(to), sum[p][a]));
            }
    }
    if (PADICI_DBITS(bad)) t->bad = 1;
}

PADICI_FN PADICI_TARGET void PADICI_WK(double)(padici_wave_tile *t)
{
    if (t->soft == PADICI_WAVE_TILE_NONE && !t->root)
        PADICI_WK(double_as)(t, PADICI_WAVE_TILE_NONE, 0);
    else if (t->soft == PADICI_WAVE_TILE_SOFT && !t->root)
        PADICI_WK(double_as)(t, PADICI_WAVE_TILE_SOFT, 0);
    else
        PADICI_WK(double_as)(t, t->soft, t->root);
}

// Slopes as in the file of those in f32: of d (i k/r - q^2) psi, where q^2 is 1/r^2 of the
// amplitude, half of that for its root, and nothing inside CLAMP's length.
PADICI_FN PADICI_TARGET void PADICI_WK(slope_double)(padici_wave_tile *t)
{
    const uint32_t n = t->count[2], lanes = PADICI_LANES / 2;
    const PADICI_VD zero = PADICI_DSET(0), inside = PADICI_DSET(t->wide_inside);
    PADICI_VDG bad = PADICI_DG0;
    uint32_t i, j, a;
    for (i = 0; i < t->vectors; i += lanes) {
        PADICI_VD sum[8], at[3];
        for (a = 0; a < 3; a++) at[a] = PADICI_D(loadu)(t->at[a] + i);
        for (a = 0; a < 8; a++) sum[a] = zero;
        for (j = 0; j < n; j++) {
            PADICI_WK(double_at) pair;
            PADICI_VD k, q2, re = zero, im = zero, x, y;
            bad = PADICI_DOR(bad, PADICI_WK(double_pair)(t, &t->wide[j], at,
                                                         PADICI_WAVE_TILE_CLOSE, t->soft, t->root,
                                                         &pair));
            q2 = PADICI_DMUL(pair.part, PADICI_DMUL(pair.part, PADICI_DSET(t->root ? 0.5 : 1)));
            k = PADICI_DMUL(pair.inverse, PADICI_DSET(PADICI_TWO_PI * t->wide[j].wave));
            if (t->soft != PADICI_WAVE_TILE_NONE) {
                const PADICI_VDG in = PADICI_DLESS(pair.own, inside);
                q2 = PADICI_DDROP(in, q2);
                k = PADICI_DDROP(in, k);
            }
            PADICI_WK(double_wave)(pair.turns, pair.size, &re, &im);
            x = PADICI_DNMADD(k, im, PADICI_DNMADD(q2, re, zero));
            y = PADICI_DMADD(k, re, PADICI_DNMADD(q2, im, zero));
            sum[0] = PADICI_D(add)(sum[0], re);
            sum[1] = PADICI_D(add)(sum[1], im);
            for (a = 0; a < 3; a++) {
                sum[2 + 2 * a] = PADICI_DMADD(x, pair.way[a], sum[2 + 2 * a]);
                sum[3 + 2 * a] = PADICI_DMADD(y, pair.way[a], sum[3 + 2 * a]);
            }
        }
        for (a = 0; a < 8; a++) {
            double *to = (a < 2 ? t->total[a] : t->slope[a - 2]) + i;
            PADICI_D(storeu)(to, PADICI_D(add)(PADICI_D(loadu)(to), sum[a]));
        }
    }
    if (PADICI_DBITS(bad)) t->bad = 1;
}

#undef PADICI_DSET
#undef PADICI_DMUL

#endif
// room: src/simd/wave/vortex_words.c
// @per-level
#if !defined(PADIC_NO_WAVE) && PADICI_ISA_LEVEL <= 3

// Vortices: the factors of lines along any axis at the points of a pass, and of those along z at
// the points of a block.

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

// Half a vector of (point - c).e; f64, because points far along an axis may be close to it.
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

// Points i, ... along axis k, minus c.
PADICI_TARGET PADICI_INLINE PADICI_VF PADICI_WK(from)(const padici_wave_places *places, uint32_t i,
                                                      uint32_t k, double c)
{
    const double *at = places->at[k] + i;
    return PADICI_JOIN(PADICI_D(sub)(PADICI_D(loadu)(at), PADICI_D(set1)(c)),
                       PADICI_D(sub)(PADICI_D(loadu)(at + PADICI_LANES / 2), PADICI_D(set1)(c)));
}

// Makes z a factor of charge 1; LEGACY: of modulus 1, and *modulus. Marks lanes where f32 does not
// suffice.
// not enough.
PADICI_TARGET PADICI_INLINE PADICI_VF PADICI_WK(core)(padic_wave_core core, PADICI_VF rho2,
                                                      PADICI_VF d2, float xi, PADICI_VF *modulus,
                                                      PADICI_VG *bad)
{
    const PADICI_VF one = PADICI_SET(1.0f), part = PADICI_SET(1 / xi);
    PADICI_VF r = rho2, x, size;
    if (core == PADIC_WAVE_CORE_RATIONAL) {
        r = PADICI_ADD(r, PADICI_SET(xi * xi));
        size = PADICI_WK(root)(r);
    } else if (core == PADIC_WAVE_CORE_PADE) {
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
PADICI_TARGET PADICI_INLINE PADICI_VF PADICI_WK(apart)(const padici_wave_vortex_block *b,
                                                       uint32_t i, const padici_wave_vortex_line *l,
                                                       uint32_t a)
{
    return PADICI_ADD(PADICI_F(sub)(PADICI_F(loadu)(b->at[a][0] + i), PADICI_SET(l->at[a][0])),
                      PADICI_F(sub)(PADICI_F(loadu)(b->at[a][1] + i), PADICI_SET(l->at[a][1])));
}

// `core` is a constant at each call. Tracks the extremes of radicands: outside of f32's range the
// reference computes the points again.
PADICI_TARGET PADICI_INLINE void PADICI_WK(vortex_as)(padici_wave_vortex_block *b,
                                                      padic_wave_core core)
{
    const PADICI_VF one = PADICI_SET(1.0f);
    uint64_t j;
    uint32_t i, k;
    for (i = 0; i < b->points; i += PADICI_LANES) {
        PADICI_VF pr = PADICI_F(loadu)(b->psi[0] + i), pi = PADICI_F(loadu)(b->psi[1] + i);
        PADICI_VF least = one, most = one;
        PADICI_VG bad;
        for (j = 0; j < b->lines; j++) {
            const padici_wave_vortex_line *l = &b->line[j];
            PADICI_VF zr = PADICI_WK(apart)(b, i, l, 0), zi = PADICI_WK(apart)(b, i, l, 1);
            const PADICI_VF rho2 = PADICI_MADD(zr, zr, PADICI_MUL(zi, zi));
            PADICI_VF r = rho2, size, next;
            if (core == PADIC_WAVE_CORE_RATIONAL) {
                r = PADICI_ADD(r, PADICI_SET(l->core * l->core));
                size = PADICI_WK(root)(r);
            } else if (core == PADIC_WAVE_CORE_PADE) {
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

PADICI_FN PADICI_TARGET void PADICI_WK(vortex)(padici_wave_vortex_block *b)
{
    if (b->core == PADIC_WAVE_CORE_RATIONAL) PADICI_WK(vortex_as)(b, PADIC_WAVE_CORE_RATIONAL);
    else if (b->core == PADIC_WAVE_CORE_PADE) PADICI_WK(vortex_as)(b, PADIC_WAVE_CORE_PADE);
    else if (b->core == PADIC_WAVE_CORE_NONE) PADICI_WK(vortex_as)(b, PADIC_WAVE_CORE_NONE);
    else PADICI_WK(vortex_as)(b, PADIC_WAVE_CORE_LEGACY);
}

// 1 if f32 suffices for n lines: charges of LEGACY may be any, cores beyond f32.
PADICI_INLINE int PADICI_WK(lines_fit)(padic_wave_core core, const padici_wave_line *lines,
                                       uint32_t n)
{
    uint32_t j;
    for (j = 0; j < n; j++) {
        const padici_wave_line *l = &lines[j];
        if (l->charge != floor(l->charge)) return 0;
        if (!(fabs(l->centre[0]) < 1e150 && fabs(l->centre[1]) < 1e150 &&
              fabs(l->centre[2]) < 1e150))
            return 0;
        if (core != PADIC_WAVE_CORE_NONE && !(l->core > 1e-18 && l->core < 1e18)) return 0;
    }
    return 1;
}

// padici_wave_lines.
PADICI_FN PADICI_TARGET void PADICI_WK(lines)(padic_wave_core core,
                                              const padici_wave_line *lines, uint32_t n,
                                              const padici_wave_places *places, uint32_t first,
                                              uint32_t end, padici_complex *products)
{
    float re[PADICI_LANES], im[PADICI_LANES];
    uint32_t i, j, k;
    if (!PADICI_WK(lines_fit)(core, lines, n)) {
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

#endif
// room: src/simd/wave/fields.c
// @per-level
#if !defined(PADIC_NO_WAVE) && PADICI_ISA_LEVEL <= 3

// ------------------------------------------------------------------------------------- >>fields
//
// Rows of fields of c64, in f64: observables, pixels, the norm, slopes of the phase, charges.
// Products of two f32 are exact there. Counts are multiples of 16.

// The angle y/x in turns, in (-1/2, 1/2]; 0 for 0, 0. The polynomial of the device kernels.
PADICI_TARGET PADICI_INLINE PADICI_VD PADICI_WK(angle)(PADICI_VD y, PADICI_VD x)
{
    const PADICI_VD zero = PADICI_D(set1)(0), u = PADICI_DABS(x), v = PADICI_DABS(y);
    const PADICI_VD big = PADICI_D(max)(PADICI_D(max)(u, v), PADICI_D(set1)(DBL_MIN));
    const PADICI_VD q = PADICI_D(div)(PADICI_D(min)(u, v), big), g = PADICI_D(mul)(q, q);
    PADICI_VD a = PADICI_DMADD(PADICI_D(set1)(0.0003930998152), g, PADICI_D(set1)(-0.002301266841));
    a = PADICI_DMADD(a, g, PADICI_D(set1)(0.00634815885));
    a = PADICI_DMADD(a, g, PADICI_D(set1)(-0.01153098963));
    a = PADICI_DMADD(a, g, PADICI_D(set1)(0.01671879152));
    a = PADICI_DMADD(a, g, PADICI_D(set1)(-0.02254128972));
    a = PADICI_DMADD(a, g, PADICI_D(set1)(0.03180909161));
    a = PADICI_DMADD(a, g, PADICI_D(set1)(-0.05305052095));
    a = PADICI_D(mul)(PADICI_DMADD(a, g, PADICI_D(set1)(0.15915494309189535)), q);
    a = PADICI_DPICK(PADICI_DLESS(u, v), PADICI_D(sub)(PADICI_D(set1)(0.25), a), a);
    a = PADICI_DPICK(PADICI_DLESS(x, zero), PADICI_D(sub)(PADICI_D(set1)(0.5), a), a);
    return PADICI_DPICK(PADICI_DLESS(y, zero), PADICI_D(sub)(zero, a), a);
}

PADICI_TARGET PADICI_INLINE PADICI_VD PADICI_WK(power)(PADICI_VD re, PADICI_VD im)
{
    return PADICI_DMADD(re, re, PADICI_D(mul)(im, im));
}

// Lanes that are not finite.
PADICI_TARGET PADICI_INLINE uint32_t PADICI_WK(wild)(PADICI_VD re, PADICI_VD im)
{
    const PADICI_VD size = PADICI_D(add)(PADICI_DABS(re), PADICI_DABS(im));
    return PADICI_DBITS(PADICI_DLESS(size, PADICI_D(set1)(1e300))) ^
           ((1u << PADICI_LANES / 2) - 1u);
}

PADICI_TARGET PADICI_INLINE PADICI_VD PADICI_WK(see)(PADICI_VD re, PADICI_VD im, uint32_t output)
{
    if (output == PADIC_WAVE_OUTPUT_REAL) return re;
    if (output == PADIC_WAVE_OUTPUT_PHASE)
        return PADICI_D(mul)(PADICI_WK(angle)(im, re), PADICI_D(set1)(PADICI_TWO_PI));
    if (output == PADIC_WAVE_OUTPUT_AMPLITUDE) return PADICI_D(sqrt)(PADICI_WK(power)(re, im));
    return PADICI_WK(power)(re, im);
}

PADICI_FN PADICI_TARGET void PADICI_WK(field_observe)(padici_wave_field_row *f)
{
    uint32_t i;
    for (i = 0; i < f->count; i += PADICI_LANES) {
        PADICI_VF re, im;
        PADICI_SPLIT(f->z[0] + 2 * i, re, im);
        f->odd |= PADICI_WK(wild)(PADICI_LOW(re), PADICI_LOW(im)) |
                  PADICI_WK(wild)(PADICI_HIGH(re), PADICI_HIGH(im));
        PADICI_F(storeu)
        (f->out + i, PADICI_JOIN(PADICI_WK(see)(PADICI_LOW(re), PADICI_LOW(im), f->what),
                                 PADICI_WK(see)(PADICI_HIGH(re), PADICI_HIGH(im), f->what)));
    }
}

// Sums of |psi|^2 of 8 blocks of 256, each in order.
PADICI_FN PADICI_TARGET void PADICI_WK(field_squares)(padici_wave_field_row *f)
{
    uint32_t i, block;
    for (block = 0; block < 8; block += PADICI_LANES / 2) {
        const float *from = f->z[0] + 512 * block;
        PADICI_VD sum = PADICI_D(set1)(0);
        for (i = 0; i < 256; i++) {
            PADICI_VD re, im;
            PADICI_BLOCKS(from + 2 * i, re, im);
            sum = PADICI_D(add)(sum, PADICI_WK(power)(re, im));
        }
        PADICI_D(storeu)(f->sums + block, sum);
    }
}

PADICI_FN PADICI_TARGET void PADICI_WK(field_scale)(padici_wave_field_row *f)
{
    const PADICI_VD factor = PADICI_D(set1)(f->factor);
    uint32_t i;
    for (i = 0; i < 2 * f->count; i += PADICI_LANES) {
        const PADICI_VF x = PADICI_F(loadu)(f->z[0] + i);
        PADICI_F(storeu)
        (f->out + i, PADICI_JOIN(PADICI_D(mul)(PADICI_LOW(x), factor),
                                 PADICI_D(mul)(PADICI_HIGH(x), factor)));
    }
}

// The angle from a to b, in turns.
PADICI_TARGET PADICI_INLINE PADICI_VD PADICI_WK(link)(PADICI_VD are, PADICI_VD aim, PADICI_VD bre,
                                                   PADICI_VD bim)
{
    return PADICI_WK(angle)(PADICI_D(sub)(PADICI_D(mul)(bim, are), PADICI_D(mul)(bre, aim)),
                            PADICI_DMADD(bre, are, PADICI_D(mul)(bim, aim)));
}

// Slopes from left (z[0]), centre, right; marks[0]: undefined.
PADICI_TARGET PADICI_INLINE PADICI_VD PADICI_WK(slope_of)(const padici_wave_field_row *f,
                                                          const PADICI_VD *re, const PADICI_VD *im,
                                                          uint32_t *none)
{
    const PADICI_VD power = PADICI_WK(power)(re[1], im[1]);
    const PADICI_VDG more = PADICI_DLESS(PADICI_D(set1)(f->low), power);
    PADICI_VD slope;
    if (f->what == PADIC_WAVE_PHASE_LINKS)
        slope = PADICI_D(add)(PADICI_WK(link)(re[0], im[0], re[1], im[1]),
                              PADICI_WK(link)(re[1], im[1], re[2], im[2]));
    else if (f->what == PADIC_WAVE_PHASE_CURRENT)
        slope = PADICI_D(div)(
            PADICI_D(sub)(PADICI_D(mul)(re[1], PADICI_D(sub)(im[2], im[0])),
                          PADICI_D(mul)(im[1], PADICI_D(sub)(re[2], re[0]))),
            power);
    else
        slope = PADICI_D(sub)(PADICI_WK(angle)(im[2], re[2]), PADICI_WK(angle)(im[0], re[0]));
    *none = PADICI_DBITS(more) ^ ((1u << PADICI_LANES / 2) - 1u);
    return PADICI_DPICK(more, PADICI_D(mul)(slope, PADICI_D(set1)(f->factor)),
                        PADICI_D(set1)(0));
}

PADICI_FN PADICI_TARGET void PADICI_WK(field_slope)(padici_wave_field_row *f)
{
    uint32_t i, j, half, k;
    for (i = 0; i < f->count; i += 16) {
        uint32_t marks = 0;
        for (j = 0; j < 16; j += PADICI_LANES) {
            PADICI_VD re[2][3], im[2][3], slope[2];
            for (k = 0; k < 3; k++) {
                PADICI_VF x, y;
                PADICI_SPLIT(f->z[k] + 2 * (i + j), x, y);
                re[0][k] = PADICI_LOW(x);
                re[1][k] = PADICI_HIGH(x);
                im[0][k] = PADICI_LOW(y);
                im[1][k] = PADICI_HIGH(y);
                f->odd |= PADICI_WK(wild)(re[0][k], im[0][k]) | PADICI_WK(wild)(re[1][k], im[1][k]);
                if (f->what == PADIC_WAVE_PHASE_LEGACY) { // where atan2 depends on the sign of a 0
                    const uint32_t some = (1u << PADICI_LANES / 2) - 1u;
                    const PADICI_VD zero = PADICI_D(set1)(0);
                    f->odd |= PADICI_DBITS(PADICI_DLESS(zero, PADICI_DABS(im[0][k]))) ^ some;
                    f->odd |= PADICI_DBITS(PADICI_DLESS(zero, PADICI_DABS(im[1][k]))) ^ some;
                }
            }
            for (half = 0; half < 2; half++) {
                uint32_t none;
                slope[half] = PADICI_WK(slope_of)(f, re[half], im[half], &none);
                marks |= none << (j + half * PADICI_LANES / 2);
            }
            PADICI_F(storeu)(f->out + i + j, PADICI_JOIN(slope[0], slope[1]));
        }
        f->marks[0][i / 16] = (uint16_t)marks;
    }
}

// Squares with corners z[0] to z[3]; marks: charge 1, charge -1, undefined.
PADICI_FN PADICI_TARGET void PADICI_WK(field_charge)(padici_wave_field_row *f)
{
    const PADICI_VD zero = PADICI_D(set1)(0), most = PADICI_D(set1)(1e300);
    uint32_t i, j, half, k;
    for (i = 0; i < f->count; i += 16) {
        uint32_t plus = 0, minus = 0, bad = 0;
        for (j = 0; j < 16; j += PADICI_LANES) {
            PADICI_VF x[4], y[4];
            for (k = 0; k < 4; k++) PADICI_SPLIT(f->z[k] + 2 * (i + j), x[k], y[k]);
            for (half = 0; half < 2; half++) {
                const uint32_t at = j + half * PADICI_LANES / 2;
                uint32_t below[4], fine = ~0u, all = 0, down = 0, up = 0, twice = 0;
                PADICI_VD re[4], im[4];
                for (k = 0; k < 4; k++) {
                    PADICI_VD size;
                    re[k] = half ? PADICI_HIGH(x[k]) : PADICI_LOW(x[k]);
                    im[k] = half ? PADICI_HIGH(y[k]) : PADICI_LOW(y[k]);
                    size = PADICI_D(add)(PADICI_DABS(re[k]), PADICI_DABS(im[k]));
                    fine &= PADICI_DBITS(PADICI_DLESS(zero, size)) &
                            PADICI_DBITS(PADICI_DLESS(size, most));
                    below[k] = PADICI_DBITS(PADICI_DLESS(im[k], zero));
                }
                for (k = 0; k < 4; k++) { // crossings of the negative real axis
                    const uint32_t n = (k + 1) & 3;
                    const PADICI_VD p = PADICI_D(mul)(re[k], im[n]);
                    const PADICI_VD q = PADICI_D(mul)(re[n], im[k]);
                    const uint32_t falls = ~below[k] & below[n] & PADICI_DBITS(PADICI_DLESS(q, p));
                    const uint32_t rises = below[k] & ~below[n] & PADICI_DBITS(PADICI_DLESS(p, q));
                    all ^= falls ^ rises;
                    twice |= down & falls;
                    down |= falls;
                    up |= rises;
                }
                plus |= (fine & all & (twice | ~up)) << at;
                minus |= (fine & all & ~(twice | ~up)) << at;
                bad |= (~fine & ((1u << PADICI_LANES / 2) - 1u)) << at;
            }
        }
        f->marks[0][i / 16] = (uint16_t)plus;
        f->marks[1][i / 16] = (uint16_t)minus;
        f->marks[2][i / 16] = (uint16_t)bad;
    }
}

// x clamped to [0, 1], as 255 x + 1/2.
PADICI_TARGET PADICI_INLINE PADICI_VD PADICI_WK(shade)(PADICI_VD x)
{
    x = PADICI_D(max)(PADICI_D(min)(x, PADICI_D(set1)(1)), PADICI_D(set1)(0));
    return PADICI_DMADD(x, PADICI_D(set1)(255), PADICI_D(set1)(0.5));
}

// Channels of pixels in bytes[]; seen: the values; `odd` if one is not finite.
PADICI_FN PADICI_TARGET void PADICI_WK(field_pixels)(padici_wave_field_row *f)
{
    static const double from_red[3] = {0, 1.0 / 3, 2.0 / 3};
    const uint32_t channels = f->map == PADIC_WAVE_MAP_HEAT || f->map == PADIC_WAVE_MAP_HUE ? 3 : 1;
    const PADICI_VD zero = PADICI_D(set1)(0), low = PADICI_D(set1)(f->low);
    const PADICI_VD high = PADICI_D(set1)(f->high), wide = PADICI_D(set1)(f->high - f->low);
    uint32_t i, half, c;
    for (i = 0; i < f->count; i += PADICI_LANES) {
        PADICI_VD shade[3][2];
        PADICI_VF re, im;
        if (f->real) {
            re = PADICI_F(loadu)(f->z[0] + i);
            im = PADICI_F(setzero)();
        } else {
            PADICI_SPLIT(f->z[0] + 2 * i, re, im);
        }
        for (half = 0; half < 2; half++) {
            const PADICI_VD a = half ? PADICI_HIGH(re) : PADICI_LOW(re);
            const PADICI_VD b = half ? PADICI_HIGH(im) : PADICI_LOW(im);
            const PADICI_VD v = PADICI_WK(see)(a, b, f->what);
            PADICI_VD x = PADICI_D(div)(PADICI_D(sub)(v, low), wide), turns = zero;
            if (f->curve == PADIC_WAVE_CURVE_REINHARD)
                x = PADICI_DPICK(PADICI_DLESS(zero, v), PADICI_D(div)(v, PADICI_D(add)(v, high)),
                                 zero);
            f->odd |= PADICI_WK(wild)(a, b) | PADICI_WK(wild)(v, zero);
            PADICI_D(storeu)(f->seen + i + half * PADICI_LANES / 2, v);
            if (f->map == PADIC_WAVE_MAP_HUE) turns = PADICI_WK(angle)(b, a);
            shade[0][half] = PADICI_WK(shade)(x);
            x = PADICI_D(max)(PADICI_D(min)(x, PADICI_D(set1)(1)), zero);
            for (c = 0; c < channels && channels > 1; c++) {
                PADICI_VD own;
                if (f->map == PADIC_WAVE_MAP_HEAT) {
                    own = PADICI_D(sub)(PADICI_D(mul)(x, PADICI_D(set1)(3)),
                                        PADICI_D(set1)((double)c));
                } else {
                    own = PADICI_D(sub)(turns, PADICI_D(set1)(from_red[c]));
                    own = PADICI_DABS(PADICI_D(sub)(own, PADICI_DROUND(own)));
                    own = PADICI_D(sub)(PADICI_D(set1)(2), PADICI_D(mul)(own, PADICI_D(set1)(6)));
                    own = PADICI_D(max)(PADICI_D(min)(own, PADICI_D(set1)(1)), zero);
                    own = PADICI_D(mul)(own, x);
                }
                shade[c][half] = PADICI_WK(shade)(own);
            }
        }
        for (c = 0; c < channels; c++)
            PADICI_NSTORE(f->bytes[c] + i, PADICI_CUT(PADICI_JOIN(shade[c][0], shade[c][1])));
    }
}

#endif
// room: src/made/wave_level_end.h
#undef PADICI_DSET
#undef PADICI_DMUL
#undef PADICI_TARGET
#undef PADICI_VF
#undef PADICI_VD
#undef PADICI_VG
#undef PADICI_VDG
#undef PADICI_F
#undef PADICI_D
#undef PADICI_LANES
#undef PADICI_ROOT0
#undef PADICI_PART0
#undef PADICI_TINY
#undef PADICI_DROP
#undef PADICI_ANY
#undef PADICI_G0
#undef PADICI_OR
#undef PADICI_DTINY
#undef PADICI_DDROP
#undef PADICI_DG0
#undef PADICI_DOR
#undef PADICI_DROUND
#undef PADICI_LOW
#undef PADICI_HIGH
#undef PADICI_JOIN
#undef PADICI_NEAREST
#undef PADICI_WHOLE
#undef PADICI_FLIP
#undef PADICI_SCALE
#undef PADICI_N
#undef PADICI_DMADD
#undef PADICI_DNMADD
#undef PADICI_DABS
#undef PADICI_DLESS
#undef PADICI_DPICK
#undef PADICI_DBITS
#undef PADICI_CUT
#undef PADICI_NSTORE
#undef PADICI_SPLIT
#undef PADICI_BLOCKS
#undef PADICI_DANY
#undef PADICI_F_set1
#undef PADICI_F_loadu
#undef PADICI_F_storeu
#undef PADICI_F_add
#undef PADICI_F_sub
#undef PADICI_F_mul
#undef PADICI_F_max
#undef PADICI_F_min
#undef PADICI_F_sqrt
#undef PADICI_F_setzero
#undef PADICI_F_fmadd
#undef PADICI_F_fnmadd
#undef PADICI_D_set1
#undef PADICI_D_loadu
#undef PADICI_D_storeu
#undef PADICI_D_add
#undef PADICI_D_sub
#undef PADICI_D_mul
#undef PADICI_D_div
#undef PADICI_D_max
#undef PADICI_D_sqrt
#undef PADICI_D_min
#undef PADICI_SET
#undef PADICI_ADD
#undef PADICI_MUL
#undef PADICI_MADD
#undef PADICI_NMADD
// room: src/simd/field/words.c
// @per-level
#if !defined(PADIC_NO_FIELD) && PADICI_ISA_LEVEL <= 3

// PADICI_V: a vector of floats, real and imaginary parts in turn. BEFORE, AFTER: each number's
// neighbour in a row, `b` being the vector after `a`. REAL_PARTS, IMAGINARY_PARTS: of the numbers
// in two vectors, in one order. PART: the first n floats, the others 0 and
// not read or written.

#if PADICI_ISA_LEVEL == 3
#define PADICI_TARGET PADICI_AVX512
#define PADICI_LANES 16
#define PADICI_V __m512
#define PADICI_R(op) _mm512_##op##_ps
#define PADICI_PART_LOAD(p, n) _mm512_maskz_loadu_ps((__mmask16)((1u << (n)) - 1), p)
#define PADICI_PART_STORE(p, n, v) _mm512_mask_storeu_ps(p, (__mmask16)((1u << (n)) - 1), v)
#define PADICI_SHIFT(a, b, n)                                                             \
    _mm512_castsi512_ps(                                                                  \
        _mm512_alignr_epi64(_mm512_castps_si512(b), _mm512_castps_si512(a), n))
#define PADICI_BEFORE(a, b) PADICI_SHIFT(a, b, 7)
#define PADICI_AFTER(a, b) PADICI_SHIFT(a, b, 1)
#define PADICI_SWAP_PARTS(x) _mm512_permute_ps(x, 0xb1)
#define PADICI_REAL_PARTS(a, b) _mm512_shuffle_ps(a, b, 0x88)
#define PADICI_IMAGINARY_PARTS(a, b) _mm512_shuffle_ps(a, b, 0xdd)
#elif PADICI_ISA_LEVEL == 2
#define PADICI_TARGET PADICI_AVX2
#define PADICI_LANES 8
#define PADICI_V __m256
#define PADICI_R(op) _mm256_##op##_ps
#define PADICI_PART_MASK(n)                                                               \
    _mm256_cmpgt_epi32(_mm256_set1_epi32((int)(n)), _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7))
#define PADICI_PART_LOAD(p, n) _mm256_maskload_ps(p, PADICI_PART_MASK(n))
#define PADICI_PART_STORE(p, n, v) _mm256_maskstore_ps(p, PADICI_PART_MASK(n), v)
#define PADICI_MIDDLE(a, b)                                                               \
    _mm256_permute2f128_pd(_mm256_castps_pd(a), _mm256_castps_pd(b), 0x21)
#define PADICI_BEFORE(a, b)                                                               \
    _mm256_castpd_ps(_mm256_shuffle_pd(PADICI_MIDDLE(a, b), _mm256_castps_pd(b), 5))
#define PADICI_AFTER(a, b)                                                                \
    _mm256_castpd_ps(_mm256_shuffle_pd(_mm256_castps_pd(a), PADICI_MIDDLE(a, b), 5))
#define PADICI_SWAP_PARTS(x) _mm256_permute_ps(x, 0xb1)
#define PADICI_REAL_PARTS(a, b) _mm256_shuffle_ps(a, b, 0x88)
#define PADICI_IMAGINARY_PARTS(a, b) _mm256_shuffle_ps(a, b, 0xdd)
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
#else
#define PADICI_TARGET
#define PADICI_LANES 4
#define PADICI_V float32x4_t
#define PADICI_PART_LOAD(p, n) PADICI_LK(part_load)(p, n)
#define PADICI_PART_STORE(p, n, v) PADICI_LK(part_store)(p, n, v)
#define PADICI_BEFORE(a, b) vextq_f32(a, b, 2)
#define PADICI_AFTER(a, b) vextq_f32(a, b, 2)
#define PADICI_SWAP_PARTS(x) vrev64q_f32(x)
#define PADICI_REAL_PARTS vuzp1q_f32
#define PADICI_IMAGINARY_PARTS vuzp2q_f32
#define PADICI_NONE vdupq_n_f32(0)
#define PADICI_SET vdupq_n_f32
#define PADICI_LOAD vld1q_f32
#define PADICI_STORE vst1q_f32
#define PADICI_ADD vaddq_f32
#define PADICI_SUB vsubq_f32
#define PADICI_MUL vmulq_f32
#define PADICI_FMA(x, y, v) vfmaq_f32(v, x, y)
#define PADICI_FNMA(x, y, v) vfmsq_f32(v, x, y)

PADICI_INLINE PADICI_V PADICI_LK(part_load)(const float *p, uint32_t n)
{
    float lanes[PADICI_LANES];
    uint32_t i;
    for (i = 0; i < PADICI_LANES; i++) lanes[i] = i < n ? p[i] : 0;
    return PADICI_LOAD(lanes);
}

PADICI_INLINE void PADICI_LK(part_store)(float *p, uint32_t n, PADICI_V v)
{
    float lanes[PADICI_LANES];
    uint32_t i;
    PADICI_STORE(lanes, v);
    for (i = 0; i < n; i++) p[i] = lanes[i];
}
#endif

// sqrt(x), of 0 too; of AVX-512 by an estimate of 1 / sqrt(x) and a Newton step, within 1 ulp.
PADICI_TARGET PADICI_INLINE PADICI_V PADICI_LK(root)(PADICI_V x)
{
#if PADICI_ISA_LEVEL == 3
    const PADICI_V y = _mm512_rsqrt14_ps(_mm512_max_ps(x, _mm512_set1_ps(FLT_MIN)));
    const PADICI_V s = PADICI_MUL(x, y);
    return PADICI_FMA(PADICI_MUL(PADICI_SET(0.5f), y), PADICI_FNMA(s, s, x), s);
#elif PADICI_ISA_LEVEL == 2
    return _mm256_sqrt_ps(x);
#else
    return vsqrtq_f32(x);
#endif
}

// The number at p in all places.
PADICI_TARGET PADICI_INLINE PADICI_V PADICI_LK(pair)(float re, float im)
{
#if PADICI_ISA_LEVEL == 3
    return _mm512_mask_blend_ps(0xaaaa, _mm512_set1_ps(re), _mm512_set1_ps(im));
#elif PADICI_ISA_LEVEL == 2
    return _mm256_blend_ps(_mm256_set1_ps(re), _mm256_set1_ps(im), 0xaa);
#else
    return vzip1q_f32(vdupq_n_f32(re), vdupq_n_f32(im));
#endif
}

// n floats at p, fewer than lanes, then the number {re, im}, then zeros.
PADICI_TARGET PADICI_INLINE PADICI_V PADICI_LK(tail)(const float *p, uint32_t n, float re, float im)
{
    float lanes[PADICI_LANES];
    uint32_t i;
    for (i = 0; i < n; i++) lanes[i] = p[i];
    lanes[i++] = re;
    lanes[i++] = im;
    for (; i < PADICI_LANES; i++) lanes[i] = 0;
    return PADICI_LOAD(lanes);
}

// |z|^(2 half) |z|^odd of squares |z|^2.
PADICI_TARGET PADICI_INLINE PADICI_V PADICI_LK(power)(PADICI_V square, uint32_t half, uint32_t odd)
{
    PADICI_V x = odd ? PADICI_LK(root)(square) : half ? square : PADICI_SET(1);
    uint32_t i;
    for (i = !odd; i < half; i++) x = PADICI_MUL(x, square);
    return x;
}

#endif
// room: src/simd/field/legacy.c
// @per-level
#if !defined(PADIC_NO_FIELD) && PADICI_ISA_LEVEL <= 3

// The legacy step and energy of rows in f32.

typedef struct PADICI_LK(row) {
    const float *at, *below[2], *above[2]; // of axes 0 and 1
    float *out;
    uint64_t full;                         // whole vectors
    uint32_t rest, half, odd;              // floats after them; of the power
    PADICI_V mass, lambda, turn, start, stop, bad;
    PADICI_V sum[5]; // four times the kinetic energy along each axis; norm, interaction
} PADICI_LK(row);

// One vector of the step: c, its neighbours in the row, and the sum of the other four.
PADICI_TARGET PADICI_INLINE PADICI_V PADICI_LK(euler_step)(const PADICI_LK(row) *row, PADICI_V c,
                                                           PADICI_V low, PADICI_V high,
                                                           PADICI_V others)
{
    const PADICI_V n = PADICI_MUL(c, c), square = PADICI_ADD(n, PADICI_SWAP_PARTS(n));
    const PADICI_V own =
        PADICI_FMA(row->lambda, PADICI_LK(power)(square, row->half, row->odd), row->mass);
    const PADICI_V sum = PADICI_ADD(PADICI_ADD(low, high), others);
    return PADICI_FMA(row->turn, PADICI_SWAP_PARTS(PADICI_FNMA(own, c, sum)), c); // of -h
}

#define PADICI_OTHERS(load)                                                               \
    PADICI_ADD(PADICI_ADD(load(row->below[0]), load(row->above[0])),                      \
               PADICI_ADD(load(row->below[1]), load(row->above[1])))
#define PADICI_WHOLE_AT(p) PADICI_LOAD((p) + i)
#define PADICI_PART_AT(p) PADICI_PART_LOAD((p) + i, row->rest)

PADICI_TARGET PADICI_INLINE void PADICI_LK(euler_row)(PADICI_LK(row) *row)
{
    const float *at = row->at, *last = at + row->full * PADICI_LANES + row->rest - 2;
    const PADICI_V first = PADICI_LK(pair)(at[0], at[1]);
    const uint64_t end = row->full * PADICI_LANES;
    const PADICI_V tail = row->rest ? PADICI_LK(tail)(at + end, row->rest, at[0], at[1]) : first;
    PADICI_V before = PADICI_LK(pair)(last[0], last[1]), c = row->full ? PADICI_LOAD(at) : tail;
    const PADICI_V none = PADICI_NONE; // times infinity it is NaN
    PADICI_V bad = row->bad, x;
    uint64_t i;
    for (i = 0; i < end; i += PADICI_LANES) {
        const PADICI_V next = i + PADICI_LANES < end ? PADICI_LOAD(at + i + PADICI_LANES) : tail;
        x = PADICI_LK(euler_step)(row, c, PADICI_BEFORE(before, c), PADICI_AFTER(c, next),
                                  PADICI_OTHERS(PADICI_WHOLE_AT));
        PADICI_STORE(row->out + i, x);
        bad = PADICI_FMA(x, none, bad);
        before = c;
        c = next;
    }
    if (row->rest) {
        x = PADICI_LK(euler_step)(row, c, PADICI_BEFORE(before, c), PADICI_AFTER(c, first),
                                  PADICI_OTHERS(PADICI_PART_AT));
        PADICI_PART_STORE(row->out + i, row->rest, x);
        bad = PADICI_FMA(x, none, bad);
    }
    row->bad = bad;
}

PADICI_TARGET PADICI_INLINE void PADICI_LK(row_begin)(PADICI_LK(row) *row,
                                                      const padici_field_legacy_plane *p,
                                                      uint32_t power)
{
    row->full = 2 * p->count / PADICI_LANES;
    row->rest = (uint32_t)(2 * p->count % PADICI_LANES);
    row->half = power / 2;
    row->odd = power % 2;
    row->bad = PADICI_NONE;
}

PADICI_TARGET PADICI_INLINE void PADICI_LK(euler_of)(padici_field_legacy_plane *p, uint32_t power)
{
    PADICI_LK(row) row;
    float lanes[PADICI_LANES];
    uint64_t j;
    PADICI_LK(row_begin)(&row, p, power - 2);
    row.mass = PADICI_SET(p->mass + 6);
    row.lambda = PADICI_SET(p->lambda);
    row.turn = PADICI_LK(pair)(-p->dt, p->dt);
    for (j = p->first; j < p->end; j++) {
        const int64_t at = (int64_t)j * p->row;
        row.at = p->at + at;
        row.below[0] = p->below + at;
        row.above[0] = p->above + at;
        row.below[1] = p->at + (int64_t)((j ? j : p->rows) - 1) * p->row;
        row.above[1] = p->at + (int64_t)(j + 1 < p->rows ? j + 1 : 0) * p->row;
        row.out = p->out + (int64_t)j * p->out_row;
        PADICI_LK(euler_row)(&row);
    }
    PADICI_STORE(lanes, row.bad);
    for (j = 0; j < PADICI_LANES; j++) p->odd |= !(lanes[j] == 0);
}

PADICI_TARGET PADICI_FN void PADICI_LK(euler)(padici_field_legacy_plane *p)
{
    if (p->power == 3) PADICI_LK(euler_of)(p, 3);
    else if (p->power == 4) PADICI_LK(euler_of)(p, 4);
    else PADICI_LK(euler_of)(p, p->power);
}

// Four times the kinetic energy of one vector. Differences over one step, not two, count twice: at
// the ends of the row by `factor`, at those of the other axes where `edges` has 1 and 2.
PADICI_TARGET PADICI_INLINE void PADICI_LK(slopes)(PADICI_V *sum, PADICI_V slope, PADICI_V factor,
                                                   uint32_t edges, PADICI_V first,
                                                   PADICI_V second)
{
    slope = PADICI_MUL(slope, factor);
    if (edges & 1) first = PADICI_ADD(first, first);
    if (edges & 2) second = PADICI_ADD(second, second);
    sum[0] = PADICI_FMA(first, first, sum[0]);
    sum[1] = PADICI_FMA(second, second, sum[1]);
    sum[2] = PADICI_FMA(slope, slope, sum[2]);
}

// Norm and interaction of two vectors.
PADICI_TARGET PADICI_INLINE void PADICI_LK(squares)(const PADICI_LK(row) *row, PADICI_V *sum,
                                                    PADICI_V c, PADICI_V d)
{
    const PADICI_V re = PADICI_REAL_PARTS(c, d), im = PADICI_IMAGINARY_PARTS(c, d);
    const PADICI_V square = PADICI_FMA(re, re, PADICI_MUL(im, im));
    sum[3] = PADICI_ADD(sum[3], square);
    if (row->half == 1 && row->odd)
        sum[4] = PADICI_FMA(square, PADICI_LK(root)(square), sum[4]);
    else if (row->half == 2 && !row->odd)
        sum[4] = PADICI_FMA(square, square, sum[4]);
    else
        sum[4] = PADICI_ADD(sum[4], PADICI_LK(power)(square, row->half, row->odd));
}

#define PADICI_DIFFERENCE(load, a) PADICI_SUB(load(row->above[a]), load(row->below[a]))

PADICI_TARGET PADICI_INLINE void PADICI_LK(energy_row)(PADICI_LK(row) *row, uint32_t edges)
{
    const float *at = row->at, *last = at + row->full * PADICI_LANES + row->rest - 2;
    const PADICI_V final = PADICI_LK(pair)(last[0], last[1]), one = PADICI_SET(1);
    const uint64_t end = row->full * PADICI_LANES;
    const PADICI_V tail =
        row->rest ? PADICI_LK(tail)(at + end, row->rest, last[0], last[1]) : final;
    PADICI_V before = PADICI_LK(pair)(at[0], at[1]), c = row->full ? PADICI_LOAD(at) : tail;
    PADICI_V sum[5], factor = row->start; // in registers
    uint64_t i;
    uint32_t k;
    PADICI_UNROLL_ALL
    for (k = 0; k < 5; k++) sum[k] = row->sum[k];
    for (i = 0; i < end; i += PADICI_LANES) {
        const PADICI_V next = i + PADICI_LANES < end ? PADICI_LOAD(at + i + PADICI_LANES) : tail;
        if (i + PADICI_LANES == end && !row->rest) factor = PADICI_MUL(factor, row->stop);
        PADICI_LK(slopes)(sum, PADICI_SUB(PADICI_AFTER(c, next), PADICI_BEFORE(before, c)),
                          factor, edges, PADICI_DIFFERENCE(PADICI_WHOLE_AT, 0),
                          PADICI_DIFFERENCE(PADICI_WHOLE_AT, 1));
        if (i & PADICI_LANES) PADICI_LK(squares)(row, sum, before, c);
        factor = one;
        before = c;
        c = next;
    }
    if (row->rest) {
        float lanes[PADICI_LANES];
        if (!row->full) factor = row->start;
        PADICI_STORE(lanes, PADICI_SUB(PADICI_AFTER(c, final), PADICI_BEFORE(before, c)));
        PADICI_LK(slopes)(sum, PADICI_PART_LOAD(lanes, row->rest), PADICI_MUL(factor, row->stop),
                          edges, PADICI_DIFFERENCE(PADICI_PART_AT, 0),
                          PADICI_DIFFERENCE(PADICI_PART_AT, 1));
        c = PADICI_PART_LOAD(at + i, row->rest);
    } else {
        c = PADICI_NONE;
    }
    if (row->full & 1) PADICI_LK(squares)(row, sum, before, c);
    else if (row->rest) PADICI_LK(squares)(row, sum, PADICI_NONE, c);
    PADICI_UNROLL_ALL
    for (k = 0; k < 5; k++) row->sum[k] = sum[k];
}

PADICI_TARGET PADICI_INLINE void PADICI_LK(flush)(PADICI_LK(row) *row, double sum[3][16])
{
    float lanes[PADICI_LANES];
    uint32_t k, i;
    for (k = 0; k < 5; k++) {
        double *to = sum[k < 2 ? 0 : k - 2];
        PADICI_STORE(lanes, row->sum[k]);
        for (i = 0; i < PADICI_LANES; i++) to[i] += (double)lanes[i];
        row->sum[k] = PADICI_NONE;
    }
}

// Vectors with 2 at the first number of a row, at the last one, and else 1.
PADICI_TARGET PADICI_INLINE void PADICI_LK(energy_ends)(PADICI_LK(row) *row)
{
    const uint32_t end = row->rest ? row->rest : PADICI_LANES;
    float lanes[PADICI_LANES];
    uint32_t i;
    for (i = 0; i < PADICI_LANES; i++) lanes[i] = i < 2 ? 2 : 1;
    row->start = PADICI_LOAD(lanes);
    for (i = 0; i < PADICI_LANES; i++) lanes[i] = i + 2 == end || i + 1 == end ? 2 : 1;
    row->stop = PADICI_LOAD(lanes);
}

PADICI_TARGET PADICI_INLINE void PADICI_LK(energy_of)(padici_field_legacy_plane *p, uint32_t power)
{
    PADICI_LK(row) row;
    uint64_t j, since = 0;
    PADICI_LK(row_begin)(&row, p, power);
    PADICI_LK(energy_ends)(&row);
    for (j = 0; j < 5; j++) row.sum[j] = PADICI_NONE;
    for (j = p->first; j < p->end; j++) {
        const int64_t at = (int64_t)j * p->row;
        const uint32_t edges = (j && j + 1 < p->rows ? 0u : 2u) + p->edge;
        row.at = p->at + at;
        row.below[0] = p->below + at;
        row.above[0] = p->above + at;
        row.below[1] = j ? row.at - p->row : row.at;
        row.above[1] = j + 1 < p->rows ? row.at + p->row : row.at;
        if (edges) PADICI_LK(energy_row)(&row, edges);
        else PADICI_LK(energy_row)(&row, 0);
        since += row.full + (row.rest != 0);
        if (since < PADICI_FIELD_LEGACY_SUMMED && j + 1 < p->end) continue;
        PADICI_LK(flush)(&row, p->sum);
        since = 0;
    }
}

PADICI_TARGET PADICI_FN void PADICI_LK(energy)(padici_field_legacy_plane *p)
{
    if (p->power == 3) PADICI_LK(energy_of)(p, 3);
    else if (p->power == 4) PADICI_LK(energy_of)(p, 4);
    else PADICI_LK(energy_of)(p, p->power);
}

#endif
// room: src/made/field_level_end.h
#undef PADICI_OTHERS
#undef PADICI_WHOLE_AT
#undef PADICI_PART_AT
#undef PADICI_DIFFERENCE
#undef PADICI_TOP
#undef PADICI_TURNS
#undef PADICI_XOR
#undef PADICI_REALS
#undef PADICI_ODD
#undef PADICI_BITS
#undef PADICI_SHL
#undef PADICI_SHR
#undef PADICI_SIGNS
#undef PADICI_FAR
#undef PADICI_FLIP
#undef PADICI_HORNER
#undef PADICI_LARGEST
#undef PADICI_ROUNDER
#undef PADICI_TARGET
#undef PADICI_LANES
#undef PADICI_V
#undef PADICI_R
#undef PADICI_PART_LOAD
#undef PADICI_PART_STORE
#undef PADICI_SHIFT
#undef PADICI_BEFORE
#undef PADICI_AFTER
#undef PADICI_SWAP_PARTS
#undef PADICI_REAL_PARTS
#undef PADICI_IMAGINARY_PARTS
#undef PADICI_PART_MASK
#undef PADICI_MIDDLE
#undef PADICI_NONE
#undef PADICI_SET
#undef PADICI_LOAD
#undef PADICI_STORE
#undef PADICI_ADD
#undef PADICI_SUB
#undef PADICI_MUL
#undef PADICI_FMA
#undef PADICI_FNMA
// room: src/simd/per_level.in.h:81
#endif
#endif
#undef PADICI_ISA
#undef PADICI_ISA_LEVEL
// room: src/simd/padic_simd.in.h:143
#endif // PADICI_ISA
