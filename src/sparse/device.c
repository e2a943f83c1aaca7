#include "device.h"
#include "../context/cpu.h"
#include "../context/launch.h"
#include "../context/place.h"
#include "../context/pool.h"
#include "../context/target.h"
#include "../core/log.h"
#include "../core/tensor.h"
#include "index.h"
#include "matrix.h"
#include "source.h"

#if PADICI_IMPLEMENT_SPARSE

static padic_result padici_sparse_move_bytes(padici_sparse_stage *stage, const padici_place *to,
                                             const padici_place *from, uint64_t bytes)
{
    stage->context->stats.kernels.staged_bytes += bytes;
    return padici_target_move(stage->context, &stage->context->targets[0], to, from, bytes);
}

// *place becomes where the work finds `bytes` bytes at a pointer of the space; `in`: as they are.
PADICI_FN padic_result padici_sparse_reach(padici_sparse_stage *stage, const void *pointer,
                                           uint64_t bytes, int in, padici_place *place)
{
    const uint64_t address = (uint64_t)(uintptr_t)pointer, number = address >> 56;
    padici_pool *pool = &stage->context->pools[stage->host];
    padici_place home;
    padic_result result;
    home.host = !(number && number <= stage->space->mems);
    home.mem.bits = address;
    home.at = 0;
    if (!home.host) {
        home.mem = stage->space->mem[number - 1];
        home.at = address & (UINT64_MAX >> 8);
    }
    *place = home;
    if (!pointer || home.host == stage->host) return PADIC_OK;
    if (stage->count == 8) return PADIC_ERROR_LIMIT;
    result = padici_pool_take(stage->context, pool, bytes ? bytes : 1,
                              &stage->moved[stage->count].block);
    if (result) return result;
    place->mem = pool->blocks[stage->moved[stage->count].block].mem;
    place->at = 0;
    place->host = stage->host;
    stage->moved[stage->count].home = home;
    stage->moved[stage->count++].now = *place;
    return in ? padici_sparse_move_bytes(stage, place, &home, bytes) : PADIC_OK;
}

// Moves what was written home.
PADICI_FN padic_result padici_sparse_home(padici_sparse_stage *stage, const padici_place *place,
                                          uint64_t bytes)
{
    uint32_t i;
    for (i = 0; i < stage->count; i++)
        if (stage->moved[i].now.mem.bits == place->mem.bits)
            return padici_sparse_move_bytes(stage, &stage->moved[i].home, place, bytes);
    return PADIC_OK;
}

PADICI_FN void padici_sparse_stage_end(padici_sparse_stage *stage)
{
    while (stage->count)
        padici_pool_give(stage->context, &stage->context->pools[stage->host],
                         stage->moved[--stage->count].block);
}

PADICI_FN void padici_sparse_stage_begin(padici_sparse_stage *stage, padic_context *context,
                                         const padici_num_space *space, uint32_t host)
{
    memset(stage, 0, sizeof *stage);
    stage->context = context;
    stage->space = space;
    stage->host = host;
}

// The planes of a matrix to be made, and what is in them home again.
static padic_result padici_sparse_reach_planes(padici_sparse_stage *stage, const padici_sparse *to,
                                               uint64_t pointers, uint64_t room,
                                               padici_place place[4])
{
    padic_result result =
        padici_sparse_reach(stage, to->row_ptr, pointers * (to->wide ? 8 : 4), 0, &place[0]);
    if (!result) result = padici_sparse_reach(stage, to->col, room * to->size[1], 0, &place[1]);
    if (!result) result = padici_sparse_reach(stage, to->value, room * to->entry, 0, &place[2]);
    if (!result) result = padici_sparse_reach(stage, to->val, room * to->size[3], 0, &place[3]);
    return result;
}

static padic_result padici_sparse_home_planes(padici_sparse_stage *stage, const padici_sparse *to,
                                              uint64_t pointers, uint64_t nnz,
                                              const padici_place place[4])
{
    padic_result result = padici_sparse_home(stage, &place[0], pointers * (to->wide ? 8 : 4));
    if (!result) result = padici_sparse_home(stage, &place[1], nnz * to->size[1]);
    if (!result) result = padici_sparse_home(stage, &place[2], nnz * to->entry);
    if (!result) result = padici_sparse_home(stage, &place[3], nnz * to->size[3]);
    return result;
}

// The driver's struct, but for the places. 0 where no kernel can do it.
PADICI_FN int padici_sparse_drive_begin(const padici_sparse_work *w, const padic_sparse_csr *a,
                                        padic_sparse_method method, uint64_t batch,
                                        padici_sparse_drive *d)
{
    const padici_sparse_source *s = w->source;
    const uint64_t n = s->rows * s->cols * batch;
    memset(d, 0, sizeof *d);
    d->method = method;
    d->size = s->size;
    d->wide = w->to.wide;
    d->fill = w->fill;
    d->report = w->report && (s->has_other || s->has_largest);
    d->is_signed = (uint32_t)padici_sparse_is(s->dtype, PADICI_SPARSE_SIGNED);
    d->has_largest = s->has_largest;
    d->unit_size = s->gather ? s->ring->unit_size : 0;
    d->wait = 1;
    d->rows = s->rows;
    d->cols = s->cols;
    d->batch = batch;
    d->room = w->to.room < n ? w->to.room : n;
    d->most = s->most;
    d->test = s->test;
    d->other = s->other;
    d->density = a->rows == s->rows && a->cols == s->cols && n ? (double)a->nnz / (double)n : -1;
    return (s->key || !n) && (s->rows < 2 || s->stride == s->cols) &&
           (!s->gather || s->ring->words == 1) && s->cols >> 47 == 0 && n >> 40 == 0;
}

// All of `batch` matrices on the device; *d says what was found.
PADICI_FN padic_result padici_sparse_drive_run(const padici_sparse_work *w, padici_sparse_drive *d)
{
    const padici_sparse_source *s = w->source;
    const uint64_t n = s->rows * s->cols * d->batch, pointers = (s->rows + 1) * d->batch;
    const uint8_t *key = s->key ? s->key + s->offset * s->size : NULL;
    const uint8_t *unit = (const uint8_t *)s->planes.unit;
    padici_sparse_stage stage;
    padici_place place[4];
    padic_result result = padici_drive(w->context, PADIC_KERNEL_SPARSE_ENCODE, d, 1);
    if (result) return result;
    if (unit) unit += s->offset * d->unit_size; // none for plain matrices
    padici_sparse_stage_begin(&stage, w->context, &s->space, 0);
    result = padici_sparse_reach(&stage, n ? key : NULL, n * s->size, 1, &d->key);
    if (!result && d->unit_size)
        result = padici_sparse_reach(&stage, n ? unit : NULL, n * d->unit_size, 1, &d->unit);
    if (!result) result = padici_sparse_reach_planes(&stage, &w->to, pointers, d->room, place);
    if (!result && stage.count && !d->wait) result = PADIC_ERROR_ARGUMENT; // all on the device
    if (!result) {
        d->row_ptr = place[0];
        d->col = place[1];
        d->value = place[2];
        d->val = place[3];
        result = padici_drive(w->context, PADIC_KERNEL_SPARSE_ENCODE, d, 0);
    }
    if (!result)
        result = padici_sparse_home_planes(&stage, &w->to, pointers,
                                           d->fill && d->found[1] <= d->room ? d->found[1] : 0,
                                           place);
    padici_sparse_stage_end(&stage);
    return result;
}

PADICI_FN padic_result padici_sparse_totals(padic_context *context, const padic_tensor *totals,
                                            padici_place *place)
{
    padic_result result;
    if (!context || totals->dtype != PADIC_U64) return PADIC_ERROR_ARGUMENT;
    result = padici_operand_place(context, totals, place);
    if (!result && (place->host || padic_tensor_count(totals) < 4)) result = PADIC_ERROR_ARGUMENT;
    return result;
}

static padic_result padici_sparse_on_device(padici_sparse_work *w, padic_sparse_csr *a,
                                            const padic_sparse_csr *before,
                                            const padic_sparse_encode_desc *desc,
                                            padic_sparse_method method,
                                            padic_sparse_encode_report *report)
{
    const padici_sparse_source *s = w->source;
    padici_sparse_drive d;
    padic_result result = PADIC_OK;
    if (!padici_sparse_drive_begin(w, before, method, 1, &d)) return PADIC_ERROR_NOT_SUPPORTED;
    if (desc->totals.dtype) {
        result = padici_sparse_totals(w->context, &desc->totals, &d.totals);
        d.wait = 0;
    }
    if (!result) result = padici_sparse_drive_run(w, &d);
    if (result) return result;
    w->context->stats.kernels.calls++;
    report->method = d.method;
    if (!d.wait) {
        a->nnz = d.room;
        return PADIC_OK;
    }
    w->full = d.fill && d.found[1] > d.room;
    if (!s->has_largest) d.found[3] = 0;
    return padici_sparse_found(w, a, d.found[1], d.found[2], d.found[3], report);
}

// The loops of the host on copies of what lies on a device.
static padic_result padici_sparse_on_copies(padici_sparse_work *w, padic_sparse_csr *a,
                                            const padic_sparse_encode_desc *desc,
                                            padic_sparse_encode_report *report)
{
    padici_sparse_source source = *w->source;
    padici_sparse_stage stage;
    padici_sparse to = w->to;
    padici_place place[4], in;
    padic_num_planes *planes = &source.planes;
    const padic_num_ring *r = source.ring;
    const uint64_t n = source.rows * source.cols;
    uint64_t count = r ? desc->source.numbers.count : 0;
    const int key_is_val = planes->val != NULL;
    padic_result result = PADIC_OK;
    padici_sparse_stage_begin(&stage, w->context, &w->source->space, 1);
    if (r && count) {
        count = r->form == PADIC_NUM_W128 ? planes->high + count : padici_num_words(r, count);
        result = padici_sparse_reach(&stage, planes->unit, count * r->unit_size, 1, &in);
        planes->unit = padici_mem_at(in.mem, in.at);
        if (!result && planes->val) {
            result = padici_sparse_reach(&stage, planes->val,
                                         desc->source.numbers.count * source.size, 1, &in);
            planes->val = padici_mem_at(in.mem, in.at);
        }
        if (source.key) source.key = (const uint8_t *)(key_is_val ? planes->val : planes->unit);
    } else if (n) {
        count = (source.rows - 1) * source.stride + source.cols;
        result = padici_sparse_reach(&stage, source.key + source.offset * source.size,
                                     count * source.size, 1, &in);
        source.key = (const uint8_t *)padici_mem_at(in.mem, in.at);
        source.offset = 0;
    }
    if (!result)
        result = padici_sparse_reach_planes(&stage, &to, source.rows + 1, to.room < n ? to.room : n,
                                            place);
    if (!result) {
        w->source = &source;
        w->to.row_ptr = (uint8_t *)padici_mem_at(place[0].mem, place[0].at);
        w->to.col = (uint8_t *)padici_mem_at(place[1].mem, place[1].at);
        w->to.value = (uint8_t *)padici_mem_at(place[2].mem, place[2].at);
        w->to.val = (uint8_t *)padici_mem_at(place[3].mem, place[3].at);
        if (w->to.room > n) w->to.room = n;
        result = padici_sparse_work_run(w, a, desc, report);
    }
    if (!result || result == PADIC_ERROR_CAPACITY) {
        const padic_result back = padici_sparse_home_planes(
            &stage, &to, source.rows + 1, w->fill && !result ? a->nnz : 0, place);
        if (back) result = back;
    }
    padici_sparse_stage_end(&stage);
    if (!result && !w->context->stats.kernels.fallbacks++)
        padici_log_write(&w->context->log, PADIC_LOG_WARNING, 0,
                         "sparse: an operation on buffers was done on the host (said once)");
    return result;
}

// Counts, or counts and fills, where desc->method, or the memory, says.
PADICI_FN padic_result padici_sparse_work_do(padici_sparse_work *w, padic_sparse_csr *a,
                                             const padic_sparse_csr *before,
                                             const padic_sparse_encode_desc *desc,
                                             padic_sparse_encode_report *report)
{
    const padici_sparse_source *s = w->source;
    const uint64_t n = s->rows * s->cols;
    const int strict = w->context && w->context->strict;
    padic_sparse_method method = desc->method;
    padic_result result;
    if (method == PADIC_SPARSE_AUTO && desc->calibration)
        method = padici_sparse_choose(desc, NULL, n * s->size, n);
    memset(report, 0, sizeof *report);
    if (w->to.row_ptr && !w->to.wide && (s->rows | s->cols) >> 31) return PADIC_ERROR_LIMIT;
    if (method >= PADIC_SPARSE_GPU_ONE_PASS ||
        (method == PADIC_SPARSE_AUTO && (s->device || (s->space.mems && strict)))) {
        result = padici_sparse_on_device(w, a, before, desc, method, report);
        if (result != PADIC_ERROR_NOT_SUPPORTED || desc->method || (s->space.mems && strict))
            return result;
    }
    if (desc->totals.dtype) return PADIC_ERROR_NOT_SUPPORTED;
    if (!s->space.mems) return padici_sparse_work_run(w, a, desc, report);
    return strict ? PADIC_ERROR_NOT_SUPPORTED : padici_sparse_on_copies(w, a, desc, report);
}

#endif
