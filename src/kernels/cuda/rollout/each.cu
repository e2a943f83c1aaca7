// program: cuda_rollout_each
// texts: half.cu ../../rollout/number.cl ../../rollout/random.cl ../../rollout/policy.cl
// texts: read.cu map.cu
// each.cu: of fields of 16 bits what is done cell by cell: norms, their maps where a convolution
// leaves these to a launch of its own, sums of fields, and the end of an evaluation: noise, the
// last 1 x 1 convolution, policy, check, frame, status. The twins of padic_k_rollout_each,
// padic_k_rollout_noise and those of rollout.cl.
//
// arch: sm_80
// variant: PD_ROLLOUT_F16=1 PD_ROLLOUT_NOISE=2
// variant: PD_ROLLOUT_NOISE=0 PD_ROLLOUT_IN=2 PD_ROLLOUT_OUT=1
// variant: PD_ROLLOUT_OUT=3
// variant: PD_ROLLOUT_NOISE=3
// variant: PD_ROLLOUT_NOISE=4
#define CRE_CELLS 128u    // of a group of the end
#define CRE_CHANNELS 512u  // at most, of its input
#ifndef PD_ROLLOUT_NOISE
#define PD_ROLLOUT_NOISE 1 // its type plus 1; 0: none
#endif
#ifndef PD_ROLLOUT_OUT
#define PD_ROLLOUT_OUT 4u // channels of X
#endif
#define CRE_NOISE (PD_ROLLOUT_NOISE - 1u)

typedef struct {
    pd_u32 in, map, act, other, other_map, other_act; // maps, other: plus 1, 0: none
    pd_u32 out, blocks, cells, step;
} padic_k_cuda_rollout_each_join_params;

PD_FN pd_u32 cre_plus(pd_u32 a, pd_u32 b)
{
    return crl_pair(crl_low(a) + crl_low(b), crl_high(a) + crl_high(b));
}

// Another activation than the variant's: a call, so that code stays small.
static __device__ __noinline__ pd_f32 cre_act(pd_f32 x, pd_u32 act)
{
    return rollout_act(x, act);
}

PD_FN pd_u32 cre_pair(pd_u32 two, const pd_f32 *a, const pd_f32 *b, pd_u32 act)
{
    if (act == PD_ROLLOUT_IN) return crl_pair_as<PD_ROLLOUT_IN>(two, a[0], b[0], a[1], b[1]);
    return crl_pair(cre_act(PD_FMA(a[0], crl_low(two), b[0]), act),
                    cre_act(PD_FMA(a[1], crl_high(two), b[1]), act));
}

// Four cells of a thread with a norm, the variant's activation, or any.
template <bool own>
PD_FN pd_u32 cre_norm(uint4 *v, const pd_f32 *map, pd_u32 channels, pd_u32 block, pd_u32 act)
{
    const crl_map m = crl_map_of(map, channels, block);
    pd_u32 bad = 0u;
#pragma unroll
    for (pd_u32 i = 0u; i < 4u; i++) {
        if (own) {
            v[i] = crl_mapped_as<PD_ROLLOUT_IN>(v[i], m);
        } else {
            v[i].x = cre_pair(v[i].x, m.a, m.b, act);
            v[i].y = cre_pair(v[i].y, m.a + 2, m.b + 2, act);
            v[i].z = cre_pair(v[i].z, m.a + 4, m.b + 4, act);
            v[i].w = cre_pair(v[i].w, m.a + 6, m.b + 6, act);
        }
        bad |= crl_any_bad(v[i]);
    }
    return bad;
}

// 1,024 cells of a block of 8 channels by a group.
template <bool own>
PD_FN pd_u32 cre_join(pd_f32 *fields, const padic_k_cuda_rollout_each_join_params &k)
{
    const pd_u64 of = (pd_u64)PD_GRP_Z * k.step;
    const pd_u32 block = PD_GRP_Y, first = PD_GRP * 1024u + PD_LID;
    const uint4 *in = (const uint4 *)(fields + k.in + of) + block * k.cells;
    const uint4 *other = (const uint4 *)(fields + k.other - 1u + of) + block * k.cells;
    uint4 *out = (uint4 *)(fields + k.out + of) + block * k.cells;
    uint4 v[4], u[4];
    pd_u32 bad = 0u;
#pragma unroll
    for (pd_u32 i = 0u; i < 4u; i++) {
        v[i] = u[i] = make_uint4(0u, 0u, 0u, 0u);
        if (first + 256u * i < k.cells) v[i] = in[first + 256u * i];
        if (first + 256u * i < k.cells && k.other > 0u) u[i] = other[first + 256u * i];
    }
    if (k.map > 0u)
        bad |= cre_norm<own>(v, fields + k.map - 1u + of, 8u * k.blocks, block, k.act);
    if (k.other_map > 0u)
        bad |= cre_norm<own>(u, fields + k.other_map - 1u + of, 8u * k.blocks, block,
                             k.other_act);
#pragma unroll
    for (pd_u32 i = 0u; i < 4u; i++) {
        if (k.other > 0u)
            v[i] = make_uint4(cre_plus(v[i].x, u[i].x), cre_plus(v[i].y, u[i].y),
                              cre_plus(v[i].z, u[i].z), cre_plus(v[i].w, u[i].w));
        bad |= crl_any_bad(v[i]);
        if (first + 256u * i < k.cells) out[first + 256u * i] = v[i];
    }
    return first < k.cells ? bad : 0u;
}

PD_KERNEL_MIN(padic_k_cuda_rollout_each_join, 256, 4)
(PD_BUF(pd_f32, fields), PD_BUF(pd_u32, words),
 PD_PARAMS(padic_k_cuda_rollout_each_join_params, k))
{
    pd_u32 bad;
    if ((k.map == 0u || k.act == PD_ROLLOUT_IN) &&
        (k.other_map == 0u || k.other_act == PD_ROLLOUT_IN))
        bad = cre_join<true>(fields, k);
    else
        bad = cre_join<false>(fields, k);
    if (bad > 0u) atomicOr(words + CRL_WORDS * PD_GRP_Z + CRL_BAD, 1u);
}

// ---- maps of norms for which no tile's group has time

typedef struct {
    pd_u32 height, width, tiles, across, outputs, group; // tile.cu
    pd_u32 moments, map, affine, step, parameters, first, per_operator;
    pd_f32 eps;
} padic_k_cuda_rollout_each_map_params;

// Of 32 channels by a group, or, where a norm is over several, of all.
PD_KERNEL_WG(padic_k_cuda_rollout_each_map, 256)
(PD_BUF(pd_f32, fields), PD_CBUF(pd_f32, weights),
 PD_PARAMS(padic_k_cuda_rollout_each_map_params, k))
{
    const crl_grid g = {k.height, k.width, k.tiles, k.across, k.outputs};
    const pd_u64 of = (pd_u64)PD_GRP_Z * k.step;
    const pd_u32 net = (k.first + PD_GRP_Z) / k.per_operator * k.parameters;
    const crl_norm_of norm = {k.group, k.eps, k.affine > 0u ? weights + net + k.affine - 1u : 0};
    const pd_u32 padded = (k.outputs + 15u) / 16u * 16u, first = 32u * PD_GRP;
    crl_norm((const float2 *)(fields + k.moments + of), fields + k.map + of, first,
             k.group > 1u || padded - first < 32u ? padded : first + 32u, norm, g);
}

// ---- weights

typedef struct {
    pd_u32 inputs, outputs, taps, blocks, n, chunks, count; // of a convolution: tile.cu; all
    pd_u32 w, parameters, to, each; // in numbers, of an operator; in 16 bytes
} padic_k_cuda_rollout_each_halves_params;

// (in, tap, out) in f32 becomes (block of n outputs, chunk, tap, 8 inputs, n, 8).
PD_KERNEL_WG(padic_k_cuda_rollout_each_halves, 256)
(PD_CBUF(pd_f32, weights), PD_BUF(uint4, halves), PD_BUF(pd_u32, faulty),
 PD_PARAMS(padic_k_cuda_rollout_each_halves_params, k))
{
    const pd_u32 e = PD_GRP * 256u + PD_LID, n = e % k.n, i = e / k.n;
    const pd_u32 block = i % k.blocks, tap = i / k.blocks % k.taps;
    const pd_u32 chunk = i / k.blocks / k.taps % k.chunks;
    const pd_u32 o = i / k.blocks / k.taps / k.chunks * k.n + n;
    const pd_u32 input = (chunk * k.blocks + block) * 8u;
    pd_f32 w[8];
    uint4 v;
    if (e >= k.count) return;
#pragma unroll
    for (pd_u32 j = 0u; j < 8u; j++) {
        w[j] = 0.0f;
        if (input + j < k.inputs && o < k.outputs)
            w[j] = weights[(pd_u64)PD_GRP_Y * k.parameters + k.w +
                           ((input + j) * k.taps + tap) * k.outputs + o];
    }
    v = make_uint4(crl_pair(w[0], w[1]), crl_pair(w[2], w[3]), crl_pair(w[4], w[5]),
                   crl_pair(w[6], w[7]));
    if (crl_any_bad(v)) atomicOr(faulty + PD_GRP_Y, 1u);
    halves[k.to + (pd_u64)PD_GRP_Y * k.each + e] = v;
}

// ---- the end

typedef struct {
    pd_u32 in, map, blocks, channels, cells, step;       // the last convolution's input
    pd_u32 site, t, seed_low, seed_high;
    pd_u32 ids, realisations, scales, clock, apart, last; // as in rollout/noise.cl
    pd_u32 w, bias, parameters, first, per_operator; // bias: plus 1
    pd_u32 result;                                       // plus 1: O goes there, and that is all
    pd_u32 x, policy, status, frame, frames, wanted, out_low, out_high;
    pd_f32 limit;
} padic_k_cuda_rollout_each_end_params;

// What noise is of: a trajectory's, at a step.
typedef struct {
    pd_u32 low, high, t, seed_low, seed_high;
    pd_f32 s, kept;
} cre_noise;

// rollout_philox() by whole products.
PD_FN rollout_words cre_philox(pd_u32 block, const cre_noise &n)
{
    rollout_words w;
    pd_u32 k0 = n.seed_low, k1 = n.seed_high;
    w.a = block;
    w.b = n.t;
    w.c = n.low;
    w.d = n.high;
#pragma unroll
    for (pd_u32 round = 0u; round < 10u; round++) {
        const pd_u64 p = PD_MULWIDE(0xd2511f53u, w.a), q = PD_MULWIDE(0xcd9e8d57u, w.c);
        w.a = (pd_u32)(q >> 32) ^ w.b ^ k0;
        w.c = (pd_u32)(p >> 32) ^ w.d ^ k1;
        w.b = (pd_u32)q;
        w.d = (pd_u32)p;
        k0 += 0x9e3779b9u;
        k1 += 0xbb67ae85u;
    }
    return w;
}

// |z| of the normal number of a word, to 2^-13; its sign is the word's first bit. q: the other 31
// and 1/2 as a fraction of 2^32. |z| = (1 - 2q) p(sqrt(9/4 - log2(4q (1 - q)))), a minimax p.
PD_FN pd_f32 cre_normal(pd_u32 word)
{
    const pd_f32 y = (pd_f32)(word << 1 | 1u); // 2^33 q
    const pd_f32 rest = PD_FMA(y, -1.16415321826934814e-10f, 1.0f); // 1 - q
    pd_f32 u, p;
    asm("lg2.approx.ftz.f32 %0, %1;" : "=f"(u) : "f"(y * 4.65661287307739258e-10f * rest));
    asm("sqrt.approx.ftz.f32 %0, %1;" : "=f"(u) : "f"(2.25f - u));
    p = PD_FMA(u, 0.00050245093f, -0.013367588f);
    p = PD_FMA(u, p, 0.14667498f);
    p = PD_FMA(u, p, -0.84782181f);
    p = PD_FMA(u, p, 2.7111562f);
    p = PD_FMA(u, p, -4.5056546f);
    p = PD_FMA(u, p, 4.2049615f);
    p = PD_FMA(u, p, -0.74463373f);
    return p * PD_FMA(y, -2.32830643653869629e-10f, 1.0f);
}

PD_FN pd_f32 cre_noisy(pd_f32 x, pd_u32 word, const cre_noise &n)
{
    const pd_f32 size = CRE_NOISE == ROLLOUT_LAPLACE ? rollout_laplace(word) : cre_normal(word);
    const pd_u32 sign = CRE_NOISE == ROLLOUT_LAPLACE ? 0u : word & 0x80000000u;
    const pd_f32 s = PD_AS_F32(PD_AS_U32(n.s) ^ sign);
    return CRE_NOISE == ROLLOUT_MULTIPLICATIVE ? PD_FMA(x, s * size, x) : PD_FMA(s, size, x);
}

// Noise of channel c, of four cells from `cell` on.
PD_FN void cre_disturb(pd_f32 *x, pd_u32 c, pd_u32 cell, pd_u32 cells, const cre_noise &n)
{
    if (CRE_NOISE == ROLLOUT_DROPOUT) {
        const rollout_words all = cre_philox(c / 4u, n);
        const pd_u32 own = rollout_word(all, c % 4u) >> 8;
        const pd_f32 by = (pd_f32)own * (1.0f / 16777216.0f) < n.s ? 0.0f : n.kept;
#pragma unroll
        for (pd_u32 i = 0u; i < 4u; i++) x[i] = by > 0.0f ? x[i] * by : 0.0f;
    } else if (cells % 4u == 0u) {
        const rollout_words w = cre_philox((c * cells + cell) / 4u, n);
        x[0] = cre_noisy(x[0], w.a, n);
        x[1] = cre_noisy(x[1], w.b, n);
        x[2] = cre_noisy(x[2], w.c, n);
        x[3] = cre_noisy(x[3], w.d, n);
    } else {
#pragma unroll 1
        for (pd_u32 i = 0u; i < 4u; i++) {
            const pd_u32 e = c * cells + cell + i;
            const rollout_words w = cre_philox(e / 4u, n);
            const pd_u32 word = rollout_word(w, e % 4u);
            if (i == 0u) x[0] = cre_noisy(x[0], word, n);
            if (i == 1u) x[1] = cre_noisy(x[1], word, n);
            if (i == 2u) x[2] = cre_noisy(x[2], word, n);
            if (i == 3u) x[3] = cre_noisy(x[3], word, n);
        }
    }
}

PD_FN pd_u32 cre_time(const pd_u32 *tables, const padic_k_cuda_rollout_each_end_params &k)
{
    return k.clock > 0u ? tables[k.clock - 1u] : k.t;
}

PD_FN cre_noise cre_noise_of(const pd_u32 *tables, const padic_k_cuda_rollout_each_end_params &k)
{
    const pd_u32 trajectory = k.first + PD_GRP_Z, op = trajectory / k.per_operator;
    const pd_u32 t = cre_time(tables, k);
    const pd_u32 scales = k.scales + 2u * op + k.apart * (t < k.last ? t : k.last);
    cre_noise n;
    n.low = n.high = 0u;
    n.s = n.kept = 0.0f;
    n.t = t;
    n.seed_low = k.seed_low;
    n.seed_high = k.seed_high;
    if (PD_ROLLOUT_NOISE == 0) return n;
    n.low = tables[k.ids + op];
    n.high = tables[k.realisations + trajectory - op * k.per_operator] << 12 | k.site << 4 |
             (CRE_NOISE == ROLLOUT_DROPOUT ? 5u : 4u);
    n.s = PD_AS_F32(tables[scales]);
    n.kept = PD_AS_F32(tables[scales + 1u]);
    return n;
}

// Four cells of channel c, with noise, to the sums.
PD_FN pd_u32 cre_add(pd_f32 *sum, pd_f32 *x, const float4 by, pd_u32 c, pd_u32 cell,
                     const cre_noise &n, const padic_k_cuda_rollout_each_end_params &k)
{
    pd_u32 bad = 0u;
    if (PD_ROLLOUT_NOISE > 0 && c < k.channels) {
        cre_disturb(x, c, cell, k.cells, n);
        const pd_u32 a = crl_pair(x[0], x[1]), b = crl_pair(x[2], x[3]);
        bad = crl_bad(a) | crl_bad(b);
        x[0] = crl_low(a), x[1] = crl_high(a), x[2] = crl_low(b), x[3] = crl_high(b);
    }
#pragma unroll
    for (pd_u32 i = 0u; i < 4u; i++) {
        pd_f32 *own = sum + PD_ROLLOUT_OUT * i;
        own[0] = PD_FMA(x[i], by.x, own[0]);
        if (PD_ROLLOUT_OUT > 1u) own[1] = PD_FMA(x[i], by.y, own[1]);
        if (PD_ROLLOUT_OUT > 2u) own[2] = PD_FMA(x[i], by.z, own[2]);
        if (PD_ROLLOUT_OUT > 3u) own[3] = PD_FMA(x[i], by.w, own[3]);
    }
    return bad;
}

// Channels 2 pair and the next of four cells.
PD_FN void cre_words(pd_u32 *two, const pd_u32 *in, pd_u32 pair, pd_u32 cell, pd_u32 cells)
{
#pragma unroll
    for (pd_u32 i = 0u; i < 4u; i++) {
        two[i] = 0u;
        if (cell + i < cells) two[i] = in[(pair / 4u * cells + cell + i) * 4u + pair % 4u];
    }
}

// A warp's share of the sums of four cells: pairs of channels warp, warp + 8, ...; the next pair
// comes while one is worked on.
PD_FN pd_u32 cre_share(pd_f32 *sum, const pd_f32 *fields, const float4 *w, const cre_noise &n,
                       pd_u32 cell, const padic_k_cuda_rollout_each_end_params &k)
{
    const pd_u64 of = (pd_u64)PD_GRP_Z * k.step;
    const pd_u32 *in = (const pd_u32 *)(fields + k.in + of);
    const pd_f32 *map = fields + k.map - 1u + of;
    pd_u32 bad = 0u, two[4];
    cre_words(two, in, PD_LID / 32u, cell, k.cells);
#pragma unroll 1
    for (pd_u32 pair = PD_LID / 32u; pair < 4u * k.blocks; pair += 8u) {
        const pd_u32 c = 2u * pair;
        pd_f32 x[4], y[4];
        pd_u32 next[4];
        if (pair + 8u < 4u * k.blocks) cre_words(next, in, pair + 8u, cell, k.cells);
        if (k.map > 0u) {
            const float2 a = *(const float2 *)(map + c);
            const float2 b = *(const float2 *)(map + 8u * k.blocks + c);
#pragma unroll
            for (pd_u32 i = 0u; i < 4u; i++) {
                two[i] = crl_pair_as<PD_ROLLOUT_IN>(two[i], a.x, b.x, a.y, b.y);
                bad |= crl_bad(two[i]);
            }
        }
#pragma unroll
        for (pd_u32 i = 0u; i < 4u; i++) x[i] = crl_low(two[i]), y[i] = crl_high(two[i]);
        bad |= cre_add(sum, x, w[c], c, cell, n, k);
        bad |= cre_add(sum, y, w[c + 1u], c + 1u, cell, n, k);
#pragma unroll
        for (pd_u32 i = 0u; i < 4u; i++) two[i] = next[i];
    }
    return cell < k.cells ? bad : 0u;
}

// The status of a trajectory whose X is there: rollout/rollout.cl, REPORT.
PD_FN void cre_status(pd_u32 *status, pd_u32 *own, pd_u32 t,
                      const padic_k_cuda_rollout_each_end_params &k)
{
    const pd_u32 bad = atomicExch(own + CRL_BAD, 0u) | atomicExch(own + CRL_INFINITE, 0u);
    const pd_f32 size = PD_AS_F32(atomicExch(own + CRL_MOST, 0u));
    pd_u32 *is = status + k.status + 4u * (k.first + PD_GRP_Z);
    const pd_f32 before = PD_AS_F32(is[2]), most = size > before ? size : before;
    const pd_u32 code = bad > 0u ? 1u : most > k.limit ? 2u : 0u;
    own[CRL_TICKET] = 0u;
    if (is[0] > 0u) return;
    is[0] = code;
    is[1] = code > 0u ? t : 0u;
    is[2] = PD_AS_U32(most);
    if (code == 0u) is[3] = t;
}

// X of the group's cells from the sums of all warps in `room`.
PD_FN void cre_finish(const pd_f32 *room, pd_f32 *fields, const pd_f32 *weights,
                      const pd_u32 *tables, pd_u32 *words, pd_f32 *out,
                      const padic_k_cuda_rollout_each_end_params &k)
{
    const pd_u32 op = (k.first + PD_GRP_Z) / k.per_operator, net = op * k.parameters;
    const pd_u64 frame = (pd_u64)(k.first + PD_GRP_Z) * k.frames + k.frame;
    const pd_u64 to = PD_U64(k.out_low, k.out_high) + frame * ((pd_u64)PD_ROLLOUT_OUT * k.cells);
    pd_f32 most = 0.0f;
    pd_u32 infinite = 0u;
    for (pd_u32 e = PD_LID; e < CRE_CELLS * PD_ROLLOUT_OUT; e += 256u) {
        const pd_u32 o = e / CRE_CELLS, i = e % CRE_CELLS, cell = PD_GRP * CRE_CELLS + i;
        const pd_u32 at = o * k.cells + cell;
        pd_f32 x = k.bias > 0u ? weights[net + k.bias - 1u + o] : 0.0f;
        if (cell >= k.cells) continue;
#pragma unroll
        for (pd_u32 warp = 0u; warp < 8u; warp++)
            x += room[(warp * CRE_CELLS + i) * PD_ROLLOUT_OUT + o];
        if (k.result > 0u) {
            fields[k.result - 1u + (pd_u64)PD_GRP_Z * k.step + at] = x;
            continue;
        }
        pd_f32 *own = fields + k.x + (pd_u64)PD_GRP_Z * k.step + at;
        x = rollout_policy(tables, k.policy + ROLLOUT_POLICY * op, *own, x);
        *own = x;
        if (k.wanted > 0u) out[to + at] = x;
        if (!(x - x == 0.0f)) infinite = 1u;
        else most = fmaxf(most, PD_FABS(x));
    }
    if (k.result > 0u) return;
    most = PD_AS_F32(__reduce_max_sync(0xffffffffu, PD_AS_U32(most)));
    infinite = __reduce_or_sync(0xffffffffu, infinite);
    if (PD_LID % 32u == 0u) {
        atomicMax(words + CRL_WORDS * PD_GRP_Z + CRL_MOST, PD_AS_U32(most));
        if (infinite > 0u) atomicOr(words + CRL_WORDS * PD_GRP_Z + CRL_INFINITE, 1u);
    }
}

PD_KERNEL_MIN(padic_k_cuda_rollout_each_end, 256, 3)
(PD_BUF(pd_f32, fields), PD_CBUF(pd_f32, weights), PD_CBUF(pd_u32, tables), PD_BUF(pd_u32, words),
 PD_BUF(pd_f32, out), PD_BUF(pd_u32, status), PD_PARAMS(padic_k_cuda_rollout_each_end_params, k))
{
    PD_LOCAL float4 w[CRE_CHANNELS];
    PD_LOCAL float4 room[2u * PD_ROLLOUT_OUT * CRE_CELLS];
    const pd_u32 net = (k.first + PD_GRP_Z) / k.per_operator * k.parameters + k.w;
    const pd_u32 lane = PD_LID % 32u;
    const cre_noise n = cre_noise_of(tables, k);
    pd_f32 sum[4u * PD_ROLLOUT_OUT];
    pd_u32 bad;
    for (pd_u32 c = PD_LID; c < 8u * k.blocks; c += 256u) {
        pd_f32 v[4];
#pragma unroll
        for (pd_u32 o = 0u; o < 4u; o++) {
            v[o] = 0.0f;
            if (c < k.channels && o < PD_ROLLOUT_OUT)
                v[o] = crl_low(crl_pair(weights[net + c * PD_ROLLOUT_OUT + o], 0.0f));
        }
        w[c] = make_float4(v[0], v[1], v[2], v[3]);
    }
    __syncthreads();
#pragma unroll
    for (pd_u32 i = 0u; i < 4u * PD_ROLLOUT_OUT; i++) sum[i] = 0.0f;
    bad = cre_share(sum, fields, w, n, PD_GRP * CRE_CELLS + 4u * lane, k);
    if (bad > 0u) atomicOr(words + CRL_WORDS * PD_GRP_Z + CRL_BAD, 1u);
#pragma unroll
    for (pd_u32 i = 0u; i < PD_ROLLOUT_OUT; i++)
        room[PD_LID * PD_ROLLOUT_OUT + i] =
            make_float4(sum[4u * i], sum[4u * i + 1u], sum[4u * i + 2u], sum[4u * i + 3u]);
    __syncthreads();
    cre_finish((const pd_f32 *)room, fields, weights, tables, words, out, k);
    if (k.result > 0u) return;
    __syncthreads();
    if (PD_LID == 0u) {
        __threadfence(); // all that the barrier has ordered before it
        pd_u32 *own = words + CRL_WORDS * PD_GRP_Z;
        if (atomicAdd(own + CRL_TICKET, 1u) + 1u == PD_NGRP)
            cre_status(status, own, cre_time(tables, k), k);
    }
}

// ---- what 16 bits could not hold, for rollout/rollout.cl's judge

typedef struct {
    pd_u32 count, partial, step; // trajectories; the first number of a group's: whether it is bad
} padic_k_cuda_rollout_each_mark_params;

PD_KERNEL_WG(padic_k_cuda_rollout_each_mark, 256)
(PD_BUF(pd_f32, fields), PD_BUF(pd_u32, words), PD_PARAMS(padic_k_cuda_rollout_each_mark_params, k))
{
    const pd_u32 slot = PD_GRP * 256u + PD_LID;
    if (slot >= k.count) return;
    if (words[CRL_WORDS * slot + CRL_BAD] > 0u) fields[k.partial + (pd_u64)slot * k.step] = 1.0f;
    words[CRL_WORDS * slot + CRL_BAD] = 0u;
}
