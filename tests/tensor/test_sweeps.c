// What is said and kept when the sweeps of a factorisation are not enough: with one sweep in place
// of 30 (padici_tensor_z_jacobi) matrices that are not diagonal do not converge.
#define PADICI_TENSOR_SWEEPS 1u
#define PADIC_IMPLEMENT_TENSOR
#include "../support/inside.h"
#include "../../padic.h"
#include "../support/padic_test.h"
#include <math.h>

#define N 6

// Three matrices: diagonal, full, diagonal. The full one is symmetric.
static void fill(double a[3][N][N])
{
    memset(a, 0, 3 * sizeof *a);
    for (int i = 0; i < N; i++)
        for (int j = 0; j <= i; j++) {
            a[1][i][j] = a[1][j][i] = (double)(test_random() % 1000) / 500 - 1;
            a[0][i][i] = N - i, a[2][i][i] = 2 * (N - i);
        }
}

TEST(svd)
{
    static double a[3][N][N], u[3][N][N], vh[3][N][N], s[3][N];
    int32_t status[3];
    padic_tensor_svd_desc desc = PADIC_ZERO;
    padic_context *context;
    double worst = 0;
    REQUIRE(!padic_context_create(NULL, &context));
    fill(a);
    desc.a = padic_tensor_3d(PADIC_F64, a, 3, N, N);
    desc.u = padic_tensor_3d(PADIC_F64, u, 3, N, N);
    desc.vh = padic_tensor_3d(PADIC_F64, vh, 3, N, N);
    desc.s = padic_tensor_2d(PADIC_F64, s, 3, N);
    CHECK_EQ(padic_tensor_svd(context, &desc), PADIC_ERROR_DOMAIN);
    CHECK(strstr(padic_context_message(context), "matrix 1 did not converge") != NULL);
    for (int i = 0; i < N; i++) CHECK(s[0][i] == N - i && s[2][i] == 2 * (N - i));
    for (int i = 0; i < N; i++) // what there is so far is a decomposition, u is not orthogonal yet
        for (int j = 0; j < N; j++) {
            double sum = 0;
            for (int k = 0; k < N; k++) sum += u[1][i][k] * s[1][k] * vh[1][k][j];
            if (fabs(sum - a[1][i][j]) > worst) worst = fabs(sum - a[1][i][j]);
        }
    CHECK(worst < 1e-13);
    // By the tensor of results instead: no error, as of a call that nobody awaits.
    desc.status = padic_tensor_1d(PADIC_I32, status, 3);
    CHECK_EQ(padic_tensor_svd(context, &desc), PADIC_OK);
    CHECK(status[0] == PADIC_OK && status[1] == PADIC_ERROR_DOMAIN && status[2] == PADIC_OK);
    padic_context_destroy(context);
}

TEST(eigh)
{
    static double a[3][N][N], v[3][N][N], w[3][N];
    int32_t status[3];
    padic_tensor_eigh_desc desc = PADIC_ZERO;
    padic_context *context;
    double trace = 0, sum = 0;
    REQUIRE(!padic_context_create(NULL, &context));
    fill(a);
    desc.a = padic_tensor_3d(PADIC_F64, a, 3, N, N);
    desc.v = padic_tensor_3d(PADIC_F64, v, 3, N, N);
    desc.w = padic_tensor_2d(PADIC_F64, w, 3, N);
    CHECK_EQ(padic_tensor_eigh(context, &desc), PADIC_ERROR_DOMAIN);
    CHECK(strstr(padic_context_message(context), "matrix 1 did not converge") != NULL);
    desc.status = padic_tensor_1d(PADIC_I32, status, 3);
    CHECK_EQ(padic_tensor_eigh(context, &desc), PADIC_OK);
    CHECK(status[0] == PADIC_OK && status[1] == PADIC_ERROR_DOMAIN && status[2] == PADIC_OK);
    for (int i = 0; i < N; i++) CHECK(w[0][i] == i + 1 && w[2][i] == 2 * (i + 1));
    for (int i = 0; i < N; i++) trace += a[1][i][i], sum += w[1][i];
    CHECK_NEAR(sum, trace, 1e-13);
    padic_context_destroy(context);
}

// A spectrum that is not there is no entropy.
TEST(entropy)
{
    static double a[3][N][N];
    padic_tensor_entropy_report s = {7, 0, 0, 0};
    padic_tensor_entropy_desc desc = PADIC_ZERO;
    padic_context *context;
    REQUIRE(!padic_context_create(NULL, &context));
    fill(a);
    desc.state = padic_tensor_2d(PADIC_F64, a[1], N, N);
    desc.part = 1;
    desc.report = &s;
    CHECK_EQ(padic_tensor_entropy(context, &desc), PADIC_ERROR_DOMAIN);
    CHECK(strstr(padic_context_message(context), "no convergence") != NULL && s.von_neumann == 7);
    padic_context_destroy(context);
}

TEST_MAIN("test_sweeps", CASE(svd), CASE(eigh), CASE(entropy))
