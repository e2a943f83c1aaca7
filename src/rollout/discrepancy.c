#include "../context/messages.h"
#include "../context/ops.h"
#include "../core/jobs.h"
#include "../core/view.h"

#if PADICI_IMPLEMENT_ROLLOUT

// Centred L2 discrepancy and correlations of points. Sums in a fixed order, whoever does them.

enum { PADICI_ROLLOUT_DISCREPANCY_TASKS = 16 };

typedef struct padici_rollout_discrepancy_job {
    const double *x;
    uint64_t n, d;
    int64_t stride[PADIC_MAX_RANK];
    double single[PADICI_ROLLOUT_DISCREPANCY_TASKS]; // sums over a task's points
    double pairs[PADICI_ROLLOUT_DISCREPANCY_TASKS];
    double mean[PADIC_ROLLOUT_SOBOL_DIMENSIONS], square[PADIC_ROLLOUT_SOBOL_DIMENSIONS];
    double largest[PADIC_ROLLOUT_SOBOL_DIMENSIONS]; // |r| of a column and those after it
} padici_rollout_discrepancy_job;

static double padici_rollout_point(const padici_rollout_discrepancy_job *job, uint64_t i,
                                   uint64_t j)
{
    return job->x[(int64_t)i * job->stride[0] + (int64_t)j * job->stride[1]];
}

static double padici_rollout_distance(double a, double b)
{
    return a > b ? a - b : b - a;
}

static void padici_rollout_discrepancy_rows(void *arg, uint32_t task)
{
    padici_rollout_discrepancy_job *job = (padici_rollout_discrepancy_job *)arg;
    double single = 0, pairs = 0;
    uint64_t i, l, j;
    for (i = task; i < job->n; i += PADICI_ROLLOUT_DISCREPANCY_TASKS) {
        double product = 1, sum = 0;
        for (j = 0; j < job->d; j++) {
            const double z = padici_rollout_distance(padici_rollout_point(job, i, j), 0.5);
            product *= 1 + z / 2 - z * z / 2;
        }
        single += product;
        for (l = 0; l < job->n; l++) {
            product = 1;
            for (j = 0; j < job->d; j++) {
                const double a = padici_rollout_point(job, i, j);
                const double b = padici_rollout_point(job, l, j);
                product *= 1 + padici_rollout_distance(a, 0.5) / 2 +
                           padici_rollout_distance(b, 0.5) / 2 - padici_rollout_distance(a, b) / 2;
            }
            sum += product;
        }
        pairs += sum;
    }
    job->single[task] = single;
    job->pairs[task] = pairs;
}

static void padici_rollout_column_moments(void *arg, uint32_t column)
{
    padici_rollout_discrepancy_job *job = (padici_rollout_discrepancy_job *)arg;
    double sum = 0, square = 0;
    uint64_t i;
    for (i = 0; i < job->n; i++) sum += padici_rollout_point(job, i, column);
    job->mean[column] = sum / (double)job->n;
    for (i = 0; i < job->n; i++) {
        const double x = padici_rollout_point(job, i, column) - job->mean[column];
        square += x * x;
    }
    job->square[column] = square;
}

static void padici_rollout_column_correlations(void *arg, uint32_t column)
{
    padici_rollout_discrepancy_job *job = (padici_rollout_discrepancy_job *)arg;
    uint64_t i, j;
    job->largest[column] = 0;
    for (j = column + 1; j < job->d; j++) {
        const double scale = sqrt(job->square[column]) * sqrt(job->square[j]);
        double sum = 0, r;
        for (i = 0; i < job->n; i++)
            sum += (padici_rollout_point(job, i, column) - job->mean[column]) *
                   (padici_rollout_point(job, i, j) - job->mean[j]);
        r = scale > 0 ? padici_rollout_distance(sum, 0) / scale : 0;
        if (r > 1) r = 1;
        if (r > job->largest[column]) job->largest[column] = r;
    }
}

PADICI_FN padic_result padici_rollout_discrepancy_check(padic_context *context, const void *desc_)
{
    const padic_rollout_discrepancy_desc *desc = (const padic_rollout_discrepancy_desc *)desc_;
    if (desc->points.dtype != PADIC_F64)
        return padici_fail_field(context, PADIC_ERROR_DTYPE, "points", "is not f64");
    if (desc->points.rank != 2)
        return padici_fail_field(context, PADIC_ERROR_MISMATCH, "points", "is not (n, d)");
    if (desc->points.shape[1] > PADIC_ROLLOUT_SOBOL_DIMENSIONS)
        return padici_fail_field(context, PADIC_ERROR_LIMIT, "points", "has more than 64 columns");
    return PADIC_OK;
}

PADICI_FN uint32_t padici_rollout_discrepancy_operands(void *desc_, padici_operand *operands)
{
    padic_rollout_discrepancy_desc *desc = (padic_rollout_discrepancy_desc *)desc_;
    operands[0].name = "points";
    operands[0].tensor = &desc->points;
    operands[0].any_stride = 1;
    return 1;
}

PADICI_FN padic_result padici_rollout_discrepancy_host(const padic_env *env, const void *desc_)
{
    const padic_rollout_discrepancy_desc *desc = (const padic_rollout_discrepancy_desc *)desc_;
    const padic_jobs *jobs = padici_env_jobs(env);
    padici_rollout_discrepancy_job job;
    double single = 0, pairs = 0, none = 1, correlation = 0;
    uint64_t i, j;
    if (desc->report) memset(desc->report, 0, sizeof *desc->report);
    job.x = (const double *)desc->points.data;
    job.n = desc->points.shape[0];
    job.d = desc->points.shape[1];
    if (!desc->report || !job.n || !job.d) return PADIC_OK;
    padici_tensor_dense(&desc->points, job.stride);
    for (i = 0; i < job.n; i++)
        for (j = 0; j < job.d; j++) {
            const double x = padici_rollout_point(&job, i, j);
            if (!(x >= 0 && x <= 1))
                return padici_env_fail(env, PADIC_ERROR_DOMAIN,
                                       "points has a coordinate outside [0, 1]");
        }
    padici_parallel(jobs, PADICI_ROLLOUT_DISCREPANCY_TASKS, padici_rollout_discrepancy_rows, &job);
    padici_parallel(jobs, (uint32_t)job.d, padici_rollout_column_moments, &job);
    padici_parallel(jobs, (uint32_t)job.d, padici_rollout_column_correlations, &job);
    for (i = 0; i < PADICI_ROLLOUT_DISCREPANCY_TASKS; i++) {
        single += job.single[i];
        pairs += job.pairs[i];
    }
    for (j = 0; j < job.d; j++) {
        none *= 13.0 / 12.0;
        if (job.largest[j] > correlation) correlation = job.largest[j];
    }
    desc->report->discrepancy = none - 2 / (double)job.n * single +
                                pairs / ((double)job.n * (double)job.n);
    desc->report->correlation = correlation;
    return PADIC_OK;
}

#endif
