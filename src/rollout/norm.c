#include "engine.h"

#include <math.h>

#if PADICI_IMPLEMENT_ROLLOUT

// Statistics of a node's field, from those of its tiles: merged in a tree that depends on their
// number alone.

// Cells of tiles t to end - 1.
static double padici_rollout_cells(const padici_rollout_engine *e, uint32_t t, uint32_t end)
{
    const padic_rollout_shape *shape = &e->node[e->at].shape;
    const uint32_t rows = e->place[e->at].rows;
    const uint64_t first = (uint64_t)t * rows, last = (uint64_t)end * rows;
    return (double)((last < shape->height ? last : shape->height) - first) * shape->width;
}

// All tiles of a channel, into tile 0. Moments are (tile, 2, padded).
static void padici_rollout_merge_tiles(const padici_rollout_engine *e, double *moments,
                                       uint64_t padded)
{
    const uint32_t tiles = e->place[e->at].tiles;
    uint32_t t, step;
    for (step = 1; step < tiles; step *= 2)
        for (t = 0; t + step < tiles; t += 2 * step) {
            const uint32_t end = t + 2 * step < tiles ? t + 2 * step : tiles;
            double *a = moments + t * 2 * padded, *b = moments + (t + step) * 2 * padded;
            double count = padici_rollout_cells(e, t, t + step);
            padici_rollout_merge(&count, a, a + padded, padici_rollout_cells(e, t + step, end), *b,
                                 b[padded]);
        }
}

// Channels first to first + n - 1, into the first.
static void padici_rollout_merge_channels(double *mean, double *squares, uint32_t n, double cells)
{
    uint32_t c, step;
    for (step = 1; step < n; step *= 2)
        for (c = 0; c + step < n; c += 2 * step) {
            const uint32_t more = c + 2 * step < n ? step : n - c - step;
            double count = cells * step;
            padici_rollout_merge(&count, mean + c, squares + c, cells * more, mean[c + step],
                                 squares[c + step]);
        }
}

PADICI_FN void padici_rollout_norms(padici_rollout_engine *e, uint64_t slot, char *scratch)
{
    const padici_rollout_node *node = &e->node[e->at];
    const padici_rollout_place *place = &e->place[e->at];
    const size_t size = padici_rollout_real(e);
    const uint32_t channels = node->is.channels, n = channels / node->is.groups;
    const uint64_t padded = (uint64_t)padici_rollout_blocks(channels) * PADICI_ROLLOUT_LANES;
    const double cells = (double)node->shape.height * node->shape.width;
    char *map = e->fields + slot * e->trajectory + place->map;
    const char *affine = padici_rollout_weights_of(e, slot) + place->affine * size;
    double *moments = (double *)(void *)(e->fields + slot * e->trajectory + place->moments);
    uint32_t c;
    (void)scratch;
    for (c = 0; c < channels; c++) padici_rollout_merge_tiles(e, moments + c, padded);
    for (c = 0; c < channels; c += n)
        padici_rollout_merge_channels(moments + c, moments + padded + c, n, cells);
    for (c = 0; c < padded; c++) {
        const uint32_t of = c < channels ? c - c % n : 0;
        const double var = moments[padded + of] / (cells * n);
        const double gamma = padici_rollout_get(affine, c, size);
        padici_rollout_put(map, c, size, c < channels ? moments[of] : 0);
        padici_rollout_put(map, padded + c, size,
                           c < channels ? gamma / sqrt(var + (double)node->is.eps) : 0);
        padici_rollout_put(map, 2 * padded + c, size, padici_rollout_get(affine, padded + c, size));
    }
}

#endif
