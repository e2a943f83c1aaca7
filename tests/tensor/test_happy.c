// Perfect tensors and holographic codes: published counts, entropies and cuts, every interval of
// four codes, erasures, the tableau against the state contracted by sums.
#define PADIC_IMPLEMENTATION
#include "../../padic.h"
#include "../support/happy_calls.h"
#include "../support/padic_test.h"
#include <math.h>

#define LENGTH(x) ((int)(sizeof(x) / sizeof *(x)))

static const double ln2 = 0.69314718055994531;

// A code and its state, in memory of its own.
typedef struct code {
    padic_tensor_happy happy;
    padic_tensor_tableau tableau;
    uint32_t *links;
    uint64_t *rows;
    uint8_t *signs;
} code;

static code make(uint32_t kind, uint32_t layers, const uint8_t *bulk)
{
    code c;
    memset(&c, 0, sizeof c);
    CHECK_EQ(happy_build(NULL, kind, layers, NULL, 0, &c.happy), PADIC_OK);
    const uint64_t words = 6 * (uint64_t)c.happy.tiles;
    c.links = (uint32_t *)malloc((size_t)words * 4);
    CHECK_EQ(happy_build(NULL, kind, layers, c.links, words, &c.happy), PADIC_OK);
    CHECK_EQ(happy_encode(NULL, &c.happy, bulk, NULL, NULL, 0, &c.tableau), PADIC_OK);
    const uint64_t room = (uint64_t)c.tableau.qubits * 2 * c.tableau.words;
    c.rows = (uint64_t *)malloc((size_t)room * 8);
    c.signs = (uint8_t *)malloc(c.tableau.qubits);
    CHECK_EQ(happy_encode(NULL, &c.happy, bulk, c.rows, c.signs, room, &c.tableau), PADIC_OK);
    return c;
}

static void drop(code *c)
{
    free(c->links), free(c->rows), free(c->signs);
}

static void interval(uint64_t part[4], uint32_t begin, uint32_t length, uint32_t legs)
{
    memset(part, 0, 32);
    for (uint32_t i = 0; i < length; i++) {
        const uint32_t q = (begin + i) % legs;
        part[q / 64] |= UINT64_C(1) << q % 64;
    }
}

static uint32_t entropy(const code *c, const uint64_t *part)
{
    uint32_t s = 999;
    CHECK_EQ(happy_entropy(NULL, &c->tableau, part, &s), PADIC_OK);
    return s;
}

static uint32_t cut(const code *c, const uint64_t *part)
{
    uint32_t n = 999;
    CHECK_EQ(happy_cut(NULL, &c->happy, part, &n, NULL, NULL), PADIC_OK);
    return n;
}

TEST(perfect_tensors)
{
    static const padic_dtype dtypes[] = {PADIC_F64, PADIC_C128, PADIC_F32, PADIC_C64};
    static const uint64_t twos[6] = {2, 2, 2, 2, 2, 2};
    padic_tensor_entropy_report s;
    double t[128], deviation = -1;
    for (int k = 0; k < 4; k++) {
        padic_tensor tensor = padic_tensor_nd(dtypes[k], t, 6, twos);
        CHECK_EQ(perfect(NULL, &tensor), PADIC_OK);
        CHECK_EQ(perfect_check(NULL, &tensor, &deviation), PADIC_OK);
        CHECK(deviation <= 1e-15);
        for (uint64_t part = 0; part < 64; part++) {
            padic_tensor_entropy_desc desc = PADIC_ZERO;
            int legs = 0;
            for (int i = 0; i < 6; i++) legs += (int)(part >> i & 1);
            desc.state = tensor, desc.part = part, desc.report = &s;
            CHECK_EQ(padic_tensor_entropy(NULL, &desc), PADIC_OK);
            CHECK_NEAR(s.von_neumann, (legs < 3 ? legs : 6 - legs) * ln2, 1e-12);
        }
    }
    // The definition; and one sign off is seen.
    padic_tensor tensor = padic_tensor_nd(PADIC_F64, t, 6, twos);
    CHECK_EQ(perfect(NULL, &tensor), PADIC_OK);
    for (int b = 0; b < 64; b++) {
        int bits[6], sign = 0;
        for (int i = 0; i < 6; i++) bits[i] = b >> (5 - i) & 1;
        for (int i = 1; i < 6; i++) sign += bits[0] * bits[i] + bits[i] * bits[i % 5 + 1];
        CHECK(t[b] == (sign % 2 ? -.125 : .125));
    }
    t[17] = -t[17];
    CHECK_EQ(perfect_check(NULL, &tensor, &deviation), PADIC_OK);
    CHECK(deviation > .1);
    t[17] = NAN;
    CHECK_EQ(perfect_check(NULL, &tensor, &deviation), PADIC_ERROR_DOMAIN);
    tensor.rank = 5;
    CHECK_EQ(perfect_check(NULL, &tensor, &deviation), PADIC_ERROR_MISMATCH);
    CHECK_EQ(perfect(NULL, &tensor), PADIC_ERROR_MISMATCH);
    CHECK_EQ(padic_tensor_perfect(NULL, NULL), PADIC_ERROR_ARGUMENT);
    // Two legs: a unitary is perfect.
    tensor = padic_tensor_2d(PADIC_F64, t, 2, 2);
    t[0] = t[3] = .6, t[1] = .8, t[2] = -.8;
    CHECK_EQ(perfect_check(NULL, &tensor, &deviation), PADIC_OK);
    CHECK(deviation < 1e-15);
}

// The bulk leg is known from what is left when it shares nothing with what is lost.
TEST(erasures)
{
    code c = make(PADIC_TENSOR_CODE_PENTAGON, 0, NULL);
    int recovered[6] = {0};
    CHECK(c.happy.tiles == 1 && c.happy.legs == 5 && c.tableau.qubits == 6);
    for (uint64_t lost = 0; lost < 32; lost++) {
        const uint64_t with = lost | 32, bulk = 32;
        int n = 0;
        for (int i = 0; i < 5; i++) n += (int)(lost >> i & 1);
        recovered[n] += entropy(&c, &bulk) + entropy(&c, &lost) == entropy(&c, &with);
    }
    CHECK(recovered[1] == 5 && recovered[2] == 10 && recovered[3] == 0);
    drop(&c);
}

TEST(counts)
{
    static const uint32_t want[][2] = {{6, 20},   {21, 55},   {61, 145},
                                       {166, 380}, {441, 995}, {1161, 2605}};
    padic_tensor_happy h = PADIC_ZERO;
    for (uint32_t i = 0; i < 6; i++) {
        CHECK_EQ(happy_build(NULL, PADIC_TENSOR_CODE_PENTAGON, i + 1, NULL, 0, &h), PADIC_OK);
        CHECK(h.tiles == want[i][0] && h.legs == want[i][1]);
    }
    CHECK_EQ(happy_build(NULL, PADIC_TENSOR_CODE_PENTAGON, 8, NULL, 0, &h), PADIC_OK);
    CHECK_NEAR((double)h.tiles / h.legs, 1 / sqrt(5), 2e-3);
    CHECK_EQ(happy_build(NULL, PADIC_TENSOR_CODE_HEXAGON, 1, NULL, 0, &h), PADIC_OK);
    CHECK(h.tiles == 7 && h.legs == 30);
    CHECK_EQ(happy_build(NULL, PADIC_TENSOR_CODE_HEXAGON, 2, NULL, 0, &h), PADIC_OK);
    CHECK(h.tiles == 31 && h.legs == 114);
}

static void profile(const code *c, const int *want, uint32_t count, int by_cut)
{
    for (uint32_t l = 1; l <= count; l++) {
        uint64_t part[4];
        interval(part, 0, l, c->happy.legs);
        CHECK_EQ(by_cut ? cut(c, part) : entropy(c, part), want[l - 1]);
    }
}

TEST(pentagon_profile)
{
    static const int open[20] = {1, 2, 3, 2, 3, 4, 5, 4, 5, 6, 7, 6, 7, 8, 7, 6, 7, 8, 7, 6};
    static const int fixed[10] = {1, 2, 2, 1, 2, 3, 3, 2, 3, 3};
    static const int links[10] = {1, 2, 2, 1, 2, 3, 3, 2, 3, 4};
    uint8_t bulk[6];
    code c = make(PADIC_TENSOR_CODE_PENTAGON, 1, NULL);
    CHECK_EQ(c.tableau.qubits, 26);
    profile(&c, open, 20, 0);
    profile(&c, links, 10, 1);
    drop(&c);
    for (int round = 0; round < 4; round++) { // signs of the bulk do not matter
        for (int t = 0; t < 6; t++) bulk[t] = (uint8_t)(round ? 5 + test_random() % 2 : 5);
        c = make(PADIC_TENSOR_CODE_PENTAGON, 1, bulk);
        CHECK_EQ(c.tableau.qubits, 20);
        profile(&c, fixed, 10, 0);
        drop(&c);
    }
}

// S = cut for every interval of both hexagon codes.
TEST(hexagon)
{
    static const int want[15] = {1, 2, 3, 2, 1, 2, 3, 4, 3, 2, 3, 4, 5, 4, 3};
    for (uint32_t layers = 1; layers <= (test_tiny ? 1u : 2u); layers++) {
        code c = make(PADIC_TENSOR_CODE_HEXAGON, layers, NULL);
        const uint32_t legs = c.happy.legs;
        uint32_t intervals = 0;
        if (layers == 1) profile(&c, want, 15, 0);
        for (uint32_t begin = 0; begin < legs; begin++)
            for (uint32_t l = 1; l <= legs / 2; l++, intervals++) {
                uint64_t part[4];
                interval(part, begin, l, legs);
                CHECK_EQ(entropy(&c, part), cut(&c, part));
            }
        CHECK_EQ(intervals, layers == 1 ? 450 : 6498);
        drop(&c);
    }
}

// Bulk fixed: S <= cut, equal exactly when the wedges of an interval and the rest cover all tiles.
TEST(wedges)
{
    static const uint32_t want[2][4] = {{200, 175, 25, 0}, {1485, 1040, 395, 50}};
    for (uint32_t layers = 1; layers <= 2; layers++) {
        uint8_t bulk[21], inside[21], outside[21], side[21];
        uint32_t edges[64], count[4] = {0, 0, 0, 0};
        memset(bulk, 5, sizeof bulk);
        code c = make(PADIC_TENSOR_CODE_PENTAGON, layers, bulk);
        const uint32_t legs = c.happy.legs;
        for (uint32_t begin = 0; begin < legs; begin++)
            for (uint32_t l = 1; l <= legs / 2; l++) {
                uint64_t part[4], rest[4];
                uint32_t n, s, a, b, both = 0, crossed = 0;
                interval(part, begin, l, legs);
                interval(rest, begin + l, legs - l, legs);
                s = entropy(&c, part);
                CHECK_EQ(happy_cut(NULL, &c.happy, part, &n, side, edges), PADIC_OK);
                CHECK_EQ(happy_wedge(NULL, &c.happy, part, inside, &a), PADIC_OK);
                CHECK_EQ(happy_wedge(NULL, &c.happy, rest, outside, &b), PADIC_OK);
                for (uint32_t t = 0; t < c.happy.tiles; t++) both += inside[t] && outside[t];
                CHECK_EQ(both, 0);
                CHECK_EQ(s, entropy(&c, rest));
                CHECK(s <= n && n - s <= 2);
                CHECK_EQ(s == n, a + b == c.happy.tiles);
                for (uint32_t i = 0; i < 6 * c.happy.tiles; i++) { // what `side` parts is the cut
                    const uint32_t link = c.links[i], q = link - PADIC_TENSOR_HAPPY_LEG;
                    const uint32_t here = side[i / 6];
                    if (link & PADIC_TENSOR_HAPPY_LEG)
                        crossed += here != (part[q / 64] >> q % 64 & 1);
                    else if (!(link & PADIC_TENSOR_HAPPY_BULK))
                        crossed += here && !side[link / 6];
                }
                CHECK_EQ(crossed, n);
                for (uint32_t i = 0; i < n; i++) CHECK(edges[i] < 6 * c.happy.tiles);
                count[0]++;
                if (n - s <= 2) count[1 + n - s]++;
            }
        for (int i = 0; i < 4; i++) CHECK_EQ(count[i], want[layers - 1][i]);
        drop(&c);
    }
}

// The 20-leg code, its bulk in states 0 or 1, contracted tile by tile; entropies of the state.
static void contracted(const uint8_t *bulk, double *x)
{
    double tile[6][32];
    for (int t = 0; t < 6; t++)
        for (int b = 0; b < 32; b++) {
            int sign = 0;
            for (int i = 0; i < 5; i++) {
                const int here = b >> i & 1;
                sign += here * (b >> (i + 1) % 5 & 1) + (bulk[t] == 6 ? here : 0);
            }
            tile[t][b] = sign % 2 ? -1 : 1;
        }
    for (uint32_t i = 0; i < 1u << 20; i++) { // bit q: leg q; a tile's leg k is bit k - 1
        double sum = 0;
        for (uint32_t c = 0; c < 32; c++) {
            double product = tile[0][c];
            for (uint32_t t = 0; t < 5; t++)
                product *= tile[t + 1][(i >> 4 * t & 15) << 1 | (c >> t & 1)];
            sum += product;
        }
        x[i] = sum;
    }
}

// The same by padic_tensor_einsum(): six perfect tensors, their hubs at 0 or 1. 8^6 times as small.
static void by_einsum(const uint8_t *bulk, double *x)
{
    static const uint64_t twos[20] = {2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2};
    static double t[64];
    padic_tensor whole = padic_tensor_nd(PADIC_F64, t, 6, twos);
    padic_tensor_term terms[6];
    padic_tensor_einsum_desc desc = PADIC_ZERO;
    padic_context *context = NULL;
    uint8_t labels[6][5], out[20];
    REQUIRE(!padic_context_create(NULL, &context));
    CHECK_EQ(perfect(NULL, &whole), PADIC_OK);
    memset(terms, 0, sizeof terms);
    for (int k = 0; k < 6; k++) { // the first tile's legs lead to the others' first ones
        terms[k].tensor = padic_tensor_nd(PADIC_F64, t + (bulk[k] == 6 ? 32 : 0), 5, twos);
        terms[k].labels = labels[k];
        for (int leg = 0; leg < 5; leg++)
            labels[k][leg] = (uint8_t)(k == 0     ? 100 + leg
                                       : leg == 0 ? 100 + k - 1
                                                  : 1 + 4 * (k - 1) + leg - 1);
    }
    for (int q = 0; q < 20; q++) out[q] = (uint8_t)(20 - q); // leg 19 first
    desc.operands = terms, desc.count = 6;
    desc.out.tensor = padic_tensor_1d(PADIC_F64, x, UINT64_C(1) << 20);
    desc.out.dims = twos, desc.out.rank = 20, desc.out.labels = out;
    CHECK_EQ(padic_tensor_einsum(context, &desc), PADIC_OK);
    padic_context_destroy(context);
}

TEST(tableau_against_state)
{
    static const uint64_t masks[] = {0x1,  0x3,     0x7,     0xf,    0x10101, 0x1248,
                                     0x3e, 0x80001, 0xc0003, 0x5050, 0x3f,    0x88888};
    static const uint64_t twos[20] = {2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2};
    const uint8_t bulk[6] = {5, 6, 5, 5, 6, 6};
    double *x = (double *)malloc(sizeof *x << 20);
    code c = make(PADIC_TENSOR_CODE_PENTAGON, 1, bulk);
    contracted(bulk, x);
    double *y = (double *)malloc(sizeof *y << 20);
    by_einsum(bulk, y);
    for (int i = 0; i < 1 << 20; i++) CHECK(y[i] * 262144 == x[i]);
    free(y);
    for (int m = 0; m < (test_tiny ? 3 : LENGTH(masks)); m++) {
        padic_tensor_entropy_desc desc = PADIC_ZERO;
        padic_tensor_entropy_report s = {-1, 0, 0, 0};
        desc.state = padic_tensor_1d(PADIC_F64, x, UINT64_C(1) << 20);
        desc.dims = padic_tensor_1d(PADIC_U64, (void *)twos, 20), desc.report = &s;
        for (int q = 0; q < 20; q++) // leg q is axis 19 - q
            desc.part |= (masks[m] >> q & 1) << (19 - q);
        CHECK_EQ(padic_tensor_entropy(NULL, &desc), PADIC_OK);
        CHECK_NEAR(s.von_neumann, entropy(&c, &masks[m]) * ln2, 1e-10);
    }
    // Every row is a stabiliser, signs included: P psi = psi, at some places.
    for (uint32_t r = 0; r < 20; r++) {
        const uint64_t px = c.rows[2 * r], pz = c.rows[2 * r + 1];
        for (int k = 0; k < 200; k++) {
            const uint64_t i = test_random() & 0xfffff;
            int quarter = c.signs[r] ? 2 : 0; // P|i> = i^quarter |i ^ px>
            for (int q = 0; q < 20; q++) {
                const int bx = (int)(px >> q & 1), bz = (int)(pz >> q & 1), b = (int)(i >> q & 1);
                quarter += bx && bz ? 1 + 2 * b : 2 * (bz && b); // Y|b> = i (-1)^b |1 - b>
            }
            CHECK(quarter % 2 == 0);
            CHECK(x[i ^ px] == (quarter % 4 ? -x[i] : x[i]));
        }
    }
    drop(&c), free(x);
}

// A single tile, its input in each state: the opposite eigenstate has the same rows and another
// sign, so it is orthogonal; any two of the five qubits are mixed.
TEST(signs)
{
    for (int state = 1; state <= 6; state++) {
        const uint8_t bulk = (uint8_t)state;
        code c = make(PADIC_TENSOR_CODE_PENTAGON, 0, &bulk), d;
        const uint8_t flipped = (uint8_t)(((state - 1) ^ 1) + 1);
        int differ = 0;
        d = make(PADIC_TENSOR_CODE_PENTAGON, 0, &flipped);
        for (uint32_t r = 0; r < 5; r++) {
            CHECK(!memcmp(c.rows + 2 * r, d.rows + 2 * r, 16));
            differ += c.signs[r] != d.signs[r];
        }
        CHECK(differ > 0);
        for (uint64_t part = 1; part < 31; part++) {
            int n = 0;
            for (int i = 0; i < 5; i++) n += (int)(part >> i & 1);
            CHECK_EQ(entropy(&c, &part), n < 3 ? n : 5 - n);
        }
        drop(&c), drop(&d);
    }
}

TEST(refused)
{
    padic_tensor_happy h = PADIC_ZERO;
    uint32_t links[36], n;
    uint64_t part = 0, rows[26 * 2];
    uint8_t signs[26], inside[6], bulk[6] = {7};
    padic_tensor_tableau t = PADIC_ZERO;
    CHECK_EQ(padic_tensor_happy_build(NULL, NULL), PADIC_ERROR_ARGUMENT);
    CHECK_EQ(happy_build(NULL, 0, 9, NULL, 0, &h), PADIC_ERROR_ARGUMENT);
    CHECK_EQ(happy_build(NULL, 2, 1, NULL, 0, &h), PADIC_ERROR_ARGUMENT);
    CHECK_EQ(happy_build(NULL, 0, 1, links, 35, &h), PADIC_ERROR_CAPACITY);
    CHECK_EQ(h.tiles, 6);
    CHECK_EQ(happy_build(NULL, 0, 1, links, 36, &h), PADIC_OK);
    CHECK_EQ(happy_encode(NULL, &h, bulk, NULL, NULL, 0, &t), PADIC_ERROR_ARGUMENT);
    CHECK_EQ(happy_encode(NULL, &h, NULL, rows, signs, 51, &t), PADIC_ERROR_CAPACITY);
    CHECK(t.qubits == 26 && t.words == 1);
    CHECK_EQ(happy_encode(NULL, &h, NULL, rows, signs, 52, &t), PADIC_OK);
    CHECK_EQ(happy_entropy(NULL, &t, &part, &n), PADIC_OK);
    CHECK_EQ(n, 0);
    part = (UINT64_C(1) << 26) - 1;
    CHECK_EQ(happy_entropy(NULL, &t, &part, &n), PADIC_OK);
    CHECK_EQ(n, 0);
    part = UINT64_C(1) << 26;
    CHECK_EQ(happy_entropy(NULL, &t, &part, &n), PADIC_ERROR_ARGUMENT);
    part = UINT64_C(1) << 20;
    CHECK_EQ(happy_cut(NULL, &h, &part, &n, NULL, NULL), PADIC_ERROR_ARGUMENT);
    CHECK_EQ(happy_wedge(NULL, &h, &part, inside, &n), PADIC_ERROR_ARGUMENT);
    part = (UINT64_C(1) << 20) - 1;
    CHECK_EQ(happy_cut(NULL, &h, &part, &n, NULL, NULL), PADIC_OK);
    CHECK_EQ(n, 0);
    CHECK_EQ(happy_wedge(NULL, &h, &part, inside, &n), PADIC_OK);
    CHECK_EQ(n, 6);
    part = 0;
    CHECK_EQ(happy_cut(NULL, &h, &part, &n, NULL, NULL), PADIC_OK);
    CHECK_EQ(n, 0);
    links[3] = 35; // not what 35 is joined to
    CHECK_EQ(happy_cut(NULL, &h, &part, &n, NULL, NULL), PADIC_ERROR_ARGUMENT);
}

// Arrays: of the documented dtype, dense, long enough, in host memory.
TEST(arrays)
{
    padic_context *context = NULL;
    padic_buffer_desc size = PADIC_ZERO;
    padic_buffer buffer;
    padic_tensor_happy h = PADIC_ZERO;
    padic_tensor_tableau t = PADIC_ZERO;
    uint32_t links[36], edges[12];
    uint64_t rows[64], part[2] = {3, 0};
    uint8_t signs[32], side[8];
    padic_tensor_happy_build_desc build = PADIC_ZERO;
    padic_tensor_happy_encode_desc encode = PADIC_ZERO;
    padic_tensor_happy_entropy_report s;
    padic_tensor_happy_entropy_desc ranks = PADIC_ZERO;
    padic_tensor_happy_cut_report found;
    padic_tensor_happy_cut_desc flow = PADIC_ZERO;
    padic_tensor_happy_wedge_desc wedge = PADIC_ZERO;
    size.size = 1024;
    REQUIRE(padic_context_create(NULL, &context) == PADIC_OK);
    REQUIRE(padic_buffer_create(context, &size, &buffer) == PADIC_OK);
    build.layers = 1, build.out = &h, build.links = padic_tensor_2d(PADIC_U32, links, 6, 6);
    encode.happy = &h, encode.out = &t, encode.rows = padic_tensor_3d(PADIC_U64, rows, 26, 2, 1);
    encode.signs = padic_tensor_1d(PADIC_U8, signs, 26);
    memset(side, 0, sizeof side);
    encode.bulk = padic_tensor_1d(PADIC_U8, side, 6);
    ranks.tableau = &t, ranks.part = padic_tensor_1d(PADIC_U64, part, 1), ranks.report = &s;
    flow.happy = &h, flow.part = ranks.part, flow.report = &found;
    flow.side = padic_tensor_1d(PADIC_U8, side, 6);
    flow.edges = padic_tensor_1d(PADIC_U32, edges, 10);
    wedge.happy = &h, wedge.part = ranks.part, wedge.out = flow.side;
#define ARRAY(CALL, DESC, FIELD, FEW)                                            \
    do {                                                                         \
        const padic_tensor keep = (DESC).FIELD;                                  \
        CHECK_EQ(CALL(context, &(DESC)), PADIC_OK);                              \
        (DESC).FIELD.dtype = PADIC_F64;                                          \
        CHECK_EQ(CALL(context, &(DESC)), PADIC_ERROR_DTYPE);                     \
        CHECK(strstr(padic_context_message(context), #FIELD));                   \
        (DESC).FIELD = keep;                                                     \
        (DESC).FIELD.data = NULL, (DESC).FIELD.buffer = buffer;                  \
        CHECK_EQ(CALL(context, &(DESC)), PADIC_ERROR_NOT_SUPPORTED);             \
        CHECK(strstr(padic_context_message(context), #FIELD " is not in host")); \
        (DESC).FIELD = keep;                                                     \
        (DESC).FIELD.shape[0]--;                                                 \
        CHECK_EQ(CALL(context, &(DESC)), FEW);                                   \
        (DESC).FIELD = keep;                                                     \
        CHECK_EQ(CALL(context, &(DESC)), PADIC_OK);                              \
    } while (0)
    ARRAY(padic_tensor_happy_build, build, links, PADIC_ERROR_CAPACITY);
    build.links.stride[0] = 12, build.links.stride[1] = 2; // gaps
    build.links.shape[0] = 3;
    CHECK_EQ(padic_tensor_happy_build(context, &build), PADIC_ERROR_ARGUMENT);
    build.links = padic_tensor_1d(PADIC_U32, (char *)links + 2, 36);
    CHECK_EQ(padic_tensor_happy_build(context, &build), PADIC_ERROR_ALIGNMENT);
    build.links = padic_tensor_1d(PADIC_U32, links, 36);
    CHECK_EQ(padic_tensor_happy_build(context, &build), PADIC_OK);
    CHECK(h.links.rank == 2 && h.links.shape[0] == 6 && h.links.shape[1] == 6);
    ARRAY(padic_tensor_happy_encode, encode, bulk, PADIC_ERROR_MISMATCH);
    ARRAY(padic_tensor_happy_encode, encode, rows, PADIC_ERROR_CAPACITY);
    ARRAY(padic_tensor_happy_encode, encode, signs, PADIC_ERROR_CAPACITY);
    CHECK(t.rows.rank == 3 && t.rows.shape[0] == 26 && t.rows.data == rows);
    CHECK(t.signs.shape[0] == 26 && t.signs.data == signs);
    ARRAY(padic_tensor_happy_entropy, ranks, part, PADIC_ERROR_MISMATCH);
    t.rows.shape[0]--;
    CHECK_EQ(padic_tensor_happy_entropy(context, &ranks), PADIC_ERROR_MISMATCH);
    t.rows.data = NULL, t.rows.buffer = buffer;
    CHECK_EQ(padic_tensor_happy_entropy(context, &ranks), PADIC_ERROR_NOT_SUPPORTED);
    h.links.data = NULL, h.links.buffer = buffer;
    CHECK_EQ(padic_tensor_happy_cut(context, &flow), PADIC_ERROR_NOT_SUPPORTED);
    CHECK_EQ(padic_tensor_happy_build(context, &build), PADIC_OK);
    ARRAY(padic_tensor_happy_cut, flow, part, PADIC_ERROR_MISMATCH);
    ARRAY(padic_tensor_happy_cut, flow, side, PADIC_ERROR_CAPACITY);
    flow.edges.shape[0] = 2; // the links of legs 0 and 1
    ARRAY(padic_tensor_happy_cut, flow, edges, PADIC_ERROR_CAPACITY);
    CHECK_EQ(found.cut, 2);
    ARRAY(padic_tensor_happy_wedge, wedge, part, PADIC_ERROR_MISMATCH);
    ARRAY(padic_tensor_happy_wedge, wedge, out, PADIC_ERROR_CAPACITY);
    padic_context_destroy(context);
#undef ARRAY
}

TEST_MAIN("test_happy", CASE(perfect_tensors), CASE(erasures), CASE(counts), CASE(pentagon_profile),
          CASE(hexagon), CASE(wedges), CASE(tableau_against_state), CASE(signs), CASE(refused),
          CASE(arrays))
