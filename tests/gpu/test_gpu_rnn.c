// test_gpu_rnn.c: recurrent networks in buffers of a device, beside the plain reference, which
// test_rnn.c has compared with loops in f64: cells, layers, stacks with lengths, feedback and two
// directions, weights of all dtypes; rows apart bit by bit, recordings, errors.
//
//     ./test_gpu_rnn                 devices: see gpu_devices.h
#define PADIC_IMPLEMENT_GPU
#include "../support/inside.h"
#include "../../padic.h"
#include "gpu_devices.h"
#include <math.h>

static const padic_dtype dtypes[4] = {PADIC_F32, PADIC_F16, PADIC_BF16, PADIC_I8};

static float uniform(void) // in [-1, 1)
{
    return (float)(int32_t)(test_random() >> 40) / 8388608.0f - 1.0f;
}

static padic_tensor floats(uint64_t a, uint64_t b, uint64_t c, float scale)
{
    const uint64_t n = a * b * c;
    float *data = (float *)malloc((size_t)n * 4 + 4);
    for (uint64_t i = 0; i < n; i++) data[i] = scale * uniform();
    return a > 1 || c > 0 ? padic_tensor_3d(PADIC_F32, data, a, b, c)
                          : padic_tensor_2d(PADIC_F32, data, b, c);
}

static padic_tensor plane_of(uint64_t rows, uint64_t columns, float scale)
{
    padic_tensor t = floats(1, rows, columns, scale);
    return padic_tensor_2d(PADIC_F32, t.data, rows, columns);
}

static padic_tensor line_of(uint64_t n, float scale)
{
    padic_tensor t = floats(1, 1, n, scale);
    return padic_tensor_1d(PADIC_F32, t.data, n);
}

static padic_tensor matrix(padic_dtype dtype, uint64_t rows, uint64_t columns)
{
    const uint64_t n = rows * columns;
    const float scale = 1.5f / sqrtf((float)columns);
    padic_tensor t = padic_tensor_2d(dtype, malloc((size_t)n * 4 + 4), rows, columns);
    for (uint64_t i = 0; i < n; i++) {
        const float value = scale * uniform();
        uint32_t bits;
        memcpy(&bits, &value, 4);
        if (dtype == PADIC_F32) ((float *)t.data)[i] = value;
        else if (dtype == PADIC_BF16) ((uint16_t *)t.data)[i] = (uint16_t)(bits >> 16);
        else if (dtype == PADIC_F16)
            ((uint16_t *)t.data)[i] =
                (uint16_t)((bits >> 16 & 0x8000) | (test_random() >> 40) % 0x3400);
        else ((uint8_t *)t.data)[i] = (uint8_t)(test_random() >> 40);
    }
    return t;
}

static padic_rnn_weights weights_of(padic_rnn_kind kind, padic_dtype dtype, uint64_t in, uint64_t n)
{
    const uint64_t gates = kind == PADIC_RNN_KIND_GRU ? 3 : kind == PADIC_RNN_KIND_LSTM ? 4 : 1;
    const uint64_t width = gates * n;
    padic_rnn_weights w = PADIC_ZERO;
    w.input = matrix(dtype, width, in);
    w.bias = line_of(width, 0.5f);
    if (dtype == PADIC_I8) w.input_scale = line_of(width, 0.004f);
    if (kind == PADIC_RNN_KIND_LINEAR) return w;
    w.recurrent = matrix(dtype, width, n);
    w.recurrent_bias = line_of(width, 0.5f);
    if (dtype == PADIC_I8) w.recurrent_scale = line_of(width, 0.004f);
    return w;
}

static void weights_free(padic_rnn_weights *w)
{
    free(w->input.data), free(w->recurrent.data), free(w->bias.data);
    free(w->recurrent_bias.data), free(w->input_scale.data), free(w->recurrent_scale.data);
}

// A copy on the device.
static padic_tensor there(padic_context *context, const padic_tensor *t)
{
    padic_buffer_desc desc = PADIC_ZERO;
    padic_tensor copy = *t;
    padic_buffer buffer;
    if (!t->data) return copy;
    desc.size = padic_tensor_count(t) * padic_dtype_size(t->dtype);
    desc.data = t->data;
    CHECK_EQ(padic_buffer_create(context, &desc, &buffer), PADIC_OK);
    copy.data = NULL;
    return padic_tensor_in(copy, buffer, 0);
}

static void back(padic_context *context, const padic_tensor *t, void *to)
{
    CHECK_EQ(padic_buffer_download(context, t->buffer, 0, to,
                                   padic_tensor_count(t) * padic_dtype_size(t->dtype)),
             PADIC_OK);
}

static void drop(padic_context *context, padic_tensor *t)
{
    if (t->buffer.id) CHECK_EQ(padic_buffer_destroy(context, t->buffer), PADIC_OK);
}

static padic_rnn_weights weights_there(padic_context *context, const padic_rnn_weights *w)
{
    padic_rnn_weights copy;
    copy.input = there(context, &w->input);
    copy.recurrent = there(context, &w->recurrent);
    copy.bias = there(context, &w->bias);
    copy.recurrent_bias = there(context, &w->recurrent_bias);
    copy.input_scale = there(context, &w->input_scale);
    copy.recurrent_scale = there(context, &w->recurrent_scale);
    return copy;
}

static void weights_drop(padic_context *context, padic_rnn_weights *w)
{
    drop(context, &w->input), drop(context, &w->recurrent), drop(context, &w->bias);
    drop(context, &w->recurrent_bias), drop(context, &w->input_scale);
    drop(context, &w->recurrent_scale);
}

// What lies on the device beside what the reference wrote; both are freed.
static void same(padic_context *context, padic_tensor *got, padic_tensor *want, double bound,
                 const char *what)
{
    const uint64_t n = padic_tensor_count(want);
    float *data = (float *)malloc((size_t)n * 4 + 4);
    double worst = 0;
    back(context, got, data);
    for (uint64_t i = 0; i < n; i++) {
        const double off = fabs((double)data[i] - (double)((float *)want->data)[i]);
        if (!(off <= worst)) worst = off;
    }
    if (!(worst <= bound)) {
        printf("\n  %s: off by %g", what, worst);
        test_failed(__FILE__, __LINE__, "the bound of the error");
    }
    drop(context, got);
    free(data), free(want->data);
}

// Bound of the error: sums of up to 160 products of about 1 have at most that.
#define BOUND 2e-5

static void gru(padic_context *context, padic_dtype dtype, uint64_t rows, uint64_t in, uint64_t n,
                int way)
{
    padic_rnn_gru_step_desc want = PADIC_ZERO, got;
    want.reset = way & 1 ? PADIC_RNN_RESET_BEFORE : PADIC_RNN_RESET_AFTER;
    want.update = way & 2 ? PADIC_RNN_UPDATE_REPLACE : PADIC_RNN_UPDATE_KEEP;
    want.x = plane_of(rows, in, 1);
    want.h = want.out = plane_of(rows, n, 1);
    want.weights = weights_of(PADIC_RNN_KIND_GRU, dtype, in, n);
    got = want;
    got.x = there(context, &want.x);
    got.h = got.out = there(context, &want.h);
    got.weights = weights_there(context, &want.weights);
    if (way & 4) got.out = there(context, &want.h);
    CHECK_EQ(padic_rnn_gru_step(NULL, &want), PADIC_OK);
    CHECK_EQ(padic_rnn_gru_step(context, &got), PADIC_OK);
    same(context, &got.out, &want.out, BOUND, "gru");
    if (way & 4) drop(context, &got.h);
    drop(context, &got.x);
    weights_drop(context, &got.weights);
    weights_free(&want.weights);
    free(want.x.data);
}

static void lstm(padic_context *context, padic_dtype dtype, uint64_t rows, uint64_t in, uint64_t n)
{
    padic_rnn_lstm_step_desc want = PADIC_ZERO, got;
    want.x = plane_of(rows, in, 1);
    want.h = want.out = plane_of(rows, n, 1);
    want.c = want.out_c = plane_of(rows, n, 2);
    want.weights = weights_of(PADIC_RNN_KIND_LSTM, dtype, in, n);
    want.forget_bias = 1;
    got = want;
    got.x = there(context, &want.x);
    got.h = got.out = there(context, &want.h);
    got.c = got.out_c = there(context, &want.c);
    got.weights = weights_there(context, &want.weights);
    CHECK_EQ(padic_rnn_lstm_step(NULL, &want), PADIC_OK);
    CHECK_EQ(padic_rnn_lstm_step(context, &got), PADIC_OK);
    same(context, &got.out, &want.out, BOUND, "lstm");
    same(context, &got.out_c, &want.out_c, BOUND, "lstm c");
    drop(context, &got.x);
    weights_drop(context, &got.weights);
    weights_free(&want.weights);
    free(want.x.data);
}

static void linear(padic_context *context, padic_dtype dtype, uint64_t rows, uint64_t in,
                   uint64_t n, padic_rnn_activation activation)
{
    padic_rnn_linear_desc want = PADIC_ZERO, got;
    padic_rnn_weights w = weights_of(PADIC_RNN_KIND_LINEAR, dtype, in, n);
    want.x = plane_of(rows, in, 1);
    want.out = plane_of(rows, n, 1);
    want.weights = w.input;
    want.bias = w.bias;
    want.scale = w.input_scale;
    want.activation = activation;
    want.gain = activation == PADIC_RNN_ACTIVATION_TANH ? 0.5 : 0;
    got = want;
    got.x = there(context, &want.x);
    got.out = there(context, &want.out);
    got.weights = there(context, &want.weights);
    got.bias = there(context, &want.bias);
    got.scale = there(context, &want.scale);
    CHECK_EQ(padic_rnn_linear(NULL, &want), PADIC_OK);
    CHECK_EQ(padic_rnn_linear(context, &got), PADIC_OK);
    same(context, &got.out, &want.out, BOUND, "linear");
    drop(context, &got.x), drop(context, &got.weights), drop(context, &got.bias);
    drop(context, &got.scale);
    weights_free(&w);
    free(want.x.data);
}

TEST(steps)
{
    static const uint64_t sizes[][3] = {{1, 1, 1},   {1, 7, 40},  {8, 33, 5},
                                        {9, 64, 64}, {65, 3, 30}, {130, 40, 67}};
    open_devices();
    for (int d = 0; d < device_count; d++)
        for (int s = 0; s < 6 - 2 * test_tiny; s++)
            for (int i = 0; i < 4; i++) {
                const uint64_t *size = sizes[s];
                gru(devices[d], dtypes[i], size[0], size[1], size[2], s + i);
                lstm(devices[d], dtypes[i], size[0], size[1], size[2]);
                linear(devices[d], dtypes[i], size[0], size[1], size[2],
                       (padic_rnn_activation)((s + i) % 4));
            }
}

// --------------------------------------------------------------------------------------- stacks

typedef struct stack { // kinds of layers, their units; flags of a plan
    int kind[3];
    uint64_t in, units[3], rows, steps;
    uint32_t layers, flags;
    padic_rnn_feedback feedback;
    int lengths, first, before;
} stack;

// Small: Mesa's loops end after 65,535 turns of all items that it has in one vector.
static const stack stacks[] = {
    {{0}, 3, {5}, 1, 4, 1, 0, PADIC_RNN_FEEDBACK_NONE, 0, 0, 0},
    {{1, 1}, 4, {64, 64}, 40, 3, 2, 0, PADIC_RNN_FEEDBACK_NONE, 0, 0, 0},
    {{0, 1, 2}, 70, {66, 20, 9}, 33, 2, 3, 0, PADIC_RNN_FEEDBACK_ADD, 1, 1, 1},
    {{1, 0, 2}, 5, {7, 130, 2}, 3, 4, 3, PADIC_RNN_REVERSE, PADIC_RNN_FEEDBACK_NONE, 1, 0, 0},
    {{0, 2, 1}, 6, {13, 10, 8}, 34, 5, 3, PADIC_RNN_BIDIRECTIONAL, PADIC_RNN_FEEDBACK_NONE, 1, 1,
     1},
    {{1, 2}, 8, {9, 3}, 2, 6, 2, 0, PADIC_RNN_FEEDBACK_REPLACE, 1, 0, 0},
    {{0, 0}, 2, {3, 4}, 5, 3, 2, PADIC_RNN_BIDIRECTIONAL, PADIC_RNN_FEEDBACK_NONE, 0, 0, 0},
    {{0}, 70, {256}, 1, 5, 1, 0, PADIC_RNN_FEEDBACK_NONE, 0, 0, 0}, // few rows, one after the other
    {{1, 2, 0}, 9, {90, 40, 70}, 1, 5, 3, PADIC_RNN_REVERSE, PADIC_RNN_FEEDBACK_NONE, 1, 1, 0},
    {{0, 2, 1}, 9, {66, 40, 130}, 1, 4, 3, PADIC_RNN_BIDIRECTIONAL, PADIC_RNN_FEEDBACK_NONE, 1, 0,
     0},
    {{0, 1}, 5, {140, 129}, 33, 3, 2, 0, PADIC_RNN_FEEDBACK_NONE, 1, 0, 0}, // many, and wide
    {{1, 0}, 5, {132, 20}, 9, 3, 2, PADIC_RNN_BIDIRECTIONAL, PADIC_RNN_FEEDBACK_NONE, 1, 1, 0},
    {{1, 1}, 12, {80, 100}, 8, 4, 2, 0, PADIC_RNN_FEEDBACK_NONE, 1, 1, 0},
    {{0}, 3, {64}, 2, 4, 1, 0, PADIC_RNN_FEEDBACK_NONE, 0, 0, 0}, // few units
    {{1, 0, 2}, 3, {17, 64, 4}, 3, 4, 3, PADIC_RNN_BIDIRECTIONAL, PADIC_RNN_FEEDBACK_NONE, 1, 1, 0},
};

typedef struct net {
    padic_rnn_layer layer[3];
    padic_rnn_plan_desc desc;
    padic_rnn_plan *plan[2]; // the host's, the device's
    padic_rnn_plan_report is;
    padic_rnn_run_desc run;  // in host memory
} net;

static void net_make(net *m, const stack *s, padic_dtype dtype, padic_context *context)
{
    const uint32_t both = s->flags & PADIC_RNN_BIDIRECTIONAL;
    uint64_t width = s->in;
    memset(m, 0, sizeof *m);
    for (uint32_t i = 0; i < s->layers; i++) {
        padic_rnn_layer *l = &m->layer[i];
        const padic_rnn_kind kind = (padic_rnn_kind)s->kind[i];
        const padic_dtype own = i == 2 && s->before ? PADIC_F32 : dtype; // mixed
        l->kind = kind;
        if (s->before) l->reset = PADIC_RNN_RESET_BEFORE;
        l->activation = kind == PADIC_RNN_KIND_LINEAR ? PADIC_RNN_ACTIVATION_TANH
                                                      : PADIC_RNN_ACTIVATION_NONE;
        l->gain = 0.5;
        l->forget_bias = kind == PADIC_RNN_KIND_LSTM;
        l->weights = weights_of(kind, own, width, s->units[i]);
        if (both && kind != PADIC_RNN_KIND_LINEAR)
            l->backward = weights_of(kind, own, width, s->units[i]);
        width = s->units[i] * (both && kind != PADIC_RNN_KIND_LINEAR ? 2 : 1);
    }
    m->desc.layers = m->layer;
    m->desc.layer_count = s->layers;
    m->desc.flags = s->flags;
    m->desc.feedback = s->feedback;
    m->desc.feedback_first = 1;
    m->desc.clip_radius = s->feedback == PADIC_RNN_FEEDBACK_ADD ? 0.7 : 0;
    m->desc.steps = s->steps;
    CHECK_EQ(padic_rnn_plan_create(NULL, &m->desc, &m->plan[0]), PADIC_OK);
    CHECK_EQ(padic_rnn_plan_create(context, &m->desc, &m->plan[1]), PADIC_OK);
    CHECK_EQ(padic_rnn_plan_info(m->plan[0], &m->is), PADIC_OK);
}

static void net_end(net *m)
{
    padic_rnn_plan_destroy(m->plan[0]);
    padic_rnn_plan_destroy(m->plan[1]);
    for (int i = 0; i < 3; i++) {
        weights_free(&m->layer[i].weights);
        weights_free(&m->layer[i].backward);
    }
}

static padic_rnn_run_desc run_make(const net *m, const stack *s)
{
    padic_rnn_run_desc run = PADIC_ZERO;
    const uint64_t a = s->first ? s->rows : s->steps, b = s->first ? s->steps : s->rows;
    const int c = s->kind[0] == 1 || (s->layers > 1 && s->kind[1] == 1) ||
                  (s->layers > 2 && s->kind[2] == 1);
    run.plan = m->plan[0];
    run.flags = s->first ? PADIC_RNN_BATCH_FIRST : 0;
    run.x = floats(a, b, s->in, 1);
    run.out = floats(a, b, m->is.output, 1);
    run.h0 = floats(m->is.state_layers, s->rows, m->is.state, 1);
    run.out_h = floats(m->is.state_layers, s->rows, m->is.state, 1);
    if (c) run.c0 = floats(m->is.state_layers, s->rows, m->is.state, 1);
    if (c) run.out_c = floats(m->is.state_layers, s->rows, m->is.state, 1);
    if (s->feedback) run.columns = floats(a, b, m->is.output, 1);
    if (!s->lengths) return run;
    run.lengths = padic_tensor_1d(PADIC_U32, malloc((size_t)s->rows * 4), s->rows);
    for (uint64_t i = 0; i < s->rows; i++)
        ((uint32_t *)run.lengths.data)[i] = (uint32_t)(s->steps - i % (s->steps + 1));
    return run;
}

static padic_rnn_run_desc run_there(padic_context *context, const net *m,
                                    const padic_rnn_run_desc *run)
{
    padic_rnn_run_desc copy = *run;
    copy.plan = m->plan[1];
    copy.x = there(context, &run->x);
    copy.h0 = there(context, &run->h0);
    copy.c0 = there(context, &run->c0);
    copy.lengths = there(context, &run->lengths);
    copy.out = there(context, &run->out);
    copy.out_h = there(context, &run->out_h);
    copy.out_c = there(context, &run->out_c);
    copy.columns = there(context, &run->columns);
    return copy;
}

static void run_drop(padic_context *context, padic_rnn_run_desc *run)
{
    drop(context, &run->x), drop(context, &run->h0), drop(context, &run->c0);
    drop(context, &run->lengths), drop(context, &run->out), drop(context, &run->out_h);
    drop(context, &run->out_c), drop(context, &run->columns);
}

static void run_free(padic_rnn_run_desc *run)
{
    free(run->x.data), free(run->h0.data), free(run->c0.data), free(run->lengths.data);
    free(run->out.data), free(run->out_h.data), free(run->out_c.data), free(run->columns.data);
}

static void run_both(padic_context *context, const stack *s, padic_dtype dtype)
{
    padic_rnn_run_desc want, got;
    net m;
    net_make(&m, s, dtype, context);
    want = run_make(&m, s);
    got = run_there(context, &m, &want);
    CHECK_EQ(padic_rnn_run(NULL, &want), PADIC_OK);
    CHECK_EQ(padic_rnn_run(context, &got), PADIC_OK);
    same(context, &got.out, &want.out, BOUND, "out");
    same(context, &got.out_h, &want.out_h, BOUND, "h");
    if (want.out_c.data) same(context, &got.out_c, &want.out_c, BOUND, "c");
    if (want.columns.data) same(context, &got.columns, &want.columns, BOUND, "columns");
    want.out.data = want.out_h.data = want.out_c.data = want.columns.data = NULL;
    got.out.buffer.id = got.out_h.buffer.id = got.out_c.buffer.id = 0;
    got.columns.buffer.id = 0;
    run_drop(context, &got);
    run_free(&want);
    net_end(&m);
}

TEST(runs)
{
    open_devices();
    for (int d = 0; d < device_count; d++)
        for (size_t i = 0; i < sizeof stacks / sizeof *stacks; i++)
            for (int k = 0; k < 4; k++)
                if (!test_tiny || (i + (size_t)k) % 2 == 0)
                    run_both(devices[d], &stacks[i], dtypes[k]);
}

// Sizes that fill an NVIDIA device, whose groups share a layer or wait for each other.
TEST(many)
{
    static const stack large[] = {
        {{1, 1}, 4, {64, 64}, 4096, 3, 2, 0, PADIC_RNN_FEEDBACK_NONE, 0, 0, 0},
        {{0}, 40, {256}, 300, 3, 1, 0, PADIC_RNN_FEEDBACK_NONE, 0, 0, 0},
        {{0}, 8, {1024}, 64, 2, 1, 0, PADIC_RNN_FEEDBACK_NONE, 1, 0, 0},
        {{1}, 8, {512}, 70, 2, 1, PADIC_RNN_REVERSE, PADIC_RNN_FEEDBACK_NONE, 1, 1, 0},
        {{0, 1}, 5, {130, 61}, 2100, 2, 2, 0, PADIC_RNN_FEEDBACK_NONE, 1, 0, 0},
        {{0}, 256, {256}, 8, 5, 1, PADIC_RNN_BIDIRECTIONAL, PADIC_RNN_FEEDBACK_NONE, 1, 0, 0}};
    open_devices();
    for (int d = 0; d < device_count; d++) {
        padic_device_info info;
        padic_context_device_info(devices[d], &info);
        for (size_t i = 0; i < sizeof large / sizeof *large; i++)
            for (int k = 0; k < 4 && !strncmp(info.arch, "sm_", 3); k++)
                if (!test_tiny || (i + (size_t)k) % 2 == 0)
                    run_both(devices[d], &large[i], dtypes[k]);
    }
}

// A row's bits do not depend on what the other rows are; a run in two parts has those of one; a
// second run has the same.
TEST(bits)
{
    open_devices();
    for (int d = 0; d < device_count; d++)
        for (int k = 0; k < 2; k++) {
            static const stack s = {{0, 1, 2}, 6, {40, 20, 3}, 37, 6, 3, 0,
                                    PADIC_RNN_FEEDBACK_NONE, 0, 0, 0};
            padic_context *context = devices[d];
            const uint64_t row = 3, part = 2;
            padic_rnn_run_desc run, whole, again;
            float *first = (float *)malloc(6 * 37 * 3 * 4);
            float *second = (float *)malloc(6 * 37 * 3 * 4);
            net m;
            net_make(&m, &s, dtypes[2 * k], context);
            run = run_make(&m, &s);
            whole = run_there(context, &m, &run);
            CHECK_EQ(padic_rnn_run(context, &whole), PADIC_OK);
            back(context, &whole.out, first);
            CHECK_EQ(padic_rnn_run(context, &whole), PADIC_OK);
            back(context, &whole.out, second);
            CHECK(!memcmp(first, second, 6 * 37 * 3 * 4));
            again = whole;
            again.x.shape[0] = again.out.shape[0] = part;
            CHECK_EQ(padic_rnn_run(context, &again), PADIC_OK);
            again.x.offset += part * 37 * 6, again.out.offset += part * 37 * 3;
            again.x.shape[0] = again.out.shape[0] = 6 - part;
            again.h0 = again.out_h, again.c0 = again.out_c;
            CHECK_EQ(padic_rnn_run(context, &again), PADIC_OK);
            back(context, &whole.out, second);
            CHECK(!memcmp(first, second, 6 * 37 * 3 * 4));
            for (uint64_t t = 0; t < 6; t++)
                for (uint64_t i = 0; i < 37; i++)
                    for (uint64_t j = 0; j < 6 && i != row; j++)
                        ((float *)run.x.data)[(t * 37 + i) * 6 + j] = i == 7 ? NAN : uniform();
            CHECK_EQ(padic_buffer_upload(context, whole.x.buffer, 0, run.x.data, 6 * 37 * 6 * 4),
                     PADIC_OK);
            CHECK_EQ(padic_rnn_run(context, &whole), PADIC_OK);
            back(context, &whole.out, second);
            for (uint64_t t = 0; t < 6; t++)
                CHECK(!memcmp(first + (t * 37 + row) * 3, second + (t * 37 + row) * 3, 12));
            CHECK(isnan(second[7 * 3]) && !isnan(second[8 * 3]));
            run_drop(context, &whole);
            run_free(&run);
            free(first), free(second);
            net_end(&m);
        }
}

TEST(recorded)
{
    static const stack stacks_of[2] = {
        {{1, 2}, 4, {20, 3}, 5, 4, 2, 0, PADIC_RNN_FEEDBACK_ADD, 1, 0, 0},
        {{0}, 4, {96}, 1, 20, 1, 0, PADIC_RNN_FEEDBACK_NONE, 0, 0, 0}};
    open_devices();
    for (int i = 0; i < 2 * device_count; i++) {
        const stack s = stacks_of[i % 2];
        padic_context *context = devices[i / 2];
        padic_rnn_run_desc want, got;
        padic_record record = {0};
        net m;
        net_make(&m, &s, PADIC_F32, context);
        want = run_make(&m, &s);
        got = run_there(context, &m, &want);
        CHECK_EQ(padic_record_begin(context), PADIC_OK);
        CHECK_EQ(padic_rnn_run(context, &got), PADIC_ERROR_ARGUMENT); // its weights are not there
        CHECK(padic_record_end(context, &record) != PADIC_OK);
        CHECK_EQ(padic_rnn_run(context, &got), PADIC_OK);
        CHECK_EQ(padic_record_begin(context), PADIC_OK);
        CHECK_EQ(padic_rnn_run(context, &got), PADIC_OK);
        CHECK_EQ(padic_record_end(context, &record), PADIC_OK);
        for (int e = 0; e < 80; e++) ((float *)want.x.data)[e] = uniform();
        CHECK_EQ(padic_rnn_run(NULL, &want), PADIC_OK);
        CHECK_EQ(padic_buffer_upload(context, got.x.buffer, 0, want.x.data, 80 * 4), PADIC_OK);
        CHECK_EQ(padic_record_replay(context, record, 1), PADIC_OK);
        same(context, &got.out, &want.out, BOUND, "replayed");
        want.out.data = NULL, got.out.buffer.id = 0;
        CHECK_EQ(padic_record_drop(context, record), PADIC_OK);
        run_drop(context, &got);
        run_free(&want);
        net_end(&m);
    }
}

// A result in memory of its own may have other strides than the state that it follows.
TEST(columns_of_states)
{
    enum { ROWS = 33, N = 17 };
    open_devices();
    for (int d = 0; d < device_count; d++) {
        padic_context *context = devices[d];
        padic_rnn_gru_step_desc want = PADIC_ZERO, got;
        float other[N][ROWS];
        want.x = plane_of(ROWS, 9, 1);
        want.h = plane_of(ROWS, N, 1);
        want.out = plane_of(ROWS, N, 1);
        want.weights = weights_of(PADIC_RNN_KIND_GRU, PADIC_F32, 9, N);
        got = want;
        got.x = there(context, &want.x);
        got.h = there(context, &want.h);
        got.out = there(context, &want.out);
        got.out.stride[0] = 1, got.out.stride[1] = ROWS;
        got.weights = weights_there(context, &want.weights);
        CHECK_EQ(padic_rnn_gru_step(NULL, &want), PADIC_OK);
        CHECK_EQ(padic_rnn_gru_step(context, &got), PADIC_OK);
        back(context, &got.out, other);
        for (int i = 0; i < ROWS * N; i++)
            CHECK(fabs((double)other[i % N][i / N] - (double)((float *)want.out.data)[i]) <= BOUND);
        drop(context, &got.x), drop(context, &got.h), drop(context, &got.out);
        weights_drop(context, &got.weights);
        weights_free(&want.weights);
        free(want.x.data), free(want.h.data), free(want.out.data);
    }
}

TEST(errors)
{
    open_devices();
    for (int d = 0; d < device_count; d++) {
        static const stack s = {{0}, 4, {6}, 5, 4, 1, 0, PADIC_RNN_FEEDBACK_NONE, 1, 0, 0};
        static const float bad[3] = {NAN, INFINITY, 0};
        padic_context *context = devices[d];
        padic_rnn_run_desc want, got;
        padic_rnn_gru_step_desc step = PADIC_ZERO;
        uint32_t long_one = 5, length = 0;
        net m;
        net_make(&m, &s, PADIC_BF16, context);
        want = run_make(&m, &s);
        got = run_there(context, &m, &want);
        length = ((uint32_t *)want.lengths.data)[2];
        CHECK_EQ(padic_buffer_upload(context, got.lengths.buffer, 8, &long_one, 4), PADIC_OK);
        CHECK_EQ(padic_rnn_run(context, &got), PADIC_ERROR_ARGUMENT);
        CHECK(strstr(padic_context_message(context), "lengths") != NULL);
        CHECK_EQ(padic_buffer_upload(context, got.lengths.buffer, 8, &length, 4), PADIC_OK);
        CHECK_EQ(padic_rnn_run(context, &got), PADIC_OK);
        for (int i = 0; i < 3; i++) {
            CHECK_EQ(padic_buffer_upload(context, got.h0.buffer, 16, &bad[i], 4), PADIC_OK);
            got.flags = PADIC_RNN_CHECK_FINITE;
            CHECK_EQ(padic_rnn_run(context, &got), i < 2 ? PADIC_ERROR_DOMAIN : PADIC_OK);
        }
        step.x = padic_tensor_2d(PADIC_F32, NULL, 5, 4);
        step.x.buffer = got.x.buffer;
        step.h = padic_tensor_2d(PADIC_F32, NULL, 5, 6);
        step.h.buffer = got.h0.buffer;
        step.out = step.h;
        step.out.buffer = got.out.buffer;
        step.flags = PADIC_RNN_CHECK_FINITE;
        step.weights = weights_there(context, &m.layer[0].weights);
        CHECK_EQ(padic_rnn_gru_step(context, &step), PADIC_OK);
        CHECK_EQ(padic_buffer_upload(context, got.x.buffer, 16, &bad[1], 4), PADIC_OK);
        CHECK_EQ(padic_rnn_gru_step(context, &step), PADIC_ERROR_DOMAIN);
        weights_drop(context, &step.weights);
        run_drop(context, &got);
        run_free(&want);
        net_end(&m);
    }
}

TEST_MAIN("gpu_rnn", CASE(steps), CASE(runs), CASE(many), CASE(bits), CASE(recorded),
          CASE(columns_of_states), CASE(errors), CASE(no_kernel_was_dropped))
