// Roots, exp, log, Teichmueller residues, Hensel: published values, identities, forms and models.
#define PADIC_IMPLEMENTATION
#include "../../padic.h"
#include "../../backends/padic_threads.h"
#include "../support/padic_test.h"
#include "../support/num_calls.h"

typedef struct memory {
    void *block[8];
    int count;
} memory;

static void *memory_take(memory *m, size_t size)
{
    void *p = m->count < 8 ? malloc(size ? size : 1) : NULL;
    if (!p) exit(3);
    memset(p, 0x5a, size);
    return m->block[m->count++] = p;
}

static void memory_free(memory *m)
{
    while (m->count > 0) free(m->block[--m->count]);
}

static padic_num_array new_array(memory *m, const padic_num_ring *r, padic_num_model model,
                                 uint64_t count)
{
    padic_num_array a;
    const size_t size = padic_num_array_size_bound(r, model, count);
    if (padic_num_place(&a, r, model, count, memory_take(m, size), size)) exit(3);
    memset(a.unit.data, 0, (size_t)((count + 63) / 64 * 64) * r->words * r->unit_size);
    return a;
}

static uint64_t *word(const padic_num_array *a, uint64_t i, uint32_t k, uint64_t *at)
{
    *at = a->ring->form == PADIC_NUM_RX ? i / 32 * 32 * a->ring->words + i % 32 + 32 * k
          : k                           ? i + a->high
                                        : i;
    return (uint64_t *)a->unit.data;
}

static uint64_t word_get(const padic_num_array *a, uint64_t i, uint32_t k)
{
    uint64_t at, *data = word(a, i, k, &at);
    return a->ring->unit_size == 4 ? ((uint32_t *)a->unit.data)[at] : data[at];
}

static void word_put(const padic_num_array *a, uint64_t i, uint32_t k, uint64_t x)
{
    uint64_t at, *data = word(a, i, k, &at);
    if (a->ring->unit_size == 4)
        ((uint32_t *)a->unit.data)[at] = (uint32_t)x;
    else
        data[at] = x;
}

static uint32_t known_of(const padic_num_array *a, uint64_t i)
{
    return a->known.dtype == PADIC_U8 ? ((uint8_t *)a->known.data)[i]
                                      : ((uint16_t *)a->known.data)[i];
}

// Element i = p^v u + O(p^(v+n)), u below P and 2^64.
static void put(const padic_num_array *a, uint64_t i, uint64_t u, int32_t v, uint32_t n)
{
    const padic_num_ring *r = a->ring;
    uint32_t k;
    for (k = 0; k < r->words; k++) {
        word_put(a, i, k, r->form == PADIC_NUM_RX ? u % r->base : k ? 0 : u);
        if (r->form == PADIC_NUM_RX) u /= r->base;
    }
    if (a->model != PADIC_NUM_RING) ((int32_t *)a->val.data)[i] = v;
    if (a->model != PADIC_NUM_BALL) return;
    if (a->known.dtype == PADIC_U8)
        ((uint8_t *)a->known.data)[i] = (uint8_t)n;
    else
        ((uint16_t *)a->known.data)[i] = (uint16_t)n;
}

// An integer, in any model with all digits.
static void put_integer(const padic_num_array *a, uint64_t i, uint64_t x)
{
    int32_t v = 0;
    if (!x && a->model != PADIC_NUM_RING) {
        put(a, i, 0, PADIC_NUM_ZERO, 0);
        return;
    }
    while (a->model != PADIC_NUM_RING && x % a->ring->p == 0) {
        x /= a->ring->p;
        v++;
    }
    put(a, i, x, v, a->ring->precision);
}

static uint64_t unit_of(const padic_num_array *a, uint64_t i)
{
    const padic_num_ring *r = a->ring;
    uint64_t x = 0;
    uint32_t k = r->form == PADIC_NUM_RX ? r->words : 1;
    while (k-- > 0) x = x * (r->form == PADIC_NUM_RX ? r->base : 0) + word_get(a, i, k);
    return x;
}

static int32_t val_of(const padic_num_array *a, uint64_t i)
{
    return a->model == PADIC_NUM_RING ? 0 : ((int32_t *)a->val.data)[i];
}

static uint32_t status_of(const padic_num_array *a, uint64_t i)
{
    return ((uint8_t *)a->status.data)[i];
}

static uint64_t power(uint64_t p, int32_t k)
{
    uint64_t x = 1;
    while (k-- > 0) x *= p;
    return x;
}

// The number as an integer below p^N, N digits, where that fits.
static uint64_t integer_of(const padic_num_array *a, uint64_t i)
{
    return val_of(a, i) == PADIC_NUM_ZERO ? 0 : unit_of(a, i) * power(a->ring->p, val_of(a, i));
}

static uint32_t random_words(const padic_num_array *a, uint64_t i)
{
    const padic_num_ring *r = a->ring;
    uint32_t k;
    for (k = 0; k < r->words; k++) {
        const uint64_t base = r->form == PADIC_NUM_W128    ? (k ? r->modulus[1] : 0)
                              : r->form != PADIC_NUM_RX   ? r->base
                              : k + 1 < r->words          ? r->base
                                                          : r->power[r->top_digits][0];
        word_put(a, i, k, base ? test_random() % base : test_random());
    }
    return r->words;
}

static int same(const padic_num_array *a, const padic_num_array *b)
{
    uint64_t i;
    uint32_t k;
    for (i = 0; i < a->count; i++) {
        for (k = 0; k < a->ring->words; k++)
            if (word_get(a, i, k) != word_get(b, i, k)) return 0;
        if (a->model && val_of(a, i) != val_of(b, i)) return 0;
        if (a->model == PADIC_NUM_BALL && known_of(a, i) != known_of(b, i)) return 0;
        if (status_of(a, i) != status_of(b, i)) return 0;
    }
    return 1;
}

static int is_ring(padic_num_ring *r, uint64_t p, uint32_t n, uint32_t form)
{
    padic_num_ring_options options = PADIC_ZERO;
    options.form = (padic_num_form)(form > 6 ? 6 : form);
    options.limb32 = form > 6;
    return padic_num_ring_init(r, p, n, &options) == PADIC_OK;
}

typedef enum golden_what { SQRT, EXP, LOG, IWASAWA, TEICHMUELLER } golden_what;

static padic_result compute(golden_what what, const padic_num_array *x, const padic_num_array *a)
{
    return what == SQRT           ? padic_num_sqrt(NULL, x, a)
           : what == EXP          ? padic_num_exp(NULL, x, a)
           : what == TEICHMUELLER ? padic_num_teichmueller(NULL, x, a)
                                  : padic_num_log(NULL, x, a,
                                                what == IWASAWA ? PADIC_NUM_LOG_IWASAWA
                                                                : PADIC_NUM_LOG_SERIES);
}

// Published values, in every form that holds the ring, every model, with tables and without.
TEST(golden)
{
    static const struct {
        golden_what what;
        uint64_t p;
        uint32_t n;
        uint64_t x, y;
    } cases[] = {
        {SQRT, 7, 10, 2, 266983762},
        {SQRT, 5, 10, 9765624, 6139557}, // sqrt(-1) = w(2)
        {TEICHMUELLER, 5, 10, 2, 6139557},
        {TEICHMUELLER, 7, 6, 3, 34968},
        {TEICHMUELLER, 257, 6, 2, UINT64_C(186508741356386)},
        {TEICHMUELLER, 2, 10, 3, 1023},
        {EXP, 5, 10, 5, 3474831},
        {LOG, 5, 10, 6, 6970555},
        {EXP, 7, 10, 7, 182289612},
        {LOG, 7, 10, 8, 191396212},
        {EXP, 2, 16, 4, 16717},
        {LOG, 2, 16, 5, 9852},
        {LOG, 2, 16, 3, 59636},
        {EXP, 3, 10, 3, 27202},
        {LOG, 3, 10, 4, 8553},
        {EXP, 257, 6, 257, UINT64_C(196903012725117)},
        {LOG, 257, 6, 258, UINT64_C(139489269619005)},
        {IWASAWA, 5, 10, 2, 5659085},
        {EXP, 3, 10, 0, 1},
        {LOG, 3, 10, 1, 0},
        {SQRT, 2, 10, 17, 233}, // 1 mod 4, modulo 2^9
    };
    size_t c;
    for (c = 0; c < sizeof cases / sizeof *cases; c++) {
        uint32_t form, model, tables;
        for (form = 0; form < 8; form++) {
            padic_num_ring r;
            memory m = {{0}, 0};
            if (!is_ring(&r, cases[c].p, cases[c].n, form)) continue;
            for (tables = 0; tables < 2; tables++) {
                if (tables) {
                    const size_t size = padic_num_ring_tables_size_bound(&r);
                    CHECK_EQ(num_ring_tables(&r, memory_take(&m, size), size), PADIC_OK);
                }
                for (model = 0; model < 3; model++) {
                    memory own = {{0}, 0};
                    padic_num_array x = new_array(&own, &r, (padic_num_model)model, 1);
                    put_integer(&x, 0, cases[c].x);
                    CHECK_EQ(compute(cases[c].what, &x, &x), PADIC_OK);
                    CHECK_EQ(integer_of(&x, 0), cases[c].y);
                    CHECK_EQ(num_check(NULL, &x, NULL), PADIC_OK);
                    memory_free(&own);
                }
            }
            memory_free(&m);
        }
    }
}

static const struct {
    uint64_t p;
    uint32_t n;
} rings[] = {{257, 6},           {2, 53},     {2, 64},  {2, 1},   {2, 2},   {2, 3},   {2, 31},
             {3, 20},            {3, 1},      {3, 80},  {5, 27},  {7, 22},  {65537, 3},
             {UINT64_C(2147483647), 2},       {UINT64_C(4294967291), 2},
             {UINT64_C(2305843009213693951), 1},        {2, 126}, {257, 15},
             {257, 64},          {2, 300},    {3, 150}, {UINT64_C(562949953421231), 4},
             {UINT64_C(2305843009213693951), 3}, {UINT64_C(9223372036854775783), 7}};

// x in the disc of exp: p^c times anything. RING.
static void random_disc(const padic_num_array *a)
{
    uint64_t i;
    for (i = 0; i < a->count; i++) random_words(a, i);
    CHECK_EQ(padic_num_shift(NULL, a, a, a->ring->p == 2 ? 2 : 1), PADIC_OK);
}

// exp(x + y) = exp x exp y, log inverts exp, log(xy) = log x + log y; x^s by exp and log is x^s.
TEST(exp_and_log)
{
    size_t c;
    uint32_t form;
    for (c = 0; c < sizeof rings / sizeof *rings; c++)
        for (form = 0; form < 8; form++) {
            const uint64_t count = form > 5 || rings[c].n > 100 ? 5 : 37;
            padic_num_ring r;
            padic_num_array x, y, ex, ey, z;
            memory m = {{0}, 0};
            if (!is_ring(&r, rings[c].p, rings[c].n, form)) continue;
            x = new_array(&m, &r, PADIC_NUM_RING, count);
            y = new_array(&m, &r, PADIC_NUM_RING, count);
            ex = new_array(&m, &r, PADIC_NUM_RING, count);
            ey = new_array(&m, &r, PADIC_NUM_RING, count);
            z = new_array(&m, &r, PADIC_NUM_RING, count);
            random_disc(&x);
            random_disc(&y);
            CHECK_EQ(padic_num_exp(NULL, &ex, &x), PADIC_OK);
            CHECK_EQ(padic_num_exp(NULL, &ey, &y), PADIC_OK);
            CHECK_EQ(padic_num_log(NULL, &z, &ex, PADIC_NUM_LOG_SERIES), PADIC_OK);
            memset(x.status.data, 0, (size_t)count);
            CHECK(same(&z, &x));
            CHECK_EQ(padic_num_add(NULL, &z, &x, &y), PADIC_OK);
            CHECK_EQ(padic_num_exp(NULL, &z, &z), PADIC_OK);
            CHECK_EQ(padic_num_mul(NULL, &y, &ex, &ey), PADIC_OK);
            CHECK(same(&z, &y));
            CHECK_EQ(padic_num_log(NULL, &z, &y, PADIC_NUM_LOG_IWASAWA), PADIC_OK);
            CHECK_EQ(padic_num_log(NULL, &ey, &ey, PADIC_NUM_LOG_SERIES), PADIC_OK);
            CHECK_EQ(padic_num_add(NULL, &y, &x, &ey), PADIC_OK);
            CHECK(same(&z, &y));
            CHECK_EQ(padic_num_pow(NULL, &y, &ex, 1000003), PADIC_OK);
            put_integer(&z, 0, r.form < PADIC_NUM_W128 && r.base ? 1000003 % r.base : 1000003);
            z.count = 1; // one exponent for all
            if (r.bits > 20 && r.form < PADIC_NUM_W128) {
                CHECK_EQ(padic_num_pow_padic(NULL, &ex, &ex, &z), PADIC_OK);
                CHECK(same(&ex, &y));
            }
            memory_free(&m);
        }
}

// w(x)^p = w(x) (p = 2: w(x)^3), w(xy) = w(x) w(y); log w(x) = 0; sqrt(x^2)^2 = x^2.
TEST(roots_of_unity_and_squares)
{
    size_t c;
    uint32_t form, tables;
    for (c = 0; c < sizeof rings / sizeof *rings; c++)
        for (form = 0; form < 8; form++) {
            const uint64_t count = form > 5 || rings[c].n > 100 ? 5 : 37;
            padic_num_ring r;
            padic_num_array x, y, w, z;
            memory m = {{0}, 0};
            uint64_t i;
            if (!is_ring(&r, rings[c].p, rings[c].n, form)) continue;
            for (tables = 0; tables < 2; tables++) {
                memory own = {{0}, 0};
                if (tables) {
                    const size_t size = padic_num_ring_tables_size_bound(&r);
                    CHECK_EQ(num_ring_tables(&r, memory_take(&m, size), size), PADIC_OK);
                }
                x = new_array(&own, &r, PADIC_NUM_RING, count);
                y = new_array(&own, &r, PADIC_NUM_RING, count);
                w = new_array(&own, &r, PADIC_NUM_RING, count);
                z = new_array(&own, &r, PADIC_NUM_RING, count);
                for (i = 0; i < count; i++) {
                    random_words(&x, i);
                    random_words(&y, i);
                }
                CHECK_EQ(padic_num_teichmueller(NULL, &w, &x), PADIC_OK);
                CHECK_EQ(padic_num_pow(NULL, &z, &w, r.p == 2 ? 3 : (int64_t)r.p), PADIC_OK);
                CHECK(same(&z, &w));
                CHECK_EQ(padic_num_mul(NULL, &z, &x, &y), PADIC_OK);
                CHECK_EQ(padic_num_teichmueller(NULL, &z, &z), PADIC_OK);
                CHECK_EQ(padic_num_teichmueller(NULL, &y, &y), PADIC_OK);
                CHECK_EQ(padic_num_mul(NULL, &y, &y, &w), PADIC_OK);
                CHECK(same(&z, &y));
                CHECK_EQ(padic_num_log(NULL, &z, &w, PADIC_NUM_LOG_IWASAWA), PADIC_OK);
                for (i = 0; i < count; i++)
                    CHECK(unit_of(&z, i) == 0);
                CHECK_EQ(padic_num_square(NULL, &y, &x), PADIC_OK);
                CHECK_EQ(padic_num_sqrt(NULL, &z, &y), PADIC_OK);
                for (i = 0; i < count; i++) CHECK((status_of(&z, i) & PADIC_NUM_HARD) == 0);
                CHECK_EQ(padic_num_square(NULL, &w, &z), PADIC_OK);
                CHECK(same(&w, &y));
                memory_free(&own);
            }
            memory_free(&m);
        }
}

// Exactly the (p-1)/2 residue classes of squares are accepted; p = 2: 1 mod 8, four roots.
TEST(squares_exhaustive)
{
    static const uint32_t primes[] = {2, 3, 5, 7, 13, 257};
    size_t c;
    for (c = 0; c < 6; c++) {
        const uint64_t p = primes[c];
        padic_num_ring r;
        memory m = {{0}, 0};
        uint64_t i, j, squares = 0;
        padic_num_array x;
        CHECK_EQ(padic_num_ring_init(&r, p, p == 2 ? 8 : p < 20 ? 3 : 1, NULL), PADIC_OK);
        x = new_array(&m, &r, PADIC_NUM_FLOAT, r.base);
        for (i = 0; i < r.base; i++) put_integer(&x, i, i);
        CHECK_EQ(padic_num_sqrt(NULL, &x, &x), PADIC_OK);
        for (i = 1; i < r.base; i++) {
            uint64_t roots = 0, smallest = 0;
            if (i % p == 0) continue;
            for (j = 1; j < r.base; j++)
                if (j * j % r.base == i) {
                    if (!roots++ || (p == 2 && j % 4 == 1 && j < r.base / 2)) smallest = j;
                    if (p > 2 && j % p < smallest % p) smallest = j;
                }
            CHECK_EQ(roots, val_of(&x, i) == PADIC_NUM_NAN ? 0 : p == 2 ? 4 : 2);
            if (roots) CHECK_EQ(unit_of(&x, i), smallest);
            if (!roots) CHECK_EQ(unit_of(&x, i), PADIC_NUM_NOPOWER);
            squares += roots > 0;
        }
        CHECK_EQ(squares, p == 2 ? r.base / 8 : (p - 1) / 2 * (r.base / p));
        memory_free(&m);
    }
}

// All n-th roots of n-th powers, n prime to p and not.
TEST(all_roots)
{
    static const struct {
        uint64_t p;
        uint32_t n;
        uint64_t k, count;
    } cases[] = {{7, 10, 3, 3},     {7, 10, 6, 6},   {7, 10, 7, 1},        {7, 10, 21, 3},
                 {2, 20, 2, 2},     {2, 20, 3, 1},   {2, 20, 4, 2},        {2, 20, 12, 2},
                 {13, 5, 12, 12},   {257, 6, 64, 64}, {257, 6, 257 * 4, 4}, {65537, 3, 1024, 1024},
                 {3, 12, 9, 1},     {3, 12, 18, 2},  {UINT64_C(1000003), 2, 6, 6},
                 {UINT64_C(2305843009213693951), 1, 10, 10}};
    size_t c;
    for (c = 0; c < sizeof cases / sizeof *cases; c++) {
        const uint64_t n = 3, k = cases[c].k;
        uint64_t i, j;
        padic_num_ring r;
        padic_num_array a, x, y;
        memory m = {{0}, 0};
        CHECK_EQ(padic_num_ring_init(&r, cases[c].p, cases[c].n, NULL), PADIC_OK);
        CHECK_EQ(padic_num_root_count(&r, k), cases[c].count);
        a = new_array(&m, &r, PADIC_NUM_FLOAT, n);
        for (i = 0; i < n; i++) put(&a, i, 18 * i + 5, (int32_t)i - 1, 0);
        CHECK_EQ(padic_num_pow(NULL, &a, &a, (int64_t)k), PADIC_OK);
        x = new_array(&m, &r, PADIC_NUM_FLOAT, n * cases[c].count);
        y = new_array(&m, &r, PADIC_NUM_FLOAT, n);
        CHECK_EQ(num_roots(NULL, &x, &a, k), PADIC_OK);
        CHECK_EQ(padic_num_root(NULL, &y, &a, k), PADIC_OK);
        for (i = 0; i < n; i++) CHECK_EQ(unit_of(&x, i), unit_of(&y, i));
        for (j = 0; j < cases[c].count && j < 70; j++) {
            for (i = 0; i < n; i++) {
                put(&y, i, unit_of(&x, j * n + i), val_of(&x, j * n + i), 0);
                CHECK(!j || unit_of(&x, j * n + i) != unit_of(&x, (j - 1) * n + i));
                CHECK(unit_of(&x, j * n + i) % r.p >= unit_of(&x, i) % r.p);
                CHECK_EQ(status_of(&x, j * n + i), 0);
            }
            CHECK_EQ(padic_num_pow(NULL, &y, &y, (int64_t)k), PADIC_OK);
            memset(a.status.data, 0, (size_t)n);
            CHECK(same(&y, &a));
        }
        memory_free(&m);
    }
}

// What has no root, no exponential, no logarithm, says so; its neighbours do not mind.
TEST(outside)
{
    padic_num_ring r, two;
    padic_num_array a, x, b;
    memory m = {{0}, 0};
    CHECK_EQ(padic_num_ring_init(&r, 5, 8, NULL), PADIC_OK);
    CHECK_EQ(padic_num_ring_init(&two, 2, 8, NULL), PADIC_OK);
    a = new_array(&m, &r, PADIC_NUM_FLOAT, 6);
    x = new_array(&m, &r, PADIC_NUM_FLOAT, 6);
    put(&a, 0, 4, 2, 0);
    put(&a, 1, 4, 1, 0); // odd valuation
    put(&a, 2, 2, 0, 0); // not a square modulo 5
    put(&a, 3, 0, PADIC_NUM_ZERO, 0);
    put(&a, 4, PADIC_NUM_DIV0, PADIC_NUM_NAN, 0);
    put(&a, 5, 1, -2, 0);
    CHECK_EQ(padic_num_sqrt(NULL, &x, &a), PADIC_OK);
    CHECK_EQ(unit_of(&x, 0), 2);
    CHECK_EQ(val_of(&x, 0), 1);
    CHECK_EQ(status_of(&x, 1), PADIC_NUM_NOPOWER);
    CHECK_EQ(status_of(&x, 2), PADIC_NUM_NOPOWER);
    CHECK_EQ(val_of(&x, 3), PADIC_NUM_ZERO);
    CHECK_EQ(status_of(&x, 4), PADIC_NUM_DIV0);
    CHECK_EQ(unit_of(&x, 4), PADIC_NUM_DIV0);
    CHECK_EQ(val_of(&x, 5), -1);
    CHECK_EQ(padic_num_exp(NULL, &x, &a), PADIC_OK);
    CHECK_EQ(status_of(&x, 2), PADIC_NUM_OUTSIDE);
    CHECK_EQ(unit_of(&x, 3), 1);
    CHECK_EQ(status_of(&x, 5), PADIC_NUM_OUTSIDE);
    CHECK_EQ(padic_num_log(NULL, &x, &a, PADIC_NUM_LOG_SERIES), PADIC_OK);
    CHECK_EQ(status_of(&x, 0), PADIC_NUM_OUTSIDE);
    CHECK_EQ(status_of(&x, 3), PADIC_NUM_OUTSIDE);
    CHECK_EQ(padic_num_log(NULL, &x, &a, PADIC_NUM_LOG_IWASAWA), PADIC_OK);
    CHECK_EQ(status_of(&x, 3), PADIC_NUM_OUTSIDE);
    CHECK_EQ(val_of(&x, 5), PADIC_NUM_ZERO); // log p = 0
    CHECK_EQ(status_of(&x, 5), 0);
    CHECK_EQ(padic_num_teichmueller(NULL, &x, &a), PADIC_OK);
    CHECK_EQ(val_of(&x, 0), PADIC_NUM_ZERO);
    CHECK_EQ(status_of(&x, 5), PADIC_NUM_OUTSIDE);
    // nothing is silent
    x.status.dtype = (padic_dtype)0;
    x.status.data = NULL;
    CHECK_EQ(padic_num_log(NULL, &x, &a, PADIC_NUM_LOG_SERIES), PADIC_ERROR_DOMAIN);
    // balls
    b = new_array(&m, &two, PADIC_NUM_BALL, 6);
    put(&b, 0, 1, 0, 3);
    put(&b, 1, 1, 0, 2); // 5 is not a square
    put(&b, 2, 3, 0, 2);
    put(&b, 3, 0, 3, 0); // O(8)
    put(&b, 4, 17, 4, 6);
    put(&b, 5, 0, -3, 0);
    CHECK_EQ(padic_num_sqrt(NULL, &b, &b), PADIC_OK);
    CHECK_EQ(unit_of(&b, 0), 1);
    CHECK_EQ(known_of(&b, 0), 2);
    CHECK_EQ(status_of(&b, 1), PADIC_NUM_PRECLOSS);
    CHECK_EQ(known_of(&b, 1), 0);
    CHECK_EQ(status_of(&b, 2), PADIC_NUM_NOPOWER);
    CHECK_EQ(val_of(&b, 3), 2);
    CHECK_EQ(val_of(&b, 4), 2);
    CHECK_EQ(unit_of(&b, 4), 9);
    CHECK_EQ(known_of(&b, 4), 5);
    CHECK_EQ(val_of(&b, 5), -1);
    memory_free(&m);
}

// A ball's result is that of any number in it, cut off: balls at random against N digits.
TEST(balls_contain)
{
    uint64_t i;
    const uint64_t count = test_tiny ? 50 : 500;
    padic_num_ring r;
    padic_num_array a, b, x, y;
    memory m = {{0}, 0};
    uint32_t what;
    CHECK_EQ(padic_num_ring_init(&r, 3, 20, NULL), PADIC_OK);
    a = new_array(&m, &r, PADIC_NUM_BALL, count);
    b = new_array(&m, &r, PADIC_NUM_BALL, count);
    x = new_array(&m, &r, PADIC_NUM_BALL, count);
    y = new_array(&m, &r, PADIC_NUM_BALL, count);
    for (i = 0; i < count; i++) {
        const uint32_t n = 1 + (uint32_t)(test_random() % 20);
        uint64_t u = test_random() % r.base;
        u = u - u % 3 + 1;
        put(&a, i, u, (int32_t)(i % 3), 20);
        put(&b, i, u % power(3, (int32_t)n), (int32_t)(i % 3), n);
    }
    for (what = SQRT; what <= TEICHMUELLER; what++) {
        CHECK_EQ(compute((golden_what)what, &x, &a), PADIC_OK);
        CHECK_EQ(compute((golden_what)what, &y, &b), PADIC_OK);
        CHECK_EQ(num_check(NULL, &y, NULL), PADIC_OK);
        CHECK_EQ(padic_num_sub(NULL, &x, &x, &y), PADIC_OK);
        for (i = 0; i < count; i++) // the difference is 0 as far as y is known
            CHECK(val_of(&x, i) == PADIC_NUM_NAN || val_of(&x, i) == PADIC_NUM_ZERO ||
                  (known_of(&x, i) == 0 &&
                   val_of(&x, i) <= val_of(&y, i) + (int32_t)known_of(&y, i)));
    }
    memory_free(&m);
}

typedef struct hensel_case {
    padic_num_polynomial_roots_desc desc;
    uint32_t found[8];
    uint8_t guarantee[8];
    memory m;
} hensel_case;

// Polynomials with `terms` small coefficients each, their own, negative ones taken modulo P.
static void hensel_begin(hensel_case *h, const padic_num_ring *r, padic_num_model model,
                         uint32_t terms, uint32_t polynomials, const int32_t *c, uint32_t most,
                         uint32_t branches)
{
    padic_num_polynomial_roots_desc *d = &h->desc;
    uint64_t need;
    uint32_t i, k;
    memset(h, 0, sizeof *h);
    d->terms = terms;
    d->polynomials = polynomials;
    d->root_limit = most;
    d->branches = branches;
    d->out = new_array(&h->m, r, model, most * polynomials);
    d->coefficients = new_array(&h->m, r, model, terms * polynomials);
    for (i = 0; i < polynomials; i++)
        for (k = 0; k < terms; k++) {
            const int32_t x = c[i * terms + k];
            const uint64_t modulus = power(r->p, (int32_t)r->precision);
            put_integer(&d->coefficients, k * polynomials + i,
                        (x < 0 ? modulus : 0) + (uint64_t)(int64_t)x);
        }
    d->found = padic_tensor_1d(PADIC_U32, h->found, polynomials);
    d->guarantee = padic_tensor_1d(PADIC_U8, h->guarantee, polynomials);
    need = padic_num_polynomial_roots_workspace(d);
    d->workspace = padic_tensor_1d(PADIC_U8, memory_take(&h->m, need), need);
}

TEST(hensel_all)
{
    // x^2 - 2; x^2 - 3 (none); (x - 1)(x - 8)(x - 50), of which 1, 8, 50 are one residue modulo 7;
    // (x - 1)^2; a constant
    static const int32_t c[] = {-2, 0, 1, 0,    -3, 0, 1, 0,  -400, 458, -59, 1,
                                1,  -2, 1, 0,   5,  0, 0, 0};
    static const uint32_t found[] = {2, 0, 3, 0, 0};
    hensel_case h;
    padic_num_ring r;
    uint32_t model, i, form;
    for (form = 0; form < 8; form++)
        for (model = 0; model < 3; model++) {
            if (!is_ring(&r, 7, 10, form)) continue;
            hensel_begin(&h, &r, (padic_num_model)model, 4, 5, c, 4, 8);
            CHECK_EQ(padic_num_polynomial_roots(NULL, &h.desc), PADIC_OK);
            for (i = 0; i < 5; i++) CHECK_EQ(h.found[i], found[i]);
            for (i = 0; i < 5; i++)
                CHECK_EQ(h.guarantee[i], i == 3 ? PADIC_NUM_GUARANTEE_LOWER_BOUND
                                                : PADIC_NUM_GUARANTEE_EXACT);
            CHECK_EQ(integer_of(&h.desc.out, 0), 266983762);
            CHECK_EQ(integer_of(&h.desc.out, 1), 282475249 - 266983762);
            CHECK_EQ(integer_of(&h.desc.out, 8), 8); // alone modulo 7^2
            CHECK_EQ(integer_of(&h.desc.out, 9) % 49, 1);
            CHECK_EQ(integer_of(&h.desc.out, 10) % 49, 1);
            CHECK_EQ(integer_of(&h.desc.out, 11), 0);
            { // without a workspace: from the allocator, the same roots
                const padic_tensor workspace = h.desc.workspace;
                memset(&h.desc.workspace, 0, sizeof workspace);
                memset(h.found, 255, sizeof h.found);
                CHECK_EQ(padic_num_polynomial_roots(NULL, &h.desc), PADIC_OK);
                for (i = 0; i < 5; i++) CHECK_EQ(h.found[i], found[i]);
                CHECK_EQ(integer_of(&h.desc.out, 0), 266983762);
                h.desc.workspace = workspace;
            }
            // without branches only 1 itself is tried, which is a root
            h.desc.branches = 0;
            CHECK_EQ(padic_num_polynomial_roots(NULL, &h.desc), PADIC_OK);
            CHECK_EQ(h.found[2], 1);
            CHECK_EQ(integer_of(&h.desc.out, 8), 1);
            CHECK_EQ(h.guarantee[2], PADIC_NUM_GUARANTEE_LOWER_BOUND);
            CHECK_EQ(h.found[0], 2);
            // errors
            h.desc.workspace.shape[0]--;
            h.desc.branches = 8;
            CHECK_EQ(padic_num_polynomial_roots(NULL, &h.desc), PADIC_ERROR_CAPACITY);
            h.desc.workspace.shape[0]++;
            h.desc.workspace.dtype = PADIC_U64;
            CHECK_EQ(padic_num_polynomial_roots(NULL, &h.desc), PADIC_ERROR_ARGUMENT);
            h.desc.workspace.dtype = PADIC_U8;
            h.desc.workspace.data = (char *)h.desc.workspace.data + 1;
            CHECK_EQ(padic_num_polynomial_roots(NULL, &h.desc), PADIC_ERROR_ALIGNMENT);
            h.desc.workspace.data = (char *)h.desc.workspace.data - 1;
            h.desc.root_limit = 3;
            CHECK_EQ(padic_num_polynomial_roots(NULL, &h.desc), PADIC_ERROR_MISMATCH);
            h.desc.root_limit = 4;
            h.desc.terms = 0;
            CHECK_EQ(padic_num_polynomial_roots(NULL, &h.desc), PADIC_ERROR_ARGUMENT);
            h.desc.terms = 1u << 20;
            CHECK_EQ(padic_num_polynomial_roots(NULL, &h.desc), PADIC_ERROR_LIMIT);
            h.desc.terms = 4;
            h.desc.found = padic_tensor_1d(PADIC_U32, h.desc.workspace.data, 5);
            CHECK_EQ(padic_num_polynomial_roots(NULL, &h.desc), PADIC_ERROR_OVERLAP);
            h.desc.found = padic_tensor_1d(PADIC_U32, h.found, 5);
            put_integer(&h.desc.coefficients, 4, 0); // polynomial 4 is 0 now
            CHECK_EQ(padic_num_polynomial_roots(NULL, &h.desc), PADIC_ERROR_ARGUMENT);
            if (model) { // a coefficient 1/7
                put(&h.desc.coefficients, 4, 1, -1, 5);
                CHECK_EQ(padic_num_polynomial_roots(NULL, &h.desc), PADIC_OK);
                CHECK_EQ(h.found[4], 0);
                CHECK_EQ(status_of(&h.desc.out, 16), PADIC_NUM_OUTSIDE);
            }
            memory_free(&h.m);
        }
}

// x^(p-1) - 1 has the Teichmueller residues for roots; seeds lead there too, in any form.
TEST(hensel_teichmueller)
{
    uint32_t form, i, model;
    for (form = 0; form < 8; form++)
        for (model = 0; model < 3; model++) {
            padic_num_ring r;
            padic_num_array w;
            padic_num_hensel_desc d = PADIC_ZERO;
            padic_num_polynomial_roots_desc all = PADIC_ZERO;
            memory m = {{0}, 0};
            uint32_t found[1];
            if (!is_ring(&r, 13, 12, form)) continue;
            w = new_array(&m, &r, (padic_num_model)model, 12);
            for (i = 0; i < 12; i++) put_integer(&w, i, i + 1);
            d.seeds = w;
            d.terms = 13;
            d.coefficients = new_array(&m, &r, (padic_num_model)model, 13);
            for (i = 0; i < 13; i++) put_integer(&d.coefficients, i, i == 12);
            put_integer(&d.coefficients, 0, 1);
            CHECK_EQ(padic_num_neg(NULL, &d.coefficients, &d.coefficients), PADIC_OK);
            put_integer(&d.coefficients, 12, 1);
            d.out = new_array(&m, &r, (padic_num_model)model, 12);
            CHECK_EQ(padic_num_hensel(NULL, &d), PADIC_OK);
            CHECK_EQ(padic_num_teichmueller(NULL, &w, &w), PADIC_OK);
            CHECK(same(&d.out, &w));
            all.out = d.out;
            all.coefficients = d.coefficients;
            all.terms = 13;
            all.polynomials = 1;
            all.root_limit = 12;
            all.found = padic_tensor_1d(PADIC_U32, found, 1);
            CHECK_EQ(padic_num_polynomial_roots(NULL, &all), PADIC_OK);
            CHECK_EQ(found[0], 12);
            CHECK(same(&all.out, &w));
            memory_free(&m);
        }
}

// The lemma with s > 0, and where it does not hold.
TEST(hensel_seeds)
{
    padic_num_ring r;
    padic_num_hensel_desc d = PADIC_ZERO;
    memory m = {{0}, 0};
    CHECK_EQ(padic_num_ring_init(&r, 2, 20, NULL), PADIC_OK);
    d.out = new_array(&m, &r, PADIC_NUM_RING, 4);
    d.seeds = new_array(&m, &r, PADIC_NUM_RING, 4);
    d.coefficients = new_array(&m, &r, PADIC_NUM_RING, 3);
    d.terms = 3;
    put_integer(&d.coefficients, 0, (1u << 20) - 17); // x^2 - 17
    put_integer(&d.coefficients, 1, 0);
    put_integer(&d.coefficients, 2, 1);
    put_integer(&d.seeds, 0, 1);
    put_integer(&d.seeds, 1, 3);
    put_integer(&d.seeds, 2, 2);
    put_integer(&d.seeds, 3, 7);
    CHECK_EQ(padic_num_hensel(NULL, &d), PADIC_OK);
    CHECK_EQ(unit_of(&d.out, 0) * unit_of(&d.out, 0) % (1u << 20), 17);
    CHECK_EQ(unit_of(&d.out, 0) % 4, 1);
    CHECK_EQ(status_of(&d.out, 0), PADIC_NUM_PRECLOSS); // one digit is not known
    CHECK(unit_of(&d.out, 0) < 1u << 19);
    CHECK_EQ(unit_of(&d.out, 1) % 4, 3);
    CHECK_EQ(status_of(&d.out, 2), PADIC_NUM_OUTSIDE);
    CHECK_EQ(unit_of(&d.out, 2), 0);
    CHECK_EQ(unit_of(&d.out, 3), unit_of(&d.out, 1));
    memory_free(&m);
}

TEST(errors)
{
    padic_num_ring r, other, radix;
    padic_num_array a, b, x;
    memory m = {{0}, 0};
    uint64_t block[8];
    CHECK_EQ(padic_num_ring_init(&r, 7, 40, NULL), PADIC_OK);
    CHECK_EQ(padic_num_ring_init(&other, 7, 41, NULL), PADIC_OK);
    CHECK_EQ(padic_num_ring_init_radix(&radix, 10, 5, NULL), PADIC_OK);
    a = new_array(&m, &r, PADIC_NUM_RING, 4);
    b = new_array(&m, &other, PADIC_NUM_RING, 4);
    x = new_array(&m, &radix, PADIC_NUM_RING, 4);
    CHECK_EQ(padic_num_sqrt(NULL, &a, NULL), PADIC_ERROR_ARGUMENT);
    CHECK_EQ(padic_num_sqrt(NULL, NULL, &a), PADIC_ERROR_ARGUMENT);
    CHECK_EQ(padic_num_root(NULL, &a, &a, 0), PADIC_ERROR_ARGUMENT);
    CHECK_EQ(padic_num_exp(NULL, &a, &b), PADIC_ERROR_RING);
    CHECK_EQ(padic_num_pow_padic(NULL, &a, &a, NULL), PADIC_ERROR_ARGUMENT);
    CHECK_EQ(padic_num_log(NULL, &a, &a, (padic_num_log_branch)2), PADIC_ERROR_ARGUMENT);
    CHECK_EQ(padic_num_sqrt(NULL, &x, &x), PADIC_ERROR_NOT_SUPPORTED);
    CHECK_EQ(padic_num_exp(NULL, &x, &x), PADIC_ERROR_NOT_SUPPORTED);
    CHECK_EQ(num_roots(NULL, &a, &a, 2), PADIC_ERROR_MISMATCH);
    CHECK_EQ(num_roots(NULL, &a, &a, 1), PADIC_ERROR_OVERLAP);
    CHECK_EQ(num_roots(NULL, &a, &a, 0), PADIC_ERROR_ARGUMENT);
    CHECK_EQ(padic_num_root_count(&r, 0), 0);
    CHECK_EQ(num_ring_tables(&r, block, sizeof block), PADIC_ERROR_CAPACITY);
    CHECK_EQ(num_ring_tables(&r, NULL, 1u << 20), PADIC_ERROR_ARGUMENT);
    CHECK_EQ(num_ring_tables(&radix, block, sizeof block), PADIC_ERROR_NOT_SUPPORTED);
    CHECK_EQ(padic_num_ring_tables_size_bound(&radix), 0);
    CHECK_EQ(padic_num_hensel(NULL, NULL), PADIC_ERROR_ARGUMENT);
    a.count = 0;
    CHECK_EQ(padic_num_polynomial_roots(NULL, NULL), PADIC_ERROR_ARGUMENT);
    CHECK_EQ(padic_num_polynomial_roots_workspace(NULL), 0);
    memory_free(&m);
}

// Many elements, with specials in between, are what each is alone.
TEST(batches)
{
    static const struct {
        uint64_t p;
        uint32_t n;
    } few[] = {{257, 6}, {2, 53}, {3, 20}, {5, 27}, {2, 126}};
    size_t c;
    for (c = 0; c < 5; c++) {
        uint32_t model, what;
        padic_num_ring r;
        CHECK_EQ(padic_num_ring_init(&r, few[c].p, few[c].n, NULL), PADIC_OK);
        for (model = 0; model < 2; model++) {
            memory m = {{0}, 0};
            const uint64_t n = 77;
            uint64_t i;
            padic_num_array a = new_array(&m, &r, (padic_num_model)model, n);
            padic_num_array x = new_array(&m, &r, (padic_num_model)model, n);
            padic_num_array one = new_array(&m, &r, (padic_num_model)model, 1);
            for (i = 0; i < n; i++) {
                const uint64_t k = test_random() % 1000 * r.p;
                put_integer(&a, i, i % 11 == 3 ? 0 : i % 5 ? k + 1 : k * r.p);
                if (model && i % 7 == 2) put(&a, i, 1, -2, 0);
                if (model && i % 13 == 2) put(&a, i, 1, PADIC_NUM_NAN, 0);
            }
            for (what = SQRT; what <= TEICHMUELLER; what++) {
                CHECK_EQ(compute((golden_what)what, &x, &a), PADIC_OK);
                for (i = 0; i < n; i++) {
                    put(&one, 0, unit_of(&a, i), val_of(&a, i), 0);
                    CHECK_EQ(compute((golden_what)what, &one, &one), PADIC_OK);
                    CHECK_EQ(unit_of(&one, 0), unit_of(&x, i));
                    CHECK_EQ(val_of(&one, 0), val_of(&x, i));
                    CHECK_EQ(status_of(&one, 0), status_of(&x, i));
                }
            }
            memory_free(&m);
        }
    }
}

// The same bytes in pieces by the jobs of a context; also all roots, whose output is longer.
TEST(jobs)
{
    static const uint32_t precisions[] = {6, 15, 16}; // one word, two, limbs
    const uint64_t n = 17000; // enough for two pieces
    padic_threads *threads = padic_threads_create(3, NULL);
    padic_context_desc desc = PADIC_ZERO;
    padic_context *context = NULL;
    uint32_t c, model;
    REQUIRE(threads != NULL);
    desc.jobs = padic_threads_jobs(threads);
    CHECK_EQ(padic_context_create(&desc, &context), PADIC_OK);
    for (c = 0; c < 3; c++)
        for (model = 0; model < 3; model++) {
            padic_num_ring r;
            memory m = {{0}, 0};
            padic_num_array a, x, y;
            uint64_t i;
            CHECK_EQ(padic_num_ring_init(&r, 257, precisions[c], NULL), PADIC_OK);
            a = new_array(&m, &r, (padic_num_model)model, n);
            x = new_array(&m, &r, (padic_num_model)model, 2 * n);
            y = new_array(&m, &r, (padic_num_model)model, 2 * n);
            x.workspace_size *= 4; // for more than one piece
            x.workspace = memory_take(&m, x.workspace_size);
            for (i = 0; i < n; i++)
                put(&a, i, 1 + test_random() % 50 * (i % 3 ? 257 : 1), 0, r.precision);
            CHECK_EQ(num_roots(context, &x, &a, 2), PADIC_OK);
            CHECK_EQ(num_roots(NULL, &y, &a, 2), PADIC_OK);
            CHECK(same(&x, &y));
            x = new_array(&m, &r, (padic_num_model)model, n);
            y = new_array(&m, &r, (padic_num_model)model, n);
            CHECK_EQ(padic_num_log(context, &x, &a, PADIC_NUM_LOG_IWASAWA), PADIC_OK);
            CHECK_EQ(padic_num_log(NULL, &y, &a, PADIC_NUM_LOG_IWASAWA), PADIC_OK);
            CHECK(same(&x, &y));
            memory_free(&m);
        }
    padic_context_destroy(context);
    padic_threads_destroy(threads);
}

// Planes full of anything: no crash, no endless loop, nothing outside (for the sanitizers).
TEST(garbage)
{
    static const uint64_t primes[] = {2, 3, 13, 257, 65537, UINT64_C(2305843009213693951)};
    uint32_t round, k;
    for (round = 0; round < (test_tiny ? 60u : 400u); round++) {
        padic_num_ring r;
        memory m = {{0}, 0};
        padic_num_array a[4];
        padic_num_hensel_desc d = PADIC_ZERO;
        padic_num_polynomial_roots_desc all = PADIC_ZERO;
        uint32_t found[1];
        const padic_num_model model = (padic_num_model)(test_random() % 3);
        const uint32_t form = test_random() % 2 ? (uint32_t)(test_random() % 8) : 0;
        if (!is_ring(&r, primes[test_random() % 6], 1 + (uint32_t)(test_random() % 30), form))
            continue;
        for (k = 0; k < 4; k++) {
            const uint64_t count = k < 3 ? 9 : 4;
            uint64_t i;
            a[k] = new_array(&m, &r, model, count);
            for (i = 0; i < count; i++) {
                uint32_t j;
                for (j = 0; j < r.words; j++) word_put(&a[k], i, j, test_random());
                if (model) ((int32_t *)a[k].val.data)[i] = (int32_t)(test_random() % 7) - 2;
                if (model == PADIC_NUM_BALL)
                    ((uint8_t *)a[k].known.data)[i] = (uint8_t)test_random();
            }
        }
        for (k = SQRT; k <= TEICHMUELLER; k++)
            CHECK_EQ(compute((golden_what)k, &a[0], &a[1]), PADIC_OK);
        CHECK_EQ(padic_num_root(NULL, &a[0], &a[1], r.p), PADIC_OK);
        CHECK_EQ(padic_num_root(NULL, &a[0], &a[1], 6), PADIC_OK);
        CHECK_EQ(padic_num_pow_padic(NULL, &a[0], &a[1], &a[2]), PADIC_OK);
        d.out = a[0];
        d.seeds = a[1];
        d.coefficients = a[3];
        d.terms = 4;
        CHECK_EQ(padic_num_hensel(NULL, &d), PADIC_OK);
        all.out = a[0];
        all.coefficients = a[3];
        all.terms = 4;
        all.polynomials = 1;
        all.root_limit = 9;
        all.branches = round % 5;
        all.found = padic_tensor_1d(PADIC_U32, found, 1);
        (void)padic_num_polynomial_roots(NULL, &all);
        memory_free(&m);
    }
}

TEST_MAIN("num_series", CASE(golden), CASE(exp_and_log), CASE(roots_of_unity_and_squares),
          CASE(squares_exhaustive), CASE(all_roots), CASE(outside), CASE(balls_contain),
          CASE(hensel_all), CASE(hensel_teichmueller), CASE(hensel_seeds), CASE(errors),
          CASE(batches), CASE(jobs), CASE(garbage))
