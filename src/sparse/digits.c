#include "../context/messages.h"
#include "../context/state.h"
#include "../core/platform.h"
#include "../num/array.h"
#include "../num/cell.h"
#include "../num/digits.h"
#include "../num/ring.h"
#include "../num/task.h"
#include "decode.h"
#include "index.h"
#include "kept.h"
#include "matrix.h"
#include "tasks.h"

#if PADICI_IMPLEMENT_SPARSE

// Digits

typedef struct padici_sparse_from_num_task {
    padici_sparse_task t;
    padic_sparse_from_num_desc desc;
    uint64_t room; // entries that the planes hold; fewer than there are: CAPACITY, row_ptr is right
} padici_sparse_from_num_task;

// Writes the digits of number i that are not 0, as far as there is room; how many there are.
static uint64_t padici_sparse_digits(const padic_num_ring *r, const padic_num_planes *p, uint64_t i,
                                     const padici_sparse *to, uint64_t total)
{
    const uint32_t limb = r->form == PADIC_NUM_RX ? r->limb_digits : r->precision;
    uint64_t step, at = padici_num_at(r, p, i, &step), kept = 0, d, u[2];
    uint32_t k;
    for (k = 0; k < r->precision; k++) {
        if (k % limb == 0) u[0] = padici_num_word(r, p->unit, at + k / limb * step);
        if (k == 0 && r->form == PADIC_NUM_W128) u[1] = padici_num_word(r, p->unit, at + step);
        d = padici_num_ring_next_digit(r, u, k % limb);
        if (!d) continue;
        if (total + kept < to->room) {
            padici_sparse_index_set(to->col, to->wide, total + kept, k);
            padici_sparse_key_set(to->value + (total + kept) * to->entry, to->entry, d);
        }
        kept++;
    }
    return kept;
}

static padic_result padici_sparse_from_num(padic_context *context, padic_sparse_csr *out,
                                           const padic_num_array *a, uint64_t *room)
{
    padic_sparse_csr next;
    padici_sparse to;
    padic_num_call call;
    padici_num_range list[8];
    uint64_t i, total = 0;
    uint32_t n = 0;
    padic_result result;
    if (!out || !padici_num_ring_is(a->ring))
        return padici_blame(context, PADIC_ERROR_ARGUMENT, !out ? "out" : "numbers", NULL,
                            !out ? "is NULL" : "has no ring");
    if ((uint32_t)a->model > PADIC_NUM_FLOAT)
        return padici_blame(context, PADIC_ERROR_NOT_SUPPORTED, "numbers", "model",
                            "must be RING or FLOAT");
    next = *out;
    next.rows = a->count;
    next.cols = next.precision = a->ring->precision;
    next.nnz = 0;
    next.kind = PADIC_SPARSE_KIND_DIGITS;
    next.val_of = a->model ? PADIC_SPARSE_VAL_ROW : PADIC_SPARSE_VAL_NONE;
    next.p = a->ring->p;
    next.words = 1;
    next.form = a->ring->form;
    next.mode = PADIC_SPARSE_MODE_NONZERO;
    next.threshold = 0;
    next.trusted = PADIC_SPARSE_LEVEL_UNKNOWN;
    memset(&call, 0, sizeof call);
    if ((result = padici_sparse_planes(context, &next, 1, &to)) != PADIC_OK) return result;
    if (a->ring->p - 1 > padici_sparse_full(to.entry))
        return padici_blame(context, PADIC_ERROR_ARGUMENT, "value", NULL,
                            "has a dtype too narrow for the digits of so large a prime");
    if ((result = padici_num_planes_of(context, a, &call.b)) != PADIC_OK)
        return padici_blame(context, result, "numbers", NULL, NULL);
    padici_sparse_ranges(&to, 0, 1, list, &n);
    padici_num_ranges(a->ring, &call.b, a->count, 0, list, &n);
    if ((result = padici_num_overlap(list, n)) != PADIC_OK) return result;
    call.a.val = to.val;
    call.a.val16 = to.size[3] == 2;
    for (i = 0; i < a->count; i++) {
        padici_sparse_index_set(to.row_ptr, to.wide, i, total);
        if (to.val) padici_num_val_store(&call.a, i, padici_num_val_load(&call.b, i));
        if (to.val && call.a.val16 != call.b.val16 &&
            padici_num_val_load(&call.a, i) != padici_num_val_load(&call.b, i))
            return PADIC_ERROR_LIMIT;
        total += padici_sparse_digits(a->ring, &call.b, i, &to, total);
    }
    padici_sparse_index_set(to.row_ptr, to.wide, a->count, total);
    if (!to.wide && total >> 31) return PADIC_ERROR_LIMIT;
    next.nnz = total;
    if (total <= to.room) next.trusted = PADIC_SPARSE_LEVEL_CANONICAL;
    *out = next;
    *room = to.room;
    return PADIC_OK;
}

static padic_result padici_sparse_from_num_work(padici_sparse_task *t)
{
    padici_sparse_from_num_task *call = (padici_sparse_from_num_task *)(void *)t;
    return padici_sparse_from_num(t->task.context, call->desc.out, &call->desc.numbers,
                                  &call->room);
}

PADIC_API padic_result padic_sparse_from_num(padic_context *context,
                                             const padic_sparse_from_num_desc *desc)
{
    padici_sparse_from_num_task call;
    padic_result result;
    if (!desc) return padici_sparse_no_desc(context, "sparse_from_num");
    padici_sparse_task_begin(&call.t, context, "sparse_from_num", padici_sparse_from_num_work);
    call.desc = *desc;
    call.room = UINT64_MAX;
    padici_sparse_add_numbers(&call.t, "numbers", &call.desc.numbers, 0);
    call.desc.out = padici_sparse_makes(&call.t, desc->out);
    result = padici_sparse_task_run(&call.t, PADIC_OP_SPARSE_FROM_NUM, desc->out);
    if (!result && desc->out->nnz > call.room)
        return padici_sparse_end(context, "sparse_from_num", PADIC_ERROR_CAPACITY);
    return result;
}

typedef struct padici_sparse_to_num_task {
    padici_sparse_task t;
    padic_sparse_to_num_desc desc;
} padici_sparse_to_num_task;

static padic_result padici_sparse_to_num(padic_context *context, const padic_num_array *a,
                                         const padic_sparse_csr *csr)
{
    padici_sparse_job job;
    const padici_sparse *m = &job.m;
    uint64_t local[2], r, e = 0, d;
    padici_num_cell x;
    padic_result result = padici_sparse_job_begin(context, &job, csr);
    if (result) return result;
    if (csr->kind != PADIC_SPARSE_KIND_DIGITS || csr->val_of == PADIC_SPARSE_VAL_COL ||
        csr->cols != csr->precision)
        return padici_blame(context, PADIC_ERROR_MISMATCH, "matrix", NULL,
                            "must be of kind DIGITS, a number a row");
    result = padici_sparse_array(context, &job, a, csr->rows, "out", 1);
    if (!result) result = padici_sparse_apart(&job, a, NULL, 0, 0);
    if (result) return result;
    x.u = a->ring->form == PADIC_NUM_RX ? (uint64_t *)job.call.workspace : local;
    for (r = 0; r < csr->rows; r++) {
        memset(x.u, 0, a->ring->words * sizeof *x.u);
        x.v = m->val ? padici_num_val_load(&job.call.a, r) : 0;
        x.n = a->ring->precision;
        x.bits = 0;
        for (; e < padici_sparse_first(m, r + 1); e++) {
            d = padici_sparse_key(m->value + e * m->entry, m->entry);
            if (d >= a->ring->p)
                x.bits |= PADIC_NUM_OUTSIDE;
            else
                padici_num_ring_set_digit(a->ring, x.u,
                                      (uint32_t)padici_sparse_index(m->col, m->wide, e), d);
        }
        if (x.v == PADIC_NUM_NAN)
            x.bits |= x.u[0] & PADIC_NUM_HARD ? (uint32_t)x.u[0] & 255u
                                              : (uint32_t)PADIC_NUM_OUTSIDE;
        if (!m->val && x.bits) memset(x.u, 0, a->ring->words * sizeof *x.u);
        padici_num_cell_normal(&job.call, &x);
        padici_num_cell_store(&job.call, r, &x);
    }
    return padici_sparse_array_end(&job, a, job.call.bits);
}

static padic_result padici_sparse_to_num_work(padici_sparse_task *t)
{
    const padici_sparse_to_num_task *call = (const padici_sparse_to_num_task *)(void *)t;
    return padici_sparse_to_num(t->task.context, &call->desc.out, call->desc.matrix);
}

PADIC_API padic_result padic_sparse_to_num(padic_context *context,
                                           const padic_sparse_to_num_desc *desc)
{
    padici_sparse_to_num_task call;
    if (!desc) return padici_sparse_no_desc(context, "sparse_to_num");
    padici_sparse_task_begin(&call.t, context, "sparse_to_num", padici_sparse_to_num_work);
    call.desc = *desc;
    call.desc.matrix = padici_sparse_reads(&call.t, &call.t.a, desc->matrix);
    padici_sparse_add_numbers(&call.t, "out", &call.desc.out, 1);
    return padici_sparse_task_run(&call.t, PADIC_OP_SPARSE_TO_NUM, NULL);
}

#endif
