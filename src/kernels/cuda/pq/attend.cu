// program: cuda_pq_attend
// texts: ../../pq/number.cl ../../pq/attention.cl cluster.cu
// attend.cu: attention to keys and values of 16 bits, PD_PQ_D components each, on devices whose f64
// is fast. The twin of padic_k_pq_attend_split, with other splits: products <q, k> are sums in f64,
// values are summed over four keys in f32, then in f64.
//
// A warp has a split: 16 entries of a query that has up to 2,048, else 256. `many` leaves sums of
// splits to `join`, and reads keys once for PD_PQ_HEADS heads of a head of keys. `few` has four
// groups for a query, of which the last one joins all; `waiting` counts them, and is left 0. Splits
// are added in eight chains, every eighth one in f64, then the chains in their order.
//
// arch: sm_90
// variant: PD_PQ_BF16=1
// variant: PD_PQ_D=64
// variant: PD_PQ_D=256
// variant: PD_PQ_HEADS=4
// variant: PD_PQ_HEADS=4 PD_PQ_BF16=1
// variant: PD_PQ_HEADS=4 PD_PQ_D=64
#ifndef PD_PQ_D
#define PD_PQ_D 128u
#endif
#ifndef PD_PQ_HEADS
#define PD_PQ_HEADS 1
#endif
#ifndef PD_PQ_BF16
#define PD_PQ_BF16 0
#endif
#define CPA_LANES (PD_PQ_D / 8u)  // of a key
#define CPA_ROWS (32u / CPA_LANES) // keys at a time
#define CPA_TILE (4u * CPA_ROWS)  // keys whose products are summed together
#define CPA_HALF (CPA_LANES / 2u)
#define CPA_QUARTER (CPA_LANES / 4u)
#define CPA_WARPS 8u
#define CPA_CTAS 4u
#define CPA_FEW 2048u // entries
#define CPA_SHORT 16u // entries of a split, up to so many
#define CPA_LONG 256u
#define CPA_EACH (PQ_HEAD + PD_PQ_D)  // words of a split
#define CPA_CHAINS 8u // of splits
#define CPA_MOST 2048u // splits of a query, at most
#define CPA_ALL 0xffffffffu // lanes
// Component i of the lane's eight of a head's query: in registers, or of several heads in local
// memory, CPA_LANES apart.
#if PD_PQ_HEADS > 1
#define CPA_Q(h, i) q[(8u * (h) + (i)) * CPA_LANES]
#define CPA_GROUPS 1 // of a multiprocessor at a time
#else
#define CPA_GROUPS 2
#define CPA_Q(h, i) q[i]
#endif
#define CPA_LN2 __longlong_as_double(0x3fe62e42fefa39efll)

// What a warp's lanes have of a head: the largest product so far, the lane's sum of factors, eight
// sums of values.
typedef struct {
    pd_f32 most;
    double sum, o[8];
} cpa_sums;

PD_FN void cpa_pair(pd_u32 word, pd_f32 *to)
{
#if PD_PQ_BF16
    to[0] = PD_AS_F32(word << 16);
    to[1] = PD_AS_F32(word & 0xffff0000u);
#else
    cpq_halves(word, to);
#endif
}

PD_FN void cpa_floats(const uint4 &x, pd_f32 *to)
{
    cpa_pair(x.x, to);
    cpa_pair(x.y, to + 2);
    cpa_pair(x.z, to + 4);
    cpa_pair(x.w, to + 6);
}

// Components i and i + 1 of eight.
PD_FN void cpa_two(const uint4 &x, pd_u32 i, double *to)
{
    pd_f32 y[2];
    cpa_pair(i == 0u ? x.x : i == 2u ? x.y : i == 4u ? x.z : x.w, y);
    to[0] = (double)y[0];
    to[1] = (double)y[1];
}

PD_FN uint4 cpa_load(const pd_u32 *from, pd_u64 at, pd_u32 is)
{
    return is > 0u ? *(const uint4 *)(const void *)((const pd_u16 *)from + at)
                   : make_uint4(0u, 0u, 0u, 0u);
}

// Of four sums of each lane, that over the lanes of a key of the one which the lane has: 0, 1, 2 or
// 3, by the quarter of the lanes that it is in.
PD_FN double cpa_sum(const double *d, pd_u32 lane)
{
    const pd_u32 up = lane & CPA_HALF, right = lane & CPA_QUARTER;
    const double a = __shfl_xor_sync(CPA_ALL, up > 0u ? d[0] : d[2], (int)CPA_HALF);
    const double b = __shfl_xor_sync(CPA_ALL, up > 0u ? d[1] : d[3], (int)CPA_HALF);
    const double x = (up > 0u ? d[2] : d[0]) + a, y = (up > 0u ? d[3] : d[1]) + b;
    double sum = (right > 0u ? y : x) +
                 __shfl_xor_sync(CPA_ALL, right > 0u ? x : y, (int)CPA_QUARTER);
#pragma unroll
    for (pd_u32 i = CPA_QUARTER / 2u; i > 0u; i /= 2u)
        sum += __shfl_xor_sync(CPA_ALL, sum, (int)i);
    return sum;
}

// The largest of all lanes, of which CPA_QUARTER next to each other have the same.
PD_FN pd_f32 cpa_most(pd_f32 x)
{
    pd_f32 most = x;
#pragma unroll
    for (pd_u32 i = 16u; i >= CPA_QUARTER; i /= 2u) {
        const pd_f32 y = __shfl_xor_sync(CPA_ALL, most, (int)i);
        most = y > most ? y : most;
    }
    return most;
}

// A head's part of a tile: the products of four keys with the lane's components, the values.
PD_FN void cpa_add(cpa_sums *s, const double *dot, const uint4 *v, pd_u32 is, pd_i32 e, pd_f32 f,
                   double scale, pd_u32 lane)
{
    const double logit = cpa_sum(dot, lane) * scale + CPA_LN2 * (double)e;
    const pd_f32 near_by = is > 0u && logit == logit ? (pd_f32)logit : PD_AS_F32(PQ_LEAST);
    const pd_f32 most = cpa_most(near_by > s->most ? near_by : s->most);
    const pd_u32 first = lane & ~(CPA_LANES - 1u);
    pd_f32 p = 0.0f, of[4], x[8], t[8];
    if (is > 0u && !((pd_f32)logit < -3.4e38f))
        p = PD_EXP((pd_f32)(logit - (double)most)) * (f * 0.0078125f);
    if (most > s->most) {
        const double by = s->most < -3.4e38f ? (double)0.0f : (double)PD_EXP(s->most - most);
        s->sum *= by;
#pragma unroll
        for (pd_u32 i = 0u; i < 8u; i++) s->o[i] *= by;
        s->most = most;
    }
    s->sum += (double)p;
#pragma unroll
    for (pd_u32 j = 0u; j < 4u; j++)
        of[j] = __shfl_sync(CPA_ALL, p,
                            (int)(first + (j / 2u) * CPA_HALF + (j & 1u) * CPA_QUARTER));
#pragma unroll
    for (pd_u32 j = 0u; j < 4u; j++) {
        cpa_floats(v[j], x);
#pragma unroll
        for (pd_u32 i = 0u; i < 8u; i++) t[i] = j > 0u ? PD_FMA(of[j], x[i], t[i]) : of[j] * x[i];
    }
#pragma unroll
    for (pd_u32 i = 0u; i < 8u; i++) s->o[i] += (double)t[i];
}

// Up to 32 entries, one of each lane.
PD_FN void cpa_entries(cpa_sums *s, const double *q, const pd_u32 *keys, const pd_u32 *values,
                       const pq_entry x, pd_u32 n, double scale, pd_u32 lane)
{
    const pd_u32 part = 8u * (lane & (CPA_LANES - 1u)), group = lane / CPA_LANES;
    const pd_u32 mine = ((lane & CPA_HALF) > 0u ? 2u : 0u) + ((lane & CPA_QUARTER) > 0u ? 1u : 0u);
#pragma unroll 1
    for (pd_u32 tile = 0u; tile < n; tile += CPA_TILE) {
        const pd_u32 own = tile + mine * CPA_ROWS + group;
        const pd_u32 is = PD_SHUFFLE(x.is, own);
        const pd_i32 e = (pd_i32)PD_SHUFFLE(x.e, own);
        const pd_f32 f = __shfl_sync(CPA_ALL, x.f, (int)own);
        uint4 key[4], v[4];
        double dot[PD_PQ_HEADS][4];
#pragma unroll
        for (pd_u32 j = 0u; j < 4u; j++) {
            const pd_u32 from = tile + j * CPA_ROWS + group, on = PD_SHUFFLE(x.is, from);
            key[j] = cpa_load(keys, __shfl_sync(CPA_ALL, x.key, (int)from) + part, on);
            v[j] = cpa_load(values, __shfl_sync(CPA_ALL, x.value, (int)from) + part, on);
        }
#pragma unroll
        for (pd_u32 i = 0u; i < 8u; i += 2u) {
            double wide[4][2];
#pragma unroll
            for (pd_u32 j = 0u; j < 4u; j++) cpa_two(key[j], i, wide[j]);
#pragma unroll
            for (pd_u32 h = 0u; h < PD_PQ_HEADS; h++) {
                const double a = CPA_Q(h, i), b = CPA_Q(h, i + 1u);
#pragma unroll
                for (pd_u32 j = 0u; j < 4u; j++) {
                    dot[h][j] = i > 0u ? fma(a, wide[j][0], dot[h][j]) : a * wide[j][0];
                    dot[h][j] = fma(b, wide[j][1], dot[h][j]);
                }
            }
        }
#pragma unroll
        for (pd_u32 h = 0u; h < PD_PQ_HEADS; h++)
            cpa_add(s + h, dot[h], v, is, e, f, scale, lane);
    }
}

// The sums over the lanes: `sum` of all keys, o of the lanes that have the same components.
PD_FN void cpa_finish(cpa_sums *s)
{
    double sum = s->sum;
    sum += __shfl_xor_sync(CPA_ALL, sum, (int)CPA_HALF);
    sum += __shfl_xor_sync(CPA_ALL, sum, (int)CPA_QUARTER);
#pragma unroll
    for (pd_u32 i = CPA_LANES; i < 32u; i *= 2u) {
        sum += __shfl_xor_sync(CPA_ALL, sum, (int)i);
#pragma unroll
        for (pd_u32 c = 0u; c < 8u; c++) s->o[c] += __shfl_xor_sync(CPA_ALL, s->o[c], (int)i);
    }
    s->sum = sum;
}

// The entries of a split, from `first` on; returns what is wrong with them, and bit 31 if there are
// any.
PD_FN pd_u32 cpa_split(cpa_sums *s, const double *q, const pd_u32 *keys, const pd_u32 *values,
                       const pd_u32 *pages, const pd_u32 *lists, const pd_u32 *weights,
                       pd_u32 first, pd_u32 n, const pq_place &p, pd_u32 lane,
                       const padic_k_pq_attend_split_params &k)
{
    const double scale = (double)k.scale_hi + (double)k.scale_lo;
    pd_u32 word = 0u;
#pragma unroll
    for (pd_u32 h = 0u; h < PD_PQ_HEADS; h++) {
        s[h].most = PD_AS_F32(PQ_LEAST);
        s[h].sum = (double)0.0f;
#pragma unroll
        for (pd_u32 i = 0u; i < 8u; i++) s[h].o[i] = (double)0.0f;
    }
#pragma unroll 1
    for (pd_u32 at = 0u; at < n; at += 32u) {
        pq_entry x = pq_entry_none(0u);
        if (at + lane < n) x = pq_entry_at(pages, lists, weights, first + at + lane, p, k);
        word |= x.is << 31 | x.status;
        cpa_entries(s, q, keys, values, x, n - at < 32u ? n - at : 32u, scale, lane);
    }
#pragma unroll
    for (pd_u32 h = 0u; h < PD_PQ_HEADS; h++) cpa_finish(s + h);
    return PD_WARP_OR(word);
}

// The words of a split.
PD_FN void cpa_put(pd_u32 *to, const cpa_sums *s, pd_u32 word, pd_u32 parts, pd_u32 lane)
{
    if (lane == 0u) {
        to[0] = PD_AS_U32(s->most);
        to[1] = 0u;
        to[2] = PD_AS_U32((pd_f32)s->sum);
        to[3] = word;
        to[4] = parts;
    }
    if (lane < CPA_LANES)
#pragma unroll
        for (pd_u32 i = 0u; i < 8u; i++) to[PQ_HEAD + 8u * lane + i] = PD_AS_U32((pd_f32)s->o[i]);
}

// The lane's components of a query.
PD_FN void cpa_query(double *q, const pd_u32 *queries, const pq_place &p, pd_u32 lane,
                     const padic_k_pq_attend_split_params &k)
{
    const pd_u64 from = PD_U64(k.query_lo, k.query_hi) + pq_steps(p.row, k.query_step[0]) +
                        pq_steps(p.head, k.query_step[1]) + pq_steps(p.i, k.query_step[2]);
    const pd_u32 part = 8u * (lane & (CPA_LANES - 1u));
#pragma unroll
    for (pd_u32 i = 0u; i < 8u; i++)
        CPA_Q(0u, i) = (double)pq_value(queries, from + pq_steps(part + i, k.query_step[3]),
                                        k.query_dtype);
}

PD_KERNEL_MIN(padic_k_cuda_pq_attend_many, 256, CPA_GROUPS)
(PD_CBUF(pd_u32, queries), PD_CBUF(pd_u32, keys), PD_CBUF(pd_u32, values), PD_CBUF(pd_u32, pages),
 PD_CBUF(pd_u32, lists), PD_CBUF(pd_u32, lengths), PD_CBUF(pd_u32, weights), PD_BUF(pd_u32, space),
 PD_PARAMS(padic_k_pq_attend_split_params, k))
{
    const pd_u32 task = PD_GRP * CPA_WARPS + PD_LID / 32u, lane = PD_LID % 32u;
    const pd_u32 own = task / k.parts * PD_PQ_HEADS, part = task % k.parts;
    const pq_place p = pq_place_of(k.first + own, k.queries, k.heads, k.per, k.flags);
    cpa_sums s[PD_PQ_HEADS];
    pq_many many;
    pd_u32 word, split, parts, first, n;
#if PD_PQ_HEADS > 1
    PD_LOCAL double all[CPA_WARPS * PD_PQ_HEADS * PD_PQ_D];
    double *q = all + PD_LID / 32u * (PD_PQ_HEADS * PD_PQ_D) + (lane & (CPA_LANES - 1u));
#else
    double q[8];
#endif
    if (task >= k.tasks) return;
    many = pq_many_of(lists, lengths, p, k);
    split = many.count <= CPA_FEW ? CPA_SHORT : CPA_LONG;
    parts = (many.count + split - 1u) / split;
    first = part * split;
    n = part >= parts ? 0u : many.count - first < split ? many.count - first : split;
    if (part > 0u && n == 0u) return;
    for (pd_u32 h = 0u; h < PD_PQ_HEADS; h++)
        cpa_query(q + h * PD_PQ_D, queries,
                  pq_place_of(k.first + own + h, k.queries, k.heads, k.per, k.flags), lane, k);
    PD_BARRIER_WARP();
    word = cpa_split(s, q, keys, values, pages, lists, weights, first, n, p, lane, k);
    if (part == 0u) word |= many.status;
#pragma unroll
    for (pd_u32 h = 0u; h < PD_PQ_HEADS; h++)
        cpa_put(space + ((pd_u64)(own + h) * k.parts + part) * CPA_EACH, s + h, word, parts, lane);
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
    cpa_sums sums[1];
    pd_u32 word;
    cpa_query(q, queries, p, lane, k);
    for (pd_u32 i = warp * CPA_CTAS + PD_GRP % CPA_CTAS; i < parts || i == 0u;
         i += CPA_WARPS * CPA_CTAS) {
        const pd_u32 first = i * CPA_SHORT, left = i < parts ? many.count - first : 0u;
        word = cpa_split(sums, q, keys, values, pages, lists, weights, first,
                         left < CPA_SHORT ? left : CPA_SHORT, p, lane, k);
        cpa_put(splits + i * CPA_EACH, sums, word, parts, lane);
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
