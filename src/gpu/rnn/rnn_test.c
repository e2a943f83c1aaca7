#include "../../context/ops.h"
#include "../../core/tensor.h"
#include "../../rnn/plan.h"
#include "../tables.h"
#include "../tests.h"
#include "../texts.h"
#include "product.h"
#include "run.h"

#if PADICI_IMPLEMENT_GPU && !defined(PADIC_NO_RNN)

// Tests: the drivers against the reference, with weights of the variant's dtype. Rows and units
// beyond a group, layers of each kind, both orders of the reset, lengths, feedback, two directions.

#define PADICI_RNN_KNOWN_UNITS 67u

static padic_dtype padici_test_rnn_dtype(const padici_gpu_case *c)
{
    static const padic_dtype dtypes[4] = {PADIC_F32, PADIC_F16, PADIC_BF16, PADIC_I8};
    return dtypes[padici_gpu_define(c, "PD_RNN_W", 0) & 3u];
}

// Floats of moderate size, `scale` times (-1, 1).
static padic_tensor padici_test_rnn_floats(padici_gpu_case *c, uint64_t rows, uint64_t columns,
                                           float scale)
{
    const uint64_t n = rows * columns;
    padic_tensor t = padic_tensor_2d(PADIC_F32, NULL, rows, columns);
    uint32_t random = (uint32_t)n * 77u + 5;
    uint64_t i;
    t.data = padici_gpu_space(c, n * 4);
    for (i = 0; i < n && !c->failed; i++) {
        random = random * 1664525u + 1013904223u;
        ((float *)t.data)[i] = scale * ((float)(int32_t)(random >> 8) / 8388608.0f - 1.0f);
    }
    return t;
}

static padic_tensor padici_test_rnn_matrix(padici_gpu_case *c, uint64_t rows, uint64_t columns)
{
    const padic_dtype dtype = padici_test_rnn_dtype(c);
    const uint64_t n = rows * columns;
    padic_tensor t;
    uint32_t random = (uint32_t)n;
    uint64_t i;
    if (dtype == PADIC_F32) return padici_test_rnn_floats(c, rows, columns, 0.25f);
    t = padic_tensor_2d(dtype, NULL, rows, columns);
    t.data = padici_gpu_space(c, n * padic_dtype_size(dtype));
    for (i = 0; i < n && !c->failed; i++) {
        random = random * 1664525u + 1013904223u;
        if (dtype == PADIC_I8)
            ((uint8_t *)t.data)[i] = (uint8_t)(random >> 24);
        else // to 1/4; F16 with some that are subnormal
            ((uint16_t *)t.data)[i] =
                (uint16_t)((random >> 31 << 15) +
                           (dtype == PADIC_F16 ? (random >> 8) % 0x3400u
                                               : 0x3c00u + (random >> 8) % 0x280u));
    }
    return t;
}

static void padici_test_rnn_weights(padici_gpu_case *c, uint64_t width, uint64_t inputs,
                                    uint64_t units, padic_rnn_weights *w)
{
    const int scaled = padici_test_rnn_dtype(c) == PADIC_I8;
    memset(w, 0, sizeof *w);
    w->input = padici_test_rnn_matrix(c, width, inputs);
    w->bias = padici_test_rnn_floats(c, 1, width, 0.5f);
    if (scaled) w->input_scale = padici_test_rnn_floats(c, 1, width, 0.001f);
    if (units) {
        w->recurrent = padici_test_rnn_matrix(c, width, units);
        w->recurrent_bias = padici_test_rnn_floats(c, 1, width, 0.25f);
        if (scaled) w->recurrent_scale = padici_test_rnn_floats(c, 1, width, 0.001f);
    }
    w->bias.rank = w->recurrent_bias.rank = w->input_scale.rank = w->recurrent_scale.rank = 1;
    w->bias.shape[0] = width;
    if (units) w->recurrent_bias.shape[0] = width;
    else w->recurrent_bias.rank = 0;
    if (scaled) w->input_scale.shape[0] = width;
    else w->input_scale.rank = 0;
    if (scaled && units) w->recurrent_scale.shape[0] = width;
    else w->recurrent_scale.rank = 0;
}

static padic_result padici_test_rnn_gru(padici_gpu_case *c)
{
    const uint64_t rows = c->round ? 3 : 70, n = PADICI_RNN_KNOWN_UNITS;
    padic_rnn_gru_step_desc desc;
    memset(&desc, 0, sizeof desc);
    desc.x = padici_test_rnn_floats(c, rows, 19, 1);
    desc.h = desc.out = padici_test_rnn_floats(c, rows, n, 1);
    if (c->round) desc.out = padici_test_rnn_floats(c, rows, n, 0.5f);
    padici_test_rnn_weights(c, 3 * n, 19, n, &desc.weights);
    if (c->round) {
        desc.reset = PADIC_RNN_RESET_BEFORE;
        desc.update = PADIC_RNN_UPDATE_REPLACE;
    }
    return padici_gpu_case_drive(c, PADIC_OP_RNN_GRU_STEP, &desc, 0, 1e-5);
}

static padic_result padici_test_rnn_lstm(padici_gpu_case *c)
{
    const uint64_t rows = 65, n = PADICI_RNN_KNOWN_UNITS;
    padic_rnn_lstm_step_desc desc;
    memset(&desc, 0, sizeof desc);
    desc.x = padici_test_rnn_floats(c, rows, 21, 1);
    desc.h = padici_test_rnn_floats(c, rows, n, 1);
    desc.c = desc.out_c = padici_test_rnn_floats(c, rows, n, 2);
    desc.out = padici_test_rnn_floats(c, rows, n, 0.5f);
    padici_test_rnn_weights(c, 4 * n, 21, n, &desc.weights);
    desc.forget_bias = 1;
    return padici_gpu_case_drive(c, PADIC_OP_RNN_LSTM_STEP, &desc, 0, 1e-5);
}

static padic_result padici_test_rnn_linear(padici_gpu_case *c)
{
    const uint64_t rows = c->round & 1 ? 8 : 66;
    padic_rnn_weights w;
    padic_rnn_linear_desc desc;
    memset(&desc, 0, sizeof desc);
    desc.x = padici_test_rnn_floats(c, rows, 39, 1);
    desc.out = padici_test_rnn_floats(c, rows, 70, 1);
    padici_test_rnn_weights(c, 70, 39, 0, &w);
    desc.weights = w.input;
    desc.scale = w.input_scale;
    desc.bias = w.bias;
    desc.activation = (padic_rnn_activation)(c->round & 3u);
    desc.gain = 0.5;
    return padici_gpu_case_drive(c, PADIC_OP_RNN_LINEAR, &desc, 0, 1e-5);
}

// Layers of a net: 5 -> 67 -> 34 -> 3.
static void padici_test_rnn_layers(padici_gpu_case *c, uint32_t both, padic_rnn_layer *layer)
{
    const uint64_t n = PADICI_RNN_KNOWN_UNITS;
    memset(layer, 0, 3 * sizeof *layer);
    layer[0].kind = PADIC_RNN_KIND_GRU;
    layer[0].reset = both ? PADIC_RNN_RESET_AFTER : PADIC_RNN_RESET_BEFORE;
    padici_test_rnn_weights(c, 3 * n, 5, n, &layer[0].weights);
    layer[1].kind = PADIC_RNN_KIND_LSTM;
    layer[1].forget_bias = 1;
    padici_test_rnn_weights(c, 4 * 34, n * (both + 1), 34, &layer[1].weights);
    layer[2].kind = PADIC_RNN_KIND_LINEAR;
    layer[2].activation = PADIC_RNN_ACTIVATION_TANH;
    layer[2].gain = 0.5;
    padici_test_rnn_weights(c, 3, 34 * (both + 1), 0, &layer[2].weights);
    if (!both) return;
    padici_test_rnn_weights(c, 3 * n, 5, n, &layer[0].backward);
    padici_test_rnn_weights(c, 4 * 34, n * 2, 34, &layer[1].backward);
}

static padic_tensor padici_test_rnn_cube(padici_gpu_case *c, uint64_t a, uint64_t b, uint64_t n)
{
    padic_tensor t = padici_test_rnn_floats(c, a * b, n, 1);
    return padic_tensor_3d(PADIC_F32, t.data, a, b, n);
}

// What is too large for a frame, in memory of the case.
typedef struct padici_test_rnn_net {
    padic_rnn_layer layer[3];
    padic_rnn_run_desc run;
} padici_test_rnn_net;

static padici_test_rnn_net *padici_test_rnn_net_of(padici_gpu_case *c)
{
    padici_test_rnn_net *m = (padici_test_rnn_net *)padici_gpu_space(c, sizeof *m);
    memset(m, 0, sizeof *m);
    return m;
}

// Rounds: feedback with lengths; two directions; reversed.
static padic_result padici_test_rnn_stack(padici_gpu_case *c)
{
    const uint32_t both = c->round == 1, states = both ? 4 : 2;
    const uint64_t rows = 35, steps = 4;
    padici_test_rnn_net *const m = padici_test_rnn_net_of(c);
    padic_rnn_run_desc *const desc = &m->run;
    padic_rnn_plan_desc net;
    padic_rnn_plan *plan;
    padic_result result;
    uint64_t i;
    memset(&net, 0, sizeof net);
    padici_test_rnn_layers(c, both, m->layer);
    net.layers = m->layer;
    net.layer_count = 3;
    net.flags = both ? PADIC_RNN_BIDIRECTIONAL : c->round == 2 ? PADIC_RNN_REVERSE : 0;
    if (!c->round) net.feedback = PADIC_RNN_FEEDBACK_ADD;
    net.feedback_first = 1;
    net.clip_radius = 0.75;
    net.steps = steps;
    desc->x = padici_test_rnn_cube(c, steps, rows, 5);
    desc->h0 = padici_test_rnn_cube(c, states, rows, PADICI_RNN_KNOWN_UNITS);
    desc->c0 = desc->out_c = padici_test_rnn_cube(c, states, rows, PADICI_RNN_KNOWN_UNITS);
    desc->out_h = padici_test_rnn_cube(c, states, rows, PADICI_RNN_KNOWN_UNITS);
    desc->out = padici_test_rnn_cube(c, steps, rows, 3);
    if (!c->round) desc->columns = padici_test_rnn_cube(c, steps, rows, 3);
    desc->lengths = padic_tensor_1d(PADIC_U32, padici_gpu_space(c, rows * 4), rows);
    if (c->failed) return PADIC_ERROR_SELF_TEST;
    for (i = 0; i < rows; i++) ((uint32_t *)desc->lengths.data)[i] = (uint32_t)(4 - i % 5);
    result = padic_rnn_plan_create(c->gpu->context, &net, &plan);
    if (result) return result;
    desc->plan = plan;
    result = padici_gpu_case_drive(c, PADIC_OP_RNN_RUN, desc, 0, 1e-5);
    padic_rnn_plan_destroy(plan);
    return result;
}

// A stack of few rows, which the device does layer by layer. The last round has GRUs alone, of few
// units.
static padic_result padici_test_rnn_few(padici_gpu_case *c)
{
    const uint32_t both = c->round == 1, states = both ? 4 : c->round ? 1 : 2;
    const uint64_t rows = 2 - both, steps = 3, n = c->round == 2 ? 33 : PADICI_RNN_KNOWN_UNITS;
    padici_test_rnn_net *const m = padici_test_rnn_net_of(c);
    padic_rnn_run_desc *const desc = &m->run;
    padic_rnn_plan_desc net;
    padic_rnn_plan *plan;
    padic_result result;
    memset(&net, 0, sizeof net);
    padici_test_rnn_layers(c, both, m->layer);
    m->layer[0].reset = PADIC_RNN_RESET_AFTER;
    if (c->round == 2) padici_test_rnn_weights(c, 3 * n, 5, n, &m->layer[0].weights);
    net.layers = m->layer;
    net.layer_count = c->round == 2 ? 1 : 3;
    net.flags = both ? PADIC_RNN_BIDIRECTIONAL : PADIC_RNN_REVERSE;
    net.steps = steps;
    desc->x = padici_test_rnn_cube(c, steps, rows, 5);
    desc->h0 = padici_test_rnn_cube(c, states, rows, n);
    if (c->round < 2) desc->c0 = desc->out_c = padici_test_rnn_cube(c, states, rows, n);
    desc->out_h = padici_test_rnn_cube(c, states, rows, n);
    desc->out = padici_test_rnn_cube(c, steps, rows, c->round == 2 ? n : 3);
    desc->lengths = padic_tensor_1d(PADIC_U32, padici_gpu_space(c, rows * 4), rows);
    if (c->failed) return PADIC_ERROR_SELF_TEST;
    ((uint32_t *)desc->lengths.data)[0] = 2;
    if (!both) ((uint32_t *)desc->lengths.data)[1] = 3;
    result = padic_rnn_plan_create(c->gpu->context, &net, &plan);
    if (result) return result;
    desc->plan = plan;
    result = padici_gpu_case_drive(c, PADIC_OP_RNN_RUN, desc, 0, 1e-5);
    padic_rnn_plan_destroy(plan);
    return result;
}

// A layer of the variant's kind, many rows, by the tensor cores of NVIDIA's devices.
static padic_result padici_test_cuda_rnn_many(padici_gpu_case *c, uint64_t n, uint64_t rows)
{
    const uint64_t gates = padici_gpu_define(c, "PD_RNN_GATES", 3), steps = 4;
    padici_test_rnn_net *const m = padici_test_rnn_net_of(c);
    padic_rnn_layer *const layer = m->layer;
    padic_rnn_run_desc *const desc = &m->run;
    padic_rnn_plan_desc net;
    padic_rnn_plan *plan;
    padic_result result;
    uint64_t i;
    memset(&net, 0, sizeof net);
    layer->kind = gates == 4 ? PADIC_RNN_KIND_LSTM : PADIC_RNN_KIND_GRU;
    if (gates == 3 && c->round) layer->update = PADIC_RNN_UPDATE_REPLACE;
    padici_test_rnn_weights(c, gates * n, 3, n, &layer->weights);
    net.layers = layer;
    net.layer_count = 1;
    net.flags = c->round ? PADIC_RNN_REVERSE : 0;
    desc->x = padici_test_rnn_cube(c, steps, rows, 3);
    desc->h0 = desc->out_h = padici_test_rnn_cube(c, 1, rows, n);
    if (gates == 4) desc->c0 = desc->out_c = padici_test_rnn_cube(c, 1, rows, n);
    desc->out = padici_test_rnn_cube(c, steps, rows, n);
    if (c->round) desc->lengths = padic_tensor_1d(PADIC_U32, padici_gpu_space(c, rows * 4), rows);
    if (c->failed) return PADIC_ERROR_SELF_TEST;
    for (i = 0; i < rows && c->round; i++)
        ((uint32_t *)desc->lengths.data)[i] = (uint32_t)(4 - i % 5);
    c->again = !c->round;
    result = padic_rnn_plan_create(c->gpu->context, &net, &plan);
    if (result) return result;
    desc->plan = plan;
    result = padici_gpu_case_drive(c, PADIC_OP_RNN_RUN, desc, 0, 2e-5);
    padic_rnn_plan_destroy(plan);
    return result;
}

static padic_result padici_test_cuda_rnn_rows(padici_gpu_case *c)
{
    return padici_test_cuda_rnn_many(c, c->round ? 64 : 37, 45);
}

static padic_result padici_test_cuda_rnn_grid(padici_gpu_case *c)
{
    const uint32_t deep = padici_gpu_define(c, "PD_RNN_DEEP", 2);
    const uint64_t n = deep == 1 ? 77 : deep == 2 ? 141 : padici_gpu_define(c, "PD_RNN_W", 0) ? 300
                                                                                            : 221;
    return padici_test_cuda_rnn_many(c, n, c->round ? 3 : 21);
}

static padic_result padici_test_cuda_rnn_product(padici_gpu_case *c)
{
    const uint32_t round = c->round;
    padic_result result;
    c->round = round ? 0 : 2;
    result = round ? padici_test_rnn_gru(c) : padici_test_rnn_linear(c);
    c->round = round;
    c->again = !round;
    return result;
}

// A layer of the variant's kind and about its size, one row, by the kernel of NVIDIA's devices.
static padic_result padici_test_cuda_rnn(padici_gpu_case *c)
{
    const uint64_t deep = padici_gpu_define(c, "PD_RNN_DEEP", 8), steps = 5;
    const uint64_t gates = padici_gpu_define(c, "PD_RNN_GATES", 3);
    const uint64_t n = deep > 6 ? 221 : 32 * deep - 3;
    padici_test_rnn_net *const m = padici_test_rnn_net_of(c);
    padic_rnn_layer *const layer = m->layer;
    padic_rnn_run_desc *const desc = &m->run;
    padic_rnn_plan_desc net;
    padic_rnn_plan *plan;
    padic_result result;
    memset(&net, 0, sizeof net);
    if (n <= 64) return PADIC_ERROR_NOT_SUPPORTED; // the driver has no such variant
    layer->kind = gates == 4 ? PADIC_RNN_KIND_LSTM : PADIC_RNN_KIND_GRU;
    padici_test_rnn_weights(c, gates * n, 3, n, &layer->weights);
    net.layers = layer;
    net.layer_count = 1;
    net.flags = c->round ? PADIC_RNN_REVERSE : 0;
    desc->x = padici_test_rnn_cube(c, steps, 1, 3);
    desc->h0 = desc->out_h = padici_test_rnn_cube(c, 1, 1, n);
    if (gates == 4) desc->c0 = desc->out_c = padici_test_rnn_cube(c, 1, 1, n);
    desc->out = padici_test_rnn_cube(c, steps, 1, n);
    desc->lengths = padic_tensor_1d(PADIC_U32, padici_gpu_space(c, 4), 1);
    if (c->failed) return PADIC_ERROR_SELF_TEST;
    ((uint32_t *)desc->lengths.data)[0] = c->round ? 3 : 5;
    c->again = !c->round;
    result = padic_rnn_plan_create(c->gpu->context, &net, &plan);
    if (result) return result;
    desc->plan = plan;
    result = padici_gpu_case_drive(c, PADIC_OP_RNN_RUN, desc, 0, 2e-5);
    padic_rnn_plan_destroy(plan);
    return result;
}

// Which driver a round is of.
static padic_result padici_test_rnn(padici_gpu_case *c)
{
    const uint32_t round = c->round;
    padic_result result;
    c->round = round % 3;
    result = round < 2 ? padici_test_rnn_gru(c) : round < 3 ? padici_test_rnn_lstm(c)
             : round < 6 ? padici_test_rnn_linear(c) : round < 9 ? padici_test_rnn_stack(c)
                         : padici_test_rnn_few(c);
    c->round = round;
    c->again = round < 11;
    return result;
}

// Numbers that are none, and a length above all steps, each in its own word.
static padic_result padici_test_rnn_check(padici_gpu_case *c)
{
    padici_k_rnn_check_params k;
    uint32_t *x = PADICI_TEST_IMAGE(uint32_t, 0), *lengths = PADICI_TEST_IMAGE(uint32_t, 1);
    memset(&k, 0, sizeof k);
    k.times = 3;
    k.rows = 5;
    k.columns = 4;
    k.flags = PADICI_GPU_RNN_LENGTHS;
    k.steps = 3;
    k.time = 20;
    k.row = 4;
    k.column = k.length_step = 1;
    if (c->round == 0) x[2 * 20 + 1 * 4 + 3] = 0x7f800000u; // beyond its row's end
    if (c->round == 1) x[1 * 20 + 1 * 4 + 3] = 0xffc00000u;
    if (c->round == 2) lengths[4] = 4;
    PADICI_TEST_ANSWER(uint32_t, 2)[0] = c->round == 1;
    PADICI_TEST_ANSWER(uint32_t, 2)[1] = c->round == 2;
    lengths[1] = 2;
    c->groups[0] = 5;
    memcpy(&c->params, &k, sizeof k);
    return PADIC_OK;
}

PADICI_FN const padici_gpu_test *padici_tests_rnn(void)
{
    static const padici_gpu_test rows[] = {
        {PADICI_KERNEL_RNN_PRODUCT, 1, PADICI_TEST_DRIVEN, padici_test_rnn, {PADICI_TEST_NONE}},
        {PADICI_KERNEL_RNN_DOTS, 1, PADICI_TEST_DRIVEN, padici_test_rnn, {PADICI_TEST_NONE}},
        {PADICI_KERNEL_RNN_CELLS, 1, PADICI_TEST_DRIVEN, padici_test_rnn, {PADICI_TEST_NONE}},
        {PADICI_KERNEL_RNN_RUN, 1, PADICI_TEST_DRIVEN, padici_test_rnn, {PADICI_TEST_NONE}},
        {PADICI_KERNEL_RNN_STATES, 1, PADICI_TEST_DRIVEN, padici_test_rnn, {PADICI_TEST_NONE}},
        {PADICI_KERNEL_RNN_CHECK, 3, 5, padici_test_rnn_check,
         {PADICI_TEST_IN(ZERO, PADIC_U32, 60), PADICI_TEST_IN(ZERO, PADIC_U32, 5),
          PADICI_TEST_BOTH(ZERO, PADIC_U32, 2, 0)}},
        {PADICI_KERNEL_RNN_UNITS, 1, PADICI_TEST_DRIVEN, padici_test_rnn, {PADICI_TEST_NONE}},
        {PADICI_KERNEL_RNN_SHORT, 1, PADICI_TEST_DRIVEN, padici_test_rnn, {PADICI_TEST_NONE}},
        {PADICI_KERNEL_CUDA_RNN_PRODUCT_RUN, 1, PADICI_TEST_DRIVEN, padici_test_cuda_rnn_product,
         {PADICI_TEST_NONE}},
        {PADICI_KERNEL_CUDA_RNN_ROWS_RUN, 1, PADICI_TEST_DRIVEN, padici_test_cuda_rnn_rows,
         {PADICI_TEST_NONE}},
        {PADICI_KERNEL_CUDA_RNN_GRID_RUN, 1, PADICI_TEST_DRIVEN, padici_test_cuda_rnn_grid,
         {PADICI_TEST_NONE}},
        {PADICI_KERNEL_CUDA_RNN_GRID_BEGIN, 1, PADICI_TEST_DRIVEN, padici_test_cuda_rnn_grid,
         {PADICI_TEST_NONE}},
        {PADICI_KERNEL_CUDA_RNN_STEPS, 1, PADICI_TEST_DRIVEN, padici_test_cuda_rnn,
         {PADICI_TEST_NONE}},
        {PADICI_KERNEL_CUDA_RNN_BEGIN, 1, PADICI_TEST_DRIVEN, padici_test_cuda_rnn,
         {PADICI_TEST_NONE}},
        PADICI_TESTS_END};
    return rows;
}

#undef PADICI_RNN_KNOWN_UNITS

#endif
