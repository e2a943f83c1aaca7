#include "../../context/ops.h"
#include "../../core/tensor.h"
#include "../tables.h"
#include "../tests.h"
#include "../texts.h"
#include "axes.h"
#include "driver.h"

#if PADICI_IMPLEMENT_GPU

// Tests: non-dense views with three axes, an odd number of units, more than two groups.

#define PADICI_TEST_BASE_UNITS (3u * 7u * 37u)
#define PADICI_TEST_BASE_REACH 4700u // units that hold either view

// The two views, with units of the size given in buffer 0. Returns this size.
static uint32_t padici_test_base_views(const padici_gpu_case *c, padici_gpu_axes *x)
{
    static const uint64_t extents[3] = {3, 7, 37};
    static const uint64_t strides[2][3] = {{1, 5, 41}, {41 * 37, 3, 41}}; // neither overlaps
    memset(x, 0, sizeof *x);
    x->axes = 3;
    x->unit = (uint32_t)c->buffers[0].size / PADICI_TEST_BASE_REACH;
    memcpy(x->extent, extents, sizeof extents);
    memcpy(x->stride[0], strides[0], sizeof strides[0]);
    memcpy(x->stride[1], strides[1], sizeof strides[1]);
    x->base[0] = 5;
    x->base[1] = 2;
    return x->unit;
}

static uint32_t padici_test_base_divide(const padici_gpu_axes *x, uint32_t extent[9],
                                        uint32_t magic[9], uint32_t shift[9])
{
    padici_gpu_slices s;
    padici_gpu_slices_begin(x, &s);
    return padici_gpu_divide(x, &s, extent, magic, shift);
}

// Position of unit i of view j in `space`, by division.
static unsigned char *padici_test_base_at(void *space, const padici_gpu_axes *x, uint32_t j,
                                          uint64_t i)
{
    return (unsigned char *)space +
           x->unit * (x->base[j] + i % 3 * x->stride[j][0] + i / 3 % 7 * x->stride[j][1] +
                      i / 21 * x->stride[j][2]);
}

static padic_result padici_test_base_fill(padici_gpu_case *c)
{
    padici_k_base_fill_params k;
    padici_gpu_axes x;
    const uint32_t unit = padici_test_base_views(c, &x);
    unsigned char bytes[16];
    uint32_t i;
    memset(&k, 0, sizeof k);
    k.n = PADICI_TEST_BASE_UNITS;
    k.axes = padici_test_base_divide(&x, k.extent, k.magic, k.shift);
    k.base_lo = (uint32_t)x.base[0];
    for (i = 0; i < 3; i++) k.stride[i] = (uint32_t)x.stride[0][i];
    for (i = 0; i < 16; i++) bytes[i] = (unsigned char)(17 * i + 1);
    memcpy(k.value, bytes, 16);
    memcpy(&c->params, &k, sizeof k);
    for (i = 0; i < k.n; i++)
        memcpy(padici_test_base_at(c->buffers[0].answer, &x, 0, i), bytes + i % 3 * unit, unit);
    return PADIC_OK;
}

static padic_result padici_test_base_copy(padici_gpu_case *c)
{
    padici_k_base_copy_params k;
    padici_gpu_axes x;
    const uint32_t unit = padici_test_base_views(c, &x);
    uint32_t i;
    memset(&k, 0, sizeof k);
    k.n = PADICI_TEST_BASE_UNITS;
    k.axes = padici_test_base_divide(&x, k.extent, k.magic, k.shift);
    k.from_lo = (uint32_t)x.base[0];
    k.to_lo = (uint32_t)x.base[1];
    for (i = 0; i < 3; i++) {
        k.from_stride[i] = (uint32_t)x.stride[0][i];
        k.to_stride[i] = (uint32_t)x.stride[1][i];
    }
    memcpy(&c->params, &k, sizeof k);
    for (i = 0; i < k.n; i++)
        memcpy(padici_test_base_at(c->buffers[1].answer, &x, 1, i),
               padici_test_base_at(c->buffers[0].image, &x, 0, i), unit);
    return PADIC_OK;
}

// Every element type of the kernel's unit, one per round; the answer is the host's, moved.
static padic_result padici_test_base_random(padici_gpu_case *c)
{
    static const padic_dtype types[3][3] = {{PADIC_U8, PADIC_U8, PADIC_U8},
                                            {PADIC_F16, PADIC_BF16, PADIC_U16},
                                            {PADIC_F32, PADIC_F64, PADIC_U64}};
    padici_k_base_random_params k;
    padici_gpu_axes x;
    padic_random_fill_desc desc;
    const uint32_t unit = padici_test_base_views(c, &x);
    const padic_dtype dtype = types[unit / 2][c->round];
    const uint32_t n = PADICI_TEST_BASE_UNITS + 7;
    unsigned char *flat = (unsigned char *)padici_gpu_space(c, n * unit);
    uint32_t i;
    memset(&k, 0, sizeof k);
    memset(&desc, 0, sizeof desc);
    k.n = PADICI_TEST_BASE_UNITS;
    k.axes = padici_test_base_divide(&x, k.extent, k.magic, k.shift);
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
    desc.tensor = padic_tensor_1d(dtype, flat, n * unit / padic_dtype_size(dtype));
    desc.seed = UINT64_C(0x0123456789abcdef);
    desc.stream = UINT64_C(0x8000000100000005);
    desc.step = 3;
    padici_random_fill_host(NULL, &desc);
    for (i = 0; i < k.n; i++) // the launch begins with word 6
        memcpy(padici_test_base_at(c->buffers[0].answer, &x, 0, i), flat + (i + 6u) * unit, unit);
    return PADIC_OK;
}

// (1 + e)^2 - (1 + 2 e) is 0 when the product is rounded, and e^2 when it is fused with the sum.
static padic_result padici_test_base_mul_add(padici_gpu_case *c)
{
    const float e = 1.0f / 4096.0f;
    const uint32_t n = 301, group = padici_gpu_define(c, "PD_WG", 128);
    float *a = (float *)(void *)c->buffers[0].image, *b = (float *)(void *)c->buffers[1].image;
    float *d = (float *)(void *)c->buffers[2].image, *to = (float *)(void *)c->buffers[3].answer;
    uint32_t i;
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

#define PADICI_TEST_BASE_UNIT(N, dtype, kinds)                          \
    {PADICI_KERNEL_BASE_FILL_##N, 1, 3, padici_test_base_fill,          \
     {PADICI_TEST_OUT(dtype, PADICI_TEST_BASE_REACH, 0)}},              \
    {PADICI_KERNEL_BASE_COPY_##N, 1, 3, padici_test_base_copy,          \
     {PADICI_TEST_IN(HASH, dtype, PADICI_TEST_BASE_REACH),              \
      PADICI_TEST_OUT(dtype, PADICI_TEST_BASE_REACH, 0)}},              \
    {PADICI_KERNEL_BASE_RANDOM_##N, kinds, 2, padici_test_base_random,  \
     {PADICI_TEST_OUT(dtype, PADICI_TEST_BASE_REACH, 0)}}

PADICI_FN const padici_gpu_test *padici_tests_base(void)
{
    static const padici_gpu_test rows[] = {
        PADICI_TEST_BASE_UNIT(1, PADIC_U8, 1),
        PADICI_TEST_BASE_UNIT(2, PADIC_U16, 3),
        PADICI_TEST_BASE_UNIT(4, PADIC_U32, 3),
        {PADICI_KERNEL_BASE_MUL_ADD, 1, 0, padici_test_base_mul_add,
         {PADICI_TEST_IN(BYTES, PADIC_F32, 301), PADICI_TEST_IN(BYTES, PADIC_F32, 301),
          PADICI_TEST_IN(BYTES, PADIC_F32, 301), PADICI_TEST_OUT(PADIC_F32, 301, 0)}},
        PADICI_TESTS_END};
    return rows;
}

#undef PADICI_TEST_BASE_UNIT
#undef PADICI_TEST_BASE_UNITS
#undef PADICI_TEST_BASE_REACH

#endif
