// program: cuda_tensor_async
// texts: params.cu ../barrier.cu
// async.cu: complex matrix products on tensor cores that read local memory themselves (sm_90a:
// wgmma), for math SPLIT and TF32. A group stays on its multiprocessor and processes tile after
// tile of 128 x 128 results. Eight of its warps copy blocks of a and b through the strides, a block
// ahead and into the next tile, split the numbers and write the pieces to local memory; eight have
// the tensor cores multiply them. Arguments mean the same as for padic_k_tensor_product.
//
// arch: sm_90a
// variant: PD_TENSOR_VEC=2
// variant: PD_TENSOR_VEC=2 PD_TENSOR_A_ALONG=0 PD_TENSOR_B_ALONG=1
// variant: PD_TENSOR_PIECES=1
// variant: PD_TENSOR_A_ALONG=0 PD_TENSOR_B_ALONG=1
//
// A block has 32 places of the sum. A number x of a line of a block (of a row of a, of a column of
// b) is scaled by a power of two that brings the largest of its line to [2^13, 2^14), then split
// into two binary16 numbers, x = hi + lo, 11 bits each: as many as TF32 has, at twice its rate. A
// product is lo hi + hi lo + hi hi, in this order. Tensor cores truncate sums, so only a block is
// summed there; its sums, scaled back, are added to the totals by ordinary additions.
//
// Pieces in local memory: re hi, re lo, im hi, im lo of a block of a, 8 KiB each, then those of b;
// each has groups of 8 places, of 16 times 8 lines x 8 places, 128 bytes, in rows of 16 bytes per
// place or line, whichever runs slower in memory.
#ifndef PD_TENSOR_A_ALONG
#define PD_TENSOR_A_ALONG 1 // neighbours of a are contiguous along the sum
#endif
#ifndef PD_TENSOR_B_ALONG
#define PD_TENSOR_B_ALONG 0
#endif
#ifndef PD_DYNAMIC_BYTES
#define PD_DYNAMIC_BYTES 198720 // of local memory
#endif

#define ASYNC_STAGES 2u
#define ASYNC_PLANE 8192u
#define ASYNC_OPERAND (4u * ASYNC_PLANE)
#define ASYNC_STAGE (2u * ASYNC_OPERAND)
#define ASYNC_SCALES (ASYNC_STAGES * ASYNC_STAGE) // of a block of a, then of b: 1 KiB a stage
#define ASYNC_COMES (ASYNC_SCALES + ASYNC_STAGES * 1024u) // copy buffers: 8 KiB per warp
#define ASYNC_BARRIERS (ASYNC_COMES + 65536u)
#define ASYNC_READERS 8u // warps
#define ASYNC_LINES (8u * ASYNC_READERS)

#if defined(__CUDA_ARCH_FEAT_SM90_ALL)
// Copies 16 bytes, or 8, of which `bytes` exist and the others become 0.
PD_FN void async_copy(pd_u32 to, const float2 *from, pd_u32 bytes)
{
#if PD_TENSOR_VEC == 2
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(to), "l"(from), "r"(bytes)
                 : "memory");
#else
    asm volatile("cp.async.ca.shared.global [%0], [%1], 8, %2;" ::"r"(to), "l"(from), "r"(bytes)
                 : "memory");
#endif
}

// The layout of a lane's numbers in 8 lines and 32 places. along: it has places 2 (lane & 3) and
// the next one, then 8 further on, of line lane >> 2; otherwise lines 2 (lane & 3) and the next
// one, of place lane >> 2, then 8 further on.
template <bool along> PD_FN pd_u32 async_line(void)
{
    return along ? PD_LID >> 2 & 7u : (PD_LID & 3u) * 2u;
}

template <bool along> PD_FN pd_u32 async_place(void)
{
    return along ? (PD_LID & 3u) * 2u : PD_LID >> 2 & 7u;
}

// Starts the copy of a lane's numbers of 8 lines and 32 places `to` local memory. `line` and
// `place` are the lane's; the block exists as a whole, or not. Offsets within a batch have 31 bits,
// see the driver.
template <bool along, bool whole>
PD_FN void async_read(pd_u32 to, const float2 *batch, pd_u32 line, pd_u32 lines, pd_u32 place,
                      pd_u32 depth, pd_i32 line_step, pd_i32 sum_step)
{
    const pd_u32 at = line * (pd_u32)line_step + place * (pd_u32)sum_step;
#pragma unroll
    for (pd_u32 g = 0u; g < 4u; g++) {
        const bool fixed = along && PD_TENSOR_VEC == 2;
        const pd_u32 p = place + 8u * g, on = 8u * g;
        const float2 *const from = fixed ? batch + (pd_i32)at + on
                                         : batch + (pd_i32)(at + on * (pd_u32)sum_step);
        if (whole) {
            asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(to + g * 512u), "l"(from)
                         : "memory");
            continue;
        }
        const bool one = line < lines && p < depth;
        const bool two = along ? line < lines && p + 1u < depth : line + 1u < lines && p < depth;
#if PD_TENSOR_VEC == 2
        async_copy(to + g * 512u, from, two ? 16u : one ? 8u : 0u);
#else
        async_copy(to + g * 512u, from, one ? 8u : 0u);
        async_copy(to + g * 512u + 8u, from + (along ? sum_step : line_step), two ? 8u : 0u);
#endif
    }
}

// 2^(13 - exponent) for a number with this exponent; at most 2^126, also for 0. Numbers that are
// not finite stay so.
PD_FN pd_f32 async_scale(pd_u32 exponent)
{
    const pd_u32 biased = 267u - exponent;
    return PD_AS_F32((biased > 253u ? 253u : biased) << 23);
}

PD_FN pd_f32 async_most(pd_f32 x, pd_f32 y)
{
    return fmaxf(fabsf(x), fabsf(y));
}

// The maximum of the own value and the one `distance` lanes away, for each half.
PD_FN pd_u32 async_over(pd_u32 x, pd_u32 distance)
{
    const pd_u32 y = __shfl_xor_sync(0xffffffffu, x, (int)distance);
    pd_u32 z;
    asm("max.u16x2 %0, %1, %2;" : "=r"(z) : "r"(x), "r"(y));
    return z;
}

PD_FN void async_store(pd_u32 to, pd_u32 word)
{
    asm volatile("st.shared.u32 [%0], %1;" ::"r"(to), "r"(word) : "memory");
}

// Splits two numbers into two binary16 numbers, x in the low half, and their remainders.
PD_FN void async_cut(pd_u32 to, pd_f32 x, pd_f32 y)
{
    pd_u32 hi;
    asm("cvt.rn.f16x2.f32 %0, %1, %2;" : "=r"(hi) : "f"(y), "f"(x));
    async_store(to, hi);
#if PD_TENSOR_PIECES == 2
    pd_f32 u, v;
    pd_u32 lo;
    asm("{ .reg .b16 l, h; mov.b32 {l, h}, %2; cvt.f32.f16 %0, l; cvt.f32.f16 %1, h; }"
        : "=f"(u), "=f"(v)
        : "r"(hi));
    u = x - u;
    v = y - v;
    asm("cvt.rn.f16x2.f32 %0, %1, %2;" : "=r"(lo) : "f"(v), "f"(u));
    async_store(to + ASYNC_PLANE, lo);
#endif
}

// The exponent of the largest of a lane's numbers; of two lines, in two halves.
template <bool along> PD_FN pd_u32 async_largest(const float4 *x)
{
    pd_f32 s = async_most(x[0].x, x[0].y), t = async_most(x[0].z, x[0].w);
#pragma unroll
    for (pd_u32 g = 1u; g < 4u; g++) {
        s = fmaxf(s, async_most(x[g].x, x[g].y));
        t = fmaxf(t, async_most(x[g].z, x[g].w));
    }
    return along ? PD_AS_U32(fmaxf(s, t)) >> 23 : PD_AS_U32(s) >> 23 | (PD_AS_U32(t) >> 23) << 16;
}

// Writes a lane's numbers as pieces `to` local memory, their scales to `scales`: 2^exponent of b,
// 2^(exponent - 26) of a, which together undo 2^13 twice. `both` are the exponents of the lines.
template <bool along, bool is_b>
PD_FN void async_write(const float4 *x, pd_u32 both, pd_u32 to, pd_u32 scales, pd_u32 sign)
{
    const pd_u32 lane = PD_LID & 31u;
    pd_f32 s, t;
    if (along) {
        s = t = async_scale(both);
    } else {
        s = async_scale(both & 0xffffu);
        t = async_scale(both >> 16);
    }
    if (along ? (lane & 3u) == 0u : lane < 4u) {
        const pd_u32 cell = scales + (along ? lane : lane * 8u);
        const pd_f32 less = is_b ? 1.0f : 1.490116119384765625e-8f; // 2^-26
        async_store(cell, PD_AS_U32(PD_AS_F32((267u << 23) - PD_AS_U32(s)) * less));
        if (!along)
            async_store(cell + 4u, PD_AS_U32(PD_AS_F32((267u << 23) - PD_AS_U32(t)) * less));
    }
    const pd_f32 s_im = PD_AS_F32(PD_AS_U32(s) ^ sign), t_im = PD_AS_F32(PD_AS_U32(t) ^ sign);
#pragma unroll
    for (pd_u32 g = 0u; g < 4u; g++) {
        async_cut(to + g * 2048u + lane * 4u, x[g].x * s, x[g].z * t);
        async_cut(to + g * 2048u + 2u * ASYNC_PLANE + lane * 4u, x[g].y * s_im, x[g].w * t_im);
    }
}

// The next read.
typedef struct {
    pd_u32 tile, place, a_line, b_line; // lines: of the lane
    bool a_whole, b_whole;              // no line of the tile is missing
    const float2 *a, *b;                // of the batch
} async_next;

PD_FN async_next async_tile(const pd_f32 *a, const pd_f32 *b, pd_u32 tile,
                            const padic_k_tensor_cores_params &k)
{
    const pd_u32 down = tile / k.tiles_across, batch = down / k.tiles_down, warp = PD_LID >> 5;
    async_next next;
    next.tile = tile;
    next.place = 0u;
    next.a_line = down % k.tiles_down * 128u + warp * 8u + async_line<PD_TENSOR_A_ALONG != 0>();
    next.b_line = tile % k.tiles_across * 128u + warp * 8u + async_line<PD_TENSOR_B_ALONG != 0>();
    next.a_whole = down % k.tiles_down * 128u + 128u <= k.rows;
    next.b_whole = tile % k.tiles_across * 128u + 128u <= k.columns;
    next.a = (const float2 *)a + (pd_i64)PD_U64(k.first[0], k.first[1]) +
             (pd_i64)((pd_u64)batch * PD_U64(k.batch[0], k.batch[1]));
    next.b = (const float2 *)b + (pd_i64)PD_U64(k.first[2], k.first[3]) +
             (pd_i64)((pd_u64)batch * PD_U64(k.batch[2], k.batch[3]));
    return next;
}

// A quarter of a warp's lines of a block: of a, of a, of b, of b.
template <pd_u32 quarter, bool whole>
PD_FN void async_ask_for(pd_u32 to, const async_next &next,
                         const padic_k_tensor_cores_params &k)
{
    const pd_u32 more = quarter % 2u * ASYNC_LINES;
    if (quarter < 2u)
        async_read<PD_TENSOR_A_ALONG != 0, whole>(
            to + quarter * 2048u, next.a, next.a_line + more, k.rows,
            next.place + async_place<PD_TENSOR_A_ALONG != 0>(), k.depth, k.a_row, k.a_sum);
    else
        async_read<PD_TENSOR_B_ALONG != 0, whole>(
            to + quarter * 2048u, next.b, next.b_line + more, k.columns,
            next.place + async_place<PD_TENSOR_B_ALONG != 0>(), k.depth, k.b_column, k.b_sum);
}

template <pd_u32 quarter>
PD_FN void async_ask(pd_u32 to, const async_next &next,
                     const padic_k_tensor_cores_params &k)
{
    const bool whole = PD_TENSOR_VEC == 2 && (quarter < 2u ? next.a_whole : next.b_whole) &&
                       next.place + 32u <= k.depth;
    if (next.tile < k.tiles && whole)
        async_ask_for<quarter, true>(to, next, k);
    else if (next.tile < k.tiles)
        async_ask_for<quarter, false>(to, next, k);
    asm volatile("cp.async.commit_group;" ::: "memory");
}

// A quarter has arrived and goes to local memory; that of the next block is requested.
template <pd_u32 quarter>
PD_FN void async_turn(pd_u32 comes, pd_u32 to, pd_u32 scales, const async_next &next,
                      const padic_k_tensor_cores_params &k)
{
    const bool is_b = quarter >= 2u;
    const bool along = (is_b ? PD_TENSOR_B_ALONG : PD_TENSOR_A_ALONG) != 0;
    const pd_u32 more = quarter % 2u * ASYNC_LINES;
    float4 x[4];
    pd_u32 m;
    asm volatile("cp.async.wait_group 3;" ::: "memory");
#pragma unroll
    for (pd_u32 g = 0u; g < 4u; g++)
        asm volatile("ld.shared.v4.f32 {%0, %1, %2, %3}, [%4];"
                     : "=f"(x[g].x), "=f"(x[g].y), "=f"(x[g].z), "=f"(x[g].w)
                     : "r"(comes + quarter * 2048u + g * 512u)
                     : "memory");
    m = async_largest<along>(x);
    async_ask<quarter>(comes, next, k); // its memory has been read
#pragma unroll
    for (pd_u32 d = along ? 1u : 4u; d < (along ? 4u : 32u); d *= 2u) m = async_over(m, d);
    async_write<along, is_b>(x, m, to + (is_b ? ASYNC_OPERAND : 0u) + more * 16u,
                             scales + (is_b ? 512u : 0u) + more * 4u,
                             is_b ? k.flags >> 1 << 31 : k.flags << 31);
}

// The reading warps.
PD_FN void async_reader(const pd_f32 *a, const pd_f32 *b, pd_u32 base,
                        const padic_k_tensor_cores_params &k)
{
    const pd_u32 warp = PD_LID >> 5, lane = PD_LID & 31u;
    const pd_u32 comes = base + ASYNC_COMES + warp * 8192u + lane * 16u;
    pd_u32 stage = 0u, parity = 1u;
    async_next next = async_tile(a, b, PD_GRP, k);
    async_ask<0u>(comes, next, k);
    async_ask<1u>(comes, next, k);
    async_ask<2u>(comes, next, k);
    async_ask<3u>(comes, next, k);
    while (next.tile < k.tiles) {
        const pd_u32 to = base + stage * ASYNC_STAGE + warp * 128u;
        const pd_u32 scales = base + ASYNC_SCALES + stage * 1024u + warp * 32u;
        next.place += 32u;
        if (next.place >= k.depth) next = async_tile(a, b, next.tile + PD_NGRP, k);
        cud_wait(base + ASYNC_BARRIERS + 8u * (ASYNC_STAGES + stage), parity);
        async_turn<0u>(comes, to, scales, next, k);
        async_turn<1u>(comes, to, scales, next, k);
        async_turn<2u>(comes, to, scales, next, k);
        async_turn<3u>(comes, to, scales, next, k);
        asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
        cud_arrive(base + ASYNC_BARRIERS + 8u * stage);
        if (++stage == ASYNC_STAGES) stage = 0u, parity ^= 1u;
    }
}

// The descriptor of local memory from `address` on for the tensor cores: places are 2048 bytes
// apart, lines 128.
PD_FN pd_u64 async_matrix(pd_u32 address)
{
    const pd_u64 places = 2048u >> 4, lines = 128u >> 4;
    return (address >> 4) | places << 16 | lines << 32;
}

#define ASYNC_8(d, i)                                                                            \
    "+f"(d[i]), "+f"(d[i + 1]), "+f"(d[i + 2]), "+f"(d[i + 3]), "+f"(d[i + 4]), "+f"(d[i + 5]), \
        "+f"(d[i + 6]), "+f"(d[i + 7])

// 64 rows of a, 128 columns of b, 16 places: sum = a b, or sum + or - a b.
template <bool begins, bool minus> PD_FN void async_multiply(pd_f32 *d, pd_u64 a, pd_u64 b)
{
    asm volatile("{\n\t"
                 ".reg .pred joins;\n\t"
                 "setp.ne.b32 joins, %66, 0;\n\t"
                 "wgmma.mma_async.sync.aligned.m64n128k16.f32.f16.f16 "
                 "{%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, "
                 "%16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31, "
                 "%32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47, "
                 "%48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, %61, %62, %63},"
                 " %64, %65, joins, %67, 1, %68, %69;\n\t"
                 "}"
                 : ASYNC_8(d, 0), ASYNC_8(d, 8), ASYNC_8(d, 16), ASYNC_8(d, 24), ASYNC_8(d, 32),
                   ASYNC_8(d, 40), ASYNC_8(d, 48), ASYNC_8(d, 56)
                 : "l"(a), "l"(b), "n"(begins ? 0 : 1), "n"(minus ? -1 : 1),
                   "n"(PD_TENSOR_A_ALONG ? 0 : 1), "n"(PD_TENSOR_B_ALONG ? 0 : 1));
}

// d = x y + w z or x y - w z of one block, x and w pieces of a.
template <bool minus>
PD_FN void async_block(pd_f32 *d, pd_u64 x, pd_u64 y, pd_u64 w, pd_u64 z)
{
    const pd_u64 lo = ASYNC_PLANE >> 4, next = 4096u >> 4; // 16 places on
    asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
#if PD_TENSOR_PIECES == 2
    async_multiply<true, false>(d, x + lo, y);
    async_multiply<false, minus>(d, w + lo, z);
    async_multiply<false, false>(d, x + lo + next, y + next);
    async_multiply<false, minus>(d, w + lo + next, z + next);
    async_multiply<false, false>(d, x, y + lo);
    async_multiply<false, minus>(d, w, z + lo);
    async_multiply<false, false>(d, x + next, y + lo + next);
    async_multiply<false, minus>(d, w + next, z + lo + next);
    async_multiply<false, false>(d, x, y);
#else
    (void)lo;
    async_multiply<true, false>(d, x, y);
#endif
    async_multiply<false, minus>(d, w, z);
    async_multiply<false, false>(d, x + next, y + next);
    async_multiply<false, minus>(d, w + next, z + next);
    asm volatile("wgmma.commit_group.sync.aligned;\n\twgmma.wait_group.sync.aligned 0;" ::
                     : "memory");
}

// A lane has of 8 columns 2 neighbours, of 2 rows 8 apart; then of the next 8 columns.
PD_FN void async_join(pd_f32 *total, const pd_f32 *sum, pd_f32 row, pd_f32 row8,
                      const float2 *column)
{
#pragma unroll
    for (pd_u32 n = 0u; n < 16u; n++) {
        const float2 y = column[4u * n];
        total[4u * n] = PD_FMA(sum[4u * n] * row, y.x, total[4u * n]);
        total[4u * n + 1u] = PD_FMA(sum[4u * n + 1u] * row, y.y, total[4u * n + 1u]);
        total[4u * n + 2u] = PD_FMA(sum[4u * n + 2u] * row8, y.x, total[4u * n + 2u]);
        total[4u * n + 3u] = PD_FMA(sum[4u * n + 3u] * row8, y.y, total[4u * n + 3u]);
    }
}

PD_FN float2 async_result(float2 sum, const pd_f32 *old,
                          const padic_k_tensor_cores_params &k)
{
    pd_f32 u = PD_AS_F32(k.scale[0]) * sum.x, v = PD_AS_F32(k.scale[0]) * sum.y;
    if (k.flags & TENSOR_ALPHA_IM) {
        u = PD_FMA(-PD_AS_F32(k.scale[2]), sum.y, u);
        v = PD_FMA(PD_AS_F32(k.scale[2]), sum.x, v);
    }
    if (k.flags & TENSOR_BETA) {
        const pd_f32 beta_re = PD_AS_F32(k.scale[4]), beta_im = PD_AS_F32(k.scale[6]);
        u = PD_FMA(beta_re, old[0], u);
        u = PD_FMA(-beta_im, old[1], u);
        v = PD_FMA(beta_re, old[1], v);
        v = PD_FMA(beta_im, old[0], v);
    }
    return make_float2(u, v);
}

// A lane's part of a tile.
PD_FN void async_results(pd_f32 *c, const pd_f32 *re, const pd_f32 *im, pd_u32 tile, pd_u32 in_row,
                         pd_u32 in_column, const padic_k_tensor_cores_params &k)
{
    const pd_u32 down = tile / k.tiles_across, row0 = down % k.tiles_down * 128u;
    const pd_u32 column0 = tile % k.tiles_across * 128u;
    float2 *const out =
        (float2 *)c + (pd_i64)PD_U64(k.first[4], k.first[5]) +
        (pd_i64)((pd_u64)(down / k.tiles_down) * PD_U64(k.batch[4], k.batch[5])) +
        (pd_i64)(pd_i32)(row0 + in_row) * k.c_row +
        (pd_i64)(pd_i32)(column0 + in_column) * k.c_column;
    if ((k.flags & (TENSOR_PAIRS | TENSOR_BETA | TENSOR_ALPHA_IM)) == TENSOR_PAIRS &&
        k.rows - row0 >= 128u && k.columns - column0 >= 128u) {
        const pd_f32 alpha = PD_AS_F32(k.scale[0]);
#pragma unroll
        for (pd_u32 i = 0u; i < 32u; i++) {
            const pd_u32 at = i % 16u * 4u + i / 16u * 2u;
            float4 *const to = (float4 *)(out + (i < 16u ? 0 : 8 * (pd_i64)k.c_row) + i % 16u * 8u);
            *to = make_float4(alpha * re[at], alpha * im[at], alpha * re[at + 1u],
                                alpha * im[at + 1u]);
        }
        return;
    }
#pragma unroll
    for (pd_u32 i = 0u; i < 64u; i++) {
        const pd_u32 on_row = (i / 2u) % 2u * 8u, on_column = i / 4u * 8u + i % 2u;
        float2 *const to =
            out + (pd_i64)(pd_i32)on_row * k.c_row + (pd_i64)(pd_i32)on_column * k.c_column;
        if (row0 + in_row + on_row < k.rows && column0 + in_column + on_column < k.columns)
            *to = async_result(make_float2(re[i], im[i]), &to->x, k);
    }
}

// The multiplying warps: 4 of them have 64 rows.
PD_FN void async_adder(pd_f32 *c, const pd_u8 *space, pd_u32 base,
                       const padic_k_tensor_cores_params &k)
{
    const pd_u32 half = __shfl_sync(0xffffffffu, (PD_LID >> 7) - 2u, 0);
    const pd_u32 warp = PD_LID >> 5 & 3u, lane = PD_LID & 31u;
    const pd_u32 in_row = half * 64u + warp * 16u + (lane >> 2), in_column = (lane & 3u) * 2u;
    pd_u32 stage = 0u, parity = 0u;
    for (pd_u32 tile = PD_GRP; tile < k.tiles; tile += PD_NGRP) {
        pd_f32 re[64], im[64], sum[64];
#pragma unroll
        for (pd_u32 i = 0u; i < 64u; i++) re[i] = im[i] = 0.0f;
        for (pd_u32 block = 0u; block < k.blocks; block++) {
            const pd_u64 x = async_matrix(base + stage * ASYNC_STAGE + half * 1024u);
            const pd_u64 y = async_matrix(base + stage * ASYNC_STAGE + ASYNC_OPERAND);
            const pd_u64 im_of = 2u * ASYNC_PLANE >> 4;
            const pd_f32 *const scale =
                (const pd_f32 *)(space + ASYNC_SCALES + stage * 1024u) + in_row;
            const float2 *const column =
                (const float2 *)(space + ASYNC_SCALES + stage * 1024u + 512u + in_column * 4u);
            cud_wait(base + ASYNC_BARRIERS + 8u * stage, parity);
            async_block<true>(sum, x, y, x + im_of, y + im_of);
            async_join(re, sum, scale[0], scale[8], column);
            async_block<false>(sum, x, y + im_of, x + im_of, y);
            async_join(im, sum, scale[0], scale[8], column);
            cud_arrive(base + ASYNC_BARRIERS + 8u * (ASYNC_STAGES + stage));
            if (++stage == ASYNC_STAGES) stage = 0u, parity ^= 1u;
        }
        async_results(c, re, im, tile, in_row, in_column, k);
    }
}
#endif

PD_KERNEL_MIN(padic_k_cuda_tensor_async_product, 512, 1)
(PD_CBUF(pd_f32, a), PD_CBUF(pd_f32, b), PD_BUF(pd_f32, c),
 PD_PARAMS(padic_k_tensor_cores_params, k))
{
#if defined(__CUDA_ARCH_FEAT_SM90_ALL)
    extern __shared__ __align__(128) pd_u8 async_space[];
    const pd_u32 base = (pd_u32)__cvta_generic_to_shared(async_space);
    if (PD_LID < ASYNC_STAGES) {
        cud_begin(base + ASYNC_BARRIERS + 8u * PD_LID, 32u * ASYNC_READERS); // has come
        cud_begin(base + ASYNC_BARRIERS + 8u * (ASYNC_STAGES + PD_LID), 256u); // has been added
    }
    __syncthreads();
    if (PD_LID < 32u * ASYNC_READERS) {
        asm volatile("setmaxnreg.dec.sync.aligned.u32 48;");
        async_reader(a, b, base, k);
    } else {
        asm volatile("setmaxnreg.inc.sync.aligned.u32 208;");
        async_adder(c, async_space, base, k);
    }
#else
    (void)a, (void)b, (void)c, (void)k; // the driver only builds for sm_90
#endif
}
