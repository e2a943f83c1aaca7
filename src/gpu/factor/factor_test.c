#include "../../core/tensor.h"
#include "../../tensor/factor.h"
#include "../../tensor/ops.h"
#include "../../tensor/plan.h"
#include "../../context/ops.h"
#include "../tables.h"
#include "../tests.h"
#include "../texts.h"
#include "factor.h"

#if PADICI_IMPLEMENT_GPU && !defined(PADIC_NO_TENSOR)

// Tests: three matrices in two groups, square (or tall) and then wide, whose values are well
// separated, against the reference.

typedef struct padici_test_factor {
    padici_gpu_tensor_factor g;
    padici_operand operands[4];
    padic_tensor tensors[4], answers[4];
    uint32_t m, n, kind;
    padic_dtype real, dtype; // of the values, of the matrices
    double bound;            // of errors: norm by distance of values, as many as there are columns
} padici_test_factor;

#define PADICI_TEST_FACTOR_BATCH 3u

// Tensor i of the factorisation as a buffer; columns 0: values.
static void padici_test_factor_tensor(padici_gpu_case *c, padici_test_factor *t, uint32_t buffer,
                                      uint32_t i, uint64_t rows, uint64_t columns)
{
    padic_tensor *tensor = &t->tensors[i];
    *tensor = columns ? padic_tensor_3d(t->dtype, NULL, PADICI_TEST_FACTOR_BATCH, rows, columns)
                      : padic_tensor_2d(t->real, NULL, PADICI_TEST_FACTOR_BATCH, rows);
    t->answers[i] = *tensor;
    t->answers[i].data =
        padici_gpu_make(c, buffer, PADICI_FILL_BYTES | (i ? PADICI_FILL_OUT : 0), tensor->dtype,
                        padic_tensor_count(tensor), t->bound);
    tensor->data = c->buffers[buffer].image;
    t->operands[i].tensor = tensor;
    t->operands[i].bytes = c->buffers[buffer].size;
    t->g.operands[i] = &t->operands[i];
}

// Element i of an array of F64, or of F32.
static void padici_test_factor_set(void *at, uint64_t i, int wide, double x)
{
    if (wide)
        ((double *)at)[i] = x;
    else
        ((float *)at)[i] = (float)x;
}

static void padici_test_factor_numbers(const padici_test_factor *t)
{
    const uint64_t parts = t->dtype == t->real ? 1 : 2;
    uint64_t e;
    uint32_t random = 7;
    for (e = 0; e < PADICI_TEST_FACTOR_BATCH * (uint64_t)t->m * t->n * parts; e++) {
        const uint64_t i = e / parts / t->n % t->m, j = e / parts % t->n;
        double z;
        random = random * 1664525u + 1013904223u;
        z = ((double)(int32_t)(random >> 16) - 32768) / 262144;
        if (i == j && (parts == 1 || !(e & 1))) z += 1.5 * (double)(i + 1);
        padici_test_factor_set(t->tensors[0].data, e, t->real == PADIC_F64, z);
    }
}

// The reference's answers and the kernel's parameters.
static PADICI_NOINLINE padic_result padici_test_factor_answers(padici_test_factor *t)
{
    padic_tensor_svd_desc svd;
    padic_tensor_qr_desc qr;
    padic_tensor_eigh_desc eigh;
    padic_result result;
    memset(&svd, 0, sizeof svd);
    memset(&qr, 0, sizeof qr);
    memset(&eigh, 0, sizeof eigh);
    svd.a = qr.a = eigh.a = t->tensors[0];
    svd.u = qr.q = eigh.v = t->answers[1];
    svd.vh = qr.r = eigh.w = t->answers[2];
    svd.s = t->answers[3];
    if (t->kind == PADICI_TENSOR_FACTOR_SVD) {
        result = padici_tensor_svd_host(NULL, &svd);
        return result ? result : padici_tensor_factor_of_svd(NULL, &svd, &t->g.f);
    }
    if (t->kind == PADICI_TENSOR_FACTOR_QR) {
        result = padici_tensor_qr_host(NULL, &qr);
        return result ? result : padici_tensor_factor_of_qr(NULL, &qr, &t->g.f);
    }
    result = padici_tensor_eigh_host(NULL, &eigh);
    return result ? result : padici_tensor_factor_of_eigh(NULL, &eigh, &t->g.f);
}

// Runs a kernel of cuda/tensor/factor.cu, which has no memory for V, or one of factor.cl.
static padic_result padici_test_factor_case(padici_gpu_case *c, uint32_t kind, int cuda,
                                            uint32_t longer)
{
    const int turn = c->round && kind == PADICI_TENSOR_FACTOR_SVD;
    const uint32_t last = kind == PADICI_TENSOR_FACTOR_SVD ? 5 : 4;
    const int wide = padici_gpu_define(c, "PD_FACTOR_F64", 0) != 0;
    padici_test_factor t;
    uint32_t r, at = 2;
    padic_result result;
    memset(&t, 0, sizeof t);
    t.kind = kind;
    t.bound = wide ? 1e-13 : 5e-5 / 7 * longer;
    t.real = wide ? PADIC_F64 : PADIC_F32;
    t.dtype = padici_gpu_define(c, "PD_FACTOR_PARTS", 2) == 1 ? t.real
              : wide                                          ? PADIC_C128
                                                              : PADIC_C64;
    t.m = c->round ? longer - 3 : longer;
    t.n = kind == PADICI_TENSOR_FACTOR_EIGH ? t.m : c->round ? longer - 1 : longer - 2;
    r = t.m < t.n ? t.m : t.n;
    padici_test_factor_tensor(c, &t, 0, 0, t.m, t.n);
    if (kind == PADICI_TENSOR_FACTOR_EIGH && cuda)
        (void)padici_gpu_image(c, at++, 16); // y: not read
    padici_test_factor_tensor(c, &t, turn ? 2 : 1, 1, t.m, r);
    padici_test_factor_tensor(c, &t, turn ? 1 : at++, 2, r,
                              kind == PADICI_TENSOR_FACTOR_EIGH ? 0 : t.n);
    if (turn) at++;
    if (kind == PADICI_TENSOR_FACTOR_SVD) padici_test_factor_tensor(c, &t, at++, 3, r, 0);
    memset(padici_gpu_make(c, at, PADICI_FILL_BYTES | PADICI_FILL_OUT, PADIC_U32,
                           PADICI_TEST_FACTOR_BATCH, 0), 0, 4 * PADICI_TEST_FACTOR_BATCH);
    if (kind != PADICI_TENSOR_FACTOR_QR && !cuda) // V
        (void)padici_gpu_make(c, last, PADICI_FILL_BYTES, PADIC_U8, 2 * 2 * 8 * 49, -1);
    padici_test_factor_numbers(&t);
    result = padici_test_factor_answers(&t);
    if (!result) result = padici_gpu_tensor_factor_begin(&t.g, cuda ? 49152 : 16384);
    if (cuda && kind == PADICI_TENSOR_FACTOR_EIGH)
        t.g.k.flags |= PADICI_GPU_TENSOR_FACTOR_HERMITIAN;
    memcpy(&c->params, &t.g.k, sizeof t.g.k);
    return result;
}

static padic_result padici_test_factor_svd(padici_gpu_case *c)
{
    return padici_test_factor_case(c, PADICI_TENSOR_FACTOR_SVD, 0, 7);
}

static padic_result padici_test_factor_qr(padici_gpu_case *c)
{
    return padici_test_factor_case(c, PADICI_TENSOR_FACTOR_QR, 0, 7);
}

static padic_result padici_test_factor_eigh(padici_gpu_case *c)
{
    return padici_test_factor_case(c, PADICI_TENSOR_FACTOR_EIGH, 0, 7);
}

// Singular values with vectors; Hermitian matrices where the kernel has no V.
static padic_result padici_test_cuda_factor(padici_gpu_case *c)
{
    const int vectors = padici_gpu_define(c, "PD_FACTOR_VECTORS", 1) != 0;
    const int is_small = c->kernel == (PADICI_KERNEL_CUDA_FACTOR_SMALL & 0xffffu);
    const uint32_t items = padici_gpu_define(c, "PD_FACTOR_ITEMS", 256);
    return padici_test_factor_case(
        c, vectors ? PADICI_TENSOR_FACTOR_SVD : PADICI_TENSOR_FACTOR_EIGH, 1,
        is_small          ? 14
        : items == 256 ? 40
                       : 20);
}

// For the kernels of entropies: whole numbers, whose sums are exact. Buffer i, of `count` elements
// in the kernel's type.
static void *padici_test_factor_buffer(padici_gpu_case *c, uint32_t i, uint32_t fill,
                                       uint32_t count, double bound)
{
    const int wide = padici_gpu_define(c, "PD_FACTOR_F64", 0) != 0;
    return padici_gpu_make(c, i, fill, wide ? PADIC_F64 : PADIC_F32, count, bound);
}

// 5 rows, 6 columns of 3 x 2; the state in F32, then in F64 where the kernel works in that.
static padic_result padici_test_factor_cut(padici_gpu_case *c)
{
    static const int32_t at[10] = {0, 3, 6, 9, 12, 0, 17, 34, 0, 50};
    const uint32_t parts = padici_gpu_define(c, "PD_FACTOR_PARTS", 2);
    const uint32_t is_double = padici_gpu_define(c, "PD_FACTOR_F64", 0), wide = c->round;
    padici_k_factor_cut_params k;
    unsigned char *state =
        (unsigned char *)padici_gpu_image(c, 0, 8 + (wide ? 8u : 4u) * 97 * parts);
    void *x = padici_test_factor_buffer(c, 2, PADICI_FILL_BYTES | PADICI_FILL_OUT, 30 * parts, 0);
    uint32_t i;
    for (i = 0; i < 97 * parts; i++)
        padici_test_factor_set(state + 8, i, (int)wide, (double)i - 50);
    memcpy(c->buffers[1].image, at, sizeof at);
    for (i = 0; i < 30 * parts; i++) {
        const uint32_t p = i % parts, row = i / parts % 5, column = i / parts / 5;
        const int32_t from = at[row] + at[5 + column / 2] + at[8 + column % 2];
        padici_test_factor_set(x, i, (int)is_double, (double)((uint32_t)from * parts + p) - 50);
    }
    k.first = 2;
    k.rows = 5;
    k.columns = 6;
    k.low = 2;
    k.wide = wide;
    memcpy(&c->params, &k, sizeof k);
    c->again = is_double && !c->round;
    return PADIC_OK;
}

// 19 rows, 37 columns in parts of 32: for each the product with its adjoint.
static padic_result padici_test_factor_gram(padici_gpu_case *c)
{
    enum { R = 19, C = 37 };
    const int is_double = padici_gpu_define(c, "PD_FACTOR_F64", 0) != 0;
    const uint32_t parts = padici_gpu_define(c, "PD_FACTOR_PARTS", 2);
    const padic_dtype dtype = parts == 1 ? is_double ? PADIC_F64 : PADIC_F32
                              : is_double ? PADIC_C128 : PADIC_C64;
    padici_k_factor_gram_params k;
    padic_tensor_gemm_desc desc;
    uint32_t part, size = padic_dtype_size(dtype);
    padic_result result = PADIC_OK;
    char *x = (char *)padici_test_factor_buffer(c, 0, PADICI_FILL_WHOLE, R * C * parts, 0);
    char *out = (char *)padici_test_factor_buffer(c, 1, PADICI_FILL_BYTES | PADICI_FILL_OUT,
                                                  2 * R * R * parts, 0.25); // a zero may be -0
    memset(&desc, 0, sizeof desc);
    desc.op_a = PADIC_TENSOR_OP_T;
    desc.op_b = PADIC_TENSOR_OP_CONJ;
    desc.alpha[0] = 1;
    for (part = 0; part < 2 && !result; part++) {
        desc.a = desc.b = padic_tensor_2d(dtype, x + part * 32 * R * size, part ? C - 32 : 32, R);
        desc.c = padic_tensor_2d(dtype, out + part * R * R * size, R, R);
        result = padici_tensor_gemm_host(NULL, &desc);
    }
    k.rows = R;
    k.columns = C;
    k.part = 32;
    memcpy(&c->params, &k, sizeof k);
    c->groups[1] = 2;
    return result;
}

static padic_result padici_test_factor_add(padici_gpu_case *c)
{
    enum { COUNT = 131, PARTS = 5 };
    const int is_double = padici_gpu_define(c, "PD_FACTOR_F64", 0) != 0;
    padici_k_factor_add_params k;
    void *x = padici_test_factor_buffer(c, 0, PADICI_FILL_BYTES, COUNT * PARTS, 0);
    void *out = padici_test_factor_buffer(c, 1, PADICI_FILL_BYTES | PADICI_FILL_OUT, COUNT, 0);
    uint32_t i;
    double sum[COUNT] = {0};
    for (i = 0; i < COUNT * PARTS; i++) {
        padici_test_factor_set(x, i, is_double, i % 97 + 1.0);
        padici_test_factor_set(out, i % COUNT, is_double, sum[i % COUNT] += i % 97 + 1.0);
    }
    k.count = COUNT;
    k.parts = PARTS;
    memcpy(&c->params, &k, sizeof k);
    return PADIC_OK;
}

PADICI_FN const padici_gpu_test *padici_tests_factor(void)
{
    static const padici_gpu_test rows[] = {
        {PADICI_KERNEL_FACTOR_SVD, 2, 2, padici_test_factor_svd, {PADICI_TEST_NONE}},
        {PADICI_KERNEL_FACTOR_QR, 2, 2, padici_test_factor_qr, {PADICI_TEST_NONE}},
        {PADICI_KERNEL_FACTOR_EIGH, 2, 2, padici_test_factor_eigh, {PADICI_TEST_NONE}},
        {PADICI_KERNEL_CUDA_FACTOR_COLUMNS, 2, 2, padici_test_cuda_factor, {PADICI_TEST_NONE}},
        {PADICI_KERNEL_CUDA_FACTOR_SMALL, 2, 2, padici_test_cuda_factor, {PADICI_TEST_NONE}},
        {PADICI_KERNEL_FACTOR_CUT, 2, 1, padici_test_factor_cut,
         {PADICI_TEST_NONE, PADICI_TEST_IN(BYTES, PADIC_I32, 10)}},
        {PADICI_KERNEL_FACTOR_GRAM, 1, 3, padici_test_factor_gram, {PADICI_TEST_NONE}},
        {PADICI_KERNEL_FACTOR_ADD, 1, 1, padici_test_factor_add, {PADICI_TEST_NONE}},
        PADICI_TESTS_END};
    return rows;
}

#undef PADICI_TEST_FACTOR_BATCH

#endif
