// heads.cu: the sums of a split of attend.cu, of PD_PQ_HEADS heads that share their keys, by tensor
// cores in f64: 16 keys (rows) times queries (columns are heads), whose products become factors,
// then values (rows are components) times these.
//
// The bits of a number of 16 bits, moved into those of an f64, are the number times 2^-CPA_UNDER;
// infinities and NaNs need more. Queries have 2^CPA_LIFT and factors 2^CPA_RAISE more, so that no
// product is subnormal.
#if PD_PQ_HEADS > 1
#define CPA_UNDER (PD_PQ_BF16 ? 896 : 1008)
#define CPA_LIFT (PD_PQ_BF16 ? 880 : 890)
#define CPA_RAISE 500
#define CPA_POWER(n) __longlong_as_double((long long)(1023 + (n)) << 52)
#define CPA_STEP 16u                   // keys of a tile
#define CPA_KEYS (PD_PQ_D / 16u)       // chunks of eight components of keys that a lane reads
#define CPA_VALUES (PD_PQ_D / 16u)     // of values
#define CPA_PARTS (PD_PQ_D / 16u)      // tiles of 16 components

// What a lane has of heads 2 (lane % 4) and the next: the largest product so far, its own sum of
// factors; sums of values, of which o[i][2 k + n] is that of component CPA_AT(i + k CPA_PARTS).
typedef struct {
    pd_f32 most[2];
    double sum[2], o[CPA_PARTS][4];
} cpa_sums;
#define CPA_AT(f, lane) (64u * ((f) / 8u) + 8u * ((lane) / 4u) + (f) % 8u)

PD_FN void cpa_mma(double *c, double a, double b, double x)
{
    asm("mma.sync.aligned.m16n8k4.row.col.f64.f64.f64.f64 {%0, %1, %2, %3}, {%4, %5}, {%6}, "
        "{%0, %1, %2, %3};"
        : "+d"(c[0]), "+d"(c[1]), "+d"(c[2]), "+d"(c[3])
        : "d"(a), "d"(b), "d"(x));
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

// Products of a tile: s[2 k + n] of key lane / 4 + 8 k with head 2 (lane % 4) + n.
PD_FN void cpa_products(double *s, const double *q, const uint4 *key, pd_u32 odd)
{
    double part[2][4];
#pragma unroll
    for (pd_u32 n = 0u; n < 4u; n++) part[0][n] = part[1][n] = (double)0.0f;
#pragma unroll
    for (pd_u32 j = 0u; j < CPA_KEYS / 2u; j++)
#pragma unroll
        for (pd_u32 i = 0u; i < 8u; i++)
            cpa_mma(part[i % 2u], cpa_wide(key[j], i, odd),
                    cpa_wide(key[CPA_KEYS / 2u + j], i, odd), q[8u * j + i]);
#pragma unroll
    for (pd_u32 n = 0u; n < 4u; n++) s[n] = part[0][n] + part[1][n];
}

// Values of keys 4 t + lane % 4, times factors of these keys.
PD_FN void cpa_add(cpa_sums *s, const double *p, const uint4 *value, pd_u32 odd)
{
#pragma unroll
    for (pd_u32 t = 0u; t < 4u; t++)
#pragma unroll
        for (pd_u32 i = 0u; i < CPA_PARTS; i++) {
            const pd_u32 f = i + CPA_PARTS;
            cpa_mma(s->o[i], cpa_wide(value[CPA_VALUES / 4u * t + i / 8u], i % 8u, odd),
                    cpa_wide(value[CPA_VALUES / 4u * t + f / 8u], f % 8u, odd), p[t]);
        }
}

// Factors of the lane's four products, whose keys are there where bits 0 and 8 of `is` are set:
// p[t] becomes that of key 4 t + lane % 4 with head lane / 4.
PD_FN void cpa_factors_of(cpa_sums *s, double *p, const double *product, pd_u32 is, double scale,
                          pd_u32 lane)
{
    double logit[4];
    pd_f32 f[4], most[2];
#pragma unroll
    for (pd_u32 n = 0u; n < 4u; n++) logit[n] = product[n] * scale;
#pragma unroll
    for (pd_u32 n = 0u; n < 2u; n++) {
        most[n] = s->most[n];
        if ((is & 1u) > 0u && (pd_f32)logit[n] > most[n]) most[n] = (pd_f32)logit[n];
        if ((is & 256u) > 0u && (pd_f32)logit[2u + n] > most[n]) most[n] = (pd_f32)logit[2u + n];
#pragma unroll
        for (pd_u32 i = 4u; i < 32u; i *= 2u) {
            const pd_f32 other = __shfl_xor_sync(CPA_ALL, most[n], (int)i);
            most[n] = other > most[n] ? other : most[n];
        }
    }
    if (__any_sync(CPA_ALL, most[0] > s->most[0] || most[1] > s->most[1]))
#pragma unroll
        for (pd_u32 n = 0u; n < 2u; n++) {
            const double by =
                s->most[n] < -3.4e38f ? (double)0.0f : (double)PD_EXP(s->most[n] - most[n]);
            s->sum[n] *= by;
#pragma unroll
            for (pd_u32 i = 0u; i < CPA_PARTS; i++) {
                s->o[i][n] *= by;
                s->o[i][2u + n] *= by;
            }
            s->most[n] = most[n];
        }
#pragma unroll
    for (pd_u32 n = 0u; n < 4u; n++) {
        f[n] = 0.0f;
        if ((is >> 8u * (n / 2u) & 1u) > 0u && !((pd_f32)logit[n] < -3.4e38f))
            f[n] = PD_EXP((pd_f32)(logit[n] - (double)most[n % 2u])) * 0.0078125f;
    }
    s->sum[0] += (double)f[0] + (double)f[2];
    s->sum[1] += (double)f[1] + (double)f[3];
#pragma unroll
    for (pd_u32 t = 0u; t < 4u; t++) {
        const int from = (int)(4u * ((4u * t + lane % 4u) % 8u) + lane / 8u);
        const pd_f32 even = __shfl_sync(CPA_ALL, f[t / 2u * 2u], from);
        const pd_f32 uneven = __shfl_sync(CPA_ALL, f[t / 2u * 2u + 1u], from);
        p[t] = (double)(lane / 4u % 2u > 0u ? uneven : even) * CPA_POWER(CPA_RAISE);
    }
}

// 32 keys from `first` on, without lists and weights: where the lane's key and value are, and which
// keys are there.
typedef struct {
    pd_u64 key, value;
    pd_u32 is;
} cpa_block;

PD_FN cpa_block cpa_block_of(pd_u32 *word, const pd_u32 *pages, pd_u32 first, pd_u32 n,
                             const pq_place &p, pd_u32 lane,
                             const padic_k_pq_attend_split_params &k)
{
    pd_u32 in = p.row, at = first + lane, is = lane < n ? 1u : 0u;
    cpa_block x;
    if ((k.flags & PQ_ATTEND_PAGES) > 0u && is > 0u) {
        in = pages[k.pages_at + p.row * k.row_pages + at / k.page];
        at %= k.page;
        if (in >= k.page_count) {
            in = is = 0u;
            *word |= 4u;
        }
    }
    *word |= is << 31;
    x.key = PD_U64(k.key_lo, k.key_hi) + pq_steps(in, k.key_step[0]) +
            pq_steps(p.group, k.key_step[1]) + pq_steps(at, k.key_step[2]);
    x.value = PD_U64(k.value_lo, k.value_hi) + pq_steps(in, k.value_step[0]) +
              pq_steps(p.group, k.value_step[1]) + pq_steps(at, k.value_step[2]);
    x.is = __ballot_sync(CPA_ALL, is > 0u);
    return x;
}

// What a lane reads of 16 of 32 keys, from `tile` on.
PD_FN void cpa_read_keys(uint4 *key, const pd_u32 *keys, const cpa_block &x, pd_u32 tile,
                         pd_u32 lane)
{
#pragma unroll
    for (pd_u32 k = 0u; k < 2u; k++) {
        const pd_u32 own = tile + lane / 4u + 8u * k;
        const pd_u64 from = __shfl_sync(CPA_ALL, x.key, (int)own) + 8u * (lane % 4u);
#pragma unroll
        for (pd_u32 j = 0u; j < CPA_KEYS / 2u; j++)
            key[CPA_KEYS / 2u * k + j] = cpa_load(keys, from + 32u * j, x.is >> own & 1u);
    }
}

PD_FN void cpa_read_values(uint4 *value, const pd_u32 *values, const cpa_block &x,
                           pd_u32 tile, pd_u32 lane)
{
#pragma unroll
    for (pd_u32 t = 0u; t < 4u; t++) {
        const pd_u32 own = tile + 4u * t + lane % 4u;
        const pd_u64 from = __shfl_sync(CPA_ALL, x.value, (int)own) + 8u * (lane / 4u);
#pragma unroll
        for (pd_u32 j = 0u; j < CPA_VALUES / 4u; j++)
            value[CPA_VALUES / 4u * t + j] = cpa_load(values, from + 64u * j, x.is >> own & 1u);
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
    pd_u32 x[PD_PQ_D / 4u];
#pragma unroll
    for (pd_u32 i = 0u; i < PD_PQ_D / 4u; i++) {
        const pd_u32 c = 32u * (i / 8u) + 8u * (lane % 4u) + i % 8u;
        const pd_u64 at = from + pq_steps(c, k.query_step[3]);
        x[i] = k.query_dtype == PQ_F32 ? queries[at] : ((const pd_u16 *)queries)[at];
    }
#pragma unroll
    for (pd_u32 i = 0u; i < PD_PQ_D / 4u; i++) {
        pd_f32 y = PD_AS_F32(x[i]);
        if (k.query_dtype == PQ_BF16) y = PD_BF16_TO_F32(x[i]);
        else if (k.query_dtype != PQ_F32) y = PD_F16_TO_F32(x[i]);
        q[i] = head < PD_PQ_HEADS ? (double)y * CPA_POWER(CPA_LIFT) : (double)0.0f;
    }
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
    uint4 key[CPA_KEYS], value[CPA_VALUES];
    double product[4], factor[4];
    pd_u32 word = 0u;
    cpa_block x = cpa_block_of(&word, pages, first, n, p, lane, k);
    (void)lists;
    (void)weights;
    s->most[0] = s->most[1] = PD_AS_F32(PQ_LEAST);
    s->sum[0] = s->sum[1] = (double)0.0f;
#pragma unroll
    for (pd_u32 i = 0u; i < CPA_PARTS; i++)
        s->o[i][0] = s->o[i][1] = s->o[i][2] = s->o[i][3] = (double)0.0f;
    cpa_read_keys(key, keys, x, 0u, lane);
    cpa_read_values(value, values, x, 0u, lane);
#pragma unroll 1
    for (pd_u32 at = 0u; at < n; at += CPA_STEP) {
        const pd_u32 own = x.is >> (at % 32u + lane / 4u), next = at + CPA_STEP;
        if (cpa_odd(key, CPA_KEYS) > 0u) cpa_products(product, q, key, 1u);
        else cpa_products(product, q, key, 0u);
        if (next < n) {
            if (next % 32u == 0u)
                x = cpa_block_of(&word, pages, first + next, n - next, p, lane, k);
            cpa_read_keys(key, keys, x, next % 32u, lane);
        }
        cpa_factors_of(s, factor, product, own, scale, lane);
        if (cpa_odd(value, CPA_VALUES) > 0u) cpa_add(s, factor, value, 1u);
        else cpa_add(s, factor, value, 0u);
        if (next < n) cpa_read_values(value, values, x, next % 32u, lane);
    }
    return PD_WARP_OR(word);
}

// The words of a split of each head.
PD_FN void cpa_put(pd_u32 *space, const cpa_sums *s, pd_u32 word, pd_u32 parts, pd_u32 lane,
                   pd_u64 step)
{
    const double by = CPA_POWER(CPA_UNDER - CPA_RAISE);
#pragma unroll
    for (pd_u32 n = 0u; n < 2u; n++) {
        const pd_u32 head = 2u * (lane % 4u) + n;
        pd_u32 *to = space + head * step;
        double sum = s->sum[n];
#pragma unroll
        for (pd_u32 i = 4u; i < 32u; i *= 2u) sum += __shfl_xor_sync(CPA_ALL, sum, (int)i);
        if (head >= PD_PQ_HEADS) continue;
        if (lane / 4u == 0u) {
            to[0] = PD_AS_U32(s->most[n]);
            to[1] = 0u;
            to[2] = PD_AS_U32((pd_f32)sum);
            to[3] = word;
            to[4] = parts;
        }
#pragma unroll
        for (pd_u32 i = 0u; i < CPA_PARTS; i++) {
            to[PQ_HEAD + CPA_AT(i, lane)] = PD_AS_U32((pd_f32)(s->o[i][n] * by));
            to[PQ_HEAD + CPA_AT(i + CPA_PARTS, lane)] =
                PD_AS_U32((pd_f32)(s->o[i][2u + n] * by));
        }
    }
}
#endif
