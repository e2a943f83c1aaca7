#include "winding.h"
#include "../context/ops.h"
#include "../context/state.h"
#include "../core/crossing.h"
#include "../core/jobs.h"
#include "../core/view.h"
#include "check.h"
#include "output.h"
#include "source.h"
#include "vortex.h"

#if PADICI_IMPLEMENT_WAVE

// Charges: windings of the phase around the squares of a grid, from exact signs of cross products.

static int padici_wave_crossing(padici_complex a, padici_complex b)
{
    double from[2], to[2];
    if ((a.im >= 0) == (b.im >= 0)) return 0;
    from[0] = a.re;
    from[1] = a.im;
    to[0] = b.re;
    to[1] = b.im;
    return padici_crossing(from, to);
}

// The charge of a square; 2: it has none.
static int padici_wave_square(const padici_wave_grid_job *job, const uint64_t index[3],
                              uint32_t orientation)
{
    const uint32_t a = (orientation + 1) % 3, b = (orientation + 2) % 3;
    padici_complex z[4];
    int64_t at = 0, along, across;
    int i, charge = 0;
    if (!padici_wave_beside(job, index, a, 0, &along)) return 0;
    if (!padici_wave_beside(job, index, b, 0, &across)) return 0;
    for (i = 0; i < 3; i++) at += (int64_t)index[i] * job->stride[i];
    z[0] = padici_wave_load(job->psi, at);
    z[1] = padici_wave_load(job->psi, at + along);
    z[2] = padici_wave_load(job->psi, at + along + across);
    z[3] = padici_wave_load(job->psi, at + across);
    for (i = 0; i < 4; i++)
        if ((z[i].re == 0 && z[i].im == 0) || !padici_wave_finite(z[i].re) ||
            !padici_wave_finite(z[i].im))
            return 2;
    for (i = 0; i < 4; i++) charge += padici_wave_crossing(z[i], z[(i + 1) & 3]);
    return charge;
}

static void padici_wave_winding_task(void *arg, uint32_t task)
{
    const padici_wave_grid_job *job = (const padici_wave_grid_job *)arg;
    const padic_wave_winding_desc *desc = job->winding;
    padici_wave_tally *tally = &job->tallies[task];
    uint64_t i, end, index[3];
    uint32_t o, a;
    padici_wave_share(job->points, job->tasks, task, &i, &end);
    for (; i < end; i++) {
        padici_wave_grid_index(job, i, index);
        for (o = desc->psi.rank == 2 ? 2 : 0; o < 3; o++) {
            const int charge = padici_wave_square(job, index, o);
            int64_t to = (int64_t)o * job->out_stride[3];
            for (a = 0; a < 3; a++) to += (int64_t)index[a] * job->out_stride[a];
            if (job->filling) {
                const uint64_t row = tally->listed;
                int64_t *defect;
                if (charge == 0 || charge == 2) continue;
                tally->listed++;
                if (row >= desc->defects.shape[0]) continue;
                defect = (int64_t *)desc->defects.data + 3 * row;
                defect[0] = (int64_t)i;
                defect[1] = (int64_t)o;
                defect[2] = charge;
                continue;
            }
            if (desc->map.dtype != PADIC_DTYPE_NONE)
                ((int8_t *)desc->map.data)[to] = (int8_t)(charge == 2 ? -128 : charge);
            if (charge == 2) {
                tally->undefined++;
            } else if (charge) {
                tally->total[o] += charge;
                tally->absolute++;
                tally->listed++;
            }
        }
    }
}

PADICI_FN void padici_wave_winding_results(const padic_wave_winding_desc *desc,
                                           const padici_wave_tally *sum)
{
    if (!desc->report) return;
    memcpy(desc->report->total, sum->total, sizeof sum->total);
    desc->report->absolute = sum->absolute;
    desc->report->undefined = sum->undefined;
}

PADICI_FN void padici_wave_winding_begin(padici_wave_grid_job *job,
                                         const padic_wave_winding_desc *desc,
                                         padici_wave_tally *tallies)
{
    const uint32_t lead = desc->psi.rank == 3;
    int64_t stride[PADIC_MAX_RANK];
    uint32_t i;
    padici_wave_grid_begin(job, &desc->psi, desc->periodic, tallies);
    job->winding = desc;
    padici_tensor_dense(&desc->map, stride);
    for (i = 0; i < desc->psi.rank; i++) job->out_stride[i] = stride[i + lead];
    if (lead) job->out_stride[3] = stride[0];
}

PADICI_FN padic_result padici_wave_winding_host(const padic_env *env, const void *desc_)
{
    const padic_wave_winding_desc *desc = (const padic_wave_winding_desc *)desc_;
    padici_wave_tally tallies[PADICI_WAVE_SHARES], sum;
    padici_wave_grid_job job;
    uint32_t i, o;
    padici_wave_winding_begin(&job, desc, tallies);
    padici_parallel(padici_env_jobs(env), (uint32_t)job.tasks, padici_wave_winding_task, &job);
    memset(&sum, 0, sizeof sum);
    for (i = 0; i < job.tasks; i++) {
        for (o = 0; o < 3; o++) sum.total[o] += tallies[i].total[o];
        sum.absolute += tallies[i].absolute;
        sum.undefined += tallies[i].undefined;
        tallies[i].listed = sum.absolute - tallies[i].listed; // where its part of the list begins
    }
    job.filling = 1;
    if (desc->defects.dtype != PADIC_DTYPE_NONE)
        padici_parallel(padici_env_jobs(env), (uint32_t)job.tasks, padici_wave_winding_task, &job);
    padici_wave_winding_results(desc, &sum);
    return PADIC_OK;
}

PADICI_FN padic_result padici_wave_winding_check(padic_context *context, const void *desc_)
{
    const padic_wave_winding_desc *desc = (const padic_wave_winding_desc *)desc_;
    const padic_tensor *psi = &desc->psi, *map = &desc->map, *list = &desc->defects;
    const uint32_t lead = psi->rank == 3;
    int64_t stride[PADIC_MAX_RANK];
    uint32_t i;
    if (psi->dtype != PADIC_C64 && psi->dtype != PADIC_C128)
        return padici_wave_bad(context, PADIC_ERROR_DTYPE, "psi is not c64 or c128");
    if (psi->rank != 2 && psi->rank != 3)
        return padici_wave_bad(context, PADIC_ERROR_MISMATCH, "psi is not of rank 2 or 3");
    if (desc->periodic >> psi->rank)
        return padici_wave_bad(context, PADIC_ERROR_ARGUMENT, "periodic has an unknown bit");
    if (list->dtype != PADIC_DTYPE_NONE && list->dtype != PADIC_I64)
        return padici_wave_bad(context, PADIC_ERROR_DTYPE, "defects is not i64");
    if (list->dtype != PADIC_DTYPE_NONE && (list->rank != 2 || list->shape[1] != 3))
        return padici_wave_bad(context, PADIC_ERROR_MISMATCH, "defects is not (K, 3)");
    padici_tensor_dense(list, stride);
    if (list->dtype != PADIC_DTYPE_NONE && (stride[0] != 3 || stride[1] != 1))
        return padici_wave_bad(context, PADIC_ERROR_ARGUMENT, "defects is not dense");
    if (map->dtype == PADIC_DTYPE_NONE) return PADIC_OK;
    if (map->dtype != PADIC_I8)
        return padici_wave_bad(context, PADIC_ERROR_DTYPE, "map is not i8");
    for (i = 0; i < psi->rank && map->rank == psi->rank + lead; i++)
        if (map->shape[i + lead] != psi->shape[i]) break;
    if (i < psi->rank || (lead && map->shape[0] != 3))
        return padici_wave_bad(context, PADIC_ERROR_MISMATCH,
                               lead ? "map is not (3) and psi's shape" : "map has not psi's shape");
    return PADIC_OK;
}

#endif
