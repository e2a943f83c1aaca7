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

#include "simd/level.h"
#include "simd/words.h"
#include "simd/sample.c"
#include "simd/sparse.c"
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

#include "simd/backend.c"
#endif // PADIC_IMPLEMENTATION
