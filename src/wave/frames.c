#include "frames.h"
#include "../context/messages.h"
#include "../context/ops.h"
#include "../core/jobs.h"
#include "../core/log.h"
#include "../core/memory.h"
#include "../core/view.h"
#include "../core/words.h"
#include "bound.h"
#include "check.h"
#include "output.h"
#include "superpose.h"

#if PADICI_IMPLEMENT_WAVE

// Frames: the same superposition at many times. Sources of one frequency are summed once; a frame
// turns these sums by its factors.

// The desc of one frame: out less its first axis, or without out the mean's.
PADICI_FN void padici_wave_frames_one(const padic_wave_frames_desc *desc,
                                      padic_wave_superpose_desc *one, int64_t *frame_stride)
{
    int64_t stride[PADIC_MAX_RANK];
    uint32_t i;
    *one = desc->field;
    *frame_stride = 0;
    if (one->out.dtype == PADIC_DTYPE_NONE) {
        one->out = desc->mean_intensity;
        one->output = PADIC_WAVE_OUTPUT_INTENSITY;
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
static PADICI_NOINLINE double padici_wave_frames_bound(const padici_wave_frames *job, double merged,
                                                       int f64)
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
PADICI_FN padici_complex padici_wave_frames_factor(const padici_wave_frames *job, uint64_t f,
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
    factor.im = job->one.sign == PADIC_WAVE_SIGN_OUTGOING ? -sin(angle) : sin(angle);
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
PADICI_FN int padici_wave_bytes(uint64_t a, uint64_t b, uint64_t *c)
{
    uint64_t product;
    if (!padici_mul_u64(a, b, &product) || product > (size_t)-1 / 2) return 0;
    *c += product;
    return *c <= (size_t)-1 / 2;
}

PADICI_FN void padici_wave_frames_begin(padici_wave_frames *job, const padic_wave_frames_desc *desc)
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
    if (job->one.report)
        job->one.report->error_bound = padici_wave_frames_bound(job, job->merged, 1);
    return PADIC_OK;
}

PADICI_FN padic_result padici_wave_frames_values(padic_context *context,
                                                 const padic_wave_frames_desc *desc)
{
    padic_result result = padici_wave_check_values(context, &desc->field);
    if (result) return result;
    return padici_wave_check_finite(context, &desc->times, "times");
}

// Memory for the sources in groups, and the groups. *bytes: to be freed, job->rates.
PADICI_FN padic_result padici_wave_frames_sorted(padici_wave_frames *job,
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

PADICI_FN padic_result padici_wave_frames_host(const padic_env *env, const void *desc_)
{
    const padic_wave_frames_desc *desc = (const padic_wave_frames_desc *)desc_;
    const padic_allocator *allocator = env ? env->allocator : NULL;
    padici_wave_frames job;
    uint64_t bytes;
    padic_result result = PADIC_OK;
    if (desc->field.flags & PADIC_WAVE_FLAG_CHECK_FINITE)
        result = padici_wave_frames_values(NULL, desc);
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
        return padici_wave_bad(context, result, "output and the dtype of out disagree");
    if (result)
        return padici_wave_bad(context, result, "out is not (F) and the shape of a frame");
    if (mean->dtype == PADIC_DTYPE_NONE) return PADIC_OK;
    if (mean->dtype != PADIC_F32 && mean->dtype != PADIC_F64)
        return padici_wave_bad(context, PADIC_ERROR_DTYPE, "mean_intensity is not f32 or f64");
    one.out = *mean;
    one.output = PADIC_WAVE_OUTPUT_INTENSITY;
    if (padici_wave_check_out(NULL, &one))
        return padici_wave_bad(context, PADIC_ERROR_MISMATCH,
                               "mean_intensity has not the points' shape");
    return PADIC_OK;
}

PADICI_FN padic_result padici_wave_frames_check(padic_context *context, const void *desc_)
{
    const padic_wave_frames_desc *desc = (const padic_wave_frames_desc *)desc_;
    padic_wave_superpose_desc one;
    int64_t stride;
    padic_result result;
    if (desc->field.out.dtype == PADIC_DTYPE_NONE) {
        if (desc->mean_intensity.dtype == PADIC_DTYPE_NONE)
            return padici_wave_bad(context, PADIC_ERROR_ARGUMENT,
                                   "neither field.out nor mean_intensity");
        if (desc->field.output != PADIC_WAVE_OUTPUT_COMPLEX ||
            desc->field.flags & PADIC_WAVE_FLAG_ACCUMULATE)
            return padici_wave_bad(context, PADIC_ERROR_ARGUMENT,
                                   "output or ACCUMULATE without field.out");
    }
    padici_wave_frames_one(desc, &one, &stride);
    result = padici_wave_check_scalars(context, &one);
    if (!result) result = padici_wave_check_points(context, &one);
    if (!result) result = padici_wave_frames_frames(context, desc);
    if (!result) result = padici_wave_frames_outputs(context, desc);
    if (!result) result = padici_wave_superpose_check(context, &one);
    return result ? result : padici_wave_frames_values(context, desc);
}

PADIC_API padic_result padic_wave_frames_error_bound(padic_context *context,
                                                     const padic_wave_frames_desc *desc)
{
    padici_wave_frames job;
    const char *before;
    padic_result result;
    if (!desc || !desc->field.report)
        return padici_fail_in(context, PADIC_ERROR_ARGUMENT, "wave_frames_error_bound",
                              "desc or the report of its field is NULL");
    before = padici_enter(context, "wave_frames_error_bound");
    result = padici_wave_bound_memory(context, &desc->field, &desc->times);
    if (!result) result = padici_wave_frames_check(context, desc);
    padici_leave(context, before);
    if (result) return result;
    padici_wave_frames_begin(&job, desc);
    desc->field.report->error_bound =
        padici_wave_frames_bound(&job, desc->merge_turns, padici_wave_is_f64(&job.one));
    return PADIC_OK;
}

#endif
