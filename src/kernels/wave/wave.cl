// program: wave
// wave.cl: superposition of point sources on listed points and on implicit grids, frames of it,
// and its gradient.
// variant: PD_WAVE_LISTED=0
// variant: PD_WAVE_LISTED=1
// variant: PD_WAVE_LISTED=0 PD_WAVE_WG=32
// variant: PD_WAVE_LISTED=0 PD_WAVE_KERNEL=2 PD_WAVE_ABSORB=1
// variant: PD_WAVE_LISTED=1 PD_WAVE_SOFT=3
// variant: PD_WAVE_LISTED=0 PD_WAVE_KERNEL=4 PD_WAVE_SOFT=4
// variant: PD_WAVE_LISTED=0 PD_WAVE_MODE=1
// variant: PD_WAVE_LISTED=1 PD_WAVE_MODE=1 PD_WAVE_WG=128
// variant: PD_WAVE_LISTED=1 PD_WAVE_MODE=1 PD_WAVE_POINTS=2
// variant: PD_WAVE_LISTED=0 PD_WAVE_MODE=2
// variant: PD_WAVE_LISTED=1 PD_WAVE_MODE=2
// variant: PD_WAVE_LISTED=1 PD_WAVE_MODE=2 PD_WAVE_SOFT=3 PD_WAVE_ABSORB=1
// variant: PD_WAVE_LISTED=0 PD_WAVE_MODE=2 PD_WAVE_KERNEL=4 PD_WAVE_SOFT=1
// variant: PD_WAVE_LISTED=1 PD_WAVE_MODE=2 PD_WAVE_KERNEL=2
//
// Points are cut into tiles with centre c and radius h, one tile a group. For a tile and a source
// the distance r0 = |c - s| and the phase at c are found in two-word arithmetic (about 46 bits);
// only the small rest differs from point to point and is f32. With d = point - c, D = c - s:
//
//     u = (2 D.d + d.d)/r0^2      r - r0 = r0 (u/2 - u^2/8 + u^3/16 - 5u^4/128 + ...)
//     r0/r = 1 - u/2 + 3u^2/8 - 5u^3/16 + 35u^4/128 - ...    phase = t0 + (k/2pi)(r - r0) [turns]
//
// The classes of a (tile, source), the first that passes:
//
//     LINE               of grids: a root for each row of points, polynomials along it
//     SERIES3, SERIES4   without LINE: both series to u^3 and u^2, or u^4: no root, no division
//     DIRECT             x = D + d, one root, k r in f32
//     OPEN               the same, where no point need be looked at by itself
//     ROOT               one root, and what it is off by, for r - r0
//     MIDDLE             exact quotient for r - r0
//     WIDE               position, distance and k r in two words
//
// and each states its largest phase error, of which every tile reports the maximum. The truncation
// of the series is certified: the coefficients fall, so with U = 2h/r0 + (h/r0)^2 the tail after
// u^n is at most the next coefficient times U^(n+1)/(1-U). Along a row, x = half of it over the
// distance, 1/r is a sum of x^n P_n and r one of x^n (P_(n-2) - P_n)/(2n-1), P Legendre's: what is
// left after x^3 is at most x^4/(1-x), and for r 0.16 x^4. The rounding constants below are maxima
// measured over random pairs (tests/wave/test_wave.c), with margin.

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
#ifndef PD_WAVE_POINTS // of a work-item: 8, 4 or 2
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
#define WAVE_GROUPS 0 // as many as ptxas likes
#endif
#ifndef PD_WAVE_POLY // with hardware: so many points take polynomials where there is a root
#define PD_WAVE_POLY (PD_WAVE_POINTS / 4)
#endif
#ifndef PD_WAVE_POLY_MORE
#define PD_WAVE_POLY_MORE 1 // so many more at every second source of OPEN
#endif
#ifndef PD_WAVE_ROOT // 0: MIDDLE is taken instead
#if PD_WAVE_MODE == 2 || (PD_WAVE_LISTED && !PD_IS_CUDA)
#define PD_WAVE_ROOT 0 // AMD's gfx90a would need more than 200 registers for points of a list
#else
#define PD_WAVE_ROOT 1
#endif
#endif
#ifndef PD_WAVE_POLY_ROOT
#define PD_WAVE_POLY_ROOT (PD_WAVE_POINTS / 8) // the same in ROOT
#endif
#ifndef PD_WAVE_TOGETHER // sources of OPEN that are under way at once
#if PD_IS_CUDA && !defined(__HIP__) && !defined(__HIPCC__) && !defined(__HIPCC_RTC__)
#define PD_WAVE_TOGETHER 4
#else
#define PD_WAVE_TOGETHER 1
#endif
#endif
#ifndef PD_WAVE_ALIKE // 1: sources of OPEN that have one amplitude are done without it
#define PD_WAVE_ALIKE (PD_WAVE_TOGETHER > 1 && PD_WAVE_LISTED && PD_WAVE_MODE != 2 ? 1 : 0)
#endif
#ifndef PD_WAVE_SOME // with few pairs, so many of a point are under way
#if PD_IS_CUDA
#define PD_WAVE_SOME 4
#else
#define PD_WAVE_SOME 1
#endif
#endif
#ifndef PD_WAVE_LINE // 1: there is a class for rows of a grid; so many sources of it at once
#if !PD_WAVE_LISTED && PD_WAVE_MODE != 2 && PD_WAVE_POINTS == 8 && PD_WAVE_KERNEL < 2 && \
    PD_WAVE_SOFT != 1 && PD_WAVE_SOFT != 4 && !PD_WAVE_ABSORB
#define PD_WAVE_LINE (PD_IS_CUDA ? 2 : 1)
#else
#define PD_WAVE_LINE 0
#endif
#endif
#ifndef PD_WAVE_POLY_LINE // points of a row that take polynomials; so many more at every second one
#define PD_WAVE_POLY_LINE 1
#endif
#ifndef PD_WAVE_POLY_LINE_MORE
#define PD_WAVE_POLY_LINE_MORE 0
#endif
#ifndef PD_WAVE_TOTALS // 1: sums of all blocks are in local memory, of which there is enough
#if PD_IS_CUDA && PD_WAVE_MODE != 2 && !PD_WAVE_LISTED
#define PD_WAVE_TOTALS 1
#else
#define PD_WAVE_TOTALS 0
#endif
#endif
#if PD_WAVE_TOTALS
#define WAVE_TOTAL_RE(p) totals[(p) * PD_WAVE_WG + l]
#define WAVE_TOTAL_IM(p) totals[((p) + WAVE_POINTS) * PD_WAVE_WG + l]
#else
#define WAVE_TOTAL_RE(p) total.re[p]
#define WAVE_TOTAL_IM(p) total.im[p]
#endif
#define WAVE_WORDS 16u // of a source in local memory

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
#define WAVE_ERROR_PLACE 2.4e-7f // of h: where DIRECT believes a point to be
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

// Squared distances are normal numbers here or of no consequence, so no test for subnormals.
PD_FN pd_f32 wave_rsqrt(pd_f32 x)
{
#if WAVE_NVIDIA
    pd_f32 y;
    asm("rsqrt.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
    return y;
#else
    return PD_RSQRT(x);
#endif
}

PD_FN pd_f32 wave_divide(pd_f32 a, pd_f32 b)
{
#if WAVE_NVIDIA
    pd_f32 y;
    asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(b));
    return a * y;
#else
    return a / b;
#endif
}

typedef struct {
    pd_f32 re, im;
} wave_complex;

typedef struct {
    pd_f32 re, im, size; // size (re + i im)
} wave_phasor;

// Cosine and sine of a phase in turns or, with hardware, radians, but for the sign of both, whose
// bit is added to *sign. The polynomials (minimax on a quarter turn either side) are right to
// 4.7e-8 and 1.2e-8, in radians 3.4e-9.
PD_FN wave_complex wave_unsigned(pd_f32 phase, pd_u32 *sign)
{
    wave_complex z;
    const pd_f32 shifted = PD_FMA(phase, 2.0f / WAVE_UNIT, 12582912.0f); // half turns: low bits
    const pd_f32 f = PD_FMA(shifted - 12582912.0f, -0.5f * WAVE_UNIT, phase), g = f * f;
#if PD_WAVE_FAST
    pd_f32 c = PD_FMA(2.31539317e-5f, g, -1.38537043e-3f);
    pd_f32 s = PD_FMA(2.59048850e-6f, g, -1.98008978e-4f);
    c = PD_FMA(c, g, 4.16635847e-2f);
    s = PD_FMA(s, g, 8.33289982e-3f);
    c = PD_FMA(c, g, -0.499999053f);
    s = PD_FMA(s, g, -0.166666476f);
    c = PD_FMA(c, g, 0.9999999535f);
    s = PD_FMA(s, g, 0.999999977f);
#else
    pd_f32 c = PD_FMA(56.24238045f, g, -85.24033046f), s = PD_FMA(39.53886012f, g, -76.55010678f);
    c = PD_FMA(c, g, 64.93459064f);
    s = PD_FMA(s, g, 81.60102085f);
    c = PD_FMA(c, g, -19.73917143f);
    s = PD_FMA(s, g, -41.34165537f);
    c = PD_FMA(c, g, 0.9999999535f);
    s = PD_FMA(s, g, 6.283185162f);
#endif
    *sign += PD_AS_U32(shifted) << 31;
    z.re = c;
    z.im = s * f;
    return z;
}

PD_FN wave_complex wave_polynomials(pd_f32 phase)
{
    pd_u32 sign = 0u;
    wave_complex z = wave_unsigned(phase, &sign);
    z.re = PD_AS_F32(PD_AS_U32(z.re) ^ sign);
    z.im = PD_AS_F32(PD_AS_U32(z.im) ^ sign);
    return z;
}

PD_FN wave_complex wave_turn(pd_f32 phase)
{
#if PD_WAVE_FAST
    wave_complex z;
    z.re = PD_FAST_COS(phase);
    z.im = PD_FAST_SIN(phase);
    return z;
#else
    return wave_polynomials(phase);
#endif
}

// The root, for a normal positive number.
PD_FN pd_two wave_root(pd_two a)
{
    const pd_f32 r = PD_SQRT(a.hi), e = PD_FMA(-r, r, a.hi) + a.lo;
    return pd_two_of(r, e * wave_divide(0.5f, r));
}

// The same of any square, to one word where the second has no room.
PD_FN pd_two wave_distance(pd_two a)
{
    return (a.hi > 1e-36f) ? wave_root(a) : pd_two_raw(PD_SQRT(a.hi), 0.0f);
}

// A short way, whose squares would be lost, 2^60 times as long; back again: a square below the
// smallest normal number is 0.
#if PD_WAVE_SOFT == 2
#define WAVE_SMALL(x, y, z, small) small = 0u;
#else
#define WAVE_SMALL(x, y, z, small)                                                              \
    small = (PD_FABS(x.hi) < 1e-15f && PD_FABS(y.hi) < 1e-15f && PD_FABS(z.hi) < 1e-15f) ? 1u   \
                                                                                         : 0u;  \
    if (small) {                                                                                \
        x = pd_two_raw(x.hi * 1.15292150e18f, x.lo * 1.15292150e18f);                           \
        y = pd_two_raw(y.hi * 1.15292150e18f, y.lo * 1.15292150e18f);                           \
        z = pd_two_raw(z.hi * 1.15292150e18f, z.lo * 1.15292150e18f);                           \
    }
#endif
#define WAVE_SMALL_BACK(r2, r, small)                                                           \
    if (small) {                                                                                \
        r2.hi = (r2.hi < 0.015625f) ? 0.0f : r2.hi * 7.52316385e-37f; /* 2^-126, 2^-120 */      \
        r = pd_two_raw(r.hi * 8.67361738e-19f, r.lo * 8.67361738e-19f);                         \
    }

// Without whole turns: in [-1/2, 1/2].
PD_FN pd_f32 wave_fraction(pd_two a)
{
    const pd_f32 f = a.hi - PD_RINT(a.hi), g = f + (a.lo - PD_RINT(a.lo));
    return g - PD_RINT(g);
}

// The same, two words.
PD_FN pd_two wave_reduce(pd_two a)
{
    return pd_two_sum(a.hi - PD_RINT(a.hi), a.lo - PD_RINT(a.lo));
}

#if PD_WAVE_MODE == 1
#define WAVE_ROW(i) order[kept[21] + (i)] // rows by frequency
#else
#define WAVE_ROW(i) (i)
#endif

typedef struct {
    pd_u32 count, dimensions, wide; // bits of `wide`: position, A, p, k, w, absorption are f64
    pd_u32 present;                 // the same bits
    pd_u32 base[6], step[6];        // in words, one for each tensor; step of two's complement
    pd_u32 step_axis;
    pd_f32 time_hi, time_lo;     // t/2pi, negated when outgoing
    pd_f32 late[4];              // the same to 96 bits, without frequencies c t/2pi
    pd_f32 speed_hi, speed_lo;   // c
    pd_f32 inverse_hi, inverse_lo; // 1/c
    pd_u32 order_base;             // in words
    // Of padic_k_wave_small only: listed points and their output, as of padic_k_wave_field_params;
    // 2^split items have a point.
    pd_u32 points, split, list_base, list_step, list_axis, list_wide, list_dimensions;
    pd_u32 out_base, out_step, emit;
    pd_f32 tolerance, length;
} padic_k_wave_sources_params;

// k/2pi, and phase in turns; amplitude with the kernel's constant, absorption, what w t may be
// wrong by (turns).
typedef struct {
    pd_two x, y, z, number, turns;
    pd_f32 a, b, error;
} wave_source;

// The words of a number that a source has of a tensor, 0 where there is no tensor. All are asked
// for before one is looked at: no time passes between them then.
PD_FN pd_u32 wave_word(PD_GPTR(const pd_u32) from, pd_u32 at, pd_u32 there)
{
    return there ? from[at] : 0u;
}

// Adds a b, exactly and without whole turns.
PD_FN pd_two wave_late_add(pd_two sum, pd_f32 a, pd_f32 b)
{
    const pd_f32 p = a * b, e = PD_FMA(a, b, -p);
    return pd_two_add(sum, pd_two_sum(p - PD_RINT(p), e - PD_RINT(e)));
}

// A number of these words times t0 + t1 + t2 + t3, 24 bits each, without whole turns: to 46 bits of
// a turn up to 2^48 turns. What is too small or too large for words is wrong by `error` of it.
PD_FN pd_two wave_late(pd_u32 low, pd_u32 high, pd_u32 wide, pd_f32 t0, pd_f32 t1, pd_f32 t2,
                       pd_f32 t3, pd_f32 *error)
{
    const pd_two whole = pd_two_words(low, high, wide);
    const pd_u32 e = (high >> 20) & 2047u;
    pd_f32 a = whole.hi, b = 0.0f, c = 0.0f;
    pd_two sum = pd_two_raw(0.0f, 0.0f);
    *error = 1e-27f;
    if (wide && e > 949u && e < 1151u) { // 24, 24 and 5 bits
        const pd_f32 unit = PD_AS_F32((high & 0x80000000u) | ((e - 948u) << 23));
        a = PD_AS_F32((high & 0x80000000u) | ((high & 0xfffffu) << 3) | (low >> 29) |
                      ((e - 896u) << 23));
        b = (pd_f32)(low & 0x1fffffe0u) * unit;
        c = (pd_f32)(low & 31u) * unit;
    } else if (wide) {
        *error = 6e-8f;
    }
    sum = wave_late_add(sum, a, t0);
    sum = wave_late_add(sum, a, t1);
    sum = wave_late_add(sum, a, t2);
    sum = wave_late_add(sum, a, t3);
    sum = wave_late_add(sum, b, t0);
    sum = wave_late_add(sum, b, t1);
    sum = wave_late_add(sum, b, t2);
    sum = wave_late_add(sum, c, t0);
    sum = wave_late_add(sum, c, t1);
    return wave_reduce(sum);
}

PD_FN wave_source wave_source_of(PD_GPTR(const pd_u32) position, PD_GPTR(const pd_u32) amplitude,
                                 PD_GPTR(const pd_u32) phase, PD_GPTR(const pd_u32) wavenumber,
                                 PD_GPTR(const pd_u32) frequency,
                                 PD_GPTR(const pd_u32) absorption, pd_u32 m,
                                 padic_k_wave_sources_params k)
{
    const pd_u32 wide = k.wide & 1u, both = k.wide & k.present, at0 = k.base[0] + m * k.step[0];
    const pd_u32 at1 = k.base[1] + m * k.step[1], at2 = k.base[2] + m * k.step[2];
    const pd_u32 at3 = k.base[3] + m * k.step[3], at4 = k.base[4] + m * k.step[4];
    const pd_u32 at5 = k.base[5] + m * k.step[5];
    const pd_u32 y = (k.dimensions > 1u) ? 1u : 0u, z = (k.dimensions > 2u) ? 1u : 0u;
    const pd_u32 x0 = wave_word(position, at0, k.dimensions);
    const pd_u32 y0 = wave_word(position, at0 + k.step_axis, y);
    const pd_u32 z0 = wave_word(position, at0 + 2u * k.step_axis, z);
    const pd_u32 a0 = wave_word(amplitude, at1, k.present & 2u);
    const pd_u32 p0 = wave_word(phase, at2, k.present & 4u);
    const pd_u32 k0 = wave_word(wavenumber, at3, k.present & 8u);
    const pd_u32 w0 = wave_word(frequency, at4, k.present & 16u);
    const pd_u32 b0 = wave_word(absorption, at5, k.present & 32u);
    const pd_u32 x1 = wave_word(position, at0 + 1u, wide);
    const pd_u32 y1 = wave_word(position, at0 + k.step_axis + 1u, wide & y);
    const pd_u32 z1 = wave_word(position, at0 + 2u * k.step_axis + 1u, wide & z);
    const pd_u32 a1 = wave_word(amplitude, at1 + 1u, both & 2u);
    const pd_u32 p1 = wave_word(phase, at2 + 1u, both & 4u);
    const pd_u32 k1 = wave_word(wavenumber, at3 + 1u, both & 8u);
    const pd_u32 w1 = wave_word(frequency, at4 + 1u, both & 16u);
    const pd_u32 b1 = wave_word(absorption, at5 + 1u, both & 32u);
    const pd_two over = pd_two_raw(0.159154937f, 6.42063833e-9f); // 1/2pi
    wave_source s;
    pd_two rate;
    s.x = pd_two_words(x0, x1, wide);
    s.y = pd_two_words(y0, y1, wide);
    s.z = pd_two_words(z0, z1, wide);
    s.a = (k.present & 2u) ? pd_two_words(a0, a1, both & 2u).hi : 1.0f;
    s.b = pd_two_words(b0, b1, both & 32u).hi;
    s.number = pd_two_words(k0, k1, both & 8u);
    rate = pd_two_words(w0, w1, both & 16u);
    if (!(k.present & 8u)) s.number = pd_two_mul(rate, pd_two_raw(k.inverse_hi, k.inverse_lo));
    if (!(k.present & 16u)) rate = pd_two_mul(s.number, pd_two_raw(k.speed_hi, k.speed_lo));
    s.number = pd_two_mul(s.number, over);
    s.turns = pd_two_mul(pd_two_words(p0, p1, both & 4u), over);
    rate = pd_two_mul(rate, pd_two_raw(k.time_hi, k.time_lo));
    s.error = 4e-14f * (PD_FABS(rate.hi) + PD_FABS(s.turns.hi));
    if (s.error > 4e-11f) { // late: more words
        const pd_u32 of = (k.present & 16u) ? 16u : 8u;
        const pd_f32 much = PD_FABS(rate.hi), more = PD_FABS(s.turns.hi);
        pd_f32 left;
        rate = wave_late((of == 16u) ? w0 : k0, (of == 16u) ? w1 : k1, both & of, k.late[0],
                         k.late[1], k.late[2], k.late[3], &left);
        s.error = left * much;
        s.turns = wave_late(p0, p1, both & 4u, 1.591549367e-01f, 6.420638243e-09f, 7.342738037e-17f,
                            8.135948500e-24f, &left);
        s.error = PD_FMA(left, more, s.error);
    }
    s.turns = pd_two_add(wave_reduce(rate), wave_reduce(s.turns));
#if PD_WAVE_KERNEL == 1
    s.a *= 0.0795774715f; // 1/4pi
#elif PD_WAVE_KERNEL == 2
    s.a *= 0.25f; // i/4, -i/4 for k < 0
    s.turns = pd_two_add(s.turns, pd_two_of((s.number.hi < 0.0f) ? -0.25f : 0.25f, 0.0f));
#elif PD_WAVE_KERNEL == 3
    s.a *= 0.0795774715f / s.number.hi; // i/2k
    s.turns = pd_two_add(s.turns, pd_two_of(0.25f, 0.0f));
#endif
    s.turns = wave_reduce(s.turns);
    return s;
}

// Params that are wanted late, in local memory: scalar registers are short on some chips.
PD_FN void wave_keep(padic_k_wave_sources_params k, PD_LPTR(pd_u32) kept)
{
    kept[0] = k.base[0];
    kept[1] = k.base[1];
    kept[2] = k.base[2];
    kept[3] = k.base[3];
    kept[4] = k.base[4];
    kept[5] = k.base[5];
    kept[6] = k.step[0];
    kept[7] = k.step[1];
    kept[8] = k.step[2];
    kept[9] = k.step[3];
    kept[10] = k.step[4];
    kept[11] = k.step[5];
    kept[12] = k.step_axis;
    kept[13] = k.wide;
    kept[14] = k.dimensions;
    kept[15] = PD_AS_U32(k.time_hi);
    kept[16] = PD_AS_U32(k.time_lo);
    kept[17] = PD_AS_U32(k.speed_hi);
    kept[18] = PD_AS_U32(k.speed_lo);
    kept[19] = PD_AS_U32(k.inverse_hi);
    kept[20] = PD_AS_U32(k.inverse_lo);
    kept[21] = k.order_base;
    kept[27] = PD_AS_U32(k.late[0]);
    kept[28] = PD_AS_U32(k.late[1]);
    kept[29] = PD_AS_U32(k.late[2]);
    kept[30] = PD_AS_U32(k.late[3]);
}

// The params with those from there.
PD_FN padic_k_wave_sources_params wave_keeps(padic_k_wave_sources_params k,
                                             PD_LPTR(const pd_u32) kept)
{
    padic_k_wave_sources_params own = k;
    WAVE_UNROLL
    for (pd_u32 j = 0u; j < 6u; j++) {
        own.base[j] = kept[j];
        own.step[j] = kept[6u + j];
    }
    own.step_axis = kept[12];
    own.wide = kept[13];
    own.dimensions = kept[14];
    own.time_hi = PD_AS_F32(kept[15]);
    own.time_lo = PD_AS_F32(kept[16]);
    own.speed_hi = PD_AS_F32(kept[17]);
    own.speed_lo = PD_AS_F32(kept[18]);
    own.inverse_hi = PD_AS_F32(kept[19]);
    own.inverse_lo = PD_AS_F32(kept[20]);
    own.order_base = kept[21];
    own.late[0] = PD_AS_F32(kept[27]);
    own.late[1] = PD_AS_F32(kept[28]);
    own.late[2] = PD_AS_F32(kept[29]);
    own.late[3] = PD_AS_F32(kept[30]);
    return own;
}

// 13 words a source, all first words first: position (3 x 2), k/2pi (2), phase in turns (2),
// amplitude, absorption, error.
PD_KERNEL(padic_k_wave_sources)
(PD_CBUF(pd_u32, position), PD_CBUF(pd_u32, amplitude), PD_CBUF(pd_u32, phase),
 PD_CBUF(pd_u32, wavenumber), PD_CBUF(pd_u32, frequency), PD_CBUF(pd_u32, absorption),
 PD_CBUF(pd_u32, order), PD_BUF(pd_f32, record), PD_PARAMS(padic_k_wave_sources_params, k))
{
    PD_LOCAL pd_u32 kept[32];
    if (PD_LID == 0u) wave_keep(k, kept);
    PD_BARRIER();
    for (pd_u32 i = PD_GID; i < k.count; i += PD_NGRP * (pd_u32)PD_WG) {
        const pd_u32 n = k.count;
        const wave_source s = wave_source_of(position, amplitude, phase, wavenumber, frequency,
                                             absorption, WAVE_ROW(i), wave_keeps(k, kept));
        record[i] = s.x.hi;
        record[n + i] = s.x.lo;
        record[2u * n + i] = s.y.hi;
        record[3u * n + i] = s.y.lo;
        record[4u * n + i] = s.z.hi;
        record[5u * n + i] = s.z.lo;
        record[6u * n + i] = s.number.hi;
        record[7u * n + i] = s.number.lo;
        record[8u * n + i] = s.turns.hi;
        record[9u * n + i] = s.turns.lo;
        record[10u * n + i] = s.a;
        record[11u * n + i] = s.b;
        record[12u * n + i] = s.error;
    }
    (void)order;
}

typedef struct {
    pd_u32 points, sources, tile; // of the field; number of the first tile of this launch
    pd_u32 list_base, list_step, list_axis, list_wide, list_dimensions; // listed points, in words
    pd_u32 count[3], tiles[3], log[3]; // axes of the grid, the fastest first; work-items of a tile
    pd_f32 origin[6], step[18];        // two words each: axis 0 x, y, z, axis 1, ...
    pd_f32 radius;                     // of a tile of the grid
    pd_f32 tolerance, length;          // a
    pd_u32 out_base, out_step[3], out_last; // elements; the last axis of RGBA8
    pd_u32 emit;                            // padic_wave_emit | flags below << 8
    pd_u32 tone;                            // value | curve << 8 | map << 16
    pd_u32 nan_colour;
    pd_f32 low, high, scale; // of the tone; 1/(high - low) or 1/log(1 + high/low)
    pd_u32 groups, share;    // frequencies; how many of them a group of items does
    pd_u32 slope_base, slope_step[3], slope_axis, components; // elements, of the gradient
    pd_f32 place; // what the points of a grid are summed of, at most
} padic_k_wave_field_params;

#define WAVE_CONJUGATE 256u
#define WAVE_ACCUMULATE 512u
#define WAVE_FIELD 1024u // with a gradient: the field is wanted, too

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
#define WAVE_POLY_ROOT ((pd_u32)PD_WAVE_POLY_ROOT)
#define WAVE_POLY (!PD_WAVE_FAST ? 0u : PD_WAVE_MODE == 2 ? 1u : (pd_u32)PD_WAVE_POLY)

#if PD_WAVE_KERNEL == 2
// J0(x) and Y0(x) - 2/pi log(x) J0(x), then J1(x)/x and (Y1(x) - 2/pi (log(x) J1(x) - 1/x))/x, on
// [0, 8]: polynomials of x^2/32 - 1, highest power first.
PD_TABLE pd_f32 wave_bessel[44] = {
    3.899438026e-5f, -7.384693233e-5f, -0.0004510586825f, 0.000820872886f, 0.004057436383f,
    -0.007024444437f, -0.02846519262f, 0.04635230599f, 0.1459892177f, -0.2189582158f,
    -0.5074713415f, 0.6721835341f, 1.038379364f, -1.077547538f, -0.8080882188f,
    0.1441251701f, -0.6484692736f, 1.64709646f, 0.9303012178f, -0.8284358326f,
    0.04582966471f, -0.3822506542f,
    1.887812485e-06f, -3.640601626e-06f, -2.437628098e-05f, 4.533197966e-05f, 0.0002494727766f,
    -0.0004437727383f, -0.002028708483f, 0.003421832085f, 0.0124568257f, -0.01962877998f,
    -0.05474596314f, 0.0785481576f, 0.1585837617f, -0.1963983932f, -0.2595948394f,
    0.2350720405f, 0.1515166517f, 0.02336757126f, 0.08105865909f, -0.2433774282f,
    -0.05814382796f, 0.07075985883f};

// H0(2pi x) or, with `one` (a literal), H1: above 8 modulus and phase (Abramowitz and Stegun
// 9.2.28, fitted: H1 is right to 3.5e-7 of it), below polynomials; `phase` is x in turns plus the
// source's.
PD_FN wave_complex wave_hankel(pd_u32 one, pd_f32 turns, pd_f32 sign, pd_f32 phase, pd_f32 source)
{
    const pd_f32 x = 6.28318531f * turns;
    wave_complex h, z;
    if (x >= 8.0f) {
        const pd_f32 i = 8.0f / x, g = i * i, y = PD_RSQRT(x);
        pd_f32 m = PD_FMA(-1.248578755e-6f, g, 1.993959155e-5f);
        pd_f32 e = PD_FMA(6.922066819e-7f, g, -7.978982192e-6f);
        if (one) {
            m = PD_FMA(PD_FMA(-2.182200345e-07f, g, 2.341028744e-06f), g, -3.762951537e-05f);
            e = PD_FMA(PD_FMA(1.535213525e-07f, g, -1.341101183e-06f), g, 1.438020287e-05f);
        }
        m = PD_FMA(PD_FMA(m, g, one ? 0.002337548122f : -0.0007791419858f), g, 0.79788456f) * y;
        e = PD_FMA(PD_FMA(e, g, one ? -0.0004079862478f : 0.0001618704421f), g,
                   one ? 0.05968310359f : -0.019894367f) / x - (one ? 0.375f : 0.125f);
        h = wave_turn(PD_FMA(sign, e, phase) * WAVE_UNIT);
        h.re *= m;
        h.im *= m;
        return h;
    } else {
        const pd_f32 t = PD_FMA(x * x, 0.03125f, -1.0f);
        const pd_u32 from = one ? 22u : 0u;
        pd_f32 j = 0.0f, y = 0.0f;
        WAVE_ROLL
        for (pd_u32 i = 0u; i < 11u; i++) {
            j = PD_FMA(j, t, wave_bessel[from + 2u * i]);
            y = PD_FMA(y, t, wave_bessel[from + 2u * i + 1u]);
        }
        if (one) {
            j *= x;
            y = sign * PD_FMA(0.636619772f, PD_FMA(PD_LOG(x), j, -1.0f / x), y * x);
        } else {
            y = sign * PD_FMA(0.636619772f * PD_LOG(x), j, y);
        }
        z = wave_turn((source - PD_RINT(source)) * WAVE_UNIT);
        h.re = j * z.re - y * z.im;
        h.im = j * z.im + y * z.re;
        return h;
    }
}
#endif

// The term of a source at distance r = r2 y; `phase` is k r plus the source's (`source`, in turns),
// in turns times WAVE_SCALE.
PD_FN wave_phasor wave_term(pd_f32 r2, pd_f32 r, pd_f32 y, pd_f32 phase, pd_f32 source,
                            pd_f32 number, pd_f32 amplitude, pd_f32 absorption, pd_f32 length,
                            pd_u32 polynomials)
{
    wave_phasor f;
    wave_complex z;
#if PD_WAVE_SOFT == 1
    y = wave_rsqrt(PD_FMA(length, length, r2));
#elif PD_WAVE_SOFT == 4
    y = wave_divide(1.0f, r + length);
#endif
#if PD_WAVE_KERNEL == 0 || PD_WAVE_KERNEL == 1
    amplitude *= y;
#elif PD_WAVE_KERNEL == 4
    amplitude *= PD_SQRT(y);
#endif
#if PD_WAVE_ABSORB
    amplitude *= PD_EXP(-absorption * r);
#endif
#if PD_WAVE_KERNEL == 2
    z = wave_hankel(0u, PD_FABS(number) * r, (number < 0.0f) ? -1.0f : 1.0f, phase, source);
#else
#if !PD_WAVE_FAST
    polynomials = 1u;
#endif
    if (polynomials) {
        pd_u32 sign = PD_AS_U32(amplitude);
        z = wave_unsigned(phase, &sign);
        amplitude = PD_AS_F32(sign);
    } else {
        z = wave_turn(phase);
    }
#endif
    f.re = z.re;
    f.im = z.im;
    f.size = amplitude;
    (void)polynomials;
    (void)r2;
    (void)r;
    (void)y;
    (void)source;
    (void)number;
    (void)absorption;
    (void)length;
    return f;
}

// The same where anything may happen: r2 = 0, or inside of the softening's length.
PD_FN wave_phasor wave_careful(pd_f32 r2, pd_f32 r, pd_f32 phase, pd_f32 source, pd_f32 number,
                               pd_f32 amplitude, pd_f32 absorption, pd_f32 length,
                               pd_f32 inside, pd_u32 weight, PD_LPTR(pd_u32) coincident)
{
    wave_phasor z;
    pd_f32 y;
#if PD_WAVE_SOFT == 0 && PD_WAVE_KERNEL != 3
    if (r2 < 1.17549435e-38f) {
        (void)PD_ATOMIC_ADD_L(coincident, weight);
        z.re = z.im = z.size = 0.0f;
        return z;
    }
#endif
#if PD_WAVE_SOFT == 3
    if (r < length) { // inside of the shell: phase as on it, sin(kr)/(kr)
        const pd_f32 x = 6.28318531f * number * r;
        const wave_complex e = wave_polynomials(number * r * WAVE_UNIT);
        amplitude = inside / length * ((x != 0.0f) ? e.im / x : 1.0f);
        y = 1.0f;
        phase = source; // prepared: k a in turns plus the source's
    } else
#elif PD_WAVE_SOFT == 5
    if (r < length) {
        r = length;
        y = 1.0f / length;
        phase = inside; // k a in turns plus the source's
    } else
#endif
    {
        y = (r > 0.0f) ? 1.0f / r : 0.0f;
    }
    z = wave_term(r2, r, y, phase * WAVE_SCALE, source, number, amplitude, absorption, length,
                  0u);
    (void)weight;
    (void)coincident;
    (void)inside;
    return z;
}

// Sums of a work-item over the sources of one block, and the points they belong to.
typedef struct {
    pd_f32 re[WAVE_POINTS], im[WAVE_POINTS];
#if PD_WAVE_MODE == 2
    pd_f32 gre[3u * WAVE_POINTS], gim[3u * WAVE_POINTS]; // x of all points, y, z
#endif
} wave_sums;

typedef struct {
#if PD_WAVE_LISTED
    pd_f32 x[WAVE_POINTS], y[WAVE_POINTS], z[WAVE_POINTS];
#else
    pd_f32 x, y, z, ax, ay, az; // of the first, and from one to the next
#if PD_WAVE_LINE
    pd_f32 cx, cy, cz, middle, step; // of the row's middle; its square, its product with a step
#endif
#endif
    pd_f32 square[WAVE_POINTS]; // d.d
} wave_points;

#if PD_WAVE_LISTED
// E.d + rest
#define WAVE_DOT(p, rest) \
    PD_FMA(ex, d->x[p], PD_FMA(ey, d->y[p], PD_FMA(ez, d->z[p], rest)))
#else
#define WAVE_DOT(p, rest) (PD_FMA((pd_f32)(p), along, row) + (rest))
#endif

typedef PD_LPTR(const pd_f32) wave_local;

// Squared distances of an item's points from a source, of a record of WIDE; returns the least.
PD_FN pd_f32 wave_squares(wave_local s, const wave_points *d, pd_f32 length, pd_f32 *r2)
{
    const pd_f32 sx = s[0], sy = s[1], sz = s[2];
    pd_u32 least = 0x7f800000u; // bits of the smallest: their order is that of the numbers
#if !PD_WAVE_LISTED
    const pd_f32 bx = sx + d->x, by = sy + d->y, bz = sz + d->z;
#endif
    WAVE_UNROLL
    for (pd_u32 p = 0u; p < WAVE_POINTS; p++) {
#if PD_WAVE_LISTED
        const pd_f32 x = sx + d->x[p], y = sy + d->y[p], z = sz + d->z[p];
#else
        const pd_f32 x = PD_FMA((pd_f32)p, d->ax, bx), y = PD_FMA((pd_f32)p, d->ay, by);
        const pd_f32 z = PD_FMA((pd_f32)p, d->az, bz);
#endif
#if PD_WAVE_SOFT == 2
        r2[p] = PD_FMA(x, x, PD_FMA(y, y, PD_FMA(z, z, length * length)));
#else
        r2[p] = PD_FMA(x, x, PD_FMA(y, y, z * z));
#endif
        least = (PD_AS_U32(r2[p]) < least) ? PD_AS_U32(r2[p]) : least;
    }
    (void)length;
    return PD_AS_F32(least);
}

// Squared distance up to which a point is left to WIDE, by a record of it.
PD_FN pd_f32 wave_near(wave_local s, pd_f32 length)
{
#if PD_WAVE_MODE == 2 && (PD_WAVE_SOFT == 3 || PD_WAVE_SOFT == 5)
    const pd_f32 inside = length * length * 1.000001f; // of which DIRECT knows nothing
    return (s[6] > inside) ? s[6] : inside;
#elif PD_WAVE_MODE == 2
    (void)length;
    return (s[6] > 1e-24f) ? s[6] : 1e-24f; // 1/r^3 overflows soon below
#else
    (void)length;
    return s[6];
#endif
}

#if PD_WAVE_MODE != 2
// Not kept, since the loop of OPEN has no register to spare.
PD_FN void wave_square(wave_points *d)
{
    WAVE_UNROLL
    for (pd_u32 p = 0u; p < WAVE_POINTS; p++) {
#if PD_WAVE_LISTED
        const pd_f32 x = d->x[p], y = d->y[p], z = d->z[p];
#else
        const pd_f32 x = PD_FMA((pd_f32)p, d->ax, d->x), y = PD_FMA((pd_f32)p, d->ay, d->y);
        const pd_f32 z = PD_FMA((pd_f32)p, d->az, d->z);
#endif
        d->square[p] = PD_FMA(x, x, PD_FMA(y, y, z * z));
    }
}

// Adds a wave to the sums of point p; polynomials: a literal.
PD_FN void wave_add(pd_f32 phase, pd_f32 size, pd_u32 polynomials, wave_sums *sum, pd_u32 p)
{
    wave_complex z;
#if !PD_WAVE_FAST
    polynomials = 1u;
#endif
    if (polynomials) {
        pd_u32 sign = PD_AS_U32(size);
        z = wave_unsigned(phase, &sign);
        size = PD_AS_F32(sign);
    } else {
        z = wave_turn(phase);
    }
    sum->re[p] = PD_FMA(size, z.re, sum->re[p]);
    sum->im[p] = PD_FMA(size, z.im, sum->im[p]);
}

#if !PD_WAVE_LINE
// Series to u^3 and u^2. Record: E = 2D/r0^2, 1/r0^2; E.axis, t0, phase 1, amplitude 0; phase 2,
// amplitude 1, phase 3, amplitude 2; phase 4, amplitude 3, amplitude 4.
PD_FN void wave_series3(wave_local s, const wave_points *d, wave_sums *sum)
{
    const pd_f32 ex = s[0], ey = s[1], ez = s[2], q = s[3], along = s[4], t = s[5], k1 = s[6];
    const pd_f32 a0 = s[7], k2 = s[8], a1 = s[9], k3 = s[10], a2 = s[11];
#if !PD_WAVE_LISTED
    const pd_f32 row = PD_FMA(ex, d->x, PD_FMA(ey, d->y, ez * d->z));
#endif
    WAVE_UNROLL
    for (pd_u32 p = 0u; p < WAVE_POINTS; p++) {
#if PD_WAVE_LISTED
        const pd_f32 u = WAVE_DOT(p, q * d->square[p]);
#else
        const pd_f32 u = PD_FMA(q, d->square[p], PD_FMA((pd_f32)p, along, row));
#endif
        wave_add(PD_FMA(u, PD_FMA(u, PD_FMA(u, k3, k2), k1), t),
                 PD_FMA(u, PD_FMA(u, a2, a1), a0), 0u, sum, p);
    }
    (void)along;
}

PD_FN void wave_series4(wave_local s, const wave_points *d, wave_sums *sum)
{
    const pd_f32 ex = s[0], ey = s[1], ez = s[2], q = s[3], along = s[4], t = s[5], k1 = s[6];
    const pd_f32 a0 = s[7], k2 = s[8], a1 = s[9], k3 = s[10], a2 = s[11], k4 = s[12], a3 = s[13];
    const pd_f32 a4 = s[14];
#if !PD_WAVE_LISTED
    const pd_f32 row = PD_FMA(ex, d->x, PD_FMA(ey, d->y, ez * d->z));
#endif
    WAVE_UNROLL
    for (pd_u32 p = 0u; p < WAVE_POINTS; p++) {
#if PD_WAVE_LISTED
        const pd_f32 u = WAVE_DOT(p, q * d->square[p]);
#else
        const pd_f32 u = PD_FMA(q, d->square[p], PD_FMA((pd_f32)p, along, row));
#endif
        const pd_f32 inner = PD_FMA(u, PD_FMA(u, k4, k3), k2);
        const pd_f32 tail = PD_FMA(u, PD_FMA(u, a4, a3), a2);
        wave_add(PD_FMA(u, PD_FMA(u, inner, k1), t), PD_FMA(u, PD_FMA(u, tail, a1), a0),
                 0u, sum, p);
    }
    (void)along;
}
#endif

// Record: 2D, r0^2; 2D.axis, t0, k/2pi, amplitude; r0, absorption, the source's phase. For ROOT
// (`rooted`, a literal) t0 makes up for the second words of r0 and r0^2; the root's own error is
// known from its square.
PD_FN void wave_middle(wave_local s, const wave_points *d, pd_f32 length, pd_u32 rooted,
                       wave_sums *sum)
{
    const pd_f32 ex = s[0], ey = s[1], ez = s[2], r02 = s[3], along = s[4], t = s[5];
    const pd_f32 number = s[6], a = s[7], r0 = s[8], b = s[9], own = s[10];
    const pd_u32 polynomials = rooted ? WAVE_POLY_ROOT : WAVE_POLY;
#if !PD_WAVE_LISTED
    const pd_f32 row = PD_FMA(ex, d->x, PD_FMA(ey, d->y, ez * d->z));
#endif
    WAVE_UNROLL
    for (pd_u32 p = 0u; p < WAVE_POINTS; p++) {
        const pd_f32 v = WAVE_DOT(p, d->square[p]), r2 = r02 + v, i = wave_rsqrt(r2), r = r2 * i;
        const pd_f32 more = rooted ? PD_FMA(PD_FMA(-r, r, r2), 0.5f * i, r - r0)
                                   : wave_divide(v, r + r0);
        const wave_phasor f = wave_term(r2, r, i, PD_FMA(number, more, t), own, number, a, b,
                                        length, p + 1u <= polynomials);
        sum->re[p] = PD_FMA(f.size, f.re, sum->re[p]);
        sum->im[p] = PD_FMA(f.size, f.im, sum->im[p]);
    }
    (void)along;
}

#if PD_WAVE_LINE
// Distance, phase and amplitude of a row's points as polynomials of their number p from the middle,
// where the distance is R = 1/i: with the cosine between row and way c, a step b long,
//     r = R + c b p + (1 - c^2) b^2 i p^2/2 - c (1 - c^2) b^3 i^2 p^3/2 + ...
//     1/r = i - c b i^2 p + (3 c^2 - 1) b^2 i^3 p^2/2 - (5 c^3 - 3 c) b^3 i^4 p^3/2 + ...
// Record: 2D, r0^2; D.step, t0, k/2pi, amplitude; r0, step.step.
PD_FN void wave_line(wave_local s, const wave_points *d, pd_u32 polynomials, wave_sums *sum)
{
    const pd_f32 v = PD_FMA(s[0], d->cx, PD_FMA(s[1], d->cy, PD_FMA(s[2], d->cz, d->middle)));
    const pd_f32 r2 = s[3] + v, i = wave_rsqrt(r2), r = r2 * i, half_ = 0.5f * i, number = s[6];
    // What r2 lost of v, and the root's own error, known from its square.
    const pd_f32 lost = PD_FMA(-r, r, r2) + ((s[3] - r2) + v);
    const pd_f32 c0 = PD_FMA(number, PD_FMA(lost, half_, r - s[8]), s[5]);
    const pd_f32 along = (s[4] + d->step) * i, curve = half_ * PD_FMA(-along, along, s[9]);
    const pd_f32 slope = along * i, bend = curve * i, g = slope * slope;
    const pd_f32 phase0 = c0 - WAVE_WHOLE(c0), phase1 = number * along, phase2 = number * curve;
    const pd_f32 phase3 = -phase2 * slope, size0 = s[7] * i, size1 = -size0 * slope;
    const pd_f32 size2 = size0 * (g - bend), size3 = size1 * PD_FMA(-3.0f, bend, g);
    WAVE_UNROLL
    for (pd_u32 p = 0u; p < WAVE_POINTS / 2u; p++) {
        const pd_f32 x = (pd_f32)p + 0.5f, x2 = x * x;
        const pd_f32 even = PD_FMA(phase2, x2, phase0), odd = PD_FMA(phase3, x2, phase1);
        const pd_f32 size = PD_FMA(size2, x2, size0), more = PD_FMA(size3, x2, size1);
        wave_add(PD_FMA(odd, x, even), PD_FMA(more, x, size), 2u * p + 1u <= polynomials, sum,
                 WAVE_POINTS / 2u + p);
        wave_add(PD_FMA(odd, -x, even), PD_FMA(more, -x, size), 2u * p + 2u <= polynomials, sum,
                 WAVE_POINTS / 2u - 1u - p);
    }
}
#endif

#if PD_WAVE_KERNEL != 2
// Points at squared distances r2; if some are `left` out (a literal), those up to `near_`.
PD_FN void wave_direct_sum(const pd_f32 *r2, pd_f32 scaled, pd_f32 own, pd_f32 t, pd_f32 number,
                           pd_f32 a, pd_f32 b, pd_f32 length, pd_f32 near_, pd_u32 left,
                           pd_u32 polynomials, wave_sums *sum)
{
    WAVE_UNROLL
    for (pd_u32 p = 0u; p < WAVE_POINTS; p++) {
        const pd_u32 here = (left == 0u || r2[p] > near_) ? 1u : 0u;
        const pd_f32 square = here ? r2[p] : 1.0f;
        const pd_f32 i = wave_rsqrt(square), r = square * i;
        const wave_phasor f = wave_term(square, r, i, PD_FMA(scaled, r, own), t, number, a, b,
                                        length, p < polynomials);
        const pd_f32 size = here ? f.size : 0.0f;
        sum->re[p] = PD_FMA(size, f.re, sum->re[p]);
        sum->im[p] = PD_FMA(size, f.im, sum->im[p]);
    }
}
#endif

// Record as of WIDE, and the squared distance from which on one word will do for a point. 1 if a
// point is nearer than that, or on the source: it is left out then, for WIDE to add. A point inside
// of the softening's length is rare: then all points of the item are done with care.
PD_FN pd_u32 wave_direct(wave_local s, const wave_points *d, pd_f32 length, pd_u32 valid,
                         PD_LPTR(pd_u32) coincident, wave_sums *sum)
{
    const pd_f32 number = s[3], t = s[4], a = s[5], b = s[7];
    const pd_f32 scaled = number * WAVE_SCALE, own = t * WAVE_SCALE, near_ = wave_near(s, length);
    pd_f32 r2[WAVE_POINTS];
    const pd_f32 least = wave_squares(s, d, length, r2);
#if PD_WAVE_KERNEL == 2
    {   // long enough that a copy for each point would not pay
#elif PD_WAVE_SOFT == 3 || PD_WAVE_SOFT == 5
    if (least <= length * length * 1.000001f) {
#endif
#if PD_WAVE_KERNEL == 2 || PD_WAVE_SOFT == 3 || PD_WAVE_SOFT == 5
        WAVE_ROLL
        for (pd_u32 p = 0u; p < WAVE_POINTS; p++) {
            pd_f32 mine = 0.0f, r;
            wave_phasor f;
            WAVE_UNROLL
            for (pd_u32 q = 0u; q < WAVE_POINTS; q++) mine = (q == p) ? r2[q] : mine;
            if (mine <= near_) continue;
            r = PD_SQRT(mine);
            f = wave_careful(mine, r, PD_FMA(number, r, t), s[13], number, a, b, length, s[12],
                             (valid >> p) & 1u, coincident);
            WAVE_UNROLL
            for (pd_u32 q = 0u; q < WAVE_POINTS; q++)
                if (q == p) {
                    sum->re[q] = PD_FMA(f.size, f.re, sum->re[q]);
                    sum->im[q] = PD_FMA(f.size, f.im, sum->im[q]);
                }
        }
        if (PD_WAVE_KERNEL != 2) return (least <= near_) ? 1u : 0u;
    }
#endif
#if PD_WAVE_KERNEL == 2
    (void)scaled;
    (void)own;
#else
    if (least <= near_)
        wave_direct_sum(r2, scaled, own, t, number, a, b, length, near_, 1u, WAVE_POLY,
                        sum);
    else
        wave_direct_sum(r2, scaled, own, t, number, a, b, length, near_, 0u, WAVE_POLY,
                        sum);
#endif
    (void)valid;
    (void)coincident;
    return (least <= near_) ? 1u : 0u;
}

// DIRECT for any points. One that is on the source leaves sums that are not finite. If sources are
// `alike` (a literal), amplitudes are left out.
PD_FN void wave_open(wave_local s, const wave_points *d, pd_f32 length, pd_u32 alike,
                     pd_u32 polynomials, wave_sums *sum)
{
#if PD_WAVE_KERNEL != 2
    const pd_f32 number = s[3], t = s[4];
    pd_f32 r2[WAVE_POINTS];
    (void)wave_squares(s, d, length, r2);
    wave_direct_sum(r2, number * WAVE_SCALE, t * WAVE_SCALE, t, number,
                    alike ? 1.0f : s[5], s[7], length, 0.0f, 0u, polynomials, sum);
#else
    (void)s;
    (void)d;
    (void)length;
    (void)alike;
    (void)polynomials;
    (void)sum;
#endif
}

// Record: D, k/2pi, phase, amplitude, what DIRECT has here, absorption; second words of D and of
// k/2pi, what SHELL and CLAMP want inside, the source's phase or the shell's, the phase's second
// word.
PD_FN wave_phasor wave_wide(wave_local s, const pd_two *d, pd_f32 length, pd_u32 weight,
                             PD_LPTR(pd_u32) coincident)
{
    pd_two x, y, z, r2, r, number, phase;
    pd_u32 small;
    x.hi = s[0];
    x.lo = s[8];
    y.hi = s[1];
    y.lo = s[9];
    z.hi = s[2];
    z.lo = s[10];
    number.hi = s[3];
    number.lo = s[11];
    x = pd_two_add(x, d[0]);
    y = pd_two_add(y, d[1]);
    z = pd_two_add(z, d[2]);
    WAVE_SMALL(x, y, z, small)
    r2 = pd_two_add(pd_two_add(pd_two_mul(x, x), pd_two_mul(y, y)), pd_two_mul(z, z));
#if PD_WAVE_SOFT == 2
    x.hi = length;
    x.lo = 0.0f;
    r2 = pd_two_add(r2, pd_two_mul(x, x));
#endif
    r = wave_distance(r2);
    WAVE_SMALL_BACK(r2, r, small)
    phase = pd_two_add(wave_reduce(pd_two_mul(number, r)), pd_two_of(s[4], s[14]));
    return wave_careful(r2.hi, r.hi, wave_fraction(phase), s[13], number.hi, s[5], s[7], length,
                        s[12], weight, coincident);
}

#else // PD_WAVE_MODE == 2

// A pair: the field's term, and its gradient over the way from source to point, or by that way's
// direction.
typedef struct {
    pd_f32 re, im, gre, gim;
} wave_pair;

// As wave_term(), with y = 1/r, or 0 on the source; over: y, or 1 for what goes with a direction.
PD_FN wave_pair wave_slope(pd_f32 r2, pd_f32 r, pd_f32 y, pd_f32 over, pd_f32 phase, pd_f32 source,
                           pd_f32 number, pd_f32 amplitude, pd_f32 absorption, pd_f32 length,
                           pd_u32 polynomials)
{
    const wave_phasor f = wave_term(r2, r, y, phase, source, number, amplitude, absorption, length,
                                    polynomials);
    const pd_f32 turn = 6.28318531f * number * over;
    pd_f32 falls = y;
    wave_pair z;
#if PD_WAVE_SOFT == 1
    falls = wave_rsqrt(PD_FMA(length, length, r2));
    falls = r * falls * falls;
#elif PD_WAVE_SOFT == 4
    falls = wave_divide(1.0f, r + length);
#endif
#if PD_WAVE_KERNEL == 3
    falls = 0.0f;
#elif PD_WAVE_KERNEL == 4
    falls *= 0.5f;
#endif
#if PD_WAVE_ABSORB
    falls += absorption;
#endif
    falls *= over;
    z.re = f.size * f.re;
    z.im = f.size * f.im;
#if PD_WAVE_KERNEL == 2 // no wave times a number: H0' = -H1
    {
        const wave_complex h = wave_hankel(1u, PD_FABS(number) * r, (number < 0.0f) ? -1.0f : 1.0f,
                                           phase, source);
        const pd_f32 size = -f.size * PD_FABS(turn);
        falls = absorption * over;
        z.gre = PD_FMA(size, h.re, -falls * z.re);
        z.gim = PD_FMA(size, h.im, -falls * z.im);
    }
#else
    z.gre = -PD_FMA(turn, z.im, falls * z.re);
    z.gim = PD_FMA(turn, z.re, -falls * z.im);
#endif
    return z;
}

// As wave_careful(), by the way's direction.
PD_FN wave_pair wave_careful_slope(pd_f32 r2, pd_f32 r, pd_f32 phase, pd_f32 source, pd_f32 number,
                                   pd_f32 amplitude, pd_f32 absorption, pd_f32 length,
                                   pd_f32 inside, pd_u32 weight, PD_LPTR(pd_u32) coincident)
{
    wave_pair z;
#if PD_WAVE_SOFT == 0 && PD_WAVE_KERNEL != 3
    if (r2 < 1.17549435e-38f) {
        (void)PD_ATOMIC_ADD_L(coincident, weight);
        z.re = z.im = z.gre = z.gim = 0.0f;
        return z;
    }
#endif
#if PD_WAVE_SOFT == 5
    if (r < length) {
        const wave_phasor f = wave_careful(r2, r, phase, source, number, amplitude, absorption,
                                           length, inside, weight, coincident);
        z.re = f.size * f.re;
        z.im = f.size * f.im;
        z.gre = z.gim = 0.0f;
        return z;
    }
#elif PD_WAVE_SOFT == 3
    if (r < length) { // sin(x)/x, and its slope (cos x - sin x/x)/r^2 = -k^2 (1/3 - x^2/30 + ...)
        const pd_f32 x = 6.28318531f * number * r, g = x * x;
        const wave_complex e = wave_polynomials(number * r * WAVE_UNIT);
        const wave_complex own = wave_turn(source * WAVE_UNIT); // k a in turns plus the source's
        pd_f32 s = PD_FMA(PD_FMA(2.50521084e-7f, g, -2.20458554e-5f), g, 1.19047619e-3f);
        pd_f32 size = inside / length, c = (x != 0.0f) ? e.im / x : 1.0f;
        s = -39.4784176f * number * number *
            PD_FMA(PD_FMA(s, g, -0.0333333333f), g, 0.333333333f);
        if (g > 1.0f) s = (e.re - c) / r2;
#if PD_WAVE_ABSORB
        size *= PD_EXP(-absorption * r);
        if (r > 0.0f) s = PD_FMA(-absorption / r, c, s);
#endif
        s *= size * r;
        c *= size;
        z.re = c * own.re;
        z.im = c * own.im;
        z.gre = s * own.re;
        z.gim = s * own.im;
        return z;
    }
#endif
    z = wave_slope(r2, r, (r > 0.0f) ? 1.0f / r : 0.0f, 1.0f, phase * WAVE_SCALE, source, number,
                   amplitude, absorption, length, 0u);
    (void)weight;
    (void)coincident;
    (void)inside;
    return z;
}

#define WAVE_ADD(sum, p, f, wx, wy, wz)                                    \
    (sum)->re[p] += (f).re;                                                \
    (sum)->im[p] += (f).im;                                                \
    (sum)->gre[p] = PD_FMA((f).gre, wx, (sum)->gre[p]);                    \
    (sum)->gim[p] = PD_FMA((f).gim, wx, (sum)->gim[p]);                    \
    (sum)->gre[(p) + WAVE_POINTS] = PD_FMA((f).gre, wy, (sum)->gre[(p) + WAVE_POINTS]); \
    (sum)->gim[(p) + WAVE_POINTS] = PD_FMA((f).gim, wy, (sum)->gim[(p) + WAVE_POINTS]); \
    (sum)->gre[(p) + 2u * WAVE_POINTS] =                                   \
        PD_FMA((f).gre, wz, (sum)->gre[(p) + 2u * WAVE_POINTS]);           \
    (sum)->gim[(p) + 2u * WAVE_POINTS] =                                   \
        PD_FMA((f).gim, wz, (sum)->gim[(p) + 2u * WAVE_POINTS])

#if PD_WAVE_LISTED
#define WAVE_PLACE(d, p, w) const pd_f32 w##x = (d)->x[p], w##y = (d)->y[p], w##z = (d)->z[p]
#else
#define WAVE_PLACE(d, p, w)                                                            \
    const pd_f32 w##x = PD_FMA((pd_f32)(p), (d)->ax, (d)->x),                          \
                 w##y = PD_FMA((pd_f32)(p), (d)->ay, (d)->y),                          \
                 w##z = PD_FMA((pd_f32)(p), (d)->az, (d)->z)
#endif

// Records as for the field.
PD_FN void wave_middle(wave_local s, const wave_points *d, pd_f32 length, pd_u32 rooted,
                       wave_sums *sum) // no class of gradients is rooted
{
    const pd_f32 ex = s[0], ey = s[1], ez = s[2], r02 = s[3], t = s[5];
    const pd_f32 number = s[6], a = s[7], r0 = s[8], b = s[9], own = s[10];
    WAVE_UNROLL
    for (pd_u32 p = 0u; p < WAVE_POINTS; p++) {
        WAVE_PLACE(d, p, d_);
        // (2D + d).d: what d.d would keep in a register is wanted for the sums
        const pd_f32 v = PD_FMA(ex + d_x, d_x, PD_FMA(ey + d_y, d_y, (ez + d_z) * d_z));
        const pd_f32 r2 = r02 + v, i = wave_rsqrt(r2), r = r2 * i;
        const pd_f32 phase = PD_FMA(number, wave_divide(v, r + r0), t);
        const wave_pair f = wave_slope(r2, r, i, i, phase, own, number * (1.0f / WAVE_SCALE), a, b,
                                       length, p < WAVE_POLY);
        const pd_f32 wx = PD_FMA(0.5f, ex, d_x), wy = PD_FMA(0.5f, ey, d_y);
        const pd_f32 wz = PD_FMA(0.5f, ez, d_z);
        WAVE_ADD(sum, p, f, wx, wy, wz);
    }
    (void)rooted;
}

PD_FN pd_u32 wave_direct(wave_local s, const wave_points *d, pd_f32 length, pd_u32 valid,
                         PD_LPTR(pd_u32) coincident, wave_sums *sum)
{
    const pd_f32 sx = s[0], sy = s[1], sz = s[2], number = s[3], t = s[4], a = s[5], b = s[7];
    const pd_f32 near_ = wave_near(s, length);
    pd_f32 r2[WAVE_POINTS];
    const pd_f32 least = wave_squares(s, d, length, r2);
    WAVE_UNROLL
    for (pd_u32 p = 0u; p < WAVE_POINTS; p++) {
        WAVE_PLACE(d, p, d_);
        const pd_f32 square = (r2[p] > near_) ? r2[p] : 1.0f, kept = (r2[p] > near_) ? a : 0.0f;
        const pd_f32 i = wave_rsqrt(square), r = square * i;
        const wave_pair f = wave_slope(square, r, i, i, PD_FMA(number, r, t) * WAVE_SCALE, t,
                                       number, kept, b, length, p < WAVE_POLY);
        const pd_f32 wx = sx + d_x, wy = sy + d_y, wz = sz + d_z;
        WAVE_ADD(sum, p, f, wx, wy, wz);
    }
    (void)valid;
    (void)coincident;
    return (least <= near_) ? 1u : 0u;
}

// The way's direction is left in way[], 0 on the source.
PD_FN wave_pair wave_wide(wave_local s, const pd_two *d, pd_f32 length, pd_u32 weight,
                          PD_LPTR(pd_u32) coincident, pd_f32 *way)
{
    pd_two x = pd_two_add(pd_two_raw(s[0], s[8]), d[0]);
    pd_two y = pd_two_add(pd_two_raw(s[1], s[9]), d[1]);
    pd_two z = pd_two_add(pd_two_raw(s[2], s[10]), d[2]);
    const pd_two number = pd_two_raw(s[3], s[11]);
    pd_two r2, r, phase;
    pd_f32 over;
    pd_u32 small;
    WAVE_SMALL(x, y, z, small)
    r2 = pd_two_add(pd_two_add(pd_two_mul(x, x), pd_two_mul(y, y)), pd_two_mul(z, z));
#if PD_WAVE_SOFT == 2
    r = pd_two_raw(length, 0.0f);
    r2 = pd_two_add(r2, pd_two_mul(r, r));
#endif
    r = wave_distance(r2);
    WAVE_SMALL_BACK(r2, r, small)
    phase = pd_two_add(wave_reduce(pd_two_mul(number, r)), pd_two_of(s[4], s[14]));
    over = (r2.hi < 1.17549435e-38f) ? 0.0f : 1.0f / (small ? r.hi * 1.15292150e18f : r.hi);
    way[0] = x.hi * over;
    way[1] = y.hi * over;
    way[2] = z.hi * over;
    return wave_careful_slope(r2.hi, r.hi, wave_fraction(phase), s[13], number.hi, s[5], s[7],
                              length, s[12], weight, coincident);
}
#endif // PD_WAVE_MODE == 2

// What a group knows of its tile.
typedef struct {
    pd_two x, y, z; // centre
    pd_f32 radius, place;
    pd_u32 exact; // points are known to the last bit, from the centre
} wave_tile;

// What a source has inside of the softening's length (*inside), and the phase that goes with it.
PD_FN pd_f32 wave_soften(pd_two number, pd_two turns, pd_f32 length, pd_f32 *a, pd_f32 *inside)
{
#if PD_WAVE_SOFT == 3
    const pd_two edge = wave_reduce(pd_two_mul1(number, length));
    const pd_f32 phase = 6.28318531f * number.hi * length;
    const wave_complex e = wave_polynomials(wave_fraction(edge) * WAVE_UNIT);
    *inside = *a;
    if (phase != 0.0f) *a *= e.im / phase;
    return wave_fraction(pd_two_add(edge, turns));
#else
    *inside = 0.0f;
#if PD_WAVE_SOFT == 5
    *inside = wave_fraction(pd_two_add(wave_reduce(pd_two_mul1(number, length)), turns));
#endif
    (void)number;
    (void)length;
    (void)a;
    return wave_fraction(turns);
#endif
}

// Puts source `from` (a record) for this tile into `to`; returns its class, and the
// bound on its phase in *bound.
PD_FN pd_u32 wave_stage(PD_GPTR(const pd_f32) from, pd_u32 n, pd_f32 *to, const wave_tile *tile,
                        pd_f32 ax, pd_f32 ay, pd_f32 az, pd_f32 tolerance, pd_f32 length,
                        pd_f32 *bound)
{
    const pd_f32 h = tile->radius;
    pd_two x, y, z, number, turns, r2, r, t;
    pd_f32 a = from[10u * n], inside = 0.0f, kept, wave, ratio, tail, size, own, base;
    const pd_f32 b = from[11u * n];
    pd_f32 two;
    pd_u32 clear;
    x.hi = from[0];
    x.lo = from[n];
    y.hi = from[2u * n];
    y.lo = from[3u * n];
    z.hi = from[4u * n];
    z.lo = from[5u * n];
    number.hi = from[6u * n];
    number.lo = from[7u * n];
    turns.hi = from[8u * n];
    turns.lo = from[9u * n];
    x = pd_two_sub(tile->x, x);
    y = pd_two_sub(tile->y, y);
    z = pd_two_sub(tile->z, z);
    r2 = pd_two_add(pd_two_add(pd_two_mul(x, x), pd_two_mul(y, y)), pd_two_mul(z, z));
#if PD_WAVE_SOFT == 2
    r.hi = length;
    r.lo = 0.0f;
    r2 = pd_two_add(r2, pd_two_mul(r, r));
#endif
    r = wave_distance(r2);
    wave = PD_FABS(number.hi); // wavelengths per length
    two = (WAVE_ERROR_TWO * (r.hi + h) + WAVE_ERROR_SUM * tile->place) * wave;
    base = two + WAVE_ERROR_PHASE; // error of t0
    own = wave_fraction(turns);
    t.hi = wave_fraction(pd_two_add(wave_reduce(pd_two_mul(number, r)), turns));
    kept = wave_soften(number, turns, length, &a, &inside);
#if PD_WAVE_SOFT == 3 || PD_WAVE_SOFT == 5
    clear = (r.hi > PD_FMA(1.001f, h, 1.001f * length)) ? 1u : 0u;
#elif PD_WAVE_SOFT == 2
    clear = 1u;
#else
    clear = (r.hi > PD_FMA(1.001f, h, 1e-15f)) ? 1u : 0u; // inverse squares have room
#endif
    ratio = (r.hi > h) ? wave_divide(h, r.hi) : 1.0f;
    ratio = PD_FMA(ratio, ratio, 2.0f * ratio); // U
#if PD_WAVE_KERNEL != 2 && PD_WAVE_SOFT != 4 && !PD_WAVE_ABSORB && PD_WAVE_MODE != 2 && \
    !PD_WAVE_LINE
    tail = (ratio < 0.5f) ? wave_divide(ratio * ratio * ratio, 1.0f - ratio) : 1.0f;
    size = WAVE_ERROR_SERIES * h * wave + base;
    if (clear && ratio < 0.5f && size < tolerance) {
        const pd_f32 three = 0.0390625f * r.hi * wave * tail * ratio;
        const pd_f32 four = 0.02734375f * r.hi * wave * tail * ratio * ratio;
        const pd_u32 short_ = (three + size <= tolerance && 0.3125f * tail <= 1e-6f) ? 1u : 0u;
        if (short_ || (four + size <= tolerance && 0.24609375f * tail * ratio * ratio <= 1e-6f)) {
            // E = 2D/r0^2 rounded once.
            const pd_f32 q0 = wave_divide(1.0f, r2.hi);
            const pd_f32 q1 = PD_FMA(-r2.lo, q0, PD_FMA(-r2.hi, q0, 1.0f)) * q0;
            pd_two q = pd_two_of(2.0f * q0, 2.0f * q1), e;
#if PD_WAVE_KERNEL != 3
            pd_f32 g = 1.0f, d2 = r2.hi;
#endif
            e = pd_two_mul(x, q);
            to[0] = e.hi;
            e = pd_two_mul(y, q);
            to[1] = e.hi;
            e = pd_two_mul(z, q);
            to[2] = e.hi;
            to[3] = q0;
            to[4] = PD_FMA(to[0], ax, PD_FMA(to[1], ay, to[2] * az));
            to[5] = t.hi * WAVE_UNIT;
            e = pd_two_mul(number, r);
            size = e.hi * WAVE_UNIT;
            to[6] = 0.5f * size;
            to[8] = -0.125f * size;
            to[10] = 0.0625f * size;
            to[12] = -0.0390625f * size;
#if PD_WAVE_SOFT == 1
            d2 = PD_FMA(length, length, d2);
            g = wave_divide(r2.hi, d2);
#endif
#if PD_WAVE_KERNEL == 3
            to[7] = a;
            to[9] = to[11] = to[13] = to[14] = 0.0f;
#elif PD_WAVE_KERNEL == 4
            a *= PD_SQRT(wave_rsqrt(d2)); // (1 + u)^(-1/4)
            to[7] = a;
            to[9] = -0.25f * (a *= g);
            to[11] = 0.15625f * (a *= g);
            to[13] = -0.1171875f * (a *= g);
            to[14] = 0.09521484375f * (a * g);
#else
            a *= wave_rsqrt(d2);
            to[7] = a;
            to[9] = -0.5f * (a *= g);
            to[11] = 0.375f * (a *= g);
            to[13] = -0.3125f * (a *= g);
            to[14] = 0.2734375f * (a * g);
#endif
            *bound = (short_ ? three : four) + WAVE_ERROR_SERIES * h * wave + base;
            return short_ ? WAVE_SERIES3 : WAVE_SERIES4;
        }
    }
#else
    (void)tail;
    (void)size;
#endif
#if PD_WAVE_LINE
    {
        const pd_f32 step2 = PD_FMA(ax, ax, PD_FMA(ay, ay, az * az));
        const pd_f32 half_ = 0.5f * (pd_f32)(PD_WAVE_POINTS - 1) * PD_SQRT(step2);
        const pd_f32 x_ = wave_divide(half_, r.hi - h), x2 = x_ * x_;
        size = PD_FMA(WAVE_ERROR_LINE * h + WAVE_ERROR_ALONG * half_, wave, base);
        size = PD_FMA(0.16f * x2 * x_ * half_, wave, size);
        if (clear && r.hi > 2.0f * h && x2 * x2 <= 0.95e-6f && size <= tolerance) {
            to[0] = 2.0f * x.hi;
            to[1] = 2.0f * y.hi;
            to[2] = 2.0f * z.hi;
            to[3] = r2.hi;
            to[4] = PD_FMA(x.hi, ax, PD_FMA(y.hi, ay, z.hi * az));
            tail = PD_FMA(0.5f * r2.lo, wave_divide(1.0f, r.hi), -r.lo);
            to[5] = PD_FMA(number.hi, tail, t.hi) * WAVE_SCALE;
            to[6] = number.hi * WAVE_SCALE;
            to[7] = a;
            to[8] = r.hi;
            to[9] = step2;
            *bound = size;
            return WAVE_LINE;
        }
    }
#endif
    size = WAVE_ERROR_MIDDLE * h * wave + base;
    tail = (WAVE_ERROR_DIRECT * (r.hi + h) + WAVE_ERROR_SUM * tile->place) * wave +
           WAVE_ERROR_PHASE;
    if (PD_WAVE_KERNEL != 2 && tail > tolerance && clear && r.hi > 2.0f * h && size <= tolerance) {
        to[0] = 2.0f * x.hi;
        to[1] = 2.0f * y.hi;
        to[2] = 2.0f * z.hi;
        to[3] = r2.hi;
        to[4] = PD_FMA(to[0], ax, PD_FMA(to[1], ay, to[2] * az));
        to[5] = t.hi * WAVE_SCALE;
        to[6] = number.hi * WAVE_SCALE;
        to[7] = a;
        to[8] = r.hi;
        to[9] = b;
        to[10] = own;
        *bound = size;
#if PD_WAVE_ROOT
        tail = PD_FMA(WAVE_ERROR_ROOT * (r.hi + h), wave, size);
        if (tail <= tolerance) {
            size = PD_FMA(0.5f * r2.lo, wave_divide(1.0f, r.hi), -r.lo);
            to[5] = PD_FMA(number.hi, size, t.hi) * WAVE_SCALE;
            *bound = tail;
            return WAVE_ROOT;
        }
#endif
        return WAVE_MIDDLE;
    }
    to[0] = x.hi;
    to[8] = x.lo;
    to[1] = y.hi;
    to[9] = y.lo;
    to[2] = z.hi;
    to[10] = z.lo;
    to[3] = number.hi;
    to[11] = number.lo;
    to[4] = turns.hi;
    to[5] = a;
    to[7] = b;
    to[12] = inside;
    to[13] = kept;
    to[14] = turns.lo;
    (void)length;
    *bound = tail;
    // Nearer than this the place of a point in one word costs amplitude more than the phase there
    // leaves of the tolerance.
    size = PD_FMA(1.2f * WAVE_ERROR_PLACE * h, wave, WAVE_ERROR_PHASE);
    size = WAVE_ERROR_PLACE * h / PD_FMA(6.28318531f, tolerance - size, 1e-6f);
    if (tile->exact != 0u && x.lo == 0.0f && y.lo == 0.0f && z.lo == 0.0f) size = 0.0f;
    to[6] = PD_FMA(size, size, 1.17549435e-38f);
#if PD_WAVE_KERNEL != 2 && PD_WAVE_MODE != 2
    if (tail <= tolerance && clear && r.hi > PD_FMA(1.001f, h, 1.001f * size)) return WAVE_OPEN;
#if WAVE_NVIDIA && PD_WAVE_SOFT != 3 && PD_WAVE_SOFT != 5
    if (tail <= tolerance && size == 0.0f) return WAVE_OPEN; // see wave_rsqrt()
#endif
#endif
    if (tail <= tolerance) return WAVE_DIRECT;
    *bound = 4e-8f + two;
    return WAVE_WIDE;
}

// The byte of x in [0, 1].
PD_FN pd_u32 wave_byte(pd_f32 x)
{
    const pd_f32 b = PD_FMA(255.0f, x, 0.5f);
    return (x <= 0.0f) ? 0u : (x >= 1.0f) ? 255u : (pd_u32)b;
}

// atan2 in turns: minimax polynomial on [0, 1].
PD_FN pd_f32 wave_angle(pd_f32 y, pd_f32 x)
{
    const pd_f32 u = PD_FABS(x), v = PD_FABS(y);
    const pd_f32 big = (u > v) ? u : v, little = (u > v) ? v : u;
    const pd_f32 q = (big > 0.0f) ? little / big : 0.0f, g = q * q;
    pd_f32 a = PD_FMA(0.0003930998152f, g, -0.002301266841f);
    a = PD_FMA(a, g, 0.00634815885f);
    a = PD_FMA(a, g, -0.01153098963f);
    a = PD_FMA(a, g, 0.01671879152f);
    a = PD_FMA(a, g, -0.02254128972f);
    a = PD_FMA(a, g, 0.03180909161f);
    a = PD_FMA(a, g, -0.05305052095f);
    a = PD_FMA(a, g, 0.1591549263f) * q;
    if (v > u) a = 0.25f - a;
    if (x < 0.0f) a = 0.5f - a;
    return (y < 0.0f) ? -a : a;
}

PD_FN pd_f32 wave_real(pd_u32 emit, pd_f32 re, pd_f32 im)
{
    if (emit == 1u) return re;
    if (emit == 2u) return PD_SQRT(PD_FMA(re, re, im * im));
    if (emit == 4u) return 6.28318531f * wave_angle(im, re);
    return PD_FMA(re, re, im * im);
}

// A channel of a hue (turns from that channel's own): 1 within a sixth, 0 from a third on.
PD_FN pd_f32 wave_channel(pd_f32 turns)
{
    const pd_f32 away = 2.0f - 6.0f * PD_FABS(turns - PD_RINT(turns));
    return (away < 0.0f) ? 0.0f : (away > 1.0f) ? 1.0f : away;
}

// R, G, B, A from the low byte up.
PD_FN pd_u32 wave_pixel(PD_GPTR(const pd_u32) table, pd_u32 tone, pd_f32 low, pd_f32 high,
                        pd_f32 scale, pd_f32 v, pd_f32 re, pd_f32 im)
{
    const pd_u32 curve = (tone >> 8) & 255u, map = tone >> 16;
    pd_f32 x;
    pd_u32 b;
    if (curve == 1u)
        x = (v <= 0.0f) ? 0.0f : (v > 3e38f) ? 1.0f : v / (v + high);
    else if (curve == 2u)
        x = (v <= 0.0f) ? 0.0f : PD_LOG(1.0f + v / low) * scale;
    else
        x = (v - low) * scale;
    b = wave_byte(x);
    if (map == 1u) {
        x = (x < 0.0f) ? 0.0f : (x > 1.0f) ? 1.0f : x;
        return wave_byte(3.0f * x) | wave_byte(3.0f * x - 1.0f) << 8 |
               wave_byte(3.0f * x - 2.0f) << 16 | 0xff000000u;
    }
    if (map == 2u) {
        const pd_f32 hue = wave_angle(im, re);
        x = (x < 0.0f) ? 0.0f : (x > 1.0f) ? 1.0f : x;
        return wave_byte(x * wave_channel(hue)) |
               wave_byte(x * wave_channel(hue - 0.333333343f)) << 8 |
               wave_byte(x * wave_channel(hue + 0.333333343f)) << 16 | 0xff000000u;
    }
    if (map == 3u) return table[b];
    return b | b << 8 | b << 16 | 0xff000000u;
}

#if !PD_WAVE_LISTED
// f0 step 0 + f1 step 1 + f2 step 2 in coordinate j; a macro, since params are not indexed by
// variables.
#define WAVE_STEP(k, i) pd_two_raw((k).step[i], (k).step[(i) + 1])
#define WAVE_ALONG(k, j, f0, f1, f2)                                  \
    pd_two_add(pd_two_add(pd_two_mul1(WAVE_STEP(k, 2 * (j)), f0),           \
                      pd_two_mul1(WAVE_STEP(k, 2 * (j) + 6), f1)),      \
             pd_two_mul1(WAVE_STEP(k, 2 * (j) + 12), f2))
PD_FN pd_two wave_kept(PD_LPTR(const pd_u32) from)
{
    return pd_two_raw(PD_AS_F32(from[0]), PD_AS_F32(from[1]));
}
#endif

#if PD_WAVE_LISTED
// The words of a point's coordinates; zeros for those it has not.
typedef struct {
    pd_u32 low[3], high[3];
} wave_place;

PD_FN wave_place wave_place_of(PD_GPTR(const pd_u32) points, pd_u32 at, pd_u32 axis, pd_u32 wide,
                               pd_u32 dimensions)
{
    const pd_u32 y = (dimensions > 1u) ? 1u : 0u, z = (dimensions > 2u) ? 1u : 0u;
    wave_place place;
    place.low[0] = points[at];
    place.low[1] = wave_word(points, at + axis, y);
    place.low[2] = wave_word(points, at + 2u * axis, z);
    place.high[0] = wave_word(points, at + 1u, wide);
    place.high[1] = wave_word(points, at + axis + 1u, y & wide);
    place.high[2] = wave_word(points, at + 2u * axis + 1u, z & wide);
    return place;
}

PD_FN void wave_position(wave_place place, pd_u32 wide, pd_two *to)
{
    to[0] = pd_two_words(place.low[0], place.high[0], wide);
    to[1] = pd_two_words(place.low[1], place.high[1], wide);
    to[2] = pd_two_words(place.low[2], place.high[2], wide);
}
#endif

#if PD_WAVE_LISTED
#if PD_WAVE_POINTS == 2
#define WAVE_COLUMN_LOOP WAVE_UNROLL // all are asked for before one is looked at
#else
#define WAVE_COLUMN_LOOP WAVE_ROLL
#endif
// Coordinate j of the points of an item, through its part of local memory, so that the long loop
// needs no copy a point. The last tile is filled up with its last point; what is not finite spoils
// only its own point.
#define WAVE_COLUMN(j, to, rest, lowest, highest)                                               \
    WAVE_COLUMN_LOOP                                                                            \
    for (pd_u32 p = 0u; p < WAVE_POINTS; p++) {                                                 \
        const pd_u32 n = first + p * PD_WAVE_WG, i = (n < k.points) ? n : k.points - 1u;        \
        pd_two at;                                                                            \
        at.hi = at.lo = 0.0f;                                                                   \
        if ((j) < k.list_dimensions)                                                            \
            at = pd_two_load(points, k.list_base + i * k.list_step + (j) * k.list_axis,           \
                           k.list_wide);                                                        \
        stage[p * PD_WAVE_WG + l] = at.hi;                                                      \
        stage[(p + WAVE_POINTS) * PD_WAVE_WG + l] = at.lo;                                      \
        if (PD_FABS(at.hi) < 1e18f) {                                                           \
            lowest = (at.hi < lowest) ? at.hi : lowest;                                         \
            highest = (at.hi > highest) ? at.hi : highest;                                      \
        }                                                                                       \
    }                                                                                           \
    WAVE_UNROLL                                                                                 \
    for (pd_u32 p = 0u; p < WAVE_POINTS; p++) {                                                 \
        to[p] = stage[p * PD_WAVE_WG + l];                                                      \
        rest[p] = stage[(p + WAVE_POINTS) * PD_WAVE_WG + l];                                    \
    }
#endif

#if PD_WAVE_LISTED
// The middle between two coordinates, or 0 when that is about as good: the way from the centre to a
// point in one word is exact then. So it is when no point is more than twice as far from 0 as the
// centre, or less than half as far.
PD_FN pd_two wave_centre(pd_f32 low, pd_f32 high, pd_u32 *exact)
{
    pd_f32 middle = 0.5f * (low + high);
    const pd_f32 a = PD_FABS(low), b = PD_FABS(high), least = (a < b) ? a : b;
    if (PD_FABS(middle) < 0.125f * (high - low)) middle = 0.0f;
    if (middle != 0.0f && ((low < 0.0f) != (high < 0.0f) || PD_FABS(middle) > 2.0f * least))
        *exact = 0u;
    return pd_two_of(middle, 0.0f);
}
#endif

// The smallest (of the first three arrays) and largest values of a group, left in element 0.
PD_FN void wave_box(PD_LPTR(pd_f32) box, pd_u32 l)
{
    WAVE_ROLL
    for (pd_u32 s = PD_WAVE_WG / 2u; s > 0u; s >>= 1) {
        PD_BARRIER();
        if (l < s)
            for (pd_u32 j = 0u; j < 6u; j++) {
                const pd_u32 at = j * PD_WAVE_WG + l;
                const pd_f32 a = box[at], b = box[at + s];
                box[at] = ((j < 3u) == (a < b)) ? a : b;
            }
    }
    PD_BARRIER();
}

// Where point p of an item is, from the tile's centre, in two words; items of a tile keep no such.
#if PD_WAVE_LISTED
#define WAVE_WAY(p, at)                                                                        \
    {                                                                                          \
        const pd_u32 n_ = first + (p) * PD_WAVE_WG;                                            \
        wave_position(wave_place_of(points, kept[11] + ((n_ < k.points) ? n_ : k.points - 1u) * \
                                                kept[12], kept[13], kept[14], kept[15]),       \
                      kept[14], at);                                                           \
        at[0] = pd_two_sub(at[0], tile.x);                                                     \
        at[1] = pd_two_sub(at[1], tile.y);                                                     \
        at[2] = pd_two_sub(at[2], tile.z);                                                     \
    }
#else
#define WAVE_WAY(p, at)                                                                        \
    {                                                                                          \
        const pd_f32 g0_ = f0 + (pd_f32)(p);                                                   \
        for (pd_u32 q_ = 0u; q_ < 3u; q_++)                                                    \
            at[q_] = pd_two_add(pd_two_mul1(wave_kept(kept + 11u + 2u * q_), g0_),             \
                                pd_two_raw(rows[2u * q_ * PD_WAVE_WG + l],                     \
                                           rows[(2u * q_ + 1u) * PD_WAVE_WG + l]));            \
    }
#endif

// Adds to the sums of point p.
#if PD_WAVE_MODE == 2
#define WAVE_SUM(p, a, b, ga, gb)                                                              \
    WAVE_UNROLL                                                                                \
    for (pd_u32 q_ = 0u; q_ < WAVE_POINTS; q_++)                                               \
        if (q_ == (p)) {                                                                       \
            sum.re[q_] += (a);                                                                 \
            sum.im[q_] += (b);                                                                 \
            WAVE_UNROLL                                                                        \
            for (pd_u32 j_ = 0u; j_ < 3u; j_++) {                                              \
                sum.gre[q_ + j_ * WAVE_POINTS] += ga[j_];                                      \
                sum.gim[q_ + j_ * WAVE_POINTS] += gb[j_];                                      \
            }                                                                                  \
        }
#else
#define WAVE_SUM(p, a, b, ga, gb)                                                              \
    WAVE_UNROLL                                                                                \
    for (pd_u32 q_ = 0u; q_ < WAVE_POINTS; q_++)                                               \
        if (q_ == (p)) {                                                                       \
            sum.re[q_] += (a);                                                                 \
            sum.im[q_] += (b);                                                                 \
        }
#endif

// The field of one tile. report: for each tile pairs left out, largest phase error, range of v.
PD_KERNEL_MIN(padic_k_wave_field, PD_WAVE_WG, WAVE_GROUPS)
(PD_CBUF(pd_u32, points), PD_CBUF(pd_f32, record), PD_CBUF(pd_u32, table), PD_BUF(pd_f32, out),
 PD_BUF(pd_u8, pixels), PD_BUF(pd_u32, report), PD_BUF(pd_f32, slopes),
 PD_PARAMS(padic_k_wave_field_params, k))
{
    PD_LOCAL WAVE_ALIGN pd_f32 stage[PD_WAVE_WG * WAVE_WORDS];
    PD_LOCAL pd_u32 scan0[PD_WAVE_WG];
    PD_LOCAL pd_u32 scan1[PD_WAVE_WG];
    PD_LOCAL pd_u32 late[PD_WAVE_WG * (PD_WAVE_WG / 32u)]; // bits of sources an item takes WIDE
    PD_LOCAL pd_u32 hits[1]; // pairs left out
#if PD_WAVE_ALIKE
    PD_LOCAL pd_u32 unlike[1]; // amplitudes of sources of OPEN are
#endif
#if !PD_WAVE_LISTED
    PD_LOCAL pd_f32 rows[6u * PD_WAVE_WG]; // where an item's row is, two words
#endif
#if PD_WAVE_TOTALS
    PD_LOCAL pd_f32 totals[2u * WAVE_POINTS * PD_WAVE_WG]; // each item's own
#endif
    PD_LOCAL pd_u32 kept[48]; // params wanted late or seldom: else registers would hold them
    const pd_u32 l = PD_LID, number = k.tile + PD_GRP;
    pd_u32 valid = 0u;
    pd_f32 worst = 0.0f, low = 3.4028235e38f, high = -3.4028235e38f;
    wave_points d;
#if !PD_WAVE_TOTALS
    wave_sums total;
#endif
    wave_tile tile;
    if (l == 0u) {
        hits[0] = 0u;
        kept[0] = k.out_base;
        kept[1] = k.out_step[0];
        kept[2] = k.out_step[1];
        kept[3] = k.out_step[2];
        kept[4] = k.out_last;
        kept[5] = k.emit;
        kept[6] = k.tone;
        kept[7] = k.nan_colour;
        kept[8] = PD_AS_U32(k.low);
        kept[9] = PD_AS_U32(k.high);
        kept[10] = PD_AS_U32(k.scale);
        kept[29] = PD_AS_U32(k.tolerance);
        kept[30] = PD_AS_U32(k.length);
#if PD_WAVE_MODE == 1
        kept[38] = number * ((k.groups + k.share - 1u) / k.share) + PD_GRP_Y;
#else
        kept[38] = number;
#endif
        kept[39] = k.sources;
#if PD_WAVE_MODE == 2
        kept[40] = k.slope_base;
        kept[41] = k.slope_step[0];
        kept[42] = k.slope_step[1];
        kept[43] = k.slope_step[2];
        kept[44] = k.slope_axis;
        kept[45] = k.components;
#endif
#if PD_WAVE_LISTED
        kept[11] = k.list_base;
        kept[12] = k.list_step;
        kept[13] = k.list_axis;
        kept[14] = k.list_wide;
        kept[15] = k.list_dimensions;
#else
        kept[11] = PD_AS_U32(k.step[0]);
        kept[12] = PD_AS_U32(k.step[1]);
        kept[13] = PD_AS_U32(k.step[2]);
        kept[14] = PD_AS_U32(k.step[3]);
        kept[15] = PD_AS_U32(k.step[4]);
        kept[16] = PD_AS_U32(k.step[5]);
        kept[17] = PD_AS_U32(k.step[6]);
        kept[18] = PD_AS_U32(k.step[7]);
        kept[19] = PD_AS_U32(k.step[8]);
        kept[20] = PD_AS_U32(k.step[9]);
        kept[21] = PD_AS_U32(k.step[10]);
        kept[22] = PD_AS_U32(k.step[11]);
        kept[23] = PD_AS_U32(k.step[12]);
        kept[24] = PD_AS_U32(k.step[13]);
        kept[25] = PD_AS_U32(k.step[14]);
        kept[26] = PD_AS_U32(k.step[15]);
        kept[27] = PD_AS_U32(k.step[16]);
        kept[28] = PD_AS_U32(k.step[17]);
#endif
    }
    PD_BARRIER();
#if PD_WAVE_LISTED
    const pd_u32 first = number * PD_WAVE_WG * WAVE_POINTS + l;
    const pd_f32 ax = 0.0f, ay = 0.0f, az = 0.0f;
    {
        pd_f32 box[6] = {3e38f, 3e38f, 3e38f, -3e38f, -3e38f, -3e38f}, largest = 0.0f, square;
        pd_f32 rx[WAVE_POINTS], ry[WAVE_POINTS], rz[WAVE_POINTS]; // second words
        for (pd_u32 p = 0u; p < WAVE_POINTS; p++)
            if (first + p * PD_WAVE_WG < k.points) valid |= 1u << p;
        WAVE_COLUMN(0u, d.x, rx, box[0], box[3])
        WAVE_COLUMN(1u, d.y, ry, box[1], box[4])
        WAVE_COLUMN(2u, d.z, rz, box[2], box[5])
        PD_BARRIER();
        for (pd_u32 j = 0u; j < 6u; j++) stage[j * PD_WAVE_WG + l] = box[j];
        wave_box(stage, l);
        tile.exact = 1u;
        tile.x = wave_centre(stage[0], stage[3u * PD_WAVE_WG], &tile.exact);
        tile.y = wave_centre(stage[PD_WAVE_WG], stage[4u * PD_WAVE_WG], &tile.exact);
        tile.z = wave_centre(stage[2u * PD_WAVE_WG], stage[5u * PD_WAVE_WG], &tile.exact);
        PD_BARRIER();
        WAVE_UNROLL
        for (pd_u32 p = 0u; p < WAVE_POINTS; p++) {
            const pd_two x = pd_two_sum(d.x[p], -tile.x.hi), y = pd_two_sum(d.y[p], -tile.y.hi);
            const pd_two z = pd_two_sum(d.z[p], -tile.z.hi);
            d.x[p] = x.hi + (x.lo + rx[p]);
            d.y[p] = y.hi + (y.lo + ry[p]);
            d.z[p] = z.hi + (z.lo + rz[p]);
            square = PD_FMA(d.x[p], d.x[p], PD_FMA(d.y[p], d.y[p], d.z[p] * d.z[p]));
            largest = (square < 1e36f && square > largest) ? square : largest;
            if (rx[p] != 0.0f || ry[p] != 0.0f || rz[p] != 0.0f) tile.exact = 0u;
        }
        for (pd_u32 j = 0u; j < 6u; j++)
            stage[j * PD_WAVE_WG + l] = (j < 3u) ? (pd_f32)tile.exact : largest;
        wave_box(stage, l);
        tile.radius = PD_SQRT(stage[3u * PD_WAVE_WG]) * 1.000001f;
        tile.place = 0.0f;
        tile.exact = (stage[0] != 0.0f) ? 1u : 0u;
    }
#else
    const pd_u32 l0 = l & ((1u << k.log[0]) - 1u), l1 = (l >> k.log[0]) & ((1u << k.log[1]) - 1u);
    const pd_u32 l2 = l >> (k.log[0] + k.log[1]);
    const pd_u32 t0 = number % k.tiles[0], t1 = number / k.tiles[0] % k.tiles[1];
    const pd_u32 t2 = number / k.tiles[0] / k.tiles[1];
    const pd_u32 i0 = (t0 << (k.log[0] + WAVE_LOG)) + WAVE_POINTS * l0, i1 = (t1 << k.log[1]) + l1;
    const pd_u32 i2 = (t2 << k.log[2]) + l2;
    // Half the tile, in steps, and this item's first point from the centre.
    const pd_f32 h0 = 0.5f * (pd_f32)((WAVE_POINTS << k.log[0]) - 1u);
    const pd_f32 h1 = 0.5f * (pd_f32)((1u << k.log[1]) - 1u);
    const pd_f32 h2 = 0.5f * (pd_f32)((1u << k.log[2]) - 1u);
    const pd_f32 f0 = (pd_f32)(WAVE_POINTS * l0) - h0, f1 = (pd_f32)l1 - h1, f2 = (pd_f32)l2 - h2;
    const pd_f32 c0 = (pd_f32)(i0 - WAVE_POINTS * l0) + h0, c1 = (pd_f32)(i1 - l1) + h1;
    const pd_f32 c2 = (pd_f32)(i2 - l2) + h2;
    const pd_f32 ax = PD_AS_F32(kept[11]), ay = PD_AS_F32(kept[13]), az = PD_AS_F32(kept[15]);
    tile.x = pd_two_add(pd_two_raw(k.origin[0], k.origin[1]), WAVE_ALONG(k, 0, c0, c1, c2));
    tile.y = pd_two_add(pd_two_raw(k.origin[2], k.origin[3]), WAVE_ALONG(k, 1, c0, c1, c2));
    tile.z = pd_two_add(pd_two_raw(k.origin[4], k.origin[5]), WAVE_ALONG(k, 2, c0, c1, c2));
    if (l == 0u) { // out of the scalar registers, which are short on some chips
        kept[31] = PD_AS_U32(tile.x.hi);
        kept[32] = PD_AS_U32(tile.x.lo);
        kept[33] = PD_AS_U32(tile.y.hi);
        kept[34] = PD_AS_U32(tile.y.lo);
        kept[35] = PD_AS_U32(tile.z.hi);
        kept[36] = PD_AS_U32(tile.z.lo);
        kept[37] = PD_AS_U32(k.radius);
        kept[46] = PD_AS_U32(k.place);
    }
    PD_BARRIER();
    tile.x = wave_kept(kept + 31);
    tile.y = wave_kept(kept + 33);
    tile.z = wave_kept(kept + 35);
    tile.radius = PD_AS_F32(kept[37]);
    tile.place = PD_AS_F32(kept[46]);
    tile.exact = 0u;
    for (pd_u32 j = 0u; j < 3u; j++) {
        const pd_two row = pd_two_add(pd_two_mul1(wave_kept(kept + 17u + 2u * j), f1),
                                      pd_two_mul1(wave_kept(kept + 23u + 2u * j), f2));
        rows[2u * j * PD_WAVE_WG + l] = row.hi;
        rows[(2u * j + 1u) * PD_WAVE_WG + l] = row.lo;
    }
    d.x = WAVE_ALONG(k, 0, f0, f1, f2).hi;
    d.y = WAVE_ALONG(k, 1, f0, f1, f2).hi;
    d.z = WAVE_ALONG(k, 2, f0, f1, f2).hi;
    d.ax = ax;
    d.ay = ay;
    d.az = az;
#if PD_WAVE_LINE
    {
        const pd_f32 m0 = f0 + 0.5f * (pd_f32)(PD_WAVE_POINTS - 1);
        d.cx = WAVE_ALONG(k, 0, m0, f1, f2).hi;
        d.cy = WAVE_ALONG(k, 1, m0, f1, f2).hi;
        d.cz = WAVE_ALONG(k, 2, m0, f1, f2).hi;
        d.middle = PD_FMA(d.cx, d.cx, PD_FMA(d.cy, d.cy, d.cz * d.cz));
        d.step = PD_FMA(d.cx, ax, PD_FMA(d.cy, ay, d.cz * az));
    }
#endif
    WAVE_UNROLL
    for (pd_u32 p = 0u; p < WAVE_POINTS; p++) {
        if (i0 + p < k.count[0] && i1 < k.count[1] && i2 < k.count[2]) valid |= 1u << p;
    }
    (void)points;
#endif
    WAVE_UNROLL
    for (pd_u32 p = 0u; p < WAVE_POINTS; p++) WAVE_TOTAL_RE(p) = WAVE_TOTAL_IM(p) = 0.0f;
#if PD_WAVE_MODE == 2
    WAVE_UNROLL
    for (pd_u32 p = 0u; p < 3u * WAVE_POINTS; p++) total.gre[p] = total.gim[p] = 0.0f;
#endif
#if PD_WAVE_MODE == 1
    // Of at most `groups` frequencies table[groups] are there.
    const pd_u32 there = table[k.groups];
    pd_u32 band = PD_GRP_Y * k.share, base = (band > 0u && band < there) ? table[band - 1u] : 0u;
    const pd_u32 bands = (there < band + k.share) ? there : band + k.share;
    pd_u32 last = (band < bands) ? table[band] : 0u;
    while (band < bands) {
        const pd_u32 mine = base + l, here = (last - base < PD_WAVE_WG) ? last : base + PD_WAVE_WG;
#else
    const pd_u32 here = k.sources;
    for (pd_u32 base = 0u; base < k.sources; base += PD_WAVE_WG) {
        const pd_u32 mine = base + l;
#endif
        pd_f32 to[WAVE_WORDS], error = 0.0f;
        pd_u32 class_ = WAVE_NONE, own0 = 0u, own1 = 0u, all0, all1, slot, i = 0u, end, some;
        wave_sums sum;
        for (pd_u32 j = 0u; j < WAVE_WORDS; j++) to[j] = 0.0f;
        if (mine < here)
            class_ = wave_stage(record + mine, kept[39], to, &tile, ax, ay, az,
                                PD_AS_F32(kept[29]), PD_AS_F32(kept[30]), &error);
        if (mine < here) error += record[12u * kept[39] + mine];
        worst = (error > worst) ? error : worst;
        if (class_ < 4u) own0 = 1u << (8u * class_);
        if (class_ > 3u && class_ < WAVE_NONE) own1 = 1u << (8u * (class_ - 4u));
        // Sorts the block by class, in the order of the sources.
        PD_BARRIER();
#if PD_WAVE_ALIKE
        if (l == 0u) unlike[0] = 0u;
#endif
        scan0[l] = own0;
        scan1[l] = own1;
        WAVE_ROLL
        for (pd_u32 step = 1u; step < PD_WAVE_WG; step <<= 1) {
            pd_u32 a = 0u, b = 0u;
            PD_BARRIER();
            if (l >= step) {
                a = scan0[l - step];
                b = scan1[l - step];
            }
            PD_BARRIER();
            scan0[l] += a;
            scan1[l] += b;
        }
        PD_BARRIER();
        all0 = scan0[PD_WAVE_WG - 1u];
        all1 = scan1[PD_WAVE_WG - 1u];
        // A byte a class, of at most 128 sources; those of earlier classes come first.
        own0 = all0 * 0x01010100u;
        own1 = all1 * 0x01010100u + (all0 * 0x01010101u >> 24) * 0x01010101u;
        slot = (class_ < 4u) ? scan0[l] + own0 : scan1[l] + own1;
        slot = (slot >> (8u * (class_ & 3u))) & 255u;
        if (class_ < WAVE_NONE) {
            WAVE_UNROLL
            for (pd_u32 j = 0u; j < WAVE_WORDS; j++) stage[WAVE_WORDS * (slot - 1u) + j] = to[j];
        }
        PD_BARRIER();
#if PD_WAVE_ALIKE
        if (class_ == WAVE_OPEN && to[5] != stage[5]) (void)PD_ATOMIC_OR_L(unlike, 1u);
        PD_BARRIER();
#endif
        WAVE_UNROLL
        for (pd_u32 p = 0u; p < WAVE_POINTS; p++) sum.re[p] = sum.im[p] = 0.0f;
#if PD_WAVE_MODE == 2
        WAVE_UNROLL
        for (pd_u32 p = 0u; p < 3u * WAVE_POINTS; p++) sum.gre[p] = sum.gim[p] = 0.0f;
#else
        end = all0 & 255u;
#if PD_WAVE_ALIKE
        if (unlike[0] == 0u) {
            const pd_f32 a = stage[5];
            for (; i + PD_WAVE_TOGETHER <= end; i += PD_WAVE_TOGETHER) {
                WAVE_UNROLL
                for (pd_u32 j = 0u; j < PD_WAVE_TOGETHER; j++)
                    wave_open(stage + WAVE_WORDS * (i + j), &d, PD_AS_F32(kept[30]), 1u,
                              WAVE_POLY + (j & 1u) * PD_WAVE_POLY_MORE, &sum);
            }
            WAVE_UNROLL
            for (pd_u32 p = 0u; p < WAVE_POINTS; p++) {
                sum.re[p] *= a;
                sum.im[p] *= a;
            }
        }
#endif
#if PD_WAVE_TOGETHER > 1
        for (; i + PD_WAVE_TOGETHER <= end; i += PD_WAVE_TOGETHER) {
            WAVE_UNROLL
            for (pd_u32 j = 0u; j < PD_WAVE_TOGETHER; j++)
                wave_open(stage + WAVE_WORDS * (i + j), &d, PD_AS_F32(kept[30]), 0u,
                          WAVE_POLY + (j & 1u) * PD_WAVE_POLY_MORE, &sum);
        }
#endif
        for (; i < end; i++)
            wave_open(stage + WAVE_WORDS * i, &d, PD_AS_F32(kept[30]), 0u, WAVE_POLY, &sum);
        {
            pd_f32 lost = 0.0f; // NaN if a sum is not finite
            WAVE_UNROLL
            for (pd_u32 p = 0u; p < WAVE_POINTS; p++) lost = PD_FMA(0.0f, sum.re[p], lost);
            if (lost != 0.0f) {
                i = 0u; // these sources with care
                WAVE_UNROLL
                for (pd_u32 p = 0u; p < WAVE_POINTS; p++) sum.re[p] = sum.im[p] = 0.0f;
            }
        }
#endif
        WAVE_UNROLL
        for (pd_u32 j = 0u; j < PD_WAVE_WG / 32u; j++) late[j * PD_WAVE_WG + l] = 0u;
        some = 0u;
        for (end = (all0 & 255u) + ((all0 >> 8) & 255u); i < end; i++)
            if (wave_direct(stage + WAVE_WORDS * i, &d, PD_AS_F32(kept[30]), valid, hits, &sum)) {
                late[(i >> 5) * PD_WAVE_WG + l] |= 1u << (i & 31u);
                some |= 1u << (i >> 5);
            }
#if PD_WAVE_MODE != 2
        wave_square(&d);
#endif
#if PD_WAVE_MODE != 2 && !PD_WAVE_LINE
        for (end += (all0 >> 16) & 255u; i < end; i++)
            wave_series3(stage + WAVE_WORDS * i, &d, &sum);
        for (end += all0 >> 24; i < end; i++) wave_series4(stage + WAVE_WORDS * i, &d, &sum);
#endif
        end += all1 & 255u;
#if PD_WAVE_ROOT
        for (; i < end; i++)
            wave_middle(stage + WAVE_WORDS * i, &d, PD_AS_F32(kept[30]), 1u, &sum);
#endif
        for (end += (all1 >> 8) & 255u; i < end; i++)
            wave_middle(stage + WAVE_WORDS * i, &d, PD_AS_F32(kept[30]), 0u, &sum);
        end += (all1 >> 16) & 255u;
        WAVE_ROLL
        for (pd_u32 p = 0u; i < end && p < WAVE_POINTS; p++) {
            pd_two at[3];
            pd_f32 re = 0.0f, im = 0.0f;
#if PD_WAVE_MODE == 2
            pd_f32 way[3], gre[3] = {0.0f, 0.0f, 0.0f}, gim[3] = {0.0f, 0.0f, 0.0f};
#endif
            WAVE_WAY(p, at)
            WAVE_ROLL
            for (pd_u32 j = i; j < end; j++) {
#if PD_WAVE_MODE == 2
                const wave_pair f = wave_wide(stage + WAVE_WORDS * j, at, PD_AS_F32(kept[30]),
                                              (valid >> p) & 1u, hits, way);
                re += f.re;
                im += f.im;
                WAVE_UNROLL
                for (pd_u32 q = 0u; q < 3u; q++) {
                    gre[q] = PD_FMA(f.gre, way[q], gre[q]);
                    gim[q] = PD_FMA(f.gim, way[q], gim[q]);
                }
#else
                const wave_phasor f = wave_wide(stage + WAVE_WORDS * j, at, PD_AS_F32(kept[30]),
                                                (valid >> p) & 1u, hits);
                re = PD_FMA(f.size, f.re, re);
                im = PD_FMA(f.size, f.im, im);
#endif
            }
            WAVE_SUM(p, re, im, gre, gim)
        }
#if PD_WAVE_LINE
        i = end;
        end += all1 >> 24;
#if PD_WAVE_LINE > 1
        for (; i + PD_WAVE_LINE <= end; i += PD_WAVE_LINE) {
            WAVE_UNROLL
            for (pd_u32 j = 0u; j < PD_WAVE_LINE; j++)
                wave_line(stage + WAVE_WORDS * (i + j), &d,
                         PD_WAVE_POLY_LINE + (j & 1u) * PD_WAVE_POLY_LINE_MORE, &sum);
        }
#endif
        for (; i < end; i++) wave_line(stage + WAVE_WORDS * i, &d, PD_WAVE_POLY_LINE, &sum);
#endif
        WAVE_ROLL
        while (some != 0u) { // near points of DIRECT: few, so each item goes through its own
            const pd_u32 word = 31u - PD_CLZ(some), bits = late[word * PD_WAVE_WG + l];
            const pd_u32 j = 32u * word + 31u - PD_CLZ(bits);
            wave_local s = stage + WAVE_WORDS * j;
            const pd_f32 near_ = wave_near(s, PD_AS_F32(kept[30]));
            pd_f32 r2[WAVE_POINTS];
            pd_u32 mask = 0u;
            late[word * PD_WAVE_WG + l] = bits & ~(1u << (j & 31u));
            if ((bits & (bits - 1u)) == 0u) some &= ~(1u << word);
            (void)wave_squares(s, &d, PD_AS_F32(kept[30]), r2);
            WAVE_UNROLL
            for (pd_u32 p = 0u; p < WAVE_POINTS; p++) mask |= (r2[p] <= near_) ? 1u << p : 0u;
            WAVE_ROLL
            while (mask != 0u) {
                const pd_u32 p = 31u - PD_CLZ(mask);
                pd_two at[3];
#if PD_WAVE_MODE == 2
                pd_f32 way[3], gre[3], gim[3];
                wave_pair f;
#else
                wave_phasor f;
#endif
                mask &= ~(1u << p);
                WAVE_WAY(p, at)
#if PD_WAVE_MODE == 2
                f = wave_wide(s, at, PD_AS_F32(kept[30]), (valid >> p) & 1u, hits, way);
                WAVE_UNROLL
                for (pd_u32 q = 0u; q < 3u; q++) {
                    gre[q] = f.gre * way[q];
                    gim[q] = f.gim * way[q];
                }
                WAVE_SUM(p, f.re, f.im, gre, gim)
#else
                f = wave_wide(s, at, PD_AS_F32(kept[30]), (valid >> p) & 1u, hits);
                WAVE_SUM(p, f.size * f.re, f.size * f.im, 0, 0)
#endif
            }
        }
        WAVE_UNROLL
        for (pd_u32 p = 0u; p < WAVE_POINTS; p++) {
            WAVE_TOTAL_RE(p) += sum.re[p];
            WAVE_TOTAL_IM(p) += sum.im[p];
        }
#if PD_WAVE_MODE == 2
        WAVE_UNROLL
        for (pd_u32 p = 0u; p < 3u * WAVE_POINTS; p++) {
            total.gre[p] += sum.gre[p];
            total.gim[p] += sum.gim[p];
        }
#elif PD_WAVE_MODE == 1
        base = here;
        if (base == last) { // the wave of a frequency is whole: out has a row of points for re, im
            const pd_f32 sign = (kept[5] & WAVE_CONJUGATE) ? -1.0f : 1.0f;
            const pd_u32 row = (PD_GRP * k.groups + band) * 2u * WAVE_POINTS * PD_WAVE_WG + l;
            WAVE_UNROLL
            for (pd_u32 p = 0u; p < WAVE_POINTS; p++) {
                const pd_u32 kept_ = (valid >> p) & 1u;
                out[row + p * PD_WAVE_WG] = (kept_ != 0u) ? WAVE_TOTAL_RE(p) : 0.0f;
                out[row + (p + WAVE_POINTS) * PD_WAVE_WG] =
                    (kept_ != 0u) ? sign * WAVE_TOTAL_IM(p) : 0.0f;
                WAVE_TOTAL_RE(p) = WAVE_TOTAL_IM(p) = 0.0f;
            }
            band++;
            last = (band < bands) ? table[band] : 0u;
        }
#endif
    }
    PD_BARRIER();
#if PD_WAVE_MODE == 2
    WAVE_UNROLL
    for (pd_u32 p = 0u; p < WAVE_POINTS; p++) {
#if PD_WAVE_LISTED
        const pd_u32 at = kept[40] + (first + p * PD_WAVE_WG) * kept[41];
#else
        const pd_u32 at = kept[40] + (i0 + p) * kept[41] + i1 * kept[42] + i2 * kept[43];
#endif
        WAVE_UNROLL
        for (pd_u32 j = 0u; j < 3u; j++) {
            const pd_u32 to = 2u * (at + j * kept[44]);
            const pd_f32 re = total.gre[p + j * WAVE_POINTS], i_ = total.gim[p + j * WAVE_POINTS];
            const pd_f32 im = (kept[5] & WAVE_CONJUGATE) ? -i_ : i_;
            if (!((valid >> p) & 1u) || j >= kept[45]) continue;
            slopes[to] = (kept[5] & WAVE_ACCUMULATE) ? slopes[to] + re : re;
            slopes[to + 1u] = (kept[5] & WAVE_ACCUMULATE) ? slopes[to + 1u] + im : im;
        }
    }
    if (!(kept[5] & WAVE_FIELD)) valid = 0u;
#endif
#if PD_WAVE_MODE != 1
    WAVE_UNROLL
    for (pd_u32 p = 0u; p < WAVE_POINTS; p++) { // so that the long loop needs no copy a point
        stage[p * PD_WAVE_WG + l] = WAVE_TOTAL_RE(p);
        stage[(p + WAVE_POINTS) * PD_WAVE_WG + l] = WAVE_TOTAL_IM(p);
    }
    WAVE_ROLL
    for (pd_u32 p = 0u; p < WAVE_POINTS; p++) {
        const pd_u32 emit = kept[5] & 255u;
        const pd_f32 re = stage[p * PD_WAVE_WG + l], i_ = stage[(p + WAVE_POINTS) * PD_WAVE_WG + l];
        const pd_f32 im = (kept[5] & WAVE_CONJUGATE) ? -i_ : i_;
#if PD_WAVE_LISTED
        const pd_u32 at = kept[0] + (first + p * PD_WAVE_WG) * kept[1];
#else
        const pd_u32 at = kept[0] + (i0 + p) * kept[1] + i1 * kept[2] +
                          i2 * kept[3];
#endif
        if (!((valid >> p) & 1u)) continue;
        if (emit == 0u && (kept[5] & WAVE_ACCUMULATE)) {
            out[2u * at] += re;
            out[2u * at + 1u] += im;
        } else if (emit == 0u) {
            out[2u * at] = re;
            out[2u * at + 1u] = im;
        } else if (emit < 5u) {
            out[at] = wave_real(emit, re, im);
        } else {
            const pd_f32 v = wave_real(kept[6] & 255u, re, im);
            const pd_u32 pixel = (v == v) ? wave_pixel(table, kept[6], PD_AS_F32(kept[8]),
                                                       PD_AS_F32(kept[9]), PD_AS_F32(kept[10]), v,
                                                       re, im)
                                          : kept[7];
            for (pd_u32 j = 0u; j < 4u; j++)
                pixels[at + j * kept[4]] = (pd_u8)((pixel >> (8u * j)) & 255u);
            low = (v >= -3.4028235e38f && v < low) ? v : low;
            high = (v <= 3.4028235e38f && v > high) ? v : high;
        }
    }
    PD_BARRIER();
#else
    (void)pixels;
#endif
    (void)slopes;
    for (pd_u32 j = 0u; j < 6u; j++)
        stage[j * PD_WAVE_WG + l] = (j < 3u) ? low : (j == 3u) ? high : worst;
    wave_box(stage, l);
    if (l == 0u) {
        const pd_u32 mine = 4u * kept[38];
        report[mine] = hits[0];
        report[mine + 1u] = PD_AS_U32(stage[4u * PD_WAVE_WG]);
        report[mine + 2u] = PD_AS_U32(stage[0]);
        report[mine + 3u] = PD_AS_U32(stage[3u * PD_WAVE_WG]);
    }
}

// Few pairs: one launch, a point an item, its sources dealt out to 2^split items. No tiles: a pair
// takes one word, or two, by its own distance, which is right however near it is. report: for each
// group pairs left out, largest phase error.
#define WAVE_SMALL_ITEMS 256u
#define WAVE_SMALL_SOURCES 128u
#define WAVE_REPORT 2048u // somebody wants to know

#if PD_WAVE_MODE == 0 && PD_WAVE_LISTED
// Record: that of WIDE, with the source's own place, negated; the squared distance up to which one
// word will do, what w t may be wrong by.
PD_FN void wave_small_stage(wave_source s, pd_f32 tolerance, pd_f32 length, PD_LPTR(pd_f32) to)
{
    const pd_f32 wave = PD_FABS(s.number.hi), spare = tolerance - WAVE_ERROR_PHASE;
    pd_f32 a = s.a, inside = 0.0f, reach;
    to[13] = wave_soften(s.number, s.turns, length, &a, &inside);
    reach = (spare > 0.0f) ? spare / WAVE_ERROR_DIRECT : 0.0f; // wavelengths
    reach = (reach > 1e15f * wave) ? 1e15f : reach / wave;
    to[0] = -s.x.hi;
    to[8] = -s.x.lo;
    to[1] = -s.y.hi;
    to[9] = -s.y.lo;
    to[2] = -s.z.hi;
    to[10] = -s.z.lo;
    to[3] = s.number.hi;
    to[11] = s.number.lo;
    to[4] = s.turns.hi;
    to[5] = a;
    to[7] = s.b;
    to[12] = inside;
    to[14] = s.turns.lo;
    to[6] = reach * reach;
    to[15] = s.error + WAVE_ERROR_PHASE;
}

// The squared distance of a source from a point.
#define WAVE_WAY_OF(s, at, j) (((at)[j].hi + (s)[j]) + ((at)[j].lo + (s)[8 + (j)]))
PD_FN pd_f32 wave_apart(wave_local s, const pd_two *at, pd_f32 length)
{
    const pd_f32 x = WAVE_WAY_OF(s, at, 0), y = WAVE_WAY_OF(s, at, 1), z = WAVE_WAY_OF(s, at, 2);
    (void)length;
#if PD_WAVE_SOFT == 2
    return PD_FMA(x, x, PD_FMA(y, y, PD_FMA(z, z, length * length)));
#else
    return PD_FMA(x, x, PD_FMA(y, y, z * z));
#endif
}
#endif

PD_KERNEL_WG(padic_k_wave_small, 256)
(PD_CBUF(pd_u32, points), PD_CBUF(pd_u32, position), PD_CBUF(pd_u32, amplitude),
 PD_CBUF(pd_u32, phase), PD_CBUF(pd_u32, rate), PD_CBUF(pd_u32, absorption), PD_BUF(pd_f32, out),
 PD_BUF(pd_u32, report), PD_PARAMS(padic_k_wave_sources_params, k))
{
#if PD_WAVE_MODE == 0 && PD_WAVE_LISTED
    PD_LOCAL WAVE_ALIGN pd_f32 stage[WAVE_SMALL_SOURCES * WAVE_WORDS];
    PD_LOCAL pd_f32 real[WAVE_SMALL_ITEMS];
    PD_LOCAL pd_f32 imag[WAVE_SMALL_ITEMS];
    PD_LOCAL pd_u32 hits[1];
    PD_LOCAL pd_u32 kept[32]; // params that scalar registers, short on some chips, need not hold
    const pd_u32 l = PD_LID, lanes = WAVE_SMALL_ITEMS >> k.split, lane = l & (lanes - 1u);
    const pd_u32 part = l >> (8u - k.split), i = PD_GRP * lanes + lane;
    const pd_u32 valid = (i < k.points) ? 1u : 0u;
#if PD_WAVE_SOFT == 3 || PD_WAVE_SOFT == 5
    const pd_f32 inner = k.length * k.length * 1.000001f;
#else
    const pd_f32 inner = 1.17549435e-38f;
#endif
    pd_f32 re = 0.0f, im = 0.0f, worst = 0.0f;
    pd_u32 rest; // whether a pair is left to two words
    const wave_place place =
        wave_place_of(points, k.list_base + ((i < k.points) ? i : k.points - 1u) * k.list_step,
                      k.list_axis, k.list_wide, k.list_dimensions);
    if (l == 0u) {
        hits[0] = 0u;
        wave_keep(k, kept);
        kept[24] = k.out_base;
        kept[25] = k.out_step;
        kept[26] = k.emit;
    }
    WAVE_ROLL
    for (pd_u32 base = 0u; base < k.count; base += WAVE_SMALL_SOURCES) {
        const pd_u32 n = (k.count - base < WAVE_SMALL_SOURCES) ? k.count - base
                                                              : WAVE_SMALL_SOURCES;
        pd_two at[3];
        rest = 0u;
        PD_BARRIER();
        if (l < n) {
            wave_small_stage(wave_source_of(position, amplitude, phase, rate, rate, absorption,
                                            base + l, wave_keeps(k, kept)),
                             k.tolerance, k.length, stage + WAVE_WORDS * l);
        }
        PD_BARRIER();
        wave_position(place, k.list_wide, at); // not before sources are under way, too
        WAVE_SOME
        for (pd_u32 j = part; j < n; j += 1u << k.split) {
            wave_local s = stage + WAVE_WORDS * j;
            const pd_f32 number = s[3], t = s[4], r2 = wave_apart(s, at, k.length);
            const pd_u32 here = (r2 > inner && r2 <= s[6]) ? 1u : 0u;
            const pd_f32 square = here ? r2 : 1.0f, e = wave_rsqrt(square), r = square * e;
            const wave_phasor f = wave_term(square, r, e,
                                            PD_FMA(number * WAVE_SCALE, r, t * WAVE_SCALE), t,
                                            number, s[5], s[7], k.length, 0u);
            const pd_f32 error = PD_FMA(WAVE_ERROR_DIRECT * PD_FABS(number), r, s[15]);
            const pd_f32 size = here ? f.size : 0.0f;
            worst = (here && error > worst) ? error : worst;
            re = PD_FMA(size, f.re, re);
            im = PD_FMA(size, f.im, im);
            rest |= here ^ 1u;
        }
        WAVE_ROLL
        for (pd_u32 j = rest ? part : n; j < n; j += 1u << k.split) {
            wave_local s = stage + WAVE_WORDS * j;
            const pd_f32 r2 = wave_apart(s, at, k.length);
            if (!(r2 > inner && r2 <= s[6])) {
                const wave_phasor f = wave_wide(s, at, k.length, valid, hits);
                const pd_f32 error = PD_FMA(WAVE_ERROR_TWO * PD_FABS(s[3]), PD_SQRT(r2), s[15]);
                worst = (error > worst) ? error : worst;
                re = PD_FMA(f.size, f.re, re);
                im = PD_FMA(f.size, f.im, im);
            }
        }
    }
    WAVE_ROLL
    for (pd_u32 step = WAVE_SMALL_ITEMS / 2u; step >= lanes; step >>= 1) {
        PD_BARRIER();
        if (l >= step && l < 2u * step) {
            real[l] = re;
            imag[l] = im;
        }
        PD_BARRIER();
        if (l < step) {
            re += real[l + step];
            im += imag[l + step];
        }
    }
    if (part == 0u && valid != 0u) {
        const pd_u32 emit = kept[26] & 255u, to = kept[24] + i * kept[25];
        if (kept[26] & WAVE_CONJUGATE) im = -im;
        if (emit == 0u) {
            out[2u * to] = (kept[26] & WAVE_ACCUMULATE) ? out[2u * to] + re : re;
            out[2u * to + 1u] = (kept[26] & WAVE_ACCUMULATE) ? out[2u * to + 1u] + im : im;
        } else {
            out[to] = wave_real(emit, re, im);
        }
    }
    if (kept[26] & WAVE_REPORT) {
        PD_BARRIER();
        real[l] = worst;
        WAVE_ROLL
        for (pd_u32 step = WAVE_SMALL_ITEMS / 2u; step > 0u; step >>= 1) {
            PD_BARRIER();
            if (l < step) real[l] = (real[l + step] > real[l]) ? real[l + step] : real[l];
        }
        if (l == 0u) {
            report[4u * PD_GRP] = hits[0];
            report[4u * PD_GRP + 1u] = PD_AS_U32(real[0]);
        }
    }
#else
    (void)points;
    (void)position;
    (void)amplitude;
    (void)phase;
    (void)rate;
    (void)absorption;
    (void)out;
    (void)report;
    (void)k;
#endif
}

// Frames. A tile's waves are `waves`, as padic_k_wave_field left them: for each frequency a row of
// real parts, one of imaginary ones.

// Frequencies in order, by what is in the device's memory: sources of one are together then, in
// their own order.
typedef struct {
    pd_u32 count, base, step, wide; // of the frequencies, in words
    pd_u32 driven;                  // each source is a frequency of its own
    pd_f32 scale_hi, scale_lo;      // to turns a time
} padic_k_wave_order_params;

#if PD_WAVE_MODE == 1
typedef struct {
    pd_u32 high, low;
} wave_key;

// Numbers that sort as frequencies do; -0 as 0.
PD_FN wave_key wave_key_of(PD_GPTR(const pd_u32) frequency, padic_k_wave_order_params k, pd_u32 i)
{
    const pd_u32 at = k.base + i * k.step;
    wave_key key;
    key.low = k.wide ? frequency[at] : 0u;
    key.high = k.wide ? frequency[at + 1u] : frequency[at];
    if ((key.high << 1 | key.low) == 0u) key.high = 0u;
    if (key.high >> 31) {
        key.high = ~key.high;
        key.low = ~key.low;
    } else {
        key.high |= 0x80000000u;
    }
    return key;
}
#endif

PD_KERNEL_WG(padic_k_wave_rank, PD_WAVE_WG)
(PD_CBUF(pd_u32, frequency), PD_BUF(pd_u32, order), PD_PARAMS(padic_k_wave_order_params, k))
{
#if PD_WAVE_MODE == 1
    PD_LOCAL pd_u32 high[PD_WAVE_WG];
    PD_LOCAL pd_u32 low[PD_WAVE_WG];
    const pd_u32 l = PD_LID, i = PD_GRP * PD_WAVE_WG + l;
    const pd_u32 own = (i < k.count) ? i : k.count - 1u;
    pd_u32 rank = 0u;
    wave_key key;
    key.high = key.low = 0u;
    if (!k.driven) key = wave_key_of(frequency, k, own);
    for (pd_u32 base = 0u; base < k.count && !k.driven; base += PD_WAVE_WG) {
        const pd_u32 n = (k.count - base < PD_WAVE_WG) ? k.count - base : PD_WAVE_WG;
        PD_BARRIER();
        if (l < n) {
            const wave_key other = wave_key_of(frequency, k, base + l);
            high[l] = other.high;
            low[l] = other.low;
        }
        PD_BARRIER();
        for (pd_u32 j = 0u; j < n; j++)
            if (high[j] < key.high ||
                (high[j] == key.high &&
                 (low[j] < key.low || (low[j] == key.low && base + j < own))))
                rank++;
    }
    if (i < k.count) order[k.driven ? i : rank] = i;
#else
    (void)frequency;
    (void)order;
    (void)k;
#endif
}

// ends: where the sources of each frequency end; ends[count] says how many there are. One group.
PD_KERNEL_WG(padic_k_wave_ends, PD_WAVE_WG)
(PD_CBUF(pd_u32, frequency), PD_CBUF(pd_u32, order), PD_BUF(pd_u32, ends), PD_BUF(pd_f32, rates),
 PD_PARAMS(padic_k_wave_order_params, k))
{
#if PD_WAVE_MODE == 1
    PD_LOCAL pd_u32 scan[PD_WAVE_WG];
    const pd_u32 l = PD_LID;
    pd_u32 found = 0u; // frequencies so far
    for (pd_u32 base = 0u; base < k.count; base += PD_WAVE_WG) {
        const pd_u32 i = base + l;
        pd_u32 first = 0u;
        if (i < k.count) {
            first = 1u;
            if (!k.driven && i > 0u) {
                const wave_key a = wave_key_of(frequency, k, order[i]);
                const wave_key b = wave_key_of(frequency, k, order[i - 1u]);
                first = (a.high != b.high || a.low != b.low) ? 1u : 0u;
            }
        }
        PD_BARRIER();
        scan[l] = first;
        for (pd_u32 step = 1u; step < PD_WAVE_WG; step <<= 1) {
            pd_u32 a = 0u;
            PD_BARRIER();
            if (l >= step) a = scan[l - step];
            PD_BARRIER();
            scan[l] += a;
        }
        PD_BARRIER();
        if (first) {
            const pd_u32 g = found + scan[l] - 1u;
            pd_two rate = pd_two_raw(0.0f, 0.0f);
            if (!k.driven)
                rate = pd_two_mul(pd_two_load(frequency, k.base + order[i] * k.step, k.wide),
                                  pd_two_raw(k.scale_hi, k.scale_lo));
            rates[2u * g] = rate.hi;
            rates[2u * g + 1u] = rate.lo;
            if (g > 0u) ends[g - 1u] = i;
        }
        found += scan[PD_WAVE_WG - 1u];
    }
    for (pd_u32 g = found + l; g < k.count; g += PD_WAVE_WG) {
        ends[g] = k.count;
        rates[2u * g] = rates[2u * g + 1u] = 0.0f;
    }
    if (l == 0u) {
        ends[found - 1u] = k.count;
        ends[k.count] = found;
    }
#else
    (void)frequency;
    (void)order;
    (void)ends;
    (void)rates;
    (void)k;
#endif
}

typedef struct {
    pd_u32 frames, groups;
    pd_u32 rate_base;                 // in words
    pd_u32 base, step, wide;          // of the times, in words
    pd_f32 shift_hi, shift_lo, sign;  // added to a time
} padic_k_wave_factors_params;

#if PD_WAVE_MODE == 1
PD_FN wave_complex wave_factor(pd_two time, pd_two shift, pd_two rate, pd_f32 sign)
{
    const pd_two turns = pd_two_mul(rate, pd_two_add(time, shift));
    return wave_polynomials(sign * wave_fraction(turns) * WAVE_UNIT);
}
#endif

// e^{+-i w t} of every frame and frequency; rates: w in turns, two words.
PD_KERNEL(padic_k_wave_factors)
(PD_CBUF(pd_f32, rates), PD_CBUF(pd_u32, times), PD_BUF(pd_f32, factors),
 PD_PARAMS(padic_k_wave_factors_params, k))
{
#if PD_WAVE_MODE == 1
    for (pd_u32 i = PD_GID; i < k.frames * k.groups; i += PD_NGRP * (pd_u32)PD_WG) {
        const pd_u32 f = i / k.groups, g = i - f * k.groups;
        const pd_u32 rate = k.rate_base + 2u * g;
        const wave_complex z = wave_factor(pd_two_load(times, k.base + f * k.step, k.wide),
                                           pd_two_raw(k.shift_hi, k.shift_lo),
                                           pd_two_raw(rates[rate], rates[rate + 1u]), k.sign);
        factors[2u * i] = z.re;
        factors[2u * i + 1u] = z.im;
    }
#else
    (void)rates;
    (void)times;
    (void)factors;
    (void)k;
#endif
}

typedef struct {
    pd_u32 points, tile, ranged;          // as of the field; whether there is a report
    pd_u32 groups, frames, each;          // each: frames of a group of items
    pd_u32 count[3], tiles[3], log[3];
    pd_u32 factor_base, factor_step, factor_axis, factor_wide; // words: of a frame, a frequency
    pd_u32 out_base, out_step[3], out_last, out_frame;
    pd_u32 mean_base, mean_step[3];
    pd_u32 emit, tone, nan_colour;
    pd_f32 low, high, scale;
    // With `timed`, factors are times (words from factor_base on), and are worked out from these.
    pd_u32 timed, rate_base;
    pd_f32 shift_hi, shift_lo, sign;
} padic_k_wave_frame_params;

#if PD_WAVE_MODE == 1
#define WAVE_FRAMES 4u // done at once, at WAVE_PART points of an item
#define WAVE_PART (WAVE_POINTS < 4u ? WAVE_POINTS : 4u)
#define WAVE_WAVES (WAVE_FRAMES * WAVE_PART)
#define WAVE_BANDS 32u // frequencies at once, summed before they are added

// Element of point p of an item, from base and steps; *inside: whether there is one.
#if PD_WAVE_LISTED
#define WAVE_ELEMENT(k, p, step, inside)                                                       \
    (((k).tile + PD_GRP) * PD_WAVE_WG * WAVE_POINTS + PD_LID + (p) * PD_WAVE_WG) * (step)[0];  \
    inside = ((k).tile + PD_GRP) * PD_WAVE_WG * WAVE_POINTS + PD_LID + (p) * PD_WAVE_WG < (k).points
#else
#define WAVE_ELEMENT(k, p, step, inside)                                                       \
    (i0 + (p)) * (step)[0] + i1 * (step)[1] + i2 * (step)[2];                                  \
    inside = i0 + (p) < (k).count[0] && i1 < (k).count[1] && i2 < (k).count[2]
#endif
#endif

PD_KERNEL_WG(padic_k_wave_frame, PD_WAVE_WG)
(PD_CBUF(pd_f32, waves), PD_CBUF(pd_u32, factors), PD_CBUF(pd_u32, table), PD_BUF(pd_f32, out),
 PD_BUF(pd_u8, pixels), PD_BUF(pd_u32, report), PD_CBUF(pd_u32, ends), PD_CBUF(pd_f32, rates),
 PD_PARAMS(padic_k_wave_frame_params, k))
{
#if PD_WAVE_MODE == 1
    const pd_u32 there = ends[k.groups];
    PD_LOCAL WAVE_ALIGN pd_f32 own[2u * WAVE_FRAMES * WAVE_BANDS];
    PD_LOCAL pd_f32 stage[PD_WAVE_WG * 16u];
    PD_LOCAL pd_u32 kept[9]; // params that scalar registers, short on some chips, need not hold
    const pd_u32 l = PD_LID;
    const pd_u32 until = (k.frames - PD_GRP_Y * k.each < k.each) ? k.frames
                                                                : (PD_GRP_Y + 1u) * k.each;
    pd_f32 low = 3.4028235e38f, high = -3.4028235e38f;
#if !PD_WAVE_LISTED
    const pd_u32 number = k.tile + PD_GRP;
    const pd_u32 l0 = l & ((1u << k.log[0]) - 1u), l1 = (l >> k.log[0]) & ((1u << k.log[1]) - 1u);
    const pd_u32 l2 = l >> (k.log[0] + k.log[1]);
    const pd_u32 t0 = number % k.tiles[0], t1 = number / k.tiles[0] % k.tiles[1];
    const pd_u32 t2 = number / k.tiles[0] / k.tiles[1];
    const pd_u32 i0 = (t0 << (k.log[0] + WAVE_LOG)) + WAVE_POINTS * l0;
    const pd_u32 i1 = (t1 << k.log[1]) + l1, i2 = (t2 << k.log[2]) + l2;
#endif
    if (l == 0u) {
        kept[0] = k.timed;
        kept[1] = k.rate_base;
        kept[2] = PD_AS_U32(k.shift_hi);
        kept[3] = PD_AS_U32(k.shift_lo);
        kept[4] = PD_AS_U32(k.sign);
        kept[5] = PD_AS_U32(k.low);
        kept[6] = PD_AS_U32(k.high);
        kept[7] = PD_AS_U32(k.scale);
        kept[8] = k.nan_colour;
    }
    PD_BARRIER();
    WAVE_ROLL
    for (pd_u32 part = 0u; part < WAVE_POINTS; part += WAVE_PART) {
        WAVE_ROLL
        for (pd_u32 f = PD_GRP_Y * k.each; f < until; f += WAVE_FRAMES) {
            pd_f32 re[WAVE_WAVES], im[WAVE_WAVES];
            WAVE_UNROLL
            for (pd_u32 i = 0u; i < WAVE_WAVES; i++) re[i] = im[i] = 0.0f;
            WAVE_ROLL
            for (pd_u32 band = 0u; band < there; band += WAVE_BANDS) {
                const pd_u32 n = (there - band < WAVE_BANDS) ? there - band : WAVE_BANDS;
                const pd_u32 from = (PD_GRP * k.groups + band) * 2u * WAVE_POINTS * PD_WAVE_WG +
                                    part * PD_WAVE_WG + l;
                pd_f32 sre[WAVE_WAVES], sim[WAVE_WAVES];
                PD_BARRIER();
                WAVE_ROLL
                for (pd_u32 i = l; i < WAVE_FRAMES * WAVE_BANDS; i += PD_WAVE_WG) {
                    const pd_u32 g = i / WAVE_FRAMES, q = i % WAVE_FRAMES;
                    pd_f32 c = 0.0f, s = 0.0f;
                    if (g < n && f + q < until) {
                        const pd_u32 at = k.factor_base + (f + q) * k.factor_step +
                                          (band + g) * k.factor_axis;
                        if (kept[0]) {
                            const pd_u32 rate = kept[1] + 2u * (band + g);
                            const wave_complex z = wave_factor(
                                pd_two_load(factors, at, k.factor_wide),
                                pd_two_raw(PD_AS_F32(kept[2]), PD_AS_F32(kept[3])),
                                pd_two_raw(rates[rate], rates[rate + 1u]), PD_AS_F32(kept[4]));
                            c = z.re;
                            s = z.im;
                        } else {
                            c = pd_two_load(factors, at, k.factor_wide).hi;
                            s = pd_two_load(factors, at + 1u + k.factor_wide, k.factor_wide).hi;
                        }
                    }
                    own[2u * i] = c;
                    own[2u * i + 1u] = s;
                }
                PD_BARRIER();
                WAVE_UNROLL
                for (pd_u32 i = 0u; i < WAVE_WAVES; i++) sre[i] = sim[i] = 0.0f;
                WAVE_ROLL
                for (pd_u32 g = 0u; g < n; g++) {
                    const pd_u32 row = from + g * 2u * WAVE_POINTS * PD_WAVE_WG;
                    pd_f32 x[WAVE_PART], y[WAVE_PART];
                    WAVE_UNROLL
                    for (pd_u32 p = 0u; p < WAVE_PART; p++) {
                        x[p] = waves[row + p * PD_WAVE_WG];
                        y[p] = waves[row + (p + WAVE_POINTS) * PD_WAVE_WG];
                    }
                    WAVE_UNROLL
                    for (pd_u32 q = 0u; q < WAVE_FRAMES; q++) {
                        const pd_f32 c = own[2u * (g * WAVE_FRAMES + q)];
                        const pd_f32 s = own[2u * (g * WAVE_FRAMES + q) + 1u];
                        WAVE_UNROLL
                        for (pd_u32 p = 0u; p < WAVE_PART; p++) {
                            const pd_u32 i = WAVE_PART * q + p;
                            sre[i] = PD_FMA(-s, y[p], PD_FMA(c, x[p], sre[i]));
                            sim[i] = PD_FMA(s, x[p], PD_FMA(c, y[p], sim[i]));
                        }
                    }
                }
                WAVE_UNROLL
                for (pd_u32 i = 0u; i < WAVE_WAVES; i++) {
                    re[i] += sre[i];
                    im[i] += sim[i];
                }
            }
            WAVE_ROLL
            for (pd_u32 from = 0u; from < WAVE_WAVES; from += 8u) { // in local memory
                WAVE_UNROLL
                for (pd_u32 i = 0u; i < 8u; i++) {
                    stage[2u * i * PD_WAVE_WG + l] = (from == 0u) ? re[i] : re[WAVE_WAVES - 8u + i];
                    stage[(2u * i + 1u) * PD_WAVE_WG + l] =
                        (from == 0u) ? im[i] : im[WAVE_WAVES - 8u + i];
                }
                WAVE_ROLL
                for (pd_u32 i = 0u; i < 8u; i++) {
                    const pd_u32 emit = k.emit & 255u, p = part + i % WAVE_PART;
                    const pd_u32 frame = f + (from + i) / WAVE_PART;
                    const pd_f32 x = stage[2u * i * PD_WAVE_WG + l];
                    const pd_f32 y = stage[(2u * i + 1u) * PD_WAVE_WG + l];
                    pd_u32 inside;
                    pd_u32 at = WAVE_ELEMENT(k, p, k.out_step, inside);
                    at += k.out_base + frame * k.out_frame;
                    if (!inside || frame >= until) continue;
                    if (emit == 0u && (k.emit & WAVE_ACCUMULATE)) {
                        out[2u * at] += x;
                        out[2u * at + 1u] += y;
                    } else if (emit == 0u) {
                        out[2u * at] = x;
                        out[2u * at + 1u] = y;
                    } else if (emit < 5u) {
                        out[at] = wave_real(emit, x, y);
                    } else {
                        const pd_f32 v = wave_real(k.tone & 255u, x, y);
                        const pd_u32 pixel =
                            (v == v) ? wave_pixel(table, k.tone, PD_AS_F32(kept[5]),
                                                  PD_AS_F32(kept[6]), PD_AS_F32(kept[7]), v, x, y)
                                     : kept[8];
                        for (pd_u32 j = 0u; j < 4u; j++)
                            pixels[at + j * k.out_last] = (pd_u8)((pixel >> (8u * j)) & 255u);
                        low = (v >= -3.4028235e38f && v < low) ? v : low;
                        high = (v <= 3.4028235e38f && v > high) ? v : high;
                    }
                }
            }
        }
    }
    PD_BARRIER();
    for (pd_u32 j = 0u; j < 6u; j++) stage[j * PD_WAVE_WG + l] = (j < 3u) ? low : high;
    wave_box(stage, l);
    if (l == 0u && k.ranged != 0u) { // the range of a tile's frames
        const pd_u32 at = 2u * ((k.tile + PD_GRP) * ((k.frames + k.each - 1u) / k.each) + PD_GRP_Y);
        report[at] = PD_AS_U32(stage[0]);
        report[at + 1u] = PD_AS_U32(stage[3u * PD_WAVE_WG]);
    }
#else
    (void)waves;
    (void)factors;
    (void)table;
    (void)out;
    (void)pixels;
    (void)report;
    (void)ends;
    (void)rates;
    (void)k;
#endif
}

// Sums of |wave|^2.
PD_KERNEL_WG(padic_k_wave_mean, PD_WAVE_WG)
(PD_CBUF(pd_f32, waves), PD_BUF(pd_f32, mean), PD_CBUF(pd_u32, ends),
 PD_PARAMS(padic_k_wave_frame_params, k))
{
#if PD_WAVE_MODE == 1
    const pd_u32 l = PD_LID, there = ends[k.groups];
#if !PD_WAVE_LISTED
    const pd_u32 number = k.tile + PD_GRP;
    const pd_u32 l0 = l & ((1u << k.log[0]) - 1u), l1 = (l >> k.log[0]) & ((1u << k.log[1]) - 1u);
    const pd_u32 l2 = l >> (k.log[0] + k.log[1]);
    const pd_u32 t0 = number % k.tiles[0], t1 = number / k.tiles[0] % k.tiles[1];
    const pd_u32 t2 = number / k.tiles[0] / k.tiles[1];
    const pd_u32 i0 = (t0 << (k.log[0] + WAVE_LOG)) + WAVE_POINTS * l0;
    const pd_u32 i1 = (t1 << k.log[1]) + l1, i2 = (t2 << k.log[2]) + l2;
#endif
    WAVE_ROLL
    for (pd_u32 p = 0u; p < WAVE_POINTS; p++) {
        pd_u32 inside;
        const pd_u32 at = WAVE_ELEMENT(k, p, k.mean_step, inside);
        pd_f32 total = 0.0f;
        if (!inside) continue;
        for (pd_u32 band = 0u; band < there; band += WAVE_BANDS) {
            const pd_u32 last = (there - band < WAVE_BANDS) ? there : band + WAVE_BANDS;
            pd_f32 sum = 0.0f;
            for (pd_u32 g = band; g < last; g++) {
                const pd_u32 row = ((PD_GRP * k.groups + g) * 2u * WAVE_POINTS + p) * PD_WAVE_WG;
                const pd_f32 x = waves[row + l], y = waves[row + WAVE_POINTS * PD_WAVE_WG + l];
                sum = PD_FMA(x, x, PD_FMA(y, y, sum));
            }
            total += sum;
        }
        mean[k.mean_base + at] = total;
    }
#else
    (void)waves;
    (void)mean;
    (void)ends;
    (void)k;
#endif
}
