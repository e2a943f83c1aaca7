// program: cuda_rnn_rows
// texts: ../../rnn/cell.cl cell.cu split.cu
// rows.cu: all steps of a recurrent layer of up to 64 units for many rows, by tensor cores: a group
// has 32 rows, a warp eight units, all gates of them, with their weights in registers. The states
// are in local memory as three BF16 each. W x + b of all steps is there. The twin of
// padic_k_rnn_run; memory is that of few.cl.
//
// arch: sm_80
// variant: PD_RNN_GATES=4
// variant: PD_RNN_GATES=3 PD_RNN_W=1
// variant: PD_RNN_GATES=4 PD_RNN_W=2
// variant: PD_RNN_GATES=4 PD_RNN_W=3
#define CRR_ROWS 32u
#define CRR_PITCH 36u // words of a row of 64 units
#define CRR_PART (CRR_ROWS * CRR_PITCH)

typedef struct {
    pd_u32 units, rows, flags, first, count, steps; // flags: RNN_REPLACE, RNN_LENGTHS
    pd_u32 recurrent, back, scale; // element of the weights; words of `net`
    pd_u32 at;                     // of the layer in `memory`: h twice, c
    pd_u32 y, y_at, y_time, y_row, y_column; // y: 1 if it is wanted, 2 if it is turned
    pd_u32 length_at, length_step;
} padic_k_cuda_rnn_rows_params;

// A lane's weights: of unit 8 warp + lane / 4 columns 2 (lane % 4) of 16, and 8 further on.
PD_FN void crr_weights(const rnn_weight *weights, pd_u32 *w, const padic_k_cuda_rnn_rows_params k)
{
    const pd_u32 unit = PD_LID / 32u * 8u + PD_LID % 32u / 4u;
#pragma unroll
    for (pd_u32 t = 0u; t < 4u; t++)
#pragma unroll
        for (pd_u32 g = 0u; g < PD_RNN_GATES; g++)
#pragma unroll
            for (pd_u32 b = 0u; b < 2u; b++) {
                const pd_u32 i = 16u * t + 8u * b + 2u * (PD_LID % 4u);
                const pd_u32 at = k.recurrent + (i * PD_RNN_GATES + g) * k.units + unit;
                pd_f32 x = 0.0f, y = 0.0f;
                if (unit < k.units && i < k.units) x = RNN_VALUE(weights[at]);
                if (unit < k.units && i + 1u < k.units)
                    y = RNN_VALUE(weights[at + PD_RNN_GATES * k.units]);
                crn_cut<CRN_PARTS, 2u>(x, y, w + ((t * PD_RNN_GATES + g) * CRN_PARTS) * 2u + b);
            }
}

// W x + b of two rows and two units: in[2 (row) + unit][gate].
PD_FN void crr_input(const pd_f32 *sums, pd_f32 *in, pd_u32 row, pd_u32 unit, pd_u32 step,
                     const padic_k_cuda_rnn_rows_params k)
{
#pragma unroll
    for (pd_u32 half = 0u; half < 2u; half++)
#pragma unroll
        for (pd_u32 g = 0u; g < PD_RNN_GATES; g++) {
            const pd_u32 line = step * k.rows + row + 8u * half;
            const pd_u32 at = (line * PD_RNN_GATES + g) * k.units + unit;
            pd_f32 x = 0.0f, y = 0.0f;
            if (row + 8u * half < k.rows && unit + 1u < k.units) {
                if (k.units % 2u == 0u) {
                    PD_LOAD_TWO(x, y, sums + at);
                } else {
                    x = sums[at];
                    y = sums[at + 1u];
                }
            } else if (row + 8u * half < k.rows && unit < k.units) {
                x = sums[at];
            }
            in[2u * half * PD_RNN_GATES + g] = x;
            in[(2u * half + 1u) * PD_RNN_GATES + g] = y;
        }
}

// U h of 16 rows from row `first` on of local memory.
PD_FN void crr_products(const pd_u32 *h, const pd_u32 *w, pd_f32 *sum, pd_u32 first)
{
    const pd_u32 *from = h + (first + PD_LID % 16u) * CRR_PITCH + PD_LID % 32u / 16u * 4u;
#pragma unroll
    for (pd_u32 i = 0u; i < 4u * PD_RNN_GATES; i++) sum[i] = 0.0f;
#pragma unroll
    for (pd_u32 t = 0u; t < 4u; t++) {
        pd_u32 a[12];
#pragma unroll
        for (pd_u32 p = 0u; p < 3u; p++) crn_matrices(a + 4u * p, from + p * CRR_PART + 8u * t);
        crn_multiply<PD_RNN_GATES>(sum, a, w + t * PD_RNN_GATES * CRN_PARTS * 2u);
    }
}

PD_FN void crr_write(pd_f32 *y, pd_f32 next, pd_u32 n, pd_u32 row, pd_u32 unit, pd_u32 length,
                     const padic_k_cuda_rnn_rows_params k)
{
    const pd_u32 time = (k.y & 2u) ? rnn_turned(n, length) : n;
    if (row < k.rows && unit < k.units)
        y[k.y_at + time * k.y_time + row * k.y_row + unit * k.y_column] = n < length ? next : 0.0f;
}

// What a lane keeps of its rows (four, each eighth one) and units (two): states, lengths, c of n.
PD_FN void crr_begin(const pd_u32 *net, const pd_u32 *lengths, const pd_f32 *memory, pd_f32 *next,
                     pd_f32 *c, pd_f32 *back, pd_u32 *length, pd_u32 row, pd_u32 unit,
                     const padic_k_cuda_rnn_rows_params k)
{
#pragma unroll
    for (pd_u32 i = 0u; i < 8u; i++) { // row / 8, unit
        const pd_u32 r = row + i / 2u * 8u, u = unit + i % 2u;
        const pd_u32 at = (k.at + u) * k.rows + r;
        const bool on = r < k.rows && u < k.units;
        next[i] = on ? memory[at + (k.first & 1u) * k.units * k.rows] : 0.0f;
        c[i] = on && PD_RNN_GATES == 4 ? memory[at + 2u * k.units * k.rows] : 0.0f;
        if (i % 2u == 0u) {
            length[i / 2u] = k.steps;
            if ((k.flags & RNN_LENGTHS) && r < k.rows)
                length[i / 2u] = min(lengths[k.length_at + r * k.length_step], k.steps);
        }
        if (i < 2u) {
            back[i] = 0.0f;
            if (PD_RNN_GATES == 3 && u < k.units) back[i] = PD_AS_F32(net[k.back + u]);
        }
    }
}

PD_FN void crr_end(pd_f32 *memory, const pd_f32 *next, const pd_f32 *c, pd_u32 row, pd_u32 unit,
                   const padic_k_cuda_rnn_rows_params k)
{
#pragma unroll
    for (pd_u32 i = 0u; i < 8u; i++) {
        const pd_u32 r = row + i / 2u * 8u, u = unit + i % 2u;
        const pd_u32 at = (k.at + u) * k.rows + r;
        if (r >= k.rows || u >= k.units) continue;
        memory[at + ((k.first + k.count) & 1u) * k.units * k.rows] = next[i];
        if (PD_RNN_GATES == 4) memory[at + 2u * k.units * k.rows] = c[i];
    }
}

// The cells of two rows, eight apart, and two units, whose sums are given.
PD_FN void crr_cells(const pd_u32 *net, pd_f32 *y, const pd_f32 *in, const pd_f32 *sum,
                     pd_f32 *next, pd_f32 *c, const pd_f32 *back, const pd_u32 *length, pd_u32 n,
                     pd_u32 row, pd_u32 unit, const padic_k_cuda_rnn_rows_params k)
{
#pragma unroll
    for (pd_u32 i = 0u; i < 4u; i++) {
        pd_f32 own[PD_RNN_GATES], value = next[i];
#pragma unroll
        for (pd_u32 g = 0u; g < PD_RNN_GATES; g++) {
            own[g] = sum[4u * g + i];
#if PD_RNN_W == 3
            if (unit + i % 2u < k.units)
                own[g] *= PD_AS_F32(net[k.scale + g * k.units + unit + i % 2u]);
#else
            (void)net;
#endif
        }
        if (n < length[i / 2u])
            value = crn_cell(in + i * PD_RNN_GATES, own, back[i % 2u], value, c + i, k.flags);
        next[i] = value;
        if (k.y) crr_write(y, value, n, row + i / 2u * 8u, unit + i % 2u, length[i / 2u], k);
    }
}

PD_KERNEL_MIN(padic_k_cuda_rnn_rows_run, 256, 1)
(PD_CBUF(pd_u32, net), PD_CBUF(rnn_weight, weights), PD_CBUF(pd_f32, sums),
 PD_CBUF(pd_u32, lengths), PD_BUF(pd_f32, memory), PD_BUF(pd_f32, y),
 PD_PARAMS(padic_k_cuda_rnn_rows_params, k))
{
    PD_LOCAL __align__(16) pd_u32 h[6u * CRR_PART];
    const pd_u32 row = PD_GRP * CRR_ROWS + PD_LID % 32u / 4u;
    const pd_u32 unit = PD_LID / 32u * 8u + PD_LID % 4u * 2u, last = k.first + k.count;
    const pd_u32 place = PD_LID % 32u / 4u * CRR_PITCH + unit / 2u;
    pd_u32 w[8u * PD_RNN_GATES * CRN_PARTS], length[4];
    pd_f32 next[8], c[8], back[2], in[8u * PD_RNN_GATES];
    crr_weights(weights, w, k);
    crr_begin(net, lengths, memory, next, c, back, length, row, unit, k);
#pragma unroll
    for (pd_u32 i = 0u; i < 4u; i++)
        crn_cut<3u, CRR_PART>(next[2u * i], next[2u * i + 1u],
                              h + (k.first & 1u) * 3u * CRR_PART + 8u * i * CRR_PITCH + place);
    crr_input(sums, in, row, unit, 0u, k);
    crr_input(sums, in + 4u * PD_RNN_GATES, row + 16u, unit, 0u, k);
    PD_BARRIER();
    for (pd_u32 n = k.first; n < last; n++) {
        const pd_u32 *old = h + (n & 1u) * 3u * CRR_PART;
        pd_u32 *to = h + ((n & 1u) ^ 1u) * 3u * CRR_PART;
#pragma unroll
        for (pd_u32 m = 0u; m < 2u; m++) {
            pd_f32 sum[4u * PD_RNN_GATES], *own = in + 4u * PD_RNN_GATES * m;
            crr_products(old, w, sum, 16u * m);
            crr_cells(net, y, own, sum, next + 4u * m, c + 4u * m, back, length + 2u * m, n,
                      row + 16u * m, unit, k);
            if (n + 1u < last) crr_input(sums, own, row + 16u * m, unit, n + 1u - k.first, k);
            crn_cut<3u, CRR_PART>(next[4u * m], next[4u * m + 1u],
                                  to + 16u * m * CRR_PITCH + place);
            crn_cut<3u, CRR_PART>(next[4u * m + 2u], next[4u * m + 3u],
                                  to + (16u * m + 8u) * CRR_PITCH + place);
        }
        PD_BARRIER();
    }
    crr_end(memory, next, c, row, unit, k);
}
