// test_rollout_outside.c: rollouts as a user has them from the header alone: random lists of nodes,
// grids, strides, noise, policies and outputs against loops in f64 (rollout_oracle.h), and random
// bad input. How far a right answer may be off is measured: by the same loops with random rounding
// errors of f32, or f64, in every sum and every result.
#define PADIC_IMPLEMENTATION
#include "../../padic.h"
#include "../../backends/padic_simd.h"
#include "../../backends/padic_threads.h"
#include "../support/padic_test.h"
#include "../support/contexts.h"

#include "rollout_support.h"

static padic_rollout_noise_law laws[16];
static double scales[16];

typedef struct grid {
    uint32_t c, h, w;
} grid;

// A node on random earlier ones, which says in `to` what it makes. 0: it does not fit.
static int any_node(padic_rollout_node *n, uint32_t at, const grid *all, grid *to)
{
    const grid *in;
    memset(n, 0, sizeof *n);
    n->kind = (padic_rollout_kind)below(8);
    n->input = below(at);
    in = &all[n->input];
    *to = *in;
    switch (n->kind) {
    case PADIC_ROLLOUT_KIND_CONV:
        n->channels = below(3) ? 1 + below(20) : 0;
        n->kernel = below(4) ? 1 + 2 * below(4) : 0;
        n->stride = below(4) ? below(2) : 2;
        n->boundary = (padic_rollout_boundary)below(4);
        if (n->boundary == PADIC_ROLLOUT_BOUNDARY_REFLECT && (in->h <= 4 || in->w <= 4))
            n->boundary = PADIC_ROLLOUT_BOUNDARY_ZERO;
        if (n->channels) to->c = n->channels;
        if (n->stride == 2) to->h = (in->h + 1) / 2, to->w = (in->w + 1) / 2;
        break;
    case PADIC_ROLLOUT_KIND_ADD:
    case PADIC_ROLLOUT_KIND_CONCAT:
        n->skip = below(at);
        if (all[n->skip].h != in->h || all[n->skip].w != in->w) return 0;
        if (n->kind == PADIC_ROLLOUT_KIND_CONCAT) to->c += all[n->skip].c;
        return to->c < 40;
    case PADIC_ROLLOUT_KIND_MEAN:
        to->h /= 2, to->w /= 2;
        return in->h % 2 == 0 && in->w % 2 == 0;
    case PADIC_ROLLOUT_KIND_UP:
        n->up = (padic_rollout_up)below(3);
        if (n->up == PADIC_ROLLOUT_UP_TRANSPOSED) n->channels = to->c = 1 + below(18);
        if (n->up == PADIC_ROLLOUT_UP_BILINEAR && in->h > 1 && in->w > 1)
            n->boundary = (padic_rollout_boundary)below(4);
        to->h *= 2, to->w *= 2;
        return in->h <= 10 && in->w <= 10;
    case PADIC_ROLLOUT_KIND_NOISE:
        memset(&laws[at], 0, sizeof *laws);
        laws[at].type = (padic_rollout_noise_type)below(4);
        laws[at].schedule = (padic_rollout_noise_schedule)below(3);
        scales[at] = below(50) / 100.0;
        if (below(2)) laws[at].scale = &scales[at];
        if (below(2)) laws[at].period = 1 + below(9);
        if (below(4)) n->noise = &laws[at];
        return 1;
    case PADIC_ROLLOUT_KIND_SPECTRAL:
        n->modes = 1 + below(6);
        n->flags = below(2) * 4;
        if (below(2)) n->channels = to->c = 1 + below(18);
        return 1;
    default: break;
    }
    n->norm = (padic_rollout_norm)below(5); // CONV, NORM
    n->act = (padic_rollout_act)below(6);
    if (n->norm != PADIC_ROLLOUT_NORM_NONE) {
        n->flags = below(2);
        n->eps = below(2) ? 0 : 0.01f;
    }
    if (n->norm == PADIC_ROLLOUT_NORM_FROZEN) n->flags |= 2 * below(2);
    if (n->norm == PADIC_ROLLOUT_NORM_GROUP && to->c % 2 == 0) n->groups = 2 * below(2);
    return 1;
}

// A list whose last node has the shape of the state, and which no one refuses.
static padic_rollout_operator any_operator(void)
{
    padic_rollout_operator op = list(1 + below(6), 1 + below(12), 1 + below(14));
    grid all[17];
    uint32_t last = 0;
    all[0].c = op.channels, all[0].h = op.height, all[0].w = op.width;
    op.count = 0;
    for (uint32_t tries = 1 + below(14); tries > 0; tries--)
        if (op.count < 14 && any_node(&nodes[op.count], op.count + 1, all, &all[op.count + 1])) {
            op.count++;
            if (all[op.count].h == op.height && all[op.count].w == op.width) last = op.count;
        }
    memset(&nodes[op.count], 0, sizeof *nodes);
    nodes[op.count].input = last;
    nodes[op.count].channels = op.channels;
    nodes[op.count].kernel = 1 + 2 * below(2);
    nodes[op.count].norm = below(3) ? PADIC_ROLLOUT_NORM_NONE : PADIC_ROLLOUT_NORM_INSTANCE;
    nodes[op.count].act = PADIC_ROLLOUT_ACT_NONE;
    op.count++;
    return op;
}

// White noise of the header's words.
static struct {
    uint64_t seed;
    uint32_t id, realisation, step, frames;
} draw_of;

static void white(const padic_rollout_node *n, uint32_t site, oracle_field *f)
{
    static const padic_rollout_noise_law usual = PADIC_ZERO;
    const padic_rollout_noise_law *law = n->noise ? n->noise : &usual;
    const int drop = law->type == PADIC_ROLLOUT_NOISE_DROPOUT;
    const uint64_t cells = (uint64_t)f->h * f->w;
    const uint64_t stream = (uint64_t)(draw_of.realisation << 12 | site << 4 | (drop ? 5u : 4u))
                                << 32 | draw_of.id;
    const double t = draw_of.step, T = draw_of.frames, period = law->period > 0 ? law->period : 100;
    double scale = law->scale ? *law->scale : 0.01;
    float s;
    if (law->schedule == PADIC_ROLLOUT_NOISE_ANNEALING) scale *= t < T ? 1 - t / T : 0;
    if (law->schedule == PADIC_ROLLOUT_NOISE_PERIODIC)
        scale *= 1 + sin(2 * acos(-1.0) * t / period) / 2;
    s = (float)scale;
    for (uint64_t e = 0; e < f->c * cells; e++) {
        const uint64_t element = drop ? e / cells : e;
        uint32_t words[4];
        padic_random_block(draw_of.seed, stream, draw_of.step, (uint32_t)(element / 4), words);
        const uint32_t word = words[element % 4];
        double *x = &f->at[e];
        if (drop) *x = padic_random_f32(word) < s ? 0 : *x / (1 - (double)s);
        else if (law->type == PADIC_ROLLOUT_NOISE_LAPLACE)
            *x += (double)s * (double)padic_random_laplace(word);
        else if (law->type == PADIC_ROLLOUT_NOISE_MULTIPLICATIVE)
            *x *= 1 + (double)s * (double)padic_random_normal(word);
        else *x += (double)s * (double)padic_random_normal(word);
        *x += oracle_wrong(fabs(*x));
    }
}

typedef struct story { // of one rollout
    uint32_t steps, n, i, m;
    padic_rollout_policy policy;
    padic_rollout_post post;
    int per_channel, clamp;
    double parameter[3];
    uint32_t ids[3], noise_ids[2][2];
} story;

static void finish(const story *s, const run_of *r, double *x)
{
    const uint64_t parts = s->per_channel ? r->op.channels : 1, each = r->in / parts;
    for (uint64_t p = 0; p < parts && s->post != PADIC_ROLLOUT_POST_NONE; p++) {
        double *at = x + p * each, low = at[0], high = at[0], mean = 0, var = 0;
        for (uint64_t i = 0; i < each; i++) {
            low = at[i] < low ? at[i] : low, high = at[i] > high ? at[i] : high;
            mean += at[i] / (double)each;
        }
        for (uint64_t i = 0; i < each; i++) var += (at[i] - mean) * (at[i] - mean) / (double)each;
        if (s->post == PADIC_ROLLOUT_POST_MINMAX && !(high - low > 1e-8)) continue;
        for (uint64_t i = 0; i < each; i++)
            at[i] = s->post == PADIC_ROLLOUT_POST_MINMAX ? (at[i] - low) / (high - low)
                                                         : (at[i] - mean) / (sqrt(var) + 1e-8);
    }
    for (uint64_t i = 0; i < r->in && s->clamp; i++)
        x[i] = x[i] < -0.8 ? -0.8 : x[i] > 0.9 ? 0.9 : x[i];
}

// All frames of a trajectory, (T, C, H, W).
static double *frames_of(const story *s, const run_of *r, uint32_t n, uint32_t i, uint32_t m)
{
    double *y = (double *)fresh(s->steps * r->in, 8);
    memcpy(y, r->state + i * r->in, (size_t)r->in * 8);
    finish(s, r, y);
    draw_of.seed = 4242, draw_of.id = s->ids[n], draw_of.realisation = s->noise_ids[i][m];
    draw_of.frames = s->steps;
    for (uint32_t t = 1; t < s->steps; t++) {
        const double *x = y + (t - 1) * r->in, p = s->parameter[n];
        double *to = y + t * r->in;
        draw_of.step = t;
        oracle_field o = oracle_run(&r->op, shapes, r->weights + n * r->parameters, x);
        for (uint64_t k = 0; k < r->in; k++)
            to[k] = s->policy == PADIC_ROLLOUT_POLICY_CONVEX ? p * x[k] + (1 - p) * o.at[k]
                    : s->policy == PADIC_ROLLOUT_POLICY_RESIDUAL ? x[k] + p * o.at[k] : o.at[k];
        finish(s, r, to);
        oracle_end(&o);
    }
    return y;
}

static story any_story(void)
{
    story s;
    memset(&s, 0, sizeof s);
    s.steps = 1 + below(4), s.n = 1 + below(2), s.i = 1 + below(2), s.m = 1 + below(2);
    s.policy = (padic_rollout_policy)below(3);
    s.post = (padic_rollout_post)below(3);
    s.per_channel = s.post != PADIC_ROLLOUT_POST_NONE && below(2);
    s.clamp = below(2) != 0;
    for (uint32_t k = 0; k < 3; k++) s.parameter[k] = below(101) / 100.0, s.ids[k] = below(1000);
    for (uint32_t k = 0; k < 4; k++) s.noise_ids[k / 2][k % 2] = below(1 << 20);
    return s;
}

// Frames of all trajectories by the library: F64 if `is_double`. Parameters lie backwards, weights
// with gaps.
static padic_result frames_got(padic_context *context, const story *s, run_of *r, int is_double,
                               void *out)
{
    const padic_dtype dtype = is_double ? PADIC_F64 : PADIC_F32;
    const uint64_t four[4] = {s->i, r->op.channels, r->op.height, r->op.width};
    const uint64_t seven[7] = {s->n, s->i, s->m, s->steps, r->op.channels, r->op.height,
                               r->op.width};
    float *spread = (float *)fresh(2 * s->n * (r->parameters + 1), 4);
    double backwards[3];
    padic_rollout_run_desc run = PADIC_ZERO;
    padic_result result;
    for (uint32_t n = 0; n < s->n; n++)
        for (uint64_t k = 0; k < r->parameters; k++)
            spread[n * (2 * r->parameters + 1) + 2 * k] = r->weights_f[n * r->parameters + k];
    for (uint32_t n = 0; n < s->n; n++) backwards[s->n - 1 - n] = s->parameter[n];
    run.op = r->op;
    run.weights = padic_tensor_2d(PADIC_F32, spread, s->n, r->parameters);
    run.weights.stride[0] = 2 * (int64_t)r->parameters + 1, run.weights.stride[1] = 2;
    run.initial = padic_tensor_nd(dtype, is_double ? (void *)r->state : (void *)r->state_f, 4,
                                  four);
    run.realisations = s->m, run.steps = s->steps, run.policy = s->policy, run.post = s->post;
    if (s->policy != PADIC_ROLLOUT_POLICY_AUTOREGRESSIVE) {
        run.parameter = padic_tensor_1d(PADIC_F64, backwards + s->n - 1, s->n);
        run.parameter.stride[0] = -1;
    }
    run.flags = (s->per_channel ? (uint32_t)PADIC_ROLLOUT_POST_PER_CHANNEL : 0u) |
                (s->clamp ? (uint32_t)PADIC_ROLLOUT_CLAMP : 0u);
    if (s->clamp) run.lo = -0.8, run.hi = 0.9;
    run.seed = 4242;
    run.ids = padic_tensor_1d(PADIC_U32, (void *)(uintptr_t)s->ids, s->n);
    run.noise_ids = padic_tensor_2d(PADIC_U32, (void *)(uintptr_t)s->noise_ids, s->i, s->m);
    run.noise_ids.stride[0] = 2, run.noise_ids.stride[1] = 1;
    run.out = padic_tensor_nd(dtype, out, 7, seven);
    result = padic_rollout_run(context, &run);
    free(spread);
    return result;
}

TEST(random_rollouts)
{
    contexts_begin(0);
    oracle_noise = white;
    for (uint32_t round = 0; round < (test_tiny ? 12u : 60u); round++) {
        const story s = any_story();
        const padic_rollout_operator op = any_operator();
        run_of r = run_new(&op, s.n, s.i);
        const uint64_t each = s.steps * r.in, all = s.n * s.i * s.m;
        float *y = (float *)fresh(all * each, 4);
        double *z = (double *)fresh(all * each, 8);
        CHECK_EQ(frames_got(NULL, &s, &r, 1, z), PADIC_OK);
        for (uint32_t with = 0; with < context_count; with++) {
            CHECK_EQ(frames_got(contexts[with], &s, &r, 0, y), PADIC_OK);
            for (uint64_t k = 0; k < all; k++) {
                const uint32_t n = (uint32_t)(k / (s.i * s.m)), i = (uint32_t)(k / s.m % s.i);
                const uint32_t m = (uint32_t)(k % s.m);
                double *want = frames_of(&s, &r, n, i, m), *off = (double *)fresh(s.steps, 8);
                for (int more = 0; more < 3; more++) {
                    oracle_error = 4 * U;
                    double *wrong = frames_of(&s, &r, n, i, m);
                    oracle_error = 0;
                    for (uint64_t e = 0; e < each; e++)
                        if (fabs(wrong[e] - want[e]) > off[e / r.in])
                            off[e / r.in] = fabs(wrong[e] - want[e]);
                    free(wrong);
                }
                for (uint64_t e = 0; e < each; e++) {
                    const double bound = 8 * off[e / r.in] + 1e-6 * (1 + fabs(want[e]));
                    if (!(fabs((double)y[k * each + e] - want[e]) <= bound)) {
                        CHECK_NEAR(y[k * each + e], want[e], bound);
                        printf("round %u, context %u, frame %u\n", round, with,
                               (uint32_t)(e / r.in));
                        break;
                    }
                    if (!(fabs(z[k * each + e] - want[e]) <= 1e-8 * bound + 1e-12)) {
                        CHECK_NEAR(z[k * each + e], want[e], 1e-8 * bound + 1e-12);
                        printf("round %u, F64, frame %u\n", round, (uint32_t)(e / r.in));
                        break;
                    }
                }
                free(want), free(off);
            }
        }
        free(y), free(z), run_end(&r);
    }
    oracle_noise = NULL;
    contexts_end();
}

static uint32_t odd_word(void)
{
    static const uint32_t words[] = {0, 1, 2, 3, 4, 5, 7, 8, 15, 16, 17, 31, 32, 255, 256,
                                     65535, 65536, 65537, 0x7fffffff, 0x80000000, 0xffffffff,
                                     0x7fc00000, 0x7f800000, 0x3f800000, 0xbf800000};
    return words[below(sizeof words / sizeof *words)];
}

// One word of a good call becomes another: it is refused, and nothing is written, or it is done.
TEST(bad_words)
{
    enum { MOST = 200000 };
    static float x[MOST], y[MOST], w[MOST];
    uint32_t refused = 0, done = 0;
    padic_context_desc with = PADIC_ZERO;
    padic_context *context = NULL;
    with.backends[0] = padic_simd();
    REQUIRE(padic_context_create(&with, &context) == PADIC_OK);
    for (uint32_t i = 0; i < MOST; i++) x[i] = (float)uniform(), w[i] = (float)uniform();
    for (uint32_t round = 0; round < (test_tiny ? 2000u : 20000u); round++) {
        padic_rollout_operator op = any_operator();
        padic_rollout_operator_report report = PADIC_ZERO;
        const uint64_t four[4] = {2, op.channels, op.height, op.width};
        const uint64_t seven[7] = {2, 2, 1, 2, op.channels, op.height, op.width};
        padic_rollout_status status[4];
        padic_rollout_run_desc run = PADIC_ZERO;
        padic_result result;
        CHECK_EQ(padic_rollout_operator_info(NULL, &op, &report), PADIC_OK);
        if (2 * report.parameters > MOST) continue;
        const uint64_t last[4] = {2, 2, 1, 4};
        run.op = op, run.steps = 2;
        run.weights = padic_tensor_2d(PADIC_F32, w, 2, report.parameters);
        run.initial = padic_tensor_nd(PADIC_F32, x, 4, four);
        run.out = padic_tensor_nd(PADIC_F32, y, 7, seven);
        run.status = padic_tensor_nd(PADIC_U32, status, 4, last);
        if (below(2)) { // of a node, but not its pointer
            const uint32_t at = below((uint32_t)(offsetof(padic_rollout_node, noise) / 4));
            const uint32_t word = odd_word();
            memcpy((char *)&nodes[below(op.count)] + 4 * at, &word, 4);
        } else {
            static const size_t at[] = {
                offsetof(padic_rollout_run_desc, policy), offsetof(padic_rollout_run_desc, post),
                offsetof(padic_rollout_run_desc, lo), offsetof(padic_rollout_run_desc, hi) + 4,
                offsetof(padic_rollout_run_desc, limit) + 4,
                offsetof(padic_rollout_run_desc, failure), offsetof(padic_rollout_run_desc, output),
                offsetof(padic_rollout_run_desc, every), offsetof(padic_rollout_run_desc, flags),
                offsetof(padic_rollout_run_desc, steps),
                offsetof(padic_rollout_run_desc, realisations),
                offsetof(padic_rollout_run_desc, precision),
                offsetof(padic_rollout_run_desc, max_bytes),
                offsetof(padic_rollout_run_desc, op) + offsetof(padic_rollout_operator, count),
                offsetof(padic_rollout_run_desc, op) + offsetof(padic_rollout_operator, channels),
                offsetof(padic_rollout_run_desc, op) + offsetof(padic_rollout_operator, height),
                offsetof(padic_rollout_run_desc, weights) + offsetof(padic_tensor, dtype),
                offsetof(padic_rollout_run_desc, weights) + offsetof(padic_tensor, rank),
                offsetof(padic_rollout_run_desc, out) + offsetof(padic_tensor, rank),
                offsetof(padic_rollout_run_desc, initial) + offsetof(padic_tensor, dtype),
                offsetof(padic_rollout_run_desc, initial) + offsetof(padic_tensor, rank),
                offsetof(padic_rollout_run_desc, initial) + offsetof(padic_tensor, shape),
                offsetof(padic_rollout_run_desc, out) + offsetof(padic_tensor, shape) + 24,
                offsetof(padic_rollout_run_desc, status) + offsetof(padic_tensor, shape) + 8,
                offsetof(padic_rollout_run_desc, parameter) + offsetof(padic_tensor, rank),
                offsetof(padic_rollout_run_desc, ids) + offsetof(padic_tensor, rank)};
            const uint32_t word = odd_word();
            memcpy((char *)&run + at[below(sizeof at / sizeof *at)], &word, 4);
        }
        memset(y, 0xa5, (size_t)(8 * op.channels * op.height * op.width) * 4);
        memset(status, 0xa5, sizeof status);
        result = padic_rollout_run(context, &run);
        if (result == PADIC_OK || result == PADIC_ERROR_NOT_FINITE) {
            done++;
            continue;
        }
        refused++;
        CHECK(padic_context_message(context)[0] != 0);
        for (uint64_t i = 0; i < 8 * (uint64_t)op.channels * op.height * op.width; i++) {
            uint32_t bits;
            memcpy(&bits, &y[i], 4);
            if (bits != 0xa5a5a5a5) {
                CHECK_EQ(bits, 0xa5a5a5a5);
                break;
            }
        }
        CHECK(status[0].code == 0xa5a5a5a5 && status[3].step == 0xa5a5a5a5);
    }
    printf("  %u refused, %u done\n", refused, done);
    CHECK(refused > done && done > 100);
    padic_context_destroy(context);
}

TEST_MAIN("test_rollout_outside", CASE(random_rollouts), CASE(bad_words))
