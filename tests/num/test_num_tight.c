// test_num_tight.c: a ball of padic.h knows exactly the digits on which all its lifts agree.
//
// A ball p^v u + O(p^(v+n)) stands for all p-adic numbers with these digits, its lifts. Here each
// operation meets every ball of small rings; its lifts to some digits more are enumerated, the
// operation is done on each of them modulo p^K, p^K near 2^31, and the digits that all results
// share, their hull, are what the library must say: the value and the precision, not more (that
// would be wrong) and not less (that would be a loss). A hull of more than N digits is cut to N.
// Of two operands every pair of lifts counts, also where both are the same array.
//
// A few digits decide. What remains is h in p^(n + extra) Z_p, and f(x + h) - f(x) is of valuation
// v(h) + v(f'(x)) or more for all f here (powers: v(h) + v(k), logarithms and exponentials: v(h)),
// while the hulls end at n + v(f'(x)), at p = 2 two digits later: two digits are enough there, and
// one at other p; mostly there are more.
//
// Three kinds of answers are not the hull, by design; each has a test which fails if they change:
//
//     a root that some lifts have and some do not says O(p^v)         root_undecided
//     Horner's rule takes x of each step for another number           horner_correlation
//     Hensel's lemma takes all coefficients to the least precision    hensel_least

#define PADIC_IMPLEMENTATION
#define ORACLE_WORDS 40
#include "../../padic.h"
#include "num_oracle.h" // its stored form; all arithmetic is here
#include "../support/padic_test.h"
#include "../support/num_calls.h"
#include "num_cases.h"

// ---- numbers modulo p^K

static uint64_t p, pw[40];
static int K;
static uint32_t N;

static void use(uint64_t prime, uint32_t precision)
{
    p = prime;
    N = precision;
    pw[0] = 1;
    for (K = 0; pw[K] * p < UINT64_C(1) << 31; K++) pw[K + 1] = pw[K] * p;
}

// p^v u, u known modulo p^K; none: the operation has no result there.
typedef struct exact {
    int none, v;
    uint64_t u;
} exact;

enum { FAR = 1 << 20 };

static exact number(int v, uint64_t u)
{
    exact x;
    x.none = 0;
    x.v = v;
    x.u = u % pw[K];
    return x;
}

static exact no_number(void)
{
    exact x = number(0, 0);
    x.none = 1;
    return x;
}

static uint64_t times(uint64_t a, uint64_t b)
{
    return a * b % pw[K];
}

static uint64_t power(uint64_t a, uint64_t k)
{
    uint64_t x = 1;
    for (; k; k >>= 1, a = times(a, a))
        if (k & 1) x = times(x, a);
    return x;
}

static int order(uint64_t u) // of a residue; FAR for 0 and what rounding leaves of it
{
    int v = 0;
    if (!u) return FAR;
    for (; u % p == 0; u /= p) v++;
    return v > K - 4 ? FAR : v;
}

static exact strip(exact x)
{
    const int w = order(x.u);
    if (w == FAR) return number(0, 0);
    x.v += w;
    x.u /= pw[w];
    return x;
}

static uint64_t one_over(uint64_t unit)
{
    return power(unit, pw[K] / p * (p - 1) - 1);
}

static exact plus(exact a, exact b)
{
    const int v = a.v < b.v ? a.v : b.v;
    const uint64_t x = a.v - v < K ? times(a.u, pw[a.v - v]) : 0;
    const uint64_t y = b.v - v < K ? times(b.u, pw[b.v - v]) : 0;
    if (!a.u) return b;
    if (!b.u) return a;
    return number(v, x + y);
}

static exact minus(exact a)
{
    a.u = (pw[K] - a.u) % pw[K];
    return a;
}

static exact product(exact a, exact b)
{
    return number(a.u && b.u ? a.v + b.v : 0, times(a.u, b.u));
}

static exact inverse(exact a)
{
    a = strip(a);
    return a.u ? number(-a.v, one_over(a.u)) : no_number();
}

static exact exact_power(exact a, int64_t k)
{
    if (!k) return number(0, 1);
    a = strip(a);
    if (!a.u) return k < 0 ? no_number() : a;
    if (k < 0) a.u = one_over(a.u);
    return number(a.v * (int)k, power(a.u, (uint64_t)(k < 0 ? -k : k)));
}

// sum x^k / k!
static exact exact_exp(exact x)
{
    uint64_t sum = 1, term = 1;
    int at = 0;
    x = strip(x);
    if (!x.u) return number(0, 1);
    if (x.v < (p == 2 ? 2 : 1)) return no_number();
    for (int k = 1; k < 4 * K; k++) {
        uint64_t unit = (uint64_t)k;
        at += x.v;
        for (; unit % p == 0; unit /= p) at--;
        term = times(times(term, x.u), one_over(unit));
        if (at < K) sum += times(term, pw[at]);
    }
    return number(0, sum);
}

// log(u^(p-1)) / (p-1), p = 2: log(u^2) / 2; log p = 0. `any`: Iwasawa's.
static exact exact_log(exact x, int any)
{
    const uint64_t e = p == 2 ? 2 : p - 1;
    exact sum = number(0, 0), z, term = number(0, 1);
    x = strip(x);
    if (!x.u || (!any && (x.v || x.u % p != 1))) return no_number();
    z = strip(number(0, power(x.u, e) + pw[K] - 1));
    for (int k = 1; z.u && k < 2 * K; k++) {
        const exact t = product(term = product(term, z), inverse(number(0, (uint64_t)k)));
        if (t.v < K) sum = plus(sum, k & 1 ? t : minus(t));
    }
    return product(sum, inverse(number(0, e)));
}

// ---- balls

typedef struct ball {
    int kind, v, n; // O_FINITE, O_ZERO, O_NAN; O(p^v): n = 0
    uint64_t u;
    unsigned status; // NaN: why
} ball;

static ball ball_of(int kind, int v, int n, uint64_t u)
{
    ball b;
    b.kind = kind;
    b.v = v;
    b.n = n;
    b.u = u;
    b.status = 0;
    return b;
}

static int same(const ball *a, const ball *b)
{
    return a->kind == b->kind && a->v == b->v && a->n == b->n && a->u == b->u;
}

// x + O(p^A) as a ball has it: at most N digits, A = FAR: all.
static ball ball_about(exact x, int A)
{
    const exact y = strip(x);
    int n;
    if (!y.u && A == FAR) return ball_of(O_ZERO, 0, 0, 0);
    if (!y.u || y.v >= A) return ball_of(O_FINITE, A, 0, 0);
    n = A - y.v < (int)N ? A - y.v : (int)N;
    return ball_of(O_FINITE, y.v, n, y.u % pw[n]);
}

static int absolute(const ball *b) // what it knows: modulo p^this
{
    return b->kind == O_ZERO ? FAR : b->v + b->n;
}

enum { MOST_LIFTS = 4096 };

// All lifts of a ball with `extra` digits more.
static int lifts(const ball *b, int extra, exact *x)
{
    if (b->kind == O_ZERO) {
        x[0] = number(0, 0);
        return 1;
    }
    if (pw[extra] > MOST_LIFTS) abort();
    for (uint64_t t = 0; t < pw[extra]; t++) x[t] = number(b->v, b->u + pw[b->n] * t);
    return (int)pw[extra];
}

// What numbers have in common: the first of them modulo p^A.
typedef struct hull {
    exact base;
    int A, count, none;
} hull;

static void hull_add(hull *h, exact x)
{
    if (x.none) {
        h->none++;
    } else if (!h->count++) {
        h->base = x;
        h->A = FAR;
    } else {
        const exact d = strip(plus(x, minus(h->base)));
        if (d.u && d.v < h->A) h->A = d.v;
    }
}

typedef exact (*exact_fn)(const exact *x, int64_t k);

// The hull of f over all lifts; a lift without a result: NaN with `status`.
static ball hull_of(exact_fn f, int64_t k, const ball *b, int operands, int extra, unsigned status)
{
    static exact x[5][MOST_LIFTS];
    exact now[5];
    int n[5] = {1, 1, 1, 1, 1}, i[5] = {0, 0, 0, 0, 0}, j;
    hull h;
    memset(&h, 0, sizeof h);
    for (j = 0; j < operands; j++) n[j] = lifts(&b[j], extra, x[j]);
    for (;;) {
        for (j = 0; j < operands; j++) now[j] = x[j][i[j]];
        hull_add(&h, (*f)(now, k));
        for (j = 0; j < operands && ++i[j] == n[j]; j++) i[j] = 0;
        if (j == operands) break;
    }
    if (h.none) {
        ball nan = ball_of(O_NAN, 0, 0, status);
        nan.status = status;
        return nan;
    }
    return ball_about(h.base, h.A);
}

// All balls of the ring with v from `low` to `high`, and 0.
enum { MOST_BALLS = 20000 };
static ball balls[MOST_BALLS];
static int ball_count;

static void make_balls(int low, int high)
{
    ball_count = 0;
    balls[ball_count++] = ball_of(O_ZERO, 0, 0, 0);
    for (int v = low; v <= high; v++)
        for (int n = 0; n <= (int)N; n++)
            for (uint64_t u = n ? 1 : 0; u < pw[n]; u++) {
                if (n && u % p == 0) continue;
                if (ball_count == MOST_BALLS) abort();
                balls[ball_count++] = ball_of(O_FINITE, v, n, u);
            }
}

// ---- arrays of the library

static void pack(narr *x, size_t i, const ball *b)
{
    onum y;
    o_special(&y, b->kind, 0);
    y.v = b->v;
    y.n = (uint32_t)b->n;
    big_u64(&y.u, b->kind == O_ZERO ? 0 : b->u);
    o_pack(x, i, &y);
}

static ball unpack(const narr *x, size_t i)
{
    onum y;
    ball b;
    o_unpack(x, i, &y);
    b = ball_of(y.kind, (int)y.v, (int)y.n, big_low(&y.u));
    b.status = y.status;
    if (y.u.n > 2) b.kind = -1; // not canonical
    return b;
}

// The planes of an array of the library, to read and write elements.
static narr view_of(const padic_num_array *a)
{
    narr x;
    memset(&x, 0, sizeof x);
    x.a = *a;
    x.unit = a->unit.data;
    x.val = a->val.data;
    x.known = a->known.data;
    x.status = (uint8_t *)a->status.data;
    return x;
}

static void copy_one(narr *to, size_t j, const narr *from, size_t i)
{
    onum y;
    o_unpack(from, i, &y);
    o_pack(to, j, &y);
    to->status[j] = from->status[i];
}

static int told;

static void print_ball(const char *label, const ball *b)
{
    if (b->kind == O_ZERO)
        printf("  %s 0", label);
    else if (b->kind == O_NAN)
        printf("  %s nan(%u)", label, (unsigned)b->u);
    else
        printf("  %s %lu * %d^%d + O(%d^%d)", label, (unsigned long)b->u, (int)p, b->v, (int)p,
               b->v + b->n);
}

// Is it what it should be? The status of a NaN, and PRECLOSS where no digit is left, come with it.
static void compare(const char *form, const char *what, int64_t k, const ball *in, int operands,
                    const ball *due, const ball *got)
{
    if (same(due, got) && (due->kind != O_NAN || got->status == due->status)) return;
    test_failed(__FILE__, __LINE__, what);
    if (told++ >= 8) return;
    printf("\n    %s %s p %d N %d k %ld:", form, what, (int)p, (int)N, (long)k);
    for (int j = 0; j < operands; j++) print_ball("of", &in[j]);
    print_ball("due", due);
    print_ball("got", got);
}

typedef padic_result (*run_fn)(const padic_num_array *const *x, int64_t k); // x[0]: out

// An operation over `count` tuples of `operands` balls, tuple i at i operands, in every form.
static void try_tuples(const char *name, run_fn run, int64_t k, const ball *in, int operands,
                       const ball *due, size_t count)
{
    int tried = 0;
    for (int f = 0; f < FORMS; f++) {
        padic_num_ring ring;
        narr x[6];
        const padic_num_array *array[6];
        if (!ring_in(&ring, p, N, &forms[f])) continue;
        tried++;
        for (int j = 0; j <= operands; j++) {
            narr_new(&x[j], &ring, O_BALL, count, 0);
            narr_sticky(&x[j]);
            array[j] = &x[j].a;
            for (size_t i = 0; j && i < count; i++)
                pack(&x[j], i, &in[i * (size_t)operands + (size_t)j - 1]);
        }
        CHECK_EQ(run(array, k), PADIC_OK);
        CHECK_EQ(num_check(num_context(), array[0], NULL), PADIC_OK);
        for (size_t i = 0; i < count; i++) {
            const ball got = unpack(&x[0], i);
            compare(forms[f].name, name, k, in + i * (size_t)operands, operands, &due[i], &got);
        }
        for (int j = 0; j <= operands; j++) narr_free(&x[j]);
    }
    CHECK(tried >= 4);
}

static void *room(size_t size)
{
    void *block = malloc(size ? size : 1);
    if (!block) abort();
    return block;
}

// The operation over all tuples of `balls`.
static void try_all(const char *name, run_fn run, exact_fn f, int64_t k, int operands, int extra,
                    unsigned status)
{
    size_t count = 1, i;
    ball *in, *due;
    int j;
    for (j = 0; j < operands; j++) count *= (size_t)ball_count;
    in = (ball *)room(count * (size_t)operands * sizeof *in);
    due = (ball *)room(count * sizeof *due);
    for (i = 0; i < count; i++) {
        size_t rest = i;
        ball *const tuple = in + i * (size_t)operands;
        for (j = 0; j < operands; j++, rest /= (size_t)ball_count)
            tuple[j] = balls[rest % (size_t)ball_count];
        due[i] = hull_of(f, k, tuple, operands, extra, status);
    }
    try_tuples(name, run, k, in, operands, due, count);
    free(in);
    free(due);
}

// ---- arithmetic

#define RUN1(name) \
    static padic_result run_##name(const padic_num_array *const *x, int64_t k) \
    { \
        (void)k; \
        return padic_num_##name(num_context(), x[0], x[1]); \
    }
#define RUN2(name) \
    static padic_result run_##name(const padic_num_array *const *x, int64_t k) \
    { \
        (void)k; \
        return padic_num_##name(num_context(), x[0], x[1], x[2]); \
    }
#define EXACT(name, expression) \
    static exact exact_of_##name(const exact *x, int64_t k) \
    { \
        (void)k; \
        return expression; \
    }
RUN2(add)
RUN2(sub)
RUN2(mul)
RUN2(div)
RUN1(neg)
RUN1(inv)
RUN1(square)
RUN1(exp)
RUN1(teichmueller)
RUN2(pow_padic)
EXACT(add, plus(x[0], x[1]))
EXACT(sub, plus(x[0], minus(x[1])))
EXACT(mul, product(x[0], x[1]))
EXACT(neg, minus(x[0]))
EXACT(inv, inverse(x[0]))
EXACT(square, product(x[0], x[0]))
EXACT(shift, x[0].u ? number(x[0].v + (int)k, x[0].u) : x[0])
EXACT(pow, exact_power(x[0], k))
EXACT(fma, plus(product(x[0], x[1]), x[2]))
EXACT(exp, exact_exp(x[0]))
EXACT(log, exact_log(x[0], (int)k))

static exact exact_of_div(const exact *x, int64_t k)
{
    const exact y = inverse(x[1]);
    (void)k;
    return y.none ? y : product(x[0], y);
}

static padic_result run_shift(const padic_num_array *const *x, int64_t k)
{
    return padic_num_shift(num_context(), x[0], x[1], k);
}

static padic_result run_pow(const padic_num_array *const *x, int64_t k)
{
    return padic_num_pow(num_context(), x[0], x[1], k);
}

static padic_result run_fma(const padic_num_array *const *x, int64_t k)
{
    (void)k;
    return padic_num_fma(num_context(), x[0], x[1], x[2], x[3]);
}

// The same product, of an array with itself: lifts are not tied together there.
static padic_result run_mul_self(const padic_num_array *const *x, int64_t k)
{
    (void)k;
    return padic_num_mul(num_context(), x[0], x[1], x[1]);
}

static padic_result run_log(const padic_num_array *const *x, int64_t k)
{
    return padic_num_log(num_context(), x[0], x[1], (padic_num_log_branch)k);
}

// Exponents as an array: I32, I64 and 128 bits.
static padic_result run_pow_array(const padic_num_array *const *x, int64_t k, padic_dtype dtype)
{
    const size_t n = (size_t)x[0]->count;
    uint64_t *const e = (uint64_t *)room(n * 16);
    padic_tensor t = padic_tensor_1d(dtype, e, n);
    padic_result result;
    for (size_t i = 0; i < n; i++) {
        if (dtype == PADIC_I32)
            ((int32_t *)(void *)e)[i] = (int32_t)k;
        else
            e[i] = (uint64_t)k;
        if (dtype == PADIC_U64) e[n + i] = k < 0 ? UINT64_MAX : 0;
    }
    if (dtype == PADIC_U64) t = padic_tensor_2d(dtype, e, 2, n);
    result = padic_num_pow_array(num_context(), x[0], x[1], &t);
    free(e);
    return result;
}

static padic_result run_pow32(const padic_num_array *const *x, int64_t k)
{
    return run_pow_array(x, k, PADIC_I32);
}

static padic_result run_pow64(const padic_num_array *const *x, int64_t k)
{
    return run_pow_array(x, k, PADIC_I64);
}

static padic_result run_pow128(const padic_num_array *const *x, int64_t k)
{
    return run_pow_array(x, k, PADIC_U64);
}

// Rings and how far operations of one, two and three operands go there.
typedef struct tight_ring {
    uint64_t p;
    uint32_t one, two, three; // the largest N
    int extra, extra_two;     // digits of the lifts
} tight_ring;

static const tight_ring tight[] = {
    {2, 6, 3, 2, 5, 3}, {3, 4, 2, 1, 3, 2}, {5, 3, 2, 1, 2, 1}, {7, 2, 1, 1, 2, 2}};
enum { TIGHT = (int)(sizeof tight / sizeof *tight) };

TEST(arithmetic)
{
    for (int t = 0; t < TIGHT; t++) {
        const tight_ring *r = &tight[t];
        for (uint32_t n = 1; n <= r->one - (test_tiny && r->one > 2 ? 1u : 0u); n++) {
            use(r->p, n);
            make_balls(-2, 2);
            try_all("neg", run_neg, exact_of_neg, 0, 1, r->extra, 0);
            try_all("inv", run_inv, exact_of_inv, 0, 1, r->extra, O_DIV0);
            try_all("square", run_square, exact_of_square, 0, 1, r->extra, 0);
            for (int k = -3; k <= 3; k += 2)
                try_all("shift", run_shift, exact_of_shift, k, 1, r->extra, 0);
        }
        for (uint32_t n = 1; n <= r->two; n++) {
            use(r->p, n);
            make_balls(-1, r->p == 7 || n == 1 ? 2 : 1);
            try_all("add", run_add, exact_of_add, 0, 2, r->extra_two, 0);
            try_all("sub", run_sub, exact_of_sub, 0, 2, r->extra_two, 0);
            try_all("mul", run_mul, exact_of_mul, 0, 2, r->extra_two, 0);
            try_all("div", run_div, exact_of_div, 0, 2, r->extra_two, O_DIV0);
        }
        for (uint32_t n = 1; n <= r->three; n++) {
            use(r->p, n);
            make_balls(-1, n == 1 ? 2 : 1);
            try_all("fma", run_fma, exact_of_fma, 0, 3, 1, 0);
        }
    }
}

// mul() of an array with itself is the product of two numbers with these digits.
TEST(product_with_itself)
{
    for (int t = 0; t < TIGHT; t++) {
        static ball in[MOST_BALLS / 10], due[MOST_BALLS / 10];
        use(tight[t].p, tight[t].two);
        make_balls(-1, 1);
        REQUIRE(ball_count <= MOST_BALLS / 10);
        for (int i = 0; i < ball_count; i++) {
            const ball both[2] = {balls[i], balls[i]};
            in[i] = balls[i];
            due[i] = hull_of(exact_of_mul, 0, both, 2, tight[t].extra_two, 0);
        }
        try_tuples("mul(a, a)", run_mul_self, 0, in, 1, due, (size_t)ball_count);
    }
}

// Exponents with and without factors p, negative, more than one factor p, 0.
TEST(powers)
{
    static const int64_t some[] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 12, 14, 16, 18, 20, 21, 24, 25,
                                   27, 32, 35, 49, 50, 64, 98, 125, -1, -2, -3, -4, -5, -6, -7, -8,
                                   -9, -10, -12, -16, -25, -27, -49};
    for (int t = 0; t < TIGHT; t++)
        for (uint32_t n = 1; n <= tight[t].one - (test_tiny && tight[t].one > 2 ? 1u : 0u); n++)
            for (size_t i = 0; i < sizeof some / sizeof *some; i++) {
                const int extra = tight[t].extra;
                const int64_t k = some[i];
                use(tight[t].p, n);
                make_balls(-1, n > 3 ? 0 : 1);
                try_all("pow", run_pow, exact_of_pow, k, 1, extra, O_DIV0);
                if (i % 3 == 0) try_all("pow I32", run_pow32, exact_of_pow, k, 1, extra, O_DIV0);
                if (i % 3 == 1) try_all("pow I64", run_pow64, exact_of_pow, k, 1, extra, O_DIV0);
                if (i % 3 == 2) try_all("pow 128", run_pow128, exact_of_pow, k, 1, extra, O_DIV0);
            }
}

// 128 bits: the powers 2^100 of odd numbers are 1 modulo 2^102, those of 3 + O(2^2) too.
TEST(huge_powers)
{
    for (int f = 0; f < FORMS; f++) {
        padic_num_ring ring;
        uint64_t e[4] = {0, 0, UINT64_C(1) << 36, UINT64_C(1) << 36};
        const padic_tensor k = padic_tensor_2d(PADIC_U64, e, 2, 2);
        const ball in[2] = {ball_of(O_FINITE, 0, 1, 1), ball_of(O_FINITE, 0, 2, 3)};
        const ball due[2] = {ball_of(O_FINITE, 0, 5, 1), ball_of(O_FINITE, 0, 5, 1)};
        narr x, a;
        use(2, 5);
        if (!ring_in(&ring, 2, 5, &forms[f])) continue;
        narr_new(&x, &ring, O_BALL, 2, 0);
        narr_new(&a, &ring, O_BALL, 2, 0);
        for (size_t i = 0; i < 2; i++) pack(&a, i, &in[i]);
        CHECK_EQ(padic_num_pow_array(num_context(), &x.a, &a.a, &k), PADIC_OK);
        for (size_t i = 0; i < 2; i++) {
            const ball got = unpack(&x, i);
            compare(forms[f].name, "pow 2^100", 0, &in[i], 1, &due[i], &got);
        }
        narr_free(&x);
        narr_free(&a);
    }
}

// ---- series

// exp(s log x), x in 1 + p Z_p, p = 2: 1 + 4 Z_2.
static exact exact_of_pow_padic(const exact *x, int64_t k)
{
    const exact a = strip(x[0]);
    exact log;
    (void)k;
    if (!a.u || a.v || (p == 2 && a.u % 4 != 1)) return no_number();
    log = exact_log(a, 0);
    return log.none ? log : exact_exp(product(log, x[1]));
}

static exact exact_of_teichmueller(const exact *x, int64_t k)
{
    const exact a = strip(x[0]);
    (void)k;
    if (!a.u || a.v > 0) return number(0, 0);
    if (a.v < 0) return no_number();
    if (p == 2) return number(0, a.u % 4 == 1 ? 1 : pw[K] - 1);
    return number(0, power(a.u, pw[K] / p));
}

TEST(series)
{
    for (int t = 0; t < TIGHT; t++) {
        const tight_ring *r = &tight[t];
        for (uint32_t n = 1; n <= r->one; n++) {
            use(r->p, n);
            make_balls(-1, 3);
            try_all("exp", run_exp, exact_of_exp, 0, 1, r->extra, O_OUTSIDE);
            try_all("log", run_log, exact_of_log, 0, 1, r->extra, O_OUTSIDE);
            try_all("log, any", run_log, exact_of_log, 1, 1, r->extra, O_OUTSIDE);
            try_all("teichmueller", run_teichmueller, exact_of_teichmueller, 0, 1, r->extra,
                    O_OUTSIDE);
        }
        for (uint32_t n = 1; n <= r->two; n++) {
            use(r->p, n);
            make_balls(-1, 1);
            try_all("pow_padic", run_pow_padic, exact_of_pow_padic, 0, 2, r->p == 2 ? 2 : 1,
                    O_OUTSIDE);
        }
    }
}

// The oracle itself: exp(s log x) of integers s is a product, log of a product a sum.
TEST(oracle)
{
    for (int t = 0; t < TIGHT; t++) {
        use(tight[t].p, 1);
        const uint64_t step = p == 2 ? 4 : p;
        for (uint64_t i = 0; i < 40; i++) {
            const exact x[2] = {number(0, 1 + step * i), number(0, i % 11)};
            const exact y = number(0, 1 + step * (7 * i + 3));
            const exact d = plus(exact_of_pow_padic(x, 0), minus(number(0, power(x[0].u, i % 11))));
            const exact e = plus(exact_log(product(x[0], y), 0),
                                 minus(plus(exact_log(x[0], 0), exact_log(y, 0))));
            CHECK(!strip(d).u);
            CHECK(!strip(e).u);
        }
    }
}

// ---- roots

// The hull of the roots of all lifts that have one, by trying every residue x: x^n is a lift if it
// agrees with u in the digits of the ball. *some: there are such; *all: every lift has one. Which
// of several roots counts is decided by their residues: the least modulo p, p = 2: 1 modulo 4.
static ball roots_hull(const ball *b, uint64_t n, int depth, int *some, int *all, uint64_t turn)
{
    static uint8_t power_there[1 << 17];
    const uint64_t P = pw[depth];
    hull h;
    uint64_t have = 0;
    memset(&h, 0, sizeof h);
    if (P > sizeof power_there) abort();
    memset(power_there, 0, (size_t)P);
    for (uint64_t x = 1; x < P; x++) {
        uint64_t y = 1, z;
        if (x % p == 0) continue;
        y = power(x, n) % P;
        if (y % pw[b->n] != b->u) continue;
        have += !power_there[y];
        power_there[y] = 1;
        for (z = 1; z < p; z++) { // a root of unity modulo p that makes it smaller?
            uint64_t one = 1;
            for (uint64_t i = 0; i < n; i++) one = one * z % p;
            if (one == 1 && x * z % p < x % p) break;
        }
        if (z < p || (p == 2 && n % 2 == 0 && x % 4 == 3)) continue;
        hull_add(&h, number(b->v / (int)n, times(x, turn)));
    }
    *some = h.count > 0;
    *all = have == pw[depth - b->n];
    return *some ? ball_about(h.base, h.A) : ball_of(O_FINITE, 0, 0, 0);
}

static int root_undecided; // of roots that were tried

// What the n-th root of b should be; root number `turn` of all: times this root of unity.
static ball root_due(const ball *b, uint64_t n, int deeper, uint64_t turn)
{
    ball nan = ball_of(O_NAN, 0, 0, O_NOPOWER), x;
    int some, all;
    nan.status = O_NOPOWER;
    if (b->kind == O_ZERO) return *b;
    if (!b->n) { // 0 is a lift, and p^v z^n for the first v that n divides
        int v = b->v;
        while (v % (int)n) v++;
        return ball_of(O_FINITE, v / (int)n, 0, 0);
    }
    if (b->v % (int)n) return nan;
    x = roots_hull(b, n, b->n + deeper, &some, &all, turn);
    if (!some) return nan;
    if (all) return x;
    // root_undecided: x would be the digits of the root, but there may be none.
    root_undecided++;
    CHECK(x.n > 0);
    return ball_of(O_FINITE, b->v / (int)n, 0, 0);
}

static padic_result run_root(const padic_num_array *const *x, int64_t k)
{
    return padic_num_root(num_context(), x[0], x[1], (uint64_t)k);
}

static padic_result run_sqrt(const padic_num_array *const *x, int64_t k)
{
    (void)k;
    return padic_num_sqrt(num_context(), x[0], x[1]);
}

// A primitive root of unity as root number 1 has it: the library may choose any, so it is read off
// the roots of 1. Roots j are root 0 times its powers.
static uint64_t unity_of(uint64_t n)
{
    padic_num_ring ring;
    narr x, a;
    const ball one = ball_of(O_FINITE, 0, (int)N + 4, 1);
    uint64_t z;
    padic_num_ring_init(&ring, p, N + 4, NULL);
    narr_new(&x, &ring, O_BALL, (size_t)padic_num_root_count(&ring, n), 0);
    narr_new(&a, &ring, O_BALL, 1, 0);
    pack(&a, 0, &one);
    CHECK_EQ(num_roots(NULL, &x.a, &a.a, n), PADIC_OK);
    z = unpack(&x, 1).u;
    narr_free(&x);
    narr_free(&a);
    if (p == 2) return pw[K] - 1;
    return power(z % p, pw[K] / p); // its lift, exactly
}

static void try_all_roots(uint64_t n, int deeper)
{
    for (int f = 0; f < FORMS; f++) {
        padic_num_ring ring;
        narr x, a;
        uint64_t roots, z = 1, unity;
        if (!ring_in(&ring, p, N, &forms[f])) continue;
        roots = padic_num_root_count(&ring, n);
        if (roots < 2) return;
        unity = unity_of(n);
        narr_new(&x, &ring, O_BALL, (size_t)roots * (size_t)ball_count, 0);
        narr_new(&a, &ring, O_BALL, (size_t)ball_count, 0);
        narr_sticky(&x);
        for (int i = 0; i < ball_count; i++) pack(&a, (size_t)i, &balls[i]);
        CHECK_EQ(num_roots(num_context(), &x.a, &a.a, n), PADIC_OK);
        for (uint64_t j = 0; j < roots; j++, z = times(z, unity))
            for (int i = 0; i < ball_count; i++) {
                const ball got = unpack(&x, (size_t)j * (size_t)ball_count + (size_t)i);
                const ball due = root_due(&balls[i], n, deeper, z);
                compare(forms[f].name, "roots", (int64_t)n, &balls[i], 1, &due, &got);
            }
        narr_free(&x);
        narr_free(&a);
    }
}

TEST(roots)
{
    static const struct {
        uint64_t p;
        uint32_t most;
        uint64_t n[12];
    } rows[] = {{2, 6, {1, 2, 3, 4, 5, 6, 8, 9, 12, 16}}, {3, 4, {1, 2, 3, 4, 5, 6, 9, 12, 18}},
                {5, 3, {1, 2, 3, 4, 5, 8, 10, 15, 25}},   {7, 2, {1, 2, 3, 4, 5, 6, 7, 14, 21}}};
    root_undecided = 0;
    for (size_t t = 0; t < sizeof rows / sizeof *rows; t++)
        for (uint32_t digits = 1; digits <= rows[t].most; digits++)
            for (int i = 0; i < 12 && rows[t].n[i]; i++) {
                const uint64_t n = rows[t].n[i];
                int e = 0;
                ball *due;
                use(rows[t].p, digits);
                for (uint64_t m = n; m % p == 0; m /= p) e++;
                // a power is told by e + 1 digits (p = 2: e + 2)
                const int deeper = e + (p == 2 ? 3 : 2);
                make_balls(-2, digits > 3 ? 1 : 3);
                due = (ball *)room((size_t)ball_count * sizeof *due);
                for (int j = 0; j < ball_count; j++) due[j] = root_due(&balls[j], n, deeper, 1);
                try_tuples("root", run_root, (int64_t)n, balls, 1, due, (size_t)ball_count);
                if (n == 2) try_tuples("sqrt", run_sqrt, 2, balls, 1, due, (size_t)ball_count);
                free(due);
                if (digits < 3) try_all_roots(n, deeper);
            }
    CHECK(root_undecided > 0);
}

// ---- sums, products of vectors, polynomials

// One sum for each tuple, whose elements are gathered into arrays of their own.
static padic_result run_sums(const padic_num_array *const *x, int dot)
{
    const size_t terms = dot ? 2 : 3;
    narr a[2], one, out = view_of(x[0]);
    padic_result result = PADIC_OK;
    narr_new(&a[0], x[0]->ring, O_BALL, terms, 0);
    narr_new(&a[1], x[0]->ring, O_BALL, terms, 0);
    narr_new(&one, x[0]->ring, O_BALL, 1, 0);
    for (size_t i = 0; i < (size_t)x[0]->count && !result; i++) {
        for (size_t j = 0; j < terms * (size_t)(1 + dot); j++) {
            const narr in = view_of(x[j + 1]);
            copy_one(&a[j / terms], j % terms, &in, i);
        }
        result = dot ? padic_num_dot(num_context(), &one.a, &a[0].a, &a[1].a)
                     : padic_num_sum(num_context(), &one.a, &a[0].a);
        copy_one(&out, i, &one, 0);
    }
    narr_free(&a[0]);
    narr_free(&a[1]);
    narr_free(&one);
    return result;
}

static padic_result run_sum(const padic_num_array *const *x, int64_t k)
{
    (void)k;
    return run_sums(x, 0);
}

static padic_result run_dot(const padic_num_array *const *x, int64_t k)
{
    (void)k;
    return run_sums(x, 1);
}
EXACT(sum, plus(plus(x[0], x[1]), x[2]))
EXACT(dot, plus(product(x[0], x[2]), product(x[1], x[3])))

TEST(sums)
{
    for (int t = 0; t < TIGHT - 1; t++) {
        use(tight[t].p, 2);
        make_balls(0, p == 2 ? 2 : 0);
        try_all("sum", run_sum, exact_of_sum, 0, 3, 1, 0);
        use(tight[t].p, p == 2 ? 2 : 1);
        make_balls(0, p == 2 ? 0 : 1);
        try_all("dot", run_dot, exact_of_dot, 0, 4, 1, 0);
    }
}

// c_0 + c_1 x + ..., x first.
static exact exact_of_polynomial(const exact *x, int64_t k)
{
    exact y = x[k];
    while (--k > 0) y = plus(product(y, x[0]), x[k]);
    return y;
}

// Coefficient j of tuple i is x[j + 2][i]; in one array, all c_0 first.
static void coefficients(narr *c, const padic_num_array *const *x, size_t terms)
{
    const size_t n = (size_t)x[0]->count;
    narr_new(c, x[0]->ring, O_BALL, n * terms, 0);
    for (size_t j = 0; j < terms; j++) {
        const narr in = view_of(x[j + 2]);
        for (size_t i = 0; i < n; i++) copy_one(c, j * n + i, &in, i);
    }
}

static padic_result run_horner(const padic_num_array *const *x, int64_t k)
{
    padic_num_horner_desc desc = PADIC_ZERO;
    narr c;
    padic_result result;
    coefficients(&c, x, (size_t)k);
    desc.out = *x[0];
    desc.x = *x[1];
    desc.coefficients = c.a;
    desc.terms = (uint32_t)k;
    result = padic_num_horner(num_context(), &desc);
    narr_free(&c);
    return result;
}

// horner_correlation: each step is tight for numbers that know nothing of each other, so x is not
// seen to be the same one in all of them: x^p by Horner's rule is known to n digits, by pow() to
// n + 1. The tight answer takes the differences of f in t on x + p^n t, of every order, and the
// uncertainty of every coefficient beside it: a step for each pair of terms. (What the values of a
// polynomial of degree d share, those at t = 0 to d share.) With two terms x comes once. Returns
// the digits that are lost over all tuples.
static long try_horner(int terms)
{
    const int operands = terms + 1;
    size_t count = 1, i;
    ball *in, *due;
    long lost = 0;
    for (int j = 0; j < operands; j++) count *= (size_t)ball_count;
    in = (ball *)room(count * (size_t)operands * sizeof *in);
    due = (ball *)room(count * sizeof *due);
    for (i = 0; i < count; i++) {
        size_t rest = i;
        ball *const tuple = in + i * (size_t)operands, whole, step[3];
        for (int j = 0; j < operands; j++, rest /= (size_t)ball_count)
            tuple[j] = balls[rest % (size_t)ball_count];
        whole = hull_of(exact_of_polynomial, terms, tuple, operands, p == 2 ? 2 : 1, 0);
        step[0] = tuple[terms];
        for (int j = terms; --j > 0;) {
            step[1] = tuple[0];
            step[2] = tuple[j];
            step[0] = hull_of(exact_of_fma, 0, step, 3, p == 2 ? 2 : 1, 0);
        }
        due[i] = step[0];
        if (absolute(&whole) != absolute(&due[i])) {
            const ball part = ball_about(number(whole.v, whole.u), absolute(&due[i]));
            if (whole.kind == O_ZERO || absolute(&whole) < absolute(&due[i]) ||
                !same(&part, &due[i]))
                test_failed(__FILE__, __LINE__, "Horner's rule is within what is true");
            lost += absolute(&whole) - absolute(&due[i]);
        }
    }
    try_tuples("horner", run_horner, terms, in, operands, due, count);
    free(in);
    free(due);
    return lost;
}

TEST(horner_correlation)
{
    use(2, 2);
    make_balls(0, 1);
    CHECK_EQ(try_horner(2), 0);
    make_balls(0, 0);
    CHECK_EQ(try_horner(3), 42);
    CHECK_EQ(try_horner(4), 150);
    use(3, 2);
    make_balls(0, 0);
    CHECK_EQ(try_horner(2), 0);
    CHECK_EQ(try_horner(3), 252);
}

// ---- roots of polynomials

static padic_result run_hensel(const padic_num_array *const *x, int64_t k)
{
    padic_num_hensel_desc desc = PADIC_ZERO;
    narr c;
    padic_result result;
    coefficients(&c, x, (size_t)k);
    desc.out = *x[0];
    desc.seeds = *x[1];
    desc.coefficients = c.a;
    desc.terms = (uint32_t)k;
    result = padic_num_hensel(num_context(), &desc);
    narr_free(&c);
    return result;
}

static exact derivative(const exact *x, int64_t k) // of c_0 + c_1 x + c_2 x^2
{
    exact y = x[2];
    if (k > 2) y = plus(y, product(number(0, 2), product(x[3], x[0])));
    return y;
}

// The root to which Newton's steps lead from x[0], which must be fit for it.
static exact exact_of_hensel(const exact *x, int64_t k)
{
    exact now[4];
    memcpy(now, x, sizeof now);
    for (int i = 0; i < 8; i++) {
        const exact y = exact_of_polynomial(now, k), d = inverse(derivative(now, k));
        if (d.none) return d;
        now[0] = plus(now[0], minus(product(y, d)));
    }
    return now[0];
}

// The first lift of a ball, where digits that are not known are 0.
static exact stored(const ball *b)
{
    return b->kind == O_ZERO ? number(0, 0) : number(b->v, b->u);
}

// hensel_least: the root knows A - s digits, A the least absolute precision of all coefficients and
// N. Where a coefficient is multiplied by a power of a root that p divides, more would follow; a
// computation modulo p^N does not have them. The seed is a place to start, and exact. Returns the
// digits that are lost.
static long try_hensel(int terms)
{
    const int operands = terms + 1;
    size_t count = 1, i;
    ball *in, *due;
    long lost = 0;
    for (int j = 0; j < terms; j++) count *= (size_t)ball_count;
    count *= (size_t)p;
    in = (ball *)room(count * (size_t)operands * sizeof *in);
    due = (ball *)room(count * sizeof *due);
    for (i = 0; i < count; i++) {
        size_t rest = i / p;
        ball *const tuple = in + i * (size_t)operands, whole, some[4];
        exact x[4];
        int A = (int)N, v, s;
        const uint64_t seed = i % p;
        tuple[0] = seed ? ball_of(O_FINITE, 0, (int)N, seed) : ball_of(O_ZERO, 0, 0, 0);
        for (int j = 1; j < operands; j++, rest /= (size_t)ball_count)
            tuple[j] = balls[rest % (size_t)ball_count];
        for (int j = 0; j < operands; j++) {
            x[j] = stored(&tuple[j]);
            if (j && absolute(&tuple[j]) < A) A = absolute(&tuple[j]);
        }
        x[0] = number(0, seed);
        v = strip(exact_of_polynomial(x, terms)).u ? strip(exact_of_polynomial(x, terms)).v : FAR;
        s = strip(derivative(x, terms)).u ? strip(derivative(x, terms)).v : FAR;
        due[i] = ball_of(O_NAN, 0, 0, O_OUTSIDE);
        due[i].status = O_OUTSIDE;
        if (s == FAR || (v < A ? v : A) <= 2 * s) continue;
        // of a seed that is exact one lift, of the others all
        some[0] = ball_of(O_FINITE, 0, (int)N, seed);
        memcpy(some + 1, tuple + 1, (size_t)terms * sizeof *some);
        {
            static exact lift[4][MOST_LIFTS];
            int n[4] = {1, 1, 1, 1}, at[4] = {0, 0, 0, 0}, j;
            hull h;
            memset(&h, 0, sizeof h);
            lift[0][0] = x[0];
            for (j = 1; j < operands; j++) n[j] = lifts(&some[j], p == 2 ? 2 : 1, lift[j]);
            for (;;) {
                for (j = 0; j < operands; j++) x[j] = lift[j][at[j]];
                hull_add(&h, exact_of_hensel(x, terms));
                for (j = 0; j < operands && ++at[j] == n[j]; j++) at[j] = 0;
                if (j == operands) break;
            }
            CHECK_EQ(h.none, 0);
            if (h.A < A - s) test_failed(__FILE__, __LINE__, "lifts have other roots");
            whole = ball_about(h.base, h.A);
            due[i] = ball_about(h.base, A - s);
        }
        if (whole.kind == O_ZERO) { // all lifts have the root 0
            lost++;
        } else {
            lost += absolute(&whole) - absolute(&due[i]);
        }
    }
    try_tuples("hensel", run_hensel, terms, in, operands, due, count);
    free(in);
    free(due);
    return lost;
}

TEST(hensel_least)
{
    use(2, 3);
    make_balls(0, 1);
    CHECK_EQ(try_hensel(2), 56);
    use(2, 2);
    make_balls(0, 1);
    CHECK_EQ(try_hensel(3), 92);
    use(3, 2);
    make_balls(0, 1);
    CHECK_EQ(try_hensel(2), 60);
    use(3, 1);
    make_balls(0, 1);
    CHECK_EQ(try_hensel(3), 36);
}

// ---- valuation, metric, comparison

// 1: all lifts of a and b are equal modulo p^k; 0: none are; 2: some. What the differences are
// modulo p^k, the lifts of the number that knows less say already.
static int equal_due(const ball *a, const ball *b, int k)
{
    static exact lift[MOST_LIFTS];
    const ball *deep = absolute(a) < absolute(b) ? a : b;
    const exact other = stored(deep == a ? b : a);
    const int more = k - absolute(deep), n = lifts(deep, more > 0 ? more + 1 : 1, lift);
    int yes = 0;
    for (int i = 0; i < n; i++) {
        const exact d = strip(plus(lift[i], minus(other)));
        yes += !d.u || d.v >= k;
    }
    return yes == n ? 1 : yes ? 2 : 0;
}

TEST(valuations)
{
    for (int t = 0; t < TIGHT; t++)
        for (uint32_t digits = 1; digits <= tight[t].two; digits++)
            for (int f = 0; f < FORMS; f++) {
                padic_num_ring ring;
                narr a, b, unit;
                size_t count, i;
                int32_t *val[4];
                uint8_t *equal, *status;
                padic_num_valuation_desc v = PADIC_ZERO;
                padic_tensor plane[4], flags;
                use(tight[t].p, digits);
                make_balls(-1, 1);
                if (!ring_in(&ring, p, N, &forms[f])) continue;
                count = (size_t)ball_count * (size_t)ball_count;
                narr_new(&a, &ring, O_BALL, count, 0);
                narr_new(&b, &ring, O_BALL, count, 0);
                narr_new(&unit, &ring, O_BALL, count, 0);
                for (i = 0; i < count; i++) {
                    pack(&a, i, &balls[i / (size_t)ball_count]);
                    pack(&b, i, &balls[i % (size_t)ball_count]);
                }
                for (i = 0; i < 4; i++) {
                    val[i] = (int32_t *)room(count * 4);
                    plane[i] = padic_tensor_1d(PADIC_I32, val[i], count);
                }
                equal = (uint8_t *)room(count);
                status = (uint8_t *)room(count);
                flags = padic_tensor_1d(PADIC_U8, equal, count);
                v.in = a.a;
                v.val = plane[0];
                CHECK_EQ(padic_num_valuation(num_context(), &v), PADIC_OK);
                v.other = b.a;
                v.val = plane[1];
                v.status = padic_tensor_1d(PADIC_U8, status, count);
                CHECK_EQ(padic_num_valuation(num_context(), &v), PADIC_OK);
                CHECK_EQ(padic_num_split(num_context(), &unit.a, &plane[2], &a.a), PADIC_OK);
                CHECK_EQ(padic_num_tropical(num_context(), &plane[3], &a.a), PADIC_OK);
                for (i = 0; i < count; i++) {
                    const ball *x = &balls[i / (size_t)ball_count];
                    const ball pair[2] = {*x, balls[i % (size_t)ball_count]};
                    const int32_t known = x->kind == O_ZERO ? PADIC_NUM_ZERO : x->v;
                    const ball d = hull_of(exact_of_sub, 0, pair, 2, 1, 0), got = unpack(&unit, i);
                    const ball due = x->kind == O_ZERO ? *x : ball_of(O_FINITE, 0, x->n, x->u);
                    CHECK(val[0][i] == known && val[2][i] == known && val[3][i] == -known);
                    CHECK(val[1][i] == (d.kind == O_ZERO ? PADIC_NUM_ZERO : d.v));
                    CHECK((status[i] == O_PRECLOSS) == (d.kind == O_FINITE && !d.n));
                    compare(forms[f].name, "split", 0, x, 1, &due, &got);
                }
                for (int k = -2; k <= (p > 3 ? 2 : 4); k++) {
                    CHECK_EQ(padic_num_equal(num_context(), &flags, &a.a, &b.a, k), PADIC_OK);
                    for (i = 0; i < count; i++)
                        CHECK_EQ(equal[i], equal_due(&balls[i / (size_t)ball_count],
                                                     &balls[i % (size_t)ball_count],
                                                     k ? k : (int)N));
                }
                for (i = 0; i < 4; i++) free(val[i]);
                free(equal);
                free(status);
                narr_free(&a);
                narr_free(&b);
                narr_free(&unit);
            }
}

// ---- conversions: exact numbers are known to N digits, digits and text to those that they have

// numerator / denominator.
static ball rational(int64_t n, int64_t d)
{
    const uint64_t magnitude = (uint64_t)(n < 0 ? -n : n);
    exact x = number(0, magnitude);
    if (n < 0) x = minus(x);
    return ball_about(product(x, inverse(number(0, (uint64_t)d))), FAR);
}

TEST(exact_numbers)
{
    for (int t = 0; t < TIGHT; t++)
        for (uint32_t digits = 1; digits <= tight[t].one; digits++)
            for (int f = 0; f < FORMS; f++) {
                enum { COUNT = 400 };
                padic_num_ring ring;
                narr x;
                int64_t n[COUNT], d[COUNT];
                double value[COUNT];
                padic_num_from_int_desc from_int = PADIC_ZERO;
                padic_num_from_rational_desc from = PADIC_ZERO;
                padic_num_from_float_desc from_float = PADIC_ZERO;
                use(tight[t].p, digits);
                if (!ring_in(&ring, p, N, &forms[f])) continue;
                narr_new(&x, &ring, O_BALL, COUNT, 0);
                for (int i = 0; i < COUNT; i++) {
                    n[i] = i - COUNT / 2;
                    d[i] = 1 + i % 30;
                    value[i] = (double)n[i] / 8;
                }
                from_int.out = from.out = from_float.out = x.a;
                from_int.in = from.numerator = padic_tensor_1d(PADIC_I64, n, COUNT);
                from.denominator = padic_tensor_1d(PADIC_I64, d, COUNT);
                from_float.in = padic_tensor_1d(PADIC_F64, value, COUNT);
                for (int what = 0; what < 3; what++) {
                    CHECK_EQ(what == 0   ? padic_num_from_int(num_context(), &from_int)
                             : what == 1 ? padic_num_from_rational(num_context(), &from)
                                         : padic_num_from_float(num_context(), &from_float),
                             PADIC_OK);
                    for (int i = 0; i < COUNT; i++) {
                        const ball got = unpack(&x, (size_t)i);
                        const ball due = rational(n[i], what == 0 ? 1 : what == 1 ? d[i] : 8);
                        compare(forms[f].name, "from a number", what, NULL, 0, &due, &got);
                    }
                }
                narr_free(&x);
            }
}

// Digits of a number p^v u of which n are given, and text with O(p^A).
TEST(digits_and_text)
{
    for (int t = 0; t < TIGHT; t++)
        for (uint32_t precision = 1; precision <= 3 && precision <= tight[t].one; precision++)
            for (int f = 0; f < FORMS; f++) {
                padic_num_ring ring;
                narr x;
                uint8_t *digits, *known;
                int32_t *val;
                size_t count, i = 0, size, bad;
                padic_num_from_digits_desc from = PADIC_ZERO;
                use(tight[t].p, precision);
                if (!ring_in(&ring, p, N, &forms[f])) continue;
                count = (size_t)pw[N] * (N + 1);
                narr_new(&x, &ring, O_BALL, count, 0);
                digits = (uint8_t *)room(count * N);
                known = (uint8_t *)room(count);
                val = (int32_t *)room(count * 4);
                for (uint32_t n = 0; n <= N; n++)
                    for (uint64_t u = 0; u < pw[N]; u++, i++) {
                        for (uint32_t j = 0; j < N; j++)
                            digits[i * N + j] = (uint8_t)(u / pw[j] % p);
                        known[i] = (uint8_t)n;
                        val[i] = -1;
                    }
                from.out = x.a;
                from.digits = padic_tensor_2d(PADIC_U8, digits, count, N);
                from.layout = PADIC_NUM_LAYOUT_ROWS;
                from.val = padic_tensor_1d(PADIC_I32, val, count);
                from.known = padic_tensor_1d(PADIC_U8, known, count);
                CHECK_EQ(padic_num_from_digits(num_context(), &from), PADIC_OK);
                for (i = 0; i < count; i++) {
                    const int n = (int)(i / pw[N]);
                    const ball got = unpack(&x, i);
                    const ball due = ball_about(number(-1, i % pw[N]), n - 1);
                    compare(forms[f].name, "from digits", n, NULL, 0, &due, &got);
                }
                for (int v = -1; v <= 1; v++)
                    for (int A = -2; A <= 4; A++)
                        for (uint64_t u = 0; u < pw[N] * 2; u++) {
                            char text[80], back[200];
                            const exact value = number(v, u);
                            // u as a decimal is exact; N of its digits are kept, then A decides
                            const ball all = ball_about(value, FAR);
                            const ball due =
                                ball_about(value, u && A > absolute(&all) ? absolute(&all) : A);
                            ball got;
                            sprintf(text, "%lu * %d^%d + O(%d^%d)", (unsigned long)u, (int)p, v,
                                    (int)p, A);
                            CHECK_EQ(num_parse(&x.a, 0, text, strlen(text), &bad), PADIC_OK);
                            got = unpack(&x, 0);
                            compare(forms[f].name, text, A, NULL, 0, &due, &got);
                            for (int style = 0; style < 2; style++) {
                                CHECK_EQ(num_print(&x.a, 0, (padic_num_text)style, back,
                                                   sizeof back, &size),
                                         PADIC_OK);
                                CHECK_EQ(num_parse(&x.a, 1, back, size, &bad), PADIC_OK);
                                got = unpack(&x, 1);
                                compare(forms[f].name, back, style, NULL, 0, &due, &got);
                            }
                        }
                free(digits);
                free(known);
                free(val);
                narr_free(&x);
            }
}

// What leaves the ball is the number its stored digits stand for; digits come with n.
TEST(conversions_out)
{
    for (int t = 0; t < TIGHT; t++)
        for (uint32_t precision = 1; precision <= tight[t].one; precision++)
            for (int f = 0; f < FORMS; f++) {
                padic_num_ring ring;
                narr a;
                size_t count, i;
                int64_t *n, *d;
                uint8_t *status, *digits, *known;
                int32_t *val;
                padic_num_to_int_desc to_int = PADIC_ZERO;
                padic_num_to_rational_desc to = PADIC_ZERO;
                padic_num_to_digits_desc to_digits = PADIC_ZERO;
                use(tight[t].p, precision);
                make_balls(-1, 2);
                if (!ring_in(&ring, p, N, &forms[f])) continue;
                count = (size_t)ball_count;
                narr_new(&a, &ring, O_BALL, count, 0);
                for (i = 0; i < count; i++) pack(&a, i, &balls[i]);
                n = (int64_t *)room(count * 8);
                d = (int64_t *)room(count * 8);
                val = (int32_t *)room(count * 4);
                status = (uint8_t *)room(count);
                known = (uint8_t *)room(count);
                digits = (uint8_t *)room(count * N);
                to_int.in = to.in = to_digits.in = a.a;
                to_int.out = to.numerator = padic_tensor_1d(PADIC_I64, n, count);
                to.denominator = padic_tensor_1d(PADIC_I64, d, count);
                to_int.status = to.status = padic_tensor_1d(PADIC_U8, status, count);
                to_digits.val = padic_tensor_1d(PADIC_I32, val, count);
                to_digits.known = padic_tensor_1d(PADIC_U8, known, count);
                to_digits.digits = padic_tensor_2d(PADIC_U8, digits, count, N);
                to_digits.layout = PADIC_NUM_LAYOUT_ROWS;
                for (int mode = 0; mode < 2; mode++) {
                    to_int.mode = (padic_num_int_mode)mode;
                    CHECK_EQ(padic_num_to_int(num_context(), &to_int), PADIC_OK);
                    for (i = 0; i < count; i++) {
                        const ball *b = &balls[i];
                        const int64_t scale = b->v > 0 ? (int64_t)pw[b->v] : 1;
                        int64_t u = (int64_t)b->u;
                        const int below = b->kind == O_FINITE && b->v < 0;
                        if (mode && b->n && (p == 2 ? u >= (int64_t)pw[b->n] / 2
                                                    : u > (int64_t)pw[b->n] / 2))
                            u -= (int64_t)pw[b->n];
                        CHECK_EQ(n[i], below ? 0 : u * scale);
                        CHECK_EQ(status[i], below                            ? O_OUTSIDE
                                            : b->kind == O_FINITE && !b->n ? O_PRECLOSS
                                                                             : 0);
                    }
                }
                CHECK_EQ(padic_num_to_digits(num_context(), &to_digits), PADIC_OK);
                for (i = 0; i < count; i++) {
                    CHECK_EQ(known[i], balls[i].n);
                    for (uint32_t j = 0; j < N; j++)
                        CHECK_EQ(digits[i * N + j], balls[i].u / pw[j] % p);
                }
                // n / d of a ball of n digits: bounds with 2 B^2 < p^(n - 1), and it is a lift
                CHECK_EQ(padic_num_to_rational(num_context(), &to), PADIC_OK);
                for (i = 0; i < count; i++) {
                    const ball *b = &balls[i];
                    int64_t most = 0, found = 0, x, y;
                    if (b->kind == O_ZERO) {
                        CHECK(n[i] == 0 && d[i] == 1);
                        continue;
                    }
                    if (b->n) {
                        const uint64_t half = (pw[b->n - 1] - 1) / 2;
                        while ((uint64_t)((most + 1) * (most + 1)) <= half) most++;
                    }
                    for (y = 1; y <= most && b->n; y++)
                        for (x = -most; x <= most; x++) {
                            const int64_t q = (int64_t)pw[b->n];
                            int64_t g = x < 0 ? -x : x, h = y;
                            while (h) {
                                const int64_t rest = g % h;
                                g = h;
                                h = rest;
                            }
                            if (g != 1 || ((int64_t)b->u * y - x) % q || y % (int64_t)p == 0)
                                continue;
                            found++;
                            CHECK(status[i] == 0);
                            CHECK(b->v < 0 ? n[i] == x && d[i] == y * (int64_t)pw[-b->v]
                                           : n[i] == x * (int64_t)pw[b->v] && d[i] == y);
                        }
                    CHECK(found <= 1);
                    if (!found) CHECK(n[i] == 0 && d[i] == 0 && status[i] == O_RATREC);
                }
                free(n);
                free(d);
                free(val);
                free(status);
                free(known);
                free(digits);
                narr_free(&a);
            }
}

// ---- precision, prime, bytes, random numbers

TEST(precision_and_prime)
{
    for (int t = 0; t < TIGHT; t++)
        for (uint32_t old = 1; old <= tight[t].one; old++)
            for (uint32_t precision = 1; precision <= tight[t].one; precision++)
                for (int f = 0; f < FORMS; f++)
                    for (int g = 0; g < FORMS; g += 3) {
                        padic_num_ring from, to;
                        narr x, a;
                        use(tight[t].p, old);
                        make_balls(-1, 0);
                        if (!ring_in(&from, p, old, &forms[f]) ||
                            !ring_in(&to, p, precision, &forms[g]))
                            continue;
                        use(tight[t].p, precision);
                        narr_new(&a, &from, O_BALL, (size_t)ball_count, 0);
                        narr_new(&x, &to, O_BALL, (size_t)ball_count, 0);
                        narr_workspace(&x, padic_num_workspace(&from));
                        narr_workspace(&x, padic_num_workspace(&to));
                        for (int i = 0; i < ball_count; i++) pack(&a, (size_t)i, &balls[i]);
                        CHECK_EQ(padic_num_set_precision(num_context(), &x.a, &a.a), PADIC_OK);
                        for (int i = 0; i < ball_count; i++) {
                            const ball got = unpack(&x, (size_t)i), *b = &balls[i];
                            const ball due = b->kind == O_ZERO
                                                 ? *b
                                                 : ball_about(number(b->v, b->u), absolute(b));
                            compare(forms[f].name, "set_precision", old, b, 1, &due, &got);
                        }
                        narr_free(&x);
                        narr_free(&a);
                    }
    // The fraction that a ball stands for is exact, in Q_3 to all N digits; where a ball has no
    // fraction there is nothing.
    use(2, 12);
    for (int i = -5; i <= 5; i++)
        for (int j = 1; j <= 5; j++)
            for (int n = 1; n <= 12; n++) {
                padic_num_ring from, to;
                narr x, a;
                ball b, got, due;
                use(2, (uint32_t)n);
                b = rational(i, j);
                use(3, 4);
                due = rational(i, j);
                use(2, 12);
                if (b.kind != O_ZERO && n < 8) continue; // too short for 5/5 and one guard digit
                padic_num_ring_init(&from, 2, 12, NULL);
                padic_num_ring_init(&to, 3, 4, NULL);
                narr_new(&x, &to, O_BALL, 1, 0);
                narr_new(&a, &from, O_BALL, 1, 0);
                pack(&a, 0, &b);
                CHECK_EQ(padic_num_change_prime(num_context(), &x.a, &a.a), PADIC_OK);
                got = unpack(&x, 0);
                compare("smallest", "change_prime", n, &b, 1, &due, &got);
                narr_free(&x);
                narr_free(&a);
            }
}

TEST(bytes_and_random)
{
    for (int t = 0; t < TIGHT; t++)
        for (int f = 0; f < FORMS; f++) {
            enum { COUNT = 300 };
            padic_num_ring ring;
            narr x, a, r;
            uint8_t *bytes;
            size_t size;
            padic_num_random_desc random = PADIC_ZERO;
            use(tight[t].p, tight[t].one);
            make_balls(-2, 1);
            if (!ring_in(&ring, p, N, &forms[f])) continue;
            narr_new(&x, &ring, O_BALL, (size_t)ball_count, 0);
            narr_new(&a, &ring, O_BALL, (size_t)ball_count, 0);
            for (int i = 0; i < ball_count; i++) pack(&a, (size_t)i, &balls[i]);
            size = padic_num_write_size_bound(&a.a);
            bytes = (uint8_t *)room(size);
            CHECK_EQ(num_write(num_context(), &a.a, bytes, size, &size), PADIC_OK);
            CHECK_EQ(num_read(num_context(), &x.a, bytes, size), PADIC_OK);
            for (int i = 0; i < ball_count; i++) {
                const ball got = unpack(&x, (size_t)i);
                compare(forms[f].name, "write and read", 0, &balls[i], 1, &balls[i], &got);
                if (ring.form != PADIC_NUM_RX) {
                    padic_num_value value;
                    CHECK_EQ(padic_num_get(&a.a, (uint64_t)i, &value), PADIC_OK);
                    CHECK_EQ(value.n, balls[i].n);
                    CHECK_EQ(padic_num_set(&x.a, 0, &value), PADIC_OK);
                }
            }
            free(bytes);
            narr_free(&x);
            narr_free(&a);
            // a random integer is known modulo P
            narr_new(&x, &ring, O_BALL, COUNT, 0);
            narr_new(&r, &ring, O_RING, COUNT, 0);
            random.out = x.a;
            CHECK_EQ(padic_num_random(num_context(), &random), PADIC_OK);
            random.out = r.a;
            CHECK_EQ(padic_num_random(num_context(), &random), PADIC_OK);
            for (size_t i = 0; i < COUNT; i++) {
                const ball got = unpack(&x, i);
                const ball due = ball_about(number(0, unpack(&r, i).u), (int)N);
                compare(forms[f].name, "random", 0, NULL, 0, &due, &got);
            }
            narr_free(&x);
            narr_free(&r);
        }
}

TEST_MAIN("num_tight", CASE(arithmetic), CASE(product_with_itself), CASE(powers),
          CASE(huge_powers), CASE(series), CASE(oracle), CASE(roots), CASE(sums),
          CASE(horner_correlation), CASE(hensel_least), CASE(valuations), CASE(exact_numbers),
          CASE(digits_and_text), CASE(conversions_out), CASE(precision_and_prime),
          CASE(bytes_and_random))
