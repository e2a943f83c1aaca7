// product.cl: rows times weights, x W^T + b of many steps.
//
// A group has 64 rows and 64 columns of the product, an item 4 by 4, sixteen steps of depth at a
// time in sums of their own.
#define RNN_SIDE 64u
#define RNN_DEEP 16u
#define RNN_PITCH 68u

PD_KERNEL_WG(padic_k_rnn_product, 256)
(PD_CBUF(pd_f32, x), PD_CBUF(rnn_weight, weights), PD_CBUF(pd_f32, bias), PD_CBUF(pd_f32, scale),
 PD_CBUF(pd_u32, lengths), PD_BUF(pd_f32, out), PD_PARAMS(padic_k_rnn_product_params, k))
{
    PD_LOCAL pd_f32 a[RNN_DEEP * RNN_PITCH];
    PD_LOCAL pd_f32 b[RNN_DEEP * RNN_PITCH];
    const pd_u32 row = PD_GRP * RNN_SIDE, column = PD_GRP_Y * RNN_SIDE;
    const pd_u32 deep = PD_LID % RNN_DEEP, line = PD_LID / RNN_DEEP; // what an item fetches
    const pd_u32 side = k.w_column > k.w_row ? 1u : 0u; // rows of W are neighbours
    const pd_u32 mine = 4u * (PD_LID / 16u), own = 4u * (PD_LID % 16u);
    pd_u32 from[4];
    pd_f32 sum[16];
    for (pd_u32 i = 0u; i < 16u; i++) sum[i] = 0.0f;
    for (pd_u32 i = 0u; i < 4u; i++) {
        const pd_u32 m = row + line + 16u * i;
        from[i] = rnn_product_from(lengths, m < k.rows ? m : 0u, k);
    }
    for (pd_u32 d = 0u; d < k.depth; d += RNN_DEEP) {
        pd_f32 part[16];
        for (pd_u32 i = 0u; i < 4u; i++) {
            const pd_u32 m = row + line + 16u * i, n = side ? PD_LID % 64u : line + 16u * i;
            const pd_u32 j = column + n, e = side ? PD_LID / 64u + 4u * i : deep;
            pd_f32 u = 0.0f, v = 0.0f;
            if (m < k.rows && d + deep < k.depth) u = x[from[i] + (d + deep) * k.x_column];
            if (j < k.width && d + e < k.depth)
                v = RNN_VALUE(weights[k.w_at + j * k.w_row + (d + e) * k.w_column]);
            a[deep * RNN_PITCH + line + 16u * i] = u;
            b[e * RNN_PITCH + n] = v;
        }
        PD_BARRIER();
        for (pd_u32 i = 0u; i < 16u; i++) part[i] = 0.0f;
        for (pd_u32 e = 0u; e < RNN_DEEP; e++)
            for (pd_u32 i = 0u; i < 4u; i++)
                for (pd_u32 j = 0u; j < 4u; j++)
                    part[4u * i + j] = PD_FMA(a[e * RNN_PITCH + mine + i],
                                              b[e * RNN_PITCH + own + j], part[4u * i + j]);
        for (pd_u32 i = 0u; i < 16u; i++) sum[i] = sum[i] + part[i];
        PD_BARRIER();
    }
    for (pd_u32 i = 0u; i < 4u; i++)
        for (pd_u32 j = 0u; j < 4u; j++)
            if (row + mine + i < k.rows && column + own + j < k.width)
                rnn_product_put(out, lengths, bias, scale, row + mine + i, column + own + j,
                                sum[4u * i + j], k);
}

// Few rows: 32 items share a number of the product, a group has eight.
PD_KERNEL_WG(padic_k_rnn_dots, 256)
(PD_CBUF(pd_f32, x), PD_CBUF(rnn_weight, weights), PD_CBUF(pd_f32, bias), PD_CBUF(pd_f32, scale),
 PD_CBUF(pd_u32, lengths), PD_BUF(pd_f32, out), PD_PARAMS(padic_k_rnn_product_params, k))
{
    PD_LOCAL pd_f32 part[256];
    const pd_u32 lane = PD_LID % 32u, column = PD_GRP * 8u + PD_LID / 32u, m = PD_GRP_Y;
    const pd_u32 from = rnn_product_from(lengths, m, k), row = k.w_at + column * k.w_row;
    pd_f32 sum = 0.0f;
    if (column < k.width)
        for (pd_u32 d = lane; d < k.depth; d += 32u)
            sum = PD_FMA(x[from + d * k.x_column], RNN_VALUE(weights[row + d * k.w_column]), sum);
    part[PD_LID] = sum;
    PD_BARRIER();
    for (pd_u32 apart = 16u; apart > 0u; apart /= 2u) {
        if (lane < apart) part[PD_LID] = part[PD_LID] + part[PD_LID + apart];
        PD_BARRIER();
    }
    if (lane == 0u && column < k.width)
        rnn_product_put(out, lengths, bias, scale, m, column, part[PD_LID], k);
}
