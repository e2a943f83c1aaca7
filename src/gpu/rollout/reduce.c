#include "calls.h"
#include "../../context/messages.h"
#include "../../context/operation.h"
#include "../../context/recording.h"
#include "../../context/state.h"
#include "../../core/memory.h"
#include "../../core/view.h"
#include "../../core/words.h"
#include "../../rollout/apply.h"
#include "../launch.h"
#include "../variants.h"

#if PADICI_IMPLEMENT_GPU && !defined(PADIC_NO_ROLLOUT)

// rollout_reduce: frames of a buffer, by the kernels that measure while a rollout runs. Each frame
// takes the place of a trajectory of a rollout without nodes, the frame before beside it.

typedef struct padici_gpu_rollout_frames {
    padici_gpu_rollout *n;
    padic_rollout_run_desc run; // what the meter asks of a rollout
    padici_gpu_rollout_meter meter;
    uint64_t each, total; // frames of a trajectory; all
    uint32_t partial;     // among the numbers of a frame
} padici_gpu_rollout_frames;

// Frames first, first + 1, ... to place `to` of those in hand.
static padic_result padici_gpu_rollout_frames_load(const padici_gpu_rollout_frames *f,
                                                   const padici_operand *frames, uint32_t first,
                                                   uint32_t to)
{
    const padici_gpu_rollout *n = f->n;
    padici_k_rollout_step_params k;
    padic_mem mem[4];
    memset(&k, 0, sizeof k);
    k.channels = f->meter.channels;
    k.cells = f->meter.cells;
    k.chunks = f->meter.chunks;
    k.begin = k.realisations = k.per_operator = 1;
    k.initial = (uint32_t)(frames->now.at / 4);
    k.initials = (uint32_t)f->total;
    k.first = first;
    k.o = to;
    k.partial = f->partial;
    k.step = (uint32_t)n->each;
    mem[0] = mem[2] = mem[3] = n->memory.mem;
    mem[1] = frames->now.mem;
    return padici_gpu_rollout_launch(n, PADICI_KERNEL_ROLLOUT_STEP, mem, 4, &k, sizeof k,
                                     k.chunks, k.channels, n->count);
}

// As many frames at a time as memory has room for; with the frame before, the first of each
// trajectory alone.
static padic_result padici_gpu_rollout_frames_go(padici_gpu_rollout_frames *f,
                                                 const padic_rollout_reduce_desc *desc)
{
    padici_gpu_rollout *n = f->n;
    const padici_operand *frames = padici_gpu_rollout_operand(n->call, &desc->frames);
    padic_result result = padici_gpu_rollout_memory(n, NULL, f->total, 0);
    uint64_t first;
    if (!result) result = padici_gpu_rollout_meter_fill(n, &f->meter);
    for (first = 0; first < f->total && !result; first += n->count) {
        const uint64_t own = f->meter.pairs ? first % f->each : 0;
        const uint64_t left = !f->meter.pairs ? f->total - first : own ? f->each - own : 1;
        n->first = (uint32_t)first;
        n->count = (uint32_t)(left < n->batch ? left : n->batch);
        result = padici_gpu_rollout_frames_load(f, frames, n->first, n->state_at);
        if (!result && own)
            result = padici_gpu_rollout_frames_load(f, frames, n->first - 1, f->meter.old);
        if (!result) result = padici_gpu_rollout_meter_after(n, &f->meter, &desc->out, own > 0);
    }
    return result;
}

static padic_result padici_gpu_rollout_frames_begin(padici_gpu_rollout_frames *f, padici_gpu *gpu,
                                                    const padic_rollout_reduce_desc *desc)
{
    const uint32_t lead = desc->frames.rank - 4;
    const uint64_t *shape = desc->frames.shape + lead;
    padici_gpu_rollout *n = f->n;
    padic_result result;
    uint32_t i;
    f->each = shape[0];
    f->total = f->each;
    for (i = 0; i < lead; i++) f->total *= desc->frames.shape[i];
    f->run.initial = padic_tensor_nd(PADIC_F32, NULL, 4, shape);
    f->run.reduce = desc->metrics;
    f->run.steps = 1;
    n->state_at = padici_gpu_rollout_reserve(n, shape[1] * shape[2] * shape[3]);
    result = padici_gpu_need(gpu, PADICI_KERNEL_ROLLOUT_STEP, NULL, 0);
    if (!result)
        result = padici_gpu_rollout_meter_begin(n, &f->run, (uint32_t)desc->out.shape[lead + 1],
                                                &f->meter);
    f->meter.single = 1; // rows are one after another, by number of the frame
    f->partial = padici_gpu_rollout_reserve(
        n, (uint64_t)PADICI_GPU_ROLLOUT_PARTIAL * f->meter.channels * f->meter.chunks);
    return result;
}

PADICI_FN padic_result padici_gpu_rollout_reduce(padici_gpu *gpu, const padici_call *call,
                                                 int query)
{
    const padic_rollout_reduce_desc *desc = &call->desc->rollout_reduce;
    const padic_allocator *allocator = gpu->context->env.allocator;
    padici_gpu_rollout_frames *f;
    padic_result result;
    if (!padic_tensor_count(&desc->frames)) return PADIC_OK;
    if (desc->frames.dtype != PADIC_F32 || !padici_rollout_is_dense(&desc->frames) ||
        !padici_rollout_is_dense(&desc->out) || !padici_gpu_rollout_reach(call, NULL))
        return PADIC_ERROR_NOT_SUPPORTED;
    f = (padici_gpu_rollout_frames *)padici_alloc(allocator, sizeof *f, 16);
    if (!f) return padici_fail_here(gpu->context, PADIC_ERROR_MEMORY, "out of host memory");
    memset(f, 0, sizeof *f);
    gpu->context->stats.host_allocations++;
    result = padici_gpu_rollout_new(gpu, call, &f->n);
    if (!result) result = padici_gpu_rollout_frames_begin(f, gpu, desc);
    if (!result && !query && f->meter.bands && gpu->context->recording)
        result = padici_refuse(gpu->context, "SPECTRUM, whose factors are moved,");
    if (!result && !query) result = padici_gpu_rollout_frames_go(f, desc);
    padici_gpu_rollout_end(f->n);
    padici_free(allocator, f, sizeof *f);
    return result;
}

#endif
