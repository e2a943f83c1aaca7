// program: cuda_rollout_ring
// texts: half.cu ../../rollout/number.cl read.cu map.cu tile.cu ../barrier.cu
// ring.cu: convolutions of 64 n channels to 64 or 128 m, of fields of 16 bits, on tensor cores
// that read local memory themselves (sm_90a: wgmma). A group stays on its multiprocessor and does
// tile after tile. Three of its warps copy 64 channels of the input, the cells of the tile with
// their margin, ahead; one has the weights copied, of a tap and 64 channels at a time; eight have
// the tensor cores multiply. In local memory a block of 8 channels of a cell is 16 bytes, so that a
// tap is an address.
//
// arch: sm_90a
// variant: PD_ROLLOUT_F16=1 PD_ROLLOUT_N=128
// variant: PD_ROLLOUT_SPAN=1 PD_ROLLOUT_MORE=2
// variant: PD_ROLLOUT_SPAN=1 PD_ROLLOUT_MORE=2 PD_ROLLOUT_N=128
// variant: PD_ROLLOUT_MORE=1
// variant: PD_ROLLOUT_MORE=1 PD_ROLLOUT_N=128
#ifndef PD_DYNAMIC_BYTES
#define PD_DYNAMIC_BYTES 190000
#endif

#define CRA_INPUTS (128u * CRL_ALL) // bytes of 64 channels
#define CRA_WEIGHTS (128u * CRL_N)  // of a tap of them
#define CRA_STAGES 5u               // of weights; of inputs there are two
#define CRA_ROOM (2u * CRA_INPUTS + CRA_STAGES * CRA_WEIGHTS)
#define CRA_BARRIERS (CRA_ROOM + 4u * (CRL_ROOM + 4u))
#define CRA_READERS 96u

#if defined(__CUDA_ARCH_FEAT_SM90_ALL)
// Barriers: inputs have come, are done with, two each; weights likewise.
PD_FN pd_u32 cra_inputs_come(pd_u32 base, pd_u32 i)
{
    return base + CRA_BARRIERS + 8u * i;
}

PD_FN pd_u32 cra_weights_come(pd_u32 base, pd_u32 i)
{
    return base + CRA_BARRIERS + 8u * (4u + i);
}

// A stage of a ring and the parity of its round.
typedef struct {
    pd_u32 at, parity;
} cra_turn;

template <pd_u32 n> PD_FN void cra_next(cra_turn &turn)
{
    if (++turn.at == n) turn.at = 0u, turn.parity ^= 1u;
}

PD_FN crl_place cra_place(pd_u32 all, pd_u32 blocks, const padic_k_rollout_tile_params &k)
{
    const pd_u32 block = all % blocks, rest = all / blocks;
    return crl_place_of(rest % k.tiles, block, rest / k.tiles, k);
}

// The inputs of all chunks of all tiles of the group.
PD_FN void cra_reader(const pd_f32 *fields, pd_u32 base, pd_u32 tiles, pd_u32 blocks,
                      const padic_k_rollout_tile_params &k)
{
    const pd_u32 cells = k.height * k.width;
    cra_turn turn = {0u, 1u};
    for (pd_u32 t = PD_GRP; t < tiles; t += PD_NGRP) {
        const crl_place p = cra_place(t, blocks, k);
        const uint4 *in = (const uint4 *)(fields + k.in + (pd_u64)p.slot * k.step);
        pd_u32 cell[(CRL_ALL + CRA_READERS - 1u) / CRA_READERS];
#pragma unroll
        for (pd_u32 i = 0u; i < (CRL_ALL + CRA_READERS - 1u) / CRA_READERS; i++)
            cell[i] = crl_cell(PD_LID + CRA_READERS * i, p, k);
        for (pd_u32 chunk = 0u; chunk < k.inputs / 64u; chunk++) {
            cud_wait(cra_inputs_come(base, 2u + turn.at), turn.parity);
#pragma unroll
            for (pd_u32 i = 0u; i < (CRL_ALL + CRA_READERS - 1u) / CRA_READERS; i++) {
                const pd_u32 at = PD_LID + CRA_READERS * i, bytes = cell[i] < cells ? 16u : 0u;
                const uint4 *from = in + chunk * 8u * cells + (bytes > 0u ? cell[i] : 0u);
                const pd_u32 to = base + turn.at * CRA_INPUTS + 16u * at;
                if (at < CRL_ALL)
#pragma unroll
                    for (pd_u32 block = 0u; block < 8u; block++)
                        asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(
                                         to + 16u * block * CRL_ALL),
                                     "l"(from + block * cells), "r"(bytes)
                                     : "memory");
            }
            asm volatile("cp.async.wait_all;\n\tfence.proxy.async.shared::cta;" ::: "memory");
            cud_arrive(cra_inputs_come(base, turn.at));
            cra_next<2u>(turn);
        }
    }
}

// The weights of all taps of all chunks.
PD_FN void cra_fetcher(const uint4 *halves, pd_u32 base, pd_u32 tiles, pd_u32 blocks,
                       const padic_k_rollout_tile_params &k)
{
    const pd_u32 each = k.inputs / 64u * PD_ROLLOUT_SPAN * PD_ROLLOUT_SPAN;
    cra_turn turn = {0u, 1u};
    for (pd_u32 t = PD_GRP; t < tiles; t += PD_NGRP) {
        const crl_place p = cra_place(t, blocks, k);
        const uint4 *w = halves + k.w +
                         (pd_u64)((k.first + p.slot) / k.per_operator) * k.w_each +
                         (pd_u64)p.block * each * (CRA_WEIGHTS / 16u);
        for (pd_u32 i = 0u; i < each; i++) {
            const pd_u32 come = cra_weights_come(base, turn.at);
            cud_wait(cra_weights_come(base, CRA_STAGES + turn.at), turn.parity);
            asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(come),
                         "r"(CRA_WEIGHTS)
                         : "memory");
            asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes "
                         "[%0], [%1], %2, [%3];" ::"r"(base + 2u * CRA_INPUTS +
                                                       turn.at * CRA_WEIGHTS),
                         "l"(w + (pd_u64)i * (CRA_WEIGHTS / 16u)), "r"(CRA_WEIGHTS), "r"(come)
                         : "memory");
            cra_next<CRA_STAGES>(turn);
        }
    }
}

// Of local memory from `address` on, for the tensor cores: 8 places of a sum are so many bytes
// apart, and 8 cells or outputs.
PD_FN pd_u64 cra_matrix(pd_u32 address, pd_u32 places, pd_u32 lines)
{
    return (pd_u64)(address >> 4) | (pd_u64)(places >> 4) << 16 | (pd_u64)(lines >> 4) << 32;
}

#define CRA_8(d, i)                                                                              \
    "+f"(d[i]), "+f"(d[i + 1]), "+f"(d[i + 2]), "+f"(d[i + 3]), "+f"(d[i + 4]), "+f"(d[i + 5]), \
        "+f"(d[i + 6]), "+f"(d[i + 7])
#if PD_ROLLOUT_F16
#define CRA_TYPES "f32.f16.f16 "
#else
#define CRA_TYPES "f32.bf16.bf16 "
#endif

// 64 cells, CRL_N channels, 16 places: d = d joins + a b.
PD_FN void cra_multiply(pd_f32 *d, pd_u64 a, pd_u64 b, pd_u32 joins)
{
#if PD_ROLLOUT_N == 128
    asm volatile("{\n\t"
                 ".reg .pred joins;\n\t"
                 "setp.ne.b32 joins, %66, 0;\n\t"
                 "wgmma.mma_async.sync.aligned.m64n128k16." CRA_TYPES
                 "{%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, "
                 "%16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31, "
                 "%32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47, "
                 "%48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, %61, %62, %63},"
                 " %64, %65, joins, 1, 1, 0, 0;\n\t"
                 "}"
                 : CRA_8(d, 0), CRA_8(d, 8), CRA_8(d, 16), CRA_8(d, 24), CRA_8(d, 32),
                   CRA_8(d, 40), CRA_8(d, 48), CRA_8(d, 56)
                 : "l"(a), "l"(b), "r"(joins));
#else
    asm volatile("{\n\t"
                 ".reg .pred joins;\n\t"
                 "setp.ne.b32 joins, %34, 0;\n\t"
                 "wgmma.mma_async.sync.aligned.m64n64k16." CRA_TYPES
                 "{%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, "
                 "%16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31},"
                 " %32, %33, joins, 1, 1, 0, 0;\n\t"
                 "}"
                 : CRA_8(d, 0), CRA_8(d, 8), CRA_8(d, 16), CRA_8(d, 24)
                 : "l"(a), "l"(b), "r"(joins));
#endif
}

// The sums of a tile: the warps' eight rows, left and right half.
PD_FN void cra_sums(pd_f32 *sum, pd_u32 base, cra_turn &inputs, cra_turn &weights,
                    const padic_k_rollout_tile_params &k)
{
    const pd_u32 half = __shfl_sync(0xffffffffu, (PD_LID >> 7) & 1u, 0); // as tile.cu has warps
    pd_u32 joins = 0u, before = 0u, old = 0u; // barriers to arrive at once the sums are there
#pragma unroll 1
    for (pd_u32 chunk = 0u; chunk < k.inputs / 64u; chunk++) {
        const pd_u32 from = base + inputs.at * CRA_INPUTS + 128u * half * CRL_PITCH;
        cud_wait(cra_inputs_come(base, inputs.at), inputs.parity);
#pragma unroll 1
        for (pd_u32 tap = 0u; tap < PD_ROLLOUT_SPAN * PD_ROLLOUT_SPAN; tap++) {
            const pd_u32 dy = tap / PD_ROLLOUT_SPAN, dx = tap - dy * PD_ROLLOUT_SPAN;
            const pd_u64 a =
                cra_matrix(from + 16u * (dy * CRL_PITCH + dx), 16u * CRL_ALL, 16u * CRL_PITCH);
            const pd_u64 b = cra_matrix(base + 2u * CRA_INPUTS + weights.at * CRA_WEIGHTS,
                                        16u * CRL_N, 128u);
            cud_wait(cra_weights_come(base, weights.at), weights.parity);
            asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
#pragma unroll
            for (pd_u32 i = 0u; i < 4u; i++) {
                cra_multiply(sum, a + 2u * CRL_ALL * i, b + 2u * CRL_N * i, joins);
                cra_multiply(sum + CRL_N / 2u, a + 2u * CRL_ALL * i + 8u, b + 2u * CRL_N * i,
                             joins);
                joins = 1u;
            }
            asm volatile("wgmma.commit_group.sync.aligned;\n\twgmma.wait_group.sync.aligned 1;" ::
                             : "memory");
            if (before > 0u && PD_LID % 32u == 0u) cud_arrive(before);
            if (old > 0u && PD_LID % 32u == 0u) cud_arrive(old);
            before = cra_weights_come(base, CRA_STAGES + weights.at);
            old = tap + 1u < PD_ROLLOUT_SPAN * PD_ROLLOUT_SPAN
                      ? 0u
                      : cra_inputs_come(base, 2u + inputs.at);
            cra_next<CRA_STAGES>(weights);
        }
        cra_next<2u>(inputs);
    }
    asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
    if (PD_LID % 32u == 0u) {
        cud_arrive(before);
        cud_arrive(old);
    }
}
#endif

PD_KERNEL_MIN(padic_k_cuda_rollout_ring_conv, 384, 1)
(PD_BUF(pd_f32, fields), PD_CBUF(pd_f32, weights), PD_CBUF(uint4, halves), PD_BUF(pd_u32, words),
 PD_PARAMS(padic_k_rollout_tile_params, k))
{
#if defined(__CUDA_ARCH_FEAT_SM90_ALL)
    extern __shared__ __align__(128) pd_u8 cra_space[];
    const pd_u32 base = (pd_u32)__cvta_generic_to_shared(cra_space);
    const pd_u32 blocks = k.outputs / CRL_N, tiles = k.tiles * blocks * k.count;
    if (PD_LID < 2u) {
        cud_begin(cra_inputs_come(base, PD_LID), CRA_READERS);
        cud_begin(cra_inputs_come(base, 2u + PD_LID), 8u);
    } else if (PD_LID < 2u + CRA_STAGES) {
        cud_begin(cra_weights_come(base, PD_LID - 2u), 1u);
        cud_begin(cra_weights_come(base, CRA_STAGES + PD_LID - 2u), 8u);
    }
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    __syncthreads();
    if (PD_LID < 128u) {
        asm volatile("setmaxnreg.dec.sync.aligned.u32 56;");
        if (PD_LID < CRA_READERS) cra_reader(fields, base, tiles, blocks, k);
        else if (PD_LID == CRA_READERS) cra_fetcher(halves, base, tiles, blocks, k);
    } else {
        cra_turn inputs = {0u, 0u}, of_weights = {0u, 0u};
        asm volatile("setmaxnreg.inc.sync.aligned.u32 224;");
        for (pd_u32 t = PD_GRP; t < tiles; t += PD_NGRP) {
            pd_f32 sum[CRL_N];
            const crl_place p = cra_place(t, blocks, k);
            cra_sums(sum, base, inputs, of_weights, k);
            crl_complete<false>(sum, (pd_f32 *)(cra_space + CRA_ROOM), fields, weights, p, k);
            crl_keep<false>(sum, fields, words, p, k);
        }
    }
#else
    (void)fields, (void)weights, (void)halves, (void)words, (void)k; // only for sm_90
#endif
}
