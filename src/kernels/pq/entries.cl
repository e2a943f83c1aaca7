// program: pq_entries
// texts: number.cl group.cl
// entries.cl: lists of positions that something else chose: each once, with sink and window; of a
// list the best by the keys themselves.
//
// A group reads a query's list into `space`, as pairs of position and place in the list, sorts them
// unless they ascend, and keeps the first of each position. For the best `score` has an item for
// each entry, and `best` finds the k-th by a histogram of their scores as ordered integers.

// flags
#define PQ_ENTRY_WIDE 1u    // lists that are read have 64-bit numbers
#define PQ_ENTRY_LENGTHS 2u // those have lengths
#define PQ_ENTRY_COUNTS 4u  // key_counts
#define PQ_ENTRY_QUERIES 8u // query_counts
#define PQ_ENTRY_BEST 16u
#define PQ_ENTRY_RECENT 32u
#define PQ_ENTRY_OUT_WIDE 64u
#define PQ_ENTRY_OUT_LENGTHS 128u
#define PQ_ENTRY_STATUS 256u
#define PQ_ENTRY_INSIDE 512u // only what is in neither sink nor window
#define PQ_ENTRY_PAGES 1024u
// words of a query's record, at the beginning of `space`, and of what a group's items know
#define PQ_ENTRY_RECORD 8u
#define PQ_ENTRY_COUNT 0u   // entries
#define PQ_ENTRY_FROM 1u    // the first after the sink
#define PQ_ENTRY_END 2u     // the first in the window
#define PQ_ENTRY_IS 3u      // status
#define PQ_ENTRY_VISIBLE 4u // keys that the query sees
#define PQ_ENTRY_MIXED 5u   // 1: they do not ascend
#define PQ_ENTRY_VALUE 5u   // of the k-th
#define PQ_ENTRY_ABOVE 6u   // entries above it, and at it
#define PQ_ENTRY_EQUAL 7u

typedef struct {
    pd_u32 first, heads, queries, flags;
    pd_u32 n, size; // n: entries of a list; size: a power of two of so many or more
    pd_u32 list_at, list_step[4], length_at, length_step[3];
    pd_u32 keys, positions, keys_at, keys_step, counts_at, counts_step;
    pd_u32 sink, window, least; // where a query sees no more than `least` the list is of all
    pd_u32 out_at, out_step[4], cap, out_length_at, out_length_step[3], status_at, status_step[3];
    pd_u32 position_at, place_at; // in `space`
} padic_k_pq_entries_lists_params;

typedef struct {
    pd_u32 row, head, i;
} pq_of;

PD_FN pq_of pq_query_of(pd_u32 query, pd_u32 heads, pd_u32 queries)
{
    pq_of q;
    q.i = query % queries;
    q.head = query / queries % heads;
    q.row = query / queries / heads;
    return q;
}

PD_FN pd_u32 pq_at3(pq_of q, pd_u32 at, pd_u32 row, pd_u32 head, pd_u32 i)
{
    return at + q.row * row + q.head * head + q.i * i;
}

PD_FN void pq_position_put(PD_GPTR(pd_u32) lists, pd_u32 at, pd_u32 position, pd_u32 wide)
{
    if (wide > 0u) {
        lists[2u * (pd_u64)at] = position;
        lists[2u * (pd_u64)at + 1u] = position == PQ_MOST ? PQ_MOST : 0u;
    } else {
        lists[at] = position;
    }
}

// What a query sees, and how long its list is.
PD_FN void pq_entries_begin(PD_GPTR(const pd_u32) lengths, PD_GPTR(const pd_u32) key_counts,
                            PD_GPTR(const pd_u32) query_counts, PD_LPTR(pd_u32) state, pq_of q,
                            const padic_k_pq_entries_lists_params k)
{
    pd_u32 keys = k.keys, queries = k.queries, length = k.n, status = 0u, visible = 0u;
    if ((k.flags & PQ_ENTRY_COUNTS) > 0u) keys = key_counts[k.keys_at + q.row * k.keys_step];
    if ((k.flags & PQ_ENTRY_QUERIES) > 0u)
        queries = query_counts[k.counts_at + q.row * k.counts_step];
    if (keys > k.positions || queries > k.queries) status = 2u;
    if (keys > k.positions) keys = k.positions;
    if (queries > k.queries) queries = k.queries;
    if (q.i < queries && keys + q.i + 1u > queries) visible = keys + q.i + 1u - queries;
    if ((k.flags & PQ_ENTRY_LENGTHS) > 0u)
        length = lengths[pq_at3(q, k.length_at, k.length_step[0], k.length_step[1],
                                k.length_step[2])];
    if (length > k.n) {
        status = 2u;
        length = k.n;
    }
    state[PQ_ENTRY_COUNT] = length;
    state[PQ_ENTRY_FROM] = k.sink;
    state[PQ_ENTRY_END] = visible > k.window ? visible - k.window : 0u;
    state[PQ_ENTRY_IS] = status;
    state[PQ_ENTRY_VISIBLE] = visible;
    state[PQ_ENTRY_MIXED] = 0u;
    if ((k.flags & PQ_ENTRY_INSIDE) > 0u && visible <= k.least) state[PQ_ENTRY_END] = 0u;
}

// Entry e of a list: its position, or MOST where it has none that counts.
PD_FN pd_u32 pq_entry_read(PD_GPTR(const pd_u32) lists, PD_LPTR(pd_u32) state, pd_u32 at, pd_u32 e,
                           pd_u32 wide)
{
    pd_u32 low = PQ_MOST, high = PQ_MOST;
    if (e >= state[PQ_ENTRY_COUNT]) return PQ_MOST;
    if (wide > 0u) {
        low = lists[2u * (pd_u64)at];
        high = lists[2u * (pd_u64)at + 1u];
    } else {
        low = lists[at];
        if (low != PQ_MOST) high = 0u;
    }
    if (low == PQ_MOST && high == PQ_MOST) return PQ_MOST;
    if (high == 0u && low < state[PQ_ENTRY_VISIBLE]) return low;
    PD_ATOMIC_OR_L(&state[PQ_ENTRY_IS], 16u);
    return PQ_MOST;
}

// The first of `count` positions, which ascend, that is `from` or above.
PD_FN pd_u32 pq_entries_from(PD_GPTR(const pd_u32) position, pd_u32 count, pd_u32 from)
{
    pd_u32 low = 0u;
    for (pd_u32 left = count; left > 0u;) {
        const pd_u32 middle = left / 2u;
        if (position[low + middle] < from) {
            low += middle + 1u;
            left -= middle + 1u;
        } else {
            left = middle;
        }
    }
    return low;
}

// Of pairs that ascend by position the first of each, moved down. With INSIDE only those from `low`
// on, below `high`.
PQ_FN void pq_entries_keep(PD_GPTR(pd_u32) position, PD_GPTR(pd_u32) place, PD_LPTR(pd_u32) sums,
                           PD_LPTR(pd_u32) state, pd_u32 size, pd_u32 low, pd_u32 high)
{
    for (pd_u32 first = 0u; first < size; first += PQ_WG) {
        const pd_u32 e = first + PD_LID;
        pd_u32 own = PQ_MOST, at = 0u, kept = 0u, to;
        if (e < size) {
            own = position[e];
            at = place[e];
            if (own != PQ_MOST && own >= low && own < high)
                kept = e == 0u || position[e - 1u] != own ? 1u : 0u;
        }
        to = pq_before(sums, kept) + state[PQ_ENTRY_COUNT];
        PD_BARRIER_ALL(); // nobody reads from where others write
        if (kept > 0u) {
            position[to] = own;
            place[to] = at;
        }
        if (PD_LID == 0u) state[PQ_ENTRY_COUNT] += PQ_TOTAL(sums);
        PD_BARRIER_ALL();
    }
}

// The entries of a query's list, as pairs in `space`; what `state` says of them.
PQ_FN void pq_entries(PD_GPTR(const pd_u32) lists, PD_GPTR(const pd_u32) lengths,
                      PD_GPTR(const pd_u32) key_counts, PD_GPTR(const pd_u32) query_counts,
                      PD_GPTR(pd_u32) position, PD_GPTR(pd_u32) place, PD_LPTR(pd_u32) sums,
                      PD_LPTR(pd_u32) state, pq_of q, const padic_k_pq_entries_lists_params k)
{
    const pd_u32 from = pq_at3(q, k.list_at, k.list_step[0], k.list_step[1], k.list_step[2]);
    const pd_u32 size = k.size, step = k.list_step[3], inside = k.flags & PQ_ENTRY_INSIDE;
    if (PD_LID == 0u) pq_entries_begin(lengths, key_counts, query_counts, state, q, k);
    PD_BARRIER();
    for (pd_u32 e = PD_LID; e < size; e += PQ_WG) {
        position[e] = pq_entry_read(lists, state, from + e * step, e, k.flags & PQ_ENTRY_WIDE);
        place[e] = e;
    }
    PD_BARRIER_ALL();
    for (pd_u32 e = PD_LID; e + 1u < size; e += PQ_WG)
        if (position[e] > position[e + 1u]) PD_ATOMIC_OR_L(&state[PQ_ENTRY_MIXED], 1u);
    if (PD_LID == 0u) state[PQ_ENTRY_COUNT] = 0u;
    PD_BARRIER_ALL();
    pq_sort(position, place, state[PQ_ENTRY_MIXED] > 0u ? size : 0u);
    pq_entries_keep(position, place, sums, state, size, inside > 0u ? state[PQ_ENTRY_FROM] : 0u,
                    inside > 0u ? state[PQ_ENTRY_END] : PQ_MOST);
}

// Lengths and status of a query.
PD_FN void pq_entries_say(PD_GPTR(pd_u32) lengths, PD_GPTR(pd_u32) status, pd_u32 length,
                          pd_u32 is, pq_of q, const padic_k_pq_entries_lists_params k)
{
    if ((k.flags & PQ_ENTRY_OUT_LENGTHS) > 0u)
        lengths[pq_at3(q, k.out_length_at, k.out_length_step[0], k.out_length_step[1],
                       k.out_length_step[2])] = length;
    if ((k.flags & PQ_ENTRY_STATUS) > 0u)
        status[pq_at3(q, k.status_at, k.status_step[0], k.status_step[1], k.status_step[2])] = is;
}

// Sink, entries, window. A query a group.
PD_KERNEL(padic_k_pq_entries_lists)
(PD_CBUF(pd_u32, chosen), PD_CBUF(pd_u32, chosen_lengths), PD_CBUF(pd_u32, key_counts),
 PD_CBUF(pd_u32, query_counts), PD_BUF(pd_u32, space), PD_BUF(pd_u32, lists),
 PD_BUF(pd_u32, lengths), PD_BUF(pd_u32, status), PD_PARAMS(padic_k_pq_entries_lists_params, k))
{
    PD_LOCAL pd_u32 sums[PQ_SUMS];
    PD_LOCAL pd_u32 state[PQ_ENTRY_RECORD];
    const pq_of q = pq_query_of(k.first + PD_GRP, k.heads, k.queries);
    PD_GPTR(pd_u32) position = space + k.position_at + PD_GRP * k.size;
    PD_GPTR(pd_u32) place = space + k.place_at + PD_GRP * k.size;
    const pd_u32 to = pq_at3(q, k.out_at, k.out_step[0], k.out_step[1], k.out_step[2]);
    const pd_u32 best = k.flags & PQ_ENTRY_BEST, step = k.out_step[3];
    const pd_u32 wide = k.flags & PQ_ENTRY_OUT_WIDE;
    pd_u32 sorted = 1u, all, sink, count, length;
    pq_entries(chosen, chosen_lengths, key_counts, query_counts, position, place, sums, state, q,
               k);
    while (sorted < state[PQ_ENTRY_COUNT] && best > 0u) sorted *= 2u;
    if (best == 0u) sorted = 0u;
    for (pd_u32 e = state[PQ_ENTRY_COUNT] + PD_LID; e < sorted; e += PQ_WG)
        position[e] = place[e] = PQ_MOST;
    PD_BARRIER_ALL();
    pq_sort(place, position, sorted);
    all = state[PQ_ENTRY_VISIBLE] <= k.least ? 1u : 0u;
    sink = all > 0u ? state[PQ_ENTRY_VISIBLE] : k.sink;
    count = state[PQ_ENTRY_COUNT];
    length = all > 0u ? sink : sink + count + k.window;
    for (pd_u32 r = PD_LID; r < k.cap; r += PQ_WG) {
        pd_u32 own = PQ_MOST;
        if (r < sink) own = r;
        else if (all == 0u && r < sink + count) own = position[r - sink];
        else if (r < length) own = state[PQ_ENTRY_VISIBLE] - (length - r);
        pq_position_put(lists, to + r * step, own, wide);
    }
    if (PD_LID == 0u) pq_entries_say(lengths, status, length, state[PQ_ENTRY_IS], q, k);
}

// The entries alone, and where those are that a choice is made of.
PD_KERNEL(padic_k_pq_entries_read)
(PD_CBUF(pd_u32, lists), PD_CBUF(pd_u32, lengths), PD_CBUF(pd_u32, key_counts),
 PD_CBUF(pd_u32, query_counts), PD_BUF(pd_u32, space),
 PD_PARAMS(padic_k_pq_entries_lists_params, k))
{
    PD_LOCAL pd_u32 sums[PQ_SUMS];
    PD_LOCAL pd_u32 state[PQ_ENTRY_RECORD];
    const pq_of q = pq_query_of(k.first + PD_GRP, k.heads, k.queries);
    PD_GPTR(pd_u32) position = space + k.position_at + PD_GRP * k.size;
    PD_GPTR(pd_u32) place = space + k.place_at + PD_GRP * k.size;
    pq_entries(lists, lengths, key_counts, query_counts, position, place, sums, state, q, k);
    if (PD_LID == 0u) {
        const pd_u32 count = state[PQ_ENTRY_COUNT];
        const pd_u32 from = pq_entries_from(position, count, state[PQ_ENTRY_FROM]);
        const pd_u32 end = pq_entries_from(position, count, state[PQ_ENTRY_END]);
        PD_GPTR(pd_u32) record = space + PD_GRP * PQ_ENTRY_RECORD;
        record[PQ_ENTRY_COUNT] = count;
        record[PQ_ENTRY_FROM] = from;
        record[PQ_ENTRY_END] = end > from ? end : from;
        record[PQ_ENTRY_IS] = state[PQ_ENTRY_IS];
    }
}

typedef struct {
    pd_u32 first, heads, queries, per, parts, flags; // per: heads of one of keys
    pd_u32 d, query_dtype, query_lo, query_hi, query_step[4];
    pd_u32 key_dtype, key_lo, key_hi, key_step[4];
    pd_u32 page, page_count, row_pages, pages_at; // page: keys of one
    pd_u32 size, position_at, order_at;           // in `space`
} padic_k_pq_entries_score_params;

// <q, key> as an ordered integer: both scaled below 2, one product after the other.
PD_FN pd_u32 pq_entry_score(PD_LPTR(const pd_u32) x, PD_GPTR(const pd_u32) keys, pd_u64 from,
                            pd_i32 own, const padic_k_pq_entries_score_params k)
{
    pd_u32 largest = 0u;
    pd_f32 sum = 0.0f;
    pd_i32 e;
    for (pd_u32 a = 0u; a < k.d; a++) {
        const pd_u32 bits = pq_load(keys, from + pq_steps(a, k.key_step[3]), k.key_dtype);
        if ((bits & 0x7fffffffu) > largest) largest = bits & 0x7fffffffu;
    }
    if (pq_finite(largest) == 0u) return pq_order(PQ_LEAST);
    e = largest > 0u ? pq_exponent(largest) : 0;
    for (pd_u32 a = 0u; a < k.d; a++) {
        const pd_u32 bits = pq_load(keys, from + pq_steps(a, k.key_step[3]), k.key_dtype);
        const pd_f32 one = PD_AS_F32(x[a]) * PD_AS_F32(pq_scaled(bits, e));
        sum = a > 0u ? sum + one : one;
    }
    return pq_order(pq_unscaled(PD_AS_U32(sum), own + e));
}

// Scores of as many entries of a query as a group has items.
PD_KERNEL(padic_k_pq_entries_score)
(PD_CBUF(pd_u32, queries), PD_CBUF(pd_u32, keys), PD_CBUF(pd_u32, pages), PD_BUF(pd_u32, space),
 PD_PARAMS(padic_k_pq_entries_score_params, k))
{
    PD_LOCAL pd_u32 x[1024];
    PD_LOCAL pd_u32 most[PD_WG];
    const pd_u32 group = PD_GRP / k.parts, part = PD_GRP - group * k.parts;
    const pq_of q = pq_query_of(k.first + group, k.heads, k.queries);
    const pd_u64 from = PD_U64(k.query_lo, k.query_hi) + pq_steps(q.row, k.query_step[0]) +
                        pq_steps(q.head, k.query_step[1]) + pq_steps(q.i, k.query_step[2]);
    const pd_u32 record = group * PQ_ENTRY_RECORD;
    const pd_u32 e = space[record + PQ_ENTRY_FROM] + part * PQ_WG + PD_LID;
    pd_u32 largest = 0u;
    pd_i32 own;
    for (pd_u32 a = PD_LID; a < k.d; a += PQ_WG) {
        const pd_u32 bits = pq_load(queries, from + pq_steps(a, k.query_step[3]), k.query_dtype);
        x[a] = bits;
        if ((bits & 0x7fffffffu) > largest) largest = bits & 0x7fffffffu;
    }
    most[PD_LID] = largest;
    PD_BARRIER();
    for (pd_u32 apart = PQ_WG / 2u; apart > 0u; apart /= 2u) {
        if (PD_LID < apart && most[PD_LID + apart] > most[PD_LID])
            most[PD_LID] = most[PD_LID + apart];
        PD_BARRIER();
    }
    largest = most[0];
    own = largest > 0u ? pq_exponent(largest) : 0;
    for (pd_u32 a = PD_LID; a < k.d && pq_finite(largest) > 0u; a += PQ_WG)
        x[a] = pq_scaled(x[a], own);
    PD_BARRIER();
    if (PD_LID == 0u && part == 0u && pq_finite(largest) == 0u)
        PD_ATOMIC_OR_G(&space[record + PQ_ENTRY_IS], 1u);
    if (e < space[record + PQ_ENTRY_END]) {
        const pd_u32 position = space[k.position_at + group * k.size + e];
        pd_u32 in = q.row, at = position, order = pq_order(PQ_LEAST);
        if ((k.flags & PQ_ENTRY_PAGES) > 0u) {
            in = pages[k.pages_at + q.row * k.row_pages + position / k.page];
            at = position % k.page;
        }
        if (in >= k.page_count) PD_ATOMIC_OR_G(&space[record + PQ_ENTRY_IS], 4u);
        else if (pq_finite(most[0]) > 0u)
            order = pq_entry_score(x, keys,
                                   PD_U64(k.key_lo, k.key_hi) + pq_steps(in, k.key_step[0]) +
                                       pq_steps(q.head / k.per, k.key_step[1]) +
                                       pq_steps(at, k.key_step[2]),
                                   most[0] > 0u ? pq_exponent(most[0]) : 0, k);
        space[k.order_at + group * k.size + e] = order;
    }
}

typedef struct {
    pd_u32 first, heads, queries, flags, heavy;
    pd_u32 size, position_at, order_at, sort_at; // in `space`; sort_at: size pairs of each query
    pd_u32 out_at, out_step[4], cap, length_at, length_step[3], status_at, status_step[3];
} padic_k_pq_entries_best_params;

// The k-th largest of n, k > 0: its value, how many are above it and at it.
PQ_FN void pq_entries_kth(PD_GPTR(const pd_u32) order, PD_LPTR(pd_u32) bins, PD_LPTR(pd_u32) sums,
                          PD_LPTR(pd_u32) found, PD_LPTR(pd_u32) state, pd_u32 n, pd_u32 wanted)
{
    for (pd_u32 round = 0u; round < 3u; round++) { // 11 bits, 11, then 10
        const pd_u32 shift = round == 0u ? 21u : round == 1u ? 10u : 0u;
        const pd_u32 mask = round == 2u ? 1023u : 2047u, top = round == 1u ? 21u : 10u;
        pq_clear(bins);
        PD_BARRIER();
        for (pd_u32 i = PD_LID; i < n; i += PQ_WG) {
            const pd_u32 x = order[i];
            if (round == 0u || x >> top == state[PQ_ENTRY_VALUE] >> top)
                PD_ATOMIC_ADD_L(&bins[x >> shift & mask], 1u);
        }
        PD_BARRIER();
        pq_find(bins, sums, found, wanted - state[PQ_ENTRY_ABOVE]);
        if (PD_LID == 0u) {
            state[PQ_ENTRY_VALUE] |= found[0] << shift;
            state[PQ_ENTRY_ABOVE] += found[1];
            state[PQ_ENTRY_EQUAL] = found[2];
        }
        PD_BARRIER();
    }
}

// Those above the k-th and as many of those at it as are wanted: into the list, or pairs to sort.
PQ_FN void pq_entries_take(PD_GPTR(const pd_u32) order, PD_GPTR(const pd_u32) position,
                           PD_GPTR(pd_u32) pairs, PD_GPTR(pd_u32) out, PD_LPTR(pd_u32) sums,
                           PD_LPTR(const pd_u32) state, pd_u32 n, pd_u32 wanted, pd_u32 to,
                           const padic_k_pq_entries_best_params k)
{
    const pd_u32 mine = n / PQ_WG + 1u, low = PD_LID * mine < n ? PD_LID * mine : n;
    const pd_u32 high = low + mine < n ? low + mine : n, value = state[PQ_ENTRY_VALUE];
    const pd_u32 take = wanted - state[PQ_ENTRY_ABOVE];
    const pd_u32 recent = (k.flags & PQ_ENTRY_RECENT) > 0u ? PQ_MOST : 0u;
    const pd_u32 skip = recent > 0u && take < state[PQ_ENTRY_EQUAL] ? state[PQ_ENTRY_EQUAL] - take
                                                                    : 0u;
    pd_u32 over = 0u, equal = 0u;
    for (pd_u32 i = low; i < high; i++) {
        over += order[i] > value ? 1u : 0u;
        equal += order[i] == value ? 1u : 0u;
    }
    over = pq_before(sums, over);
    equal = pq_before(sums, equal);
    for (pd_u32 i = low; i < high; i++) {
        const pd_u32 x = order[i], last = equal < skip ? 0u : equal - skip;
        const pd_u32 r = over + (last < take ? last : take);
        if ((x > value || (x == value && equal >= skip && last < take)) && r < wanted) {
            if ((k.flags & PQ_ENTRY_BEST) > 0u) {
                pairs[r] = ~x;
                pairs[k.size + r] = position[i] ^ recent;
            } else {
                pq_position_put(out, to + r * k.out_step[3], position[i],
                                k.flags & PQ_ENTRY_OUT_WIDE);
            }
        }
        over += x > value ? 1u : 0u;
        equal += x == value ? 1u : 0u;
    }
}

// The best of a list's middle; its beginning and end stay. A query a group.
PD_KERNEL(padic_k_pq_entries_best)
(PD_BUF(pd_u32, space), PD_BUF(pd_u32, out), PD_BUF(pd_u32, lengths), PD_BUF(pd_u32, status),
 PD_PARAMS(padic_k_pq_entries_best_params, k))
{
    PD_LOCAL pd_u32 bins[PQ_BINS];
    PD_LOCAL pd_u32 sums[PQ_SUMS];
    PD_LOCAL pd_u32 found[4];
    PD_LOCAL pd_u32 state[PQ_ENTRY_RECORD];
    const pq_of q = pq_query_of(k.first + PD_GRP, k.heads, k.queries);
    const pd_u32 record = PD_GRP * PQ_ENTRY_RECORD, from = space[record + PQ_ENTRY_FROM];
    const pd_u32 n = space[record + PQ_ENTRY_END] - from, wanted = n < k.heavy ? n : k.heavy;
    const pd_u32 count = space[record + PQ_ENTRY_COUNT], step = k.out_step[3];
    const pd_u32 to = pq_at3(q, k.out_at, k.out_step[0], k.out_step[1], k.out_step[2]);
    const pd_u32 best = k.flags & PQ_ENTRY_BEST, wide = k.flags & PQ_ENTRY_OUT_WIDE;
    const pd_u32 turn = (k.flags & PQ_ENTRY_RECENT) > 0u ? PQ_MOST : 0u;
    PD_GPTR(pd_u32) position = space + k.position_at + PD_GRP * k.size;
    PD_GPTR(pd_u32) order = space + k.order_at + PD_GRP * k.size;
    PD_GPTR(pd_u32) pairs = space + k.sort_at + PD_GRP * 2u * k.size;
    pd_u32 sorted = 1u;
    if (PD_LID < PQ_ENTRY_RECORD) state[PD_LID] = 0u;
    PD_BARRIER();
    pq_entries_kth(order + from, bins, sums, found, state, n, wanted);
    pq_entries_take(order + from, position + from, pairs, out, sums, state, n, wanted,
                    to + from * step, k);
    while (sorted < wanted && best > 0u) sorted *= 2u;
    if (best == 0u) sorted = 0u;
    for (pd_u32 e = wanted + PD_LID; e < sorted; e += PQ_WG)
        pairs[e] = pairs[k.size + e] = PQ_MOST;
    PD_BARRIER_ALL();
    pq_sort(pairs, pairs + k.size, sorted);
    for (pd_u32 r = PD_LID; r < k.cap; r += PQ_WG) {
        pd_u32 own = PQ_MOST;
        if (r < from) own = position[r];
        else if (r < from + wanted) own = best > 0u ? pairs[k.size + r - from] ^ turn : 0u;
        else if (r < count - n + wanted) own = position[r + n - wanted];
        if (r < from || r >= from + wanted || best > 0u)
            pq_position_put(out, to + r * step, own, wide);
    }
    if (PD_LID == 0u) {
        if ((k.flags & PQ_ENTRY_OUT_LENGTHS) > 0u)
            lengths[pq_at3(q, k.length_at, k.length_step[0], k.length_step[1],
                           k.length_step[2])] = count - n + wanted;
        if ((k.flags & PQ_ENTRY_STATUS) > 0u)
            status[pq_at3(q, k.status_at, k.status_step[0], k.status_step[1], k.status_step[2])] =
                space[record + PQ_ENTRY_IS];
    }
}
