// few.cl: one step of a recurrent layer for few rows: a group has 16 units of a row, 16 items of
// each. W x + b of all steps is there. Memory is that of rnn.cl, with `rows` instead of 32.
typedef struct {
    pd_u32 layer;                 // word of `net`
    pd_u32 rows, n, steps, flags; // flags: RNN_LENGTHS
    pd_u32 sums_at;
    pd_u32 y, y_at, y_time, y_row, y_column; // y: 1 if it is wanted, 2 if it is turned
    pd_u32 length_at, length_step;
} padic_k_rnn_units_params;

// Item `unit` of a group, its sums U h in part[g 256 + unit].
PD_FN void rnn_unit(PD_LPTR(const pd_f32) part, PD_GPTR(const pd_u32) net,
                    PD_GPTR(const pd_f32) sums, PD_GPTR(const pd_u32) lengths,
                    PD_GPTR(pd_f32) memory, PD_GPTR(pd_f32) y, pd_u32 unit,
                    const padic_k_rnn_units_params k)
{
    PD_GPTR(const pd_u32) l = net + k.layer;
    const pd_u32 row = PD_GRP_Y, units = l[RNN_COUNT], old = k.n & 1u;
    const pd_u32 gates = l[RNN_KIND] == RNN_LSTM ? 4u : 3u;
    const pd_u32 in = k.sums_at + row * gates * units + unit, t = PD_LID;
    const pd_f32 before = memory[(l[RNN_AT] + old * units + unit) * k.rows + row];
    pd_u32 length = k.steps;
    pd_f32 next = before;
    pd_f32 r = part[t], z = part[256u + t], n = part[512u + t], o = part[768u + t];
    if (k.flags & RNN_LENGTHS) {
        length = lengths[k.length_at + row * k.length_step];
        length = length < k.steps ? length : k.steps;
    }
#if PD_RNN_W == 3
    r = r * PD_AS_F32(net[l[RNN_RECURRENT_SCALE] + unit]);
    z = z * PD_AS_F32(net[l[RNN_RECURRENT_SCALE] + units + unit]);
    n = n * PD_AS_F32(net[l[RNN_RECURRENT_SCALE] + 2u * units + unit]);
    if (gates == 4u) o = o * PD_AS_F32(net[l[RNN_RECURRENT_SCALE] + 3u * units + unit]);
#endif
    r = rnn_sigmoid(sums[in] + r);
    if (k.n < length && gates == 4u) {
        const pd_u32 held = (l[RNN_AT] + 2u * units + unit) * k.rows + row;
        const pd_f32 c = rnn_sigmoid(sums[in + units] + z) * memory[held] +
                         r * rnn_tanh(sums[in + 2u * units] + n);
        memory[held] = c;
        next = rnn_sigmoid(sums[in + 3u * units] + o) * rnn_tanh(c);
    } else if (k.n < length) {
        const pd_f32 back = n + PD_AS_F32(net[l[RNN_BACK] + unit]);
        next = rnn_gru(rnn_sigmoid(sums[in + units] + z), sums[in + 2u * units] + r * back, before,
                       l[RNN_FLAGS]);
    }
    memory[(l[RNN_AT] + (old ^ 1u) * units + unit) * k.rows + row] = next;
    if (k.y) {
        const pd_u32 time = (k.y & 2u) ? rnn_turned(k.n, length) : k.n;
        y[k.y_at + time * k.y_time + row * k.y_row + unit * k.y_column] =
            k.n < length ? next : 0.0f;
    }
}

PD_KERNEL_WG(padic_k_rnn_units, 256)
(PD_CBUF(pd_u32, net), PD_CBUF(rnn_weight, weights), PD_CBUF(pd_f32, sums),
 PD_CBUF(pd_u32, lengths), PD_BUF(pd_f32, memory), PD_BUF(pd_f32, y),
 PD_PARAMS(padic_k_rnn_units_params, k))
{
    PD_LOCAL pd_f32 part[1024];
    PD_GPTR(const pd_u32) l = net + k.layer;
    const pd_u32 unit = PD_GRP * 16u + PD_LID % 16u, units = l[RNN_COUNT];
    const pd_u32 gates = l[RNN_KIND] == RNN_LSTM ? 4u : 3u;
    const pd_u32 h = (l[RNN_AT] + (k.n & 1u) * units) * k.rows + PD_GRP_Y;
    pd_f32 a = 0.0f, b = 0.0f, c = 0.0f, d = 0.0f;
    if (unit < units)
        for (pd_u32 i = PD_LID / 16u; i < units; i += 16u) {
            const pd_u32 at = l[RNN_RECURRENT] + i * gates * units + unit;
            const pd_f32 x = memory[h + i * k.rows];
            a = PD_FMA(RNN_VALUE(weights[at]), x, a);
            b = PD_FMA(RNN_VALUE(weights[at + units]), x, b);
            c = PD_FMA(RNN_VALUE(weights[at + 2u * units]), x, c);
            if (gates == 4u) d = PD_FMA(RNN_VALUE(weights[at + 3u * units]), x, d);
        }
    part[PD_LID] = a;
    part[256u + PD_LID] = b;
    part[512u + PD_LID] = c;
    part[768u + PD_LID] = d;
    PD_BARRIER();
    for (pd_u32 apart = 128u; apart > 8u; apart /= 2u) {
        if (PD_LID < apart)
            for (pd_u32 g = 0u; g < 1024u; g += 256u)
                part[g + PD_LID] = part[g + PD_LID] + part[g + PD_LID + apart];
        PD_BARRIER();
    }
    if (PD_LID < 16u && unit < units) rnn_unit(part, net, sums, lengths, memory, y, unit, k);
}
