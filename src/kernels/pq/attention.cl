// attention.cl: entries of queries, sums in two words, what splits of a query say.
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
    pd_u32 out_at, out_step[4], tasks; // of the kernels of cuda/pq; tasks: splits of all queries
    pd_u32 space_lo, space_hi, waiting_lo, waiting_hi; // addresses
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

PD_FN pd_u32 pq_above(pd_f32 hi, pd_f32 lo, const pd_two than)
{
    return hi > than.hi || (hi >= than.hi && lo > than.lo) ? 1u : 0u;
}

// e^(hi + lo - most)
PD_FN pd_f32 pq_power(pd_f32 hi, pd_f32 lo, const pd_two most)
{
    const pd_two x = pd_two_sum(hi, -most.hi);
    return hi < -3.4e38f ? 0.0f : PD_EXP(x.hi + (x.lo + (lo - most.lo)));
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
