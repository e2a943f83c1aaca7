// cdt_support.h: short calls of the area cdt, and a checker of states that shares no code with it.
#ifndef CDT_SUPPORT_H
#define CDT_SUPPORT_H

#include "../../padic.h"

#include <stdlib.h>
#include <string.h>

static inline padic_result cdt_grow(padic_context *context, padic_cdt_plan *plan, uint64_t discard)
{
    padic_cdt_grow_desc desc = PADIC_ZERO;
    desc.plan = plan;
    desc.discard = discard;
    return padic_cdt_grow(context, &desc);
}

static inline padic_result cdt_run(padic_context *context, padic_cdt_plan *plan, uint64_t attempts,
                                   uint64_t visits)
{
    padic_cdt_run_desc desc = PADIC_ZERO;
    desc.plan = plan;
    desc.attempts = attempts;
    desc.visits = visits;
    return padic_cdt_run(context, &desc);
}

// The checkpoint of a plan; to be freed.
static inline uint8_t *cdt_bytes(const padic_cdt_plan *plan, uint64_t *size)
{
    padic_cdt_save_desc desc = PADIC_ZERO;
    uint8_t *bytes;
    *size = padic_cdt_save_size_bound(plan);
    bytes = (uint8_t *)malloc((size_t)*size);
    desc.plan = plan;
    desc.out = padic_bytes_out(bytes, *size);
    if (padic_cdt_save(NULL, &desc)) *size = 0;
    return bytes;
}

static inline uint64_t cdt_hash(const uint8_t *bytes, uint64_t size)
{
    uint64_t hash = 0xcbf29ce484222325u, i;
    for (i = 0; i < size; i++) hash = (hash ^ bytes[i]) * 0x100000001b3u;
    return hash;
}

static inline uint64_t cdt_state(const padic_cdt_plan *plan)
{
    uint64_t size, hash;
    uint8_t *bytes = cdt_bytes(plan, &size);
    hash = size ? cdt_hash(bytes, size) : 0;
    free(bytes);
    return hash;
}

static inline uint32_t cdt_word(const uint8_t *p)
{
    return p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

static inline uint32_t cdt_root(uint32_t *parent, uint32_t i)
{
    while (parent[i] != i) i = parent[i] = parent[parent[i]];
    return i;
}

static inline void cdt_join(uint32_t *parent, uint32_t i, uint32_t j)
{
    parent[cdt_root(parent, i)] = cdt_root(parent, j);
}

static inline uint32_t cdt_roots(uint32_t *parent, uint32_t count)
{
    uint32_t i, n = 0;
    for (i = 0; i < count; i++) n += parent[i] == i;
    return n;
}

// A torus from its records: triangles are glued corner by corner; what comes out must have N0
// vertices (orbits of corners), one piece, Euler number 0, each vertex in one slice, and slices
// whose ring closes after all of their links. Corners of an up triangle: bottom left, bottom right,
// apex; of a down triangle: top left, top right, apex. 0: fine.
static inline int cdt_check_torus(const uint8_t *records, uint32_t n, uint32_t slices,
                                  uint32_t least)
{
    const uint32_t faces = 2 * n;
    uint32_t *corner = (uint32_t *)malloc((size_t)faces * 12), *face, x, i, bad = 0;
    uint32_t *place = (uint32_t *)malloc((size_t)faces * 12);
    uint32_t *length = (uint32_t *)calloc(slices, 4);
    face = (uint32_t *)malloc((size_t)faces * 4);
    for (x = 0; x < 3 * faces; x++) corner[x] = x;
    for (x = 0; x < faces; x++) face[x] = x;
    for (x = 0; x < faces && !bad; x++) {
        const uint32_t left = cdt_word(records + 8 * x), right = cdt_word(records + 8 * x + 4);
        const uint32_t slice = cdt_word(records + 16 * (size_t)n + 4 * (x / 2));
        const uint32_t other = x % 2 ? (slice + slices - 1) % slices : (slice + 1) % slices;
        bad |= left >= faces || right >= faces || slice >= slices;
        if (bad) break;
        bad |= cdt_word(records + 8 * left + 4) != x || cdt_word(records + 8 * right) != x;
        // the right edge of x (bottom, top) is the left edge of its right neighbour
        cdt_join(corner, 3 * x + (x % 2 ? 2 : 1), 3 * right + (right % 2 ? 2 : 0));
        cdt_join(corner, 3 * x + (x % 2 ? 1 : 2), 3 * right + (right % 2 ? 0 : 2));
        cdt_join(corner, 3 * x, 3 * (x ^ 1)); // and the base is the partner's
        cdt_join(corner, 3 * x + 1, 3 * (x ^ 1) + 1);
        cdt_join(face, x, right);
        cdt_join(face, x, x ^ 1);
        place[3 * x] = place[3 * x + 1] = slice;
        place[3 * x + 2] = other;
        length[slice] += x % 2;
    }
    for (x = 0; x < 3 * faces && !bad; x++) bad |= place[x] != place[cdt_root(corner, x)];
    if (!bad) bad = cdt_roots(corner, 3 * faces) != n || cdt_roots(face, faces) != 1;
    for (i = 0; i < slices && !bad; i++) bad |= length[i] < least;
    for (i = 0; i < n && !bad; i++) { // round the slice of link i by its vertices
        uint32_t at = i, steps = 0;
        do { // the link whose left end is the right end of this one
            uint32_t next = cdt_word(records + 16 * (size_t)at + 4);
            while (next % 2) next = cdt_word(records + 8 * next + 4);
            bad |= cdt_root(corner, 6 * at + 1) != cdt_root(corner, 3 * next);
            at = next / 2;
            steps++;
        } while (at != i && steps <= n && !bad);
        bad |= steps != length[place[6 * i]];
        if (n > 40) i += n / 40;
    }
    free(corner);
    free(face);
    free(place);
    free(length);
    return bad != 0;
}

static inline int cdt_compare(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

// A sphere from its triangles: all directed edges differ, each has its reverse, no loops, one
// piece, Euler number 2. (A pinched vertex would make the number too small.) 0: fine.
static inline int cdt_check_sphere(const uint32_t *triangle, uint32_t faces, uint32_t n)
{
    const uint32_t edges = 3 * faces;
    uint64_t *edge = (uint64_t *)malloc((size_t)edges * 8);
    uint32_t *face = (uint32_t *)malloc((size_t)faces * 4);
    uint8_t *seen = (uint8_t *)calloc(n, 1);
    uint32_t i, used = 0, bad = faces != 2 * n - 4;
    for (i = 0; i < faces; i++) face[i] = i;
    for (i = 0; i < edges && !bad; i++) {
        const uint32_t from = triangle[i], to = triangle[i % 3 == 2 ? i - 2 : i + 1];
        bad |= from >= n || to >= n || from == to;
        if (!bad && !seen[from]) seen[from] = 1, used++;
        edge[i] = (uint64_t)from << 32 | to;
    }
    if (!bad) qsort(edge, edges, 8, cdt_compare);
    for (i = 0; i + 1 < edges && !bad; i++) bad |= edge[i] == edge[i + 1];
    for (i = 0; i < edges && !bad; i++) {
        const uint64_t back = (uint64_t)(uint32_t)edge[i] << 32 | edge[i] >> 32;
        bad |= !bsearch(&back, edge, edges, 8, cdt_compare);
    }
    // pieces: triangles with a common directed edge, by the vertices, which need no numbers
    for (i = 0; i < edges && !bad && faces <= 200; i++) {
        uint32_t j;
        const uint32_t a = triangle[i], b = triangle[i % 3 == 2 ? i - 2 : i + 1];
        for (j = 0; j < edges; j++)
            if (triangle[j] == b && triangle[j % 3 == 2 ? j - 2 : j + 1] == a)
                cdt_join(face, i / 3, j / 3);
    }
    if (!bad && faces <= 200) bad = cdt_roots(face, faces) != 1;
    bad |= used != n || n + faces != edges / 2 + 2;
    free(edge);
    free(face);
    free(seen);
    return bad != 0;
}

// Each replica of a plan, by the two above; 0: fine.
static inline int cdt_check(const padic_cdt_plan *plan)
{
    padic_cdt_plan_report info;
    uint64_t size, r;
    uint8_t *bytes = cdt_bytes(plan, &size), *at = bytes + 96;
    int bad = padic_cdt_plan_info(plan, &info) || !size;
    for (r = 0; r < info.desc.replicas && !bad; r++) {
        const uint32_t n = cdt_word(at + 80), faces = info.desc.kind ? 2 * n - 4 : 2 * n;
        const uint32_t words = info.desc.kind ? 6 * faces + n : 5 * n;
        if (!info.desc.kind) {
            bad = cdt_check_torus(at + 120, n, info.desc.slices, info.desc.min_length);
        } else {
            uint32_t *triangle = (uint32_t *)malloc((size_t)faces * 12), i;
            for (i = 0; i < 3 * faces; i++) triangle[i] = cdt_word(at + 120 + 8 * (size_t)i);
            bad = cdt_check_sphere(triangle, faces, n);
            free(triangle);
        }
        at += 120 + 4 * (size_t)(words + words % 2) + 8;
    }
    free(bytes);
    return bad;
}

#endif
