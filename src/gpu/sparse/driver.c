#include "driver.h"
#include "../../sparse/calls.h"
#include "../../sparse/device.h"
#include "../launch.h"
#include "encode.h"
#include "job.h"
#include "../texts.h"

#if PADICI_IMPLEMENT_GPU && !defined(PADIC_NO_SPARSE)

// CSR to dense; the driver, what it builds beforehand, its rows in the tables.

static padic_result padici_gpu_sparse_decode(padici_gpu *gpu, const padici_sparse_decode_drive *d,
                                             int query)
{
    const uint64_t tile = 8192 / d->size, n = d->rows * d->cols, groups = (n + tile - 1) / tile;
    const uint32_t index = d->wide ? 8 : 4;
    padici_gpu_sparse_job job;
    padici_sparse_drive like;
    padici_k_sparse_decode_params k;
    padici_gpu_work work;
    padic_result result;
    memset(&job, 0, sizeof job);
    memset(&like, 0, sizeof like);
    like.size = d->size;
    job.gpu = gpu;
    job.d = &like;
    result = padici_gpu_sparse_need(&job, PADICI_KERNEL_SPARSE_DECODE);
    if (!result && (groups >> 24 || n >> 40)) result = PADIC_ERROR_NOT_SUPPORTED;
    if (query || result || !n) return result;
    if ((d->row_ptr.at | d->col.at) % index || (d->value.at | d->dense.at) % d->size)
        return PADIC_ERROR_NOT_SUPPORTED;
    memset(&k, 0, sizeof k);
    PADICI_SPARSE_PAIR(k, rows, d->rows);
    PADICI_SPARSE_PAIR(k, cols, d->cols);
    PADICI_SPARSE_PAIR(k, nnz, d->nnz);
    PADICI_SPARSE_PAIR(k, row_ptr, d->row_ptr.at / index);
    PADICI_SPARSE_PAIR(k, col, d->col.at / index);
    PADICI_SPARSE_PAIR(k, value, d->value.at / d->size);
    PADICI_SPARSE_PAIR(k, dense, d->dense.at / d->size);
    k.wide = d->wide ? PADICI_SPARSE_K_WIDE : 0;
    padici_gpu_sparse_work(&job, &work, PADICI_KERNEL_SPARSE_DECODE, 4, (uint32_t)groups);
    work.params = &k;
    work.params_size = sizeof k;
    work.mem[0] = d->row_ptr.mem;
    work.mem[1] = padici_sparse_mem(d->col.mem, d->row_ptr.mem); // NULL without entries
    work.mem[2] = padici_sparse_mem(d->value.mem, d->row_ptr.mem);
    work.mem[3] = d->dense.mem;
    return padici_gpu_launch(gpu, &work);
}

PADICI_FN padic_result padici_gpu_sparse(padici_gpu *gpu, uint32_t kernel, void *call, int query)
{
    if (kernel == PADIC_KERNEL_SPARSE_DECODE)
        return padici_gpu_sparse_decode(gpu, (const padici_sparse_decode_drive *)call, query);
    if (kernel == PADIC_KERNEL_SPARSE_ENCODE)
        return padici_gpu_sparse_encode(gpu, (padici_sparse_drive *)call, query);
    return PADIC_ERROR_NOT_SUPPORTED;
}

// The most used: elements of 1, 2 and 4 bytes, kept where they are not 0; of matrices of any size.
PADICI_FN padic_result padici_warm_sparse(padici_gpu *gpu)
{
    padici_gpu_sparse_job job;
    padici_sparse_drive d;
    padic_result result = PADIC_OK;
    memset(&job, 0, sizeof job);
    memset(&d, 0, sizeof d);
    job.gpu = gpu;
    job.d = &d;
    job.simple = 1;
    for (d.size = 1; d.size <= 4 && !result; d.size *= 2) {
        result = padici_gpu_sparse_need(&job, PADICI_KERNEL_SPARSE_SMALL);
        if (!result) result = padici_gpu_sparse_need(&job, PADICI_KERNEL_CUDA_SPARSE_ENCODE);
        if (!result && padici_gpu_sparse_rings(gpu))
            result = padici_gpu_sparse_need(&job, PADICI_KERNEL_CUDA_SPARSE_RING_ENCODE);
        if (result == PADIC_ERROR_NOT_SUPPORTED) result = PADIC_OK;
    }
    return result;
}

#endif
