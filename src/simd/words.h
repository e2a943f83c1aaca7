#pragma once
#include "level.h"
#include "../core/platform.h"

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
