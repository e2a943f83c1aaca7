#include "run.h"
#include "../../context/operation.h"
#include "../../rnn/weights.h"
#include "../launch.h"
#include "../variants.h"

#if PADICI_IMPLEMENT_GPU && !defined(PADIC_NO_RNN)

// Runs layer by layer: W x + b of all steps as one product, then the steps. All steps of few rows
// with few units are one launch; on NVIDIA's devices those of most layers are (cores.c). Else a
// step of few rows is a launch, of many rows a product and a launch of its cells.

#define PADICI_GPU_RNN_MANY_UNITS 128u // a group does layers of up to these faster
#define PADICI_GPU_RNN_SHORT 64u       // units of short.cl
#define PADICI_GPU_RNN_SUMS (UINT64_C(1) << 24) // of the steps that are multiplied at once

// Whether a run takes this way. It must not depend on how many steps there are.
PADICI_FN int padici_gpu_rnn_is_layered(padici_gpu *gpu, const padici_gpu_rnn_net *is,
                                        const padici_rnn_net *net, uint64_t rows)
{
    uint32_t i;
    if (net->feedback || !net->state) return 0;
    for (i = 0; i < net->layers * net->directions; i++)
        if (net->part[i].is.kind == PADIC_RNN_KIND_GRU &&
            net->part[i].is.reset == PADIC_RNN_RESET_BEFORE)
            return 0;
    return rows <= PADICI_GPU_RNN_FEW || net->state > PADICI_GPU_RNN_MANY_UNITS ||
           padici_gpu_rnn_has_rows(gpu, is, net);
}

// Where its outputs go: into `out`, or dense, from step `first` on.
static void padici_gpu_rnn_layer_out(padici_gpu_rnn_layer *l)
{
    const padici_gpu_rnn_sequence *r = l->r;
    const uint32_t batch_first = r->desc->flags & PADIC_RNN_BATCH_FIRST ? 1 : 0;
    const uint32_t two = r->plan->net.directions == 2 &&
                         l->part->is.kind != PADIC_RNN_KIND_LINEAR;
    const uint32_t n = (uint32_t)l->part->units, d = two ? l->number % 2 : 0;
    if (l->last) {
        l->y = r->out.mem;
        l->y_column = r->out.step[2];
        l->y_at = r->out.at + d * n * l->y_column;
        l->y_time = r->out.step[batch_first];
        l->y_row = r->out.step[!batch_first];
        l->y_flags = padici_rnn_here(&r->desc->out) ? (l->turned ? 2 : 1) : 0;
        return;
    }
    l->y = r->to.mem;
    l->y_column = 1;
    l->y_row = (1 + two) * n;
    l->y_time = r->k.rows * l->y_row;
    l->y_at = d * n - l->first * l->y_time;
    l->y_flags = two && d ? 2 : 1;
}

// W x + b, or all of a LINEAR.
static padic_result padici_gpu_rnn_layer_product(const padici_gpu_rnn_layer *l)
{
    padici_gpu_rnn_sequence *r = l->r;
    const uint32_t batch_first = r->desc->flags & PADIC_RNN_BATCH_FIRST ? 1 : 0;
    const uint32_t directions = r->plan->net.directions, linear = l->row[0] == 2;
    padici_gpu_rnn_product p;
    memset(&p, 0, sizeof p);
    p.dtype = r->is.dtype;
    p.weights = p.bias = p.scale = r->plan->device_mem;
    p.lengths = r->lengths.mem;
    p.k.rows = l->count * r->k.rows;
    p.k.width = (uint32_t)l->part->width;
    p.k.depth = (uint32_t)l->part->inputs;
    p.k.batch = r->k.rows;
    p.k.first = l->first;
    p.k.steps = r->k.steps;
    p.k.w_at = l->row[6];
    p.k.w_row = 1;
    p.k.w_column = p.k.width;
    p.k.bias = 1;
    p.k.bias_at = l->row[8];
    p.k.scale_at = l->row[10];
    p.k.flags = r->k.flags | (linear ? l->row[1] : 0);
    p.k.gain = linear ? (float)l->part->is.gain : 1;
    p.k.length_at = r->lengths.at;
    p.k.length_step = r->lengths.step[0];
    if (l->number < directions) {
        p.x = r->x.mem;
        p.k.x_at = r->x.at;
        p.k.x_time = r->x.step[batch_first];
        p.k.x_row = r->x.step[!batch_first];
        p.k.x_column = r->x.step[2];
        p.k.turned = l->turned != 0;
    } else {
        p.x = r->from.mem;
        p.k.x_time = r->k.rows * p.k.depth;
        p.k.x_row = p.k.depth;
        p.k.x_column = 1;
        p.k.x_at = 0 - l->first * p.k.x_time;
        p.k.turned = directions == 2 && l->turned;
    }
    p.out = linear ? l->y : r->sums.mem;
    p.k.out_row = linear ? l->y_row : p.k.width;
    p.k.out_time = linear ? l->y_time : r->k.rows * p.k.width;
    p.k.out_column = linear ? l->y_column : 1;
    p.k.out_at = linear ? l->y_at : 0 - l->first * p.k.out_time;
    if (linear && l->y_flags == 2) p.k.turned |= 2;
    return linear && !l->y_flags ? PADIC_OK : padici_gpu_rnn_multiply(r->gpu, &p, 0);
}

static padic_result padici_gpu_rnn_layer_steps(const padici_gpu_rnn_layer *l)
{
    padici_gpu_rnn_sequence *r = l->r;
    const char *define;
    padici_k_rnn_units_params k;
    padici_gpu_work work;
    padic_result result = PADIC_OK;
    uint32_t i;
    memset(&k, 0, sizeof k);
    memset(&work, 0, sizeof work);
    k.layer = l->number * PADICI_GPU_RNN_LAYER;
    k.rows = r->k.rows;
    k.steps = r->k.steps;
    k.flags = r->k.flags;
    k.y = l->y_flags;
    k.y_at = l->y_at;
    k.y_time = l->y_time;
    k.y_row = l->y_row;
    k.y_column = l->y_column;
    k.length_at = r->lengths.at;
    k.length_step = r->lengths.step[0];
    work.kernel = PADICI_KERNEL_RNN_UNITS;
    work.defines = &define;
    work.define_count = padici_gpu_rnn_define(r->is.dtype, &define);
    work.mem[0] = work.mem[1] = r->plan->device_mem;
    work.mem[2] = r->sums.mem;
    work.mem[3] = k.flags ? r->lengths.mem : r->sums.mem;
    work.mem[4] = r->memory.mem;
    work.mem[5] = k.y ? l->y : r->to.mem;
    work.mem_count = 6;
    work.params = &k;
    work.params_size = sizeof k;
    work.groups[0] = (uint32_t)((l->part->units + 15) / 16);
    work.groups[1] = r->k.rows;
    for (i = 0; i < l->count && !result; i++) {
        k.n = l->first + i;
        k.sums_at = i * r->k.rows * (uint32_t)l->part->width;
        result = padici_gpu_launch(r->gpu, &work);
    }
    return result;
}

// All steps of few rows with few units.
static padic_result padici_gpu_rnn_layer_short(const padici_gpu_rnn_layer *l)
{
    padici_gpu_rnn_sequence *r = l->r;
    const char *define;
    padici_k_rnn_short_params k;
    padici_gpu_work work;
    memset(&k, 0, sizeof k);
    memset(&work, 0, sizeof work);
    k.layer = l->number * PADICI_GPU_RNN_LAYER;
    k.rows = r->k.rows;
    k.first = l->first;
    k.count = l->count;
    k.steps = r->k.steps;
    k.flags = r->k.flags;
    k.y = l->y_flags;
    k.y_at = l->y_at;
    k.y_time = l->y_time;
    k.y_row = l->y_row;
    k.y_column = l->y_column;
    k.length_at = r->lengths.at;
    k.length_step = r->lengths.step[0];
    work.kernel = PADICI_KERNEL_RNN_SHORT;
    work.defines = &define;
    work.define_count = padici_gpu_rnn_define(r->is.dtype, &define);
    work.mem[0] = work.mem[1] = r->plan->device_mem;
    work.mem[2] = r->sums.mem;
    work.mem[3] = k.flags ? r->lengths.mem : r->sums.mem;
    work.mem[4] = r->memory.mem;
    work.mem[5] = k.y ? l->y : r->to.mem;
    work.mem_count = 6;
    work.params = &k;
    work.params_size = sizeof k;
    work.groups[0] = r->k.rows;
    return padici_gpu_launch(r->gpu, &work);
}

// The cells of a step, whose rows lie side by side in memory.
static void padici_gpu_rnn_layer_cells(const padici_gpu_rnn_layer *l, padici_k_rnn_cells_params *k)
{
    const padici_gpu_rnn_sequence *r = l->r;
    const uint32_t n = (uint32_t)l->part->units, rows = r->k.rows;
    memset(k, 0, sizeof *k);
    k->kind = l->row[0];
    k->flags = r->k.flags | l->row[1];
    k->units = n;
    k->rows = rows;
    k->steps = r->k.steps;
    k->h_row = k->c_row = k->out_row = k->out_c_row = 1;
    k->h_column = k->c_column = k->out_column = k->out_c_column = rows;
    k->c_at = k->out_c_at = (l->row[4] + 2 * n) * rows;
    k->y = l->y_flags;
    k->y_at = l->y_at;
    k->y_time = l->y_time;
    k->y_row = l->y_row;
    k->y_column = l->y_column;
    k->length_at = r->lengths.at;
    k->length_step = r->lengths.step[0];
}

// Steps of many rows: U h + c, then the cells.
static padic_result padici_gpu_rnn_layer_wide(const padici_gpu_rnn_layer *l)
{
    padici_gpu_rnn_sequence *r = l->r;
    const uint32_t n = (uint32_t)l->part->units, width = (uint32_t)l->part->width;
    const uint32_t rows = r->k.rows, lstm = l->part->is.kind == PADIC_RNN_KIND_LSTM;
    const char *define;
    padici_gpu_rnn_product p;
    padici_k_rnn_cells_params k;
    padici_gpu_work work;
    padic_result result = PADIC_OK;
    uint32_t i;
    memset(&p, 0, sizeof p);
    memset(&work, 0, sizeof work);
    p.dtype = r->is.dtype;
    p.weights = p.bias = p.scale = r->plan->device_mem;
    p.x = r->memory.mem;
    p.out = r->back.mem;
    p.k.rows = p.k.batch = rows;
    p.k.width = p.k.w_column = p.k.out_row = width;
    p.k.depth = n;
    p.k.steps = p.k.w_row = p.k.x_row = p.k.out_column = 1;
    p.k.x_column = rows;
    p.k.w_at = l->row[7];
    p.k.scale_at = l->row[11];
    p.k.bias = 1;
    p.k.bias_at = l->row[9] - (lstm ? 0 : 2 * n);
    p.k.gain = 1;
    padici_gpu_rnn_layer_cells(l, &k);
    work.kernel = PADICI_KERNEL_RNN_CELLS;
    work.defines = &define;
    work.define_count = padici_gpu_rnn_define(r->is.dtype, &define);
    work.mem[0] = r->sums.mem;
    work.mem[1] = r->back.mem;
    work.mem[2] = work.mem[3] = work.mem[5] = work.mem[6] = r->memory.mem;
    work.mem[4] = r->k.flags ? r->lengths.mem : r->sums.mem;
    work.mem[7] = k.y ? l->y : r->to.mem;
    work.mem_count = 8;
    work.params = &k;
    work.params_size = sizeof k;
    work.groups[0] = (uint32_t)(((uint64_t)rows * n + 127) / 128);
    for (i = 0; i < l->count && !result; i++) {
        const uint32_t old = (l->first + i) & 1;
        p.k.x_at = k.h_at = (l->row[4] + old * n) * rows;
        k.out_at = (l->row[4] + (old ^ 1) * n) * rows;
        k.n = l->first + i;
        k.sums_at = i * rows * width;
        result = padici_gpu_rnn_multiply(r->gpu, &p, 0);
        if (!result) result = padici_gpu_launch(r->gpu, &work);
    }
    return result;
}

// One part, steps from `first` on.
static padic_result padici_gpu_rnn_part(padici_gpu_rnn_sequence *r, uint32_t number, uint32_t first,
                                        uint32_t count)
{
    const padici_rnn_net *net = &r->plan->net;
    padici_gpu_rnn_layer l;
    padic_result result;
    memset(&l, 0, sizeof l);
    l.r = r;
    l.part = &net->part[number];
    l.number = number;
    l.first = first;
    l.count = count;
    l.last = number / net->directions + 1 == net->layers;
    l.turned = net->directions == 2 ? number % 2 : net->reverse;
    padici_gpu_rnn_row(net, &r->is, number, l.row);
    padici_gpu_rnn_layer_out(&l);
    result = padici_gpu_rnn_layer_product(&l);
    if (result || l.part->is.kind == PADIC_RNN_KIND_LINEAR) return result;
    if (r->k.rows <= PADICI_GPU_RNN_FEW && l.part->units <= PADICI_GPU_RNN_SHORT)
        return padici_gpu_rnn_layer_short(&l);
    result = padici_gpu_rnn_layer_cuda(&l);
    if (result != PADIC_ERROR_NOT_SUPPORTED) return result;
    return r->k.rows > PADICI_GPU_RNN_FEW ? padici_gpu_rnn_layer_wide(&l)
                                          : padici_gpu_rnn_layer_steps(&l);
}

PADICI_FN padic_result padici_gpu_rnn_layers(padici_gpu_rnn_sequence *r)
{
    const padici_rnn_net *net = &r->plan->net;
    const uint32_t rows = r->k.rows, steps = r->k.steps;
    const uint64_t most = net->sums > net->widest ? net->sums : net->widest;
    const uint64_t fit = PADICI_GPU_RNN_SUMS / (rows * most);
    const uint32_t segment = net->directions == 2 || steps < fit ? steps : fit ? (uint32_t)fit : 1;
    const uint64_t all = (uint64_t)segment * rows * 4;
    const uint64_t words =
        padici_gpu_is_sm(r->gpu, 75) ? 4 * padici_gpu_rnn_words(r->gpu, net, rows) : 16;
    padic_result result;
    uint32_t first, i;
    if (all * net->sums >> 33 || (uint64_t)rows * r->is.memory >> 31)
        return PADIC_ERROR_NOT_SUPPORTED;
    result = padici_gpu_scratch(r->gpu, all * net->sums, &r->sums);
    if (!result) result = padici_gpu_scratch(r->gpu, all * net->widest, &r->from);
    if (!result) result = padici_gpu_scratch(r->gpu, all * net->widest, &r->to);
    if (!result) result = padici_gpu_scratch(r->gpu, words, &r->words);
    if (!result) result = padici_gpu_scratch(r->gpu, rows * net->sums * 4, &r->back);
    for (first = 0; first < steps && !result; first += segment)
        for (i = 0; i < net->layers * net->directions && !result; i++) {
            if (!padici_gpu_rnn_is_there(net, i)) continue;
            if (i && i % net->directions == 0) {
                const padici_gpu_block swap = r->from;
                r->from = r->to;
                r->to = swap;
            }
            result = padici_gpu_rnn_part(r, i, first,
                                         steps - first < segment ? steps - first : segment);
        }
    return result;
}

#undef PADICI_GPU_RNN_MANY_UNITS
#undef PADICI_GPU_RNN_SHORT
#undef PADICI_GPU_RNN_SUMS

#endif
