// test_num_identities.c: laws that p-adic numbers obey, on whole arrays, in every form and model.
// What is due comes from the law, not from a second computation.
//
//     cc -O1 tests/num/test_num_identities.c -o t -lm -lpthread && ./t        FULL=1: more numbers

#define PADIC_IMPLEMENTATION
#include "../../padic.h"
#include "num_oracle.h"
#include "../support/padic_test.h"
#include "../support/num_calls.h"
#include "num_cases.h"

enum { MOST = 96 };

typedef struct world {
    const form_case *f;
    padic_num_ring ring;
    oring r;
    int model;
    size_t n;
    narr x[8]; // x, y, z, then work space
} world;

static void world_fill(world *w, size_t k)
{
    onum t;
    for (size_t i = 0; i < w->n; i++) {
        do random_num(&w->r, w->model, &t);
        while (t.kind == O_NAN || t.v > 200 || t.v < -200);
        o_pack(&w->x[k], i, &t);
    }
}

// Runs a law for rings of all sizes and forms.
static void in_worlds(void (*law)(world *), uint32_t most_digits)
{
    static const ring_case rings[] = {
        {2, 1, PADIC_NUM_B2},       {2, 20, PADIC_NUM_B2},          {2, 53, PADIC_NUM_B2},
        {2, 64, PADIC_NUM_B2},      {2, 100, PADIC_NUM_W128},       {3, 1, PADIC_NUM_W32},
        {3, 20, PADIC_NUM_W32},     {3, 30, PADIC_NUM_W49},         {5, 27, PADIC_NUM_W64},
        {7, 22, PADIC_NUM_W64},     {257, 6, PADIC_NUM_W49},        {65537, 3, PADIC_NUM_W49},
        {65537, 7, PADIC_NUM_W128}, {2147483647, 2, PADIC_NUM_W64}, {257, 64, PADIC_NUM_RX},
        {3, 200, PADIC_NUM_RX},     {UINT64_C(2305843009213693951), 3, PADIC_NUM_RX}};
    for (size_t i = 0; i < sizeof rings / sizeof *rings; i++) {
        if (rings[i].N > most_digits || (test_tiny && i % 3)) continue;
        for (int f = 0; f < FORMS; f++) {
            for (int model = O_RING; model <= O_BALL; model++) {
                world w;
                w.f = &forms[f];
                if (!ring_in(&w.ring, rings[i].p, rings[i].N, w.f)) continue;
                if (f && f < 6 && w.ring.form == rings[i].form) continue;
                o_ring(&w.r, rings[i].p, rings[i].N);
                w.model = model;
                w.n = rings[i].N > 60 ? 10 : MOST;
                for (size_t k = 0; k < 8; k++) narr_new(&w.x[k], &w.ring, model, w.n, 0);
                for (size_t k = 0; k < 3; k++) world_fill(&w, k);
                law(&w);
                for (size_t k = 0; k < 8; k++) narr_free(&w.x[k]);
                o_ring_free(&w.r);
            }
        }
    }
}

static int same_at(const world *w, size_t i, size_t k, size_t l)
{
    onum a, b;
    o_unpack(&w->x[k], i, &a);
    o_unpack(&w->x[l], i, &b);
    return o_same(w->model, &a, &b);
}

// The balls meet; other models: the same number.
static int agree_at(const world *w, size_t i, size_t k, size_t l)
{
    onum a, b, d;
    o_unpack(&w->x[k], i, &a);
    o_unpack(&w->x[l], i, &b);
    if (w->model != O_BALL) return o_same(w->model, &a, &b);
    o_sub(&w->r, w->model, &d, &a, &b);
    return d.kind == O_ZERO || (d.kind == O_FINITE && !d.n);
}

static void must(const world *w, int ok, const char *law, size_t i)
{
    if (ok) return;
    onum t;
    char text[120];
    snprintf(text, sizeof text, "%s: %s %s p %lu N %u", law, w->f->name, models[w->model],
             (unsigned long)w->r.p, (unsigned)w->r.N);
    test_failed(__FILE__, __LINE__, text);
    if (test_failures > 5) return;
    for (size_t k = 0; k < 3; k++) {
        o_unpack(&w->x[k], i, &t);
        print_num(k == 0 ? "x" : k == 1 ? "y" : "z", &t);
    }
}

#define X (&w->x[0].a)
#define Y (&w->x[1].a)
#define Z (&w->x[2].a)
#define T(k) (&w->x[k].a)
#define DO(call) CHECK_EQ(call, PADIC_OK)

// ---- 1: axioms

static void axioms(world *w)
{
    // Commutative in every model; associative and distributive in RING, and in balls that meet.
    DO(padic_num_add(num_context(), T(3), X, Y));
    DO(padic_num_add(num_context(), T(4), Y, X));
    for (size_t i = 0; i < w->n; i++) must(w, same_at(w, i, 3, 4), "x + y = y + x", i);
    DO(padic_num_mul(num_context(), T(3), X, Y));
    DO(padic_num_mul(num_context(), T(4), Y, X));
    for (size_t i = 0; i < w->n; i++) must(w, same_at(w, i, 3, 4), "x y = y x", i);
    DO(padic_num_mul(num_context(), T(3), T(3), Z));
    DO(padic_num_mul(num_context(), T(4), Y, Z));
    DO(padic_num_mul(num_context(), T(4), X, T(4)));
    for (size_t i = 0; i < w->n; i++) must(w, same_at(w, i, 3, 4), "(x y) z = x (y z)", i);
    if (w->model != O_FLOAT) {
        DO(padic_num_add(num_context(), T(3), X, Y));
        DO(padic_num_add(num_context(), T(3), T(3), Z));
        DO(padic_num_add(num_context(), T(4), Y, Z));
        DO(padic_num_add(num_context(), T(4), X, T(4)));
        for (size_t i = 0; i < w->n; i++)
            must(w, agree_at(w, i, 3, 4), "(x + y) + z = x + (y + z)", i);
        DO(padic_num_add(num_context(), T(3), X, Y));
        DO(padic_num_mul(num_context(), T(3), T(3), Z));
        DO(padic_num_mul(num_context(), T(4), X, Z));
        DO(padic_num_fma(num_context(), T(4), Y, Z, T(4)));
        for (size_t i = 0; i < w->n; i++) must(w, agree_at(w, i, 3, 4), "(x + y) z = x z + y z", i);
    }
    // x + (-x) = 0, -(-x) = x, x - y = x + (-y)
    DO(padic_num_neg(num_context(), T(3), X));
    DO(padic_num_add(num_context(), T(4), X, T(3)));
    DO(padic_num_neg(num_context(), T(5), T(3)));
    for (size_t i = 0; i < w->n; i++) {
        onum t;
        o_unpack(&w->x[4], i, &t);
        must(w, !t.u.n && (w->model == O_RING || t.kind == O_ZERO || !t.n), "x + (-x) = 0", i);
        must(w, same_at(w, i, 0, 5), "-(-x) = x", i);
    }
    DO(padic_num_sub(num_context(), T(3), X, Y));
    DO(padic_num_neg(num_context(), T(4), Y));
    DO(padic_num_add(num_context(), T(4), X, T(4)));
    for (size_t i = 0; i < w->n; i++) must(w, same_at(w, i, 3, 4), "x - y = x + (-y)", i);
    // x inv(x) = 1, inv(inv x) = x, x / y = x inv(y)
    DO(padic_num_inv(num_context(), T(3), X));
    DO(padic_num_mul(num_context(), T(4), X, T(3)));
    DO(padic_num_inv(num_context(), T(5), T(3)));
    DO(padic_num_div(num_context(), T(6), Y, X));
    DO(padic_num_mul(num_context(), T(7), Y, T(3)));
    for (size_t i = 0; i < w->n; i++) {
        onum t;
        if (w->x[3].status[i] & 63) continue;
        o_unpack(&w->x[4], i, &t);
        must(w, t.v == 0 && t.u.n == 1 && t.u.w[0] == 1, "x inv(x) = 1", i);
        must(w, same_at(w, i, 0, 5), "inv(inv x) = x", i);
        must(w, same_at(w, i, 6, 7), "y / x = y inv(x)", i);
    }
    // x^2 = square = x x (of balls at p = 2 a product knows less), x^3 x^4 = x^7, x^-2 = inv(x)^2
    DO(padic_num_square(num_context(), T(3), X));
    DO(padic_num_mul(num_context(), T(4), X, X));
    DO(padic_num_pow(num_context(), T(5), X, 2));
    for (size_t i = 0; i < w->n; i++) {
        must(w, same_at(w, i, 3, 5), "square = x^2", i);
        must(w, w->model == O_BALL && w->r.p == 2 ? agree_at(w, i, 3, 4) : same_at(w, i, 3, 4),
             "square = x x", i);
    }
    DO(padic_num_pow(num_context(), T(3), X, 3));
    DO(padic_num_pow(num_context(), T(4), X, 4));
    DO(padic_num_mul(num_context(), T(3), T(3), T(4)));
    DO(padic_num_pow(num_context(), T(4), X, 7));
    for (size_t i = 0; i < w->n; i++) must(w, agree_at(w, i, 3, 4), "x^3 x^4 = x^7", i);
    DO(padic_num_pow(num_context(), T(3), X, -2));
    DO(padic_num_inv(num_context(), T(4), X));
    DO(padic_num_square(num_context(), T(4), T(4)));
    for (size_t i = 0; i < w->n; i++)
        if (!(w->x[3].status[i] & 63)) must(w, same_at(w, i, 3, 4), "x^-2 = inv(x)^2", i);
}
TEST(ring_axioms)
{
    in_worlds(axioms, 200);
}

// Any order of summation has the same bits in RING.
static void orders(world *w)
{
    narr sum[2];
    onum a, b, t;
    if (w->model != O_RING) return;
    for (int k = 0; k < 2; k++) narr_new(&sum[k], &w->ring, O_RING, 1, 0);
    DO(padic_num_sum(num_context(), &sum[0].a, X));
    for (size_t i = 0; i < w->n; i++) {
        o_unpack(&w->x[0], i, &t);
        o_pack(&w->x[3], w->n - 1 - i, &t);
    }
    DO(padic_num_sum(num_context(), &sum[1].a, T(3)));
    o_unpack(&sum[0], 0, &a);
    o_unpack(&sum[1], 0, &b);
    must(w, o_same(O_RING, &a, &b), "a sum backwards", 0);
    DO(padic_num_dot(num_context(), &sum[0].a, X, Y));
    DO(padic_num_mul(num_context(), T(3), X, Y));
    DO(padic_num_sum(num_context(), &sum[1].a, T(3)));
    o_unpack(&sum[0], 0, &a);
    o_unpack(&sum[1], 0, &b);
    must(w, o_same(O_RING, &a, &b), "a dot product is the sum of products", 0);
    for (int k = 0; k < 2; k++) narr_free(&sum[k]);
}
TEST(summation)
{
    in_worlds(orders, 200);
}

// ---- 1, 2: valuations, the metric

static void valuations_of(const padic_num_array *a, const padic_num_array *b, int32_t *v)
{
    padic_num_valuation_desc desc = PADIC_ZERO;
    desc.in = *a;
    if (b) desc.other = *b;
    desc.val = padic_tensor_1d(PADIC_I32, v, a->count);
    DO(padic_num_valuation(num_context(), &desc));
}

static int32_t least(int32_t a, int32_t b)
{
    return a < b ? a : b;
}

static void metric(world *w)
{
    int32_t x[MOST], y[MOST], z[MOST], t[MOST];
    valuations_of(X, NULL, x);
    valuations_of(Y, NULL, y);
    DO(padic_num_mul(num_context(), T(3), X, Y));
    valuations_of(T(3), NULL, t);
    for (size_t i = 0; i < w->n; i++) {
        int64_t due = (int64_t)x[i] + y[i];
        if (x[i] == INT32_MAX || y[i] == INT32_MAX) due = INT32_MAX;
        if (w->model == O_RING && due >= (int64_t)w->r.N) due = INT32_MAX;
        must(w, t[i] == due, "v(x y) = v(x) + v(y)", i);
    }
    DO(padic_num_add(num_context(), T(3), X, Y));
    valuations_of(T(3), NULL, t);
    for (size_t i = 0; i < w->n; i++) {
        must(w, t[i] >= least(x[i], y[i]), "v(x + y) >= min", i);
        if (x[i] != y[i]) must(w, t[i] == least(x[i], y[i]), "equal if they differ", i);
    }
    // Isosceles triangles; and moved by z, distances stay (FLOAT moves may round).
    valuations_of(X, Y, x);
    valuations_of(Y, Z, y);
    valuations_of(X, Z, z);
    for (size_t i = 0; i < w->n; i++) {
        must(w, z[i] >= least(x[i], y[i]) && x[i] >= least(y[i], z[i]) && y[i] >= least(x[i], z[i]),
             "isosceles", i);
    }
    valuations_of(Y, X, t);
    for (size_t i = 0; i < w->n; i++) must(w, t[i] == x[i], "d(x, y) = d(y, x)", i);
    valuations_of(X, X, t);
    for (size_t i = 0; i < w->n; i++) {
        onum a;
        o_unpack(&w->x[0], i, &a);
        must(w,
             t[i] ==
                 (w->model == O_BALL && a.kind == O_FINITE ? (int32_t)o_absolute(&a) : INT32_MAX),
             "d(x, x) = 0", i);
    }
    if (w->model != O_RING) return;
    DO(padic_num_add(num_context(), T(3), X, Z));
    DO(padic_num_add(num_context(), T(4), Y, Z));
    valuations_of(T(3), T(4), t);
    for (size_t i = 0; i < w->n; i++) must(w, t[i] == x[i], "d(x + z, y + z) = d(x, y)", i);
    valuations_of(Z, NULL, z);
    DO(padic_num_mul(num_context(), T(3), X, Z));
    DO(padic_num_mul(num_context(), T(4), Y, Z));
    valuations_of(T(3), T(4), t);
    for (size_t i = 0; i < w->n; i++)
        if (z[i] == 0) must(w, t[i] == x[i], "|z x - z y| = |x - y| for a unit z", i);
}
TEST(metric_laws)
{
    in_worlds(metric, 200);
}

// All triples of a small set.
TEST(triples)
{
    enum { SET = 40 };
    padic_num_ring ring;
    oring r;
    narr a, b;
    static int32_t d[SET][SET];
    CHECK_EQ(padic_num_ring_init(&ring, 3, 6, NULL), PADIC_OK);
    o_ring(&r, 3, 6);
    narr_new(&a, &ring, O_FLOAT, SET, 0);
    narr_new(&b, &ring, O_FLOAT, 1, 0);
    for (size_t i = 0; i < SET; i++) {
        onum t;
        big n, q;
        big_i64(&n, (int64_t)(test_random() % 200) - 100);
        big_i64(&q, (int64_t)(test_random() % 12) + 1);
        o_rational(&r, O_FLOAT, &t, &n, &q, 0);
        o_pack(&a, i, &t);
    }
    for (size_t i = 0; i < SET; i++) {
        onum t;
        o_unpack(&a, i, &t);
        o_pack(&b, 0, &t);
        valuations_of(&a.a, &b.a, d[i]);
    }
    for (int i = 0; i < SET; i++)
        for (int j = 0; j < SET; j++)
            for (int k = 0; k < SET; k++) {
                CHECK(d[i][k] >= least(d[i][j], d[j][k]));
                if (d[i][j] != d[j][k]) CHECK_EQ(d[i][k], least(d[i][j], d[j][k]));
            }
    narr_free(&a);
    narr_free(&b);
    o_ring_free(&r);
}

// x = p^v unit(x)
static void splits(world *w)
{
    int32_t v[MOST];
    const padic_tensor val = padic_tensor_1d(PADIC_I32, v, w->n);
    DO(padic_num_split(num_context(), T(3), &val, X));
    for (size_t i = 0; i < w->n; i++) {
        onum u, x, p;
        o_unpack(&w->x[3], i, &u);
        o_unpack(&w->x[0], i, &x);
        if (v[i] == INT32_MAX) {
            must(w, !u.u.n && !x.u.n, "unit(0) = 0", i);
            continue;
        }
        o_shift(&w->r, w->model, &p, &u, v[i]);
        must(w, o_same(w->model, &p, &x), "x = p^v unit(x)", i);
    }
}
TEST(units)
{
    in_worlds(splits, 200);
}

// ---- 3: digits

static void digit_laws(world *w)
{
    if (w->r.N > 70 || w->model != O_RING) return;
    static int64_t digits[2][MOST * 70];
    for (int kind = 0; kind < 3; kind++) {
        padic_num_to_digits_desc to = PADIC_ZERO;
        padic_num_from_digits_desc from = PADIC_ZERO;
        to.in = *X;
        to.kind = (padic_num_digit_kind)kind;
        to.digits = padic_tensor_2d(kind == PADIC_NUM_DIGITS_BALANCED ? PADIC_I64 : PADIC_U64,
                                    digits[0], w->r.N, w->n);
        if (kind == PADIC_NUM_DIGITS_TEICHMUELLER && w->r.p > 65537) continue;
        DO(padic_num_to_digits(num_context(), &to));
        from.out = *T(3);
        from.kind = to.kind;
        from.digits = to.digits;
        DO(padic_num_from_digits(num_context(), &from));
        for (size_t i = 0; i < w->n; i++) must(w, same_at(w, i, 0, 3), "digits and back", i);
        if (w->r.p == 2 || kind == PADIC_NUM_DIGITS_STANDARD) continue;
        DO(padic_num_neg(num_context(), T(3),
                         X)); // digits(-x) = -digits(x): balanced, and as roots of unity
        to.in = *T(3);
        to.digits.data = digits[1];
        DO(padic_num_to_digits(num_context(), &to));
        for (size_t i = 0; i < w->r.N * w->n; i++) {
            const int64_t minus = kind == PADIC_NUM_DIGITS_BALANCED ? -digits[0][i]
                                  : digits[0][i]                    ? (int64_t)w->r.p - digits[0][i]
                                                                    : 0;
            must(w, digits[1][i] == minus, "digits of -x", i % w->n);
        }
    }
}
TEST(digits)
{
    in_worlds(digit_laws, 70);
}

// ---- 4: squares and their roots

static void roots(world *w)
{
    if (w->r.p > 100000 && w->r.p % 4 == 1) return;
    DO(padic_num_square(num_context(), T(3), X));
    DO(padic_num_sqrt(num_context(), T(4), T(3)));
    DO(padic_num_square(num_context(), T(5), T(4)));
    DO(padic_num_neg(num_context(), T(6), X));
    for (size_t i = 0; i < w->n; i++) {
        onum x, y, root;
        must(w, !(w->x[4].status[i] & 63), "a square has a root", i);
        if (w->model == O_BALL || (w->r.p == 2 && w->model == O_FLOAT)) {
            if (w->model == O_BALL) must(w, agree_at(w, i, 3, 5), "sqrt(x)^2 = x", i);
            continue;
        }
        must(w, same_at(w, i, 3, 5), "sqrt(x)^2 = x", i);
        o_unpack(&w->x[0], i, &x);
        o_unpack(&w->x[4], i, &root);
        big p;
        big_u64(&p, w->r.p);
        big_mod(&y.u, &x.u, &p);
        if (w->r.p == 2 || !y.u.n) continue;
        big_mod(&y.u, &root.u, &p);
        must(w, big_low(&y.u) <= w->r.p / 2, "the root of the smaller residue", i);
        must(w, same_at(w, i, 4, 0) || same_at(w, i, 4, 6), "sqrt(x^2) = +-x", i);
    }
}
TEST(square_roots)
{
    in_worlds(roots, 200);
}

TEST(squares_counted)
{
    static const uint32_t primes[] = {3, 5, 7, 11, 101, 257};
    for (size_t q = 0; q < sizeof primes / sizeof *primes; q++) {
        const uint32_t p = primes[q];
        padic_num_ring ring;
        oring r;
        narr x, y;
        onum t;
        uint32_t accepted = 0;
        CHECK_EQ(padic_num_ring_init(&ring, p, 5, NULL), PADIC_OK);
        o_ring(&r, p, 5);
        narr_new(&x, &ring, O_RING, p - 1, 0);
        narr_new(&y, &ring, O_RING, p - 1, 0);
        for (uint32_t u = 1; u < p; u++) {
            o_int(&r, O_RING, &t, (int64_t)u + (int64_t)(test_random() % 1000) * p);
            o_pack(&x, u - 1, &t);
        }
        DO(padic_num_sqrt(num_context(), &y.a, &x.a));
        for (uint32_t u = 1; u < p; u++) accepted += y.status[u - 1] == 0;
        CHECK_EQ(accepted, (p - 1) / 2);
        narr_free(&x);
        narr_free(&y);
        o_ring_free(&r);
    }
}

// ---- 5, 6: exp, log, Teichmueller, Euler

// x into the disc of exp.
static void into_disc(world *w, size_t k)
{
    for (size_t i = 0; i < w->n; i++) {
        onum t;
        o_unpack(&w->x[k], i, &t);
        t.status = 0;
        if (w->model == O_RING) {
            o_shift(&w->r, O_RING, &t, &t, w->r.p == 2 ? 2 : 1);
        } else if (t.kind == O_FINITE) {
            t.v = (w->r.p == 2 ? 2 : 1) + (t.v & 1);
            if (w->model == O_BALL && !t.n) o_special(&t, O_ZERO, 0);
        }
        o_pack(&w->x[k], i, &t);
    }
}

static void exponentials(world *w)
{
    if (w->r.p == 2 && w->r.N < 2) return;
    into_disc(w, 0);
    into_disc(w, 1);
    DO(padic_num_exp(num_context(), T(3), X));
    DO(padic_num_exp(num_context(), T(4), Y));
    for (size_t i = 0; i < w->n; i++) must(w, !(w->x[3].status[i] & 63), "exp is defined", i);
    DO(padic_num_mul(num_context(), T(5), T(3), T(4)));
    DO(padic_num_add(num_context(), T(6), X, Y));
    DO(padic_num_exp(num_context(), T(7), T(6)));
    for (size_t i = 0; i < w->n; i++) must(w, agree_at(w, i, 5, 7), "exp(x + y) = exp x exp y", i);
    DO(padic_num_log(num_context(), T(6), T(3), PADIC_NUM_LOG_SERIES));
    for (size_t i = 0; i < w->n; i++) {
        onum a, b;
        o_unpack(&w->x[0], i, &a);
        o_unpack(&w->x[6], i, &b);
        if (w->model == O_FLOAT) { // log has the absolute precision N
            if (a.kind == O_FINITE && a.v >= (int64_t)w->r.N) continue;
            if (a.kind == O_FINITE) big_mod(&a.u, &a.u, &w->r.pw[w->r.N - (uint32_t)a.v]);
            must(w, o_same(O_FLOAT, &a, &b), "log(exp x) = x", i);
        } else {
            must(w, agree_at(w, i, 0, 6), "log(exp x) = x", i);
        }
    }
    DO(padic_num_log(num_context(), T(4), T(4), PADIC_NUM_LOG_SERIES));
    DO(padic_num_log(num_context(), T(5), T(5), PADIC_NUM_LOG_SERIES));
    DO(padic_num_log(num_context(), T(6), T(3), PADIC_NUM_LOG_SERIES));
    DO(padic_num_add(num_context(), T(6), T(6), T(4)));
    for (size_t i = 0; i < w->n; i++)
        if (w->model != O_FLOAT) must(w, agree_at(w, i, 5, 6), "log(x y) = log x + log y", i);
    // v(exp x - 1) = v(x), in the ring exactly.
    if (w->model != O_RING) return;
    int32_t v[MOST], e[MOST];
    narr one;
    onum t;
    narr_new(&one, &w->ring, O_RING, 1, 0);
    o_int(&w->r, O_RING, &t, 1);
    o_pack(&one, 0, &t);
    valuations_of(X, NULL, v);
    valuations_of(T(3), &one.a, e);
    for (size_t i = 0; i < w->n; i++) must(w, v[i] == e[i], "v(exp x - 1) = v(x)", i);
    narr_free(&one);
}
TEST(exp_and_log)
{
    in_worlds(exponentials, 200);
}

static void teichmueller(world *w)
{
    if (w->r.p > 100000) return;
    DO(padic_num_teichmueller(num_context(), T(3), X));
    DO(padic_num_teichmueller(num_context(), T(4), Y));
    for (size_t i = 0; i < w->n; i++) {
        if (!(w->x[3].status[i] & 63) && !(w->x[4].status[i] & 63)) continue;
        onum t; // v < 0: leave both
        o_int(&w->r, w->model, &t, 1);
        o_pack(&w->x[0], i, &t);
        o_pack(&w->x[1], i, &t);
    }
    DO(padic_num_teichmueller(num_context(), T(3), X));
    DO(padic_num_teichmueller(num_context(), T(4), Y));
    DO(padic_num_mul(num_context(), T(5), T(3), T(4)));
    DO(padic_num_mul(num_context(), T(6), X, Y));
    DO(padic_num_teichmueller(num_context(), T(7), T(6)));
    for (size_t i = 0; i < w->n; i++) must(w, agree_at(w, i, 5, 7), "w(x y) = w(x) w(y)", i);
    if (w->r.p > 2) {
        DO(padic_num_pow(num_context(), T(5), T(3), (int64_t)w->r.p));
        for (size_t i = 0; i < w->n; i++) must(w, agree_at(w, i, 5, 3), "w(x)^p = w(x)", i);
    }
    // Iwasawa's logarithm of a root of unity is 0.
    DO(padic_num_log(num_context(), T(5), T(3), PADIC_NUM_LOG_IWASAWA));
    for (size_t i = 0; i < w->n; i++) {
        onum t;
        o_unpack(&w->x[3], i, &t);
        if (!t.u.n) continue;
        o_unpack(&w->x[5], i, &t);
        must(w, !t.u.n && !(t.status & 63), "log w = 0", i);
    }
}
TEST(teichmueller_laws)
{
    in_worlds(teichmueller, 200);
}

TEST(euler_and_wilson)
{
    static const ring_case rings[] = {{3, 20, PADIC_NUM_W32},  {5, 12, PADIC_NUM_W32},
                                      {7, 8, PADIC_NUM_W32},   {257, 6, PADIC_NUM_W49},
                                      {257, 16, PADIC_NUM_RX}, {1009, 6, PADIC_NUM_W64}};
    for (size_t q = 0; q < sizeof rings / sizeof *rings; q++) {
        const uint64_t p = rings[q].p;
        padic_num_ring ring;
        oring r;
        narr x, y, s;
        onum t, product;
        CHECK_EQ(padic_num_ring_init(&ring, p, rings[q].N, NULL), PADIC_OK);
        o_ring(&r, p, rings[q].N);
        const size_t n = (size_t)p - 1;
        narr_new(&x, &ring, O_RING, n, 0);
        narr_new(&y, &ring, O_RING, n, 0);
        narr_new(&s, &ring, O_RING, 1, 0);
        for (size_t u = 1; u < p; u++) {
            random_num(&r, O_RING, &t);
            big_mul(&t.u, &t.u, &r.pw[1]);
            big_u64(&product.u, u);
            big_add(&t.u, &t.u, &product.u);
            big_mod(&t.u, &t.u, o_P(&r));
            o_pack(&x, u - 1, &t); // one unit of each class modulo p
        }
        // u^(p^(N-1) (p-1)) = 1, in steps of p.
        DO(padic_num_pow(num_context(), &y.a, &x.a, (int64_t)p - 1));
        for (uint32_t k = 1; k < r.N; k++) DO(padic_num_pow(num_context(), &y.a, &y.a, (int64_t)p));
        for (size_t i = 0; i < n; i++) {
            o_unpack(&y, i, &t);
            CHECK(t.u.n == 1 && t.u.w[0] == 1);
        }
        // The Teichmueller residues sum to 0 and multiply to -1; Wilson.
        DO(padic_num_teichmueller(num_context(), &y.a, &x.a));
        DO(padic_num_sum(num_context(), &s.a, &y.a));
        o_unpack(&s, 0, &t);
        CHECK(!t.u.n);
        for (int wilson = 0; wilson < 2; wilson++) {
            narr one;
            narr_new(&one, &ring, O_RING, 1, 0);
            o_int(&r, O_RING, &t, 1);
            o_pack(&s, 0, &t);
            for (size_t i = 0; i < n; i++) {
                o_unpack(wilson ? &x : &y, i, &t);
                o_pack(&one, 0, &t);
                DO(padic_num_mul(num_context(), &s.a, &s.a, &one.a));
            }
            o_unpack(&s, 0, &t);
            big_add(&t.u, &t.u, &r.pw[0]);
            big_mod(&t.u, &t.u, wilson ? &r.pw[1] : o_P(&r));
            CHECK(!t.u.n);
            narr_free(&one);
        }
        narr_free(&x);
        narr_free(&y);
        narr_free(&s);
        o_ring_free(&r);
    }
}

// ---- 7: Hensel: x^(p-1) - 1 has the p-1 Teichmueller residues as its roots

TEST(roots_of_unity)
{
    static const ring_case rings[] = {{3, 20, PADIC_NUM_W32},
                                      {5, 27, PADIC_NUM_W64},
                                      {7, 40, PADIC_NUM_W128},
                                      {101, 30, PADIC_NUM_RX},
                                      {257, 6, PADIC_NUM_W49}};
    for (size_t q = 0; q < sizeof rings / sizeof *rings; q++) {
        const uint64_t p = rings[q].p;
        padic_num_ring ring;
        oring r;
        narr c, out, x, due;
        onum t, s;
        uint32_t found = 0;
        uint8_t guarantee = 9;
        CHECK_EQ(padic_num_ring_init(&ring, p, rings[q].N, NULL), PADIC_OK);
        o_ring(&r, p, rings[q].N);
        narr_new(&c, &ring, O_RING, (size_t)p, 0);
        narr_new(&out, &ring, O_RING, (size_t)p, 0);
        narr_new(&x, &ring, O_RING, (size_t)p, 0);
        narr_new(&due, &ring, O_RING, (size_t)p, 0);
        for (size_t k = 0; k < p; k++) {
            o_int(&r, O_RING, &t, k == 0 ? -1 : k == p - 1 ? 1 : 0);
            o_pack(&c, k, &t);
            o_int(&r, O_RING, &t, (int64_t)k + 1);
            o_pack(&x, k, &t);
        }
        padic_num_polynomial_roots_desc desc = PADIC_ZERO;
        desc.out = out.a;
        desc.coefficients = c.a;
        desc.terms = (uint32_t)p;
        desc.polynomials = 1;
        desc.root_limit = (uint32_t)p;
        desc.found = padic_tensor_1d(PADIC_U32, &found, 1);
        desc.guarantee = padic_tensor_1d(PADIC_U8, &guarantee, 1);
        desc.workspace = num_workspace(padic_num_polynomial_roots_workspace(&desc));
        DO(padic_num_polynomial_roots(num_context(), &desc));
        CHECK_EQ(found, p - 1);
        CHECK_EQ(guarantee, PADIC_NUM_GUARANTEE_EXACT);
        DO(padic_num_teichmueller(num_context(), &due.a, &x.a));
        for (size_t k = 0; k + 1 < p; k++) {
            o_unpack(&out, k, &t);
            o_unpack(&due, k, &s);
            CHECK(!big_cmp(&t.u, &s.u) && t.u.n);
        }
        num_workspace_end(&desc.workspace);
        narr_free(&c);
        narr_free(&out);
        narr_free(&x);
        narr_free(&due);
        o_ring_free(&r);
    }
}

// Singular seeds are said to be so, not lifted until something looks like a root.
TEST(singular_seeds)
{
    padic_num_ring ring;
    oring r;
    narr c, out, seeds;
    onum t;
    uint32_t found = 9;
    uint8_t guarantee = 9;
    CHECK_EQ(padic_num_ring_init(&ring, 7, 10, NULL), PADIC_OK);
    o_ring(&r, 7, 10);
    narr_new(&c, &ring, O_RING, 3, 0);
    narr_new(&out, &ring, O_RING, 4, 0);
    narr_new(&seeds, &ring, O_RING, 4, 0);
    const int64_t k[3] = {9, -6, 1}; // (x - 3)^2
    for (size_t i = 0; i < 3; i++) {
        o_int(&r, O_RING, &t, k[i]);
        o_pack(&c, i, &t);
    }
    for (size_t i = 0; i < 4; i++) {
        o_int(&r, O_RING, &t, (int64_t)i + 1);
        o_pack(&seeds, i, &t);
    }
    padic_num_hensel_desc desc = PADIC_ZERO;
    desc.out = out.a;
    desc.coefficients = c.a;
    desc.terms = 3;
    desc.seeds = seeds.a;
    DO(padic_num_hensel(num_context(), &desc));
    for (size_t i = 0; i < 4; i++) {
        o_unpack(&out, i, &t);
        CHECK(t.status == O_OUTSIDE && !t.u.n);
    }
    padic_num_polynomial_roots_desc all = PADIC_ZERO;
    all.out = out.a;
    all.coefficients = c.a;
    all.terms = 3;
    all.polynomials = 1;
    all.root_limit = 4;
    all.branches = 50;
    all.found = padic_tensor_1d(PADIC_U32, &found, 1);
    all.guarantee = padic_tensor_1d(PADIC_U8, &guarantee, 1);
    all.workspace = num_workspace(padic_num_polynomial_roots_workspace(&all));
    DO(padic_num_polynomial_roots(num_context(), &all));
    CHECK_EQ(found, 0); // a double root is never proven by digits
    CHECK_EQ(guarantee, PADIC_NUM_GUARANTEE_LOWER_BOUND);
    // A constant has no roots; the zero polynomial is refused.
    narr constant;
    narr_new(&constant, &ring, O_RING, 1, 0);
    o_int(&r, O_RING, &t, 5);
    o_pack(&constant, 0, &t);
    all.coefficients = constant.a;
    all.terms = 1;
    DO(padic_num_polynomial_roots(num_context(), &all));
    CHECK(found == 0 && guarantee == PADIC_NUM_GUARANTEE_EXACT);
    o_int(&r, O_RING, &t, 0);
    o_pack(&constant, 0, &t);
    CHECK_EQ(padic_num_polynomial_roots(num_context(), &all), PADIC_ERROR_ARGUMENT);
    num_workspace_end(&all.workspace);
    narr_free(&constant);
    narr_free(&c);
    narr_free(&out);
    narr_free(&seeds);
    o_ring_free(&r);
}

// ---- 8: truncation: op(x mod p^k) = op(x) mod p^k; and a ball holds the result at higher N

static void truncations(world *w)
{
    const uint32_t k = w->r.N / 2 + 1;
    padic_num_ring shorter;
    narr y[2], op_y, cut;
    onum a, b;
    if (w->model == O_FLOAT) return;
    if (!ring_in(&shorter, w->r.p, k, &forms[0])) abort();
    for (int i = 0; i < 2; i++) {
        narr_new(&y[i], &shorter, w->model, w->n, 0);
        narr_workspace(&y[i], padic_num_workspace(&w->ring));
        DO(padic_num_set_precision(num_context(), &y[i].a, &w->x[i].a));
    }
    narr_new(&op_y, &shorter, w->model, w->n, 0);
    narr_new(&cut, &shorter, w->model, w->n, 0);
    narr_workspace(&cut, padic_num_workspace(&w->ring));
    static const char *const names[] = {"add", "sub", "mul", "neg", "inv", "exp", "log", "sqrt"};
    for (int o = 0; o < 8; o++) {
        const padic_num_array *out[2] = {T(3), &op_y.a};
        for (int s = 0; s < 2; s++) {
            const padic_num_array *p = s ? &y[0].a : X, *q = s ? &y[1].a : Y;
            padic_result result = PADIC_OK;
            switch (o) {
            case 0:
                result = padic_num_add(num_context(), out[s], p, q);
                break;
            case 1:
                result = padic_num_sub(num_context(), out[s], p, q);
                break;
            case 2:
                result = padic_num_mul(num_context(), out[s], p, q);
                break;
            case 3:
                result = padic_num_neg(num_context(), out[s], p);
                break;
            case 4:
                result = padic_num_inv(num_context(), out[s], p);
                break;
            case 5:
                result = padic_num_exp(num_context(), out[s], p);
                break;
            case 6:
                result = padic_num_log(num_context(), out[s], p, PADIC_NUM_LOG_SERIES);
                break;
            default:
                if (w->r.p < 100000 || w->r.p % 4 == 3)
                    result = padic_num_sqrt(num_context(), out[s], p);
                break;
            }
            CHECK_EQ(result, PADIC_OK);
        }
        if (o == 7 && (w->model == O_RING || (w->r.p > 100000 && w->r.p % 4 == 1))) continue;
        DO(padic_num_set_precision(num_context(), &cut.a, T(3)));
        for (size_t i = 0; i < w->n; i++) {
            const uint32_t status = w->x[3].status[i];
            o_unpack(&cut, i, &a);
            o_unpack(&op_y, i, &b);
            if (w->model == O_RING) {
                // x = 0 mod p^k may be 0, or a disc not be decided there; then nothing is said.
                if ((status | b.status) & 63) continue;
                must(w, !big_cmp(&a.u, &b.u), names[o], i);
            } else if (!(status & 63) && !(b.status & 63)) {
                onum d;
                o_sub(&w->r, O_BALL, &d, &a, &b);
                must(w, d.kind == O_ZERO || (d.kind == O_FINITE && !d.n), names[o], i);
                // More digits never know less.
                if (a.kind == O_FINITE && b.kind == O_FINITE)
                    must(w, o_absolute(&a) >= o_absolute(&b) || a.n == k, names[o], i);
            }
        }
    }
    for (int i = 0; i < 2; i++) narr_free(&y[i]);
    narr_free(&op_y);
    narr_free(&cut);
}
TEST(truncation)
{
    in_worlds(truncations, 200);
}

// ---- 9: fractions come back up to the bound, and not above it

TEST(fractions_return)
{
    static const ring_case rings[] = {{257, 6, PADIC_NUM_W49},
                                      {2, 64, PADIC_NUM_B2},
                                      {5, 27, PADIC_NUM_W64},
                                      {65537, 3, PADIC_NUM_W49}};
    for (size_t q = 0; q < 4; q++) {
        enum { TRIALS = 2000 };
        padic_num_ring ring;
        oring r;
        narr x;
        static int64_t n[TRIALS], d[TRIALS], back_n[TRIALS], back_d[TRIALS];
        big bound;
        CHECK_EQ(padic_num_ring_init(&ring, rings[q].p, rings[q].N, NULL), PADIC_OK);
        o_ring(&r, rings[q].p, rings[q].N);
        o_bound(&r, &bound, r.N - 1);
        const int64_t most = (int64_t)big_low(&bound);
        narr_new(&x, &ring, O_FLOAT, TRIALS, 0);
        for (int i = 0; i < TRIALS; i++) {
            int64_t a, b;
            do {
                n[i] = (int64_t)(test_random() % (2 * (uint64_t)most + 1)) - most;
                d[i] = 1 + (int64_t)(test_random() % (uint64_t)most);
                if (i < 10) n[i] = i % 2 ? most : -most;
                for (a = n[i] < 0 ? -n[i] : n[i], b = d[i]; b;) {
                    const int64_t t = a % b;
                    a = b;
                    b = t;
                }
            } while (a != 1 || d[i] % (int64_t)r.p == 0 || n[i] % (int64_t)r.p == 0);
        }
        padic_num_from_rational_desc from = PADIC_ZERO;
        from.out = x.a;
        from.numerator = padic_tensor_1d(PADIC_I64, n, TRIALS);
        from.denominator = padic_tensor_1d(PADIC_I64, d, TRIALS);
        DO(padic_num_from_rational(num_context(), &from));
        padic_num_to_rational_desc to = PADIC_ZERO;
        to.in = x.a;
        to.numerator = padic_tensor_1d(PADIC_I64, back_n, TRIALS);
        to.denominator = padic_tensor_1d(PADIC_I64, back_d, TRIALS);
        DO(padic_num_to_rational(num_context(), &to));
        for (int i = 0; i < TRIALS; i++) CHECK(back_n[i] == n[i] && back_d[i] == d[i]);
        narr_free(&x);
        o_ring_free(&r);
    }
}

// Random residues, as an overflow leaves them: accepted at the rate (6/pi^2) p/(p + 1) p^-g,
// within 4 sigma; with a guard digit the wrong ones are found out.
TEST(overflow_is_noticed)
{
    const uint64_t trials = test_tiny ? 20000 : test_full() ? 1000000 : 200000;
    enum { BATCH = 20000 };
    static const uint64_t primes[] = {257, 5, 2};
    for (size_t q = 0; q < 3; q++) {
        padic_num_ring ring;
        narr x;
        static int64_t n[BATCH], d[BATCH];
        const uint32_t N = q == 0 ? 6 : q == 1 ? 20 : 48;
        CHECK_EQ(padic_num_ring_init(&ring, primes[q], N, NULL), PADIC_OK);
        narr_new(&x, &ring, O_RING, BATCH, 0);
        for (uint32_t g = 0; g < 2; g++) {
            uint64_t accepted = 0;
            const double p = (double)primes[q];
            const double rate = 0.6079271018540267 * p / (p + 1.0) / (g ? p : 1.0);
            for (uint64_t at = 0; at < trials; at += BATCH) {
                padic_num_random_desc random = PADIC_ZERO;
                random.out = x.a;
                random.seed = 7;
                random.first = at;
                DO(padic_num_random(num_context(), &random));
                uint32_t sticky = 0;
                padic_num_to_rational_desc to = PADIC_ZERO;
                to.in = x.a;
                to.numerator = padic_tensor_1d(PADIC_I64, n, BATCH);
                to.denominator = padic_tensor_1d(PADIC_I64, d, BATCH);
                to.guard = g ? 1 : PADIC_NUM_RATIONAL_NO_GUARD;
                to.sticky = &sticky;
                DO(padic_num_to_rational(num_context(), &to));
                for (int i = 0; i < BATCH; i++) accepted += d[i] != 0;
            }
            const double mean = rate * (double)trials;
            const double deviation = (double)accepted - mean;
            if (deviation * deviation > 16.0 * mean * (1.0 - rate))
                printf("\n    p %d g %u: %lu accepted, %.0f expected", (int)primes[q], (unsigned)g,
                       (unsigned long)accepted, mean);
            CHECK(deviation * deviation <= 16.0 * mean * (1.0 - rate));
        }
        narr_free(&x);
    }
}

// The page's experiment: products that outgrow P come back flagged, never as a wrong fraction,
// but for about 1 in p guards.
TEST(grown_products)
{
    enum { COUNT = 4000 };
    padic_num_ring ring;
    oring r;
    narr x, y;
    static int64_t n[COUNT], d[COUNT];
    static uint8_t status[COUNT];
    static onum t[2];
    uint32_t wrong_values = 0, flagged = 0;
    CHECK_EQ(padic_num_ring_init(&ring, 257, 6, NULL), PADIC_OK);
    o_ring(&r, 257, 6);
    narr_new(&x, &ring, O_FLOAT, COUNT, 0);
    narr_new(&y, &ring, O_FLOAT, COUNT, 0);
    static int64_t a[COUNT], b[COUNT];
    for (size_t i = 0; i < COUNT; i++) {
        a[i] = (int64_t)(test_random() % 2000000000) + 1000000000;
        b[i] = (int64_t)(test_random() % 2000000000) + 1000000000;
        o_int(&r, O_FLOAT, &t[0], a[i]);
        o_int(&r, O_FLOAT, &t[1], b[i]);
        o_pack(&x, i, &t[0]);
        o_pack(&y, i, &t[1]);
    }
    DO(padic_num_mul(num_context(), &x.a, &x.a, &y.a));
    padic_num_to_rational_desc to = PADIC_ZERO;
    to.in = x.a;
    to.numerator = padic_tensor_1d(PADIC_I64, n, COUNT);
    to.denominator = padic_tensor_1d(PADIC_I64, d, COUNT);
    to.status = padic_tensor_1d(PADIC_U8, status, COUNT);
    DO(padic_num_to_rational(num_context(), &to));
    for (size_t i = 0; i < COUNT; i++) {
        flagged += status[i] == O_RATREC && d[i] == 0 && n[i] == 0;
        wrong_values += d[i] != 0;
    }
    CHECK_EQ(flagged + wrong_values, COUNT);
    CHECK(wrong_values < 40); // about 9 or 10
    to.guard = 3;
    DO(padic_num_to_rational(num_context(), &to));
    for (size_t i = 0; i < COUNT; i++) CHECK(d[i] == 0 && status[i] == O_RATREC);
    narr_free(&x);
    narr_free(&y);
    o_ring_free(&r);
}

// ---- 10: the field of fractions; the product formula; primes changed

TEST(field_of_fractions)
{
    enum { COUNT = 500 };
    padic_num_ring ring;
    narr x, y, z;
    static int64_t n[3][COUNT], d[3][COUNT];
    CHECK_EQ(padic_num_ring_init(&ring, 5, 27, NULL), PADIC_OK);
    narr_new(&x, &ring, O_BALL, COUNT, 0);
    narr_new(&y, &ring, O_BALL, COUNT, 0);
    narr_new(&z, &ring, O_BALL, COUNT, 0);
    for (size_t i = 0; i < COUNT; i++)
        for (int k = 0; k < 2; k++) {
            n[k][i] = (int64_t)(test_random() % 2001) - 1000;
            d[k][i] = 1 + (int64_t)(test_random() % 1000);
        }
    for (int k = 0; k < 2; k++) {
        padic_num_from_rational_desc from = PADIC_ZERO;
        from.out = k ? y.a : x.a;
        from.numerator = padic_tensor_1d(PADIC_I64, n[k], COUNT);
        from.denominator = padic_tensor_1d(PADIC_I64, d[k], COUNT);
        DO(padic_num_from_rational(num_context(), &from));
    }
    for (int o = 0; o < 4; o++) {
        padic_num_to_rational_desc to = PADIC_ZERO;
        uint32_t sticky = 0;
        z.a.sticky = &sticky;
        DO(o == 0   ? padic_num_add(num_context(), &z.a, &x.a, &y.a)
           : o == 1 ? padic_num_sub(num_context(), &z.a, &x.a, &y.a)
           : o == 2 ? padic_num_mul(num_context(), &z.a, &x.a, &y.a)
                    : padic_num_div(num_context(), &z.a, &x.a, &y.a));
        to.in = z.a;
        to.numerator = padic_tensor_1d(PADIC_I64, n[2], COUNT);
        to.denominator = padic_tensor_1d(PADIC_I64, d[2], COUNT);
        to.sticky = &sticky;
        DO(padic_num_to_rational(num_context(), &to));
        for (size_t i = 0; i < COUNT; i++) {
            int64_t num, den;
            if (o == 3)
                num = n[0][i] * d[1][i], den = d[0][i] * n[1][i];
            else if (o == 2)
                num = n[0][i] * n[1][i], den = d[0][i] * d[1][i];
            else
                num = n[0][i] * d[1][i] + (o ? -1 : 1) * n[1][i] * d[0][i], den = d[0][i] * d[1][i];
            if (!den) continue; // said by DIV0
            big a, b;
            big_i64(&a, num);
            big_i64(&b, d[2][i]);
            big_mul(&a, &a, &b);
            big p, q;
            big_i64(&p, n[2][i]);
            big_i64(&q, den);
            big_mul(&p, &p, &q);
            CHECK(!big_cmp(&a, &p) && d[2][i] > 0);
        }
        z.a.sticky = NULL;
    }
    narr_free(&x);
    narr_free(&y);
    narr_free(&z);
}

// |x|_inf prod |x|_p = 1
TEST(product_formula)
{
    static const uint64_t primes[] = {2, 3, 5, 7, 11, 13};
    enum { COUNT = 300 };
    static int64_t n[COUNT], d[COUNT];
    int32_t v[COUNT];
    double product[COUNT];
    for (size_t i = 0; i < COUNT; i++) {
        n[i] = d[i] = 1;
        for (size_t q = 0; q < 6; q++)
            for (uint64_t k = test_random() % 4; k; k--)
                *(test_random() % 2 ? &n[i] : &d[i]) *= (int64_t)primes[q];
        product[i] = (double)n[i] / (double)d[i];
        if (test_random() % 2) n[i] = -n[i];
    }
    for (size_t q = 0; q < 6; q++) {
        padic_num_ring ring;
        CHECK_EQ(padic_num_ring_init(&ring, primes[q], 1, NULL), PADIC_OK);
        const padic_tensor val = padic_tensor_1d(PADIC_I32, v, COUNT);
        const padic_tensor num = padic_tensor_1d(PADIC_I64, n, COUNT);
        const padic_tensor den = padic_tensor_1d(PADIC_I64, d, COUNT);
        DO(num_valuation_of(num_context(), &ring, &val, &num, &den));
        for (size_t i = 0; i < COUNT; i++) {
            for (int32_t k = v[i]; k > 0; k--) product[i] /= (double)primes[q];
            for (int32_t k = v[i]; k < 0; k++) product[i] *= (double)primes[q];
        }
    }
    for (size_t i = 0; i < COUNT; i++) CHECK_NEAR(product[i], 1.0, 1e-13);
}

// Through other primes and back; each array keeps its own ring.
TEST(primes_and_back)
{
    enum { COUNT = 200 };
    padic_num_ring five, seven, two;
    narr x, y, z, back;
    static int64_t n[COUNT], d[COUNT];
    CHECK_EQ(padic_num_ring_init(&five, 5, 27, NULL), PADIC_OK);
    CHECK_EQ(padic_num_ring_init(&seven, 7, 22, NULL), PADIC_OK);
    CHECK_EQ(padic_num_ring_init(&two, 2, 64, NULL), PADIC_OK);
    narr_new(&x, &five, O_FLOAT, COUNT, 0);
    narr_new(&y, &seven, O_FLOAT, COUNT, 0);
    narr_new(&z, &two, O_FLOAT, COUNT, 0);
    narr_new(&back, &five, O_FLOAT, COUNT, 0);
    for (size_t i = 0; i < COUNT; i++) {
        n[i] = (int64_t)(test_random() % 200001) - 100000;
        d[i] = 1 + (int64_t)(test_random() % 100000);
    }
    padic_num_from_rational_desc from = PADIC_ZERO;
    from.out = x.a;
    from.numerator = padic_tensor_1d(PADIC_I64, n, COUNT);
    from.denominator = padic_tensor_1d(PADIC_I64, d, COUNT);
    DO(padic_num_from_rational(num_context(), &from));
    DO(padic_num_change_prime(num_context(), &y.a, &x.a));
    DO(padic_num_change_prime(num_context(), &z.a, &y.a));
    DO(padic_num_change_prime(num_context(), &back.a, &z.a));
    for (size_t i = 0; i < COUNT; i++) {
        onum a, b;
        o_unpack(&x, i, &a);
        o_unpack(&back, i, &b);
        CHECK(o_same(O_FLOAT, &a, &b));
    }
    narr_free(&x);
    narr_free(&y);
    narr_free(&z);
    narr_free(&back);
}

// det(A B) = det A det B; A solve(A, b) = b over the rationals.
TEST(linear_algebra)
{
    enum { N = 5, BATCH = 40 };
    static int64_t a[BATCH][N * N], b[BATCH][N * N], c[BATCH][N * N];
    static int64_t right[BATCH][N], num[BATCH][N], den[BATCH], det[3][BATCH];
    static uint8_t status[BATCH];
    for (int k = 0; k < BATCH; k++) {
        for (int i = 0; i < N * N; i++) {
            a[k][i] = (int64_t)(test_random() % 41) - 20;
            b[k][i] = (int64_t)(test_random() % 41) - 20;
        }
        for (int i = 0; i < N; i++) right[k][i] = (int64_t)(test_random() % 201) - 100;
        if (k % 8 == 7) memcpy(a[k], a[k] + N, N * 8); // singular
        for (int i = 0; i < N; i++)
            for (int j = 0; j < N; j++) {
                c[k][i * N + j] = 0;
                for (int m = 0; m < N; m++) c[k][i * N + j] += a[k][i * N + m] * b[k][m * N + j];
            }
    }
    for (int which = 0; which < 3; which++) {
        padic_num_det_desc desc = PADIC_ZERO;
        desc.matrix = padic_tensor_3d(PADIC_I64, which == 0 ? a : which == 1 ? b : c, BATCH, N, N);
        desc.out = padic_tensor_1d(PADIC_I64, det[which], BATCH);
        desc.workspace = num_workspace(padic_num_det_workspace(&desc));
        DO(padic_num_det(num_context(), &desc));
        num_workspace_end(&desc.workspace);
    }
    for (int k = 0; k < BATCH; k++) CHECK_EQ((uint64_t)det[0][k] * (uint64_t)det[1][k], det[2][k]);
    padic_num_solve_desc s = PADIC_ZERO;
    s.matrix = padic_tensor_3d(PADIC_I64, a, BATCH, N, N);
    s.right = padic_tensor_2d(PADIC_I64, right, BATCH, N);
    s.numerator = padic_tensor_2d(PADIC_I64, num, BATCH, N);
    s.denominator = padic_tensor_1d(PADIC_I64, den, BATCH);
    s.status = padic_tensor_1d(PADIC_U8, status, BATCH);
    s.workspace = num_workspace(padic_num_solve_workspace(&s));
    DO(padic_num_solve(num_context(), &s));
    num_workspace_end(&s.workspace);
    for (int k = 0; k < BATCH; k++) {
        if (!det[0][k]) {
            CHECK(status[k] == O_DIV0 && den[k] == 0);
            continue;
        }
        CHECK(den[k] > 0 && status[k] == 0);
        for (int i = 0; i < N; i++) {
            int64_t sum = 0;
            for (int j = 0; j < N; j++) sum += a[k][i * N + j] * num[k][j];
            CHECK_EQ(sum, right[k][i] * den[k]);
        }
    }
}

// ---- 11: every float comes back bit by bit

static uint64_t f64_bits(double x)
{
    uint64_t bits;
    memcpy(&bits, &x, 8);
    return bits;
}

// Of one dtype through one ring: `bits` gives the patterns, n of them at a time.
static void floats_return(uint64_t p, padic_dtype dtype, padic_num_float_mode mode, uint64_t turns,
                          uint64_t (*pattern)(uint64_t))
{
    enum { BATCH = 4096 };
    const uint32_t size = padic_dtype_size(dtype);
    static uint64_t in[BATCH], back[BATCH];
    static int16_t exponent[BATCH];
    padic_num_ring ring;
    narr x;
    uint32_t sticky = 0;
    uint64_t bad = 0;
    CHECK_EQ(padic_num_ring_init(&ring, p, num_fit_float(p, dtype), NULL), PADIC_OK);
    narr_new(&x, &ring, O_FLOAT, BATCH, NARR_NO_STATUS);
    for (uint64_t at = 0; at < turns; at += BATCH) {
        for (uint64_t i = 0; i < BATCH; i++) {
            const uint64_t b = pattern(at + i);
            const uint16_t h = (uint16_t)b;
            const uint32_t w = (uint32_t)b;
            memcpy((char *)in + i * size,
                   size == 2   ? (const void *)&h
                   : size == 4 ? (const void *)&w
                               : (const void *)&b,
                   size);
        }
        padic_num_from_float_desc from = PADIC_ZERO;
        padic_num_to_float_desc to = PADIC_ZERO;
        sticky = 0;
        from.out = x.a;
        from.out.sticky = &sticky;
        from.in = padic_tensor_1d(dtype, in, BATCH);
        from.mode = to.mode = mode;
        if (mode == PADIC_NUM_FLOAT_SPLIT)
            from.exponent = to.exponent = padic_tensor_1d(PADIC_I16, exponent, BATCH);
        DO(padic_num_from_float(num_context(), &from));
        to.in = x.a;
        to.out = padic_tensor_1d(dtype, back, BATCH);
        to.sticky = &sticky;
        DO(padic_num_to_float(num_context(), &to));
        for (uint64_t i = 0; i < BATCH; i++) {
            const ofloat *f = dtype == PADIC_F16    ? &o_f16
                              : dtype == PADIC_BF16 ? &o_bf16
                              : dtype == PADIC_F32  ? &o_f32
                                                    : &o_f64;
            uint64_t due = 0, got = 0;
            const uint64_t sign = UINT64_C(1) << (f->t - 1 + f->exponent_bits);
            uint16_t h[2];
            uint32_t w[2];
            memcpy(h, (char *)in + i * 2, 2), memcpy(h + 1, (char *)back + i * 2, 2);
            if (size == 4) memcpy(w, (char *)in + i * 4, 4), memcpy(w + 1, (char *)back + i * 4, 4);
            due = size == 2 ? h[0] : size == 4 ? w[0] : in[i];
            got = size == 2 ? h[1] : size == 4 ? w[1] : back[i];
            int64_t m, m2;
            int e, e2;
            if (!o_float_parts(f, due, &m, &e)) { // Inf, NaN: NaN
                bad += o_float_parts(f, got, &m2, &e2) != 0;
            } else {
                bad += got != (due == sign ? 0 : due); // -0 loses its sign, and that is said
            }
        }
    }
    if (bad) printf("\n    p %lu type %d mode %d N %u", (unsigned long)p, (int)dtype, (int)mode,
                    ring.precision);
    CHECK_EQ(bad, 0);
    narr_free(&x);
}

static uint64_t counted(uint64_t i)
{
    return i;
}
static uint64_t spread(uint64_t i)
{
    return i * 2654435761u;
} // of all 2^32
static uint64_t any_f64(uint64_t i)
{
    static const uint64_t extremes[] = {1,
                                        UINT64_C(0x000fffffffffffff),
                                        UINT64_C(0x0010000000000000),
                                        UINT64_C(0x7fefffffffffffff),
                                        UINT64_C(0xffefffffffffffff),
                                        UINT64_C(0x8000000000000001),
                                        UINT64_C(0x7ff0000000000000),
                                        UINT64_C(0x8000000000000000),
                                        UINT64_C(0x7ff8000000000001)};
    if (i < sizeof extremes / sizeof *extremes) return extremes[i];
    return i % 16 == 3 ? test_random() & UINT64_C(0x800fffffffffffff) : test_random();
}

TEST(floats_come_back)
{
    static const uint64_t primes[] = {2, 3, 257, 65537};
    const uint64_t few = test_tiny ? 4096 : test_full() ? UINT64_C(1) << 26 : UINT64_C(1) << 18;
    CHECK_EQ(f64_bits(1.0), UINT64_C(0x3ff0000000000000));
    for (int q = 0; q < 4; q++) {
        for (int mode = primes[q] == 2 ? PADIC_NUM_FLOAT_DIRECT : PADIC_NUM_FLOAT_SPLIT;
             mode <= PADIC_NUM_FLOAT_SPLIT; mode++) {
            const padic_num_float_mode m = (padic_num_float_mode)mode;
            floats_return(primes[q], PADIC_F16, m, test_tiny ? 8192 : 65536, counted);
            floats_return(primes[q], PADIC_BF16, m, test_tiny ? 8192 : 65536, counted);
            floats_return(primes[q], PADIC_F32, m, few, spread);
            floats_return(primes[q], PADIC_F64, m, few, any_f64);
        }
    }
}

TEST_MAIN("num_identities", CASE(ring_axioms), CASE(summation), CASE(metric_laws), CASE(triples),
          CASE(units), CASE(digits), CASE(square_roots), CASE(squares_counted), CASE(exp_and_log),
          CASE(teichmueller_laws), CASE(euler_and_wilson), CASE(roots_of_unity),
          CASE(singular_seeds), CASE(truncation), CASE(fractions_return), CASE(overflow_is_noticed),
          CASE(grown_products), CASE(field_of_fractions), CASE(product_formula),
          CASE(primes_and_back), CASE(linear_algebra), CASE(floats_come_back))
