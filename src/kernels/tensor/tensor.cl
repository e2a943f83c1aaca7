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
#define PD_TENSOR_GENERAL 0 // 0: every group of labels is one axis; 1: axes stand in `shape`
#endif
#ifndef PD_TENSOR_GROUPS
#define PD_TENSOR_GROUPS 0 // 1: products of many sizes, which stand in `shape`; not GENERAL
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
#define TENSOR_PITCH (TENSOR_TILE + 4u) // of a line in local memory: no bank is met twice

// An item has RM x RN results: RM rows one below the other, columns in runs of up to 4, so that
// what it reads of local memory comes 16 bytes at a time.
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
#define TENSOR_SHARE (PD_TENSOR_WG / TENSOR_ITEMS) // tiles of a group
#define TENSOR_BLOCK 8u                             // of the sum, in local memory at a time
#define TENSOR_LOADS (TENSOR_TILE * TENSOR_BLOCK / TENSOR_ITEMS)
#define TENSOR_PLANE (TENSOR_SHARE * TENSOR_BLOCK * TENSOR_PITCH)

// Bits of `flags`.
#define TENSOR_CONJ_A 1u
#define TENSOR_CONJ_B 2u
#define TENSOR_A_ALONG 4u // a (b) is read with neighbours along the sum, else along rows (columns)
#define TENSOR_B_ALONG 8u
#define TENSOR_PARTIAL 16u // c is scratch: [part][batch][row][column], unscaled
#define TENSOR_ALPHA_IM 32u
#define TENSOR_BETA 64u

typedef struct {
    pd_u32 rows, columns, depth, batches; // groups: only how many there are, as batches
    pd_u32 tiles_down, tiles_across;
    pd_u32 part; // places of the sum that one group adds (group number y)
    pd_u32 flags;
    pd_u32 first[6];                       // element 0 of a, b, c, two halves each
    pd_u32 batch[6];                       // steps of a, b, c
    pd_i32 a_row, a_sum, b_sum, b_column;  // steps of an only axis
    pd_i32 c_row, c_column;
    pd_u32 axes[4];  // general: of rows, columns, sum, batch; so they stand in `shape`
    pd_u32 scale[8]; // alpha and beta: real and imaginary, each as the bits of a 64-bit value
} padic_k_tensor_product_params;

// One axis in `shape`: its size, then steps. Rows: of a, c; columns: of b, c; sum: of a, b, in 4
// words; batch: of a, b, c in 7 words of 8, low half first. Groups: 16 words each, those below, in
// the order of their first tiles, an even number of them where two share a group of items.
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
// In the product, where sizes and steps of groups are variables.
#if PD_TENSOR_GROUPS
#define TENSOR_ALL_ROWS rows
#define TENSOR_ALL_COLUMNS columns
#define TENSOR_DEPTH deep
#define TENSOR_ON_ROW(i, x, y) tensor_step(i, a_row, c_row_step, x, y)
#define TENSOR_ON_COLUMN(i, x, y) tensor_step(i, b_column, 1, x, y)
#define TENSOR_ON_SUM(i, x, y) tensor_step(i, a_step, b_step, x, y)
#define TENSOR_ON_BATCH(i, operand)                                    \
    ((pd_i64)PD_U64(shape[group + TENSOR_GROUP_FIRST + 2u * (operand)], \
                    shape[group + TENSOR_GROUP_FIRST + 2u * (operand) + 1u]))
#else
#define TENSOR_ALL_ROWS k.rows
#define TENSOR_ALL_COLUMNS k.columns
#define TENSOR_DEPTH k.depth
#define TENSOR_ON_ROW(i, x, y) TENSOR_AT_ROW(i, x, y)
#define TENSOR_ON_COLUMN(i, x, y) TENSOR_AT_COLUMN(i, x, y)
#define TENSOR_ON_SUM(i, x, y) TENSOR_AT_SUM(i, x, y)
#define TENSOR_ON_BATCH(i, operand) TENSOR_AT_BATCH(i, operand)
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

#if PD_TENSOR_GROUPS
// Where the words of the group that has a tile begin.
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
#endif

// A tile of results by TENSOR_ITEMS items. While a block of the sum is added from local memory the
// next one is already on its way to registers. D1: a result is one chain of FMAs in the order of
// the sum, whatever the tile.
PD_KERNEL_WG(padic_k_tensor_product, PD_TENSOR_WG)
(PD_CBUF(tensor_real, a), PD_CBUF(tensor_real, b), PD_BUF(tensor_real, c), PD_CBUF(pd_u32, shape),
 PD_PARAMS(padic_k_tensor_product_params, k))
{
    PD_LOCAL TENSOR_ALIGNED tensor_real a_re[TENSOR_PLANE];
    PD_LOCAL TENSOR_ALIGNED tensor_real b_re[TENSOR_PLANE];
#if PD_TENSOR_A_PARTS == 2
    PD_LOCAL TENSOR_ALIGNED tensor_real a_im[TENSOR_PLANE];
#endif
#if PD_TENSOR_B_PARTS == 2
    PD_LOCAL TENSOR_ALIGNED tensor_real b_im[TENSOR_PLANE];
#endif
    const pd_u32 item = PD_LID % TENSOR_ITEMS, share = PD_LID / TENSOR_ITEMS;
    const pd_u32 x = item % TENSOR_COLUMNS, y = item / TENSOR_COLUMNS;
    const pd_u32 local0 = share * TENSOR_BLOCK * TENSOR_PITCH;
    const pd_u32 tile = PD_GRP * TENSOR_SHARE + share;
#if PD_TENSOR_GROUPS
    const pd_u32 group = tensor_group(shape, k.batches, tile);
    const pd_u32 rows = shape[group + TENSOR_GROUP_ROWS];
    const pd_u32 columns = shape[group + TENSOR_GROUP_COLUMNS];
    const pd_u32 deep = shape[group + TENSOR_GROUP_DEPTH];
    const pd_u32 across = shape[group + TENSOR_GROUP_ACROSS];
    const pd_i32 a_row = (pd_i32)shape[group + TENSOR_GROUP_A_ROW];
    const pd_i32 a_step = (pd_i32)shape[group + TENSOR_GROUP_A_SUM];
    const pd_i32 b_step = (pd_i32)shape[group + TENSOR_GROUP_B_SUM];
    const pd_i32 b_column = (pd_i32)shape[group + TENSOR_GROUP_B_COLUMN];
    const pd_i32 c_row_step = (pd_i32)shape[group + TENSOR_GROUP_C_ROW];
    const pd_u32 own = tile - shape[group + TENSOR_GROUP_TILE], down = own / across;
    const pd_u32 the_batch = 0u;
    // Tiles that fill a group of items lie below the last row.
    const pd_u32 row0 = down * TENSOR_TILE < rows ? down * TENSOR_TILE : rows;
    const pd_u32 column0 = own % across * TENSOR_TILE;
#else
    const pd_u32 down = tile / k.tiles_across, batch = down / k.tiles_down;
    const pd_u32 live = batch < k.batches ? 1u : 0u, the_batch = live ? batch : 0u;
    const pd_u32 row0 = live ? down % k.tiles_down * TENSOR_TILE : TENSOR_ALL_ROWS;
    const pd_u32 column0 = tile % k.tiles_across * TENSOR_TILE;
#endif
    const pd_u32 begin = PD_GRP_Y * k.part;
    const pd_u32 end = TENSOR_DEPTH - begin < k.part ? TENSOR_DEPTH : begin + k.part;
    const pd_u32 steps = (end - begin + TENSOR_BLOCK - 1u) / TENSOR_BLOCK;
    const pd_i64 a0 = TENSOR_FIRST(0u) + TENSOR_ON_BATCH(the_batch, 0u);
    const pd_i64 b0 = TENSOR_FIRST(1u) + TENSOR_ON_BATCH(the_batch, 1u);
    tensor_real next_a_re[TENSOR_LOADS], next_b_re[TENSOR_LOADS];
    tensor_real sum_re[TENSOR_RM * TENSOR_RN];
#if PD_TENSOR_A_PARTS == 2
    tensor_real next_a_im[TENSOR_LOADS];
#endif
#if PD_TENSOR_B_PARTS == 2
    tensor_real next_b_im[TENSOR_LOADS];
#endif
#if PD_TENSOR_A_PARTS == 2 || PD_TENSOR_B_PARTS == 2
    tensor_real sum_im[TENSOR_RM * TENSOR_RN];
#endif
#if PD_TENSOR_GAUSS
    tensor_real sum_both[TENSOR_RM * TENSOR_RN]; // (a_re + a_im)(b_re + b_im)
#endif
    pd_i32 a_line[TENSOR_LOADS], b_line[TENSOR_LOADS], other;
    pd_u32 a_place[TENSOR_LOADS], b_place[TENSOR_LOADS]; // sum << 16 | in local memory
    pd_u32 i, j, step, kk;
    (void)shape; // read when GENERAL, and of groups
    (void)the_batch;
    TENSOR_UNROLL
    for (i = 0u; i < TENSOR_RM * TENSOR_RN; i++) {
        sum_re[i] = TENSOR_ZERO;
#if PD_TENSOR_A_PARTS == 2 || PD_TENSOR_B_PARTS == 2
        sum_im[i] = TENSOR_ZERO;
#endif
#if PD_TENSOR_GAUSS
        sum_both[i] = TENSOR_ZERO;
#endif
    }
    TENSOR_UNROLL
    for (i = 0u; i < TENSOR_LOADS; i++) {
        const pd_u32 e = item + i * TENSOR_ITEMS;
        const pd_u32 a_sum = k.flags & TENSOR_A_ALONG ? e % TENSOR_BLOCK : e / TENSOR_TILE;
        const pd_u32 b_sum = k.flags & TENSOR_B_ALONG ? e % TENSOR_BLOCK : e / TENSOR_TILE;
        const pd_u32 row = k.flags & TENSOR_A_ALONG ? e / TENSOR_BLOCK : e % TENSOR_TILE;
        const pd_u32 column = k.flags & TENSOR_B_ALONG ? e / TENSOR_BLOCK : e % TENSOR_TILE;
        // A line outside stands at a place of the sum that is never reached: its numbers are 0.
        a_place[i] = (row0 + row < TENSOR_ALL_ROWS ? a_sum << 16 : 0x80000000u) |
                     (local0 + a_sum * TENSOR_PITCH + row);
        b_place[i] = (column0 + column < TENSOR_ALL_COLUMNS ? b_sum << 16 : 0x80000000u) |
                     (local0 + b_sum * TENSOR_PITCH + column);
        TENSOR_ON_ROW(row0 + row, &a_line[i], &other);
        TENSOR_ON_COLUMN(column0 + column, &b_line[i], &other);
    }
    for (step = 0u; step <= steps; step++) {
        const pd_u32 base = begin + step * TENSOR_BLOCK, left = step < steps ? end - base : 0u;
        const pd_u32 depth = left < TENSOR_BLOCK ? left : TENSOR_BLOCK;
        TENSOR_UNROLL
        for (i = 0u; i < TENSOR_LOADS; i++) {
            const pd_u32 a_sum = a_place[i] >> 16, b_sum = b_place[i] >> 16;
            pd_i32 at, skip;
            next_a_re[i] = TENSOR_ZERO;
            next_b_re[i] = TENSOR_ZERO;
#if PD_TENSOR_A_PARTS == 2
            next_a_im[i] = TENSOR_ZERO;
#endif
#if PD_TENSOR_B_PARTS == 2
            next_b_im[i] = TENSOR_ZERO;
#endif
            if (a_sum < depth) {
                TENSOR_ON_SUM(base + a_sum, &at, &skip);
                next_a_re[i] = a[(a0 + a_line[i] + at) * PD_TENSOR_A_PARTS];
#if PD_TENSOR_A_PARTS == 2
                next_a_im[i] = a[(a0 + a_line[i] + at) * 2 + 1];
                if (k.flags & TENSOR_CONJ_A) next_a_im[i] = -next_a_im[i];
#endif
            }
            if (b_sum < depth) {
                TENSOR_ON_SUM(base + b_sum, &skip, &at);
                next_b_re[i] = b[(b0 + b_line[i] + at) * PD_TENSOR_B_PARTS];
#if PD_TENSOR_B_PARTS == 2
                next_b_im[i] = b[(b0 + b_line[i] + at) * 2 + 1];
                if (k.flags & TENSOR_CONJ_B) next_b_im[i] = -next_b_im[i];
#endif
            }
        }
#if PD_IS_CUDA
        _Pragma("unroll 4") // the next numbers are read while these are added; 162 registers
#endif
        for (kk = 0u; kk < (step > 0u ? TENSOR_BLOCK : 0u); kk++) {
            const pd_u32 at = local0 + kk * TENSOR_PITCH;
            tensor_real br[TENSOR_RN];
#if PD_TENSOR_B_PARTS == 2
            tensor_real bi[TENSOR_RN];
#endif
            TENSOR_UNROLL
            for (j = 0u; j < TENSOR_RN; j++) {
                br[j] = b_re[at + TENSOR_COLUMN_OF(j)];
#if PD_TENSOR_B_PARTS == 2
                bi[j] = b_im[at + TENSOR_COLUMN_OF(j)];
#endif
            }
            TENSOR_UNROLL
            for (i = 0u; i < TENSOR_RM; i++) {
                const tensor_real ar = a_re[at + TENSOR_ROW_OF(i)];
#if PD_TENSOR_A_PARTS == 2
                const tensor_real ai = a_im[at + TENSOR_ROW_OF(i)];
#endif
                TENSOR_UNROLL
                for (j = 0u; j < TENSOR_RN; j++) {
                    const pd_u32 r = i * TENSOR_RN + j;
                    sum_re[r] = TENSOR_FMA(ar, br[j], sum_re[r]);
#if PD_TENSOR_GAUSS
                    sum_im[r] = TENSOR_FMA(ai, bi[j], sum_im[r]);
                    sum_both[r] = TENSOR_FMA(ar + ai, br[j] + bi[j], sum_both[r]);
#elif PD_TENSOR_A_PARTS == 2 && PD_TENSOR_B_PARTS == 2
                    sum_re[r] = TENSOR_FMA(-ai, bi[j], sum_re[r]);
                    sum_im[r] = TENSOR_FMA(ar, bi[j], sum_im[r]);
                    sum_im[r] = TENSOR_FMA(ai, br[j], sum_im[r]);
#elif PD_TENSOR_A_PARTS == 2
                    sum_im[r] = TENSOR_FMA(ai, br[j], sum_im[r]);
#elif PD_TENSOR_B_PARTS == 2
                    sum_im[r] = TENSOR_FMA(ar, bi[j], sum_im[r]);
#endif
                }
            }
        }
        PD_BARRIER();
        if (step < steps) {
            TENSOR_UNROLL
            for (i = 0u; i < TENSOR_LOADS; i++) {
                a_re[a_place[i] & 0xffffu] = next_a_re[i];
                b_re[b_place[i] & 0xffffu] = next_b_re[i];
#if PD_TENSOR_A_PARTS == 2
                a_im[a_place[i] & 0xffffu] = next_a_im[i];
#endif
#if PD_TENSOR_B_PARTS == 2
                b_im[b_place[i] & 0xffffu] = next_b_im[i];
#endif
            }
        }
        PD_BARRIER();
    }
    TENSOR_UNROLL
    for (i = 0u; i < TENSOR_RM; i++) {
        const pd_u32 row = row0 + TENSOR_ROW_OF(i);
        TENSOR_UNROLL
        for (j = 0u; j < TENSOR_RN; j++) {
            const pd_u32 column = column0 + TENSOR_COLUMN_OF(j), r = i * TENSOR_RN + j;
            pd_i32 c_row, c_column;
            pd_i64 at;
#if PD_TENSOR_GAUSS
            const tensor_real one = sum_re[r], two = sum_im[r];
            sum_re[r] = one - two;
            sum_im[r] = sum_both[r] - one - two;
#endif
            if (row >= TENSOR_ALL_ROWS || column >= TENSOR_ALL_COLUMNS) continue;
            if (k.flags & TENSOR_PARTIAL) {
                at = (pd_i64)((((pd_u64)PD_GRP_Y * k.batches + the_batch) * k.rows + row) *
                                  k.columns + column);
                c[at * TENSOR_C_PARTS] = sum_re[r];
#if PD_TENSOR_A_PARTS == 2 || PD_TENSOR_B_PARTS == 2
                c[at * 2 + 1] = sum_im[r];
#endif
                continue;
            }
            TENSOR_ON_ROW(row, &other, &c_row);
            TENSOR_ON_COLUMN(column, &other, &c_column);
            at = TENSOR_FIRST(2u) + TENSOR_ON_BATCH(the_batch, 2u) + c_row + c_column;
            TENSOR_STORE(c + at * TENSOR_C_PARTS, sum_re[r], sum_im[r]);
        }
    }
}

// c = alpha (part 0 + part 1 + ...) + beta c, the parts one after the other. `parts` is how many.
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

// Params are not indexed at run time: one driver does not survive compiling that.
#define TENSOR_WORD(i) \
    if ((i) < k.count) shape[k.at + (i)] = k.words[i];
#define TENSOR_WORDS(i)                                                                     \
    TENSOR_WORD(i) TENSOR_WORD(i + 1u) TENSOR_WORD(i + 2u) TENSOR_WORD(i + 3u) \
    TENSOR_WORD(i + 4u) TENSOR_WORD(i + 5u)

// Words of `shape`, from `at` on: what is known when a product is enqueued, without an upload.
PD_KERNEL(padic_k_tensor_shape)
(PD_BUF(pd_u32, shape), PD_PARAMS(padic_k_tensor_shape_params, k))
{
    if (PD_GID != 0u) return;
    TENSOR_WORDS(0u) TENSOR_WORDS(6u) TENSOR_WORDS(12u) TENSOR_WORDS(18u) TENSOR_WORDS(24u)
    TENSOR_WORDS(30u) TENSOR_WORDS(36u) TENSOR_WORDS(42u) TENSOR_WORDS(48u) TENSOR_WORDS(54u)
}
