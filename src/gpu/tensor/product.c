#include "product.h"
#include "../../core/log.h"
#include "../../core/words.h"
#include "../launch.h"
#include "../texts.h"

#if PADICI_IMPLEMENT_GPU && !defined(PADIC_NO_TENSOR)

// A product by the generic kernel: its parameters and launches.

PADICI_FN void padici_gpu_tensor_define(padici_gpu_tensor *t, uint32_t i, const char *word,
                                        uint32_t number)
{
    padici_text text;
    padici_text_begin(&text, t->text[i], sizeof t->text[i]);
    padici_text_add(&text, word);
    padici_text_number(&text, number, 1);
    t->defines[i] = t->text[i];
}

// 1 if the extent of an operand within one batch fits the kernel's 31-bit offsets.
static int padici_gpu_tensor_fits(const padici_tensor_plan *plan)
{
    uint32_t g, i, o;
    for (o = 0; o < 3; o++) {
        uint64_t reach = 0, more;
        for (g = PADICI_TENSOR_ROW; g <= PADICI_TENSOR_SUM; g++)
            for (i = 0; i < plan->group[g].count; i++) {
                const padici_tensor_axis *axis = &plan->group[g].axis[i];
                const int64_t step = axis->step[o] < 0 ? -axis->step[o] : axis->step[o];
                if (!padici_mul_u64(axis->size, (uint64_t)step, &more) || more >> 30) return 0;
                reach += more;
            }
        if (reach >> 30) return 0;
    }
    for (g = 0; g < 4; g++)
        if (plan->group[g].size >> 30) return 0;
    return 1;
}

// Only NVIDIA's chips have 255 registers for each of 128 items.
PADICI_FN uint32_t padici_gpu_tensor_group(const padici_gpu *gpu)
{
    return strstr(gpu->info->vendor, "NVIDIA") ? 128 : 256;
}

PADICI_FN uint32_t padici_gpu_tensor_size(uint64_t rows, uint64_t columns, int is_double)
{
    const uint64_t least = rows < columns ? rows : columns;
    const uint32_t tile = least > 32 ? 64 : least > 16 ? 32 : least > 8 ? 16 : 8;
    return is_double && tile > 32 ? 32 : tile;
}

PADICI_FN void padici_gpu_tensor_half(uint32_t *to, uint64_t value)
{
    to[0] = (uint32_t)value;
    to[1] = (uint32_t)(value >> 32);
}

// The axes of a group as words of `shape`: steps of operands x and y, or of all three (batch).
static void padici_gpu_tensor_axes(padici_gpu_tensor *t, uint32_t g, uint32_t x, uint32_t y)
{
    const padici_tensor_group *group = &t->plan.group[g];
    uint32_t i, o;
    for (i = 0; i < group->count; i++) {
        uint32_t *w = t->shape + t->words;
        w[0] = (uint32_t)group->axis[i].size;
        if (g == PADICI_TENSOR_BATCH) {
            for (o = 0; o < 3; o++)
                padici_gpu_tensor_half(w + 1 + 2 * o, (uint64_t)group->axis[i].step[o]);
            t->words += 8;
        } else {
            w[1] = (uint32_t)group->axis[i].step[x];
            w[2] = (uint32_t)group->axis[i].step[y];
            t->words += 4;
        }
    }
}

// The step of a group's fastest axis, as a distance; very large if there is none.
static uint64_t padici_gpu_tensor_step(const padici_tensor_group *group, uint32_t o)
{
    int64_t step;
    if (!group->count) return UINT64_MAX;
    step = group->axis[group->count - 1].step[o];
    return step < 0 ? 0 - (uint64_t)step : (uint64_t)step;
}

static void padici_gpu_tensor_steps(padici_gpu_tensor *t)
{
    const padici_tensor_group *g = t->plan.group;
    padici_k_tensor_product_params *k = &t->k;
    uint32_t o;
    if (t->general) {
        k->axes[0] = g[PADICI_TENSOR_ROW].count;
        k->axes[1] = g[PADICI_TENSOR_COLUMN].count;
        k->axes[2] = g[PADICI_TENSOR_SUM].count;
        k->axes[3] = g[PADICI_TENSOR_BATCH].count;
        padici_gpu_tensor_axes(t, PADICI_TENSOR_ROW, 0, 2);
        padici_gpu_tensor_axes(t, PADICI_TENSOR_COLUMN, 1, 2);
        padici_gpu_tensor_axes(t, PADICI_TENSOR_SUM, 0, 1);
        padici_gpu_tensor_axes(t, PADICI_TENSOR_BATCH, 0, 0);
        return;
    }
    if (g[PADICI_TENSOR_ROW].count) {
        k->a_row = (int32_t)g[PADICI_TENSOR_ROW].axis[0].step[0];
        k->c_row = (int32_t)g[PADICI_TENSOR_ROW].axis[0].step[2];
    }
    if (g[PADICI_TENSOR_COLUMN].count) {
        k->b_column = (int32_t)g[PADICI_TENSOR_COLUMN].axis[0].step[1];
        k->c_column = (int32_t)g[PADICI_TENSOR_COLUMN].axis[0].step[2];
    }
    if (g[PADICI_TENSOR_SUM].count) {
        k->a_sum = (int32_t)g[PADICI_TENSOR_SUM].axis[0].step[0];
        k->b_sum = (int32_t)g[PADICI_TENSOR_SUM].axis[0].step[1];
    }
    for (o = 0; o < 3 && g[PADICI_TENSOR_BATCH].count; o++)
        padici_gpu_tensor_half(k->batch + 2 * o,
                               (uint64_t)g[PADICI_TENSOR_BATCH].axis[0].step[o]);
}

// alpha and beta in the precision of c.
PADICI_FN void padici_gpu_tensor_scales(padici_gpu_tensor *t)
{
    const double value[4] = {t->plan.alpha[0], t->plan.alpha[1], t->plan.beta[0], t->plan.beta[1]};
    uint32_t i;
    for (i = 0; i < 4; i++) {
        const float single = (float)value[i];
        uint64_t bits = 0;
        if (padici_tensor_is_double(t->plan.dtype[2]))
            memcpy(&bits, &value[i], 8);
        else
            memcpy(&t->k.scale[2 * i], &single, 4);
        if (bits) padici_gpu_tensor_half(t->k.scale + 2 * i, bits);
    }
    if (value[1] != 0) t->k.flags |= 32u;
    if (value[2] != 0 || value[3] != 0) t->k.flags |= 64u;
}

PADICI_FN void padici_gpu_tensor_defines(padici_gpu_tensor *t)
{
    const uint32_t a = padici_tensor_is_complex(t->plan.dtype[0]) ? 2 : 1;
    const uint32_t b = padici_tensor_is_complex(t->plan.dtype[1]) ? 2 : 1;
    const int is_double = padici_tensor_is_double(t->plan.dtype[2]);
    padici_gpu_tensor_define(t, 0, "PD_TENSOR_TILE=", t->tile);
    padici_gpu_tensor_define(t, 1, "PD_TENSOR_A_PARTS=", a);
    padici_gpu_tensor_define(t, 2, "PD_TENSOR_B_PARTS=", b);
    padici_gpu_tensor_define(t, 3, "PD_TENSOR_GENERAL=", t->general);
    padici_gpu_tensor_define(t, 4, "PD_TENSOR_GAUSS=",
                             t->plan.math == PADIC_TENSOR_MATH_GAUSS && !is_double && a == 2 &&
                                 b == 2);
    padici_gpu_tensor_define(t, 5, "PD_TENSOR_F64=", (uint32_t)is_double);
    padici_gpu_tensor_define(t, 6, "PD_TENSOR_WG=",
                             t->tile == 64 && t->group != 128 ? 256 : 128);
}

// All parameters but the addresses of the operands, from the plan. 0: not for this kernel.
PADICI_FN int padici_gpu_tensor_begin(padici_gpu_tensor *t)
{
    const padici_tensor_group *g = t->plan.group;
    const int is_double = padici_tensor_is_double(t->plan.dtype[2]);
    const uint64_t rows = g[PADICI_TENSOR_ROW].size, columns = g[PADICI_TENSOR_COLUMN].size;
    const uint64_t depth = g[PADICI_TENSOR_SUM].size, batches = g[PADICI_TENSOR_BATCH].size;
    uint64_t tiles;
    uint32_t i;
    if (!padici_tensor_factors_fit(&t->plan) || !padici_gpu_tensor_fits(&t->plan)) return 0;
    if (!t->tile) t->tile = padici_gpu_tensor_size(rows, columns, is_double);
    if (t->tile == 64 && t->group != 128 && t->plan.math == PADIC_TENSOR_MATH_GAUSS)
        t->tile = 32; // three sums per result: too many registers
    for (i = 0; i < 4; i++) t->general |= g[i].count > 1;
    t->parts = padici_tensor_is_complex(t->plan.dtype[2]) ? 2 : 1;
    t->results = rows * columns * batches;
    t->k.rows = (uint32_t)rows;
    t->k.columns = (uint32_t)columns;
    t->k.depth = (uint32_t)depth;
    t->k.batches = (uint32_t)batches;
    t->k.tiles_down = (uint32_t)((rows + t->tile - 1) / t->tile);
    t->k.tiles_across = (uint32_t)((columns + t->tile - 1) / t->tile);
    tiles = (uint64_t)t->k.tiles_down * t->k.tiles_across;
    if (!padici_mul_u64(tiles, batches, &tiles) || tiles >> 24 || t->results >> 31) return 0;
    if (!t->splits) t->splits = 1;
    if (tiles < 64 && depth >= 1024 && t->splits == 1) {
        const uint64_t most = depth / 256;
        t->splits = (uint32_t)(256 / (tiles ? tiles : 1));
        if (t->splits > most) t->splits = (uint32_t)most;
    }
    t->k.part = t->splits > 1 ? (t->k.depth + t->splits - 1) / t->splits : t->k.depth;
    if (t->splits > 1) {
        t->k.part = (t->k.part + 7u) & ~7u;
        t->splits = (t->k.depth + t->k.part - 1) / t->k.part;
    }
    if (!t->k.part) t->k.part = 1;
    t->k.flags = t->plan.conj;
    if (padici_gpu_tensor_step(&g[PADICI_TENSOR_SUM], 0) <
        padici_gpu_tensor_step(&g[PADICI_TENSOR_ROW], 0))
        t->k.flags |= 4u;
    if (padici_gpu_tensor_step(&g[PADICI_TENSOR_SUM], 1) <
        padici_gpu_tensor_step(&g[PADICI_TENSOR_COLUMN], 1))
        t->k.flags |= 8u;
    padici_gpu_tensor_steps(t);
    padici_gpu_tensor_scales(t);
    padici_gpu_tensor_defines(t);
    return 1;
}

PADICI_FN padic_result padici_gpu_tensor_launch(padici_gpu *gpu, const padici_gpu_tensor *t,
                                                uint32_t kernel, const padic_mem *mem,
                                                uint32_t count, const void *params, uint32_t size,
                                                uint32_t groups, uint32_t groups_y)
{
    padici_gpu_work work;
    memset(&work, 0, sizeof work);
    work.kernel = kernel;
    work.defines = t->defines;
    work.define_count = t->define_count ? t->define_count : 7;
    memcpy(work.mem, mem, count * sizeof *mem);
    work.mem_count = count;
    work.params = params;
    work.params_size = size;
    work.groups[0] = groups;
    work.groups[1] = groups_y;
    return padici_gpu_launch(gpu, &work);
}

// Writes words of `shape` by as many launches as they need.
PADICI_FN padic_result padici_gpu_tensor_words(padici_gpu *gpu, const padici_gpu_tensor *t,
                                               padic_mem mem, const uint32_t *words, uint32_t count)
{
    padici_k_tensor_shape_params s;
    padic_result result = PADIC_OK;
    uint32_t at;
    for (at = 0; at < count && !result; at += 60) {
        memset(&s, 0, sizeof s);
        s.at = at;
        s.count = count - at < 60 ? count - at : 60;
        memcpy(s.words, words + at, s.count * sizeof *words);
        result = padici_gpu_tensor_launch(gpu, t, PADICI_KERNEL_TENSOR_SHAPE, &mem, 1, &s, sizeof s,
                                          1, 1);
    }
    return result;
}

PADICI_FN padic_result padici_gpu_tensor_shape(padici_gpu *gpu, const padici_gpu_tensor *t,
                                               padic_mem mem)
{
    return padici_gpu_tensor_words(gpu, t, mem, t->shape, t->words);
}

// Groups of the product kernel: small tiles share one.
PADICI_FN uint32_t padici_gpu_tensor_groups(const padici_gpu_tensor *t)
{
    const uint32_t share = t->tile <= 16 ? 2 : 1;
    return (t->k.tiles_down * t->k.tiles_across * t->k.batches + share - 1) / share;
}

// The operands lie on the device; c has elements.
PADICI_FN padic_result padici_gpu_tensor_run(padici_gpu *gpu, padici_gpu_tensor *t,
                                             const padici_operand *operands)
{
    const uint64_t size = padic_dtype_size(t->plan.dtype[2]);
    padici_gpu_block shape, partial;
    padic_mem mem[4];
    padic_result result = PADIC_OK;
    shape.block = partial.block = PADICI_NO_BLOCK;
    mem[0] = operands[0].now.mem;
    mem[1] = operands[1].now.mem;
    mem[2] = operands[2].now.mem;
    // An operand without elements has no device memory. Nothing reads it.
    if (!operands[0].bytes) mem[0] = mem[2];
    if (!operands[1].bytes) mem[1] = mem[2];
    mem[3] = mem[0];
    if (t->general) {
        result = padici_gpu_scratch(gpu, t->words * 4u, &shape);
        if (!result) result = padici_gpu_tensor_shape(gpu, t, shape.mem);
        mem[3] = shape.mem;
    }
    if (!result && t->splits > 1) {
        result = padici_gpu_scratch(gpu, t->results * size * t->splits, &partial);
        mem[2] = partial.mem;
        t->k.flags |= 16u;
    }
    if (!result)
        result = padici_gpu_tensor_launch(gpu, t, PADICI_KERNEL_TENSOR_PRODUCT, mem, 4, &t->k,
                                          sizeof t->k, padici_gpu_tensor_groups(t), t->splits);
    if (!result && t->splits > 1) {
        mem[0] = partial.mem;
        mem[1] = operands[2].now.mem;
        mem[2] = mem[3];
        result = padici_gpu_tensor_launch(gpu, t, PADICI_KERNEL_TENSOR_ADD, mem, 3, &t->k,
                                          sizeof t->k, padici_gpu_groups(gpu, t->results, 128), 1);
    }
    padici_gpu_scratch_end(gpu, &shape);
    padici_gpu_scratch_end(gpu, &partial);
    return result;
}

#endif
