#include "net.h"
#include "../../context/operation.h"
#include "../launch.h"

#if PADICI_IMPLEMENT_GPU && !defined(PADIC_NO_ROLLOUT)

// Launches of the nodes of an operator: kernels/rollout.

PADICI_FN void padici_gpu_rollout_read(const padici_gpu_rollout *n, uint32_t node,
                                       padici_gpu_rollout_source *source)
{
    const padici_gpu_rollout_place *place = &n->place[node];
    source->word[2] = 0;
    source->word[3] = PADIC_ROLLOUT_ACT_NONE;
    if (!node) {
        source->mem = n->state;
        source->word[0] = n->state_at;
        source->word[1] = n->state_step;
        return;
    }
    source->mem = n->memory.mem;
    source->word[0] = (uint32_t)place->field;
    source->word[1] = (uint32_t)n->each;
    if (place->settles) return;
    if (place->norms) source->word[2] = (uint32_t)place->map + 1;
    if (place->acts) source->word[3] = (uint32_t)n->e.node[node].is.act;
}

// A convolution of node `at`, from `from` on; k has what differs between kinds.
static padic_result padici_gpu_rollout_conv(const padici_gpu_rollout *n, uint32_t at,
                                            uint32_t from, padici_k_rollout_conv_layer_params *k)
{
    const padici_rollout_node *node = &n->e.node[at];
    const padici_gpu_rollout_place *place = &n->place[at];
    const padic_rollout_shape *in = &n->e.node[from].shape;
    padici_gpu_rollout_source a;
    padic_mem mem[4];
    padici_gpu_rollout_read(n, from, &a);
    k->inputs = in->channels;
    k->height = in->height;
    k->width = in->width;
    k->outputs = node->is.channels;
    k->chunk = place->chunk;
    k->lines = place->lines;
    k->single = place->single;
    k->ahead = place->ahead > 0;
    k->sides = place->sides;
    k->wide = place->wide;
    k->tall = place->tall;
    k->tiles = place->tiles;
    k->parameters = (uint32_t)n->e.parameters;
    k->first = n->first;
    k->per_operator = (uint32_t)n->e.per_operator;
    memcpy(k->a, a.word, sizeof k->a);
    k->step = (uint32_t)n->each;
    k->plane = node->shape.height * node->shape.width;
    if (place->counts) k->moments = (uint32_t)place->moments + 1;
    mem[0] = a.mem;
    mem[1] = n->memory.mem;
    mem[2] = n->weights.mem;
    mem[3] = n->memory.mem;
    return padici_gpu_rollout_launch(n, PADICI_KERNEL_ROLLOUT_CONV_LAYER, mem, 4, k, sizeof *k,
                                     place->count,
                                     (k->outputs + 8 * k->sides - 1) / (8 * k->sides), n->count);
}

static padic_result padici_gpu_rollout_conv_node(const padici_gpu_rollout *n, uint32_t at)
{
    const padici_rollout_node *node = &n->e.node[at];
    padici_k_rollout_conv_layer_params k;
    memset(&k, 0, sizeof k);
    k.rows = node->shape.height;
    k.columns = node->shape.width;
    k.span = node->is.kernel;
    k.stride = node->is.stride;
    k.boundary = (uint32_t)node->is.boundary;
    k.taps = node->is.kernel * node->is.kernel;
    k.w = (uint32_t)node->shape.weights;
    if (node->bias) k.bias = k.w + (uint32_t)node->w + 1;
    k.out = (uint32_t)n->place[at].field;
    k.spread = 1;
    k.line = node->shape.width;
    return padici_gpu_rollout_conv(n, at, node->is.input, &k);
}

// Four convolutions, one for each place in a square of two by two cells.
static padic_result padici_gpu_rollout_transposed(const padici_gpu_rollout *n, uint32_t at)
{
    const padici_rollout_node *node = &n->e.node[at];
    padici_k_rollout_conv_layer_params k;
    padic_result result = PADIC_OK;
    uint32_t tap;
    for (tap = 0; tap < 4 && !result; tap++) {
        memset(&k, 0, sizeof k);
        k.rows = node->shape.height / 2;
        k.columns = node->shape.width / 2;
        k.span = k.stride = 1;
        k.taps = 4;
        k.w = (uint32_t)node->shape.weights + tap * node->is.channels;
        k.bias = (uint32_t)(node->shape.weights + node->w) + 1;
        k.out = (uint32_t)n->place[at].field + tap / 2 * node->shape.width + tap % 2;
        k.spread = 2;
        k.line = 2 * node->shape.width;
        result = padici_gpu_rollout_conv(n, at, node->is.input, &k);
    }
    return result;
}

static padic_result padici_gpu_rollout_each(const padici_gpu_rollout *n, uint32_t kind,
                                            uint32_t from, uint32_t skip,
                                            const padic_rollout_shape *shape, padic_mem out,
                                            padici_k_rollout_each_params *k)
{
    const uint64_t cells = (uint64_t)shape->height * shape->width;
    padici_gpu_rollout_source a, b;
    padic_mem mem[4];
    padici_gpu_rollout_read(n, from, &a);
    padici_gpu_rollout_read(n, skip, &b);
    k->kind = kind;
    k->channels = shape->channels;
    k->height = shape->height;
    k->width = shape->width;
    k->inputs = n->e.node[from].shape.channels;
    memcpy(k->a, a.word, sizeof k->a);
    memcpy(k->b, b.word, sizeof k->b);
    k->map = (uint32_t)n->each;
    mem[0] = a.mem;
    mem[1] = b.mem;
    mem[2] = n->memory.mem;
    mem[3] = out;
    return padici_gpu_rollout_launch(
        n, PADICI_KERNEL_ROLLOUT_EACH, mem, 4, k, sizeof *k,
        (uint32_t)((cells + PADICI_GPU_ROLLOUT_CELLS - 1) / PADICI_GPU_ROLLOUT_CELLS),
        shape->channels, n->count);
}

PADICI_FN padic_result padici_gpu_rollout_copy(const padici_gpu_rollout *n, uint32_t node,
                                               padic_mem out, uint32_t at, uint32_t step)
{
    padici_k_rollout_each_params k;
    memset(&k, 0, sizeof k);
    k.out = at;
    k.step = step;
    return padici_gpu_rollout_each(n, PADICI_GPU_ROLLOUT_COPY, node, node,
                                   &n->e.node[node].shape, out, &k);
}

static padic_result padici_gpu_rollout_each_node(const padici_gpu_rollout *n, uint32_t at,
                                                 uint32_t kind, uint32_t skip)
{
    const padici_rollout_node *node = &n->e.node[at];
    padici_k_rollout_each_params k;
    memset(&k, 0, sizeof k);
    k.boundary = (uint32_t)node->is.boundary;
    k.out = (uint32_t)n->place[at].field;
    k.step = (uint32_t)n->each;
    if (n->place[at].counts) k.moments = (uint32_t)n->place[at].moments + 1;
    return padici_gpu_rollout_each(n, kind, node->is.input, skip, &node->shape, n->memory.mem, &k);
}

// input + W1 skip: the input is there before the sums.
static padic_result padici_gpu_rollout_add(const padici_gpu_rollout *n, uint32_t at)
{
    const padici_rollout_node *node = &n->e.node[at];
    padici_k_rollout_conv_layer_params k;
    padic_result result;
    if (!node->skip_w)
        return padici_gpu_rollout_each_node(n, at, PADICI_GPU_ROLLOUT_ADD, node->is.skip);
    result = padici_gpu_rollout_each_node(n, at, PADICI_GPU_ROLLOUT_COPY, node->is.input);
    if (result) return result;
    memset(&k, 0, sizeof k);
    k.rows = node->shape.height;
    k.columns = node->shape.width;
    k.span = k.stride = k.taps = k.spread = k.more = 1;
    k.w = (uint32_t)node->shape.weights;
    k.out = (uint32_t)n->place[at].field;
    k.line = node->shape.width;
    return padici_gpu_rollout_conv(n, at, node->is.skip, &k);
}

static padic_result padici_gpu_rollout_norms(const padici_gpu_rollout *n, uint32_t at)
{
    const padici_rollout_node *node = &n->e.node[at];
    const padici_gpu_rollout_place *place = &n->place[at];
    const uint64_t affine = node->shape.weights + node->w + node->skip_w + node->bias;
    const uint32_t groups = place->counts ? node->is.groups : 1;
    padici_k_rollout_norms_params k;
    padic_mem mem[2];
    if (!place->norms) return PADIC_OK;
    memset(&k, 0, sizeof k);
    k.channels = node->is.channels;
    k.group = node->is.channels / groups;
    k.rows = node->shape.height;
    k.columns = node->shape.width;
    if (place->counts) k.count = place->count;
    k.tiles = place->tiles;
    k.wide = place->wide;
    k.tall = place->tall;
    k.moments = (uint32_t)place->moments;
    k.map = (uint32_t)place->map;
    k.step = (uint32_t)n->each;
    if (node->affine) k.affine = (uint32_t)affine + 1;
    if (node->statistics) k.statistics = (uint32_t)(affine + node->affine) + 1;
    k.parameters = (uint32_t)n->e.parameters;
    k.first = n->first;
    k.per_operator = (uint32_t)n->e.per_operator;
    k.eps = node->is.eps;
    mem[0] = n->memory.mem;
    mem[1] = n->weights.mem;
    return padici_gpu_rollout_launch(n, PADICI_KERNEL_ROLLOUT_NORMS, mem, 2, &k, sizeof k, groups,
                                     1, n->count);
}

// The norm and the activation of a field with several readers, in place.
static padic_result padici_gpu_rollout_settle_field(const padici_gpu_rollout *n, uint32_t at)
{
    const padici_rollout_node *node = &n->e.node[at];
    const padici_gpu_rollout_place *place = &n->place[at];
    padici_k_rollout_settle_params k;
    padic_mem mem[1];
    if (!place->settles) return PADIC_OK;
    memset(&k, 0, sizeof k);
    k.channels = node->shape.channels;
    k.cells = node->shape.height * node->shape.width;
    k.field = (uint32_t)place->field;
    if (place->norms) k.map = (uint32_t)place->map + 1;
    if (place->acts) k.act = (uint32_t)node->is.act;
    else k.act = PADIC_ROLLOUT_ACT_NONE;
    k.step = (uint32_t)n->each;
    mem[0] = n->memory.mem;
    return padici_gpu_rollout_launch(
        n, PADICI_KERNEL_ROLLOUT_SETTLE, mem, 1, &k, sizeof k,
        (k.cells + PADICI_GPU_ROLLOUT_CELLS - 1) / PADICI_GPU_ROLLOUT_CELLS, k.channels, n->count);
}

static padic_result padici_gpu_rollout_noise(const padici_gpu_rollout *n, uint32_t at)
{
    const padici_rollout_node *node = &n->e.node[at];
    const uint64_t numbers = (uint64_t)node->shape.channels * node->shape.height *
                             node->shape.width;
    padici_gpu_rollout_source a;
    padici_k_rollout_noise_params k;
    padic_mem mem[4];
    uint32_t i, field, before = 0;
    padic_result result;
    if (n->e.chance.quiet)
        return padici_gpu_rollout_each_node(n, at, PADICI_GPU_ROLLOUT_COPY, node->is.input);
    result = padici_gpu_rollout_correlate(n, at, &field);
    if (result) return result;
    for (i = 1; i < at; i++) before += n->e.node[i].is.kind == PADIC_ROLLOUT_KIND_NOISE;
    padici_gpu_rollout_read(n, node->is.input, &a);
    memset(&k, 0, sizeof k);
    k.numbers = (uint32_t)numbers;
    k.channels = node->shape.channels;
    k.cells = node->shape.height * node->shape.width;
    k.type = (uint32_t)node->law.type;
    k.site = at;
    k.t = n->e.step;
    k.seed_low = (uint32_t)n->e.chance.seed;
    k.seed_high = (uint32_t)(n->e.chance.seed >> 32);
    k.quantiles = n->quantiles;
    k.ids = n->ids;
    k.realisations = n->realisations;
    k.scales = n->scales +
               2 * (uint32_t)n->e.operators * (before * n->times + (n->ticks ? 0 : n->time));
    if (n->ticks) {
        k.clock = n->now + 1;
        k.apart = 2 * (uint32_t)n->e.operators;
        k.last = n->times - 1;
    }
    k.first = n->first;
    k.per_operator = (uint32_t)n->e.per_operator;
    memcpy(k.a, a.word, sizeof k.a);
    k.map = (uint32_t)n->each;
    k.out = (uint32_t)n->place[at].field;
    k.field = field;
    mem[0] = a.mem;
    mem[1] = n->memory.mem;
    mem[2] = n->tables.mem;
    mem[3] = n->memory.mem;
    return padici_gpu_rollout_launch(n, PADICI_KERNEL_ROLLOUT_NOISE, mem, 4, &k, sizeof k,
                                     (k.numbers + 1023) / 1024, 1, n->count);
}

PADICI_FN padic_result padici_gpu_rollout_node(const padici_gpu_rollout *n, uint32_t at)
{
    const padici_rollout_node *node = &n->e.node[at];
    const uint32_t input = node->is.input;
    padic_result result;
    switch (node->is.kind) {
    case PADIC_ROLLOUT_KIND_CONV: result = padici_gpu_rollout_conv_node(n, at); break;
    case PADIC_ROLLOUT_KIND_ADD: return padici_gpu_rollout_add(n, at);
    case PADIC_ROLLOUT_KIND_CONCAT:
        return padici_gpu_rollout_each_node(n, at, PADICI_GPU_ROLLOUT_CONCAT, node->is.skip);
    case PADIC_ROLLOUT_KIND_MEAN:
        return padici_gpu_rollout_each_node(n, at, PADICI_GPU_ROLLOUT_MEAN, input);
    case PADIC_ROLLOUT_KIND_SPECTRAL: return padici_gpu_rollout_spectral(n, at);
    case PADIC_ROLLOUT_KIND_NOISE: return padici_gpu_rollout_noise(n, at);
    case PADIC_ROLLOUT_KIND_UP:
        if (node->is.up == PADIC_ROLLOUT_UP_TRANSPOSED) return padici_gpu_rollout_transposed(n, at);
        return padici_gpu_rollout_each_node(n, at,
                                            node->is.up == PADIC_ROLLOUT_UP_NEAREST
                                                ? (uint32_t)PADICI_GPU_ROLLOUT_NEAREST
                                                : (uint32_t)PADICI_GPU_ROLLOUT_BILINEAR,
                                            input);
    default:
        result = padici_gpu_rollout_each_node(n, at, PADICI_GPU_ROLLOUT_COPY, input);
    }
    if (!result) result = padici_gpu_rollout_norms(n, at);
    return result ? result : padici_gpu_rollout_settle_field(n, at);
}

#endif
