// test_num_short.c: the short ways (numbers of fractions, digits and text in memory of the
// library's own) against integers that are computed here, with every allocation failing once; and
// what calls of one number say of arrays in buffers.
#define PADIC_IMPLEMENTATION
#include "../../padic.h"
#include "../../backends/padic_null.h"
#include "../support/padic_test.h"
#include "../support/num_calls.h"

// ---- an allocator that counts, checks sizes, and fails once

typedef struct heap {
    uint64_t calls, fail_at, blocks, bytes, wrong;
} heap;

static void *heap_alloc(size_t size, size_t align, void *user)
{
    heap *h = (heap *)user;
    char *whole, *block;
    if (++h->calls == h->fail_at) return NULL;
    whole = (char *)malloc(size + align + 2 * sizeof(void *));
    if (!whole) return NULL;
    block = whole + 2 * sizeof(void *);
    block += (align - ((uintptr_t)block & (align - 1))) & (align - 1);
    memcpy(block - sizeof(void *), &whole, sizeof whole);
    memcpy(block - 2 * sizeof(void *), &size, sizeof size);
    h->blocks++;
    h->bytes += size;
    return block;
}

static void heap_free(void *pointer, size_t size, void *user)
{
    heap *h = (heap *)user;
    char *block = (char *)pointer, *whole;
    size_t was;
    memcpy(&whole, block - sizeof(void *), sizeof whole);
    memcpy(&was, block - 2 * sizeof(void *), sizeof was);
    h->wrong += was != size;
    h->blocks--;
    h->bytes -= was;
    free(whole);
}

static padic_context *heap_context(heap *h)
{
    padic_context_desc desc = PADIC_ZERO;
    padic_context *context = NULL;
    memset(h, 0, sizeof *h);
    desc.allocator.alloc = heap_alloc;
    desc.allocator.free = heap_free;
    desc.allocator.user = h;
    CHECK_EQ(padic_context_create(&desc, &context), PADIC_OK);
    return context;
}

// ---- arithmetic of its own, P < 2^63

static uint64_t mul_mod(uint64_t a, uint64_t b, uint64_t m)
{
    uint64_t sum = 0;
    for (; b; b >>= 1) {
        if (b & 1) sum = sum >= m - a ? sum - (m - a) : sum + a;
        a = a >= m - a ? a - (m - a) : a + a;
    }
    return sum;
}

static uint64_t integer_mod(int64_t x, uint64_t m)
{
    const uint64_t r = (x < 0 ? 0 - (uint64_t)x : (uint64_t)x) % m;
    return x < 0 && r ? m - r : r;
}

static int64_t gcd(int64_t a, int64_t b)
{
    if (a < 0) a = -a;
    while (b) {
        const int64_t t = a % b;
        a = b;
        b = t;
    }
    return a;
}

static int32_t strip(int64_t *x, int64_t p)
{
    int32_t v = 0;
    for (; *x && *x % p == 0; *x /= p) v++;
    return v;
}

static int is_zero(const void *p, size_t size)
{
    const unsigned char *c = (const unsigned char *)p;
    while (size-- > 0)
        if (*c++) return 0;
    return 1;
}

static const struct {
    uint32_t p, precision;
} rings[] = {{2, 40}, {2, 62}, {3, 39}, {5, 20}, {257, 6}, {4099, 5}, {5, 40}, {3, 120}};
#define RINGS (sizeof rings / sizeof *rings)
#define SHORT_RINGS 6 // of those P is below 2^63
#define MOST 40

// ---- fractions

// Is element i the fraction n / d? u d' = n' mod P, v the difference of valuations.
static int is_fraction(const padic_num_array *a, uint64_t i, int64_t n, int64_t d)
{
    padic_num_value x;
    const uint64_t P = a->ring->modulus[0];
    const int64_t p = (int64_t)a->ring->p;
    if (padic_num_get(a, i, &x) != PADIC_OK || x.u[1]) return 0;
    if (a->model == PADIC_NUM_RING)
        return x.u[0] < P && mul_mod(x.u[0], integer_mod(d, P), P) == integer_mod(n, P);
    if (!n) return x.v == PADIC_NUM_ZERO && !x.u[0];
    const int32_t v = strip(&n, p) - strip(&d, p);
    return x.v == v && x.u[0] < P && mul_mod(x.u[0], integer_mod(d, P), P) == integer_mod(n, P) &&
           (a->model == PADIC_NUM_FLOAT || x.n == a->ring->precision);
}

static void fractions_of(padic_context *context, size_t r, padic_num_model model)
{
    int64_t n[MOST], d[MOST], n2[MOST], d2[MOST];
    padic_num_array x;
    padic_num_ring ring;
    const int64_t p = rings[r].p;
    CHECK_EQ(padic_num_ring_init(&ring, (uint64_t)p, rings[r].precision, NULL), PADIC_OK);
    for (int i = 0; i < MOST; i++) {
        n[i] = (int64_t)(test_random() % 2001) - 1000;
        do d[i] = (int64_t)(test_random() % 200) - 100;
        while (!d[i] || (model == PADIC_NUM_RING && d[i] % p == 0));
        if (i % 3 == 1) n[i] = n[i] / 7 * p;
    }
    CHECK_EQ(padic_num_from_fractions(context, &ring, model, n, d, MOST, &x), PADIC_OK);
    CHECK(x.count == MOST && x.model == model && x.ring == &ring);
    CHECK_EQ(num_check(context, &x, NULL), PADIC_OK);
    for (uint64_t i = 0; r < SHORT_RINGS && i < MOST; i++) CHECK(is_fraction(&x, i, n[i], d[i]));
    memset(n2, 0x55, sizeof n2);
    memset(d2, 0x55, sizeof d2);
    CHECK_EQ(padic_num_to_fractions(context, &x, n2, d2), PADIC_OK);
    for (int i = 0; i < MOST; i++) {
        const int64_t g = gcd(n[i], d[i] < 0 ? -d[i] : d[i]) * (d[i] < 0 ? -1 : 1);
        CHECK_EQ(n2[i], n[i] / g);
        CHECK_EQ(d2[i], d[i] / g);
    }
    padic_num_free(context, &x);
    CHECK(is_zero(&x, sizeof x));
    CHECK_EQ(padic_num_from_fractions(context, &ring, model, n, NULL, MOST, &x), PADIC_OK);
    for (uint64_t i = 0; r < SHORT_RINGS && i < MOST; i++) CHECK(is_fraction(&x, i, n[i], 1));
    CHECK_EQ(padic_num_to_fractions(context, &x, n2, d2), PADIC_OK);
    for (int i = 0; i < MOST; i++) CHECK(n2[i] == n[i] && d2[i] == 1);
    padic_num_free(context, &x);
    padic_num_free(context, &x); // again: nothing happens
}

TEST(fractions)
{
    heap h;
    padic_context *const context = heap_context(&h);
    const uint64_t blocks = h.blocks;
    for (size_t r = 0; r < RINGS; r++)
        for (int model = 0; model < 3; model++) {
            fractions_of(NULL, r, (padic_num_model)model);
            fractions_of(context, r, (padic_num_model)model);
        }
    CHECK_EQ(h.blocks, blocks);
    padic_context_destroy(context);
    CHECK(!h.blocks && !h.bytes && !h.wrong);
}

// Elements without a result, and without a fraction.
TEST(no_fraction)
{
    const int64_t n[4] = {1, 1, 7, -3}, d[4] = {2, 0, 10, 4};
    int64_t n2[4], d2[4];
    padic_num_array x;
    padic_num_ring ring;
    CHECK_EQ(padic_num_ring_init(&ring, 5, 20, NULL), PADIC_OK);
    CHECK_EQ(padic_num_from_fractions(NULL, &ring, PADIC_NUM_RING, n, d, 4, &x), PADIC_OK);
    CHECK_EQ(((uint8_t *)x.status.data)[0], 0);
    CHECK_EQ(((uint8_t *)x.status.data)[1], PADIC_NUM_DIV0);
    CHECK_EQ(((uint8_t *)x.status.data)[2], PADIC_NUM_NONUNIT);
    CHECK_EQ(padic_num_to_fractions(NULL, &x, n2, d2), PADIC_OK); // 0 is 0/1
    CHECK(n2[0] == 1 && d2[0] == 2 && !n2[1] && d2[1] == 1 && n2[3] == -3 && d2[3] == 4);
    padic_num_free(NULL, &x);
    CHECK_EQ(padic_num_from_fractions(NULL, &ring, PADIC_NUM_FLOAT, n, d, 4, &x), PADIC_OK);
    CHECK_EQ(padic_num_to_fractions(NULL, &x, n2, d2), PADIC_ERROR_DOMAIN); // 1/0
    CHECK(n2[0] == 1 && d2[0] == 2 && !n2[1] && !d2[1] && n2[2] == 7 && d2[2] == 10);
    CHECK(n2[3] == -3 && d2[3] == 4);
    padic_num_free(NULL, &x);
}

// ---- digits

static void digits_of(padic_context *context, size_t r, padic_num_model model)
{
    static uint64_t digits[MOST * 120];
    int64_t n[MOST], back[MOST], below[MOST];
    int32_t val[MOST];
    padic_num_array x;
    padic_num_ring ring;
    const uint32_t N = rings[r].precision;
    const int ball = model != PADIC_NUM_RING;
    CHECK_EQ(padic_num_ring_init(&ring, rings[r].p, N, NULL), PADIC_OK);
    for (int i = 0; i < MOST; i++) n[i] = (int64_t)(test_random() % 40000) - (i % 2 ? 20000 : 0);
    n[0] = 0;
    n[1] = -1;
    n[2] = (int64_t)rings[r].p;
    CHECK_EQ(padic_num_from_fractions(context, &ring, model, n, NULL, MOST, &x), PADIC_OK);
    memset(digits, 0x55, sizeof digits);
    CHECK_EQ(padic_num_to_digit_rows(context, &x, digits, ball ? val : NULL), PADIC_OK);
    for (int i = 0; i < MOST; i++) { // digit by digit: x = d + p y
        int64_t rest = n[i], p = rings[r].p;
        if (ball) CHECK_EQ(val[i], rest ? strip(&rest, p) : PADIC_NUM_ZERO);
        for (uint32_t k = 0; k < N; k++) {
            const int64_t digit = (rest % p + p) % p;
            CHECK_EQ(digits[(uint32_t)i * N + k], digit);
            rest = (rest - digit) / p;
        }
    }
    padic_num_free(context, &x);
    CHECK_EQ(padic_num_from_digit_rows(context, &ring, model, digits, ball ? val : NULL, MOST, &x),
             PADIC_OK);
    CHECK_EQ(num_check(context, &x, NULL), PADIC_OK);
    CHECK_EQ(padic_num_to_fractions(context, &x, back, below), PADIC_OK);
    for (int i = 0; i < MOST; i++) CHECK(back[i] == n[i] && below[i] == 1);
    padic_num_free(context, &x);
    // without valuations: the units
    digits[1] = rings[r].p; // none: OUTSIDE, and 0 or NaN
    CHECK_EQ(padic_num_from_digit_rows(context, &ring, model, digits, NULL, 3, &x), PADIC_OK);
    CHECK_EQ(((uint8_t *)x.status.data)[0], PADIC_NUM_OUTSIDE);
    if (ball) {
        CHECK_EQ(padic_num_to_fractions(context, &x, back, below), PADIC_ERROR_DOMAIN);
        CHECK(back[2] == 1 && below[2] == 1); // p without its valuation
    }
    padic_num_free(context, &x);
}

TEST(digits)
{
    heap h;
    padic_context *const context = heap_context(&h);
    for (size_t r = 0; r < RINGS; r++)
        for (int model = 0; model < 3; model++) {
            digits_of(NULL, r, (padic_num_model)model);
            digits_of(context, r, (padic_num_model)model);
        }
    padic_context_destroy(context);
    CHECK(!h.blocks && !h.bytes && !h.wrong);
}

// ---- text

static void text_is(padic_context *context, const padic_num_array *x, padic_num_text style,
                    const char *want)
{
    padic_bytes text;
    CHECK_EQ(padic_num_to_text(context, x, style, &text), PADIC_OK);
    CHECK(text.data && text.size == strlen(want) && !strcmp((const char *)text.data, want));
    padic_num_free_text(context, &text);
    CHECK(is_zero(&text, sizeof text));
    padic_num_free_text(context, &text); // again: nothing happens
}

static void texts_of(padic_context *context)
{
    padic_num_array x;
    padic_num_ring ring;
    CHECK_EQ(padic_num_ring_init(&ring, 5, 3, NULL), PADIC_OK);
    // 1/3 = 42 mod 125; -7/2: 2 59 = 118 = -7 mod 125; 1/5 has none
    CHECK_EQ(padic_num_from_text(context, &ring, PADIC_NUM_RING, "1/3\n-7/2\n0\n1/5", &x),
             PADIC_OK);
    CHECK_EQ(x.count, 4);
    CHECK_EQ(((uint8_t *)x.status.data)[3], PADIC_NUM_NONUNIT);
    text_is(context, &x, PADIC_NUM_TEXT_VALUE, "42 mod 5^3\n59 mod 5^3\n0 mod 5^3\n0 mod 5^3\n");
    text_is(context, &x, PADIC_NUM_TEXT_DIGITS,
            "...1 3 2 (5)\n...2 1 4 (5)\n...0 0 0 (5)\n...0 0 0 (5)\n");
    padic_num_free(context, &x);
    CHECK_EQ(padic_num_from_text(context, &ring, PADIC_NUM_FLOAT, "2/15\n1/0\n1e2\n", &x),
             PADIC_OK);
    CHECK_EQ(x.count, 3); // 2/3 = 84 mod 125
    text_is(context, &x, PADIC_NUM_TEXT_VALUE, "84 * 5^-1\nnan(DIV0)\n4 * 5^2\n");
    padic_num_free(context, &x);
    CHECK_EQ(padic_num_from_text(context, &ring, PADIC_NUM_BALL, "7 + O(5^2)\n", &x), PADIC_OK);
    text_is(context, &x, PADIC_NUM_TEXT_VALUE, "7 + O(5^2)\n");
    padic_num_free(context, &x);
    CHECK_EQ(padic_num_from_text(context, &ring, PADIC_NUM_FLOAT, "", &x), PADIC_OK);
    CHECK_EQ(x.count, 0);
    text_is(context, &x, PADIC_NUM_TEXT_VALUE, "");
    padic_num_free(context, &x);
}

TEST(text)
{
    heap h;
    padic_context *const context = heap_context(&h);
    const uint64_t blocks = h.blocks;
    padic_num_array x;
    padic_num_ring ring;
    texts_of(NULL);
    texts_of(context);
    CHECK_EQ(padic_num_ring_init(&ring, 5, 3, NULL), PADIC_OK);
    CHECK_EQ(padic_num_from_text(context, &ring, PADIC_NUM_RING, "1\n\n2\n", &x),
             PADIC_ERROR_CORRUPT);
    CHECK(is_zero(&x, sizeof x));
    CHECK(strstr(padic_context_message(context), "num_from_text: text, line 2, after byte 0"));
    CHECK_EQ(padic_num_from_text(context, &ring, PADIC_NUM_RING, "1\n2\n3 mod 7^3", &x),
             PADIC_ERROR_DOMAIN);
    CHECK(strstr(padic_context_message(context), "num_from_text: text, line 3, after byte 6"));
    CHECK_EQ(padic_num_from_text(context, &ring, PADIC_NUM_RING, "12x", &x), PADIC_ERROR_CORRUPT);
    CHECK(strstr(padic_context_message(context), "line 1, after byte 2"));
    CHECK_EQ(h.blocks, blocks);
    padic_context_destroy(context);
    CHECK(!h.blocks && !h.bytes && !h.wrong);
}

// Every ring and model, bit for bit, with more digits than a line of a terminal.
TEST(text_round_trip)
{
    for (size_t r = 0; r < RINGS; r++)
        for (int model = 0; model < 3; model++)
            for (int style = 0; style < 2; style++) {
                padic_num_ring ring;
                padic_num_array x, y;
                padic_num_random_desc random = PADIC_ZERO;
                padic_bytes text;
                uint8_t one[8192], two[8192];
                size_t size = 0, size2 = 0;
                CHECK_EQ(padic_num_ring_init(&ring, rings[r].p, rings[r].precision, NULL),
                         PADIC_OK);
                CHECK_EQ(padic_num_new(NULL, &ring, (padic_num_model)model, MOST, &x), PADIC_OK);
                CHECK_EQ(num_check(NULL, &x, NULL), PADIC_OK); // zeros
                random.out = x;
                random.seed = test_random();
                CHECK_EQ(padic_num_random(NULL, &random), PADIC_OK);
                CHECK_EQ(padic_num_to_text(NULL, &x, (padic_num_text)style, &text), PADIC_OK);
                CHECK_EQ(padic_num_from_text(NULL, &ring, (padic_num_model)model,
                                             (const char *)text.data, &y),
                         PADIC_OK);
                CHECK_EQ(num_write(NULL, &x, one, sizeof one, &size), PADIC_OK);
                CHECK_EQ(num_write(NULL, &y, two, sizeof two, &size2), PADIC_OK);
                CHECK(size == size2 && !memcmp(one, two, size));
                padic_num_free(NULL, &x);
                padic_num_free(NULL, &y);
                padic_num_free_text(NULL, &text);
            }
}

// ---- memory

// One of the functions that allocate; what it made is given back.
static padic_result make_one(padic_context *context, int which, const padic_num_ring *ring)
{
    const int64_t n[3] = {1, 2, 3}, d[3] = {7, 8, 9};
    uint64_t digits[3 * 120] = {0};
    padic_num_array x;
    padic_bytes text;
    padic_result result;
    memset(&x, 0x5a, sizeof x);
    memset(&text, 0x5a, sizeof text);
    result = which == 0   ? padic_num_new(context, ring, PADIC_NUM_BALL, 3, &x)
             : which == 2 ? padic_num_from_digit_rows(context, ring, PADIC_NUM_FLOAT, digits, NULL,
                                                      3, &x)
             : which == 3 ? padic_num_from_text(context, ring, PADIC_NUM_FLOAT, "1\n2\n3", &x)
                          : padic_num_from_fractions(context, ring, PADIC_NUM_FLOAT, n, d, 3, &x);
    if (result) {
        CHECK(is_zero(&x, sizeof x));
        return result;
    }
    CHECK_EQ(x.count, 3);
    if (which == 4) {
        result = padic_num_to_text(context, &x, PADIC_NUM_TEXT_DIGITS, &text);
        if (result) CHECK(is_zero(&text, sizeof text));
        padic_num_free_text(context, &text);
    }
    padic_num_free(context, &x);
    return result;
}

TEST(no_memory)
{
    heap h;
    padic_context *const context = heap_context(&h);
    const uint64_t blocks = h.blocks, bytes = h.bytes;
    for (size_t r = 0; r < RINGS; r += RINGS - 1)
        for (int which = 0; which < 5; which++) {
            padic_num_ring ring;
            uint64_t fail, failed = 0;
            padic_result result = PADIC_ERROR_MEMORY;
            CHECK_EQ(padic_num_ring_init(&ring, rings[r].p, rings[r].precision, NULL), PADIC_OK);
            for (fail = 1; result && fail < 20; fail++) {
                h.fail_at = h.calls + fail;
                result = make_one(context, which, &ring);
                if (result) {
                    CHECK_EQ(result, PADIC_ERROR_MEMORY);
                    CHECK(strstr(padic_context_message(context), "no memory"));
                    failed++;
                }
                CHECK(h.blocks == blocks && h.bytes == bytes && !h.wrong);
            }
            CHECK_EQ(result, PADIC_OK);
            CHECK_EQ(failed, which == 4 ? 2 : 1);
        }
    h.fail_at = 0;
    padic_context_destroy(context);
    CHECK(!h.blocks && !h.bytes && !h.wrong);
}

// ---- refusals

TEST(refusals)
{
    heap h;
    padic_context *const context = heap_context(&h);
    const uint64_t blocks = h.blocks;
    int64_t n[2] = {1, 2};
    uint64_t digits[2 * 20] = {0};
    int32_t val[2] = {0, 1};
    padic_num_ring ring, none = PADIC_ZERO, ten;
    padic_num_array x;
    padic_bytes text;
    CHECK_EQ(padic_num_ring_init(&ring, 5, 20, NULL), PADIC_OK);
    CHECK_EQ(padic_num_ring_init_radix(&ten, 10, 20, NULL), PADIC_OK);
#define NO(call, code) \
    memset(&x, 0x5a, sizeof x); \
    CHECK_EQ(call, code); \
    CHECK(is_zero(&x, sizeof x))
    NO(padic_num_new(context, NULL, PADIC_NUM_RING, 1, &x), PADIC_ERROR_ARGUMENT);
    NO(padic_num_new(context, &none, PADIC_NUM_RING, 1, &x), PADIC_ERROR_ARGUMENT);
    NO(padic_num_new(context, &ring, (padic_num_model)3, 1, &x), PADIC_ERROR_ARGUMENT);
    NO(padic_num_new(context, &ring, PADIC_NUM_RING, UINT64_C(1) << 62, &x), PADIC_ERROR_LIMIT);
    NO(padic_num_from_fractions(context, &ring, PADIC_NUM_RING, NULL, NULL, 2, &x),
       PADIC_ERROR_ARGUMENT);
    NO(padic_num_from_fractions(context, &ring, PADIC_NUM_RING, NULL, n, 2, &x),
       PADIC_ERROR_ARGUMENT);
    NO(padic_num_from_fractions(context, &ten, PADIC_NUM_RING, n, n, 2, &x),
       PADIC_ERROR_NOT_SUPPORTED);
    NO(padic_num_from_digit_rows(context, &ring, PADIC_NUM_RING, digits, val, 2, &x),
       PADIC_ERROR_ARGUMENT);
    NO(padic_num_from_digit_rows(context, &ring, PADIC_NUM_FLOAT, NULL, val, 2, &x),
       PADIC_ERROR_ARGUMENT);
    NO(padic_num_from_text(context, &ring, PADIC_NUM_FLOAT, NULL, &x), PADIC_ERROR_ARGUMENT);
    NO(padic_num_from_text(context, &none, PADIC_NUM_FLOAT, "1", &x), PADIC_ERROR_ARGUMENT);
#undef NO
    CHECK_EQ(padic_num_new(context, &ring, PADIC_NUM_RING, 1, NULL), PADIC_ERROR_ARGUMENT);
    CHECK_EQ(padic_num_from_fractions(context, &ring, PADIC_NUM_RING, n, n, 2, NULL),
             PADIC_ERROR_ARGUMENT);
    CHECK_EQ(padic_num_from_text(context, &ring, PADIC_NUM_RING, "1", NULL), PADIC_ERROR_ARGUMENT);
    CHECK_EQ(padic_num_to_fractions(context, NULL, n, n), PADIC_ERROR_ARGUMENT);
    CHECK_EQ(padic_num_to_digit_rows(context, NULL, digits, NULL), PADIC_ERROR_ARGUMENT);
    CHECK_EQ(padic_num_from_fractions(context, &ring, PADIC_NUM_RING, n, NULL, 2, &x), PADIC_OK);
    CHECK_EQ(padic_num_to_fractions(context, &x, NULL, n), PADIC_ERROR_ARGUMENT);
    CHECK_EQ(padic_num_to_fractions(context, &x, n, NULL), PADIC_ERROR_ARGUMENT);
    CHECK_EQ(padic_num_to_fractions(context, &x, n, n), PADIC_ERROR_OVERLAP);
    CHECK_EQ(padic_num_to_digit_rows(context, &x, NULL, NULL), PADIC_ERROR_ARGUMENT);
    CHECK_EQ(padic_num_to_digit_rows(context, &x, digits, val), PADIC_ERROR_ARGUMENT);
    CHECK_EQ(padic_num_to_text(context, &x, (padic_num_text)2, &text), PADIC_ERROR_ARGUMENT);
    CHECK(is_zero(&text, sizeof text));
    CHECK(strstr(padic_context_message(context), "num_print: style"));
    CHECK_EQ(padic_num_to_text(context, &x, PADIC_NUM_TEXT_VALUE, NULL), PADIC_ERROR_ARGUMENT);
    CHECK_EQ(padic_num_to_text(context, NULL, PADIC_NUM_TEXT_VALUE, &text), PADIC_ERROR_ARGUMENT);
    {
        const padic_num_array empty = PADIC_ZERO;
        CHECK_EQ(padic_num_to_text(context, &empty, PADIC_NUM_TEXT_VALUE, &text),
                 PADIC_ERROR_ARGUMENT);
        CHECK_EQ(padic_num_to_fractions(context, &empty, n, n), PADIC_ERROR_ARGUMENT);
    }
    padic_num_free(context, &x);
    CHECK_EQ(padic_num_from_text(context, &ten, PADIC_NUM_RING, "12\n34", &x), PADIC_OK);
    text_is(context, &x, PADIC_NUM_TEXT_VALUE, "12 mod 10^20\n34 mod 10^20\n");
    padic_num_free(context, &x);
    padic_num_free(context, NULL);
    padic_num_free_text(context, NULL);
    CHECK_EQ(h.blocks, blocks);
    padic_context_destroy(context);
    CHECK(!h.blocks && !h.bytes && !h.wrong);
}

// ---- arrays and bytes in buffers, where calls want host memory

// Text and bytes of an array in `context`, whose buffers lie in host memory or on a device.
static void in_buffers(padic_context *context, int host)
{
    const padic_result want = host ? PADIC_OK : PADIC_ERROR_NOT_SUPPORTED;
    padic_buffer_desc made = PADIC_ZERO;
    padic_buffer buffer;
    padic_num_ring ring;
    padic_num_array x, here, y = PADIC_ZERO;
    padic_num_value value = PADIC_ZERO;
    padic_num_parse_desc parse = PADIC_ZERO;
    padic_num_print_desc print = PADIC_ZERO;
    padic_num_write_desc write = PADIC_ZERO;
    padic_num_read_desc read = PADIC_ZERO;
    padic_num_info_desc info = PADIC_ZERO;
    padic_num_report head;
    padic_num_print_report printed;
    padic_num_write_report written = PADIC_ZERO;
    padic_bytes all;
    uint8_t stream[256];
    char text[64];
    made.size = 4096;
    CHECK_EQ(padic_num_ring_init(&ring, 5, 20, NULL), PADIC_OK);
    CHECK_EQ(padic_buffer_create(context, &made, &buffer), PADIC_OK);
    CHECK_EQ(padic_num_place_buffer(&x, &ring, PADIC_NUM_RING, 2, buffer, 0), PADIC_OK);
    CHECK_EQ(padic_buffer_fill(context, buffer, 0, 0, 4096), PADIC_OK);
    CHECK_EQ(padic_num_get(&x, 0, &value), PADIC_ERROR_NOT_SUPPORTED);
    CHECK_EQ(padic_num_set(&x, 0, &value), PADIC_ERROR_NOT_SUPPORTED);
    CHECK_EQ(padic_num_get(&x, 2, &value), PADIC_ERROR_REGION);
    parse.out = x;
    parse.index = 1;
    parse.text = padic_bytes_in("1/2", 3);
    CHECK_EQ(padic_num_parse(context, &parse), want);
    CHECK_EQ(padic_num_parse(NULL, &parse), PADIC_ERROR_ARGUMENT);
    print.in = x;
    print.index = 1;
    print.out = padic_bytes_out(text, sizeof text);
    print.report = &printed;
    CHECK_EQ(padic_num_print(context, &print), want);
    if (host) // 2 47683715820313 = 1 mod 5^20
        CHECK(!strcmp(text, "47683715820313 mod 5^20") && printed.size == strlen(text));
    CHECK_EQ(padic_num_print(NULL, &print), PADIC_ERROR_ARGUMENT);
    CHECK_EQ(padic_num_to_text(context, &x, PADIC_NUM_TEXT_VALUE, &all), want);
    if (host) CHECK(!strcmp((char *)all.data, "0 mod 5^20\n47683715820313 mod 5^20\n"));
    padic_num_free_text(context, &all);
    CHECK_EQ(num_check(context, &x, NULL), want);
    write.in = x;
    write.out = padic_bytes_out(stream, sizeof stream);
    write.report = &written;
    CHECK_EQ(padic_num_write(context, &write), want);
    CHECK_EQ(padic_num_write(NULL, &write), PADIC_ERROR_ARGUMENT);
    // the bytes in a buffer, the numbers in host memory
    CHECK_EQ(padic_num_new(NULL, &ring, PADIC_NUM_RING, 2, &here), PADIC_OK);
    write.in = here;
    CHECK_EQ(padic_num_write(NULL, &write), PADIC_OK);
    CHECK_EQ(padic_buffer_upload(context, buffer, 1000, stream, written.size), PADIC_OK);
    read.out = here;
    read.bytes.buffer = buffer;
    read.bytes.offset = 1000;
    read.bytes.size = written.size;
    CHECK_EQ(padic_num_read(context, &read), want);
    CHECK_EQ(padic_num_read(NULL, &read), PADIC_ERROR_ARGUMENT);
    info.bytes = read.bytes;
    info.report = &head;
    CHECK_EQ(padic_num_info(context, &info), want);
    if (host) CHECK(head.p == 5 && head.precision == 20 && head.count == 2 && !head.model);
    if (!host) CHECK(is_zero(&head, sizeof head));
    read.bytes.offset = 4096 - written.size + 1;
    CHECK_EQ(padic_num_read(context, &read), PADIC_ERROR_REGION);
    read.bytes = padic_bytes_in(NULL, written.size);
    CHECK_EQ(padic_num_read(context, &read), PADIC_ERROR_ARGUMENT);
    CHECK(strstr(padic_context_message(context), "num_read: bytes has neither data nor a buffer"));
    read.bytes = padic_bytes_in(stream, written.size);
    read.out = y; // no ring
    CHECK_EQ(padic_num_read(context, &read), PADIC_ERROR_ARGUMENT);
    padic_num_free(NULL, &here);
    CHECK_EQ(padic_buffer_destroy(context, buffer), PADIC_OK);
}

TEST(buffers)
{
    padic_context_desc desc = PADIC_ZERO;
    padic_context *context = NULL;
    CHECK_EQ(padic_context_create(NULL, &context), PADIC_OK);
    in_buffers(context, 1);
    padic_context_destroy(context);
    desc.backends[0] = padic_null();
    CHECK_EQ(padic_context_create(&desc, &context), PADIC_OK);
    in_buffers(context, 0);
    padic_context_destroy(context);
}

// PRIME for what is no prime, LIMIT for a prime that is too large, wherever there is a limit.
TEST(prime_or_limit)
{
    padic_num_ring ring;
    CHECK_EQ(padic_num_ring_init(&ring, 65539, 3, NULL), PADIC_OK);
    CHECK_EQ(padic_num_ring_init(&ring, 65541, 3, NULL), PADIC_ERROR_PRIME); // 3 7 3121
    CHECK_EQ(padic_num_ring_init(&ring, UINT64_C(9223372036854775837), 1, NULL),
             PADIC_ERROR_LIMIT); // 2^63 + 29 is a prime
    CHECK_EQ(padic_num_ring_init(&ring, UINT64_C(9223372036854775839), 1, NULL),
             PADIC_ERROR_PRIME); // 3 divides it
    CHECK_EQ(padic_num_ring_init(&ring, UINT64_C(562949953421381), 2, NULL),
             PADIC_OK); // 2^49 + 69 is a prime, its square below 2^127
    CHECK_EQ(padic_num_ring_init(&ring, UINT64_C(562949953421381), 3, NULL), PADIC_OK);
    CHECK_EQ(padic_num_ring_init(&ring, UINT64_C(562949953421381), 65536, NULL),
             PADIC_ERROR_PRECISION);
    CHECK(is_zero(&ring, sizeof ring));
}

// -2^63 and -2^63 / 3, where the factor 2^63 is apart from the unit and where it is not.
TEST(least_integer)
{
    static const uint32_t precisions[] = {12, 33, 62, 63, 64, 100, 200};
    for (size_t k = 0; k < sizeof precisions / sizeof *precisions; k++)
        for (int model = PADIC_NUM_RING; model <= PADIC_NUM_BALL; model++)
            for (uint64_t count = 1; count <= 33; count += 32) {
                int64_t n[33], d[33], above[33], below[33];
                padic_num_array x;
                padic_num_ring ring;
                if (model == PADIC_NUM_RING && precisions[k] < 200) continue; // beyond the bounds
                for (uint64_t i = 0; i < count; i++) {
                    n[i] = INT64_MIN;
                    d[i] = i % 2 ? 3 : 1;
                }
                CHECK_EQ(padic_num_ring_init(&ring, 2, precisions[k], NULL), PADIC_OK);
                CHECK_EQ(padic_num_from_fractions(NULL, &ring, (padic_num_model)model, n, d, count,
                                                  &x), PADIC_OK);
                CHECK_EQ(padic_num_to_fractions(NULL, &x, above, below), PADIC_OK);
                CHECK(!memcmp(above, n, count * 8) && !memcmp(below, d, count * 8));
                padic_num_free(NULL, &x);
                for (uint64_t i = 0; i < count; i++) { // 2^63 is no I64
                    n[i] = INT64_C(1) << 62;
                    d[i] = 1;
                }
                CHECK_EQ(padic_num_from_fractions(NULL, &ring, (padic_num_model)model, n, d, count,
                                                  &x), PADIC_OK);
                CHECK_EQ(padic_num_shift(NULL, &x, &x, 1), PADIC_OK);
                CHECK_EQ(padic_num_to_fractions(NULL, &x, above, below), PADIC_ERROR_DOMAIN);
                CHECK(is_zero(above, count * 8) && is_zero(below, count * 8));
                padic_num_free(NULL, &x);
            }
}

// Bytes and text that lie over the planes, which stay as they are.
TEST(bytes_apart)
{
    static uint64_t memory[256], before[256], stream[64];
    for (int model = PADIC_NUM_RING; model <= PADIC_NUM_BALL; model++) {
        padic_num_ring ring;
        padic_num_array x;
        padic_num_write_report report;
        padic_num_write_desc write = PADIC_ZERO;
        padic_num_read_desc read = PADIC_ZERO;
        padic_num_print_desc print = PADIC_ZERO;
        char *planes[3];
        CHECK_EQ(padic_num_ring_init(&ring, 5, 10, NULL), PADIC_OK);
        CHECK_EQ(padic_num_place(&x, &ring, (padic_num_model)model, 16, memory, sizeof memory),
                 PADIC_OK);
        memset(memory, 0, sizeof memory);
        for (uint32_t i = 0; i < 16; i++) {
            padic_num_value one = {0, 10, {1, 0}};
            one.u[0] += i - i / 4;
            if (one.u[0] % 5 == 0) one.u[0]++;
            CHECK_EQ(padic_num_set(&x, i, &one), PADIC_OK);
        }
        write.in = print.in = read.out = x;
        write.report = &report;
        write.out = padic_bytes_out(stream, sizeof stream);
        CHECK_EQ(padic_num_write(NULL, &write), PADIC_OK);
        planes[0] = (char *)x.unit.data;
        planes[1] = (char *)(x.val.data ? x.val.data : x.unit.data);
        planes[2] = (char *)(x.known.data ? x.known.data : x.unit.data);
        for (int j = 0; j < 3; j++) {
            memcpy(before, memory, sizeof memory);
            write.out = padic_bytes_out(planes[j], report.size);
            CHECK_EQ(padic_num_write(NULL, &write), PADIC_ERROR_OVERLAP);
            CHECK(!memcmp(memory, before, sizeof memory));
            print.out = padic_bytes_out(planes[j], 64);
            CHECK_EQ(padic_num_print(NULL, &print), PADIC_ERROR_OVERLAP);
            CHECK(!memcmp(memory, before, sizeof memory));
        }
        memcpy(planes[0] + 16, stream, (size_t)report.size);
        memcpy(before, memory, sizeof memory);
        read.bytes = padic_bytes_in(planes[0] + 16, report.size);
        CHECK_EQ(padic_num_read(NULL, &read), PADIC_ERROR_OVERLAP);
        CHECK(!memcmp(memory, before, sizeof memory));
    }
}

TEST(valuation_apart)
{
    static int32_t memory[80], before[80];
    padic_num_ring ring;
    padic_num_valuation_of_desc d = PADIC_ZERO;
    CHECK_EQ(padic_num_ring_init(&ring, 5, 10, NULL), PADIC_OK);
    memset(memory, 5, sizeof memory);
    memcpy(before, memory, sizeof memory);
    d.ring = &ring;
    d.numerator = padic_tensor_1d(PADIC_I8, memory, 64);
    d.out = padic_tensor_1d(PADIC_I32, memory, 64);
    CHECK_EQ(padic_num_valuation_of(NULL, &d), PADIC_ERROR_OVERLAP);
    d.numerator = padic_tensor_1d(PADIC_I32, memory + 1, 64);
    CHECK_EQ(padic_num_valuation_of(NULL, &d), PADIC_ERROR_OVERLAP);
    d.denominator = padic_tensor_1d(PADIC_I8, memory + 63, 64);
    d.numerator = padic_tensor_1d(PADIC_I32, memory, 64);
    CHECK_EQ(padic_num_valuation_of(NULL, &d), PADIC_ERROR_OVERLAP);
    CHECK(!memcmp(memory, before, sizeof memory));
    memset(&d.denominator, 0, sizeof d.denominator);
    CHECK_EQ(padic_num_valuation_of(NULL, &d), PADIC_OK); // in place
    for (int i = 0; i < 64; i++) CHECK_EQ(memory[i], 1);
}

TEST_MAIN("num_short", CASE(fractions), CASE(no_fraction), CASE(digits), CASE(text),
          CASE(text_round_trip), CASE(no_memory), CASE(refusals), CASE(buffers),
          CASE(prime_or_limit), CASE(least_integer), CASE(bytes_apart),
          CASE(valuation_apart))
