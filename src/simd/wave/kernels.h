#pragma once
#include "../level.h"
#include "../../core/platform.h"
#include "../../wave/frames.h"
#include "../../wave/gradient.h"
#include "../../wave/source.h"
#include "../num/calls.h"

#ifndef PADIC_NO_WAVE

#define PADICI_WAVE_TILE_POINTS 256u
#define PADICI_WAVE_TILE_SOURCES 64u // summed in f32
#define PADICI_WAVE_TILE_CLOSE 1e-24 // r^2 below which slopes are left to the reference, at least

// A source relative to a tile. direct: at = D. mid: at = 2 D.
typedef struct padici_wave_tile_source {
    float at[3], wave;  // k in half-turns per length
    float phase, size;  // in half-turns; amplitude
    float r0, r2;       // mid: includes the softening
    uint32_t source, pad[3];
} padici_wave_tile_source;

typedef struct padici_wave_tile_far {
    float at[3], square; // E = 2D/r0^2; 1/r0^2
    float phase[5], size[5]; // coefficients of u^0 to u^4, in half-turns and of the amplitude
    uint32_t pad[2];
} padici_wave_tile_far;

// Half-turns from row to row: of the centre, and k times the step; the square of r0.
typedef struct padici_wave_tile_rows {
    padici_wave_tile_far far_;
    float turn, wave, slant, reach, r2; // r0 along rows: reach; slant: step reach/r0
    uint32_t pad[3];
} padici_wave_tile_rows;

typedef struct padici_wave_tile_wide {
    double at[3], wave, phase, size; // turns
    uint32_t source, pad[3];
} padici_wave_tile_wide;

typedef struct padici_wave_tile {
    float d[4][PADICI_WAVE_TILE_POINTS]; // from the centre; d.d
    double at[3][PADICI_WAVE_TILE_POINTS], total[2][PADICI_WAVE_TILE_POINTS], centre[3], radius;
    uint64_t index[PADICI_WAVE_TILE_POINTS]; // of the point, in C order
    uint32_t points, vectors;    // vectors: points in whole kernel groups, the last repeated
    uint32_t soft, root; // PADICI_WAVE_TILE_..., and whether the amplitude is the root of 1/r
    float add, least, widen;     // r^2 = max(r^2 + add, least); r^2 + widen below the amplitude
    double wide_add, wide_least, wide_widen, wide_inside; // the last: below it no slope
    padici_wave_tile_source direct[PADICI_WAVE_TILE_SOURCES], mid[PADICI_WAVE_TILE_SOURCES];
    padici_wave_tile_wide wide[PADICI_WAVE_TILE_SOURCES];
    padici_wave_tile_far far_[PADICI_WAVE_TILE_SOURCES];
    padici_wave_tile_rows rows[PADICI_WAVE_TILE_SOURCES];
    uint32_t count[5]; // of each
    // A whole tile of a grid: rows of `row` points each, `step` apart, and the points' positions
    // along the direction from row to row.
    uint32_t row, row_count; // row_count 0: not a whole tile
    double way[3], step;
    float along[PADICI_WAVE_TILE_POINTS];
    uint32_t bad;      // a vector of the last kernel had a pair too close
    // Frames: waves of each frequency (re of all points, im of all), factors of a frame, its sums,
    // and where points lie in out.
    uint64_t groups;
    float *waves;
    const float *factors;
    float frame[2][PADICI_WAVE_TILE_POINTS];
    int64_t place[PADICI_WAVE_TILE_POINTS];
    // Gradients: its sums, re and im of x, y, z; r^2 below which f32 is not enough for a slope.
    double slope[6][PADICI_WAVE_TILE_POINTS];
    float close;
} padici_wave_tile;

enum { PADICI_WAVE_TILE_NONE, PADICI_WAVE_TILE_SOFT, PADICI_WAVE_TILE_PLUMMER };

typedef void (*padici_wave_tile_kernel)(padici_wave_tile *t);

typedef struct padici_wave_tiles {
    padici_wave_job job;
    const padic_wave_superpose_desc *desc;
    padici_wave_tile_kernel
        kernels[6];                // direct, mid, wide (of slopes for a gradient), far, rows; frame
    double *sources;               // six rows: x, y, z, k in turns, phase in turns, amplitude
    padici_wave_tile *tiles;       // one per task
    double *bounds;                // one per task
    uint64_t tile_count, tasks, grid_tiles[3];
    uint32_t log[3]; // points of a tile of a grid by axis, as a power of two
    double tolerance, place; // turns; rounding of a grid's points in f64, in lengths
    int listed, in_f64; // in_f64: each pair in f64, all by `wide`
    const padici_wave_frames *frames; // or NULL; if set, rows of sources follow its rates
    float *factors;                   // (F, K) pairs
    const padici_wave_slopes *slopes; // or NULL
} padici_wave_tiles;

// Vortices along +z, on a block of points: positions in two words of f32, so that differences close
// to a line keep their digits, and the product so far.
#define PADICI_WAVE_VORTEX_POINTS 64u

typedef struct padici_wave_vortex_line {
    float at[3][2], core, part, sign; // part: 1/core; sign: of the charge
    uint32_t charge;
} padici_wave_vortex_line;

typedef struct padici_wave_vortex_block {
    float at[3][2][PADICI_WAVE_VORTEX_POINTS], psi[2][PADICI_WAVE_VORTEX_POINTS];
    const padici_wave_vortex_line *line;
    uint64_t lines;
    uint32_t points, bad; // bad: a bit for each 4 points where f32 does not suffice
    padic_wave_core core;
} padici_wave_vortex_block;

typedef void (*padici_wave_vortex_kernel)(padici_wave_vortex_block *b);

#define PADICI_WAVE_FIELD_ROW 64u // elements at a time

// A row of a field, or several that are read together.
typedef struct padici_wave_field_row {
    const float *z[4]; // complex, or real
    float *out;
    double *sums, *seen;
    int32_t *bytes[3];
    uint16_t *marks[3]; // a bit per element
    double factor, low, high;
    uint32_t count, what, curve, map, real;
    uint32_t odd; // not 0: something is not finite, and the row is left to the reference
} padici_wave_field_row;

typedef void (*padici_wave_field_kernel)(padici_wave_field_row *f);

#define PADICI_WPASTE(a, b) padici_wave_tile_##a##_##b
#define PADICI_WNAME(a, b) PADICI_WPASTE(a, b)
#define PADICI_WK(name) PADICI_WNAME(name, PADICI_ISA) // padici_wave_tile_name_avx2

#endif
