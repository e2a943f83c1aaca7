// list.cl: the best of candidates in order of position, or best first; lists.

PD_FN void pq_list_put(PD_GPTR(pd_u32) lists, pd_u32 at, pd_u32 entry, pd_u32 position,
                       const padic_k_pq_select_find_params k)
{
    const pd_u32 to = at + entry * k.list_step[3];
    lists[to] = position;
    if (k.list_wide > 0u) lists[to + 1u] = position == PQ_MOST ? PQ_MOST : 0u;
}

// Where a query's list begins, its length, its status.
PD_FN pd_u32 pq_list_at(pd_u32 query, const padic_k_pq_select_find_params k)
{
    const pd_u32 i = query % k.queries, head = query / k.queries % k.heads;
    return k.list_at + query / k.queries / k.heads * k.list_step[0] + head * k.list_step[1] +
           i * k.list_step[2];
}

PD_FN pd_u32 pq_length_at(pd_u32 query, const padic_k_pq_select_find_params k)
{
    const pd_u32 i = query % k.queries, head = query / k.queries % k.heads;
    return k.length_at + query / k.queries / k.heads * k.length_step[0] + head * k.length_step[1] +
           i * k.length_step[2];
}

PD_FN pd_u32 pq_status_at(pd_u32 query, const padic_k_pq_select_find_params k)
{
    const pd_u32 i = query % k.queries, head = query / k.queries % k.heads;
    return k.status_at + query / k.queries / k.heads * k.status_step[0] + head * k.status_step[1] +
           i * k.status_step[2];
}

// Where the best of a query go: into its list, or to what a sort needs. All of it is found before
// the loops that use it: PoCL loses its way in calls with all of k.
typedef struct {
    pd_u32 best, turn, at, apart, add;
} pq_goal;

PD_FN pq_goal pq_goal_of(pd_u32 query, pd_u32 first, const padic_k_pq_select_find_params k)
{
    pq_goal g;
    g.best = (k.flags & PQ_FLAG_BEST) > 0u ? 1u : 0u;
    g.turn = (k.flags & PQ_FLAG_RECENT) > 0u ? PQ_MOST : 0u;
    g.at = g.best > 0u ? k.sort_at + (query - k.first) * 2u * k.sort_n
                       : pq_list_at(query, k) + k.sink * k.list_step[3];
    g.apart = g.best > 0u ? k.sort_n : k.list_step[3];
    g.add = k.start + first;
    return g;
}

// One of the best, the r-th in order of position.
PD_FN void pq_take(PD_GPTR(pd_u32) space, PD_GPTR(pd_u32) lists, const pq_goal g, pd_u32 wide,
                   pd_u32 r, pd_u32 place, pd_u32 order)
{
    if (g.best > 0u) {
        space[g.at + r] = ~order;
        space[g.at + g.apart + r] = place ^ g.turn;
    } else {
        lists[g.at + r * g.apart] = g.add + place;
        if (wide > 0u) lists[g.at + r * g.apart + 1u] = 0u;
    }
}

// Sorts if that is wanted, and writes all entries that pq_take() has not written.
PQ_FN void pq_finish(PD_GPTR(pd_u32) space, PD_GPTR(pd_u32) lists, PD_GPTR(pd_u32) lengths,
                     PD_GPTR(pd_u32) status, pd_u32 query,
                     const padic_k_pq_select_find_params k)
{
    const pd_u32 record = (query - k.first) * PQ_RECORD, kind = space[record + PQ_KIND];
    const pd_u32 visible = space[record + PQ_VISIBLE], heavy = space[record + PQ_K];
    const pd_u32 start = k.start + space[record + PQ_FIRST], at = pq_list_at(query, k);
    const pd_u32 turn = (k.flags & PQ_FLAG_RECENT) > 0u ? PQ_MOST : 0u;
    const pd_u32 sorted = kind == PQ_SEARCH && (k.flags & PQ_FLAG_BEST) > 0u ? 1u : 0u;
    const pd_u32 from = k.sort_at + (query - k.first) * 2u * k.sort_n;
    const pd_u32 length = kind == PQ_ALL ? visible : k.sink + heavy + k.window;
    pd_u32 n = 1u;
    while (n < heavy && sorted > 0u) n *= 2u;
    if (sorted == 0u) n = 0u;
    for (pd_u32 i = heavy + PD_LID; i < n; i += PQ_WG)
        space[from + i] = space[from + k.sort_n + i] = PQ_MOST;
    PD_BARRIER_ALL();
    pq_sort(space + from, space + from + k.sort_n, n);
    for (pd_u32 r = PD_LID; r < k.cap; r += PQ_WG) {
        pd_u32 position = PQ_MOST, put = 1u;
        if (kind == PQ_ALL) {
            if (r < visible) position = r;
        } else if (r < k.sink) {
            position = r;
        } else if (r < k.sink + heavy) {
            const pd_u32 e = r - k.sink;
            put = kind == PQ_FIXED || sorted > 0u ? 1u : 0u;
            position = start + space[record + PQ_SKIP] +
                       (space[record + PQ_TURNED] > 0u ? heavy - 1u - e : e);
            if (sorted > 0u) position = start + (space[from + k.sort_n + e] ^ turn);
        } else if (r < length) {
            position = visible - k.window + r - k.sink - heavy;
        }
        if (put > 0u) pq_list_put(lists, at, r, position, k);
    }
    if (PD_LID == 0u) {
        if ((k.flags & PQ_FLAG_LENGTHS) > 0u) lengths[pq_length_at(query, k)] = length;
        if ((k.flags & PQ_FLAG_STATUS) > 0u)
            status[pq_status_at(query, k)] = space[record + PQ_STATUS];
    }
}
