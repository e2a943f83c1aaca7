#include "run.h"
#include "../../core/jobs.h"
#include "../level.h"
#include "../levels.h"

#if PADICI_IMPLEMENT_SIMD && !defined(PADIC_NO_FIELD) && (PADICI_SIMD_X86 || PADICI_SIMD_ARM)

// ----------------------------------------------------------------------------------- >>field, simd
//
// The legacy step and energy of C64 whose last axis is dense. What is beyond f32 is left to the
// reference.

typedef void (*padici_field_legacy_kernel)(padici_field_legacy_plane *plane);

typedef struct padici_field_legacy_run {
    padici_field_legacy_job job;
    padici_field_legacy_kernel kernel;
    uint32_t is_energy;
} padici_field_legacy_run;

static padici_field_legacy_kernel padici_field_legacy_kernel_of(uint32_t level, uint32_t is_energy)
{
#if PADICI_SIMD_X86
    if (level > PADICI_SIMD_AVX2)
        return is_energy ? padici_simd_field_energy_avx512 : padici_simd_field_euler_avx512;
    return is_energy ? padici_simd_field_energy_avx2 : padici_simd_field_euler_avx2;
#else
    (void)level;
    return is_energy ? padici_simd_field_energy_neon : padici_simd_field_euler_neon;
#endif
}

// Plane i of axis 0, and the planes beside it.
static void padici_field_legacy_plane_of(const padici_field_legacy_run *run, uint64_t i,
                                         padici_field_legacy_plane *plane)
{
    const padici_field_legacy_job *job = &run->job;
    const float *phi = (const float *)job->phi->data;
    const uint64_t last = job->count[0] - 1;
    uint64_t below = i ? i - 1 : last, above = i < last ? i + 1 : 0;
    if (run->is_energy) {
        if (i == 0) below = i;
        if (i == last) above = i;
    }
    plane->at = phi + 2 * (int64_t)i * job->stride[0];
    plane->below = phi + 2 * (int64_t)below * job->stride[0];
    plane->above = phi + 2 * (int64_t)above * job->stride[0];
    plane->out = (float *)job->out->data + 2 * (int64_t)i * job->out_stride[0];
    plane->edge = above - below != 2;
    plane->odd = 0;
}

// The sums of all lanes.
static void padici_field_legacy_total(padici_field_legacy_plane *plane, double sum[3])
{
    uint32_t k, i, half;
    for (k = 0; k < 3; k++) {
        for (half = 8; half; half /= 2)
            for (i = 0; i < half; i++) plane->sum[k][i] += plane->sum[k][i + half];
        sum[k] = plane->sum[k][0];
    }
    sum[0] *= 0.25;
}

static void padici_field_legacy_run_task(void *arg, uint32_t task)
{
    padici_field_legacy_run *run = (padici_field_legacy_run *)arg;
    padici_field_legacy_job *job = &run->job;
    padici_field_legacy_plane plane;
    uint64_t row, end;
    padici_field_legacy_share(job, task, &row, &end);
    memset(&plane, 0, sizeof plane);
    plane.row = 2 * job->stride[1];
    plane.out_row = 2 * job->out_stride[1];
    plane.rows = job->count[1];
    plane.count = job->count[2];
    plane.power = job->power;
    plane.mass = (float)job->mass;
    plane.lambda = (float)job->lambda;
    plane.dt = (float)job->dt;
    while (row < end) {
        const uint64_t i = row / plane.rows;
        const uint64_t next = (i + 1) * plane.rows < end ? (i + 1) * plane.rows : end;
        plane.first = row - i * plane.rows;
        plane.end = next - i * plane.rows;
        padici_field_legacy_plane_of(run, i, &plane);
        (*run->kernel)(&plane);
        if (plane.odd) padici_field_legacy_euler_rows(job, row, next);
        row = next;
    }
    padici_field_legacy_total(&plane, job->sum[task]);
}

static int padici_field_legacy_fits(const padici_field_legacy_job *job)
{
    return job->phi->dtype == PADIC_C64 && (job->count[2] == 1 || (job->stride[2] == 1 &&
                                                                   job->out_stride[2] == 1)) &&
           fabs(job->mass) < 1e30 && fabs(job->lambda) < 1e30 && fabs(job->dt) < 1e30 &&
           (job->dt == 0 || fabs(job->dt) > 1e-30);
}

PADICI_FN padic_result padici_simd_field_legacy_euler(padici_simd *simd,
                                                      const padic_field_legacy_euler_desc *desc)
{
    padici_field_legacy_run run;
    padici_field_legacy_begin(&run.job, &desc->phi, &desc->out, desc->mass_squared, desc->lambda,
                              desc->power);
    run.job.dt = desc->dt;
    if (!padici_field_legacy_fits(&run.job)) return PADIC_ERROR_NOT_SUPPORTED;
    run.is_energy = 0;
    run.kernel = padici_field_legacy_kernel_of(simd->level, 0);
    padici_parallel(simd->env.jobs, (uint32_t)run.job.tasks, padici_field_legacy_run_task, &run);
    return PADIC_OK;
}

PADICI_FN padic_result padici_simd_field_legacy_energy(padici_simd *simd,
                                                       const padic_field_legacy_energy_desc *desc)
{
    padici_field_legacy_run run;
    double sum[3] = {0, 0, 0}, least;
    uint64_t i;
    padici_field_legacy_begin(&run.job, &desc->phi, &desc->phi, desc->mass_squared, desc->lambda,
                              desc->power);
    if (!padici_field_legacy_fits(&run.job)) return PADIC_ERROR_NOT_SUPPORTED;
    run.is_energy = 1;
    run.kernel = padici_field_legacy_kernel_of(simd->level, 1);
    padici_parallel(simd->env.jobs, (uint32_t)run.job.tasks, padici_field_legacy_run_task, &run);
    for (i = 0; i < run.job.tasks; i++) {
        sum[0] += run.job.sum[i][0];
        sum[1] += run.job.sum[i][1];
        sum[2] += run.job.sum[i][2];
    }
    least = 1e-26 * (double)run.job.rows * (double)run.job.count[2]; // squares keep their digits
    if (run.job.rows && !(sum[0] <= DBL_MAX && sum[1] >= least && sum[2] >= least &&
                          sum[1] <= DBL_MAX && sum[2] <= DBL_MAX))
        return PADIC_ERROR_NOT_SUPPORTED;
    padici_field_legacy_sums(&run.job, desc);
    return PADIC_OK;
}

// The loops of steps of the device's level.
PADICI_FN padic_result padici_simd_field_kernels(padici_simd *simd, void *choice_)
{
    padici_field_choice *choice = (padici_field_choice *)choice_;
#if PADICI_SIMD_X86
    if (simd->level > PADICI_SIMD_AVX2)
        choice->kernels = choice->is_double ? padici_simd_field_kernels_avx512_double()
                                            : padici_simd_field_kernels_avx512_float();
    else
        choice->kernels = choice->is_double ? padici_simd_field_kernels_avx2_double()
                                            : padici_simd_field_kernels_avx2_float();
#else
    (void)simd;
    choice->kernels = choice->is_double ? padici_simd_field_kernels_neon_double()
                                        : padici_simd_field_kernels_neon_float();
#endif
    return PADIC_OK;
}

#endif
