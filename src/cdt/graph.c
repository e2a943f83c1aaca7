#include "graph.h"
#include "measure.h"

#if PADICI_IMPLEMENT_CDT

// A triangulation as a graph: of its triangles, or of its vertices and links.

// Corners of the torus: one walk to the left through each strip, which knows the next up and the
// next down to the right of where it is.
static void padici_cdt_corners_strip(const padici_cdt_replica *r, uint32_t link, uint32_t *corner)
{
    const uint32_t *record = r->records;
    const uint32_t start = 2 * link;
    uint32_t x = start, up = link, down = start;
    do down = record[2 * (size_t)down + 1];
    while (down % 2 == 0);
    down /= 2;
    do {
        uint32_t *c;
        x = record[2 * (size_t)x];
        c = corner + 3 * (size_t)x;
        c[0] = x % 2 ? down : x / 2; // anticlockwise: (left, right, apex) or (right, left, apex)
        c[1] = x % 2 ? x / 2 : up;
        c[2] = x % 2 ? up : down;
        if (x % 2)
            down = x / 2;
        else
            up = x / 2;
    } while (x != start);
}

// Three vertices of each triangle.
PADICI_FN void padici_cdt_corners(const padici_cdt_rules *rules, const padici_cdt_replica *r,
                                  uint32_t *corner)
{
    const uint32_t n = r->vertices, triangles = (uint32_t)padici_cdt_triangles(rules, n);
    uint32_t i;
    if (rules->sphere) {
        for (i = 0; i < 3 * triangles; i++) corner[i] = r->records[2 * (size_t)(i + i / 3)];
        return;
    }
    for (i = 0; i < 3 * triangles; i++) corner[i] = UINT32_MAX;
    for (i = 0; i < n; i++)
        if (corner[6 * (size_t)i] == UINT32_MAX) padici_cdt_corners_strip(r, i, corner);
}

// Room for the largest state: corners, neighbours, and per node an index, a distance, a place in a
// queue and two doubles; triangles are the most nodes, but for tetrahedra.
PADICI_FN uint64_t padici_cdt_nodes_bytes(const padici_cdt_rules *rules)
{
    const uint64_t triangles = padici_cdt_triangles(rules, rules->most);
    return 4 * (3 * triangles + 3 * triangles) + 28 * (triangles + 8);
}

PADICI_FN void padici_cdt_nodes_place(const padici_cdt_rules *rules, void *memory,
                                      padici_cdt_nodes *nodes)
{
    const size_t triangles = (size_t)padici_cdt_triangles(rules, rules->most);
    nodes->now = (double *)memory;
    nodes->next = nodes->now + triangles + 8;
    nodes->first = (uint32_t *)(void *)(nodes->next + triangles + 8);
    nodes->distance = nodes->first + triangles + 8;
    nodes->queue = nodes->distance + triangles + 8;
    nodes->corner = nodes->queue + triangles + 8;
    nodes->neighbour = nodes->corner + 3 * triangles;
    nodes->count = 0;
}

PADICI_FN void padici_cdt_nodes_dual(const padici_cdt_rules *rules, const padici_cdt_replica *r,
                                     padici_cdt_nodes *nodes)
{
    const uint32_t triangles = (uint32_t)padici_cdt_triangles(rules, r->vertices);
    uint32_t x, k;
    nodes->count = triangles;
    for (x = 0; x <= triangles; x++) nodes->first[x] = 3 * x;
    for (x = 0; x < triangles; x++) {
        uint32_t *to = nodes->neighbour + 3 * (size_t)x;
        for (k = 0; k < 3 && rules->sphere; k++)
            to[k] = r->records[2 * (4 * (size_t)x + k) + 1] / 4;
        if (rules->sphere) continue;
        to[0] = r->records[2 * (size_t)x];
        to[1] = r->records[2 * (size_t)x + 1];
        to[2] = x ^ 1;
    }
}

// Every edge is a half-edge of two triangles, once in each direction.
PADICI_FN void padici_cdt_nodes_vertices(const padici_cdt_rules *rules, const padici_cdt_replica *r,
                                         padici_cdt_nodes *nodes)
{
    const uint32_t n = r->vertices, edges = 3 * (uint32_t)padici_cdt_triangles(rules, n);
    uint32_t i, sum = 0;
    padici_cdt_corners(rules, r, nodes->corner);
    nodes->count = n;
    memset(nodes->first, 0, 4 * ((size_t)n + 1));
    for (i = 0; i < edges; i++) nodes->first[nodes->corner[i]]++;
    for (i = 0; i <= n; i++) { // where each vertex ends
        sum += i < n ? nodes->first[i] : 0;
        nodes->first[i] = sum;
    }
    for (i = edges; i--;)
        nodes->neighbour[--nodes->first[nodes->corner[i]]] =
            nodes->corner[i % 3 == 2 ? i - 2 : i + 1];
}

// Adds how many nodes are at each distance from the root.
PADICI_FN void padici_cdt_nodes_shells(padici_cdt_nodes *nodes, uint32_t root, uint64_t *out,
                                       uint64_t n)
{
    uint32_t head = 0, tail = 1, i;
    for (i = 0; i < nodes->count; i++) nodes->distance[i] = UINT32_MAX;
    nodes->queue[0] = root;
    nodes->distance[root] = 0;
    for (; head < tail; head++) {
        const uint32_t at = nodes->queue[head], far_from = nodes->distance[at] + 1;
        if (far_from > n) break;
        out[far_from - 1]++;
        for (i = nodes->first[at]; i < nodes->first[at + 1]; i++) {
            const uint32_t to = nodes->neighbour[i];
            if (nodes->distance[to] != UINT32_MAX) continue;
            nodes->distance[to] = far_from;
            nodes->queue[tail++] = to;
        }
    }
}

// Adds weight P(s) for s below n: one multiplication of the vector of probabilities per step.
PADICI_FN void padici_cdt_nodes_returns(padici_cdt_nodes *nodes, uint32_t root, double *out,
                                        uint64_t n, double weight)
{
    uint64_t s;
    uint32_t i, k;
    for (i = 0; i < nodes->count; i++) nodes->now[i] = 0;
    nodes->now[root] = 1;
    for (s = 0; s < n; s++) {
        out[s] += weight * nodes->now[root];
        if (s + 1 == n) break;
        for (i = 0; i < nodes->count; i++) // to each neighbour
            nodes->now[i] /= (double)(nodes->first[i + 1] - nodes->first[i]);
        for (i = 0; i < nodes->count; i++) {
            double sum = 0;
            for (k = nodes->first[i]; k < nodes->first[i + 1]; k++)
                sum += nodes->now[nodes->neighbour[k]];
            nodes->next[i] = sum;
        }
        {
            double *swap = nodes->now;
            nodes->now = nodes->next;
            nodes->next = swap;
        }
    }
}

#endif
