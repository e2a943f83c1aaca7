#include "phase_gradient.h"
#include "../context/ops.h"
#include "../context/state.h"
#include "../core/jobs.h"
#include "../core/view.h"
#include "check.h"
#include "output.h"
#include "source.h"
#include "vortex.h"

#if PADICI_IMPLEMENT_WAVE

// The gradient of a field's phase by differences between neighbours, each wrapped or from psi.

static double padici_wave_slope(padic_wave_phase_method method, padici_complex left,
                                padici_complex here, padici_complex right)
{
    int power;
    if (method == PADIC_WAVE_PHASE_LINKS)
        return padici_wave_link(left, here) + padici_wave_link(here, right);
    if (method == PADIC_WAVE_PHASE_LEGACY)
        return padici_wave_angle(right) - padici_wave_angle(left);
    here = padici_wave_near(here, &power);
    if (power) {
        left.re = ldexp(left.re, -power), left.im = ldexp(left.im, -power);
        right.re = ldexp(right.re, -power), right.im = ldexp(right.im, -power);
    }
    return (here.re * (right.im - left.im) - here.im * (right.re - left.re)) /
           (here.re * here.re + here.im * here.im);
}

// scale slope/step, where slope/step may be beyond F64 or lose digits and the product is not.
static double padici_wave_per_step(double slope, double step, double scale)
{
    const double rate = slope / step;
    int power[3];
    if (slope == 0 || !(slope - slope == 0) || (fabs(rate) >= DBL_MIN && fabs(rate) <= DBL_MAX))
        return rate * scale;
    slope = frexp(slope, &power[0]);
    step = frexp(step, &power[1]);
    scale = frexp(scale, &power[2]);
    return ldexp(slope / step * scale, power[0] - power[1] + power[2]);
}

PADICI_FN void padici_wave_gradient_point(const padici_wave_grid_job *job, uint32_t task,
                                          uint64_t i)
{
    const padic_wave_phase_gradient_desc *desc = job->gradient;
    const uint32_t size = padic_dtype_size(desc->out.dtype), rank = desc->psi.rank;
    uint64_t index[3];
    padici_complex side[2], here, scaled;
    int64_t at = 0, way;
    int power;
    char *to = (char *)desc->out.data;
    uint32_t a, left, links;
    int skip;
    padici_wave_grid_index(job, i, index);
    for (a = 0; a < 3; a++) {
        at += (int64_t)index[a] * job->stride[a];
        to += (int64_t)index[a] * job->out_stride[a] * (int64_t)size;
    }
    here = padici_wave_load(job->psi, at);
    scaled = padici_wave_near(here, &power);
    skip = scaled.re * scaled.re + scaled.im * scaled.im <= ldexp(desc->floor, -2 * power);
    job->tallies[task].undefined += (uint64_t)skip;
    for (a = 0; a < rank; a++, to += job->out_stride[3] * (int64_t)size) {
        const double step = desc->step[a] > 0 ? desc->step[a] : 1;
        double slope = 0;
        float single;
        for (links = left = 0; left < 2; left++) {
            side[left] = here;
            if (!padici_wave_beside(job, index, a, (int)left, &way)) continue;
            side[left] = padici_wave_load(job->psi, at + way);
            links++;
        }
        if (!skip && links)
            slope = padici_wave_per_step(
                padici_wave_slope(desc->method, side[1], here, side[0]) / links, step,
                desc->scale != 0 ? desc->scale : 1);
        single = (float)slope;
        if (size == 8) memcpy(to, &slope, 8);
        else memcpy(to, &single, 4);
    }
}

static void padici_wave_gradient_task(void *arg, uint32_t task)
{
    const padici_wave_grid_job *job = (const padici_wave_grid_job *)arg;
    uint64_t i, end;
    padici_wave_share(job->points, job->tasks, task, &i, &end);
    for (; i < end; i++) padici_wave_gradient_point(job, task, i);
}

PADICI_FN void padici_wave_gradient_begin(padici_wave_grid_job *job,
                                          const padic_wave_phase_gradient_desc *desc,
                                          padici_wave_tally *tallies)
{
    int64_t stride[PADIC_MAX_RANK];
    uint32_t i;
    padici_wave_grid_begin(job, &desc->psi, desc->periodic, tallies);
    job->gradient = desc;
    padici_tensor_dense(&desc->out, stride);
    for (i = 0; i < desc->psi.rank; i++) job->out_stride[i] = stride[i];
    job->out_stride[3] = stride[i];
}

PADICI_FN void padici_wave_gradient_skipped(const padici_wave_grid_job *job,
                                            const padic_wave_phase_gradient_desc *desc)
{
    uint64_t skipped = 0;
    uint32_t i;
    if (!desc->report) return;
    for (i = 0; i < PADICI_WAVE_SHARES; i++) skipped += job->tallies[i].undefined;
    desc->report->skipped = skipped;
}

PADICI_FN padic_result padici_wave_phase_gradient_host(const padic_env *env, const void *desc_)
{
    const padic_wave_phase_gradient_desc *desc = (const padic_wave_phase_gradient_desc *)desc_;
    padici_wave_tally tallies[PADICI_WAVE_SHARES];
    padici_wave_grid_job job;
    padici_wave_gradient_begin(&job, desc, tallies);
    padici_parallel(padici_env_jobs(env), (uint32_t)job.tasks, padici_wave_gradient_task, &job);
    padici_wave_gradient_skipped(&job, desc);
    return PADIC_OK;
}

PADICI_FN padic_result padici_wave_phase_gradient_check(padic_context *context, const void *desc_)
{
    const padic_wave_phase_gradient_desc *desc = (const padic_wave_phase_gradient_desc *)desc_;
    const padic_tensor *psi = &desc->psi, *out = &desc->out;
    uint32_t i;
    if ((uint32_t)desc->method > PADIC_WAVE_PHASE_LEGACY)
        return padici_wave_bad(context, PADIC_ERROR_ARGUMENT,
                               "method is no padic_wave_phase_method");
    if (psi->dtype != PADIC_C64 && psi->dtype != PADIC_C128)
        return padici_wave_bad(context, PADIC_ERROR_DTYPE, "psi is not c64 or c128");
    if (!padici_wave_real_type(out))
        return padici_wave_bad(context, PADIC_ERROR_DTYPE, "out is not f32 or f64");
    if (!psi->rank || psi->rank > 3)
        return padici_wave_bad(context, PADIC_ERROR_MISMATCH, "psi is not of rank 1, 2 or 3");
    for (i = 0; i < psi->rank && out->rank == psi->rank + 1; i++)
        if (out->shape[i] != psi->shape[i]) break;
    if (i < psi->rank || out->shape[i] != psi->rank)
        return padici_wave_bad(context, PADIC_ERROR_MISMATCH,
                               "out has not psi's shape and a last axis of its rank");
    if (desc->periodic >> psi->rank)
        return padici_wave_bad(context, PADIC_ERROR_ARGUMENT, "periodic has an unknown bit");
    for (i = 0; i < 3; i++) {
        const double step = desc->step[i];
        if (!(step >= 0) || !padici_wave_finite(step))
            return padici_wave_bad(context, PADIC_ERROR_ARGUMENT, "step is negative or not finite");
        if (desc->method == PADIC_WAVE_PHASE_LEGACY && step != 0 && step != 1)
            return padici_wave_bad(context, PADIC_ERROR_ARGUMENT, "step is 0 or 1 with LEGACY");
    }
    if (!padici_wave_finite(desc->scale))
        return padici_wave_bad(context, PADIC_ERROR_ARGUMENT, "scale is not finite");
    if (!(desc->floor >= 0) || !padici_wave_finite(desc->floor))
        return padici_wave_bad(context, PADIC_ERROR_ARGUMENT, "floor is negative or not finite");
    return PADIC_OK;
}

#endif
