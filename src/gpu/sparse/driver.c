#include "driver.h"
#include "../../sparse/calls.h"
#include "../../sparse/encoding.h"
#include "../../sparse/source.h"
#include "../launch.h"
#include "encode.h"
#include "job.h"
#include "../texts.h"

#if PADICI_IMPLEMENT_GPU && !defined(PADIC_NO_SPARSE)

// CSR to dense; what the driver builds in advance, its rows in the tables.

// NOT_SUPPORTED where there is no kernel: only plain, trusted matrices without gaps have one.
static padic_result padici_gpu_sparse_plain(const padici_call *call, padici_sparse *m)
{
    const padici_sparse_decode_task *task = (const padici_sparse_decode_task *)call->task;
    const padic_sparse_csr *csr = task->desc.matrix;
    padici_sparse_source to;
    padic_result result;
    if (!csr || task->desc.out_numbers.ring || csr->kind != PADIC_SPARSE_KIND_PLAIN ||
        !csr->trusted)
        return PADIC_ERROR_NOT_SUPPORTED;
    memset(&to, 0, sizeof to);
    result = padici_sparse_planes(NULL, csr, 0, m);
    if (!result) result = padici_sparse_dense(&to, &task->desc.out, 0, NULL);
    if (result || to.rows != csr->rows || to.cols != csr->cols || to.dtype != csr->value.dtype ||
        (to.rows > 1 && to.stride != to.cols))
        return PADIC_ERROR_NOT_SUPPORTED; // the host reports the error
    return PADIC_OK;
}

PADICI_FN padic_result padici_gpu_sparse_decode(padici_gpu *gpu, const padici_call *call, int query)
{
    padici_gpu_sparse_job job;
    padici_gpu_sparse_drive like;
    padici_sparse m;
    padici_k_sparse_decode_params k;
    padici_gpu_work work;
    padici_place place[5];
    uint64_t groups, n;
    uint32_t i;
    padic_result result = padici_gpu_sparse_plain(call, &m);
    if (result) return result;
    n = m.rows * m.cols;
    groups = (n * m.entry + 8191) / 8192;
    memset(&job, 0, sizeof job);
    memset(&like, 0, sizeof like);
    like.size = m.entry;
    job.gpu = gpu;
    job.d = &like;
    result = padici_gpu_sparse_need(&job, PADICI_KERNEL_SPARSE_DECODE);
    if (!result && (groups >> 24 || n >> 40)) result = PADIC_ERROR_NOT_SUPPORTED;
    if (query || result || !n) return result;
    for (i = 0; i < 5; i++) place[i] = call->operands[i].now;
    if ((place[0].at | place[1].at) % m.size[0] || (place[2].at | place[4].at) % m.entry)
        return PADIC_ERROR_NOT_SUPPORTED;
    memset(&k, 0, sizeof k);
    PADICI_SPARSE_PAIR(k, rows, m.rows);
    PADICI_SPARSE_PAIR(k, cols, m.cols);
    PADICI_SPARSE_PAIR(k, nnz, m.nnz);
    PADICI_SPARSE_PAIR(k, row_ptr, place[0].at / m.size[0]);
    PADICI_SPARSE_PAIR(k, col, place[1].at / m.size[0]);
    PADICI_SPARSE_PAIR(k, value, place[2].at / m.entry);
    PADICI_SPARSE_PAIR(k, dense, place[PADICI_SPARSE_V_DENSE].at / m.entry);
    k.wide = m.wide ? PADICI_SPARSE_K_WIDE : 0;
    padici_gpu_sparse_work(&job, &work, PADICI_KERNEL_SPARSE_DECODE, 4, (uint32_t)groups);
    work.params = &k;
    work.params_size = sizeof k;
    work.mem[0] = place[0].mem;
    work.mem[1] = padici_sparse_mem(place[1].mem, place[0].mem); // NULL without entries
    work.mem[2] = padici_sparse_mem(place[2].mem, place[0].mem);
    work.mem[3] = place[PADICI_SPARSE_V_DENSE].mem;
    return padici_gpu_launch(gpu, &work);
}

// The most used: elements of 1, 2 and 4 bytes, kept where they are not 0; matrices of any size.
PADICI_FN padic_result padici_warm_sparse(padici_gpu *gpu)
{
    padici_gpu_sparse_job job;
    padici_gpu_sparse_drive d;
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
