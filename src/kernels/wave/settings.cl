// settings.cl: tunables and constants of the waves: the driver sets PD_WAVE_..., the rest follows.

#ifndef PD_WAVE_WG
#define PD_WAVE_WG 64 // work-items of a tile; the driver chooses by the spacing of the points
#endif
#ifndef PD_WAVE_LISTED
#define PD_WAVE_LISTED 0 // 1: points come from memory, 0: from the grid
#endif
#ifndef PD_WAVE_KERNEL
#define PD_WAVE_KERNEL 0 // padic_wave_kernel
#endif
#ifndef PD_WAVE_SOFT
#define PD_WAVE_SOFT 0 // padic_wave_softening
#endif
#ifndef PD_WAVE_ABSORB
#define PD_WAVE_ABSORB 0
#endif
#ifndef PD_WAVE_FAST
#define PD_WAVE_FAST PD_IS_CUDA // 1: hardware sine and cosine; 0: polynomials
#endif
#ifndef PD_WAVE_MODE
#define PD_WAVE_MODE 0 // 1: a wave for each frequency, and frames of them; 2: gradient and field
#endif
#ifndef PD_WAVE_POINTS // per work-item: 8, 4 or 2
#if PD_WAVE_MODE == 2
#define PD_WAVE_POINTS 2
#else
#define PD_WAVE_POINTS 8
#endif
#endif
#define WAVE_POINTS ((pd_u32)PD_WAVE_POINTS)
#define WAVE_LOG (PD_WAVE_POINTS == 8 ? 3u : PD_WAVE_POINTS == 4 ? 2u : 1u)
#ifdef PD_WAVE_GROUPS
#define WAVE_GROUPS PD_WAVE_GROUPS
#elif PD_WAVE_MODE == 2
#define WAVE_GROUPS 4 // ptxas: 128 registers and more; a gradient has many sums
#else
#define WAVE_GROUPS 0 // as ptxas decides
#endif
#ifndef PD_WAVE_POLY // with hardware: how many points use polynomials where there is a root
#define PD_WAVE_POLY (PD_WAVE_POINTS / 4)
#endif
#ifndef PD_WAVE_POLY_MORE
#define PD_WAVE_POLY_MORE 1 // how many more at every second source of OPEN
#endif
#ifndef PD_WAVE_ROOT // 0: MIDDLE is used instead
#if PD_WAVE_MODE == 2 || (PD_WAVE_LISTED && !PD_IS_CUDA)
#define PD_WAVE_ROOT 0 // AMD's gfx90a would need more than 200 registers for points of a list
#else
#define PD_WAVE_ROOT 1
#endif
#endif
#ifndef PD_WAVE_POLY_ROOT
#define PD_WAVE_POLY_ROOT (PD_WAVE_POINTS / 8) // the same in ROOT
#endif
#ifndef PD_WAVE_TOGETHER // sources of OPEN in flight at once
#if PD_IS_CUDA && !defined(__HIP__) && !defined(__HIPCC__) && !defined(__HIPCC_RTC__)
#define PD_WAVE_TOGETHER 4
#else
#define PD_WAVE_TOGETHER 1
#endif
#endif
#ifndef PD_WAVE_ALIKE // 1: sources of OPEN with equal amplitudes omit it
#define PD_WAVE_ALIKE (PD_WAVE_TOGETHER > 1 && PD_WAVE_LISTED && PD_WAVE_MODE != 2 ? 1 : 0)
#endif
#ifndef PD_WAVE_SOME // with few pairs, how many of a point are in flight
#if PD_IS_CUDA
#define PD_WAVE_SOME 4
#else
#define PD_WAVE_SOME 1
#endif
#endif
#ifndef PD_WAVE_LINE // 1: there is a class for rows of a grid; how many sources of it at once
#if !PD_WAVE_LISTED && PD_WAVE_MODE != 2 && PD_WAVE_POINTS == 8 && PD_WAVE_KERNEL < 2 && \
    PD_WAVE_SOFT != 1 && PD_WAVE_SOFT != 4 && !PD_WAVE_ABSORB
#define PD_WAVE_LINE (PD_IS_CUDA ? 2 : 1)
#else
#define PD_WAVE_LINE 0
#endif
#endif
#ifndef PD_WAVE_POLY_LINE // points of a row that use polynomials; more at every second one
#define PD_WAVE_POLY_LINE 1
#endif
#ifndef PD_WAVE_POLY_LINE_MORE
#define PD_WAVE_POLY_LINE_MORE 0
#endif
#ifndef PD_WAVE_TOTALS // 1: sums of all blocks are in local memory, if that suffices
#if PD_IS_CUDA && PD_WAVE_MODE != 2 && !PD_WAVE_LISTED
#define PD_WAVE_TOTALS 1
#else
#define PD_WAVE_TOTALS 0
#endif
#endif

#define WAVE_WORDS 16u // per source in local memory

#if PD_WAVE_FAST
// Hardware takes radians and multiplies by 1/2pi, truncating. Measured on an H200: 2.6e-7 turns for
// each wavelength of h.
#define WAVE_UNIT 6.28318531f
#define WAVE_ERROR_SERIES 3.5e-7f
#define WAVE_ERROR_MIDDLE 4.5e-7f
#define WAVE_ERROR_DIRECT 5.5e-7f
#define WAVE_ERROR_PHASE 6e-8f
#else
#define WAVE_UNIT 1.0f
#define WAVE_ERROR_SERIES 3e-7f // turns for each wavelength of h
#define WAVE_ERROR_MIDDLE 4e-7f
#define WAVE_ERROR_DIRECT 4e-7f // turns for each wavelength of r0 + h
#define WAVE_ERROR_PHASE 5e-8f  // of t0
#endif
#define WAVE_ERROR_LINE 3.2e-7f  // turns for each wavelength of h
#define WAVE_ERROR_ALONG 2e-7f  // the same of half a row
#define WAVE_ERROR_ROOT 4e-8f   // turns for each wavelength of r0 + h, beyond those of MIDDLE
#define WAVE_ERROR_TWO 1.5e-14f // turns for each wavelength of r0: what two words leave
#define WAVE_ERROR_SUM 2e-14f  // turns for each wavelength of what a grid's points are summed of
#define WAVE_ERROR_PLACE 2.4e-7f // of h: the uncertainty of a point's position in DIRECT
#if PD_WAVE_KERNEL == 2
#define WAVE_SCALE 1.0f // phases are in turns until the last
#else
#define WAVE_SCALE WAVE_UNIT
#endif

#if PD_IS_C
#define WAVE_UNROLL
#define WAVE_ROLL
#define WAVE_SOME
#else
#define WAVE_UNROLL _Pragma("unroll")
#define WAVE_PRAGMA(text) _Pragma(#text)
#define WAVE_TIMES(n) WAVE_PRAGMA(unroll n)
#if PD_WAVE_KERNEL == 2
#define WAVE_SOME WAVE_ROLL
#else
#define WAVE_SOME WAVE_TIMES(PD_WAVE_SOME)
#endif
#define WAVE_ROLL _Pragma("unroll 1") // rare and long
#endif
#if PD_IS_CUDA && !defined(__HIP__) && !defined(__HIPCC__) && !defined(__HIPCC_RTC__)
#define WAVE_NVIDIA 1
#define WAVE_ALIGN __align__(16)
#else
#define WAVE_NVIDIA 0
#define WAVE_ALIGN
#endif

#define WAVE_OPEN 0u
#define WAVE_DIRECT 1u
#define WAVE_SERIES3 2u
#define WAVE_SERIES4 3u
#define WAVE_ROOT 4u
#define WAVE_MIDDLE 5u
#define WAVE_WIDE 6u
#define WAVE_LINE 7u
#define WAVE_NONE 8u
#if PD_WAVE_FAST // the whole turns of a phase, in its unit
#define WAVE_WHOLE(x) \
    ((PD_FMA(x, 1.0f / WAVE_UNIT, 12582912.0f) - 12582912.0f) * WAVE_UNIT)
#else
#define WAVE_WHOLE(x) PD_RINT(x)
#endif
#define WAVE_SERIES \
    (PD_WAVE_KERNEL != 2 && PD_WAVE_SOFT != 4 && !PD_WAVE_ABSORB && PD_WAVE_MODE != 2 && \
     !PD_WAVE_LINE)
#define WAVE_POLY_ROOT ((pd_u32)PD_WAVE_POLY_ROOT)
#define WAVE_POLY (!PD_WAVE_FAST ? 0u : PD_WAVE_MODE == 2 ? 1u : (pd_u32)PD_WAVE_POLY)
