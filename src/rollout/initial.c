#include "initial.h"
#include "../context/messages.h"
#include "../context/ops.h"
#include "../core/jobs.h"
#include "../core/memory.h"
#include "../core/view.h"
#include "../core/words.h"
#include "random.h"

#if PADICI_IMPLEMENT_ROLLOUT

// Initial conditions.

static const double padici_rollout_turn = 6.283185307179586477;

PADICI_FN uint64_t padici_rollout_initial_stream(const padici_rollout_initial_job *job,
                                                 uint64_t field, uint32_t site)
{
    return padici_rollout_stream(job->desc->id + (uint32_t)field, 0, site,
                                 PADICI_ROLLOUT_INITIAL);
}

PADICI_FN int padici_rollout_initial_is_spectral(const padic_rollout_initial_desc *desc)
{
    return desc->kind == PADIC_ROLLOUT_INITIAL_SPECTRAL ||
           desc->kind == PADIC_ROLLOUT_INITIAL_MULTISCALE ||
           desc->kind == PADIC_ROLLOUT_INITIAL_HEAVY ||
           (desc->kind == PADIC_ROLLOUT_INITIAL_FRONT &&
            desc->front == PADIC_ROLLOUT_FRONT_LEVEL) ||
           (desc->kind == PADIC_ROLLOUT_INITIAL_GRADIENT && desc->fraction != 0);
}

// ---- planes of each kind: (H, W) numbers of channel c of a field

static void padici_rollout_plane_spectral(const padici_rollout_initial_job *job, uint32_t worker,
                                          uint64_t field, uint32_t c, double *out)
{
    const padic_rollout_initial_desc *desc = job->desc;
    padici_rollout_spectral *s = &job->spectral[worker];
    const uint32_t several = desc->kind == PADIC_ROLLOUT_INITIAL_MULTISCALE;
    const uint32_t terms = several ? desc->count : 1, channels = (uint32_t)job->shape[1];
    uint32_t term;
    uint64_t i;
    for (term = 0; term < terms; term++) {
        const double sigma =
            several ? job->sigma * sqrt(desc->terms[term].variance) : job->sigma;
        if (several) (void)padici_rollout_spectral_set(s, &desc->terms[term].spectrum);
        padici_rollout_spectral_draw(s, desc->seed,
                                     padici_rollout_initial_stream(job, field, term), 0, channels,
                                     c);
        for (i = 0; i < job->cells; i++) out[i] = (term ? out[i] : 0) + sigma * s->field[i];
    }
}

static void padici_rollout_plane_heavy(const padici_rollout_initial_job *job, uint32_t worker,
                                       uint64_t field, uint32_t c, double *out)
{
    padici_rollout_spectral *s = &job->spectral[worker];
    const double nu = job->student ? job->student->freedom : 3;
    const double scale = job->sigma * (job->student ? sqrt((nu - 2) / nu)
                                                    : 0.70710678118654752440);
    uint64_t i;
    padici_rollout_spectral_draw(s, job->desc->seed, padici_rollout_initial_stream(job, field, 0),
                                 0, (uint32_t)job->shape[1], c);
    for (i = 0; i < job->cells; i++)
        out[i] = scale * (job->student ? padici_rollout_to_student(job->student, s->field[i])
                                       : padici_rollout_to_laplace(s->field[i]));
}

static void padici_rollout_plane_white(const padici_rollout_initial_job *job, uint64_t field,
                                       uint32_t c, double *out)
{
    const uint64_t stream = padici_rollout_initial_stream(job, field, 0);
    const float sigma = (float)job->sigma;
    uint64_t i, k, n;
    for (i = 0; i < job->cells; i += n) {
        float normal[64];
        n = job->cells - i < 64 ? job->cells - i : 64;
        padici_rollout_normals(job->desc->seed, stream, 0, c * job->cells + i, (uint32_t)n,
                               normal);
        for (k = 0; k < n; k++) out[i + k] = (double)(sigma * normal[k]);
    }
}

// n q / size less its whole part, exactly reduced before it is rounded.
static double padici_rollout_cycles(uint64_t n, int32_t q, uint64_t size)
{
    const int64_t rest = (int64_t)n * ((int64_t)q % (int64_t)size) % (int64_t)size;
    return (double)rest / (double)size;
}

static void padici_rollout_plane_waves(const padici_rollout_initial_job *job, double *out)
{
    uint64_t x, y;
    uint32_t j;
    memset(out, 0, (size_t)job->cells * sizeof *out);
    for (j = 0; j < job->desc->count; j++) {
        const padic_rollout_wave *wave = &job->desc->waves[j];
        for (y = 0; y < job->shape[2]; y++) {
            const double row = padici_rollout_cycles(y, wave->y, job->shape[2]);
            for (x = 0; x < job->shape[3]; x++) {
                const double turns = row + padici_rollout_cycles(x, wave->x, job->shape[3]);
                out[y * job->shape[3] + x] +=
                    job->sigma * wave->amplitude * cos(padici_rollout_turn * turns + wave->phase);
            }
        }
    }
}

static void padici_rollout_plane_turing(const padici_rollout_initial_job *job, uint64_t field,
                                        uint32_t c, double *out)
{
    const padic_rollout_initial_desc *desc = job->desc;
    const uint64_t stream = padici_rollout_initial_stream(job, field, 0);
    const uint32_t spots = desc->turing == PADIC_ROLLOUT_TURING_SPOTS;
    const uint32_t waves = desc->turing == PADIC_ROLLOUT_TURING_STRIPES ? 1
                           : spots                                      ? 3
                           : desc->count                                ? desc->count
                                                                        : 16;
    const double amplitude = job->sigma * sqrt(2.0 / (double)waves);
    double first = 0;
    uint64_t x, y;
    uint32_t j;
    memset(out, 0, (size_t)job->cells * sizeof *out);
    for (j = 0; j < waves; j++) {
        uint32_t word[4];
        double angle, phase, k[2];
        padici_rollout_words(desc->seed, stream, 0, j * (uint32_t)job->shape[1] + c, word);
        phase = padici_rollout_turn * (double)padic_random_f32(word[0]);
        angle = padici_rollout_turn * (double)padic_random_f32(word[1]);
        if (!j) first = angle;
        if (spots) angle = first + padici_rollout_turn * (double)j / 6;
        k[0] = padici_rollout_turn / desc->wavelength * cos(angle);
        k[1] = padici_rollout_turn / desc->wavelength * sin(angle);
        for (y = 0; y < job->shape[2]; y++)
            for (x = 0; x < job->shape[3]; x++)
                out[y * job->shape[3] + x] +=
                    amplitude * cos(k[0] * (double)x + k[1] * (double)y + phase);
    }
}

// Of one place, (x, y) from the centre.
static double padici_rollout_initial_at(const padici_rollout_initial_job *job, uint32_t c,
                                        double x, double y)
{
    const padic_rollout_initial_desc *desc = job->desc;
    const double square = x * x + y * y, r = sqrt(square), w = desc->width;
    double size, phase;
    switch (desc->kind) {
    case PADIC_ROLLOUT_INITIAL_RADIAL:
        return job->sigma * cos(desc->k[0] * r + desc->phase) * exp(-0.5 * square / w / w);
    case PADIC_ROLLOUT_INITIAL_PACKET:
        size = job->sigma * exp(-0.25 * square / w / w);
        phase = desc->k[0] * x + desc->k[1] * y + desc->phase;
        return c % 3 == 0 ? size * cos(phase) : c % 3 == 1 ? size * sin(phase) : size * size;
    case PADIC_ROLLOUT_INITIAL_SPIRAL:
        phase = r > 0 ? atan2(y, x) : 0;
        return job->sigma * sin(desc->k[0] * r - (double)desc->arms * phase + desc->phase);
    case PADIC_ROLLOUT_INITIAL_TARGET: return job->sigma * sin(desc->k[0] * r + desc->phase);
    case PADIC_ROLLOUT_INITIAL_CONSTANT: return desc->value;
    default: return 0;
    }
}

static void padici_rollout_plane_places(const padici_rollout_initial_job *job, uint32_t c,
                                        double *out)
{
    uint64_t x, y;
    for (y = 0; y < job->shape[2]; y++)
        for (x = 0; x < job->shape[3]; x++)
            out[y * job->shape[3] + x] = padici_rollout_initial_at(
                job, c, (double)x - job->centre[0], (double)y - job->centre[1]);
}

// Mean 0 and variance 1 of its own cells; all 0 where they are alike.
static void padici_rollout_plane_exact(const padici_rollout_initial_job *job, double *out)
{
    double mean = 0, square = 0, largest = 0, scale;
    uint64_t i;
    for (i = 0; i < job->cells; i++) mean += out[i];
    mean /= (double)job->cells;
    for (i = 0; i < job->cells; i++) {
        const double size = out[i] < 0 ? -out[i] : out[i];
        if (size > largest) largest = size;
        out[i] -= mean;
        square += out[i] * out[i];
    }
    square /= (double)job->cells;
    scale = square > 1e-24 * largest * largest ? 1 / sqrt(square) : 0;
    for (i = 0; i < job->cells; i++) out[i] *= scale;
}

static void padici_rollout_initial_share(void *arg, uint32_t worker)
{
    const padici_rollout_initial_job *job = (const padici_rollout_initial_job *)arg;
    double *plane = job->plane + worker * (job->cells + job->room);
    uint64_t p, x, y;
    for (p = worker; p < job->planes; p += job->workers) {
        const uint64_t field = p / job->shape[1];
        const uint32_t c = (uint32_t)(p % job->shape[1]);
        float *out = (float *)job->desc->out.data +
                     ((int64_t)field * job->stride[0] + (int64_t)c * job->stride[1]);
        switch (job->desc->kind) {
        case PADIC_ROLLOUT_INITIAL_SPECTRAL:
        case PADIC_ROLLOUT_INITIAL_MULTISCALE:
            padici_rollout_plane_spectral(job, worker, field, c, plane);
            break;
        case PADIC_ROLLOUT_INITIAL_HEAVY:
            padici_rollout_plane_heavy(job, worker, field, c, plane);
            break;
        case PADIC_ROLLOUT_INITIAL_WHITE:
            padici_rollout_plane_white(job, field, c, plane);
            break;
        case PADIC_ROLLOUT_INITIAL_WAVES: padici_rollout_plane_waves(job, plane); break;
        case PADIC_ROLLOUT_INITIAL_TURING:
            padici_rollout_plane_turing(job, field, c, plane);
            break;
        default:
            if (job->desc->kind < PADIC_ROLLOUT_INITIAL_DISCS)
                padici_rollout_plane_places(job, c, plane);
            else
                padici_rollout_plane_pattern(job, worker, field, c, plane, plane + job->cells);
            break;
        }
        if (job->desc->exact) padici_rollout_plane_exact(job, plane);
        for (y = 0; y < job->shape[2]; y++)
            for (x = 0; x < job->shape[3]; x++)
                out[(int64_t)y * job->stride[2] + (int64_t)x * job->stride[3]] =
                    (float)plane[y * job->shape[3] + x];
    }
}

// ---- checks

static int padici_rollout_finite(double x)
{
    return x - x == 0;
}

// What is wrong with the fields that a kind uses; its name goes to *field.
static const char *padici_rollout_initial_fault(const padic_rollout_initial_desc *desc,
                                                const char **field)
{
    const padic_rollout_initial_kind kind = desc->kind;
    const char *fault;
    uint32_t j;
    *field = "kind";
    if ((uint32_t)kind > PADIC_ROLLOUT_INITIAL_BLOCKS)
        return "is no padic_rollout_initial_kind";
    *field = "exact";
    if (desc->exact > 1) return "is not 0 or 1";
    *field = "sigma";
    if (desc->sigma && !padici_rollout_finite(*desc->sigma)) return "is not finite";
    *field = "value";
    if (kind == PADIC_ROLLOUT_INITIAL_CONSTANT && !padici_rollout_finite(desc->value))
        return "is not finite";
    *field = "spectrum";
    fault = padici_rollout_initial_is_spectral(desc) && kind != PADIC_ROLLOUT_INITIAL_MULTISCALE
                ? padici_rollout_spectrum_fault(&desc->spectrum)
                : NULL;
    if (fault) return fault;
    *field = "count";
    if (kind == PADIC_ROLLOUT_INITIAL_MULTISCALE && (!desc->count || desc->count > 256))
        return "is not 1 to 256";
    if (kind == PADIC_ROLLOUT_INITIAL_TURING && desc->count > 4096) return "is above 4096";
    *field = "terms";
    if (kind == PADIC_ROLLOUT_INITIAL_MULTISCALE && !desc->terms) return "is NULL";
    for (j = 0; kind == PADIC_ROLLOUT_INITIAL_MULTISCALE && j < desc->count; j++) {
        fault = padici_rollout_spectrum_fault(&desc->terms[j].spectrum);
        if (fault) return fault;
        if (!(desc->terms[j].variance >= 0) || !padici_rollout_finite(desc->terms[j].variance))
            return "has a variance that is negative or not finite";
    }
    *field = "waves";
    if (kind == PADIC_ROLLOUT_INITIAL_WAVES && desc->count && !desc->waves) return "is NULL";
    for (j = 0; kind == PADIC_ROLLOUT_INITIAL_WAVES && j < desc->count; j++)
        if (!padici_rollout_finite(desc->waves[j].amplitude) ||
            !padici_rollout_finite(desc->waves[j].phase))
            return "has an amplitude or phase that is not finite";
    return NULL;
}

static const char *padici_rollout_initial_shape_fault(const padic_rollout_initial_desc *desc,
                                                      const char **field)
{
    const padic_rollout_initial_kind kind = desc->kind;
    *field = "tails";
    if ((uint32_t)desc->tails > PADIC_ROLLOUT_TAILS_STUDENT) return "is no padic_rollout_tails";
    *field = "freedom";
    if (kind == PADIC_ROLLOUT_INITIAL_HEAVY && desc->tails == PADIC_ROLLOUT_TAILS_STUDENT &&
        desc->freedom != 0 && !(desc->freedom > 2 && desc->freedom <= 1e6))
        return "is not above 2, or above 10^6";
    *field = "turing";
    if ((uint32_t)desc->turing > PADIC_ROLLOUT_TURING_LABYRINTH)
        return "is no padic_rollout_turing";
    *field = "wavelength";
    if (kind == PADIC_ROLLOUT_INITIAL_TURING &&
        !(desc->wavelength > 0 && padici_rollout_finite(1 / desc->wavelength) &&
          padici_rollout_finite(desc->wavelength)))
        return "is not above 0 and finite";
    *field = "width";
    if ((kind == PADIC_ROLLOUT_INITIAL_RADIAL || kind == PADIC_ROLLOUT_INITIAL_PACKET) &&
        !(desc->width > 0 && padici_rollout_finite(desc->width)))
        return "is not above 0 and finite";
    *field = "k";
    if (!padici_rollout_finite(desc->k[0]) || !padici_rollout_finite(desc->k[1]))
        return "is not finite";
    *field = "phase";
    if (!padici_rollout_finite(desc->phase)) return "is not finite";
    *field = "centre";
    if (desc->centre &&
        (!padici_rollout_finite(desc->centre[0]) || !padici_rollout_finite(desc->centre[1])))
        return "is not finite";
    return NULL;
}

PADICI_FN padic_result padici_rollout_initial_check(padic_context *context, const void *desc_)
{
    const padic_rollout_initial_desc *desc = (const padic_rollout_initial_desc *)desc_;
    const char *field, *fault;
    uint64_t shape[4], count;
    int64_t stride[4];
    if (desc->out.dtype != PADIC_F32)
        return padici_fail_field(context, PADIC_ERROR_DTYPE, "out", "is not f32");
    if (desc->out.rank != 3 && desc->out.rank != 4)
        return padici_fail_field(context, PADIC_ERROR_MISMATCH, "out",
                                 "is not (I, C, H, W) or (C, H, W)");
    fault = padici_rollout_initial_fault(desc, &field);
    if (!fault) fault = padici_rollout_initial_shape_fault(desc, &field);
    if (!fault) fault = padici_rollout_pattern_fault(desc, &field);
    if (fault) return padici_fail_field(context, PADIC_ERROR_ARGUMENT, field, fault);
    padici_rollout_fields_of(&desc->out, shape, stride);
    if (!padici_mul_u64(shape[1], shape[2], &count) || !padici_mul_u64(count, shape[3], &count) ||
        count > (uint64_t)1 << 34 || shape[1] >> 14 || (shape[2] | shape[3]) >> 31 ||
        (padici_rollout_initial_is_spectral(desc) &&
         !padici_rollout_spectral_fits(shape[2], shape[3], shape[1])))
        return padici_fail_field(context, PADIC_ERROR_LIMIT, "out",
                                 "has more cells than there are random numbers");
    return PADIC_OK;
}

PADICI_FN uint32_t padici_rollout_initial_operands(void *desc_, padici_operand *operands)
{
    padic_rollout_initial_desc *desc = (padic_rollout_initial_desc *)desc_;
    operands[0].name = "out";
    operands[0].tensor = &desc->out;
    operands[0].out = 1;
    return 1;
}

// ---- the work

// Each spectrum must have a mode on this grid; the last one set is that of SPECTRAL and HEAVY.
static int padici_rollout_initial_spectra(const padici_rollout_initial_job *job)
{
    const padic_rollout_initial_desc *desc = job->desc;
    uint32_t i;
    if (desc->kind == PADIC_ROLLOUT_INITIAL_MULTISCALE) {
        for (i = 0; i < desc->count; i++)
            if (!padici_rollout_spectral_set(job->spectral, &desc->terms[i].spectrum)) return 0;
        return 1;
    }
    for (i = 0; i < job->workers; i++)
        if (!padici_rollout_spectral_set(&job->spectral[i], &desc->spectrum)) return 0;
    return 1;
}

static padic_result padici_rollout_initial_run(const padic_env *env,
                                               padici_rollout_initial_job *job)
{
    const padic_rollout_initial_desc *desc = job->desc;
    padic_result result = PADIC_OK;
    if (padici_rollout_initial_is_spectral(desc)) {
        job->spectral = padici_rollout_spectrals_begin(env, job->workers, job->shape[2],
                                                       job->shape[3]);
        if (!job->spectral)
            return padici_env_fail(env, PADIC_ERROR_MEMORY, "no memory for a field's spectrum");
        if (!padici_rollout_initial_spectra(job))
            result = padici_env_fail(env, PADIC_ERROR_ARGUMENT,
                                     "the spectrum is 0 for all wave numbers of this grid");
    }
    if (!result && job->student)
        padici_rollout_student_begin(job->student, desc->freedom > 0 ? desc->freedom : 3);
    if (!result)
        padici_parallel(padici_env_jobs(env), job->workers, padici_rollout_initial_share, job);
    if (job->spectral) padici_rollout_spectrals_end(job->spectral, job->workers);
    return result;
}

PADICI_FN padic_result padici_rollout_initial_host(const padic_env *env, const void *desc_)
{
    const padic_rollout_initial_desc *desc = (const padic_rollout_initial_desc *)desc_;
    const padic_jobs *jobs = padici_env_jobs(env);
    const padic_allocator *allocator = env ? env->allocator : NULL;
    const int student = desc->kind == PADIC_ROLLOUT_INITIAL_HEAVY &&
                        desc->tails == PADIC_ROLLOUT_TAILS_STUDENT;
    padici_rollout_initial_job job;
    padic_result result;
    uint64_t planes_bytes, bytes;
    char *memory;
    memset(&job, 0, sizeof job);
    job.desc = desc;
    padici_rollout_fields_of(&desc->out, job.shape, job.stride);
    job.planes = job.shape[0] * job.shape[1];
    job.cells = job.shape[2] * job.shape[3];
    if (!job.planes || !job.cells) return PADIC_OK;
    job.sigma = desc->sigma ? *desc->sigma : 1;
    job.centre[0] = desc->centre ? desc->centre[0] : 0.5 * (double)(job.shape[3] - 1);
    job.centre[1] = desc->centre ? desc->centre[1] : 0.5 * (double)(job.shape[2] - 1);
    job.workers = jobs && jobs->workers > 1 ? jobs->workers : 1;
    if (job.workers > job.planes) job.workers = (uint32_t)job.planes;
    job.room = padici_rollout_pattern_room(desc, job.cells);
    if (!padici_mul_u64(job.workers, 8 * (job.cells + job.room), &planes_bytes))
        return PADIC_ERROR_LIMIT;
    bytes = planes_bytes + (student ? sizeof(padici_rollout_student) : 0);
    memory = bytes <= (size_t)-1 / 2 ? (char *)padici_alloc(allocator, (size_t)bytes, 64) : NULL;
    if (!memory) return padici_env_fail(env, PADIC_ERROR_MEMORY, "no memory for a field");
    job.plane = (double *)(void *)memory;
    if (student) job.student = (padici_rollout_student *)(void *)(memory + planes_bytes);
    result = padici_rollout_initial_run(env, &job);
    padici_free(allocator, memory, (size_t)bytes);
    return result;
}

#endif
