#include "cores.h"
#include "../../core/log.h"
#include "../../tensor/plan.h"
#include "../launch.h"
#include "../variants.h"
#include "../texts.h"

#if PADICI_IMPLEMENT_GPU && !defined(PADIC_NO_TENSOR)

// Products by the kernels for NVIDIA, on tensor cores and in tiles of exact products.

// The same on tensor cores, for SPLIT and TF32 of complex numbers: scales of the rows of a and of
// the columns of b; their pieces, for as many batches at a time as fit the memory for them (at
// least one); the product of these. See kernels/cuda/tensor/tensor.cu.
#define PADICI_GPU_TENSOR_CORES_BYTES (UINT64_C(256) << 20)

// Every step of an operand is even but `one`, which is 1: pairs along it are aligned if the first
// element is.
static int padici_gpu_tensor_cores_pairs(const padici_gpu_tensor *t, uint32_t o, int32_t one,
                                         int32_t other, padic_mem mem)
{
    return !t->general && one == 1 &&
           !(((uint32_t)other | t->k.batch[2 * o] | t->k.first[2 * o]) & 1u) && !(mem.bits & 15u);
}

PADICI_FN void padici_gpu_tensor_cores_begin(const padici_gpu_tensor *t, const padic_mem mem[3],
                                             padici_gpu_tensor_cores *x)
{
    static const char *const words[5] = {"PD_TENSOR_A_ALONG=", "PD_TENSOR_B_ALONG=",
                                         "PD_TENSOR_VEC=", "PD_TENSOR_PIECES=",
                                         "PD_TENSOR_GENERAL="};
    const padici_tensor_group *batch = &t->plan.group[PADICI_TENSOR_BATCH];
    const padici_k_tensor_product_params *k = &t->k;
    uint32_t number[5], i, b, batched[2] = {0, 0};
    memset(&x->k, 0, sizeof x->k);
    memcpy(&x->k, k, sizeof *k); // the same fields first
    for (b = 0; b < batch->count; b++)
        for (i = 0; i < 2; i++) batched[i] |= batch->axis[b].step[i] != 0;
    x->along[0] = k->flags >> 2 & 1u;
    x->along[1] = k->flags >> 3 & 1u;
    x->pairs =
        (uint32_t)(padici_gpu_tensor_cores_pairs(t, 0, x->along[0] ? k->a_sum : k->a_row,
                                                 x->along[0] ? k->a_row : k->a_sum, mem[0]) &&
                   padici_gpu_tensor_cores_pairs(t, 1, x->along[1] ? k->b_sum : k->b_column,
                                                 x->along[1] ? k->b_column : k->b_sum, mem[1]));
    x->k.tiles_down = (k->rows + 127u) / 128u;
    x->k.tiles_across = (k->columns + 63u) / 64u;
    x->k.flags &= 3u | 32u | 64u;
    x->k.scales_a = batched[0] ? k->rows : 0;
    x->k.scales_b = batched[1] ? k->columns : 0;
    x->k.scales_at = batched[0] ? k->rows * k->batches : k->rows;
    x->k.blocks = (k->depth + 15u) / 16u;
    {
        const uint64_t a = (uint64_t)x->k.tiles_down * x->k.blocks * 4096u;
        const uint64_t b_words = (uint64_t)x->k.tiles_across * x->k.blocks * 2048u;
        const uint64_t fits = PADICI_GPU_TENSOR_CORES_BYTES / 4 / (a + b_words);
        x->chunk = fits < 1 ? 1 : fits < k->batches ? (uint32_t)fits : k->batches;
        x->words = a * (x->k.scales_a ? x->chunk : 1u);
        x->k.pieces_at = (uint32_t)x->words;
        x->words += b_words * (x->k.scales_b ? x->chunk : 1u);
    }
    number[0] = x->along[0];
    number[1] = x->along[1];
    number[2] = x->pairs ? 2 : 1;
    number[3] = t->plan.math == PADIC_TENSOR_MATH_TF32 ? 1 : 2;
    number[4] = t->general;
    for (i = 0; i < 5; i++) {
        padici_text text;
        padici_text_begin(&text, x->text[i], sizeof x->text[i]);
        padici_text_add(&text, words[i]);
        padici_text_number(&text, number[i], 1);
        x->defines[i] = x->text[i];
    }
}

static padic_result
padici_gpu_tensor_cores_launch(padici_gpu *gpu, const padici_gpu_tensor_cores *x, uint32_t kernel,
                               const padic_mem *mem, uint32_t count, const void *params,
                               uint32_t size, uint32_t groups, uint32_t groups_y)
{
    padici_gpu_work work;
    memset(&work, 0, sizeof work);
    work.groups[1] = groups_y;
    work.kernel = kernel;
    work.defines = x->defines;
    work.define_count = 5;
    memcpy(work.mem, mem, count * sizeof *mem);
    work.mem_count = count;
    work.params = params;
    work.params_size = size;
    work.groups[0] = groups;
    return padici_gpu_launch(gpu, &work);
}

// Scales of operand o, 0 or 1.
static padic_result padici_gpu_tensor_cores_scale(padici_gpu *gpu, const padici_gpu_tensor_cores *x,
                                                  uint32_t o, padic_mem from, padic_mem shape,
                                                  padic_mem to)
{
    const uint32_t scales = o ? x->k.scales_b : x->k.scales_a;
    padici_k_cuda_tensor_scale_params s;
    padic_mem mem[3];
    uint32_t lines;
    memset(&s, 0, sizeof s);
    s.lines = o ? x->k.columns : x->k.rows;
    s.depth = x->k.depth;
    s.batches = scales ? x->k.batches : 1;
    s.operand = o;
    s.along = x->along[o];
    s.at = o ? x->k.scales_at : 0;
    memcpy(s.first, x->k.first + 2 * o, sizeof s.first);
    memcpy(s.batch, x->k.batch + 2 * o, sizeof s.batch);
    s.line = o ? x->k.b_column : x->k.a_row;
    s.sum = o ? x->k.b_sum : x->k.a_sum;
    memcpy(s.axes, x->k.axes, sizeof s.axes);
    mem[0] = from;
    mem[1] = shape;
    mem[2] = to;
    lines = s.lines * s.batches;
    return padici_gpu_tensor_cores_launch(gpu, x, PADICI_KERNEL_CUDA_TENSOR_SCALE, mem, 3, &s,
                                          sizeof s, s.along ? (lines + 3) / 4 : (lines + 127) / 128,
                                          1);
}

// Pieces and product of the batches from `from` on. mem: a, b, c, shape, scales, pieces.
static padic_result padici_gpu_tensor_cores_chunk(padici_gpu *gpu, padici_gpu_tensor_cores *x,
                                                  uint32_t from, const padic_mem *mem)
{
    const padic_mem all[4] = {mem[5], mem[2], mem[3], mem[4]};
    padic_result result = PADIC_OK;
    uint32_t o;
    x->k.from = from;
    x->k.count = x->k.batches - from < x->chunk ? x->k.batches - from : x->chunk;
    for (o = 0; o < 2 && !result; o++) {
        const uint32_t tiles = o ? x->k.tiles_across : x->k.tiles_down;
        const uint32_t batches = (o ? x->k.scales_b : x->k.scales_a) ? x->k.count : 1;
        padic_mem one[4];
        if (batches == 1 && x->k.count > 1 && from) continue; // shared: split with the first
        one[0] = mem[o];
        one[1] = mem[3];
        one[2] = mem[4];
        one[3] = mem[5];
        x->k.operand = o;
        x->k.along = x->along[o];
        result = padici_gpu_tensor_cores_launch(gpu, x, PADICI_KERNEL_CUDA_TENSOR_CUT, one, 4,
                                                &x->k, sizeof x->k, tiles * batches, x->k.blocks);
    }
    if (!result)
        result = padici_gpu_tensor_cores_launch(
            gpu, x, PADICI_KERNEL_CUDA_TENSOR_PRODUCT, all, 4, &x->k, sizeof x->k,
            x->k.tiles_down * x->k.tiles_across * x->k.count, 1);
    return result;
}

// NOT_SUPPORTED: use the generic kernel. Nothing has been written.
PADICI_FN padic_result padici_gpu_tensor_cores_run(padici_gpu *gpu, padici_gpu_tensor *t,
                                                   const padici_operand *operands)
{
    padici_gpu_tensor_cores x;
    padici_gpu_block shape, scale, pieces;
    padic_mem mem[6];
    padic_result result;
    uint32_t i;
    // Narrow products leave most of a tile of 128 x 64 empty.
    if (t->plan.math < PADIC_TENSOR_MATH_SPLIT || t->splits > 1 || t->k.rows < 64 ||
        t->k.columns < 48 || t->k.depth < 16 || t->k.depth > 1u << 19 ||
        !padici_gpu_is_sm(gpu, 80))
        return PADIC_ERROR_NOT_SUPPORTED;
    for (i = 0; i < 3; i++) {
        if (t->plan.dtype[i] != PADIC_C64) return PADIC_ERROR_NOT_SUPPORTED;
        mem[i] = operands[i].now.mem;
    }
    shape.block = scale.block = pieces.block = PADICI_NO_BLOCK;
    padici_gpu_tensor_cores_begin(t, mem, &x);
    if (x.words >> 31) return PADIC_ERROR_NOT_SUPPORTED;
    result = padici_gpu_need(gpu, PADICI_KERNEL_CUDA_TENSOR_SCALE, x.defines, 5);
    if (!result) result = padici_gpu_need(gpu, PADICI_KERNEL_CUDA_TENSOR_CUT, x.defines, 5);
    if (!result) result = padici_gpu_need(gpu, PADICI_KERNEL_CUDA_TENSOR_PRODUCT, x.defines, 5);
    if (result) return result;
    gpu->context->method = "tensor cores";
    mem[3] = mem[0];
    if (t->general) {
        result = padici_gpu_scratch(gpu, sizeof t->shape, &shape);
        if (!result) result = padici_gpu_tensor_shape(gpu, t, shape.mem);
        mem[3] = shape.mem;
    }
    if (!result)
        result = padici_gpu_scratch(
            gpu, 4 * ((uint64_t)x.k.scales_at + x.k.columns * (x.k.scales_b ? x.k.batches : 1u)),
            &scale);
    mem[4] = scale.mem;
    if (!result) result = padici_gpu_scratch(gpu, x.words * 4, &pieces);
    mem[5] = pieces.mem;
    for (i = 0; i < 2 && !result; i++)
        result = padici_gpu_tensor_cores_scale(gpu, &x, i, mem[i], mem[3], mem[4]);
    for (i = 0; i < x.k.batches && !result; i += x.chunk)
        result = padici_gpu_tensor_cores_chunk(gpu, &x, i, mem);
    padici_gpu_scratch_end(gpu, &shape);
    padici_gpu_scratch_end(gpu, &scale);
    padici_gpu_scratch_end(gpu, &pieces);
    return result;
}

// SPLIT and TF32 on chips whose tensor cores read local memory themselves, in one kernel without
// memory for pieces: cuda/tensor/async.cu. NOT_SUPPORTED: nothing has been written.
PADICI_FN padic_result padici_gpu_tensor_async_run(padici_gpu *gpu, const padici_gpu_tensor *t,
                                                   const padici_operand *operands)
{
    const uint32_t a_along = t->k.flags >> 2 & 1u, b_along = t->k.flags >> 3 & 1u;
    const padici_k_tensor_product_params *from = &t->k;
    padici_k_tensor_cores_params k;
    padici_gpu_work work;
    const char *defines[5];
    padic_result result;
    uint32_t i;
    if (t->plan.math < PADIC_TENSOR_MATH_SPLIT || t->general || t->splits > 1 || from->rows < 64 ||
        from->columns < 64 || from->depth < 16 || (from->rows <= 64 && from->columns <= 64) ||
        strcmp(gpu->target->backend->name, "cuda") || strcmp(gpu->info->arch, "sm_90"))
        return PADIC_ERROR_NOT_SUPPORTED;
    memset(&work, 0, sizeof work);
    for (i = 0; i < 3; i++) {
        if (t->plan.dtype[i] != PADIC_C64 || operands[i].now.mem.bits & 7u)
            return PADIC_ERROR_NOT_SUPPORTED;
        work.mem[i] = operands[i].now.mem;
    }
    i = padici_gpu_tensor_cores_pairs(t, 0, a_along ? from->a_sum : from->a_row,
                                      a_along ? from->a_row : from->a_sum, work.mem[0]) &&
        padici_gpu_tensor_cores_pairs(t, 1, b_along ? from->b_sum : from->b_column,
                                      b_along ? from->b_column : from->b_sum, work.mem[1]);
    defines[0] = a_along ? "PD_TENSOR_A_ALONG=1" : "PD_TENSOR_A_ALONG=0";
    defines[1] = b_along ? "PD_TENSOR_B_ALONG=1" : "PD_TENSOR_B_ALONG=0";
    defines[2] = i ? "PD_TENSOR_VEC=2" : "PD_TENSOR_VEC=1";
    defines[3] = t->plan.math == PADIC_TENSOR_MATH_TF32 ? "PD_TENSOR_PIECES=1"
        : "PD_TENSOR_PIECES=2";
    defines[4] = "PD_DYNAMIC_BYTES=198720";
    result = padici_gpu_need(gpu, PADICI_KERNEL_CUDA_TENSOR_ASYNC_PRODUCT, defines, 5);
    if (result) return result;
    gpu->context->method = "tensor cores, read ahead";
    memset(&k, 0, sizeof k);
    memcpy(&k, from, sizeof *from); // the same fields first
    k.tiles_down = (from->rows + 127) / 128;
    k.tiles_across = (from->columns + 127) / 128;
    k.tiles = k.tiles_down * k.tiles_across * from->batches; // fewer than of 64 x 64
    k.flags &= 3u | 32u | 64u;
    if (padici_gpu_tensor_cores_pairs(t, 2, from->c_column, from->c_row, work.mem[2]))
        k.flags |= 128u;
    k.blocks = (from->depth + 31) / 32;
    work.mem_count = 3;
    work.kernel = PADICI_KERNEL_CUDA_TENSOR_ASYNC_PRODUCT;
    work.defines = defines;
    work.define_count = 5;
    work.params = &k;
    work.params_size = sizeof k;
    work.groups[0] = k.tiles < gpu->info->compute_units ? k.tiles : gpu->info->compute_units;
    return padici_gpu_launch(gpu, &work);
}

// EXACT products of complex matrices that fill tiles of 64 x 64, by cuda/tensor/tensor.cu, whose
// bits equal those of the generic kernel. NOT_SUPPORTED: not for this; nothing has been written.
PADICI_FN padic_result padici_gpu_tensor_exact_run(padici_gpu *gpu, const padici_gpu_tensor *t,
                                                   const padici_operand *operands)
{
    const uint64_t rows = t->k.rows, columns = t->k.columns, results = rows * columns;
    const uint64_t tiles = ((rows + 63) / 64) * ((columns + 63) / 64);
    const char *defines[3];
    padici_k_tensor_cores_params k;
    padici_gpu_work work;
    padic_result result;
    uint32_t i;
    if (t->plan.math == PADIC_TENSOR_MATH_GAUSS || t->general || t->splits > 1 || t->tile != 64 ||
        t->k.depth < 8 || results * 4 < tiles * 4096 * 3 ||
        tiles * t->k.batches < gpu->info->compute_units || !padici_gpu_is_sm(gpu, 80))
        return PADIC_ERROR_NOT_SUPPORTED;
    memset(&work, 0, sizeof work);
    for (i = 0; i < 3; i++) {
        if (t->plan.dtype[i] != PADIC_C64 || operands[i].now.mem.bits & 7u)
            return PADIC_ERROR_NOT_SUPPORTED;
        work.mem[i] = operands[i].now.mem;
    }
    defines[0] = t->k.flags & 3u ? "PD_TENSOR_CONJ=1" : "PD_TENSOR_CONJ=0";
    defines[1] = t->k.flags & 4u ? "PD_TENSOR_A_ALONG=1" : "PD_TENSOR_A_ALONG=0";
    defines[2] = t->k.flags & 8u ? "PD_TENSOR_B_ALONG=1" : "PD_TENSOR_B_ALONG=0";
    result = padici_gpu_need(gpu, PADICI_KERNEL_CUDA_TENSOR_EXACT, defines, 3);
    if (result) return result;
    gpu->context->method = "tiles, copied ahead";
    memset(&k, 0, sizeof k);
    memcpy(&k, &t->k, sizeof t->k); // the same fields first
    k.tiles_down = (uint32_t)((rows + 63) / 64);
    k.tiles_across = (uint32_t)((columns + 63) / 64);
    k.blocks = (k.depth + 15) / 16;
    work.mem_count = 3;
    work.kernel = PADICI_KERNEL_CUDA_TENSOR_EXACT;
    work.defines = defines;
    work.define_count = 3;
    work.params = &k;
    work.params_size = sizeof k;
    work.groups[0] = (uint32_t)tiles * k.batches;
    return padici_gpu_launch(gpu, &work);
}

#undef PADICI_GPU_TENSOR_CORES_BYTES

#endif
