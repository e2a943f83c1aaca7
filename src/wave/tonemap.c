#include "tonemap.h"
#include "../context/ops.h"
#include "../context/state.h"
#include "../core/jobs.h"
#include "check.h"
#include "output.h"
#include "source.h"
#include "vortex.h"

#if PADICI_IMPLEMENT_WAVE

// Pixels of a field: its tone curve, element by element.

static void padici_wave_tonemap_task(void *arg, uint32_t task)
{
    padici_wave_each *job = (padici_wave_each *)arg;
    uint64_t i, end;
    padici_wave_share(job->count, job->tasks, task, &i, &end);
    for (; i < end; i++)
        padici_wave_store_rgba(&job->pixels, &job->slices[task], padici_wave_each_get(job, i),
                               (char *)job->out->data +
                                   padici_wave_each_at(job->in, job->out_stride, i));
}

// `field` gets the tone, and must live as long as the job.
PADICI_FN void padici_wave_tonemap_begin(padici_wave_each *job, const padic_wave_tonemap_desc *desc,
                                         padic_wave_superpose_desc *field)
{
    uint32_t i;
    padici_wave_each_begin(job, &desc->field, &desc->out);
    memset(field, 0, sizeof *field);
    field->tone = desc->tone;
    if (desc->field.dtype == PADIC_F32 || desc->field.dtype == PADIC_F64)
        field->tone.value = PADIC_WAVE_OUTPUT_REAL;
    job->pixels.desc = field;
    job->pixels.stride[3] = job->out_stride[desc->field.rank];
    padici_wave_tone_range(&desc->tone, &job->pixels.low, &job->pixels.high);
    for (i = 0; i < PADICI_WAVE_SHARES; i++) {
        job->slices[i].low = DBL_MAX;
        job->slices[i].high = -DBL_MAX;
    }
}

PADICI_FN void padici_wave_tonemap_range(padici_wave_each *job, const padic_wave_tonemap_desc *desc)
{
    uint32_t i;
    if (!desc->report) return;
    for (i = 1; i < PADICI_WAVE_SHARES; i++) {
        if (job->slices[i].low < job->slices[0].low) job->slices[0].low = job->slices[i].low;
        if (job->slices[i].high > job->slices[0].high) job->slices[0].high = job->slices[i].high;
    }
    padici_wave_range_set(job->slices[0].low, job->slices[0].high, &desc->report->smallest,
                          &desc->report->largest);
}

PADICI_FN padic_result padici_wave_tonemap_host(const padic_env *env, const void *desc_)
{
    const padic_wave_tonemap_desc *desc = (const padic_wave_tonemap_desc *)desc_;
    padic_wave_superpose_desc field;
    padici_wave_each job;
    padici_wave_tonemap_begin(&job, desc, &field);
    padici_parallel(padici_env_jobs(env), (uint32_t)job.tasks, padici_wave_tonemap_task, &job);
    padici_wave_tonemap_range(&job, desc);
    return PADIC_OK;
}

PADICI_FN padic_result padici_wave_tonemap_check(padic_context *context, const void *desc_)
{
    const padic_wave_tonemap_desc *desc = (const padic_wave_tonemap_desc *)desc_;
    padic_wave_superpose_desc field;
    memset(&field, 0, sizeof field);
    field.output = PADIC_WAVE_OUTPUT_RGBA8;
    field.tone = desc->tone;
    if (!padici_wave_complex_type(&desc->field) && !padici_wave_real_type(&desc->field))
        return padici_wave_bad(context, PADIC_ERROR_DTYPE, "field is not f32, f64, c64 or c128");
    if (desc->out.dtype != PADIC_U8)
        return padici_wave_bad(context, PADIC_ERROR_DTYPE, "out is not u8");
    if (!padici_wave_same_shape(&desc->field, &desc->out, 1) ||
        desc->out.shape[desc->field.rank] != 4)
        return padici_wave_bad(context, PADIC_ERROR_MISMATCH,
                               "out has not field's shape and a last axis of 4");
    if (desc->tone.map == PADIC_WAVE_MAP_HUE && padici_wave_real_type(&desc->field))
        return padici_wave_bad(context, PADIC_ERROR_ARGUMENT,
                               "tone.map is HUE, but field is not complex");
    return padici_wave_check_tone(context, &field);
}

#endif
