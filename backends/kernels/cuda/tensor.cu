// tensor.cu: complex matrix products on NVIDIA's tensor cores (sm_80 and later). The twin of
// padic_k_tensor_product for math SPLIT and TF32; arguments mean the same.
//
// arch: sm_80
// variant: PD_TENSOR_A_ALONG=1 PD_TENSOR_B_ALONG=0 PD_TENSOR_VEC=2
// variant: PD_TENSOR_A_ALONG=0 PD_TENSOR_B_ALONG=1 PD_TENSOR_VEC=2
// variant: PD_TENSOR_A_ALONG=1 PD_TENSOR_B_ALONG=0 PD_TENSOR_VEC=2 PD_TENSOR_PIECES=1
// variant: PD_TENSOR_A_ALONG=0 PD_TENSOR_B_ALONG=0 PD_TENSOR_VEC=1 PD_TENSOR_GENERAL=1
//
// A number x of a row of a (or a column of b) is scaled by a power of two that brings the largest
// of its row to [2^13, 2^14), then cut in two binary16 numbers, x = hi + lo, 11 bits each: as many
// as TF32 has, at twice its rate. A product is lo hi + hi lo + hi hi, in this order. Tensor cores
// cut off what they add, so 16 places of the sum at a time are added there and the result joins the
// total by an ordinary addition.
#ifndef PD_TENSOR_A_ALONG
#define PD_TENSOR_A_ALONG 1 // neighbours in memory are neighbours along the sum; else along rows
#endif
#ifndef PD_TENSOR_B_ALONG
#define PD_TENSOR_B_ALONG 0 // the same for b and its columns
#endif
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
#define TENSOR_C_PAIRS 128u // two neighbours of a row of c are one aligned store

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

// A scale that is not to be held in a register: read anew each time.
PD_FN pd_f32 tensor_scale(const pd_f32 *at, pd_u32 inside)
{
    pd_f32 s = 1.0f;
    if (inside) asm volatile("ld.global.nc.f32 %0, [%1];" : "=f"(s) : "l"(at));
    return s;
}

PD_FN void tensor_copy(pd_u32 to, const pd_f32 *from, pd_u32 bytes, pd_u32 size)
{
    if (size == 16u)
        asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(to), "l"(from),
                     "r"(bytes)
                     : "memory");
    else
        asm volatile("cp.async.ca.shared.global [%0], [%1], 8, %2;" ::"r"(to), "l"(from),
                     "r"(bytes)
                     : "memory");
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

// One operand's part of a block: `lines` rows (columns) by 16 places of the sum. An item copies
// pairs of neighbours to its own slots of `raw`, and later cuts them from there to `cut`:
// along: a line has 128 bytes, 8 chunks of 16: re hi, re lo, im hi, im lo, 2 chunks each; else a
// place of the sum has 8 lines bytes, re hi of all lines, ... Chunks are permuted by the line (the
// place), so that 8 of them in 8 lines lie in different banks.
template <pd_u32 lines, bool along> struct tensor_side {
    enum : pd_u32 {
        pairs = lines * TENSOR_BLOCK / 2u / TENSOR_ITEMS, // of an item
        own = along ? pairs : 2u,                         // lines of an item
        apart = along ? TENSOR_ITEMS / 8u : 1u            // how far they are
    };
    pd_u32 scale; // number of the first one's
    pd_u32 valid; // a bit for each of these lines
#if PD_TENSOR_GENERAL
    pd_i32 offset[own]; // of these lines
#else
    pd_i32 offset[1], step; // of the first, and from line to line
#endif
    __device__ __forceinline__ pd_i32 at(pd_u32 i) const
    {
#if PD_TENSOR_GENERAL
        return offset[i];
#else
        return offset[0] + (pd_i32)i * step;
#endif
    }

    __device__ __forceinline__ pd_f32 scale_of(const pd_f32 *scales, pd_u32 i) const
    {
        return tensor_scale(scales + (scale + i * apart), valid >> i & 1u);
    }
    __device__ __forceinline__ pd_u32 line(pd_u32 i) const // own line i, counted in the tile
    {
        return (along ? PD_LID >> 3 : PD_LID % (lines / 2u) * 2u) + i * apart;
    }
    __device__ __forceinline__ pd_u32 place(pd_u32 i) const // in the sum, of pair i
    {
        return along ? (PD_LID & 7u) * 2u : PD_LID / (lines / 2u) + i * (2u * TENSOR_ITEMS / lines);
    }
    __device__ __forceinline__ void cut(const pd_u32 *raw, pd_u32 *cut, const pd_f32 *scales,
                                        pd_u32 sign) const
    {
#pragma unroll
        for (pd_u32 i = 0u; i < pairs; i++) {
            const float4 v = ((const float4 *)raw)[i * TENSOR_ITEMS + PD_LID];
            const pd_f32 s = scale_of(scales, along ? i : 0u);
            const pd_f32 t = along ? s : scale_of(scales, 1u);
            pd_u32 piece[4], word;
            tensor_cut(v.x * s, v.z * t, &piece[0], &piece[1]);
            tensor_cut(PD_AS_F32(PD_AS_U32(v.y) ^ sign) * s, PD_AS_F32(PD_AS_U32(v.w) ^ sign) * t,
                       &piece[2], &piece[3]);
#pragma unroll
            for (pd_u32 p = 0u; p < 4u; p += 3u - PD_TENSOR_PIECES) {
                if (along) {
                    const pd_u32 q = PD_LID & 7u, l = line(i);
                    word = l * 32u + (((p * 2u + (q >> 2)) ^ (l & 7u)) << 2) + (q & 3u);
                } else {
                    const pd_u32 l = line(0u), n = place(i);
                    word = n * (lines * 2u) + p * (lines / 2u) + (((l >> 3) ^ (n & 7u)) << 2) +
                           ((l & 7u) >> 1);
                }
                cut[word] = piece[p];
            }
            if (i & 1u) asm volatile("" ::: "memory"); // or all of raw is read ahead: registers
        }
    }
};

PD_KERNEL_WG(padic_k_cuda_tensor_product, 128)
(PD_CBUF(pd_f32, a), PD_CBUF(pd_f32, b), PD_BUF(pd_f32, c), PD_CBUF(pd_u32, shape),
 PD_CBUF(pd_f32, scale), PD_PARAMS(padic_k_cuda_tensor_product_params, k))
{
    PD_LOCAL __align__(128) pd_u32 raw_a[4096];
    PD_LOCAL __align__(128) pd_u32 raw_b[2048];
    PD_LOCAL __align__(128) pd_u32 cut_a[4096];
    PD_LOCAL __align__(128) pd_u32 cut_b[2048];
    const pd_u32 lane = PD_LID & 31u, warp = PD_LID >> 5;
    const pd_u32 down = PD_GRP / k.tiles_across, batch = down / k.tiles_down;
    const pd_u32 row0 = down % k.tiles_down * TENSOR_TILE_ROWS;
    const pd_u32 column0 = PD_GRP % k.tiles_across * TENSOR_TILE_COLUMNS;
    const pd_f32 *const from_a =
        a + 2 * ((pd_i64)PD_U64(k.first[0], k.first[1]) + TENSOR_BATCH(batch, 0u));
    const pd_f32 *const from_b =
        b + 2 * ((pd_i64)PD_U64(k.first[2], k.first[3]) + TENSOR_BATCH(batch, 1u));
    const pd_u32 scale_a = batch * k.scales_a, scale_b = k.scales_at + batch * k.scales_b;
    const pd_u32 sign_a = k.flags & TENSOR_CONJ_A ? 0x80000000u : 0u;
    const pd_u32 sign_b = k.flags & TENSOR_CONJ_B ? 0x80000000u : 0u;
    const pd_u32 to_a = (pd_u32)__cvta_generic_to_shared(raw_a) + PD_LID * 16u;
    const pd_u32 to_b = (pd_u32)__cvta_generic_to_shared(raw_b) + PD_LID * 16u;
    const pd_u32 at_a = (pd_u32)__cvta_generic_to_shared(cut_a);
    const pd_u32 at_b = (pd_u32)__cvta_generic_to_shared(cut_b);
    const pd_u32 warp_row = (warp >> 1) * 64u, warp_column = (warp & 1u) * 32u;
    tensor_side<TENSOR_TILE_ROWS, PD_TENSOR_A_ALONG> side_a;
    tensor_side<TENSOR_TILE_COLUMNS, PD_TENSOR_B_ALONG> side_b;
    pd_f32 re[4][4][4], im[4][4][4];
    (void)shape;
#pragma unroll
    for (pd_u32 i = 0u; i < 64u; i++) re[i / 16u][i / 4u % 4u][i % 4u] = 0.0f;
#pragma unroll
    for (pd_u32 i = 0u; i < 64u; i++) im[i / 16u][i / 4u % 4u][i % 4u] = 0.0f;
    side_a.valid = 0u;
    side_b.valid = 0u;
    side_a.scale = scale_a + row0 + side_a.line(0u);
    side_b.scale = scale_b + column0 + side_b.line(0u);
#if !PD_TENSOR_GENERAL
    side_a.offset[0] = TENSOR_ROW(row0 + side_a.line(0u), 0u);
    side_a.step = (pd_i32)side_a.apart * k.a_row;
    side_b.offset[0] = TENSOR_COLUMN(column0 + side_b.line(0u), 0u);
    side_b.step = (pd_i32)side_b.apart * k.b_column;
#endif
#pragma unroll
    for (pd_u32 i = 0u; i < side_a.own; i++) {
        const pd_u32 row = row0 + side_a.line(i);
        side_a.valid |= row < k.rows ? 1u << i : 0u;
#if PD_TENSOR_GENERAL
        side_a.offset[i] = TENSOR_ROW(row, 0u);
#endif
    }
#pragma unroll
    for (pd_u32 i = 0u; i < side_b.own; i++) {
        const pd_u32 column = column0 + side_b.line(i);
        side_b.valid |= column < k.columns ? 1u << i : 0u;
#if PD_TENSOR_GENERAL
        side_b.offset[i] = TENSOR_COLUMN(column, 0u);
#endif
    }
    // Two numbers of a pair: both of a line or both of a place of the sum. With VEC 2 they are
    // adjacent, and the one behind the end is left out.
#define TENSOR_COPY(side, to, from, along, which)                                                 \
    _Pragma("unroll") for (pd_u32 i = 0u; i < side.pairs; i++)                                    \
    {                                                                                             \
        const pd_u32 place = base + side.place(i), next = along ? place + 1u : place;             \
        const pd_u32 l0 = along ? i : 0u, l1 = along ? i : 1u;                                    \
        const pd_u32 one = place < k.depth && (side.valid >> l0 & 1u) ? 8u : 0u;                  \
        const pd_u32 two = next < k.depth && (side.valid >> l1 & 1u) ? 8u : 0u;                   \
        const pd_i32 x = side.at(l0) + TENSOR_SUM(place, which);                                   \
        if (PD_TENSOR_VEC == 2) {                                                                 \
            tensor_copy(to + i * 2048u, one ? from + 2 * (pd_i64)x : from, one + two, 16u);       \
        } else {                                                                                  \
            const pd_i32 y = side.at(l1) + (along     ? TENSOR_SUM(next, which)                   \
                                                      : TENSOR_SUM(place, which));                \
            tensor_copy(to + i * 2048u, one ? from + 2 * (pd_i64)x : from, one, 8u);              \
            tensor_copy(to + i * 2048u + 8u, two ? from + 2 * (pd_i64)y : from, two, 8u);         \
        }                                                                                         \
    }
#define TENSOR_COPY_BLOCK()                                             \
    TENSOR_COPY(side_a, to_a, from_a, PD_TENSOR_A_ALONG, 0u)            \
    TENSOR_COPY(side_b, to_b, from_b, PD_TENSOR_B_ALONG, 1u)            \
    asm volatile("cp.async.commit_group;" ::: "memory");
    pd_u32 base = 0u;
    TENSOR_COPY_BLOCK()
    for (pd_u32 block = 0u; block < k.depth; block += TENSOR_BLOCK) {
        asm volatile("cp.async.wait_group 0;" ::: "memory"); // an item reads what it copied itself
        __syncthreads();                                     // the block before has been added
        side_a.cut(raw_a, cut_a, scale, sign_a);
        side_b.cut(raw_b, cut_b, scale, sign_b);
        __syncthreads();
        base = block + TENSOR_BLOCK;
        if (base < k.depth) {
            TENSOR_COPY_BLOCK()
        }
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
    // Fragments: numbers 0 and 1 lie in row lane / 4, columns lane % 4 * 2 and + 1; 2 and 3 are 8
    // rows further down.
    const pd_i64 to_c = (pd_i64)PD_U64(k.first[4], k.first[5]) + TENSOR_BATCH(batch, 2u);
    const pd_f32 alpha_re = PD_AS_F32(k.scale[0]), alpha_im = PD_AS_F32(k.scale[2]);
    const pd_f32 beta_re = PD_AS_F32(k.scale[4]), beta_im = PD_AS_F32(k.scale[6]);
#pragma unroll
    for (pd_u32 m = 0u; m < 4u; m++)
#pragma unroll
        for (pd_u32 below = 0u; below < 2u; below++) {
            const pd_u32 row = row0 + warp_row + m * 16u + below * 8u + (lane >> 2);
            if (row >= k.rows) continue;
            // A scale is 2^s: its inverse has the exponent mirrored.
            const pd_f32 back_a =
                PD_AS_F32(0x7f000000u - PD_AS_U32(tensor_scale(scale + (scale_a + row), 1u)));
            const pd_i64 to_row = to_c + TENSOR_ROW(row, 1u);
#pragma unroll
            for (pd_u32 n = 0u; n < 4u; n++) {
                const pd_u32 column = column0 + warp_column + n * 8u + (lane & 3u) * 2u;
                pd_f32 out[4];
                pd_f32 *to[2];
#pragma unroll
                for (pd_u32 i = 0u; i < 2u; i++) {
                    const pd_u32 inside = column + i < k.columns ? 1u : 0u;
                    const pd_f32 of_b = tensor_scale(scale + (scale_b + column + i), inside);
                    const pd_f32 back_b = PD_AS_F32(0x7f000000u - PD_AS_U32(of_b));
                    const pd_f32 x = re[m][n][below * 2u + i] * back_a * back_b;
                    const pd_f32 y = im[m][n][below * 2u + i] * back_a * back_b;
                    pd_f32 u = alpha_re * x, v = alpha_re * y;
                    to[i] = c + 2 * (to_row + TENSOR_COLUMN(column + i, 1u));
                    if (k.flags & TENSOR_ALPHA_IM) {
                        u = PD_FMA(-alpha_im, y, u);
                        v = PD_FMA(alpha_im, x, v);
                    }
                    if ((k.flags & TENSOR_BETA) && inside) {
                        const float2 old = *(const float2 *)to[i];
                        u = PD_FMA(beta_re, old.x, u);
                        u = PD_FMA(-beta_im, old.y, u);
                        v = PD_FMA(beta_re, old.y, v);
                        v = PD_FMA(beta_im, old.x, v);
                    }
                    out[2u * i] = u;
                    out[2u * i + 1u] = v;
                }
                if ((k.flags & TENSOR_C_PAIRS) && column + 1u < k.columns) {
                    *(float4 *)to[0] = make_float4(out[0], out[1], out[2], out[3]);
                } else {
                    if (column < k.columns) *(float2 *)to[0] = make_float2(out[0], out[1]);
                    if (column + 1u < k.columns) *(float2 *)to[1] = make_float2(out[2], out[3]);
                }
            }
        }
}
