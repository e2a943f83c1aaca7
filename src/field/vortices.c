#include "../context/messages.h"
#include "../context/ops.h"
#include "../core/crossing.h"
#include "../core/jobs.h"
#include "../core/view.h"
#include "number.h"
#include "vortices.h"

#if PADICI_IMPLEMENT_FIELD

// Vortices: squares about which the phase winds, cores inside, tracks from list to list.

typedef struct padici_field_vortex_core {
    double place[2]; // in the cell, 0 to 1
    double density;
} padici_field_vortex_core;

// Items of a task.
static void padici_field_vortex_share(uint64_t items, uint64_t tasks, uint32_t task,
                                      uint64_t *first, uint64_t *end)
{
    const uint64_t each = items / tasks, more = items % tasks;
    *first = each * task + (task < more ? task : more);
    *end = *first + each + (task < more);
}

// The corners of a square, in the order of its boundary; 0: it has an open edge.
static int padici_field_vortex_corners(const padici_field_vortex_job *job, const uint64_t index[3],
                                       int64_t at, uint32_t orientation, double z[4][2])
{
    int64_t way[2];
    uint32_t i;
    for (i = 0; i < 2; i++) {
        const uint32_t axis = (orientation + 1 + i) % 3;
        way[i] = job->stride[axis];
        if (index[axis] + 1 < job->count[axis]) continue;
        if (!(job->periodic >> axis & 1)) return 0;
        way[i] = -job->stride[axis] * (int64_t)(job->count[axis] - 1);
    }
    padici_field_number_get(&job->desc->psi, at, z[0]);
    padici_field_number_get(&job->desc->psi, at + way[0], z[1]);
    padici_field_number_get(&job->desc->psi, at + way[0] + way[1], z[2]);
    padici_field_number_get(&job->desc->psi, at + way[1], z[3]);
    return 1;
}

// The charge of a square; 2: it has none.
static int padici_field_vortex_charge(const double z[4][2])
{
    int i, charge = 0, above = 0;
    for (i = 0; i < 4; i++) {
        if ((z[i][0] == 0 && z[i][1] == 0) || !padici_field_number_finite(z[i][0]) ||
            !padici_field_number_finite(z[i][1]))
            return 2;
        above += z[i][1] >= 0;
    }
    if (above == 0 || above == 4) return 0;
    for (i = 0; i < 4; i++) charge += padici_crossing(z[i], z[(i + 1) & 3]);
    return charge;
}

// The roots of c0 + c1 u + c2 u^2.
static uint32_t padici_field_vortex_roots(const double c[3], double u[2])
{
    const double disc = c[1] * c[1] - 4 * c[0] * c[2];
    const double q = -0.5 * (c[1] + (c[1] < 0 ? -sqrt(disc) : sqrt(disc)));
    uint32_t n = 0;
    if (!(disc >= 0)) return 0;
    if (c[2] != 0) u[n++] = q / c[2];
    if (q != 0) u[n++] = c[0] / q;
    return n;
}

// Im(conj(a) b).
static double padici_field_vortex_cross(const double a[2], const double b[2])
{
    return a[0] * b[1] - a[1] * b[0];
}

// The core: a + b u + c v + d u v = 0, whose imaginary part over c + d u is a quadratic of u.
static void padici_field_vortex_core_of(const double corner[4][2], int charge,
                                        padici_field_vortex_core *core)
{
    double z[4][2], a[2], b[2], c[2], d[2], k[3], u[2], most = 0, sum = 0;
    int i, j, power;
    uint32_t n, found = 0;
    core->place[0] = core->place[1] = 0.5;
    for (i = 0; i < 4; i++)
        for (j = 0; j < 2; j++) {
            if (fabs(corner[i][j]) > most) most = fabs(corner[i][j]);
            sum += 0.25 * corner[i][j] * corner[i][j];
        }
    core->density = sum;
    (void)frexp(most, &power);
    for (i = 0; i < 4; i++)
        for (j = 0; j < 2; j++) z[i][j] = ldexp(corner[i][j], -power);
    for (j = 0; j < 2; j++) {
        a[j] = z[0][j];
        b[j] = z[1][j] - z[0][j];
        c[j] = z[3][j] - z[0][j];
        d[j] = z[2][j] - z[1][j] - c[j];
    }
    k[0] = padici_field_vortex_cross(c, a);
    k[1] = padici_field_vortex_cross(d, a) + padici_field_vortex_cross(c, b);
    k[2] = padici_field_vortex_cross(d, b);
    for (n = padici_field_vortex_roots(k, u); n--;) {
        const double e[2] = {c[0] + d[0] * u[n], c[1] + d[1] * u[n]};
        const double v = -((a[0] + b[0] * u[n]) * e[0] + (a[1] + b[1] * u[n]) * e[1]) /
                         (e[0] * e[0] + e[1] * e[1]);
        const double f[2] = {b[0] + d[0] * v, b[1] + d[1] * v};
        const int same = padici_field_vortex_cross(f, e) * charge > 0; // the sign of the Jacobian
        if (!(u[n] >= 0 && u[n] <= 1 && v >= 0 && v <= 1) || (found && !same)) continue;
        core->place[0] = u[n];
        core->place[1] = v;
        found = 1;
    }
}

static void padici_field_vortex_put(const padic_tensor *t, uint64_t row, uint32_t column,
                                    const void *word)
{
    int64_t stride[PADIC_MAX_RANK];
    padici_tensor_dense(t, stride);
    memcpy((char *)t->data +
               8 * ((int64_t)row * stride[0] + (t->rank == 2 ? column * stride[1] : 0)),
           word, 8);
}

static void padici_field_vortex_get(const padic_tensor *t, uint64_t row, uint32_t column,
                                    void *word)
{
    int64_t stride[PADIC_MAX_RANK];
    padici_tensor_dense(t, stride);
    memcpy(word,
           (const char *)t->data +
               8 * ((int64_t)row * stride[0] + (t->rank == 2 ? column * stride[1] : 0)),
           8);
}

// Writes a row of the lists.
static void padici_field_vortex_list(const padici_field_vortex_job *job, uint64_t row,
                                     const uint64_t index[3], uint32_t orientation, int charge,
                                     const double z[4][2])
{
    const padic_field_vortices_desc *desc = job->desc;
    padici_field_vortex_core core;
    int64_t cell[3];
    uint32_t i;
    cell[0] = (int64_t)((index[0] * job->count[1] + index[1]) * job->count[2] + index[2]);
    cell[1] = orientation;
    cell[2] = charge;
    for (i = 0; i < 3 && desc->cells.dtype != PADIC_DTYPE_NONE; i++)
        padici_field_vortex_put(&desc->cells, row, i, &cell[i]);
    padici_field_vortex_core_of(z, charge, &core);
    for (i = 0; i < job->rank && desc->positions.dtype != PADIC_DTYPE_NONE; i++) {
        double x = (double)index[i];
        if (i != orientation) x += core.place[i != (orientation + 1) % 3];
        x = job->origin[i] + x * job->spacing[i];
        padici_field_vortex_put(&desc->positions, row, i, &x);
    }
    if (desc->density.dtype != PADIC_DTYPE_NONE)
        padici_field_vortex_put(&desc->density, row, 0, &core.density);
}

static void padici_field_vortex_task(void *arg, uint32_t task)
{
    padici_field_vortex_job *job = (padici_field_vortex_job *)arg;
    padici_field_vortex_tally *tally = &job->tally[task];
    uint64_t i, end, row = tally->first, index[3];
    double z[4][2];
    uint32_t o;
    if (job->filling && (!tally->count || tally->first >= job->rows)) return;
    padici_field_vortex_share(job->points, job->tasks, task, &i, &end);
    for (; i < end; i++) {
        int64_t at = 0;
        index[2] = i % job->count[2];
        index[1] = i / job->count[2] % job->count[1];
        index[0] = i / job->count[2] / job->count[1];
        for (o = 0; o < 3; o++) at += (int64_t)index[o] * job->stride[o];
        for (o = job->rank == 2 ? 2 : 0; o < 3; o++) {
            int charge;
            if (!padici_field_vortex_corners(job, index, at, o, z)) continue;
            charge = padici_field_vortex_charge((const double (*)[2])z);
            if (!charge || (job->filling && charge == 2)) continue;
            if (job->filling) {
                if (row < job->rows)
                    padici_field_vortex_list(job, row, index, o, charge, (const double (*)[2])z);
                row++;
            } else if (charge == 2) {
                tally->undefined++;
            } else {
                tally->total[o] += charge;
                tally->count++;
            }
        }
    }
}

// The square of the distance of two cores, the shorter way round where periodic.
static double padici_field_vortex_distance(const padici_field_vortex_job *job, const double a[3],
                                           const double b[3])
{
    double sum = 0;
    uint32_t i;
    for (i = 0; i < job->rank; i++) {
        const double box = (double)job->count[i] * job->spacing[i];
        double x = a[i] - b[i];
        if (job->periodic >> i & 1) x -= box * floor(x / box + 0.5);
        sum += x * x;
    }
    return sum;
}

static void padici_field_vortex_link_task(void *arg, uint32_t task)
{
    padici_field_vortex_job *job = (padici_field_vortex_job *)arg;
    const padic_field_vortices_desc *desc = job->desc;
    const double reach = desc->reach > 0 ? desc->reach * desc->reach : DBL_MAX;
    uint64_t row, end, last;
    uint32_t i;
    padici_field_vortex_share(job->rows, job->link_tasks, task, &row, &end);
    for (; row < end; row++) {
        int64_t cell[2], other[2], link = -1;
        double x[3] = {0, 0, 0}, y[3] = {0, 0, 0}, best = reach;
        for (i = 0; i < 2; i++) padici_field_vortex_get(&desc->cells, row, i + 1, &cell[i]);
        for (i = 0; i < job->rank; i++) padici_field_vortex_get(&desc->positions, row, i, &x[i]);
        for (last = 0; last < desc->last_cells.shape[0]; last++) {
            double distance;
            for (i = 0; i < 2; i++)
                padici_field_vortex_get(&desc->last_cells, last, i + 1, &other[i]);
            if (cell[0] != other[0] || cell[1] != other[1]) continue;
            for (i = 0; i < job->rank; i++)
                padici_field_vortex_get(&desc->last_positions, last, i, &y[i]);
            distance = padici_field_vortex_distance(job, x, y);
            if (!(link < 0 ? distance <= best : distance < best)) continue;
            best = distance;
            link = (int64_t)last;
        }
        padici_field_vortex_put(&desc->links, row, 0, &link);
        job->linked[task] += link >= 0;
    }
}

PADICI_FN void padici_field_vortex_begin(padici_field_vortex_job *job,
                                         const padic_field_vortices_desc *desc)
{
    static const double inset[3] = {0, 1, 0.5}; // of the first point, in steps, by boundary
    int64_t stride[PADIC_MAX_RANK];
    uint32_t i;
    memset(job, 0, sizeof *job);
    job->desc = desc;
    job->rank = desc->psi.rank;
    job->points = 1;
    padici_tensor_dense(&desc->psi, stride);
    for (i = 0; i < 3; i++) {
        const int there = i < job->rank;
        const double steps = there ? (double)desc->psi.shape[i] : 1;
        job->count[i] = there ? desc->psi.shape[i] : 1;
        job->stride[i] = there ? stride[i] : 0;
        job->points *= job->count[i];
        if (!there) continue;
        job->spacing[i] = desc->spacing[i] > 0 ? desc->spacing[i] : 1;
        job->origin[i] = desc->origin[i];
        if (desc->origin[i] == 0 && !(desc->flags & PADIC_FIELD_ORIGIN_GIVEN))
            job->origin[i] = -0.5 * job->spacing[i] *
                             (steps + (desc->boundary[i] == PADIC_FIELD_BOUNDARY_DIRICHLET));
        job->origin[i] += inset[desc->boundary[i]] * job->spacing[i];
        if (desc->boundary[i] == PADIC_FIELD_BOUNDARY_PERIODIC) job->periodic |= 1u << i;
    }
    job->tasks = (job->points + 1023) / 1024;
    if (job->tasks > PADICI_FIELD_VORTEX_TASKS) job->tasks = PADICI_FIELD_VORTEX_TASKS;
}

// The rows that the lists have; UINT64_MAX: there is none.
PADICI_FN uint64_t padici_field_vortex_rows(const padic_field_vortices_desc *desc)
{
    if (desc->cells.dtype != PADIC_DTYPE_NONE) return desc->cells.shape[0];
    if (desc->positions.dtype != PADIC_DTYPE_NONE) return desc->positions.shape[0];
    if (desc->density.dtype != PADIC_DTYPE_NONE) return desc->density.shape[0];
    return UINT64_MAX;
}

// The report of a call whose lists have so many rows.
PADICI_FN padic_result padici_field_vortex_end(const padic_env *env, uint64_t rows,
                                               const padic_field_vortices_report *report,
                                               const padic_field_vortices_desc *desc)
{
    if (desc->report) *desc->report = *report;
    if (rows >= report->count) return PADIC_OK;
    return padici_env_fail(env, PADIC_ERROR_CAPACITY,
                           "there are more vortices than rows: see report.count");
}

PADICI_FN padic_result padici_field_vortices_host(const padic_env *env, const void *desc_)
{
    const padic_field_vortices_desc *desc = (const padic_field_vortices_desc *)desc_;
    const padic_jobs *jobs = padici_env_jobs(env);
    const uint64_t rows = padici_field_vortex_rows(desc);
    padic_field_vortices_report report;
    padici_field_vortex_job job;
    uint64_t i;
    uint32_t o;
    memset(&report, 0, sizeof report);
    padici_field_vortex_begin(&job, desc);
    padici_parallel(jobs, (uint32_t)job.tasks, padici_field_vortex_task, &job);
    for (i = 0; i < job.tasks; i++) {
        for (o = 0; o < 3; o++) report.total[o] += job.tally[i].total[o];
        report.undefined += job.tally[i].undefined;
        job.tally[i].first = report.count;
        report.count += job.tally[i].count;
    }
    if (rows != UINT64_MAX) {
        job.filling = 1;
        job.rows = report.count < rows ? report.count : rows;
        padici_parallel(jobs, (uint32_t)job.tasks, padici_field_vortex_task, &job);
        if (desc->links.dtype != PADIC_DTYPE_NONE) {
            job.link_tasks = job.rows < PADICI_FIELD_VORTEX_TASKS ? (uint32_t)job.rows
                                                                  : PADICI_FIELD_VORTEX_TASKS;
            padici_parallel(jobs, job.link_tasks, padici_field_vortex_link_task, &job);
            for (i = 0; i < job.link_tasks; i++) report.linked += job.linked[i];
        }
    }
    return padici_field_vortex_end(env, rows, &report, desc);
}

// A list of K rows, optional; sets or compares *rows.
static padic_result padici_field_vortex_check_list(padic_context *context, const padic_tensor *t,
                                                   padic_dtype dtype, uint32_t columns,
                                                   uint64_t *rows, const char *name)
{
    if (t->dtype == PADIC_DTYPE_NONE) return PADIC_OK;
    if (t->dtype != dtype)
        return padici_fail_field(context, PADIC_ERROR_DTYPE, name,
                                 dtype == PADIC_I64 ? "is not i64" : "is not f64");
    if (t->rank != (columns ? 2u : 1u) || (columns && t->shape[1] != columns))
        return padici_fail_field(context, PADIC_ERROR_MISMATCH, name,
                                 columns == 3   ? "is not (K, 3)"
                                 : columns == 2 ? "is not (K, 2)"
                                                : "is not (K)");
    if (*rows != UINT64_MAX && t->shape[0] != *rows)
        return padici_fail_field(context, PADIC_ERROR_MISMATCH, name,
                                 "has not as many rows as the list before it");
    *rows = t->shape[0];
    return PADIC_OK;
}

static padic_result padici_field_vortex_check_lists(padic_context *context,
                                                    const padic_field_vortices_desc *desc)
{
    const uint32_t rank = desc->psi.rank;
    uint64_t rows = UINT64_MAX, last = UINT64_MAX;
    padic_result result =
        padici_field_vortex_check_list(context, &desc->cells, PADIC_I64, 3, &rows, "cells");
    if (!result)
        result = padici_field_vortex_check_list(context, &desc->positions, PADIC_F64, rank, &rows,
                                                "positions");
    if (!result)
        result = padici_field_vortex_check_list(context, &desc->density, PADIC_F64, 0, &rows,
                                                "density");
    if (!result)
        result = padici_field_vortex_check_list(context, &desc->links, PADIC_I64, 0, &rows,
                                                "links");
    if (!result)
        result = padici_field_vortex_check_list(context, &desc->last_cells, PADIC_I64, 3, &last,
                                                "last_cells");
    if (!result)
        result = padici_field_vortex_check_list(context, &desc->last_positions, PADIC_F64, rank,
                                                &last, "last_positions");
    if (result || desc->links.dtype == PADIC_DTYPE_NONE) return result;
    if (desc->cells.dtype == PADIC_DTYPE_NONE || desc->positions.dtype == PADIC_DTYPE_NONE ||
        desc->last_cells.dtype == PADIC_DTYPE_NONE ||
        desc->last_positions.dtype == PADIC_DTYPE_NONE)
        return padici_fail_here(context, PADIC_ERROR_ARGUMENT,
                                "links needs cells, positions, last_cells and last_positions");
    return PADIC_OK;
}

PADICI_FN padic_result padici_field_vortices_check(padic_context *context, const void *desc_)
{
    const padic_field_vortices_desc *desc = (const padic_field_vortices_desc *)desc_;
    uint32_t i;
    if (desc->psi.dtype != PADIC_C64 && desc->psi.dtype != PADIC_C128)
        return padici_fail_here(context, PADIC_ERROR_DTYPE, "psi is not c64 or c128");
    if (desc->psi.rank != 2 && desc->psi.rank != 3)
        return padici_fail_here(context, PADIC_ERROR_MISMATCH, "psi is not of rank 2 or 3");
    for (i = 0; i < desc->psi.rank; i++) {
        if ((uint32_t)desc->boundary[i] > PADIC_FIELD_BOUNDARY_NEUMANN)
            return padici_fail_here(context, PADIC_ERROR_ARGUMENT,
                                    "boundary has no padic_field_boundary");
        if (!(desc->spacing[i] >= 0) || !padici_field_number_finite(desc->spacing[i]) ||
            !padici_field_number_finite(desc->origin[i]))
            return padici_fail_here(context, PADIC_ERROR_ARGUMENT,
                                    "spacing is negative, or spacing or origin is not finite");
    }
    if (desc->flags & ~(uint32_t)PADIC_FIELD_ORIGIN_GIVEN)
        return padici_fail_here(context, PADIC_ERROR_ARGUMENT, "flags has an unknown bit");
    if (!(desc->reach >= 0))
        return padici_fail_here(context, PADIC_ERROR_ARGUMENT, "reach is negative or not a number");
    return padici_field_vortex_check_lists(context, desc);
}

PADICI_FN uint32_t padici_field_vortices_operands(void *desc_, padici_operand *operands)
{
    static const char *const names[7] = {"psi",       "last_cells", "last_positions", "cells",
                                         "positions", "density",    "links"};
    padic_field_vortices_desc *desc = (padic_field_vortices_desc *)desc_;
    padic_tensor *tensors[7];
    uint32_t i, n = 0;
    tensors[0] = &desc->psi;
    tensors[1] = &desc->last_cells;
    tensors[2] = &desc->last_positions;
    tensors[3] = &desc->cells;
    tensors[4] = &desc->positions;
    tensors[5] = &desc->density;
    tensors[6] = &desc->links;
    for (i = 0; i < 7; i++) {
        if (i && tensors[i]->dtype == PADIC_DTYPE_NONE) continue;
        operands[n].name = names[i];
        operands[n].tensor = tensors[i];
        operands[n].any_stride = i < 3;
        operands[n++].out = i < 3 ? 0 : 2; // rows beyond the last vortex stay
    }
    return padici_operand_host(operands, n, desc->report);
}

#endif
