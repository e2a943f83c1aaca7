// test_num_core.c: rings and arithmetic of padic.h against num_oracle.h, in every form (B2 to
// RX), model and width of valuations: exhaustively where P <= 2^12, at random in larger rings.
//
//     cc -O1 tests/num/test_num_core.c -o t -lm -lpthread && ./t      FULL=1: every pair everywhere

#define PADIC_IMPLEMENTATION
#include "../../padic.h"
#include "../../backends/padic_threads.h"
#include "num_oracle.h"
#include "../support/padic_test.h"
#include "../support/num_calls.h"
#include "num_cases.h"

// ---- operations by name

typedef enum op { ADD, SUB, MUL, DIV, NEG, SQUARE, INV, SHIFT, POW, FMA } op;
static const char *const op_name[] = {"add",    "sub", "mul",   "div", "neg",
                                      "square", "inv", "shift", "pow", "fma"};

static padic_result library(padic_context *context, op o, const narr *out, const narr *a,
                            const narr *b, const narr *c, int64_t k)
{
    const padic_num_array *to = &out->a, *x = &a->a, *y = b ? &b->a : NULL, *z = c ? &c->a : NULL;
    switch (o) {
    case ADD:
        return padic_num_add(context, to, x, y);
    case SUB:
        return padic_num_sub(context, to, x, y);
    case MUL:
        return padic_num_mul(context, to, x, y);
    case DIV:
        return padic_num_div(context, to, x, y);
    case NEG:
        return padic_num_neg(context, to, x);
    case SQUARE:
        return padic_num_square(context, to, x);
    case INV:
        return padic_num_inv(context, to, x);
    case SHIFT:
        return padic_num_shift(context, to, x, k);
    case POW:
        return padic_num_pow(context, to, x, k);
    default:
        return padic_num_fma(context, to, x, y, z);
    }
}

static void oracle(op o, const oring *r, int model, onum *out, const onum *a, const onum *b,
                   const onum *c, int64_t k)
{
    switch (o) {
    case ADD:
        o_add(r, model, out, a, b);
        break;
    case SUB:
        o_sub(r, model, out, a, b);
        break;
    case MUL:
        o_mul(r, model, out, a, b);
        break;
    case DIV:
        o_div(r, model, out, a, b);
        break;
    case NEG:
        o_neg(r, model, out, a);
        break;
    case SQUARE:
        o_square(r, model, out, a);
        break;
    case INV:
        o_inv(r, model, out, a);
        break;
    case SHIFT:
        o_shift(r, model, out, a, k);
        break;
    case POW:
        o_pow(r, model, out, a, k);
        break;
    default:
        o_fma(r, model, out, a, b, c);
        break;
    }
}

// ---- rings

TEST(primes)
{
    static const uint64_t prime[] = {2,
                                     3,
                                     5,
                                     37,
                                     41,
                                     257,
                                     65537,
                                     2147483647,
                                     4294967291u,
                                     UINT64_C(562949953421231),
                                     UINT64_C(2305843009213693951),
                                     UINT64_C(9223372036854775783),
                                     UINT64_C(18446744073709551557)};
    // Carmichael numbers, strong pseudoprimes to the first 1 ... 9 and 12 bases, semiprimes.
    static const uint64_t composite[] = {0,
                                         1,
                                         4,
                                         561,
                                         41041,
                                         825265,
                                         321197185,
                                         2047,
                                         1373653,
                                         25326001,
                                         3215031751u,
                                         UINT64_C(2152302898747),
                                         UINT64_C(3474749660383),
                                         UINT64_C(341550071728321),
                                         UINT64_C(3825123056546413051),
                                         UINT64_C(9999109081) * 9998,
                                         4294967297u,
                                         UINT64_C(4294967291) * 4294967279u,
                                         UINT64_C(3037000493) * 3037000453u,
                                         UINT64_MAX,
                                         UINT64_C(4294967291) * 4294967291u};
    for (size_t i = 0; i < sizeof prime / sizeof *prime; i++)
        CHECK_EQ(padic_num_is_prime(prime[i]), 1);
    for (size_t i = 0; i < sizeof composite / sizeof *composite; i++)
        CHECK_EQ(padic_num_is_prime(composite[i]), 0);
    for (uint32_t n = 0; n < (test_tiny ? 3000u : 30000u); n++) {
        int is = n > 1;
        for (uint32_t d = 2; d * d <= n && is; d++) is = n % d != 0;
        CHECK_EQ(padic_num_is_prime(n), is);
    }
    for (int i = 0; i < (test_tiny ? 200 : 5000); i++) { // products of two are never prime
        const uint64_t a = test_random() >> 32 | 1, b = test_random() >> 33 | 2;
        CHECK_EQ(padic_num_is_prime(a * b), a == 1 && padic_num_is_prime(b));
    }
}

TEST(ring_forms)
{
    static const ring_case cases[] = {{2, 1, PADIC_NUM_B2},
                                      {2, 32, PADIC_NUM_B2},
                                      {2, 33, PADIC_NUM_B2},
                                      {2, 64, PADIC_NUM_B2},
                                      {2, 65, PADIC_NUM_W128},
                                      {2, 126, PADIC_NUM_W128},
                                      {2, 127, PADIC_NUM_RX},
                                      {2, 65535, PADIC_NUM_RX},
                                      {3, 1, PADIC_NUM_W32},
                                      {3, 20, PADIC_NUM_W32},
                                      {3, 21, PADIC_NUM_W49},
                                      {3, 30, PADIC_NUM_W49},
                                      {3, 31, PADIC_NUM_W64},
                                      {3, 40, PADIC_NUM_W64},
                                      {3, 41, PADIC_NUM_W128},
                                      {3, 80, PADIC_NUM_W128},
                                      {3, 81, PADIC_NUM_RX},
                                      {257, 3, PADIC_NUM_W32},
                                      {257, 4, PADIC_NUM_W49},
                                      {257, 6, PADIC_NUM_W49},
                                      {257, 7, PADIC_NUM_W64},
                                      {257, 15, PADIC_NUM_W128},
                                      {257, 16, PADIC_NUM_RX},
                                      {65537, 1, PADIC_NUM_W32},
                                      {65537, 2, PADIC_NUM_W49},
                                      {2147483647, 1, PADIC_NUM_W32},
                                      {4294967291u, 1, PADIC_NUM_W32},
                                      {4294967291u, 2, PADIC_NUM_W64},
                                      {4294967291u, 3, PADIC_NUM_W128},
                                      {UINT64_C(562949953421231), 1, PADIC_NUM_W49},
                                      {UINT64_C(562949953421231), 2, PADIC_NUM_W128},
                                      {UINT64_C(562949953421231), 3, PADIC_NUM_RX},
                                      {UINT64_C(2305843009213693951), 1, PADIC_NUM_W64},
                                      {UINT64_C(2305843009213693951), 2, PADIC_NUM_W128},
                                      {UINT64_C(9223372036854775783), 2, PADIC_NUM_W128}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        padic_num_ring ring, again;
        padic_num_ring_options options = PADIC_ZERO;
        CHECK_EQ(padic_num_ring_init(&ring, cases[i].p, cases[i].N, NULL), PADIC_OK);
        if (ring.form != cases[i].form)
            printf("\n    p %lu N %u", (unsigned long)cases[i].p, (unsigned)cases[i].N);
        CHECK_EQ(ring.form, cases[i].form);
        CHECK_EQ(ring.p, cases[i].p);
        CHECK_EQ(ring.precision, cases[i].N);
        for (int form = PADIC_NUM_B2; form <= PADIC_NUM_RX; form++) {
            options.form = (padic_num_form)form;
            const padic_result result =
                padic_num_ring_init(&again, cases[i].p, cases[i].N, &options);
            const int fits = form >= (int)cases[i].form;
            // B2 with N = 64 has P = 2^64, which W64 does not hold.
            const uint32_t N = cases[i].N;
            const int holds = cases[i].p != 2 || form == PADIC_NUM_B2 || form >= PADIC_NUM_W128 ||
                              (form == PADIC_NUM_W64 && N < 64) ||
                              (form == PADIC_NUM_W49 && N < 49) ||
                              (form == PADIC_NUM_W32 && N < 32);
            CHECK_EQ(result, fits && holds ? PADIC_OK : PADIC_ERROR_PRECISION);
            if (result)
                CHECK(again.magic == 0 && again.p == 0);
            else
                CHECK_EQ(again.form, form);
        }
    }
}

TEST(ring_errors)
{
    padic_num_ring ring;
    static const uint64_t composite[] = {0, 1, 4, 9, 561, 1000, UINT64_C(1) << 62};
    for (size_t i = 0; i < sizeof composite / sizeof *composite; i++) {
        memset(&ring, 1, sizeof ring);
        CHECK_EQ(padic_num_ring_init(&ring, composite[i], 3, NULL), PADIC_ERROR_PRIME);
        CHECK(ring.magic == 0 && ring.p == 0 && ring.precision == 0);
    }
    CHECK_EQ(padic_num_ring_init(&ring, 5, 0, NULL), PADIC_ERROR_PRECISION);
    CHECK_EQ(padic_num_ring_init(&ring, 2, 65536, NULL), PADIC_ERROR_PRECISION);
    CHECK_EQ(padic_num_ring_init(&ring, 3, 65535, NULL), PADIC_ERROR_PRECISION); // 103,871 bits
    CHECK_EQ(padic_num_ring_init(&ring, UINT64_C(18446744073709551557), 1, NULL),
             PADIC_ERROR_LIMIT);
    padic_num_ring_options options = PADIC_ZERO;
    options.form = PADIC_NUM_RX;
    options.limb32 = 1; // a limb holds at least one digit
    CHECK_EQ(padic_num_ring_init(&ring, UINT64_C(2305843009213693951), 3, &options),
             PADIC_ERROR_LIMIT);
    CHECK_EQ(padic_num_ring_init(&ring, 4294967311u, 3, &options), PADIC_ERROR_LIMIT);
    CHECK_EQ(padic_num_ring_init(&ring, 4294967291u, 5, &options), PADIC_OK);
    options.limb32 = 0;
    CHECK_EQ(padic_num_ring_init(&ring, UINT64_C(9223372036854775837), 3, &options),
             PADIC_ERROR_LIMIT); // the first prime above 2^63
    CHECK_EQ(padic_num_ring_init(&ring, UINT64_C(2305843009213693951), 1075, NULL),
             PADIC_ERROR_PRECISION);
    CHECK_EQ(padic_num_ring_init(&ring, UINT64_C(2305843009213693951), 1074, NULL), PADIC_OK);
    CHECK_EQ(ring.form, PADIC_NUM_RX);
    CHECK(ring.limb_digits == 1 && ring.words == 1074 && ring.base == ring.p);
    CHECK_EQ(padic_num_ring_init(NULL, 5, 1, NULL), PADIC_ERROR_ARGUMENT);
    CHECK_EQ(padic_num_ring_init_radix(&ring, 10, 5, NULL), PADIC_OK);
    CHECK_EQ(ring.composite, 1);
    CHECK_EQ(padic_num_ring_init_radix(&ring, 1, 5, NULL), PADIC_ERROR_ARGUMENT);
    CHECK_EQ(padic_num_ring_init_radix(&ring, 0, 5, NULL), PADIC_ERROR_ARGUMENT);
    // A refused ring is refused everywhere.
    uint64_t memory[64];
    padic_num_array array;
    CHECK(padic_num_ring_init(&ring, 6, 2, NULL) != PADIC_OK);
    CHECK_EQ(padic_num_place(&array, &ring, PADIC_NUM_RING, 1, memory, sizeof memory),
             PADIC_ERROR_ARGUMENT);
    CHECK_EQ(padic_num_array_size_bound(&ring, PADIC_NUM_RING, 1), 0);
}

// ---- exhaustive, RING: plain remainders say what is right

typedef struct small_case {
    uint32_t p, N;
} small_case;
static const small_case small_rings[] = {{2, 1}, {2, 2}, {2, 3},  {2, 4},  {2, 5},  {2, 6}, {2, 7},
                                         {2, 8}, {2, 9}, {2, 10}, {2, 11}, {2, 12}, {3, 1}, {3, 2},
                                         {3, 3}, {3, 4}, {3, 5},  {3, 6},  {3, 7},  {5, 1}, {5, 2},
                                         {5, 3}, {5, 4}, {5, 5},  {7, 1},  {7, 2},  {7, 3}, {7, 4}};
enum { SMALL_RINGS = (int)(sizeof small_rings / sizeof *small_rings) };

static uint32_t small_P(const small_case *s)
{
    uint32_t P = 1;
    for (uint32_t i = 0; i < s->N; i++) P *= s->p;
    return P;
}

static uint32_t element(const narr *x, size_t i) // of a ring with P <= 2^12
{
    if (x->a.ring->form == PADIC_NUM_RX) i = narr_limb(x, i, 0);
    return (uint32_t)narr_word(x, i);
}

static void set_element(narr *x, size_t i, uint32_t u)
{
    onum t;
    o_special(&t, O_FINITE, 0);
    big_u64(&t.u, u);
    o_pack(x, i, &t);
}

static void ring_pairs(const small_case *s, const form_case *f, uint32_t every)
{
    padic_num_ring ring;
    const uint32_t P = small_P(s);
    narr all, one, out;
    if (!ring_in(&ring, s->p, s->N, f)) return;
    uint32_t *inverse = (uint32_t *)calloc(P, sizeof *inverse);
    if (!inverse) abort();
    for (uint32_t a = 0; a < P; a++) // the powers of a unit end in 1 after its inverse
        for (uint32_t b = 1, t; a % s->p && !inverse[a]; b = t) {
            t = a * b % P;
            if (t == 1 % P) inverse[a] = b;
        }
    narr_new(&all, &ring, O_RING, P, 0);
    narr_new(&one, &ring, O_RING, 1, 0);
    narr_new(&out, &ring, O_RING, P, 0);
    for (uint32_t a = 0; a < P; a++) set_element(&all, a, a);
    uint32_t bad = 0;
    for (uint32_t a = every > 1 ? s->N % every : 0; a < P; a += every) {
        set_element(&one, 0, a);
        for (int o = ADD; o <= DIV; o++) {
            bad += library(num_context(), (op)o, &out, &all, &one, NULL, 0) != PADIC_OK;
            for (uint32_t b = 0; b < P; b++) { // b op a
                unsigned status = 0;
                uint32_t due = 0;
                switch (o) {
                case ADD:
                    due = (b + a) % P;
                    break;
                case SUB:
                    due = (b + P - a) % P;
                    break;
                case MUL:
                    due = b * a % P;
                    break;
                default:
                    if (inverse[a])
                        due = b * inverse[a] % P;
                    else
                        status = a ? O_NONUNIT : O_DIV0;
                }
                if (element(&out, b) != due || out.status[b] != status) {
                    if (!bad++)
                        printf("\n    %s p %u N %u: %u %s %u is %u, not %u (status %u, not %u)",
                               f->name, (unsigned)s->p, (unsigned)s->N, (unsigned)b, op_name[o],
                               (unsigned)a, (unsigned)element(&out, b), (unsigned)due,
                               (unsigned)out.status[b], status);
                }
            }
        }
        // The scalar on the left.
        bad += library(num_context(), SUB, &out, &one, &all, NULL, 0) != PADIC_OK;
        for (uint32_t b = 0; b < P; b++) bad += element(&out, b) != (a + P - b) % P;
        bad += library(num_context(), DIV, &out, &one, &all, NULL, 0) != PADIC_OK;
        for (uint32_t b = 0; b < P; b++)
            bad += element(&out, b) != (inverse[b] ? a * inverse[b] % P : 0);
    }
    if (bad) printf("\n    %s p %u N %u", f->name, (unsigned)s->p, (unsigned)s->N);
    CHECK_EQ(bad, 0);
    free(inverse);
    narr_free(&all);
    narr_free(&one);
    narr_free(&out);
}

TEST(ring_all_pairs)
{
    for (int i = 0; i < SMALL_RINGS; i++) {
        const uint32_t P = small_P(&small_rings[i]);
        for (int f = 0; f < FORMS; f++) {
            uint32_t every = test_tiny ? 1 + P / 7 : f == 0 ? 1 : 1 + P / 128;
            if (test_full()) every = 1;
            ring_pairs(&small_rings[i], &forms[f], every);
        }
    }
}

// ---- exhaustive, FLOAT and BALL: every unit, precision and difference of valuations

typedef struct list {
    onum *x;
    size_t n, room;
} list;

static onum *list_add(list *l)
{
    if (l->n == l->room) {
        l->room = l->room ? 2 * l->room : 256;
        l->x = (onum *)realloc(l->x, l->room * sizeof *l->x);
        if (!l->x) abort();
    }
    return &l->x[l->n++];
}

static void list_finite(list *l, int64_t v, uint32_t n, uint64_t u)
{
    onum *x = list_add(l);
    o_special(x, O_FINITE, 0);
    x->v = v;
    x->n = n;
    big_u64(&x->u, u);
}

// Every number of a small ring with one of these valuations, and the specials.
static void list_all(list *l, const oring *r, int model, const int64_t *v, size_t valuations)
{
    const uint32_t P = (uint32_t)big_low(o_P(r));
    if (model == O_RING) {
        for (uint32_t u = 0; u < P; u++) list_finite(l, 0, 0, u);
        return;
    }
    for (size_t i = 0; i < valuations; i++) {
        for (uint32_t n = model == O_BALL ? 1 : r->N; n <= r->N; n++)
            for (uint32_t u = 1; u < (uint32_t)big_low(&r->pw[n]); u++)
                if (u % r->p) list_finite(l, v[i], n, u);
        if (model == O_BALL) list_finite(l, v[i], 0, 0);
    }
    o_special(list_add(l), O_ZERO, 0);
    o_special(list_add(l), O_NAN, O_DIV0);
    o_special(list_add(l), O_NAN, O_RANGE | O_PRECLOSS);
}

static void pack_list(narr *x, const list *l)
{
    for (size_t i = 0; i < l->n; i++) o_pack(x, i, &l->x[i]);
}

static void pairs(const oring *r, const form_case *f, int model, int flags, const list *l,
                  size_t every)
{
    padic_num_ring ring;
    narr all, one, out;
    onum due, got;
    if (!ring_in(&ring, r->p, r->N, f)) return;
    narr_new(&all, &ring, model, l->n, flags);
    narr_new(&one, &ring, model, 1, flags);
    narr_new(&out, &ring, model, l->n, flags);
    pack_list(&all, l);
    for (size_t i = every > 1 ? r->N % every : 0; i < l->n; i += every) {
        o_pack(&one, 0, &l->x[i]);
        for (int o = ADD; o <= DIV; o++) {
            const place at = {f->name, op_name[o], r, model, flags};
            CHECK_EQ(library(num_context(), (op)o, &out, &one, &all, NULL, 0), PADIC_OK);
            for (size_t j = 0; j < l->n; j++) {
                oracle((op)o, r, model, &due, &l->x[i], &l->x[j], NULL, 0);
                o_unpack(&out, j, &got);
                right(&at, &l->x[i], &l->x[j], NULL, &due, &got);
            }
        }
    }
    narr_free(&all);
    narr_free(&one);
    narr_free(&out);
}

static void model_pairs(int model)
{
    for (int i = 0; i < SMALL_RINGS; i++) {
        const uint32_t P = small_P(&small_rings[i]);
        oring r;
        o_ring(&r, small_rings[i].p, small_rings[i].N);
        const int64_t N = r.N, v[] = {-N - 1, 1 - N, -1, 0, 1, 2, N};
        list l = {NULL, 0, 0};
        list_all(&l, &r, model, v, P > 1000 ? 4 : 7);
        for (int f = 0; f < FORMS; f++) {
            // About 2^16 pairs everyday in the smallest form, 2^13 in the others.
            size_t every = 1 + l.n * l.n / (test_tiny ? 1500 : f ? 12000 : 60000);
            if (test_full()) every = P <= 128 ? 1 : 1 + every / 16;
            pairs(&r, &forms[f], model, f & 1 ? NARR_VAL16 : NARR_KNOWN16, &l, every);
        }
        free(l.x);
        o_ring_free(&r);
    }
}
TEST(float_pairs)
{
    model_pairs(O_FLOAT);
}
TEST(ball_pairs)
{
    model_pairs(O_BALL);
}

// One operand: every element of every small ring, with shifts and powers of interest.
static void unary(const oring *r, const form_case *f, int model, int flags, const list *l)
{
    static const int64_t powers[] = {0,  1,   -1,        2,         3,           -2,
                                     4,  5,   -5,        7,         8,           9,
                                     49, 128, INT64_MAX, INT64_MIN, -1000000000, 1000000007};
    padic_num_ring ring;
    narr all, out;
    onum due, got;
    if (!ring_in(&ring, r->p, r->N, f)) return;
    narr_new(&all, &ring, model, l->n, flags);
    narr_new(&out, &ring, model, l->n, flags);
    pack_list(&all, l);
    for (int o = NEG; o <= POW; o++) {
        const int shifts = (int)r->N + 2, count_pow = (int)(sizeof powers / sizeof *powers);
        const int from = o == SHIFT ? -shifts : 0;
        const int to = o == SHIFT ? shifts : o == POW ? count_pow - 1 : 0;
        for (int t = from; t <= to; t++) {
            const int64_t k = o == POW ? powers[t] : t;
            const place at = {f->name, op_name[o], r, model, k};
            CHECK_EQ(library(num_context(), (op)o, &out, &all, NULL, NULL, k), PADIC_OK);
            for (size_t j = 0; j < l->n; j++) {
                oracle((op)o, r, model, &due, &l->x[j], NULL, NULL, k);
                o_unpack(&out, j, &got);
                right(&at, &l->x[j], NULL, NULL, &due, &got);
            }
        }
    }
    narr_free(&all);
    narr_free(&out);
}

TEST(unary_all)
{
    for (int i = 0; i < SMALL_RINGS; i++) {
        const uint32_t P = small_P(&small_rings[i]);
        if (P > (test_full() ? 4096u : test_tiny ? 30u : 256u)) continue;
        for (int model = O_RING; model <= O_BALL; model++) {
            oring r;
            o_ring(&r, small_rings[i].p, small_rings[i].N);
            const int64_t v[] = {-3, 0, 1};
            list l = {NULL, 0, 0};
            list_all(&l, &r, model, v, 3);
            for (int f = 0; f < FORMS; f++) {
                if (P > 30 && f > 0 && f < 6 && !test_full()) continue;
                unary(&r, &forms[f], model, 0, &l);
            }
            free(l.x);
            o_ring_free(&r);
        }
    }
}

// ---- random numbers of larger rings

enum { MOST = 77 };

typedef struct triple {
    onum a[MOST], b[MOST], c[MOST];
    narr A, B, C, out;
} triple;

static void triple_new(triple *t, const padic_num_ring *ring, const oring *r, int model, size_t n,
                       int flags)
{
    narr_new(&t->A, ring, model, n, flags);
    narr_new(&t->B, ring, model, n, flags);
    narr_new(&t->C, ring, model, n, flags);
    narr_new(&t->out, ring, model, n, flags);
    for (size_t i = 0; i < n; i++) {
        random_num(r, model, &t->a[i]);
        random_num(r, model, &t->b[i]);
        random_num(r, model, &t->c[i]);
        if (i % 7 == 3) o_copy(&t->b[i], &t->a[i]);
        if (i % 7 == 5) o_neg(r, model, &t->b[i], &t->a[i]);
        o_pack(&t->A, i, &t->a[i]);
        o_pack(&t->B, i, &t->b[i]);
        o_pack(&t->C, i, &t->c[i]);
    }
}

static void triple_free(triple *t)
{
    narr_free(&t->A);
    narr_free(&t->B);
    narr_free(&t->C);
    narr_free(&t->out);
}

static void random_ops(triple *t, const form_case *f, const oring *r, int model, size_t n)
{
    static const int64_t ks[] = {1, -1, 3, -2, 10, 0, 257, -1000};
    onum due, got;
    for (int o = ADD; o <= FMA; o++) {
        for (int turn = 0; turn < (o == SHIFT || o == POW ? 4 : 1); turn++) {
            const int64_t k = ks[test_random() % (sizeof ks / sizeof *ks)];
            const place at = {f->name, op_name[o], r, model, k};
            CHECK_EQ(library(num_context(), (op)o, &t->out, &t->A, &t->B, &t->C, k), PADIC_OK);
            for (size_t i = 0; i < n; i++) {
                oracle((op)o, r, model, &due, &t->a[i], &t->b[i], &t->c[i], k);
                o_unpack(&t->out, i, &got);
                if (!right(&at, &t->a[i], o > DIV && o != FMA ? NULL : &t->b[i],
                           o == FMA ? &t->c[i] : NULL, &due, &got))
                    break;
            }
        }
    }
}

static void random_reductions(triple *t, const form_case *f, const oring *r, int model, size_t n)
{
    narr sum;
    onum due, got;
    narr_new(&sum, t->A.a.ring, model, 1, 0);
    for (int dot = 0; dot < 2; dot++) {
        const place at = {f->name, dot ? "dot" : "sum", r, model, (int64_t)n};
        CHECK_EQ(dot ? padic_num_dot(num_context(), &sum.a, &t->A.a, &t->B.a)
                     : padic_num_sum(num_context(), &sum.a, &t->A.a),
                 PADIC_OK);
        o_reduce(r, model, &due, t->a, dot ? t->b : NULL, n);
        o_unpack(&sum, 0, &got);
        got.status = due.status; // of a sum the bits are those of any of its steps
        right(&at, NULL, NULL, NULL, &due, &got);
    }
    narr_free(&sum);
}

static void random_horner(triple *t, const form_case *f, const oring *r, int model, size_t n)
{
    const uint32_t terms = (uint32_t)(1 + test_random() % 5);
    padic_num_horner_desc desc = PADIC_ZERO;
    narr shared, own;
    onum coefficient[5], *of_point = (onum *)malloc(5 * n * sizeof(onum)), due, got;
    if (!of_point) abort();
    narr_new(&shared, t->A.a.ring, model, terms, 0);
    narr_new(&own, t->A.a.ring, model, terms * n, 0);
    for (uint32_t k = 0; k < terms; k++) {
        random_num(r, model, &coefficient[k]);
        o_pack(&shared, k, &coefficient[k]);
    }
    for (size_t i = 0; i < terms * n; i++) {
        random_num(r, model, &of_point[i]);
        o_pack(&own, i, &of_point[i]);
    }
    desc.out = t->out.a;
    desc.x = t->A.a;
    desc.terms = terms;
    for (int each = 0; each < 2; each++) {
        const place at = {f->name, each ? "horner, own" : "horner, shared", r, model, terms};
        if (each && terms == 1 && n == 1) continue;
        desc.coefficients = each ? own.a : shared.a;
        CHECK_EQ(padic_num_horner(num_context(), &desc), PADIC_OK);
        for (size_t i = 0; i < n; i++) {
            o_horner(r, model, &due, &t->a[i], each ? of_point + i : coefficient, each ? n : 1,
                     terms);
            o_unpack(&t->out, i, &got);
            due.status = got.status = 0;
            if (!right(&at, &t->a[i], NULL, NULL, &due, &got)) break;
        }
    }
    narr_free(&shared);
    narr_free(&own);
    free(of_point);
}

// ---- valuation, norm, distance, split, equal

static void check_norms(const form_case *f, const oring *r, int model, const int32_t *due_v,
                        const int32_t *v, const void *norm, int wide, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        int overflow;
        uint64_t bits = 0;
        if (due_v[i] != v[i]) {
            printf("\n    %s %s p %lu N %u: valuation %ld, not %ld", f->name, models[model],
                   (unsigned long)r->p, (unsigned)r->N, (long)v[i], (long)due_v[i]);
            test_failed(__FILE__, __LINE__, "valuation");
            return;
        }
        if (v[i] == INT32_MIN) continue;
        if (wide) memcpy(&bits, (const char *)norm + 8 * i, 8);
        if (!wide) {
            uint32_t low;
            memcpy(&low, (const char *)norm + 4 * i, 4);
            bits = low;
        }
        const uint64_t due = o_norm(r, wide ? &o_f64 : &o_f32, v[i], &overflow);
        if (bits != due) {
            printf("\n    %s %s p %lu: norm of v = %ld", f->name, models[model],
                   (unsigned long)r->p, (long)v[i]);
            CHECK_EQ(bits, due);
            return;
        }
    }
}

static void random_metric(triple *t, const form_case *f, const oring *r, int model, size_t n)
{
    padic_num_valuation_desc desc = PADIC_ZERO;
    int32_t v[MOST], due_v[MOST];
    double norm[MOST];
    float norm32[MOST];
    uint8_t status[MOST], equal[MOST];
    onum due, got, difference;
    uint32_t sticky = 0;
    for (int distance = 0; distance < 2; distance++) {
        for (int wide = 0; wide < 2; wide++) {
            desc.in = t->A.a;
            if (distance) desc.other = t->B.a;
            desc.val = padic_tensor_1d(PADIC_I32, v, n);
            desc.norm =
                wide ? padic_tensor_1d(PADIC_F64, norm, n) : padic_tensor_1d(PADIC_F32, norm32, n);
            desc.status = padic_tensor_1d(PADIC_U8, status, n);
            desc.sticky = &sticky;
            CHECK_EQ(padic_num_valuation(num_context(), &desc), PADIC_OK);
            oring unlimited = *r; // a difference that nobody stores
            unlimited.limit = INT64_C(1) << 30;
            for (size_t i = 0; i < n; i++) {
                o_copy(&difference, &t->a[i]);
                if (distance) o_sub(&unlimited, model, &difference, &t->a[i], &t->b[i]);
                due_v[i] = o_valuation(r, model, &difference);
            }
            check_norms(f, r, model, due_v, v, wide ? (void *)norm : (void *)norm32, wide, n);
        }
    }
    CHECK_EQ(padic_num_split(num_context(), &t->out.a, &desc.val, &t->A.a), PADIC_OK);
    for (size_t i = 0; i < n; i++) {
        const place at = {f->name, "split", r, model, 0};
        o_split(r, model, &due, &due_v[i], &t->a[i]);
        o_unpack(&t->out, i, &got);
        CHECK_EQ(v[i], due_v[i]);
        right(&at, &t->a[i], NULL, NULL, &due, &got);
    }
    const int64_t precisions[] = {0, 1, 2, (int64_t)r->N, -1, (int64_t)r->N + 3};
    const padic_tensor to = padic_tensor_1d(PADIC_U8, equal, n);
    for (size_t k = 0; k < sizeof precisions / sizeof *precisions; k++) {
        CHECK_EQ(padic_num_equal(num_context(), &to, &t->A.a, &t->B.a, precisions[k]), PADIC_OK);
        for (size_t i = 0; i < n; i++) {
            const int want = o_equal(r, model, &t->a[i], &t->b[i], precisions[k]);
            if (equal[i] == want) continue;
            printf("\n    %s %s equal to %ld digits: %d, not %d", f->name, models[model],
                   (long)precisions[k], (int)equal[i], want);
            print_num("a", &t->a[i]);
            print_num("b", &t->b[i]);
            test_failed(__FILE__, __LINE__, "equal");
            break;
        }
    }
}

TEST(random_rings)
{
    static triple t;
    for (int i = 0; i < LARGE_RINGS; i++) {
        oring r;
        o_ring(&r, large_rings[i].p, large_rings[i].N);
        const int bits = big_bits(o_P(&r));
        const int turns = test_tiny ? 1 : bits > 1000 ? 1 : test_full() ? 40 : 3;
        for (int f = 0; f < FORMS; f++) {
            padic_num_ring ring;
            if (!ring_in(&ring, r.p, r.N, &forms[f])) continue;
            if (f == 0) CHECK_EQ(ring.form, large_rings[i].form);
            if (f > 0 && f < 6 && ring.form == large_rings[i].form) continue;
            for (int model = O_RING; model <= O_BALL; model++) {
                for (int turn = 0; turn < turns; turn++) {
                    size_t n = turn ? 1 + (size_t)(test_random() % MOST) : (size_t)MOST;
                    if (bits > 1000) n = 5;
                    const int flags = (turn & 1 ? NARR_VAL16 : 0) | (turn & 2 ? NARR_KNOWN16 : 0);
                    r.limit = turn & 1 ? 16383 : INT64_C(1) << 29;
                    triple_new(&t, &ring, &r, model, n, flags);
                    random_ops(&t, &forms[f], &r, model, n);
                    random_metric(&t, &forms[f], &r, model, n);
                    r.limit = INT64_C(1) << 29; // sums go to i32 valuations
                    if (!(flags & NARR_VAL16)) {
                        random_reductions(&t, &forms[f], &r, model, n);
                        random_horner(&t, &forms[f], &r, model, n);
                    }
                    triple_free(&t);
                }
            }
        }
        o_ring_free(&r);
    }
}

// ---- reductions longer than a chunk; FLOAT sums depend on their tree

TEST(long_sums)
{
    static const size_t sizes[] = {0,  1,    2,    31,   32,   33,    63,   64,
                                   65, 4095, 4096, 4097, 8192, 12289, 20481};
    for (int model = O_RING; model <= O_BALL; model++) {
        for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
            const size_t n = sizes[s];
            const ring_case *which = &large_rings[s % 4];
            padic_num_ring ring;
            oring r;
            narr a, b, sum;
            onum due, got;
            if (test_tiny && n > 9000) continue;
            o_ring(&r, which->p, s % 3 == 2 ? 1 : which->N); // N = 1 cancels often
            CHECK_EQ(padic_num_ring_init(&ring, r.p, r.N, NULL), PADIC_OK);
            narr_new(&a, &ring, model, n, 0);
            narr_new(&b, &ring, model, n, 0);
            narr_new(&sum, &ring, model, 1, 0);
            onum *x = (onum *)malloc((n + 1) * sizeof *x), *y = (onum *)malloc((n + 1) * sizeof *y);
            if (!x || !y) abort();
            for (size_t i = 0; i < n; i++) {
                do random_num(&r, model, &x[i]);
                while (x[i].kind == O_NAN || x[i].v > 100 || x[i].v < -100);
                do random_num(&r, model, &y[i]);
                while (y[i].kind == O_NAN || y[i].v > 100 || y[i].v < -100);
                o_pack(&a, i, &x[i]);
                o_pack(&b, i, &y[i]);
            }
            for (int dot = 0; dot < 2; dot++) {
                const place at = {"smallest", dot ? "long dot" : "long sum", &r, model, (int64_t)n};
                CHECK_EQ(dot ? padic_num_dot(num_context(), &sum.a, &a.a, &b.a)
                             : padic_num_sum(num_context(), &sum.a, &a.a),
                         PADIC_OK);
                o_reduce(&r, model, &due, x, dot ? y : NULL, n);
                o_unpack(&sum, 0, &got);
                due.status = got.status = 0;
                right(&at, NULL, NULL, NULL, &due, &got);
            }
            free(x);
            free(y);
            narr_free(&a);
            narr_free(&b);
            narr_free(&sum);
            o_ring_free(&r);
        }
    }
}

// ---- powers by an array of exponents; raw valuations; the tropical image

TEST(pow_array)
{
    static triple t;
    for (int i = 0; i < LARGE_RINGS; i++) {
        padic_num_ring ring;
        oring r;
        if (large_rings[i].N > 64) continue;
        o_ring(&r, large_rings[i].p, large_rings[i].N);
        CHECK_EQ(padic_num_ring_init(&ring, r.p, r.N, NULL), PADIC_OK);
        for (int model = O_RING; model <= O_BALL; model++) {
            int32_t k32[MOST];
            int64_t k64[MOST];
            onum due, got;
            const size_t n = test_tiny || r.N == 64 ? 9 : MOST;
            triple_new(&t, &ring, &r, model, n, 0);
            for (int wide = 0; wide < 2; wide++) {
                const place at = {"smallest", "pow_array", &r, model, wide};
                for (size_t j = 0; j < n; j++) {
                    k64[j] = (int64_t)test_random() >> test_random() % 64;
                    k32[j] = (int32_t)(k64[j] & 0x7fffffff) - (int32_t)(test_random() % 2) * 1000;
                    if (!wide) k64[j] = k32[j];
                }
                const padic_tensor k =
                    wide ? padic_tensor_1d(PADIC_I64, k64, n) : padic_tensor_1d(PADIC_I32, k32, n);
                CHECK_EQ(padic_num_pow_array(num_context(), &t.out.a, &t.A.a, &k), PADIC_OK);
                for (size_t j = 0; j < n; j++) {
                    o_pow(&r, model, &due, &t.a[j], k64[j]);
                    o_unpack(&t.out, j, &got);
                    if (!right(&at, &t.a[j], NULL, NULL, &due, &got)) break;
                }
            }
            triple_free(&t);
        }
        o_ring_free(&r);
    }
}

// Exponents of 128 bits, two's complement, low words first.
TEST(pow_wide)
{
    enum { COUNT = 12 };
    for (int i = 0; i < LARGE_RINGS; i++) {
        padic_num_ring ring;
        oring r;
        narr a, out;
        uint64_t words[2 * COUNT];
        onum x[COUNT], got;
        big e, u, top;
        if (large_rings[i].N > 64) continue;
        o_ring(&r, large_rings[i].p, large_rings[i].N);
        CHECK_EQ(padic_num_ring_init(&ring, r.p, r.N, NULL), PADIC_OK);
        narr_new(&a, &ring, O_RING, COUNT, 0);
        narr_new(&out, &ring, O_RING, COUNT, 0);
        for (size_t k = 0; k < COUNT; k++) {
            random_num(&r, O_RING, &x[k]);
            o_pack(&a, k, &x[k]);
            words[k] = test_random();
            words[COUNT + k] = k % 3 ? test_random() : k % 2 ? UINT64_MAX : 0;
        }
        const padic_tensor exponents = padic_tensor_2d(PADIC_U64, words, 2, COUNT);
        CHECK_EQ(padic_num_pow_array(num_context(), &out.a, &a.a, &exponents), PADIC_OK);
        for (size_t k = 0; k < COUNT; k++) {
            unsigned status = 0;
            big_u64(&e, words[COUNT + k]);
            big_shift_left(&e, &e, 64);
            big_u64(&u, words[k]);
            big_add(&e, &e, &u);
            big_copy(&u, &x[k].u);
            if (words[COUNT + k] >> 63) {
                big_u64(&top, 1);
                big_shift_left(&top, &top, 128);
                big_sub(&e, &top, &e); // -e
                if (!big_inverse(&u, &u, o_P(&r))) {
                    status = x[k].u.n ? O_NONUNIT : O_DIV0;
                    big_u64(&u, 0);
                }
            }
            if (!status) big_power_mod(&u, &u, &e, o_P(&r));
            o_unpack(&out, k, &got);
            CHECK(!big_cmp(&u, &got.u) && got.status == status);
        }
        narr_free(&a);
        narr_free(&out);
        o_ring_free(&r);
    }
}

static int32_t plain_valuation(uint64_t x, uint64_t p)
{
    int32_t v = 0;
    if (!x) return INT32_MAX;
    for (; x % p == 0; x /= p) v++;
    return v;
}

TEST(raw_valuations)
{
    static const uint64_t primes[] = {2, 3, 257, 65537, UINT64_C(2305843009213693951)};
    enum { COUNT = 300 };
    for (size_t q = 0; q < sizeof primes / sizeof *primes; q++) {
        const uint64_t p = primes[q];
        padic_num_ring ring;
        CHECK_EQ(padic_num_ring_init(&ring, p, 1, NULL), PADIC_OK);
        for (int dtype = PADIC_I8; dtype <= PADIC_U64; dtype++) {
            const uint32_t size = padic_dtype_size((padic_dtype)dtype);
            const int is_signed = dtype <= PADIC_I64;
            uint64_t raw[2][COUNT];
            unsigned char packed[2][COUNT * 8];
            int32_t v[COUNT];
            for (size_t i = 0; i < COUNT; i++) {
                for (int d = 0; d < 2; d++) {
                    uint64_t x = test_random() >> test_random() % 64;
                    if (i < 3) x = i == 0 ? 0 : i == 1 ? UINT64_C(1) << (8 * size - 1) : UINT64_MAX;
                    for (uint64_t k = test_random() % 5; k; k--) x *= p;
                    if (size < 8) x &= (UINT64_C(1) << (8 * size)) - 1;
                    const uint8_t x8 = (uint8_t)x;
                    const uint16_t x16 = (uint16_t)x;
                    const uint32_t x32 = (uint32_t)x;
                    memcpy(packed[d] + i * size,
                           size == 1   ? (const void *)&x8
                           : size == 2 ? (const void *)&x16
                           : size == 4 ? (const void *)&x32
                                       : (const void *)&x,
                           size);
                    if (is_signed && x >> (8 * size - 1)) { // its absolute value
                        x = 0 - x;
                        if (size < 8) x &= (UINT64_C(1) << (8 * size)) - 1;
                    }
                    raw[d][i] = x;
                }
            }
            const padic_tensor val = padic_tensor_1d(PADIC_I32, v, COUNT);
            const padic_tensor num = padic_tensor_1d((padic_dtype)dtype, packed[0], COUNT);
            const padic_tensor den = padic_tensor_1d((padic_dtype)dtype, packed[1], COUNT);
            CHECK_EQ(num_valuation_of(num_context(), &ring, &val, &num, NULL), PADIC_OK);
            for (size_t i = 0; i < COUNT; i++) CHECK_EQ(v[i], plain_valuation(raw[0][i], p));
            CHECK_EQ(num_valuation_of(num_context(), &ring, &val, &num, &den), PADIC_ERROR_DOMAIN);
            for (size_t i = 0; i < COUNT; i++) { // x/0 is no number, all others are right
                int32_t due = plain_valuation(raw[0][i], p);
                if (due != INT32_MAX) due -= plain_valuation(raw[1][i], p);
                CHECK_EQ(v[i], raw[1][i] ? due : INT32_MIN);
            }
        }
    }
    // abs(1/4) at 2 is 4; fractions have valuations too.
    int64_t one = 1, four = 4;
    int32_t v;
    padic_num_ring ring;
    const padic_tensor val = padic_tensor_1d(PADIC_I32, &v, 1);
    const padic_tensor n1 = padic_tensor_1d(PADIC_I64, &one, 1);
    const padic_tensor n4 = padic_tensor_1d(PADIC_I64, &four, 1);
    CHECK_EQ(padic_num_ring_init(&ring, 2, 8, NULL), PADIC_OK);
    CHECK_EQ(num_valuation_of(num_context(), &ring, &val, &n1, &n4), PADIC_OK);
    CHECK_EQ(v, -2);
}

// ln p 2^192, by 2 artanh((m-1)/(m+1)) with p = m 2^k, 1 <= m < 2.
static void ln_scaled(big *out, uint64_t p)
{
    big num, den, square, term, t, part[2];
    for (int which = 0; which < 2; which++) { // ln 2, then ln m
        uint64_t top = 1;
        while (top <= p / 2) top *= 2;
        big_u64(&num, which ? p - top : 1); // (m-1)/(m+1) = (p - 2^k)/(p + 2^k); ln 2: 1/3
        big_u64(&den, which ? top : 3);
        big_u64(&t, p);
        if (which) big_add(&den, &den, &t);
        big_shift_left(&term, &num, 256);
        big_divide(&term, NULL, &term, &den);
        big_u64(&part[which], 0);
        for (uint64_t k = 1; term.n; k += 2) {
            big_u64(&t, k);
            big_divide(&t, NULL, &term, &t);
            big_add(&part[which], &part[which], &t);
            big_mul(&square, &num, &num);
            big_mul(&term, &term, &square);
            big_mul(&square, &den, &den);
            big_divide(&term, NULL, &term, &square);
        }
    }
    uint64_t k = 0;
    for (uint64_t x = p; x > 1; x /= 2) k++;
    big_u64(&t, k);
    big_mul(&t, &t, &part[0]);
    big_add(out, &t, &part[1]);
    big_add(out, out, out); // scaled by 2^256
}

TEST(tropical)
{
    static const uint64_t primes[] = {2, 3, 5, 7, 257, 65537, 4294967291u};
    enum { COUNT = 400 };
    for (size_t q = 0; q < sizeof primes / sizeof *primes; q++) {
        padic_num_ring ring;
        oring r;
        narr a;
        onum x;
        int32_t v[COUNT], out32[COUNT];
        double out64[COUNT];
        big ln, num, den;
        o_ring(&r, primes[q], 1);
        CHECK_EQ(padic_num_ring_init(&ring, primes[q], 1, NULL), PADIC_OK);
        narr_new(&a, &ring, O_FLOAT, COUNT, 0);
        ln_scaled(&ln, primes[q]);
        for (int i = 0; i < COUNT; i++) {
            o_int(&r, O_FLOAT, &x, 1);
            x.v = i < 100 ? i - 50 : (int64_t)(test_random() % (1u << 30)) - (1 << 29);
            x.v = i == COUNT - 1 ? 1 << 29 : i == COUNT - 2 ? -(1 << 29) : x.v;
            v[i] = (int32_t)x.v;
            if (i == 200) o_special(&x, O_ZERO, 0);
            o_pack(&a, (size_t)i, &x);
        }
        const padic_tensor to32 = padic_tensor_1d(PADIC_I32, out32, COUNT);
        const padic_tensor to64 = padic_tensor_1d(PADIC_F64, out64, COUNT);
        CHECK_EQ(padic_num_tropical(num_context(), &to32, &a.a), PADIC_OK);
        CHECK_EQ(padic_num_tropical(num_context(), &to64, &a.a), PADIC_OK);
        big_u64(&den, 1);
        big_shift_left(&den, &den, 256);
        for (int i = 0; i < COUNT; i++) {
            int inexact, overflow;
            uint64_t bits;
            memcpy(&bits, &out64[i], 8);
            if (i == 200) {
                CHECK_EQ(out32[i], INT32_MIN + 1);
                CHECK_EQ(bits, UINT64_C(0xfff0000000000000));
                continue;
            }
            CHECK_EQ(out32[i], -v[i]);
            big_i64(&num, -(int64_t)v[i]);
            big_mul(&num, &num, &ln);
            CHECK_EQ(bits, o_round(&o_f64, &num, &den, &inexact, &overflow));
        }
        narr_free(&a);
        o_ring_free(&r);
    }
}

// ---- arrays: get and set, canonical form, memory, operands in place, call errors

TEST(get_set_check)
{
    for (int i = 0; i < LARGE_RINGS; i++) {
        for (int model = O_RING; model <= O_BALL; model++) {
            padic_num_ring ring;
            oring r;
            narr a;
            onum x, y;
            padic_num_value value;
            uint64_t bad = 0;
            CHECK_EQ(padic_num_ring_init(&ring, large_rings[i].p, large_rings[i].N, NULL),
                     PADIC_OK);
            o_ring(&r, large_rings[i].p, large_rings[i].N);
            narr_new(&a, &ring, model, MOST, 0);
            for (size_t j = 0; j < MOST; j++) {
                random_num(&r, model, &x);
                o_pack(&a, j, &x);
                if (ring.form == PADIC_NUM_RX) {
                    CHECK_EQ(padic_num_get(&a.a, j, &value), PADIC_ERROR_NOT_SUPPORTED);
                    continue;
                }
                CHECK_EQ(padic_num_get(&a.a, j, &value), PADIC_OK);
                big_u64(&y.u, value.u[1]);
                big_shift_left(&y.u, &y.u, 64);
                big_u64(&x.u, value.u[0]);
                big_add(&y.u, &y.u, &x.u);
                o_unpack(&a, j, &x);
                CHECK(!big_cmp(&x.u, &y.u));
                if (model != O_RING)
                    CHECK_EQ(value.v, x.kind == O_FINITE ? x.v
                                      : x.kind == O_ZERO ? INT32_MAX
                                                         : INT32_MIN);
                if (model == O_BALL) CHECK_EQ(value.n, x.n);
                CHECK_EQ(padic_num_set(&a.a, MOST - 1 - j, &value), PADIC_OK);
                o_unpack(&a, MOST - 1 - j, &y);
                CHECK(o_same(model, &x, &y));
            }
            CHECK_EQ(num_check(num_context(), &a.a, &bad), PADIC_OK);
            if (ring.form != PADIC_NUM_RX) {
                CHECK_EQ(padic_num_get(&a.a, MOST, &value), PADIC_ERROR_REGION);
                memset(&value, 0, sizeof value); // u = P, or p | u
                value.n = ring.precision;
                value.u[0] = ring.modulus[0];
                value.u[1] = ring.modulus[1];
                if (r.N < 64 || r.p != 2)
                    CHECK_EQ(padic_num_set(&a.a, 0, &value), PADIC_ERROR_DOMAIN);
            }
            if (r.p != 2 && big_bits(o_P(&r)) > 8) { // the sixth element is P itself
                o_special(&x, O_FINITE, 0);
                x.n = r.N;
                big_sub(&x.u, o_P(&r), &r.pw[0]);
                for (size_t j = 0; j < 5; j++) o_pack(&a, j, &x);
                big_copy(&x.u, o_P(&r));
                o_pack(&a, 5, &x);
                if (ring.form != PADIC_NUM_RX) {
                    CHECK_EQ(num_check(num_context(), &a.a, &bad), PADIC_ERROR_CORRUPT);
                    CHECK_EQ(bad, 5);
                }
            }
            if (model != O_RING) { // p divides u; an n that is too large; v out of range
                onum good;
                o_int(&r, model, &good, 1);
                for (size_t j = 0; j < MOST; j++) o_pack(&a, j, &good);
                CHECK_EQ(num_check(num_context(), &a.a, NULL), PADIC_OK);
                o_copy(&x, &good);
                x.v = (1 << 29) + 1;
                o_pack(&a, 40, &x);
                CHECK_EQ(num_check(num_context(), &a.a, &bad), PADIC_ERROR_CORRUPT);
                CHECK_EQ(bad, 40);
                o_copy(&x, &good);
                big_u64(&x.u, 0);
                o_pack(&a, 33, &x);
                CHECK_EQ(num_check(num_context(), &a.a, &bad), PADIC_ERROR_CORRUPT);
                CHECK_EQ(bad, 33);
                if (r.N > 1) {
                    big_u64(&x.u, r.p);
                    o_pack(&a, 7, &x);
                    CHECK_EQ(num_check(num_context(), &a.a, &bad), PADIC_ERROR_CORRUPT);
                    CHECK_EQ(bad, 7);
                }
                if (model == O_BALL && r.N < 65535 && r.N != 255) {
                    o_copy(&x, &good);
                    x.n = r.N + 1;
                    o_pack(&a, 2, &x);
                    CHECK_EQ(num_check(num_context(), &a.a, &bad), PADIC_ERROR_CORRUPT);
                    CHECK_EQ(bad, 2);
                }
            }
            narr_free(&a);
            o_ring_free(&r);
        }
    }
}

TEST(place_and_in_place)
{
    for (int f = 0; f < FORMS; f++) {
        for (int model = O_RING; model <= O_BALL; model++) {
            padic_num_ring ring;
            oring r;
            narr a, b, c, out;
            onum x;
            padic_num_array placed;
            const size_t n = 70;
            if (!ring_in(&ring, f == 1 ? 2 : 3, 20, &forms[f])) continue;
            o_ring(&r, ring.p, ring.precision);
            narr_new(&a, &ring, model, n, 0);
            narr_new(&b, &ring, model, n, 0);
            narr_new(&c, &ring, model, n, 0);
            narr_new(&out, &ring, model, n, 0);
            for (size_t i = 0; i < n; i++) {
                random_num(&r, model, &x);
                o_pack(&a, i, &x);
                o_pack(&c, i, &x);
                random_num(&r, model, &x);
                o_pack(&b, i, &x);
            }
            for (int o = ADD; o <= FMA; o++) { // out = a, out = b, all three the same
                onum due, got;
                CHECK_EQ(library(num_context(), (op)o, &out, &a, &b, &c, 1), PADIC_OK);
                CHECK_EQ(library(num_context(), (op)o, &c, &c, &b, &a, 1), PADIC_OK);
                for (size_t i = 0; i < n; i++) {
                    o_unpack(&out, i, &due);
                    o_unpack(&c, i, &got);
                    CHECK(o_same(model, &due, &got) && due.status == got.status);
                    o_unpack(&a, i, &x); // and c is a again
                    o_pack(&c, i, &x);
                }
                CHECK_EQ(library(num_context(), (op)o, &out, &a, &a, &a, 2), PADIC_OK);
                CHECK_EQ(library(num_context(), (op)o, &c, &c, &c, &c, 2), PADIC_OK);
                for (size_t i = 0; i < n; i++) {
                    o_unpack(&out, i, &due);
                    o_unpack(&c, i, &got);
                    CHECK(o_same(model, &due, &got) && due.status == got.status);
                    o_unpack(&a, i, &x);
                    o_pack(&c, i, &x);
                }
            }
            // The planes of padic_num_place() lie inside their block and take a sum.
            const size_t size = padic_num_array_size_bound(&ring, (padic_num_model)model, n);
            char *block = (char *)malloc(size + 64);
            if (!block) abort();
            CHECK(size >= n * ring.unit_size);
            CHECK_EQ(padic_num_place(&placed, &ring, (padic_num_model)model, n, block, size - 64),
                     PADIC_ERROR_CAPACITY);
            const padic_result result =
                padic_num_place(&placed, &ring, (padic_num_model)model, n, block, size);
            CHECK_EQ(result, PADIC_OK);
            if (!result) {
                CHECK((char *)placed.unit.data >= block && (char *)placed.unit.data < block + size);
                CHECK_EQ(padic_num_add(num_context(), &placed, &a.a, &b.a), PADIC_OK);
                CHECK_EQ(padic_num_add(num_context(), &out.a, &a.a, &b.a), PADIC_OK);
                CHECK_EQ(num_check(num_context(), &placed, NULL), PADIC_OK);
                CHECK(!memcmp(placed.status.data, out.status, n));
            }
            free(block);
            narr_free(&a);
            narr_free(&b);
            narr_free(&c);
            narr_free(&out);
            o_ring_free(&r);
        }
    }
}

TEST(call_errors)
{
    padic_num_ring five, seven, five9;
    narr a, b, out, other, longer, model, none;
    CHECK_EQ(padic_num_ring_init(&five, 5, 8, NULL), PADIC_OK);
    CHECK_EQ(padic_num_ring_init(&five9, 5, 9, NULL), PADIC_OK);
    CHECK_EQ(padic_num_ring_init(&seven, 7, 8, NULL), PADIC_OK);
    narr_new(&a, &five, O_FLOAT, 4, 0);
    narr_new(&b, &five, O_FLOAT, 4, 0);
    narr_new(&out, &five, O_FLOAT, 4, 0);
    narr_new(&longer, &five, O_FLOAT, 5, 0);
    narr_new(&model, &five, O_RING, 4, 0);
    narr_new(&none, &five, O_FLOAT, 0, 0);
    for (size_t i = 0; i < 4; i++) {
        onum x;
        oring r;
        o_ring(&r, 5, 8);
        o_int(&r, O_FLOAT, &x, (int64_t)i + 1);
        o_pack(&a, i, &x);
        o_pack(&b, i, &x);
        o_pack(&out, i, &x);
        o_ring_free(&r);
    }
    uint32_t before[4];
    memcpy(before, out.unit, sizeof before);
    narr_new(&other, &seven, O_FLOAT, 4, 0);
    CHECK_EQ(padic_num_add(num_context(), &out.a, &a.a, &other.a), PADIC_ERROR_RING);
    narr_free(&other);
    narr_new(&other, &five9, O_FLOAT, 4, 0);
    CHECK_EQ(padic_num_add(num_context(), &out.a, &other.a, &a.a), PADIC_ERROR_RING);
    CHECK_EQ(padic_num_add(num_context(), &out.a, &a.a, &longer.a), PADIC_ERROR_MISMATCH);
    CHECK_EQ(padic_num_add(num_context(), &out.a, &model.a, &model.a), PADIC_ERROR_RING);
    CHECK_EQ(padic_num_add(NULL, NULL, &a.a, &a.a), PADIC_ERROR_ARGUMENT);
    CHECK_EQ(padic_num_add(num_context(), &out.a, NULL, &a.a), PADIC_ERROR_ARGUMENT);
    CHECK_EQ(padic_num_add(num_context(), &out.a, &a.a, NULL), PADIC_ERROR_ARGUMENT);
    padic_num_array wrong_array = a.a;
    wrong_array.ring = NULL;
    CHECK_EQ(padic_num_add(num_context(), &out.a, &wrong_array, &a.a), PADIC_ERROR_ARGUMENT);
    wrong_array = a.a;
    wrong_array.unit.data = NULL;
    CHECK_EQ(padic_num_add(num_context(), &out.a, &wrong_array, &a.a), PADIC_ERROR_ARGUMENT);
    wrong_array = a.a;
    wrong_array.val.data = NULL;
    CHECK_EQ(padic_num_add(num_context(), &out.a, &wrong_array, &a.a), PADIC_ERROR_ARGUMENT);
    wrong_array = a.a;
    wrong_array.unit.dtype = PADIC_U16;
    CHECK_EQ(padic_num_add(num_context(), &out.a, &wrong_array, &a.a), PADIC_ERROR_DTYPE);
    wrong_array = a.a;
    wrong_array.val.dtype = PADIC_U32;
    CHECK_EQ(padic_num_add(num_context(), &out.a, &wrong_array, &a.a), PADIC_ERROR_DTYPE);
    // One array shifted by an element against itself.
    padic_num_array low = longer.a, high = longer.a;
    low.count = high.count = 4;
    low.unit = padic_num_plane_of(PADIC_U32, longer.unit);
    high.unit = padic_num_plane_of(PADIC_U32, (uint32_t *)longer.unit + 1);
    low.val = padic_num_plane_of(PADIC_I32, longer.val);
    high.val = padic_num_plane_of(PADIC_I32, (int32_t *)longer.val + 1);
    low.status = padic_num_plane_of(PADIC_U8, longer.status);
    high.status = padic_num_plane_of(PADIC_U8, longer.status + 1);
    CHECK_EQ(padic_num_add(num_context(), &low, &high, &a.a), PADIC_ERROR_OVERLAP);
    CHECK_EQ(padic_num_add(num_context(), &high, &a.a, &low), PADIC_ERROR_OVERLAP);
    CHECK_EQ(padic_num_add(num_context(), &none.a, &none.a, &none.a), PADIC_OK);
    CHECK(!memcmp(before, out.unit, sizeof before)); // no call error wrote anything
    narr_free(&a);
    narr_free(&b);
    narr_free(&out);
    narr_free(&longer);
    narr_free(&model);
    narr_free(&none);
    narr_free(&other);
}

// A desc that asks for what cannot be is refused before anything is written.
TEST(desc_errors)
{
    padic_num_ring ring, radix, rx;
    oring r;
    narr a, out, one, long_a, long_out;
    onum t;
    uint8_t equal[4];
    int16_t short_val[4];
    int64_t k[5] = {1, 2, 3, 4, 5};
    CHECK_EQ(padic_num_ring_init(&ring, 7, 5, NULL), PADIC_OK);
    CHECK_EQ(padic_num_ring_init_radix(&radix, 10, 5, NULL), PADIC_OK);
    CHECK_EQ(padic_num_ring_init(&rx, 257, 64, NULL), PADIC_OK);
    o_ring(&r, 7, 5);
    narr_new(&a, &ring, O_FLOAT, 4, 0);
    narr_new(&out, &ring, O_FLOAT, 4, 0);
    narr_new(&one, &ring, O_FLOAT, 1, 0);
    for (size_t i = 0; i < 4; i++) {
        o_int(&r, O_FLOAT, &t, (int64_t)i + 1);
        o_pack(&a, i, &t);
        o_pack(&out, i, &t);
    }
    o_int(&r, O_FLOAT, &t, 2);
    o_pack(&one, 0, &t);
    padic_num_horner_desc h = PADIC_ZERO;
    CHECK_EQ(padic_num_horner(num_context(), &h), PADIC_ERROR_ARGUMENT);
    CHECK_EQ(padic_num_horner(num_context(), NULL), PADIC_ERROR_ARGUMENT);
    h.out = out.a;
    h.x = a.a;
    h.coefficients = a.a;
    h.terms = 3; // neither 3 nor 12 of them
    CHECK_EQ(padic_num_horner(num_context(), &h), PADIC_ERROR_MISMATCH);
    h.terms = 1u << 20;
    CHECK(padic_num_horner(num_context(), &h) != PADIC_OK);
    h.terms = 4;
    h.coefficients = out.a; // being written
    CHECK(padic_num_horner(num_context(), &h) != PADIC_OK);
    padic_tensor bad = padic_tensor_1d(PADIC_I64, k, 5);
    CHECK_EQ(padic_num_pow_array(num_context(), &out.a, &a.a, &bad), PADIC_ERROR_MISMATCH);
    bad = padic_tensor_1d(PADIC_F64, k, 4);
    CHECK_EQ(padic_num_pow_array(num_context(), &out.a, &a.a, &bad), PADIC_ERROR_DTYPE);
    bad = padic_tensor_1d(PADIC_U16, equal, 4);
    CHECK_EQ(padic_num_equal(num_context(), &bad, &a.a, &out.a, 0), PADIC_ERROR_DTYPE);
    bad = padic_tensor_1d(PADIC_U8, equal, 3);
    CHECK_EQ(padic_num_equal(num_context(), &bad, &a.a, &out.a, 0), PADIC_ERROR_MISMATCH);
    bad = padic_tensor_1d(PADIC_I16, short_val, 4);
    CHECK_EQ(padic_num_split(num_context(), &out.a, &bad, &a.a), PADIC_ERROR_DTYPE);
    CHECK_EQ(padic_num_tropical(num_context(), &bad, &a.a), PADIC_ERROR_DTYPE);
    padic_num_valuation_desc v = PADIC_ZERO;
    v.in = a.a; // and no output at all
    CHECK_EQ(padic_num_valuation(num_context(), &v), PADIC_ERROR_ARGUMENT);
    v.val = padic_tensor_1d(PADIC_I32, NULL, 4);
    CHECK(padic_num_valuation(num_context(), &v) != PADIC_OK);
    CHECK_EQ(padic_num_sum(num_context(), &out.a, &a.a), PADIC_ERROR_MISMATCH); // out of count 1
    // A radix that is no prime has digits and text, no arithmetic.
    narr ten;
    narr_new(&ten, &radix, O_RING, 4, 0);
    memset(ten.unit, 0, 4 * radix.unit_size);
    CHECK_EQ(padic_num_add(num_context(), &ten.a, &ten.a, &ten.a), PADIC_ERROR_NOT_SUPPORTED);
    CHECK_EQ(padic_num_inv(num_context(), &ten.a, &ten.a), PADIC_ERROR_NOT_SUPPORTED);
    narr_free(&ten);
    // Long rings need their workspace.
    narr_new(&long_a, &rx, O_RING, 2, 0);
    narr_new(&long_out, &rx, O_RING, 2, 0);
    memset(long_a.unit, 0, 32 * (size_t)rx.words * rx.unit_size);
    CHECK(padic_num_workspace(&rx) > 0);
    CHECK_EQ(padic_num_workspace(&ring), 0);
    long_out.a.workspace_size = padic_num_workspace(&rx) - 1;
    CHECK_EQ(padic_num_mul(num_context(), &long_out.a, &long_a.a, &long_a.a), PADIC_ERROR_CAPACITY);
    long_out.a.workspace = NULL;
    CHECK(padic_num_mul(num_context(), &long_out.a, &long_a.a, &long_a.a) != PADIC_OK);
    for (size_t i = 0; i < 4; i++) { // all of that left `out` alone
        onum u;
        o_unpack(&out, i, &u);
        o_int(&r, O_FLOAT, &t, (int64_t)i + 1);
        CHECK(o_same(O_FLOAT, &t, &u));
    }
    // The context has the sentence.
    padic_context *context = NULL;
    CHECK_EQ(padic_context_create(NULL, &context), PADIC_OK);
    CHECK(padic_num_sum(context, &out.a, &a.a) != PADIC_OK);
    CHECK(strlen(padic_context_message(context)) > 10);
    padic_context_destroy(context);
    narr_free(&a);
    narr_free(&out);
    narr_free(&one);
    narr_free(&long_a);
    narr_free(&long_out);
    o_ring_free(&r);
}

// Hard bits are never silent: status plane, sticky word, or the result DOMAIN.
TEST(nothing_is_silent)
{
    for (int model = O_RING; model <= O_BALL; model++) {
        for (int has_status = 0; has_status < 2; has_status++) {
            for (int has_sticky = 0; has_sticky < 2; has_sticky++) {
                padic_num_ring ring;
                oring r;
                narr a, out;
                onum x;
                o_ring(&r, 257, 6);
                CHECK_EQ(padic_num_ring_init(&ring, 257, 6, NULL), PADIC_OK);
                narr_new(&a, &ring, model, 3, 0);
                narr_new(&out, &ring, model, 3, has_status ? 0 : NARR_NO_STATUS);
                if (has_sticky) narr_sticky(&out);
                for (size_t i = 0; i < 3; i++) {
                    o_int(&r, model, &x, (int64_t)i);
                    o_pack(&a, i, &x);
                }
                out.sticky = 128;
                CHECK_EQ(padic_num_inv(num_context(), &out.a, &a.a),
                         has_status || has_sticky ? PADIC_OK : PADIC_ERROR_DOMAIN);
                if (has_sticky) CHECK_EQ(out.sticky, 128 | O_DIV0); // or-ed, not stored
                if (has_status) CHECK(out.status[0] == O_DIV0 && !out.status[1] && !out.status[2]);
                for (size_t i = 1; i < 3; i++) { // the others are right in every case
                    onum due, got;
                    o_int(&r, model, &x, (int64_t)i);
                    o_inv(&r, model, &due, &x);
                    o_unpack(&out, i, &got);
                    CHECK(o_same(model, &due, &got));
                }
                if (model != O_RING) { // a NaN stays one, with its reason
                    o_unpack(&out, 0, &x);
                    CHECK(x.kind == O_NAN && big_low(&x.u) == O_DIV0);
                    if (has_status) {
                        CHECK_EQ(padic_num_neg(num_context(), &out.a, &out.a), PADIC_OK);
                        CHECK_EQ(out.status[0], O_DIV0);
                        CHECK_EQ(padic_num_mul(num_context(), &out.a, &a.a, &out.a),
                                 PADIC_OK); // 0 NaN
                        CHECK_EQ(out.status[0], O_DIV0);
                    }
                }
                narr_free(&a);
                narr_free(&out);
                o_ring_free(&r);
            }
        }
    }
}

// ---- the same bytes for any number of workers, any batch, with or without a status plane

TEST(workers_and_batches)
{
    padic_threads *pool = padic_threads_create(3, NULL);
    REQUIRE(pool != NULL);
    padic_context_desc desc = PADIC_ZERO;
    padic_context *context = NULL;
    desc.jobs = padic_threads_jobs(pool);
    CHECK_EQ(padic_context_create(&desc, &context), PADIC_OK);
    for (int i = 0; i < LARGE_RINGS; i++) {
        if (large_rings[i].N > 100) continue;
        for (int model = O_RING; model <= O_BALL; model++) {
            padic_num_ring ring;
            oring r;
            narr a, b, c, plain, threaded, part_a, part_out, sum[2];
            const size_t n = large_rings[i].N > 40 ? 700 : test_tiny ? 5000 : 70001;
            onum x;
            o_ring(&r, large_rings[i].p, large_rings[i].N);
            CHECK_EQ(padic_num_ring_init(&ring, r.p, r.N, NULL), PADIC_OK);
            narr_new(&a, &ring, model, n, 0);
            narr_new(&b, &ring, model, n, 0);
            narr_new(&c, &ring, model, n, 0);
            narr_new(&plain, &ring, model, n, 0);
            narr_new(&threaded, &ring, model, n, 0);
            narr_new(&part_a, &ring, model, 1, 0);
            narr_new(&part_out, &ring, model, 1, NARR_NO_STATUS);
            narr_new(&sum[0], &ring, model, 1, 0);
            narr_new(&sum[1], &ring, model, 1, 0);
            narr_sticky(&part_out);
            narr_workspace(&threaded, 8 * padic_num_workspace(&ring)); // for every worker
            for (size_t j = 0; j < n; j++) { // few distinct numbers: packing is slow
                if (j < 100) {
                    random_num(&r, model, &x);
                } else {
                    o_unpack(&a, test_random() % 100, &x);
                }
                o_pack(&a, j, &x);
                o_pack(&c, n - 1 - j, &x);
                o_pack(&b, (j * 37) % n, &x);
            }
            const int heavy = n < 1000 || i > 3;
            for (int o = ADD; o <= FMA; o++) {
                if (heavy && (o == POW || o == INV)) continue;
                CHECK_EQ(library(num_context(), (op)o, &plain, &a, &b, &c, 3), PADIC_OK);
                CHECK_EQ(library(context, (op)o, &threaded, &a, &b, &c, 3), PADIC_OK);
                size_t differ = 0;
                onum y;
                for (size_t j = 0; j < n; j += ring.form == PADIC_NUM_RX ? 7 : 1) {
                    o_unpack(&plain, j, &x);
                    o_unpack(&threaded, j, &y);
                    differ += !o_same(model, &x, &y) || x.status != y.status;
                }
                CHECK_EQ(differ, 0);
                if (o > DIV && o < FMA) { // an element alone, without a status plane
                    const size_t j = test_random() % n;
                    o_unpack(&a, j, &x);
                    o_pack(&part_a, 0, &x);
                    part_out.sticky = 0;
                    CHECK_EQ(library(context, (op)o, &part_out, &part_a, NULL, NULL, 3), PADIC_OK);
                    o_unpack(&part_out, 0, &y);
                    o_unpack(&plain, j, &x);
                    CHECK(o_same(model, &x, &y) && part_out.sticky == x.status);
                }
            }
            CHECK_EQ(padic_num_dot(num_context(), &sum[0].a, &a.a, &b.a), PADIC_OK);
            CHECK_EQ(padic_num_dot(context, &sum[1].a, &a.a, &b.a), PADIC_OK);
            onum y;
            o_unpack(&sum[0], 0, &x);
            o_unpack(&sum[1], 0, &y);
            CHECK(o_same(model, &x, &y) && x.status == y.status);
            narr_free(&a);
            narr_free(&b);
            narr_free(&c);
            narr_free(&plain);
            narr_free(&threaded);
            narr_free(&part_a);
            narr_free(&part_out);
            narr_free(&sum[0]);
            narr_free(&sum[1]);
            o_ring_free(&r);
        }
    }
    padic_context_destroy(context);
    padic_threads_destroy(pool);
}

// Few elements of one word take a way of their own: the same bytes as the long way, which a
// sticky_word asks for; also in place, with one operand for all, and as sums.
typedef struct few_case {
    padic_num_array a, b, x, y;
    uint32_t sticky[2], word;
} few_case;

static padic_num_array few_slice(const padic_num_array *from, size_t first, size_t count)
{
    padic_num_array a = *from;
    a.count = count;
    a.unit.data = (char *)a.unit.data + first * from->ring->unit_size;
    if (a.val.dtype) a.val.data = (int32_t *)a.val.data + first;
    if (a.status.dtype) a.status.data = (uint8_t *)a.status.data + first;
    return a;
}

static padic_result few_call(int which, const padic_num_array *out, const padic_num_array *a,
                             const padic_num_array *b)
{
    switch (which) {
    case 0: return padic_num_add(num_context(), out, a, b);
    case 1: return padic_num_sub(num_context(), out, a, b);
    case 2: return padic_num_mul(num_context(), out, a, b);
    case 3: return padic_num_div(num_context(), out, a, b);
    case 4: return padic_num_inv(num_context(), out, a);
    case 5: return padic_num_neg(num_context(), out, a);
    case 6: return padic_num_sum(num_context(), out, a);
    case 7: return padic_num_dot(num_context(), out, a, b);
    default: return padic_num_square(num_context(), out, a);
    }
}

static int few_same(const few_case *f)
{
    const uint64_t n = f->x.count;
    return !memcmp(f->x.unit.data, f->y.unit.data, n * f->x.ring->unit_size) &&
           (!f->x.val.dtype || !memcmp(f->x.val.data, f->y.val.data, n * 4)) &&
           !memcmp(f->x.status.data, f->y.status.data, n) && f->sticky[0] == f->sticky[1];
}

static void few_check(const oring *r, const padic_num_ring *ring, int model)
{
    narr a, b, x, y;
    const size_t n = 17;
    narr_new(&a, ring, model, n, 0);
    narr_new(&b, ring, model, n, 0);
    narr_new(&x, ring, model, n, 0);
    narr_new(&y, ring, model, n, 0);
    for (int round = 0; round < 9 * test_amount(40, 200, 2000); round++) {
        const size_t count = 1 + test_random() % n, first = test_random() % (n + 1 - count);
        const int which = round % 9, sums = which == 6 || which == 7;
        few_case f;
        onum value;
        for (size_t i = 0; i < n; i++) {
            random_num(r, model, &value);
            o_pack(&a, i, &value);
            random_num(r, model, &value);
            o_pack(&b, i, &value);
        }
        memset(&f, 0, sizeof f);
        f.a = few_slice(&a.a, first, count);
        f.b = few_slice(&b.a, first, count);
        f.x = few_slice(&x.a, first, sums ? 1 : count);
        f.y = few_slice(&y.a, first, sums ? 1 : count);
        if (!sums && round / 9 % 4 == 1) f.b.count = 1;
        f.x.sticky = &f.sticky[0];
        f.y.sticky = &f.sticky[1];
        f.y.sticky_word = padic_num_plane_of(PADIC_U32, &f.word);
        const padic_result want = few_call(which, &f.y, &f.a, &f.b);
        CHECK_EQ(few_call(which, &f.x, &f.a, &f.b), want);
        CHECK(few_same(&f));
        memset(f.sticky, 0, sizeof f.sticky);
        f.y.sticky = &f.sticky[0];
        CHECK_EQ(few_call(which, &f.y, &f.a, &f.b), want);
        f.y.sticky = NULL;
        f.a.status = f.x.status;
        f.x.sticky = f.a.sticky = &f.sticky[1];
        if (!sums) f.x = f.a; // in place
        CHECK_EQ(few_call(which, &f.x, &f.a, &f.b), want);
        CHECK(few_same(&f));
        if (count < 3 || sums) continue;
        f.a.status = a.a.status;
        f.x = few_slice(&f.a, 1, count - 1); // not quite in place
        f.a.count--;
        f.b.count = count - 1;
        CHECK_EQ(few_call(which, &f.x, &f.a, &f.b), PADIC_ERROR_OVERLAP);
        f.x = few_slice(&x.a, first, count - 1);
        f.x.status.data = (uint8_t *)f.a.unit.data + 1;
        CHECK_EQ(few_call(which, &f.x, &f.a, &f.b), PADIC_ERROR_OVERLAP);
        f.x.status = x.a.status;
        f.x.sticky = (uint32_t *)(which == 4 || which == 5 || which == 8 ? f.a : f.b).unit.data;
        CHECK_EQ(few_call(which, &f.x, &f.a, &f.b), PADIC_ERROR_OVERLAP);
        f.x.sticky = (uint32_t *)f.x.unit.data;
        CHECK_EQ(few_call(which, &f.x, &f.a, &f.b), PADIC_ERROR_OVERLAP);
    }
    narr_free(&a);
    narr_free(&b);
    narr_free(&x);
    narr_free(&y);
}

TEST(small_calls)
{
    static const struct {
        uint64_t p;
        uint32_t N;
    } rings[] = {{2, 1}, {2, 20}, {2, 32}, {2, 64}, {3, 2}, {5, 13}, {257, 6}, {65537, 3}, {7, 22},
                 {4294967291, 1}, {4294967311, 1}, {UINT64_C(2305843009213693951), 1}};
    for (size_t i = 0; i < sizeof rings / sizeof *rings; i++)
        for (int model = O_RING; model <= O_FLOAT; model++) {
            padic_num_ring ring;
            oring r;
            o_ring(&r, rings[i].p, rings[i].N);
            REQUIRE(!padic_num_ring_init(&ring, rings[i].p, rings[i].N, NULL));
            few_check(&r, &ring, model);
            o_ring_free(&r);
        }
}

// FLOAT is not associative: (1 + p^N) - 1 = 0, but (1 - 1) + p^N = p^N.
TEST(float_witness)
{
    padic_num_ring ring;
    oring r;
    narr one, power, x;
    onum t;
    o_ring(&r, 7, 5);
    CHECK_EQ(padic_num_ring_init(&ring, 7, 5, NULL), PADIC_OK);
    narr_new(&one, &ring, O_FLOAT, 1, 0);
    narr_new(&power, &ring, O_FLOAT, 1, 0);
    narr_new(&x, &ring, O_FLOAT, 1, 0);
    o_int(&r, O_FLOAT, &t, 1);
    o_pack(&one, 0, &t);
    CHECK_EQ(padic_num_shift(num_context(), &power.a, &one.a, 5), PADIC_OK);
    CHECK_EQ(padic_num_add(num_context(), &x.a, &one.a, &power.a), PADIC_OK);
    CHECK_EQ(padic_num_sub(num_context(), &x.a, &x.a, &one.a), PADIC_OK);
    o_unpack(&x, 0, &t);
    CHECK(t.kind == O_ZERO && t.status == O_PRECLOSS);
    CHECK_EQ(padic_num_sub(num_context(), &x.a, &one.a, &one.a), PADIC_OK);
    CHECK_EQ(padic_num_add(num_context(), &x.a, &x.a, &power.a), PADIC_OK);
    o_unpack(&x, 0, &t);
    CHECK(t.kind == O_FINITE && t.v == 5 && big_low(&t.u) == 1);
    narr_free(&one);
    narr_free(&power);
    narr_free(&x);
    o_ring_free(&r);
}

// ---- random programs: a ball contains the true fraction, a ring holds its residue

typedef struct fraction {
    big num, den;
} fraction;

static void fraction_reduce(fraction *f)
{
    big g;
    big_gcd(&g, &f->num, &f->den);
    if (f->den.neg) f->den.neg = 0, f->num.neg = f->num.n && !f->num.neg;
    const int neg = f->num.neg;
    f->num.neg = 0;
    big_divide(&f->num, NULL, &f->num, &g);
    if (f->num.n) f->num.neg = neg;
    big_divide(&f->den, NULL, &f->den, &g);
}

static void fraction_op(op o, fraction *out, const fraction *a, const fraction *b)
{
    fraction r;
    big t;
    if (o == MUL) {
        big_mul(&r.num, &a->num, &b->num);
        big_mul(&r.den, &a->den, &b->den);
    } else if (o == DIV) {
        big_mul(&r.num, &a->num, &b->den);
        big_mul(&r.den, &a->den, &b->num);
    } else {
        big_mul(&r.num, &a->num, &b->den);
        big_mul(&t, &b->num, &a->den);
        big_sum(&r.num, &r.num, &t, o == SUB);
        big_mul(&r.den, &a->den, &b->den);
    }
    fraction_reduce(&r);
    big_copy(&out->num, &r.num);
    big_copy(&out->den, &r.den);
}

// Any operation on exact fractions, one field operation after the other.
static void exact_op(op o, const oring *r, fraction *out, const fraction *a, const fraction *b,
                     const fraction *c, int64_t k)
{
    fraction t, p;
    big_u64(&t.num, 1);
    big_u64(&t.den, 1);
    big_u64(&p.den, 1);
    switch (o) {
    case NEG:
        big_u64(&p.num, 0);
        fraction_op(SUB, out, &p, a);
        break;
    case SQUARE:
        fraction_op(MUL, out, a, a);
        break;
    case INV:
        fraction_op(DIV, out, &t, a);
        break;
    case SHIFT:
    case POW:
        big_u64(&p.num, r->p);
        for (int64_t i = 0; i < (k < 0 ? -k : k); i++)
            fraction_op(k < 0 ? DIV : MUL, &t, &t, o == POW ? a : &p);
        big_u64(&p.num, 1);
        fraction_op(MUL, out, &t, o == POW ? &p : a);
        break;
    case FMA:
        fraction_op(MUL, &t, a, b);
        fraction_op(ADD, out, &t, c);
        break;
    default:
        fraction_op(o, out, a, b);
        break;
    }
}

// v(q - p^v u) >= v + n
static int contains(const oring *r, const onum *x, const fraction *q)
{
    big t, scale, p;
    if (x->kind == O_ZERO) return !q->num.n;
    big_u64(&p, r->p);
    big_power(&scale, &p, (uint64_t)(x->v < 0 ? -x->v : x->v));
    big num, den;
    big_mul(&t, &x->u, &q->den);
    if (x->v < 0) { // num/den - u/s = (num s - u den) / (den s)
        big_mul(&num, &q->num, &scale);
        big_mul(&den, &q->den, &scale);
    } else {
        big_copy(&num, &q->num);
        big_copy(&den, &q->den);
        big_mul(&t, &t, &scale);
    }
    big_sub(&num, &num, &t);
    if (!num.n) return 1;
    return big_strip(&num, r->p) - big_strip(&den, r->p) >= x->v + (int64_t)x->n;
}

static int random_program(const oring *r, const padic_num_ring *ring, int model)
{
    enum { VALUES = 6, STEPS = 14 };
    static fraction exact[VALUES];
    static onum expected[VALUES];
    narr x[VALUES], t;
    onum got;
    int ok = 1;
    for (int i = 0; i < VALUES; i++) {
        narr_new(&x[i], ring, model, 1, 0);
        const int64_t n = (int64_t)(test_random() % 2001) - 1000;
        const int64_t d = 1 + (int64_t)(test_random() % (test_random() % 3 ? 1 : 30));
        big_i64(&exact[i].num, n);
        big_i64(&exact[i].den, d);
        o_rational(r, model, &expected[i], &exact[i].num, &exact[i].den, 0);
        if (expected[i].status) big_u64(&exact[i].num, 0), big_u64(&exact[i].den, 1);
        if (expected[i].status) o_int(r, model, &expected[i], 0);
        fraction_reduce(&exact[i]);
        if (model == O_BALL && expected[i].kind == O_FINITE && test_random() % 3 == 0) {
            expected[i].n = 1 + (uint32_t)(test_random() % expected[i].n); // less is known
            big_mod(&expected[i].u, &expected[i].u, &r->pw[expected[i].n]);
        }
        o_pack(&x[i], 0, &expected[i]);
    }
    narr_new(&t, ring, model, 1, 0);
    for (int step = 0; step < STEPS && ok; step++) {
        const op o = (op)(test_random() % 2 ? test_random() % 4 : test_random() % (FMA + 1));
        const size_t i = (size_t)(test_random() % VALUES), j = (size_t)(test_random() % VALUES);
        const size_t k = (size_t)(test_random() % VALUES), l = (size_t)(test_random() % VALUES);
        // Shifts down lose digits of a ring, which is said; what they leave is no fraction.
        const int64_t e = (int64_t)(test_random() % 6) - (o == SHIFT && model == O_RING ? 0 : 2);
        if (big_bits(&exact[i].num) + big_bits(&exact[j].num) + big_bits(&exact[i].den) +
                big_bits(&exact[j].den) >
            1000)
            continue;
        const place at = {"smallest", op_name[o], r, model, e};
        CHECK_EQ(library(num_context(), o, &t, &x[i], &x[j], &x[l], e), PADIC_OK);
        oracle(o, r, model, &expected[k], &expected[i], &expected[j], &expected[l], e);
        o_unpack(&t, 0, &got);
        ok = right(&at, NULL, NULL, NULL, &expected[k], &got);
        // DIV0 or NONUNIT: said so. A float may differ from 0 where the fraction is 0: no quotient
        // to go on with. Start that value again.
        if ((got.status & 63) || (model == O_FLOAT && !exact[o == DIV ? j : i].num.n &&
                                  (o == DIV || o == INV || o == POW))) {
            o_int(r, model, &expected[k], 1);
            big_u64(&exact[k].num, 1);
            big_u64(&exact[k].den, 1);
            o_pack(&x[k], 0, &expected[k]);
            continue;
        }
        exact_op(o, r, &exact[k], &exact[i], &exact[j], &exact[l], e);
        o_pack(&x[k], 0, &got);
        if (model == O_BALL) {
            ok = ok && contains(r, &got, &exact[k]);
        } else if (model == O_RING) { // the residue of the exact fraction
            onum residue;
            o_rational(r, model, &residue, &exact[k].num, &exact[k].den, 0);
            ok = ok && !residue.status && !big_cmp(&residue.u, &got.u);
        }
        CHECK(ok);
    }
    for (int i = 0; i < VALUES; i++) narr_free(&x[i]);
    narr_free(&t);
    return ok;
}

TEST(random_programs)
{
    for (int i = 0; i < LARGE_RINGS; i++) {
        oring r;
        padic_num_ring ring;
        if (large_rings[i].N > 130) continue;
        for (int shorter = 0; shorter < 2; shorter++) { // few digits cancel often
            const uint32_t N = shorter ? 1 + large_rings[i].N / 8 : large_rings[i].N;
            o_ring(&r, large_rings[i].p, N);
            CHECK_EQ(padic_num_ring_init(&ring, r.p, r.N, NULL), PADIC_OK);
            for (int model = O_RING; model <= O_BALL; model++)
                for (int turn = 0; turn < (test_tiny ? 3 : test_full() ? 1000 : 40); turn++)
                    if (!random_program(&r, &ring, model)) break;
            o_ring_free(&r);
        }
    }
}

// ---- the longest rings, by identities

TEST(longest_rings)
{
    static const ring_case longest[] = {{2, 65535, PADIC_NUM_RX},
                                        {257, 8000, PADIC_NUM_RX},
                                        {UINT64_C(562949953421231), 1330, PADIC_NUM_RX},
                                        {UINT64_C(9223372036854775783), 1040, PADIC_NUM_RX}};
    for (int i = 0; i < (test_tiny ? 1 : 4); i++) {
        padic_num_ring ring;
        narr x, y, s, t, z;
        CHECK_EQ(padic_num_ring_init(&ring, longest[i].p, test_tiny ? 3000 : longest[i].N, NULL),
                 PADIC_OK);
        narr *all[] = {&x, &y, &s, &t, &z};
        const size_t n = 2, words = 32 * (size_t)ring.words;
        for (size_t j = 0; j < 5; j++) narr_new(all[j], &ring, O_RING, n, 0);
        for (size_t j = 0; j < words; j++) {
            const uint64_t limb = test_random() % ring.base;
            uint64_t base = 1;
            for (uint32_t k = 0; k < ring.top_digits; k++) base *= ring.p;
            narr_set_word(&x, j, j >= words - 32 ? limb % base : limb);
            narr_set_word(&y, j,
                          j >= words - 32 ? test_random() % base : test_random() % ring.base);
        }
        for (size_t j = 0; j < n; j++) // units
            if (narr_word(&x, j) % ring.p == 0) narr_set_word(&x, j, narr_word(&x, j) + 1);
        CHECK_EQ(num_check(num_context(), &x.a, NULL), PADIC_OK);
        CHECK_EQ(padic_num_add(num_context(), &s.a, &x.a, &y.a),
                 PADIC_OK); // (x + y)^2 - x^2 - 2xy - y^2
        CHECK_EQ(padic_num_square(num_context(), &s.a, &s.a), PADIC_OK);
        CHECK_EQ(padic_num_mul(num_context(), &t.a, &x.a, &y.a), PADIC_OK);
        CHECK_EQ(padic_num_add(num_context(), &t.a, &t.a, &t.a), PADIC_OK);
        CHECK_EQ(padic_num_sub(num_context(), &s.a, &s.a, &t.a), PADIC_OK);
        CHECK_EQ(padic_num_square(num_context(), &t.a, &x.a), PADIC_OK);
        CHECK_EQ(padic_num_square(num_context(), &z.a, &y.a), PADIC_OK);
        CHECK_EQ(padic_num_add(num_context(), &t.a, &t.a, &z.a), PADIC_OK);
        CHECK_EQ(padic_num_sub(num_context(), &s.a, &s.a, &t.a), PADIC_OK);
        CHECK_EQ(num_check(num_context(), &s.a, NULL), PADIC_OK);
        uint64_t left = 0;
        for (size_t j = 0; j < n; j++)
            for (uint32_t k = 0; k < ring.words; k++) left |= narr_word(&s, narr_limb(&s, j, k));
        CHECK_EQ(left, 0);
        CHECK_EQ(padic_num_inv(num_context(), &t.a, &x.a), PADIC_OK);
        CHECK_EQ(padic_num_mul(num_context(), &t.a, &t.a, &x.a), PADIC_OK);
        for (size_t j = 0; j < n; j++) {
            left = narr_word(&t, j) ^ 1;
            for (uint32_t k = 1; k < ring.words; k++) left |= narr_word(&t, narr_limb(&t, j, k));
            CHECK_EQ(left, 0);
        }
        for (size_t j = 0; j < 5; j++) narr_free(all[j]);
    }
}

TEST_MAIN("num_core", CASE(primes), CASE(ring_forms), CASE(ring_errors), CASE(ring_all_pairs),
          CASE(float_pairs), CASE(ball_pairs), CASE(unary_all), CASE(random_rings), CASE(long_sums),
          CASE(pow_array), CASE(pow_wide), CASE(raw_valuations), CASE(tropical),
          CASE(get_set_check), CASE(place_and_in_place), CASE(call_errors), CASE(desc_errors),
          CASE(nothing_is_silent), CASE(workers_and_batches), CASE(small_calls),
          CASE(float_witness),
          CASE(random_programs), CASE(longest_rings))
