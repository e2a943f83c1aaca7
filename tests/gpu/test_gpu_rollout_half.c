// test_gpu_rollout_half.c: rollouts in 16 bits on devices: evaluations of random networks within
// the page's R2 of an evaluation in f64, and nearer to the reference in 16 bits; the same bytes
// whatever is computed beside, and in plans; what a field on a periodic grid gives is moved as the
// field is, of every cell around a tile; statuses, also of numbers that only 16 bits cannot hold;
// what devices without tensor cores do not do.
//
//     ./test_gpu_rollout_half        devices: see gpu_devices.h
#include "../support/inside.h"
#include "../../padic.h"
#include "gpu_devices.h"
#include "../rollout/rollout_lists.h"
#include "rollout_world.h"

static const padic_rollout_precision precisions[2] = {PADIC_ROLLOUT_PRECISION_F16,
                                                      PADIC_ROLLOUT_PRECISION_BF16};

// Whether a device does what it should not refuse.
static int does(int d, padic_result result)
{
#ifdef GPU_CUDA
    if (d == device_count - 1) CHECK_EQ(result, PADIC_OK);
#else
    (void)d;
#endif
    CHECK(result == PADIC_OK || result == PADIC_ERROR_NOT_SUPPORTED);
    return result == PADIC_OK;
}

// A residual network of random sizes, with HIDDEN noise or none.
static padic_rollout_operator random_net(uint32_t i, padic_rollout_noise_law *law)
{
    static const uint32_t widths[] = {5, 16, 24, 64, 8, 33};
    static const padic_rollout_norm norms[] = {
        PADIC_ROLLOUT_NORM_INSTANCE, PADIC_ROLLOUT_NORM_INSTANCE, PADIC_ROLLOUT_NORM_LAYER,
        PADIC_ROLLOUT_NORM_GROUP, PADIC_ROLLOUT_NORM_NONE};
    padic_rollout_operator op = list(1 + below(4), 4 + below(30), 4 + below(30));
    padic_rollout_nodes_cnn_desc cnn = PADIC_ZERO;
    cnn.nodes = nodes;
    cnn.capacity = PADIC_ROLLOUT_NODES;
    cnn.channels = op.channels;
    cnn.width = widths[i % 6];
    cnn.layers = 1 + (i + i / 6) % 4;
    cnn.kernel = cnn.width > 32 ? 3 : 1 + 2 * below(4);
    cnn.norm = norms[i % 5];
    cnn.act = (padic_rollout_act)below(6);
    cnn.boundary = (padic_rollout_boundary)below(4);
    cnn.site = i % 2 ? PADIC_ROLLOUT_NOISE_HIDDEN : PADIC_ROLLOUT_NOISE_NONE;
    if (i % 2) cnn.noise = law;
    law->type = (padic_rollout_noise_type)(i / 2 % 4);
    op.count = padic_rollout_nodes_cnn(&cnn);
    return op;
}

// Weights as networks begin with them.
static void usual_weights(world *w)
{
    padic_rollout_weights_init_desc init = PADIC_ZERO;
    init.op = w->op;
    init.seed = 5;
    init.out = padic_tensor_2d(PADIC_F32, w->weights_f, w->n, w->report.parameters);
    CHECK_EQ(padic_rollout_weights_init(NULL, &init), PADIC_OK);
    for (uint64_t i = 0; i < w->n * w->report.parameters; i++)
        w->weights[i] = (double)w->weights_f[i];
}

// Errors of a trajectory, relative to the root mean square of `want`.
static void errors_of(const world *w, uint64_t b, const float *got, const double *want,
                      double result[2])
{
    double square = 0, error = 0, most = 0;
    for (uint64_t i = b * w->out; i < (b + 1) * w->out; i++) {
        const double d = fabs((double)got[i] - want[i]);
        square += want[i] * want[i];
        error += d * d;
        if (!(d <= most)) most = d;
    }
    square = sqrt(square / (double)w->out) + 1e-30;
    result[0] = sqrt(error / (double)w->out) / square;
    result[1] = most / square;
}

static void net_case(uint32_t i)
{
    static const double scale = 0.1;
    padic_rollout_noise_law law = PADIC_ZERO;
    padic_rollout_operator op = random_net(i, &law);
    world w = world_new(&op, 2, 1 + i % 3);
    double *near_by = (double *)fresh(w.n * w.b * w.out, 8);
    float *near_by_f = (float *)fresh(w.n * w.b * w.out, 4);
    law.scale = &scale;
    usual_weights(&w);
    padic_rollout_apply_desc desc = apply_of(&w, PADIC_F64), single = apply_of(&w, PADIC_F32);
    desc.step = single.step = 3;
    desc.seed = single.seed = 11 + i;
    for (uint32_t p = 0; p < 2; p++) {
        const double rms = p ? 5e-2 : 8e-3, most = p ? 0.4 : 6e-2;
        single.precision = precisions[p];
        for (int d = 0; d < device_count; d++) {
            if (!does(d, padic_rollout_apply(devices[d], &single))) continue;
            CHECK_EQ(padic_rollout_apply(NULL, &desc), PADIC_OK);
            CHECK_EQ(padic_rollout_apply(NULL, &single), PADIC_OK);
            memcpy(near_by_f, w.got, w.n * w.b * w.out * 4);
            for (uint64_t k = 0; k < w.n * w.b * w.out; k++) near_by[k] = (double)w.got[k];
            memset(w.got, 0xff, w.n * w.b * w.out * 4);
            CHECK(apply_on(devices[d], &single, w.got));
            for (uint64_t b = 0; b < w.n * w.b; b++) {
                double far_from[2], from[2], theirs[2]; // of the reference, in 16 bits, from f64
                errors_of(&w, b, w.got, w.want, far_from);
                errors_of(&w, b, w.got, near_by, from);
                errors_of(&w, b, near_by_f, w.want, theirs);
                if (wanted("PADIC_TEST_LOG"))
                    printf("\n  %u %u: %.2g %.2g; %.2g %.2g", i, p, far_from[0], far_from[1],
                           from[0], from[1]);
                CHECK(far_from[0] <= fmax(rms, 1.1 * theirs[0]));
                CHECK(far_from[1] <= fmax(most, 1.1 * theirs[1]));
                CHECK(from[0] <= rms / 4 && from[1] <= most / 2);
            }
        }
    }
    free(near_by), free(near_by_f);
    world_end(&w);
}

TEST(networks)
{
    open_devices();
    for (uint32_t i = 0; i < (test_tiny ? 4u : 24u); i++) net_case(i);
}

// ---- fields that are moved
//
// On a periodic grid a field that is moved by (dy, dx) gives the result moved by as much, while the
// tiles stay: a cell inside a tile comes to lie around one. No number is compared with a mean over
// others, so that one wrong cell of one channel is seen.

typedef struct moving {
    uint32_t height, width, first, kernel, second; // cells; channels, kernel, channels
    padic_rollout_act act;
    int norm; // whether a norm follows the second convolution
} moving;

static float *moved(const float *from, uint64_t planes, const moving *m, uint32_t dy, uint32_t dx)
{
    float *to = (float *)fresh(planes * m->height * m->width, 4);
    for (uint64_t p = 0; p < planes * m->height; p++)
        for (uint32_t x = 0; x < m->width; x++) {
            const uint64_t plane = p / m->height, y = (p % m->height + dy) % m->height;
            to[(plane * m->height + y) * m->width + (x + dx) % m->width] = from[p * m->width + x];
        }
    return to;
}

// Largest difference of a number, relative to the largest number of its plane.
static double apart(const float *a, const float *b, uint64_t planes, uint64_t cells)
{
    double most = 0;
    for (uint64_t p = 0; p < planes; p++) {
        double size = 0, d = 0;
        for (uint64_t i = p * cells; i < (p + 1) * cells; i++) {
            const double e = fabs((double)a[i] - (double)b[i]);
            size = fmax(size, fabs((double)a[i]));
            if (!(e <= d)) d = e;
        }
        CHECK(size > 0);
        if (!(d / size <= most)) most = d / size;
    }
    return most;
}

// A convolution with a norm and an activation, one around whose tiles we look, and the last one.
static world moving_world(const moving *m, uint64_t n)
{
    padic_rollout_operator op = list(3, m->height, m->width);
    nodes[0].kernel = 1;
    nodes[0].channels = m->first;
    nodes[0].boundary = nodes[1].boundary = PADIC_ROLLOUT_BOUNDARY_PERIODIC;
    nodes[0].flags = PADIC_ROLLOUT_AFFINE;
    nodes[0].act = m->act;
    nodes[1].input = 1;
    nodes[1].kernel = m->kernel;
    nodes[1].channels = m->second;
    nodes[1].act = PADIC_ROLLOUT_ACT_NONE;
    if (!m->norm) nodes[1].norm = PADIC_ROLLOUT_NORM_NONE;
    nodes[2].input = 2, nodes[2].channels = 3, nodes[2].kernel = 1;
    nodes[2].norm = PADIC_ROLLOUT_NORM_NONE, nodes[2].act = PADIC_ROLLOUT_ACT_NONE;
    op.count = 3;
    return world_new(&op, n, 1);
}

// gamma and beta of the first norm: no two channels have nearly the same map.
static void moving_affine(const world *w, const moving *m)
{
    for (uint64_t k = 0; k < w->n; k++)
        for (uint32_t c = 0; c < m->first; c++) {
            float *at = w->weights_f + k * w->report.parameters + shapes[0].weights +
                        shapes[0].count - 2 * m->first + c;
            at[0] = (c % 2 ? 1.0f : -1.0f) * (0.75f + 0.5f * (float)uniform());
            at[m->first] = (c % 4 < 2 ? 0.5f : -0.5f) + 0.25f * (float)uniform();
        }
}

// Each output of the second convolution is one input at one tap, more often than not a corner, and
// each of the last one is one of these: what comes out are the numbers that were read, unmixed.
static void moving_picks(const world *w, const moving *m)
{
    const uint32_t span = m->kernel, taps = span * span;
    for (uint64_t k = 0; k < w->n; k++) {
        float *own = w->weights_f + k * w->report.parameters;
        float *second = own + shapes[1].weights, *last = own + shapes[2].weights;
        memset(second, 0, shapes[1].count * 4), memset(last, 0, shapes[2].count * 4);
        for (uint32_t o = 0; o < 3; o++) {
            const uint32_t corner[4] = {taps - 1, 0, span - 1, taps - span};
            const uint32_t c = (o * m->second / 3 + below(m->second / 3 + 1)) % m->second;
            const uint32_t tap = below(3) ? corner[(k + o) % 4] : below(taps);
            memset(second + (uint64_t)c * m->first * taps, 0, (size_t)m->first * taps * 4);
            second[((uint64_t)c * m->first + below(m->first)) * taps + tap] = 1;
            last[o * m->second + c] = 1;
        }
    }
}

// How far the result of a moved field is from the moved result. d < 0: of the reference.
static double moving_apart(int d, const world *w, padic_rollout_apply_desc *single,
                           const moving *m)
{
    const uint32_t dy = 1 + below(m->height - 1), dx = 1 + below(m->width - 1);
    const uint64_t cells = (uint64_t)m->height * m->width;
    float *shifted = moved(w->state_f, w->n * 3, m, dy, dx), *there;
    float *got = (float *)fresh(w->n * w->out, 4);
    double result;
    single->out.data = got;
    if (d < 0) CHECK_EQ(padic_rollout_apply(NULL, single), PADIC_OK);
    else CHECK(apply_on(devices[d], single, got));
    there = moved(got, w->n * 3, m, dy, dx);
    single->state.data = shifted;
    if (d < 0) CHECK_EQ(padic_rollout_apply(NULL, single), PADIC_OK);
    else CHECK(apply_on(devices[d], single, got));
    result = apart(there, got, w->n * 3, cells);
    single->state.data = w->state_f;
    single->out.data = w->got;
    free(shifted), free(there), free(got);
    return result;
}

static padic_rollout_apply_desc moving_desc(const world *w, padic_rollout_precision precision)
{
    padic_rollout_apply_desc desc = apply_of(w, PADIC_F32);
    desc.precision = precision;
    desc.flags = PADIC_ROLLOUT_QUIET;
    return desc;
}

// Any field on any grid. The first convolution sums the same numbers in the same order wherever a
// cell is. The moments are summed in another order: trees of 8 roundings in a tile, then of some 16
// over tiles, each 2^-24 of a sum of squares, make a and b of the map differ by less than 2^-18 of
// themselves, and a x + b by 2^-15 of the largest such number. Its rounding to 16 bits may then
// fall to the next number, 2^-7 (bf16) or 2^-10 (f16) away. Such a number comes out as it is, or,
// where a norm follows, times its a and rounded once more. What is taken from a wrong place, or
// with the map of another channel, is wrong by about the size of the numbers.
static void moving_any(const moving *m, padic_rollout_precision precision, int d, world *w)
{
    const double spacing = precision == PADIC_ROLLOUT_PRECISION_F32   ? 0
                           : precision == PADIC_ROLLOUT_PRECISION_F16 ? 0x1p-10
                                                                      : 0x1p-7;
    padic_rollout_apply_desc desc = moving_desc(w, precision);
    double most;
    if (d >= 0 && precision && !does(d, padic_rollout_apply(devices[d], &desc))) return;
    most = moving_apart(d, w, &desc, m);
    if (wanted("PADIC_TEST_LOG"))
        printf("\n  %ux%u %u-%ux%u-%u norm %d, precision %d, device %d: %.3g of %.3g", m->height,
               m->width, m->first, m->kernel, m->kernel, m->second, m->norm, (int)precision, d,
               most, (1 + m->norm) * (spacing + 0x1p-15));
    CHECK(most <= (1 + m->norm) * (spacing + 0x1p-15));
}

TEST(moved_fields)
{
    static const uint32_t firsts[] = {8, 16, 20, 33, 64, 32}, seconds[] = {16, 9, 24, 64, 8};
    static const uint32_t sizes[] = {32, 47, 64, 33, 80, 97, 50, 128, 130};
    open_devices();
    for (uint32_t i = 0; i < (test_tiny ? 6u : 12u); i++) {
        moving m;
        m.height = sizes[i % 9], m.width = sizes[(i + 1 + i / 9) % 9];
        m.first = firsts[i % 6], m.second = seconds[i % 5];
        m.kernel = i % 7 == 3 ? 5 : i % 7 == 5 ? 7 : 3;
        m.norm = i % 4 == 3;
        m.act = i % 3 ? PADIC_ROLLOUT_ACT_GELU_ERF : PADIC_ROLLOUT_ACT_SILU;
        if (i == 10) m.first = m.second = 64, m.kernel = 3;
        if (test_tiny) m.height = m.height % 32 + 32, m.width = 32;
        world w = moving_world(&m, 4);
        moving_affine(&w, &m);
        moving_picks(&w, &m);
        for (int d = -1; d < device_count; d++)
            for (uint32_t p = 0; p < 3; p++) {
                if ((d < 0 || !p) && m.first * m.second * m.kernel > 3000) continue; // takes long
                moving_any(&m, p ? precisions[p - 1] : PADIC_ROLLOUT_PRECISION_F32, d, &w);
            }
        world_end(&w);
    }
}

// Fields of small integers that repeat after 16 cells, as do the tiles of kernels for tensor cores:
// all sums of a tile's moments are exact, and so are those of any other 16 x 16 cells. Then nothing
// that follows may differ by a bit, though all outputs are dense sums.
TEST(moved_exactly)
{
    static const uint32_t firsts[] = {16, 33, 64, 8, 24, 64}, seconds[] = {32, 64, 64, 16, 5, 16};
    open_devices();
    for (uint32_t i = 0; i < (test_tiny ? 2u : 6u); i++) {
        moving m;
        m.height = 32 + 16 * below(7), m.width = 32 + 16 * below(7);
        m.first = firsts[i % 6], m.second = seconds[i % 6];
        m.kernel = i % 6 == 3 ? 5 : i % 6 == 5 ? 7 : 3;
        m.norm = 0;
        m.act = i % 2 ? PADIC_ROLLOUT_ACT_SILU : PADIC_ROLLOUT_ACT_GELU_ERF;
        world w = moving_world(&m, 2);
        moving_affine(&w, &m);
        for (uint64_t k = 0; k < w.n; k++) {
            float *first = w.weights_f + k * w.report.parameters + shapes[0].weights;
            for (uint32_t j = 0; j < 3 * m.first; j++) first[j] = (float)below(3) - 1;
        }
        for (uint64_t j = 0; j < w.n * w.in; j++) {
            const uint64_t row = j / m.width, y = row % m.height, plane = row / m.height;
            const uint64_t at = (plane * 16 + y % 16) * 16 + j % m.width % 16;
            w.state_f[j] = (float)((at * 2654435761u >> 13) % 5) - 2;
        }
        for (int d = 0; d < device_count; d++)
            for (uint32_t p = 0; p < 2; p++) {
                padic_rollout_apply_desc desc = moving_desc(&w, precisions[p]);
                if (!does(d, padic_rollout_apply(devices[d], &desc))) continue;
                CHECK(moving_apart(d, &w, &desc, &m) == 0);
            }
        world_end(&w);
    }
}

// ---- rollouts

// With HIDDEN noise, in 16 bits.
static rollout half_new(uint32_t i)
{
    rollout r = rollout_new(3, 19, 23, 5);
    const padic_rollout_node last = nodes[3]; // NOISE comes before it here
    nodes[3] = nodes[4];
    nodes[3].input = 3;
    nodes[4] = last;
    nodes[4].input = 4;
    r.desc.precision = precisions[i % 2];
    r.desc.failure = i / 2 ? PADIC_ROLLOUT_FAILURE_FREEZE : PADIC_ROLLOUT_FAILURE_REPORT;
    r.desc.policy = PADIC_ROLLOUT_POLICY_CONVEX;
    rollout_out(&r);
    return r;
}

// The same bytes whatever is computed beside: parts of N, I and M, memory for one; EVERY and LAST
// are frames of ALL.
TEST(splits)
{
    const uint64_t per = 3 * 19 * 23;
    open_devices();
    for (int d = 0; d < device_count; d++)
        for (uint32_t i = 0; i < 4; i++) {
            rollout r = half_new(i);
            float *all = (float *)fresh(r.out, 4), *other = (float *)fresh(r.out, 4);
            padic_rollout_status status[12];
            nodes[3].noise = &r.law;
            if (does(d, padic_rollout_run(devices[d], &r.desc))) {
                CHECK_EQ(rollout_on(devices[d], &r, all, status), PADIC_OK);
                CHECK(!memcmp(all, r.frames, r.out * 4));
                for (uint32_t t = 0; t < 12; t++) CHECK_EQ(status[t].last_good, 4);
                r.desc.max_bytes = 300000; // for some of them
                CHECK_EQ(rollout_on(devices[d], &r, other, status), PADIC_OK);
                CHECK(!memcmp(all, other, r.out * 4));
                r.desc.max_bytes = 0;
                r.desc.output = PADIC_ROLLOUT_OUTPUT_LAST;
                rollout_out(&r);
                CHECK_EQ(rollout_on(devices[d], &r, other, status), PADIC_OK);
                for (uint32_t k = 0; k < 12; k++)
                    CHECK(!memcmp(other + k * per, all + (k * 5 + 4) * per, per * 4));
            }
            free(all), free(other);
            rollout_end(&r);
        }
}

// Frame t of all trajectories is in x, densely.
static int frame_is(const rollout *r, const float *x, uint32_t t)
{
    const uint64_t per = r->w.in;
    int same = 1;
    for (uint64_t k = 0; k < 12; k++)
        same &= !memcmp(x + k * per, r->frames + (k * 5 + t) * per, per * 4);
    return same;
}

// Steps one by one, recorded, and the whole, by a plan: the bits of a rollout.
static void plan_case(padic_context *context, const rollout *r, padic_rollout_plan *plan)
{
    const uint64_t shape[6] = {2, 3, 2, r->w.op.channels, r->w.op.height, r->w.op.width};
    padic_rollout_plan_step_desc step = PADIC_ZERO;
    padic_rollout_plan_reset_desc reset = PADIC_ZERO;
    padic_rollout_plan_run_desc run = PADIC_ZERO;
    padic_rollout_status status[12];
    padic_record one = PADIC_ZERO;
    float *x = (float *)fresh(r->out, 4);
    step.plan = reset.plan = run.plan = plan;
    step.out = padic_tensor_nd(PADIC_F32, x, 6, shape);
    for (uint32_t t = 1; t < 5; t++) {
        memset(x, 0x11, 12 * r->w.in * 4);
        CHECK_EQ(padic_rollout_plan_step(context, &step), PADIC_OK);
        CHECK(frame_is(r, x, t));
    }
    CHECK_EQ(padic_rollout_plan_reset(context, &reset), PADIC_OK);
    plane on = plane_new(context, &step.out, 2, NULL);
    step.out = on.tensor;
    CHECK_EQ(padic_record_begin(context), PADIC_OK);
    CHECK_EQ(padic_rollout_plan_step(context, &step), PADIC_OK);
    CHECK_EQ(padic_record_end(context, &one), PADIC_OK);
    for (uint32_t t = 1; t < 5; t++) {
        CHECK_EQ(padic_record_replay(context, one, 1), PADIC_OK);
        CHECK_EQ(padic_buffer_download(context, on.tensor.buffer, on.at, x, on.bytes), PADIC_OK);
        CHECK(frame_is(r, x, t));
    }
    CHECK_EQ(padic_record_drop(context, one), PADIC_OK);
    plane_end(context, &on);
    run.out = r->desc.out, run.out.data = x;
    run.status = r->desc.status, run.status.data = status;
    CHECK_EQ(padic_rollout_plan_run(context, &run), PADIC_OK);
    CHECK(!memcmp(x, r->frames, r->out * 4));
    CHECK(!memcmp(status, r->status, sizeof status));
    free(x);
}

TEST(plans)
{
    open_devices();
    for (int d = 0; d < device_count; d++)
        for (uint32_t i = 0; i < 4; i++) {
            rollout r = half_new(i);
            padic_rollout_plan_desc desc = PADIC_ZERO;
            padic_rollout_plan *plan = NULL;
            nodes[3].noise = &r.law;
            desc.run = r.desc;
            memset(&desc.run.out, 0, sizeof desc.run.out);
            memset(&desc.run.status, 0, sizeof desc.run.status);
            if (does(d, padic_rollout_run(devices[d], &r.desc))) {
                CHECK_EQ(padic_rollout_plan_create(devices[d], &desc, &plan), PADIC_OK);
                plan_case(devices[d], &r, plan);
                padic_rollout_plan_destroy(plan);
            }
            rollout_end(&r);
        }
}

// A hidden number that f16 does not hold, though the activation hides it: the status says so.
TEST(overflow)
{
    static const uint64_t initial[4] = {1, 1, 8, 8}, out[7] = {1, 1, 1, 3, 1, 8, 8};
    static const uint64_t status[4] = {1, 1, 1, 4};
    float weights[6] = {-60000, 0, 2, 0, 1, 0}, first[64], frames[192];
    padic_rollout_operator op = list(1, 8, 8);
    padic_rollout_status is, want;
    padic_rollout_run_desc desc = PADIC_ZERO;
    open_devices();
    for (uint32_t i = 0; i < 3; i++) {
        nodes[i].input = i;
        nodes[i].kernel = 1;
        nodes[i].norm = PADIC_ROLLOUT_NORM_NONE;
        nodes[i].act = i == 1 ? PADIC_ROLLOUT_ACT_RELU : PADIC_ROLLOUT_ACT_NONE;
    }
    op.count = 3;
    for (uint32_t i = 0; i < 64; i++) first[i] = 0.25f;
    first[9] = 1.5f;
    desc.op = op;
    desc.weights = padic_tensor_2d(PADIC_F32, weights, 1, 6);
    desc.initial = padic_tensor_nd(PADIC_F32, first, 4, initial);
    desc.out = padic_tensor_nd(PADIC_F32, frames, 7, out);
    desc.status = padic_tensor_nd(PADIC_U32, &is, 4, status);
    desc.steps = 3;
    for (int d = 0; d < device_count; d++)
        for (uint32_t i = 0; i < 6; i++) {
            const int fits = i % 2;
            desc.precision = precisions[i % 2];
            desc.failure = (padic_rollout_failure)(i / 2);
            desc.status.data = &want;
            CHECK_EQ(padic_rollout_run(NULL, &desc), PADIC_OK);
            desc.status.data = &is;
            if (!does(d, padic_rollout_run(devices[d], &desc))) continue;
            CHECK_EQ(want.code, fits ? PADIC_ROLLOUT_CODE_OK : PADIC_ROLLOUT_CODE_NOT_FINITE);
            CHECK_EQ(is.code, want.code);
            CHECK_EQ(is.step, want.step);
            CHECK_EQ(is.last_good, want.last_good);
        }
}

TEST_MAIN("gpu_rollout_half", CASE(networks), CASE(moved_fields), CASE(moved_exactly),
          CASE(splits), CASE(plans), CASE(overflow), CASE(no_kernel_was_dropped))
