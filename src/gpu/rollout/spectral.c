#include "net.h"
#include "../launch.h"
#include "../variants.h"

#if PADICI_IMPLEMENT_GPU && !defined(PADIC_NO_ROLLOUT)

// SPECTRAL nodes, and NOISE with a length: kernels/rollout/modes.cl. A trajectory's modes are
// behind its fields: those of the inputs, then those of the outputs; or those of noise, then its
// normal numbers.

#define PADICI_GPU_ROLLOUT_MODES 2048u // numbers of local memory for cells, for a half transform

static int padici_gpu_rollout_correlated(const padici_gpu_rollout *n, uint32_t at)
{
    return n->e.node[at].is.kind == PADIC_ROLLOUT_KIND_NOISE && !n->e.chance.quiet &&
           n->e.node[at].law.length > 0;
}

// exp(-k^2 ell^2/4) of wave number q of `cells` cells, ell the node's length.
static double padici_gpu_rollout_amplitude(const padici_rollout_node *node, uint32_t cells,
                                           uint32_t q)
{
    const double k = 6.283185307179586477 * (double)q / (double)cells * node->law.length;
    return exp(-0.25 * k * k);
}

// Wave numbers from 0 on that noise has on `cells` cells: what is below 1e-10 of the first is left
// out, which is far below the rounding of their sum.
static uint32_t padici_gpu_rollout_kept(const padici_rollout_node *node, uint32_t cells)
{
    uint32_t q = 1;
    while (2 * q < cells && padici_gpu_rollout_amplitude(node, cells, q) > 1e-10) q++;
    return q;
}

PADICI_FN int padici_gpu_rollout_modes_fit(const padici_gpu_rollout *n, uint32_t at)
{
    const padici_rollout_node *node = &n->e.node[at];
    const uint32_t most = PADICI_GPU_ROLLOUT_MODES;
    if (node->is.kind == PADIC_ROLLOUT_KIND_SPECTRAL)
        return node->shape.width <= most && node->shape.height <= most / 2;
    return node->shape.width <= most && node->shape.height <= most;
}

// Turns of axis `axis` (0: a row's) of node `at`: those of an earlier node with as many cells, or
// of its own, from `words` on.
static uint64_t padici_gpu_rollout_turns_of(padici_gpu_rollout *n, uint32_t at, uint32_t axis,
                                            uint64_t words)
{
    padici_gpu_rollout_place *place = &n->place[at];
    const uint32_t cells = axis ? n->e.node[at].shape.height : n->e.node[at].shape.width;
    uint32_t i, j;
    place->cells[axis] = cells;
    for (i = 1; i <= at; i++)
        for (j = 0; j < (i == at ? axis : 2u); j++)
            if (n->place[i].cells[j] == cells) {
                place->turns[axis] = n->place[i].turns[j];
                return words;
            }
    place->turns[axis] = (uint32_t)words;
    place->fresh[axis] = 1;
    return words + 2 * (uint64_t)cells;
}

PADICI_FN void padici_gpu_rollout_modes_lay(padici_gpu_rollout *n)
{
    uint64_t words = (n->e.operators * n->e.parameters + 1) / 2 * 2, most = 0;
    uint32_t i;
    for (i = 1; i <= n->e.op.count; i++) {
        const padici_rollout_node *node = &n->e.node[i];
        const uint32_t height = node->shape.height, width = node->shape.width;
        padici_gpu_rollout_place *place = &n->place[i];
        uint64_t need;
        if (node->is.kind == PADIC_ROLLOUT_KIND_SPECTRAL) {
            place->up = node->up;
            place->rows = node->up + node->down;
            place->columns = node->columns;
            need = (uint64_t)node->inputs + node->is.channels;
        } else if (padici_gpu_rollout_correlated(n, i)) {
            place->up = padici_gpu_rollout_kept(node, height);
            place->rows = 2 * place->up - 1;
            place->columns = padici_gpu_rollout_kept(node, width);
            place->amplitudes = n->amplitudes;
            n->amplitudes += place->rows + place->columns;
            need = node->shape.channels;
        } else continue;
        need *= 2 * (uint64_t)place->rows * place->columns;
        if (node->is.kind == PADIC_ROLLOUT_KIND_NOISE)
            need += (uint64_t)node->shape.channels * height * width;
        if (need > most) most = need;
        words = padici_gpu_rollout_turns_of(n, i, 0, words);
        words = padici_gpu_rollout_turns_of(n, i, 1, words);
    }
    n->modes = n->each;
    n->each += most;
    n->packed = most ? words : n->e.operators * n->e.parameters;
}

PADICI_FN padic_result padici_gpu_rollout_modes_need(const padici_gpu_rollout *n)
{
    static const uint32_t kernels[4] = {
        PADICI_KERNEL_ROLLOUT_MODES_TURNS, PADICI_KERNEL_ROLLOUT_MODES_IN,
        PADICI_KERNEL_ROLLOUT_MODES_MIX, PADICI_KERNEL_ROLLOUT_MODES_OUT};
    padic_result result = PADIC_OK;
    uint32_t i;
    if (n->modes == n->each) return PADIC_OK;
    for (i = 0; i < 4 && !result; i++) result = padici_gpu_need(n->gpu, kernels[i], NULL, 0);
    if (!result && n->amplitudes)
        result = padici_gpu_need(n->gpu, PADICI_KERNEL_ROLLOUT_MODES_DRAW, NULL, 0);
    return result;
}

PADICI_FN padic_result padici_gpu_rollout_turns(const padici_gpu_rollout *n)
{
    padici_k_rollout_modes_turns_params k;
    padic_result result = PADIC_OK;
    uint32_t i, axis;
    for (i = 1; i <= n->e.op.count; i++)
        for (axis = 0; axis < 2 && !result; axis++) {
            if (!n->place[i].fresh[axis]) continue;
            memset(&k, 0, sizeof k);
            k.count = n->place[i].cells[axis];
            k.to = n->place[i].turns[axis];
            result = padici_gpu_rollout_launch(n, PADICI_KERNEL_ROLLOUT_MODES_TURNS,
                                               &n->weights.mem, 1, &k, sizeof k,
                                               (k.count + 255) / 256, 1, 1);
        }
    return result;
}

// Columns, then rows; a mode's amplitude is the product, and the sum of their squares is 1.
PADICI_FN void padici_gpu_rollout_amplitudes(const padici_gpu_rollout *n, uint32_t at,
                                             uint32_t *words)
{
    const padici_rollout_node *node = &n->e.node[at];
    const padici_gpu_rollout_place *place = &n->place[at];
    uint32_t axis, i;
    if (!place->columns || !padici_gpu_rollout_correlated(n, at)) return;
    words += place->amplitudes;
    for (axis = 0; axis < 2; axis++) {
        const uint32_t cells = place->cells[axis], count = axis ? place->rows : place->columns;
        double sum = 1;
        for (i = 1; 2 * i < cells; i++) {
            const double a = padici_gpu_rollout_amplitude(node, cells, i);
            sum += 2 * a * a;
        }
        for (i = 0; i < count; i++, words++) {
            const uint32_t q = axis && i >= place->up ? place->rows - i : i;
            const float a = (float)(padici_gpu_rollout_amplitude(node, cells, q) / sqrt(sum));
            memcpy(words, &a, 4);
        }
    }
}

// Cells of node `at` at `out`, from modes at `in`.
static padic_result padici_gpu_rollout_modes_out(const padici_gpu_rollout *n, uint32_t at,
                                                 uint64_t in, uint64_t out, double scale)
{
    const padici_rollout_node *node = &n->e.node[at];
    const padici_gpu_rollout_place *place = &n->place[at];
    padici_k_rollout_modes_out_params k;
    padic_mem mem[3];
    memset(&k, 0, sizeof k);
    k.height = node->shape.height;
    k.width = node->shape.width;
    k.up = place->up;
    k.rows = place->rows;
    k.columns = place->columns;
    k.lines = PADICI_GPU_ROLLOUT_MODES / k.columns;
    if (k.lines > (PADICI_GPU_ROLLOUT_CELLS - 1) / k.width + 1)
        k.lines = (PADICI_GPU_ROLLOUT_CELLS - 1) / k.width + 1;
    if (k.lines > k.height) k.lines = k.height;
    k.turns_x = place->turns[0];
    k.turns_y = place->turns[1];
    k.in = (uint32_t)in;
    k.out = (uint32_t)out;
    k.step = (uint32_t)n->each;
    k.scale = (float)scale;
    mem[0] = n->memory.mem;
    mem[1] = n->weights.mem;
    mem[2] = n->memory.mem;
    return padici_gpu_rollout_launch(n, PADICI_KERNEL_ROLLOUT_MODES_OUT, mem, 3, &k, sizeof k,
                                     (k.height + k.lines - 1) / k.lines, node->shape.channels,
                                     n->count);
}

static padic_result padici_gpu_rollout_modes_in(const padici_gpu_rollout *n, uint32_t at,
                                                double scale)
{
    const padici_rollout_node *node = &n->e.node[at];
    const padici_gpu_rollout_place *place = &n->place[at];
    padici_gpu_rollout_source a;
    padici_k_rollout_modes_in_params k;
    padic_mem mem[4];
    padici_gpu_rollout_read(n, node->is.input, &a);
    memset(&k, 0, sizeof k);
    k.channels = node->inputs;
    k.height = node->shape.height;
    k.width = node->shape.width;
    k.up = place->up;
    k.rows = place->rows;
    k.columns = place->columns;
    k.block = PADICI_GPU_ROLLOUT_MODES / 2 / k.height;
    if (k.block > k.columns) k.block = k.columns;
    k.lines = PADICI_GPU_ROLLOUT_MODES / k.width;
    if (k.lines > k.height) k.lines = k.height;
    memcpy(k.a, a.word, sizeof k.a);
    k.map = (uint32_t)n->each;
    k.turns_x = place->turns[0];
    k.turns_y = place->turns[1];
    k.out = (uint32_t)n->modes;
    k.step = (uint32_t)n->each;
    k.scale = (float)scale;
    mem[0] = a.mem;
    mem[1] = n->memory.mem;
    mem[2] = n->weights.mem;
    mem[3] = n->memory.mem;
    return padici_gpu_rollout_launch(n, PADICI_KERNEL_ROLLOUT_MODES_IN, mem, 4, &k, sizeof k,
                                     (k.columns + k.block - 1) / k.block, k.channels, n->count);
}

PADICI_FN padic_result padici_gpu_rollout_spectral(const padici_gpu_rollout *n, uint32_t at)
{
    const padici_rollout_node *node = &n->e.node[at];
    const padici_gpu_rollout_place *place = &n->place[at];
    const uint64_t modes = (uint64_t)place->rows * place->columns;
    const uint64_t mixed = n->modes + 2 * modes * node->inputs;
    const double scale = 1 / sqrt((double)node->shape.height * (double)node->shape.width);
    padici_k_rollout_modes_mix_params k;
    padic_mem mem[3];
    padic_result result = padici_gpu_rollout_modes_in(n, at, scale);
    if (result) return result;
    memset(&k, 0, sizeof k);
    k.inputs = node->inputs;
    k.outputs = node->is.channels;
    k.modes = (uint32_t)modes;
    k.w = (uint32_t)node->shape.weights;
    k.parameters = (uint32_t)n->e.parameters;
    k.in = (uint32_t)n->modes;
    k.out = (uint32_t)mixed;
    k.step = (uint32_t)n->each;
    k.first = n->first;
    k.per_operator = (uint32_t)n->e.per_operator;
    k.count = n->count;
    mem[0] = n->memory.mem;
    mem[1] = n->weights.mem;
    mem[2] = n->memory.mem;
    result = padici_gpu_rollout_launch(n, PADICI_KERNEL_ROLLOUT_MODES_MIX, mem, 3, &k, sizeof k,
                                       (k.outputs * k.modes + 255) / 256, 1, (k.count + 3) / 4);
    return result ? result
                  : padici_gpu_rollout_modes_out(n, at, mixed, n->place[at].field, scale);
}

PADICI_FN padic_result padici_gpu_rollout_correlate(const padici_gpu_rollout *n, uint32_t at,
                                                    uint32_t *field)
{
    const padici_rollout_node *node = &n->e.node[at];
    const padici_gpu_rollout_place *place = &n->place[at];
    const uint64_t modes = (uint64_t)place->rows * place->columns;
    const uint64_t cells = n->modes + 2 * modes * node->shape.channels;
    padici_k_rollout_modes_draw_params k;
    padic_mem mem[2];
    padic_result result;
    *field = 0;
    if (!padici_gpu_rollout_correlated(n, at)) return PADIC_OK;
    memset(&k, 0, sizeof k);
    k.channels = node->shape.channels;
    k.up = place->up;
    k.rows = place->rows;
    k.columns = place->columns;
    k.site = at;
    k.t = n->e.step;
    k.seed_low = (uint32_t)n->e.chance.seed;
    k.seed_high = (uint32_t)(n->e.chance.seed >> 32);
    k.ids = n->ids;
    k.realisations = n->realisations;
    k.amplitudes = n->spectra + place->amplitudes;
    k.quantiles = n->quantiles;
    k.clock = n->ticks ? n->now + 1 : 0;
    k.first = n->first;
    k.per_operator = (uint32_t)n->e.per_operator;
    k.out = (uint32_t)n->modes;
    k.step = (uint32_t)n->each;
    mem[0] = n->tables.mem;
    mem[1] = n->memory.mem;
    result = padici_gpu_rollout_launch(n, PADICI_KERNEL_ROLLOUT_MODES_DRAW, mem, 2, &k, sizeof k,
                                       ((uint32_t)modes + 255) / 256, k.channels, n->count);
    *field = (uint32_t)cells + 1;
    return result ? result : padici_gpu_rollout_modes_out(n, at, n->modes, cells, 1);
}

#undef PADICI_GPU_ROLLOUT_MODES

#endif
