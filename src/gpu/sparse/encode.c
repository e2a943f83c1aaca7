#include "encode.h"
#include "../../context/operation.h"
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
    job->k.looks = PADICI_SPARSE_LOOKS;
    if (job->d->report) { // else the kernel does
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

// Nothing to look at: zeros.
static padic_result padici_gpu_sparse_empty(padici_gpu_sparse_job *job)
{
    const padici_sparse_drive *d = job->d;
    padic_result result = PADIC_OK;
    if (d->row_ptr.mem.bits)
        result = padici_gpu_sparse_zero(job, d->row_ptr.mem, d->row_ptr.at,
                                        (d->rows + 1) * d->batch * (d->wide ? 8 : 4));
    if (!result && d->totals.mem.bits)
        result = padici_gpu_sparse_zero(job, d->totals.mem, d->totals.at, 32);
    if (d->firsts) memset(d->firsts, 0, (size_t)(d->batch + 1) * 8);
    return result;
}

// row_ptr of a batch, and where the entries of each matrix begin.
static padic_result padici_gpu_sparse_segments(padici_gpu_sparse_job *job)
{
    padici_sparse_drive *d = job->d;
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
    padici_sparse_drive *d = job->d;
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
    result = method == PADIC_SPARSE_GPU_ONE_PASS
                 ? padici_gpu_sparse_one_pass(job)
                 : padici_gpu_sparse_two_pass(job, method == PADIC_SPARSE_GPU_BITMAP);
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

PADICI_FN padic_result padici_gpu_sparse_encode(padici_gpu *gpu, padici_sparse_drive *d, int query)
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

#endif
