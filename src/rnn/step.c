#include "step.h"
#include "../context/messages.h"
#include "../context/operation.h"
#include "../context/ops.h"
#include "../context/state.h"
#include "../context/workspace.h"
#include "../core/memory.h"
#include "../core/view.h"
#include "weights.h"

#if PADICI_IMPLEMENT_RNN

// One step of one layer: a net of one part, on the caller's weights.

typedef struct padici_rnn_step {
    padici_rnn_options is;
    const padic_rnn_weights *weights;
    const padic_tensor *x, *h, *c, *out, *out_c, *workspace;
    uint32_t flags;
} padici_rnn_step;

// Operands

static uint32_t padici_rnn_operand(padici_operand *operands, uint32_t n, const char *name,
                                   padic_tensor *tensor, uint8_t out, uint8_t kind)
{
    operands[n].name = name;
    operands[n].tensor = tensor;
    operands[n].out = out;
    operands[n].kind = kind;
    return n + 1;
}

static uint32_t padici_rnn_optional(padici_operand *operands, uint32_t n, const char *name,
                                    padic_tensor *tensor)
{
    return padici_rnn_here(tensor) ? padici_rnn_operand(operands, n, name, tensor, 0, 0) : n;
}

static uint32_t padici_rnn_weight_operands(padici_operand *operands, uint32_t n,
                                           padic_rnn_weights *w)
{
    n = padici_rnn_operand(operands, n, "weights.input", &w->input, 0, 0);
    n = padici_rnn_operand(operands, n, "weights.recurrent", &w->recurrent, 0, 0);
    n = padici_rnn_optional(operands, n, "weights.bias", &w->bias);
    n = padici_rnn_optional(operands, n, "weights.recurrent_bias", &w->recurrent_bias);
    n = padici_rnn_optional(operands, n, "weights.input_scale", &w->input_scale);
    return padici_rnn_optional(operands, n, "weights.recurrent_scale", &w->recurrent_scale);
}

PADICI_FN uint32_t padici_rnn_gru_step_operands(void *desc_, padici_operand *operands)
{
    padic_rnn_gru_step_desc *desc = (padic_rnn_gru_step_desc *)desc_;
    uint32_t n = padici_rnn_operand(operands, 0, "x", &desc->x, 0, 0);
    operands[0].any_stride = 1;
    n = padici_rnn_operand(operands, n, "h", &desc->h, 0, 1);
    n = padici_rnn_operand(operands, n, "out", &desc->out, 1, 1);
    return padici_rnn_weight_operands(operands, n, &desc->weights);
}

PADICI_FN uint32_t padici_rnn_lstm_step_operands(void *desc_, padici_operand *operands)
{
    padic_rnn_lstm_step_desc *desc = (padic_rnn_lstm_step_desc *)desc_;
    uint32_t n = padici_rnn_operand(operands, 0, "x", &desc->x, 0, 0);
    operands[0].any_stride = 1;
    n = padici_rnn_operand(operands, n, "h", &desc->h, 0, 1);
    n = padici_rnn_operand(operands, n, "c", &desc->c, 0, 2);
    n = padici_rnn_operand(operands, n, "out", &desc->out, 1, 1);
    n = padici_rnn_operand(operands, n, "out_c", &desc->out_c, 1, 2);
    return padici_rnn_weight_operands(operands, n, &desc->weights);
}

PADICI_FN uint32_t padici_rnn_linear_operands(void *desc_, padici_operand *operands)
{
    padic_rnn_linear_desc *desc = (padic_rnn_linear_desc *)desc_;
    uint32_t n = padici_rnn_operand(operands, 0, "x", &desc->x, 0, 0);
    operands[0].any_stride = 1;
    n = padici_rnn_operand(operands, n, "weights", &desc->weights, 0, 0);
    n = padici_rnn_optional(operands, n, "scale", &desc->scale);
    n = padici_rnn_optional(operands, n, "bias", &desc->bias);
    return padici_rnn_operand(operands, n, "out", &desc->out, 1, 0);
}

// Descs as steps

static void padici_rnn_step_gru(const padic_rnn_gru_step_desc *desc, padici_rnn_step *step)
{
    memset(step, 0, sizeof *step);
    step->is.kind = PADIC_RNN_KIND_GRU;
    step->is.reset = desc->reset;
    step->is.update = desc->update;
    step->weights = &desc->weights;
    step->x = &desc->x;
    step->h = &desc->h;
    step->out = &desc->out;
    step->flags = desc->flags;
    step->workspace = &desc->workspace;
}

static void padici_rnn_step_lstm(const padic_rnn_lstm_step_desc *desc, padici_rnn_step *step)
{
    memset(step, 0, sizeof *step);
    step->is.kind = PADIC_RNN_KIND_LSTM;
    step->is.forget_bias = desc->forget_bias;
    step->weights = &desc->weights;
    step->x = &desc->x;
    step->h = &desc->h;
    step->c = &desc->c;
    step->out = &desc->out;
    step->out_c = &desc->out_c;
    step->flags = desc->flags;
    step->workspace = &desc->workspace;
}

static void padici_rnn_step_linear(const padic_rnn_linear_desc *desc, padic_rnn_weights *weights,
                                   padici_rnn_step *step)
{
    memset(step, 0, sizeof *step);
    memset(weights, 0, sizeof *weights);
    weights->input = desc->weights;
    weights->input_scale = desc->scale;
    weights->bias = desc->bias;
    step->is.kind = PADIC_RNN_KIND_LINEAR;
    step->is.activation = desc->activation;
    step->is.gain = desc->gain;
    step->weights = weights;
    step->x = &desc->x;
    step->out = &desc->out;
    step->flags = desc->flags;
    step->workspace = &desc->workspace;
}

// The net of a step, without its biases.
static void padici_rnn_step_net(const padici_rnn_step *step, const padici_rnn_kernels *kernels,
                                padici_rnn_part *part, padici_rnn_net *net)
{
    padici_rnn_part_begin(&step->is, step->weights, part);
    memset(net, 0, sizeof *net);
    net->kernels = kernels;
    net->part = part;
    net->layers = net->directions = 1;
    net->is_double = step->x->dtype == PADIC_F64;
    padici_rnn_net_measure(net);
}

// Bytes of biases, and of each worker's memory. With doubles it is at least that with floats.
static uint64_t padici_rnn_step_bytes(const padici_rnn_net *net, const padici_rnn_step *step,
                                      const padic_jobs *jobs, padici_rnn_work *work)
{
    const uint64_t biases = (net->part->width + net->part->units + 16) * 8;
    work->rows = step->x->shape[0];
    work->steps = 1;
    work->block = padici_rnn_blocks(work->rows, PADICI_RNN_ROWS, jobs ? jobs->workers : 1,
                                    &work->workers);
    work->room = padici_rnn_work_room(net, work->block, 1);
    return ((biases + 63) & ~(uint64_t)63) + work->workers * work->room;
}

// The shapes are those of a step.
static uint64_t padici_rnn_step_workspace(const padic_jobs *jobs, const padici_rnn_step *step)
{
    padici_rnn_part part;
    padici_rnn_net net;
    padici_rnn_work work;
    padici_rnn_step_net(step, padici_rnn_plain(), &part, &net);
    return padici_rnn_step_bytes(&net, step, jobs, &work);
}

// Checks

static padic_result padici_rnn_rows_check(padic_context *context, const char *field,
                                          const padic_tensor *t, const padic_tensor *x,
                                          uint64_t columns)
{
    const padic_result result = padici_rnn_dtype_check(context, field, t, x->dtype);
    return result ? result
                  : padici_rnn_shape_check(context, field, t, 2, x->shape[0], columns, 0);
}

static padic_result padici_rnn_step_shapes(padic_context *context, const padici_rnn_step *step)
{
    static const char *const linear[] = {"weights", "scale", "bias"};
    const padic_rnn_weights *w = step->weights;
    const padic_tensor *x = step->x;
    uint64_t units;
    padic_result result = padici_rnn_options_check(context, &step->is);
    if (result) return result;
    if (x->dtype != PADIC_F32 && x->dtype != PADIC_F64)
        return padici_fail_field(context, PADIC_ERROR_DTYPE, "x", "is not f32 or f64");
    if (x->rank != 2)
        return padici_fail_field(context, PADIC_ERROR_MISMATCH, "x", "is not (B, I)");
    result = padici_rnn_weights_check(context, step->is.kind, w, x->dtype,
                                      step->is.kind == PADIC_RNN_KIND_LINEAR ? linear : NULL);
    if (result) return result;
    if (x->shape[1] != w->input.shape[1])
        return padici_fail_field(context, PADIC_ERROR_MISMATCH, "x",
                                 "has other columns than the input weights");
    units = step->is.kind == PADIC_RNN_KIND_LINEAR ? w->input.shape[0] : w->recurrent.shape[1];
    result = padici_rnn_rows_check(context, "out", step->out, x, units);
    if (!result && step->h) result = padici_rnn_rows_check(context, "h", step->h, x, units);
    if (!result && step->c) result = padici_rnn_rows_check(context, "c", step->c, x, units);
    if (!result && step->out_c)
        result = padici_rnn_rows_check(context, "out_c", step->out_c, x, units);
    return result;
}

static padic_result padici_rnn_step_check(padic_context *context, const padici_rnn_step *step)
{
    padic_result result;
    if (step->flags & ~(uint32_t)PADIC_RNN_CHECK_FINITE)
        return padici_fail_field(context, PADIC_ERROR_ARGUMENT, "flags", "has an unknown bit");
    result = padici_rnn_step_shapes(context, step);
    return result ? result
                  : padici_workspace_check(context, step->workspace,
                                           padici_rnn_step_workspace(
                                               context ? padici_jobs(context) : NULL, step));
}

PADICI_FN padic_result padici_rnn_gru_step_check(padic_context *context, const void *desc)
{
    padici_rnn_step step;
    padici_rnn_step_gru((const padic_rnn_gru_step_desc *)desc, &step);
    return padici_rnn_step_check(context, &step);
}

PADICI_FN padic_result padici_rnn_lstm_step_check(padic_context *context, const void *desc)
{
    padici_rnn_step step;
    padici_rnn_step_lstm((const padic_rnn_lstm_step_desc *)desc, &step);
    return padici_rnn_step_check(context, &step);
}

PADICI_FN padic_result padici_rnn_linear_check(padic_context *context, const void *desc)
{
    padic_rnn_weights weights;
    padici_rnn_step step;
    padici_rnn_step_linear((const padic_rnn_linear_desc *)desc, &weights, &step);
    return padici_rnn_step_check(context, &step);
}

// Work

static padici_rnn_view padici_rnn_step_view(const padic_tensor *t)
{
    int64_t stride[PADIC_MAX_RANK];
    padici_rnn_view view;
    memset(&view, 0, sizeof view);
    if (!t) return view;
    padici_rnn_strides(t, stride);
    view.at = (char *)t->data;
    view.row = stride[0];
    view.column = stride[1];
    return view;
}

static int padici_rnn_step_finite(const padici_rnn_work *work)
{
    const padici_rnn_net *net = work->net;
    return padici_rnn_finite(&work->x, 1, work->rows, net->inputs, NULL, net->is_double) &&
           padici_rnn_finite(&work->h0, 1, work->rows, net->state, NULL, net->is_double) &&
           padici_rnn_finite(&work->c0, 1, work->rows, net->state, NULL, net->is_double);
}

static padic_result padici_rnn_step_run(const padic_env *env, const padici_rnn_kernels *kernels,
                                        const padici_rnn_step *step)
{
    const padic_jobs *jobs = padici_env_jobs(env);
    padici_rnn_work work;
    padici_rnn_part part;
    padici_rnn_net net;
    uint64_t bytes;
    char *memory = (char *)step->workspace->data;
    if (!step->x->shape[0]) return PADIC_OK;
    if (step->x->dtype == PADIC_F64) kernels = padici_rnn_plain();
    padici_rnn_step_net(step, kernels, &part, &net);
    memset(&work, 0, sizeof work);
    work.net = &net;
    work.x = padici_rnn_step_view(step->x);
    work.h0 = padici_rnn_step_view(step->h);
    work.c0 = padici_rnn_step_view(step->c);
    if (step->h) work.out_h = padici_rnn_step_view(step->out);
    else work.out = padici_rnn_step_view(step->out);
    work.out_c = padici_rnn_step_view(step->out_c);
    bytes = padici_rnn_step_bytes(&net, step, jobs, &work);
    if ((step->flags & PADIC_RNN_CHECK_FINITE) && !padici_rnn_step_finite(&work))
        return padici_env_fail(env, PADIC_ERROR_DOMAIN, "x, h or c has a NaN or an infinity");
    if (!memory && bytes <= (size_t)-1 / 2)
        memory = (char *)padici_alloc(env ? env->allocator : NULL, (size_t)bytes, 64);
    if (!memory) return padici_env_fail(env, PADIC_ERROR_MEMORY, "no memory to work in");
    part.bias = memory;
    part.fresh_bias = memory + part.width * (kernels->is_double ? 8 : 4);
    padici_rnn_bias_fill(&step->is, step->weights, &part, kernels->is_double, memory,
                         memory + part.width * (kernels->is_double ? 8 : 4));
    work.scratch = memory + (bytes - work.workers * work.room);
    padici_rnn_work_run(&work, jobs);
    if (!step->workspace->data)
        padici_free(env ? env->allocator : NULL, memory, (size_t)bytes);
    return PADIC_OK;
}

PADICI_FN padic_result padici_rnn_gru_step_run(const padic_env *env,
                                               const padici_rnn_kernels *kernels,
                                               const padic_rnn_gru_step_desc *desc)
{
    padici_rnn_step step;
    padici_rnn_step_gru(desc, &step);
    return padici_rnn_step_run(env, kernels, &step);
}

PADICI_FN padic_result padici_rnn_lstm_step_run(const padic_env *env,
                                                const padici_rnn_kernels *kernels,
                                                const padic_rnn_lstm_step_desc *desc)
{
    padici_rnn_step step;
    padici_rnn_step_lstm(desc, &step);
    return padici_rnn_step_run(env, kernels, &step);
}

PADICI_FN padic_result padici_rnn_linear_run(const padic_env *env,
                                             const padici_rnn_kernels *kernels,
                                             const padic_rnn_linear_desc *desc)
{
    padic_rnn_weights weights;
    padici_rnn_step step;
    padici_rnn_step_linear(desc, &weights, &step);
    return padici_rnn_step_run(env, kernels, &step);
}

PADICI_FN padic_result padici_rnn_gru_step_host(const padic_env *env, const void *desc)
{
    return padici_rnn_gru_step_run(env, padici_rnn_plain(), (const padic_rnn_gru_step_desc *)desc);
}

PADICI_FN padic_result padici_rnn_lstm_step_host(const padic_env *env, const void *desc)
{
    return padici_rnn_lstm_step_run(env, padici_rnn_plain(),
                                    (const padic_rnn_lstm_step_desc *)desc);
}

PADICI_FN padic_result padici_rnn_linear_host(const padic_env *env, const void *desc)
{
    return padici_rnn_linear_run(env, padici_rnn_plain(), (const padic_rnn_linear_desc *)desc);
}

// Sizes asked beforehand

static uint64_t padici_rnn_step_asked(padic_context *context, const padici_rnn_step *step)
{
    uint64_t count;
    if (padici_tensor_check_view(step->x, 1, &count) ||
        padici_tensor_check_view(&step->weights->input, 0, &count) ||
        (step->h && padici_tensor_check_view(&step->weights->recurrent, 0, &count)) ||
        padici_rnn_step_shapes(NULL, step))
        return 0;
    return padici_rnn_step_workspace(context ? padici_jobs(context) : NULL, step);
}

PADIC_API uint64_t padic_rnn_gru_step_workspace(padic_context *context,
                                                const padic_rnn_gru_step_desc *desc)
{
    padici_rnn_step step;
    if (!desc) return 0;
    padici_rnn_step_gru(desc, &step);
    return padici_rnn_step_asked(context, &step);
}

PADIC_API uint64_t padic_rnn_lstm_step_workspace(padic_context *context,
                                                 const padic_rnn_lstm_step_desc *desc)
{
    padici_rnn_step step;
    if (!desc) return 0;
    padici_rnn_step_lstm(desc, &step);
    return padici_rnn_step_asked(context, &step);
}

PADIC_API uint64_t padic_rnn_linear_workspace(padic_context *context,
                                              const padic_rnn_linear_desc *desc)
{
    padic_rnn_weights weights;
    padici_rnn_step step;
    if (!desc) return 0;
    padici_rnn_step_linear(desc, &weights, &step);
    return padici_rnn_step_asked(context, &step);
}

#endif
