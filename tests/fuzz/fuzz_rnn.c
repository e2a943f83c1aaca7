// fuzz_rnn.c: calls of rnn that are legal or nearly so, chosen by the bytes: shapes, strides,
// types, enums off by one, overlapping and misaligned arrays, sizes that overflow, workspaces a
// byte short, plans of another context. See fuzz_views.h.
#define PADIC_IMPLEMENTATION
#include "../../padic.h"
#include "../../backends/padic_simd.h"
#include "fuzz.h"
#include "fuzz_views.h"

static padic_dtype weights_dtype(padic_dtype states)
{
    static const padic_dtype all[] = {PADIC_F32, PADIC_F16, PADIC_BF16, PADIC_I8};
    return states == PADIC_F64 ? PADIC_F64 : all[next(4)];
}

static padic_rnn_weights weights_of(padic_dtype states, uint64_t gates, uint64_t inputs,
                                    uint64_t units)
{
    padic_rnn_weights w;
    const uint64_t rows = gates * units;
    memset(&w, 0, sizeof w);
    const padic_dtype a = weights_dtype(states), b = weights_dtype(states);
    w.input = view_2(a, rows, inputs);
    if (a == PADIC_I8) w.input_scale = view_1(PADIC_F32, rows);
    if (gates > 1) w.recurrent = view_2(b, rows, units);
    if (gates > 1 && b == PADIC_I8) w.recurrent_scale = view_1(PADIC_F32, rows);
    if (next(3)) w.bias = view_1(states, rows);
    if (gates > 1 && next(3)) w.recurrent_bias = view_1(states, rows);
    return w;
}

static uint64_t size_of_axis(void)
{
    return next(30) ? 1 + next(9) : next(70);
}

static uint32_t flags_of(uint32_t allowed)
{
    if (!next(40)) return mistakes++, 1u << next(32);
    return next(4) ? 0 : next(16) & allowed;
}

static void fuzz_steps(padic_context *context)
{
    const uint64_t rows = size_of_axis(), inputs = size_of_axis(), units = size_of_axis();
    const padic_dtype dtype = next(3) ? PADIC_F32 : PADIC_F64;
    if (!inputs || !units) mistakes++;
    if (next(2)) {
        padic_rnn_gru_step_desc d;
        memset(&d, 0, sizeof d);
        d.x = view_2(dtype, rows, inputs);
        d.h = view_2(dtype, rows, units);
        d.weights = weights_of(dtype, 3, inputs, units);
        d.reset = (padic_rnn_reset)enumerated(2);
        d.update = (padic_rnn_update)enumerated(2);
        d.out = next(4) ? view_2(dtype, rows, units) : d.h;
        d.flags = flags_of(PADIC_RNN_CHECK_FINITE);
        d.workspace = workspace_of(padic_rnn_gru_step_workspace(context, &d));
        blocks_keep();
        fuzz_after(context, padic_rnn_gru_step(context, &d));
    } else {
        padic_rnn_lstm_step_desc d;
        memset(&d, 0, sizeof d);
        d.x = view_2(dtype, rows, inputs);
        d.h = view_2(dtype, rows, units);
        d.c = view_2(dtype, rows, units);
        d.weights = weights_of(dtype, 4, inputs, units);
        d.forget_bias = (double)next(3);
        d.out = next(4) ? view_2(dtype, rows, units) : d.h;
        d.out_c = next(4) ? view_2(dtype, rows, units) : d.c;
        if (!next(40)) mistakes++, d.out_c = d.out;
        d.flags = flags_of(PADIC_RNN_CHECK_FINITE);
        d.workspace = workspace_of(padic_rnn_lstm_step_workspace(context, &d));
        blocks_keep();
        fuzz_after(context, padic_rnn_lstm_step(context, &d));
    }
}

static void fuzz_linear(padic_context *context)
{
    const uint64_t rows = size_of_axis(), inputs = size_of_axis(), units = size_of_axis();
    const padic_dtype dtype = next(3) ? PADIC_F32 : PADIC_F64;
    const padic_rnn_weights w = weights_of(dtype, 1, inputs, units);
    padic_rnn_linear_desc d;
    memset(&d, 0, sizeof d);
    if (!inputs || !units) mistakes++;
    d.x = view_2(dtype, rows, inputs);
    d.weights = w.input;
    d.scale = w.input_scale;
    d.bias = w.bias;
    d.activation = (padic_rnn_activation)enumerated(4);
    d.gain = (double)next(3) - 1;
    d.out = view_2(dtype, rows, units);
    d.flags = flags_of(PADIC_RNN_CHECK_FINITE);
    d.workspace = workspace_of(padic_rnn_linear_workspace(context, &d));
    blocks_keep();
    fuzz_after(context, padic_rnn_linear(context, &d));
}

typedef struct stack {
    padic_rnn_layer layers[PADIC_RNN_LAYERS + 1];
    padic_rnn_plan_desc desc;
    uint64_t inputs, outputs, states, state;
    padic_dtype dtype;
    int lstm;
} stack;

static void stack_of(stack *s)
{
    memset(s, 0, sizeof *s);
    s->dtype = next(3) ? PADIC_F32 : PADIC_F64;
    s->desc.layers = s->layers;
    s->desc.layer_count = next(20) ? 1 + next(3) : next(18);
    s->desc.dtype = s->dtype;
    s->desc.flags = next(3) ? 0 : flags_of(PADIC_RNN_REVERSE | PADIC_RNN_BIDIRECTIONAL);
    if (s->desc.flags == (PADIC_RNN_REVERSE | PADIC_RNN_BIDIRECTIONAL)) mistakes++;
    const uint32_t both = s->desc.flags & PADIC_RNN_BIDIRECTIONAL ? 2 : 1;
    if (!s->desc.layer_count || s->desc.layer_count > PADIC_RNN_LAYERS) mistakes++;
    s->inputs = s->outputs = size_of_axis();
    for (uint32_t i = 0; i < s->desc.layer_count; i++) {
        padic_rnn_layer *l = &s->layers[i];
        const uint64_t inputs = s->outputs, units = size_of_axis();
        if (!inputs || !units) mistakes++;
        l->kind = (padic_rnn_kind)enumerated(3);
        const int linear = l->kind == PADIC_RNN_KIND_LINEAR;
        const uint64_t gates = linear ? 1 : l->kind == PADIC_RNN_KIND_GRU ? 3 : 4;
        if (l->kind == PADIC_RNN_KIND_GRU) {
            l->reset = (padic_rnn_reset)enumerated(2);
            l->update = (padic_rnn_update)enumerated(2);
        }
        if (linear) l->activation = (padic_rnn_activation)enumerated(4), l->gain = (double)next(3);
        if (l->kind == PADIC_RNN_KIND_LSTM) l->forget_bias = (double)next(3), s->lstm = 1;
        l->weights = weights_of(s->dtype, gates, inputs, units);
        if (!linear && both == 2) l->backward = weights_of(s->dtype, gates, inputs, units);
        s->outputs = units * (linear ? 1 : both);
        if (!linear) s->states += both;
        if (!linear && units > s->state) s->state = units;
    }
    if (!next(3)) {
        s->desc.feedback = (padic_rnn_feedback)enumerated(3);
        s->desc.feedback_first = next(40) ? next(3) : UINT64_MAX - next(3);
        s->desc.clip_radius = next(10) ? (double)next(2) : (double)next(3) - 2;
        mistakes++; // it may not fit
    }
    s->desc.batch = next(20) ? next(65) : next(2) ? 65 : UINT64_MAX;
    if (s->desc.batch > 64) mistakes++;
    s->desc.steps = next(30) ? 1 + next(9) : next(2) ? 0 : UINT64_MAX >> next(2);
    if (s->desc.steps > 9 || !s->desc.steps) mistakes++;
}

static void fuzz_run(padic_context *context, const stack *s, padic_rnn_plan *plan)
{
    const uint64_t steps = next(8) ? 1 + next(5) : 0, rows = size_of_axis();
    padic_rnn_run_desc d;
    memset(&d, 0, sizeof d);
    d.plan = plan;
    d.flags = flags_of(PADIC_RNN_BATCH_FIRST | PADIC_RNN_CHECK_FINITE);
    const int first = (d.flags & PADIC_RNN_BATCH_FIRST) != 0;
    const uint64_t a = first ? rows : steps, b = first ? steps : rows;
    if (steps > s->desc.steps) mistakes++;
    d.x = view_3(s->dtype, a, b, s->inputs);
    if (!s->states && !next(20)) mistakes++, d.out_h = view_3(s->dtype, 1, rows, 1);
    if (s->states && next(2)) d.h0 = view_3(s->dtype, s->states, rows, s->state);
    if (s->lstm && next(2)) d.c0 = view_3(s->dtype, s->states, rows, s->state);
    if (!next(3)) {
        uint64_t lead;
        d.lengths = view_1(PADIC_U32, rows);
        if (d.lengths.data && view_size(&d.lengths, &lead) == 4 * rows && !lead) {
            uint32_t *p = (uint32_t *)(void *)fuzz_new(4 * (size_t)rows);
            for (uint64_t i = 0; i < rows; i++) {
                p[i] = next(40) ? next((uint32_t)steps + 1) : UINT32_MAX - next(2);
                if (p[i] > steps) mistakes++;
            }
            memcpy(d.lengths.data, p, 4 * (size_t)rows);
            free(p);
        } else {
            mistakes++;
        }
    }
    if (next(6)) d.out = view_3(s->dtype, a, b, s->outputs);
    d.out_h = d.h0, d.out_c = d.c0; // in place, or apart
    if (s->states && next(3)) d.out_h = view_3(s->dtype, s->states, rows, s->state);
    if (s->lstm && next(3)) d.out_c = view_3(s->dtype, s->states, rows, s->state);
    if (next(2) && (s->desc.feedback || !next(20))) {
        if (!s->desc.feedback) mistakes++;
        d.columns = view_3(s->dtype, a, b, s->outputs);
    }
    padic_context *other = next(30) ? context : (mistakes++, any_context());
    blocks_keep();
    fuzz_after(other, padic_rnn_run(other, &d));
}

static void fuzz_plan(padic_context *context)
{
    stack s;
    padic_rnn_plan *plan = NULL;
    padic_rnn_plan_report report;
    stack_of(&s);
    if (!context && s.desc.steps > 9) s.desc.steps = 9; // a sanitizer's malloc() refuses aloud
    const uint64_t size = padic_rnn_plan_size_bound(context, &s.desc);
    s.desc.workspace = workspace_of(size);
    blocks_keep();
    const padic_result result = padic_rnn_plan_create(context, &s.desc, &plan);
    fuzz_after(context, result);
    FUZZ_CHECK(!result == !!plan);
    FUZZ_CHECK(result || size);
    if (plan) {
        FUZZ_CHECK(!padic_rnn_plan_info(plan, &report));
        FUZZ_CHECK(report.size <= size);
        FUZZ_CHECK(mistakes || (report.input == s.inputs && report.output == s.outputs));
        for (int i = 0; i < 3; i++) fuzz_run(context, &s, plan);
    }
    padic_rnn_plan_destroy(plan);
}

static padic_rnn_weights arrays_of(uint32_t convention, uint64_t gates, uint64_t inputs,
                                   uint64_t units, int after)
{
    static const padic_dtype all[] = {PADIC_F32, PADIC_F64, PADIC_F16, PADIC_BF16, PADIC_I8};
    padic_rnn_weights w;
    const uint64_t rows = gates * units;
    const padic_dtype a = all[next(5)], b = all[next(5)], c = all[next(4)];
    memset(&w, 0, sizeof w);
    if (convention == PADIC_RNN_CONVENTION_LEGACY) {
        w.input = view_3(a, 3, units, inputs + units);
        if (next(2)) w.bias = view_2(c, 3, units);
    } else if (convention == PADIC_RNN_CONVENTION_KERAS) {
        w.input = view_2(a, inputs, rows);
        w.recurrent = view_2(b, units, rows);
        if (next(2)) w.bias = after ? view_2(c, 2, rows) : view_1(c, rows);
    } else if (convention == PADIC_RNN_CONVENTION_ONNX && next(2)) {
        w.input = view_3(a, 2, rows, inputs);
        w.recurrent = view_3(b, 2, rows, units);
        if (next(2)) w.bias = view_2(c, 2, 2 * rows);
    } else {
        w.input = view_2(a, rows, inputs);
        w.recurrent = view_2(b, rows, units);
        if (next(2)) w.bias = view_1(c, convention ? 2 * rows : rows);
        if (!convention && next(2)) w.recurrent_bias = view_1(all[next(4)], rows);
    }
    if (a == PADIC_I8) w.input_scale = view_1(PADIC_F32, rows);
    if (b == PADIC_I8) w.recurrent_scale = view_1(PADIC_F32, rows);
    return w;
}

static void fuzz_convert(padic_context *context)
{
    padic_rnn_convert_desc d;
    const uint64_t inputs = size_of_axis(), units = size_of_axis();
    memset(&d, 0, sizeof d);
    d.kind = (padic_rnn_kind)enumerated(2);
    d.reset = (padic_rnn_reset)enumerated(2);
    d.update = (padic_rnn_update)enumerated(2);
    d.from = (padic_rnn_convention)enumerated(4);
    d.to = (padic_rnn_convention)enumerated(4);
    const uint64_t gates = d.kind == PADIC_RNN_KIND_GRU ? 3 : 4;
    const int after = gates == 3 && d.reset == PADIC_RNN_RESET_AFTER;
    d.in = arrays_of((uint32_t)d.from, gates, inputs, units, after);
    d.out = arrays_of((uint32_t)d.to, gates, inputs, units, after);
    d.from_direction = next(8) ? next(2) : next(4);
    d.to_direction = next(8) ? next(2) : next(4);
    if (!next(20)) d.peepholes = view_1(PADIC_F32, 3 * units);
    if (!next(40)) d.projection = next(3);
    mistakes++;
    blocks_keep();
    fuzz_after(context, padic_rnn_convert(context, &d));
}

static void fuzz_path(padic_context *context)
{
    padic_rnn_path_desc d;
    const uint64_t n = size_of_axis(), harmonics = 1 + next(68);
    memset(&d, 0, sizeof d);
    d.preset = (padic_rnn_preset)enumerated(8);
    for (int i = 0; i < 3; i++) d.ratio[i] = next(4) ? next(5) : next(200);
    if (d.preset == PADIC_RNN_PRESET_CUSTOM || !next(20)) {
        if (next(4)) d.cosines = view_2(PADIC_F64, 3, harmonics);
        if (next(4)) d.sines = view_2(PADIC_F64, 3, harmonics);
    }
    if (!next(8)) memset(&d.frequency, (int)next(256), sizeof d.frequency);
    if (next(3)) d.times = view_1(next(2) ? PADIC_F32 : PADIC_F64, n);
    if (next(8)) d.position = view_2(next(2) ? PADIC_F32 : PADIC_F64, n, 3);
    if (next(3)) d.velocity = view_2(next(2) ? PADIC_F32 : PADIC_F64, n, 3);
    mistakes++;
    blocks_keep();
    fuzz_after(context, padic_rnn_path(context, &d));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_begin();
    at = data, end = data + size;
    while (at < end) {
        const uint64_t before = memory.bytes;
        padic_context *context = any_context();
        mistakes = 0;
        switch (next(8)) {
        case 0:
        case 1: fuzz_steps(context); break;
        case 2: fuzz_linear(context); break;
        case 3: fuzz_convert(context); break;
        case 4: fuzz_path(context); break;
        default: fuzz_plan(context); break;
        }
        blocks_free();
        FUZZ_CHECK(memory.bytes == before || memory.bytes <= 1 << 20); // the pool keeps some
    }
    return 0;
}
