#pragma once
#include "../api.h"
#include "parts.h"

// ----------------------------------------------------------------------------------- >>platform

#include <float.h>

#include <math.h>

#include <string.h>

#include <time.h>

#ifndef PADIC_NO_MALLOC
#include <stdlib.h>
#endif

// Lossless transforms are checked by recomputing floats, so both sides must round each operation
// once.
#if defined(__FAST_MATH__) || defined(_M_FP_FAST)
#error "padic.h: compile the implementation without -ffast-math (/fp:fast)"
#endif

#if defined(FLT_EVAL_METHOD)
#if FLT_EVAL_METHOD == 2 || FLT_EVAL_METHOD < 0
#error "padic.h: the x87 unit rounds twice; compile with -msse2 -mfpmath=sse"
#endif
#endif

#if defined(_MSC_VER) && !defined(__clang__)
#include <intrin.h>
#endif

#if defined(__GNUC__) || defined(__clang__)
#define PADICI_UNUSED __attribute__((unused))
#define PADICI_NOINLINE __attribute__((noinline)) // a frame of its own
#ifdef __OPTIMIZE__ // else a frame would hold the locals of every copy
#define PADICI_INLINE static inline __attribute__((always_inline, unused))
#else
#define PADICI_INLINE static inline __attribute__((unused))
#endif
#define PADICI_LIKELY(x) __builtin_expect(!!(x), 1)
#define PADICI_UNLIKELY(x) __builtin_expect(!!(x), 0)
#elif defined(_MSC_VER)
#define PADICI_UNUSED
#define PADICI_NOINLINE __declspec(noinline)
#define PADICI_INLINE static __forceinline
#define PADICI_LIKELY(x) (x)
#define PADICI_UNLIKELY(x) (x)
#else
#define PADICI_UNUSED
#define PADICI_NOINLINE
#define PADICI_INLINE static inline
#define PADICI_LIKELY(x) (x)
#define PADICI_UNLIKELY(x) (x)
#endif

#if defined(__BYTE_ORDER__) && defined(__ORDER_BIG_ENDIAN__)
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
#define PADICI_BIG_ENDIAN 1
#else
#define PADICI_BIG_ENDIAN 0
#endif
#elif defined(__BIG_ENDIAN__) || defined(__ARMEB__) || defined(__MIPSEB__) || defined(__sparc)
#define PADICI_BIG_ENDIAN 1
#else
#define PADICI_BIG_ENDIAN 0
#endif

#if defined(__SIZEOF_INT128__) && !defined(PADIC_NO_INT128)
#define PADICI_INT128 1
__extension__ typedef unsigned __int128 padici_u128; // -Wpedantic refuses it without the word
#else
#define PADICI_INT128 0
#endif
