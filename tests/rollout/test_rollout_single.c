// test_rollout_single.c: one node alone, one update, one normalisation: against loops in f64,
// closed forms, and what rollouts do.
#define PADIC_IMPLEMENTATION
#include "../../padic.h"
#include "../../backends/padic_simd.h"
#include "../../backends/padic_threads.h"
#include "../support/padic_test.h"
#include "../support/contexts.h"

#include "rollout_support.h"

static padic_tensor stack(float *x, uint64_t b, uint64_t c, uint64_t h, uint64_t w)
{
    const uint64_t shape[4] = {b, c, h, w};
    return padic_tensor_nd(PADIC_F32, x, 4, shape);
}

// R1 of one convolution: all boundaries, kernels and strides, weights with gaps and backwards.
TEST(conv)
{
    contexts_begin(0);
    for (uint32_t round = 0; round < 48; round++) {
        const uint32_t k = 1 + 2 * (round % 8), c = 1 + below(6), o = 1 + below(20);
        const uint32_t h = 1 + below(9), w = 1 + below(11), s = 1 + below(2);
        padic_rollout_operator op = list(c, h, w);
        nodes[0].channels = o, nodes[0].kernel = k, nodes[0].stride = s;
        nodes[0].boundary = (padic_rollout_boundary)(round / 8 % 4);
        nodes[0].norm = PADIC_ROLLOUT_NORM_NONE, nodes[0].act = PADIC_ROLLOUT_ACT_NONE;
        if (nodes[0].boundary == PADIC_ROLLOUT_BOUNDARY_REFLECT && (k / 2 >= h || k / 2 >= w))
            nodes[0].boundary = PADIC_ROLLOUT_BOUNDARY_ZERO;
        run_of r = run_new(&op, 1, 1);
        oracle_field want = oracle_run(&op, shapes, r.weights, r.state);
        padic_rollout_conv_desc desc = PADIC_ZERO;
        float *spread = (float *)fresh(2 * r.parameters, 4);
        for (uint64_t i = 0; i < r.parameters; i++)
            spread[2 * (r.parameters - 1 - i)] = r.weights_f[i];
        desc.in = stack(r.state_f, 1, c, h, w);
        desc.out = stack(r.got_f, 1, o, (h + s - 1) / s, (w + s - 1) / s);
        desc.weights = padic_tensor_1d(PADIC_F32, spread + 2 * (r.parameters - 1), r.parameters);
        desc.weights.stride[0] = -2;
        desc.kernel = k, desc.stride = s, desc.boundary = nodes[0].boundary;
        desc.norm = PADIC_ROLLOUT_NORM_NONE, desc.act = PADIC_ROLLOUT_ACT_NONE;
        for (uint32_t with = 0; with < context_count; with++) {
            memset(r.got_f, 0, (size_t)r.out * 4);
            CHECK_EQ(padic_rollout_conv(contexts[with], &desc), PADIC_OK);
            for (uint64_t i = 0; i < r.out; i++)
                CHECK_NEAR(r.got_f[i], want.at[i], 1.01 * (c * k * k + 2) * U * want.slack[i]);
        }
        free(spread);
        oracle_end(&want), run_end(&r);
    }
    contexts_end();
}

// R8: the output of a norm has mean beta and variance gamma^2 v/(v + eps); of FROZEN without
// statistics x/sqrt(1 + eps); a constant field gives act(beta).
TEST(norm_act)
{
    enum { C = 6, H = 9, W = 13, CELLS = H * W };
    contexts_begin(0);
    for (uint32_t with = 0; with < context_count; with++)
        for (uint32_t norm = 0; norm < 5; norm++) {
            float *x = (float *)fresh(C * CELLS, 4), *y = (float *)fresh(C * CELLS, 4), row[2 * C];
            padic_rollout_norm_act_desc desc = PADIC_ZERO;
            const double eps = 0.05, root = sqrt(1 + (double)0.05f);
            uint32_t each = norm == PADIC_ROLLOUT_NORM_LAYER ? C : 1;
            if (norm == PADIC_ROLLOUT_NORM_GROUP) each = 3;
            for (uint32_t i = 0; i < C * CELLS; i++)
                x[i] = (float)(uniform() + 3 * (int)(i / CELLS));
            for (uint32_t c = 0; c < C; c++) row[c] = 1.5f, row[C + c] = -0.25f;
            desc.in = stack(x, 1, C, H, W), desc.out = stack(y, 1, C, H, W);
            desc.norm = (padic_rollout_norm)norm;
            desc.act = PADIC_ROLLOUT_ACT_NONE;
            if (norm != PADIC_ROLLOUT_NORM_NONE) desc.eps = (float)eps;
            if (norm == PADIC_ROLLOUT_NORM_GROUP) desc.groups = C / each;
            if (norm != PADIC_ROLLOUT_NORM_NONE && norm != PADIC_ROLLOUT_NORM_FROZEN) {
                desc.flags = PADIC_ROLLOUT_AFFINE;
                desc.weights = padic_tensor_1d(PADIC_F32, row, 2 * C);
            }
            CHECK_EQ(padic_rollout_norm_act(contexts[with], &desc), PADIC_OK);
            for (uint32_t c = 0; c < C && desc.flags; c += each) {
                const uint32_t n = each * CELLS;
                double mean = 0, var = 0, from = 0, v = 0;
                for (uint32_t i = c * CELLS; i < c * CELLS + n; i++)
                    mean += (double)y[i] / n, from += (double)x[i] / n;
                for (uint32_t i = c * CELLS; i < c * CELLS + n; i++) {
                    var += ((double)y[i] - mean) * ((double)y[i] - mean) / n;
                    v += ((double)x[i] - from) * ((double)x[i] - from) / n;
                }
                CHECK_NEAR(mean, -0.25, 1e-5);
                CHECK_NEAR(var / (1.5 * 1.5 * v / (v + (double)0.05f)), 1, 1e-5);
            }
            for (uint32_t i = 0; i < C * CELLS && !desc.flags; i++) {
                const double want = norm == PADIC_ROLLOUT_NORM_NONE ? (double)x[i]
                                                                   : (double)x[i] / root;
                CHECK_NEAR(y[i], want, 2 * U * fabs(want));
            }
            if (desc.flags && each == 1) {
                desc.act = PADIC_ROLLOUT_ACT_TANH;
                for (uint32_t i = 0; i < C * CELLS; i++) x[i] = 0.7f;
                CHECK_EQ(padic_rollout_norm_act(contexts[with], &desc), PADIC_OK);
                for (uint32_t i = 0; i < C * CELLS; i++) CHECK_NEAR(y[i], tanh(-0.25), 4 * U);
            }
            free(x), free(y);
        }
    contexts_end();
}

// R2 of resampling and of the mixing of modes, against loops.
TEST(resample_and_mix)
{
    contexts_begin(0);
    for (uint32_t round = 0; round < 20; round++) {
        const uint32_t c = 1 + below(20), h = 2 * (1 + below(5)), w = 2 * (1 + below(6));
        padic_rollout_operator op = list(c, h, w);
        padic_rollout_resample_desc desc = PADIC_ZERO;
        padic_rollout_spectral_mix_desc mix = PADIC_ZERO;
        const int is_mix = round % 5 == 4, halve = round % 5 == 3;
        nodes[0].kind = is_mix ? PADIC_ROLLOUT_KIND_SPECTRAL
                               : halve ? PADIC_ROLLOUT_KIND_MEAN : PADIC_ROLLOUT_KIND_UP;
        if (is_mix) nodes[0].modes = mix.modes = 1 + below(4), nodes[0].channels = 1 + below(20);
        if (!is_mix && !halve) nodes[0].up = desc.up = (padic_rollout_up)(round % 5);
        if (!is_mix && !halve && desc.up == PADIC_ROLLOUT_UP_BILINEAR)
            nodes[0].boundary = desc.boundary = (padic_rollout_boundary)below(4);
        if (!is_mix && !halve && desc.up == PADIC_ROLLOUT_UP_TRANSPOSED) nodes[0].channels = 3;
        run_of r = run_new(&op, 1, 1);
        oracle_field want = oracle_run(&op, shapes, r.weights, r.state);
        mix.in = desc.in = stack(r.state_f, 1, c, h, w);
        mix.out = desc.out = stack(r.got_f, 1, want.c, want.h, want.w);
        mix.weights = padic_tensor_1d(PADIC_F32, r.weights_f, r.parameters);
        desc.halve = halve ? 1 : 0;
        if (r.parameters) desc.weights = mix.weights;
        for (uint32_t with = 0; with < context_count; with++) {
            double rms, most;
            CHECK_EQ(is_mix ? padic_rollout_spectral_mix(contexts[with], &mix)
                            : padic_rollout_resample(contexts[with], &desc), PADIC_OK);
            run_error(&r, want.at, 0, 1, &rms, &most);
            CHECK(rms <= 5e-6 && most <= 5e-5);
        }
        oracle_end(&want), run_end(&r);
    }
    contexts_end();
}

// An update is what a rollout does, by its three policies, to the bit; in place, too. Then post.
TEST(update_is_run)
{
    enum { N = 3, C = 2, H = 5, W = 6, CELLS = C * H * W };
    contexts_begin(0);
    for (uint32_t round = 0; round < 6 * context_count; round++) {
        padic_context *context = contexts[round / 6];
        padic_rollout_operator op = list(C, H, W);
        const uint64_t five[5] = {N, 1, C, H, W}, seven[7] = {N, 1, 1, 1, C, H, W};
        float parameter[N] = {0.25f, 0, 1};
        padic_rollout_run_desc run = PADIC_ZERO;
        padic_rollout_apply_desc apply = PADIC_ZERO;
        padic_rollout_update_desc update = PADIC_ZERO;
        padic_rollout_postprocess_desc post = PADIC_ZERO;
        nodes[0].norm = PADIC_ROLLOUT_NORM_NONE;
        run_of r = run_new(&op, N, 1);
        float *out = (float *)fresh(N * CELLS, 4), *x = r.state_f;
        for (uint32_t i = 0; i < CELLS; i++) x[CELLS + i] = x[2 * CELLS + i] = x[i];
        run.op = apply.op = op;
        run.weights = apply.weights = padic_tensor_2d(PADIC_F32, r.weights_f, N, r.parameters);
        run.initial = stack(x, 1, C, H, W);
        run.steps = 2;
        run.policy = update.policy = (padic_rollout_policy)(round % 3);
        if (run.policy != PADIC_ROLLOUT_POLICY_AUTOREGRESSIVE && round % 6 > 2)
            run.parameter = update.parameter = padic_tensor_1d(PADIC_F32, parameter, N);
        run.output = PADIC_ROLLOUT_OUTPUT_LAST;
        run.out = padic_tensor_nd(PADIC_F32, out, 7, seven);
        CHECK_EQ(padic_rollout_run(context, &run), PADIC_OK);
        apply.state = update.before = padic_tensor_nd(PADIC_F32, x, 5, five);
        apply.out = update.output = update.out = padic_tensor_nd(PADIC_F32, r.got_f, 5, five);
        CHECK_EQ(padic_rollout_apply(context, &apply), PADIC_OK);
        CHECK_EQ(padic_rollout_update(context, &update), PADIC_OK);
        CHECK(!memcmp(out, r.got_f, N * CELLS * 4));
        // X_0 = post(IC), and T = 1
        run.steps = 1;
        run.policy = PADIC_ROLLOUT_POLICY_AUTOREGRESSIVE;
        memset(&run.parameter, 0, sizeof run.parameter);
        run.post = post.post = (padic_rollout_post)(round % 3);
        run.flags = post.flags = PADIC_ROLLOUT_CLAMP;
        if (round % 3 && round % 6 > 2)
            run.flags |= PADIC_ROLLOUT_POST_PER_CHANNEL, post.flags = run.flags;
        run.lo = post.lo = -0.5, run.hi = post.hi = 0.75;
        CHECK_EQ(padic_rollout_run(context, &run), PADIC_OK);
        post.state = stack(x, N, C, H, W), post.out = stack(r.got_f, N, C, H, W);
        CHECK_EQ(padic_rollout_postprocess(context, &post), PADIC_OK);
        CHECK(!memcmp(out, r.got_f, N * CELLS * 4));
        free(out), run_end(&r);
    }
    contexts_end();
}

// R15 of one call: MINMAX gives exactly 0 and 1, ZSCORE mean 0 and deviation 1, a constant stays;
// a trajectory does not change when another one does (2.14, 4).
TEST(postprocess)
{
    enum { B = 3, C = 2, CELLS = C * 7 * 9 };
    float *x = (float *)fresh(B * CELLS, 4), *y = (float *)fresh(B * CELLS, 4), kept[CELLS];
    padic_rollout_postprocess_desc desc = PADIC_ZERO;
    for (uint32_t i = 0; i < B * CELLS; i++) x[i] = (float)(5 * uniform());
    for (uint32_t i = 2 * CELLS; i < B * CELLS; i++) x[i] = 2.5f;
    desc.state = stack(x, B, C, 7, 9), desc.out = stack(y, B, C, 7, 9);
    desc.post = PADIC_ROLLOUT_POST_MINMAX;
    CHECK_EQ(padic_rollout_postprocess(NULL, &desc), PADIC_OK);
    for (uint32_t b = 0; b < 2; b++) {
        float low = 9, high = -9;
        for (uint32_t i = b * CELLS; i < (b + 1) * CELLS; i++) {
            if (y[i] < low) low = y[i];
            if (y[i] > high) high = y[i];
        }
        CHECK_NEAR(low, 0, 0);
        CHECK_NEAR(high, 1, 0);
    }
    CHECK_NEAR(y[2 * CELLS], 2.5, 0);
    desc.post = PADIC_ROLLOUT_POST_ZSCORE;
    CHECK_EQ(padic_rollout_postprocess(NULL, &desc), PADIC_OK);
    double mean = 0, square = 0;
    for (uint32_t i = 0; i < CELLS; i++)
        mean += (double)y[i] / (int)CELLS, square += (double)y[i] * (double)y[i] / (int)CELLS;
    CHECK_NEAR(mean, 0, 1e-5);
    CHECK_NEAR(sqrt(square), 1, 1e-5);
    memcpy(kept, y, sizeof kept);
    x[CELLS + 3] = (float)NAN;
    desc.out = desc.state; // in place
    CHECK_EQ(padic_rollout_postprocess(NULL, &desc), PADIC_OK);
    CHECK(!memcmp(kept, x, sizeof kept) && isnan(x[CELLS]));
    free(x), free(y);
}

TEST(refused)
{
    float x[2 * 16], y[2 * 16], w[64] = {0};
    double two = 2;
    padic_rollout_conv_desc conv = PADIC_ZERO;
    padic_rollout_norm_act_desc norm = PADIC_ZERO;
    padic_rollout_resample_desc up = PADIC_ZERO;
    padic_rollout_spectral_mix_desc mix = PADIC_ZERO;
    padic_rollout_update_desc update = PADIC_ZERO;
    padic_rollout_postprocess_desc post = PADIC_ZERO;
    CHECK_EQ(padic_rollout_conv(NULL, NULL), PADIC_ERROR_ARGUMENT);
    CHECK_EQ(padic_rollout_norm_act(NULL, NULL), PADIC_ERROR_ARGUMENT);
    CHECK_EQ(padic_rollout_resample(NULL, NULL), PADIC_ERROR_ARGUMENT);
    CHECK_EQ(padic_rollout_spectral_mix(NULL, NULL), PADIC_ERROR_ARGUMENT);
    CHECK(padic_rollout_conv(NULL, &conv) != PADIC_OK);
    CHECK(padic_rollout_norm_act(NULL, &norm) != PADIC_OK);
    CHECK(padic_rollout_resample(NULL, &up) != PADIC_OK);
    CHECK(padic_rollout_spectral_mix(NULL, &mix) != PADIC_OK);
    CHECK(padic_rollout_update(NULL, &update) != PADIC_OK);
    CHECK(padic_rollout_postprocess(NULL, &post) != PADIC_OK);
    memset(x, 0, sizeof x);
    conv.in = stack(x, 1, 2, 4, 4), conv.out = stack(y, 1, 2, 4, 4);
    conv.weights = padic_tensor_1d(PADIC_F32, w, 36);
    CHECK_EQ(padic_rollout_conv(NULL, &conv), PADIC_OK);
    conv.weights.shape[0] = 35;
    CHECK_EQ(padic_rollout_conv(NULL, &conv), PADIC_ERROR_MISMATCH);
    conv.weights.shape[0] = 36, conv.kernel = 2;
    CHECK_EQ(padic_rollout_conv(NULL, &conv), PADIC_ERROR_ARGUMENT);
    conv.kernel = 3, conv.out.shape[1] = 70000;
    CHECK_EQ(padic_rollout_conv(NULL, &conv), PADIC_ERROR_LIMIT);
    conv.out = conv.in;
    CHECK_EQ(padic_rollout_conv(NULL, &conv), PADIC_ERROR_OVERLAP);
    up.in = stack(x, 1, 2, 2, 2), up.out = stack(y, 1, 2, 4, 4), up.halve = 2;
    CHECK_EQ(padic_rollout_resample(NULL, &up), PADIC_ERROR_ARGUMENT);
    up.halve = 1;
    CHECK_EQ(padic_rollout_resample(NULL, &up), PADIC_ERROR_MISMATCH);
    update.before = stack(x, 1, 1, 4, 4), update.output = update.out = stack(y, 1, 1, 4, 4);
    CHECK_EQ(padic_rollout_update(NULL, &update), PADIC_OK);
    update.parameter = padic_tensor_1d(PADIC_F64, &two, 1);
    CHECK_EQ(padic_rollout_update(NULL, &update), PADIC_ERROR_ARGUMENT);
    update.policy = PADIC_ROLLOUT_POLICY_RESIDUAL;
    CHECK_EQ(padic_rollout_update(NULL, &update), PADIC_OK);
    update.policy = PADIC_ROLLOUT_POLICY_CONVEX;
    CHECK_EQ(padic_rollout_update(NULL, &update), PADIC_ERROR_ARGUMENT);
    update.policy = (padic_rollout_policy)3;
    CHECK_EQ(padic_rollout_update(NULL, &update), PADIC_ERROR_ARGUMENT);
    update.policy = PADIC_ROLLOUT_POLICY_RESIDUAL, update.parameter.shape[0] = 2;
    CHECK_EQ(padic_rollout_update(NULL, &update), PADIC_ERROR_MISMATCH);
    update.out = update.before, update.parameter.shape[0] = 1;
    CHECK_EQ(padic_rollout_update(NULL, &update), PADIC_ERROR_OVERLAP);
    post.state = stack(x, 1, 2, 4, 4), post.out = stack(y, 1, 2, 4, 4);
    post.flags = PADIC_ROLLOUT_POST_PER_CHANNEL;
    CHECK_EQ(padic_rollout_postprocess(NULL, &post), PADIC_ERROR_ARGUMENT);
    post.flags = 1;
    CHECK_EQ(padic_rollout_postprocess(NULL, &post), PADIC_ERROR_ARGUMENT);
    post.flags = PADIC_ROLLOUT_CLAMP, post.lo = 1;
    CHECK_EQ(padic_rollout_postprocess(NULL, &post), PADIC_ERROR_ARGUMENT);
    post.flags = 0, post.out.shape[3] = 3;
    CHECK_EQ(padic_rollout_postprocess(NULL, &post), PADIC_ERROR_MISMATCH);
}

TEST_MAIN("test_rollout_single", CASE(conv), CASE(norm_act), CASE(resample_and_mix),
          CASE(update_is_run), CASE(postprocess), CASE(refused))
