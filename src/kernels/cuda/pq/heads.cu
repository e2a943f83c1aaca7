// heads.cu: the sums of a split of attend.cu, of PD_PQ_HEADS heads that share their keys, by tensor
// cores in f64. A tile is eight keys: queries (rows) times keys (columns), then values (rows are
// components, columns heads) times factors; an item has the factors that it made of products.
//
// f64 numbers are made of the bits of small ones, below by a power of two: CPA_UNDER is its
// logarithm. Queries have 2^CPA_LIFT and factors 2^CPA_RAISE more, so that no product is subnormal.
#if PD_PQ_HEADS > 1
#define CPA_UNDER (PD_PQ_BF16 ? 896 : 1008)
#define CPA_LIFT (PD_PQ_BF16 ? 880 : 890)
#define CPA_RAISE 500
#define CPA_POWER(n) __longlong_as_double((long long)(1023 + (n)) << 52)
#define CPA_KEY_CHUNKS (PD_PQ_D / 32u) // of eight components, of an item
#define CPA_VALUE_CHUNKS (PD_PQ_D / 64u)

// A lane's of its row, head lane / 4: the largest product so far, its own sum of factors. Sums of
// values: o[8 j + i] is component 64 j + 8 (lane / 4) + i of heads 2 (lane % 4) and the next.
typedef struct {
    pd_f32 most;
    double sum, o[PD_PQ_D / 8u][2];
} cpa_sums;

PD_FN void cpa_mma(double *c, double a, double b)
{
    asm("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0, %1}, {%2}, {%3}, {%0, %1};"
        : "+d"(c[0]), "+d"(c[1])
        : "d"(a), "d"(b));
}

// Of two numbers each, the one farther from zero; a NaN stays.
PD_FN pd_u32 cpa_farther(pd_u32 x, pd_u32 y)
{
    pd_u32 z;
#if PD_PQ_BF16
    asm("max.NaN.xorsign.abs.bf16x2 %0, %1, %2;" : "=r"(z) : "r"(x), "r"(y));
#else
    asm("max.NaN.xorsign.abs.f16x2 %0, %1, %2;" : "=r"(z) : "r"(x), "r"(y));
#endif
    return z;
}

// Whether a lane has an infinity or a NaN.
PD_FN pd_u32 cpa_odd(const uint4 *x, pd_u32 count)
{
    const pd_u32 all = PD_PQ_BF16 ? 0x7f80u : 0x7c00u;
    pd_u32 most = 0u;
#pragma unroll
    for (pd_u32 i = 0u; i < count; i++) {
        most = cpa_farther(most, cpa_farther(x[i].x, x[i].y));
        most = cpa_farther(most, cpa_farther(x[i].z, x[i].w));
    }
    return __any_sync(CPA_ALL, (most & all) == all || (most >> 16 & all) == all) ? 1u : 0u;
}

// Number i of eight, times 2^-CPA_UNDER. odd: there may be infinities and NaNs.
PD_FN double cpa_wide(const uint4 &x, pd_u32 i, pd_u32 odd)
{
    const pd_u32 word = i < 2u ? x.x : i < 4u ? x.y : i < 6u ? x.z : x.w;
    const pd_i32 top = (pd_i32)(i % 2u > 0u ? word : word << 16);
#if PD_PQ_BF16
    pd_u32 high = (pd_u32)(top >> 3) & 0x8fffe000u;
    if (odd > 0u && (high & 0x0ff00000u) == 0x0ff00000u) high |= 0x7ff00000u;
#else
    pd_u32 high = (pd_u32)(top >> 6) & 0x81fffc00u;
    if (odd > 0u && (high & 0x01f00000u) == 0x01f00000u) high |= 0x7ff00000u;
#endif
    return __hiloint2double((int)high, 0);
}

// Products of a tile: s of the item's head with keys 2 (lane % 4) and the next.
PD_FN void cpa_products(double *s, const double *q, const uint4 *key, pd_u32 odd)
{
    double part[CPA_KEY_CHUNKS][2];
#pragma unroll
    for (pd_u32 j = 0u; j < CPA_KEY_CHUNKS; j++) part[j][0] = part[j][1] = (double)0.0f;
#pragma unroll
    for (pd_u32 i = 0u; i < 8u; i++)
#pragma unroll
        for (pd_u32 j = 0u; j < CPA_KEY_CHUNKS; j++)
            cpa_mma(part[j], q[8u * j + i], cpa_wide(key[j], i, odd));
    s[0] = part[0][0] + part[1][0];
    s[1] = part[0][1] + part[1][1];
#pragma unroll
    for (pd_u32 j = 2u; j < CPA_KEY_CHUNKS; j++) {
        s[0] += part[j][0];
        s[1] += part[j][1];
    }
}

PD_FN void cpa_values(cpa_sums *s, const double *p, const uint4 *value, pd_u32 odd)
{
#pragma unroll
    for (pd_u32 n = 0u; n < 2u; n++)
#pragma unroll
        for (pd_u32 j = 0u; j < CPA_VALUE_CHUNKS; j++)
#pragma unroll
            for (pd_u32 i = 0u; i < 8u; i++)
                cpa_mma(s->o[8u * j + i], cpa_wide(value[CPA_VALUE_CHUNKS * n + j], i, odd), p[n]);
}

// Factors p of two products, whose keys are there where bits 0 and 1 of `is` are set.
PD_FN void cpa_factors_of(cpa_sums *s, double *p, const double *product, pd_u32 is, double scale,
                          pd_u32 lane)
{
    const double one = product[0] * scale, two = product[1] * scale;
    pd_f32 most = s->most, f = 0.0f, g = 0.0f, other;
    if ((is & 1u) > 0u && (pd_f32)one > most) most = (pd_f32)one;
    if ((is & 2u) > 0u && (pd_f32)two > most) most = (pd_f32)two;
    other = __shfl_xor_sync(CPA_ALL, most, 1);
    most = other > most ? other : most;
    other = __shfl_xor_sync(CPA_ALL, most, 2);
    most = other > most ? other : most;
    if (__any_sync(CPA_ALL, most > s->most)) {
        const pd_f32 by = s->most < -3.4e38f ? 0.0f : PD_EXP(s->most - most);
        const double left = (double)__shfl_sync(CPA_ALL, by, (int)(8u * (lane % 4u)));
        const double right = (double)__shfl_sync(CPA_ALL, by, (int)(8u * (lane % 4u) + 4u));
        s->sum *= (double)by;
#pragma unroll
        for (pd_u32 i = 0u; i < PD_PQ_D / 8u; i++) {
            s->o[i][0] *= left;
            s->o[i][1] *= right;
        }
        s->most = most;
    }
    if ((is & 1u) > 0u && !((pd_f32)one < -3.4e38f))
        f = PD_EXP((pd_f32)(one - (double)most)) * 0.0078125f;
    if ((is & 2u) > 0u && !((pd_f32)two < -3.4e38f))
        g = PD_EXP((pd_f32)(two - (double)most)) * 0.0078125f;
    s->sum += (double)f + (double)g;
    p[0] = (double)f * CPA_POWER(CPA_RAISE);
    p[1] = (double)g * CPA_POWER(CPA_RAISE);
}

// What a lane reads of tile `tile` of 32 entries, of which it has one.
PD_FN void cpa_read_keys(uint4 *key, const pd_u32 *keys, const pq_entry &x, pd_u32 is, pd_u32 tile,
                         pd_u32 lane)
{
    const pd_u32 own = 8u * tile + lane / 4u;
    const pd_u64 from = __shfl_sync(CPA_ALL, x.key, (int)own) + 8u * (lane % 4u);
#pragma unroll
    for (pd_u32 j = 0u; j < CPA_KEY_CHUNKS; j++)
        key[j] = cpa_load(keys, from + 32u * j, is >> own & 1u);
}

PD_FN void cpa_read_values(uint4 *value, const pd_u32 *values, const pq_entry &x, pd_u32 is,
                           pd_u32 tile, pd_u32 lane)
{
#pragma unroll
    for (pd_u32 n = 0u; n < 2u; n++) {
        const pd_u32 own = 8u * tile + 2u * (lane % 4u) + n;
        const pd_u64 from = __shfl_sync(CPA_ALL, x.value, (int)own) + 8u * (lane / 4u);
#pragma unroll
        for (pd_u32 j = 0u; j < CPA_VALUE_CHUNKS; j++)
            value[CPA_VALUE_CHUNKS * n + j] = cpa_load(values, from + 64u * j, is >> own & 1u);
    }
}

// The lane's components of its row's query, which heads beyond PD_PQ_HEADS do not have.
PD_FN void cpa_query(double *q, const pd_u32 *queries, pd_u32 own, pd_u32 lane,
                     const padic_k_pq_attend_split_params &k)
{
    const pd_u32 head = lane / 4u;
    const pq_place p = pq_place_of(k.first + own + (head < PD_PQ_HEADS ? head : 0u), k.queries,
                                   k.heads, k.per, k.flags);
    const pd_u64 from = PD_U64(k.query_lo, k.query_hi) + pq_steps(p.row, k.query_step[0]) +
                        pq_steps(p.head, k.query_step[1]) + pq_steps(p.i, k.query_step[2]);
#pragma unroll
    for (pd_u32 i = 0u; i < PD_PQ_D / 4u; i++) {
        const pd_u32 c = 32u * (i / 8u) + 8u * (lane % 4u) + i % 8u;
        const double x = (double)pq_value(queries, from + pq_steps(c, k.query_step[3]),
                                          k.query_dtype);
        q[i] = head < PD_PQ_HEADS ? x * CPA_POWER(CPA_LIFT) : (double)0.0f;
    }
}

// Entries 32 at a time: returns which of them are there.
PD_FN pd_u32 cpa_entries(pq_entry *x, pd_u32 *word, const pd_u32 *pages, const pd_u32 *lists,
                         const pd_u32 *weights, pd_u32 first, pd_u32 n, const pq_place &p,
                         pd_u32 lane, const padic_k_pq_attend_split_params &k)
{
    *x = pq_entry_none(0u);
    if (lane < n) *x = pq_entry_at(pages, lists, weights, first + lane, p, k);
    *word |= x->is << 31 | x->status;
    return __ballot_sync(CPA_ALL, x->is > 0u);
}

// Keys of the next tile are read before values of this one are added, and values of the next after
// that.
PD_FN pd_u32 cpa_split(cpa_sums *s, const double *q, const pd_u32 *keys, const pd_u32 *values,
                       const pd_u32 *pages, const pd_u32 *lists, const pd_u32 *weights,
                       pd_u32 first, pd_u32 n, const pq_place &p, pd_u32 lane,
                       const padic_k_pq_attend_split_params &k)
{
    const double scale =
        ((double)k.scale_hi + (double)k.scale_lo) * CPA_POWER(CPA_UNDER - CPA_LIFT);
    uint4 key[CPA_KEY_CHUNKS], value[2u * CPA_VALUE_CHUNKS];
    double product[2], factor[2];
    pd_u32 word = 0u, is;
    pq_entry x;
    s->most = PD_AS_F32(PQ_LEAST);
    s->sum = (double)0.0f;
#pragma unroll
    for (pd_u32 i = 0u; i < PD_PQ_D / 8u; i++) s->o[i][0] = s->o[i][1] = (double)0.0f;
    is = cpa_entries(&x, &word, pages, lists, weights, first, n, p, lane, k);
    cpa_read_keys(key, keys, x, is, 0u, lane);
    cpa_read_values(value, values, x, is, 0u, lane);
#pragma unroll 1
    for (pd_u32 at = 0u; at < n; at += 8u) {
        const pd_u32 own = is >> (at % 32u + 2u * (lane % 4u)) & 3u, next = at + 8u;
        if (cpa_odd(key, CPA_KEY_CHUNKS) > 0u) cpa_products(product, q, key, 1u);
        else cpa_products(product, q, key, 0u);
        if (next < n) {
            if (next % 32u == 0u)
                is = cpa_entries(&x, &word, pages, lists, weights, first + next, n - next, p, lane,
                                 k);
            cpa_read_keys(key, keys, x, is, next / 8u % 4u, lane);
        }
        cpa_factors_of(s, factor, product, own, scale, lane);
        if (cpa_odd(value, 2u * CPA_VALUE_CHUNKS) > 0u) cpa_values(s, factor, value, 1u);
        else cpa_values(s, factor, value, 0u);
        if (next < n) cpa_read_values(value, values, x, is, next / 8u % 4u, lane);
    }
    return PD_WARP_OR(word);
}

// The words of a split of each head.
PD_FN void cpa_put(pd_u32 *space, const cpa_sums *s, pd_u32 word, pd_u32 parts, pd_u32 lane,
                   pd_u64 step)
{
    const double by = CPA_POWER(CPA_UNDER - CPA_RAISE);
    double sum = s->sum;
    sum += __shfl_xor_sync(CPA_ALL, sum, 1);
    sum += __shfl_xor_sync(CPA_ALL, sum, 2);
    if (lane % 4u == 0u && lane / 4u < PD_PQ_HEADS) {
        pd_u32 *to = space + lane / 4u * step;
        to[0] = PD_AS_U32(s->most);
        to[1] = 0u;
        to[2] = PD_AS_U32((pd_f32)sum);
        to[3] = word;
        to[4] = parts;
    }
#pragma unroll
    for (pd_u32 n = 0u; n < 2u; n++) {
        const pd_u32 head = 2u * (lane % 4u) + n;
        pd_u32 *to = space + head * step + PQ_HEAD + 8u * (lane / 4u);
        if (head < PD_PQ_HEADS)
#pragma unroll
            for (pd_u32 i = 0u; i < PD_PQ_D / 8u; i++)
                to[64u * (i / 8u) + i % 8u] = PD_AS_U32((pd_f32)(s->o[i][n] * by));
    }
}
#endif
