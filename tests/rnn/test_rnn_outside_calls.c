// test_rnn_outside_calls.c: single steps within the error that the header promises, extremes, the
// weights of other libraries entry by entry, and paths, against what the header's text says.
#define PADIC_IMPLEMENTATION
#include "../../padic.h"
#include "../../backends/padic_simd.h"
#include "../../backends/padic_threads.h"
#include "../support/padic_test.h"
#include "../support/contexts.h"

#include <math.h>

#define UNITS 40

static uint64_t below(uint64_t n)
{
    return test_random() % n;
}

static float uniform(double most)
{
    return (float)(((double)(test_random() >> 11) / 4503599627370496.0 - 1) * most);
}

static void *fresh(size_t size)
{
    void *p = malloc(size ? size : 1);
    if (!p) exit(1);
    memset(p, 0xa5, size ? size : 1);
    return p;
}

static float *floats(uint64_t n, double most)
{
    float *p = (float *)fresh((size_t)n * sizeof *p);
    for (uint64_t i = 0; i < n; i++) p[i] = uniform(most);
    return p;
}

static long double sigmoid(long double a)
{
    return 1 / (1 + expl(-a));
}

// ------------------------------------------------------------------- one step, within its bound

typedef struct cell {
    uint64_t rows, inputs, units, gates;
    float *w, *u, *b, *c, *x, *h, *s;
} cell;

static cell cell_new(uint64_t gates, double most)
{
    cell l;
    l.rows = 1 + below(20);
    l.inputs = 1 + below(70);
    l.units = 1 + below(UNITS);
    l.gates = gates;
    l.w = floats(gates * l.units * l.inputs, most);
    l.u = floats(gates * l.units * l.units, most);
    l.b = floats(gates * l.units, most);
    l.c = floats(gates * l.units, most);
    l.x = floats(l.rows * l.inputs, 2);
    l.h = floats(l.rows * l.units, 1);
    l.s = floats(l.rows * l.units, 2);
    return l;
}

static void cell_free(cell *l)
{
    free(l->w), free(l->u), free(l->b), free(l->c), free(l->x), free(l->h), free(l->s);
}

static padic_rnn_weights cell_weights(const cell *l)
{
    padic_rnn_weights w = PADIC_ZERO;
    w.input = padic_tensor_2d(PADIC_F32, l->w, l->gates * l->units, l->inputs);
    w.recurrent = padic_tensor_2d(PADIC_F32, l->u, l->gates * l->units, l->units);
    w.bias = padic_tensor_1d(PADIC_F32, l->b, l->gates * l->units);
    w.recurrent_bias = padic_tensor_1d(PADIC_F32, l->c, l->gates * l->units);
    return w;
}

static long double products(const float *w, const float *x, uint64_t n, long double *sizes)
{
    long double sum = 0;
    for (uint64_t i = 0; i < n; i++) {
        sum += (long double)w[i] * (long double)x[i];
        *sizes += fabsl((long double)w[i] * (long double)x[i]);
    }
    return sum;
}

// What a row becomes, and how far off each gate may be.
static void gru_row(const cell *l, uint64_t row, int before, int replace, long double *want,
                    long double *most)
{
    const uint64_t n = l->units;
    const float *x = l->x + row * l->inputs, *h = l->h + row * n;
    long double rh[UNITS];
    for (uint64_t j = 0; j < n; j++) {
        long double sizes = 0;
        const long double a = products(l->w + j * l->inputs, x, l->inputs, &sizes) +
                              products(l->u + j * n, h, n, &sizes) + (long double)l->b[j] +
                              (long double)l->c[j];
        rh[j] = sigmoid(a) * (long double)h[j];
    }
    for (uint64_t j = 0; j < n; j++) {
        const uint64_t in = n + j, of = 2 * n + j;
        long double sizes = 0, old = (long double)h[j], a, z, next;
        a = products(l->w + in * l->inputs, x, l->inputs, &sizes) +
            products(l->u + in * n, h, n, &sizes) + (long double)l->b[in] + (long double)l->c[in];
        z = sigmoid(a);
        next = products(l->w + of * l->inputs, x, l->inputs, &sizes) + (long double)l->b[of];
        if (before) {
            next += (long double)l->c[of];
            for (uint64_t i = 0; i < n; i++) {
                next += (long double)l->u[of * n + i] * rh[i];
                sizes += fabsl((long double)l->u[of * n + i] * rh[i]);
            }
        } else {
            const long double r = old != 0 ? rh[j] / old : 0;
            next += r * (products(l->u + of * n, h, n, &sizes) + (long double)l->c[of]);
        }
        next = tanhl(next);
        want[j] = replace ? (1 - z) * old + z * next : (1 - z) * next + z * old;
        // The sizes of all gates, each of which moves h' by at most 2.
        most[j] = 4 * ldexpl(1, -24) * (2 * sizes + 4) + 2e-6L;
    }
}

static void check_workspace(padic_tensor *workspace, uint64_t size, void **memory)
{
    *memory = fresh((size_t)size + 64 + 16);
    *workspace = padic_tensor_1d(PADIC_U8, (char *)*memory + (64 - (uintptr_t)*memory % 64) % 64,
                                 size);
}

static void check_guard(const padic_tensor *workspace, void *memory)
{
    for (int i = 0; i < 16; i++)
        CHECK(((unsigned char *)workspace->data)[workspace->shape[0] + (uint64_t)i] == 0xa5);
    free(memory);
}

TEST(gru_steps)
{
    contexts_begin(0);
    for (int round = test_amount(10, 40, 1000); round-- > 0;) {
        cell l = cell_new(3, below(2) ? 0.3 : 4);
        padic_rnn_gru_step_desc desc = PADIC_ZERO;
        long double want[UNITS], most[UNITS];
        float *out = floats(l.rows * l.units, 0), *kept = NULL;
        desc.x = padic_tensor_2d(PADIC_F32, l.x, l.rows, l.inputs);
        desc.h = padic_tensor_2d(PADIC_F32, l.h, l.rows, l.units);
        desc.weights = cell_weights(&l);
        desc.reset = below(2) ? PADIC_RNN_RESET_BEFORE : PADIC_RNN_RESET_AFTER;
        desc.update = below(2) ? PADIC_RNN_UPDATE_REPLACE : PADIC_RNN_UPDATE_KEEP;
        desc.out = padic_tensor_2d(PADIC_F32, out, l.rows, l.units);
        for (uint32_t k = 0; k < context_count; k++) {
            void *memory;
            desc.workspace = padic_tensor_1d(PADIC_DTYPE_NONE, NULL, 0);
            memset(&desc.workspace, 0, sizeof desc.workspace);
            check_workspace(&desc.workspace, padic_rnn_gru_step_workspace(contexts[k], &desc),
                            &memory);
            CHECK_EQ(padic_rnn_gru_step(contexts[k], &desc), PADIC_OK);
            check_guard(&desc.workspace, memory);
            for (uint64_t row = 0; row < l.rows; row++) {
                gru_row(&l, row, desc.reset == PADIC_RNN_RESET_BEFORE,
                        desc.update == PADIC_RNN_UPDATE_REPLACE, want, most);
                for (uint64_t j = 0; j < l.units; j++)
                    CHECK_NEAR(out[row * l.units + j], want[j], most[j]);
            }
        }
        // In place it is the same, and so is it with all units in another order, nearly.
        kept = floats(l.rows * l.units, 0);
        memcpy(kept, out, (size_t)(l.rows * l.units) * sizeof *out);
        desc.out = desc.h;
        memset(&desc.workspace, 0, sizeof desc.workspace);
        CHECK_EQ(padic_rnn_gru_step(contexts[context_count - 1], &desc), PADIC_OK);
        CHECK(!memcmp(kept, l.h, (size_t)(l.rows * l.units) * sizeof *out));
        free(kept);
        free(out);
        cell_free(&l);
    }
    contexts_end();
}

TEST(lstm_steps)
{
    contexts_begin(0);
    for (int round = test_amount(10, 40, 1000); round-- > 0;) {
        cell l = cell_new(4, below(2) ? 0.3 : 4);
        const uint64_t n = l.units, all = l.rows * n;
        padic_rnn_lstm_step_desc desc = PADIC_ZERO;
        float *out = floats(all, 0), *out_c = floats(all, 0);
        desc.x = padic_tensor_2d(PADIC_F32, l.x, l.rows, l.inputs);
        desc.h = padic_tensor_2d(PADIC_F32, l.h, l.rows, n);
        desc.c = padic_tensor_2d(PADIC_F32, l.s, l.rows, n);
        desc.weights = cell_weights(&l);
        desc.forget_bias = below(2) ? 1 : 0;
        desc.out = padic_tensor_2d(PADIC_F32, out, l.rows, n);
        desc.out_c = padic_tensor_2d(PADIC_F32, out_c, l.rows, n);
        for (uint32_t k = 0; k < context_count; k++) {
            void *memory;
            memset(&desc.workspace, 0, sizeof desc.workspace);
            check_workspace(&desc.workspace, padic_rnn_lstm_step_workspace(contexts[k], &desc),
                            &memory);
            CHECK_EQ(padic_rnn_lstm_step(contexts[k], &desc), PADIC_OK);
            check_guard(&desc.workspace, memory);
            for (uint64_t i = 0; i < all; i++) {
                const uint64_t row = i / n, j = i % n;
                long double sizes = 0, a[4], next;
                for (uint64_t g = 0; g < 4; g++)
                    a[g] = products(l.w + (g * n + j) * l.inputs, l.x + row * l.inputs, l.inputs,
                                    &sizes) +
                           products(l.u + (g * n + j) * n, l.h + row * n, n, &sizes) +
                           (long double)l.b[g * n + j] + (long double)l.c[g * n + j];
                next = sigmoid(a[1] + (long double)desc.forget_bias) * (long double)l.s[i] +
                       sigmoid(a[0]) * tanhl(a[2]);
                const double most = 4 * ldexp(1, -24) * (2 * (double)sizes + 8) + 4e-6;
                CHECK_NEAR(out_c[i], next, most);
                CHECK_NEAR(out[i], sigmoid(a[3]) * tanhl(next), most);
            }
        }
        desc.out = desc.h, desc.out_c = desc.c;
        memset(&desc.workspace, 0, sizeof desc.workspace);
        CHECK_EQ(padic_rnn_lstm_step(contexts[context_count - 1], &desc), PADIC_OK);
        CHECK(!memcmp(out, l.h, (size_t)all * sizeof *out));
        CHECK(!memcmp(out_c, l.s, (size_t)all * sizeof *out));
        free(out), free(out_c);
        cell_free(&l);
    }
    contexts_end();
}

TEST(extremes)
{
    static const float far_out[] = {1e4f, 1e30f, -1e30f, (float)INFINITY, -(float)INFINITY, 200,
                                    -200, 90, -90, 89, 88.5f, 20, -20, 9, 17.33f, 1e-30f, 0};
    contexts_begin(0);
    for (uint32_t k = 0; k < context_count; k++) {
        for (size_t i = 0; i < sizeof far_out / sizeof *far_out; i++)
            for (int activation = 1; activation < 3; activation++) {
                float x[19], w[1] = {1}, out[19];
                padic_rnn_linear_desc d = PADIC_ZERO;
                for (int r = 0; r < 19; r++) x[r] = r % 2 ? far_out[i] : (float)r;
                d.x = padic_tensor_2d(PADIC_F32, x, 19, 1);
                d.weights = padic_tensor_2d(PADIC_F32, w, 1, 1);
                d.activation = activation == 1 ? PADIC_RNN_ACTIVATION_TANH
                                               : PADIC_RNN_ACTIVATION_SIGMOID;
                d.out = padic_tensor_2d(PADIC_F32, out, 19, 1);
                CHECK_EQ(padic_rnn_linear(contexts[k], &d), PADIC_OK);
                for (int r = 0; r < 19; r++) {
                    const double a = (double)x[r], want = activation == 1
                                                              ? tanh(a) : 1 / (1 + exp(-a));
                    CHECK_NEAR(out[r], want, 4 * ldexp(1, -24) * fabs(want) + 1e-37);
                    if (fabs(a) > 1000 && activation == 1) CHECK(out[r] == (a > 0 ? 1 : -1));
                    if (fabs(a) > 1000 && activation == 2) CHECK(out[r] == (a > 0 ? 1 : 0));
                }
                x[5] = (float)NAN;
                CHECK_EQ(padic_rnn_linear(contexts[k], &d), PADIC_OK);
                for (int r = 0; r < 19; r++) CHECK((out[r] != out[r]) == (r == 5));
                d.flags = PADIC_RNN_CHECK_FINITE;
                memset(out, 0xa5, sizeof out);
                CHECK_EQ(padic_rnn_linear(contexts[k], &d), PADIC_ERROR_DOMAIN);
                for (size_t b = 0; b < sizeof out; b++) CHECK(((unsigned char *)out)[b] == 0xa5);
            }
        // All weights 0: h' = h / 2. The bias of z infinite: h' = h, for any h.
        for (uint64_t n = 1; n <= UNITS; n++) {
            float w[3 * UNITS * UNITS], b[3 * UNITS], x[UNITS], h[3 * UNITS], out[3 * UNITS];
            padic_rnn_gru_step_desc d = PADIC_ZERO;
            memset(w, 0, sizeof w);
            memset(b, 0, sizeof b);
            memset(x, 0, sizeof x);
            for (uint64_t i = 0; i < 3 * n; i++) h[i] = uniform(1e6);
            d.x = padic_tensor_2d(PADIC_F32, x, 3, 1);
            d.h = padic_tensor_2d(PADIC_F32, h, 3, n);
            d.out = padic_tensor_2d(PADIC_F32, out, 3, n);
            d.weights.input = padic_tensor_2d(PADIC_F32, w, 3 * n, 1);
            d.weights.recurrent = padic_tensor_2d(PADIC_F32, w, 3 * n, n);
            d.weights.bias = padic_tensor_1d(PADIC_F32, b, 3 * n);
            d.reset = n % 2 ? PADIC_RNN_RESET_BEFORE : PADIC_RNN_RESET_AFTER;
            CHECK_EQ(padic_rnn_gru_step(contexts[k], &d), PADIC_OK);
            for (uint64_t i = 0; i < 3 * n; i++) CHECK(out[i] == h[i] / 2);
            for (uint64_t j = 0; j < n; j++) b[n + j] = n % 3 ? (float)INFINITY : 200;
            CHECK_EQ(padic_rnn_gru_step(contexts[k], &d), PADIC_OK);
            for (uint64_t i = 0; i < 3 * n; i++) CHECK(out[i] == h[i]);
            d.update = PADIC_RNN_UPDATE_REPLACE;
            CHECK_EQ(padic_rnn_gru_step(contexts[k], &d), PADIC_OK);
            for (uint64_t i = 0; i < 3 * n; i++) CHECK(out[i] == 0);
        }
    }
    contexts_end();
}

// --------------------------------------------------------------------------- weights of libraries

// Arrays of one convention, and where an entry of gate `g` (r, z, n or i, f, g, o) stands in them.
typedef struct arrays {
    padic_rnn_convention convention;
    uint64_t gates, inputs, units;
    int after;
    uint64_t directions, direction; // ONNX; 0: no such axis
    padic_dtype dtype;              // of the matrices
    uint64_t counts[4];
    double values[4][3000]; // by place: what the entries are
    unsigned char *raw[4];
    padic_rnn_weights weights;
} arrays;

static uint64_t gate_place(const arrays *a, uint64_t gate)
{
    static const uint64_t onnx_lstm[] = {0, 2, 3, 1}; // i, o, f, g
    static const uint64_t zrn[] = {1, 0, 2};
    if (a->convention == PADIC_RNN_CONVENTION_LIBRARY) return gate;
    if (a->gates == 3) return zrn[gate];
    return a->convention == PADIC_RNN_CONVENTION_ONNX ? onnx_lstm[gate] : gate;
}

// Array 0 (input), 1 (recurrent), 2 (bias), 3 (recurrent bias): where, as array * 2^32 + place.
// UINT64_MAX: there is none.
static uint64_t place_of(const arrays *a, int what, uint64_t gate, uint64_t j, uint64_t i)
{
    const uint64_t g = gate_place(a, gate), h = a->units, rows = a->gates * h, row = g * h + j;
    const uint64_t whole[2] = {a->inputs, h}, array = (uint64_t)what << 32;
    if (what < 2) {
        const uint64_t columns = whole[what];
        if (a->convention == PADIC_RNN_CONVENTION_KERAS) return array + i * rows + row;
        if (a->convention == PADIC_RNN_CONVENTION_LEGACY)
            return row * (a->inputs + h) + (what ? a->inputs : 0) + i;
        return array + (a->direction * rows + row) * columns + i;
    }
    switch (a->convention) {
    case PADIC_RNN_CONVENTION_LIBRARY: return array + row;
    case PADIC_RNN_CONVENTION_ONNX:
        return ((uint64_t)2 << 32) + a->direction * 2 * rows + (what == 3 ? rows : 0) + row;
    case PADIC_RNN_CONVENTION_KERAS:
        if (a->after) return ((uint64_t)2 << 32) + (what == 3 ? rows : 0) + row;
        break;
    default: break;
    }
    return what == 3 ? UINT64_MAX : array + row;
}

static void arrays_shapes(arrays *a)
{
    const uint64_t rows = a->gates * a->units, h = a->units, in = a->inputs;
    const uint64_t axis = a->directions ? a->directions : 1;
    padic_rnn_weights *w = &a->weights;
    const int onnx = a->convention == PADIC_RNN_CONVENTION_ONNX;
    for (int i = 0; i < 4; i++) a->raw[i] = (unsigned char *)fresh(3000 * 8);
    if (a->convention == PADIC_RNN_CONVENTION_LEGACY) {
        w->input = padic_tensor_3d(a->dtype, a->raw[0], 3, h, in + h);
        w->bias = padic_tensor_2d(PADIC_F32, a->raw[2], 3, h);
    } else if (a->convention == PADIC_RNN_CONVENTION_KERAS) {
        w->input = padic_tensor_2d(a->dtype, a->raw[0], in, rows);
        w->recurrent = padic_tensor_2d(a->dtype, a->raw[1], h, rows);
        w->bias = a->after ? padic_tensor_2d(PADIC_F32, a->raw[2], 2, rows)
                           : padic_tensor_1d(PADIC_F32, a->raw[2], rows);
    } else {
        const uint64_t biases = onnx ? 2 * rows : rows;
        w->input = padic_tensor_2d(a->dtype, a->raw[0], rows, in);
        w->recurrent = padic_tensor_2d(a->dtype, a->raw[1], rows, h);
        w->bias = padic_tensor_1d(PADIC_F32, a->raw[2], biases);
        if (!onnx) w->recurrent_bias = padic_tensor_1d(PADIC_F32, a->raw[3], rows);
        if (onnx && a->directions) {
            w->input = padic_tensor_3d(a->dtype, a->raw[0], axis, rows, in);
            w->recurrent = padic_tensor_3d(a->dtype, a->raw[1], axis, rows, h);
            w->bias = padic_tensor_2d(PADIC_F32, a->raw[2], axis, biases);
        }
    }
    a->counts[0] = padic_tensor_count(&w->input);
    a->counts[1] = w->recurrent.data ? padic_tensor_count(&w->recurrent) : 0;
    a->counts[2] = padic_tensor_count(&w->bias);
    a->counts[3] = w->recurrent_bias.data ? padic_tensor_count(&w->recurrent_bias) : 0;
}

static double raw_get(const arrays *a, int array, uint64_t i)
{
    const padic_dtype dtype = array < 2 ? a->dtype : PADIC_F32;
    uint16_t half;
    uint32_t bits;
    double d;
    float f;
    switch (dtype) {
    case PADIC_F64: return memcpy(&d, a->raw[array] + 8 * i, 8), d;
    case PADIC_F32: return memcpy(&f, a->raw[array] + 4 * i, 4), (double)f;
    case PADIC_BF16:
        memcpy(&half, a->raw[array] + 2 * i, 2);
        bits = (uint32_t)half << 16;
        return memcpy(&f, &bits, 4), (double)f;
    default:
        memcpy(&half, a->raw[array] + 2 * i, 2);
        d = half & 1023;
        d = half >> 10 & 31 ? ldexp(1 + d / 1024, (half >> 10 & 31) - 15) : ldexp(d / 1024, -14);
        return half & 0x8000 ? -d : d;
    }
}

static arrays *arrays_new(const arrays *like, padic_rnn_convention convention, padic_dtype dtype)
{
    arrays *a = (arrays *)calloc(1, sizeof *a);
    if (!a) exit(1);
    a->gates = like->gates, a->inputs = like->inputs, a->units = like->units;
    a->after = like->after;
    a->convention = convention;
    a->dtype = dtype;
    if (convention == PADIC_RNN_CONVENTION_ONNX) {
        a->directions = below(3);
        a->direction = a->directions ? below(a->directions) : 0;
    }
    arrays_shapes(a);
    return a;
}

static void arrays_free(arrays *a)
{
    for (int i = 0; i < 4; i++) free(a->raw[i]);
    free(a);
}

static double entry(const arrays *a, int what, uint64_t gate, uint64_t j, uint64_t i)
{
    const uint64_t at = place_of(a, what, gate, j, i);
    return at == UINT64_MAX ? 0 : raw_get(a, (int)(at >> 32), at & UINT32_MAX);
}

// Half an ulp of a dtype at x, of what became of x.
static double half_ulp(padic_dtype dtype, double x)
{
    const int narrow = dtype == PADIC_F16 ? 11 : 8;
    const int bits = dtype == PADIC_F64 ? 53 : dtype == PADIC_F32 ? 24 : narrow;
    const int least = dtype == PADIC_F16 ? -24 : -126;
    int exponent;
    (void)frexp(x, &exponent);
    return ldexp(0.5, exponent - bits > least ? exponent - bits : least);
}

static void compare_arrays(const arrays *in, const arrays *out, int negated)
{
    const int one_in = place_of(in, 3, 0, 0, 0) == UINT64_MAX;
    const int one_out = place_of(out, 3, 0, 0, 0) == UINT64_MAX;
    (void)one_in;
    for (uint64_t g = 0; g < in->gates; g++)
        for (uint64_t j = 0; j < in->units; j++) {
            const double sign = negated && g == 1 ? -1 : 1;
            for (int what = 0; what < 2; what++)
                for (uint64_t i = 0; i < (what ? in->units : in->inputs); i++) {
                    const double x = sign * entry(in, what, g, j, i);
                    CHECK_NEAR(entry(out, what, g, j, i), x,
                               in->dtype == out->dtype ? 0 : half_ulp(out->dtype, x));
                }
            const double b = sign * entry(in, 2, g, j, 0), c = sign * entry(in, 3, g, j, 0);
            if (one_out) {
                CHECK_NEAR(entry(out, 2, g, j, 0), (double)(float)(b + c), 0);
            } else {
                CHECK_NEAR(entry(out, 2, g, j, 0), b, 0);
                CHECK_NEAR(entry(out, 3, g, j, 0), c, 0);
            }
        }
}

static padic_rnn_convention any_convention(const arrays *like)
{
    static const padic_rnn_convention all[] = {
        PADIC_RNN_CONVENTION_LIBRARY, PADIC_RNN_CONVENTION_ONNX, PADIC_RNN_CONVENTION_KERAS,
        PADIC_RNN_CONVENTION_LEGACY};
    return all[below(like->gates == 3 && !like->after ? 4 : 3)];
}

TEST(conventions)
{
    static const padic_dtype dtypes[] = {PADIC_F32, PADIC_F64, PADIC_F16, PADIC_BF16};
    for (int round = test_amount(60, 400, 20000); round-- > 0;) {
        arrays like;
        padic_rnn_convert_desc d = PADIC_ZERO;
        memset(&like, 0, sizeof like);
        like.gates = 3 + below(2);
        like.inputs = 1 + below(9);
        like.units = 1 + below(9);
        like.after = like.gates == 3 && below(2);
        arrays *in = arrays_new(&like, any_convention(&like), dtypes[below(4)]);
        arrays *out = arrays_new(&like, any_convention(&like), dtypes[below(4)]);
        for (int k = 0; k < 4; k++)
            for (uint64_t i = 0; i < in->counts[k]; i++) {
                const padic_dtype t = k < 2 ? in->dtype : PADIC_F32;
                const float f = uniform(2);
                const double x = (double)f + (double)uniform(1e-9);
                uint32_t bits;
                memcpy(&bits, &f, 4);
                const uint16_t half = t == PADIC_BF16 ? (uint16_t)(bits >> 16)
                                                      : (uint16_t)(test_random() & 0xbfff);
                if (t == PADIC_F64) memcpy(in->raw[k] + 8 * i, &x, 8);
                else if (t == PADIC_F32) memcpy(in->raw[k] + 4 * i, &f, 4);
                else memcpy(in->raw[k] + 2 * i, &half, 2);
            }
        d.kind = like.gates == 3 ? PADIC_RNN_KIND_GRU : PADIC_RNN_KIND_LSTM;
        d.reset = like.after ? PADIC_RNN_RESET_AFTER : PADIC_RNN_RESET_BEFORE;
        d.update = like.gates == 3 && below(2) ? PADIC_RNN_UPDATE_REPLACE : PADIC_RNN_UPDATE_KEEP;
        d.from = in->convention, d.to = out->convention;
        d.from_direction = (uint32_t)in->direction;
        d.to_direction = (uint32_t)out->direction;
        d.in = in->weights, d.out = out->weights;
        CHECK_EQ(padic_rnn_convert(NULL, &d), PADIC_OK);
        compare_arrays(in, out, d.update == PADIC_RNN_UPDATE_REPLACE);
        if (out->directions == 2) { // the other direction is left alone
            const uint64_t half = out->counts[0] / 2, other = out->direction ? 0 : half;
            const size_t size = padic_dtype_size(out->dtype);
            for (size_t i = 0; i < (size_t)half * size; i++)
                CHECK(out->raw[0][(size_t)other * size + i] == 0xa5);
        }
        arrays_free(in), arrays_free(out);
    }
}

TEST(integers) // to I8 and back: within half a step of each row's scale
{
    for (int round = test_amount(10, 50, 500); round-- > 0;) {
        const uint64_t gates = 3 + below(2), h = 1 + below(9), in = 1 + below(9), rows = gates * h;
        float *w = floats(rows * in, 3), *u = floats(rows * h, 1e-3), *w2 = floats(rows * in, 0);
        float *u2 = floats(rows * h, 0), scale[2][36];
        int8_t q[400], p[400];
        padic_rnn_convert_desc d = PADIC_ZERO;
        if (below(2)) memset(w, 0, (size_t)in * sizeof *w); // a row of zeros
        d.kind = gates == 3 ? PADIC_RNN_KIND_GRU : PADIC_RNN_KIND_LSTM;
        d.to = below(2) ? PADIC_RNN_CONVENTION_ONNX : PADIC_RNN_CONVENTION_LIBRARY;
        d.in.input = padic_tensor_2d(PADIC_F32, w, rows, in);
        d.in.recurrent = padic_tensor_2d(PADIC_F32, u, rows, h);
        d.out.input = padic_tensor_2d(PADIC_I8, q, rows, in);
        d.out.recurrent = padic_tensor_2d(PADIC_I8, p, rows, h);
        d.out.input_scale = padic_tensor_1d(PADIC_F32, scale[0], rows);
        d.out.recurrent_scale = padic_tensor_1d(PADIC_F32, scale[1], rows);
        CHECK_EQ(padic_rnn_convert(NULL, &d), PADIC_OK);
        d.in = d.out;
        d.from = d.to, d.to = PADIC_RNN_CONVENTION_LIBRARY;
        memset(&d.out, 0, sizeof d.out);
        d.out.input = padic_tensor_2d(PADIC_F32, w2, rows, in);
        d.out.recurrent = padic_tensor_2d(PADIC_F32, u2, rows, h);
        CHECK_EQ(padic_rnn_convert(NULL, &d), PADIC_OK);
        for (uint64_t r = 0; r < rows; r++) {
            double most = 0, last = 0;
            for (uint64_t i = 0; i < in; i++) most = fmax(most, fabs((double)w[r * in + i]));
            for (uint64_t i = 0; i < h; i++) last = fmax(last, fabs((double)u[r * h + i]));
            for (uint64_t i = 0; i < in; i++)
                CHECK_NEAR(w2[r * in + i], w[r * in + i], most / 254 * 1.00001);
            for (uint64_t i = 0; i < h; i++)
                CHECK_NEAR(u2[r * h + i], u[r * h + i], last / 254 * 1.00001);
        }
        free(w), free(u), free(w2), free(u2);
    }
}

TEST(hard_integers) // a weight that is not finite shows; LEGACY has none in 8 bits
{
    float w[6] = {1, 1e-45f, 0, (float)NAN, (float)INFINITY, -127}, u[12], scale[2][6];
    int8_t q[6], p[12], before[12];
    padic_rnn_convert_desc d = PADIC_ZERO;
    for (int i = 0; i < 12; i++) u[i] = i == 4 ? -(float)INFINITY : (float)(i - 6);
    memset(p, 77, sizeof p);
    memcpy(before, p, sizeof p);
    d.reset = PADIC_RNN_RESET_BEFORE;
    d.in.input = padic_tensor_2d(PADIC_F32, w, 6, 1);
    d.in.recurrent = padic_tensor_2d(PADIC_F32, u, 6, 2);
    d.out.input = padic_tensor_2d(PADIC_I8, q, 6, 1);
    d.out.recurrent = padic_tensor_2d(PADIC_I8, p, 6, 2);
    d.out.input_scale = padic_tensor_1d(PADIC_F32, scale[0], 6);
    d.out.recurrent_scale = padic_tensor_1d(PADIC_F32, scale[1], 6);
    d.from = PADIC_RNN_CONVENTION_LEGACY;
    d.in.input = padic_tensor_3d(PADIC_F32, u, 3, 2, 2);
    d.in.recurrent.data = NULL;
    d.out.recurrent = padic_tensor_2d(PADIC_I8, p, 6, 2);
    CHECK_EQ(padic_rnn_convert(NULL, &d), PADIC_ERROR_NOT_SUPPORTED);
    CHECK(!memcmp(before, p, sizeof p));
    d.from = PADIC_RNN_CONVENTION_LIBRARY;
    d.in.input = padic_tensor_2d(PADIC_F32, w, 6, 1);
    d.in.recurrent = padic_tensor_2d(PADIC_F32, u, 6, 2);
    CHECK_EQ(padic_rnn_convert(NULL, &d), PADIC_OK);
    for (int r = 0; r < 6; r++) {
        CHECK((scale[0][r] != scale[0][r]) == (r == 3 || r == 4));
        CHECK((scale[1][r] != scale[1][r]) == (r == 2));
    }
    CHECK(q[0] == 127 && q[2] == 0 && q[3] == 0 && q[5] == -127 && scale[0][5] == 1);
}

TEST(counts)
{
    const padic_rnn_kind lstm = PADIC_RNN_KIND_LSTM, gru = PADIC_RNN_KIND_GRU;
    const padic_rnn_kind linear = PADIC_RNN_KIND_LINEAR;
    CHECK_EQ(padic_rnn_param_count(lstm, 4, 32) + padic_rnn_param_count(lstm, 32, 32) +
                 padic_rnn_param_count(linear, 32, 3), 13411);
    CHECK_EQ(padic_rnn_param_count(lstm, 4, 64) + padic_rnn_param_count(lstm, 64, 64) +
                 padic_rnn_param_count(linear, 64, 32) + padic_rnn_param_count(linear, 32, 3),
             53379);
    CHECK_EQ(padic_rnn_param_count(gru, 4, 64) + padic_rnn_param_count(gru, 64, 64) +
                 padic_rnn_param_count(linear, 64, 32) + padic_rnn_param_count(linear, 32, 3),
             40579);
    CHECK_EQ(padic_rnn_param_count(lstm, UINT64_MAX / 2, 2), 0);
    CHECK_EQ(padic_rnn_param_count(gru, 1, UINT64_MAX), 0);
    CHECK_EQ(padic_rnn_param_count(gru, UINT64_MAX, UINT64_MAX), 0);
    CHECK_EQ(padic_rnn_param_count(linear, UINT64_MAX, 1), 0);
    CHECK_EQ(padic_rnn_param_count(linear, UINT64_MAX - 1, 1), UINT64_MAX);
}

// -------------------------------------------------------------------------------------- paths

static void curve(const padic_rnn_path_desc *d, const double *cosines, const double *sines,
                  uint64_t harmonics, long double t, long double *p, long double *v)
{
    const long double w = d->frequency != 0 ? (long double)d->frequency : 1;
    const long double scale = d->scale != 0 ? (long double)d->scale : 1;
    const long double th = w * t + (long double)d->phase;
    for (int a = 0; a < 3; a++) {
        p[a] = (long double)d->centre[a] + (long double)d->drift[a] * t;
        v[a] = (long double)d->drift[a];
        for (uint64_t n = 0; n < harmonics; n++) {
            const long double c = cosl((long double)n * th), s = sinl((long double)n * th);
            const long double A = cosines ? (long double)cosines[(uint64_t)a * harmonics + n] : 0;
            const long double B = sines ? (long double)sines[(uint64_t)a * harmonics + n] : 0;
            p[a] += scale * (A * c + B * s);
            v[a] += scale * w * (long double)n * (B * c - A * s);
        }
    }
}

#define PI 3.14159265358979323846

static void preset(padic_rnn_preset which, double th, double *p)
{
    p[2] = 0;
    switch (which) {
    case PADIC_RNN_PRESET_FIGURE8: p[0] = sin(th), p[1] = sin(2 * th) / 2; break;
    case PADIC_RNN_PRESET_STAR5:
        p[0] = .6 * cos(2 * th) + .4 * cos(3 * th), p[1] = .6 * sin(2 * th) - .4 * sin(3 * th);
        break;
    case PADIC_RNN_PRESET_HEART:
        p[0] = (12 * sin(th) - 4 * sin(3 * th)) / 17;
        p[1] = (13 * cos(th) - 5 * cos(2 * th) - 2 * cos(3 * th) - cos(4 * th)) / 17;
        break;
    case PADIC_RNN_PRESET_LISSAJOUS: p[0] = sin(th), p[1] = sin(2 * th), p[2] = sin(3 * th); break;
    case PADIC_RNN_PRESET_TREFOIL:
        p[0] = (sin(th) + 2 * sin(2 * th)) / 3, p[1] = (cos(th) - 2 * cos(2 * th)) / 3;
        p[2] = -sin(3 * th) / 3;
        break;
    case PADIC_RNN_PRESET_SPIRAL: p[0] = cos(th), p[1] = sin(th), p[2] = th; break;
    default: p[0] = cos(th), p[1] = sin(th);
    }
}

TEST(paths)
{
    static const padic_rnn_preset all[] = {
        PADIC_RNN_PRESET_CIRCLE, PADIC_RNN_PRESET_FIGURE8, PADIC_RNN_PRESET_STAR5,
        PADIC_RNN_PRESET_HEART, PADIC_RNN_PRESET_LISSAJOUS, PADIC_RNN_PRESET_TREFOIL,
        PADIC_RNN_PRESET_SPIRAL};
    double position[41][3], velocity[41][3], p[3], q[3];
    for (int k = 0; k < 7; k++) { // the table of the header, and the velocity against differences
        padic_rnn_path_desc d = PADIC_ZERO;
        d.preset = all[k];
        d.start = -0.3, d.step = 2 * PI / 40;
        d.position = padic_tensor_2d(PADIC_F64, position, 41, 3);
        d.velocity = padic_tensor_2d(PADIC_F64, velocity, 41, 3);
        CHECK_EQ(padic_rnn_path(NULL, &d), PADIC_OK);
        for (int i = 0; i < 41; i++) {
            const double t = d.start + i * d.step;
            preset(all[k], t, p);
            for (int a = 0; a < 3; a++) CHECK_NEAR(position[i][a], p[a], 1e-13);
            preset(all[k], t + 1e-5, p), preset(all[k], t - 1e-5, q);
            for (int a = 0; a < 3; a++) CHECK_NEAR(velocity[i][a], (p[a] - q[a]) / 2e-5, 1e-8);
        }
        for (int a = 0; a < (k == 6 ? 2 : 3); a++)
            CHECK_NEAR(position[0][a], position[40][a], 1e-13);
    }
    for (int round = test_amount(20, 60, 1000); round-- > 0;) {
        const uint64_t harmonics = 1 + below(PADIC_RNN_HARMONICS + 1), n = below(20);
        double *A = (double *)fresh((size_t)(3 * harmonics) * sizeof *A);
        double *B = (double *)fresh((size_t)(3 * harmonics) * sizeof *B);
        float times[20], places[20][5], speeds[20][3];
        padic_rnn_path_desc d = PADIC_ZERO;
        const int lacks = (int)below(3);
        for (uint64_t i = 0; i < 3 * harmonics; i++)
            A[i] = (double)uniform(1), B[i] = (double)uniform(1);
        for (int i = 0; i < 20; i++) times[i] = uniform(10);
        d.preset = PADIC_RNN_PRESET_CUSTOM;
        if (lacks != 1) d.cosines = padic_tensor_2d(PADIC_F64, A, 3, harmonics);
        if (lacks != 2) d.sines = padic_tensor_2d(PADIC_F64, B, 3, harmonics);
        d.frequency = below(2) ? (double)uniform(3) : 0;
        d.phase = (double)uniform(3);
        d.scale = below(2) ? (double)uniform(2) : 0;
        for (int a = 0; a < 3; a++)
            d.centre[a] = (double)uniform(1), d.drift[a] = (double)uniform(1);
        d.start = (double)uniform(1), d.step = below(2) ? (double)uniform(1) : 0;
        if (below(2)) d.times = padic_tensor_1d(PADIC_F32, times, n);
        d.position = padic_tensor_2d(PADIC_F32, places, n, 3);
        d.position.stride[0] = 5, d.position.stride[1] = 1;
        if (below(2)) d.velocity = padic_tensor_2d(PADIC_F32, speeds, n, 3);
        CHECK_EQ(padic_rnn_path(NULL, &d), PADIC_OK);
        for (uint64_t i = 0; i < n; i++) {
            long double pl[3], vl[3];
            const double t = d.times.data ? (double)times[i]
                                          : d.start + (double)i * (d.step != 0 ? d.step : 1);
            curve(&d, lacks != 1 ? A : NULL, lacks != 2 ? B : NULL, harmonics, (long double)t, pl,
                  vl);
            for (int a = 0; a < 3; a++) {
                CHECK_NEAR(places[i][a], pl[a], 1e-6 * (1 + fabs((double)pl[a])));
                if (d.velocity.data)
                    CHECK_NEAR(speeds[i][a], vl[a], 1e-6 * (1 + fabs((double)vl[a])));
            }
        }
        free(A), free(B);
    }
}

TEST_MAIN("rnn_outside_calls", CASE(gru_steps), CASE(lstm_steps), CASE(extremes),
          CASE(conventions), CASE(integers), CASE(hard_integers), CASE(counts), CASE(paths))
