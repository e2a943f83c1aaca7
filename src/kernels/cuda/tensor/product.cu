// product.cu: the product of pieces on tensor cores.

PD_FN void tensor_copy(pd_u32 to, const pd_u32 *from)
{
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(to), "l"(from) : "memory");
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

// Copies a block of pieces to local memory.
PD_FN void tensor_copy_pieces(pd_u32 to_a, pd_u32 to_b, const pd_u32 *from_a, const pd_u32 *from_b)
{
#pragma unroll
    for (pd_u32 i = 0u; i < 8u; i++) tensor_copy(to_a + i * 2048u, from_a + i * 512u);
#pragma unroll
    for (pd_u32 i = 0u; i < 4u; i++) tensor_copy(to_b + i * 2048u, from_b + i * 512u);
    asm volatile("cp.async.commit_group;" ::: "memory");
}

// Pieces of 16 columns of b, from column0 on: re hi, re lo, im hi, im lo.
PD_FN void tensor_load_b(pd_u32 (*piece)[4], pd_u32 at_b, pd_u32 column0)
{
    const pd_u32 lane = PD_LID & 31u;
#pragma unroll
    for (pd_u32 p = 0u; p < 4u; p += 3u - PD_TENSOR_PIECES) {
        if (PD_TENSOR_B_ALONG) {
            const pd_u32 l = column0 + (lane & 7u) + (lane >> 4) * 8u;
            const pd_u32 chunk = p * 2u + (lane >> 3 & 1u);
            tensor_load(piece[p], at_b + l * 128u + ((chunk ^ (l & 7u)) << 4), 0u);
        } else {
            const pd_u32 place = (lane & 7u) + (lane >> 3 & 1u) * 8u;
            const pd_u32 chunk = (column0 >> 3) + (lane >> 4);
            tensor_load(piece[p], at_b + place * 512u + p * 128u + ((chunk ^ (place & 7u)) << 4),
                        1u);
        }
    }
}

// The same for 16 rows of a.
PD_FN void tensor_load_a(pd_u32 (*piece)[4], pd_u32 at_a, pd_u32 row0)
{
    const pd_u32 lane = PD_LID & 31u;
#pragma unroll
    for (pd_u32 p = 0u; p < 4u; p += 3u - PD_TENSOR_PIECES) {
        if (PD_TENSOR_A_ALONG) {
            const pd_u32 l = row0 + (lane & 15u), chunk = p * 2u + (lane >> 4);
            tensor_load(piece[p], at_a + l * 128u + ((chunk ^ (l & 7u)) << 4), 0u);
        } else {
            const pd_u32 place = (lane & 7u) + (lane >> 4) * 8u;
            const pd_u32 chunk = (row0 >> 3) + (lane >> 3 & 1u);
            tensor_load(piece[p], at_a + place * 1024u + p * 256u + ((chunk ^ (place & 7u)) << 4),
                        1u);
        }
    }
}

// Adds 16 rows times 8 columns, which are half h of those of y, to the totals.
PD_FN void tensor_multiply(pd_f32 *re, pd_f32 *im, const pd_u32 (*x)[4], const pd_u32 (*y)[4],
                           pd_u32 h)
{
    pd_f32 t_re[4] = {0.0f, 0.0f, 0.0f, 0.0f}, t_im[4] = {0.0f, 0.0f, 0.0f, 0.0f};
    pd_f32 t_ii[4] = {0.0f, 0.0f, 0.0f, 0.0f}; // im im, subtracted below
#if PD_TENSOR_PIECES == 2
    tensor_mma(t_re, x[1], y[0] + h);
    tensor_mma(t_ii, x[3], y[2] + h);
    tensor_mma(t_im, x[1], y[2] + h);
    tensor_mma(t_re, x[0], y[1] + h);
    tensor_mma(t_ii, x[2], y[3] + h);
    tensor_mma(t_im, x[3], y[0] + h);
    tensor_mma(t_im, x[0], y[3] + h);
    tensor_mma(t_im, x[2], y[1] + h);
#endif
    tensor_mma(t_re, x[0], y[0] + h);
    tensor_mma(t_ii, x[2], y[2] + h);
    tensor_mma(t_im, x[0], y[2] + h);
    tensor_mma(t_im, x[2], y[0] + h);
#pragma unroll
    for (pd_u32 i = 0u; i < 4u; i++) {
        re[i] += t_re[i] - t_ii[i];
        im[i] += t_im[i];
    }
}

// A warp adds a block: 64 rows of a times 32 columns of b.
PD_FN void tensor_add_block(pd_f32 (*re)[4][4], pd_f32 (*im)[4][4], pd_u32 at_a, pd_u32 at_b,
                            pd_u32 row0, pd_u32 column0)
{
    pd_u32 y[2][4][4];
#pragma unroll
    for (pd_u32 n = 0u; n < 2u; n++) tensor_load_b(y[n], at_b, column0 + n * 16u);
#pragma unroll
    for (pd_u32 m = 0u; m < 4u; m++) {
        pd_u32 x[4][4];
        __syncwarp(); // keeps the compiler from moving code across: fewer registers
        tensor_load_a(x, at_a, row0 + m * 16u);
#pragma unroll
        for (pd_u32 n = 0u; n < 4u; n++)
            tensor_multiply(re[m][n], im[m][n], x, y[n >> 1], (n & 1u) * 2u);
    }
}

// Scales back 16 rows of a warp's results, from row0 on, and writes them through local memory, so
// that a warp writes rows. Fragments: numbers 0 and 1 lie in row lane / 4, columns lane % 4 * 2 and
// + 1; 2 and 3 are 8 rows further. A scale is 2^s: its inverse has the exponent mirrored.
PD_FN void tensor_write_rows(pd_f32 *c, const pd_u32 *shape, const pd_f32 *scale,
                             const pd_f32 (*re)[4], const pd_f32 (*im)[4], float2 *stage,
                             pd_i64 to_column, pd_u32 row0, bool there, pd_f32 back_b, pd_u32 l,
                             const padic_k_tensor_cores_params &k)
{
    __syncwarp();
#pragma unroll
    for (pd_u32 n = 0u; n < 4u; n++)
#pragma unroll
        for (pd_u32 i = 0u; i < 4u; i++)
            stage[((i >> 1) * 8u + (l >> 2)) * 34u + n * 8u + (l & 3u) * 2u + (i & 1u)] =
                make_float2(re[n][i], im[n][i]);
    __syncwarp();
#pragma unroll 1
    for (pd_u32 r = 0u; r < 16u; r++) {
        const pd_u32 row = row0 + r;
        if (row >= k.rows || !there) break;
        const pd_f32 back_a = PD_AS_F32(0x7f000000u - PD_AS_U32(scale[row]));
        const float2 sum = stage[r * 34u + l];
        // The smaller one first: the larger one might overflow.
        const pd_f32 first = back_a < back_b ? back_a : back_b;
        const pd_f32 second = back_a < back_b ? back_b : back_a;
        tensor_write((float2 *)(c + 2 * (to_column + TENSOR_ROW(row, 1u))), sum.x * first * second,
                     sum.y * first * second, k);
    }
    (void)shape;
}

// Values of group and item are recomputed, not held in registers.
PD_FN void tensor_write_tile(pd_f32 *c, const pd_u32 *shape, const pd_f32 *scale,
                             const pd_f32 (*re)[4][4], const pd_f32 (*im)[4][4], pd_u32 *space,
                             const padic_k_tensor_cores_params &k)
{
    pd_u32 group, item;
    asm volatile("mov.u32 %0, %%ctaid.x;" : "=r"(group));
    asm volatile("mov.u32 %0, %%tid.x;" : "=r"(item));
    const pd_u32 l = item & 31u, w = item >> 5;
    const pd_u32 batch = k.from + group / k.tiles_across / k.tiles_down;
    const pd_u32 row0 = group / k.tiles_across % k.tiles_down * TENSOR_TILE_ROWS;
    const pd_u32 column0 = group % k.tiles_across * TENSOR_TILE_COLUMNS;
    const pd_u32 scale_a = batch * k.scales_a, scale_b = k.scales_at + batch * k.scales_b;
    const pd_i64 to_c = (pd_i64)PD_U64(k.first[4], k.first[5]) + TENSOR_BATCH(batch, 2u);
    const pd_u32 column = column0 + (w & 1u) * 32u + l;
    const pd_i64 to_column = to_c + TENSOR_COLUMN(column, 1u);
    const pd_f32 back_b =
        PD_AS_F32(0x7f000000u - PD_AS_U32(column < k.columns ? scale[scale_b + column] : 1.0f));
    float2 *const stage = (float2 *)space + w * (16u * 34u);
    __syncthreads(); // the last block has been added
#pragma unroll
    for (pd_u32 m = 0u; m < 4u; m++)
        tensor_write_rows(c, shape, scale + scale_a, re[m], im[m], stage, to_column,
                          row0 + (w >> 1) * 64u + m * 16u, column < k.columns, back_b, l, k);
}

PD_KERNEL_WG(padic_k_cuda_tensor_product, 128)
(PD_CBUF(pd_u32, pieces), PD_BUF(pd_f32, c), PD_CBUF(pd_u32, shape), PD_CBUF(pd_f32, scale),
 PD_PARAMS(padic_k_tensor_cores_params, k))
{
    PD_LOCAL __align__(128) pd_u32 cut_a[8192]; // two blocks each
    PD_LOCAL __align__(128) pd_u32 cut_b[4096];
    const pd_u32 warp = PD_LID >> 5;
    const pd_u32 down = PD_GRP / k.tiles_across, local = down / k.tiles_down;
    const pd_u32 tile_a = (k.scales_a ? local * k.tiles_down : 0u) + down % k.tiles_down;
    const pd_u32 tile_b = (k.scales_b ? local * k.tiles_across : 0u) + PD_GRP % k.tiles_across;
    pd_u32 from_a = tile_a * k.blocks * 4096u + PD_LID * 4u; // words; there are less than 2^31
    pd_u32 from_b = k.pieces_at + tile_b * k.blocks * 2048u + PD_LID * 4u;
    const pd_u32 base_a = (pd_u32)__cvta_generic_to_shared(cut_a);
    const pd_u32 base_b = (pd_u32)__cvta_generic_to_shared(cut_b);
    pd_f32 re[4][4][4], im[4][4][4];
#pragma unroll
    for (pd_u32 i = 0u; i < 64u; i++) re[i / 16u][i / 4u % 4u][i % 4u] = 0.0f;
#pragma unroll
    for (pd_u32 i = 0u; i < 64u; i++) im[i / 16u][i / 4u % 4u][i % 4u] = 0.0f;
    for (pd_u32 block = 0u; block <= k.blocks; block++) {
        // All have added block - 2, so block may replace it; then block - 1 is added.
        asm volatile("cp.async.wait_group 0;" ::: "memory");
        __syncthreads();
        if (block < k.blocks) {
            tensor_copy_pieces(base_a + (block & 1u) * 16384u + PD_LID * 16u,
                               base_b + (block & 1u) * 8192u + PD_LID * 16u, pieces + from_a,
                               pieces + from_b);
            from_a += 4096u;
            from_b += 2048u;
        }
        if (block > 0u)
            tensor_add_block(re, im, base_a + (block - 1u & 1u) * 16384u,
                             base_b + (block - 1u & 1u) * 8192u, (warp >> 1) * 64u,
                             (warp & 1u) * 32u);
    }
    tensor_write_tile(c, shape, scale, re, im, cut_a, k);
}
