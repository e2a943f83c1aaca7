#include "../context/messages.h"
#include "../context/ops.h"
#include "../core/jobs.h"
#include "../core/memory.h"
#include "../core/view.h"
#include "../core/words.h"
#include "metrics.h"

#if PADICI_IMPLEMENT_ROLLOUT

// Metrics of frames that were kept.

typedef struct padici_rollout_reduce_job {
    const padic_rollout_reduce_desc *desc;
    uint64_t frames, trajectories, cells, columns; // frames: of a trajectory; cells: of a frame
    uint32_t lead, workers, before;                // lead: axes before F; before: is it wanted
    int64_t from[PADIC_MAX_RANK], to[PADIC_MAX_RANK];
    padici_rollout_reducer *reducer; // one of each worker
    float *scratch;                  // of each: a frame, the one before, columns
} padici_rollout_reduce_job;

static float padici_rollout_from_half(uint16_t bits)
{
    const uint32_t exponent = bits >> 10 & 31, fraction = bits & 1023;
    uint32_t single = (uint32_t)(bits & 0x8000) << 16;
    float value;
    if (!exponent) {
        value = (float)fraction * (1.0f / 16777216.0f);
        return single ? -value : value;
    }
    single |= (exponent == 31 ? 255u << 23 : (exponent + 112) << 23) | fraction << 13;
    memcpy(&value, &single, 4);
    return value;
}

static float padici_rollout_load(const char *at, padic_dtype dtype)
{
    uint32_t single;
    uint16_t bits;
    float value;
    if (dtype == PADIC_F32) {
        memcpy(&value, at, 4);
        return value;
    }
    memcpy(&bits, at, 2);
    if (dtype == PADIC_F16) return padici_rollout_from_half(bits);
    single = (uint32_t)bits << 16;
    memcpy(&value, &single, 4);
    return value;
}

// Where the leading axes of number `trajectory` lead, in elements.
static int64_t padici_rollout_reduce_place(const padici_rollout_reduce_job *job,
                                           uint64_t trajectory, const int64_t *stride)
{
    int64_t at = 0;
    uint32_t i;
    for (i = job->lead; i-- > 0;) {
        at += (int64_t)(trajectory % job->desc->frames.shape[i]) * stride[i];
        trajectory /= job->desc->frames.shape[i];
    }
    return at;
}

static void padici_rollout_reduce_load(const padici_rollout_reduce_job *job, int64_t at,
                                       float *out)
{
    const padic_tensor *t = &job->desc->frames;
    const uint64_t *shape = t->shape + job->lead + 1;
    const int64_t *stride = job->from + job->lead + 1, size = (int64_t)padic_dtype_size(t->dtype);
    uint64_t c, y, x;
    for (c = 0; c < shape[0]; c++)
        for (y = 0; y < shape[1]; y++)
            for (x = 0; x < shape[2]; x++) {
                const int64_t place = at + (int64_t)c * stride[0] + (int64_t)y * stride[1] +
                                      (int64_t)x * stride[2];
                *out++ = padici_rollout_load((const char *)t->data + place * size, t->dtype);
            }
}

// Frames worker, worker + workers, ..., those of all trajectories counted through.
static void padici_rollout_reduce_share(void *arg, uint32_t worker)
{
    const padici_rollout_reduce_job *job = (const padici_rollout_reduce_job *)arg;
    float *frame = job->scratch + worker * (2 * job->cells + job->columns);
    float *before = frame + job->cells, *columns = before + job->cells;
    uint64_t i, k;
    for (i = worker; i < job->trajectories * job->frames; i += job->workers) {
        const uint64_t trajectory = i / job->frames, f = i % job->frames;
        const int64_t at = padici_rollout_reduce_place(job, trajectory, job->from);
        float *out = (float *)job->desc->out.data +
                     (padici_rollout_reduce_place(job, trajectory, job->to) +
                      (int64_t)f * job->to[job->lead]);
        padici_rollout_reduce_load(job, at + (int64_t)f * job->from[job->lead], frame);
        if (f && job->before)
            padici_rollout_reduce_load(job, at + (int64_t)(f - 1) * job->from[job->lead], before);
        padici_rollout_reducer_run(&job->reducer[worker], frame, f && job->before ? before : NULL,
                                   columns);
        for (k = 0; k < job->columns; k++)
            out[(int64_t)k * job->to[job->lead + 1]] = columns[k];
    }
}

PADICI_FN padic_result padici_rollout_reduce_check(padic_context *context, const void *desc_)
{
    const padic_rollout_reduce_desc *desc = (const padic_rollout_reduce_desc *)desc_;
    const padic_tensor *frames = &desc->frames, *out = &desc->out;
    const uint32_t lead = frames->rank - 4;
    uint32_t columns;
    if (frames->dtype != PADIC_F32 && frames->dtype != PADIC_F16 && frames->dtype != PADIC_BF16)
        return padici_fail_field(context, PADIC_ERROR_DTYPE, "frames", "is not f32, f16 or bf16");
    if (out->dtype != PADIC_F32)
        return padici_fail_field(context, PADIC_ERROR_DTYPE, "out", "is not f32");
    if (frames->rank < 4)
        return padici_fail_field(context, PADIC_ERROR_MISMATCH, "frames",
                                 "is not (.., F, C, H, W)");
    columns = padic_rollout_metrics_count(&desc->metrics, frames->shape[lead + 1],
                                          frames->shape[lead + 2], frames->shape[lead + 3]);
    if (!columns && frames->shape[lead + 1])
        return padici_fail_field(context, PADIC_ERROR_ARGUMENT, "metrics",
                                 "makes no sense: padic_rollout_metrics_count() is 0");
    if (out->rank != lead + 2 ||
        memcmp(out->shape, frames->shape, (lead + 1) * sizeof *out->shape) ||
        out->shape[lead + 1] != columns)
        return padici_fail_field(context, PADIC_ERROR_MISMATCH, "out",
                                 "is not (.., F, R), R by padic_rollout_metrics_count()");
    return PADIC_OK;
}

PADICI_FN uint32_t padici_rollout_reduce_operands(void *desc_, padici_operand *operands)
{
    padic_rollout_reduce_desc *desc = (padic_rollout_reduce_desc *)desc_;
    operands[0].name = "frames";
    operands[0].tensor = &desc->frames;
    operands[0].any_stride = 1;
    operands[1].name = "out";
    operands[1].tensor = &desc->out;
    operands[1].out = 1;
    return 2;
}

static padic_result padici_rollout_reduce_run(const padic_env *env, padici_rollout_reduce_job *job)
{
    const uint64_t *shape = job->desc->frames.shape + job->lead + 1;
    padic_result result = PADIC_OK;
    uint32_t made = 0;
    while (made < job->workers && !result) {
        result = padici_rollout_reducer_begin(&job->reducer[made], env, &job->desc->metrics,
                                              shape[0], shape[1], shape[2]);
        if (!result) made++;
    }
    if (result) result = padici_env_fail(env, result, "no memory for the metrics of a frame");
    else padici_parallel(padici_env_jobs(env), job->workers, padici_rollout_reduce_share, job);
    while (made > 0) padici_rollout_reducer_end(&job->reducer[--made]);
    return result;
}

PADICI_FN padic_result padici_rollout_reduce_host(const padic_env *env, const void *desc_)
{
    const padic_rollout_reduce_desc *desc = (const padic_rollout_reduce_desc *)desc_;
    const padic_allocator *allocator = env ? env->allocator : NULL;
    const padic_jobs *jobs = padici_env_jobs(env);
    const uint32_t wanted = desc->metrics.metrics ? desc->metrics.metrics : UINT32_MAX;
    padici_rollout_reduce_job job;
    padic_result result;
    uint64_t numbers, bytes, reducers, i;
    char *memory;
    memset(&job, 0, sizeof job);
    if (!padic_tensor_count(&desc->frames)) return PADIC_OK;
    job.desc = desc;
    job.lead = desc->frames.rank - 4;
    job.frames = desc->frames.shape[job.lead];
    job.trajectories = 1;
    for (i = 0; i < job.lead; i++) job.trajectories *= desc->frames.shape[i];
    job.cells = desc->frames.shape[job.lead + 1] * desc->frames.shape[job.lead + 2] *
                desc->frames.shape[job.lead + 3];
    job.columns = desc->out.shape[job.lead + 1];
    job.before = (wanted & (PADIC_ROLLOUT_METRIC_AUTOCORRELATION |
                            PADIC_ROLLOUT_METRIC_STEP_NORM)) != 0;
    padici_tensor_dense(&desc->frames, job.from);
    padici_tensor_dense(&desc->out, job.to);
    job.workers = jobs && jobs->workers > 1 ? jobs->workers : 1;
    if (job.workers > job.trajectories * job.frames)
        job.workers = (uint32_t)(job.trajectories * job.frames);
    reducers = job.workers * sizeof(padici_rollout_reducer);
    if (job.cells >> 60 || !padici_mul_u64(job.workers, 2 * job.cells + job.columns, &numbers) ||
        numbers >> 60 || 4 * numbers + reducers > (size_t)-1 / 2)
        return padici_env_fail(env, PADIC_ERROR_LIMIT, "a frame is larger than any memory");
    bytes = reducers + 4 * numbers;
    memory = (char *)padici_alloc(allocator, (size_t)bytes, 64);
    if (!memory) return padici_env_fail(env, PADIC_ERROR_MEMORY, "no memory for a frame");
    job.reducer = (padici_rollout_reducer *)(void *)memory;
    job.scratch = (float *)(void *)(memory + reducers);
    result = padici_rollout_reduce_run(env, &job);
    padici_free(allocator, memory, (size_t)bytes);
    return result;
}

#endif
