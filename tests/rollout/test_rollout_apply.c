// test_rollout_apply.c: one evaluation of operators against loops in f64 that share no code with
// the library (rollout_oracle.h), for states of F64 and F32, with and without vectors.
#define PADIC_IMPLEMENTATION
#include "../../padic.h"
#include "../../backends/padic_simd.h"
#include "../../backends/padic_threads.h"
#include "../support/padic_test.h"
#include "../support/contexts.h"

#include "rollout_support.h"

// R1: convolutions of all boundaries, kernels, strides and many sizes, within the bound of the
// header for each number.
TEST(convolutions)
{
    static const uint32_t sizes[] = {1, 2, 5, 17, 64}, channels[] = {1, 3, 16, 33};
    const uint32_t rounds = test_tiny ? 24 : 96;
    contexts_begin(0);
    for (uint32_t round = 0; round < rounds; round++) {
        const uint32_t k = 1 + 2 * (round % 8), wide = round % 3; // many channels, or cells
        padic_rollout_operator op = list(channels[below(wide ? 2 : 4)],
                                         sizes[below(wide ? 5 : 3)], sizes[below(wide ? 5 : 4)]);
        nodes[0].channels = channels[below(wide ? 2 : 4)];
        nodes[0].kernel = k;
        nodes[0].stride = 1 + below(2);
        nodes[0].boundary = (padic_rollout_boundary)below(4);
        nodes[0].norm = PADIC_ROLLOUT_NORM_NONE;
        nodes[0].act = PADIC_ROLLOUT_ACT_NONE;
        if (nodes[0].boundary == PADIC_ROLLOUT_BOUNDARY_REFLECT &&
            (k / 2 >= op.height || k / 2 >= op.width))
            nodes[0].boundary = PADIC_ROLLOUT_BOUNDARY_PERIODIC; // any kernel, any size
        run_of r = run_new(&op, 1, 1);
        oracle_field want = oracle_run(&op, shapes, r.weights, r.state);
        CHECK_EQ(run_do(NULL, &r, PADIC_F64, 0), PADIC_OK);
        for (uint64_t i = 0; i < r.out; i++)
            CHECK(fabs(r.got[i] - want.at[i]) <= 1e-13 * want.slack[i]);
        for (uint32_t with = 0; with < context_count; with++) {
            const double bound = 1.01 * (op.channels * k * k + 2) * U;
            CHECK_EQ(run_do(contexts[with], &r, PADIC_F32, 0), PADIC_OK);
            for (uint64_t i = 0; i < r.out; i++)
                CHECK(fabs((double)r.got_f[i] - want.at[i]) <= bound * want.slack[i]);
        }
        oracle_end(&want);
        run_end(&r);
    }
    contexts_end();
}

// R1: activations on [-12, 12], +-0, infinities, NaN, within 4 u max(1, |x|).
TEST(activations)
{
    contexts_begin(0);
    for (uint32_t act = 0; act <= PADIC_ROLLOUT_ACT_TANH; act++) {
        padic_rollout_operator op = list(1, 64, 64);
        nodes[0].kind = PADIC_ROLLOUT_KIND_NORM;
        nodes[0].norm = PADIC_ROLLOUT_NORM_NONE;
        nodes[0].act = (padic_rollout_act)act;
        run_of r = run_new(&op, 1, 1);
        for (uint64_t i = 0; i < r.in; i++) r.state_f[i] = (float)(12 * r.state[i]);
        r.state_f[0] = 0, r.state_f[1] = -0.0f, r.state_f[5] = 1e30f, r.state_f[6] = -1e30f;
        r.state_f[2] = (float)INFINITY, r.state_f[3] = -(float)INFINITY, r.state_f[4] = (float)NAN;
        r.state_f[7] = 1e-40f, r.state_f[8] = -90, r.state_f[9] = -104, r.state_f[10] = -200;
        for (uint64_t i = 0; i < r.in; i++) r.state[i] = (double)r.state_f[i];
        for (uint32_t with = 0; with <= context_count; with++) { // the last: F64
            const int is_float = with < context_count;
            CHECK_EQ(run_do(is_float ? contexts[with] : NULL, &r,
                            is_float ? PADIC_F32 : PADIC_F64, 0), PADIC_OK);
            for (uint64_t i = 0; i < r.out; i++) {
                const double x = r.state[i], want = oracle_act((int)act, x);
                const double got = is_float ? (double)r.got_f[i] : r.got[i];
                const double bound = 4 * U * (fabs(x) > 1 ? fabs(x) : 1);
                if (i == 4) CHECK(isnan(got));
                else if (isinf(want)) CHECK(isinf(got) && (got > 0) == (want > 0));
                else if (!(fabs(got - want) <= bound)) CHECK_NEAR(got, want, bound);
            }
        }
        run_end(&r);
    }
    contexts_end();
}

// R2: norms of all kinds over a convolution.
TEST(norms)
{
    contexts_begin(0);
    for (uint32_t round = 0; round < 18; round++) {
        static const uint32_t channels[] = {1, 6, 16, 40};
        padic_rollout_operator op = list(3, 3 + below(40), 3 + below(90));
        op.count = 2;
        nodes[0].channels = channels[round % 4];
        nodes[0].norm = (padic_rollout_norm)(round / 4 % 5);
        if (nodes[0].norm != PADIC_ROLLOUT_NORM_NONE) {
            nodes[0].flags = below(2) * PADIC_ROLLOUT_AFFINE;
            nodes[0].eps = below(2) ? 0.01f : 0;
        }
        if (nodes[0].norm == PADIC_ROLLOUT_NORM_GROUP)
            nodes[0].groups = below(2) ? 0 : nodes[0].channels % 2 ? 1 : 2;
        if (nodes[0].norm == PADIC_ROLLOUT_NORM_FROZEN)
            nodes[0].flags |= below(2) * PADIC_ROLLOUT_STATISTICS;
        nodes[0].act = (padic_rollout_act)below(6);
        nodes[1] = nodes[0];
        nodes[1].input = 1;
        nodes[1].kind = PADIC_ROLLOUT_KIND_NORM;
        nodes[1].channels = 0;
        if (round % 3 == 0) op.count = 1; // the pending one at the end
        run_of r = run_new(&op, 2, 1);
        run_check(&r);
        run_end(&r);
    }
    contexts_end();
}

// R2: everything that changes the grid or joins two nodes.
TEST(joins)
{
    contexts_begin(0);
    for (uint32_t round = 0; round < 18; round++) {
        padic_rollout_operator op = list(1 + below(20), 2 * (2 + below(12)), 2 * (2 + below(30)));
        op.count = 7;
        nodes[0].channels = 1 + below(40), nodes[0].stride = 1 + round % 2;
        nodes[1].kind = PADIC_ROLLOUT_KIND_UP, nodes[1].input = 1;
        nodes[1].up = (padic_rollout_up)(round % 3);
        if (nodes[1].up == PADIC_ROLLOUT_UP_TRANSPOSED) nodes[1].channels = 1 + below(40);
        if (nodes[1].up == PADIC_ROLLOUT_UP_BILINEAR)
            nodes[1].boundary = (padic_rollout_boundary)below(4);
        nodes[2].kind = PADIC_ROLLOUT_KIND_MEAN, nodes[2].input = 2;
        nodes[3].input = 3, nodes[3].channels = 1 + below(20);
        nodes[4].kind = PADIC_ROLLOUT_KIND_CONCAT, nodes[4].input = 4, nodes[4].skip = 1;
        nodes[5].kind = PADIC_ROLLOUT_KIND_ADD, nodes[5].input = 5;
        nodes[5].skip = below(2) ? 5 : 1; // equal channels, or W1
        nodes[6].input = 6, nodes[6].kernel = 1, nodes[6].norm = PADIC_ROLLOUT_NORM_NONE;
        nodes[6].act = PADIC_ROLLOUT_ACT_NONE, nodes[6].channels = 2;
        run_of r = run_new(&op, 1, 2);
        run_check(&r);
        run_end(&r);
    }
    contexts_end();
}

// R2 of the residual network, and R13: the same bits for any split, limit and number of workers.
TEST(batches)
{
    contexts_begin(0);
    for (uint32_t with = 0; with < 2; with++) {
        padic_context *context = contexts[with];
        padic_rollout_nodes_cnn_desc cnn = PADIC_ZERO;
        padic_rollout_operator op = list(3, 24, 40); // two tiles
        cnn.width = 2, cnn.layers = 4, cnn.nodes = nodes, cnn.capacity = 255;
        cnn.boundary = PADIC_ROLLOUT_BOUNDARY_PERIODIC;
        op.count = padic_rollout_nodes_cnn(&cnn);
        run_of r = run_new(&op, 2, 2);
        if (!with) run_check(&r);
        CHECK_EQ(run_do(context, &r, PADIC_F32, 0), PADIC_OK);
        float *all = (float *)fresh(4 * r.out, 4);
        memcpy(all, r.got_f, (size_t)(16 * r.out));
        run_of one = run_new(&op, 1, 1);
        for (uint64_t t = 0; t < 4; t++) { // one by one, backwards
            const uint64_t at = 3 - t;
            memcpy(one.weights_f, r.weights_f + at / 2 * r.parameters, (size_t)r.parameters * 4);
            memcpy(one.state_f, r.state_f + at * r.in, (size_t)r.in * 4);
            CHECK_EQ(run_do(context, &one, PADIC_F32, 0), PADIC_OK);
            CHECK(!memcmp(one.got_f, all + at * r.out, (size_t)r.out * 4));
        }
        run_end(&one);
        uint64_t most = 1 << 10; // the least that is enough, and some above it
        while (run_do(context, &r, PADIC_F32, most) == PADIC_ERROR_MEMORY) most += most / 8;
        for (int more = 0; more < 4; more++, most += most / 4) {
            memset(r.got_f, 0, (size_t)(16 * r.out));
            CHECK_EQ(run_do(context, &r, PADIC_F32, most), PADIC_OK);
            CHECK(!memcmp(r.got_f, all, (size_t)(16 * r.out)));
        }
        if (with) { // three workers
            CHECK_EQ(run_do(contexts[context_count - 1], &r, PADIC_F32, 0), PADIC_OK);
            CHECK(!memcmp(r.got_f, all, (size_t)(16 * r.out)));
        }
        free(all);
        run_end(&r);
    }
    contexts_end();
}

// Taps give what each node of a list makes, the pending norms and the last node included, whatever
// max_bytes is; of an unknown node they are refused.
TEST(taps)
{
    contexts_begin(0);
    for (uint32_t with = 0; with < context_count; with++) {
        padic_rollout_nodes_cnn_desc cnn = PADIC_ZERO;
        padic_rollout_operator op = list(3, 9, 13);
        padic_rollout_apply_desc desc = PADIC_ZERO;
        float *taps[PADIC_ROLLOUT_TAPS];
        cnn.width = 5, cnn.layers = 4, cnn.nodes = nodes, cnn.capacity = 255;
        op.count = padic_rollout_nodes_cnn(&cnn);
        run_of r = run_new(&op, 2, 2);
        const uint64_t in[5] = {2, 2, 3, 9, 13};
        desc.op = op;
        desc.weights = padic_tensor_2d(PADIC_F32, r.weights_f, 2, r.parameters);
        desc.state = padic_tensor_nd(PADIC_F32, r.state_f, 5, in);
        desc.out = padic_tensor_nd(PADIC_F32, r.got_f, 5, in);
        for (uint32_t k = 0; k < PADIC_ROLLOUT_TAPS; k++) {
            const uint32_t node = k ? 1 + (k * 5 + 3) % op.count : op.count;
            const uint64_t shape[5] = {2, 2, shapes[node - 1].channels, 9, 13};
            taps[k] = (float *)fresh(4 * shape[2] * 9 * 13, 4);
            desc.taps[k].node = node;
            desc.taps[k].out = padic_tensor_nd(PADIC_F32, taps[k], 5, shape);
        }
        CHECK_EQ(padic_rollout_apply(contexts[with], &desc), PADIC_OK);
        CHECK(!memcmp(taps[0], r.got_f, (size_t)(4 * r.out) * 4));
        for (uint32_t k = 0; k < PADIC_ROLLOUT_TAPS; k++)
            for (uint32_t t = 0; t < 4; t++) {
                padic_rollout_operator some = op;
                some.count = desc.taps[k].node;
                oracle_field want = oracle_run(&some, shapes, r.weights + t / 2 * r.parameters,
                                               r.state + t * r.in);
                const uint64_t each = (uint64_t)want.c * want.h * want.w;
                double rms = 0;
                for (uint64_t i = 0; i < each; i++) rms += want.at[i] * want.at[i] / (double)each;
                for (uint64_t i = 0; i < each; i++)
                    CHECK_NEAR(taps[k][t * each + i], want.at[i], 5e-5 * sqrt(rms));
                oracle_end(&want);
            }
        desc.taps[3].node = op.count + 1;
        CHECK_EQ(padic_rollout_apply(contexts[with], &desc), PADIC_ERROR_ARGUMENT);
        desc.taps[3].node = 0;
        CHECK_EQ(padic_rollout_apply(contexts[with], &desc), PADIC_ERROR_ARGUMENT);
        desc.taps[3] = desc.taps[2];
        CHECK_EQ(padic_rollout_apply(contexts[with], &desc), PADIC_ERROR_OVERLAP);
        desc.taps[3].out.data = NULL;
        CHECK(padic_rollout_apply(contexts[with], &desc) != PADIC_OK);
        for (uint32_t k = 0; k < PADIC_ROLLOUT_TAPS; k++) free(taps[k]);
        run_end(&r);
    }
    contexts_end();
}

TEST(refused)
{
    padic_rollout_operator op = list(2, 6, 6);
    padic_rollout_apply_desc desc = PADIC_ZERO;
    run_of r = run_new(&op, 1, 1);
    const uint64_t in[5] = {1, 1, 2, 6, 6};
    CHECK_EQ(padic_rollout_apply(NULL, NULL), PADIC_ERROR_ARGUMENT);
    desc.op = op;
    desc.weights = padic_tensor_2d(PADIC_F64, r.weights, 1, r.parameters);
    desc.state = padic_tensor_nd(PADIC_F64, r.state, 5, in);
    desc.out = padic_tensor_nd(PADIC_F64, r.got, 5, in);
    CHECK_EQ(padic_rollout_apply(NULL, &desc), PADIC_OK);
    desc.max_bytes = 1;
    CHECK_EQ(padic_rollout_apply(NULL, &desc), PADIC_ERROR_MEMORY);
    desc.max_bytes = 0;
    desc.out.data = r.state;
    CHECK_EQ(padic_rollout_apply(NULL, &desc), PADIC_ERROR_OVERLAP);
    desc.out.data = r.got;
    desc.out.dtype = PADIC_F32;
    CHECK_EQ(padic_rollout_apply(NULL, &desc), PADIC_ERROR_DTYPE);
    desc.out.dtype = PADIC_F64;
    desc.state.shape[1] = 0;
    CHECK_EQ(padic_rollout_apply(NULL, &desc), PADIC_ERROR_MISMATCH);
    desc.out.shape[1] = 0;
    CHECK_EQ(padic_rollout_apply(NULL, &desc), PADIC_OK);
    desc.weights.shape[1]--;
    CHECK_EQ(padic_rollout_apply(NULL, &desc), PADIC_ERROR_MISMATCH);
    desc.weights.shape[1]++;
    desc.out.stride[4] = 2;
    CHECK(padic_rollout_apply(NULL, &desc) != PADIC_OK);
    run_end(&r);
}

TEST_MAIN("test_rollout_apply", CASE(convolutions), CASE(activations), CASE(norms), CASE(joins),
          CASE(batches), CASE(taps), CASE(refused))
