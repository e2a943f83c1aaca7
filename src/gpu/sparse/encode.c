#include "encode.h"
#include "../../context/operation.h"
#include "../../sparse/index.h"
#include "../../sparse/work.h"
#include "../launch.h"
#include "job.h"
#include "../texts.h"

#if PADICI_IMPLEMENT_GPU && !defined(PADIC_NO_SPARSE)

// Dense to CSR, in one pass or two.

static padic_result padici_gpu_sparse_one_pass(padici_gpu_sparse_job *job)
{
    const uint32_t size = job->d->size;
    const uint64_t tile =
        (job->groups ? padici_gpu_sparse_ring_bytes(size) : PADICI_SPARSE_TILE_BYTES) / size;
    const uint64_t n = job->elements + job->k.pad, tiles = (n + tile - 1) / tile;
    const uint64_t words = job->groups ? 8 + (tiles + 5) / 2 // see ring.cu
                                       : 8 + tiles + 2 * ((tiles + 31) / 32); // sparse.cu
    padic_mem totals = job->d->totals.mem;
    padici_gpu_work work;
    padic_mem state;
    padic_result result;
    if (tiles >> 23) return PADIC_ERROR_NOT_SUPPORTED;
    result = job->groups ? padici_gpu_kept(job->gpu, words * 8, &state) : PADIC_ERROR_NOT_SUPPORTED;
    if (result == PADIC_ERROR_NOT_SUPPORTED) {
        result = padici_gpu_sparse_scratch(job, PADICI_SPARSE_B_STATE, words * 8);
        state = job->block[PADICI_SPARSE_B_STATE].mem;
        if (!result) result = padici_gpu_sparse_zero(job, state, 0, words * 8);
    }
    if (!result && !totals.bits) {
        result = padici_gpu_sparse_scratch(job, PADICI_SPARSE_B_TOTALS, 64);
        totals = job->block[PADICI_SPARSE_B_TOTALS].mem;
    }
    if (result) return result;
    job->k.tiles = (uint32_t)tiles;
    job->k.polls = PADICI_SPARSE_POLLS;
    if (job->d->report) { // otherwise the kernel does
        result = padici_gpu_sparse_zero(job, totals,
                                        job->d->totals.mem.bits ? job->d->totals.at : 0, 32);
        if (result) return result;
    }
    padici_gpu_sparse_work(job, &work,
                           job->groups ? PADICI_KERNEL_CUDA_SPARSE_RING_ENCODE
                                       : PADICI_KERNEL_CUDA_SPARSE_ENCODE,
                           8, job->groups ? job->groups : (uint32_t)tiles);
    work.mem[1] = state;
    padici_gpu_sparse_planes(job, &work, 2, state);
    work.mem[7] = totals;
    return padici_gpu_launch(job->gpu, &work);
}

// Pass 1, scan and pass 2.
static padic_result padici_gpu_sparse_passes(padici_gpu_sparse_job *job, int bitmap,
                                             padic_mem totals)
{
    const uint32_t tiles = job->k.tiles, scan = 8 * 256;
    const int entries = job->k.flags & (PADICI_SPARSE_K_FILL | PADICI_SPARSE_K_ROWS);
    padici_gpu_work work;
    padic_mem count, bits, start, report;
    padic_result result = padici_gpu_sparse_scratch(job, PADICI_SPARSE_B_COUNT, tiles * 4u);
    if (!result)
        result = padici_gpu_sparse_scratch(job, PADICI_SPARSE_B_START, (uint64_t)tiles * 8);
    if (!result && job->d->report)
        result = padici_gpu_sparse_scratch(job, PADICI_SPARSE_B_REPORT, (uint64_t)tiles * 16);
    if (!result && entries && bitmap) {
        job->k.flags |= PADICI_SPARSE_K_BITMAP;
        result = padici_gpu_sparse_scratch(
            job, PADICI_SPARSE_B_BITMAP, (uint64_t)tiles * padici_sparse_tile(job->d->size) / 8);
    }
    if (result) return result;
    count = job->block[PADICI_SPARSE_B_COUNT].mem;
    start = job->block[PADICI_SPARSE_B_START].mem;
    bits = padici_sparse_mem(job->block[PADICI_SPARSE_B_BITMAP].mem, count);
    report = padici_sparse_mem(job->block[PADICI_SPARSE_B_REPORT].mem, start);
    padici_gpu_sparse_work(job, &work, PADICI_KERNEL_SPARSE_BITS, 5, tiles);
    work.mem[1] = work.mem[0];
    work.mem[2] = bits;
    work.mem[3] = count;
    work.mem[4] = report;
    result = padici_gpu_launch(job->gpu, &work);
    if (result) return result;
    padici_gpu_sparse_work(job, &work, PADICI_KERNEL_SPARSE_SCAN, 4, (tiles + scan - 1) / scan);
    work.mem[0] = count;
    work.mem[1] = report;
    work.mem[2] = start;
    work.mem[3] = totals;
    result = padici_gpu_launch(job->gpu, &work);
    if (result || !entries) return result;
    padici_gpu_sparse_work(job, &work, PADICI_KERNEL_SPARSE_EMIT, 8, tiles);
    work.mem[1] = job->k.flags & PADICI_SPARSE_K_BITMAP ? bits : work.mem[0];
    work.mem[2] = start;
    padici_gpu_sparse_planes(job, &work, 3, count);
    return padici_gpu_launch(job->gpu, &work);
}

static padic_result padici_gpu_sparse_two_pass(padici_gpu_sparse_job *job, int bitmap)
{
    const uint32_t tile = padici_sparse_tile(job->d->size);
    const uint64_t tiles = (job->elements + job->k.pad + tile - 1) / tile;
    padici_gpu_work work;
    padic_mem totals = job->d->totals.mem;
    padic_result result;
    if (tiles >> 24) return PADIC_ERROR_NOT_SUPPORTED;
    job->k.tiles = (uint32_t)tiles;
    result = padici_gpu_sparse_scratch(job, PADICI_SPARSE_B_TOTALS, 64);
    if (result) return result;
    totals = padici_sparse_mem(totals, job->block[PADICI_SPARSE_B_TOTALS].mem);
    if (job->elements > PADICI_SPARSE_SMALL) return padici_gpu_sparse_passes(job, bitmap, totals);
    padici_gpu_sparse_work(job, &work, PADICI_KERNEL_SPARSE_SMALL, 8, 1);
    work.mem[1] = work.mem[0];
    work.mem[2] = totals;
    padici_gpu_sparse_planes(job, &work, 3, job->block[PADICI_SPARSE_B_TOTALS].mem);
    return padici_gpu_launch(job->gpu, &work);
}

// No elements: zeros.
static padic_result padici_gpu_sparse_empty(padici_gpu_sparse_job *job)
{
    const padici_gpu_sparse_drive *d = job->d;
    padic_result result = PADIC_OK;
    if (d->row_ptr.mem.bits)
        result = padici_gpu_sparse_zero(job, d->row_ptr.mem, d->row_ptr.at,
                                        (d->rows + 1) * d->batch * (d->wide ? 8 : 4));
    if (!result && d->totals.mem.bits)
        result = padici_gpu_sparse_zero(job, d->totals.mem, d->totals.at, 32);
    if (d->firsts) memset(d->firsts, 0, (size_t)(d->batch + 1) * 8);
    return result;
}

// row_ptr of a batch, and the first entry of each matrix.
static padic_result padici_gpu_sparse_segments(padici_gpu_sparse_job *job)
{
    padici_gpu_sparse_drive *d = job->d;
    const uint64_t pointers = (d->rows + 1) * d->batch;
    padici_k_sparse_segments_params k;
    padici_gpu_work work;
    padic_result result =
        padici_gpu_sparse_scratch(job, PADICI_SPARSE_B_FIRSTS, (d->batch + 1) * 8);
    if (result) return result;
    memset(&k, 0, sizeof k);
    PADICI_SPARSE_PAIR(k, rows, d->rows);
    PADICI_SPARSE_PAIR(k, to, d->row_ptr.at / (d->wide ? 8 : 4));
    k.count = (uint32_t)d->batch;
    k.wide = d->wide ? PADICI_SPARSE_K_WIDE : 0;
    padici_gpu_sparse_work(job, &work, PADICI_KERNEL_SPARSE_SEGMENTS, 3,
                           padici_gpu_groups(job->gpu, pointers, PADICI_SPARSE_GROUP));
    work.params = &k;
    work.params_size = sizeof k;
    work.mem[0] = job->row_ptr.mem;
    work.mem[1] = d->row_ptr.mem;
    work.mem[2] = job->block[PADICI_SPARSE_B_FIRSTS].mem;
    result = padici_gpu_launch(job->gpu, &work);
    if (result || !d->firsts) return result;
    return padici_gpu_download(job->gpu, work.mem[2], 0, d->firsts, (d->batch + 1) * 8);
}

static padic_result padici_gpu_sparse_run(padici_gpu_sparse_job *job, padic_sparse_method method)
{
    padici_gpu_sparse_drive *d = job->d;
    padic_mem totals;
    padic_result result = PADIC_OK;
    job->row_ptr = d->row_ptr;
    if (d->batch > 1) {
        result = padici_gpu_sparse_scratch(job, PADICI_SPARSE_B_ROW_PTR,
                                           (d->rows * d->batch + 1) * (d->wide ? 8 : 4));
        job->row_ptr.mem = job->block[PADICI_SPARSE_B_ROW_PTR].mem;
        job->row_ptr.at = 0;
    }
    if (!result && !padici_gpu_sparse_params(job)) result = PADIC_ERROR_NOT_SUPPORTED;
    if (result) return result;
    result = method == PADIC_SPARSE_METHOD_GPU_ONE_PASS
                 ? padici_gpu_sparse_one_pass(job)
                 : padici_gpu_sparse_two_pass(job, method == PADIC_SPARSE_METHOD_GPU_BITMAP);
    if (!result && d->batch > 1) result = padici_gpu_sparse_segments(job);
    if (result || !d->wait) return result;
    totals = job->block[PADICI_SPARSE_B_TOTALS].mem;
    result = padici_gpu_download(job->gpu, padici_sparse_mem(d->totals.mem, totals),
                                 d->totals.mem.bits ? d->totals.at : 0, d->found, 32);
    if (!result && d->firsts && d->batch == 1) {
        d->firsts[0] = 0;
        d->firsts[1] = d->found[1];
    }
    return result;
}

static padic_result padici_gpu_sparse_do(padici_gpu *gpu, padici_gpu_sparse_drive *d, int query)
{
    const uint64_t full = UINT64_MAX >> (64 - 8 * d->size);
    padici_gpu_sparse_job job;
    padic_sparse_method method;
    padic_result result;
    uint32_t i;
    memset(&job, 0, sizeof job);
    job.gpu = gpu;
    job.d = d;
    job.elements = d->rows * d->cols * d->batch;
    job.simple = (d->test.factor & full) == 1 && !(d->test.bias & full) && !(d->test.limit & full);
    padici_gpu_sparse_shape(&job);
    for (i = 0; i < 7; i++) job.block[i].block = PADICI_NO_BLOCK;
    result = padici_gpu_sparse_method(&job, &method);
    if (query || result) return result;
    result = job.elements ? padici_gpu_sparse_run(&job, method) : padici_gpu_sparse_empty(&job);
    for (i = 0; i < 7; i++) padici_gpu_scratch_end(gpu, &job.block[i]);
    d->method = method;
    return result;
}

// The parameters of an encoding, except the addresses of its arrays. 0 where no kernel supports it.
PADICI_FN int padici_gpu_sparse_drive_of(const padici_sparse_encoding *e,
                                         padici_gpu_sparse_drive *d)
{
    const padici_sparse_source *s = &e->source;
    const uint64_t n = s->rows * s->cols * (e->batch ? e->batch : 1);
    memset(d, 0, sizeof *d);
    d->method = padici_sparse_choose(e->method, e->calibration, &e->from, e->batch);
    d->size = s->size;
    d->wide = e->planes.wide;
    d->fill = e->fill;
    d->report = e->report && (s->has_other || s->has_largest);
    d->is_signed = (uint32_t)padici_sparse_is(s->dtype, PADICI_SPARSE_SIGNED);
    d->has_largest = s->has_largest;
    d->unit_size = s->gather ? s->ring->unit_size : 0;
    d->wait = e->totals.dtype == PADIC_DTYPE_NONE;
    d->rows = s->rows;
    d->cols = s->cols;
    d->batch = 1;
    d->room = e->planes.room < n ? e->planes.room : n;
    d->most = s->most;
    d->test = s->test;
    d->other = s->other;
    d->density = e->density;
    return d->method != PADIC_SPARSE_METHOD_SCALAR && d->method != PADIC_SPARSE_METHOD_SIMD &&
           d->method != PADIC_SPARSE_METHOD_THREADS && !s->made && (s->rows < 2 ||
                                                                    s->stride == s->cols) &&
           (!s->gather || s->ring->words == 1) && s->cols >> 47 == 0 && n >> 40 == 0;
}

static void padici_gpu_sparse_places(const padici_call *call, padici_gpu_sparse_drive *d)
{
    const padici_operand *o = call->operands;
    d->key = o[PADICI_SPARSE_V_KEYS].now;
    if (d->unit_size) d->unit = o[PADICI_SPARSE_V_UNITS].now;
    d->row_ptr = o[PADICI_SPARSE_V_PLANES].now;
    d->col = o[PADICI_SPARSE_V_PLANES + 1].now;
    d->value = o[PADICI_SPARSE_V_PLANES + 2].now;
    d->val = o[PADICI_SPARSE_V_PLANES + 3].now;
    d->totals = o[PADICI_SPARSE_V_TOTALS].now;
}

// One matrix after the other, each with its own report.
static padic_result padici_gpu_sparse_each(padici_gpu *gpu, padici_sparse_encoding *e,
                                           const padici_gpu_sparse_drive *all)
{
    const uint64_t index = all->wide ? 8 : 4, key = all->unit_size ? all->size : 0;
    const uint64_t entry = all->unit_size ? all->unit_size : all->size, room = all->room;
    uint64_t first = 0, b, total = 0;
    padic_result result = PADIC_OK;
    for (b = 0; b < e->batch && !result; b++) {
        padici_gpu_sparse_drive d = *all;
        d.batch = 1;
        d.key.at += b * e->step * d.size;
        d.unit.at += b * e->step * d.unit_size;
        d.row_ptr.at += b * (d.rows + 1) * index;
        d.col.at += first * index;
        d.value.at += first * entry;
        d.val.at += first * key;
        d.room = room - first < d.rows * d.cols ? room - first : d.rows * d.cols;
        result = padici_gpu_sparse_do(gpu, &d, 0);
        if (result) break;
        e->firsts[b] = total;
        total += d.found[1];
        e->found[2] += d.found[2];
        if (d.found[3] > e->found[3]) e->found[3] = d.found[3];
        first = total < room ? total : room;
        e->method = d.method;
    }
    e->firsts[e->batch] = e->found[1] = total;
    return result;
}

// All matrices at once, or one by one where there are gaps between them, or reports.
static padic_result padici_gpu_sparse_batch(padici_gpu *gpu, padici_sparse_encoding *e,
                                            padici_gpu_sparse_drive *d, int query)
{
    padic_result result;
    if (e->step != d->rows * d->cols || d->report || e->batch >> 31) {
        if (query) return padici_gpu_sparse_do(gpu, d, 1);
        return padici_gpu_sparse_each(gpu, e, d);
    }
    d->batch = e->batch;
    d->firsts = e->firsts;
    result = padici_gpu_sparse_do(gpu, d, query);
    if (query || result) return result;
    memcpy(e->found, d->found, sizeof e->found);
    e->method = d->method;
    return result;
}

static padic_result padici_gpu_sparse_encoding(padici_gpu *gpu, const padici_call *call, int query)
{
    padici_sparse_encoding *e = (padici_sparse_encoding *)call->task;
    padici_gpu_sparse_drive d;
    padic_result result;
    if (!padici_gpu_sparse_drive_of(e, &d)) return PADIC_ERROR_NOT_SUPPORTED;
    if (!query) padici_gpu_sparse_places(call, &d);
    if (e->batch) {
        result = padici_gpu_sparse_batch(gpu, e, &d, query);
    } else {
        result = padici_gpu_sparse_do(gpu, &d, query);
        memcpy(e->found, d.found, sizeof e->found);
        if (!query && !result) e->method = d.method;
    }
    if (!query && !result) padici_sparse_encoding_written(e);
    return result;
}

PADICI_FN padic_result padici_gpu_sparse_count(padici_gpu *gpu, const padici_call *call, int query)
{
    return padici_gpu_sparse_encoding(gpu, call, query);
}

PADICI_FN padic_result padici_gpu_sparse_encode(padici_gpu *gpu, const padici_call *call, int query)
{
    return padici_gpu_sparse_encoding(gpu, call, query);
}

PADICI_FN padic_result padici_gpu_sparse_encode_batch(padici_gpu *gpu, const padici_call *call,
                                                      int query)
{
    return padici_gpu_sparse_encoding(gpu, call, query);
}

#endif
