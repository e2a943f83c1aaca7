#include "view.h"
#include "../../context/operation.h"
#include "../../core/tensor.h"
#include "../../core/view.h"
#include "../launch.h"
#include "../variants.h"

#if PADICI_IMPLEMENT_GPU && !defined(PADIC_NO_PQ)

// What the drivers of product quantisation share: views, memory, launches.

static const padici_operand *padici_gpu_pq_operand(const padici_call *call, const padic_tensor *t)
{
    uint32_t i;
    for (i = 0; i < call->operand_count; i++)
        if (call->operands[i].tensor == t) return &call->operands[i];
    return NULL;
}

PADICI_FN void padici_gpu_pq_view_of(const padici_call *call, const padic_tensor *t,
                                     padici_gpu_pq_view *view)
{
    const padici_operand *o = padici_gpu_pq_operand(call, t);
    int64_t stride[PADIC_MAX_RANK];
    uint32_t i;
    memset(view, 0, sizeof *view);
    if (!o) return;
    padici_tensor_dense(t, stride);
    if (o->bytes) view->mem = o->now.mem; // else it may be the host's
    view->at = o->now.at / padic_dtype_size(t->dtype);
    for (i = 0; i < 5 && i < t->rank; i++) view->step[i] = (uint32_t)stride[i];
    view->here = 1;
    view->dtype = t->dtype == PADIC_F16 ? 1 : t->dtype == PADIC_BF16 ? 2 : 0;
}

PADICI_FN int padici_gpu_pq_reach(const padici_call *call, const padic_tensor *a,
                                  const padic_tensor *b, const padic_tensor *c)
{
    const uint64_t most = (uint64_t)1 << 31;
    uint32_t i, j;
    for (i = 0; i < call->operand_count; i++) {
        const padici_operand *o = &call->operands[i];
        const padic_tensor *t = o->tensor;
        const uint64_t size = padic_dtype_size(t->dtype), at = o->home.host ? 0 : o->home.at;
        int64_t stride[PADIC_MAX_RANK];
        if (at % size) return 0;
        padici_tensor_dense(t, stride);
        for (j = 0; j < t->rank; j++)
            if (t->shape[j] > 1 &&
                (stride[j] >= (int64_t)most || stride[j] <= -(int64_t)most))
                return 0;
        if (t != a && t != b && t != c && (at + o->bytes) / size >> 31) return 0;
    }
    return 1;
}

PADICI_FN padic_result padici_gpu_pq_take(padici_gpu_pq_space *space, uint64_t size, padic_mem *mem)
{
    padici_gpu_block *block = &space->block[space->count];
    const padic_result result = padici_gpu_scratch(space->gpu, (size + 19) & ~(uint64_t)15, block);
    if (result) return result;
    space->count++;
    *mem = block->mem;
    return PADIC_OK;
}

PADICI_FN void padici_gpu_pq_end(padici_gpu_pq_space *space)
{
    while (space->count) padici_gpu_scratch_end(space->gpu, &space->block[--space->count]);
}

PADICI_FN padic_result padici_gpu_pq_launch(padici_gpu *gpu, uint32_t kernel,
                                            const char *const *defines, uint32_t define_count,
                                            const padic_mem *mem, uint32_t mem_count,
                                            const void *params, uint32_t size, uint64_t groups)
{
    return padici_gpu_pq_launch_sliced(gpu, kernel, defines, define_count, mem, mem_count, params,
                                       size, groups, 1);
}

PADICI_FN padic_result padici_gpu_pq_launch_sliced(padici_gpu *gpu, uint32_t kernel,
                                                   const char *const *defines,
                                                   uint32_t define_count, const padic_mem *mem,
                                                   uint32_t mem_count, const void *params,
                                                   uint32_t size, uint64_t groups, uint32_t slices)
{
    padici_gpu_work work;
    uint32_t i, j;
    memset(&work, 0, sizeof work);
    work.kernel = kernel;
    work.defines = defines;
    work.define_count = define_count;
    memcpy(work.mem, mem, mem_count * sizeof *mem);
    for (i = 0; i < mem_count; i++) // what has no elements has no memory
        for (j = 0; j < mem_count && !work.mem[i].bits; j++) work.mem[i] = work.mem[j];
    work.mem_count = mem_count;
    work.params = params;
    work.params_size = size;
    work.groups[0] = (uint32_t)groups;
    work.groups[1] = slices;
    return padici_gpu_launch(gpu, &work);
}

#endif
