// split.cu: the sums of a split of attend.cu, of one head. Other kernels of the program share its
// first part.
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
#define CPA_GROUPS (PD_PQ_HEADS > 1 ? 1 : 2) // of a multiprocessor at a time
#define CPA_LN2 __longlong_as_double(0x3fe62e42fefa39efll)

PD_FN uint4 cpa_load(const pd_u32 *from, pd_u64 at, pd_u32 is)
{
    return is > 0u ? *(const uint4 *)(const void *)((const pd_u16 *)from + at)
                   : make_uint4(0u, 0u, 0u, 0u);
}

#if PD_PQ_HEADS == 1
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
        double dot[4];
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
            for (pd_u32 j = 0u; j < 4u; j++) {
                dot[j] = i > 0u ? fma(q[i], wide[j][0], dot[j]) : q[i] * wide[j][0];
                dot[j] = fma(q[i + 1u], wide[j][1], dot[j]);
            }
        }
        cpa_add(s, dot, v, is, e, f, scale, lane);
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
    s->most = PD_AS_F32(PQ_LEAST);
    s->sum = (double)0.0f;
#pragma unroll
    for (pd_u32 i = 0u; i < 8u; i++) s->o[i] = (double)0.0f;
#pragma unroll 1
    for (pd_u32 at = 0u; at < n; at += 32u) {
        pq_entry x = pq_entry_none(0u);
        if (at + lane < n) x = pq_entry_at(pages, lists, weights, first + at + lane, p, k);
        word |= x.is << 31 | x.status;
        cpa_entries(s, q, keys, values, x, n - at < 32u ? n - at : 32u, scale, lane);
    }
    cpa_finish(s);
    return PD_WARP_OR(word);
}

// The words of a split.
PD_FN void cpa_put(pd_u32 *to, const cpa_sums *s, pd_u32 word, pd_u32 parts, pd_u32 lane,
                   pd_u64 step)
{
    (void)step; // of heads

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
PD_FN void cpa_query(double *q, const pd_u32 *queries, pd_u32 query, pd_u32 lane,
                     const padic_k_pq_attend_split_params &k)
{
    const pq_place p = pq_place_of(k.first + query, k.queries, k.heads, k.per, k.flags);
    const pd_u64 from = PD_U64(k.query_lo, k.query_hi) + pq_steps(p.row, k.query_step[0]) +
                        pq_steps(p.head, k.query_step[1]) + pq_steps(p.i, k.query_step[2]);
    const pd_u32 part = 8u * (lane & (CPA_LANES - 1u));
#pragma unroll
    for (pd_u32 i = 0u; i < 8u; i++)
        q[i] = (double)pq_value(queries, from + pq_steps(part + i, k.query_step[3]), k.query_dtype);
}
#endif
