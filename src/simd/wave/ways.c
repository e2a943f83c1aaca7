#include "ways.h"

#if PADICI_IMPLEMENT_SIMD && !defined(PADIC_NO_WAVE) && (PADICI_SIMD_X86 || PADICI_SIMD_ARM)

// Chooses the method of each source for a tile: the first whose error the tolerance allows.

// The error that rows add to the series, in turns; 1: rows must not be used. The third derivative
// of r along a line is at most 1.155/r^2.
static double padici_wave_tile_rows_error(const padici_wave_tile *t, double r0, double number)
{
    const double half = t->step * t->row_count / 2, least = r0 - t->radius;
    if (t->row_count < 8 || t->soft == PADICI_WAVE_TILE_PLUMMER) return 1;
    if (half * half * half > 1e-7 * least * least * least) return 1; // of the amplitude
    if (number * t->step * t->step > 3e-4 * least) return 1;
    return 6e-7 + 0.193 * number * half * half * half / (least * least);
}

// The error of the phase after the series up to u^4, in turns; 1: the series must not be used.
static double padici_wave_tile_series(const padici_wave_tile *t, double r2, double r0,
                                      double number)
{
    const double h = t->radius, soft = r2 + t->wide_add;
    double u, tail;
    if (!(r0 > 4 * h) || r0 - h <= sqrt(t->wide_least)) return 1;
    u = (2 * r0 + h) * h / soft; // U
    tail = u * u * u * u * u / (1 - u);
    return 63.0 / 256 * tail <= 1e-6 ? 7.0 / 256 * sqrt(soft) * number * tail : 1;
}

static void padici_wave_tile_far_put(const padici_wave_tile *t, padici_wave_tile_far *s,
                                     const double at[3], double r2, double wave, double phase,
                                     double amplitude)
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

static void padici_wave_tile_rows_put(padici_wave_tile *t, const double at[3], double r2,
                                      double wave, double phase, double amplitude)
{
    padici_wave_tile_rows *s = &t->rows[t->count[4]++];
    const double r0 = sqrt(r2 + t->wide_add);
    const double part = (at[0] * t->way[0] + at[1] * t->way[1] + at[2] * t->way[2]) / r0;
    double turns = wave * t->step * part;
    padici_wave_tile_far_put(t, &s->far_, at, r2, wave, phase, amplitude);
    turns -= floor(turns + 0.5);
    s->turn = (float)(2 * turns);
    s->wave = (float)(2 * wave * t->step);
    s->slant = (float)(t->step * part);
    s->reach = (float)(part * r0);
    s->r2 = (float)(r2 + t->wide_add);
}

// The data of a source for the kernels of the other methods, phase and wave in half-turns.
static void padici_wave_tile_direct_put(padici_wave_tile *t, const double at[3], double wave,
                                        double phase, double size, uint64_t number)
{
    const double x = at[0], y = at[1], z = at[2];
    padici_wave_tile_source *s = &t->direct[t->count[0]++];
    s->at[0] = (float)x;
    s->at[1] = (float)y;
    s->at[2] = (float)z;
    s->wave = (float)(2 * wave);
    s->phase = (float)(2 * phase);
    s->size = (float)size;
    s->source = (uint32_t)number;
}

static void padici_wave_tile_mid_put(padici_wave_tile *t, const double at[3], double r2,
                                     double wave, double phase, double size)
{
    const double x = at[0], y = at[1], z = at[2];
    padici_wave_tile_source *s = &t->mid[t->count[1]++];
    const double soft = r2 + t->wide_add, root = sqrt(soft);
    double turns = wave * root + phase;
    turns -= floor(turns + 0.5);
    s->at[0] = (float)(2 * x);
    s->at[1] = (float)(2 * y);
    s->at[2] = (float)(2 * z);
    s->wave = (float)(2 * wave);
    s->phase = (float)(2 * turns);
    s->size = (float)size;
    s->r0 = (float)root;
    s->r2 = (float)soft;
}

static void padici_wave_tile_wide_put(const padici_wave_tiles *w, padici_wave_tile *t, uint64_t i)
{
    const double *from = w->sources + i;
    const uint64_t m = w->job.sources;
    padici_wave_tile_wide *s = &t->wide[t->count[2]++];
    s->at[0] = from[0];
    s->at[1] = from[m];
    s->at[2] = from[2 * m];
    s->wave = from[3 * m];
    s->phase = from[4 * m];
    s->size = from[5 * m];
    s->source = (uint32_t)i;
}

// Sorts sources [first, end) by method; returns the largest error, in turns.
PADICI_FN double padici_wave_tile_sort(const padici_wave_tiles *w, padici_wave_tile *t,
                                       uint64_t first, uint64_t end)
{
    const uint64_t m = w->job.sources;
    const double *from = w->sources, h = t->radius, h2 = 2 * h;
    double bound = 0;
    uint64_t i;
    memset(t->count, 0, sizeof t->count);
    for (i = first; i < end && w->in_f64; i++) padici_wave_tile_wide_put(w, t, i);
    for (; i < end; i++) {
        const double x = t->centre[0] - from[i], y = t->centre[1] - from[m + i];
        const double z = t->centre[2] - from[2 * m + i], wave = from[3 * m + i];
        const double r2 = x * x + y * y + z * z, r0 = sqrt(r2), number = fabs(wave);
        const double rest = (1e-15 * (r0 + h) + w->place) * number;
        const double mid = 3e-7 * h * number + 5e-8 + rest;
        const double direct = (2.5e-7 * (r0 + h) + w->place) * number + 5e-8;
        const int held = r0 + h < 1e15, apart = r0 - h > 1e-15; // squares and their inverses in f32
        double error = 4e-8 + rest;
        const double series = w->slopes ? 1 : padici_wave_tile_series(t, r2, r0, number);
        if (mid + series <= w->tolerance && held && apart) {
            const double at[3] = {x, y, z};
            const double rows = padici_wave_tile_rows_error(t, r0, number);
            error = mid + series;
            if (error + rows <= w->tolerance) {
                padici_wave_tile_rows_put(t, at, r2, wave, from[4 * m + i], from[5 * m + i]);
                error += rows;
            } else {
                padici_wave_tile_far_put(t, &t->far_[t->count[3]++], at, r2, wave, from[4 * m + i],
                                         from[5 * m + i]);
            }
        } else if (direct <= w->tolerance && held) {
            const double at[3] = {x, y, z};
            padici_wave_tile_direct_put(t, at, wave, from[4 * m + i], from[5 * m + i], i);
            error = direct;
        } else if (mid <= w->tolerance && r0 > h2 && held && apart &&
                   r0 - h > sqrt(t->wide_least)) {
            const double at[3] = {x, y, z};
            padici_wave_tile_mid_put(t, at, r2, wave, from[4 * m + i], from[5 * m + i]);
            error = mid;
        } else {
            padici_wave_tile_wide_put(w, t, i);
        }
        if (error > bound) bound = error;
    }
    return bound;
}

// The source of a row.
PADICI_FN uint64_t padici_wave_tiles_source(const padici_wave_tiles *w, uint64_t row)
{
    return w->frames ? w->frames->rates[row].source : row;
}

#endif
