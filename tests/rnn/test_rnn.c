// test_rnn.c: cells, stacks, conversions and paths against published values, loops in double that
// share no code with the library, and identities; hostile input.

#ifndef _POSIX_C_SOURCE
#define _POSIX_C_SOURCE 200112L // posix_memalign
#endif
#define PADIC_IMPLEMENT_RNN
#include "../support/inside.h"
#include "../../padic.h"
#include "../../backends/padic_null.h"
#include "../../backends/padic_simd.h"
#include "../../backends/padic_threads.h"
#include "../support/contexts.h"
#include "../support/failing.h"
#include "../support/padic_test.h"

#include <math.h>

#define U (1.0 / 16777216.0)

static double uniform(void) // in (-1, 1)
{
    return (double)(int64_t)(test_random() >> 11) / 4503599627370496.0 - 1;
}

// --------------------------------------------------------------------------- the definition, f64

static double logistic(double a)
{
    return a >= 0 ? 1 / (1 + exp(-a)) : exp(a) / (1 + exp(a));
}

// A layer's numbers: w (gates h, in), u (gates h, h), b and c (gates h).
typedef struct cell {
    int kind, before, replace;
    size_t in, h;
    double *w, *u, *b, *c, forget;
} cell;

// One row, one step. `sizes`: largest sum |w x| of a gate.
static void cell_step(const cell *l, const double *x, const double *h, const double *c, double *h1,
                      double *c1, double *sizes)
{
    const size_t n = l->h, gates = l->kind == PADIC_RNN_KIND_GRU ? 3 : 4;
    double *a = (double *)malloc(8 * n * sizeof *a), *v = a + 4 * n;
    for (size_t g = 0; g < gates * n; g++) {
        double size = 0;
        a[g] = l->b ? l->b[g] : 0;
        v[g] = l->c ? l->c[g] : 0;
        for (size_t k = 0; k < l->in; k++) {
            a[g] += l->w[g * l->in + k] * x[k];
            size += fabs(l->w[g * l->in + k] * x[k]);
        }
        for (size_t k = 0; k < n; k++) {
            v[g] += l->u[g * n + k] * h[k];
            size += fabs(l->u[g * n + k] * h[k]);
        }
        if (sizes && size > *sizes) *sizes = size;
    }
    for (size_t i = 0; i < n; i++) {
        if (l->kind == PADIC_RNN_KIND_GRU) {
            const double z = logistic(a[n + i] + v[n + i]);
            double s = a[2 * n + i];
            if (l->before) {
                s += l->c ? l->c[2 * n + i] : 0;
                for (size_t k = 0; k < n; k++)
                    s += l->u[(2 * n + i) * n + k] * logistic(a[k] + v[k]) * h[k];
            } else {
                s += logistic(a[i] + v[i]) * v[2 * n + i];
            }
            h1[i] = l->replace ? h[i] + z * (tanh(s) - h[i]) : tanh(s) + z * (h[i] - tanh(s));
        } else {
            const double f = logistic(a[n + i] + v[n + i] + l->forget);
            c1[i] = f * c[i] + logistic(a[i] + v[i]) * tanh(a[2 * n + i] + v[2 * n + i]);
            h1[i] = logistic(a[3 * n + i] + v[3 * n + i]) * tanh(c1[i]);
        }
    }
    free(a);
}

// ------------------------------------------------------------------------------- weights and bits

static double half_value(uint16_t b)
{
    const int e = b >> 10 & 31;
    const double m = (double)(b & 1023);
    const double v = e == 31 ? (m > 0 ? NAN : INFINITY)
                     : e     ? ldexp(1024 + m, e - 25)
                             : ldexp(m, -24);
    return b >> 15 ? -v : v;
}

static double bfloat_value(uint16_t b)
{
    const int e = b >> 7 & 255;
    const double m = (double)(b & 127);
    const double v = e == 255 ? (m > 0 ? NAN : INFINITY)
                     : e      ? ldexp(128 + m, e - 134)
                              : ldexp(m, -133);
    return b >> 15 ? -v : v;
}

// Random weights of a dtype; their values in `value`.
typedef struct matrix {
    padic_tensor t, scale;
    double *value;
} matrix;

static matrix matrix_make(padic_dtype dtype, size_t rows, size_t cols, double spread)
{
    matrix m;
    const size_t n = rows * cols;
    void *data = malloc(8 * n);
    float *scale = (float *)malloc(rows * sizeof *scale);
    memset(&m, 0, sizeof m);
    m.value = (double *)malloc(n * sizeof *m.value);
    for (size_t i = 0; i < rows; i++) scale[i] = (float)(spread * (1 + 0.5 * uniform()) / 127);
    for (size_t i = 0; i < n; i++) {
        const double v = spread * uniform();
        const uint16_t bits = (uint16_t)(test_random() & 0x8000);
        if (dtype == PADIC_F64) m.value[i] = ((double *)data)[i] = v;
        else if (dtype == PADIC_F32) m.value[i] = ((float *)data)[i] = (float)v;
        else if (dtype == PADIC_F16) {
            ((uint16_t *)data)[i] = (uint16_t)(bits | test_random() % 0x3000);
            m.value[i] = half_value(((uint16_t *)data)[i]);
        } else if (dtype == PADIC_BF16) {
            ((uint16_t *)data)[i] = (uint16_t)(bits | (0x3c00 + test_random() % 0x200));
            m.value[i] = bfloat_value(((uint16_t *)data)[i]);
        } else {
            ((int8_t *)data)[i] = (int8_t)(test_random() & 255);
            m.value[i] = (double)((int8_t *)data)[i] * (double)scale[i / cols];
        }
    }
    m.t = padic_tensor_2d(dtype, data, rows, cols);
    if (dtype == PADIC_I8) m.scale = padic_tensor_1d(PADIC_F32, scale, rows);
    else free(scale);
    return m;
}

static void matrix_free(matrix *m)
{
    free(m->t.data);
    free(m->scale.data);
    free(m->value);
}

// n numbers of F32 or F64; their values in `value`.
static padic_tensor numbers(padic_dtype dtype, size_t n, double spread, double *value)
{
    void *data = malloc((n ? n : 1) * 8);
    for (size_t i = 0; i < n; i++) {
        const double v = spread * uniform();
        if (dtype == PADIC_F64) value[i] = ((double *)data)[i] = v;
        else value[i] = ((float *)data)[i] = (float)v;
    }
    return padic_tensor_1d(dtype, data, n);
}

static double number_at(const padic_tensor *t, size_t i)
{
    return t->dtype == PADIC_F64 ? ((const double *)t->data)[i]
                                 : (double)((const float *)t->data)[i];
}

// A cell with random weights of both precisions.
typedef struct net {
    cell is;
    matrix w, u;
    padic_tensor b, c;
    padic_rnn_weights weights;
} net;

static net net_make(int kind, padic_dtype dtype, padic_dtype states, size_t in, size_t h)
{
    const size_t gates = kind == PADIC_RNN_KIND_GRU ? 3 : kind == PADIC_RNN_KIND_LSTM ? 4 : 1;
    net n;
    memset(&n, 0, sizeof n);
    n.is.kind = kind;
    n.is.in = in;
    n.is.h = h;
    n.w = matrix_make(dtype, gates * h, in, 1 / sqrt((double)h));
    n.u = matrix_make(dtype, gates * h, h, 1 / sqrt((double)h));
    n.is.w = n.w.value;
    n.is.u = n.u.value;
    n.is.b = (double *)malloc(gates * h * sizeof(double));
    n.is.c = (double *)malloc(gates * h * sizeof(double));
    n.b = numbers(states, gates * h, 0.5, n.is.b);
    n.c = numbers(states, gates * h, 0.5, n.is.c);
    n.weights.input = n.w.t;
    n.weights.input_scale = n.w.scale;
    n.weights.bias = n.b;
    if (kind == PADIC_RNN_KIND_LINEAR) return n;
    n.weights.recurrent = n.u.t;
    n.weights.recurrent_scale = n.u.scale;
    n.weights.recurrent_bias = n.c;
    return n;
}

static void net_free(net *n)
{
    matrix_free(&n->w);
    matrix_free(&n->u);
    free(n->b.data);
    free(n->c.data);
    free(n->is.b);
    free(n->is.c);
}

// ---------------------------------------------------------------------------------- known values

// One GRU or LSTM of weights 0.1 over x = (1,2), (3,4), (5,6): each by itself, and as a sequence.
static void onnx_values(int kind, size_t h, const double *alone, const double *sequence)
{
    static float x[6] = {1, 2, 3, 4, 5, 6};
    float w[100], y[3 * 5], zero[3 * 5] = {0}, c[3 * 5];
    for (int i = 0; i < 100; i++) w[i] = 0.1f;
    for (uint32_t k = 0; k < context_count; k++) {
        const size_t rows = (kind == PADIC_RNN_KIND_GRU ? 3 : 4) * h;
        padic_rnn_layer layer = PADIC_ZERO;
        padic_rnn_plan_desc desc = PADIC_ZERO;
        padic_rnn_run_desc run = PADIC_ZERO;
        layer.kind = (padic_rnn_kind)kind;
        layer.reset = PADIC_RNN_RESET_BEFORE;
        layer.weights.input = padic_tensor_2d(PADIC_F32, w, rows, 2);
        layer.weights.recurrent = padic_tensor_2d(PADIC_F32, w, rows, h);
        if (kind == PADIC_RNN_KIND_GRU) {
            padic_rnn_gru_step_desc step = PADIC_ZERO;
            step.x = padic_tensor_2d(PADIC_F32, x, 3, 2);
            step.h = padic_tensor_2d(PADIC_F32, zero, 3, h);
            step.out = padic_tensor_2d(PADIC_F32, y, 3, h);
            step.reset = PADIC_RNN_RESET_BEFORE;
            step.weights = layer.weights;
            CHECK(padic_rnn_gru_step(contexts[k], &step) == PADIC_OK);
        } else {
            padic_rnn_lstm_step_desc step = PADIC_ZERO;
            step.x = padic_tensor_2d(PADIC_F32, x, 3, 2);
            step.c = step.h = padic_tensor_2d(PADIC_F32, zero, 3, h);
            step.out = padic_tensor_2d(PADIC_F32, y, 3, h);
            step.out_c = padic_tensor_2d(PADIC_F32, c, 3, h);
            step.weights = layer.weights;
            CHECK(padic_rnn_lstm_step(contexts[k], &step) == PADIC_OK);
        }
        for (size_t i = 0; i < 3 * h; i++) CHECK_NEAR(y[i], alone[i / h], 1e-6);
        desc.layers = &layer;
        desc.layer_count = 1;
        REQUIRE(padic_rnn_plan_create(contexts[k], &desc, &run.plan) == PADIC_OK);
        run.x = padic_tensor_3d(PADIC_F32, x, 3, 1, 2);
        run.out = padic_tensor_3d(PADIC_F32, y, 3, 1, h);
        CHECK(padic_rnn_run(contexts[k], &run) == PADIC_OK);
        for (size_t i = 0; i < 3 * h; i++) CHECK_NEAR(y[i], sequence[i / h], 1e-6);
        padic_rnn_plan_destroy(run.plan);
    }
}

TEST(onnx)
{
    static const double gru[3] = {.1239702622, .2005366186, .1999165412};
    static const double gru_sequence[3] = {.1239702622, .2851586919, .4087355687};
    static const double lstm[3] = {.0952411885, .2560644344, .4032377356};
    static const double lstm_sequence[3] = {.0952411885, .3286904825, .6004298953};
    contexts_begin(0);
    onnx_values(PADIC_RNN_KIND_GRU, 5, gru, gru_sequence);
    onnx_values(PADIC_RNN_KIND_LSTM, 3, lstm, lstm_sequence);
    contexts_end();
}

// The GRU of three matrices on [x, h], through the conversion, in both precisions.
static double legacy_in[3][2][3] = {{{.1, .2, .3}, {.4, .5, .6}},
                                    {{-.1, .2, -.3}, {.4, -.5, .6}},
                                    {{.7, -.2, .1}, {-.4, .3, .9}}};
static double legacy_bias[3][2] = {{.1, -.1}, {.2, 0}, {0, .3}};

TEST(legacy)
{
    static const double expected[4][2] = {{.2906736435, -.3229067893}, {.2859471266, -.3310714986},
                                          {.2859471266, -.4193595466}, {.2903896137, -.3517704432}};
    for (uint32_t single = 0; single < 2; single++) {
        const padic_dtype dtype = single ? PADIC_F32 : PADIC_F64;
        double w[6], u[12], b[6], c[6], values[3] = {.5, .3, -.6}, out[2];
        float narrow[3] = {.5f, .3f, -.6f}, narrow_out[2];
        padic_rnn_convert_desc convert = PADIC_ZERO;
        convert.reset = PADIC_RNN_RESET_BEFORE;
        convert.from = PADIC_RNN_CONVENTION_LEGACY;
        convert.in.input = padic_tensor_3d(PADIC_F64, legacy_in, 3, 2, 3);
        convert.in.bias = padic_tensor_2d(PADIC_F64, legacy_bias, 3, 2);
        convert.out.input = padic_tensor_2d(dtype, w, 6, 1);
        convert.out.recurrent = padic_tensor_2d(dtype, u, 6, 2);
        convert.out.bias = padic_tensor_1d(dtype, b, 6);
        convert.out.recurrent_bias = padic_tensor_1d(dtype, c, 6);
        CHECK(padic_rnn_convert(NULL, &convert) == PADIC_OK);
        contexts_begin(0);
        for (uint32_t k = 0; k < context_count * 4; k++) {
            padic_rnn_gru_step_desc step = PADIC_ZERO;
            const uint32_t mode = k % 4;
            step.x = padic_tensor_2d(dtype, single ? (void *)narrow : (void *)values, 1, 1);
            step.h = padic_tensor_2d(dtype, single ? (void *)(narrow + 1) : (void *)(values + 1), 1,
                                     2);
            step.out = padic_tensor_2d(dtype, single ? (void *)narrow_out : (void *)out, 1, 2);
            step.weights = convert.out;
            step.reset = mode == 0 || mode == 3 ? PADIC_RNN_RESET_BEFORE : PADIC_RNN_RESET_AFTER;
            step.update = mode == 3 ? PADIC_RNN_UPDATE_REPLACE : PADIC_RNN_UPDATE_KEEP;
            if (mode == 2) { // bn on the recurrent side
                double swap[2];
                memcpy(swap, (char *)b + 4 * (single ? 4 : 8), 2 * (single ? 4 : 8));
                memset((char *)b + 4 * (single ? 4 : 8), 0, 2 * (single ? 4 : 8));
                memcpy((char *)c + 4 * (single ? 4 : 8), swap, 2 * (single ? 4 : 8));
            }
            CHECK(padic_rnn_gru_step(contexts[k / 4], &step) == PADIC_OK);
            for (uint32_t i = 0; i < 2; i++)
                CHECK_NEAR(single ? (double)narrow_out[i] : out[i], expected[mode][i],
                           single ? 1e-6 : 1e-9);
            if (mode == 2) CHECK(padic_rnn_convert(NULL, &convert) == PADIC_OK);
        }
        contexts_end();
    }
}

TEST(lstm_values)
{
    static const double w_[8] = {.1, .4, -.1, .4, .7, -.4, .2, -.3};
    static const double u_[16] = {.2, .3, .5, .6, .2, -.3, -.5, .6,
                                  -.2, .1, .3, .9, .1, -.2, .6, .3};
    static const double b_[8] = {.1, -.1, 1, 1, 0, .3, .2, 0};
    double w[8], u[16], b[8], x[1] = {.5}, h[2] = {.3, -.6}, c[2] = {.25, -.1};
    padic_rnn_lstm_step_desc step = PADIC_ZERO;
    memcpy(w, w_, sizeof w);
    memcpy(u, u_, sizeof u);
    memcpy(b, b_, sizeof b);
    step.weights.input = padic_tensor_2d(PADIC_F64, w, 8, 1);
    step.weights.recurrent = padic_tensor_2d(PADIC_F64, u, 8, 2);
    step.weights.bias = padic_tensor_1d(PADIC_F64, b, 8);
    step.x = padic_tensor_2d(PADIC_F64, x, 1, 1);
    step.h = step.out = padic_tensor_2d(PADIC_F64, h, 1, 2); // in place
    step.c = step.out_c = padic_tensor_2d(PADIC_F64, c, 1, 2);
    CHECK(padic_rnn_lstm_step(NULL, &step) == PADIC_OK);
    CHECK_NEAR(h[0], .1814535984, 1e-9);
    CHECK_NEAR(h[1], -.1025958629, 1e-9);
    CHECK_NEAR(c[0], .3063945277, 1e-9);
    CHECK_NEAR(c[1], -.2255434535, 1e-9);
    // The bias of the forget gate at run time is the same cell.
    b[2] = b[3] = 0;
    h[0] = .3, h[1] = -.6, c[0] = .25, c[1] = -.1;
    step.forget_bias = 1;
    CHECK(padic_rnn_lstm_step(NULL, &step) == PADIC_OK);
    CHECK_NEAR(c[1], -.2255434535, 1e-9);
}

TEST(parameters)
{
    const padic_rnn_kind gru = PADIC_RNN_KIND_GRU, lstm = PADIC_RNN_KIND_LSTM;
    const padic_rnn_kind linear = PADIC_RNN_KIND_LINEAR;
    CHECK_EQ(padic_rnn_param_count(lstm, 4, 32) + padic_rnn_param_count(lstm, 32, 32) +
                 padic_rnn_param_count(linear, 32, 3), 13411);
    CHECK_EQ(padic_rnn_param_count(lstm, 4, 64) + padic_rnn_param_count(lstm, 64, 64) +
                 padic_rnn_param_count(linear, 64, 32) + padic_rnn_param_count(linear, 32, 3),
             53379);
    CHECK_EQ(padic_rnn_param_count(gru, 4, 64) + padic_rnn_param_count(gru, 64, 64) +
                 padic_rnn_param_count(linear, 64, 32) + padic_rnn_param_count(linear, 32, 3),
             40579);
    CHECK_EQ(padic_rnn_param_count((padic_rnn_kind)7, 1, 1), 0);
    CHECK_EQ(padic_rnn_param_count(lstm, 1, UINT64_C(1) << 62), 0);
    CHECK_EQ(padic_rnn_param_count(lstm, UINT64_MAX, 1), 0);
}

// ------------------------------------------------------------------------------------ random nets

// One step of B rows, against the definition, and the bits of each row alone.
static void step_check(uint32_t which, const net *n, size_t rows, padic_dtype states)
{
    const size_t in = n->is.in, h = n->is.h, size = states == PADIC_F64 ? 8 : 4;
    const int lstm = n->is.kind == PADIC_RNN_KIND_LSTM;
    double *x = (double *)malloc(rows * in * 8), *s = (double *)malloc(rows * h * 8);
    double *c = (double *)malloc(rows * h * 8), *h1 = (double *)malloc(h * 8);
    double *c1 = (double *)malloc(h * 8);
    padic_tensor tx = numbers(states, rows * in, 1.5, x), th = numbers(states, rows * h, 1, s);
    padic_tensor tc = numbers(states, rows * h, 1, c);
    char *out = (char *)malloc(rows * h * 16), *alone = (char *)malloc(h * 16);
    for (size_t r = 0; r <= rows; r++) { // all, then each row
        const size_t from = r ? r - 1 : 0, count = r ? 1 : rows;
        char *to = r ? alone : out;
        padic_tensor t[4];
        padic_result result;
        if (r && r != 1 && r != rows && r % 7) continue;
        t[0] = padic_tensor_2d(states, (char *)tx.data + from * in * size, count, in);
        t[1] = padic_tensor_2d(states, (char *)th.data + from * h * size, count, h);
        t[2] = padic_tensor_2d(states, to, count, h);
        t[3] = padic_tensor_2d(states, to + count * h * size, count, h);
        if (lstm) {
            padic_rnn_lstm_step_desc step = PADIC_ZERO;
            step.x = t[0], step.h = t[1], step.out = t[2], step.out_c = t[3];
            step.c = padic_tensor_2d(states, (char *)tc.data + from * h * size, count, h);
            step.weights = n->weights;
            step.forget_bias = n->is.forget;
            result = padic_rnn_lstm_step(contexts[which], &step);
        } else {
            padic_rnn_gru_step_desc step = PADIC_ZERO;
            step.x = t[0], step.h = t[1], step.out = t[2];
            step.weights = n->weights;
            step.reset = (padic_rnn_reset)n->is.before;
            step.update = (padic_rnn_update)n->is.replace;
            result = padic_rnn_gru_step(contexts[which], &step);
        }
        REQUIRE(result == PADIC_OK);
        if (r) {
            CHECK(!memcmp(alone, out + from * h * size, h * size));
            if (lstm) CHECK(!memcmp(alone + h * size, out + (rows + from) * h * size, h * size));
        }
    }
    for (size_t r = 0; r < rows; r++) {
        padic_tensor t = padic_tensor_1d(states, out, 2 * rows * h);
        double sizes = 0, tolerance;
        cell_step(&n->is, x + r * in, s + r * h, c + r * h, h1, c1, &sizes);
        tolerance = states == PADIC_F64 ? 1e-13 : 1e-6 + 4 * U * sizes;
        for (size_t i = 0; i < h; i++) {
            CHECK_NEAR(number_at(&t, r * h + i), h1[i], tolerance);
            if (lstm) CHECK_NEAR(number_at(&t, (rows + r) * h + i), c1[i], tolerance);
        }
    }
    free(x), free(s), free(c), free(h1), free(c1), free(out), free(alone);
    free(tx.data), free(th.data), free(tc.data);
}

TEST(steps)
{
    static const padic_dtype dtypes[] = {PADIC_F32, PADIC_F16, PADIC_BF16, PADIC_I8, PADIC_F64};
    static const size_t sizes[][3] = {{1, 1, 1}, {1, 3, 5},   {2, 17, 16}, {5, 4, 33},
                                      {9, 65, 64}, {65, 7, 19}, {3, 131, 70}, {1, 300, 129}};
    contexts_begin(0);
    for (uint32_t k = 0; k < context_count; k++)
        for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
            for (size_t d = 0; d < 5; d++)
                for (int mode = 0; mode < 4; mode++) {
                    const padic_dtype states = d == 4 ? PADIC_F64 : PADIC_F32;
                    const size_t h = sizes[i][2];
                    net n;
                    if (d == 4 && k) continue; // the same as without a context
                    if (mode && i > 4 && ((size_t)mode + d) % 3) continue;
                    n = net_make(mode == 3 ? PADIC_RNN_KIND_LSTM : PADIC_RNN_KIND_GRU, dtypes[d],
                                 states, sizes[i][1], h);
                    n.is.before = mode == 1;
                    n.is.replace = mode == 2;
                    n.is.forget = 0.5;
                    step_check(k, &n, sizes[i][0], states);
                    net_free(&n);
                }
    contexts_end();
}

TEST(limits)
{
    float w[3 * 4 * 4], zero[12] = {0}, h[4] = {.5f, -.25f, 1, -1}, out[4], inf[12];
    contexts_begin(0);
    for (uint32_t k = 0; k < context_count; k++) {
        padic_rnn_gru_step_desc step = PADIC_ZERO;
        memset(w, 0, sizeof w);
        for (int i = 0; i < 12; i++) inf[i] = i / 4 == 1 ? 1e9f : 0;
        step.x = padic_tensor_2d(PADIC_F32, h, 1, 4);
        step.h = padic_tensor_2d(PADIC_F32, h, 1, 4);
        step.out = padic_tensor_2d(PADIC_F32, out, 1, 4);
        step.weights.input = step.weights.recurrent = padic_tensor_2d(PADIC_F32, w, 12, 4);
        step.weights.bias = padic_tensor_1d(PADIC_F32, zero, 12);
        CHECK(padic_rnn_gru_step(contexts[k], &step) == PADIC_OK); // h / 2
        for (int i = 0; i < 4; i++) CHECK(out[i] == h[i] / 2);
        step.weights.bias = padic_tensor_1d(PADIC_F32, inf, 12);
        for (int i = 0; i < 48; i++) w[i] = i < 16 || i >= 32 ? 0.3f : 0;
        CHECK(padic_rnn_gru_step(contexts[k], &step) == PADIC_OK); // h
        for (int i = 0; i < 4; i++) CHECK(out[i] == h[i]);
        for (int i = 4; i < 8; i++) inf[i] = INFINITY;
        CHECK(padic_rnn_gru_step(contexts[k], &step) == PADIC_OK);
        for (int i = 0; i < 4; i++) CHECK(out[i] == h[i]);
        for (int i = 4; i < 8; i++) inf[i] = -INFINITY; // n alone
        memset(w, 0, sizeof w);
        for (int i = 8; i < 12; i++) inf[i] = i % 2 ? INFINITY : -1e30f;
        CHECK(padic_rnn_gru_step(contexts[k], &step) == PADIC_OK);
        for (int i = 0; i < 4; i++) CHECK(out[i] == (i % 2 ? 1.0f : -1.0f));
    }
    contexts_end();
}

// tanh and s of all magnitudes, by a dense layer of one weight.
TEST(functions)
{
    enum { N = 4001 };
    static float x[N], out[N];
    float one[1] = {1};
    contexts_begin(0);
    for (uint32_t k = 0; k < context_count; k++)
        for (int f = 1; f < 4; f++) {
            padic_rnn_linear_desc desc = PADIC_ZERO;
            for (int i = 0; i < N; i++)
                x[i] = (float)(i % 2 ? ldexp(uniform(), i % 40 - 30) : 12 * uniform());
            x[0] = INFINITY, x[2] = -INFINITY, x[4] = 3e38f, x[6] = -3e38f, x[8] = NAN, x[10] = 0;
            x[12] = 88.5f, x[14] = -88.5f, x[16] = -103.9f, x[18] = -104.2f, x[20] = 9.01f;
            desc.x = padic_tensor_2d(PADIC_F32, x, N, 1);
            desc.weights = padic_tensor_2d(PADIC_F32, one, 1, 1);
            desc.out = padic_tensor_2d(PADIC_F32, out, N, 1);
            desc.activation = (padic_rnn_activation)f;
            desc.gain = 2;
            CHECK(padic_rnn_linear(contexts[k], &desc) == PADIC_OK);
            for (int i = 0; i < N; i++) {
                const double a = (double)x[i];
                const double y = f == 1 ? tanh(a) : f == 2 ? logistic(a) : a > 0 ? a : 0;
                if (a != a) {
                    CHECK(out[i] != out[i]);
                } else if (f == 3) {
                    CHECK(out[i] == (float)(2 * y));
                } else {
                    CHECK(fabsf(out[i]) <= 2);
                    CHECK_NEAR(out[i] / 2, y, 4 * U * fabs(y) + 2e-45);
                }
            }
        }
    contexts_end();
}

// ------------------------------------------------------------------------------------------ stacks

// A stack's sequence by the definition: y (T, rows, D), x (T, rows, in), states.
typedef struct stack {
    uint32_t layers, flags;
    net part[6]; // forward and backward of each
    double gain;
} stack;

static double *stack_expect(const stack *s, size_t steps, size_t rows, const uint32_t *lengths,
                            const double *x0, double *h, double *c, size_t state)
{
    const size_t dirs = s->flags & PADIC_RNN_BIDIRECTIONAL ? 2 : 1;
    size_t width = s->part[0].is.in, slice = 0;
    double *x = (double *)malloc(steps * rows * width * 8), *next, *h1, *c1;
    memcpy(x, x0, steps * rows * width * 8);
    for (uint32_t l = 0; l < s->layers; l++) {
        const cell *is = &s->part[2 * l].is;
        const size_t d = is->kind == PADIC_RNN_KIND_LINEAR ? 1 : dirs, out = d * is->h;
        next = (double *)calloc(steps * rows * out, 8);
        h1 = (double *)malloc(is->h * 8);
        c1 = (double *)malloc(is->h * 8);
        for (size_t b = 0; b < rows; b++)
            for (size_t way = 0; way < d; way++) {
                const cell *p = &s->part[2 * l + way].is;
                const int back = way == 1 || (s->flags & PADIC_RNN_REVERSE);
                for (size_t k = 0; k < lengths[b]; k++) {
                    const size_t t = back ? lengths[b] - 1 - k : k;
                    const double *in = x + (t * rows + b) * width;
                    double *y = next + (t * rows + b) * out + way * is->h;
                    double *hh = h + ((slice + way) * rows + b) * state;
                    double *cc = c + ((slice + way) * rows + b) * state;
                    if (is->kind == PADIC_RNN_KIND_LINEAR) {
                        for (size_t i = 0; i < is->h; i++) {
                            double sum = p->b[i];
                            for (size_t j = 0; j < width; j++) sum += p->w[i * width + j] * in[j];
                            y[i] = s->gain * tanh(sum);
                        }
                        continue;
                    }
                    cell_step(p, in, hh, cc, h1, c1, NULL);
                    memcpy(hh, h1, is->h * 8);
                    if (is->kind == PADIC_RNN_KIND_LSTM) memcpy(cc, c1, is->h * 8);
                    memcpy(y, h1, is->h * 8);
                }
            }
        free(h1), free(c1), free(x);
        x = next;
        width = out;
        if (is->kind != PADIC_RNN_KIND_LINEAR) slice += dirs;
    }
    return x;
}

static void stack_check(uint32_t which, stack *s, size_t steps, size_t rows, int with_lengths,
                        uint32_t run_flags)
{
    const int first = run_flags & PADIC_RNN_BATCH_FIRST;
    const size_t dirs = s->flags & PADIC_RNN_BIDIRECTIONAL ? 2 : 1, in = s->part[0].is.in;
    const cell *last = &s->part[2 * (s->layers - 1)].is;
    const size_t out = last->kind == PADIC_RNN_KIND_LINEAR ? last->h : dirs * last->h;
    padic_rnn_layer layers[3];
    padic_rnn_plan_desc desc = PADIC_ZERO;
    padic_rnn_run_desc run = PADIC_ZERO;
    padic_rnn_plan_report report;
    size_t state = 0, slices = 0;
    double *x, *h, *c, *y;
    float *got, *got_h, *got_c;
    uint32_t *lengths = (uint32_t *)malloc(rows * sizeof *lengths);
    memset(layers, 0, sizeof layers);
    for (uint32_t l = 0; l < s->layers; l++) {
        const cell *is = &s->part[2 * l].is;
        layers[l].kind = (padic_rnn_kind)is->kind;
        layers[l].reset = (padic_rnn_reset)is->before;
        layers[l].forget_bias = is->forget;
        layers[l].gain = s->gain;
        layers[l].activation = PADIC_RNN_ACTIVATION_TANH;
        layers[l].weights = s->part[2 * l].weights;
        if (dirs == 2) layers[l].backward = s->part[2 * l + 1].weights;
        if (is->kind == PADIC_RNN_KIND_LINEAR) continue;
        slices += dirs;
        if (is->h > state) state = is->h;
    }
    desc.layers = layers;
    desc.layer_count = s->layers;
    desc.flags = s->flags;
    desc.steps = dirs == 2 ? steps : 0;
    REQUIRE(padic_rnn_plan_create(contexts[which], &desc, &run.plan) == PADIC_OK);
    CHECK(padic_rnn_plan_info(run.plan, &report) == PADIC_OK);
    CHECK(report.output == out && report.input == in && report.state == state);
    CHECK(report.state_layers == slices && report.size <=
              padic_rnn_plan_size_bound(contexts[which], &desc));
    x = (double *)malloc(steps * rows * in * 8);
    h = (double *)malloc(slices * rows * state * 8);
    c = (double *)malloc(slices * rows * state * 8);
    run.x = numbers(PADIC_F32, steps * rows * in, 1, x);
    run.h0 = numbers(PADIC_F32, slices * rows * state, 1, h);
    run.c0 = numbers(PADIC_F32, slices * rows * state, 1, c);
    if (first) { // the same numbers, (rows, steps, in)
        float *turned = (float *)malloc(steps * rows * in * sizeof *turned);
        for (size_t t = 0; t < steps; t++)
            for (size_t b = 0; b < rows; b++)
                for (size_t i = 0; i < in; i++)
                    turned[(b * steps + t) * in + i] = (float)x[(t * rows + b) * in + i];
        free(run.x.data);
        run.x.data = turned;
    }
    run.x = padic_tensor_3d(PADIC_F32, run.x.data, first ? rows : steps, first ? steps : rows, in);
    run.h0 = padic_tensor_3d(PADIC_F32, run.h0.data, slices, rows, state);
    run.c0 = padic_tensor_3d(PADIC_F32, run.c0.data, slices, rows, state);
    got = (float *)malloc(steps * rows * out * sizeof *got);
    got_h = (float *)malloc(slices * rows * state * sizeof *got_h);
    got_c = (float *)malloc(slices * rows * state * sizeof *got_c);
    run.out = padic_tensor_3d(PADIC_F32, got, run.x.shape[0], run.x.shape[1], out);
    run.out_h = padic_tensor_3d(PADIC_F32, got_h, slices, rows, state);
    run.out_c = padic_tensor_3d(PADIC_F32, got_c, slices, rows, state);
    for (size_t b = 0; b < rows; b++)
        lengths[b] = with_lengths ? (uint32_t)(test_random() % (steps + 1)) : (uint32_t)steps;
    if (with_lengths) run.lengths = padic_tensor_1d(PADIC_U32, lengths, rows);
    run.flags = run_flags;
    if (s->part[0].is.kind == PADIC_RNN_KIND_GRU) {
        CHECK(padic_rnn_run(contexts[which], &run) == PADIC_ERROR_ARGUMENT); // no LSTM: no c
        free(run.c0.data);
        memset(&run.c0, 0, sizeof run.c0);
        memset(&run.out_c, 0, sizeof run.out_c);
    }
    CHECK(padic_rnn_run(contexts[which], &run) == PADIC_OK);
    y = stack_expect(s, steps, rows, lengths, x, h, c, state);
    for (size_t t = 0; t < steps; t++)
        for (size_t b = 0; b < rows; b++)
            for (size_t i = 0; i < out; i++) {
                const float value = got[(first ? b * steps + t : t * rows + b) * out + i];
                CHECK_NEAR(value, y[(t * rows + b) * out + i], 4e-6);
                if (t >= lengths[b]) CHECK(value == 0);
            }
    for (size_t i = 0; i < slices * rows * state; i++) {
        const cell *is = &s->part[i / (rows * state * dirs) * 2].is; // recurrent layers come first
        if (i % state >= is->h) {
            CHECK(got_h[i] == 0);
            continue;
        }
        CHECK_NEAR(got_h[i], h[i], 4e-6);
        if (run.out_c.data) CHECK_NEAR(got_c[i], c[i], 8e-6);
    }
    padic_rnn_plan_destroy(run.plan);
    free(x), free(h), free(c), free(y), free(got), free(got_h), free(got_c), free(lengths);
    free(run.x.data), free(run.h0.data), free(run.c0.data);
}

TEST(stacks)
{
    static const size_t sizes[][5] = {// steps, rows, in, h, h
                                      {1, 1, 3, 5, 4},   {7, 1, 3, 17, 9},  {150, 1, 5, 33, 16},
                                      {3, 65, 4, 16, 7}, {5, 130, 3, 8, 8}, {70, 3, 2, 6, 11}};
    const size_t count = test_tiny ? 5 : sizeof sizes / sizeof *sizes;
    contexts_begin(0);
    for (uint32_t k = 0; k < context_count; k++)
        for (size_t i = 0; i < count; i++)
            for (int mode = 0; mode < 6; mode++) {
                const size_t *n = sizes[i];
                const int lstm = mode % 2;
                const uint32_t ways = mode / 2 == 1   ? PADIC_RNN_REVERSE
                                      : mode / 2 == 2 ? PADIC_RNN_BIDIRECTIONAL
                                                      : 0;
                const size_t wide = ways == PADIC_RNN_BIDIRECTIONAL ? 2 : 1;
                stack s;
                memset(&s, 0, sizeof s);
                s.layers = 3;
                s.flags = ways;
                s.gain = 0.5;
                for (int d = 0; d < 2; d++) {
                    const int kind = lstm ? PADIC_RNN_KIND_LSTM : PADIC_RNN_KIND_GRU;
                    s.part[d] = net_make(kind, PADIC_F32, PADIC_F32, n[2], n[3]);
                    s.part[2 + d] = net_make(kind, i % 2 ? PADIC_I8 : PADIC_BF16, PADIC_F32,
                                             wide * n[3], n[4]);
                    s.part[4 + d] = net_make(PADIC_RNN_KIND_LINEAR, PADIC_F16, PADIC_F32,
                                             wide * n[4], 3);
                    s.part[d].is.before = mode == 2;
                    s.part[d].is.forget = 1;
                }
                stack_check(k, &s, n[0], n[1], 0, PADIC_RNN_BATCH_FIRST);
                stack_check(k, &s, n[0], n[1], 1, 0);
                for (int d = 0; d < 6; d++) net_free(&s.part[d]);
            }
    contexts_end();
}

// A run's rows and steps have the bits of runs of fewer rows, of fewer steps, and of more workers.
TEST(divided)
{
    enum { T = 9, B = 70, I = 11, H = 37 };
    static float x[T * B * I], y[T * B * H], part[T * B * H], h[B * H], h1[B * H];
    static const padic_dtype dtypes[] = {PADIC_F32, PADIC_F16, PADIC_BF16, PADIC_I8};
    contexts_begin(0);
    for (int i = 0; i < T * B * I; i++) x[i] = (float)uniform();
    for (uint32_t k = 0; k < context_count * 4; k++) {
        padic_context *context = contexts[k / 4];
        net n = net_make(k % 2 ? PADIC_RNN_KIND_LSTM : PADIC_RNN_KIND_GRU, dtypes[k % 4], PADIC_F32,
                         I, H);
        padic_rnn_layer layer = PADIC_ZERO;
        padic_rnn_plan_desc desc = PADIC_ZERO;
        padic_rnn_run_desc run = PADIC_ZERO;
        layer.kind = (padic_rnn_kind)n.is.kind;
        layer.weights = n.weights;
        desc.layers = &layer;
        desc.layer_count = 1;
        desc.batch = k % 3 ? 0 : 5;
        REQUIRE(padic_rnn_plan_create(context, &desc, &run.plan) == PADIC_OK);
        run.x = padic_tensor_3d(PADIC_F32, x, T, B, I);
        run.out = padic_tensor_3d(PADIC_F32, y, T, B, H);
        CHECK(padic_rnn_run(context, &run) == PADIC_OK);
        for (size_t b = 0; b < B; b += b < 3 ? 1 : 13) { // one row, by strides
            run.x = padic_tensor_3d(PADIC_F32, x + b * I, T, 1, I);
            run.x.stride[0] = B * I, run.x.stride[1] = I, run.x.stride[2] = 1;
            run.out = padic_tensor_3d(PADIC_F32, part, T, 1, H);
            CHECK(padic_rnn_run(context, &run) == PADIC_OK);
            for (size_t t = 0; t < T; t++)
                CHECK(!memcmp(part + t * H, y + (t * B + b) * H, H * sizeof *y));
        }
        if (n.is.kind == PADIC_RNN_KIND_GRU) { // step by step, the state kept
            memset(h, 0, sizeof h);
            for (size_t t = 0; t < T; t++) {
                run.x = padic_tensor_3d(PADIC_F32, x + t * B * I, 1, B, I);
                run.out = padic_tensor_3d(PADIC_F32, part, 1, B, H);
                run.h0 = padic_tensor_3d(PADIC_F32, h, 1, B, H);
                run.out_h = t % 2 ? padic_tensor_3d(PADIC_F32, h1, 1, B, H) : run.h0;
                CHECK(padic_rnn_run(context, &run) == PADIC_OK);
                if (t % 2) memcpy(h, h1, sizeof h);
                CHECK(!memcmp(part, y + t * B * H, B * H * sizeof *y));
                CHECK(!memcmp(part, h, sizeof h));
            }
        }
        padic_rnn_plan_destroy(run.plan);
        net_free(&n);
    }
    contexts_end();
}

// Feedback, against a loop of runs of one step.
TEST(feedback)
{
    enum { T = 40, B = 5, I = 4, H = 12, D = 3 };
    static float x[T * B * I], y[T * B * D], columns[T * B * D], one[B * I], out[B * D];
    static float h[B * H], c[B * H], h1[B * H], c1[B * H];
    contexts_begin(0);
    for (uint32_t k = 0; k < context_count * 3; k++) {
        padic_context *context = contexts[k / 3];
        const int add = k % 3 != 0;
        const double clip = k % 3 == 2 ? 0.5 : 0;
        net n = net_make(PADIC_RNN_KIND_LSTM, PADIC_F32, PADIC_F32, I, H);
        net last = net_make(PADIC_RNN_KIND_LINEAR, PADIC_F32, PADIC_F32, H, D);
        padic_rnn_layer layers[2];
        padic_rnn_plan_desc desc = PADIC_ZERO;
        padic_rnn_run_desc run = PADIC_ZERO;
        uint32_t lengths[B] = {T, T, 7, 0, T};
        for (int i = 0; i < T * B * I; i++) x[i] = (float)uniform();
        memset(layers, 0, sizeof layers);
        layers[0].kind = PADIC_RNN_KIND_LSTM;
        layers[0].weights = n.weights;
        layers[1].kind = PADIC_RNN_KIND_LINEAR;
        layers[1].activation = PADIC_RNN_ACTIVATION_TANH;
        layers[1].gain = 0.5;
        layers[1].weights = last.weights;
        desc.layers = layers;
        desc.layer_count = 2;
        desc.feedback = add ? PADIC_RNN_FEEDBACK_ADD : PADIC_RNN_FEEDBACK_REPLACE;
        desc.feedback_first = 1;
        desc.clip_radius = clip;
        REQUIRE(padic_rnn_plan_create(context, &desc, &run.plan) == PADIC_OK);
        run.x = padic_tensor_3d(PADIC_F32, x, T, B, I);
        run.out = padic_tensor_3d(PADIC_F32, y, T, B, D);
        run.columns = padic_tensor_3d(PADIC_F32, columns, T, B, D);
        run.lengths = padic_tensor_1d(PADIC_U32, lengths, B);
        CHECK(padic_rnn_run(context, &run) == PADIC_OK);
        padic_rnn_plan_destroy(run.plan);
        memset(&run, 0, sizeof run);
        desc.feedback = PADIC_RNN_FEEDBACK_NONE;
        REQUIRE(padic_rnn_plan_create(context, &desc, &run.plan) == PADIC_OK);
        memset(h, 0, sizeof h);
        memset(c, 0, sizeof c);
        memcpy(one, x, sizeof one);
        for (size_t t = 0; t < T; t++) {
            run.x = padic_tensor_3d(PADIC_F32, one, 1, B, I);
            run.out = padic_tensor_3d(PADIC_F32, out, 1, B, D);
            run.h0 = padic_tensor_3d(PADIC_F32, h, 1, B, H);
            run.c0 = padic_tensor_3d(PADIC_F32, c, 1, B, H);
            run.out_h = padic_tensor_3d(PADIC_F32, h1, 1, B, H);
            run.out_c = padic_tensor_3d(PADIC_F32, c1, 1, B, H);
            CHECK(padic_rnn_run(context, &run) == PADIC_OK);
            memcpy(h, h1, sizeof h);
            memcpy(c, c1, sizeof c);
            for (size_t b = 0; b < B; b++) {
                double radius = 0;
                for (size_t i = 0; i < D && t < lengths[b]; i++) {
                    CHECK(y[(t * B + b) * D + i] == out[b * D + i]);
                    one[b * I + 1 + i] = add ? one[b * I + 1 + i] + out[b * D + i] : out[b * D + i];
                    radius += (double)one[b * I + 1 + i] * (double)one[b * I + 1 + i];
                }
                for (size_t i = 0; i < D && clip > 0 && sqrt(radius) > clip && t < lengths[b]; i++)
                    one[b * I + 1 + i] = (float)((double)one[b * I + 1 + i] * clip / sqrt(radius));
                for (size_t i = 0; i < D; i++) {
                    const float column = columns[(t * B + b) * D + i];
                    CHECK_NEAR(column, one[b * I + 1 + i], 3 * U);
                    one[b * I + 1 + i] = column; // so that later steps compare bits
                }
                if (t + 1 < T) one[b * I] = x[((t + 1) * B + b) * I];
            }
        }
        padic_rnn_plan_destroy(run.plan);
        net_free(&n);
        net_free(&last);
    }
    contexts_end();
}

// ------------------------------------------------------------------------------------ conversions

enum { CI = 3, CH = 2 };

// Arrays of a convention, for one layer; memory for all of them.
typedef struct arrays {
    float input[64], recurrent[64], bias[32], recurrent_bias[32];
    padic_rnn_weights w;
} arrays;

static void arrays_shape(arrays *a, int convention, int lstm, int after)
{
    const uint64_t g = (lstm ? 4 : 3) * CH;
    memset(&a->w, 0, sizeof a->w);
    a->w.bias = padic_tensor_1d(PADIC_F32, a->bias, g);
    if (convention == PADIC_RNN_CONVENTION_LEGACY) {
        a->w.input = padic_tensor_3d(PADIC_F32, a->input, 3, CH, CI + CH);
        a->w.bias = padic_tensor_2d(PADIC_F32, a->bias, 3, CH);
        return;
    }
    a->w.input = padic_tensor_2d(PADIC_F32, a->input, g, CI);
    a->w.recurrent = padic_tensor_2d(PADIC_F32, a->recurrent, g, CH);
    if (convention == PADIC_RNN_CONVENTION_LIBRARY) {
        a->w.recurrent_bias = padic_tensor_1d(PADIC_F32, a->recurrent_bias, g);
    } else if (convention == PADIC_RNN_CONVENTION_ONNX) {
        a->w.bias = padic_tensor_1d(PADIC_F32, a->bias, 2 * g);
    } else {
        a->w.input = padic_tensor_2d(PADIC_F32, a->input, CI, g);
        a->w.recurrent = padic_tensor_2d(PADIC_F32, a->recurrent, CH, g);
        if (!lstm && after) a->w.bias = padic_tensor_2d(PADIC_F32, a->bias, 2, g);
    }
}

// A number for each weight of a gate, which has a letter; biases 5 of the input, 6 recurrent.
static float letter_value(char gate, int what, int unit, int column)
{
    return (float)((gate - 'a') * 1000 + what * 100 + unit * 10 + column) + 0.5f;
}

static int two_biases(int convention, int lstm, int after)
{
    return convention <= PADIC_RNN_CONVENTION_ONNX ||
           (convention == PADIC_RNN_CONVENTION_KERAS && !lstm && after);
}

// Fills the arrays as the table of the documents says; `two`: recurrent biases are not 0.
static void arrays_fill(arrays *a, int convention, int lstm, int after, int two)
{
    static const char *const order[2][4] = {{"rzn", "zrn", "zrn", "zrn"},
                                            {"ifgo", "iofg", "ifgo", ""}};
    const char *gates = order[lstm][convention];
    const int g = (lstm ? 4 : 3) * CH;
    memset(a, 0, sizeof *a);
    arrays_shape(a, convention, lstm, after);
    for (int p = 0; gates[p]; p++)
        for (int u = 0; u < CH; u++) {
            const int row = p * CH + u;
            for (int k = 0; k < CI; k++) {
                const float v = letter_value(gates[p], 1, u, k);
                if (convention == PADIC_RNN_CONVENTION_LEGACY) a->input[row * (CI + CH) + k] = v;
                else if (convention == PADIC_RNN_CONVENTION_KERAS) a->input[k * g + row] = v;
                else a->input[row * CI + k] = v;
            }
            for (int k = 0; k < CH; k++) {
                const float v = letter_value(gates[p], 2, u, k);
                if (convention == PADIC_RNN_CONVENTION_LEGACY)
                    a->input[row * (CI + CH) + CI + k] = v;
                else if (convention == PADIC_RNN_CONVENTION_KERAS) a->recurrent[k * g + row] = v;
                else a->recurrent[row * CH + k] = v;
            }
            a->bias[row] = letter_value(gates[p], 5, u, 0);
            if (!two) continue;
            if (convention == PADIC_RNN_CONVENTION_LIBRARY)
                a->recurrent_bias[row] = letter_value(gates[p], 6, u, 0);
            else if (two_biases(convention, lstm, after))
                a->bias[g + row] = letter_value(gates[p], 6, u, 0);
            else a->bias[row] += letter_value(gates[p], 6, u, 0);
        }
}

static int arrays_same(const arrays *a, const arrays *b)
{
    return !memcmp(a->input, b->input, sizeof a->input) &&
           !memcmp(a->recurrent, b->recurrent, sizeof a->recurrent) &&
           !memcmp(a->bias, b->bias, sizeof a->bias) &&
           !memcmp(a->recurrent_bias, b->recurrent_bias, sizeof a->recurrent_bias);
}

TEST(conventions)
{
    for (int mode = 0; mode < 3; mode++) // GRU AFTER, GRU BEFORE, LSTM
        for (int from = 0; from < 4; from++)
            for (int to = 0; to < 4; to++) {
                const int lstm = mode == 2, after = mode == 0;
                const int legacy = from == 3 || to == 3;
                padic_rnn_convert_desc desc = PADIC_ZERO;
                arrays in, out, expected, back;
                desc.kind = lstm ? PADIC_RNN_KIND_LSTM : PADIC_RNN_KIND_GRU;
                desc.reset = after ? PADIC_RNN_RESET_AFTER : PADIC_RNN_RESET_BEFORE;
                desc.from = (padic_rnn_convention)from;
                desc.to = (padic_rnn_convention)to;
                for (int two = 0; two < 2; two++) {
                    if (lstm && legacy) two = 1;
                    if (!(lstm && legacy)) arrays_fill(&in, from, lstm, after, two);
                    else arrays_fill(&in, 0, 0, 0, 0);
                    memset(&out, 0, sizeof out);
                    arrays_shape(&out, lstm && legacy ? 0 : to, lstm && !legacy, after);
                    desc.in = in.w;
                    desc.out = out.w;
                    if (legacy && mode != 1) {
                        CHECK(padic_rnn_convert(NULL, &desc) == PADIC_ERROR_NOT_SUPPORTED);
                        continue;
                    }
                    CHECK(padic_rnn_convert(NULL, &desc) == PADIC_OK);
                    arrays_fill(&expected, to, lstm, after, two);
                    if (two && !two_biases(from, lstm, after)) { // only their sum is known
                        memcpy(expected.bias, out.bias, sizeof out.bias);
                        memset(expected.recurrent_bias, 0, sizeof expected.recurrent_bias);
                        if (from == to) CHECK(!memcmp(out.bias, in.bias, sizeof in.bias));
                    }
                    CHECK(arrays_same(&out, &expected));
                    if (two && two_biases(from, lstm, after) && !two_biases(to, lstm, after))
                        continue; // the sum does not come apart again
                    memset(&back, 0, sizeof back);
                    arrays_shape(&back, from, lstm, after);
                    desc.from = (padic_rnn_convention)to;
                    desc.to = (padic_rnn_convention)from;
                    desc.in = out.w;
                    desc.out = back.w;
                    CHECK(padic_rnn_convert(NULL, &desc) == PADIC_OK);
                    CHECK(arrays_same(&back, &in));
                    desc.from = (padic_rnn_convention)from;
                    desc.to = (padic_rnn_convention)to;
                }
            }
}

// Directions of ONNX, the negated z, dtypes, peepholes.
TEST(conversions)
{
    arrays in, out;
    float both[2 * 12], both_u[2 * 8], both_b[2 * 16], zero[6] = {0};
    uint16_t half[12];
    int8_t small[12], again[12];
    float scale[4], scale_u[4], wide[12];
    padic_rnn_convert_desc desc = PADIC_ZERO;
    arrays_fill(&in, 0, 0, 1, 1);
    // z negated: UPDATE's net by KEEP's formula
    desc.update = PADIC_RNN_UPDATE_REPLACE;
    desc.in = in.w;
    memset(&out, 0, sizeof out);
    arrays_shape(&out, 0, 0, 1);
    desc.out = out.w;
    CHECK(padic_rnn_convert(NULL, &desc) == PADIC_OK);
    for (int i = 0; i < 18; i++) CHECK(out.input[i] == (i / 6 == 1 ? -in.input[i] : in.input[i]));
    for (int i = 0; i < 12; i++)
        CHECK(out.recurrent[i] == (i / 4 == 1 ? -in.recurrent[i] : in.recurrent[i]));
    for (int i = 0; i < 6; i++) {
        CHECK(out.bias[i] == (i / 2 == 1 ? -in.bias[i] : in.bias[i]));
        CHECK(out.recurrent_bias[i] == (i / 2 == 1 ? -in.recurrent_bias[i] : in.recurrent_bias[i]));
    }
    // without b, which is 0 then
    memset(&desc.in.bias, 0, sizeof desc.in.bias);
    desc.update = PADIC_RNN_UPDATE_KEEP;
    CHECK(padic_rnn_convert(NULL, &desc) == PADIC_OK);
    for (int i = 0; i < 6; i++) CHECK(!(out.bias[i] < 0 || out.bias[i] > 0));
    for (int i = 0; i < 6; i++) CHECK(out.recurrent_bias[i] == in.recurrent_bias[i]);
    // one of ONNX's directions; LSTM, I = 3, H = 1
    memset(&desc, 0, sizeof desc);
    for (int i = 0; i < 24; i++) both[i] = (float)i;
    for (int i = 0; i < 16; i++) both_u[i] = (float)(100 + i);
    for (int i = 0; i < 32; i++) both_b[i] = (float)(200 + i);
    desc.kind = PADIC_RNN_KIND_LSTM;
    desc.from = PADIC_RNN_CONVENTION_ONNX;
    desc.from_direction = 1;
    desc.in.input = padic_tensor_3d(PADIC_F32, both, 2, 4, 3);
    desc.in.recurrent = padic_tensor_3d(PADIC_F32, both_u, 2, 4, 1);
    desc.in.bias = padic_tensor_2d(PADIC_F32, both_b, 2, 8);
    desc.peepholes = padic_tensor_1d(PADIC_F32, zero, 3);
    memset(&out, 0, sizeof out);
    desc.out.input = padic_tensor_2d(PADIC_F32, out.input, 4, 3);
    desc.out.recurrent = padic_tensor_2d(PADIC_F32, out.recurrent, 4, 1);
    desc.out.bias = padic_tensor_1d(PADIC_F32, out.bias, 4);
    desc.out.recurrent_bias = padic_tensor_1d(PADIC_F32, out.recurrent_bias, 4);
    CHECK(padic_rnn_convert(NULL, &desc) == PADIC_OK);
    for (int g = 0; g < 4; g++) { // i, f, g, o stand at 0, 2, 3, 1
        static const int place[4] = {0, 2, 3, 1};
        CHECK(out.input[3 * g + 2] == both[12 + 3 * place[g] + 2]);
        CHECK(out.recurrent[g] == both_u[4 + place[g]]);
        CHECK(out.bias[g] == both_b[8 + place[g]]);
        CHECK(out.recurrent_bias[g] == both_b[12 + place[g]]);
    }
    zero[1] = 1;
    CHECK(padic_rnn_convert(NULL, &desc) == PADIC_ERROR_NOT_SUPPORTED);
    zero[1] = 0;
    desc.from_direction = 2;
    CHECK(padic_rnn_convert(NULL, &desc) == PADIC_ERROR_ARGUMENT);
    desc.from_direction = 0;
    desc.projection = 2;
    CHECK(padic_rnn_convert(NULL, &desc) == PADIC_ERROR_NOT_SUPPORTED);
    desc.projection = 0;
    // F16: the nearest; I8: within half a step, the largest exact
    for (int i = 0; i < 12; i++) both[i] = (float)uniform();
    desc.out.input = padic_tensor_2d(PADIC_F16, half, 4, 3);
    CHECK(padic_rnn_convert(NULL, &desc) == PADIC_OK);
    for (int i = 0; i < 12; i++) {
        const int g = i / 3, from = (g == 1 ? 2 : g == 2 ? 3 : g == 3 ? 1 : 0) * 3 + i % 3;
        CHECK_NEAR(half_value(half[i]), both[from], fabs((double)both[from]) / 2048 + 3e-8);
    }
    desc.from = PADIC_RNN_CONVENTION_LIBRARY;
    desc.in.input = padic_tensor_2d(PADIC_F32, both, 4, 3);
    desc.in.recurrent = padic_tensor_2d(PADIC_F32, both_u, 4, 1);
    memset(&desc.in.bias, 0, sizeof desc.in.bias);
    desc.out.input = padic_tensor_2d(PADIC_I8, small, 4, 3);
    CHECK(padic_rnn_convert(NULL, &desc) == PADIC_ERROR_ARGUMENT); // no factors
    desc.out.input_scale = padic_tensor_1d(PADIC_F32, scale, 4);
    CHECK(padic_rnn_convert(NULL, &desc) == PADIC_OK);
    for (int i = 0; i < 12; i++) {
        CHECK_NEAR(scale[i / 3] * (float)small[i], both[i], 0.501 * (double)scale[i / 3]);
        CHECK(out.recurrent[i % 4] == both_u[i % 4]);
    }
    desc.in.input = desc.out.input; // integers move as they are, and widen exactly
    desc.in.input_scale = desc.out.input_scale;
    desc.out.input = padic_tensor_2d(PADIC_I8, again, 4, 3);
    desc.out.input_scale = padic_tensor_1d(PADIC_F32, scale_u, 4);
    CHECK(padic_rnn_convert(NULL, &desc) == PADIC_OK);
    CHECK(!memcmp(again, small, 12) && !memcmp(scale, scale_u, 16));
    desc.out.input = padic_tensor_2d(PADIC_F32, wide, 4, 3);
    memset(&desc.out.input_scale, 0, sizeof desc.out.input_scale);
    CHECK(padic_rnn_convert(NULL, &desc) == PADIC_OK);
    for (int i = 0; i < 12; i++)
        CHECK(wide[i] == (float)((double)scale[i / 3] * (double)small[i]));
}

// F16 and BF16 from doubles: the nearest of all, ties to even.
TEST(small_floats)
{
    for (int wide = 0; wide < 2; wide++)
        for (int i = 0; i < 20000; i++) {
            const uint16_t bits = (uint16_t)(test_random() % (wide ? 0x7f80 : 0x7c00));
            const double low = wide ? bfloat_value(bits) : half_value(bits);
            const double high = wide ? bfloat_value((uint16_t)(bits + 1))
                                     : half_value((uint16_t)(bits + 1));
            const double middle = high > 1e39 || high == INFINITY ? low * 2 : (low + high) / 2;
            const uint32_t f = wide ? 7 : 10, e = wide ? 8 : 5;
            CHECK_EQ(padici_rnn_to_small(low, f, e), bits);
            CHECK_EQ(padici_rnn_to_small(-low, f, e), bits | 0x8000);
            if (high == INFINITY) continue;
            CHECK_EQ(padici_rnn_to_small(middle, f, e), bits + (bits & 1));
            CHECK_EQ(padici_rnn_to_small(nextafter(middle, 0), f, e), bits);
            CHECK_EQ(padici_rnn_to_small(nextafter(middle, 1e300), f, e), bits + 1);
            CHECK(padici_rnn_get(&bits, wide ? PADIC_BF16 : PADIC_F16) == low);
        }
    CHECK_EQ(padici_rnn_to_small(1e300, 10, 5), 0x7c00);
    CHECK_EQ(padici_rnn_to_small(-1e-300, 10, 5), 0x8000);
    CHECK_EQ(padici_rnn_to_small(65519.99, 10, 5), 0x7bff);
    CHECK_EQ(padici_rnn_to_small(65520, 10, 5), 0x7c00);
    CHECK((padici_rnn_to_small(NAN, 10, 5) & 0x7fff) > 0x7c00);
}

// ------------------------------------------------------------------------------------------ paths

static void path_at(padic_rnn_path_desc desc, double t, double p[3], double v[3])
{
    desc.start = t;
    desc.position = padic_tensor_2d(PADIC_F64, p, 1, 3);
    desc.velocity = padic_tensor_2d(PADIC_F64, v, 1, 3);
    CHECK(padic_rnn_path(NULL, &desc) == PADIC_OK);
}

TEST(paths)
{
    const double pi = 3.14159265358979323846;
    double p[3], q[3], v[3], w[3], a[3][5], b[3][5], nearest = 1, mirrored = 1;
    static double points[400][3];
    padic_rnn_path_desc desc = PADIC_ZERO;
    for (int preset = 0; preset < 8; preset++) {
        memset(&desc, 0, sizeof desc);
        desc.preset = (padic_rnn_preset)preset;
        desc.scale = 1.5;
        desc.frequency = 0.75;
        desc.centre[1] = 2;
        desc.drift[0] = preset == PADIC_RNN_PRESET_SPIRAL ? 0 : 0.25;
        if (preset == PADIC_RNN_PRESET_CUSTOM) {
            for (int i = 0; i < 15; i++) a[i / 5][i % 5] = uniform(), b[i / 5][i % 5] = uniform();
            desc.cosines = padic_tensor_2d(PADIC_F64, a, 3, 5);
            desc.sines = padic_tensor_2d(PADIC_F64, b, 3, 5);
        }
        for (int i = 0; i < 20; i++) {
            const double t = 10 * uniform(), d = 1e-5, shift = uniform();
            padic_rnn_path_desc moved = desc;
            path_at(desc, t + d, q, w);
            path_at(desc, t - d, p, v);
            for (int k = 0; k < 3; k++) w[k] = (q[k] - p[k]) / (2 * d);
            path_at(desc, t, p, v);
            for (int k = 0; k < 3; k++) CHECK_NEAR(v[k], w[k], 1e-6);
            moved.phase = shift; // th = w t + phase is that of t + phase / w
            path_at(moved, t, q, w);
            path_at(desc, t + shift / 0.75, p, v);
            for (int k = 0; k < 3; k++) {
                const double drift = preset == PADIC_RNN_PRESET_SPIRAL ? k == 2 : desc.drift[k];
                CHECK_NEAR(q[k], p[k] - drift * shift / 0.75, 1e-12);
                CHECK_NEAR(w[k], v[k], 1e-12);
            }
            path_at(desc, t + 2 * pi / 0.75, q, w); // closed, but for the drift
            path_at(desc, t, p, v);
            for (int k = 0; k < 3; k++) {
                const double drift = preset == PADIC_RNN_PRESET_SPIRAL ? k == 2 : desc.drift[k];
                CHECK_NEAR(q[k], p[k] + drift * 2 * pi / 0.75, 1e-12);
            }
        }
    }
    memset(&desc, 0, sizeof desc);
    path_at(desc, 0.3, p, v); // the circle
    CHECK_NEAR(p[0], cos(0.3), 1e-15);
    CHECK_NEAR(p[1], sin(0.3), 1e-15);
    desc.preset = PADIC_RNN_PRESET_HEART;
    path_at(desc, pi, p, v);
    CHECK_NEAR(p[1], (-13 - 5 + 2 - 1) / 17.0, 1e-12);
    desc.preset = PADIC_RNN_PRESET_STAR5;
    for (int i = 0; i < 5; i++) { // its tips
        path_at(desc, 2 * pi * i / 5, p, v);
        CHECK_NEAR(v[0], 0, 1e-12);
        CHECK_NEAR(v[1], 0, 1e-12);
        path_at(desc, 2 * pi * (i + 0.5) / 5, p, v);
        CHECK(v[0] * v[0] + v[1] * v[1] > 0.1);
    }
    desc.preset = PADIC_RNN_PRESET_TREFOIL; // does not meet itself; with an even z it does
    desc.step = 2 * pi / 400;
    desc.position = padic_tensor_2d(PADIC_F64, points, 400, 3);
    CHECK(padic_rnn_path(NULL, &desc) == PADIC_OK);
    for (int i = 0; i < 400; i++)
        for (int k = i + 20; k < i + 380 && k < 400; k++) {
            double flat = 0, z = points[i][2] - points[k][2];
            const double even = (cos(3 * desc.step * i) - cos(3 * desc.step * k)) / 3;
            for (int d = 0; d < 2; d++)
                flat += (points[i][d] - points[k][d]) * (points[i][d] - points[k][d]);
            if (sqrt(flat + z * z) < nearest) nearest = sqrt(flat + z * z);
            if (sqrt(flat + even * even) < mirrored) mirrored = sqrt(flat + even * even);
        }
    CHECK(nearest > 0.4);
    CHECK(mirrored < 0.05);
}

// ----------------------------------------------------------------------------------------- hostile

static float h_x[8], h_h[8], h_out[64], h_w[64], h_small[64], h_big[80];
static uint32_t h_lengths[2];

static padic_rnn_layer hostile_layer(int kind, uint64_t in, uint64_t h)
{
    const uint64_t rows = kind == PADIC_RNN_KIND_GRU ? 3 : kind == PADIC_RNN_KIND_LSTM ? 4 : 1;
    padic_rnn_layer layer = PADIC_ZERO;
    layer.kind = (padic_rnn_kind)kind;
    layer.weights.input = padic_tensor_2d(PADIC_F32, h_w, rows * h, in);
    if (kind != PADIC_RNN_KIND_LINEAR)
        layer.weights.recurrent = padic_tensor_2d(PADIC_F32, h_w, rows * h, h);
    return layer;
}

static padic_result create(const padic_rnn_plan_desc *desc)
{
    padic_rnn_plan *plan = (padic_rnn_plan *)h_w;
    const padic_result result = padic_rnn_plan_create(NULL, desc, &plan);
    CHECK((result == PADIC_OK) == (plan != NULL));
    if (result) CHECK(padic_rnn_plan_size_bound(NULL, desc) == 0);
    padic_rnn_plan_destroy(plan);
    return result;
}

TEST(hostile_plans)
{
    padic_rnn_layer layers[17];
    padic_rnn_plan_desc desc = PADIC_ZERO;
    padic_rnn_plan_report report;
    memset(layers, 0, sizeof layers);
    CHECK(create(NULL) == PADIC_ERROR_ARGUMENT);
    CHECK(create(&desc) == PADIC_ERROR_ARGUMENT);
    CHECK(padic_rnn_plan_create(NULL, &desc, NULL) == PADIC_ERROR_ARGUMENT);
    CHECK(padic_rnn_plan_info(NULL, &report) == PADIC_ERROR_ARGUMENT);
    padic_rnn_plan_destroy(NULL);
    for (int i = 0; i < 17; i++) layers[i] = hostile_layer(PADIC_RNN_KIND_GRU, 2, 2);
    desc.layers = layers;
    desc.layer_count = 17;
    CHECK(create(&desc) == PADIC_ERROR_LIMIT);
    desc.layer_count = 16;
    CHECK(create(&desc) == PADIC_OK);
    layers[7] = hostile_layer(PADIC_RNN_KIND_GRU, 3, 2);
    CHECK(create(&desc) == PADIC_ERROR_MISMATCH);
    desc.layer_count = 1;
    desc.dtype = PADIC_F64; // F32 biases and weights: weights may be, biases not
    CHECK(create(&desc) == PADIC_OK);
    layers[0].weights.bias = padic_tensor_1d(PADIC_F32, h_w, 6);
    CHECK(create(&desc) == PADIC_ERROR_DTYPE);
    desc.dtype = PADIC_F16;
    CHECK(create(&desc) == PADIC_ERROR_DTYPE);
    desc.dtype = PADIC_F32;
    CHECK(create(&desc) == PADIC_OK);
    layers[0].weights.bias.shape[0] = 5;
    CHECK(create(&desc) == PADIC_ERROR_MISMATCH);
    layers[0] = hostile_layer(PADIC_RNN_KIND_GRU, 2, 0);
    CHECK(create(&desc) == PADIC_ERROR_ARGUMENT);
    layers[0] = hostile_layer(PADIC_RNN_KIND_GRU, 0, 2);
    CHECK(create(&desc) == PADIC_ERROR_ARGUMENT);
    layers[0] = hostile_layer(PADIC_RNN_KIND_LSTM, 2, 2);
    layers[0].kind = PADIC_RNN_KIND_GRU;
    CHECK(create(&desc) == PADIC_ERROR_MISMATCH);
    layers[0].kind = (padic_rnn_kind)3;
    CHECK(create(&desc) == PADIC_ERROR_ARGUMENT);
    layers[0] = hostile_layer(PADIC_RNN_KIND_GRU, 2, 2);
    layers[0].weights.input.dtype = PADIC_I8;
    CHECK(create(&desc) == PADIC_ERROR_ARGUMENT); // no factors
    layers[0].weights.input_scale = padic_tensor_1d(PADIC_F32, h_w, 6);
    CHECK(create(&desc) == PADIC_OK);
    layers[0].weights.input.dtype = PADIC_F64;
    CHECK(create(&desc) == PADIC_ERROR_DTYPE);
    layers[0] = hostile_layer(PADIC_RNN_KIND_GRU, 2, 2);
    layers[0].weights.input_scale = padic_tensor_1d(PADIC_F32, h_w, 6);
    CHECK(create(&desc) == PADIC_ERROR_ARGUMENT);
    layers[0] = hostile_layer(PADIC_RNN_KIND_GRU, 2, 2);
    layers[0].weights.recurrent.buffer.id = 77;
    layers[0].weights.recurrent.data = NULL;
    CHECK(create(&desc) == PADIC_ERROR_ARGUMENT);
    layers[0] = hostile_layer(PADIC_RNN_KIND_LINEAR, 2, 2);
    layers[0].weights.recurrent = layers[0].weights.input;
    CHECK(create(&desc) == PADIC_ERROR_ARGUMENT);
    layers[0] = hostile_layer(PADIC_RNN_KIND_LINEAR, 2, 2);
    layers[0].gain = NAN;
    CHECK(create(&desc) == PADIC_ERROR_ARGUMENT);
    layers[0].gain = 1;
    layers[0].activation = (padic_rnn_activation)4;
    CHECK(create(&desc) == PADIC_ERROR_ARGUMENT);
    layers[0] = hostile_layer(PADIC_RNN_KIND_GRU, 2, 2);
    desc.flags = PADIC_RNN_BIDIRECTIONAL;
    CHECK(create(&desc) == PADIC_ERROR_ARGUMENT); // steps
    desc.steps = 4;
    CHECK(create(&desc) == PADIC_ERROR_ARGUMENT); // backward
    layers[0].backward = layers[0].weights;
    CHECK(create(&desc) == PADIC_OK);
    desc.steps = UINT64_MAX;
    CHECK(create(&desc) == PADIC_ERROR_LIMIT);
    desc.flags |= PADIC_RNN_REVERSE;
    CHECK(create(&desc) == PADIC_ERROR_ARGUMENT);
    desc.flags = PADIC_RNN_CHECK_FINITE;
    CHECK(create(&desc) == PADIC_ERROR_ARGUMENT);
    desc.flags = PADIC_RNN_REVERSE;
    CHECK(create(&desc) == PADIC_OK);
    desc.feedback = PADIC_RNN_FEEDBACK_ADD;
    CHECK(create(&desc) == PADIC_ERROR_ARGUMENT);
    desc.flags = 0;
    CHECK(create(&desc) == PADIC_OK);
    desc.feedback_first = 1;
    CHECK(create(&desc) == PADIC_ERROR_MISMATCH);
    desc.feedback_first = 0;
    desc.clip_radius = -1;
    CHECK(create(&desc) == PADIC_ERROR_ARGUMENT);
    desc.clip_radius = NAN;
    CHECK(create(&desc) == PADIC_ERROR_ARGUMENT);
    desc.clip_radius = 0;
    desc.feedback = (padic_rnn_feedback)3;
    CHECK(create(&desc) == PADIC_ERROR_ARGUMENT);
    desc.feedback = PADIC_RNN_FEEDBACK_NONE;
    desc.batch = 65;
    CHECK(create(&desc) == PADIC_ERROR_ARGUMENT);
}

// Memory of the caller's, and all the failures of an allocator.
TEST(memory)
{
    padic_rnn_layer layer = hostile_layer(PADIC_RNN_KIND_GRU, 2, 2);
    padic_rnn_plan_desc desc = PADIC_ZERO;
    padic_rnn_gru_step_desc step = PADIC_ZERO;
    padic_rnn_run_desc run = PADIC_ZERO;
    failing f = {1 << 30, 0};
    padic_context_desc context_desc = PADIC_ZERO;
    padic_context *context = NULL;
    void *room = NULL;
    uint64_t bytes;
    long before;
    context_desc.allocator.user = &f;
    context_desc.allocator.alloc = failing_alloc;
    context_desc.allocator.free = failing_free;
    REQUIRE(padic_context_create(&context_desc, &context) == PADIC_OK);
    before = f.live;
    desc.layers = &layer;
    desc.layer_count = 1;
    step.x = step.h = padic_tensor_2d(PADIC_F32, h_x, 1, 2);
    step.out = padic_tensor_2d(PADIC_F32, h_out, 1, 2);
    step.weights = layer.weights;
    for (int i = 0; i < 3; i++) {
        f.left = i;
        CHECK(padic_rnn_plan_create(context, &desc, &run.plan) ==
              (i < 2 ? PADIC_ERROR_MEMORY : PADIC_OK));
        if (i < 2) CHECK(run.plan == NULL && f.live == before);
    }
    f.left = 0;
    CHECK(padic_rnn_gru_step(context, &step) == PADIC_ERROR_MEMORY);
    bytes = padic_rnn_gru_step_workspace(context, &step);
    CHECK(bytes > 0);
    CHECK(!posix_memalign(&room, 64, bytes));
    step.workspace = padic_tensor_1d(PADIC_U8, room, bytes - 1);
    CHECK(padic_rnn_gru_step(context, &step) == PADIC_ERROR_CAPACITY);
    step.workspace = padic_tensor_1d(PADIC_U8, (char *)room + 1, bytes);
    CHECK(padic_rnn_gru_step(context, &step) == PADIC_ERROR_ALIGNMENT);
    step.workspace = padic_tensor_1d(PADIC_U8, room, bytes);
    CHECK(padic_rnn_gru_step(context, &step) == PADIC_OK);
    run.x = padic_tensor_3d(PADIC_F32, h_x, 2, 1, 2); // a run allocates nothing
    run.out = padic_tensor_3d(PADIC_F32, h_out, 2, 1, 2);
    CHECK(padic_rnn_run(context, &run) == PADIC_OK);
    padic_rnn_plan_destroy(run.plan);
    CHECK(f.live == before);
    free(room);
    f.left = 1 << 30;
    bytes = padic_rnn_plan_size_bound(context, &desc);
    CHECK(!posix_memalign(&room, 64, bytes));
    desc.workspace = padic_tensor_1d(PADIC_U8, room, bytes);
    CHECK(padic_rnn_plan_create(context, &desc, &run.plan) == PADIC_OK);
    CHECK(padic_rnn_run(context, &run) == PADIC_OK && f.live == before);
    padic_rnn_plan_destroy(run.plan);
    padic_context_destroy(context);
    free(room);
}

TEST(hostile_runs)
{
    padic_rnn_layer layer = hostile_layer(PADIC_RNN_KIND_GRU, 2, 2);
    padic_rnn_plan_desc desc = PADIC_ZERO;
    padic_rnn_run_desc run = PADIC_ZERO, good;
    padic_rnn_gru_step_desc step = PADIC_ZERO;
    padic_context *context = NULL;
    static float nan_x[8];
    CHECK(padic_rnn_run(NULL, NULL) == PADIC_ERROR_ARGUMENT);
    CHECK(padic_rnn_run(NULL, &run) != PADIC_OK);
    for (int i = 0; i < 64; i++) h_w[i] = 0.1f;
    desc.layers = &layer;
    desc.layer_count = 1;
    REQUIRE(padic_rnn_plan_create(NULL, &desc, &run.plan) == PADIC_OK);
    run.x = padic_tensor_3d(PADIC_F32, h_x, 2, 2, 2);
    run.out = padic_tensor_3d(PADIC_F32, h_out, 2, 2, 2);
    run.lengths = padic_tensor_1d(PADIC_U32, h_lengths, 2);
    good = run;
    h_lengths[0] = 2, h_lengths[1] = 3;
    h_out[0] = 7;
    CHECK(padic_rnn_run(NULL, &run) == PADIC_ERROR_ARGUMENT && h_out[0] == 7);
    h_lengths[1] = 1;
    CHECK(padic_rnn_run(NULL, &run) == PADIC_OK && h_out[0] != 7 && h_out[6] == 0);
    REQUIRE(padic_context_create(NULL, &context) == PADIC_OK);
    CHECK(padic_rnn_run(context, &run) == PADIC_ERROR_ARGUMENT); // another context's plan
    padic_context_destroy(context);
    run.flags = 128;
    CHECK(padic_rnn_run(NULL, &run) == PADIC_ERROR_ARGUMENT);
    run = good;
    run.x.shape[2] = 1;
    CHECK(padic_rnn_run(NULL, &run) == PADIC_ERROR_MISMATCH);
    run = good;
    run.x.dtype = PADIC_F16;
    CHECK(padic_rnn_run(NULL, &run) == PADIC_ERROR_DTYPE);
    run = good;
    run.out.shape[0] = 1;
    CHECK(padic_rnn_run(NULL, &run) == PADIC_ERROR_MISMATCH);
    run = good;
    run.out.data = h_x;
    CHECK(padic_rnn_run(NULL, &run) == PADIC_ERROR_OVERLAP);
    run = good;
    run.lengths.shape[0] = 1;
    CHECK(padic_rnn_run(NULL, &run) == PADIC_ERROR_MISMATCH);
    run = good;
    run.h0 = padic_tensor_3d(PADIC_F32, h_h, 2, 2, 2);
    CHECK(padic_rnn_run(NULL, &run) == PADIC_ERROR_MISMATCH);
    run = good;
    run.columns = run.out;
    run.columns.data = h_small;
    CHECK(padic_rnn_run(NULL, &run) == PADIC_ERROR_ARGUMENT);
    run = good; // NaN stays in its row; in a step beyond a length it is not seen
    memset(nan_x, 0, sizeof nan_x);
    nan_x[0] = NAN, nan_x[6] = NAN;
    run.x.data = nan_x;
    CHECK(padic_rnn_run(NULL, &run) == PADIC_OK);
    CHECK(h_out[0] != h_out[0] && h_out[4] != h_out[4]);
    CHECK(h_out[2] == h_out[2] && h_out[6] == 0);
    run.flags = PADIC_RNN_CHECK_FINITE;
    h_out[0] = 7;
    CHECK(padic_rnn_run(NULL, &run) == PADIC_ERROR_DOMAIN && h_out[0] == 7);
    nan_x[0] = 0;
    CHECK(padic_rnn_run(NULL, &run) == PADIC_OK);
    run = good; // nothing to do
    h_out[0] = 7;
    run.x = padic_tensor_3d(PADIC_F32, h_x, 0, 2, 2);
    run.out.shape[0] = 0;
    h_lengths[0] = h_lengths[1] = 0;
    CHECK(padic_rnn_run(NULL, &run) == PADIC_OK && h_out[0] == 7);
    run.x = run.out = padic_tensor_3d(PADIC_F32, h_x, 2, 0, 2);
    run.out.data = h_out;
    run.lengths.shape[0] = 0;
    CHECK(padic_rnn_run(NULL, &run) == PADIC_OK && h_out[0] == 7);
    padic_rnn_plan_destroy(run.plan);
    step.x = step.h = padic_tensor_2d(PADIC_F32, h_x, 0, 2);
    step.out = padic_tensor_2d(PADIC_F32, h_out, 0, 2);
    step.weights = layer.weights;
    CHECK(padic_rnn_gru_step(NULL, &step) == PADIC_OK && h_out[0] == 7);
    step.x = step.h = padic_tensor_2d(PADIC_F32, h_x, 1, 2);
    step.out = padic_tensor_2d(PADIC_F32, h_out, 1, 1);
    CHECK(padic_rnn_gru_step(NULL, &step) == PADIC_ERROR_MISMATCH);
    step.out = padic_tensor_2d(PADIC_F32, h_out, 1, 2);
    step.reset = (padic_rnn_reset)2;
    CHECK(padic_rnn_gru_step(NULL, &step) == PADIC_ERROR_ARGUMENT);
    step.reset = PADIC_RNN_RESET_AFTER;
    step.flags = 1;
    CHECK(padic_rnn_gru_step(NULL, &step) == PADIC_ERROR_ARGUMENT);
    step.flags = 0;
    step.weights.input.stride[0] = 1;
    step.weights.input.stride[1] = 6;
    CHECK(padic_rnn_gru_step(NULL, &step) == PADIC_ERROR_ARGUMENT);
}

// Every operand in a buffer of a device without kernels: moved, computed, moved back.
TEST(buffers)
{
    static float x[6], h[10], out[10], y[10];
    padic_context_desc context_desc = PADIC_ZERO;
    padic_context *context = NULL;
    padic_buffer_desc buffer_desc = PADIC_ZERO;
    padic_buffer buffer;
    padic_rnn_gru_step_desc step = PADIC_ZERO;
    padic_rnn_run_desc run = PADIC_ZERO;
    padic_rnn_plan_desc desc = PADIC_ZERO;
    padic_rnn_layer layer = hostile_layer(PADIC_RNN_KIND_GRU, 3, 5);
    for (int i = 0; i < 6; i++) x[i] = (float)uniform();
    for (int i = 0; i < 10; i++) h[i] = (float)uniform();
    for (int i = 0; i < 64; i++) h_w[i] = (float)uniform();
    context_desc.backends[0] = padic_null();
    context_desc.backends[1] = padic_simd();
    REQUIRE(padic_context_create(&context_desc, &context) == PADIC_OK);
    buffer_desc.size = 1024;
    REQUIRE(padic_buffer_create(context, &buffer_desc, &buffer) == PADIC_OK);
    step.x = padic_tensor_2d(PADIC_F32, x, 2, 3);
    step.h = padic_tensor_2d(PADIC_F32, h, 2, 5);
    step.out = padic_tensor_2d(PADIC_F32, out, 2, 5);
    step.weights.input = padic_tensor_2d(PADIC_F32, h_w, 15, 3);
    step.weights.recurrent = padic_tensor_2d(PADIC_F32, h_big, 15, 5);
    for (int i = 0; i < 75; i++) h_big[i] = (float)uniform();
    CHECK(padic_rnn_gru_step(NULL, &step) == PADIC_OK);
    CHECK(padic_buffer_upload(context, buffer, 0, x, sizeof x) == PADIC_OK);
    CHECK(padic_buffer_upload(context, buffer, 64, h, sizeof h) == PADIC_OK);
    CHECK(padic_buffer_upload(context, buffer, 256, h_w, 180) == PADIC_OK);
    CHECK(padic_buffer_upload(context, buffer, 512, h_big, 300) == PADIC_OK);
    step.x = padic_tensor_in(padic_tensor_2d(PADIC_F32, NULL, 2, 3), buffer, 0);
    step.h = padic_tensor_in(padic_tensor_2d(PADIC_F32, NULL, 2, 5), buffer, 16);
    step.out = step.h; // in place
    step.weights.input = padic_tensor_in(padic_tensor_2d(PADIC_F32, NULL, 15, 3), buffer, 64);
    step.weights.recurrent = padic_tensor_in(padic_tensor_2d(PADIC_F32, NULL, 15, 5), buffer, 128);
    CHECK(padic_rnn_gru_step(context, &step) == PADIC_OK);
    CHECK(padic_buffer_download(context, buffer, 64, y, sizeof y) == PADIC_OK);
    for (int i = 0; i < 10; i++) CHECK_NEAR(y[i], out[i], 1e-6);
    layer.weights.input = padic_tensor_2d(PADIC_F32, h_w, 15, 3); // a run of one step
    layer.weights.recurrent = padic_tensor_2d(PADIC_F32, h_big, 15, 5);
    desc.layers = &layer;
    desc.layer_count = 1;
    REQUIRE(padic_rnn_plan_create(context, &desc, &run.plan) == PADIC_OK);
    CHECK(padic_buffer_upload(context, buffer, 64, h, sizeof h) == PADIC_OK);
    run.x = padic_tensor_in(padic_tensor_3d(PADIC_F32, NULL, 1, 2, 3), buffer, 0);
    run.h0 = padic_tensor_in(padic_tensor_3d(PADIC_F32, NULL, 1, 2, 5), buffer, 16);
    run.out_h = run.h0;
    run.out = padic_tensor_3d(PADIC_F32, y, 1, 2, 5);
    CHECK(padic_rnn_run(context, &run) == PADIC_OK);
    for (int i = 0; i < 10; i++) CHECK_NEAR(y[i], out[i], 1e-6);
    CHECK(padic_buffer_download(context, buffer, 64, y, sizeof y) == PADIC_OK);
    for (int i = 0; i < 10; i++) CHECK_NEAR(y[i], out[i], 1e-6);
    run.h0.offset = 10000;
    CHECK(padic_rnn_run(context, &run) == PADIC_ERROR_REGION);
    CHECK(padic_buffer_destroy(context, buffer) == PADIC_OK);
    CHECK(padic_rnn_gru_step(context, &step) == PADIC_ERROR_ARGUMENT); // stale
    padic_rnn_plan_destroy(run.plan);
    padic_context_destroy(context);
}

TEST_MAIN("test_rnn", CASE(onnx), CASE(legacy), CASE(lstm_values), CASE(parameters), CASE(steps),
          CASE(limits), CASE(functions), CASE(stacks), CASE(divided), CASE(feedback),
          CASE(conventions), CASE(conversions), CASE(small_floats), CASE(paths),
          CASE(hostile_plans), CASE(memory), CASE(hostile_runs), CASE(buffers))
