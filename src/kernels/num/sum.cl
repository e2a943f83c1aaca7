// sum.cl: sums of all numbers and of products, in an order that does not depend on the device.

#if PD_NUM_OP == NUM_OP_REDUCE || PD_NUM_OP == NUM_OP_FOLD
// A cell between the launches of a sum: four words.
PD_FN void num_cell_put(PD_GPTR(pd_u32) to, pd_u64 i, num_cell given)
{
    num_cell x = given;
    if (x.v == NUM_NAN) x.u = 0u; // it is marked in the bits
    to[4u * i] = (pd_u32)x.u;
    to[4u * i + 1u] = (pd_u32)((pd_u64)x.u >> 32);
    to[4u * i + 2u] = (pd_u32)x.v;
    to[4u * i + 3u] = x.n | x.bits << 16;
}

PD_FN num_cell num_cell_get(PD_GPTR(pd_u32) from, pd_u64 i)
{
    num_cell x;
    x.u = (num_u)PD_U64(from[4u * i], from[4u * i + 1u]);
    x.v = (pd_i32)from[4u * i + 2u];
    x.n = from[4u * i + 3u] & 65535u;
    x.bits = from[4u * i + 3u] >> 16;
    x.spare = 0u;
    return x;
}

PD_FN num_cell num_merge(const num_ring r, num_cell a, num_cell b)
{
    num_cell x = num_limit(num_cell_sum(r, a, b, 0u));
    if (x.v != NUM_NAN) x.bits |= a.bits | b.bits;
    return x;
}
#endif

#if PD_NUM_OP == NUM_OP_REDUCE
// Chunks of 4,096: lane j of 32 adds elements j, j + 32, ..., then neighbours pairwise.
PD_FN void num_reduce_chunks(const num_ring r, const num_work w, PD_LPTR(num_cell) cells)
{
    const pd_u32 chunks = (w.count + 4095u) >> 12, lane = PD_LID & 31u;
    for (pd_u32 base = PD_GRP * (PD_WG / 32u); base < chunks; base += PD_NGRP * (PD_WG / 32u)) {
        const pd_u32 chunk = base + PD_LID / 32u, first = chunk << 12;
        const pd_u32 rest = chunk < chunks ? w.count - first : 0u, n = rest < 4096u ? rest : 4096u;
        num_cell x = num_cell_of(r);
        for (pd_u32 i = lane; i < n; i += 32u) {
            num_cell y = num_load(r, w.a, first + i);
            if (w.mode) y = num_limit(num_cell_mul(r, y, num_load(r, w.b, first + i)));
            if (i == lane) {
                x = y;
            } else {
                const num_cell sum = num_cell_sum(r, x, y, 0u);
                const pd_u32 bits = x.bits | y.bits;
                x = sum;
                if (x.v != NUM_NAN) x.bits |= bits;
            }
        }
        cells[PD_LID] = x;
        PD_BARRIER();
        for (pd_u32 s = 1u; s < 32u; s *= 2u) {
            if (!(lane & (2u * s - 1u)) && lane + s < n)
                cells[PD_LID] = num_merge(r, cells[PD_LID], cells[PD_LID + s]);
            PD_BARRIER();
        }
        if (lane == 0u && chunk < chunks)
            num_cell_put((PD_GPTR(pd_u32))w.other0, chunk, cells[PD_LID]);
        PD_BARRIER();
    }
}
#endif

#if PD_NUM_OP == NUM_OP_FOLD
// One group: cells pairwise in order, alternating between two places, to the result.
PD_FN pd_u32 num_fold(const num_ring r, const num_work w)
{
    pd_u32 seen = 0u;
    PD_GPTR(pd_u32) from = (PD_GPTR(pd_u32))w.other0;
    PD_GPTR(pd_u32) to = (PD_GPTR(pd_u32))w.other1;
    pd_u32 n = w.count;
    for (; n > 1u; n = (n + 1u) / 2u) {
        for (pd_u32 i = PD_LID; i < (n + 1u) / 2u; i += PD_WG) {
            num_cell x = num_cell_get(from, 2u * i);
            if (2u * i + 1u < n) x = num_merge(r, x, num_cell_get(from, 2u * i + 1u));
            num_cell_put(to, i, x);
        }
        PD_BARRIER_ALL();
        {
            PD_GPTR(pd_u32) const swap = from;
            from = to;
            to = swap;
        }
    }
    if (PD_LID == 0u) {
        num_cell x = num_cell_of(r);
        if (n) {
            x = num_cell_get(from, 0u);
        } else {
            x.v = PD_NUM_MODEL ? NUM_ZERO : 0;
            x.n = 0u;
        }
        seen |= num_report(w, 0u, num_store(w.out, 0u, x));
    }
    return seen;
}
#endif
