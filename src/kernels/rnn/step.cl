// step.cl: the cells of one step, from the products of its inputs and of its states.
//
// `sums`: W x + b; `back`: U h + c, G units in a row. Of a GRU BEFORE, first its states times s(r),
// then what is left.
typedef struct {
    pd_u32 kind, flags, units, rows;
    pd_u32 reset;      // 1: writes s(r) h
    pd_u32 n, steps;   // the step, and how many there are
    pd_u32 sums_at;
    pd_u32 h_at, h_row, h_column;
    pd_u32 c_at, c_row, c_column;
    pd_u32 out_at, out_row, out_column; // h'
    pd_u32 out_c_at, out_c_row, out_c_column;
    pd_u32 y_at, y_time, y_row, y_column; // the output, of a sequence
    pd_u32 y;                             // 1: there is one; 2: it is turned
    pd_u32 length_at, length_step;
    pd_f32 forget_bias;
} padic_k_rnn_cells_params;

// Where `y`, the lengths and the outputs are of a sequence, out may be h and out_c may be c.
PD_FN void rnn_cell(PD_GPTR(const pd_f32) sums, PD_GPTR(const pd_f32) back,
                    PD_GPTR(const pd_f32) h, PD_GPTR(const pd_f32) c, PD_GPTR(const pd_u32) lengths,
                    PD_GPTR(pd_f32) out, PD_GPTR(pd_f32) out_c, PD_GPTR(pd_f32) y, pd_u32 row,
                    pd_u32 unit, const padic_k_rnn_cells_params k)
{
    const pd_u32 gates = k.kind == RNN_LSTM ? 4u : 3u, n = k.units;
    const pd_u32 at = row * gates * n + unit, in = k.sums_at + at;
    const pd_f32 before = h[k.h_at + row * k.h_row + unit * k.h_column];
    pd_f32 next = before;
    pd_u32 length = k.steps, t = k.n;
    if (k.flags & RNN_LENGTHS) {
        length = lengths[k.length_at + row * k.length_step];
        length = length < k.steps ? length : k.steps;
    }
    if (k.reset) {
        out[k.out_at + row * k.out_row + unit * k.out_column] =
            rnn_sigmoid(sums[in] + back[at]) * before;
        return;
    }
    if (k.n < length && k.kind == RNN_LSTM) {
        const pd_f32 i = rnn_sigmoid(sums[in] + back[at]);
        const pd_f32 f = rnn_sigmoid(sums[in + n] + back[at + n] + k.forget_bias);
        const pd_f32 g = rnn_tanh(sums[in + 2u * n] + back[at + 2u * n]);
        const pd_f32 o = rnn_sigmoid(sums[in + 3u * n] + back[at + 3u * n]);
        const pd_f32 held = f * c[k.c_at + row * k.c_row + unit * k.c_column] + i * g;
        out_c[k.out_c_at + row * k.out_c_row + unit * k.out_c_column] = held;
        next = o * rnn_tanh(held);
    } else if (k.n < length) {
        const pd_f32 z = rnn_sigmoid(sums[in + n] + back[at + n]);
        const pd_f32 r = (k.flags & RNN_BEFORE) ? 1.0f : rnn_sigmoid(sums[in] + back[at]);
        next = rnn_gru(z, sums[in + 2u * n] + r * back[at + 2u * n], before, k.flags);
    }
    out[k.out_at + row * k.out_row + unit * k.out_column] = next;
    if (k.y) {
        if (k.y & 2u) t = rnn_turned(k.n, length);
        y[k.y_at + t * k.y_time + row * k.y_row + unit * k.y_column] = k.n < length ? next : 0.0f;
    }
}

PD_KERNEL(padic_k_rnn_cells)
(PD_CBUF(pd_f32, sums), PD_CBUF(pd_f32, back), PD_CBUF(pd_f32, h), PD_CBUF(pd_f32, c),
 PD_CBUF(pd_u32, lengths), PD_BUF(pd_f32, out), PD_BUF(pd_f32, out_c), PD_BUF(pd_f32, y),
 PD_PARAMS(padic_k_rnn_cells_params, k))
{
    const pd_u32 row = PD_GID / k.units, unit = PD_GID - row * k.units;
    if (row < k.rows) rnn_cell(sums, back, h, c, lengths, out, out_c, y, row, unit, k);
}
