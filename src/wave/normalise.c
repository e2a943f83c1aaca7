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

// x factor 2^power, rounded once; the product itself is beyond f64 only if that is.
static double padici_wave_norm_times(double x, double factor, int power)
{
    int own;
    if (!power) return x * factor;
    x = frexp(x, &own) * factor;
    return ldexp(x, own + power);
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
        z.re = padici_wave_norm_times(z.re, job->factor, job->power);
        z.im = padici_wave_norm_times(z.im, job->factor, job->power);
        single[0] = (float)z.re;
        single[1] = (float)z.im;
        if (job->in->dtype == PADIC_C128) memcpy((char *)job->in->data + 16 * at, &z, 16);
        else memcpy((char *)job->in->data + 8 * at, single, 8);
    }
}

static int padici_wave_norm_ordinary(double x)
{
    return x >= DBL_MIN && x <= DBL_MAX;
}

// From sum 2^(2 power), the sum of |psi|^2, the norm and what psi is multiplied with: factor
// 2^power, of power 0 where f64 holds it. 0: DOMAIN.
PADICI_FN int padici_wave_norm_factor(const padic_wave_normalise_desc *desc, double sum, int power,
                                      padici_wave_norm *norm)
{
    const double target = desc->target > 0 ? desc->target : 1;
    const double volume = desc->volume > 0 ? desc->volume : 1;
    const double product = sum * volume, quotient = target / product;
    int part[3];
    double x;
    norm->power = 0;
    if (!padici_wave_finite(sum) || sum == 0) return 0;
    x = frexp(sum, &part[0]);
    x *= frexp(volume, &part[1]);
    norm->norm = ldexp(x, part[0] + part[1] + 2 * power);
    if (desc->report && (norm->norm == 0 || !padici_wave_finite(norm->norm))) return 0;
    if (desc->legacy) {
        const double root = ldexp(sqrt(sum), power);
        norm->factor = 1 / (root + 1e-10);
        if (root < 1e300) return 1; // else 1e-10 is nothing
    }
    if (padici_wave_norm_ordinary(product) && padici_wave_norm_ordinary(quotient)) {
        norm->factor = ldexp(sqrt(quotient), -power);
        if (padici_wave_norm_ordinary(norm->factor)) return 1;
    }
    x = frexp(target, &part[2]) / x;
    power = part[2] - part[1] - part[0] - 2 * power;
    if (power % 2) x *= 2, power--;
    x = sqrt(x);
    power /= 2;
    norm->factor = ldexp(x, power);
    if (padici_wave_norm_ordinary(norm->factor)) return 1;
    if (desc->psi.dtype == PADIC_C64) { // which becomes 0 or infinite
        norm->factor = power > 0 ? DBL_MAX : DBL_MIN;
        return 1;
    }
    norm->factor = x;
    norm->power = power;
    return 1;
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

// The largest part of psi; 0 also where one is not finite.
static double padici_wave_norm_largest(const padici_wave_each *job)
{
    double large = 0;
    uint64_t i;
    for (i = 0; i < job->count; i++) {
        const padici_complex z = padici_wave_each_get(job, i);
        if (!(fabs(z.re) <= large)) large = fabs(z.re);
        if (!(fabs(z.im) <= large)) large = fabs(z.im);
        if (!padici_wave_finite(large)) return 0;
    }
    return large;
}

PADICI_FN padic_result padici_wave_norm_bad(const padic_env *env)
{
    return padici_env_fail(env, PADIC_ERROR_DOMAIN,
                           "psi is 0 or not finite, or f64 does not hold its norm or the result");
}

PADICI_FN padic_result padici_wave_normalise_host(const padic_env *env, const void *desc_)
{
    const padic_jobs *jobs = env ? env->jobs : NULL;
    const padic_wave_normalise_desc *desc = (const padic_wave_normalise_desc *)desc_;
    padici_wave_each job;
    padici_wave_norm norm;
    double sum, largest = 0;
    int power = 0;
    padici_wave_each_begin(&job, &desc->psi, &desc->psi);
    if (!job.count) return PADIC_OK;
    job.scale = 1;
    sum = padici_wave_norm_sum(&job, jobs);
    if (!(sum > 1e-270 && sum < 1e290)) { // squares lose digits, or are beyond F64
        largest = padici_wave_norm_largest(&job);
        if (largest > 0) frexp(largest, &power);
        power = power < -1000 ? -1000 : power > 1000 ? 1000 : power;
        job.scale = ldexp(1.0, -power);
        sum = padici_wave_norm_sum(&job, jobs);
    }
    if (!padici_wave_norm_factor(desc, sum, power, &norm)) return padici_wave_norm_bad(env);
    job.factor = norm.factor;
    job.power = norm.power;
    if (norm.power > 0) {
        if (largest == 0) largest = padici_wave_norm_largest(&job);
        if (!padici_wave_finite(padici_wave_norm_times(largest, norm.factor, norm.power)))
            return padici_wave_norm_bad(env);
    }
    padici_parallel(jobs, (uint32_t)job.tasks, padici_wave_scale_task, &job);
    if (desc->report) desc->report->norm = norm.norm;
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
