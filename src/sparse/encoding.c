#include "encoding.h"
#include "../context/messages.h"
#include "../context/state.h"
#include "../core/tensor.h"
#include "../core/view.h"
#include "../num/array.h"
#include "../num/ring.h"
#include "../num/task.h"
#include "index.h"
#include "work.h"

#if PADICI_IMPLEMENT_SPARSE

// Encodings: the check, the loops of the host, what was found

// What a matrix of this source is; its planes as they stand, but for types that are not chosen.
static void padici_sparse_describe(padic_sparse_csr *a, const padici_sparse_source *s,
                                   const padic_sparse_source *from)
{
    a->rows = s->rows;
    a->cols = s->cols;
    a->nnz = 0;
    a->kind = s->ring ? PADIC_SPARSE_KIND_NUMBERS : PADIC_SPARSE_KIND_PLAIN;
    a->val_of = s->val_dtype ? PADIC_SPARSE_VAL_ENTRY : PADIC_SPARSE_VAL_NONE;
    a->p = s->ring ? s->ring->p : 0;
    a->precision = s->ring ? s->ring->precision : 0;
    a->words = s->ring ? s->ring->words : 1;
    a->form = s->ring ? s->ring->form : (padic_num_form)0;
    a->mode = from->mode;
    a->threshold = from->mode >= PADIC_SPARSE_MODE_THRESHOLD ? from->threshold : 0;
    a->trusted = PADIC_SPARSE_LEVEL_UNKNOWN;
    if (!a->value.dtype) a->value.dtype = s->dtype;
    if (a->val_of && !a->val.dtype) a->val.dtype = s->val_dtype;
}

static void padici_sparse_report(const padici_sparse_source *s, const padic_sparse_csr *a,
                                 const uint64_t found[4], uint32_t wanted,
                                 padic_sparse_encode_report *report)
{
    padic_sparse_csr like = *a;
    report->nnz = a->nnz;
    report->index_size = (s->rows | s->cols | a->nnz) >> 31 ? 8 : 4;
    *(a->mode == PADIC_SPARSE_MODE_NONZERO ? &report->negative_zeros : &report->dropped) =
        wanted && s->has_other ? found[2] - a->nnz : 0;
    if (s->has_largest)
        report->largest_dropped = padici_sparse_magnitude(s->dtype, wanted ? found[3] : 0);
    if (!like.row_ptr.dtype || report->index_size == 8)
        like.row_ptr.dtype = report->index_size == 8 ? PADIC_I64 : PADIC_I32;
    like.col.dtype = like.row_ptr.dtype;
    report->size = padic_sparse_size(&like);
}

// What was found: a->nnz and *report (or NULL), which has the method. CAPACITY; LIMIT of the index.
PADICI_FN padic_result padici_sparse_found(const padici_sparse_source *s, padic_sparse_csr *a,
                                           const padici_sparse *planes, const uint64_t found[4],
                                           uint32_t wanted, padic_sparse_encode_report *report)
{
    const uint64_t total = found[1];
    a->nnz = total;
    if (report) padici_sparse_report(s, a, found, wanted, report);
    if (planes->size[0] && !planes->wide && total >> 31) return PADIC_ERROR_LIMIT;
    return total > planes->room ? PADIC_ERROR_CAPACITY : PADIC_OK;
}

PADICI_FN void padici_sparse_add_found(padic_sparse_encode_report *sum,
                                       const padic_sparse_encode_report *each)
{
    sum->nnz += each->nnz;
    sum->size += each->size;
    sum->negative_zeros += each->negative_zeros;
    sum->dropped += each->dropped;
    if (each->largest_dropped > sum->largest_dropped) sum->largest_dropped = each->largest_dropped;
    if (each->index_size > sum->index_size) sum->index_size = each->index_size;
    sum->method = each->method;
}

// A plane without its first `used` elements.
static padic_tensor padici_sparse_remainder(const padic_tensor *t, uint64_t used)
{
    const uint64_t n = padic_tensor_count(t);
    padic_tensor left = padic_tensor_1d(t->dtype, t->data, 0);
    if (used > n) used = n;
    left.shape[0] = n - used;
    left.buffer = t->buffer;
    left.offset = t->offset + (t->data ? 0 : used);
    if (t->data) left.data = (char *)t->data + used * padic_dtype_size(t->dtype);
    return left;
}

// Matrix b of a batch, whose entries begin with number `first`.
PADICI_FN void padici_sparse_part(padic_sparse_csr *part, const padic_sparse_csr *whole,
                                  const padici_sparse_source *s, uint64_t b, uint64_t first)
{
    const uint64_t words = s->ring ? s->ring->words : 1;
    *part = *whole;
    part->row_ptr = padici_sparse_remainder(&whole->row_ptr, b * (s->rows + 1));
    part->col = padici_sparse_remainder(&whole->col, first);
    part->value =
        padici_sparse_remainder(&whole->value, first == UINT64_MAX ? first : first * words);
    if (s->val_dtype) part->val = padici_sparse_remainder(&whole->val, first);
}

// How many bytes of the planes are to be staged out.
PADICI_FN void padici_sparse_encoding_written(padici_sparse_encoding *e)
{
    const padici_sparse *m = &e->planes;
    const uint64_t count = e->batch ? e->batch : 1;
    const uint64_t nnz = e->fill && e->found[1] <= m->room ? e->found[1] : 0;
    e->written[0] = (e->source.rows + 1) * count * m->size[0];
    e->written[1] = nnz * m->size[1];
    e->written[2] = nnz * m->entry;
    e->written[3] = nnz * m->size[3];
}

// The planes that are made; row_ptr alone where entries are only counted.
static padic_result padici_sparse_check_planes(padici_sparse_encoding *e)
{
    padic_context *const context = e->task.context;
    padici_sparse *m = &e->planes;
    const padic_tensor *t = &e->to.row_ptr;
    const uint64_t rows = e->to.rows;
    uint64_t room;
    void *p = NULL;
    padic_result result;
    memset(m, 0, sizeof *m);
    m->room = UINT64_MAX;
    if (e->fill) {
        if (e->batch) e->to.rows = (e->source.rows + 1) * e->batch - 1; // of all row_ptr
        result = padici_sparse_planes(context, &e->to, 1, m);
        e->to.rows = rows;
        if (result) return result;
        if (e->to.value.dtype == e->source.dtype &&
            (!e->to.val_of || e->to.val.dtype == e->source.val_dtype))
            return PADIC_OK;
        return padici_blame(context, PADIC_ERROR_MISMATCH,
                            e->to.value.dtype != e->source.dtype ? "value" : "val", NULL,
                            "must have the dtype of the source");
    }
    if (!t->data && !t->buffer.id) return PADIC_OK;
    result = padici_tensor_check_shape(t, &room);
    if (!result) result = padici_sparse_view(t, room, PADICI_SPARSE_INDICES, &p);
    if (!result && room <= e->source.rows) result = PADIC_ERROR_CAPACITY;
    if (result) return padici_blame(context, result, "row_ptr", NULL, NULL);
    m->row_ptr = (uint8_t *)p;
    m->wide = t->dtype == PADIC_I64;
    m->size[0] = padic_dtype_size(t->dtype);
    return PADIC_OK;
}

static padic_result padici_sparse_check_apart(const padici_sparse_encoding *e)
{
    const padici_sparse_source *s = &e->source;
    const uint64_t count = e->batch ? e->batch : 1;
    const uint64_t rows = s->rows ? (s->rows - 1) * s->stride + s->cols : 0;
    padici_sparse m = e->planes;
    padici_num_range list[8];
    uint32_t n = 0;
    if (!e->fill) m.bytes[0] = (s->rows + 1) * m.size[0]; // row_ptr alone
    m.bytes[3] = m.room * m.size[3];
    padici_sparse_ranges(&m, 0, 1, list, &n);
    if (s->ring)
        padici_num_ranges(s->ring, &s->planes, e->from.numbers.count, 0, list, &n);
    else
        padici_num_range_add(list, &n, s->key,
                             rows ? ((count - 1) * e->step + rows) * s->size : 0, 0, 0);
    return padici_num_overlap(list, n);
}

// Only on a device, everything there.
static padic_result padici_sparse_check_totals(const padici_sparse_encoding *e)
{
    const padici_view_task *task = &e->task;
    uint32_t i;
    padic_result result = PADIC_OK;
    if (!e->totals.dtype) return PADIC_OK;
    if (!task->context || e->totals.dtype != PADIC_U64 || padic_tensor_count(&e->totals) < 4)
        result = PADIC_ERROR_ARGUMENT;
    for (i = 0; i < task->count && !result; i++)
        if (task->view[i].tensor && task->view[i].tensor->data) result = PADIC_ERROR_ARGUMENT;
    return padici_blame(task->context, result, "totals", NULL,
                        "and all other arrays must lie in buffers of the device, 4 U64 here");
}

static padic_result padici_sparse_encoding_check(padici_view_task *task)
{
    padici_sparse_encoding *e = (padici_sparse_encoding *)(void *)task;
    padici_sparse_source *s = &e->source;
    const uint64_t rows = e->to.rows, cols = e->to.cols;
    uint64_t n;
    padic_result result =
        padici_sparse_source_of(task->context, s, &e->from, e->batch, e->batch ? &e->step : NULL);
    if (!result) result = padici_sparse_source_find(task->context, s, &e->from);
    if (!result) {
        if (e->has_limit) {
            s->most = e->limit;
            s->test = padici_sparse_above(s->dtype, e->limit);
        }
        n = s->rows * s->cols;
        e->density = n && rows == s->rows && cols == s->cols
                         ? (double)e->to.nnz / (double)(n * (e->batch ? e->batch : 1))
                         : -1;
        padici_sparse_describe(&e->to, s, &e->from);
        result = padici_sparse_check_planes(e);
    }
    if (!result) result = padici_sparse_check_apart(e);
    if (!result && e->planes.size[0] && !e->planes.wide && (s->rows | s->cols) >> 31)
        result = PADIC_ERROR_LIMIT;
    if (!result) result = padici_sparse_check_totals(e);
    return result ? padici_sparse_end(task->context, e->name, result) : PADIC_OK;
}

// The memory of planes that have been checked, where they lie now.
static void padici_sparse_point(padici_sparse *m, const padic_sparse_csr *a)
{
    m->row_ptr = (uint8_t *)(m->size[0] ? a->row_ptr.data : NULL);
    m->col = (uint8_t *)(m->size[1] ? a->col.data : NULL);
    m->value = (uint8_t *)(m->size[2] ? a->value.data : NULL);
    m->val = (uint8_t *)(m->size[3] ? a->val.data : NULL);
}

// One matrix by the loops of the host, into *to.
static padic_result padici_sparse_encode_one(padici_sparse_encoding *e, const padici_sparse *to,
                                             uint64_t found[4])
{
    padici_sparse_work w;
    padic_result result;
    memset(&w, 0, offsetof(padici_sparse_work, start));
    w.context = e->task.context;
    w.source = &e->source;
    w.report = e->report;
    w.fill = e->fill;
    w.to = *to;
    result = padici_sparse_work_run(&w, e->method, e->calibration, found);
    e->sum.method = w.method;
    return result;
}

// Number b of a batch, whose entries begin with number `first`.
static padic_result padici_sparse_encode_part(padici_sparse_encoding *e, uint64_t b, uint64_t first,
                                              padic_sparse_csr *a, uint64_t found[4])
{
    padici_sparse to;
    padic_result result;
    e->source.offset = b * e->step;
    padici_sparse_part(a, &e->to, &e->source, b, first);
    result = padici_sparse_planes(e->task.context, a, 1, &to);
    if (!result) result = padici_sparse_encode_one(e, &to, found);
    e->planes.room = to.room;
    return result;
}

static padic_result padici_sparse_encode_all(padici_sparse_encoding *e)
{
    const uint64_t room = e->planes.room;
    padic_sparse_encode_report sum, each;
    padic_sparse_csr a;
    padic_result result = PADIC_OK, worst = PADIC_OK;
    uint64_t b;
    memset(&sum, 0, sizeof sum);
    for (b = 0; b < e->batch && !result; b++) {
        uint64_t found[4];
        result = padici_sparse_encode_part(e, b, worst ? UINT64_MAX : sum.nnz, &a, found);
        if (result) break;
        memset(&each, 0, sizeof each);
        each.method = e->sum.method;
        result = padici_sparse_found(&e->source, &a, &e->planes, found, e->report, &each);
        if (result == PADIC_ERROR_CAPACITY) { // go on and count
            worst = result;
            result = PADIC_OK;
        }
        e->batch_out[b].nnz = each.nnz;
        padici_sparse_add_found(&sum, &each);
    }
    e->sum = sum;
    e->found[1] = sum.nnz;
    e->planes.room = worst ? 0 : room;
    if (worst && !sum.nnz) e->planes.room = room;
    return result;
}

static padic_result padici_sparse_encoding_host(padici_view_task *task)
{
    padici_sparse_encoding *e = (padici_sparse_encoding *)(void *)task;
    padic_result result;
    if (e->method >= PADIC_SPARSE_METHOD_GPU_ONE_PASS || e->totals.dtype) {
        padici_blame(task->context, PADIC_ERROR_NOT_SUPPORTED, "method", NULL,
                     "and totals are a device's, which does not do this");
        return padici_sparse_end(task->context, e->name, PADIC_ERROR_NOT_SUPPORTED);
    }
    if (e->unit.data) e->from.numbers.unit.data = e->unit.data;
    if (e->val.data) e->from.numbers.val.data = e->val.data;
    result = padici_sparse_source_find(task->context, &e->source, &e->from);
    padici_sparse_point(&e->planes, &e->to);
    if (!result)
        result = e->batch ? padici_sparse_encode_all(e)
                          : padici_sparse_encode_one(e, &e->planes, e->found);
    padici_sparse_encoding_written(e);
    e->method = e->sum.method;
    return result ? padici_sparse_end(task->context, e->name, result) : PADIC_OK;
}

PADICI_FN void padici_sparse_encoding_begin(padici_sparse_encoding *e, const char *name,
                                            uint32_t op, const padic_sparse_source *from,
                                            padic_sparse_method method,
                                            const padic_sparse_calibration *calibration)
{
    memset(&e->name, 0, sizeof *e - offsetof(padici_sparse_encoding, name));
    e->unit.data = e->val.data = NULL;
    e->name = name;
    e->op = op;
    e->from = *from;
    e->method = method;
    e->calibration = calibration;
}

// A plane of numbers as a view.
static void padici_sparse_number_view(padic_tensor *view, padic_num_plane *plane, uint64_t count)
{
    *view = padic_tensor_1d(plane->dtype, plane->data, count);
    view->buffer = plane->buffer;
    view->offset = plane->offset;
}

PADICI_FN padic_result padici_sparse_encoding_run(padic_context *context,
                                                  padici_sparse_encoding *e)
{
    padici_view_task *task = &e->task;
    padic_num_array *numbers = &e->from.numbers;
    const padic_num_ring *r = numbers->ring;
    const int floats = numbers->model == PADIC_NUM_FLOAT;
    padic_result result = padici_sparse_check_method(context, e->method);
    uint32_t i;
    if (result) return padici_sparse_end(context, e->name, result);
    padici_view_task_begin(task, context, padici_sparse_encoding_check,
                           padici_sparse_encoding_host);
    if (padici_num_ring_is(r)) {
        const uint64_t high = numbers->high ? numbers->high : numbers->count;
        padici_sparse_number_view(&e->unit, &numbers->unit,
                                  r->form == PADIC_NUM_W128 ? high + numbers->count
                                                            : padici_num_words(r, numbers->count));
        if (floats) padici_sparse_number_view(&e->val, &numbers->val, numbers->count);
        padici_view_add(task, "numbers", floats ? &e->val : &e->unit, 0);
        padici_view_add(task, "numbers", floats ? &e->unit : NULL, 0);
    } else {
        padici_view_add(task, "dense", &e->from.dense, 0);
        padici_view_add(task, "dense", NULL, 0);
    }
    for (i = 0; i < 4; i++) {
        static const char *const name[4] = {"row_ptr", "col", "value", "val"};
        padic_tensor *plane = padici_sparse_tensor(&e->to, i);
        const int wanted = e->fill ? i < 3 || floats : !i;
        padici_view_add(task, name[i], wanted ? plane : NULL, 1)->written = &e->written[i];
    }
    padici_view_add(task, "totals", &e->totals, 1);
    task->on_device = padici_sparse_choose(e->method, e->calibration, &e->from, e->batch) >=
                      PADIC_SPARSE_METHOD_GPU_ONE_PASS;
    return padici_run_task(context, e->op, e);
}

#endif
