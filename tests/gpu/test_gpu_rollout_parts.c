// test_gpu_rollout_parts.c: what a device has of rollouts beside cells: SPECTRAL nodes and networks
// with Fourier mixing beside the plain reference in f64, noise with a correlation beside
// padic_rollout_noise(), metrics beside padic_rollout_reduce() of the same frames by the host, and
// to the bit of those that the device kept; the same bytes whatever is computed beside.
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
        graph_check(&w, 0);
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
        graph_check(&w, 0);
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
            memset(kept, 0x11, 60 * shape[4] * 4);
            CHECK_EQ(padic_rollout_reduce(devices[d], &reduce), PADIC_OK);
            for (uint64_t k = 0; k < 12 * rows; k++)
                CHECK(!memcmp(got + k * shape[4],
                              kept + (k / rows * 5 + k % rows * every) * shape[4], shape[4] * 4));
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

// Spectra are those of padic_rollout_reduce(), whose transforms are in f64, within 1e-6 of the
// largest square; all bands have the mean of x^2: of sides of 1, odd and even ones, fewer and more
// bands than the grid has, of a mean far from 0, of trajectories that fail.
TEST(spectra)
{
    static const uint32_t sides[] = {1, 2, 3, 16, 25, 11, 40};
    open_devices();
    for (uint32_t i = 0; i < (test_tiny ? 7u : 14u); i++) {
        rollout r = rollout_new(1 + i % 3, sides[i % 7], sides[below(7)], 4);
        const float size = i % 4 == 0 ? 1e-14f : i % 4 == 1 ? 1e15f : 1;
        const uint32_t parts = i % 3 == 2 ? 1 + i % 3 : 1;
        const uint32_t metrics = PADIC_ROLLOUT_METRIC_SPECTRUM | (i % 2 ? 5u : 0u);
        padic_rollout_reduce_desc reduce = PADIC_ZERO;
        uint64_t shape[5] = {2, 3, 2, 4, 0};
        float *got, *want, *kept;
        nodes[4].noise = &r.law;
        for (uint64_t k = 0; k < 3 * r.w.in; k++)
            r.w.state_f[k] = size * (r.w.state_f[k] + (i % 5 == 3 ? 40.0f : 0.0f));
        if (i % 4 < 2) { // then values keep their size
            r.desc.policy = PADIC_ROLLOUT_POLICY_RESIDUAL;
            r.desc.flags |= PADIC_ROLLOUT_QUIET;
        }
        if (i % 5 == 1) r.w.state_f[r.w.in] = NAN;
        r.desc.reduce.metrics = metrics;
        r.desc.reduce.per_channel = parts > 1;
        r.desc.reduce.bands = i % 6 == 4 ? 3 : i % 6 == 5 ? 100 : 0;
        shape[4] = padic_rollout_metrics_count(&r.desc.reduce, 1 + i % 3, r.w.op.height,
                                               r.w.op.width);
        rollout_out(&r);
        got = (float *)fresh(48 * shape[4], 4), want = (float *)fresh(48 * shape[4], 4);
        kept = (float *)fresh(48 * shape[4], 4);
        for (int d = 0; d < device_count; d++) {
            const uint64_t columns = shape[4] / parts, extra = i % 2 ? 2 : 0;
            double most = 0;
            r.desc.metrics = padic_tensor_nd(PADIC_F32, got, 5, shape);
            memset(got, 0x11, 48 * shape[4] * 4);
            CHECK_EQ(padic_rollout_run(devices[d], &r.desc), PADIC_OK);
            reduce.frames = r.desc.out;
            reduce.out = padic_tensor_nd(PADIC_F32, want, 5, shape);
            reduce.metrics = r.desc.reduce;
            CHECK_EQ(padic_rollout_reduce(NULL, &reduce), PADIC_OK);
            for (uint64_t k = 0; k < r.out; k++)
                if (isfinite(r.frames[k])) most = fmax(most, fabs((double)r.frames[k]));
            for (uint64_t k = 0; k < 48 * parts; k++) {
                const float *a = got + k * columns + extra, *b = want + k * columns + extra;
                for (uint64_t j = 0; j < columns - extra; j++) {
                    if (isnan(b[j])) CHECK(isnan(a[j]));
                    else CHECK(fabs((double)a[j] - (double)b[j]) <= 1e-6 * most * most);
                }
            }
            for (uint64_t k = 0; k < 48 && parts == 1 && !r.desc.reduce.bands; k++) {
                double square = 0, all = 0;
                for (uint64_t j = 0; j < r.w.in; j++)
                    square += pow((double)r.frames[k * r.w.in + j], 2) / (double)r.w.in;
                for (uint64_t j = extra; j < columns; j++) all += (double)got[k * columns + j];
                if (isnan(square)) CHECK(isnan(all));
                else CHECK(fabs(all - square) <= 2e-6 * square);
            }
            reduce.out.data = kept;
            CHECK_EQ(padic_rollout_reduce(devices[d], &reduce), PADIC_OK);
            CHECK(!memcmp(got, kept, 48 * shape[4] * 4));
            r.desc.metrics.data = kept; // a few at a time
            r.desc.max_bytes = 90000 + 8 * r.w.in;
            if (padic_rollout_run(devices[d], &r.desc) == PADIC_OK)
                CHECK(!memcmp(got, kept, 48 * shape[4] * 4));
            r.desc.max_bytes = 0;
        }
        free(got), free(want), free(kept);
        rollout_end(&r);
    }
}

// A wave cos(2 pi q.x) has 1/2 in the band of |q|, at the first and last columns and rows 1 where
// q and -q are one mode; all others have nothing.
TEST(spectrum_exact)
{
    enum { H = 12, W = 18, BANDS = 12 };
    const uint64_t out[7] = {1, 1, 1, 1, 1, H, W}, rows[5] = {1, 1, 1, 1, BANDS};
    padic_rollout_operator op = list(1, H, W);
    float weights[2] = {1, 0}, frames[H * W], m[BANDS];
    open_devices();
    nodes[0].kernel = 1;
    nodes[0].norm = PADIC_ROLLOUT_NORM_NONE, nodes[0].act = PADIC_ROLLOUT_ACT_NONE;
    world w = world_new(&op, 1, 1);
    padic_rollout_run_desc desc = PADIC_ZERO;
    desc.op = op;
    desc.weights = padic_tensor_2d(PADIC_F32, weights, 1, 2);
    desc.initial = padic_tensor_nd(PADIC_F32, w.state_f, 4, out + 3);
    desc.out = padic_tensor_nd(PADIC_F32, frames, 7, out);
    desc.metrics = padic_tensor_nd(PADIC_F32, m, 5, rows);
    desc.reduce.metrics = PADIC_ROLLOUT_METRIC_SPECTRUM;
    desc.steps = 1;
    CHECK_EQ(padic_rollout_metrics_count(&desc.reduce, 1, H, W), BANDS);
    for (int d = 0; d < device_count; d++)
        for (uint32_t q = 0; q < H * (W / 2 + 1); q++) {
            const uint32_t x = q % (W / 2 + 1), row = q / (W / 2 + 1);
            const int y = row <= H / 2 ? (int)row : (int)row - H;
            const double size = sqrt((double)(x * x) + (double)(y * y)), pi = 3.14159265358979324;
            const int alone = (!x || 2 * x == W) && (!y || 2 * row == H);
            for (uint32_t i = 0; i < H * W; i++)
                w.state_f[i] = (float)cos(2 * pi * ((double)(x * (i % W)) / (double)W +
                                                    (double)(y * (int)(i / W)) / (double)H));
            CHECK_EQ(padic_rollout_run(devices[d], &desc), PADIC_OK);
            for (uint32_t b = 0; b < BANDS; b++) {
                const double want = b == (uint32_t)floor(size + 0.5) ? alone ? 1 : 0.5 : 0;
                CHECK(fabs((double)m[b] - want) <= 1e-6);
            }
        }
    world_end(&w);
}

// ---- metrics of frames that were kept

// The kernels as plain C on a device of little memory: a few frames at a time.
static void little_info(padic_device *device, padic_device_info *info)
{
    (*padic_native()->info)(device, info);
    info->memory = 60000;
}

typedef struct kept_frames {
    padic_rollout_reduce_desc desc;
    float *frames, *want, *got;
    uint64_t rows; // numbers of out
} kept_frames;

// Axes (2, 3, F, C, H, W), with a NaN; `want` is of the host.
static kept_frames kept_new(uint32_t metrics, uint64_t frames)
{
    const uint64_t shape[6] = {2, 3, frames, 2, 9, 11};
    uint64_t out[4] = {2, 3, frames, 0};
    kept_frames k;
    memset(&k, 0, sizeof k);
    k.desc.metrics.metrics = metrics;
    out[3] = padic_rollout_metrics_count(&k.desc.metrics, 2, 9, 11);
    k.rows = 6 * frames * out[3];
    k.frames = (float *)fresh(6 * frames * 198, 4);
    k.want = (float *)fresh(k.rows, 4), k.got = (float *)fresh(k.rows, 4);
    for (uint64_t i = 0; i < 6 * frames * 198; i++) k.frames[i] = (float)uniform();
    if (frames > 2) k.frames[(frames + 1) * 198 + 5] = NAN; // frame 1 of the second trajectory
    k.desc.frames = padic_tensor_nd(PADIC_F32, k.frames, 6, shape);
    k.desc.out = padic_tensor_nd(PADIC_F32, k.want, 4, out);
    CHECK_EQ(padic_rollout_reduce(NULL, &k.desc), PADIC_OK);
    return k;
}

static void kept_end(kept_frames *k)
{
    free(k->frames), free(k->want), free(k->got);
}

static int kept_near(const kept_frames *k)
{
    int same = 1;
    for (uint64_t i = 0; i < k->rows; i++)
        same &= isnan(k->want[i]) ? isnan(k->got[i]) != 0
                                  : fabs((double)k->got[i] - (double)k->want[i]) <=
                                        1e-6 * fmax(1, fabs((double)k->want[i]));
    return same;
}

// In buffers with other things around; recorded, unless numbers are moved for it.
static void kept_in_buffers(padic_context *context, kept_frames *k)
{
    const int spectrum = (k->desc.metrics.metrics & PADIC_ROLLOUT_METRIC_SPECTRUM) != 0;
    padic_rollout_reduce_desc desc = k->desc;
    padic_record record = PADIC_ZERO;
    plane frames = plane_new(context, &desc.frames, 5, k->frames);
    plane out = plane_new(context, &desc.out, 3, NULL);
    desc.frames = frames.tensor, desc.out = out.tensor;
    CHECK_EQ(padic_rollout_reduce(context, &desc), PADIC_OK);
    CHECK_EQ(padic_buffer_download(context, out.tensor.buffer, out.at, k->got, out.bytes),
             PADIC_OK);
    CHECK(kept_near(k));
    CHECK(plane_is(context, &out, k->got, out.bytes));
    CHECK(plane_is(context, &frames, k->frames, frames.bytes));
    CHECK_EQ(padic_buffer_fill(context, out.tensor.buffer, 0, 0xa5a5a5a5u, out.at + out.bytes),
             PADIC_OK);
    CHECK_EQ(padic_record_begin(context), PADIC_OK);
    CHECK_EQ(padic_rollout_reduce(context, &desc), spectrum ? PADIC_ERROR_ARGUMENT : PADIC_OK);
    CHECK_EQ(padic_record_end(context, &record), spectrum ? PADIC_ERROR_ARGUMENT : PADIC_OK);
    if (!spectrum) {
        CHECK_EQ(padic_record_replay(context, record, 1), PADIC_OK);
        CHECK(plane_is(context, &out, k->got, out.bytes));
        CHECK_EQ(padic_record_drop(context, record), PADIC_OK);
    }
    plane_end(context, &frames), plane_end(context, &out);
}

TEST(kept)
{
    static const uint32_t metrics[4] = {0, PADIC_ROLLOUT_METRIC_SPECTRUM,
                                        PADIC_ROLLOUT_METRIC_STEP_NORM, 4095};
    padic_backend little = *padic_native();
    little.info = little_info;
    open_devices();
    padic_context *few = open_one(&little, &native_desc, 0, PADIC_CONTEXT_STRICT);
    for (uint32_t i = 0; i < 8; i++) {
        kept_frames k = kept_new(metrics[i % 4], i < 4 ? 7 : 1);
        for (int d = 0; d < device_count; d++) {
            padic_rollout_reduce_desc bad = k.desc;
            uint16_t half[6 * 7 * 198] = {0};
            kept_in_buffers(devices[d], &k);
            bad.frames.dtype = PADIC_F16, bad.frames.data = half;
            CHECK_EQ(padic_rollout_reduce(devices[d], &bad), PADIC_ERROR_NOT_SUPPORTED);
            bad = k.desc;
            bad.frames.stride[5] = 1, bad.frames.stride[4] = 11, bad.frames.stride[3] = 99;
            bad.frames.stride[2] = 0, bad.frames.stride[1] = 198;
            bad.frames.stride[0] = 3 * 198;
            CHECK_EQ(padic_rollout_reduce(devices[d], &bad),
                     i < 4 ? PADIC_ERROR_NOT_SUPPORTED : PADIC_OK);
            bad = k.desc;
            bad.frames.shape[2] = bad.out.shape[2] = 0;
            CHECK_EQ(padic_rollout_reduce(devices[d], &bad), PADIC_OK);
            if (d || !few) continue;
            bad = k.desc; // k.got is this device's
            bad.out.data = fresh(k.rows, 4);
            CHECK_EQ(padic_rollout_reduce(few, &bad), PADIC_OK);
            CHECK(!memcmp(bad.out.data, k.got, k.rows * 4));
            free(bad.out.data);
        }
        kept_end(&k);
    }
    if (few) padic_context_destroy(few);
}

// ---- plans

typedef struct part { // what calls on a plan write: a state, its metrics and statuses
    float *x, *metrics;
    padic_rollout_status status[12];
} part;

static padic_rollout_plan_step_desc step_of(const rollout *r, padic_rollout_plan *plan, part *p,
                                            uint32_t columns)
{
    const uint64_t out[6] = {2, 3, 2, r->w.op.channels, r->w.op.height, r->w.op.width};
    const uint64_t row[4] = {2, 3, 2, columns}, status[4] = {2, 3, 2, 4};
    padic_rollout_plan_step_desc desc = PADIC_ZERO;
    desc.plan = plan;
    desc.out = padic_tensor_nd(PADIC_F32, p->x, 6, out);
    desc.metrics = padic_tensor_nd(PADIC_F32, p->metrics, 4, row);
    desc.status = padic_tensor_nd(PADIC_U32, p->status, 4, status);
    return desc;
}

// Memory that a context has taken from the device and for itself so far.
static uint64_t taken(const padic_context *context)
{
    padic_stats stats;
    padic_context_stats(context, &stats);
    return stats.device_allocations + stats.host_allocations;
}

// A rollout whose steps a plan has: noise of both kinds, metrics, trajectories that fail.
static rollout planned_new(uint32_t i, float **metrics, uint32_t *columns)
{
    rollout r = rollout_new(2, 9, 12 + i, 6);
    r.law.type = (padic_rollout_noise_type)(i % 4);
    r.law.schedule = (padic_rollout_noise_schedule)(i % 3);
    r.law.length = i % 4 == 1 ? 1.5 : 0;
    r.desc.policy = (padic_rollout_policy)(i % 3);
    r.desc.post = (padic_rollout_post)(i % 2 * 2);
    r.desc.failure = (padic_rollout_failure)(i % 3);
    if (i % 3) r.desc.limit = 1.2;
    r.w.state_f[2 * r.w.in] = i % 3 ? NAN : 0.5f;
    *columns = padic_rollout_metrics_count(&r.desc.reduce, 2, 9, 12 + i);
    *metrics = (float *)fresh(12 * 6 * *columns, 4);
    rollout_out(&r);
    return r;
}

// The plan of it, which is on the device: these contexts are strict.
static padic_rollout_plan *plan_of(padic_context *context, const rollout *r)
{
    padic_rollout_plan_desc desc = PADIC_ZERO;
    padic_rollout_plan *plan = NULL;
    desc.run = r->desc;
    memset(&desc.run.out, 0, sizeof desc.run.out);
    memset(&desc.run.status, 0, sizeof desc.run.status);
    memset(&desc.run.metrics, 0, sizeof desc.run.metrics);
    desc.measures = 1;
    CHECK_EQ(padic_rollout_plan_create(context, &desc, &plan), PADIC_OK);
    return plan;
}

// Step t as the whole rollout has it.
static int part_is(const rollout *r, const part *p, const float *metrics, uint32_t columns,
                   uint32_t t)
{
    int same = 1;
    for (uint64_t k = 0; k < 12; k++) {
        same &= !memcmp(p->x + k * r->w.in, r->frames + (k * 6 + t) * r->w.in, r->w.in * 4);
        same &= !memcmp(p->metrics + k * columns, metrics + (k * 6 + t) * columns, columns * 4);
    }
    return same;
}

static void plan_steps(padic_context *context, const rollout *r, padic_rollout_plan *plan,
                       const float *metrics, uint32_t columns, part *p)
{
    padic_rollout_plan_step_desc step = step_of(r, plan, p, columns);
    padic_rollout_plan_reset_desc reset = PADIC_ZERO;
    padic_rollout_plan_status_desc where = PADIC_ZERO;
    padic_rollout_plan_report report = PADIC_ZERO;
    reset.plan = where.plan = plan;
    where.out = step.out, where.status = step.status, where.report = &report;
    for (uint32_t turn = 0; turn < 2; turn++) {
        for (uint32_t t = 1 + turn; t < 6; t += 1 + turn) {
            const uint64_t before = taken(context);
            step.count = 1 + turn;
            memset(p->x, 0x11, 12 * r->w.in * 4);
            CHECK_EQ(padic_rollout_plan_step(context, &step), PADIC_OK);
            CHECK(part_is(r, p, metrics, columns, t));
            if (t > 1 + turn) CHECK_EQ(taken(context), before);
        }
        if (!turn) CHECK(!memcmp(p->status, r->status, sizeof p->status));
        if (!turn) CHECK_EQ(padic_rollout_plan_step(context, &step), PADIC_ERROR_LIMIT);
        memset(p->x, 0x11, 12 * r->w.in * 4);
        CHECK_EQ(padic_rollout_plan_status(context, &where), PADIC_OK);
        CHECK_EQ(report.step, 5 - turn);
        for (uint64_t k = 0; k < 12; k++)
            CHECK(!memcmp(p->x + k * r->w.in, r->frames + (k * 6 + 5 - turn) * r->w.in,
                          r->w.in * 4));
        CHECK_EQ(padic_rollout_plan_reset(context, &reset), PADIC_OK);
    }
}

// Step by step, two at a time, at once, from other initial conditions: the bits of a rollout.
TEST(plans)
{
    open_devices();
    for (uint32_t i = 0; i < (test_tiny ? 2u : 8u); i++) {
        uint32_t columns;
        float *metrics, *other;
        rollout r = planned_new(i, &metrics, &columns);
        const uint64_t rows[5] = {2, 3, 2, 6, columns};
        nodes[4].noise = &r.law;
        padic_rollout_run_report report = PADIC_ZERO;
        part p;
        other = (float *)fresh(r.out, 4);
        p.x = (float *)fresh(12 * r.w.in, 4), p.metrics = (float *)fresh(12 * columns, 4);
        for (int d = 0; d < device_count; d++) {
            padic_rollout_plan *plan;
            padic_rollout_plan_run_desc run = PADIC_ZERO;
            padic_rollout_plan_reset_desc reset = PADIC_ZERO;
            r.desc.metrics = padic_tensor_nd(PADIC_F32, metrics, 5, rows);
            CHECK_EQ(padic_rollout_run(devices[d], &r.desc), PADIC_OK);
            plan = plan_of(devices[d], &r);
            if (!plan) continue;
            plan_steps(devices[d], &r, plan, metrics, columns, &p);
            run.plan = reset.plan = plan;
            run.out = r.desc.out, run.out.data = other;
            run.status = r.desc.status, run.status.data = p.status;
            run.report = &report;
            CHECK_EQ(padic_rollout_plan_run(devices[d], &run), PADIC_OK);
            CHECK(!memcmp(other, r.frames, r.out * 4));
            CHECK(!memcmp(p.status, r.status, sizeof p.status));
            for (uint32_t k = 0; k < r.w.in; k++) r.w.state_f[k] = (float)(k % 7) / 8 - 0.25f;
            CHECK_EQ(padic_rollout_run(devices[d], &r.desc), PADIC_OK);
            reset.initial = r.desc.initial;
            CHECK_EQ(padic_rollout_plan_reset(devices[d], &reset), PADIC_OK);
            CHECK_EQ(padic_rollout_plan_run(devices[d], &run), PADIC_OK);
            CHECK(!memcmp(other, r.frames, r.out * 4));
            padic_rollout_plan_destroy(plan);
        }
        free(metrics), free(other), free(p.x), free(p.metrics);
        rollout_end(&r);
    }
}

// A recorded step is the next one, whatever it was when it was recorded; so is a recorded reset.
TEST(recorded_steps)
{
    open_devices();
    for (uint32_t i = 0; i < (test_tiny ? 2u : 4u); i++)
        for (int d = 0; d < device_count; d++) {
            uint32_t columns;
            float *metrics;
            rollout r = planned_new(i, &metrics, &columns);
            const uint64_t rows[5] = {2, 3, 2, 6, columns};
            padic_record one = PADIC_ZERO, back = PADIC_ZERO;
            padic_rollout_plan_reset_desc reset = PADIC_ZERO;
            part p;
            nodes[4].noise = &r.law;
            r.desc.metrics = padic_tensor_nd(PADIC_F32, metrics, 5, rows);
            CHECK_EQ(padic_rollout_run(devices[d], &r.desc), PADIC_OK);
            padic_rollout_plan *plan = plan_of(devices[d], &r);
            p.x = (float *)fresh(12 * r.w.in, 4), p.metrics = (float *)fresh(12 * columns, 4);
            padic_rollout_plan_step_desc step = step_of(&r, plan, &p, columns);
            plane x = plane_new(devices[d], &step.out, 2, NULL);
            plane row = plane_new(devices[d], &step.metrics, 1, NULL);
            plane is = plane_new(devices[d], &step.status, 3, NULL);
            step.out = x.tensor, step.metrics = row.tensor, step.status = is.tensor;
            reset.plan = plan;
            CHECK_EQ(padic_record_begin(devices[d]), PADIC_OK);
            CHECK_EQ(padic_rollout_plan_step(devices[d], &step), PADIC_OK);
            CHECK_EQ(padic_record_end(devices[d], &one), PADIC_OK);
            CHECK_EQ(padic_record_begin(devices[d]), PADIC_OK);
            CHECK_EQ(padic_rollout_plan_reset(devices[d], &reset), PADIC_OK);
            CHECK_EQ(padic_record_end(devices[d], &back), PADIC_OK);
            for (uint32_t turn = 0; turn < 2; turn++) {
                for (uint32_t t = 1; t < 6; t++) {
                    CHECK_EQ(padic_record_replay(devices[d], one, 1), PADIC_OK);
                    CHECK_EQ(padic_buffer_download(devices[d], x.tensor.buffer, x.at, p.x,
                                                   x.bytes), PADIC_OK);
                    CHECK_EQ(padic_buffer_download(devices[d], row.tensor.buffer, row.at,
                                                   p.metrics, row.bytes), PADIC_OK);
                    CHECK(part_is(&r, &p, metrics, columns, t));
                }
                CHECK_EQ(padic_buffer_download(devices[d], is.tensor.buffer, is.at, p.status,
                                               is.bytes), PADIC_OK);
                CHECK(!memcmp(p.status, r.status, sizeof p.status));
                CHECK_EQ(padic_record_replay(devices[d], back, 1), PADIC_OK);
            }
            CHECK_EQ(padic_record_drop(devices[d], one), PADIC_OK);
            CHECK_EQ(padic_record_drop(devices[d], back), PADIC_OK);
            padic_rollout_plan_destroy(plan);
            plane_end(devices[d], &x), plane_end(devices[d], &row), plane_end(devices[d], &is);
            free(metrics), free(p.x), free(p.metrics);
            rollout_end(&r);
        }
}

TEST_MAIN("gpu_rollout_parts", CASE(spectral), CASE(one_mode), CASE(uafno), CASE(spectral_splits),
          CASE(correlated_noise), CASE(metrics),
          CASE(metrics_exact), CASE(spectra),
          CASE(spectrum_exact), CASE(kept), CASE(plans), CASE(recorded_steps),
          CASE(no_kernel_was_dropped))
