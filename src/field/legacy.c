#include "legacy.h"
#include "../context/messages.h"
#include "../context/ops.h"
#include "../core/jobs.h"
#include "../core/view.h"
#include "number.h"

#if PADICI_IMPLEMENT_FIELD

// The energy and the Euler step of a code that this area replaces.

PADICI_FN void padici_field_legacy_begin(padici_field_legacy_job *job, const padic_tensor *phi,
                                         const padic_tensor *out, double mass, double lambda,
                                         uint32_t power)
{
    int64_t stride[PADIC_MAX_RANK], out_stride[PADIC_MAX_RANK];
    const uint32_t skip = 3 - phi->rank;
    uint32_t i;
    memset(job, 0, sizeof *job);
    job->phi = phi;
    job->out = out;
    padici_tensor_dense(phi, stride);
    padici_tensor_dense(out, out_stride);
    for (i = 0; i < 3; i++) {
        job->count[i] = i < skip ? 1 : phi->shape[i - skip];
        job->stride[i] = i < skip ? 0 : stride[i - skip];
        job->out_stride[i] = i < skip ? 0 : out_stride[i - skip];
    }
    job->rows = job->count[2] ? job->count[0] * job->count[1] : 0;
    job->tasks = (job->rows * job->count[2] + 4095) / 4096; // not by workers: sums stay the same
    if (job->tasks > job->rows) job->tasks = job->rows;
    if (job->tasks > PADICI_FIELD_LEGACY_TASKS) job->tasks = PADICI_FIELD_LEGACY_TASKS;
    job->power = power ? power : 3;
    job->mass = mass;
    job->lambda = lambda;
}

// The rows of a task.
PADICI_FN void padici_field_legacy_share(const padici_field_legacy_job *job, uint32_t task,
                                         uint64_t *first, uint64_t *end)
{
    const uint64_t each = job->rows / job->tasks, more = job->rows % job->tasks;
    *first = each * task + (task < more ? task : more);
    *end = *first + each + (task < more);
}

// The way to the neighbours of index i along an axis, in elements.
static void padici_field_legacy_beside(uint64_t i, uint64_t count, int64_t stride, int64_t way[2])
{
    const int64_t around = stride * (int64_t)(count - 1);
    way[0] = i ? -stride : around;
    way[1] = i + 1 < count ? stride : -around;
}

PADICI_FN void padici_field_legacy_euler_rows(const padici_field_legacy_job *job, uint64_t row,
                                              uint64_t end)
{
    const uint32_t half = (job->power - 2) / 2, odd = job->power % 2;
    uint64_t k;
    uint32_t a;
    for (; row < end; row++) {
        const uint64_t i = row / job->count[1], j = row % job->count[1];
        int64_t at = (int64_t)i * job->stride[0] + (int64_t)j * job->stride[1], way[3][2];
        int64_t to = (int64_t)i * job->out_stride[0] + (int64_t)j * job->out_stride[1];
        padici_field_legacy_beside(i, job->count[0], job->stride[0], way[0]);
        padici_field_legacy_beside(j, job->count[1], job->stride[1], way[1]);
        for (k = 0; k < job->count[2]; k++, at += job->stride[2], to += job->out_stride[2]) {
            double z[2], re = 0, im = 0, low[2], high[2], own;
            padici_field_number_get(job->phi, at, z);
            padici_field_legacy_beside(k, job->count[2], job->stride[2], way[2]);
            for (a = 0; a < 3; a++) {
                padici_field_number_get(job->phi, at + way[a][0], low);
                padici_field_number_get(job->phi, at + way[a][1], high);
                re -= low[0] - 2 * z[0] + high[0];
                im -= low[1] - 2 * z[1] + high[1];
            }
            own = job->mass + job->lambda * padici_field_number_power(
                                                        z[0] * z[0] + z[1] * z[1], half, odd);
            re += own * z[0];
            im += own * z[1];
            padici_field_number_put(job->out, to, z[0] + job->dt * im,
                                    z[1] - job->dt * re);
        }
    }
}

static void padici_field_legacy_euler_task(void *arg, uint32_t task)
{
    const padici_field_legacy_job *job = (const padici_field_legacy_job *)arg;
    uint64_t row, end;
    padici_field_legacy_share(job, task, &row, &end);
    padici_field_legacy_euler_rows(job, row, end);
}

// |above - below|^2 along an axis, over the square of their distance.
static double padici_field_legacy_slope(const padici_field_legacy_job *job, int64_t at, uint64_t i,
                                        uint32_t axis)
{
    const int first = i == 0, last = i + 1 == job->count[axis];
    double low[2], high[2], square;
    if (first && last) return 0;
    padici_field_number_get(job->phi, first ? at : at - job->stride[axis], low);
    padici_field_number_get(job->phi, last ? at : at + job->stride[axis], high);
    high[0] -= low[0];
    high[1] -= low[1];
    square = high[0] * high[0] + high[1] * high[1];
    return first || last ? square : 0.25 * square;
}

static void padici_field_legacy_energy_task(void *arg, uint32_t task)
{
    padici_field_legacy_job *job = (padici_field_legacy_job *)arg;
    const uint32_t half = job->power / 2, odd = job->power % 2;
    double *total = job->sum[task];
    uint64_t row, end, k;
    padici_field_legacy_share(job, task, &row, &end);
    for (; row < end; row++) {
        const uint64_t i = row / job->count[1], j = row % job->count[1];
        int64_t at = (int64_t)i * job->stride[0] + (int64_t)j * job->stride[1];
        double sum[3] = {0, 0, 0};
        for (k = 0; k < job->count[2]; k++, at += job->stride[2]) {
            double z[2], square;
            padici_field_number_get(job->phi, at, z);
            square = z[0] * z[0] + z[1] * z[1];
            sum[0] += padici_field_legacy_slope(job, at, i, 0) +
                      padici_field_legacy_slope(job, at, j, 1) +
                      padici_field_legacy_slope(job, at, k, 2);
            sum[1] += square;
            sum[2] += padici_field_number_power(square, half, odd);
        }
        for (k = 0; k < 3; k++) total[k] += sum[k];
    }
}

// The report, from the sums of all tasks.
PADICI_FN void padici_field_legacy_sums(const padici_field_legacy_job *job,
                                        const padic_field_legacy_energy_desc *desc)
{
    double sum[3] = {0, 0, 0}, factorial = 1;
    uint64_t i;
    uint32_t k;
    for (i = 0; i < job->tasks; i++)
        for (k = 0; k < 3; k++) sum[k] += job->sum[i][k];
    for (k = 2; k <= job->power; k++) factorial *= k;
    desc->report->kinetic = sum[0];
    desc->report->norm = sum[1];
    desc->report->interaction = sum[2];
    desc->report->energy =
        sum[0] + 0.5 * desc->mass_squared * sum[1] + desc->lambda / factorial * sum[2];
}

PADICI_FN padic_result padici_field_legacy_euler_host(const padic_env *env, const void *desc_)
{
    const padic_field_legacy_euler_desc *desc = (const padic_field_legacy_euler_desc *)desc_;
    padici_field_legacy_job job;
    padici_field_legacy_begin(&job, &desc->phi, &desc->out, desc->mass_squared, desc->lambda,
                              desc->power);
    job.dt = desc->dt;
    padici_parallel(padici_env_jobs(env), (uint32_t)job.tasks, padici_field_legacy_euler_task,
                    &job);
    return PADIC_OK;
}

PADICI_FN padic_result padici_field_legacy_energy_host(const padic_env *env, const void *desc_)
{
    const padic_field_legacy_energy_desc *desc = (const padic_field_legacy_energy_desc *)desc_;
    padici_field_legacy_job job;
    padici_field_legacy_begin(&job, &desc->phi, &desc->phi, desc->mass_squared, desc->lambda,
                              desc->power);
    padici_parallel(padici_env_jobs(env), (uint32_t)job.tasks, padici_field_legacy_energy_task,
                    &job);
    padici_field_legacy_sums(&job, desc);
    return PADIC_OK;
}

static padic_result padici_field_legacy_check(padic_context *context, const padic_tensor *phi,
                                              double mass, double lambda, uint32_t power)
{
    if (phi->dtype != PADIC_C64 && phi->dtype != PADIC_C128)
        return padici_fail_here(context, PADIC_ERROR_DTYPE, "phi is not c64 or c128");
    if (phi->rank < 1 || phi->rank > 3)
        return padici_fail_here(context, PADIC_ERROR_MISMATCH, "phi is not of rank 1 to 3");
    if (!padici_field_number_finite(mass) || !padici_field_number_finite(lambda))
        return padici_fail_here(context, PADIC_ERROR_ARGUMENT,
                                "mass_squared or lambda is not finite");
    if (power && (power < 3 || power > 20))
        return padici_fail_here(context, PADIC_ERROR_ARGUMENT, "power is not 3 to 20, or 0 for 3");
    return PADIC_OK;
}

PADICI_FN padic_result padici_field_legacy_euler_check(padic_context *context, const void *desc_)
{
    const padic_field_legacy_euler_desc *desc = (const padic_field_legacy_euler_desc *)desc_;
    const padic_result result = padici_field_legacy_check(context, &desc->phi, desc->mass_squared,
                                                          desc->lambda, desc->power);
    uint32_t i;
    if (result) return result;
    if (!padici_field_number_finite(desc->dt) || desc->dt == 0)
        return padici_fail_here(context, PADIC_ERROR_ARGUMENT, "dt is 0 or not finite");
    if (desc->out.dtype != desc->phi.dtype)
        return padici_fail_here(context, PADIC_ERROR_DTYPE, "out is not of phi's dtype");
    for (i = 0; i < desc->phi.rank && desc->out.rank == desc->phi.rank; i++)
        if (desc->out.shape[i] != desc->phi.shape[i]) break;
    if (i < desc->phi.rank)
        return padici_fail_here(context, PADIC_ERROR_MISMATCH, "out has not phi's shape");
    padici_log_once(context, PADIC_OP_FIELD_LEGACY_EULER,
                    "field_legacy_euler: forward Euler is unstable for every dt (said once)");
    return PADIC_OK;
}

PADICI_FN padic_result padici_field_legacy_energy_check(padic_context *context, const void *desc_)
{
    const padic_field_legacy_energy_desc *desc = (const padic_field_legacy_energy_desc *)desc_;
    if (!desc->report) return padici_fail_here(context, PADIC_ERROR_ARGUMENT, "report is NULL");
    return padici_field_legacy_check(context, &desc->phi, desc->mass_squared, desc->lambda,
                                     desc->power);
}

PADICI_FN uint32_t padici_field_legacy_euler_operands(void *desc_, padici_operand *operands)
{
    padic_field_legacy_euler_desc *desc = (padic_field_legacy_euler_desc *)desc_;
    operands[0].name = "phi";
    operands[0].tensor = &desc->phi;
    operands[0].any_stride = 1;
    operands[1].name = "out";
    operands[1].tensor = &desc->out;
    operands[1].out = 1;
    return 2;
}

PADICI_FN uint32_t padici_field_legacy_energy_operands(void *desc_, padici_operand *operands)
{
    padic_field_legacy_energy_desc *desc = (padic_field_legacy_energy_desc *)desc_;
    operands[0].name = "phi";
    operands[0].tensor = &desc->phi;
    operands[0].any_stride = 1;
    return padici_operand_host(operands, 1, desc->report);
}

#endif
