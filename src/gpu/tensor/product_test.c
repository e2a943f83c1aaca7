#include "product_test.h"
#include "../../context/ops.h"
#include "../../core/tensor.h"
#include "../../tensor/ops.h"
#include "../../tensor/plan.h"
#include "../../tensor/product.h"
#include "groups.h"
#include "../texts.h"

#if PADICI_IMPLEMENT_GPU && !defined(PADIC_NO_TENSOR)

// Tests. Small integers: every sum and product is exact, so the bits must agree. The sizes are odd
// and go beyond one tile; a is transposed and b conjugated.

#define PADICI_TEST_TENSOR_DEPTH 21u

#ifndef PADICI_TEST_TENSOR_COLUMNS
#define PADICI_TEST_TENSOR_COLUMNS 1 // beyond one tile (slow emulators are given less than one)
#endif

PADICI_FN void padici_test_tensor_plan(const padici_gpu_case *c, uint32_t tile,
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

PADICI_FN void *padici_test_tensor_numbers(padici_gpu_case *c, uint32_t i, uint64_t count,
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
PADICI_FN void padici_test_tensor_exact(padici_gpu_case *c, uint32_t i, padic_dtype dtype)
{
    c->buffers[i].dtype = padici_tensor_is_double(dtype) ? PADIC_F64 : PADIC_F32;
    c->buffers[i].bound = 1e-30;
}

// Three products: of more than a tile, of no sum, of one row.
PADICI_FN void padici_test_tensor_three(padici_gpu_case *c, padic_tensor_gemm_group *groups,
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

PADICI_FN PADICI_NOINLINE padic_result padici_test_tensor_groups(padici_gpu_case *c)
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

PADICI_FN padic_result padici_test_tensor_product(padici_gpu_case *c)
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
PADICI_FN padic_result padici_test_tensor_add(padici_gpu_case *c)
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

PADICI_FN padic_result padici_test_tensor_shape(padici_gpu_case *c)
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

#undef PADICI_TEST_TENSOR_DEPTH
#undef PADICI_TEST_TENSOR_COLUMNS

#endif
