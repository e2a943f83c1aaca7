#include "points.h"
#include "../../context/operation.h"
#include "../../context/target.h"
#include "../../sample/fractions.h"
#include "../../sample/hashes.h"
#include "../../sample/request.h"
#include "../launch.h"
#include "../variants.h"
#include "../texts.h"

#if PADICI_IMPLEMENT_GPU && !defined(PADIC_NO_SAMPLE)

// Points by index and maps of numbers: the kernels' parameters; the driver and its rows.

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

// Parameters except for places and counts.
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

// One coordinate of all points.
typedef struct padici_gpu_sample_work {
    const padici_call *call;
    padici_sample_job job;
    padici_sample_radix radix;
    uint64_t count, offset; // where it begins, in elements of `out`
    uint64_t keys;          // its first key
    uint32_t outside;       // set to 1 when an index was above the limit
} padici_gpu_sample_work;

static uint32_t padici_gpu_sample_kernel(const padici_gpu_sample_work *w)
{
    if (w->job.task == PADICI_SAMPLE_RATIO ||
        (w->job.task == PADICI_SAMPLE_VALUE && w->radix.mode == PADIC_SAMPLE_MODE_NONE))
        return PADICI_KERNEL_SAMPLE_POINTS;
    return PADICI_KERNEL_SAMPLE_MAPS;
}

// 1: the slow variant of PADICI_KERNEL_SAMPLE_MAPS.
static uint32_t padici_gpu_sample_nodes(const padici_gpu_sample_work *w)
{
    return padici_gpu_sample_kernel(w) == PADICI_KERNEL_SAMPLE_MAPS &&
           (w->radix.full || w->job.task == PADICI_SAMPLE_UNSCRAMBLE);
}

static const char *const padici_gpu_sample_define[] = {"PD_SAMPLE_NODES=1"};

// Positions of the views, in their elements. 0: the kernels cannot read them.
static int padici_gpu_sample_places(const padici_gpu *gpu, const padici_gpu_sample_work *w,
                                    padici_k_sample_points_params *k)
{
    const padici_sample_job *job = &w->job;
    const padici_place *to = &w->call->operands[PADICI_SAMPLE_OUT].now;
    const padici_place *from = &w->call->operands[PADICI_SAMPLE_INDEX].now;
    const uint32_t size = padic_dtype_size(job->dtype);
    const int handles = !strcmp(gpu->target->backend->name, "opencl"); // no addresses
    if (to->at % size || (!handles && to->mem.bits % 4)) return 0;
    padici_gpu_sample_pair(k->out_at, to->at / size + w->offset);
    padici_gpu_sample_pair(k->out_stride, job->out_stride);
    k->n_lo = (uint32_t)w->count;
    k->n_hi = (uint32_t)(w->count >> 32);
    if (!job->has_index) return 1;
    k->index = padic_dtype_size(job->index_dtype);
    if (from->at % k->index || (!handles && from->mem.bits % 4)) return 0;
    padici_gpu_sample_pair(k->index_at, from->at / k->index);
    padici_gpu_sample_pair(k->index_stride, job->index_stride);
    return 1;
}

// The keys of one base, and a word for the out-of-range flag.
static padic_result padici_gpu_sample_more(padici_gpu *gpu, const padici_gpu_sample_work *w,
                                           int keys, padici_gpu_block *block)
{
    const uint64_t size = 8 * (uint64_t)w->radix.levels;
    const uint32_t zero = 0;
    padici_place from = w->call->operands[PADICI_SAMPLE_KEYS].now, to;
    padic_result result = padici_gpu_scratch(gpu, 4, &block[0]);
    if (!result) result = padici_gpu_scratch(gpu, size, &block[1]);
    if (!result) result = padici_gpu_upload(gpu, block[0].mem, 0, &zero, 4);
    if (result || !keys) return result;
    from.at += 8 * w->keys;
    to.mem = block[1].mem;
    to.at = 0;
    to.host = 0;
    return padici_target_move(gpu->context, gpu->target, &to, &from, size);
}

static padic_result padici_gpu_sample_launch(padici_gpu *gpu, padici_gpu_sample_work *w,
                                             padici_gpu_block *block)
{
    const padici_sample_job *job = &w->job;
    const padic_mem to = w->call->operands[PADICI_SAMPLE_OUT].now.mem;
    const uint32_t kernel = padici_gpu_sample_kernel(w);
    const int keys = w->radix.mode != PADIC_SAMPLE_MODE_NONE && kernel == PADICI_KERNEL_SAMPLE_MAPS;
    padici_k_sample_points_params k;
    padici_gpu_work work;
    padic_result result = PADIC_OK;
    padici_gpu_sample_params(job, &w->radix, &k);
    if (!padici_gpu_sample_places(gpu, w, &k)) return PADIC_ERROR_NOT_SUPPORTED;
    memset(&work, 0, sizeof work);
    work.kernel = kernel;
    work.mem_count = kernel == PADICI_KERNEL_SAMPLE_MAPS ? 4 : 3;
    work.defines = padici_gpu_sample_define;
    work.define_count = padici_gpu_sample_nodes(w);
    work.params = &k;
    work.params_size = sizeof k;
    work.groups[0] = padici_gpu_groups(gpu, w->count, 128);
    work.mem[0] = job->has_index ? w->call->operands[PADICI_SAMPLE_INDEX].now.mem : to;
    work.mem[1] = to;
    work.mem[2] = work.mem[3] = to; // not touched
    if (keys || job->has_index) {
        result = padici_gpu_sample_more(gpu, w, keys, block);
        if (result) return result;
        work.mem[2] = block[0].mem;
        work.mem[3] = block[1].mem;
    }
    result = padici_gpu_launch(gpu, &work);
    if (result || !job->has_index) return result;
    return padici_gpu_download(gpu, block[0].mem, 0, &w->outside, 4);
}

static padic_result padici_gpu_sample_coordinate(padici_gpu *gpu, padici_gpu_sample_work *w)
{
    padici_gpu_block block[2];
    padic_result result;
    memset(block, 0, sizeof block);
    block[0].block = block[1].block = PADICI_NO_BLOCK;
    result = padici_gpu_sample_launch(gpu, w, block);
    padici_gpu_scratch_end(gpu, &block[0]);
    padici_gpu_scratch_end(gpu, &block[1]);
    return result;
}

// All coordinates, one after the other.
static padic_result padici_gpu_sample(padici_gpu *gpu, const padici_call *call, int query)
{
    padici_sample_request *q = (padici_sample_request *)call->task;
    padici_sample_keys keys = padici_sample_request_keys(q);
    padici_gpu_sample_work w;
    padic_result result = PADIC_OK;
    uint64_t c;
    memset(&w, 0, sizeof w);
    w.call = call;
    w.count = q->points;
    if (gpu->context->recording && (q->job.has_index ||
                                    q->scrambling.mode != PADIC_SAMPLE_MODE_NONE))
        return PADIC_ERROR_NOT_SUPPORTED; // keys are uploaded, an answer is downloaded
    for (c = 0; !result && c < q->dimensions; c++) {
        w.keys = keys.at;
        w.offset = padici_sample_offset(q, c);
        result = padici_sample_coordinate(q, c, &w.job, &w.radix, &keys);
        if (!result && c < 2) // later ones depend on these
            result = padici_gpu_need(gpu, padici_gpu_sample_kernel(&w), padici_gpu_sample_define,
                                     padici_gpu_sample_nodes(&w));
        if (!result && !query && w.count) result = padici_gpu_sample_coordinate(gpu, &w);
        if (query && c) break;
    }
    q->outside |= w.outside;
    return result;
}

#define PADICI_GPU_SAMPLE(name)                                                            \
    PADICI_FN padic_result padici_gpu_##name(padici_gpu *gpu, const padici_call *call,     \
                                             int query)                                    \
    {                                                                                      \
        return padici_gpu_sample(gpu, call, query);                                        \
    }
PADICI_GPU_SAMPLE(sample_radical_inverse)
PADICI_GPU_SAMPLE(sample_radical_index)
PADICI_GPU_SAMPLE(sample_scramble)
PADICI_GPU_SAMPLE(sample_shuffle_index)
PADICI_GPU_SAMPLE(sample_halton)
PADICI_GPU_SAMPLE(sample_hammersley)
#undef PADICI_GPU_SAMPLE

PADICI_FN padic_result padici_warm_sample(padici_gpu *gpu)
{
    return padici_gpu_need(gpu, PADICI_KERNEL_SAMPLE_POINTS, NULL, 0);
}

#endif
