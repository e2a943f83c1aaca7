#include "gft.h"
#include "../context/messages.h"
#include "../context/ops.h"
#include "../core/jobs.h"
#include "../core/view.h"
#include "number.h"

#if PADICI_IMPLEMENT_FIELD

// Homogeneous condensates of group field theory: evolution in relational time.

typedef struct padici_field_gft_job {
    const padic_field_gft_evolve_desc *desc;
    uint64_t modes, tasks, steps, record; // steps to the next record
    double g[PADIC_FIELD_TERMS], p[PADIC_FIELD_TERMS];
} padici_field_gft_job;

// Element i, or the one there is, of a tensor of rank 1 or 0.
static double padici_field_gft_value(const padic_tensor *t, uint64_t i, double absent)
{
    double x;
    if (t->dtype == PADIC_DTYPE_NONE) return absent;
    if (t->rank) {
        int64_t stride[PADIC_MAX_RANK];
        padici_tensor_dense(t, stride);
        memcpy(&x, (const char *)t->data + 8 * (int64_t)i * stride[0], 8);
    } else {
        memcpy(&x, t->data, 8);
    }
    return x;
}

// |s|^exponent of |s|^2.
PADICI_FN double padici_field_gft_power(double square, double exponent)
{
    if (exponent <= 32 && exponent == floor(exponent))
        return padici_field_number_power(square, (uint32_t)exponent / 2, (uint32_t)exponent % 2);
    return pow(square, 0.5 * exponent);
}

// d^2 s/dchi^2 / s.
static double padici_field_gft_force(const padici_field_gft_job *job, const double s[2], double a,
                                     double b)
{
    const double square = s[0] * s[0] + s[1] * s[1];
    uint32_t k;
    for (k = 0; k < PADIC_FIELD_TERMS; k++)
        if (job->g[k] != 0) b += job->g[k] * padici_field_gft_power(square, job->p[k] - 2);
    return b / a;
}

static void padici_field_gft_task(void *arg, uint32_t task)
{
    static const double verlet[1] = {1};
    static const double suzuki[5] = {0.41449077179437573714, 0.41449077179437573714,
                                     -0.65796308717750294857, 0.41449077179437573714,
                                     0.41449077179437573714}; // 1/(4 - 4^(1/3)), 1 less four
    const padici_field_gft_job *job = (const padici_field_gft_job *)arg;
    const padic_field_gft_evolve_desc *desc = job->desc;
    const int fourth = desc->method == PADIC_FIELD_GFT_METHOD_SUZUKI;
    const double *part = fourth ? suzuki : verlet;
    const uint32_t parts = fourth ? 5 : 1;
    int64_t stride[PADIC_MAX_RANK], rate_stride[PADIC_MAX_RANK];
    uint64_t j, step;
    uint32_t k;
    padici_tensor_dense(&desc->modes, stride);
    padici_tensor_dense(&desc->rates, rate_stride);
    for (j = task; j < job->modes; j += job->tasks) {
        const double a = padici_field_gft_value(&desc->kinetic, j, 1);
        const double b = padici_field_gft_value(&desc->mass, j, 0);
        double s[2], v[2], force;
        padici_field_number_get(&desc->modes, (int64_t)j * stride[0], s);
        padici_field_number_get(&desc->rates, (int64_t)j * rate_stride[0], v);
        for (step = 0; step < job->steps; step++)
            for (k = 0; k < parts; k++) {
                const double h = desc->dt * part[k];
                force = 0.5 * h * padici_field_gft_force(job, s, a, b);
                v[0] += force * s[0];
                v[1] += force * s[1];
                s[0] += h * v[0];
                s[1] += h * v[1];
                force = 0.5 * h * padici_field_gft_force(job, s, a, b);
                v[0] += force * s[0];
                v[1] += force * s[1];
            }
        padici_field_number_put(&desc->modes, (int64_t)j * stride[0], s[0], s[1]);
        padici_field_number_put(&desc->rates, (int64_t)j * rate_stride[0], v[0], v[1]);
    }
}

static double padici_field_gft_energy(const padici_field_gft_job *job, const double s[2],
                                      const double v[2], double a, double b)
{
    const double square = s[0] * s[0] + s[1] * s[1];
    double sum = b * square;
    uint32_t k;
    for (k = 0; k < PADIC_FIELD_TERMS; k++)
        if (job->g[k] != 0)
            sum += 2 * job->g[k] / job->p[k] * padici_field_gft_power(square, job->p[k]);
    return v[0] * v[0] + v[1] * v[1] - sum / a;
}

// Where the place (record, mode) of a tensor is; of rank 1, (record).
static int64_t padici_field_gft_place(const padic_tensor *t, uint64_t record, uint64_t j)
{
    int64_t stride[PADIC_MAX_RANK];
    padici_tensor_dense(t, stride);
    return (int64_t)record * stride[0] + (t->rank == 2 ? (int64_t)j * stride[1] : 0);
}

static void padici_field_gft_put(const padic_tensor *t, uint64_t record, uint64_t j, double x)
{
    if (t->dtype == PADIC_DTYPE_NONE) return;
    memcpy((char *)t->data + 8 * padici_field_gft_place(t, record, j), &x, 8);
}

// Writes a record; returns the volume.
static double padici_field_gft_record(const padici_field_gft_job *job, uint64_t record)
{
    const padic_field_gft_evolve_desc *desc = job->desc;
    int64_t stride[PADIC_MAX_RANK], rate_stride[PADIC_MAX_RANK];
    double volume = 0;
    uint64_t j;
    padici_tensor_dense(&desc->modes, stride);
    padici_tensor_dense(&desc->rates, rate_stride);
    for (j = 0; j < job->modes; j++) {
        const double a = padici_field_gft_value(&desc->kinetic, j, 1);
        const double b = padici_field_gft_value(&desc->mass, j, 0);
        double s[2], v[2];
        padici_field_number_get(&desc->modes, (int64_t)j * stride[0], s);
        padici_field_number_get(&desc->rates, (int64_t)j * rate_stride[0], v);
        volume += padici_field_gft_value(&desc->volumes, j, 1) * (s[0] * s[0] + s[1] * s[1]);
        padici_field_gft_put(&desc->charge, record, j, s[0] * v[1] - s[1] * v[0]);
        if (desc->energy.dtype != PADIC_DTYPE_NONE)
            padici_field_gft_put(&desc->energy, record, j,
                                 padici_field_gft_energy(job, s, v, a, b));
        if (desc->path.dtype != PADIC_DTYPE_NONE)
            padici_field_number_put(&desc->path, padici_field_gft_place(&desc->path, record, j),
                                    s[0], s[1]);
        if (desc->path_rates.dtype != PADIC_DTYPE_NONE)
            padici_field_number_put(&desc->path_rates,
                                    padici_field_gft_place(&desc->path_rates, record, j), v[0],
                                    v[1]);
    }
    padici_field_gft_put(&desc->volume, record, 0, volume);
    return volume;
}

static uint64_t padici_field_gft_records(const padic_field_gft_evolve_desc *desc)
{
    const uint64_t every = desc->every ? desc->every : desc->count;
    return every ? 1 + desc->count / every : 1;
}

static void padici_field_gft_report(const padici_field_gft_job *job, double volume)
{
    const padic_field_gft_evolve_desc *desc = job->desc;
    int64_t stride[PADIC_MAX_RANK], rate_stride[PADIC_MAX_RANK];
    uint64_t j, bad = 0;
    if (!desc->report) return;
    padici_tensor_dense(&desc->modes, stride);
    padici_tensor_dense(&desc->rates, rate_stride);
    for (j = 0; j < job->modes; j++) {
        double s[2], v[2];
        padici_field_number_get(&desc->modes, (int64_t)j * stride[0], s);
        padici_field_number_get(&desc->rates, (int64_t)j * rate_stride[0], v);
        bad += !padici_field_number_finite(s[0]) || !padici_field_number_finite(s[1]) ||
               !padici_field_number_finite(v[0]) || !padici_field_number_finite(v[1]);
    }
    desc->report->records = padici_field_gft_records(desc);
    desc->report->volume = volume;
    desc->report->not_finite = bad;
}

PADICI_FN void padici_field_gft_terms(const padic_field_term *power, double *g, double *p)
{
    uint32_t k;
    for (k = 0; k < PADIC_FIELD_TERMS; k++) {
        g[k] = power[k].g;
        p[k] = power[k].p != 0 ? power[k].p : 4;
    }
}

PADICI_FN padic_result padici_field_gft_evolve_host(const padic_env *env, const void *desc_)
{
    const padic_field_gft_evolve_desc *desc = (const padic_field_gft_evolve_desc *)desc_;
    const uint64_t records = padici_field_gft_records(desc);
    padici_field_gft_job job;
    double volume = 0;
    uint64_t record = 0, done = 0, j;
    job.desc = desc;
    job.modes = desc->modes.shape[0];
    job.tasks = job.modes < PADICI_FIELD_GFT_TASKS ? job.modes : PADICI_FIELD_GFT_TASKS;
    padici_field_gft_terms(desc->power, job.g, job.p);
    for (j = 0; j < job.modes; j++) {
        const double a = padici_field_gft_value(&desc->kinetic, j, 1);
        if (a == 0 || !padici_field_number_finite(a) ||
            !padici_field_number_finite(padici_field_gft_value(&desc->mass, j, 0)))
            return padici_env_fail(env, PADIC_ERROR_DOMAIN,
                                   "a kinetic is 0 or not finite, or a mass is not finite");
    }
    for (;;) {
        if (record < records) volume = padici_field_gft_record(&job, record++);
        job.steps = desc->every && desc->every < desc->count - done ? desc->every
                                                                    : desc->count - done;
        if (!job.steps) break;
        padici_parallel(padici_env_jobs(env), (uint32_t)job.tasks, padici_field_gft_task, &job);
        done += job.steps;
        if (record < records) continue;
        volume = 0; // the last steps, after the last record
        for (j = 0; j < job.modes; j++) {
            int64_t stride[PADIC_MAX_RANK];
            double s[2];
            padici_tensor_dense(&desc->modes, stride);
            padici_field_number_get(&desc->modes, (int64_t)j * stride[0], s);
            volume += padici_field_gft_value(&desc->volumes, j, 1) * (s[0] * s[0] + s[1] * s[1]);
        }
    }
    padici_field_gft_report(&job, volume);
    return PADIC_OK;
}

PADICI_FN padic_result padici_field_gft_check_terms(padic_context *context,
                                                    const padic_field_term *power)
{
    uint32_t k;
    for (k = 0; k < PADIC_FIELD_TERMS; k++) {
        if (!padici_field_number_finite(power[k].g))
            return padici_fail_here(context, PADIC_ERROR_ARGUMENT, "power has a g not finite");
        if (power[k].p != 0 && !(power[k].p > 2 && padici_field_number_finite(power[k].p)))
            return padici_fail_here(context, PADIC_ERROR_ARGUMENT,
                                    "power has a p that is not above 2");
    }
    return PADIC_OK;
}

// A tensor (rows, J), or (rows) where `plane` is 0; optional.
static padic_result padici_field_gft_check_out(padic_context *context, const padic_tensor *t,
                                               padic_dtype dtype, uint64_t rows, uint64_t modes,
                                               uint32_t plane, const char *name)
{
    if (t->dtype == PADIC_DTYPE_NONE) return PADIC_OK;
    if (t->dtype != dtype)
        return padici_fail_field(context, PADIC_ERROR_DTYPE, name,
                                 dtype == PADIC_F64 ? "is not f64" : "is not c128");
    if (t->rank != 1 + plane || t->shape[0] != rows || (plane && t->shape[1] != modes))
        return padici_fail_field(context, PADIC_ERROR_MISMATCH, name,
                                 plane ? "is not (R, J), R = 1 + count / every"
                                       : "is not (R), R = 1 + count / every");
    return PADIC_OK;
}

static padic_result padici_field_gft_check_in(padic_context *context, const padic_tensor *t,
                                              uint64_t modes, const char *name)
{
    if (t->dtype == PADIC_DTYPE_NONE) return PADIC_OK;
    if (t->dtype != PADIC_F64)
        return padici_fail_field(context, PADIC_ERROR_DTYPE, name, "is not f64");
    if (t->rank > 1 || (t->rank && t->shape[0] != modes))
        return padici_fail_field(context, PADIC_ERROR_MISMATCH, name, "is not (J) or of rank 0");
    return PADIC_OK;
}

PADICI_FN padic_result padici_field_gft_evolve_check(padic_context *context, const void *desc_)
{
    const padic_field_gft_evolve_desc *desc = (const padic_field_gft_evolve_desc *)desc_;
    const uint64_t rows = padici_field_gft_records(desc), modes = desc->modes.shape[0];
    padic_result result;
    if (desc->modes.dtype != PADIC_C128 || desc->rates.dtype != PADIC_C128)
        return padici_fail_here(context, PADIC_ERROR_DTYPE, "modes or rates is not c128");
    if (desc->modes.rank != 1 || desc->rates.rank != 1 || desc->rates.shape[0] != modes)
        return padici_fail_here(context, PADIC_ERROR_MISMATCH, "modes and rates are not both (J)");
    if ((uint32_t)desc->method > PADIC_FIELD_GFT_METHOD_SUZUKI)
        return padici_fail_here(context, PADIC_ERROR_ARGUMENT,
                                "method is no padic_field_gft_method");
    if (!padici_field_number_finite(desc->dt) || desc->dt == 0)
        return padici_fail_here(context, PADIC_ERROR_ARGUMENT, "dt is 0 or not finite");
    result = padici_field_gft_check_terms(context, desc->power);
    if (!result) result = padici_field_gft_check_in(context, &desc->kinetic, modes, "kinetic");
    if (!result) result = padici_field_gft_check_in(context, &desc->mass, modes, "mass");
    if (!result) result = padici_field_gft_check_in(context, &desc->volumes, modes, "volumes");
    if (!result)
        result = padici_field_gft_check_out(context, &desc->path, PADIC_C128, rows, modes, 1,
                                            "path");
    if (!result)
        result = padici_field_gft_check_out(context, &desc->path_rates, PADIC_C128, rows, modes, 1,
                                            "path_rates");
    if (!result)
        result = padici_field_gft_check_out(context, &desc->volume, PADIC_F64, rows, modes, 0,
                                            "volume");
    if (!result)
        result = padici_field_gft_check_out(context, &desc->charge, PADIC_F64, rows, modes, 1,
                                            "charge");
    if (!result)
        result = padici_field_gft_check_out(context, &desc->energy, PADIC_F64, rows, modes, 1,
                                            "energy");
    return result;
}

PADICI_FN uint32_t padici_field_gft_evolve_operands(void *desc_, padici_operand *operands)
{
    static const char *const names[10] = {"modes",   "rates", "kinetic",    "mass",   "volumes",
                                          "path", "path_rates", "volume", "charge", "energy"};
    padic_field_gft_evolve_desc *desc = (padic_field_gft_evolve_desc *)desc_;
    padic_tensor *tensors[10];
    uint32_t i, n = 0;
    tensors[0] = &desc->modes;
    tensors[1] = &desc->rates;
    tensors[2] = &desc->kinetic;
    tensors[3] = &desc->mass;
    tensors[4] = &desc->volumes;
    tensors[5] = &desc->path;
    tensors[6] = &desc->path_rates;
    tensors[7] = &desc->volume;
    tensors[8] = &desc->charge;
    tensors[9] = &desc->energy;
    for (i = 0; i < 10; i++) {
        if (i > 1 && tensors[i]->dtype == PADIC_DTYPE_NONE) continue;
        operands[n].name = names[i];
        operands[n].tensor = tensors[i];
        operands[n].any_stride = i > 1 && i < 5;
        operands[n++].out = i < 2 ? 2 : i > 4;
    }
    return padici_operand_host(operands, n, desc->report);
}

#endif
