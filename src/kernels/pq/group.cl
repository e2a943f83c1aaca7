// group.cl: what the items of a group find together: sums before each, a histogram's k-th largest,
// the order of a sort.

#define PQ_BINS 2048u
#define PQ_BINS_ALL 4096u       // of a query in `space`: of the upper 11 bits, of the next 11
#define PQ_EACH (PQ_WG / 32u)   // items of a part of a sum
#define PQ_SUMS (PD_WG + 33)    // words that a sum needs: each item's, each part's, the total
#define PQ_TOTAL(sums) ((sums)[PQ_WG + 32u])

PD_FN pd_u32 pq_sum(pd_u32 a, pd_u32 b) // stays at the largest number
{
    return a + b < a ? PQ_MOST : a + b;
}

#if PD_HAS_WARPS
// The sum over the lanes up to this one.
PD_FN pd_u32 pq_up_to(pd_u32 x, pd_u32 lane)
{
    pd_u32 sum = x;
    for (pd_u32 i = 1u; i < 32u; i *= 2u) {
        const pd_u32 y = PD_SHUFFLE_UP(sum, i);
        if (lane >= i) sum = pq_sum(sum, y);
    }
    return sum;
}
#endif

// The sum over the items before this one; PQ_TOTAL() is that of all until the next call.
#if PD_HAS_WARPS
PQ_FN pd_u32 pq_before(PD_LPTR(pd_u32) sums, pd_u32 mine)
{
    const pd_u32 lane = PD_LID % 32u, warp = PD_LID / 32u, up = pq_up_to(mine, lane);
    const pd_u32 one = PD_SHUFFLE_UP(up, 1u);
    pd_u32 all, before;
    if (lane == 31u) sums[warp] = up;
    PD_BARRIER();
    all = pq_up_to(lane < PQ_WG / 32u ? sums[lane] : 0u, lane);
    before = PD_SHUFFLE(all, warp > 0u ? warp - 1u : 0u);
    if (PD_LID == 31u) PQ_TOTAL(sums) = all;
    PD_BARRIER();
    return pq_sum(warp > 0u ? before : 0u, lane > 0u ? one : 0u);
}
#else
PQ_FN pd_u32 pq_before(PD_LPTR(pd_u32) sums, pd_u32 mine)
{
    const pd_u32 l = PD_LID;
    pd_u32 sum = 0u;
    sums[l] = mine;
    PD_BARRIER();
    if (l < 32u) {
        for (pd_u32 i = l * PQ_EACH; i < (l + 1u) * PQ_EACH; i++) {
            const pd_u32 one = sums[i];
            sums[i] = sum;
            sum = pq_sum(sum, one);
        }
        sums[PQ_WG + l] = sum;
    }
    PD_BARRIER();
    if (l == 0u) {
        sum = 0u;
        for (pd_u32 i = 0u; i < 32u; i++) {
            const pd_u32 one = sums[PQ_WG + i];
            sums[PQ_WG + i] = sum;
            sum = pq_sum(sum, one);
        }
        PQ_TOTAL(sums) = sum;
    }
    PD_BARRIER();
    sum = pq_sum(sums[PQ_WG + l / PQ_EACH], sums[l]);
    PD_BARRIER();
    return sum;
}
#endif

// The bin of the k-th largest, how many are in those above, how many in it; k > 0. Where there are
// fewer than k: 0, 0, 0.
PQ_FN void pq_find(PD_LPTR(const pd_u32) bins, PD_LPTR(pd_u32) sums, PD_LPTR(pd_u32) found,
                   pd_u32 k)
{
    const pd_u32 each = PQ_BINS / PQ_WG, top = PQ_BINS - 1u - PD_LID * each;
    pd_u32 sum = 0u, before, i;
    if (PD_LID < 3u) found[PD_LID] = 0u;
    for (i = 0u; i < each; i++) sum = pq_sum(sum, bins[top - i]);
    before = pq_before(sums, sum);
    if (before < k && pq_sum(before, sum) >= k) {
        for (i = 0u; i + 1u < each && bins[top - i] < k - before; i++) before += bins[top - i];
        found[0] = top - i;
        found[1] = before;
        found[2] = bins[top - i];
    }
    PD_BARRIER();
}

PD_FN void pq_clear(PD_LPTR(pd_u32) bins)
{
    for (pd_u32 i = PD_LID; i < PQ_BINS; i += PQ_WG) bins[i] = 0u;
}

// Sorts n pairs (high, low), ascending; n a power of two, or 0.
PQ_FN void pq_sort(PD_GPTR(pd_u32) high, PD_GPTR(pd_u32) low, pd_u32 n)
{
    for (pd_u32 size = 2u; size <= n; size *= 2u)
        for (pd_u32 apart = size / 2u; apart > 0u; apart /= 2u) {
            for (pd_u32 i = PD_LID; i < n / 2u; i += PQ_WG) {
                const pd_u32 a = i / apart * 2u * apart + i % apart, b = a + apart;
                const pd_u32 ha = high[a], hb = high[b], la = low[a], lb = low[b];
                const pd_u32 more = ha > hb || (ha == hb && la > lb) ? 1u : 0u;
                if (more == ((a & size) == 0u ? 1u : 0u)) {
                    high[a] = hb;
                    high[b] = ha;
                    low[a] = lb;
                    low[b] = la;
                }
            }
            PD_BARRIER_ALL();
        }
}
