// padic_gpu_tensor.h: matrix products and contractions: kernels/tensor.cl, cuda/tensor.cu and
// cuda/tensor_async.cu.
// padic_gpu.h includes it; of no use alone. One plan (see padici_tensor_plan), one kernel. A sum
// that is long while there are few results is cut in parts, added afterwards in their order; how
// many depends on the sizes alone.
#ifndef PADICI_GPU_TENSOR
#define PADICI_GPU_TENSOR
#ifdef PADIC_GPU_IMPLEMENTED

// room: src/gpu/tensor/product.c
// A product by the kernel for everyone: what it is told, its launches.

// Of `shape`. a and b have 16 axes together: 4 words for one of a or b alone, 8 for a common one.
#define PADICI_GPU_TENSOR_WORDS 64u

typedef struct padici_gpu_tensor {
    padici_tensor_plan plan;
    padici_k_tensor_product_params k;
    uint32_t shape[PADICI_GPU_TENSOR_WORDS], words;
    uint32_t tile, general, splits, parts; // parts: of c, 1 real, 2 complex
    uint64_t results;                      // elements of c
    uint32_t group; // items that work on large tiles: 256, or 128 with more registers
    char text[8][32];
    const char *defines[8];
    uint32_t define_count; // 0: 7; groups have one more
} padici_gpu_tensor;

static void padici_gpu_tensor_define(padici_gpu_tensor *t, uint32_t i, const char *word,
                                     uint32_t number)
{
    padici_text text;
    padici_text_begin(&text, t->text[i], sizeof t->text[i]);
    padici_text_add(&text, word);
    padici_text_number(&text, number, 1);
    t->defines[i] = t->text[i];
}

// What an operand reaches within one batch fits the kernel's 31-bit offsets.
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

// 255 registers for each of 128 items are there on NVIDIA's chips only.
static uint32_t padici_gpu_tensor_group(const padici_gpu *gpu)
{
    return strstr(gpu->info->vendor, "NVIDIA") ? 128 : 256;
}

static uint32_t padici_gpu_tensor_size(uint64_t rows, uint64_t columns, int is_double)
{
    const uint64_t least = rows < columns ? rows : columns;
    const uint32_t tile = least > 32 ? 64 : least > 16 ? 32 : least > 8 ? 16 : 8;
    return is_double && tile > 32 ? 32 : tile;
}

static void padici_gpu_tensor_half(uint32_t *to, uint64_t value)
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

// The step of a group's fastest axis, as a distance; far away when there is none.
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
static void padici_gpu_tensor_scales(padici_gpu_tensor *t)
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

static void padici_gpu_tensor_defines(padici_gpu_tensor *t)
{
    const uint32_t a = padici_tensor_is_complex(t->plan.dtype[0]) ? 2 : 1;
    const uint32_t b = padici_tensor_is_complex(t->plan.dtype[1]) ? 2 : 1;
    const int is_double = padici_tensor_is_double(t->plan.dtype[2]);
    padici_gpu_tensor_define(t, 0, "PD_TENSOR_TILE=", t->tile);
    padici_gpu_tensor_define(t, 1, "PD_TENSOR_A_PARTS=", a);
    padici_gpu_tensor_define(t, 2, "PD_TENSOR_B_PARTS=", b);
    padici_gpu_tensor_define(t, 3, "PD_TENSOR_GENERAL=", t->general);
    padici_gpu_tensor_define(t, 4, "PD_TENSOR_GAUSS=",
                             t->plan.math == PADIC_TENSOR_GAUSS && !is_double && a == 2 && b == 2);
    padici_gpu_tensor_define(t, 5, "PD_TENSOR_F64=", (uint32_t)is_double);
    padici_gpu_tensor_define(t, 6, "PD_TENSOR_WG=",
                             t->tile == 64 && t->group != 128 ? 256 : 128);
}

// Everything that follows from the plan but the places of the operands. 0: not for this kernel.
static int padici_gpu_tensor_begin(padici_gpu_tensor *t)
{
    const padici_tensor_group *g = t->plan.group;
    const int is_double = padici_tensor_is_double(t->plan.dtype[2]);
    const uint64_t rows = g[PADICI_TENSOR_ROW].size, columns = g[PADICI_TENSOR_COLUMN].size;
    const uint64_t depth = g[PADICI_TENSOR_SUM].size, batches = g[PADICI_TENSOR_BATCH].size;
    uint64_t tiles;
    uint32_t i;
    if (!padici_gpu_tensor_fits(&t->plan)) return 0;
    if (!t->tile) t->tile = padici_gpu_tensor_size(rows, columns, is_double);
    if (t->tile == 64 && t->group != 128 && t->plan.math == PADIC_TENSOR_GAUSS)
        t->tile = 32; // three sums a result: too many registers
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

static padic_result padici_gpu_tensor_launch(padici_gpu *gpu, const padici_gpu_tensor *t,
                                             uint32_t kernel, const padic_mem *mem, uint32_t count,
                                             const void *params, uint32_t size, uint32_t groups,
                                             uint32_t groups_y)
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
static padic_result padici_gpu_tensor_words(padici_gpu *gpu, const padici_gpu_tensor *t,
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

static padic_result padici_gpu_tensor_shape(padici_gpu *gpu, const padici_gpu_tensor *t,
                                            padic_mem mem)
{
    return padici_gpu_tensor_words(gpu, t, mem, t->shape, t->words);
}

// Groups of the product kernel: small tiles share one.
static uint32_t padici_gpu_tensor_groups(const padici_gpu_tensor *t)
{
    const uint32_t share = t->tile <= 16 ? 2 : 1;
    return (t->k.tiles_down * t->k.tiles_across * t->k.batches + share - 1) / share;
}

// The operands lie on the device; c has elements.
static padic_result padici_gpu_tensor_run(padici_gpu *gpu, padici_gpu_tensor *t,
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
    // An operand without elements is in no memory of the device. Nothing is read of it.
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

// room: src/gpu/tensor/cores.c
// Products by the kernels for NVIDIA, on tensor cores and in tiles of exact products.

// The same on tensor cores, for SPLIT and TF32 of complex numbers: scales of the rows of a and of
// the columns of b; their pieces, for as many batches at a time as fit the memory for them (at
// least one); the product of these. See kernels/cuda/tensor.cu.
#define PADICI_GPU_CORES_BYTES (UINT64_C(256) << 20)

typedef struct padici_gpu_cores {
    padici_k_cuda_tensor_product_params k;
    uint32_t along[2], pairs; // pairs: neighbours of a and b are adjacent and aligned
    uint32_t chunk;           // batches at a time
    uint64_t words;           // of their pieces
    char text[5][32];
    const char *defines[5];
} padici_gpu_cores;

// Every step of an operand is even but `one`, which is 1: pairs along it are aligned if the first
// element is.
static int padici_gpu_cores_pairs(const padici_gpu_tensor *t, uint32_t o, int32_t one,
                                  int32_t other, padic_mem mem)
{
    return !t->general && one == 1 &&
           !(((uint32_t)other | t->k.batch[2 * o] | t->k.first[2 * o]) & 1u) && !(mem.bits & 15u);
}

static void padici_gpu_cores_begin(const padici_gpu_tensor *t, const padic_mem mem[3],
                                   padici_gpu_cores *x)
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
    x->pairs = (uint32_t)(padici_gpu_cores_pairs(t, 0, x->along[0] ? k->a_sum : k->a_row,
                                                 x->along[0] ? k->a_row : k->a_sum, mem[0]) &&
                          padici_gpu_cores_pairs(t, 1, x->along[1] ? k->b_sum : k->b_column,
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
        const uint64_t fits = PADICI_GPU_CORES_BYTES / 4 / (a + b_words);
        x->chunk = fits < 1 ? 1 : fits < k->batches ? (uint32_t)fits : k->batches;
        x->words = a * (x->k.scales_a ? x->chunk : 1u);
        x->k.pieces_at = (uint32_t)x->words;
        x->words += b_words * (x->k.scales_b ? x->chunk : 1u);
    }
    number[0] = x->along[0];
    number[1] = x->along[1];
    number[2] = x->pairs ? 2 : 1;
    number[3] = t->plan.math == PADIC_TENSOR_TF32 ? 1 : 2;
    number[4] = t->general;
    for (i = 0; i < 5; i++) {
        padici_text text;
        padici_text_begin(&text, x->text[i], sizeof x->text[i]);
        padici_text_add(&text, words[i]);
        padici_text_number(&text, number[i], 1);
        x->defines[i] = x->text[i];
    }
}

static padic_result padici_gpu_cores_launch(padici_gpu *gpu, const padici_gpu_cores *x,
                                            uint32_t kernel, const padic_mem *mem, uint32_t count,
                                            const void *params, uint32_t size, uint32_t groups,
                                            uint32_t groups_y)
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
static padic_result padici_gpu_cores_scale(padici_gpu *gpu, const padici_gpu_cores *x, uint32_t o,
                                           padic_mem from, padic_mem shape, padic_mem to)
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
    return padici_gpu_cores_launch(gpu, x, PADICI_KERNEL_CUDA_TENSOR_SCALE, mem, 3, &s, sizeof s,
                                   s.along ? (lines + 3) / 4 : (lines + 127) / 128, 1);
}

// Pieces and product of the batches from `from` on. mem: a, b, c, shape, scales, pieces.
static padic_result padici_gpu_cores_chunk(padici_gpu *gpu, padici_gpu_cores *x, uint32_t from,
                                           const padic_mem *mem)
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
        if (batches == 1 && x->k.count > 1 && from) continue; // shared: cut with the first
        one[0] = mem[o];
        one[1] = mem[3];
        one[2] = mem[4];
        one[3] = mem[5];
        x->k.operand = o;
        x->k.along = x->along[o];
        result = padici_gpu_cores_launch(gpu, x, PADICI_KERNEL_CUDA_TENSOR_CUT, one, 4, &x->k,
                                         sizeof x->k, tiles * batches, x->k.blocks);
    }
    if (!result)
        result = padici_gpu_cores_launch(gpu, x, PADICI_KERNEL_CUDA_TENSOR_PRODUCT, all, 4, &x->k,
                                         sizeof x->k,
                                         x->k.tiles_down * x->k.tiles_across * x->k.count, 1);
    return result;
}

// NOT_SUPPORTED: by the kernel for everyone, then. Nothing has been written.
static padic_result padici_gpu_cores_run(padici_gpu *gpu, padici_gpu_tensor *t,
                                         const padici_operand *operands)
{
    padici_gpu_cores x;
    padici_gpu_block shape, scale, pieces;
    padic_mem mem[6];
    padic_result result;
    uint32_t i;
    // Narrow products leave most of a tile of 128 x 64 empty.
    if (t->plan.math < PADIC_TENSOR_SPLIT || t->splits > 1 || t->k.rows < 64 ||
        t->k.columns < 48 || t->k.depth < 16 || t->k.depth > 1u << 19 ||
        !padici_gpu_is_sm(gpu, 80))
        return PADIC_ERROR_NOT_SUPPORTED;
    for (i = 0; i < 3; i++) {
        if (t->plan.dtype[i] != PADIC_C64) return PADIC_ERROR_NOT_SUPPORTED;
        mem[i] = operands[i].now.mem;
    }
    shape.block = scale.block = pieces.block = PADICI_NO_BLOCK;
    padici_gpu_cores_begin(t, mem, &x);
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
        result = padici_gpu_cores_scale(gpu, &x, i, mem[i], mem[3], mem[4]);
    for (i = 0; i < x.k.batches && !result; i += x.chunk)
        result = padici_gpu_cores_chunk(gpu, &x, i, mem);
    padici_gpu_scratch_end(gpu, &shape);
    padici_gpu_scratch_end(gpu, &scale);
    padici_gpu_scratch_end(gpu, &pieces);
    return result;
}

// SPLIT and TF32 on chips whose tensor cores read local memory themselves, in one kernel that takes
// no memory for pieces: cuda/tensor_async.cu. NOT_SUPPORTED: nothing has been written.
static padic_result padici_gpu_async_run(padici_gpu *gpu, const padici_gpu_tensor *t,
                                         const padici_operand *operands)
{
    const uint32_t a_along = t->k.flags >> 2 & 1u, b_along = t->k.flags >> 3 & 1u;
    const padici_k_tensor_product_params *from = &t->k;
    padici_k_cuda_tensor_async_product_params k;
    padici_gpu_work work;
    const char *defines[5];
    padic_result result;
    uint32_t i;
    if (t->plan.math < PADIC_TENSOR_SPLIT || t->general || t->splits > 1 || from->rows < 64 ||
        from->columns < 64 || from->depth < 16 || (from->rows <= 64 && from->columns <= 64) ||
        strcmp(gpu->target->backend->name, "cuda") || strcmp(gpu->info->arch, "sm_90"))
        return PADIC_ERROR_NOT_SUPPORTED;
    memset(&work, 0, sizeof work);
    for (i = 0; i < 3; i++) {
        if (t->plan.dtype[i] != PADIC_C64 || operands[i].now.mem.bits & 7u)
            return PADIC_ERROR_NOT_SUPPORTED;
        work.mem[i] = operands[i].now.mem;
    }
    i = padici_gpu_cores_pairs(t, 0, a_along ? from->a_sum : from->a_row,
                               a_along ? from->a_row : from->a_sum, work.mem[0]) &&
        padici_gpu_cores_pairs(t, 1, b_along ? from->b_sum : from->b_column,
                               b_along ? from->b_column : from->b_sum, work.mem[1]);
    defines[0] = a_along ? "PD_TENSOR_A_ALONG=1" : "PD_TENSOR_A_ALONG=0";
    defines[1] = b_along ? "PD_TENSOR_B_ALONG=1" : "PD_TENSOR_B_ALONG=0";
    defines[2] = i ? "PD_TENSOR_VEC=2" : "PD_TENSOR_VEC=1";
    defines[3] = t->plan.math == PADIC_TENSOR_TF32 ? "PD_TENSOR_PIECES=1" : "PD_TENSOR_PIECES=2";
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
    if (padici_gpu_cores_pairs(t, 2, from->c_column, from->c_row, work.mem[2])) k.flags |= 128u;
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

// EXACT products of complex matrices that fill tiles of 64 x 64, by cuda/tensor.cu, whose bits are
// those of the kernel for everyone. NOT_SUPPORTED: not for this; nothing has been written.
static padic_result padici_gpu_exact_run(padici_gpu *gpu, const padici_gpu_tensor *t,
                                         const padici_operand *operands)
{
    const uint64_t rows = t->k.rows, columns = t->k.columns, results = rows * columns;
    const uint64_t tiles = ((rows + 63) / 64) * ((columns + 63) / 64);
    const char *defines[3];
    padici_k_cuda_tensor_product_params k;
    padici_gpu_work work;
    padic_result result;
    uint32_t i;
    if (t->plan.math == PADIC_TENSOR_GAUSS || t->general || t->splits > 1 || t->tile != 64 ||
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

// room: src/gpu/tensor/tile.c
// The tile of a product, and its call.

// Tiles smaller than the shape asks for keep more of a device busy while there are few results.
static int padici_example_tensor_tile(padici_any_desc *desc, uint32_t size_class)
{
    static const uint64_t size[3] = {32, 128, 512}, batch[3] = {2, 1, 1};
    padic_tensor_gemm_desc *d = &desc->tensor_gemm;
    if (size_class > 2) return 0;
    d->a = padic_tensor_3d(PADIC_F32, NULL, batch[size_class], size[size_class], size[size_class]);
    d->b = d->c = d->a;
    return 1;
}

static const padici_gpu_tunable padici_tunable_tensor_tile = {
    "tensor_tile", PADIC_AREA_TENSOR, PADIC_OP_TENSOR_GEMM, PADICI_PROGRAM_TENSOR, 3,
    {{{NULL, NULL, NULL, NULL}, 0, 0}, // number: how often the tile is halved
     {{NULL, NULL, NULL, NULL}, 0, 1},
     {{NULL, NULL, NULL, NULL}, 0, 2}},
    padici_example_tensor_tile, 1e-5};

// Long sums are cut by the number of tiles, which so may not change there.
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

static padic_result padici_gpu_tensor_call(padici_gpu *gpu, const padici_call *call, int query,
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
    result = padici_gpu_async_run(gpu, t, call->operands);
    if (result == PADIC_ERROR_NOT_SUPPORTED && t->k.rows <= 64 && t->k.columns <= 64 &&
        !strcmp(gpu->info->arch, "sm_90")) // 4096 times 64 x 64: 0.21 ms, on tensor cores 0.55
        result = padici_gpu_exact_run(gpu, t, call->operands);
    if (result == PADIC_ERROR_NOT_SUPPORTED) result = padici_gpu_cores_run(gpu, t, call->operands);
    if (result == PADIC_ERROR_NOT_SUPPORTED) result = padici_gpu_exact_run(gpu, t, call->operands);
    if (result != PADIC_ERROR_NOT_SUPPORTED) return result;
    gpu->context->method = t->splits > 1 ? "tiles, sum in parts" : "tiles";
    return padici_gpu_tensor_run(gpu, t, call->operands);
}

// room: src/gpu/tensor/groups.c
// Products of many sizes: one launch, whose tiles find their group in a table.

// Tiles of one side that the groups take, each a number that fills groups of items.
static uint64_t padici_gpu_groups_tiles(const padic_tensor_gemm_desc *desc, uint32_t tile)
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

// Words of the table, 16 a group that has elements; their number. 0: not for this kernel, or none.
static uint32_t padici_gpu_groups_table(const padic_tensor_gemm_desc *desc, padici_gpu_tensor *t,
                                        uint32_t *words)
{
    const uint32_t share = t->tile <= 16 ? 2 : 1;
    uint32_t g, i, n = 0, tiles = 0, turned[2];
    turned[0] = desc->op_a == PADIC_TENSOR_T || desc->op_a == PADIC_TENSOR_C;
    turned[1] = desc->op_b == PADIC_TENSOR_T || desc->op_b == PADIC_TENSOR_C;
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

// Everything but the table and the places of the operands. Few large tiles if they fill nearly as
// well as small ones.
static padic_result padici_gpu_groups_begin(padic_context *context,
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
    if (result) return result;
    t->plan.math = PADIC_TENSOR_EXACT;
    t->plan.conj = (desc->op_a >= PADIC_TENSOR_C ? 1u : 0u) |
                   (desc->op_b >= PADIC_TENSOR_C ? 2u : 0u);
    large = padici_gpu_groups_tiles(desc, 32);
    small_ = padici_gpu_groups_tiles(desc, 16);
    if (large == UINT64_MAX) return PADIC_ERROR_NOT_SUPPORTED;
    t->tile = small_ != UINT64_MAX && small_ < 2 * large ? 16 : 32;
    padici_gpu_tensor_defines(t);
    padici_gpu_tensor_define(t, 7, "PD_TENSOR_GROUPS=", 1);
    t->define_count = 8;
    return PADIC_OK;
}

static padic_result padici_gpu_groups_launch(padici_gpu *gpu, const padici_call *call,
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
        if (!call->operands[i].bytes) mem[i] = mem[2]; // nothing is read of it
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

PADICI_NOINLINE static padic_result padici_gpu_tensor_groups_run(padici_gpu *gpu,
                                                                 const padici_call *call, int query)
{
    const padic_tensor_gemm_desc *desc = &call->desc.tensor_gemm;
    const padic_allocator *allocator = &gpu->context->allocator;
    padici_gpu_tensor t;
    uint32_t *words, i, count;
    padic_result result;
    memset(&t, 0, sizeof t);
    result = padici_gpu_groups_begin(gpu->context, desc, &t);
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
    count = padici_gpu_groups_table(desc, &t, words);
    if (!count && padici_gpu_groups_tiles(desc, t.tile)) {
        result = PADIC_ERROR_NOT_SUPPORTED;
    } else if (count) {
        result = padici_gpu_need(gpu, PADICI_KERNEL_TENSOR_PRODUCT, t.defines, 8);
        if (!result) result = padici_gpu_need(gpu, PADICI_KERNEL_TENSOR_SHAPE, t.defines, 8);
        gpu->context->method = "tiles of many sizes";
        if (!result && !query) result = padici_gpu_groups_launch(gpu, call, &t, words, count);
    }
    padici_free(allocator, words, (size_t)desc->group_count * 64);
    return result;
}

// room: src/gpu/tensor/driver.c
// The drivers of tensor_gemm and tensor_contract; what is built beforehand.

static padic_result padici_gpu_tensor_gemm(padici_gpu *gpu, const padici_call *call, int query)
{
    padici_gpu_tensor t;
    padic_result result;
    if (call->desc.tensor_gemm.groups) return padici_gpu_tensor_groups_run(gpu, call, query);
    memset(&t, 0, sizeof t);
    result = padici_tensor_gemm_plan(gpu->context, &call->desc.tensor_gemm, &t.plan);
    return result ? result : padici_gpu_tensor_call(gpu, call, query, &t);
}

static padic_result padici_gpu_tensor_contract(padici_gpu *gpu, const padici_call *call, int query)
{
    padici_gpu_tensor t;
    padic_result result;
    memset(&t, 0, sizeof t);
    result = padici_tensor_contract_plan(gpu->context, &call->desc.tensor_contract, &t.plan);
    return result ? result : padici_gpu_tensor_call(gpu, call, query, &t);
}

// The most used: single-precision complex products of large and of small matrices.
static padic_result padici_warm_tensor(padici_gpu *gpu)
{
    static const uint32_t tiles[3] = {64, 32, 16};
    padici_gpu_tensor t;
    padic_result result = PADIC_OK;
    uint32_t i;
    for (i = 0; i < 3 && !result; i++) {
        memset(&t, 0, sizeof t);
        t.tile = tiles[i];
        t.group = padici_gpu_tensor_group(gpu);
        t.plan.dtype[0] = t.plan.dtype[1] = t.plan.dtype[2] = PADIC_C64;
        padici_gpu_tensor_defines(&t);
        result = padici_gpu_need(gpu, PADICI_KERNEL_TENSOR_PRODUCT, t.defines, 7);
        if (result == PADIC_ERROR_NOT_SUPPORTED) result = PADIC_OK;
    }
    return result;
}

// room: src/gpu/tensor/product_test.c
// Tests. Small integers: every sum and product is exact, so the bits must agree. The sizes are odd
// and go beyond one tile; a is transposed and b conjugated.

#define PADICI_TEST_TENSOR_DEPTH 21u
#ifndef PADICI_TEST_TENSOR_COLUMNS
#define PADICI_TEST_TENSOR_COLUMNS 1 // beyond one tile (slow emulators are given less than one)
#endif

static void padici_test_tensor_plan(const padici_gpu_case *c, uint32_t tile, padici_gpu_tensor *t)
{
    const uint32_t a = padici_gpu_define(c, "PD_TENSOR_A_PARTS", 2);
    const uint32_t b = padici_gpu_define(c, "PD_TENSOR_B_PARTS", 2);
    const int is_double = padici_gpu_define(c, "PD_TENSOR_F64", 0) != 0;
    const padic_dtype real = is_double ? PADIC_F64 : PADIC_F32;
    const padic_dtype both = is_double ? PADIC_C128 : PADIC_C64;
    padici_tensor_plan *plan = &t->plan;
    int64_t rows, columns;
    memset(t, 0, sizeof *t);
    t->tile = tile;
    t->group = padici_gpu_define(c, "PD_TENSOR_WG", 256);
    t->general = padici_gpu_define(c, "PD_TENSOR_GENERAL", 0);
    rows = t->tile + 3;
    columns = (int64_t)t->tile + PADICI_TEST_TENSOR_COLUMNS;
    plan->dtype[0] = a == 2 ? both : real;
    plan->dtype[1] = b == 2 ? both : real;
    plan->dtype[2] = a == 2 || b == 2 ? both : real;
    plan->math = padici_gpu_define(c, "PD_TENSOR_GAUSS", 0) ? PADIC_TENSOR_GAUSS
                                                            : PADIC_TENSOR_EXACT;
    plan->conj = 2;
    plan->alpha[0] = 2;
    plan->beta[0] = -1;
    if (a == 2 || b == 2) plan->alpha[1] = 1;
    padici_tensor_group_add(&plan->group[PADICI_TENSOR_BATCH], 2, rows * 21, 0, rows * columns);
    padici_tensor_group_add(&plan->group[PADICI_TENSOR_ROW], (uint64_t)rows, 1, 0, columns);
    padici_tensor_group_add(&plan->group[PADICI_TENSOR_COLUMN], (uint64_t)columns, 0, 1, 1);
    if (t->general) { // 3 x 7, the other way around in b
        padici_tensor_group_add(&plan->group[PADICI_TENSOR_SUM], 3, 7 * rows, columns, 0);
        padici_tensor_group_add(&plan->group[PADICI_TENSOR_SUM], 7, rows, 3 * columns, 0);
    } else {
        padici_tensor_group_add(&plan->group[PADICI_TENSOR_SUM], 21, rows, columns, 0);
    }
    (void)padici_tensor_plan_tidy(plan); // sizes this small fit
}

static void *padici_test_tensor_numbers(padici_gpu_case *c, uint32_t i, uint64_t count,
                                        padic_dtype dtype)
{
    const uint64_t parts = padici_tensor_is_complex(dtype) ? 2 : 1;
    void *image = padici_gpu_image(c, i, count * padic_dtype_size(dtype));
    uint64_t e;
    for (e = 0; image && e < count * parts; e++) {
        const int32_t n = (int32_t)(((uint32_t)e + 77u * i) * 2654435761u >> 28) - 8;
        if (padici_tensor_is_double(dtype))
            ((double *)image)[e] = n;
        else
            ((float *)image)[e] = (float)n;
    }
    return image;
}

// Small integers, so every float is exact; but 0 may come with either sign.
static void padici_test_tensor_exact(padici_gpu_case *c, uint32_t i, padic_dtype dtype)
{
    c->buffers[i].dtype = padici_tensor_is_double(dtype) ? PADIC_F64 : PADIC_F32;
    c->buffers[i].bound = 1e-30;
}

// Three products: of more than a tile, of no sum, of one row.
static void padici_test_tensor_three(padici_gpu_case *c, padic_tensor_gemm_group *groups,
                                     padic_tensor_gemm_desc *desc)
{
    const uint64_t tile = padici_gpu_define(c, "PD_TENSOR_TILE", 32);
    const int is_double = padici_gpu_define(c, "PD_TENSOR_F64", 0) != 0;
    const int paired = padici_gpu_define(c, "PD_TENSOR_A_PARTS", 2) == 2;
    const padic_dtype dtype = paired ? is_double ? PADIC_C128 : PADIC_C64
                              : is_double ? PADIC_F64 : PADIC_F32;
    memset(groups, 0, 3 * sizeof *groups);
    memset(desc, 0, sizeof *desc);
    groups[0].m = tile + 3, groups[0].n = tile + 1, groups[0].k = 21;
    groups[0].line_c = tile + 2;
    groups[1].m = 5, groups[1].n = 7;
    groups[1].c = (tile + 3) * (tile + 2);
    groups[2].m = 1, groups[2].n = tile + 5, groups[2].k = 3;
    groups[2].a = 11, groups[2].b = 4, groups[2].c = groups[1].c + 40;
    desc->a = padic_tensor_1d(dtype, NULL, 21 * (tile + 3));
    desc->b = padic_tensor_1d(dtype, NULL, 21 * (tile + 1));
    desc->c = padic_tensor_1d(dtype, NULL, groups[2].c + tile + 5);
    desc->op_a = PADIC_TENSOR_T;
    desc->op_b = paired ? PADIC_TENSOR_CONJ : PADIC_TENSOR_N;
    desc->alpha[0] = 2;
    desc->alpha[1] = paired;
    desc->beta[0] = -1;
    desc->groups = groups;
    desc->group_count = 3;
}

PADICI_NOINLINE static padic_result padici_test_tensor_groups(padici_gpu_case *c)
{
    padic_tensor_gemm_group groups[3];
    padic_tensor_gemm_desc desc;
    padici_gpu_tensor t;
    uint32_t words[48], count;
    padic_dtype dtype;
    padici_test_tensor_three(c, groups, &desc);
    dtype = desc.a.dtype;
    memset(&t, 0, sizeof t);
    if (padici_gpu_groups_begin(NULL, &desc, &t)) return PADIC_ERROR_NOT_SUPPORTED;
    t.tile = (uint32_t)padici_gpu_define(c, "PD_TENSOR_TILE", 32);
    count = padici_gpu_groups_table(&desc, &t, words);
    padici_gpu_tensor_scales(&t);
    desc.a.data = padici_test_tensor_numbers(c, 0, desc.a.shape[0], dtype);
    desc.b.data = padici_test_tensor_numbers(c, 1, desc.b.shape[0], dtype);
    if (!desc.a.data || !desc.b.data ||
        !padici_test_tensor_numbers(c, 2, desc.c.shape[0], dtype) ||
        !padici_gpu_image(c, 3, sizeof words))
        return PADIC_ERROR_MEMORY;
    memcpy(c->buffers[3].image, words, 4 * (size_t)count);
    padici_test_tensor_exact(c, 2, dtype);
    desc.c.data = padici_gpu_answer(c, 2);
    if (!desc.c.data) return PADIC_ERROR_MEMORY;
    (void)padici_tensor_gemm_host(NULL, &desc);
    memcpy(&c->params, &t.k, sizeof t.k);
    c->groups[0] = t.k.tiles_down / (t.tile <= 16 ? 2 : 1);
    return PADIC_OK;
}

static padic_result padici_test_tensor_product(padici_gpu_case *c)
{
    padici_gpu_tensor t;
    void *a, *b, *answer;
    uint64_t rows, columns;
    if (padici_gpu_define(c, "PD_TENSOR_GROUPS", 0)) return padici_test_tensor_groups(c);
    padici_test_tensor_plan(c, padici_gpu_define(c, "PD_TENSOR_TILE", 64), &t);
    if (!padici_gpu_tensor_begin(&t)) return PADIC_ERROR_NOT_SUPPORTED;
    rows = t.k.rows;
    columns = t.k.columns;
    a = padici_test_tensor_numbers(c, 0, 2 * rows * PADICI_TEST_TENSOR_DEPTH, t.plan.dtype[0]);
    b = padici_test_tensor_numbers(c, 1, columns * PADICI_TEST_TENSOR_DEPTH, t.plan.dtype[1]);
    if (!a || !b || !padici_test_tensor_numbers(c, 2, 2 * rows * columns, t.plan.dtype[2]) ||
        !padici_gpu_image(c, 3, sizeof t.shape))
        return PADIC_ERROR_MEMORY;
    memcpy(c->buffers[3].image, t.shape, sizeof t.shape);
    padici_test_tensor_exact(c, 2, t.plan.dtype[2]);
    answer = padici_gpu_answer(c, 2);
    if (!answer) return PADIC_ERROR_MEMORY;
    padici_tensor_run(NULL, &t.plan, a, b, answer);
    memcpy(&c->params, &t.k, sizeof t.k);
    c->groups[0] = padici_gpu_tensor_groups(&t);
    return PADIC_OK;
}

// Three parts of c, the third one shorter in the sum (which plays no role here).
static padic_result padici_test_tensor_add(padici_gpu_case *c)
{
    padici_gpu_tensor t;
    uint64_t e, count;
    void *parts, *answer;
    padici_test_tensor_plan(c, 8, &t); // tiles play no role, either
    t.splits = 3;
    if (!padici_gpu_tensor_begin(&t)) return PADIC_ERROR_NOT_SUPPORTED;
    count = t.results * t.parts;
    parts = padici_test_tensor_numbers(c, 0, 3 * t.results, t.plan.dtype[2]);
    if (!parts || !padici_test_tensor_numbers(c, 1, t.results, t.plan.dtype[2]) ||
        !padici_gpu_image(c, 2, sizeof t.shape))
        return PADIC_ERROR_MEMORY;
    memcpy(c->buffers[2].image, t.shape, sizeof t.shape);
    padici_test_tensor_exact(c, 1, t.plan.dtype[2]);
    answer = padici_gpu_answer(c, 1);
    if (!answer) return PADIC_ERROR_MEMORY;
    for (e = 0; e < count; e++) { // alpha = 2 + i, or 2
        const uint64_t pair = t.parts == 2 ? e ^ 1 : e;
        const int sign = t.parts == 1 ? 0 : e & 1 ? 1 : -1;
        uint32_t s;
        double x = 0, y = 0;
        for (s = 0; s < 3; s++) {
            const uint64_t at = s * count;
            x += padici_tensor_is_double(t.plan.dtype[2]) ? ((double *)parts)[at + e]
                                                          : (double)((float *)parts)[at + e];
            y += padici_tensor_is_double(t.plan.dtype[2]) ? ((double *)parts)[at + pair]
                                                          : (double)((float *)parts)[at + pair];
        }
        if (padici_tensor_is_double(t.plan.dtype[2]))
            ((double *)answer)[e] = 2 * x + sign * y - ((double *)answer)[e];
        else
            ((float *)answer)[e] = (float)(2 * x + sign * y) - ((float *)answer)[e];
    }
    memcpy(&c->params, &t.k, sizeof t.k);
    c->groups[0] = 2;
    return PADIC_OK;
}

static padic_result padici_test_tensor_shape(padici_gpu_case *c)
{
    padici_k_tensor_shape_params s;
    unsigned char *answer;
    uint32_t i;
    memset(&s, 0, sizeof s);
    s.at = 5;
    s.count = 59;
    for (i = 0; i < 60; i++) s.words[i] = i * 2654435761u;
    if (!padici_gpu_image(c, 0, 280)) return PADIC_ERROR_MEMORY;
    answer = (unsigned char *)padici_gpu_answer(c, 0);
    if (!answer) return PADIC_ERROR_MEMORY;
    memcpy(answer + 20, s.words, 59 * 4);
    memcpy(&c->params, &s, sizeof s);
    c->groups[0] = 1;
    return PADIC_OK;
}

// room: src/gpu/tensor/cores_test.c
// Tests of the kernels for NVIDIA.

// The product on tensor cores: 67 x 65 results, 21 places of the sum, 2 batches that share b.
static void padici_test_cores_plan(const padici_gpu_case *c, padici_gpu_tensor *t)
{
    const int64_t along_a = padici_gpu_define(c, "PD_TENSOR_A_ALONG", 1);
    const int64_t along_b = padici_gpu_define(c, "PD_TENSOR_B_ALONG", 0);
    const int64_t row = along_a ? 22 : 1, sum_a = along_a ? 1 : 68;
    const int64_t column = along_b ? 22 : 1, sum_b = along_b ? 1 : 66;
    padici_tensor_plan *plan = &t->plan;
    uint32_t i;
    memset(t, 0, sizeof *t);
    t->tile = 64;
    t->general = padici_gpu_define(c, "PD_TENSOR_GENERAL", 0);
    for (i = 0; i < 3; i++) plan->dtype[i] = PADIC_C64;
    plan->math = padici_gpu_define(c, "PD_TENSOR_PIECES", 2) == 1 ? PADIC_TENSOR_TF32
                                                                  : PADIC_TENSOR_SPLIT;
    plan->conj = 1;
    plan->alpha[0] = 2;
    plan->alpha[1] = 1;
    plan->beta[0] = -1;
    padici_tensor_group_add(&plan->group[PADICI_TENSOR_BATCH], 2, 67 * 22, 0, 67 * 66);
    padici_tensor_group_add(&plan->group[PADICI_TENSOR_ROW], 67, row, 0, 66);
    padici_tensor_group_add(&plan->group[PADICI_TENSOR_COLUMN], 65, 0, column, 1);
    if (t->general) {
        padici_tensor_group_add(&plan->group[PADICI_TENSOR_SUM], 3, 7 * sum_a, sum_b, 0);
        padici_tensor_group_add(&plan->group[PADICI_TENSOR_SUM], 7, sum_a, 3 * sum_b, 0);
    } else {
        padici_tensor_group_add(&plan->group[PADICI_TENSOR_SUM], 21, sum_a, sum_b, 0);
    }
    (void)padici_tensor_plan_tidy(plan);
}

static uint16_t padici_test_half(float x) // small integers times powers of two: exact
{
    uint32_t bits;
    memcpy(&bits, &x, 4);
    if (!(bits << 1)) return (uint16_t)(bits >> 16);
    return (uint16_t)((bits >> 16 & 0x8000u) | ((bits >> 13 & 0x3ffffu) - (112u << 10)));
}

// The pieces of operand o, batch by batch, as kernels/cuda/tensor.cu lays them out; lo is 0.
static void padici_test_cores_cut(const padici_gpu_tensor *t, const padici_gpu_cores *x, uint32_t o,
                                  const float *from, const float *scale, uint32_t batches,
                                  uint16_t *to)
{
    const uint32_t lines = o ? 64 : 128, tiles = o ? x->k.tiles_across : x->k.tiles_down;
    const uint32_t most = o ? x->k.columns : x->k.rows;
    const float sign = t->plan.conj >> o & 1 ? -1.0f : 1.0f;
    padici_tensor_walk line, sum;
    uint32_t batch, l, n, part;
    for (batch = 0; batch < batches; batch++)
        for (l = 0; l < most; l++)
            for (n = 0; n < x->k.depth; n++)
                for (part = 0; part < 2; part++) {
                    const uint32_t p = 2 * part, m = l % lines, q = n % 16;
                    const uint32_t block = (batch * tiles + l / lines) * x->k.blocks + n / 16;
                    uint32_t word, odd;
                    float v;
                    padici_tensor_walk_to(&line, &t->plan.group[1 + o], l);
                    padici_tensor_walk_to(&sum, &t->plan.group[PADICI_TENSOR_SUM], n);
                    v = from[2 * ((o ? 0 : batch * 67 * 22) + line.at[o] + sum.at[o]) + part];
                    v *= scale[batch * most + l] * (part ? sign : 1.0f);
                    word = x->along[o]
                               ? m * 32 + (((p * 2 + (q >> 3)) ^ (m & 7)) << 2) + (q >> 1 & 3)
                               : q * lines * 2 + p * lines / 2 + (((m >> 3) ^ (q & 7)) << 2) +
                                     ((m & 7) >> 1);
                    odd = x->along[o] ? q & 1 : m & 1;
                    to[2 * (block * lines * 32 + word) + odd] = padici_test_half(v);
                }
}

// What both kernels below begin with: numbers, scales, and from them pieces.
static int padici_test_cores_begin(const padici_gpu_case *c, padici_gpu_tensor *t,
                                   padici_gpu_cores *x, float *scale)
{
    static const padic_mem aligned[3] = {{0}, {0}, {0}};
    uint32_t i;
    padici_test_cores_plan(c, t);
    if (!padici_gpu_tensor_begin(t)) return 0;
    padici_gpu_cores_begin(t, aligned, x);
    x->k.count = 2;
    for (i = 0; i < 2 * 67 + 65; i++) scale[i] = (float)(1u << i % 9);
    return 1;
}

static padic_result padici_test_cuda_tensor_product(padici_gpu_case *c)
{
    const uint64_t a_count = 67 * 22 + 68 * 22, b_count = 68 * 22;
    padici_gpu_tensor t;
    padici_gpu_cores x;
    float *scale = (float *)padici_gpu_image(c, 3, (2 * 67 + 65) * 4), *a, *b;
    uint16_t *pieces;
    void *answer;
    if (!scale) return PADIC_ERROR_MEMORY;
    if (!padici_test_cores_begin(c, &t, &x, scale)) return PADIC_ERROR_NOT_SUPPORTED;
    pieces = (uint16_t *)padici_gpu_image(c, 0, x.words * 4);
    if (!pieces || !padici_test_tensor_numbers(c, 1, 2 * 67 * 66, PADIC_C64) ||
        !padici_gpu_image(c, 2, sizeof t.shape))
        return PADIC_ERROR_MEMORY;
    memset(pieces, 0, (size_t)x.words * 4);
    memcpy(c->buffers[2].image, t.shape, sizeof t.shape);
    answer = padici_gpu_answer(c, 1);
    a = (float *)padici_test_tensor_numbers(c, 4, a_count, PADIC_C64); // for the host alone
    b = (float *)padici_test_tensor_numbers(c, 5, b_count, PADIC_C64);
    if (!answer || !a || !b) return PADIC_ERROR_MEMORY;
    padici_test_cores_cut(&t, &x, 0, a, scale, 2, pieces);
    padici_test_cores_cut(&t, &x, 1, b, scale + 134, 1, pieces + 2 * x.k.pieces_at);
    padici_tensor_run(NULL, &t.plan, a, b, answer);
    memcpy(&c->params, &x.k, sizeof x.k);
    c->groups[0] = x.k.tiles_down * x.k.tiles_across * 2;
    return PADIC_OK;
}

// 131 x 65 results, 21 places of the sum, 2 batches that share b.
static padic_result padici_test_cuda_tensor_exact(padici_gpu_case *c)
{
    const int along_a = padici_gpu_define(c, "PD_TENSOR_A_ALONG", 1) != 0;
    const int along_b = padici_gpu_define(c, "PD_TENSOR_B_ALONG", 0) != 0;
    const int64_t row = along_a ? 22 : 1, sum_a = along_a ? 1 : 132;
    const int64_t column = along_b ? 23 : 1, sum_b = along_b ? 1 : 66;
    padici_gpu_tensor t;
    padici_k_cuda_tensor_product_params k;
    padici_tensor_plan *plan = &t.plan;
    void *a, *b, *answer;
    uint32_t i;
    memset(&t, 0, sizeof t);
    t.tile = 64;
    for (i = 0; i < 3; i++) plan->dtype[i] = PADIC_C64;
    plan->conj = padici_gpu_define(c, "PD_TENSOR_CONJ", 0) ? 1 + (c->round & 1u) : 0;
    plan->alpha[0] = 2;
    plan->alpha[1] = 1;
    plan->beta[0] = -1;
    padici_tensor_group_add(&plan->group[PADICI_TENSOR_BATCH], 2, 131 * 22, 0, 131 * 66);
    padici_tensor_group_add(&plan->group[PADICI_TENSOR_ROW], 131, row, 0, 66);
    padici_tensor_group_add(&plan->group[PADICI_TENSOR_COLUMN], 65, 0, column, 1);
    padici_tensor_group_add(&plan->group[PADICI_TENSOR_SUM], 21, sum_a, sum_b, 0);
    (void)padici_tensor_plan_tidy(plan);
    if (!padici_gpu_tensor_begin(&t)) return PADIC_ERROR_NOT_SUPPORTED;
    a = padici_test_tensor_numbers(c, 0, 131 * 22 + 132 * 22, PADIC_C64);
    b = padici_test_tensor_numbers(c, 1, 66 * 23, PADIC_C64);
    if (!a || !b || !padici_test_tensor_numbers(c, 2, 2 * 131 * 66, PADIC_C64))
        return PADIC_ERROR_MEMORY;
    padici_test_tensor_exact(c, 2, PADIC_C64);
    answer = padici_gpu_answer(c, 2);
    if (!answer) return PADIC_ERROR_MEMORY;
    padici_tensor_run(NULL, plan, a, b, answer);
    memset(&k, 0, sizeof k);
    memcpy(&k, &t.k, sizeof t.k);
    k.tiles_down = 3;
    k.tiles_across = 2;
    k.blocks = 2;
    memcpy(&c->params, &k, sizeof k);
    c->groups[0] = 12;
    c->again = plan->conj == 1;
    return PADIC_OK;
}

// 131 x 130 results, 101 places of the sum, 2 batches that share b, 3 groups. Round 0: small
// integers. Round 1: numbers of 24 bits; without their lower pieces it is off by a hundredth.
static padic_result padici_test_cuda_tensor_async_product(padici_gpu_case *c)
{
    const int along_a = padici_gpu_define(c, "PD_TENSOR_A_ALONG", 1) != 0;
    const int along_b = padici_gpu_define(c, "PD_TENSOR_B_ALONG", 0) != 0;
    const int64_t row = along_a ? 102 : 1, sum_a = along_a ? 1 : 132;
    const int64_t column = along_b ? 102 : 1, sum_b = along_b ? 1 : 132;
    padici_gpu_tensor t;
    padici_k_cuda_tensor_async_product_params k;
    padici_tensor_plan *plan = &t.plan;
    float *numbers[2];
    void *answer;
    uint32_t i, e;
    memset(&t, 0, sizeof t);
    t.tile = 64;
    for (i = 0; i < 3; i++) plan->dtype[i] = PADIC_C64;
    plan->conj = 1 + (c->round & 1u);
    plan->alpha[0] = 2;
    plan->alpha[1] = 1;
    plan->beta[0] = -1;
    padici_tensor_group_add(&plan->group[PADICI_TENSOR_BATCH], 2, 132 * 102, 0, 131 * 132);
    padici_tensor_group_add(&plan->group[PADICI_TENSOR_ROW], 131, row, 0, 132);
    padici_tensor_group_add(&plan->group[PADICI_TENSOR_COLUMN], 130, 0, column, 1);
    padici_tensor_group_add(&plan->group[PADICI_TENSOR_SUM], 101, sum_a, sum_b, 0);
    (void)padici_tensor_plan_tidy(plan);
    if (!padici_gpu_tensor_begin(&t)) return PADIC_ERROR_NOT_SUPPORTED;
    for (i = 0; i < 2; i++) {
        const uint32_t count = i ? 132 * 102 : 2 * 132 * 102;
        numbers[i] = (float *)padici_test_tensor_numbers(c, i, count, PADIC_C64);
        for (e = 0; numbers[i] && c->round && e < 2 * count; e++) {
            uint32_t w = (2 * e + i + 1) * 2654435761u;
            w = (w ^ w >> 15) * 2246822519u;
            numbers[i][e] = (float)(int32_t)(w ^ w >> 13) * 4.656612873077393e-10f;
        }
    }
    if (!numbers[0] || !numbers[1] ||
        !padici_test_tensor_numbers(c, 2, 2 * 131 * 132, PADIC_C64))
        return PADIC_ERROR_MEMORY;
    padici_test_tensor_exact(c, 2, PADIC_C64);
    if (c->round) c->buffers[2].bound = 2e-4;
    answer = padici_gpu_answer(c, 2);
    if (!answer) return PADIC_ERROR_MEMORY;
    padici_tensor_run(NULL, plan, numbers[0], numbers[1], answer);
    memset(&k, 0, sizeof k);
    memcpy(&k, &t.k, sizeof t.k);
    k.tiles_down = k.tiles_across = 2;
    k.tiles = 8;
    k.flags = (k.flags & (3u | 32u | 64u)) | 128u;
    k.blocks = 4;
    memcpy(&c->params, &k, sizeof k);
    c->groups[0] = 3;
    c->again = !c->round && padici_gpu_define(c, "PD_TENSOR_PIECES", 2) == 2;
    return PADIC_OK;
}

// Round 0 a, round 1 b.
static padic_result padici_test_cuda_tensor_cut(padici_gpu_case *c)
{
    const uint32_t o = c->round & 1u, batches = o ? 1 : 2;
    padici_gpu_tensor t;
    padici_gpu_cores x;
    float *from = (float *)padici_test_tensor_numbers(c, 0, 67 * 22 + 68 * 22, PADIC_C64);
    float *scale = (float *)padici_gpu_image(c, 2, (2 * 67 + 65) * 4);
    uint16_t *answer;
    if (!from || !scale) return PADIC_ERROR_MEMORY;
    if (!padici_test_cores_begin(c, &t, &x, scale)) return PADIC_ERROR_NOT_SUPPORTED;
    if (!padici_gpu_image(c, 1, sizeof t.shape) || !padici_gpu_image(c, 3, x.words * 4))
        return PADIC_ERROR_MEMORY;
    memcpy(c->buffers[1].image, t.shape, sizeof t.shape);
    memset(c->buffers[3].image, 0, (size_t)x.words * 4);
    answer = (uint16_t *)padici_gpu_answer(c, 3);
    if (!answer) return PADIC_ERROR_MEMORY;
    padici_test_cores_cut(&t, &x, o, from, scale + (o ? 134 : 0), batches,
                          answer + (o ? 2 * x.k.pieces_at : 0));
    x.k.operand = o;
    x.k.along = x.along[o];
    memcpy(&c->params, &x.k, sizeof x.k);
    c->groups[0] = batches * (o ? x.k.tiles_across : x.k.tiles_down);
    c->groups[1] = x.k.blocks;
    c->again = !o;
    return PADIC_OK;
}

// Round 0 a, round 1 b, as the plan has them: 2 batches of 67 rows; 65 columns.
static padic_result padici_test_cuda_tensor_scale(padici_gpu_case *c)
{
    static const padic_mem aligned[3] = {{0}, {0}, {0}};
    const uint32_t o = c->round & 1u;
    padici_gpu_tensor t;
    padici_gpu_cores x;
    padici_k_cuda_tensor_scale_params s;
    padici_tensor_walk lines, sums;
    float *from, *answer;
    uint32_t i, k, b, count, at = 0;
    padici_test_cores_plan(c, &t);
    if (!padici_gpu_tensor_begin(&t)) return PADIC_ERROR_NOT_SUPPORTED;
    padici_gpu_cores_begin(&t, aligned, &x);
    memset(&s, 0, sizeof s);
    s.lines = count = o ? 65 : 67;
    s.depth = 21;
    s.batches = o ? 1 : 2;
    s.operand = o;
    s.along = x.along[o];
    s.at = 3;
    memcpy(s.batch, x.k.batch + 2 * o, sizeof s.batch);
    s.line = o ? x.k.b_column : x.k.a_row;
    s.sum = o ? x.k.b_sum : x.k.a_sum;
    memcpy(s.axes, x.k.axes, sizeof s.axes);
    from = (float *)padici_test_tensor_numbers(c, 0, 67 * 22 + 68 * 22, PADIC_C64);
    if (!from || !padici_gpu_image(c, 1, sizeof t.shape) || !padici_gpu_image(c, 2, 160 * 4))
        return PADIC_ERROR_MEMORY;
    memcpy(c->buffers[1].image, t.shape, sizeof t.shape);
    answer = (float *)padici_gpu_answer(c, 2);
    if (!answer) return PADIC_ERROR_MEMORY;
    for (b = 0; b < s.batches; b++)
        for (i = 0; i < count; i++) {
            float most = 0, scale = 1;
            padici_tensor_walk_to(&lines, &t.plan.group[1 + o], i);
            padici_tensor_walk_to(&sums, &t.plan.group[PADICI_TENSOR_SUM], 0);
            for (k = 0; k < 21; k++, padici_tensor_walk_on(&sums)) {
                float *v = from + 2 * ((o ? 0 : b * 67 * 22) + lines.at[o] + sums.at[o]);
                if (i == 5) v[0] = v[1] = 0; // a line of zeros: 1
                most = v[0] > most ? v[0] : -v[0] > most ? -v[0] : most;
                most = v[1] > most ? v[1] : -v[1] > most ? -v[1] : most;
            }
            while (most > 0 && most * scale < 8192) scale *= 2;
            answer[3 + at++] = scale;
        }
    memcpy(&c->params, &s, sizeof s);
    c->groups[0] = s.along ? (at + 3) / 4 : (at + 127) / 128;
    c->again = !o;
    return PADIC_OK;
}
// room: src/gpu/padic_gpu_tensor.in.h:17

#endif // PADIC_GPU_IMPLEMENTED
#endif // PADICI_GPU_TENSOR
