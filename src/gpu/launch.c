#include "launch.h"
#include "../context/launch.h"
#include "../context/operation.h"
#include "../context/pool.h"
#include "../context/recording.h"
#include "../context/state.h"
#include "../context/target.h"
#include "variants.h"

#if PADICI_IMPLEMENT_GPU

// For drivers: launches, scratch, transfers between host and device.

// Launches without checking whether the variant has been tested.
PADICI_FN padic_result padici_gpu_launch_in(const padici_gpu *gpu, uint32_t index,
                                            const padici_gpu_work *work)
{
    const padici_variant *v = &gpu->state->variants[index];
    padic_launch launch;
    uint32_t i;
    memset(&launch, 0, sizeof launch);
    launch.kernel = work->kernel & 0xffffu;
    launch.group = work->group ? work->group : v->shapes[launch.kernel].group;
    launch.mem_count = work->mem_count;
    for (i = 0; i < 8 && i < work->mem_count; i++) launch.mem[i] = work->mem[i];
    for (i = 0; i < 3; i++) launch.groups[i] = work->groups[i] ? work->groups[i] : 1;
    launch.params = work->params;
    launch.params_size = work->params_size;
    launch.op = gpu->op;
    return padici_launch(gpu->context, &v->built, &launch);
}

// Builds and tests the kernel if necessary, and launches it. NOT_SUPPORTED: it must not be used on
// this device.
PADICI_FN padic_result padici_gpu_launch(padici_gpu *gpu, const padici_gpu_work *work)
{
    uint32_t index = 0;
    padic_result result =
        padici_gpu_ready(gpu, work->kernel, work->defines, work->define_count, &index);
    if (!result) result = padici_gpu_launch_in(gpu, index, work);
    if (!result) gpu->launches++;
    return result;
}

// Device memory for the duration of a call, from the pool; in a test it is filled with 0xa5. After
// padici_gpu_scratch_end() other launches may use it at once: the queue is in order.
PADICI_FN padic_result padici_gpu_scratch(padici_gpu *gpu, uint64_t size, padici_gpu_block *out)
{
    padici_pool *pool = &gpu->context->pools[0];
    padic_result result;
    memset(out, 0, sizeof *out);
    out->block = PADICI_NO_BLOCK;
    result = padici_pool_take(gpu->context, pool, size, &out->block);
    if (result) {
        out->block = PADICI_NO_BLOCK;
        return result;
    }
    out->mem = pool->blocks[out->block].mem;
    out->size = size;
    if (gpu->tested)
        return padici_target_fill(gpu->context, gpu->target, out->mem, 0, 0xa5a5a5a5u,
                                  size & ~UINT64_C(3));
    return PADIC_OK;
}

PADICI_FN void padici_gpu_scratch_end(padici_gpu *gpu, padici_gpu_block *block)
{
    if (block->block != PADICI_NO_BLOCK)
        padici_pool_give(gpu->context, &gpu->context->pools[0], block->block);
    block->block = PADICI_NO_BLOCK;
    block->mem.bits = 0;
}

// Zeroed device memory, for kernels that leave it zeroed. A larger block replaces one that is too
// small, which lives as long as the context, since recorded launches may use it. NOT_SUPPORTED: a
// recording would need a larger one, whose fill does not run now.
PADICI_FN padic_result padici_gpu_kept(padici_gpu *gpu, uint64_t size, padic_mem *out)
{
    padici_gpu_state *state = gpu->state;
    padici_gpu_block block;
    padic_result result;
    *out = state->kept.mem;
    if (size <= state->kept.size) return PADIC_OK;
    if (gpu->context->recording) return PADIC_ERROR_NOT_SUPPORTED;
    size = size < 65536 ? 65536 : 2 * size;
    result = padici_gpu_scratch(gpu, size, &block);
    if (result) return result;
    result = padici_target_fill(gpu->context, gpu->target, block.mem, 0, 0, size);
    if (result) {
        padici_gpu_scratch_end(gpu, &block);
        return result;
    }
    *out = state->kept.mem = block.mem;
    state->kept.size = size;
    return PADIC_OK;
}

// Copies between host and device memory, in launch order; see padic_backend.
PADICI_FN padic_result padici_gpu_upload(padici_gpu *gpu, padic_mem mem, uint64_t at,
                                         const void *from, uint64_t size)
{
    padici_place to, source;
    to.mem = mem;
    to.at = at;
    to.host = 0;
    source.mem.bits = (uint64_t)(uintptr_t)from;
    source.at = 0;
    source.host = 1;
    return padici_target_move(gpu->context, gpu->target, &to, &source, size);
}

PADICI_FN padic_result padici_gpu_download(padici_gpu *gpu, padic_mem mem, uint64_t at, void *to,
                                           uint64_t size)
{
    padici_place from, target;
    from.mem = mem;
    from.at = at;
    from.host = 0;
    target.mem.bits = (uint64_t)(uintptr_t)to;
    target.at = 0;
    target.host = 1;
    return padici_target_move(gpu->context, gpu->target, &target, &from, size);
}

PADICI_FN padic_result padici_gpu_fetch(padici_gpu *gpu, const padic_fetch *fetch)
{
    padic_context *context = gpu->context;
    padici_target *target = gpu->target;
    padic_result result;
    if (!target->backend->fetch) return PADIC_ERROR_NOT_SUPPORTED;
    result = padici_target_begin(context, target);
    if (!result) result = padici_refuse(context, "copying memory beside the queue");
    if (result) return result;
    result = (*target->backend->fetch)(target->device, fetch);
    if (result == PADIC_ERROR_NOT_SUPPORTED) return result;
    if (fetch->action == PADIC_FETCH_COPY) {
        context->stats.downloads++;
        context->stats.download_bytes += fetch->size;
    }
    return padici_target_end(context, target, result);
}

// A real among a kernel's parameters: f32, or the two halves of f64.
PADICI_FN void padici_gpu_real(double value, uint32_t is_double, uint32_t words[2])
{
    const float narrow = (float)value;
    uint64_t bits;
    words[1] = 0;
    memcpy(words, &narrow, 4);
    if (!is_double) return;
    memcpy(&bits, &value, 8);
    words[0] = (uint32_t)bits;
    words[1] = (uint32_t)(bits >> 32);
}

// Groups of a kernel whose items loop until `items` are done: enough to fill the device; in a test
// two, so that they do loop.
PADICI_FN uint32_t padici_gpu_groups(const padici_gpu *gpu, uint64_t items, uint32_t group)
{
    const uint64_t units = gpu->info->compute_units ? gpu->info->compute_units : 16;
    const uint64_t most = gpu->tested ? 2 : units * 64;
    const uint64_t needed = (items + group - 1) / group;
    return (uint32_t)(needed < most ? (needed ? needed : 1) : most);
}

#endif
