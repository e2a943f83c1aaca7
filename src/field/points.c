#include "plan.h"
#include "../context/state.h"
#include "../core/jobs.h"
#include "../core/view.h"

#if PADICI_IMPLEMENT_FIELD

// Ways over all points: chunks that do not depend on the number of threads, whose sums are added in
// a fixed tree. And the first few of these: loads, stores, norms.

typedef struct padici_field_tasks {
    const padici_field_pass *pass;
    uint64_t count; // tasks
    uint32_t summed;
} padici_field_tasks;

static void padici_field_sums_begin(double *sums)
{
    uint32_t k;
    for (k = 0; k < PADICI_FIELD_SUMS; k++) sums[k] = k < PADICI_FIELD_ADDED ? 0 : -DBL_MAX;
}

static void padici_field_sums_join(double *sums, const double *more)
{
    uint32_t k;
    for (k = 0; k < PADICI_FIELD_ADDED; k++) sums[k] += more[k];
    for (; k < PADICI_FIELD_SUMS; k++)
        padici_field_largest(&sums[k], more[k]);
}

static void padici_field_row(const padici_field_pass *pass, uint64_t row, uint64_t from,
                             uint64_t to, double *sums)
{
    const padici_field_rules *rules = &pass->plan->rules;
    padici_field_piece piece;
    piece.at = row * rules->n[2] + from;
    piece.count = to - from;
    piece.i[0] = row / rules->n[1];
    piece.i[1] = row % rules->n[1];
    piece.i[2] = from;
    (*pass->piece)(pass, &piece, sums);
}

static void padici_field_chunk(const padici_field_pass *pass, uint64_t chunk, double *sums)
{
    const padici_field_rules *rules = &pass->plan->rules;
    const uint64_t all = rules->n[0] * rules->n[1];
    uint64_t row, end;
    padici_field_sums_begin(sums);
    if (rules->cuts > 1) {
        const uint64_t from = chunk % rules->cuts * PADICI_FIELD_CHUNK;
        end = from + PADICI_FIELD_CHUNK < rules->n[2] ? from + PADICI_FIELD_CHUNK : rules->n[2];
        padici_field_row(pass, chunk / rules->cuts, from, end, sums);
        return;
    }
    row = chunk * rules->rows;
    end = row + rules->rows < all ? row + rules->rows : all;
    for (; row < end; row++) padici_field_row(pass, row, 0, rules->n[2], sums);
}

static void padici_field_task(void *arg, uint32_t task)
{
    const padici_field_tasks *tasks = (const padici_field_tasks *)arg;
    const padic_field_plan *plan = tasks->pass->plan;
    const uint64_t chunks = plan->rules.chunks;
    uint64_t chunk = chunks / tasks->count * task;
    const uint64_t end = task + 1 == tasks->count ? chunks : chunk + chunks / tasks->count;
    double sums[PADICI_FIELD_SUMS];
    for (; chunk < end; chunk++) {
        padici_field_chunk(tasks->pass, chunk, sums);
        if (tasks->summed) memcpy(plan->part + chunk * PADICI_FIELD_SUMS, sums, sizeof sums);
    }
}

// `sums` NULL: they are not wanted.
PADICI_FN void padici_field_run(const padici_field_pass *pass, double sums[PADICI_FIELD_SUMS])
{
    const padic_field_plan *plan = pass->plan;
    const padic_jobs *jobs = padici_jobs(plan->context);
    const uint64_t chunks = plan->rules.chunks;
    padici_field_tasks tasks;
    uint64_t i, step;
    tasks.pass = pass;
    tasks.summed = sums != NULL;
    tasks.count = jobs && jobs->workers > 1 ? 4 * (uint64_t)jobs->workers : 1;
    if (tasks.count > chunks) tasks.count = chunks;
    padici_parallel(jobs, (uint32_t)tasks.count, padici_field_task, &tasks);
    if (!sums) return;
    for (step = 1; step < chunks; step *= 2)
        for (i = 0; i + step < chunks; i += 2 * step)
            padici_field_sums_join(plan->part + i * PADICI_FIELD_SUMS,
                                   plan->part + (i + step) * PADICI_FIELD_SUMS);
    memcpy(sums, plan->part, PADICI_FIELD_SUMS * sizeof *sums);
}

// ---- between the caller's memory and a plan's arrays

// Bytes from a view's first element to that of a piece, and from point to point. `lead`: axes of
// the view before those of the grid.
static int64_t padici_field_view_at(const padici_field_pass *pass, const padici_field_piece *piece,
                                    uint32_t lead, int64_t *step)
{
    const padici_field_rules *rules = &pass->plan->rules;
    const int64_t size = (int64_t)padic_dtype_size(pass->view->dtype);
    int64_t stride[PADIC_MAX_RANK], at = 0;
    uint32_t a;
    padici_tensor_dense(pass->view, stride);
    for (a = 0; a < rules->desc.dims; a++)
        at += (int64_t)piece->i[rules->first + a] * stride[lead + a];
    *step = stride[lead + rules->desc.dims - 1] * size;
    return at * size;
}

static double padici_field_get(const char *at, uint32_t is_double)
{
    return is_double ? *(const double *)(const void *)at : (double)*(const float *)(const void *)at;
}

static void padici_field_put(char *at, uint32_t is_double, double value)
{
    if (is_double) *(double *)(void *)at = value;
    else *(float *)(void *)at = (float)value;
}

static void padici_field_load_piece(const padici_field_pass *pass, const padici_field_piece *piece,
                                    double *sums)
{
    const padici_field_rules *rules = &pass->plan->rules;
    const uint32_t lead = (uint32_t)rules->planar + (rules->desc.batch > 0);
    const int64_t imaginary = (int64_t)pass->number[0];
    int64_t step, at = padici_field_view_at(pass, piece, lead, &step);
    double *out = pass->out + 2 * piece->at;
    uint64_t i;
    (void)sums;
    for (i = 0; i < piece->count; i++, at += step) {
        out[2 * i] = padici_field_get(pass->memory + at, rules->is_double);
        out[2 * i + 1] = padici_field_get(pass->memory + at + imaginary, rules->is_double);
    }
}

static void padici_field_store_piece(const padici_field_pass *pass,
                                     const padici_field_piece *piece, double *sums)
{
    const padici_field_rules *rules = &pass->plan->rules;
    const uint32_t lead = (uint32_t)rules->planar + (rules->desc.batch > 0);
    const int64_t imaginary = (int64_t)pass->number[0];
    int64_t step, at = padici_field_view_at(pass, piece, lead, &step);
    const double *in = pass->in + 2 * piece->at;
    uint64_t i;
    (void)sums;
    for (i = 0; i < piece->count; i++, at += step) {
        padici_field_put(pass->memory + at, rules->is_double, in[2 * i]);
        padici_field_put(pass->memory + at + imaginary, rules->is_double, in[2 * i + 1]);
    }
}

// A pass over one field of psi's view.
static void padici_field_view_pass(const padic_field_plan *plan, const padic_tensor *view,
                                   uint64_t field, padici_field_pass *pass)
{
    const int64_t size = (int64_t)padic_dtype_size(view->dtype);
    int64_t stride[PADIC_MAX_RANK];
    memset(pass, 0, sizeof *pass);
    padici_tensor_dense(view, stride);
    pass->plan = plan;
    pass->view = view;
    pass->memory = (char *)view->data;
    if (plan->rules.desc.batch)
        pass->memory += (int64_t)field * stride[plan->rules.planar] * size;
    pass->number[0] = (uint64_t)(plan->rules.planar ? stride[0] * size : size / 2);
}

PADICI_FN void padici_field_load(const padic_field_plan *plan, const padic_tensor *view,
                                 uint64_t field, double *out)
{
    padici_field_pass pass;
    padici_field_view_pass(plan, view, field, &pass);
    pass.piece = padici_field_load_piece;
    pass.out = out;
    padici_field_run(&pass, NULL);
}

PADICI_FN void padici_field_store(const padic_field_plan *plan, const padic_tensor *view,
                                  uint64_t field, const double *in)
{
    padici_field_pass pass;
    padici_field_view_pass(plan, view, field, &pass);
    pass.piece = padici_field_store_piece;
    pass.in = in;
    padici_field_run(&pass, NULL);
}

static void padici_field_real_piece(const padici_field_pass *pass, const padici_field_piece *piece,
                                    double *sums)
{
    const uint32_t is_double = pass->view->dtype == PADIC_F64;
    int64_t step, at = padici_field_view_at(pass, piece, 0, &step);
    uint64_t i;
    (void)sums;
    for (i = 0; i < piece->count; i++, at += step)
        pass->out[piece->at + i] = padici_field_get(pass->memory + at, is_double);
}

PADICI_FN void padici_field_load_real(const padic_field_plan *plan, const padic_tensor *view,
                                      double *out)
{
    padici_field_pass pass;
    memset(&pass, 0, sizeof pass);
    pass.plan = plan;
    pass.view = view;
    pass.memory = (char *)view->data;
    pass.out = out;
    pass.piece = padici_field_real_piece;
    padici_field_run(&pass, NULL);
}

// ---- arrays of a plan

PADICI_FN void padici_field_copy(const padic_field_plan *plan, const double *in, double *out)
{
    memcpy(out, in, (size_t)plan->rules.points * 2 * sizeof *out);
}

static void padici_field_norm_piece(const padici_field_pass *pass, const padici_field_piece *piece,
                                    double *sums)
{
    const double *in = pass->in + 2 * piece->at;
    double sum = 0;
    uint64_t i;
    for (i = 0; i < piece->count; i++) sum += in[2 * i] * in[2 * i] + in[2 * i + 1] * in[2 * i + 1];
    sums[0] += sum;
}

PADICI_FN double padici_field_norm(const padic_field_plan *plan, const double *psi)
{
    padici_field_pass pass;
    double sums[PADICI_FIELD_SUMS];
    memset(&pass, 0, sizeof pass);
    pass.plan = plan;
    pass.in = psi;
    pass.piece = padici_field_norm_piece;
    padici_field_run(&pass, sums);
    return sums[0] * plan->rules.volume;
}

static void padici_field_scale_piece(const padici_field_pass *pass,
                                     const padici_field_piece *piece, double *sums)
{
    double *out = pass->out + 2 * piece->at;
    uint64_t i;
    (void)sums;
    for (i = 0; i < 2 * piece->count; i++) out[i] *= pass->value[0];
}

PADICI_FN void padici_field_scale(const padic_field_plan *plan, double factor, double *psi)
{
    padici_field_pass pass;
    memset(&pass, 0, sizeof pass);
    pass.plan = plan;
    pass.out = psi;
    pass.value[0] = factor;
    pass.piece = padici_field_scale_piece;
    padici_field_run(&pass, NULL);
}

#endif
