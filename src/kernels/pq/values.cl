// program: pq_values
// texts: number.cl cache.cl group.cl record.cl list.cl score.cl power.cl
// values.cl: what a selection compares instead of scores: scores with a bias and less a slope, the
// largest or the sum of those of a list's heads, or of their shares of a softmax; and of the best
// those that have a share of the softmax.
//
// variant: PD_PQ_TABLE=8192 PD_LOCAL_BYTES=49152
// variant: PD_PQ_TABLE=8192 PD_LOCAL_BYTES=49152 PD_WG=256
#define PQ_REDUCE_MAX 1u

typedef struct {
    pd_u32 first, heads, queries, parts, share, reduce; // first: list of group 0; heads: of lists
    pd_u32 m, bits, bytes, groups, flags;
    pd_u32 codes_lo, codes_hi, tiles, page_tiles, page_count, row_pages, pages_at, start;
    pd_u32 n, bins_at, tables_at, heads_at, order_at; // n: words of a query's orders
    pd_u32 bias_at, bias_step[3], bias_n, sloped, slope_at, slope_step;
    pd_f32 scale_hi, scale_lo;
} padic_k_pq_values_params;

PD_FN pq_store pq_values_store(const padic_k_pq_values_params k)
{
    pq_store s;
    PQ_STORE(s, k)
    return s;
}

// The number of a float without what devices may flush.
PD_FN pd_f32 pq_flushed(pd_f32 value)
{
    return (PD_AS_U32(value) & 0x7f800000u) > 0u ? value : 0.0f;
}

// What is added to the scores of a head.
typedef struct {
    pd_u32 finite, bias, bias_n, visible;
    pd_i32 e;
    pd_f32 slope;
} pq_adds;

PD_FN pq_adds pq_adds_of(PD_GPTR(const pd_u32) space, PD_GPTR(const pd_u32) slopes, pd_u32 own,
                         pd_u32 part, const padic_k_pq_values_params k)
{
    const pd_u32 words = k.heads_at + (own * k.share + part) * PQ_HEAD_WORDS;
    const pd_u32 query = k.first + own, row = query / k.queries / k.heads;
    const pd_u32 head = query / k.queries % k.heads * k.share + part;
    pq_adds a;
    a.finite = space[words + PQ_HEAD_FINITE];
    a.e = (pd_i32)space[words + PQ_HEAD_EXPONENT];
    a.visible = space[own * PQ_RECORD + PQ_VISIBLE];
    a.bias = k.bias_at + row * k.bias_step[0] + head * k.bias_step[1];
    a.bias_n = k.bias_n;
    a.slope = 0.0f;
    if (k.sloped > 0u) a.slope = PD_AS_F32(slopes[k.slope_at + head * k.slope_step]);
    a.slope = pq_flushed(a.slope);
    return a;
}

// The bits of the value at a position, from those of its scaled score; never NaN or -0.
PD_FN pd_u32 pq_value_of(PD_GPTR(const pd_u32) bias, const pq_adds a, pd_u32 score,
                         pd_u32 position, pd_u32 bias_step, pd_u32 sloped)
{
    pd_f32 value;
    if (a.finite == 0u) return PQ_LEAST;
    value = PD_AS_F32(pq_unscaled(score, a.e));
    if (position < a.bias_n)
        value = pq_flushed(value + pq_flushed(PD_AS_F32(bias[a.bias + position * bias_step])));
    if (sloped > 0u) {
        const pd_u32 away = a.visible - 1u - position;
        const pd_f32 less = a.slope * (pd_f32)(away < 0xffffffu ? away : 0xffffffu);
        value = pq_flushed(value - pq_flushed(less));
    }
    return pq_of_order(pq_order(PD_AS_U32(value)));
}

// The bits of candidate i's value by one of the heads.
PD_FN pd_u32 pq_value(PD_GPTR(const pd_u32) space, PD_LPTR(const pd_f32) table, const pq_tables t,
                      pd_u32 head, PD_GPTR(const pd_u32) codes, pd_u64 tile, pd_u32 code,
                      PD_GPTR(const pd_u32) bias, const pq_adds a,
                      const padic_k_pq_values_params k)
{
    const pd_f32 score = pq_score(space, table, t, head, codes, tile, code % PQ_TILE,
                                  pq_values_store(k));
    return pq_value_of(bias, a, PD_AS_U32(score), k.start + code, k.bias_step[2], k.sloped);
}

// The bits of candidate n's value by one head.
PD_FN pd_u32 pq_value_at(PD_GPTR(const pd_u32) space, PD_LPTR(const pd_f32) table,
                         PD_GPTR(const pd_u32) codes, PD_GPTR(const pd_u32) pages,
                         PD_GPTR(const pd_u32) bias, const pq_adds a, pd_u32 own, pd_u32 part,
                         pd_u32 n, const padic_k_pq_values_params k)
{
    const pd_u32 code = space[own * PQ_RECORD + PQ_FIRST] + n;
    const pd_u64 tile = pq_tile(pages, pq_values_store(k), space[own * PQ_RECORD + PQ_ROW],
                                space[own * PQ_RECORD + PQ_GROUP], code / PQ_TILE);
    return pq_value(space, table, pq_tables_of(k.tables_at, own, k.share, k.m, k.bits), part,
                    codes, tile, code, bias, a, k);
}

// Of each head the largest logit, and the sum of the softmax; a head of a list a group.
PD_KERNEL(padic_k_pq_values_sums)
(PD_BUF(pd_u32, space), PD_CBUF(pd_u32, codes), PD_CBUF(pd_u32, pages), PD_CBUF(pd_u32, bias),
 PD_CBUF(pd_u32, slopes), PD_PARAMS(padic_k_pq_values_params, k))
{
    PD_LOCAL pd_f32 table[PD_PQ_TABLE];
    PD_LOCAL pd_u32 tops[PD_WG];
    PD_LOCAL pd_f32 high[PD_WG];
    PD_LOCAL pd_f32 low[PD_WG];
    PQ_LATE_BEGIN(padic_k_pq_values_params)
    const pd_u32 own = PD_GRP / k.share, part = PD_GRP - own * k.share;
    const pd_u32 count = pq_candidates(space, own);
    const pd_u32 words = k.heads_at + PD_GRP * PQ_HEAD_WORDS;
    const pd_u32 turn = k.scale_hi < 0.0f ? PQ_MOST : 0u; // the least value has the largest logit
    const pq_adds a = pq_adds_of(space, slopes, own, part, k);
    pd_u32 top = 0u, n;
    pd_two sum = pd_two_raw(0.0f, 0.0f);
    if (PD_LID == 0u) {
        PQ_LATE_PUT
    }
    pq_hold(space, table, pq_tables_of(k.tables_at, own, k.share, k.m, k.bits), k.share);
    PD_BARRIER();
    for (n = PD_LID; n < count; n += PQ_WG) {
        const pd_u32 x = turn ^ pq_order(pq_value_at(space, table, codes, pages, bias, a, own, part,
                                                     n, PQ_LATE));
        if (x > top) top = x;
    }
    tops[PD_LID] = top;
    PD_BARRIER();
    pq_top(tops);
    for (n = PD_LID; n < count; n += PQ_WG) {
        const pd_u32 x = pq_value_at(space, table, codes, pages, bias, a, own, part, n, PQ_LATE);
        sum = pd_two_add(sum, pq_power_sized(pq_power_of(PD_AS_F32(x),
                                                         PD_AS_F32(pq_of_order(turn ^ tops[0])),
                                                         k.scale_hi, k.scale_lo)));
    }
    high[PD_LID] = sum.hi;
    low[PD_LID] = sum.lo;
    PD_BARRIER();
    pq_sum_two(high, low);
    if (PD_LID == 0u) {
        const pd_u32 most = pq_of_order(turn ^ tops[0]), usable = pq_finite(most);
        space[words + PQ_HEAD_TOP] = most;
        space[words + PQ_HEAD_SUM] = usable > 0u ? PD_AS_U32(high[0]) : 0u;
        space[words + PQ_HEAD_SUM + 1u] = usable > 0u ? PD_AS_U32(low[0]) : 0u;
    }
}

// A value's share of its head's softmax, as an f32.
PD_FN pd_f32 pq_share(PD_GPTR(const pd_u32) space, pd_u32 words, pd_f32 value,
                      const padic_k_pq_values_params k)
{
    const pd_two sum = pd_two_raw(PD_AS_F32(space[words + PQ_HEAD_SUM]),
                                  PD_AS_F32(space[words + PQ_HEAD_SUM + 1u]));
    pq_power p;
    pd_two q;
    if (!(sum.hi > 0.0f)) return 0.0f;
    p = pq_power_of(value, PD_AS_F32(space[words + PQ_HEAD_TOP]), k.scale_hi, k.scale_lo);
    q = pq_two_quotient(p.x, sum);
    return q.hi > 0.0f ? PD_AS_F32(pq_unscaled(PD_AS_U32(q.hi), p.e)) : 0.0f;
}

// The value of a candidate: of its heads the largest, or their sum; of shares if `shares`.
PD_FN pd_u32 pq_value_order(PD_GPTR(const pd_u32) space, PD_LPTR(const pd_f32) table,
                            PD_GPTR(const pd_u32) codes, pd_u64 tile, pd_u32 code,
                            PD_GPTR(const pd_u32) bias, PD_GPTR(const pd_u32) slopes, pd_u32 own,
                            pd_u32 shares, const padic_k_pq_values_params k)
{
    const pq_tables t = pq_tables_of(k.tables_at, own, k.share, k.m, k.bits);
    const pd_u32 words = k.heads_at + own * k.share * PQ_HEAD_WORDS;
    pd_f32 sum = 0.0f;
    for (pd_u32 head = 0u; head < k.share; head++) {
        pd_f32 x = PD_AS_F32(pq_value(space, table, t, head, codes, tile, code, bias,
                                      pq_adds_of(space, slopes, own, head, k), k));
        if (shares > 0u) x = pq_share(space, words + head * PQ_HEAD_WORDS, x, k);
        if (head == 0u) sum = x;
        else if (k.reduce != PQ_REDUCE_MAX) sum = pq_flushed(sum + x);
        else if (pq_order(PD_AS_U32(x)) > pq_order(PD_AS_U32(sum))) sum = x;
    }
    return pq_order(PD_AS_U32(sum));
}

// Values of the candidates of a part as ordered integers; adds to a histogram of their upper bits.
PD_FN void pq_values_part(PD_GPTR(pd_u32) space, PD_LPTR(pd_u32) bins, PD_LPTR(const pd_f32) table,
                          PD_GPTR(const pd_u32) codes, PD_GPTR(const pd_u32) pages,
                          PD_GPTR(const pd_u32) bias, PD_GPTR(const pd_u32) slopes, pd_u32 shares,
                          const padic_k_pq_values_params k)
{
    const pd_u32 own = PD_GRP / k.parts, part = PD_GRP - own * k.parts;
    const pd_u32 count = pq_candidates(space, own), each = pq_part(count, k.parts);
    const pd_u32 first = space[own * PQ_RECORD + PQ_FIRST], row = space[own * PQ_RECORD + PQ_ROW];
    const pd_u32 group = space[own * PQ_RECORD + PQ_GROUP];
    for (pd_u32 n = part * each + PD_LID; n < count && n < (part + 1u) * each; n += PQ_WG) {
        const pd_u64 tile = pq_tile(pages, pq_values_store(k), row, group, (first + n) / PQ_TILE);
        const pd_u32 order = pq_value_order(space, table, codes, tile, first + n, bias, slopes,
                                            own, shares, k);
        space[k.order_at + own * k.n + n] = order;
        PD_ATOMIC_ADD_L(&bins[order >> 21], 1u);
    }
}

// Adds the histogram to the list's, and says in its record whether a query is not finite.
PD_FN void pq_values_end(PD_GPTR(pd_u32) space, PD_LPTR(const pd_u32) bins,
                         const padic_k_pq_values_params k)
{
    const pd_u32 own = PD_GRP / k.parts, part = PD_GRP - own * k.parts;
    const pd_u32 words = k.heads_at + own * k.share * PQ_HEAD_WORDS;
    for (pd_u32 n = PD_LID; n < PQ_BINS; n += PQ_WG)
        if (bins[n] > 0u) PD_ATOMIC_ADD_G(&space[k.bins_at + own * PQ_BINS_ALL + n], bins[n]);
    if (part > 0u || PD_LID > 0u || pq_candidates(space, own) == 0u) return;
    for (pd_u32 n = 0u; n < k.share; n++)
        if (space[words + n * PQ_HEAD_WORDS + PQ_HEAD_FINITE] == 0u)
            space[own * PQ_RECORD + PQ_STATUS] |= 1u;
}

// What the two kernels have in common.
#define PQ_VALUES(shares)                                                                       \
    PD_LOCAL pd_u32 bins[PQ_BINS];                                                              \
    PD_LOCAL pd_f32 table[PD_PQ_TABLE];                                                         \
    PQ_LATE_BEGIN(padic_k_pq_values_params)                                                     \
    if (PD_LID == 0u) {                                                                         \
        PQ_LATE_PUT                                                                             \
    }                                                                                           \
    pq_clear(bins);                                                                             \
    pq_hold(space, table, pq_tables_of(k.tables_at, PD_GRP / k.parts, k.share, k.m, k.bits),    \
            k.share);                                                                           \
    PD_BARRIER();                                                                               \
    pq_values_part(space, bins, table, codes, pages, bias, slopes, shares, PQ_LATE);            \
    PD_BARRIER();                                                                               \
    pq_values_end(space, bins, PQ_LATE);

// A part of a list's candidates a group.
PD_KERNEL(padic_k_pq_values_make)
(PD_BUF(pd_u32, space), PD_CBUF(pd_u32, codes), PD_CBUF(pd_u32, pages), PD_CBUF(pd_u32, bias),
 PD_CBUF(pd_u32, slopes), PD_PARAMS(padic_k_pq_values_params, k))
{
    PQ_VALUES(0u)
}

// The same of shares of a softmax.
PD_KERNEL(padic_k_pq_values_shares)
(PD_BUF(pd_u32, space), PD_CBUF(pd_u32, codes), PD_CBUF(pd_u32, pages), PD_CBUF(pd_u32, bias),
 PD_CBUF(pd_u32, slopes), PD_PARAMS(padic_k_pq_values_params, k))
{
    PQ_VALUES(1u)
}

// The part of the whole of what has this order, times the whole.
PD_FN pd_two pq_part_of(pd_u32 order, pd_u32 top, const padic_k_pq_select_find_params k)
{
    return pq_power_sized(pq_power_of(PD_AS_F32(pq_of_order(order)), PD_AS_F32(pq_of_order(top)),
                                      k.scale_hi, k.scale_lo));
}

// Sums of runs become those of all before each.
PD_FN void pq_runs(PD_LPTR(pd_f32) high, PD_LPTR(pd_f32) low)
{
    pd_two sum = pd_two_raw(0.0f, 0.0f);
    for (pd_u32 i = 0u; i < PQ_WG; i++) {
        const pd_two one = pd_two_raw(high[i], low[i]);
        high[i] = sum.hi;
        low[i] = sum.lo;
        sum = pd_two_add(sum, one);
    }
}

// Where the largest logit is no number: all of what was found if it is infinite, none if all are
// minus infinity.
PD_FN pd_u32 pq_mass_left(pd_u32 top, pd_u32 cut, pd_u32 found,
                          const padic_k_pq_select_find_params k)
{
    const pd_u32 bits = pq_of_order(top);
    if (pq_finite(bits) > 0u) return cut;
    return (bits >> 31 > 0u) == (k.scale_hi < 0.0f) ? found : 0u;
}

// How many of the sorted best have a part of the softmax of all candidates; the list of those. A
// query a group. The sum of the first few is of runs, one of each item, in their order.
PD_KERNEL(padic_k_pq_values_mass)
(PD_BUF(pd_u32, space), PD_BUF(pd_u32, lists), PD_BUF(pd_u32, lengths), PD_BUF(pd_u32, status),
 PD_PARAMS(padic_k_pq_select_find_params, k))
{
    PD_LOCAL pd_u32 tops[PD_WG];
    PD_LOCAL pd_f32 high[PD_WG];
    PD_LOCAL pd_f32 low[PD_WG];
    PD_LOCAL pd_f32 goal[2];
    PD_LOCAL pd_u32 state[2]; // the top, how many are left
    const pd_u32 own = PD_GRP, record = own * PQ_RECORD, count = pq_candidates(space, own);
    const pd_u32 order = k.order_at + own * k.n, from = k.sort_at + own * 2u * k.sort_n;
    const pd_u32 turn = k.scale_hi < 0.0f ? PQ_MOST : 0u;
    const pd_u32 tie = (k.flags & PQ_FLAG_RECENT) > 0u ? PQ_MOST : 0u;
    const pd_u32 found = count > 0u ? space[record + PQ_K] : 0u, mine = found / PQ_WG + 1u;
    const pd_u32 begin = PD_LID * mine, end = begin + mine < found ? begin + mine : found;
    pd_u32 top = 0u, cut = found, n;
    pd_two sum = pd_two_raw(0.0f, 0.0f), some = pd_two_raw(0.0f, 0.0f);
    for (n = PD_LID; n < count; n += PQ_WG)
        if ((turn ^ space[order + n]) > top) top = turn ^ space[order + n];
    tops[PD_LID] = top;
    PD_BARRIER();
    pq_top(tops);
    if (PD_LID == 0u) state[0] = turn ^ tops[0];
    PD_BARRIER();
    for (n = PD_LID; n < count; n += PQ_WG)
        sum = pd_two_add(sum, pq_part_of(space[order + n], state[0], k));
    high[PD_LID] = sum.hi;
    low[PD_LID] = sum.lo;
    PD_BARRIER();
    pq_sum_two(high, low);
    if (PD_LID == 0u) {
        const pd_two least = pd_two_mul(pd_two_raw(high[0], low[0]),
                                        pd_two_raw(k.part_hi, k.part_lo));
        goal[0] = least.hi;
        goal[1] = least.lo;
    }
    PD_BARRIER();
    for (n = begin; n < end; n++)
        some = pd_two_add(some, pq_part_of(~space[from + n], state[0], k));
    high[PD_LID] = some.hi;
    low[PD_LID] = some.lo;
    PD_BARRIER();
    if (PD_LID == 0u) pq_runs(high, low);
    PD_BARRIER();
    some = pd_two_raw(high[PD_LID], low[PD_LID]);
    for (n = begin; n < end && cut == found; n++) {
        const pd_two more = pd_two_sub(some, pd_two_raw(goal[0], goal[1]));
        if (more.hi >= 0.0f) cut = n;
        some = pd_two_add(some, pq_part_of(~space[from + n], state[0], k));
    }
    tops[PD_LID] = PQ_MOST - cut;
    PD_BARRIER();
    pq_top(tops);
    if (PD_LID == 0u && count > 0u)
        space[record + PQ_K] = state[1] = pq_mass_left(state[0], PQ_MOST - tops[0], found, k);
    PD_BARRIER_ALL();
    for (n = PD_LID; (k.flags & PQ_FLAG_PLACES) > 0u && count > 0u && n < state[1]; n += PQ_WG)
        space[from + n] = space[from + k.sort_n + n] ^ tie;
    PD_BARRIER_ALL();
    pq_finish(space, lists, lengths, status, k.first + own, k);
}
