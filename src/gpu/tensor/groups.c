#include "groups.h"
#include "../../context/messages.h"
#include "../../core/memory.h"
#include "../../core/words.h"
#include "../../tensor/gemm.h"
#include "../../tensor/plan.h"
#include "../launch.h"
#include "../variants.h"
#include "../texts.h"

#if PADICI_IMPLEMENT_GPU && !defined(PADIC_NO_TENSOR)

// Products of many sizes: one launch, whose tiles find their group in a table.

// Tiles of one side that the groups cover, each a number that fills groups of items.
static uint64_t padici_gpu_tensor_groups_tiles(const padic_tensor_gemm_desc *desc, uint32_t tile)
{
    const uint64_t share = tile <= 16 ? 2 : 1;
    uint64_t all = 0;
    uint32_t g;
    for (g = 0; g < desc->group_count; g++) {
        const uint64_t down = (desc->groups[g].m + tile - 1) / tile;
        const uint64_t across = (desc->groups[g].n + tile - 1) / tile;
        all += (down * across + share - 1) / share * share;
        if (all >> 24) return UINT64_MAX;
    }
    return all;
}

// Words of the table, 16 for each group that has elements; returns their number. 0: not for this
// kernel, or none.
PADICI_FN uint32_t padici_gpu_tensor_groups_table(const padic_tensor_gemm_desc *desc,
                                                  padici_gpu_tensor *t, uint32_t *words)
{
    const uint32_t share = t->tile <= 16 ? 2 : 1;
    uint32_t g, i, n = 0, tiles = 0, turned[2];
    turned[0] = desc->op_a == PADIC_TENSOR_OP_T || desc->op_a == PADIC_TENSOR_OP_C;
    turned[1] = desc->op_b == PADIC_TENSOR_OP_T || desc->op_b == PADIC_TENSOR_OP_C;
    t->k.part = 1;
    for (g = 0; g < desc->group_count; g++) {
        const padic_tensor_gemm_group *group = &desc->groups[g];
        uint32_t line[3], down, *w = words + 16 * n;
        if (!group->m || !group->n) continue;
        for (i = 0; i < 3; i++) {
            padici_tensor_place place;
            uint64_t reach;
            padici_tensor_group_place(desc, g, i, &place);
            if (!padici_mul_u64(place.rows + 1, place.line + 1, &reach) || reach >> 30) return 0;
            line[i] = (uint32_t)place.line;
            padici_gpu_tensor_half(w + 4 + 2 * i, place.first);
        }
        w[0] = tiles;
        w[1] = (uint32_t)group->m;
        w[2] = (uint32_t)group->n;
        w[3] = (uint32_t)group->k;
        w[10] = turned[0] ? 1 : line[0];
        w[11] = turned[0] ? line[0] : 1;
        w[12] = turned[1] ? 1 : line[1];
        w[13] = turned[1] ? line[1] : 1;
        w[14] = line[2];
        w[15] = (w[2] + t->tile - 1) / t->tile;
        down = (w[1] + t->tile - 1) / t->tile;
        tiles += (down * w[15] + share - 1) / share * share;
        if (w[3] > t->k.part) t->k.part = w[3];
        n++;
    }
    t->k.batches = n;
    t->k.tiles_down = tiles;
    t->k.tiles_across = 1;
    t->k.flags = t->plan.conj | (turned[0] ? 0 : 4u) | (turned[1] ? 8u : 0);
    return 16 * n;
}

// All parameters but the table and the addresses of the operands. Few large tiles if they fill
// nearly as well as small ones.
PADICI_FN padic_result padici_gpu_tensor_groups_begin(padic_context *context,
                                                      const padic_tensor_gemm_desc *desc,
                                                      padici_gpu_tensor *t)
{
    const padic_tensor *tensors[3];
    uint64_t large, small_;
    padic_result result;
    tensors[0] = &desc->a;
    tensors[1] = &desc->b;
    tensors[2] = &desc->c;
    result = padici_tensor_plan_begin(context, &t->plan, tensors, desc->math, desc->alpha,
                                      desc->beta);
    if (!result && !padici_tensor_factors_fit(&t->plan)) result = PADIC_ERROR_NOT_SUPPORTED;
    if (result) return result;
    t->plan.math = PADIC_TENSOR_MATH_EXACT;
    t->plan.conj = (desc->op_a >= PADIC_TENSOR_OP_C ? 1u : 0u) |
                   (desc->op_b >= PADIC_TENSOR_OP_C ? 2u : 0u);
    large = padici_gpu_tensor_groups_tiles(desc, 32);
    small_ = padici_gpu_tensor_groups_tiles(desc, 16);
    if (large == UINT64_MAX) return PADIC_ERROR_NOT_SUPPORTED;
    t->tile = small_ != UINT64_MAX && small_ < 2 * large ? 16 : 32;
    padici_gpu_tensor_defines(t);
    padici_gpu_tensor_define(t, 7, "PD_TENSOR_GROUPS=", 1);
    t->define_count = 8;
    return PADIC_OK;
}

static padic_result padici_gpu_tensor_groups_launch(padici_gpu *gpu, const padici_call *call,
                                                    padici_gpu_tensor *t, const uint32_t *words,
                                                    uint32_t count)
{
    padici_gpu_block table;
    padic_mem mem[4];
    padic_result result;
    uint32_t i;
    table.block = PADICI_NO_BLOCK;
    padici_gpu_tensor_scales(t);
    for (i = 0; i < 3; i++) mem[i] = call->operands[i].now.mem;
    for (i = 0; i < 2; i++)
        if (!call->operands[i].bytes) mem[i] = mem[2]; // nothing reads it
    result = padici_gpu_scratch(gpu, 4 * (uint64_t)count, &table);
    mem[3] = table.mem;
    if (!result && gpu->context->recording)
        result = padici_gpu_tensor_words(gpu, t, table.mem, words, count);
    else if (!result)
        result = padici_gpu_upload(gpu, table.mem, 0, words, 4 * (uint64_t)count);
    if (!result)
        result = padici_gpu_tensor_launch(gpu, t, PADICI_KERNEL_TENSOR_PRODUCT, mem, 4, &t->k,
                                          sizeof t->k,
                                          t->k.tiles_down / (t->tile <= 16 ? 2 : 1), 1);
    padici_gpu_scratch_end(gpu, &table);
    return result;
}

PADICI_FN PADICI_NOINLINE padic_result padici_gpu_tensor_groups_run(padici_gpu *gpu,
                                                                    const padici_call *call,
                                                                    int query)
{
    const padic_tensor_gemm_desc *desc = &call->desc->tensor_gemm;
    const padic_allocator *allocator = &gpu->context->allocator;
    padici_gpu_tensor t;
    uint32_t *words, i, count;
    padic_result result;
    memset(&t, 0, sizeof t);
    result = padici_gpu_tensor_groups_begin(gpu->context, desc, &t);
    if (result) return result;
    if (padici_tensor_is_double(t.plan.dtype[2]) && !(gpu->info->features & PADIC_FEATURE_F64))
        return PADIC_ERROR_NOT_SUPPORTED;
    for (i = 0; i < 3; i++) {
        const padici_place *place = query ? &call->operands[i].home : &call->operands[i].now;
        const uint64_t size = padic_dtype_size(t.plan.dtype[i]);
        if (place->host && query) continue;
        if (place->at % size) return PADIC_ERROR_NOT_SUPPORTED;
        padici_gpu_tensor_half(t.k.first + 2 * i, place->at / size);
    }
    words = (uint32_t *)padici_alloc(allocator, (size_t)desc->group_count * 64, 16);
    if (!words) return padici_fail_here(gpu->context, PADIC_ERROR_MEMORY, "out of host memory");
    count = padici_gpu_tensor_groups_table(desc, &t, words);
    if (!count && padici_gpu_tensor_groups_tiles(desc, t.tile)) {
        result = PADIC_ERROR_NOT_SUPPORTED;
    } else if (count) {
        result = padici_gpu_need(gpu, PADICI_KERNEL_TENSOR_PRODUCT, t.defines, 8);
        if (!result) result = padici_gpu_need(gpu, PADICI_KERNEL_TENSOR_SHAPE, t.defines, 8);
        gpu->context->method = "tiles of many sizes";
        if (!result && !query)
            result = padici_gpu_tensor_groups_launch(gpu, call, &t, words, count);
    }
    padici_free(allocator, words, (size_t)desc->group_count * 64);
    return result;
}

#endif
