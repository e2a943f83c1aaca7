#include "field_grids.h"
#include "../../core/jobs.h"
#include "../../core/view.h"
#include "../../wave/grid.h"
#include "../../wave/phase_gradient.h"
#include "../../wave/source.h"
#include "../../wave/vortex.h"
#include "../../wave/winding.h"
#include "field_rows.h"
#include "kernels.h"

#if PADICI_IMPLEMENT_SIMD && !defined(PADIC_NO_WAVE) && (PADICI_SIMD_X86 || PADICI_SIMD_ARM)

// Fields on grids: slopes of the phase and charges, from neighbouring rows.

// Element k of a row of n, which may lie one beyond either end: then wrapped around, or the last
// one.
static const float *padici_wave_field_at(const float *row, uint64_t count, int64_t k, int around)
{
    const int64_t last = (int64_t)count - 1;
    if (k < 0) k = around ? last : 0;
    if (k > last) k = around ? 0 : last;
    return row + 2 * k;
}

// Copies elements k to k + n of a row to `space`, with zeros up to `whole`.
static const float *padici_wave_field_part(const float *row, uint64_t count, int64_t k, uint32_t n,
                                           uint32_t whole, int around, float *space)
{
    uint32_t j;
    if (k >= 0 && (uint64_t)k + whole <= count && n == whole) return row + 2 * k;
    for (j = 0; j < n; j++)
        memcpy(space + 2 * j, padici_wave_field_at(row, count, k + (int64_t)j, around), 8);
    memset(space + 2 * n, 0, 8 * (size_t)(whole - n));
    return space;
}

// Points k to k + n of a row: the slope along axis a.
static uint32_t padici_wave_field_slope(const padici_wave_field_grid *g, const uint64_t index[3],
                                        uint32_t n, uint32_t a, uint16_t *marks, float *slope)
{
    const padici_wave_grid_job *job = &g->job;
    const padic_wave_phase_gradient_desc *desc = job->gradient;
    const uint64_t k = index[g->last], count = job->count[g->last];
    const double step = desc->step[a] > 0 ? desc->step[a] : 1;
    const int around = (int)(job->periodic >> g->last & 1);
    const float *row = (const float *)desc->psi.data;
    float space[3][2 * PADICI_WAVE_FIELD_ROW];
    padici_wave_field_row f;
    uint32_t j, links = 2;
    for (j = 0; j < g->last; j++) row += 2 * (int64_t)index[j] * job->stride[j];
    memset(&f, 0, sizeof f);
    for (j = 0; j < 3; j++) { // left, here, right
        const float *from = row;
        int64_t way = 0, at = (int64_t)k;
        if (a == g->last) at += (int64_t)j - 1;
        else if (j != 1 && padici_wave_beside(job, index, a, j == 0, &way)) from += 2 * way;
        else if (j != 1) links--;
        f.z[j] =
            padici_wave_field_part(from, count, at, n, PADICI_WAVE_FIELD_ROW, around, space[j]);
    }
    f.marks[0] = marks;
    f.out = slope;
    f.count = PADICI_WAVE_FIELD_ROW;
    f.what = (uint32_t)desc->method;
    f.low = desc->floor;
    f.factor = (desc->scale != 0 ? desc->scale : 1) / step / (links ? links : 1);
    if (desc->method != PADIC_WAVE_PHASE_CURRENT) f.factor *= PADICI_TWO_PI;
    (*g->kernel)(&f);
    if (a == g->last && !around && count > 1) { // an open edge has a single link
        if (!k) slope[0] *= 2;
        if (k + n == count) slope[n - 1] *= 2;
    }
    return f.odd;
}

// The task's next part of a row: points *i to *i + n in C order, the first at index[]. 0: none
// left.
static uint32_t padici_wave_field_grid_next(const padici_wave_field_grid *g, uint32_t task,
                                            uint64_t *i, uint64_t index[3])
{
    const uint64_t count = g->job.count[g->last];
    uint64_t first, end, left;
    padici_wave_share(g->rows, g->tasks, task, &first, &end);
    if (first == end) return 0;
    left = *i == UINT64_MAX ? 0 : count - *i % count;
    *i = *i == UINT64_MAX ? first * count
                          : *i + (left < PADICI_WAVE_FIELD_ROW ? left : PADICI_WAVE_FIELD_ROW);
    if (*i >= end * count) return 0;
    padici_wave_grid_index(&g->job, *i, index);
    left = count - *i % count;
    return left < PADICI_WAVE_FIELD_ROW ? (uint32_t)left : PADICI_WAVE_FIELD_ROW;
}

static void padici_wave_field_slopes_task(void *arg, uint32_t task)
{
    const padici_wave_field_grid *g = (const padici_wave_field_grid *)arg;
    const padici_wave_grid_job *job = &g->job;
    const padic_wave_phase_gradient_desc *desc = job->gradient;
    uint64_t i = UINT64_MAX, index[3];
    uint32_t n;
    while ((n = padici_wave_field_grid_next(g, task, &i, index)) != 0) {
        float slope[3][PADICI_WAVE_FIELD_ROW], *to = (float *)desc->out.data;
        uint16_t marks[PADICI_WAVE_FIELD_ROW / 16];
        uint32_t a, j, odd = 0;
        for (a = 0; a < desc->psi.rank; a++)
            odd |= padici_wave_field_slope(g, index, n, a, marks, slope[a]);
        for (j = 0; j < n && odd; j++) padici_wave_gradient_point(job, task, i + j);
        if (odd) continue;
        for (a = 0; a < 3; a++) to += (int64_t)index[a] * job->out_stride[a];
        for (a = 0; a < desc->psi.rank; a++)
            for (j = 0; j < n; j++)
                to[(int64_t)j * job->out_stride[g->last] + (int64_t)a * job->out_stride[3]] =
                    slope[a][j];
        for (j = 0; j < n; j++) job->tallies[task].undefined += marks[j / 16] >> (j & 15) & 1u;
    }
}

static void padici_wave_field_grid_begin(padici_wave_field_grid *g, padici_wave_field_kernel kernel)
{
    g->kernel = kernel;
    g->last = g->job.psi->rank - 1;
    g->rows = g->job.points / (g->job.count[g->last] ? g->job.count[g->last] : 1);
    g->tasks = g->rows < PADICI_WAVE_SHARES ? g->rows : PADICI_WAVE_SHARES;
}

// 1 if the last axis is contiguous.
static int padici_wave_field_rows(const padic_tensor *t)
{
    int64_t stride[PADIC_MAX_RANK];
    padici_tensor_dense(t, stride);
    return t->shape[t->rank - 1] < 2 || stride[t->rank - 1] == 1;
}

PADICI_FN padic_result padici_simd_wave_phase_gradient(padici_simd *simd,
                                                       const padic_wave_phase_gradient_desc *desc)
{
    padici_wave_tally tallies[PADICI_WAVE_SHARES];
    padici_wave_field_grid g;
    uint32_t i;
    if (desc->psi.dtype != PADIC_C64 || desc->out.dtype != PADIC_F32 ||
        !padici_wave_field_rows(&desc->psi))
        return PADIC_ERROR_NOT_SUPPORTED;
    for (i = 0; i < desc->psi.rank; i++) { // the factors of slopes are normal numbers
        const double factor =
            (desc->scale != 0 ? desc->scale : 1) / (desc->step[i] > 0 ? desc->step[i] : 1);
        if (!(fabs(factor) >= 1e-300 && fabs(factor) <= 1e300)) return PADIC_ERROR_NOT_SUPPORTED;
    }
    padici_wave_gradient_begin(&g.job, desc, tallies);
    padici_wave_field_grid_begin(&g, padici_wave_field_of(simd->level, PADICI_WAVE_FIELD_SLOPE));
    padici_parallel(simd->env.jobs, (uint32_t)g.tasks, padici_wave_field_slopes_task, &g);
    padici_wave_gradient_skipped(&g.job, desc);
    return PADIC_OK;
}

// Squares k to k + n of a row, of orientation o.
static void padici_wave_field_charges(const padici_wave_field_grid *g, const uint64_t index[3],
                                      uint32_t n, uint32_t o,
                                      uint16_t (*marks)[PADICI_WAVE_FIELD_ROW / 16])
{
    static const uint32_t corner[4][2] = {{0, 0}, {1, 0}, {1, 1}, {0, 1}};
    const padici_wave_grid_job *job = &g->job;
    const uint32_t axes[2] = {(o + 1) % 3, (o + 2) % 3};
    const uint64_t k = index[g->last], count = job->count[g->last];
    const int around = (int)(job->periodic >> g->last & 1);
    const float *row = (const float *)job->psi->data;
    float space[4][2 * PADICI_WAVE_FIELD_ROW];
    padici_wave_field_row f;
    uint32_t c, j;
    for (j = 0; j < g->last; j++) row += 2 * (int64_t)index[j] * job->stride[j];
    memset(&f, 0, sizeof f);
    memset(marks, 0, 3 * sizeof *marks);
    for (c = 0; c < 4; c++) {
        const float *from = row;
        int64_t way, at = (int64_t)k;
        for (j = 0; j < 2; j++) {
            if (axes[j] == g->last) {
                at += corner[c][j];
                continue;
            }
            if (!padici_wave_beside(job, index, axes[j], 0, &way)) return; // none
            if (corner[c][j]) from += 2 * way;
        }
        f.z[c] =
            padici_wave_field_part(from, count, at, n, PADICI_WAVE_FIELD_ROW, around, space[c]);
    }
    for (j = 0; j < 3; j++) f.marks[j] = marks[j];
    f.count = PADICI_WAVE_FIELD_ROW;
    (*g->kernel)(&f);
    if (k + n == count && !around && (axes[0] == g->last || axes[1] == g->last)) // no square there
        for (j = 0; j < 3; j++)
            marks[j][(n - 1) / 16] &= (uint16_t)~(1u << ((n - 1) & 15));
}

static void padici_wave_field_charges_task(void *arg, uint32_t task)
{
    const padici_wave_field_grid *g = (const padici_wave_field_grid *)arg;
    const padici_wave_grid_job *job = &g->job;
    const padic_wave_winding_desc *desc = job->winding;
    padici_wave_tally *tally = &job->tallies[task];
    uint64_t i = UINT64_MAX, index[3];
    uint32_t n;
    while ((n = padici_wave_field_grid_next(g, task, &i, index)) != 0) {
        uint16_t marks[3][PADICI_WAVE_FIELD_ROW / 16];
        uint32_t o, a, j;
        for (o = desc->psi.rank == 2 ? 2 : 0; o < 3; o++) {
            int64_t to = (int64_t)o * job->out_stride[3];
            padici_wave_field_charges(g, index, n, o, marks);
            for (a = 0; a < 3; a++) to += (int64_t)index[a] * job->out_stride[a];
            for (j = 0; j < n; j++) {
                const int plus = marks[0][j / 16] >> (j & 15) & 1;
                const int minus = marks[1][j / 16] >> (j & 15) & 1;
                const int bad = marks[2][j / 16] >> (j & 15) & 1;
                if (desc->map.dtype != PADIC_DTYPE_NONE)
                    ((int8_t *)desc->map.data)[to + (int64_t)j * job->out_stride[g->last]] =
                        (int8_t)(plus - minus - 128 * bad);
                tally->total[o] += plus - minus;
                tally->absolute += (uint64_t)(plus + minus);
                tally->undefined += (uint64_t)bad;
            }
        }
    }
}

PADICI_FN padic_result padici_simd_wave_winding(padici_simd *simd,
                                                const padic_wave_winding_desc *desc)
{
    padici_wave_tally tallies[PADICI_WAVE_SHARES], sum;
    padici_wave_field_grid g;
    uint32_t i, o;
    if (desc->psi.dtype != PADIC_C64 || desc->defects.dtype || !padici_wave_field_rows(&desc->psi))
        return PADIC_ERROR_NOT_SUPPORTED;
    padici_wave_winding_begin(&g.job, desc, tallies);
    padici_wave_field_grid_begin(&g, padici_wave_field_of(simd->level, PADICI_WAVE_FIELD_CHARGE));
    padici_parallel(simd->env.jobs, (uint32_t)g.tasks, padici_wave_field_charges_task, &g);
    memset(&sum, 0, sizeof sum);
    for (i = 0; i < g.tasks; i++) {
        for (o = 0; o < 3; o++) sum.total[o] += tallies[i].total[o];
        sum.absolute += tallies[i].absolute;
        sum.undefined += tallies[i].undefined;
    }
    padici_wave_winding_results(desc, &sum);
    return PADIC_OK;
}

#endif
