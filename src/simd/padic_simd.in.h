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
// @identity

// ================================================================================================
#if (defined(PADIC_IMPLEMENTATION) || defined(PADIC_IMPLEMENT_SIMD)) && \
    !defined(PADIC_SIMD_IMPLEMENTED)
#define PADIC_SIMD_IMPLEMENTED

// @system
#include "level.h"
#include "words.h"
#include "sample.h"
#include "sparse.h"
#include "num/calls.h"
#include "codec/all.h"
#include "codec/transforms.h"
#include "codec/stretches.h"
#include "codec/avx512.h"
#include "codec/pack_avx512.h"
#include "codec/vbmi.h"
#include "codec/blocks_vbmi.h"
#include "wave/kernels.h"
#include "wave/tiles.h"
#include "wave/ways.h"
#include "wave/superpose.h"
#include "wave/vortex.h"
#include "wave/field_rows.h"
#include "wave/field_grids.h"
#include "tensor/kernels.h"
#include "tensor/gemm.h"
#include "tensor/factor.h"
#include "fft/kernels.h"
#include "field/kernels.h"
#include "field/run.h"
#include "rnn/kernels.h"
#include "rollout/kernels.h"
#include "pq/kernels.h"
#include "levels.h"
#include "levels.c"
#include "sample.c"
#include "sparse.c"
#include "backend.c"
#include "num/calls.c"
#include "codec/all.c"
#include "codec/transforms.c"
#include "codec/stretches.c"
#include "codec/pack_avx512.c"
#include "codec/vbmi.c"
#include "codec/blocks_vbmi.c"
#include "wave/kernels.c"
#include "wave/tiles.c"
#include "wave/ways.c"
#include "wave/superpose.c"
#include "wave/vortex.c"
#include "wave/field_rows.c"
#include "wave/field_grids.c"
#include "tensor/kernels.c"
#include "tensor/gemm.c"
#include "tensor/turns.c"
#include "tensor/factor.c"
#include "fft/kernels.c"
#include "field/run.c"
#include "rnn/kernels.c"
#include "rollout/kernels.c"
#include "pq/rows.c"
#include "pq/kernels.c"

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
#include "per_level.in.h"
#endif // PADICI_ISA
