// test_rollout_probe.c: precisions against each other from the same states, and probes of
// operators, against evaluations by other calls, singular values and closed forms.
#define PADIC_IMPLEMENTATION
#include "../../padic.h"
#include "../../backends/padic_simd.h"
#include "../../backends/padic_threads.h"
#include "../support/failing.h"
#include "../support/padic_test.h"
#include "../support/contexts.h"

#include "rollout_support.h"

// R14: each step's error is that of two evaluations of the state that the rollout has then.
TEST(compare_is_evaluations)
{
    enum { N = 2, I = 2, M = 2, T = 4, C = 2, H = 8, W = 6, CELLS = C * H * W, ALL = N * I * M };
    contexts_begin(0);
    for (uint32_t round = 0; round < 3 * context_count; round++) {
        padic_context *context = contexts[round / 3];
        padic_rollout_nodes_cnn_desc cnn = PADIC_ZERO;
        padic_rollout_operator op = list(C, H, W);
        const uint64_t initial[4] = {I, C, H, W}, seven[7] = {N, I, M, T, C, H, W};
        const uint64_t five[5] = {N, I, M, T - 1, 2}, one[5] = {1, 1, C, H, W};
        cnn.channels = C, cnn.width = 4, cnn.layers = 2, cnn.nodes = nodes, cnn.capacity = 16;
        cnn.site = PADIC_ROLLOUT_NOISE_HIDDEN;
        op.count = padic_rollout_nodes_cnn(&cnn);
        run_of r = run_new(&op, N, I * M);
        float *y = (float *)fresh(ALL * T * CELLS, 4), a[CELLS], b[CELLS];
        double error[ALL][T - 1][2];
        padic_rollout_compare_desc compare = PADIC_ZERO;
        padic_rollout_run_desc run = PADIC_ZERO;
        run.op = op;
        run.weights = padic_tensor_2d(PADIC_F32, r.weights_f, N, r.parameters);
        run.initial = padic_tensor_nd(PADIC_F32, r.state_f, 4, initial);
        run.realisations = M, run.steps = T, run.seed = 8;
        run.policy = PADIC_ROLLOUT_POLICY_CONVEX;
        run.post = PADIC_ROLLOUT_POST_ZSCORE;
        run.precision = round % 3 == 2 ? PADIC_ROLLOUT_PRECISION_BF16
                                       : (padic_rollout_precision)(round % 3);
        run.out = padic_tensor_nd(PADIC_F32, y, 7, seven);
        CHECK_EQ(padic_rollout_run(context, &run), PADIC_OK);
        compare.run = run;
        compare.run.output = PADIC_ROLLOUT_OUTPUT_NONE;
        memset(&compare.run.out, 0, sizeof compare.run.out);
        compare.against = PADIC_ROLLOUT_PRECISION_F64;
        compare.out = padic_tensor_nd(PADIC_F64, error, 5, five);
        CHECK_EQ(padic_rollout_compare(context, &compare), PADIC_OK);
        for (uint32_t k = 0; k < ALL; k++)
            for (uint32_t t = 1; t < T; t++) {
                const uint32_t m = k % M, n = k / (I * M);
                padic_rollout_apply_desc apply = PADIC_ZERO;
                double square = 0, sum = 0, most = 0;
                apply.op = op, apply.seed = 8, apply.step = t, apply.frames = T;
                apply.weights = padic_tensor_2d(PADIC_F32, r.weights_f + n * r.parameters, 1,
                                                r.parameters);
                apply.state = padic_tensor_nd(PADIC_F32, y + (k * T + t - 1) * CELLS, 5, one);
                apply.out = padic_tensor_nd(PADIC_F32, a, 5, one);
                apply.noise_ids = padic_tensor_1d(PADIC_U32, (void *)(uintptr_t)&m, 1);
                apply.ids = padic_tensor_1d(PADIC_U32, (void *)(uintptr_t)&n, 1);
                apply.precision = run.precision;
                CHECK_EQ(padic_rollout_apply(context, &apply), PADIC_OK);
                apply.precision = compare.against, apply.out.data = b;
                CHECK_EQ(padic_rollout_apply(context, &apply), PADIC_OK);
                for (uint32_t i = 0; i < CELLS; i++) {
                    const double d = fabs((double)a[i] - (double)b[i]);
                    sum += d * d, square += (double)b[i] * (double)b[i];
                    if (d > most) most = d;
                }
                CHECK_NEAR(error[k][t - 1][0], sqrt(sum / square), 1e-12);
                CHECK_NEAR(error[k][t - 1][1], most / sqrt(square / (int)CELLS), 1e-12);
                // R2
                CHECK(error[k][t - 1][0] <= (round % 3 == 0 ? 5e-6 : round % 3 == 1 ? 8e-3 : 5e-2));
            }
        free(y), run_end(&r);
    }
    contexts_end();
}

// A precision against itself: 0, and a limit of memory changes nothing.
TEST(compare_with_itself)
{
    enum { T = 3, CELLS = 16 };
    padic_rollout_operator op = list(1, 4, 4);
    const uint64_t initial[4] = {3, 1, 4, 4}, five[5] = {1, 3, 2, T - 1, 2};
    double error[3 * 2][T - 1][2], again[3 * 2][T - 1][2];
    run_of r = run_new(&op, 1, 3);
    padic_rollout_compare_desc desc = PADIC_ZERO;
    desc.run.op = op;
    desc.run.weights = padic_tensor_2d(PADIC_F32, r.weights_f, 1, r.parameters);
    desc.run.initial = padic_tensor_nd(PADIC_F32, r.state_f, 4, initial);
    desc.run.realisations = 2, desc.run.steps = T;
    desc.run.output = PADIC_ROLLOUT_OUTPUT_NONE;
    desc.out = padic_tensor_nd(PADIC_F64, error, 5, five);
    error[5][1][1] = 7;
    CHECK_EQ(padic_rollout_compare(NULL, &desc), PADIC_OK);
    for (int i = 0; i < 6; i++) CHECK_NEAR(error[i][0][0] + error[i][1][1], 0, 0);
    desc.against = PADIC_ROLLOUT_PRECISION_F16;
    CHECK_EQ(padic_rollout_compare(NULL, &desc), PADIC_OK);
    CHECK(error[5][1][1] > 1e-6);
    desc.out.data = again;
    desc.run.max_bytes = 1;
    CHECK_EQ(padic_rollout_compare(NULL, &desc), PADIC_ERROR_MEMORY);
    while (padic_rollout_compare(NULL, &desc) == PADIC_ERROR_MEMORY) desc.run.max_bytes += 4096;
    CHECK(!memcmp(error, again, sizeof error));
    desc.run.output = PADIC_ROLLOUT_OUTPUT_ALL;
    CHECK(padic_rollout_compare(NULL, &desc) != PADIC_OK);
    desc.run.output = PADIC_ROLLOUT_OUTPUT_NONE, desc.run.limit = 3;
    CHECK_EQ(padic_rollout_compare(NULL, &desc), PADIC_ERROR_ARGUMENT);
    desc.run.limit = 0, desc.out.shape[3] = T;
    CHECK_EQ(padic_rollout_compare(NULL, &desc), PADIC_ERROR_MISMATCH);
    desc.out.shape[3] = T - 1, desc.out.dtype = PADIC_F32;
    CHECK_EQ(padic_rollout_compare(NULL, &desc), PADIC_ERROR_DTYPE);
    CHECK_EQ(padic_rollout_compare(NULL, NULL), PADIC_ERROR_ARGUMENT);
    run_end(&r);
}

static padic_result probe(padic_context *context, const run_of *r, padic_dtype dtype,
                          uint32_t common, double *out)
{
    const uint64_t shape[5] = {r->n, r->b, r->op.channels, r->op.height, r->op.width};
    padic_rollout_probe_desc desc = PADIC_ZERO;
    desc.op = r->op;
    desc.weights = dtype == PADIC_F64
                       ? padic_tensor_2d(PADIC_F64, r->weights, r->n, r->parameters)
                       : padic_tensor_2d(PADIC_F32, r->weights_f, r->n, r->parameters);
    desc.state = dtype == PADIC_F64 ? padic_tensor_nd(PADIC_F64, r->state, 5, shape)
                                    : padic_tensor_nd(PADIC_F32, r->state_f, 5, shape);
    desc.out = padic_tensor_3d(PADIC_F64, out, r->n, r->b, PADIC_ROLLOUT_PROBE_COLUMNS);
    desc.seed = 12, desc.common = common;
    return padic_rollout_probe(context, &desc);
}

// R14: of a linear operator g(s) = s and no quotient is above the largest singular value, the
// largest |A(q)| of one channel; d reaches a good part of it. With common noise the same, as it is
// in both evaluations; F64 and F32 agree.
TEST(linear)
{
    enum { N = 12, CELLS = N * N };
    contexts_begin(0);
    for (uint32_t with = 0; with <= context_count; with++)
        for (uint32_t common = 0; common < 2; common++) {
            padic_rollout_operator op = list(1, N, N);
            const int f = with < context_count;
            double out[2][PADIC_ROLLOUT_PROBE_COLUMNS], most = 0;
            nodes[0].norm = PADIC_ROLLOUT_NORM_NONE, nodes[0].act = PADIC_ROLLOUT_ACT_NONE;
            nodes[0].boundary = PADIC_ROLLOUT_BOUNDARY_PERIODIC;
            op.count = 2;
            nodes[1].kind = PADIC_ROLLOUT_KIND_NOISE, nodes[1].input = 1;
            run_of r = run_new(&op, 1, 2);
            r.weights[9] = 0, r.weights_f[9] = 0;
            for (uint32_t q = 0; q < CELLS; q++) {
                double re = 0, im = 0;
                for (int d = 0; d < 9; d++) {
                    const double phase = 2 * acos(-1.0) / (int)N *
                                         ((int)(q / N) * (d / 3 - 1) + (int)(q % N) * (d % 3 - 1));
                    re += r.weights[d] * cos(phase), im += r.weights[d] * sin(phase);
                }
                if (sqrt(re * re + im * im) > most) most = sqrt(re * re + im * im);
            }
            CHECK_EQ(probe(f ? contexts[with] : NULL, &r, f ? PADIC_F32 : PADIC_F64, common,
                           out[0]), PADIC_OK);
            for (int b = 0; b < 2; b++) {
                static const double s[4] = {0.5, 0.75, 1.25, 1.5};
                for (int k = 0; k < 3; k++) {
                    CHECK(out[b][2 * k + 1] <= most * (1 + 1e-4) + (f ? 2e-7 / pow(10, k - 4) : 0));
                    CHECK(out[b][2 * k] <= out[b][2 * k + 1] && out[b][2 * k] > most / 9);
                }
                for (int i = 0; i < 4 && !common; i++)
                    CHECK_NEAR(out[b][PADIC_ROLLOUT_PROBE_GAIN + i], s[i], 1e-4);
                if (common) continue;
                CHECK_NEAR(out[b][PADIC_ROLLOUT_PROBE_FIT], 1, 1e-4);
                CHECK_NEAR(out[b][PADIC_ROLLOUT_PROBE_SATURATION], 0, 1e-4);
                CHECK_NEAR(out[b][PADIC_ROLLOUT_PROBE_COMPRESSION], 1.0 / 3, 1e-4);
            }
            run_end(&r);
        }
    contexts_end();
}

// F constant: no quotient, and all gains 1. tanh saturates: of large states g(s) is 1, too. ReLU of
// a field of one sign is linear.
TEST(closed_forms)
{
    for (int kind = 0; kind < 3; kind++) {
        padic_rollout_operator op = list(1, 5, 6);
        double out[PADIC_ROLLOUT_PROBE_COLUMNS];
        nodes[0].kernel = 1, nodes[0].norm = PADIC_ROLLOUT_NORM_NONE;
        nodes[0].act = kind == 0 ? PADIC_ROLLOUT_ACT_NONE
                                 : kind == 1 ? PADIC_ROLLOUT_ACT_TANH : PADIC_ROLLOUT_ACT_RELU;
        run_of r = run_new(&op, 1, 1);
        r.weights[0] = kind ? 1 : 0, r.weights[1] = kind ? 0 : 3;
        for (uint64_t i = 0; i < r.in; i++) r.state[i] = kind == 1 ? 100 : 1 + fabs(r.state[i]);
        CHECK_EQ(probe(NULL, &r, PADIC_F64, 0, out), PADIC_OK);
        for (int k = 0; k < 6; k++) CHECK_NEAR(out[k], kind == 2 ? 1 : 0, 1e-12);
        CHECK_NEAR(out[PADIC_ROLLOUT_PROBE_GAIN], kind == 2 ? 0.5 : 1, 1e-12);
        CHECK_NEAR(out[PADIC_ROLLOUT_PROBE_FIT], 1, 1e-12);
        CHECK_NEAR(out[PADIC_ROLLOUT_PROBE_SATURATION], kind == 2 ? 0 : 0.5, 1e-12);
        CHECK_NEAR(out[PADIC_ROLLOUT_PROBE_COMPRESSION], kind == 2 ? 1.0 / 3 : 1, 1e-12);
        run_end(&r);
    }
}

// Nothing of a state's probe depends on those beside it; by ids and noise_ids one by one.
TEST(splits)
{
    enum { N = 2, B = 3 };
    padic_rollout_operator op = list(2, 6, 5);
    run_of r = run_new(&op, N, B);
    double out[N * B][PADIC_ROLLOUT_PROBE_COLUMNS], one[PADIC_ROLLOUT_PROBE_COLUMNS];
    contexts_begin(0);
    CHECK_EQ(probe(contexts[context_count - 1], &r, PADIC_F32, 0, out[0]), PADIC_OK);
    for (uint32_t k = 0; k < N * B; k++) {
        const uint64_t shape[5] = {1, 1, 2, 6, 5};
        const uint32_t n = k / B, b = k % B;
        padic_rollout_probe_desc desc = PADIC_ZERO;
        desc.op = op, desc.seed = 12;
        desc.weights = padic_tensor_2d(PADIC_F32, r.weights_f + n * r.parameters, 1, r.parameters);
        desc.state = padic_tensor_nd(PADIC_F32, r.state_f + k * r.in, 5, shape);
        desc.out = padic_tensor_3d(PADIC_F64, one, 1, 1, PADIC_ROLLOUT_PROBE_COLUMNS);
        desc.ids = padic_tensor_1d(PADIC_U32, (void *)(uintptr_t)&n, 1);
        desc.noise_ids = padic_tensor_1d(PADIC_U32, (void *)(uintptr_t)&b, 1);
        CHECK_EQ(padic_rollout_probe(contexts[1], &desc), PADIC_OK);
        CHECK(!memcmp(one, out[k], sizeof one));
        desc.draws = 257;
        CHECK_EQ(padic_rollout_probe(contexts[1], &desc), PADIC_ERROR_ARGUMENT);
        desc.draws = 0, desc.common = 2;
        CHECK_EQ(padic_rollout_probe(contexts[1], &desc), PADIC_ERROR_ARGUMENT);
        desc.common = 0, desc.out.shape[2]--;
        CHECK_EQ(padic_rollout_probe(contexts[1], &desc), PADIC_ERROR_MISMATCH);
    }
    CHECK_EQ(padic_rollout_probe(NULL, NULL), PADIC_ERROR_ARGUMENT);
    contexts_end();
    run_end(&r);
}

// Each allocation may fail, those of transforms and of correlated noise, too: the call says so, and
// everything is given back.
TEST(allocations_fail)
{
    failing memory = {1000000, 0};
    padic_rollout_noise_law law = PADIC_ZERO;
    padic_context_desc with = PADIC_ZERO;
    padic_context *context = NULL;
    padic_rollout_operator op = list(1, 6, 7);
    const uint64_t four[4] = {2, 1, 6, 7}, five[5] = {1, 2, 1, 6, 7}, six[5] = {1, 2, 1, 2, 2};
    double out[2 * PADIC_ROLLOUT_PROBE_COLUMNS];
    with.allocator.alloc = failing_alloc, with.allocator.free = failing_free;
    with.allocator.user = &memory;
    with.backends[0] = padic_simd();
    REQUIRE(padic_context_create(&with, &context) == PADIC_OK);
    law.length = 2;
    op.count = 4;
    nodes[0].kind = PADIC_ROLLOUT_KIND_SPECTRAL, nodes[0].modes = 2;
    nodes[1].kind = PADIC_ROLLOUT_KIND_NOISE, nodes[1].input = 1, nodes[1].noise = &law;
    nodes[2].kind = PADIC_ROLLOUT_KIND_SPECTRAL, nodes[2].modes = 3, nodes[2].input = 2;
    nodes[3].input = 3;
    run_of r = run_new(&op, 1, 2);
    for (int call = 0; call < 3; call++) {
        padic_result result = PADIC_ERROR_MEMORY;
        padic_rollout_compare_desc compare = PADIC_ZERO;
        padic_rollout_probe_desc probing = PADIC_ZERO;
        padic_rollout_apply_desc apply = PADIC_ZERO;
        int64_t turn;
        compare.run.op = probing.op = apply.op = op;
        compare.run.weights = padic_tensor_2d(PADIC_F32, r.weights_f, 1, r.parameters);
        apply.weights = probing.weights = compare.run.weights;
        compare.run.initial = padic_tensor_nd(PADIC_F32, r.state_f, 4, four);
        compare.run.steps = 3, compare.run.output = PADIC_ROLLOUT_OUTPUT_NONE;
        compare.against = PADIC_ROLLOUT_PRECISION_F64;
        compare.out = padic_tensor_nd(PADIC_F64, out, 5, six);
        apply.state = probing.state = padic_tensor_nd(PADIC_F32, r.state_f, 5, five);
        apply.out = padic_tensor_nd(PADIC_F32, r.got_f, 5, five);
        probing.out = padic_tensor_3d(PADIC_F64, out, 1, 2, PADIC_ROLLOUT_PROBE_COLUMNS);
        probing.common = 1;
        long before = -1;
        for (turn = -1; turn < 200 && (turn < 1 || result == PADIC_ERROR_MEMORY); turn++) {
            memory.left = turn < 0 ? 1000000 : (int)turn; // all, once
            result = call == 0   ? padic_rollout_apply(context, &apply)
                     : call == 1 ? padic_rollout_compare(context, &compare)
                                 : padic_rollout_probe(context, &probing);
            CHECK(result == (turn < 0 ? PADIC_OK : result));
            CHECK(result == PADIC_OK || result == PADIC_ERROR_MEMORY);
            if (turn < 0) before = memory.live;
            CHECK_EQ(memory.live, before);
        }
        CHECK(result == PADIC_OK && turn > 8);
        memory.left = 1000000;
    }
    padic_context_destroy(context);
    CHECK_EQ(memory.live, 0);
    run_end(&r);
}

TEST_MAIN("test_rollout_probe", CASE(compare_is_evaluations), CASE(compare_with_itself),
          CASE(linear), CASE(closed_forms), CASE(splits),
          CASE(allocations_fail))
