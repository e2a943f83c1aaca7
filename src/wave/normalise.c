#include "normalise.h"
#include "../context/messages.h"
#include "../context/ops.h"
#include "../context/state.h"
#include "../core/jobs.h"
#include "../core/log.h"
#include "check.h"
#include "observables.h"
#include "source.h"

#if PADICI_IMPLEMENT_WAVE

// The norm of a field, and the field divided by it.

static void padici_wave_norm_task(void *arg, uint32_t task)
{
    padici_wave_each *job = (padici_wave_each *)arg;
    uint64_t i, end, block;
    double total = 0;
    padici_wave_share(job->count, job->tasks, task, &i, &end);
    while (i < end) {
        double sum = 0;
        for (block = end - i < 256 ? end : i + 256; i < block; i++) {
            padici_complex z = padici_wave_each_get(job, i);
            z.re *= job->scale;
            z.im *= job->scale;
            sum += z.re * z.re + z.im * z.im;
        }
        total += sum;
    }
    job->sums[task] = total;
}

static void padici_wave_scale_task(void *arg, uint32_t task)
{
    const padici_wave_each *job = (const padici_wave_each *)arg;
    uint64_t i, end;
    padici_wave_share(job->count, job->tasks, task, &i, &end);
    for (; i < end; i++) {
        const int64_t at = padici_wave_each_at(job->in, job->in_stride, i);
        padici_complex z = padici_wave_each_get(job, i);
        float single[2];
        z.re = z.re * job->scale * job->factor;
        z.im = z.im * job->scale * job->factor;
        single[0] = (float)z.re;
        single[1] = (float)z.im;
        if (job->in->dtype == PADIC_C128) memcpy((char *)job->in->data + 16 * at, &z, 16);
        else memcpy((char *)job->in->data + 8 * at, single, 8);
    }
}

// From the sum of |psi|^2 the norm and what psi is multiplied with; 0: DOMAIN.
PADICI_FN int padici_wave_norm_factor(const padic_wave_normalise_desc *desc, double *sum,
                                      double *factor)
{
    *sum *= desc->volume > 0 ? desc->volume : 1;
    if (!padici_wave_finite(*sum) || *sum == 0) return 0;
    *factor = sqrt((desc->target > 0 ? desc->target : 1) / *sum);
    if (desc->legacy) *factor = 1 / (sqrt(*sum) + 1e-10);
    return padici_wave_finite(*factor);
}

// sum |scale psi|^2.
static double padici_wave_norm_sum(padici_wave_each *job, const padic_jobs *jobs)
{
    double sum = 0;
    uint32_t i;
    padici_parallel(jobs, (uint32_t)job->tasks, padici_wave_norm_task, job);
    for (i = 0; i < job->tasks; i++) sum += job->sums[i];
    return sum;
}

// The power of 2 near the largest part of psi; 0 also where there is none, or no finite one.
static int padici_wave_norm_power(const padici_wave_each *job)
{
    double large = 0;
    uint64_t i;
    int power = 0;
    for (i = 0; i < job->count; i++) {
        const padici_complex z = padici_wave_each_get(job, i);
        if (!(fabs(z.re) <= large)) large = fabs(z.re);
        if (!(fabs(z.im) <= large)) large = fabs(z.im);
        if (!padici_wave_finite(large)) return 0;
    }
    if (large > 0) frexp(large, &power);
    return power < -1000 ? -1000 : power > 1000 ? 1000 : power;
}

PADICI_FN padic_result padici_wave_norm_bad(const padic_env *env)
{
    return padici_env_fail(env, PADIC_ERROR_DOMAIN,
                           "psi is 0 or not finite, or f64 does not hold its norm or the factor");
}

PADICI_FN padic_result padici_wave_normalise_host(const padic_env *env, const void *desc_)
{
    const padic_jobs *jobs = env ? env->jobs : NULL;
    const padic_wave_normalise_desc *desc = (const padic_wave_normalise_desc *)desc_;
    padici_wave_each job;
    double sum, norm;
    int power = 0;
    padici_wave_each_begin(&job, &desc->psi, &desc->psi);
    if (!job.count) return PADIC_OK;
    job.scale = 1;
    sum = padici_wave_norm_sum(&job, jobs);
    if (!(sum > 1e-270 && sum < 1e290)) { // squares lose digits, or are beyond F64
        power = padici_wave_norm_power(&job);
        job.scale = ldexp(1.0, -power);
        sum = padici_wave_norm_sum(&job, jobs);
    }
    if (!padici_wave_norm_factor(desc, &sum, &job.factor)) return padici_wave_norm_bad(env);
    norm = ldexp(sum, 2 * power);
    if (desc->report && (!padici_wave_finite(norm) || (norm < DBL_MIN && power)))
        return padici_wave_norm_bad(env);
    if (desc->legacy && power) {
        job.scale = 1;
        job.factor = 1 / (ldexp(sqrt(sum), power) + 1e-10);
    }
    padici_parallel(jobs, (uint32_t)job.tasks, padici_wave_scale_task, &job);
    if (desc->report) desc->report->norm = norm;
    return PADIC_OK;
}

PADICI_FN padic_result padici_wave_normalise_check(padic_context *context, const void *desc_)
{
    const padic_wave_normalise_desc *desc = (const padic_wave_normalise_desc *)desc_;
    if (!padici_wave_complex_type(&desc->psi))
        return padici_wave_bad(context, PADIC_ERROR_DTYPE, "psi is not c64 or c128");
    if (!(desc->target >= 0) || !padici_wave_finite(desc->target))
        return padici_wave_bad(context, PADIC_ERROR_ARGUMENT, "target is negative or not finite");
    if (!(desc->volume >= 0) || !padici_wave_finite(desc->volume))
        return padici_wave_bad(context, PADIC_ERROR_ARGUMENT, "volume is negative or not finite");
    if (desc->legacy > 1)
        return padici_wave_bad(context, PADIC_ERROR_ARGUMENT, "legacy is not 0 or 1");
    if (desc->legacy && ((desc->target != 0 && desc->target != 1) ||
                         (desc->volume != 0 && desc->volume != 1)))
        return padici_wave_bad(context, PADIC_ERROR_ARGUMENT,
                               "legacy goes with target and volume of 0 or 1");
    return PADIC_OK;
}

#endif
