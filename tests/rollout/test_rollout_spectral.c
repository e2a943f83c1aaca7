// test_rollout_spectral.c: SPECTRAL nodes against closed forms of one mode and direct sums in f64,
// and U-shaped networks that have them.
#define PADIC_IMPLEMENTATION
#include "../../padic.h"
#include "../../backends/padic_simd.h"
#include "../../backends/padic_threads.h"
#include "../support/padic_test.h"
#include "../support/contexts.h"

#include "rollout_support.h"

static padic_rollout_operator spectral(uint32_t c, uint32_t h, uint32_t w, uint32_t modes,
                                       uint32_t flags)
{
    padic_rollout_operator op = list(c, h, w);
    nodes[0].kind = PADIC_ROLLOUT_KIND_SPECTRAL;
    nodes[0].modes = modes;
    nodes[0].flags = flags;
    return op;
}

// Which weight has mode (q_y, q_x); `up` rows from 0 on, `down` rows below 0.
static uint64_t place_of(int qy, int qx, uint32_t up, uint32_t down, uint32_t columns)
{
    return ((uint64_t)(qy >= 0 ? qy : (int)(up + down) + qy) * columns + (uint64_t)qx) * 2;
}

// R9: one mode's weight r e^(i theta) turns cos(2 pi q.x) to r cos(2 pi q.x + theta).
TEST(one_mode)
{
    enum { H = 12, W = 10, CELLS = H * W, MODES = 5 };
    static const int q[][2] = {{0, 1}, {2, 3}, {-3, 2}, {4, 1}, {2, 0}, {-2, 0}, {0, 0}, {-1, 4}};
    contexts_begin(0);
    for (uint32_t with = 0; with <= context_count; with++) // the last: F64
        for (uint32_t one = 0; one < 2; one++)
            for (uint32_t k = 0; k < sizeof q / sizeof *q; k++)
                for (uint32_t mirror = 0; mirror < 2; mirror++) {
                    const double r = 1.7, theta = 0.6, turn = 2 * acos(-1.0);
                    const int qy = q[k][0], qx = q[k][1];
                    const uint32_t down = one ? 0 : MODES;
                    padic_rollout_operator op =
                        spectral(1, H, W, MODES, one * PADIC_ROLLOUT_ONE_SIDED);
                    run_of run = run_new(&op, 1, 1);
                    double factor = 1, phase = theta;
                    CHECK_EQ(run.parameters, 2 * (MODES + down) * MODES);
                    memset(run.weights, 0, (size_t)run.parameters * 8);
                    if (!one || qy >= 0) {
                        double *at = run.weights + place_of(qy, qx, MODES, down, MODES);
                        at[0] = r * cos(theta), at[1] = r * sin(theta);
                    } else {
                        factor = 0; // no such row
                    }
                    if (!qx && qy) { // half, unless -q_y has the conjugate weight
                        if (mirror && !one) {
                            double *at = run.weights + place_of(-qy, 0, MODES, down, MODES);
                            at[0] = r * cos(theta), at[1] = -r * sin(theta);
                        } else {
                            factor /= 2;
                        }
                    }
                    if (!qx && !qy) factor = cos(theta), phase = 0;
                    for (uint32_t i = 0; i < CELLS; i++)
                        run.state[i] = cos(turn * ((int)(i / W) * qy / (double)H +
                                                   (int)(i % W) * qx / (double)W));
                    for (uint32_t i = 0; i < CELLS; i++) run.state_f[i] = (float)run.state[i];
                    for (uint64_t i = 0; i < run.parameters; i++)
                        run.weights_f[i] = (float)run.weights[i];
                    const int is_float = with < context_count;
                    CHECK_EQ(run_do(is_float ? contexts[with] : NULL, &run,
                                    is_float ? PADIC_F32 : PADIC_F64, 0), PADIC_OK);
                    for (uint32_t i = 0; i < CELLS; i++) {
                        const double want =
                            factor * r * cos(turn * ((int)(i / W) * qy / (double)H +
                                                     (int)(i % W) * qx / (double)W) + phase);
                        if (is_float) CHECK_NEAR(run.got_f[i], want, 2e-6);
                        else CHECK_NEAR(run.got[i], want, 1e-14);
                    }
                    run_end(&run);
                }
    contexts_end();
}

// R9: all modes with the identity as weights are the identity, on even and odd grids.
TEST(identity)
{
    static const uint32_t sizes[][2] = {{8, 8}, {1, 1}, {1, 6}, {5, 1}, {7, 9}, {6, 15}, {22, 26}};
    contexts_begin(0);
    for (uint32_t k = 0; k < sizeof sizes / sizeof *sizes; k++)
        for (uint32_t one = 0; one < 2; one++) {
            const uint32_t h = sizes[k][0], w = sizes[k][1], c = 3;
            padic_rollout_operator op = spectral(c, h, w, 40, one * PADIC_ROLLOUT_ONE_SIDED);
            run_of run = run_new(&op, 1, 2);
            const uint64_t modes = (uint64_t)h * (w / 2 + 1);
            CHECK_EQ(run.parameters, 2 * c * c * modes);
            for (uint64_t i = 0; i < run.parameters; i++)
                run.weights_f[i] = i % 2 == 0 && i / 2 / modes % c == i / 2 / modes / c ? 1 : 0;
            for (uint32_t with = 0; with < context_count; with++) {
                CHECK_EQ(run_do(contexts[with], &run, PADIC_F32, 0), PADIC_OK);
                for (uint64_t i = 0; i < 2 * run.out; i++)
                    CHECK_NEAR(run.got_f[i], run.state_f[i], 5e-6);
            }
            run_end(&run);
        }
    contexts_end();
}

// R2 of SPECTRAL nodes among others: channels that fill no block, modes that the grid clips, odd
// grids, one after a norm that is pending.
TEST(direct_sums)
{
    contexts_begin(0);
    for (uint32_t round = 0; round < (test_tiny ? 6u : 14u); round++) {
        const uint32_t c = 1 + below(4), h = 1 + below(15), w = 1 + below(15);
        padic_rollout_operator op = spectral(c, h, w, 1 + below(9), below(2) * 4);
        if (round % 2) {
            op.count = 3;
            nodes[1] = nodes[0];
            nodes[1].input = 1, nodes[1].channels = 1 + below(18);
            memset(&nodes[0], 0, sizeof nodes[0]);
            nodes[0].channels = 1 + below(18), nodes[0].kernel = 1;
            nodes[0].norm = PADIC_ROLLOUT_NORM_LAYER;
            nodes[2].input = 2, nodes[2].kernel = 1, nodes[2].channels = 2;
            nodes[2].norm = PADIC_ROLLOUT_NORM_NONE;
        } else {
            nodes[0].channels = 1 + below(34);
        }
        run_of run = run_new(&op, 2, 1);
        run_check(&run);
        run_end(&run);
    }
    contexts_end();
}

static uint32_t uafno(uint32_t width, uint32_t levels, uint32_t blocks, uint32_t mixers,
                      uint32_t modes, uint32_t hidden)
{
    padic_rollout_nodes_uafno_desc desc = PADIC_ZERO;
    memset(nodes, 0, sizeof nodes);
    desc.width = width, desc.levels = levels, desc.blocks = blocks, desc.mixers = mixers;
    desc.modes = modes, desc.hidden = hidden;
    desc.nodes = nodes, desc.capacity = PADIC_ROLLOUT_NODES;
    return padic_rollout_nodes_uafno(&desc);
}

// What the page counts for Rollout-U: 6.48 GFLOP an evaluation, without the transforms; spectral
// weights of 38 MB in 16 bits.
TEST(counts)
{
    padic_rollout_operator op = list(3, 64, 64);
    padic_rollout_operator_report report = PADIC_ZERO;
    uint64_t kept = 0;
    report.shapes = shapes;
    op.count = uafno(32, 2, 2, 4, 16, 64);
    CHECK_EQ(op.count, 1 + 2 * 7 + 4 * 9 + 2 * 9 + 1);
    CHECK_EQ(padic_rollout_operator_info(NULL, &op, &report), PADIC_OK);
    for (uint32_t i = 0; i < op.count; i++)
        if (nodes[i].kind == PADIC_ROLLOUT_KIND_SPECTRAL) {
            CHECK(shapes[i].channels == 128 && shapes[i].height == 16);
            kept += shapes[i].count;
        }
    CHECK_EQ(kept, 4 * 2 * 128 * 128 * 16 * 9); // 37.7 MB
    printf("  %.3f GFLOP\n", 2e-9 * (double)report.mac);
    CHECK(2e-9 * (double)report.mac > 6.4 && 2e-9 * (double)report.mac < 6.6);
    CHECK(report.output_channels == 3 && report.output_height == 64);
    op.height = 62; // no multiple of 2^levels
    CHECK_EQ(padic_rollout_operator_info(NULL, &op, &report), PADIC_ERROR_MISMATCH);
}

TEST(uafno_refuses)
{
    padic_rollout_nodes_uafno_desc desc = PADIC_ZERO;
    CHECK_EQ(padic_rollout_nodes_uafno(NULL), 0);
    CHECK_EQ(padic_rollout_nodes_uafno(&desc), 0);
    CHECK_EQ(uafno(4, 1, 1, 1, 0, 0), 0);
    CHECK_EQ(uafno(4, 1, 0, 1, 1, 0), 0);
    CHECK_EQ(uafno(4, 17, 1, 1, 1, 0), 0);
    CHECK_EQ(uafno(4, 0, 1, 28, 1, 0), 254);
    CHECK_EQ(uafno(4, 0, 1, 29, 1, 0), 0);
    CHECK_EQ(uafno(4097, 1, 1, 1, 1, 0), 0);
    CHECK_EQ(uafno(4, 1, UINT32_MAX, 1, 1, 0), 0);
    CHECK_EQ(uafno(4, 1, 1, UINT32_MAX, 1, 0), 0);
    CHECK_EQ(uafno(4, 4, 1, 1, 1, 0), 1 + 4 * 4 + 9 + 4 * 6 + 1);
    CHECK_EQ(nodes[13].channels, 32); // min(2 ch, 8 c)
}

// R2, times 2, of U-shaped networks against direct sums.
TEST(uafno_direct)
{
    contexts_begin(0);
    for (uint32_t round = 0; round < (test_tiny ? 2u : 4u); round++) {
        padic_rollout_operator op = list(3, round % 2 ? 8 : 16, round % 2 ? 20 : 16);
        op.count = uafno(3 + round, 1 + round % 2, 1, 2, 3 + round, round % 2 ? 0 : 5);
        run_of run = run_new(&op, 1, 2);
        padic_rollout_weights_init_desc init = PADIC_ZERO;
        init.op = op, init.seed = round;
        init.out = padic_tensor_2d(PADIC_F32, run.weights_f, 1, run.parameters);
        CHECK_EQ(padic_rollout_weights_init(NULL, &init), PADIC_OK);
        for (uint64_t i = 0; i < run.parameters; i++) run.weights[i] = (double)run.weights_f[i];
        for (uint64_t b = 0; b < 2; b++) {
            oracle_field want = oracle_run(&op, shapes, run.weights, run.state + b * run.in);
            double rms, most;
            CHECK_EQ(run_do(NULL, &run, PADIC_F64, 0), PADIC_OK);
            run_error(&run, want.at, b, 0, &rms, &most);
            CHECK(rms <= 1e-12 && most <= 1e-11);
            for (uint32_t with = 0; with < context_count; with++) {
                CHECK_EQ(run_do(contexts[with], &run, PADIC_F32, 0), PADIC_OK);
                run_error(&run, want.at, b, 1, &rms, &most);
                CHECK(rms <= 1e-5 && most <= 1e-4);
            }
            oracle_end(&want);
        }
        run_end(&run);
    }
    contexts_end();
}

// R13: each trajectory alone, limits of memory, workers: the same bits.
TEST(splits)
{
    contexts_begin(0);
    for (uint32_t with = 0; with < context_count; with++) {
        padic_rollout_operator op = list(2, 12, 8);
        op.count = uafno(4, 1, 1, 2, 3, 0);
        nodes[op.count - 1].channels = 2;
        run_of run = run_new(&op, 2, 2), one = run_new(&op, 1, 1);
        CHECK_EQ(run_do(contexts[with], &run, PADIC_F32, 0), PADIC_OK);
        float *all = (float *)fresh(4 * run.out, 4);
        memcpy(all, run.got_f, (size_t)(16 * run.out));
        for (uint64_t t = 4; t-- > 0;) {
            memcpy(one.weights_f, run.weights_f + t / 2 * run.parameters,
                   (size_t)run.parameters * 4);
            memcpy(one.state_f, run.state_f + t * run.in, (size_t)run.in * 4);
            CHECK_EQ(run_do(contexts[with], &one, PADIC_F32, 0), PADIC_OK);
            CHECK(!memcmp(one.got_f, all + t * run.out, (size_t)run.out * 4));
        }
        uint64_t most = 1 << 12;
        while (run_do(contexts[with], &run, PADIC_F32, most) == PADIC_ERROR_MEMORY)
            most += most / 8;
        CHECK(!memcmp(run.got_f, all, (size_t)(16 * run.out)));
        run_end(&run), run_end(&one);
        free(all);
    }
    contexts_end();
}

// Weights: re and im N(0, 1) times 1/(C_in C_out), or times `scale`; purpose 3.
TEST(weights)
{
    for (uint32_t given = 0; given < 2; given++) {
        padic_rollout_operator op = spectral(4, 32, 32, 16, 0);
        padic_rollout_weights_init_desc init = PADIC_ZERO;
        float *w;
        double mean = 0, square = 0;
        nodes[0].channels = 8;
        nodes[0].scale = given ? 0.25f : 0;
        run_of run = run_new(&op, 1, 1);
        w = run.weights_f;
        init.op = op, init.seed = 31;
        init.out = padic_tensor_2d(PADIC_F32, w, 1, run.parameters);
        CHECK_EQ(padic_rollout_weights_init(NULL, &init), PADIC_OK);
        const double scale = given ? 0.25 : 1.0 / 32, n = (double)run.parameters;
        for (uint64_t i = 0; i < run.parameters; i++)
            mean += (double)w[i] / scale / n, square += (double)w[i] * (double)w[i] / scale /
                                                        scale / n;
        CHECK_NEAR(mean, 0, 5 / sqrt(n));
        CHECK_NEAR(square, 1, 5 * sqrt(2 / n));
        for (uint64_t i = 0; i < 100; i++) {
            uint32_t words[4];
            padic_random_block(31, (uint64_t)(1 << 4 | 3) << 32, 0, (uint32_t)(i / 4), words);
            CHECK_NEAR(w[i], padic_random_normal(words[i % 4]) * (float)scale, 0);
        }
        run_end(&run);
    }
}

TEST(refused)
{
    padic_rollout_operator_report report = PADIC_ZERO;
    padic_rollout_operator op = spectral(2, 4, 4, 2, 0);
    const padic_rollout_node fine = nodes[0];
    CHECK_EQ(padic_rollout_operator_info(NULL, &op, &report), PADIC_OK);
    const uint64_t signature = report.signature;
#define REFUSED(change)                                                                         \
    nodes[0] = fine;                                                                            \
    change;                                                                                     \
    CHECK_EQ(padic_rollout_operator_info(NULL, &op, &report), PADIC_ERROR_ARGUMENT)
    REFUSED(nodes[0].modes = 0);
    REFUSED(nodes[0].flags = 1);
    REFUSED(nodes[0].flags = 8);
    REFUSED(nodes[0].kernel = 3);
    REFUSED(nodes[0].act = PADIC_ROLLOUT_ACT_RELU);
    REFUSED(nodes[0].scale = -1);
    REFUSED(nodes[0].scale = (float)NAN);
    REFUSED(nodes[0].boundary = PADIC_ROLLOUT_BOUNDARY_PERIODIC);
    REFUSED(nodes[0].kind = PADIC_ROLLOUT_KIND_CONV); // modes are no field of it
    nodes[0] = fine;
    nodes[0].modes = 1;
    CHECK_EQ(padic_rollout_operator_info(NULL, &op, &report), PADIC_OK);
    CHECK(report.signature != signature);
    nodes[0].modes = 2, nodes[0].flags = PADIC_ROLLOUT_ONE_SIDED;
    CHECK_EQ(padic_rollout_operator_info(NULL, &op, &report), PADIC_OK);
    CHECK(report.signature != signature);
}

TEST_MAIN("test_rollout_spectral", CASE(one_mode), CASE(identity), CASE(direct_sums),
          CASE(counts), CASE(uafno_refuses), CASE(uafno_direct), CASE(splits), CASE(weights),
          CASE(refused))
