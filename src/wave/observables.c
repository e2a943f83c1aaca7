#include "observables.h"
#include "../context/ops.h"
#include "../context/state.h"
#include "../core/jobs.h"
#include "../core/tensor.h"
#include "../core/view.h"
#include "check.h"
#include "output.h"

#if PADICI_IMPLEMENT_WAVE

// Fields element by element, in C order, tensors of any rank; and their observables.

PADICI_FN void padici_wave_each_begin(padici_wave_each *job, const padic_tensor *in,
                                      const padic_tensor *out)
{
    memset(job, 0, sizeof *job);
    job->in = in;
    job->out = out;
    padici_tensor_dense(in, job->in_stride);
    padici_tensor_dense(out, job->out_stride);
    job->count = padic_tensor_count(in);
    job->tasks = (job->count + 255) / 256; // by the count alone: sums do not depend on workers
    if (job->tasks > PADICI_WAVE_SHARES) job->tasks = PADICI_WAVE_SHARES;
}

// Where element i of a shape lies.
PADICI_FN int64_t padici_wave_each_at(const padic_tensor *t, const int64_t *stride, uint64_t i)
{
    int64_t at = 0;
    uint32_t axis = t->rank;
    while (axis--) {
        at += (int64_t)(i % t->shape[axis]) * stride[axis];
        i /= t->shape[axis];
    }
    return at;
}

PADICI_FN padici_complex padici_wave_each_get(const padici_wave_each *job, uint64_t i)
{
    const int64_t at = padici_wave_each_at(job->in, job->in_stride, i);
    padici_complex z = {0, 0};
    float single;
    if (job->in->dtype == PADIC_F64) {
        memcpy(&z.re, (const char *)job->in->data + 8 * at, 8);
    } else if (job->in->dtype == PADIC_F32) {
        memcpy(&single, (const char *)job->in->data + 4 * at, 4);
        z.re = (double)single;
    } else {
        z = padici_wave_load(job->in, at);
    }
    return z;
}

PADICI_FN int padici_wave_complex_type(const padic_tensor *t)
{
    return t->dtype == PADIC_C64 || t->dtype == PADIC_C128;
}

// out's shape is in's, with `more` axes.
PADICI_FN int padici_wave_same_shape(const padic_tensor *in, const padic_tensor *out, uint32_t more)
{
    uint32_t i;
    if (out->rank != in->rank + more) return 0;
    for (i = 0; i < in->rank; i++)
        if (in->shape[i] != out->shape[i]) return 0;
    return 1;
}

static void padici_wave_observe_task(void *arg, uint32_t task)
{
    const padici_wave_each *job = (const padici_wave_each *)arg;
    const int64_t size = (int64_t)padic_dtype_size(job->out->dtype);
    uint64_t i, end;
    padici_wave_share(job->count, job->tasks, task, &i, &end);
    for (; i < end; i++) {
        char *to = (char *)job->out->data + padici_wave_each_at(job->in, job->out_stride, i) * size;
        const double v = padici_wave_real(job->output, padici_wave_each_get(job, i));
        const float single = (float)v;
        if (size == 8) memcpy(to, &v, 8);
        else memcpy(to, &single, 4);
    }
}

PADICI_FN padic_result padici_wave_observe_host(const padic_env *env, const void *desc_)
{
    const padic_wave_observe_desc *desc = (const padic_wave_observe_desc *)desc_;
    padici_wave_each job;
    padici_wave_each_begin(&job, &desc->psi, &desc->out);
    job.output = desc->output;
    padici_parallel(padici_env_jobs(env), (uint32_t)job.tasks, padici_wave_observe_task, &job);
    return PADIC_OK;
}

PADICI_FN padic_result padici_wave_observe_check(padic_context *context, const void *desc_)
{
    const padic_wave_observe_desc *desc = (const padic_wave_observe_desc *)desc_;
    if ((uint32_t)desc->output > PADIC_WAVE_OUTPUT_PHASE)
        return padici_wave_bad(context, PADIC_ERROR_ARGUMENT,
                               "output is none, or RGBA8: that is wave_tonemap");
    if (!padici_wave_complex_type(&desc->psi))
        return padici_wave_bad(context, PADIC_ERROR_DTYPE, "psi is not c64 or c128");
    if (!padici_wave_real_type(&desc->out))
        return padici_wave_bad(context, PADIC_ERROR_DTYPE, "out is not f32 or f64");
    if (!padici_wave_same_shape(&desc->psi, &desc->out, 0))
        return padici_wave_bad(context, PADIC_ERROR_MISMATCH, "out has not psi's shape");
    return PADIC_OK;
}

// wave_flux

typedef struct padici_wave_flux {
    const padic_wave_flux_desc *desc;
    padic_tensor psi; // with gradient's last axis, along which it stays
    int64_t stride[3][PADIC_MAX_RANK];
    uint64_t count, tasks;
    double scale;
} padici_wave_flux;

static void padici_wave_flux_task(void *arg, uint32_t task)
{
    const padici_wave_flux *job = (const padici_wave_flux *)arg;
    const padic_tensor *gradient = &job->desc->gradient, *out = &job->desc->out;
    uint64_t i, end;
    padici_wave_share(job->count, job->tasks, task, &i, &end);
    for (; i < end; i++) {
        const padici_complex z =
            padici_wave_load(&job->psi, padici_wave_each_at(&job->psi, job->stride[0], i));
        const padici_complex g =
            padici_wave_load(gradient, padici_wave_each_at(gradient, job->stride[1], i));
        const int64_t to = padici_wave_each_at(out, job->stride[2], i);
        const double j = job->scale * (z.re * g.im - z.im * g.re);
        const float single = (float)j;
        if (out->dtype == PADIC_F64) memcpy((char *)out->data + 8 * to, &j, 8);
        else memcpy((char *)out->data + 4 * to, &single, 4);
    }
}

PADICI_FN padic_result padici_wave_flux_host(const padic_env *env, const void *desc_)
{
    padici_wave_flux job;
    job.desc = (const padic_wave_flux_desc *)desc_;
    job.scale = job.desc->scale != 0 ? job.desc->scale : 1;
    job.psi = job.desc->psi;
    memset(job.stride, 0, sizeof job.stride);
    padici_tensor_dense(&job.desc->psi, job.stride[0]);
    padici_tensor_dense(&job.desc->gradient, job.stride[1]);
    padici_tensor_dense(&job.desc->out, job.stride[2]);
    job.psi.shape[job.psi.rank++] = job.desc->gradient.shape[job.desc->psi.rank];
    job.count = padic_tensor_count(&job.desc->gradient);
    job.tasks = (job.count + 255) / 256 < PADICI_WAVE_SHARES ? (job.count + 255) / 256
                                                             : PADICI_WAVE_SHARES;
    padici_parallel(padici_env_jobs(env), (uint32_t)job.tasks, padici_wave_flux_task, &job);
    return PADIC_OK;
}

PADICI_FN padic_result padici_wave_flux_check(padic_context *context, const void *desc_)
{
    const padic_wave_flux_desc *desc = (const padic_wave_flux_desc *)desc_;
    if (!padici_wave_finite(desc->scale))
        return padici_wave_bad(context, PADIC_ERROR_ARGUMENT, "scale is not finite");
    if (!padici_wave_complex_type(&desc->psi))
        return padici_wave_bad(context, PADIC_ERROR_DTYPE, "psi is not c64 or c128");
    if (desc->gradient.dtype != desc->psi.dtype)
        return padici_wave_bad(context, PADIC_ERROR_DTYPE, "gradient is not of psi's dtype");
    if (!padici_wave_real_type(&desc->out))
        return padici_wave_bad(context, PADIC_ERROR_DTYPE, "out is not f32 or f64");
    if (!padici_wave_same_shape(&desc->psi, &desc->gradient, 1))
        return padici_wave_bad(context, PADIC_ERROR_MISMATCH,
                               "gradient has not psi's shape and a last axis");
    if (!padici_wave_same_shape(&desc->gradient, &desc->out, 0))
        return padici_wave_bad(context, PADIC_ERROR_MISMATCH, "out has not gradient's shape");
    return PADIC_OK;
}

PADICI_FN uint32_t padici_wave_flux_operands(void *desc_, padici_operand *operands)
{
    padic_wave_flux_desc *desc = (padic_wave_flux_desc *)desc_;
    operands[0].name = "psi";
    operands[0].tensor = &desc->psi;
    operands[1].name = "gradient";
    operands[1].tensor = &desc->gradient;
    operands[0].any_stride = operands[1].any_stride = 1;
    operands[2].name = "out";
    operands[2].tensor = &desc->out;
    operands[2].out = 1;
    return 3;
}

#endif
