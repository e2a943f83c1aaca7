// test_num_golden.c: published and hand-computed values of p-adic numbers. Digits are written
// lowest first.

#define PADIC_IMPLEMENTATION
#include "../../padic.h"
#include "num_oracle.h"
#include "../support/padic_test.h"
#include "../support/num_calls.h"
#include "num_cases.h"

// A ring and an array of n numbers in it.
typedef struct numbers {
    padic_num_ring ring;
    oring r;
    narr x;
    int model;
} numbers;

static void numbers_new(numbers *s, uint64_t p, uint32_t N, int model, size_t n)
{
    CHECK_EQ(padic_num_ring_init(&s->ring, p, N, NULL), PADIC_OK);
    o_ring(&s->r, p, N);
    narr_new(&s->x, &s->ring, model, n, 0);
    s->model = model;
}

static void numbers_free(numbers *s)
{
    narr_free(&s->x);
    o_ring_free(&s->r);
}

static void put(numbers *s, size_t i, int64_t value)
{
    onum t;
    o_int(&s->r, s->model, &t, value);
    o_pack(&s->x, i, &t);
}

// x[0] = n / d by the library.
static void put_fraction(numbers *s, int64_t n, int64_t d)
{
    padic_num_from_rational_desc desc = PADIC_ZERO;
    desc.out = s->x.a;
    desc.numerator = padic_tensor_1d(PADIC_I64, &n, 1);
    desc.denominator = padic_tensor_1d(PADIC_I64, &d, 1);
    CHECK_EQ(padic_num_from_rational(num_context(), &desc), PADIC_OK);
}

static uint64_t unit_of(const numbers *s, size_t i)
{
    onum t;
    o_unpack(&s->x, i, &t);
    return big_low(&t.u);
}

static int64_t val_of(const numbers *s, size_t i)
{
    onum t;
    o_unpack(&s->x, i, &t);
    return t.kind == O_FINITE ? t.v : t.kind == O_ZERO ? INT32_MAX : INT32_MIN;
}

// The digits of x[0].
static void check_digits(const numbers *s, int kind, const int *due, uint32_t count)
{
    int32_t digits[64];
    padic_num_to_digits_desc desc = PADIC_ZERO;
    desc.in = s->x.a;
    desc.digits = padic_tensor_2d(PADIC_I32, digits, s->ring.precision, 1);
    desc.kind = (padic_num_digit_kind)kind;
    REQUIRE(s->ring.precision <= 64);
    if (kind != PADIC_NUM_DIGITS_BALANCED) desc.digits.dtype = PADIC_U32;
    CHECK_EQ(padic_num_to_digits(num_context(), &desc), PADIC_OK);
    for (uint32_t i = 0; i < count; i++) CHECK_EQ(digits[i], due[i]);
    // And back.
    padic_num_from_digits_desc back = PADIC_ZERO;
    const uint64_t u = unit_of(s, 0);
    back.out = s->x.a;
    back.digits = desc.digits;
    back.kind = desc.kind;
    CHECK_EQ(padic_num_from_digits(num_context(), &back), PADIC_OK);
    CHECK_EQ(unit_of(s, 0), u);
}

static void check_fraction_digits(uint64_t p, uint32_t N, int64_t n, int64_t d, int kind,
                                  const int *due, uint32_t count)
{
    numbers s;
    numbers_new(&s, p, N, O_RING, 1);
    put_fraction(&s, n, d);
    check_digits(&s, kind, due, count);
    numbers_free(&s);
}

TEST(digits)
{
    static const uint64_t primes[] = {2, 3, 5, 7, 257, 65537};
    for (size_t q = 0; q < sizeof primes / sizeof *primes; q++) {
        const int p = (int)primes[q];
        const int top[7] = {p - 1, p - 1, p - 1, p - 1, p - 1, p - 1, p - 1};
        const int ones[7] = {1, 1, 1, 1, 1, 1, 1};
        check_fraction_digits(primes[q], 7, -1, 1, PADIC_NUM_DIGITS_STANDARD, top, 7);
        check_fraction_digits(primes[q], 7, 1, 1 - p, PADIC_NUM_DIGITS_STANDARD, ones, 7);
    }
    // Purely periodic tails are minus P0 / (p^L - 1): 1/2 and -1/2 in Z_5.
    const int half[] = {3, 2, 2, 2, 2, 2, 2, 2}, minus_half[] = {2, 2, 2, 2, 2, 2, 2, 2};
    const int third[] = {2, 3, 1, 3, 1, 3, 1, 3}, pi[] = {1, 4, 0, 2, 1, 4, 2, 3};
    const int balanced[] = {-2, -2, -2, -2, -2, -2, -2, -2};
    const int half_t[] = {3, 4, 0, 4, 1, 2}, seven_t[] = {2, 0, 3, 0, 4, 2};
    check_fraction_digits(5, 8, 1, 2, PADIC_NUM_DIGITS_STANDARD, half, 8);
    check_fraction_digits(5, 8, -1, 2, PADIC_NUM_DIGITS_STANDARD, minus_half, 8);
    check_fraction_digits(5, 8, 1, 3, PADIC_NUM_DIGITS_STANDARD, third, 8);
    check_fraction_digits(5, 8, 22, 7, PADIC_NUM_DIGITS_STANDARD, pi, 8);
    check_fraction_digits(5, 8, 1, 2, PADIC_NUM_DIGITS_BALANCED, balanced, 7);
    check_fraction_digits(5, 6, 1, 2, PADIC_NUM_DIGITS_TEICHMUELLER, half_t, 6);
    check_fraction_digits(5, 6, 7, 1, PADIC_NUM_DIGITS_TEICHMUELLER, seven_t, 6);
    const int largest[] = {256, 255, 256, 0, 1, 256}; // digits never go through 8 bits
    int64_t n = 0;
    for (int i = 5; i >= 0; i--) n = n * 257 + largest[i];
    check_fraction_digits(257, 6, n, 1, PADIC_NUM_DIGITS_STANDARD, largest, 6);
}

TEST(units)
{
    numbers s, f;
    numbers_new(&s, 257, 6, O_RING, 1);
    CHECK_EQ(big_low(o_P(&s.r)), UINT64_C(288136807515649));
    CHECK_EQ(s.ring.form, PADIC_NUM_W49);
    put_fraction(&s, 22, 7);
    CHECK_EQ(unit_of(&s, 0), UINT64_C(246974406441988));
    put_fraction(&s, -355, 113);
    CHECK_EQ(unit_of(&s, 0), UINT64_C(38248248785260));
    double tenth = 0.1;
    float tenth32 = 0.1f;
    padic_num_from_float_desc desc = PADIC_ZERO;
    desc.out = s.x.a;
    desc.in = padic_tensor_1d(PADIC_F64, &tenth, 1);
    CHECK_EQ(padic_num_from_float(num_context(), &desc), PADIC_OK);
    CHECK_EQ(unit_of(&s, 0), UINT64_C(51766683926673));
    numbers_free(&s);
    numbers_new(&f, 257, 6, O_FLOAT, 1);
    desc.out = f.x.a;
    CHECK_EQ(padic_num_from_float(num_context(), &desc), PADIC_OK);
    CHECK_EQ(unit_of(&f, 0), UINT64_C(51766683926673));
    CHECK_EQ(val_of(&f, 0), 0);
    numbers_free(&f);
    numbers_new(&f, 2, 64, O_FLOAT, 1);
    desc.out = f.x.a;
    CHECK_EQ(padic_num_from_float(num_context(), &desc), PADIC_OK);
    CHECK_EQ(unit_of(&f, 0), UINT64_C(3602879701896397));
    CHECK_EQ(val_of(&f, 0), -55);
    desc.in = padic_tensor_1d(PADIC_F32, &tenth32, 1);
    CHECK_EQ(padic_num_from_float(num_context(), &desc), PADIC_OK);
    CHECK_EQ(unit_of(&f, 0), 13421773);
    CHECK_EQ(val_of(&f, 0), -27);
    numbers_free(&f);
}

// ---- sums, binomials

// sum of n n! to -1 in every Z_p; the m-term sum of 2^k/k has v >= m + 1 - floor(log2(m + 1)).
TEST(sums)
{
    static const uint64_t primes[] = {2, 3, 5, 7, 257};
    for (size_t q = 0; q < sizeof primes / sizeof *primes; q++) {
        numbers s, t;
        const uint32_t N = primes[q] == 257 ? 3 : 12;
        numbers_new(&s, primes[q], N, O_RING, 1);
        numbers_new(&t, primes[q], N, O_RING, 3); // sum, n!, n
        put(&t, 0, 0);
        put(&t, 1, 1);
        put(&t, 2, 1);
        onum x[3];
        for (int i = 0; i < 3; i++) o_unpack(&t.x, (size_t)i, &x[i]);
        narr part[3];
        for (int i = 0; i < 3; i++) narr_new(&part[i], &t.ring, O_RING, 1, 0);
        for (int i = 0; i < 3; i++) o_pack(&part[i], 0, &x[i]);
        const int64_t last = (int64_t)primes[q] * (int64_t)N + 1;
        for (int64_t n = 1; n <= last; n++) {
            put(&s, 0, n);
            CHECK_EQ(padic_num_mul(num_context(), &part[1].a, &part[1].a, &s.x.a), PADIC_OK);
            CHECK_EQ(padic_num_fma(num_context(), &part[0].a, &part[1].a, &s.x.a, &part[0].a),
                     PADIC_OK);
        }
        o_unpack(&part[0], 0, &x[0]);
        big_add(&x[0].u, &x[0].u, &s.r.pw[0]);
        CHECK(!big_cmp(&x[0].u, o_P(&s.r)));
        for (int i = 0; i < 3; i++) narr_free(&part[i]);
        numbers_free(&s);
        numbers_free(&t);
    }
    numbers sum, term;
    numbers_new(&sum, 2, 200, O_BALL, 1);
    numbers_new(&term, 2, 200, O_BALL, 1);
    put(&sum, 0, 0);
    for (int m = 1; m <= 120; m++) {
        put_fraction(&term, 1, m);
        CHECK_EQ(padic_num_shift(num_context(), &term.x.a, &term.x.a, m), PADIC_OK);
        CHECK_EQ(padic_num_add(num_context(), &sum.x.a, &sum.x.a, &term.x.a), PADIC_OK);
        int log2 = 0;
        while (2 << log2 <= m + 1) log2++;
        CHECK((int64_t)val_of(&sum, 0) >= m + 1 - log2);
    }
    numbers_free(&sum);
    numbers_free(&term);
}

// C(n, k) as a FLOAT, by its product.
static void binomial(numbers *s, numbers *t, int64_t n, int64_t k)
{
    put(s, 0, 1);
    for (int64_t i = 1; i <= k; i++) {
        put_fraction(t, n - k + i, i);
        CHECK_EQ(padic_num_mul(num_context(), &s->x.a, &s->x.a, &t->x.a), PADIC_OK);
    }
}

static int carries(uint64_t m, uint64_t n, uint64_t p)
{
    int count = 0;
    for (uint64_t carry = 0; m || n || carry; m /= p, n /= p) {
        carry = m % p + n % p + carry >= p;
        count += (int)carry;
    }
    return count;
}

TEST(binomials)
{
    static const uint64_t wolstenholme[] = {5, 7, 11, 101, 257};
    for (size_t q = 0; q < sizeof wolstenholme / sizeof *wolstenholme; q++) {
        const uint64_t p = wolstenholme[q]; // C(2p, p) = 2 mod p^3
        numbers s, t;
        numbers_new(&s, p, 5, O_FLOAT, 1);
        numbers_new(&t, p, 5, O_FLOAT, 1);
        binomial(&s, &t, 2 * (int64_t)p, (int64_t)p);
        CHECK_EQ(val_of(&s, 0), 0);
        CHECK_EQ(unit_of(&s, 0) % (p * p * p), 2);
        numbers_free(&s);
        numbers_free(&t);
    }
    static const uint64_t primes[] = {2, 3, 5, 7};
    for (size_t q = 0; q < 4; q++) {
        const uint64_t p = primes[q];
        numbers s, t;
        numbers_new(&s, p, 10, O_FLOAT, 1);
        numbers_new(&t, p, 10, O_FLOAT, 1);
        for (int i = 0; i < 30; i++) { // Kummer: v(C(m + n, m)) = carries of m + n
            const int64_t m = (int64_t)(test_random() % 60), n = (int64_t)(test_random() % 60);
            binomial(&s, &t, m + n, m);
            CHECK_EQ(val_of(&s, 0), carries((uint64_t)m, (uint64_t)n, p));
        }
        put(&s, 0, 1);
        for (int64_t n = 1; n <= 100; n++) { // Legendre: v(n!) = sum of floor(n / p^i)
            int64_t v = 0;
            put(&t, 0, n);
            CHECK_EQ(padic_num_mul(num_context(), &s.x.a, &s.x.a, &t.x.a), PADIC_OK);
            for (int64_t m = n; m; m /= (int64_t)p) v += m / (int64_t)p;
            CHECK_EQ(val_of(&s, 0), v);
        }
        numbers_free(&s);
        numbers_free(&t);
        for (uint32_t k = 0; k < 8; k++) { // (1 + p)^(p^k) = 1 mod p^(k + 1)
            int64_t e = 1;
            numbers_new(&s, p, k + 1, O_RING, 1);
            for (uint32_t i = 0; i < k; i++) e *= (int64_t)p;
            put(&s, 0, 1 + (int64_t)p);
            CHECK_EQ(padic_num_pow(num_context(), &s.x.a, &s.x.a, e), PADIC_OK);
            CHECK_EQ(unit_of(&s, 0), 1);
            numbers_free(&s);
        }
    }
}

// ---- matrices

// v(det) of the n x n Hilbert matrix in balls, by elimination with the pivot of least valuation: a
// ball with a digit left proves its valuation.
static int64_t hilbert(uint64_t p, uint32_t N, int n)
{
    numbers det, ratio, row;
    int64_t v = INT64_MAX;
    narr *a = (narr *)malloc((size_t)n * sizeof *a);
    onum t, big_one, num;
    if (!a) abort();
    numbers_new(&det, p, N, O_BALL, 1);
    numbers_new(&ratio, p, N, O_BALL, 1);
    numbers_new(&row, p, N, O_BALL, (size_t)n);
    for (int i = 0; i < n; i++) {
        narr_new(&a[i], &det.ring, O_BALL, (size_t)n, 0);
        for (int j = 0; j < n; j++) {
            o_int(&det.r, O_BALL, &big_one, 1);
            o_int(&det.r, O_BALL, &num, i + j + 1);
            o_div(&det.r, O_BALL, &t, &big_one, &num);
            o_pack(&a[i], (size_t)j, &t);
        }
    }
    put(&det, 0, 1);
    int ok = 1;
    for (int k = 0; k < n && ok; k++) {
        int best = -1;
        int64_t least = INT64_MAX;
        for (int i = k; i < n; i++) {
            o_unpack(&a[i], (size_t)k, &t);
            if (t.kind == O_FINITE && t.n && t.v < least) {
                least = t.v;
                best = i;
            }
        }
        if (best < 0) {
            ok = 0;
            break;
        }
        const narr swap = a[k];
        a[k] = a[best];
        a[best] = swap;
        numbers pivot;
        numbers_new(&pivot, p, N, O_BALL, 1);
        o_unpack(&a[k], (size_t)k, &t);
        o_pack(&pivot.x, 0, &t);
        ok &= !padic_num_mul(num_context(), &det.x.a, &det.x.a, &pivot.x.a);
        for (int i = k + 1; i < n && ok; i++) {
            o_unpack(&a[i], (size_t)k, &t);
            o_pack(&ratio.x, 0, &t);
            ok &= !padic_num_div(num_context(), &ratio.x.a, &ratio.x.a, &pivot.x.a);
            ok &= !padic_num_mul(num_context(), &row.x.a, &a[k].a, &ratio.x.a);
            ok &= !padic_num_sub(num_context(), &a[i].a, &a[i].a, &row.x.a);
        }
        numbers_free(&pivot);
    }
    o_unpack(&det.x, 0, &t);
    if (ok && t.kind == O_FINITE && t.n) v = t.v;
    for (int i = 0; i < n; i++) narr_free(&a[i]);
    free(a);
    numbers_free(&det);
    numbers_free(&ratio);
    numbers_free(&row);
    return v;
}

TEST(hilbert_matrix)
{
    CHECK_EQ(hilbert(7, 22, test_tiny ? 10 : 100), test_tiny ? -7 : -196);
    if (!test_tiny) CHECK_EQ(hilbert(2, 64, 100), -632);
}

TEST(sixty_hilbert3)
{
    int64_t matrix[9] = {60, 30, 20, 30, 20, 15, 20, 15, 12}, right[3] = {1, 0, 0};
    int64_t numerator[3], denominator, det = 0;
    static const int64_t num[3] = {3, -3, 1}, den[3] = {20, 5, 2};
    uint64_t workspace[4096];
    padic_num_det_desc d = PADIC_ZERO;
    d.matrix = padic_tensor_2d(PADIC_I64, matrix, 3, 3);
    d.out = padic_tensor_1d(PADIC_I64, &det, 1);
    d.workspace = padic_tensor_1d(PADIC_U8, workspace, sizeof workspace);
    CHECK(padic_num_det_workspace(&d) <= sizeof workspace);
    CHECK_EQ(padic_num_det(num_context(), &d), PADIC_OK);
    CHECK_EQ(det, 100);
    padic_num_solve_desc s = PADIC_ZERO;
    s.matrix = d.matrix;
    s.right = padic_tensor_1d(PADIC_I64, right, 3);
    s.numerator = padic_tensor_1d(PADIC_I64, numerator, 3);
    s.denominator = padic_tensor_1d(PADIC_I64, &denominator, 1);
    s.verify = 1;
    s.workspace = padic_tensor_1d(PADIC_U8, workspace, sizeof workspace);
    CHECK(padic_num_solve_workspace(&s) <= sizeof workspace);
    CHECK_EQ(padic_num_solve(num_context(), &s), PADIC_OK);
    CHECK_EQ(denominator, 20);
    for (int i = 0; i < 3; i++) CHECK_EQ(numerator[i] * den[i], num[i] * denominator);
}

// ---- rational reconstruction: how many residues are accepted

TEST(accepted_residues)
{
    static const struct {
        uint64_t p;
        uint32_t N;
        uint32_t due[3]; // for 0, 1, 2 guard digits
    } cases[] = {{2, 12, {1679, 829, 395}},
                 {3, 8, {2977, 1023, 363}},
                 {5, 6, {7887, 1585, 321}},
                 {7, 5, {8877, 1279, 207}},
                 {257, 2, {40239, 167, 0}}};
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        numbers s;
        oring r;
        o_ring(&r, cases[c].p, cases[c].N);
        const size_t P = (size_t)big_low(o_P(&r));
        numbers_new(&s, cases[c].p, cases[c].N, O_RING, P);
        for (size_t u = 0; u < P; u++) put(&s, u, (int64_t)u);
        int64_t *n = (int64_t *)malloc(P * sizeof *n), *d = (int64_t *)malloc(P * sizeof *d);
        if (!n || !d) abort();
        for (uint32_t g = 0; g < (cases[c].N > 2 ? 3u : 2u); g++) {
            padic_num_to_rational_desc desc = PADIC_ZERO;
            uint32_t sticky = 0, accepted = 0;
            desc.in = s.x.a;
            desc.numerator = padic_tensor_1d(PADIC_I64, n, P);
            desc.denominator = padic_tensor_1d(PADIC_I64, d, P);
            desc.guard = g ? g : PADIC_NUM_RATIONAL_NO_GUARD;
            desc.sticky = &sticky;
            CHECK_EQ(padic_num_to_rational(num_context(), &desc), PADIC_OK);
            CHECK_EQ(sticky, PADIC_NUM_RATREC);
            for (size_t u = 0; u < P; u++) {
                if (!d[u]) continue;
                accepted++; // and it is a fraction of u
                const int64_t left = (n[u] - d[u] * (int64_t)u) % (int64_t)P;
                CHECK(left == 0 && d[u] > 0 && d[u] % (int64_t)cases[c].p);
            }
            CHECK_EQ(accepted, cases[c].due[g]);
        }
        free(n);
        free(d);
        numbers_free(&s);
        o_ring_free(&r);
    }
}

// ---- SOMOS-4 in balls: s(n+4) s(n) = s(n+3) s(n+1) + s(n+2)^2, all integers

TEST(somos)
{
    static const uint32_t precisions[] = {4, 10, 20, 40, 64};
    for (size_t q = 0; q < 5; q++) {
        enum { TERMS = 30 };
        static big exact[TERMS];
        numbers s[TERMS], t;
        big a, b;
        const uint32_t N = precisions[q];
        numbers_new(&t, 2, N, O_BALL, 1);
        int lost = 0;
        for (int i = 0; i < TERMS; i++) {
            onum x;
            numbers_new(&s[i], 2, N, O_BALL, 1);
            if (i < 4) {
                big_u64(&exact[i], 1);
                put(&s[i], 0, 1);
                continue;
            }
            big_mul(&a, &exact[i - 1], &exact[i - 3]);
            big_mul(&b, &exact[i - 2], &exact[i - 2]);
            big_add(&a, &a, &b);
            big_divide(&exact[i], &b, &a, &exact[i - 4]);
            CHECK(!b.n);
            CHECK_EQ(padic_num_mul(num_context(), &s[i].x.a, &s[i - 1].x.a, &s[i - 3].x.a),
                     PADIC_OK);
            CHECK_EQ(padic_num_square(num_context(), &t.x.a, &s[i - 2].x.a), PADIC_OK);
            CHECK_EQ(padic_num_add(num_context(), &s[i].x.a, &s[i].x.a, &t.x.a), PADIC_OK);
            o_unpack(&s[i].x, 0, &x);
            lost |= (int)(x.status & O_PRECLOSS);
            CHECK_EQ(padic_num_div(num_context(), &s[i].x.a, &s[i].x.a, &s[i - 4].x.a), PADIC_OK);
            o_unpack(&s[i].x, 0, &x);
            if (x.kind == O_NAN) {
                CHECK(lost); // and it was said before
                continue;
            }
            // v(exact - 2^v u) >= v + n
            big_copy(&a, &x.u);
            CHECK(x.v >= 0);
            if (x.v > 0) big_shift_left(&a, &a, (int)x.v);
            big_sub(&a, &exact[i], &a);
            if (a.n) CHECK(big_strip(&a, 2) >= x.v + (int64_t)x.n);
        }
        CHECK_EQ(big_low(&exact[13]), 620297);
        for (int i = 0; i < TERMS; i++) numbers_free(&s[i]);
        numbers_free(&t);
    }
}

// ---- distances

TEST(distances)
{
    static const int64_t x[] = {1, 0, 1, 123456}, y[] = {257, 257, 258, 123456};
    static const int32_t v[] = {0, 1, 1, INT32_MAX};
    for (int model = O_RING; model <= O_FLOAT; model++) {
        numbers a, b;
        int32_t val[4];
        double norm[4];
        uint32_t sticky = 0;
        numbers_new(&a, 257, 6, model, 4);
        numbers_new(&b, 257, 6, model, 4);
        for (size_t i = 0; i < 4; i++) {
            put(&a, i, x[i]);
            put(&b, i, y[i]);
        }
        padic_num_valuation_desc desc = PADIC_ZERO;
        desc.in = a.x.a;
        desc.other = b.x.a;
        desc.val = padic_tensor_1d(PADIC_I32, val, 4);
        desc.norm = padic_tensor_1d(PADIC_F64, norm, 4);
        desc.sticky = &sticky;
        CHECK_EQ(padic_num_valuation(num_context(), &desc), PADIC_OK);
        for (int i = 0; i < 4; i++) {
            CHECK_EQ(val[i], v[i]);
            CHECK_NEAR(norm[i], i == 3 ? 0.0 : i == 0 ? 1.0 : 1.0 / 257.0, 0.0);
        }
        numbers_free(&a);
        numbers_free(&b);
    }
}

// ---- roots and series, in every form

typedef enum which { SQRT, EXP, LOG, IWASAWA, TEICHMUELLER } which;

static void check_series(which w, uint64_t p, uint32_t N, int64_t x, uint64_t due)
{
    for (int f = 0; f < FORMS; f++) {
        for (int model = O_RING; model <= O_FLOAT; model++) {
            numbers s;
            padic_result result = PADIC_OK;
            padic_num_ring ring;
            if (!ring_in(&ring, p, N, &forms[f])) continue;
            numbers_new(&s, p, N, model, 1);
            narr_free(&s.x);
            s.ring = ring;
            narr_new(&s.x, &s.ring, model, 1, 0);
            put(&s, 0, x);
            const padic_num_array *a = &s.x.a;
            switch (w) {
            case SQRT:
                result = padic_num_sqrt(num_context(), a, a);
                break;
            case EXP:
                result = padic_num_exp(num_context(), a, a);
                break;
            case LOG:
                result = padic_num_log(num_context(), a, a, PADIC_NUM_LOG_SERIES);
                break;
            case IWASAWA:
                result = padic_num_log(num_context(), a, a, PADIC_NUM_LOG_IWASAWA);
                break;
            default:
                result = padic_num_teichmueller(num_context(), a, a);
                break;
            }
            CHECK_EQ(result, PADIC_OK);
            uint64_t got = unit_of(&s, 0);
            for (int64_t v = model == O_FLOAT ? val_of(&s, 0) : 0; v > 0; v--) got *= p;
            if (got != due)
                printf("\n    %s %s p %lu", forms[f].name, models[model], (unsigned long)p);
            CHECK_EQ(got, due);
            numbers_free(&s);
        }
    }
}

TEST(roots_and_series)
{
    check_series(SQRT, 7, 10, 2, 266983762);
    check_series(TEICHMUELLER, 5, 10, 2, 6139557);
    check_series(SQRT, 5, 10, -1, 6139557);
    check_series(TEICHMUELLER, 7, 6, 3, 34968);
    check_series(TEICHMUELLER, 257, 6, 2, UINT64_C(186508741356386));
    check_series(EXP, 5, 10, 5, 3474831);
    check_series(LOG, 5, 10, 6, 6970555);
    check_series(EXP, 7, 10, 7, 182289612);
    check_series(LOG, 7, 10, 8, 191396212);
    check_series(EXP, 2, 16, 4, 16717);
    check_series(LOG, 2, 16, 5, 9852);
    check_series(LOG, 2, 16, 3, 59636);
    check_series(EXP, 3, 10, 3, 27202);
    check_series(LOG, 3, 10, 4, 8553);
    check_series(EXP, 257, 6, 257, UINT64_C(196903012725117));
    check_series(LOG, 257, 6, 258, UINT64_C(139489269619005));
    check_series(IWASAWA, 5, 10, 2, 5659085);
    // Their digits: sqrt 2 in Z_7, its other root, sqrt -1 in Z_5.
    const int root[] = {3, 1, 2, 6, 1, 2, 1, 2, 4, 6}, other[] = {4, 5, 4, 0, 5, 4, 5, 4, 2, 0};
    const int i5[] = {2, 1, 2, 1, 3, 4, 2, 3, 0, 3};
    numbers s, two;
    numbers_new(&s, 7, 10, O_RING, 2);
    numbers_new(&two, 7, 10, O_RING, 1);
    put(&two, 0, 2);
    CHECK_EQ(padic_num_root_count(&s.ring, 2), 2);
    CHECK_EQ(num_roots(num_context(), &s.x.a, &two.x.a, 2), PADIC_OK);
    onum t;
    for (size_t k = 0; k < 2; k++) {
        o_unpack(&s.x, k, &t);
        o_pack(&two.x, 0, &t);
        check_digits(&two, PADIC_NUM_DIGITS_STANDARD, k ? other : root, 10);
    }
    numbers_free(&s);
    numbers_free(&two);
    numbers_new(&s, 5, 10, O_RING, 1);
    put(&s, 0, -1);
    CHECK_EQ(padic_num_sqrt(num_context(), &s.x.a, &s.x.a), PADIC_OK);
    check_digits(&s, PADIC_NUM_DIGITS_STANDARD, i5, 10);
    numbers_free(&s);
}

// ---- what earlier systems got wrong

// A number is its digits and nothing else: with the digits gone the value is gone.
TEST(nothing_but_digits)
{
    numbers s;
    int64_t n = 0, d = 0;
    numbers_new(&s, 257, 6, O_FLOAT, 1);
    put_fraction(&s, -355, 113);
    padic_num_to_rational_desc desc = PADIC_ZERO;
    desc.in = s.x.a;
    desc.numerator = padic_tensor_1d(PADIC_I64, &n, 1);
    desc.denominator = padic_tensor_1d(PADIC_I64, &d, 1);
    CHECK_EQ(padic_num_to_rational(num_context(), &desc), PADIC_OK);
    CHECK(n == -355 && d == 113);
    uint64_t *digits = (uint64_t *)s.x.unit;
    digits[0] ^= 1; // one digit differs: another fraction, or none
    CHECK_EQ(padic_num_to_rational(num_context(), &desc), PADIC_OK);
    CHECK(!(n == -355 && d == 113));
    memset(s.x.unit, 0, 8);
    ((int32_t *)s.x.val)[0] = PADIC_NUM_ZERO;
    CHECK_EQ(padic_num_to_rational(num_context(), &desc), PADIC_OK);
    CHECK(n == 0 && d == 1);
    numbers_free(&s);
}

// Integers up to 1,000 and their negatives come back, for every prime, with no guess.
TEST(small_integers)
{
    static const ring_case rings[] = {{2, 24, PADIC_NUM_B2},
                                      {3, 16, PADIC_NUM_W32},
                                      {257, 4, PADIC_NUM_W49},
                                      {65537, 3, PADIC_NUM_W49}};
    for (size_t q = 0; q < 4; q++) {
        numbers s;
        static int64_t n[2001], d[2001];
        numbers_new(&s, rings[q].p, rings[q].N, O_FLOAT, 2001);
        for (int k = 0; k <= 2000; k++) put(&s, (size_t)k, k - 1000);
        padic_num_to_rational_desc desc = PADIC_ZERO;
        desc.in = s.x.a;
        desc.numerator = padic_tensor_1d(PADIC_I64, n, 2001);
        desc.denominator = padic_tensor_1d(PADIC_I64, d, 2001);
        CHECK_EQ(padic_num_to_rational(num_context(), &desc), PADIC_OK);
        for (int k = 0; k <= 2000; k++) CHECK(n[k] == k - 1000 && d[k] == 1);
        numbers_free(&s);
    }
}

// Signs, scales and products: -1.5 + 2.25, 3 - 1, 1.5 x 2.25 in SCALED.
TEST(scaled)
{
    static const double x[] = {-1.5, 3.0, 1.5}, y[] = {2.25, -1.0, 2.25},
                        due[] = {0.75, 2.0, 3.375};
    numbers a, b;
    double back[3];
    numbers_new(&a, 257, 6, O_RING, 3);
    numbers_new(&b, 257, 6, O_RING, 3);
    padic_num_from_float_desc from = PADIC_ZERO;
    from.mode = PADIC_NUM_FLOAT_SCALED;
    from.scale = 10;
    double copy[3];
    memcpy(copy, x, sizeof copy);
    from.out = a.x.a;
    from.in = padic_tensor_1d(PADIC_F64, copy, 3);
    CHECK_EQ(padic_num_from_float(num_context(), &from), PADIC_OK);
    memcpy(copy, y, sizeof copy);
    from.out = b.x.a;
    CHECK_EQ(padic_num_from_float(num_context(), &from), PADIC_OK);
    padic_num_to_float_desc to = PADIC_ZERO;
    to.mode = PADIC_NUM_FLOAT_SCALED;
    to.out = padic_tensor_1d(PADIC_F64, back, 3);
    for (int k = 0; k < 2; k++) {
        numbers c;
        numbers_new(&c, 257, 6, O_RING, 3);
        CHECK_EQ(k ? padic_num_mul(num_context(), &c.x.a, &a.x.a, &b.x.a)
                   : padic_num_add(num_context(), &c.x.a, &a.x.a, &b.x.a),
                 PADIC_OK);
        to.in = c.x.a;
        to.scale = k ? 20 : 10;
        CHECK_EQ(padic_num_to_float(num_context(), &to), PADIC_OK);
        for (int i = k ? 2 : 0; i < (k ? 3 : 2); i++) CHECK_NEAR(back[i], due[i], 0.0);
        numbers_free(&c);
    }
    numbers_free(&a);
    numbers_free(&b);
}

// The same value has the same digits in any company: 0.015 beside 1e6.
TEST(no_batch_scale)
{
    static const double values[] = {0.015, 1e6, 5e-324, 1e-300, 1e300, -1.7976931348623157e308,
                                    2.0};
    enum { N = (int)(sizeof values / sizeof *values) };
    static const ring_case rings[] = {{2, 64, PADIC_NUM_B2}, {257, 6, PADIC_NUM_W49}};
    for (size_t q = 0; q < 2; q++) {
        numbers all, one;
        numbers_new(&all, rings[q].p, rings[q].N, O_FLOAT, N);
        numbers_new(&one, rings[q].p, rings[q].N, O_FLOAT, 1);
        double in[N], back[N];
        memcpy(in, values, sizeof in);
        padic_num_from_float_desc from = PADIC_ZERO;
        from.out = all.x.a;
        from.in = padic_tensor_1d(PADIC_F64, in, N);
        CHECK_EQ(padic_num_from_float(num_context(), &from), PADIC_OK);
        for (size_t i = 0; i < N; i++) {
            onum a, b;
            from.out = one.x.a;
            from.in = padic_tensor_1d(PADIC_F64, in + i, 1);
            CHECK_EQ(padic_num_from_float(num_context(), &from), PADIC_OK);
            o_unpack(&all.x, i, &a);
            o_unpack(&one.x, 0, &b);
            CHECK(o_same(O_FLOAT, &a, &b) && a.kind == O_FINITE);
        }
        if (q == 0) { // exactly m 2^e: no flush of tiny values, no cap
            padic_num_to_float_desc to = PADIC_ZERO;
            to.in = all.x.a;
            to.out = padic_tensor_1d(PADIC_F64, back, N);
            CHECK_EQ(padic_num_to_float(num_context(), &to), PADIC_OK);
            CHECK(!memcmp(back, values, sizeof back));
        }
        numbers_free(&all);
        numbers_free(&one);
    }
}

// ---- bytes, as any machine has to write and read them: 22/7, -355/113 over 257 with 3 digits, 0,
// nan(DIV0) and O(257^300) as balls modulo 257^6

static const uint8_t stream[106] = {0x50, 0x44, 0x4e, 0x01, 0x02, 0x07, 0x00, 0x00, 0x01,
                                    0x01, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x05, 0x00,
                                    0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x06, 0x00, 0x00,
                                    0x00, 0x00, 0x00, 0x00, 0x00, 0x5a, 0xab, 0x0e, 0x61,
                                    0x35, 0x46, 0x27, 0x52, // checksum of the header
                                    0x36, 0x00, 0x00, 0x00, // 54 bytes follow: units of 7 bytes,
                                    0x04, 0xbc, 0xc3, 0x35, 0x9f, 0xe0, 0x00, 0x9c, 0x67,
                                    0x90, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
                                    0x00, 0x00, 0x00, 0x01, 0x00, 0x00, 0x00, 0x00, 0x00,
                                    0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
                                    0x01, 0xfe, 0xff, 0xff, 0xff, 0x0f, 0xff, 0xff, 0xff,
                                    0xff, 0x0f, 0xd8, 0x04,       // v
                                    0x06, 0x03, 0x00, 0x00, 0x00, // n
                                    0x60, 0xcd, 0xcb, 0xf9, 0x99, 0xdc, 0x5e, 0x2d};

TEST(bytes)
{
    static const int64_t v[] = {0, -1, INT32_MAX, INT32_MIN, 300};
    static const uint64_t u[] = {UINT64_C(246974406441988), 9463708, 0, 1, 0};
    static const uint32_t n[] = {6, 3, 0, 0, 0};
    padic_num_report header;
    CHECK_EQ(num_info(stream, sizeof stream, &header), PADIC_OK);
    CHECK(header.model == PADIC_NUM_BALL && header.p == 257 && header.precision == 6 &&
          header.count == 5);
    for (int f = 0; f < FORMS; f++) {
        padic_num_ring ring;
        narr x;
        uint8_t again[200];
        size_t size = 0;
        if (!ring_in(&ring, 257, 6, &forms[f])) continue;
        narr_new(&x, &ring, O_BALL, 5, f % 2 ? NARR_KNOWN16 : NARR_VAL16);
        CHECK_EQ(num_read(num_context(), &x.a, stream, sizeof stream), PADIC_OK);
        for (size_t i = 0; i < 5; i++) {
            onum t;
            o_unpack(&x, i, &t);
            const int64_t got = t.kind == O_FINITE ? t.v : t.kind == O_ZERO ? INT32_MAX : INT32_MIN;
            CHECK(got == v[i] && big_low(&t.u) == u[i] && t.n == n[i]);
        }
        CHECK_EQ(num_write(num_context(), &x.a, again, sizeof again, &size), PADIC_OK);
        CHECK(size == sizeof stream && !memcmp(again, stream, size));
        // Newer versions, other magic, rings and shapes are told apart.
        memcpy(again, stream, sizeof stream);
        again[3] = 2;
        const padic_result newer = num_read(num_context(), &x.a, again, sizeof stream);
        CHECK(newer == PADIC_ERROR_VERSION || newer == PADIC_ERROR_CHECKSUM);
        again[3] = 1;
        again[0] ^= 1;
        CHECK_EQ(num_read(num_context(), &x.a, again, sizeof stream), PADIC_ERROR_CORRUPT);
        narr_free(&x);
        narr_new(&x, &ring, O_BALL, 4, 0);
        CHECK_EQ(num_read(num_context(), &x.a, stream, sizeof stream), PADIC_ERROR_CAPACITY);
        narr_free(&x);
        narr_new(&x, &ring, O_FLOAT, 5, 0);
        CHECK_EQ(num_read(num_context(), &x.a, stream, sizeof stream), PADIC_ERROR_RING);
        narr_free(&x);
    }
}

// ---- one policy for NaN, infinities and zeros

TEST(nan_table)
{
    // FLOAT: rows a, columns b of 0, 1, NaN (DIV0), NaN (OUTSIDE); '0' is zero, '1' a number.
    static const char *const table[4][4] = {{"01DO", "11DO", "DDDD", "OOOO"},  // a + b
                                            {"01DO", "1.DO", "DDDD", "OOOO"},  // a - b
                                            {"00DO", "01DO", "DDDD", "OOOO"},  // a b
                                            {"D0DO", "D1DO", "DDDD", "OOOO"}}; // a / b
    numbers a, b, out;
    numbers_new(&a, 257, 6, O_FLOAT, 1);
    numbers_new(&b, 257, 6, O_FLOAT, 1);
    numbers_new(&out, 257, 6, O_FLOAT, 1);
    for (int o = 0; o < 4; o++) {
        for (int i = 0; i < 4; i++) {
            for (int j = 0; j < 4; j++) {
                onum t;
                for (int k = 0; k < 2; k++) {
                    const int row = k ? j : i;
                    o_int(&a.r, O_FLOAT, &t, row);
                    if (row > 1) o_special(&t, O_NAN, row == 2 ? O_DIV0 : O_OUTSIDE);
                    o_pack(k ? &b.x : &a.x, 0, &t);
                }
                const padic_num_array *x = &a.x.a, *y = &b.x.a, *z = &out.x.a;
                CHECK_EQ(o == 0   ? padic_num_add(num_context(), z, x, y)
                         : o == 1 ? padic_num_sub(num_context(), z, x, y)
                         : o == 2 ? padic_num_mul(num_context(), z, x, y)
                                  : padic_num_div(num_context(), z, x, y),
                         PADIC_OK);
                o_unpack(&out.x, 0, &t);
                char got = t.kind == O_ZERO ? '0' : t.kind == O_FINITE ? '1' : '?';
                if (t.kind == O_NAN && t.status == big_low(&t.u))
                    got = t.status == O_DIV0 ? 'D' : t.status == O_OUTSIDE ? 'O' : '?';
                if (o == 1 && i == 1 && j == 1)
                    CHECK(got == '0' && t.status == O_PRECLOSS);
                else
                    CHECK_EQ(got, table[o][i][j]);
            }
        }
    }
    numbers_free(&a);
    numbers_free(&b);
    numbers_free(&out);
    // Floats in: Inf, NaN, -0, the largest, subnormals, in every mode.
    static const uint64_t bits[] = {UINT64_C(0x7ff0000000000000), UINT64_C(0xfff0000000000000),
                                    UINT64_C(0x7ff8000000000000), UINT64_C(0x8000000000000000)};
    for (int mode = 0; mode < 3; mode++) {
        numbers s;
        double in[4];
        int16_t exponent[4];
        numbers_new(&s, 257, 6, O_FLOAT, 4);
        memcpy(in, bits, sizeof in);
        padic_num_from_float_desc from = PADIC_ZERO;
        from.out = s.x.a;
        from.in = padic_tensor_1d(PADIC_F64, in, 4);
        from.mode = (padic_num_float_mode)mode;
        if (mode == PADIC_NUM_FLOAT_SPLIT) from.exponent = padic_tensor_1d(PADIC_I16, exponent, 4);
        CHECK_EQ(padic_num_from_float(num_context(), &from), PADIC_OK);
        for (size_t i = 0; i < 4; i++) {
            onum t;
            o_unpack(&s.x, i, &t);
            CHECK_EQ(t.status, i == 3 ? O_INEXACT : O_OUTSIDE);
            CHECK_EQ(t.kind, i == 3 ? O_ZERO : O_NAN);
        }
        numbers_free(&s);
    }
}

TEST_MAIN("num_golden", CASE(digits), CASE(units), CASE(sums), CASE(binomials),
          CASE(hilbert_matrix), CASE(sixty_hilbert3), CASE(accepted_residues), CASE(somos),
          CASE(distances), CASE(roots_and_series), CASE(nothing_but_digits), CASE(small_integers),
          CASE(scaled), CASE(no_batch_scale), CASE(bytes), CASE(nan_table))
