#include "points.h"
#include "../../context/operation.h"
#include "../../sample/fractions.h"
#include "../../sample/hashes.h"
#include "../launch.h"
#include "../variants.h"
#include "../texts.h"

#if PADICI_IMPLEMENT_GPU && !defined(PADIC_NO_SAMPLE)

// Points by index and maps of numbers: what the kernels are told; the driver and its rows.

static void padici_gpu_sample_pair(uint32_t *to, uint64_t x)
{
    to[0] = (uint32_t)x;
    to[1] = (uint32_t)(x >> 32);
}

// floor(i / d) = (i m + a) >> s for i < 2^32.
static void padici_gpu_sample_divide(uint32_t *to, uint32_t d)
{
    uint64_t m, a, s;
    padici_sample_reciprocal32(d, &m, &a, &s);
    to[0] = (uint32_t)m;
    to[1] = (uint32_t)a;
    to[2] = (uint32_t)s;
}

// Params but for places and counts.
PADICI_FN void padici_gpu_sample_params(const padici_sample_job *job, const padici_sample_radix *x,
                                        padici_k_sample_points_params *k)
{
    padici_sample_fraction f;
    memset(k, 0, sizeof *k);
    k->kind = job->dtype == PADIC_F32 || job->dtype == PADIC_F64 ? 2 : 0;
    k->kind += job->dtype == PADIC_U64 || job->dtype == PADIC_F64;
    k->task = (uint32_t)job->task;
    k->integers = job->integers;
    k->base = x->base;
    k->levels = x->levels;
    k->mode = (uint32_t)x->mode;
    k->full = x->full;
    k->wide = x->wide;
    k->is_long = x->last > UINT32_MAX;
    k->first_lo = (uint32_t)job->first;
    k->first_hi = (uint32_t)(job->first >> 32);
    padici_gpu_sample_pair(k->last, job->last);
    padici_gpu_sample_pair(k->group, job->group);
    if (x->base) {
        k->together = x->together;
        k->span = x->span;
        padici_gpu_sample_divide(k->divide, x->base);
        padici_gpu_sample_divide(k->divide_span, x->span);
        padici_gpu_sample_pair(k->inverse, x->inverse);
        padici_gpu_sample_pair(k->inverse_span, UINT64_MAX / x->span);
    }
    if (job->integers) return;
    padici_sample_fraction_make(&f, job->scale, 1);
    padici_gpu_sample_pair(k->ratio, f.n);
    padici_gpu_sample_pair(k->scaled, f.d);
    padici_gpu_sample_pair(k->reciprocal, f.v);
    padici_gpu_sample_pair(k->ratio_inverse, f.inverse);
    k->shift = f.shift;
}

static uint32_t padici_gpu_sample_kernel(const padici_sample_drive *d)
{
    const padici_sample_task task = d->job->task;
    if (task == PADICI_SAMPLE_RATIO ||
        (task == PADICI_SAMPLE_VALUE && d->radix->mode == PADIC_SAMPLE_NONE))
        return PADICI_KERNEL_SAMPLE_POINTS;
    return PADICI_KERNEL_SAMPLE_MAPS;
}

// 1: the slow variant of PADICI_KERNEL_SAMPLE_MAPS.
static uint32_t padici_gpu_sample_nodes(const padici_sample_drive *d)
{
    return padici_gpu_sample_kernel(d) == PADICI_KERNEL_SAMPLE_MAPS &&
           (d->radix->full || d->job->task == PADICI_SAMPLE_UNSCRAMBLE);
}

static const char *const padici_gpu_sample_define[] = {"PD_SAMPLE_NODES=1"};

// Where the views lie, in their elements. 0: not as the kernels want them.
static int padici_gpu_sample_places(const padici_gpu *gpu, const padici_sample_drive *d,
                                    padici_k_sample_points_params *k)
{
    const padici_sample_job *job = d->job;
    const uint32_t size = padic_dtype_size(job->dtype);
    const int handles = !strcmp(gpu->target->backend->name, "opencl"); // no addresses
    if (job->to.at % size || (!handles && job->to.mem.bits % 4)) return 0;
    padici_gpu_sample_pair(k->out_at, job->to.at / size + d->offset);
    padici_gpu_sample_pair(k->out_stride, job->out_stride);
    k->n_lo = (uint32_t)d->count;
    k->n_hi = (uint32_t)(d->count >> 32);
    if (!job->index) return 1;
    k->index = padic_dtype_size(job->index_dtype);
    if (job->from.at % k->index || (!handles && job->from.mem.bits % 4)) return 0;
    padici_gpu_sample_pair(k->index_at, job->from.at / k->index);
    padici_gpu_sample_pair(k->index_stride, job->index_stride);
    return 1;
}

static padic_result padici_gpu_sample_launch(padici_gpu *gpu, padici_sample_drive *d,
                                             padici_gpu_block *block)
{
    const padici_sample_job *job = d->job;
    const padici_sample_radix *x = d->radix;
    const uint32_t kernel = padici_gpu_sample_kernel(d), zero = 0;
    const int keys = x->mode != PADIC_SAMPLE_NONE && kernel == PADICI_KERNEL_SAMPLE_MAPS;
    const uint64_t at = 8 * (uint64_t)x->levels; // of the word that says "outside"
    padici_k_sample_points_params k;
    padici_gpu_work work;
    padic_result result = PADIC_OK;
    padici_gpu_sample_params(job, x, &k);
    if (!padici_gpu_sample_places(gpu, d, &k)) return PADIC_ERROR_NOT_SUPPORTED;
    memset(&work, 0, sizeof work);
    work.kernel = kernel;
    work.mem_count = kernel == PADICI_KERNEL_SAMPLE_MAPS ? 4 : 3;
    work.defines = padici_gpu_sample_define;
    work.define_count = padici_gpu_sample_nodes(d);
    work.params = &k;
    work.params_size = sizeof k;
    work.groups[0] = padici_gpu_groups(gpu, d->count, 128);
    work.mem[0] = job->index ? job->from.mem : job->to.mem;
    work.mem[1] = job->to.mem;
    work.mem[2] = work.mem[3] = job->to.mem; // not touched
    if (keys || job->index) {
        result = padici_gpu_scratch(gpu, 4, &block[0]);
        if (!result) result = padici_gpu_scratch(gpu, at + 8, &block[1]);
        if (!result) result = padici_gpu_upload(gpu, block[0].mem, 0, &zero, 4);
        if (!result && keys) result = padici_gpu_upload(gpu, block[1].mem, 0, x->keys, at);
        if (result) return result;
        work.mem[2] = block[0].mem;
        work.mem[3] = block[1].mem;
    }
    result = padici_gpu_launch(gpu, &work);
    if (result || !job->index) return result;
    return padici_gpu_download(gpu, block[0].mem, 0, &d->outside, 4);
}

PADICI_FN padic_result padici_gpu_sample(padici_gpu *gpu, uint32_t kernel, void *call, int query)
{
    padici_sample_drive *d = (padici_sample_drive *)call;
    padici_gpu_block block[2];
    padic_result result;
    if (kernel != PADICI_KERNEL_SAMPLE_DEVICE) return PADIC_ERROR_NOT_SUPPORTED;
    if (gpu->context->recording && (d->job->index || d->radix->mode != PADIC_SAMPLE_NONE))
        return PADIC_ERROR_NOT_SUPPORTED; // keys go up, an answer comes back
    result = padici_gpu_need(gpu, padici_gpu_sample_kernel(d), padici_gpu_sample_define,
                             padici_gpu_sample_nodes(d));
    if (query || result || !d->count) return result;
    memset(block, 0, sizeof block);
    block[0].block = block[1].block = PADICI_NO_BLOCK;
    result = padici_gpu_sample_launch(gpu, d, block);
    padici_gpu_scratch_end(gpu, &block[0]);
    padici_gpu_scratch_end(gpu, &block[1]);
    if (!result) gpu->context->stats.kernels.calls++;
    return result;
}

PADICI_FN padic_result padici_warm_sample(padici_gpu *gpu)
{
    return padici_gpu_need(gpu, PADICI_KERNEL_SAMPLE_POINTS, NULL, 0);
}

#endif
