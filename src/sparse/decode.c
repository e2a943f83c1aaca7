#include "decode.h"
#include "../context/messages.h"
#include "../core/view.h"
#include "../core/words.h"
#include "../num/array.h"
#include "../num/cell.h"
#include "../num/ring.h"
#include "../num/task.h"
#include "source.h"

#if PADICI_IMPLEMENT_SPARSE

// Decoding and products go by rows.

// The last row of a task, exclusive.
PADICI_FN uint64_t padici_sparse_end_row(const padici_sparse_job *job, uint32_t task)
{
    const uint64_t begin = task * job->step;
    return job->m.rows - begin < job->step ? job->m.rows : begin + job->step;
}

// Runs the tasks (one if `alone`); all their bad[] together.
PADICI_FN PADICI_NOINLINE uint32_t padici_sparse_rows(padic_context *context,
                                                      padici_sparse_job *job, int alone,
                                                      void (*fn)(void *arg, uint32_t task))
{
    const uint64_t rows = job->m.rows;
    uint32_t i, bad = 0;
    job->step = alone ? rows : rows < 64 * 64 ? 64 : (rows + 63) / 64;
    if (rows)
        padici_parallel(padici_jobs(context), (uint32_t)((rows + job->step - 1) / job->step), fn,
                        job);
    for (i = 0; i < PADICI_JOBS_AT_ONCE; i++) bad |= job->bad[i];
    return bad;
}

PADICI_FN PADICI_NOINLINE padic_result padici_sparse_job_begin(padic_context *context,
                                                               padici_sparse_job *job,
                                                               const padic_sparse_csr *csr)
{
    padic_result result;
    memset(job, 0, sizeof *job);
    job->csr = csr;
    if ((result = padici_sparse_open(context, csr, &job->m)) != PADIC_OK) return result;
    job->call.a.val = job->m.val;
    job->call.a.val16 = job->m.size[3] == 2;
    return result;
}

// An array for the numbers of a matrix: its planes, and status if it is `out`.
PADICI_FN padic_result padici_sparse_array(padic_context *context, padici_sparse_job *job,
                                           const padic_num_array *a, uint64_t count,
                                           const char *field, int out)
{
    const padic_num_ring *r = a->ring;
    const padic_sparse_csr *csr = job->csr;
    void *p = NULL;
    padic_result result;
    if (!padici_num_ring_is(r))
        return padici_blame(context, PADIC_ERROR_ARGUMENT, field, "ring",
                            "was not made by num_ring_init");
    if (r->composite && a->model)
        return padici_blame(context, PADIC_ERROR_NOT_SUPPORTED, field, "ring",
                            "has a radix that is no prime");
    if (r->p != csr->p || r->precision != csr->precision || r->form != csr->form ||
        (csr->kind == PADIC_SPARSE_KIND_NUMBERS &&
         (r->unit_size != job->m.size[2] || r->words != csr->words)))
        return padici_blame(context, PADIC_ERROR_RING, field, "ring",
                            "is another than that of the matrix");
    if (a->model != (csr->val_of ? PADIC_NUM_FLOAT : PADIC_NUM_RING))
        return padici_blame(context, PADIC_ERROR_RING, field, "model",
                            "must be FLOAT where the matrix has valuations, else RING");
    if (a->count != count)
        return padici_blame(context, PADIC_ERROR_MISMATCH, field, "count",
                            "is not what the matrix asks for");
    result = padici_num_planes_of(context, a, out ? &job->call.out : &job->call.b);
    if (result) padici_blame(context, result, field, NULL, NULL);
    if (result || !out) return result;
    job->call.ring = r;
    job->call.model = a->model;
    job->call.workspace = a->workspace;
    if (r->form == PADIC_NUM_RX &&
        (!a->workspace || a->workspace_size < padic_num_workspace(r)))
        return padici_blame(context, PADIC_ERROR_CAPACITY, field, "workspace",
                            "is missing or too small: see num_workspace");
    if (r->form == PADIC_NUM_RX && !padici_aligned(a->workspace, 8))
        return padici_blame(context, PADIC_ERROR_ALIGNMENT, field, "workspace", NULL);
    if (a->status.dtype) {
        result = padici_num_plane_add(context, NULL, &a->status, count, 1u << PADIC_U8, 0, 1, &p);
        padici_blame(context, result, field, "status", NULL);
    }
    job->call.status = (uint8_t *)p;
    if (!result && a->sticky_word.dtype) {
        result = padici_num_plane_add(context, NULL, &a->sticky_word, 1, 1u << PADIC_U32, 0, 1, &p);
        padici_blame(context, result, field, "sticky_word", NULL);
        job->sticky_word = (uint32_t *)p;
    }
    return result;
}

// Whether what a job writes lies apart from what it reads.
PADICI_FN padic_result padici_sparse_apart(const padici_sparse_job *job, const padic_num_array *out,
                                           const padic_num_array *in, uint64_t y_size,
                                           uint64_t x_size)
{
    padici_num_range list[16];
    uint32_t n = 0, i;
    padici_sparse_ranges(&job->m, 0, 0, list, &n);
    padici_num_range_add(list, &n, job->y, y_size, 0, 1);
    padici_num_range_add(list, &n, job->x, x_size, 0, 0);
    if (in) padici_num_ranges(job->call.ring, &job->call.b, in->count, 0, list, &n);
    if (out) padici_num_ranges(job->call.ring, &job->call.out, out->count, 1, list, &n);
    if (out) padici_num_range_add(list, &n, job->call.status, out->count, 0, 1);
    padici_num_range_add(list, &n, job->sticky_word, sizeof *job->sticky_word, 0, 1);
    for (i = 0; i < n; i++) list[i].kind = 0; // `out` may not even be `in`
    return padici_num_overlap(list, n);
}

// The end of a call that wrote numbers.
PADICI_FN padic_result padici_sparse_array_end(const padici_sparse_job *job,
                                               const padic_num_array *out, uint32_t bits)
{
    const int said = out->sticky || job->sticky_word || out->status.dtype;
    if (out->sticky) *out->sticky |= bits;
    if (job->sticky_word) *job->sticky_word |= bits;
    return bits & PADIC_NUM_HARD && !said ? PADIC_ERROR_DOMAIN : PADIC_OK;
}

static void padici_sparse_decode_rows(void *arg, uint32_t task)
{
    const padici_sparse_job *job = (const padici_sparse_job *)arg;
    const padici_sparse *m = &job->m;
    const uint64_t end = padici_sparse_end_row(job, task);
    uint64_t r, e = padici_sparse_first(m, task * job->step);
    for (r = task * job->step; r < end; r++) {
        uint8_t *row = job->y + r * job->stride * m->entry;
        memset(row, 0, (size_t)(m->cols * m->entry));
        for (; e < padici_sparse_first(m, r + 1); e++)
            padici_sparse_key_set(row + padici_sparse_index(m->col, m->wide, e) * m->entry,
                                  m->entry, padici_sparse_key(m->value + e * m->entry, m->entry));
    }
}

static void padici_sparse_decode_numbers(void *arg, uint32_t task)
{
    padici_sparse_job *job = (padici_sparse_job *)arg;
    const padici_sparse *m = &job->m;
    const padic_num_ring *ring = job->call.ring;
    const padic_num_planes *p = &job->call.out;
    const uint64_t end = padici_sparse_end_row(job, task);
    uint64_t r, e = padici_sparse_first(m, task * job->step), i, at, step;
    uint32_t k;
    for (r = task * job->step; r < end; r++) {
        for (i = r * m->cols; i < (r + 1) * m->cols; i++) {
            at = padici_num_at(ring, p, i, &step);
            for (k = 0; k < ring->words; k++) padici_num_word_set(ring, p->unit, at + k * step, 0);
            if (p->val) padici_num_val_store(p, i, PADIC_NUM_ZERO);
            if (job->call.status) job->call.status[i] = 0;
        }
        for (; e < padici_sparse_first(m, r + 1); e++) {
            const uint8_t *value = m->value + e * m->entry;
            i = r * m->cols + padici_sparse_index(m->col, m->wide, e);
            at = padici_num_at(ring, p, i, &step);
            for (k = 0; k < ring->words; k++)
                padici_num_word_set(ring, p->unit, at + k * step,
                                padici_sparse_key(value + k * m->size[2], m->size[2]));
            if (!p->val) continue;
            padici_num_val_store(p, i, padici_num_val_load(&job->call.a, e));
            if (padici_num_val_load(p, i) != PADIC_NUM_NAN) continue;
            k = (uint32_t)padici_sparse_key(value, m->size[2]) & 255u;
            if (job->call.status) job->call.status[i] = (uint8_t)k;
            job->bad[task % PADICI_JOBS_AT_ONCE] |= k;
        }
    }
}

static padic_result padici_sparse_decode_dense(padic_context *context, padici_sparse_job *job,
                                               const padic_tensor *dense)
{
    const padic_sparse_csr *csr = job->csr;
    padici_sparse_source to;
    uint64_t count;
    padic_result result;
    memset(&to, 0, sizeof to);
    result = padici_sparse_dense(&to, dense, 0, NULL);
    if (!result &&
        (to.rows != csr->rows || to.cols != csr->cols || to.dtype != csr->value.dtype))
        result = PADIC_ERROR_MISMATCH;
    if (result)
        return padici_blame(context, result, "out", NULL,
                            result == PADIC_ERROR_MISMATCH
                                ? "must have the matrix's shape and dtype"
                                : NULL);
    job->y = (uint8_t *)dense->data;
    job->stride = to.stride;
    count = csr->rows && csr->cols ? (csr->rows - 1) * to.stride + csr->cols : 0;
    result = padici_sparse_apart(job, NULL, NULL, count * to.size, 0);
    if (!result && count) padici_sparse_rows(context, job, 0, padici_sparse_decode_rows);
    return result;
}

PADICI_FN padic_result padici_sparse_decode(padic_context *context,
                                            const padic_sparse_decode_desc *desc)
{
    const padic_sparse_csr *csr = desc->matrix;
    const padic_num_array *numbers = desc->out_numbers.ring ? &desc->out_numbers : NULL;
    padici_sparse_job job;
    uint64_t count;
    padic_result result;
    if ((desc->out.dtype != PADIC_DTYPE_NONE) == (numbers != NULL))
        return padici_blame(context, PADIC_ERROR_ARGUMENT, "out", NULL,
                            "or out_numbers must be given, and not both");
    result = padici_sparse_job_begin(context, &job, csr);
    if (!result && (numbers != NULL) != (csr->kind == PADIC_SPARSE_KIND_NUMBERS))
        result = padici_blame(context, PADIC_ERROR_MISMATCH, "out_numbers", NULL,
                              "are for a matrix of kind NUMBERS, `out` is for all others");
    if (result) return result;
    if (!numbers) return padici_sparse_decode_dense(context, &job, &desc->out);
    if (!padici_mul_u64(csr->rows, csr->cols, &count)) return PADIC_ERROR_LIMIT;
    result = padici_sparse_array(context, &job, numbers, count, "out_numbers", 1);
    if (!result) result = padici_sparse_apart(&job, numbers, NULL, 0, 0);
    if (result) return result;
    return padici_sparse_array_end(
        &job, numbers, padici_sparse_rows(context, &job, numbers->ring->form == PADIC_NUM_RX,
                                          padici_sparse_decode_numbers));
}

#endif
