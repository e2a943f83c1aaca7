// num_cases.h: what the tests of numbers share: forms, rings of all sizes, random numbers, and how
// a wrong element is told. Include padic.h, num_oracle.h and padic_test.h before it.
#ifndef NUM_CASES_H
#define NUM_CASES_H

// ---- the context of every call: none, or with -DNUM_SIMD the vector kernels of this processor

#ifdef NUM_SIMD
#include "../../backends/padic_simd.h"
static inline padic_context *num_context(void)
{
    static padic_context *context = NULL;
    padic_context_desc desc = PADIC_ZERO;
    desc.backends[0] = padic_simd(); // PADIC_SIMD=avx2 in the environment for a lower level
    if (!context && padic_context_create(&desc, &context)) abort();
    return context;
}
#else
static inline padic_context *num_context(void)
{
    return NULL;
}
#endif

// ---- forms

typedef struct form_case {
    const char *name;
    padic_num_form form;
    uint32_t limb32;
} form_case;

static const form_case forms[] = {{"smallest", (padic_num_form)0, 0},
                                  {"B2", PADIC_NUM_B2, 0},
                                  {"W32", PADIC_NUM_W32, 0},
                                  {"W49", PADIC_NUM_W49, 0},
                                  {"W64", PADIC_NUM_W64, 0},
                                  {"W128", PADIC_NUM_W128, 0},
                                  {"RX", PADIC_NUM_RX, 0},
                                  {"RX32", PADIC_NUM_RX, 1}};
enum { FORMS = (int)(sizeof forms / sizeof *forms) };
static const char *const models[] = {"RING", "FLOAT", "BALL"};

// 1 if the ring exists in this form.
static inline int ring_in(padic_num_ring *ring, uint64_t p, uint32_t N, const form_case *f)
{
    padic_num_ring_options options = PADIC_ZERO;
    options.form = f->form;
    options.limb32 = f->limb32;
    return padic_num_ring_init(ring, p, N, &options) == PADIC_OK;
}

typedef struct ring_case {
    uint64_t p;
    uint32_t N;
    padic_num_form form;
} ring_case;

static inline void print_num(const char *label, const onum *x)
{
    printf("\n    %s ", label);
    if (x->kind == O_ZERO)
        printf("ZERO");
    else if (x->kind == O_NAN)
        printf("NaN");
    else
        printf("v %ld n %lu", (long)x->v, (unsigned long)x->n);
    printf(" u 0x0");
    for (int i = x->u.n - 1; i >= 0; i--) printf("%08lx", (unsigned long)x->u.w[i]);
    printf(" status %u", x->status);
}

// Where a wrong element was found.
typedef struct place {
    const char *form, *what;
    const oring *r;
    int model;
    int64_t k;
} place;

static inline void wrong(const place *at, const onum *a, const onum *b, const onum *c,
                         const onum *due, const onum *got)
{
    char text[160];
    const int many = test_failures >= 5;
    snprintf(text, sizeof text, "%s %s %s, p %lu N %lu, k %ld", at->form, models[at->model],
             at->what, (unsigned long)at->r->p, (unsigned long)at->r->N, (long)at->k);
    test_failed(__FILE__, __LINE__, text);
    if (many) return;
    if (a) print_num("a", a);
    if (b) print_num("b", b);
    if (c) print_num("c", c);
    print_num("due", due);
    print_num("got", got);
}

static inline int right(const place *at, const onum *a, const onum *b, const onum *c,
                        const onum *due, const onum *got)
{
    if (o_same(at->model, due, got) && due->status == got->status) return 1;
    wrong(at, a, b, c, due, got);
    return 0;
}

static const ring_case large_rings[] = {{257, 6, PADIC_NUM_W49},
                                        {2, 53, PADIC_NUM_B2},
                                        {3, 20, PADIC_NUM_W32},
                                        {5, 27, PADIC_NUM_W64},
                                        {7, 22, PADIC_NUM_W64},
                                        {65537, 3, PADIC_NUM_W49},
                                        {2147483647, 2, PADIC_NUM_W64},
                                        {4294967291u, 2, PADIC_NUM_W64},
                                        {UINT64_C(2305843009213693951), 1, PADIC_NUM_W64},
                                        {257, 64, PADIC_NUM_RX},
                                        {2, 32, PADIC_NUM_B2},
                                        {2, 33, PADIC_NUM_B2},
                                        {2, 64, PADIC_NUM_B2},
                                        {2, 31, PADIC_NUM_B2},
                                        {2, 126, PADIC_NUM_W128},
                                        {2, 130, PADIC_NUM_RX},
                                        {3, 30, PADIC_NUM_W49},
                                        {3, 31, PADIC_NUM_W64},
                                        {3, 40, PADIC_NUM_W64},
                                        {3, 80, PADIC_NUM_W128},
                                        {3, 81, PADIC_NUM_RX},
                                        {7, 12, PADIC_NUM_W49},
                                        {65537, 7, PADIC_NUM_W128},
                                        {65537, 1, PADIC_NUM_W32},
                                        {4294967291u, 1, PADIC_NUM_W32},
                                        {UINT64_C(562949953421231), 1, PADIC_NUM_W49},
                                        {UINT64_C(562949953421231), 3, PADIC_NUM_RX},
                                        {UINT64_C(9223372036854775783), 2, PADIC_NUM_W128},
                                        {UINT64_C(2305843009213693951), 3, PADIC_NUM_RX},
                                        {UINT64_C(9223372036854775783), 5, PADIC_NUM_RX},
                                        {UINT64_C(562949953421381), 9, PADIC_NUM_RX},
                                        {16777213, 2, PADIC_NUM_W49},
                                        {251, 300, PADIC_NUM_RX},
                                        {257, 512, PADIC_NUM_RX}};
enum { LARGE_RINGS = (int)(sizeof large_rings / sizeof *large_rings) };

static inline void random_below(big *u, const big *P)
{
    u->neg = 0;
    u->n = P->n + 1;
    for (int i = 0; i < u->n; i++) u->w[i] = (uint32_t)test_random();
    big_trim(u);
    big_mod(u, u, P);
}

static inline void random_num(const oring *r, int model, onum *x)
{
    const uint64_t kind = test_random() % 32;
    big p, t;
    o_special(x, O_FINITE, 0);
    if (model == O_RING) {
        random_below(&x->u, o_P(r));
        if (kind == 0) big_u64(&x->u, test_random() % 2);
        if (kind == 1) big_sub(&x->u, o_P(r), &r->pw[test_random() % r->N]);
        if (kind == 2) big_copy(&x->u, &r->pw[test_random() % r->N]);
        if (kind < 12 && kind > 2) {
            big_mul(&x->u, &x->u, &r->pw[test_random() % r->N]);
            big_mod(&x->u, &x->u, o_P(r));
        }
        return;
    }
    if (kind < 2) {
        o_special(x, kind ? O_NAN : O_ZERO,
                  kind ? (unsigned)(test_random() % 255 | 1 << test_random() % 6) : 0);
        return;
    }
    x->v = (int64_t)(test_random() % 5) - 2;
    if (kind == 2) x->v = (int64_t)(test_random() % (2 * r->N + 3)) - (int64_t)r->N;
    if (kind == 3) x->v = r->limit - (int64_t)(test_random() % 3);
    if (kind == 4) x->v = -r->limit + (int64_t)(test_random() % 3);
    x->n = r->N;
    if (model == O_BALL && kind % 2) x->n = (uint32_t)(test_random() % (r->N + 1));
    if (!x->n) return;
    random_below(&x->u, &r->pw[x->n]);
    if (kind > 24) big_sub(&x->u, &r->pw[x->n], &r->pw[test_random() % x->n]); // many digits p-1
    if (kind > 21 && kind < 25) { // 1 + c p^k: differences cancel
        big_mul(&x->u, &x->u, &r->pw[test_random() % x->n]);
        big_u64(&t, 1);
        big_add(&x->u, &x->u, &t);
        big_mod(&x->u, &x->u, &r->pw[x->n]);
    }
    big_u64(&p, r->p);
    big_mod(&t, &x->u, &p);
    if (!t.n) {
        big_u64(&t, 1);
        big_add(&x->u, &x->u, &t);
    }
}

#endif // NUM_CASES_H
