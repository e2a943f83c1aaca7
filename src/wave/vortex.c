#include "vortex.h"
#include "../context/ops.h"
#include "../core/jobs.h"
#include "../core/view.h"
#include "check.h"
#include "output.h"
#include "superpose.h"

#if PADICI_IMPLEMENT_WAVE

// Vortices: products of the factors of lines, each with its axis, charge and core.

PADICI_FN padici_complex padici_wave_times(padici_complex a, padici_complex b)
{
    const double minus = -a.im; // gcc 12 would fuse a difference beside a sum
    padici_complex c;
    c.re = a.re * b.re + minus * b.im;
    c.im = a.re * b.im + a.im * b.re;
    return c;
}

// e1 = x - (x.n) n, from y where n is nearly x, and e2 = n x e1. Returns |n|.
PADICI_FN double padici_wave_frame(const double axis[3], double e1[3], double e2[3])
{
    const double length = sqrt(axis[0] * axis[0] + axis[1] * axis[1] + axis[2] * axis[2]);
    double n[3], size = 0;
    uint32_t i, from;
    for (i = 0; i < 3; i++) n[i] = axis[i] / length;
    from = fabs(n[0]) > 0.9;
    for (i = 0; i < 3; i++) {
        e1[i] = (i == from) - n[from] * n[i];
        size += e1[i] * e1[i];
    }
    for (i = 0; i < 3; i++) e1[i] /= sqrt(size);
    e2[0] = n[1] * e1[2] - n[2] * e1[1];
    e2[1] = n[2] * e1[0] - n[0] * e1[2];
    e2[2] = n[0] * e1[1] - n[1] * e1[0];
    return length;
}

PADICI_FN void padici_wave_line_get(const padici_wave_vortices *job, uint64_t i,
                                    padici_wave_line *line)
{
    const padic_wave_vortex_desc *desc = job->desc;
    double axis[3];
    uint32_t j;
    padici_wave_position(&desc->centres, job->centre_stride, i, line->centre);
    for (j = 0; j < 3; j++) { // of +z
        line->e1[j] = j == 0;
        line->e2[j] = j == 1;
    }
    if (desc->axes.dtype != PADIC_DTYPE_NONE) {
        padici_wave_position(&desc->axes, job->axis_stride, i, axis);
        (void)padici_wave_frame(axis, line->e1, line->e2);
    }
    line->charge = padici_wave_value(&desc->charges, i, 1);
    line->core = padici_wave_value(&desc->cores, i, 0);
    if (desc->core == PADIC_WAVE_CORE_LEGACY && line->core == 0) line->core = 0.1;
}

static void padici_wave_lines_get(const padici_wave_vortices *job, uint64_t begin, uint32_t n,
                                  padici_wave_line *lines)
{
    uint32_t i;
    for (i = 0; i < n; i++) padici_wave_line_get(job, begin + i, &lines[i]);
}

// The modulus of a core of charge 1 over rho, but for NONE.
static double padici_wave_core_slope(padic_wave_core core, double rho2, double xi)
{
    const double a1 = 0.3401100, a2 = 0.0464431, b1 = a1 + a2, x = rho2 / (xi * xi);
    double y;
    if (core == PADIC_WAVE_CORE_RATIONAL) return 1 / sqrt(rho2 + xi * xi);
    if (x <= 1) return sqrt((a1 + a2 * x) / (1 + b1 * x + a2 * x * x)) / xi;
    y = 1 / x;
    return sqrt((a1 * y + a2) / (y * y + b1 * y + a2)) / sqrt(rho2);
}

// d, and xi unless it is NULL, times the power of 2 that brings the largest of them to about 1,
// where their squares would be beyond F64 or lose digits: no core depends on their scale.
static int padici_wave_line_near(double *d, uint32_t n, double *xi)
{
    double large = xi ? *xi : 0;
    int power;
    uint32_t i;
    for (i = 0; i < n; i++)
        if (fabs(d[i]) > large) large = fabs(d[i]);
    if ((large > 1e-140 && large < 1e140) || !(large > 0) || !padici_wave_finite(large)) return 0;
    frexp(large, &power);
    for (i = 0; i < n; i++) d[i] = ldexp(d[i], -power);
    if (xi) *xi = ldexp(*xi, -power);
    return 1;
}

PADICI_FN padici_complex padici_wave_line_factor(const padici_wave_line *line, padic_wave_core core,
                                                 const double at[3])
{
    padici_complex z = {0, 0}, power = {1, 0};
    double d[3], parts[2], xi = line->core, r2 = 0, size;
    double *const used = core == PADIC_WAVE_CORE_NONE ? NULL : &xi;
    int32_t i;
    for (i = 0; i < 3; i++) d[i] = at[i] - line->centre[i];
    if (!padici_wave_finite(d[0] + d[1] + d[2])) { // of halves no difference is beyond F64
        for (i = 0; i < 3; i++) d[i] = 0.5 * at[i] - 0.5 * line->centre[i];
        xi *= 0.5;
    }
    (void)padici_wave_line_near(d, 3, used);
    for (i = 0; i < 3; i++) {
        r2 += d[i] * d[i];
        z.re += d[i] * line->e1[i];
        z.im += d[i] * line->e2[i];
    }
    if (core == PADIC_WAVE_CORE_LEGACY) {
        const double angle = line->charge * (d[0] == 0 && d[1] == 0 ? 0 : atan2(d[1], d[0]));
        size = tanh(sqrt(r2) / xi);
        power.re = size * cos(angle);
        power.im = size * sin(angle);
        return power;
    }
    if (line->charge == 0) return power;
    parts[0] = z.re;
    parts[1] = z.im;
    if (padici_wave_line_near(parts, 2, used)) { // much closer to the line than to its centre
        z.re = parts[0];
        z.im = parts[1];
    }
    r2 = z.re * z.re + z.im * z.im;
    if (core == PADIC_WAVE_CORE_NONE)
        size = r2 > 0 ? 1 / sqrt(r2) : 0;
    else
        size = r2 > 0 || xi > 0 ? padici_wave_core_slope(core, r2, xi) : 0;
    z.re *= size;
    z.im *= line->charge < 0 ? -size : size;
    for (i = (int32_t)fabs(line->charge); i > 0; i--) power = padici_wave_times(power, z);
    return power;
}

PADICI_FN void padici_wave_lines_plain(padic_wave_core core, const padici_wave_line *lines,
                                       uint32_t n, const padici_wave_places *places, uint32_t first,
                                       uint32_t end, padici_complex *products)
{
    uint32_t i, j;
    for (i = first; i < end; i++) {
        const double point[3] = {places->at[0][i], places->at[1][i], places->at[2][i]};
        for (j = 0; j < n; j++)
            products[i] = padici_wave_times(products[i],
                                            padici_wave_line_factor(&lines[j], core, point));
    }
}

// Points of a pass through all lines. `lines`: room for a block, which has them all if they fit.
static void padici_wave_vortex_pass(const padici_wave_vortices *job, padici_wave_slice *slice,
                                    uint64_t first, uint32_t count, padici_wave_line *lines)
{
    const padic_wave_vortex_desc *desc = job->desc;
    const uint64_t *shape = job->field.count;
    padici_complex products[PADICI_WAVE_POINTS];
    padici_wave_places places;
    double point[3];
    uint64_t begin, all = desc->centres.shape[0];
    uint32_t i, j, n;
    for (i = 0; i < PADICI_WAVE_POINTS; i++) { // kernels do whole vectors
        const uint64_t p = first + (i < count ? i : count - 1);
        padici_wave_point(&job->field, p, point);
        for (j = 0; j < 3; j++) places.at[j][i] = point[j];
        products[i].re = 1;
        products[i].im = 0;
        if (desc->psi.dtype != PADIC_DTYPE_NONE)
            products[i] = padici_wave_load(
                &desc->psi, (int64_t)(p % shape[2]) * job->psi_stride[2] +
                                (int64_t)(p / shape[2] % shape[1]) * job->psi_stride[1] +
                                (int64_t)(p / shape[2] / shape[1]) * job->psi_stride[0]);
    }
    for (begin = 0; begin < all; begin += n) {
        n = all - begin < PADICI_WAVE_VORTICES ? (uint32_t)(all - begin) : PADICI_WAVE_VORTICES;
        if (n < all) padici_wave_lines_get(job, begin, n, lines);
        (*job->lines)(desc->core, lines, n, &places, 0, count, products);
    }
    for (i = 0; i < count; i++) padici_wave_store(&job->field, slice, first + i, products[i]);
}

static void padici_wave_vortex_task(void *arg, uint32_t task)
{
    const padici_wave_vortices *job = (const padici_wave_vortices *)arg;
    const uint64_t all = job->desc->centres.shape[0];
    padici_wave_line lines[PADICI_WAVE_VORTICES];
    uint64_t pass, end;
    padici_wave_share(job->field.passes, job->field.slice_count, task, &pass, &end);
    if (all <= PADICI_WAVE_VORTICES) padici_wave_lines_get(job, 0, (uint32_t)all, lines);
    for (; pass < end; pass++) {
        const uint64_t first = pass * PADICI_WAVE_POINTS, left = job->field.points - first;
        padici_wave_vortex_pass(job, &job->field.slices[task], first,
                                left < PADICI_WAVE_POINTS ? (uint32_t)left : PADICI_WAVE_POINTS,
                                lines);
        if (padici_wave_stopped(&job->field)) return;
    }
}

// A superposition of nothing with the points and the output of the vortices.
PADICI_FN void padici_wave_vortex_field(const padic_wave_vortex_desc *desc,
                                        padic_wave_superpose_desc *field)
{
    memset(field, 0, sizeof *field);
    field->points = desc->points;
    field->grid = desc->grid;
    field->output = desc->output;
    field->tone = desc->tone;
    field->out = desc->out;
    field->flags = desc->flags;
}

PADICI_FN padic_result padici_wave_vortex_with(padici_wave_lines kernel, const padic_env *env,
                                               const padic_wave_vortex_desc *desc)
{
    padici_wave_slice slices[PADICI_WAVE_SHARES];
    padic_wave_superpose_desc field;
    padic_wave_superpose_report found;
    padici_wave_vortices job;
    padici_steps steps;
    padic_result result = desc->flags & PADIC_WAVE_FLAG_CHECK_FINITE
                              ? padici_wave_vortex_values(NULL, desc)
                              : PADIC_OK;
    if (result) return result;
    padici_wave_vortex_field(desc, &field);
    padici_wave_job_begin(&job.field, &field);
    if (!job.field.points) return PADIC_OK;
    job.desc = desc;
    job.lines = kernel;
    padici_tensor_dense(&desc->centres, job.centre_stride);
    padici_tensor_dense(&desc->axes, job.axis_stride);
    padici_tensor_dense(&desc->psi, job.psi_stride);
    if (job.field.slice_count > PADICI_WAVE_SHARES) job.field.slice_count = PADICI_WAVE_SHARES;
    padici_wave_slices_begin(&job.field, slices);
    padici_wave_watch(&job.field, &steps, env, job.field.passes);
    padici_parallel(env ? env->jobs : NULL, (uint32_t)job.field.slice_count,
                    padici_wave_vortex_task, &job);
    result = padici_wave_unwatch(&job.field, env);
    if (result || !desc->report) return result;
    field.report = &found;
    padici_wave_slices_end(&job.field);
    desc->report->smallest = found.smallest;
    desc->report->largest = found.largest;
    return PADIC_OK;
}

PADICI_FN padic_result padici_wave_vortex_host(const padic_env *env, const void *desc)
{
    return padici_wave_vortex_with(padici_wave_lines_plain, env,
                                   (const padic_wave_vortex_desc *)desc);
}

// One vortex's numbers, where the host sees them; NULL or what is wrong.
static const char *padici_wave_line_fault(const padic_wave_vortex_desc *desc, uint64_t i)
{
    const int legacy = desc->core == PADIC_WAVE_CORE_LEGACY;
    const double q = desc->charges.dtype == PADIC_DTYPE_NONE || desc->charges.data
                         ? padici_wave_value(&desc->charges, i, 1) : 1;
    const double xi = desc->cores.dtype == PADIC_DTYPE_NONE || desc->cores.data
                          ? padici_wave_value(&desc->cores, i, 0) : 1;
    double axis[3] = {0, 0, 1}, e[2][3], length;
    int64_t stride[PADIC_MAX_RANK];
    if (!(fabs(q) <= 64) || (!legacy && q != floor(q)))
        return legacy ? "charges has one beyond 64" : "charges has one that is no integer up to 64";
    if (desc->core == PADIC_WAVE_CORE_PADE && fabs(q) != 1)
        return "charges has one that is not 1 or -1, as core PADE needs";
    if (desc->core != PADIC_WAVE_CORE_NONE && !(legacy ? xi >= 0 : xi > 0))
        return "cores has a length that is not positive";
    if (!padici_wave_finite(xi)) return "cores has a length that is not finite";
    if (desc->core != PADIC_WAVE_CORE_NONE && xi > 0 && !padici_wave_within(xi + 1 / xi))
        return "cores has a length that is not within 1e-150 and 1e150";
    if (desc->axes.dtype != PADIC_DTYPE_NONE && desc->axes.data) {
        padici_tensor_dense(&desc->axes, stride);
        padici_wave_position(&desc->axes, stride, i, axis);
    }
    length = padici_wave_frame(axis, e[0], e[1]);
    return length > 1 - 1e-3 && length < 1 + 1e-3 ? NULL : "axes has one that is not of length 1";
}

PADICI_FN padic_result padici_wave_vortex_values(padic_context *context,
                                                 const padic_wave_vortex_desc *desc)
{
    padic_result result = padici_wave_check_finite(context, &desc->points, "points");
    uint64_t i;
    if (!result)
        result = padici_wave_check_finite(context, &desc->centres, "centres");
    for (i = 0; i < desc->centres.shape[0] && !result; i++) {
        const char *fault = padici_wave_line_fault(desc, i);
        if (fault) result = padici_wave_bad(context, PADIC_ERROR_ARGUMENT, fault);
    }
    return result;
}

PADICI_FN int padici_wave_real_type(const padic_tensor *t)
{
    return t->dtype == PADIC_F32 || t->dtype == PADIC_F64;
}

static padic_result padici_wave_vortex_tensors(padic_context *context,
                                               const padic_wave_vortex_desc *desc)
{
    const padic_tensor *const values[2] = {&desc->charges, &desc->cores};
    const uint64_t lines = desc->centres.shape[0];
    const uint32_t rgba = desc->output == PADIC_WAVE_OUTPUT_RGBA8;
    uint32_t i;
    padic_result result = padici_wave_check_positions(
        context, &desc->centres, 3, "centres is not (V, D) with D = 1, 2 or 3", "");
    if (result) return result;
    if (!padici_wave_real_type(&desc->centres))
        return padici_wave_bad(context, PADIC_ERROR_DTYPE, "centres is not f32 or f64");
    if (desc->axes.dtype != PADIC_DTYPE_NONE) {
        if (!padici_wave_real_type(&desc->axes))
            return padici_wave_bad(context, PADIC_ERROR_DTYPE, "axes is not f32 or f64");
        if (desc->axes.rank != 2 || desc->axes.shape[0] != lines || desc->axes.shape[1] != 3)
            return padici_wave_bad(context, PADIC_ERROR_MISMATCH, "axes is not (V, 3)");
        if (desc->core == PADIC_WAVE_CORE_LEGACY)
            return padici_wave_bad(context, PADIC_ERROR_ARGUMENT,
                                   "axes and LEGACY do not go together");
    }
    for (i = 0; i < 2; i++) {
        const padic_tensor *t = values[i];
        if (t->dtype == PADIC_DTYPE_NONE) continue;
        if (!padici_wave_real_type(t))
            return padici_wave_bad(context, PADIC_ERROR_DTYPE,
                                   i ? "cores is not f32 or f64" : "charges is not f32 or f64");
        if (t->rank > 1 || (t->rank && t->shape[0] != lines))
            return padici_wave_bad(context, PADIC_ERROR_MISMATCH,
                                   i ? "cores is not (V) or of rank 0"
                                     : "charges is not (V) or of rank 0");
    }
    if (desc->psi.dtype == PADIC_DTYPE_NONE) return PADIC_OK;
    if (desc->psi.dtype != PADIC_C64 && desc->psi.dtype != PADIC_C128)
        return padici_wave_bad(context, PADIC_ERROR_DTYPE, "psi is not c64 or c128");
    for (i = 0; i < desc->psi.rank; i++)
        if (desc->psi.rank + rgba != desc->out.rank || desc->psi.shape[i] != desc->out.shape[i])
            break;
    if (i < desc->psi.rank || desc->psi.rank + rgba != desc->out.rank)
        return padici_wave_bad(context, PADIC_ERROR_MISMATCH, "psi has not the shape of out");
    return PADIC_OK;
}

PADICI_FN padic_result padici_wave_vortex_check(padic_context *context, const void *desc_)
{
    const padic_wave_vortex_desc *desc = (const padic_wave_vortex_desc *)desc_;
    padic_wave_superpose_desc field;
    padic_result result;
    if ((uint32_t)desc->core > PADIC_WAVE_CORE_LEGACY)
        return padici_wave_bad(context, PADIC_ERROR_ARGUMENT, "core is no padic_wave_core");
    if ((uint32_t)desc->output > PADIC_WAVE_OUTPUT_RGBA8)
        return padici_wave_bad(context, PADIC_ERROR_ARGUMENT, "output is no padic_wave_output");
    if (desc->flags & ~(uint32_t)PADIC_WAVE_FLAG_CHECK_FINITE)
        return padici_wave_bad(context, PADIC_ERROR_ARGUMENT, "flags has an unknown bit");
    padici_wave_vortex_field(desc, &field);
    result = padici_wave_check_points(context, &field);
    if (!result) result = padici_wave_check_out(context, &field);
    if (!result) result = padici_wave_check_tone(context, &field);
    if (!result) result = padici_wave_vortex_tensors(context, desc);
    if (!result) result = padici_wave_vortex_values(context, desc);
    return result;
}

#endif
