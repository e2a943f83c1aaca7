// test_rollout_precision.c: evaluations in 16 bits and in f64 against loops in f64; what does not
// fit in 16 bits, and weights that are not finite.
#define PADIC_IMPLEMENTATION
#include "../../padic.h"
#include "../../backends/padic_simd.h"
#include "../../backends/padic_threads.h"
#include "../support/padic_test.h"
#include "../support/contexts.h"

#include "rollout_support.h"

#define F16 PADIC_ROLLOUT_PRECISION_F16
#define BF16 PADIC_ROLLOUT_PRECISION_BF16
#define F64 PADIC_ROLLOUT_PRECISION_F64

static padic_result do_with(padic_context *context, run_of *r, padic_rollout_precision precision)
{
    const uint64_t in[5] = {r->n, r->b, r->op.channels, r->op.height, r->op.width};
    const padic_rollout_shape *last = &shapes[r->op.count - 1];
    const uint64_t out[5] = {r->n, r->b, last->channels, last->height, last->width};
    padic_rollout_apply_desc desc = PADIC_ZERO;
    desc.op = r->op;
    desc.precision = precision;
    desc.weights = padic_tensor_2d(PADIC_F32, r->weights_f, r->n, r->parameters);
    desc.state = padic_tensor_nd(PADIC_F32, r->state_f, 5, in);
    desc.out = padic_tensor_nd(PADIC_F32, r->got_f, 5, out);
    return padic_rollout_apply(context, &desc);
}

// To `digits` binary digits, in steps of at least 2^`least`, ties to even.
static double rounded(double x, int digits, int least, double most)
{
    int exponent;
    double step;
    if (isnan(x) || isinf(x)) return x;
    (void)frexp(x, &exponent);
    step = ldexp(1, exponent - digits > least ? exponent - digits : least);
    x = rint(x / step) * step;
    return fabs(x) > most ? (x > 0 ? (double)INFINITY : -(double)INFINITY) : x;
}

// A convolution with the weight 1 gives the state, in 16 bits; so does one of weight w for states
// of 1.
TEST(rounding)
{
    contexts_begin(0);
    for (uint32_t with = 0; with < context_count; with++)
        for (int bf = 0; bf < 2; bf++)
            for (int of = 0; of < 2; of++) { // of a state, of a weight
                padic_rollout_operator op = list(of ? 1 : 1, 32, 64);
                nodes[0].kernel = 1, nodes[0].norm = PADIC_ROLLOUT_NORM_NONE;
                nodes[0].act = PADIC_ROLLOUT_ACT_NONE;
                nodes[0].channels = of ? 128 : 1;
                run_of r = run_new(&op, 1, 1);
                float *x = of ? r.weights_f : r.state_f, *one = of ? r.state_f : r.weights_f;
                const uint32_t count = of ? 128 : 32 * 64;
                for (uint64_t i = 0; i < (of ? r.in : r.parameters); i++) one[i] = 1;
                for (uint64_t i = 0; i < (of ? 128u : 1u); i++) // biases
                    r.weights_f[(of ? 128u : 1u) + i] = 0;
                for (uint32_t i = 0; i < count; i++) {
                    x[i] = (float)ldexp(uniform(), (int)below(60) - 36);
                    if (i % 5 == 0) { // ties, and beside them
                        x[i] = 1 + (float)ldexp((int)below(32), bf ? -9 : -12);
                        if (i % 2) x[i] = -nextafterf(x[i], 9);
                    }
                }
                if (!bf) {
                    x[0] = 65519.9961f, x[1] = 65504, x[2] = 5.9604645e-8f, x[3] = 2.98e-8f;
                    x[4] = 2.9802322e-8f, x[5] = 6.1035156e-5f, x[6] = 8.9406967e-8f;
                }
                x[7] = -0.0f, x[8] = 1e-45f;
                for (uint32_t i = 0; i < count && !bf; i++)
                    if (fabsf(x[i]) >= 65520) x[i] = 3;
                CHECK_EQ(do_with(contexts[with], &r, bf ? BF16 : F16), PADIC_OK);
                for (uint32_t i = 0; i < count; i++)
                    CHECK_NEAR(r.got_f[of ? i * 32 * 64 : i],
                               bf ? rounded((double)x[i], 8, -133, 3.3895e38)
                                  : rounded((double)x[i], 11, -24, 65504), 0);
                run_end(&r);
            }
    contexts_end();
}

// R2 of 16 bits: root mean square and largest error, relative to that of the output; and f64 from
// F32 states, the same bits with vectors.
TEST(errors)
{
    contexts_begin(0);
    for (uint32_t round = 0; round < (test_tiny ? 2u : 4u); round++) {
        padic_rollout_operator op = list(3, 20, 24);
        const double times = round % 2 ? 2 : 1; // U-shaped: twice
        if (round % 2) {
            padic_rollout_nodes_uafno_desc desc = PADIC_ZERO;
            desc.width = 6, desc.levels = 1, desc.blocks = 1, desc.mixers = 2, desc.modes = 4;
            desc.nodes = nodes, desc.capacity = PADIC_ROLLOUT_NODES;
            op.height = op.width = 12;
            op.count = padic_rollout_nodes_uafno(&desc);
        } else {
            padic_rollout_nodes_cnn_desc desc = PADIC_ZERO;
            desc.width = 8, desc.layers = 4;
            desc.nodes = nodes, desc.capacity = PADIC_ROLLOUT_NODES;
            desc.boundary = PADIC_ROLLOUT_BOUNDARY_PERIODIC;
            op.count = padic_rollout_nodes_cnn(&desc);
        }
        run_of r = run_new(&op, 1, 1);
        padic_rollout_weights_init_desc init = PADIC_ZERO;
        init.op = op, init.seed = 3 + round;
        init.out = padic_tensor_2d(PADIC_F32, r.weights_f, 1, r.parameters);
        CHECK_EQ(padic_rollout_weights_init(NULL, &init), PADIC_OK);
        for (uint64_t i = 0; i < r.parameters; i++) r.weights[i] = (double)r.weights_f[i];
        oracle_field want = oracle_run(&op, shapes, r.weights, r.state);
        float *bits = (float *)fresh(3 * r.out, 4);
        for (uint32_t with = 0; with < context_count; with++) {
            double rms, most, least;
            CHECK_EQ(do_with(contexts[with], &r, F16), PADIC_OK);
            run_error(&r, want.at, 0, 1, &rms, &most);
            CHECK(rms <= 8e-3 * times && most <= 6e-2 * times);
            least = rms;
            if (with > 1) memcpy(bits + r.out, r.got_f, (size_t)r.out * 4);
            CHECK_EQ(do_with(contexts[with], &r, BF16), PADIC_OK);
            run_error(&r, want.at, 0, 1, &rms, &most);
            CHECK(rms <= 5e-2 * times && most <= 0.4 * times);
            CHECK(least > 1e-5 && rms > 3 * least); // it has reached the layers
            CHECK_EQ(do_with(contexts[with], &r, F64), PADIC_OK);
            run_error(&r, want.at, 0, 1, &rms, &most);
            CHECK(rms <= 3e-8 && most <= 2e-7);
            if (with) CHECK(!memcmp(bits, r.got_f, (size_t)r.out * 4));
            memcpy(bits, r.got_f, (size_t)r.out * 4);
        }
        // R13: workers do not change a bit.
        CHECK_EQ(do_with(contexts[1], &r, F16), PADIC_OK);
        CHECK(!memcmp(bits + r.out, r.got_f, (size_t)r.out * 4));
        free(bits);
        oracle_end(&want), run_end(&r);
    }
    contexts_end();
}

static padic_rollout_run_desc rollout(const padic_rollout_operator *op, float *w, uint64_t n,
                                      uint64_t p, float *x, uint64_t i, float *y, uint32_t steps)
{
    const uint64_t initial[4] = {i, op->channels, op->height, op->width};
    const uint64_t frames[7] = {n, i, 1, steps, op->channels, op->height, op->width};
    padic_rollout_run_desc run = PADIC_ZERO;
    run.op = *op;
    run.weights = padic_tensor_2d(PADIC_F32, w, n, p);
    run.initial = padic_tensor_nd(PADIC_F32, x, 4, initial);
    run.steps = steps;
    run.out = padic_tensor_nd(PADIC_F32, y, 7, frames);
    return run;
}

// A number that does not fit in 16 bits sets the status even where an activation hides it: tanh of
// an infinity is 1. Only of its own trajectory.
TEST(overflow)
{
    contexts_begin(0);
    for (uint32_t with = 0; with < context_count; with++)
        for (int bf = 0; bf < 2; bf++) {
            padic_rollout_operator op = list(1, 3, 4);
            float w[2] = {300, 0}, x[24], y[48];
            padic_rollout_status status[2];
            const uint64_t four[4] = {1, 2, 1, 4};
            op.count = 2;
            nodes[0].kernel = 1, nodes[0].norm = PADIC_ROLLOUT_NORM_NONE;
            nodes[0].act = PADIC_ROLLOUT_ACT_NONE;
            nodes[1].kind = PADIC_ROLLOUT_KIND_NORM, nodes[1].input = 1;
            nodes[1].norm = PADIC_ROLLOUT_NORM_NONE, nodes[1].act = PADIC_ROLLOUT_ACT_TANH;
            for (int i = 0; i < 24; i++) x[i] = 0.25f;
            x[12] = 300;
            padic_rollout_run_desc run = rollout(&op, w, 1, 2, x, 2, y, 2);
            run.status = padic_tensor_nd(PADIC_U32, status, 4, four);
            run.precision = bf ? BF16 : F16;
            CHECK_EQ(padic_rollout_run(contexts[with], &run), PADIC_OK);
            CHECK(!status[0].code && y[36] > 0.9f);
            CHECK_EQ(status[1].code, bf ? PADIC_ROLLOUT_CODE_OK : PADIC_ROLLOUT_CODE_NOT_FINITE);
            CHECK(bf || (status[1].step == 1 && !status[1].last_good));
            run.failure = PADIC_ROLLOUT_FAILURE_FREEZE;
            CHECK_EQ(padic_rollout_run(contexts[with], &run), PADIC_OK);
            CHECK(bf ? y[36] < 2 : !memcmp(y + 24, y + 36, 48)); // still X_0
            run.precision = PADIC_ROLLOUT_PRECISION_F32;
            CHECK_EQ(padic_rollout_run(contexts[with], &run), PADIC_OK);
            CHECK(!status[1].code);
        }
    contexts_end();
}

// A weight that is not finite is never silent: the status of its operator's trajectories, of no
// others, at step 0, though ReLU hides it; so is one that is too large for 16 bits.
TEST(faulty_weights)
{
    for (int way = 0; way < 4; way++) {
        padic_rollout_operator op = list(1, 2, 2);
        float w[6] = {1, 0, 1, 0, 1, 0}, x[4] = {1, 2, 3, 4}, y[24];
        padic_rollout_status status[3];
        const uint64_t four[4] = {3, 1, 1, 4};
        nodes[0].kernel = 1, nodes[0].norm = PADIC_ROLLOUT_NORM_NONE;
        nodes[0].act = PADIC_ROLLOUT_ACT_RELU;
        padic_rollout_run_desc run = rollout(&op, w, 3, 2, x, 1, y, 2);
        run.status = padic_tensor_nd(PADIC_U32, status, 4, four);
        if (way == 0) w[2] = -(float)INFINITY;
        if (way == 1) w[3] = -(float)INFINITY;
        if (way == 2) w[2] = (float)NAN;
        if (way == 3) w[2] = -70000, run.precision = F16;
        CHECK_EQ(padic_rollout_run(NULL, &run), PADIC_OK);
        CHECK(!status[0].code && !status[2].code);
        CHECK(status[1].code == PADIC_ROLLOUT_CODE_NOT_FINITE && !status[1].step &&
              status[1].last_good == UINT32_MAX);
        run.failure = PADIC_ROLLOUT_FAILURE_FAIL;
        CHECK_EQ(padic_rollout_run(NULL, &run), PADIC_ERROR_NOT_FINITE);
        CHECK(isnan(y[8]) && isnan(y[12]) && y[4] > 0 && y[20] > 0);
    }
}

TEST(refused)
{
    padic_rollout_operator op = list(1, 4, 4);
    const uint64_t five[5] = {1, 1, 1, 4, 4};
    const uint32_t four = 4;
    padic_rollout_precision unknown;
    run_of r = run_new(&op, 1, 1);
    padic_rollout_apply_desc desc = PADIC_ZERO;
    memcpy(&unknown, &four, sizeof four);
    CHECK_EQ(do_with(NULL, &r, unknown), PADIC_ERROR_ARGUMENT);
    CHECK_EQ(do_with(NULL, &r, F64), PADIC_OK);
    desc.op = op;
    desc.weights = padic_tensor_2d(PADIC_F64, r.weights, 1, r.parameters);
    desc.state = padic_tensor_nd(PADIC_F64, r.state, 5, five);
    desc.out = padic_tensor_nd(PADIC_F64, r.got, 5, five);
    desc.precision = BF16;
    CHECK_EQ(padic_rollout_apply(NULL, &desc), PADIC_ERROR_DTYPE);
    desc.precision = F64;
    CHECK_EQ(padic_rollout_apply(NULL, &desc), PADIC_OK);
    run_end(&r);
}

TEST_MAIN("test_rollout_precision", CASE(rounding), CASE(errors), CASE(overflow),
          CASE(faulty_weights), CASE(refused))
