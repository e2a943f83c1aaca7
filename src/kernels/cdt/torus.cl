// torus.cl: moves of the causal torus: src/cdt/torus.c. Triangle x has its neighbours in the strip
// at 2 x and 2 x + 1 of the records; link i has triangles 2 i and 2 i + 1.

#if !PD_CDT_SPHERE
// Puts triangle x to the right of `left`.
PD_FN void cdt_join(PD_GPTR(pd_u32) records, pd_u32 left, pd_u32 x)
{
    const pd_u32 right = records[2u * left + 1u];
    records[2u * left + 1u] = x;
    records[2u * x] = left;
    records[2u * x + 1u] = right;
    records[2u * right] = x;
}

PD_FN void cdt_drop(PD_GPTR(pd_u32) records, pd_u32 x)
{
    const pd_u32 left = records[2u * x], right = records[2u * x + 1u];
    records[2u * left + 1u] = right;
    records[2u * right] = left;
}

// Triangle `from` becomes number `to`.
PD_FN void cdt_rename(PD_GPTR(pd_u32) records, pd_u32 from, pd_u32 to)
{
    const pd_u32 left = records[2u * from], right = records[2u * from + 1u];
    records[2u * to] = left;
    records[2u * to + 1u] = right;
    records[2u * left + 1u] = to;
    records[2u * right] = to;
}

// Triangle a and its right neighbour change places, if their types differ and they are not alone.
PD_FN pd_u32 cdt_flip(PD_GPTR(pd_u32) records, pd_u32 a)
{
    const pd_u32 b = records[2u * a + 1u], left = records[2u * a];
    pd_u32 right;
    if (!((a ^ b) & 1u) || left == b) return 0u;
    right = records[2u * b + 1u];
    records[2u * left + 1u] = b;
    records[2u * b] = left;
    records[2u * b + 1u] = a;
    records[2u * a] = b;
    records[2u * a + 1u] = right;
    records[2u * right] = a;
    return 1u;
}

// A new link to the right of this one.
PD_FN void cdt_insert(cdt_chain *c, pd_u32 link)
{
    const pd_u32 made = c->n++, slice = c->places[link];
    cdt_join(c->records, 2u * link, 2u * made);
    cdt_join(c->records, 2u * link + 1u, 2u * made + 1u);
    c->places[made] = slice;
    c->lengths[slice]++;
}

// Removes a link whose left end has order 4; the last one takes its number.
PD_FN void cdt_remove(cdt_chain *c, pd_u32 link)
{
    const pd_u32 last = --c->n;
    c->lengths[c->places[link]]--;
    cdt_drop(c->records, 2u * link);
    cdt_drop(c->records, 2u * link + 1u);
    if (link == last) return;
    cdt_rename(c->records, 2u * last, 2u * link);
    cdt_rename(c->records, 2u * last + 1u, 2u * link + 1u);
    c->places[link] = c->places[last];
}

// 1: the move was made.
PD_FN pd_u32 cdt_move(cdt_chain *c, pd_u32 kind, const cdt_words w, const padic_k_cdt_run_params k)
{
    const pd_u32 n = c->n, at = cdt_place(w, 2u * n), link = at >> 1;
    if (kind == CDT_FLIP) return cdt_flip(c->records, at);
    if (kind == CDT_INSERT) {
        if (!cdt_room(c) || !cdt_accept_insert(c, w.accept, n, n + 1u)) return 0u;
        cdt_insert(c, link);
    } else {
        if ((c->records[4u * link] & 1u) || !(c->records[4u * link + 2u] & 1u)) return 0u;
        if (n <= c->from || c->lengths[c->places[link]] <= k.least ||
            !cdt_accept_remove(c, w.accept, n, n - 1u))
            return 0u;
        cdt_remove(c, link);
    }
    cdt_follow(c, k);
    return 1u;
}

// An insertion into a slice that is no longer than the mean.
PD_FN pd_u32 cdt_grow(cdt_chain *c, const cdt_words w, const padic_k_cdt_run_params k)
{
    const pd_u32 at = cdt_place(w, c->n);
    if (c->lengths[c->places[at]] > c->n / k.slices) return 0u;
    cdt_insert(c, at);
    return 1u;
}
#endif
