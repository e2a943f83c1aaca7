// group.cl: operations of a group's items: prefix sums, and reductions to one value.

// Exclusive prefix sums over 256 items; CODEC_TOTAL(part) becomes the total. The arrays may be
// written again after one more barrier. They have 288 and 36 elements.
PD_FN pd_u64 codec_before(PD_LPTR(pd_u64) each, PD_LPTR(pd_u64) part, pd_u64 mine)
{
    const pd_u32 l = PD_LID;
    pd_u32 i;
#if PD_HAS_WARPS
    pd_u64 sum = mine;
    (void)each;
    for (i = 1u; i < 32u; i *= 2u) {
        const pd_u64 x = PD_SHUFFLE_UP64(sum, i);
        if (l % 32u >= i) sum += x;
    }
    if (l % 32u == 31u) part[l / 32u] = sum;
    PD_BARRIER();
    sum -= mine;
    for (i = 0u; i < 7u; i++) sum += i < l / 32u ? part[i] : 0u;
#else
    const pd_u32 own = l + l / 8u;
    pd_u64 sum = 0u, x;
    each[own] = mine;
    PD_BARRIER();
    if (l < 32u) {
        for (i = 9u * l; i < 9u * l + 8u; i++) {
            x = each[i];
            each[i] = sum;
            sum += x;
        }
        part[l] = sum;
    }
    PD_BARRIER();
    if (l < 4u) {
        sum = 0u;
        for (i = 8u * l; i < 8u * l + 8u; i++) {
            x = part[i];
            part[i] = sum;
            sum += x;
        }
        part[32u + l] = sum;
    }
    PD_BARRIER();
    sum = part[l / 8u] + each[own];
    for (i = 0u; i < l / 64u; i++) sum += part[32u + i];
#endif
    return sum;
}

// The same in 32 bits.
PD_FN pd_u32 codec_before32(PD_LPTR(pd_u64) each, PD_LPTR(pd_u64) part, pd_u32 mine)
{
#if PD_HAS_WARPS
    const pd_u32 l = PD_LID;
    pd_u32 sum = mine, i;
    (void)each;
    for (i = 1u; i < 32u; i *= 2u) sum = PD_SUM_UP(sum, i);
    if (l % 32u == 31u) part[l / 32u] = sum;
    PD_BARRIER();
    sum -= mine;
    for (i = 0u; i < 7u; i++) sum += i < l / 32u ? (pd_u32)part[i] : 0u;
    return sum;
#else
    return (pd_u32)codec_before(each, part, mine);
#endif
}

#if PD_HAS_WARPS
#define CODEC_AGAIN() // not the places that were read: no barrier is needed
#define CODEC_TOTAL(part) \
    ((part)[0] + (part)[1] + (part)[2] + (part)[3] + (part)[4] + (part)[5] + (part)[6] + (part)[7])
#define CODEC_TEAM 32u // items that need no group barrier among themselves
#define CODEC_TEAM_BARRIER() PD_BARRIER_WARP()
#else
#define CODEC_AGAIN() PD_BARRIER()
#define CODEC_TOTAL(part) ((part)[32] + (part)[33] + (part)[34] + (part)[35])
#define CODEC_TEAM 256u
#define CODEC_TEAM_BARRIER() PD_BARRIER()
#endif

#if PD_HAS_WARPS
// As codec_before, for a tile: its sum is added to *all, and the arrays (of 8, in turns) may be
// written again after the next tile's barrier.
PD_FN pd_u32 codec_tile_before32(PD_LPTR(pd_u32) part, pd_u32 mine, pd_u32 *all)
{
    const pd_u32 l = PD_LID;
    pd_u32 sum = mine, i, y;
    for (i = 1u; i < 32u; i *= 2u) sum = PD_SUM_UP(sum, i);
    if (l % 32u == 31u) part[l / 32u] = sum;
    PD_BARRIER();
    y = l % 32u < 8u ? part[l % 8u] : 0u;
    *all = PD_WARP_SUM(y);
    return sum - mine + PD_WARP_SUM(l % 32u < l / 32u ? y : 0u);
}

PD_FN pd_u64 codec_tile_before(PD_LPTR(pd_u64) part, pd_u64 mine, pd_u64 *all)
{
    const pd_u32 l = PD_LID;
    pd_u64 sum = mine, x, y;
    pd_u32 i;
    for (i = 1u; i < 32u; i *= 2u) {
        x = PD_SHUFFLE_UP64(sum, i);
        if (l % 32u >= i) sum += x;
    }
    if (l % 32u == 31u) part[l / 32u] = sum;
    PD_BARRIER();
    y = part[l % 8u];
    x = l % 8u < l / 32u ? y : 0u;
    for (i = 4u; i > 0u; i /= 2u) {
        x += PD_SHUFFLE_XOR64(x, i);
        y += PD_SHUFFLE_XOR64(y, i);
    }
    *all = y;
    return sum - mine + x;
}
#endif

#define CODEC_OR 0u // ways to combine two values
#define CODEC_ADD 1u
#define CODEC_MOST 2u
#define CODEC_LEAST 3u
PD_FN pd_u64 codec_join(pd_u64 a, pd_u64 b, pd_u32 way)
{
    if (way == CODEC_OR) return a | b;
    if (way == CODEC_ADD) return a + b;
    if (way == CODEC_MOST) return (pd_i64)a > (pd_i64)b ? a : b;
    return (pd_i64)a < (pd_i64)b ? a : b;
}

// Combines all items' values. Begins with a barrier.
PD_FN pd_u64 codec_all(PD_LPTR(pd_u64) each, pd_u64 mine, pd_u32 way)
{
    const pd_u32 l = PD_LID;
    pd_u32 i;
#if PD_HAS_WARPS
    for (i = 16u; i > 0u; i /= 2u) mine = codec_join(mine, PD_SHUFFLE_XOR64(mine, i), way);
    PD_BARRIER();
    if (l % 32u == 0u) each[l / 32u] = mine;
    PD_BARRIER();
    mine = each[0];
    for (i = 1u; i < 8u; i++) mine = codec_join(mine, each[i], way);
#else
    PD_BARRIER();
    each[l] = mine;
    PD_BARRIER();
    if (l < 16u)
        for (i = 1u; i < 16u; i++) each[l] = codec_join(each[l], each[l + 16u * i], way);
    PD_BARRIER();
    mine = each[0];
    for (i = 1u; i < 16u; i++) mine = codec_join(mine, each[i], way);
#endif
    return mine;
}

// Combines `vote` of 32 items, with three words used in rotation, initially 0.
PD_FN pd_u32 codec_votes(PD_LPTR(pd_u32) mask, pd_u32 turn, pd_u32 vote)
{
#if PD_HAS_WARPS
    (void)mask;
    (void)turn;
    return PD_BALLOT(vote);
#else
    pd_u32 all;
    if (vote) PD_ATOMIC_OR_L(&mask[turn], 1u << PD_LID);
    PD_BARRIER();
    all = mask[turn];
    if (PD_LID == 0u) mask[turn ? turn - 1u : 2u] = 0u; // of the previous round
    return all;
#endif
}
