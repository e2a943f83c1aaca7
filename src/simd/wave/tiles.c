#include "tiles.h"
#include "../../wave/source.h"

#if PADICI_IMPLEMENT_SIMD && !defined(PADIC_NO_WAVE) && (PADICI_SIMD_X86 || PADICI_SIMD_ARM)

// Tiles of points: the points of a tile, its centre and half its diagonal, and its rows.

// A tile of a grid has about the same extent along each axis.
PADICI_FN void padici_wave_tiles_cut(padici_wave_tiles *w)
{
    double extent[3];
    uint32_t a, i, best;
    w->listed = w->desc->points.dtype != PADIC_DTYPE_NONE;
    for (a = 0; a < 3; a++) {
        const double *s = w->job.step[a];
        extent[a] = sqrt(s[0] * s[0] + s[1] * s[1] + s[2] * s[2]);
        w->log[a] = 0;
    }
    for (i = 0; i < 8; i++) {
        for (a = best = 3; a-- > 0;)
            if (w->job.count[a] >> w->log[a] > 1 && (best == 3 || extent[a] < extent[best]))
                best = a;
        if (w->listed || best == 3) best = 0;
        w->log[best]++;
        extent[best] *= 2;
    }
    w->tile_count = 1;
    for (a = 0; a < 3; a++) {
        w->grid_tiles[a] = (w->job.count[a] + (UINT64_C(1) << w->log[a]) - 1) >> w->log[a];
        w->tile_count *= w->grid_tiles[a];
    }
}

// Coordinate `axis` of n listed points.
static void padici_wave_tile_column(const padici_wave_tiles *w, uint32_t axis, uint64_t first,
                                    uint32_t n, double *to)
{
    const padic_tensor *points = &w->desc->points;
    const int64_t step = w->job.point_stride[0], size = (int64_t)padic_dtype_size(points->dtype);
    const char *from = (const char *)points->data +
                       ((int64_t)first * step + (int64_t)axis * w->job.point_stride[1]) * size;
    uint32_t i;
    if (axis >= points->shape[1]) {
        for (i = 0; i < n; i++) to[i] = 0;
    } else if (points->dtype == PADIC_F64) {
        for (i = 0; i < n; i++) memcpy(&to[i], from + (int64_t)i * step * 8, 8);
    } else {
        for (i = 0; i < n; i++) {
            float single;
            memcpy(&single, from + (int64_t)i * step * 4, 4);
            to[i] = (double)single;
        }
    }
}

// The axis with most points of a tile of a grid; its rows are consecutive.
static uint32_t padici_wave_tiles_slow(const padici_wave_tiles *w)
{
    uint32_t a, slow = 0;
    for (a = 1; a < 3; a++)
        if (w->log[a] > w->log[slow]) slow = a;
    return slow;
}

// Indices and positions of the points of tile `number`.
static void padici_wave_tile_points(const padici_wave_tiles *w, uint64_t number,
                                    padici_wave_tile *t)
{
    const padic_wave_superpose_desc *desc = w->desc;
    const uint64_t *count = w->job.count;
    uint64_t first[3], end[3], i[3];
    const uint32_t slow = padici_wave_tiles_slow(w), middle = slow == 0, fast = slow == 2 ? 1 : 2;
    uint32_t a, n = 0;
    first[2] = number % w->grid_tiles[2];
    first[1] = number / w->grid_tiles[2] % w->grid_tiles[1];
    first[0] = number / w->grid_tiles[2] / w->grid_tiles[1];
    for (a = 0; a < 3; a++) {
        first[a] <<= w->log[a];
        end[a] = first[a] + (UINT64_C(1) << w->log[a]);
        if (end[a] > count[a]) end[a] = count[a];
    }
    for (i[slow] = first[slow]; i[slow] < end[slow] && !w->listed; i[slow]++)
        for (i[middle] = first[middle]; i[middle] < end[middle]; i[middle]++)
            for (i[fast] = first[fast]; i[fast] < end[fast]; i[fast]++, n++) {
                t->index[n] = (i[0] * count[1] + i[1]) * count[2] + i[2];
                for (a = 0; a < 3; a++)
                    t->at[a][n] = desc->grid.origin[a] + ((double)i[0] * w->job.step[0][a] +
                                                          (double)i[1] * w->job.step[1][a] +
                                                          (double)i[2] * w->job.step[2][a]);
            }
    if (w->listed) {
        n = (uint32_t)(end[0] - first[0]);
        for (a = 0; a < 3; a++) padici_wave_tile_column(w, a, first[0], n, t->at[a]);
        for (a = 0; a < n; a++) t->index[a] = first[0] + a;
    }
    t->points = n;
    t->vectors = (n + 31) / 32 * 32;
    for (a = 0; a < 3; a++)
        for (n = t->points; n < t->vectors; n++) t->at[a][n] = t->at[a][t->points - 1];
}

// The least and the largest of n numbers, a multiple of 8: eight independent chains.
static void padici_wave_tile_range(const double *x, uint32_t n, double *low, double *high)
{
    double least[8], most[8];
    uint32_t i, j;
    for (j = 0; j < 8; j++) least[j] = most[j] = x[j];
    for (i = 8; i < n; i += 8)
        for (j = 0; j < 8; j++) {
            least[j] = x[i + j] < least[j] ? x[i + j] : least[j];
            most[j] = x[i + j] > most[j] ? x[i + j] : most[j];
        }
    *low = least[0];
    *high = most[0];
    for (j = 1; j < 8; j++) {
        *low = least[j] < *low ? least[j] : *low;
        *high = most[j] > *high ? most[j] : *high;
    }
}

// Rows of a whole tile of a grid, at least as long as a vector.
static void padici_wave_tile_rows_begin(const padici_wave_tiles *w, padici_wave_tile *t)
{
    const uint32_t slow = padici_wave_tiles_slow(w);
    const double *step = w->job.step[slow];
    double size = sqrt(step[0] * step[0] + step[1] * step[1] + step[2] * step[2]);
    uint32_t i, a;
    t->row_count = 0;
    if (w->listed || t->points < PADICI_WAVE_TILE_POINTS || !(size > 0)) return;
    t->row = PADICI_WAVE_TILE_POINTS >> w->log[slow];
    for (a = 0; a < 3; a++) t->way[a] = step[a] / size;
    for (; t->row < 16; t->row *= 2) size *= 2;
    t->row_count = PADICI_WAVE_TILE_POINTS / t->row;
    t->step = size;
    for (i = 0; i < PADICI_WAVE_TILE_POINTS; i++) {
        double along = 0;
        for (a = 0; a < 3; a++) along += (t->at[a][i] - t->centre[a]) * t->way[a];
        t->along[i] = (float)along;
    }
}

// 32 points from i on, relative to the centre: a fixed count that compilers vectorise.
static void padici_wave_tile_from_centre(padici_wave_tile *t, uint32_t i)
{
    const double x = t->centre[0], y = t->centre[1], z = t->centre[2];
    uint32_t j;
    for (j = 0; j < 32; j++) {
        const double dx = t->at[0][i + j] - x, dy = t->at[1][i + j] - y, dz = t->at[2][i + j] - z;
        t->d[0][i + j] = (float)dx;
        t->d[1][i + j] = (float)dy;
        t->d[2][i + j] = (float)dz;
        t->d[3][i + j] = (float)(dx * dx + dy * dy + dz * dz);
    }
    for (j = 0; j < 32; j++) t->total[0][i + j] = t->total[1][i + j] = 0;
}

PADICI_FN void padici_wave_tile_begin(const padici_wave_tiles *w, uint64_t number,
                                      padici_wave_tile *t)
{
    double r2 = 0;
    uint32_t i, a;
    padici_wave_tile_points(w, number, t);
    for (a = 0; a < 3; a++) {
        double low, high;
        padici_wave_tile_range(t->at[a], t->vectors, &low, &high);
        t->centre[a] = (low + high) / 2;
        r2 += (high - low) * (high - low) / 4;
    }
    t->radius = sqrt(r2);
    for (i = 0; i < t->vectors; i += 32) padici_wave_tile_from_centre(t, i);
    t->close = 0;
    if (w->slopes) { // closer than this, rounding a point to f32 costs a slope its tolerance
        const double least = 2.4e-7 * t->radius / (PADICI_TWO_PI * w->tolerance + 2e-6);
        t->close = (float)(least * least > PADICI_WAVE_TILE_CLOSE ? least * least
                                                                  : PADICI_WAVE_TILE_CLOSE);
        memset(t->slope, 0, sizeof t->slope);
    }
    padici_wave_tile_rows_begin(w, t);
}

#endif
