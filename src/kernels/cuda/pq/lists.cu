// program: cuda_pq
// texts: ../../pq/number.cl cluster.cu
// lists.cu: lists of the best keys in one launch, with two sub-vectors of 64 centroids and counts
// of cells. A query has PD_PQ_CTAS groups, a cluster, which have a part of its candidates each.
//
// All of them find the k-th score: a histogram of the scores of the 4,096 cells in bins of equal
// width, weighted with how many keys are in each, less the keys that are no candidates; then the
// order of the few cells in the bin of the k-th. Where too many are in it, as with equal scores,
// three histograms of the bits of scores find it. Keys whose codes may reach the k-th score have
// theirs compared with it. Counts that are not those of the codes are seen by what is found, and
// the candidates are counted instead. The twin of padic_k_pq_select_tables and
// padic_k_pq_select_cells, whose lists have the same bytes.
//
// With PD_PQ_APPEND one key is added to each row and head first, which the window has: the last
// group of a query codes it, and writes it when its cluster has read what was there. `waiting`
// counts clusters; the last one makes the rows longer and leaves it 0. The twin of padic_k_pq_keys
// and padic_k_pq_store.
//
// arch: sm_90
// variant: PD_PQ_WG=512
// variant: PD_PQ_WG=512 PD_PQ_CTAS=4
// variant: PD_PQ_WG=512 PD_PQ_CTAS=8
// variant: PD_PQ_APPEND=1
// variant: PD_PQ_WG=512 PD_PQ_CTAS=4 PD_PQ_APPEND=1
#ifndef PD_PQ_WG
#define PD_PQ_WG 1024
#endif
#ifndef PD_PQ_CTAS
#define PD_PQ_CTAS 1
#endif
#ifndef PD_PQ_APPEND
#define PD_PQ_APPEND 0
#endif
#define CPQ_WG ((pd_u32)PD_PQ_WG)
#define CPQ_GROUPS (PD_PQ_WG < 1024 && PD_PQ_CTAS == 1 && !PD_PQ_APPEND ? 2 : 1)
#define CPQ_WARPS (CPQ_WG / 32u)
#define CPQ_BINS 2048u
#define CPQ_OWN (4096u / CPQ_WG)     // cells of an item
#define CPQ_FEW 512u                 // cells in a bin that are put in order
#define CPQ_STAGE 64u                // components of centroids in local memory at a time
#define CPQ_UNIT 16u                 // keys of a lane at a time
#define CPQ_WORDS 8704u              // units of a group, at most
#define CPQ_ALL 0xffffffffu          // lanes
#define CPQ_ADDS(k) (((k).waiting_lo | (k).waiting_hi) > 0u) // else no key is added

typedef struct {
    pd_u32 heads, queries, per, groups; // per: heads of one of keys
    pd_u32 ds, extra, book_rows, recent;
    pd_u32 dtype, query_lo, query_hi, query_step[4];
    pd_u32 scaled_at, info_at, lengths_at, codes_at, counts_at; // the last two: 16 bytes each
    pd_u32 tiles, start, keys; // keys: UINT32_MAX all with codes
    pd_u32 sink, window, heavy, least;
    pd_u32 list_at, list_step[4], cap;
    pd_u32 length_lo, length_hi, length_step[3]; // addresses, or 0
    pd_u32 status_lo, status_hi, status_step[3];
    pd_u32 rows, key_dtype, key_lo, key_hi, key_step[4]; // an address
    pd_u32 waiting_lo, waiting_hi;
} padic_k_cuda_pq_lists_params;

// What a query looks for; see pq_record() of the twin.
typedef struct {
    pd_u32 visible, first, count, heavy, skip, status, known; // known: codes of the row
    pd_u32 search, all, usable; // all: the list is of all keys; usable: counts may do
} cpq_query;

typedef struct {
    pd_u32 masks[CPQ_WORDS]; // of a unit: keys above the k-th, and below these 16 bits those at it
    pd_u32 bins[CPQ_BINS];
    pd_u32 x[256], key[256], most[8];
    pd_f32 table[128];
    pd_u32 edge[8];   // of the tables' halves: the largest order, and that of all bits turned
    pd_u8 flags[128]; // codes that may reach the k-th score
    pd_u32 sums[CPQ_WARPS], sums2[CPQ_WARPS];
    pd_u32 found[4], many, share[2][16], code[2], best[4], at[4];
} cpq_shared;
typedef char cpq_fits[sizeof(cpq_shared) <= 49152 ? 1 : -1];

extern "C" __global__ void __cluster_dims__(PD_PQ_CTAS, 1, 1)
    padic_k_cuda_pq_lists(const pd_u32 *__restrict__ queries, const pd_f32 *__restrict__ scaled,
                          const pd_u32 *__restrict__ info, pd_u32 *__restrict__ lengths,
                          pd_u32 *__restrict__ codes, pd_u32 *__restrict__ counts,
                          pd_u32 *__restrict__ lists, const padic_k_cuda_pq_lists_params k);

// The sum over the lanes up to this one.
PD_FN pd_u32 cpq_up_to(pd_u32 x, pd_u32 lane)
{
#pragma unroll
    for (pd_u32 i = 1u; i < 32u; i *= 2u) {
        const pd_u32 y = PD_SHUFFLE_UP(x, i);
        if (lane >= i) x += y;
    }
    return x;
}

// The sum of the warps' words before this warp's, and of all. All have been written.
PD_FN pd_u32 cpq_before(const pd_u32 *sums, pd_u32 lane, pd_u32 warp, pd_u32 *all)
{
    const pd_u32 x = cpq_up_to(lane < CPQ_WARPS ? sums[lane] : 0u, lane);
    const pd_u32 before = PD_SHUFFLE(x, warp > 0u ? warp - 1u : 0u);
    *all = PD_SHUFFLE(x, 31u);
    return warp > 0u ? before : 0u;
}

PD_FN pd_u32 cpq_load(const pd_u32 *from, pd_u32 lo, pd_u32 hi, pd_u32 a, pd_u32 b, pd_u32 c,
                      pd_u32 d, const pd_u32 *step, pd_u32 dtype)
{
    return pq_load(from, PD_U64(lo, hi) + pq_steps(a, step[0]) + pq_steps(b, step[1]) +
                             pq_steps(c, step[2]) + pq_steps(d, step[3]), dtype);
}

// Of a row and query; `add` keys come, and are in the window.
PD_FN cpq_query cpq_query_of(pd_u32 i, pd_u32 length, pd_u32 add, pd_u32 finite,
                             const padic_k_cuda_pq_lists_params &k)
{
    const pd_u32 capacity = k.tiles * PQ_TILE, now = length + add;
    const pd_u32 coded = now < capacity ? now : capacity;
    const pd_u32 keys = k.keys != PQ_MOST ? k.keys : k.start + coded;
    cpq_query q;
    q.visible = keys + i + 1u > k.queries ? keys + i + 1u - k.queries : 0u;
    q.first = q.count = q.heavy = q.skip = q.status = q.search = 0u;
    q.known = length < capacity ? length : capacity;
    q.all = q.visible > k.least ? 0u : 1u;
    if (q.all == 0u) {
        const pd_u32 to = q.visible - k.window, low = k.start > k.sink ? k.start : k.sink;
        pd_u32 high = k.start + coded < to ? k.start + coded : to, uncoded;
        if (high < low) high = low;
        if (finite == 0u) q.status |= 1u;
        if (now > capacity) q.status |= 2u;
        uncoded = to - k.sink - (high - low);
        if (uncoded > 0u) q.status |= 8u | (uncoded < 0xffffffu ? uncoded : 0xffffffu) << 8;
        q.first = low - k.start;
        q.count = high - low;
        q.heavy = k.heavy < q.count ? k.heavy : q.count;
        q.search = finite == 0u || q.heavy == 0u || q.heavy == q.count ? 0u : 1u;
        if (finite == 0u && k.recent > 0u) q.skip = q.count - q.heavy;
    }
    q.usable = q.known == length && q.count >= 8192u && q.known / 2u <= q.count ? 1u : 0u;
    return q;
}

// The tile's byte codes: 64 of the first sub-vector, 64 of the second.
PD_FN pd_u32 cpq_cell(const pd_u8 *codes, pd_u32 key)
{
    const pd_u8 *at = codes + (pd_u64)(key / PQ_TILE) * 128u + key % PQ_TILE;
    return (at[0] & 63u) << 6 | (at[64] & 63u);
}

PD_FN pd_u32 cpq_order(const cpq_shared *s, pd_u32 cell)
{
    return pq_order(PD_AS_U32(s->table[cell >> 6] + s->table[64u + (cell & 63u)]));
}

// The float of an order.
PD_FN pd_f32 cpq_value(pd_u32 order)
{
    return PD_AS_F32((order & 0x80000000u) > 0u ? order ^ 0x80000000u : ~order);
}

// Key n of those that are no candidates.
PD_FN pd_u32 cpq_other(const cpq_query &q, pd_u32 n)
{
    return n < q.first ? n : n + q.count;
}

// found: the bin of the k-th largest, how many are above it, how many in it; 0 if there is none.
// The bins are 0 afterwards.
PD_FN void cpq_find(cpq_shared *s, pd_u32 wanted, pd_u32 lane, pd_u32 warp)
{
    const pd_u32 each = CPQ_BINS / CPQ_WG, top = CPQ_BINS - each - each * PD_LID;
    pd_u32 bin[CPQ_BINS / CPQ_WG], sum = 0u, up, before, all, i;
#pragma unroll
    for (i = 0u; i < each; i++) {
        bin[i] = s->bins[top + each - 1u - i];
        s->bins[top + each - 1u - i] = 0u;
        sum += bin[i];
    }
    up = cpq_up_to(sum, lane);
    if (lane == 31u) s->sums[warp] = up;
    if (PD_LID < 4u) s->found[PD_LID] = 0u;
    if (PD_LID == 0u) s->many = 0u;
    PD_BARRIER();
    before = cpq_before(s->sums, lane, warp, &all) + up - sum;
    if (before < wanted && before + sum >= wanted) {
        pd_u32 at = 0u, own = bin[0];
#pragma unroll
        for (i = 0u; i + 1u < each; i++)
            if (at == i && bin[i] < wanted - before) {
                before += bin[i];
                own = bin[i + 1u];
                at = i + 1u;
            }
        s->found[0] = top + each - 1u - at;
        s->found[1] = before;
        s->found[2] = own;
    }
    PD_BARRIER();
}

// What the search of a threshold has: the largest score of each half, the bins' place; the k-th
// largest order, how many are above it and at it.
typedef struct {
    pd_f32 top[2], low, scale;
    pd_u32 value, above, equal;
} cpq_threshold;

PD_FN pd_u32 cpq_largest(pd_u32 x)
{
    return (pd_u32)PD_WARP_MAX((pd_i32)(x ^ 0x80000000u)) ^ 0x80000000u;
}

PD_FN cpq_threshold cpq_range(const cpq_shared *s)
{
    cpq_threshold t;
    pd_u32 e[8];
#pragma unroll
    for (pd_u32 i = 0u; i < 8u; i++) e[i] = s->edge[i];
    t.top[0] = cpq_value(e[0] > e[2] ? e[0] : e[2]);
    t.top[1] = cpq_value(e[4] > e[6] ? e[4] : e[6]);
    t.low = cpq_value(~(e[1] > e[3] ? e[1] : e[3])) + cpq_value(~(e[5] > e[7] ? e[5] : e[7]));
    t.scale = __fdividef(2047.0f, t.top[0] + t.top[1] - t.low);
    t.value = t.above = t.equal = 0u;
    return t;
}

// The bin of a score: it never falls where scores rise. NaN counts as the least.
PD_FN pd_u32 cpq_bin(const cpq_threshold &t, pd_u32 order)
{
    const pd_f32 at = (cpq_value(order) - t.low) * t.scale;
    return at > 0.0f ? at < 2047.0f ? (pd_u32)at : 2047u : 0u;
}

// An entry of the list of cells in a bin, if there is room for it.
PD_FN void cpq_list_cell(cpq_shared *s, pd_u32 order, pd_u32 count)
{
    const pd_u32 at = PD_ATOMIC_ADD_L(&s->many, 1u);
    if (at < CPQ_FEW) {
        s->masks[2u * at] = order;
        s->masks[2u * at + 1u] = count;
    }
}

// By bins of equal width; 0 where too many cells are in one. others: how many keys are no
// candidates; other: the cell of the item's first.
PD_FN pd_u32 cpq_by_width(cpq_shared *s, const cpq_query &q, const pd_u8 *codes,
                          const pd_u32 *order, const pd_u32 *count, pd_u32 other, pd_u32 others,
                          pd_u32 lane, pd_u32 warp, cpq_threshold *t)
{
    const pd_u32 own = PD_LID < others ? cpq_order(s, other) : 0u;
    pd_u32 bin, above, n, i;
#pragma unroll
    for (i = 0u; i < CPQ_OWN; i++)
        if (count[i] > 0u) PD_ATOMIC_ADD_L(&s->bins[cpq_bin(*t, order[i])], count[i]);
    if (PD_LID < others) PD_ATOMIC_ADD_L(&s->bins[cpq_bin(*t, own)], PQ_MOST);
    for (i = PD_LID + CPQ_WG; i < others; i += CPQ_WG)
        PD_ATOMIC_ADD_L(&s->bins[cpq_bin(*t, cpq_order(s, cpq_cell(codes, cpq_other(q, i))))],
                        PQ_MOST);
    PD_BARRIER();
    cpq_find(s, q.heavy, lane, warp);
    bin = s->found[0];
    above = s->found[1];
#pragma unroll
    for (i = 0u; i < CPQ_OWN; i++)
        if (count[i] > 0u && cpq_bin(*t, order[i]) == bin) cpq_list_cell(s, order[i], count[i]);
    if (PD_LID < others && cpq_bin(*t, own) == bin) cpq_list_cell(s, own, PQ_MOST);
    for (i = PD_LID + CPQ_WG; i < others; i += CPQ_WG) {
        const pd_u32 x = cpq_order(s, cpq_cell(codes, cpq_other(q, i)));
        if (cpq_bin(*t, x) == bin) cpq_list_cell(s, x, PQ_MOST);
    }
    PD_BARRIER();
    n = s->many;
    if (n > CPQ_FEW) return 0u;
    if (PD_LID < n) {
        const pd_u32 x = s->masks[2u * PD_LID];
        pd_u32 more = above, same = 0u;
        for (i = 0u; i < n; i++) {
            const pd_u32 y = s->masks[2u * i], weight = s->masks[2u * i + 1u];
            more += y > x ? weight : 0u;
            same += y == x ? weight : 0u;
        }
        if (more < q.heavy && same >= q.heavy - more) {
            s->found[0] = x;
            s->found[1] = more;
            s->found[2] = same;
            s->found[3] = 1u;
        }
    }
    PD_BARRIER();
    t->value = s->found[0];
    t->above = s->found[3] > 0u ? s->found[1] : PQ_MOST; // counts that are not the codes'
    t->equal = s->found[2];
    return 1u;
}

// By 11, 11 and 10 bits of the order.
PD_FN void cpq_by_bits(cpq_shared *s, const cpq_query &q, const pd_u8 *codes, const pd_u32 *order,
                       const pd_u32 *count, pd_u32 others, pd_u32 lane, pd_u32 warp,
                       cpq_threshold *t)
{
    t->value = t->above = t->equal = 0u;
#pragma unroll 1
    for (pd_u32 round = 0u; round < 3u; round++) {
        const pd_u32 shift = round == 0u ? 21u : round == 1u ? 10u : 0u;
        const pd_u32 mask = round == 2u ? 1023u : 2047u, top = round == 1u ? 21u : 10u;
#pragma unroll
        for (pd_u32 i = 0u; i < CPQ_OWN; i++)
            if (count[i] > 0u && (round == 0u || order[i] >> top == t->value >> top))
                PD_ATOMIC_ADD_L(&s->bins[order[i] >> shift & mask], count[i]);
        for (pd_u32 i = PD_LID; i < others; i += CPQ_WG) {
            const pd_u32 x = cpq_order(s, cpq_cell(codes, cpq_other(q, i)));
            if (round == 0u || x >> top == t->value >> top)
                PD_ATOMIC_ADD_L(&s->bins[x >> shift & mask], PQ_MOST);
        }
        PD_BARRIER();
        cpq_find(s, q.heavy - t->above, lane, warp);
        t->value |= s->found[0] << shift;
        t->above += s->found[1];
        t->equal = s->found[2];
    }
}

// The candidates of each of the item's cells.
PD_FN void cpq_recount(cpq_shared *s, const cpq_query &q, const pd_u8 *codes, pd_u32 *count)
{
    pd_u32 i;
#pragma unroll
    for (i = 0u; i < CPQ_OWN; i++) s->masks[PD_LID + i * CPQ_WG] = 0u;
    PD_BARRIER();
    for (i = PD_LID; i < q.count; i += CPQ_WG)
        PD_ATOMIC_ADD_L(&s->masks[cpq_cell(codes, q.first + i)], 1u);
    PD_BARRIER();
#pragma unroll
    for (i = 0u; i < CPQ_OWN; i++) count[i] = s->masks[CPQ_OWN * PD_LID + i];
    PD_BARRIER();
}

// Codes that may reach the k-th score: those that do with the best of the other sub-vector.
PD_FN void cpq_flags(cpq_shared *s, const cpq_threshold &t)
{
    if (PD_LID < 128u) {
        const pd_f32 x = s->table[PD_LID];
        const pd_f32 sum = PD_LID < 64u ? x + t.top[1] : t.top[0] + x;
        s->flags[PD_LID] = pq_order(PD_AS_U32(sum)) >= t.value ? 1u : 0u;
    }
    PD_BARRIER();
}

PD_FN pd_u32 cpq_byte(const uint4 &x, pd_u32 i)
{
    const pd_u32 low = (i & 4u) > 0u ? x.y : x.x, high = (i & 4u) > 0u ? x.w : x.z;
    return ((i & 8u) > 0u ? high : low) >> 8u * (i & 3u) & 63u;
}

// A unit's keys: bit 16 + i where key i is above the k-th, bit i where it is at it.
PD_FN pd_u32 cpq_mask(const cpq_shared *s, pd_u32 value, const uint4 &a, const uint4 &b,
                      pd_u32 valid)
{
    const pd_u32 x[4] = {a.x, a.y, a.z, a.w}, y[4] = {b.x, b.y, b.z, b.w};
    pd_u32 may = 0u, mask = 0u;
#pragma unroll
    for (pd_u32 i = 0u; i < 16u; i++) {
        const pd_u32 shift = 8u * (i & 3u);
        may |= (pd_u32)(s->flags[x[i >> 2] >> shift & 63u] &
                        s->flags[64u + (y[i >> 2] >> shift & 63u)]) << i;
    }
    may &= valid;
    while (may > 0u) {
        const pd_u32 i = 31u - PD_CLZ(may & (0u - may));
        const pd_u32 order = cpq_order(s, cpq_byte(a, i) << 6 | cpq_byte(b, i));
        mask |= order > value ? 65536u << i : order == value ? 1u << i : 0u;
        may &= may - 1u;
    }
    return mask;
}

// The keys of a unit from `first` to before `end`.
PD_FN pd_u32 cpq_valid(pd_u32 unit, pd_u32 first, pd_u32 end)
{
    const pd_u32 base = unit * CPQ_UNIT, low = first > base ? first - base : 0u;
    const pd_u32 high = end < base ? 0u : end - base < CPQ_UNIT ? end - base : CPQ_UNIT;
    return low < high ? ((1u << high) - 1u) >> low << low : 0u;
}

PD_FN void cpq_unit(const pd_u8 *codes, pd_u32 unit, pd_u32 is, uint4 *a, uint4 *b)
{
    const uint4 *at = (const uint4 *)codes + (pd_u64)(unit / 4u) * 8u + unit % 4u;
    *a = *b = make_uint4(0u, 0u, 0u, 0u);
    if (is > 0u) {
        *a = at[0];
        *b = at[4];
    }
}

// Of the item's cells.
PD_FN void cpq_counts(const pd_u32 *cells, pd_u32 is, pd_u32 *count)
{
#pragma unroll
    for (pd_u32 i = 0u; i < CPQ_OWN; i += 4u) {
        uint4 a = make_uint4(0u, 0u, 0u, 0u);
        if (is > 0u) a = *(const uint4 *)(const void *)(cells + CPQ_OWN * PD_LID + i);
        count[i] = a.x, count[i + 1u] = a.y, count[i + 2u] = a.z, count[i + 3u] = a.w;
    }
}

// Units of a group, and of each of its warps.
typedef struct {
    pd_u32 low, high; // of the warp
    pd_u32 base;      // of the group
} cpq_part;

PD_FN cpq_part cpq_part_of(const cpq_query &q, pd_u32 rank, pd_u32 warp)
{
    const pd_u32 first = q.first / CPQ_UNIT, end = (q.first + q.count + CPQ_UNIT - 1u) / CPQ_UNIT;
    const pd_u32 all = q.search > 0u ? end - first : 0u;
    const pd_u32 each = (all + PD_PQ_CTAS - 1u) / PD_PQ_CTAS, from = rank * each;
    const pd_u32 mine = from < all ? (all - from < each ? all - from : each) : 0u;
    const pd_u32 share = (mine + CPQ_WARPS - 1u) / CPQ_WARPS, at = warp * share;
    cpq_part p;
    p.base = first + from;
    p.low = p.base + (at < mine ? at : mine);
    p.high = p.base + (at + share < mine ? at + share : mine);
    return p;
}

// The group's keys, beside the k-th. before: of the warps before, and of all groups before; all: of
// all groups.
PD_FN void cpq_keys(cpq_shared *s, const cpq_query &q, const cpq_part &p, const pd_u8 *codes,
                    pd_u32 value, uint4 a, uint4 b, pd_u32 again, pd_u32 rank, pd_u32 lane,
                    pd_u32 warp, pd_u32 *before, pd_u32 *all)
{
    pd_u32 over = 0u, same = 0u;
#pragma unroll 1
    for (pd_u32 at = p.low; at < p.high; at += 32u) {
        const pd_u32 unit = at + lane, is = unit < p.high ? 1u : 0u, next = unit + 32u;
        const pd_u32 valid = is > 0u ? cpq_valid(unit, q.first, q.first + q.count) : 0u;
        uint4 c, d;
        pd_u32 mask;
        cpq_unit(codes, next, next < p.high ? 1u : 0u, &c, &d);
        mask = cpq_mask(s, value, a, b, valid);
        if (is > 0u) s->masks[unit - p.base] = mask;
        over += PD_POPCOUNT(mask >> 16);
        same += PD_POPCOUNT(mask & 65535u);
        a = c;
        b = d;
    }
    over = PD_WARP_SUM(over);
    same = PD_WARP_SUM(same);
    if (lane == 0u) {
        s->sums[warp] = over;
        s->sums2[warp] = same;
    }
    PD_BARRIER();
    before[0] = cpq_before(s->sums, lane, warp, &all[0]);
    before[1] = cpq_before(s->sums2, lane, warp, &all[1]);
#if PD_PQ_CTAS > 1
    if (PD_LID < PD_PQ_CTAS) {
        cpq_push(&s->share[again][2u * rank], PD_LID, all[0]);
        cpq_push(&s->share[again][2u * rank + 1u], PD_LID, all[1]);
    }
    cpq_meet();
    over = lane < PD_PQ_CTAS ? s->share[again][2u * lane] : 0u;
    same = lane < PD_PQ_CTAS ? s->share[again][2u * lane + 1u] : 0u;
    all[0] = PD_WARP_SUM(over);
    all[1] = PD_WARP_SUM(same);
    before[0] += PD_WARP_SUM(lane < rank ? over : 0u);
    before[1] += PD_WARP_SUM(lane < rank ? same : 0u);
#else
    (void)rank;
    (void)again;
#endif
}

// The best of a warp's units, in order of position.
PD_FN void cpq_take(const cpq_shared *s, const cpq_query &q, const cpq_part &p, pd_u32 *list,
                    pd_u32 step, pd_u32 start, pd_u32 take, pd_u32 skip, pd_u32 lane,
                    const pd_u32 *before)
{
    pd_u32 over = before[0], equal = before[1];
#pragma unroll 1
    for (pd_u32 at = p.low; at < p.high; at += 32u) {
        const pd_u32 unit = at + lane;
        const pd_u32 mask = unit < p.high ? s->masks[unit - p.base] : 0u;
        const pd_u32 both = PD_POPCOUNT(mask >> 16) | PD_POPCOUNT(mask & 65535u) << 16;
        const pd_u32 up = cpq_up_to(both, lane), own = up - both;
        const pd_u32 total = PD_SHUFFLE(up, 31u);
        pd_u32 left = (mask | mask >> 16) & 65535u, o = over + (own & 65535u);
        pd_u32 e = equal + (own >> 16);
        while (left > 0u) {
            const pd_u32 i = 31u - PD_CLZ(left & (0u - left)), is = mask >> (16u + i) & 1u;
            const pd_u32 tied = e < skip ? 0u : e - skip < take ? e - skip : take;
            if ((is > 0u || (e >= skip && e - skip < take)) && o + tied < q.heavy)
                list[(pd_u64)(o + tied) * step] = start + unit * CPQ_UNIT + i;
            o += is;
            e += 1u - is;
            left &= left - 1u;
        }
        over += total & 65535u;
        equal += total >> 16;
    }
}

PD_FN pd_u32 *cpq_list(pd_u32 *lists, pd_u32 row, pd_u32 head, pd_u32 i,
                       const padic_k_cuda_pq_lists_params &k)
{
    return lists + k.list_at + row * k.list_step[0] + head * k.list_step[1] + i * k.list_step[2];
}

// All entries but those that were searched.
PD_FN void cpq_rest(const cpq_query &q, pd_u32 *list, pd_u32 rank,
                    const padic_k_cuda_pq_lists_params &k)
{
    const pd_u32 heavy = k.sink + q.heavy, length = q.all > 0u ? q.visible : heavy + k.window;
    for (pd_u32 r = rank * CPQ_WG + PD_LID; r < k.cap; r += PD_PQ_CTAS * CPQ_WG) {
        pd_u32 position = PQ_MOST;
        if (q.all > 0u) position = r < q.visible ? r : PQ_MOST;
        else if (r < k.sink) position = r;
        else if (r < heavy) position = k.start + q.first + q.skip + (r - k.sink);
        else if (r < length) position = q.visible - k.window + (r - heavy);
        if (q.search == 0u || r < k.sink || r >= heavy) list[(pd_u64)r * k.list_step[3]] = position;
    }
}

// The list's length, the status.
PD_FN void cpq_words(const cpq_query &q, pd_u32 row, pd_u32 head, pd_u32 i,
                     const padic_k_cuda_pq_lists_params &k)
{
    pd_u32 *to = (pd_u32 *)PD_U64(k.length_lo, k.length_hi);
    if (to)
        to[row * k.length_step[0] + head * k.length_step[1] + i * k.length_step[2]] =
            q.all > 0u ? q.visible : k.sink + q.heavy + k.window;
    to = (pd_u32 *)PD_U64(k.status_lo, k.status_hi);
    if (to)
        to[row * k.status_step[0] + head * k.status_step[1] + i * k.status_step[2]] = q.status;
}

#if PD_PQ_APPEND
// The distance from a centroid, as an integer.
PD_FN pd_u32 cpq_distance(pd_f32 half, pd_f32 sum, pd_u32 c)
{
    const pd_f32 distance = half - sum;
    if (distance != distance) return c == 0u ? 0u : PQ_MOST;
    return pq_order(PD_AS_U32(distance));
}

// The nearest of the 64 centroids of two warps each; items 128 to 255.
PD_FN void cpq_nearest(cpq_shared *s, pd_u32 distance, pd_u32 c, pd_u32 lane, pd_u32 warp)
{
    pd_u32 best = distance, at = c;
#pragma unroll
    for (pd_u32 i = 16u; i > 0u; i /= 2u) {
        const pd_u32 other = PD_SHUFFLE(best, lane ^ i), there = PD_SHUFFLE(at, lane ^ i);
        if (other < best || (other == best && there < at)) {
            best = other;
            at = there;
        }
    }
    if (lane == 0u) {
        s->best[warp - 4u] = best;
        s->at[warp - 4u] = at;
    }
}

// Writes the key's codes and cell; the last cluster makes the rows longer.
PD_FN void cpq_append(const cpq_shared *s, pd_u32 *lengths, pd_u32 *codes, pd_u32 *counts,
                      pd_u32 row, pd_u32 group, pd_u32 add, const padic_k_cuda_pq_lists_params &k)
{
    pd_u32 *waiting = (pd_u32 *)PD_U64(k.waiting_lo, k.waiting_hi);
    const pd_u32 length = lengths[k.lengths_at + row], pair = row * k.groups + group;
    if (add > 0u) {
        pd_u8 *to = (pd_u8 *)codes + (pd_u64)k.codes_at * 16u + (pd_u64)pair * k.tiles * 128u +
                    (pd_u64)(length / PQ_TILE) * 128u + length % PQ_TILE;
        const pd_u32 a = s->best[1] < s->best[0] ? s->at[1] : s->at[0];
        const pd_u32 b = s->best[3] < s->best[2] ? s->at[3] : s->at[2];
        const pd_u32 first = s->code[0] > 0u ? 0u : a, second = s->code[0] > 0u ? 0u : b;
        to[0] = (pd_u8)first;
        to[64] = (pd_u8)second;
        counts[(pd_u64)k.counts_at * 4u + pair * 4096u + (first << 6 | second)] += 1u;
    }
    __threadfence();
    if (atomicAdd(waiting, 1u) + 1u == k.rows * k.groups) {
        for (pd_u32 i = 0u; i < k.rows; i++) lengths[k.lengths_at + i] += add;
        *waiting = 0u;
    }
}
#endif

// Some components of all centroids, on their way to local memory.
PD_FN void cpq_stage(cpq_shared *s, const pd_f32 *scaled, pd_u32 first, pd_u32 ds, pd_u32 rows)
{
    const pd_u32 n = ds - first < CPQ_STAGE ? ds - first : CPQ_STAGE;
    const pd_u32 wide = ((pd_u64)scaled & 15u) == 0u ? 1u : 0u, each = wide > 0u ? 4u : 1u;
    pd_f32 *stage = (pd_f32 *)s->masks;
    for (pd_u32 i = PD_LID * each; i < n * 64u; i += CPQ_WG * each) {
        cpq_copy(stage + i, scaled + first * 64u + i, wide);
        cpq_copy(stage + CPQ_STAGE * 64u + i, scaled + (rows + first) * 64u + i, wide);
    }
}

// Tables of the query; the nearest centroids of the key. Components are there, of centroids the
// first ones are on their way.
PD_FN void cpq_tables(cpq_shared *s, const pd_f32 *scaled, pd_u32 ds, pd_u32 rows)
{
    const pd_f32 *stage = (const pd_f32 *)s->masks;
    const pd_u32 j = PD_LID / 64u % 2u, c = PD_LID % 64u, key = PD_LID / 128u;
    const pd_u32 *x = (key > 0u ? s->key : s->x) + j * ds;
    pd_f32 sum = 0.0f;
    for (pd_u32 first = 0u; first < ds; first += CPQ_STAGE) {
        const pd_u32 n = ds - first < CPQ_STAGE ? ds - first : CPQ_STAGE;
        cpq_copied();
        PD_BARRIER();
        if (PD_LID < (PD_PQ_APPEND ? 256u : 128u)) {
            const pd_f32 *at = stage + j * CPQ_STAGE * 64u + c;
            for (pd_u32 a = 0u; a + 16u <= n; a += 16u) {
                pd_f32 one[16];
#pragma unroll
                for (pd_u32 b = 0u; b < 16u; b++)
                    one[b] = PD_AS_F32(x[first + a + b]) * at[(a + b) * 64u];
#pragma unroll
                for (pd_u32 b = 0u; b < 16u; b++) sum = sum + one[b];
            }
            for (pd_u32 a = n & ~15u; a < n; a++) {
                const pd_f32 one = PD_AS_F32(x[first + a]) * at[a * 64u];
                sum = sum + one;
            }
        }
        if (first + n < ds) {
            PD_BARRIER();
            cpq_stage(s, scaled, first + n, ds, rows);
        }
    }
    if (PD_LID < 128u) {
        const pd_u32 order = pq_order(PD_AS_U32(sum)); // a sum that begins with 0 has no -0
        const pd_u32 high = cpq_largest(order), low = cpq_largest(~order);
        s->table[PD_LID] = sum;
        if (PD_LID % 32u == 0u) {
            s->edge[PD_LID / 16u] = high;
            s->edge[PD_LID / 16u + 1u] = low;
        }
    }
#if PD_PQ_APPEND
    if (key == 1u)
        cpq_nearest(s, cpq_distance(scaled[(j * rows + rows - 1u) * 64u + c], sum, c), c,
                    PD_LID % 32u, PD_LID / 32u);
#endif
    PD_BARRIER();
}

// The item's component of the query, and of the key.
PD_FN pd_u32 cpq_component(const pd_u32 *queries, pd_u32 row, pd_u32 head, pd_u32 i,
                           const padic_k_cuda_pq_lists_params &k)
{
    const pd_u32 own = PD_LID & 255u;
    if (own >= 2u * k.ds) return 0u;
#if PD_PQ_APPEND
    if (PD_LID >= 256u && PD_LID < 512u && !CPQ_ADDS(k)) return 0u;
    if (PD_LID >= 256u && PD_LID < 512u)
        return cpq_load((const pd_u32 *)PD_U64(k.key_lo, k.key_hi), 0u, 0u, row, head / k.per, 0u,
                        own, k.key_step, k.key_dtype);
#endif
    return PD_LID < 256u
               ? cpq_load(queries, k.query_lo, k.query_hi, row, head, i, own, k.query_step, k.dtype)
               : 0u;
}

// Components x, scaled, to local memory. Returns the query's largest.
PD_FN pd_u32 cpq_components(cpq_shared *s, pd_u32 x, pd_i32 e, pd_u32 warp)
{
    pd_u32 most = (pd_u32)PD_WARP_MAX((pd_i32)(x & 0x7fffffffu)), i;
    if (PD_LID % 32u == 0u && warp < 8u) s->most[warp] = most;
    PD_BARRIER();
    most = s->most[0];
#pragma unroll
    for (i = 1u; i < 8u; i++) most = s->most[i] > most ? s->most[i] : most;
    if (PD_LID < 256u)
        s->x[PD_LID] = pq_finite(most) > 0u && most > 0u ? pq_scaled(x, pq_exponent(most)) : 0u;
#if PD_PQ_APPEND
    if (PD_LID >= 256u && PD_LID < 512u) {
        if (pq_finite(x) == 0u) s->code[0] = 1u;
        s->key[PD_LID - 256u] = pq_scaled(x, e);
    }
#else
    (void)e;
#endif
    return most;
}

// A key for each row, if all have room for one.
PD_FN pd_u32 cpq_room(const pd_u32 *lengths, const padic_k_cuda_pq_lists_params &k)
{
#if PD_PQ_APPEND
    pd_u32 full = 0u;
    for (pd_u32 i = PD_LID; i < k.rows; i += CPQ_WG)
        full |= lengths[k.lengths_at + i] >= k.tiles * PQ_TILE ? 1u : 0u;
    return __syncthreads_or((int)full) || !CPQ_ADDS(k) ? 0u : 1u;
#else
    (void)lengths;
    (void)k;
    return 0u;
#endif
}

// The best of the candidates, with what is on its way of codes, and counts.
PD_FN void cpq_search(cpq_shared *s, const cpq_query &q, const cpq_part &p, const pd_u8 *codes,
                      pd_u32 *count, pd_u32 other, uint4 &a, uint4 &b, pd_u32 *list,
                      pd_u32 rank, pd_u32 lane, pd_u32 warp,
                      const padic_k_cuda_pq_lists_params &k)
{
    pd_u32 order[CPQ_OWN], before[2], all[2], take, skip, again = 1u - q.usable, n;
    cpq_threshold t = cpq_range(s);
    if (PD_PQ_WG < 1024 && again == 0u && PD_LID < q.known - q.count) // for want of registers
        other = cpq_cell(codes, cpq_other(q, PD_LID));
#pragma unroll
    for (n = 0u; n < CPQ_OWN; n++) order[n] = cpq_order(s, CPQ_OWN * PD_LID + n);
#pragma unroll 1
    for (;; again = 1u) {
        const pd_u32 others = again > 0u ? 0u : q.known - q.count;
        if (again > 0u) cpq_recount(s, q, codes, count);
        if (cpq_by_width(s, q, codes, order, count, other, others, lane, warp, &t) == 0u)
            cpq_by_bits(s, q, codes, order, count, others, lane, warp, &t);
        cpq_flags(s, t);
        cpq_keys(s, q, p, codes, t.value, a, b, again, rank, lane, warp, before, all);
        if (again > 0u || (all[0] == t.above && all[1] == t.equal && t.above < q.heavy &&
                           t.equal >= q.heavy - t.above))
            break;
        PD_BARRIER();
        cpq_unit(codes, p.low + lane, p.low + lane < p.high ? 1u : 0u, &a, &b);
    }
    take = q.heavy - all[0];
    skip = k.recent > 0u && take < all[1] ? all[1] - take : 0u;
    cpq_take(s, q, p, list + (pd_u64)k.sink * k.list_step[3], k.list_step[3], k.start, take, skip,
             lane, before);
}

PD_KERNEL_MIN(padic_k_cuda_pq_lists, PD_PQ_WG, CPQ_GROUPS)
(PD_CBUF(pd_u32, queries), PD_CBUF(pd_f32, scaled), PD_CBUF(pd_u32, info), PD_BUF(pd_u32, lengths),
 PD_BUF(pd_u32, codes), PD_BUF(pd_u32, counts), PD_BUF(pd_u32, lists),
 PD_PARAMS(padic_k_cuda_pq_lists_params, k))
{
    PD_LOCAL __align__(16) cpq_shared s;
    const pd_u32 rank = PD_PQ_CTAS > 1 ? cpq_rank() : 0u, query = PD_GRP / PD_PQ_CTAS;
    const pd_u32 warp = PD_LID / 32u, i = query % k.queries, head = query / k.queries % k.heads;
    const pd_u32 row = query / k.queries / k.heads, group = head / k.per, lane = PD_LID % 32u;
    const pd_u32 book = ((k.book_rows > 0u ? row * k.groups : 0u) + group) * 2u;
    const pd_u32 rows = k.ds + k.extra + 1u, pair = row * k.groups + group;
    const pd_u32 length = lengths[k.lengths_at + row];
    const pd_f32 *centroids = scaled + k.scaled_at + (pd_u64)book * (rows * 64u);
    pd_i32 e = PD_PQ_APPEND ? (pd_i32)info[k.info_at + book * 4u] : 0;
    const pd_u8 *own =
        (const pd_u8 *)codes + (pd_u64)k.codes_at * 16u + (pd_u64)pair * k.tiles * 128u;
    const pd_u32 *cells = counts + (pd_u64)k.counts_at * 4u + pair * 4096u;
    pd_u32 count[CPQ_OWN], other = 0u, add, n;
    cpq_query q;
    cpq_part p;
    uint4 a, b;
    const pd_u32 x = cpq_component(queries, row, head, i, k);
    cpq_stage(&s, centroids, 0u, k.ds, rows); // waits for nothing
    e = e < -200 ? -200 : e > 200 ? 200 : e;
    if (PD_LID < 2u) s.code[PD_LID] = 0u;
#pragma unroll
    for (n = 0u; n < CPQ_BINS / CPQ_WG; n++) s.bins[PD_LID + n * CPQ_WG] = 0u;
    add = cpq_room(lengths, k);
    q = cpq_query_of(i, length, add, 1u, k);
    p = cpq_part_of(q, rank, warp);
    cpq_unit(own, p.low + lane, p.low + lane < p.high ? 1u : 0u, &a, &b); // nor do these
    cpq_counts(cells, q.search & q.usable, count);
    if (PD_PQ_WG == 1024 && (q.search & q.usable) > 0u && PD_LID < q.known - q.count)
        other = cpq_cell(own, cpq_other(q, PD_LID));
    n = cpq_components(&s, x, e, warp);
    if (pq_finite(n) == 0u) q = cpq_query_of(i, length, add, 0u, k);
    cpq_tables(&s, centroids, k.ds, rows);
    if (q.search > 0u)
        cpq_search(&s, q, p, own, count, other, a, b, cpq_list(lists, row, head, i, k), rank, lane,
                   warp, k);
    cpq_rest(q, cpq_list(lists, row, head, i, k), rank, k);
    if (PD_LID == 0u && rank == 0u) cpq_words(q, row, head, i, k);
#if PD_PQ_APPEND
    if (PD_PQ_CTAS > 1) cpq_meet(); // counts and lengths have been read
    else PD_BARRIER();
    if (PD_LID == 0u && rank == PD_PQ_CTAS - 1u && CPQ_ADDS(k))
        cpq_append(&s, lengths, codes, counts, row, group, add, k);
#endif
}
