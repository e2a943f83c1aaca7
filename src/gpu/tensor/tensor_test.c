#include "../../context/ops.h"
#include "../../core/tensor.h"
#include "../../tensor/ops.h"
#include "../../tensor/plan.h"
#include "../../tensor/product.h"
#include "../tables.h"
#include "../tests.h"
#include "../texts.h"
#include "cores.h"
#include "groups.h"
#include "product.h"

#if PADICI_IMPLEMENT_GPU && !defined(PADIC_NO_TENSOR)

// Tests. Small integers: every sum and product is exact, so the bits must agree. The sizes are odd
// and exceed one tile; a is transposed and b conjugated.

#ifndef PADICI_TEST_TENSOR_COLUMNS
#define PADICI_TEST_TENSOR_COLUMNS 1 // beyond one tile (slow emulators get less than one)
#endif

static void padici_test_tensor_plan(const padici_gpu_case *c, uint32_t tile,
                                       padici_gpu_tensor *t)
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
    plan->math = padici_gpu_define(c, "PD_TENSOR_GAUSS", 0) ? PADIC_TENSOR_MATH_GAUSS
                                                            : PADIC_TENSOR_MATH_EXACT;
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

// Buffers a, b, c from `first` on and the answer from the host's product. Whole numbers, so every
// float is exact; but 0 may have either sign.
static void padici_test_tensor_run(padici_gpu_case *c, const padici_tensor_plan *plan,
                                   uint64_t a_count, uint64_t b_count, uint64_t c_count)
{
    void *a = padici_gpu_make(c, 0, PADICI_FILL_WHOLE, plan->dtype[0], a_count, 0);
    void *b = padici_gpu_make(c, 1, PADICI_FILL_WHOLE, plan->dtype[1], b_count, 0);
    void *to = padici_gpu_make(c, 2, PADICI_FILL_WHOLE | PADICI_FILL_OUT, plan->dtype[2], c_count,
                               1e-30);
    if (!c->failed) padici_tensor_run(NULL, plan, a, b, to);
}

// The words of a plan's shape, as kernels with more axes read them.
static void padici_test_tensor_words(padici_gpu_case *c, uint32_t i, const padici_gpu_tensor *t)
{
    memcpy(padici_gpu_image(c, i, sizeof t->shape), t->shape, sizeof t->shape);
}

// Three products: more than a tile, no sum, one row.
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
    desc->op_a = PADIC_TENSOR_OP_T;
    desc->op_b = paired ? PADIC_TENSOR_OP_CONJ : PADIC_TENSOR_OP_N;
    desc->alpha[0] = 2;
    desc->alpha[1] = paired;
    desc->beta[0] = -1;
    desc->groups = groups;
    desc->group_count = 3;
}

static PADICI_NOINLINE padic_result padici_test_tensor_groups(padici_gpu_case *c)
{
    padic_tensor_gemm_group groups[3];
    padic_tensor_gemm_desc desc;
    padici_gpu_tensor t;
    uint32_t words[48], count;
    padic_dtype dtype;
    padici_test_tensor_three(c, groups, &desc);
    dtype = desc.a.dtype;
    memset(&t, 0, sizeof t);
    if (padici_gpu_tensor_groups_begin(NULL, &desc, &t)) return PADIC_ERROR_NOT_SUPPORTED;
    t.tile = (uint32_t)padici_gpu_define(c, "PD_TENSOR_TILE", 32);
    count = padici_gpu_tensor_groups_table(&desc, &t, words);
    padici_gpu_tensor_scales(&t);
    desc.a.data = padici_gpu_make(c, 0, PADICI_FILL_WHOLE, dtype, desc.a.shape[0], 0);
    desc.b.data = padici_gpu_make(c, 1, PADICI_FILL_WHOLE, dtype, desc.b.shape[0], 0);
    desc.c.data = padici_gpu_make(c, 2, PADICI_FILL_WHOLE | PADICI_FILL_OUT, dtype,
                                  desc.c.shape[0], 1e-30);
    memcpy(padici_gpu_image(c, 3, sizeof words), words, 4 * (size_t)count);
    memcpy(&c->params, &t.k, sizeof t.k);
    c->groups[0] = t.k.tiles_down / (t.tile <= 16 ? 2 : 1);
    return padici_tensor_gemm_host(NULL, &desc);
}

static padic_result padici_test_tensor_product(padici_gpu_case *c)
{
    padici_gpu_tensor t;
    if (padici_gpu_define(c, "PD_TENSOR_GROUPS", 0)) return padici_test_tensor_groups(c);
    padici_test_tensor_plan(c, padici_gpu_define(c, "PD_TENSOR_TILE", 64), &t);
    if (!padici_gpu_tensor_begin(&t)) return PADIC_ERROR_NOT_SUPPORTED;
    padici_test_tensor_run(c, &t.plan, 2 * 21 * (uint64_t)t.k.rows, 21 * (uint64_t)t.k.columns,
                           2 * (uint64_t)t.k.rows * t.k.columns);
    padici_test_tensor_words(c, 3, &t);
    memcpy(&c->params, &t.k, sizeof t.k);
    c->groups[0] = padici_gpu_tensor_groups(&t);
    return PADIC_OK;
}

// Three parts of c, the third one with a shorter sum (which has no effect here).
static padic_result padici_test_tensor_add(padici_gpu_case *c)
{
    padici_gpu_tensor t;
    uint64_t e, count;
    void *parts, *answer;
    int wide;
    padici_test_tensor_plan(c, 8, &t); // tiles have no effect, either
    t.splits = 3;
    if (!padici_gpu_tensor_begin(&t)) return PADIC_ERROR_NOT_SUPPORTED;
    count = t.results * t.parts;
    wide = padici_tensor_is_double(t.plan.dtype[2]);
    parts = padici_gpu_make(c, 0, PADICI_FILL_WHOLE, t.plan.dtype[2], 3 * t.results, 0);
    answer = padici_gpu_make(c, 1, PADICI_FILL_WHOLE | PADICI_FILL_OUT, t.plan.dtype[2], t.results,
                             1e-30);
    padici_test_tensor_words(c, 2, &t);
    for (e = 0; e < count; e++) { // alpha = 2 + i, or 2
        const uint64_t pair = t.parts == 2 ? e ^ 1 : e;
        const int sign = t.parts == 1 ? 0 : e & 1 ? 1 : -1;
        uint32_t s;
        double x = 0, y = 0;
        for (s = 0; s < 3; s++) {
            const uint64_t at = s * count;
            x += wide ? ((double *)parts)[at + e] : (double)((float *)parts)[at + e];
            y += wide ? ((double *)parts)[at + pair] : (double)((float *)parts)[at + pair];
        }
        if (wide)
            ((double *)answer)[e] = 2 * x + sign * y - ((double *)answer)[e];
        else
            ((float *)answer)[e] = (float)(2 * x + sign * y) - ((float *)answer)[e];
    }
    memcpy(&c->params, &t.k, sizeof t.k);
    return PADIC_OK;
}

static padic_result padici_test_tensor_shape(padici_gpu_case *c)
{
    padici_k_tensor_shape_params s;
    uint32_t i;
    memset(&s, 0, sizeof s);
    s.at = 5;
    s.count = 59;
    for (i = 0; i < 60; i++) s.words[i] = i * 2654435761u;
    memcpy(c->buffers[0].answer + 20, s.words, 59 * 4);
    memcpy(&c->params, &s, sizeof s);
    return PADIC_OK;
}

// Kernels for NVIDIA: 2 batches that share b. Sizes: results m x n, places of the sum; from one row
// of a to the next where its sums lie together, else from one sum to the next; the same for columns
// of b; numbers of a batch of a; from one row of c to the next.
typedef struct padici_test_cores {
    uint32_t m, n, depth, a_row, a_sum, b_column, b_sum, a_batch, c_row;
} padici_test_cores;

static const padici_test_cores padici_test_cores_pieces = {67, 65, 21, 22, 68, 22, 66, 67 * 22, 66};
static const padici_test_cores padici_test_cores_exact = {131, 65, 21,       22, 132,
                                                          23,  66, 131 * 22, 66};
static const padici_test_cores padici_test_cores_async = {131, 130, 101,       102, 132,
                                                          102, 132, 132 * 102, 132};

static int padici_test_cores_plan(const padici_gpu_case *c, const padici_test_cores *x,
                                  uint32_t conj, padici_gpu_tensor *t)
{
    const int along_a = padici_gpu_define(c, "PD_TENSOR_A_ALONG", 1) != 0;
    const int along_b = padici_gpu_define(c, "PD_TENSOR_B_ALONG", 0) != 0;
    const int64_t sum_a = along_a ? 1 : x->a_sum, sum_b = along_b ? 1 : x->b_sum;
    padici_tensor_plan *plan = &t->plan;
    padici_tensor_group *sum = &plan->group[PADICI_TENSOR_SUM];
    uint32_t i;
    memset(t, 0, sizeof *t);
    t->tile = 64;
    for (i = 0; i < 3; i++) plan->dtype[i] = PADIC_C64;
    if (x == &padici_test_cores_pieces) {
        t->general = padici_gpu_define(c, "PD_TENSOR_GENERAL", 0);
        plan->math = padici_gpu_define(c, "PD_TENSOR_PIECES", 2) == 1 ? PADIC_TENSOR_MATH_TF32
                                                                      : PADIC_TENSOR_MATH_SPLIT;
    }
    plan->conj = conj;
    plan->alpha[0] = 2;
    plan->alpha[1] = 1;
    plan->beta[0] = -1;
    padici_tensor_group_add(&plan->group[PADICI_TENSOR_BATCH], 2, x->a_batch, 0, x->m * x->c_row);
    padici_tensor_group_add(&plan->group[PADICI_TENSOR_ROW], x->m, along_a ? x->a_row : 1, 0,
                            x->c_row);
    padici_tensor_group_add(&plan->group[PADICI_TENSOR_COLUMN], x->n, 0, along_b ? x->b_column : 1,
                            1);
    if (t->general) { // 3 x 7
        padici_tensor_group_add(sum, 3, 7 * sum_a, sum_b, 0);
        padici_tensor_group_add(sum, 7, sum_a, 3 * sum_b, 0);
    } else {
        padici_tensor_group_add(sum, x->depth, sum_a, sum_b, 0);
    }
    (void)padici_tensor_plan_tidy(plan);
    return padici_gpu_tensor_begin(t);
}

static uint16_t padici_test_half(float x) // small integers times powers of two: exact
{
    uint32_t bits;
    memcpy(&bits, &x, 4);
    if (!(bits << 1)) return (uint16_t)(bits >> 16);
    return (uint16_t)((bits >> 16 & 0x8000u) | ((bits >> 13 & 0x3ffffu) - (112u << 10)));
}

// The pieces of operand o, batch by batch, as kernels/cuda/tensor/tensor.cu lays them out; lo is 0.
static void padici_test_cores_cut(const padici_gpu_tensor *t, const padici_gpu_tensor_cores *x,
                                  uint32_t o, const float *from, const float *scale,
                                  uint32_t batches, uint16_t *to)
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

// The first buffers of the kernels of pieces: scales, if any.
static int padici_test_cores_begin(const padici_gpu_case *c, padici_gpu_tensor *t,
                                   padici_gpu_tensor_cores *x, float *scale)
{
    static const padic_mem aligned[3] = {{0}, {0}, {0}};
    uint32_t i;
    if (!padici_test_cores_plan(c, &padici_test_cores_pieces, 1, t)) return 0;
    padici_gpu_tensor_cores_begin(t, aligned, x);
    x->k.count = 2;
    for (i = 0; scale && i < 2 * 67 + 65; i++) scale[i] = (float)(1u << i % 9);
    return 1;
}

static padic_result padici_test_cuda_tensor_product(padici_gpu_case *c)
{
    padici_gpu_tensor t;
    padici_gpu_tensor_cores x;
    float *scale = PADICI_TEST_IMAGE(float, 3), *a = PADICI_TEST_IMAGE(float, 4);
    float *b = PADICI_TEST_IMAGE(float, 5);
    uint16_t *pieces;
    if (!padici_test_cores_begin(c, &t, &x, scale)) return PADIC_ERROR_NOT_SUPPORTED;
    pieces = (uint16_t *)padici_gpu_make(c, 0, PADICI_FILL_ZERO, PADIC_U32, x.words, 0);
    padici_test_tensor_words(c, 2, &t);
    padici_test_cores_cut(&t, &x, 0, a, scale, 2, pieces);
    padici_test_cores_cut(&t, &x, 1, b, scale + 134, 1, pieces + 2 * x.k.pieces_at);
    padici_tensor_run(NULL, &t.plan, a, b, c->buffers[1].answer);
    memcpy(&c->params, &x.k, sizeof x.k);
    c->groups[0] = x.k.tiles_down * x.k.tiles_across * 2;
    return PADIC_OK;
}

static padic_result padici_test_cuda_tensor_exact(padici_gpu_case *c)
{
    const uint32_t conj = padici_gpu_define(c, "PD_TENSOR_CONJ", 0) ? 1 + (c->round & 1u) : 0;
    padici_gpu_tensor t;
    padici_k_tensor_cores_params k;
    if (!padici_test_cores_plan(c, &padici_test_cores_exact, conj, &t))
        return PADIC_ERROR_NOT_SUPPORTED;
    padici_test_tensor_run(c, &t.plan, 131 * 22 + 132 * 22, 66 * 23, 2 * 131 * 66);
    memset(&k, 0, sizeof k);
    memcpy(&k, &t.k, sizeof t.k);
    k.tiles_down = 3;
    k.tiles_across = 2;
    k.blocks = 2;
    memcpy(&c->params, &k, sizeof k);
    c->again = conj == 1;
    return PADIC_OK;
}

// 3 groups. Round 0: small integers. Round 1: numbers of 24 bits; without their lower pieces the
// result is off by a hundredth.
static padic_result padici_test_cuda_tensor_async_product(padici_gpu_case *c)
{
    padici_gpu_tensor t;
    padici_k_tensor_cores_params k;
    uint32_t i, e;
    if (!padici_test_cores_plan(c, &padici_test_cores_async, 1 + (c->round & 1u), &t))
        return PADIC_ERROR_NOT_SUPPORTED;
    padici_test_tensor_run(c, &t.plan, 2 * 132 * 102, 132 * 102, 2 * 131 * 132);
    for (i = 0; i < 2 && c->round && !c->failed; i++)
        for (e = 0; e < c->buffers[i].size / 4; e++) {
            uint32_t w = (2 * e + i + 1) * 2654435761u;
            w = (w ^ w >> 15) * 2246822519u;
            PADICI_TEST_IMAGE(float, i)[e] =
                (float)(int32_t)(w ^ w >> 13) * 4.656612873077393e-10f;
        }
    if (c->round && !c->failed) {
        memcpy(c->buffers[2].answer, c->buffers[2].image, (size_t)c->buffers[2].size);
        padici_tensor_run(NULL, &t.plan, c->buffers[0].image, c->buffers[1].image,
                          c->buffers[2].answer);
        c->buffers[2].bound = 2e-4;
    }
    memset(&k, 0, sizeof k);
    memcpy(&k, &t.k, sizeof t.k);
    k.tiles_down = k.tiles_across = 2;
    k.tiles = 8;
    k.flags = (k.flags & (3u | 32u | 64u)) | 128u;
    k.blocks = 4;
    memcpy(&c->params, &k, sizeof k);
    c->again = !c->round && padici_gpu_define(c, "PD_TENSOR_PIECES", 2) == 2;
    return PADIC_OK;
}

// Round 0 a, round 1 b.
static padic_result padici_test_cuda_tensor_cut(padici_gpu_case *c)
{
    const uint32_t o = c->round & 1u, batches = o ? 1 : 2;
    padici_gpu_tensor t;
    padici_gpu_tensor_cores x;
    float *scale = PADICI_TEST_IMAGE(float, 2);
    uint16_t *answer;
    if (!padici_test_cores_begin(c, &t, &x, scale)) return PADIC_ERROR_NOT_SUPPORTED;
    padici_test_tensor_words(c, 1, &t);
    answer = (uint16_t *)padici_gpu_make(c, 3, PADICI_FILL_ZERO | PADICI_FILL_OUT, PADIC_U32,
                                         x.words, 0);
    padici_test_cores_cut(&t, &x, o, PADICI_TEST_IMAGE(float, 0), scale + (o ? 134 : 0), batches,
                          answer + (o ? 2 * x.k.pieces_at : 0));
    x.k.operand = o;
    x.k.along = x.along[o];
    memcpy(&c->params, &x.k, sizeof x.k);
    c->groups[0] = batches * (o ? x.k.tiles_across : x.k.tiles_down);
    c->groups[1] = x.k.blocks;
    return PADIC_OK;
}

// Round 0 a, round 1 b, as the plan has them: 2 batches of 67 rows; 65 columns.
static padic_result padici_test_cuda_tensor_scale(padici_gpu_case *c)
{
    const uint32_t o = c->round & 1u;
    padici_gpu_tensor t;
    padici_gpu_tensor_cores x;
    padici_k_cuda_tensor_scale_params s;
    padici_tensor_walk lines, sums;
    float *from = PADICI_TEST_IMAGE(float, 0), *answer = PADICI_TEST_ANSWER(float, 2);
    uint32_t i, k, b, at = 0;
    if (!padici_test_cores_begin(c, &t, &x, NULL)) return PADIC_ERROR_NOT_SUPPORTED;
    memset(&s, 0, sizeof s);
    s.lines = o ? 65 : 67;
    s.depth = 21;
    s.batches = o ? 1 : 2;
    s.operand = o;
    s.along = x.along[o];
    s.at = 3;
    memcpy(s.batch, x.k.batch + 2 * o, sizeof s.batch);
    s.line = o ? x.k.b_column : x.k.a_row;
    s.sum = o ? x.k.b_sum : x.k.a_sum;
    memcpy(s.axes, x.k.axes, sizeof s.axes);
    padici_test_tensor_words(c, 1, &t);
    for (b = 0; b < s.batches; b++)
        for (i = 0; i < s.lines; i++) {
            float most = 0, scale = 1;
            padici_tensor_walk_to(&lines, &t.plan.group[1 + o], i);
            padici_tensor_walk_to(&sums, &t.plan.group[PADICI_TENSOR_SUM], 0);
            for (k = 0; k < 21; k++, padici_tensor_walk_on(&sums)) {
                float *v = from + 2 * ((o ? 0 : b * 67 * 22) + lines.at[o] + sums.at[o]);
                if (i == 5) v[0] = v[1] = 0; // a row of zeros: 1
                most = v[0] > most ? v[0] : -v[0] > most ? -v[0] : most;
                most = v[1] > most ? v[1] : -v[1] > most ? -v[1] : most;
            }
            while (most > 0 && most * scale < 8192) scale *= 2;
            answer[3 + at++] = scale;
        }
    memcpy(&c->params, &s, sizeof s);
    c->groups[0] = s.along ? (at + 3) / 4 : (at + 127) / 128;
    return PADIC_OK;
}

PADICI_FN const padici_gpu_test *padici_tests_tensor(void)
{
    static const padici_gpu_test rows[] = {
        {PADICI_KERNEL_TENSOR_PRODUCT, 1, 0, padici_test_tensor_product, {PADICI_TEST_NONE}},
        {PADICI_KERNEL_TENSOR_ADD, 1, 2, padici_test_tensor_add, {PADICI_TEST_NONE}},
        {PADICI_KERNEL_TENSOR_SHAPE, 1, 1, padici_test_tensor_shape,
         {PADICI_TEST_OUT(PADIC_U8, 280, 0)}},
        {PADICI_KERNEL_CUDA_TENSOR_SCALE, 2, 0, padici_test_cuda_tensor_scale,
         {PADICI_TEST_IN(WHOLE, PADIC_C64, 67 * 22 + 68 * 22), PADICI_TEST_NONE,
          PADICI_TEST_OUT(PADIC_F32, 160, 0)}},
        {PADICI_KERNEL_CUDA_TENSOR_CUT, 2, 0, padici_test_cuda_tensor_cut,
         {PADICI_TEST_IN(WHOLE, PADIC_C64, 67 * 22 + 68 * 22), PADICI_TEST_NONE,
          PADICI_TEST_IN(BYTES, PADIC_F32, 2 * 67 + 65)}},
        {PADICI_KERNEL_CUDA_TENSOR_PRODUCT, 1, 0, padici_test_cuda_tensor_product, // a, b: 4, 5
         {PADICI_TEST_NONE, PADICI_TEST_BOTH(WHOLE, PADIC_C64, 2 * 67 * 66, 0), PADICI_TEST_NONE,
          PADICI_TEST_IN(BYTES, PADIC_F32, 2 * 67 + 65),
          PADICI_TEST_IN(WHOLE, PADIC_C64, 67 * 22 + 68 * 22),
          PADICI_TEST_IN(WHOLE, PADIC_C64, 68 * 22)}},
        {PADICI_KERNEL_CUDA_TENSOR_EXACT, 1, 12, padici_test_cuda_tensor_exact, {PADICI_TEST_NONE}},
        {PADICI_KERNEL_CUDA_TENSOR_ASYNC_PRODUCT, 1, 3, padici_test_cuda_tensor_async_product,
         {PADICI_TEST_NONE}},
        PADICI_TESTS_END};
    return rows;
}

#undef PADICI_TEST_TENSOR_COLUMNS

#endif
