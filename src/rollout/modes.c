#include "engine.h"
#include "../context/ops.h"
#include "../core/memory.h"

#if PADICI_IMPLEMENT_ROLLOUT

// SPECTRAL nodes: blocks of channels are transformed, the modes that are kept mixed, and blocks of
// outputs transformed back. Only the Hermitian part of the columns 0 and W/2 reaches the output:
// the transform's definition has it so.

static padic_result padici_rollout_plans_make(padici_rollout_engine *e, const padic_env *env,
                                              const padic_rollout_shape *grid,
                                              padic_fft_plan **plans)
{
    padic_env alone; // without workers
    padic_fft_transform_desc fft;
    padici_fft_shape shape;
    uint32_t w;
    memset(&alone, 0, sizeof alone);
    memset(&fft, 0, sizeof fft);
    alone.allocator = env ? env->allocator : NULL;
    fft.in.rank = fft.out.rank = 3;
    fft.in.dtype = e->kernels->is_double ? PADIC_F64 : PADIC_F32;
    fft.out.dtype = e->kernels->is_double ? PADIC_C128 : PADIC_C64;
    fft.in.shape[0] = fft.out.shape[0] = grid->height;
    fft.in.shape[1] = grid->width;
    fft.out.shape[1] = grid->width / 2 + 1;
    fft.in.shape[2] = fft.out.shape[2] = PADICI_ROLLOUT_LANES;
    fft.axis_count = 2;
    fft.axis[1] = 1;
    padici_fft_shape_of(&fft, &shape);
    for (w = 0; w < e->workers; w++) {
        const padic_result result = padici_fft_plan_make(
            env ? &alone : NULL, NULL, (*e->kernels->fft)(), &shape, &plans[w]);
        if (result) return result;
        e->more += padic_fft_plan_size(plans[w]);
    }
    return PADIC_OK;
}

PADICI_FN padic_result padici_rollout_modes_begin(padici_rollout_engine *e, const padic_env *env)
{
    const size_t bytes = e->workers * sizeof(padic_fft_plan *);
    padic_result result = PADIC_OK;
    uint32_t i, j;
    for (i = 1; i <= e->op.count && !result; i++) {
        const padic_rollout_shape *grid = &e->node[i].shape;
        padici_rollout_place *place = &e->place[i];
        if (!e->node[i].spectral) continue;
        for (j = 1; j < i && !place->plans; j++) {
            if (!e->place[j].plans || e->node[j].shape.height != grid->height ||
                e->node[j].shape.width != grid->width)
                continue;
            place->plans = e->place[j].plans;
            place->shared = 1;
        }
        if (place->plans) continue;
        place->plans = (padic_fft_plan **)padici_alloc(env ? env->allocator : NULL, bytes, 16);
        if (!place->plans) result = PADIC_ERROR_MEMORY;
        else memset(place->plans, 0, bytes);
        e->more += bytes;
        if (!result) result = padici_rollout_plans_make(e, env, grid, place->plans);
    }
    return result;
}

PADICI_FN void padici_rollout_modes_end(padici_rollout_engine *e)
{
    uint32_t i, w;
    for (i = 1; i <= e->op.count; i++) {
        padici_rollout_place *place = &e->place[i];
        if (place->plans && !place->shared) {
            for (w = 0; w < e->workers; w++) padic_fft_plan_destroy(place->plans[w]);
            padici_free(e->allocator, place->plans, e->workers * sizeof *place->plans);
        }
        place->plans = NULL;
    }
}

// Where the modes of a trajectory lie: of the inputs, or after them of the outputs.
static char *padici_rollout_modes_at(const padici_rollout_engine *e, uint64_t slot, uint32_t out)
{
    const padici_rollout_node *node = &e->node[e->at];
    const uint64_t modes = (uint64_t)(node->up + node->down) * node->columns;
    return e->fields + slot * e->trajectory + e->spectra +
           (out ? modes * padici_rollout_blocks(node->inputs) * 2 * PADICI_ROLLOUT_LANES *
                      padici_rollout_real(e)
                : 0);
}

// Between a field (H, W, 16) and its spectrum.
static void padici_rollout_modes_turn(const padici_rollout_engine *e, const char *scratch,
                                      char *field, char *spectrum, padic_fft_direction direction)
{
    const padic_rollout_shape *grid = &e->node[e->at].shape;
    const uint64_t cells[3] = {grid->height, grid->width, PADICI_ROLLOUT_LANES};
    const uint64_t half[3] = {grid->height, grid->width / 2 + 1, PADICI_ROLLOUT_LANES};
    const int is_double = e->kernels->is_double != 0;
    const padic_tensor real =
        padic_tensor_nd(is_double ? PADIC_F64 : PADIC_F32, field, 3, cells);
    const padic_tensor modes =
        padic_tensor_nd(is_double ? PADIC_C128 : PADIC_C64, spectrum, 3, half);
    padic_fft_transform_desc fft;
    memset(&fft, 0, sizeof fft);
    fft.in = direction == PADIC_FFT_FORWARD ? real : modes;
    fft.out = direction == PADIC_FFT_FORWARD ? modes : real;
    fft.axis_count = 2;
    fft.axis[1] = 1;
    fft.direction = direction;
    fft.scale = PADIC_FFT_SCALE_ORTHO;
    fft.plan = e->place[e->at].plans[(uint64_t)(scratch - e->pads) / e->scratch];
    (void)padici_fft_run(NULL, (*e->kernels->fft)(), &fft);
}

// Row of the transform that holds row r of those that are kept.
static uint64_t padici_rollout_modes_row(const padici_rollout_node *node, uint32_t r)
{
    return r < node->up ? r : node->shape.height - node->down + (r - node->up);
}

PADICI_FN void padici_rollout_modes_in(padici_rollout_engine *e, uint64_t item, char *scratch)
{
    const padici_rollout_node *node = &e->node[e->at];
    const padic_rollout_shape *grid = &node->shape;
    const uint32_t blocks = padici_rollout_blocks(node->inputs), lanes = PADICI_ROLLOUT_LANES;
    const size_t mode = 2 * lanes * padici_rollout_real(e);
    const uint64_t slot = item / blocks, b = item % blocks;
    char *spectrum = scratch + (uint64_t)grid->height * grid->width * mode / 2;
    char *to = padici_rollout_modes_at(e, slot, 0);
    uint32_t y, x;
    for (y = 0; y < grid->height; y++)
        padici_rollout_read_row(e, slot, node->is.input, (uint32_t)b, y,
                                scratch + (uint64_t)y * grid->width * mode / 2,
                                padici_rollout_mark(e, slot, b));
    padici_rollout_modes_turn(e, scratch, scratch, spectrum, PADIC_FFT_FORWARD);
    for (y = 0; y < node->up + node->down; y++)
        for (x = 0; x < node->columns; x++)
            memcpy(to + (((uint64_t)y * node->columns + x) * blocks + b) * mode,
                   spectrum + (padici_rollout_modes_row(node, y) * (grid->width / 2 + 1) + x) *
                                  mode,
                   mode);
}

PADICI_FN void padici_rollout_modes_mix(padici_rollout_engine *e, uint64_t item, char *scratch)
{
    const padici_rollout_node *node = &e->node[e->at];
    const uint32_t rows = node->up + node->down, lanes = PADICI_ROLLOUT_LANES;
    const uint64_t inputs = padici_rollout_blocks(node->inputs);
    const uint64_t outputs = padici_rollout_blocks(node->is.channels);
    const uint64_t slot = item / rows, first = item % rows * node->columns;
    const size_t size = padici_rollout_real(e), mode = 2 * lanes * size;
    const char *from = padici_rollout_modes_at(e, slot, 0);
    const char *weights = padici_rollout_weights_of(e, slot) + e->place[e->at].packed * size;
    char *to = padici_rollout_modes_at(e, slot, 1);
    uint64_t q, b;
    (void)scratch;
    for (q = first; q < first + node->columns; q++)
        for (b = 0; b < outputs; b++)
            (*e->kernels->mix)(node->inputs, from + q * inputs * mode,
                               weights + (q * outputs + b) * node->inputs * mode,
                               to + (q * outputs + b) * mode);
}

PADICI_FN void padici_rollout_modes_out(padici_rollout_engine *e, uint64_t item, char *scratch)
{
    const padici_rollout_node *node = &e->node[e->at];
    const padic_rollout_shape *grid = &node->shape;
    const uint32_t blocks = padici_rollout_blocks(node->is.channels), lanes = PADICI_ROLLOUT_LANES;
    const size_t size = padici_rollout_real(e), mode = 2 * lanes * size;
    const uint64_t slot = item / blocks, b = item % blocks;
    const char *from = padici_rollout_modes_at(e, slot, 1);
    const uint64_t line = (grid->width / 2 + 1) * (uint64_t)mode;
    char *field = padici_rollout_field(e, slot, e->at) +
                  padici_rollout_row_at(grid, (uint32_t)b, 0) * size;
    uint32_t y, x, l;
    memset(scratch, 0, (size_t)(grid->height * line));
    for (y = 0; y < node->up + node->down; y++)
        for (x = 0; x < node->columns; x++) {
            const char *in = from + (((uint64_t)y * node->columns + x) * blocks + b) * mode;
            char *out = scratch + padici_rollout_modes_row(node, y) * line + x * mode;
            for (l = 0; l < lanes; l++) {
                memcpy(out + 2 * l * size, in + l * size, size);
                memcpy(out + (2 * l + 1) * size, in + (lanes + l) * size, size);
            }
        }
    padici_rollout_modes_turn(e, scratch, field, scratch, PADIC_FFT_INVERSE);
    if (e->at < e->op.count)
        padici_rollout_halve(e, field, (uint64_t)grid->height * grid->width * lanes,
                             padici_rollout_mark(e, slot, b));
}

#endif
