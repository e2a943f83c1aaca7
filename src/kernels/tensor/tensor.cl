// program: tensor
// tensor.cl: c = alpha sum a b + beta c for matrices and contractions, read through their strides.
//
// variant: PD_TENSOR_TILE=32 PD_TENSOR_WG=128 PD_TENSOR_GAUSS=1
// variant: PD_TENSOR_GENERAL=1
// variant: PD_TENSOR_A_PARTS=1 PD_TENSOR_B_PARTS=1
// variant: PD_TENSOR_TILE=32 PD_TENSOR_WG=128 PD_TENSOR_GENERAL=1 PD_TENSOR_A_PARTS=1
// variant: PD_TENSOR_TILE=16 PD_TENSOR_WG=128 PD_TENSOR_B_PARTS=1
// variant: PD_TENSOR_TILE=8 PD_TENSOR_WG=128
// variant: PD_TENSOR_TILE=32 PD_TENSOR_WG=128 PD_TENSOR_GROUPS=1
// variant: PD_TENSOR_TILE=16 PD_TENSOR_WG=128 PD_TENSOR_GROUPS=1
#ifndef PD_TENSOR_TILE
#define PD_TENSOR_TILE 64 // of results: 64, 32, 16, 8; small ones share a group
#endif
#ifndef PD_TENSOR_WG
#define PD_TENSOR_WG 256 // tile 64: 256, or 128 where there are registers for it; else 128
#endif
#ifndef PD_TENSOR_A_PARTS
#define PD_TENSOR_A_PARTS 2 // 1 real, 2 complex
#endif
#ifndef PD_TENSOR_B_PARTS
#define PD_TENSOR_B_PARTS 2
#endif
#ifndef PD_TENSOR_GENERAL
#define PD_TENSOR_GENERAL 0 // 0: every group of labels is one axis; 1: axes are listed in `shape`
#endif
#ifndef PD_TENSOR_GROUPS
#define PD_TENSOR_GROUPS 0 // 1: products of many sizes, listed in `shape`; not GENERAL
#endif
#ifndef PD_TENSOR_GAUSS
#define PD_TENSOR_GAUSS 0 // 1: three real products for a complex one
#endif
#ifndef PD_TENSOR_F64
#define PD_TENSOR_F64 0
#endif

#if PD_TENSOR_F64
typedef pd_f64 tensor_real;
#define TENSOR_FMA(x, y, z) PD_FMA64(x, y, z)
#define TENSOR_SCALE(i) PD_AS_F64(PD_U64(k.scale[2 * (i)], k.scale[2 * (i) + 1]))
#define TENSOR_ZERO ((pd_f64)0.0f)
#else
typedef pd_f32 tensor_real;
#define TENSOR_FMA(x, y, z) PD_FMA(x, y, z)
#define TENSOR_SCALE(i) PD_AS_F32(k.scale[2 * (i)])
#define TENSOR_ZERO 0.0f
#endif

#if PD_IS_C
#define TENSOR_UNROLL
#else
#define TENSOR_UNROLL _Pragma("unroll") // a register array is never indexed at run time
#endif

#define TENSOR_ALIGNED __attribute__((aligned(16)))
#define TENSOR_C_PARTS (PD_TENSOR_A_PARTS == 2 ? 2 : PD_TENSOR_B_PARTS)
#define TENSOR_TILE ((pd_u32)PD_TENSOR_TILE)
#define TENSOR_PITCH (TENSOR_TILE + 4u) // padded line in local memory, against bank conflicts

// An item has RM x RN results: RM consecutive rows, columns in runs of up to 4, so that it reads
// local memory 16 bytes at a time.
#if PD_TENSOR_TILE == 64
#define TENSOR_RM 4u
#define TENSOR_RN (1024u / PD_TENSOR_WG)
#elif PD_TENSOR_TILE == 32
#define TENSOR_RM 4u
#define TENSOR_RN 2u
#elif PD_TENSOR_TILE == 16
#define TENSOR_RM 2u
#define TENSOR_RN 2u
#else
#define TENSOR_RM 1u
#define TENSOR_RN 1u
#endif
#define TENSOR_RUN (TENSOR_RN < 4u ? TENSOR_RN : 4u)
#define TENSOR_ROW_OF(i) (y * TENSOR_RM + (i))
#define TENSOR_COLUMN_OF(j) \
    ((j) / TENSOR_RUN * (TENSOR_COLUMNS * TENSOR_RUN) + x * TENSOR_RUN + (j) % TENSOR_RUN)
#define TENSOR_ROWS (TENSOR_TILE / TENSOR_RM)
#define TENSOR_COLUMNS (TENSOR_TILE / TENSOR_RN)
#define TENSOR_ITEMS (TENSOR_ROWS * TENSOR_COLUMNS)  // of a tile: 256, 128 or 64
#define TENSOR_SHARE (PD_TENSOR_WG / TENSOR_ITEMS) // tiles per group
#define TENSOR_BLOCK 8u                             // of the sum, in local memory at a time
#define TENSOR_LOADS (TENSOR_TILE * TENSOR_BLOCK / TENSOR_ITEMS)
#define TENSOR_PLANE (TENSOR_SHARE * TENSOR_BLOCK * TENSOR_PITCH)

// Bits of `flags`.
#define TENSOR_CONJ_A 1u
#define TENSOR_CONJ_B 2u
#define TENSOR_A_ALONG 4u // a (b) is read along the sum, otherwise along rows (columns)
#define TENSOR_B_ALONG 8u
#define TENSOR_PARTIAL 16u // c is scratch: [part][batch][row][column], unscaled
#define TENSOR_ALPHA_IM 32u
#define TENSOR_BETA 64u

typedef struct {
    pd_u32 rows, columns, depth, batches; // groups: only their number, as batches
    pd_u32 tiles_down, tiles_across;
    pd_u32 part; // places of the sum that one group adds (group number y)
    pd_u32 flags;
    pd_u32 first[6];                       // element 0 of a, b, c, two halves each
    pd_u32 batch[6];                       // steps of a, b, c
    pd_i32 a_row, a_sum, b_sum, b_column;  // steps of the single axis
    pd_i32 c_row, c_column;
    pd_u32 axes[4];  // general: of rows, columns, sum, batch; ordered as in `shape`
    pd_u32 scale[8]; // alpha and beta: real and imaginary, each as the bits of a 64-bit value
} padic_k_tensor_product_params;

// One axis in `shape`: its size, then steps. Rows: of a, c; columns: of b, c; sum: of a, b, in 4
// words; batch: of a, b, c in 7 words of 8, low half first. Groups: 16 words each, as below, in the
// order of their first tiles, an even number of them where two share a group of items.
#define TENSOR_GROUP_TILE 0u // the first one
#define TENSOR_GROUP_ROWS 1u
#define TENSOR_GROUP_COLUMNS 2u
#define TENSOR_GROUP_DEPTH 3u
#define TENSOR_GROUP_FIRST 4u // of a, b, c, two halves each
#define TENSOR_GROUP_A_ROW 10u // steps; along columns of c it is 1
#define TENSOR_GROUP_A_SUM 11u
#define TENSOR_GROUP_B_SUM 12u
#define TENSOR_GROUP_B_COLUMN 13u
#define TENSOR_GROUP_C_ROW 14u
#define TENSOR_GROUP_ACROSS 15u // tiles

#if PD_TENSOR_GENERAL
PD_FN void tensor_find(PD_GPTR(const pd_u32) axis, pd_u32 axes, pd_u32 index, pd_i32 *x, pd_i32 *y)
{
    pd_u32 i;
    *x = 0;
    *y = 0;
    for (i = axes; i > 0u; i--) {
        const pd_u32 size = axis[4u * i - 4u], digit = index % size;
        *x += (pd_i32)(digit * axis[4u * i - 3u]);
        *y += (pd_i32)(digit * axis[4u * i - 2u]);
        index /= size;
    }
}

PD_FN pd_i64 tensor_find_batch(PD_GPTR(const pd_u32) axis, pd_u32 axes, pd_u32 index,
                               pd_u32 operand)
{
    pd_i64 at = 0;
    pd_u32 i;
    for (i = axes; i > 0u; i--) {
        const pd_u32 size = axis[8u * i - 8u], word = 8u * i - 7u + 2u * operand;
        at += (pd_i64)((pd_u64)(index % size) * PD_U64(axis[word], axis[word + 1u]));
        index /= size;
    }
    return at;
}
#define TENSOR_AXES_COLUMN (4u * k.axes[0])
#define TENSOR_AXES_SUM (4u * (k.axes[0] + k.axes[1]))
#define TENSOR_AXES_BATCH (4u * (k.axes[0] + k.axes[1] + k.axes[2]))
#define TENSOR_AT_ROW(i, x, y) tensor_find(shape, k.axes[0], i, x, y)
#define TENSOR_AT_COLUMN(i, x, y) tensor_find(shape + TENSOR_AXES_COLUMN, k.axes[1], i, x, y)
#define TENSOR_AT_SUM(i, x, y) tensor_find(shape + TENSOR_AXES_SUM, k.axes[2], i, x, y)
#define TENSOR_AT_BATCH(i, operand) \
    tensor_find_batch(shape + TENSOR_AXES_BATCH, k.axes[3], i, operand)
#else
PD_FN void tensor_step(pd_u32 index, pd_i32 step_x, pd_i32 step_y, pd_i32 *x, pd_i32 *y)
{
    *x = (pd_i32)(index * (pd_u32)step_x);
    *y = (pd_i32)(index * (pd_u32)step_y);
}
#define TENSOR_AT_ROW(i, x, y) tensor_step(i, k.a_row, k.c_row, x, y)
#define TENSOR_AT_COLUMN(i, x, y) tensor_step(i, k.b_column, k.c_column, x, y)
#define TENSOR_AT_SUM(i, x, y) tensor_step(i, k.a_sum, k.b_sum, x, y)
#define TENSOR_AT_BATCH(i, operand)                                              \
    ((pd_i64)((pd_u64)(i) *                                                      \
              PD_U64(k.batch[2u * (operand)], k.batch[2u * (operand) + 1u])))
#endif
// In the product; sizes and steps of groups are in the tile `t`.
#if PD_TENSOR_GROUPS
#define TENSOR_ALL_ROWS t->rows
#define TENSOR_ALL_COLUMNS t->columns
#define TENSOR_DEPTH t->depth
#define TENSOR_ON_ROW(i, x, y) tensor_step(i, t->a_row, t->c_row, x, y)
#define TENSOR_ON_COLUMN(i, x, y) tensor_step(i, t->b_column, 1, x, y)
#define TENSOR_ON_SUM(i, x, y) tensor_step(i, t->a_sum, t->b_sum, x, y)
#define TENSOR_ON_BATCH(operand)                                       \
    ((pd_i64)PD_U64(shape[t->group + TENSOR_GROUP_FIRST + 2u * (operand)], \
                    shape[t->group + TENSOR_GROUP_FIRST + 2u * (operand) + 1u]))
#else
#define TENSOR_ALL_ROWS k.rows
#define TENSOR_ALL_COLUMNS k.columns
#define TENSOR_DEPTH k.depth
#define TENSOR_ON_ROW(i, x, y) TENSOR_AT_ROW(i, x, y)
#define TENSOR_ON_COLUMN(i, x, y) TENSOR_AT_COLUMN(i, x, y)
#define TENSOR_ON_SUM(i, x, y) TENSOR_AT_SUM(i, x, y)
#define TENSOR_ON_BATCH(operand) TENSOR_AT_BATCH(t->batch, operand)
#endif
#define TENSOR_FIRST(operand) \
    ((pd_i64)PD_U64(k.first[2u * (operand)], k.first[2u * (operand) + 1u]))

// c at one place becomes alpha (re + i im) + beta c; `out` points at the place.
#if PD_TENSOR_A_PARTS == 2 || PD_TENSOR_B_PARTS == 2
#define TENSOR_STORE(out, re, im)                                        \
    do {                                                                 \
        tensor_real x_ = TENSOR_SCALE(0) * (re), y_ = TENSOR_SCALE(0) * (im); \
        if (k.flags & TENSOR_ALPHA_IM) {                                 \
            x_ = TENSOR_FMA(-TENSOR_SCALE(1), (im), x_);                 \
            y_ = TENSOR_FMA(TENSOR_SCALE(1), (re), y_);                  \
        }                                                                \
        if (k.flags & TENSOR_BETA) {                                     \
            const tensor_real u_ = (out)[0], v_ = (out)[1];              \
            x_ = TENSOR_FMA(TENSOR_SCALE(2), u_, x_);                    \
            x_ = TENSOR_FMA(-TENSOR_SCALE(3), v_, x_);                   \
            y_ = TENSOR_FMA(TENSOR_SCALE(2), v_, y_);                    \
            y_ = TENSOR_FMA(TENSOR_SCALE(3), u_, y_);                    \
        }                                                                \
        (out)[0] = x_;                                                   \
        (out)[1] = y_;                                                   \
    } while (0)
#else
#define TENSOR_STORE(out, re, im)                                        \
    do {                                                                 \
        tensor_real x_ = TENSOR_SCALE(0) * (re);                         \
        if (k.flags & TENSOR_BETA) x_ = TENSOR_FMA(TENSOR_SCALE(2), (out)[0], x_); \
        (out)[0] = x_;                                                   \
    } while (0)
#endif

// A tile of results: its first row, column and batch; for groups, the contents of its words.
typedef struct {
    pd_u32 row0, column0, batch;
#if PD_TENSOR_GROUPS
    pd_u32 group, rows, columns, depth;
    pd_i32 a_row, a_sum, b_sum, b_column, c_row;
#endif
} tensor_tile;

#if PD_TENSOR_GROUPS
// The offset of the words of the group that contains a tile.
PD_FN pd_u32 tensor_group(PD_GPTR(const pd_u32) shape, pd_u32 groups, pd_u32 tile)
{
    pd_u32 low = 0u, high = groups;
    while (high - low > 1u) {
        const pd_u32 middle = (low + high) / 2u;
        if (shape[16u * middle + TENSOR_GROUP_TILE] <= tile) low = middle;
        else high = middle;
    }
    return 16u * low;
}

PD_FN tensor_tile tensor_tile_of(PD_GPTR(const pd_u32) shape, padic_k_tensor_product_params k,
                                 pd_u32 number)
{
    const pd_u32 group = tensor_group(shape, k.batches, number);
    const pd_u32 across = shape[group + TENSOR_GROUP_ACROSS];
    const pd_u32 own = number - shape[group + TENSOR_GROUP_TILE], down = own / across;
    tensor_tile t;
    t.group = group;
    t.rows = shape[group + TENSOR_GROUP_ROWS];
    t.columns = shape[group + TENSOR_GROUP_COLUMNS];
    t.depth = shape[group + TENSOR_GROUP_DEPTH];
    t.a_row = (pd_i32)shape[group + TENSOR_GROUP_A_ROW];
    t.a_sum = (pd_i32)shape[group + TENSOR_GROUP_A_SUM];
    t.b_sum = (pd_i32)shape[group + TENSOR_GROUP_B_SUM];
    t.b_column = (pd_i32)shape[group + TENSOR_GROUP_B_COLUMN];
    t.c_row = (pd_i32)shape[group + TENSOR_GROUP_C_ROW];
    // Tiles that fill a group of items lie below the last row.
    t.row0 = down * TENSOR_TILE < t.rows ? down * TENSOR_TILE : t.rows;
    t.column0 = own % across * TENSOR_TILE;
    t.batch = 0u;
    return t;
}
#else
PD_FN tensor_tile tensor_tile_of(PD_GPTR(const pd_u32) shape, padic_k_tensor_product_params k,
                                 pd_u32 number)
{
    const pd_u32 down = number / k.tiles_across, batch = down / k.tiles_down;
    const pd_u32 live = batch < k.batches ? 1u : 0u;
    tensor_tile t;
    t.batch = live ? batch : 0u;
    t.row0 = live ? down % k.tiles_down * TENSOR_TILE : k.rows;
    t.column0 = number % k.tiles_across * TENSOR_TILE;
    (void)shape;
    return t;
}
#endif

// The product. `parts` of a function is a literal; absent imaginary parts cost nothing.

// A group's local memory: a block of a and of b.
typedef struct {
    PD_LPTR(tensor_real) a_re;
    PD_LPTR(tensor_real) a_im;
    PD_LPTR(tensor_real) b_re;
    PD_LPTR(tensor_real) b_im;
} tensor_block;

// An item's reads of each block: lines of a and b, their offsets, and places, sum << 16 | in local
// memory; the numbers of the next block.
typedef struct {
    pd_i64 a0, b0; // of the batch
    pd_i32 a_line[TENSOR_LOADS], b_line[TENSOR_LOADS];
    pd_u32 a_place[TENSOR_LOADS], b_place[TENSOR_LOADS];
    tensor_real a_re[TENSOR_LOADS], a_im[TENSOR_LOADS], b_re[TENSOR_LOADS], b_im[TENSOR_LOADS];
} tensor_next;

// An item's results; both: (a_re + a_im)(b_re + b_im).
typedef struct {
    tensor_real re[TENSOR_RM * TENSOR_RN], im[TENSOR_RM * TENSOR_RN], both[TENSOR_RM * TENSOR_RN];
} tensor_sums;

PD_FN void tensor_clear(tensor_sums *sum)
{
    pd_u32 i;
    TENSOR_UNROLL
    for (i = 0u; i < TENSOR_RM * TENSOR_RN; i++)
        sum->re[i] = sum->im[i] = sum->both[i] = TENSOR_ZERO;
}

// `local0`: start of the tile's part of local memory.
PD_FN void tensor_lines(PD_GPTR(const pd_u32) shape, padic_k_tensor_product_params k,
                        const tensor_tile *t, pd_u32 item, pd_u32 local0, tensor_next *next)
{
    pd_i32 other;
    pd_u32 i;
    next->a0 = TENSOR_FIRST(0u) + TENSOR_ON_BATCH(0u);
    next->b0 = TENSOR_FIRST(1u) + TENSOR_ON_BATCH(1u);
    TENSOR_UNROLL
    for (i = 0u; i < TENSOR_LOADS; i++) {
        const pd_u32 e = item + i * TENSOR_ITEMS;
        const pd_u32 a_sum = k.flags & TENSOR_A_ALONG ? e % TENSOR_BLOCK : e / TENSOR_TILE;
        const pd_u32 b_sum = k.flags & TENSOR_B_ALONG ? e % TENSOR_BLOCK : e / TENSOR_TILE;
        const pd_u32 row = k.flags & TENSOR_A_ALONG ? e / TENSOR_BLOCK : e % TENSOR_TILE;
        const pd_u32 column = k.flags & TENSOR_B_ALONG ? e / TENSOR_BLOCK : e % TENSOR_TILE;
        // A line outside gets an unreachable place of the sum: its numbers are 0.
        next->a_place[i] = (t->row0 + row < TENSOR_ALL_ROWS ? a_sum << 16 : 0x80000000u) |
                           (local0 + a_sum * TENSOR_PITCH + row);
        next->b_place[i] = (t->column0 + column < TENSOR_ALL_COLUMNS ? b_sum << 16 : 0x80000000u) |
                           (local0 + b_sum * TENSOR_PITCH + column);
        TENSOR_ON_ROW(t->row0 + row, &next->a_line[i], &other);
        TENSOR_ON_COLUMN(t->column0 + column, &next->b_line[i], &other);
    }
    (void)shape; // read when GENERAL, and of groups
}

PD_FN void tensor_read_one(PD_GPTR(const tensor_real) from, pd_i64 at, pd_u32 parts, pd_u32 conj,
                           tensor_real *re, tensor_real *im)
{
    *re = from[at * (pd_i64)parts];
    if (parts == 2u) {
        *im = from[at * 2 + 1];
        if (conj) *im = -*im;
    }
}

// Loads a block that starts at place `base` of the sum and has `depth` places; the others become 0.
PD_FN void tensor_read(PD_GPTR(const tensor_real) a, PD_GPTR(const tensor_real) b,
                       PD_GPTR(const pd_u32) shape, padic_k_tensor_product_params k,
                       const tensor_tile *t, pd_u32 base, pd_u32 depth, tensor_next *next)
{
    pd_u32 i;
    TENSOR_UNROLL
    for (i = 0u; i < TENSOR_LOADS; i++) {
        const pd_u32 a_sum = next->a_place[i] >> 16, b_sum = next->b_place[i] >> 16;
        pd_i32 at, skip;
        next->a_re[i] = next->a_im[i] = TENSOR_ZERO;
        next->b_re[i] = next->b_im[i] = TENSOR_ZERO;
        if (a_sum < depth) {
            TENSOR_ON_SUM(base + a_sum, &at, &skip);
            tensor_read_one(a, next->a0 + next->a_line[i] + at, PD_TENSOR_A_PARTS,
                            k.flags & TENSOR_CONJ_A, &next->a_re[i], &next->a_im[i]);
        }
        if (b_sum < depth) {
            TENSOR_ON_SUM(base + b_sum, &skip, &at);
            tensor_read_one(b, next->b0 + next->b_line[i] + at, PD_TENSOR_B_PARTS,
                            k.flags & TENSOR_CONJ_B, &next->b_re[i], &next->b_im[i]);
        }
    }
    (void)shape;
    (void)t;
}

PD_FN void tensor_keep_im(PD_LPTR(tensor_real) to, pd_u32 place, pd_u32 parts, tensor_real im)
{
    if (parts == 2u) to[place] = im;
}

// Writes the loaded numbers to local memory.
PD_FN void tensor_keep(const tensor_next *next, tensor_block to)
{
    pd_u32 i;
    TENSOR_UNROLL
    for (i = 0u; i < TENSOR_LOADS; i++) {
        to.a_re[next->a_place[i] & 0xffffu] = next->a_re[i];
        to.b_re[next->b_place[i] & 0xffffu] = next->b_re[i];
        tensor_keep_im(to.a_im, next->a_place[i] & 0xffffu, PD_TENSOR_A_PARTS, next->a_im[i]);
        tensor_keep_im(to.b_im, next->b_place[i] & 0xffffu, PD_TENSOR_B_PARTS, next->b_im[i]);
    }
}

PD_FN tensor_real tensor_im(PD_LPTR(const tensor_real) from, pd_u32 place, pd_u32 parts)
{
    return parts == 2u ? from[place] : TENSOR_ZERO;
}

// sum r += (ar + i ai)(br + i bi); the order of the FMAs is D1.
PD_FN void tensor_join(tensor_sums *sum, pd_u32 r, tensor_real ar, tensor_real ai, tensor_real br,
                       tensor_real bi)
{
    sum->re[r] = TENSOR_FMA(ar, br, sum->re[r]);
#if PD_TENSOR_GAUSS
    sum->im[r] = TENSOR_FMA(ai, bi, sum->im[r]);
    sum->both[r] = TENSOR_FMA(ar + ai, br + bi, sum->both[r]);
#elif PD_TENSOR_A_PARTS == 2 && PD_TENSOR_B_PARTS == 2
    sum->re[r] = TENSOR_FMA(-ai, bi, sum->re[r]);
    sum->im[r] = TENSOR_FMA(ar, bi, sum->im[r]);
    sum->im[r] = TENSOR_FMA(ai, br, sum->im[r]);
#elif PD_TENSOR_A_PARTS == 2
    sum->im[r] = TENSOR_FMA(ai, br, sum->im[r]);
#elif PD_TENSOR_B_PARTS == 2
    sum->im[r] = TENSOR_FMA(ar, bi, sum->im[r]);
#endif
    (void)ai;
    (void)bi;
}

// Adds one place of the sum, at `at` in local memory.
PD_FN void tensor_add_place(tensor_block from, pd_u32 at, pd_u32 x, pd_u32 y, tensor_sums *sum)
{
    tensor_real br[TENSOR_RN], bi[TENSOR_RN];
    pd_u32 i, j;
    TENSOR_UNROLL
    for (j = 0u; j < TENSOR_RN; j++) {
        br[j] = from.b_re[at + TENSOR_COLUMN_OF(j)];
        bi[j] = tensor_im(from.b_im, at + TENSOR_COLUMN_OF(j), PD_TENSOR_B_PARTS);
    }
    TENSOR_UNROLL
    for (i = 0u; i < TENSOR_RM; i++) {
        const tensor_real ar = from.a_re[at + TENSOR_ROW_OF(i)];
        const tensor_real ai = tensor_im(from.a_im, at + TENSOR_ROW_OF(i), PD_TENSOR_A_PARTS);
        TENSOR_UNROLL
        for (j = 0u; j < TENSOR_RN; j++) tensor_join(sum, i * TENSOR_RN + j, ar, ai, br[j], bi[j]);
    }
}

PD_FN void tensor_store_part(PD_GPTR(tensor_real) to, tensor_real re, tensor_real im)
{
    to[0] = re;
#if PD_TENSOR_A_PARTS == 2 || PD_TENSOR_B_PARTS == 2
    to[1] = im;
#endif
    (void)im;
}

// Writes an item's row i of results, or of a part of them to scratch, to row `row` of c.
PD_FN void tensor_write_row(PD_GPTR(tensor_real) c, PD_GPTR(const pd_u32) shape,
                            padic_k_tensor_product_params k, const tensor_tile *t, pd_u32 row,
                            pd_u32 x, pd_u32 i, const tensor_sums *sum)
{
    pd_i32 c_row, c_column, other;
    pd_i64 line;
    pd_u32 j;
    TENSOR_ON_ROW(row, &other, &c_row);
    line = TENSOR_FIRST(2u) + TENSOR_ON_BATCH(2u) + c_row;
    if (k.flags & TENSOR_PARTIAL)
        line = (pd_i64)((((pd_u64)PD_GRP_Y * k.batches + t->batch) * k.rows + row) * k.columns);
    TENSOR_UNROLL
    for (j = 0u; j < TENSOR_RN; j++) {
        const pd_u32 column = t->column0 + TENSOR_COLUMN_OF(j), r = i * TENSOR_RN + j;
#if PD_TENSOR_GAUSS
        const tensor_real re = sum->re[r] - sum->im[r];
        const tensor_real im = sum->both[r] - sum->re[r] - sum->im[r];
#else
        const tensor_real re = sum->re[r], im = sum->im[r];
#endif
        if (column >= TENSOR_ALL_COLUMNS) continue;
        if (k.flags & TENSOR_PARTIAL) {
            tensor_store_part(c + (line + column) * TENSOR_C_PARTS, re, im);
            continue;
        }
        TENSOR_ON_COLUMN(column, &other, &c_column);
        TENSOR_STORE(c + (line + c_column) * TENSOR_C_PARTS, re, im);
    }
    (void)shape;
}

// A tile of results by TENSOR_ITEMS items. While a block of the sum is added from local memory the
// next one is being loaded to registers. D1: a result is one chain of FMAs in the order of the sum,
// whatever the tile.
PD_KERNEL_WG(padic_k_tensor_product, PD_TENSOR_WG)
(PD_CBUF(tensor_real, a), PD_CBUF(tensor_real, b), PD_BUF(tensor_real, c), PD_CBUF(pd_u32, shape),
 PD_PARAMS(padic_k_tensor_product_params, k))
{
    PD_LOCAL TENSOR_ALIGNED tensor_real a_re[TENSOR_PLANE];
    PD_LOCAL TENSOR_ALIGNED tensor_real b_re[TENSOR_PLANE];
    PD_LOCAL TENSOR_ALIGNED tensor_real a_im[PD_TENSOR_A_PARTS == 2 ? TENSOR_PLANE : 1u];
    PD_LOCAL TENSOR_ALIGNED tensor_real b_im[PD_TENSOR_B_PARTS == 2 ? TENSOR_PLANE : 1u];
    const pd_u32 item = PD_LID % TENSOR_ITEMS, share = PD_LID / TENSOR_ITEMS;
    const pd_u32 x = item % TENSOR_COLUMNS, y = item / TENSOR_COLUMNS;
    const pd_u32 local0 = share * TENSOR_BLOCK * TENSOR_PITCH;
    const tensor_tile tile = tensor_tile_of(shape, k, PD_GRP * TENSOR_SHARE + share);
    const tensor_tile *const t = &tile;
    const pd_u32 begin = PD_GRP_Y * k.part;
    const pd_u32 end = TENSOR_DEPTH - begin < k.part ? TENSOR_DEPTH : begin + k.part;
    const pd_u32 steps = (end - begin + TENSOR_BLOCK - 1u) / TENSOR_BLOCK;
    tensor_block block;
    tensor_next next;
    tensor_sums sum;
    pd_u32 step, kk, i;
    block.a_re = a_re;
    block.a_im = a_im;
    block.b_re = b_re;
    block.b_im = b_im;
    tensor_clear(&sum);
    tensor_lines(shape, k, t, item, local0, &next);
    for (step = 0u; step <= steps; step++) {
        const pd_u32 base = begin + step * TENSOR_BLOCK, left = step < steps ? end - base : 0u;
        const pd_u32 depth = left < TENSOR_BLOCK ? left : TENSOR_BLOCK;
        tensor_read(a, b, shape, k, t, base, depth, &next);
#if PD_IS_CUDA
        _Pragma("unroll 4") // the next numbers are read while these are added; 162 registers
#endif
        for (kk = 0u; kk < (step > 0u ? TENSOR_BLOCK : 0u); kk++)
            tensor_add_place(block, local0 + kk * TENSOR_PITCH, x, y, &sum);
        PD_BARRIER();
        if (step < steps) tensor_keep(&next, block);
        PD_BARRIER();
    }
    TENSOR_UNROLL
    for (i = 0u; i < TENSOR_RM; i++) {
        const pd_u32 row = t->row0 + TENSOR_ROW_OF(i);
        if (row < TENSOR_ALL_ROWS) tensor_write_row(c, shape, k, t, row, x, i, &sum);
    }
}

// c = alpha (part 0 + part 1 + ...) + beta c, in the order of the `parts` parts.
PD_KERNEL(padic_k_tensor_add)
(PD_CBUF(tensor_real, parts), PD_BUF(tensor_real, c), PD_CBUF(pd_u32, shape),
 PD_PARAMS(padic_k_tensor_product_params, k))
{
    const pd_u32 count = k.rows * k.columns * k.batches;
    const pd_u32 splits = (k.depth + k.part - 1u) / k.part;
    pd_u32 e, i;
    (void)shape;
    for (e = PD_GID; e < count; e += PD_NGRP * PD_WG) {
        const pd_u32 column = e % k.columns, row = e / k.columns % k.rows;
        const pd_u32 batch = e / k.columns / k.rows;
        tensor_real re = TENSOR_ZERO;
#if PD_TENSOR_A_PARTS == 2 || PD_TENSOR_B_PARTS == 2
        tensor_real im = TENSOR_ZERO;
#endif
        pd_i32 c_row, c_column, other;
        pd_i64 at;
        for (i = 0u; i < splits; i++) {
            re += parts[((pd_u64)i * count + e) * TENSOR_C_PARTS];
#if PD_TENSOR_A_PARTS == 2 || PD_TENSOR_B_PARTS == 2
            im += parts[((pd_u64)i * count + e) * 2u + 1u];
#endif
        }
        TENSOR_AT_ROW(row, &other, &c_row);
        TENSOR_AT_COLUMN(column, &other, &c_column);
        at = TENSOR_FIRST(2u) + TENSOR_AT_BATCH(batch, 2u) + c_row + c_column;
        TENSOR_STORE(c + at * TENSOR_C_PARTS, re, im);
    }
}

typedef struct {
    pd_u32 at, count, words[60];
} padic_k_tensor_shape_params;

// Params are not indexed at run time: one driver crashes when compiling that.
#define TENSOR_WORD(i) \
    if ((i) < k.count) shape[k.at + (i)] = k.words[i];
#define TENSOR_WORDS(i)                                                                     \
    TENSOR_WORD(i) TENSOR_WORD(i + 1u) TENSOR_WORD(i + 2u) TENSOR_WORD(i + 3u) \
    TENSOR_WORD(i + 4u) TENSOR_WORD(i + 5u)

// Writes words of `shape`, from `at` on: known when a product is enqueued, so no upload is needed.
PD_KERNEL(padic_k_tensor_shape)
(PD_BUF(pd_u32, shape), PD_PARAMS(padic_k_tensor_shape_params, k))
{
    if (PD_GID != 0u) return;
    TENSOR_WORDS(0u) TENSOR_WORDS(6u) TENSOR_WORDS(12u) TENSOR_WORDS(18u) TENSOR_WORDS(24u)
    TENSOR_WORDS(30u) TENSOR_WORDS(36u) TENSOR_WORDS(42u) TENSOR_WORDS(48u) TENSOR_WORDS(54u)
}
