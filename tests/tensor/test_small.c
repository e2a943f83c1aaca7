// Small products and contractions go a way of their own: the bytes of the long way, whatever the
// sizes, strides, factors and labels, without a context and with vectors; and what is wrong is
// refused as there.
#define PADIC_IMPLEMENT_NULL
#include "../support/inside.h"
#include "../../padic.h"
#include "../../backends/padic_simd.h"
#include "../support/padic_test.h"
#include <math.h>

static double small_number(void)
{
    const uint64_t r = test_random() % 24;
    return r == 0 ? 0 : r == 1 ? -0.0 : r == 2 ? 1e300 : r == 3 ? INFINITY : r == 4 ? NAN
           : (double)(int64_t)(test_random() >> 12) / 9007199254740992.0 - .2;
}

static void small_fill(padic_dtype dtype, void *data, size_t parts)
{
    for (size_t i = 0; i < parts; i++) {
        const double x = small_number();
        if (dtype == PADIC_F64 || dtype == PADIC_C128) ((double *)data)[i] = x;
        else ((float *)data)[i] = (float)x;
    }
}

// A view of at most 9 x 9 in the middle of `data`, of any strides.
static padic_tensor small_view(padic_dtype dtype, double *data, uint64_t rows, uint64_t columns,
                               int written)
{
    padic_tensor t = padic_tensor_2d(dtype, data + 500, rows, columns);
    const int64_t wide = (int64_t)(test_random() % 3);
    switch (test_random() % (written ? 3 : 5)) {
    case 1: t.stride[0] = (int64_t)columns + wide, t.stride[1] = 1; break;
    case 2: t.stride[0] = 1, t.stride[1] = (int64_t)rows + wide; break;
    case 3: t.stride[0] = -(int64_t)columns, t.stride[1] = test_random() % 2 ? 1 : 2; break;
    case 4: t.stride[0] = (int64_t)(test_random() % 2), t.stride[1] = -2; break;
    default: break;
    }
    return t;
}

static void small_labels(padic_tensor_contract_desc *desc, const padic_tensor_gemm_desc *gemm)
{
    padic_tensor *const t[3] = {&desc->a, &desc->b, &desc->c};
    uint8_t *const labels[3] = {desc->labels_a, desc->labels_b, desc->labels_c};
    desc->a = gemm->a, desc->b = gemm->b, desc->c = gemm->c, desc->math = gemm->math;
    desc->conj = (uint32_t)(test_random() % 4);
    memcpy(desc->alpha, gemm->alpha, sizeof desc->alpha);
    memcpy(desc->beta, gemm->beta, sizeof desc->beta);
    memcpy(labels[0], gemm->op_a & 3 && gemm->op_a < 3 ? "ki" : "ik", 2);
    memcpy(labels[1], gemm->op_b & 3 && gemm->op_b < 3 ? "jk" : "kj", 2);
    memcpy(labels[2], "ij", 2);
    for (int i = 0; i < 3; i++) {
        if (test_random() % 4 == 0 && t[i]->stride[0]) { // the axes the other way round
            const uint64_t shape = t[i]->shape[0];
            const int64_t stride = t[i]->stride[0];
            const uint8_t label = labels[i][0];
            t[i]->shape[0] = t[i]->shape[1], t[i]->shape[1] = shape;
            t[i]->stride[0] = t[i]->stride[1], t[i]->stride[1] = stride;
            labels[i][0] = labels[i][1], labels[i][1] = label;
        }
    }
    if (test_random() % 8 == 0) // something else: doubled, missing, a batch, sums of one alone
        labels[test_random() % 3][test_random() % 3] = (uint8_t) "ijk"[test_random() % 3];
}

enum { ROOM = 1200 };

// Bytes, but that a NaN is like any other.
static int same(padic_dtype dtype, const double *x, const double *y)
{
    for (int i = 0; i < ROOM; i++) {
        float f[2], g[2];
        if (!memcmp(x + i, y + i, 8) || (x[i] != x[i] && y[i] != y[i])) continue;
        memcpy(f, x + i, 8), memcpy(g, y + i, 8);
        if (dtype == PADIC_F64 || dtype == PADIC_C128) return 0;
        for (int p = 0; p < 2; p++)
            if (memcmp(f + p, g + p, 4) && (f[p] == f[p] || g[p] == g[p])) return 0;
    }
    return 1;
}

TEST(small)
{
    static const padic_dtype types[] = {PADIC_F64, PADIC_C128, PADIC_F32, PADIC_C64};
    static double a[ROOM], b[ROOM], c[ROOM], got[ROOM], want[ROOM];
    uint64_t quick[4] = {0, 0, 0, 0};
    padic_context *contexts[2]; // the reference; vectors
    padic_context_desc with = PADIC_ZERO;
    REQUIRE(!padic_context_create(NULL, &contexts[0]));
    with.backends[0] = padic_simd();
    REQUIRE(!padic_context_create(&with, &contexts[1]));
    for (int trial = 0; trial < test_amount(30000, 200000, 1000000); trial++) {
        const padic_dtype dtype = types[trial & 3];
        const uint64_t m = 1 + test_random() % 9, n = 1 + test_random() % 9;
        const uint64_t k = 1 + test_random() % 9;
        padic_tensor_gemm_desc gemm = PADIC_ZERO;
        padic_tensor_contract_desc contract = PADIC_ZERO;
        small_fill(dtype, a, ROOM), small_fill(dtype, b, ROOM), small_fill(dtype, c, ROOM);
        gemm.op_a = (padic_tensor_op)(trial >> 2 & 3);
        gemm.op_b = (padic_tensor_op)(trial >> 4 & 3);
        if (trial % 3) gemm.op_a = gemm.op_b = PADIC_TENSOR_OP_N;
        const int ta = gemm.op_a == PADIC_TENSOR_OP_T || gemm.op_a == PADIC_TENSOR_OP_C;
        const int tb = gemm.op_b == PADIC_TENSOR_OP_T || gemm.op_b == PADIC_TENSOR_OP_C;
        gemm.a = small_view(dtype, a, ta ? k : m, ta ? m : k, 0);
        gemm.b = small_view(dtype, b, tb ? n : k, tb ? k : n, 0);
        gemm.c = small_view(dtype, c, m, n, 1);
        if (test_random() % 2) gemm.alpha[0] = 1;
        if (test_random() % 8 == 0) gemm.alpha[0] = -.75;
        if (test_random() % 8 == 0) gemm.beta[0] = 1.5;
        if (test_random() % 16 == 0) gemm.alpha[1] = .25, gemm.beta[1] = .125;
        if (test_random() % 32 == 0) gemm.c.shape[0]++;
        if (test_random() % 32 == 0) gemm.c.data = a + 500 + test_random() % 3;
        if (test_random() % 32 == 0) gemm.b.data = (char *)gemm.b.data + 2;
        if (test_random() % 64 == 0) gemm.alpha[0] = NAN;
        small_labels(&contract, &gemm);
        for (int which = 0; which < 4; which++) {
            padic_context *context = which & 2 ? contexts[1] : NULL, *longer = contexts[which >> 1];
            padic_result result[2];
            char *const c_data = (char *)gemm.c.data;
            const int in_c = c_data >= (char *)c && c_data < (char *)(c + ROOM);
            if (!in_c && which) break; // refused, which the first round has seen
            for (int way = 0; way < 2; way++) {
                double *const to = way ? want : got;
                padic_tensor_gemm_desc g = gemm;
                padic_tensor_contract_desc d = contract;
                memcpy(to, c, sizeof c);
                if (in_c) g.c.data = d.c.data = (char *)to + (c_data - (char *)c);
                longer->tuning = (uint32_t)way; // 1: the long way
                result[way] = which & 1 ? padic_tensor_contract(way ? longer : context, &d)
                                        : padic_tensor_gemm(way ? longer : context, &g);
                longer->tuning = 0;
                if (way || result[0]) continue;
                quick[which] += which & 1 ? !padici_tensor_contract_quick(context, &d)
                                          : !padici_tensor_gemm_quick(context, &g);
                memcpy(to, c, sizeof c);
                (void)(which & 1 ? padic_tensor_contract(context, &d)
                                 : padic_tensor_gemm(context, &g));
            }
            CHECK_EQ(result[0], result[1]);
            CHECK(same(dtype, got, want));
        }
    }
    for (int which = 0; which < 4; which++)
        CHECK(quick[which] > (uint64_t)test_amount(100, 1000, 5000));
    padic_context_destroy(contexts[0]);
    padic_context_destroy(contexts[1]);
}

// In one call: a product, that of a matrix and a vector, a contraction.
TEST(short_ways)
{
    double a[2][3] = {{1, 2, 3}, {4, 5, 6}}, b[3][2] = {{1, 0}, {0, 1}, {1, 1}}, v[3] = {1, -1, 2};
    double c[2][2], w[2], t[2][2] = {{7, 7}, {7, 7}};
    const padic_tensor x = padic_tensor_2d(PADIC_F64, a, 2, 3);
    const padic_tensor y = padic_tensor_2d(PADIC_F64, b, 3, 2);
    CHECK_EQ(padic_tensor_multiply(NULL, x, y, padic_tensor_2d(PADIC_F64, c, 2, 2)), PADIC_OK);
    CHECK(c[0][0] == 4 && c[0][1] == 5 && c[1][0] == 10 && c[1][1] == 11);
    CHECK_EQ(padic_tensor_multiply(NULL, x, padic_tensor_1d(PADIC_F64, v, 3),
                                   padic_tensor_1d(PADIC_F64, w, 2)), PADIC_OK);
    CHECK(w[0] == 5 && w[1] == 11);
    CHECK_EQ(padic_tensor_contract_as(NULL, "ij,kj->ki", x, x,
                                      padic_tensor_2d(PADIC_F64, t, 2, 2)), PADIC_OK);
    CHECK(t[0][0] == 14 && t[0][1] == 32 && t[1][0] == 32 && t[1][1] == 77);
    CHECK_EQ(padic_tensor_contract_as(NULL, "ij,k", x, y, x), PADIC_ERROR_ARGUMENT);
    CHECK_EQ(padic_tensor_multiply(NULL, x, x, padic_tensor_2d(PADIC_F64, c, 2, 2)),
             PADIC_ERROR_MISMATCH);
}

TEST_MAIN("test_small", CASE(small), CASE(short_ways))
