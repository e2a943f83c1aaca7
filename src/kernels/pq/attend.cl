// program: pq_attend
// texts: number.cl
// attend.cl: attention over lists of keys, or over all of them.
//
// A group finds the sums of 64 entries, a split; another one adds those of a query's splits in
// their order. So the order of all sums follows from the shapes alone. Sums and logits are in two
// words: the error is that of the exponentials, whatever d and the number of entries.
#define PQ_SPLIT 64u
#define PQ_LANES 16u // items of a product <q, k>
#define PQ_APART 17u // words from one entry's partial sums to the next one's
#define PQ_HEAD 5u   // words of a split before its sums: the largest logit (two), the sum, whether
                     // it has entries (bit 31) and what is wrong, how many splits the query has
// flags
#define PQ_ATTEND_LISTS 1u
#define PQ_ATTEND_WIDE 2u // lists of 64-bit numbers
#define PQ_ATTEND_LENGTHS 4u // of lists, or how many queries
#define PQ_ATTEND_WEIGHTS 8u
#define PQ_ATTEND_COUNTS 16u // key_counts
#define PQ_ATTEND_SHARED 32u // a list for all query heads of a head of keys
#define PQ_ATTEND_PAGES 64u
#define PQ_ATTEND_LSE 128u
#define PQ_ATTEND_STATUS 256u

typedef struct {
    pd_u32 first, heads, queries, per, parts, flags; // first: query of group 0; per: heads of one
    pd_u32 d, d_v;
    pd_u32 query_dtype, query_lo, query_hi, query_step[4];
    pd_u32 key_dtype, key_lo, key_hi, key_step[4];
    pd_u32 value_dtype, value_lo, value_hi, value_step[4];
    pd_u32 page, page_count, row_pages, pages_at; // page: keys of one
    pd_u32 positions;                    // of a row
    pd_u32 count, list_at, list_step[4]; // count: entries of a list, or keys
    pd_u32 length_at, length_step[3];
    pd_u32 weight_at, weight_step[4];
    pd_f32 scale_hi, scale_lo;
} padic_k_pq_attend_split_params;

// A sum, and what rounding has taken from it so far. `hi` alone is the plain sum, so that it is an
// infinity or a NaN exactly where that is.
typedef struct {
    pd_f32 hi, lo;
} pq_acc;

PD_FN pq_acc pq_acc_of(pd_f32 hi, pd_f32 lo)
{
    pq_acc a;
    a.hi = hi;
    a.lo = lo;
    return a;
}

PD_FN pq_acc pq_acc_add(pq_acc a, pd_f32 x, pd_f32 more)
{
    const pd_two s = pd_two_sum(a.hi, x);
    return pq_acc_of(s.hi, a.lo + (s.lo + more));
}

PD_FN pq_acc pq_acc_product(pq_acc a, pd_f32 x, pd_f32 y)
{
    const pd_f32 p = x * y;
    return pq_acc_add(a, p, PD_FMA(x, y, -p));
}

PD_FN pd_f32 pq_acc_value(pq_acc a)
{
    return pq_finite(PD_AS_U32(a.hi)) > 0u ? a.hi + a.lo : a.hi;
}

PD_FN pd_f32 pq_value(PD_GPTR(const pd_u32) from, pd_u64 at, pd_u32 dtype)
{
    pd_u32 word;
    if (dtype == PQ_F32) return PD_AS_F32(from[at]);
    word = ((PD_GPTR(const pd_u16))from)[at];
    return dtype == PQ_BF16 ? PD_BF16_TO_F32(word) : PD_F16_TO_F32(word);
}

// A query's place, and the head whose list it has.
typedef struct {
    pd_u32 row, head, i, group, list;
} pq_place;

PD_FN pq_place pq_place_of(pd_u32 query, pd_u32 queries, pd_u32 heads, pd_u32 per, pd_u32 flags)
{
    pq_place p;
    p.i = query % queries;
    p.head = query / queries % heads;
    p.row = query / queries / heads;
    p.group = p.head / per;
    p.list = (flags & PQ_ATTEND_SHARED) > 0u ? p.group : p.head;
    return p;
}

// How many entries a query has; status 2 where a length was above its capacity.
typedef struct {
    pd_u32 count, status;
} pq_many;

PD_FN pq_many pq_many_of(PD_GPTR(const pd_u32) lists, PD_GPTR(const pd_u32) lengths,
                         const pq_place p, const padic_k_pq_attend_split_params k)
{
    pq_many n;
    pd_u32 keys = k.count, queries = k.queries;
    n.count = k.count;
    n.status = 0u;
    if ((k.flags & PQ_ATTEND_LISTS) > 0u) {
        if ((k.flags & PQ_ATTEND_LENGTHS) > 0u) {
            keys = lengths[k.length_at + p.row * k.length_step[0] + p.list * k.length_step[1] +
                           p.i * k.length_step[2]];
            if (keys <= k.count) n.count = keys;
            else n.status = 2u;
        }
        return n;
    }
    if ((k.flags & PQ_ATTEND_COUNTS) > 0u) keys = lists[k.list_at + p.row * k.list_step[0]];
    if ((k.flags & PQ_ATTEND_LENGTHS) > 0u)
        queries = lengths[k.length_at + p.row * k.length_step[0]];
    if (keys > k.positions || queries > k.queries) n.status = 2u;
    if (keys > k.positions) keys = k.positions;
    if (queries > k.queries) queries = k.queries;
    n.count = p.i < queries && keys + p.i + 1u > queries ? keys + p.i + 1u - queries : 0u;
    return n;
}

// The lane's part of <q, k>: elements 2 lane, 2 lane + 1, then 32 further on. Two elements of 16
// bits are read as a word where they lie in one.
PD_FN pq_acc pq_dot(PD_LPTR(const pd_f32) q, PD_GPTR(const pd_u32) keys, pd_u64 from, pd_u32 step,
                    pd_u32 dtype, pd_u32 d, pd_u32 lane)
{
    pq_acc a = pq_acc_of(0.0f, 0.0f);
    const pd_u32 even = d & ~1u;
    pd_u32 i = 2u * lane;
    if (dtype != PQ_F32 && step == 1u && (from & 1u) == 0u) {
        for (; i < even; i += 2u * PQ_LANES) {
            const pd_u32 word = keys[from / 2u + i / 2u], low = word & 0xffffu, high = word >> 16;
            const pd_f32 x = dtype == PQ_BF16 ? PD_BF16_TO_F32(low) : PD_F16_TO_F32(low);
            const pd_f32 y = dtype == PQ_BF16 ? PD_BF16_TO_F32(high) : PD_F16_TO_F32(high);
            a = pq_acc_product(a, q[i], x);
            a = pq_acc_product(a, q[i + 1u], y);
        }
    } else {
        for (; i < even; i += 2u * PQ_LANES) {
            const pd_f32 x = pq_value(keys, from + pq_steps(i, step), dtype);
            const pd_f32 y = pq_value(keys, from + pq_steps(i + 1u, step), dtype);
            a = pq_acc_product(a, q[i], x);
            a = pq_acc_product(a, q[i + 1u], y);
        }
    }
    if (even < d && i == even)
        a = pq_acc_product(a, q[even], pq_value(keys, from + pq_steps(even, step), dtype));
    return a;
}

// scale (hi + lo) + e ln 2 in two words; of an infinity or a NaN that.
PD_FN pd_two pq_logit(pq_acc dot, pd_f32 scale_hi, pd_f32 scale_lo, pd_i32 e)
{
    const pd_f32 plain = dot.hi * scale_hi;
    pd_two x = pd_two_raw(plain, 0.0f);
    if (pq_finite(PD_AS_U32(plain)) > 0u) {
        x = pd_two_mul(pd_two_of(dot.hi, dot.lo), pd_two_raw(scale_hi, scale_lo));
        if (e != 0)
            x = pd_two_add(x, pd_two_mul1(pd_two_raw(0.693147182f, -1.90465421e-9f), (pd_f32)e));
    }
    return x;
}

// An entry: whether it is one, a status, where its key and value begin, w = f 2^e.
typedef struct {
    pd_u64 key, value;
    pd_u32 is, status;
    pd_i32 e;
    pd_f32 f;
} pq_entry;

PD_FN pq_entry pq_entry_none(pd_u32 status)
{
    pq_entry x;
    x.key = x.value = 0u;
    x.is = 0u;
    x.status = status;
    x.e = 0;
    x.f = 1.0f;
    return x;
}

// The entry of a position, which may be any number, and the bits of its weight.
PD_FN pq_entry pq_entry_of(PD_GPTR(const pd_u32) pages, pd_u32 low, pd_u32 high, pd_u32 weight,
                           const pq_place p, const padic_k_pq_attend_split_params k)
{
    pq_entry x = pq_entry_none(0u);
    pd_u32 in = p.row, at = low;
    if (low == PQ_MOST && high == PQ_MOST) return x;
    if (high > 0u || low >= k.positions) return pq_entry_none(16u);
    if ((k.flags & PQ_ATTEND_PAGES) > 0u) {
        in = pages[k.pages_at + p.row * k.row_pages + low / k.page];
        at = low % k.page;
        if (in >= k.page_count) return pq_entry_none(4u);
    }
    if (pq_finite(weight) == 0u || weight > 0x80000000u) return pq_entry_none(16u);
    if ((weight & 0x7fffffffu) == 0u) return x;
    x.e = pq_exponent(weight);
    x.f = PD_AS_F32(pq_scaled(weight, x.e));
    x.is = 1u;
    x.key = PD_U64(k.key_lo, k.key_hi) + pq_steps(in, k.key_step[0]) +
            pq_steps(p.group, k.key_step[1]) + pq_steps(at, k.key_step[2]);
    x.value = PD_U64(k.value_lo, k.value_hi) + pq_steps(in, k.value_step[0]) +
              pq_steps(p.group, k.value_step[1]) + pq_steps(at, k.value_step[2]);
    return x;
}

// Entry n of a query.
PD_FN pq_entry pq_entry_at(PD_GPTR(const pd_u32) pages, PD_GPTR(const pd_u32) lists,
                           PD_GPTR(const pd_u32) weights, pd_u32 n, const pq_place p,
                           const padic_k_pq_attend_split_params k)
{
    const pd_u32 from = k.list_at + p.row * k.list_step[0] + p.list * k.list_step[1] +
                        p.i * k.list_step[2] + n * k.list_step[3];
    pd_u32 low = n, high = 0u, weight = 0x3f800000u;
    if ((k.flags & PQ_ATTEND_WIDE) > 0u) {
        low = lists[2u * (pd_u64)from];
        high = lists[2u * (pd_u64)from + 1u];
    } else if ((k.flags & PQ_ATTEND_LISTS) > 0u) {
        low = lists[from];
        if (low == PQ_MOST) high = PQ_MOST;
    }
    if ((k.flags & PQ_ATTEND_WEIGHTS) > 0u)
        weight = weights[k.weight_at + p.row * k.weight_step[0] + p.list * k.weight_step[1] +
                         p.i * k.weight_step[2] + n * k.weight_step[3]];
    return pq_entry_of(pages, low, high, weight, p, k);
}

// The sum of an entry's partial sums.
PD_FN pq_acc pq_lanes(PD_LPTR(const pd_f32) high, PD_LPTR(const pd_f32) low, pd_u32 e)
{
    pq_acc a = pq_acc_of(0.0f, 0.0f);
    for (pd_u32 i = e * PQ_APART; i < e * PQ_APART + PQ_LANES; i++)
        a = pq_acc_add(a, high[i], low[i]);
    return a;
}

PD_FN pd_u32 pq_above(pd_f32 hi, pd_f32 lo, const pd_two than)
{
    return hi > than.hi || (hi >= than.hi && lo > than.lo) ? 1u : 0u;
}

// The largest logit of the split's entries, but for NaN; -infinity if there is none.
PD_FN pd_two pq_most(PD_LPTR(const pd_f32) high, PD_LPTR(const pd_f32) low,
                     PD_LPTR(const pd_u32) is, pd_u32 n)
{
    pd_two most = pd_two_raw(PD_AS_F32(PQ_LEAST), 0.0f);
    for (pd_u32 e = 0u; e < n; e++)
        if (is[e] > 0u && pq_above(high[e * PQ_APART], low[e * PQ_APART], most) > 0u)
            most = pd_two_raw(high[e * PQ_APART], low[e * PQ_APART]);
    return most;
}

// e^(hi + lo - most)
PD_FN pd_f32 pq_power(pd_f32 hi, pd_f32 lo, const pd_two most)
{
    const pd_two x = pd_two_sum(hi, -most.hi);
    return hi < -3.4e38f ? 0.0f : PD_EXP(x.hi + (x.lo + (lo - most.lo)));
}

// From partial sums of products to f e^(l - most) 2^-7 in low[e * PQ_APART]. Their sum is 1 at
// most, so that no sum of values overflows. Returns `most`.
PQ_FN pd_two pq_softmax(PD_LPTR(pd_f32) high, PD_LPTR(pd_f32) low, PD_LPTR(const pd_u32) is,
                        pd_u32 n, pd_f32 scale_hi, pd_f32 scale_lo, pd_i32 exponent, pd_f32 f)
{
    const pd_u32 at = PD_LID * PQ_APART;
    pd_two most;
    if (PD_LID < n) {
        const pd_two x = pq_logit(pq_lanes(high, low, PD_LID), scale_hi, scale_lo, exponent);
        high[at] = x.hi;
        low[at] = x.lo;
    }
    PD_BARRIER();
    most = pq_most(high, low, is, n);
    PD_BARRIER();
    if (PD_LID < n)
        low[at] = is[PD_LID] > 0u ? pq_power(high[at], low[at], most) * (f * 0.0078125f) : 0.0f;
    PD_BARRIER();
    return most;
}

// One component of the sum of values.
PD_FN pd_f32 pq_weighted(PD_LPTR(const pd_f32) low, PD_LPTR(const pd_u32) is,
                         PD_LPTR(const pd_u64) value, PD_GPTR(const pd_u32) values, pd_u64 add,
                         pd_u32 dtype, pd_u32 n)
{
    pq_acc a = pq_acc_of(0.0f, 0.0f);
    for (pd_u32 e = 0u; e < n; e++)
        if (is[e] > 0u)
            a = pq_acc_product(a, low[e * PQ_APART], pq_value(values, value[e] + add, dtype));
    return pq_acc_value(a);
}

PD_FN pd_f32 pq_weights_sum(PD_LPTR(const pd_f32) low, pd_u32 n)
{
    pq_acc a = pq_acc_of(0.0f, 0.0f);
    for (pd_u32 e = 0u; e < n; e++) a = pq_acc_add(a, low[e * PQ_APART], 0.0f);
    return pq_acc_value(a);
}

// A split a group: what PQ_HEAD says, and d_v sums of values.
PD_KERNEL(padic_k_pq_attend_split)
(PD_CBUF(pd_u32, queries), PD_CBUF(pd_u32, keys), PD_CBUF(pd_u32, values), PD_CBUF(pd_u32, pages),
 PD_CBUF(pd_u32, lists), PD_CBUF(pd_u32, lengths), PD_CBUF(pd_u32, weights), PD_BUF(pd_u32, space),
 PD_PARAMS(padic_k_pq_attend_split_params, k))
{
    PD_LOCAL pd_f32 q[1024];
    PD_LOCAL pd_f32 high[PQ_SPLIT * PQ_APART];
    PD_LOCAL pd_f32 low[PQ_SPLIT * PQ_APART];
    PD_LOCAL pd_u64 key[PQ_SPLIT];
    PD_LOCAL pd_u64 value[PQ_SPLIT];
    PD_LOCAL pd_u32 is[PQ_SPLIT];
    PD_LOCAL pd_u32 word[1];
    const pd_u32 own = PD_GRP / k.parts, first = (PD_GRP - own * k.parts) * PQ_SPLIT;
    const pd_u32 d = k.d, d_v = k.d_v, lane = PD_LID % PQ_LANES, to = PD_GRP * (PQ_HEAD + d_v);
    const pd_u32 step = k.key_step[3], dtype = k.key_dtype, value_dtype = k.value_dtype;
    const pq_place p = pq_place_of(k.first + own, k.queries, k.heads, k.per, k.flags);
    const pd_u64 from = PD_U64(k.query_lo, k.query_hi) + pq_steps(p.row, k.query_step[0]) +
                        pq_steps(p.head, k.query_step[1]) + pq_steps(p.i, k.query_step[2]);
    const pq_many many = pq_many_of(lists, lengths, p, k);
    const pd_u32 left = many.count > first ? many.count - first : 0u;
    const pd_u32 n = left < PQ_SPLIT ? left : PQ_SPLIT;
    pq_entry x = pq_entry_none(0u);
    pd_two most;
    if (PD_LID == 0u) word[0] = first == 0u ? many.status : 0u;
    for (pd_u32 a = PD_LID; a < d && n > 0u; a += PQ_WG)
        q[a] = pq_value(queries, from + pq_steps(a, k.query_step[3]), k.query_dtype);
    PD_BARRIER();
    if (PD_LID < n) {
        x = pq_entry_at(pages, lists, weights, first + PD_LID, p, k);
        key[PD_LID] = x.key;
        value[PD_LID] = x.value;
        is[PD_LID] = x.is;
        if (x.is > 0u || x.status > 0u) PD_ATOMIC_OR_L(&word[0], x.is << 31 | x.status);
    }
    PD_BARRIER();
    for (pd_u32 e = PD_LID / PQ_LANES; e < n; e += PQ_WG / PQ_LANES) {
        pq_acc a = pq_acc_of(0.0f, 0.0f);
        if (is[e] > 0u) a = pq_dot(q, keys, key[e], step, dtype, d, lane);
        high[e * PQ_APART + lane] = a.hi;
        low[e * PQ_APART + lane] = a.lo;
    }
    PD_BARRIER();
    most = pq_softmax(high, low, is, n, k.scale_hi, k.scale_lo, x.e, x.f);
    for (pd_u32 c = PD_LID; c < d_v && n > 0u; c += PQ_WG)
        space[to + PQ_HEAD + c] = PD_AS_U32(
            pq_weighted(low, is, value, values, pq_steps(c, k.value_step[3]), value_dtype, n));
    if (PD_LID == 0u) {
        space[to] = PD_AS_U32(most.hi);
        space[to + 1u] = PD_AS_U32(most.lo);
        space[to + 2u] = PD_AS_U32(pq_weights_sum(low, n));
        space[to + 3u] = word[0];
        space[to + 4u] = (many.count + PQ_SPLIT - 1u) / PQ_SPLIT;
    }
}

typedef struct {
    pd_u32 first, heads, queries, parts, flags, d_v;
    pd_f32 down, up; // 2^-k of at least so many splits; 2^(7 + k)
    pd_u32 out_at, out_step[4], lse_at, lse_step[3], status_at, status_step[3];
} padic_k_pq_attend_join_params;

// The quotient of two finite numbers with at most one more rounding than the best.
PD_FN pd_f32 pq_quotient(pd_f32 a, pd_f32 b)
{
    const pd_f32 x = a / b, y = x + PD_FMA(-x, b, a) / b;
    return pq_finite(PD_AS_U32(y)) > 0u ? y : x;
}

// What a query's splits have together: (hi[0], lo[0]) the largest logit, has[0] the bits of all.
PQ_FN void pq_splits(PD_GPTR(const pd_u32) space, PD_LPTR(pd_f32) hi, PD_LPTR(pd_f32) lo,
                     PD_LPTR(pd_u32) has, pd_u32 from, pd_u32 parts, pd_u32 each)
{
    pd_two most = pd_two_raw(PD_AS_F32(PQ_LEAST), 0.0f);
    pd_u32 bits = 0u;
    for (pd_u32 p = PD_LID; p < parts || p == 0u; p += PQ_WG) { // the first has a status
        const pd_f32 x = PD_AS_F32(space[from + p * each]);
        const pd_f32 y = PD_AS_F32(space[from + p * each + 1u]);
        bits |= space[from + p * each + 3u];
        if (pq_above(x, y, most) > 0u) most = pd_two_raw(x, y);
    }
    hi[PD_LID] = most.hi;
    lo[PD_LID] = most.lo;
    has[PD_LID] = bits;
    PD_BARRIER();
    for (pd_u32 apart = PQ_WG / 2u; apart > 0u; apart /= 2u) {
        if (PD_LID < apart) {
            const pd_u32 other = PD_LID + apart;
            if (pq_above(hi[other], lo[other], pd_two_raw(hi[PD_LID], lo[PD_LID])) > 0u) {
                hi[PD_LID] = hi[other];
                lo[PD_LID] = lo[other];
            }
            has[PD_LID] |= has[other];
        }
        PD_BARRIER();
    }
}

// The splits of a query, in their order.
PD_KERNEL(padic_k_pq_attend_join)
(PD_CBUF(pd_u32, space), PD_BUF(pd_f32, out), PD_BUF(pd_f32, lse), PD_BUF(pd_u32, status),
 PD_PARAMS(padic_k_pq_attend_join_params, k))
{
    PD_LOCAL pd_f32 hi[PD_WG];
    PD_LOCAL pd_f32 lo[PD_WG];
    PD_LOCAL pd_u32 has[PD_WG];
    PD_LOCAL pd_f32 factor[PD_WG];
    PD_LOCAL pd_f32 sum[PD_WG];
    const pd_u32 each = PQ_HEAD + k.d_v, from = PD_GRP * k.parts * each, parts = space[from + 4u];
    const pq_place p = pq_place_of(k.first + PD_GRP, k.queries, k.heads, 1u, 0u);
    const pd_u32 to = k.out_at + p.row * k.out_step[0] + p.head * k.out_step[1] +
                      p.i * k.out_step[2];
    const pd_u32 d_v = k.d_v > 0u ? k.d_v : 1u; // lse is there without any
    pd_f32 total = 0.0f;
    pd_two most;
    pq_splits(space, hi, lo, has, from, parts, each);
    most = pd_two_raw(hi[0], lo[0]);
    for (pd_u32 c = PD_LID; c < d_v + PD_LID; c += PQ_WG) { // all items as often
        pq_acc o = pq_acc_of(0.0f, 0.0f), all = pq_acc_of(0.0f, 0.0f);
        for (pd_u32 base = 0u; base < parts; base += PQ_WG) {
            const pd_u32 own = from + (base + PD_LID) * each, left = parts - base;
            PD_BARRIER();
            if (PD_LID < left) {
                factor[PD_LID] = space[own + 3u] >> 31 > 0u
                                     ? pq_power(PD_AS_F32(space[own]), PD_AS_F32(space[own + 1u]),
                                                most) *
                                           k.down
                                     : 0.0f;
                sum[PD_LID] = PD_AS_F32(space[own + 2u]);
            }
            PD_BARRIER();
            for (pd_u32 j = 0u; j < left && j < PQ_WG; j++) {
                all = pq_acc_product(all, factor[j], sum[j]);
                if (c < k.d_v)
                    o = pq_acc_product(
                        o, factor[j],
                        PD_AS_F32(space[from + (base + j) * each + PQ_HEAD + c]));
            }
        }
        total = pq_acc_value(all);
        if (c < k.d_v)
            out[to + c * k.out_step[3]] =
                has[0] >> 31 > 0u ? pq_quotient(pq_acc_value(o), total) : 0.0f;
    }
    if (PD_LID == 0u && (k.flags & PQ_ATTEND_LSE) > 0u)
        lse[k.lse_at + p.row * k.lse_step[0] + p.head * k.lse_step[1] + p.i * k.lse_step[2]] =
            has[0] >> 31 > 0u ? most.hi + (most.lo + PD_LOG(total * k.up)) : PD_AS_F32(PQ_LEAST);
    if (PD_LID == 0u && (k.flags & PQ_ATTEND_STATUS) > 0u)
        status[k.status_at + p.row * k.status_step[0] + p.head * k.status_step[1] +
               p.i * k.status_step[2]] = has[0] & 0x7fffffffu;
}
