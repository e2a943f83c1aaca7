// program: cuda_pq_attend
// texts: ../../pq/number.cl ../../pq/attention.cl cluster.cu split.cu heads.cu
// attend.cu: attention to keys and values of 16 bits, PD_PQ_D components each, on devices whose f64
// is fast. The twin of padic_k_pq_attend_split, with other splits: products <q, k> are sums in f64,
// values are summed over four keys in f32, then in f64.
//
// A warp has a split: 16 entries of a query that has up to 2,048, else 256. `many` leaves sums of
// splits to `join`, and reads keys once for PD_PQ_HEADS heads of a head of keys (heads.cu). `few`
// has four groups for a query, of which the last one joins all; `waiting` counts them, and is left
// 0. Splits are added in eight chains, every eighth one in f64, then the chains in their order.
//
// arch: sm_90
// variant: PD_PQ_BF16=1
// variant: PD_PQ_D=64
// variant: PD_PQ_D=256
// variant: PD_PQ_HEADS=2 PD_PQ_D=64 PD_PQ_BF16=1
// variant: PD_PQ_HEADS=4
// variant: PD_PQ_HEADS=4 PD_PQ_BF16=1
// variant: PD_PQ_HEADS=8
// variant: PD_PQ_HEADS=8 PD_PQ_D=64
PD_KERNEL_MIN(padic_k_cuda_pq_attend_many, 256, CPA_GROUPS)
(PD_CBUF(pd_u32, queries), PD_CBUF(pd_u32, keys), PD_CBUF(pd_u32, values), PD_CBUF(pd_u32, pages),
 PD_CBUF(pd_u32, lists), PD_CBUF(pd_u32, lengths), PD_CBUF(pd_u32, weights), PD_BUF(pd_u32, space),
 PD_PARAMS(padic_k_pq_attend_split_params, k))
{
    const pd_u32 task = PD_GRP * CPA_WARPS + PD_LID / 32u, lane = PD_LID % 32u;
    const pd_u32 own = task / k.parts * PD_PQ_HEADS, part = task % k.parts;
    const pq_place p = pq_place_of(k.first + own, k.queries, k.heads, k.per, k.flags);
    double q[PD_PQ_HEADS > 1 ? PD_PQ_D / 4u : 8u];
    cpa_sums s;
    pq_many many;
    pd_u32 word, split, parts, first, n;
    if (task >= k.tasks) return;
    many = pq_many_of(lists, lengths, p, k);
    split = many.count <= CPA_FEW ? CPA_SHORT : CPA_LONG;
    parts = (many.count + split - 1u) / split;
    first = part * split;
    n = part >= parts ? 0u : many.count - first < split ? many.count - first : split;
    if (part > 0u && n == 0u) return;
    cpa_query(q, queries, own, lane, k);
    word = cpa_split(&s, q, keys, values, pages, lists, weights, first, n, p, lane, k);
    if (part == 0u) word |= many.status;
    cpa_put(space + ((pd_u64)own * k.parts + part) * CPA_EACH, &s, word, parts, lane,
            (pd_u64)k.parts * CPA_EACH);
}

typedef struct {
    double o[CPA_CHAINS * PD_PQ_D], all[CPA_CHAINS];
    pd_f32 factor[CPA_MOST], sum[CPA_MOST];
    pd_f32 most[32];
    pd_u32 word[32], last;
} cpa_shared;
typedef char cpa_fits[sizeof(cpa_shared) <= 49152 ? 1 : -1];

// Factors of a query's splits. Returns the largest product; word: what all splits say.
PD_FN pd_f32 cpa_factors(cpa_shared *s, const pd_u32 *splits, pd_u32 parts, pd_u32 *word)
{
    pd_f32 most = PD_AS_F32(PQ_LEAST);
    pd_u32 bits = 0u, i;
    for (i = PD_LID; i < parts || i == 0u; i += blockDim.x) { // the first has a status
        const pd_u32 *split = splits + (pd_u64)i * CPA_EACH;
        const pd_f32 hi = PD_AS_F32(split[0]);
        const pd_u32 has = split[3];
        s->factor[i] = has >> 31 > 0u ? hi : PD_AS_F32(PQ_LEAST);
        s->sum[i] = PD_AS_F32(split[2]);
        most = hi > most ? hi : most;
        bits |= has;
    }
#pragma unroll
    for (i = 16u; i > 0u; i /= 2u) {
        const pd_f32 other = __shfl_xor_sync(CPA_ALL, most, (int)i);
        most = other > most ? other : most;
    }
    bits = PD_WARP_OR(bits);
    if (PD_LID % 32u == 0u) {
        s->most[PD_LID / 32u] = most;
        s->word[PD_LID / 32u] = bits;
    }
    PD_BARRIER();
    for (i = 0u; i < blockDim.x / 32u; i++) {
        most = s->most[i] > most ? s->most[i] : most;
        bits |= s->word[i];
    }
    for (i = PD_LID; i < parts; i += blockDim.x)
        s->factor[i] = s->factor[i] < -3.4e38f ? 0.0f : PD_EXP(s->factor[i] - most);
    PD_BARRIER();
    *word = bits;
    return most;
}

// The sums of all splits: of the item's component, and of the factors.
PD_FN void cpa_chains(cpa_shared *s, const pd_u32 *splits, pd_u32 parts, double *o, double *all)
{
    const pd_u32 c = PD_LID % PD_PQ_D, sides = blockDim.x / PD_PQ_D;
    for (pd_u32 chain = PD_LID / PD_PQ_D; chain < CPA_CHAINS; chain += sides) {
        double x = (double)0.0f, y = (double)0.0f;
#pragma unroll 8
        for (pd_u32 i = chain; i < parts; i += CPA_CHAINS) {
            const double f = (double)s->factor[i];
            const pd_u32 own = splits[(pd_u64)i * CPA_EACH + PQ_HEAD + c];
            x = fma(f, (double)PD_AS_F32(own), x);
            y = fma(f, (double)s->sum[i], y);
        }
        s->o[chain * PD_PQ_D + c] = x;
        if (c == 0u) s->all[chain] = y;
    }
    PD_BARRIER();
    *o = *all = (double)0.0f;
#pragma unroll
    for (pd_u32 chain = 0u; chain < CPA_CHAINS; chain++) {
        *o += s->o[chain * PD_PQ_D + c];
        *all += s->all[chain];
    }
}

// A query a group.
PD_KERNEL_MIN(padic_k_cuda_pq_attend_join, 1024, 1)
(PD_CBUF(pd_u32, space), PD_BUF(pd_f32, out), PD_BUF(pd_f32, lse), PD_BUF(pd_u32, status),
 PD_PARAMS(padic_k_pq_attend_join_params, k))
{
    PD_LOCAL __align__(16) cpa_shared s;
    const pd_u32 *splits = space + (pd_u64)PD_GRP * k.parts * CPA_EACH;
    const pd_u32 parts = splits[4];
    const pq_place p = pq_place_of(k.first + PD_GRP, k.queries, k.heads, 1u, 0u);
    pd_u32 word;
    double o, all;
    const pd_f32 most = cpa_factors(&s, splits, parts, &word);
    cpa_chains(&s, splits, parts, &o, &all);
    if (PD_LID < PD_PQ_D)
        out[k.out_at + p.row * k.out_step[0] + p.head * k.out_step[1] + p.i * k.out_step[2] +
            PD_LID * k.out_step[3]] = word >> 31 > 0u ? (pd_f32)(o / all) : 0.0f;
    if (PD_LID == 0u && (k.flags & PQ_ATTEND_LSE) > 0u)
        lse[k.lse_at + p.row * k.lse_step[0] + p.head * k.lse_step[1] + p.i * k.lse_step[2]] =
            word >> 31 > 0u ? (pd_f32)((double)most + log((double)128.0f * all))
                            : PD_AS_F32(PQ_LEAST);
    if (PD_LID == 0u && (k.flags & PQ_ATTEND_STATUS) > 0u)
        status[k.status_at + p.row * k.status_step[0] + p.head * k.status_step[1] +
               p.i * k.status_step[2]] = word & 0x7fffffffu;
}

#if PD_PQ_HEADS == 1
// Four groups a query, which have every fourth split of each warp's.
PD_KERNEL_MIN(padic_k_cuda_pq_attend_few, 256, 1)
(PD_CBUF(pd_u32, queries), PD_CBUF(pd_u32, keys), PD_CBUF(pd_u32, values), PD_CBUF(pd_u32, pages),
 PD_CBUF(pd_u32, lists), PD_CBUF(pd_u32, lengths), PD_CBUF(pd_u32, weights), PD_BUF(pd_u32, out),
 PD_PARAMS(padic_k_pq_attend_split_params, k))
{
    PD_LOCAL __align__(16) cpa_shared s;
    const pd_u32 query = PD_GRP / CPA_CTAS, warp = PD_LID / 32u, lane = PD_LID % 32u;
    const pq_place p = pq_place_of(k.first + query, k.queries, k.heads, k.per, k.flags);
    const pq_many many = pq_many_of(lists, lengths, p, k);
    const pd_u32 parts = (many.count + CPA_SHORT - 1u) / CPA_SHORT;
    pd_u32 *splits = (pd_u32 *)PD_U64(k.space_lo, k.space_hi) + (pd_u64)query * k.parts * CPA_EACH;
    pd_u32 *waiting = (pd_u32 *)PD_U64(k.waiting_lo, k.waiting_hi) + query;
    double q[8], o, all;
    cpa_sums sums;
    pd_u32 word;
    cpa_query(q, queries, query, lane, k);
    for (pd_u32 i = warp * CPA_CTAS + PD_GRP % CPA_CTAS; i < parts || i == 0u;
         i += CPA_WARPS * CPA_CTAS) {
        const pd_u32 first = i * CPA_SHORT, left = i < parts ? many.count - first : 0u;
        word = cpa_split(&sums, q, keys, values, pages, lists, weights, first,
                         left < CPA_SHORT ? left : CPA_SHORT, p, lane, k);
        cpa_put(splits + i * CPA_EACH, &sums, word, parts, lane, 0u);
    }
    __threadfence();
    PD_BARRIER();
    if (PD_LID == 0u) s.last = atomicAdd(waiting, 1u) + 1u == CPA_CTAS ? 1u : 0u;
    PD_BARRIER();
    if (s.last == 0u) return;
    if (PD_LID == 0u) *waiting = 0u;
    __threadfence();
    (void)cpa_factors(&s, splits, parts, &word);
    cpa_chains(&s, splits, parts, &o, &all);
    if (PD_LID < PD_PQ_D)
        out[k.out_at + p.row * k.out_step[0] + p.head * k.out_step[1] + p.i * k.out_step[2] +
            PD_LID * k.out_step[3]] = PD_AS_U32(word >> 31 > 0u ? (pd_f32)(o / all) : 0.0f);
}
#endif
