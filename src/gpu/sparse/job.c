#include "job.h"
#include "../../context/target.h"
#include "../../sparse/kept.h"
#include "../launch.h"
#include "../variants.h"
#include "../texts.h"

#if PADICI_IMPLEMENT_GPU && !defined(PADIC_NO_SPARSE)

// A call on a device: its method, its variants of kernels, their parameters.

static void padici_sparse_halves(uint32_t half[2], uint64_t x)
{
    half[0] = (uint32_t)x;
    half[1] = (uint32_t)(x >> 32);
}

// A test modulo 2^(8 size), as the kernels read it.
static void padici_sparse_test_set(uint32_t factor[2], uint32_t bias[2], uint32_t mask[2],
                                   uint32_t limit[2], const padici_sparse_test *test, uint32_t size)
{
    const uint64_t full = UINT64_MAX >> (64 - 8 * size);
    padici_sparse_halves(factor, test->factor & full);
    padici_sparse_halves(bias, test->bias & full);
    padici_sparse_halves(mask, test->mask & full);
    padici_sparse_halves(limit, test->limit & full);
}

PADICI_FN uint32_t padici_sparse_tile(uint32_t size) // elements, of sparse.cl
{
    return PADICI_SPARSE_GROUP * 32u * (size == 1 ? 4u : size == 2 ? 2u : 1u);
}

// The defines of a program; those of one-pass kernels have SIMPLE, or the local memory, too.
static void padici_gpu_sparse_defines(padici_gpu_sparse_job *job, uint32_t kernel)
{
    const padici_gpu_sparse_drive *d = job->d;
    job->define_count = 0;
    job->defines[job->define_count++] = d->size == 1   ? "PD_SPARSE_SIZE=1"
                                        : d->size == 2 ? "PD_SPARSE_SIZE=2"
                                        : d->size == 4 ? "PD_SPARSE_SIZE=4"
                                                       : "PD_SPARSE_SIZE=8";
    if (d->report) job->defines[job->define_count++] = "PD_SPARSE_REPORT=1";
    if (d->unit_size)
        job->defines[job->define_count++] =
            d->unit_size == 4 ? "PD_SPARSE_UNITS=1" : "PD_SPARSE_UNITS=2";
    if (kernel == PADICI_KERNEL_SPARSE_EMIT && job->lines)
        job->defines[job->define_count++] = "PD_SPARSE_LINES=1";
    if (kernel == PADICI_KERNEL_CUDA_SPARSE_ENCODE && job->simple)
        job->defines[job->define_count++] = "PD_SPARSE_SIMPLE=1";
    if (kernel == PADICI_KERNEL_CUDA_SPARSE_ENCODE && job->many)
        job->defines[job->define_count++] = "PD_SPARSE_SHORT=1";
    if (kernel != PADICI_KERNEL_CUDA_SPARSE_RING_ENCODE) return;
    job->defines[job->define_count++] = "PD_DYNAMIC_BYTES=231424";
    if (d->size == 1) job->defines[job->define_count++] = "PD_SPARSE_THREADS=704"; // see below
}

// Bytes of a tile where groups process several tiles: for keys of one byte 20 warps, which makes
// them 2 to 4 % faster on an H200, 16 for others; two add up.
PADICI_FN uint32_t padici_gpu_sparse_ring_bytes(uint32_t size)
{
    return (size == 1 ? 20u : 16u) * PADICI_SPARSE_PART_BYTES;
}

PADICI_FN padic_result padici_gpu_sparse_need(padici_gpu_sparse_job *job, uint32_t kernel)
{
    padici_gpu_sparse_defines(job, kernel);
    return padici_gpu_need(job->gpu, kernel, job->defines, job->define_count);
}

// 1 if the multiprocessors have the local memory for a few tiles, and bulk copies.
PADICI_FN int padici_gpu_sparse_rings(const padici_gpu *gpu)
{
    return !strcmp(gpu->info->arch, "sm_90") || !strcmp(gpu->info->arch, "sm_100");
}

// In a recording only kernels tested before can run.
static int padici_gpu_sparse_now(padici_gpu_sparse_job *job, uint32_t kernel)
{
    const padici_gpu *gpu = job->gpu;
    uint32_t i;
    if (!gpu->context->recording || !gpu->state) return 1;
    padici_gpu_sparse_defines(job, kernel);
    i = padici_variant_find(gpu->state, kernel >> 16, job->defines, job->define_count);
    return i < gpu->state->count && gpu->state->variants[i].state != PADICI_VARIANT_NEW;
}

// Large matrices known to be sparse are processed tile after tile there. Measured on an H200.
PADICI_FN void padici_gpu_sparse_shape(padici_gpu_sparse_job *job)
{
    const padici_gpu_sparse_drive *d = job->d;
    const uint32_t groups = job->gpu->info->compute_units;
    const double few = d->size == 1 ? 0.025 : d->size == 2 ? 0.06 : 0.11;
    job->lines = d->size == 1 && d->density > PADICI_SPARSE_DENSE && !d->unit_size &&
                 job->elements > PADICI_SPARSE_SMALL;
    if (!padici_gpu_sparse_now(job, PADICI_KERNEL_SPARSE_EMIT)) job->lines = 0;
    job->many = d->size == 1 && d->density > PADICI_SPARSE_MANY && job->simple && !d->report &&
                !d->unit_size;
    if (!padici_gpu_sparse_now(job, PADICI_KERNEL_CUDA_SPARSE_ENCODE)) job->many = 0;
    if (d->report || d->unit_size || !job->simple || d->density < 0 || d->density > few ||
        d->cols < 256 || // it would have to search the starts of many rows
        !padici_gpu_sparse_rings(job->gpu) ||
        job->elements * d->size / padici_gpu_sparse_ring_bytes(d->size) < groups)
        return;
    job->groups = padici_gpu_sparse_now(job, PADICI_KERNEL_CUDA_SPARSE_RING_ENCODE) ? groups : 0;
}

// All kernels of a method.
static padic_result padici_gpu_sparse_can(padici_gpu_sparse_job *job, padic_sparse_method method)
{
    padic_result result;
    if (job->d->batch > 1) {
        result = padici_gpu_sparse_need(job, PADICI_KERNEL_SPARSE_SEGMENTS);
        if (result) return result;
    }
    if (method == PADIC_SPARSE_METHOD_GPU_ONE_PASS && job->groups) {
        result = padici_gpu_sparse_need(job, PADICI_KERNEL_CUDA_SPARSE_RING_ENCODE);
        if (result != PADIC_ERROR_NOT_SUPPORTED) return result;
        job->groups = 0;
    }
    if (method == PADIC_SPARSE_METHOD_GPU_ONE_PASS) {
        result = padici_gpu_sparse_need(job, PADICI_KERNEL_CUDA_SPARSE_ENCODE);
        if (result != PADIC_ERROR_NOT_SUPPORTED || !job->many) return result;
        job->many = 0;
        return padici_gpu_sparse_need(job, PADICI_KERNEL_CUDA_SPARSE_ENCODE);
    }
    if (job->elements <= PADICI_SPARSE_SMALL)
        return padici_gpu_sparse_need(job, PADICI_KERNEL_SPARSE_SMALL);
    result = padici_gpu_sparse_need(job, PADICI_KERNEL_SPARSE_BITS);
    if (!result) result = padici_gpu_sparse_need(job, PADICI_KERNEL_SPARSE_SCAN);
    if (!result) result = padici_gpu_sparse_need(job, PADICI_KERNEL_SPARSE_EMIT);
    return result;
}

// AUTO: one pass if supported; otherwise the bitmap until the last seen density is so high that
// reading twice moves fewer bytes: 1 - (1 / (4 s))^(s / 32), by element size s.
PADICI_FN padic_result padici_gpu_sparse_method(padici_gpu_sparse_job *job,
                                                padic_sparse_method *method)
{
    const uint32_t s = job->d->size;
    const double even = s == 1 ? 0.04 : s == 2 ? 0.12 : s == 4 ? 0.29 : 0.58;
    padic_result result;
    *method = job->d->method;
    if (*method != PADIC_SPARSE_METHOD_AUTO) return padici_gpu_sparse_can(job, *method);
    *method = PADIC_SPARSE_METHOD_GPU_ONE_PASS;
    result = padici_gpu_sparse_can(job, *method);
    if (result != PADIC_ERROR_NOT_SUPPORTED) return result;
    *method = job->d->density > even ? PADIC_SPARSE_METHOD_GPU_REREAD
        : PADIC_SPARSE_METHOD_GPU_BITMAP;
    return padici_gpu_sparse_can(job, *method);
}

// Parameters except for tiles. 0 where a view does not fit the kernels.
PADICI_FN int padici_gpu_sparse_params(padici_gpu_sparse_job *job)
{
    const padici_gpu_sparse_drive *d = job->d;
    padici_k_sparse_encode_params *k = &job->k;
    const padici_place *kept = d->unit_size ? &d->val : &d->value;
    const uint32_t index = d->wide ? 8 : 4;
    const uint64_t base = d->key.at & ~UINT64_C(15), rows = d->rows * d->batch;
    memset(k, 0, sizeof *k);
    if ((d->key.at | kept->at) % d->size || (d->row_ptr.at | d->col.at) % index ||
        (d->unit.at | (d->unit_size ? d->value.at : 0) | d->totals.at % 8) % 4)
        return 0;
    if (strcmp(job->gpu->target->backend->name, "opencl") && // whose handles are no addresses
        ((d->key.mem.bits & 15) || ((d->row_ptr.mem.bits | d->col.mem.bits | d->value.mem.bits |
                                     d->val.mem.bits | d->unit.mem.bits | d->totals.mem.bits) & 7)))
        return 0;
    k->pad = (uint32_t)(d->key.at - base) / d->size;
    PADICI_SPARSE_PAIR(*k, n, job->elements + k->pad);
    PADICI_SPARSE_PAIR(*k, base, base);
    PADICI_SPARSE_PAIR(*k, rows, rows);
    PADICI_SPARSE_PAIR(*k, cols, d->cols);
    PADICI_SPARSE_PAIR(*k, room, d->room);
    PADICI_SPARSE_PAIR(*k, row_ptr, job->row_ptr.at / index);
    PADICI_SPARSE_PAIR(*k, col, d->col.at / index);
    PADICI_SPARSE_PAIR(*k, kept, kept->at / d->size);
    PADICI_SPARSE_PAIR(*k, unit, d->unit.at / 4);
    PADICI_SPARSE_PAIR(*k, value, d->unit_size ? d->value.at / 4 : 0);
    PADICI_SPARSE_PAIR(*k, total, d->totals.mem.bits ? d->totals.at / 8 : 0);
    if (d->cols > 1 && d->cols < 32768)
        k->magic = (uint32_t)((UINT64_C(1) << 32) / d->cols) + 1u;
    k->flags = (d->fill && d->room ? (uint32_t)PADICI_SPARSE_K_FILL : 0u) |
               (d->row_ptr.mem.bits ? (uint32_t)PADICI_SPARSE_K_ROWS : 0u) |
               (d->wide ? (uint32_t)PADICI_SPARSE_K_WIDE : 0u) |
               (job->simple ? (uint32_t)PADICI_SPARSE_K_SIMPLE : 0u) |
               (d->is_signed ? (uint32_t)PADICI_SPARSE_K_SIGNED : 0u) |
               (d->fill && kept->mem.bits ? (uint32_t)PADICI_SPARSE_K_KEYS : 0u);
    padici_sparse_test_set(k->factor, k->bias, k->mask, k->limit, &d->test, d->size);
    padici_sparse_test_set(k->other, k->other + 2, k->other + 4, k->other + 6, &d->other, d->size);
    padici_sparse_halves(k->most, d->most);
    return 1;
}

// Replaces an absent plane by another one, which the kernel does not touch.
PADICI_FN padic_mem padici_sparse_mem(padic_mem mem, padic_mem otherwise)
{
    return mem.bits ? mem : otherwise;
}

// Sets buffers i and up of a launch to row_ptr, col, kept keys, units and value.
PADICI_FN void padici_gpu_sparse_planes(const padici_gpu_sparse_job *job, padici_gpu_work *work,
                                        uint32_t i, padic_mem otherwise)
{
    const padici_gpu_sparse_drive *d = job->d;
    work->mem[i] = padici_sparse_mem(job->row_ptr.mem, otherwise);
    work->mem[i + 1] = padici_sparse_mem(d->col.mem, otherwise);
    work->mem[i + 2] = padici_sparse_mem(d->unit_size ? d->val.mem : d->value.mem, otherwise);
    work->mem[i + 3] = padici_sparse_mem(d->unit.mem, otherwise);
    work->mem[i + 4] = padici_sparse_mem(d->unit_size ? d->value.mem : d->unit.mem, otherwise);
}

PADICI_FN void padici_gpu_sparse_work(padici_gpu_sparse_job *job, padici_gpu_work *work,
                                      uint32_t kernel, uint32_t mems, uint32_t groups)
{
    memset(work, 0, sizeof *work);
    padici_gpu_sparse_defines(job, kernel);
    work->kernel = kernel;
    work->defines = job->defines;
    work->define_count = job->define_count;
    work->mem_count = mems;
    work->params = &job->k;
    work->params_size = sizeof job->k;
    work->groups[0] = groups;
    work->mem[0] = job->d->key.mem;
}

PADICI_FN padic_result padici_gpu_sparse_scratch(padici_gpu_sparse_job *job, uint32_t i,
                                                 uint64_t size)
{
    return padici_gpu_scratch(job->gpu, size ? size : 8, &job->block[i]);
}

PADICI_FN padic_result padici_gpu_sparse_zero(padici_gpu_sparse_job *job, padic_mem mem,
                                              uint64_t at, uint64_t size)
{
    return padici_target_fill(job->gpu->context, job->gpu->target, mem, at, 0, size);
}

#endif
