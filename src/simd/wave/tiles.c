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

#endif
