// test_num_exact.c: precision, change of prime, rational reconstruction, exact linear algebra.
//
//     cc -O1 tests/num/test_num_exact.c -o t -lm -lpthread && ./t          FULL=1: more turns

#define PADIC_IMPLEMENTATION
#include "../../padic.h"
#include "../../backends/padic_threads.h"
#include "num_oracle.h"
#include "../support/padic_test.h"
#include "../support/num_calls.h"
#include "num_cases.h"

static size_t pick(size_t n) { return (size_t)(test_random() % n); }
static int turns(int n) { return test_tiny ? (n + 7) / 8 : test_full() ? 8 * n : n; }

// Integer i of `count` from planes of words in two's complement.
static void word_integer(big *out, const uint64_t *plane, size_t i, size_t count, size_t words)
{
    const int negative = plane[(words - 1) * count + i] >> 63 != 0;
    uint64_t carry = 1;
    big_u64(out, 0);
    for (size_t k = 0; k < words; k++) {
        uint64_t w = plane[k * count + i];
        if (negative) {
            const uint64_t low = ~w + carry;
            carry = carry && !w;
            w = low;
        }
        out->w[2 * k] = (uint32_t)w;
        out->w[2 * k + 1] = (uint32_t)(w >> 32);
    }
    out->n = (int)(2 * words);
    out->neg = negative;
    big_trim(out);
}

static int big_is(const big *a, int64_t x)
{
    big b;
    big_i64(&b, x);
    return !big_cmp(a, &b);
}

// Does it fit into `words` words of two's complement?
static int fits(const big *a, int words)
{
    big most;
    big_u64(&most, 1);
    big_shift_left(&most, &most, 64 * words - 1);
    return big_cmp_abs(a, &most) < (a->neg ? 1 : 0);
}

// ---- reconstruction

// Every fraction within the bounds, and no other residue, for every guard.
TEST(exhaustive)
{
    static const struct {
        uint64_t p;
        uint32_t n;
        int accepted[3];
    } cases[] = {{2, 12, {1679, 829, 395}}, {3, 8, {2977, 1023, 363}}, {5, 6, {7887, 1585, 321}},
                 {7, 5, {8877, 1279, 207}}, {257, 2, {40239, 167, -1}}};
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++)
        for (uint32_t guard = 0; guard < 3 && cases[c].accepted[guard] >= 0; guard++) {
            padic_num_ring ring;
            REQUIRE(!padic_num_ring_init(&ring, cases[c].p, cases[c].n, NULL));
            const int64_t p = (int64_t)cases[c].p, P = (int64_t)ring.modulus[0];
            int64_t limit = P, most = 0, *due = (int64_t *)calloc((size_t)P * 2, 8);
            uint8_t *status = (uint8_t *)malloc((size_t)P);
            int64_t *n = (int64_t *)malloc((size_t)P * 8), *d = (int64_t *)malloc((size_t)P * 8);
            int accepted = 0, wrong_ones = 0;
            narr x;
            for (uint32_t g = 0; g < guard; g++) limit /= p;
            while (2 * (most + 1) * (most + 1) < limit) most++;
            for (int64_t b = 1; b <= most; b++) // all n / d, by search
                for (int64_t a = -most; a <= most && b % p; a++) {
                    int64_t u = 0, inverse = 1, s = a < 0 ? -a : a, t = b;
                    while (t) {
                        const int64_t rest = s % t;
                        s = t;
                        t = rest;
                    }
                    if (s != 1) continue;
                    t = b;
                    for (int64_t m = P, x0 = 0; t > 1;) { // b^-1 mod P
                        const int64_t q = t / m, rest = t % m, x1 = inverse - q * x0;
                        t = m;
                        m = rest;
                        inverse = x0;
                        x0 = x1;
                    }
                    u = ((a % P + P) % P) * ((inverse % P + P) % P) % P;
                    wrong_ones += due[2 * u + 1] != 0; // unique
                    due[2 * u] = a;
                    due[2 * u + 1] = b;
                }
            narr_new(&x, &ring, O_RING, (size_t)P, 0);
            for (int64_t u = 0; u < P; u++) narr_set_word(&x, (size_t)u, (uint64_t)u);
            padic_num_to_rational_desc desc = PADIC_ZERO;
            desc.in = x.a;
            desc.guard = guard ? guard : PADIC_NUM_RATIONAL_NO_GUARD;
            desc.numerator = padic_tensor_1d(PADIC_I64, n, (uint64_t)P);
            desc.denominator = padic_tensor_1d(PADIC_I64, d, (uint64_t)P);
            desc.status = padic_tensor_1d(PADIC_U8, status, (uint64_t)P);
            CHECK_EQ(padic_num_to_rational(NULL, &desc), PADIC_OK);
            for (int64_t u = 0; u < P; u++) {
                accepted += d[u] != 0;
                wrong_ones += n[u] != due[2 * u] || d[u] != due[2 * u + 1] ||
                              status[u] != (d[u] ? 0 : PADIC_NUM_RATREC);
            }
            CHECK_EQ(wrong_ones, 0);
            CHECK_EQ(accepted, cases[c].accepted[guard]);
            narr_free(&x);
            free(due);
            free(status);
            free(n);
            free(d);
        }
}

// A number too large for its digits is told with the probability of the comment.
TEST(overflow)
{
    enum { COUNT = 100000 };
    const size_t count = test_tiny ? 5000 : COUNT;
    const double six = 6 / 9.8696044010893586 * 257 / 258;
    static int64_t n[COUNT], d[COUNT];
    padic_num_ring ring;
    narr x;
    REQUIRE(!padic_num_ring_init(&ring, 257, 6, NULL));
    narr_new(&x, &ring, O_RING, count, 0);
    for (size_t i = 0; i < count; i++) narr_set_word(&x, i, test_random() % ring.modulus[0]);
    for (uint32_t guard = 0; guard < 3; guard++) {
        const double rate = guard == 0 ? six : guard == 1 ? six / 257 : six / 257 / 257;
        double spread = (double)count * rate * (1 - rate), step = 1;
        uint32_t sticky = 0;
        size_t accepted = 0;
        padic_num_to_rational_desc desc = PADIC_ZERO;
        desc.in = x.a;
        desc.guard = guard ? guard : PADIC_NUM_RATIONAL_NO_GUARD;
        desc.numerator = padic_tensor_1d(PADIC_I64, n, count);
        desc.denominator = padic_tensor_1d(PADIC_I64, d, count);
        CHECK_EQ(padic_num_to_rational(NULL, &desc), PADIC_ERROR_DOMAIN); // nothing is silent
        desc.sticky = &sticky;
        CHECK_EQ(padic_num_to_rational(NULL, &desc), PADIC_OK);
        CHECK_EQ(sticky, PADIC_NUM_RATREC);
        for (size_t i = 0; i < count; i++) accepted += d[i] != 0;
        while (step * step < spread) step *= 1.05;
        CHECK_NEAR(accepted, (double)count * rate, 4 * step + 1);
    }
    narr_free(&x);
}

static const ring_case exact_rings[] = {
    {257, 6, PADIC_NUM_W49},    {2, 53, PADIC_NUM_B2},    {2, 64, PADIC_NUM_B2},
    {2, 20, PADIC_NUM_W32},     {2, 30, PADIC_NUM_W128},  {2, 126, PADIC_NUM_W128},
    {2, 200, PADIC_NUM_RX},     {3, 20, PADIC_NUM_W32},   {3, 31, PADIC_NUM_W64},
    {3, 80, PADIC_NUM_W128},    {3, 9, PADIC_NUM_RX},     {5, 27, PADIC_NUM_W64},
    {7, 22, PADIC_NUM_W64},     {65537, 3, PADIC_NUM_W49}, {4294967291u, 2, PADIC_NUM_W64},
    {UINT64_C(2305843009213693951), 1, PADIC_NUM_W64},
    {UINT64_C(9223372036854775783), 2, PADIC_NUM_W128},
    {UINT64_C(562949953421231), 4, PADIC_NUM_RX}, {257, 64, PADIC_NUM_RX}, {5, 300, PADIC_NUM_RX}};
enum { EXACT_RINGS = (int)(sizeof exact_rings / sizeof *exact_rings) };

static int exact_ring(padic_num_ring *ring, oring *r, int i)
{
    form_case f = {"", exact_rings[i].form, (uint32_t)(i % 3 == 2 && exact_rings[i].p < 1u << 31)};
    if (!ring_in(ring, exact_rings[i].p, exact_rings[i].N, &f)) return 0;
    o_ring(r, exact_rings[i].p, exact_rings[i].N);
    return 1;
}

// A number that is a fraction with about `bits` bits in both, or any.
static void fraction_num(const oring *r, int model, onum *x, int bits)
{
    big n, d;
    if (test_random() % 3 == 0) {
        random_num(r, model, x);
        return;
    }
    big_u64(&n, test_random() >> (test_random() % 64));
    big_u64(&d, 1 + (test_random() >> (1 + test_random() % 63)));
    for (int k = 64; k < bits; k += 64) {
        big t;
        big_shift_left(&n, &n, 64);
        big_u64(&t, test_random());
        big_add(&n, &n, &t);
    }
    n.neg = n.n && test_random() % 2;
    o_rational(r, model, x, &n, &d, model == O_RING ? 0 : (int64_t)(test_random() % 9) - 4);
    x->status = 0;
    if (model == O_RING && x->kind != O_FINITE) o_int(r, model, x, 1);
    if (model == O_BALL && x->kind == O_FINITE && x->n && test_random() % 3 == 0) {
        x->n = 1 + (uint32_t)(test_random() % x->n);
        big_mod(&x->u, &x->u, &r->pw[x->n]);
    }
}

// What padic_num_to_rational() owes for x, bounds n and d: +-n p^v / d. The status.
static unsigned rational_due(const oring *r, int model, const onum *x, uint32_t guard,
                             const big *most_n, const big *most_d, int words, big *n, big *d)
{
    const uint32_t digits = model == O_BALL ? x->n : r->N;
    big bound_n, bound_d, half, power, prime;
    unsigned status = 0;
    big_u64(n, 0);
    big_u64(d, x->kind == O_ZERO);
    if (x->kind == O_NAN) return (unsigned)big_low(&x->u);
    if (x->kind == O_ZERO) return 0;
    if (digits <= guard) return O_RATREC;
    big_copy(&bound_n, most_n);
    big_copy(&bound_d, most_d);
    big_u64(&power, 2);
    big_sub(&half, &r->pw[digits - guard], &r->pw[0]);
    big_divide(&half, NULL, &half, &power);
    if (!bound_n.n && !bound_d.n) {
        o_bound(r, &bound_n, digits - guard);
        big_copy(&bound_d, &bound_n);
    }
    if (!bound_n.n && bound_d.n) big_divide(&bound_n, NULL, &half, &bound_d);
    if (!bound_d.n && bound_n.n) big_divide(&bound_d, NULL, &half, &bound_n);
    big_mul(&power, &bound_n, &bound_d);
    if (big_cmp(&power, &half) > 0 || (!power.n && (most_n->n || most_d->n))) return O_RATREC;
    if (!o_reconstruct(r, n, d, &x->u, digits, &bound_n, &bound_d)) {
        status = O_RATREC;
    } else if (x->v) {
        big_u64(&prime, r->p);
        if (x->v > 1000 || x->v < -1000) {
            status = O_RANGE;
        } else {
            big_power(&power, &prime, (uint64_t)(x->v < 0 ? -x->v : x->v));
            big_mul(x->v < 0 ? d : n, x->v < 0 ? d : n, &power);
        }
    }
    if (!status && (!fits(n, words) || !fits(d, words))) status = O_RANGE;
    if (status) big_u64(n, 0);
    if (status) big_u64(d, 0);
    return status;
}

// All forms and models, guards and bounds, against Euclid with big integers.
TEST(fractions)
{
    enum { COUNT = 41 };
    for (int i = 0; i < EXACT_RINGS; i++)
        for (int model = O_RING; model <= O_BALL; model++)
            for (int turn = 0; turn < turns(8); turn++) {
                const int words = 1 + (int)(test_random() % 3) * (1 + (int)(test_random() % 12));
                const uint32_t guard = (uint32_t)(turn % 3);
                padic_num_ring ring;
                oring r;
                narr x;
                onum in[COUNT];
                uint64_t *n = (uint64_t *)malloc(COUNT * 8 * (size_t)words);
                uint64_t *d = (uint64_t *)malloc(COUNT * 8 * (size_t)words);
                uint8_t status[COUNT];
                big most_n, most_d, due_n, due_d, got;
                int bad = 0;
                REQUIRE(exact_ring(&ring, &r, i));
                narr_new(&x, &ring, model, COUNT, turn % 4 == 3 ? NARR_VAL16 : 0);
                if (turn % 4 == 3) r.limit = PADIC_NUM_MAX_VALUATION16;
                for (int k = 0; k < COUNT; k++) {
                    fraction_num(&r, model, &in[k], 1 + (int)(test_random() % (ring.bits / 2 + 1)));
                    o_pack(&x, (size_t)k, &in[k]);
                }
                padic_num_to_rational_desc desc = PADIC_ZERO;
                desc.in = x.a;
                desc.guard = guard == 1 ? 0 : guard ? guard : PADIC_NUM_RATIONAL_NO_GUARD;
                if (turn % 5 == 1 || turn % 5 == 3)
                    desc.denominator_limit[0] = 1 + (test_random() >> (44 + test_random() % 20));
                if (turn % 5 == 2 || turn % 5 == 3)
                    desc.numerator_limit[0] = 1 + (test_random() >> (44 + test_random() % 20));
                big_u64(&most_n, desc.numerator_limit[0]);
                big_u64(&most_d, desc.denominator_limit[0]);
                desc.status = padic_tensor_1d(PADIC_U8, status, COUNT);
                desc.numerator = padic_tensor_2d(PADIC_U64, n, (uint64_t)words, COUNT);
                desc.denominator = padic_tensor_2d(PADIC_U64, d, (uint64_t)words, COUNT);
                if (words == 1) {
                    desc.numerator = padic_tensor_1d(PADIC_I64, n, COUNT);
                    desc.denominator = padic_tensor_1d(PADIC_I64, d, COUNT);
                }
                const padic_result result = padic_num_to_rational(NULL, &desc);
                big_mul(&due_n, &most_n, most_d.n ? &most_d : &r.pw[0]);
                if (!due_n.n) big_copy(&due_n, &most_d);
                big_add(&due_n, &due_n, &due_n);
                if (due_n.n && (r.N <= guard || big_cmp(&due_n, &r.pw[r.N - guard]) >= 0)) {
                    CHECK_EQ(result, PADIC_ERROR_ARGUMENT);
                } else {
                    CHECK_EQ(result, PADIC_OK);
                    for (int k = 0; k < COUNT; k++) {
                        const unsigned due = rational_due(&r, model, &in[k], guard, &most_n,
                                                          &most_d, words, &due_n, &due_d);
                        bad += due != status[k];
                        word_integer(&got, n, (size_t)k, COUNT, (size_t)words);
                        bad += big_cmp(&got, &due_n) != 0;
                        word_integer(&got, d, (size_t)k, COUNT, (size_t)words);
                        bad += big_cmp(&got, &due_d) != 0;
                    }
                }
                if (bad) printf("\n ring %d model %d turn %d words %d", i, model, turn, words);
                CHECK_EQ(bad, 0);
                narr_free(&x);
                o_ring_free(&r);
                free(n);
                free(d);
            }
}

// An array of fractions with denominators > 0, by from_rational.
static void fractions_new(narr *x, const padic_num_ring *ring, int model, const int64_t *n,
                          const int64_t *d, size_t count)
{
    padic_num_from_rational_desc from = PADIC_ZERO;
    narr_new(x, ring, model, count, 0);
    from.out = x->a;
    from.numerator = padic_tensor_1d(PADIC_I64, (void *)(uintptr_t)n, count);
    from.denominator = padic_tensor_1d(PADIC_I64, (void *)(uintptr_t)d, count);
    CHECK_EQ(padic_num_from_rational(NULL, &from), PADIC_OK);
}

TEST(integers)
{
    static int64_t n[2001], d[2001], m[2001], one[2001];
    for (int i = 0; i < 2001; i++) n[i] = i - 1000;
    for (int i = 0; i < 2001; i++) one[i] = 1;
    for (int i = 0; i < EXACT_RINGS; i++)
        for (int model = O_RING; model <= O_BALL; model++) {
            padic_num_ring ring;
            oring r;
            narr x;
            int bad = 0;
            REQUIRE(exact_ring(&ring, &r, i));
            if (ring.bits > 31) {
                fractions_new(&x, &ring, model, n, one, 2001);
                padic_num_to_rational_desc desc = PADIC_ZERO;
                desc.in = x.a;
                desc.guard = r.N == 1 ? PADIC_NUM_RATIONAL_NO_GUARD : 0;
                desc.numerator = padic_tensor_1d(PADIC_I64, m, 2001);
                desc.denominator = padic_tensor_1d(PADIC_I64, d, 2001);
                CHECK_EQ(padic_num_to_rational(NULL, &desc), PADIC_OK);
                for (int k = 0; k < 2001; k++) bad += m[k] != n[k] || d[k] != 1;
                CHECK_EQ(bad, 0);
                narr_free(&x);
            }
            o_ring_free(&r);
        }
}

TEST(common_denominator)
{
    static const int64_t n[6] = {1, -1, 5, 0, 7, 22}, d[6] = {6, 10, 4, 3, 1, 15};
    int64_t a[6], b[6];
    uint8_t status[6];
    static const ring_case rings[3] = {{257, 6, PADIC_NUM_W49}, {3, 80, PADIC_NUM_W128},
                                       {5, 100, PADIC_NUM_RX}};
    for (int i = 0; i < 3; i++) {
        padic_num_ring ring;
        narr x;
        padic_num_to_rational_desc desc = PADIC_ZERO;
        REQUIRE(!padic_num_ring_init(&ring, rings[i].p, rings[i].N, NULL));
        fractions_new(&x, &ring, O_FLOAT, n, d, 6);
        desc.in = x.a;
        desc.mode = PADIC_NUM_RATIONAL_COMMON;
        desc.numerator = padic_tensor_1d(PADIC_I64, a, 6);
        desc.denominator = padic_tensor_1d(PADIC_I64, b, 6);
        desc.status = padic_tensor_1d(PADIC_U8, status, 6);
        CHECK_EQ(padic_num_to_rational(NULL, &desc), PADIC_OK);
        for (int k = 0; k < 6; k++) {
            CHECK_EQ(b[k], 60);
            CHECK_EQ(a[k] * d[k], n[k] * 60);
            CHECK_EQ(status[k], 0);
        }
        desc.vector = 3;
        CHECK_EQ(padic_num_to_rational(NULL, &desc), PADIC_OK);
        CHECK_EQ(b[0], 60);
        CHECK_EQ(a[0], 10);
        CHECK_EQ(a[2], 75);
        CHECK_EQ(b[5], 15);
        CHECK_EQ(a[4], 105);
        desc.denominator_limit[0] = 5; // of the units
        CHECK_EQ(padic_num_to_rational(NULL, &desc), PADIC_OK);
        CHECK_EQ(status[0], PADIC_NUM_RATREC);
        CHECK_EQ(b[0], 0);
        CHECK_EQ(b[5], rings[i].p == 257 ? 0 : 15); // 3 or 5 is in p^v
        desc.vector = 4;
        CHECK_EQ(padic_num_to_rational(NULL, &desc), PADIC_ERROR_MISMATCH);
        narr_free(&x);
    }
}

TEST(fixed_denominator)
{
    static const int64_t n[6] = {1, -1, 5, 0, 7, 22}, d[6] = {8, 10, 4, 3, 1, 7};
    int64_t a[6], b[6];
    uint8_t status[6];
    for (int i = 0; i < 3; i++) {
        padic_num_ring ring;
        narr x;
        padic_num_to_rational_desc desc = PADIC_ZERO;
        REQUIRE(!padic_num_ring_init(&ring, i == 2 ? 5 : 257, i == 1 ? 64 : 6, NULL));
        fractions_new(&x, &ring, O_FLOAT, n, d, 6);
        desc.in = x.a;
        desc.mode = PADIC_NUM_RATIONAL_FIXED;
        desc.fixed[0] = 1000;
        desc.numerator_limit[0] = 3000; // of the units
        desc.numerator = padic_tensor_1d(PADIC_I64, a, 6);
        desc.status = padic_tensor_1d(PADIC_U8, status, 6);
        CHECK_EQ(padic_num_to_rational(NULL, &desc), i == 2 ? PADIC_ERROR_ARGUMENT : PADIC_OK);
        if (i == 2) desc.numerator_limit[0] = 1500; // below 5^5 / 2
        desc.denominator = padic_tensor_1d(PADIC_I64, b, 6);
        CHECK_EQ(padic_num_to_rational(NULL, &desc), PADIC_OK);
        for (int k = 0; k < 6; k++) {
            const int there = k < 4; // 7000 and 22000 / 7 are out
            CHECK_EQ(status[k], there || (i == 2 && k == 4) ? 0 : PADIC_NUM_RATREC);
            CHECK_EQ(b[k], status[k] ? 0 : 1000);
            CHECK_EQ(a[k], status[k] ? 0 : n[k] * 1000 / d[k]);
        }
        desc.fixed[0] = 0;
        CHECK_EQ(padic_num_to_rational(NULL, &desc), PADIC_ERROR_ARGUMENT);
        narr_free(&x);
    }
}

// A tiny denominator and a huge numerator, or the reverse, without bounds.
TEST(largest_quotient)
{
    static const int64_t n[4] = {3, 1000000007, -123456789012, 0};
    static const int64_t d[4] = {200000000003, 2, 5, 1};
    int64_t a[4], b[4];
    uint8_t status[4];
    for (int i = 0; i < 2; i++) {
        padic_num_ring ring;
        narr x;
        padic_num_to_rational_desc desc = PADIC_ZERO;
        REQUIRE(!padic_num_ring_init(&ring, 257, i ? 30 : 8, NULL));
        fractions_new(&x, &ring, O_RING, n, d, 4);
        desc.in = x.a;
        desc.mode = PADIC_NUM_RATIONAL_QUOTIENT;
        desc.numerator = padic_tensor_1d(PADIC_I64, a, 4);
        desc.denominator = padic_tensor_1d(PADIC_I64, b, 4);
        desc.status = padic_tensor_1d(PADIC_U8, status, 4);
        CHECK_EQ(padic_num_to_rational(NULL, &desc), PADIC_OK);
        for (int k = 0; k < 4; k++) {
            CHECK_EQ(status[k], 0);
            CHECK_EQ(a[k], n[k]);
            CHECK_EQ(b[k], d[k]);
        }
        desc.quotient = UINT64_MAX - 1; // nothing but 0 is so clear
        CHECK_EQ(padic_num_to_rational(NULL, &desc), PADIC_OK);
        CHECK_EQ(status[1], i ? 0 : PADIC_NUM_RATREC);
        CHECK_EQ(status[3], 0);
        narr_free(&x);
    }
}

TEST(rational_errors)
{
    int64_t n[4], d[4];
    padic_num_ring ring, radix;
    narr x;
    padic_num_to_rational_desc desc = PADIC_ZERO;
    REQUIRE(!padic_num_ring_init(&ring, 257, 64, NULL));
    REQUIRE(!padic_num_ring_init_radix(&radix, 10, 6, NULL));
    narr_new(&x, &ring, O_RING, 4, 0);
    CHECK_EQ(padic_num_to_rational(NULL, NULL), PADIC_ERROR_ARGUMENT);
    CHECK_EQ(padic_num_to_rational(NULL, &desc), PADIC_ERROR_ARGUMENT);
    memset(x.unit, 0, 32 * ring.words * 8);
    desc.in = x.a;
    desc.denominator = padic_tensor_1d(PADIC_I64, d, 4);
    CHECK(padic_num_to_rational(NULL, &desc) != PADIC_OK); // no numerators
    desc.numerator = padic_tensor_1d(PADIC_I64, n, 3);
    CHECK_EQ(padic_num_to_rational(NULL, &desc), PADIC_ERROR_MISMATCH);
    desc.numerator = padic_tensor_1d(PADIC_F64, n, 4);
    CHECK_EQ(padic_num_to_rational(NULL, &desc), PADIC_ERROR_DTYPE);
    desc.numerator = padic_tensor_1d(PADIC_I64, d, 4);
    CHECK_EQ(padic_num_to_rational(NULL, &desc), PADIC_ERROR_OVERLAP);
    desc.numerator = padic_tensor_1d(PADIC_I64, n, 4);
    desc.in.workspace = NULL;
    CHECK_EQ(padic_num_to_rational(NULL, &desc), PADIC_ERROR_CAPACITY);
    desc.in.ring = &radix;
    CHECK_EQ(padic_num_to_rational(NULL, &desc), PADIC_ERROR_NOT_SUPPORTED);
    desc.in = x.a;
    CHECK_EQ(padic_num_to_rational(NULL, &desc), PADIC_OK);
    CHECK_EQ(n[3], 0);
    CHECK_EQ(d[3], 1);
    narr_free(&x);
}

// ---- precision and prime

TEST(precision)
{
    enum { COUNT = 37 };
    static const uint64_t primes[] = {2, 3, 257, 65537};
    static const uint32_t digits[] = {1, 3, 7, 15, 31, 62, 120, 300};
    static const int form[] = {0, 5, 6, 7};
    for (int turn = 0; turn < turns(300); turn++) {
        const uint64_t p = primes[test_random() % 4];
        const int model = (int)(test_random() % 3);
        padic_num_ring a, b;
        oring from, to;
        narr x, y;
        onum in, due, got;
        const form_case *fa = &forms[form[test_random() % 4]];
        const form_case *fb = &forms[form[test_random() % 4]];
        if (!ring_in(&a, p, digits[test_random() % 8], fa)) continue;
        if (!ring_in(&b, p, digits[test_random() % 8], fb)) continue;
        o_ring(&from, p, a.precision);
        o_ring(&to, p, b.precision);
        const place at = {fb->name, "set_precision", &to, model, a.precision};
        narr_new(&x, &a, model, COUNT, 0);
        narr_new(&y, &b, model, COUNT, 0);
        narr_workspace(&y, padic_num_workspace(&a));
        for (size_t k = 0; k < COUNT; k++) {
            random_num(&from, model, &in);
            o_pack(&x, k, &in);
        }
        CHECK_EQ(padic_num_set_precision(NULL, &y.a, &x.a), PADIC_OK);
        for (size_t k = 0; k < COUNT; k++) {
            o_unpack(&x, k, &in);
            o_set_precision(&to, &from, model, &due, &in);
            o_unpack(&y, k, &got);
            if (model == O_FLOAT) due.n = got.n;
            CHECK(right(&at, &in, NULL, NULL, &due, &got));
        }
        narr_free(&x);
        narr_free(&y);
        o_ring_free(&from);
        o_ring_free(&to);
    }
}

TEST(prime)
{
    enum { COUNT = 31 };
    for (int turn = 0; turn < turns(200); turn++) {
        const int from_model = (int)(test_random() % 3), model = (int)(test_random() % 3);
        padic_num_ring a, b;
        oring from, to;
        narr x, y;
        onum in, due, got;
        big zero, n, d;
        big_u64(&zero, 0);
        REQUIRE(exact_ring(&a, &from, (int)(test_random() % EXACT_RINGS)));
        REQUIRE(exact_ring(&b, &to, (int)(test_random() % EXACT_RINGS)));
        const place at = {"", "change_prime", &to, model, (int64_t)from.p};
        narr_new(&x, &a, from_model, COUNT, 0);
        narr_new(&y, &b, model, COUNT, 0);
        narr_workspace(&y, padic_num_workspace(&a));
        for (size_t k = 0; k < COUNT; k++) {
            fraction_num(&from, from_model, &in, 1 + (int)(test_random() % (a.bits / 2 + 1)));
            if (in.v > 300 || in.v < -300) in.v = 2;
            o_pack(&x, k, &in);
        }
        CHECK_EQ(padic_num_change_prime(NULL, &y.a, &x.a), PADIC_OK);
        for (size_t k = 0; k < COUNT; k++) {
            o_unpack(&x, k, &in);
            const unsigned status =
                rational_due(&from, from_model, &in, 1, &zero, &zero, 140, &n, &d);
            if (status) o_fail(model, &due, status);
            else o_rational(&to, model, &due, &n, &d, 0);
            o_unpack(&y, k, &got);
            if (model == O_FLOAT) due.n = got.n;
            CHECK(right(&at, &in, NULL, NULL, &due, &got));
        }
        narr_free(&x);
        narr_free(&y);
        o_ring_free(&from);
        o_ring_free(&to);
    }
}

TEST(precision_errors)
{
    padic_num_ring a, b, c;
    narr x, y, z, w;
    REQUIRE(!padic_num_ring_init(&a, 5, 10, NULL));
    REQUIRE(!padic_num_ring_init(&b, 5, 200, NULL));
    REQUIRE(!padic_num_ring_init(&c, 7, 10, NULL));
    narr_new(&x, &a, O_RING, 3, 0);
    narr_new(&y, &b, O_RING, 3, 0);
    narr_new(&z, &c, O_RING, 3, 0);
    narr_new(&w, &b, O_FLOAT, 3, 0);
    memset(x.unit, 0, 12);
    CHECK_EQ(padic_num_set_precision(NULL, &y.a, NULL), PADIC_ERROR_ARGUMENT);
    CHECK_EQ(padic_num_set_precision(NULL, &y.a, &x.a), PADIC_OK);
    CHECK_EQ(padic_num_set_precision(NULL, &x.a, &x.a), PADIC_ERROR_OVERLAP);
    CHECK_EQ(padic_num_set_precision(NULL, &z.a, &x.a), PADIC_ERROR_RING);
    CHECK_EQ(padic_num_set_precision(NULL, &w.a, &x.a), PADIC_ERROR_RING);
    CHECK_EQ(padic_num_set_precision(NULL, &x.a, &y.a), PADIC_OK); // y's workspace is long enough
    y.a.workspace_size = 0;
    CHECK_EQ(padic_num_set_precision(NULL, &x.a, &y.a), PADIC_ERROR_CAPACITY);
    CHECK_EQ(padic_num_change_prime(NULL, &z.a, &x.a), PADIC_OK);
    CHECK_EQ(padic_num_change_prime(NULL, NULL, &x.a), PADIC_ERROR_ARGUMENT);
    CHECK_EQ(padic_num_change_prime(NULL, &x.a, &x.a), PADIC_ERROR_OVERLAP);
    y.a.count = 2;
    CHECK_EQ(padic_num_change_prime(NULL, &z.a, &y.a), PADIC_ERROR_MISMATCH);
    narr_free(&x);
    narr_free(&y);
    narr_free(&z);
    narr_free(&w);
}

// ---- linear algebra

enum { WORDS = 140 }; // of results

typedef struct system_case {
    size_t n, sides, batch;
    padic_dtype dtype;
    int64_t *a, *b; // as they are; a32, b32 for I32
    int32_t *a32, *b32;
    uint64_t *x, *d, *det;
    int32_t *rank;
    uint8_t *status;
    padic_num_solve_desc desc;
} system_case;

static void *zeros(size_t size)
{
    void *p = calloc(size ? size : 1, 1);
    if (!p) abort();
    return p;
}

static void system_new(system_case *s, size_t n, size_t sides, size_t batch, padic_dtype dtype)
{
    const uint64_t x_shape[4] = {WORDS, batch, n, sides}, d_shape[3] = {WORDS, batch, sides};
    memset(s, 0, sizeof *s);
    s->n = n;
    s->sides = sides;
    s->batch = batch;
    s->dtype = dtype;
    s->a = (int64_t *)zeros(8 * batch * n * n);
    s->b = (int64_t *)zeros(8 * batch * n * sides);
    s->a32 = (int32_t *)zeros(4 * batch * n * n);
    s->b32 = (int32_t *)zeros(4 * batch * n * sides);
    s->x = (uint64_t *)zeros(8 * WORDS * batch * n * sides);
    s->d = (uint64_t *)zeros(8 * WORDS * batch * sides);
    s->det = (uint64_t *)zeros(8 * WORDS * batch);
    s->rank = (int32_t *)zeros(4 * batch);
    s->status = (uint8_t *)zeros(batch);
    s->desc.matrix = padic_tensor_3d(dtype, dtype == PADIC_I32 ? (void *)s->a32 : (void *)s->a,
                                     batch, n, n);
    s->desc.right = padic_tensor_3d(dtype, dtype == PADIC_I32 ? (void *)s->b32 : (void *)s->b,
                                    batch, n, sides);
    s->desc.numerator = padic_tensor_nd(PADIC_U64, s->x, 4, x_shape);
    s->desc.denominator = padic_tensor_nd(PADIC_U64, s->d, 3, d_shape);
    s->desc.det = padic_tensor_2d(PADIC_U64, s->det, WORDS, batch);
    s->desc.rank = padic_tensor_1d(PADIC_I32, s->rank, batch);
    s->desc.status = padic_tensor_1d(PADIC_U8, s->status, batch);
    s->desc.verify = 1;
    s->desc.workspace = num_workspace(padic_num_solve_workspace(&s->desc));
}

static void system_free(system_case *s)
{
    free(s->a);
    free(s->b);
    free(s->a32);
    free(s->b32);
    free(s->x);
    free(s->d);
    free(s->det);
    free(s->rank);
    free(s->status);
    num_workspace_end(&s->desc.workspace);
}

static padic_result system_run(system_case *s, padic_context *context)
{
    for (size_t i = 0; i < s->batch * s->n * s->n; i++) s->a32[i] = (int32_t)s->a[i];
    for (size_t i = 0; i < s->batch * s->n * s->sides; i++) s->b32[i] = (int32_t)s->b[i];
    return padic_num_solve(context, &s->desc);
}

// det of matrix k, by the oracle.
static void system_det(const system_case *s, size_t k, big *det)
{
    big *m = (big *)malloc(s->n * s->n * sizeof(big));
    if (!m) abort();
    for (size_t i = 0; i < s->n * s->n; i++) big_i64(&m[i], s->a[k * s->n * s->n + i]);
    big_det(det, m, (int)s->n);
    free(m);
}

// A x = d b, gcd(x, d) = 1 and d > 0; or nothing if det A = 0.
static int system_right(const system_case *s, size_t k, const big *det)
{
    const size_t n = s->n, sides = s->sides;
    int ok = 1;
    for (size_t side = 0; side < sides; side++) {
        big d, g, sum, t, u;
        big *x = (big *)malloc(n * sizeof(big));
        if (!x) abort();
        word_integer(&d, s->d, k * sides + side, s->batch * sides, WORDS);
        for (size_t i = 0; i < n; i++)
            word_integer(&x[i], s->x, (k * n + i) * sides + side, s->batch * n * sides, WORDS);
        big_copy(&g, &d);
        for (size_t i = 0; i < n; i++) {
            big_copy(&t, &x[i]);
            t.neg = 0;
            big_gcd(&u, &g, &t);
            big_copy(&g, &u);
            ok &= det->n || !x[i].n;
        }
        ok &= !d.neg && (det->n ? big_is(&g, 1) : !d.n);
        for (size_t i = 0; det->n && i < n; i++) {
            big_u64(&sum, 0);
            for (size_t j = 0; j < n; j++) {
                big_i64(&t, s->a[(k * n + i) * n + j]);
                big_mul(&t, &t, &x[j]);
                big_add(&sum, &sum, &t);
            }
            big_i64(&t, s->b[(k * n + i) * sides + side]);
            big_mul(&t, &t, &d);
            ok &= !big_cmp(&sum, &t);
        }
        free(x);
    }
    return ok;
}

static int64_t entry(int bits)
{
    const uint64_t x = test_random();
    if (bits == 63 && x % 16 == 0) return x % 32 ? INT64_MIN : INT64_MAX;
    return (int64_t)(x >> (63 - bits)) - (int64_t)((UINT64_C(1) << bits));
}

// Random systems of all sizes: solution, determinant, Hadamard's bound.
TEST(systems)
{
    static const int bits[] = {1, 3, 6, 12, 20, 30, 45, 62};
    for (int turn = 0; turn < turns(120); turn++) {
        const int large = turn % 20 == 19;
        const size_t n = large ? 10 + pick(20) : 1 + pick(8);
        const size_t sides = 1 + pick(3), batch = 1 + pick(3);
        const int most = bits[test_random() % 8], right_bits = bits[test_random() % 8];
        const padic_dtype dtype = most < 31 && right_bits < 31 && turn % 2 ? PADIC_I32 : PADIC_I64;
        system_case s;
        big det, got, bound;
        uint32_t *hadamard = (uint32_t *)zeros(4 * batch);
        padic_num_det_desc alone = PADIC_ZERO;
        padic_tensor h = padic_tensor_1d(PADIC_U32, hadamard, batch);
        system_new(&s, n, sides, batch, dtype);
        for (size_t i = 0; i < batch * n * n; i++) s.a[i] = entry(most);
        for (size_t i = 0; i < batch * n * sides; i++) s.b[i] = entry(right_bits);
        if (turn % 4 == 0) // sparse: rows are exchanged, some are singular
            for (size_t i = 0; i < batch * n * n; i++)
                if (test_random() % 3) s.a[i] = 0;
        CHECK_EQ(system_run(&s, NULL), PADIC_OK);
        CHECK_EQ(num_hadamard(NULL, &h, &s.desc.matrix), PADIC_OK);
        uint64_t *dets = (uint64_t *)zeros(8 * WORDS * batch);
        alone.matrix = s.desc.matrix;
        alone.out = padic_tensor_2d(PADIC_U64, dets, WORDS, batch);
        alone.workspace = num_workspace(padic_num_det_workspace(&alone));
        CHECK_EQ(padic_num_det(NULL, &alone), PADIC_OK);
        for (size_t k = 0; k < batch; k++) {
            system_det(&s, k, &det);
            CHECK(system_right(&s, k, &det));
            word_integer(&got, s.det, k, batch, WORDS);
            CHECK(!big_cmp(&got, &det));
            word_integer(&got, dets, k, batch, WORDS);
            CHECK(!big_cmp(&got, &det));
            CHECK_EQ(s.status[k], det.n ? 0 : PADIC_NUM_DIV0);
            CHECK((s.rank[k] == (int32_t)n) == (det.n != 0));
            big_u64(&bound, 1);
            big_shift_left(&bound, &bound, (int)hadamard[k]);
            CHECK(big_cmp_abs(&det, &bound) < 0 || !hadamard[k]);
            CHECK(hadamard[k] || !det.n);
        }
        system_free(&s);
        num_workspace_end(&alone.workspace);
        free(dets);
        free(hadamard);
    }
}

// Hadamard's matrices reach his bound: det = 2^(62 n) n^(n/2), and they are their own inverses but
// for a factor. 64 x 64 numbers of 62 bits are the largest determinant there is, nearly, and need
// nearly all of the primes.
TEST(sylvester)
{
    for (size_t n = 1, log = 0; n <= (test_tiny ? 16u : 64u); n *= 2, log++) {
        system_case s;
        big due, got;
        uint32_t bits = 0;
        padic_tensor h = padic_tensor_1d(PADIC_U32, &bits, 1);
        padic_num_det_desc det = PADIC_ZERO;
        system_new(&s, n, 1, 1, PADIC_I64);
        for (size_t i = 0; i < n * n; i++) {
            unsigned common = (unsigned)((i / n) & (i % n)), odd = 0;
            for (; common; common &= common - 1) odd ^= 1;
            s.a[i] = odd ? -(INT64_C(1) << 62) : INT64_C(1) << 62;
        }
        s.b[0] = 1;
        CHECK_EQ(system_run(&s, NULL), PADIC_OK);
        CHECK_EQ(num_hadamard(NULL, &h, &s.desc.matrix), PADIC_OK);
        CHECK_EQ(bits, 62 * n + n * log / 2 + 1);
        big_u64(&due, 1);
        big_shift_left(&due, &due, (int)(62 * n + n * log / 2));
        due.neg = n == 2; // the determinant of 1 1, 1 -1
        word_integer(&got, s.det, 0, 1, WORDS);
        CHECK(!big_cmp(&got, &due));
        memset(s.det, 0xff, 8 * WORDS);
        det.matrix = s.desc.matrix;
        det.out = s.desc.det;
        det.workspace = s.desc.workspace;
        det.workspace.shape[0] = padic_num_det_workspace(&det);
        CHECK(det.workspace.shape[0] && det.workspace.shape[0] <= s.desc.workspace.shape[0]);
        CHECK_EQ(padic_num_det(NULL, &det), PADIC_OK);
        word_integer(&got, s.det, 0, 1, WORDS);
        CHECK(!big_cmp(&got, &due));
        for (size_t i = 0; i < n; i++) CHECK_EQ(s.x[i], 1); // A x = d e_0: the first row, 1 ... 1
        big_u64(&due, 1);
        big_shift_left(&due, &due, 62 + (int)log);
        word_integer(&got, s.d, 0, 1, WORDS);
        CHECK(!big_cmp(&got, &due));
        system_free(&s);
    }
}

// Ranks: products of n x r and r x n matrices. And a pivot that the first primes divide.
TEST(singular)
{
    for (int turn = 0; turn < turns(60); turn++) {
        const size_t n = 2 + pick(turn % 10 ? 6 : 12), r = pick(n);
        const int bits = turn % 3 ? 3 : 25;
        int64_t left[16 * 16], row[16 * 16];
        system_case s;
        system_new(&s, n, 2, 1, PADIC_I64);
        for (size_t i = 0; i < n * n; i++) left[i] = entry(bits), row[i] = entry(bits);
        for (size_t i = 0; i < r; i++) { // a triangle in each: rank r for certain
            for (size_t j = 0; j < i; j++) left[j * n + i] = 0, row[i * n + j] = 0;
            left[i * n + i] = row[i * n + i] = 1;
        }
        for (size_t i = 0; i < n; i++)
            for (size_t j = 0; j < n; j++)
                for (size_t k = 0; k < r; k++) s.a[i * n + j] += left[i * n + k] * row[k * n + j];
        for (size_t i = 0; i < 2 * n; i++) s.b[i] = entry(bits);
        memset(s.x, 0xff, 8 * WORDS * n * 2);
        CHECK_EQ(system_run(&s, NULL), PADIC_OK);
        CHECK_EQ(s.rank[0], r);
        CHECK_EQ(s.status[0], PADIC_NUM_DIV0);
        for (size_t i = 0; i < 2 * n; i++) CHECK_EQ(s.x[i], 0);
        CHECK_EQ(s.d[0] | s.d[1] | s.det[0], 0);
        system_free(&s);
    }
    for (int k = 1; k < 4; k++) { // diagonal: the first k primes, then large numbers
        static const int64_t below[3] = {81, 111, 123};
        system_case s;
        big det;
        system_new(&s, 4, 1, 1, PADIC_I64);
        for (int i = 0; i < 4; i++) {
            s.a[5 * i] = i < k ? (INT64_C(1) << 49) - below[i] : (INT64_C(1) << 60) + i;
            s.b[i] = i + 1;
        }
        CHECK_EQ(system_run(&s, NULL), PADIC_OK);
        system_det(&s, 0, &det);
        CHECK(system_right(&s, 0, &det));
        CHECK_EQ(s.rank[0], 4);
        system_free(&s);
    }
}

// The fraction a user would expect, in plain tensors, and results too wide for them.
TEST(plain)
{
    static int64_t a[9] = {60, 30, 20, 30, 20, 15, 20, 15, 12}, b[3] = {1, 0, 0}; // 60 H_3
    int64_t x[3], det = 0;
    int32_t narrow[3];
    int64_t d = 0;
    uint8_t status = 9;
    uint32_t sticky = 0;
    padic_num_solve_desc s = PADIC_ZERO;
    s.matrix = padic_tensor_2d(PADIC_I64, a, 3, 3);
    s.right = padic_tensor_1d(PADIC_I64, b, 3);
    s.numerator = padic_tensor_1d(PADIC_I64, x, 3);
    s.denominator = padic_tensor_1d(PADIC_I64, &d, 1);
    s.det = padic_tensor_1d(PADIC_I64, &det, 1);
    s.workspace = num_workspace(padic_num_solve_workspace(&s));
    CHECK_EQ(padic_num_solve(NULL, &s), PADIC_OK);
    CHECK(det == 100 && d == 20 && x[0] == 3 && x[1] == -12 && x[2] == 10);
    a[0] = INT64_MAX;
    a[4] = INT64_MIN;
    CHECK_EQ(padic_num_solve(NULL, &s), PADIC_ERROR_DOMAIN); // too wide, and nobody to be told
    CHECK(det == 0 && d == 0 && x[0] == 0 && x[1] == 0 && x[2] == 0);
    s.status = padic_tensor_1d(PADIC_U8, &status, 1);
    s.sticky = &sticky;
    CHECK_EQ(padic_num_solve(NULL, &s), PADIC_OK);
    CHECK_EQ(status, PADIC_NUM_RANGE);
    CHECK_EQ(sticky, PADIC_NUM_RANGE);
    a[0] = 60;
    a[4] = 20;
    b[0] = INT64_C(20) << 40;
    s.numerator = padic_tensor_1d(PADIC_I32, narrow, 3);
    CHECK_EQ(padic_num_solve(NULL, &s), PADIC_OK);
    CHECK(status == PADIC_NUM_RANGE && d == 0 && narrow[0] == 0 && det == 100);
    b[0] = 20;
    CHECK_EQ(padic_num_solve(NULL, &s), PADIC_OK);
    CHECK(status == 0 && d == 1 && narrow[0] == 3 && narrow[1] == -12 && narrow[2] == 10);
    num_workspace_end(&s.workspace);
}

// X modulo p^N: A X = B, in all forms; and what p divides.
TEST(modulo)
{
    for (int turn = 0; turn < turns(80); turn++) {
        const size_t n = 1 + pick(6), sides = 1 + pick(2);
        padic_num_ring ring;
        oring r;
        narr x;
        system_case s;
        big det, sum, t, p;
        onum e;
        REQUIRE(exact_ring(&ring, &r, turn % EXACT_RINGS));
        system_new(&s, n, sides, 1, PADIC_I64);
        num_workspace_end(&s.desc.workspace);
        narr_new(&x, &ring, O_RING, n * sides, 0);
        s.desc.out = x.a;
        s.desc.workspace = num_workspace(padic_num_solve_workspace(&s.desc));
        for (size_t i = 0; i < n * n; i++) s.a[i] = entry(turn % 2 ? 62 : 4);
        for (size_t i = 0; i < n * sides; i++) s.b[i] = entry(40);
        CHECK_EQ(system_run(&s, NULL), PADIC_OK);
        system_det(&s, 0, &det);
        big_u64(&p, r.p);
        big_mod(&t, &det, &p);
        CHECK_EQ(s.status[0], t.n ? 0 : PADIC_NUM_NONUNIT);
        CHECK((s.rank[0] == (int32_t)n) == (t.n != 0));
        for (size_t i = 0; i < n; i++)
            for (size_t side = 0; side < sides; side++) {
                big_i64(&sum, t.n ? -s.b[i * sides + side] : 0);
                for (size_t j = 0; j < n; j++) {
                    big m;
                    o_unpack(&x, j * sides + side, &e);
                    big_i64(&m, s.a[i * n + j]);
                    big_mul(&m, &m, &e.u);
                    big_add(&sum, &sum, &m);
                    CHECK(big_cmp(&e.u, o_P(&r)) < 0 && (t.n || !e.u.n));
                }
                big_mod(&sum, &sum, o_P(&r));
                CHECK(!sum.n);
            }
        narr_free(&x);
        system_free(&s);
        o_ring_free(&r);
    }
}

// Several workers, or one with their workspace: the same bytes.
TEST(workers)
{
    enum { BATCH = 50 };
    padic_context_desc desc = PADIC_ZERO;
    padic_context *context = NULL;
    padic_threads *threads = padic_threads_create(3, NULL);
    system_case s;
    REQUIRE(threads != NULL);
    desc.jobs = padic_threads_jobs(threads);
    REQUIRE(!padic_context_create(&desc, &context));
    system_new(&s, 6, 1, BATCH, PADIC_I64);
    for (size_t i = 0; i < BATCH * 36; i++) s.a[i] = entry(i % 2 ? 20 : 3);
    for (size_t i = 0; i < BATCH * 6; i++) s.b[i] = entry(20);
    CHECK_EQ(system_run(&s, NULL), PADIC_OK);
    uint64_t *x = (uint64_t *)zeros(8 * WORDS * BATCH * 6);
    memcpy(x, s.x, 8 * WORDS * BATCH * 6);
    memset(s.x, 1, 8 * WORDS * BATCH * 6);
    num_workspace_end(&s.desc.workspace);
    s.desc.workspace = num_workspace(3 * padic_num_solve_workspace(&s.desc));
    CHECK_EQ(system_run(&s, context), PADIC_OK);
    CHECK(!memcmp(x, s.x, 8 * WORDS * BATCH * 6));
    num_workspace_end(&s.desc.workspace); // absent: from the allocator, for all workers
    memset(&s.desc.workspace, 0, sizeof s.desc.workspace);
    memset(s.x, 1, 8 * WORDS * BATCH * 6);
    CHECK_EQ(system_run(&s, context), PADIC_OK);
    CHECK(!memcmp(x, s.x, 8 * WORDS * BATCH * 6));
    free(x);
    system_free(&s);
    padic_context_destroy(context);
    padic_threads_destroy(threads);
}

TEST(algebra_errors)
{
    system_case s;
    padic_num_solve_desc d;
    padic_num_det_desc e = PADIC_ZERO;
    padic_tensor bits;
    uint32_t bound[2];
    static int64_t big_matrix[65 * 65];
    system_new(&s, 3, 1, 2, PADIC_I64);
    d = s.desc;
    CHECK_EQ(padic_num_solve(NULL, NULL), PADIC_ERROR_ARGUMENT);
    CHECK_EQ(padic_num_solve_workspace(NULL), 0);
    d.workspace.shape[0]--;
    CHECK_EQ(padic_num_solve(NULL, &d), PADIC_ERROR_CAPACITY);
    d.workspace = s.desc.workspace;
    d.workspace.dtype = PADIC_I8;
    CHECK_EQ(padic_num_solve(NULL, &d), PADIC_ERROR_ARGUMENT);
    d.workspace = padic_tensor_2d(PADIC_U8, s.desc.workspace.data, 1, s.desc.workspace.shape[0]);
    CHECK_EQ(padic_num_solve(NULL, &d), PADIC_ERROR_ARGUMENT);
    d.workspace = s.desc.workspace;
    d.workspace.stride[0] = 2;
    CHECK_EQ(padic_num_solve(NULL, &d), PADIC_ERROR_ARGUMENT);
    d.workspace = padic_tensor_1d(PADIC_U8, (char *)s.desc.workspace.data + 1,
                                  s.desc.workspace.shape[0]);
    CHECK_EQ(padic_num_solve(NULL, &d), PADIC_ERROR_ALIGNMENT);
    d.workspace.data = NULL;
    d.workspace.buffer.id = 1;
    CHECK_EQ(padic_num_solve(NULL, &d), PADIC_ERROR_ARGUMENT); // a buffer
    d.workspace = padic_tensor_1d(PADIC_U8, s.x, 1 << 20);
    CHECK_EQ(padic_num_solve(NULL, &d), PADIC_ERROR_OVERLAP);
    d = s.desc;
    d.matrix = padic_tensor_2d(PADIC_I64, big_matrix, 65, 65);
    CHECK_EQ(padic_num_solve(NULL, &d), PADIC_ERROR_LIMIT);
    CHECK_EQ(padic_num_solve_workspace(&d), 0);
    d.matrix = padic_tensor_2d(PADIC_I64, big_matrix, 3, 4);
    CHECK_EQ(padic_num_solve(NULL, &d), PADIC_ERROR_MISMATCH);
    d.matrix = padic_tensor_1d(PADIC_I64, big_matrix, 9);
    CHECK_EQ(padic_num_solve(NULL, &d), PADIC_ERROR_MISMATCH);
    d.matrix = padic_tensor_2d(PADIC_I64, big_matrix, 0, 0);
    CHECK_EQ(padic_num_solve(NULL, &d), PADIC_ERROR_LIMIT);
    d.matrix = padic_tensor_3d(PADIC_F64, big_matrix, 2, 3, 3);
    CHECK_EQ(padic_num_solve(NULL, &d), PADIC_ERROR_DTYPE);
    d = s.desc;
    d.right = padic_tensor_3d(PADIC_I32, s.b32, 2, 3, 1);
    CHECK_EQ(padic_num_solve(NULL, &d), PADIC_ERROR_DTYPE);
    d.right = padic_tensor_3d(PADIC_I64, s.b, 2, 1, 3);
    CHECK_EQ(padic_num_solve(NULL, &d), PADIC_ERROR_MISMATCH);
    d = s.desc;
    d.numerator = padic_tensor_3d(PADIC_I64, s.b, 2, 3, 1);
    CHECK_EQ(padic_num_solve(NULL, &d), PADIC_ERROR_OVERLAP);
    d.numerator = padic_tensor_2d(PADIC_I64, s.x, 2, 2);
    CHECK_EQ(padic_num_solve(NULL, &d), PADIC_ERROR_MISMATCH);
    d.numerator = padic_tensor_3d(PADIC_F32, s.x, 2, 3, 1);
    CHECK_EQ(padic_num_solve(NULL, &d), PADIC_ERROR_DTYPE);
    d = s.desc;
    memset(&d.denominator, 0, sizeof d.denominator);
    CHECK_EQ(padic_num_solve(NULL, &d), PADIC_ERROR_ARGUMENT);
    d = s.desc;
    d.verify = 2;
    CHECK_EQ(padic_num_solve(NULL, &d), PADIC_ERROR_ARGUMENT);
    e.matrix = s.desc.matrix;
    CHECK_EQ(padic_num_det(NULL, &e), PADIC_ERROR_ARGUMENT); // no results
    e.out = s.desc.det;
    e.workspace = s.desc.workspace;
    e.workspace.shape[0] = padic_num_det_workspace(&e) - 1;
    CHECK_EQ(padic_num_det(NULL, &e), PADIC_ERROR_CAPACITY);
    e.workspace.shape[0]++;
    s.a[0] = 5; // det 0 and 5
    s.a[9] = s.a[13] = 1;
    s.a[17] = 5;
    CHECK_EQ(padic_num_det(NULL, &e), PADIC_OK);
    CHECK(s.det[0] == 0 && s.det[1] == 5);
    CHECK_EQ(padic_num_det(NULL, NULL), PADIC_ERROR_ARGUMENT);
    bits = padic_tensor_1d(PADIC_U32, bound, 2);
    CHECK_EQ(padic_num_hadamard(NULL, NULL), PADIC_ERROR_ARGUMENT);
    CHECK_EQ(num_hadamard(NULL, &bits, &s.desc.matrix), PADIC_OK);
    CHECK(bound[0] == 0 && bound[1] == 3);
    bits = padic_tensor_1d(PADIC_U64, bound, 2);
    CHECK_EQ(num_hadamard(NULL, &bits, &s.desc.matrix), PADIC_ERROR_DTYPE);
    bits = padic_tensor_1d(PADIC_U32, s.a, 2);
    CHECK_EQ(num_hadamard(NULL, &bits, &s.desc.matrix), PADIC_ERROR_OVERLAP);
    s.desc.matrix = padic_tensor_3d(PADIC_I64, s.a, 0, 3, 3); // an empty batch
    s.desc.right = padic_tensor_3d(PADIC_I64, s.b, 0, 3, 1);
    const uint64_t none[4] = {WORDS, 0, 3, 1};
    s.desc.numerator = padic_tensor_nd(PADIC_U64, s.x, 4, none);
    s.desc.denominator = padic_tensor_2d(PADIC_I64, s.d, 0, 1);
    memset(&s.desc.det, 0, sizeof s.desc.det);
    s.desc.rank = padic_tensor_1d(PADIC_I32, s.rank, 0);
    s.desc.status = padic_tensor_1d(PADIC_U8, s.status, 0);
    CHECK_EQ(padic_num_solve(NULL, &s.desc), PADIC_OK);
    system_free(&s);
}

// One call is counted once, under its own name, whatever loops it takes.
static void counted(padic_context *context, uint32_t op, const uint64_t *before, int line)
{
    for (uint32_t i = 1; i < PADIC_OP_COUNT; i++) {
        padic_op_stats stats;
        padic_context_op_stats(context, (padic_op)i, &stats);
        if (stats.calls - before[i] != (i == op)) {
            printf("line %d: operation %u: %u calls\n", line, (unsigned)i,
                   (unsigned)(stats.calls - before[i]));
            CHECK(0);
        }
    }
}

#define COUNTED(call, op) \
    do { \
        uint64_t before[PADIC_OP_COUNT]; \
        for (uint32_t i = 1; i < PADIC_OP_COUNT; i++) { \
            padic_op_stats stats; \
            padic_context_op_stats(context, (padic_op)i, &stats); \
            before[i] = stats.calls; \
        } \
        CHECK_EQ(call, PADIC_OK); \
        counted(context, op, before, __LINE__); \
    } while (0)

TEST(calls_are_counted)
{
    padic_context *context = NULL;
    padic_num_ring ring;
    static uint64_t memory[4][4096], found[1];
    static int64_t n[64], d[64], matrix[9] = {2, 1, 0, 1, 3, 1, 0, 1, 4}, right[3] = {1, 2, 3};
    uint32_t sticky = 0, bits;
    REQUIRE(!padic_context_create(NULL, &context));
    for (uint64_t count = 2; count <= 64; count += 62) // the way of small calls, and that of others
        for (uint64_t p = 2; p < 8; p += 5)
            for (int m = 0; m < 3; m++) {
                const padic_num_model model = (padic_num_model)m;
                padic_num_array x, y, three, six;
                padic_num_from_int_desc from = PADIC_ZERO;
                padic_num_to_rational_desc to = PADIC_ZERO;
                padic_num_hensel_desc hensel = PADIC_ZERO;
                padic_num_polynomial_roots_desc all = PADIC_ZERO;
                REQUIRE(!padic_num_ring_init(&ring, p, 20, NULL));
                REQUIRE(!padic_num_place(&x, &ring, model, count, memory[0], sizeof memory[0]));
                REQUIRE(!padic_num_place(&y, &ring, model, count, memory[1], sizeof memory[1]));
                REQUIRE(!padic_num_place(&three, &ring, model, 3, memory[2], sizeof memory[2]));
                REQUIRE(!padic_num_place(&six, &ring, model, 2 * count, memory[3],
                                         sizeof memory[3]));
                x.sticky = y.sticky = three.sticky = six.sticky = &sticky;
                for (uint64_t i = 0; i < count; i++) n[i] = 1 + 8 * (int64_t)(i * p);
                from.out = x;
                from.in = padic_tensor_1d(PADIC_I64, n, count);
                COUNTED(padic_num_from_int(context, &from), PADIC_OP_NUM_FROM_INT);
                COUNTED(padic_num_square(context, &y, &x), PADIC_OP_NUM_SQUARE);
                COUNTED(padic_num_mul(context, &y, &x, &x), PADIC_OP_NUM_MUL);
                COUNTED(padic_num_pow(context, &y, &x, 2), PADIC_OP_NUM_POW);
                COUNTED(padic_num_sqrt(context, &x, &y), PADIC_OP_NUM_SQRT);
                COUNTED(padic_num_root(context, &x, &y, 2), PADIC_OP_NUM_ROOT);
                COUNTED(padic_num_root(context, &x, &y, 3), PADIC_OP_NUM_ROOT);
                COUNTED(num_roots(context, &six, &y, 2), PADIC_OP_NUM_ROOTS);
                to.in = y;
                to.numerator = padic_tensor_1d(PADIC_I64, n, count);
                to.denominator = padic_tensor_1d(PADIC_I64, d, count);
                to.sticky = &sticky;
                COUNTED(padic_num_to_rational(context, &to), PADIC_OP_NUM_TO_RATIONAL);
                to.mode = PADIC_NUM_RATIONAL_COMMON;
                COUNTED(padic_num_to_rational(context, &to), PADIC_OP_NUM_TO_RATIONAL);
                from.out = three;
                n[0] = -1, n[1] = 0, n[2] = 1;
                from.in = padic_tensor_1d(PADIC_I64, n, 3);
                COUNTED(padic_num_from_int(context, &from), PADIC_OP_NUM_FROM_INT);
                hensel.out = y;
                hensel.seeds = x;
                hensel.coefficients = three;
                hensel.terms = 3;
                COUNTED(padic_num_hensel(context, &hensel), PADIC_OP_NUM_HENSEL);
                all.out = x;
                all.coefficients = three;
                all.terms = 3;
                all.polynomials = 1;
                all.root_limit = (uint32_t)count;
                all.branches = 8;
                all.found = padic_tensor_1d(PADIC_U32, found, 1);
                COUNTED(padic_num_polynomial_roots(context, &all), PADIC_OP_NUM_POLYNOMIAL_ROOTS);
            }
    padic_num_det_desc det = PADIC_ZERO;
    padic_num_solve_desc solve = PADIC_ZERO;
    padic_num_hadamard_desc hadamard = PADIC_ZERO;
    det.matrix = solve.matrix = hadamard.matrix = padic_tensor_2d(PADIC_I64, matrix, 3, 3);
    det.out = padic_tensor_1d(PADIC_I64, n, 1);
    COUNTED(padic_num_det(context, &det), PADIC_OP_NUM_DET);
    CHECK_EQ(n[0], 18); // 2 (12 - 1) - 4
    hadamard.out = padic_tensor_1d(PADIC_U32, &bits, 1);
    COUNTED(padic_num_hadamard(context, &hadamard), PADIC_OP_NUM_HADAMARD);
    solve.right = padic_tensor_1d(PADIC_I64, right, 3);
    solve.numerator = padic_tensor_1d(PADIC_I64, n, 3);
    solve.denominator = padic_tensor_1d(PADIC_I64, d, 1);
    COUNTED(padic_num_solve(context, &solve), PADIC_OP_NUM_SOLVE);
    CHECK(n[0] == 1 && n[1] == 1 && n[2] == 2 && d[0] == 3);
    padic_context_destroy(context);
}

TEST_MAIN("num_exact", CASE(exhaustive), CASE(overflow), CASE(fractions), CASE(integers),
          CASE(common_denominator), CASE(fixed_denominator), CASE(largest_quotient),
          CASE(rational_errors), CASE(precision), CASE(prime), CASE(precision_errors),
          CASE(systems), CASE(sylvester), CASE(singular), CASE(plain),
          CASE(modulo), CASE(workers), CASE(algebra_errors), CASE(calls_are_counted))
