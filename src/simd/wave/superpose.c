#include "superpose.h"
#include "../../core/jobs.h"
#include "../../core/memory.h"
#include "../../wave/bound.h"
#include "../../wave/check.h"
#include "../../wave/output.h"
#include "../../wave/frames.h"
#include "../../wave/gradient.h"
#include "../../wave/source.h"
#include "../../wave/superpose.h"
#include "../level.h"
#include "kernels.h"
#include "tiles.h"
#include "ways.h"
#include "../levels.h"

#if PADICI_IMPLEMENT_SIMD && !defined(PADIC_NO_WAVE) && (PADICI_SIMD_X86 || PADICI_SIMD_ARM)

// Superposition, frames and gradients: sources by their methods to the sums of a tile, and the
// calls.

// Pairs that f32 took for coincident, which the kernel omitted: computed as by the reference.
static void padici_wave_tile_correct(const padici_wave_tiles *w, padici_wave_slice *slice,
                                     padici_wave_tile *t)
{
    uint32_t i, j;
    for (j = 0; j < t->count[0] + t->count[2]; j++) {
        const int direct = j < t->count[0];
        const padici_wave_tile_source *s = &t->direct[direct ? j : 0];
        padici_wave_source source;
        padici_wave_source_get(
            w->desc,
            padici_wave_tiles_source(w, direct ? s->source : t->wide[j - t->count[0]].source),
            &source);
        for (i = 0; i < t->points; i++) {
            padici_complex sum[4];
            double at[3], r2 = 0;
            const double turn = w->desc->sign == PADIC_WAVE_SIGN_CONJUGATE ? -1 : 1;
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
            } else if (r2 - (w->slopes ? PADICI_WAVE_TILE_CLOSE : 0) >= w->job.least) {
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

static void padici_wave_tile_store(const padici_wave_tiles *w, padici_wave_slice *slice,
                                   const padici_wave_tile *t)
{
    const padic_wave_superpose_desc *desc = w->desc;
    const int turned = desc->sign == PADIC_WAVE_SIGN_CONJUGATE;
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
static void padici_wave_tile_sum(const padici_wave_tiles *w, uint32_t task, uint64_t first,
                                 uint64_t end)
{
    padici_wave_tile *t = &w->tiles[task];
    uint64_t last;
    uint32_t k;
    for (; first < end; first = last) {
        const uint64_t left = end - first;
        double bound;
        last = first + (left < PADICI_WAVE_TILE_SOURCES ? left : PADICI_WAVE_TILE_SOURCES);
        bound = padici_wave_tile_sort(w, t, first, last);
        if (bound > w->bounds[task]) w->bounds[task] = bound;
        t->bad = 0;
        for (k = 0; k < 5; k++)
            if (t->count[k]) (*w->kernels[k])(t);
        if (t->bad) padici_wave_tile_correct(w, &w->job.slices[task], t);
    }
}

static void padici_wave_tile_frame_store(const padici_wave_tiles *w, padici_wave_slice *slice,
                                         const padici_wave_tile *t, uint64_t f)
{
    const padic_wave_superpose_desc *desc = w->desc;
    const int64_t base = (int64_t)f * w->frames->frame_stride;
    const int plain = desc->out.dtype == PADIC_C64 && !(desc->flags & PADIC_WAVE_FLAG_ACCUMULATE);
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

static void padici_wave_tile_frame_mean(const padici_wave_tiles *w, const padici_wave_tile *t)
{
    uint64_t g;
    uint32_t i;
    for (i = 0; i < t->points; i++) {
        padici_complex sum = {0, 0};
        for (g = 0; g < t->groups; g++) {
            const float *wave = t->waves + g * 2 * PADICI_WAVE_TILE_POINTS;
            const double re = (double)wave[i], im = (double)wave[PADICI_WAVE_TILE_POINTS + i];
            sum.re += re * re + im * im;
        }
        padici_wave_put(&w->frames->desc->mean_intensity,
                        padici_wave_index(&w->job, w->frames->mean_stride, t->index[i]), sum, 0);
    }
}

static void padici_wave_tile_frames(const padici_wave_tiles *w, uint32_t task)
{
    const padici_wave_frames *frames = w->frames;
    const double turn = w->desc->sign == PADIC_WAVE_SIGN_CONJUGATE ? -1 : 1;
    padici_wave_tile *t = &w->tiles[task];
    uint64_t f, g;
    uint32_t i;
    for (g = 0; g < t->groups; g++) {
        float *wave = t->waves + g * 2 * PADICI_WAVE_TILE_POINTS;
        if (g) memset(t->total, 0, sizeof t->total);
        padici_wave_tile_sum(w, task, g ? frames->ends[g - 1] : 0, frames->ends[g]);
        for (i = 0; i < t->vectors; i++) {
            wave[i] = (float)t->total[0][i];
            wave[PADICI_WAVE_TILE_POINTS + i] = (float)(turn * t->total[1][i]);
        }
    }
    if (frames->desc->mean_intensity.dtype != PADIC_DTYPE_NONE) padici_wave_tile_frame_mean(w, t);
    for (i = 0; i < t->points; i++)
        t->place[i] = padici_wave_index(&w->job, w->job.stride, t->index[i]);
    for (f = 0; f < frames->frames; f++) {
        t->factors = w->factors + 2 * f * t->groups;
        (*w->kernels[5])(t);
        padici_wave_tile_frame_store(w, &w->job.slices[task], t, f);
    }
}

static void padici_wave_tile_slopes(const padici_wave_tiles *w, padici_wave_slice *slice,
                                    const padici_wave_tile *t)
{
    const double turn = w->desc->sign == PADIC_WAVE_SIGN_CONJUGATE ? -1 : 1;
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

static void padici_wave_tiles_task(void *arg, uint32_t task)
{
    const padici_wave_tiles *w = (const padici_wave_tiles *)arg;
    padici_wave_tile *t = &w->tiles[task];
    uint64_t tile, end;
    padici_wave_share(w->tile_count, w->tasks, task, &tile, &end);
    for (; tile < end; tile++) {
        padici_wave_tile_begin(w, tile, t);
        if (w->frames) {
            padici_wave_tile_frames(w, task);
        } else {
            padici_wave_tile_sum(w, task, 0, w->job.sources);
            if (w->slopes)
                padici_wave_tile_slopes(w, &w->job.slices[task], t);
            else
                padici_wave_tile_store(w, &w->job.slices[task], t);
        }
        if (padici_wave_stopped(&w->job)) return;
    }
}

static int padici_wave_tiles_extreme(double x)
{
    x = fabs(x);
    return x != 0 && (x < 1e-15 || x > 1e15);
}

// Rows of sources. 0 if one has numbers outside f32.
static int padici_wave_tiles_sources(padici_wave_tiles *w)
{
    const uint64_t m = w->job.sources;
    uint64_t i;
    uint32_t a;
    for (i = 0; i < m; i++) {
        padici_wave_source s;
        double turns;
        padici_wave_source_get(w->desc, padici_wave_tiles_source(w, i), &s);
        for (a = 0; a < 3; a++) w->sources[a * m + i] = s.at[a];
        turns = s.phase / PADICI_TWO_PI;
        w->sources[3 * m + i] = s.wavenumber / PADICI_TWO_PI;
        w->sources[4 * m + i] = turns - floor(turns + 0.5);
        if (w->desc->kernel == PADIC_WAVE_KERNEL_GREEN3) s.amplitude /= 2 * PADICI_TWO_PI;
        w->sources[5 * m + i] = s.amplitude;
        if (padici_wave_tiles_extreme(s.amplitude) || padici_wave_tiles_extreme(s.wavenumber))
            return 0;
    }
    return 1;
}

static void padici_wave_tiles_soften(const padici_wave_tiles *w, padici_wave_tile *t)
{
    const double a2 = w->job.length * w->job.length;
    const padic_wave_softening soft = w->desc->softening;
    t->soft = soft == PADIC_WAVE_SOFTENING_NONE ? PADICI_WAVE_TILE_NONE
              : soft == PADIC_WAVE_SOFTENING_PLUMMER   ? PADICI_WAVE_TILE_PLUMMER
                                             : PADICI_WAVE_TILE_SOFT;
    t->root = w->desc->kernel == PADIC_WAVE_KERNEL_SQRT;
    t->wide_add = soft == PADIC_WAVE_SOFTENING_PLUMMER_BOTH ? a2 : 0;
    t->wide_least = soft == PADIC_WAVE_SOFTENING_CLAMP ? a2 : 0;
    t->wide_widen = soft == PADIC_WAVE_SOFTENING_PLUMMER ? a2 : 0;
    t->wide_inside = t->wide_least > w->job.least ? t->wide_least : w->job.least;
    t->add = (float)t->wide_add;
    t->least = (float)t->wide_least;
    t->widen = (float)t->wide_widen;
}

static void padici_wave_tiles_results(const padici_wave_tiles *w)
{
    padic_wave_superpose_report *report = w->desc->report;
    double low = DBL_MAX, high = -DBL_MAX, bound = 0;
    uint64_t coincident = 0;
    uint32_t i;
    if (!report) return;
    for (i = 0; i < w->tasks; i++) {
        const padici_wave_slice *s = &w->job.slices[i];
        coincident += s->coincident;
        if (s->low < low) low = s->low;
        if (s->high > high) high = s->high;
        if (w->bounds[i] > bound) bound = w->bounds[i];
    }
    report->coincident = coincident;
    report->error_bound = bound;
    if (w->in_f64) padici_wave_report_f64(&w->job);
    if (w->frames) report->error_bound += 1e-8 + w->frames->merged; // factors are f32
    padici_wave_range_set(low, high, &report->smallest, &report->largest);
}

static int padici_wave_tiles_may(const padic_wave_superpose_desc *desc)
{
    const int kernel = desc->kernel == PADIC_WAVE_KERNEL_POINT3 ||
        desc->kernel == PADIC_WAVE_KERNEL_GREEN3 ||
                       desc->kernel == PADIC_WAVE_KERNEL_SQRT;
    const int soft = desc->softening != PADIC_WAVE_SOFTENING_SHELL &&
        desc->softening != PADIC_WAVE_SOFTENING_ADDED;
    return kernel && soft && desc->absorption.dtype == PADIC_DTYPE_NONE &&
           !padici_wave_tiles_extreme(padici_wave_length(desc)) && desc->sources.shape[0] &&
           desc->sources.shape[0] < UINT32_MAX;
}

static void padici_wave_tiles_kernels(padici_wave_tiles *w, uint32_t level)
{
#if PADICI_SIMD_X86
    const int wide = level > PADICI_SIMD_AVX2;
    w->kernels[0] = wide ? padici_wave_tile_direct_avx512 : padici_wave_tile_direct_avx2;
    w->kernels[1] = wide ? padici_wave_tile_mid_avx512 : padici_wave_tile_mid_avx2;
    w->kernels[2] = wide ? padici_wave_tile_wide_avx512 : padici_wave_tile_wide_avx2;
    w->kernels[3] = wide ? padici_wave_tile_series_avx512 : padici_wave_tile_series_avx2;
    w->kernels[4] = wide ? padici_wave_tile_rows_avx512 : padici_wave_tile_rows_avx2;
    w->kernels[5] = wide ? padici_wave_tile_frame_avx512 : padici_wave_tile_frame_avx2;
    if (w->slopes) {
        w->kernels[0] =
            wide ? padici_wave_tile_slope_direct_avx512 : padici_wave_tile_slope_direct_avx2;
        w->kernels[1] = wide ? padici_wave_tile_slope_mid_avx512 : padici_wave_tile_slope_mid_avx2;
        w->kernels[2] =
            wide ? padici_wave_tile_slope_wide_avx512 : padici_wave_tile_slope_wide_avx2;
    }
    if (w->in_f64)
        w->kernels[2] = w->slopes
            ? wide ? padici_wave_tile_slope_double_avx512 : padici_wave_tile_slope_double_avx2
            : wide ? padici_wave_tile_double_avx512 : padici_wave_tile_double_avx2;
#else
    (void)level;
    w->kernels[0] = padici_wave_tile_direct_neon;
    w->kernels[1] = padici_wave_tile_mid_neon;
    w->kernels[2] = padici_wave_tile_wide_neon;
    w->kernels[3] = padici_wave_tile_series_neon;
    w->kernels[4] = padici_wave_tile_rows_neon;
    w->kernels[5] = padici_wave_tile_frame_neon;
    if (w->slopes) {
        w->kernels[0] = padici_wave_tile_slope_direct_neon;
        w->kernels[1] = padici_wave_tile_slope_mid_neon;
        w->kernels[2] = padici_wave_tile_slope_wide_neon;
    }
    if (w->in_f64)
        w->kernels[2] =
            w->slopes ? padici_wave_tile_slope_double_neon : padici_wave_tile_double_neon;
#endif
}

// Factors of all frames. 0 if one has numbers outside f32.
static int padici_wave_tiles_factors(padici_wave_tiles *w)
{
    const padici_wave_frames *frames = w->frames;
    uint64_t f, g;
    float *to = w->factors;
    for (f = 0; f < frames->frames; f++)
        for (g = 0; g < frames->groups; g++, to += 2) {
            const padici_complex factor = padici_wave_frames_factor(frames, f, g);
            if (padici_wave_tiles_extreme(fabs(factor.re) + fabs(factor.im))) return 0;
            to[0] = (float)factor.re;
            to[1] = (float)factor.im;
        }
    return 1;
}

// The total memory in bytes; 0: too much. Frames: as many tasks as their waves have room for.
static uint64_t padici_wave_tiles_room(padici_wave_tiles *w, const padic_jobs *jobs)
{
    const uint64_t groups = w->frames ? w->frames->groups : 0;
    const uint64_t wave = 2 * PADICI_WAVE_TILE_POINTS * sizeof(float);
    const uint64_t own = jobs && jobs->workers > 1 ? jobs->workers : 1;
    const uint64_t most = (UINT64_C(1) << 26) / (wave * (groups + 1));
    uint64_t room = 0;
    if (groups && w->tasks > (most > own ? most : own)) w->tasks = most > own ? most : own;
    if (!padici_wave_bytes(w->tasks, sizeof(padici_wave_tile) + sizeof(double), &room) ||
        !padici_wave_bytes(w->tasks, sizeof(padici_wave_slice) + groups * wave, &room) ||
        !padici_wave_bytes(w->job.sources, 6 * sizeof(double), &room) ||
        (groups && !padici_wave_bytes(w->frames->frames, groups * 2 * sizeof(float), &room)))
        return 0;
    return room;
}

// NOT_SUPPORTED, before anything is written, where the reference must do it.
static padic_result padici_wave_tiles_run(padici_wave_tiles *w, const padic_env *env,
                                          uint32_t level)
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
    padici_wave_tiles_cut(w);
    w->place = w->listed ? 0 : 6e-16 * padici_wave_place(&w->desc->grid);
    // One worker reuses the same memory. For more, 16 tasks each keep the wait at the end short.
    w->tasks = workers == 1 ? 1 : workers < 64 ? 16 * workers : 1024;
    if (w->tasks > w->tile_count) w->tasks = w->tile_count;
    padici_wave_tiles_kernels(w, level);
    room = padici_wave_tiles_room(w, env->jobs);
    space = room ? (char *)padici_alloc(env->allocator, (size_t)room, 64) : NULL;
    if (!space) return PADIC_ERROR_NOT_SUPPORTED;
    w->tiles = (padici_wave_tile *)(void *)space;
    w->job.slices = (padici_wave_slice *)(void *)(w->tiles + w->tasks);
    w->bounds = (double *)(void *)(w->job.slices + w->tasks);
    w->sources = w->bounds + w->tasks;
    w->factors = waves = (float *)(void *)(w->sources + 6 * w->job.sources);
    if (w->frames) waves += 2 * w->frames->frames * w->frames->groups;
    for (i = 0; i < w->tasks; i++) {
        padici_wave_tiles_soften(w, &w->tiles[i]);
        w->job.slices[i].coincident = 0;
        w->job.slices[i].low = DBL_MAX;
        w->job.slices[i].high = -DBL_MAX;
        w->bounds[i] = 0;
        w->tiles[i].groups = w->frames ? w->frames->groups : 0;
        w->tiles[i].waves = waves + i * w->tiles[i].groups * 2 * PADICI_WAVE_TILE_POINTS;
    }
    if (padici_wave_tiles_sources(w) && (!w->frames || padici_wave_tiles_factors(w))) {
        padici_wave_watch(&w->job, &steps, env, w->tile_count);
        padici_parallel(env->jobs, (uint32_t)w->tasks, padici_wave_tiles_task, w);
        result = padici_wave_unwatch(&w->job, env);
        if (!result) padici_wave_tiles_results(w);
    }
    padici_free(env->allocator, space, (size_t)room);
    return result;
}

PADICI_FN padic_result padici_simd_wave_superpose(padici_simd *simd,
                                                  const padic_wave_superpose_desc *desc)
{
    padici_wave_tiles w;
    padic_result result = PADIC_OK;
    if (!padici_wave_tiles_may(desc)) return PADIC_ERROR_NOT_SUPPORTED;
    if (desc->flags & PADIC_WAVE_FLAG_CHECK_FINITE) result = padici_wave_check_values(NULL, desc);
    if (result) return result;
    memset(&w, 0, sizeof w);
    w.desc = desc;
    w.in_f64 = padici_wave_is_f64(desc);
    padici_wave_job_begin(&w.job, desc);
    return w.job.points ? padici_wave_tiles_run(&w, &simd->env, simd->level) : PADIC_OK;
}

PADICI_FN padic_result padici_simd_wave_frames(padici_simd *simd,
                                               const padic_wave_frames_desc *desc)
{
    padici_wave_frames frames;
    padici_wave_tiles w;
    uint64_t bytes;
    padic_result result = PADIC_OK;
    padici_wave_frames_one(desc, &frames.one, &frames.frame_stride);
    if (!padici_wave_tiles_may(&frames.one) || padici_wave_is_f64(&frames.one) ||
        desc->mean_intensity.dtype == PADIC_F64)
        return PADIC_ERROR_NOT_SUPPORTED;
    if (desc->field.flags & PADIC_WAVE_FLAG_CHECK_FINITE)
        result = padici_wave_frames_values(NULL, desc);
    if (result) return result;
    padici_wave_frames_begin(&frames, desc);
    if (!frames.field.points) return PADIC_OK;
    result = padici_wave_frames_sorted(&frames, simd->env.allocator, &bytes);
    if (result) return result;
    memset(&w, 0, sizeof w);
    w.desc = &frames.one;
    w.frames = &frames;
    padici_wave_job_begin(&w.job, &frames.one);
    result = padici_wave_tiles_run(&w, &simd->env, simd->level);
    padici_free(simd->env.allocator, frames.rates, (size_t)bytes);
    return result;
}

PADICI_FN padic_result padici_simd_wave_gradient(padici_simd *simd,
                                                 const padic_wave_gradient_desc *desc)
{
    padic_wave_superpose_desc field = desc->field;
    padici_wave_slopes slopes;
    padici_wave_tiles w;
    padic_result result = PADIC_OK;
    if (field.out.dtype == PADIC_DTYPE_NONE) padici_wave_gradient_field(desc, &field);
    if (!padici_wave_tiles_may(&field) ||
        padici_wave_is_f64(&field) != (desc->out.dtype == PADIC_C128))
        return PADIC_ERROR_NOT_SUPPORTED;
    if (field.flags & PADIC_WAVE_FLAG_CHECK_FINITE) result = padici_wave_check_values(NULL, &field);
    if (result) return result;
    padici_wave_slopes_begin(&slopes, desc);
    memset(&w, 0, sizeof w);
    w.desc = &field;
    w.slopes = &slopes;
    w.in_f64 = padici_wave_is_f64(&field);
    padici_wave_job_begin(&w.job, &field);
    return w.job.points ? padici_wave_tiles_run(&w, &simd->env, simd->level) : PADIC_OK;
}

#endif
