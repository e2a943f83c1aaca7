// program: cuda_tensor
// tensor.cu: complex matrix products on NVIDIA's tensor cores (sm_80 and later), and, for math
// EXACT, on ordinary ones with copies that run ahead. Twins of padic_k_tensor_product; arguments
// mean the same.
//
// arch: sm_80
// variant: PD_TENSOR_VEC=2
// variant: PD_TENSOR_VEC=2 PD_TENSOR_A_ALONG=0 PD_TENSOR_B_ALONG=1
// variant: PD_TENSOR_PIECES=1
// variant: PD_TENSOR_GENERAL=1
// variant: PD_TENSOR_CONJ=1
// variant: PD_TENSOR_A_ALONG=0 PD_TENSOR_B_ALONG=1
//
// A number x of a row of a (or a column of b) is scaled by a power of two that brings the largest
// of its row to [2^13, 2^14), then cut in two binary16 numbers, x = hi + lo, 11 bits each: as many
// as TF32 has, at twice its rate. A product is lo hi + hi lo + hi hi, in this order. Tensor cores
// cut off what they add, so 16 places of the sum at a time are added there and the result joins the
// total by an ordinary addition.
//
// Three kernels: scales; pieces, written through the strides in the order in which the product
// wants them in local memory; the product, which copies blocks of pieces as they are. The fourth,
// _exact, stands at the end.
#ifndef PD_TENSOR_VEC
#define PD_TENSOR_VEC 1 // 2: neighbours are adjacent and pairs of them 16-byte aligned
#endif
#ifndef PD_TENSOR_PIECES
#define PD_TENSOR_PIECES 2 // 2: hi and lo; 1: hi alone
#endif
#ifndef PD_TENSOR_GENERAL
#define PD_TENSOR_GENERAL 0 // as in tensor.cl
#endif

#define TENSOR_ITEMS 128u // 4 warps, 2 x 2, of 64 x 32 results each
#define TENSOR_TILE_ROWS 128u
#define TENSOR_TILE_COLUMNS 64u
#define TENSOR_BLOCK 16u // of the sum

#define TENSOR_CONJ_A 1u
#define TENSOR_CONJ_B 2u
#define TENSOR_ALPHA_IM 32u
#define TENSOR_BETA 64u

typedef struct {
    pd_u32 rows, columns, depth, batches;
    pd_u32 tiles_down, tiles_across;
    pd_u32 part, flags;
    pd_u32 first[6];
    pd_u32 batch[6];
    pd_i32 a_row, a_sum, b_sum, b_column;
    pd_i32 c_row, c_column;
    pd_u32 axes[4];
    pd_u32 scale[8];
    pd_u32 scales_a, scales_b, scales_at; // scales of a batch of a, of b; where those of b begin
    pd_u32 from, count;                   // batches of this launch
    pd_u32 blocks, pieces_at;             // blocks of the sum; word where the pieces of b begin
    pd_u32 operand, along;                // for the pieces: 0 a, 1 b; neighbours along the sum
} padic_k_cuda_tensor_product_params;

typedef struct {
    pd_u32 lines, depth, batches; // lines: rows of a or columns of b
    pd_u32 operand;               // 0 a, 1 b
    pd_u32 along;                 // a warp reads along the sum; else an item has a line
    pd_u32 at;                    // first scale to write
    pd_u32 first[2], batch[2];
    pd_i32 line, sum; // steps of an only axis
    pd_u32 axes[4];
} padic_k_cuda_tensor_scale_params;

#if PD_TENSOR_GENERAL
PD_FN pd_i32 tensor_find(const pd_u32 *axis, pd_u32 axes, pd_u32 index, pd_u32 which)
{
    pd_i32 at = 0;
    for (pd_u32 i = axes; i > 0u; i--) {
        const pd_u32 size = axis[4u * i - 4u];
        at += (pd_i32)(index % size * axis[4u * i - 3u + which]);
        index /= size;
    }
    return at;
}

PD_FN pd_i64 tensor_find_batch(const pd_u32 *axis, pd_u32 axes, pd_u32 index, pd_u32 operand)
{
    pd_i64 at = 0;
    for (pd_u32 i = axes; i > 0u; i--) {
        const pd_u32 size = axis[8u * i - 8u], word = 8u * i - 7u + 2u * operand;
        at += (pd_i64)((pd_u64)(index % size) * PD_U64(axis[word], axis[word + 1u]));
        index /= size;
    }
    return at;
}

#define TENSOR_AXES_COLUMN (4u * k.axes[0])
#define TENSOR_AXES_SUM (4u * (k.axes[0] + k.axes[1]))
#define TENSOR_AXES_BATCH (4u * (k.axes[0] + k.axes[1] + k.axes[2]))
#define TENSOR_ROW(i, which) tensor_find(shape, k.axes[0], i, which)
#define TENSOR_COLUMN(i, which) tensor_find(shape + TENSOR_AXES_COLUMN, k.axes[1], i, which)
#define TENSOR_SUM(i, which) tensor_find(shape + TENSOR_AXES_SUM, k.axes[2], i, which)
#define TENSOR_BATCH(i, operand) \
    tensor_find_batch(shape + TENSOR_AXES_BATCH, k.axes[3], i, operand)
#else
#define TENSOR_ROW(i, which) ((pd_i32)((i) * (pd_u32)((which) ? k.c_row : k.a_row)))
#define TENSOR_COLUMN(i, which) ((pd_i32)((i) * (pd_u32)((which) ? k.c_column : k.b_column)))
#define TENSOR_SUM(i, which) ((pd_i32)((i) * (pd_u32)((which) ? k.b_sum : k.a_sum)))
#define TENSOR_BATCH(i, operand) \
    ((pd_i64)((pd_u64)(i) * PD_U64(k.batch[2u * (operand)], k.batch[2u * (operand) + 1u])))
#endif

// Scales of the lines of a or b: 2^(13 - exponent of the largest part); 1 for a line of zeros and
// one that is not finite.
PD_FN pd_f32 tensor_scale_of(pd_u32 largest)
{
    const pd_u32 exponent = largest >> 23;
    pd_u32 biased = 267u - exponent;
    if (exponent == 0u || exponent == 255u) biased = 127u;
    return PD_AS_F32((biased > 253u ? 253u : biased) << 23);
}

PD_KERNEL_WG(padic_k_cuda_tensor_scale, 128)
(PD_CBUF(pd_f32, x), PD_CBUF(pd_u32, shape), PD_BUF(pd_f32, scale),
 PD_PARAMS(padic_k_cuda_tensor_scale_params, k))
{
    const pd_u32 lane = PD_LID & 31u, warp = PD_LID >> 5;
    const pd_u32 number = k.along ? PD_GRP * 4u + warp : PD_GRP * 128u + PD_LID;
    const pd_u32 batch = number / k.lines, line = number % k.lines;
    const pd_u32 step = k.along ? 32u : 1u;
    pd_u32 largest = 0u;
    if (batch >= k.batches) return; // no barrier follows; a warp leaves whole when it reads along
#if PD_TENSOR_GENERAL
    const pd_u32 *sums = shape + TENSOR_AXES_SUM;
    const pd_i64 origin = (pd_i64)PD_U64(k.first[0], k.first[1]) +
                          TENSOR_BATCH(batch, k.operand) +
                          (k.operand ? TENSOR_COLUMN(line, 0u) : TENSOR_ROW(line, 0u));
#else
    const pd_i64 origin = (pd_i64)PD_U64(k.first[0], k.first[1]) +
                          (pd_i64)((pd_u64)batch * PD_U64(k.batch[0], k.batch[1])) +
                          (pd_i32)(line * (pd_u32)k.line);
    (void)shape;
#endif
#pragma unroll 8
    for (pd_u32 i = k.along ? lane : 0u; i < k.depth; i += step) {
#if PD_TENSOR_GENERAL
        const pd_i32 at = tensor_find(sums, k.axes[2], i, k.operand);
#else
        const pd_i32 at = (pd_i32)(i * (pd_u32)k.sum);
#endif
        const float2 v = ((const float2 *)x)[origin + at];
        const pd_u32 re = PD_AS_U32(v.x) & 0x7fffffffu, im = PD_AS_U32(v.y) & 0x7fffffffu;
        largest = largest > re ? largest : re;
        largest = largest > im ? largest : im;
    }
    if (k.along) {
        for (pd_u32 d = 16u; d > 0u; d >>= 1) {
            const pd_u32 other = __shfl_xor_sync(0xffffffffu, largest, (int)d);
            largest = largest > other ? largest : other;
        }
        if (lane) return;
    }
    scale[k.at + number] = tensor_scale_of(largest);
}

PD_FN void tensor_copy(pd_u32 to, const pd_u32 *from)
{
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(to), "l"(from) : "memory");
}

// Two numbers to two binary16 numbers, x in the low half, and what they leave over.
PD_FN void tensor_cut(pd_f32 x, pd_f32 y, pd_u32 *hi, pd_u32 *lo)
{
    asm("cvt.rn.f16x2.f32 %0, %1, %2;" : "=r"(*hi) : "f"(y), "f"(x));
#if PD_TENSOR_PIECES == 2
    pd_f32 u, v;
    asm("{ .reg .b16 l, h; mov.b32 {l, h}, %2; cvt.f32.f16 %0, l; cvt.f32.f16 %1, h; }"
        : "=f"(u), "=f"(v)
        : "r"(*hi));
    u = x - u;
    v = y - v;
    asm("cvt.rn.f16x2.f32 %0, %1, %2;" : "=r"(*lo) : "f"(v), "f"(u));
#else
    *lo = 0u;
#endif
}

PD_FN void tensor_load(pd_u32 *r, pd_u32 address, pd_u32 turned)
{
    if (turned)
        asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
                     : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
                     : "r"(address)
                     : "memory");
    else
        asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                     : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
                     : "r"(address)
                     : "memory");
}

PD_FN void tensor_mma(pd_f32 *c, const pd_u32 *a, const pd_u32 *b)
{
    asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, "
                 "{%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
        : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}

// Pieces of one operand's part of a block: `lines` rows (columns) by 16 places of the sum, 32 lines
// words. Along: a line has 8 chunks of 16 bytes, re hi, re lo, im hi, im lo, 2 chunks each; else a
// place of the sum has 8 lines bytes, re hi of all lines, ... Chunks are permuted by the line (the
// place), so that 8 of them in 8 lines lie in different banks. An item has pairs of neighbours.
template <pd_u32 lines, bool along>
PD_FN void tensor_pieces(const pd_f32 *x, const pd_u32 *shape, const pd_f32 *scale, pd_u32 *pieces,
                         const padic_k_cuda_tensor_product_params &k)
{
    enum : pd_u32 {
        pairs = lines * TENSOR_BLOCK / 2u / TENSOR_ITEMS, // of an item
        apart = along ? TENSOR_ITEMS / 8u : 0u            // how far their lines are
    };
    const pd_u32 tiles = k.operand ? k.tiles_across : k.tiles_down;
    const pd_u32 most = k.operand ? k.columns : k.rows;
    const pd_u32 batch = k.from + PD_GRP / tiles;
    const pd_u32 line0 =
        PD_GRP % tiles * lines + (along ? PD_LID >> 3 : PD_LID % (lines / 2u) * 2u);
    const pd_u32 place0 =
        PD_GRP_Y * TENSOR_BLOCK + (along ? (PD_LID & 7u) * 2u : PD_LID / (lines / 2u));
    const pd_u32 sign = k.flags >> k.operand << 31; // TENSOR_CONJ_A, _B
    const pd_f32 *const from = x + 2 * ((pd_i64)PD_U64(k.first[2u * k.operand],
                                                       k.first[2u * k.operand + 1u]) +
                                        TENSOR_BATCH(batch, k.operand));
    const pd_u32 scale0 =
        k.operand ? k.scales_at + batch * k.scales_b : batch * k.scales_a;
    pd_u32 *const out = pieces + (k.operand ? k.pieces_at : 0u) +
                        (pd_u64)(PD_GRP * k.blocks + PD_GRP_Y) * (32u * lines);
    (void)shape;
#pragma unroll
    for (pd_u32 i = 0u; i < pairs; i++) {
        const pd_u32 line = line0 + i * apart, line1 = along ? line : line + 1u;
        const pd_u32 place = place0 + (along ? 0u : i * (2u * TENSOR_ITEMS / lines));
        const pd_u32 place1 = along ? place + 1u : place, in_tile = line % lines;
        const bool one = line < most && place < k.depth, two = line1 < most && place1 < k.depth;
        const pd_i64 at = (k.operand ? TENSOR_COLUMN(line, 0u) : TENSOR_ROW(line, 0u)) +
                          (pd_i64)TENSOR_SUM(place, k.operand);
        const pd_f32 s = line < most ? scale[scale0 + line] : 1.0f;
        const pd_f32 t = along ? s : line1 < most ? scale[scale0 + line1] : 1.0f;
        float4 v = make_float4(0.0f, 0.0f, 0.0f, 0.0f);
        pd_u32 piece[4], word;
        if (PD_TENSOR_VEC == 2 && one && two) {
            v = *(const float4 *)(from + 2 * at);
        } else {
            if (one) {
                const float2 u = *(const float2 *)(from + 2 * at);
                v.x = u.x;
                v.y = u.y;
            }
            if (two) {
                const pd_i64 next =
                    (k.operand ? TENSOR_COLUMN(line1, 0u) : TENSOR_ROW(line1, 0u)) +
                    (pd_i64)TENSOR_SUM(place1, k.operand);
                const float2 u = *(const float2 *)(from + 2 * next);
                v.z = u.x;
                v.w = u.y;
            }
        }
        tensor_cut(v.x * s, v.z * t, &piece[0], &piece[1]);
        tensor_cut(PD_AS_F32(PD_AS_U32(v.y) ^ (one ? sign : 0u)) * s,
                   PD_AS_F32(PD_AS_U32(v.w) ^ (two ? sign : 0u)) * t, &piece[2], &piece[3]);
#pragma unroll
        for (pd_u32 p = 0u; p < 4u; p += 3u - PD_TENSOR_PIECES) {
            const pd_u32 n = place % TENSOR_BLOCK, q = n >> 1;
            if (along)
                word = in_tile * 32u + (((p * 2u + (q >> 2)) ^ (in_tile & 7u)) << 2) + (q & 3u);
            else
                word = n * (lines * 2u) + p * (lines / 2u) +
                       (((in_tile >> 3) ^ (n & 7u)) << 2) + ((in_tile & 7u) >> 1);
            out[word] = piece[p];
        }
    }
}

// A group writes one block of one tile: x a tile of a batch, y a block.
PD_KERNEL_WG(padic_k_cuda_tensor_cut, 128)
(PD_CBUF(pd_f32, x), PD_CBUF(pd_u32, shape), PD_CBUF(pd_f32, scale), PD_BUF(pd_u32, pieces),
 PD_PARAMS(padic_k_cuda_tensor_product_params, k))
{
    if (k.operand == 0u) {
        if (k.along)
            tensor_pieces<TENSOR_TILE_ROWS, true>(x, shape, scale, pieces, k);
        else
            tensor_pieces<TENSOR_TILE_ROWS, false>(x, shape, scale, pieces, k);
    } else {
        if (k.along)
            tensor_pieces<TENSOR_TILE_COLUMNS, true>(x, shape, scale, pieces, k);
        else
            tensor_pieces<TENSOR_TILE_COLUMNS, false>(x, shape, scale, pieces, k);
    }
}

#ifndef PD_TENSOR_A_ALONG
#define PD_TENSOR_A_ALONG 1 // how the pieces of a lie in a block
#endif
#ifndef PD_TENSOR_B_ALONG
#define PD_TENSOR_B_ALONG 0
#endif

PD_KERNEL_WG(padic_k_cuda_tensor_product, 128)
(PD_CBUF(pd_u32, pieces), PD_BUF(pd_f32, c), PD_CBUF(pd_u32, shape), PD_CBUF(pd_f32, scale),
 PD_PARAMS(padic_k_cuda_tensor_product_params, k))
{
    PD_LOCAL __align__(128) pd_u32 cut_a[8192]; // two blocks each
    PD_LOCAL __align__(128) pd_u32 cut_b[4096];
    const pd_u32 lane = PD_LID & 31u, warp = PD_LID >> 5;
    const pd_u32 down = PD_GRP / k.tiles_across, local = down / k.tiles_down;
    const pd_u32 tile_a = (k.scales_a ? local * k.tiles_down : 0u) + down % k.tiles_down;
    const pd_u32 tile_b = (k.scales_b ? local * k.tiles_across : 0u) + PD_GRP % k.tiles_across;
    pd_u32 from_a = tile_a * k.blocks * 4096u + PD_LID * 4u; // words; there are less than 2^31
    pd_u32 from_b = k.pieces_at + tile_b * k.blocks * 2048u + PD_LID * 4u;
    const pd_u32 base_a = (pd_u32)__cvta_generic_to_shared(cut_a);
    const pd_u32 base_b = (pd_u32)__cvta_generic_to_shared(cut_b);
    const pd_u32 warp_row = (warp >> 1) * 64u, warp_column = (warp & 1u) * 32u;
    pd_f32 re[4][4][4], im[4][4][4];
    (void)shape;
#pragma unroll
    for (pd_u32 i = 0u; i < 64u; i++) re[i / 16u][i / 4u % 4u][i % 4u] = 0.0f;
#pragma unroll
    for (pd_u32 i = 0u; i < 64u; i++) im[i / 16u][i / 4u % 4u][i % 4u] = 0.0f;
    for (pd_u32 block = 0u; block <= k.blocks; block++) {
        // All have added block - 2, so block may go where that was; then block - 1 is added.
        asm volatile("cp.async.wait_group 0;" ::: "memory");
        __syncthreads();
        if (block < k.blocks) {
            const pd_u32 to_a = base_a + (block & 1u) * 16384u + PD_LID * 16u;
            const pd_u32 to_b = base_b + (block & 1u) * 8192u + PD_LID * 16u;
#pragma unroll
            for (pd_u32 i = 0u; i < 8u; i++)
                tensor_copy(to_a + i * 2048u, pieces + from_a + i * 512u);
#pragma unroll
            for (pd_u32 i = 0u; i < 4u; i++)
                tensor_copy(to_b + i * 2048u, pieces + from_b + i * 512u);
            asm volatile("cp.async.commit_group;" ::: "memory");
            from_a += 4096u;
            from_b += 2048u;
        }
        if (block == 0u) continue;
        const pd_u32 at_a = base_a + (block - 1u & 1u) * 16384u;
        const pd_u32 at_b = base_b + (block - 1u & 1u) * 8192u;
        pd_u32 b_piece[2][4][4]; // [16 columns][re hi, re lo, im hi, im lo]
#pragma unroll
        for (pd_u32 n = 0u; n < 2u; n++)
#pragma unroll
            for (pd_u32 p = 0u; p < 4u; p += 3u - PD_TENSOR_PIECES) {
                const pd_u32 column0b = warp_column + n * 16u;
                if (PD_TENSOR_B_ALONG) {
                    const pd_u32 l = column0b + (lane & 7u) + (lane >> 4) * 8u;
                    const pd_u32 chunk = p * 2u + (lane >> 3 & 1u);
                    tensor_load(b_piece[n][p], at_b + l * 128u + ((chunk ^ (l & 7u)) << 4), 0u);
                } else {
                    const pd_u32 place = (lane & 7u) + (lane >> 3 & 1u) * 8u;
                    const pd_u32 chunk = (column0b >> 3) + (lane >> 4);
                    tensor_load(b_piece[n][p],
                                at_b + place * 512u + p * 128u + ((chunk ^ (place & 7u)) << 4),
                                1u);
                }
            }
#pragma unroll
        for (pd_u32 m = 0u; m < 4u; m++) {
            pd_u32 a_piece[4][4];
            __syncwarp(); // the compiler moves nothing across: fewer registers
#pragma unroll
            for (pd_u32 p = 0u; p < 4u; p += 3u - PD_TENSOR_PIECES) {
                const pd_u32 row0a = warp_row + m * 16u;
                if (PD_TENSOR_A_ALONG) {
                    const pd_u32 l = row0a + (lane & 15u), chunk = p * 2u + (lane >> 4);
                    tensor_load(a_piece[p], at_a + l * 128u + ((chunk ^ (l & 7u)) << 4), 0u);
                } else {
                    const pd_u32 place = (lane & 7u) + (lane >> 4) * 8u;
                    const pd_u32 chunk = (row0a >> 3) + (lane >> 3 & 1u);
                    tensor_load(a_piece[p],
                                at_a + place * 1024u + p * 256u + ((chunk ^ (place & 7u)) << 4),
                                1u);
                }
            }
#pragma unroll
            for (pd_u32 n = 0u; n < 4u; n++) {
                const pd_u32 (*const y)[4] = b_piece[n >> 1];
                const pd_u32 h = (n & 1u) * 2u;
                pd_f32 t_re[4] = {0.0f, 0.0f, 0.0f, 0.0f}, t_im[4] = {0.0f, 0.0f, 0.0f, 0.0f};
                pd_f32 t_ii[4] = {0.0f, 0.0f, 0.0f, 0.0f}; // im im, subtracted below
#if PD_TENSOR_PIECES == 2
                tensor_mma(t_re, a_piece[1], y[0] + h);
                tensor_mma(t_ii, a_piece[3], y[2] + h);
                tensor_mma(t_im, a_piece[1], y[2] + h);
                tensor_mma(t_re, a_piece[0], y[1] + h);
                tensor_mma(t_ii, a_piece[2], y[3] + h);
                tensor_mma(t_im, a_piece[3], y[0] + h);
                tensor_mma(t_im, a_piece[0], y[3] + h);
                tensor_mma(t_im, a_piece[2], y[1] + h);
#endif
                tensor_mma(t_re, a_piece[0], y[0] + h);
                tensor_mma(t_ii, a_piece[2], y[2] + h);
                tensor_mma(t_im, a_piece[0], y[2] + h);
                tensor_mma(t_im, a_piece[2], y[0] + h);
#pragma unroll
                for (pd_u32 i = 0u; i < 4u; i++) {
                    re[m][n][i] += t_re[i] - t_ii[i];
                    im[m][n][i] += t_im[i];
                }
            }
        }
    }
    // What follows of numbers of group and item is computed again, not held in registers.
    pd_u32 group, item;
    asm volatile("mov.u32 %0, %%ctaid.x;" : "=r"(group));
    asm volatile("mov.u32 %0, %%tid.x;" : "=r"(item));
    const pd_u32 l = item & 31u, w = item >> 5;
    const pd_u32 batch = k.from + group / k.tiles_across / k.tiles_down;
    const pd_u32 row0 = group / k.tiles_across % k.tiles_down * TENSOR_TILE_ROWS;
    const pd_u32 column0 = group % k.tiles_across * TENSOR_TILE_COLUMNS;
    const pd_u32 scale_a = batch * k.scales_a, scale_b = k.scales_at + batch * k.scales_b;
    // Out through local memory, 16 rows of a warp at a time, so that a warp writes rows. Fragments:
    // numbers 0 and 1 lie in row lane / 4, columns lane % 4 * 2 and + 1; 2 and 3 are 8 rows on.
    const pd_i64 to_c = (pd_i64)PD_U64(k.first[4], k.first[5]) + TENSOR_BATCH(batch, 2u);
    const pd_f32 alpha_re = PD_AS_F32(k.scale[0]), alpha_im = PD_AS_F32(k.scale[2]);
    const pd_f32 beta_re = PD_AS_F32(k.scale[4]), beta_im = PD_AS_F32(k.scale[6]);
    const pd_u32 column = column0 + (w & 1u) * 32u + l;
    const pd_i64 to_column = to_c + TENSOR_COLUMN(column, 1u);
    // A scale is 2^s: its inverse has the exponent mirrored.
    const pd_f32 back_b =
        PD_AS_F32(0x7f000000u -
                  PD_AS_U32(column < k.columns ? scale[scale_b + column] : 1.0f));
    float2 *const stage = (float2 *)cut_a + w * (16u * 34u);
    __syncthreads(); // the last block has been added
#pragma unroll
    for (pd_u32 m = 0u; m < 4u; m++) {
        __syncwarp();
#pragma unroll
        for (pd_u32 n = 0u; n < 4u; n++)
#pragma unroll
            for (pd_u32 i = 0u; i < 4u; i++)
                stage[((i >> 1) * 8u + (l >> 2)) * 34u + n * 8u + (l & 3u) * 2u + (i & 1u)] =
                    make_float2(re[m][n][i], im[m][n][i]);
        __syncwarp();
#pragma unroll 1
        for (pd_u32 r = 0u; r < 16u; r++) {
            const pd_u32 row = row0 + (w >> 1) * 64u + m * 16u + r;
            if (row >= k.rows || column >= k.columns) break;
            const pd_f32 back_a = PD_AS_F32(0x7f000000u - PD_AS_U32(scale[scale_a + row]));
            const float2 sum = stage[r * 34u + l];
            // The smaller one first: the larger one might take the sum out of range.
            const pd_f32 first = back_a < back_b ? back_a : back_b;
            const pd_f32 second = back_a < back_b ? back_b : back_a;
            const pd_f32 x = sum.x * first * second, y = sum.y * first * second;
            float2 *const to = (float2 *)(c + 2 * (to_column + TENSOR_ROW(row, 1u)));
            pd_f32 u = alpha_re * x, v = alpha_re * y;
            if (k.flags & TENSOR_ALPHA_IM) {
                u = PD_FMA(-alpha_im, y, u);
                v = PD_FMA(alpha_im, x, v);
            }
            if (k.flags & TENSOR_BETA) {
                const float2 old = *to;
                u = PD_FMA(beta_re, old.x, u);
                u = PD_FMA(-beta_im, old.y, u);
                v = PD_FMA(beta_re, old.y, v);
                v = PD_FMA(beta_im, old.x, v);
            }
            *to = make_float2(u, v);
        }
    }
}

// ---- EXACT: the bits of padic_k_tensor_product. A group has 64 x 64 results, an item 8 x 4: pairs
// of rows 8 apart, neighbouring columns. Blocks of 16 places of the sum go straight from the
// strides to local memory while the one before is added. The parts of b lie apart, so that its
// columns come to registers of both banks in turn: a multiply-add reads one number of each bank in
// a cycle, and the third is that of the one before it.
#ifndef PD_TENSOR_CONJ
#define PD_TENSOR_CONJ 0 // 1: a or b is conjugated
#endif
#define EXACT_ITEMS 128u // 4 warps, 2 x 2, of 32 x 32 results each
#define EXACT_TILE 64u
#define EXACT_DEPTH 16u
#define EXACT_STAGES 2u
#define EXACT_A_PITCH 66u // numbers of a line, and parts: no bank is met twice
#define EXACT_B_PITCH 68u
#define EXACT_A_PLANE (EXACT_DEPTH * EXACT_A_PITCH)
#define EXACT_B_PLANE (EXACT_DEPTH * EXACT_B_PITCH)
#define EXACT_SHARE (EXACT_TILE * EXACT_DEPTH / EXACT_ITEMS) // numbers that an item copies

// What an item copies of each block: where its first number stands, how far the next one is; which
// of them lie in the matrix.
typedef struct {
    const float2 *at;
    pd_i32 on;
    pd_u32 there;
} tensor_share;

// `from` is the tile's first number, `most` how many lines there are from there on.
template <bool along>
PD_FN tensor_share tensor_share_of(const float2 *from, pd_u32 most, pd_i32 line_step,
                                   pd_i32 sum_step)
{
    const pd_u32 line = along ? PD_LID / EXACT_DEPTH : PD_LID % EXACT_TILE;
    const pd_u32 place = along ? PD_LID % EXACT_DEPTH : PD_LID / EXACT_TILE;
    tensor_share result; // 31 bits suffice, see the driver
    result.at = from + (pd_i32)(line * (pd_u32)line_step + place * (pd_u32)sum_step);
    result.on = along ? (pd_i32)(EXACT_ITEMS / EXACT_DEPTH * (pd_u32)line_step)
                      : (pd_i32)(EXACT_ITEMS / EXACT_TILE * (pd_u32)sum_step);
    result.there = 0u;
#pragma unroll
    for (pd_u32 i = 0u; i < EXACT_SHARE; i++)
        if (line + (along ? i * (EXACT_ITEMS / EXACT_DEPTH) : 0u) < most) result.there |= 1u << i;
    return result;
}

// 8 bytes, or 4 and 4 that are `apart` bytes apart; zeros when the number is not there.
template <pd_u32 apart> PD_FN void tensor_copy_number(pd_u32 to, const float2 *from, bool there)
{
    if (apart == 0u) {
        asm volatile("cp.async.ca.shared.global [%0], [%1], 8, %2;" ::"r"(to), "l"(from),
                     "r"(there ? 8u : 0u)
                     : "memory");
    } else {
        asm volatile("cp.async.ca.shared.global [%0], [%2], 4, %4;\n\t"
                     "cp.async.ca.shared.global [%1], [%3], 4, %4;" ::"r"(to),
                     "r"(to + apart), "l"(&from->x), "l"(&from->y), "r"(there ? 4u : 0u)
                     : "memory");
    }
}

// A block that has `depth` places of rows of a or columns of b; all of it is there, or not.
template <bool along, pd_u32 apart, bool whole>
PD_FN void tensor_copy_block(pd_u32 to, const tensor_share &share, pd_u32 depth)
{
    const pd_u32 line = along ? PD_LID / EXACT_DEPTH : PD_LID % EXACT_TILE;
    const pd_u32 place = along ? PD_LID % EXACT_DEPTH : PD_LID / EXACT_TILE;
    const pd_u32 size = apart ? 4u : 8u, pitch = apart ? EXACT_B_PITCH : EXACT_A_PITCH;
    const pd_u32 cell = to + (place * pitch + line) * size;
    const pd_u32 on = (along ? EXACT_ITEMS / EXACT_DEPTH : EXACT_ITEMS / EXACT_TILE * pitch) * size;
#pragma unroll
    for (pd_u32 i = 0u; i < EXACT_SHARE; i++)
        tensor_copy_number<apart>(
            cell + i * on, share.at + (pd_i64)i * share.on,
            whole || ((share.there >> i & 1u) != 0u &&
                      place + (along ? 0u : i * (EXACT_ITEMS / EXACT_TILE)) < depth));
}

template <bool whole>
PD_FN void tensor_copy_both(pd_u32 to_a, pd_u32 to_b, const tensor_share &share_a,
                            const tensor_share &share_b, pd_u32 depth)
{
    tensor_copy_block<PD_TENSOR_A_ALONG != 0, 0u, whole>(to_a, share_a, depth);
    tensor_copy_block<PD_TENSOR_B_ALONG != 0, 4u * EXACT_B_PLANE, whole>(to_b, share_b, depth);
}

PD_FN pd_f32 tensor_of(const float4 &v, pd_u32 i)
{
    return i == 0u ? v.x : i == 1u ? v.y : i == 2u ? v.z : v.w;
}

PD_KERNEL_MIN(padic_k_cuda_tensor_exact, 128, 4)
(PD_CBUF(pd_f32, a), PD_CBUF(pd_f32, b), PD_BUF(pd_f32, c),
 PD_PARAMS(padic_k_cuda_tensor_product_params, k))
{
    PD_LOCAL __align__(16) float2 block_a[EXACT_STAGES * EXACT_A_PLANE];
    PD_LOCAL __align__(16) pd_f32 block_b[EXACT_STAGES * 2u * EXACT_B_PLANE];
    const pd_u32 down = PD_GRP / k.tiles_across, batch = down / k.tiles_down;
    const pd_u32 row0 = down % k.tiles_down * EXACT_TILE;
    const pd_u32 column0 = PD_GRP % k.tiles_across * EXACT_TILE;
    const pd_u32 base_a = (pd_u32)__cvta_generic_to_shared(block_a);
    const pd_u32 base_b = (pd_u32)__cvta_generic_to_shared(block_b);
    const pd_u32 warp = PD_LID >> 5, lane = PD_LID & 31u;
    const pd_u32 in_row = (warp >> 1) * 32u + (lane >> 3) * 2u;
    const pd_u32 in_column = (warp & 1u) * 32u + (lane & 7u) * 4u;
    const bool inside = k.rows - row0 >= EXACT_TILE && k.columns - column0 >= EXACT_TILE;
    tensor_share share_a = tensor_share_of<PD_TENSOR_A_ALONG != 0>(
        (const float2 *)a + (pd_i64)PD_U64(k.first[0], k.first[1]) +
            (pd_i64)((pd_u64)batch * PD_U64(k.batch[0], k.batch[1])) +
            (pd_i32)row0 * (pd_i64)k.a_row,
        k.rows - row0, k.a_row, k.a_sum);
    tensor_share share_b = tensor_share_of<PD_TENSOR_B_ALONG != 0>(
        (const float2 *)b + (pd_i64)PD_U64(k.first[2], k.first[3]) +
            (pd_i64)((pd_u64)batch * PD_U64(k.batch[2], k.batch[3])) +
            (pd_i32)column0 * (pd_i64)k.b_column,
        k.columns - column0, k.b_column, k.b_sum);
    pd_f32 re[8][4], im[8][4];
#pragma unroll
    for (pd_u32 i = 0u; i < 32u; i++) re[i / 4u][i % 4u] = im[i / 4u][i % 4u] = 0.0f;
    pd_u32 left = k.depth; // of the sum, not yet asked for
    pd_u32 stage = 0u;     // that is asked for next
    for (pd_u32 block = 0u; block < k.blocks + (EXACT_STAGES - 1u); block++) {
        if (block >= EXACT_STAGES - 1u) { // what is added now has come, and all are ready for it
            asm volatile("cp.async.wait_group %0;" ::"n"(EXACT_STAGES - 2u) : "memory");
            __syncthreads();
        }
        if (left > 0u) {
            const pd_u32 to_a = base_a + stage * (EXACT_A_PLANE * 8u);
            const pd_u32 to_b = base_b + stage * (EXACT_B_PLANE * 8u);
            if (inside && left >= EXACT_DEPTH)
                tensor_copy_both<true>(to_a, to_b, share_a, share_b, left);
            else
                tensor_copy_both<false>(to_a, to_b, share_a, share_b, left);
            share_a.at += k.a_sum * (pd_i32)EXACT_DEPTH;
            share_b.at += k.b_sum * (pd_i32)EXACT_DEPTH;
            left = left < EXACT_DEPTH ? 0u : left - EXACT_DEPTH;
        }
        asm volatile("cp.async.commit_group;" ::: "memory");
        stage = stage == EXACT_STAGES - 1u ? 0u : stage + 1u; // the one that is added, too
        if (block < EXACT_STAGES - 1u) continue;
        const float2 *at_a = block_a + stage * EXACT_A_PLANE + in_row;
        const pd_f32 *at_b = block_b + stage * (2u * EXACT_B_PLANE) + in_column;
#pragma unroll 1 // fewer registers, and of both banks
        for (pd_u32 place = 0u; place < EXACT_DEPTH; place++) {
            float4 x[4]; // two numbers each
            float4 yr = *(const float4 *)(at_b + place * EXACT_B_PITCH);
            float4 yi = *(const float4 *)(at_b + EXACT_B_PLANE + place * EXACT_B_PITCH);
#if PD_TENSOR_CONJ
            if (k.flags & TENSOR_CONJ_B) yi = make_float4(-yi.x, -yi.y, -yi.z, -yi.w);
#endif
#pragma unroll
            for (pd_u32 i = 0u; i < 4u; i++) {
                x[i] = *(const float4 *)(at_a + place * EXACT_A_PITCH + 8u * i);
#if PD_TENSOR_CONJ
                if (k.flags & TENSOR_CONJ_A) {
                    x[i].y = -x[i].y;
                    x[i].w = -x[i].w;
                }
#endif
            }
#pragma unroll
            for (pd_u32 i = 0u; i < 8u; i++) {
                const pd_f32 xr = tensor_of(x[i / 2u], i % 2u * 2u);
                const pd_f32 xi = tensor_of(x[i / 2u], i % 2u * 2u + 1u);
#pragma unroll
                for (pd_u32 j = 0u; j < 4u; j++) {
                    re[i][j] = PD_FMA(xr, tensor_of(yr, j), re[i][j]);
                    im[i][j] = PD_FMA(xr, tensor_of(yi, j), im[i][j]);
                }
#pragma unroll
                for (pd_u32 j = 4u; j > 0u; j--) {
                    re[i][j - 1u] = PD_FMA(-xi, tensor_of(yi, j - 1u), re[i][j - 1u]);
                    im[i][j - 1u] = PD_FMA(xi, tensor_of(yr, j - 1u), im[i][j - 1u]);
                }
            }
        }
    }
    const pd_f32 alpha_re = PD_AS_F32(k.scale[0]), alpha_im = PD_AS_F32(k.scale[2]);
    const pd_f32 beta_re = PD_AS_F32(k.scale[4]), beta_im = PD_AS_F32(k.scale[6]);
    float2 *const out = (float2 *)c + (pd_i64)PD_U64(k.first[4], k.first[5]) +
                        (pd_i64)((pd_u64)batch * PD_U64(k.batch[4], k.batch[5]));
#pragma unroll
    for (pd_u32 i = 0u; i < 8u; i++)
#pragma unroll
        for (pd_u32 j = 0u; j < 4u; j++) {
            const pd_u32 row = row0 + in_row + i / 2u * 8u + i % 2u;
            const pd_u32 column = column0 + in_column + j;
            if (row >= k.rows || column >= k.columns) continue;
            float2 *const to =
                out + (pd_i32)row * (pd_i64)k.c_row + (pd_i32)column * (pd_i64)k.c_column;
            pd_f32 u = alpha_re * re[i][j], v = alpha_re * im[i][j];
            if (k.flags & TENSOR_ALPHA_IM) {
                u = PD_FMA(-alpha_im, im[i][j], u);
                v = PD_FMA(alpha_im, re[i][j], v);
            }
            if (k.flags & TENSOR_BETA) {
                const float2 old = *to;
                u = PD_FMA(beta_re, old.x, u);
                u = PD_FMA(-beta_im, old.y, u);
                v = PD_FMA(beta_re, old.y, v);
                v = PD_FMA(beta_im, old.x, v);
            }
            *to = make_float2(u, v);
        }
}
