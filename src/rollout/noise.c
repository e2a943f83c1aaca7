#include "noise.h"
#include "../context/messages.h"
#include "../context/ops.h"
#include "../core/jobs.h"
#include "../core/memory.h"
#include "../core/view.h"
#include "../core/words.h"
#include "random.h"
#include "tails.h"

#if PADICI_IMPLEMENT_ROLLOUT

// Noise of rollouts.

PADICI_FN const char *padici_rollout_noise_fault(const padic_rollout_noise_law *law,
                                                 uint32_t frames)
{
    const double scale = law->scale ? *law->scale : 0.01, largest = 3.4028234663852886e38;
    const double most = law->schedule == PADIC_ROLLOUT_NOISE_PERIODIC ? 1.5 * scale : scale;
    if ((uint32_t)law->type > PADIC_ROLLOUT_NOISE_DROPOUT)
        return "has a type that is no padic_rollout_noise_type";
    if ((uint32_t)law->schedule > PADIC_ROLLOUT_NOISE_PERIODIC)
        return "has a schedule that is no padic_rollout_noise_schedule";
    if (!(scale >= 0 && most <= largest)) return "has a scale that is negative or not finite";
    if (law->type == PADIC_ROLLOUT_NOISE_DROPOUT && !((float)most < 1.0f))
        return "has a DROPOUT whose scale reaches 1";
    if (!(law->period >= 0 && law->period <= largest))
        return "has a period that is negative or not finite";
    if (!(law->length >= 0 && law->length <= largest))
        return "has a length that is negative or not finite";
    if (law->length > 0 && law->type == PADIC_ROLLOUT_NOISE_DROPOUT)
        return "has a DROPOUT with a correlation length";
    if (law->schedule == PADIC_ROLLOUT_NOISE_ANNEALING && !frames)
        return "is ANNEALING, but frames is 0";
    return NULL;
}

// s at a frame.
PADICI_FN double padici_rollout_noise_scale(const padic_rollout_noise_law *law, uint32_t step,
                                            uint32_t frames)
{
    const double scale = law->scale ? *law->scale : 0.01;
    const double period = law->period > 0 ? law->period : 100;
    if (law->schedule == PADIC_ROLLOUT_NOISE_ANNEALING)
        return step < frames ? scale * (1 - (double)step / (double)frames) : 0;
    if (law->schedule == PADIC_ROLLOUT_NOISE_PERIODIC)
        return scale * (1 + 0.5 * sin(6.283185307179586477 * ((double)step / period)));
    return scale;
}

PADICI_FN void padici_rollout_normals(uint64_t seed, uint64_t stream, uint32_t step,
                                      uint64_t element, uint32_t count, float *out)
{
    uint32_t word[4] = {0, 0, 0, 0}, i;
    for (i = 0; i < count; i++, element++) {
        if (!i || !(element & 3))
            padici_rollout_words(seed, stream, step, (uint32_t)(element >> 2), word);
        out[i] = padic_random_normal(word[element & 3]);
    }
}

PADICI_FN void padici_rollout_noise_begin(padici_rollout_noise *noise,
                                          const padic_rollout_noise_law *law, double scale,
                                          uint64_t seed, uint32_t id, uint32_t realisation,
                                          uint32_t site, uint32_t step, uint32_t channels,
                                          uint32_t channel, uint64_t cells,
                                          padici_rollout_spectral *spectral)
{
    const int dropout = law->type == PADIC_ROLLOUT_NOISE_DROPOUT;
    noise->type = law->type;
    noise->scale = (float)scale;
    noise->kept = 0;
    noise->seed = seed;
    noise->stream = padici_rollout_stream(id, realisation, site,
                                          dropout ? PADICI_ROLLOUT_DROPOUT : PADICI_ROLLOUT_NOISE);
    noise->step = step;
    noise->first = channel * cells;
    noise->field = NULL;
    noise->normals = NULL;
    if (dropout) {
        const uint32_t word = padici_rollout_word(seed, noise->stream, step, channel);
        const int lost = padic_random_f32(word) < noise->scale;
        noise->kept = lost ? 0 : 1 / (1 - (double)noise->scale);
        noise->scale = (float)noise->kept;
    } else if (law->length > 0) {
        padici_rollout_spectral_draw(spectral, seed, noise->stream, step, channels, channel);
        noise->field = spectral->field;
    }
}

PADICI_FN void padici_rollout_noise_draw(const padici_rollout_noise *noise, uint64_t cell,
                                         uint64_t count, float *n)
{
    const int laplace = noise->type == PADIC_ROLLOUT_NOISE_LAPLACE;
    uint32_t word[4] = {0, 0, 0, 0};
    uint64_t i, element = noise->first + cell;
    if (noise->normals && !noise->field && !laplace && count <= PADICI_ROLLOUT_NOISE_RUN) {
        float whole[PADICI_ROLLOUT_NOISE_RUN + 8];
        const uint32_t skip = (uint32_t)(element & 3);
        (*noise->normals)(noise->seed, noise->stream, noise->step, (uint32_t)(element >> 2),
                          (uint32_t)(skip + count + 3) / 4, whole);
        memcpy(n, whole + skip, (size_t)count * sizeof *n);
        return;
    }
    for (i = 0; i < count && noise->field; i++) {
        const double f = noise->field[cell + i];
        n[i] = (float)(laplace ? padici_rollout_to_laplace(f) : f);
    }
    for (; i < count; i++, element++) {
        if (!i || !(element & 3))
            padici_rollout_words(noise->seed, noise->stream, noise->step,
                                 (uint32_t)(element >> 2), word);
        n[i] = laplace ? padic_random_laplace(word[element & 3])
                       : padic_random_normal(word[element & 3]);
    }
}

// x becomes noisy: `count` values from cell `cell` on.
PADICI_FN void padici_rollout_noise_add(const padici_rollout_noise *noise, uint64_t cell,
                                        uint64_t count, float *x)
{
    float n[PADICI_ROLLOUT_NOISE_RUN];
    uint64_t i, k, some;
    for (i = 0; i < count; i += some) {
        some = count - i < PADICI_ROLLOUT_NOISE_RUN ? count - i : PADICI_ROLLOUT_NOISE_RUN;
        if (noise->type == PADIC_ROLLOUT_NOISE_DROPOUT) {
            for (k = i; k < i + some; k++)
                x[k] = noise->scale == 0.0f ? 0.0f : x[k] * noise->scale;
            continue;
        }
        padici_rollout_noise_draw(noise, cell + i, some, n);
        if (noise->type == PADIC_ROLLOUT_NOISE_MULTIPLICATIVE)
            for (k = 0; k < some; k++) x[i + k] = x[i + k] * (1.0f + noise->scale * n[k]);
        else
            for (k = 0; k < some; k++) x[i + k] = x[i + k] + noise->scale * n[k];
    }
}

// ---- the operation


// A stack of (C, H, W) fields, as rank 4.
PADICI_FN void padici_rollout_fields_of(const padic_tensor *t, uint64_t shape[4],
                                        int64_t stride[4])
{
    const uint32_t lead = t->rank == 3;
    int64_t given[PADIC_MAX_RANK];
    uint32_t i;
    padici_tensor_dense(t, given);
    shape[0] = 1;
    stride[0] = 0;
    for (i = lead; i < 4; i++) {
        shape[i] = t->shape[i - lead];
        stride[i] = given[i - lead];
    }
}

typedef struct padici_rollout_noise_job {
    const padic_rollout_noise_desc *desc;
    uint64_t shape[4], planes;
    int64_t from[4], to[4];
    double scale;
    uint32_t workers;
    padici_rollout_spectral *spectral; // one of each worker, or NULL
} padici_rollout_noise_job;

static void padici_rollout_noise_plane(const padici_rollout_noise_job *job,
                                       const padici_rollout_noise *noise, uint64_t m, uint64_t c)
{
    const float *in = (const float *)job->desc->field.data +
                      ((int64_t)m * job->from[0] + (int64_t)c * job->from[1]);
    float *out = (float *)job->desc->out.data + ((int64_t)m * job->to[0] +
                                                 (int64_t)c * job->to[1]);
    uint64_t x, y, i, n;
    for (y = 0; y < job->shape[2]; y++)
        for (x = 0; x < job->shape[3]; x += n) {
            float run[PADICI_ROLLOUT_NOISE_RUN];
            n = job->shape[3] - x;
            if (n > PADICI_ROLLOUT_NOISE_RUN) n = PADICI_ROLLOUT_NOISE_RUN;
            for (i = 0; i < n; i++)
                run[i] = in[(int64_t)y * job->from[2] + (int64_t)(x + i) * job->from[3]];
            padici_rollout_noise_add(noise, y * job->shape[3] + x, n, run);
            for (i = 0; i < n; i++)
                out[(int64_t)y * job->to[2] + (int64_t)(x + i) * job->to[3]] = run[i];
        }
}

static void padici_rollout_noise_share(void *arg, uint32_t worker)
{
    const padici_rollout_noise_job *job = (const padici_rollout_noise_job *)arg;
    const padic_rollout_noise_desc *desc = job->desc;
    uint64_t p;
    for (p = worker; p < job->planes; p += job->workers) {
        const uint32_t m = (uint32_t)(p / job->shape[1]), c = (uint32_t)(p % job->shape[1]);
        padici_rollout_noise noise;
        padici_rollout_noise_begin(&noise, &desc->law, job->scale, desc->seed, desc->id,
                                   desc->realisation + m, desc->site, desc->step,
                                   (uint32_t)job->shape[1], c, job->shape[2] * job->shape[3],
                                   job->spectral ? &job->spectral[worker] : NULL);
        padici_rollout_noise_plane(job, &noise, m, c);
    }
}

PADICI_FN padic_result padici_rollout_noise_check(padic_context *context, const void *desc_)
{
    const padic_rollout_noise_desc *desc = (const padic_rollout_noise_desc *)desc_;
    const char *fault = padici_rollout_noise_fault(&desc->law, desc->frames);
    uint64_t shape[4], other[4], count;
    int64_t from[4], to[4];
    if (desc->field.dtype != PADIC_F32)
        return padici_fail_field(context, PADIC_ERROR_DTYPE, "field", "is not f32");
    if (desc->out.dtype != PADIC_F32)
        return padici_fail_field(context, PADIC_ERROR_DTYPE, "out", "is not f32");
    if (desc->field.rank != 3 && desc->field.rank != 4)
        return padici_fail_field(context, PADIC_ERROR_MISMATCH, "field",
                                 "is not (M, C, H, W) or (C, H, W)");
    if (desc->out.rank != desc->field.rank ||
        memcmp(desc->out.shape, desc->field.shape, desc->field.rank * sizeof *desc->out.shape))
        return padici_fail_field(context, PADIC_ERROR_MISMATCH, "out",
                                 "has another shape than field");
    if (fault) return padici_fail_field(context, PADIC_ERROR_ARGUMENT, "law", fault);
    if (desc->site > 255)
        return padici_fail_field(context, PADIC_ERROR_LIMIT, "site", "is above 255");
    padici_rollout_fields_of(&desc->field, shape, from);
    padici_rollout_fields_of(&desc->out, other, to);
    if (desc->realisation >= 1u << 20 || shape[0] > (1u << 20) - desc->realisation)
        return padici_fail_field(context, PADIC_ERROR_LIMIT, "realisation",
                                 "plus the number of fields is above 2^20");
    if (!padici_mul_u64(shape[1], shape[2], &count) || !padici_mul_u64(count, shape[3], &count) ||
        count > (uint64_t)1 << 34 ||
        (desc->law.length > 0 && !padici_rollout_spectral_fits(shape[2], shape[3], shape[1])))
        return padici_fail_field(context, PADIC_ERROR_LIMIT, "field",
                                 "has more cells than a step has random numbers");
    if (desc->field.data == desc->out.data && desc->field.buffer.id == desc->out.buffer.id &&
        desc->field.offset == desc->out.offset && memcmp(from, to, sizeof from))
        return padici_fail_field(context, PADIC_ERROR_OVERLAP, "out",
                                 "lies where field lies, with other strides");
    return PADIC_OK;
}

PADICI_FN uint32_t padici_rollout_noise_operands(void *desc_, padici_operand *operands)
{
    padic_rollout_noise_desc *desc = (padic_rollout_noise_desc *)desc_;
    operands[0].name = "out";
    operands[0].tensor = &desc->out;
    operands[0].out = 1;
    operands[0].kind = 1;
    operands[1].name = "field";
    operands[1].tensor = &desc->field;
    operands[1].any_stride = 1;
    operands[1].kind = 1;
    return 2;
}

// As many machines as workers; 0 and nothing made: no memory.
PADICI_FN padici_rollout_spectral *padici_rollout_spectrals_begin(const padic_env *env,
                                                                  uint32_t workers,
                                                                  uint64_t height, uint64_t width)
{
    const padic_allocator *allocator = env ? env->allocator : NULL;
    const size_t bytes = workers * sizeof(padici_rollout_spectral);
    padici_rollout_spectral *all = (padici_rollout_spectral *)padici_alloc(allocator, bytes, 16);
    uint32_t i;
    for (i = 0; all && i < workers; i++) {
        if (!padici_rollout_spectral_begin(&all[i], env, height, width)) continue;
        while (i > 0) padici_rollout_spectral_end(&all[--i]);
        padici_free(allocator, all, bytes);
        return NULL;
    }
    return all;
}

PADICI_FN void padici_rollout_spectrals_end(padici_rollout_spectral *all, uint32_t workers)
{
    const padic_allocator *allocator = all->allocator;
    uint32_t i;
    for (i = 0; i < workers; i++) padici_rollout_spectral_end(&all[i]);
    padici_free(allocator, all, workers * sizeof *all);
}

PADICI_FN padic_result padici_rollout_noise_host(const padic_env *env, const void *desc_)
{
    const padic_rollout_noise_desc *desc = (const padic_rollout_noise_desc *)desc_;
    const padic_jobs *jobs = padici_env_jobs(env);
    padici_rollout_noise_job job;
    uint32_t i;
    job.desc = desc;
    job.spectral = NULL;
    job.scale = padici_rollout_noise_scale(&desc->law, desc->step, desc->frames);
    padici_rollout_fields_of(&desc->field, job.shape, job.from);
    padici_rollout_fields_of(&desc->out, job.shape, job.to);
    job.planes = job.shape[0] * job.shape[1];
    if (!job.planes || !job.shape[2] || !job.shape[3]) return PADIC_OK;
    job.workers = jobs && jobs->workers > 1 ? jobs->workers : 1;
    if (job.workers > job.planes) job.workers = (uint32_t)job.planes;
    if (desc->law.length > 0) {
        padic_rollout_spectrum spectrum;
        memset(&spectrum, 0, sizeof spectrum);
        spectrum.ell = desc->law.length;
        job.spectral = padici_rollout_spectrals_begin(env, job.workers, job.shape[2],
                                                      job.shape[3]);
        if (!job.spectral)
            return padici_env_fail(env, PADIC_ERROR_MEMORY, "no memory for a field's spectrum");
        for (i = 0; i < job.workers; i++)
            (void)padici_rollout_spectral_set(&job.spectral[i], &spectrum);
    }
    padici_parallel(jobs, job.workers, padici_rollout_noise_share, &job);
    if (job.spectral) padici_rollout_spectrals_end(job.spectral, job.workers);
    return PADIC_OK;
}

#endif
