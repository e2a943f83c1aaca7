#include "product.h"
#include "../../context/messages.h"
#include "../../context/operation.h"
#include "../../context/ops.h"
#include "../../context/recording.h"
#include "../../context/target.h"
#include "../../rnn/weights.h"
#include "../launch.h"

#if PADICI_IMPLEMENT_GPU && !defined(PADIC_NO_RNN)

// rnn_gru_step, rnn_lstm_step, rnn_linear: products of the inputs and of the states, then cells.

typedef struct padici_gpu_rnn_step {
    padici_gpu *gpu;
    const padici_call *call;
    padici_rnn_options is;
    const padic_tensor *matrix[2], *bias[2], *scale[2]; // of x, of h
    const padic_tensor *tensor[5]; // x, h, c, out, out_c; NULL: not of this cell
    padici_gpu_rnn_view x, h, c, out, out_c;
    uint32_t flags, rows, units;
    padici_gpu_block sums, back, reset;
} padici_gpu_rnn_step;

// From row `first` of the weights on, `width` of them: of x or of h.
static void padici_gpu_rnn_step_product(const padici_gpu_rnn_step *s, uint32_t recurrent,
                                        uint32_t first, uint32_t width,
                                        padici_gpu_rnn_product *p)
{
    const padic_tensor *w = s->matrix[recurrent], *bias = s->bias[recurrent];
    const padici_gpu_rnn_view *x = recurrent ? &s->h : &s->x;
    padici_gpu_rnn_view view;
    memset(p, 0, sizeof *p);
    padici_gpu_rnn_view_of(s->call, w, &view);
    p->dtype = w->dtype;
    p->weights = view.mem;
    p->k.w_row = view.step[0];
    p->k.w_column = 1;
    p->k.w_at = view.at + first * view.step[0];
    padici_gpu_rnn_view_of(s->call, bias, &view);
    p->k.bias = padici_rnn_here(bias) != 0;
    p->bias = view.mem;
    p->k.bias_at = view.at + first;
    padici_gpu_rnn_view_of(s->call, s->scale[recurrent], &view);
    p->scale = view.mem;
    p->k.scale_at = view.at + first;
    p->x = x->mem;
    p->k.x_at = x->at;
    p->k.x_row = x->step[0];
    p->k.x_column = x->step[1];
    p->k.rows = p->k.batch = s->rows;
    p->k.width = width;
    p->k.depth = (uint32_t)w->shape[1];
    p->k.steps = 1;
    p->k.gain = 1;
    p->k.out_column = 1;
}

static padic_result padici_gpu_rnn_step_linear(const padici_gpu_rnn_step *s)
{
    padici_gpu_rnn_product p;
    padici_gpu_rnn_step_product(s, 0, 0, s->units, &p);
    p.k.flags = padici_gpu_rnn_flags(&s->is);
    p.k.gain = (float)(s->is.gain != 0 ? s->is.gain : 1);
    p.out = s->out.mem;
    p.k.out_at = s->out.at;
    p.k.out_row = s->out.step[0];
    p.k.out_column = s->out.step[1];
    return padici_gpu_rnn_multiply(s->gpu, &p, s->rows <= PADICI_GPU_RNN_FEW);
}

// One launch of the cells; `reset`: of a GRU BEFORE, its states times s(r).
static padic_result padici_gpu_rnn_step_cells(const padici_gpu_rnn_step *s, uint32_t reset)
{
    const int lstm = s->is.kind == PADIC_RNN_KIND_LSTM;
    const char *define;
    padici_k_rnn_cells_params k;
    padici_gpu_work work;
    memset(&k, 0, sizeof k);
    memset(&work, 0, sizeof work);
    k.kind = (uint32_t)s->is.kind;
    k.flags = padici_gpu_rnn_flags(&s->is);
    k.units = s->units;
    k.rows = s->rows;
    k.reset = reset;
    k.steps = 1;
    k.h_at = s->h.at;
    k.h_row = s->h.step[0];
    k.h_column = s->h.step[1];
    k.c_at = s->c.at;
    k.c_row = s->c.step[0];
    k.c_column = s->c.step[1];
    k.out_at = reset ? 0 : s->out.at;
    k.out_row = reset ? s->units : s->out.step[0];
    k.out_column = reset ? 1 : s->out.step[1];
    k.out_c_at = s->out_c.at;
    k.out_c_row = s->out_c.step[0];
    k.out_c_column = s->out_c.step[1];
    k.forget_bias = (float)s->is.forget_bias;
    work.kernel = PADICI_KERNEL_RNN_CELLS;
    work.defines = &define;
    work.define_count = padici_gpu_rnn_define(s->matrix[0]->dtype, &define);
    work.mem[0] = s->sums.mem;
    work.mem[1] = s->back.mem;
    work.mem[2] = s->h.mem;
    work.mem[3] = lstm ? s->c.mem : s->h.mem;
    work.mem[4] = s->sums.mem;
    work.mem[5] = reset ? s->reset.mem : s->out.mem;
    work.mem[6] = lstm ? s->out_c.mem : work.mem[5];
    work.mem[7] = work.mem[5];
    work.mem_count = 8;
    work.params = &k;
    work.params_size = sizeof k;
    work.groups[0] = (uint32_t)(((uint64_t)s->rows * s->units + 127) / 128);
    return padici_gpu_launch(s->gpu, &work);
}

static padic_result padici_gpu_rnn_step_work(const padici_gpu_rnn_step *s)
{
    const uint32_t n = s->units, gates = s->is.kind == PADIC_RNN_KIND_LSTM ? 4 : 3;
    const int few = s->rows <= PADICI_GPU_RNN_FEW;
    const int before = s->is.kind == PADIC_RNN_KIND_GRU && s->is.reset == PADIC_RNN_RESET_BEFORE;
    padici_gpu_rnn_product p;
    padic_result result;
    padici_gpu_rnn_step_product(s, 0, 0, gates * n, &p);
    p.out = s->sums.mem;
    p.k.out_row = gates * n;
    result = padici_gpu_rnn_multiply(s->gpu, &p, few);
    if (result) return result;
    padici_gpu_rnn_step_product(s, 1, 0, before ? 2 * n : gates * n, &p);
    p.out = s->back.mem;
    p.k.out_row = gates * n;
    result = padici_gpu_rnn_multiply(s->gpu, &p, few);
    if (!result && before) {
        result = padici_gpu_rnn_step_cells(s, 1);
        padici_gpu_rnn_step_product(s, 1, 2 * n, n, &p);
        p.x = s->reset.mem;
        p.k.x_at = 0;
        p.k.x_row = n;
        p.k.x_column = 1;
        p.out = s->back.mem;
        p.k.out_at = 2 * n;
        p.k.out_row = gates * n;
        if (!result) result = padici_gpu_rnn_multiply(s->gpu, &p, few);
    }
    return result ? result : padici_gpu_rnn_step_cells(s, 0);
}

// CHECK_FINITE, which waits for the device.
static padic_result padici_gpu_rnn_step_finite(const padici_gpu_rnn_step *s)
{
    const padici_gpu_rnn_view *const view[3] = {&s->x, &s->h, &s->c};
    padici_gpu *gpu = s->gpu;
    padici_gpu_block found;
    padici_k_rnn_check_params k;
    uint32_t words[2] = {0, 0}, i;
    padic_result result;
    if (!(s->flags & PADIC_RNN_CHECK_FINITE)) return PADIC_OK;
    if (gpu->context->recording) return padici_refuse(gpu->context, "CHECK_FINITE, which waits,");
    result = padici_gpu_scratch(gpu, 8, &found);
    if (!result) result = padici_target_fill(gpu->context, gpu->target, found.mem, 0, 0, 8);
    for (i = 0; i < 3 && !result; i++) {
        if (!s->tensor[i]) continue;
        padici_gpu_rnn_check_of(view[i], 2, 0, s->tensor[i]->shape, &k);
        result = padici_gpu_rnn_check(gpu, view[i]->mem, view[i]->mem, &found, &k);
    }
    if (!result) result = padici_gpu_download(gpu, found.mem, 0, words, sizeof words);
    padici_gpu_scratch_end(gpu, &found);
    if (!result && words[0])
        result = padici_fail_here(gpu->context, PADIC_ERROR_DOMAIN,
                                  "x, h or c has a NaN or an infinity");
    return result;
}

static padic_result padici_gpu_rnn_step_run(padici_gpu_rnn_step *s)
{
    padici_gpu *gpu = s->gpu;
    const uint32_t gates = s->is.kind == PADIC_RNN_KIND_LSTM ? 4 : 3;
    const uint64_t size = (uint64_t)s->rows * s->units * 4;
    padic_result result = padici_gpu_rnn_step_finite(s);
    if (result) return result;
    if (s->is.kind == PADIC_RNN_KIND_LINEAR) return padici_gpu_rnn_step_linear(s);
    s->sums.block = s->back.block = s->reset.block = PADICI_NO_BLOCK;
    result = padici_gpu_scratch(gpu, gates * size, &s->sums);
    if (!result) result = padici_gpu_scratch(gpu, gates * size, &s->back);
    if (!result) result = padici_gpu_scratch(gpu, size, &s->reset);
    if (!result) result = padici_gpu_rnn_step_work(s);
    padici_gpu_scratch_end(gpu, &s->sums);
    padici_gpu_scratch_end(gpu, &s->back);
    padici_gpu_scratch_end(gpu, &s->reset);
    return result;
}

static padic_result padici_gpu_rnn_step_drive(padici_gpu_rnn_step *s, int query)
{
    padici_gpu *gpu = s->gpu;
    const padic_tensor *x = s->tensor[0], *w = s->matrix[0], *u = s->matrix[1];
    const int linear = s->is.kind == PADIC_RNN_KIND_LINEAR, few = x->shape[0] <= PADICI_GPU_RNN_FEW;
    const uint32_t kernel = few ? PADICI_KERNEL_RNN_DOTS : PADICI_KERNEL_RNN_PRODUCT;
    padici_gpu_rnn_view *const view[5] = {&s->x, &s->h, &s->c, &s->out, &s->out_c};
    padic_result result;
    uint32_t i;
    if (x->dtype != PADIC_F32 || !padici_gpu_rnn_reach(s->call)) return PADIC_ERROR_NOT_SUPPORTED;
    if (x->shape[0] * w->shape[0] >> 31 || x->shape[0] >> 31 || w->shape[0] >> 21)
        return PADIC_ERROR_NOT_SUPPORTED;
    result = padici_gpu_rnn_need(gpu, kernel, w->dtype);
    if (!result && !linear) result = padici_gpu_rnn_need(gpu, kernel, u->dtype);
    if (!result && !linear) result = padici_gpu_rnn_need(gpu, PADICI_KERNEL_RNN_CELLS, w->dtype);
    if (!result && (s->flags & PADIC_RNN_CHECK_FINITE))
        result = padici_gpu_rnn_need(gpu, PADICI_KERNEL_RNN_CHECK, PADIC_F32);
    if (query || result || !x->shape[0]) return result;
    for (i = 0; i < 5; i++)
        if (s->tensor[i]) padici_gpu_rnn_view_of(s->call, s->tensor[i], view[i]);
    s->rows = (uint32_t)x->shape[0];
    s->units = (uint32_t)(linear ? w->shape[0] : u->shape[1]);
    return padici_gpu_rnn_step_run(s);
}

static void padici_gpu_rnn_step_weights(padici_gpu_rnn_step *s, const padic_rnn_weights *w)
{
    s->matrix[0] = &w->input;
    s->matrix[1] = &w->recurrent;
    s->bias[0] = &w->bias;
    s->bias[1] = &w->recurrent_bias;
    s->scale[0] = &w->input_scale;
    s->scale[1] = &w->recurrent_scale;
}

PADICI_FN padic_result padici_gpu_rnn_gru_step(padici_gpu *gpu, const padici_call *call, int query)
{
    const padic_rnn_gru_step_desc *desc = &call->desc->rnn_gru_step;
    padici_gpu_rnn_step s;
    memset(&s, 0, sizeof s);
    s.gpu = gpu;
    s.call = call;
    s.is.kind = PADIC_RNN_KIND_GRU;
    s.is.reset = desc->reset;
    s.is.update = desc->update;
    padici_gpu_rnn_step_weights(&s, &desc->weights);
    s.flags = desc->flags;
    s.tensor[0] = &desc->x;
    s.tensor[1] = &desc->h;
    s.tensor[3] = &desc->out;
    return padici_gpu_rnn_step_drive(&s, query);
}

PADICI_FN padic_result padici_gpu_rnn_lstm_step(padici_gpu *gpu, const padici_call *call, int query)
{
    const padic_rnn_lstm_step_desc *desc = &call->desc->rnn_lstm_step;
    padici_gpu_rnn_step s;
    memset(&s, 0, sizeof s);
    s.gpu = gpu;
    s.call = call;
    s.is.kind = PADIC_RNN_KIND_LSTM;
    s.is.forget_bias = desc->forget_bias;
    padici_gpu_rnn_step_weights(&s, &desc->weights);
    s.flags = desc->flags;
    s.tensor[0] = &desc->x;
    s.tensor[1] = &desc->h;
    s.tensor[2] = &desc->c;
    s.tensor[3] = &desc->out;
    s.tensor[4] = &desc->out_c;
    return padici_gpu_rnn_step_drive(&s, query);
}

PADICI_FN padic_result padici_gpu_rnn_linear(padici_gpu *gpu, const padici_call *call, int query)
{
    const padic_rnn_linear_desc *desc = &call->desc->rnn_linear;
    padici_gpu_rnn_step s;
    memset(&s, 0, sizeof s);
    s.gpu = gpu;
    s.call = call;
    s.is.kind = PADIC_RNN_KIND_LINEAR;
    s.is.activation = desc->activation;
    s.is.gain = desc->gain;
    s.matrix[0] = &desc->weights;
    s.bias[0] = &desc->bias;
    s.scale[0] = &desc->scale;
    s.flags = desc->flags;
    s.tensor[0] = &desc->x;
    s.tensor[3] = &desc->out;
    return padici_gpu_rnn_step_drive(&s, query);
}

#endif
