#include "axes_test.h"
#include "../../core/tensor.h"
#include "driver.h"
#include "../tables.h"
#include "../texts.h"
#include "../../context/ops.h"

#if PADICI_IMPLEMENT_GPU

// Tests: views with three axes that are not dense, an odd number of units, more than two groups.

PADICI_FN uint32_t padici_test_base_view(padici_gpu_axes *x, uint32_t unit, uint32_t extent[9],
                                         uint32_t magic[9], uint32_t shift[9])
{
    static const uint64_t extents[3] = {3, 7, 37};
    static const uint64_t strides[2][3] = {{1, 5, 41}, {41 * 37, 3, 41}}; // neither overlaps
    padici_gpu_slices s;
    uint32_t i, j;
    memset(x, 0, sizeof *x);
    x->axes = 3;
    x->unit = unit;
    for (i = 0; i < 3; i++) {
        x->extent[i] = extents[i];
        for (j = 0; j < 2; j++) x->stride[j][i] = strides[j][i];
    }
    x->base[0] = 5;
    x->base[1] = 2;
    padici_gpu_slices_begin(x, &s);
    return padici_gpu_divide(x, &s, extent, magic, shift);
}

#define PADICI_TEST_BASE_UNITS (3u * 7u * 37u)
#define PADICI_TEST_BASE_REACH 4700u // units that hold either view

// Where unit i of view j lies, by dividing.
PADICI_FN uint64_t padici_test_base_at(const padici_gpu_axes *x, uint32_t j, uint64_t i)
{
    return x->base[j] + i % 3 * x->stride[j][0] + i / 3 % 7 * x->stride[j][1] +
           i / 21 * x->stride[j][2];
}

PADICI_FN padic_result padici_test_base_fill(padici_gpu_case *c, uint32_t unit)
{
    padici_k_base_fill_params k;
    padici_gpu_axes x;
    unsigned char *answer, bytes[16];
    uint64_t i;
    memset(&k, 0, sizeof k);
    k.n = PADICI_TEST_BASE_UNITS;
    k.axes = padici_test_base_view(&x, unit, k.extent, k.magic, k.shift);
    k.base_lo = (uint32_t)x.base[0];
    for (i = 0; i < 3; i++) k.stride[i] = (uint32_t)x.stride[0][i];
    for (i = 0; i < 16; i++) bytes[i] = (unsigned char)(17 * i + 1);
    memcpy(k.value, bytes, 16);
    memcpy(&c->params, &k, sizeof k);
    c->groups[0] = 3;
    if (!padici_gpu_image(c, 0, PADICI_TEST_BASE_REACH * unit)) return PADIC_ERROR_MEMORY;
    answer = (unsigned char *)padici_gpu_answer(c, 0);
    if (!answer) return PADIC_ERROR_MEMORY;
    for (i = 0; i < k.n; i++)
        memcpy(answer + padici_test_base_at(&x, 0, i) * unit, bytes + i % 3 * unit, unit);
    return PADIC_OK;
}

PADICI_FN padic_result padici_test_base_copy(padici_gpu_case *c, uint32_t unit)
{
    padici_k_base_copy_params k;
    padici_gpu_axes x;
    unsigned char *from, *answer;
    uint32_t i;
    memset(&k, 0, sizeof k);
    k.n = PADICI_TEST_BASE_UNITS;
    k.axes = padici_test_base_view(&x, unit, k.extent, k.magic, k.shift);
    k.from_lo = (uint32_t)x.base[0];
    k.to_lo = (uint32_t)x.base[1];
    for (i = 0; i < 3; i++) {
        k.from_stride[i] = (uint32_t)x.stride[0][i];
        k.to_stride[i] = (uint32_t)x.stride[1][i];
    }
    memcpy(&c->params, &k, sizeof k);
    c->groups[0] = 3;
    from = (unsigned char *)padici_gpu_image(c, 0, PADICI_TEST_BASE_REACH * unit);
    if (!from || !padici_gpu_image(c, 1, PADICI_TEST_BASE_REACH * unit)) return PADIC_ERROR_MEMORY;
    answer = (unsigned char *)padici_gpu_answer(c, 1);
    if (!answer) return PADIC_ERROR_MEMORY;
    for (i = 0; i < PADICI_TEST_BASE_REACH * unit; i++)
        from[i] = (unsigned char)((i * 2654435761u) >> 13);
    for (i = 0; i < k.n; i++)
        memcpy(answer + padici_test_base_at(&x, 1, i) * unit,
               from + padici_test_base_at(&x, 0, i) * unit, unit);
    return PADIC_OK;
}

// Every element type of the kernel's unit, one a round; the answer is the host's, moved.
PADICI_FN padic_result padici_test_base_random(padici_gpu_case *c, uint32_t unit)
{
    static const padic_dtype types[3][4] = {{PADIC_U8, PADIC_DTYPE_NONE},
                                            {PADIC_F16, PADIC_BF16, PADIC_U16, PADIC_DTYPE_NONE},
                                            {PADIC_F32, PADIC_F64, PADIC_U64, PADIC_DTYPE_NONE}};
    const padic_dtype *row = types[unit / 2], dtype = row[c->round];
    const uint32_t each = padic_dtype_size(dtype) / unit; // units of an element
    padici_k_base_random_params k;
    padici_gpu_axes x;
    padic_random_fill_desc desc;
    unsigned char *answer, *flat;
    uint32_t i;
    memset(&k, 0, sizeof k);
    memset(&desc, 0, sizeof desc);
    k.n = PADICI_TEST_BASE_UNITS;
    k.axes = padici_test_base_view(&x, unit, k.extent, k.magic, k.shift);
    k.base_lo = (uint32_t)x.base[0];
    for (i = 0; i < 3; i++) k.stride[i] = (uint32_t)x.stride[0][i];
    k.kind = padici_gpu_random_kind(dtype);
    k.seed_lo = 0x89abcdefu;
    k.seed_hi = 0x01234567u;
    k.stream_lo = 5;
    k.stream_hi = 0x80000001u;
    k.step = 3;
    k.skip = 2;
    k.block = 1;
    memcpy(&c->params, &k, sizeof k);
    c->groups[0] = 2;
    c->again = row[c->round + 1] != PADIC_DTYPE_NONE;
    if (!padici_gpu_image(c, 0, PADICI_TEST_BASE_REACH * unit)) return PADIC_ERROR_MEMORY;
    answer = (unsigned char *)padici_gpu_answer(c, 0);
    flat = (unsigned char *)padici_gpu_image(c, 7, (k.n + 7u) * unit); // room of its own
    if (!answer || !flat) return PADIC_ERROR_MEMORY;
    desc.tensor = padic_tensor_1d(dtype, flat, (k.n + 7u) / each);
    desc.seed = UINT64_C(0x0123456789abcdef);
    desc.stream = UINT64_C(0x8000000100000005);
    desc.step = 3;
    padici_random_fill_host(NULL, &desc);
    for (i = 0; i < k.n; i++) // the launch begins with word 6
        memcpy(answer + padici_test_base_at(&x, 0, i) * unit, flat + (i + 6u) * unit, unit);
    return PADIC_OK;
}

PADICI_FN padic_result padici_test_base_fill_1(padici_gpu_case *c)
{
    return padici_test_base_fill(c, 1);
}

PADICI_FN padic_result padici_test_base_fill_2(padici_gpu_case *c)
{
    return padici_test_base_fill(c, 2);
}

PADICI_FN padic_result padici_test_base_fill_4(padici_gpu_case *c)
{
    return padici_test_base_fill(c, 4);
}

PADICI_FN padic_result padici_test_base_copy_1(padici_gpu_case *c)
{
    return padici_test_base_copy(c, 1);
}

PADICI_FN padic_result padici_test_base_copy_2(padici_gpu_case *c)
{
    return padici_test_base_copy(c, 2);
}

PADICI_FN padic_result padici_test_base_copy_4(padici_gpu_case *c)
{
    return padici_test_base_copy(c, 4);
}

PADICI_FN padic_result padici_test_base_random_1(padici_gpu_case *c)
{
    return padici_test_base_random(c, 1);
}

PADICI_FN padic_result padici_test_base_random_2(padici_gpu_case *c)
{
    return padici_test_base_random(c, 2);
}

PADICI_FN padic_result padici_test_base_random_4(padici_gpu_case *c)
{
    return padici_test_base_random(c, 4);
}

// (1 + e)^2 - (1 + 2 e) is 0 when the product is rounded, and e^2 when it is fused with the sum.
PADICI_FN padic_result padici_test_base_mul_add(padici_gpu_case *c)
{
    const float e = 1.0f / 4096.0f;
    const uint32_t n = 301, group = padici_gpu_define(c, "PD_WG", 128);
    uint32_t i;
    float *a = (float *)padici_gpu_image(c, 0, 4 * n), *b = (float *)padici_gpu_image(c, 1, 4 * n);
    float *d = (float *)padici_gpu_image(c, 2, 4 * n), *to = (float *)padici_gpu_image(c, 3, 4 * n);
    if (!a || !b || !d || !to) return PADIC_ERROR_MEMORY;
    to = (float *)padici_gpu_answer(c, 3);
    if (!to) return PADIC_ERROR_MEMORY;
    for (i = 0; i < n; i++) {
        a[i] = (float)(i + 1) * (1.0f + e);
        b[i] = 1.0f + e;
        d[i] = -(float)(i + 1) * (1.0f + 2.0f * e);
        to[i] = a[i] * b[i];
        to[i] = to[i] + d[i];
    }
    c->params.words[0] = n;
    c->groups[0] = (n + group - 1) / group;
    return PADIC_OK;
}

#undef PADICI_TEST_BASE_UNITS
PADICI_FN const padici_gpu_test *padici_tests_base(void)
{
    static const padici_gpu_test rows[] = {
        {PADICI_KERNEL_BASE_FILL_1, 0, 0, padici_test_base_fill_1, {{0, PADIC_DTYPE_NONE, 0, 0}}},
        {PADICI_KERNEL_BASE_FILL_2, 0, 0, padici_test_base_fill_2, {{0, PADIC_DTYPE_NONE, 0, 0}}},
        {PADICI_KERNEL_BASE_FILL_4, 0, 0, padici_test_base_fill_4, {{0, PADIC_DTYPE_NONE, 0, 0}}},
        {PADICI_KERNEL_BASE_COPY_1, 0, 0, padici_test_base_copy_1, {{0, PADIC_DTYPE_NONE, 0, 0}}},
        {PADICI_KERNEL_BASE_COPY_2, 0, 0, padici_test_base_copy_2, {{0, PADIC_DTYPE_NONE, 0, 0}}},
        {PADICI_KERNEL_BASE_COPY_4, 0, 0, padici_test_base_copy_4, {{0, PADIC_DTYPE_NONE, 0, 0}}},
        {PADICI_KERNEL_BASE_RANDOM_1, 0, 0, padici_test_base_random_1, {{0, PADIC_DTYPE_NONE, 0, 0}}},
        {PADICI_KERNEL_BASE_RANDOM_2, 0, 0, padici_test_base_random_2, {{0, PADIC_DTYPE_NONE, 0, 0}}},
        {PADICI_KERNEL_BASE_RANDOM_4, 0, 0, padici_test_base_random_4, {{0, PADIC_DTYPE_NONE, 0, 0}}},
        {PADICI_KERNEL_BASE_MUL_ADD, 0, 0, padici_test_base_mul_add, {{0, PADIC_DTYPE_NONE, 0, 0}}},
        PADICI_GPU_TESTS_END};
    return rows;
}

#undef PADICI_TEST_BASE_REACH

#endif
