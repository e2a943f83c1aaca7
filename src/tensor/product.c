#include "product.h"
#include "../core/jobs.h"

#if PADICI_IMPLEMENT_TENSOR

// What a plan computes, the plain reference: tiles of results, sums in F64.

PADICI_FN void padici_tensor_walk_to(padici_tensor_walk *walk, const padici_tensor_group *group,
                                     uint64_t index)
{
    uint32_t i, j;
    walk->group = group;
    for (j = 0; j < 3; j++) walk->at[j] = 0;
    for (i = group->count; i-- > 0;) {
        walk->digit[i] = index % group->axis[i].size;
        index /= group->axis[i].size;
        for (j = 0; j < 3; j++) walk->at[j] += (int64_t)walk->digit[i] * group->axis[i].step[j];
    }
}

PADICI_FN void padici_tensor_walk_on(padici_tensor_walk *walk)
{
    uint32_t i, j;
    for (i = walk->group->count; i-- > 0;) {
        const padici_tensor_axis *axis = &walk->group->axis[i];
        for (j = 0; j < 3; j++) walk->at[j] += axis->step[j];
        if (++walk->digit[i] < axis->size) return;
        walk->digit[i] = 0;
        for (j = 0; j < 3; j++) walk->at[j] -= (int64_t)axis->size * axis->step[j];
    }
}

// The reference: tiles of 8 x 8 results, sums in F64 over blocks of 4.
#define PADICI_TENSOR_TILE 8
#define PADICI_TENSOR_BLOCK 4

typedef struct padici_tensor_work {
    const padici_tensor_plan *plan;
    char *data[3];
    uint64_t rows, columns, tiles, share; // tiles down, across, in all, and of one task
} padici_tensor_work;

typedef struct padici_tensor_panel { // some numbers of a and b, as F64
    double re[PADICI_TENSOR_BLOCK][PADICI_TENSOR_TILE], im[PADICI_TENSOR_BLOCK][PADICI_TENSOR_TILE];
} padici_tensor_panel;

// Fills a panel from operand i: `depth` places of the sum, `width` rows or columns. Places beyond
// are 0.
static void padici_tensor_gather(const padici_tensor_work *work, uint32_t i, const int64_t *sum,
                                 uint32_t depth, const int64_t *line, uint32_t width,
                                 padici_tensor_panel *panel)
{
    const padic_dtype dtype = work->plan->dtype[i];
    const double sign = work->plan->conj >> i & 1 ? -1.0 : 1.0;
    uint32_t k, l;
    memset(panel, 0, sizeof *panel);
    for (k = 0; k < depth; k++)
        for (l = 0; l < width; l++) {
            padici_tensor_read(dtype, work->data[i], sum[k] + line[l], &panel->re[k][l],
                               &panel->im[k][l]);
            panel->im[k][l] *= sign;
        }
}

// sum += a b for a block of the sum; `width` is a literal.
PADICI_INLINE void padici_tensor_add_columns(const padici_tensor_panel *a,
                                             const padici_tensor_panel *b, int paired,
                                             uint32_t height, uint32_t width,
                                             double re[][PADICI_TENSOR_TILE],
                                             double im[][PADICI_TENSOR_TILE])
{
    uint32_t k, i, j;
    for (k = 0; k < PADICI_TENSOR_BLOCK; k++)
        for (i = 0; i < height; i++) {
            const double ar = a->re[k][i], ai = a->im[k][i];
            for (j = 0; j < width; j++) re[i][j] += ar * b->re[k][j];
            if (!paired) continue;
            for (j = 0; j < width; j++) {
                re[i][j] -= ai * b->im[k][j];
                im[i][j] += ar * b->im[k][j] + ai * b->re[k][j];
            }
        }
}

// The same for `height` rows and `width` columns: half of a tile's columns where they do.
static void padici_tensor_block(const padici_tensor_panel *a, const padici_tensor_panel *b,
                                int paired, uint32_t height, uint32_t width,
                                double re[][PADICI_TENSOR_TILE], double im[][PADICI_TENSOR_TILE])
{
    if (width > PADICI_TENSOR_TILE / 2)
        padici_tensor_add_columns(a, b, paired, height, PADICI_TENSOR_TILE, re, im);
    else
        padici_tensor_add_columns(a, b, paired, height, PADICI_TENSOR_TILE / 2, re, im);
}

static void padici_tensor_store(const padici_tensor_work *work, int64_t at, double re, double im)
{
    const padici_tensor_plan *plan = work->plan;
    padici_tensor_put(plan->dtype[2], work->data[2], at, plan->alpha, plan->beta, re, im);
}

// Where the next `count` places of a walk lie for operands x and y.
PADICI_FN void padici_tensor_places(padici_tensor_walk *walk, uint32_t count, uint32_t x,
                                    int64_t *at_x, uint32_t y, int64_t *at_y)
{
    const uint32_t last = walk->group->count - 1;
    uint32_t i, j, run;
    for (; count; count -= run, at_x += run, at_y += run) { // to the end of the last axis
        const padici_tensor_axis *axis = walk->group->count ? &walk->group->axis[last] : NULL;
        const int64_t step_x = axis ? axis->step[x] : 0, step_y = axis ? axis->step[y] : 0;
        run = count;
        if (axis && axis->size - walk->digit[last] < run)
            run = (uint32_t)(axis->size - walk->digit[last]);
        for (i = 0; i < run; i++) {
            at_x[i] = walk->at[x] + (int64_t)i * step_x;
            at_y[i] = walk->at[y] + (int64_t)i * step_y;
        }
        if (!axis) continue;
        walk->digit[last] += run - 1;
        for (j = 0; j < 3; j++) walk->at[j] += (int64_t)(run - 1) * axis->step[j];
        padici_tensor_walk_on(walk);
    }
}

static void padici_tensor_tile(const padici_tensor_work *work, uint64_t tile)
{
    const padici_tensor_group *group = work->plan->group;
    const uint64_t column = tile % work->columns * PADICI_TENSOR_TILE;
    const uint64_t row = tile / work->columns % work->rows * PADICI_TENSOR_TILE;
    const uint32_t height = padici_tensor_part(group[PADICI_TENSOR_ROW].size, row, 8);
    const uint32_t width = padici_tensor_part(group[PADICI_TENSOR_COLUMN].size, column, 8);
    const int paired = padici_tensor_is_complex(work->plan->dtype[2]);
    double re[PADICI_TENSOR_TILE][PADICI_TENSOR_TILE], im[PADICI_TENSOR_TILE][PADICI_TENSOR_TILE];
    int64_t row_a[8], row_c[8], column_b[8], column_c[8], base[3];
    uint64_t k;
    uint32_t i, j;
    padici_tensor_walk walk;
    memset(re, 0, sizeof re);
    memset(im, 0, sizeof im);
    padici_tensor_walk_to(&walk, &group[PADICI_TENSOR_BATCH],
                          tile / work->columns / work->rows);
    memcpy(base, walk.at, sizeof base);
    padici_tensor_walk_to(&walk, &group[PADICI_TENSOR_ROW], row);
    padici_tensor_places(&walk, height, 0, row_a, 2, row_c);
    padici_tensor_walk_to(&walk, &group[PADICI_TENSOR_COLUMN], column);
    padici_tensor_places(&walk, width, 1, column_b, 2, column_c);
    if (group[PADICI_TENSOR_SUM].size)
        padici_tensor_walk_to(&walk, &group[PADICI_TENSOR_SUM], 0);
    for (k = 0; k < group[PADICI_TENSOR_SUM].size; k += PADICI_TENSOR_BLOCK) {
        const uint32_t depth = padici_tensor_part(group[PADICI_TENSOR_SUM].size, k, 4);
        int64_t sum_a[PADICI_TENSOR_BLOCK], sum_b[PADICI_TENSOR_BLOCK];
        padici_tensor_panel a, b;
        padici_tensor_places(&walk, depth, 0, sum_a, 1, sum_b);
        for (i = 0; i < depth; i++) {
            sum_a[i] += base[0];
            sum_b[i] += base[1];
        }
        padici_tensor_gather(work, 0, sum_a, depth, row_a, height, &a);
        padici_tensor_gather(work, 1, sum_b, depth, column_b, width, &b);
        padici_tensor_block(&a, &b, paired, height, width, re, im);
    }
    for (i = 0; i < height; i++)
        for (j = 0; j < width; j++)
            padici_tensor_store(work, base[2] + row_c[i] + column_c[j], re[i][j], im[i][j]);
}

static void padici_tensor_task(void *arg, uint32_t task)
{
    const padici_tensor_work *work = (const padici_tensor_work *)arg;
    const uint64_t begin = task * work->share;
    uint64_t i;
    for (i = begin; i < work->tiles && i < begin + work->share; i++) padici_tensor_tile(work, i);
}

// Operands are in host memory, checked, and c has elements.
PADICI_FN void padici_tensor_run(const padic_jobs *jobs, const padici_tensor_plan *plan, void *a,
                                 void *b, void *c)
{
    padici_tensor_work work;
    work.plan = plan;
    work.data[0] = (char *)a;
    work.data[1] = (char *)b;
    work.data[2] = (char *)c;
    work.rows = (plan->group[PADICI_TENSOR_ROW].size + PADICI_TENSOR_TILE - 1) / PADICI_TENSOR_TILE;
    work.columns =
        (plan->group[PADICI_TENSOR_COLUMN].size + PADICI_TENSOR_TILE - 1) / PADICI_TENSOR_TILE;
    work.tiles = work.rows * work.columns * plan->group[PADICI_TENSOR_BATCH].size;
    work.share = work.tiles / 4096 + 1;
    padici_parallel(jobs, (uint32_t)((work.tiles + work.share - 1) / work.share),
                    padici_tensor_task, &work);
}

#undef PADICI_TENSOR_TILE
#undef PADICI_TENSOR_BLOCK

#endif
