// ops_rnn.h: rows of test_ops.c for recurrent networks.

// w[row] . x over n columns, in f64; w of rows of n, or nothing.
static double ops_rnn_dot(const double *w, const double *x, uint64_t row, uint64_t n)
{
    double sum = 0;
    for (uint64_t i = 0; i < n; i++) sum += w[row * n + i] * x[i];
    return sum;
}

static double ops_rnn_sigmoid(double a)
{
    return 1 / (1 + exp(-a));
}

typedef struct ops_rnn_cell { // as f64, in C order
    double *x, *h, *input, *recurrent, *bias, *recurrent_bias;
    uint64_t rows, inputs, units;
} ops_rnn_cell;

static ops_rnn_cell ops_rnn_cell_of(const padic_tensor *x, const padic_tensor *h,
                                    const padic_rnn_weights *w)
{
    ops_rnn_cell cell;
    cell.x = ops_numbers_of(x);
    cell.h = ops_numbers_of(h);
    cell.input = ops_numbers_of(&w->input);
    cell.recurrent = ops_numbers_of(&w->recurrent);
    cell.bias = ops_numbers_of(&w->bias);
    cell.recurrent_bias = ops_numbers_of(&w->recurrent_bias);
    cell.rows = x->shape[0];
    cell.inputs = x->shape[1];
    cell.units = h->shape[1];
    return cell;
}

static void ops_rnn_cell_end(ops_rnn_cell *cell)
{
    free(cell->x);
    free(cell->h);
    free(cell->input);
    free(cell->recurrent);
    free(cell->bias);
    free(cell->recurrent_bias);
}

// Gate g of unit j in row b: the input's part, and the state's.
static double ops_rnn_in(const ops_rnn_cell *c, uint64_t b, uint64_t g, uint64_t j)
{
    const uint64_t row = g * c->units + j;
    return ops_rnn_dot(c->input, c->x + b * c->inputs, row, c->inputs) + c->bias[row];
}

static double ops_rnn_back(const ops_rnn_cell *c, const double *h, uint64_t g, uint64_t j)
{
    const uint64_t row = g * c->units + j;
    return ops_rnn_dot(c->recurrent, h, row, c->units) + c->recurrent_bias[row];
}

// Inputs and weights are below 1, and sums have at most 32 terms: the area's bound of a gate is
// 4 u 32 + 1e-6, and a state sees three of them.
static double ops_rnn_slack(padic_dtype dtype)
{
    return dtype == PADIC_F32 ? 3e-5 : 1e-13;
}

static void ops_rnn_gru_exact(const void *desc_, double *want, double *slack)
{
    const padic_rnn_gru_step_desc *desc = (const padic_rnn_gru_step_desc *)desc_;
    ops_rnn_cell c = ops_rnn_cell_of(&desc->x, &desc->h, &desc->weights);
    double reset[16];
    for (uint64_t b = 0; b < c.rows; b++) {
        const double *h = c.h + b * c.units;
        for (uint64_t j = 0; j < c.units; j++)
            reset[j] = ops_rnn_sigmoid(ops_rnn_in(&c, b, 0, j) + ops_rnn_back(&c, h, 0, j));
        for (uint64_t j = 0; j < c.units; j++) {
            const double z = ops_rnn_sigmoid(ops_rnn_in(&c, b, 1, j) + ops_rnn_back(&c, h, 1, j));
            double scaled[16], back = reset[j] * ops_rnn_back(&c, h, 2, j), n;
            for (uint64_t k = 0; k < c.units; k++) scaled[k] = reset[k] * h[k];
            if (desc->reset == PADIC_RNN_RESET_BEFORE) back = ops_rnn_back(&c, scaled, 2, j);
            n = tanh(ops_rnn_in(&c, b, 2, j) + back);
            want[b * c.units + j] = desc->update == PADIC_RNN_UPDATE_KEEP
                                        ? (1 - z) * n + z * h[j]
                                        : (1 - z) * h[j] + z * n;
            slack[b * c.units + j] = ops_rnn_slack(desc->x.dtype);
        }
    }
    ops_rnn_cell_end(&c);
}

static void ops_rnn_lstm_exact(const void *desc_, double *want, double *slack)
{
    const padic_rnn_lstm_step_desc *desc = (const padic_rnn_lstm_step_desc *)desc_;
    ops_rnn_cell c = ops_rnn_cell_of(&desc->x, &desc->h, &desc->weights);
    double *cells = ops_numbers_of(&desc->c);
    for (uint64_t i = 0; i < c.rows * c.units; i++) {
        const uint64_t b = i / c.units, j = i % c.units;
        double gate[4], next;
        for (uint64_t g = 0; g < 4; g++)
            gate[g] = ops_rnn_in(&c, b, g, j) + ops_rnn_back(&c, c.h + b * c.units, g, j);
        next = ops_rnn_sigmoid(gate[1] + desc->forget_bias) * cells[i] +
               ops_rnn_sigmoid(gate[0]) * tanh(gate[2]);
        want[i] = ops_rnn_sigmoid(gate[3]) * tanh(next);
        want[c.rows * c.units + i] = next;
        slack[i] = slack[c.rows * c.units + i] = ops_rnn_slack(desc->x.dtype);
    }
    free(cells);
    ops_rnn_cell_end(&c);
}

static void ops_rnn_linear_exact(const void *desc_, double *want, double *slack)
{
    const padic_rnn_linear_desc *desc = (const padic_rnn_linear_desc *)desc_;
    const uint64_t inputs = desc->x.shape[1], outputs = desc->out.shape[1];
    double *x = ops_numbers_of(&desc->x), *w = ops_numbers_of(&desc->weights);
    double *bias = ops_numbers_of(&desc->bias);
    for (uint64_t i = 0; i < desc->x.shape[0] * outputs; i++) {
        const uint64_t b = i / outputs, o = i % outputs;
        double a = ops_rnn_dot(w, x + b * inputs, o, inputs) + bias[o];
        switch (desc->activation) {
        case PADIC_RNN_ACTIVATION_TANH: a = tanh(a); break;
        case PADIC_RNN_ACTIVATION_SIGMOID: a = ops_rnn_sigmoid(a); break;
        case PADIC_RNN_ACTIVATION_RELU: a = fmax(a, 0); break;
        default: break;
        }
        want[i] = desc->gain * a;
        slack[i] = ops_rnn_slack(desc->x.dtype);
    }
    free(x);
    free(w);
    free(bias);
}

// What may be left out is an operand only where it has memory; the table gives it its own.
static double ops_rnn_given;

static const uint64_t ops_rnn_shapes[6][3] = { // rows, inputs, units
    {1, 1, 1}, {2, 5, 3}, {7, 8, 16}, {1, 16, 9}, {17, 3, 4}, {0, 2, 2}};

static padic_rnn_weights ops_rnn_weights(padic_dtype dtype, uint64_t rows, uint64_t inputs,
                                         uint64_t units)
{
    padic_rnn_weights w = PADIC_ZERO;
    w.input = padic_tensor_2d(dtype, &ops_rnn_given, rows, inputs);
    w.recurrent = padic_tensor_2d(dtype, &ops_rnn_given, rows, units);
    w.bias = w.recurrent_bias = padic_tensor_1d(dtype, &ops_rnn_given, rows);
    return w;
}

static void ops_rnn_steps(ops_run *run, uint32_t op)
{
    static const ops_case gru = {"", NULL, ops_rnn_gru_exact};
    static const ops_case lstm = {"", NULL, ops_rnn_lstm_exact};
    static const ops_case linear = {"", NULL, ops_rnn_linear_exact};
    for (uint32_t i = 0; i < 24; i++) {
        const uint64_t *n = ops_rnn_shapes[i % 6];
        const padic_dtype dtype = i < 12 ? PADIC_F32 : PADIC_F64;
        const padic_tensor x = padic_tensor_2d(dtype, NULL, n[0], n[1]);
        const padic_tensor h = padic_tensor_2d(dtype, NULL, n[0], n[2]);
        padic_rnn_gru_step_desc g = PADIC_ZERO;
        padic_rnn_lstm_step_desc l = PADIC_ZERO;
        padic_rnn_linear_desc d = PADIC_ZERO;
        g.x = l.x = d.x = x;
        g.h = g.out = l.h = l.c = l.out = l.out_c = d.out = h;
        g.weights = ops_rnn_weights(dtype, 3 * n[2], n[1], n[2]);
        g.reset = (padic_rnn_reset)(i / 6 % 2);
        g.update = (padic_rnn_update)(i % 2);
        l.weights = ops_rnn_weights(dtype, 4 * n[2], n[1], n[2]);
        l.forget_bias = i % 2;
        d.weights = padic_tensor_2d(dtype, NULL, n[2], n[1]);
        d.bias = padic_tensor_1d(dtype, &ops_rnn_given, n[2]);
        d.activation = (padic_rnn_activation)(i / 3 % 4);
        d.gain = 1.5;
        if (op == PADIC_OP_RNN_GRU_STEP) ops_check_vectors(run, op, &g, &gru);
        else if (op == PADIC_OP_RNN_LSTM_STEP) ops_check_vectors(run, op, &l, &lstm);
        else ops_check_vectors(run, op, &d, &linear);
    }
}

static void ops_rnn_gru(ops_run *run)
{
    ops_rnn_steps(run, PADIC_OP_RNN_GRU_STEP);
}

static void ops_rnn_lstm(ops_run *run)
{
    ops_rnn_steps(run, PADIC_OP_RNN_LSTM_STEP);
}

static void ops_rnn_linear(ops_run *run)
{
    ops_rnn_steps(run, PADIC_OP_RNN_LINEAR);
}

static void ops_rnn_convert(ops_run *run)
{
    static const ops_case each = {"", NULL, NULL}; // bits
    for (uint32_t i = 0; i < 12; i++) {
        const uint64_t *n = ops_rnn_shapes[i % 5], gates = i % 2 ? 4 : 3, all = gates * n[2];
        padic_rnn_convert_desc desc = PADIC_ZERO;
        desc.kind = i % 2 ? PADIC_RNN_KIND_LSTM : PADIC_RNN_KIND_GRU;
        desc.in = ops_rnn_weights(PADIC_F32, all, n[1], n[2]);
        desc.out = ops_rnn_weights(i % 3 ? PADIC_F32 : PADIC_F64, all, n[1], n[2]);
        desc.to = i % 4 < 2 ? PADIC_RNN_CONVENTION_ONNX : PADIC_RNN_CONVENTION_LIBRARY;
        if (desc.to == PADIC_RNN_CONVENTION_ONNX) {
            desc.out.bias = padic_tensor_1d(desc.out.bias.dtype, &ops_rnn_given, 2 * all);
            memset(&desc.out.recurrent_bias, 0, sizeof desc.out.recurrent_bias);
        }
        ops_check(run, PADIC_OP_RNN_CONVERT, &desc, &each);
    }
}

static void ops_rnn_path(ops_run *run)
{
    static const ops_case each = {"", NULL, NULL};
    for (uint32_t i = 0; i < 14; i++) {
        const padic_dtype dtype = i < 7 ? PADIC_F32 : PADIC_F64;
        const uint64_t count = 1 + 9 * (uint64_t)i;
        padic_rnn_path_desc desc = PADIC_ZERO;
        desc.preset = (padic_rnn_preset)(i % 7);
        desc.times = padic_tensor_1d(dtype, &ops_rnn_given, count);
        desc.position = desc.velocity = padic_tensor_2d(dtype, &ops_rnn_given, count, 3);
        ops_check(run, PADIC_OP_RNN_PATH, &desc, &each);
    }
}

// Random numbers in (-1/2, 1/2).
static void ops_rnn_random(padic_dtype dtype, void *out, uint64_t count)
{
    for (uint64_t k = 0; k < count; k++) {
        const float f = (float)((int64_t)test_random() >> 40) / 16777216.0f;
        if (dtype == PADIC_F32) ((float *)out)[k] = f;
        else ((double *)out)[k] = f;
    }
}

// A plan is of one context, so that the row makes two: a stack of two layers, on the backend and
// without a context.
static void ops_rnn_run(ops_run *run)
{
    for (uint32_t i = 0; i < 8 && !run->perf; i++) {
        const padic_dtype dtype = i % 2 ? PADIC_F64 : PADIC_F32;
        const uint64_t rows = 1 + i, units = 3 + i, steps = 5, outputs = steps * rows * units;
        double x[5 * 8 * 4], w[2][40 * 10], y[2][5 * 8 * 10], worst = 0;
        padic_rnn_layer layers[2] = {PADIC_ZERO, PADIC_ZERO};
        padic_rnn_plan_desc net = PADIC_ZERO;
        padic_result result = PADIC_OK;
        ops_rnn_random(dtype, x, sizeof x / sizeof *x);
        for (uint32_t l = 0; l < 2; l++) {
            const uint64_t gates = l ? 4 : 3;
            ops_rnn_random(dtype, w[l], sizeof w[l] / sizeof *w[l]);
            layers[l].kind = l ? PADIC_RNN_KIND_LSTM : PADIC_RNN_KIND_GRU;
            layers[l].weights.input = padic_tensor_2d(dtype, w[0], gates * units, l ? units : 4);
            layers[l].weights.recurrent = padic_tensor_2d(dtype, w[1], gates * units, units);
        }
        net.dtype = dtype;
        net.layers = layers;
        net.layer_count = 2;
        for (int how = 0; how < 2 && !result; how++) {
            padic_context *context = how ? run->context : NULL;
            padic_rnn_plan *plan = NULL;
            padic_rnn_run_desc desc = PADIC_ZERO;
            result = padic_rnn_plan_create(context, &net, &plan);
            desc.plan = plan;
            desc.x = padic_tensor_3d(dtype, x, steps, rows, 4);
            desc.out = padic_tensor_3d(dtype, y[how], steps, rows, units);
            if (!result) result = padic_rnn_run(context, &desc);
            padic_rnn_plan_destroy(plan);
        }
        CHECK(!result || (run->context && result == PADIC_ERROR_NOT_SUPPORTED));
        for (uint64_t k = 0; k < outputs && !result; k++)
            worst = fmax(worst, dtype == PADIC_F32
                                    ? fabs((double)((float *)y[0])[k] - (double)((float *)y[1])[k])
                                    : fabs(y[0][k] - y[1][k]));
        CHECK(worst <= (dtype == PADIC_F32 ? 1e-4 : 1e-12));
        ops_note(run, dtype, !result);
    }
}

#define OPS_RNN                                                                             \
    {"rnn_gru_step", ops_rnn_gru}, {"rnn_lstm_step", ops_rnn_lstm},                         \
        {"rnn_linear", ops_rnn_linear}, {"rnn_run", ops_rnn_run},                           \
        {"rnn_convert", ops_rnn_convert}, {"rnn_path", ops_rnn_path},
