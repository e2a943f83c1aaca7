// test_rnn_outside.c: nets of random shape and kind against loops in long double that were written
// from the formulas of the header alone, in every layout of memory, with and without vectors, and
// what must hold bit by bit: rows apart, sequences cut, threads, hints, places in memory.
#define PADIC_IMPLEMENTATION
#include "../../padic.h"
#include "../../backends/padic_simd.h"
#include "../../backends/padic_threads.h"
#include "../support/padic_test.h"
#include "../support/contexts.h"

#include <math.h>

typedef long double real;

static uint64_t below(uint64_t n)
{
    return test_random() % n;
}

static double uniform(double most) // in [-most, most)
{
    return ((double)(test_random() >> 11) / 4503599627370496.0 - 1) * most;
}

static void *fresh(size_t size) // exactly so many bytes, so that a sanitizer sees one too many
{
    void *p = malloc(size ? size : 1);
    if (!p) exit(1);
    memset(p, 0xa5, size ? size : 1);
    return p;
}

// ------------------------------------------------------------------------------------- a view

// A tensor of any strides in a block of its own. What no element covers stays 0xa5.
typedef struct spread {
    padic_tensor tensor;
    unsigned char *block;
    size_t size;
} spread;

static size_t spread_at(const padic_tensor *t, uint64_t n)
{
    uint64_t at = 0;
    for (uint32_t a = t->rank; a-- > 0;) {
        at += (uint64_t)(n % t->shape[a]) * (uint64_t)t->stride[a];
        n /= t->shape[a];
    }
    return (size_t)at * padic_dtype_size(t->dtype);
}

static spread spread_new(padic_dtype dtype, uint32_t rank, const uint64_t *shape, int loose)
{
    spread s;
    uint64_t step = 1 + (loose ? below(2) : 0), order[3] = {0, 1, 2}, all = 1;
    memset(&s, 0, sizeof s);
    s.tensor.dtype = dtype;
    s.tensor.rank = rank;
    for (uint32_t a = rank; loose && a > 1; a--) {
        const uint64_t b = below(a), kept = order[a - 1];
        order[a - 1] = order[b];
        order[b] = kept;
    }
    for (uint32_t a = rank; a-- > 0;) {
        const uint64_t axis = order[a];
        s.tensor.shape[axis] = shape[axis];
        s.tensor.stride[axis] = (int64_t)step;
        step *= shape[axis] + (loose ? below(3) : 0);
        if (!step) step = 1;
    }
    for (uint32_t a = 0; a < rank; a++) {
        if (!shape[a]) all = 0;
        else if (all) all += (shape[a] - 1) * (uint64_t)s.tensor.stride[a];
    }
    s.size = (size_t)all * padic_dtype_size(dtype);
    s.block = (unsigned char *)fresh(s.size);
    s.tensor.data = s.block;
    return s;
}

static double spread_get(const spread *s, uint64_t n)
{
    const unsigned char *p = s->block + spread_at(&s->tensor, n);
    double d;
    float f;
    if (s->tensor.dtype == PADIC_F64) return memcpy(&d, p, sizeof d), d;
    return memcpy(&f, p, sizeof f), (double)f;
}

static void spread_put(spread *s, uint64_t n, double d)
{
    const float f = (float)d;
    unsigned char *p = s->block + spread_at(&s->tensor, n);
    if (s->tensor.dtype == PADIC_F64) memcpy(p, &d, sizeof d);
    else memcpy(p, &f, sizeof f);
}

static uint64_t spread_count(const spread *s)
{
    uint64_t n = 1;
    for (uint32_t a = 0; a < s->tensor.rank; a++) n *= s->tensor.shape[a];
    return n;
}

static int spread_gaps(const spread *s) // is all that no element covers untouched?
{
    unsigned char *copy = (unsigned char *)fresh(s->size);
    const size_t size = padic_dtype_size(s->tensor.dtype);
    int good = 1;
    memcpy(copy, s->block, s->size);
    for (uint64_t n = spread_count(s); n-- > 0;)
        memset(copy + spread_at(&s->tensor, n), 0xa5, size);
    for (size_t i = 0; i < s->size; i++) good &= copy[i] == 0xa5;
    free(copy);
    return good;
}

// ------------------------------------------------------------------------------------ weights

typedef struct matrix {
    padic_tensor tensor, scale;
    double *value; // rows x columns, what they stand for
    uint64_t rows, columns;
} matrix;

static double half_value(uint32_t bits)
{
    const int exponent = (int)(bits >> 10 & 31);
    const double m = bits & 1023, sign = bits & 0x8000 ? -1 : 1;
    return sign * (exponent ? ldexp(1 + m / 1024, exponent - 15) : ldexp(m / 1024, -14));
}

static matrix matrix_new(padic_dtype dtype, uint64_t rows, uint64_t columns, double most)
{
    matrix m;
    const uint64_t longer = columns + below(2) * below(4), size = padic_dtype_size(dtype);
    unsigned char *p = (unsigned char *)fresh((size_t)(((rows - 1) * longer + columns) * size));
    float *scale = NULL;
    memset(&m, 0, sizeof m);
    m.tensor = padic_tensor_2d(dtype, p, rows, columns);
    m.tensor.stride[0] = (int64_t)longer;
    m.tensor.stride[1] = 1;
    m.rows = rows;
    m.columns = columns;
    m.value = (double *)fresh((size_t)(rows * columns * sizeof(double)));
    if (dtype == PADIC_I8) {
        scale = (float *)fresh((size_t)rows * sizeof *scale);
        m.scale = padic_tensor_1d(PADIC_F32, scale, rows);
    }
    for (uint64_t r = 0; r < rows; r++) {
        if (scale) scale[r] = (float)(most / 128 * (1 + uniform(0.5)));
        for (uint64_t c = 0; c < columns; c++) {
            unsigned char *to = p + (r * longer + c) * size;
            const double d = uniform(most);
            float f = (float)d;
            uint32_t bits;
            uint16_t half;
            double value = d;
            if (dtype == PADIC_F64) {
                memcpy(to, &d, sizeof d);
            } else if (dtype == PADIC_F32) {
                memcpy(to, &f, sizeof f);
                value = (double)f;
            } else if (dtype == PADIC_BF16) {
                memcpy(&bits, &f, sizeof bits);
                half = (uint16_t)(bits >> 16);
                memcpy(to, &half, sizeof half);
                bits &= 0xffff0000u;
                memcpy(&f, &bits, sizeof f);
                value = (double)f;
            } else if (dtype == PADIC_F16) { // subnormal ones, too
                half = (uint16_t)(test_random() & 0x83ff);
                half = (uint16_t)(half | (below(14) << 10));
                value = half_value(half);
                memcpy(to, &half, sizeof half);
            } else {
                const int8_t i8 = (int8_t)(int)(below(256) - 128);
                memcpy(to, &i8, 1);
                value = (double)scale[r] * i8;
            }
            m.value[r * columns + c] = value;
        }
    }
    return m;
}

static void matrix_free(matrix *m)
{
    free(m->tensor.data);
    free(m->scale.data);
    free(m->value);
}

typedef struct side { // the weights of one direction
    matrix w, u, b, c;
} side;

static side side_new(padic_dtype dtype, uint64_t rows, uint64_t inputs, uint64_t units, int linear)
{
    static const padic_dtype most[] = {PADIC_F32, PADIC_F16, PADIC_BF16, PADIC_I8, PADIC_F32};
    side s;
    const padic_dtype wide = dtype == PADIC_F64 && below(2) ? PADIC_F64 : PADIC_DTYPE_NONE;
    memset(&s, 0, sizeof s);
    s.w = matrix_new(wide ? wide : most[below(5)], rows, inputs, 1.5 / sqrt((double)inputs));
    if (!linear) s.u = matrix_new(wide ? wide : most[below(5)], rows, units,
                                  1.5 / sqrt((double)units));
    if (below(4)) s.b = matrix_new(dtype, 1, rows, 0.6);
    if (!linear && below(4)) s.c = matrix_new(dtype, 1, rows, 0.6);
    return s;
}

static padic_tensor side_vector(const matrix *m)
{
    padic_tensor t = m->tensor;
    return m->rows ? padic_tensor_1d(t.dtype, t.data, m->columns) : t;
}

static padic_rnn_weights side_weights(const side *s)
{
    padic_rnn_weights w = PADIC_ZERO;
    w.input = s->w.tensor;
    w.recurrent = s->u.tensor;
    w.bias = side_vector(&s->b);
    w.recurrent_bias = side_vector(&s->c);
    w.input_scale = s->w.scale;
    w.recurrent_scale = s->u.scale;
    return w;
}

static void side_free(side *s)
{
    matrix_free(&s->w);
    matrix_free(&s->u);
    matrix_free(&s->b);
    matrix_free(&s->c);
}

// ------------------------------------------------------------------------- a net, and its oracle

typedef struct layer {
    padic_rnn_layer own;
    uint64_t inputs, units; // units: outputs of LINEAR
    side way[2];
} layer;

typedef struct net {
    uint32_t count, flags, ways;
    padic_dtype dtype;
    layer layers[PADIC_RNN_LAYERS];
    padic_rnn_layer owned[PADIC_RNN_LAYERS];
    padic_rnn_plan_desc desc;
    uint64_t inputs, outputs, states, state;
    int lstm;
} net;

static real sigmoid(real a)
{
    return 1 / (1 + expl(-a));
}

static real rounded(padic_dtype dtype, real a)
{
    return dtype == PADIC_F64 ? (real)(double)a : (real)(float)a;
}

static real row_sum(const matrix *m, uint64_t row, const real *x)
{
    real sum = 0;
    for (uint64_t i = 0; i < m->columns; i++) sum += (real)m->value[row * m->columns + i] * x[i];
    return sum;
}

static real entry(const matrix *m, uint64_t i)
{
    return m->rows ? (real)m->value[i] : 0;
}

#define OF(gate) ((uint64_t)(gate)*n + j)

static void oracle_gru(const layer *l, const side *s, const real *x, real *h, padic_dtype dtype)
{
    const uint64_t n = l->units;
    real r[64], z[64], next[64], reset[64];
    for (uint64_t j = 0; j < n; j++) {
        r[j] = sigmoid(row_sum(&s->w, OF(0), x) + entry(&s->b, OF(0)) + row_sum(&s->u, OF(0), h) +
                       entry(&s->c, OF(0)));
        z[j] = sigmoid(row_sum(&s->w, OF(1), x) + entry(&s->b, OF(1)) + row_sum(&s->u, OF(1), h) +
                       entry(&s->c, OF(1)));
        reset[j] = r[j] * h[j];
    }
    for (uint64_t j = 0; j < n; j++) {
        real a = row_sum(&s->w, OF(2), x) + entry(&s->b, OF(2));
        if (l->own.reset == PADIC_RNN_RESET_AFTER)
            a += r[j] * (row_sum(&s->u, OF(2), h) + entry(&s->c, OF(2)));
        else
            a += entry(&s->c, OF(2)) + row_sum(&s->u, OF(2), reset);
        a = tanhl(a);
        next[j] = l->own.update == PADIC_RNN_UPDATE_KEEP ? (1 - z[j]) * a + z[j] * h[j]
                                                         : (1 - z[j]) * h[j] + z[j] * a;
    }
    for (uint64_t j = 0; j < n; j++) h[j] = rounded(dtype, next[j]);
}

static void oracle_lstm(const layer *l, const side *s, const real *x, real *h, real *c,
                        padic_dtype dtype)
{
    const uint64_t n = l->units;
    real next[64];
    for (uint64_t j = 0; j < n; j++) {
        real a[4];
        for (int g = 0; g < 4; g++)
            a[g] = row_sum(&s->w, OF(g), x) + entry(&s->b, OF(g)) + row_sum(&s->u, OF(g), h) +
                   entry(&s->c, OF(g));
        const real cell = sigmoid(a[1] + (real)l->own.forget_bias) * c[j] +
                          sigmoid(a[0]) * tanhl(a[2]);
        next[j] = rounded(dtype, sigmoid(a[3]) * tanhl(cell));
        c[j] = rounded(dtype, cell);
    }
    memcpy(h, next, (size_t)n * sizeof *h);
}

static real activated(padic_rnn_activation activation, real a)
{
    switch (activation) {
    case PADIC_RNN_ACTIVATION_TANH: return tanhl(a);
    case PADIC_RNN_ACTIVATION_SIGMOID: return sigmoid(a);
    case PADIC_RNN_ACTIVATION_RELU: return a > 0 ? a : 0;
    default: return a;
    }
}

static void oracle_linear(const layer *l, const real *x, real *y, padic_dtype dtype)
{
    for (uint64_t o = 0; o < l->units; o++) {
        const real a = row_sum(&l->way[0].w, o, x) + entry(&l->way[0].b, o);
        const real gain = l->own.gain != 0 ? (real)l->own.gain : 1;
        y[o] = rounded(dtype, gain * activated(l->own.activation, a));
    }
}

// One row through the layers from `values` (T x inputs), in place: T x outputs. h, c: state slices.
#define WIDE 128
static uint32_t oracle_layer(const net *n, const layer *l, uint64_t steps, real (*values)[WIDE],
                             real (*h)[64], real (*c)[64])
{
    static real out[16][WIDE];
    const int linear = l->own.kind == PADIC_RNN_KIND_LINEAR;
    const uint32_t ways = linear ? 1 : n->ways;
    memset(out, 0, sizeof out);
    for (uint32_t way = 0; way < ways; way++)
        for (uint64_t i = 0; i < steps; i++) {
            const int back = way || n->flags & PADIC_RNN_REVERSE;
            const uint64_t t = back ? steps - 1 - i : i;
            real *to = out[t] + way * l->units;
            if (linear) oracle_linear(l, values[t], to, n->dtype);
            else if (l->own.kind == PADIC_RNN_KIND_GRU)
                oracle_gru(l, &l->way[way], values[t], h[way], n->dtype);
            else oracle_lstm(l, &l->way[way], values[t], h[way], c[way], n->dtype);
            if (!linear) memcpy(to, h[way], (size_t)l->units * sizeof *to);
        }
    memcpy(values, out, (size_t)steps * sizeof *out);
    return linear ? 0 : ways;
}

static void oracle_row(const net *n, uint64_t steps, real (*values)[WIDE], real (*h)[64],
                       real (*c)[64])
{
    uint32_t slice = 0;
    for (uint32_t i = 0; i < n->count; i++)
        slice += oracle_layer(n, &n->layers[i], steps, values, h + slice, c + slice);
}

static net *net_new(padic_dtype dtype, int feedback)
{
    static const uint32_t flags[] = {0, PADIC_RNN_REVERSE, PADIC_RNN_BIDIRECTIONAL};
    net *n = (net *)calloc(1, sizeof *n);
    if (!n) exit(1);
    n->count = (uint32_t)(below(12) ? 1 + below(4) : PADIC_RNN_LAYERS);
    n->dtype = dtype;
    n->flags = feedback ? 0 : flags[below(3)];
    n->ways = n->flags & PADIC_RNN_BIDIRECTIONAL ? 2 : 1;
    n->inputs = n->outputs = 1 + below(below(4) ? 9 : 40);
    for (uint32_t i = 0; i < n->count; i++) {
        layer *l = &n->layers[i];
        const int linear = !below(4);
        l->inputs = n->outputs;
        l->units = 1 + below(below(4) ? 9 : 37);
        if (n->count == PADIC_RNN_LAYERS) l->units = 1 + below(7);
        if (feedback && i + 1 == n->count) l->units = 1 + below(n->inputs);
        l->own.kind = linear ? PADIC_RNN_KIND_LINEAR
                             : below(2) ? PADIC_RNN_KIND_GRU : PADIC_RNN_KIND_LSTM;
        if (l->own.kind == PADIC_RNN_KIND_GRU) {
            l->own.reset = below(2) ? PADIC_RNN_RESET_BEFORE : PADIC_RNN_RESET_AFTER;
            l->own.update = below(2) ? PADIC_RNN_UPDATE_REPLACE : PADIC_RNN_UPDATE_KEEP;
        } else if (linear) {
            static const padic_rnn_activation all[] = {
                PADIC_RNN_ACTIVATION_NONE, PADIC_RNN_ACTIVATION_TANH, PADIC_RNN_ACTIVATION_SIGMOID,
                PADIC_RNN_ACTIVATION_RELU};
            l->own.activation = all[below(4)];
            l->own.gain = below(2) ? uniform(1.5) : 0;
        } else {
            n->lstm = 1;
            l->own.forget_bias = below(2) ? uniform(2) : 0;
        }
        const uint64_t gates = linear ? 1 : l->own.kind == PADIC_RNN_KIND_GRU ? 3 : 4;
        for (uint32_t way = 0; way < (linear ? 1 : n->ways); way++)
            l->way[way] = side_new(dtype, gates * l->units, l->inputs, l->units, linear);
        l->own.weights = side_weights(&l->way[0]);
        if (!linear && n->ways == 2) l->own.backward = side_weights(&l->way[1]);
        n->outputs = l->units * (linear ? 1 : n->ways);
        if (!linear) n->states += n->ways;
        if (!linear && l->units > n->state) n->state = l->units;
        n->owned[i] = l->own;
    }
    n->desc.layers = n->owned;
    n->desc.layer_count = n->count;
    n->desc.dtype = dtype == PADIC_F64 ? PADIC_F64 : below(2) ? PADIC_F32 : PADIC_DTYPE_NONE;
    n->desc.flags = n->flags;
    n->desc.batch = below(2) ? below(65) : 0;
    return n;
}

static void net_free(net *n)
{
    for (uint32_t i = 0; i < 2 * n->count; i++) side_free(&n->layers[i / 2].way[i % 2]);
    free(n);
}

// --------------------------------------------------------------------------------- a run of a net

typedef struct sequence {
    uint64_t steps, rows;
    uint32_t batch_first;
    int loose, given; // given: initial states
    spread x, h0, c0, out, out_h, out_c, columns;
    uint32_t *lengths;
} sequence;

static uint64_t place(const sequence *s, uint64_t t, uint64_t b)
{
    return s->batch_first ? b * s->steps + t : t * s->rows + b;
}

static spread three(const net *n, uint64_t a, uint64_t b, uint64_t c, int loose)
{
    const uint64_t shape[3] = {a, b, c};
    return spread_new(n->dtype, 3, shape, loose);
}

static void outputs_new(const net *n, sequence *s)
{
    const uint64_t first = s->batch_first ? s->rows : s->steps;
    const uint64_t second = s->batch_first ? s->steps : s->rows;
    s->out = three(n, first, second, n->outputs, s->loose);
    s->columns = three(n, first, second, n->outputs, s->loose);
    s->out_h = three(n, n->states, s->rows, n->state, s->loose);
    s->out_c = three(n, n->states, s->rows, n->state, s->loose);
}

static void outputs_free(sequence *s)
{
    free(s->out.block), free(s->columns.block), free(s->out_h.block), free(s->out_c.block);
}

static sequence sequence_new(const net *n, uint64_t steps, uint64_t rows)
{
    sequence s;
    memset(&s, 0, sizeof s);
    s.steps = steps;
    s.rows = rows;
    s.batch_first = (uint32_t)below(2) ? PADIC_RNN_BATCH_FIRST : 0;
    s.loose = (int)below(2);
    s.given = (int)below(2);
    s.x = three(n, s.batch_first ? rows : steps, s.batch_first ? steps : rows, n->inputs, s.loose);
    s.h0 = three(n, n->states, rows, n->state, s.loose);
    s.c0 = three(n, n->states, rows, n->state, s.loose);
    for (uint64_t i = spread_count(&s.x); i-- > 0;) spread_put(&s.x, i, uniform(1.5));
    for (uint64_t i = spread_count(&s.h0); i-- > 0;) spread_put(&s.h0, i, uniform(1));
    for (uint64_t i = spread_count(&s.c0); i-- > 0;) spread_put(&s.c0, i, uniform(2));
    if (below(2)) {
        s.lengths = (uint32_t *)fresh((size_t)rows * sizeof *s.lengths);
        for (uint64_t b = 0; b < rows; b++) s.lengths[b] = (uint32_t)below(steps + 1);
    }
    outputs_new(n, &s);
    return s;
}

static void sequence_free(sequence *s)
{
    outputs_free(s);
    free(s->x.block), free(s->h0.block), free(s->c0.block), free(s->lengths);
}

static padic_result sequence_run(padic_context *context, const net *n, padic_rnn_plan *plan,
                                 const sequence *s)
{
    padic_rnn_run_desc run = PADIC_ZERO;
    run.plan = plan;
    run.x = s->x.tensor;
    if (s->given && n->states) run.h0 = s->h0.tensor;
    if (s->given && n->lstm) run.c0 = s->c0.tensor;
    if (s->lengths) run.lengths = padic_tensor_1d(PADIC_U32, s->lengths, s->rows);
    run.out = s->out.tensor;
    if (n->states) run.out_h = s->out_h.tensor;
    if (n->lstm) run.out_c = s->out_c.tensor;
    if (n->desc.feedback) run.columns = s->columns.tensor;
    run.flags = s->batch_first | (below(2) ? (uint32_t)PADIC_RNN_CHECK_FINITE : 0);
    return padic_rnn_run(context, &run);
}

// What one row must give.
typedef struct expected {
    real values[16][WIDE], h[2 * PADIC_RNN_LAYERS][64], c[2 * PADIC_RNN_LAYERS][64];
    real columns[16][WIDE];
} expected;

static void feedback_step(const net *n, real *column, const real *o)
{
    real length = 0;
    for (uint64_t i = 0; i < n->outputs; i++) {
        column[i] = o[i] + (n->desc.feedback == PADIC_RNN_FEEDBACK_ADD ? column[i] : 0);
        length += column[i] * column[i];
    }
    length = sqrtl(length);
    const real radius = (real)n->desc.clip_radius;
    if (n->desc.feedback == PADIC_RNN_FEEDBACK_ADD && radius > 0 && length > radius)
        for (uint64_t i = 0; i < n->outputs; i++) column[i] *= radius / length;
    for (uint64_t i = 0; i < n->outputs; i++) column[i] = rounded(n->dtype, column[i]);
}

static void expect(const net *n, const sequence *s, uint64_t b, expected *e)
{
    const uint64_t length = s->lengths ? s->lengths[b] : s->steps;
    memset(e, 0, sizeof *e);
    for (uint64_t k = 0; k < n->states; k++)
        for (uint64_t j = 0; s->given && j < n->state; j++) {
            e->h[k][j] = (real)spread_get(&s->h0, (k * s->rows + b) * n->state + j);
            e->c[k][j] = (real)spread_get(&s->c0, (k * s->rows + b) * n->state + j);
        }
    for (uint64_t t = 0; t < s->steps; t++)
        for (uint64_t i = 0; i < n->inputs; i++)
            e->values[t][i] = (real)spread_get(&s->x, place(s, t, b) * n->inputs + i);
    if (!n->desc.feedback) {
        oracle_row(n, length, e->values, e->h, e->c);
    } else {
        real column[WIDE], one[1][WIDE];
        memcpy(column, e->values[0] + n->desc.feedback_first, (size_t)n->outputs * sizeof(real));
        for (uint64_t t = 0; t < s->steps; t++) {
            if (t < length) {
                memcpy(one, e->values[t], sizeof one);
                memcpy(one[0] + n->desc.feedback_first, column, (size_t)n->outputs * sizeof(real));
                oracle_row(n, 1, one, e->h, e->c);
                memcpy(e->values[t], one, sizeof one);
                feedback_step(n, column, one[0]);
            }
            memcpy(e->columns[t], column, sizeof column);
        }
    }
    for (uint64_t t = length; t < s->steps; t++) memset(e->values[t], 0, sizeof e->values[t]);
}

static void close_to(const net *n, real want, double got)
{
    const double most = n->dtype == PADIC_F64 ? 1e-12 : 2e-5;
    CHECK_NEAR(got, (double)want, most * (1 + fabs((double)want)));
}

static void sequence_compare(const net *n, const sequence *s)
{
    static expected e;
    for (uint64_t b = 0; b < s->rows; b++) {
        expect(n, s, b, &e);
        for (uint64_t t = 0; t < s->steps; t++)
            for (uint64_t i = 0; i < n->outputs; i++) {
                const uint64_t at = place(s, t, b) * n->outputs + i;
                close_to(n, e.values[t][i], spread_get(&s->out, at));
                if (n->desc.feedback) close_to(n, e.columns[t][i], spread_get(&s->columns, at));
            }
        uint64_t slice = 0;
        for (uint32_t l = 0; l < n->count; l++) {
            const layer *own = &n->layers[l];
            if (own->own.kind == PADIC_RNN_KIND_LINEAR) continue;
            for (uint32_t way = 0; way < n->ways; way++, slice++)
                for (uint64_t j = 0; j < n->state; j++) {
                    const uint64_t at = (slice * s->rows + b) * n->state + j;
                    const int in = j < own->units, cell = own->own.kind == PADIC_RNN_KIND_LSTM;
                    close_to(n, in ? e.h[slice][j] : 0, spread_get(&s->out_h, at));
                    if (n->lstm) close_to(n, in && cell ? e.c[slice][j] : 0,
                                          spread_get(&s->out_c, at));
                }
        }
    }
    CHECK(spread_gaps(&s->out) && spread_gaps(&s->out_h) && spread_gaps(&s->out_c));
    CHECK(spread_gaps(&s->columns));
}

// The same numbers, wherever they lie?
static int same_numbers(const spread *a, const spread *b)
{
    const size_t size = padic_dtype_size(a->tensor.dtype);
    for (uint64_t i = spread_count(a); i-- > 0;)
        if (memcmp(a->block + spread_at(&a->tensor, i), b->block + spread_at(&b->tensor, i), size))
            return 0;
    return 1;
}

static int same_results(const net *n, const sequence *a, const sequence *b)
{
    return same_numbers(&a->out, &b->out) && (!n->states || same_numbers(&a->out_h, &b->out_h)) &&
           (!n->lstm || same_numbers(&a->out_c, &b->out_c)) &&
           (!n->desc.feedback || same_numbers(&a->columns, &b->columns));
}

static padic_rnn_plan *plan_of(padic_context *context, const padic_rnn_plan_desc *desc)
{
    padic_rnn_plan *plan;
    const padic_result result = padic_rnn_plan_create(context, desc, &plan);
    CHECK_EQ(result, PADIC_OK);
    if (result) printf(" (%s)", context ? padic_context_message(context) : "");
    return plan;
}

// A row alone, and a row among others; the first steps and then the others.
static void rows_apart(padic_context *context, const net *n, const sequence *whole)
{
    const uint64_t b = below(whole->rows);
    const size_t size = padic_dtype_size(n->dtype);
    padic_rnn_plan_desc desc = n->desc;
    sequence one = sequence_new(n, whole->steps, 1);
    free(one.lengths);
    one.lengths = NULL;
    one.given = whole->given;
    if (whole->lengths) {
        one.lengths = (uint32_t *)fresh(sizeof *one.lengths);
        one.lengths[0] = whole->lengths[b];
    }
    for (uint64_t t = 0; t < one.steps; t++)
        for (uint64_t i = 0; i < n->inputs; i++)
            spread_put(&one.x, t * n->inputs + i,
                       spread_get(&whole->x, place(whole, t, b) * n->inputs + i));
    for (uint64_t k = 0; k < n->states; k++)
        for (uint64_t j = 0; j < n->state; j++) {
            const uint64_t at = (k * whole->rows + b) * n->state + j;
            spread_put(&one.h0, k * n->state + j, spread_get(&whole->h0, at));
            spread_put(&one.c0, k * n->state + j, spread_get(&whole->c0, at));
        }
    desc.batch = below(65);
    padic_rnn_plan *plan = plan_of(context, &desc);
    CHECK_EQ(sequence_run(context, n, plan, &one), PADIC_OK);
    padic_rnn_plan_destroy(plan);
    for (uint64_t t = 0; t < one.steps; t++)
        for (uint64_t i = 0; i < n->outputs; i++)
            CHECK(!memcmp(one.out.block + spread_at(&one.out.tensor, t * n->outputs + i),
                          whole->out.block + spread_at(&whole->out.tensor,
                                                       place(whole, t, b) * n->outputs + i), size));
    for (uint64_t k = 0; k < n->states; k++)
        for (uint64_t j = 0; j < n->state; j++) {
            const uint64_t at = (k * whole->rows + b) * n->state + j;
            CHECK(!memcmp(one.out_h.block + spread_at(&one.out_h.tensor, k * n->state + j),
                          whole->out_h.block + spread_at(&whole->out_h.tensor, at), size));
        }
    sequence_free(&one);
}

// The first steps of a sequence as a run of its own, then the others, in place on the states.
static void cut(padic_context *context, const net *n, const sequence *whole, padic_rnn_plan *plan)
{
    const uint64_t first = 1 + below(whole->steps - 1), size = padic_dtype_size(n->dtype);
    sequence parts = *whole;
    parts.x.block = (unsigned char *)fresh(whole->x.size);
    memcpy(parts.x.block, whole->x.block, whole->x.size);
    parts.x.tensor.data = parts.x.block;
    outputs_new(n, &parts);
    if (whole->given)
        for (uint64_t i = spread_count(&parts.out_h); i-- > 0;) {
            spread_put(&parts.out_h, i, spread_get(&whole->h0, i));
            spread_put(&parts.out_c, i, spread_get(&whole->c0, i));
        }
    for (int part = 0; part < 2; part++) {
        padic_rnn_run_desc run = PADIC_ZERO;
        padic_tensor *views[3] = {&run.x, &run.out, &run.columns};
        const uint32_t axis = whole->batch_first ? 1 : 0;
        uint32_t lengths[80];
        run.plan = plan;
        for (uint64_t b = 0; part && n->desc.feedback && b < whole->rows; b++)
            for (uint64_t i = 0; i < n->outputs; i++)
                spread_put(&parts.x,
                           place(whole, first, b) * n->inputs + n->desc.feedback_first + i,
                           spread_get(&parts.columns, place(whole, first - 1, b) * n->outputs + i));
        run.x = parts.x.tensor;
        run.out = parts.out.tensor;
        if (n->desc.feedback) run.columns = parts.columns.tensor;
        if (n->states) run.out_h = parts.out_h.tensor;
        if (n->lstm) run.out_c = parts.out_c.tensor;
        if (part || whole->given) run.h0 = run.out_h, run.c0 = run.out_c;
        run.flags = whole->batch_first;
        for (int v = 0; v < 3; v++) {
            padic_tensor *t = views[v];
            const uint64_t from = part ? first : 0;
            if (!t->data) continue;
            t->data = (char *)t->data + from * (uint64_t)t->stride[axis] * size;
            t->shape[axis] = part ? whole->steps - first : first;
        }
        for (uint64_t b = 0; whole->lengths && b < whole->rows; b++) {
            const uint32_t all = whole->lengths[b], head = (uint32_t)first;
            lengths[b] = part ? (all > head ? all - head : 0) : all < head ? all : head;
        }
        if (whole->lengths) run.lengths = padic_tensor_1d(PADIC_U32, lengths, whole->rows);
        CHECK_EQ(padic_rnn_run(context, &run), PADIC_OK);
    }
    CHECK(same_results(n, &parts, whole));
    outputs_free(&parts);
    free(parts.x.block);
}

static void one_net(padic_dtype dtype, int feedback)
{
    net *n = net_new(dtype, feedback);
    if (feedback) {
        n->desc.feedback = below(2) ? PADIC_RNN_FEEDBACK_ADD : PADIC_RNN_FEEDBACK_REPLACE;
        n->desc.feedback_first = below(n->inputs - n->outputs + 1);
        n->desc.clip_radius = n->desc.feedback == PADIC_RNN_FEEDBACK_ADD && below(2) ? 0.7 : 0;
    }
    const uint64_t steps = 1 + below(7), rows = 1 + below(below(4) ? 5 : 70);
    sequence s = sequence_new(n, steps, rows), first = s;
    n->desc.steps = steps;
    for (uint32_t k = 0; k < context_count; k++) {
        padic_rnn_plan_desc desc = n->desc;
        void *memory = NULL;
        padic_rnn_plan_report report;
        if (k > 1) desc.batch = below(65);
        const uint64_t size = padic_rnn_plan_size_bound(contexts[k], &desc);
        CHECK(size > 0);
        if (below(2)) {
            memory = fresh((size_t)size + 128);
            char *at = (char *)memory + (64 - (uintptr_t)memory % 64) % 64;
            desc.workspace = padic_tensor_1d(PADIC_U8, at, size);
        }
        padic_rnn_plan *plan = plan_of(contexts[k], &desc);
        if (!plan) break;
        CHECK_EQ(padic_rnn_plan_info(plan, &report), PADIC_OK);
        CHECK(report.size <= size && report.input == n->inputs && report.output == n->outputs);
        CHECK(report.state_layers == n->states && report.state == n->state);
        if (k) outputs_new(n, &s);
        CHECK_EQ(sequence_run(contexts[k], n, plan, &s), PADIC_OK);
        if (k < 3) sequence_compare(n, &s);
        if (k + 1 == context_count) { // D1: workers and hints change nothing
            sequence alone = s;
            outputs_new(n, &alone);
            padic_rnn_plan *other = plan_of(contexts[1], &n->desc);
            CHECK_EQ(sequence_run(contexts[1], n, other, &alone), PADIC_OK);
            CHECK(same_results(n, &alone, &s));
            padic_rnn_plan_destroy(other);
            outputs_free(&alone);
        }
        rows_apart(contexts[k], n, &s);
        if (steps > 1 && !n->flags) cut(contexts[k], n, &s, plan);
        padic_rnn_plan_destroy(plan);
        if (memory) {
            const unsigned char *end = (unsigned char *)desc.workspace.data + size;
            for (int i = 0; i < 8; i++) CHECK(end[i] == 0xa5);
        }
        free(memory);
        if (k) outputs_free(&s);
    }
    s.out = first.out, s.out_h = first.out_h, s.out_c = first.out_c, s.columns = first.columns;
    sequence_free(&s);
    net_free(n);
}

TEST(nets)
{
    contexts_begin(0);
    for (int i = test_amount(10, 60, 1500); i-- > 0;) one_net(below(2) ? PADIC_F64 : PADIC_F32, 0);
    contexts_end();
}

TEST(feedback)
{
    contexts_begin(0);
    for (int i = test_amount(10, 60, 1500); i-- > 0;) one_net(below(2) ? PADIC_F64 : PADIC_F32, 1);
    contexts_end();
}

TEST_MAIN("rnn_outside", CASE(nets), CASE(feedback))
