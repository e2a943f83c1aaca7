#include "rollout_test.h"
#include "../../context/ops.h"
#include "../../core/tensor.h"
#include "../../rollout/nodes.h"
#include "../tables.h"
#include "../tests.h"
#include "../texts.h"
#include "../variants.h"

#if PADICI_IMPLEMENT_GPU && !defined(PADIC_NO_ROLLOUT)

// Tests: the drivers against the reference, whose sums are in f64. Lists with every kind of node,
// norm and boundary, kernels of 1 to 15, two operators; rollouts with each policy and post.

#define PADICI_TEST_ROLLOUT_BOUND 1e-4

static float padici_test_rollout_next(padici_test_rollout *t)
{
    t->random = t->random * 1664525u + 1013904223u;
    return ((float)(t->random >> 16) - 32768) / 65536;
}

PADICI_FN padic_tensor padici_test_rollout_tensor(padici_test_rollout *t, padic_dtype dtype,
                                                  uint32_t rank, const uint64_t *shape, int filled)
{
    padic_tensor x = padic_tensor_nd(dtype, NULL, rank, shape);
    const uint64_t count = padic_tensor_count(&x);
    uint64_t i;
    x.data = padici_gpu_space(t->c, (count + 1) * padic_dtype_size(dtype));
    for (i = 0; i < count && filled && !t->c->failed; i++) {
        const float value = padici_test_rollout_next(t);
        if (dtype == PADIC_F64) ((double *)x.data)[i] = (double)value;
        else ((float *)x.data)[i] = value;
    }
    return x;
}

PADICI_FN padic_rollout_node *padici_test_rollout_add(padici_test_rollout *t,
                                                      padic_rollout_kind kind, uint32_t input,
                                                      uint32_t channels)
{
    padic_rollout_node *node = &t->nodes[t->op.count++];
    node->kind = kind;
    node->input = input;
    node->channels = channels;
    return node;
}

PADICI_FN padic_rollout_node *padici_test_rollout_conv(padici_test_rollout *t, uint32_t channels,
                                                       uint32_t kernel, uint32_t stride,
                                                       padic_rollout_boundary boundary,
                                                       padic_rollout_norm norm)
{
    padic_rollout_node *node =
        padici_test_rollout_add(t, PADIC_ROLLOUT_KIND_CONV, t->op.count, channels);
    node->kernel = kernel;
    node->stride = stride;
    node->boundary = boundary;
    node->norm = norm;
    return node;
}

// Memory of a case for nodes, their shapes and a desc; 0: there is none.
PADICI_FN void *padici_test_rollout_begin(padici_test_rollout *t, padici_gpu_case *c,
                                          uint32_t channels, uint32_t height, uint32_t width,
                                          size_t size)
{
    void *desc;
    memset(t, 0, sizeof *t);
    t->c = c;
    t->random = 5 + c->round;
    t->nodes = (padic_rollout_node *)padici_gpu_space(c, 16 * sizeof *t->nodes);
    t->report.shapes = (padic_rollout_shape *)padici_gpu_space(c, 16 * sizeof *t->report.shapes);
    desc = padici_gpu_space(c, size);
    if (c->failed) return NULL;
    memset(t->nodes, 0, 16 * sizeof *t->nodes);
    memset(desc, 0, size);
    t->op.nodes = t->nodes;
    t->op.channels = channels;
    t->op.height = height;
    t->op.width = width;
    return desc;
}

// Every kind of node but SPECTRAL, which has a test of its own.
static void padici_test_rollout_graph(padici_test_rollout *t)
{
    padic_rollout_node *node;
    padici_test_rollout_conv(t, 12, 3, 1, PADIC_ROLLOUT_BOUNDARY_PERIODIC,
                             PADIC_ROLLOUT_NORM_INSTANCE)->flags = PADIC_ROLLOUT_AFFINE;
    padici_test_rollout_conv(t, 6, 5, 2, PADIC_ROLLOUT_BOUNDARY_REFLECT,
                             PADIC_ROLLOUT_NORM_GROUP)->act = PADIC_ROLLOUT_ACT_GELU_TANH;
    padici_test_rollout_add(t, PADIC_ROLLOUT_KIND_UP, 2, 0)->boundary =
        PADIC_ROLLOUT_BOUNDARY_PERIODIC;
    padici_test_rollout_add(t, PADIC_ROLLOUT_KIND_CONCAT, 3, 0)->skip = 1;
    node = padici_test_rollout_conv(t, 5, 1, 1, PADIC_ROLLOUT_BOUNDARY_ZERO,
                                    PADIC_ROLLOUT_NORM_FROZEN);
    node->act = PADIC_ROLLOUT_ACT_SILU;
    node->flags = PADIC_ROLLOUT_AFFINE | PADIC_ROLLOUT_STATISTICS;
    padici_test_rollout_add(t, PADIC_ROLLOUT_KIND_ADD, 5, 0); // of the state's channels
    node = padici_test_rollout_add(t, PADIC_ROLLOUT_KIND_NORM, 6, 0);
    node->norm = PADIC_ROLLOUT_NORM_LAYER;
    node->act = PADIC_ROLLOUT_ACT_TANH;
    padici_test_rollout_add(t, PADIC_ROLLOUT_KIND_NOISE, 7, 0);
    padici_test_rollout_add(t, PADIC_ROLLOUT_KIND_MEAN, 8, 0);
    padici_test_rollout_add(t, PADIC_ROLLOUT_KIND_UP, 9, 3)->up = PADIC_ROLLOUT_UP_TRANSPOSED;
    padici_test_rollout_add(t, PADIC_ROLLOUT_KIND_ADD, 10, 0);
    padici_test_rollout_add(t, PADIC_ROLLOUT_KIND_UP, 11, 0)->up = PADIC_ROLLOUT_UP_NEAREST;
}

static padic_result padici_test_rollout_weights(padici_test_rollout *t, padic_tensor *weights,
                                                padic_dtype dtype)
{
    uint64_t shape[2], i;
    padic_result result = padic_rollout_operator_info(NULL, &t->op, &t->report);
    shape[0] = 2;
    shape[1] = t->report.parameters;
    if (!result) *weights = padici_test_rollout_tensor(t, dtype, 2, shape, 1);
    for (i = 0; i < 10 && !result && t->op.count == 12 && !t->c->failed; i++) {
        const padic_rollout_shape *is = &t->report.shapes[4]; // variances are positive
        const uint64_t at = i / 5 * shape[1] + is->weights + is->count - 5 + i % 5;
        ((float *)weights->data)[at] = 0.75f;
    }
    return t->c->failed ? PADIC_ERROR_SELF_TEST : result;
}

static padic_result padici_test_rollout_apply(padici_gpu_case *c)
{
    const int graph = c->round == 0;
    const uint32_t height = graph ? 10 : c->round == 1 ? 9 : 7, width = graph ? 36 : 13;
    padici_test_rollout t;
    padic_rollout_apply_desc *desc = (padic_rollout_apply_desc *)padici_test_rollout_begin(
        &t, c, 3, height, width, sizeof *desc);
    uint64_t shape[5];
    if (!desc) return PADIC_ERROR_SELF_TEST;
    if (graph) padici_test_rollout_graph(&t);
    if (c->round == 1)
        padici_test_rollout_conv(&t, 10, 15, 2, PADIC_ROLLOUT_BOUNDARY_REPLICATE,
                                 PADIC_ROLLOUT_NORM_NONE)->act = PADIC_ROLLOUT_ACT_RELU;
    if (c->round == 2)
        padici_test_rollout_conv(&t, 9, 7, 1, PADIC_ROLLOUT_BOUNDARY_ZERO,
                                 PADIC_ROLLOUT_NORM_GROUP)->groups = 3;
    desc->op = t.op;
    if (padici_test_rollout_weights(&t, &desc->weights, graph ? PADIC_F32 : PADIC_F64))
        return PADIC_ERROR_SELF_TEST;
    shape[0] = 2;
    shape[1] = c->round == 1 ? 2 : 1;
    shape[2] = 3;
    shape[3] = height;
    shape[4] = width;
    desc->state = padici_test_rollout_tensor(&t, PADIC_F32, 5, shape, 1);
    shape[2] = t.report.output_channels;
    shape[3] = t.report.output_height;
    shape[4] = t.report.output_width;
    desc->out = padici_test_rollout_tensor(&t, PADIC_F32, 5, shape, 0);
    desc->seed = 77;
    desc->step = 3;
    c->again = c->round < 2;
    return c->failed ? PADIC_ERROR_SELF_TEST
                     : padici_gpu_case_drive(c, PADIC_OP_ROLLOUT_APPLY, desc, 0,
                                             PADICI_TEST_ROLLOUT_BOUND);
}

// SPECTRAL nodes after a norm and after one another: of odd and even grids, of all modes, of rows
// from 0 on alone; of two operators and five states.
static padic_result padici_test_rollout_spectral(padici_gpu_case *c)
{
    const uint32_t height = c->round ? 9 : 12, width = c->round ? 7 : 130;
    padici_test_rollout t;
    padic_rollout_apply_desc *desc = (padic_rollout_apply_desc *)padici_test_rollout_begin(
        &t, c, 3, height, width, sizeof *desc);
    padic_rollout_node *node;
    uint64_t shape[5];
    if (!desc) return PADIC_ERROR_SELF_TEST;
    padici_test_rollout_add(&t, PADIC_ROLLOUT_KIND_NORM, 0, 0)->act = PADIC_ROLLOUT_ACT_SILU;
    padici_test_rollout_add(&t, PADIC_ROLLOUT_KIND_SPECTRAL, 1, 5)->modes = c->round ? 9 : 3;
    node = padici_test_rollout_add(&t, PADIC_ROLLOUT_KIND_SPECTRAL, 2, 2);
    node->modes = 4;
    node->flags = PADIC_ROLLOUT_ONE_SIDED;
    desc->op = t.op;
    if (padici_test_rollout_weights(&t, &desc->weights, PADIC_F32)) return PADIC_ERROR_SELF_TEST;
    shape[0] = 2, shape[1] = 5, shape[2] = 3, shape[3] = height, shape[4] = width;
    desc->state = padici_test_rollout_tensor(&t, PADIC_F32, 5, shape, 1);
    shape[2] = 2;
    desc->out = padici_test_rollout_tensor(&t, PADIC_F32, 5, shape, 0);
    c->again = c->round < 1;
    return c->failed ? PADIC_ERROR_SELF_TEST
                     : padici_gpu_case_drive(c, PADIC_OP_ROLLOUT_APPLY, desc, 0,
                                             PADICI_TEST_ROLLOUT_BOUND);
}

// NOISE with a length, of each type that has one, of odd and even grids.
static padic_result padici_test_rollout_correlated(padici_gpu_case *c)
{
    static const double scale = 0.5;
    const uint32_t height = c->round == 1 ? 9 : 12, width = c->round ? 14 : 37;
    padici_test_rollout t;
    padic_rollout_noise_law law;
    padic_rollout_apply_desc *desc = (padic_rollout_apply_desc *)padici_test_rollout_begin(
        &t, c, 3, height, width, sizeof *desc);
    uint64_t shape[5];
    if (!desc) return PADIC_ERROR_SELF_TEST;
    memset(&law, 0, sizeof law);
    law.type = (padic_rollout_noise_type)c->round;
    law.scale = &scale;
    law.length = c->round == 2 ? 0.25 : 1.5;
    padici_test_rollout_add(&t, PADIC_ROLLOUT_KIND_NOISE, 0, 0)->noise = &law;
    desc->op = t.op;
    if (padici_test_rollout_weights(&t, &desc->weights, PADIC_F32)) return PADIC_ERROR_SELF_TEST;
    shape[0] = 2, shape[1] = 3, shape[2] = 3, shape[3] = height, shape[4] = width;
    desc->state = padici_test_rollout_tensor(&t, PADIC_F32, 5, shape, 1);
    desc->out = padici_test_rollout_tensor(&t, PADIC_F32, 5, shape, 0);
    desc->seed = 8;
    desc->step = 6;
    c->again = c->round < 2;
    return c->failed ? PADIC_ERROR_SELF_TEST
                     : padici_gpu_case_drive(c, PADIC_OP_ROLLOUT_APPLY, desc, 0,
                                             PADICI_TEST_ROLLOUT_BOUND);
}

// A convolution and noise, of which a law each.
static void padici_test_rollout_noisy(padici_test_rollout *t, padic_rollout_noise_law *law)
{
    static const double scale = 0.25;
    padici_test_rollout_conv(t, 3, 3, 1, PADIC_ROLLOUT_BOUNDARY_PERIODIC,
                             PADIC_ROLLOUT_NORM_INSTANCE);
    padici_test_rollout_add(t, PADIC_ROLLOUT_KIND_NOISE, 1, 0)->noise = law;
    law->type = (padic_rollout_noise_type)t->c->round;
    law->schedule = (padic_rollout_noise_schedule)(t->c->round % 3);
    law->scale = &scale;
}

static padic_result padici_test_rollout_run(padici_gpu_case *c)
{
    const uint32_t round = c->round, width = round ? 11 : 120; // or more cells than a group has
    padici_test_rollout t;
    padic_rollout_noise_law law;
    padic_rollout_run_desc *desc = (padic_rollout_run_desc *)padici_test_rollout_begin(
        &t, c, 3, 9, width, sizeof *desc);
    uint64_t shape[7];
    if (!desc) return PADIC_ERROR_SELF_TEST;
    memset(&law, 0, sizeof law);
    padici_test_rollout_noisy(&t, &law);
    desc->op = t.op;
    if (padici_test_rollout_weights(&t, &desc->weights, PADIC_F32)) return PADIC_ERROR_SELF_TEST;
    shape[0] = round == 3 ? 2 : 1, shape[1] = 3, shape[2] = 9, shape[3] = width;
    desc->initial = padici_test_rollout_tensor(&t, PADIC_F32, 4, shape, 1);
    desc->realisations = round ? 1 : 2;
    desc->steps = 2;
    desc->policy = (padic_rollout_policy)(round % 3);
    desc->post = (padic_rollout_post)(2 - round % 3);
    desc->failure = (padic_rollout_failure)(round % 3);
    desc->output = PADIC_ROLLOUT_OUTPUT_EVERY;
    desc->every = 3; // the first and the last
    desc->flags = PADIC_ROLLOUT_WITH_LAST;
    if (round == 1) desc->flags |= PADIC_ROLLOUT_POST_PER_CHANNEL;
    if (round == 3) {
        desc->flags |= PADIC_ROLLOUT_CLAMP | PADIC_ROLLOUT_INITIAL_PER_OPERATOR;
        desc->lo = -1.1;
        desc->hi = 0.9;
    }
    desc->limit = round == 2 ? 3 : 0;
    desc->seed = 4;
    shape[0] = 2, shape[1] = 1, shape[2] = desc->realisations, shape[3] = 4;
    desc->status = padici_test_rollout_tensor(&t, PADIC_U32, 4, shape, 0);
    shape[3] = 2, shape[4] = 3, shape[5] = 9, shape[6] = width;
    desc->out = padici_test_rollout_tensor(&t, PADIC_F32, 7, shape, 0);
    if (c->failed) return PADIC_ERROR_SELF_TEST;
    if (desc->failure) ((uint32_t *)desc->initial.data)[100] = 0x7f800000u; // else NaN of any bits
    c->again = round < 3;
    return padici_gpu_case_drive(c, PADIC_OP_ROLLOUT_RUN, desc, 0, PADICI_TEST_ROLLOUT_BOUND);
}

// Metrics of a rollout: of frames of more cells than a group has, of channels alone; bins of the
// frame's range, and of another; spectra of odd and even sides.
static padic_result padici_test_rollout_metrics(padici_gpu_case *c, int spectra)
{
    static const float range[2] = {-0.25f, 0.5f};
    const uint32_t rows = 3, width = c->round ? 9 : 43;
    padici_test_rollout t;
    padic_rollout_run_desc *desc = (padic_rollout_run_desc *)padici_test_rollout_begin(
        &t, c, 2, 30, width, sizeof *desc);
    padic_rollout_node *node;
    uint64_t shape[5];
    if (!desc) return PADIC_ERROR_SELF_TEST;
    node = padici_test_rollout_conv(&t, 2, 3, 1, PADIC_ROLLOUT_BOUNDARY_PERIODIC,
                                    PADIC_ROLLOUT_NORM_FROZEN);
    node->act = PADIC_ROLLOUT_ACT_TANH;
    desc->op = t.op;
    if (padici_test_rollout_weights(&t, &desc->weights, PADIC_F32)) return PADIC_ERROR_SELF_TEST;
    shape[0] = 1, shape[1] = 2, shape[2] = 30, shape[3] = width;
    desc->initial = padici_test_rollout_tensor(&t, PADIC_F32, 4, shape, 1);
    desc->steps = rows;
    desc->policy = PADIC_ROLLOUT_POLICY_CONVEX;
    desc->output = PADIC_ROLLOUT_OUTPUT_NONE;
    desc->reduce.per_channel = c->round;
    desc->reduce.range = c->round ? range : NULL;
    if (spectra) desc->reduce.metrics = PADIC_ROLLOUT_METRIC_SPECTRUM | PADIC_ROLLOUT_METRIC_MAX;
    shape[0] = 2, shape[1] = shape[2] = 1, shape[3] = rows;
    shape[4] = padic_rollout_metrics_count(&desc->reduce, 2, 30, width);
    desc->metrics = padici_test_rollout_tensor(&t, PADIC_F32, 5, shape, 0);
    c->again = c->round < 1;
    return c->failed ? PADIC_ERROR_SELF_TEST
                     : padici_gpu_case_drive(c, PADIC_OP_ROLLOUT_RUN, desc, 0,
                                             PADICI_TEST_ROLLOUT_BOUND);
}

static padic_result padici_test_rollout_measured(padici_gpu_case *c)
{
    return padici_test_rollout_metrics(c, 0);
}

static padic_result padici_test_rollout_spectra(padici_gpu_case *c)
{
    return padici_test_rollout_metrics(c, 1);
}

// A plan's step: one more than it was, or 0, in both memories.
static padic_result padici_test_rollout_tick(padici_gpu_case *c)
{
    padici_k_rollout_tick_params k;
    uint32_t t;
    if (c->failed) return PADIC_ERROR_SELF_TEST;
    k.tables = 5;
    k.faulty = 2;
    k.begin = c->round;
    memcpy(c->params.words, &k, sizeof k);
    t = c->round ? 0 : PADICI_TEST_IMAGE(uint32_t, 0)[5] + 1;
    PADICI_TEST_ANSWER(uint32_t, 0)[5] = t;
    PADICI_TEST_ANSWER(uint32_t, 1)[2] = t;
    return PADIC_OK;
}

PADICI_FN const padici_gpu_test *padici_tests_rollout(void)
{
    static const padici_gpu_test rows[] = {
#define PADICI_TEST_ROLLOUT(kernel, make)                                                 \
    {PADICI_KERNEL_ROLLOUT_##kernel, 1, PADICI_TEST_DRIVEN, padici_test_rollout_##make, \
     {PADICI_TEST_NONE}}
        PADICI_TEST_ROLLOUT(CONV_LAYER, apply), PADICI_TEST_ROLLOUT(EACH, apply),
        PADICI_TEST_ROLLOUT(SETTLE, apply), PADICI_TEST_ROLLOUT(NORMS, apply),
        PADICI_TEST_ROLLOUT(PACK, apply),
        PADICI_TEST_ROLLOUT(NOISE, run), PADICI_TEST_ROLLOUT(STEP, run),
        PADICI_TEST_ROLLOUT(JUDGE, run), PADICI_TEST_ROLLOUT(KEEP, run),
        PADICI_TEST_ROLLOUT(MODES_TURNS, spectral), PADICI_TEST_ROLLOUT(MODES_IN, spectral),
        PADICI_TEST_ROLLOUT(MODES_MIX, spectral), PADICI_TEST_ROLLOUT(MODES_OUT, spectral),
        PADICI_TEST_ROLLOUT(MODES_DRAW, correlated),
        PADICI_TEST_ROLLOUT(MEASURE_CELLS, measured),
        PADICI_TEST_ROLLOUT(MEASURE_REDUCE, measured),
        PADICI_TEST_ROLLOUT(SPECTRUM_ROWS, spectra), PADICI_TEST_ROLLOUT(SPECTRUM_COLUMNS, spectra),
        PADICI_TEST_ROLLOUT(SPECTRUM_BANDS, spectra),
        {PADICI_KERNEL_ROLLOUT_TICK, 2, 1, padici_test_rollout_tick,
         {PADICI_TEST_BOTH(HASH, PADIC_U32, 9, 0), PADICI_TEST_BOTH(HASH, PADIC_U32, 3, 0)}},
#undef PADICI_TEST_ROLLOUT
        PADICI_TESTS_END};
    return rows;
}

#undef PADICI_TEST_ROLLOUT_BOUND

#endif
