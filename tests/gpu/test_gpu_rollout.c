// test_gpu_rollout.c: rollouts of operators on devices, beside the plain reference in f64, which
// tests/rollout has compared with its own loops: convolutions of all sizes and boundaries within
// the bound of their sums, activations, random lists of nodes within the page's R2, noise to the
// bit; whole rollouts with their statuses; the same bytes whatever is computed beside; what devices
// do not do; errors.
//
//     ./test_gpu_rollout             devices: see gpu_devices.h
#include "../support/inside.h"
#include "../../padic.h"
#include "gpu_devices.h"
#include "../rollout/rollout_lists.h"
#include "rollout_world.h"

static void conv_case(uint32_t kernel, uint32_t stride, padic_rollout_boundary boundary,
                      const uint32_t at[4]) // inputs, outputs, rows, columns
{
    padic_rollout_operator op = list(at[0], at[2], at[3]);
    world w;
    double *bound;
    nodes[0].channels = at[1];
    nodes[0].kernel = kernel;
    nodes[0].stride = stride;
    nodes[0].boundary = boundary;
    nodes[0].norm = PADIC_ROLLOUT_NORM_NONE;
    nodes[0].act = PADIC_ROLLOUT_ACT_NONE;
    w = world_new(&op, 1 + kernel % 2, 1 + stride % 2);
    bound = (double *)fresh(w.n * w.b * w.out, 8);
    padic_rollout_apply_desc desc = apply_of(&w, PADIC_F64), single = apply_of(&w, PADIC_F32);
    CHECK_EQ(padic_rollout_apply(NULL, &desc), PADIC_OK);
    for (uint64_t i = 0; i < w.n * w.report.parameters; i++) w.weights[i] = fabs(w.weights[i]);
    for (uint64_t i = 0; i < w.n * w.b * w.in; i++) w.state[i] = fabs(w.state[i]);
    desc.out.data = bound; // sums of |w x|, and |b|
    CHECK_EQ(padic_rollout_apply(NULL, &desc), PADIC_OK);
    for (uint64_t i = 0; i < w.n * w.b * w.out; i++)
        bound[i] *= 1.01 * (at[0] * kernel * kernel + 2) * U;
    for (int d = 0; d < device_count; d++) {
        memset(w.got, 0xff, w.n * w.b * w.out * 4);
        CHECK(apply_on(devices[d], &single, w.got));
        CHECK(against(w.got, w.want, bound, w.n * w.b * w.out) <= 1);
    }
    free(bound);
    world_end(&w);
}

TEST(convolutions)
{
    static const uint32_t sizes[] = {1, 2, 5, 8, 17, 33, 64, 70};
    static const uint32_t channels[] = {1, 3, 8, 16, 33, 67};
    open_devices();
    for (uint32_t i = 0; i < (test_tiny ? 8u : 96u); i++) {
        const uint32_t kernel = 1 + 2 * (i % 8), stride = 1 + below(2), boundary = below(4);
        uint32_t at[4];
        for (uint32_t k = 0; k < 4; k++) at[k] = k < 2 ? channels[below(6)] : sizes[below(8)];
        while (kernel > 7 && at[0] * at[1] > 300) at[0] = channels[below(6)], at[1] /= 2, at[1]++;
        while (at[0] * at[1] * at[2] * at[3] > 2000000 && at[2] > 1) at[2] /= 2;
        if (boundary == PADIC_ROLLOUT_BOUNDARY_REFLECT)
            for (uint32_t k = 2; k < 4; k++)
                if (at[k] <= kernel / 2) at[k] = kernel / 2 + 1;
        conv_case(kernel, stride, (padic_rollout_boundary)boundary, at);
    }
}

// The norm and the activation of what a convolution reads, up to the corners around its tiles.
TEST(around_tiles)
{
    static const uint32_t channels[] = {3, 8, 12, 20, 36};
    open_devices();
    for (uint32_t i = 0; i < (test_tiny ? 10u : 50u); i++) {
        padic_rollout_operator op = list(3, 32 + below(4), 32 + below(4));
        op.count = 2;
        nodes[0].kernel = 1;
        nodes[0].channels = channels[i / 5 % 5];
        nodes[1].input = 1;
        nodes[1].kernel = i % 3 ? 3 : 5;
        nodes[1].stride = 1 + !below(4);
        nodes[1].channels = channels[i % 5];
        nodes[1].boundary = (padic_rollout_boundary)(i % 4);
        world w = world_new(&op, 2, 1);
        graph_check(&w, PADIC_ROLLOUT_QUIET);
        world_end(&w);
    }
}

// Of all numbers from -12 to 12, zeros, infinities, a NaN, and large ones: 4 u max(1, |x|).
TEST(activations)
{
    padic_rollout_operator op = list(1, 63, 64);
    open_devices();
    nodes[0].kind = PADIC_ROLLOUT_KIND_NORM;
    nodes[0].norm = PADIC_ROLLOUT_NORM_NONE;
    for (uint32_t act = 0; act < 6; act++) {
        nodes[0].act = (padic_rollout_act)act;
        world w = world_new(&op, 1, 1);
        for (uint64_t i = 0; i < w.in; i++) w.state_f[i] = (float)(12 * w.state[i]);
        w.state_f[0] = 0, w.state_f[1] = -0.0f, w.state_f[2] = INFINITY, w.state_f[3] = -INFINITY;
        w.state_f[4] = NAN, w.state_f[5] = 3e38f, w.state_f[6] = -3e38f, w.state_f[7] = -90;
        w.state_f[8] = 90, w.state_f[9] = 1e-30f, w.state_f[10] = 0.625f, w.state_f[11] = -13.5f;
        for (uint64_t i = 0; i < w.in; i++) w.state[i] = (double)w.state_f[i];
        padic_rollout_apply_desc desc = apply_of(&w, PADIC_F64), single = apply_of(&w, PADIC_F32);
        CHECK_EQ(padic_rollout_apply(NULL, &desc), PADIC_OK);
        for (int d = 0; d < device_count; d++) {
            CHECK(apply_on(devices[d], &single, w.got));
            for (uint64_t i = 0; i < w.in; i++) {
                const double want = w.want[i], got = (double)w.got[i];
                if (isnan(want)) CHECK(isnan(got));
                else if (isinf(want)) CHECK(got > want || !(got < want));
                else CHECK(fabs(got - want) <= 4 * U * fmax(1, fabs(w.state[i])));
            }
        }
        world_end(&w);
    }
}

// A random list whose nodes fit together; all but the first may read any node before them. Of large
// grids, up to 130 a side, there are fewer channels.
static padic_rollout_operator random_list(uint32_t most, uint32_t large)
{
    static const uint32_t channels[] = {1, 3, 4, 8, 12, 20, 36, 67};
    padic_rollout_operator op = list(channels[below(4)], 2 * (1 + below(12)), 2 * (1 + below(17)));
    padic_rollout_operator_report report = PADIC_ZERO;
    uint32_t count = 0;
    report.shapes = shapes;
    if (large) op.channels = 1 + below(3), op.height = 32 + below(99), op.width = 32 + below(99);
    for (uint32_t tries = 0; count < most && tries < 400; tries++) {
        padic_rollout_node *node = &nodes[count];
        memset(node, 0, sizeof *node);
        node->kind = (padic_rollout_kind)(below(3) ? below(7 + large) : 0);
        if (node->kind == PADIC_ROLLOUT_KIND_SPECTRAL) {
            node->modes = 1 + below(12);
            node->flags = below(2) * PADIC_ROLLOUT_ONE_SIDED;
        }
        node->input = count - below(count < 3 ? count + 1 : 3);
        if (node->kind == PADIC_ROLLOUT_KIND_ADD || node->kind == PADIC_ROLLOUT_KIND_CONCAT)
            node->skip = below(count + 1);
        if (node->kind <= PADIC_ROLLOUT_KIND_NORM) {
            node->norm = (padic_rollout_norm)below(5);
            node->act = (padic_rollout_act)below(6);
            if (node->norm == PADIC_ROLLOUT_NORM_GROUP) node->groups = below(3);
            if (node->norm != PADIC_ROLLOUT_NORM_NONE) node->flags = below(2);
            if (node->norm == PADIC_ROLLOUT_NORM_FROZEN)
                node->flags |= below(2) * PADIC_ROLLOUT_STATISTICS;
        }
        if (node->kind == PADIC_ROLLOUT_KIND_CONV) {
            node->kernel = 1 + 2 * below(4);
            node->stride = 1 + !below(4);
            node->channels = channels[below(large ? 4 : 8)];
            node->boundary = (padic_rollout_boundary)below(4);
        }
        if (node->kind == PADIC_ROLLOUT_KIND_UP) {
            node->up = (padic_rollout_up)below(3);
            if (node->up == PADIC_ROLLOUT_UP_BILINEAR)
                node->boundary = (padic_rollout_boundary)below(4);
        }
        op.count = count + 1;
        if (padic_rollout_operator_info(NULL, &op, &report)) continue;
        if (large ? shapes[count].height > 130 || shapes[count].width > 130 ||
                        shapes[count].channels > 12
                  : shapes[count].height > 70 || shapes[count].width > 70 ||
                        shapes[count].channels > 80)
            continue;
        count++;
    }
    op.count = count;
    return op;
}

TEST(graphs)
{
    open_devices();
    for (uint32_t i = 0; i < (test_tiny ? 12u : 80u); i++) {
        padic_rollout_operator op = random_list(2 + i % 9, 0);
        world w = world_new(&op, 2, 1 + i % 3);
        graph_check(&w, PADIC_ROLLOUT_QUIET);
        world_end(&w);
    }
}

TEST(large_graphs)
{
    open_devices();
    for (uint32_t i = 0; i < (test_tiny ? 3u : 24u); i++) {
        padic_rollout_operator op = random_list(1 + i % 5, 1);
        world w = world_new(&op, 1 + i % 2, 1 + i % 3 / 2);
        graph_check(&w, PADIC_ROLLOUT_QUIET);
        world_end(&w);
    }
}

// Taps are what the list's beginning would have as output; weights of any strides, in f64.
TEST(taps_and_strides)
{
    open_devices();
    for (uint32_t i = 0; i < 4; i++) {
        padic_rollout_operator op = random_list(6, 0);
        world w = world_new(&op, 2, 2);
        const uint32_t tap = 1 + below(op.count);
        const uint64_t shape[5] = {2, 2, shapes[tap - 1].channels, shapes[tap - 1].height,
                                   shapes[tap - 1].width};
        padic_rollout_apply_desc desc = apply_of(&w, PADIC_F32), part = desc;
        padic_tensor like = padic_tensor_nd(PADIC_F32, NULL, 5, shape);
        const uint64_t count = padic_tensor_count(&like), P = w.report.parameters;
        float *one = (float *)fresh(count, 4), *two = (float *)fresh(count, 4);
        double *turned = (double *)fresh(2 * P, 8); // (P, 2), backwards
        for (uint64_t k = 0; k < 2 * P; k++)
            turned[(P - 1 - k % P) * 2 + k / P] = w.weights[k];
        part.op.count = tap;
        part.out = like;
        part.out.data = one;
        desc.taps[2].node = tap;
        desc.taps[2].out = like;
        desc.taps[2].out.data = two;
        if (P) {
            desc.weights.dtype = PADIC_F64;
            desc.weights.data = turned + 2 * (P - 1);
            desc.weights.stride[0] = 1;
            desc.weights.stride[1] = -2;
        }
        for (int d = 0; d < device_count; d++) {
            padic_rollout_operator_report report = PADIC_ZERO;
            CHECK_EQ(padic_rollout_operator_info(NULL, &part.op, &report), PADIC_OK);
            part.weights.shape[1] = report.parameters;
            part.weights.stride[0] = (int64_t)P;
            part.weights.stride[1] = 1;
            CHECK_EQ(padic_rollout_apply(devices[d], &part), PADIC_OK);
            CHECK_EQ(padic_rollout_apply(devices[d], &desc), PADIC_OK);
            CHECK(!memcmp(one, two, count * 4));
        }
        free(one), free(two), free(turned);
        world_end(&w);
    }
}

// NOISE alone is padic_rollout_noise() to the bit, whatever the operators and realisations are.
TEST(noise)
{
    static const uint32_t ids[2] = {5, 4000000000u}, noise_ids[3] = {0, 1048575, 7};
    static const double scales[2] = {0.6, 0.1};
    open_devices();
    for (uint32_t i = 0; i < 12; i++) {
        const uint32_t channels = 1 + below(7), height = 1 + below(20), width = 1 + below(33);
        const uint64_t shape[3] = {channels, height, width};
        padic_rollout_operator op = list(channels, height, width);
        padic_rollout_noise_law law = PADIC_ZERO;
        law.type = (padic_rollout_noise_type)(i % 4);
        law.schedule = (padic_rollout_noise_schedule)(i % 3);
        law.scale = &scales[0];
        nodes[0].kind = PADIC_ROLLOUT_KIND_NOISE;
        nodes[0].noise = &law;
        world w = world_new(&op, 2, 3);
        padic_rollout_apply_desc desc = apply_of(&w, PADIC_F32);
        float *want = (float *)fresh(w.in, 4);
        desc.seed = 0x123456789abcdefu + i;
        desc.step = 3, desc.frames = 9;
        desc.ids = padic_tensor_1d(PADIC_U32, (void *)(uintptr_t)ids, 2);
        desc.noise_ids = padic_tensor_1d(PADIC_U32, (void *)(uintptr_t)noise_ids, 3);
        if (i % 2) desc.noise_scale = padic_tensor_1d(PADIC_F64, (void *)(uintptr_t)scales, 2);
        for (int d = 0; d < device_count; d++) {
            plane more = plane_new(devices[d], &desc.noise_ids, 2, noise_ids);
            padic_rollout_apply_desc there = desc;
            if (i % 3) there.noise_ids = more.tensor;
            CHECK(apply_on(devices[d], &there, w.got));
            for (uint32_t b = 0; b < 6; b++) {
                padic_rollout_noise_desc one = PADIC_ZERO;
                one.field = padic_tensor_nd(PADIC_F32, w.state_f + b * w.in, 3, shape);
                one.out = padic_tensor_nd(PADIC_F32, want, 3, shape);
                one.law = law;
                if (i % 2) one.law.scale = &scales[b / 3];
                one.seed = desc.seed;
                one.id = ids[b / 3];
                one.realisation = noise_ids[b % 3];
                one.site = 1;
                one.step = 3, one.frames = 9;
                CHECK_EQ(padic_rollout_noise(NULL, &one), PADIC_OK);
                CHECK(!memcmp(want, w.got + b * w.in, w.in * 4));
            }
            plane_end(devices[d], &more);
        }
        free(want);
        world_end(&w);
    }
}

// ---- rollouts

static void rollout_compare(rollout *r, padic_result result)
{
    float *frames = (float *)fresh(r->out, 4);
    padic_rollout_status status[12];
    CHECK_EQ(padic_rollout_run(NULL, &r->desc), result);
    for (int d = 0; d < device_count; d++) {
        CHECK_EQ(rollout_on(devices[d], r, frames, status), result);
        CHECK(alike(frames, r->frames, r->out, 3e-4));
        for (uint32_t i = 0; i < 12; i++) {
            CHECK_EQ(status[i].code, r->status[i].code);
            CHECK_EQ(status[i].step, r->status[i].step);
            CHECK_EQ(status[i].last_good, r->status[i].last_good);
            CHECK(fabs((double)status[i].max_abs - (double)r->status[i].max_abs) <=
                  3e-4 * fmax(1, (double)r->status[i].max_abs));
        }
    }
    free(frames);
}

// Policies, posts, clamps, outputs, failures of initial conditions and on the way.
TEST(rollouts)
{
    static const float parameters[2] = {0.25f, 0.5f};
    open_devices();
    for (uint32_t i = 0; i < (test_tiny ? 12u : 48u); i++) {
        rollout r = rollout_new(1 + i % 3, 3 + below(test_tiny ? 4 : 12),
                                1 + below(test_tiny ? 12 : 60), 5);
        nodes[4].noise = &r.law;
        r.law.type = (padic_rollout_noise_type)below(4);
        r.desc.policy = (padic_rollout_policy)(i % 3);
        r.desc.post = (padic_rollout_post)(i / 3 % 3);
        r.desc.failure = (padic_rollout_failure)(i % 4);
        r.desc.output = (padic_rollout_output)(i % 5 % 3);
        if (r.desc.output == PADIC_ROLLOUT_OUTPUT_EVERY) {
            r.desc.every = 1 + below(5);
            r.desc.flags |= below(2) * PADIC_ROLLOUT_WITH_LAST;
        }
        if (r.desc.post && i % 2) r.desc.flags |= PADIC_ROLLOUT_POST_PER_CHANNEL;
        if (i % 7 == 0) {
            r.desc.flags |= PADIC_ROLLOUT_CLAMP;
            r.desc.lo = -0.7, r.desc.hi = 0.6;
        }
        if (r.desc.policy)
            r.desc.parameter = padic_tensor_1d(PADIC_F32, (void *)(uintptr_t)parameters, 2);
        if (i % 4 == 1) r.w.state_f[r.w.in + 1] = NAN;
        if (i % 4 == 2) r.w.state_f[2 * r.w.in] = INFINITY;
        if (i % 8 == 3) r.w.weights_f[r.w.report.parameters + 3] = NAN; // of operator 1
        if (i % 6 == 5) r.desc.limit = 0.9;
        rollout_out(&r);
        const int fails = r.desc.failure == PADIC_ROLLOUT_FAILURE_FAIL && i % 8 == 3;
        if (!fails && r.desc.failure == PADIC_ROLLOUT_FAILURE_FAIL)
            r.desc.failure = PADIC_ROLLOUT_FAILURE_STOP;
        rollout_compare(&r, fails ? PADIC_ERROR_NOT_FINITE : PADIC_OK);
        rollout_end(&r);
    }
}

// The same bytes with fewer trajectories side by side, alone, and of other outputs.
TEST(splits)
{
    open_devices();
    for (uint32_t i = 0; i < 2; i++) {
        rollout r = rollout_new(3, 6 + i, 35 - 16 * i, 3);
        padic_rollout_run_report report = PADIC_ZERO;
        padic_rollout_status status[12];
        float *frames, *other;
        nodes[4].noise = &r.law;
        r.desc.post = PADIC_ROLLOUT_POST_ZSCORE;
        rollout_out(&r);
        frames = (float *)fresh(r.out, 4), other = (float *)fresh(r.out, 4);
        for (int d = 0; d < device_count; d++) {
            const uint64_t numbers = r.w.in, trajectory = 3 * numbers;
            r.desc.report = &report;
            CHECK_EQ(rollout_on(devices[d], &r, frames, r.status), PADIC_OK);
            CHECK_EQ(report.batch, 12);
            CHECK(report.size > 0 && !report.failed);
            for (uint64_t bytes = report.size / 2; bytes > report.size / 7; bytes /= 3) {
                padic_rollout_run_report less = PADIC_ZERO;
                r.desc.report = &less;
                r.desc.max_bytes = bytes;
                CHECK_EQ(rollout_on(devices[d], &r, other, status), PADIC_OK);
                CHECK(less.batch < 12 && less.batch > 0 && less.size <= bytes);
                CHECK(!memcmp(frames, other, r.out * 4) && !memcmp(status, r.status, 12 * 16));
            }
            r.desc.report = NULL;
            r.desc.max_bytes = 100;
            CHECK_EQ(padic_rollout_run(devices[d], &r.desc), PADIC_ERROR_MEMORY);
            r.desc.max_bytes = 0;
            for (uint32_t k = 0; k < 6; k++) { // operator, initial condition, both realisations
                padic_rollout_run_desc one = r.desc;
                const uint32_t id = k / 3;
                one.weights.data = r.w.weights_f + id * r.w.report.parameters;
                one.weights.shape[0] = 1;
                one.initial.data = r.w.state_f + k % 3 * numbers;
                one.initial.shape[0] = 1;
                one.ids = padic_tensor_1d(PADIC_U32, (void *)(uintptr_t)&id, 1);
                one.out.shape[0] = one.out.shape[1] = 1;
                one.out.data = other;
                one.status = padic_tensor_1d(PADIC_U32, NULL, 0);
                memset(&one.status, 0, sizeof one.status);
                CHECK_EQ(padic_rollout_run(devices[d], &one), PADIC_OK);
                CHECK(!memcmp(other, frames + k * 2 * trajectory, 2 * trajectory * 4));
            }
            r.desc.output = PADIC_ROLLOUT_OUTPUT_LAST;
            rollout_out(&r);
            CHECK_EQ(rollout_on(devices[d], &r, other, status), PADIC_OK);
            for (uint32_t k = 0; k < 12; k++)
                CHECK(!memcmp(other + k * numbers, frames + k * trajectory + 2 * numbers,
                              numbers * 4));
            r.desc.output = PADIC_ROLLOUT_OUTPUT_ALL;
            rollout_out(&r);
        }
        free(frames), free(other);
        rollout_end(&r);
    }
}

// A shifted one-hot kernel shifts for ever, alpha of 1 and dt of 0 stand still: to the bit.
TEST(exact)
{
    static const float one = 1, zero = 0;
    padic_rollout_operator op = list(1, 5, 12);
    const uint64_t initial[4] = {1, 1, 5, 12}, out[7] = {1, 1, 1, 40, 1, 5, 12};
    padic_rollout_run_desc desc = PADIC_ZERO;
    float *frames = (float *)fresh(40 * 60, 4);
    open_devices();
    nodes[0].boundary = PADIC_ROLLOUT_BOUNDARY_PERIODIC;
    nodes[0].norm = PADIC_ROLLOUT_NORM_NONE;
    nodes[0].act = PADIC_ROLLOUT_ACT_NONE;
    world w = world_new(&op, 1, 1);
    memset(w.weights_f, 0, w.report.parameters * 4);
    w.weights_f[8] = 1; // from the cell below, to the right
    desc.op = op;
    desc.weights = padic_tensor_2d(PADIC_F32, w.weights_f, 1, w.report.parameters);
    desc.initial = padic_tensor_nd(PADIC_F32, w.state_f, 4, initial);
    desc.out = padic_tensor_nd(PADIC_F32, frames, 7, out);
    desc.steps = 40;
    for (int d = 0; d < device_count; d++) {
        desc.policy = PADIC_ROLLOUT_POLICY_AUTOREGRESSIVE;
        memset(&desc.parameter, 0, sizeof desc.parameter);
        CHECK_EQ(padic_rollout_run(devices[d], &desc), PADIC_OK);
        for (uint32_t i = 0; i < 40 * 60; i++) {
            const uint32_t t = i / 60, y = (i / 12 + t) % 5, x = (i + t) % 12;
            CHECK(!memcmp(&frames[i], &w.state_f[y * 12 + x], 4));
        }
        desc.policy = PADIC_ROLLOUT_POLICY_CONVEX;
        desc.parameter = padic_tensor_1d(PADIC_F32, (void *)(uintptr_t)&one, 1);
        CHECK_EQ(padic_rollout_run(devices[d], &desc), PADIC_OK);
        CHECK(!memcmp(frames + 39 * 60, w.state_f, 240));
        desc.policy = PADIC_ROLLOUT_POLICY_RESIDUAL;
        desc.parameter = padic_tensor_1d(PADIC_F32, (void *)(uintptr_t)&zero, 1);
        CHECK_EQ(padic_rollout_run(devices[d], &desc), PADIC_OK);
        CHECK(!memcmp(frames + 39 * 60, w.state_f, 240));
    }
    // MINMAX gives exactly 0 and 1, ZSCORE mean 0 and deviation 1
    desc.policy = PADIC_ROLLOUT_POLICY_AUTOREGRESSIVE;
    memset(&desc.parameter, 0, sizeof desc.parameter);
    for (int d = 0; d < device_count; d++)
        for (uint32_t post = 1; post < 3; post++) {
            double low = 9, high = -9, mean = 0, square = 0;
            desc.post = (padic_rollout_post)post;
            CHECK_EQ(padic_rollout_run(devices[d], &desc), PADIC_OK);
            for (uint32_t i = 39 * 60; i < 40 * 60; i++) {
                low = fmin(low, (double)frames[i]), high = fmax(high, (double)frames[i]);
                mean += (double)frames[i] / 60;
                square += (double)frames[i] * (double)frames[i] / 60;
            }
            if (post == 1) CHECK(fabs(low) <= 0 && fabs(high - 1) <= 0);
            else CHECK(fabs(mean) <= 1e-5 && fabs(sqrt(square) - 1) <= 1e-5);
        }
    free(frames);
    world_end(&w);
}

// What a post makes of `count` numbers, and their entropy, in f64.
static double normal_of(const float *x, uint32_t count, uint32_t post, double number)
{
    double low = (double)x[0], high = low, mean = 0, square = 0;
    for (uint32_t i = 0; i < count; i++) {
        low = fmin(low, (double)x[i]), high = fmax(high, (double)x[i]);
        mean += (double)x[i] / count;
    }
    for (uint32_t i = 0; i < count; i++)
        square += ((double)x[i] - mean) * ((double)x[i] - mean) / count;
    return post == 1 ? (number - low) / (high - low) : (number - mean) / (sqrt(square) + 1e-8);
}

static double entropy_of(const float *x, uint32_t count)
{
    double low = (double)x[0], high = low, sum = 0;
    uint32_t bins[50] = {0};
    for (uint32_t i = 0; i < count; i++)
        low = fmin(low, (double)x[i]), high = fmax(high, (double)x[i]);
    for (uint32_t i = 0; i < count; i++)
        bins[(uint32_t)fmin(49, ((double)x[i] - low) * 50 / (high - low))]++;
    for (uint32_t b = 0; b < 50; b++)
        if (bins[b]) sum -= (double)bins[b] / count * log((double)bins[b] / count);
    return sum;
}

// Posts of numbers of any size, whose squares no f32 holds, and beside an infinity.
TEST(posts_of_any_size)
{
    static const double sizes[7] = {1e-6, 1, 1e9, 1e14, 1e19, 1e30, 1e38};
    enum { CELLS = 39 * 33 };
    static float x[2 * CELLS], got[2 * CELLS], none[1];
    padic_rollout_operator op = list(2, 39, 33);
    const uint64_t out[7] = {1, 1, 1, 1, 2, 39, 33}, status[4] = {1, 1, 1, 4};
    const uint64_t rows[5] = {1, 1, 1, 1, 1};
    open_devices();
    nodes[0].kind = PADIC_ROLLOUT_KIND_NORM;
    nodes[0].norm = PADIC_ROLLOUT_NORM_NONE;
    nodes[0].act = PADIC_ROLLOUT_ACT_NONE;
    for (uint32_t i = 0; i < 42u * (uint32_t)device_count; i++) {
        const uint32_t d = i / 42, post = 1 + i % 2, own = i / 2 % 3 > 0 ? 1 : 0;
        const uint32_t infinite = post == 1 && i / 2 % 3 == 2 ? 1 : 0;
        padic_rollout_run_desc desc = PADIC_ZERO;
        padic_rollout_status is;
        float entropy;
        for (uint32_t j = 0; j < 2 * CELLS; j++) // channels of two sizes
            x[j] = (float)(sizes[(i / 6 + j / CELLS * (i / 2 % 3)) % 7] *
                           (2 * uniform() + uniform() + 0.3));
        if (infinite) x[5] = INFINITY;
        desc.op = op;
        desc.weights = padic_tensor_2d(PADIC_F32, none, 1, 0);
        desc.initial = padic_tensor_nd(PADIC_F32, x, 4, out + 3);
        desc.out = padic_tensor_nd(PADIC_F32, got, 7, out);
        desc.status = padic_tensor_nd(PADIC_U32, &is, 4, status);
        desc.steps = 1;
        desc.post = (padic_rollout_post)post;
        if (own) desc.flags = PADIC_ROLLOUT_POST_PER_CHANNEL;
        CHECK_EQ(padic_rollout_run(devices[d], &desc), PADIC_OK);
        CHECK_EQ(is.code, infinite ? PADIC_ROLLOUT_CODE_NOT_FINITE : PADIC_ROLLOUT_CODE_OK);
        for (uint32_t j = 0; j < 2 * CELLS; j += 29) {
            const uint32_t part = own ? j / CELLS * CELLS : 0, count = own ? CELLS : 2 * CELLS;
            const double want = normal_of(x + part, count, post, (double)x[j]);
            if (!(fabs((double)got[j] - want) <= 1e-5 * fmax(1, fabs(want))))
                printf("\n  %u at %u: %g, not %g", i, j, (double)got[j], want), CHECK(0);
        }
        if (infinite) {
            CHECK(got[5] != got[5] && fabs((double)got[6]) <= 0);
            continue;
        }
        desc.post = PADIC_ROLLOUT_POST_NONE;
        desc.flags = 0;
        desc.reduce.metrics = PADIC_ROLLOUT_METRIC_ENTROPY;
        desc.metrics = padic_tensor_nd(PADIC_F32, &entropy, 5, rows);
        CHECK_EQ(padic_rollout_run(devices[d], &desc), PADIC_OK);
        CHECK(fabs((double)entropy - entropy_of(x, 2 * CELLS)) <= 4e-6);
    }
}

// X doubles at each step: BLOWUP where the limit is passed, not reached.
TEST(blowup)
{
    padic_rollout_operator op = list(1, 1, 1);
    const uint64_t initial[4] = {1, 1, 1, 1}, out[7] = {1, 1, 1, 9, 1, 1, 1};
    const uint64_t status[4] = {1, 1, 1, 4};
    float weights[2] = {2, 0}, first = 0.5f, frames[9];
    padic_rollout_status is;
    padic_rollout_run_report report = PADIC_ZERO;
    padic_rollout_run_desc desc = PADIC_ZERO;
    open_devices();
    nodes[0].kernel = 1;
    nodes[0].norm = PADIC_ROLLOUT_NORM_NONE;
    nodes[0].act = PADIC_ROLLOUT_ACT_NONE;
    desc.op = op;
    desc.weights = padic_tensor_2d(PADIC_F32, weights, 1, 2);
    desc.initial = padic_tensor_nd(PADIC_F32, &first, 4, initial);
    desc.out = padic_tensor_nd(PADIC_F32, frames, 7, out);
    desc.status = padic_tensor_nd(PADIC_U32, &is, 4, status);
    desc.report = &report;
    desc.steps = 9;
    desc.limit = 8.0;
    for (int d = 0; d < device_count; d++)
        for (uint32_t failure = 0; failure < 4; failure++) {
            desc.failure = (padic_rollout_failure)failure;
            CHECK_EQ(padic_rollout_run(devices[d], &desc),
                     failure == 3 ? PADIC_ERROR_NOT_FINITE : PADIC_OK);
            CHECK_EQ(is.code, PADIC_ROLLOUT_CODE_BLOWUP);
            CHECK_EQ(is.step, 5);
            CHECK_EQ(is.last_good, 4);
            CHECK(fabs((double)is.max_abs - 16) <= 0);
            CHECK_EQ(report.failed, 1);
            CHECK_EQ(report.step, 5);
            for (uint32_t t = 0; t < 9; t++) {
                const double all = ldexp(0.5, (int)t), kept = t < 5 || !failure ? all : 8;
                if (t > 4 && failure > 1) CHECK(isnan(frames[t]));
                else CHECK(fabs((double)frames[t] - kept) <= 0);
            }
            if (failure == 3)
                CHECK(strstr(padic_context_message(devices[d]), "step 5") != NULL);
        }
}

// What devices do not do: strict contexts say so, others take the host.
TEST(refused)
{
    const uint64_t one[5] = {1, 1, 2, 4, 4}, out[7] = {1, 1, 1, 2, 2, 4, 4};
    const uint64_t rows[5] = {1, 1, 1, 2, 1};
    padic_rollout_noise_law law = PADIC_ZERO;
    float metrics[2], frames[64];
    open_devices();
    for (int d = 0; d < device_count; d++)
        for (uint32_t what = 0; what < 6; what++) {
            padic_rollout_operator op = list(2, 4, what == 3 || what == 4 ? 2049 : 4);
            padic_rollout_run_desc run = PADIC_ZERO;
            world w;
            if (what == 3) nodes[0].kind = PADIC_ROLLOUT_KIND_SPECTRAL, nodes[0].modes = 2;
            if (what == 4) nodes[0].kind = PADIC_ROLLOUT_KIND_NOISE, nodes[0].noise = &law;
            law.length = 2;
            w = world_new(&op, 1, 1);
            padic_rollout_apply_desc desc = apply_of(&w, what == 0 ? PADIC_F64 : PADIC_F32);
            if (what == 1) desc.precision = PADIC_ROLLOUT_PRECISION_F16;
            if (what == 2) desc.precision = PADIC_ROLLOUT_PRECISION_F64;
            if (what < 5)
                CHECK_EQ(padic_rollout_apply(devices[d], &desc), PADIC_ERROR_NOT_SUPPORTED);
            run.op = op;
            run.weights = desc.weights;
            run.initial = padic_tensor_nd(PADIC_F32, w.state_f, 4, one + 1);
            run.steps = 2;
            run.out = padic_tensor_nd(PADIC_F32, frames, 7, out);
            if (what == 5) {
                run.metrics = padic_tensor_nd(PADIC_F32, metrics, 5, rows);
                run.reduce.metrics = PADIC_ROLLOUT_METRIC_ENTROPY;
                run.reduce.bins = 2049;
            }
            if (what > 4) {
                CHECK_EQ(padic_rollout_run(devices[d], &run), PADIC_ERROR_NOT_SUPPORTED);
                CHECK_EQ(padic_rollout_run(NULL, &run), PADIC_OK);
            }
            world_end(&w);
        }
}

TEST(falls_back)
{
    padic_context *context = open_one(padic_native(), &native_desc, 0, 0);
    padic_rollout_operator op = list(2, 4, 4);
    world w;
    if (!context) return;
    w = world_new(&op, 1, 2);
    padic_rollout_apply_desc desc = apply_of(&w, PADIC_F32), host;
    float *want = (float *)fresh(2 * w.out, 4);
    desc.precision = PADIC_ROLLOUT_PRECISION_F64;
    host = desc;
    host.out.data = want;
    CHECK_EQ(padic_rollout_apply(NULL, &host), PADIC_OK);
    CHECK_EQ(padic_rollout_apply(context, &desc), PADIC_OK);
    CHECK(!memcmp(want, w.got, 2 * w.out * 4));
    free(want);
    world_end(&w);
    padic_context_destroy(context);
}

// With nothing written: a bad parameter or scale, a realisation that is too large.
TEST(errors)
{
    float parameters[2] = {0.5f, 1.5f};
    uint32_t noise_ids[6] = {0, 1, 2, 3, 1u << 20, 5};
    open_devices();
    for (int d = 0; d < device_count; d++) {
        rollout r = rollout_new(2, 5, 6, 3);
        float *frames;
        padic_rollout_status status[12];
        nodes[4].noise = &r.law;
        rollout_out(&r);
        frames = (float *)fresh(r.out, 4);
        r.desc.policy = PADIC_ROLLOUT_POLICY_CONVEX;
        r.desc.parameter = padic_tensor_1d(PADIC_F32, parameters, 2);
        CHECK_EQ(rollout_on(devices[d], &r, frames, status), PADIC_ERROR_ARGUMENT);
        for (uint64_t i = 0; i < r.out * 4; i++) CHECK(((uint8_t *)frames)[i] == 0xa5);
        memset(&r.desc.parameter, 0, sizeof r.desc.parameter);
        parameters[0] = -1;
        r.desc.noise_scale = padic_tensor_1d(PADIC_F32, parameters, 2);
        CHECK_EQ(rollout_on(devices[d], &r, frames, status), PADIC_ERROR_ARGUMENT);
        memset(&r.desc.noise_scale, 0, sizeof r.desc.noise_scale);
        r.desc.noise_ids = padic_tensor_2d(PADIC_U32, noise_ids, 3, 2);
        CHECK_EQ(rollout_on(devices[d], &r, frames, status), PADIC_ERROR_LIMIT);
        r.desc.flags |= PADIC_ROLLOUT_QUIET; // then nothing is drawn
        CHECK_EQ(rollout_on(devices[d], &r, frames, status), PADIC_OK);
        free(frames);
        rollout_end(&r);
    }
}

// An evaluation without noise can be recorded; a rollout says that it cannot.
TEST(recording)
{
    open_devices();
    for (int d = 0; d < device_count; d++) {
        padic_rollout_operator op = list(3, 9, 20);
        world w;
        padic_record recording = PADIC_ZERO;
        float *first;
        nodes[1].input = 1, nodes[1].channels = 5;
        op.count = 2;
        w = world_new(&op, 1, 2);
        first = (float *)fresh(2 * w.out, 4);
        padic_rollout_apply_desc desc = apply_of(&w, PADIC_F32);
        plane weights = plane_new(devices[d], &desc.weights, 0, w.weights_f);
        plane state = plane_new(devices[d], &desc.state, 0, w.state_f);
        plane out = plane_new(devices[d], &desc.out, 0, NULL);
        desc.weights = weights.tensor, desc.state = state.tensor, desc.out = out.tensor;
        CHECK_EQ(padic_rollout_apply(devices[d], &desc), PADIC_OK);
        CHECK_EQ(padic_buffer_download(devices[d], out.tensor.buffer, 0, first, out.bytes),
                 PADIC_OK);
        CHECK_EQ(padic_buffer_fill(devices[d], out.tensor.buffer, 0, 0, out.bytes), PADIC_OK);
        CHECK_EQ(padic_record_begin(devices[d]), PADIC_OK);
        CHECK_EQ(padic_rollout_apply(devices[d], &desc), PADIC_OK);
        CHECK_EQ(padic_record_end(devices[d], &recording), PADIC_OK);
        CHECK_EQ(padic_record_replay(devices[d], recording, 1), PADIC_OK);
        CHECK_EQ(padic_buffer_download(devices[d], out.tensor.buffer, 0, w.got, out.bytes),
                 PADIC_OK);
        CHECK(!memcmp(first, w.got, out.bytes));
        plane_end(devices[d], &weights), plane_end(devices[d], &state), plane_end(devices[d], &out);
        free(first);
        world_end(&w);
    }
}

// Programs of calls that were only asked, built before there is any work: together, or by a backend
// that cannot one after the other.
static int asked_by(const padic_backend *backend, uint32_t together)
{
    const uint64_t one[4] = {1, 2, 4, 4}, out[7] = {1, 1, 1, 2, 2, 4, 4};
    padic_rollout_operator op = list(2, 4, 4);
    padic_rollout_run_desc run = PADIC_ZERO;
    padic_native_desc own = PADIC_ZERO;
    padic_context_ask_report report;
    padic_context *context = open_one(backend, &own, 0, PADIC_CONTEXT_STRICT);
    padic_stats stats;
    float frames[2][64];
    world w;
    if (!context) return 0;
    w = world_new(&op, 1, 1);
    padic_rollout_apply_desc desc = apply_of(&w, PADIC_F32);
    run.op = op;
    run.weights = desc.weights;
    run.initial = padic_tensor_nd(PADIC_F32, w.state_f, 4, one);
    run.steps = 2;
    run.out = padic_tensor_nd(PADIC_F32, frames[0], 7, out);
    CHECK_EQ(padic_context_prewarm(context, PADIC_AREA_ASKED), PADIC_OK); // nothing was
    CHECK_EQ(padic_context_ask(context, &report), PADIC_OK);
    CHECK_EQ(padic_rollout_run(context, &run), PADIC_ERROR_ASKED);
    CHECK_EQ(padic_rollout_run(context, &run), PADIC_ERROR_ASKED);
    CHECK_EQ(padic_context_ask(context, NULL), PADIC_OK);
    CHECK_EQ(own.together, 0);
    CHECK_EQ(padic_context_prewarm(context, PADIC_AREA_ASKED), PADIC_OK);
    CHECK_EQ(own.together, together);
    padic_context_stats(context, &stats);
    CHECK_EQ(stats.programs, 2); // rollout, rollout_conv
    CHECK_EQ(stats.self_tests, 0);
    CHECK_EQ(padic_context_prewarm(context, PADIC_AREA_ASKED), PADIC_OK);
    padic_context_stats(context, &stats);
    CHECK_EQ(stats.programs, 2); // once
    CHECK_EQ(padic_rollout_run(context, &run), PADIC_OK);
    padic_context_stats(context, &stats);
    CHECK(stats.self_tests > 0);
    run.out.data = frames[1];
    CHECK_EQ(padic_rollout_run(NULL, &run), PADIC_OK);
    for (int i = 0; i < 64; i++) CHECK(fabs((double)(frames[0][i] - frames[1][i])) < 1e-4);
    world_end(&w);
    padic_context_destroy(context);
    return 1;
}

TEST(asked)
{
    padic_backend alone = *padic_native();
    alone.programs = NULL;
    if (!asked_by(padic_native(), 2) || !asked_by(&alone, 0)) {
        SKIP("kernels as C need Linux, python3 and the compiler");
    }
}

TEST_MAIN("gpu_rollout", CASE(convolutions), CASE(around_tiles), CASE(activations), CASE(graphs),
          CASE(large_graphs), CASE(taps_and_strides), CASE(noise), CASE(rollouts), CASE(splits),
          CASE(exact), CASE(posts_of_any_size), CASE(blowup), CASE(refused), CASE(falls_back),
          CASE(errors), CASE(recording), CASE(asked), CASE(no_kernel_was_dropped))
