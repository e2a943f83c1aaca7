// test_rollout_run.c: rollouts against closed forms: symbols of linear operators on periodic grids,
// shifts, equivariance, limits of the policies, failures at a known step; outputs against each
// other, bit by bit.
#define PADIC_IMPLEMENTATION
#include "../../padic.h"
#include "../../backends/padic_simd.h"
#include "../../backends/padic_threads.h"
#include "../support/padic_test.h"
#include "../support/contexts.h"

#include <math.h>

#define U 5.9604644775390625e-8 // 2^-24

static padic_rollout_node nodes[16];

static float uniform(void)
{
    return padic_random_symmetric((uint32_t)(test_random() >> 32));
}

static float *fresh(uint64_t count)
{
    float *p = (float *)calloc((size_t)count + 1, sizeof(float));
    if (!p) exit(1);
    for (uint64_t i = 0; i < count; i++) p[i] = uniform();
    return p;
}

// One convolution without norm and activation, C channels to as many; its bias is the last C
// weights.
static padic_rollout_operator linear(uint32_t c, uint32_t kernel, uint32_t height, uint32_t width)
{
    padic_rollout_operator op = PADIC_ZERO;
    memset(nodes, 0, sizeof nodes);
    nodes[0].kernel = kernel;
    nodes[0].norm = PADIC_ROLLOUT_NORM_NONE;
    nodes[0].act = PADIC_ROLLOUT_ACT_NONE;
    nodes[0].boundary = PADIC_ROLLOUT_BOUNDARY_PERIODIC;
    op.nodes = nodes;
    op.count = 1;
    op.channels = c;
    op.height = height;
    op.width = width;
    return op;
}

static uint64_t parameters(const padic_rollout_operator *op)
{
    padic_rollout_operator_report report = PADIC_ZERO;
    CHECK_EQ(padic_rollout_operator_info(NULL, op, &report), PADIC_OK);
    return report.parameters;
}

static padic_rollout_run_desc run_of(const padic_rollout_operator *op, float *weights, uint64_t n,
                                     float *initial, uint64_t i, uint32_t steps)
{
    const uint64_t shape[4] = {i, op->channels, op->height, op->width};
    padic_rollout_run_desc run = PADIC_ZERO;
    run.op = *op;
    run.weights = padic_tensor_2d(PADIC_F32, weights, n, parameters(op));
    run.initial = padic_tensor_nd(PADIC_F32, initial, 4, shape);
    run.steps = steps;
    return run;
}

static void out_of(padic_rollout_run_desc *run, float *out, uint64_t frames)
{
    const uint64_t shape[7] = {run->weights.shape[0], run->initial.shape[0],
                               run->realisations ? run->realisations : 1, frames,
                               run->initial.shape[1], run->initial.shape[2],
                               run->initial.shape[3]};
    run->out = padic_tensor_nd(PADIC_F32, out, 7, shape);
}

static void last_of(padic_rollout_run_desc *run, float *out)
{
    run->output = PADIC_ROLLOUT_OUTPUT_LAST;
    out_of(run, out, 1);
}

// The transform of (C, N, N) fields, by direct sums.
static void spectrum(const double *x, uint32_t c, uint32_t n, double sign, const double *imag,
                     double *re, double *im)
{
    for (uint32_t qy = 0; qy < n; qy++)
        for (uint32_t qx = 0; qx < n; qx++)
            for (uint32_t k = 0; k < c; k++) {
                double a = 0, b = 0;
                for (uint32_t y = 0; y < n; y++)
                    for (uint32_t z = 0; z < n; z++) {
                        const double phase = sign * 2 * acos(-1.0) * ((qy * y + qx * z) % n) / n;
                        const uint32_t at = (k * n + y) * n + z;
                        a += x[at] * cos(phase) - (imag ? imag[at] * sin(phase) : 0);
                        b += x[at] * sin(phase) + (imag ? imag[at] * cos(phase) : 0);
                    }
                re[(k * n + qy) * n + qx] = a;
                im[(k * n + qy) * n + qx] = b;
            }
}

// R3: X_T = (I + dt A)^(T-1) X_0, or (alpha I + (1 - alpha) A)^(T-1) X_0, mode by mode, with
// A(q) = sum w e^(2 pi i q (d - p)/N).
TEST(symbol)
{
    enum { C = 2, N = 8, K = 3, CELLS = C * N * N };
    contexts_begin(0);
    for (uint32_t turn = 0; turn < 2 * context_count; turn++) {
        const int convex = turn % 2 == 1;
        const uint32_t steps = convex ? 50 : 500;
        padic_rollout_operator op = linear(C, K, N, N);
        float *w = fresh(C * C * K * K + C), *x0 = fresh(CELLS), *got = fresh(CELLS);
        float alpha = 0.9f;
        double x[CELLS], re[CELLS], im[CELLS], back[CELLS], wrong[CELLS], error = 0, norm = 0;
        for (int i = 0; i < C * C * K * K; i++) w[i] *= 0.3f;
        for (int i = 0; i < C; i++) w[C * C * K * K + i] = 0;
        padic_rollout_run_desc run = run_of(&op, w, 1, x0, 1, steps);
        run.policy = convex ? PADIC_ROLLOUT_POLICY_CONVEX : PADIC_ROLLOUT_POLICY_RESIDUAL;
        if (convex) run.parameter = padic_tensor_1d(PADIC_F32, &alpha, 1); // else dt = 0.01
        last_of(&run, got);
        CHECK_EQ(padic_rollout_run(contexts[turn / 2], &run), PADIC_OK);
        for (int i = 0; i < CELLS; i++) x[i] = (double)x0[i];
        spectrum(x, C, N, -1, NULL, re, im);
        for (uint32_t q = 0; q < N * N; q++) {
            double a[C][C][2] = {{{0}}}, v[C][2];
            const double keep = convex ? (double)alpha : 1, take = convex ? 1 - keep : 0.01;
            for (uint32_t o = 0; o < C; o++)
                for (uint32_t i = 0; i < C; i++)
                    for (int dy = 0; dy < K; dy++)
                        for (int dx = 0; dx < K; dx++) {
                            const double phase = 2 * acos(-1.0) / (int)N *
                                                 ((int)(q / N) * (dy - 1) +
                                                  (int)(q % N) * (dx - 1));
                            const double f = (double)w[((o * C + i) * K + (uint32_t)dy) * K +
                                                       (uint32_t)dx];
                            a[o][i][0] += f * cos(phase);
                            a[o][i][1] += f * sin(phase);
                        }
            for (uint32_t c = 0; c < C; c++)
                v[c][0] = re[c * N * N + q], v[c][1] = im[c * N * N + q];
            for (uint32_t t = 1; t < steps; t++) {
                double next[C][2];
                for (uint32_t o = 0; o < C; o++) {
                    next[o][0] = keep * v[o][0];
                    next[o][1] = keep * v[o][1];
                    for (uint32_t i = 0; i < C; i++) {
                        next[o][0] += take * (a[o][i][0] * v[i][0] - a[o][i][1] * v[i][1]);
                        next[o][1] += take * (a[o][i][0] * v[i][1] + a[o][i][1] * v[i][0]);
                    }
                }
                memcpy(v, next, sizeof v);
            }
            for (uint32_t c = 0; c < C; c++)
                re[c * N * N + q] = v[c][0], im[c * N * N + q] = v[c][1];
        }
        spectrum(re, C, N, 1, im, back, wrong);
        for (int i = 0; i < CELLS; i++) {
            const double want = back[i] / (N * N);
            error += ((double)got[i] - want) * ((double)got[i] - want);
            norm += want * want;
        }
        CHECK(sqrt(error / norm) <= 1e-5);
        free(w), free(x0), free(got);
    }
    contexts_end();
}

// R4: a one-hot kernel that shifts, T = 500: bit by bit. CONVEX alpha = 1 and RESIDUAL dt = 0 keep
// X_0 (alpha multiplies the previous state, and 0 stays 0); CONVEX alpha = 0 is AUTOREGRESSIVE.
TEST(limits_of_policies)
{
    enum { H = 5, W = 7, CELLS = H * W };
    contexts_begin(0);
    for (uint32_t with = 0; with < context_count; with++) {
        padic_rollout_operator op = linear(1, 3, H, W);
        float w[10] = {0, 0, 0, 0, 0, 1, 0, 0, 0, 0}, *x0 = fresh(CELLS), *got = fresh(CELLS);
        float zero = 0, one = 1;
        x0[3] = -0.0f;
        padic_rollout_run_desc run = run_of(&op, w, 1, x0, 1, 500);
        last_of(&run, got);
        CHECK_EQ(padic_rollout_run(contexts[with], &run), PADIC_OK);
        for (uint32_t i = 0; i < CELLS; i++) // Y[y, x] = X[y, x + 1]: 499 times
            CHECK_NEAR(got[i], x0[i / W * W + (i % W + 499) % W], 0);
        float *shifted = fresh(CELLS);
        memcpy(shifted, got, CELLS * 4);
        run.policy = PADIC_ROLLOUT_POLICY_CONVEX;
        run.parameter = padic_tensor_1d(PADIC_F32, &one, 1);
        CHECK_EQ(padic_rollout_run(contexts[with], &run), PADIC_OK);
        CHECK(!memcmp(got, x0, CELLS * 4));
        run.parameter.data = &zero;
        CHECK_EQ(padic_rollout_run(contexts[with], &run), PADIC_OK);
        CHECK(!memcmp(got, shifted, CELLS * 4));
        run.policy = PADIC_ROLLOUT_POLICY_RESIDUAL;
        CHECK_EQ(padic_rollout_run(contexts[with], &run), PADIC_OK);
        CHECK(!memcmp(got, x0, CELLS * 4));
        free(x0), free(got), free(shifted);
    }
    contexts_end();
}

// R5: CONVEX(alpha) of F is RESIDUAL(1 - alpha) of F - X, one step.
TEST(convex_is_residual)
{
    enum { C = 3, N = 9, CELLS = C * N * N, P = C * C * 9 + C };
    padic_rollout_operator op = linear(C, 3, N, N);
    float *w = fresh(P), *x0 = fresh(CELLS), *a = fresh(CELLS), *b = fresh(CELLS);
    double alpha = 0.3, dt = 0.7, most = 0;
    padic_rollout_run_desc run = run_of(&op, w, 1, x0, 1, 2);
    run.policy = PADIC_ROLLOUT_POLICY_CONVEX;
    run.parameter = padic_tensor_1d(PADIC_F64, &alpha, 1);
    last_of(&run, a);
    CHECK_EQ(padic_rollout_run(NULL, &run), PADIC_OK);
    for (uint32_t c = 0; c < C; c++) w[(c * C + c) * 9 + 4] -= 1;
    run.policy = PADIC_ROLLOUT_POLICY_RESIDUAL;
    run.parameter.data = &dt;
    run.out.data = b;
    CHECK_EQ(padic_rollout_run(NULL, &run), PADIC_OK);
    for (uint32_t i = 0; i < CELLS; i++)
        most = fmax(most, fabs((double)a[i] - 0.3 * (double)x0[i]) / 0.7); // |F|
    for (uint32_t i = 0; i < CELLS; i++) CHECK_NEAR(a[i], b[i], 8 * U * fmax(1, most));
    free(w), free(x0), free(a), free(b);
}

static padic_rollout_operator residual_net(uint32_t size, padic_rollout_norm norm, int boundary)
{
    padic_rollout_nodes_cnn_desc cnn = PADIC_ZERO;
    padic_rollout_operator op = linear(2, 3, size, size);
    cnn.channels = 2, cnn.width = 5, cnn.layers = 2, cnn.norm = norm;
    cnn.boundary = (padic_rollout_boundary)boundary;
    cnn.nodes = nodes, cnn.capacity = 16;
    op.count = padic_rollout_nodes_cnn(&cnn);
    return op;
}

// R6: on a periodic grid the output of a shifted field is the shifted output: bit by bit without
// norm. R7: of a flipped field with flipped kernels, the flipped output.
TEST(equivariance)
{
    enum { N = 12, CELLS = 2 * N * N };
    for (int norm = 0; norm < 2; norm++) {
        padic_rollout_operator op =
            residual_net(N, norm ? PADIC_ROLLOUT_NORM_INSTANCE : PADIC_ROLLOUT_NORM_NONE,
                         PADIC_ROLLOUT_BOUNDARY_PERIODIC);
        const uint64_t p = parameters(&op);
        float *w = fresh(p), *x = fresh(2 * CELLS), *y = fresh(2 * CELLS), *v = fresh(p);
        double rms = 0;
        padic_rollout_run_desc run = run_of(&op, w, 1, x, 2, 2);
        last_of(&run, y);
        for (uint32_t i = 0; i < CELLS; i++) // by 5 rows and 3 columns
            x[CELLS + i / (N * N) * N * N + (i / N % N + 5) % N * N + (i % N + 3) % N] = x[i];
        CHECK_EQ(padic_rollout_run(NULL, &run), PADIC_OK);
        for (uint32_t i = 0; i < CELLS; i++) rms += (double)y[i] * (double)y[i] / (int)CELLS;
        for (uint32_t i = 0; i < CELLS; i++)
            CHECK_NEAR(y[CELLS + i / (N * N) * N * N + (i / N % N + 5) % N * N + (i % N + 3) % N],
                       y[i], norm ? 5e-5 * sqrt(rms) : 0);
        padic_rollout_shape shapes[16];
        padic_rollout_operator_report report = PADIC_ZERO;
        report.shapes = shapes;
        CHECK_EQ(padic_rollout_operator_info(NULL, &op, &report), PADIC_OK);
        memcpy(v, w, (size_t)p * 4);
        for (uint32_t i = 0; i < op.count; i++) // columns of the 3 x 3 kernels
            for (uint64_t k = norm ? 0 : shapes[i].channels; // the biases, after the kernels
                 nodes[i].kernel != 1 && k < shapes[i].count; k += 3) {
                float *row = v + shapes[i].weights + k - (norm ? 0 : shapes[i].channels);
                const float kept = row[0];
                row[0] = row[2], row[2] = kept;
            }
        for (uint32_t i = 0; i < CELLS; i++) x[CELLS + i - i % N + (N - 1 - i % N)] = x[i];
        run.weights.data = v;
        memcpy(x, x + CELLS, CELLS * 4);
        float *flipped = fresh(2 * CELLS);
        run.out.data = flipped;
        CHECK_EQ(padic_rollout_run(NULL, &run), PADIC_OK);
        for (uint32_t i = 0; i < CELLS; i++)
            CHECK_NEAR(flipped[i - i % N + (N - 1 - i % N)], y[i], 5e-5 * sqrt(rms));
        free(w), free(x), free(y), free(v), free(flipped);
    }
}

// R7: weights of a convolution before a norm times 2 with eps times 4: bit by bit. R8: a constant
// field gives act(beta).
TEST(norms_by_identities)
{
    enum { N = 16, CELLS = 2 * N * N };
    padic_rollout_operator op = residual_net(N, PADIC_ROLLOUT_NORM_INSTANCE, 1);
    const uint64_t p = parameters(&op);
    float *w = fresh(p), *x = fresh(CELLS), *a = fresh(CELLS), *b = fresh(CELLS);
    padic_rollout_run_desc run = run_of(&op, w, 1, x, 1, 2);
    last_of(&run, a);
    nodes[0].eps = 1e-5f;
    CHECK_EQ(padic_rollout_run(NULL, &run), PADIC_OK);
    for (int i = 0; i < 2 * 5 * 9; i++) w[i] *= 2;
    nodes[0].eps = 4e-5f;
    run.out.data = b;
    CHECK_EQ(padic_rollout_run(NULL, &run), PADIC_OK);
    CHECK(!memcmp(a, b, CELLS * 4));
    op.count = 1;
    nodes[0].channels = 2;
    nodes[0].flags = PADIC_ROLLOUT_AFFINE;
    run = run_of(&op, w, 1, x, 1, 2);
    last_of(&run, a);
    for (int i = 0; i < CELLS; i++) x[i] = i < N * N ? 0.7f : -1.3f;
    CHECK_EQ(padic_rollout_run(NULL, &run), PADIC_OK);
    for (int i = 0; i < CELLS; i++) {
        const double beta = (double)w[2 * 2 * 9 + 2 + i / (N * N)];
        CHECK_NEAR(a[i], beta / 2 * erfc(-beta / sqrt(2.0)), 8 * U * 18 / sqrt(4e-5));
    }
    free(w), free(x), free(a), free(b);
}

// R15: MINMAX gives exactly 0 and 1, ZSCORE mean 0 and deviation 1, and a trajectory does not
// change when another one does.
TEST(post)
{
    enum { C = 2, N = 8, CELLS = C * N * N };
    for (int per = 0; per < 2; per++)
        for (int kind = 1; kind < 3; kind++) {
            padic_rollout_operator op = linear(C, 3, N, N);
            float *w = fresh(C * C * 9 + C), *x = fresh(2 * CELLS), *y = fresh(8 * CELLS);
            float *z = fresh(8 * CELLS);
            padic_rollout_run_desc run = run_of(&op, w, 1, x, 2, 4);
            run.post = (padic_rollout_post)kind;
            run.flags = per ? PADIC_ROLLOUT_POST_PER_CHANNEL : 0;
            out_of(&run, y, 4);
            CHECK_EQ(padic_rollout_run(NULL, &run), PADIC_OK);
            for (int f = 0; f < 8 * (per ? C : 1); f++) {
                const int count = per ? N * N : CELLS;
                const float *at = y + f * count;
                double low = 9, high = -9, mean = 0, square = 0;
                for (int i = 0; i < count; i++) {
                    low = fmin(low, (double)at[i]), high = fmax(high, (double)at[i]);
                    mean += (double)at[i] / count, square += (double)at[i] * (double)at[i] / count;
                }
                if (kind == 1) CHECK(!(low < 0) && !(low > 0) && !(high < 1) && !(high > 1));
                else CHECK(fabs(mean) <= 1e-5 && fabs(sqrt(square) - 1) <= 1e-5);
            }
            for (int i = 0; i < CELLS; i++) x[CELLS + i] = uniform(); // the other trajectory
            run.out.data = z;
            CHECK_EQ(padic_rollout_run(NULL, &run), PADIC_OK);
            CHECK(!memcmp(y, z, 16 * CELLS));
            CHECK(memcmp(y + 4 * CELLS, z + 4 * CELLS, 16 * CELLS) != 0);
            free(w), free(x), free(y), free(z);
        }
}

// R16: X doubles each step. A limit that is reached exactly is no failure.
TEST(blowups)
{
    enum { T = 140, CELLS = 4 };
    static float y[3][T][CELLS];
    padic_rollout_operator op = linear(1, 1, 2, 2);
    float w[2] = {2, 0}, x[3][CELLS] = {{0, 0, 0, 0}, {1, 0.5f, 0, -1}, {0, 0, 0, 0}};
    padic_rollout_status status[3];
    const uint64_t shape[4] = {1, 3, 1, 4};
    padic_context *context = NULL;
    padic_context_desc with = PADIC_ZERO;
    REQUIRE(padic_context_create(&with, &context) == PADIC_OK);
    for (int failure = 0; failure < 4; failure++)
        for (int limit = 0; limit < 3; limit++) {
            const uint32_t step = limit == 0 ? 128 : 7; // inf; above 100; above 64, 64 at 6
            padic_rollout_run_report report = PADIC_ZERO;
            padic_rollout_run_desc run = run_of(&op, w, 1, x[0], 3, T);
            run.failure = (padic_rollout_failure)failure;
            run.limit = limit == 0 ? 0 : limit == 1 ? 100 : 64;
            run.status = padic_tensor_nd(PADIC_U32, status, 4, shape);
            run.report = &report;
            out_of(&run, y[0][0], T);
            CHECK_EQ(padic_rollout_run(context, &run),
                     failure == PADIC_ROLLOUT_FAILURE_FAIL ? PADIC_ERROR_NOT_FINITE : PADIC_OK);
            if (failure == PADIC_ROLLOUT_FAILURE_FAIL)
                CHECK(strstr(padic_context_message(context),
                             step == 7 ? "operator 0, initial condition 1, realisation 0 has a "
                                         "number beyond the limit at step 7"
                                       : "at step 128") != NULL);
            CHECK(report.failed == 1 && report.initial == 1 && report.step == step);
            CHECK(!status[0].code && !status[2].code && status[0].last_good == T - 1);
            CHECK_EQ(status[1].code, limit ? PADIC_ROLLOUT_CODE_BLOWUP
                                           : PADIC_ROLLOUT_CODE_NOT_FINITE);
            CHECK(status[1].step == step && status[1].last_good == step - 1);
            for (uint32_t t = 0; t < T; t++) {
                const double power = ldexp(1, (int)t);
                for (int i = 0; i < CELLS; i++) CHECK_NEAR(y[0][t][i] + y[2][t][i], 0, 0);
                if (t < step || (failure == PADIC_ROLLOUT_FAILURE_REPORT && t < 128))
                    CHECK_NEAR(y[1][t][1], power / 2, 0);
                else if (failure == PADIC_ROLLOUT_FAILURE_FREEZE)
                    CHECK_NEAR(y[1][t][0], ldexp(1, (int)step - 1), 0);
                else if (failure != PADIC_ROLLOUT_FAILURE_REPORT)
                    CHECK(isnan(y[1][t][0]) && isnan(y[1][t][2]));
            }
        }
    x[2][1] = (float)NAN; // an initial condition: never silent
    padic_rollout_run_desc run = run_of(&op, w, 1, x[0], 3, 1);
    run.status = padic_tensor_nd(PADIC_U32, status, 4, shape);
    run.output = PADIC_ROLLOUT_OUTPUT_NONE;
    CHECK_EQ(padic_rollout_run(context, &run), PADIC_OK);
    CHECK(status[2].code == PADIC_ROLLOUT_CODE_NOT_FINITE && !status[2].step &&
          status[2].last_good == UINT32_MAX && !status[1].code);
    run.failure = PADIC_ROLLOUT_FAILURE_FAIL;
    CHECK_EQ(padic_rollout_run(context, &run), PADIC_ERROR_NOT_FINITE);
    padic_context_destroy(context);
}

// R13: EVERY and LAST against ALL, trajectories against others beside them, limits of memory,
// workers: the same bits. A trajectory is written at its own index.
TEST(outputs)
{
    enum { N = 3, I = 2, M = 2, T = 8, SIDE = 10, CELLS = 2 * SIDE * SIDE };
    contexts_begin(0);
    for (uint32_t with = 0; with < context_count; with++) {
        padic_rollout_operator op = residual_net(SIDE, PADIC_ROLLOUT_NORM_INSTANCE, 1);
        const uint64_t p = parameters(&op);
        float *w = fresh(N * p), *x = fresh(I * CELLS), *all = fresh(N * I * M * T * CELLS);
        float *some = fresh(N * I * M * T * CELLS), alpha[N] = {0.5f, 0.25f, 0};
        padic_rollout_run_report report = PADIC_ZERO;
        padic_rollout_run_desc run = run_of(&op, w, N, x, I, T);
        run.realisations = M;
        run.policy = PADIC_ROLLOUT_POLICY_CONVEX;
        run.parameter = padic_tensor_1d(PADIC_F32, alpha, N);
        run.report = &report;
        out_of(&run, all, T);
        CHECK_EQ(padic_rollout_run(contexts[with], &run), PADIC_OK);
        CHECK(report.batch == N * I * M && !report.failed);
        run.max_bytes = report.size - 1;
        run.output = PADIC_ROLLOUT_OUTPUT_EVERY;
        run.every = 3; // 0, 3, 6 and 7
        run.flags = PADIC_ROLLOUT_WITH_LAST;
        out_of(&run, some, 4);
        CHECK_EQ(padic_rollout_run(contexts[with], &run), PADIC_OK);
        CHECK(report.batch < N * I * M);
        for (uint32_t k = 0; k < N * I * M; k++)
            for (uint32_t f = 0; f < 4; f++)
                CHECK(!memcmp(some + (k * 4 + f) * CELLS,
                              all + (k * T + (f < 3 ? 3 * f : 7)) * CELLS, CELLS * 4));
        run.max_bytes = 1;
        CHECK_EQ(padic_rollout_run(contexts[with], &run), PADIC_ERROR_MEMORY);
        run = run_of(&op, w + 2 * p, 1, x + CELLS, 1, T); // operator 2, initial condition 1, alone
        last_of(&run, some);
        CHECK_EQ(padic_rollout_run(contexts[with], &run), PADIC_OK);
        CHECK(!memcmp(some, all + ((2 * I + 1) * M * T + T - 1) * CELLS, CELLS * 4));
        CHECK(!memcmp(some, all + (((2 * I + 1) * M + 1) * T + T - 1) * CELLS, CELLS * 4));
        free(w), free(x), free(all), free(some);
    }
    contexts_end();
}

static int stop_at_5(uint64_t done, uint64_t total, void *user)
{
    (void)total, (void)user;
    return done >= 5;
}

TEST(refused)
{
    enum { CELLS = 4 };
    padic_rollout_operator op = linear(1, 1, 2, 2);
    float w[2] = {1, 0}, x[CELLS] = {0}, y[CELLS], half = 0.5f, two = 2, none = (float)NAN;
    const padic_rollout_run_desc good = run_of(&op, w, 1, x, 1, 6);
    padic_rollout_run_desc run = good;
    padic_context_desc with = PADIC_ZERO;
    padic_context *context = NULL;
    CHECK_EQ(padic_rollout_run(NULL, NULL), PADIC_ERROR_ARGUMENT);
    last_of(&run, y);
    const padic_rollout_run_desc fine = run;
    CHECK_EQ(padic_rollout_run(NULL, &run), PADIC_OK);
#define REFUSED(change, result)                                                                  \
    run = fine;                                                                                  \
    change;                                                                                      \
    CHECK_EQ(padic_rollout_run(NULL, &run), result)
    REFUSED(run.steps = 0, PADIC_ERROR_ARGUMENT);
    REFUSED(run.policy = (padic_rollout_policy)3, PADIC_ERROR_ARGUMENT);
    REFUSED(run.post = (padic_rollout_post)3, PADIC_ERROR_ARGUMENT);
    REFUSED(run.failure = (padic_rollout_failure)4, PADIC_ERROR_ARGUMENT);
    REFUSED(run.output = (padic_rollout_output)4, PADIC_ERROR_ARGUMENT);
    REFUSED(run.flags = 32, PADIC_ERROR_ARGUMENT);
    REFUSED(run.flags = PADIC_ROLLOUT_WITH_LAST, PADIC_ERROR_ARGUMENT);
    REFUSED(run.every = 2, PADIC_ERROR_ARGUMENT);
    REFUSED(run.limit = -1, PADIC_ERROR_ARGUMENT);
    REFUSED(run.limit = (double)NAN, PADIC_ERROR_ARGUMENT);
    REFUSED((run.flags = PADIC_ROLLOUT_CLAMP, run.lo = 1), PADIC_ERROR_ARGUMENT);
    REFUSED(run.parameter = padic_tensor_1d(PADIC_F32, &half, 1), PADIC_ERROR_ARGUMENT);
    REFUSED((run.policy = PADIC_ROLLOUT_POLICY_CONVEX,
             run.parameter = padic_tensor_1d(PADIC_F32, &two, 1)), PADIC_ERROR_ARGUMENT);
    REFUSED((run.policy = PADIC_ROLLOUT_POLICY_RESIDUAL,
             run.parameter = padic_tensor_1d(PADIC_F32, &none, 1)), PADIC_ERROR_ARGUMENT);
    REFUSED((run.policy = PADIC_ROLLOUT_POLICY_CONVEX,
             run.parameter = padic_tensor_1d(PADIC_F32, &half, 2)), PADIC_ERROR_MISMATCH);
    REFUSED(run.out.shape[3] = 2, PADIC_ERROR_MISMATCH);
    REFUSED(run.out.data = NULL, PADIC_ERROR_ARGUMENT);
    REFUSED(run.out.data = x, PADIC_ERROR_OVERLAP);
    REFUSED(run.output = PADIC_ROLLOUT_OUTPUT_NONE, PADIC_ERROR_ARGUMENT);
    REFUSED(run.initial.dtype = PADIC_F64, PADIC_ERROR_DTYPE);
    REFUSED(run.initial.shape[2] = 1, PADIC_ERROR_MISMATCH);
    REFUSED(nodes[0].channels = 2, PADIC_ERROR_MISMATCH); // another shape than the state's
    nodes[0].channels = 0;
    with.progress.step = stop_at_5;
    REQUIRE(padic_context_create(&with, &context) == PADIC_OK);
    run = fine;
    CHECK_EQ(padic_rollout_run(context, &run), PADIC_ERROR_CANCELLED);
    padic_context_destroy(context);
}

TEST_MAIN("test_rollout_run", CASE(symbol), CASE(limits_of_policies), CASE(convex_is_residual),
          CASE(equivariance), CASE(norms_by_identities), CASE(post), CASE(blowups),
          CASE(outputs), CASE(refused))
