// test_rollout_noise.c: NOISE nodes in evaluations and rollouts: against padic_rollout_noise(), the
// variances of sums of noise, correlations that must be 0, and all ways to split a batch.
#define PADIC_IMPLEMENTATION
#include "../../padic.h"
#include "../../backends/padic_simd.h"
#include "../../backends/padic_threads.h"
#include "../support/padic_test.h"
#include "../support/contexts.h"

#include <math.h>

static padic_rollout_node nodes[32];

static float *fresh(uint64_t count)
{
    float *p = (float *)calloc((size_t)count + 1, sizeof(float));
    if (!p) exit(1);
    for (uint64_t i = 0; i < count; i++)
        p[i] = padic_random_symmetric((uint32_t)(test_random() >> 32));
    return p;
}

static padic_rollout_operator list(uint32_t count, uint32_t c, uint32_t h, uint32_t w)
{
    padic_rollout_operator op = PADIC_ZERO;
    memset(nodes, 0, sizeof nodes);
    op.nodes = nodes, op.count = count, op.channels = c, op.height = h, op.width = w;
    return op;
}

static uint64_t parameters(const padic_rollout_operator *op)
{
    padic_rollout_operator_report report = PADIC_ZERO;
    CHECK_EQ(padic_rollout_operator_info(NULL, op, &report), PADIC_OK);
    return report.parameters;
}

// One node of noise is the operation, of its site, step and realisation: to the bit with vectors,
// to the rounding without. Schedules, correlation and step reach it (2.14, 2).
TEST(node_is_operation)
{
    enum { N = 2, B = 3, C = 17, H = 6, W = 10, CELLS = C * H * W };
    const uint64_t shape[5] = {N, B, C, H, W}, fields[4] = {B, C, H, W};
    const uint32_t ids[N] = {7, 3000000000u}, realisations[B] = {5, 6, 7};
    const double scale = 0.3, scales[N] = {0.3, 0.125};
    contexts_begin(0);
    for (uint32_t round = 0; round < 20; round++) {
        padic_rollout_operator op = list(1, C, H, W);
        padic_rollout_noise_law law = PADIC_ZERO;
        float *x = fresh(N * B * CELLS), *y = fresh(N * B * CELLS), *z = fresh(N * B * CELLS);
        double *xd = (double *)calloc(N * B * CELLS, 8), *yd = (double *)calloc(N * B * CELLS, 8);
        if (!xd || !yd) exit(1);
        for (uint32_t i = 0; i < N * B * CELLS; i++) xd[i] = (double)x[i];
        law.type = (padic_rollout_noise_type)(round % 4);
        law.schedule = (padic_rollout_noise_schedule)(round / 4 % 3);
        law.scale = &scale;
        law.period = 7;
        law.length = round >= 12 && law.type != PADIC_ROLLOUT_NOISE_DROPOUT ? 1.5 : 0;
        nodes[0].kind = PADIC_ROLLOUT_KIND_NOISE, nodes[0].noise = &law;
        padic_rollout_apply_desc apply = PADIC_ZERO;
        apply.op = op;
        apply.weights = padic_tensor_2d(PADIC_F32, x, N, 0);
        apply.state = padic_tensor_nd(PADIC_F32, x, 5, shape);
        apply.out = padic_tensor_nd(PADIC_F32, y, 5, shape);
        apply.seed = 0x123456789abcdefu + round;
        apply.ids = padic_tensor_1d(PADIC_U32, (void *)(uintptr_t)ids, N);
        apply.noise_ids = padic_tensor_1d(PADIC_U32, (void *)(uintptr_t)realisations, B);
        apply.noise_scale = padic_tensor_1d(PADIC_F64, (void *)(uintptr_t)scales, N);
        apply.step = 3 + round, apply.frames = 50;
        for (uint32_t n = 0; n < N; n++) {
            padic_rollout_noise_desc noise = PADIC_ZERO;
            noise.field = padic_tensor_nd(PADIC_F32, x + n * B * CELLS, 4, fields);
            noise.out = padic_tensor_nd(PADIC_F32, z + n * B * CELLS, 4, fields);
            noise.law = law;
            noise.law.scale = &scales[n];
            noise.seed = apply.seed, noise.id = ids[n], noise.realisation = 5, noise.site = 1;
            noise.step = apply.step, noise.frames = apply.frames;
            CHECK_EQ(padic_rollout_noise(NULL, &noise), PADIC_OK);
        }
        for (uint32_t with = 0; with < context_count; with++) {
            CHECK_EQ(padic_rollout_apply(contexts[with], &apply), PADIC_OK);
            if (with) CHECK(!memcmp(y, z, N * B * CELLS * 4));
            else
                for (uint32_t i = 0; i < N * B * CELLS; i++) CHECK_NEAR(y[i], z[i], 5e-7);
            if (!with) CHECK(memcmp(y, x, CELLS * 4) != 0);
        }
        apply.state = padic_tensor_nd(PADIC_F64, xd, 5, shape);
        apply.out = padic_tensor_nd(PADIC_F64, yd, 5, shape);
        CHECK_EQ(padic_rollout_apply(NULL, &apply), PADIC_OK);
        for (uint32_t i = 0; i < N * B * CELLS; i++) CHECK_NEAR(yd[i], z[i], 5e-7);
        apply.flags = PADIC_ROLLOUT_QUIET;
        CHECK_EQ(padic_rollout_apply(NULL, &apply), PADIC_OK);
        CHECK(!memcmp(xd, yd, N * B * CELLS * 8));
        free(x), free(y), free(z), free(xd), free(yd);
    }
    contexts_end();
}

// Output 0 of a convolution without weights, then noise: O = s n.
static padic_rollout_operator only_noise(const padic_rollout_noise_law *law, uint32_t size)
{
    padic_rollout_operator op = list(2, 1, size, size);
    nodes[0].kernel = 1;
    nodes[0].norm = PADIC_ROLLOUT_NORM_NONE;
    nodes[0].act = PADIC_ROLLOUT_ACT_NONE;
    nodes[1].kind = PADIC_ROLLOUT_KIND_NOISE, nodes[1].input = 1, nodes[1].noise = law;
    return op;
}

static double product(const float *a, const float *b, uint64_t n)
{
    double sum = 0;
    for (uint64_t i = 0; i < n; i++) sum += (double)a[i] * (double)b[i];
    return sum / (double)n;
}

// R12: Var(X_t - X_0) = s^2 t, where one stream for all steps gives t^2; with CONVEX the variance
// tends to s^2 (1 - alpha)/(1 + alpha). Steps, realisations and operators are not correlated: no
// stream is used again, none shifted in step (2.14, 1).
TEST(variances)
{
    enum { N = 2, M = 4, T = 33, SIDE = 64, CELLS = SIDE * SIDE, ALL = N * M };
    const uint64_t initial[4] = {1, 1, SIDE, SIDE}, frames[7] = {N, 1, M, T, 1, SIDE, SIDE};
    static float x0[CELLS];
    float *y = fresh((uint64_t)ALL * T * CELLS), w[2 * N] = {0}, one = 1, alpha = 0.6f;
    float parameter[N] = {1, 1};
    const double s = 0.25, n = (int)ALL * (int)CELLS, se = 5 / sqrt((int)CELLS);
    (void)one;
    for (int type = 0; type < 2; type++) { // GAUSSIAN, LAPLACE
        const double unit = s * s * (type ? 2 : 1);
        padic_rollout_noise_law law = PADIC_ZERO;
        law.scale = &s;
        law.type = (padic_rollout_noise_type)type;
        padic_rollout_run_desc run = PADIC_ZERO;
        run.op = only_noise(&law, SIDE);
        run.weights = padic_tensor_2d(PADIC_F32, w, N, 2);
        run.initial = padic_tensor_nd(PADIC_F32, x0, 4, initial);
        run.realisations = M, run.steps = T, run.seed = 99;
        run.policy = PADIC_ROLLOUT_POLICY_RESIDUAL;
        run.parameter = padic_tensor_1d(PADIC_F32, parameter, N);
        run.out = padic_tensor_nd(PADIC_F32, y, 7, frames);
        CHECK_EQ(padic_rollout_run(NULL, &run), PADIC_OK);
        for (uint32_t t = 1; t < T; t += t < 4 ? 1 : 7) {
            double sum = 0;
            for (uint32_t k = 0; k < ALL; k++)
                sum += product(y + (k * T + t) * CELLS, y + (k * T + t) * CELLS, CELLS) / (int)ALL;
            CHECK_NEAR(sum / (unit * t), 1, 5 * sqrt((2 + 3.0 * type / t) / n));
        }
        for (uint32_t k = 0; k < ALL; k++) // increments
            for (uint32_t t = T - 1; t > 0; t--)
                for (uint32_t i = 0; i < CELLS; i++)
                    y[(k * T + t) * CELLS + i] -= y[(k * T + t - 1) * CELLS + i];
        for (uint32_t k = 0; k < ALL; k++) {
            const float *a = y + (k * T + 5) * CELLS;
            for (uint32_t t = 6; t < 9; t++)
                CHECK_NEAR(product(a, a + (t - 5) * CELLS, CELLS) / unit, 0, se);
            for (uint32_t j = 0; j < k; j++) { // realisations, operators; the same or the next step
                CHECK_NEAR(product(a, y + (j * T + 5) * CELLS, CELLS) / unit, 0, se);
                CHECK_NEAR(product(a, y + (j * T + 6) * CELLS, CELLS) / unit, 0, se);
            }
        }
        parameter[0] = parameter[1] = alpha;
        run.policy = PADIC_ROLLOUT_POLICY_CONVEX;
        CHECK_EQ(padic_rollout_run(NULL, &run), PADIC_OK);
        double sum = 0;
        for (uint32_t k = 0; k < ALL; k++)
            sum += product(y + (k * T + T - 1) * CELLS, y + (k * T + T - 1) * CELLS, CELLS) /
                   (int)ALL;
        CHECK_NEAR(sum / (unit * (1 - 0.6) / (1 + 0.6)), 1, 5 * sqrt((2 + 3.0 * type) / n));
        parameter[0] = parameter[1] = 1;
    }
    free(y);
}

// Correlated noise couples no realisations (2.14, 4): covariance within a field, none between; and
// its variance over realisations is s^2 without scaling of each draw.
TEST(correlated)
{
    enum { M = 64, SIDE = 32, CELLS = SIDE * SIDE };
    const uint64_t initial[4] = {1, 1, SIDE, SIDE}, frames[7] = {1, 1, M, 1, 1, SIDE, SIDE};
    static float x0[CELLS], y[M][CELLS];
    float w[2] = {0};
    const double s = 0.5, ell = 2;
    padic_rollout_noise_law law = PADIC_ZERO;
    law.scale = &s, law.length = ell;
    padic_rollout_run_desc run = PADIC_ZERO;
    run.op = only_noise(&law, SIDE);
    run.weights = padic_tensor_2d(PADIC_F32, w, 1, 2);
    run.initial = padic_tensor_nd(PADIC_F32, x0, 4, initial);
    run.realisations = M, run.steps = 2, run.seed = 5;
    run.output = PADIC_ROLLOUT_OUTPUT_LAST;
    run.out = padic_tensor_nd(PADIC_F32, y, 7, frames);
    CHECK_EQ(padic_rollout_run(NULL, &run), PADIC_OK);
    // About CELLS / (4 pi ell^2) independent values a field.
    const double each = (int)CELLS / (4 * 3.14159265 * ell * ell);
    for (uint32_t shift = 0; shift < 5; shift += 2) {
        double sum = 0;
        for (uint32_t m = 0; m < M; m++)
            for (uint32_t i = 0; i < CELLS; i++)
                sum += (double)y[m][i] * (double)y[m][i / SIDE * SIDE + (i + shift) % SIDE];
        CHECK_NEAR(sum / (int)(M * CELLS) / (s * s),
                   exp(-(double)(shift * shift) / (2 * ell * ell)),
                   5 * sqrt(2 / ((int)M * each)));
    }
    for (uint32_t m = 1; m < M; m++)
        CHECK_NEAR(product(y[0], y[m], CELLS) / (s * s), 0, 5 / sqrt(each));
}

static padic_rollout_operator noisy_net(const padic_rollout_noise_law *law,
                                        padic_rollout_noise_site site, uint32_t size)
{
    padic_rollout_nodes_cnn_desc cnn = PADIC_ZERO;
    padic_rollout_operator op = list(0, 2, size, size);
    cnn.channels = 2, cnn.width = 5, cnn.layers = 2, cnn.nodes = nodes, cnn.capacity = 32;
    cnn.site = site, cnn.noise = law;
    op.count = padic_rollout_nodes_cnn(&cnn);
    return op;
}

// The site of noise is before the last convolution, or after it.
TEST(sites)
{
    padic_rollout_nodes_cnn_desc cnn = PADIC_ZERO;
    padic_rollout_noise_law law = PADIC_ZERO;
    padic_rollout_operator op = noisy_net(&law, PADIC_ROLLOUT_NOISE_HIDDEN, 8);
    CHECK_EQ(op.count, 5);
    CHECK(nodes[3].kind == PADIC_ROLLOUT_KIND_NOISE && nodes[3].input == 3 &&
          nodes[3].noise == &law && nodes[4].input == 4 && nodes[4].kernel == 1);
    op = noisy_net(&law, PADIC_ROLLOUT_NOISE_OUTPUT, 8);
    CHECK(op.count == 5 && nodes[4].kind == PADIC_ROLLOUT_KIND_NOISE && nodes[4].input == 4);
    op = noisy_net(NULL, PADIC_ROLLOUT_NOISE_NONE, 8);
    CHECK_EQ(op.count, 4);
    cnn.width = 4, cnn.layers = 1;
    CHECK_EQ(padic_rollout_nodes_cnn(&cnn), 3);
    cnn.noise = &law; // a law that goes nowhere
    CHECK_EQ(padic_rollout_nodes_cnn(&cnn), 0);
    cnn.site = (padic_rollout_noise_site)3;
    CHECK_EQ(padic_rollout_nodes_cnn(&cnn), 0);
}

// Signatures know the law (2.14, 2).
TEST(signatures)
{
    const double scale = 0.02;
    padic_rollout_operator_report report[6];
    memset(report, 0, sizeof report);
    for (int i = 0; i < 6; i++) {
        padic_rollout_noise_law law = PADIC_ZERO;
        padic_rollout_operator op = noisy_net(&law, PADIC_ROLLOUT_NOISE_HIDDEN, 8);
        if (i == 1) law.type = PADIC_ROLLOUT_NOISE_LAPLACE;
        if (i == 2) law.schedule = PADIC_ROLLOUT_NOISE_PERIODIC;
        if (i == 3) law.scale = &scale;
        if (i == 4) law.length = 2;
        if (i == 5) nodes[3].noise = NULL; // all defaults, as case 0
        CHECK_EQ(padic_rollout_operator_info(NULL, &op, &report[i]), PADIC_OK);
        for (int j = 0; j < i; j++)
            CHECK((report[i].signature == report[j].signature) == (i == 5 && !j));
    }
}


// R13 with noise: operators, initial conditions and realisations one by one in another order, by
// their ids; limits of memory, workers, other outputs: the same bits. Realisations differ, initial
// conditions of one realisation have the same noise unless noise_ids says otherwise.
TEST(splits)
{
    enum { N = 2, I = 2, M = 3, T = 4, SIDE = 12, CELLS = 2 * SIDE * SIDE, ALL = N * I * M };
    contexts_begin(0);
    for (uint32_t round = 0; round < 2 * context_count; round++) {
        padic_context *context = contexts[round / 2];
        const double s = 0.1;
        const uint64_t initial[4] = {I, 2, SIDE, SIDE}, frames[7] = {N, I, M, T, 2, SIDE, SIDE};
        const uint64_t one[4] = {1, 2, SIDE, SIDE}, last[7] = {1, 1, 1, 1, 2, SIDE, SIDE};
        padic_rollout_noise_law law = PADIC_ZERO;
        law.scale = &s;
        law.length = round % 2 ? 1.5 : 0;
        padic_rollout_operator op = noisy_net(&law, PADIC_ROLLOUT_NOISE_HIDDEN, SIDE);
        const uint64_t p = parameters(&op);
        float *w = fresh(N * p), *x = fresh(I * CELLS), *y = fresh(ALL * T * CELLS);
        float *z = fresh(ALL * T * CELLS);
        uint32_t noise_ids[I][M] = {{4, 9, 2}, {7, 4, 0}}, ids[N] = {11, 5};
        padic_rollout_run_report report = PADIC_ZERO;
        padic_rollout_run_desc run = PADIC_ZERO;
        run.op = op;
        run.weights = padic_tensor_2d(PADIC_F32, w, N, p);
        run.initial = padic_tensor_nd(PADIC_F32, x, 4, initial);
        run.realisations = M, run.steps = T, run.seed = 77;
        run.out = padic_tensor_nd(PADIC_F32, y, 7, frames);
        run.ids = padic_tensor_1d(PADIC_U32, ids, N);
        run.noise_ids = padic_tensor_2d(PADIC_U32, noise_ids, I, M);
        run.report = &report;
        CHECK_EQ(padic_rollout_run(context, &run), PADIC_OK);
        const uint64_t size = report.size;
        run.max_bytes = size - 1;
        run.out.data = z;
        CHECK_EQ(padic_rollout_run(context, &run), PADIC_OK);
        CHECK(report.batch < ALL && report.size < size);
        CHECK(!memcmp(y, z, ALL * T * CELLS * 4));
        for (uint32_t k = ALL; k-- > 0;) {
            const uint32_t n = k / (I * M), i = k / M % I, m = k % M;
            padic_rollout_run_desc part = run;
            part.max_bytes = 0, part.report = NULL;
            part.weights = padic_tensor_2d(PADIC_F32, w + n * p, 1, p);
            part.initial = padic_tensor_nd(PADIC_F32, x + i * CELLS, 4, one);
            part.realisations = 1;
            part.ids = padic_tensor_1d(PADIC_U32, &ids[n], 1);
            part.noise_ids = padic_tensor_2d(PADIC_U32, &noise_ids[i][m], 1, 1);
            part.output = PADIC_ROLLOUT_OUTPUT_LAST;
            part.out = padic_tensor_nd(PADIC_F32, z, 7, last);
            CHECK_EQ(padic_rollout_run(context, &part), PADIC_OK);
            CHECK(!memcmp(z, y + (k * T + T - 1) * CELLS, CELLS * 4));
        }
        CHECK(memcmp(y + CELLS, y + (T + 1) * CELLS, CELLS * 4) != 0); // realisations
        { // a plan, step by step, has the same
            padic_rollout_plan_desc plan_of = PADIC_ZERO;
            padic_rollout_plan_step_desc step = PADIC_ZERO;
            const uint64_t states[6] = {N, I, M, 2, SIDE, SIDE};
            plan_of.run = run, plan_of.run.max_bytes = 0, plan_of.run.report = NULL;
            memset(&plan_of.run.out, 0, sizeof plan_of.run.out);
            CHECK_EQ(padic_rollout_plan_create(context, &plan_of, &step.plan), PADIC_OK);
            for (uint32_t t = 1; t < T; t++) {
                step.out = padic_tensor_nd(PADIC_F32, z, 6, states);
                CHECK_EQ(padic_rollout_plan_step(context, &step), PADIC_OK);
                for (uint32_t k = 0; k < ALL; k++)
                    CHECK(!memcmp(z + k * CELLS, y + (k * T + t) * CELLS, CELLS * 4));
            }
            padic_rollout_plan_destroy(step.plan);
        }
        memcpy(x + CELLS, x, CELLS * 4); // the same initial condition twice
        run.max_bytes = 0, run.out.data = y;
        CHECK_EQ(padic_rollout_run(context, &run), PADIC_OK);
        CHECK(!memcmp(y, y + (M + 1) * T * CELLS, T * CELLS * 4)); // realisation 4 of both
        CHECK(memcmp(y, y + M * T * CELLS, T * CELLS * 4) != 0);   // 4 and 7
        memset(&run.noise_ids, 0, sizeof run.noise_ids);
        CHECK_EQ(padic_rollout_run(context, &run), PADIC_OK);
        CHECK(!memcmp(y, y + M * T * CELLS, M * T * CELLS * 4));
        run.seed++; // the seed is used
        run.out.data = z;
        CHECK_EQ(padic_rollout_run(context, &run), PADIC_OK);
        CHECK(memcmp(y + CELLS, z + CELLS, CELLS * 4) != 0);
        free(w), free(x), free(y), free(z);
    }
    contexts_end();
}

TEST(refused)
{
    enum { SIDE = 4, CELLS = SIDE * SIDE };
    const uint64_t initial[4] = {1, 1, SIDE, SIDE}, frames[7] = {1, 1, 1, 1, 1, SIDE, SIDE};
    const uint64_t state[5] = {1, 1, 1, SIDE, SIDE};
    float x[CELLS] = {0}, y[CELLS], w[2] = {0};
    double s = 0.5, bad = -1, whole = 1;
    const uint32_t four = 4;
    uint32_t id = 1u << 20;
    padic_rollout_noise_law law = PADIC_ZERO, kept;
    padic_rollout_run_desc fine = PADIC_ZERO, run;
    padic_rollout_apply_desc apply = PADIC_ZERO;
    padic_context_desc with = PADIC_ZERO;
    padic_context *context = NULL;
    REQUIRE(padic_context_create(&with, &context) == PADIC_OK);
    law.scale = &s;
    kept = law;
    fine.op = only_noise(&law, SIDE);
    fine.weights = padic_tensor_2d(PADIC_F32, w, 1, 2);
    fine.initial = padic_tensor_nd(PADIC_F32, x, 4, initial);
    fine.steps = 2;
    fine.output = PADIC_ROLLOUT_OUTPUT_LAST;
    fine.out = padic_tensor_nd(PADIC_F32, y, 7, frames);
    run = fine;
    CHECK_EQ(padic_rollout_run(context, &run), PADIC_OK);
#define REFUSED(change, result, word)                                                            \
    run = fine, law = kept;                                                                      \
    change;                                                                                      \
    CHECK_EQ(padic_rollout_run(context, &run), result);                                          \
    CHECK(strstr(padic_context_message(context), word) != NULL)
    REFUSED(memcpy(&law.type, &four, sizeof four), PADIC_ERROR_ARGUMENT, "node 2");
    REFUSED(law.scale = &bad, PADIC_ERROR_ARGUMENT, "noise");
    REFUSED((law.scale = &whole, law.type = PADIC_ROLLOUT_NOISE_DROPOUT), PADIC_ERROR_ARGUMENT,
            "node 2");
    REFUSED((law.length = 1, law.type = PADIC_ROLLOUT_NOISE_DROPOUT), PADIC_ERROR_ARGUMENT,
            "length");
    REFUSED(law.period = (double)NAN, PADIC_ERROR_ARGUMENT, "period");
    REFUSED(run.noise_scale = padic_tensor_1d(PADIC_F64, &bad, 1), PADIC_ERROR_ARGUMENT,
            "noise_scale");
    REFUSED(run.noise_scale = padic_tensor_1d(PADIC_F64, &s, 2), PADIC_ERROR_MISMATCH,
            "noise_scale");
    REFUSED(run.noise_scale = padic_tensor_1d(PADIC_U32, &id, 1), PADIC_ERROR_DTYPE,
            "noise_scale");
    REFUSED(run.noise_ids = padic_tensor_2d(PADIC_U32, &id, 1, 1), PADIC_ERROR_LIMIT,
            "noise_ids");
    REFUSED(run.noise_ids = padic_tensor_1d(PADIC_U32, &id, 1), PADIC_ERROR_MISMATCH,
            "noise_ids");
    REFUSED(run.ids = padic_tensor_1d(PADIC_F64, &s, 1), PADIC_ERROR_DTYPE, "ids");
    REFUSED(run.ids = padic_tensor_1d(PADIC_U32, &id, 2), PADIC_ERROR_MISMATCH, "ids");
    REFUSED(nodes[0].noise = &law, PADIC_ERROR_ARGUMENT, "noise");
    nodes[0].noise = NULL;
    REFUSED(nodes[1].kernel = 3, PADIC_ERROR_ARGUMENT, "kernel");
    nodes[1].kernel = 0;
    law = kept;
    law.schedule = PADIC_ROLLOUT_NOISE_ANNEALING;
    run = fine;
    CHECK_EQ(padic_rollout_run(context, &run), PADIC_OK); // T is that of the run
    apply.op = fine.op;
    apply.weights = fine.weights;
    apply.state = padic_tensor_nd(PADIC_F32, x, 5, state);
    apply.out = padic_tensor_nd(PADIC_F32, y, 5, state);
    CHECK_EQ(padic_rollout_apply(context, &apply), PADIC_ERROR_ARGUMENT);
    CHECK(strstr(padic_context_message(context), "frames") != NULL);
    apply.frames = 2;
    CHECK_EQ(padic_rollout_apply(context, &apply), PADIC_OK);
    apply.flags = 1;
    CHECK_EQ(padic_rollout_apply(context, &apply), PADIC_ERROR_ARGUMENT);
    padic_context_destroy(context);
}

TEST_MAIN("test_rollout_noise", CASE(node_is_operation), CASE(variances), CASE(correlated),
          CASE(sites), CASE(signatures), CASE(splits), CASE(refused))
