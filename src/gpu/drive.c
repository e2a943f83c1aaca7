#include "drive.h"
#include "../context/messages.h"
#include "../context/operation.h"
#include "../context/operands.h"
#include "../context/ops.h"
#include "../core/memory.h"
#include "base/axes.h"
#include "base/driver.h"
#include "cache.h"
#include "choices.h"
#include "codec/driver.h"
#include "codec/job.h"
#include "codec/pack.h"
#include "codec/prove.h"
#include "codec/unpack.h"
#include "factor/entropy.h"
#include "factor/factor.h"
#include "frame.h"
#include "launch.h"
#include "num/params.h"
#include "num/run.h"
#include "num/solve.h"
#include "num/special.h"
#include "num/tables.h"
#include "sample/points.h"
#include "source.h"
#include "sparse/driver.h"
#include "sparse/encode.h"
#include "sparse/job.h"
#include "tables.h"
#include "tensor/cores.h"
#include "tensor/driver.h"
#include "tensor/groups.h"
#include "tensor/product.h"
#include "tensor/tile.h"
#include "tests.h"
#include "tuner.h"
#include "variants.h"
#include "vortex/axes.h"
#include "vortex/lines.h"
#include "vortex/normalise.h"
#include "vortex/phase.h"
#include "vortex/pixels.h"
#include "wave/field.h"
#include "wave/frames.h"
#include "wave/frames_plan.h"
#include "wave/plan.h"
#include "wave/superpose.h"
#include "wave/warm.h"
#include "texts.h"

#if PADICI_IMPLEMENT_GPU

// The only function of this file that a backend calls: operations, layer 0, building in advance.

// Builds and tests the kernels that calls of the areas use most. A kernel that is unusable here is
// no error.
static padic_result padici_gpu_prewarm(padici_gpu *gpu, uint32_t areas)
{
    padic_result result = PADIC_OK;
    if (areas & PADIC_AREA_ASKED) padici_variants_build(gpu, 0);
#define PADICI_GPU_WARM_ROW(area, name)                               \
    if (!result && (areas & (uint32_t)(area))) result = padici_warm_##name(gpu); \
    if (result == PADIC_ERROR_NOT_SUPPORTED) result = PADIC_OK;
    PADICI_GPU_FAMILIES(PADICI_GPU_WARM_ROW)
#undef PADICI_GPU_WARM_ROW
    return result;
}

// By kernels: the rows of src/ops.def that have them.
PADICI_FN PADICI_NOINLINE padic_result padici_gpu_drive_in(padici_gpu *gpu, void *call)
{
    switch (gpu->op) {
#define PADICI_GPU_OP_0(NAME, name)
#define PADICI_GPU_OP_1(NAME, name) \
    case PADIC_OP_##NAME: return padici_gpu_##name(gpu, (const padici_call *)call, gpu->query);
#define PADICI_GPU_OP_2(NAME, name)
#define PADICI_GPU_OP_3(NAME, name) PADICI_GPU_OP_1(NAME, name)
#define PADICI_GPU_OP(number, NAME, name, kind, by, rules) PADICI_GPU_OP_##by(NAME, name)
        PADICI_OPS_HERE(PADICI_GPU_OP)
#undef PADICI_GPU_OP
#undef PADICI_GPU_OP_3
#undef PADICI_GPU_OP_2
#undef PADICI_GPU_OP_1
#undef PADICI_GPU_OP_0
    default: break;
    }
    return PADIC_ERROR_NOT_SUPPORTED;
}

static void padici_gpu_close(padic_context *context)
{
    padici_gpu_state *state = (padici_gpu_state *)context->gpu;
    uint32_t i;
    for (i = 0; state && i < state->count; i++) {
        padici_variant *v = &state->variants[i];
        padici_free(&context->allocator, v->defines, v->defines_size);
        padici_free(&context->allocator, v->shapes,
                    padici_programs[v->program].kernel_count * sizeof *v->shapes);
    }
    if (state)
        padici_free(&context->allocator, state->variants,
                    state->capacity * sizeof *state->variants);
    padici_free(&context->allocator, state, sizeof *state);
    context->gpu = NULL;
}

// 1 if launches so far may have overwritten an input, so that no other backend can take over.
static int padici_gpu_touched(const void *call_)
{
    const padici_call *call = (const padici_call *)call_;
    uint32_t i, j;
    if (call->row->rules & PADICI_OP_AGAIN) return 0;
    for (i = 0; i < call->operand_count; i++) {
        const padici_operand *out = &call->operands[i];
        if (out->out == 2) return 1;
        for (j = 0; j < call->operand_count && out->out; j++) // results that overlap inputs
            if (i != j && out->kind && out->bytes && call->operands[j].bytes &&
                padici_operands_overlap(out, &call->operands[j]))
                return 1;
    }
    return 0;
}

// The member `drive` of every backend with a device's memory.
PADICI_FN padic_result padici_gpu_drive(padic_context *context, uint32_t op, void *call, int query)
{
    padici_gpu gpu;
    padic_result result;
    if (op == PADICI_DRIVE_CLOSE) {
        padici_gpu_close(context);
        return PADIC_OK;
    }
    memset(&gpu, 0, sizeof gpu);
    gpu.context = context;
    gpu.target = &context->targets[0];
    gpu.info = &gpu.target->info;
    gpu.op = op;
    gpu.query = query;
    gpu.gathers = query && context->ask;
    if (!context->gpu && (!query || gpu.gathers)) {
        context->gpu = padici_alloc(&context->allocator, sizeof(padici_gpu_state), 16);
        if (!context->gpu) // a query goes on without
            return query ? padici_gpu_drive_in(&gpu, call)
                         : padici_fail(context, PADIC_ERROR_MEMORY, "out of host memory");
        memset(context->gpu, 0, sizeof(padici_gpu_state));
        context->stats.host_allocations++;
    }
    gpu.state = (padici_gpu_state *)context->gpu;
    if (op >= PADICI_DRIVE_CLOSE && op <= PADICI_DRIVE_TUNE) gpu.op = PADIC_OP_NONE;
    if (op == PADICI_DRIVE_PREWARM) return padici_gpu_prewarm(&gpu, *(const uint32_t *)call);
    if (op == PADICI_DRIVE_TUNE) return padici_gpu_tune(&gpu, (const padici_drive_tune *)call);
    gpu.call = call;
    result = padici_gpu_drive_in(&gpu, call);
    if (result == PADIC_ERROR_NOT_SUPPORTED && gpu.launches && padici_gpu_touched(call))
        return padici_fail(context, PADIC_ERROR_SELF_TEST,
                           "a kernel proved to be wrong when others had run");
    return result;
}

#endif
