// test_cdt_outside.c: chains seen from outside. A torus chain is played again, move by move, from
// the words of the header and its random numbers; exported lists go through a checker of their own,
// which must also agree with the library's about lists with mistakes; observables against searches
// and walks on those lists; estimates against their formulas.
#define PADIC_IMPLEMENTATION
#include "../../padic.h"
#include "../../backends/padic_simd.h"
#include "../../backends/padic_threads.h"
#include "../support/padic_test.h"
#include "../support/contexts.h"

#include <math.h>

#define MOST 4096 // triangles of any chain here

static uint64_t below(uint64_t n)
{
    return test_random() % n;
}

static padic_cdt_plan *plan_of(padic_context *context, const padic_cdt_plan_desc *desc)
{
    padic_cdt_plan *plan;
    const padic_result result = padic_cdt_plan_create(context, desc, &plan);
    CHECK_EQ(result, PADIC_OK);
    return plan;
}

static void run(padic_context *context, padic_cdt_plan *plan, uint64_t attempts)
{
    padic_cdt_run_desc d = PADIC_ZERO;
    d.plan = plan;
    d.attempts = attempts;
    CHECK_EQ(padic_cdt_run(context, &d), PADIC_OK);
}

static void grow(padic_context *context, padic_cdt_plan *plan, uint64_t discard)
{
    padic_cdt_grow_desc d = PADIC_ZERO;
    d.plan = plan;
    d.discard = discard;
    CHECK_EQ(padic_cdt_grow(context, &d), PADIC_OK);
}

static uint64_t hash(const padic_cdt_plan *plan) // of all that a checkpoint has
{
    const uint64_t size = padic_cdt_save_size_bound(plan);
    uint8_t *bytes = (uint8_t *)malloc((size_t)size + 1);
    uint64_t h = 1469598103934665603u;
    padic_cdt_save_desc d = PADIC_ZERO;
    if (!bytes) exit(1);
    d.plan = plan;
    d.out = padic_bytes_out(bytes, size);
    CHECK_EQ(padic_cdt_save(NULL, &d), PADIC_OK);
    for (uint64_t i = 0; i < size; i++) h = (h ^ bytes[i]) * 1099511628211u;
    free(bytes);
    return h;
}

// ------------------------------------------------------------------------------- lists, checked

typedef struct lists {
    uint32_t triangles[MOST][3], slices[MOST];
    uint64_t n0, n2;
    int torus;
} lists;

static void export_lists(const padic_cdt_plan *plan, uint64_t replica, lists *l)
{
    padic_cdt_export_desc d = PADIC_ZERO;
    uint64_t counts[8][PADIC_CDT_COUNTS];
    padic_cdt_measure_desc m = PADIC_ZERO;
    padic_cdt_plan_report report;
    CHECK_EQ(padic_cdt_plan_info(plan, &report), PADIC_OK);
    m.plan = plan;
    m.counts = padic_tensor_2d(PADIC_U64, counts, report.desc.replicas, PADIC_CDT_COUNTS);
    CHECK_EQ(padic_cdt_measure(NULL, &m), PADIC_OK);
    l->torus = report.desc.kind == PADIC_CDT_KIND_CAUSAL_TORUS;
    l->n0 = counts[replica][PADIC_CDT_COUNT_VERTICES];
    l->n2 = counts[replica][PADIC_CDT_COUNT_TRIANGLES];
    CHECK_EQ(counts[replica][PADIC_CDT_COUNT_LINKS] * 2, 3 * l->n2);
    CHECK_EQ(l->n2, l->torus ? 2 * l->n0 : 2 * l->n0 - 4);
    d.plan = plan;
    d.replica = replica;
    d.triangles = padic_tensor_2d(PADIC_U32, l->triangles, l->n2, 3);
    if (l->torus) d.slices = padic_tensor_1d(PADIC_U32, l->slices, l->n0);
    CHECK_EQ(padic_cdt_export(NULL, &d), PADIC_OK);
}

static int find_sides(const lists *l, uint32_t (*opposite)[3]) // by vertices; 0 if one has no twin
{
    static uint32_t first[MOST], next[3 * MOST]; // half-edges by their origin
    for (uint64_t v = 0; v < l->n0; v++) first[v] = UINT32_MAX;
    for (uint32_t e = 0; e < 3 * l->n2; e++) {
        next[e] = first[l->triangles[e / 3][e % 3]];
        first[l->triangles[e / 3][e % 3]] = e;
    }
    for (uint32_t e = 0; e < 3 * l->n2; e++) {
        const uint32_t u = l->triangles[e / 3][e % 3], v = l->triangles[e / 3][(e + 1) % 3];
        uint32_t found = UINT32_MAX;
        for (uint32_t f = first[v]; f != UINT32_MAX; f = next[f])
            if (l->triangles[f / 3][(f % 3 + 1) % 3] == u) {
                if (found != UINT32_MAX) return 0;
                found = f;
            }
        if (found == UINT32_MAX) return 0;
        for (uint32_t f = first[u]; f != UINT32_MAX; f = next[f]) // the same edge once more
            if (f != e && l->triangles[f / 3][(f % 3 + 1) % 3] == v) return 0;
        opposite[e / 3][e % 3] = found;
    }
    return 1;
}

// A closed simple surface of the right Euler number, in one piece; a torus with causal slices.
static int sound(const lists *l, uint64_t slices, uint64_t least)
{
    static uint32_t opposite[MOST][3], stack[MOST], seen[MOST], lengths[MOST];
    uint64_t cycles = 0, pieces = 1, reached = 0;
    memset(lengths, 0, sizeof lengths);
    for (uint64_t t = 0; t < l->n2; t++) {
        const uint32_t *v = l->triangles[t];
        for (int k = 0; k < 3; k++)
            if (v[k] >= l->n0) return 0;
        if (v[0] == v[1] || v[1] == v[2] || v[2] == v[0]) return 0;
    }
    if (!find_sides(l, opposite)) return 0;
    memset(seen, 0, sizeof seen); // vertices: each is one cycle if there are as many cycles
    static uint8_t turned[3 * MOST];
    memset(turned, 0, sizeof turned);
    for (uint32_t e = 0; e < 3 * l->n2; e++) {
        uint32_t at = e;
        if (turned[e]) continue;
        if (seen[l->triangles[e / 3][e % 3]]++) return 0;
        for (cycles++; !turned[at];) { // the next half-edge with this origin
            turned[at] = 1;
            at = opposite[at / 3][(at % 3 + 2) % 3];
        }
    }
    if (cycles != l->n0) return 0;
    memset(seen, 0, sizeof seen);
    seen[0] = 1, stack[0] = 0;
    for (uint64_t n = 1; n;) {
        const uint32_t t = stack[--n];
        reached++;
        for (int k = 0; k < 3; k++) {
            const uint32_t other = opposite[t][k] / 3;
            if (!seen[other]) seen[other] = 1, stack[n++] = other;
        }
    }
    if (reached != l->n2 || pieces != 1) return 0;
    if (!l->torus) return l->n2 == 2 * l->n0 - 4;
    for (uint64_t v = 0; v < l->n0; v++) {
        if (l->slices[v] >= slices) return 0;
        lengths[l->slices[v]]++;
    }
    for (uint64_t t = 0; t < slices; t++)
        if (lengths[t] < least) return 0;
    for (uint64_t t = 0; t < l->n2; t++) { // two in one slice, the third in the next
        const uint32_t *v = l->triangles[t];
        int good = 0;
        for (int k = 0; k < 3; k++) {
            const uint32_t a = l->slices[v[k]], b = l->slices[v[(k + 1) % 3]];
            const uint32_t c = l->slices[v[(k + 2) % 3]];
            good |= a == b && (c == (a + 1) % slices || a == (c + 1) % slices);
        }
        if (!good) return 0;
    }
    return l->n2 == 2 * l->n0;
}

// ------------------------------------------------------------------------------ the torus, again

typedef struct shadow { // of each link: neighbours of its up and its down triangle, and its slice
    uint32_t left[MOST], right[MOST], slice[MOST];
    uint64_t n0, lengths[64], attempts, counts[6], refused;
} shadow;

// Reads a state from lists: link i is vertex i's, the third of the up triangle is the left end of a
// down triangle's apex; a strip is followed by turning about vertices.
static int shadow_read(shadow *s, const lists *l)
{
    static uint32_t opposite[MOST][3];
    if (!find_sides(l, opposite)) return 0;
    s->n0 = l->n0;
    memset(s->lengths, 0, sizeof s->lengths);
    for (uint32_t i = 0; i < l->n0; i++) {
        s->slice[i] = l->slices[i];
        s->lengths[l->slices[i]]++;
        // up (i, right, apex): its right side runs right -> apex, its left side apex -> i.
        s->right[2 * i] = opposite[2 * i][1] / 3;
        s->left[2 * i] = opposite[2 * i][2] / 3;
        // down (right, i, apex), the apex below: right side apex -> right, left side i -> apex.
        s->right[2 * i + 1] = opposite[2 * i + 1][2] / 3;
        s->left[2 * i + 1] = opposite[2 * i + 1][1] / 3;
    }
    return 1;
}

static void shadow_join(shadow *s, uint32_t a, uint32_t b)
{
    s->right[a] = b;
    s->left[b] = a;
}

static void shadow_renamed(shadow *s, uint32_t from, uint32_t to)
{
    const uint32_t l = s->left[from], r = s->right[from];
    s->left[to] = l == from ? to : l;
    s->right[to] = r == from ? to : r;
    s->right[s->left[to]] = to;
    s->left[s->right[to]] = to;
}

static void shadow_attempt(shadow *s, const padic_cdt_plan_desc *d, uint64_t replica)
{
    const uint64_t stream = (uint64_t)d->stream + replica, total =
        (uint64_t)d->weight_flip + d->weight_insert + d->weight_delete;
    uint32_t w[4];
    // counter (n low, n high, stream, 10) is (block, step, stream low, stream high)
    padic_random_block(d->seed, (stream & UINT32_MAX) | (uint64_t)10 << 32,
                       (uint32_t)(s->attempts >> 32), (uint32_t)s->attempts, w);
    s->attempts++;
    const uint64_t kind = w[0] * total >> 32, n0 = s->n0, n2 = 2 * n0;
    const uint64_t high = w[1], low = w[2];
    const long double q = (long double)d->weight_delete / (long double)d->weight_insert;
    const long double target = (long double)d->target, eps = (long double)d->epsilon;
#define PLACE(n) ((high * (n) + (low * (n) >> 32)) >> 32)
#define VOLUME(x) (d->volume == PADIC_CDT_VOLUME_ABS ? eps * fabsl((long double)(x) - target) : \
                   d->volume == PADIC_CDT_VOLUME_SQUARE ? eps * ((long double)(x) - target) * \
                   ((long double)(x) - target) : 0)
    if (kind < d->weight_flip) {
        const uint32_t a = (uint32_t)PLACE(n2), b = s->right[a];
        s->counts[0]++;
        if (((a ^ b) & 1) && s->right[b] != a) {
            const uint32_t before = s->left[a], after = s->right[b];
            shadow_join(s, before, b);
            shadow_join(s, b, a);
            shadow_join(s, a, after);
            s->counts[3]++;
        }
    } else if (kind < d->weight_flip + d->weight_insert) {
        const uint32_t i = (uint32_t)PLACE(n0), n = (uint32_t)n0;
        const long double e = ldexpl(1, 32) * q * expl(-2 * (long double)d->lambda +
                                                       VOLUME(n2) - VOLUME(n2 + 2));
        s->counts[1]++;
        if (d->volume == PADIC_CDT_VOLUME_WINDOW && n2 + 2 > d->window_max) return;
        if (n2 + 2 > d->capacity) {
            s->refused++;
            return;
        }
        if ((long double)w[3] * (long double)(n0 + 1) >=
            fminl(floorl(e + 0.5L), ldexpl(1, 33)) * (long double)n0)
            return;
        for (uint32_t k = 0; k < 2; k++) {
            const uint32_t at = 2 * i + k, fresh = 2 * n + k, after = s->right[at];
            shadow_join(s, at, fresh);
            shadow_join(s, fresh, after);
        }
        s->slice[n] = s->slice[i];
        s->lengths[s->slice[i]]++;
        s->n0++;
        s->counts[4]++;
    } else {
        const uint32_t i = (uint32_t)PLACE(n0), n = (uint32_t)n0 - 1;
        const long double e = ldexpl(1, 32) / q * expl(2 * (long double)d->lambda +
                                                       VOLUME(n2) - VOLUME(n2 - 2));
        s->counts[2]++;
        if (s->left[2 * i] & 1 || !(s->left[2 * i + 1] & 1)) return; // order 4
        if (s->lengths[s->slice[i]] <= d->min_length) return;
        if (d->volume == PADIC_CDT_VOLUME_WINDOW && n2 - 2 < d->window_min) return;
        if ((long double)w[3] * (long double)(n0 - 1) >=
            fminl(floorl(e + 0.5L), ldexpl(1, 33)) * (long double)n0)
            return;
        for (uint32_t k = 0; k < 2; k++) shadow_join(s, s->left[2 * i + k], s->right[2 * i + k]);
        s->lengths[s->slice[i]]--;
        if (i != n) {
            shadow_renamed(s, 2 * n, 2 * i);
            shadow_renamed(s, 2 * n + 1, 2 * i + 1);
            s->slice[i] = s->slice[n];
        }
        s->n0--;
        s->counts[5]++;
    }
}

// The lists of a shadow: vertex i is link i's left end.
static int shadow_agrees(const shadow *s, const lists *l)
{
    if (s->n0 != l->n0) return 0;
    for (uint32_t i = 0; i < s->n0; i++) {
        uint32_t next, apex, under;
        if (s->slice[i] != l->slices[i]) return 0;
        for (next = s->right[2 * i]; next & 1;) next = s->right[next];
        // The apex of an up: the left end of the first down's link to its right.
        for (apex = s->right[2 * i]; !(apex & 1);) apex = s->right[apex];
        for (under = s->right[2 * i + 1]; under & 1;) under = s->right[under];
        if (l->triangles[2 * i][0] != i || l->triangles[2 * i][1] != next / 2 ||
            l->triangles[2 * i][2] != apex / 2)
            return 0;
        if (l->triangles[2 * i + 1][0] != next / 2 || l->triangles[2 * i + 1][1] != i ||
            l->triangles[2 * i + 1][2] != under / 2)
            return 0;
    }
    return 1;
}

static lists held, other;

TEST(played_again)
{
    static shadow s;
    for (int round = test_amount(6, 24, 300); round-- > 0;) {
        static const padic_cdt_volume volumes[] = {
            PADIC_CDT_VOLUME_ABS, PADIC_CDT_VOLUME_SQUARE, PADIC_CDT_VOLUME_WINDOW};
        padic_cdt_plan_desc d = PADIC_ZERO;
        padic_cdt_plan_report report;
        uint64_t counts[3][PADIC_CDT_COUNTS];
        padic_cdt_measure_desc m = PADIC_ZERO;
        d.replicas = 3;
        d.slices = 3 + (uint32_t)below(4);
        d.min_length = 3 * (uint32_t)below(2); // the checker of shadow_read() wants no double edges
        d.volume = volumes[below(3)];
        d.target = 2 * d.slices * (10 + below(20));
        d.lambda = below(2) ? 0 : 0.7 + 0.01 * (double)below(10);
        d.epsilon = d.volume == PADIC_CDT_VOLUME_SQUARE ? 0.001 : 0;
        d.window_min = 2 * d.slices * 8, d.window_max = 2 * d.slices * 40;
        if (d.volume != PADIC_CDT_VOLUME_WINDOW) d.window_min = d.window_max = 0;
        if (below(2)) {
            d.weight_flip = 1 + (uint32_t)below(9);
            d.weight_insert = 1 + (uint32_t)below(9);
            d.weight_delete = 1 + (uint32_t)below(9);
        }
        d.seed = test_random();
        d.stream = (uint32_t)test_random() >> 1;
        if (below(3) == 0 && d.volume == PADIC_CDT_VOLUME_ABS) d.capacity = d.target + 6;
        padic_cdt_plan *plan = plan_of(NULL, &d);
        if (!plan) continue;
        grow(NULL, plan, 2000);
        CHECK_EQ(padic_cdt_plan_info(plan, &report), PADIC_OK);
        d = report.desc;
        CHECK(d.weight_flip && d.lambda > 0.69 && d.min_length == 3 && d.capacity);
        const uint64_t replica = below(3);
        // A state without double edges, from which on it is played.
        export_lists(plan, replica, &held);
        for (int i = 0; i < 50 && !shadow_read(&s, &held); i++) {
            run(NULL, plan, 100);
            export_lists(plan, replica, &held);
        }
        REQUIRE(shadow_read(&s, &held));
        CHECK(sound(&held, d.slices, 3) && shadow_agrees(&s, &held));
        m.plan = plan;
        m.counts = padic_tensor_2d(PADIC_U64, counts, 3, PADIC_CDT_COUNTS);
        CHECK_EQ(padic_cdt_measure(NULL, &m), PADIC_OK);
        for (int i = 0; i < 6; i++) s.counts[i] = counts[replica][PADIC_CDT_COUNT_ATTEMPTS + i];
        s.attempts = s.counts[0] + s.counts[1] + s.counts[2];
        s.refused = counts[replica][PADIC_CDT_COUNT_REFUSED];
        for (int part = 0; part < 6; part++) {
            const uint64_t n = 1 + below(1000);
            run(NULL, plan, n);
            for (uint64_t i = 0; i < n; i++) shadow_attempt(&s, &d, replica);
            export_lists(plan, replica, &held);
            CHECK(shadow_agrees(&s, &held));
        }
        CHECK_EQ(padic_cdt_measure(NULL, &m), PADIC_OK);
        for (int i = 0; i < 6; i++)
            CHECK_EQ(counts[replica][PADIC_CDT_COUNT_ATTEMPTS + i], s.counts[i]);
        CHECK_EQ(counts[replica][PADIC_CDT_COUNT_REFUSED], s.refused);
        padic_cdt_plan_destroy(plan);
    }
}

static padic_cdt_plan_desc any_plan(int torus)
{
    padic_cdt_plan_desc d = PADIC_ZERO;
    d.kind = torus ? PADIC_CDT_KIND_CAUSAL_TORUS : PADIC_CDT_KIND_EUCLID_SPHERE;
    d.replicas = 1 + below(5);
    d.slices = torus ? 3 + (uint32_t)below(5) : 0;
    d.target = torus ? 2 * d.slices * (4 + below(12)) : 4 + 2 * below(80);
    d.seed = test_random();
    d.stream = (uint32_t)below(1000);
    return d;
}

static padic_cdt_plan *reloaded(padic_cdt_plan *plan)
{
    const uint64_t size = padic_cdt_save_size_bound(plan);
    uint8_t *bytes = (uint8_t *)malloc((size_t)size);
    padic_cdt_save_desc save = PADIC_ZERO;
    padic_cdt_save_report report;
    padic_cdt_load_desc load = PADIC_ZERO;
    padic_cdt_plan *again = NULL;
    if (!bytes) exit(1);
    save.plan = plan;
    save.report = &report;
    save.out = padic_bytes_out(bytes, size - 1);
    CHECK_EQ(padic_cdt_save(NULL, &save), PADIC_ERROR_CAPACITY);
    CHECK_EQ(report.size, size);
    save.out = padic_bytes_out(bytes, size);
    CHECK_EQ(padic_cdt_save(NULL, &save), PADIC_OK);
    CHECK_EQ(report.size, size);
    load.bytes = padic_bytes_in(bytes, size);
    for (int i = 0; i < 8; i++) { // one bit or a cut: never taken
        const uint64_t at = below(size);
        const uint8_t bit = (uint8_t)(1 << below(8));
        bytes[at] ^= bit;
        CHECK(padic_cdt_load(NULL, &load, &again) != PADIC_OK && !again);
        bytes[at] ^= bit;
        load.bytes.size = at;
        CHECK(padic_cdt_load(NULL, &load, &again) != PADIC_OK && !again);
        load.bytes.size = size;
    }
    CHECK_EQ(padic_cdt_load(NULL, &load, &again), PADIC_OK);
    free(bytes);
    padic_cdt_plan_destroy(plan);
    return again;
}

// However a chain is divided: into calls, checkpoints, plans of one replica, workers.
TEST(divisions)
{
    contexts_begin(0);
    for (int round = test_amount(6, 30, 300); round-- > 0;) {
        padic_cdt_plan_desc d = any_plan(round % 2), one = d;
        padic_cdt_plan *whole = plan_of(NULL, &d);
        padic_cdt_plan *parts = plan_of(contexts[context_count - 1], &d);
        const uint64_t n = 1 + below(3000), replica = below(d.replicas);
        grow(NULL, whole, 500);
        grow(contexts[context_count - 1], parts, 500);
        CHECK_EQ(hash(whole), hash(parts));
        run(NULL, whole, n);
        for (uint64_t left = n; left;) {
            const uint64_t some = 1 + below(left);
            run(contexts[below(context_count)], parts, some);
            left -= some;
            parts = reloaded(parts);
            REQUIRE(parts);
        }
        CHECK_EQ(hash(whole), hash(parts));
        one.replicas = 1;
        one.stream = d.stream + (uint32_t)replica;
        padic_cdt_plan *alone = plan_of(NULL, &one);
        grow(NULL, alone, 500);
        run(NULL, alone, n);
        export_lists(whole, replica, &held);
        export_lists(alone, 0, &other);
        CHECK(held.n2 == other.n2);
        CHECK(!memcmp(held.triangles, other.triangles, (size_t)held.n2 * 12));
        CHECK(!held.torus || !memcmp(held.slices, other.slices, (size_t)held.n0 * 4));
        padic_cdt_check_desc check = PADIC_ZERO;
        check.plan = whole;
        CHECK_EQ(padic_cdt_check(NULL, &check), PADIC_OK);
        padic_cdt_plan_destroy(whole), padic_cdt_plan_destroy(parts);
        padic_cdt_plan_destroy(alone);
    }
    contexts_end();
}

static padic_result import_lists(padic_cdt_plan *plan, lists *l, padic_cdt_check_report *report)
{
    padic_cdt_import_desc d = PADIC_ZERO;
    d.plan = plan;
    d.triangles = padic_tensor_2d(PADIC_U32, l->triangles, l->n2, 3);
    if (l->torus) d.slices = padic_tensor_1d(PADIC_U32, l->slices, l->n0);
    d.report = report;
    return padic_cdt_import(NULL, &d);
}

static void swap_words(uint32_t *a, uint32_t *b, int n)
{
    for (int i = 0; i < n; i++) {
        const uint32_t x = a[i];
        a[i] = b[i], b[i] = x;
    }
}

static void shuffled(lists *l) // triangles in another order, each begun with another vertex
{
    for (uint64_t i = l->n2; i > 1; i--)
        swap_words(l->triangles[i - 1], l->triangles[below(i)], 3);
    for (uint64_t i = 0; i < l->n2; i++)
        for (uint64_t k = below(3); k > 0; k--) {
            swap_words(l->triangles[i], l->triangles[i] + 1, 1);
            swap_words(l->triangles[i] + 1, l->triangles[i] + 2, 1);
        }
}

static void mistaken(lists *l, uint64_t slices)
{
    uint32_t *v = l->triangles[below(l->n2)], *w = l->triangles[below(l->n2)];
    switch (below(5)) {
    case 0: v[below(3)] = (uint32_t)below(l->n0 + 2); break;
    case 1: swap_words(v, v + 1, 1); break;
    case 2: swap_words(v + below(3), w + below(3), 1); break;
    case 3: l->slices[below(l->n0)] = (uint32_t)below(slices + 1); break;
    default: v[below(3)] = (uint32_t)test_random();
    }
}

// Lists that go back in are the same state, in any order of the triangles; after a mistake the
// library and the checker of this file say the same.
TEST(imports)
{
    uint64_t refused = 0, taken = 0;
    for (int round = test_amount(20, 120, 3000); round-- > 0;) {
        padic_cdt_plan_desc d = any_plan(round % 2);
        padic_cdt_check_report report;
        d.replicas = 1;
        d.capacity = 1000;
        padic_cdt_plan *plan = plan_of(NULL, &d), *copy = plan_of(NULL, &d);
        grow(NULL, plan, 300);
        export_lists(plan, 0, &held);
        const int simple = sound(&held, d.slices, 3);
        CHECK(simple || held.torus); // tori may have double edges
        other = held;
        shuffled(&other);
        CHECK_EQ(import_lists(copy, &other, &report), PADIC_OK);
        CHECK_EQ(report.fault, PADIC_CDT_FAULT_NONE);
        export_lists(copy, 0, &other);
        if (held.torus) { // labels are those of the vertices, so the state is the same
            CHECK(!memcmp(other.triangles, held.triangles, (size_t)held.n2 * 12));
            CHECK(!memcmp(other.slices, held.slices, (size_t)held.n0 * 4));
        } else {
            CHECK(sound(&other, 0, 0));
        }
        const uint64_t before = hash(copy);
        for (int i = 0; i < 10 && simple; i++) {
            other = held;
            for (uint64_t n = 1 + below(2); n > 0; n--) mistaken(&other, held.torus ? d.slices : 1);
            const int good = sound(&other, d.slices, 3);
            const padic_result result = import_lists(copy, &other, &report);
            CHECK_EQ(result, good ? PADIC_OK : PADIC_ERROR_CORRUPT);
            CHECK((report.fault == PADIC_CDT_FAULT_NONE) == !result);
            if (result) refused++, CHECK_EQ(hash(copy), before);
            else taken++, CHECK_EQ(import_lists(copy, &held, &report), PADIC_OK);
            if (!result && held.torus) CHECK_EQ(hash(copy), before);
            if (!result && !held.torus) break; // labels of its own
        }
        padic_cdt_plan_destroy(plan), padic_cdt_plan_destroy(copy);
    }
    CHECK(taken > 0 && refused > 50);
}

// ----------------------------------------------------------------------------------- observables

typedef struct graph {
    uint32_t first[MOST + 1], to[3 * MOST];
    uint64_t nodes;
} graph;

static void graph_of(const lists *l, padic_cdt_graph kind, graph *g)
{
    static uint32_t opposite[MOST][3];
    uint32_t n = 0;
    CHECK(find_sides(l, opposite));
    g->nodes = kind == PADIC_CDT_GRAPH_DUAL ? l->n2 : l->n0;
    for (uint32_t node = 0; node < g->nodes; node++) {
        g->first[node] = n;
        if (kind == PADIC_CDT_GRAPH_DUAL)
            for (int k = 0; k < 3; k++) g->to[n++] = opposite[node][k] / 3;
        else
            for (uint32_t e = 0; e < 3 * l->n2; e++) {
                const uint32_t *v = l->triangles[e / 3];
                if (v[e % 3] == node) g->to[n++] = v[(e % 3 + 1) % 3];
            }
    }
    g->first[g->nodes] = n;
}

static void graph_walk(const graph *g, uint32_t root, uint64_t n, double *returns)
{
    static double here[MOST], next[MOST];
    memset(here, 0, sizeof here);
    here[root] = 1;
    for (uint64_t s = 0; s < n; s++) {
        returns[s] += here[root] / (double)g->nodes;
        memset(next, 0, sizeof next);
        for (uint32_t v = 0; v < g->nodes; v++)
            for (uint32_t e = g->first[v]; e < g->first[v + 1]; e++)
                next[g->to[e]] += here[v] / (double)(g->first[v + 1] - g->first[v]);
        memcpy(here, next, sizeof here);
    }
}

static void graph_measure(const graph *g, uint64_t n, uint64_t *shells, double *returns)
{
    static uint32_t distance[MOST], queue[MOST];
    for (uint64_t i = 0; i < n; i++) shells[i] = 0, returns[i] = 0;
    for (uint32_t root = 0; root < g->nodes; root++) {
        uint64_t end = 1;
        memset(distance, 0xff, sizeof distance);
        distance[root] = 0, queue[0] = root;
        for (uint64_t at = 0; at < end; at++) {
            const uint32_t v = queue[at];
            if (distance[v] < n) shells[distance[v]]++;
            for (uint32_t e = g->first[v]; e < g->first[v + 1]; e++)
                if (distance[g->to[e]] == UINT32_MAX)
                    distance[g->to[e]] = distance[v] + 1, queue[end++] = g->to[e];
        }
        graph_walk(g, root, n, returns);
    }
}

TEST(searches_and_walks)
{
    static graph g;
    for (int round = test_amount(4, 12, 100); round-- > 0;) {
        padic_cdt_plan_desc d = any_plan(round % 2);
        padic_cdt_measure_desc m = PADIC_ZERO;
        uint64_t shells[1][9], order[1][7], want[9], orders[7] = {0}, product[64] = {0};
        uint32_t profile[1][8], lengths[8] = {0};
        double returns[1][9], walks[9];
        d.replicas = 1;
        padic_cdt_plan *plan = plan_of(NULL, &d);
        grow(NULL, plan, 1000);
        export_lists(plan, 0, &held);
        for (int i = 0; i < 40 && !sound(&held, d.slices, 3); i++) {
            run(NULL, plan, 50);
            export_lists(plan, 0, &held);
        }
        REQUIRE(sound(&held, d.slices, 3));
        m.plan = plan;
        m.roots = UINT64_MAX;
        m.graph = below(2) ? PADIC_CDT_GRAPH_VERTICES : PADIC_CDT_GRAPH_DUAL;
        m.shells = padic_tensor_2d(PADIC_U64, shells, 1, 9);
        m.returns = padic_tensor_2d(PADIC_F64, returns, 1, 9);
        m.order = padic_tensor_2d(PADIC_U64, order, 1, 7);
        if (held.torus) {
            m.profile = padic_tensor_2d(PADIC_U32, profile, 1, d.slices);
            m.profile_product = padic_tensor_3d(PADIC_U64, product, 1, d.slices, d.slices);
        }
        CHECK_EQ(padic_cdt_measure(NULL, &m), PADIC_OK);
        graph_of(&held, m.graph, &g);
        graph_measure(&g, 9, want, walks);
        for (int i = 0; i < 9; i++) {
            CHECK_EQ(shells[0][i], want[i]);
            CHECK_NEAR(returns[0][i], walks[i], 1e-13);
        }
        graph_of(&held, PADIC_CDT_GRAPH_VERTICES, &g);
        for (uint32_t v = 0; v < held.n0; v++) {
            const uint32_t q = g.first[v + 1] - g.first[v];
            orders[q < 6 ? q : 6]++;
            if (held.torus) lengths[held.slices[v]]++;
        }
        for (int i = 0; i < 7; i++) CHECK_EQ(order[0][i], orders[i]);
        for (uint32_t t = 0; held.torus && t < d.slices; t++) {
            CHECK_EQ(profile[0][t], lengths[t]);
            for (uint32_t u = 0; u < d.slices; u++)
                CHECK_EQ(product[t * d.slices + u], (uint64_t)lengths[t] * lengths[u]);
        }
        padic_cdt_plan_destroy(plan);
    }
}

// The regular torus: every ring of links alike, and every vertex of order 6.
TEST(regular)
{
    enum { T = 14, L = 16 };
    padic_cdt_plan_desc d = PADIC_ZERO;
    padic_cdt_measure_desc m = PADIC_ZERO;
    padic_cdt_check_report report;
    uint64_t shells[1][7];
    double returns[1][7];
    d.slices = T;
    d.target = 2 * T * L;
    padic_cdt_plan *plan = plan_of(NULL, &d);
    memset(&held, 0, sizeof held);
    held.torus = 1, held.n0 = T * L, held.n2 = 2 * T * L;
    for (uint32_t t = 0; t < T; t++)
        for (uint32_t x = 0; x < L; x++) {
            const uint32_t i = t * L + x, right = t * L + (x + 1) % L, up = (t + 1) % T * L + x;
            uint32_t *a = held.triangles[2 * i], *b = held.triangles[2 * i + 1];
            held.slices[i] = t;
            a[0] = i, a[1] = right, a[2] = up;
            b[0] = (t + 1) % T * L + (x + 1) % L, b[1] = up, b[2] = right;
        }
    CHECK(sound(&held, T, 3));
    CHECK_EQ(import_lists(plan, &held, &report), PADIC_OK);
    m.plan = plan;
    m.roots = 5;
    m.graph = PADIC_CDT_GRAPH_VERTICES;
    m.shells = padic_tensor_2d(PADIC_U64, shells, 1, 7);
    m.returns = padic_tensor_2d(PADIC_F64, returns, 1, 7);
    CHECK_EQ(padic_cdt_measure(NULL, &m), PADIC_OK);
    for (uint64_t r = 1; r < 7; r++) CHECK_EQ(shells[0][r], 5 * 6 * r);
    CHECK_NEAR(returns[0][2], 1. / 6, 1e-15);
    CHECK_NEAR(returns[0][3], 1. / 18, 1e-15);
    CHECK_NEAR(returns[0][4], 5. / 72, 1e-15);
    m.graph = PADIC_CDT_GRAPH_DUAL;
    CHECK_EQ(padic_cdt_measure(NULL, &m), PADIC_OK);
    CHECK_NEAR(returns[0][2], 1. / 3, 1e-15);
    CHECK_NEAR(returns[0][4], 5. / 27, 1e-15);
    CHECK_NEAR(returns[0][6], 31. / 243, 1e-15);
    CHECK(returns[0][0] == 1 && returns[0][1] == 0 && returns[0][5] == 0);
    padic_cdt_plan_destroy(plan);
}

// ------------------------------------------------------------------------------------- estimates

static long double statistic_of(const double *x, uint64_t n, uint64_t from, uint64_t to,
                                int variance)
{
    long double sum = 0, square = 0, count = 0; // without from <= i < to
    for (uint64_t i = 0; i < n; i++)
        if (i < from || i >= to) sum += (long double)x[i], count++;
    if (!variance) return sum / count;
    for (uint64_t i = 0; i < n; i++) {
        const long double off = (long double)x[i] - sum / count;
        if (i < from || i >= to) square += off * off;
    }
    return square / count;
}

static void one_estimate(const padic_cdt_estimate_desc *d, const double *x, uint64_t n)
{
    const padic_cdt_estimate_report *report = d->report;
    const uint64_t b = d->blocks ? d->blocks : n < 20 ? n : 20, size = n / b, used = b * size;
    const int variance = d->statistic == PADIC_CDT_STATISTIC_VARIANCE;
    long double parts[500], mean = 0, error = 0, centre = 0, all = 0, tau = 0.5L;
    uint64_t w;
    CHECK_EQ(padic_cdt_estimate(NULL, d), PADIC_OK);
    for (uint64_t i = 0; i < b; i++) {
        parts[i] = statistic_of(x, used, i * size, (i + 1) * size, variance);
        mean += parts[i] / (long double)b;
    }
    for (uint64_t i = 0; i < b; i++) error += (parts[i] - mean) * (parts[i] - mean);
    error = sqrtl(error * (long double)(b - 1) / (long double)b);
    CHECK_NEAR(report->value, statistic_of(x, used, 0, 0, variance), 1e-10);
    CHECK_NEAR(report->error, error, 1e-10);
    for (uint64_t i = 0; i < n; i++) centre += (long double)x[i] / (long double)n;
    for (uint64_t i = 0; i < n; i++)
        all += ((long double)x[i] - centre) * ((long double)x[i] - centre);
    for (w = 1; w < n; w++) { // rho(t): the mean of n - t products, by that of n
        long double c = 0;
        for (uint64_t i = 0; i + w < n; i++)
            c += ((long double)x[i] - centre) * ((long double)x[i + w] - centre);
        tau += c / (long double)(n - w) * (long double)n / all;
        if ((long double)w >= 6 * tau) break;
    }
    if (w == n || all <= 0) return;
    CHECK_EQ(report->window, w);
    CHECK_NEAR(report->tau, tau, 1e-9);
    tau = fabsl(tau);
    CHECK_NEAR(report->tau_error, tau * sqrtl((long double)(4 * w + 2) / (long double)n), 1e-9);
}

TEST(estimates)
{
    static double x[20000];
    padic_cdt_estimate_desc d = PADIC_ZERO;
    padic_cdt_estimate_report report;
    double y = 0;
    d.report = &report;
    for (int round = test_amount(10, 40, 500); round-- > 0;) {
        const uint64_t n = 2 + below(400);
        for (uint64_t i = 0; i < n; i++)
            x[i] = (double)below(1000) / 100 + (i ? 0.7 * (x[i - 1] - 5) : 0);
        d.series = padic_tensor_1d(PADIC_F64, x, n);
        d.blocks = below(2) ? 0 : 2 + below(n - 1);
        d.statistic = below(2) ? PADIC_CDT_STATISTIC_MEAN : PADIC_CDT_STATISTIC_VARIANCE;
        one_estimate(&d, x, n);
    }
    memset(&d, 0, sizeof d); // AR(1) with a = 0.9: tau = 9.5
    for (int i = 0; i < 20000; i++) {
        double noise = -6;
        for (int k = 0; k < 12; k++) noise += (double)(test_random() >> 11) / 9007199254740992.0;
        x[i] = y = 0.9 * y + noise;
    }
    d.series = padic_tensor_1d(PADIC_F64, x, 20000);
    d.report = &report;
    CHECK_EQ(padic_cdt_estimate(NULL, &d), PADIC_OK);
    CHECK(fabs(report.tau - 9.5) < 3 * report.tau_error && report.tau_error < 1.5);
}

TEST(dimensions)
{
    enum { C = 4, N = 40 };
    double curves[C][N], out[N], error[N];
    padic_cdt_dimension_desc d = PADIC_ZERO;
    for (int c = 0; c < C; c++)
        for (int r = 0; r < N; r++) curves[c][r] = r ? (double)(6 * r + c) : 1;
    d.curves = padic_tensor_2d(PADIC_F64, curves, C, N);
    d.reach = 2;
    d.out = padic_tensor_1d(PADIC_F64, out, N);
    d.error = padic_tensor_1d(PADIC_F64, error, N);
    CHECK_EQ(padic_cdt_dimension(NULL, &d), PADIC_OK);
    for (int r = 0; r < N; r++) {
        double without[C], mean = 0, square = 0;
        if (r < 3 || r + 2 >= N) { // r - reach = 0: no logarithm
            CHECK(out[r] == 0 && error[r] == 0);
            continue;
        }
        for (int skip = -1; skip < C; skip++) {
            double volume[N], sum = 0;
            for (int i = 0; i < N; i++) {
                for (int c = 0; c < C; c++) sum += c == skip ? 0 : curves[c][i];
                volume[i] = sum;
            }
            const double slope = log(volume[r + 2] / volume[r - 2]) / log((r + 2.) / (r - 2.));
            if (skip < 0) CHECK_NEAR(out[r], slope, 1e-12);
            else without[skip] = slope, mean += slope / (int)C;
        }
        for (int c = 0; c < C; c++) square += (without[c] - mean) * (without[c] - mean);
        CHECK_NEAR(error[r], sqrt(square * (int)(C - 1) / (int)C), 1e-12);
    }
    for (int c = 0; c < C; c++)
        for (int s = 0; s < N; s++) curves[c][s] = s % 2 ? 0 : s ? pow(s, -0.75) : 1;
    d.slope = PADIC_CDT_SLOPE_SPECTRAL;
    CHECK_EQ(padic_cdt_dimension(NULL, &d), PADIC_OK);
    for (int s = 4; s + 2 < N; s += 2) CHECK_NEAR(out[s], 1.5, 1e-12);
    CHECK(out[0] == 0 && out[1] == 0 && out[7] == 0 && out[N - 1] == 0);
}

TEST_MAIN("cdt_outside", CASE(played_again), CASE(divisions), CASE(imports),
          CASE(searches_and_walks), CASE(regular), CASE(estimates), CASE(dimensions))
