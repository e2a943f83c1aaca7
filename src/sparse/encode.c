#include "encode.h"
#include "../context/cpu.h"
#include "../context/messages.h"
#include "../context/operation.h"
#include "../context/pool.h"
#include "../context/target.h"
#include "../core/tensor.h"
#include "../core/view.h"
#include "../num/array.h"
#include "../num/space.h"
#include "../num/task.h"
#include "device.h"
#include "index.h"
#include "matrix.h"
#include "work.h"

#if PADICI_IMPLEMENT_SPARSE

// Encoding

// `a` becomes the description of the matrix, with its nnz.
PADICI_FN padic_result padici_sparse_count(padic_context *context, padici_sparse_source *s,
                                           const padic_sparse_encode_desc *desc,
                                           const padic_tensor *row_ptr, padic_sparse_csr *a,
                                           padic_sparse_encode_report *report, int wanted)
{
    padici_sparse_work w;
    uint64_t room;
    void *p;
    padic_result result;
    memset(&w, 0, sizeof w);
    w.context = context;
    w.source = s;
    w.report = (uint32_t)wanted;
    padici_sparse_describe(a, s, &desc->source);
    if (row_ptr) {
        p = NULL;
        result = padici_tensor_check_shape(row_ptr, &room);
        if (!result)
            result = padici_num_plane_in(context, &s->space, row_ptr, room, PADICI_SPARSE_INDICES,
                                         &p);
        if (!result && room <= s->rows) result = PADIC_ERROR_CAPACITY;
        if (result) return padici_blame(context, result, "row_ptr", NULL, NULL);
        w.to.row_ptr = (uint8_t *)p;
        w.to.wide = row_ptr->dtype == PADIC_I64;
        a->row_ptr.dtype = row_ptr->dtype;
    }
    if (desc->totals.dtype) return PADIC_ERROR_ARGUMENT;
    return padici_sparse_work_do(&w, a, a, desc, report);
}

PADIC_API padic_result padic_sparse_count(padic_context *context,
                                          const padic_sparse_count_desc *desc)
{
    const int counts_rows = desc && desc->row_ptr.dtype != PADIC_DTYPE_NONE;
    padici_sparse_source s;
    padic_sparse_encode_desc encode;
    padic_sparse_encode_report local;
    padic_sparse_csr a;
    padic_result result;
    if (!desc) return padici_sparse_no_desc(context, "sparse_count");
    memset(&encode, 0, sizeof encode);
    memset(&a, 0, sizeof a);
    encode.source = desc->source;
    encode.method = desc->method;
    encode.calibration = desc->calibration;
    result = padici_sparse_check_method(context, desc->method);
    if (!result) result = padici_sparse_source_of(context, &s, &desc->source, 0, NULL);
    if (!result && !desc->report && !counts_rows)
        result = padici_blame(context, PADIC_ERROR_ARGUMENT, "report", NULL,
                              "or row_ptr must be given");
    if (!result)
        result = padici_sparse_count(context, &s, &encode, counts_rows ? &desc->row_ptr : NULL, &a,
                                     desc->report ? desc->report : &local, desc->report != NULL);
    return padici_sparse_end(context, "sparse_count", result);
}

// Into planes that are there. `report` may be NULL.
static padic_result padici_sparse_encode(padic_context *context, padic_sparse_csr *out,
                                         padici_sparse_source *s,
                                         const padic_sparse_encode_desc *desc,
                                         padic_sparse_encode_report *report)
{
    padici_sparse_work w;
    padic_sparse_encode_report local;
    padic_sparse_csr next = *out;
    padici_num_range list[8];
    const uint64_t rows = s->rows ? s->rows - 1 : 0;
    uint32_t n = 0;
    padic_result result;
    padici_sparse_describe(&next, s, &desc->source);
    memset(&w, 0, sizeof w);
    w.context = context;
    w.source = s;
    w.report = report != NULL;
    w.fill = 1;
    result = padici_sparse_planes_in(context, &s->space, &next, 1, &w.to);
    if (result) return result;
    if (next.value.dtype != s->dtype || (next.val_of && next.val.dtype != s->val_dtype))
        return padici_blame(context, PADIC_ERROR_MISMATCH,
                            next.value.dtype != s->dtype ? "value" : "val", NULL,
                            "must have the dtype of the source");
    w.to.bytes[3] = w.to.room * w.to.size[3];
    padici_sparse_ranges(&w.to, 0, 1, list, &n);
    if (s->ring)
        padici_num_ranges(s->ring, &s->planes, desc->source.numbers.count, 0, list, &n);
    else
        padici_num_range_add(list, &n, s->key ? s->key + s->offset * s->size : NULL,
                             s->rows ? (rows * s->stride + s->cols) * s->size : 0, 0, 0);
    if ((result = padici_num_overlap(list, n)) != PADIC_OK) return result;
    result = padici_sparse_work_do(&w, &next, out, desc, report ? report : &local);
    if (result && result != PADIC_ERROR_CAPACITY) return result;
    next.trusted = result || desc->totals.dtype ? PADIC_SPARSE_UNKNOWN : PADIC_SPARSE_CANONICAL;
    *out = next;
    return result;
}

PADIC_API padic_result padic_sparse_encode(padic_context *context,
                                           const padic_sparse_encode_desc *desc)
{
    padici_sparse_source s;
    padic_sparse_encode_report local;
    padic_sparse_csr *out, made;
    padic_result result;
    uint32_t i, absent = 0;
    if (!desc) return padici_sparse_no_desc(context, "sparse_encode");
    out = desc->out;
    result = padici_sparse_check_method(context, desc->method);
    if (!result) result = padici_sparse_source_of(context, &s, &desc->source, 0, NULL);
    if (!result && !out)
        result = padici_blame(context, PADIC_ERROR_ARGUMENT, "out", NULL, "is NULL");
    if (result) return padici_sparse_end(context, "sparse_encode", result);
    for (i = 0; i < 3; i++)
        absent += !padici_sparse_tensor(out, i)->data && !padici_sparse_tensor(out, i)->buffer.id;
    if (absent < 3 || !context)
        return padici_sparse_end(context, "sparse_encode",
                                 padici_sparse_encode(context, out, &s, desc, desc->report));
    made = *out;
    result = padici_sparse_count(context, &s, desc, NULL, &made, &local, 0);
    if (!result) result = padic_sparse_create(context, &made);
    if (result) return padici_sparse_end(context, "sparse_encode", result);
    result = padici_sparse_encode(context, &made, &s, desc, desc->report);
    if (result)
        padic_sparse_destroy(context, &made);
    else
        *out = made;
    return padici_sparse_end(context, "sparse_encode", result);
}

// A plane without its first `used` elements.
static padic_tensor padici_sparse_rest(const padic_tensor *t, uint64_t used)
{
    const uint64_t n = padic_tensor_count(t);
    padic_tensor rest = padic_tensor_1d(t->dtype, t->data, 0);
    if (used > n) used = n;
    rest.shape[0] = n - used;
    rest.buffer = t->buffer;
    rest.offset = t->offset + (t->data ? 0 : used);
    if (t->data) rest.data = (char *)t->data + used * padic_dtype_size(t->dtype);
    return rest;
}

// As much of the source of a matrix as what was found is read by.
static void padici_sparse_source_again(padici_sparse_source *s, const padic_sparse_csr *a)
{
    const int is_float = padici_sparse_is(a->value.dtype, PADICI_SPARSE_FLOATS);
    memset(s, 0, sizeof *s);
    s->rows = a->rows;
    s->cols = a->cols;
    s->dtype = a->value.dtype;
    s->has_other = a->mode >= PADIC_SPARSE_THRESHOLD ||
                   (a->mode == PADIC_SPARSE_NONZERO && is_float);
    s->has_largest = a->mode == PADIC_SPARSE_THRESHOLD;
}

PADIC_API padic_result padic_sparse_settle(padic_context *context,
                                           const padic_sparse_settle_desc *desc)
{
    padic_sparse_csr *out;
    padici_sparse_source s;
    padici_sparse_work w;
    padic_sparse_encode_report local;
    padici_place place, host;
    uint64_t found[4];
    padic_result result;
    if (!desc) return padici_sparse_no_desc(context, "sparse_settle");
    out = desc->matrix;
    if (!out) {
        padici_blame(context, PADIC_ERROR_ARGUMENT, "matrix", NULL, "is NULL");
        return padici_sparse_end(context, "sparse_settle", PADIC_ERROR_ARGUMENT);
    }
    memset(&w, 0, sizeof w);
    padici_sparse_source_again(&s, out);
    result = padici_sparse_totals(context, &desc->totals, &place);
    padici_blame(context, result, "totals", NULL, NULL);
    if (!result) result = padici_sparse_planes_in(context, &s.space, out, 1, &w.to);
    if (result) return padici_sparse_end(context, "sparse_settle", result);
    host.mem.bits = (uint64_t)(uintptr_t)found;
    host.at = 0;
    host.host = 1;
    result = padici_target_move(context, &context->targets[0], &host, &place, sizeof found);
    if (result) return result;
    w.source = &s;
    w.report = desc->report != NULL;
    w.full = found[1] > w.to.room;
    memset(&local, 0, sizeof local);
    if (!s.has_largest) found[3] = 0;
    result = padici_sparse_found(&w, out, found[1], found[2], found[3], &local);
    if (desc->report) *desc->report = local;
    out->trusted = result ? PADIC_SPARSE_UNKNOWN : PADIC_SPARSE_CANONICAL;
    return padici_sparse_end(context, "sparse_settle", result);
}

// Matrix b of a batch, whose entries begin with number `first`.
static void padici_sparse_part(padic_sparse_csr *part, const padic_sparse_csr *whole,
                               const padici_sparse_source *s, uint64_t b, uint64_t first)
{
    const uint64_t words = s->ring ? s->ring->words : 1;
    *part = *whole;
    part->row_ptr = padici_sparse_rest(&whole->row_ptr, b * (s->rows + 1));
    part->col = padici_sparse_rest(&whole->col, first);
    part->value = padici_sparse_rest(&whole->value, first == UINT64_MAX ? first : first * words);
    if (s->val_dtype) part->val = padici_sparse_rest(&whole->val, first);
}

// All matrices by one driver call. NOT_SUPPORTED: one by one, then.
static padic_result padici_sparse_batch(padic_context *context, padici_sparse_source *s,
                                        padic_sparse_csr *out, uint64_t count, uint64_t step,
                                        const padic_sparse_encode_desc *desc, uint32_t wanted,
                                        padic_sparse_encode_report *report)
{
    padici_sparse_work w;
    padici_sparse_drive d;
    padic_sparse_csr whole = out[0];
    padic_sparse_encode_report each;
    padici_num_range list[8];
    uint64_t b;
    uint32_t block, n = 0;
    padic_result result, worst;
    if ((!s->device && desc->method < PADIC_SPARSE_GPU_ONE_PASS) || step != s->rows * s->cols ||
        desc->method == PADIC_SPARSE_SCALAR || desc->method == PADIC_SPARSE_SIMD ||
        desc->method == PADIC_SPARSE_THREADS || wanted || count >> 31)
        return PADIC_ERROR_NOT_SUPPORTED;
    memset(&w, 0, sizeof w);
    w.context = context;
    w.source = s;
    w.fill = 1;
    padici_sparse_describe(&whole, s, &desc->source);
    whole.rows = (s->rows + 1) * count - 1; // so that the planes are large enough
    result = padici_sparse_planes_in(context, &s->space, &whole, 1, &w.to);
    if (result) return result;
    if (whole.value.dtype != s->dtype || (whole.val_of && whole.val.dtype != s->val_dtype))
        return PADIC_ERROR_MISMATCH;
    if (!padici_sparse_drive_begin(&w, out, desc->method, count, &d))
        return PADIC_ERROR_NOT_SUPPORTED;
    w.to.bytes[3] = w.to.room * w.to.size[3];
    padici_sparse_ranges(&w.to, 0, 1, list, &n);
    if (s->ring)
        padici_num_ranges(s->ring, &s->planes, desc->source.numbers.count, 0, list, &n);
    else
        padici_num_range_add(list, &n, s->key, count * s->rows * s->cols * s->size, 0, 0);
    if ((result = padici_num_overlap(list, n)) != PADIC_OK) return result;
    result = padici_pool_take(context, &context->pools[1], (count + 1) * 8, &block);
    if (result) return result;
    d.firsts = (uint64_t *)(void *)padici_mem_at(context->pools[1].blocks[block].mem, 0);
    result = padici_sparse_drive_run(&w, &d);
    worst = !result && d.found[1] > d.room ? PADIC_ERROR_CAPACITY : PADIC_OK;
    whole.rows = s->rows;
    for (b = 0; b < count && !result; b++) {
        padici_sparse_part(&out[b], &whole, s, b, worst ? UINT64_MAX : d.firsts[b]);
        memset(&each, 0, sizeof each);
        w.source = s;
        result = padici_sparse_found(&w, &out[b], d.firsts[b + 1] - d.firsts[b], 0, 0, &each);
        out[b].row_ptr.shape[0] = s->rows + 1;
        out[b].trusted = worst ? PADIC_SPARSE_UNKNOWN : PADIC_SPARSE_CANONICAL;
        report->nnz += each.nnz;
        report->size += each.size;
        if (each.index_size > report->index_size) report->index_size = each.index_size;
        report->method = d.method;
    }
    padici_pool_give(context, &context->pools[1], block);
    if (!result) context->stats.kernels.calls++;
    return result ? result : worst;
}

// One matrix after another, each with the report of its own.
static padic_result padici_sparse_batch_each(padic_context *context, padici_sparse_source *s,
                                             padic_sparse_csr *out, uint64_t count, uint64_t step,
                                             const padic_sparse_encode_desc *desc,
                                             padic_sparse_encode_report *sum)
{
    padic_sparse_encode_report each;
    padic_sparse_csr whole = out[0];
    padic_result result = PADIC_OK, worst = PADIC_OK;
    uint64_t b;
    for (b = 0; b < count && !result; b++) {
        s->offset = b * step;
        padici_sparse_part(&out[b], &whole, s, b, worst ? UINT64_MAX : sum->nnz);
        memset(&each, 0, sizeof each);
        result = padici_sparse_encode(context, &out[b], s, desc, &each);
        if (result == PADIC_ERROR_CAPACITY && each.nnz) { // go on and count
            worst = result;
            result = PADIC_OK;
        }
        out[b].row_ptr.shape[0] = s->rows + 1;
        sum->nnz += each.nnz;
        sum->size += each.size;
        sum->negative_zeros += each.negative_zeros;
        sum->dropped += each.dropped;
        if (each.largest_dropped > sum->largest_dropped)
            sum->largest_dropped = each.largest_dropped;
        if (each.index_size > sum->index_size) sum->index_size = each.index_size;
        sum->method = each.method;
    }
    return result ? result : worst;
}

PADIC_API padic_result padic_sparse_encode_batch(padic_context *context,
                                                 const padic_sparse_encode_batch_desc *desc)
{
    padic_sparse_encode_report sum;
    padic_sparse_encode_desc encode;
    padici_sparse_source s;
    uint64_t step = 0;
    padic_result result;
    if (!desc) return padici_sparse_no_desc(context, "sparse_encode_batch");
    memset(&sum, 0, sizeof sum);
    memset(&encode, 0, sizeof encode);
    encode.source = desc->source;
    encode.method = desc->method;
    encode.calibration = desc->calibration;
    result = padici_sparse_check_method(context, desc->method);
    if (!result && desc->count)
        result = padici_sparse_source_of(context, &s, &desc->source, desc->count, &step);
    if (!result && !desc->out)
        result = padici_blame(context, PADIC_ERROR_ARGUMENT, "out", NULL, "is NULL");
    if (!result && desc->count) {
        result = PADIC_ERROR_NOT_SUPPORTED;
        if (context)
            result = padici_sparse_batch(context, &s, desc->out, desc->count, step, &encode,
                                         desc->report && (s.has_other || s.has_largest), &sum);
        if (result == PADIC_ERROR_NOT_SUPPORTED)
            result = padici_sparse_batch_each(context, &s, desc->out, desc->count, step, &encode,
                                              &sum);
    }
    if (desc->report) *desc->report = sum;
    return padici_sparse_end(context, "sparse_encode_batch", result);
}

#endif
