#include "gemm.h"
#include "../../core/jobs.h"
#include "../../core/memory.h"
#include "../../tensor/contract.h"
#include "../../tensor/gemm.h"
#include "../../tensor/plan.h"
#include "../../tensor/product.h"
#include "../level.h"
#include "kernels.h"

#if PADICI_IMPLEMENT_SIMD && !defined(PADIC_NO_TENSOR) && (PADICI_SIMD_X86 || PADICI_SIMD_ARM)

// Products by these kernels: packs panels, distributes units of c among the workers; the calls.

typedef struct padici_simd_tensor_job {
    const padici_tensor_plan *plan;
    const padici_simd_tensor_kernels *kernels;
    const padici_tensor_group *row, *column, *sum;
    uint32_t a, b; // operands 0 and 1, or swapped
    char *data[3];
    uint32_t size;               // bytes of a real number
    uint32_t paired[2];          // a, b are complex
    uint32_t wide;               // real numbers per element of c
    uint32_t most, across;       // rows and columns of c per unit
    uint64_t down, right, units; // units per column, per row, in total
    uint32_t tasks, thin;        // thin: one row, b and c are contiguous
    uint32_t direct;             // small, b and c are contiguous: not packed
    uint32_t scaled, turned;     // alpha is not 1; has an imaginary part
    double factor[4];            // alpha in the kernels' representation: in the precision of c
    char *space;
    size_t each, space_a, space_places; // per task: in total; offsets of packed a and of the places
} padici_simd_tensor_job;

// Memory of a task: packed a and b, and the places of rows, columns and sum.
typedef struct padici_simd_tensor_room {
    char *a, *b, *data[3]; // data: of the batch
    int64_t *row_a, *row_c, *column_b, *column_c, *sum_a, *sum_b;
    uint32_t rows, columns;
} padici_simd_tensor_room;

static void padici_simd_tensor_places(const padici_tensor_group *group, uint64_t from,
                                      uint32_t count, uint32_t x, int64_t *at_x, uint32_t y,
                                      int64_t *at_y)
{
    padici_tensor_walk walk;
    padici_tensor_walk_to(&walk, group, from);
    padici_tensor_places(&walk, count, x, at_x, y, at_y);
}

// The lines of a panel, and whether they are contiguous.
static void padici_simd_tensor_lines(padici_simd_tensor_pack *pack, const int64_t *place,
                                     uint32_t count, uint32_t all)
{
    uint32_t i;
    pack->flat = count == all;
    for (i = 0; i < all; i++) {
        pack->line[i] = place[i < count ? i : count - 1];
        if (pack->line[i] != pack->line[0] + (int64_t)i) pack->flat = 0;
    }
}

static void padici_simd_tensor_pack_b(const padici_simd_tensor_job *g,
                                      const padici_simd_tensor_room *room, uint32_t depth)
{
    const uint32_t lines = g->kernels->nr / g->wide, rows = g->paired[0] ? 2 : 1;
    const size_t panel = (size_t)depth * rows * g->kernels->nr * g->size;
    padici_simd_tensor_pack pack;
    uint32_t j;
    char *to = room->b;
    memset(&pack, 0, sizeof pack);
    pack.from = room->data[1];
    pack.sum = room->sum_b;
    pack.depth = depth;
    pack.paired = g->paired[1];
    pack.negate = g->plan->conj >> g->b & 1;
    pack.twice = g->paired[0];
    for (j = 0; j < room->columns; j += lines, to += panel) {
        padici_simd_tensor_lines(&pack, room->column_b + j,
                                 room->columns - j < lines ? room->columns - j : lines, lines);
        (*g->kernels->pack_b)(&pack, to);
    }
}

static void padici_simd_tensor_pack_a(const padici_simd_tensor_job *g,
                                      const padici_simd_tensor_room *room, uint32_t depth,
                                      uint32_t begin, uint32_t end)
{
    const uint32_t lines = g->kernels->mr;
    const size_t panel = (size_t)depth * (g->paired[0] ? 2 : 1) * lines * g->size;
    padici_simd_tensor_pack pack;
    uint32_t i;
    char *to = room->a;
    memset(&pack, 0, sizeof pack);
    pack.from = room->data[0];
    pack.sum = room->sum_a;
    pack.depth = depth;
    pack.paired = g->paired[0];
    pack.negate = pack.paired && (g->plan->conj >> g->a & 1);
    pack.adjacent = 1;
    for (i = 1; i < depth; i++) pack.adjacent &= room->sum_a[i] == room->sum_a[0] + (int64_t)i;
    for (i = begin; i < end; i += lines, to += panel) {
        padici_simd_tensor_lines(&pack, room->row_a + i, end - i < lines ? end - i : lines, lines);
        (*g->kernels->pack_a)(&pack, to);
    }
}

// A product of panels through a temporary tile, of which the part within c is stored or added.
static void padici_simd_tensor_edge(const padici_simd_tensor_job *g, uint32_t depth, const char *a,
                                    const char *b, char *c, const int64_t *row, uint32_t rows,
                                    const int64_t *column, uint32_t columns, int add)
{
    double tile[8 * 16]; // or 8 x 32 floats
    int64_t apart[8];
    const uint32_t nr = g->kernels->nr, parts = g->wide;
    uint32_t i, j, p;
    int flat = 1;
    for (i = 0; i < g->kernels->mr; i++) apart[i] = (int64_t)(i * nr);
    (*g->kernels->product)(depth, a, b, tile, apart, g->scaled ? g->factor : NULL, g->turned, 0);
    for (j = 1; flat && j < columns; j++) flat = column[j] == column[0] + (int64_t)j;
    for (i = 0; i < rows && flat && !add; i++)
        memcpy(c + (row[i] + column[0]) * (int64_t)(parts * g->size),
               (const char *)tile + (size_t)i * nr * g->size, (size_t)columns * parts * g->size);
    for (i = 0; i < rows && (!flat || add); i++)
        for (j = 0; j < columns; j++)
            for (p = 0; p < parts; p++) {
                const int64_t at = (row[i] + column[j]) * (int64_t)parts + (int64_t)p;
                const uint32_t from = i * nr + j * parts + p;
                if (g->size == 4) {
                    float *to = (float *)(void *)c + at, x;
                    memcpy(&x, (const char *)tile + 4 * from, 4);
                    *to = add ? *to + x : x;
                } else {
                    double *to = (double *)(void *)c + at;
                    *to = add ? *to + tile[from] : tile[from];
                }
            }
}

// Rows [begin, end) of c from the panels of a, all columns of the unit.
static void padici_simd_tensor_block(const padici_simd_tensor_job *g,
                                     const padici_simd_tensor_room *room, uint32_t depth,
                                     uint32_t begin, uint32_t end, int add)
{
    const padici_simd_tensor_kernels *kernels = g->kernels;
    const uint32_t lines = kernels->nr / g->wide, deep = depth * (g->paired[0] ? 2 : 1);
    const size_t panel_a = (size_t)deep * kernels->mr * g->size;
    const size_t panel_b = (size_t)deep * kernels->nr * g->size;
    const char *b = room->b;
    uint32_t i, j, l;
    for (j = 0; j < room->columns; j += lines, b += panel_b) {
        const int64_t *column = room->column_c + j;
        const uint32_t columns = room->columns - j < lines ? room->columns - j : lines;
        const char *a = room->a;
        int whole = columns == lines;
        for (l = 1; whole && l < lines; l++) whole = column[l] == column[0] + (int64_t)l;
        for (i = begin; i < end; i += kernels->mr, a += panel_a) {
            const uint32_t rows = end - i < kernels->mr ? end - i : kernels->mr;
            int64_t row[8];
            if (!whole || rows < kernels->mr) {
                padici_simd_tensor_edge(g, deep, a, b, room->data[2], room->row_c + i, rows, column,
                                        columns, add);
                continue;
            }
            for (l = 0; l < rows; l++)
                row[l] = (room->row_c[i + l] + column[0]) * (int64_t)g->wide;
            (*kernels->product)(deep, a, b, room->data[2], row, g->scaled ? g->factor : NULL,
                                g->turned, add);
        }
    }
}

// c = beta c, where beta is neither 0 nor 1.
static void padici_simd_tensor_scale(const padici_simd_tensor_job *g,
                                     const padici_simd_tensor_room *room)
{
    const padic_dtype dtype = g->plan->dtype[2];
    const double *y = g->plan->beta;
    uint32_t i, j;
    for (i = 0; i < room->rows; i++)
        for (j = 0; j < room->columns; j++) {
            const int64_t at = room->row_c[i] + room->column_c[j];
            double re, im;
            padici_tensor_read(dtype, room->data[2], at, &re, &im);
            padici_tensor_times(y, &re, &im);
            padici_tensor_write(dtype, room->data[2], at, re, im);
        }
}

// Four factors for each line of b: for even and odd places, then for their neighbours.
static void padici_simd_tensor_factors(const padici_simd_tensor_job *g,
                                       const padici_simd_tensor_room *room, uint32_t depth)
{
    const padici_tensor_plan *plan = g->plan;
    const double turn = plan->conj >> g->b & 1 ? -1 : 1;
    float *single = (float *)(void *)room->a;
    uint32_t i;
    if (!plan->conj && plan->dtype[g->a] == PADIC_C64) {
        const float *from = (const float *)(const void *)room->data[0] + 2 * room->row_a[0];
        for (i = 0; i < depth; i++) {
            const float *z = from + 2 * room->sum_a[i];
            single[4 * i] = single[4 * i + 1] = z[0];
            single[4 * i + 2] = -z[1];
            single[4 * i + 3] = z[1];
        }
        return;
    }
    for (i = 0; i < depth; i++) {
        double factor[4], re, im;
        padici_tensor_read(plan->dtype[g->a], room->data[0], room->row_a[0] + room->sum_a[i], &re,
                           &im);
        if (plan->conj >> g->a & 1) im = -im;
        factor[0] = re;
        factor[3] = im;
        factor[1] = g->wide == 2 ? turn * factor[0] : factor[0];
        factor[2] = -turn * factor[3];
        if (g->size == 4) {
            single[4 * i] = (float)factor[0], single[4 * i + 1] = (float)factor[1];
            single[4 * i + 2] = (float)factor[2], single[4 * i + 3] = (float)factor[3];
        } else {
            memcpy(room->a + 32 * (size_t)i, factor, sizeof factor);
        }
    }
}

// One row: lines of b are summed in place. Memory bandwidth is the limit.
static void padici_simd_tensor_thin(const padici_simd_tensor_job *g, padici_simd_tensor_room *room)
{
    const padici_tensor_plan *plan = g->plan;
    const uint32_t count = room->columns * g->wide, size_b = g->size * (g->paired[1] ? 2 : 1);
    const int add = plan->beta[0] != 0 || plan->beta[1] != 0;
    char *to;
    uint64_t k;
    uint32_t i;
    memset(room->b, 0, (size_t)count * g->size);
    for (k = 0; k < g->sum->size; k += PADICI_SIMD_TENSOR_DEPTH) {
        const uint32_t depth = padici_tensor_part(g->sum->size, k, PADICI_SIMD_TENSOR_DEPTH);
        padici_simd_tensor_places(g->sum, k, depth, g->a, room->sum_a, g->b, room->sum_b);
        padici_simd_tensor_factors(g, room, depth);
        for (i = 0; i < depth; i++)
            room->sum_b[i] = (room->column_b[0] + room->sum_b[i]) * (int64_t)size_b;
        (*g->kernels->line)(count, depth, room->data[1], room->sum_b, room->a,
                            g->paired[0], room->b);
    }
    if (g->scaled) {
        const padic_dtype dtype = plan->dtype[2];
        for (i = 0; i < room->columns; i++) {
            double re, im;
            padici_tensor_read(dtype, room->b, i, &re, &im);
            padici_tensor_times(plan->alpha, &re, &im);
            padici_tensor_write(dtype, room->b, i, re, im);
        }
    }
    to = room->data[2] +
         (room->row_c[0] + room->column_c[0]) * (int64_t)g->wide * (int64_t)g->size;
    for (i = 0; i < count && add && g->size == 4; i++)
        ((float *)(void *)room->b)[i] += ((const float *)(const void *)to)[i];
    for (i = 0; i < count && add && g->size == 8; i++)
        ((double *)(void *)room->b)[i] += ((const double *)(const void *)to)[i];
    memcpy(to, room->b, (size_t)count * g->size);
}

// Steps of the single axis of operand o, in real numbers.
PADICI_INLINE int64_t padici_simd_tensor_step(const padici_simd_tensor_job *g,
                                              const padici_tensor_group *group, uint32_t o)
{
    return group->count ? group->axis[0].step[o] * (int64_t)g->wide : 0;
}

static void padici_simd_tensor_do_direct(const padici_simd_tensor_job *g,
                                         const padici_simd_tensor_room *room, uint64_t row)
{
    padici_simd_tensor_direct d;
    d.depth = (uint32_t)g->sum->size;
    d.rows = padici_tensor_part(g->row->size, row, g->most);
    d.columns = (uint32_t)g->column->size * g->wide;
    d.paired = g->paired[0];
    d.add = g->plan->beta[0] != 0;
    d.a_row = padici_simd_tensor_step(g, g->row, g->a);
    d.a_sum = padici_simd_tensor_step(g, g->sum, g->a);
    d.b_sum = padici_simd_tensor_step(g, g->sum, g->b);
    d.c_row = padici_simd_tensor_step(g, g->row, 2);
    (*g->kernels->direct)(&d, room->data[0] + (int64_t)row * d.a_row * (int64_t)g->size,
                          room->data[1], room->data[2] + (int64_t)row * d.c_row * (int64_t)g->size);
}

static void padici_simd_tensor_unit(const padici_simd_tensor_job *g, padici_simd_tensor_room *room,
                                    uint64_t unit)
{
    const uint64_t column = unit % g->right * g->across, row = unit / g->right % g->down * g->most;
    const uint32_t deepest = PADICI_SIMD_TENSOR_DEPTH / (g->paired[0] ? 2 : 1);
    const double *beta = g->plan->beta;
    int add = beta[0] != 0 || beta[1] != 0;
    padici_tensor_walk walk;
    uint64_t k;
    uint32_t i;
    padici_tensor_walk_to(&walk, &g->plan->group[PADICI_TENSOR_BATCH], unit / g->right / g->down);
    for (i = 0; i < 3; i++) {
        const uint32_t o = i == 0 ? g->a : i == 1 ? g->b : 2;
        room->data[i] =
            g->data[o] + walk.at[o] * (int64_t)padic_dtype_size(g->plan->dtype[o]);
    }
    if (g->direct) {
        padici_simd_tensor_do_direct(g, room, row);
        return;
    }
    room->rows = padici_tensor_part(g->row->size, row, g->most);
    room->columns = padici_tensor_part(g->column->size, column, g->across);
    padici_simd_tensor_places(g->row, row, room->rows, g->a, room->row_a, 2, room->row_c);
    padici_simd_tensor_places(g->column, column, g->thin && !add ? 1 : room->columns, g->b,
                              room->column_b, 2, room->column_c);
    if (add && (beta[0] != 1 || beta[1] != 0)) padici_simd_tensor_scale(g, room);
    if (g->thin) {
        padici_simd_tensor_thin(g, room);
        return;
    }
    for (k = 0; k < g->sum->size; k += deepest, add = 1) {
        const uint32_t depth = padici_tensor_part(g->sum->size, k, deepest);
        padici_simd_tensor_places(g->sum, k, depth, g->a, room->sum_a, g->b, room->sum_b);
        padici_simd_tensor_pack_b(g, room, depth);
        for (i = 0; i < room->rows; i += PADICI_SIMD_TENSOR_ROWS) {
            const uint32_t end =
                room->rows - i < PADICI_SIMD_TENSOR_ROWS ? room->rows : i + PADICI_SIMD_TENSOR_ROWS;
            padici_simd_tensor_pack_a(g, room, depth, i, end);
            padici_simd_tensor_block(g, room, depth, i, end, add);
        }
    }
}

static void padici_simd_tensor_task(void *arg, uint32_t task)
{
    const padici_simd_tensor_job *g = (const padici_simd_tensor_job *)arg;
    char *space = g->space + (size_t)task * g->each;
    padici_simd_tensor_room room;
    uint64_t unit;
    room.b = space;
    room.a = space + g->space_a;
    room.row_a = (int64_t *)(void *)(space + g->space_places);
    room.row_c = room.row_a + g->most;
    room.column_b = room.row_c + g->most;
    room.column_c = room.column_b + g->across;
    room.sum_a = room.column_c + g->across;
    room.sum_b = room.sum_a + PADICI_SIMD_TENSOR_DEPTH;
    for (unit = task; unit < g->units; unit += g->tasks) padici_simd_tensor_unit(g, &room, unit);
}

// 1 if the step of c along the fastest axis of a group is 1.
static int padici_simd_tensor_flat(const padici_tensor_group *group)
{
    return group->count && group->axis[group->count - 1].step[2] == 1;
}

static uint32_t padici_simd_tensor_up(uint64_t n, uint32_t step, uint32_t most)
{
    return n >= most ? most : ((uint32_t)n + step - 1) / step * step;
}

// 1 if both are complex or none, the product is unconjugated, and each group is one axis.
static uint32_t padici_simd_tensor_is_direct(const padici_simd_tensor_job *g)
{
    const padici_tensor_plan *plan = g->plan;
    const padici_tensor_group *column = g->column;
    return g->paired[0] == g->paired[1] && !plan->conj && plan->alpha[0] == 1 &&
           plan->alpha[1] == 0 && plan->beta[1] == 0 &&
           (plan->beta[0] == 0 || plan->beta[0] == 1) && g->row->count <= 1 && g->sum->count <= 1 &&
           column->count == 1 && column->axis[0].step[g->b] == 1 && column->axis[0].step[2] == 1 &&
           column->size * g->wide <= PADICI_SIMD_TENSOR_SMALL &&
           column->size * g->wide % g->kernels->lanes == 0 &&
           g->sum->size <= PADICI_SIMD_TENSOR_SMALL;
}

// Decides which operand is a, and how c is divided.
static void padici_simd_tensor_begin(padici_simd_tensor_job *g, uint32_t workers)
{
    const padici_tensor_plan *plan = g->plan;
    const padici_tensor_group *group = plan->group;
    const uint32_t left = (uint32_t)padici_tensor_is_complex(plan->dtype[0]);
    const uint32_t right = (uint32_t)padici_tensor_is_complex(plan->dtype[1]);
    // A real operand with a complex one is a; otherwise c is written along its axis of step 1.
    const int turn = left != right ? left != 0
                                   : padici_simd_tensor_flat(&group[PADICI_TENSOR_ROW]) &&
                                         !padici_simd_tensor_flat(&group[PADICI_TENSOR_COLUMN]);
    g->a = turn ? 1 : 0;
    g->b = 1 - g->a;
    g->row = &group[turn ? PADICI_TENSOR_COLUMN : PADICI_TENSOR_ROW];
    g->column = &group[turn ? PADICI_TENSOR_ROW : PADICI_TENSOR_COLUMN];
    g->sum = &group[PADICI_TENSOR_SUM];
    g->paired[0] = turn ? right : left;
    g->paired[1] = turn ? left : right;
    g->wide = left | right ? 2 : 1;
    g->thin = g->row->size == 1 && g->column->count == 1 && g->column->axis[0].step[g->b] == 1 &&
              g->column->axis[0].step[2] == 1 && (g->wide == 1 || g->paired[1]);
    g->direct = padici_simd_tensor_is_direct(g);
#if PADICI_SIMD_X86
    if (!g->direct && g->kernels == padici_simd_tensor_of(1, g->size == 8)) {
        g->kernels = padici_simd_tensor_of(0, g->size == 8); // vectors of half the length
        g->direct = padici_simd_tensor_is_direct(g);
        if (!g->direct) g->kernels = padici_simd_tensor_of(1, g->size == 8);
    }
#endif
    if (g->direct) g->thin = 0; // one row of few: the factors do not pay
    g->across =
        g->thin ? padici_simd_tensor_up(g->column->size, 1, PADICI_SIMD_TENSOR_THIN)
        : g->direct
            ? (uint32_t)g->column->size
            : padici_simd_tensor_up(g->column->size, g->kernels->nr / g->wide,
                                    PADICI_SIMD_TENSOR_WIDE / g->wide / (workers > 1 ? 2 : 1));
    g->most = padici_simd_tensor_up(g->row->size, g->kernels->mr, PADICI_SIMD_TENSOR_MOST);
    for (;;) { // sums do not depend on the division of c, so it may follow the workers
        g->down = (g->row->size + g->most - 1) / g->most;
        g->right = (g->column->size + g->across - 1) / g->across;
        g->units = g->down * g->right * group[PADICI_TENSOR_BATCH].size;
        if (workers == 1 || g->units >= 4 * workers || g->most <= 64) break;
        g->most = padici_simd_tensor_up(g->most / 2, g->kernels->mr, g->most);
    }
    g->tasks = g->units < workers ? (uint32_t)g->units : workers;
}

// The memory that a task needs.
static void padici_simd_tensor_measure(padici_simd_tensor_job *g)
{
    const uint32_t twice = g->paired[0] ? 2 : 1;
    const size_t deep =
        g->thin ? 1 : padici_simd_tensor_up(g->sum->size * twice, twice, PADICI_SIMD_TENSOR_DEPTH);
    const size_t high =
        g->most < PADICI_SIMD_TENSOR_ROWS ? g->most : PADICI_SIMD_TENSOR_ROWS + g->kernels->mr;
    g->space_a = (deep * g->across * g->wide * g->size + 63) / 64 * 64;
    g->space_places = // thin: four factors per line
        (g->space_a + (g->thin ? 4 * PADICI_SIMD_TENSOR_DEPTH : deep * high) * g->size + 63) / 64 *
        64;
    g->each = g->space_places + 2 * ((size_t)g->most + g->across + PADICI_SIMD_TENSOR_DEPTH) * 8;
    g->each = (g->each + 63) / 64 * 64;
}

#define PADICI_SIMD_TENSOR_NARROW 8 // most rows and products of a sum

// Lines shorter than a vector, in local memory, padded with zeros.
static void padici_simd_tensor_narrow(const padici_simd_tensor_kernels *kernels,
                                      padici_simd_tensor_direct *d, const padic_tensor_product *p,
                                      size_t size)
{
    double b[PADICI_SIMD_TENSOR_NARROW * 8]; // a vector has 64 bytes at most
    double c[PADICI_SIMD_TENSOR_NARROW * 8];
    const size_t line = d->columns * size;
    const int64_t b_step = d->b_sum * (int64_t)size, c_step = d->c_row * (int64_t)size;
    uint32_t i;
    memset(b, 0, sizeof b);
    for (i = 0; i < p->depth; i++)
        memcpy((char *)b + i * kernels->lanes * size, (const char *)p->b + i * b_step, line);
    d->columns = kernels->lanes;
    d->b_sum = d->c_row = kernels->lanes;
    (*kernels->direct)(d, p->a, b, c);
    for (i = 0; i < p->rows; i++)
        memcpy((char *)p->c + i * c_step, (const char *)c + i * kernels->lanes * size, line);
}

// A small product, without a plan: by the kernel that a general call would try first.
PADICI_FN padic_result padici_simd_tensor_product_loop(padici_simd *simd, const void *product)
{
    const padic_tensor_product *p = (const padic_tensor_product *)product;
    const uint32_t wide = (uint32_t)padici_tensor_is_double(p->dtype);
    const uint32_t parts = padici_tensor_is_complex(p->dtype) ? 2 : 1, width = p->columns * parts;
    const padici_simd_tensor_kernels *kernels =
        padici_simd_tensor_of(PADICI_SIMD_X86 && simd->level > PADICI_SIMD_AVX2, wide);
    padici_simd_tensor_direct d;
    int narrow;
    if (p->rows < 2 || p->rows > 64 || p->columns < 2 ||
        width > PADICI_SIMD_TENSOR_SMALL || p->depth > PADICI_SIMD_TENSOR_SMALL)
        return PADIC_ERROR_NOT_SUPPORTED;
    if (width & (kernels->lanes - 1)) kernels = padici_simd_tensor_of(0, wide);
    // Complex ones are summed differently there.
    narrow = parts == 1 && p->columns < kernels->lanes && p->rows <= PADICI_SIMD_TENSOR_NARROW &&
             p->depth <= PADICI_SIMD_TENSOR_NARROW;
    if (width & (kernels->lanes - 1) && !narrow) return PADIC_ERROR_NOT_SUPPORTED;
    d.depth = p->depth;
    d.rows = p->rows;
    d.columns = width;
    d.paired = parts == 2;
    d.add = 0;
    d.a_row = p->line_a * (int64_t)parts;
    d.a_sum = (int64_t)parts;
    d.b_sum = p->line_b * (int64_t)parts;
    d.c_row = p->line_c * (int64_t)parts;
    if (narrow) padici_simd_tensor_narrow(kernels, &d, p, wide ? 8 : 4);
    else (*kernels->direct)(&d, p->a, p->b, p->c);
    return PADIC_OK;
}

// alpha in the kernels' representation.
static void padici_simd_tensor_alpha(padici_simd_tensor_job *g)
{
    const double *alpha = g->plan->alpha;
    const float single[4] = {(float)alpha[0], (float)alpha[0], -(float)alpha[1], (float)alpha[1]};
    g->scaled = alpha[0] != 1 || alpha[1] != 0;
    g->turned = alpha[1] != 0;
    g->factor[0] = g->factor[1] = alpha[0];
    g->factor[2] = -alpha[1];
    g->factor[3] = alpha[1];
    if (g->size == 4) memcpy(g->factor, single, sizeof single);
}

// A checked plan. NOT_SUPPORTED: nothing to sum, alpha or beta outside the precision, or no memory;
// then the generic loop is used.
static padic_result padici_simd_tensor_plan(padici_simd *simd, const padici_tensor_plan *plan,
                                            void *const data[3])
{
    const padic_jobs *jobs = simd->env.jobs;
    padici_simd_tensor_job g;
    uint32_t i;
    memset(&g, 0, sizeof g);
    for (i = 0; i < 4; i++)
        if (!plan->group[i].size) return PADIC_ERROR_NOT_SUPPORTED;
    if (!padici_tensor_factors_fit(plan)) return PADIC_ERROR_NOT_SUPPORTED;
    for (i = 0; i < 3; i++) g.data[i] = (char *)data[i];
    g.plan = plan;
    g.size = padici_tensor_is_double(plan->dtype[2]) ? 8 : 4;
    g.kernels =
        padici_simd_tensor_of(PADICI_SIMD_X86 && simd->level > PADICI_SIMD_AVX2, g.size == 8);
    padici_simd_tensor_alpha(&g);
    padici_simd_tensor_begin(
        &g, jobs && jobs->enqueue && jobs->finish && jobs->workers > 1 ? jobs->workers : 1);
    padici_simd_tensor_measure(&g);
    if (simd->tensor_size < g.tasks * g.each) {
        padici_free(simd->env.allocator, simd->tensor_space, simd->tensor_size);
        simd->tensor_size = g.tasks * g.each;
        simd->tensor_space = padici_alloc(simd->env.allocator, simd->tensor_size, 64);
        if (!simd->tensor_space) simd->tensor_size = 0;
    }
    if (!simd->tensor_space) return PADIC_ERROR_NOT_SUPPORTED;
    g.space = (char *)simd->tensor_space;
    padici_parallel(jobs, g.tasks, padici_simd_tensor_task, &g);
    return PADIC_OK;
}

// Groups one after the other, each with vectors where possible.
PADICI_NOINLINE static padic_result padici_simd_tensor_groups(padici_simd *simd,
                                                              const padic_tensor_gemm_desc *desc)
{
    padic_result result = PADIC_OK;
    uint32_t i;
    for (i = 0; i < desc->group_count && !result; i++) {
        padic_tensor_gemm_desc one;
        padici_tensor_plan plan;
        void *data[3];
        padici_tensor_gemm_group_at(desc, i, &one);
        if (!one.c.shape[0] || !one.c.shape[1]) continue;
        result = padici_tensor_gemm_plan(NULL, &one, &plan);
        if (result) return result;
        data[0] = one.a.data, data[1] = one.b.data, data[2] = one.c.data;
        result = padici_simd_tensor_plan(simd, &plan, data);
        if (result != PADIC_ERROR_NOT_SUPPORTED) continue;
        result = PADIC_OK;
        padici_tensor_run(simd->env.jobs, &plan, data[0], data[1], data[2]);
    }
    return result;
}

PADICI_FN padic_result padici_simd_tensor_gemm(padici_simd *simd,
                                               const padic_tensor_gemm_desc *desc)
{
    padici_tensor_plan plan;
    void *data[3];
    padic_result result;
    if (desc->groups) return padici_simd_tensor_groups(simd, desc);
    data[0] = desc->a.data, data[1] = desc->b.data, data[2] = desc->c.data;
    result = padici_tensor_gemm_plan(NULL, desc, &plan);
    return result ? result : padici_simd_tensor_plan(simd, &plan, data);
}

PADICI_FN padic_result padici_simd_tensor_contract(padici_simd *simd,
                                                   const padic_tensor_contract_desc *desc)
{
    padici_tensor_plan plan;
    void *data[3];
    padic_result result;
    data[0] = desc->a.data, data[1] = desc->b.data, data[2] = desc->c.data;
    result = padici_tensor_contract_plan(NULL, desc, &plan);
    return result ? result : padici_simd_tensor_plan(simd, &plan, data);
}

#undef PADICI_SIMD_TENSOR_NARROW

#endif
