// cell.cu: a cell of a layer of PD_RNN_GATES gates.
#ifndef PD_RNN_GATES
#define PD_RNN_GATES 3u // 4: an LSTM
#endif

// h' of a unit, c in place. `in`: W x + b; `sums`: U h.
PD_FN pd_f32 crn_cell(const pd_f32 *in, const pd_f32 *sums, pd_f32 back, pd_f32 before, pd_f32 *c,
                      pd_u32 flags)
{
    const pd_f32 r = rnn_sigmoid(in[0] + sums[0]), z = rnn_sigmoid(in[1] + sums[1]);
#if PD_RNN_GATES == 4
    (void)back;
    (void)before;
    (void)flags;
    *c = z * *c + r * rnn_tanh(in[2] + sums[2]);
    return rnn_sigmoid(in[3] + sums[3]) * rnn_tanh(*c);
#else
    (void)c;
    return rnn_gru(z, in[2] + r * (sums[2] + back), before, flags);
#endif
}
