// padic_wave.h: waves. padic.h includes it when it lies beside it.
// Part of padic.h 0.1.0; MIT or Unlicense.
//
// >>contents: search for the tag
//
//     >>wave API          superposition, bound, frames, gradient; observables; vortices, ...
//     >>wave impl         the plain reference
//     >>wave operations   its rows of the op table in padic.h

#ifndef PADIC_HEADER
#include "padic.h" // which includes this file where it belongs
#else

#ifndef PADIC_WAVE_H
#define PADIC_WAVE_H

// room: src/wave/api.h
// ------------------------------------------------------------------------------------- >>wave API
//
// Superposition of waves: the field of M point sources at N points, in O(N + M) memory.
//
//     psi(r) = sum_m A_m e^{i(k_m r_m - w_m t + p_m)} e^{-a_m r_m} / r_m,   r_m = |r - s_m|
//
// Units: phase in radians, wavenumber in radians a length, frequency *angular*, in radians a time,
// absorption in nepers a length; any length and time. Sources: Born and Wolf, Principles of Optics,
// for the kernels; Abramowitz and Stegun 9.1, 9.2 for H0.

typedef enum padic_wave_kernel {
    PADIC_WAVE_POINT3 = 0, // e^{ikr}/r; the amplitude carries the 1/(4 pi)
    PADIC_WAVE_GREEN3 = 1, // e^{ikr}/(4 pi r): (Laplace + k^2) G = -delta, outgoing
    PADIC_WAVE_GREEN2 = 2, // (i/4) H0^(1)(k r), its conjugate for k < 0; k = 0 is DOMAIN
    PADIC_WAVE_GREEN1 = 3, // (i/2k) e^{ik|x|}, regular at 0; k = 0 is DOMAIN
    PADIC_WAVE_SQRT = 4    // e^{ikr}/sqrt(r): GREEN2 far away, up to a constant
} padic_wave_kernel;

typedef enum padic_wave_sign {
    PADIC_WAVE_OUTGOING = 0,  // e^{i(k r - w t + p)}: energy leaves the source
    PADIC_WAVE_CONJUGATE = 1, // e^{-i(k r - w t + p)}: the engineers' e^{+jwt}, outgoing too
    PADIC_WAVE_INCOMING = 2   // e^{i(k r + w t + p)}: converging
} padic_wave_sign;

// What happens at and near a source; a is `length`.
typedef enum padic_wave_softening {
    // A point on the source (see padic_wave_superpose_desc) is left out and counted in
    // `coincident`; for GREEN1, which is regular there, it is not.
    PADIC_WAVE_SOFTEN_NONE = 0,
    PADIC_WAVE_PLUMMER = 1,      // amplitude 1/sqrt(r^2 + a^2), phase keeps r; POINT3, GREEN3, SQRT
    PADIC_WAVE_PLUMMER_BOTH = 2, // sqrt(r^2 + a^2) for r in amplitude and phase; not GREEN1
    // A radiating sphere of radius a: e^{ikr}/r sin(ka)/(ka) outside, e^{ika}/a sin(kr)/(kr)
    // inside; solves the wave equation, finite everywhere; POINT3, GREEN3.
    PADIC_WAVE_SHELL = 3,
    PADIC_WAVE_ADDED = 4, // amplitude 1/(r + a), phase keeps r; a = 0 means 0.1; as PLUMMER
    PADIC_WAVE_CLAMP = 5  // the larger of r and a for r, both; a = 0 means 0.1; as PLUMMER
} padic_wave_softening;

typedef enum padic_wave_emit {
    PADIC_WAVE_COMPLEX = 0,   // out: c64, c128
    PADIC_WAVE_REAL = 1,      // out: f32, f64, as for the next three
    PADIC_WAVE_AMPLITUDE = 2, // |psi|
    PADIC_WAVE_INTENSITY = 3, // |psi|^2
    PADIC_WAVE_PHASE = 4,     // in (-pi, pi]; the phase of 0 is 0
    PADIC_WAVE_RGBA8 = 5      // out: u8, a last axis of 4: R, G, B, A; see padic_wave_tone
} padic_wave_emit;

typedef enum padic_wave_curve {
    PADIC_WAVE_LINEAR = 0,   // x = (v - low)/(high - low)
    PADIC_WAVE_REINHARD = 1, // x = v/(v + high)
    PADIC_WAVE_LOG = 2       // x = log(1 + v/low)/log(1 + high/low)
} padic_wave_curve;

typedef enum padic_wave_map {
    PADIC_WAVE_GREY = 0, // (b, b, b, 255)
    PADIC_WAVE_HEAT = 1, // black, red, yellow, white: (3x, 3x - 1, 3x - 2), each cut to [0, 1]
    PADIC_WAVE_HUE = 2,  // hue is the phase: 0 red, 2 pi/3 green, -2 pi/3 blue; value is x
    PADIC_WAVE_TABLE = 3 // row floor(255 x + 1/2) of `table`
} padic_wave_map;

// From a value v to a pixel: x = curve(v) cut to [0, 1], byte = floor(255 x + 1/2). All zero: the
// intensity, grey, 0 to 1. There is no hidden pass for the range: `range` returns that of this
// frame, for use in the next.
typedef struct padic_wave_tone {
    padic_wave_emit value; // v: COMPLEX (0) means INTENSITY; RGBA8 makes no sense
    padic_wave_curve curve;
    padic_wave_map map;
    double low, high;       // both 0: 0 (LOG: 1) and 1
    const uint8_t *table;   // 256 x 4, for TABLE
    uint8_t nan_colour[4];  // all 0: magenta
    double *range;          // optional result, 2 values: smallest and largest finite v; else +-0
} padic_wave_tone;

typedef enum padic_wave_flags {
    PADIC_WAVE_ACCUMULATE = 1 << 0,  // out += psi; COMPLEX only
    PADIC_WAVE_CHECK_FINITE = 1 << 1 // look for NaN and Inf in buffers, as in host memory always
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
// than 5e-7, or 3e6 and 2e-7; farther away the finest way is taken, and `bound` may say more. The
// rounding of points is part of that. |d psi| <= (2 pi tolerance + 2e-6) sum |A_m|/r_m; vectors:
// and 2.4e-7 h/r_m of a term where r_m is small beside h, half the diagonal of 256 points in a row.
// D1 on a device, D2 across devices.
//
// `bound`, in turns, with R the longest way and L the largest sum |origin| + |step| (count - 1) of
// a grid (of a list 0), in wavelengths: of the plain CPU (6 R + 5 L + 2) 1.12e-16; of vectors the
// largest error of a class (see padic_simd_wave.h), which has 1e-15 R + 6e-16 L; of devices the
// same (see kernels/wave.cl) with 1.5e-14 R + 2e-14 L, R up to the farthest point of a tile of 1024
// that may reach beyond its grid. Time is in none of them.
//
// Errors, before anything is written: ARGUMENT, MISMATCH (shapes), DTYPE, LIMIT, OVERLAP; DOMAIN (k
// = 0 for GREEN1, GREEN2); NOT_FINITE (positions, k, w, time); NOT_SUPPORTED (tolerance below 2e-7
// for f32: use c128). Amplitudes, phases and absorptions are not looked at: NaN, Inf and what
// overflows go into the sum as arithmetic has it. M = 0 gives a field of 0; with N = 0 nothing is
// written. In host memory a progress hook is told of parts of the points; after CANCELLED some
// points of `out` are right and the others as they were, optional results are untouched.
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
    padic_wave_emit emit;
    padic_wave_tone tone;
    double tolerance; // phase error in turns; 0 means 2e-6
    padic_tensor out; // (N), or of the grid's shape
    uint32_t flags;   // padic_wave_flags
    uint64_t *coincident; // optional result: pairs left out because r = 0
    double *bound; // optional result: no phase of this run is wrong by more, in turns
} padic_wave_superpose_desc;
PADIC_API padic_result padic_wave_superpose(padic_context *context,
                                            const padic_wave_superpose_desc *desc);

// The bound that holds whichever backend runs the desc, and no field: the largest phase error of
// any pair, in turns. Reads positions and k, so they must lie in host memory (NOT_SUPPORTED
// otherwise: take `bound` from the run). Errors as above.
PADIC_API padic_result padic_wave_bound(padic_context *context,
                                        const padic_wave_superpose_desc *desc, double *bound);

// Many frames of one field: the same points and sources at F times, or for F vectors of amplitudes.
// Sources of one frequency are summed once: N points, M sources and K frequencies cost O(N M + N K
// F), not O(N M F).
//
//     psi(r, t_f) = sum_w e^{-i w t_f} Phi_w(r),   Phi_w(r) the field of the sources of w at t = 0
//     psi_f(r) = sum_m drive_fm G_m(r),            G_m(r) that of source m, amplitude 1, phase 0
//
// (e^{+i w t_f} for CONJUGATE and INCOMING.) Frequencies are one when their bits are (0 and -0,
// too), or when |w_i - w_j| max|t - t_mid| <= 2 pi merge_turns, t_mid in the middle of all times:
// then each takes its own phase at t_mid and turns with the middle one of those merged. `bound`
// grows by what that costs, at most merge_turns.
//
// mean_intensity is sum_w |Phi_w|^2, the average of |psi|^2 over a long time, in which cross terms
// vanish; merged frequencies count as one.
//
// `field` says which field, as for padic_wave_superpose(), flags and optional results included:
// `coincident` counts a pair once, tone.range is that of all frames. Scratch from the context's
// allocator: 24 bytes a source, 16 a frame and frequency, 512 a frequency and task, of which there
// are up to 64. Computed in f64 and rounded once, accuracy as there; field.time + times[f] is not
// rounded to one number. D1, D2. A call on a device whose frequencies lie there, without `bound`,
// keeps w t_f in two words of f32, right to 5e-14 of its turns. A call on a device can
// be recorded when all is in buffers, nothing is merged, no result is optional, and the waves of up
// to 8,192 sources take 128 MiB at most, 8 bytes a point and source. Errors: as there;
// ARGUMENT (neither times nor drive, both, no output); MEMORY. With F = 0 no frame is written.
// After CANCELLED some points are right, in all frames and the mean; the others are as they were.
typedef struct padic_wave_frames_desc {
    padic_wave_superpose_desc field; // out: (F) and the shape that one frame has; or absent, emit 0
    padic_tensor times;              // (F), f32 or f64: frame f is at field.time + times[f]
    padic_tensor drive; // or (F, M), c64 or c128, for amplitude, phase, time and frequency
    double merge_turns; // 0: only what is equal
    padic_tensor mean_intensity; // (N) or the grid's shape, f32 or f64; or absent; not of a drive
} padic_wave_frames_desc;
PADIC_API padic_result padic_wave_frames(padic_context *context,
                                         const padic_wave_frames_desc *desc);

// As padic_wave_bound(), of all frames.
PADIC_API padic_result padic_wave_frames_bound(padic_context *context,
                                               const padic_wave_frames_desc *desc, double *bound);

// The gradient of a superposition, in closed form, and the field itself in the same pass, for
// velocities and forces, and the flux Im(conj psi grad psi).
//
//     grad psi = sum_m psi_m q_m (r - s_m)/r,   q = i k - 1/r - a        POINT3, GREEN3, with NONE
//
// PLUMMER: r/(r^2 + a^2) for 1/r, a the length. PLUMMER_BOTH: q = (i k - 1/R - absorption) r/R, R =
// sqrt(r^2 + a^2). ADDED: 1/(r + a). SQRT: half of that term. CLAMP: 0 inside. SHELL: inside, psi_m
// q is A e^{i(p - w t + k a)}/a (cos kr/r - sin kr/(k r^2)). GREEN2: -(ik/4) H1^(1)(k r), its
// conjugate for k < 0. GREEN1: -(1/2) e^{ik|x|}. CONJUGATE conjugates. On a source the term is 0,
// where it is not left out as that of the field is.
//
// `field` says which field, as for padic_wave_superpose(), flags and optional results included
// (ACCUMULATE adds to both outputs); field.out, the field, may be absent, and `emit` is 0 then.
// Computed in f64 and rounded once. D1, D2. Errors, CANCELLED too: as padic_wave_superpose().
typedef struct padic_wave_gradient_desc {
    padic_wave_superpose_desc field;
    // The shape of the points, (N) or the grid's, and a last axis of 1, 2 or 3: so many components,
    // no more than the kernel has dimensions (GREEN1 1, GREEN2 2); c64 or c128.
    padic_tensor out;
} padic_wave_gradient_desc;
PADIC_API padic_result padic_wave_gradient(padic_context *context,
                                           const padic_wave_gradient_desc *desc);

// What is seen of a field, element by element: its real part, amplitude, intensity or phase.
// Computed in f64 and rounded once, an intensity beyond the dtype to infinity; devices do c64 to
// f32, in f32, within 5e-7 of the value, as is the phase of vectors. D1, D2. Errors: ARGUMENT,
// DTYPE, MISMATCH (shapes), OVERLAP.
typedef struct padic_wave_observe_desc {
    padic_tensor psi;     // c64 or c128, of any shape
    padic_wave_emit emit; // COMPLEX (0) means INTENSITY; RGBA8: padic_wave_tonemap()
    padic_tensor out;     // psi's shape; f32 or f64
} padic_wave_observe_desc;
PADIC_API padic_result padic_wave_observe(padic_context *context,
                                          const padic_wave_observe_desc *desc);

// Pixels of a field, or of values that are real already (then they are v, whatever tone.value says,
// and HUE is an error). D1, D2: bytes (of TABLE rows) differ by 1 at most; devices do c64 and f32.
// Errors as above.
typedef struct padic_wave_tonemap_desc {
    padic_tensor field; // c64, c128, f32 or f64, of rank 7 at most
    padic_wave_tone tone;
    padic_tensor out; // u8, field's shape and a last axis of 4
} padic_wave_tonemap_desc;
PADIC_API padic_result padic_wave_tonemap(padic_context *context,
                                          const padic_wave_tonemap_desc *desc);

// psi *= sqrt(target/(sum |psi|^2 volume)), in place. The sum is a fixed tree in f64: the same bits
// for any number of workers, and on devices, which do c64; those without f64 have it to 1e-12.
// Squares beyond f64 do no harm: psi is scaled first. Errors: ARGUMENT (target or volume negative
// or not finite), DTYPE; DOMAIN, with psi unchanged: psi is 0 or not finite, or f64 does not hold
// the norm that is asked for, or the factor.
typedef struct padic_wave_normalise_desc {
    padic_tensor psi; // read and written; c64 or c128, of any shape
    double target;    // 0 means 1
    double volume;    // dV, of a point; 0 means 1
    uint32_t legacy;  // 1: psi/(sqrt(sum |psi|^2) + 1e-10), target and volume 0 or 1
    double *norm;     // optional result: sum |psi|^2 volume, as it was
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
    PADIC_WAVE_RATIONAL = 0, // (z/sqrt(rho^2 + xi^2))^|q|: goes as r^|q|, smooth
    // (z/rho) sqrt(x (a1 + a2 x)/(1 + b1 x + a2 x^2)), |q| = 1: the core of a condensate to 7.6e-3,
    // with its slope, curvature and tail 1 - 1/2x; xi = hbar/sqrt(2 m mu). a1 = 0.3401100, a2 =
    // 0.0464431, b1 = a1 + a2.
    PADIC_WAVE_PADE = 1,
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
typedef struct padic_wave_vortex_desc {
    padic_tensor points;  // as of padic_wave_superpose_desc
    padic_wave_grid grid;
    padic_tensor centres; // (V, D), f32 or f64
    padic_tensor axes;    // (V, 3) or absent
    padic_tensor charges; // (V) or of rank 0; f32 or f64
    padic_tensor cores;   // xi, as charges
    padic_tensor psi;     // of out's shape (RGBA8: less its last axis), c64 or c128; or absent
    padic_wave_core core;
    padic_wave_emit emit;
    padic_wave_tone tone;
    padic_tensor out;
    uint32_t flags; // CHECK_FINITE
} padic_wave_vortex_desc;
PADIC_API padic_result padic_wave_vortex(padic_context *context,
                                         const padic_wave_vortex_desc *desc);

typedef enum padic_wave_phase_method {
    // Links theta = arg(psi_next conj psi), in (-pi, pi], over the step; a point takes the mean of
    // its two, at an open edge its one. Exact while |grad theta| step < pi.
    PADIC_WAVE_LINKS = 0,
    // Im(conj psi D psi)/|psi|^2, D the central difference (at an open edge that of its link): k
    // becomes sin(k step)/step.
    PADIC_WAVE_CURRENT = 1,
    PADIC_WAVE_PHASE_LEGACY = 2 // that difference of atan2(im, re): jumps of 2 pi stay; step 1
} padic_wave_phase_method;

// scale times the gradient of the phase of psi: with scale hbar/m the velocity of a superfluid.
// Computed in f64 and rounded once; vectors and devices do c64 to f32 within 6e-7 of the links or
// angles that are added, of a CURRENT itself. D1, D2. Errors: ARGUMENT, DTYPE, MISMATCH (shapes).
typedef struct padic_wave_phase_gradient_desc {
    padic_tensor psi; // of rank 1, 2 or 3; c64 or c128
    padic_wave_phase_method method;
    uint32_t periodic; // bit a: axis a ends where it begins
    double step[3];    // 0 means 1
    double scale;      // 0 means 1
    double floor;      // where |psi|^2 <= floor the gradient is 0
    padic_tensor out;  // psi's shape and a last axis of its rank; f32 or f64
    uint64_t *skipped; // optional result: points at or below the floor
} padic_wave_phase_gradient_desc;
PADIC_API padic_result padic_wave_phase_gradient(padic_context *context,
                                                 const padic_wave_phase_gradient_desc *desc);

typedef struct padic_wave_defect {
    uint64_t index;       // of the square's lowest corner, in C order
    uint32_t orientation; // the axis it is normal to
    int32_t charge;       // -1 or 1
} padic_wave_defect;

// Charge of every elementary square: how often psi_1 psi_2 psi_3 psi_4 winds about 0, from the
// signs of crossings of the negative real axis, with no arctangent: -1, 0 or 1, and the sum over
// any region is exactly the winding of its boundary, where no corner is 0. A core of charge q shows
// as several squares whose sum is q, if the loop about it has more than 2 |q| samples. The square
// of point i and orientation o spans the axes o + 1 and o + 2 (modulo 3) from i; a plane has
// orientation 2 only. A link whose ends are opposite counts as no crossing, either way. D0; devices
// do c64 without a list.
//
// Errors: ARGUMENT, DTYPE, MISMATCH (shapes).
typedef struct padic_wave_winding_desc {
    padic_tensor psi;  // of rank 2 or 3; c64 or c128
    uint32_t periodic; // bit a: axis a ends where it begins
    // Optional: psi's shape, for rank 3 below a first axis of 3, the orientation; i8. -128 where a
    // corner is 0 or not finite, 0 where an open edge leaves no square.
    padic_tensor map;
    int64_t *total;      // optional results: the sum, by orientation (3 values, of a plane the 3rd)
    uint64_t *absolute;  // the sum of |charge|
    uint64_t *undefined; // squares of -128
    padic_wave_defect *list; // those of charge not 0, by index, then orientation
    uint64_t list_capacity;  // the rest is not written
    uint64_t *list_count;    // how many there are, written or not
} padic_wave_winding_desc;
PADIC_API padic_result padic_wave_winding(padic_context *context,
                                          const padic_wave_winding_desc *desc);

// Points on a sphere, i = 0 to N - 1: height z = 1 - (2i + 1)/N, azimuth 2 pi frac(i/g) + turns
// acos(z) + offset, g the golden ratio; turns 0 is the Fibonacci sphere, 5 a helix. In host memory
// (NOT_SUPPORTED otherwise). Errors: ARGUMENT (NULL; radius negative), NOT_FINITE, DTYPE, MISMATCH.
typedef struct padic_wave_lattice_desc {
    double radius, centre[3]; // radius 0 means 1
    double turns, offset;
    padic_tensor out; // (N, 3), f32 or f64
    double *weight;   // optional result: the area of each point, 4 pi radius^2/N
} padic_wave_lattice_desc;
PADIC_API padic_result padic_wave_lattice(padic_context *context,
                                          const padic_wave_lattice_desc *desc);
// room: src/padic_wave.in.h:18
#endif // PADIC_WAVE_H

#ifdef PADICI_AREAS_IMPLEMENTATION

// room: src/wave/wave.c
// ------------------------------------------------------------------------------------ >>wave impl

#define PADICI_TWO_PI 6.283185307179586476925
#define PADICI_WAVE_SOURCES 32 // of a block, kept on the stack; sums are made block by block
#define PADICI_WAVE_POINTS 32  // of a pass over all sources
#define PADICI_WAVE_SLICES 64  // tasks of a field, so that what they count fits the stack

typedef struct padici_complex {
    double re, im;
} padici_complex;

// One source as the sums need it.
typedef struct padici_wave_source {
    double at[3], amplitude, wavenumber, absorption;
    double phase; // p -+ w t, less than a turn
} padici_wave_source;

typedef struct padici_wave_slice {
    uint64_t coincident;
    double low, high; // of finite v
} padici_wave_slice;

typedef struct padici_wave_job {
    const padic_wave_superpose_desc *desc;
    double length;
    uint64_t points, sources, passes;
    uint64_t count[3];           // of the grid, or N, 1, 1
    int64_t stride[4];           // of out, in elements
    int64_t point_stride[2];
    double step[3][3], low, high; // step * axis; range of the tone
    double least;                 // r^2 below which a point lies on the source
    padici_wave_slice *slices;
    uint64_t slice_count;
    padici_steps *steps; // NULL: nobody asks
} padici_wave_job;

// One part of the points is done. Not 0: leave the others.
static int padici_wave_stopped(const padici_wave_job *job)
{
    return job->steps && padici_steps_more(job->steps, 1);
}

static void padici_wave_watch(padici_wave_job *job, padici_steps *steps, const padic_env *env,
                              uint64_t parts)
{
    padici_steps_begin(steps, NULL, env ? env->progress : NULL, parts);
    job->steps = steps;
}

// All workers are back.
static padic_result padici_wave_unwatch(padici_wave_job *job, const padic_env *env)
{
    padici_steps *steps = job->steps;
    job->steps = NULL;
    if (!padici_steps_end(steps)) return PADIC_OK;
    return padici_env_fail(env, PADIC_ERROR_CANCELLED, "the progress hook stopped it midway");
}

// Element i of a tensor (M), or the one of rank 0.
static double padici_wave_value(const padic_tensor *t, uint64_t i, double absent)
{
    const char *from = (const char *)t->data;
    int64_t stride[PADIC_MAX_RANK];
    float single;
    double value;
    if (t->dtype == PADIC_DTYPE_NONE) return absent;
    padici_tensor_dense(t, stride);
    if (t->rank) from += (int64_t)i * stride[0] * (int64_t)padic_dtype_size(t->dtype);
    if (t->dtype == PADIC_F64) return memcpy(&value, from, 8), value;
    return memcpy(&single, from, 4), (double)single;
}

// Row i of a tensor (N, D), with `stride` from padici_tensor_dense().
static void padici_wave_position(const padic_tensor *t, const int64_t stride[2], uint64_t i,
                                 double at[3])
{
    const int64_t size = (int64_t)padic_dtype_size(t->dtype);
    const char *from = (const char *)t->data + (int64_t)i * stride[0] * size;
    uint32_t j;
    float single;
    for (j = 0; j < 3; j++) {
        at[j] = 0;
        if (j >= t->shape[1]) continue;
        if (t->dtype == PADIC_F64) {
            memcpy(&at[j], from + (int64_t)j * stride[1] * size, 8);
        } else {
            memcpy(&single, from + (int64_t)j * stride[1] * size, 4);
            at[j] = single;
        }
    }
}

// w, or c k.
static double padici_wave_frequency(const padic_wave_superpose_desc *desc, uint64_t i)
{
    if (desc->frequency.dtype != PADIC_DTYPE_NONE) return padici_wave_value(&desc->frequency, i, 0);
    return (desc->speed > 0 ? desc->speed : 1) * padici_wave_value(&desc->wavenumber, i, 0);
}

// x, n words of 64 bits, the lowest first, times the integer that |by| is a power of 2 of; returns
// the power. What is beyond n words is lost.
static int32_t padici_wave_multiply(uint64_t *x, uint32_t n, double by)
{
    uint64_t bits, carry = 0;
    uint32_t power, i;
    memcpy(&bits, &by, 8);
    power = (uint32_t)(bits >> 52 & 0x7ff);
    bits = (bits & UINT64_C(0xfffffffffffff)) | (uint64_t)(power != 0) << 52;
    for (i = 0; i < n; i++) {
        const uint64_t low = x[i] * bits, high = padici_mulhi64(x[i], bits);
        x[i] = low + carry;
        carry = high + (x[i] < low);
    }
    return (int32_t)power + (power == 0) - 1075;
}

// 64 digits of 1/2pi, which begin 256 digits of 0 before the point.
static uint64_t padici_wave_digits(uint32_t from)
{
    static const uint32_t digits[49] = {
        0,          0,          0,          0,          0,          0,          0,
        0,          0x28be60db, 0x9391054a, 0x7f09d5f4, 0x7d4d3770, 0x36d8a566, 0x4f10e410,
        0x7f9458ea, 0xf7aef158, 0x6dc91b8e, 0x909374b8, 0x01924bba, 0x82746487, 0x3f877ac7,
        0x2c4a69cf, 0xba208d7d, 0x4baed121, 0x3a671c09, 0xad17df90, 0x4e64758e, 0x60d4ce7d,
        0x272117e2, 0xef7e4a0e, 0xc7fe25ff, 0xf7816603, 0xfbcbc462, 0xd6829b47, 0xdb4d9fb3,
        0xc9f2c26d, 0xd3d18fd9, 0xa797fa8b, 0x5d49eeb1, 0xfaf97c5e, 0xcf41ce7d, 0xe294a4ba,
        0x9afed7ec, 0x47e35742, 0x1580cc11, 0xbf1edaea, 0xfc33ef08, 0x26bd0d87, 0x6a78e458};
    const uint32_t *word = digits + from / 32;
    return ((uint64_t)word[0] << 32 | word[1]) << from % 32 |
           (uint64_t)word[2] << from % 32 >> 32;
}

// The exponent of x as of padici_wave_multiply(), for a product before it is made.
static int32_t padici_wave_power(double x)
{
    uint64_t none = 0;
    return padici_wave_multiply(&none, 0, x);
}

// a b c/2pi without its whole turns, in units of 2^-64 turns, right to 2^-63 of one however large
// the product is, up to 1e300: only those digits of 1/2pi are multiplied that leave more than whole
// turns and reach as far down (Payne and Hanek 1983).
static uint64_t padici_wave_turns(double a, double b, double c)
{
    const int32_t from = 256 + padici_wave_power(a) + padici_wave_power(b) + padici_wave_power(c);
    uint64_t x[4];
    uint32_t i;
    if (from < 0 || from >= 41 * 32) return 0; // below 2^-96, or beyond
    for (i = 0; i < 4; i++) x[i] = padici_wave_digits((uint32_t)from + 64 * (3 - i));
    (void)padici_wave_multiply(x, 4, a);
    (void)padici_wave_multiply(x, 4, b);
    if (c != 1) (void)padici_wave_multiply(x, 4, c);
    else x[3] = x[3] << 52 | x[2] >> 12;
    return ((a < 0) ^ (b < 0) ^ (c < 0)) ? 0 - x[3] : x[3];
}

// w of a source, or k where there is no w; what a time is multiplied by then.
static double padici_wave_rate_of(const padic_wave_superpose_desc *desc, uint64_t i)
{
    return desc->frequency.dtype != PADIC_DTYPE_NONE ? padici_wave_value(&desc->frequency, i, 0)
                                                     : padici_wave_value(&desc->wavenumber, i, 0);
}

static double padici_wave_rate_speed(const padic_wave_superpose_desc *desc)
{
    return desc->frequency.dtype != PADIC_DTYPE_NONE || !(desc->speed > 0) ? 1 : desc->speed;
}

// A phase in radians, at most half a turn; what is not finite in `x` stays so.
static double padici_wave_angle_of(uint64_t turns, double x)
{
    const double part = turns >> 63 ? -(double)(0 - turns) : (double)turns;
    return part * (PADICI_TWO_PI / 18446744073709551616.0) + (x - x);
}

static void padici_wave_source_get(const padic_wave_superpose_desc *desc, uint64_t i,
                                   padici_wave_source *source)
{
    const double speed = desc->speed > 0 ? desc->speed : 1;
    const double frequency = padici_wave_frequency(desc, i);
    const double phase = padici_wave_value(&desc->phase, i, 0);
    int64_t stride[PADIC_MAX_RANK];
    uint64_t turns = 0;
    padici_tensor_dense(&desc->sources, stride);
    padici_wave_position(&desc->sources, stride, i, source->at);
    source->amplitude = padici_wave_value(&desc->amplitude, i, 1);
    source->absorption = padici_wave_value(&desc->absorption, i, 0);
    source->wavenumber = padici_wave_value(&desc->wavenumber, i, frequency / speed);
    if (desc->time != 0)
        turns = padici_wave_turns(padici_wave_rate_of(desc, i), desc->time,
                                  padici_wave_rate_speed(desc));
    if (desc->sign != PADIC_WAVE_INCOMING) turns = 0 - turns;
    if (phase != 0) turns += padici_wave_turns(phase, 1, 1);
    source->phase = padici_wave_angle_of(turns, frequency * desc->time + phase);
}

// J0 + i Y0, J1 + i Y1 for 0 < x < 25, by the recurrence run downwards (Miller), which is stable:
// J0 + 2 (J2 + J4 + ...) = 1, Y0 = 2/pi ((ln(x/2) + gamma) J0 + 2 (J2 - J4/2 + J6/3 - ...)), and
// Y1 = -Y0' with 2 J_n' = J_(n-1) - J_(n+1):
// Y1 = 2/pi ((ln(x/2) + gamma) J1 - J0/x - J1 + (1 + 1/2) J3 - (1/2 + 1/3) J5 + ...).
static void padici_wave_bessel(double x, padici_complex h[2])
{
    const double gamma = 0.5772156649015328606;
    const int top = x < 1 ? 24 : 64;
    double above = 0, here = 1e-250, below, norm = 0, sum = 0, odd = 0, logarithm;
    int n;
    logarithm = log(x / 2) + gamma;
    if (x < 1e-8) { // x^2/4 is lost beside 1
        h[0].re = 1;
        h[0].im = 4 / PADICI_TWO_PI * logarithm;
        h[1].re = x / 2;
        h[1].im = -4 / PADICI_TWO_PI / x;
        return;
    }
    for (n = top; n > 0; n--) { // here = J_n
        if (!(n & 1)) {
            norm += 2 * here;
            sum += (n & 2 ? 4 : -4) * here / n;
        } else if (n > 1) {
            odd += (n & 2 ? 1 : -1) * here * (2.0 / (n - 1) + 2.0 / (n + 1));
        }
        below = 2 * n / x * here - above;
        above = here;
        here = below;
        if (fabs(here) > 1e200) { // only ratios matter
            here *= 1e-250;
            above *= 1e-250;
            norm *= 1e-250;
            sum *= 1e-250;
            odd *= 1e-250;
        }
    }
    norm += here;
    h[0].re = here / norm;
    h[0].im = 4 / PADICI_TWO_PI * (logarithm * h[0].re + sum / norm);
    h[1].re = above / norm;
    h[1].im = 4 / PADICI_TWO_PI * ((logarithm - 1) * h[1].re - h[0].re / x + odd / norm);
}

// H_n^(1)(x) e^{-ix} for n = 0, 1 and x >= 25: sqrt(2/(pi x)) e^{-i pi/4} (-i)^n sum a_j (i/x)^j
// with a_j = a_(j-1) (4 n^2 - (2j - 1)^2)/(8j) (Abramowitz and Stegun 9.2.7), until a term is below
// rounding.
static padici_complex padici_wave_hankel(double x, int order)
{
    const double size = sqrt(4 / (PADICI_TWO_PI * x) / 2); // with the sqrt(1/2) of e^{-i pi/4}
    double term = 1, p = 1, q = 0;
    padici_complex h;
    int j;
    for (j = 1; j < 50 && fabs(term) > 1e-18; j++) {
        term *= (4.0 * order - (2.0 * j - 1) * (2.0 * j - 1)) / (8.0 * j * x);
        if (j & 1)
            q += j & 2 ? -term : term;
        else
            p += j & 2 ? -term : term;
    }
    h.re = size * (order ? q - p : p + q); // (p + iq)(1 - i), by -i for order 1
    h.im = size * (order ? -p - q : q - p);
    return h;
}

// H0^(1)(x) or H1^(1)(x), x > 0.
static padici_complex padici_wave_hankel_at(double x, int order)
{
    padici_complex h[2], g;
    double c, s, back;
    if (x < 25) {
        padici_wave_bessel(x, h);
        return h[order];
    }
    h[0] = padici_wave_hankel(x, order);
    c = cos(x);
    s = sin(x);
    back = -h[0].im; // gcc takes a difference beside the sum for one instruction, which is fused
    g.re = h[0].re * c + back * s;
    g.im = h[0].re * s + h[0].im * c;
    return g;
}

// The field of a source of amplitude 1 and phase 0 at distance r.
static padici_complex padici_wave_green2(double k, double r)
{
    const padici_complex h = padici_wave_hankel_at(fabs(k) * r, 0);
    padici_complex g;
    g.re = -h.im / 4; // i/4 times it
    g.im = k < 0 ? -h.re / 4 : h.re / 4;
    return g;
}

static padici_complex padici_wave_shell(double k, double r, double a)
{
    const double inner = r < a ? r : a, outer = r < a ? a : r;
    const double size = (k * inner == 0 ? 1 : sin(k * inner) / (k * inner)) / outer;
    padici_complex g;
    g.re = size * cos(k * outer);
    g.im = size * sin(k * outer);
    return g;
}

static padici_complex padici_wave_green(const padic_wave_superpose_desc *desc, double a, double k,
                                        double r)
{
    padici_complex g;
    double size = r, real;
    if (desc->kernel == PADIC_WAVE_GREEN2) return padici_wave_green2(k, r);
    if (desc->softening == PADIC_WAVE_SHELL) {
        g = padici_wave_shell(k, r, a);
        size = 1;
    } else {
        if (desc->softening == PADIC_WAVE_PLUMMER) size = sqrt(r * r + a * a);
        if (desc->softening == PADIC_WAVE_ADDED) size = r + a;
        g.re = cos(k * r);
        g.im = sin(k * r);
    }
    if (desc->kernel == PADIC_WAVE_GREEN1) {
        real = g.re;
        g.re = -g.im / (2 * k);
        g.im = real / (2 * k);
        return g;
    }
    if (desc->kernel == PADIC_WAVE_GREEN3) size *= 2 * PADICI_TWO_PI;
    if (desc->kernel == PADIC_WAVE_SQRT) size = sqrt(size);
    g.re /= size;
    g.im /= size;
    return g;
}

// The way from a source to a point: d, d.d and r as the amplitude wants it. 1: they coincide.
static int padici_wave_way(const padici_wave_job *job, const padici_wave_source *source,
                           const double at[3], double d[3], double *squared, double *r)
{
    const padic_wave_superpose_desc *desc = job->desc;
    const double x = at[0] - source->at[0], y = at[1] - source->at[1], z = at[2] - source->at[2];
    const double r2 = x * x + y * y + z * z, a = job->length;
    d[0] = x;
    d[1] = y;
    d[2] = z;
    *squared = r2;
    *r = sqrt(r2);
    if (desc->softening == PADIC_WAVE_SOFTEN_NONE && r2 < job->least &&
        desc->kernel != PADIC_WAVE_GREEN1)
        return 1;
    if (desc->softening == PADIC_WAVE_PLUMMER_BOTH) *r = sqrt(r2 + a * a);
    if (desc->softening == PADIC_WAVE_CLAMP && *r < a) *r = a;
    return 0;
}

// Amplitude, absorption and phase of a source at r, as c + is.
static padici_complex padici_wave_weight(const padici_wave_source *source, double r)
{
    const double size =
        source->amplitude * (source->absorption != 0 ? exp(-source->absorption * r) : 1);
    padici_complex weight;
    weight.re = size * cos(source->phase);
    weight.im = size * sin(source->phase);
    return weight;
}

static void padici_wave_add(const padic_wave_superpose_desc *desc, padici_complex g,
                            padici_complex weight, padici_complex *sum)
{
    sum->re += g.re * weight.re - g.im * weight.im;
    if (desc->sign == PADIC_WAVE_CONJUGATE)
        sum->im -= g.re * weight.im + g.im * weight.re;
    else
        sum->im += g.re * weight.im + g.im * weight.re;
}

// Adds one source to a sum; 1 if it lies on the point and was left out.
static int padici_wave_pair(const padici_wave_job *job, const padici_wave_source *source,
                            const double at[3], padici_complex *sum)
{
    const padic_wave_superpose_desc *desc = job->desc;
    double d[3], r2, r;
    if (padici_wave_way(job, source, at, d, &r2, &r)) return 1;
    padici_wave_add(desc, padici_wave_green(desc, job->length, source->wavenumber, r),
                    padici_wave_weight(source, r), sum);
    return 0;
}

static padici_complex padici_wave_load(const padic_tensor *t, int64_t at)
{
    padici_complex z;
    float single[2];
    if (t->dtype == PADIC_C128) {
        memcpy(&z, (const char *)t->data + 16 * at, 16);
    } else {
        memcpy(single, (const char *)t->data + 8 * at, 8);
        z.re = (double)single[0];
        z.im = (double)single[1];
    }
    return z;
}

static void padici_wave_point(const padici_wave_job *job, uint64_t i, double at[3])
{
    const padic_wave_superpose_desc *desc = job->desc;
    uint64_t index[3];
    uint32_t j;
    if (desc->points.dtype != PADIC_DTYPE_NONE) {
        padici_wave_position(&desc->points, job->point_stride, i, at);
        return;
    }
    index[2] = i % job->count[2];
    index[1] = i / job->count[2] % job->count[1];
    index[0] = i / job->count[2] / job->count[1];
    for (j = 0; j < 3; j++)
        at[j] = desc->grid.origin[j] + ((double)index[0] * job->step[0][j] +
                                        (double)index[1] * job->step[1][j] +
                                        (double)index[2] * job->step[2][j]);
}

// z, or 2^-*power z, near to 1, where its square would be beyond F64 or lose digits.
static padici_complex padici_wave_near(padici_complex z, int *power)
{
    const double x = fabs(z.re), y = fabs(z.im), large = x > y ? x : y;
    *power = 0;
    if ((large > 1e-140 && large < 1e140) || !(large > 0) || !(x - x == 0) || !(y - y == 0))
        return z;
    frexp(large, power);
    z.re = ldexp(z.re, -*power);
    z.im = ldexp(z.im, -*power);
    return z;
}

static double padici_wave_amplitude(padici_complex z)
{
    int power;
    double size;
    z = padici_wave_near(z, &power);
    size = sqrt(z.re * z.re + z.im * z.im);
    return power ? ldexp(size, power) : size;
}

static double padici_wave_real(padic_wave_emit emit, padici_complex psi)
{
    switch (emit) {
    case PADIC_WAVE_REAL: return psi.re;
    case PADIC_WAVE_AMPLITUDE: return padici_wave_amplitude(psi);
    case PADIC_WAVE_PHASE: // + 0.0: pi, not -pi, for an im of -0
        return psi.re == 0 && psi.im == 0 ? 0 : atan2(psi.im + 0.0, psi.re);
    default: return psi.re * psi.re + psi.im * psi.im;
    }
}

static uint8_t padici_wave_byte(double x)
{
    return (uint8_t)(x <= 0 ? 0 : x >= 1 ? 255 : floor(255 * x + 0.5));
}

// Hue (in turns) and value, at full saturation.
static void padici_wave_hue(double turns, double value, uint8_t pixel[4])
{
    static const double from_red[3] = {0, 1.0 / 3, 2.0 / 3};
    uint32_t i;
    for (i = 0; i < 3; i++) { // 1 within a sixth of its own hue, 0 from a third on
        double away = turns - from_red[i];
        away = fabs(away - floor(away + 0.5));
        away = 2 - 6 * away;
        pixel[i] = padici_wave_byte(value * (away < 0 ? 0 : away > 1 ? 1 : away));
    }
}

static void padici_wave_pixel(const padici_wave_job *job, padici_complex psi, double v,
                              uint8_t pixel[4])
{
    static const uint8_t magenta[4] = {255, 0, 255, 255};
    const padic_wave_tone *tone = &job->desc->tone;
    const uint8_t *bad = tone->nan_colour;
    double x;
    if (v != v) {
        memcpy(pixel, bad[0] || bad[1] || bad[2] || bad[3] ? bad : magenta, 4);
        return;
    }
    if (tone->curve == PADIC_WAVE_REINHARD)
        x = v <= 0 ? 0 : v >= DBL_MAX ? 1 : v / (v + job->high);
    else if (tone->curve == PADIC_WAVE_LOG)
        x = v <= 0 ? 0 : log(1 + v / job->low) / log(1 + job->high / job->low);
    else
        x = (v - job->low) / (job->high - job->low);
    x = x <= 0 ? 0 : x >= 1 ? 1 : x;
    pixel[0] = pixel[1] = pixel[2] = padici_wave_byte(x);
    pixel[3] = 255;
    if (tone->map == PADIC_WAVE_HEAT) {
        pixel[0] = padici_wave_byte(3 * x);
        pixel[1] = padici_wave_byte(3 * x - 1);
        pixel[2] = padici_wave_byte(3 * x - 2);
    } else if (tone->map == PADIC_WAVE_HUE) {
        padici_wave_hue(padici_wave_real(PADIC_WAVE_PHASE, psi) / PADICI_TWO_PI, x, pixel);
    } else if (tone->map == PADIC_WAVE_TABLE) {
        memcpy(pixel, tone->table + 4 * (size_t)pixel[0], 4);
    }
}

static void padici_wave_store_rgba(const padici_wave_job *job, padici_wave_slice *slice,
                                   padici_complex psi, char *to)
{
    const padic_wave_tone *tone = &job->desc->tone;
    const double v = padici_wave_real(tone->value, psi);
    uint8_t pixel[4];
    uint32_t j;
    padici_wave_pixel(job, psi, v, pixel);
    for (j = 0; j < 4; j++) to[(int64_t)j * job->stride[3]] = (char)pixel[j];
    if (v < slice->low && v >= -DBL_MAX) slice->low = v;
    if (v > slice->high && v <= DBL_MAX) slice->high = v;
}

// Where point i lies in a tensor of the points' shape, in elements.
static int64_t padici_wave_index(const padici_wave_job *job, const int64_t stride[3], uint64_t i)
{
    return (int64_t)(i % job->count[2]) * stride[2] +
           (int64_t)(i / job->count[2] % job->count[1]) * stride[1] +
           (int64_t)(i / job->count[2] / job->count[1]) * stride[0];
}

// One value of f32, f64 (the real part), c64 or c128, perhaps added to what is there (complex).
static void padici_wave_put(const padic_tensor *out, int64_t at, padici_complex z, int accumulate)
{
    char *to = (char *)out->data + at * (int64_t)padic_dtype_size(out->dtype);
    double pair[2];
    float single[2];
    pair[0] = z.re;
    pair[1] = z.im;
    if (accumulate) {
        if (out->dtype == PADIC_C128) {
            double old[2];
            memcpy(old, to, 16);
            pair[0] += old[0];
            pair[1] += old[1];
        } else {
            memcpy(single, to, 8);
            pair[0] += (double)single[0];
            pair[1] += (double)single[1];
        }
    }
    single[0] = (float)pair[0];
    single[1] = (float)pair[1];
    switch (out->dtype) {
    case PADIC_C128: memcpy(to, pair, 16); break;
    case PADIC_F64: memcpy(to, pair, 8); break;
    case PADIC_C64: memcpy(to, single, 8); break;
    default: memcpy(to, single, 4); break;
    }
}

// What `emit` makes of psi, `at` elements into out.
static void padici_wave_store_at(const padici_wave_job *job, padici_wave_slice *slice, int64_t at,
                                 padici_complex psi)
{
    const padic_wave_superpose_desc *desc = job->desc;
    if (desc->emit == PADIC_WAVE_RGBA8) {
        padici_wave_store_rgba(job, slice, psi, (char *)desc->out.data + at);
        return;
    }
    if (desc->emit != PADIC_WAVE_COMPLEX) psi.re = padici_wave_real(desc->emit, psi);
    padici_wave_put(&desc->out, at, psi, (desc->flags & PADIC_WAVE_ACCUMULATE) != 0);
}

static void padici_wave_store(const padici_wave_job *job, padici_wave_slice *slice, uint64_t i,
                              padici_complex psi)
{
    padici_wave_store_at(job, slice, padici_wave_index(job, job->stride, i), psi);
}

// Points first to first + count, at most PADICI_WAVE_POINTS, over all sources.
static void padici_wave_pass(const padici_wave_job *job, padici_wave_slice *slice, uint64_t first,
                             uint32_t count)
{
    padici_wave_source sources[PADICI_WAVE_SOURCES];
    padici_complex sums[PADICI_WAVE_POINTS];
    double at[PADICI_WAVE_POINTS][3];
    uint64_t begin;
    uint32_t i, j, n;
    memset(sums, 0, sizeof sums);
    for (i = 0; i < count; i++) padici_wave_point(job, first + i, at[i]);
    for (begin = 0; begin < job->sources; begin += n) {
        const uint64_t left = job->sources - begin;
        n = left < PADICI_WAVE_SOURCES ? (uint32_t)left : PADICI_WAVE_SOURCES;
        for (j = 0; j < n; j++) padici_wave_source_get(job->desc, begin + j, &sources[j]);
        for (i = 0; i < count; i++) {
            padici_complex sum = {0, 0};
            for (j = 0; j < n; j++)
                slice->coincident += (uint32_t)padici_wave_pair(job, &sources[j], at[i], &sum);
            sums[i].re += sum.re;
            sums[i].im += sum.im;
        }
    }
    for (i = 0; i < count; i++) padici_wave_store(job, slice, first + i, sums[i]);
}

// Items [*first, *end) of task `task` of `tasks`.
static void padici_wave_share(uint64_t items, uint64_t tasks, uint32_t task, uint64_t *first,
                              uint64_t *end)
{
    const uint64_t each = items / tasks, more = items % tasks;
    *first = each * task + (task < more ? task : more);
    *end = *first + each + (task < more);
}

static void padici_wave_task(void *arg, uint32_t task)
{
    const padici_wave_job *job = (const padici_wave_job *)arg;
    padici_wave_slice *slice = &job->slices[task];
    uint64_t pass, end;
    padici_wave_share(job->passes, job->slice_count, task, &pass, &end);
    for (; pass < end; pass++) {
        const uint64_t first = pass * PADICI_WAVE_POINTS, left = job->points - first;
        padici_wave_pass(job, slice, first,
                         left < PADICI_WAVE_POINTS ? (uint32_t)left : PADICI_WAVE_POINTS);
        if (padici_wave_stopped(job)) return;
    }
}

// step * axis.
static void padici_wave_steps(const padic_wave_grid *grid, double step[3][3])
{
    uint32_t i, j;
    int given = 0;
    for (i = 0; i < 9; i++) given |= grid->axis[i / 3][i % 3] != 0;
    for (i = 0; i < 3; i++)
        for (j = 0; j < 3; j++)
            step[i][j] = grid->step[i] * (given ? grid->axis[i][j] : i == j ? 1 : 0);
}

static int padici_wave_is_f64(const padic_wave_superpose_desc *desc)
{
    return desc->out.dtype == PADIC_C128 || desc->out.dtype == PADIC_F64;
}

static double padici_wave_length(const padic_wave_superpose_desc *desc)
{
    const int widened =
        desc->softening == PADIC_WAVE_ADDED || desc->softening == PADIC_WAVE_CLAMP;
    return widened && desc->length == 0 ? 0.1 : desc->length;
}

static void padici_wave_tone_range(const padic_wave_tone *tone, double *low, double *high)
{
    *low = tone->low;
    *high = tone->high;
    if (tone->low != 0 || tone->high != 0) return;
    *low = tone->curve == PADIC_WAVE_LOG ? 1 : 0;
    *high = 1;
}

static void padici_wave_job_begin(padici_wave_job *job, const padic_wave_superpose_desc *desc)
{
    int64_t stride[PADIC_MAX_RANK];
    uint32_t i, rank = desc->out.rank - (desc->emit == PADIC_WAVE_RGBA8);
    memset(job, 0, sizeof *job);
    job->desc = desc;
    job->length = padici_wave_length(desc);
    job->sources = desc->sources.shape[0];
    job->points = 1;
    for (i = 0; i < 3; i++) job->count[i] = desc->grid.count[i] ? desc->grid.count[i] : 1;
    if (desc->points.dtype != PADIC_DTYPE_NONE) { // a list is a grid of one axis
        job->count[0] = desc->points.shape[0];
        padici_tensor_dense(&desc->points, stride);
        job->point_stride[0] = stride[0];
        job->point_stride[1] = stride[1];
    }
    for (i = 0; i < 3; i++) job->points *= job->count[i];
    if (desc->out.dtype != PADIC_DTYPE_NONE) {
        padici_tensor_dense(&desc->out, stride);
        for (i = 0; i < rank; i++) job->stride[i] = stride[i];
        job->stride[3] = stride[rank];
    }
    padici_wave_steps(&desc->grid, job->step);
    padici_wave_tone_range(&desc->tone, &job->low, &job->high);
    job->least = padici_wave_is_f64(desc) ? DBL_MIN : (double)FLT_MIN;
    job->passes = (job->points + PADICI_WAVE_POINTS - 1) / PADICI_WAVE_POINTS;
    job->slice_count = job->passes < PADICI_WAVE_SLICES ? job->passes : PADICI_WAVE_SLICES;
}

// Box of rows of positions: low, high.
static void padici_wave_box(const padic_tensor *t, double box[2][3])
{
    int64_t stride[PADIC_MAX_RANK];
    uint64_t i;
    uint32_t j;
    double at[3];
    padici_tensor_dense(t, stride);
    for (i = 0; i < t->shape[0]; i++) {
        padici_wave_position(t, stride, i, at);
        for (j = 0; j < 3; j++) {
            if (!i || at[j] < box[0][j]) box[0][j] = at[j];
            if (!i || at[j] > box[1][j]) box[1][j] = at[j];
        }
    }
}

static void padici_wave_box_grid(const padic_wave_grid *grid, double box[2][3])
{
    double step[3][3];
    uint32_t i, j;
    padici_wave_steps(grid, step);
    for (j = 0; j < 3; j++) {
        box[0][j] = box[1][j] = grid->origin[j];
        for (i = 0; i < 3; i++) {
            const double reach = grid->count[i] > 1 ? (grid->count[i] - 1.0) * step[i][j] : 0;
            box[reach > 0][j] += reach;
        }
    }
}

// How far from 0 what the points of a grid are summed of may be.
static double padici_wave_place(const padic_wave_grid *grid)
{
    double step[3][3], far2 = 0;
    uint32_t i, j;
    padici_wave_steps(grid, step);
    for (j = 0; j < 3; j++) {
        double far_ = fabs(grid->origin[j]);
        for (i = 0; i < 3; i++)
            if (grid->count[i] > 1) far_ += (grid->count[i] - 1.0) * fabs(step[i][j]);
        far2 += far_ * far_;
    }
    return sqrt(far2);
}

// How far points and sources may be from each other, in wavelengths, and, of a grid, how far from 0
// what its points are summed of may be, and its largest step (`step` may be NULL).
static void padici_wave_extent(const padic_wave_superpose_desc *desc, double *turns, double *place,
                               double *step)
{
    double points[2][3] = {{0, 0, 0}, {0, 0, 0}}, sources[2][3] = {{0, 0, 0}, {0, 0, 0}}, r2 = 0;
    double wavenumber = 0, far_ = 0, longest = 0, steps[3][3], a = padici_wave_length(desc);
    const double speed = desc->speed > 0 ? desc->speed : 1;
    const padic_wave_grid *grid = &desc->grid;
    uint64_t i;
    uint32_t j;
    if (desc->points.dtype != PADIC_DTYPE_NONE) {
        padici_wave_box(&desc->points, points);
    } else {
        padici_wave_box_grid(grid, points);
        far_ = padici_wave_place(grid);
        padici_wave_steps(grid, steps);
        for (j = 0; j < 3; j++) {
            const double *s = steps[j], size = sqrt(s[0] * s[0] + s[1] * s[1] + s[2] * s[2]);
            if (size > longest) longest = size;
        }
    }
    padici_wave_box(&desc->sources, sources);
    for (j = 0; j < 3; j++) {
        const double x = fabs(points[1][j] - sources[0][j]), y = fabs(sources[1][j] - points[0][j]);
        r2 += x > y ? x * x : y * y;
    }
    for (i = 0; i < desc->sources.shape[0]; i++) {
        const double w = padici_wave_frequency(desc, i);
        const double k = fabs(padici_wave_value(&desc->wavenumber, i, w / speed));
        if (k > wavenumber) wavenumber = k;
    }
    *turns = wavenumber * sqrt(r2 + a * a) / PADICI_TWO_PI;
    *place = wavenumber * far_ / PADICI_TWO_PI;
    if (step) *step = wavenumber * longest / PADICI_TWO_PI;
}

// In f64: roundings of k, the differences, the sum of their squares, the root and k r; of a grid
// those of origin + i step; and those of the phase itself, of which w t + p leaves none.
static double padici_wave_bound_f64(double turns, double place)
{
    return (6 * turns + 5 * place + 2) * 1.12e-16;
}

// Turns a wavelength of distance, when k r is computed in f32: 5.5e-7 of r0 + h, which is at most
// sqrt 2 times the longest way.
#define PADICI_WAVE_DIRECT 8e-7
#define PADICI_WAVE_TILE 1024 // points of a device's tile, which may reach beyond its grid

// In f32 each pair takes a way that keeps `tolerance` (see padic_gpu.h), or two-word arithmetic.
static double padici_wave_bound_f32(double turns, double place, double tolerance)
{
    const double direct = PADICI_WAVE_DIRECT * turns + 2e-14 * place + 6e-8;
    double bound = 4e-8 + 2.2e-14 * turns + 2e-14 * place; // two words: 48 bits, of r0 + h
    if (tolerance > bound) bound = tolerance;
    return direct < bound ? direct : bound;
}

static padic_result padici_wave_check_values(padic_context *context,
                                             const padic_wave_superpose_desc *desc);

static void padici_wave_slices_begin(padici_wave_job *job, padici_wave_slice *slices)
{
    uint32_t i;
    job->slices = slices;
    for (i = 0; i < job->slice_count; i++) {
        slices[i].coincident = 0;
        slices[i].low = DBL_MAX;
        slices[i].high = -DBL_MAX;
    }
}

// What the tasks counted becomes the optional results.
static void padici_wave_slices_end(const padici_wave_job *job)
{
    const padic_wave_superpose_desc *desc = job->desc;
    double low = DBL_MAX, high = -DBL_MAX;
    uint64_t coincident = 0;
    uint32_t i;
    for (i = 0; i < job->slice_count; i++) {
        coincident += job->slices[i].coincident;
        if (job->slices[i].low < low) low = job->slices[i].low;
        if (job->slices[i].high > high) high = job->slices[i].high;
    }
    if (desc->coincident) *desc->coincident = coincident;
    if (desc->emit == PADIC_WAVE_RGBA8 && desc->tone.range) {
        desc->tone.range[0] = low > high ? 0 : low;
        desc->tone.range[1] = low > high ? 0 : high;
    }
}

static padic_result padici_wave_superpose_host(const padic_env *env, const void *desc_)
{
    const padic_wave_superpose_desc *desc = (const padic_wave_superpose_desc *)desc_;
    padici_wave_slice slices[PADICI_WAVE_SLICES];
    padici_wave_job job;
    padici_steps steps;
    double turns, place;
    padic_result result = desc->flags & PADIC_WAVE_CHECK_FINITE
                              ? padici_wave_check_values(NULL, desc)
                              : PADIC_OK;
    if (result) return result;
    padici_wave_job_begin(&job, desc);
    if (!job.points) return PADIC_OK;
    padici_wave_slices_begin(&job, slices);
    padici_wave_watch(&job, &steps, env, job.passes);
    padici_parallel(env ? env->jobs : NULL, (uint32_t)job.slice_count, padici_wave_task, &job);
    result = padici_wave_unwatch(&job, env);
    if (result) return result;
    padici_wave_slices_end(&job);
    if (desc->bound) {
        padici_wave_extent(desc, &turns, &place, NULL);
        *desc->bound = job.sources ? padici_wave_bound_f64(turns, place) : 0;
    }
    return PADIC_OK;
}

// Checks of the desc, in the order of its fields. Each says what is wrong.

static padic_result padici_wave_bad(padic_context *context, padic_result result,
                                    const char *sentence)
{
    return padici_fail_here(context, result, sentence);
}

static int padici_wave_finite(double x)
{
    return x - x == 0;
}

// So that no square and no product of two overflows.
#define PADICI_WAVE_MOST 1e150

static int padici_wave_within(double x)
{
    return fabs(x) <= PADICI_WAVE_MOST;
}

static padic_result padici_wave_bad_value(padic_context *context, const char *name, int finite)
{
    char space[160];
    padici_text text;
    padici_text_begin(&text, space, sizeof space);
    padici_text_add(&text, name);
    padici_text_add(&text, finite ? " is beyond 1e150; choose other units" : " is not finite");
    return padici_wave_bad(context, finite ? PADIC_ERROR_LIMIT : PADIC_ERROR_NOT_FINITE, space);
}

static padic_result padici_wave_check_positions(padic_context *context, const padic_tensor *t,
                                                uint32_t dimensions, const char *shape,
                                                const char *dimension)
{
    if (t->rank != 2 || !t->shape[1] || t->shape[1] > 3)
        return padici_wave_bad(context, PADIC_ERROR_MISMATCH, shape);
    if (t->shape[1] > dimensions) return padici_wave_bad(context, PADIC_ERROR_MISMATCH, dimension);
    return PADIC_OK;
}

// GREEN1 lives on a line, GREEN2 in a plane.
static uint32_t padici_wave_dimensions(const padic_wave_superpose_desc *desc)
{
    return desc->kernel == PADIC_WAVE_GREEN1 ? 1 : desc->kernel == PADIC_WAVE_GREEN2 ? 2 : 3;
}

static padic_result padici_wave_check_tensors(padic_context *context,
                                              const padic_wave_superpose_desc *desc)
{
    static const char *const names[5] = {
        "amplitude is not (M) or of rank 0, f32 or f64",
        "phase is not (M) or of rank 0, f32 or f64",
        "wavenumber is not (M) or of rank 0, f32 or f64",
        "frequency is not (M) or of rank 0, f32 or f64",
        "absorption is not (M) or of rank 0, f32 or f64"};
    const padic_tensor *tensors[5];
    const uint32_t dimensions = padici_wave_dimensions(desc);
    padic_result result;
    uint32_t i;
    tensors[0] = &desc->amplitude;
    tensors[1] = &desc->phase;
    tensors[2] = &desc->wavenumber;
    tensors[3] = &desc->frequency;
    tensors[4] = &desc->absorption;
    result = padici_wave_check_positions(context, &desc->sources, dimensions,
                                         "sources is not (M, D) with D = 1, 2 or 3",
                                         "sources has more dimensions than the kernel");
    if (result) return result;
    if (desc->sources.dtype != PADIC_F32 && desc->sources.dtype != PADIC_F64)
        return padici_wave_bad(context, PADIC_ERROR_DTYPE, "sources is not f32 or f64");
    for (i = 0; i < 5; i++) {
        const padic_tensor *t = tensors[i];
        if (t->dtype == PADIC_DTYPE_NONE) continue;
        if (t->dtype != PADIC_F32 && t->dtype != PADIC_F64)
            return padici_wave_bad(context, PADIC_ERROR_DTYPE, names[i]);
        if (t->rank > 1 || (t->rank == 1 && t->shape[0] != desc->sources.shape[0]))
            return padici_wave_bad(context, PADIC_ERROR_MISMATCH, names[i]);
    }
    if (desc->wavenumber.dtype == PADIC_DTYPE_NONE && desc->frequency.dtype == PADIC_DTYPE_NONE)
        return padici_wave_bad(context, PADIC_ERROR_ARGUMENT,
                               "neither wavenumber nor frequency is given");
    return PADIC_OK;
}

static padic_result padici_wave_check_points(padic_context *context,
                                             const padic_wave_superpose_desc *desc)
{
    const padic_wave_grid *grid = &desc->grid;
    const uint32_t dimensions = padici_wave_dimensions(desc);
    const int listed = desc->points.dtype != PADIC_DTYPE_NONE;
    const int gridded = grid->count[0] || grid->count[1] || grid->count[2];
    double step[3][3], box[2][3];
    uint32_t i, j;
    int fine = 1;
    if (listed == gridded)
        return padici_wave_bad(context, PADIC_ERROR_ARGUMENT,
                               listed ? "both points and grid.count are given"
                                      : "neither points nor grid.count is given");
    if (listed) {
        if (desc->points.dtype != PADIC_F32 && desc->points.dtype != PADIC_F64)
            return padici_wave_bad(context, PADIC_ERROR_DTYPE, "points is not f32 or f64");
        return padici_wave_check_positions(context, &desc->points, dimensions,
                                           "points is not (N, D) with D = 1, 2 or 3",
                                           "points has more dimensions than the kernel");
    }
    for (i = 0; i < 3; i++) {
        if (i >= dimensions && grid->count[i] > 1)
            return padici_wave_bad(context, PADIC_ERROR_MISMATCH,
                                   "grid has more dimensions than the kernel");
        fine = fine && padici_wave_finite(grid->origin[i]) && padici_wave_finite(grid->step[i]);
        for (j = 0; j < 3; j++) fine = fine && padici_wave_finite(grid->axis[i][j]);
    }
    if (!fine) return padici_wave_bad(context, PADIC_ERROR_NOT_FINITE, "grid is not finite");
    padici_wave_steps(grid, step);
    padici_wave_box_grid(grid, box);
    for (i = 0; i < 3; i++)
        for (j = 0; j < 3; j++)
            fine = fine && padici_wave_within(step[i][j]) && padici_wave_within(box[0][j]) &&
                   padici_wave_within(box[1][j]);
    return fine ? PADIC_OK : padici_wave_bad_value(context, "grid", 1);
}

static padic_result padici_wave_check_out(padic_context *context,
                                          const padic_wave_superpose_desc *desc)
{
    const padic_tensor *out = &desc->out;
    const uint32_t rgba = desc->emit == PADIC_WAVE_RGBA8, rank = out->rank - rgba;
    const int real = desc->emit != PADIC_WAVE_COMPLEX && !rgba;
    uint32_t i;
    if ((rgba && out->dtype != PADIC_U8) ||
        (real && out->dtype != PADIC_F32 && out->dtype != PADIC_F64) ||
        (!rgba && !real && out->dtype != PADIC_C64 && out->dtype != PADIC_C128))
        return padici_wave_bad(context, PADIC_ERROR_DTYPE, "emit and the dtype of out disagree");
    if (out->rank < rgba || (rgba && out->shape[rank] != 4))
        return padici_wave_bad(context, PADIC_ERROR_MISMATCH, "out has no last axis of 4");
    if (desc->points.dtype != PADIC_DTYPE_NONE) {
        if (rank != 1 || out->shape[0] != desc->points.shape[0])
            return padici_wave_bad(context, PADIC_ERROR_MISMATCH, "out is not (N)");
        return PADIC_OK;
    }
    if (rank > 3) return padici_wave_bad(context, PADIC_ERROR_MISMATCH, "out is not grid.count");
    for (i = 0; i < 3; i++) {
        const uint64_t count = desc->grid.count[i] ? desc->grid.count[i] : 1;
        if ((i < rank ? out->shape[i] : 1) != count)
            return padici_wave_bad(context, PADIC_ERROR_MISMATCH, "out is not grid.count");
    }
    return PADIC_OK;
}

static padic_result padici_wave_check_softening(padic_context *context,
                                                const padic_wave_superpose_desc *desc)
{
    const uint32_t kernel = 1u << (uint32_t)desc->kernel;
    const uint32_t point = 1u << PADIC_WAVE_POINT3 | 1u << PADIC_WAVE_GREEN3;
    const uint32_t root = point | 1u << PADIC_WAVE_SQRT;
    uint32_t valid;
    switch (desc->softening) {
    case PADIC_WAVE_SOFTEN_NONE: return PADIC_OK;
    case PADIC_WAVE_PLUMMER_BOTH: valid = root | 1u << PADIC_WAVE_GREEN2; break;
    case PADIC_WAVE_SHELL: valid = point; break;
    default: valid = root; break;
    }
    if (!(valid & kernel))
        return padici_wave_bad(context, PADIC_ERROR_ARGUMENT,
                               "softening is not valid for the kernel");
    if (padici_wave_length(desc) == 0)
        return padici_wave_bad(context, PADIC_ERROR_ARGUMENT,
                               "length is 0: this softening needs one");
    if (padici_wave_length(desc) < 1 / PADICI_WAVE_MOST)
        return padici_wave_bad(context, PADIC_ERROR_LIMIT,
                               "length is below 1e-150; choose other units");
    return PADIC_OK;
}

static padic_result padici_wave_check_tone(padic_context *context,
                                           const padic_wave_superpose_desc *desc)
{
    const padic_wave_tone *tone = &desc->tone;
    double low, high;
    if (desc->emit != PADIC_WAVE_RGBA8) return PADIC_OK;
    if ((uint32_t)tone->value > PADIC_WAVE_PHASE || (uint32_t)tone->curve > PADIC_WAVE_LOG ||
        (uint32_t)tone->map > PADIC_WAVE_TABLE)
        return padici_wave_bad(context, PADIC_ERROR_ARGUMENT,
                               "tone.value, tone.curve or tone.map is an unknown enum");
    if (tone->map == PADIC_WAVE_TABLE && !tone->table)
        return padici_wave_bad(context, PADIC_ERROR_ARGUMENT, "tone.table is NULL");
    padici_wave_tone_range(tone, &low, &high);
    if (!padici_wave_finite(low) || !padici_wave_finite(high) || !(high > low || (high > 0 &&
        tone->curve != PADIC_WAVE_LINEAR)) || (tone->curve == PADIC_WAVE_LOG && !(low > 0)))
        return padici_wave_bad(context, PADIC_ERROR_ARGUMENT,
                               "tone.low and tone.high are no range for the curve");
    return PADIC_OK;
}

static padic_result padici_wave_check_scalars(padic_context *context,
                                              const padic_wave_superpose_desc *desc)
{
    const padic_result argument = PADIC_ERROR_ARGUMENT;
    if ((uint32_t)desc->kernel > PADIC_WAVE_SQRT)
        return padici_wave_bad(context, argument, "kernel is no padic_wave_kernel");
    if ((uint32_t)desc->sign > PADIC_WAVE_INCOMING)
        return padici_wave_bad(context, argument, "sign is no padic_wave_sign");
    if ((uint32_t)desc->softening > PADIC_WAVE_CLAMP)
        return padici_wave_bad(context, argument, "softening is no padic_wave_softening");
    if ((uint32_t)desc->emit > PADIC_WAVE_RGBA8)
        return padici_wave_bad(context, argument, "emit is no padic_wave_emit");
    if (desc->flags & ~(uint32_t)(PADIC_WAVE_ACCUMULATE | PADIC_WAVE_CHECK_FINITE))
        return padici_wave_bad(context, argument, "flags has an unknown bit");
    if ((desc->flags & PADIC_WAVE_ACCUMULATE) && desc->emit != PADIC_WAVE_COMPLEX)
        return padici_wave_bad(context, argument, "flags has ACCUMULATE, but emit is not COMPLEX");
    if (!(desc->speed >= 0) || !padici_wave_finite(desc->speed))
        return padici_wave_bad(context, argument, "speed is negative or not finite");
    if (!padici_wave_finite(desc->time))
        return padici_wave_bad(context, PADIC_ERROR_NOT_FINITE, "time is not finite");
    if (!(desc->length >= 0) || !padici_wave_finite(desc->length))
        return padici_wave_bad(context, argument, "length is negative or not finite");
    if (!(desc->tolerance >= 0) || !padici_wave_finite(desc->tolerance))
        return padici_wave_bad(context, argument, "tolerance is negative or not finite");
    if (!padici_wave_within(desc->time)) return padici_wave_bad_value(context, "time", 1);
    if (!padici_wave_within(desc->speed)) return padici_wave_bad_value(context, "speed", 1);
    if (!padici_wave_within(desc->length)) return padici_wave_bad_value(context, "length", 1);
    if (desc->tolerance > 0 && desc->tolerance < 2e-7 && !padici_wave_is_f64(desc))
        return padici_wave_bad(context, PADIC_ERROR_NOT_SUPPORTED,
                               "tolerance below 2e-7 turns needs f64: let out be c128 or f64");
    return PADIC_OK;
}

// Whether n numbers in a row of f32 are finite; two at a time: adding 1 to an exponent of ones
// reaches the sign's place.
static int padici_wave_finite_row(const char *from, uint64_t n)
{
    const uint64_t rest = UINT64_C(0x7fffffff7fffffff), one = UINT64_C(0x0080000000800000);
    uint64_t i, pair, seen = 0;
    uint32_t last = 0;
    for (i = 0; i + 1 < n; i += 2, from += 8) {
        memcpy(&pair, from, 8);
        seen |= (pair & rest) + one;
    }
    if (i < n) memcpy(&last, from, 4);
    seen |= (last & UINT64_C(0x7fffffff)) + UINT64_C(0x800000);
    return !(seen & ~rest);
}

static padic_result padici_wave_check_finite(padic_context *context, const padic_tensor *t,
                                             const char *name)
{
    const uint64_t rows = t->rank ? t->shape[0] : 1;
    int64_t stride[PADIC_MAX_RANK];
    uint64_t i;
    double at[3];
    if (!t->data || t->dtype == PADIC_DTYPE_NONE) return PADIC_OK;
    padici_tensor_dense(t, stride);
    if (t->dtype == PADIC_F32 && t->rank == 2 && stride[1] == 1 &&
        stride[0] == (int64_t)t->shape[1])
        return padici_wave_finite_row((const char *)t->data, rows * t->shape[1])
                   ? PADIC_OK
                   : padici_wave_bad_value(context, name, 0);
    for (i = 0; i < rows; i++) {
        if (t->rank > 1) {
            padici_wave_position(t, stride, i, at);
        } else {
            at[0] = padici_wave_value(t, i, 0);
            at[1] = at[2] = 0;
        }
        if (!padici_wave_finite(at[0]) || !padici_wave_finite(at[1]) || !padici_wave_finite(at[2]))
            return padici_wave_bad_value(context, name, 0);
        if (!padici_wave_within(at[0]) || !padici_wave_within(at[1]) || !padici_wave_within(at[2]))
            return padici_wave_bad_value(context, name, 1);
    }
    return PADIC_OK;
}

// The values in host memory: those of tensors with `data`.
static padic_result padici_wave_check_values(padic_context *context,
                                             const padic_wave_superpose_desc *desc)
{
    const int waves = desc->kernel == PADIC_WAVE_GREEN1 || desc->kernel == PADIC_WAVE_GREEN2;
    const padic_tensor *k = &desc->wavenumber, *w = &desc->frequency;
    const padic_tensor *of = k->dtype != PADIC_DTYPE_NONE ? k : w;
    uint64_t i, n = of->rank ? of->shape[0] : 1;
    padic_result result;
    result = padici_wave_check_finite(context, &desc->points, "points");
    if (!result)
        result = padici_wave_check_finite(context, &desc->sources, "sources");
    if (!result) result = padici_wave_check_finite(context, k, "wavenumber");
    if (!result) result = padici_wave_check_finite(context, w, "frequency");
    for (i = 0; waves && of->data && i < n && !result; i++)
        if (padici_wave_value(of, i, 0) == 0)
            result = padici_wave_bad(context, PADIC_ERROR_DOMAIN,
                                     "wavenumber 0, or frequency 0, has no wave in one or two "
                                     "dimensions");
    for (i = 0; desc->speed > 0 && of->data && i < n && !result; i++) {
        const double x = padici_wave_value(of, i, 0);
        if (!padici_wave_within(x * desc->speed) || !padici_wave_within(x / desc->speed))
            result = padici_wave_bad_value(context, "frequency/speed or wavenumber speed", 1);
    }
    return result;
}

static padic_result padici_wave_superpose_check(padic_context *context, const void *desc_)
{
    const padic_wave_superpose_desc *desc = (const padic_wave_superpose_desc *)desc_;
    padic_result result = padici_wave_check_scalars(context, desc);
    if (!result) result = padici_wave_check_points(context, desc);
    if (!result) result = padici_wave_check_tensors(context, desc);
    if (!result) result = padici_wave_check_out(context, desc);
    if (!result) result = padici_wave_check_softening(context, desc);
    if (!result) result = padici_wave_check_tone(context, desc);
    if (!result) result = padici_wave_check_values(context, desc);
    return result;
}

// That what a bound needs lies in host memory.
static padic_result padici_wave_bound_memory(padic_context *context,
                                             const padic_wave_superpose_desc *desc,
                                             const padic_tensor *times)
{
    static const char *const names[6] = {"points",    "sources", "wavenumber",
                                         "frequency", "phase",   "times"};
    const padic_tensor *tensors[6];
    uint64_t count;
    uint32_t i;
    tensors[0] = &desc->points;
    tensors[1] = &desc->sources;
    tensors[2] = &desc->wavenumber;
    tensors[3] = &desc->frequency;
    tensors[4] = &desc->phase;
    tensors[5] = times;
    for (i = 0; i < (times ? 6u : 5u); i++) {
        padic_result result;
        if (tensors[i]->dtype == PADIC_DTYPE_NONE) continue;
        result = padici_tensor_check_view(tensors[i], 1, &count);
        if (result) return padici_fail_view(context, result, names[i], tensors[i]);
        if (count && !tensors[i]->data)
            return padici_fail_field(context, PADIC_ERROR_NOT_SUPPORTED, names[i],
                                     "is not in host memory: take `bound` from a run");
    }
    return PADIC_OK;
}

static double padici_wave_bound_any(const padic_wave_superpose_desc *desc)
{
    double turns, place, step;
    if (!desc->sources.shape[0]) return 0;
    padici_wave_extent(desc, &turns, &place, &step);
    if (padici_wave_is_f64(desc)) return padici_wave_bound_f64(turns, place);
    return padici_wave_bound_f32(turns + PADICI_WAVE_TILE * step, place,
                                 desc->tolerance > 0 ? desc->tolerance : 2e-6);
}

PADIC_API padic_result padic_wave_bound(padic_context *context,
                                        const padic_wave_superpose_desc *desc, double *bound)
{
    const char *before;
    padic_result result;
    if (!desc || !bound)
        return padici_fail_in(context, PADIC_ERROR_ARGUMENT, "wave_bound", "desc or bound is NULL");
    before = padici_enter(context, "wave_bound");
    result = padici_wave_bound_memory(context, desc, NULL);
    if (!result) result = padici_wave_superpose_check(context, desc);
    padici_leave(context, before);
    if (!result) *bound = padici_wave_bound_any(desc);
    return result;
}

// Frames.

// A source by its frequency.
typedef struct padici_wave_rate {
    double frequency;
    uint64_t source;
} padici_wave_rate;

typedef struct padici_wave_frames {
    padici_wave_job field;
    padic_wave_superpose_desc one; // at time `base`; its out is that of a frame
    const padic_wave_frames_desc *desc;
    uint64_t frames, groups;
    double base, half, largest;    // the time of Phi; half of all times; the largest |t|
    double merged;                 // turns that merging costs
    double speed;                  // what makes frequencies of `rates`
    padici_wave_rate *rates;       // of the sources, sorted; then of groups
    uint64_t *ends;                // of groups, in the order of rates
    padici_complex *factors;       // (F, K), or NULL with a drive
    padici_complex *waves;         // K x PADICI_WAVE_POINTS a task
    int64_t frame_stride, drive_stride[PADIC_MAX_RANK], mean_stride[PADIC_MAX_RANK];
} padici_wave_frames;

// The desc of one frame: out less its first axis, or without out the mean's.
static void padici_wave_frames_one(const padic_wave_frames_desc *desc,
                                   padic_wave_superpose_desc *one, int64_t *frame_stride)
{
    int64_t stride[PADIC_MAX_RANK];
    uint32_t i;
    *one = desc->field;
    *frame_stride = 0;
    if (one->out.dtype == PADIC_DTYPE_NONE) {
        one->out = desc->mean_intensity;
        one->emit = PADIC_WAVE_INTENSITY;
    } else if (one->out.rank) {
        padici_tensor_dense(&desc->field.out, stride);
        *frame_stride = stride[0];
        one->out.rank--;
        for (i = 0; i < one->out.rank; i++) {
            one->out.shape[i] = desc->field.out.shape[i + 1];
            one->out.stride[i] = stride[i + 1];
        }
    }
}

static double padici_wave_frame_time(const padic_wave_frames_desc *desc, uint64_t f)
{
    return desc->field.time + padici_wave_value(&desc->times, f, 0);
}

static void padici_wave_frames_times(padici_wave_frames *job)
{
    const padic_wave_frames_desc *desc = job->desc;
    double low = 0, high = 0;
    uint64_t f;
    for (f = 0; f < job->frames && desc->drive.dtype == PADIC_DTYPE_NONE; f++) {
        const double t = padici_wave_frame_time(desc, f);
        if (!f || t < low) low = t;
        if (!f || t > high) high = t;
    }
    job->largest = -low > high ? -low : high;
    if (!(desc->merge_turns > 0)) return;
    job->half = (high - low) / 2;
    job->base = low + job->half;
}

// Of all frames, as the desc has it: `merged` turns more.
static double padici_wave_frames_bound(const padici_wave_frames *job, double merged, int f64)
{
    padic_wave_superpose_desc field = job->one;
    if (!field.sources.shape[0]) return 0;
    field.time = job->largest + fabs(job->base); // a phase is made of two, each reduced
    if (!f64) { // factors in f32; w t in two words of f32
        double rate = 0;
        uint64_t i;
        for (i = 0; i < job->groups; i++)
            if (fabs(job->rates[i].frequency) > rate) rate = fabs(job->rates[i].frequency);
        return padici_wave_bound_any(&field) + 3e-8 + merged +
               5e-14 / PADICI_TWO_PI * rate * job->speed * field.time;
    }
    field.out.dtype = PADIC_C128;
    return padici_wave_bound_any(&field) + 2.3e-16 + merged;
}

// Bits of a frequency as a number that sorts as it does, NaN at the ends.
static uint64_t padici_wave_rate_key(double frequency)
{
    uint64_t bits;
    memcpy(&bits, &frequency, 8);
    return bits >> 63 ? ~bits : bits | UINT64_C(1) << 63;
}

static int padici_wave_rate_less(const padici_wave_rate *a, const padici_wave_rate *b)
{
    const uint64_t x = padici_wave_rate_key(a->frequency), y = padici_wave_rate_key(b->frequency);
    return x != y ? x < y : a->source < b->source;
}

// Moves the entry at `root` of a heap of n down to where it belongs.
static void padici_wave_rate_sift(padici_wave_rate *heap, uint64_t root, uint64_t n)
{
    const padici_wave_rate moved = heap[root];
    uint64_t child;
    while ((child = 2 * root + 1) < n) {
        if (child + 1 < n && padici_wave_rate_less(&heap[child], &heap[child + 1])) child++;
        if (!padici_wave_rate_less(&moved, &heap[child])) break;
        heap[root] = heap[child];
        root = child;
    }
    heap[root] = moved;
}

static void padici_wave_rate_sort(padici_wave_rate *rates, uint64_t n)
{
    uint64_t i;
    for (i = 1; i < n; i++)
        if (padici_wave_rate_less(&rates[i], &rates[i - 1])) break;
    if (i >= n) return;
    for (i = n / 2; i-- > 0;) padici_wave_rate_sift(rates, i, n);
    for (i = n - 1; i > 0; i--) {
        const padici_wave_rate last = rates[i];
        rates[i] = rates[0];
        rates[0] = last;
        padici_wave_rate_sift(rates, 0, i);
    }
}

static int padici_wave_rates_merge(const padici_wave_frames *job, double from, double to)
{
    if (padici_wave_rate_key(from) == padici_wave_rate_key(to)) return 1;
    return job->desc->merge_turns > 0 &&
           (to - from) * job->speed * job->half <= PADICI_TWO_PI * job->desc->merge_turns;
}

// Groups of the sources, one each for a drive. Entry g of `rates` keeps source g, and gets the
// frequency of group g.
static void padici_wave_frames_group(padici_wave_frames *job)
{
    const uint64_t m = job->field.sources;
    const int driven = job->desc->drive.dtype != PADIC_DTYPE_NONE;
    uint64_t first, i;
    for (i = 0; i < m; i++) {
        job->rates[i].source = i;
        job->rates[i].frequency = driven ? 0 : padici_wave_rate_of(&job->one, i) + 0.0;
    }
    padici_wave_rate_sort(job->rates, m);
    for (first = 0; first < m; first = i) {
        const double low = job->rates[first].frequency;
        double cost, high = low;
        for (i = first + 1; i < m && !driven; i++) {
            if (!padici_wave_rates_merge(job, low, job->rates[i].frequency)) break;
            high = job->rates[i].frequency;
        }
        cost = (high - low) / 2 * job->speed * job->half / PADICI_TWO_PI;
        if (cost > job->merged) job->merged = cost;
        job->rates[job->groups].frequency = high > low ? low + (high - low) / 2 : low;
        job->ends[job->groups++] = i;
    }
}

// Turns of group g from the time of its waves to that of frame f, as of padici_wave_turns(): a time
// is not rounded to one number.
static uint64_t padici_wave_frames_turns(const padici_wave_frames *job, uint64_t f, uint64_t g)
{
    const double parts[3] = {padici_wave_value(&job->desc->times, f, 0), job->desc->field.time,
                             -job->base};
    uint64_t turns = 0;
    uint32_t i;
    for (i = 0; i < 3; i++)
        if (parts[i] != 0)
            turns += padici_wave_turns(job->rates[g].frequency, parts[i], job->speed);
    return turns;
}

// What frame f multiplies the waves of group g with.
static padici_complex padici_wave_frames_factor(const padici_wave_frames *job, uint64_t f,
                                                uint64_t g)
{
    const padic_tensor *drive = &job->desc->drive;
    padici_complex factor;
    double angle;
    if (drive->dtype != PADIC_DTYPE_NONE)
        return padici_wave_load(drive, (int64_t)f * job->drive_stride[0] +
                                           (int64_t)g * job->drive_stride[1]);
    angle = padici_wave_angle_of(padici_wave_frames_turns(job, f, g),
                                 job->rates[g].frequency *
                                     (padici_wave_frame_time(job->desc, f) - job->base));
    factor.re = cos(angle);
    factor.im = job->one.sign == PADIC_WAVE_OUTGOING ? -sin(angle) : sin(angle);
    return factor;
}

// Phi of group g at points first to first + count.
static void padici_wave_frames_wave(const padici_wave_frames *job, padici_wave_slice *slice,
                                    uint64_t g, uint64_t first, uint32_t count,
                                    padici_complex *wave)
{
    const uint64_t end = job->ends[g];
    padici_wave_source sources[PADICI_WAVE_SOURCES];
    double at[3];
    uint64_t begin;
    uint32_t i, j, n;
    memset(wave, 0, PADICI_WAVE_POINTS * sizeof *wave);
    for (begin = g ? job->ends[g - 1] : 0; begin < end; begin += n) {
        n = end - begin < PADICI_WAVE_SOURCES ? (uint32_t)(end - begin) : PADICI_WAVE_SOURCES;
        for (j = 0; j < n; j++)
            padici_wave_source_get(&job->one, job->rates[begin + j].source, &sources[j]);
        for (i = 0; i < count; i++) {
            padici_complex sum = {0, 0};
            padici_wave_point(&job->field, first + i, at);
            for (j = 0; j < n; j++)
                slice->coincident +=
                    (uint32_t)padici_wave_pair(&job->field, &sources[j], at, &sum);
            wave[i].re += sum.re;
            wave[i].im += sum.im;
        }
    }
}

static void padici_wave_frames_mean(const padici_wave_frames *job, uint64_t first, uint32_t count,
                                    const padici_complex *waves)
{
    uint64_t g;
    uint32_t i;
    for (i = 0; i < count; i++) {
        padici_complex sum = {0, 0};
        for (g = 0; g < job->groups; g++) {
            const padici_complex z = waves[g * PADICI_WAVE_POINTS + i];
            sum.re += z.re * z.re + z.im * z.im;
        }
        padici_wave_put(&job->desc->mean_intensity,
                        padici_wave_index(&job->field, job->mean_stride, first + i), sum, 0);
    }
}

// psi of frame f, from the waves of a pass.
static void padici_wave_frames_sum(const padici_wave_frames *job, uint64_t f, uint32_t count,
                                   const padici_complex *waves, padici_complex *sums)
{
    uint64_t g;
    uint32_t i;
    memset(sums, 0, PADICI_WAVE_POINTS * sizeof *sums);
    for (g = 0; g < job->groups; g++, waves += PADICI_WAVE_POINTS) {
        const padici_complex factor = job->factors ? job->factors[f * job->groups + g]
                                                   : padici_wave_frames_factor(job, f, g);
        const double back = -factor.im; // as in padici_wave_hankel_at()
        for (i = 0; i < count; i++) {
            sums[i].re += waves[i].re * factor.re + waves[i].im * back;
            sums[i].im += waves[i].re * factor.im + waves[i].im * factor.re;
        }
    }
}

static void padici_wave_frames_task(void *arg, uint32_t task)
{
    const padici_wave_frames *job = (const padici_wave_frames *)arg;
    padici_complex *waves = job->waves + task * job->groups * PADICI_WAVE_POINTS;
    padici_wave_slice *slice = &job->field.slices[task];
    padici_complex sums[PADICI_WAVE_POINTS];
    uint64_t pass, end, f, g;
    uint32_t i;
    padici_wave_share(job->field.passes, job->field.slice_count, task, &pass, &end);
    for (; pass < end; pass++) {
        const uint64_t first = pass * PADICI_WAVE_POINTS, left = job->field.points - first;
        const uint32_t n = left < PADICI_WAVE_POINTS ? (uint32_t)left : PADICI_WAVE_POINTS;
        for (g = 0; g < job->groups; g++)
            padici_wave_frames_wave(job, slice, g, first, n, waves + g * PADICI_WAVE_POINTS);
        if (job->desc->mean_intensity.dtype != PADIC_DTYPE_NONE)
            padici_wave_frames_mean(job, first, n, waves);
        for (f = 0; f < job->frames; f++) {
            const int64_t at = (int64_t)f * job->frame_stride;
            padici_wave_frames_sum(job, f, n, waves, sums);
            for (i = 0; i < n; i++)
                padici_wave_store_at(
                    &job->field, slice,
                    at + padici_wave_index(&job->field, job->field.stride, first + i), sums[i]);
        }
        if (padici_wave_stopped(&job->field)) return;
    }
}

// a b + c, no more than half of what memory can be.
static int padici_wave_bytes(uint64_t a, uint64_t b, uint64_t *c)
{
    uint64_t product;
    if (!padici_mul_u64(a, b, &product) || product > (size_t)-1 / 2) return 0;
    *c += product;
    return *c <= (size_t)-1 / 2;
}

static void padici_wave_frames_begin(padici_wave_frames *job, const padic_wave_frames_desc *desc)
{
    memset(job, 0, sizeof *job);
    job->desc = desc;
    padici_wave_frames_one(desc, &job->one, &job->frame_stride);
    if (desc->field.out.dtype != PADIC_DTYPE_NONE) job->frames = desc->field.out.shape[0];
    if (desc->drive.dtype != PADIC_DTYPE_NONE) padici_tensor_dense(&desc->drive, job->drive_stride);
    if (desc->mean_intensity.dtype != PADIC_DTYPE_NONE)
        padici_tensor_dense(&desc->mean_intensity, job->mean_stride);
    padici_wave_frames_times(job);
    job->speed = padici_wave_rate_speed(&desc->field);
    job->one.time = job->base;
    padici_wave_job_begin(&job->field, &job->one);
}

// With sources sorted into groups: as many tasks as their waves have room for.
PADICI_NOINLINE static padic_result padici_wave_frames_do(padici_wave_frames *job,
                                                          const padic_allocator *allocator,
                                                          const padic_env *env)
{
    const padic_jobs *jobs = env ? env->jobs : NULL;
    const uint64_t wave = PADICI_WAVE_POINTS * sizeof(padici_complex);
    const uint64_t own = jobs && jobs->workers > 1 ? jobs->workers : 1;
    const uint64_t room = (UINT64_C(1) << 26) / (wave * (job->groups + 1));
    const uint64_t fit = room > own ? room : own;
    padici_wave_slice slices[PADICI_WAVE_SLICES];
    uint64_t bytes = 0, table = 0, i;
    padici_steps steps;
    padic_result result;
    char *space;
    if (job->field.slice_count > fit) job->field.slice_count = fit;
    if (job->desc->drive.dtype == PADIC_DTYPE_NONE &&
        !padici_wave_bytes(job->frames, job->groups * sizeof(padici_complex), &table))
        return PADIC_ERROR_LIMIT;
    bytes = table;
    if (!padici_wave_bytes(job->field.slice_count, job->groups * wave, &bytes))
        return PADIC_ERROR_LIMIT;
    space = (char *)padici_alloc(allocator, (size_t)bytes, 64);
    if (!space) return PADIC_ERROR_MEMORY;
    if (table) job->factors = (padici_complex *)(void *)space;
    job->waves = (padici_complex *)(void *)(space + table);
    for (i = 0; i < job->frames * job->groups && table; i++)
        job->factors[i] = padici_wave_frames_factor(job, i / job->groups, i % job->groups);
    padici_wave_slices_begin(&job->field, slices);
    padici_wave_watch(&job->field, &steps, env, job->field.passes);
    padici_parallel(jobs, (uint32_t)job->field.slice_count, padici_wave_frames_task, job);
    result = padici_wave_unwatch(&job->field, env);
    padici_free(allocator, space, (size_t)bytes);
    if (result) return result;
    padici_wave_slices_end(&job->field);
    if (job->one.bound) *job->one.bound = padici_wave_frames_bound(job, job->merged, 1);
    return PADIC_OK;
}

static padic_result padici_wave_frames_values(padic_context *context,
                                              const padic_wave_frames_desc *desc)
{
    padic_result result = padici_wave_check_values(context, &desc->field);
    if (result) return result;
    return padici_wave_check_finite(context, &desc->times, "times");
}

// Memory for the sources in groups, and the groups. *bytes: to be freed, job->rates.
static padic_result padici_wave_frames_sorted(padici_wave_frames *job,
                                              const padic_allocator *allocator, uint64_t *bytes)
{
    char *space;
    *bytes = 0;
    if (!padici_wave_bytes(job->field.sources, sizeof *job->rates + sizeof *job->ends, bytes))
        return PADIC_ERROR_LIMIT;
    space = (char *)padici_alloc(allocator, (size_t)*bytes, 64);
    if (!space) return PADIC_ERROR_MEMORY;
    job->rates = (padici_wave_rate *)(void *)space;
    job->ends = (uint64_t *)(void *)(job->rates + job->field.sources);
    padici_wave_frames_group(job);
    return PADIC_OK;
}

static padic_result padici_wave_frames_host(const padic_env *env, const void *desc_)
{
    const padic_wave_frames_desc *desc = (const padic_wave_frames_desc *)desc_;
    const padic_allocator *allocator = env ? env->allocator : NULL;
    padici_wave_frames job;
    uint64_t bytes;
    padic_result result = PADIC_OK;
    if (desc->field.flags & PADIC_WAVE_CHECK_FINITE) result = padici_wave_frames_values(NULL, desc);
    if (result) return result;
    padici_wave_frames_begin(&job, desc);
    if (!job.field.points) return PADIC_OK;
    result = padici_wave_frames_sorted(&job, allocator, &bytes);
    if (result) return result;
    result = padici_wave_frames_do(&job, allocator, env);
    padici_free(allocator, job.rates, (size_t)bytes);
    return result;
}

static padic_result padici_wave_frames_drive(padic_context *context,
                                             const padic_wave_frames_desc *desc)
{
    const padic_wave_superpose_desc *field = &desc->field;
    const padic_tensor *drive = &desc->drive;
    if (desc->times.dtype != PADIC_DTYPE_NONE)
        return padici_wave_bad(context, PADIC_ERROR_ARGUMENT, "both times and drive");
    if (field->amplitude.dtype != PADIC_DTYPE_NONE || field->phase.dtype != PADIC_DTYPE_NONE ||
        field->time != 0)
        return padici_wave_bad(context, PADIC_ERROR_ARGUMENT,
                               "drive is there for amplitude, phase and time");
    if (desc->mean_intensity.dtype != PADIC_DTYPE_NONE)
        return padici_wave_bad(context, PADIC_ERROR_ARGUMENT, "mean_intensity needs times");
    if (drive->dtype != PADIC_C64 && drive->dtype != PADIC_C128)
        return padici_wave_bad(context, PADIC_ERROR_DTYPE, "drive is not c64 or c128");
    if (drive->rank != 2 || drive->shape[0] != field->out.shape[0] || field->sources.rank != 2 ||
        drive->shape[1] != field->sources.shape[0])
        return padici_wave_bad(context, PADIC_ERROR_MISMATCH, "drive is not (F, M)");
    return PADIC_OK;
}

static padic_result padici_wave_frames_frames(padic_context *context,
                                              const padic_wave_frames_desc *desc)
{
    const padic_tensor *times = &desc->times, *out = &desc->field.out;
    const int timed = times->dtype != PADIC_DTYPE_NONE, written = out->dtype != PADIC_DTYPE_NONE;
    if (!(desc->merge_turns >= 0) || !padici_wave_finite(desc->merge_turns))
        return padici_wave_bad(context, PADIC_ERROR_ARGUMENT,
                               "merge_turns is negative or not finite");
    if (desc->merge_turns > 0 && !timed)
        return padici_wave_bad(context, PADIC_ERROR_ARGUMENT, "merge_turns needs times");
    if (written && !out->rank)
        return padici_wave_bad(context, PADIC_ERROR_MISMATCH, "out has no first axis of frames");
    if (timed && times->dtype != PADIC_F32 && times->dtype != PADIC_F64)
        return padici_wave_bad(context, PADIC_ERROR_DTYPE, "times is not f32 or f64");
    if (timed && (times->rank != 1 || (written && times->shape[0] != out->shape[0])))
        return padici_wave_bad(context, PADIC_ERROR_MISMATCH,
                               "times is not (F), F the first axis of out");
    if (timed && !written && desc->merge_turns > 0)
        return padici_wave_bad(context, PADIC_ERROR_ARGUMENT, "merge_turns without field.out");
    if (desc->drive.dtype != PADIC_DTYPE_NONE) return padici_wave_frames_drive(context, desc);
    if (written && !timed)
        return padici_wave_bad(context, PADIC_ERROR_ARGUMENT, "neither times nor drive");
    return PADIC_OK;
}

static padic_result padici_wave_frames_outputs(padic_context *context,
                                               const padic_wave_frames_desc *desc)
{
    const padic_tensor *out = &desc->field.out, *mean = &desc->mean_intensity;
    padic_wave_superpose_desc one;
    int64_t stride;
    padic_result result = PADIC_OK;
    padici_wave_frames_one(desc, &one, &stride);
    if (out->dtype != PADIC_DTYPE_NONE) result = padici_wave_check_out(NULL, &one);
    if (result == PADIC_ERROR_DTYPE)
        return padici_wave_bad(context, result, "emit and the dtype of out disagree");
    if (result)
        return padici_wave_bad(context, result, "out is not (F) and the shape of a frame");
    if (mean->dtype == PADIC_DTYPE_NONE) return PADIC_OK;
    if (mean->dtype != PADIC_F32 && mean->dtype != PADIC_F64)
        return padici_wave_bad(context, PADIC_ERROR_DTYPE, "mean_intensity is not f32 or f64");
    one.out = *mean;
    one.emit = PADIC_WAVE_INTENSITY;
    if (padici_wave_check_out(NULL, &one))
        return padici_wave_bad(context, PADIC_ERROR_MISMATCH,
                               "mean_intensity has not the points' shape");
    return PADIC_OK;
}

static padic_result padici_wave_frames_check(padic_context *context, const void *desc_)
{
    const padic_wave_frames_desc *desc = (const padic_wave_frames_desc *)desc_;
    padic_wave_superpose_desc one;
    int64_t stride;
    padic_result result;
    if (desc->field.out.dtype == PADIC_DTYPE_NONE) {
        if (desc->mean_intensity.dtype == PADIC_DTYPE_NONE)
            return padici_wave_bad(context, PADIC_ERROR_ARGUMENT,
                                   "neither field.out nor mean_intensity");
        if (desc->field.emit != PADIC_WAVE_COMPLEX || desc->field.flags & PADIC_WAVE_ACCUMULATE)
            return padici_wave_bad(context, PADIC_ERROR_ARGUMENT,
                                   "emit or ACCUMULATE without field.out");
    }
    padici_wave_frames_one(desc, &one, &stride);
    result = padici_wave_check_scalars(context, &one);
    if (!result) result = padici_wave_check_points(context, &one);
    if (!result) result = padici_wave_frames_frames(context, desc);
    if (!result) result = padici_wave_frames_outputs(context, desc);
    if (!result) result = padici_wave_superpose_check(context, &one);
    return result ? result : padici_wave_frames_values(context, desc);
}

PADIC_API padic_result padic_wave_frames_bound(padic_context *context,
                                               const padic_wave_frames_desc *desc, double *bound)
{
    padici_wave_frames job;
    const char *before;
    padic_result result;
    if (!desc || !bound)
        return padici_fail_in(context, PADIC_ERROR_ARGUMENT, "wave_frames_bound",
                              "desc or bound is NULL");
    before = padici_enter(context, "wave_frames_bound");
    result = padici_wave_bound_memory(context, &desc->field, &desc->times);
    if (!result) result = padici_wave_frames_check(context, desc);
    padici_leave(context, before);
    if (result) return result;
    padici_wave_frames_begin(&job, desc);
    *bound = padici_wave_frames_bound(&job, desc->merge_turns, padici_wave_is_f64(&job.one));
    return PADIC_OK;
}

// Gradients.

#define PADICI_WAVE_SLOPES 16 // points of a pass

typedef struct padici_wave_slopes {
    padici_wave_job field;
    const padic_wave_gradient_desc *desc;
    int64_t stride[4]; // of out: three axes of points, components
    uint32_t components;
} padici_wave_slopes;

// cos z - sin z/z, which is -z^2/3 + z^4/30 - ...: sum (-1)^n z^(2n) 2n/(2n + 1)!.
static double padici_wave_shell_slope(double z)
{
    double term = 1, sum = 0;
    int n;
    if (fabs(z) >= 1) return cos(z) - sin(z) / z;
    for (n = 1; n < 12; n++) {
        term *= -z * z / (2 * n * (2 * n + 1));
        sum += term * (2 * n);
    }
    return sum;
}

// dg/dr of a wave g = padici_wave_green() at r > 0.
static padici_complex padici_wave_derivative(const padic_wave_superpose_desc *desc, double a,
                                             double k, double r, padici_complex g)
{
    double falls = 1 / r, size;
    padici_complex slope;
    if (desc->kernel == PADIC_WAVE_GREEN2) {
        const padici_complex h = padici_wave_hankel_at(fabs(k) * r, 1);
        slope.re = fabs(k) * h.im / 4; // -i|k|/4 times it
        slope.im = -k * h.re / 4;
        return slope;
    }
    if (desc->softening == PADIC_WAVE_SHELL && r < a) {
        size = padici_wave_shell_slope(k * r) / (r * a);
        if (desc->kernel == PADIC_WAVE_GREEN3) size /= 2 * PADICI_TWO_PI;
        slope.re = size * cos(k * a);
        slope.im = size * sin(k * a);
        return slope;
    }
    if (desc->kernel == PADIC_WAVE_GREEN1) falls = 0;
    if (desc->softening == PADIC_WAVE_PLUMMER) falls = r / (r * r + a * a);
    if (desc->softening == PADIC_WAVE_ADDED) falls = 1 / (r + a);
    if (desc->kernel == PADIC_WAVE_SQRT) falls /= 2;
    slope.re = -k * g.im - falls * g.re;
    slope.im = k * g.re - falls * g.im;
    return slope;
}

// Adds one source to the field and to its gradient; 1 if it lies on the point and was left out.
static int padici_wave_pair_slope(const padici_wave_job *job, const padici_wave_source *source,
                                  const double at[3], padici_complex sum[4])
{
    const padic_wave_superpose_desc *desc = job->desc;
    double d[3], r2, r, scale;
    padici_complex g, slope, weight;
    uint32_t j;
    if (padici_wave_way(job, source, at, d, &r2, &r)) return 1;
    g = padici_wave_green(desc, job->length, source->wavenumber, r);
    weight = padici_wave_weight(source, r);
    padici_wave_add(desc, g, weight, &sum[0]);
    if (r2 < job->least && desc->softening != PADIC_WAVE_PLUMMER_BOTH) return 0;
    if (desc->softening == PADIC_WAVE_CLAMP && sqrt(r2) < job->length) return 0;
    slope = padici_wave_derivative(desc, job->length, source->wavenumber, r, g);
    slope.re -= source->absorption * g.re;
    slope.im -= source->absorption * g.im;
    for (j = 0; j < 3; j++) {
        padici_complex part;
        scale = d[j] / r; // (r - s)/r; of PLUMMER_BOTH r/R of it
        part.re = slope.re * scale;
        part.im = slope.im * scale;
        padici_wave_add(desc, part, weight, &sum[1 + j]);
    }
    return 0;
}

static void padici_wave_slope_store(const padici_wave_slopes *job, padici_wave_slice *slice,
                                    uint64_t i, const padici_complex sum[4])
{
    const padic_wave_superpose_desc *field = &job->desc->field;
    const int64_t at = padici_wave_index(&job->field, job->stride, i);
    uint32_t j;
    if (field->out.dtype != PADIC_DTYPE_NONE) padici_wave_store(&job->field, slice, i, sum[0]);
    for (j = 0; j < job->components; j++)
        padici_wave_put(&job->desc->out, at + (int64_t)j * job->stride[3], sum[1 + j],
                        (field->flags & PADIC_WAVE_ACCUMULATE) != 0);
}

// At most PADICI_WAVE_SLOPES points over all sources.
static void padici_wave_slope_pass(const padici_wave_slopes *job, padici_wave_slice *slice,
                                   uint64_t first, uint32_t count)
{
    padici_wave_source sources[PADICI_WAVE_SOURCES];
    padici_complex sums[PADICI_WAVE_SLOPES][4];
    double at[3];
    uint64_t begin;
    uint32_t i, j, n, c;
    memset(sums, 0, sizeof sums);
    for (begin = 0; begin < job->field.sources; begin += n) {
        const uint64_t left = job->field.sources - begin;
        n = left < PADICI_WAVE_SOURCES ? (uint32_t)left : PADICI_WAVE_SOURCES;
        for (j = 0; j < n; j++) padici_wave_source_get(&job->desc->field, begin + j, &sources[j]);
        for (i = 0; i < count; i++) {
            padici_complex sum[4];
            memset(sum, 0, sizeof sum);
            padici_wave_point(&job->field, first + i, at);
            for (j = 0; j < n; j++)
                slice->coincident +=
                    (uint32_t)padici_wave_pair_slope(&job->field, &sources[j], at, sum);
            for (c = 0; c < 4; c++) {
                sums[i][c].re += sum[c].re;
                sums[i][c].im += sum[c].im;
            }
        }
    }
    for (i = 0; i < count; i++) padici_wave_slope_store(job, slice, first + i, sums[i]);
}

static void padici_wave_slope_task(void *arg, uint32_t task)
{
    const padici_wave_slopes *job = (const padici_wave_slopes *)arg;
    uint64_t pass, end;
    padici_wave_share(job->field.passes, job->field.slice_count, task, &pass, &end);
    for (; pass < end; pass++) {
        const uint64_t first = pass * PADICI_WAVE_SLOPES, left = job->field.points - first;
        padici_wave_slope_pass(job, &job->field.slices[task], first,
                               left < PADICI_WAVE_SLOPES ? (uint32_t)left : PADICI_WAVE_SLOPES);
        if (padici_wave_stopped(&job->field)) return;
    }
}

static void padici_wave_slopes_begin(padici_wave_slopes *job, const padic_wave_gradient_desc *desc)
{
    int64_t stride[PADIC_MAX_RANK];
    uint32_t i;
    memset(job, 0, sizeof *job);
    padici_wave_job_begin(&job->field, &desc->field);
    if (desc->field.out.dtype == PADIC_DTYPE_NONE && desc->out.dtype == PADIC_C128)
        job->field.least = DBL_MIN;
    job->desc = desc;
    padici_tensor_dense(&desc->out, stride);
    for (i = 0; i + 1 < desc->out.rank; i++) job->stride[i] = stride[i];
    job->stride[3] = stride[i];
    job->components = (uint32_t)desc->out.shape[i];
}

static padic_result padici_wave_gradient_host(const padic_env *env, const void *desc_)
{
    const padic_wave_gradient_desc *desc = (const padic_wave_gradient_desc *)desc_;
    const padic_wave_superpose_desc *field = &desc->field;
    padici_wave_slice slices[PADICI_WAVE_SLICES];
    padici_wave_slopes job;
    padici_steps steps;
    double turns, place;
    padic_result result = field->flags & PADIC_WAVE_CHECK_FINITE
                              ? padici_wave_check_values(NULL, field)
                              : PADIC_OK;
    if (result) return result;
    padici_wave_slopes_begin(&job, desc);
    if (!job.field.points) return PADIC_OK;
    job.field.passes = (job.field.points + PADICI_WAVE_SLOPES - 1) / PADICI_WAVE_SLOPES;
    job.field.slice_count =
        job.field.passes < PADICI_WAVE_SLICES ? job.field.passes : PADICI_WAVE_SLICES;
    padici_wave_slices_begin(&job.field, slices);
    padici_wave_watch(&job.field, &steps, env, job.field.passes);
    padici_parallel(env ? env->jobs : NULL, (uint32_t)job.field.slice_count,
                    padici_wave_slope_task, &job);
    result = padici_wave_unwatch(&job.field, env);
    if (result) return result;
    padici_wave_slices_end(&job.field);
    if (field->bound) {
        padici_wave_extent(field, &turns, &place, NULL);
        *field->bound = job.field.sources ? padici_wave_bound_f64(turns, place) : 0;
    }
    return PADIC_OK;
}

// A field whose output is the gradient's, less its last axis.
static void padici_wave_gradient_field(const padic_wave_gradient_desc *desc,
                                       padic_wave_superpose_desc *field)
{
    int64_t stride[PADIC_MAX_RANK];
    uint32_t i;
    *field = desc->field;
    field->out = desc->out;
    field->emit = PADIC_WAVE_COMPLEX;
    if (!desc->out.rank) return;
    padici_tensor_dense(&desc->out, stride);
    field->out.rank--;
    for (i = 0; i < field->out.rank; i++) field->out.stride[i] = stride[i];
}

static padic_result padici_wave_gradient_out(padic_context *context,
                                             const padic_wave_gradient_desc *desc)
{
    const padic_tensor *out = &desc->out;
    padic_wave_superpose_desc field;
    if (out->dtype != PADIC_C64 && out->dtype != PADIC_C128)
        return padici_wave_bad(context, PADIC_ERROR_DTYPE, "out is not c64 or c128");
    padici_wave_gradient_field(desc, &field);
    if (!out->rank || padici_wave_check_out(NULL, &field))
        return padici_wave_bad(context, PADIC_ERROR_MISMATCH,
                               "out has not the shape of the points and a last axis");
    if (!out->shape[out->rank - 1] ||
        out->shape[out->rank - 1] > padici_wave_dimensions(&desc->field))
        return padici_wave_bad(context, PADIC_ERROR_MISMATCH,
                               "out has no last axis of 1 component up to the kernel's dimensions");
    return PADIC_OK;
}

static padic_result padici_wave_gradient_check(padic_context *context, const void *desc_)
{
    const padic_wave_gradient_desc *desc = (const padic_wave_gradient_desc *)desc_;
    padic_wave_superpose_desc field = desc->field;
    padic_result result;
    if (field.out.dtype == PADIC_DTYPE_NONE) {
        if (field.emit != PADIC_WAVE_COMPLEX)
            return padici_wave_bad(context, PADIC_ERROR_ARGUMENT,
                                   "emit is given without field.out");
        padici_wave_gradient_field(desc, &field);
    }
    result = padici_wave_check_scalars(context, &field);
    if (!result) result = padici_wave_check_points(context, &field);
    if (!result) result = padici_wave_gradient_out(context, desc);
    return result ? result : padici_wave_superpose_check(context, &field);
}

// Vortices.

#define PADICI_WAVE_VORTICES 24 // of a block, kept on the stack of a task
#define PADICI_WAVE_SHARES 32   // tasks of a grid

typedef struct padici_wave_line { // one vortex
    double centre[3], e1[3], e2[3], charge, core;
} padici_wave_line;

typedef struct padici_wave_places { // of the points of a pass, the last one repeated
    double at[3][PADICI_WAVE_POINTS];
} padici_wave_places;

// Points first to end of a pass: products[i] times the factors of n lines.
typedef void (*padici_wave_lines)(padic_wave_core core, const padici_wave_line *lines, uint32_t n,
                                  const padici_wave_places *places, uint32_t first, uint32_t end,
                                  padici_complex *products);

typedef struct padici_wave_vortices {
    padici_wave_job field; // points and out; its desc is made of the vortices'
    padici_wave_lines lines;
    const padic_wave_vortex_desc *desc;
    padic_tensor charges, cores;
    int64_t centre_stride[PADIC_MAX_RANK], axis_stride[PADIC_MAX_RANK], psi_stride[PADIC_MAX_RANK];
} padici_wave_vortices;

static padici_complex padici_wave_times(padici_complex a, padici_complex b)
{
    const double minus = -a.im; // gcc 12 would fuse a difference beside a sum
    padici_complex c;
    c.re = a.re * b.re + minus * b.im;
    c.im = a.re * b.im + a.im * b.re;
    return c;
}

// e1 = x - (x.n) n, from y where n is nearly x, and e2 = n x e1. Returns |n|.
static double padici_wave_frame(const double axis[3], double e1[3], double e2[3])
{
    const double length = sqrt(axis[0] * axis[0] + axis[1] * axis[1] + axis[2] * axis[2]);
    double n[3], size = 0;
    uint32_t i, from;
    for (i = 0; i < 3; i++) n[i] = axis[i] / length;
    from = fabs(n[0]) > 0.9;
    for (i = 0; i < 3; i++) {
        e1[i] = (i == from) - n[from] * n[i];
        size += e1[i] * e1[i];
    }
    for (i = 0; i < 3; i++) e1[i] /= sqrt(size);
    e2[0] = n[1] * e1[2] - n[2] * e1[1];
    e2[1] = n[2] * e1[0] - n[0] * e1[2];
    e2[2] = n[0] * e1[1] - n[1] * e1[0];
    return length;
}

static void padici_wave_line_get(const padici_wave_vortices *job, uint64_t i,
                                 padici_wave_line *line)
{
    const padic_wave_vortex_desc *desc = job->desc;
    double axis[3];
    uint32_t j;
    padici_wave_position(&desc->centres, job->centre_stride, i, line->centre);
    for (j = 0; j < 3; j++) { // of +z
        line->e1[j] = j == 0;
        line->e2[j] = j == 1;
    }
    if (desc->axes.dtype != PADIC_DTYPE_NONE) {
        padici_wave_position(&desc->axes, job->axis_stride, i, axis);
        (void)padici_wave_frame(axis, line->e1, line->e2);
    }
    line->charge = padici_wave_value(&desc->charges, i, 1);
    line->core = padici_wave_value(&desc->cores, i, 0);
    if (desc->core == PADIC_WAVE_CORE_LEGACY && line->core == 0) line->core = 0.1;
}

static void padici_wave_lines_get(const padici_wave_vortices *job, uint64_t begin, uint32_t n,
                                  padici_wave_line *lines)
{
    uint32_t i;
    for (i = 0; i < n; i++) padici_wave_line_get(job, begin + i, &lines[i]);
}

// The modulus of a core of charge 1 over rho, but for NONE.
static double padici_wave_core_slope(padic_wave_core core, double rho2, double xi)
{
    const double a1 = 0.3401100, a2 = 0.0464431, b1 = a1 + a2, x = rho2 / (xi * xi);
    double y;
    if (core == PADIC_WAVE_RATIONAL) return 1 / sqrt(rho2 + xi * xi);
    if (x <= 1) return sqrt((a1 + a2 * x) / (1 + b1 * x + a2 * x * x)) / xi;
    y = 1 / x;
    return sqrt((a1 * y + a2) / (y * y + b1 * y + a2)) / sqrt(rho2);
}

// d, and xi unless it is NULL, times the power of 2 that brings the largest of them to about 1,
// where their squares would be beyond F64 or lose digits: no core depends on their scale.
static int padici_wave_line_near(double *d, uint32_t n, double *xi)
{
    double large = xi ? *xi : 0;
    int power;
    uint32_t i;
    for (i = 0; i < n; i++)
        if (fabs(d[i]) > large) large = fabs(d[i]);
    if ((large > 1e-140 && large < 1e140) || !(large > 0) || !padici_wave_finite(large)) return 0;
    frexp(large, &power);
    for (i = 0; i < n; i++) d[i] = ldexp(d[i], -power);
    if (xi) *xi = ldexp(*xi, -power);
    return 1;
}

static padici_complex padici_wave_line_factor(const padici_wave_line *line, padic_wave_core core,
                                              const double at[3])
{
    padici_complex z = {0, 0}, power = {1, 0};
    double d[3], parts[2], xi = line->core, r2 = 0, size;
    double *const used = core == PADIC_WAVE_CORE_NONE ? NULL : &xi;
    int32_t i;
    for (i = 0; i < 3; i++) d[i] = at[i] - line->centre[i];
    if (!padici_wave_finite(d[0] + d[1] + d[2])) { // of halves no difference is beyond F64
        for (i = 0; i < 3; i++) d[i] = 0.5 * at[i] - 0.5 * line->centre[i];
        xi *= 0.5;
    }
    (void)padici_wave_line_near(d, 3, used);
    for (i = 0; i < 3; i++) {
        r2 += d[i] * d[i];
        z.re += d[i] * line->e1[i];
        z.im += d[i] * line->e2[i];
    }
    if (core == PADIC_WAVE_CORE_LEGACY) {
        const double angle = line->charge * (d[0] == 0 && d[1] == 0 ? 0 : atan2(d[1], d[0]));
        size = tanh(sqrt(r2) / xi);
        power.re = size * cos(angle);
        power.im = size * sin(angle);
        return power;
    }
    if (line->charge == 0) return power;
    parts[0] = z.re;
    parts[1] = z.im;
    if (padici_wave_line_near(parts, 2, used)) { // much closer to the line than to its centre
        z.re = parts[0];
        z.im = parts[1];
    }
    r2 = z.re * z.re + z.im * z.im;
    if (core == PADIC_WAVE_CORE_NONE)
        size = r2 > 0 ? 1 / sqrt(r2) : 0;
    else
        size = r2 > 0 || xi > 0 ? padici_wave_core_slope(core, r2, xi) : 0;
    z.re *= size;
    z.im *= line->charge < 0 ? -size : size;
    for (i = (int32_t)fabs(line->charge); i > 0; i--) power = padici_wave_times(power, z);
    return power;
}

static void padici_wave_lines_plain(padic_wave_core core, const padici_wave_line *lines,
                                    uint32_t n, const padici_wave_places *places,
                                    uint32_t first, uint32_t end, padici_complex *products)
{
    uint32_t i, j;
    for (i = first; i < end; i++) {
        const double point[3] = {places->at[0][i], places->at[1][i], places->at[2][i]};
        for (j = 0; j < n; j++)
            products[i] = padici_wave_times(products[i],
                                            padici_wave_line_factor(&lines[j], core, point));
    }
}

// Points of a pass through all lines. `lines`: room for a block, which has them all if they fit.
static void padici_wave_vortex_pass(const padici_wave_vortices *job, padici_wave_slice *slice,
                                    uint64_t first, uint32_t count, padici_wave_line *lines)
{
    const padic_wave_vortex_desc *desc = job->desc;
    const uint64_t *shape = job->field.count;
    padici_complex products[PADICI_WAVE_POINTS];
    padici_wave_places places;
    double point[3];
    uint64_t begin, all = desc->centres.shape[0];
    uint32_t i, j, n;
    for (i = 0; i < PADICI_WAVE_POINTS; i++) { // kernels do whole vectors
        const uint64_t p = first + (i < count ? i : count - 1);
        padici_wave_point(&job->field, p, point);
        for (j = 0; j < 3; j++) places.at[j][i] = point[j];
        products[i].re = 1;
        products[i].im = 0;
        if (desc->psi.dtype != PADIC_DTYPE_NONE)
            products[i] = padici_wave_load(
                &desc->psi, (int64_t)(p % shape[2]) * job->psi_stride[2] +
                                (int64_t)(p / shape[2] % shape[1]) * job->psi_stride[1] +
                                (int64_t)(p / shape[2] / shape[1]) * job->psi_stride[0]);
    }
    for (begin = 0; begin < all; begin += n) {
        n = all - begin < PADICI_WAVE_VORTICES ? (uint32_t)(all - begin) : PADICI_WAVE_VORTICES;
        if (n < all) padici_wave_lines_get(job, begin, n, lines);
        (*job->lines)(desc->core, lines, n, &places, 0, count, products);
    }
    for (i = 0; i < count; i++) padici_wave_store(&job->field, slice, first + i, products[i]);
}

static void padici_wave_vortex_task(void *arg, uint32_t task)
{
    const padici_wave_vortices *job = (const padici_wave_vortices *)arg;
    const uint64_t all = job->desc->centres.shape[0];
    padici_wave_line lines[PADICI_WAVE_VORTICES];
    uint64_t pass, end;
    padici_wave_share(job->field.passes, job->field.slice_count, task, &pass, &end);
    if (all <= PADICI_WAVE_VORTICES) padici_wave_lines_get(job, 0, (uint32_t)all, lines);
    for (; pass < end; pass++) {
        const uint64_t first = pass * PADICI_WAVE_POINTS, left = job->field.points - first;
        padici_wave_vortex_pass(job, &job->field.slices[task], first,
                                left < PADICI_WAVE_POINTS ? (uint32_t)left : PADICI_WAVE_POINTS,
                                lines);
        if (padici_wave_stopped(&job->field)) return;
    }
}

// A superposition of nothing with the points and the output of the vortices.
static void padici_wave_vortex_field(const padic_wave_vortex_desc *desc,
                                     padic_wave_superpose_desc *field)
{
    memset(field, 0, sizeof *field);
    field->points = desc->points;
    field->grid = desc->grid;
    field->emit = desc->emit;
    field->tone = desc->tone;
    field->out = desc->out;
    field->flags = desc->flags;
}

static padic_result padici_wave_vortex_values(padic_context *context,
                                              const padic_wave_vortex_desc *desc);

static padic_result padici_wave_vortex_with(padici_wave_lines kernel, const padic_env *env,
                                            const padic_wave_vortex_desc *desc)
{
    padici_wave_slice slices[PADICI_WAVE_SHARES];
    padic_wave_superpose_desc field;
    padici_wave_vortices job;
    padici_steps steps;
    padic_result result = desc->flags & PADIC_WAVE_CHECK_FINITE
                              ? padici_wave_vortex_values(NULL, desc)
                              : PADIC_OK;
    if (result) return result;
    padici_wave_vortex_field(desc, &field);
    padici_wave_job_begin(&job.field, &field);
    if (!job.field.points) return PADIC_OK;
    job.desc = desc;
    job.lines = kernel;
    padici_tensor_dense(&desc->centres, job.centre_stride);
    padici_tensor_dense(&desc->axes, job.axis_stride);
    padici_tensor_dense(&desc->psi, job.psi_stride);
    if (job.field.slice_count > PADICI_WAVE_SHARES) job.field.slice_count = PADICI_WAVE_SHARES;
    padici_wave_slices_begin(&job.field, slices);
    padici_wave_watch(&job.field, &steps, env, job.field.passes);
    padici_parallel(env ? env->jobs : NULL, (uint32_t)job.field.slice_count,
                    padici_wave_vortex_task, &job);
    result = padici_wave_unwatch(&job.field, env);
    if (!result) padici_wave_slices_end(&job.field);
    return result;
}

static padic_result padici_wave_vortex_host(const padic_env *env, const void *desc)
{
    return padici_wave_vortex_with(padici_wave_lines_plain, env,
                                   (const padic_wave_vortex_desc *)desc);
}

// One vortex's numbers, where the host sees them; NULL or what is wrong.
static const char *padici_wave_line_fault(const padic_wave_vortex_desc *desc, uint64_t i)
{
    const int legacy = desc->core == PADIC_WAVE_CORE_LEGACY;
    const double q = desc->charges.dtype == PADIC_DTYPE_NONE || desc->charges.data
                         ? padici_wave_value(&desc->charges, i, 1) : 1;
    const double xi = desc->cores.dtype == PADIC_DTYPE_NONE || desc->cores.data
                          ? padici_wave_value(&desc->cores, i, 0) : 1;
    double axis[3] = {0, 0, 1}, e[2][3], length;
    int64_t stride[PADIC_MAX_RANK];
    if (!(fabs(q) <= 64) || (!legacy && q != floor(q)))
        return legacy ? "charges has one beyond 64" : "charges has one that is no integer up to 64";
    if (desc->core == PADIC_WAVE_PADE && fabs(q) != 1)
        return "charges has one that is not 1 or -1, as core PADE needs";
    if (desc->core != PADIC_WAVE_CORE_NONE && !(legacy ? xi >= 0 : xi > 0))
        return "cores has a length that is not positive";
    if (!padici_wave_finite(xi)) return "cores has a length that is not finite";
    if (desc->core != PADIC_WAVE_CORE_NONE && xi > 0 && !padici_wave_within(xi + 1 / xi))
        return "cores has a length that is not within 1e-150 and 1e150";
    if (desc->axes.dtype != PADIC_DTYPE_NONE && desc->axes.data) {
        padici_tensor_dense(&desc->axes, stride);
        padici_wave_position(&desc->axes, stride, i, axis);
    }
    length = padici_wave_frame(axis, e[0], e[1]);
    return length > 1 - 1e-3 && length < 1 + 1e-3 ? NULL : "axes has one that is not of length 1";
}

static padic_result padici_wave_vortex_values(padic_context *context,
                                              const padic_wave_vortex_desc *desc)
{
    padic_result result = padici_wave_check_finite(context, &desc->points, "points");
    uint64_t i;
    if (!result)
        result = padici_wave_check_finite(context, &desc->centres, "centres");
    for (i = 0; i < desc->centres.shape[0] && !result; i++) {
        const char *fault = padici_wave_line_fault(desc, i);
        if (fault) result = padici_wave_bad(context, PADIC_ERROR_ARGUMENT, fault);
    }
    return result;
}

static int padici_wave_real_type(const padic_tensor *t)
{
    return t->dtype == PADIC_F32 || t->dtype == PADIC_F64;
}

static padic_result padici_wave_vortex_tensors(padic_context *context,
                                               const padic_wave_vortex_desc *desc)
{
    const padic_tensor *const values[2] = {&desc->charges, &desc->cores};
    const uint64_t lines = desc->centres.shape[0];
    const uint32_t rgba = desc->emit == PADIC_WAVE_RGBA8;
    uint32_t i;
    padic_result result = padici_wave_check_positions(
        context, &desc->centres, 3, "centres is not (V, D) with D = 1, 2 or 3", "");
    if (result) return result;
    if (!padici_wave_real_type(&desc->centres))
        return padici_wave_bad(context, PADIC_ERROR_DTYPE, "centres is not f32 or f64");
    if (desc->axes.dtype != PADIC_DTYPE_NONE) {
        if (!padici_wave_real_type(&desc->axes))
            return padici_wave_bad(context, PADIC_ERROR_DTYPE, "axes is not f32 or f64");
        if (desc->axes.rank != 2 || desc->axes.shape[0] != lines || desc->axes.shape[1] != 3)
            return padici_wave_bad(context, PADIC_ERROR_MISMATCH, "axes is not (V, 3)");
        if (desc->core == PADIC_WAVE_CORE_LEGACY)
            return padici_wave_bad(context, PADIC_ERROR_ARGUMENT,
                                   "axes and LEGACY do not go together");
    }
    for (i = 0; i < 2; i++) {
        const padic_tensor *t = values[i];
        if (t->dtype == PADIC_DTYPE_NONE) continue;
        if (!padici_wave_real_type(t))
            return padici_wave_bad(context, PADIC_ERROR_DTYPE,
                                   i ? "cores is not f32 or f64" : "charges is not f32 or f64");
        if (t->rank > 1 || (t->rank && t->shape[0] != lines))
            return padici_wave_bad(context, PADIC_ERROR_MISMATCH,
                                   i ? "cores is not (V) or of rank 0"
                                     : "charges is not (V) or of rank 0");
    }
    if (desc->psi.dtype == PADIC_DTYPE_NONE) return PADIC_OK;
    if (desc->psi.dtype != PADIC_C64 && desc->psi.dtype != PADIC_C128)
        return padici_wave_bad(context, PADIC_ERROR_DTYPE, "psi is not c64 or c128");
    for (i = 0; i < desc->psi.rank; i++)
        if (desc->psi.rank + rgba != desc->out.rank || desc->psi.shape[i] != desc->out.shape[i])
            break;
    if (i < desc->psi.rank || desc->psi.rank + rgba != desc->out.rank)
        return padici_wave_bad(context, PADIC_ERROR_MISMATCH, "psi has not the shape of out");
    return PADIC_OK;
}

static padic_result padici_wave_vortex_check(padic_context *context, const void *desc_)
{
    const padic_wave_vortex_desc *desc = (const padic_wave_vortex_desc *)desc_;
    padic_wave_superpose_desc field;
    padic_result result;
    if ((uint32_t)desc->core > PADIC_WAVE_CORE_LEGACY)
        return padici_wave_bad(context, PADIC_ERROR_ARGUMENT, "core is no padic_wave_core");
    if ((uint32_t)desc->emit > PADIC_WAVE_RGBA8)
        return padici_wave_bad(context, PADIC_ERROR_ARGUMENT, "emit is no padic_wave_emit");
    if (desc->flags & ~(uint32_t)PADIC_WAVE_CHECK_FINITE)
        return padici_wave_bad(context, PADIC_ERROR_ARGUMENT, "flags has an unknown bit");
    padici_wave_vortex_field(desc, &field);
    result = padici_wave_check_points(context, &field);
    if (!result) result = padici_wave_check_out(context, &field);
    if (!result) result = padici_wave_check_tone(context, &field);
    if (!result) result = padici_wave_vortex_tensors(context, desc);
    if (!result) result = padici_wave_vortex_values(context, desc);
    return result;
}

// A field on a grid of up to three axes, and what its tasks count.

typedef struct padici_wave_tally {
    int64_t total[3];
    uint64_t absolute, undefined, listed;
} padici_wave_tally;

typedef struct padici_wave_grid_job {
    const padic_tensor *psi;
    uint64_t count[3], points, tasks;
    int64_t stride[3], out_stride[4]; // of out or map; there the orientation's comes last
    uint32_t periodic, filling;
    const padic_wave_phase_gradient_desc *gradient;
    const padic_wave_winding_desc *winding;
    padici_wave_tally *tallies;
} padici_wave_grid_job;

static void padici_wave_grid_begin(padici_wave_grid_job *job, const padic_tensor *psi,
                                   uint32_t periodic, padici_wave_tally *tallies)
{
    int64_t stride[PADIC_MAX_RANK];
    uint32_t i;
    memset(job, 0, sizeof *job);
    memset(tallies, 0, PADICI_WAVE_SHARES * sizeof *tallies);
    job->psi = psi;
    job->periodic = periodic;
    job->tallies = tallies;
    job->points = 1;
    padici_tensor_dense(psi, stride);
    for (i = 0; i < 3; i++) {
        job->count[i] = i < psi->rank ? psi->shape[i] : 1;
        job->stride[i] = i < psi->rank ? stride[i] : 0;
        job->points *= job->count[i];
    }
    job->tasks = (job->points + 1023) / 1024;
    if (job->tasks > PADICI_WAVE_SHARES) job->tasks = PADICI_WAVE_SHARES;
}

static void padici_wave_grid_index(const padici_wave_grid_job *job, uint64_t i, uint64_t index[3])
{
    index[2] = i % job->count[2];
    index[1] = i / job->count[2] % job->count[1];
    index[0] = i / job->count[2] / job->count[1];
}

// How far in memory the neighbour along an axis is, to the right or left; 0 where there is none.
static int padici_wave_beside(const padici_wave_grid_job *job, const uint64_t index[3],
                              uint32_t axis, int left, int64_t *way)
{
    const uint64_t last = job->count[axis] - 1;
    const int64_t step = left ? -job->stride[axis] : job->stride[axis];
    *way = step;
    if (index[axis] != (left ? 0 : last)) return 1;
    *way = -step * (int64_t)last;
    return (int)(job->periodic >> axis & 1);
}

static double padici_wave_angle(padici_complex z)
{
    return z.re == 0 && z.im == 0 ? 0 : atan2(z.im, z.re);
}

// The angle from a to b; + 0.0: pi, not -pi, for an im of -0.
static double padici_wave_link(padici_complex a, padici_complex b)
{
    padici_complex z;
    int power;
    a = padici_wave_near(a, &power);
    b = padici_wave_near(b, &power);
    a.im = -a.im;
    z = padici_wave_times(b, a);
    z.im += 0.0;
    return padici_wave_angle(z);
}

static double padici_wave_slope(padic_wave_phase_method method, padici_complex left,
                                padici_complex here, padici_complex right)
{
    int power;
    if (method == PADIC_WAVE_LINKS)
        return padici_wave_link(left, here) + padici_wave_link(here, right);
    if (method == PADIC_WAVE_PHASE_LEGACY)
        return padici_wave_angle(right) - padici_wave_angle(left);
    here = padici_wave_near(here, &power);
    if (power) {
        left.re = ldexp(left.re, -power), left.im = ldexp(left.im, -power);
        right.re = ldexp(right.re, -power), right.im = ldexp(right.im, -power);
    }
    return (here.re * (right.im - left.im) - here.im * (right.re - left.re)) /
           (here.re * here.re + here.im * here.im);
}

static void padici_wave_gradient_point(const padici_wave_grid_job *job, uint32_t task, uint64_t i)
{
    const padic_wave_phase_gradient_desc *desc = job->gradient;
    const uint32_t size = padic_dtype_size(desc->out.dtype), rank = desc->psi.rank;
    uint64_t index[3];
    padici_complex side[2], here, scaled;
    int64_t at = 0, way;
    int power;
    char *to = (char *)desc->out.data;
    uint32_t a, left, links;
    int skip;
    padici_wave_grid_index(job, i, index);
    for (a = 0; a < 3; a++) {
        at += (int64_t)index[a] * job->stride[a];
        to += (int64_t)index[a] * job->out_stride[a] * (int64_t)size;
    }
    here = padici_wave_load(job->psi, at);
    scaled = padici_wave_near(here, &power);
    skip = scaled.re * scaled.re + scaled.im * scaled.im <= ldexp(desc->floor, -2 * power);
    job->tallies[task].undefined += (uint64_t)skip;
    for (a = 0; a < rank; a++, to += job->out_stride[3] * (int64_t)size) {
        const double step = desc->step[a] > 0 ? desc->step[a] : 1;
        double slope = 0;
        float single;
        for (links = left = 0; left < 2; left++) {
            side[left] = here;
            if (!padici_wave_beside(job, index, a, (int)left, &way)) continue;
            side[left] = padici_wave_load(job->psi, at + way);
            links++;
        }
        if (!skip && links)
            slope = padici_wave_slope(desc->method, side[1], here, side[0]) / links / step *
                    (desc->scale != 0 ? desc->scale : 1);
        single = (float)slope;
        if (size == 8) memcpy(to, &slope, 8);
        else memcpy(to, &single, 4);
    }
}

static void padici_wave_gradient_task(void *arg, uint32_t task)
{
    const padici_wave_grid_job *job = (const padici_wave_grid_job *)arg;
    uint64_t i, end;
    padici_wave_share(job->points, job->tasks, task, &i, &end);
    for (; i < end; i++) padici_wave_gradient_point(job, task, i);
}

static void padici_wave_gradient_begin(padici_wave_grid_job *job,
                                       const padic_wave_phase_gradient_desc *desc,
                                       padici_wave_tally *tallies)
{
    int64_t stride[PADIC_MAX_RANK];
    uint32_t i;
    padici_wave_grid_begin(job, &desc->psi, desc->periodic, tallies);
    job->gradient = desc;
    padici_tensor_dense(&desc->out, stride);
    for (i = 0; i < desc->psi.rank; i++) job->out_stride[i] = stride[i];
    job->out_stride[3] = stride[i];
}

static void padici_wave_gradient_skipped(const padici_wave_grid_job *job,
                                         const padic_wave_phase_gradient_desc *desc)
{
    uint64_t skipped = 0;
    uint32_t i;
    for (i = 0; i < PADICI_WAVE_SHARES; i++) skipped += job->tallies[i].undefined;
    if (desc->skipped) *desc->skipped = skipped;
}

static padic_result padici_wave_phase_gradient_host(const padic_jobs *jobs, const void *desc_)
{
    const padic_wave_phase_gradient_desc *desc = (const padic_wave_phase_gradient_desc *)desc_;
    padici_wave_tally tallies[PADICI_WAVE_SHARES];
    padici_wave_grid_job job;
    padici_wave_gradient_begin(&job, desc, tallies);
    padici_parallel(jobs, (uint32_t)job.tasks, padici_wave_gradient_task, &job);
    padici_wave_gradient_skipped(&job, desc);
    return PADIC_OK;
}

static padic_result padici_wave_phase_gradient_check(padic_context *context, const void *desc_)
{
    const padic_wave_phase_gradient_desc *desc = (const padic_wave_phase_gradient_desc *)desc_;
    const padic_tensor *psi = &desc->psi, *out = &desc->out;
    uint32_t i;
    if ((uint32_t)desc->method > PADIC_WAVE_PHASE_LEGACY)
        return padici_wave_bad(context, PADIC_ERROR_ARGUMENT,
                               "method is no padic_wave_phase_method");
    if (psi->dtype != PADIC_C64 && psi->dtype != PADIC_C128)
        return padici_wave_bad(context, PADIC_ERROR_DTYPE, "psi is not c64 or c128");
    if (!padici_wave_real_type(out))
        return padici_wave_bad(context, PADIC_ERROR_DTYPE, "out is not f32 or f64");
    if (!psi->rank || psi->rank > 3)
        return padici_wave_bad(context, PADIC_ERROR_MISMATCH, "psi is not of rank 1, 2 or 3");
    for (i = 0; i < psi->rank && out->rank == psi->rank + 1; i++)
        if (out->shape[i] != psi->shape[i]) break;
    if (i < psi->rank || out->shape[i] != psi->rank)
        return padici_wave_bad(context, PADIC_ERROR_MISMATCH,
                               "out has not psi's shape and a last axis of its rank");
    if (desc->periodic >> psi->rank)
        return padici_wave_bad(context, PADIC_ERROR_ARGUMENT, "periodic has an unknown bit");
    for (i = 0; i < 3; i++) {
        const double step = desc->step[i];
        if (!(step >= 0) || !padici_wave_finite(step))
            return padici_wave_bad(context, PADIC_ERROR_ARGUMENT, "step is negative or not finite");
        if (desc->method == PADIC_WAVE_PHASE_LEGACY && step != 0 && step != 1)
            return padici_wave_bad(context, PADIC_ERROR_ARGUMENT, "step is 0 or 1 with LEGACY");
    }
    if (!padici_wave_finite(desc->scale))
        return padici_wave_bad(context, PADIC_ERROR_ARGUMENT, "scale is not finite");
    if (!(desc->floor >= 0) || !padici_wave_finite(desc->floor))
        return padici_wave_bad(context, PADIC_ERROR_ARGUMENT, "floor is negative or not finite");
    return PADIC_OK;
}

// |x| as an odd-aligned integer times 2^*power; 0 as 0.
static uint64_t padici_wave_integer(double x, int32_t *power)
{
    uint64_t bits, mantissa;
    uint32_t up;
    memcpy(&bits, &x, 8);
    mantissa = bits & UINT64_C(0xfffffffffffff);
    *power = (int32_t)(bits >> 52 & 0x7ff);
    if (*power) mantissa |= UINT64_C(1) << 52;
    else *power = 1;
    if (!mantissa) return 0;
    up = padici_clz64(mantissa); // the highest bit to the top
    *power -= (int32_t)up;
    return mantissa << up;
}

// Sign of |a b| - |c d| for finite numbers, exactly.
static int padici_wave_compare(double a, double b, double c, double d)
{
    int32_t power[4];
    uint64_t m[4], high[2], low[2];
    uint32_t i;
    m[0] = padici_wave_integer(a, &power[0]);
    m[1] = padici_wave_integer(b, &power[1]);
    m[2] = padici_wave_integer(c, &power[2]);
    m[3] = padici_wave_integer(d, &power[3]);
    for (i = 0; i < 2; i++) {
        const uint64_t x = m[2 * i], y = m[2 * i + 1];
        const uint64_t cross = (x >> 32) * (uint32_t)y + ((x & 0xffffffffu) * (uint32_t)y >> 32);
        const uint64_t more = (x & 0xffffffffu) * (y >> 32) + (cross & 0xffffffffu);
        high[i] = (x >> 32) * (y >> 32) + (cross >> 32) + (more >> 32);
        low[i] = x * y;
        power[i] = power[2 * i] + power[2 * i + 1];
        if (high[i] && !(high[i] >> 63)) {
            high[i] = high[i] << 1 | low[i] >> 63;
            low[i] <<= 1;
            power[i]--;
        }
    }
    if (!high[0] || !high[1]) return (high[0] != 0) - (high[1] != 0);
    if (power[0] != power[1]) return power[0] < power[1] ? -1 : 1;
    if (high[0] != high[1]) return high[0] < high[1] ? -1 : 1;
    return (low[0] > low[1]) - (low[0] < low[1]);
}

// Sign of a.re b.im - b.re a.im, of which one im is negative and the other is not. Products in f64
// decide, unless they are equal, overflow or lose digits at the small end.
static int padici_wave_turn(padici_complex a, padici_complex b)
{
    const double p = a.re * b.im, q = b.re * a.im, high = fabs(p) > fabs(q) ? fabs(p) : fabs(q);
    int first, second, order;
    if (p != q && high > 1e-280 && high < 1e300) return p > q ? 1 : -1;
    first = (a.re > 0) - (a.re < 0);
    first *= (b.im > 0) - (b.im < 0);
    second = (b.re > 0) - (b.re < 0);
    second *= (a.im > 0) - (a.im < 0);
    if (first != second) return first > second ? 1 : -1;
    order = padici_wave_compare(a.re, b.im, b.re, a.im);
    return first < 0 ? -order : order;
}

// +1 where the way from a to b crosses the negative real axis downwards, -1 upwards.
static int padici_wave_crossing(padici_complex a, padici_complex b)
{
    const int above = a.im >= 0;
    int turn;
    if (above == (b.im >= 0)) return 0;
    turn = padici_wave_turn(a, b);
    return above ? turn > 0 : -(turn < 0);
}

// The charge of a square; 2: it has none.
static int padici_wave_square(const padici_wave_grid_job *job, const uint64_t index[3],
                              uint32_t orientation)
{
    const uint32_t a = (orientation + 1) % 3, b = (orientation + 2) % 3;
    padici_complex z[4];
    int64_t at = 0, along, across;
    int i, charge = 0;
    if (!padici_wave_beside(job, index, a, 0, &along)) return 0;
    if (!padici_wave_beside(job, index, b, 0, &across)) return 0;
    for (i = 0; i < 3; i++) at += (int64_t)index[i] * job->stride[i];
    z[0] = padici_wave_load(job->psi, at);
    z[1] = padici_wave_load(job->psi, at + along);
    z[2] = padici_wave_load(job->psi, at + along + across);
    z[3] = padici_wave_load(job->psi, at + across);
    for (i = 0; i < 4; i++)
        if ((z[i].re == 0 && z[i].im == 0) || !padici_wave_finite(z[i].re) ||
            !padici_wave_finite(z[i].im))
            return 2;
    for (i = 0; i < 4; i++) charge += padici_wave_crossing(z[i], z[(i + 1) & 3]);
    return charge;
}

static void padici_wave_winding_task(void *arg, uint32_t task)
{
    const padici_wave_grid_job *job = (const padici_wave_grid_job *)arg;
    const padic_wave_winding_desc *desc = job->winding;
    padici_wave_tally *tally = &job->tallies[task];
    uint64_t i, end, index[3];
    uint32_t o, a;
    padici_wave_share(job->points, job->tasks, task, &i, &end);
    for (; i < end; i++) {
        padici_wave_grid_index(job, i, index);
        for (o = desc->psi.rank == 2 ? 2 : 0; o < 3; o++) {
            const int charge = padici_wave_square(job, index, o);
            int64_t to = (int64_t)o * job->out_stride[3];
            for (a = 0; a < 3; a++) to += (int64_t)index[a] * job->out_stride[a];
            if (job->filling) {
                padic_wave_defect *defect = &desc->list[tally->listed];
                if (charge == 0 || charge == 2) continue;
                if (tally->listed++ >= desc->list_capacity) continue;
                defect->index = i;
                defect->orientation = o;
                defect->charge = charge;
                continue;
            }
            if (desc->map.dtype != PADIC_DTYPE_NONE)
                ((int8_t *)desc->map.data)[to] = (int8_t)(charge == 2 ? -128 : charge);
            if (charge == 2) {
                tally->undefined++;
            } else if (charge) {
                tally->total[o] += charge;
                tally->absolute++;
                tally->listed++;
            }
        }
    }
}

static void padici_wave_winding_results(const padic_wave_winding_desc *desc,
                                        const padici_wave_tally *sum)
{
    if (desc->total) memcpy(desc->total, sum->total, sizeof sum->total);
    if (desc->absolute) *desc->absolute = sum->absolute;
    if (desc->undefined) *desc->undefined = sum->undefined;
    if (desc->list_count) *desc->list_count = sum->absolute;
}

static void padici_wave_winding_begin(padici_wave_grid_job *job,
                                      const padic_wave_winding_desc *desc,
                                      padici_wave_tally *tallies)
{
    const uint32_t lead = desc->psi.rank == 3;
    int64_t stride[PADIC_MAX_RANK];
    uint32_t i;
    padici_wave_grid_begin(job, &desc->psi, desc->periodic, tallies);
    job->winding = desc;
    padici_tensor_dense(&desc->map, stride);
    for (i = 0; i < desc->psi.rank; i++) job->out_stride[i] = stride[i + lead];
    if (lead) job->out_stride[3] = stride[0];
}

static padic_result padici_wave_winding_host(const padic_jobs *jobs, const void *desc_)
{
    const padic_wave_winding_desc *desc = (const padic_wave_winding_desc *)desc_;
    padici_wave_tally tallies[PADICI_WAVE_SHARES], sum;
    padici_wave_grid_job job;
    uint32_t i, o;
    padici_wave_winding_begin(&job, desc, tallies);
    padici_parallel(jobs, (uint32_t)job.tasks, padici_wave_winding_task, &job);
    memset(&sum, 0, sizeof sum);
    for (i = 0; i < job.tasks; i++) {
        for (o = 0; o < 3; o++) sum.total[o] += tallies[i].total[o];
        sum.absolute += tallies[i].absolute;
        sum.undefined += tallies[i].undefined;
        tallies[i].listed = sum.absolute - tallies[i].listed; // where its part of the list begins
    }
    job.filling = 1;
    if (desc->list) padici_parallel(jobs, (uint32_t)job.tasks, padici_wave_winding_task, &job);
    padici_wave_winding_results(desc, &sum);
    return PADIC_OK;
}

static padic_result padici_wave_winding_check(padic_context *context, const void *desc_)
{
    const padic_wave_winding_desc *desc = (const padic_wave_winding_desc *)desc_;
    const padic_tensor *psi = &desc->psi, *map = &desc->map;
    const uint32_t lead = psi->rank == 3;
    uint32_t i;
    if (psi->dtype != PADIC_C64 && psi->dtype != PADIC_C128)
        return padici_wave_bad(context, PADIC_ERROR_DTYPE, "psi is not c64 or c128");
    if (psi->rank != 2 && psi->rank != 3)
        return padici_wave_bad(context, PADIC_ERROR_MISMATCH, "psi is not of rank 2 or 3");
    if (desc->periodic >> psi->rank)
        return padici_wave_bad(context, PADIC_ERROR_ARGUMENT, "periodic has an unknown bit");
    if (!desc->list && desc->list_capacity)
        return padici_wave_bad(context, PADIC_ERROR_ARGUMENT, "list is NULL");
    if (map->dtype == PADIC_DTYPE_NONE) return PADIC_OK;
    if (map->dtype != PADIC_I8)
        return padici_wave_bad(context, PADIC_ERROR_DTYPE, "map is not i8");
    for (i = 0; i < psi->rank && map->rank == psi->rank + lead; i++)
        if (map->shape[i + lead] != psi->shape[i]) break;
    if (i < psi->rank || (lead && map->shape[0] != 3))
        return padici_wave_bad(context, PADIC_ERROR_MISMATCH,
                               lead ? "map is not (3) and psi's shape" : "map has not psi's shape");
    return PADIC_OK;
}

// The sphere.

static padic_result padici_wave_lattice_check(padic_context *context,
                                              const padic_wave_lattice_desc *desc)
{
    uint64_t count;
    padic_result result = padici_tensor_check_view(&desc->out, 0, &count);
    if (result) return padici_fail_view(context, result, "out", &desc->out);
    if (!padici_wave_real_type(&desc->out))
        return padici_wave_bad(context, PADIC_ERROR_DTYPE, "out is not f32 or f64");
    if (desc->out.rank != 2 || desc->out.shape[1] != 3)
        return padici_wave_bad(context, PADIC_ERROR_MISMATCH, "out is not (N, 3)");
    if (count && !desc->out.data)
        return padici_wave_bad(context, PADIC_ERROR_NOT_SUPPORTED, "out is not in host memory");
    if (desc->radius < 0)
        return padici_wave_bad(context, PADIC_ERROR_ARGUMENT, "radius is negative");
    if (!padici_wave_finite(desc->radius) || !padici_wave_finite(desc->centre[0]) ||
        !padici_wave_finite(desc->centre[1]) || !padici_wave_finite(desc->centre[2]) ||
        !padici_wave_finite(desc->turns) || !padici_wave_finite(desc->offset))
        return padici_wave_bad(context, PADIC_ERROR_NOT_FINITE,
                               "radius, centre, turns or offset is not finite");
    return PADIC_OK;
}

PADIC_API padic_result padic_wave_lattice(padic_context *context,
                                          const padic_wave_lattice_desc *desc)
{
    int64_t stride[PADIC_MAX_RANK];
    uint64_t i, n;
    double radius, n1;
    const char *before;
    padic_result result;
    if (!desc)
        return padici_fail_in(context, PADIC_ERROR_ARGUMENT, "wave_lattice", "desc is NULL");
    before = padici_enter(context, "wave_lattice");
    result = padici_wave_lattice_check(context, desc);
    padici_leave(context, before);
    if (result) return result;
    n = desc->out.shape[0];
    n1 = (double)n;
    radius = desc->radius > 0 ? desc->radius : 1;
    padici_tensor_dense(&desc->out, stride);
    for (i = 0; i < n; i++) {
        const double z = 1 - (2.0 * (double)i + 1) / n1, s = sqrt(1 - z * z);
        // i/g modulo 1, in 64 bits: 2^64/g is 0x9e37...
        const double turn = (double)(i * UINT64_C(0x9e3779b97f4a7c15)) / 18446744073709551616.0;
        const double angle = PADICI_TWO_PI * turn + desc->turns * acos(z) + desc->offset;
        double at[3];
        uint32_t j;
        at[0] = s * cos(angle);
        at[1] = s * sin(angle);
        at[2] = z;
        for (j = 0; j < 3; j++) {
            const int64_t to = (int64_t)i * stride[0] + (int64_t)j * stride[1];
            const double value = desc->centre[j] + radius * at[j];
            const float single = (float)value;
            if (desc->out.dtype == PADIC_F64) memcpy((char *)desc->out.data + 8 * to, &value, 8);
            else memcpy((char *)desc->out.data + 4 * to, &single, 4);
        }
    }
    if (desc->weight && n) *desc->weight = 2 * PADICI_TWO_PI * radius * radius / n1;
    return PADIC_OK;
}

// Observables, pixels and the norm: element by element in C order, tensors of any rank.

typedef struct padici_wave_each {
    const padic_tensor *in, *out;
    int64_t in_stride[PADIC_MAX_RANK], out_stride[PADIC_MAX_RANK];
    uint64_t count, tasks;
    padic_wave_emit emit;
    padici_wave_job pixels; // its tone and range
    double factor, scale, sums[PADICI_WAVE_SHARES]; // scale: of psi, before anything else
    padici_wave_slice slices[PADICI_WAVE_SHARES];
} padici_wave_each;

static void padici_wave_each_begin(padici_wave_each *job, const padic_tensor *in,
                                   const padic_tensor *out)
{
    memset(job, 0, sizeof *job);
    job->in = in;
    job->out = out;
    padici_tensor_dense(in, job->in_stride);
    padici_tensor_dense(out, job->out_stride);
    job->count = padic_tensor_count(in);
    job->tasks = (job->count + 255) / 256; // by the count alone: sums do not depend on workers
    if (job->tasks > PADICI_WAVE_SHARES) job->tasks = PADICI_WAVE_SHARES;
}

// Where element i of a shape lies.
static int64_t padici_wave_each_at(const padic_tensor *t, const int64_t *stride, uint64_t i)
{
    int64_t at = 0;
    uint32_t axis = t->rank;
    while (axis--) {
        at += (int64_t)(i % t->shape[axis]) * stride[axis];
        i /= t->shape[axis];
    }
    return at;
}

static padici_complex padici_wave_each_get(const padici_wave_each *job, uint64_t i)
{
    const int64_t at = padici_wave_each_at(job->in, job->in_stride, i);
    padici_complex z = {0, 0};
    float single;
    if (job->in->dtype == PADIC_F64) {
        memcpy(&z.re, (const char *)job->in->data + 8 * at, 8);
    } else if (job->in->dtype == PADIC_F32) {
        memcpy(&single, (const char *)job->in->data + 4 * at, 4);
        z.re = (double)single;
    } else {
        z = padici_wave_load(job->in, at);
    }
    return z;
}

static void padici_wave_observe_task(void *arg, uint32_t task)
{
    const padici_wave_each *job = (const padici_wave_each *)arg;
    const int64_t size = (int64_t)padic_dtype_size(job->out->dtype);
    uint64_t i, end;
    padici_wave_share(job->count, job->tasks, task, &i, &end);
    for (; i < end; i++) {
        char *to = (char *)job->out->data + padici_wave_each_at(job->in, job->out_stride, i) * size;
        const double v = padici_wave_real(job->emit, padici_wave_each_get(job, i));
        const float single = (float)v;
        if (size == 8) memcpy(to, &v, 8);
        else memcpy(to, &single, 4);
    }
}

static padic_result padici_wave_observe_host(const padic_jobs *jobs, const void *desc_)
{
    const padic_wave_observe_desc *desc = (const padic_wave_observe_desc *)desc_;
    padici_wave_each job;
    padici_wave_each_begin(&job, &desc->psi, &desc->out);
    job.emit = desc->emit;
    padici_parallel(jobs, (uint32_t)job.tasks, padici_wave_observe_task, &job);
    return PADIC_OK;
}

static void padici_wave_tonemap_task(void *arg, uint32_t task)
{
    padici_wave_each *job = (padici_wave_each *)arg;
    uint64_t i, end;
    padici_wave_share(job->count, job->tasks, task, &i, &end);
    for (; i < end; i++)
        padici_wave_store_rgba(&job->pixels, &job->slices[task], padici_wave_each_get(job, i),
                               (char *)job->out->data +
                                   padici_wave_each_at(job->in, job->out_stride, i));
}

// `field` gets the tone, and must live as long as the job.
static void padici_wave_tonemap_begin(padici_wave_each *job, const padic_wave_tonemap_desc *desc,
                                      padic_wave_superpose_desc *field)
{
    uint32_t i;
    padici_wave_each_begin(job, &desc->field, &desc->out);
    memset(field, 0, sizeof *field);
    field->tone = desc->tone;
    if (desc->field.dtype == PADIC_F32 || desc->field.dtype == PADIC_F64)
        field->tone.value = PADIC_WAVE_REAL;
    job->pixels.desc = field;
    job->pixels.stride[3] = job->out_stride[desc->field.rank];
    padici_wave_tone_range(&desc->tone, &job->pixels.low, &job->pixels.high);
    for (i = 0; i < PADICI_WAVE_SHARES; i++) {
        job->slices[i].low = DBL_MAX;
        job->slices[i].high = -DBL_MAX;
    }
}

static void padici_wave_tonemap_range(padici_wave_each *job, const padic_wave_tonemap_desc *desc)
{
    uint32_t i;
    for (i = 1; i < PADICI_WAVE_SHARES; i++) {
        if (job->slices[i].low < job->slices[0].low) job->slices[0].low = job->slices[i].low;
        if (job->slices[i].high > job->slices[0].high) job->slices[0].high = job->slices[i].high;
    }
    if (desc->tone.range) {
        const int none = job->slices[0].low > job->slices[0].high;
        desc->tone.range[0] = none ? 0 : job->slices[0].low;
        desc->tone.range[1] = none ? 0 : job->slices[0].high;
    }
}

static padic_result padici_wave_tonemap_host(const padic_jobs *jobs, const void *desc_)
{
    const padic_wave_tonemap_desc *desc = (const padic_wave_tonemap_desc *)desc_;
    padic_wave_superpose_desc field;
    padici_wave_each job;
    padici_wave_tonemap_begin(&job, desc, &field);
    padici_parallel(jobs, (uint32_t)job.tasks, padici_wave_tonemap_task, &job);
    padici_wave_tonemap_range(&job, desc);
    return PADIC_OK;
}

static void padici_wave_norm_task(void *arg, uint32_t task)
{
    padici_wave_each *job = (padici_wave_each *)arg;
    uint64_t i, end, block;
    double total = 0;
    padici_wave_share(job->count, job->tasks, task, &i, &end);
    while (i < end) {
        double sum = 0;
        for (block = end - i < 256 ? end : i + 256; i < block; i++) {
            padici_complex z = padici_wave_each_get(job, i);
            z.re *= job->scale;
            z.im *= job->scale;
            sum += z.re * z.re + z.im * z.im;
        }
        total += sum;
    }
    job->sums[task] = total;
}

static void padici_wave_scale_task(void *arg, uint32_t task)
{
    const padici_wave_each *job = (const padici_wave_each *)arg;
    uint64_t i, end;
    padici_wave_share(job->count, job->tasks, task, &i, &end);
    for (; i < end; i++) {
        const int64_t at = padici_wave_each_at(job->in, job->in_stride, i);
        padici_complex z = padici_wave_each_get(job, i);
        float single[2];
        z.re = z.re * job->scale * job->factor;
        z.im = z.im * job->scale * job->factor;
        single[0] = (float)z.re;
        single[1] = (float)z.im;
        if (job->in->dtype == PADIC_C128) memcpy((char *)job->in->data + 16 * at, &z, 16);
        else memcpy((char *)job->in->data + 8 * at, single, 8);
    }
}

// From the sum of |psi|^2 the norm and what psi is multiplied with; 0: DOMAIN.
static int padici_wave_norm_factor(const padic_wave_normalise_desc *desc, double *sum,
                                   double *factor)
{
    *sum *= desc->volume > 0 ? desc->volume : 1;
    if (!padici_wave_finite(*sum) || *sum == 0) return 0;
    *factor = sqrt((desc->target > 0 ? desc->target : 1) / *sum);
    if (desc->legacy) *factor = 1 / (sqrt(*sum) + 1e-10);
    return padici_wave_finite(*factor);
}

// sum |scale psi|^2.
static double padici_wave_norm_sum(padici_wave_each *job, const padic_jobs *jobs)
{
    double sum = 0;
    uint32_t i;
    padici_parallel(jobs, (uint32_t)job->tasks, padici_wave_norm_task, job);
    for (i = 0; i < job->tasks; i++) sum += job->sums[i];
    return sum;
}

// The power of 2 near the largest part of psi; 0 also where there is none, or no finite one.
static int padici_wave_norm_power(const padici_wave_each *job)
{
    double large = 0;
    uint64_t i;
    int power = 0;
    for (i = 0; i < job->count; i++) {
        const padici_complex z = padici_wave_each_get(job, i);
        if (!(fabs(z.re) <= large)) large = fabs(z.re);
        if (!(fabs(z.im) <= large)) large = fabs(z.im);
        if (!padici_wave_finite(large)) return 0;
    }
    if (large > 0) frexp(large, &power);
    return power < -1000 ? -1000 : power > 1000 ? 1000 : power;
}

static padic_result padici_wave_norm_bad(const padic_env *env)
{
    return padici_env_fail(env, PADIC_ERROR_DOMAIN,
                           "psi is 0 or not finite, or f64 does not hold its norm or the factor");
}

static padic_result padici_wave_normalise_host(const padic_env *env, const void *desc_)
{
    const padic_jobs *jobs = env ? env->jobs : NULL;
    const padic_wave_normalise_desc *desc = (const padic_wave_normalise_desc *)desc_;
    padici_wave_each job;
    double sum, norm;
    int power = 0;
    padici_wave_each_begin(&job, &desc->psi, &desc->psi);
    if (!job.count) return PADIC_OK;
    job.scale = 1;
    sum = padici_wave_norm_sum(&job, jobs);
    if (!(sum > 1e-270 && sum < 1e290)) { // squares lose digits, or are beyond F64
        power = padici_wave_norm_power(&job);
        job.scale = ldexp(1.0, -power);
        sum = padici_wave_norm_sum(&job, jobs);
    }
    if (!padici_wave_norm_factor(desc, &sum, &job.factor)) return padici_wave_norm_bad(env);
    norm = ldexp(sum, 2 * power);
    if (desc->norm && (!padici_wave_finite(norm) || (norm < DBL_MIN && power)))
        return padici_wave_norm_bad(env);
    if (desc->legacy && power) {
        job.scale = 1;
        job.factor = 1 / (ldexp(sqrt(sum), power) + 1e-10);
    }
    padici_parallel(jobs, (uint32_t)job.tasks, padici_wave_scale_task, &job);
    if (desc->norm) *desc->norm = norm;
    return PADIC_OK;
}

static int padici_wave_complex_type(const padic_tensor *t)
{
    return t->dtype == PADIC_C64 || t->dtype == PADIC_C128;
}

// out's shape is in's, with `more` axes.
static int padici_wave_same_shape(const padic_tensor *in, const padic_tensor *out, uint32_t more)
{
    uint32_t i;
    if (out->rank != in->rank + more) return 0;
    for (i = 0; i < in->rank; i++)
        if (in->shape[i] != out->shape[i]) return 0;
    return 1;
}

static padic_result padici_wave_observe_check(padic_context *context, const void *desc_)
{
    const padic_wave_observe_desc *desc = (const padic_wave_observe_desc *)desc_;
    if ((uint32_t)desc->emit > PADIC_WAVE_PHASE)
        return padici_wave_bad(context, PADIC_ERROR_ARGUMENT,
                               "emit is none, or RGBA8: that is wave_tonemap");
    if (!padici_wave_complex_type(&desc->psi))
        return padici_wave_bad(context, PADIC_ERROR_DTYPE, "psi is not c64 or c128");
    if (!padici_wave_real_type(&desc->out))
        return padici_wave_bad(context, PADIC_ERROR_DTYPE, "out is not f32 or f64");
    if (!padici_wave_same_shape(&desc->psi, &desc->out, 0))
        return padici_wave_bad(context, PADIC_ERROR_MISMATCH, "out has not psi's shape");
    return PADIC_OK;
}

static padic_result padici_wave_tonemap_check(padic_context *context, const void *desc_)
{
    const padic_wave_tonemap_desc *desc = (const padic_wave_tonemap_desc *)desc_;
    padic_wave_superpose_desc field;
    memset(&field, 0, sizeof field);
    field.emit = PADIC_WAVE_RGBA8;
    field.tone = desc->tone;
    if (!padici_wave_complex_type(&desc->field) && !padici_wave_real_type(&desc->field))
        return padici_wave_bad(context, PADIC_ERROR_DTYPE, "field is not f32, f64, c64 or c128");
    if (desc->out.dtype != PADIC_U8)
        return padici_wave_bad(context, PADIC_ERROR_DTYPE, "out is not u8");
    if (!padici_wave_same_shape(&desc->field, &desc->out, 1) ||
        desc->out.shape[desc->field.rank] != 4)
        return padici_wave_bad(context, PADIC_ERROR_MISMATCH,
                               "out has not field's shape and a last axis of 4");
    if (desc->tone.map == PADIC_WAVE_HUE && padici_wave_real_type(&desc->field))
        return padici_wave_bad(context, PADIC_ERROR_ARGUMENT,
                               "tone.map is HUE, but field is not complex");
    return padici_wave_check_tone(context, &field);
}

static padic_result padici_wave_normalise_check(padic_context *context, const void *desc_)
{
    const padic_wave_normalise_desc *desc = (const padic_wave_normalise_desc *)desc_;
    if (!padici_wave_complex_type(&desc->psi))
        return padici_wave_bad(context, PADIC_ERROR_DTYPE, "psi is not c64 or c128");
    if (!(desc->target >= 0) || !padici_wave_finite(desc->target))
        return padici_wave_bad(context, PADIC_ERROR_ARGUMENT, "target is negative or not finite");
    if (!(desc->volume >= 0) || !padici_wave_finite(desc->volume))
        return padici_wave_bad(context, PADIC_ERROR_ARGUMENT, "volume is negative or not finite");
    if (desc->legacy > 1)
        return padici_wave_bad(context, PADIC_ERROR_ARGUMENT, "legacy is not 0 or 1");
    if (desc->legacy && ((desc->target != 0 && desc->target != 1) ||
                         (desc->volume != 0 && desc->volume != 1)))
        return padici_wave_bad(context, PADIC_ERROR_ARGUMENT,
                               "legacy goes with target and volume of 0 or 1");
    return PADIC_OK;
}

// room: src/wave/ops.c
// ------------------------------------------------------------------------------ >>wave operations

// wave_superpose

// Points and sources.
static uint32_t padici_wave_inputs(padic_wave_superpose_desc *desc, padici_operand *operands)
{
    static const char *const names[7] = {"points",     "sources",   "amplitude", "phase",
                                         "wavenumber", "frequency", "absorption"};
    padic_tensor *inputs[7];
    uint32_t i, n = 0;
    inputs[0] = &desc->points;
    inputs[1] = &desc->sources;
    inputs[2] = &desc->amplitude;
    inputs[3] = &desc->phase;
    inputs[4] = &desc->wavenumber;
    inputs[5] = &desc->frequency;
    inputs[6] = &desc->absorption;
    for (i = 0; i < 7; i++) {
        if (inputs[i]->dtype == PADIC_DTYPE_NONE) continue;
        operands[n].name = names[i];
        operands[n].tensor = inputs[i];
        operands[n++].any_stride = 1;
    }
    return n;
}

static uint32_t padici_wave_superpose_operands(void *desc_, padici_operand *operands)
{
    padic_wave_superpose_desc *desc = (padic_wave_superpose_desc *)desc_;
    const uint32_t n = padici_wave_inputs(desc, operands);
    operands[n].name = "out";
    operands[n].tensor = &desc->out;
    operands[n].out = desc->flags & PADIC_WAVE_ACCUMULATE ? 2 : 1;
    return n + 1;
}

// wave_frames

static uint32_t padici_wave_frames_operands(void *desc_, padici_operand *operands)
{
    padic_wave_frames_desc *desc = (padic_wave_frames_desc *)desc_;
    padic_tensor *inputs[2];
    uint32_t i, n = padici_wave_inputs(&desc->field, operands);
    inputs[0] = &desc->times;
    inputs[1] = &desc->drive;
    for (i = 0; i < 2; i++) {
        if (inputs[i]->dtype == PADIC_DTYPE_NONE) continue;
        operands[n].name = i ? "drive" : "times";
        operands[n].tensor = inputs[i];
        operands[n++].any_stride = 1;
    }
    if (desc->field.out.dtype != PADIC_DTYPE_NONE) {
        operands[n].name = "field.out";
        operands[n].tensor = &desc->field.out;
        operands[n++].out = desc->field.flags & PADIC_WAVE_ACCUMULATE ? 2 : 1;
    }
    if (desc->mean_intensity.dtype == PADIC_DTYPE_NONE) return n;
    operands[n].name = "mean_intensity";
    operands[n].tensor = &desc->mean_intensity;
    operands[n].out = 1;
    return n + 1;
}

// wave_gradient

static uint32_t padici_wave_gradient_operands(void *desc_, padici_operand *operands)
{
    padic_wave_gradient_desc *desc = (padic_wave_gradient_desc *)desc_;
    const uint32_t out = desc->field.flags & PADIC_WAVE_ACCUMULATE ? 2 : 1;
    uint32_t n = padici_wave_inputs(&desc->field, operands);
    if (desc->field.out.dtype != PADIC_DTYPE_NONE) {
        operands[n].name = "field.out";
        operands[n].tensor = &desc->field.out;
        operands[n++].out = out;
    }
    operands[n].name = "out";
    operands[n].tensor = &desc->out;
    operands[n].out = out;
    return n + 1;
}

// wave_observe, wave_tonemap, wave_normalise

static uint32_t padici_wave_observe_operands(void *desc_, padici_operand *operands)
{
    padic_wave_observe_desc *desc = (padic_wave_observe_desc *)desc_;
    operands[0].tensor = &desc->psi;
    operands[0].any_stride = 1;
    operands[0].name = "psi";
    operands[1].name = "out";
    operands[1].tensor = &desc->out;
    operands[1].out = 1;
    return 2;
}

static uint32_t padici_wave_tonemap_operands(void *desc_, padici_operand *operands)
{
    padic_wave_tonemap_desc *desc = (padic_wave_tonemap_desc *)desc_;
    operands[0].tensor = &desc->field;
    operands[0].any_stride = 1;
    operands[0].name = "field";
    operands[1].name = "out";
    operands[1].tensor = &desc->out;
    operands[1].out = 1;
    return 2;
}

static uint32_t padici_wave_normalise_operands(void *desc_, padici_operand *operands)
{
    operands[0].name = "psi";
    operands[0].tensor = &((padic_wave_normalise_desc *)desc_)->psi;
    operands[0].out = 2;
    return 1;
}

// wave_vortex

static uint32_t padici_wave_vortex_operands(void *desc_, padici_operand *operands)
{
    padic_wave_vortex_desc *desc = (padic_wave_vortex_desc *)desc_;
    static const char *const names[6] = {"points", "centres", "axes", "charges", "cores", "psi"};
    padic_tensor *inputs[6];
    uint32_t i, n = 0;
    inputs[0] = &desc->points;
    inputs[1] = &desc->centres;
    inputs[2] = &desc->axes;
    inputs[3] = &desc->charges;
    inputs[4] = &desc->cores;
    inputs[5] = &desc->psi;
    for (i = 0; i < 6; i++) {
        if (inputs[i]->dtype == PADIC_DTYPE_NONE) continue;
        operands[n].name = names[i];
        operands[n].tensor = inputs[i];
        operands[n++].any_stride = 1;
    }
    operands[n].name = "out";
    operands[n].tensor = &desc->out;
    operands[n].out = 1;
    return n + 1;
}

// wave_phase_gradient

static uint32_t padici_wave_phase_gradient_operands(void *desc_, padici_operand *operands)
{
    padic_wave_phase_gradient_desc *desc = (padic_wave_phase_gradient_desc *)desc_;
    operands[0].tensor = &desc->psi;
    operands[0].any_stride = 1;
    operands[0].name = "psi";
    operands[1].name = "out";
    operands[1].tensor = &desc->out;
    operands[1].out = 1;
    return 2;
}

// wave_winding

static uint32_t padici_wave_winding_operands(void *desc_, padici_operand *operands)
{
    padic_wave_winding_desc *desc = (padic_wave_winding_desc *)desc_;
    operands[0].tensor = &desc->psi;
    operands[0].any_stride = 1;
    operands[0].name = "psi";
    operands[1].name = "map";
    operands[1].tensor = &desc->map;
    operands[1].out = 1;
    return desc->map.dtype == PADIC_DTYPE_NONE ? 1 : 2;
}
// room: src/padic_wave.in.h:24
#endif // PADICI_AREAS_IMPLEMENTATION

#endif // PADIC_HEADER
