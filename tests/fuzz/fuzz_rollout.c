// fuzz_rollout.c: operators of rollouts chosen by the bytes: lists of nodes of all kinds, which fit
// together or nearly so, their norms, flags and noise; evaluations, rollouts and plans of them.
// What must hold: a list is refused with a sentence and nothing written, or everything made of it
// is the same, bit for bit, whatever is computed beside it, in how many parts, and by what call.
#define PADIC_IMPLEMENTATION
#include "../../padic.h"
#include "../../backends/padic_simd.h"
#include "fuzz.h"
#include "fuzz_views.h"
#include <math.h>

#define NODES 12
#define MOST_MAC 400000 // of an evaluation
#define N 2             // operators
#define B 3             // states, or initial conditions, of each

static padic_rollout_node nodes[NODES];
static padic_rollout_noise_law laws[NODES];
static double scales[NODES];
static padic_rollout_shape shapes[NODES];
static uint32_t random_state;

static float number(void) // from -1/2 to 1/2
{
    random_state = random_state * 1664525u + 1013904223u;
    return ((float)(random_state >> 16) - 32768) / 65536;
}

static float *numbers(uint64_t count)
{
    float *p = (float *)fuzz_new((size_t)count * sizeof *p);
    for (uint64_t i = 0; i < count; i++) p[i] = number();
    if (count && !next(12)) p[next(256) % count] = next(2) ? (float)NAN : 3e38f;
    return p;
}

static void any_node(uint32_t i)
{
    static const uint32_t kernels[] = {0, 1, 3, 5, 7, 15, 3, 2, 17};
    padic_rollout_node *node = &nodes[i];
    memset(node, 0, sizeof *node);
    node->kind = (padic_rollout_kind)next(next(30) ? 8 : 256);
    node->input = i - next(i < 2 ? i + 1 : 3);
    if (!next(40)) node->input = next(256);
    if (node->kind == PADIC_ROLLOUT_KIND_ADD || node->kind == PADIC_ROLLOUT_KIND_CONCAT ||
        !next(60))
        node->skip = next(i + 1);
    if (next(2)) node->channels = next(next(30) ? 7 : 256) * (next(60) ? 1 : 0x01010101u);
    if (node->kind == PADIC_ROLLOUT_KIND_CONV || !next(60)) {
        node->kernel = kernels[next(next(20) ? 7 : 9)];
        node->stride = next(next(20) ? 3 : 4);
        node->boundary = (padic_rollout_boundary)next(next(40) ? 4 : 6);
    }
    if (node->kind <= PADIC_ROLLOUT_KIND_NORM || !next(60)) {
        node->norm = (padic_rollout_norm)next(next(40) ? 5 : 7);
        node->act = (padic_rollout_act)next(next(40) ? 6 : 8);
        if (node->norm == PADIC_ROLLOUT_NORM_GROUP) node->groups = next(4);
        if (node->norm != PADIC_ROLLOUT_NORM_NONE) node->flags = next(4);
    }
    if (node->kind == PADIC_ROLLOUT_KIND_UP) node->up = (padic_rollout_up)next(4);
    if (node->kind == PADIC_ROLLOUT_KIND_SPECTRAL || !next(60)) {
        node->modes = next(next(8) ? 6 : 256);
        node->flags |= next(2) * PADIC_ROLLOUT_ONE_SIDED;
    }
    if (!next(30)) node->flags |= 1u << next(32);
    if (!next(30)) node->eps = next(2) ? -1.0f : (float)INFINITY;
    if (node->kind != PADIC_ROLLOUT_KIND_NOISE && next(60)) return;
    memset(&laws[i], 0, sizeof laws[i]);
    scales[i] = next(12) ? (double)next(16) / 17 : next(2) ? -1 : (double)INFINITY;
    laws[i].type = (padic_rollout_noise_type)next(next(40) ? 4 : 5);
    laws[i].schedule = (padic_rollout_noise_schedule)next(next(40) ? 3 : 4);
    laws[i].scale = next(3) ? &scales[i] : NULL;
    laws[i].length = next(3) ? 0 : (double)next(32) / 8;
    node->noise = &laws[i];
}

// A list, of which each node is taken that fits, and some that do not.
static padic_rollout_operator any_list(void)
{
    padic_rollout_operator op;
    padic_rollout_operator_report report;
    const uint32_t most = 1 + next(NODES - 1);
    memset(&op, 0, sizeof op);
    memset(&report, 0, sizeof report);
    op.nodes = nodes;
    op.channels = next(5);
    op.height = next(40) ? 1 + next(12) : next(2) * 65537;
    op.width = next(40) ? 1 + next(12) : next(2) * 65537;
    for (uint32_t tries = 0; op.count < most && tries < 30; tries++) {
        any_node(op.count++);
        if (padic_rollout_operator_info(NULL, &op, &report) && next(24)) op.count--;
    }
    if (!op.count) memset(&nodes[op.count++], 0, sizeof *nodes);
    if (next(2) || op.count == NODES) return op;
    memset(&nodes[op.count], 0, sizeof *nodes); // an end that a rollout can go on from
    nodes[op.count].input = op.count;
    nodes[op.count].channels = op.channels ? op.channels : 3;
    nodes[op.count].kernel = 1;
    nodes[op.count].norm = PADIC_ROLLOUT_NORM_NONE;
    nodes[op.count].act = PADIC_ROLLOUT_ACT_NONE;
    op.count++;
    return op;
}

static int same_bits(const float *a, const float *b, uint64_t count)
{
    return !memcmp(a, b, (size_t)count * sizeof *a);
}

static void said(const padic_context *context)
{
    if (context) FUZZ_CHECK(*padic_context_message((padic_context *)(uintptr_t)context));
}

// ---- an evaluation: at once; with little memory; each state alone

static void fuzz_apply(padic_context *context, const padic_rollout_operator *op,
                       const padic_rollout_operator_report *is)
{
    const uint64_t in = (uint64_t)op->height * op->width * (op->channels ? op->channels : 3);
    const uint64_t out = (uint64_t)is->output_channels * is->output_height * is->output_width;
    const uint64_t from[5] = {N, B, in / op->height / op->width, op->height, op->width};
    const uint64_t to[5] = {N, B, is->output_channels, is->output_height, is->output_width};
    float *weights = numbers(N * is->parameters), *state = numbers(N * B * in);
    float *all = numbers(N * B * out), *parts = numbers(N * B * out);
    padic_rollout_apply_desc d;
    padic_result result;
    memset(&d, 0, sizeof d);
    d.op = *op;
    d.weights = padic_tensor_2d(PADIC_F32, weights, N, is->parameters);
    d.state = padic_tensor_nd(PADIC_F32, state, 5, from);
    d.out = padic_tensor_nd(PADIC_F32, all, 5, to);
    d.precision = (padic_rollout_precision)next(3);
    d.seed = next(256);
    d.step = next(3), d.frames = 4;
    result = padic_rollout_apply(context, &d);
    if (result) said(context);
    d.out.data = parts;
    d.max_bytes = 1000 + 500 * (uint64_t)next(256);
    if (!result && padic_rollout_apply(context, &d) == PADIC_OK)
        FUZZ_CHECK(same_bits(all, parts, N * B * out));
    d.max_bytes = 0;
    d.weights.shape[0] = d.state.shape[0] = d.out.shape[0] = 1;
    d.state.shape[1] = d.out.shape[1] = 1;
    for (uint32_t i = 0; i < N * B; i++) {
        const uint32_t id = i / B, realisation = i % B;
        d.weights.data = weights + id * is->parameters;
        d.state.data = state + i * in;
        d.ids = padic_tensor_1d(PADIC_U32, (void *)(uintptr_t)&id, 1);
        d.noise_ids = padic_tensor_1d(PADIC_U32, (void *)(uintptr_t)&realisation, 1);
        FUZZ_CHECK(padic_rollout_apply(context, &d) == result);
        if (!result) FUZZ_CHECK(same_bits(all + i * out, parts, out));
    }
    free(weights), free(state), free(all), free(parts);
}

// ---- a rollout: at once; with little memory; step by step by a plan

static void fuzz_plan(padic_context *context, const padic_rollout_run_desc *run, const float *all,
                      const padic_rollout_status *status)
{
    const uint64_t size = padic_tensor_count(&run->initial) / B;
    const uint64_t shape[6] = {N, B, 1, run->initial.shape[1], run->initial.shape[2],
                               run->initial.shape[3]};
    const uint64_t four[4] = {N, B, 1, 4};
    padic_rollout_plan_desc desc;
    padic_rollout_plan_step_desc step;
    padic_rollout_status is[N * B];
    float *x = numbers(N * B * size);
    memset(&desc, 0, sizeof desc);
    memset(&step, 0, sizeof step);
    desc.run = *run;
    memset(&desc.run.out, 0, sizeof desc.run.out);
    memset(&desc.run.status, 0, sizeof desc.run.status);
    FUZZ_CHECK(!padic_rollout_plan_create(context, &desc, &step.plan));
    step.out = padic_tensor_nd(PADIC_F32, x, 6, shape);
    step.status = padic_tensor_nd(PADIC_U32, is, 4, four);
    for (uint32_t t = 1; t < run->steps; t++) {
        FUZZ_CHECK(!padic_rollout_plan_step(context, &step));
        for (uint32_t i = 0; i < N * B; i++)
            FUZZ_CHECK(same_bits(x + i * size, all + (i * run->steps + t) * size, size));
    }
    if (run->steps > 1) FUZZ_CHECK(!memcmp(is, status, sizeof is));
    FUZZ_CHECK(padic_rollout_plan_step(context, &step) == PADIC_ERROR_LIMIT);
    padic_rollout_plan_destroy(step.plan);
    free(x);
}

static void fuzz_run(padic_context *context, const padic_rollout_operator *op,
                     const padic_rollout_operator_report *is)
{
    const uint64_t channels = op->channels ? op->channels : 3;
    const uint64_t in = op->height * op->width * channels;
    const uint64_t from[4] = {B, channels, op->height, op->width};
    uint64_t to[7] = {N, B, 1, 1, channels, op->height, op->width}, four[4] = {N, B, 1, 4};
    float *weights = numbers(N * is->parameters), *initial = numbers(B * in), *all, *parts;
    padic_rollout_status status[N * B], other[N * B];
    padic_rollout_run_desc d;
    padic_result result;
    memset(&d, 0, sizeof d);
    d.op = *op;
    d.weights = padic_tensor_2d(PADIC_F32, weights, N, is->parameters);
    d.initial = padic_tensor_nd(PADIC_F32, initial, 4, from);
    d.steps = (uint32_t)(to[3] = 1 + next(4));
    d.policy = (padic_rollout_policy)next(3);
    d.post = (padic_rollout_post)next(3);
    d.failure = (padic_rollout_failure)next(3);
    d.precision = (padic_rollout_precision)next(3);
    d.flags = (next(2) * PADIC_ROLLOUT_POST_PER_CHANNEL) | (next(2) * PADIC_ROLLOUT_CLAMP);
    d.lo = -1, d.hi = (double)next(3);
    d.limit = next(3) ? 0 : 0.5;
    d.seed = next(256);
    all = numbers(N * B * to[3] * in), parts = numbers(N * B * to[3] * in);
    d.out = padic_tensor_nd(PADIC_F32, all, 7, to);
    d.status = padic_tensor_nd(PADIC_U32, status, 4, four);
    result = padic_rollout_run(context, &d);
    if (result) said(context);
    if (is->output_channels != channels || is->output_height != op->height ||
        is->output_width != op->width)
        FUZZ_CHECK(result == PADIC_ERROR_MISMATCH);
    d.out.data = parts, d.status.data = other;
    d.max_bytes = 1000 + 1000 * (uint64_t)next(256);
    if (!result && padic_rollout_run(context, &d) == PADIC_OK)
        FUZZ_CHECK(same_bits(all, parts, N * B * to[3] * in) &&
                   !memcmp(status, other, sizeof status));
    d.max_bytes = 0;
    if (!result) fuzz_plan(context, &d, all, status);
    free(weights), free(initial), free(all), free(parts);
}

// A list that is refused: the calls say what the report says, and write nothing.
static void fuzz_refused(padic_context *context, const padic_rollout_operator *op,
                         padic_result result)
{
    const uint64_t shape[5] = {1, 1, 1, 1, 1};
    float weight = 1, state = 2, out = 3;
    padic_rollout_apply_desc d;
    memset(&d, 0, sizeof d);
    d.op = *op;
    d.weights = padic_tensor_2d(PADIC_F32, &weight, 1, 1);
    d.state = padic_tensor_nd(PADIC_F32, &state, 5, shape);
    d.out = padic_tensor_nd(PADIC_F32, &out, 5, shape);
    FUZZ_CHECK(padic_rollout_apply(context, &d) == result);
    said(context);
    weight = 3;
    FUZZ_CHECK(same_bits(&out, &weight, 1));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_begin();
    at = data, end = data + size;
    while (at < end) {
        const uint64_t before = memory.bytes;
        padic_context *context = any_context();
        const padic_rollout_operator op = any_list();
        padic_rollout_operator_report is;
        padic_result result;
        memset(&is, 0, sizeof is);
        is.shapes = shapes;
        random_state = next(256);
        result = padic_rollout_operator_info(context, &op, &is);
        if (result) {
            said(context);
            fuzz_refused(context, &op, result);
        } else if (is.mac < MOST_MAC && is.parameters < 20000) {
            if (next(2)) fuzz_apply(context, &op, &is);
            else fuzz_run(context, &op, &is);
        }
        FUZZ_CHECK(memory.bytes == before || memory.bytes <= 1 << 20); // the pool keeps some
    }
    return 0;
}
