// sphere.cl: moves of the sphere: src/cdt/sphere.c. Half-edge h has its origin at 2 h and its
// opposite at 2 h + 1 of the records; triangle t has 4 t, 4 t + 1 and 4 t + 2.

#if PD_CDT_SPHERE
PD_FN pd_u32 cdt_next(pd_u32 h)
{
    return (h & 3u) == 2u ? h - 2u : h + 1u;
}

PD_FN pd_u32 cdt_previous(pd_u32 h)
{
    return (h & 3u) == 0u ? h + 2u : h - 1u;
}

PD_FN pd_u32 cdt_origin(const cdt_chain *c, pd_u32 h)
{
    return c->records[2u * h];
}

PD_FN pd_u32 cdt_opposite(const cdt_chain *c, pd_u32 h)
{
    return c->records[2u * h + 1u];
}

PD_FN void cdt_glue(cdt_chain *c, pd_u32 g, pd_u32 h)
{
    c->records[2u * g + 1u] = h;
    c->records[2u * h + 1u] = g;
}

// The next half-edge that leaves the same vertex.
PD_FN pd_u32 cdt_turn(const cdt_chain *c, pd_u32 h)
{
    return cdt_opposite(c, cdt_previous(h));
}

// Half-edge h gets its origin, which leaves by it.
PD_FN void cdt_set(cdt_chain *c, pd_u32 h, pd_u32 origin)
{
    c->records[2u * h] = origin;
    c->places[origin] = h;
}

// A new vertex v in triangle t = (a, b, c), which becomes (a, b, v), (b, c, v) and (c, a, v).
PD_FN void cdt_insert(cdt_chain *c, pd_u32 t)
{
    const pd_u32 made = c->n++;
    const pd_u32 x = 4u * t, y = 4u * (2u * made - 4u), z = y + 4u;
    const pd_u32 first = cdt_origin(c, x), second = cdt_origin(c, x + 1u);
    const pd_u32 third = cdt_origin(c, x + 2u);
    cdt_glue(c, y, cdt_opposite(c, x + 1u));
    cdt_glue(c, z, cdt_opposite(c, x + 2u));
    cdt_glue(c, x + 1u, y + 2u);
    cdt_glue(c, y + 1u, z + 2u);
    cdt_glue(c, z + 1u, x + 2u);
    c->records[2u * y] = second;
    cdt_set(c, y + 1u, third);
    c->records[2u * (y + 2u)] = made;
    c->records[2u * z] = third;
    c->records[2u * (z + 1u)] = first;
    c->records[2u * (z + 2u)] = made;
    cdt_set(c, x + 2u, made);
}

// Triangle `from` becomes number `to`.
PD_FN void cdt_rename(cdt_chain *c, pd_u32 from, pd_u32 to)
{
    for (pd_u32 i = 0u; i < 3u && from != to; i++) {
        const pd_u32 g = 4u * from + i, h = 4u * to + i, origin = cdt_origin(c, g);
        c->records[2u * h] = origin;
        cdt_glue(c, h, cdt_opposite(c, g));
        if (c->places[origin] == g) c->places[origin] = h;
    }
}

// Removes vertex v of order 3, which half-edge h leaves. The last triangles and the last vertex
// take the free numbers.
PD_FN void cdt_remove(cdt_chain *c, pd_u32 v, pd_u32 h)
{
    const pd_u32 next = cdt_next(h), previous = cdt_previous(h);
    const pd_u32 second = cdt_turn(c, h), third = cdt_turn(c, second);
    const pd_u32 last = --c->n;
    const pd_u32 high = (second > third ? second : third) / 4u;
    const pd_u32 low = (second > third ? third : second) / 4u;
    pd_u32 g, first;
    cdt_set(c, h, cdt_origin(c, cdt_next(third)));
    cdt_set(c, next, cdt_origin(c, next));
    cdt_set(c, previous, cdt_origin(c, previous));
    cdt_glue(c, previous, cdt_opposite(c, cdt_next(second)));
    cdt_glue(c, h, cdt_opposite(c, cdt_next(third)));
    cdt_rename(c, 2u * last - 3u, high);
    cdt_rename(c, 2u * last - 4u, low);
    if (v == last) return;
    first = g = c->places[last];
    c->places[v] = first;
    do {
        c->records[2u * g] = v;
        g = cdt_turn(c, g);
        c->steps++;
    } while (g != first);
}

// The other diagonal of the two triangles at half-edge h, if that is no edge yet.
PD_FN pd_u32 cdt_flip(cdt_chain *c, pd_u32 h)
{
    const pd_u32 g = cdt_opposite(c, h), next = cdt_next(h), other = cdt_next(g);
    const pd_u32 from = cdt_previous(h);
    const pd_u32 top = cdt_origin(c, from), low = cdt_origin(c, cdt_previous(g));
    const pd_u32 a = cdt_origin(c, h), b = cdt_origin(c, g);
    pd_u32 x = from;
    do { // round the top
        if (cdt_origin(c, cdt_next(x)) == low) return 0u;
        x = cdt_turn(c, x);
        c->steps++;
    } while (x != from);
    cdt_glue(c, h, cdt_opposite(c, other));
    cdt_glue(c, g, cdt_opposite(c, next));
    cdt_glue(c, next, other);
    c->records[2u * next] = low;
    c->records[2u * other] = top;
    if (c->places[b] == next) c->places[b] = g;
    if (c->places[a] == other) c->places[a] = h;
    return 1u;
}

// 1: the move was made.
PD_FN pd_u32 cdt_move(cdt_chain *c, pd_u32 kind, const cdt_words w, const padic_k_cdt_run_params k)
{
    const pd_u32 n = c->n, triangles = 2u * n - 4u;
    if (kind == CDT_FLIP) {
        const pd_u32 at = cdt_place(w, 3u * triangles);
        return cdt_flip(c, at + at / 3u); // 3 t + i to 4 t + i
    }
    if (kind == CDT_INSERT) {
        if (!cdt_room(c) || !cdt_accept_insert(c, w.accept, triangles, n + 1u)) return 0u;
        cdt_insert(c, cdt_place(w, triangles));
    } else {
        const pd_u32 at = cdt_place(w, n), h = c->places[at];
        if (n <= c->from || n <= 4u || cdt_turn(c, cdt_turn(c, cdt_turn(c, h))) != h ||
            !cdt_accept_remove(c, w.accept, n, triangles - 2u))
            return 0u;
        cdt_remove(c, at, h);
    }
    cdt_follow(c, k);
    return 1u;
}

PD_FN pd_u32 cdt_grow(cdt_chain *c, const cdt_words w, const padic_k_cdt_run_params k)
{
    (void)k;
    cdt_insert(c, cdt_place(w, 2u * c->n - 4u));
    return 1u;
}
#endif
