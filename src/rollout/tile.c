#include "engine.h"

#if PADICI_IMPLEMENT_ROLLOUT

// One tile of a node: some rows of all channels.

typedef struct padici_rollout_tile_of {
    padici_rollout_engine *e;
    const padici_rollout_node *node;
    const padici_rollout_place *place;
    const char *weights; // of the operator
    char *scratch, *mark;
    uint64_t slot;
    uint32_t y, rows; // of the output
    size_t size;      // of a real
} padici_rollout_tile_of;

// Cell that stands for cell i; -1: none.
static int64_t padici_rollout_bound(padic_rollout_boundary boundary, int64_t i, uint32_t n)
{
    if (i >= 0 && i < (int64_t)n) return i;
    switch (boundary) {
    case PADIC_ROLLOUT_BOUNDARY_PERIODIC:
        i %= (int64_t)n;
        return i < 0 ? i + n : i;
    case PADIC_ROLLOUT_BOUNDARY_REFLECT: return i < 0 ? -i : 2 * (int64_t)n - 2 - i;
    case PADIC_ROLLOUT_BOUNDARY_REPLICATE: return i < 0 ? 0 : (int64_t)n - 1;
    default: return -1;
    }
}

PADICI_FN void padici_rollout_read_row(const padici_rollout_engine *e, uint64_t slot,
                                       uint32_t from, uint32_t b, uint32_t y, void *to,
                                       char *mark)
{
    const padic_rollout_shape *shape = &e->node[from].shape;
    const padici_rollout_place *place = &e->place[from];
    const size_t size = padici_rollout_real(e), block = PADICI_ROLLOUT_LANES * size;
    const char *row = padici_rollout_field(e, slot, from) +
                      padici_rollout_row_at(shape, b, y) * size;
    const uint64_t padded = padici_rollout_blocks(shape->channels) * block;
    const char *base = e->fields + slot * e->trajectory + place->map + b * block;
    padici_rollout_map map;
    if (!place->pending) {
        memcpy(to, row, shape->width * block);
        return;
    }
    map.mu = base;
    map.a = base + padded;
    map.beta = base + 2 * padded;
    map.act = e->node[from].is.act;
    (*e->kernels->map)(&map, shape->width, row, to);
    padici_rollout_halve(e, to, (uint64_t)shape->width * PADICI_ROLLOUT_LANES, mark);
}

static void padici_rollout_read(const padici_rollout_tile_of *t, uint32_t from, uint32_t b,
                                uint32_t y, void *to)
{
    padici_rollout_read_row(t->e, t->slot, from, b, y, to, t->mark);
}

// Row of a block, with p cells of the boundary on both sides.
static void padici_rollout_read_wide(const padici_rollout_tile_of *t, uint32_t from, uint32_t b,
                                     int64_t y, uint32_t p, char *to)
{
    const padic_rollout_shape *shape = &t->e->node[from].shape;
    const padic_rollout_boundary boundary = t->node->is.boundary;
    const size_t cell = PADICI_ROLLOUT_LANES * t->size;
    const int64_t row = padici_rollout_bound(boundary, y, shape->height);
    uint32_t x;
    if (row < 0) {
        memset(to, 0, (shape->width + 2 * p) * cell);
        return;
    }
    padici_rollout_read(t, from, b, (uint32_t)row, to + p * cell);
    for (x = 0; x < 2 * p; x++) {
        const int64_t at = x < p ? (int64_t)x - p : (int64_t)shape->width + x - p;
        const int64_t of = padici_rollout_bound(boundary, at, shape->width);
        if (of < 0) memset(to + (at + p) * (int64_t)cell, 0, cell);
        else memcpy(to + (at + p) * (int64_t)cell, to + (of + p) * (int64_t)cell, cell);
    }
}

static char *padici_rollout_tile_out(const padici_rollout_tile_of *t, uint32_t b)
{
    return padici_rollout_field(t->e, t->slot, t->e->at) +
           padici_rollout_row_at(&t->node->shape, b, t->y) * t->size;
}

// What remains to be done with finished sums: moments for a norm to come; or FROZEN, activation.
static void padici_rollout_tile_finish(const padici_rollout_tile_of *t)
{
    const padici_rollout_engine *e = t->e;
    const uint64_t cells = (uint64_t)t->rows * t->node->shape.width;
    const uint32_t blocks = padici_rollout_blocks(t->node->is.channels);
    const uint64_t padded = (uint64_t)blocks * PADICI_ROLLOUT_LANES;
    double *moments = (double *)(void *)(e->fields + t->slot * e->trajectory + t->place->moments) +
                      t->y / t->place->rows * 2 * padded;
    padici_rollout_map map;
    uint32_t b;
    if (!t->place->pending && t->node->is.norm == PADIC_ROLLOUT_NORM_NONE &&
        t->node->is.act == PADIC_ROLLOUT_ACT_NONE)
        return;
    for (b = 0; b < blocks; b++) {
        const uint64_t lane = (uint64_t)b * PADICI_ROLLOUT_LANES;
        char *out = padici_rollout_tile_out(t, b);
        if (t->place->pending) {
            (*e->kernels->moments)(cells, out, moments + lane, moments + padded + lane);
            continue;
        }
        memset(&map, 0, sizeof map);
        map.act = t->node->is.act;
        if (t->node->is.norm == PADIC_ROLLOUT_NORM_FROZEN) {
            const char *base = t->weights + (t->place->affine + lane) * t->size;
            map.mu = base;
            map.a = base + padded * t->size;
            map.beta = base + 2 * padded * t->size;
        }
        (*e->kernels->map)(&map, cells, out, out);
    }
}

// Sums over all blocks of inputs, for two blocks of outputs at a time. `q` has what is the same
// for all; `taps` of the packed weights belong to one block of inputs, the first is `tap`.
static void padici_rollout_tile_sums(const padici_rollout_tile_of *t, padici_rollout_conv *q,
                                     uint32_t inputs, uint64_t in_block, uint32_t taps,
                                     uint32_t tap, int more, uint64_t out_at)
{
    const uint32_t lanes = PADICI_ROLLOUT_LANES;
    const uint32_t blocks = padici_rollout_blocks(t->node->is.channels);
    const char *in = (const char *)q->in;
    uint32_t ob, ib;
    q->weights_block = (uint64_t)inputs * taps * lanes;
    q->start_block = lanes;
    q->out_block = (uint64_t)t->node->shape.height * t->node->shape.width * lanes;
    for (ob = 0; ob < blocks; ob += 2)
        for (ib = 0; ib < inputs; ib += lanes) {
            q->blocks = blocks - ob < 2 ? 1 : 2;
            q->inputs = inputs - ib < lanes ? inputs - ib : lanes;
            q->in = in + ib / lanes * in_block * t->size;
            q->weights = t->weights + (t->place->packed + ob * q->weights_block +
                                       ((uint64_t)ib * taps + (uint64_t)tap * q->inputs) * lanes) *
                                          t->size;
            q->start = ib || more ? NULL : t->weights + (t->place->start + ob * lanes) * t->size;
            q->out = padici_rollout_tile_out(t, ob) + out_at * t->size;
            (*t->e->kernels->conv)(q);
        }
}

static void padici_rollout_tile_conv(const padici_rollout_tile_of *t)
{
    const padic_rollout_node *is = &t->node->is;
    const padic_rollout_shape *in = &t->e->node[is->input].shape;
    const uint32_t p = is->kernel / 2, lanes = PADICI_ROLLOUT_LANES;
    const uint32_t rows = (t->rows - 1) * is->stride + is->kernel;
    const uint64_t line = (uint64_t)(in->width + 2 * p) * lanes;
    padici_rollout_conv q;
    uint32_t b, r;
    memset(&q, 0, sizeof q);
    q.in = t->scratch;
    q.line = line;
    if (is->kernel == 1 && is->stride == 1 && !t->e->place[is->input].pending) {
        q.in = padici_rollout_field(t->e, t->slot, is->input) +
               padici_rollout_row_at(in, 0, t->y) * t->size;
    } else {
        for (b = 0; b < padici_rollout_blocks(in->channels); b++)
            for (r = 0; r < rows; r++)
                padici_rollout_read_wide(t, is->input, b, (int64_t)t->y * is->stride - p + r, p,
                                         t->scratch + ((uint64_t)b * rows + r) * line * t->size);
    }
    q.in_row = line * is->stride;
    q.in_cell = (uint64_t)lanes * is->stride;
    q.out_row = (uint64_t)t->node->shape.width * lanes;
    q.out_cell = lanes;
    q.kernel = is->kernel;
    q.rows = t->rows;
    q.cells = t->node->shape.width;
    padici_rollout_tile_sums(t, &q, in->channels,
                             q.in == t->scratch ? rows * line : (uint64_t)in->height * line,
                             is->kernel * is->kernel, 0, 0, 0);
}

// count reals: a += b.
static void padici_rollout_plus(void *a, const void *b, uint64_t count, size_t size)
{
    uint64_t i;
    if (size == 8)
        for (i = 0; i < count; i++) ((double *)a)[i] += ((const double *)b)[i];
    else
        for (i = 0; i < count; i++) ((float *)a)[i] += ((const float *)b)[i];
}

static void padici_rollout_tile_add(const padici_rollout_tile_of *t)
{
    const padic_rollout_node *is = &t->node->is;
    const padic_rollout_shape *shape = &t->node->shape;
    const uint64_t line = (uint64_t)shape->width * PADICI_ROLLOUT_LANES;
    padici_rollout_conv q;
    uint32_t b, r;
    for (b = 0; b < padici_rollout_blocks(is->channels); b++)
        for (r = 0; r < t->rows; r++) {
            char *out = padici_rollout_tile_out(t, b) + r * line * t->size;
            padici_rollout_read(t, is->input, b, t->y + r, out);
            if (t->node->skip_w) continue;
            padici_rollout_read(t, is->skip, b, t->y + r, t->scratch);
            padici_rollout_plus(out, t->scratch, line, t->size);
        }
    if (!t->node->skip_w) return;
    for (b = 0; b < padici_rollout_blocks(t->node->skips); b++)
        for (r = 0; r < t->rows; r++)
            padici_rollout_read(t, is->skip, b, t->y + r,
                                t->scratch + ((uint64_t)b * t->rows + r) * line * t->size);
    memset(&q, 0, sizeof q);
    q.in = t->scratch;
    q.line = q.in_row = q.out_row = line;
    q.in_cell = q.out_cell = PADICI_ROLLOUT_LANES;
    q.kernel = 1;
    q.rows = t->rows;
    q.cells = shape->width;
    padici_rollout_tile_sums(t, &q, t->node->skips, t->rows * line, 1, 0, 1, 0);
}

// Channels of `from` become those from `first` on.
static void padici_rollout_tile_place(const padici_rollout_tile_of *t, uint32_t from,
                                      uint32_t first)
{
    const uint32_t lanes = PADICI_ROLLOUT_LANES, channels = t->e->node[from].shape.channels;
    const uint32_t width = t->node->shape.width;
    uint32_t b, r, c, x;
    for (b = 0; b < padici_rollout_blocks(channels); b++)
        for (r = 0; r < t->rows; r++) {
            padici_rollout_read(t, from, b, t->y + r, t->scratch);
            for (c = b * lanes; c < channels && c < (b + 1) * lanes; c++) {
                const uint32_t to = first + c;
                char *out = padici_rollout_tile_out(t, to / lanes) +
                            (uint64_t)r * width * lanes * t->size;
                for (x = 0; x < width; x++)
                    memcpy(out + ((uint64_t)x * lanes + to % lanes) * t->size,
                           t->scratch + ((uint64_t)x * lanes + c % lanes) * t->size, t->size);
            }
        }
}

static void padici_rollout_tile_concat(const padici_rollout_tile_of *t)
{
    const uint64_t tile = (uint64_t)t->rows * t->node->shape.width * PADICI_ROLLOUT_LANES;
    const uint32_t blocks = padici_rollout_blocks(t->node->is.channels);
    memset(padici_rollout_tile_out(t, blocks - 1), 0, tile * t->size);
    padici_rollout_tile_place(t, t->node->is.input, 0);
    padici_rollout_tile_place(t, t->node->is.skip, t->node->inputs);
}

// NORM: a copy, whose statistics follow.
static void padici_rollout_tile_copy(const padici_rollout_tile_of *t)
{
    const uint64_t line = (uint64_t)t->node->shape.width * PADICI_ROLLOUT_LANES;
    uint32_t b, r;
    for (b = 0; b < padici_rollout_blocks(t->node->is.channels); b++)
        for (r = 0; r < t->rows; r++)
            padici_rollout_read(t, t->node->is.input, b, t->y + r,
                                padici_rollout_tile_out(t, b) + r * line * t->size);
}

// out = a w + b v + c w' + d v', of cells of two rows.
static void padici_rollout_mix(const padici_rollout_tile_of *t, char *out, const char *upper,
                               const char *lower, uint32_t left, uint32_t right, double down,
                               double across)
{
    const uint64_t l = (uint64_t)left * PADICI_ROLLOUT_LANES;
    const uint64_t r = (uint64_t)right * PADICI_ROLLOUT_LANES;
    uint32_t c;
    for (c = 0; c < PADICI_ROLLOUT_LANES; c++) {
        const double a = padici_rollout_get(upper, l + c, t->size);
        const double b = padici_rollout_get(upper, r + c, t->size);
        const double d = padici_rollout_get(lower, l + c, t->size);
        const double e = padici_rollout_get(lower, r + c, t->size);
        const double top = (1 - across) * a + across * b, low = (1 - across) * d + across * e;
        padici_rollout_put(out, c, t->size, (1 - down) * top + down * low);
    }
}

static void padici_rollout_tile_mean(const padici_rollout_tile_of *t)
{
    const uint32_t width = t->node->shape.width;
    const uint64_t cell = PADICI_ROLLOUT_LANES * t->size, line = 2 * width * cell;
    uint32_t b, r, x;
    for (b = 0; b < padici_rollout_blocks(t->node->is.channels); b++)
        for (r = 0; r < t->rows; r++) {
            char *out = padici_rollout_tile_out(t, b) + r * width * cell;
            padici_rollout_read(t, t->node->is.input, b, 2 * (t->y + r), t->scratch);
            padici_rollout_read(t, t->node->is.input, b, 2 * (t->y + r) + 1, t->scratch + line);
            for (x = 0; x < width; x++)
                padici_rollout_mix(t, out + x * cell, t->scratch, t->scratch + line, 2 * x,
                                   2 * x + 1, 0.5, 0.5);
        }
}

// Cells before and after i of the fine grid, and the weight of the later.
static double padici_rollout_between(const padici_rollout_tile_of *t, uint32_t i, uint32_t n,
                                     uint32_t *before, uint32_t *after)
{
    padic_rollout_boundary boundary = t->node->is.boundary;
    int64_t a = (int64_t)(i / 2) - (i % 2 == 0), b = a + 1;
    if (t->node->is.up == PADIC_ROLLOUT_UP_NEAREST) a = b = i / 2;
    if (boundary == PADIC_ROLLOUT_BOUNDARY_ZERO) boundary = PADIC_ROLLOUT_BOUNDARY_REPLICATE;
    *before = (uint32_t)padici_rollout_bound(boundary, a, n);
    *after = (uint32_t)padici_rollout_bound(boundary, b, n);
    return i % 2 ? 0.25 : 0.75;
}

static void padici_rollout_tile_up(const padici_rollout_tile_of *t)
{
    const uint32_t height = t->node->shape.height / 2, width = t->node->shape.width / 2;
    const uint64_t cell = PADICI_ROLLOUT_LANES * t->size, line = width * cell;
    uint32_t b, r, x, upper, lower, left, right;
    for (b = 0; b < padici_rollout_blocks(t->node->is.channels); b++)
        for (r = 0; r < t->rows; r++) {
            char *out = padici_rollout_tile_out(t, b) + 2 * r * line;
            const double down = padici_rollout_between(t, t->y + r, height, &upper, &lower);
            padici_rollout_read(t, t->node->is.input, b, upper, t->scratch);
            padici_rollout_read(t, t->node->is.input, b, lower, t->scratch + line);
            for (x = 0; x < 2 * width; x++) {
                const double across = padici_rollout_between(t, x, width, &left, &right);
                padici_rollout_mix(t, out + x * cell, t->scratch, t->scratch + line, left, right,
                                   down, across);
            }
        }
}

// Four 1 x 1 convolutions, one for each place in a square of two by two cells.
static void padici_rollout_tile_transposed(const padici_rollout_tile_of *t)
{
    const uint32_t width = t->node->shape.width / 2, rows = t->rows / 2;
    const uint64_t line = (uint64_t)width * PADICI_ROLLOUT_LANES;
    padici_rollout_conv q;
    uint32_t b, r, tap;
    for (b = 0; b < padici_rollout_blocks(t->node->inputs); b++)
        for (r = 0; r < rows; r++)
            padici_rollout_read(t, t->node->is.input, b, t->y / 2 + r,
                                t->scratch + ((uint64_t)b * rows + r) * line * t->size);
    for (tap = 0; tap < 4; tap++) {
        memset(&q, 0, sizeof q);
        q.in = t->scratch;
        q.line = q.in_row = line;
        q.in_cell = PADICI_ROLLOUT_LANES;
        q.out_row = 4 * line;
        q.out_cell = 2 * PADICI_ROLLOUT_LANES;
        q.kernel = 1;
        q.rows = rows;
        q.cells = width;
        padici_rollout_tile_sums(t, &q, t->node->inputs, rows * line, 4, tap, 0,
                                 tap / 2 * 2 * line + tap % 2 * PADICI_ROLLOUT_LANES);
    }
}

PADICI_FN uint64_t padici_rollout_scratch(const padici_rollout_engine *e, uint32_t at)
{
    const padici_rollout_node *node = &e->node[at];
    const padic_rollout_shape *in = &e->node[node->is.input].shape;
    const uint64_t rows = e->place[at].rows, lanes = PADICI_ROLLOUT_LANES;
    switch (node->is.kind) {
    case PADIC_ROLLOUT_KIND_CONV:
        return padici_rollout_blocks(in->channels) * lanes *
               ((rows - 1) * node->is.stride + node->is.kernel) *
               (in->width + node->is.kernel - 1);
    case PADIC_ROLLOUT_KIND_ADD:
        return padici_rollout_blocks(node->skips) * lanes * rows * in->width;
    case PADIC_ROLLOUT_KIND_UP:
        return (padici_rollout_blocks(in->channels) * (rows / 2) + 2) * lanes * in->width;
    case PADIC_ROLLOUT_KIND_SPECTRAL: // a block and its spectrum
        return lanes * in->height * (in->width + 2 * ((uint64_t)in->width / 2 + 1));
    default: return 2 * lanes * in->width;
    }
}

PADICI_FN void padici_rollout_tile(padici_rollout_engine *e, uint64_t item, char *scratch)
{
    const padici_rollout_place *place = &e->place[e->at];
    padici_rollout_tile_of t;
    uint32_t b;
    t.e = e;
    t.node = &e->node[e->at];
    t.place = place;
    t.slot = item / place->tiles;
    t.mark = padici_rollout_mark(e, t.slot, item % place->tiles);
    t.y = (uint32_t)(item % place->tiles) * place->rows;
    t.rows = t.node->shape.height - t.y;
    if (t.rows > place->rows) t.rows = place->rows;
    t.weights = padici_rollout_weights_of(e, t.slot);
    t.scratch = scratch;
    t.size = padici_rollout_real(e);
    switch (t.node->is.kind) {
    case PADIC_ROLLOUT_KIND_CONV: padici_rollout_tile_conv(&t); break;
    case PADIC_ROLLOUT_KIND_ADD: padici_rollout_tile_add(&t); break;
    case PADIC_ROLLOUT_KIND_CONCAT: padici_rollout_tile_concat(&t); break;
    case PADIC_ROLLOUT_KIND_MEAN: padici_rollout_tile_mean(&t); break;
    case PADIC_ROLLOUT_KIND_UP:
        if (t.node->is.up == PADIC_ROLLOUT_UP_TRANSPOSED) padici_rollout_tile_transposed(&t);
        else padici_rollout_tile_up(&t);
        break;
    default: padici_rollout_tile_copy(&t); break;
    }
    padici_rollout_tile_finish(&t);
    for (b = 0; b < padici_rollout_blocks(t.node->is.channels) && e->at < e->op.count; b++)
        padici_rollout_halve(e, padici_rollout_tile_out(&t, b),
                             (uint64_t)t.rows * t.node->shape.width * PADICI_ROLLOUT_LANES,
                             t.mark);
}

#endif
