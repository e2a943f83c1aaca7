#include "gradient.h"
#include "../context/ops.h"
#include "../context/state.h"
#include "../core/jobs.h"
#include "../core/view.h"
#include "check.h"
#include "output.h"
#include "green.h"
#include "superpose.h"

#if PADICI_IMPLEMENT_WAVE

// Gradients of a superposition: the derivative of each pair, summed as its value is.

#define PADICI_WAVE_SLOPES 16 // points of a pass

// cos z - sin z/z, which is -z^2/3 + z^4/30 - ...: sum (-1)^n z^(2n) 2n/(2n + 1)!.
static double padici_wave_shell_slope(double z)
{
    double term = 1, sum = 0;
    int n;
    if (fabs(z) >= 1) return cos(z) - sin(z) / z;
    for (n = 1; n < 12; n++) {
        term *= -z * z / (2 * n * (2 * n + 1));
        sum += term * (2 * n);
    }
    return sum;
}

// dg/dr of a wave g = padici_wave_green() at r > 0.
static padici_complex padici_wave_derivative(const padic_wave_superpose_desc *desc, double a,
                                             double k, double r, padici_complex g)
{
    double falls = 1 / r, size;
    padici_complex slope;
    if (desc->kernel == PADIC_WAVE_KERNEL_GREEN2) {
        const padici_complex h = padici_wave_hankel_at(fabs(k) * r, 1);
        slope.re = fabs(k) * h.im / 4; // -i|k|/4 times it
        slope.im = -k * h.re / 4;
        return slope;
    }
    if (desc->softening == PADIC_WAVE_SOFTENING_SHELL && r < a) {
        size = padici_wave_shell_slope(k * r) / (r * a);
        if (desc->kernel == PADIC_WAVE_KERNEL_GREEN3) size /= 2 * PADICI_TWO_PI;
        slope.re = size * cos(k * a);
        slope.im = size * sin(k * a);
        return slope;
    }
    if (desc->kernel == PADIC_WAVE_KERNEL_GREEN1) falls = 0;
    if (desc->softening == PADIC_WAVE_SOFTENING_PLUMMER) falls = r / (r * r + a * a);
    if (desc->softening == PADIC_WAVE_SOFTENING_ADDED) falls = 1 / (r + a);
    if (desc->kernel == PADIC_WAVE_KERNEL_SQRT) falls /= 2;
    slope.re = -k * g.im - falls * g.re;
    slope.im = k * g.re - falls * g.im;
    return slope;
}

// Adds one source to the field and to its gradient; 1 if it lies on the point and was left out.
PADICI_FN int padici_wave_pair_slope(const padici_wave_job *job, const padici_wave_source *source,
                                     const double at[3], padici_complex sum[4])
{
    const padic_wave_superpose_desc *desc = job->desc;
    double d[3], r2, r, scale;
    padici_complex g, slope, weight;
    uint32_t j;
    if (padici_wave_way(job, source, at, d, &r2, &r)) return 1;
    g = padici_wave_green(desc, job->length, source->wavenumber, r);
    weight = padici_wave_weight(source, r);
    padici_wave_add(desc, g, weight, &sum[0]);
    if (r2 < job->least && desc->softening != PADIC_WAVE_SOFTENING_PLUMMER_BOTH) return 0;
    if (desc->softening == PADIC_WAVE_SOFTENING_CLAMP && sqrt(r2) < job->length) return 0;
    slope = padici_wave_derivative(desc, job->length, source->wavenumber, r, g);
    slope.re -= source->absorption * g.re;
    slope.im -= source->absorption * g.im;
    for (j = 0; j < 3; j++) {
        padici_complex part;
        scale = d[j] / r; // (r - s)/r; of PLUMMER_BOTH r/R of it
        part.re = slope.re * scale;
        part.im = slope.im * scale;
        padici_wave_add(desc, part, weight, &sum[1 + j]);
    }
    return 0;
}

PADICI_FN void padici_wave_slope_store(const padici_wave_slopes *job, padici_wave_slice *slice,
                                       uint64_t i, const padici_complex sum[4])
{
    const padic_wave_superpose_desc *field = &job->desc->field;
    const int64_t at = padici_wave_index(&job->field, job->stride, i);
    uint32_t j;
    if (field->out.dtype != PADIC_DTYPE_NONE) padici_wave_store(&job->field, slice, i, sum[0]);
    for (j = 0; j < job->components; j++)
        padici_wave_put(&job->desc->out, at + (int64_t)j * job->stride[3], sum[1 + j],
                        (field->flags & PADIC_WAVE_FLAG_ACCUMULATE) != 0);
}

// At most PADICI_WAVE_SLOPES points over all sources.
static void padici_wave_slope_pass(const padici_wave_slopes *job, padici_wave_slice *slice,
                                   uint64_t first, uint32_t count)
{
    padici_wave_source sources[PADICI_WAVE_SOURCES];
    padici_complex sums[PADICI_WAVE_SLOPES][4];
    double at[3];
    uint64_t begin;
    uint32_t i, j, n, c;
    memset(sums, 0, sizeof sums);
    for (begin = 0; begin < job->field.sources; begin += n) {
        const uint64_t left = job->field.sources - begin;
        n = left < PADICI_WAVE_SOURCES ? (uint32_t)left : PADICI_WAVE_SOURCES;
        for (j = 0; j < n; j++) padici_wave_source_get(&job->desc->field, begin + j, &sources[j]);
        for (i = 0; i < count; i++) {
            padici_complex sum[4];
            memset(sum, 0, sizeof sum);
            padici_wave_point(&job->field, first + i, at);
            for (j = 0; j < n; j++)
                slice->coincident +=
                    (uint32_t)padici_wave_pair_slope(&job->field, &sources[j], at, sum);
            for (c = 0; c < 4; c++) {
                sums[i][c].re += sum[c].re;
                sums[i][c].im += sum[c].im;
            }
        }
    }
    for (i = 0; i < count; i++) padici_wave_slope_store(job, slice, first + i, sums[i]);
}

static void padici_wave_slope_task(void *arg, uint32_t task)
{
    const padici_wave_slopes *job = (const padici_wave_slopes *)arg;
    uint64_t pass, end;
    padici_wave_share(job->field.passes, job->field.slice_count, task, &pass, &end);
    for (; pass < end; pass++) {
        const uint64_t first = pass * PADICI_WAVE_SLOPES, left = job->field.points - first;
        padici_wave_slope_pass(job, &job->field.slices[task], first,
                               left < PADICI_WAVE_SLOPES ? (uint32_t)left : PADICI_WAVE_SLOPES);
        if (padici_wave_stopped(&job->field)) return;
    }
}

PADICI_FN void padici_wave_slopes_begin(padici_wave_slopes *job,
                                        const padic_wave_gradient_desc *desc)
{
    int64_t stride[PADIC_MAX_RANK];
    uint32_t i;
    memset(job, 0, sizeof *job);
    padici_wave_job_begin(&job->field, &desc->field);
    if (desc->field.out.dtype == PADIC_DTYPE_NONE && desc->out.dtype == PADIC_C128)
        job->field.least = DBL_MIN;
    job->desc = desc;
    padici_tensor_dense(&desc->out, stride);
    for (i = 0; i + 1 < desc->out.rank; i++) job->stride[i] = stride[i];
    job->stride[3] = stride[i];
    job->components = (uint32_t)desc->out.shape[i];
}

PADICI_FN padic_result padici_wave_gradient_host(const padic_env *env, const void *desc_)
{
    const padic_wave_gradient_desc *desc = (const padic_wave_gradient_desc *)desc_;
    const padic_wave_superpose_desc *field = &desc->field;
    padici_wave_slice slices[PADICI_WAVE_SLICES];
    padici_wave_slopes job;
    padici_steps steps;
    padic_result result = field->flags & PADIC_WAVE_FLAG_CHECK_FINITE
                              ? padici_wave_check_values(NULL, field)
                              : PADIC_OK;
    if (result) return result;
    padici_wave_slopes_begin(&job, desc);
    if (!job.field.points) return PADIC_OK;
    job.field.passes = (job.field.points + PADICI_WAVE_SLOPES - 1) / PADICI_WAVE_SLOPES;
    job.field.slice_count =
        job.field.passes < PADICI_WAVE_SLICES ? job.field.passes : PADICI_WAVE_SLICES;
    padici_wave_slices_begin(&job.field, slices);
    padici_wave_watch(&job.field, &steps, env, job.field.passes);
    padici_parallel(env ? env->jobs : NULL, (uint32_t)job.field.slice_count,
                    padici_wave_slope_task, &job);
    result = padici_wave_unwatch(&job.field, env);
    if (result) return result;
    padici_wave_slices_end(&job.field);
    padici_wave_report_f64(&job.field);
    return PADIC_OK;
}

// A field whose output is the gradient's, less its last axis.
PADICI_FN void padici_wave_gradient_field(const padic_wave_gradient_desc *desc,
                                          padic_wave_superpose_desc *field)
{
    int64_t stride[PADIC_MAX_RANK];
    uint32_t i;
    *field = desc->field;
    field->out = desc->out;
    field->output = PADIC_WAVE_OUTPUT_COMPLEX;
    if (!desc->out.rank) return;
    padici_tensor_dense(&desc->out, stride);
    field->out.rank--;
    for (i = 0; i < field->out.rank; i++) field->out.stride[i] = stride[i];
}

static padic_result padici_wave_gradient_out(padic_context *context,
                                             const padic_wave_gradient_desc *desc)
{
    const padic_tensor *out = &desc->out;
    padic_wave_superpose_desc field;
    if (out->dtype != PADIC_C64 && out->dtype != PADIC_C128)
        return padici_wave_bad(context, PADIC_ERROR_DTYPE, "out is not c64 or c128");
    padici_wave_gradient_field(desc, &field);
    if (!out->rank || padici_wave_check_out(NULL, &field))
        return padici_wave_bad(context, PADIC_ERROR_MISMATCH,
                               "out has not the shape of the points and a last axis");
    if (!out->shape[out->rank - 1] ||
        out->shape[out->rank - 1] > padici_wave_dimensions(&desc->field))
        return padici_wave_bad(context, PADIC_ERROR_MISMATCH,
                               "out has no last axis of 1 component up to the kernel's dimensions");
    return PADIC_OK;
}

PADICI_FN padic_result padici_wave_gradient_check(padic_context *context, const void *desc_)
{
    const padic_wave_gradient_desc *desc = (const padic_wave_gradient_desc *)desc_;
    padic_wave_superpose_desc field = desc->field;
    padic_result result;
    if (field.out.dtype == PADIC_DTYPE_NONE) {
        if (field.output != PADIC_WAVE_OUTPUT_COMPLEX)
            return padici_wave_bad(context, PADIC_ERROR_ARGUMENT,
                                   "output is given without field.out");
        padici_wave_gradient_field(desc, &field);
    }
    result = padici_wave_check_scalars(context, &field);
    if (!result) result = padici_wave_check_points(context, &field);
    if (!result) result = padici_wave_gradient_out(context, desc);
    return result ? result : padici_wave_superpose_check(context, &field);
}

#undef PADICI_WAVE_SLOPES

#endif
