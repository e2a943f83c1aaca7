#pragma once
#include "../core/jobs.h"
#include "../core/platform.h"

#ifndef PADIC_NO_WAVE

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

PADICI_FN int padici_wave_stopped(const padici_wave_job *job);
PADICI_FN void padici_wave_watch(padici_wave_job *job, padici_steps *steps, const padic_env *env,
                                 uint64_t parts);
PADICI_FN padic_result padici_wave_unwatch(padici_wave_job *job, const padic_env *env);
PADICI_FN double padici_wave_value(const padic_tensor *t, uint64_t i, double absent);
PADICI_FN void padici_wave_position(const padic_tensor *t, const int64_t stride[2], uint64_t i,
                                    double at[3]);
PADICI_FN double padici_wave_frequency(const padic_wave_superpose_desc *desc, uint64_t i);
PADICI_FN int32_t padici_wave_multiply(uint64_t *x, uint32_t n, double by);
PADICI_FN uint64_t padici_wave_digits(uint32_t from);
PADICI_FN uint64_t padici_wave_turns(double a, double b, double c);
PADICI_FN double padici_wave_rate_of(const padic_wave_superpose_desc *desc, uint64_t i);
PADICI_FN double padici_wave_rate_speed(const padic_wave_superpose_desc *desc);
PADICI_FN double padici_wave_angle_of(uint64_t turns, double x);
PADICI_FN void padici_wave_source_get(const padic_wave_superpose_desc *desc, uint64_t i,
                                      padici_wave_source *source);
PADICI_FN void padici_wave_point(const padici_wave_job *job, uint64_t i, double at[3]);
PADICI_FN void padici_wave_share(uint64_t items, uint64_t tasks, uint32_t task, uint64_t *first,
                                 uint64_t *end);
PADICI_FN void padici_wave_steps(const padic_wave_grid *grid, double step[3][3]);
PADICI_FN int padici_wave_is_f64(const padic_wave_superpose_desc *desc);
PADICI_FN double padici_wave_length(const padic_wave_superpose_desc *desc);
PADICI_FN void padici_wave_tone_range(const padic_wave_tone *tone, double *low, double *high);

// The smallest and largest value of a report; low > high: there was none.
PADICI_INLINE void padici_wave_range_set(double low, double high, double *smallest, double *largest)
{
    *smallest = low > high ? 0 : low;
    *largest = low > high ? 0 : high;
}
PADICI_FN void padici_wave_job_begin(padici_wave_job *job, const padic_wave_superpose_desc *desc);
PADICI_FN void padici_wave_box_grid(const padic_wave_grid *grid, double box[2][3]);

#endif
