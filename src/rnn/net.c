#include "net.h"
#include "../context/messages.h"
#include "../core/jobs.h"

#if PADICI_IMPLEMENT_RNN

// Layers over the steps of a sequence, for a block of rows at a time. A row's numbers never meet
// another row's.

#define PADICI_RNN_PADDED(bytes) (((bytes) + 63) & ~(uint64_t)63)

// A worker's memory. Sequences have all columns of a row together, rows together, then steps.
typedef struct padici_rnn_scratch {
    char *from, *to;  // sequences between layers
    char *gathered;   // of a backward layer: its inputs, in its order
    char *sums, *side;
    char *h, *c;      // (states, block, H)
    char *columns;    // (block, outputs): what feedback makes of them
    uint64_t *lengths;
} padici_rnn_scratch;

// Rows times steps that are multiplied at once, at most.
static uint64_t padici_rnn_cells(const padici_rnn_net *net, uint64_t block, uint64_t steps)
{
    if (net->feedback) return block;
    return steps < PADICI_RNN_ROWS / block ? steps * block : PADICI_RNN_ROWS;
}

// Steps of input that are multiplied at once.
static uint64_t padici_rnn_chunk(const padici_rnn_net *net, uint64_t rows)
{
    return net->feedback ? 1 : PADICI_RNN_ROWS / rows;
}

// Steps that the sequences between layers hold.
static uint64_t padici_rnn_segment(const padici_rnn_net *net, uint64_t rows, uint64_t steps)
{
    const uint64_t chunk = padici_rnn_chunk(net, rows);
    return net->directions == 2 ? steps : steps < chunk ? steps : chunk;
}

// Divides `room` at `base` (NULL: only its size).
static uint64_t padici_rnn_scratch_place(const padici_rnn_net *net, uint64_t block, uint64_t steps,
                                         char *base, padici_rnn_scratch *s)
{
    const uint64_t real = net->kernels->is_double ? 8 : 4;
    const uint64_t cells = padici_rnn_cells(net, block, steps);
    const uint64_t all = net->directions == 2 ? steps * block : cells;
    const uint64_t sequence = PADICI_RNN_PADDED(all * net->widest * real);
    const uint64_t gathered = net->directions == 2 ? PADICI_RNN_PADDED(cells * net->widest * real)
                                                   : 0;
    const uint64_t sums = PADICI_RNN_PADDED(cells * net->sums * real);
    const uint64_t side = PADICI_RNN_PADDED(block * net->state * real);
    const uint64_t states = PADICI_RNN_PADDED(net->states * block * net->state * real);
    const uint64_t columns = net->feedback ? PADICI_RNN_PADDED(block * net->outputs * real) : 0;
    uint64_t at = 0;
    memset(s, 0, sizeof *s);
#define PADICI_RNN_TAKE(field, bytes)   \
    if (base) s->field = base + at;     \
    at += (bytes);
    PADICI_RNN_TAKE(from, sequence)
    PADICI_RNN_TAKE(to, sequence)
    PADICI_RNN_TAKE(gathered, gathered)
    PADICI_RNN_TAKE(sums, sums)
    PADICI_RNN_TAKE(side, side)
    PADICI_RNN_TAKE(h, states)
    PADICI_RNN_TAKE(c, net->lstm ? states : 0)
    PADICI_RNN_TAKE(columns, columns)
#undef PADICI_RNN_TAKE
    if (base) s->lengths = (uint64_t *)(void *)(base + at);
    return at + PADICI_RNN_PADDED(block * sizeof *s->lengths);
}

PADICI_FN uint64_t padici_rnn_work_room(const padici_rnn_net *net, uint64_t block, uint64_t steps)
{
    padici_rnn_scratch s;
    return padici_rnn_scratch_place(net, block, steps, NULL, &s);
}

// What follows from the parts.
PADICI_FN void padici_rnn_net_measure(padici_rnn_net *net)
{
    uint32_t i, d = net->directions;
    net->inputs = net->part[0].inputs;
    net->widest = net->sums = net->state = 0;
    net->states = net->lstm = 0;
    for (i = 0; i < net->layers; i++) {
        const padici_rnn_part *part = &net->part[i * d];
        const int linear = part->is.kind == PADIC_RNN_KIND_LINEAR;
        net->outputs = linear ? part->units : d * part->units;
        if (part->inputs > net->widest) net->widest = part->inputs;
        if (net->outputs > net->widest) net->widest = net->outputs;
        if (part->width > net->sums) net->sums = part->width;
        if (linear) continue;
        net->states += d;
        if (part->units > net->state) net->state = part->units;
        if (part->is.kind == PADIC_RNN_KIND_LSTM) net->lstm = 1;
    }
}

// Rows of numbers between a tensor and the kernels' reals.

static void padici_rnn_load(const padici_rnn_net *net, const char *at, int64_t step, uint64_t count,
                            char *to)
{
    uint64_t i;
    if (!net->kernels->is_double) {
        for (i = 0; i < count; i++, at += step) ((float *)(void *)to)[i] = *(const float *)at;
    } else if (net->is_double) {
        for (i = 0; i < count; i++, at += step) ((double *)(void *)to)[i] = *(const double *)at;
    } else {
        for (i = 0; i < count; i++, at += step)
            ((double *)(void *)to)[i] = (double)*(const float *)at;
    }
}

static void padici_rnn_save(const padici_rnn_net *net, const char *from, uint64_t count, char *at,
                            int64_t step)
{
    uint64_t i;
    if (!net->kernels->is_double) {
        for (i = 0; i < count; i++, at += step)
            *(float *)at = ((const float *)(const void *)from)[i];
    } else if (net->is_double) {
        for (i = 0; i < count; i++, at += step)
            *(double *)at = ((const double *)(const void *)from)[i];
    } else {
        for (i = 0; i < count; i++, at += step)
            *(float *)at = (float)((const double *)(const void *)from)[i];
    }
}

// A layer in one direction over some steps of a block.
typedef struct padici_rnn_pass {
    const padici_rnn_net *net;
    const padici_rnn_part *part;
    const padici_rnn_scratch *scratch;
    uint64_t rows, steps, first; // first: number of the first step, in the layer's order
    const char *x;               // (steps, rows, x_step)
    uint64_t x_step;
    char *h, *c;
    char *out; // sequence that step 0 is in
    uint64_t out_step;
    uint32_t backward; // the sequence is written from each row's end
} padici_rnn_pass;

// Where a row's step `n` in its order stands in the sequence.
PADICI_INLINE uint64_t padici_rnn_turned(uint64_t n, uint64_t length)
{
    return n < length ? length - 1 - n : n;
}

static char *padici_rnn_pass_out(const padici_rnn_pass *p, uint64_t step, uint64_t row)
{
    const uint64_t n = p->first + step, real = p->net->kernels->is_double ? 8 : 4;
    const uint64_t t = p->backward ? padici_rnn_turned(n, p->scratch->lengths[row]) : step;
    return p->out + (t * p->rows + row) * p->out_step * real;
}

static void padici_rnn_multiply(const padici_rnn_pass *p, const padici_rnn_matrix *matrix,
                                uint64_t rows, const char *x, uint64_t x_step, char *sums,
                                uint64_t sum_step)
{
    padici_rnn_product product;
    product.matrix = matrix;
    product.rows = rows;
    product.x = x;
    product.x_step = x_step;
    product.sums = sums;
    product.sum_step = sum_step;
    (*p->net->kernels->product)(&product);
}

static void padici_rnn_pass_linear(const padici_rnn_pass *p)
{
    const uint64_t real = p->net->kernels->is_double ? 8 : 4, n = p->part->width;
    const uint32_t narrow = !p->net->is_double;
    uint64_t s, i;
    for (s = 0; s < p->steps; s++)
        for (i = 0; i < p->rows; i++) {
            char *out = padici_rnn_pass_out(p, s, i);
            if (p->first + s < p->scratch->lengths[i])
                (*p->net->kernels->activate)(p->part->is.activation, p->part->is.gain, n,
                                             p->scratch->sums + (s * p->rows + i) * n * real, out,
                                             narrow);
            else
                memset(out, 0, (size_t)(n * real));
        }
}

// Products of a GRU's n with the state.
static void padici_rnn_pass_fresh(const padici_rnn_pass *p, char *sums)
{
    const padici_rnn_part *part = p->part;
    const uint64_t real = p->net->kernels->is_double ? 8 : 4, n = part->units;
    char *side = p->scratch->side;
    padici_rnn_cell cell;
    uint64_t i;
    if (part->is.reset == PADIC_RNN_RESET_AFTER) {
        for (i = 0; i < p->rows; i++)
            memcpy(side + i * n * real, part->fresh_bias, (size_t)(n * real));
        padici_rnn_multiply(p, &part->fresh, p->rows, p->h, n, side, n);
        return;
    }
    memset(&cell, 0, sizeof cell);
    cell.units = n;
    for (i = 0; i < p->rows; i++) {
        cell.sums = sums + i * part->width * real;
        cell.h = p->h + i * n * real;
        cell.out = side + i * n * real;
        (*p->net->kernels->gru_reset)(&cell);
    }
    padici_rnn_multiply(p, &part->fresh, p->rows, side, n, sums + 2 * n * real, part->width);
}

static void padici_rnn_pass_cells(const padici_rnn_pass *p, uint64_t step, char *sums)
{
    const padici_rnn_part *part = p->part;
    const padici_rnn_kernels *kernels = p->net->kernels;
    const uint64_t real = kernels->is_double ? 8 : 4, n = part->units;
    const int gru = part->is.kind == PADIC_RNN_KIND_GRU;
    const int after = gru && part->is.reset == PADIC_RNN_RESET_AFTER;
    padici_rnn_cell cell;
    uint64_t i;
    cell.units = n;
    cell.replace = part->is.update == PADIC_RNN_UPDATE_REPLACE;
    cell.narrow = !p->net->is_double;
    for (i = 0; i < p->rows; i++) {
        char *out = padici_rnn_pass_out(p, step, i);
        if (p->first + step >= p->scratch->lengths[i]) {
            memset(out, 0, (size_t)(n * real));
            continue;
        }
        cell.sums = sums + i * part->width * real;
        cell.fresh = after ? p->scratch->side + i * n * real : NULL;
        cell.h = p->h + i * n * real;
        cell.out = p->h + i * n * real;
        cell.c = p->c ? p->c + i * n * real : NULL;
        cell.out_c = p->c ? p->c + i * n * real : NULL;
        (*(gru ? kernels->gru : kernels->lstm))(&cell);
        memcpy(out, cell.out, (size_t)(n * real));
    }
}

// The input's products for all steps, then step by step those of the state.
static void padici_rnn_pass_run(const padici_rnn_pass *p)
{
    const padici_rnn_part *part = p->part;
    const uint64_t real = p->net->kernels->is_double ? 8 : 4, all = p->steps * p->rows;
    const uint64_t n = part->units;
    uint64_t i;
    for (i = 0; i < all; i++)
        memcpy(p->scratch->sums + i * part->width * real, part->bias, (size_t)(part->width * real));
    padici_rnn_multiply(p, &part->input, all, p->x, p->x_step, p->scratch->sums, part->width);
    if (part->is.kind == PADIC_RNN_KIND_LINEAR) {
        padici_rnn_pass_linear(p);
        return;
    }
    for (i = 0; i < p->steps; i++) {
        char *sums = p->scratch->sums + i * p->rows * part->width * real;
        padici_rnn_multiply(p, &part->gates, p->rows, p->h, n, sums, part->width);
        if (part->is.kind == PADIC_RNN_KIND_GRU) padici_rnn_pass_fresh(p, sums);
        padici_rnn_pass_cells(p, i, sums);
    }
}

// A block of rows of a call.
typedef struct padici_rnn_block {
    const padici_rnn_work *work;
    padici_rnn_scratch scratch;
    uint64_t row, rows; // the first, and how many
} padici_rnn_block;

// The tensor's step of a row's step `n`.
static int64_t padici_rnn_block_time(const padici_rnn_block *b, uint64_t n, uint64_t row)
{
    return (int64_t)(b->work->net->reverse ? padici_rnn_turned(n, b->scratch.lengths[row]) : n);
}

// Steps from `first` on of x.
static void padici_rnn_block_load(const padici_rnn_block *b, uint64_t first, uint64_t steps)
{
    const padici_rnn_net *net = b->work->net;
    const padici_rnn_view *x = &b->work->x;
    const uint64_t real = net->kernels->is_double ? 8 : 4;
    char *to = b->scratch.from;
    uint64_t s, i;
    for (s = first; s < first + steps; s++)
        for (i = 0; i < b->rows; i++, to += net->inputs * real) {
            const char *at = x->at + padici_rnn_block_time(b, s, i) * x->time +
                             (int64_t)(b->row + i) * x->row;
            padici_rnn_load(net, at, x->column, net->inputs, to);
            if (net->feedback && s)
                memcpy(to + net->first * real, b->scratch.columns + i * net->outputs * real,
                       (size_t)(net->outputs * real));
            else if (net->feedback)
                memcpy(b->scratch.columns + i * net->outputs * real, to + net->first * real,
                       (size_t)(net->outputs * real));
        }
}

static void padici_rnn_block_save(const padici_rnn_block *b, uint64_t first, uint64_t steps,
                                  const char *from)
{
    const padici_rnn_net *net = b->work->net;
    const padici_rnn_view *out = &b->work->out;
    const uint64_t real = net->kernels->is_double ? 8 : 4;
    uint64_t s, i;
    if (!out->at) return;
    for (s = first; s < first + steps; s++)
        for (i = 0; i < b->rows; i++, from += net->outputs * real)
            padici_rnn_save(net, from, net->outputs,
                            out->at + padici_rnn_block_time(b, s, i) * out->time +
                                (int64_t)(b->row + i) * out->row,
                            out->column);
}

// The columns of a row that the output goes to.
static void padici_rnn_feed_row(const padici_rnn_net *net, const char *output, char *columns)
{
    const int wide = net->kernels->is_double != 0, add = net->feedback == PADIC_RNN_FEEDBACK_ADD;
    double squares = 0, factor = 1;
    uint64_t i;
    for (i = 0; i < net->outputs; i++) {
        const double o = wide ? ((const double *)(const void *)output)[i]
                              : (double)((const float *)(const void *)output)[i];
        const double c = wide ? ((double *)(void *)columns)[i]
                              : (double)((float *)(void *)columns)[i];
        const double next = add ? c + o : o;
        if (wide) ((double *)(void *)columns)[i] = net->is_double ? next : (double)(float)next;
        else ((float *)(void *)columns)[i] = (float)next;
        squares += next * next;
    }
    if (!add || net->clip <= 0 || !(squares > net->clip * net->clip)) return;
    factor = net->clip / sqrt(squares);
    for (i = 0; i < net->outputs; i++) {
        if (!wide) {
            ((float *)(void *)columns)[i] *= (float)factor;
        } else {
            double *at = (double *)(void *)columns + i;
            *at = net->is_double ? *at * factor : (double)(float)(*at * factor);
        }
    }
}

static void padici_rnn_block_feed(const padici_rnn_block *b, uint64_t step, const char *output)
{
    const padici_rnn_net *net = b->work->net;
    const padici_rnn_view *view = &b->work->columns;
    const uint64_t bytes = net->outputs * (net->kernels->is_double ? 8 : 4);
    uint64_t i;
    for (i = 0; i < b->rows; i++) {
        char *columns = b->scratch.columns + i * bytes;
        if (step < b->scratch.lengths[i]) padici_rnn_feed_row(net, output + i * bytes, columns);
        if (view->at)
            padici_rnn_save(net, columns, net->outputs,
                            view->at + (int64_t)step * view->time +
                                (int64_t)(b->row + i) * view->row,
                            view->column);
    }
}

// One layer over a segment, chunk by chunk; a backward one gathers its inputs.
static void padici_rnn_block_layer(const padici_rnn_block *b, uint32_t number, uint32_t state,
                                   uint64_t first, uint64_t steps)
{
    const padici_rnn_net *net = b->work->net;
    const padici_rnn_part *part = &net->part[number * net->directions];
    const uint64_t real = net->kernels->is_double ? 8 : 4, n = part->units;
    const uint64_t slice = b->rows * net->state * real, chunk = padici_rnn_chunk(net, b->rows);
    const int linear = part->is.kind == PADIC_RNN_KIND_LINEAR;
    padici_rnn_pass p;
    uint64_t s, i, k;
    uint32_t d;
    p.net = net;
    p.scratch = &b->scratch;
    p.rows = b->rows;
    p.x_step = part->inputs;
    p.out_step = linear ? n : net->directions * n;
    for (d = 0; d < (linear ? 1u : net->directions); d++) {
        p.part = part + d;
        p.backward = d;
        p.h = b->scratch.h + (state + d) * slice;
        p.c = part->is.kind == PADIC_RNN_KIND_LSTM ? b->scratch.c + (state + d) * slice : NULL;
        for (s = 0; s < steps; s += chunk) {
            const uint64_t bytes = part->inputs * real;
            p.steps = steps - s < chunk ? steps - s : chunk;
            p.first = first + s;
            p.x = b->scratch.from + s * b->rows * bytes;
            for (k = 0; d && k < p.steps; k++)
                for (i = 0; i < b->rows; i++)
                    memcpy(b->scratch.gathered + (k * b->rows + i) * bytes,
                           b->scratch.from +
                               (padici_rnn_turned(s + k, b->scratch.lengths[i]) * b->rows + i) *
                                   bytes,
                           (size_t)bytes);
            if (d) p.x = b->scratch.gathered;
            p.out = b->scratch.to + ((d ? 0 : s * b->rows) * p.out_step + d * n) * real;
            padici_rnn_pass_run(&p);
        }
    }
}

// States of one layer in one direction, between a tensor and the block: h or c.
static void padici_rnn_block_state(const padici_rnn_block *b, const padici_rnn_view *view,
                                   uint32_t state, uint64_t units, char *states, int save)
{
    const padici_rnn_net *net = b->work->net;
    const uint64_t real = net->kernels->is_double ? 8 : 4, size = net->is_double ? 8 : 4;
    uint64_t row, j;
    for (row = 0; row < b->rows; row++) {
        char *own = states + row * units * real, *at;
        if (!view->at) {
            memset(own, 0, (size_t)(units * real));
            continue;
        }
        at = view->at + (int64_t)state * view->time + (int64_t)(b->row + row) * view->row;
        if (!save) {
            padici_rnn_load(net, at, view->column, units, own);
            continue;
        }
        padici_rnn_save(net, own, units, at, view->column);
        for (j = units; j < net->state; j++)
            memset(at + (int64_t)j * view->column, 0, (size_t)size);
    }
}

static void padici_rnn_block_states(const padici_rnn_block *b, int save)
{
    const padici_rnn_net *net = b->work->net;
    const padici_rnn_view *h = save ? &b->work->out_h : &b->work->h0;
    const padici_rnn_view *c = save ? &b->work->out_c : &b->work->c0;
    const uint64_t slice = b->rows * net->state * (net->kernels->is_double ? 8 : 4);
    uint32_t i, state = 0;
    for (i = 0; i < net->layers * net->directions; i++) {
        const padici_rnn_part *part = &net->part[i];
        const int lstm = part->is.kind == PADIC_RNN_KIND_LSTM;
        if (part->is.kind == PADIC_RNN_KIND_LINEAR) continue;
        if (!save || h->at)
            padici_rnn_block_state(b, h, state, part->units, b->scratch.h + state * slice, save);
        if (lstm ? !save || c->at : save && c->at) // a GRU between LSTMs has no c: 0
            padici_rnn_block_state(b, c, state, lstm ? part->units : 0,
                                   b->scratch.c + state * slice, save);
        state++;
    }
}

static void padici_rnn_block_run(padici_rnn_block *b)
{
    const padici_rnn_work *work = b->work;
    const padici_rnn_net *net = work->net;
    const uint64_t segment = padici_rnn_segment(net, b->rows, work->steps);
    uint64_t first, i;
    for (i = 0; i < b->rows; i++)
        b->scratch.lengths[i] =
            work->lengths ? *(const uint32_t *)(const void *)(work->lengths +
                                                              (int64_t)(b->row + i) *
                                                                  work->length_step)
                          : work->steps;
    padici_rnn_block_states(b, 0);
    for (first = 0; first < work->steps; first += segment) {
        const uint64_t steps = work->steps - first < segment ? work->steps - first : segment;
        char *swap;
        uint32_t layer, state = 0;
        padici_rnn_block_load(b, first, steps);
        for (layer = 0; layer < net->layers; layer++) {
            padici_rnn_block_layer(b, layer, state, first, steps);
            if (net->part[layer * net->directions].is.kind != PADIC_RNN_KIND_LINEAR)
                state += net->directions;
            swap = b->scratch.from;
            b->scratch.from = b->scratch.to;
            b->scratch.to = swap;
        }
        padici_rnn_block_save(b, first, steps, b->scratch.from);
        if (net->feedback) padici_rnn_block_feed(b, first, b->scratch.from);
    }
    padici_rnn_block_states(b, 1);
}

static void padici_rnn_work_share(void *arg, uint32_t worker)
{
    const padici_rnn_work *work = (const padici_rnn_work *)arg;
    padici_rnn_block b;
    uint64_t row;
    b.work = work;
    for (row = worker * work->block; row < work->rows; row += work->workers * work->block) {
        b.row = row;
        b.rows = work->rows - row < work->block ? work->rows - row : work->block;
        (void)padici_rnn_scratch_place(work->net, b.rows, work->steps,
                                       work->scratch + worker * work->room, &b.scratch);
        padici_rnn_block_run(&b);
    }
}

// Rows of a block, at most `most`, so that workers have about as much; `used`: how many workers.
PADICI_FN uint64_t padici_rnn_blocks(uint64_t rows, uint64_t most, uint32_t workers, uint32_t *used)
{
    uint64_t blocks, block;
    if (workers > PADICI_RNN_WORKERS) workers = PADICI_RNN_WORKERS;
    if (!workers) workers = 1;
    blocks = (rows + most - 1) / most;
    if (blocks < workers) blocks = workers < (rows + 7) / 8 ? workers : (rows + 7) / 8;
    if (!blocks) blocks = 1;
    block = (rows + blocks - 1) / blocks;
    if (!block) block = 1;
    *used = (uint32_t)(blocks < workers ? blocks : workers);
    return block;
}

PADICI_FN void padici_rnn_work_run(padici_rnn_work *work, const padic_jobs *jobs)
{
    if (!work->rows || !work->steps) return;
    padici_parallel(jobs, work->workers, padici_rnn_work_share, work);
}

#undef PADICI_RNN_PADDED

#endif
