// padic_simd_wave.h: superposition of waves, frames of it and its gradient, vortices, in f32
// vectors; observables, pixels, norms, slopes of the phase and charges of fields, in f64. Part of
// padic_simd.h, which includes it; of no use alone.
//
// Points go in tiles of up to 256 with a centre c and half a diagonal h. For each tile and source,
// with D = c - s, r0 = |D|, d = point - c, the first of these that keeps the tolerance (turns):
//
//     rows     far, and on a grid r to a row of points follows from that to the row before, by a
//              square of the way: each row is the one before times a factor, the factor is that
//              before times another; + 6e-7 + 0.193 m^3/(r0 - h)^2/lambda, m from the middle row to
//              the last; not PLUMMER
//     far      r/r0 and r0/r as series of u = (2 D.d + d.d)/r0^2 up to u^4, no root, no quotient:
//              tau + 3e-7 h/lambda + 5e-8, tau = 7/256 (r0/lambda) U^5/(1 - U) certified, U = 2h/r0
//              + (h/r0)^2, where 63/256 U^5/(1 - U) <= 1e-6, too
//     direct   x = D + d, k r, all in f32                   2.5e-7 (r0 + h)/lambda + 5e-8
//     mid      r - r0 = (2 D.d + d.d)/(r + r0), r0 in f64   3e-7 h/lambda + 5e-8, for r0 > 2h
//     wide     x, r, k r in f64                             4e-8
//
// each, but for direct, and 1e-15 (r0 + h)/lambda, which f64 leaves of k r; each, on a grid, and
// 6e-16 L/lambda, with L as in padic_wave.h, which it leaves of the points.
// Roots and quotients are estimates of the CPU, refined; sine and cosine are polynomials on half a
// turn (minimax: 5.9e-7, 4.7e-8). 64 sources are summed in f32, these sums in f64. Pairs that
// f32 takes for coincident are done again by the reference. Results depend on tiles only, not on
// workers. Of frames, each frequency's wave is summed so and kept in f32 for the tile; a frame sums
// 32 of them in f32, these sums in f64. The kernels stand here once and are compiled for each
// instruction set: this file includes itself.

#if defined(PADICI_SIMD_WAVE) && !defined(PADICI_SIMD_WAVE_BEGUN)
#define PADICI_SIMD_WAVE_BEGUN

#if defined(__GNUC__) && !defined(__clang__) && !defined(__OPTIMIZE__)
#pragma GCC diagnostic ignored "-Wsign-conversion" // in gcc's intrinsics, which then are macros
#endif

#include "simd/wave/kernels.c"
#include "simd/wave/tiles.c"
#include "simd/wave/ways.c"
#include "simd/wave/superpose.c"
#include "simd/wave/vortex.c"
#include "simd/wave/field_rows.c"
#include "simd/wave/field_grids.c"

#elif defined(PADICI_SIMD_WAVE_BEGUN) && defined(PADICI_ISA)

#include "simd/wave/words.c"
#include "simd/wave/superpose_words.c"
#include "simd/wave/gradient_words.c"
#include "simd/wave/vortex_words.c"
#include "simd/wave/fields.c"
#include "simd/wave/words_end.c"
#endif
