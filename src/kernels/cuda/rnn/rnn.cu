// program: cuda_rnn
// texts: ../../rnn/cell.cl cell.cu
// rnn.cu: a recurrent layer over many steps of one row in one launch, the twin of
// padic_k_rnn_units: W x + b of all steps is there, and the weights (units, G, units), which stay
// in registers.
//
// A warp has a unit, a group eight of them. After a step each unit's state goes to all groups as a
// word of 64 bits, the number of the next step above it: who needs it reads until that number is
// there. Two words take turns: who writes the one after next has seen that all have read this one.
// All groups wait for each other: the launch is cooperative, which fails where the device cannot
// run all of them at a time.
//
// arch: sm_75
// variant: PD_RNN_GATES=4 PD_COOPERATIVE=1
// variant: PD_RNN_DEEP=4 PD_RNN_W=1 PD_COOPERATIVE=1
// variant: PD_RNN_DEEP=4 PD_RNN_W=3 PD_COOPERATIVE=1
// variant: PD_RNN_DEEP=16 PD_RNN_W=2 PD_COOPERATIVE=1
// variant: PD_RNN_DEEP=32 PD_COOPERATIVE=1
// variant: PD_RNN_DEEP=32 PD_RNN_GATES=4 PD_COOPERATIVE=1
// variant: PD_RNN_DEEP=32 PD_RNN_GATES=4 PD_RNN_W=3 PD_COOPERATIVE=1
#ifndef PD_RNN_DEEP
#define PD_RNN_DEEP 8u // units up to 32 times that
#endif

typedef struct {
    pd_u32 units, flags, first, count, steps; // flags: RNN_REPLACE, RNN_LENGTHS
    pd_u32 recurrent, back, scale; // element of the weights; words of `net`
    pd_u32 sums_at, at;            // at: of the layer in `memory`: h twice, c
    pd_u32 y, y_at, y_time, y_column; // y: 1 if it is wanted, 2 if it is turned
    pd_u32 length_at;
} padic_k_cuda_rnn_steps_params;

PD_FN pd_u64 crn_load(const pd_u64 *p)
{
    pd_u64 x;
    asm volatile("ld.relaxed.gpu.global.u64 %0, [%1];" : "=l"(x) : "l"(p) : "memory");
    return x;
}

PD_FN void crn_store(pd_u64 *p, pd_u64 x)
{
    asm volatile("st.relaxed.gpu.global.u64 [%0], %1;" ::"l"(p), "l"(x) : "memory");
}

PD_FN pd_f32 crn_across(pd_f32 x, pd_u32 lanes)
{
    return __shfl_xor_sync(0xffffffffu, x, (int)lanes);
}

PD_FN pd_f32 crn_lane(pd_f32 x, pd_u32 lane)
{
    return __shfl_sync(0xffffffffu, x, (int)lane);
}

PD_FN pd_f32 crn_wait(const pd_u64 *p, pd_u32 n)
{
    pd_u64 x = crn_load(p);
    while ((pd_u32)(x >> 32) != n) x = crn_load(p);
    return PD_AS_F32((pd_u32)x);
}

// A lane's weights of a unit: each 32nd column of all gates.
PD_FN void crn_weights(const pd_u32 *net, const rnn_weight *weights, pd_f32 *w, pd_f32 *scale,
                       pd_u32 unit, pd_u32 lane, const padic_k_cuda_rnn_steps_params k)
{
#pragma unroll
    for (pd_u32 g = 0u; g < PD_RNN_GATES; g++) {
        scale[g] = 1.0f;
#if PD_RNN_W == 3
        scale[g] = PD_AS_F32(net[k.scale + g * k.units + unit]);
#else
        (void)net;
#endif
#pragma unroll
        for (pd_u32 j = 0u; j < PD_RNN_DEEP; j++) {
            const pd_u32 i = lane + 32u * j;
            w[g * PD_RNN_DEEP + j] = 0.0f;
            if (i < k.units)
                w[g * PD_RNN_DEEP + j] = RNN_VALUE(
                    weights[k.recurrent + (i * PD_RNN_GATES + g) * k.units + unit]);
        }
    }
}

// U h: a lane's share of all gates, then the sums of all lanes.
PD_FN void crn_sums(const pd_f32 *h, const pd_f32 *w, pd_f32 *sum, pd_u32 lane)
{
#pragma unroll
    for (pd_u32 g = 0u; g < PD_RNN_GATES; g++) sum[g] = 0.0f;
#pragma unroll
    for (pd_u32 j = 0u; j < PD_RNN_DEEP; j++) {
        const pd_f32 x = h[lane + 32u * j];
#pragma unroll
        for (pd_u32 g = 0u; g < PD_RNN_GATES; g++)
            sum[g] = PD_FMA(w[g * PD_RNN_DEEP + j], x, sum[g]);
    }
#pragma unroll
    for (pd_u32 apart = 16u; apart > 0u; apart /= 2u)
#pragma unroll
        for (pd_u32 g = 0u; g < PD_RNN_GATES; g++) sum[g] = sum[g] + crn_across(sum[g], apart);
}

PD_KERNEL_WG(padic_k_cuda_rnn_steps, 256)
(PD_CBUF(pd_u32, net), PD_CBUF(rnn_weight, weights), PD_CBUF(pd_f32, sums),
 PD_CBUF(pd_u32, lengths), PD_BUF(pd_f32, memory), PD_BUF(pd_u64, words), PD_BUF(pd_f32, y),
 PD_PARAMS(padic_k_cuda_rnn_steps_params, k))
{
    PD_LOCAL pd_f32 h[64u * PD_RNN_DEEP];
    const pd_u32 lane = PD_LID % 32u, unit = PD_GRP * 8u + PD_LID / 32u;
    const pd_u32 on = unit < k.units ? 1u : 0u, mine = on ? unit : 0u;
    pd_f32 w[PD_RNN_GATES * PD_RNN_DEEP], scale[PD_RNN_GATES], back = 0.0f, c = 0.0f, next = 0.0f;
    pd_u32 length = k.steps;
    crn_weights(net, weights, w, scale, mine, lane, k);
    for (pd_u32 i = PD_LID; i < 64u * PD_RNN_DEEP; i += 256u) h[i] = 0.0f;
#if PD_RNN_GATES == 4
    c = memory[k.at + 2u * k.units + mine];
#else
    back = PD_AS_F32(net[k.back + mine]);
#endif
    if (k.flags & RNN_LENGTHS) length = lengths[k.length_at];
    length = length < k.steps ? length : k.steps;
    PD_BARRIER();
    for (pd_u32 n = k.first; n < k.first + k.count; n++) {
        pd_f32 *own = h + (n & 1u) * 32u * PD_RNN_DEEP;
        pd_f32 sum[PD_RNN_GATES], in[PD_RNN_GATES], fed = 0.0f;
        if (lane < PD_RNN_GATES)
            fed = sums[k.sums_at + ((n - k.first) * PD_RNN_GATES + lane) * k.units + mine];
        for (pd_u32 i = PD_LID; i < k.units; i += 256u)
            own[i] = crn_wait(words + (n & 1u) * k.units + i, n);
        PD_BARRIER();
        crn_sums(own, w, sum, lane);
#pragma unroll
        for (pd_u32 g = 0u; g < PD_RNN_GATES; g++) {
            sum[g] = sum[g] * scale[g];
            in[g] = crn_lane(fed, g);
        }
        next = own[mine];
        if (n < length) next = crn_cell(in, sum, back, next, &c, k.flags);
        if (lane == 0u && on) {
            crn_store(words + ((n + 1u) & 1u) * k.units + unit,
                      ((pd_u64)(n + 1u) << 32) | PD_AS_U32(next));
            if (k.y) {
                const pd_u32 time = (k.y & 2u) ? rnn_turned(n, length) : n;
                y[k.y_at + time * k.y_time + unit * k.y_column] = n < length ? next : 0.0f;
            }
        }
    }
    if (lane == 0u && on) {
        memory[k.at + ((k.first + k.count) & 1u) * k.units + unit] = next;
#if PD_RNN_GATES == 4
        memory[k.at + 2u * k.units + mine] = c;
#endif
    }
}

// The states before the first step, as words.
typedef struct {
    pd_u32 units, first, at;
} padic_k_cuda_rnn_begin_params;

PD_KERNEL_WG(padic_k_cuda_rnn_begin, 256)
(PD_CBUF(pd_f32, memory), PD_BUF(pd_u64, words), PD_PARAMS(padic_k_cuda_rnn_begin_params, k))
{
    const pd_u32 unit = PD_GRP * 256u + PD_LID, here = k.first & 1u;
    if (unit < k.units) {
        const pd_f32 h = memory[k.at + here * k.units + unit];
        words[here * k.units + unit] = ((pd_u64)k.first << 32) | PD_AS_U32(h);
        words[(here ^ 1u) * k.units + unit] = (pd_u64)0xffffffffu << 32;
    }
}
