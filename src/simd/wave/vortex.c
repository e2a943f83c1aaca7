#include "vortex.h"
#include "../../core/jobs.h"
#include "../../core/memory.h"
#include "../../core/view.h"
#include "../../wave/output.h"
#include "../../wave/source.h"
#include "../../wave/vortex.h"
#include "../level.h"
#include "kernels.h"
#include "../levels.h"

#if PADICI_IMPLEMENT_SIMD && !defined(PADIC_NO_WAVE) && (PADICI_SIMD_X86 || PADICI_SIMD_ARM)

// Reads and writes vortices, block by block. Fields in f32; f64 is left to the reference.

typedef struct padici_wave_vortex_run {
    padici_wave_vortices job; // its field's points and strides; desc
    padici_wave_vortex_kernel kernel;
    const padici_wave_vortex_line *line;
    uint64_t tasks, blocks, lines;
} padici_wave_vortex_run;

static void padici_wave_vortex_two(double x, float *high, float *low)
{
    *high = (float)x;
    *low = (float)(x - (double)*high);
    if (*low - *low != 0) *low = 0; // beyond f32: far from all others
}

// The next point's index in C order.
static void padici_wave_vortex_next(const uint64_t count[3], uint64_t i[3])
{
    if (++i[2] < count[2]) return;
    i[2] = 0;
    if (++i[1] < count[1]) return;
    i[1] = 0;
    i[0]++;
}

static void padici_wave_vortex_list(const padici_wave_vortex_run *v, uint64_t first,
                                    padici_wave_vortex_block *b)
{
    const padic_tensor *points = &v->job.desc->points;
    const int64_t *stride = v->job.field.point_stride;
    const int64_t size = (int64_t)padic_dtype_size(points->dtype);
    const char *from = (const char *)points->data + (int64_t)first * stride[0] * size;
    uint32_t i, a;
    // Parts that are not read were 0 and stay so.
    for (a = 0; a < points->shape[1]; a++, from += stride[1] * size) {
        if (a == 2 && b->core != PADIC_WAVE_CORE_LEGACY) continue;
        if (points->dtype == PADIC_F32) {
            const char *at = from;
            for (i = 0; i < b->points; i++, at += stride[0] * 4) memcpy(&b->at[a][0][i], at, 4);
        } else {
            for (i = 0; i < b->points; i++) {
                double x;
                memcpy(&x, from + (int64_t)i * stride[0] * 8, 8);
                padici_wave_vortex_two(x, &b->at[a][0][i], &b->at[a][1][i]);
            }
        }
    }
}

// Points `first` to first + points, the last one repeated to fill vectors; psi, or 1.
static void padici_wave_vortex_read(const padici_wave_vortex_run *v, uint64_t first,
                                    padici_wave_vortex_block *b)
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
    if (listed) padici_wave_vortex_list(v, first, b);
    for (i = 0; i < PADICI_WAVE_VORTEX_POINTS; i++) {
        b->psi[0][i] = 1;
        b->psi[1][i] = 0;
    }
    i = listed && desc->psi.dtype == PADIC_DTYPE_NONE ? b->points : 0;
    for (; i < b->points; i++) {
        const int64_t from =
            (int64_t)at[0] * stride[0] + (int64_t)at[1] * stride[1] + (int64_t)at[2] * stride[2];
        for (a = 0; a < 3 && !listed; a++) {
            const double(*step)[3] = v->job.field.step;
            padici_wave_vortex_two(desc->grid.origin[a] +
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
        padici_wave_vortex_next(count, at);
    }
    for (; i % 16; i++)
        for (a = 0; a < 6; a++) b->at[a / 2][a % 2][i] = b->at[a / 2][a % 2][b->points - 1];
}

// Computes a point for which f32 does not suffice, by the reference.
static void padici_wave_vortex_again(const padici_wave_vortex_run *v, uint64_t point, float pair[2])
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

static void padici_wave_vortex_write(const padici_wave_vortex_run *v, uint64_t first,
                                     const padici_wave_vortex_block *b)
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
        if (b->bad >> i / 4 & 1) padici_wave_vortex_again(v, first + i, pair);
        memcpy((char *)v->job.desc->out.data + 8 * to, pair, 8);
        padici_wave_vortex_next(count, at);
    }
}

// Packs all lines; returns how many have an effect.
static uint64_t padici_wave_vortex_lines(const padici_wave_vortex_run *v,
                                         padici_wave_vortex_line *to)
{
    const padic_wave_core core = v->job.desc->core;
    const padici_wave_vortex_line *first = to;
    uint64_t j;
    uint32_t a;
    for (j = 0; j < v->job.desc->centres.shape[0]; j++) {
        padici_wave_line line;
        padici_wave_line_get(&v->job, j, &line);
        if (line.charge == 0 && core != PADIC_WAVE_CORE_LEGACY) continue;
        for (a = 0; a < 3; a++)
            padici_wave_vortex_two(line.centre[a], &to->at[a][0], &to->at[a][1]);
        to->core = core == PADIC_WAVE_CORE_NONE ? 1.0f : (float)line.core;
        to->part = 1 / to->core;
        to->sign = line.charge < 0 ? -1.0f : 1.0f;
        to->charge = (uint32_t)fabs(line.charge);
        to++;
    }
    return (uint64_t)(to - first);
}

static void padici_wave_vortex_blocks_task(void *arg, uint32_t task)
{
    const padici_wave_vortex_run *v = (const padici_wave_vortex_run *)arg;
    padici_wave_vortex_block b;
    uint64_t block, end;
    padici_wave_share(v->blocks, v->tasks, task, &block, &end);
    memset(&b, 0, sizeof b);
    b.core = v->job.desc->core;
    b.line = v->line;
    b.lines = v->lines;
    for (; block < end; block++) {
        const uint64_t first = block * PADICI_WAVE_VORTEX_POINTS,
                       left = v->job.field.points - first;
        b.points = left < PADICI_WAVE_VORTEX_POINTS ? (uint32_t)left : PADICI_WAVE_VORTEX_POINTS;
        b.bad = 0;
        padici_wave_vortex_read(v, first, &b);
        (*v->kernel)(&b);
        padici_wave_vortex_write(v, first, &b);
        if (padici_wave_stopped(&v->job.field)) return;
    }
}

// 1 if the kernels of blocks can do all lines: along +z, integral charges, cores within f32.
static int padici_wave_vortex_may(const padic_wave_vortex_desc *desc, padici_wave_vortices *job)
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

// NOT_SUPPORTED, before anything is written, where the kernels of passes must do it.
PADICI_NOINLINE static padic_result padici_wave_vortex_blocks(padici_wave_vortex_kernel kernel,
                                                              const padic_env *env,
                                                              const padic_wave_vortex_desc *desc)
{
    const padic_jobs *jobs = env->jobs;
    padic_wave_superpose_desc field;
    padici_wave_vortex_run v;
    padici_wave_vortex_line *line;
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
    if (!v.job.field.points || !padici_wave_vortex_may(desc, &v.job))
        return PADIC_ERROR_NOT_SUPPORTED;
    if (desc->flags & PADIC_WAVE_FLAG_CHECK_FINITE) {
        result = padici_wave_vortex_values(NULL, desc);
        if (result) return result;
    }
    v.blocks = (v.job.field.points + PADICI_WAVE_VORTEX_POINTS - 1) / PADICI_WAVE_VORTEX_POINTS;
    v.tasks = v.blocks < PADICI_WAVE_SHARES ? v.blocks : PADICI_WAVE_SHARES;
    if (!jobs || jobs->workers < 2) v.tasks = 1; // no point depends on its task
    if (desc->centres.shape[0] > SIZE_MAX / sizeof *line - 1) return PADIC_ERROR_NOT_SUPPORTED;
    bytes = ((size_t)desc->centres.shape[0] + 1) * sizeof *line;
    line = (padici_wave_vortex_line *)padici_alloc(env->allocator, bytes, 16);
    if (!line) return PADIC_ERROR_NOT_SUPPORTED;
    v.line = line;
    v.lines = padici_wave_vortex_lines(&v, line);
    padici_wave_watch(&v.job.field, &steps, env, v.blocks);
    padici_parallel(jobs, (uint32_t)v.tasks, padici_wave_vortex_blocks_task, &v);
    result = padici_wave_unwatch(&v.job.field, env);
    padici_free(env->allocator, line, bytes);
    if (!result && desc->report) memset(desc->report, 0, sizeof *desc->report);
    return result;
}

// Fields in f32 and bytes; f64 is left to the reference.
PADICI_FN padic_result padici_simd_wave_vortex(padici_simd *simd,
                                               const padic_wave_vortex_desc *desc)
{
#if PADICI_SIMD_X86
    const int wide = simd->level > PADICI_SIMD_AVX2;
    const padici_wave_lines lines =
        wide ? padici_wave_tile_lines_avx512 : padici_wave_tile_lines_avx2;
    const padici_wave_vortex_kernel kernel =
        wide ? padici_wave_tile_vortex_avx512 : padici_wave_tile_vortex_avx2;
#else
    const padici_wave_lines lines = padici_wave_tile_lines_neon;
    const padici_wave_vortex_kernel kernel = padici_wave_tile_vortex_neon;
#endif
    padic_result result;
    if (desc->out.dtype == PADIC_C128 || desc->out.dtype == PADIC_F64)
        return PADIC_ERROR_NOT_SUPPORTED;
    result = padici_wave_vortex_blocks(kernel, &simd->env, desc);
    if (result != PADIC_ERROR_NOT_SUPPORTED) return result;
    return padici_wave_vortex_with(lines, &simd->env, desc);
}

// Fields: observables, pixels, the norm, slopes of the phase, charges; c64 in C order (for grids:
// the last axis is). Values that are not finite are left to the reference.

#endif
