// exact.cu: EXACT, the bits of padic_k_tensor_product. A group has 64 x 64 results, an item 8 x 4:
// pairs of rows 8 apart, neighbouring columns. Blocks of 16 places of the sum are copied from the
// strides to local memory while the previous one is added. The parts of b are separate, so that its
// columns alternate between both register banks: a multiply-add reads one number of each bank per
// cycle, and the third operand is that of the previous one.
#ifndef PD_TENSOR_CONJ
#define PD_TENSOR_CONJ 0 // 1: a or b is conjugated
#endif
#define EXACT_ITEMS 128u // 4 warps, 2 x 2, of 32 x 32 results each
#define EXACT_TILE 64u
#define EXACT_DEPTH 16u
#define EXACT_STAGES 2u
#define EXACT_A_PITCH 66u // numbers and parts of a line, padded against bank conflicts
#define EXACT_B_PITCH 68u
#define EXACT_A_PLANE (EXACT_DEPTH * EXACT_A_PITCH)
#define EXACT_B_PLANE (EXACT_DEPTH * EXACT_B_PITCH)
#define EXACT_SHARE (EXACT_TILE * EXACT_DEPTH / EXACT_ITEMS) // numbers copied by an item

// An item's share of the copy of each block: the offset of its first number, the step to the next
// one; which of them lie in the matrix.
typedef struct {
    const float2 *at;
    pd_i32 on;
    pd_u32 there;
} tensor_share;

// `from` is the tile's first number, `most` the number of lines from there on.
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

// 8 bytes, or 4 and 4 that are `apart` bytes apart; zeros if the number does not exist.
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

// A block that has `depth` places of rows of a or columns of b; it exists as a whole, or not.
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

// Adds one place of the sum. The second halves run backwards, so that each number is read from the
// bank that the previous one did not use.
PD_FN void tensor_exact_add(pd_f32 (*re)[4], pd_f32 (*im)[4], const float4 *x, const float4 &yr,
                            const float4 &yi)
{
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

// Adds a block, which is in local memory.
PD_FN void tensor_exact_block(pd_f32 (*re)[4], pd_f32 (*im)[4], const float2 *at_a,
                              const pd_f32 *at_b, pd_u32 flags)
{
    (void)flags;
#pragma unroll 1 // fewer registers, and of both banks
    for (pd_u32 place = 0u; place < EXACT_DEPTH; place++) {
        float4 x[4]; // two numbers each
        float4 yr = *(const float4 *)(at_b + place * EXACT_B_PITCH);
        float4 yi = *(const float4 *)(at_b + EXACT_B_PLANE + place * EXACT_B_PITCH);
#if PD_TENSOR_CONJ
        if (flags & TENSOR_CONJ_B) yi = make_float4(-yi.x, -yi.y, -yi.z, -yi.w);
#endif
#pragma unroll
        for (pd_u32 i = 0u; i < 4u; i++) {
            x[i] = *(const float4 *)(at_a + place * EXACT_A_PITCH + 8u * i);
#if PD_TENSOR_CONJ
            if (flags & TENSOR_CONJ_A) {
                x[i].y = -x[i].y;
                x[i].w = -x[i].w;
            }
#endif
        }
        tensor_exact_add(re, im, x, yr, yi);
    }
}

// An item's rows and columns start at row0 and column0.
PD_FN void tensor_exact_write(pd_f32 *c, const pd_f32 (*re)[4], const pd_f32 (*im)[4],
                              pd_u32 batch, pd_u32 row0, pd_u32 column0,
                              const padic_k_tensor_cores_params &k)
{
    float2 *const out = (float2 *)c + (pd_i64)PD_U64(k.first[4], k.first[5]) +
                        (pd_i64)((pd_u64)batch * PD_U64(k.batch[4], k.batch[5]));
#pragma unroll
    for (pd_u32 i = 0u; i < 8u; i++)
#pragma unroll
        for (pd_u32 j = 0u; j < 4u; j++) {
            const pd_u32 row = row0 + i / 2u * 8u + i % 2u, column = column0 + j;
            if (row >= k.rows || column >= k.columns) continue;
            tensor_write(out + (pd_i32)row * (pd_i64)k.c_row + (pd_i32)column * (pd_i64)k.c_column,
                         re[i][j], im[i][j], k);
        }
}

// An item's share of the copies of a and b, and the places of the sum not yet requested.
typedef struct {
    tensor_share a, b;
    pd_u32 left;
} tensor_ahead;

PD_FN tensor_ahead tensor_ahead_of(const pd_f32 *a, const pd_f32 *b, pd_u32 batch, pd_u32 row0,
                                   pd_u32 column0, const padic_k_tensor_cores_params &k)
{
    tensor_ahead next;
    next.a = tensor_share_of<PD_TENSOR_A_ALONG != 0>(
        (const float2 *)a + (pd_i64)PD_U64(k.first[0], k.first[1]) +
            (pd_i64)((pd_u64)batch * PD_U64(k.batch[0], k.batch[1])) +
            (pd_i32)row0 * (pd_i64)k.a_row,
        k.rows - row0, k.a_row, k.a_sum);
    next.b = tensor_share_of<PD_TENSOR_B_ALONG != 0>(
        (const float2 *)b + (pd_i64)PD_U64(k.first[2], k.first[3]) +
            (pd_i64)((pd_u64)batch * PD_U64(k.batch[2], k.batch[3])) +
            (pd_i32)column0 * (pd_i64)k.b_column,
        k.columns - column0, k.b_column, k.b_sum);
    next.left = k.depth;
    return next;
}

// Requests the next block, if there is one; inside: no line of the tile is missing.
PD_FN void tensor_ask(tensor_ahead *next, pd_u32 to_a, pd_u32 to_b, bool inside,
                      const padic_k_tensor_cores_params &k)
{
    if (next->left > 0u) {
        if (inside && next->left >= EXACT_DEPTH)
            tensor_copy_both<true>(to_a, to_b, next->a, next->b, next->left);
        else
            tensor_copy_both<false>(to_a, to_b, next->a, next->b, next->left);
        next->a.at += k.a_sum * (pd_i32)EXACT_DEPTH;
        next->b.at += k.b_sum * (pd_i32)EXACT_DEPTH;
        next->left = next->left < EXACT_DEPTH ? 0u : next->left - EXACT_DEPTH;
    }
    asm volatile("cp.async.commit_group;" ::: "memory");
}

PD_KERNEL_MIN(padic_k_cuda_tensor_exact, 128, 4)
(PD_CBUF(pd_f32, a), PD_CBUF(pd_f32, b), PD_BUF(pd_f32, c),
 PD_PARAMS(padic_k_tensor_cores_params, k))
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
    tensor_ahead next = tensor_ahead_of(a, b, batch, row0, column0, k);
    pd_f32 re[8][4], im[8][4];
#pragma unroll
    for (pd_u32 i = 0u; i < 32u; i++) re[i / 4u][i % 4u] = im[i / 4u][i % 4u] = 0.0f;
    pd_u32 stage = 0u; // the next one to request
    for (pd_u32 block = 0u; block < k.blocks + (EXACT_STAGES - 1u); block++) {
        if (block >= EXACT_STAGES - 1u) { // the block to be added is there
            asm volatile("cp.async.wait_group %0;" ::"n"(EXACT_STAGES - 2u) : "memory");
            __syncthreads();
        }
        tensor_ask(&next, base_a + stage * (EXACT_A_PLANE * 8u),
                   base_b + stage * (EXACT_B_PLANE * 8u), inside, k);
        stage = stage == EXACT_STAGES - 1u ? 0u : stage + 1u; // also the one being added
        if (block >= EXACT_STAGES - 1u)
            tensor_exact_block(re, im, block_a + stage * EXACT_A_PLANE + in_row,
                               block_b + stage * (2u * EXACT_B_PLANE) + in_column, k.flags);
    }
    tensor_exact_write(c, re, im, batch, row0 + in_row, column0 + in_column, k);
}
