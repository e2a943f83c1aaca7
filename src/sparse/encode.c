#include "encode.h"
#include "../context/cpu.h"
#include "../context/messages.h"
#include "../context/place.h"
#include "../context/pool.h"
#include "../context/state.h"
#include "../context/target.h"
#include "../core/tensor.h"
#include "encoding.h"
#include "index.h"
#include "matrix.h"

#if PADICI_IMPLEMENT_SPARSE

// Encoding

// Counts: *report, and row_ptr of `a` if that has memory; `a` becomes the description of the
// matrix. limit NULL: the mode's own.
PADICI_FN PADICI_NOINLINE padic_result padici_sparse_count(padic_context *context, const char *name,
                                           const padic_sparse_count_desc *desc,
                                           const uint64_t *limit, padic_sparse_csr *a,
                                           padic_sparse_encode_report *report)
{
    padici_sparse_encoding e;
    padic_result result;
    padici_sparse_encoding_begin(&e, name, PADIC_OP_SPARSE_COUNT, &desc->source, desc->method,
                                 desc->calibration);
    e.to = *a;
    e.report = desc->report != NULL;
    if (limit) {
        e.has_limit = 1;
        e.limit = *limit;
    }
    result = padici_sparse_encoding_run(context, &e);
    if (result) return result;
    *a = e.to;
    memset(report, 0, sizeof *report);
    report->method = e.method;
    result = padici_sparse_found(&e.source, a, &e.planes, e.found, e.report, report);
    return padici_sparse_end(context, name, result);
}

PADIC_API padic_result padic_sparse_count(padic_context *context,
                                          const padic_sparse_count_desc *desc)
{
    padic_sparse_encode_report local;
    padic_sparse_csr a;
    padic_result result = PADIC_ERROR_ARGUMENT;
    if (!desc) return padici_sparse_no_desc(context, "sparse_count");
    memset(&a, 0, sizeof a);
    a.row_ptr = desc->row_ptr;
    if (desc->report || desc->row_ptr.dtype != PADIC_DTYPE_NONE)
        return padici_sparse_count(context, "sparse_count", desc, NULL, &a,
                                   desc->report ? desc->report : &local);
    padici_blame(context, result, "report", NULL, "or row_ptr must be given");
    return padici_sparse_end(context, "sparse_count", result);
}

// Into planes that are there. (In a frame of its own.)
static PADICI_NOINLINE padic_result padici_sparse_encode(padic_context *context,
                                                         padic_sparse_csr *out,
                                                         const padic_sparse_encode_desc *desc)
{
    padici_sparse_encoding e;
    padic_result result;
    padici_sparse_encoding_begin(&e, "sparse_encode", PADIC_OP_SPARSE_ENCODE, &desc->source,
                                 desc->method, desc->calibration);
    e.to = *out;
    e.totals = desc->totals;
    e.report = desc->report != NULL;
    e.fill = 1;
    result = padici_sparse_encoding_run(context, &e);
    if (result) return result;
    if (desc->report) {
        memset(desc->report, 0, sizeof *desc->report);
        desc->report->method = e.method;
    }
    if (e.totals.dtype) {
        const uint64_t n = e.source.rows * e.source.cols;
        e.to.nnz = e.planes.room < n ? e.planes.room : n;
    } else {
        result =
            padici_sparse_found(&e.source, &e.to, &e.planes, e.found, e.report, desc->report);
    }
    if (result && result != PADIC_ERROR_CAPACITY)
        return padici_sparse_end(context, "sparse_encode", result);
    e.to.trusted = result || e.totals.dtype ? PADIC_SPARSE_LEVEL_UNKNOWN
                                            : PADIC_SPARSE_LEVEL_CANONICAL;
    padici_sparse_made(out, &e.to);
    return padici_sparse_end(context, "sparse_encode", result);
}

// Into planes of the context's pool, sized by a count.
static PADICI_NOINLINE padic_result padici_sparse_encode_made(padic_context *context,
                                              const padic_sparse_encode_desc *desc)
{
    padic_sparse_csr made = *desc->out;
    padic_sparse_encode_report report;
    padic_sparse_count_desc count;
    padic_result result;
    memset(&count, 0, sizeof count);
    count.source = desc->source;
    count.method = desc->method;
    count.calibration = desc->calibration;
    result = padici_sparse_count(context, "sparse_encode", &count, NULL, &made, &report);
    if (!result) result = padic_sparse_create(context, &made);
    if (result) return result;
    result = padici_sparse_encode(context, &made, desc);
    if (result)
        padic_sparse_destroy(context, &made);
    else
        *desc->out = made;
    return result;
}

PADIC_API padic_result padic_sparse_encode(padic_context *context,
                                           const padic_sparse_encode_desc *desc)
{
    uint32_t i, absent = 0;
    if (!desc) return padici_sparse_no_desc(context, "sparse_encode");
    if (!desc->out) {
        padici_blame(context, PADIC_ERROR_ARGUMENT, "out", NULL, "is NULL");
        return padici_sparse_end(context, "sparse_encode", PADIC_ERROR_ARGUMENT);
    }
    for (i = 0; i < 3; i++) {
        const padic_tensor *plane = padici_sparse_tensor(desc->out, i);
        absent += !plane->data && !plane->buffer.id;
    }
    if (absent == 3 && context) return padici_sparse_encode_made(context, desc);
    if (absent == 3)
        return padici_fail_in(context, PADIC_ERROR_ARGUMENT, "sparse_encode",
                              "out has no planes, and there is no context to make them in");
    return padici_sparse_encode(context, desc->out, desc);
}

PADIC_API padic_result padic_sparse_from_dense(padic_context *context, padic_tensor dense,
                                               padic_sparse_csr *out)
{
    padic_sparse_encode_desc desc;
    memset(&desc, 0, sizeof desc);
    desc.source.dense = dense;
    desc.out = out;
    return padic_sparse_encode(context, &desc);
}

// As much of the source of a matrix as what was found is read by.
static void padici_sparse_source_again(padici_sparse_source *s, const padic_sparse_csr *a)
{
    const int is_float = padici_sparse_is(a->value.dtype, PADICI_SPARSE_FLOATS);
    memset(s, 0, sizeof *s);
    s->rows = a->rows;
    s->cols = a->cols;
    s->dtype = a->value.dtype;
    s->has_other = a->mode >= PADIC_SPARSE_MODE_THRESHOLD ||
                   (a->mode == PADIC_SPARSE_MODE_NONZERO && is_float);
    s->has_largest = a->mode == PADIC_SPARSE_MODE_THRESHOLD;
}

// The totals of a matrix, by the device.
static padic_result padici_sparse_totals(padic_context *context, const padic_tensor *totals,
                                         uint64_t found[4])
{
    padici_place place, host;
    padic_result result;
    if (!context || totals->dtype != PADIC_U64) return PADIC_ERROR_ARGUMENT;
    result = padici_operand_place(context, totals, &place);
    if (!result && (place.host || padic_tensor_count(totals) < 4)) result = PADIC_ERROR_ARGUMENT;
    if (result) return result;
    host.mem.bits = (uint64_t)(uintptr_t)found;
    host.at = 0;
    host.host = 1;
    return padici_target_move(context, &context->targets[0], &host, &place, 4 * sizeof *found);
}

PADIC_API padic_result padic_sparse_settle(padic_context *context,
                                           const padic_sparse_settle_desc *desc)
{
    padic_sparse_csr *matrix = desc ? desc->matrix : NULL;
    padici_sparse_source s;
    padici_sparse planes;
    padic_sparse_encode_report local;
    uint64_t found[4] = {0, 0, 0, 0};
    padic_result result;
    if (!desc) return padici_sparse_no_desc(context, "sparse_settle");
    result = padici_sparse_planes(context, matrix, 1, &planes);
    if (!result) {
        result = padici_sparse_totals(context, &desc->totals, found);
        padici_blame(context, result, "totals", NULL, NULL);
    }
    if (result) return padici_sparse_end(context, "sparse_settle", result);
    memset(&local, 0, sizeof local);
    padici_sparse_source_again(&s, matrix);
    result = padici_sparse_found(&s, matrix, &planes, found, desc->report != NULL, &local);
    if (desc->report) *desc->report = local;
    matrix->trusted = result ? PADIC_SPARSE_LEVEL_UNKNOWN : PADIC_SPARSE_LEVEL_CANONICAL;
    return padici_sparse_end(context, "sparse_settle", result);
}

// What each matrix of a batch is, whose nnz are known, and *sum of them. CAPACITY.
static padic_result padici_sparse_batch_end(padici_sparse_encoding *e, padic_sparse_csr *out,
                                            padic_sparse_encode_report *sum)
{
    const padici_sparse_source *s = &e->source;
    const int full = e->found[1] > e->planes.room;
    padici_sparse any;
    uint64_t first = 0, b;
    memset(&any, 0, sizeof any);
    any.room = UINT64_MAX;
    *sum = e->sum;
    for (b = 0; b < e->batch; b++) {
        const uint64_t nnz = e->firsts ? e->firsts[b + 1] - e->firsts[b] : out[b].nnz;
        const uint64_t found[4] = {0, nnz, nnz, 0};
        padic_sparse_encode_report each;
        padici_sparse_part(&out[b], &e->to, s, b, full ? UINT64_MAX : first);
        out[b].row_ptr.shape[0] = s->rows + 1;
        out[b].trusted = full ? PADIC_SPARSE_LEVEL_UNKNOWN : PADIC_SPARSE_LEVEL_CANONICAL;
        memset(&each, 0, sizeof each);
        each.method = e->method;
        (void)padici_sparse_found(s, &out[b], &any, found, 0, &each);
        if (!e->sum.index_size) padici_sparse_add_found(sum, &each);
        first += nnz;
    }
    return full ? PADIC_ERROR_CAPACITY : PADIC_OK;
}

// Everything that the device has found of all matrices together.
static void padici_sparse_batch_found(const padici_sparse_encoding *e,
                                      padic_sparse_encode_report *sum)
{
    padic_sparse_csr a = e->to;
    padic_sparse_encode_report each;
    padici_sparse any;
    memset(&any, 0, sizeof any);
    memset(&each, 0, sizeof each);
    any.room = UINT64_MAX;
    if (!e->firsts || !e->report) return;
    (void)padici_sparse_found(&e->source, &a, &any, e->found, 1, &each);
    sum->negative_zeros = each.negative_zeros;
    sum->dropped = each.dropped;
    sum->largest_dropped = each.largest_dropped;
}

static PADICI_NOINLINE padic_result padici_sparse_batch(padic_context *context,
                                        const padic_sparse_encode_batch_desc *desc,
                                        padic_sparse_encode_report *sum)
{
    padici_sparse_encoding e;
    uint32_t block = PADICI_NO_BLOCK, i;
    padic_result result = PADIC_OK;
    padici_sparse_encoding_begin(&e, "sparse_encode_batch", PADIC_OP_SPARSE_ENCODE_BATCH,
                                 &desc->source, desc->method, desc->calibration);
    e.to = desc->out[0];
    e.batch = desc->count;
    e.batch_out = desc->out;
    e.report = desc->report != NULL;
    e.fill = 1;
    if (context && !padici_target_is_host(&context->targets[0])) {
        result = padici_pool_take(context, &context->pools[1], (desc->count + 1) * 8, &block);
        if (result) return result;
        e.firsts = (uint64_t *)(void *)padici_mem_at(context->pools[1].blocks[block].mem, 0);
        e.firsts[desc->count] = UINT64_MAX;
    }
    result = padici_sparse_encoding_run(context, &e);
    if (!result) {
        for (i = 0; i < 4; i++)
            *padici_sparse_tensor(&e.to, i) = *padici_sparse_tensor(&desc->out[0], i);
        if (e.firsts && e.firsts[desc->count] == UINT64_MAX) e.firsts = NULL; // the host did it
        result = padici_sparse_batch_end(&e, desc->out, sum);
        padici_sparse_batch_found(&e, sum);
        result = padici_sparse_end(context, "sparse_encode_batch", result);
    }
    if (block != PADICI_NO_BLOCK) padici_pool_give(context, &context->pools[1], block);
    return result;
}

PADIC_API padic_result padic_sparse_encode_batch(padic_context *context,
                                                 const padic_sparse_encode_batch_desc *desc)
{
    padic_sparse_encode_report sum;
    padic_result result = PADIC_OK;
    if (!desc) return padici_sparse_no_desc(context, "sparse_encode_batch");
    memset(&sum, 0, sizeof sum);
    if (!desc->out) {
        padici_blame(context, PADIC_ERROR_ARGUMENT, "out", NULL, "is NULL");
        result = padici_sparse_end(context, "sparse_encode_batch", PADIC_ERROR_ARGUMENT);
    } else if (desc->count) {
        result = padici_sparse_batch(context, desc, &sum);
    }
    if (desc->report) *desc->report = sum;
    return result;
}

#endif
