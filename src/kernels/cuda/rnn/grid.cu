// program: cuda_rnn_grid
// texts: ../../rnn/cell.cl cell.cu split.cu
// grid.cu: all steps of a recurrent layer of up to 1024 units for many rows, by tensor cores. A
// group has 8 PD_RNN_OCTETS units, all gates of them, and some tiles of 16 rows; a warp has an
// eighth of the columns, with its weights in registers. W x + b of all steps is there.
//
// `words` has a flag of each tile and group of units, then the states, (2, rows, pitch). A flag is
// the number of the step whose states are there. Two sets of states take turns: who writes the one
// after next has seen that all have read this one. Groups wait for each other, so the launch is
// cooperative. The twin of padic_k_rnn_product and padic_k_rnn_cells; memory is that of few.cl.
//
// arch: sm_80
// variant: PD_RNN_GATES=4 PD_COOPERATIVE=1
// variant: PD_RNN_GATES=3 PD_RNN_DEEP=1 PD_RNN_W=1 PD_COOPERATIVE=1
// variant: PD_RNN_GATES=3 PD_RNN_DEEP=4 PD_RNN_OCTETS=1 PD_COOPERATIVE=1
// variant: PD_RNN_GATES=3 PD_RNN_DEEP=4 PD_RNN_W=1 PD_COOPERATIVE=1
// variant: PD_RNN_GATES=4 PD_RNN_DEEP=4 PD_RNN_W=3 PD_COOPERATIVE=1
// variant: PD_RNN_GATES=4 PD_RNN_DEEP=4 PD_RNN_OCTETS=1 PD_COOPERATIVE=1
// variant: PD_RNN_GATES=3 PD_RNN_DEEP=8 PD_RNN_W=2 PD_COOPERATIVE=1
// variant: PD_RNN_GATES=3 PD_RNN_DEEP=8 PD_RNN_OCTETS=1 PD_COOPERATIVE=1
// variant: PD_RNN_GATES=3 PD_RNN_DEEP=8 PD_RNN_W=1 PD_RNN_OCTETS=1 PD_COOPERATIVE=1
// variant: PD_RNN_GATES=4 PD_RNN_DEEP=8 PD_RNN_W=2 PD_RNN_OCTETS=1 PD_COOPERATIVE=1
// variant: PD_RNN_GATES=4 PD_RNN_DEEP=8 PD_RNN_W=1 PD_RNN_OCTETS=1 PD_COOPERATIVE=1
#ifndef PD_RNN_DEEP
#define PD_RNN_DEEP 2u // units up to 128 times that
#endif
#ifndef PD_RNN_OCTETS
#define PD_RNN_OCTETS 2u
#endif
#define CRG_TILES 8u // of a group, at most
#define CRG_UNITS (8u * PD_RNN_OCTETS)
#define CRG_PITCH (PD_RNN_GATES * CRG_UNITS + 8u) // sums of a row
#define CRG_WIDE (128u * PD_RNN_DEEP)             // states of a row
#define CRG_CHUNK (PD_RNN_DEEP < 4u ? PD_RNN_DEEP : 4u)

typedef struct {
    pd_u32 units, rows, flags, first, count, steps; // flags: RNN_REPLACE, RNN_LENGTHS
    pd_u32 tiles, from, until;     // tiles of a group; of this launch
    pd_u32 all, blocks;            // all tiles; groups of units
    pd_u32 recurrent, back, scale; // element of the weights; words of `net`
    pd_u32 at, states;             // of the layer in `memory`: h twice, c; of `words`
    pd_u32 y, y_at, y_time, y_row, y_column; // y: 1 if it is wanted, 2 if it is turned
    pd_u32 length_at, length_step;
} padic_k_cuda_rnn_grid_params;

PD_FN pd_u32 crg_acquire(const pd_u32 *p)
{
    pd_u32 x;
    asm volatile("ld.acquire.gpu.global.u32 %0, [%1];" : "=r"(x) : "l"(p) : "memory");
    return x;
}

PD_FN void crg_release(pd_u32 *p, pd_u32 x)
{
    asm volatile("fence.acq_rel.gpu;\n\tst.relaxed.gpu.global.u32 [%0], %1;" ::"l"(p), "r"(x)
                 : "memory");
}

PD_FN void crg_load_four(pd_f32 *x, const pd_u32 *p)
{
    asm volatile("ld.relaxed.gpu.global.v4.f32 {%0, %1, %2, %3}, [%4];"
                 : "=f"(x[0]), "=f"(x[1]), "=f"(x[2]), "=f"(x[3])
                 : "l"(p)
                 : "memory");
}

PD_FN pd_f32 crg_load(const pd_u32 *p)
{
    pd_f32 x;
    asm volatile("ld.relaxed.gpu.global.f32 %0, [%1];" : "=f"(x) : "l"(p) : "memory");
    return x;
}

// The first column of a lane's four of the `j`th tile of 16 of its warp.
PD_FN pd_u32 crg_column(pd_u32 j)
{
    return 16u * (PD_LID / 32u + 8u * j) + 4u * (PD_LID % 4u);
}

PD_FN void crg_weights(const rnn_weight *weights, pd_u32 *w, pd_u32 block,
                       const padic_k_cuda_rnn_grid_params k)
{
#pragma unroll
    for (pd_u32 j = 0u; j < PD_RNN_DEEP; j++)
#pragma unroll
        for (pd_u32 o = 0u; o < PD_RNN_OCTETS * PD_RNN_GATES; o++)
#pragma unroll
            for (pd_u32 b = 0u; b < 2u; b++) {
                const pd_u32 unit = block * CRG_UNITS + o / PD_RNN_GATES * 8u + PD_LID % 32u / 4u;
                const pd_u32 i = crg_column(j) + 2u * b, stride = PD_RNN_GATES * k.units;
                const pd_u32 at = k.recurrent + i * stride + o % PD_RNN_GATES * k.units + unit;
                pd_f32 x = 0.0f, y = 0.0f;
                if (unit < k.units && i < k.units) x = RNN_VALUE(weights[at]);
                if (unit < k.units && i + 1u < k.units) y = RNN_VALUE(weights[at + stride]);
                crn_cut<CRN_PARTS, 2u>(
                    x, y, w + (j * PD_RNN_OCTETS * PD_RNN_GATES + o) * CRN_PARTS * 2u + b);
            }
}

// A warp's share of U h of 16 rows. h: the lane's row and columns of tile 0.
PD_FN void crg_products(const pd_u32 *h, const pd_u32 *w, pd_f32 *sum)
{
#pragma unroll
    for (pd_u32 i = 0u; i < 4u * PD_RNN_OCTETS * PD_RNN_GATES; i++) sum[i] = 0.0f;
#pragma unroll
    for (pd_u32 first = 0u; first < PD_RNN_DEEP; first += CRG_CHUNK) {
        pd_f32 x[8u * CRG_CHUNK];
#pragma unroll
        for (pd_u32 j = 0u; j < CRG_CHUNK; j++) {
            crg_load_four(x + 8u * j, h + 128u * (first + j));
            crg_load_four(x + 8u * j + 4u, h + 8u * CRG_WIDE + 128u * (first + j));
        }
#pragma unroll
        for (pd_u32 j = 0u; j < CRG_CHUNK; j++) {
            const pd_f32 *v = x + 8u * j;
            pd_u32 a[12];
            crn_cut<3u, 4u>(v[0], v[1], a);
            crn_cut<3u, 4u>(v[4], v[5], a + 1);
            crn_cut<3u, 4u>(v[2], v[3], a + 2);
            crn_cut<3u, 4u>(v[6], v[7], a + 3);
            crn_multiply<PD_RNN_OCTETS * PD_RNN_GATES>(
                sum, a, w + (first + j) * PD_RNN_OCTETS * PD_RNN_GATES * CRN_PARTS * 2u);
        }
    }
}

// A warp's share to local memory: row, gate, unit.
PD_FN void crg_share(pd_f32 *part, const pd_f32 *sum)
{
    pd_f32 *to = part + PD_LID / 32u * 16u * CRG_PITCH + PD_LID % 32u / 4u * CRG_PITCH +
                 PD_LID % 4u * 2u;
#pragma unroll
    for (pd_u32 o = 0u; o < PD_RNN_OCTETS * PD_RNN_GATES; o++) {
        pd_f32 *p = to + o % PD_RNN_GATES * CRG_UNITS + o / PD_RNN_GATES * 8u;
        PD_STORE_TWO(p, sum[4u * o], sum[4u * o + 1u]);
        PD_STORE_TWO(p + 8u * CRG_PITCH, sum[4u * o + 2u], sum[4u * o + 3u]);
    }
}

// Waits until all groups of a tile have written the states of step n.
PD_FN void crg_wait(const pd_u32 *flags, pd_u32 n, const padic_k_cuda_rnn_grid_params k)
{
    if (PD_LID < k.blocks)
        while ((pd_i32)(crg_acquire(flags + PD_LID) - n) < 0) {
        }
    PD_BARRIER();
}

// A unit's c of the rows of a group: from `memory`, or to it.
PD_FN void crg_held(pd_f32 *memory, pd_f32 *held, pd_u32 first, pd_u32 tiles, pd_u32 line,
                    pd_u32 unit, bool save, const padic_k_cuda_rnn_grid_params k)
{
    for (pd_u32 i = 0u; i < tiles && PD_RNN_GATES == 4; i++) {
        const pd_u32 row = 16u * (first + i) + line, at = i * 16u * CRG_UNITS + PD_LID;
        const pd_u32 from = (k.at + 2u * k.units + unit) * k.rows + row;
        if (line >= 16u || unit >= k.units || row >= k.rows) continue;
        if (save) memory[from] = held[at];
        else held[at] = memory[from];
    }
}

// The sums of a gate of all warps.
PD_FN void crg_total(const pd_f32 *part, pd_f32 *sum, const pd_f32 *scale, pd_u32 line)
{
#pragma unroll
    for (pd_u32 g = 0u; g < PD_RNN_GATES; g++) {
        const pd_f32 *p = part + line % 16u * CRG_PITCH + g * CRG_UNITS + PD_LID % CRG_UNITS;
        sum[g] = p[0];
#pragma unroll
        for (pd_u32 i = 1u; i < 8u; i++) sum[g] += p[i * 16u * CRG_PITCH];
        sum[g] *= scale[g];
    }
}

// What is known of a cell before the states of all units are.
PD_FN pd_u32 crg_input(const pd_f32 *sums, const pd_u32 *lengths, pd_f32 *in, bool on, pd_u32 n,
                       pd_u32 row, pd_u32 unit, const padic_k_cuda_rnn_grid_params k)
{
#pragma unroll
    for (pd_u32 g = 0u; g < PD_RNN_GATES; g++) {
        const pd_u32 line = (n - k.first) * k.rows + row;
        in[g] = on ? sums[(line * PD_RNN_GATES + g) * k.units + unit] : 0.0f;
    }
    if (!on || !(k.flags & RNN_LENGTHS)) return k.steps;
    return min(lengths[k.length_at + row * k.length_step], k.steps);
}

PD_KERNEL_MIN(padic_k_cuda_rnn_grid_run, 256, 1)
(PD_CBUF(pd_u32, net), PD_CBUF(rnn_weight, weights), PD_CBUF(pd_f32, sums),
 PD_CBUF(pd_u32, lengths), PD_BUF(pd_f32, memory), PD_BUF(pd_u32, words), PD_BUF(pd_f32, y),
 PD_PARAMS(padic_k_cuda_rnn_grid_params, k))
{
    PD_LOCAL __align__(16) pd_f32 part[8u * 16u * CRG_PITCH];
    PD_LOCAL pd_f32 held[CRG_TILES * 16u * CRG_UNITS];
    const pd_u32 block = PD_GRP % k.blocks, first = k.from + PD_GRP / k.blocks * k.tiles;
    const pd_u32 tiles = min(k.tiles, k.until - first), last = k.first + k.count;
    const pd_u32 line = PD_LID / CRG_UNITS, unit = block * CRG_UNITS + PD_LID % CRG_UNITS;
    const pd_u32 rows = 16u * k.all, mine = min(unit, k.units - 1u);
    pd_u32 w[PD_RNN_DEEP * PD_RNN_OCTETS * PD_RNN_GATES * CRN_PARTS * 2u];
    pd_f32 back = 0.0f, scale[PD_RNN_GATES];
    crg_weights(weights, w, block, k);
#pragma unroll
    for (pd_u32 g = 0u; g < PD_RNN_GATES; g++)
        scale[g] = PD_RNN_W == 3 ? PD_AS_F32(net[k.scale + g * k.units + mine]) : 1.0f;
    if (PD_RNN_GATES == 3) back = PD_AS_F32(net[k.back + mine]);
    crg_held(memory, held, first, tiles, line, unit, false, k);
    for (pd_u32 n = k.first; n < last; n++)
        for (pd_u32 i = 0u; i < tiles; i++) {
            const pd_u32 tile = first + i, row = 16u * tile + line;
            const bool on = line < 16u && unit < k.units && row < k.rows;
            const pd_u32 *old = words + k.states + ((n & 1u) * rows + 16u * tile) * CRG_WIDE;
            pd_u32 *to = words + k.states + (((n & 1u) ^ 1u) * rows + row) * CRG_WIDE + unit;
            pd_f32 *c = held + (PD_RNN_GATES == 4 ? i * 16u * CRG_UNITS + PD_LID : 0u);
            pd_f32 sum[4u * PD_RNN_OCTETS * PD_RNN_GATES], in[PD_RNN_GATES], own[PD_RNN_GATES];
            pd_f32 next = 0.0f;
            const pd_u32 length = crg_input(sums, lengths, in, on, n, row, unit, k);
            crg_wait(words + tile * k.blocks, n, k);
            if (on) next = crg_load(old + line * CRG_WIDE + unit);
            crg_products(old + PD_LID % 32u / 4u * CRG_WIDE + crg_column(0u), w, sum);
            crg_share(part, sum);
            PD_BARRIER();
            crg_total(part, own, scale, line);
            if (on && n < length) next = crn_cell(in, own, back, next, c, k.flags);
            if (on) *to = PD_AS_U32(next);
            PD_BARRIER();
            if (PD_LID == 0u) crg_release(words + tile * k.blocks + block, n + 1u);
            if (on && k.y) {
                const pd_u32 time = (k.y & 2u) ? rnn_turned(n, length) : n;
                y[k.y_at + time * k.y_time + row * k.y_row + unit * k.y_column] =
                    n < length ? next : 0.0f;
            }
            if (on && n + 1u == last)
                memory[(k.at + (last & 1u) * k.units + unit) * k.rows + row] = next;
        }
    crg_held(memory, held, first, tiles, line, unit, true, k);
}

// The states before the first step, 0 beyond rows and units, and flags.
PD_KERNEL_WG(padic_k_cuda_rnn_grid_begin, 256)
(PD_CBUF(pd_f32, memory), PD_BUF(pd_u32, words), PD_PARAMS(padic_k_cuda_rnn_grid_params, k))
{
    const pd_u32 half = 16u * k.all * CRG_WIDE, here = k.first & 1u;
    for (pd_u32 i = PD_GRP * 256u + PD_LID; i < 2u * half; i += PD_NGRP * 256u) {
        const pd_u32 row = i % half / CRG_WIDE, unit = i % CRG_WIDE;
        pd_f32 h = 0.0f;
        if (i / half == here && row < k.rows && unit < k.units)
            h = memory[(k.at + here * k.units + unit) * k.rows + row];
        words[k.states + i] = PD_AS_U32(h);
        if (i < k.all * k.blocks) words[i] = k.first;
    }
}
