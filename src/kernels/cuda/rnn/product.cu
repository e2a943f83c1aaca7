// program: cuda_rnn_product
// texts: ../../rnn/cell.cl ../../rnn/place.cl split.cu
// product.cu: rows times weights, x W^T + b of many steps, by tensor cores: the twin of
// padic_k_rnn_product. A group has 128 rows and 64 columns of the product, a warp 32 by 32; the
// parts of 32 columns of x and W are in local memory, the next ones on their way.
//
// arch: sm_80
// variant: PD_RNN_W=1
// variant: PD_RNN_W=2
// variant: PD_RNN_W=3
#define CRP_X 20u // words of a row of x: 32 columns
#define CRP_W 36u // words of a column of W: 64 rows

// What a lane fetches: two columns of eight rows of x, 16 apart; two rows of four columns of W.
PD_FN void crp_fetch(const pd_f32 *x, const rnn_weight *weights, const pd_u32 *from, pd_f32 *u,
                     pd_f32 *v, pd_u32 d, pd_u32 column, const padic_k_rnn_product_params k)
{
    const pd_u32 deep = d + PD_LID % 16u * 2u;
#pragma unroll
    for (pd_u32 i = 0u; i < 8u; i++) {
        const pd_u32 on = from[i] != 0xffffffffu ? 1u : 0u, at = from[i] + deep * k.x_column;
        u[2u * i] = on && deep < k.depth ? x[at] : 0.0f;
        u[2u * i + 1u] = on && deep + 1u < k.depth ? x[at + k.x_column] : 0.0f;
    }
#pragma unroll
    for (pd_u32 i = 0u; i < 4u; i++) {
        const pd_u32 e = d + PD_LID / 32u + 8u * i, j = column + PD_LID % 32u * 2u;
        const pd_u32 at = k.w_at + j * k.w_row + e * k.w_column;
        v[2u * i] = e < k.depth && j < k.width ? RNN_VALUE(weights[at]) : 0.0f;
        v[2u * i + 1u] =
            e < k.depth && j + 1u < k.width ? RNN_VALUE(weights[at + k.w_row]) : 0.0f;
    }
}

PD_FN void crp_put(pd_u32 *a, pd_u32 *b, const pd_f32 *u, const pd_f32 *v)
{
#pragma unroll
    for (pd_u32 i = 0u; i < 8u; i++)
        crn_cut<3u, 128u * CRP_X>(u[2u * i], u[2u * i + 1u],
                                  a + (PD_LID / 16u + 16u * i) * CRP_X + PD_LID % 16u);
#pragma unroll
    for (pd_u32 i = 0u; i < 4u; i++)
        crn_cut<CRN_PARTS, 32u * CRP_W>(v[2u * i], v[2u * i + 1u],
                                        b + (PD_LID / 32u + 8u * i) * CRP_W + PD_LID % 32u);
}

// 16 columns of x and W: two tiles of rows, four of columns.
PD_FN void crp_sixteen(const pd_u32 *a, const pd_u32 *b, pd_f32 *sum, pd_u32 half)
{
    const pd_u32 lane = PD_LID % 32u, warp = PD_LID / 32u;
    const pd_u32 *from = a + (warp / 2u * 32u + lane % 16u) * CRP_X + half * 8u + lane / 16u * 4u;
    const pd_u32 *columns =
        b + (16u * half + lane % 16u) * CRP_W + warp % 2u * 16u + lane / 16u * 4u;
    pd_u32 w[8u * CRN_PARTS];
#pragma unroll
    for (pd_u32 p = 0u; p < CRN_PARTS; p++)
#pragma unroll
        for (pd_u32 t = 0u; t < 4u; t += 2u) {
            pd_u32 m[4];
            crn_turned_matrices(m, columns + p * 32u * CRP_W + t * 4u);
            w[2u * (t * CRN_PARTS + p)] = m[0];
            w[2u * (t * CRN_PARTS + p) + 1u] = m[1];
            w[2u * ((t + 1u) * CRN_PARTS + p)] = m[2];
            w[2u * ((t + 1u) * CRN_PARTS + p) + 1u] = m[3];
        }
#pragma unroll
    for (pd_u32 m = 0u; m < 2u; m++) {
        pd_u32 part[12];
#pragma unroll
        for (pd_u32 p = 0u; p < 3u; p++)
            crn_matrices(part + 4u * p, from + p * 128u * CRP_X + m * 16u * CRP_X);
        crn_multiply<4u>(sum + 16u * m, part, w);
    }
}

// One row of a lane's sums: two columns of each of four tiles.
PD_FN void crp_row_put(pd_f32 *out, const pd_u32 *lengths, const pd_f32 *bias, const pd_f32 *scale,
                       const pd_f32 *sum, pd_u32 m, pd_u32 column,
                       const padic_k_rnn_product_params k)
{
    const pd_u32 step = m / k.batch, row = m - step * k.batch, n = k.first + step;
    const pd_u32 length = rnn_product_length(lengths, row, k);
    const pd_u32 t = (k.turned & 2u) ? rnn_turned(n, length) : n;
    const pd_u32 to = k.out_at + t * k.out_time + row * k.out_row;
#pragma unroll
    for (pd_u32 i = 0u; i < 8u; i++) {
        const pd_u32 j = column + i / 2u * 8u + i % 2u;
        pd_f32 x = sum[i / 2u * 4u + i % 2u];
        if (j >= k.width) continue;
#if PD_RNN_W == 3
        x = x * scale[k.scale_at + j];
#endif
        if (k.bias) x = x + bias[k.bias_at + j];
        x = rnn_activate(x, k.flags, k.gain);
        out[to + j * k.out_column] = n < length ? x : 0.0f;
    }
}

PD_KERNEL_WG(padic_k_cuda_rnn_product_run, 256)
(PD_CBUF(pd_f32, x), PD_CBUF(rnn_weight, weights), PD_CBUF(pd_f32, bias), PD_CBUF(pd_f32, scale),
 PD_CBUF(pd_u32, lengths), PD_BUF(pd_f32, out), PD_PARAMS(padic_k_rnn_product_params, k))
{
    PD_LOCAL __align__(16) pd_u32 a[3u * 128u * CRP_X];
    PD_LOCAL __align__(16) pd_u32 b[CRN_PARTS * 32u * CRP_W];
    const pd_u32 row = PD_GRP * 128u, column = PD_GRP_Y * 64u, lane = PD_LID % 32u;
    pd_u32 from[8];
    pd_f32 sum[32], u[16], v[8];
#pragma unroll
    for (pd_u32 i = 0u; i < 32u; i++) sum[i] = 0.0f;
#pragma unroll
    for (pd_u32 i = 0u; i < 8u; i++) {
        const pd_u32 m = row + PD_LID / 16u + 16u * i;
        from[i] = m < k.rows ? rnn_product_from(lengths, m, k) : 0xffffffffu;
    }
    crp_fetch(x, weights, from, u, v, 0u, column, k);
    for (pd_u32 d = 0u; d < k.depth; d += 32u) {
        crp_put(a, b, u, v);
        PD_BARRIER();
        if (d + 32u < k.depth) crp_fetch(x, weights, from, u, v, d + 32u, column, k);
        crp_sixteen(a, b, sum, 0u);
        if (d + 16u < k.depth) crp_sixteen(a, b, sum, 1u);
        PD_BARRIER();
    }
#pragma unroll
    for (pd_u32 i = 0u; i < 4u; i++) { // tiles of rows, halves of them
        const pd_u32 m = row + PD_LID / 64u * 32u + 8u * i + lane / 4u;
        pd_f32 own[16];
#pragma unroll
        for (pd_u32 j = 0u; j < 16u; j++)
            own[j] = sum[16u * (i / 2u) + j / 4u * 4u + (i % 2u) * 2u + j % 2u];
        if (m < k.rows)
            crp_row_put(out, lengths, bias, scale, own, m,
                        column + PD_LID / 32u % 2u * 32u + lane % 4u * 2u, k);
    }
}
