// The ultrametric tree against brute force over digits, in every form and model.
#define PADIC_IMPLEMENTATION
#include "../../padic.h"
#include "../../backends/padic_threads.h"
#include "../support/padic_test.h"
#include "../support/num_calls.h"

enum { POINTS = 96, DIGITS = 40 };

// A set of numbers as this test sees them: digits from exponent v on; count 0: zero.
typedef struct set {
    padic_num_ring ring;
    padic_num_array points;
    void *memory, *tree_memory;
    padic_num_tree tree;
    int32_t v[POINTS];
    uint32_t zero[POINTS];
    uint64_t digit[POINTS][DIGITS]; // N of them
    int in[POINTS];
} set;

// x = x p + d, 128 bits as four words of 32.
static void push(uint64_t x[4], uint64_t p, uint64_t d)
{
    uint64_t y[4] = {d & 0xffffffff, d >> 32, 0, 0};
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < 2 && i + j < 4; j++) {
            const uint64_t product = x[i] * (j ? p >> 32 : p & 0xffffffff);
            y[i + j] += product & 0xffffffff;
            if (i + j < 3) y[i + j + 1] += product >> 32;
        }
    for (int i = 0; i < 3; i++) y[i + 1] += y[i] >> 32;
    for (int i = 0; i < 4; i++) x[i] = y[i] & 0xffffffff;
}

static void put_word(const padic_num_array *a, uint64_t at, uint64_t x)
{
    if (a->ring->unit_size == 4)
        ((uint32_t *)a->unit.data)[at] = (uint32_t)x;
    else
        ((uint64_t *)a->unit.data)[at] = x;
}

// Writes the digits as padic.h documents the planes.
static void put_number(const padic_num_array *a, uint64_t i, int32_t v, uint32_t zero,
                       const uint64_t *digit)
{
    const padic_num_ring *r = a->ring;
    if (a->model == PADIC_NUM_FLOAT) {
        const int16_t small = (int16_t)(zero ? PADIC_NUM_ZERO16 : v);
        const int32_t whole = zero ? PADIC_NUM_ZERO : v;
        if (a->val.dtype == PADIC_I16)
            ((int16_t *)a->val.data)[i] = small;
        else
            ((int32_t *)a->val.data)[i] = whole;
    }
    const uint32_t group = r->form == PADIC_NUM_RX ? r->limb_digits : r->precision;
    for (uint32_t first = 0, limb = 0; first < r->precision; first += group, limb++) {
        uint64_t x[4] = {0, 0, 0, 0};
        uint32_t end = first + group < r->precision ? first + group : r->precision;
        while (end-- > first) push(x, r->p, zero ? 0 : digit[end]);
        if (r->form == PADIC_NUM_RX)
            put_word(a, (i / 32 * r->words + limb) * 32 + i % 32, x[0] | x[1] << 32);
        else
            put_word(a, i, x[0] | x[1] << 32);
        if (r->form == PADIC_NUM_W128)
            put_word(a, a->high + i, x[2] | x[3] << 32);
    }
}

static uint64_t digit_at(const set *s, uint32_t i, int64_t e)
{
    const int64_t k = e - s->v[i];
    return s->zero[i] || k < 0 || k >= s->ring.precision ? 0 : s->digit[i][k];
}

// v(x - y) and which comes first, digit by digit.
static int32_t part(const set *s, uint32_t i, uint32_t j, int *after)
{
    int64_t e = s->v[i] < s->v[j] ? s->v[i] : s->v[j];
    const int64_t end = (s->v[i] > s->v[j] ? s->v[i] : s->v[j]) + (int64_t)s->ring.precision;
    for (; e < end; e++) {
        const uint64_t a = digit_at(s, i, e), b = digit_at(s, j, e);
        *after = a > b;
        if (a != b) return (int32_t)e;
    }
    *after = i > j;
    return PADIC_NUM_ZERO;
}

static int comes_after(const set *s, uint32_t i, uint32_t j)
{
    int after;
    part(s, i, j, &after);
    return after;
}

typedef struct shape {
    uint64_t p;
    uint32_t precision;
    padic_num_form form;
    uint32_t limb32;
    padic_num_model model;
    int narrow; // 1: i16 valuations
} shape;

static const shape shapes[] = {
    {2, 20, (padic_num_form)0, 0, PADIC_NUM_RING, 0},
    {2, 40, (padic_num_form)0, 0, PADIC_NUM_FLOAT, 0},
    {3, 20, (padic_num_form)0, 0, PADIC_NUM_RING, 0},
    {3, 12, (padic_num_form)0, 0, PADIC_NUM_FLOAT, 1},
    {257, 6, (padic_num_form)0, 0, PADIC_NUM_FLOAT, 0},
    {65537, 3, (padic_num_form)0, 0, PADIC_NUM_RING, 0},
    {5, 27, (padic_num_form)0, 0, PADIC_NUM_FLOAT, 0},
    {UINT64_C(2305843009213693951), 1, (padic_num_form)0, 0, PADIC_NUM_RING, 0},
    {UINT64_C(2305843009213693951), 2, (padic_num_form)0, 0, PADIC_NUM_FLOAT, 0},
    {7, 40, (padic_num_form)0, 0, PADIC_NUM_RING, 0},
    {2, 40, PADIC_NUM_W128, 0, PADIC_NUM_FLOAT, 0},
    {3, 4, PADIC_NUM_W128, 0, PADIC_NUM_RING, 0},
    {257, 30, PADIC_NUM_RX, 0, PADIC_NUM_FLOAT, 0},
    {3, 40, PADIC_NUM_RX, 1, PADIC_NUM_RING, 0},
    {2, 37, PADIC_NUM_RX, 1, PADIC_NUM_FLOAT, 1},
};
enum { SHAPES = sizeof shapes / sizeof *shapes };

static set world; // one at a time

// Numbers that share many digits, some of them equal, some zero.
static set *make(const shape *what)
{
    set *s = &world;
    padic_num_ring_options o = PADIC_ZERO;
    memset(s, 0, sizeof *s);
    o.form = what->form;
    o.limb32 = what->limb32;
    if (padic_num_ring_init(&s->ring, what->p, what->precision, &o)) return NULL;
    const size_t size = padic_num_array_size_bound(&s->ring, what->model, POINTS);
    s->memory = calloc(1, size);
    if (padic_num_place(&s->points, &s->ring, what->model, POINTS, s->memory, size)) return NULL;
    if (what->narrow) s->points.val = padic_num_plane_of(PADIC_I16, s->points.val.data);
    for (uint32_t i = 0; i < POINTS; i++) {
        const uint32_t from = i ? (uint32_t)(test_random() % i) : 0;
        const uint32_t keep = (uint32_t)(test_random() % (what->precision + 2));
        s->v[i] = what->model == PADIC_NUM_RING ? 0 : (int32_t)(test_random() % 9) - 4;
        if (i && keep) s->v[i] = s->v[from];
        s->zero[i] = test_random() % 16 == 0 || (keep && s->zero[from]);
        for (uint32_t k = 0; k < what->precision; k++) {
            const uint64_t most = test_random() % 4 ? what->p : what->p < 4 ? what->p : 3;
            s->digit[i][k] = i && k < keep ? s->digit[from][k] : test_random() % most;
            if (!k && what->model == PADIC_NUM_FLOAT && !s->digit[i][0]) s->digit[i][0] = 1;
            if (s->zero[i]) s->digit[i][k] = 0;
        }
        put_number(&s->points, i, s->v[i], s->zero[i], s->digit[i]);
    }
    const size_t room = padic_num_tree_size_bound(&s->points, 0);
    s->tree_memory = calloc(1, room);
    if (num_tree_init(&s->tree, &s->points, 0, s->tree_memory, room)) return NULL;
    return s;
}

static void drop(set *s)
{
    free(s->memory);
    free(s->tree_memory);
}

static uint32_t read32(const uint8_t *p)
{
    return p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

static uint64_t mixed(uint64_t x)
{
    x *= UINT64_C(0xbf58476d1ce4e5b9);
    x ^= x >> 32;
    x *= UINT64_C(0x94d049bb133111eb);
    return x ^ (x >> 29);
}

// Puts the right checksum at the end of a stream, as padic.h describes it.
static void seal(uint8_t *bytes, size_t size)
{
    uint64_t key = UINT64_C(0x545045) * UINT64_C(0xd1342543de82ef95);
    uint64_t sum = mixed((size - 8) ^ ~UINT64_C(0x545044));
    for (size_t i = 0; i < size - 8; i += 8, key += UINT64_C(0x9e3779b97f4a7c15))
        sum += mixed((read32(bytes + i) | (uint64_t)read32(bytes + i + 4) << 32) ^ key);
    for (int k = 0; k < 8; k++) bytes[size - 8 + (size_t)k] = (uint8_t)(sum >> 8 * k);
}

static size_t bytes_of(const padic_num_tree *tree, uint8_t *out, size_t room)
{
    size_t written = 0;
    CHECK(padic_num_tree_write_size_bound(tree) <= room);
    CHECK_EQ(num_tree_write(tree, out, room, &written), PADIC_OK);
    return written;
}

// Build, and insert and erase in any order, give the same bytes; ids lie in leaf order.
TEST(same_tree)
{
    static uint8_t a[8192], b[8192];
    for (int t = 0; t < SHAPES; t++) {
        set *s = make(&shapes[t]);
        REQUIRE(s != NULL);
        CHECK_EQ(num_tree_build(&s->tree, NULL), PADIC_OK);
        CHECK_EQ(num_tree_validate(&s->tree), PADIC_OK);
        CHECK_EQ(s->tree.count, POINTS);
        CHECK_EQ(s->tree.used, POINTS - 1); // inner nodes
        const size_t n = bytes_of(&s->tree, a, sizeof a);
        CHECK_EQ(num_tree_read(&s->tree, a, n), PADIC_OK);
        CHECK_EQ(s->tree.count, POINTS);
        for (uint32_t i = 0; i < POINTS; i++) {
            const uint8_t *at = a + n - 8 - 4 * POINTS + 4 * i;
            if (i) CHECK(comes_after(s, read32(at), read32(at - 4)));
        }
        num_tree_init(&s->tree, &s->points, 0, s->tree_memory, (size_t)-1);
        memset(s->in, 0, sizeof s->in);
        for (int step = 0; step < (test_tiny ? 300 : 1500); step++) {
            const uint32_t id = (uint32_t)(test_random() % POINTS);
            const padic_result r = test_random() % 2 ? num_tree_insert(&s->tree, id)
                                                     : num_tree_erase(&s->tree, id);
            if (r) continue;
            s->in[id] ^= 1;
            if (step % 50 == 0) CHECK_EQ(num_tree_validate(&s->tree), PADIC_OK);
        }
        uint32_t ids[POINTS], count = 0;
        for (uint32_t i = 0; i < POINTS; i++) {
            CHECK_EQ(num_tree_insert(&s->tree, i) == PADIC_ERROR_ARGUMENT, s->in[i]);
            if (!s->in[i]) CHECK_EQ(num_tree_erase(&s->tree, i), PADIC_OK);
            if (!s->in[i]) CHECK_EQ(num_tree_erase(&s->tree, i), PADIC_ERROR_ARGUMENT);
            if (s->in[i]) ids[count++] = i;
        }
        const size_t part_size = bytes_of(&s->tree, b, sizeof b);
        for (uint32_t i = count; i > 1; i--) { // shuffled
            const uint32_t k = (uint32_t)(test_random() % i), id = ids[i - 1];
            ids[i - 1] = ids[k];
            ids[k] = id;
        }
        padic_tensor list = padic_tensor_1d(PADIC_U32, ids, count);
        CHECK_EQ(num_tree_build(&s->tree, &list), PADIC_OK);
        CHECK_EQ(bytes_of(&s->tree, a, sizeof a), part_size);
        CHECK(!memcmp(a, b, part_size));
        CHECK_EQ(num_tree_read(&s->tree, b, part_size), PADIC_OK);
        CHECK_EQ(num_tree_validate(&s->tree), PADIC_OK);
        CHECK_EQ(bytes_of(&s->tree, a, sizeof a), part_size);
        CHECK(!memcmp(a, b, part_size));
        for (uint32_t i = 0; i < count; i++)
            CHECK_EQ(num_tree_erase(&s->tree, ids[i]), PADIC_OK);
        CHECK(s->tree.count == 0 && num_tree_validate(&s->tree) == PADIC_OK);
        CHECK_EQ(num_tree_insert(&s->tree, 5), PADIC_OK);
        CHECK_EQ(num_tree_validate(&s->tree), PADIC_OK);
        drop(s);
    }
}

TEST(ancestors)
{
    for (int t = 0; t < SHAPES; t++) {
        set *s = make(&shapes[t]);
        REQUIRE(s != NULL);
        static uint32_t memory[12 * POINTS];
        for (int indexed = 0; indexed < 2; indexed++) {
            if (!indexed) {
                CHECK_EQ(num_tree_build(&s->tree, NULL), PADIC_OK);
            } else {
                const size_t size = padic_num_tree_index_size_bound(&s->tree);
                REQUIRE(size <= sizeof memory);
                CHECK_EQ(num_tree_index(&s->tree, memory, size - 1), PADIC_ERROR_CAPACITY);
                CHECK_EQ(num_tree_index(&s->tree, memory, size), PADIC_OK);
            }
            for (uint32_t i = 0; i < POINTS; i++)
                for (uint32_t j = 0; j < POINTS; j++) {
                    int32_t depth = 1234;
                    int after;
                    CHECK_EQ(num_tree_lca(&s->tree, i, j, &depth), PADIC_OK);
                    CHECK_EQ(depth, part(s, i, j, &after));
                }
        }
        CHECK(s->tree.index != NULL);
        CHECK_EQ(num_tree_erase(&s->tree, 3), PADIC_OK);
        CHECK(s->tree.index == NULL);
        int32_t depth;
        CHECK_EQ(num_tree_lca(&s->tree, 3, 4, &depth), PADIC_ERROR_ARGUMENT);
        CHECK_EQ(num_tree_lca(&s->tree, 4, POINTS, &depth), PADIC_ERROR_ARGUMENT);
        drop(s);
    }
}

// Many sizes of the index.
TEST(index_sizes)
{
    enum { MANY = 5000 };
    static uint64_t memory[MANY * 8];
    padic_num_ring ring;
    padic_num_array a;
    padic_num_tree tree;
    static uint32_t unit[MANY];
    REQUIRE(padic_num_ring_init(&ring, 3, 10, NULL) == PADIC_OK);
    memset(&a, 0, sizeof a);
    a.ring = &ring;
    a.count = MANY;
    a.unit = padic_num_plane_of(PADIC_U32, unit);
    for (uint32_t i = 0; i < MANY; i++) unit[i] = (uint32_t)(test_random() % 59049);
    REQUIRE(num_tree_init(&tree, &a, 0, memory, sizeof memory) == PADIC_OK);
    for (uint32_t n = 1; n <= MANY; n = n < 140 ? n + 1 : n * 3) {
        static uint32_t ids[MANY];
        for (uint32_t i = 0; i < n; i++) ids[i] = i;
        padic_tensor list = padic_tensor_1d(PADIC_U32, ids, n);
        CHECK_EQ(num_tree_build(&tree, &list), PADIC_OK);
        const size_t size = padic_num_tree_index_size_bound(&tree);
        uint32_t *exact = (uint32_t *)malloc(size);
        CHECK_EQ(num_tree_index(&tree, exact, size), PADIC_OK);
        for (uint32_t k = 0; k < 200; k++) {
            const uint32_t i = (uint32_t)(test_random() % n), j = (uint32_t)(test_random() % n);
            uint32_t x = unit[i], y = unit[j];
            int32_t depth, v = 0;
            while (v < 10 && x % 3 == y % 3) x /= 3, y /= 3, v++;
            CHECK_EQ(num_tree_lca(&tree, i, j, &depth), PADIC_OK);
            CHECK_EQ(depth, v == 10 ? PADIC_NUM_ZERO : v);
        }
        free(exact);
    }
}

// k nearest, balls and clusters; every third point is not in the tree and only asks.
TEST(queries)
{
    for (int t = 0; t < SHAPES; t++) {
        set *s = make(&shapes[t]);
        REQUIRE(s != NULL);
        static uint32_t near[POINTS * (POINTS + 1)];
        static int32_t val[POINTS * (POINTS + 1)];
        uint32_t order[POINTS], count = 0;
        for (uint32_t i = 0; i < POINTS; i++)
            if (i % 3) {
                uint32_t k = count++;
                for (; k > 0 && comes_after(s, order[k - 1], i); k--) order[k] = order[k - 1];
                order[k] = i;
                CHECK_EQ(num_tree_insert(&s->tree, i), PADIC_OK);
            }
        for (uint32_t k = 1; k <= POINTS + 1; k += k == 1 ? 4 : 46) {
            padic_num_tree_nearest_desc d = PADIC_ZERO;
            d.tree = &s->tree;
            d.query = s->points;
            d.ids = padic_tensor_2d(PADIC_U32, near, POINTS, k);
            d.val = padic_tensor_2d(PADIC_I32, val, POINTS, k);
            CHECK_EQ(padic_num_tree_nearest(NULL, &d), PADIC_OK);
            for (uint32_t i = 0; i < POINTS; i++) {
                int used[POINTS] = {0};
                for (uint32_t n = 0; n < k; n++) {
                    int32_t best = INT32_MIN, v;
                    uint32_t who = PADIC_NUM_TREE_NONE;
                    int after;
                    for (uint32_t m = 0; m < count; m++) {
                        v = part(s, i, order[m], &after);
                        if (!used[m] && (who == PADIC_NUM_TREE_NONE || v > best)) best = v, who = m;
                    }
                    if (who != PADIC_NUM_TREE_NONE) used[who] = 1, who = order[who];
                    CHECK_EQ(near[i * k + n], who);
                    CHECK_EQ(val[i * k + n], best);
                }
            }
        }
        for (uint32_t i = 0; i < POINTS; i++)
            for (int32_t r = -6; r < 46; r++) {
                uint32_t ids[POINTS], n = 0;
                uint64_t found = 77;
                padic_tensor list = padic_tensor_1d(PADIC_U32, ids, POINTS);
                const int32_t radius = r == 45 ? PADIC_NUM_ZERO : r == -6 ? INT32_MIN : r;
                CHECK_EQ(num_tree_ball(&s->tree, &s->points, i, radius, &list, &found),
                         PADIC_OK);
                for (uint32_t m = 0; m < count; m++) {
                    int after;
                    if (part(s, i, order[m], &after) < radius) continue;
                    if (n < found) CHECK_EQ(ids[n], order[m]);
                    n++;
                }
                CHECK_EQ(found, n);
            }
        for (int32_t r = -6; r < 46; r++) {
            static uint32_t label[POINTS];
            uint64_t clusters, seen = 0;
            padic_tensor plane = padic_tensor_1d(PADIC_U32, label, POINTS);
            const int32_t radius = r == 45 ? PADIC_NUM_ZERO : r == -6 ? INT32_MIN : r;
            CHECK_EQ(num_tree_clusters(&s->tree, radius, &plane, &clusters), PADIC_OK);
            for (uint32_t i = 0; i < POINTS; i++) {
                uint32_t least = PADIC_NUM_TREE_NONE;
                int after;
                for (uint32_t j = 0; i % 3 && j < POINTS; j++)
                    if (j % 3 && least == PADIC_NUM_TREE_NONE && part(s, i, j, &after) >= radius)
                        least = j;
                CHECK_EQ(label[i], least);
                seen += i % 3 && least == i;
            }
            CHECK_EQ(clusters, seen);
        }
        drop(s);
    }
}

// A table by hand: Z_3, numbers 0 to 8 and 9.
TEST(by_hand)
{
    padic_num_ring ring;
    padic_num_array a;
    uint32_t unit[10] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9}, ids[4], label[10];
    uint64_t memory[100], clusters, count;
    padic_num_tree tree;
    REQUIRE(padic_num_ring_init(&ring, 3, 4, NULL) == PADIC_OK);
    memset(&a, 0, sizeof a);
    a.ring = &ring;
    a.count = 10;
    a.unit = padic_num_plane_of(PADIC_U32, unit);
    REQUIRE(num_tree_init(&tree, &a, 0, memory, sizeof memory) == PADIC_OK);
    CHECK_EQ(num_tree_build(&tree, NULL), PADIC_OK);
    padic_tensor plane = padic_tensor_1d(PADIC_U32, label, 10);
    CHECK_EQ(num_tree_clusters(&tree, 1, &plane, &clusters), PADIC_OK);
    CHECK_EQ(clusters, 3);
    for (uint32_t i = 0; i < 10; i++) CHECK_EQ(label[i], i % 3);
    CHECK_EQ(num_tree_clusters(&tree, 2, &plane, &clusters), PADIC_OK);
    CHECK_EQ(clusters, 9); // 0 and 9 are one
    CHECK_EQ(label[9], 0);
    padic_num_tree_nearest_desc d = PADIC_ZERO;
    d.tree = &tree;
    d.query = a;
    d.query.count = 1; // 0
    d.query.unit = padic_num_plane_of(PADIC_U32, unit);
    d.ids = padic_tensor_2d(PADIC_U32, ids, 1, 4);
    CHECK_EQ(padic_num_tree_nearest(NULL, &d), PADIC_OK);
    CHECK(ids[0] == 0 && ids[1] == 9 && ids[2] == 3 && ids[3] == 6);
    padic_tensor list = padic_tensor_1d(PADIC_U32, ids, 2);
    CHECK_EQ(num_tree_ball(&tree, &a, 5, 1, &list, &count), PADIC_OK);
    CHECK(count == 3 && ids[0] == 2 && ids[1] == 5 && ids[2] == 3); // two of 2, 5, 8
    CHECK_EQ(num_tree_ball(&tree, &a, 5, 1, NULL, &count), PADIC_OK);
    CHECK_EQ(count, 3);
    // The bytes: three children of three leaves, one of them a pair: 111 0 1110 1110 1110, then
    // under the pair's node 11 0 0 and leaves in level order.
    uint8_t out[256];
    size_t size;
    CHECK_EQ(num_tree_write(&tree, out, sizeof out, &size), PADIC_OK);
    CHECK_EQ(size, 32 + 8 + 40 + 8);
    CHECK(!memcmp(out, "PDT1", 4) && out[12] == 10 && out[16] == 3);
    CHECK_EQ(out[24], 2 * (1 + 3 + 9 + 2) - 1);
    CHECK(out[32] == 0x77 && out[33] == 0x77 && out[34] == 0x03 && out[35] == 0);
    const uint8_t leaves[10] = {0, 9, 3, 6, 1, 4, 7, 2, 5, 8};
    for (int i = 0; i < 10; i++) CHECK_EQ(out[40 + 4 * i], leaves[i]);
}

TEST(errors)
{
    static const shape what = {5, 20, (padic_num_form)0, 0, PADIC_NUM_FLOAT, 0};
    set *s = make(&what);
    REQUIRE(s != NULL);
    padic_num_tree *t = &s->tree;
    padic_num_array ball = s->points, other = s->points;
    padic_num_ring composite, longer;
    uint32_t ids[4] = {3, 5, 5, 1};
    uint64_t count;
    ball.model = PADIC_NUM_BALL;
    CHECK_EQ(num_tree_init(t, &ball, 0, s->tree_memory, 1 << 20), PADIC_ERROR_NOT_SUPPORTED);
    CHECK_EQ(num_tree_insert(t, 0), PADIC_ERROR_ARGUMENT); // not made
    CHECK_EQ(num_tree_validate(t), PADIC_ERROR_ARGUMENT);
    REQUIRE(padic_num_ring_init_radix(&composite, 6, 4, NULL) == PADIC_OK);
    other.ring = &composite;
    CHECK_EQ(num_tree_init(t, &other, 0, s->tree_memory, 1 << 20), PADIC_ERROR_NOT_SUPPORTED);
    other.ring = NULL;
    CHECK_EQ(num_tree_init(t, &other, 0, s->tree_memory, 1 << 20), PADIC_ERROR_ARGUMENT);
    CHECK_EQ(num_tree_init(t, &s->points, 0, s->tree_memory, 8), PADIC_ERROR_CAPACITY);
    CHECK_EQ(num_tree_init(t, &s->points, 2, s->tree_memory,
                                 padic_num_tree_size_bound(&s->points, 2)), PADIC_OK);
    padic_tensor list = padic_tensor_1d(PADIC_U32, ids + 1, 3);
    ids[1] = 2;
    CHECK_EQ(num_tree_build(t, &list), PADIC_ERROR_CAPACITY);
    CHECK_EQ(t->count, 0);
    list.data = ids;
    ids[1] = 5;
    CHECK_EQ(num_tree_insert(t, 1), PADIC_OK);
    CHECK_EQ(num_tree_insert(t, 2), PADIC_OK);
    CHECK_EQ(num_tree_insert(t, 3), PADIC_ERROR_CAPACITY);
    CHECK_EQ(num_tree_insert(t, POINTS), PADIC_ERROR_ARGUMENT);
    CHECK_EQ(num_tree_validate(t), PADIC_OK);
    REQUIRE(num_tree_init(t, &s->points, 0, s->tree_memory, 1 << 20) == PADIC_OK);
    CHECK_EQ(num_tree_build(t, &list), PADIC_ERROR_ARGUMENT); // 5 twice
    CHECK_EQ(t->count, 0);
    ids[1] = POINTS;
    CHECK_EQ(num_tree_build(t, &list), PADIC_ERROR_ARGUMENT);
    ((int32_t *)s->points.val.data)[7] = PADIC_NUM_NAN;
    CHECK_EQ(num_tree_build(t, NULL), PADIC_ERROR_DOMAIN);
    CHECK_EQ(num_tree_insert(t, 7), PADIC_ERROR_DOMAIN);
    ids[1] = 4;
    CHECK_EQ(num_tree_build(t, &list), PADIC_OK);
    // queries
    CHECK_EQ(num_tree_ball(t, &s->points, 7, 0, NULL, &count), PADIC_ERROR_DOMAIN);
    CHECK_EQ(num_tree_ball(t, &s->points, POINTS, 0, NULL, &count), PADIC_ERROR_ARGUMENT);
    REQUIRE(padic_num_ring_init(&longer, 5, 21, NULL) == PADIC_OK);
    other.ring = &longer;
    CHECK_EQ(num_tree_ball(t, &other, 0, 0, NULL, &count), PADIC_ERROR_RING);
    static uint32_t near[2 * POINTS];
    padic_num_tree_nearest_desc d = PADIC_ZERO;
    d.tree = t;
    d.query = s->points;
    d.ids = padic_tensor_2d(PADIC_U32, near, POINTS, 2);
    d.val = padic_tensor_2d(PADIC_I32, s->points.val.data, POINTS, 1);
    CHECK_EQ(padic_num_tree_nearest(NULL, &d), PADIC_ERROR_MISMATCH);
    memset(&d.val, 0, sizeof d.val);
    CHECK_EQ(padic_num_tree_nearest(NULL, &d), PADIC_ERROR_DOMAIN); // number 7, all others done
    CHECK(near[14] == PADIC_NUM_TREE_NONE && near[15] == PADIC_NUM_TREE_NONE);
    CHECK(near[16] < POINTS && near[17] < POINTS && near[6] == 3);
    d.ids = padic_tensor_1d(PADIC_U32, near, POINTS + 1);
    CHECK_EQ(padic_num_tree_nearest(NULL, &d), PADIC_ERROR_MISMATCH);
    d.query = other;
    CHECK_EQ(padic_num_tree_nearest(NULL, &d), PADIC_ERROR_RING);
    CHECK_EQ(padic_num_tree_nearest(NULL, NULL), PADIC_ERROR_ARGUMENT);
    // bytes
    uint8_t bytes[256];
    size_t size, n;
    CHECK_EQ(num_tree_write(t, bytes, 10, &n), PADIC_ERROR_CAPACITY);
    CHECK_EQ(num_tree_write(t, bytes, n, &size), PADIC_OK);
    CHECK(n == size);
    for (size_t cut = 0; cut < n; cut++)
        CHECK(num_tree_read(t, bytes, cut) == PADIC_ERROR_CORRUPT && !t->count);
    for (size_t bit = 0; bit < 8 * n; bit++) {
        bytes[bit / 8] ^= (uint8_t)(1u << bit % 8);
        CHECK(num_tree_read(t, bytes, n) != PADIC_OK && !t->count);
        // and with a checksum that is right
        seal(bytes, n);
        CHECK(bit >= 8 * (n - 8) || num_tree_read(t, bytes, n) != PADIC_OK || t->count == 3);
        CHECK_EQ(num_tree_validate(t), PADIC_OK);
        bytes[bit / 8] ^= (uint8_t)(1u << bit % 8);
        seal(bytes, n);
    }
    CHECK_EQ(num_tree_read(NULL, bytes, n), PADIC_ERROR_ARGUMENT);
    CHECK_EQ(num_tree_read(t, NULL, 0), PADIC_ERROR_CORRUPT);
    CHECK_EQ(num_tree_read(t, NULL, n), PADIC_ERROR_ARGUMENT);
    CHECK_EQ(padic_num_tree_read(NULL, NULL), PADIC_ERROR_ARGUMENT);
    CHECK_EQ(padic_num_tree_write(NULL, NULL), PADIC_ERROR_ARGUMENT);
    CHECK_EQ(num_tree_write(t, NULL, n, &size), PADIC_ERROR_ARGUMENT);
    CHECK_EQ(padic_num_tree_validate(NULL, NULL), PADIC_ERROR_ARGUMENT);
    CHECK_EQ(num_tree_validate(NULL), PADIC_ERROR_ARGUMENT);
    CHECK_EQ(num_tree_read(t, bytes, n), PADIC_OK);
    ((int32_t *)s->points.val.data)[3] = -100; // another number
    ((uint64_t *)s->points.unit.data)[3] = 1;
    CHECK_EQ(num_tree_validate(t), PADIC_ERROR_CORRUPT);
    CHECK_EQ(num_tree_read(t, bytes, n), PADIC_ERROR_CORRUPT);
    drop(s);
}

// What calls found out, also when they failed: how far they came.
TEST(reports)
{
    static const shape what = {5, 20, (padic_num_form)0, 0, PADIC_NUM_FLOAT, 0};
    set *s = make(&what);
    REQUIRE(s != NULL);
    padic_num_tree *const t = &s->tree;
    uint32_t ids[4] = {3, 5, 5, 1}, gone[3] = {5, 3, 5}, first[POINTS], second[POINTS];
    int32_t depth[POINTS];
    padic_num_tree_insert_report inserted = {99};
    padic_num_tree_erase_report erased = {99};
    padic_num_tree_build_report built = {99};
    padic_num_tree_lca_report done = {99};
    padic_num_tree_ball_report ball = {99};
    padic_num_tree_clusters_report clusters = {99};
    padic_num_tree_write_report written = {99};
    padic_num_tree_insert_desc insert = PADIC_ZERO;
    padic_num_tree_erase_desc erase = PADIC_ZERO;
    padic_num_tree_build_desc build = PADIC_ZERO;
    padic_num_tree_lca_desc lca = PADIC_ZERO;
    padic_num_tree_ball_desc around = PADIC_ZERO;
    padic_num_tree_clusters_desc groups = PADIC_ZERO;
    padic_num_tree_write_desc write = PADIC_ZERO;
    insert.tree = erase.tree = build.tree = t;
    insert.report = &inserted;
    erase.report = &erased;
    build.report = &built;
    insert.ids = padic_tensor_1d(PADIC_U32, ids, 4);
    CHECK_EQ(padic_num_tree_insert(NULL, &insert), PADIC_ERROR_ARGUMENT);
    CHECK(inserted.inserted == 2 && t->count == 2); // the second 5
    erase.ids = padic_tensor_1d(PADIC_U32, gone, 3);
    CHECK_EQ(padic_num_tree_erase(NULL, &erase), PADIC_ERROR_ARGUMENT);
    CHECK(erased.erased == 2 && t->count == 0);
    build.ids = insert.ids;
    CHECK_EQ(padic_num_tree_build(NULL, &build), PADIC_ERROR_ARGUMENT);
    CHECK(built.inserted == 2 && t->count == 0);
    memset(&build.ids, 0, sizeof build.ids);
    CHECK_EQ(padic_num_tree_build(NULL, &build), PADIC_OK);
    CHECK(built.inserted == POINTS && t->count == POINTS);
    build.report = NULL;
    build.ids = padic_tensor_1d(PADIC_F32, ids, 4);
    CHECK_EQ(padic_num_tree_build(NULL, &build), PADIC_ERROR_DTYPE);
    memset(&build.ids, 0, sizeof build.ids);
    CHECK_EQ(padic_num_tree_build(NULL, &build), PADIC_OK);
    // many pairs at once
    for (uint32_t i = 0; i < POINTS; i++) first[i] = i, second[i] = i * 7 % POINTS;
    lca.tree = t;
    lca.report = &done;
    lca.first = padic_tensor_1d(PADIC_U32, first, POINTS);
    lca.second = padic_tensor_1d(PADIC_U32, second, POINTS);
    lca.out = padic_tensor_1d(PADIC_I32, depth, POINTS);
    CHECK_EQ(padic_num_tree_lca(NULL, &lca), PADIC_OK);
    CHECK_EQ(done.done, POINTS);
    for (uint32_t i = 0; i < POINTS; i++) {
        int after;
        CHECK_EQ(depth[i], part(s, first[i], second[i], &after));
    }
    second[40] = POINTS;
    CHECK_EQ(padic_num_tree_lca(NULL, &lca), PADIC_ERROR_ARGUMENT);
    CHECK_EQ(done.done, 40);
    lca.second.shape[0]--;
    CHECK_EQ(padic_num_tree_lca(NULL, &lca), PADIC_ERROR_MISMATCH);
    lca.second.shape[0]++;
    lca.out.dtype = PADIC_U32;
    CHECK_EQ(padic_num_tree_lca(NULL, &lca), PADIC_ERROR_DTYPE);
    // a ball and clusters without anybody who wants their ids or counts
    around.tree = groups.tree = t;
    around.query = s->points;
    around.depth = -9;
    CHECK_EQ(padic_num_tree_ball(NULL, &around), PADIC_OK);
    around.report = &ball;
    CHECK_EQ(padic_num_tree_ball(NULL, &around), PADIC_OK);
    CHECK_EQ(ball.count, POINTS); // all valuations are above
    around.index = POINTS;
    CHECK_EQ(padic_num_tree_ball(NULL, &around), PADIC_ERROR_ARGUMENT);
    CHECK_EQ(ball.count, 0);
    groups.out = padic_tensor_1d(PADIC_U32, first, POINTS);
    groups.depth = -9;
    CHECK_EQ(padic_num_tree_clusters(NULL, &groups), PADIC_OK);
    groups.report = &clusters;
    CHECK_EQ(padic_num_tree_clusters(NULL, &groups), PADIC_OK);
    CHECK_EQ(clusters.count, 1);
    groups.out.shape[0]--;
    CHECK_EQ(padic_num_tree_clusters(NULL, &groups), PADIC_ERROR_MISMATCH);
    CHECK_EQ(clusters.count, 0);
    write.tree = t;
    CHECK_EQ(padic_num_tree_write(NULL, &write), PADIC_ERROR_CAPACITY);
    write.report = &written;
    CHECK_EQ(padic_num_tree_write(NULL, &write), PADIC_ERROR_CAPACITY);
    CHECK(written.size > 48 + 4 * POINTS && written.size <= padic_num_tree_write_size_bound(t));
    drop(s);
}

// Memory of the caller's: the error says what is wrong with it.
TEST(memory_errors)
{
    static const shape what = {3, 12, (padic_num_form)0, 0, PADIC_NUM_RING, 0};
    set *s = make(&what);
    REQUIRE(s != NULL);
    static uint64_t words[1024];
    const uint64_t need = padic_num_tree_size_bound(&s->points, 0);
    padic_num_tree_init_desc init = PADIC_ZERO;
    padic_num_tree_index_desc index = PADIC_ZERO;
    REQUIRE(need < sizeof words - 8);
    init.tree = index.tree = &s->tree;
    init.points = s->points;
    CHECK_EQ(padic_num_tree_init(NULL, &init), PADIC_ERROR_ARGUMENT); // absent
    init.memory = padic_tensor_1d(PADIC_U8, (char *)words + 1, need);
    CHECK_EQ(padic_num_tree_init(NULL, &init), PADIC_ERROR_ALIGNMENT);
    init.memory = padic_tensor_1d(PADIC_U8, words, need - 1);
    CHECK_EQ(padic_num_tree_init(NULL, &init), PADIC_ERROR_CAPACITY);
    init.memory = padic_tensor_1d(PADIC_U64, words, need);
    CHECK_EQ(padic_num_tree_init(NULL, &init), PADIC_ERROR_ARGUMENT);
    init.memory = padic_tensor_2d(PADIC_U8, words, 1, need);
    CHECK_EQ(padic_num_tree_init(NULL, &init), PADIC_ERROR_ARGUMENT);
    CHECK(!s->tree.leaf);
    CHECK_EQ(padic_num_tree_index(NULL, &index), PADIC_ERROR_ARGUMENT); // no tree
    init.memory = padic_tensor_1d(PADIC_U8, words, need);
    CHECK_EQ(padic_num_tree_init(NULL, &init), PADIC_OK);
    CHECK_EQ(num_tree_build(&s->tree, NULL), PADIC_OK);
    CHECK_EQ(padic_num_tree_index(NULL, &index), PADIC_ERROR_ARGUMENT); // no memory
    index.memory = padic_tensor_1d(PADIC_U8, (char *)words + 2, sizeof words - 2);
    CHECK_EQ(padic_num_tree_index(NULL, &index), PADIC_ERROR_ALIGNMENT);
    index.memory = padic_tensor_1d(PADIC_U8, words, 3);
    CHECK_EQ(padic_num_tree_index(NULL, &index), PADIC_ERROR_CAPACITY);
    CHECK(!s->tree.index);
    drop(s);
}

// A stream with more ids than the tree has room for: CAPACITY, and the tree is empty.
TEST(count_over_the_callers_limit)
{
    static const shape what = {3, 12, (padic_num_form)0, 0, PADIC_NUM_FLOAT, 0};
    set *s = make(&what);
    REQUIRE(s != NULL);
    padic_num_tree *t = &s->tree;
    const uint32_t capacity = t->capacity;
    uint8_t bytes[1024];
    size_t size;
    for (uint32_t i = 0; i < 6; i++) CHECK_EQ(num_tree_insert(t, i), PADIC_OK);
    CHECK_EQ(num_tree_write(t, bytes, sizeof bytes, &size), PADIC_OK);
    t->capacity = 5;
    CHECK_EQ(num_tree_read(t, bytes, size), PADIC_ERROR_CAPACITY);
    CHECK(!t->count);
    t->capacity = 6;
    CHECK_EQ(num_tree_read(t, bytes, size), PADIC_OK);
    CHECK(t->count == 6);
    t->capacity = capacity;
    drop(s);
}

// Whatever one field of a tree is changed to, validate refuses it.
TEST(corrupt_links)
{
    static const shape what = {3, 12, (padic_num_form)0, 0, PADIC_NUM_FLOAT, 0};
    set *s = make(&what);
    REQUIRE(s != NULL);
    for (uint32_t i = 0; i < POINTS; i++)
        if (i % 5) CHECK_EQ(num_tree_insert(&s->tree, i), PADIC_OK);
    CHECK_EQ(num_tree_erase(&s->tree, 11), PADIC_OK);
    CHECK_EQ(num_tree_validate(&s->tree), PADIC_OK);
    const size_t size = padic_num_tree_size_bound(&s->points, 0) - 8 - 4 * POINTS;
    uint8_t *const bytes = (uint8_t *)s->tree_memory, *const good = (uint8_t *)malloc(size);
    memcpy(good, bytes, size);
    const size_t in_use = s->tree.used * sizeof(padic_num_tree_node);
    for (int step = 0; step < (test_tiny ? 2000 : 40000); step++) {
        const size_t at = (size_t)(test_random() % size) & ~(size_t)3;
        uint32_t word, old;
        memcpy(&word, bytes + at, 4);
        old = word;
        switch (test_random() % 4) {
        case 0: word = (uint32_t)test_random(); break;
        case 1: word ^= UINT32_C(1) << (test_random() % 32); break;
        case 2: word = (uint32_t)(test_random() % (POINTS + 1)); break;
        default: word = (uint32_t)(test_random() % (POINTS + 1)) | UINT32_C(0x80000000);
        }
        memcpy(bytes + at, &word, 4);
        const int changed = word != old;
        const padic_result r = num_tree_validate(&s->tree);
        // Free nodes keep any bytes but their links.
        const size_t node = at / sizeof(padic_num_tree_node);
        const int spare = at >= in_use && at < POINTS * sizeof(padic_num_tree_node);
        const int freed = at < in_use && !((const padic_num_tree_node *)(void *)good)[node].count;
        if (changed && !spare && !freed) CHECK_EQ(r, PADIC_ERROR_CORRUPT);
        if (!changed) CHECK_EQ(r, PADIC_OK);
        memcpy(bytes, good, size);
    }
    padic_num_tree wrong = s->tree;
    wrong.root = 3;
    CHECK_EQ(num_tree_validate(&wrong), PADIC_ERROR_CORRUPT);
    wrong = s->tree, wrong.count++;
    CHECK_EQ(num_tree_validate(&wrong), PADIC_ERROR_CORRUPT);
    wrong = s->tree, wrong.used = UINT32_MAX;
    CHECK_EQ(num_tree_validate(&wrong), PADIC_ERROR_CORRUPT);
    wrong = s->tree, wrong.free = UINT32_MAX - 5;
    CHECK_EQ(num_tree_validate(&wrong), PADIC_ERROR_CORRUPT);
    padic_num_tree_node *const node = s->tree.node;
    REQUIRE(s->tree.free < s->tree.used && !node[s->tree.free].count);
    wrong = s->tree;
    for (wrong.free = 0; !node[wrong.free].count;) wrong.free++; // a node in use
    CHECK_EQ(num_tree_validate(&wrong), PADIC_ERROR_CORRUPT);
    node[s->tree.free].child[0] = s->tree.free; // for ever
    CHECK_EQ(num_tree_validate(&s->tree), PADIC_ERROR_CORRUPT);
    memcpy(bytes, good, size);
    for (uint32_t i = 0; i < POINTS; i++) { // no numbers any more
        int32_t *const v = (int32_t *)s->points.val.data + i, before = *v;
        *v = PADIC_NUM_NAN;
        CHECK_EQ(num_tree_validate(&s->tree),
                 i % 5 && i != 11 ? PADIC_ERROR_CORRUPT : PADIC_OK);
        *v = before;
    }
    CHECK_EQ(num_tree_validate(&s->tree), PADIC_OK);
    REQUIRE(num_tree_init(&wrong, &s->points, 0, s->tree_memory, 1 << 20) == PADIC_OK);
    wrong.root = 3; // of an empty tree
    CHECK_EQ(num_tree_validate(&wrong), PADIC_ERROR_CORRUPT);
    free(good);
    drop(s);
}

// Threads change no byte; a new smallest valuation changes no other node.
TEST(threads_and_growth)
{
    static const shape what = {257, 6, (padic_num_form)0, 0, PADIC_NUM_FLOAT, 0};
    enum { QUERIES = 20000 };
    set *s = make(&what);
    REQUIRE(s != NULL);
    static uint32_t near[2][QUERIES];
    static uint64_t unit[QUERIES];
    static int32_t val[QUERIES];
    padic_context *context;
    padic_context_desc cd = PADIC_ZERO;
    padic_threads *pool = padic_threads_create(3, NULL);
    REQUIRE(pool != NULL);
    cd.jobs = padic_threads_jobs(pool);
    REQUIRE(padic_context_create(&cd, &context) == PADIC_OK);
    CHECK_EQ(num_tree_build(&s->tree, NULL), PADIC_OK);
    padic_num_tree_nearest_desc d = PADIC_ZERO;
    d.tree = &s->tree;
    d.query.ring = &s->ring;
    d.query.model = PADIC_NUM_FLOAT;
    d.query.count = QUERIES / 2;
    for (uint32_t i = 0; i < QUERIES; i++) {
        val[i] = (int32_t)(test_random() % 9) - 4;
        unit[i] = test_random() % UINT64_C(288136807515649) / 257 * 257 + 1 + test_random() % 256;
    }
    d.query.unit = padic_num_plane_of(PADIC_U64, unit);
    d.query.val = padic_num_plane_of(PADIC_I32, val);
    d.ids = padic_tensor_2d(PADIC_U32, near[0], QUERIES / 2, 2);
    CHECK_EQ(padic_num_tree_nearest(NULL, &d), PADIC_OK);
    d.ids = padic_tensor_2d(PADIC_U32, near[1], QUERIES / 2, 2);
    CHECK_EQ(padic_num_tree_nearest(context, &d), PADIC_OK);
    CHECK(!memcmp(near[0], near[1], sizeof near[0]));
    padic_context_destroy(context);
    padic_threads_destroy(pool);

    CHECK_EQ(num_tree_erase(&s->tree, 0), PADIC_OK);
    const uint32_t root = s->tree.root;
    const padic_num_tree_node before = s->tree.node[root - UINT32_C(0x80000000)];
    const uint64_t digits[6] = {1, 0, 0, 0, 0, 0};
    put_number(&s->points, 0, -1000000, 0, digits);
    CHECK_EQ(num_tree_insert(&s->tree, 0), PADIC_OK);
    const padic_num_tree_node *after = &s->tree.node[root - UINT32_C(0x80000000)];
    CHECK(after->place == before.place && after->child[0] == before.child[0] &&
          after->child[1] == before.child[1] && after->count == before.count);
    CHECK_EQ(num_tree_validate(&s->tree), PADIC_OK);
    drop(s);
}

TEST_MAIN("tree", CASE(same_tree), CASE(ancestors), CASE(index_sizes), CASE(queries),
          CASE(by_hand), CASE(errors), CASE(reports), CASE(memory_errors),
          CASE(count_over_the_callers_limit), CASE(corrupt_links),
          CASE(threads_and_growth))
