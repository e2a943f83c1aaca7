#include "moves.h"

#if PADICI_IMPLEMENT_CDT

// Moves of the sphere. Half-edge h has its origin at 2 h and its opposite at 2 h + 1.

static inline uint32_t padici_cdt_origin(const padici_cdt_replica *r, uint32_t h)
{
    return r->records[2 * h];
}

static inline uint32_t padici_cdt_opposite(const padici_cdt_replica *r, uint32_t h)
{
    return r->records[2 * h + 1];
}

static inline void padici_cdt_glue(padici_cdt_replica *r, uint32_t g, uint32_t h)
{
    r->records[2 * g + 1] = h;
    r->records[2 * h + 1] = g;
}

// The next half-edge that leaves the same vertex.
static inline uint32_t padici_cdt_turn(const padici_cdt_replica *r, uint32_t h)
{
    return padici_cdt_opposite(r, padici_cdt_previous(h));
}

// A tetrahedron.
PADICI_FN void padici_cdt_sphere_begin(padici_cdt_replica *r)
{
    static const uint8_t corner[4][3] = {{0, 1, 2}, {0, 3, 1}, {1, 3, 2}, {2, 3, 0}};
    uint32_t t, k, u, j;
    for (t = 0; t < 4; t++)
        for (k = 0; k < 3; k++) {
            const uint32_t h = 4 * t + k;
            r->records[2 * h] = corner[t][k];
            r->places[corner[t][k]] = h;
            for (u = 0; u < 4; u++)
                for (j = 0; j < 3; j++)
                    if (corner[u][j] == corner[t][(k + 1) % 3] &&
                        corner[u][(j + 1) % 3] == corner[t][k])
                        r->records[2 * h + 1] = 4 * u + j;
        }
    r->vertices = 4;
}

// Half-edge h gets its origin, which leaves by it.
static inline void padici_cdt_sphere_set(padici_cdt_replica *r, uint32_t h, uint32_t origin)
{
    r->records[2 * h] = origin;
    r->places[origin] = h;
}

// A new vertex v in triangle t = (a, b, c), which becomes (a, b, v), (b, c, v) and (c, a, v).
PADICI_FN void padici_cdt_sphere_insert(padici_cdt_replica *r, uint32_t t)
{
    const uint32_t made = r->vertices++;
    const uint32_t x = 4 * t, y = 4 * (2 * made - 4), z = y + 4;
    const uint32_t a = padici_cdt_origin(r, x), b = padici_cdt_origin(r, x + 1);
    const uint32_t c = padici_cdt_origin(r, x + 2);
    padici_cdt_glue(r, y, padici_cdt_opposite(r, x + 1));
    padici_cdt_glue(r, z, padici_cdt_opposite(r, x + 2));
    padici_cdt_glue(r, x + 1, y + 2);
    padici_cdt_glue(r, y + 1, z + 2);
    padici_cdt_glue(r, z + 1, x + 2);
    r->records[2 * y] = b;
    padici_cdt_sphere_set(r, y + 1, c);
    r->records[2 * (y + 2)] = made;
    r->records[2 * z] = c;
    r->records[2 * (z + 1)] = a;
    r->records[2 * (z + 2)] = made;
    padici_cdt_sphere_set(r, x + 2, made);
}

// Triangle `from` becomes number `to`.
static void padici_cdt_sphere_rename(padici_cdt_replica *r, uint32_t from, uint32_t to)
{
    uint32_t k;
    for (k = 0; k < 3 && from != to; k++) {
        const uint32_t g = 4 * from + k, h = 4 * to + k, origin = padici_cdt_origin(r, g);
        r->records[2 * h] = origin;
        padici_cdt_glue(r, h, padici_cdt_opposite(r, g));
        if (r->places[origin] == g) r->places[origin] = h;
    }
}

// Removes vertex v of order 3, which half-edge h leaves: its triangles (v, a, b), (v, b, c),
// (v, c, a) become (c, a, b). The last triangles and the last vertex take the free numbers.
static void padici_cdt_sphere_remove(padici_cdt_replica *r, uint32_t v, uint32_t h)
{
    const uint32_t next = padici_cdt_next(h), previous = padici_cdt_previous(h);
    const uint32_t second = padici_cdt_turn(r, h), third = padici_cdt_turn(r, second);
    const uint32_t last = --r->vertices; // vertex; there were 2 last - 2 triangles
    const uint32_t high = (second > third ? second : third) / 4;
    const uint32_t low = (second > third ? third : second) / 4;
    uint32_t g, first;
    padici_cdt_sphere_set(r, h, padici_cdt_origin(r, padici_cdt_next(third)));
    padici_cdt_sphere_set(r, next, padici_cdt_origin(r, next));
    padici_cdt_sphere_set(r, previous, padici_cdt_origin(r, previous));
    padici_cdt_glue(r, previous, padici_cdt_opposite(r, padici_cdt_next(second)));
    padici_cdt_glue(r, h, padici_cdt_opposite(r, padici_cdt_next(third)));
    padici_cdt_sphere_rename(r, 2 * last - 3, high);
    padici_cdt_sphere_rename(r, 2 * last - 4, low);
    if (v == last) return;
    first = g = r->places[v] = r->places[last];
    do {
        r->records[2 * g] = v;
        g = padici_cdt_turn(r, g);
    } while (g != first);
}

// The other diagonal of the two triangles at half-edge h, if that is no edge yet.
static uint32_t padici_cdt_sphere_flip(padici_cdt_replica *r, uint32_t h)
{
    const uint32_t g = padici_cdt_opposite(r, h);
    const uint32_t next = padici_cdt_next(h), other = padici_cdt_next(g);
    const uint32_t from = padici_cdt_previous(h);
    const uint32_t c = padici_cdt_origin(r, from), d = padici_cdt_origin(r, padici_cdt_previous(g));
    const uint32_t a = padici_cdt_origin(r, h), b = padici_cdt_origin(r, g);
    uint32_t x = from;
    do { // round c
        if (padici_cdt_origin(r, padici_cdt_next(x)) == d) return 0;
        x = padici_cdt_turn(r, x);
    } while (x != from);
    padici_cdt_glue(r, h, padici_cdt_opposite(r, other)); // a to d
    padici_cdt_glue(r, g, padici_cdt_opposite(r, next));  // b to c
    padici_cdt_glue(r, next, other);                      // d to c
    r->records[2 * next] = d;
    r->records[2 * other] = c;
    if (r->places[b] == next) r->places[b] = g;
    if (r->places[a] == other) r->places[a] = h;
    return 1;
}

PADICI_FN uint32_t padici_cdt_sphere_attempt(const padici_cdt_rules *rules, padici_cdt_replica *r,
                                             uint32_t kind, uint64_t place, uint32_t word)
{
    const uint64_t n = r->vertices, triangles = 2 * n - 4;
    uint32_t at, h;
    if (kind == PADIC_CDT_MOVE_FLIP) {
        at = padici_cdt_place(place, 3 * triangles);
        return padici_cdt_sphere_flip(r, at + at / 3); // 3 t + k to 4 t + k
    }
    if (kind == PADIC_CDT_MOVE_INSERT) {
        if (!padici_cdt_room(rules, r) ||
            !padici_cdt_accept(word, padici_cdt_insert_threshold(r), triangles, n + 1))
            return 0;
        padici_cdt_sphere_insert(r, padici_cdt_place(place, triangles));
    } else {
        at = padici_cdt_place(place, n);
        h = r->places[at];
        if (n <= r->from || n <= 4 ||
            padici_cdt_turn(r, padici_cdt_turn(r, padici_cdt_turn(r, h))) != h ||
            !padici_cdt_accept(word, padici_cdt_remove_threshold(r), n, triangles - 2))
            return 0;
        padici_cdt_sphere_remove(r, at, h);
    }
    padici_cdt_law_follow(rules, r);
    return 1;
}

#endif
