#include "superpose.h"
#include "../context/ops.h"
#include "../core/jobs.h"
#include "bound.h"
#include "check.h"
#include "output.h"
#include "green.h"

#if PADICI_IMPLEMENT_WAVE

// Superposition, the plain reference: each point sums over all sources, block by block.

// The way from a source to a point: d, d.d and r as the amplitude wants it. 1: they coincide.
PADICI_FN int padici_wave_way(const padici_wave_job *job, const padici_wave_source *source,
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
    if (desc->softening == PADIC_WAVE_SOFTENING_NONE && r2 < job->least &&
        desc->kernel != PADIC_WAVE_KERNEL_GREEN1)
        return 1;
    if (desc->softening == PADIC_WAVE_SOFTENING_PLUMMER_BOTH) *r = sqrt(r2 + a * a);
    if (desc->softening == PADIC_WAVE_SOFTENING_CLAMP && *r < a) *r = a;
    return 0;
}

// Amplitude, absorption and phase of a source at r, as c + is.
PADICI_FN padici_complex padici_wave_weight(const padici_wave_source *source, double r)
{
    const double size =
        source->amplitude * (source->absorption != 0 ? exp(-source->absorption * r) : 1);
    padici_complex weight;
    weight.re = size * cos(source->phase);
    weight.im = size * sin(source->phase);
    return weight;
}

PADICI_FN void padici_wave_add(const padic_wave_superpose_desc *desc, padici_complex g,
                               padici_complex weight, padici_complex *sum)
{
    sum->re += g.re * weight.re - g.im * weight.im;
    if (desc->sign == PADIC_WAVE_SIGN_CONJUGATE)
        sum->im -= g.re * weight.im + g.im * weight.re;
    else
        sum->im += g.re * weight.im + g.im * weight.re;
}

// Adds one source to a sum; 1 if it lies on the point and was left out.
PADICI_FN int padici_wave_pair(const padici_wave_job *job, const padici_wave_source *source,
                               const double at[3], padici_complex *sum)
{
    const padic_wave_superpose_desc *desc = job->desc;
    double d[3], r2, r;
    if (padici_wave_way(job, source, at, d, &r2, &r)) return 1;
    padici_wave_add(desc, padici_wave_green(desc, job->length, source->wavenumber, r),
                    padici_wave_weight(source, r), sum);
    return 0;
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

PADICI_FN void padici_wave_slices_begin(padici_wave_job *job, padici_wave_slice *slices)
{
    uint32_t i;
    job->slices = slices;
    for (i = 0; i < job->slice_count; i++) {
        slices[i].coincident = 0;
        slices[i].low = DBL_MAX;
        slices[i].high = -DBL_MAX;
    }
}

// What the tasks counted becomes the report.
PADICI_FN PADICI_NOINLINE void padici_wave_slices_end(const padici_wave_job *job)
{
    padic_wave_superpose_report *report = job->desc->report;
    double low = DBL_MAX, high = -DBL_MAX;
    uint64_t coincident = 0;
    uint32_t i;
    if (!report) return;
    for (i = 0; i < job->slice_count; i++) {
        coincident += job->slices[i].coincident;
        if (job->slices[i].low < low) low = job->slices[i].low;
        if (job->slices[i].high > high) high = job->slices[i].high;
    }
    report->coincident = coincident;
    report->error_bound = 0;
    padici_wave_range_set(low, high, &report->smallest, &report->largest);
}

// The error bound of a field that was summed in f64, for its report.
PADICI_FN void padici_wave_report_f64(const padici_wave_job *job)
{
    double turns, place;
    if (!job->desc->report || !job->sources) return;
    padici_wave_extent(job->desc, &turns, &place, NULL);
    job->desc->report->error_bound = padici_wave_bound_f64(turns, place);
}

PADICI_FN padic_result padici_wave_superpose_host(const padic_env *env, const void *desc_)
{
    const padic_wave_superpose_desc *desc = (const padic_wave_superpose_desc *)desc_;
    padici_wave_slice slices[PADICI_WAVE_SLICES];
    padici_wave_job job;
    padici_steps steps;
    padic_result result = desc->flags & PADIC_WAVE_FLAG_CHECK_FINITE
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
    padici_wave_report_f64(&job);
    return PADIC_OK;
}

#endif
