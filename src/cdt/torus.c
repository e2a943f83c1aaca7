#include "moves.h"

#if PADICI_IMPLEMENT_CDT

// Moves of the causal torus. Triangle x has its neighbours in the strip at 2 x (left) and 2 x + 1
// (right) of the records; the third is x ^ 1.

// Rings of as many links as the target lets be, three or the least length.
PADICI_FN void padici_cdt_torus_begin(const padici_cdt_rules *rules, padici_cdt_replica *r)
{
    const uint32_t slices = rules->desc.slices;
    uint32_t links = 3, t, j, at = 0;
    if (r->target && links > r->target / slices) links = r->target / slices;
    if (links > rules->most / slices) links = rules->most / slices;
    if (links < rules->desc.min_length) links = rules->desc.min_length;
    for (t = 0; t < slices; t++) {
        const uint32_t above = t + 1 < slices ? at + links : 0;
        for (j = 0; j < links; j++) { // up, down, up, down, ...
            const uint32_t up = 2 * (at + j), down = 2 * (above + j) + 1;
            const uint32_t next = 2 * (at + (j + 1 < links ? j + 1 : 0));
            r->records[2 * up + 1] = down;
            r->records[2 * down] = up;
            r->records[2 * down + 1] = next;
            r->records[2 * next] = down;
            r->places[at + j] = t;
        }
        r->lengths[t] = links;
        at += links;
    }
    r->vertices = at;
}

// Puts triangle x to the right of `left`.
static inline void padici_cdt_torus_join(uint32_t *records, uint32_t left, uint32_t x)
{
    const uint32_t right = records[2 * left + 1];
    records[2 * left + 1] = x;
    records[2 * x] = left;
    records[2 * x + 1] = right;
    records[2 * right] = x;
}

// Triangle `from` becomes number `to`.
static inline void padici_cdt_torus_rename(uint32_t *records, uint32_t from, uint32_t to)
{
    const uint32_t left = records[2 * from], right = records[2 * from + 1];
    records[2 * to] = left;
    records[2 * to + 1] = right;
    records[2 * left + 1] = to;
    records[2 * right] = to;
}

static inline void padici_cdt_torus_drop(uint32_t *records, uint32_t x)
{
    const uint32_t left = records[2 * x], right = records[2 * x + 1];
    records[2 * left + 1] = right;
    records[2 * right] = left;
}

// A new link to the right of this one.
PADICI_FN void padici_cdt_torus_insert(padici_cdt_replica *r, uint32_t link)
{
    const uint32_t made = r->vertices++, slice = r->places[link];
    padici_cdt_torus_join(r->records, 2 * link, 2 * made);
    padici_cdt_torus_join(r->records, 2 * link + 1, 2 * made + 1);
    r->places[made] = slice;
    r->lengths[slice]++;
}

// Removes a link whose left end has order 4; the last one takes its number.
static inline void padici_cdt_torus_remove(padici_cdt_replica *r, uint32_t link)
{
    const uint32_t last = --r->vertices;
    r->lengths[r->places[link]]--;
    padici_cdt_torus_drop(r->records, 2 * link);
    padici_cdt_torus_drop(r->records, 2 * link + 1);
    if (link == last) return;
    padici_cdt_torus_rename(r->records, 2 * last, 2 * link);
    padici_cdt_torus_rename(r->records, 2 * last + 1, 2 * link + 1);
    r->places[link] = r->places[last];
}

// Triangle a and its right neighbour b change places, if they are of different types and not alone.
static inline uint32_t padici_cdt_torus_flip(uint32_t *records, uint32_t a)
{
    const uint32_t b = records[2 * a + 1], left = records[2 * a];
    uint32_t right;
    if (!((a ^ b) & 1) || left == b) return 0;
    right = records[2 * b + 1];
    records[2 * left + 1] = b;
    records[2 * b] = left;
    records[2 * b + 1] = a;
    records[2 * a] = b;
    records[2 * a + 1] = right;
    records[2 * right] = a;
    return 1;
}

// 1: the move was made.
static inline uint32_t padici_cdt_torus_move(const padici_cdt_rules *rules, padici_cdt_replica *r,
                                             uint32_t kind, uint32_t at, uint32_t word)
{
    const uint64_t n = r->vertices;
    if (kind == PADIC_CDT_MOVE_FLIP) return padici_cdt_torus_flip(r->records, at);
    at >>= 1;
    if (kind == PADIC_CDT_MOVE_INSERT) {
        if (!padici_cdt_room(rules, r) ||
            !padici_cdt_accept(word, padici_cdt_insert_threshold(r), n, n + 1))
            return 0;
        padici_cdt_torus_insert(r, at);
    } else {
        if ((r->records[4 * at] & 1) || !(r->records[4 * at + 2] & 1)) return 0; // not of order 4
        if (n <= r->from || r->lengths[r->places[at]] <= rules->desc.min_length ||
            !padici_cdt_accept(word, padici_cdt_remove_threshold(r), n, n - 1))
            return 0;
        padici_cdt_torus_remove(r, at);
    }
    padici_cdt_law_follow(rules, r);
    return 1;
}

PADICI_FN uint32_t padici_cdt_torus_attempt(const padici_cdt_rules *rules, padici_cdt_replica *r,
                                            uint32_t kind, uint64_t place, uint32_t word)
{
    const uint32_t at = padici_cdt_place(place, 2 * (uint64_t)r->vertices);
    return padici_cdt_torus_move(rules, r, kind, at, word);
}

#endif
