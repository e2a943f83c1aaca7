#pragma once
// ------------------------------------------------------------------------------------- >>wave API
//
// Superposition of waves: the field of M point sources at N points, in O(N + M) memory.
//
//     psi(r) = sum_m A_m e^{i(k_m r_m - w_m t + p_m)} e^{-a_m r_m} / r_m,   r_m = |r - s_m|
//
// Units: phase in radians, wavenumber in radians per length, frequency *angular*, in radians per
// time, absorption in nepers per length; any length and time. Sources: Born and Wolf, Principles of
// Optics, for the kernels; Abramowitz and Stegun 9.1, 9.2 for H0.
//
//     #define PADIC_IMPLEMENTATION
//     #include "padic.h"
//     #include <stdio.h>
//
//     int main(void) // two sources, a wavelength of 1, the intensity along a screen
//     {
//         float source[2][3] = {{0, 0, -2}, {0, 0, 2}}, k = 6.2831853f;
//         float points[41][3] = {{0, 0, 0}}, intensity[41];
//         padic_wave_superpose_desc desc = PADIC_ZERO;
//         padic_result result;
//         int i;
//         for (i = 0; i < 41; i++) points[i][0] = 30, points[i][2] = (float)(i - 20);
//         desc.points = padic_tensor_2d(PADIC_F32, points, 41, 3);
//         desc.sources = padic_tensor_2d(PADIC_F32, source, 2, 3);
//         desc.wavenumber = padic_tensor_nd(PADIC_F32, &k, 0, NULL);
//         desc.output = PADIC_WAVE_OUTPUT_INTENSITY;
//         desc.out = padic_tensor_1d(PADIC_F32, intensity, 41);
//         result = padic_wave_superpose(NULL, &desc);
//         for (i = 0; i < 41; i++) printf("%.5f\n", intensity[i]);
//         return result != PADIC_OK;
//     }

typedef enum padic_wave_kernel {
    PADIC_WAVE_KERNEL_POINT3 = 0, // e^{ikr}/r; the amplitude carries the 1/(4 pi)
    PADIC_WAVE_KERNEL_GREEN3 = 1, // e^{ikr}/(4 pi r): (Laplace + k^2) G = -delta, outgoing
    PADIC_WAVE_KERNEL_GREEN2 = 2, // (i/4) H0^(1)(k r), its conjugate for k < 0; k = 0 is DOMAIN
    PADIC_WAVE_KERNEL_GREEN1 = 3, // (i/2k) e^{ik|x|}, regular at 0; k = 0 is DOMAIN
    PADIC_WAVE_KERNEL_SQRT = 4    // e^{ikr}/sqrt(r): GREEN2 far away, up to a constant
} padic_wave_kernel;

typedef enum padic_wave_sign {
    PADIC_WAVE_SIGN_OUTGOING = 0,  // e^{i(k r - w t + p)}: energy leaves the source
    PADIC_WAVE_SIGN_CONJUGATE = 1, // e^{-i(k r - w t + p)}: the engineers' e^{+jwt}, outgoing too
    PADIC_WAVE_SIGN_INCOMING = 2   // e^{i(k r + w t + p)}: converging
} padic_wave_sign;

// The field at and near a source; a is `length`.
typedef enum padic_wave_softening {
    // A point on the source (see padic_wave_superpose_desc) is left out and counted as
    // `coincident` in the report; for GREEN1, which is regular there, it is not.
    PADIC_WAVE_SOFTENING_NONE = 0,
    // Amplitude 1/sqrt(r^2 + a^2), phase keeps r; POINT3, GREEN3, SQRT.
    PADIC_WAVE_SOFTENING_PLUMMER = 1,
    // sqrt(r^2 + a^2) for r in amplitude and phase; not GREEN1.
    PADIC_WAVE_SOFTENING_PLUMMER_BOTH = 2,
    // A radiating sphere of radius a: e^{ikr}/r sin(ka)/(ka) outside, e^{ika}/a sin(kr)/(kr)
    // inside; solves the wave equation, finite everywhere; POINT3, GREEN3.
    PADIC_WAVE_SOFTENING_SHELL = 3,
    // Amplitude 1/(r + a), phase keeps r; a = 0 means 0.1; as PLUMMER.
    PADIC_WAVE_SOFTENING_ADDED = 4,
    // The larger of r and a for r, both; a = 0 means 0.1; as PLUMMER.
    PADIC_WAVE_SOFTENING_CLAMP = 5
} padic_wave_softening;

typedef enum padic_wave_output {
    PADIC_WAVE_OUTPUT_COMPLEX = 0,   // out: c64, c128
    PADIC_WAVE_OUTPUT_REAL = 1,      // out: f32, f64, as for the next three
    PADIC_WAVE_OUTPUT_AMPLITUDE = 2, // |psi|
    PADIC_WAVE_OUTPUT_INTENSITY = 3, // |psi|^2
    PADIC_WAVE_OUTPUT_PHASE = 4,     // in (-pi, pi]; the phase of 0 is 0
    PADIC_WAVE_OUTPUT_RGBA8 = 5      // out: u8, a last axis of 4: R, G, B, A; see padic_wave_tone
} padic_wave_output;

typedef enum padic_wave_curve {
    PADIC_WAVE_CURVE_LINEAR = 0,   // x = (v - low)/(high - low)
    PADIC_WAVE_CURVE_REINHARD = 1, // x = v/(v + high)
    PADIC_WAVE_CURVE_LOG = 2       // x = log(1 + v/low)/log(1 + high/low)
} padic_wave_curve;

typedef enum padic_wave_map {
    PADIC_WAVE_MAP_GREY = 0, // (b, b, b, 255)
    PADIC_WAVE_MAP_HEAT = 1, // black, red, yellow, white: (3x, 3x - 1, 3x - 2), each cut to [0, 1]
    PADIC_WAVE_MAP_HUE = 2,  // hue is the phase: 0 red, 2 pi/3 green, -2 pi/3 blue; value is x
    PADIC_WAVE_MAP_TABLE = 3 // row floor(255 x + 1/2) of `table`
} padic_wave_map;

// From a value v to a pixel: x = curve(v) cut to [0, 1], byte = floor(255 x + 1/2). All zero: the
// intensity, grey, 0 to 1. There is no hidden pass for the range: the report has that of this
// frame, for use in the next.
typedef struct padic_wave_tone {
    padic_wave_output value; // v: COMPLEX (0) means INTENSITY; RGBA8 makes no sense
    padic_wave_curve curve;
    padic_wave_map map;
    double low, high;       // both 0: 0 (LOG: 1) and 1
    const uint8_t *table;   // 256 x 4, for TABLE
    uint8_t nan_colour[4];  // all 0: magenta
} padic_wave_tone;

typedef enum padic_wave_flags {
    PADIC_WAVE_FLAG_ACCUMULATE = 1 << 0,  // out += psi; COMPLEX only
    // Find NaN and Inf in buffers, too, as always in host memory.
    PADIC_WAVE_FLAG_CHECK_FINITE = 1 << 1
} padic_wave_flags;

// Points origin + i step[0] axis[0] + j step[1] axis[1] + l step[2] axis[2], i < count[0], ...
typedef struct padic_wave_grid {
    double origin[3], step[3];
    uint32_t count[3]; // 0 means 1, unless all are 0: no grid
    double axis[3][3]; // all 0: x, y, z
} padic_wave_grid;

// One field. Where points and sources differ in D the missing coordinates are 0. An absent tensor
// (dtype NONE): amplitude 1, phase 0, absorption 0. k and w: as given when both are; only w: k =
// w/c; only k: w = c k; neither is an error. A tensor of rank 0 is one value for all sources. Input
// strides may be 0 or negative.
//
// Late times cost no accuracy: w t (c k t) and p are reduced modulo a turn as exact products, to
// 2^-60 of a turn; on devices to 1e-13 while they are below 1e13 turns, 1e-27 of them beyond.
//
// On a source. With every backend a point lies on a source when r^2 is below the smallest normal
// number of out's precision: r < 1.0842e-19, for c128 and f64 r < 1.4917e-154 (of a gradient alone
// its own out counts). NONE leaves such a pair out; the field of softened kernels and of GREEN1
// goes on smoothly, and their gradient's term is 0, but for PLUMMER_BOTH, whose gradient is smooth.
//
// Far away. In host memory |positions|, k, w, c k, w/c, time and length are at most 1e150, a length
// that is used no less than 1e-150: LIMIT; so no r is too large or too small. Devices leave what
// f32 cannot square, |positions| and other inputs beyond 1e15, c t beyond 1e20 and a length not
// within 1e-15 and 1e15, to the CPU, where the host sees it; a coordinate beyond 1e15 in a device's
// buffer gives its points NaN, as a NaN would: CHECK_FINITE keeps such a call to the CPU. Inputs
// below the smallest normal number of f32, 1.1755e-38, may be 0 to a device.
//
// Accuracy. The plain CPU computes in f64 and rounds once. Vectors and devices compute c128, f64 in
// f64, the rest in f32 on tiles, with a phase error of at most `tolerance` turns (k r in plain f32
// loses a digit a decade) while R and L below are at most 1e7 wavelengths and `tolerance` no less
// than 5e-7, or 3e6 and 2e-7; farther away the finest way is taken, and `error_bound` may be
// larger. The rounding of points is part of that. |d psi| <= (2 pi tolerance + 2e-6) sum |A_m|/r_m;
// vectors: and 2.4e-7 h/r_m of a term where r_m is small beside h, half the diagonal of 256 points
// in a row. D1 on a device, D2 across devices.
//
// `error_bound`, in turns, with R the longest way and L the largest sum |origin| + |step| (count -
// 1) of a grid (of a list 0), in wavelengths: of the plain CPU (6 R + 5 L + 2) 1.12e-16; of vectors
// the largest error of the methods used (src/simd/wave/ways.c), which have 1e-15 R + 6e-16 L; of
// devices the same (src/kernels/wave/wave.cl) with 1.5e-14 R + 2e-14 L, R up to the farthest point
// of a tile of 1024 that may reach beyond its grid. Time is in none of them.
//
// Errors, before anything is written: ARGUMENT, MISMATCH (shapes), DTYPE, LIMIT, OVERLAP; DOMAIN (k
// = 0 for GREEN1, GREEN2); NOT_FINITE (positions, k, w, time); TOLERANCE (negative, infinite, NaN);
// NOT_SUPPORTED (tolerance below 2e-7 for f32: use c128). Amplitudes, phases and absorptions are
// not checked: NaN, Inf and overflow enter the sum as arithmetic has it. M = 0 gives a field of 0;
// with N = 0 nothing is written. In host memory a progress hook counts parts of the points; after
// CANCELLED some points of `out` are right and the others as they were, and the report is
// untouched.
typedef struct padic_wave_superpose_report {
    uint64_t coincident;      // pairs left out because r = 0
    double error_bound;       // no phase of this run is wrong by more, in turns
    double smallest, largest; // finite v of RGBA8; 0 where there are none, and of other outputs
} padic_wave_superpose_report;

typedef struct padic_wave_superpose_desc {
    padic_tensor points;  // (N, D), f32 or f64, D = 1, 2, 3; or absent and grid.count set
    padic_wave_grid grid; // out then has the shape `count`, trailing axes of 1 left out or not
    padic_tensor sources; // (M, D), f32 or f64
    padic_tensor amplitude, phase, wavenumber, frequency, absorption; // (M), f32 or f64
    double speed, time; // c and t; speed 0 means 1
    padic_wave_kernel kernel;
    padic_wave_sign sign;
    padic_wave_softening softening;
    double length; // a
    padic_wave_output output;
    padic_wave_tone tone;
    double tolerance; // phase error in turns; 0 means 2e-6
    padic_tensor out; // (N), or of the grid's shape
    uint32_t flags;   // padic_wave_flags
    padic_wave_superpose_report *report; // optional; a device is waited for
} padic_wave_superpose_desc;
PADIC_API padic_result padic_wave_superpose(padic_context *context,
                                            const padic_wave_superpose_desc *desc);

// Sets desc->report->error_bound, and nothing else of it, to the error bound that holds whichever
// backend runs the desc: the largest phase error of any pair, in turns. Computes no field. Reads
// positions and k, which must lie in host memory (NOT_SUPPORTED otherwise: take it from the report
// of a run). Errors as above; ARGUMENT without a report.
PADIC_API padic_result padic_wave_error_bound(padic_context *context,
                                              const padic_wave_superpose_desc *desc);

// Many frames of one field: the same points and sources at F times, or for F vectors of amplitudes.
// Sources of one frequency are summed once: N points, M sources and K frequencies cost O(N M + N K
// F), not O(N M F).
//
//     psi(r, t_f) = sum_w e^{-i w t_f} Phi_w(r),   Phi_w(r) the field of the sources of w at t = 0
//     psi_f(r) = sum_m drive_fm G_m(r),            G_m(r) that of source m, amplitude 1, phase 0
//
// (e^{+i w t_f} for CONJUGATE and INCOMING.) Frequencies are one when their bits are (0 and -0,
// too), or when |w_i - w_j| max|t - t_mid| <= 2 pi merge_turns, t_mid in the middle of all times:
// then each takes its own phase at t_mid and turns with the middle one of those merged. The error
// bound grows by what that costs, at most merge_turns.
//
// mean_intensity is sum_w |Phi_w|^2, the average of |psi|^2 over a long time, in which cross terms
// vanish; merged frequencies count as one.
//
// `field` says which field, as for padic_wave_superpose(), flags and report included: `coincident`
// counts a pair once, `smallest` and `largest` are those of all frames. Scratch from the context's
// allocator: 24 bytes per source, 16 per frame and frequency, 512 per frequency and task, of which
// there are up to 64. Computed in f64 and rounded once, accuracy as there; field.time + times[f] is
// not rounded to one number. D1, D2. A call on a device whose frequencies lie there, without a
// report, keeps w t_f in two words of f32, right to 5e-14 of its turns. A call on a device can be
// recorded when all is in buffers, nothing is merged, there is no report, and the waves of up to
// 8,192 sources take 128 MiB at most, 8 bytes per point and source. Errors: as there; ARGUMENT
// (neither times nor drive, both, no output); MEMORY. With F = 0 no frame is written. After
// CANCELLED some points are right, in all frames and the mean; the others are as they were.
typedef struct padic_wave_frames_desc {
    padic_wave_superpose_desc field; // out: (F) and the shape of one frame; or absent, output 0
    padic_tensor times;              // (F), f32 or f64: frame f is at field.time + times[f]
    padic_tensor drive; // or (F, M), c64 or c128, for amplitude, phase, time and frequency
    double merge_turns; // 0: only equal frequencies
    padic_tensor mean_intensity; // (N) or the grid's shape, f32 or f64; or absent; not of a drive
} padic_wave_frames_desc;
PADIC_API padic_result padic_wave_frames(padic_context *context,
                                         const padic_wave_frames_desc *desc);

// As padic_wave_error_bound(), of all frames: in the report of desc->field.
PADIC_API padic_result padic_wave_frames_error_bound(padic_context *context,
                                                     const padic_wave_frames_desc *desc);

// The gradient of a superposition, in closed form, and the field itself in the same pass, for
// velocities and forces, and the flux Im(conj psi grad psi).
//
//     grad psi = sum_m psi_m q_m (r - s_m)/r,   q = i k - 1/r - a        POINT3, GREEN3, with NONE
//
// PLUMMER: r/(r^2 + a^2) for 1/r, a the length. PLUMMER_BOTH: q = (i k - 1/R - absorption) r/R, R =
// sqrt(r^2 + a^2). ADDED: 1/(r + a). SQRT: half of that term. CLAMP: 0 inside. SHELL: inside, psi_m
// q is A e^{i(p - w t + k a)}/a (cos kr/r - sin kr/(k r^2)), with absorption that times
// e^{-absorption r}, less absorption psi_m. GREEN2: -(ik/4) H1^(1)(k r), its conjugate for k < 0.
// GREEN1: -(1/2) e^{ik|x|}. CONJUGATE conjugates. On a source the term is 0, where it is not left
// out as that of the field is.
//
// `field` says which field, as for padic_wave_superpose(), flags and report included (ACCUMULATE
// adds to both outputs); field.out, the field, may be absent, and `output` is 0 then.
// Computed in f64 and rounded once. D1, D2. Errors, CANCELLED too: as padic_wave_superpose().
typedef struct padic_wave_gradient_desc {
    padic_wave_superpose_desc field;
    // The shape of the points, (N) or the grid's, and a last axis of 1, 2 or 3: so many components,
    // no more than the kernel has dimensions (GREEN1 1, GREEN2 2); c64 or c128.
    padic_tensor out;
} padic_wave_gradient_desc;
PADIC_API padic_result padic_wave_gradient(padic_context *context,
                                           const padic_wave_gradient_desc *desc);

// The flux of a field, from the field and its gradient, as padic_wave_gradient() gives them or any
// differences:
//
//     j_a = scale Im(conj(psi) dpsi/dx_a)
//
// With scale hbar/m it is the probability current; of waves it points where energy flows: a plane
// wave A e^{ik.r} has scale |A|^2 k. Computed in f64 and rounded once; vectors do c64 to f32, with
// the same bytes; devices do c64 to f32 in f32, within 5e-7 of the value. D1, D2. Errors:
// ARGUMENT (scale not finite), DTYPE, MISMATCH (shapes), OVERLAP. Landau and Lifshitz, Quantum
// Mechanics, 19.
typedef struct padic_wave_flux_desc {
    padic_tensor psi;      // c64 or c128, of rank 7 at most
    padic_tensor gradient; // of psi's dtype and shape, and a last axis: a component each
    double scale;          // 0 means 1
    padic_tensor out;      // gradient's shape; f32 or f64
} padic_wave_flux_desc;
PADIC_API padic_result padic_wave_flux(padic_context *context, const padic_wave_flux_desc *desc);

// An observable of a field, element by element: its real part, amplitude, intensity or phase.
// Computed in f64 and rounded once, an intensity beyond the dtype to infinity; devices do c64 to
// f32, in f32, within 5e-7 of the value, as is the phase of vectors. D1, D2. Errors: ARGUMENT,
// DTYPE, MISMATCH (shapes), OVERLAP.
typedef struct padic_wave_observe_desc {
    padic_tensor psi;     // c64 or c128, of any shape
    padic_wave_output output; // COMPLEX (0) means INTENSITY; RGBA8: padic_wave_tonemap()
    padic_tensor out;     // psi's shape; f32 or f64
} padic_wave_observe_desc;
PADIC_API padic_result padic_wave_observe(padic_context *context,
                                          const padic_wave_observe_desc *desc);

// Pixels of a field, or of values that are real already (then they are v, whatever tone.value says,
// and HUE is an error). D1, D2: bytes (of TABLE rows) differ by 1 at most; devices do c64 and f32.
// Errors as above.
typedef struct padic_wave_tonemap_report {
    double smallest, largest; // finite v; 0 where there are none
} padic_wave_tonemap_report;

typedef struct padic_wave_tonemap_desc {
    padic_tensor field; // c64, c128, f32 or f64, of rank 7 at most
    padic_wave_tone tone;
    padic_tensor out; // u8, field's shape and a last axis of 4
    padic_wave_tonemap_report *report; // optional
} padic_wave_tonemap_desc;
PADIC_API padic_result padic_wave_tonemap(padic_context *context,
                                          const padic_wave_tonemap_desc *desc);

// psi *= sqrt(target/(sum |psi|^2 volume)), in place. The sum is a fixed tree in f64: the same bits
// for any number of workers, and on devices, which do c64; those without f64 have it to 1e-12.
// Squares, the norm or the factor beyond f64 do no harm; of c64 what is beyond f32 is infinite.
// Errors: ARGUMENT (target or volume negative or not finite), DTYPE; DOMAIN, with psi unchanged:
// psi is 0 or not finite, or f64 does not hold the norm that the report asks for, or psi of c128
// afterwards.
typedef struct padic_wave_normalise_report {
    double norm; // sum |psi|^2 volume, as it was
} padic_wave_normalise_report;

typedef struct padic_wave_normalise_desc {
    padic_tensor psi; // read and written; c64 or c128, of any shape
    double target;    // 0 means 1
    double volume;    // dV, of a point; 0 means 1
    uint32_t legacy;  // 1: psi/(sqrt(sum |psi|^2) + 1e-10), target and volume 0 or 1
    padic_wave_normalise_report *report; // optional
} padic_wave_normalise_desc;
PADIC_API padic_result padic_wave_normalise(padic_context *context,
                                            const padic_wave_normalise_desc *desc);

// Vortices.
//
// A line vortex v: through the point c along the unit axis n (absent: +z), of integer charge q and
// core length xi. With e1, e2, n orthonormal and right-handed and d = r - c it is the factor
// core(z), z = d.e1 + i d.e2, conjugated for q < 0; rho = |z|, x = rho^2/xi^2. Sources: Pethick and
// Smith, Bose-Einstein Condensation in Dilute Gases, chapter 9; Berloff, J. Phys. A 37, 1617 for
// Pade forms of the core.

typedef enum padic_wave_core {
    PADIC_WAVE_CORE_RATIONAL = 0, // (z/sqrt(rho^2 + xi^2))^|q|: goes as r^|q|, smooth
    // (z/rho) sqrt(x (a1 + a2 x)/(1 + b1 x + a2 x^2)), |q| = 1: the core of a condensate to 7.6e-3,
    // with its slope, curvature and tail 1 - 1/2x; xi = hbar/sqrt(2 m mu). a1 = 0.3401100, a2 =
    // 0.0464431, b1 = a1 + a2.
    PADIC_WAVE_CORE_PADE = 1,
    PADIC_WAVE_CORE_NONE = 2,  // (z/rho)^|q|, 0 on the axis; `cores` is not read
    PADIC_WAVE_CORE_LEGACY = 3 // tanh(|d|/xi) e^{i q atan2(d_y, d_x)}: no axis, any real q
} padic_wave_core;

// out = psi (absent: 1) times all cores. Absent: `charges` 1, `axes` +z; `cores` only where the
// core has none, LEGACY: 0 or absent means 0.1. Computed in f64 and rounded once; vectors and
// devices do c64, f32 and u8 in f32, differences of positions apart: out is wrong by 5e-7 |out| (2
// + sum (|q| + 1)) at most. D1, D2. Devices take positions and cores as two words of f32: those in
// f64 that are beyond 1e30, or not 0 and below 1e-30, only from host memory, where they are seen
// and the next backend does the call.
//
// Errors: as padic_wave_superpose(); ARGUMENT for a charge that is no integer (LEGACY: is not
// finite) or beyond 64, xi <= 0 or not within 1e-150 and 1e150, an axis whose length is off by more
// than 1e-3 (else it is
// normalised), PADE with |q| != 1, LEGACY with axes. V = 0 gives psi.
typedef padic_wave_tonemap_report padic_wave_vortex_report; // of RGBA8; else 0

typedef struct padic_wave_vortex_desc {
    padic_tensor points;  // as of padic_wave_superpose_desc
    padic_wave_grid grid;
    padic_tensor centres; // (V, D), f32 or f64
    padic_tensor axes;    // (V, 3) or absent
    padic_tensor charges; // (V) or of rank 0; f32 or f64
    padic_tensor cores;   // xi, as charges
    padic_tensor psi;     // of out's shape (RGBA8: less its last axis), c64 or c128; or absent
    padic_wave_core core;
    padic_wave_output output;
    padic_wave_tone tone;
    padic_tensor out;
    uint32_t flags; // CHECK_FINITE
    padic_wave_vortex_report *report; // optional
} padic_wave_vortex_desc;
PADIC_API padic_result padic_wave_vortex(padic_context *context,
                                         const padic_wave_vortex_desc *desc);

typedef enum padic_wave_phase_method {
    // Links theta = arg(psi_next conj psi), in (-pi, pi], over the step; a point takes the mean of
    // its two, at an open edge its one. Exact while |grad theta| step < pi.
    PADIC_WAVE_PHASE_LINKS = 0,
    // Im(conj psi D psi)/|psi|^2, D the central difference (at an open edge that of its link): k
    // becomes sin(k step)/step.
    PADIC_WAVE_PHASE_CURRENT = 1,
    PADIC_WAVE_PHASE_LEGACY = 2 // that difference of atan2(im, re): jumps of 2 pi stay; step 1
} padic_wave_phase_method;

// scale times the gradient of the phase of psi: with scale hbar/m the velocity of a superfluid.
// Computed in f64 and rounded once; vectors and devices do c64 to f32 within 6e-7 of the links or
// angles that are added, of a CURRENT itself. D1, D2. Errors: ARGUMENT, DTYPE, MISMATCH (shapes).
typedef struct padic_wave_phase_gradient_report {
    uint64_t skipped; // points at or below the floor
} padic_wave_phase_gradient_report;

typedef struct padic_wave_phase_gradient_desc {
    padic_tensor psi; // of rank 1, 2 or 3; c64 or c128
    padic_wave_phase_method method;
    uint32_t periodic; // bit a: axis a ends where it begins
    double step[3];    // 0 means 1
    double scale;      // 0 means 1
    double floor;      // where |psi|^2 <= floor the gradient is 0
    padic_tensor out;  // psi's shape and a last axis of its rank; f32 or f64
    padic_wave_phase_gradient_report *report; // optional
} padic_wave_phase_gradient_desc;
PADIC_API padic_result padic_wave_phase_gradient(padic_context *context,
                                                 const padic_wave_phase_gradient_desc *desc);

// Charge of every elementary square: how often psi_1 psi_2 psi_3 psi_4 winds about 0, from the
// signs of crossings of the negative real axis, with no arctangent: -1, 0 or 1, and the sum over
// any region is exactly the winding of its boundary, where no corner is 0. A core of charge q shows
// as several squares whose sum is q, if the loop about it has more than 2 |q| samples. The square
// of point i and orientation o spans the axes o + 1 and o + 2 (modulo 3) from i; a plane has
// orientation 2 only. A link whose ends are opposite counts as no crossing, either way. D0; devices
// do c64 without a list.
//
// Errors: ARGUMENT, DTYPE, MISMATCH (shapes).
typedef struct padic_wave_winding_report {
    int64_t total[3];   // sum of charges by orientation; of a plane the third
    uint64_t absolute;  // sum of |charge|: how many defects there are, listed or not
    uint64_t undefined; // squares of -128
} padic_wave_winding_report;

typedef struct padic_wave_winding_desc {
    padic_tensor psi;  // of rank 2 or 3; c64 or c128
    uint32_t periodic; // bit a: axis a ends where it begins
    // Optional: psi's shape, for rank 3 below a first axis of 3, the orientation; i8. -128 where a
    // corner is 0 or not finite, 0 where an open edge leaves no square.
    padic_tensor map;
    // Optional: (K, 3), i64, rows next to each other. Of the squares of charge not 0, K at most, by
    // index, then orientation: the index of the lowest corner in C order, the orientation (the axis
    // it is normal to), the charge. Rows beyond them stay as they were.
    padic_tensor defects;
    padic_wave_winding_report *report; // optional
} padic_wave_winding_desc;
PADIC_API padic_result padic_wave_winding(padic_context *context,
                                          const padic_wave_winding_desc *desc);

// Points on a sphere, i = 0 to N - 1: height z = 1 - (2i + 1)/N, azimuth 2 pi frac(i/g) + turns
// acos(z) + offset, g the golden ratio; turns 0 is the Fibonacci sphere, 5 a helix. In host memory
// (NOT_SUPPORTED otherwise). Errors: ARGUMENT (NULL; radius negative), NOT_FINITE, DTYPE, MISMATCH.
typedef struct padic_wave_lattice_report {
    double weight; // the area of each point, 4 pi radius^2/N; infinite beyond f64
} padic_wave_lattice_report;

typedef struct padic_wave_lattice_desc {
    double radius, centre[3]; // radius 0 means 1
    double turns, offset;
    padic_tensor out; // (N, 3), f32 or f64
    padic_wave_lattice_report *report; // optional
} padic_wave_lattice_desc;
PADIC_API padic_result padic_wave_lattice(padic_context *context,
                                          const padic_wave_lattice_desc *desc);
