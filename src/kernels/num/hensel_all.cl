// hensel_all.cl: all roots of polynomials, one group for each.

#if PD_NUM_OP == NUM_OP_HENSEL_ALL
// The lowest set bit in two words, or `most` if that is less.
PD_FN pd_u32 num_lowest(pd_u32 low, pd_u32 high, pd_u32 most)
{
    const pd_u64 all = PD_U64(low, high);
    const pd_u32 lowest = all ? num_ctz(all) : most;
    return lowest < most ? lowest : most;
}

// a b / 2^32 modulo p. p = 2: a b.
PD_FN pd_u32 num_digit_mul(const num_ring r, pd_u32 a, pd_u32 b)
{
#if PD_NUM_TWO
    (void)r;
    return a & b;
#else
    const pd_u32 p = (pd_u32)NUM_P(r), low = a * b * (pd_u32)NUM_P_INVERSE(r);
    const pd_u32 high = PD_MULHI32(a, b), h = PD_MULHI32(low, p);
    return high >= h ? high - h : high + p - h;
#endif
}

PD_FN pd_u32 num_digit_add(const num_ring r, pd_u32 a, pd_u32 b)
{
    const pd_u32 p = (pd_u32)NUM_P(r), sum = a + b;
    (void)r;
    return sum >= p ? sum - p : sum;
}

// 2^64 modulo p; p = 2: 1.
PD_FN pd_u32 num_digit_square(const num_ring r)
{
#if PD_NUM_TWO
    (void)r;
    return 1u;
#else
    const pd_u32 p = (pd_u32)NUM_P(r), one = (0xffffffffu % p + 1u) % p;
    return (pd_u32)((pd_u64)one * one % p);
#endif
}

// The search for the roots of one polynomial: terms, capacity of the queue of classes, known digits
// of its coefficients.
typedef struct {
    pd_u32 terms, branches, known, spare;
    PD_GPTR(num_u) f; // residues
    PD_GPTR(num_u) digits; // the lowest digits of g
    PD_GPTR(num_u) queue; // waiting classes, two words each
} num_search;

// State of the first item; all know whether there may be more roots than are found.
typedef struct {
    pd_u32 waiting, head, found, lower;
} num_searched;

// Local memory of the search. word: 0 and 1 a set of valuations; 2 whether a coefficient is no
// integer, or not 0; 3 the level of the next class, whose x is next[0].
typedef struct {
    PD_LPTR(num_u) root;
    PD_LPTR(num_u) next;
    PD_LPTR(pd_u32) right;
    PD_LPTR(pd_u32) hit; // by residues: roots of g modulo p, and those that are not simple
    PD_LPTR(pd_u32) word;
} num_search_room;

// g(p^level t) / p^m, which has a unit among its coefficients if m, the result, is less than the
// known digits.
PD_FN pd_u32 num_search_scale(const num_ring r, const num_search s, const num_polynomial g,
                              pd_u32 level, PD_LPTR(pd_u32) word)
{
    pd_u32 m;
    if (PD_LID < 2u) word[PD_LID] = 0u;
    PD_BARRIER();
    for (pd_u32 t = PD_LID; t < s.terms; t += PD_WG) {
        const num_u u = num_up(r, g.words[t], (pd_i64)t * level);
        const pd_u32 v = num_valuation(r, u);
        g.words[t] = u;
        if (v < r.n) (void)PD_ATOMIC_OR_L(&word[v / 32u], 1u << (v & 31u));
    }
    PD_BARRIER_ALL();
    m = num_lowest(word[0], word[1], s.known);
    for (pd_u32 t = PD_LID; t < s.terms; t += PD_WG) {
        const num_u u = num_down(r, g.words[t], m);
        g.words[t] = u;
        s.digits[t] = u - num_above(r, u) * NUM_P(r);
    }
    PD_BARRIER_ALL();
    return m;
}

// Finds which residues from `base` on, one per item, are roots of g modulo p; terms of g from `top`
// on are 0 there. Simple ones are lifted: x + p^level times such a root.
PD_FN void num_search_try(const num_ring r, const num_search s, const num_polynomial g, pd_u32 top,
                          pd_u32 residue, pd_u32 square, num_u x, pd_u32 level, pd_u32 m,
                          const num_search_room room)
{
    const pd_u32 hits = (PD_WG + 31u) / 32u, point = num_digit_mul(r, residue, square);
    pd_u32 y = 0u, slope = 0u;
    for (pd_u32 j = PD_LID; j < 2u * hits; j += PD_WG) room.hit[j] = 0u;
    PD_BARRIER();
    for (pd_u32 t = top; t > 0u; t--) {
        slope = num_digit_add(r, num_digit_mul(r, slope, point), y);
        y = num_digit_add(r, num_digit_mul(r, y, point), (pd_u32)s.digits[t - 1u]);
    }
    if (!y && residue < (pd_u32)NUM_P(r)) {
        (void)PD_ATOMIC_OR_L(&room.hit[PD_LID / 32u], 1u << (PD_LID & 31u));
        if (!slope) (void)PD_ATOMIC_OR_L(&room.hit[hits + PD_LID / 32u], 1u << (PD_LID & 31u));
        if (slope || !s.branches) {
            num_lifted one = num_lift(r, g, residue, s.known - m);
            if (one.n) one.n += level;
            room.root[PD_LID] = num_low(r, num_add(r, num_up(r, one.u, level), x), one.n);
            room.right[PD_LID] = one.n;
        }
    }
    PD_BARRIER();
}

// By the first item: writes found roots, queues classes of more than one root.
PD_FN pd_u32 num_search_keep(const num_ring r, const num_work w, const num_search s, pd_u32 i,
                             pd_u32 seen, pd_u32 base, num_u x, pd_u32 level, num_searched *so_far,
                             const num_search_room room)
{
    const pd_u32 hits = (PD_WG + 31u) / 32u;
    for (pd_u32 j = 0u; j < hits && PD_LID == 0u; j++)
        for (pd_u32 left = room.hit[j]; left; left &= left - 1u) {
            const pd_u32 at = num_ctz((pd_u64)left), here = 32u * j + at;
            const pd_u32 full =
                so_far->waiting == s.branches || level + 1u >= s.known ? 1u : 0u;
            const pd_u32 several = room.hit[hits + j] >> at & 1u;
            if (several && full) so_far->lower = 1u;
            if (several && s.branches) {
                const pd_u32 last = so_far->head + so_far->waiting;
                const pd_u32 place = 2u * (last < s.branches ? last : last - s.branches);
                if (full) continue;
                s.queue[place] = num_add(r, num_up(r, base + here, level), x);
                s.queue[place + 1u] = level + 1u;
                so_far->waiting++;
            } else if (room.right[here] && so_far->found++ < w.mode) {
                const pd_u64 to = (pd_u64)i * w.mode + so_far->found - 1u;
                num_lifted one;
                one.u = room.root[here];
                one.n = room.right[here];
                one.spare = 0u;
                seen |= num_report(w, to, num_store(w.out, to, num_lifted_cell(r, one)));
            }
        }
    PD_BARRIER();
    return seen;
}

// The number of roots and whether it is only a bound; fills the unused places.
PD_FN pd_u32 num_search_end(const num_ring r, const num_work w, pd_u32 i, pd_u32 seen,
                            pd_u32 found, pd_u32 lower, PD_LPTR(pd_u32) word)
{
    PD_BARRIER();
    if (PD_LID == 0u) {
        word[3] = found < w.mode ? found : w.mode;
        ((PD_GPTR(pd_u32))w.other0)[i] = found;
        if (w.has_other1) ((PD_GPTR(pd_u8))w.other1)[i] = (pd_u8)lower;
    }
    PD_BARRIER();
    for (pd_u32 j = word[3] + PD_LID; j < w.mode; j += PD_WG) { // unused places
        const pd_u64 to = (pd_u64)i * w.mode + j;
        num_cell zero = num_cell_of(r);
        if (PD_NUM_MODEL) zero.v = NUM_ZERO;
        zero.bits = word[2] & 1u ? NUM_OUTSIDE : 0u;
        seen |= num_report(w, to, num_store(w.out, to, zero));
    }
    PD_BARRIER();
    return seen;
}

// other0, other1: numbers of roots, guarantees; other2: room, of a group the residues of f,
// those of g, its lowest digits, classes that wait; k: terms, and how many may wait; stride:
// polynomials (0: all have one's coefficients), and the words of a group; mode: roots kept of
// each. The host does the same one after the other: padici_num_hensel_roots().
PD_FN pd_u32 num_hensel_all(const num_ring r, const num_work w, PD_LPTR(num_u) root,
                            PD_LPTR(num_u) next, PD_LPTR(pd_u32) right, PD_LPTR(pd_u32) hit,
                            PD_LPTR(pd_u32) word)
{
    pd_u32 seen = 0u;
    const pd_u32 square = num_digit_square(r);
    for (pd_u32 i = PD_GRP; i < w.count; i += PD_NGRP) {
        const pd_u32 terms = (pd_u32)w.k, branches = (pd_u32)(w.k >> 32);
        const pd_u32 own = (pd_u32)w.stride;
        PD_GPTR(num_u) const f = (PD_GPTR(num_u))w.other2 + PD_GRP * (w.stride >> 32);
        PD_GPTR(num_u) const digits = f + 2u * terms;
        PD_GPTR(num_u) const queue = digits + terms;
        num_polynomial g;
        pd_u32 level = 0u, known, waiting = 0u, head = 0u, found = 0u, lower = 0u;
        num_u x = 0u;
        g.words = f + terms;
        g.terms = terms;
        g.spare = 0u;
        num_search s;
        num_searched so_far;
        num_search_room room;
        room.root = root;
        room.next = next;
        room.right = right;
        room.hit = hit;
        room.word = word;
        s.spare = 0u;
        s.terms = terms;
        s.branches = branches;
        s.f = f;
        s.digits = digits;
        s.queue = queue;
        if (PD_LID < 4u) word[PD_LID] = 0u;
        PD_BARRIER_ALL();
        for (pd_u32 t = PD_LID; t < terms; t += PD_WG) {
            const num_cell c = num_load(r, w.c, own ? (pd_u64)t * own + i : (pd_u64)t);
            const pd_i32 n = num_cell_known(r, c);
            const num_u u = n < 0 ? 0u : num_cell_residue(r, c);
            f[t] = u;
            if (n < 0 || u) (void)PD_ATOMIC_OR_L(&word[2], n < 0 ? 1u : 2u);
            if (n >= 0 && n < (pd_i32)r.n)
                (void)PD_ATOMIC_OR_L(&word[(pd_u32)n / 32u], 1u << ((pd_u32)n & 31u));
        }
        PD_BARRIER_ALL();
        known = word[2] & 1u ? 0u : num_lowest(word[0], word[1], r.n);
        if (!word[2]) seen |= NUM_NOTHING;
        s.known = known;
        for (pd_u32 more = known; more; more = level) { // the class x + p^level Z_p
            pd_u32 m, top = terms;
            for (pd_u32 t = PD_LID; t < terms; t += PD_WG) g.words[t] = f[t];
            PD_BARRIER_ALL();
            // g = f(x + t): coefficient j of round h needs j + 1 of it and j of the previous one.
            // In a function this takes two more registers on gfx90a.
            for (pd_u32 t = 0u; x && t + 4u <= 2u * terms; t++) {
                const pd_u32 last = terms - 2u, first = t > last ? t - last : 0u;
                const num_u point = num_enter(r, x);
                for (pd_u32 h = first + PD_LID; 2u * h <= t; h += PD_WG) {
                    const pd_u32 j = last + 2u * h - t;
                    g.words[j] = num_add(r, g.words[j], num_mont(r, point, g.words[j + 1u]));
                }
                PD_BARRIER_ALL();
            }
            m = num_search_scale(r, s, g, level, word);
            if (m == known) {
                lower = 1u;
                top = 0u;
            }
            while (top && !digits[top - 1u]) top--;
            for (pd_u32 base = 0u; base < (pd_u32)NUM_P(r) && top > 1u; base += PD_WG) {
                num_search_try(r, s, g, top, base + PD_LID, square, x, level, m, room);
                so_far.waiting = waiting;
                so_far.head = head;
                so_far.found = found;
                so_far.lower = lower;
                seen = num_search_keep(r, w, s, i, seen, base, x, level, &so_far, room);
                waiting = so_far.waiting;
                found = so_far.found;
                lower = so_far.lower;
            }
            if (PD_LID == 0u) {
                word[3] = 0u;
                next[0] = 0u;
                if (waiting) {
                    next[0] = queue[2u * head];
                    word[3] = (pd_u32)queue[2u * head + 1u];
                    head = head + 1u < branches ? head + 1u : 0u;
                    waiting--;
                }
            }
            PD_BARRIER();
            x = next[0];
            level = word[3];
        }
        seen = num_search_end(r, w, i, seen, found, lower, word);
    }
    return seen;
}
#endif
