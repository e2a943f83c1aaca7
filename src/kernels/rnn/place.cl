// place.cl: x W^T + b of many steps, of all rows: where its rows are, and what becomes of sums.
//
// Numbers are in elements from the beginning of a buffer, modulo 2^32. Row m of the product is row
// m % batch of step m / batch + first.
typedef struct {
    pd_u32 rows, width, depth; // of all steps; of W
    pd_u32 batch, first, steps;
    pd_u32 flags;
    pd_u32 x_at, x_time, x_row, x_column;
    pd_u32 w_at, w_row, w_column;
    pd_u32 bias_at, bias, scale_at; // bias: 1 if there is one
    pd_u32 out_at, out_time, out_row, out_column;
    pd_u32 length_at, length_step;
    pd_u32 turned; // 1: x, 2: out in the order of a row's own steps
    pd_f32 gain;
} padic_k_rnn_product_params;

PD_FN pd_u32 rnn_product_length(PD_GPTR(const pd_u32) lengths, pd_u32 row,
                                const padic_k_rnn_product_params k)
{
    pd_u32 length = k.steps;
    if (k.flags & RNN_LENGTHS) {
        length = lengths[k.length_at + row * k.length_step];
        length = length < k.steps ? length : k.steps;
    }
    return length;
}

// Where row m begins: of x, or of what is written.
PD_FN pd_u32 rnn_product_from(PD_GPTR(const pd_u32) lengths, pd_u32 m,
                              const padic_k_rnn_product_params k)
{
    const pd_u32 step = m / k.batch, row = m - step * k.batch, n = k.first + step;
    pd_u32 t = n;
    if (k.turned & 1u) t = rnn_turned(n, rnn_product_length(lengths, row, k));
    return k.x_at + t * k.x_time + row * k.x_row;
}

PD_FN void rnn_product_put(PD_GPTR(pd_f32) out, PD_GPTR(const pd_u32) lengths,
                           PD_GPTR(const pd_f32) bias, PD_GPTR(const pd_f32) scale, pd_u32 m,
                           pd_u32 column, pd_f32 sum, const padic_k_rnn_product_params k)
{
    const pd_u32 step = m / k.batch, row = m - step * k.batch, n = k.first + step;
    const pd_u32 length = rnn_product_length(lengths, row, k);
    const pd_u32 t = (k.turned & 2u) ? rnn_turned(n, length) : n;
    pd_f32 x = sum;
#if PD_RNN_W == 3
    x = x * scale[k.scale_at + column];
#else
    (void)scale;
#endif
    if (k.bias) x = x + bias[k.bias_at + column];
    x = rnn_activate(x, k.flags, k.gain);
    if (n >= length) x = 0.0f;
    out[k.out_at + t * k.out_time + row * k.out_row + column * k.out_column] = x;
}
