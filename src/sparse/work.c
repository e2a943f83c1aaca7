#include "work.h"
#include "../context/loops.h"
#include "../context/messages.h"
#include "../core/jobs.h"
#include "../num/cell.h"
#include "kept.h"
#include "scan.h"

#if PADICI_IMPLEMENT_SPARSE

// Work

// The elements of a source from `at` on that go through at once: part of one row, or rows.
static uint64_t padici_sparse_piece(const padici_sparse_work *w, uint64_t at, uint64_t end,
                                    padic_sparse_call *call, uint64_t *row)
{
    const padici_sparse_source *s = w->source;
    const uint64_t most = s->gather ? PADICI_SPARSE_GATHERED : PADICI_SPARSE_PIECE, n = end - at;
    *row = at / s->cols;
    memset(call, 0, sizeof *call);
    call->size = s->size;
    call->index_size = w->to.wide ? 8 : 4;
    call->first = at - *row * s->cols;
    call->stride = s->stride;
    call->rows = 1;
    call->cols = s->cols - call->first;
    if (s->key) call->key = s->key + (*row * s->stride + call->first + s->offset) * s->size;
    if (call->first || n < s->cols || s->cols > most / 2 || s->gather) {
        if (call->cols > n) call->cols = n;
        if (call->cols > most) call->cols = most;
    } else {
        call->rows = (n < most ? n : most) / s->cols;
    }
    return call->rows * call->cols;
}

// 1 if a backend did it.
static int padici_sparse_run(const padici_sparse_work *w, padic_sparse_call *call,
                             const padici_sparse_test *test, uint32_t kernel)
{
    const padici_loop loop = kernel == PADIC_OP_SPARSE_COUNT_LOOP ? w->count_loop : w->fill_loop;
    call->factor = test->factor;
    call->bias = test->bias;
    call->mask = test->mask;
    call->limit = test->limit;
    call->kept = 0;
    if (padici_loop_run(loop, call) == PADIC_OK) return 1;
    padici_sparse_plain(call, kernel);
    return 0;
}

// The units of the entries from `at` on, all in one row.
static void padici_sparse_collect(const padici_sparse_work *w, uint64_t row, uint64_t at,
                                  uint64_t n)
{
    const padici_sparse_source *s = w->source;
    const padic_num_ring *r = s->ring;
    const uint64_t end = at + n;
    uint64_t step, i;
    uint32_t k;
    for (; at < end; at++) {
        uint8_t *value = w->to.value + at * w->to.entry;
        i = padici_sparse_index(w->to.col, w->to.wide, at) + row * s->cols + s->offset;
        i = padici_num_at(r, &s->planes, i, &step);
        for (k = 0; k < r->words; k++)
            padici_sparse_key_set(value + k * r->unit_size, r->unit_size,
                                  padici_num_word(r, s->planes.unit, i + k * step));
    }
}

// What a report says of a piece, beside `kept`.
static void padici_sparse_inspect(padici_sparse_work *w, padic_sparse_call *call, uint32_t task)
{
    const padici_sparse_source *s = w->source;
    const uint8_t *key = (const uint8_t *)call->key;
    const int is_signed = padici_sparse_is(s->dtype, PADICI_SPARSE_SIGNED);
    const uint64_t mask = s->other.mask, most = s->most;
    uint64_t r, x;
    call->row_ptr = NULL;
    if (s->has_other) {
        padici_sparse_run(w, call, &s->other, PADIC_OP_SPARSE_COUNT_LOOP);
        w->other[task] += call->kept;
    }
    for (r = 0; s->has_largest && r < call->rows; r++, key += call->stride * call->size) {
        x = s->size == 1   ? padici_sparse_largest8(key, call->cols, mask, is_signed, most)
            : s->size == 2 ? padici_sparse_largest16(key, call->cols, mask, is_signed, most)
            : s->size == 4 ? padici_sparse_largest32(key, call->cols, mask, is_signed, most)
                           : padici_sparse_largest64(key, call->cols, mask, is_signed, most);
        if (x > w->largest[task]) w->largest[task] = x;
    }
}

// Elements begin to end, with `total` kept before them; what is kept after them. Without `surely`
// it fills until the first piece that does not fit.
static uint64_t padici_sparse_span(padici_sparse_work *w, uint64_t begin, uint64_t end,
                                   uint64_t total, uint64_t room, uint32_t task)
{
    const padici_sparse_source *s = w->source;
    const padici_sparse *to = &w->to;
    const uint32_t index = to->wide ? 8 : 4;
    uint8_t made[PADICI_SPARSE_GATHERED];
    padic_sparse_call call;
    uint64_t at, n, row, i;
    int vectors = 0;
    for (at = begin; at < end; at += n) {
        uint32_t fill = w->fill && !w->full;
        n = padici_sparse_piece(w, at, end, &call, &row);
        for (i = 0; !s->key && i < n; i++)
            made[i] = padici_sparse_number_key(s, s->offset + at + i);
        if (!s->key) call.key = made;
        call.start = total;
        call.row_ptr = to->row_ptr && !call.first ? to->row_ptr + row * index : NULL;
        call.room = fill ? room - total : 0;
        if (!fill || (!w->surely && call.room < n)) {
            vectors |= padici_sparse_run(w, &call, &s->test, PADIC_OP_SPARSE_COUNT_LOOP);
            if (fill && call.kept > call.room) w->full = 1, fill = 0;
            if (fill) call.room = call.kept;
        }
        if (fill && to->room) {
            call.col = to->col + total * index;
            call.value = !s->gather ? to->value + total * to->entry
                         : to->val  ? to->val + total * to->size[3]
                                    : NULL;
        }
        if (fill) vectors |= padici_sparse_run(w, &call, &s->test, PADIC_OP_SPARSE_FILL_LOOP);
        if (fill && s->gather) padici_sparse_collect(w, row, total, call.kept);
        total += call.kept;
        if (w->report) padici_sparse_inspect(w, &call, task);
    }
    w->vectors[task] = (uint32_t)vectors;
    return total;
}

static void padici_sparse_work_task(void *arg, uint32_t task)
{
    padici_sparse_work *w = (padici_sparse_work *)arg;
    const uint64_t begin = w->begin + task * w->step, left = w->end - begin, start = w->start[task];
    w->kept[task] = padici_sparse_span(w, begin, begin + (left < w->step ? left : w->step), start,
                                       start + w->kept[task], task) - start;
}

// Several threads: 32 tasks at a time count, then do it again from their caches, knowing where they
// begin: they fill, or at least set row_ptr.
static uint64_t padici_sparse_parallel(padici_sparse_work *w, uint64_t elements)
{
    const padic_jobs *jobs = padici_jobs(w->context);
    const uint32_t fill = w->fill, report = w->report;
    uint64_t total = 0;
    uint32_t tasks, t;
    w->step = PADICI_SPARSE_TASK;
    w->surely = 1;
    w->tasks = PADICI_SPARSE_TASKS;
    memset(w->start, 0, sizeof w->start);
    memset(w->kept, 0, sizeof w->kept);
    memset(w->other, 0, sizeof w->other);
    memset(w->largest, 0, sizeof w->largest);
    for (w->begin = 0; w->begin < elements; w->begin = w->end) {
        w->end = elements - w->begin < PADICI_SPARSE_TASKS * w->step
                     ? elements
                     : w->begin + PADICI_SPARSE_TASKS * w->step;
        tasks = (uint32_t)((w->end - w->begin + w->step - 1) / w->step);
        memset(w->start, 0, sizeof w->start);
        w->fill = 0;
        w->report = report;
        padici_parallel(jobs, tasks, padici_sparse_work_task, w);
        for (t = 0; t < tasks; t++) {
            w->start[t] = total;
            total += w->kept[t];
        }
        w->full = w->full || (fill && total > w->to.room);
        w->fill = fill;
        w->report = 0;
        if (w->to.row_ptr || fill) padici_parallel(jobs, tasks, padici_sparse_work_task, w);
    }
    w->report = report;
    return total;
}

// Which method AUTO is for so many elements; AUTO: no calibration says so.
static padic_sparse_method padici_sparse_choose_for(padic_sparse_method method,
                                                    const padic_sparse_calibration *calibration,
                                                    uint64_t elements)
{
    const int size = (elements >= 1u << 14) + (elements >= 1u << 18) + (elements >= 1u << 22);
    if (method != PADIC_SPARSE_METHOD_AUTO || !calibration ||
        (uint32_t)calibration->best[size] >= PADIC_SPARSE_METHOD_COUNT)
        return method;
    return calibration->best[size];
}

// The same for a source that has not been looked at.
PADICI_FN padic_sparse_method padici_sparse_choose(padic_sparse_method method,
                                                   const padic_sparse_calibration *calibration,
                                                   const padic_sparse_source *from, uint64_t batch)
{
    const uint64_t all =
        from->numbers.ring ? from->numbers.count : padic_tensor_count(&from->dense);
    return padici_sparse_choose_for(method, calibration, all / (batch ? batch : 1));
}

// Counts, or counts and fills, on the host. found: 0, entries, kept by `other`, largest.
PADICI_FN padic_result padici_sparse_work_run(padici_sparse_work *w, padic_sparse_method method,
                                              const padic_sparse_calibration *calibration,
                                              uint64_t found[4])
{
    const padici_sparse_source *s = w->source;
    const padic_jobs *jobs = padici_jobs(w->context);
    const uint64_t elements = s->rows * s->cols;
    padic_sparse_call call;
    uint64_t total = 0, row;
    uint32_t t;
    memset(found, 0, 4 * sizeof *found);
    method = padici_sparse_choose_for(method, calibration, elements);
    if (method == PADIC_SPARSE_METHOD_AUTO && jobs && jobs->workers > 1 &&
        elements * s->size >= 1u << 20)
        method = PADIC_SPARSE_METHOD_THREADS;
    if (method == PADIC_SPARSE_METHOD_AUTO && elements < PADICI_SPARSE_FEW)
        method = PADIC_SPARSE_METHOD_SCALAR;
    if (elements && s->key && method != PADIC_SPARSE_METHOD_SCALAR)
        w->count_loop = padici_loop_of(w->context, PADIC_OP_SPARSE_COUNT_LOOP);
    if (w->count_loop.op)
        w->fill_loop = padici_loop_of(w->context, PADIC_OP_SPARSE_FILL_LOOP);
    if (method == PADIC_SPARSE_METHOD_SIMD && elements) { // asks for the first
        if (!w->count_loop.op) return PADIC_ERROR_NOT_SUPPORTED;
        padici_sparse_piece(w, 0, elements, &call, &row);
        if (!padici_sparse_run(w, &call, &s->test, PADIC_OP_SPARSE_COUNT_LOOP))
            return PADIC_ERROR_NOT_SUPPORTED;
    }
    w->tasks = 1;
    w->other[0] = w->largest[0] = w->vectors[0] = 0;
    if (elements)
        total = method == PADIC_SPARSE_METHOD_THREADS
                    ? padici_sparse_parallel(w, elements)
                    : padici_sparse_span(w, 0, elements, 0, w->to.room, 0);
    else if (w->to.row_ptr)
        memset(w->to.row_ptr, 0, (size_t)(s->rows * (w->to.wide ? 8 : 4)));
    if (w->to.row_ptr) padici_sparse_index_set(w->to.row_ptr, w->to.wide, s->rows, total);
    found[1] = total;
    for (t = 0; t < w->tasks; t++) {
        found[2] += w->other[t];
        if (w->largest[t] > found[3]) found[3] = w->largest[t];
    }
    w->method = method == PADIC_SPARSE_METHOD_THREADS ? method
                : w->vectors[0]                       ? PADIC_SPARSE_METHOD_SIMD
                                                      : PADIC_SPARSE_METHOD_SCALAR;
    return PADIC_OK;
}

#endif
