#include "cores_test.h"
#include "../../tensor/plan.h"
#include "../../tensor/product.h"
#include "product_test.h"
#include "../tables.h"
#include "../texts.h"

#if PADICI_IMPLEMENT_GPU && !defined(PADIC_NO_TENSOR)

// Tests of the kernels for NVIDIA.

// The product on tensor cores: 67 x 65 results, 21 places of the sum, 2 batches that share b.
PADICI_FN void padici_test_cores_plan(const padici_gpu_case *c, padici_gpu_tensor *t)
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

PADICI_FN uint16_t padici_test_half(float x) // small integers times powers of two: exact
{
    uint32_t bits;
    memcpy(&bits, &x, 4);
    if (!(bits << 1)) return (uint16_t)(bits >> 16);
    return (uint16_t)((bits >> 16 & 0x8000u) | ((bits >> 13 & 0x3ffffu) - (112u << 10)));
}

// The pieces of operand o, batch by batch, as kernels/cuda/tensor/tensor.cu lays them out; lo is 0.
PADICI_FN void padici_test_cores_cut(const padici_gpu_tensor *t, const padici_gpu_cores *x,
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

// What both kernels below begin with: numbers, scales, and from them pieces.
PADICI_FN int padici_test_cores_begin(const padici_gpu_case *c, padici_gpu_tensor *t,
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

PADICI_FN padic_result padici_test_cuda_tensor_product(padici_gpu_case *c)
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
PADICI_FN padic_result padici_test_cuda_tensor_exact(padici_gpu_case *c)
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
PADICI_FN padic_result padici_test_cuda_tensor_async_product(padici_gpu_case *c)
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
PADICI_FN padic_result padici_test_cuda_tensor_cut(padici_gpu_case *c)
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
PADICI_FN padic_result padici_test_cuda_tensor_scale(padici_gpu_case *c)
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

PADICI_FN const padici_gpu_test *padici_tests_tensor(void)
{
    static const padici_gpu_test rows[] = {
        {PADICI_KERNEL_TENSOR_PRODUCT, 0, 0, padici_test_tensor_product, {PADICI_TEST_NONE}},
        {PADICI_KERNEL_TENSOR_ADD, 0, 0, padici_test_tensor_add, {PADICI_TEST_NONE}},
        {PADICI_KERNEL_TENSOR_SHAPE, 0, 0, padici_test_tensor_shape, {PADICI_TEST_NONE}},
        {PADICI_KERNEL_CUDA_TENSOR_SCALE, 0, 0, padici_test_cuda_tensor_scale, {PADICI_TEST_NONE}},
        {PADICI_KERNEL_CUDA_TENSOR_CUT, 0, 0, padici_test_cuda_tensor_cut, {PADICI_TEST_NONE}},
        {PADICI_KERNEL_CUDA_TENSOR_PRODUCT, 0, 0, padici_test_cuda_tensor_product,
         {PADICI_TEST_NONE}},
        {PADICI_KERNEL_CUDA_TENSOR_EXACT, 0, 0, padici_test_cuda_tensor_exact, {PADICI_TEST_NONE}},
        {PADICI_KERNEL_CUDA_TENSOR_ASYNC_PRODUCT, 0, 0, padici_test_cuda_tensor_async_product,
         {PADICI_TEST_NONE}},
        PADICI_TESTS_END};
    return rows;
}

#endif
