// program: pq_attend
// texts: number.cl attention.cl
// attend.cl: attention over lists of keys, or over all of them.
//
// A group finds the sums of 64 entries, a split; another one adds those of a query's splits in
// their order. So the order of all sums follows from the shapes alone. Sums and logits are in two
// words: the error is that of the exponentials, whatever d and the number of entries.

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

// The sum of an entry's partial sums.
PD_FN pq_acc pq_lanes(PD_LPTR(const pd_f32) high, PD_LPTR(const pd_f32) low, pd_u32 e)
{
    pq_acc a = pq_acc_of(0.0f, 0.0f);
    for (pd_u32 i = e * PQ_APART; i < e * PQ_APART + PQ_LANES; i++)
        a = pq_acc_add(a, high[i], low[i]);
    return a;
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

#define PQ_AHEAD 8u // splits whose sums are read before they are needed

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
            for (pd_u32 j = 0u; j < left && j < PQ_WG; j += PQ_AHEAD) {
                pd_f32 x[PQ_AHEAD];
                for (pd_u32 i = 0u; i < PQ_AHEAD; i++) {
                    const pd_u32 at = j + i < left ? j + i : j;
                    x[i] = PD_AS_F32(space[from + (base + at) * each +
                                           (c < k.d_v ? PQ_HEAD + c : 0u)]);
                }
                for (pd_u32 i = 0u; i < PQ_AHEAD; i++)
                    if (j + i < left) {
                        all = pq_acc_product(all, factor[j + i], sum[j + i]);
                        o = pq_acc_product(o, factor[j + i], x[i]);
                    }
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
