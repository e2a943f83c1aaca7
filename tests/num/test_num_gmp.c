// test_num_gmp.c: padic.h, and the oracle of the other tests, against GMP and FLINT 2.9: random
// numbers of every ring that is measured. Without them all tests are skipped.
//
//     cc -O1 -DPADIC_TEST_FLINT tests/num/test_num_gmp.c -o t -lflint -lgmp -lm -lpthread && ./t

#ifdef PADIC_TEST_FLINT
#include <gmp.h>
#include <flint/flint.h>
#include <flint/fmpq.h>
#include <flint/fmpz.h>
#include <flint/fmpz_mat.h>
#include <flint/padic.h>
#endif

#define PADIC_IMPLEMENTATION
#include "../../padic.h"
#include "num_oracle.h"
#include "../support/padic_test.h"
#include "../support/num_calls.h"
#include "num_cases.h"

#ifndef PADIC_TEST_FLINT
TEST(flint)
{
    SKIP("built without FLINT: -DPADIC_TEST_FLINT -lflint -lgmp");
}
TEST_MAIN("num_gmp", CASE(flint))
#else

static void to_mpz(mpz_t z, const big *a)
{
    mpz_import(z, (size_t)a->n, -1, 4, 0, 0, a->w);
    if (a->neg) mpz_neg(z, z);
}

static void from_mpz(big *a, const mpz_t z)
{
    size_t n = 0;
    mpz_export(a->w, &n, -1, 4, 0, 0, z);
    a->n = (int)n;
    a->neg = mpz_sgn(z) < 0;
}

static void to_fmpz(fmpz_t z, const big *a)
{
    mpz_t t;
    mpz_init(t);
    to_mpz(t, a);
    fmpz_set_mpz(z, t);
    mpz_clear(t);
}

static void from_fmpz(big *a, const fmpz_t z)
{
    mpz_t t;
    mpz_init(t);
    fmpz_get_mpz(t, z);
    from_mpz(a, t);
    mpz_clear(t);
}

// ---- the oracle's big integers

TEST(oracle_integers)
{
    mpz_t x, y, z, w;
    mpz_inits(x, y, z, w, NULL);
    for (int turn = 0; turn < (test_tiny ? 300 : 3000); turn++) {
        big a, b, c, d, e;
        a.n = (int)(test_random() % 40);
        b.n = (int)(test_random() % 40);
        for (int i = 0; i < 40; i++) {
            const uint64_t kind = test_random() % 8;
            a.w[i] = kind < 2 ? 0 : kind < 4 ? UINT32_MAX : (uint32_t)test_random();
            b.w[i] = kind == 0 || kind == 5 ? 0 : kind == 1 ? UINT32_MAX : (uint32_t)test_random();
        }
        a.neg = (int)(test_random() % 2);
        b.neg = (int)(test_random() % 2);
        big_trim(&a);
        big_trim(&b);
        to_mpz(x, &a);
        to_mpz(y, &b);
        big_add(&c, &a, &b);
        mpz_add(z, x, y);
        from_mpz(&d, z);
        CHECK(!big_cmp(&c, &d));
        big_sub(&c, &a, &b);
        mpz_sub(z, x, y);
        from_mpz(&d, z);
        CHECK(!big_cmp(&c, &d));
        big_mul(&c, &a, &b);
        mpz_mul(z, x, y);
        from_mpz(&d, z);
        CHECK(!big_cmp(&c, &d));
        if (b.n) {
            big_divide(&c, &d, &a, &b);
            mpz_mod(w, x, y); // 0 <= w < |y|
            mpz_sub(z, x, w);
            mpz_divexact(z, z, y);
            from_mpz(&e, z);
            CHECK(!big_cmp(&c, &e));
            from_mpz(&e, w);
            CHECK(!big_cmp(&d, &e));
            big_gcd(&c, &a, &b);
            mpz_gcd(z, x, y);
            from_mpz(&e, z);
            CHECK(!big_cmp(&c, &e));
            mpz_abs(y, y);
            b.neg = 0;
            const int has = mpz_invert(z, x, y) && mpz_cmp_ui(y, 1) > 0;
            if (mpz_cmp_ui(y, 1) > 0) {
                CHECK_EQ(big_inverse(&c, &a, &b), has);
                from_mpz(&e, z);
                if (has) CHECK(!big_cmp(&c, &e));
            }
        }
        a.neg = 0;
        mpz_abs(x, x);
        big_sqrt(&c, &a);
        mpz_sqrt(z, x);
        from_mpz(&e, z);
        CHECK(!big_cmp(&c, &e));
    }
    mpz_clears(x, y, z, w, NULL);
}

// num / den rounded to f64: the two neighbours of what mpq_get_d cuts off.
TEST(oracle_rounding)
{
    mpq_t q, r[2], d[2];
    mpq_inits(q, r[0], r[1], d[0], d[1], NULL);
    for (int turn = 0; turn < (test_tiny ? 2000 : 50000); turn++) {
        big a, b;
        int inexact, overflow;
        big_u64(&a, test_random() >> test_random() % 60);
        big_u64(&b, 1 + (test_random() >> test_random() % 60));
        to_mpz(mpq_numref(q), &a);
        to_mpz(mpq_denref(q), &b);
        mpq_canonicalize(q);
        const uint64_t bits = o_round(&o_f64, &a, &b, &inexact, &overflow);
        double low = mpq_get_d(q), high, due;
        uint64_t up;
        memcpy(&up, &low, 8);
        up++;
        memcpy(&high, &up, 8);
        mpq_set_d(r[0], low);
        mpq_set_d(r[1], high);
        for (int k = 0; k < 2; k++) {
            mpq_sub(d[k], q, r[k]);
            mpq_abs(d[k], d[k]);
        }
        const int order = mpq_cmp(d[0], d[1]);
        due = order < 0 || (order == 0 && !((up - 1) & 1)) ? low : high;
        if (a.n) CHECK(!memcmp(&due, &bits, 8) && overflow == 0 && inexact == (mpq_sgn(d[0]) != 0));
    }
    mpq_clears(q, r[0], r[1], d[0], d[1], NULL);
}

// ---- RING and FLINT's modular integers, in every form

static const ring_case measured[] = {{257, 6, PADIC_NUM_W49},
                                     {2, 53, PADIC_NUM_B2},
                                     {3, 20, PADIC_NUM_W32},
                                     {5, 27, PADIC_NUM_W64},
                                     {7, 22, PADIC_NUM_W64},
                                     {65537, 3, PADIC_NUM_W49},
                                     {2147483647, 2, PADIC_NUM_W64},
                                     {4294967291u, 2, PADIC_NUM_W64},
                                     {UINT64_C(2305843009213693951), 1, PADIC_NUM_W64},
                                     {257, 64, PADIC_NUM_RX},
                                     {257, 512, PADIC_NUM_RX},
                                     {UINT64_C(2305843009213693951), 3, PADIC_NUM_RX},
                                     {UINT64_C(9223372036854775783), 40, PADIC_NUM_RX}};
enum { MEASURED = (int)(sizeof measured / sizeof *measured) };

static void number_to_padic(padic_t x, const onum *a, int64_t N, const padic_ctx_t ctx)
{
    x->N = (slong)(a->kind == O_ZERO ? N : a->v + N); // absolute, in FLINT
    if (a->kind == O_ZERO) {
        padic_zero(x);
        return;
    }
    to_fmpz(padic_unit(x), &a->u);
    padic_val(x) = (slong)a->v;
    padic_reduce(x, ctx);
}

static int padic_is_number(const padic_t x, const onum *a)
{
    big u;
    if (padic_is_zero(x)) return a->kind == O_ZERO;
    from_fmpz(&u, padic_unit(x));
    return a->kind == O_FINITE && (slong)a->v == padic_val(x) && !big_cmp(&u, &a->u);
}

typedef enum call { ADD, SUB, MUL, DIV, INV, NEG, POW, SQRT, EXP, LOG, TEICH, CALLS } call;
static const char *const call_name[] = {"add", "sub",  "mul", "div", "inv",         "neg",
                                        "pow", "sqrt", "exp", "log", "teichmueller"};

// 1 if FLINT has an answer; r gets it with N digits.
static int flint_call(call c, padic_t r, const padic_t x, const padic_t y, const onum *a,
                      const onum *b, int64_t N, slong k, const padic_ctx_t ctx)
{
    const int64_t va = a->v, vb = b->v;
    switch (c) {
    case ADD:
    case SUB:
        r->N = (slong)((va < vb ? va : vb) + N);
        if (a->kind == O_ZERO) r->N = (slong)(vb + N);
        if (b->kind == O_ZERO) r->N = (slong)(va + N);
        if (c == ADD)
            padic_add(r, x, y, ctx);
        else
            padic_sub(r, x, y, ctx);
        return 1;
    case MUL:
        r->N = (slong)(va + vb + N);
        padic_mul(r, x, y, ctx);
        return 1;
    case DIV:
        if (b->kind == O_ZERO) return 0;
        r->N = (slong)(va - vb + N);
        padic_div(r, x, y, ctx);
        return 1;
    case INV:
        if (a->kind == O_ZERO) return 0;
        r->N = (slong)(N - va);
        padic_inv(r, x, ctx);
        return 1;
    case NEG:
        r->N = (slong)(va + N);
        padic_neg(r, x, ctx);
        return 1;
    case POW:
        if (a->kind == O_ZERO) return 0;
        r->N = (slong)(va * k + N);
        padic_pow_si(r, x, k, ctx);
        return 1;
    case SQRT:
        if (a->kind == O_ZERO) return 0;
        r->N = (slong)(va / 2 + N);
        return padic_sqrt(r, x, ctx);
    case EXP:
        r->N = (slong)N;
        return padic_exp(r, x, ctx);
    case LOG:
        if (a->kind == O_ZERO || va) return 0;
        r->N = (slong)N;
        return padic_log(r, x, ctx);
    default:
        if (va < 0) return 0;
        r->N = (slong)N;
        padic_teichmuller(r, x, ctx);
        return 1;
    }
}

static padic_result library_call(call c, const padic_num_array *out, const padic_num_array *a,
                                 const padic_num_array *b, int64_t k)
{
    switch (c) {
    case ADD:
        return padic_num_add(num_context(), out, a, b);
    case SUB:
        return padic_num_sub(num_context(), out, a, b);
    case MUL:
        return padic_num_mul(num_context(), out, a, b);
    case DIV:
        return padic_num_div(num_context(), out, a, b);
    case INV:
        return padic_num_inv(num_context(), out, a);
    case NEG:
        return padic_num_neg(num_context(), out, a);
    case POW:
        return padic_num_pow(num_context(), out, a, k);
    case SQRT:
        return padic_num_sqrt(num_context(), out, a);
    case EXP:
        return padic_num_exp(num_context(), out, a);
    case LOG:
        return padic_num_log(num_context(), out, a, PADIC_NUM_LOG_SERIES);
    default:
        return padic_num_teichmueller(num_context(), out, a);
    }
}

static void random_operand(const oring *r, call c, onum *x)
{
    do random_num(r, O_FLOAT, x);
    while (x->kind == O_NAN || x->v > 1000 || x->v < -1000);
    if (x->kind != O_FINITE || test_random() % 4 == 0) return;
    if (c == EXP) x->v = 1 + (int64_t)(test_random() % 3) + (r->p == 2);
    if (c == SQRT) {
        onum t;
        o_copy(&t, x);
        o_mul(r, O_FLOAT, x, &t, &t);
    }
    if (c == LOG) {
        big_mul(&x->u, &x->u, &r->pw[r->p == 2 && r->N > 1 ? 2 : 1]);
        big_add(&x->u, &x->u, &r->pw[0]);
        big_mod(&x->u, &x->u, o_P(r));
        x->v = 0;
    }
    if (c == TEICH) x->v = (int64_t)(test_random() % 2);
}

static void against_flint(const padic_num_ring *ring, const oring *r, const form_case *f, int n)
{
    narr a, b, out;
    fmpz_t p;
    padic_ctx_t ctx;
    padic_t x, y, z;
    onum na, nb, got;
    fmpz_init(p);
    fmpz_set_ui(p, r->p);
    padic_ctx_init(ctx, p, 0, (slong)r->N, PADIC_TERSE);
    padic_init2(x, (slong)r->N);
    padic_init2(y, (slong)r->N);
    padic_init2(z, (slong)r->N);
    narr_new(&a, ring, O_FLOAT, (size_t)n, 0);
    narr_new(&b, ring, O_FLOAT, (size_t)n, 0);
    narr_new(&out, ring, O_FLOAT, (size_t)n, 0);
    for (int c = ADD; c < CALLS; c++) {
        const slong k = (slong)(test_random() % 41) - 20;
        const place at = {f->name, call_name[c], r, O_FLOAT, (int64_t)k};
        if (c == TEICH && r->p == 2) continue; // FLINT says 1
        for (int i = 0; i < n; i++) {
            random_operand(r, (call)c, &na);
            random_operand(r, (call)c, &nb);
            o_pack(&a, (size_t)i, &na);
            o_pack(&b, (size_t)i, &nb);
        }
        CHECK_EQ(library_call((call)c, &out.a, &a.a, &b.a, (int64_t)k), PADIC_OK);
        for (int i = 0; i < n; i++) {
            o_unpack(&a, (size_t)i, &na);
            o_unpack(&b, (size_t)i, &nb);
            o_unpack(&out, (size_t)i, &got);
            number_to_padic(x, &na, (int64_t)r->N, ctx);
            number_to_padic(y, &nb, (int64_t)r->N, ctx);
            const int has = flint_call((call)c, z, x, y, &na, &nb, (int64_t)r->N, k, ctx);
            if (!has) {
                if (c == SQRT || (c == EXP && na.kind != O_ZERO)) CHECK(got.kind != O_FINITE);
                continue;
            }
            if (c == ADD || c == SUB) { // beyond N digits a FLOAT keeps the larger one
                const int64_t d = na.v - nb.v;
                if (na.kind == O_FINITE && nb.kind == O_FINITE &&
                    (d >= (int64_t)r->N || -d >= (int64_t)r->N))
                    padic_reduce(z, ctx);
            }
            if (c == SQRT) { // FLINT may take the other root, and knows no top digit at p = 2
                onum due;
                from_fmpz(&due.u, padic_unit(z));
                due.v = padic_val(z);
                due.kind = O_FINITE;
                due.n = r->N;
                due.status = 0;
                if (padic_is_zero(z)) continue;
                const uint32_t digits = r->p == 2 && r->N > 1 ? r->N - 1 : r->N;
                big other, rest, prime;
                big_mod(&due.u, &due.u, &r->pw[digits]);
                big_sub(&other, &r->pw[digits], &due.u);
                big_u64(&prime, r->p == 2 ? 4 : r->p);
                big_mod(&rest, &due.u, &prime);
                if (r->p == 2 ? big_low(&rest) != 1 : big_low(&rest) > r->p / 2)
                    big_copy(&due.u, &other);
                if (digits < 2 && r->p == 2) continue;
                if (!o_same(O_FLOAT, &due, &got)) wrong(&at, &na, NULL, NULL, &due, &got);
                continue;
            }
            if (!padic_is_number(z, &got)) {
                onum due;
                from_fmpz(&due.u, padic_unit(z));
                due.v = padic_val(z);
                due.kind = padic_is_zero(z) ? O_ZERO : O_FINITE;
                due.n = r->N;
                due.status = 0;
                wrong(&at, &na, &nb, NULL, &due, &got);
                break;
            }
        }
    }
    narr_free(&a);
    narr_free(&b);
    narr_free(&out);
    padic_clear(x);
    padic_clear(y);
    padic_clear(z);
    padic_ctx_clear(ctx);
    fmpz_clear(p);
}

TEST(flint_padic)
{
    for (int i = 0; i < MEASURED; i++) {
        oring r;
        if (test_tiny && measured[i].N > 64) continue;
        o_ring(&r, measured[i].p, measured[i].N);
        for (int f = 0; f < FORMS; f++) {
            padic_num_ring ring;
            if (!ring_in(&ring, r.p, r.N, &forms[f])) continue;
            if (f && f < 6 && ring.form == measured[i].form) continue;
            against_flint(&ring, &r, &forms[f],
                          r.N > 400   ? 5
                          : r.N > 60  ? 40
                          : test_tiny ? 30
                          : test_full()    ? 20000
                                      : 300);
        }
        o_ring_free(&r);
    }
}

// ---- RING in GMP: products, powers, polynomials

TEST(gmp_rings)
{
    for (int i = 0; i < MEASURED; i++) {
        oring r;
        padic_num_ring ring;
        narr a, b, out, dot;
        mpz_t P, x, y, z, sum;
        const size_t n = r.N = measured[i].N, count = n > 400 ? 20 : n > 60 ? 100 : 1000;
        if (test_tiny && n > 64) continue;
        o_ring(&r, measured[i].p, measured[i].N);
        CHECK_EQ(padic_num_ring_init(&ring, r.p, r.N, NULL), PADIC_OK);
        mpz_inits(P, x, y, z, sum, NULL);
        to_mpz(P, o_P(&r));
        narr_new(&a, &ring, O_RING, count, 0);
        narr_new(&b, &ring, O_RING, count, 0);
        narr_new(&out, &ring, O_RING, count, 0);
        narr_new(&dot, &ring, O_RING, 1, 0);
        onum t, got;
        for (size_t k = 0; k < count; k++) {
            random_num(&r, O_RING, &t);
            o_pack(&a, k, &t);
            random_num(&r, O_RING, &t);
            o_pack(&b, k, &t);
        }
        const int64_t e = (int64_t)(test_random() >> 20);
        for (int o = 0; o < 5; o++) {
            CHECK_EQ(o == 0   ? padic_num_add(num_context(), &out.a, &a.a, &b.a)
                     : o == 1 ? padic_num_sub(num_context(), &out.a, &a.a, &b.a)
                     : o == 2 ? padic_num_mul(num_context(), &out.a, &a.a, &b.a)
                     : o == 3 ? padic_num_pow(num_context(), &out.a, &a.a, e)
                              : padic_num_inv(num_context(), &out.a, &a.a),
                     PADIC_OK);
            for (size_t k = 0; k < count; k++) {
                o_unpack(&a, k, &t);
                to_mpz(x, &t.u);
                o_unpack(&b, k, &t);
                to_mpz(y, &t.u);
                if (o == 0)
                    mpz_add(z, x, y);
                else if (o == 1)
                    mpz_sub(z, x, y);
                else if (o == 2)
                    mpz_mul(z, x, y);
                else if (o == 3)
                    mpz_powm_ui(z, x, (unsigned long)e, P);
                else if (!mpz_invert(z, x, P))
                    mpz_set_ui(z, 0);
                mpz_mod(z, z, P);
                o_unpack(&out, k, &got);
                from_mpz(&t.u, z);
                if (big_cmp(&t.u, &got.u))
                    printf("\n    p %lu N %u operation %d", (unsigned long)r.p, (unsigned)r.N, o);
                CHECK(!big_cmp(&t.u, &got.u));
            }
        }
        CHECK_EQ(padic_num_dot(num_context(), &dot.a, &a.a, &b.a), PADIC_OK);
        mpz_set_ui(sum, 0);
        for (size_t k = 0; k < count; k++) {
            o_unpack(&a, k, &t);
            to_mpz(x, &t.u);
            o_unpack(&b, k, &t);
            to_mpz(y, &t.u);
            mpz_addmul(sum, x, y);
        }
        mpz_mod(sum, sum, P);
        from_mpz(&t.u, sum);
        o_unpack(&dot, 0, &got);
        CHECK(!big_cmp(&t.u, &got.u));
        // Text and digits.
        const size_t room = padic_num_print_size_bound(&ring, PADIC_NUM_TEXT_VALUE);
        char *text = (char *)malloc(room), *due = (char *)malloc(room + 100);
        if (!text || !due) abort();
        for (size_t k = 0; k < 10; k++) {
            o_unpack(&a, k, &t);
            to_mpz(x, &t.u);
            CHECK_EQ(num_print(&a.a, k, PADIC_NUM_TEXT_VALUE, text, room, NULL), PADIC_OK);
            gmp_snprintf(due, room + 100, "%Zd mod %lu^%lu", x, (unsigned long)r.p,
                         (unsigned long)r.N);
            if (t.u.n) CHECK(!strcmp(text, due));
        }
        free(text);
        free(due);
        narr_free(&a);
        narr_free(&b);
        narr_free(&out);
        narr_free(&dot);
        mpz_clears(P, x, y, z, sum, NULL);
        o_ring_free(&r);
    }
}

// ---- fractions and matrices

TEST(flint_reconstruction)
{
    for (int i = 0; i < MEASURED; i++) {
        oring r;
        padic_num_ring ring;
        narr a;
        big bound;
        enum { WORDS = 40 };
        const size_t n = measured[i].N > 400 ? 5 : measured[i].N > 60 ? 50 : 500;
        if (measured[i].N < 2 || (test_tiny && measured[i].N > 64)) continue;
        o_ring(&r, measured[i].p, measured[i].N);
        CHECK_EQ(padic_num_ring_init(&ring, r.p, r.N, NULL), PADIC_OK);
        narr_new(&a, &ring, O_RING, n, 0);
        fmpz_t P, u, N;
        fmpq_t q;
        fmpz_init(P);
        fmpz_init(u);
        fmpz_init(N);
        fmpq_init(q);
        o_bound(&r, &bound, r.N - 1);
        to_fmpz(N, &bound);
        to_fmpz(P, o_P(&r));
        uint64_t *num = (uint64_t *)malloc(n * WORDS * 8), *den = (uint64_t *)malloc(n * WORDS * 8);
        if (!num || !den) abort();
        onum t;
        for (size_t k = 0; k < n; k++) {
            big b, c;
            random_num(&r, O_RING, &t);
            if (k % 2) { // a fraction within the bounds, or nearly
                random_below(&b, &bound);
                random_below(&c, &bound);
                if (!c.n) big_u64(&c, 1);
                big_copy(&t.u, &c);
                big_strip(&c, r.p);
                b.neg = b.n && k % 4 == 1;
                o_rational(&r, O_RING, &t, &b, &c, 0);
            }
            big q0, p;
            big_u64(&p, r.p);
            big_mod(&q0, &t.u, &p);
            if (!q0.n && t.u.n) big_add(&t.u, &t.u, &r.pw[0]); // units, whose fractions agree
            big_mod(&t.u, &t.u, o_P(&r));
            o_pack(&a, k, &t);
        }
        padic_num_to_rational_desc to = PADIC_ZERO;
        uint32_t sticky = 0;
        to.in = a.a;
        to.numerator = padic_tensor_2d(PADIC_U64, num, WORDS, n);
        to.denominator = padic_tensor_2d(PADIC_U64, den, WORDS, n);
        to.sticky = &sticky;
        CHECK_EQ(padic_num_to_rational(num_context(), &to), PADIC_OK);
        uint32_t found = 0;
        for (size_t k = 0; k < n; k++) {
            o_unpack(&a, k, &t);
            to_fmpz(u, &t.u);
            const int has = fmpq_reconstruct_fmpz_2(q, u, P, N, N);
            big x, y, due;
            big_u64(&x, 0);
            big_u64(&y, 0);
            for (size_t w = WORDS; w-- > 0;) { // two's complement, highest word first
                big_shift_left(&x, &x, 64);
                big_u64(&due, num[w * n + k]);
                big_add(&x, &x, &due);
                big_shift_left(&y, &y, 64);
                big_u64(&due, den[w * n + k]);
                big_add(&y, &y, &due);
            }
            if (num[(WORDS - 1) * n + k] >> 63) {
                big_u64(&due, 1);
                big_shift_left(&due, &due, 64 * WORDS);
                big_sub(&x, &x, &due);
            }
            if (!has) {
                CHECK(!x.n && !y.n);
                continue;
            }
            found++;
            from_fmpz(&due, fmpq_numref(q));
            CHECK(!big_cmp(&x, &due));
            from_fmpz(&due, fmpq_denref(q));
            CHECK(!big_cmp(&y, &due));
        }
        CHECK(found >= n / 4);
        free(num);
        free(den);
        fmpz_clear(P);
        fmpz_clear(u);
        fmpz_clear(N);
        fmpq_clear(q);
        narr_free(&a);
        o_ring_free(&r);
    }
}

// A number of two's complement words into FLINT.
static void words_to_fmpz(fmpz_t z, const uint64_t *plane, size_t words, size_t count, size_t i)
{
    fmpz_zero(z);
    for (size_t w = words; w-- > 0;) {
        fmpz_mul_2exp(z, z, 32);
        fmpz_add_ui(z, z, (ulong)(plane[w * count + i] >> 32));
        fmpz_mul_2exp(z, z, 32);
        fmpz_add_ui(z, z, (ulong)(plane[w * count + i] & 0xffffffffu));
    }
    if (plane[(words - 1) * count + i] >> 63) {
        fmpz_t top;
        fmpz_init(top);
        fmpz_one(top);
        fmpz_mul_2exp(top, top, (ulong)(64 * words));
        fmpz_sub(z, z, top);
        fmpz_clear(top);
    }
}

TEST(flint_matrices)
{
    static const int sizes[] = {1, 2, 3, 4, 6, 8, 12, 16, 24, 33, 64};
    for (size_t q = 0; q < sizeof sizes / sizeof *sizes; q++) {
        for (int kind = 0; kind < 4; kind++) {
            enum { WORDS = 70 };
            const int n = sizes[q];
            int64_t *a = (int64_t *)malloc((size_t)n * (size_t)n * 8), b[64];
            static uint64_t num[WORDS * 64], den[WORDS], det[WORDS];
            uint8_t status = 9;
            fmpz_mat_t A, B, X;
            fmpz_t d, t, s;
            if (!a) abort();
            if (n > 24 && (test_tiny || kind == 2)) {
                free(a);
                continue;
            }
            for (int i = 0; i < n * n; i++)
                a[i] = (int64_t)test_random() >> (kind == 0 ? 58 : kind == 1 ? 40 : 1);
            if (kind == 3) // singular: the last row is the sum of the others
                for (int j = 0; j < n; j++) {
                    a[(n - 1) * n + j] = 0;
                    for (int i = 0; i + 1 < n; i++) {
                        a[i * n + j] %= 1000;
                        a[(n - 1) * n + j] += a[i * n + j];
                    }
                }
            for (int i = 0; i < n; i++) b[i] = (int64_t)test_random() >> 40;
            fmpz_mat_init(A, n, n);
            fmpz_mat_init(B, n, 1);
            fmpz_mat_init(X, n, 1);
            fmpz_init(d);
            fmpz_init(t);
            fmpz_init(s);
            for (int i = 0; i < n * n; i++) fmpz_set_si(fmpz_mat_entry(A, i / n, i % n), a[i]);
            for (int i = 0; i < n; i++) fmpz_set_si(fmpz_mat_entry(B, i, 0), b[i]);
            padic_num_det_desc dd = PADIC_ZERO;
            dd.matrix = padic_tensor_2d(PADIC_I64, a, (uint64_t)n, (uint64_t)n);
            dd.out = padic_tensor_2d(PADIC_U64, det, WORDS, 1);
            dd.workspace = num_workspace(padic_num_det_workspace(&dd));
            CHECK_EQ(padic_num_det(num_context(), &dd), PADIC_OK);
            num_workspace_end(&dd.workspace);
            fmpz_mat_det(d, A);
            words_to_fmpz(t, det, WORDS, 1, 0);
            CHECK(fmpz_equal(d, t));
            padic_num_solve_desc sd = PADIC_ZERO;
            sd.matrix = dd.matrix;
            sd.right = padic_tensor_1d(PADIC_I64, b, (uint64_t)n);
            sd.numerator = padic_tensor_2d(PADIC_U64, num, WORDS, (uint64_t)n);
            sd.denominator = padic_tensor_2d(PADIC_U64, den, WORDS, 1);
            sd.status = padic_tensor_1d(PADIC_U8, &status, 1);
            sd.workspace = num_workspace(padic_num_solve_workspace(&sd));
            CHECK_EQ(padic_num_solve(num_context(), &sd), PADIC_OK);
            num_workspace_end(&sd.workspace);
            if (fmpz_is_zero(d)) {
                CHECK_EQ(status, O_DIV0);
            } else {
                CHECK_EQ(status, 0);
                fmpz_mat_solve(X, d, A, B);
                words_to_fmpz(t, den, WORDS, 1, 0);
                CHECK(fmpz_sgn(t) > 0);
                for (int i = 0; i < n; i++) { // X / d = num / den
                    words_to_fmpz(s, num, WORDS, (size_t)n, (size_t)i);
                    fmpz_mul(s, s, d);
                    fmpz_submul(s, fmpz_mat_entry(X, i, 0), t);
                    CHECK(fmpz_is_zero(s));
                }
            }
            fmpz_mat_clear(A);
            fmpz_mat_clear(B);
            fmpz_mat_clear(X);
            fmpz_clear(d);
            fmpz_clear(t);
            fmpz_clear(s);
            free(a);
        }
    }
}

TEST_MAIN("num_gmp", CASE(oracle_integers), CASE(oracle_rounding), CASE(flint_padic),
          CASE(gmp_rings), CASE(flint_reconstruction), CASE(flint_matrices))
#endif
