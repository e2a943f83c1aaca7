#include "entropy_test.h"
#include "../tables.h"
#include "../texts.h"

#if PADICI_IMPLEMENT_GPU && !defined(PADIC_NO_TENSOR)

// Of the kernels of entropies: whole numbers, whose sums are exact.

PADICI_FN void padici_test_cut_number(unsigned char *at, uint32_t i, int wide, double x)
{
    const float single = (float)x;
    if (wide)
        memcpy(at + 8 * i, &x, 8);
    else
        memcpy(at + 4 * i, &single, 4);
}

// 5 rows, 6 columns of 3 x 2; the state in F32, then, where the kernel works in F64, in that.
PADICI_FN padic_result padici_test_factor_cut(padici_gpu_case *c)
{
    const int is_double = padici_gpu_define(c, "PD_FACTOR_F64", 0) != 0;
    const int wide = is_double && c->round;
    const uint32_t parts = padici_gpu_define(c, "PD_FACTOR_PARTS", 2);
    padici_k_factor_cut_params k;
    unsigned char *state =
        (unsigned char *)padici_gpu_image(c, 0, 8 + (wide ? 8u : 4u) * 97 * parts);
    unsigned char *places = (unsigned char *)padici_gpu_image(c, 1, 4 * 10);
    unsigned char *x = (unsigned char *)padici_gpu_image(c, 2, (is_double ? 8u : 4u) * 30 * parts);
    static const int32_t at[10] = {0, 3, 6, 9, 12, 0, 17, 34, 0, 50};
    uint32_t i, j, p;
    if (x) x = (unsigned char *)padici_gpu_answer(c, 2);
    if (!state || !places || !x) return PADIC_ERROR_MEMORY;
    for (i = 0; i < 97 * parts; i++) padici_test_cut_number(state + 8, i, wide, (double)i - 50);
    memcpy(places, at, sizeof at);
    for (j = 0; j < 6; j++)
        for (i = 0; i < 5; i++)
            for (p = 0; p < parts; p++)
                padici_test_cut_number(
                    x, (j * 5 + i) * parts + p, is_double,
                    (double)((uint32_t)(at[i] + at[5 + j / 2] + at[8 + j % 2]) * parts + p) - 50);
    k.first = 2;
    k.rows = 5;
    k.columns = 6;
    k.low = 2;
    k.wide = wide ? 1 : 0;
    memcpy(&c->params, &k, sizeof k);
    c->again = is_double && !c->round;
    return PADIC_OK;
}

// 19 rows, 37 columns in parts of 32.
PADICI_FN padic_result padici_test_factor_gram(padici_gpu_case *c)
{
    enum { R = 19, C = 37 };
    const int is_double = padici_gpu_define(c, "PD_FACTOR_F64", 0) != 0;
    const uint32_t parts = padici_gpu_define(c, "PD_FACTOR_PARTS", 2), unit = is_double ? 8 : 4;
    padici_k_factor_gram_params k;
    unsigned char *x = (unsigned char *)padici_gpu_image(c, 0, unit * parts * R * C);
    unsigned char *out = (unsigned char *)padici_gpu_image(c, 1, unit * parts * 2 * R * R);
    uint32_t part, i, j, s;
    if (out) out = (unsigned char *)padici_gpu_answer(c, 1);
    if (!x || !out) return PADIC_ERROR_MEMORY;
    for (i = 0; i < R * C * parts; i++)
        padici_test_cut_number(x, i, is_double, (double)(i * i % 23) - 11);
    for (part = 0; part < 2; part++)
        for (i = 0; i < R; i++)
            for (j = 0; j < R; j++) {
                double re = 0, im = 0;
                for (s = 32 * part; s < (part ? C : 32); s++) {
                    const uint32_t a = (s * R + i) * parts, b = (s * R + j) * parts;
                    const double ar = (double)(a * a % 23) - 11, br = (double)(b * b % 23) - 11;
                    const double ai = (double)((a + 1) * (a + 1) % 23) - 11;
                    const double bi = (double)((b + 1) * (b + 1) % 23) - 11;
                    re += parts == 2 ? ar * br + ai * bi : ar * br;
                    im += ai * br - ar * bi;
                }
                padici_test_cut_number(out, ((part * R + i) * R + j) * parts, is_double, re);
                if (parts == 2)
                    padici_test_cut_number(out, ((part * R + i) * R + j) * 2 + 1, is_double, im);
            }
    k.rows = R;
    k.columns = C;
    k.part = 32;
    memcpy(&c->params, &k, sizeof k);
    c->groups[0] = 3;
    c->groups[1] = 2;
    c->buffers[1].dtype = is_double ? PADIC_F64 : PADIC_F32; // a zero may be -0
    c->buffers[1].bound = 0.25;
    return PADIC_OK;
}

PADICI_FN padic_result padici_test_factor_add(padici_gpu_case *c)
{
    enum { COUNT = 131, PARTS = 5 };
    const int is_double = padici_gpu_define(c, "PD_FACTOR_F64", 0) != 0;
    const uint32_t unit = is_double ? 8 : 4;
    padici_k_factor_add_params k;
    unsigned char *x = (unsigned char *)padici_gpu_image(c, 0, unit * COUNT * PARTS);
    unsigned char *out = (unsigned char *)padici_gpu_image(c, 1, unit * COUNT);
    uint32_t i, j;
    if (out) out = (unsigned char *)padici_gpu_answer(c, 1);
    if (!x || !out) return PADIC_ERROR_MEMORY;
    for (i = 0; i < COUNT * PARTS; i++) padici_test_cut_number(x, i, is_double, i % 97 + 1.0);
    for (i = 0; i < COUNT; i++) {
        double sum = 0;
        for (j = 0; j < PARTS; j++) sum += (j * COUNT + i) % 97 + 1.0;
        padici_test_cut_number(out, i, is_double, sum);
    }
    k.count = COUNT;
    k.parts = PARTS;
    memcpy(&c->params, &k, sizeof k);
    return PADIC_OK;
}

PADICI_FN const padici_gpu_test *padici_tests_factor(void)
{
    static const padici_gpu_test rows[] = {
        {PADICI_KERNEL_CUDA_FACTOR_COLUMNS, 0, 0, padici_test_cuda_factor_columns, {PADICI_TEST_NONE}},
        {PADICI_KERNEL_CUDA_FACTOR_SMALL, 0, 0, padici_test_cuda_factor_small, {PADICI_TEST_NONE}},
        {PADICI_KERNEL_FACTOR_SVD, 0, 0, padici_test_factor_svd, {PADICI_TEST_NONE}},
        {PADICI_KERNEL_FACTOR_QR, 0, 0, padici_test_factor_qr, {PADICI_TEST_NONE}},
        {PADICI_KERNEL_FACTOR_EIGH, 0, 0, padici_test_factor_eigh, {PADICI_TEST_NONE}},
        {PADICI_KERNEL_FACTOR_CUT, 0, 0, padici_test_factor_cut, {PADICI_TEST_NONE}},
        {PADICI_KERNEL_FACTOR_GRAM, 0, 0, padici_test_factor_gram, {PADICI_TEST_NONE}},
        {PADICI_KERNEL_FACTOR_ADD, 0, 0, padici_test_factor_add, {PADICI_TEST_NONE}},
        PADICI_TESTS_END};
    return rows;
}

#endif
