// short.cl: all steps of a recurrent layer of up to 64 units for few rows: a group has a row, four
// items share a unit, whose weights they hold. W x + b of all steps is there. Memory is that of
// few.cl.
typedef struct {
    pd_u32 layer;                             // word of `net`
    pd_u32 rows, first, count, steps, flags; // flags: RNN_LENGTHS
    pd_u32 y, y_at, y_time, y_row, y_column; // y: 1 if it is wanted, 2 if it is turned
    pd_u32 length_at, length_step;
} padic_k_rnn_short_params;

#define RNN_SHORT 64u // units
#define RNN_SHARE 16u // columns of an item
#define RNN_APART 20u // numbers from one item's columns to the next one's

#if PD_HAS_WARPS
PD_FN pd_f32 rnn_four(pd_f32 x)
{
    const pd_f32 two = x + PD_AS_F32(PD_SHUFFLE(PD_AS_U32(x), PD_LID % 32u ^ 1u));
    return two + PD_AS_F32(PD_SHUFFLE(PD_AS_U32(two), PD_LID % 32u ^ 2u));
}
#endif

// h' of a unit, c in place. sums: U h of its gates.
PD_FN pd_f32 rnn_short_cell(const pd_f32 *in, const pd_f32 *sums, pd_f32 back, pd_f32 before,
                            pd_f32 *c, pd_u32 kind, pd_u32 flags)
{
    const pd_f32 r = rnn_sigmoid(in[0] + sums[0]), z = rnn_sigmoid(in[1] + sums[1]);
    if (kind == RNN_LSTM) {
        *c = z * *c + r * rnn_tanh(in[2] + sums[2]);
        return rnn_sigmoid(in[3] + sums[3]) * rnn_tanh(*c);
    }
    return rnn_gru(z, in[2] + r * (sums[2] + back), before, flags);
}

// An item's weights of a unit, all gates, columns `from` and what follows.
PD_FN void rnn_short_weights(PD_GPTR(const pd_u32) net, PD_GPTR(const rnn_weight) weights,
                             PD_GPTR(const pd_u32) l, pd_f32 *w, pd_f32 *scale, pd_u32 unit,
                             pd_u32 from)
{
    const pd_u32 units = l[RNN_COUNT], gates = l[RNN_KIND] == RNN_LSTM ? 4u : 3u;
    RNN_UNROLL
    for (pd_u32 g = 0u; g < 4u; g++) {
        scale[g] = 1.0f;
#if PD_RNN_W == 3
        if (g < gates) scale[g] = PD_AS_F32(net[l[RNN_RECURRENT_SCALE] + g * units + unit]);
#else
        (void)net;
#endif
        RNN_UNROLL
        for (pd_u32 i = 0u; i < RNN_SHARE; i++) {
            w[g * RNN_SHARE + i] = 0.0f;
            if (g < gates && from + i < units)
                w[g * RNN_SHARE + i] = RNN_VALUE(
                    weights[l[RNN_RECURRENT] + ((from + i) * gates + g) * units + unit]);
        }
    }
}

PD_FN void rnn_short_input(PD_GPTR(const pd_f32) sums, pd_f32 *in, pd_u32 gates, pd_u32 units)
{
    RNN_UNROLL
    for (pd_u32 g = 0u; g < 4u; g++) in[g] = g < gates ? sums[g * units] : 0.0f;
}

PD_FN void rnn_short_sums(PD_LPTR(const pd_f32) h, const pd_f32 *w, pd_f32 *sum)
{
    RNN_UNROLL
    for (pd_u32 g = 0u; g < 4u; g++) {
        pd_f32 a = 0.0f, b = 0.0f;
        RNN_UNROLL
        for (pd_u32 i = 0u; i < RNN_SHARE; i += 2u) {
            a = PD_FMA(w[g * RNN_SHARE + i], h[i], a);
            b = PD_FMA(w[g * RNN_SHARE + i + 1u], h[i + 1u], b);
        }
        sum[g] = a + b;
    }
}

PD_KERNEL_WG(padic_k_rnn_short, 256)
(PD_CBUF(pd_u32, net), PD_CBUF(rnn_weight, weights), PD_CBUF(pd_f32, sums),
 PD_CBUF(pd_u32, lengths), PD_BUF(pd_f32, memory), PD_BUF(pd_f32, y),
 PD_PARAMS(padic_k_rnn_short_params, k))
{
    PD_LOCAL pd_f32 h[8u * RNN_APART];
#if !PD_HAS_WARPS
    PD_LOCAL pd_f32 part[1024];
#endif
    PD_GPTR(const pd_u32) l = net + k.layer;
    const pd_u32 units = l[RNN_COUNT], kind = l[RNN_KIND], flags = l[RNN_FLAGS], row = PD_GRP;
    const pd_u32 gates = kind == RNN_LSTM ? 4u : 3u, from = PD_LID % 4u * RNN_SHARE;
    const pd_u32 own = PD_LID % 4u * RNN_APART;
    const pd_u32 unit = PD_LID / 4u, mine = unit < units ? unit : 0u, last = k.first + k.count;
    const pd_u32 held = (l[RNN_AT] + 2u * units + mine) * k.rows + row;
    const pd_u32 place = unit / RNN_SHARE * RNN_APART + unit % RNN_SHARE;
    const pd_u32 writes = unit < units && PD_LID % 4u == 0u ? 1u : 0u;
    pd_f32 w[4u * RNN_SHARE], in[4], scale[4], back = 0.0f, c = 0.0f, next;
    pd_u32 length = k.steps;
    rnn_short_weights(net, weights, l, w, scale, mine, from);
    rnn_short_input(sums + row * gates * units + mine, in, gates, units);
    if (kind == RNN_LSTM) c = memory[held];
    else back = PD_AS_F32(net[l[RNN_BACK] + mine]);
    next = memory[(l[RNN_AT] + (k.first & 1u) * units + mine) * k.rows + row];
    if (k.flags & RNN_LENGTHS) {
        length = lengths[k.length_at + row * k.length_step];
        length = length < k.steps ? length : k.steps;
    }
    if (PD_LID % 4u == 0u) h[(k.first & 1u) * 4u * RNN_APART + place] = unit < units ? next : 0.0f;
    PD_BARRIER();
    for (pd_u32 n = k.first; n < last; n++) {
        const pd_u32 old = (n & 1u) * 4u * RNN_APART, ahead = n + 1u < last ? n + 1u - k.first : 0u;
        pd_f32 sum[4], fed[4];
        RNN_UNROLL
        for (pd_u32 g = 0u; g < 4u; g++) fed[g] = in[g];
        rnn_short_input(sums + (ahead * k.rows + row) * gates * units + mine, in, gates, units);
        rnn_short_sums(h + old + own, w, sum);
#if PD_HAS_WARPS
        RNN_UNROLL
        for (pd_u32 g = 0u; g < 4u; g++) sum[g] = rnn_four(sum[g]) * scale[g];
#else
        RNN_UNROLL
        for (pd_u32 g = 0u; g < 4u; g++) part[g * 256u + PD_LID] = sum[g];
        PD_BARRIER();
        RNN_UNROLL
        for (pd_u32 g = 0u; g < 4u; g++) {
            const pd_u32 at = g * 256u + unit * 4u;
            sum[g] = ((part[at] + part[at + 1u]) + (part[at + 2u] + part[at + 3u])) * scale[g];
        }
#endif
        if (n < length) next = rnn_short_cell(fed, sum, back, next, &c, kind, flags);
        if (PD_LID % 4u == 0u) h[4u * RNN_APART - old + place] = unit < units ? next : 0.0f;
        if (writes && k.y) {
            const pd_u32 time = (k.y & 2u) ? rnn_turned(n, length) : n;
            y[k.y_at + time * k.y_time + row * k.y_row + unit * k.y_column] =
                n < length ? next : 0.0f;
        }
        PD_BARRIER();
    }
    if (writes) {
        memory[(l[RNN_AT] + (last & 1u) * units + unit) * k.rows + row] = next;
        if (kind == RNN_LSTM) memory[held] = c;
    }
}
