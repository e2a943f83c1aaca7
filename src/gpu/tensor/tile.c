#include "tile.h"
#include "../../core/tensor.h"
#include "../../tensor/plan.h"
#include "../tuner.h"
#include "../variants.h"
#include "cores.h"
#include "../texts.h"

#if PADICI_IMPLEMENT_GPU && !defined(PADIC_NO_TENSOR)

// The tile size of a product, and its call.

// Tiles smaller than the shape allows keep more of a device busy while there are few results.
PADICI_FN int padici_example_tensor_tile(padici_any_desc *desc, uint32_t size_class)
{
    static const uint64_t size[3] = {32, 128, 512}, batch[3] = {2, 1, 1};
    padic_tensor_gemm_desc *d = &desc->tensor_gemm;
    if (size_class > 2) return 0;
    d->a = padic_tensor_3d(PADIC_F32, NULL, batch[size_class], size[size_class], size[size_class]);
    d->b = d->c = d->a;
    return 1;
}

// Long sums are split by the number of tiles, so that must not change there.
static void padici_gpu_tensor_tile(padici_gpu *gpu, padici_gpu_tensor *t)
{
    const padici_tensor_group *g = t->plan.group;
    const uint64_t rows = g[PADICI_TENSOR_ROW].size, columns = g[PADICI_TENSOR_COLUMN].size;
    const uint64_t batches = g[PADICI_TENSOR_BATCH].size;
    const padici_gpu_choice *choice;
    if (g[PADICI_TENSOR_SUM].size >= 1024 || (rows | columns | batches) >> 21) return;
    choice = padici_gpu_choose(gpu, &padici_tunable_tensor_tile, rows * columns * batches);
    t->tile = padici_gpu_tensor_size(rows, columns, padici_tensor_is_double(t->plan.dtype[2]));
    t->tile >>= choice->number;
    if (t->tile < 8) t->tile = 8;
}

PADICI_FN padic_result padici_gpu_tensor_call(padici_gpu *gpu, const padici_call *call, int query,
                                              padici_gpu_tensor *t)
{
    padic_result result;
    uint32_t i;
    if (!t->plan.group[PADICI_TENSOR_ROW].size || !t->plan.group[PADICI_TENSOR_COLUMN].size ||
        !t->plan.group[PADICI_TENSOR_BATCH].size)
        return PADIC_OK; // c has no elements
    if (padici_tensor_is_double(t->plan.dtype[2]) && !(gpu->info->features & PADIC_FEATURE_F64))
        return PADIC_ERROR_NOT_SUPPORTED;
    padici_gpu_tensor_tile(gpu, t);
    t->group = padici_gpu_tensor_group(gpu);
    if (!padici_gpu_tensor_begin(t)) return PADIC_ERROR_NOT_SUPPORTED;
    for (i = 0; i < 3; i++) {
        const padici_place *place = query ? &call->operands[i].home : &call->operands[i].now;
        const uint64_t size = padic_dtype_size(t->plan.dtype[i]);
        if (place->host && query) continue; // will be moved to where elements can be counted
        if (place->at % size) return PADIC_ERROR_NOT_SUPPORTED;
        padici_gpu_tensor_half(t->k.first + 2 * i, place->at / size);
    }
    result = padici_gpu_need(gpu, PADICI_KERNEL_TENSOR_PRODUCT, t->defines, 7);
    if (!result && t->general)
        result = padici_gpu_need(gpu, PADICI_KERNEL_TENSOR_SHAPE, t->defines, 7);
    if (!result && t->splits > 1)
        result = padici_gpu_need(gpu, PADICI_KERNEL_TENSOR_ADD, t->defines, 7);
    if (result || query) return result;
    result = padici_gpu_tensor_async_run(gpu, t, call->operands);
    if (result == PADIC_ERROR_NOT_SUPPORTED && t->k.rows <= 64 && t->k.columns <= 64 &&
        !strcmp(gpu->info->arch, "sm_90")) // 4096 times 64 x 64: 0.21 ms, on tensor cores 0.55
        result = padici_gpu_tensor_exact_run(gpu, t, call->operands);
    if (result == PADIC_ERROR_NOT_SUPPORTED)
        result = padici_gpu_tensor_cores_run(gpu, t, call->operands);
    if (result == PADIC_ERROR_NOT_SUPPORTED)
        result = padici_gpu_tensor_exact_run(gpu, t, call->operands);
    if (result != PADIC_ERROR_NOT_SUPPORTED) return result;
    gpu->context->method = t->splits > 1 ? "tiles, sum in parts" : "tiles";
    return padici_gpu_tensor_run(gpu, t, call->operands);
}

#endif
