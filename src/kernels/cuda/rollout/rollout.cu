// program: cuda_rollout
// texts: half.cu ../../rollout/number.cl read.cu map.cu tile.cu
// rollout.cu: convolutions of fields of 16 bits on tensor cores, by groups of 256 items (mma). A
// group has a tile of 16 x 16 cells and CRL_N channels of the output. Of the input it has 16 or 32
// channels at a time in local memory, with the margin that the kernel needs, and all weights of
// these: (C/8, cell, 8) and (tap, C/8, CRL_N, 8), so that a row of 8 x 8 numbers, as the
// instructions take them, is 16 bytes wherever the tap is.
//
// arch: sm_80
// variant: PD_ROLLOUT_F16=1
// variant: PD_ROLLOUT_N=16
// variant: PD_ROLLOUT_N=32 PD_ROLLOUT_BLOCKS=2
// variant: PD_ROLLOUT_N=16 PD_ROLLOUT_MORE=1 PD_ROLLOUT_ACT=2 PD_ROLLOUT_IN=4 PD_ROLLOUT_BLOCKS=2
// variant: PD_ROLLOUT_N=32 PD_ROLLOUT_MORE=2 PD_ROLLOUT_F16=1 PD_ROLLOUT_SPAN=1
// variant: PD_ROLLOUT_MORE=2 PD_ROLLOUT_SPAN=1
// variant: PD_ROLLOUT_MORE=1
// variant: PD_ROLLOUT_SPAN=5 PD_ROLLOUT_BLOCKS=2
// variant: PD_ROLLOUT_SPAN=7 PD_ROLLOUT_N=16 PD_ROLLOUT_BLOCKS=2
#ifndef PD_DYNAMIC_BYTES
#define PD_DYNAMIC_BYTES 60000
#endif
#ifndef PD_ROLLOUT_BLOCKS
#define PD_ROLLOUT_BLOCKS 4 // of 8 channels of the input, in local memory at a time
#endif
#define CRL_BLOCKS PD_ROLLOUT_BLOCKS
#define CRL_GROUPS (PD_ROLLOUT_N <= 16 ? 4 : PD_ROLLOUT_N <= 32 ? 3 : 2)

PD_FN void crl_copy(pd_u32 to, const uint4 *from)
{
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(to), "l"(from) : "memory");
}

// Eight channels of a cell of an f32 state.
PD_FN uint4 crl_state(const pd_f32 *x, pd_u32 c, pd_u32 inputs, pd_u32 cells)
{
    pd_f32 s[8];
#pragma unroll
    for (pd_u32 e = 0u; e < 8u; e++) s[e] = c + e < inputs ? x[(c + e) * cells] : 0.0f;
    return make_uint4(crl_pair(s[0], s[1]), crl_pair(s[2], s[3]), crl_pair(s[4], s[5]),
                      crl_pair(s[6], s[7]));
}

// Chunk `chunk` of the input, its cells with a margin.
PD_FN pd_u32 crl_inputs(uint4 *room, const pd_f32 *fields, const pd_f32 *state, pd_u32 chunk,
                        const crl_place &p, const padic_k_rollout_tile_params &k)
{
    const pd_u32 cells = k.height * k.width;
    const pd_u32 padded = (k.inputs + 15u) / 16u * 16u, c = chunk * CRL_BLOCKS;
    const uint4 *in = (const uint4 *)(fields + k.in + (pd_u64)p.slot * k.step) + c * cells;
    const pd_f32 *map = fields + k.map - 1u + (pd_u64)p.slot * k.step;
    const pd_f32 *x = state + k.in + (pd_u64)p.slot * k.state_step;
    pd_u32 bad = 0u;
#pragma unroll 1
    for (pd_u32 i = PD_LID; i < CRL_ALL; i += 256u) {
        const pd_u32 cell = crl_cell(i, p, k);
        uint4 v[CRL_BLOCKS];
#pragma unroll
        for (pd_u32 block = 0u; block < CRL_BLOCKS; block++) {
            v[block] = make_uint4(0u, 0u, 0u, 0u);
            if (cell >= cells) continue;
            v[block] = k.state > 0u ? crl_state(x + cell, 8u * (c + block), k.inputs, cells)
                                    : in[block * cells + cell];
        }
#pragma unroll
        for (pd_u32 block = 0u; block < CRL_BLOCKS; block++) {
            if (k.map > 0u && cell < cells)
                v[block] = crl_mapped_as<PD_ROLLOUT_IN>(v[block],
                                                        crl_map_of(map, padded, c + block));
            bad |= crl_any_bad(v[block]);
            room[block * CRL_ALL + i] = v[block];
        }
    }
    return bad;
}

PD_FN void crl_matrices(pd_u32 *x, pd_u32 at)
{
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(x[0]), "=r"(x[1]), "=r"(x[2]), "=r"(x[3])
                 : "r"(at)
                 : "memory");
}

PD_FN void crl_multiply(pd_f32 *d, const pd_u32 *a, const pd_u32 *b)
{
#if PD_ROLLOUT_F16
    asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 "
#else
    asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 "
#endif
                 "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
                 : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}

// A warp's two rows of 16 cells over the chunk in local memory: `inputs` and `weights` addresses.
PD_FN void crl_chunk(pd_f32 *sum, pd_u32 inputs, pd_u32 weights)
{
    const pd_u32 warp = PD_LID / 32u, lane = PD_LID % 32u;
    // Of a matrix of cells a lane has a row: cells, then 8 more, then both of the next block.
    const pd_u32 own = inputs + 16u * (lane / 16u * CRL_ALL + 2u * warp * CRL_PITCH + lane % 16u);
    const pd_u32 line = weights + 16u * (lane / 8u % 2u * CRL_N + lane / 16u * 8u + lane % 8u);
#pragma unroll 1
    for (pd_u32 tap = 0u; tap < PD_ROLLOUT_SPAN * PD_ROLLOUT_SPAN; tap++) {
        const pd_u32 dy = tap / PD_ROLLOUT_SPAN, dx = tap - dy * PD_ROLLOUT_SPAN;
#pragma unroll
        for (pd_u32 block = 0u; block < CRL_BLOCKS; block += 2u) {
            const pd_u32 at = own + 16u * (block * CRL_ALL + dy * CRL_PITCH + dx);
            const pd_u32 w = line + 16u * (tap * CRL_BLOCKS + block) * CRL_N;
            pd_u32 a[8];
            crl_matrices(a, at);
            crl_matrices(a + 4, at + 16u * CRL_PITCH);
#pragma unroll
            for (pd_u32 n = 0u; n < CRL_N / 16u; n++) {
                pd_u32 b[4];
                crl_matrices(b, w + 256u * n);
                crl_multiply(sum + 8u * n, a, b);
                crl_multiply(sum + 8u * n + 4u, a, b + 2);
                crl_multiply(sum + CRL_N / 2u + 8u * n, a + 4, b);
                crl_multiply(sum + CRL_N / 2u + 8u * n + 4u, a + 4, b + 2);
            }
        }
    }
}

// The end of a tile; the group that has the last of a trajectory makes the norm's map.
PD_FN void crl_end(pd_f32 *sum, pd_f32 *room, pd_f32 *fields, const pd_f32 *weights, pd_u32 *words,
                   const crl_place &p, const padic_k_rollout_tile_params &k)
{
    const pd_u32 net = (k.first + p.slot) / k.per_operator * k.parameters;
    const pd_u64 of = (pd_u64)p.slot * k.step;
    pd_u32 *own = words + CRL_WORDS * p.slot, *last = (pd_u32 *)(room + CRL_ROOM);
    crl_complete<true>(sum, room, fields, weights, p, k);
    if (k.to_map > 0u && PD_LID == 0u) { // first, so that nobody waits for it
        __threadfence();                 // all that the barrier has ordered before it
        *last = atomicAdd(own + CRL_TICKET, 1u) + 1u == k.tiles * gridDim.y ? 1u : 0u;
        if (*last > 0u) own[CRL_TICKET] = 0u;
    }
    crl_keep<true>(sum, fields, words, p, k);
    if (k.to_map == 0u) return;
    crl_together();
    if (*last > 0u) {
        const crl_grid g = {k.height, k.width, k.tiles, k.across, k.outputs};
        const crl_norm_of norm = {k.group, k.eps,
                                  k.affine > 0u ? weights + net + k.affine - 1u : 0};
        __threadfence();
        crl_norm((const float2 *)(fields + k.moments - 1u + of), fields + k.to_map - 1u + of, 0u,
                 (k.outputs + 15u) / 16u * 16u, norm, g);
    }
}

PD_KERNEL_MIN(padic_k_cuda_rollout_conv, 256, CRL_GROUPS)
(PD_BUF(pd_f32, fields), PD_CBUF(pd_f32, state), PD_CBUF(pd_f32, weights), PD_CBUF(uint4, halves),
 PD_BUF(pd_u32, words), PD_PARAMS(padic_k_rollout_tile_params, k))
{
    extern __shared__ __align__(128) uint4 crl_room[];
    PD_LOCAL pd_f32 room[CRL_ROOM + 4u];
    const crl_place p = crl_place_of(PD_GRP, PD_GRP_Y, PD_GRP_Z, k);
    const pd_u32 each = PD_ROLLOUT_SPAN * PD_ROLLOUT_SPAN * CRL_BLOCKS * CRL_N;
    const pd_u32 inputs = (pd_u32)__cvta_generic_to_shared(crl_room);
    const pd_u32 own = inputs + 16u * CRL_BLOCKS * CRL_ALL;
    const pd_u32 chunks = ((k.inputs + 15u) / 16u * 2u + CRL_BLOCKS - 1u) / CRL_BLOCKS;
    const uint4 *w = halves + k.w + (pd_u64)((k.first + p.slot) / k.per_operator) * k.w_each +
                     (pd_u64)p.block * chunks * each;
    pd_f32 sum[CRL_N];
    pd_u32 bad = 0u;
#pragma unroll
    for (pd_u32 i = 0u; i < CRL_N; i++) sum[i] = 0.0f;
    for (pd_u32 chunk = 0u; chunk < chunks; chunk++) {
        __syncthreads();
        for (pd_u32 i = PD_LID; i < each; i += 256u) crl_copy(own + 16u * i, w + chunk * each + i);
        bad |= crl_inputs(crl_room, fields, state, chunk, p, k);
        asm volatile("cp.async.wait_all;" ::: "memory");
        __syncthreads();
        crl_chunk(sum, inputs, own);
    }
    if (bad > 0u) atomicOr(words + CRL_WORDS * p.slot + CRL_BAD, 1u);
    crl_end(sum, room, fields, weights, words, p, k);
}
