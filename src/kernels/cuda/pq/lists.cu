// program: cuda_pq
// texts: ../../pq/number.cl cluster.cu
// lists.cu: lists of the best keys in one launch, with two sub-vectors of 64 centroids and counts
// of cells. A query has PD_PQ_CTAS groups, a cluster, which have a part of its candidates each.
//
// All of them find the k-th score: a histogram of the scores of the 4,096 cells, weighted with how
// many keys are in each, less the keys that are no candidates. A key is then one look-up of its
// cell: above the k-th, at it, or below. Counts that are not those of the codes are seen by what is
// found, and the candidates are counted instead. The twin of padic_k_pq_select_tables and
// padic_k_pq_select_cells, whose lists have the same bytes.
//
// With PD_PQ_APPEND one key is added to each row and head first, which the window has: the last
// group of a query codes it, and writes it when its cluster has read what was there. `waiting`
// counts clusters; the last one makes the rows longer and leaves it 0. The twin of padic_k_pq_keys
// and padic_k_pq_store.
//
// arch: sm_90
// variant: PD_PQ_CTAS=1
// variant: PD_PQ_CTAS=8
// variant: PD_PQ_APPEND=1
// variant: PD_PQ_APPEND=1 PD_PQ_CTAS=1
// variant: PD_PQ_APPEND=1 PD_PQ_CTAS=8
#ifndef PD_PQ_CTAS
#define PD_PQ_CTAS 4
#endif
#ifndef PD_PQ_APPEND
#define PD_PQ_APPEND 0
#endif
#define CPQ_WG 512u
#define CPQ_WARPS (CPQ_WG / 32u)
#define CPQ_BINS 2048u
#define CPQ_STAGE 64u           // components of centroids in local memory at a time
#define CPQ_UNIT 16u            // keys of a lane at a time
#define CPQ_WORDS 8192u         // units of a group, at most
#define CPQ_ALL 0xffffffffu     // lanes

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
    pd_u32 bins[CPQ_BINS];
    pd_u32 classes[1024]; // a byte a cell: 2 above the k-th, 1 at it
    pd_u32 masks[CPQ_WORDS]; // of a unit: keys above the k-th, and below these 16 bits those at it
    pd_f32 table[128];
    pd_u32 x[256], key[256];
    pd_u32 most[CPQ_WARPS], bad[CPQ_WARPS];
    pd_u32 sums[CPQ_WARPS], sums2[CPQ_WARPS];
    pd_u32 found[4], share[2], code[2], best[4], at[4];
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

// Adds codes to the bins: those from `first` on, `count` of them but for a gap.
PD_FN void cpq_codes_count(cpq_shared *s, const pd_u8 *codes, pd_u32 first, pd_u32 count,
                           pd_u32 gap_at, pd_u32 gap, pd_u32 by, pd_u32 round, pd_u32 value)
{
    const pd_u32 shift = round == 0u ? 21u : round == 1u ? 10u : 0u;
    const pd_u32 mask = round == 2u ? 1023u : 2047u, top = round == 1u ? 21u : 10u;
    for (pd_u32 n = PD_LID; n < count; n += CPQ_WG) {
        const pd_u32 key = first + n, x = cpq_order(s, cpq_cell(codes, key < gap_at ? key
                                                                                    : key + gap));
        if (round == 0u || x >> top == value >> top)
            PD_ATOMIC_ADD_L(&s->bins[x >> shift & mask], by);
    }
}

// found: the bin of the k-th largest, how many are above it, how many in it; 0 if there is none.
// The bins are 0 afterwards.
PD_FN void cpq_find(cpq_shared *s, pd_u32 wanted, pd_u32 lane, pd_u32 warp)
{
    const pd_u32 top = CPQ_BINS - 4u - 4u * PD_LID;
    pd_u32 bin[4], sum, up, before, all, i;
#pragma unroll
    for (i = 0u; i < 4u; i++) {
        bin[i] = s->bins[top + 3u - i];
        s->bins[top + 3u - i] = 0u;
    }
    sum = bin[0] + bin[1] + bin[2] + bin[3];
    up = cpq_up_to(sum, lane);
    if (lane == 31u) s->sums[warp] = up;
    if (PD_LID < 3u) s->found[PD_LID] = 0u;
    PD_BARRIER();
    before = cpq_before(s->sums, lane, warp, &all) + up - sum;
    if (before < wanted && before + sum >= wanted) {
        pd_u32 at = 0u;
#pragma unroll
        for (i = 0u; i < 3u; i++)
            if (at == i && bin[i] < wanted - before) {
                before += bin[i];
                at = i + 1u;
            }
        s->found[0] = top + 3u - at;
        s->found[1] = before;
        s->found[2] = at == 0u ? bin[0] : at == 1u ? bin[1] : at == 2u ? bin[2] : bin[3];
    }
    PD_BARRIER();
}

// The k-th largest order, how many are above it and at it.
PD_FN void cpq_threshold(cpq_shared *s, const cpq_query &q, const pd_u8 *codes,
                         const pd_u32 *order, const pd_u32 *count, pd_u32 again, pd_u32 lane,
                         pd_u32 warp, pd_u32 *value, pd_u32 *above, pd_u32 *equal)
{
    *value = *above = *equal = 0u;
#pragma unroll 1
    for (pd_u32 round = 0u; round < 3u; round++) {
        const pd_u32 shift = round == 0u ? 21u : round == 1u ? 10u : 0u;
        const pd_u32 mask = round == 2u ? 1023u : 2047u, top = round == 1u ? 21u : 10u;
        if (again > 0u) {
            cpq_codes_count(s, codes, q.first, q.count, PQ_MOST, 0u, 1u, round, *value);
        } else {
#pragma unroll
            for (pd_u32 i = 0u; i < 8u; i++)
                if (count[i] > 0u && (round == 0u || order[i] >> top == *value >> top))
                    PD_ATOMIC_ADD_L(&s->bins[order[i] >> shift & mask], count[i]);
            cpq_codes_count(s, codes, 0u, q.known - q.count, q.first, q.count, PQ_MOST, round,
                            *value);
        }
        PD_BARRIER();
        cpq_find(s, q.heavy - *above, lane, warp);
        *value |= s->found[0] << shift;
        *above += s->found[1];
        *equal = s->found[2];
    }
}

// A unit's keys: bit 16 + i where key i is above the k-th, bit i where it is at it.
PD_FN pd_u32 cpq_mask(const cpq_shared *s, const uint4 &a, const uint4 &b)
{
    const pd_u8 *classes = (const pd_u8 *)s->classes;
    const pd_u32 x[4] = {a.x, a.y, a.z, a.w}, y[4] = {b.x, b.y, b.z, b.w};
    pd_u32 mask = 0u;
#pragma unroll
    for (pd_u32 i = 0u; i < 16u; i++) {
        const pd_u32 shift = 8u * (i & 3u);
        const pd_u32 cell = (x[i >> 2] >> shift & 63u) << 6 | (y[i >> 2] >> shift & 63u);
        const pd_u32 is = classes[cell];
        mask |= (is & 1u) << i | (is >> 1) << (16u + i);
    }
    return mask;
}

// The keys of a unit from `first` to before `end`, in both halves.
PD_FN pd_u32 cpq_valid(pd_u32 unit, pd_u32 first, pd_u32 end)
{
    const pd_u32 base = unit * CPQ_UNIT, low = first > base ? first - base : 0u;
    const pd_u32 high = end < base ? 0u : end - base < CPQ_UNIT ? end - base : CPQ_UNIT;
    const pd_u32 bits = low < high ? ((1u << high) - 1u) >> low << low : 0u;
    return bits << 16 | bits;
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

// Of eight cells.
PD_FN void cpq_counts(const uint4 *cells, pd_u32 is, pd_u32 *count)
{
    uint4 a = make_uint4(0u, 0u, 0u, 0u), b = a;
    if (is > 0u) {
        a = cells[0];
        b = cells[1];
    }
    count[0] = a.x, count[1] = a.y, count[2] = a.z, count[3] = a.w;
    count[4] = b.x, count[5] = b.y, count[6] = b.z, count[7] = b.w;
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

// Classes of cells, then of the group's keys. above, equal: of the warps before, and of all groups
// before; all: of all groups.
PD_FN void cpq_keys(cpq_shared *s, const cpq_query &q, const cpq_part &p, const pd_u8 *codes,
                    const pd_u32 *order, pd_u32 value, uint4 a, uint4 b, pd_u32 rank, pd_u32 lane,
                    pd_u32 warp, pd_u32 *before, pd_u32 *all)
{
    pd_u32 word[2] = {0u, 0u}, over = 0u, same = 0u, i;
#pragma unroll
    for (i = 0u; i < 8u; i++)
        word[i >> 2] |= (order[i] > value ? 2u : order[i] == value ? 1u : 0u) << 8u * (i & 3u);
    s->classes[2u * PD_LID] = word[0];
    s->classes[2u * PD_LID + 1u] = word[1];
    PD_BARRIER();
#pragma unroll 1
    for (pd_u32 at = p.low; at < p.high; at += 32u) {
        const pd_u32 unit = at + lane, is = unit < p.high ? 1u : 0u, next = unit + 32u;
        uint4 c, d;
        pd_u32 mask;
        cpq_unit(codes, next, next < p.high ? 1u : 0u, &c, &d);
        mask = cpq_mask(s, a, b) & cpq_valid(unit, q.first, q.first + q.count);
        if (is == 0u) mask = 0u;
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
    before[0] = cpq_before(s->sums, lane, warp, &over);
    before[1] = cpq_before(s->sums2, lane, warp, &same);
    if (PD_LID == 0u) {
        s->share[0] = over;
        s->share[1] = same;
    }
    cpq_meet();
    over = lane < PD_PQ_CTAS ? cpq_peer(&s->share[0], lane) : 0u;
    same = lane < PD_PQ_CTAS ? cpq_peer(&s->share[1], lane) : 0u;
    all[0] = PD_WARP_SUM(over);
    all[1] = PD_WARP_SUM(same);
    before[0] += PD_WARP_SUM(lane < rank ? over : 0u);
    before[1] += PD_WARP_SUM(lane < rank ? same : 0u);
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
PD_FN void cpq_append(const cpq_shared *s, pd_u32 *lengths, pd_u8 *codes, pd_u32 *counts,
                      pd_u32 length, pd_u32 add, const padic_k_cuda_pq_lists_params &k)
{
    pd_u32 *waiting = (pd_u32 *)PD_U64(k.waiting_lo, k.waiting_hi);
    if (add > 0u) {
        pd_u8 *to = codes + (pd_u64)(length / PQ_TILE) * 128u + length % PQ_TILE;
        const pd_u32 a = s->best[1] < s->best[0] ? s->at[1] : s->at[0];
        const pd_u32 b = s->best[3] < s->best[2] ? s->at[3] : s->at[2];
        const pd_u32 first = s->code[0] > 0u ? 0u : a, second = s->code[0] > 0u ? 0u : b;
        to[0] = (pd_u8)first;
        to[64] = (pd_u8)second;
        counts[first << 6 | second] += 1u;
    }
    __threadfence();
    if (atomicAdd(waiting, 1u) + 1u == k.rows * k.groups) {
        for (pd_u32 i = 0u; i < k.rows; i++) lengths[k.lengths_at + i] += add;
        *waiting = 0u;
    }
}
#endif

// Tables of the query; the nearest centroids of the key. Components are there.
PD_FN void cpq_tables(cpq_shared *s, const pd_f32 *scaled, pd_u32 ds, pd_u32 rows)
{
    pd_f32 *stage = (pd_f32 *)s->masks;
    const pd_u32 j = PD_LID / 64u % 2u, c = PD_LID % 64u, key = PD_LID / 128u;
    const pd_u32 *x = (key > 0u ? s->key : s->x) + j * ds;
    pd_f32 sum = 0.0f;
    for (pd_u32 first = 0u; first < ds; first += CPQ_STAGE) {
        const pd_u32 n = ds - first < CPQ_STAGE ? ds - first : CPQ_STAGE;
        if (first > 0u) PD_BARRIER();
#pragma unroll 8
        for (pd_u32 i = PD_LID; i < n * 64u; i += CPQ_WG) {
            stage[i] = scaled[first * 64u + i];
            stage[CPQ_STAGE * 64u + i] = scaled[(rows + first) * 64u + i];
        }
        PD_BARRIER();
        if (PD_LID < (PD_PQ_APPEND ? 256u : 128u)) {
            const pd_f32 *at = stage + j * CPQ_STAGE * 64u + c;
            pd_u32 a = 0u;
            if (first == 0u) {
                sum = PD_AS_F32(x[0]) * at[0];
                a = 1u;
            }
#pragma unroll 8
            for (; a < n; a++) {
                const pd_f32 one = PD_AS_F32(x[first + a]) * at[a * 64u];
                sum = sum + one;
            }
        }
    }
    if (PD_LID < 128u) s->table[PD_LID] = sum;
#if PD_PQ_APPEND
    if (key == 1u)
        cpq_nearest(s, cpq_distance(scaled[(j * rows + rows - 1u) * 64u + c], sum, c), c,
                    PD_LID % 32u, PD_LID / 32u);
#endif
}

// The query's components, scaled, and the key's. Returns the query's largest.
PD_FN pd_u32 cpq_components(cpq_shared *s, const pd_u32 *queries, pd_u32 row, pd_u32 head,
                            pd_u32 i, pd_u32 e, pd_u32 lane, pd_u32 warp,
                            const padic_k_cuda_pq_lists_params &k)
{
    const pd_u32 d = 2u * k.ds, is = PD_LID < d ? 1u : 0u;
    pd_u32 x = 0u, most;
#if PD_PQ_APPEND
    pd_u32 y = 0u;
#endif
    if (is > 0u)
        x = cpq_load(queries, k.query_lo, k.query_hi, row, head, i, PD_LID, k.query_step, k.dtype);
#if PD_PQ_APPEND
    if (is > 0u)
        y = cpq_load((const pd_u32 *)PD_U64(k.key_lo, k.key_hi), 0u, 0u, row, head / k.per, 0u,
                     PD_LID, k.key_step, k.key_dtype);
    if (PD_BALLOT(pq_finite(y) == 0u) > 0u && lane == 0u) s->code[0] = 1u;
    if (is > 0u) s->key[PD_LID] = pq_scaled(y, (pd_i32)e);
#else
    (void)e;
#endif
    most = x & 0x7fffffffu;
#pragma unroll
    for (pd_u32 n = 16u; n > 0u; n /= 2u) {
        const pd_u32 other = PD_SHUFFLE(most, lane ^ n);
        most = other > most ? other : most;
    }
    if (lane == 0u) s->most[warp] = most;
    PD_BARRIER();
#pragma unroll
    for (pd_u32 n = 0u; n < CPQ_WARPS; n++) most = s->most[n] > most ? s->most[n] : most;
    if (is > 0u)
        s->x[PD_LID] = pq_finite(most) > 0u && most > 0u ? pq_scaled(x, pq_exponent(most)) : 0u;
    return most;
}

// A key for each row, if all have room for one.
PD_FN pd_u32 cpq_room(const pd_u32 *lengths, const padic_k_cuda_pq_lists_params &k)
{
#if PD_PQ_APPEND
    pd_u32 full = 0u;
    for (pd_u32 i = PD_LID; i < k.rows; i += CPQ_WG)
        full |= lengths[k.lengths_at + i] >= k.tiles * PQ_TILE ? 1u : 0u;
    return __syncthreads_or((int)full) ? 0u : 1u;
#else
    (void)lengths;
    (void)k;
    return 0u;
#endif
}

PD_KERNEL_MIN(padic_k_cuda_pq_lists, 512, 2)
(PD_CBUF(pd_u32, queries), PD_CBUF(pd_f32, scaled), PD_CBUF(pd_u32, info), PD_BUF(pd_u32, lengths),
 PD_BUF(pd_u32, codes), PD_BUF(pd_u32, counts), PD_BUF(pd_u32, lists),
 PD_PARAMS(padic_k_cuda_pq_lists_params, k))
{
    PD_LOCAL __align__(16) cpq_shared s;
    const pd_u32 rank = cpq_rank(), query = PD_GRP / PD_PQ_CTAS, lane = PD_LID % 32u;
    const pd_u32 warp = PD_LID / 32u, i = query % k.queries, head = query / k.queries % k.heads;
    const pd_u32 row = query / k.queries / k.heads, group = head / k.per;
    const pd_u32 book = ((k.book_rows > 0u ? row * k.groups : 0u) + group) * 2u;
    const pd_u32 rows = k.ds + k.extra + 1u, pair = row * k.groups + group;
    const pd_u32 length = lengths[k.lengths_at + row];
    pd_i32 e = (pd_i32)info[k.info_at + book * 4u];
    pd_u8 *own = (pd_u8 *)codes + (pd_u64)k.codes_at * 16u + (pd_u64)pair * k.tiles * 128u;
    pd_u32 *cells = counts + (pd_u64)k.counts_at * 4u + pair * 4096u;
    pd_u32 order[8], count[8], add, most, n;
    cpq_query q;
    cpq_part p;
    uint4 a, b;
    e = e < -200 ? -200 : e > 200 ? 200 : e;
    if (PD_LID < 2u) s.code[PD_LID] = 0u;
#pragma unroll
    for (n = 0u; n < 4u; n++) s.bins[PD_LID + n * CPQ_WG] = 0u;
    add = cpq_room(lengths, k);
    q = cpq_query_of(i, length, add, 1u, k);
    p = cpq_part_of(q, rank, warp);
    cpq_unit(own, p.low + lane, p.low + lane < p.high ? 1u : 0u, &a, &b); // waits for nothing
    cpq_counts((const uint4 *)cells + 2u * PD_LID, q.search & q.usable, count);
    PD_BARRIER();
    most = cpq_components(&s, queries, row, head, i, (pd_u32)e, lane, warp, k);
    if (pq_finite(most) == 0u) q = cpq_query_of(i, length, add, 0u, k);
    PD_BARRIER();
    if (q.search > 0u || PD_PQ_APPEND)
        cpq_tables(&s, scaled + k.scaled_at + (pd_u64)book * (rows * 64u), k.ds, rows);
    PD_BARRIER();
    if (q.search > 0u) {
        pd_u32 value, above, equal, before[2], all[2], take, skip, again = 1u - q.usable;
#pragma unroll
        for (n = 0u; n < 8u; n++) order[n] = cpq_order(&s, 8u * PD_LID + n);
        for (;; again = 1u) {
            cpq_threshold(&s, q, own, order, count, again, lane, warp, &value, &above, &equal);
            cpq_keys(&s, q, p, own, order, value, a, b, rank, lane, warp, before, all);
            if (again > 0u || (all[0] == above && all[1] == equal && above < q.heavy &&
                               equal >= q.heavy - above))
                break;
            cpq_meet(); // nobody writes what another one reads
            cpq_unit(own, p.low + lane, p.low + lane < p.high ? 1u : 0u, &a, &b);
        }
        take = q.heavy - all[0];
        skip = k.recent > 0u && take < all[1] ? all[1] - take : 0u;
        cpq_take(&s, q, p, cpq_list(lists, row, head, i, k) + (pd_u64)k.sink * k.list_step[3],
                 k.list_step[3], k.start, take, skip, lane, before);
    }
    cpq_rest(q, cpq_list(lists, row, head, i, k), rank, k);
    if (PD_LID == 0u && rank == 0u) cpq_words(q, row, head, i, k);
    cpq_meet(); // local memory and counts have been read
#if PD_PQ_APPEND
    if (PD_LID == 0u && rank == PD_PQ_CTAS - 1u)
        cpq_append(&s, lengths, own, cells, length, add, k);
#endif
}
