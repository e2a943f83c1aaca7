// test_gpu_rollout_parts.c: what a device has of rollouts beside cells: SPECTRAL nodes and networks
// with Fourier mixing beside the plain reference in f64, noise with a correlation beside
// padic_rollout_noise(), metrics beside padic_rollout_reduce() of the same frames; the same bytes
// whatever is computed beside.
//
//     ./test_gpu_rollout_parts           devices: see gpu_devices.h
#include "../support/inside.h"
#include "../../padic.h"
#include "gpu_devices.h"
#include "../rollout/rollout_lists.h"
#include "rollout_world.h"

// Grids of one row or column, odd and even ones, more columns than a group has, all modes or few.
TEST(spectral)
{
    static const uint32_t sizes[] = {1, 2, 3, 8, 17, 30, 64, 150};
    static const uint32_t channels[] = {1, 2, 5, 20};
    open_devices();
    for (uint32_t i = 0; i < (test_tiny ? 8u : 40u); i++) {
        uint32_t height = sizes[below(8)];
        const uint32_t width = sizes[i % 8], inputs = channels[below(4)];
        padic_rollout_operator op;
        while (height * width > (test_tiny ? 700u : 5000u)) height = sizes[below(8)];
        op = list(inputs, height, width);
        nodes[0].kind = PADIC_ROLLOUT_KIND_SPECTRAL;
        nodes[0].channels = channels[below(4)];
        nodes[0].modes = 1 + below(i % 3 ? 8 : 80);
        nodes[0].flags = i % 4 == 3 ? PADIC_ROLLOUT_ONE_SIDED : 0;
        if (i % 2) {
            nodes[1] = nodes[0];
            nodes[0].kind = PADIC_ROLLOUT_KIND_NORM, nodes[0].modes = 0, nodes[0].channels = 0;
            nodes[0].flags = 0, nodes[0].norm = PADIC_ROLLOUT_NORM_LAYER;
            nodes[0].act = (padic_rollout_act)(i % 6);
            nodes[1].input = 1;
            op.count = 2;
        }
        world w = world_new(&op, 1 + i % 2, 1 + below(6));
        padic_rollout_apply_desc desc = apply_of(&w, PADIC_F64), single = apply_of(&w, PADIC_F32);
        CHECK_EQ(padic_rollout_apply(NULL, &desc), PADIC_OK);
        for (int d = 0; d < device_count; d++) {
            CHECK(apply_on(devices[d], &single, w.got));
            graph_check(&w);
        }
        world_end(&w);
    }
}

// One mode with weight r e^{i theta}: a cosine is turned by theta, in closed form; half of it in
// column 0, where the mode at -q has no weight.
TEST(one_mode)
{
    enum { H = 12, W = 20, N = H * W };
    padic_rollout_operator op = list(1, H, W);
    open_devices();
    nodes[0].kind = PADIC_ROLLOUT_KIND_SPECTRAL;
    nodes[0].modes = 6; // rows 0 to 5 and -6 to -1, columns 0 to 5
    world w = world_new(&op, 1, 1);
    CHECK_EQ(w.report.parameters, 12 * 6 * 2);
    for (uint32_t i = 0; i < 12 * 6; i++) {
        const uint32_t row = i / 6, q = i % 6;
        const double qy = row < 6 ? (double)row : (double)row - 12, pi = 3.14159265358979323846;
        const double size = q ? 0.75 : row == 6 || !row ? 0.75 : 0.375;
        memset(w.weights_f, 0, w.report.parameters * 4);
        w.weights_f[2 * i] = 0.75f * 0.6f, w.weights_f[2 * i + 1] = 0.75f * 0.8f;
        for (uint32_t e = 0; e < N; e++) {
            const double phase = 2 * pi * (q * (e % W) / 20.0 + qy * (e / W) / 12.0);
            w.state_f[e] = (float)cos(phase);
            w.want[e] = size * (0.6 * cos(phase) - 0.8 * sin(phase));
            if (!q && (!row || row == 6)) w.want[e] = size * 0.6 * cos(phase);
        }
        padic_rollout_apply_desc desc = apply_of(&w, PADIC_F32);
        for (int d = 0; d < device_count; d++) {
            CHECK(apply_on(devices[d], &desc, w.got));
            for (uint32_t e = 0; e < N; e++) CHECK(fabs((double)w.got[e] - w.want[e]) <= 2e-6);
        }
    }
    world_end(&w);
}

// Networks with Fourier mixing, whole on a device: within twice R2.
TEST(uafno)
{
    open_devices();
    for (uint32_t i = 0; i < (test_tiny ? 2u : 4u); i++) {
        const uint32_t side = test_tiny ? 8u : 16u << i % 2;
        padic_rollout_operator op = list(3, side, side + 4 * (i % 2));
        padic_rollout_nodes_uafno_desc net = PADIC_ZERO;
        net.width = test_tiny ? 4 : 8;
        net.levels = 1 + i % 2, net.blocks = 1, net.mixers = 2;
        net.modes = 2 + 2 * i;
        net.hidden = 12;
        net.flags = i == 3 ? PADIC_ROLLOUT_ONE_SIDED : 0;
        net.nodes = nodes, net.capacity = PADIC_ROLLOUT_NODES;
        op.count = padic_rollout_nodes_uafno(&net);
        CHECK(op.count > 10);
        world w = world_new(&op, 1 + i % 2, 2);
        padic_rollout_apply_desc desc = apply_of(&w, PADIC_F64), single = apply_of(&w, PADIC_F32);
        CHECK_EQ(padic_rollout_apply(NULL, &desc), PADIC_OK);
        for (int d = 0; d < device_count; d++) {
            CHECK(apply_on(devices[d], &single, w.got));
            graph_check(&w);
        }
        world_end(&w);
    }
}

// States alone, in other batches and beside other operators: the same bits.
TEST(spectral_splits)
{
    open_devices();
    padic_rollout_operator op = list(3, 14, 18);
    nodes[0].kind = PADIC_ROLLOUT_KIND_SPECTRAL, nodes[0].modes = 5;
    nodes[1].kind = PADIC_ROLLOUT_KIND_ADD, nodes[1].input = 1;
    op.count = 2;
    world w = world_new(&op, 2, 5);
    padic_rollout_apply_desc desc = apply_of(&w, PADIC_F32);
    float *all = (float *)fresh(10 * w.out, 4);
    for (int d = 0; d < device_count; d++) {
        desc = apply_of(&w, PADIC_F32);
        CHECK_EQ(padic_rollout_apply(devices[d], &desc), PADIC_OK);
        memcpy(all, w.got, 10 * w.out * 4);
        memset(w.got, 0, 10 * w.out * 4);
        desc.max_bytes = 150000; // three trajectories or fewer
        CHECK_EQ(padic_rollout_apply(devices[d], &desc), PADIC_OK);
        CHECK(!memcmp(all, w.got, 10 * w.out * 4));
        desc.max_bytes = 0;
        desc.weights.shape[0] = desc.state.shape[0] = desc.out.shape[0] = 1;
        desc.state.shape[1] = desc.out.shape[1] = 1;
        for (uint32_t k = 0; k < 10; k++) {
            desc.weights.data = w.weights_f + k / 5 * w.report.parameters;
            desc.state.data = w.state_f + k * w.in;
            memset(w.got, 0, w.out * 4);
            CHECK_EQ(padic_rollout_apply(devices[d], &desc), PADIC_OK);
            CHECK(!memcmp(all + k * w.out, w.got, w.out * 4));
        }
    }
    free(all);
    world_end(&w);
}

// NOISE with a length is padic_rollout_noise(), whose field is made in f64, up to rounding.
TEST(correlated_noise)
{
    static const uint32_t ids[2] = {5, 4000000000u}, noise_ids[3] = {0, 1048575, 7};
    static const double scale = 0.6;
    open_devices();
    for (uint32_t i = 0; i < (test_tiny ? 6u : 18u); i++) {
        const uint32_t channels = 1 + below(5), height = 1 + below(40), width = 1 + below(50);
        const uint64_t shape[3] = {channels, height, width};
        padic_rollout_operator op = list(channels, height, width);
        padic_rollout_noise_law law = PADIC_ZERO;
        law.type = (padic_rollout_noise_type)(i % 3);
        law.scale = &scale;
        law.length = 0.2 + 0.7 * below(8);
        nodes[0].kind = PADIC_ROLLOUT_KIND_NOISE;
        nodes[0].noise = &law;
        world w = world_new(&op, 2, 3);
        padic_rollout_apply_desc desc = apply_of(&w, PADIC_F32);
        float *want = (float *)fresh(w.in, 4);
        desc.seed = 0x123456789abcdefu + i;
        desc.step = 3, desc.frames = 9;
        desc.ids = padic_tensor_1d(PADIC_U32, (void *)(uintptr_t)ids, 2);
        desc.noise_ids = padic_tensor_1d(PADIC_U32, (void *)(uintptr_t)noise_ids, 3);
        for (int d = 0; d < device_count; d++) {
            CHECK(apply_on(devices[d], &desc, w.got));
            for (uint32_t b = 0; b < 6; b++) {
                padic_rollout_noise_desc one = PADIC_ZERO;
                one.field = padic_tensor_nd(PADIC_F32, w.state_f + b * w.in, 3, shape);
                one.out = padic_tensor_nd(PADIC_F32, want, 3, shape);
                one.law = law;
                one.seed = desc.seed;
                one.id = ids[b / 3];
                one.realisation = noise_ids[b % 3];
                one.site = 1;
                one.step = 3, one.frames = 9;
                CHECK_EQ(padic_rollout_noise(NULL, &one), PADIC_OK);
                CHECK(alike(w.got + b * w.in, want, w.in, 4e-6));
            }
        }
        free(want);
        world_end(&w);
    }
}

// ---- metrics

// The largest value that the formula of a column allows, for numbers up to `most` in size.
static double metric_size(uint32_t bit, double most, double n)
{
    static const double of[11] = {2, 1, 1, 1, 1, 2, 0, 0, 0, 0, 1}; // powers of `most`
    if (bit == 0) return n * most * most;
    if (bit == 6) return sqrt(n);
    if (bit == 7) return n;
    if (bit == 8) return log(n) + 1;
    return pow(most, of[bit]);
}

static void metrics_compare(const float *got, const float *want, uint32_t metrics, uint64_t rows,
                            double most, double n)
{
    for (uint64_t i = 0; i < rows; i++)
        for (uint32_t bit = 0; bit < 11; bit++) {
            if (!(metrics >> bit & 1)) continue;
            if (isnan(*want)) CHECK(isnan(*got));
            else CHECK(fabs((double)*got - (double)*want) <= 1e-6 * metric_size(bit, most, n));
            got++, want++;
        }
}

// Those of a rollout are padic_rollout_reduce() of its frames, whose sums are in f64: of all sizes
// of numbers, of trajectories that fail, of channels alone, of some steps.
TEST(metrics)
{
    static const float range[2] = {-0.25f, 0.4f};
    open_devices();
    for (uint32_t i = 0; i < (test_tiny ? 5u : 24u); i++) {
        const int few = i % 3 == 2;
        rollout r = rollout_new(1 + i % 3, few ? 1 : i ? 3 + below(test_tiny ? 5 : 26) : 22,
                                few ? 1 + below(3) : 50, 5);
        const float size = i % 4 == 0 ? 1e-14f : i % 4 == 1 ? 1e15f : 1;
        const uint32_t every = 1 + below(2), rows = 4 / every + 1;
        padic_rollout_reduce_desc reduce = PADIC_ZERO;
        uint64_t shape[5] = {2, 3, 2, rows, 0}, all[5] = {2, 3, 2, 5, 0};
        float *got, *want, *kept;
        nodes[4].noise = &r.law;
        for (uint64_t k = 0; k < 3 * r.w.in; k++) r.w.state_f[k] *= size;
        if (i % 4 < 2) { // then values keep their size
            r.desc.policy = PADIC_ROLLOUT_POLICY_RESIDUAL;
            r.desc.flags |= PADIC_ROLLOUT_QUIET;
        }
        if (i % 5 == 1) r.w.state_f[r.w.in] = NAN;
        if (i % 5 == 2) r.w.state_f[0] = INFINITY, r.desc.failure = PADIC_ROLLOUT_FAILURE_STOP;
        r.desc.reduce.metrics = i % 2 ? 0 : 1 + below(2047);
        r.desc.reduce.per_channel = i % 4 == 3;
        if (i % 6 > 2) r.desc.reduce.range = range, r.desc.reduce.bins = 7;
        r.desc.reduce_every = every;
        shape[4] = all[4] = padic_rollout_metrics_count(&r.desc.reduce, 1 + i % 3, r.w.op.height,
                                                        r.w.op.width);
        rollout_out(&r);
        got = (float *)fresh(12 * rows * shape[4], 4);
        want = (float *)fresh(12 * rows * shape[4], 4), kept = (float *)fresh(60 * shape[4], 4);
        for (int d = 0; d < device_count; d++) {
            double most = 0;
            r.desc.metrics = padic_tensor_nd(PADIC_F32, got, 5, shape);
            memset(got, 0x11, 12 * rows * shape[4] * 4);
            CHECK_EQ(padic_rollout_run(devices[d], &r.desc), PADIC_OK);
            reduce.frames = r.desc.out;
            reduce.out = padic_tensor_nd(PADIC_F32, kept, 5, all);
            reduce.metrics = r.desc.reduce;
            CHECK_EQ(padic_rollout_reduce(NULL, &reduce), PADIC_OK);
            for (uint64_t k = 0; k < 12 * rows; k++)
                memcpy(want + k * shape[4],
                       kept + (k / rows * 5 + k % rows * every) * shape[4], shape[4] * 4);
            for (uint64_t k = 0; k < r.out; k++)
                if (isfinite(r.frames[k])) most = fmax(most, fabs((double)r.frames[k]));
            metrics_compare(got, want, reduce.metrics.metrics ? reduce.metrics.metrics : 2047,
                            12 * rows * (reduce.metrics.per_channel ? 1 + i % 3 : 1), most,
                            (double)r.w.in);
            r.desc.metrics = padic_tensor_nd(PADIC_F32, kept, 5, shape); // two of them at a time
            r.desc.max_bytes = 90000;
            if (padic_rollout_run(devices[d], &r.desc) == PADIC_OK)
                CHECK(!memcmp(got, kept, 12 * rows * shape[4] * 4));
            r.desc.max_bytes = 0;
        }
        free(got), free(want), free(kept);
        rollout_end(&r);
    }
}

// The page's R17: a ramp of 50 j values has entropy ln 50, X and -X have r = -1, X and X 1.
TEST(metrics_exact)
{
    padic_rollout_operator op = list(1, 10, 50);
    const uint64_t out[7] = {1, 1, 1, 3, 1, 10, 50}, rows[5] = {1, 1, 1, 3, 11};
    float weights[2] = {-1, 0}, frames[1500], m[33];
    open_devices();
    nodes[0].kernel = 1;
    nodes[0].norm = PADIC_ROLLOUT_NORM_NONE, nodes[0].act = PADIC_ROLLOUT_ACT_NONE;
    world w = world_new(&op, 1, 1);
    padic_rollout_run_desc desc = PADIC_ZERO;
    for (uint32_t i = 0; i < 500; i++) w.state_f[i] = (float)i - 249.5f;
    desc.op = op;
    desc.weights = padic_tensor_2d(PADIC_F32, weights, 1, 2);
    desc.initial = padic_tensor_nd(PADIC_F32, w.state_f, 4, out + 3);
    desc.initial.shape[0] = 1;
    desc.out = padic_tensor_nd(PADIC_F32, frames, 7, out);
    desc.metrics = padic_tensor_nd(PADIC_F32, m, 5, rows);
    desc.steps = 3;
    for (int d = 0; d < device_count; d++)
        for (uint32_t turn = 0; turn < 2; turn++) {
            weights[0] = turn ? 1.0f : -1.0f;
            CHECK_EQ(padic_rollout_run(devices[d], &desc), PADIC_OK);
            for (uint32_t t = 0; t < 3; t++) {
                const float *row = m + 11 * t;
                CHECK(fabs((double)row[1]) <= 3e-4 && fabs((double)row[5] - 20875) <= 0.02);
                CHECK(fabs((double)row[3] + 249.5) <= 0 && fabs((double)row[4] - 249.5) <= 0);
                CHECK(fabs((double)row[8] - log(50.0)) <= 1e-6);
                if (!t) CHECK(isnan(row[9]) && isnan(row[10]));
                else CHECK(fabs((double)row[9] - (turn ? 1 : -1)) <= 1e-6);
                if (t && turn) CHECK(fabs((double)row[10]) <= 0);
            }
        }
    world_end(&w);
}

TEST_MAIN("gpu_rollout_parts", CASE(spectral), CASE(one_mode), CASE(uafno), CASE(spectral_splits),
          CASE(correlated_noise), CASE(metrics),
          CASE(metrics_exact), CASE(no_kernel_was_dropped))
