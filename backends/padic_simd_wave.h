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

// room: src/simd/wave/tiles.c
#define PADICI_TILE_POINTS 256u
#define PADICI_TILE_SOURCES 64u // summed in f32
#define PADICI_TILE_CLOSE 1e-24 // r^2 below which slopes are the reference's, at least

// A source as a tile sees it. direct: at = D. mid: at = 2 D.
typedef struct padici_tile_source {
    float at[3], wave;  // k in half-turns a length
    float phase, size;  // in half-turns; amplitude
    float r0, r2;       // mid: with the softening in it
    uint32_t source, pad[3];
} padici_tile_source;

typedef struct padici_tile_far {
    float at[3], square; // E = 2D/r0^2; 1/r0^2
    float phase[5], size[5]; // coefficients of u^0 to u^4, in half-turns and of the amplitude
    uint32_t pad[2];
} padici_tile_far;

// Half-turns from row to row: of the centre, and k times the step; the square of r0.
typedef struct padici_tile_rows {
    padici_tile_far far_;
    float turn, wave, slant, reach, r2; // r0 along rows: reach; slant: step reach/r0
    uint32_t pad[3];
} padici_tile_rows;

typedef struct padici_tile_wide {
    double at[3], wave, phase, size; // turns
    uint32_t source, pad[3];
} padici_tile_wide;

typedef struct padici_tile {
    float d[4][PADICI_TILE_POINTS]; // from the centre; d.d
    double at[3][PADICI_TILE_POINTS], total[2][PADICI_TILE_POINTS], centre[3], radius;
    uint64_t index[PADICI_TILE_POINTS]; // of the point, in C order
    uint32_t points, vectors;    // vectors: points in whole groups of kernels, the last repeated
    uint32_t soft, root;         // PADICI_TILE_..., and whether the amplitude is the root of 1/r
    float add, least, widen;     // r^2 = max(r^2 + add, least); r^2 + widen below the amplitude
    double wide_add, wide_least, wide_widen, wide_inside; // the last: r^2 without a slope below it
    padici_tile_source direct[PADICI_TILE_SOURCES], mid[PADICI_TILE_SOURCES];
    padici_tile_wide wide[PADICI_TILE_SOURCES];
    padici_tile_far far_[PADICI_TILE_SOURCES];
    padici_tile_rows rows[PADICI_TILE_SOURCES];
    uint32_t count[5]; // of each
    // A whole tile of a grid: rows of `row` points each, `step` apart, and how far points lie along
    // the way from row to row.
    uint32_t row, row_count; // row_count 0: not a whole one
    double way[3], step;
    float along[PADICI_TILE_POINTS];
    uint32_t bad;      // a vector of the last kernel had a pair too close
    // Frames: waves of each frequency (re of all points, im of all), factors of a frame, its sums,
    // and where points lie in out.
    uint64_t groups;
    float *waves;
    const float *factors;
    float frame[2][PADICI_TILE_POINTS];
    int64_t place[PADICI_TILE_POINTS];
    // Gradients: its sums, re and im of x, y, z; r^2 below which f32 is not enough for a slope.
    double slope[6][PADICI_TILE_POINTS];
    float close;
} padici_tile;

enum { PADICI_TILE_NONE, PADICI_TILE_SOFT, PADICI_TILE_PLUMMER };

typedef void (*padici_tile_kernel)(padici_tile *t);

typedef struct padici_wave_tiles {
    padici_wave_job job;
    const padic_wave_superpose_desc *desc;
    padici_tile_kernel kernels[6]; // direct, mid, wide (of slopes for a gradient), far, rows; frame
    double *sources;               // six rows: x, y, z, k in turns, phase in turns, amplitude
    padici_tile *tiles;            // one a task
    double *bounds;                // one a task
    uint64_t tile_count, tasks, grid_tiles[3];
    uint32_t log[3]; // points of a tile of a grid by axis, as a power of two
    double tolerance, place; // turns; what f64 leaves of a grid's points, in lengths
    int listed;
    const padici_wave_frames *frames; // or NULL; then rows of sources are in the order of its rates
    float *factors;                   // (F, K) pairs
    const padici_wave_slopes *slopes; // or NULL
} padici_wave_tiles;

// Vortices along +z, on a block of points: positions in two words of f32, so that differences near
// to a line keep their digits, and the product so far.
#define PADICI_VORTEX_POINTS 64u

typedef struct padici_vortex_line {
    float at[3][2], core, part, sign; // part: 1/core; sign: of the charge
    uint32_t charge;
} padici_vortex_line;

typedef struct padici_vortex_block {
    float at[3][2][PADICI_VORTEX_POINTS], psi[2][PADICI_VORTEX_POINTS];
    const padici_vortex_line *line;
    uint64_t lines;
    uint32_t points, bad; // bad: a bit for each 4 points where f32 is not enough
    padic_wave_core core;
} padici_vortex_block;

typedef void (*padici_vortex_kernel)(padici_vortex_block *b);

#define PADICI_FIELD_ROW 64u // elements at a time

// A row of a field, or several that are looked at together.
typedef struct padici_field_row {
    const float *z[4]; // complex, or real
    float *out;
    double *sums, *seen;
    int32_t *bytes[3];
    uint16_t *marks[3]; // a bit an element
    double factor, low, high;
    uint32_t count, what, curve, map, real;
    uint32_t odd; // not 0: something is not finite, and the row is for the reference
} padici_field_row;

typedef void (*padici_field_kernel)(padici_field_row *f);

#define PADICI_WPASTE(a, b) padici_tile_##a##_##b
#define PADICI_WNAME(a, b) PADICI_WPASTE(a, b)
#define PADICI_WK(name) PADICI_WNAME(name, PADICI_ISA) // padici_tile_name_avx2

#if PADICI_SIMD_X86
#define PADICI_ISA avx2
#define PADICI_ISA_LEVEL 2
#include "padic_simd_wave.h"
#define PADICI_ISA avx512
#define PADICI_ISA_LEVEL 3
#include "padic_simd_wave.h"
#elif PADICI_SIMD_ARM
#define PADICI_ISA neon
#define PADICI_ISA_LEVEL 1
#include "padic_simd_wave.h"
#endif

#if PADICI_SIMD_X86 || PADICI_SIMD_ARM
// A tile of a grid has about the same extent along each axis.
static void padici_tiles_cut(padici_wave_tiles *w)
{
    double extent[3];
    uint32_t a, i, best;
    w->listed = w->desc->points.dtype != PADIC_DTYPE_NONE;
    for (a = 0; a < 3; a++) {
        const double *s = w->job.step[a];
        extent[a] = sqrt(s[0] * s[0] + s[1] * s[1] + s[2] * s[2]);
        w->log[a] = 0;
    }
    for (i = 0; i < 8; i++) {
        for (a = best = 3; a-- > 0;)
            if (w->job.count[a] >> w->log[a] > 1 && (best == 3 || extent[a] < extent[best]))
                best = a;
        if (w->listed || best == 3) best = 0;
        w->log[best]++;
        extent[best] *= 2;
    }
    w->tile_count = 1;
    for (a = 0; a < 3; a++) {
        w->grid_tiles[a] = (w->job.count[a] + (UINT64_C(1) << w->log[a]) - 1) >> w->log[a];
        w->tile_count *= w->grid_tiles[a];
    }
}

// Coordinate `axis` of n listed points.
static void padici_tile_column(const padici_wave_tiles *w, uint32_t axis, uint64_t first,
                               uint32_t n, double *to)
{
    const padic_tensor *points = &w->desc->points;
    const int64_t step = w->job.point_stride[0], size = (int64_t)padic_dtype_size(points->dtype);
    const char *from = (const char *)points->data +
                       ((int64_t)first * step + (int64_t)axis * w->job.point_stride[1]) * size;
    uint32_t i;
    if (axis >= points->shape[1]) {
        for (i = 0; i < n; i++) to[i] = 0;
    } else if (points->dtype == PADIC_F64) {
        for (i = 0; i < n; i++) memcpy(&to[i], from + (int64_t)i * step * 8, 8);
    } else {
        for (i = 0; i < n; i++) {
            float single;
            memcpy(&single, from + (int64_t)i * step * 4, 4);
            to[i] = (double)single;
        }
    }
}

// The axis that most points of a tile of a grid lie along, which has its rows behind each other.
static uint32_t padici_tiles_slow(const padici_wave_tiles *w)
{
    uint32_t a, slow = 0;
    for (a = 1; a < 3; a++)
        if (w->log[a] > w->log[slow]) slow = a;
    return slow;
}

// Indices and positions of the points of tile `number`.
static void padici_tile_points(const padici_wave_tiles *w, uint64_t number, padici_tile *t)
{
    const padic_wave_superpose_desc *desc = w->desc;
    const uint64_t *count = w->job.count;
    uint64_t first[3], end[3], i[3];
    const uint32_t slow = padici_tiles_slow(w), middle = slow == 0, fast = slow == 2 ? 1 : 2;
    uint32_t a, n = 0;
    first[2] = number % w->grid_tiles[2];
    first[1] = number / w->grid_tiles[2] % w->grid_tiles[1];
    first[0] = number / w->grid_tiles[2] / w->grid_tiles[1];
    for (a = 0; a < 3; a++) {
        first[a] <<= w->log[a];
        end[a] = first[a] + (UINT64_C(1) << w->log[a]);
        if (end[a] > count[a]) end[a] = count[a];
    }
    for (i[slow] = first[slow]; i[slow] < end[slow] && !w->listed; i[slow]++)
        for (i[middle] = first[middle]; i[middle] < end[middle]; i[middle]++)
            for (i[fast] = first[fast]; i[fast] < end[fast]; i[fast]++, n++) {
                t->index[n] = (i[0] * count[1] + i[1]) * count[2] + i[2];
                for (a = 0; a < 3; a++)
                    t->at[a][n] = desc->grid.origin[a] + ((double)i[0] * w->job.step[0][a] +
                                                          (double)i[1] * w->job.step[1][a] +
                                                          (double)i[2] * w->job.step[2][a]);
            }
    if (w->listed) {
        n = (uint32_t)(end[0] - first[0]);
        for (a = 0; a < 3; a++) padici_tile_column(w, a, first[0], n, t->at[a]);
        for (a = 0; a < n; a++) t->index[a] = first[0] + a;
    }
    t->points = n;
    t->vectors = (n + 31) / 32 * 32;
    for (a = 0; a < 3; a++)
        for (n = t->points; n < t->vectors; n++) t->at[a][n] = t->at[a][t->points - 1];
}

// The least and the largest of n numbers, a multiple of 8: eight chains, as one waits for itself.
static void padici_tile_range(const double *x, uint32_t n, double *low, double *high)
{
    double least[8], most[8];
    uint32_t i, j;
    for (j = 0; j < 8; j++) least[j] = most[j] = x[j];
    for (i = 8; i < n; i += 8)
        for (j = 0; j < 8; j++) {
            least[j] = x[i + j] < least[j] ? x[i + j] : least[j];
            most[j] = x[i + j] > most[j] ? x[i + j] : most[j];
        }
    *low = least[0];
    *high = most[0];
    for (j = 1; j < 8; j++) {
        *low = least[j] < *low ? least[j] : *low;
        *high = most[j] > *high ? most[j] : *high;
    }
}

// Rows of a whole tile of a grid, at least as long as a vector.
static void padici_tile_rows_begin(const padici_wave_tiles *w, padici_tile *t)
{
    const uint32_t slow = padici_tiles_slow(w);
    const double *step = w->job.step[slow];
    double size = sqrt(step[0] * step[0] + step[1] * step[1] + step[2] * step[2]);
    uint32_t i, a;
    t->row_count = 0;
    if (w->listed || t->points < PADICI_TILE_POINTS || !(size > 0)) return;
    t->row = PADICI_TILE_POINTS >> w->log[slow];
    for (a = 0; a < 3; a++) t->way[a] = step[a] / size;
    for (; t->row < 16; t->row *= 2) size *= 2;
    t->row_count = PADICI_TILE_POINTS / t->row;
    t->step = size;
    for (i = 0; i < PADICI_TILE_POINTS; i++) {
        double along = 0;
        for (a = 0; a < 3; a++) along += (t->at[a][i] - t->centre[a]) * t->way[a];
        t->along[i] = (float)along;
    }
}

// 32 points from i on, from the centre: so many that a compiler makes vectors of it.
static void padici_tile_from_centre(padici_tile *t, uint32_t i)
{
    const double x = t->centre[0], y = t->centre[1], z = t->centre[2];
    uint32_t j;
    for (j = 0; j < 32; j++) {
        const double dx = t->at[0][i + j] - x, dy = t->at[1][i + j] - y, dz = t->at[2][i + j] - z;
        t->d[0][i + j] = (float)dx;
        t->d[1][i + j] = (float)dy;
        t->d[2][i + j] = (float)dz;
        t->d[3][i + j] = (float)(dx * dx + dy * dy + dz * dz);
    }
    for (j = 0; j < 32; j++) t->total[0][i + j] = t->total[1][i + j] = 0;
}

static void padici_tile_begin(const padici_wave_tiles *w, uint64_t number, padici_tile *t)
{
    double r2 = 0;
    uint32_t i, a;
    padici_tile_points(w, number, t);
    for (a = 0; a < 3; a++) {
        double low, high;
        padici_tile_range(t->at[a], t->vectors, &low, &high);
        t->centre[a] = (low + high) / 2;
        r2 += (high - low) * (high - low) / 4;
    }
    t->radius = sqrt(r2);
    for (i = 0; i < t->vectors; i += 32) padici_tile_from_centre(t, i);
    t->close = 0;
    if (w->slopes) { // nearer than this the place of a point in f32 costs a slope its tolerance
        const double least = 2.4e-7 * t->radius / (PADICI_TWO_PI * w->tolerance + 2e-6);
        t->close = (float)(least * least > PADICI_TILE_CLOSE ? least * least : PADICI_TILE_CLOSE);
        memset(t->slope, 0, sizeof t->slope);
    }
    padici_tile_rows_begin(w, t);
}

// What rows add to the error of the series, in turns; 1: they are not to be taken. The third
// derivative of r along a line is at most 1.155/r^2.
static double padici_tile_rows_error(const padici_tile *t, double r0, double number)
{
    const double half = t->step * t->row_count / 2, least = r0 - t->radius;
    if (t->row_count < 8 || t->soft == PADICI_TILE_PLUMMER) return 1;
    if (half * half * half > 1e-7 * least * least * least) return 1; // of the amplitude
    if (number * t->step * t->step > 3e-4 * least) return 1;
    return 6e-7 + 0.193 * number * half * half * half / (least * least);
}

// What the series up to u^4 leave of the phase, in turns; 1: they are not to be taken.
static double padici_tile_series(const padici_tile *t, double r2, double r0, double number)
{
    const double h = t->radius, soft = r2 + t->wide_add;
    double u, tail;
    if (!(r0 > 4 * h) || r0 - h <= sqrt(t->wide_least)) return 1;
    u = (2 * r0 + h) * h / soft; // U
    tail = u * u * u * u * u / (1 - u);
    return 63.0 / 256 * tail <= 1e-6 ? 7.0 / 256 * sqrt(soft) * number * tail : 1;
}

static void padici_tile_far_put(const padici_tile *t, padici_tile_far *s, const double at[3],
                                double r2, double wave, double phase, double amplitude)
{
    static const double root[5] = {1, 1.0 / 2, -1.0 / 8, 1.0 / 16, -5.0 / 128};
    static const double part[5] = {1, -1.0 / 2, 3.0 / 8, -5.0 / 16, 35.0 / 128};
    static const double fourth[5] = {1, -1.0 / 4, 5.0 / 32, -15.0 / 128, 195.0 / 2048};
    const double soft = r2 + t->wide_add, r0 = sqrt(soft), wider = r2 + t->wide_add + t->wide_widen;
    double size = amplitude / (t->root ? sqrt(sqrt(wider)) : sqrt(wider));
    double turns = wave * r0 + phase;
    uint32_t i;
    turns -= floor(turns + 0.5);
    for (i = 0; i < 3; i++) s->at[i] = (float)(2 * at[i] / soft);
    s->square = (float)(1 / soft);
    for (i = 0; i < 5; i++, size *= soft / wider) {
        s->phase[i] = (float)(i ? 2 * wave * r0 * root[i] : 2 * turns);
        s->size[i] = (float)(size * (t->root ? fourth[i] : part[i]));
    }
}

static void padici_tile_rows_put(padici_tile *t, const double at[3], double r2, double wave,
                                 double phase, double amplitude)
{
    padici_tile_rows *s = &t->rows[t->count[4]++];
    const double r0 = sqrt(r2 + t->wide_add);
    const double part = (at[0] * t->way[0] + at[1] * t->way[1] + at[2] * t->way[2]) / r0;
    double turns = wave * t->step * part;
    padici_tile_far_put(t, &s->far_, at, r2, wave, phase, amplitude);
    turns -= floor(turns + 0.5);
    s->turn = (float)(2 * turns);
    s->wave = (float)(2 * wave * t->step);
    s->slant = (float)(t->step * part);
    s->reach = (float)(part * r0);
    s->r2 = (float)(r2 + t->wide_add);
}

// Sorts sources [first, end) by class; returns the largest error, in turns.
static double padici_tile_sort(const padici_wave_tiles *w, padici_tile *t, uint64_t first,
                               uint64_t end)
{
    const uint64_t m = w->job.sources;
    const double *from = w->sources, h = t->radius, h2 = 2 * h;
    double bound = 0;
    uint64_t i;
    memset(t->count, 0, sizeof t->count);
    for (i = first; i < end; i++) {
        const double x = t->centre[0] - from[i], y = t->centre[1] - from[m + i];
        const double z = t->centre[2] - from[2 * m + i], wave = from[3 * m + i];
        const double r2 = x * x + y * y + z * z, r0 = sqrt(r2), number = fabs(wave);
        const double rest = (1e-15 * (r0 + h) + w->place) * number;
        const double mid = 3e-7 * h * number + 5e-8 + rest;
        const double direct = (2.5e-7 * (r0 + h) + w->place) * number + 5e-8;
        const int held = r0 + h < 1e15, apart = r0 - h > 1e-15; // squares and their inverses in f32
        double error = 4e-8 + rest;
        const double series = w->slopes ? 1 : padici_tile_series(t, r2, r0, number);
        if (mid + series <= w->tolerance && held && apart) {
            const double at[3] = {x, y, z};
            const double rows = padici_tile_rows_error(t, r0, number);
            error = mid + series;
            if (error + rows <= w->tolerance) {
                padici_tile_rows_put(t, at, r2, wave, from[4 * m + i], from[5 * m + i]);
                error += rows;
            } else {
                padici_tile_far_put(t, &t->far_[t->count[3]++], at, r2, wave, from[4 * m + i],
                                    from[5 * m + i]);
            }
        } else if (direct <= w->tolerance && held) {
            padici_tile_source *s = &t->direct[t->count[0]++];
            s->at[0] = (float)x;
            s->at[1] = (float)y;
            s->at[2] = (float)z;
            s->wave = (float)(2 * wave);
            s->phase = (float)(2 * from[4 * m + i]);
            s->size = (float)from[5 * m + i];
            s->source = (uint32_t)i;
            error = direct;
        } else if (mid <= w->tolerance && r0 > h2 && held && apart &&
                   r0 - h > sqrt(t->wide_least)) {
            padici_tile_source *s = &t->mid[t->count[1]++];
            const double soft = r2 + t->wide_add, root = sqrt(soft);
            double turns = wave * root + from[4 * m + i];
            turns -= floor(turns + 0.5);
            s->at[0] = (float)(2 * x);
            s->at[1] = (float)(2 * y);
            s->at[2] = (float)(2 * z);
            s->wave = (float)(2 * wave);
            s->phase = (float)(2 * turns);
            s->size = (float)from[5 * m + i];
            s->r0 = (float)root;
            s->r2 = (float)soft;
            error = mid;
        } else {
            padici_tile_wide *s = &t->wide[t->count[2]++];
            s->at[0] = from[i];
            s->at[1] = from[m + i];
            s->at[2] = from[2 * m + i];
            s->wave = wave;
            s->phase = from[4 * m + i];
            s->size = from[5 * m + i];
            s->source = (uint32_t)i;
        }
        if (error > bound) bound = error;
    }
    return bound;
}

// The source of a row.
static uint64_t padici_tiles_source(const padici_wave_tiles *w, uint64_t row)
{
    return w->frames ? w->frames->rates[row].source : row;
}

// Pairs that f32 took for coincident, which the kernel left out: as the reference does them.
static void padici_tile_mend(const padici_wave_tiles *w, padici_wave_slice *slice, padici_tile *t)
{
    uint32_t i, j;
    for (j = 0; j < t->count[0] + t->count[2]; j++) {
        const int direct = j < t->count[0];
        const padici_tile_source *s = &t->direct[direct ? j : 0];
        padici_wave_source source;
        padici_wave_source_get(
            w->desc,
            padici_tiles_source(w, direct ? s->source : t->wide[j - t->count[0]].source), &source);
        for (i = 0; i < t->points; i++) {
            padici_complex sum[4];
            double at[3], r2 = 0;
            const double turn = w->desc->sign == PADIC_WAVE_CONJUGATE ? -1 : 1;
            uint32_t a;
            memset(sum, 0, sizeof sum);
            for (a = 0; a < 3; a++) {
                at[a] = t->at[a][i];
                r2 += (at[a] - source.at[a]) * (at[a] - source.at[a]);
            }
            if (direct) {
                const float x = t->d[0][i] + s->at[0], y = t->d[1][i] + s->at[1];
                const float z = t->d[2][i] + s->at[2];
                if (fmaf(z, z, fmaf(y, y, x * x)) - t->close >= FLT_MIN) continue;
            } else if (r2 - (w->slopes ? PADICI_TILE_CLOSE : 0) >= (double)FLT_MIN) {
                continue;
            }
            slice->coincident += (uint32_t)(w->slopes
                ? padici_wave_pair_slope(&w->job, &source, at, sum)
                : padici_wave_pair(&w->job, &source, at, sum));
            t->total[0][i] += sum[0].re;
            t->total[1][i] += turn * sum[0].im;
            for (a = 0; a < 3 && w->slopes; a++) {
                t->slope[2 * a][i] += sum[1 + a].re;
                t->slope[2 * a + 1][i] += turn * sum[1 + a].im;
            }
        }
    }
}

static void padici_tile_store(const padici_wave_tiles *w, padici_wave_slice *slice,
                              const padici_tile *t)
{
    const padic_wave_superpose_desc *desc = w->desc;
    const int turned = desc->sign == PADIC_WAVE_CONJUGATE;
    const int plain = w->listed && desc->out.dtype == PADIC_C64 && !desc->flags;
    uint32_t i;
    for (i = 0; i < t->points; i++) {
        padici_complex psi;
        psi.re = t->total[0][i];
        psi.im = turned ? -t->total[1][i] : t->total[1][i];
        if (plain) {
            float pair[2];
            pair[0] = (float)psi.re;
            pair[1] = (float)psi.im;
            memcpy((char *)desc->out.data + (int64_t)t->index[i] * w->job.stride[0] * 8, pair, 8);
        } else {
            padici_wave_store(&w->job, slice, t->index[i], psi);
        }
    }
}

// Adds the sources of rows [first, end).
static void padici_tile_sum(const padici_wave_tiles *w, uint32_t task, uint64_t first, uint64_t end)
{
    padici_tile *t = &w->tiles[task];
    uint64_t last;
    uint32_t k;
    for (; first < end; first = last) {
        const uint64_t left = end - first;
        double bound;
        last = first + (left < PADICI_TILE_SOURCES ? left : PADICI_TILE_SOURCES);
        bound = padici_tile_sort(w, t, first, last);
        if (bound > w->bounds[task]) w->bounds[task] = bound;
        t->bad = 0;
        for (k = 0; k < 5; k++)
            if (t->count[k]) (*w->kernels[k])(t);
        if (t->bad) padici_tile_mend(w, &w->job.slices[task], t);
    }
}

static void padici_tile_frame_store(const padici_wave_tiles *w, padici_wave_slice *slice,
                                    const padici_tile *t, uint64_t f)
{
    const padic_wave_superpose_desc *desc = w->desc;
    const int64_t base = (int64_t)f * w->frames->frame_stride;
    const int plain = desc->out.dtype == PADIC_C64 && !(desc->flags & PADIC_WAVE_ACCUMULATE);
    char *out = (char *)desc->out.data;
    uint32_t i;
    for (i = 0; i < t->points; i++) {
        if (plain) {
            float pair[2];
            pair[0] = t->frame[0][i];
            pair[1] = t->frame[1][i];
            memcpy(out + (base + t->place[i]) * 8, pair, 8);
        } else {
            padici_complex psi;
            psi.re = (double)t->frame[0][i];
            psi.im = (double)t->frame[1][i];
            padici_wave_store_at(&w->job, slice, base + t->place[i], psi);
        }
    }
}

static void padici_tile_frame_mean(const padici_wave_tiles *w, const padici_tile *t)
{
    uint64_t g;
    uint32_t i;
    for (i = 0; i < t->points; i++) {
        padici_complex sum = {0, 0};
        for (g = 0; g < t->groups; g++) {
            const float *wave = t->waves + g * 2 * PADICI_TILE_POINTS;
            const double re = (double)wave[i], im = (double)wave[PADICI_TILE_POINTS + i];
            sum.re += re * re + im * im;
        }
        padici_wave_put(&w->frames->desc->mean_intensity,
                        padici_wave_index(&w->job, w->frames->mean_stride, t->index[i]), sum, 0);
    }
}

static void padici_tile_frames(const padici_wave_tiles *w, uint32_t task)
{
    const padici_wave_frames *frames = w->frames;
    const double turn = w->desc->sign == PADIC_WAVE_CONJUGATE ? -1 : 1;
    padici_tile *t = &w->tiles[task];
    uint64_t f, g;
    uint32_t i;
    for (g = 0; g < t->groups; g++) {
        float *wave = t->waves + g * 2 * PADICI_TILE_POINTS;
        if (g) memset(t->total, 0, sizeof t->total);
        padici_tile_sum(w, task, g ? frames->ends[g - 1] : 0, frames->ends[g]);
        for (i = 0; i < t->vectors; i++) {
            wave[i] = (float)t->total[0][i];
            wave[PADICI_TILE_POINTS + i] = (float)(turn * t->total[1][i]);
        }
    }
    if (frames->desc->mean_intensity.dtype != PADIC_DTYPE_NONE) padici_tile_frame_mean(w, t);
    for (i = 0; i < t->points; i++)
        t->place[i] = padici_wave_index(&w->job, w->job.stride, t->index[i]);
    for (f = 0; f < frames->frames; f++) {
        t->factors = w->factors + 2 * f * t->groups;
        (*w->kernels[5])(t);
        padici_tile_frame_store(w, &w->job.slices[task], t, f);
    }
}

static void padici_tile_slopes(const padici_wave_tiles *w, padici_wave_slice *slice,
                               const padici_tile *t)
{
    const double turn = w->desc->sign == PADIC_WAVE_CONJUGATE ? -1 : 1;
    uint32_t i, a;
    for (i = 0; i < t->points; i++) {
        padici_complex sum[4];
        sum[0].re = t->total[0][i];
        sum[0].im = turn * t->total[1][i];
        for (a = 0; a < 3; a++) {
            sum[1 + a].re = t->slope[2 * a][i];
            sum[1 + a].im = turn * t->slope[2 * a + 1][i];
        }
        padici_wave_slope_store(w->slopes, slice, t->index[i], sum);
    }
}

static void padici_tiles_task(void *arg, uint32_t task)
{
    const padici_wave_tiles *w = (const padici_wave_tiles *)arg;
    padici_tile *t = &w->tiles[task];
    uint64_t tile, end;
    padici_wave_share(w->tile_count, w->tasks, task, &tile, &end);
    for (; tile < end; tile++) {
        padici_tile_begin(w, tile, t);
        if (w->frames) {
            padici_tile_frames(w, task);
        } else {
            padici_tile_sum(w, task, 0, w->job.sources);
            if (w->slopes) padici_tile_slopes(w, &w->job.slices[task], t);
            else padici_tile_store(w, &w->job.slices[task], t);
        }
        if (padici_wave_stopped(&w->job)) return;
    }
}

static int padici_tiles_extreme(double x)
{
    x = fabs(x);
    return x != 0 && (x < 1e-15 || x > 1e15);
}

// Rows of sources. 0 if one has numbers that f32 may not hold.
static int padici_tiles_sources(padici_wave_tiles *w)
{
    const uint64_t m = w->job.sources;
    uint64_t i;
    uint32_t a;
    for (i = 0; i < m; i++) {
        padici_wave_source s;
        double turns;
        padici_wave_source_get(w->desc, padici_tiles_source(w, i), &s);
        for (a = 0; a < 3; a++) w->sources[a * m + i] = s.at[a];
        turns = s.phase / PADICI_TWO_PI;
        w->sources[3 * m + i] = s.wavenumber / PADICI_TWO_PI;
        w->sources[4 * m + i] = turns - floor(turns + 0.5);
        if (w->desc->kernel == PADIC_WAVE_GREEN3) s.amplitude /= 2 * PADICI_TWO_PI;
        w->sources[5 * m + i] = s.amplitude;
        if (padici_tiles_extreme(s.amplitude) || padici_tiles_extreme(s.wavenumber)) return 0;
    }
    return 1;
}

static void padici_tiles_soften(const padici_wave_tiles *w, padici_tile *t)
{
    const double a2 = w->job.length * w->job.length;
    const padic_wave_softening soft = w->desc->softening;
    t->soft = soft == PADIC_WAVE_SOFTEN_NONE ? PADICI_TILE_NONE
              : soft == PADIC_WAVE_PLUMMER   ? PADICI_TILE_PLUMMER
                                             : PADICI_TILE_SOFT;
    t->root = w->desc->kernel == PADIC_WAVE_SQRT;
    t->wide_add = soft == PADIC_WAVE_PLUMMER_BOTH ? a2 : 0;
    t->wide_least = soft == PADIC_WAVE_CLAMP ? a2 : 0;
    t->wide_widen = soft == PADIC_WAVE_PLUMMER ? a2 : 0;
    t->wide_inside = t->wide_least > (double)FLT_MIN ? t->wide_least : (double)FLT_MIN;
    t->add = (float)t->wide_add;
    t->least = (float)t->wide_least;
    t->widen = (float)t->wide_widen;
}

static void padici_tiles_results(const padici_wave_tiles *w)
{
    const padic_wave_superpose_desc *desc = w->desc;
    double low = DBL_MAX, high = -DBL_MAX, bound = 0;
    uint64_t coincident = 0;
    uint32_t i;
    for (i = 0; i < w->tasks; i++) {
        const padici_wave_slice *s = &w->job.slices[i];
        coincident += s->coincident;
        if (s->low < low) low = s->low;
        if (s->high > high) high = s->high;
        if (w->bounds[i] > bound) bound = w->bounds[i];
    }
    if (desc->coincident) *desc->coincident = coincident;
    if (w->frames) bound += 1e-8 + w->frames->merged; // factors are f32
    if (desc->bound) *desc->bound = bound;
    if (desc->emit == PADIC_WAVE_RGBA8 && desc->tone.range) {
        desc->tone.range[0] = low > high ? 0 : low;
        desc->tone.range[1] = low > high ? 0 : high;
    }
}

static int padici_tiles_may(const padic_wave_superpose_desc *desc)
{
    const int kernel = desc->kernel == PADIC_WAVE_POINT3 || desc->kernel == PADIC_WAVE_GREEN3 ||
                       desc->kernel == PADIC_WAVE_SQRT;
    const int soft = desc->softening != PADIC_WAVE_SHELL && desc->softening != PADIC_WAVE_ADDED;
    return kernel && soft && desc->absorption.dtype == PADIC_DTYPE_NONE &&
           !padici_wave_is_f64(desc) && !padici_tiles_extreme(padici_wave_length(desc)) &&
           desc->sources.shape[0] && desc->sources.shape[0] < UINT32_MAX;
}

static void padici_tiles_kernels(padici_wave_tiles *w, uint32_t level)
{
#if PADICI_SIMD_X86
    const int wide = level > PADICI_SIMD_AVX2;
    w->kernels[0] = wide ? padici_tile_direct_avx512 : padici_tile_direct_avx2;
    w->kernels[1] = wide ? padici_tile_mid_avx512 : padici_tile_mid_avx2;
    w->kernels[2] = wide ? padici_tile_wide_avx512 : padici_tile_wide_avx2;
    w->kernels[3] = wide ? padici_tile_series_avx512 : padici_tile_series_avx2;
    w->kernels[4] = wide ? padici_tile_rows_avx512 : padici_tile_rows_avx2;
    w->kernels[5] = wide ? padici_tile_frame_avx512 : padici_tile_frame_avx2;
    if (w->slopes) {
        w->kernels[0] = wide ? padici_tile_slope_direct_avx512 : padici_tile_slope_direct_avx2;
        w->kernels[1] = wide ? padici_tile_slope_mid_avx512 : padici_tile_slope_mid_avx2;
        w->kernels[2] = wide ? padici_tile_slope_wide_avx512 : padici_tile_slope_wide_avx2;
    }
#else
    (void)level;
    w->kernels[0] = padici_tile_direct_neon;
    w->kernels[1] = padici_tile_mid_neon;
    w->kernels[2] = padici_tile_wide_neon;
    w->kernels[3] = padici_tile_series_neon;
    w->kernels[4] = padici_tile_rows_neon;
    w->kernels[5] = padici_tile_frame_neon;
    if (w->slopes) {
        w->kernels[0] = padici_tile_slope_direct_neon;
        w->kernels[1] = padici_tile_slope_mid_neon;
        w->kernels[2] = padici_tile_slope_wide_neon;
    }
#endif
}

// Factors of all frames. 0 if one has numbers that f32 may not hold.
static int padici_tiles_factors(padici_wave_tiles *w)
{
    const padici_wave_frames *frames = w->frames;
    uint64_t f, g;
    float *to = w->factors;
    for (f = 0; f < frames->frames; f++)
        for (g = 0; g < frames->groups; g++, to += 2) {
            const padici_complex factor = padici_wave_frames_factor(frames, f, g);
            if (padici_tiles_extreme(fabs(factor.re) + fabs(factor.im))) return 0;
            to[0] = (float)factor.re;
            to[1] = (float)factor.im;
        }
    return 1;
}

// How many bytes all of it takes; 0: too many. Frames: as many tasks as their waves have room for.
static uint64_t padici_tiles_room(padici_wave_tiles *w, const padic_jobs *jobs)
{
    const uint64_t groups = w->frames ? w->frames->groups : 0;
    const uint64_t wave = 2 * PADICI_TILE_POINTS * sizeof(float);
    const uint64_t own = jobs && jobs->workers > 1 ? jobs->workers : 1;
    const uint64_t most = (UINT64_C(1) << 26) / (wave * (groups + 1));
    uint64_t room = 0;
    if (groups && w->tasks > (most > own ? most : own)) w->tasks = most > own ? most : own;
    if (!padici_wave_bytes(w->tasks, sizeof(padici_tile) + sizeof(double), &room) ||
        !padici_wave_bytes(w->tasks, sizeof(padici_wave_slice) + groups * wave, &room) ||
        !padici_wave_bytes(w->job.sources, 6 * sizeof(double), &room) ||
        (groups && !padici_wave_bytes(w->frames->frames, groups * 2 * sizeof(float), &room)))
        return 0;
    return room;
}

// NOT_SUPPORTED, before anything is written, where the reference is to do it.
static padic_result padici_tiles_run(padici_wave_tiles *w, const padic_env *env, uint32_t level)
{
    const padic_jobs *jobs = env->jobs;
    const uint64_t workers =
        jobs && jobs->enqueue && jobs->finish && jobs->workers > 1 ? jobs->workers : 1;
    uint64_t room;
    uint32_t i;
    padic_result result = PADIC_ERROR_NOT_SUPPORTED;
    padici_steps steps;
    float *waves;
    char *space;
    w->tolerance = w->desc->tolerance > 0 ? w->desc->tolerance : 2e-6;
    padici_tiles_cut(w);
    w->place = w->listed ? 0 : 6e-16 * padici_wave_place(&w->desc->grid);
    // One worker stays in the same memory. Of many, the last ones to end wait for a part of 16.
    w->tasks = workers == 1 ? 1 : workers < 64 ? 16 * workers : 1024;
    if (w->tasks > w->tile_count) w->tasks = w->tile_count;
    padici_tiles_kernels(w, level);
    room = padici_tiles_room(w, env->jobs);
    space = room ? (char *)padici_alloc(env->allocator, (size_t)room, 64) : NULL;
    if (!space) return PADIC_ERROR_NOT_SUPPORTED;
    w->tiles = (padici_tile *)(void *)space;
    w->job.slices = (padici_wave_slice *)(void *)(w->tiles + w->tasks);
    w->bounds = (double *)(void *)(w->job.slices + w->tasks);
    w->sources = w->bounds + w->tasks;
    w->factors = waves = (float *)(void *)(w->sources + 6 * w->job.sources);
    if (w->frames) waves += 2 * w->frames->frames * w->frames->groups;
    for (i = 0; i < w->tasks; i++) {
        padici_tiles_soften(w, &w->tiles[i]);
        w->job.slices[i].coincident = 0;
        w->job.slices[i].low = DBL_MAX;
        w->job.slices[i].high = -DBL_MAX;
        w->bounds[i] = 0;
        w->tiles[i].groups = w->frames ? w->frames->groups : 0;
        w->tiles[i].waves = waves + i * w->tiles[i].groups * 2 * PADICI_TILE_POINTS;
    }
    if (padici_tiles_sources(w) && (!w->frames || padici_tiles_factors(w))) {
        padici_wave_watch(&w->job, &steps, env, w->tile_count);
        padici_parallel(env->jobs, (uint32_t)w->tasks, padici_tiles_task, w);
        result = padici_wave_unwatch(&w->job, env);
        if (!result) padici_tiles_results(w);
    }
    padici_free(env->allocator, space, (size_t)room);
    return result;
}

PADICI_NOINLINE static padic_result padici_simd_superpose(const padic_env *env, uint32_t level,
                                                          const padic_wave_superpose_desc *desc,
                                                          int query)
{
    padici_wave_tiles w;
    padic_result result = PADIC_OK;
    if (!padici_tiles_may(desc)) return PADIC_ERROR_NOT_SUPPORTED;
    if (query) return PADIC_OK;
    if (desc->flags & PADIC_WAVE_CHECK_FINITE) result = padici_wave_check_values(NULL, desc);
    if (result) return result;
    memset(&w, 0, sizeof w);
    w.desc = desc;
    padici_wave_job_begin(&w.job, desc);
    return w.job.points ? padici_tiles_run(&w, env, level) : PADIC_OK;
}

PADICI_NOINLINE static padic_result padici_simd_frames(const padic_env *env, uint32_t level,
                                                       const padic_wave_frames_desc *desc,
                                                       int query)
{
    padici_wave_frames frames;
    padici_wave_tiles w;
    uint64_t bytes;
    padic_result result = PADIC_OK;
    padici_wave_frames_one(desc, &frames.one, &frames.frame_stride);
    if (!padici_tiles_may(&frames.one) || desc->mean_intensity.dtype == PADIC_F64)
        return PADIC_ERROR_NOT_SUPPORTED;
    if (query) return PADIC_OK;
    if (desc->field.flags & PADIC_WAVE_CHECK_FINITE) result = padici_wave_frames_values(NULL, desc);
    if (result) return result;
    padici_wave_frames_begin(&frames, desc);
    if (!frames.field.points) return PADIC_OK;
    result = padici_wave_frames_sorted(&frames, env->allocator, &bytes);
    if (result) return result;
    memset(&w, 0, sizeof w);
    w.desc = &frames.one;
    w.frames = &frames;
    padici_wave_job_begin(&w.job, &frames.one);
    result = padici_tiles_run(&w, env, level);
    padici_free(env->allocator, frames.rates, (size_t)bytes);
    return result;
}

PADICI_NOINLINE static padic_result padici_simd_gradient(const padic_env *env, uint32_t level,
                                                         const padic_wave_gradient_desc *desc,
                                                         int query)
{
    padic_wave_superpose_desc field = desc->field;
    padici_wave_slopes slopes;
    padici_wave_tiles w;
    padic_result result = PADIC_OK;
    if (field.out.dtype == PADIC_DTYPE_NONE) padici_wave_gradient_field(desc, &field);
    if (!padici_tiles_may(&field) || desc->out.dtype != PADIC_C64)
        return PADIC_ERROR_NOT_SUPPORTED;
    if (query) return PADIC_OK;
    if (field.flags & PADIC_WAVE_CHECK_FINITE) result = padici_wave_check_values(NULL, &field);
    if (result) return result;
    padici_wave_slopes_begin(&slopes, desc);
    memset(&w, 0, sizeof w);
    w.desc = &field;
    w.slopes = &slopes;
    padici_wave_job_begin(&w.job, &field);
    return w.job.points ? padici_tiles_run(&w, env, level) : PADIC_OK;
}

// Reading and writing of vortices, block by block.

typedef struct padici_vortex_run {
    padici_wave_vortices job; // its field's points and strides; desc
    padici_vortex_kernel kernel;
    const padici_vortex_line *line;
    uint64_t tasks, blocks, lines;
} padici_vortex_run;

static void padici_vortex_two(double x, float *high, float *low)
{
    *high = (float)x;
    *low = (float)(x - (double)*high);
    if (*low - *low != 0) *low = 0; // beyond f32: what is far from all others
}

// The next point's index in C order.
static void padici_vortex_next(const uint64_t count[3], uint64_t i[3])
{
    if (++i[2] < count[2]) return;
    i[2] = 0;
    if (++i[1] < count[1]) return;
    i[1] = 0;
    i[0]++;
}

static void padici_vortex_list(const padici_vortex_run *v, uint64_t first, padici_vortex_block *b)
{
    const padic_tensor *points = &v->job.desc->points;
    const int64_t *stride = v->job.field.point_stride;
    const int64_t size = (int64_t)padic_dtype_size(points->dtype);
    const char *from = (const char *)points->data + (int64_t)first * stride[0] * size;
    uint32_t i, a;
    // What is not read was 0 and stays so.
    for (a = 0; a < points->shape[1]; a++, from += stride[1] * size) {
        if (a == 2 && b->core != PADIC_WAVE_CORE_LEGACY) continue;
        if (points->dtype == PADIC_F32) {
            const char *at = from;
            for (i = 0; i < b->points; i++, at += stride[0] * 4) memcpy(&b->at[a][0][i], at, 4);
        } else {
            for (i = 0; i < b->points; i++) {
                double x;
                memcpy(&x, from + (int64_t)i * stride[0] * 8, 8);
                padici_vortex_two(x, &b->at[a][0][i], &b->at[a][1][i]);
            }
        }
    }
}

// Points `first` to first + points, the last one repeated to whole vectors; psi, or 1.
static void padici_vortex_read(const padici_vortex_run *v, uint64_t first, padici_vortex_block *b)
{
    const padic_wave_vortex_desc *desc = v->job.desc;
    const uint64_t *count = v->job.field.count;
    const int64_t *stride = v->job.psi_stride;
    const int listed = desc->points.dtype != PADIC_DTYPE_NONE;
    uint64_t at[3];
    uint32_t i, a;
    at[2] = first % count[2];
    at[1] = first / count[2] % count[1];
    at[0] = first / count[2] / count[1];
    if (listed) padici_vortex_list(v, first, b);
    for (i = 0; i < PADICI_VORTEX_POINTS; i++) {
        b->psi[0][i] = 1;
        b->psi[1][i] = 0;
    }
    i = listed && desc->psi.dtype == PADIC_DTYPE_NONE ? b->points : 0;
    for (; i < b->points; i++) {
        const int64_t from =
            (int64_t)at[0] * stride[0] + (int64_t)at[1] * stride[1] + (int64_t)at[2] * stride[2];
        for (a = 0; a < 3 && !listed; a++) {
            const double(*step)[3] = v->job.field.step;
            padici_vortex_two(desc->grid.origin[a] +
                                  ((double)at[0] * step[0][a] + (double)at[1] * step[1][a] +
                                   (double)at[2] * step[2][a]),
                              &b->at[a][0][i], &b->at[a][1][i]);
        }
        if (desc->psi.dtype != PADIC_DTYPE_NONE) {
            float pair[2];
            memcpy(pair, (const char *)desc->psi.data + 8 * from, 8);
            b->psi[0][i] = pair[0];
            b->psi[1][i] = pair[1];
        }
        padici_vortex_next(count, at);
    }
    for (; i % 16; i++)
        for (a = 0; a < 6; a++) b->at[a / 2][a % 2][i] = b->at[a / 2][a % 2][b->points - 1];
}

// A point that f32 is not enough for, by the reference.
static void padici_vortex_again(const padici_vortex_run *v, uint64_t point, float pair[2])
{
    const padic_wave_vortex_desc *desc = v->job.desc;
    const uint64_t *count = v->job.field.count;
    const int64_t *stride = v->job.psi_stride;
    padici_complex psi = {1, 0};
    double at[3];
    uint64_t j;
    if (desc->psi.dtype != PADIC_DTYPE_NONE)
        psi = padici_wave_load(&desc->psi,
                               (int64_t)(point % count[2]) * stride[2] +
                                   (int64_t)(point / count[2] % count[1]) * stride[1] +
                                   (int64_t)(point / count[2] / count[1]) * stride[0]);
    padici_wave_point(&v->job.field, point, at);
    for (j = 0; j < desc->centres.shape[0]; j++) {
        padici_wave_line line;
        padici_wave_line_get(&v->job, j, &line);
        psi = padici_wave_times(psi, padici_wave_line_factor(&line, desc->core, at));
    }
    pair[0] = (float)psi.re;
    pair[1] = (float)psi.im;
}

static void padici_vortex_write(const padici_vortex_run *v, uint64_t first,
                                const padici_vortex_block *b)
{
    const uint64_t *count = v->job.field.count;
    const int64_t *stride = v->job.field.stride;
    uint64_t at[3];
    uint32_t i;
    if (count[1] * count[2] == 1 && !b->bad) { // a list
        char *to = (char *)v->job.desc->out.data + 8 * (int64_t)first * stride[0];
        for (i = 0; i < b->points; i++, to += 8 * stride[0]) {
            memcpy(to, &b->psi[0][i], 4);
            memcpy(to + 4, &b->psi[1][i], 4);
        }
        return;
    }
    at[2] = first % count[2];
    at[1] = first / count[2] % count[1];
    at[0] = first / count[2] / count[1];
    for (i = 0; i < b->points; i++) {
        const int64_t to =
            (int64_t)at[0] * stride[0] + (int64_t)at[1] * stride[1] + (int64_t)at[2] * stride[2];
        float pair[2];
        pair[0] = b->psi[0][i];
        pair[1] = b->psi[1][i];
        if (b->bad >> i / 4 & 1) padici_vortex_again(v, first + i, pair);
        memcpy((char *)v->job.desc->out.data + 8 * to, pair, 8);
        padici_vortex_next(count, at);
    }
}

// Packs all lines; returns how many there are that do something.
static uint64_t padici_vortex_lines(const padici_vortex_run *v, padici_vortex_line *to)
{
    const padic_wave_core core = v->job.desc->core;
    const padici_vortex_line *first = to;
    uint64_t j;
    uint32_t a;
    for (j = 0; j < v->job.desc->centres.shape[0]; j++) {
        padici_wave_line line;
        padici_wave_line_get(&v->job, j, &line);
        if (line.charge == 0 && core != PADIC_WAVE_CORE_LEGACY) continue;
        for (a = 0; a < 3; a++) padici_vortex_two(line.centre[a], &to->at[a][0], &to->at[a][1]);
        to->core = core == PADIC_WAVE_CORE_NONE ? 1.0f : (float)line.core;
        to->part = 1 / to->core;
        to->sign = line.charge < 0 ? -1.0f : 1.0f;
        to->charge = (uint32_t)fabs(line.charge);
        to++;
    }
    return (uint64_t)(to - first);
}

static void padici_vortex_task(void *arg, uint32_t task)
{
    const padici_vortex_run *v = (const padici_vortex_run *)arg;
    padici_vortex_block b;
    uint64_t block, end;
    padici_wave_share(v->blocks, v->tasks, task, &block, &end);
    memset(&b, 0, sizeof b);
    b.core = v->job.desc->core;
    b.line = v->line;
    b.lines = v->lines;
    for (; block < end; block++) {
        const uint64_t first = block * PADICI_VORTEX_POINTS, left = v->job.field.points - first;
        b.points = left < PADICI_VORTEX_POINTS ? (uint32_t)left : PADICI_VORTEX_POINTS;
        b.bad = 0;
        padici_vortex_read(v, first, &b);
        (*v->kernel)(&b);
        padici_vortex_write(v, first, &b);
        if (padici_wave_stopped(&v->job.field)) return;
    }
}

// Whether the kernels of blocks can do all lines: along +z, whole charges, cores that f32 holds.
static int padici_vortex_may(const padic_wave_vortex_desc *desc, padici_wave_vortices *job)
{
    const int cored = desc->core != PADIC_WAVE_CORE_NONE;
    uint64_t j;
    if (desc->out.dtype != PADIC_C64 || desc->axes.dtype != PADIC_DTYPE_NONE ||
        (desc->psi.dtype != PADIC_DTYPE_NONE && desc->psi.dtype != PADIC_C64))
        return 0;
    for (j = 0; j < desc->centres.shape[0]; j++) {
        padici_wave_line line;
        padici_wave_line_get(job, j, &line);
        if (line.charge != floor(line.charge)) return 0;
        if (!(fabs(line.centre[0]) < 1e30 && fabs(line.centre[1]) < 1e30 &&
              fabs(line.centre[2]) < 1e30))
            return 0;
        if (cored && !(line.core > 1e-18 && line.core < 1e18)) return 0;
    }
    return 1;
}

// NOT_SUPPORTED, before anything is written, where kernels of passes are to do it.
PADICI_NOINLINE static padic_result padici_vortex_blocks(padici_vortex_kernel kernel,
                                                         const padic_env *env,
                                                         const padic_wave_vortex_desc *desc)
{
    const padic_jobs *jobs = env->jobs;
    padic_wave_superpose_desc field;
    padici_vortex_run v;
    padici_vortex_line *line;
    padici_steps steps;
    padic_result result;
    size_t bytes;
    padici_wave_vortex_field(desc, &field);
    padici_wave_job_begin(&v.job.field, &field);
    v.job.desc = desc;
    v.kernel = kernel;
    padici_tensor_dense(&desc->centres, v.job.centre_stride);
    padici_tensor_dense(&desc->axes, v.job.axis_stride);
    memset(v.job.psi_stride, 0, sizeof v.job.psi_stride);
    if (desc->psi.dtype != PADIC_DTYPE_NONE) padici_tensor_dense(&desc->psi, v.job.psi_stride);
    if (!v.job.field.points || !padici_vortex_may(desc, &v.job)) return PADIC_ERROR_NOT_SUPPORTED;
    if (desc->flags & PADIC_WAVE_CHECK_FINITE) {
        result = padici_wave_vortex_values(NULL, desc);
        if (result) return result;
    }
    v.blocks = (v.job.field.points + PADICI_VORTEX_POINTS - 1) / PADICI_VORTEX_POINTS;
    v.tasks = v.blocks < PADICI_WAVE_SHARES ? v.blocks : PADICI_WAVE_SHARES;
    if (!jobs || jobs->workers < 2) v.tasks = 1; // no point depends on its task
    if (desc->centres.shape[0] > SIZE_MAX / sizeof *line - 1) return PADIC_ERROR_NOT_SUPPORTED;
    bytes = ((size_t)desc->centres.shape[0] + 1) * sizeof *line;
    line = (padici_vortex_line *)padici_alloc(env->allocator, bytes, 16);
    if (!line) return PADIC_ERROR_NOT_SUPPORTED;
    v.line = line;
    v.lines = padici_vortex_lines(&v, line);
    padici_wave_watch(&v.job.field, &steps, env, v.blocks);
    padici_parallel(jobs, (uint32_t)v.tasks, padici_vortex_task, &v);
    result = padici_wave_unwatch(&v.job.field, env);
    padici_free(env->allocator, line, bytes);
    return result;
}

// Fields in f32 and bytes; f64 is for the reference.
static padic_result padici_simd_vortex(const padic_env *env, uint32_t level,
                                       const padic_wave_vortex_desc *desc, int query)
{
#if PADICI_SIMD_X86
    const int wide = level > PADICI_SIMD_AVX2;
    const padici_wave_lines lines = wide ? padici_tile_lines_avx512 : padici_tile_lines_avx2;
    const padici_vortex_kernel kernel = wide ? padici_tile_vortex_avx512 : padici_tile_vortex_avx2;
#else
    const padici_wave_lines lines = padici_tile_lines_neon;
    const padici_vortex_kernel kernel = padici_tile_vortex_neon;
    (void)level;
#endif
    padic_result result;
    if (desc->out.dtype == PADIC_C128 || desc->out.dtype == PADIC_F64)
        return PADIC_ERROR_NOT_SUPPORTED;
    if (query) return PADIC_OK;
    result = padici_vortex_blocks(kernel, env, desc);
    if (result != PADIC_ERROR_NOT_SUPPORTED) return result;
    return padici_wave_vortex_with(lines, env, desc);
}
// Fields: observables, pixels, the norm, slopes of the phase, charges; c64 that lies in C order (of
// grids: whose last axis does). What is not finite is the reference's.

enum {
    PADICI_FIELD_OBSERVE,
    PADICI_FIELD_SQUARES,
    PADICI_FIELD_SCALE,
    PADICI_FIELD_SLOPE,
    PADICI_FIELD_CHARGE,
    PADICI_FIELD_PIXELS
};

typedef struct padici_field_run {
    padici_wave_each each; // tasks, and of normalise all of its work
    padici_field_kernel kernel;
    const float *psi;
    char *out;
} padici_field_run;

typedef struct padici_field_grid {
    padici_wave_grid_job job;
    padici_field_kernel kernel;
    uint64_t rows, tasks;
    uint32_t last; // the axis of rows
} padici_field_grid;

static padici_field_kernel padici_field_of(uint32_t level, uint32_t which)
{
#if PADICI_SIMD_X86
    static const padici_field_kernel kernels[2][6] = {
        {padici_tile_field_observe_avx2, padici_tile_field_squares_avx2,
         padici_tile_field_scale_avx2, padici_tile_field_slope_avx2, padici_tile_field_charge_avx2,
         padici_tile_field_pixels_avx2},
        {padici_tile_field_observe_avx512, padici_tile_field_squares_avx512,
         padici_tile_field_scale_avx512, padici_tile_field_slope_avx512,
         padici_tile_field_charge_avx512, padici_tile_field_pixels_avx512}};
    return kernels[level > PADICI_SIMD_AVX2][which];
#else
    static const padici_field_kernel kernels[6] = {
        padici_tile_field_observe_neon, padici_tile_field_squares_neon,
        padici_tile_field_scale_neon,   padici_tile_field_slope_neon,
        padici_tile_field_charge_neon,  padici_tile_field_pixels_neon};
    (void)level;
    return kernels[which];
#endif
}

static int padici_field_dense(const padic_tensor *t)
{
    int64_t stride[PADIC_MAX_RANK], next = 1;
    uint32_t axis = t->rank;
    padici_tensor_dense(t, stride);
    while (axis--) {
        if (t->shape[axis] > 1 && stride[axis] != next) return 0;
        next *= (int64_t)t->shape[axis];
    }
    return 1;
}

// Elements i to i + n of the task's, n at most 64; *i goes on. 0: no more. Blocks of 64 are shared
// out whole.
static uint32_t padici_field_next(const padici_wave_each *each, uint32_t task, uint64_t *i)
{
    uint64_t first, end;
    padici_wave_share((each->count + PADICI_FIELD_ROW - 1) / PADICI_FIELD_ROW, each->tasks, task,
                      &first, &end);
    first *= PADICI_FIELD_ROW;
    end *= PADICI_FIELD_ROW;
    if (end > each->count) end = each->count;
    *i = *i == UINT64_MAX ? first : *i + PADICI_FIELD_ROW;
    if (*i >= end) return 0;
    return end - *i < PADICI_FIELD_ROW ? (uint32_t)(end - *i) : PADICI_FIELD_ROW;
}

// Elements i to i + n, of `each` numbers, as a whole row: where they are, or with zeros in `space`.
static void padici_field_row_begin(padici_field_row *row, const padici_field_run *run, uint64_t i,
                                   uint32_t n, uint32_t each, float *space)
{
    memset(row, 0, sizeof *row);
    row->count = PADICI_FIELD_ROW;
    row->z[0] = run->psi + each * i;
    if (n == PADICI_FIELD_ROW) return;
    memcpy(space, row->z[0], 4 * (size_t)(each * n));
    memset(space + each * n, 0, 4 * (size_t)(each * (PADICI_FIELD_ROW - n)));
    row->z[0] = space;
}

static void padici_field_observe_task(void *arg, uint32_t task)
{
    const padici_field_run *run = (const padici_field_run *)arg;
    float space[2 * PADICI_FIELD_ROW], seen[PADICI_FIELD_ROW];
    uint64_t i = UINT64_MAX;
    uint32_t n, j;
    while ((n = padici_field_next(&run->each, task, &i)) != 0) {
        padici_field_row row;
        padici_field_row_begin(&row, run, i, n, 2, space);
        row.out = seen;
        row.what = (uint32_t)run->each.emit;
        (*run->kernel)(&row);
        for (j = 0; j < n && row.odd; j++) {
            const padici_complex z = padici_wave_each_get(&run->each, i + j);
            seen[j] = (float)padici_wave_real(run->each.emit, z);
        }
        memcpy(run->out + 4 * i, seen, 4 * (size_t)n);
    }
}

static padic_result padici_simd_observe(const padic_env *env, uint32_t level,
                                        const padic_wave_observe_desc *desc, int query)
{
    padici_field_run run;
    if (desc->psi.dtype != PADIC_C64 || desc->out.dtype != PADIC_F32 ||
        !padici_field_dense(&desc->psi) || !padici_field_dense(&desc->out))
        return PADIC_ERROR_NOT_SUPPORTED;
    if (query) return PADIC_OK;
    padici_wave_each_begin(&run.each, &desc->psi, &desc->out);
    run.each.emit = desc->emit;
    run.kernel = padici_field_of(level, PADICI_FIELD_OBSERVE);
    run.psi = (const float *)desc->psi.data;
    run.out = (char *)desc->out.data;
    padici_parallel(env->jobs, (uint32_t)run.each.tasks, padici_field_observe_task, &run);
    return PADIC_OK;
}

// The words of pixels, R in the low byte.
static void padici_field_pack(const padici_field_row *row, const uint8_t *table, uint32_t n,
                              char *to)
{
    uint32_t j, word;
    for (j = 0; j < n; j++) {
        const uint32_t r = (uint32_t)row->bytes[0][j];
        if (row->map == PADIC_WAVE_TABLE) {
            memcpy(to + 4 * j, table + 4 * (size_t)r, 4);
            continue;
        }
        word = r * 0x10101u;
        if (row->map != PADIC_WAVE_GREY)
            word = r | (uint32_t)row->bytes[1][j] << 8 | (uint32_t)row->bytes[2][j] << 16;
        padici_store32((uint8_t *)to + 4 * j, word | 0xff000000u);
    }
}

static void padici_field_pixels_task(void *arg, uint32_t task)
{
    padici_field_run *run = (padici_field_run *)arg;
    const padici_wave_job *pixels = &run->each.pixels;
    const padic_wave_tone *tone = &pixels->desc->tone;
    padici_wave_slice *slice = &run->each.slices[task];
    const uint32_t real = run->each.in->dtype == PADIC_F32;
    float space[2 * PADICI_FIELD_ROW];
    int32_t bytes[3][PADICI_FIELD_ROW];
    double seen[PADICI_FIELD_ROW];
    uint64_t i = UINT64_MAX;
    uint32_t n, j;
    while ((n = padici_field_next(&run->each, task, &i)) != 0) {
        char *to = run->out + 4 * i;
        padici_field_row row;
        padici_field_row_begin(&row, run, i, n, real ? 1 : 2, space);
        for (j = 0; j < 3; j++) row.bytes[j] = bytes[j];
        row.seen = seen;
        row.what = (uint32_t)tone->value;
        row.curve = (uint32_t)tone->curve;
        row.map = (uint32_t)tone->map;
        row.real = real;
        row.low = pixels->low;
        row.high = pixels->high;
        (*run->kernel)(&row);
        for (j = 0; j < n && row.odd; j++)
            padici_wave_store_rgba(pixels, slice, padici_wave_each_get(&run->each, i + j),
                                   to + 4 * j);
        if (row.odd) continue;
        padici_field_pack(&row, tone->table, n, to);
        for (j = 0; j < n && tone->range; j++) {
            if (seen[j] < slice->low) slice->low = seen[j];
            if (seen[j] > slice->high) slice->high = seen[j];
        }
    }
}

// All curves but LOG.
static padic_result padici_simd_tonemap(const padic_env *env, uint32_t level,
                                        const padic_wave_tonemap_desc *desc, int query)
{
    padic_wave_superpose_desc field;
    padici_field_run run;
    if ((desc->field.dtype != PADIC_C64 && desc->field.dtype != PADIC_F32) ||
        desc->tone.curve == PADIC_WAVE_LOG || !padici_field_dense(&desc->field) ||
        !padici_field_dense(&desc->out))
        return PADIC_ERROR_NOT_SUPPORTED;
    if (query) return PADIC_OK;
    padici_wave_tonemap_begin(&run.each, desc, &field);
    run.kernel = padici_field_of(level, PADICI_FIELD_PIXELS);
    run.psi = (const float *)desc->field.data;
    run.out = (char *)desc->out.data;
    padici_parallel(env->jobs, (uint32_t)run.each.tasks, padici_field_pixels_task, &run);
    padici_wave_tonemap_range(&run.each, desc);
    return PADIC_OK;
}

// The tree of the reference: blocks of 256 of a task, each in order; 8 of them at a time.
static void padici_field_norm_task(void *arg, uint32_t task)
{
    padici_field_run *run = (padici_field_run *)arg;
    uint64_t i, end, block;
    double total = 0, sums[8];
    uint32_t j;
    padici_wave_share(run->each.count, run->each.tasks, task, &i, &end);
    for (; end - i >= 2048; i += 2048) {
        padici_field_row row;
        memset(&row, 0, sizeof row);
        row.z[0] = run->psi + 2 * i;
        row.sums = sums;
        (*run->kernel)(&row);
        for (j = 0; j < 8; j++) total += sums[j];
    }
    while (i < end) {
        double sum = 0;
        for (block = end - i < 256 ? end : i + 256; i < block; i++) {
            const double re = (double)run->psi[2 * i], im = (double)run->psi[2 * i + 1];
            sum += re * re + im * im;
        }
        total += sum;
    }
    run->each.sums[task] = total;
}

static void padici_field_scale_task(void *arg, uint32_t task)
{
    padici_field_run *run = (padici_field_run *)arg;
    float space[2 * PADICI_FIELD_ROW];
    uint64_t i = UINT64_MAX;
    uint32_t n;
    while ((n = padici_field_next(&run->each, task, &i)) != 0) {
        padici_field_row row;
        padici_field_row_begin(&row, run, i, n, 2, space);
        row.out = space;
        row.factor = run->each.factor;
        (*run->kernel)(&row);
        memcpy(run->out + 8 * i, space, 8 * (size_t)n);
    }
}

static padic_result padici_simd_normalise(const padic_env *env, uint32_t level,
                                          const padic_wave_normalise_desc *desc, int query)
{
    padici_field_run run;
    double sum = 0;
    uint32_t i;
    if (desc->psi.dtype != PADIC_C64 || !padici_field_dense(&desc->psi))
        return PADIC_ERROR_NOT_SUPPORTED;
    if (query) return PADIC_OK;
    padici_wave_each_begin(&run.each, &desc->psi, &desc->psi);
    if (!run.each.count) return PADIC_OK;
    run.kernel = padici_field_of(level, PADICI_FIELD_SQUARES);
    run.psi = (const float *)desc->psi.data;
    run.out = (char *)desc->psi.data;
    padici_parallel(env->jobs, (uint32_t)run.each.tasks, padici_field_norm_task, &run);
    for (i = 0; i < run.each.tasks; i++) sum += run.each.sums[i];
    if (!padici_wave_norm_factor(desc, &sum, &run.each.factor)) return padici_wave_norm_bad(env);
    run.kernel = padici_field_of(level, PADICI_FIELD_SCALE);
    padici_parallel(env->jobs, (uint32_t)run.each.tasks, padici_field_scale_task, &run);
    if (desc->norm) *desc->norm = sum;
    return PADIC_OK;
}

// Element k of a row of n, one beyond either end too: around the end, or the last one again.
static const float *padici_field_at(const float *row, uint64_t count, int64_t k, int around)
{
    const int64_t last = (int64_t)count - 1;
    if (k < 0) k = around ? last : 0;
    if (k > last) k = around ? 0 : last;
    return row + 2 * k;
}

// Elements k to k + n of a row into `space`, zeros up to `whole`.
static const float *padici_field_part(const float *row, uint64_t count, int64_t k, uint32_t n,
                                      uint32_t whole, int around, float *space)
{
    uint32_t j;
    if (k >= 0 && (uint64_t)k + whole <= count && n == whole) return row + 2 * k;
    for (j = 0; j < n; j++)
        memcpy(space + 2 * j, padici_field_at(row, count, k + (int64_t)j, around), 8);
    memset(space + 2 * n, 0, 8 * (size_t)(whole - n));
    return space;
}

// Points k to k + n of a row: the slope along axis a.
static uint32_t padici_field_slope(const padici_field_grid *g, const uint64_t index[3], uint32_t n,
                                   uint32_t a, uint16_t *marks, float *slope)
{
    const padici_wave_grid_job *job = &g->job;
    const padic_wave_phase_gradient_desc *desc = job->gradient;
    const uint64_t k = index[g->last], count = job->count[g->last];
    const double step = desc->step[a] > 0 ? desc->step[a] : 1;
    const int around = (int)(job->periodic >> g->last & 1);
    const float *row = (const float *)desc->psi.data;
    float space[3][2 * PADICI_FIELD_ROW];
    padici_field_row f;
    uint32_t j, links = 2;
    for (j = 0; j < g->last; j++) row += 2 * (int64_t)index[j] * job->stride[j];
    memset(&f, 0, sizeof f);
    for (j = 0; j < 3; j++) { // left, here, right
        const float *from = row;
        int64_t way = 0, at = (int64_t)k;
        if (a == g->last) at += (int64_t)j - 1;
        else if (j != 1 && padici_wave_beside(job, index, a, j == 0, &way)) from += 2 * way;
        else if (j != 1) links--;
        f.z[j] = padici_field_part(from, count, at, n, PADICI_FIELD_ROW, around, space[j]);
    }
    f.marks[0] = marks;
    f.out = slope;
    f.count = PADICI_FIELD_ROW;
    f.what = (uint32_t)desc->method;
    f.low = desc->floor;
    f.factor = (desc->scale != 0 ? desc->scale : 1) / step / (links ? links : 1);
    if (desc->method != PADIC_WAVE_CURRENT) f.factor *= PADICI_TWO_PI;
    (*g->kernel)(&f);
    if (a == g->last && !around && count > 1) { // one link at an open edge
        if (!k) slope[0] *= 2;
        if (k + n == count) slope[n - 1] *= 2;
    }
    return f.odd;
}

// The task's next part of a row: points *i to *i + n in C order, the first at index[]. 0: no more.
static uint32_t padici_field_grid_next(const padici_field_grid *g, uint32_t task, uint64_t *i,
                                       uint64_t index[3])
{
    const uint64_t count = g->job.count[g->last];
    uint64_t first, end, left;
    padici_wave_share(g->rows, g->tasks, task, &first, &end);
    if (first == end) return 0;
    left = *i == UINT64_MAX ? 0 : count - *i % count;
    *i = *i == UINT64_MAX ? first * count
                          : *i + (left < PADICI_FIELD_ROW ? left : PADICI_FIELD_ROW);
    if (*i >= end * count) return 0;
    padici_wave_grid_index(&g->job, *i, index);
    left = count - *i % count;
    return left < PADICI_FIELD_ROW ? (uint32_t)left : PADICI_FIELD_ROW;
}

static void padici_field_slopes_task(void *arg, uint32_t task)
{
    const padici_field_grid *g = (const padici_field_grid *)arg;
    const padici_wave_grid_job *job = &g->job;
    const padic_wave_phase_gradient_desc *desc = job->gradient;
    uint64_t i = UINT64_MAX, index[3];
    uint32_t n;
    while ((n = padici_field_grid_next(g, task, &i, index)) != 0) {
        float slope[3][PADICI_FIELD_ROW], *to = (float *)desc->out.data;
        uint16_t marks[PADICI_FIELD_ROW / 16];
        uint32_t a, j, odd = 0;
        for (a = 0; a < desc->psi.rank; a++)
            odd |= padici_field_slope(g, index, n, a, marks, slope[a]);
        for (j = 0; j < n && odd; j++) padici_wave_gradient_point(job, task, i + j);
        if (odd) continue;
        for (a = 0; a < 3; a++) to += (int64_t)index[a] * job->out_stride[a];
        for (a = 0; a < desc->psi.rank; a++)
            for (j = 0; j < n; j++)
                to[(int64_t)j * job->out_stride[g->last] + (int64_t)a * job->out_stride[3]] =
                    slope[a][j];
        for (j = 0; j < n; j++) job->tallies[task].undefined += marks[j / 16] >> (j & 15) & 1u;
    }
}

static void padici_field_grid_begin(padici_field_grid *g, padici_field_kernel kernel)
{
    g->kernel = kernel;
    g->last = g->job.psi->rank - 1;
    g->rows = g->job.points / (g->job.count[g->last] ? g->job.count[g->last] : 1);
    g->tasks = g->rows < PADICI_WAVE_SHARES ? g->rows : PADICI_WAVE_SHARES;
}

// Whether the last axis is contiguous.
static int padici_field_rows(const padic_tensor *t)
{
    int64_t stride[PADIC_MAX_RANK];
    padici_tensor_dense(t, stride);
    return t->shape[t->rank - 1] < 2 || stride[t->rank - 1] == 1;
}

static padic_result padici_simd_phase_gradient(const padic_env *env, uint32_t level,
                                               const padic_wave_phase_gradient_desc *desc,
                                               int query)
{
    padici_wave_tally tallies[PADICI_WAVE_SHARES];
    padici_field_grid g;
    if (desc->psi.dtype != PADIC_C64 || desc->out.dtype != PADIC_F32 ||
        !padici_field_rows(&desc->psi))
        return PADIC_ERROR_NOT_SUPPORTED;
    if (query) return PADIC_OK;
    padici_wave_gradient_begin(&g.job, desc, tallies);
    padici_field_grid_begin(&g, padici_field_of(level, PADICI_FIELD_SLOPE));
    padici_parallel(env->jobs, (uint32_t)g.tasks, padici_field_slopes_task, &g);
    padici_wave_gradient_skipped(&g.job, desc);
    return PADIC_OK;
}

// Squares k to k + n of a row, of orientation o.
static void padici_field_charges(const padici_field_grid *g, const uint64_t index[3], uint32_t n,
                                uint32_t o, uint16_t (*marks)[PADICI_FIELD_ROW / 16])
{
    static const uint32_t corner[4][2] = {{0, 0}, {1, 0}, {1, 1}, {0, 1}};
    const padici_wave_grid_job *job = &g->job;
    const uint32_t axes[2] = {(o + 1) % 3, (o + 2) % 3};
    const uint64_t k = index[g->last], count = job->count[g->last];
    const int around = (int)(job->periodic >> g->last & 1);
    const float *row = (const float *)job->psi->data;
    float space[4][2 * PADICI_FIELD_ROW];
    padici_field_row f;
    uint32_t c, j;
    for (j = 0; j < g->last; j++) row += 2 * (int64_t)index[j] * job->stride[j];
    memset(&f, 0, sizeof f);
    memset(marks, 0, 3 * sizeof *marks);
    for (c = 0; c < 4; c++) {
        const float *from = row;
        int64_t way, at = (int64_t)k;
        for (j = 0; j < 2; j++) {
            if (axes[j] == g->last) {
                at += corner[c][j];
                continue;
            }
            if (!padici_wave_beside(job, index, axes[j], 0, &way)) return; // none
            if (corner[c][j]) from += 2 * way;
        }
        f.z[c] = padici_field_part(from, count, at, n, PADICI_FIELD_ROW, around, space[c]);
    }
    for (j = 0; j < 3; j++) f.marks[j] = marks[j];
    f.count = PADICI_FIELD_ROW;
    (*g->kernel)(&f);
    if (k + n == count && !around && (axes[0] == g->last || axes[1] == g->last)) // no square there
        for (j = 0; j < 3; j++)
            marks[j][(n - 1) / 16] &= (uint16_t)~(1u << ((n - 1) & 15));
}

static void padici_field_charges_task(void *arg, uint32_t task)
{
    const padici_field_grid *g = (const padici_field_grid *)arg;
    const padici_wave_grid_job *job = &g->job;
    const padic_wave_winding_desc *desc = job->winding;
    padici_wave_tally *tally = &job->tallies[task];
    uint64_t i = UINT64_MAX, index[3];
    uint32_t n;
    while ((n = padici_field_grid_next(g, task, &i, index)) != 0) {
        uint16_t marks[3][PADICI_FIELD_ROW / 16];
        uint32_t o, a, j;
        for (o = desc->psi.rank == 2 ? 2 : 0; o < 3; o++) {
            int64_t to = (int64_t)o * job->out_stride[3];
            padici_field_charges(g, index, n, o, marks);
            for (a = 0; a < 3; a++) to += (int64_t)index[a] * job->out_stride[a];
            for (j = 0; j < n; j++) {
                const int plus = marks[0][j / 16] >> (j & 15) & 1;
                const int minus = marks[1][j / 16] >> (j & 15) & 1;
                const int bad = marks[2][j / 16] >> (j & 15) & 1;
                if (desc->map.dtype != PADIC_DTYPE_NONE)
                    ((int8_t *)desc->map.data)[to + (int64_t)j * job->out_stride[g->last]] =
                        (int8_t)(plus - minus - 128 * bad);
                tally->total[o] += plus - minus;
                tally->absolute += (uint64_t)(plus + minus);
                tally->undefined += (uint64_t)bad;
            }
        }
    }
}

static padic_result padici_simd_winding(const padic_env *env, uint32_t level,
                                        const padic_wave_winding_desc *desc, int query)
{
    padici_wave_tally tallies[PADICI_WAVE_SHARES], sum;
    padici_field_grid g;
    uint32_t i, o;
    if (desc->psi.dtype != PADIC_C64 || desc->list || !padici_field_rows(&desc->psi))
        return PADIC_ERROR_NOT_SUPPORTED;
    if (query) return PADIC_OK;
    padici_wave_winding_begin(&g.job, desc, tallies);
    padici_field_grid_begin(&g, padici_field_of(level, PADICI_FIELD_CHARGE));
    padici_parallel(env->jobs, (uint32_t)g.tasks, padici_field_charges_task, &g);
    memset(&sum, 0, sizeof sum);
    for (i = 0; i < g.tasks; i++) {
        for (o = 0; o < 3; o++) sum.total[o] += tallies[i].total[o];
        sum.absolute += tallies[i].absolute;
        sum.undefined += tallies[i].undefined;
    }
    padici_wave_winding_results(desc, &sum);
    return PADIC_OK;
}

static padic_result padici_simd_field(const padic_env *env, uint32_t level, uint32_t op,
                                      const void *desc, int query)
{
    switch (op) {
    case PADIC_OP_WAVE_OBSERVE:
        return padici_simd_observe(env, level, (const padic_wave_observe_desc *)desc, query);
    case PADIC_OP_WAVE_TONEMAP:
        return padici_simd_tonemap(env, level, (const padic_wave_tonemap_desc *)desc, query);
    case PADIC_OP_WAVE_NORMALISE:
        return padici_simd_normalise(env, level, (const padic_wave_normalise_desc *)desc, query);
    case PADIC_OP_WAVE_PHASE_GRADIENT:
        return padici_simd_phase_gradient(env, level, (const padic_wave_phase_gradient_desc *)desc,
                                          query);
    case PADIC_OP_WAVE_WINDING:
        return padici_simd_winding(env, level, (const padic_wave_winding_desc *)desc, query);
    default: return PADIC_ERROR_NOT_SUPPORTED;
    }
}
#else
static padic_result padici_simd_superpose(const padic_env *env, uint32_t level,
                                          const padic_wave_superpose_desc *desc, int query)
{
    (void)env;
    (void)level;
    (void)desc;
    (void)query;
    return PADIC_ERROR_NOT_SUPPORTED;
}

static padic_result padici_simd_gradient(const padic_env *env, uint32_t level,
                                         const padic_wave_gradient_desc *desc, int query)
{
    (void)env;
    (void)level;
    (void)desc;
    (void)query;
    return PADIC_ERROR_NOT_SUPPORTED;
}

static padic_result padici_simd_frames(const padic_env *env, uint32_t level,
                                       const padic_wave_frames_desc *desc, int query)
{
    (void)env;
    (void)level;
    (void)desc;
    (void)query;
    return PADIC_ERROR_NOT_SUPPORTED;
}
#endif
// room: src/simd/padic_simd_wave.in.h:36

#elif defined(PADICI_SIMD_WAVE_BEGUN) && defined(PADICI_ISA)

// room: src/simd/wave/words.c
// --------------------------------------------------------------------------------- >>vector words
//
// VF: a vector of f32; VD: of f64, half as many; VG, VDG: marks of lanes. ROOT0, PART0: estimates
// of 1/sqrt(x), 1/x. TINY, DTINY: lanes below FLT_MIN; DROP: 0 in these.

#if PADICI_ISA_LEVEL >= 3
#define PADICI_TARGET PADICI_AVX512
#define PADICI_VF __m512
#define PADICI_VD __m512d
#define PADICI_VG __mmask16
#define PADICI_VDG __mmask8
#define PADICI_F(op) _mm512_##op##_ps
#define PADICI_D(op) _mm512_##op##_pd
#define PADICI_LANES 16u
#define PADICI_ROOT0(x) _mm512_rsqrt14_ps(x)
#define PADICI_PART0(x) _mm512_rcp14_ps(x)
#define PADICI_TINY(x) _mm512_cmp_ps_mask(x, _mm512_set1_ps(FLT_MIN), _CMP_LT_OQ)
#define PADICI_DROP(g, x) _mm512_maskz_mov_ps((__mmask16)~(g), x)
#define PADICI_ANY(g) (g)
#define PADICI_G0 0
#define PADICI_OR(a, b) (__mmask16)((a) | (b))
#define PADICI_DTINY(x) _mm512_cmp_pd_mask(x, _mm512_set1_pd(FLT_MIN), _CMP_LT_OQ)
#define PADICI_DDROP(g, x) _mm512_maskz_mov_pd((__mmask8)~(g), x)
#define PADICI_DG0 0
#define PADICI_DOR(a, b) (__mmask8)((a) | (b))
#define PADICI_DROUND(x) _mm512_roundscale_pd(x, 8)
#define PADICI_LOW(x) _mm512_cvtps_pd(_mm512_castps512_ps256(x))
#define PADICI_HIGH(x) _mm512_cvtps_pd(_mm512_extractf32x8_ps(x, 1))
#define PADICI_JOIN(a, b) \
    _mm512_insertf32x8(_mm512_castps256_ps512(_mm512_cvtpd_ps(a)), _mm512_cvtpd_ps(b), 1)
#define PADICI_NEAREST(x) _mm512_cvtps_epi32(x)
#define PADICI_WHOLE(n) _mm512_cvtepi32_ps(n)
#define PADICI_FLIP(x, n) \
    _mm512_castsi512_ps( \
        _mm512_xor_si512(_mm512_castps_si512(x), _mm512_slli_epi32(n, 31)))
#define PADICI_SCALE(x, n) \
    _mm512_castsi512_ps( \
        _mm512_add_epi32(_mm512_castps_si512(x), _mm512_slli_epi32(n, 23)))
#define PADICI_N __m512i
#define PADICI_DMADD(a, b, c) _mm512_fmadd_pd(a, b, c)
#define PADICI_DABS(x)                                                      \
    _mm512_castsi512_pd(_mm512_and_si512(_mm512_castpd_si512(x),            \
                                         _mm512_set1_epi64(0x7fffffffffffffff)))
#define PADICI_DLESS(a, b) _mm512_cmp_pd_mask(a, b, _CMP_LT_OQ)
#define PADICI_DPICK(g, yes, no) _mm512_mask_blend_pd(g, no, yes)
#define PADICI_DBITS(g) ((uint32_t)(g))
#define PADICI_CUT(x) _mm512_cvttps_epi32(x)
#define PADICI_NSTORE(to, n) _mm512_storeu_si512((void *)(to), n)
#define PADICI_SPLIT(from, re, im)                                                             \
    do {                                                                                       \
        const __m512 a_ = _mm512_loadu_ps(from), b_ = _mm512_loadu_ps((from) + 16);            \
        (re) = _mm512_permutex2var_ps(a_, _mm512_set_epi32(30, 28, 26, 24, 22, 20, 18, 16, 14, \
                                                           12, 10, 8, 6, 4, 2, 0), b_);        \
        (im) = _mm512_permutex2var_ps(a_, _mm512_set_epi32(31, 29, 27, 25, 23, 21, 19, 17, 15, \
                                                           13, 11, 9, 7, 5, 3, 1), b_);        \
    } while (0)
#define PADICI_BLOCKS(from, re, im)                                                            \
    do {                                                                                       \
        const __m512i g_ = _mm512_i64gather_epi64(                                             \
            _mm512_set_epi64(14336, 12288, 10240, 8192, 6144, 4096, 2048, 0),                  \
            (const void *)(from), 1);                                                          \
        (re) = _mm512_cvtps_pd(_mm256_castsi256_ps(_mm512_cvtepi64_epi32(g_)));                \
        (im) = _mm512_cvtps_pd(                                                                \
            _mm256_castsi256_ps(_mm512_cvtepi64_epi32(_mm512_srli_epi64(g_, 32))));            \
    } while (0)
#elif PADICI_ISA_LEVEL == 2
#define PADICI_TARGET PADICI_AVX2
#define PADICI_VF __m256
#define PADICI_VD __m256d
#define PADICI_VG __m256
#define PADICI_VDG __m256d
#define PADICI_F(op) _mm256_##op##_ps
#define PADICI_D(op) _mm256_##op##_pd
#define PADICI_LANES 8u
#define PADICI_ROOT0(x) _mm256_rsqrt_ps(x)
#define PADICI_PART0(x) _mm256_rcp_ps(x)
#define PADICI_TINY(x) _mm256_cmp_ps(x, _mm256_set1_ps(FLT_MIN), _CMP_LT_OQ)
#define PADICI_DROP(g, x) _mm256_andnot_ps(g, x)
#define PADICI_ANY(g) _mm256_movemask_ps(g)
#define PADICI_G0 _mm256_setzero_ps()
#define PADICI_OR(a, b) _mm256_or_ps(a, b)
#define PADICI_DTINY(x) _mm256_cmp_pd(x, _mm256_set1_pd(FLT_MIN), _CMP_LT_OQ)
#define PADICI_DDROP(g, x) _mm256_andnot_pd(g, x)
#define PADICI_DANY(g) _mm256_movemask_pd(g)
#define PADICI_DG0 _mm256_setzero_pd()
#define PADICI_DOR(a, b) _mm256_or_pd(a, b)
#define PADICI_DROUND(x) _mm256_round_pd(x, 8)
#define PADICI_LOW(x) _mm256_cvtps_pd(_mm256_castps256_ps128(x))
#define PADICI_HIGH(x) _mm256_cvtps_pd(_mm256_extractf128_ps(x, 1))
#define PADICI_JOIN(a, b) \
    _mm256_insertf128_ps(_mm256_castps128_ps256(_mm256_cvtpd_ps(a)), _mm256_cvtpd_ps(b), 1)
#define PADICI_NEAREST(x) _mm256_cvtps_epi32(x)
#define PADICI_WHOLE(n) _mm256_cvtepi32_ps(n)
#define PADICI_FLIP(x, n) \
    _mm256_castsi256_ps( \
        _mm256_xor_si256(_mm256_castps_si256(x), _mm256_slli_epi32(n, 31)))
#define PADICI_SCALE(x, n) \
    _mm256_castsi256_ps( \
        _mm256_add_epi32(_mm256_castps_si256(x), _mm256_slli_epi32(n, 23)))
#define PADICI_N __m256i
#define PADICI_DMADD(a, b, c) _mm256_fmadd_pd(a, b, c)
#define PADICI_DABS(x) _mm256_andnot_pd(_mm256_set1_pd(-0.0), x)
#define PADICI_DLESS(a, b) _mm256_cmp_pd(a, b, _CMP_LT_OQ)
#define PADICI_DPICK(g, yes, no) _mm256_blendv_pd(no, yes, g)
#define PADICI_DBITS(g) ((uint32_t)_mm256_movemask_pd(g))
#define PADICI_CUT(x) _mm256_cvttps_epi32(x)
#define PADICI_NSTORE(to, n) _mm256_storeu_si256((__m256i *)(void *)(to), n)
#define PADICI_SPLIT(from, re, im)                                                             \
    do {                                                                                       \
        const __m256 a_ = _mm256_loadu_ps(from), b_ = _mm256_loadu_ps((from) + 8);             \
        (re) = _mm256_castpd_ps(_mm256_permute4x64_pd(                                         \
            _mm256_castps_pd(_mm256_shuffle_ps(a_, b_, 0x88)), 0xd8));                         \
        (im) = _mm256_castpd_ps(_mm256_permute4x64_pd(                                         \
            _mm256_castps_pd(_mm256_shuffle_ps(a_, b_, 0xdd)), 0xd8));                         \
    } while (0)
#define PADICI_BLOCKS(from, re, im)                                                            \
    do {                                                                                       \
        const __m256i g_ = _mm256_i64gather_epi64((const long long *)(const void *)(from),     \
                                                  _mm256_set_epi64x(6144, 4096, 2048, 0), 1);  \
        const __m256i h_ = _mm256_permutevar8x32_epi32(                                        \
            g_, _mm256_set_epi32(7, 5, 3, 1, 6, 4, 2, 0));                                     \
        (re) = _mm256_cvtps_pd(_mm_castsi128_ps(_mm256_castsi256_si128(h_)));                  \
        (im) = _mm256_cvtps_pd(_mm_castsi128_ps(_mm256_extracti128_si256(h_, 1)));             \
    } while (0)
#else
#define PADICI_TARGET
#define PADICI_VF float32x4_t
#define PADICI_VD float64x2_t
#define PADICI_VG uint32x4_t
#define PADICI_VDG uint64x2_t
#define PADICI_LANES 4u
#define PADICI_F(op) PADICI_F_##op
#define PADICI_D(op) PADICI_D_##op
#define PADICI_F_set1 vdupq_n_f32
#define PADICI_F_loadu vld1q_f32
#define PADICI_F_storeu vst1q_f32
#define PADICI_F_add vaddq_f32
#define PADICI_F_sub vsubq_f32
#define PADICI_F_mul vmulq_f32
#define PADICI_F_max vmaxq_f32
#define PADICI_F_min vminq_f32
#define PADICI_F_sqrt vsqrtq_f32
#define PADICI_F_setzero() vdupq_n_f32(0)
#define PADICI_F_fmadd(a, b, c) vfmaq_f32(c, a, b)
#define PADICI_F_fnmadd(a, b, c) vfmsq_f32(c, a, b)
#define PADICI_D_set1 vdupq_n_f64
#define PADICI_D_loadu vld1q_f64
#define PADICI_D_storeu vst1q_f64
#define PADICI_D_add vaddq_f64
#define PADICI_D_sub vsubq_f64
#define PADICI_D_mul vmulq_f64
#define PADICI_D_div vdivq_f64
#define PADICI_D_max vmaxq_f64
#define PADICI_D_sqrt vsqrtq_f64
#define PADICI_ROOT0(x) PADICI_WK(root0)(x)
#define PADICI_PART0(x) PADICI_WK(part0)(x)
#define PADICI_TINY(x) vcltq_f32(x, vdupq_n_f32(FLT_MIN))
#define PADICI_DROP(g, x) vreinterpretq_f32_u32(vbicq_u32(vreinterpretq_u32_f32(x), g))
#define PADICI_ANY(g) vmaxvq_u32(g)
#define PADICI_G0 vdupq_n_u32(0)
#define PADICI_OR(a, b) vorrq_u32(a, b)
#define PADICI_DTINY(x) vcltq_f64(x, vdupq_n_f64(FLT_MIN))
#define PADICI_DDROP(g, x) vreinterpretq_f64_u64(vbicq_u64(vreinterpretq_u64_f64(x), g))
#define PADICI_DANY(g) (vgetq_lane_u64(g, 0) | vgetq_lane_u64(g, 1))
#define PADICI_DG0 vdupq_n_u64(0)
#define PADICI_DOR(a, b) vorrq_u64(a, b)
#define PADICI_DROUND(x) vrndnq_f64(x)
#define PADICI_LOW(x) vcvt_f64_f32(vget_low_f32(x))
#define PADICI_HIGH(x) vcvt_high_f64_f32(x)
#define PADICI_JOIN(a, b) vcvt_high_f32_f64(vcvt_f32_f64(a), b)
#define PADICI_NEAREST(x) vcvtnq_s32_f32(x)
#define PADICI_WHOLE(n) vcvtq_f32_s32(n)
#define PADICI_FLIP(x, n)                                   \
    vreinterpretq_f32_u32(veorq_u32(vreinterpretq_u32_f32(x), \
                                    vreinterpretq_u32_s32(vshlq_n_s32(n, 31))))
#define PADICI_SCALE(x, n) \
    vreinterpretq_f32_s32(vaddq_s32(vreinterpretq_s32_f32(x), vshlq_n_s32(n, 23)))
#define PADICI_N int32x4_t
#define PADICI_D_min vminq_f64
#define PADICI_DMADD(a, b, c) vfmaq_f64(c, a, b)
#define PADICI_DABS(x) vabsq_f64(x)
#define PADICI_DLESS(a, b) vcltq_f64(a, b)
#define PADICI_DPICK(g, yes, no) vbslq_f64(g, yes, no)
#define PADICI_DBITS(g) \
    ((uint32_t)(vgetq_lane_u64(g, 0) & 1) | (uint32_t)(vgetq_lane_u64(g, 1) & 2))
#define PADICI_CUT(x) vcvtq_s32_f32(x)
#define PADICI_NSTORE(to, n) vst1q_s32(to, n)
#define PADICI_SPLIT(from, re, im)                \
    do {                                          \
        const float32x4x2_t a_ = vld2q_f32(from); \
        (re) = a_.val[0];                         \
        (im) = a_.val[1];                         \
    } while (0)
#define PADICI_BLOCKS(from, re, im)                                            \
    do {                                                                       \
        const float32x2_t a_ = vld1_f32(from), b_ = vld1_f32((from) + 512);    \
        (re) = vcvt_f64_f32(vtrn1_f32(a_, b_));                                \
        (im) = vcvt_f64_f32(vtrn2_f32(a_, b_));                                \
    } while (0)
PADICI_INLINE PADICI_VF PADICI_WK(root0)(PADICI_VF x)
{
    const PADICI_VF y = vrsqrteq_f32(x); // 8 bits
    return vmulq_f32(y, vrsqrtsq_f32(vmulq_f32(x, y), y));
}

PADICI_INLINE PADICI_VF PADICI_WK(part0)(PADICI_VF x)
{
    const PADICI_VF y = vrecpeq_f32(x);
    return vmulq_f32(y, vrecpsq_f32(x, y));
}
#endif

#define PADICI_SET(x) PADICI_F(set1)(x)
#define PADICI_ADD(a, b) PADICI_F(add)(a, b)
#define PADICI_MUL(a, b) PADICI_F(mul)(a, b)
#define PADICI_MADD(a, b, c) PADICI_F(fmadd)(a, b, c)
#define PADICI_NMADD(a, b, c) PADICI_F(fnmadd)(a, b, c)

// 1/sqrt(x): y (1 + e/2 + 3 e^2/8), e = 1 - x y^2.
PADICI_TARGET PADICI_INLINE PADICI_VF PADICI_WK(root)(PADICI_VF x)
{
    const PADICI_VF y = PADICI_ROOT0(x), e = PADICI_NMADD(PADICI_MUL(x, y), y, PADICI_SET(1.0f));
    return PADICI_MADD(PADICI_MUL(y, e), PADICI_MADD(PADICI_SET(0.375f), e, PADICI_SET(0.5f)), y);
}

// 1/x: y (1 + e + e^2), e = 1 - x y.
PADICI_TARGET PADICI_INLINE PADICI_VF PADICI_WK(part)(PADICI_VF x)
{
    const PADICI_VF y = PADICI_PART0(x), e = PADICI_NMADD(x, y, PADICI_SET(1.0f));
    return PADICI_MADD(PADICI_MUL(y, e), PADICI_ADD(e, PADICI_SET(1.0f)), y);
}

// sum += size e^{i pi t}.
PADICI_TARGET PADICI_INLINE void PADICI_WK(wave)(PADICI_VF t, PADICI_VF size, PADICI_VF *re,
                                              PADICI_VF *im)
{
    const PADICI_N n = PADICI_NEAREST(t);
    const PADICI_VF g = PADICI_F(sub)(t, PADICI_WHOLE(n)), z = PADICI_MUL(g, g);
    PADICI_VF s = PADICI_MADD(PADICI_SET(-0.5546361974f), z, PADICI_SET(2.541899028f));
    PADICI_VF c = PADICI_MADD(PADICI_SET(0.2196967987f), z, PADICI_SET(-1.3318801613f));
    s = PADICI_MADD(s, z, PADICI_SET(-5.1671427964f));
    c = PADICI_MADD(c, z, PADICI_SET(4.0584119042f));
    s = PADICI_MADD(s, z, PADICI_SET(3.1415820222f));
    c = PADICI_MADD(c, z, PADICI_SET(-4.9347928587f));
    size = PADICI_FLIP(size, n);
    c = PADICI_MADD(c, z, PADICI_SET(0.9999999535f));
    *re = PADICI_MADD(size, c, *re);
    *im = PADICI_MADD(PADICI_MUL(size, g), s, *im);
}

PADICI_TARGET PADICI_INLINE void PADICI_WK(add)(padici_tile *t, uint32_t i, PADICI_VF re,
                                             PADICI_VF im)
{
    const uint32_t half = PADICI_LANES / 2;
    double *to = t->total[0] + i;
    PADICI_D(storeu)(to, PADICI_D(add)(PADICI_D(loadu)(to), PADICI_LOW(re)));
    PADICI_D(storeu)(to + half, PADICI_D(add)(PADICI_D(loadu)(to + half), PADICI_HIGH(re)));
    to = t->total[1] + i;
    PADICI_D(storeu)(to, PADICI_D(add)(PADICI_D(loadu)(to), PADICI_LOW(im)));
    PADICI_D(storeu)(to + half, PADICI_D(add)(PADICI_D(loadu)(to + half), PADICI_HIGH(im)));
}

// `soft` and `root` are constants where it is called.
PADICI_TARGET PADICI_INLINE void PADICI_WK(direct_as)(padici_tile *t, uint32_t soft, uint32_t root)
{
    const uint32_t n = t->count[0];
    const PADICI_VF add = PADICI_SET(t->add), least = PADICI_SET(t->least);
    const PADICI_VF widen = PADICI_SET(t->widen);
    PADICI_VG bad = PADICI_G0;
    uint32_t i, j, p;
    for (i = 0; i < t->vectors; i += 2 * PADICI_LANES) {
        PADICI_VF re[2], im[2], d[2][3];
        for (p = 0; p < 2; p++) {
            for (j = 0; j < 3; j++) d[p][j] = PADICI_F(loadu)(t->d[j] + i + p * PADICI_LANES);
            re[p] = im[p] = PADICI_F(setzero)();
        }
        for (j = 0; j < n; j++) {
            const padici_tile_source *s = &t->direct[j];
            for (p = 0; p < 2; p++) {
                const PADICI_VF x = PADICI_ADD(d[p][0], PADICI_SET(s->at[0]));
                const PADICI_VF y = PADICI_ADD(d[p][1], PADICI_SET(s->at[1]));
                const PADICI_VF z = PADICI_ADD(d[p][2], PADICI_SET(s->at[2]));
                PADICI_VF r2 = PADICI_MADD(z, z, PADICI_MADD(y, y, PADICI_MUL(x, x))), size, r;
                if (soft == PADICI_TILE_SOFT) r2 = PADICI_F(max)(PADICI_ADD(r2, add), least);
                if (soft == PADICI_TILE_PLUMMER) {
                    r = PADICI_F(sqrt)(r2);
                    size = PADICI_WK(root)(PADICI_ADD(r2, widen));
                } else {
                    size = PADICI_WK(root)(r2);
                    r = PADICI_MUL(r2, size);
                }
                if (root) size = PADICI_F(sqrt)(size);
                if (soft == PADICI_TILE_NONE) {
                    const PADICI_VG tiny = PADICI_TINY(r2);
                    bad = PADICI_OR(bad, tiny);
                    size = PADICI_DROP(tiny, size);
                    r = PADICI_DROP(tiny, r); // an estimate of 1/0 makes NaN
                }
                PADICI_WK(wave)(PADICI_MADD(PADICI_SET(s->wave), r, PADICI_SET(s->phase)),
                                PADICI_MUL(size, PADICI_SET(s->size)), &re[p], &im[p]);
            }
        }
        for (p = 0; p < 2; p++) PADICI_WK(add)(t, i + p * PADICI_LANES, re[p], im[p]);
    }
    if (PADICI_ANY(bad)) t->bad = 1;
}

PADICI_TARGET static void PADICI_WK(direct)(padici_tile *t)
{
    if (t->soft == PADICI_TILE_NONE && !t->root) PADICI_WK(direct_as)(t, PADICI_TILE_NONE, 0);
    else if (t->soft == PADICI_TILE_SOFT && !t->root) PADICI_WK(direct_as)(t, PADICI_TILE_SOFT, 0);
    else if (t->soft == PADICI_TILE_NONE) PADICI_WK(direct_as)(t, PADICI_TILE_NONE, 1);
    else if (t->soft == PADICI_TILE_SOFT) PADICI_WK(direct_as)(t, PADICI_TILE_SOFT, 1);
    else PADICI_WK(direct_as)(t, PADICI_TILE_PLUMMER, t->root);
}

PADICI_TARGET PADICI_INLINE void PADICI_WK(mid_as)(padici_tile *t, uint32_t soft, uint32_t root)
{
    const uint32_t n = t->count[1];
    const PADICI_VF widen = PADICI_SET(t->widen);
    uint32_t i, j, p;
    for (i = 0; i < t->vectors; i += 2 * PADICI_LANES) {
        PADICI_VF re[2], im[2], d[2][4];
        for (p = 0; p < 2; p++) {
            for (j = 0; j < 4; j++) d[p][j] = PADICI_F(loadu)(t->d[j] + i + p * PADICI_LANES);
            re[p] = im[p] = PADICI_F(setzero)();
        }
        for (j = 0; j < n; j++) {
            const padici_tile_source *s = &t->mid[j];
            for (p = 0; p < 2; p++) {
                PADICI_VF more = PADICI_MADD(d[p][0], PADICI_SET(s->at[0]), d[p][3]), r2, size, way;
                more = PADICI_MADD(d[p][1], PADICI_SET(s->at[1]), more);
                more = PADICI_MADD(d[p][2], PADICI_SET(s->at[2]), more);
                r2 = PADICI_ADD(more, PADICI_SET(s->r2));
                size = PADICI_WK(root)(r2);
                way = PADICI_MADD(r2, size, PADICI_SET(s->r0)); // r + r0
                way = PADICI_MUL(more, PADICI_WK(part)(way));
                if (soft == PADICI_TILE_PLUMMER) size = PADICI_WK(root)(PADICI_ADD(r2, widen));
                if (root) size = PADICI_F(sqrt)(size);
                PADICI_WK(wave)(PADICI_MADD(PADICI_SET(s->wave), way, PADICI_SET(s->phase)),
                                PADICI_MUL(size, PADICI_SET(s->size)), &re[p], &im[p]);
            }
        }
        for (p = 0; p < 2; p++) PADICI_WK(add)(t, i + p * PADICI_LANES, re[p], im[p]);
    }
}

PADICI_TARGET static void PADICI_WK(mid)(padici_tile *t)
{
    if (t->soft != PADICI_TILE_PLUMMER && !t->root) PADICI_WK(mid_as)(t, PADICI_TILE_NONE, 0);
    else PADICI_WK(mid_as)(t, t->soft, t->root);
}

PADICI_TARGET static void PADICI_WK(series)(padici_tile *t)
{
    const uint32_t n = t->count[3];
    uint32_t i, j, k, p;
    for (i = 0; i < t->vectors; i += 2 * PADICI_LANES) {
        PADICI_VF re[2], im[2], d[2][4];
        for (p = 0; p < 2; p++) {
            for (j = 0; j < 4; j++) d[p][j] = PADICI_F(loadu)(t->d[j] + i + p * PADICI_LANES);
            re[p] = im[p] = PADICI_F(setzero)();
        }
        for (j = 0; j < n; j++) {
            const padici_tile_far *s = &t->far_[j];
            for (p = 0; p < 2; p++) {
                PADICI_VF u = PADICI_MUL(d[p][3], PADICI_SET(s->square)), phase, size;
                u = PADICI_MADD(d[p][2], PADICI_SET(s->at[2]), u);
                u = PADICI_MADD(d[p][1], PADICI_SET(s->at[1]), u);
                u = PADICI_MADD(d[p][0], PADICI_SET(s->at[0]), u);
                phase = PADICI_MADD(PADICI_SET(s->phase[4]), u, PADICI_SET(s->phase[3]));
                size = PADICI_MADD(PADICI_SET(s->size[4]), u, PADICI_SET(s->size[3]));
                for (k = 3; k-- > 0;) {
                    phase = PADICI_MADD(phase, u, PADICI_SET(s->phase[k]));
                    size = PADICI_MADD(size, u, PADICI_SET(s->size[k]));
                }
                PADICI_WK(wave)(phase, size, &re[p], &im[p]);
            }
        }
        for (p = 0; p < 2; p++) PADICI_WK(add)(t, i + p * PADICI_LANES, re[p], im[p]);
    }
}

// Of a source, re and im: the wave in the middle row, its factors to the next row and to the one
// before, and what these are multiplied by from row to row, less 1.
typedef struct PADICI_WK(rows_at) {
    PADICI_VF z[2], up[2], down[2], more[2];
} PADICI_WK(rows_at);

// re + i im turned by the small angle `bend`, and stretched by e^e, e small.
PADICI_TARGET PADICI_INLINE void PADICI_WK(rows_factor)(PADICI_VF re, PADICI_VF im, PADICI_VF bend,
                                                        PADICI_VF e, PADICI_VF to[2])
{
    const PADICI_VF one = PADICI_SET(1.0f);
    const PADICI_VF less = PADICI_NMADD(PADICI_MUL(PADICI_SET(0.5f), bend), bend, one);
    const PADICI_VF size = PADICI_MADD(e, PADICI_MADD(PADICI_SET(0.5f), e, one), one);
    const PADICI_VF x = PADICI_NMADD(im, bend, PADICI_MUL(re, less));
    const PADICI_VF y = PADICI_MADD(re, bend, PADICI_MUL(im, less));
    to[0] = PADICI_MUL(x, size);
    to[1] = PADICI_MUL(y, size);
}

// e^{i pi t}, sine and cosine to 5e-8.
PADICI_TARGET PADICI_INLINE void PADICI_WK(rows_turn)(PADICI_VF t, PADICI_VF *re, PADICI_VF *im)
{
    const PADICI_N n = PADICI_NEAREST(t);
    const PADICI_VF g = PADICI_F(sub)(t, PADICI_WHOLE(n)), z = PADICI_MUL(g, g);
    PADICI_VF s = PADICI_MADD(PADICI_SET(0.07722013f), z, PADICI_SET(-0.59804517f));
    PADICI_VF c = PADICI_MADD(PADICI_SET(0.2196967987f), z, PADICI_SET(-1.3318801613f));
    s = PADICI_MADD(s, z, PADICI_SET(2.55003138f));
    c = PADICI_MADD(c, z, PADICI_SET(4.0584119042f));
    s = PADICI_MADD(s, z, PADICI_SET(-5.16770688f));
    c = PADICI_MADD(c, z, PADICI_SET(-4.9347928587f));
    s = PADICI_MADD(s, z, PADICI_SET(3.14159258f));
    *re = PADICI_FLIP(PADICI_MADD(c, z, PADICI_SET(0.9999999535f)), n);
    *im = PADICI_FLIP(PADICI_MUL(s, g), n);
}

// At points i of the middle row; m: the part of r that lies along rows, p = step/r. After j rows r
// is r (1 + j p m + j^2 p^2 (1 - m^2)/2), ln r has grown by j p m + j^2 p^2 (1 - 2 m^2)/2.
PADICI_TARGET PADICI_INLINE void PADICI_WK(rows_begin)(const padici_tile *t,
                                                       const padici_tile_rows *s, uint32_t i,
                                                       PADICI_WK(rows_at) *to)
{
    const padici_tile_far *f = &s->far_;
    const PADICI_VF along = PADICI_F(loadu)(t->along + i);
    const PADICI_VF power = PADICI_SET(t->root ? 0.5f : 1.0f);
    PADICI_VF u = PADICI_MUL(PADICI_F(loadu)(t->d[3] + i), PADICI_SET(f->square)), phase, size;
    PADICI_VF inverse, m, p, turn, bend, first, second, x, y;
    uint32_t k;
    for (k = 3; k-- > 0;) u = PADICI_MADD(PADICI_F(loadu)(t->d[k] + i), PADICI_SET(f->at[k]), u);
    phase = PADICI_SET(f->phase[4]);
    size = PADICI_SET(f->size[4]);
    for (k = 4; k-- > 0;) {
        if (k) phase = PADICI_MADD(phase, u, PADICI_SET(f->phase[k]));
        size = PADICI_MADD(size, u, PADICI_SET(f->size[k]));
    }
    phase = PADICI_MUL(phase, u); // k (r - r0)
    inverse = PADICI_WK(root)(PADICI_MADD(u, PADICI_SET(s->r2), PADICI_SET(s->r2)));
    m = PADICI_MUL(PADICI_ADD(along, PADICI_SET(s->reach)), inverse);
    p = PADICI_MUL(PADICI_SET((float)t->step), inverse);
    // k step m is that of the centre and k step (along - (r - r0) reach/r0)/r
    turn = PADICI_NMADD(PADICI_SET(s->slant), phase, PADICI_MUL(PADICI_SET(s->wave), along));
    turn = PADICI_MADD(turn, inverse, PADICI_SET(s->turn));
    bend = PADICI_MUL(p, PADICI_NMADD(m, m, PADICI_SET(1.0f)));
    bend = PADICI_MUL(PADICI_SET(1.57079633f * s->wave), bend);
    first = PADICI_MUL(PADICI_MUL(power, p), m);
    second = PADICI_MUL(PADICI_MUL(power, PADICI_MUL(p, p)), // less, as amplitudes fall
                        PADICI_MADD(m, m, PADICI_SET(-0.5f)));
    PADICI_WK(rows_turn)(PADICI_ADD(phase, PADICI_SET(f->phase[0])), &x, &y);
    to->z[0] = PADICI_MUL(x, size);
    to->z[1] = PADICI_MUL(y, size);
    PADICI_WK(rows_turn)(turn, &x, &y);
    PADICI_WK(rows_factor)(x, y, bend, PADICI_F(sub)(second, first), to->up);
    PADICI_WK(rows_factor)(x, PADICI_F(sub)(PADICI_SET(0.0f), y), bend, PADICI_ADD(second, first),
                           to->down);
    p = PADICI_ADD(bend, bend);
    to->more[0] = PADICI_NMADD(p, bend, PADICI_ADD(second, second));
    to->more[1] = p;
}

// z *= w, added to the sums at i; w += w more.
PADICI_TARGET PADICI_INLINE void PADICI_WK(rows_step)(padici_tile *t, uint32_t i, PADICI_VF z[2],
                                                      PADICI_VF w[2], const PADICI_VF more[2])
{
    const PADICI_VF x = PADICI_NMADD(z[1], w[1], PADICI_MUL(z[0], w[0])), u = w[0], v = w[1];
    z[1] = PADICI_MADD(z[1], u, PADICI_MUL(z[0], v));
    z[0] = x;
    w[0] = PADICI_NMADD(v, more[1], PADICI_MADD(u, more[0], u));
    w[1] = PADICI_MADD(u, more[1], PADICI_MADD(v, more[0], v));
    PADICI_F(storeu)(t->frame[0] + i, PADICI_ADD(PADICI_F(loadu)(t->frame[0] + i), z[0]));
    PADICI_F(storeu)(t->frame[1] + i, PADICI_ADD(PADICI_F(loadu)(t->frame[1] + i), z[1]));
}

// Sums of rows are in memory: in that of frames, which come later.
PADICI_TARGET static void PADICI_WK(rows)(padici_tile *t)
{
    const uint32_t n = t->count[4], row = t->row, middle = t->row_count / 2;
    uint32_t i, j, k, part;
    memset(t->frame, 0, sizeof t->frame);
    for (i = middle * row; i < (middle + 1) * row; i += PADICI_LANES)
        for (j = 0; j < n; j++) {
            PADICI_WK(rows_at) at;
            PADICI_VF down[2];
            PADICI_WK(rows_begin)(t, &t->rows[j], i, &at);
            for (part = 0; part < 2; part++) {
                float *sum = t->frame[part] + i;
                down[part] = at.z[part];
                PADICI_F(storeu)(sum, PADICI_ADD(PADICI_F(loadu)(sum), at.z[part]));
            }
            for (k = 1; k < middle; k++) {
                PADICI_WK(rows_step)(t, i + k * row, at.z, at.up, at.more);
                PADICI_WK(rows_step)(t, i - k * row, down, at.down, at.more);
            }
            PADICI_WK(rows_step)(t, i - k * row, down, at.down, at.more);
        }
    for (i = 0; i < PADICI_TILE_POINTS; i += PADICI_LANES)
        PADICI_WK(add)(t, i, PADICI_F(loadu)(t->frame[0] + i), PADICI_F(loadu)(t->frame[1] + i));
}

// Half a vector in f64: phase in half-turns within [-1, 1], 1/r of the amplitude.
PADICI_TARGET PADICI_INLINE PADICI_VDG PADICI_WK(half)(const padici_tile *t,
                                                       const padici_tile_wide *s, uint32_t i,
                                                       PADICI_VD *phase, PADICI_VD *size)
{
    const PADICI_VD one = PADICI_D(set1)(1);
    PADICI_VD r2 = PADICI_D(set1)(0), r, turns;
    PADICI_VDG tiny = PADICI_DG0;
    uint32_t a;
    for (a = 0; a < 3; a++) {
        const PADICI_VD x = PADICI_D(sub)(PADICI_D(loadu)(t->at[a] + i), PADICI_D(set1)(s->at[a]));
        r2 = PADICI_D(add)(r2, PADICI_D(mul)(x, x));
    }
    r2 = PADICI_D(max)(PADICI_D(add)(r2, PADICI_D(set1)(t->wide_add)),
                       PADICI_D(set1)(t->wide_least));
    r = PADICI_D(sqrt)(r2);
    *size = r;
    if (t->soft == PADICI_TILE_PLUMMER)
        *size = PADICI_D(sqrt)(PADICI_D(add)(r2, PADICI_D(set1)(t->wide_widen)));
    if (t->root) *size = PADICI_D(sqrt)(*size);
    *size = PADICI_D(div)(PADICI_D(set1)(s->size), *size);
    if (t->soft == PADICI_TILE_NONE) {
        tiny = PADICI_DTINY(r2);
        *size = PADICI_DDROP(tiny, *size);
    }
    turns = PADICI_D(add)(PADICI_D(mul)(r, PADICI_D(set1)(s->wave)), PADICI_D(set1)(s->phase));
    turns = PADICI_D(sub)(turns, PADICI_DROUND(turns));
    *phase = PADICI_D(mul)(turns, PADICI_D(add)(one, one));
    return tiny;
}

PADICI_TARGET static void PADICI_WK(wide)(padici_tile *t)
{
    const uint32_t n = t->count[2];
    PADICI_VDG bad = PADICI_DG0;
    uint32_t i, j;
    for (i = 0; i < t->vectors; i += PADICI_LANES) {
        PADICI_VF re = PADICI_F(setzero)(), im = re;
        for (j = 0; j < n; j++) {
            PADICI_VD phase[2], size[2];
            bad = PADICI_DOR(bad, PADICI_WK(half)(t, &t->wide[j], i, &phase[0], &size[0]));
            bad = PADICI_DOR(bad, PADICI_WK(half)(t, &t->wide[j], i + PADICI_LANES / 2, &phase[1],
                                                  &size[1]));
            PADICI_WK(wave)(PADICI_JOIN(phase[0], phase[1]), PADICI_JOIN(size[0], size[1]), &re,
                            &im);
        }
        PADICI_WK(add)(t, i, re, im);
    }
#if PADICI_ISA_LEVEL >= 3
    if (bad) t->bad = 1;
#else
    if (PADICI_DANY(bad)) t->bad = 1;
#endif
}

// Slopes. Of a pair at distance r, its term psi and the way d: d (i k psi - psi q^2 r)/r, q^2 =
// 1/r^2, or 1/(r^2 + a^2); so kernels sum psi, and d times (i k/r - q^2) psi.

PADICI_TARGET PADICI_INLINE void PADICI_WK(sum)(double *to, PADICI_VF x)
{
    const uint32_t half = PADICI_LANES / 2;
    PADICI_D(storeu)(to, PADICI_D(add)(PADICI_D(loadu)(to), PADICI_LOW(x)));
    PADICI_D(storeu)(to + half, PADICI_D(add)(PADICI_D(loadu)(to + half), PADICI_HIGH(x)));
}

PADICI_TARGET PADICI_INLINE void PADICI_WK(slope_end)(padici_tile *t, uint32_t i,
                                                      const PADICI_VF sum[8])
{
    uint32_t j;
    for (j = 0; j < 2; j++) PADICI_WK(sum)(t->total[j] + i, sum[j]);
    for (j = 0; j < 6; j++) PADICI_WK(sum)(t->slope[j] + i, sum[2 + j]);
}

// phase in half-turns, size of the term, wave k in half-turns; inverse 1/r and q2 as above.
PADICI_TARGET PADICI_INLINE void PADICI_WK(slope_pair)(PADICI_VF phase, PADICI_VF size, float wave,
                                                       PADICI_VF inverse, PADICI_VF q2,
                                                       const PADICI_VF way[3], PADICI_VF sum[8])
{
    const PADICI_VF k = PADICI_MUL(inverse, PADICI_SET(3.14159265f * wave));
    PADICI_VF re = PADICI_SET(0.0f), im = re, x, y;
    uint32_t j;
    PADICI_WK(wave)(phase, size, &re, &im);
    x = PADICI_NMADD(k, im, PADICI_NMADD(q2, re, PADICI_SET(0.0f)));
    y = PADICI_MADD(k, re, PADICI_NMADD(q2, im, PADICI_SET(0.0f)));
    sum[0] = PADICI_ADD(sum[0], re);
    sum[1] = PADICI_ADD(sum[1], im);
    for (j = 0; j < 3; j++) {
        sum[2 + 2 * j] = PADICI_MADD(x, way[j], sum[2 + 2 * j]);
        sum[3 + 2 * j] = PADICI_MADD(y, way[j], sum[3 + 2 * j]);
    }
}

// Of r^2 (softened): r, 1/r, the size of the term without its amplitude, q^2.
PADICI_TARGET PADICI_INLINE void PADICI_WK(slope_size)(const padici_tile *t, PADICI_VF r2,
                                                       uint32_t soft, uint32_t root, PADICI_VF *r,
                                                       PADICI_VF *inverse, PADICI_VF *size,
                                                       PADICI_VF *q2)
{
    *inverse = PADICI_WK(root)(r2);
    if (soft == PADICI_TILE_PLUMMER) *inverse = PADICI_DROP(PADICI_TINY(r2), *inverse);
    *r = PADICI_MUL(r2, *inverse);
    *size = *inverse;
    if (soft == PADICI_TILE_PLUMMER)
        *size = PADICI_WK(root)(PADICI_ADD(r2, PADICI_SET(t->widen)));
    *q2 = PADICI_MUL(*size, *size);
    if (soft == PADICI_TILE_PLUMMER) *q2 = PADICI_DROP(PADICI_TINY(r2), *q2);
    if (!root) return;
    *q2 = PADICI_MUL(*q2, PADICI_SET(0.5f));
    *size = PADICI_F(sqrt)(*size);
}

PADICI_TARGET PADICI_INLINE void PADICI_WK(slope_direct_as)(padici_tile *t, uint32_t soft,
                                                            uint32_t root)
{
    const uint32_t n = t->count[0];
    PADICI_VG bad = PADICI_G0;
    uint32_t i, j, a;
    for (i = 0; i < t->vectors; i += PADICI_LANES) {
        PADICI_VF sum[8], d[3];
        for (a = 0; a < 3; a++) d[a] = PADICI_F(loadu)(t->d[a] + i);
        for (a = 0; a < 8; a++) sum[a] = PADICI_F(setzero)();
        for (j = 0; j < n; j++) {
            const padici_tile_source *s = &t->direct[j];
            PADICI_VF way[3], r2, r, inverse, size, q2;
            for (a = 0; a < 3; a++) way[a] = PADICI_ADD(d[a], PADICI_SET(s->at[a]));
            r2 = PADICI_MUL(way[0], way[0]);
            r2 = PADICI_MADD(way[2], way[2], PADICI_MADD(way[1], way[1], r2));
            if (soft == PADICI_TILE_SOFT) {
                const PADICI_VF own = PADICI_ADD(r2, PADICI_SET(t->add));
                r2 = PADICI_F(max)(own, PADICI_SET(t->least));
                PADICI_WK(slope_size)(t, r2, soft, root, &r, &inverse, &size, &q2);
                if (t->least > 0) { // inside nothing changes
                    const PADICI_VG in = PADICI_TINY(PADICI_F(sub)(own, PADICI_SET(t->least)));
                    inverse = PADICI_DROP(in, inverse);
                    q2 = PADICI_DROP(in, q2);
                }
            } else {
                PADICI_WK(slope_size)(t, r2, soft, root, &r, &inverse, &size, &q2);
            }
            if (soft == PADICI_TILE_NONE) {
                const PADICI_VG tiny = PADICI_TINY(PADICI_F(sub)(r2, PADICI_SET(t->close)));
                bad = PADICI_OR(bad, tiny);
                size = PADICI_DROP(tiny, size);
                inverse = PADICI_DROP(tiny, inverse);
                q2 = PADICI_DROP(tiny, q2);
                r = PADICI_DROP(tiny, r);
            }
            PADICI_WK(slope_pair)(PADICI_MADD(PADICI_SET(s->wave), r, PADICI_SET(s->phase)),
                                  PADICI_MUL(size, PADICI_SET(s->size)), s->wave, inverse, q2,
                                  way, sum);
        }
        PADICI_WK(slope_end)(t, i, sum);
    }
    if (PADICI_ANY(bad)) t->bad = 1;
}

PADICI_TARGET static void PADICI_WK(slope_direct)(padici_tile *t)
{
    if (t->soft == PADICI_TILE_NONE && !t->root)
        PADICI_WK(slope_direct_as)(t, PADICI_TILE_NONE, 0);
    else
        PADICI_WK(slope_direct_as)(t, t->soft, t->root);
}

PADICI_TARGET static void PADICI_WK(slope_mid)(padici_tile *t)
{
    const uint32_t n = t->count[1];
    uint32_t i, j, a;
    for (i = 0; i < t->vectors; i += PADICI_LANES) {
        PADICI_VF sum[8], d[4];
        for (a = 0; a < 4; a++) d[a] = PADICI_F(loadu)(t->d[a] + i);
        for (a = 0; a < 8; a++) sum[a] = PADICI_F(setzero)();
        for (j = 0; j < n; j++) {
            const padici_tile_source *s = &t->mid[j];
            PADICI_VF way[3], more = d[3], r2, r, inverse, size, q2, longer;
            for (a = 0; a < 3; a++) {
                more = PADICI_MADD(d[a], PADICI_SET(s->at[a]), more);
                way[a] = PADICI_MADD(PADICI_SET(0.5f), PADICI_SET(s->at[a]), d[a]);
            }
            r2 = PADICI_ADD(more, PADICI_SET(s->r2));
            PADICI_WK(slope_size)(t, r2, t->soft, t->root, &r, &inverse, &size, &q2);
            longer = PADICI_MUL(more, PADICI_WK(part)(PADICI_ADD(r, PADICI_SET(s->r0))));
            PADICI_WK(slope_pair)(PADICI_MADD(PADICI_SET(s->wave), longer, PADICI_SET(s->phase)),
                                  PADICI_MUL(size, PADICI_SET(s->size)), s->wave, inverse, q2,
                                  way, sum);
        }
        PADICI_WK(slope_end)(t, i, sum);
    }
}

// Half a vector in f64: phase, size with the amplitude, 1, q^2 r, the way over r, which f32 holds
// whatever r is.
PADICI_TARGET PADICI_INLINE PADICI_VDG PADICI_WK(slope_half)(const padici_tile *t,
                                                             const padici_tile_wide *s,
                                                             uint32_t i, PADICI_VD to[7])
{
    const PADICI_VD one = PADICI_D(set1)(1);
    PADICI_VD r2 = PADICI_D(set1)(0), own, r, turns, size;
    PADICI_VDG tiny = PADICI_DG0, in;
    uint32_t a;
    for (a = 0; a < 3; a++) {
        to[4 + a] = PADICI_D(sub)(PADICI_D(loadu)(t->at[a] + i), PADICI_D(set1)(s->at[a]));
        r2 = PADICI_D(add)(r2, PADICI_D(mul)(to[4 + a], to[4 + a]));
    }
    own = PADICI_D(add)(r2, PADICI_D(set1)(t->wide_add));
    r2 = PADICI_D(max)(own, PADICI_D(set1)(t->wide_least));
    r = PADICI_D(sqrt)(r2);
    size = r;
    if (t->soft == PADICI_TILE_PLUMMER)
        size = PADICI_D(sqrt)(PADICI_D(add)(r2, PADICI_D(set1)(t->wide_widen)));
    to[3] = PADICI_D(div)(r, PADICI_D(mul)(size, size));
    if (t->root) {
        to[3] = PADICI_D(mul)(to[3], PADICI_D(set1)(0.5));
        size = PADICI_D(sqrt)(size);
    }
    to[1] = PADICI_D(div)(PADICI_D(set1)(s->size), size);
    to[2] = one;
    for (a = 0; a < 3; a++) to[4 + a] = PADICI_D(div)(to[4 + a], r);
    if (t->soft == PADICI_TILE_NONE) {
        tiny = PADICI_DTINY(PADICI_D(sub)(r2, PADICI_D(set1)(PADICI_TILE_CLOSE)));
        for (a = 1; a < 7; a++) to[a] = PADICI_DDROP(tiny, to[a]);
    } else {
        in = PADICI_DLESS(own, PADICI_D(set1)(t->wide_inside));
        for (a = 2; a < 7; a++) to[a] = PADICI_DDROP(in, to[a]);
    }
    turns = PADICI_D(add)(PADICI_D(mul)(r, PADICI_D(set1)(s->wave)), PADICI_D(set1)(s->phase));
    turns = PADICI_D(sub)(turns, PADICI_DROUND(turns));
    to[0] = PADICI_D(mul)(turns, PADICI_D(add)(one, one));
    return tiny;
}

PADICI_TARGET static void PADICI_WK(slope_wide)(padici_tile *t)
{
    const uint32_t n = t->count[2];
    PADICI_VDG bad = PADICI_DG0;
    uint32_t i, j, a;
    for (i = 0; i < t->vectors; i += PADICI_LANES) {
        PADICI_VF sum[8];
        for (a = 0; a < 8; a++) sum[a] = PADICI_F(setzero)();
        for (j = 0; j < n; j++) {
            PADICI_VD low[7], high[7];
            PADICI_VF v[7];
            bad = PADICI_DOR(bad, PADICI_WK(slope_half)(t, &t->wide[j], i, low));
            bad = PADICI_DOR(bad,
                             PADICI_WK(slope_half)(t, &t->wide[j], i + PADICI_LANES / 2, high));
            for (a = 0; a < 7; a++) v[a] = PADICI_JOIN(low[a], high[a]);
            PADICI_WK(slope_pair)(v[0], v[1], (float)(2 * t->wide[j].wave), v[2], v[3], v + 4,
                                  sum);
        }
        PADICI_WK(slope_end)(t, i, sum);
    }
#if PADICI_ISA_LEVEL >= 3
    if (bad) t->bad = 1;
#else
    if (PADICI_DANY(bad)) t->bad = 1;
#endif
}

// A frame: the waves of all frequencies by its factors.
PADICI_TARGET static void PADICI_WK(frame)(padici_tile *t)
{
    uint32_t i, j, p;
    for (i = 0; i < t->vectors; i += 2 * PADICI_LANES) {
        PADICI_VD total[2][4];
        uint64_t g = 0;
        for (p = 0; p < 2; p++)
            for (j = 0; j < 4; j++) total[p][j] = PADICI_D(set1)(0);
        while (g < t->groups) {
            const uint64_t end = t->groups - g < 32 ? t->groups : g + 32;
            PADICI_VF re[2], im[2];
            for (p = 0; p < 2; p++) re[p] = im[p] = PADICI_F(setzero)();
            for (; g < end; g++) {
                const float *wave = t->waves + g * 2 * PADICI_TILE_POINTS + i;
                const PADICI_VF c = PADICI_SET(t->factors[2 * g]);
                const PADICI_VF s = PADICI_SET(t->factors[2 * g + 1]);
                for (p = 0; p < 2; p++, wave += PADICI_LANES) {
                    const PADICI_VF x = PADICI_F(loadu)(wave);
                    const PADICI_VF y = PADICI_F(loadu)(wave + PADICI_TILE_POINTS);
                    re[p] = PADICI_NMADD(s, y, PADICI_MADD(c, x, re[p]));
                    im[p] = PADICI_MADD(s, x, PADICI_MADD(c, y, im[p]));
                }
            }
            for (p = 0; p < 2; p++) {
                total[p][0] = PADICI_D(add)(total[p][0], PADICI_LOW(re[p]));
                total[p][1] = PADICI_D(add)(total[p][1], PADICI_HIGH(re[p]));
                total[p][2] = PADICI_D(add)(total[p][2], PADICI_LOW(im[p]));
                total[p][3] = PADICI_D(add)(total[p][3], PADICI_HIGH(im[p]));
            }
        }
        for (p = 0; p < 2; p++) {
            PADICI_F(storeu)(t->frame[0] + i + p * PADICI_LANES,
                             PADICI_JOIN(total[p][0], total[p][1]));
            PADICI_F(storeu)(t->frame[1] + i + p * PADICI_LANES,
                             PADICI_JOIN(total[p][2], total[p][3]));
        }
    }
}

// tanh(x), x >= 0: p/(p + 2), p = e^{2x} - 1 = (2^n - 1) + 2^n (2^f - 1), 2x/ln 2 = n + f.
PADICI_TARGET PADICI_INLINE PADICI_VF PADICI_WK(tanh)(PADICI_VF x)
{
    const PADICI_VF y = PADICI_MUL(PADICI_F(min)(x, PADICI_SET(10.0f)), PADICI_SET(2.885390082f));
    const PADICI_N n = PADICI_NEAREST(y);
    const PADICI_VF f = PADICI_F(sub)(y, PADICI_WHOLE(n)), two = PADICI_SCALE(PADICI_SET(1.0f), n);
    PADICI_VF g = PADICI_MADD(PADICI_SET(1.5252734e-5f), f, PADICI_SET(1.5403530e-4f)), p;
    g = PADICI_MADD(g, f, PADICI_SET(1.3333558e-3f)); // (ln 2)^k/k!
    g = PADICI_MADD(g, f, PADICI_SET(9.6181291e-3f));
    g = PADICI_MADD(g, f, PADICI_SET(5.5504109e-2f));
    g = PADICI_MADD(g, f, PADICI_SET(0.24022651f));
    g = PADICI_MADD(g, f, PADICI_SET(0.69314718f));
    p = PADICI_MADD(two, PADICI_MUL(g, f), PADICI_F(sub)(two, PADICI_SET(1.0f)));
    return PADICI_MUL(p, PADICI_WK(part)(PADICI_ADD(p, PADICI_SET(2.0f))));
}

// Half a vector of (point - c).e; f64, because points far along an axis may be near to it.
PADICI_TARGET PADICI_INLINE PADICI_VD PADICI_WK(along)(const padici_wave_places *places,
                                                       uint32_t i, const double c[3],
                                                       const double e[3])
{
    PADICI_VD sum = PADICI_D(mul)(PADICI_D(sub)(PADICI_D(loadu)(places->at[0] + i),
                                                PADICI_D(set1)(c[0])), PADICI_D(set1)(e[0]));
    uint32_t k;
    for (k = 1; k < 3; k++)
        sum = PADICI_D(add)(sum, PADICI_D(mul)(PADICI_D(sub)(PADICI_D(loadu)(places->at[k] + i),
                                                             PADICI_D(set1)(c[k])),
                                               PADICI_D(set1)(e[k])));
    return sum;
}

// Points i, ... along axis k, less c.
PADICI_TARGET PADICI_INLINE PADICI_VF PADICI_WK(from)(const padici_wave_places *places, uint32_t i,
                                                      uint32_t k, double c)
{
    const double *at = places->at[k] + i;
    return PADICI_JOIN(PADICI_D(sub)(PADICI_D(loadu)(at), PADICI_D(set1)(c)),
                       PADICI_D(sub)(PADICI_D(loadu)(at + PADICI_LANES / 2), PADICI_D(set1)(c)));
}

// What makes z a factor of charge 1; LEGACY: of modulus 1, and *modulus. Marks lanes where f32 is
// not enough.
PADICI_TARGET PADICI_INLINE PADICI_VF PADICI_WK(core)(padic_wave_core core, PADICI_VF rho2,
                                                      PADICI_VF d2, float xi, PADICI_VF *modulus,
                                                      PADICI_VG *bad)
{
    const PADICI_VF one = PADICI_SET(1.0f), part = PADICI_SET(1 / xi);
    PADICI_VF r = rho2, x, size;
    if (core == PADIC_WAVE_RATIONAL) {
        r = PADICI_ADD(r, PADICI_SET(xi * xi));
        size = PADICI_WK(root)(r);
    } else if (core == PADIC_WAVE_PADE) {
        const PADICI_VF a1 = PADICI_SET(0.3401100f), a2 = PADICI_SET(0.0464431f);
        x = PADICI_MUL(rho2, PADICI_MUL(part, part));
        size = PADICI_MADD(PADICI_MADD(a2, x, PADICI_ADD(a1, a2)), x, one);
        size = PADICI_MUL(PADICI_MADD(a2, x, a1), PADICI_WK(part)(size));
        size = PADICI_MUL(PADICI_MUL(size, PADICI_WK(root)(size)), part);
        r = PADICI_MADD(x, PADICI_MUL(x, PADICI_SET(1e18f)), one);
    } else {
        size = PADICI_WK(root)(rho2);
    }
    if (core == PADIC_WAVE_CORE_LEGACY) {
        x = PADICI_MUL(PADICI_MUL(d2, PADICI_WK(root)(d2)), part);
        *modulus = PADICI_WK(tanh)(x);
        *bad = PADICI_OR(*bad, PADICI_TINY(PADICI_F(sub)(PADICI_SET(1e37f), d2)));
    }
    *bad = PADICI_OR(*bad, PADICI_TINY(r));
    *bad = PADICI_OR(*bad, PADICI_TINY(PADICI_F(sub)(PADICI_SET(1e37f), r)));
    return size;
}

// (point - c) along axis a: high words first, whose difference is exact where it is small.
PADICI_TARGET PADICI_INLINE PADICI_VF PADICI_WK(apart)(const padici_vortex_block *b, uint32_t i,
                                                       const padici_vortex_line *l, uint32_t a)
{
    return PADICI_ADD(PADICI_F(sub)(PADICI_F(loadu)(b->at[a][0] + i), PADICI_SET(l->at[a][0])),
                      PADICI_F(sub)(PADICI_F(loadu)(b->at[a][1] + i), PADICI_SET(l->at[a][1])));
}

// `core` is a constant where it is called. Extremes of what goes under a root are kept: outside of
// f32's numbers the reference does the points again.
PADICI_TARGET PADICI_INLINE void PADICI_WK(vortex_as)(padici_vortex_block *b, padic_wave_core core)
{
    const PADICI_VF one = PADICI_SET(1.0f);
    uint64_t j;
    uint32_t i, k;
    for (i = 0; i < b->points; i += PADICI_LANES) {
        PADICI_VF pr = PADICI_F(loadu)(b->psi[0] + i), pi = PADICI_F(loadu)(b->psi[1] + i);
        PADICI_VF least = one, most = one;
        PADICI_VG bad;
        for (j = 0; j < b->lines; j++) {
            const padici_vortex_line *l = &b->line[j];
            PADICI_VF zr = PADICI_WK(apart)(b, i, l, 0), zi = PADICI_WK(apart)(b, i, l, 1);
            const PADICI_VF rho2 = PADICI_MADD(zr, zr, PADICI_MUL(zi, zi));
            PADICI_VF r = rho2, size, next;
            if (core == PADIC_WAVE_RATIONAL) {
                r = PADICI_ADD(r, PADICI_SET(l->core * l->core));
                size = PADICI_WK(root)(r);
            } else if (core == PADIC_WAVE_PADE) {
                const PADICI_VF a1 = PADICI_SET(0.3401100f), a2 = PADICI_SET(0.0464431f);
                const PADICI_VF x = PADICI_MUL(rho2, PADICI_SET(l->part * l->part));
                size = PADICI_MADD(PADICI_MADD(a2, x, PADICI_ADD(a1, a2)), x, one);
                size = PADICI_MUL(PADICI_MADD(a2, x, a1), PADICI_WK(part)(size));
                size = PADICI_MUL(PADICI_MUL(size, PADICI_WK(root)(size)), PADICI_SET(l->part));
                r = PADICI_MADD(x, PADICI_MUL(x, PADICI_SET(1e18f)), one);
            } else {
                size = PADICI_WK(root)(rho2);
            }
            least = PADICI_F(min)(r, least);
            most = PADICI_F(max)(r, most);
            if (core == PADIC_WAVE_CORE_LEGACY) { // once, then powers of a unit
                const PADICI_VF z = PADICI_WK(apart)(b, i, l, 2), d2 = PADICI_MADD(z, z, rho2);
                const PADICI_VF modulus = PADICI_WK(tanh)(
                    PADICI_MUL(PADICI_MUL(d2, PADICI_WK(root)(d2)), PADICI_SET(l->part)));
                most = PADICI_F(max)(d2, most);
                pr = PADICI_MUL(pr, modulus);
                pi = PADICI_MUL(pi, modulus);
            }
            zr = PADICI_MUL(zr, size);
            zi = PADICI_MUL(zi, PADICI_MUL(size, PADICI_SET(l->sign)));
            for (k = 0; k < l->charge; k++) {
                next = PADICI_NMADD(pi, zi, PADICI_MUL(pr, zr));
                pi = PADICI_MADD(pr, zi, PADICI_MUL(pi, zr));
                pr = next;
            }
        }
        bad = PADICI_OR(PADICI_TINY(least),
                        PADICI_TINY(PADICI_F(sub)(PADICI_SET(1e37f), most)));
        if (PADICI_ANY(bad)) b->bad |= ((1u << PADICI_LANES / 4) - 1) << i / 4;
        PADICI_F(storeu)(b->psi[0] + i, pr);
        PADICI_F(storeu)(b->psi[1] + i, pi);
    }
}

PADICI_TARGET static void PADICI_WK(vortex)(padici_vortex_block *b)
{
    if (b->core == PADIC_WAVE_RATIONAL) PADICI_WK(vortex_as)(b, PADIC_WAVE_RATIONAL);
    else if (b->core == PADIC_WAVE_PADE) PADICI_WK(vortex_as)(b, PADIC_WAVE_PADE);
    else if (b->core == PADIC_WAVE_CORE_NONE) PADICI_WK(vortex_as)(b, PADIC_WAVE_CORE_NONE);
    else PADICI_WK(vortex_as)(b, PADIC_WAVE_CORE_LEGACY);
}

// padici_wave_lines.
PADICI_TARGET static void PADICI_WK(lines)(padic_wave_core core, const padici_wave_line *lines,
                                           uint32_t n, const padici_wave_places *places,
                                           uint32_t first, uint32_t end, padici_complex *products)
{
    float re[PADICI_LANES], im[PADICI_LANES];
    uint32_t i, j, k;
    for (j = 0; j < n; j++) { // charges of LEGACY may be any, cores beyond f32
        const padici_wave_line *l = &lines[j];
        if (l->charge != floor(l->charge)) break;
        if (!(fabs(l->centre[0]) < 1e150 && fabs(l->centre[1]) < 1e150 &&
              fabs(l->centre[2]) < 1e150))
            break;
        if (core != PADIC_WAVE_CORE_NONE && !(l->core > 1e-18 && l->core < 1e18)) break;
    }
    if (j < n) {
        padici_wave_lines_plain(core, lines, n, places, first, end, products);
        return;
    }
    for (i = first; i < end; i += PADICI_LANES) {
        PADICI_VF pr = PADICI_SET(1.0f), pi = PADICI_SET(0.0f);
        PADICI_VG bad = PADICI_G0;
        for (j = 0; j < n; j++) {
            const padici_wave_line *l = &lines[j];
            PADICI_VF d, zr, zi, d2, size, next, modulus = pr;
            const uint32_t charge = (uint32_t)fabs(l->charge);
            if (!charge && core != PADIC_WAVE_CORE_LEGACY) continue;
            if (l->e1[0] == 1 && l->e2[1] == 1) { // along +z
                zr = PADICI_WK(from)(places, i, 0, l->centre[0]);
                zi = PADICI_WK(from)(places, i, 1, l->centre[1]);
            } else {
                zr = PADICI_JOIN(PADICI_WK(along)(places, i, l->centre, l->e1),
                                 PADICI_WK(along)(places, i + PADICI_LANES / 2, l->centre, l->e1));
                zi = PADICI_JOIN(PADICI_WK(along)(places, i, l->centre, l->e2),
                                 PADICI_WK(along)(places, i + PADICI_LANES / 2, l->centre, l->e2));
            }
            d2 = PADICI_MADD(zr, zr, PADICI_MUL(zi, zi));
            d = zr;
            if (core == PADIC_WAVE_CORE_LEGACY) d = PADICI_WK(from)(places, i, 2, l->centre[2]);
            size = PADICI_WK(core)(core, d2, PADICI_MADD(d, d, d2),
                                   core == PADIC_WAVE_CORE_NONE ? 1.0f : (float)l->core, &modulus,
                                   &bad);
            if (core == PADIC_WAVE_CORE_LEGACY) { // once, then powers of a unit
                pr = PADICI_MUL(pr, modulus);
                pi = PADICI_MUL(pi, modulus);
            }
            zr = PADICI_MUL(zr, size);
            zi = PADICI_MUL(zi, l->charge < 0 ? PADICI_MUL(size, PADICI_SET(-1.0f)) : size);
            for (k = 0; k < charge; k++) {
                next = PADICI_NMADD(pi, zi, PADICI_MUL(pr, zr));
                pi = PADICI_MADD(pr, zi, PADICI_MUL(pi, zr));
                pr = next;
            }
        }
        PADICI_F(storeu)(re, pr);
        PADICI_F(storeu)(im, pi);
        for (k = 0; k < PADICI_LANES && i + k < end; k++) {
            const padici_complex factor = {(double)re[k], (double)im[k]};
            if (PADICI_ANY(bad))
                padici_wave_lines_plain(core, lines, n, places, i + k, i + k + 1, products);
            else
                products[i + k] = padici_wave_times(products[i + k], factor);
        }
    }
}

// room: src/simd/wave/fields.c
// ------------------------------------------------------------------------------------- >>fields
//
// Rows of fields of c64, in f64: what is seen of them, pixels, the norm, slopes of the phase,
// charges. Products of two f32 are exact there. Counts are multiples of 16.

// y/x as an angle in turns, in (-1/2, 1/2]; of 0, 0. The polynomial of the kernels of devices.
PADICI_TARGET PADICI_INLINE PADICI_VD PADICI_WK(angle)(PADICI_VD y, PADICI_VD x)
{
    const PADICI_VD zero = PADICI_D(set1)(0), u = PADICI_DABS(x), v = PADICI_DABS(y);
    const PADICI_VD big = PADICI_D(max)(PADICI_D(max)(u, v), PADICI_D(set1)(DBL_MIN));
    const PADICI_VD q = PADICI_D(div)(PADICI_D(min)(u, v), big), g = PADICI_D(mul)(q, q);
    PADICI_VD a = PADICI_DMADD(PADICI_D(set1)(0.0003930998152), g, PADICI_D(set1)(-0.002301266841));
    a = PADICI_DMADD(a, g, PADICI_D(set1)(0.00634815885));
    a = PADICI_DMADD(a, g, PADICI_D(set1)(-0.01153098963));
    a = PADICI_DMADD(a, g, PADICI_D(set1)(0.01671879152));
    a = PADICI_DMADD(a, g, PADICI_D(set1)(-0.02254128972));
    a = PADICI_DMADD(a, g, PADICI_D(set1)(0.03180909161));
    a = PADICI_DMADD(a, g, PADICI_D(set1)(-0.05305052095));
    a = PADICI_D(mul)(PADICI_DMADD(a, g, PADICI_D(set1)(0.15915494309189535)), q);
    a = PADICI_DPICK(PADICI_DLESS(u, v), PADICI_D(sub)(PADICI_D(set1)(0.25), a), a);
    a = PADICI_DPICK(PADICI_DLESS(x, zero), PADICI_D(sub)(PADICI_D(set1)(0.5), a), a);
    return PADICI_DPICK(PADICI_DLESS(y, zero), PADICI_D(sub)(zero, a), a);
}

PADICI_TARGET PADICI_INLINE PADICI_VD PADICI_WK(power)(PADICI_VD re, PADICI_VD im)
{
    return PADICI_DMADD(re, re, PADICI_D(mul)(im, im));
}

// Lanes that are not finite.
PADICI_TARGET PADICI_INLINE uint32_t PADICI_WK(wild)(PADICI_VD re, PADICI_VD im)
{
    const PADICI_VD size = PADICI_D(add)(PADICI_DABS(re), PADICI_DABS(im));
    return PADICI_DBITS(PADICI_DLESS(size, PADICI_D(set1)(1e300))) ^
           ((1u << PADICI_LANES / 2) - 1u);
}

PADICI_TARGET PADICI_INLINE PADICI_VD PADICI_WK(see)(PADICI_VD re, PADICI_VD im, uint32_t emit)
{
    if (emit == PADIC_WAVE_REAL) return re;
    if (emit == PADIC_WAVE_PHASE)
        return PADICI_D(mul)(PADICI_WK(angle)(im, re), PADICI_D(set1)(PADICI_TWO_PI));
    if (emit == PADIC_WAVE_AMPLITUDE) return PADICI_D(sqrt)(PADICI_WK(power)(re, im));
    return PADICI_WK(power)(re, im);
}

PADICI_TARGET static void PADICI_WK(field_observe)(padici_field_row *f)
{
    uint32_t i;
    for (i = 0; i < f->count; i += PADICI_LANES) {
        PADICI_VF re, im;
        PADICI_SPLIT(f->z[0] + 2 * i, re, im);
        f->odd |= PADICI_WK(wild)(PADICI_LOW(re), PADICI_LOW(im)) |
                  PADICI_WK(wild)(PADICI_HIGH(re), PADICI_HIGH(im));
        PADICI_F(storeu)
        (f->out + i, PADICI_JOIN(PADICI_WK(see)(PADICI_LOW(re), PADICI_LOW(im), f->what),
                                 PADICI_WK(see)(PADICI_HIGH(re), PADICI_HIGH(im), f->what)));
    }
}

// Sums of |psi|^2 of 8 blocks of 256, each in order.
PADICI_TARGET static void PADICI_WK(field_squares)(padici_field_row *f)
{
    uint32_t i, block;
    for (block = 0; block < 8; block += PADICI_LANES / 2) {
        const float *from = f->z[0] + 512 * block;
        PADICI_VD sum = PADICI_D(set1)(0);
        for (i = 0; i < 256; i++) {
            PADICI_VD re, im;
            PADICI_BLOCKS(from + 2 * i, re, im);
            sum = PADICI_D(add)(sum, PADICI_WK(power)(re, im));
        }
        PADICI_D(storeu)(f->sums + block, sum);
    }
}

PADICI_TARGET static void PADICI_WK(field_scale)(padici_field_row *f)
{
    const PADICI_VD factor = PADICI_D(set1)(f->factor);
    uint32_t i;
    for (i = 0; i < 2 * f->count; i += PADICI_LANES) {
        const PADICI_VF x = PADICI_F(loadu)(f->z[0] + i);
        PADICI_F(storeu)
        (f->out + i, PADICI_JOIN(PADICI_D(mul)(PADICI_LOW(x), factor),
                                 PADICI_D(mul)(PADICI_HIGH(x), factor)));
    }
}

// The angle from a to b, in turns.
PADICI_TARGET PADICI_INLINE PADICI_VD PADICI_WK(link)(PADICI_VD are, PADICI_VD aim, PADICI_VD bre,
                                                   PADICI_VD bim)
{
    return PADICI_WK(angle)(PADICI_D(sub)(PADICI_D(mul)(bim, are), PADICI_D(mul)(bre, aim)),
                            PADICI_DMADD(bre, are, PADICI_D(mul)(bim, aim)));
}

// Of left (z[0]), here, right; marks[0]: where there is none.
PADICI_TARGET PADICI_INLINE PADICI_VD PADICI_WK(slope_of)(const padici_field_row *f,
                                                       const PADICI_VD *re, const PADICI_VD *im,
                                                       uint32_t *none)
{
    const PADICI_VD power = PADICI_WK(power)(re[1], im[1]);
    const PADICI_VDG more = PADICI_DLESS(PADICI_D(set1)(f->low), power);
    PADICI_VD slope;
    if (f->what == PADIC_WAVE_LINKS)
        slope = PADICI_D(add)(PADICI_WK(link)(re[0], im[0], re[1], im[1]),
                              PADICI_WK(link)(re[1], im[1], re[2], im[2]));
    else if (f->what == PADIC_WAVE_CURRENT)
        slope = PADICI_D(div)(
            PADICI_D(sub)(PADICI_D(mul)(re[1], PADICI_D(sub)(im[2], im[0])),
                          PADICI_D(mul)(im[1], PADICI_D(sub)(re[2], re[0]))),
            power);
    else
        slope = PADICI_D(sub)(PADICI_WK(angle)(im[2], re[2]), PADICI_WK(angle)(im[0], re[0]));
    *none = PADICI_DBITS(more) ^ ((1u << PADICI_LANES / 2) - 1u);
    return PADICI_DPICK(more, PADICI_D(mul)(slope, PADICI_D(set1)(f->factor)),
                        PADICI_D(set1)(0));
}

PADICI_TARGET static void PADICI_WK(field_slope)(padici_field_row *f)
{
    uint32_t i, j, half, k;
    for (i = 0; i < f->count; i += 16) {
        uint32_t marks = 0;
        for (j = 0; j < 16; j += PADICI_LANES) {
            PADICI_VD re[2][3], im[2][3], slope[2];
            for (k = 0; k < 3; k++) {
                PADICI_VF x, y;
                PADICI_SPLIT(f->z[k] + 2 * (i + j), x, y);
                re[0][k] = PADICI_LOW(x);
                re[1][k] = PADICI_HIGH(x);
                im[0][k] = PADICI_LOW(y);
                im[1][k] = PADICI_HIGH(y);
                f->odd |= PADICI_WK(wild)(re[0][k], im[0][k]) | PADICI_WK(wild)(re[1][k], im[1][k]);
                if (f->what == PADIC_WAVE_PHASE_LEGACY) { // where atan2 looks at the sign of a 0
                    const uint32_t some = (1u << PADICI_LANES / 2) - 1u;
                    const PADICI_VD zero = PADICI_D(set1)(0);
                    f->odd |= PADICI_DBITS(PADICI_DLESS(zero, PADICI_DABS(im[0][k]))) ^ some;
                    f->odd |= PADICI_DBITS(PADICI_DLESS(zero, PADICI_DABS(im[1][k]))) ^ some;
                }
            }
            for (half = 0; half < 2; half++) {
                uint32_t none;
                slope[half] = PADICI_WK(slope_of)(f, re[half], im[half], &none);
                marks |= none << (j + half * PADICI_LANES / 2);
            }
            PADICI_F(storeu)(f->out + i + j, PADICI_JOIN(slope[0], slope[1]));
        }
        f->marks[0][i / 16] = (uint16_t)marks;
    }
}

// Squares with corners z[0] to z[3]; marks: where the charge is 1, -1, where there is none.
PADICI_TARGET static void PADICI_WK(field_charge)(padici_field_row *f)
{
    const PADICI_VD zero = PADICI_D(set1)(0), most = PADICI_D(set1)(1e300);
    uint32_t i, j, half, k;
    for (i = 0; i < f->count; i += 16) {
        uint32_t plus = 0, minus = 0, bad = 0;
        for (j = 0; j < 16; j += PADICI_LANES) {
            PADICI_VF x[4], y[4];
            for (k = 0; k < 4; k++) PADICI_SPLIT(f->z[k] + 2 * (i + j), x[k], y[k]);
            for (half = 0; half < 2; half++) {
                const uint32_t at = j + half * PADICI_LANES / 2;
                uint32_t below[4], fine = ~0u, all = 0, down = 0, up = 0, twice = 0;
                PADICI_VD re[4], im[4];
                for (k = 0; k < 4; k++) {
                    PADICI_VD size;
                    re[k] = half ? PADICI_HIGH(x[k]) : PADICI_LOW(x[k]);
                    im[k] = half ? PADICI_HIGH(y[k]) : PADICI_LOW(y[k]);
                    size = PADICI_D(add)(PADICI_DABS(re[k]), PADICI_DABS(im[k]));
                    fine &= PADICI_DBITS(PADICI_DLESS(zero, size)) &
                            PADICI_DBITS(PADICI_DLESS(size, most));
                    below[k] = PADICI_DBITS(PADICI_DLESS(im[k], zero));
                }
                for (k = 0; k < 4; k++) { // crossings of the negative real axis
                    const uint32_t n = (k + 1) & 3;
                    const PADICI_VD p = PADICI_D(mul)(re[k], im[n]);
                    const PADICI_VD q = PADICI_D(mul)(re[n], im[k]);
                    const uint32_t falls = ~below[k] & below[n] & PADICI_DBITS(PADICI_DLESS(q, p));
                    const uint32_t rises = below[k] & ~below[n] & PADICI_DBITS(PADICI_DLESS(p, q));
                    all ^= falls ^ rises;
                    twice |= down & falls;
                    down |= falls;
                    up |= rises;
                }
                plus |= (fine & all & (twice | ~up)) << at;
                minus |= (fine & all & ~(twice | ~up)) << at;
                bad |= (~fine & ((1u << PADICI_LANES / 2) - 1u)) << at;
            }
        }
        f->marks[0][i / 16] = (uint16_t)plus;
        f->marks[1][i / 16] = (uint16_t)minus;
        f->marks[2][i / 16] = (uint16_t)bad;
    }
}

// x in [0, 1] to 255 x + 1/2, cut to [0, 1] before.
PADICI_TARGET PADICI_INLINE PADICI_VD PADICI_WK(shade)(PADICI_VD x)
{
    x = PADICI_D(max)(PADICI_D(min)(x, PADICI_D(set1)(1)), PADICI_D(set1)(0));
    return PADICI_DMADD(x, PADICI_D(set1)(255), PADICI_D(set1)(0.5));
}

// Channels of pixels in bytes[]; seen: the values; `odd` where one is not finite.
PADICI_TARGET static void PADICI_WK(field_pixels)(padici_field_row *f)
{
    static const double from_red[3] = {0, 1.0 / 3, 2.0 / 3};
    const uint32_t channels = f->map == PADIC_WAVE_HEAT || f->map == PADIC_WAVE_HUE ? 3 : 1;
    const PADICI_VD zero = PADICI_D(set1)(0), low = PADICI_D(set1)(f->low);
    const PADICI_VD high = PADICI_D(set1)(f->high), wide = PADICI_D(set1)(f->high - f->low);
    uint32_t i, half, c;
    for (i = 0; i < f->count; i += PADICI_LANES) {
        PADICI_VD shade[3][2];
        PADICI_VF re, im;
        if (f->real) {
            re = PADICI_F(loadu)(f->z[0] + i);
            im = PADICI_F(setzero)();
        } else {
            PADICI_SPLIT(f->z[0] + 2 * i, re, im);
        }
        for (half = 0; half < 2; half++) {
            const PADICI_VD a = half ? PADICI_HIGH(re) : PADICI_LOW(re);
            const PADICI_VD b = half ? PADICI_HIGH(im) : PADICI_LOW(im);
            const PADICI_VD v = PADICI_WK(see)(a, b, f->what);
            PADICI_VD x = PADICI_D(div)(PADICI_D(sub)(v, low), wide), turns = zero;
            if (f->curve == PADIC_WAVE_REINHARD)
                x = PADICI_DPICK(PADICI_DLESS(zero, v), PADICI_D(div)(v, PADICI_D(add)(v, high)),
                                 zero);
            f->odd |= PADICI_WK(wild)(a, b) | PADICI_WK(wild)(v, zero);
            PADICI_D(storeu)(f->seen + i + half * PADICI_LANES / 2, v);
            if (f->map == PADIC_WAVE_HUE) turns = PADICI_WK(angle)(b, a);
            shade[0][half] = PADICI_WK(shade)(x);
            x = PADICI_D(max)(PADICI_D(min)(x, PADICI_D(set1)(1)), zero);
            for (c = 0; c < channels && channels > 1; c++) {
                PADICI_VD own;
                if (f->map == PADIC_WAVE_HEAT) {
                    own = PADICI_D(sub)(PADICI_D(mul)(x, PADICI_D(set1)(3)),
                                        PADICI_D(set1)((double)c));
                } else {
                    own = PADICI_D(sub)(turns, PADICI_D(set1)(from_red[c]));
                    own = PADICI_DABS(PADICI_D(sub)(own, PADICI_DROUND(own)));
                    own = PADICI_D(sub)(PADICI_D(set1)(2), PADICI_D(mul)(own, PADICI_D(set1)(6)));
                    own = PADICI_D(max)(PADICI_D(min)(own, PADICI_D(set1)(1)), zero);
                    own = PADICI_D(mul)(own, x);
                }
                shade[c][half] = PADICI_WK(shade)(own);
            }
        }
        for (c = 0; c < channels; c++)
            PADICI_NSTORE(f->bytes[c] + i, PADICI_CUT(PADICI_JOIN(shade[c][0], shade[c][1])));
    }
}

#undef PADICI_VF
#undef PADICI_VD
#undef PADICI_VG
#undef PADICI_VDG
#undef PADICI_F
#undef PADICI_D
#undef PADICI_TARGET
#undef PADICI_LANES
#undef PADICI_ROOT0
#undef PADICI_PART0
#undef PADICI_TINY
#undef PADICI_DROP
#undef PADICI_ANY
#undef PADICI_G0
#undef PADICI_OR
#undef PADICI_DTINY
#undef PADICI_DDROP
#undef PADICI_DANY
#undef PADICI_DG0
#undef PADICI_DOR
#undef PADICI_DROUND
#undef PADICI_LOW
#undef PADICI_HIGH
#undef PADICI_JOIN
#undef PADICI_NEAREST
#undef PADICI_WHOLE
#undef PADICI_FLIP
#undef PADICI_SCALE
#undef PADICI_N
#undef PADICI_D_min
#undef PADICI_DMADD
#undef PADICI_DABS
#undef PADICI_DLESS
#undef PADICI_DPICK
#undef PADICI_DBITS
#undef PADICI_CUT
#undef PADICI_NSTORE
#undef PADICI_SPLIT
#undef PADICI_BLOCKS
#undef PADICI_SET
#undef PADICI_ADD
#undef PADICI_MUL
#undef PADICI_MADD
#undef PADICI_NMADD
#undef PADICI_ISA
#undef PADICI_ISA_LEVEL
// room: src/simd/padic_simd_wave.in.h:41
#endif
