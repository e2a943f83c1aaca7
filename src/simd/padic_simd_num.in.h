// padic_simd_num.h: the number loops of padic_num.h in vectors. Part of padic_simd.h, which
// includes it where padic_num.h was included before; of no use alone.
//
// The kernels stand here once, over the words PADICI_V... below, and are compiled for each
// instruction set: this file includes itself. A vector has PADICI_LANES lanes of 64 bits; units of
// 32 bits and valuations are widened when they are loaded. Residues modulo P < 2^49 are integers
// where the CPU multiplies 52-bit integers (IFMA), else doubles, whose fused multiply-add gives
// both halves of a product. Every kernel gives the bytes of the plain loop, or is not here.

#if defined(PADICI_SIMD_NUM) && !defined(PADICI_SIMD_NUM_BEGUN)
#define PADICI_SIMD_NUM_BEGUN

#if defined(__GNUC__) && !defined(__clang__) && !defined(__OPTIMIZE__)
#pragma GCC diagnostic ignored "-Wsign-conversion" // in gcc's intrinsics, which then are macros
#endif

#include "simd/num/calls.c"

#elif defined(PADICI_ISA)

#include "simd/num/words.c"
#include "simd/num/residues.c"
#include "simd/num/product.c"
#include "simd/num/floats.c"
#include "simd/num/valuation.c"
#include "simd/num/inverse.c"
#include "simd/num/horner.c"
#include "simd/num/sums.c"
#include "simd/num/series.c"
#include "simd/num/digits.c"
#include "simd/num/from_floats.c"
#include "simd/num/rational.c"
#include "simd/num/long.c"
#include "simd/num/systems.c"
#include "simd/num/tables.c"
#endif
