// padic_wave.h: waves. padic.h includes it when it lies beside it.
// Part of padic.h 0.1.0; MIT or Unlicense.
//
// >>contents: search for the tag
//
//     >>wave API          superposition, its bound
//     >>wave impl         the plain reference
//     >>wave operations   its rows of the op table in padic.h

#ifndef PADIC_HEADER
#include "padic.h" // which includes this file where it belongs
#else

#ifndef PADIC_WAVE_H
#define PADIC_WAVE_H

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
    // r = 0 (r^2 below the smallest normal number) is left out and counted in `coincident`; for
    // GREEN1, which is regular there, it is not.
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
// w/c; only k: w = c k; neither is an error. w t + p is reduced modulo a turn in f64, so t may be
// large. A tensor of rank 0 is one value for all sources. Input strides may be 0 or negative.
//
// Accuracy. The CPU computes in f64 and rounds once. A device computes c128, f64 in f64, the rest
// in f32 on tiles, with a phase error of at most `tolerance` turns at any distance up to 1e7
// wavelengths (k r in plain f32 loses a digit a decade); |d psi| <= sum (2 pi tolerance + 2e-6 +
// 2^-22 R/r_m) |A_m|/r_m, R the extent of a tile, of listed points that of all points: the last
// term is for points that all but touch a source. D1 on a device, D2 across devices.
//
// Errors, before anything is written: ARGUMENT, MISMATCH (shapes), DTYPE, LIMIT, OVERLAP; DOMAIN (k
// = 0 for GREEN1, GREEN2); NOT_FINITE (positions, k, w, time); NOT_SUPPORTED (tolerance below 2e-7
// for f32: use c128). M = 0 gives a field of 0; with N = 0 nothing is written.
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
#endif // PADIC_WAVE_H

#ifdef PADICI_AREAS_IMPLEMENTATION

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
    padici_wave_slice *slices;
    uint64_t slice_count;
} padici_wave_job;

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

static void padici_wave_source_get(const padic_wave_superpose_desc *desc, uint64_t i,
                                   padici_wave_source *source)
{
    const double speed = desc->speed > 0 ? desc->speed : 1;
    int64_t stride[PADIC_MAX_RANK];
    double frequency = padici_wave_value(&desc->frequency, i, 0), turns;
    padici_tensor_dense(&desc->sources, stride);
    padici_wave_position(&desc->sources, stride, i, source->at);
    source->amplitude = padici_wave_value(&desc->amplitude, i, 1);
    source->absorption = padici_wave_value(&desc->absorption, i, 0);
    source->wavenumber = padici_wave_value(&desc->wavenumber, i, frequency / speed);
    if (desc->frequency.dtype == PADIC_DTYPE_NONE) frequency = speed * source->wavenumber;
    turns = frequency * desc->time;
    turns = desc->sign == PADIC_WAVE_INCOMING ? turns : -turns;
    turns = (turns + padici_wave_value(&desc->phase, i, 0)) / PADICI_TWO_PI;
    source->phase = (turns - floor(turns)) * PADICI_TWO_PI;
}

// J0 and Y0 for 0 < x < 25, by the recurrence run downwards (Miller), which is stable:
// J0 + 2 (J2 + J4 + ...) = 1, Y0 = 2/pi ((ln(x/2) + gamma) J0 + 2 (J2 - J4/2 + J6/3 - ...)).
static padici_complex padici_wave_bessel(double x)
{
    const double gamma = 0.5772156649015328606;
    const int top = x < 1 ? 24 : 64;
    double above = 0, here = 1e-250, below, norm = 0, sum = 0;
    padici_complex h;
    int n;
    if (x < 1e-8) { // x^2/4 is lost beside 1
        h.re = 1;
        h.im = 4 / PADICI_TWO_PI * (log(x / 2) + gamma);
        return h;
    }
    for (n = top; n > 0; n--) { // here = J_n
        if (!(n & 1)) {
            norm += 2 * here;
            sum += (n & 2 ? 4 : -4) * here / n;
        }
        below = 2 * n / x * here - above;
        above = here;
        here = below;
        if (fabs(here) > 1e200) { // only ratios matter
            here *= 1e-250;
            above *= 1e-250;
            norm *= 1e-250;
            sum *= 1e-250;
        }
    }
    norm += here;
    h.re = here / norm;
    h.im = 4 / PADICI_TWO_PI * ((log(x / 2) + gamma) * h.re + sum / norm);
    return h;
}

// H0^(1)(x) e^{-ix} for x >= 25: sqrt(2/(pi x)) e^{-i pi/4} sum a_j (-i/x)^j with
// a_j = a_(j-1) (2j - 1)^2/(8j) (Abramowitz and Stegun 9.2.7), until a term is below rounding.
static padici_complex padici_wave_hankel(double x)
{
    const double size = sqrt(4 / (PADICI_TWO_PI * x) / 2); // with the sqrt(1/2) of e^{-i pi/4}
    double term = 1, p = 1, q = 0;
    padici_complex h;
    int j;
    for (j = 1; j < 50 && term > 1e-18; j++) {
        term *= (2.0 * j - 1) * (2.0 * j - 1) / (8.0 * j * x);
        if (j & 1)
            q += j & 2 ? term : -term;
        else
            p += j & 2 ? -term : term;
    }
    h.re = size * (p + q); // (p + iq)(1 - i)
    h.im = size * (q - p);
    return h;
}

// The field of a source of amplitude 1 and phase 0 at distance r.
static padici_complex padici_wave_green2(double k, double r)
{
    const double x = fabs(k) * r;
    padici_complex h = x < 25 ? padici_wave_bessel(x) : padici_wave_hankel(x), g;
    if (x >= 25) {
        const double c = cos(x), s = sin(x);
        g.re = h.re * c - h.im * s;
        h.im = h.re * s + h.im * c;
        h.re = g.re;
    }
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

// Adds one source to a sum; 1 if it lies on the point and was left out.
static int padici_wave_pair(const padici_wave_job *job, const padici_wave_source *source,
                            const double at[3], padici_complex *sum)
{
    const padic_wave_superpose_desc *desc = job->desc;
    const double x = at[0] - source->at[0], y = at[1] - source->at[1], z = at[2] - source->at[2];
    const double r2 = x * x + y * y + z * z, a = job->length;
    double r = sqrt(r2), size, c, s;
    padici_complex g;
    if (desc->softening == PADIC_WAVE_SOFTEN_NONE && r2 < DBL_MIN &&
        desc->kernel != PADIC_WAVE_GREEN1)
        return 1;
    if (desc->softening == PADIC_WAVE_PLUMMER_BOTH) r = sqrt(r2 + a * a);
    if (desc->softening == PADIC_WAVE_CLAMP && r < a) r = a;
    g = padici_wave_green(desc, a, source->wavenumber, r);
    size = source->amplitude * (source->absorption != 0 ? exp(-source->absorption * r) : 1);
    c = size * cos(source->phase);
    s = size * sin(source->phase);
    sum->re += g.re * c - g.im * s;
    if (desc->sign == PADIC_WAVE_CONJUGATE)
        sum->im -= g.re * s + g.im * c;
    else
        sum->im += g.re * s + g.im * c;
    return 0;
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

static double padici_wave_real(padic_wave_emit emit, padici_complex psi)
{
    switch (emit) {
    case PADIC_WAVE_REAL: return psi.re;
    case PADIC_WAVE_AMPLITUDE: return sqrt(psi.re * psi.re + psi.im * psi.im);
    case PADIC_WAVE_PHASE: return psi.re == 0 && psi.im == 0 ? 0 : atan2(psi.im, psi.re);
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

static void padici_wave_store(const padici_wave_job *job, padici_wave_slice *slice, uint64_t i,
                              padici_complex psi)
{
    const padic_wave_superpose_desc *desc = job->desc;
    const int64_t at = (int64_t)(i % job->count[2]) * job->stride[2] +
                       (int64_t)(i / job->count[2] % job->count[1]) * job->stride[1] +
                       (int64_t)(i / job->count[2] / job->count[1]) * job->stride[0];
    char *to = (char *)desc->out.data + at * (int64_t)padic_dtype_size(desc->out.dtype);
    double pair[2];
    float single[2];
    if (desc->emit == PADIC_WAVE_RGBA8) {
        padici_wave_store_rgba(job, slice, psi, to);
        return;
    }
    pair[0] = psi.re;
    pair[1] = psi.im;
    if (desc->emit != PADIC_WAVE_COMPLEX) pair[0] = padici_wave_real(desc->emit, psi);
    if (desc->flags & PADIC_WAVE_ACCUMULATE) {
        if (desc->out.dtype == PADIC_C128) {
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
    switch (desc->out.dtype) {
    case PADIC_C128: memcpy(to, pair, 16); break;
    case PADIC_F64: memcpy(to, pair, 8); break;
    case PADIC_C64: memcpy(to, single, 8); break;
    default: memcpy(to, single, 4); break;
    }
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

static void padici_wave_task(void *arg, uint32_t task)
{
    const padici_wave_job *job = (const padici_wave_job *)arg;
    const uint64_t each = job->passes / job->slice_count, more = job->passes % job->slice_count;
    uint64_t pass = each * task + (task < more ? task : more);
    const uint64_t end = pass + each + (task < more);
    padici_wave_slice *slice = &job->slices[task];
    for (; pass < end; pass++) {
        const uint64_t first = pass * PADICI_WAVE_POINTS, left = job->points - first;
        padici_wave_pass(job, slice, first,
                         left < PADICI_WAVE_POINTS ? (uint32_t)left : PADICI_WAVE_POINTS);
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
    padici_tensor_dense(&desc->out, stride);
    for (i = 0; i < 3; i++) job->count[i] = 1;
    for (i = 0; i < rank; i++) { // a list is a grid of one axis
        job->count[i] = desc->out.shape[i];
        job->stride[i] = stride[i];
        job->points *= job->count[i];
    }
    job->stride[3] = stride[rank];
    if (desc->points.dtype != PADIC_DTYPE_NONE) {
        padici_tensor_dense(&desc->points, stride);
        job->point_stride[0] = stride[0];
        job->point_stride[1] = stride[1];
    }
    padici_wave_steps(&desc->grid, job->step);
    padici_wave_tone_range(&desc->tone, &job->low, &job->high);
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

// How long the longest way from a source to a point is, in wavelengths, and the largest phase that
// time adds, in turns.
static void padici_wave_extent(const padic_wave_superpose_desc *desc, double *turns, double *time)
{
    double points[2][3] = {{0, 0, 0}, {0, 0, 0}}, sources[2][3] = {{0, 0, 0}, {0, 0, 0}}, r2 = 0;
    double wavenumber = 0, frequency = 0, phase = 0, a = padici_wave_length(desc);
    const double speed = desc->speed > 0 ? desc->speed : 1;
    uint64_t i;
    uint32_t j;
    if (desc->points.dtype != PADIC_DTYPE_NONE)
        padici_wave_box(&desc->points, points);
    else
        padici_wave_box_grid(&desc->grid, points);
    padici_wave_box(&desc->sources, sources);
    for (j = 0; j < 3; j++) {
        const double x = fabs(points[1][j] - sources[0][j]), y = fabs(sources[1][j] - points[0][j]);
        r2 += x > y ? x * x : y * y;
    }
    for (i = 0; i < desc->sources.shape[0]; i++) {
        const double w = padici_wave_value(&desc->frequency, i, 0);
        const double k = fabs(padici_wave_value(&desc->wavenumber, i, w / speed));
        const double own = desc->frequency.dtype != PADIC_DTYPE_NONE ? fabs(w) : k * speed;
        const double p = fabs(padici_wave_value(&desc->phase, i, 0));
        if (k > wavenumber) wavenumber = k;
        if (own > frequency) frequency = own;
        if (p > phase) phase = p;
    }
    *turns = wavenumber * sqrt(r2 + a * a) / PADICI_TWO_PI;
    *time = (frequency * fabs(desc->time) + phase) / PADICI_TWO_PI;
}

// In f64: roundings of the differences, the sum, the root, k r and the sum of phases; those of
// w t + p before it is reduced; and that of the reduced phase itself.
static double padici_wave_bound_f64(double turns, double time)
{
    return (4 * turns + 3 * time + 1) * 1.12e-16;
}

#define PADICI_WAVE_DIRECT 6e-7 // turns a wavelength of distance, when k r is computed in f32

// In f32 each pair takes a way that keeps `tolerance` (see padic_gpu.h), or two-word arithmetic.
static double padici_wave_bound_f32(double turns, double time, double tolerance)
{
    const double direct = PADICI_WAVE_DIRECT * turns + 5e-8;
    double bound = 4e-8 + 1.6e-14 * turns; // two words: 48 bits
    if (tolerance > bound) bound = tolerance;
    if (direct < bound) bound = direct;
    return bound + 5e-14 * time; // w t, in two words of f32
}

static int padici_wave_is_f64(const padic_wave_superpose_desc *desc)
{
    return desc->out.dtype == PADIC_C128 || desc->out.dtype == PADIC_F64;
}

static padic_result padici_wave_check_values(padic_context *context,
                                             const padic_wave_superpose_desc *desc);

static padic_result padici_wave_superpose_host(const padic_jobs *jobs, const void *desc_)
{
    const padic_wave_superpose_desc *desc = (const padic_wave_superpose_desc *)desc_;
    padici_wave_slice slices[PADICI_WAVE_SLICES];
    padici_wave_job job;
    double turns, time, range[2] = {DBL_MAX, -DBL_MAX};
    uint64_t coincident = 0;
    uint32_t i;
    padic_result result = desc->flags & PADIC_WAVE_CHECK_FINITE
                              ? padici_wave_check_values(NULL, desc)
                              : PADIC_OK;
    if (result) return result;
    padici_wave_job_begin(&job, desc);
    if (!job.points) return PADIC_OK;
    job.slices = slices;
    for (i = 0; i < job.slice_count; i++) {
        slices[i].coincident = 0;
        slices[i].low = range[0];
        slices[i].high = range[1];
    }
    padici_parallel(jobs, (uint32_t)job.slice_count, padici_wave_task, &job);
    for (i = 0; i < job.slice_count; i++) {
        coincident += slices[i].coincident;
        if (slices[i].low < range[0]) range[0] = slices[i].low;
        if (slices[i].high > range[1]) range[1] = slices[i].high;
    }
    if (desc->coincident) *desc->coincident = coincident;
    if (desc->emit == PADIC_WAVE_RGBA8 && desc->tone.range) {
        desc->tone.range[0] = range[0] > range[1] ? 0 : range[0];
        desc->tone.range[1] = range[0] > range[1] ? 0 : range[1];
    }
    if (desc->bound) {
        padici_wave_extent(desc, &turns, &time);
        *desc->bound = job.sources ? padici_wave_bound_f64(turns, time) : 0;
    }
    return PADIC_OK;
}

// Checks of the desc, in the order of its fields. Each says what is wrong.

static padic_result padici_wave_bad(padic_context *context, padic_result result,
                                    const char *sentence)
{
    char space[160];
    padici_text text;
    padici_text_begin(&text, space, sizeof space);
    padici_text_add(&text, "wave_superpose: ");
    padici_text_add(&text, sentence);
    return padici_fail(context, result, space);
}

static int padici_wave_finite(double x)
{
    return x - x == 0;
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
        return padici_wave_bad(context, PADIC_ERROR_ARGUMENT, "neither wavenumber nor frequency");
    return PADIC_OK;
}

static padic_result padici_wave_check_points(padic_context *context,
                                             const padic_wave_superpose_desc *desc)
{
    const padic_wave_grid *grid = &desc->grid;
    const uint32_t dimensions = padici_wave_dimensions(desc);
    const int listed = desc->points.dtype != PADIC_DTYPE_NONE;
    const int gridded = grid->count[0] || grid->count[1] || grid->count[2];
    uint32_t i, j;
    int fine = 1;
    if (listed == gridded)
        return padici_wave_bad(context, PADIC_ERROR_ARGUMENT,
                               listed ? "both points and grid" : "neither points nor grid");
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
    return fine ? PADIC_OK
                : padici_wave_bad(context, PADIC_ERROR_NOT_FINITE, "grid is not finite");
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
        return padici_wave_bad(context, PADIC_ERROR_ARGUMENT, "length is 0");
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
        return padici_wave_bad(context, PADIC_ERROR_ARGUMENT, "tone has an unknown enum");
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
        return padici_wave_bad(context, argument, "kernel is unknown");
    if ((uint32_t)desc->sign > PADIC_WAVE_INCOMING)
        return padici_wave_bad(context, argument, "sign is unknown");
    if ((uint32_t)desc->softening > PADIC_WAVE_CLAMP)
        return padici_wave_bad(context, argument, "softening is unknown");
    if ((uint32_t)desc->emit > PADIC_WAVE_RGBA8)
        return padici_wave_bad(context, argument, "emit is unknown");
    if (desc->flags & ~(uint32_t)(PADIC_WAVE_ACCUMULATE | PADIC_WAVE_CHECK_FINITE))
        return padici_wave_bad(context, argument, "flags has an unknown bit");
    if ((desc->flags & PADIC_WAVE_ACCUMULATE) && desc->emit != PADIC_WAVE_COMPLEX)
        return padici_wave_bad(context, argument, "ACCUMULATE goes with COMPLEX only");
    if (!(desc->speed >= 0) || !padici_wave_finite(desc->speed))
        return padici_wave_bad(context, argument, "speed is negative or not finite");
    if (!padici_wave_finite(desc->time))
        return padici_wave_bad(context, PADIC_ERROR_NOT_FINITE, "time is not finite");
    if (!(desc->length >= 0) || !padici_wave_finite(desc->length))
        return padici_wave_bad(context, argument, "length is negative or not finite");
    if (!(desc->tolerance >= 0) || !padici_wave_finite(desc->tolerance))
        return padici_wave_bad(context, argument, "tolerance is negative or not finite");
    if (desc->tolerance > 0 && desc->tolerance < 2e-7 && !padici_wave_is_f64(desc))
        return padici_wave_bad(context, PADIC_ERROR_NOT_SUPPORTED,
                               "tolerance below 2e-7 turns needs f64: let out be c128 or f64");
    return PADIC_OK;
}

static padic_result padici_wave_check_finite(padic_context *context, const padic_tensor *t,
                                             const char *sentence)
{
    const uint64_t rows = t->rank ? t->shape[0] : 1;
    int64_t stride[PADIC_MAX_RANK];
    uint64_t i;
    double at[3];
    if (!t->data || t->dtype == PADIC_DTYPE_NONE) return PADIC_OK;
    padici_tensor_dense(t, stride);
    for (i = 0; i < rows; i++) {
        if (t->rank > 1) {
            padici_wave_position(t, stride, i, at);
        } else {
            at[0] = padici_wave_value(t, i, 0);
            at[1] = at[2] = 0;
        }
        if (!padici_wave_finite(at[0]) || !padici_wave_finite(at[1]) || !padici_wave_finite(at[2]))
            return padici_wave_bad(context, PADIC_ERROR_NOT_FINITE, sentence);
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
    result = padici_wave_check_finite(context, &desc->points, "points is not finite");
    if (!result)
        result = padici_wave_check_finite(context, &desc->sources, "sources is not finite");
    if (!result) result = padici_wave_check_finite(context, k, "wavenumber is not finite");
    if (!result) result = padici_wave_check_finite(context, w, "frequency is not finite");
    for (i = 0; waves && of->data && i < n && !result; i++)
        if (padici_wave_value(of, i, 0) == 0)
            result = padici_wave_bad(context, PADIC_ERROR_DOMAIN,
                                     "wavenumber 0 has no wave in one or two dimensions");
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

PADIC_API padic_result padic_wave_bound(padic_context *context,
                                        const padic_wave_superpose_desc *desc, double *bound)
{
    const padic_tensor *tensors[5];
    double turns, time;
    uint64_t count;
    uint32_t i;
    padic_result result;
    if (!desc || !bound) return padici_fail(context, PADIC_ERROR_ARGUMENT, "wave_bound: NULL");
    tensors[0] = &desc->points;
    tensors[1] = &desc->sources;
    tensors[2] = &desc->wavenumber;
    tensors[3] = &desc->frequency;
    tensors[4] = &desc->phase;
    for (i = 0; i < 5; i++) {
        if (tensors[i]->dtype == PADIC_DTYPE_NONE) continue;
        result = padici_tensor_check_view(tensors[i], 1, &count);
        if (result) return padici_fail(context, result, padic_result_text(result));
        if (count && !tensors[i]->data)
            return padici_fail(context, PADIC_ERROR_NOT_SUPPORTED,
                               "wave_bound: positions and wavenumbers must lie in host memory");
    }
    result = padici_wave_superpose_check(context, desc);
    if (result) return result;
    *bound = 0;
    if (!desc->sources.shape[0]) return PADIC_OK;
    padici_wave_extent(desc, &turns, &time);
    *bound = padici_wave_is_f64(desc)
                 ? padici_wave_bound_f64(turns, time)
                 : padici_wave_bound_f32(turns, time, desc->tolerance > 0 ? desc->tolerance : 2e-6);
    return PADIC_OK;
}

// ------------------------------------------------------------------------------ >>wave operations

// wave_superpose

static uint32_t padici_wave_superpose_operands(void *desc_, padici_operand *operands)
{
    padic_wave_superpose_desc *desc = (padic_wave_superpose_desc *)desc_;
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
        operands[n].tensor = inputs[i];
        operands[n++].any_stride = 1;
    }
    operands[n].tensor = &desc->out;
    operands[n].out = desc->flags & PADIC_WAVE_ACCUMULATE ? 2 : 1;
    return n + 1;
}
#endif // PADICI_AREAS_IMPLEMENTATION

#endif // PADIC_HEADER
