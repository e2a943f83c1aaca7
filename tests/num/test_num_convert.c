// test_num_convert.c: integers, fractions, floats, digits, text, bytes and random numbers to p-adic
// numbers and back. What is expected comes from published digits, from plain integer arithmetic
// modulo P < 2^31, and from bits that must come back.
#define PADIC_IMPLEMENTATION
#include "../../padic.h"
#include "../support/padic_test.h"
#include "../support/num_calls.h"

#define MOST 256

static uint64_t memory[4][60000];

// The same prime and precision in every form that holds it.
static const struct {
    uint64_t p;
    uint32_t precision;
} ring_list[] = {{2, 1},    {2, 20},   {2, 33},    {2, 64},         {2, 100},
                 {2, 300},  {3, 1},    {3, 20},    {3, 30},         {3, 35},
                 {5, 27},   {5, 50},   {7, 22},    {257, 6},        {257, 7},
                 {257, 15}, {257, 40}, {65537, 3}, {2147483647, 2}, {2305843009213693951, 2}};
#define RINGS ((int)(sizeof ring_list / sizeof *ring_list))

static int make_ring(padic_num_ring *ring, int k, int form)
{
    padic_num_ring_options options = PADIC_ZERO;
    options.form = form > 6 ? PADIC_NUM_RX : (padic_num_form)form;
    options.limb32 = form > 6;
    return padic_num_ring_init(ring, ring_list[k].p, ring_list[k].precision, &options) == PADIC_OK;
}

// P of a ring with less than 31 bits; the ring's own field is for one and two words.
static int64_t modulus(const padic_num_ring *ring)
{
    int64_t P = 1;
    for (uint32_t k = 0; k < ring->precision; k++) P *= (int64_t)ring->p;
    return P;
}

static padic_num_array place(int slot, const padic_num_ring *ring, padic_num_model model,
                             uint64_t n)
{
    padic_num_array a;
    memset(&a, 0, sizeof a);
    CHECK(padic_num_place(&a, ring, model, n, memory[slot], sizeof memory[slot]) == PADIC_OK);
    return a;
}

static padic_num_array numbers(int slot, const padic_num_ring *ring, padic_num_model model,
                               uint64_t n, uint64_t seed)
{
    padic_num_random_desc d = PADIC_ZERO;
    d.out = place(slot, ring, model, n);
    d.seed = seed;
    CHECK(padic_num_random(NULL, &d) == PADIC_OK);
    return d.out;
}

// Are the numbers of two arrays the same? Printed, so that forms do not matter.
static int same(const padic_num_array *a, const padic_num_array *b)
{
    static char one[40000], two[40000];
    for (uint64_t i = 0; i < a->count; i++) {
        if (num_print(a, i, PADIC_NUM_TEXT_VALUE, one, sizeof one, NULL) != PADIC_OK ||
            num_print(b, i, PADIC_NUM_TEXT_VALUE, two, sizeof two, NULL) != PADIC_OK ||
            strcmp(one, two) != 0)
            return 0;
    }
    return a->count == b->count;
}

static int is_text(const padic_num_array *a, uint64_t i, padic_num_text style, const char *want)
{
    char text[4000];
    size_t size;
    if (num_print(a, i, style, text, sizeof text, &size) != PADIC_OK || size != strlen(want) ||
        strcmp(text, want) != 0) {
        printf("    %s, not %s\n", text, want);
        return 0;
    }
    return 1;
}

static padic_result from_int(padic_num_array out, padic_dtype dtype, void *x)
{
    padic_num_from_int_desc d = PADIC_ZERO;
    d.out = out;
    d.in = padic_tensor_1d(dtype, x, out.count);
    return padic_num_from_int(NULL, &d);
}

static padic_result to_int(padic_num_array in, padic_dtype dtype, void *x, int balanced,
                           void *status)
{
    padic_num_to_int_desc d = PADIC_ZERO;
    d.in = in;
    d.out = padic_tensor_1d(dtype, x, in.count);
    d.mode = balanced ? PADIC_NUM_INT_BALANCED : PADIC_NUM_INT_LEAST;
    if (status) d.status = padic_tensor_1d(PADIC_U8, status, in.count);
    return padic_num_to_int(NULL, &d);
}

static padic_result from_rational(padic_num_array out, int64_t *n, int64_t *d)
{
    padic_num_from_rational_desc desc = PADIC_ZERO;
    desc.out = out;
    desc.numerator = padic_tensor_1d(PADIC_I64, n, out.count);
    desc.denominator = padic_tensor_1d(PADIC_I64, d, out.count);
    return padic_num_from_rational(NULL, &desc);
}

static padic_result to_digits(padic_num_array in, padic_dtype dtype, void *digits,
                              padic_num_digit_kind kind, padic_num_layout layout, int32_t *val,
                              uint16_t *known)
{
    padic_num_to_digits_desc d = PADIC_ZERO;
    const uint64_t n = in.ring->precision;
    static uint32_t sticky;
    d.in = in;
    d.digits = layout == PADIC_NUM_LAYOUT_PLANES ? padic_tensor_2d(dtype, digits, n, in.count)
                                                 : padic_tensor_2d(dtype, digits, in.count, n);
    d.kind = kind;
    d.layout = layout;
    if (val) d.val = padic_tensor_1d(PADIC_I32, val, in.count);
    if (known) d.known = padic_tensor_1d(PADIC_U16, known, in.count);
    d.sticky = &sticky;
    return padic_num_to_digits(NULL, &d);
}

static padic_result from_digits(padic_num_array out, padic_dtype dtype, void *digits,
                                padic_num_digit_kind kind, padic_num_layout layout, int32_t *val,
                                uint16_t *known)
{
    padic_num_from_digits_desc d = PADIC_ZERO;
    const uint64_t n = out.ring->precision;
    d.out = out;
    d.digits = layout == PADIC_NUM_LAYOUT_PLANES ? padic_tensor_2d(dtype, digits, n, out.count)
                                                 : padic_tensor_2d(dtype, digits, out.count, n);
    d.kind = kind;
    d.layout = layout;
    if (val) d.val = padic_tensor_1d(PADIC_I32, val, out.count);
    if (known) d.known = padic_tensor_1d(PADIC_U16, known, out.count);
    return padic_num_from_digits(NULL, &d);
}

static padic_result from_float(padic_num_array out, padic_dtype dtype, void *x,
                               padic_num_float_mode mode, int32_t scale, int16_t *exponent)
{
    padic_num_from_float_desc d = PADIC_ZERO;
    d.out = out;
    d.in = padic_tensor_1d(dtype, x, out.count);
    d.mode = mode;
    d.scale = scale;
    if (exponent) d.exponent = padic_tensor_1d(PADIC_I16, exponent, out.count);
    return padic_num_from_float(NULL, &d);
}

static padic_result to_float(padic_num_array in, padic_dtype dtype, void *x,
                             padic_num_float_mode mode, int32_t scale, int16_t *exponent,
                             uint8_t *status)
{
    padic_num_to_float_desc d = PADIC_ZERO;
    d.in = in;
    d.out = padic_tensor_1d(dtype, x, in.count);
    d.mode = mode;
    d.scale = scale;
    if (exponent) d.exponent = padic_tensor_1d(PADIC_I16, exponent, in.count);
    if (status) d.status = padic_tensor_1d(PADIC_U8, status, in.count);
    return padic_num_to_float(NULL, &d);
}

// ---- digits that are published or follow from a geometric series

static void digits_are(uint64_t p, int64_t n, int64_t d, padic_num_digit_kind kind,
                       const char *want)
{
    padic_num_ring ring;
    int32_t digits[40];
    char text[400] = "";
    CHECK(padic_num_ring_init(&ring, p, 12, NULL) == PADIC_OK);
    padic_num_array a = place(0, &ring, PADIC_NUM_RING, 1);
    CHECK(from_rational(a, &n, &d) == PADIC_OK);
    CHECK(to_digits(a, kind == PADIC_NUM_DIGITS_BALANCED ? PADIC_I32 : PADIC_U32, digits, kind,
                    PADIC_NUM_LAYOUT_PLANES, NULL, NULL) == PADIC_OK);
    for (int k = 0; k < 12 && strlen(text) < strlen(want); k++)
        snprintf(text + strlen(text), 20, k ? ",%d" : "%d", (int)digits[k]);
    if (strcmp(text, want) != 0) printf("    %d/%d: %s, not %s\n", (int)n, (int)d, text, want);
    CHECK(!strcmp(text, want));
}

TEST(published)
{
    digits_are(5, -1, 1, PADIC_NUM_DIGITS_STANDARD, "4,4,4,4,4,4,4,4,4,4,4,4");
    digits_are(257, -1, 1, PADIC_NUM_DIGITS_STANDARD,
               "256,256,256,256,256,256,256,256,256,256,256,256");
    digits_are(7, 1, -6, PADIC_NUM_DIGITS_STANDARD, "1,1,1,1,1,1,1,1,1,1,1,1");
    digits_are(5, 1, 2, PADIC_NUM_DIGITS_STANDARD, "3,2,2,2,2,2,2,2,2,2,2,2");
    digits_are(5, -1, 2, PADIC_NUM_DIGITS_STANDARD, "2,2,2,2,2,2,2,2,2,2,2,2");
    digits_are(5, 1, 3, PADIC_NUM_DIGITS_STANDARD, "2,3,1,3,1,3,1,3,1,3,1,3");
    digits_are(5, 22, 7, PADIC_NUM_DIGITS_STANDARD, "1,4,0,2,1,4,2,3");
    digits_are(5, 1, 2, PADIC_NUM_DIGITS_BALANCED, "-2,-2,-2,-2,-2,-2,-2,-2,-2,-2,-2,-2");
    digits_are(5, 1, 2, PADIC_NUM_DIGITS_TEICHMUELLER, "3,4,0,4,1,2");
    digits_are(5, 7, 1, PADIC_NUM_DIGITS_TEICHMUELLER, "2,0,3,0,4,2");
    // A tail with the period D of length L is minus D / (p^L - 1), and not plus: -1/2 from
    // 2,2,2..., 1/2 from 3,2,2..., 1/3 from 2,(3,1)...: 2 - 5 (3 + 5) / 24.
    digits_are(5, -2, 4, PADIC_NUM_DIGITS_STANDARD, "2,2,2,2,2,2,2,2,2,2,2,2");
    digits_are(5, 3 * 4 - 2 * 5, 4, PADIC_NUM_DIGITS_STANDARD, "3,2,2,2,2,2,2,2,2,2,2,2");
    digits_are(5, 2 * 24 - 5 * 8, 24, PADIC_NUM_DIGITS_STANDARD, "2,3,1,3,1,3,1,3,1,3,1,3");
}

TEST(published_residues)
{
    padic_num_ring ring, q2;
    int64_t n[2] = {22, -355}, d[2] = {7, 113};
    double tenth = 0.1;
    float tenth32 = 0.1f;
    CHECK(padic_num_ring_init(&ring, 257, 6, NULL) == PADIC_OK && ring.form == PADIC_NUM_W49);
    for (int form = 3; form <= 7; form++) {
        padic_num_ring_options options = PADIC_ZERO;
        options.form = form > 6 ? PADIC_NUM_RX : (padic_num_form)form;
        options.limb32 = form > 6;
        CHECK(padic_num_ring_init(&ring, 257, 6, &options) == PADIC_OK);
        padic_num_array a = place(0, &ring, PADIC_NUM_RING, 2);
        CHECK(from_rational(a, n, d) == PADIC_OK);
        CHECK(is_text(&a, 0, PADIC_NUM_TEXT_VALUE, "246974406441988 mod 257^6"));
        CHECK(is_text(&a, 1, PADIC_NUM_TEXT_VALUE, "38248248785260 mod 257^6"));
        a = place(0, &ring, PADIC_NUM_FLOAT, 1);
        CHECK(from_float(a, PADIC_F64, &tenth, PADIC_NUM_FLOAT_DIRECT, 0, NULL) == PADIC_OK);
        CHECK(is_text(&a, 0, PADIC_NUM_TEXT_VALUE, "51766683926673"));
    }
    CHECK(padic_num_ring_init(&q2, 2, 64, NULL) == PADIC_OK);
    padic_num_array b = place(1, &q2, PADIC_NUM_FLOAT, 1);
    CHECK(from_float(b, PADIC_F64, &tenth, PADIC_NUM_FLOAT_DIRECT, 0, NULL) == PADIC_OK);
    CHECK(is_text(&b, 0, PADIC_NUM_TEXT_VALUE, "3602879701896397 * 2^-55"));
    CHECK(from_float(b, PADIC_F32, &tenth32, PADIC_NUM_FLOAT_DIRECT, 0, NULL) == PADIC_OK);
    CHECK(is_text(&b, 0, PADIC_NUM_TEXT_VALUE, "13421773 * 2^-27"));
}

// ---- integers

// Against % in small rings, and back in all.
TEST(integers)
{
    static int64_t x[MOST], y[MOST];
    static uint8_t status[MOST];
    for (int k = 0; k < RINGS; k++)
        for (int form = 0; form <= 7; form++)
            for (int m = 0; m < 3; m++) {
                padic_num_ring ring;
                if (!make_ring(&ring, k, form)) continue;
                padic_num_array a = place(0, &ring, (padic_num_model)m, 100);
                for (int i = 0; i < 100; i++) x[i] = (int64_t)(test_random() >> test_random() % 64);
                for (int i = 0; i < 100; i += 3) x[i] = -x[i];
                x[0] = INT64_MIN;
                x[1] = INT64_MAX;
                x[2] = 0;
                for (int i = 3; i < 30; i++) // a few divisible ones
                    for (int j = 0; j < i % 5; j++)
                        if (llabs(x[i]) < (int64_t)(INT64_MAX / ring.p)) x[i] *= (int64_t)ring.p;
                CHECK(from_int(a, PADIC_I64, x) == PADIC_OK);
                CHECK(num_check(NULL, &a, NULL) == PADIC_OK);
                CHECK(to_int(a, PADIC_I64, y, 1, status) == PADIC_OK);
                for (int i = 0; i < 100; i++) {
                    if (m == 0 && ring.bits < 31) {
                        const int64_t P = modulus(&ring);
                        int64_t r = (x[i] % P + P) % P;
                        if (2 * r >= P && !(ring.p != 2 && 2 * r == P)) r -= P;
                        CHECK_EQ(y[i], r);
                        CHECK_EQ(status[i], 0);
                    }
                    if (ring.bits > 65) CHECK_EQ(y[i], x[i]);
                }
            }
}

TEST(integer_types)
{
    padic_num_ring ring;
    uint8_t u8[3] = {0, 3, 255};
    int8_t i8[3] = {-128, -3, 127};
    uint16_t u16[3] = {0, 9, 65535};
    int16_t i16[3] = {-32768, -9, 32767};
    uint32_t u32[3] = {0, 27, UINT32_MAX};
    int32_t i32[3] = {INT32_MIN, -27, INT32_MAX};
    uint64_t u64[3] = {0, 81, UINT64_MAX};
    // two and three words of -1, -2^64 + 5 and 2^127 - 1
    uint64_t words[6] = {UINT64_MAX, 5, UINT64_MAX, UINT64_MAX, UINT64_MAX, UINT64_MAX >> 1},
             back[9];
    static const padic_dtype dtypes[7] = {PADIC_U8,  PADIC_I8,  PADIC_U16, PADIC_I16,
                                          PADIC_U32, PADIC_I32, PADIC_U64};
    void *const data[7] = {u8, i8, u16, i16, u32, i32, u64};
    static const char *const want[7][3] = {
        {"0", "1 * 3^1", "85 * 3^1"},
        {"-128", "-1 * 3^1", "127"},
        {"0", "1 * 3^2", "65535"},
        {"-32768", "-1 * 3^2", "32767"},
        {"0", "1 * 3^3", "4294967295"},
        {"-2147483648", "-1 * 3^3", "2147483647"},
        {"0", "1 * 3^4", "18446744073709551615"}};
    for (int form = 0; form < 8; form++) {
        padic_num_ring_options options = PADIC_ZERO;
        options.form = form > 6 ? PADIC_NUM_RX : (padic_num_form)form;
        options.limb32 = form > 6;
        if (padic_num_ring_init(&ring, 3, 90, &options) != PADIC_OK) continue;
        padic_num_array a = place(0, &ring, PADIC_NUM_FLOAT, 3),
                        b = place(1, &ring, PADIC_NUM_FLOAT, 3);
        for (int t = 0; t < 7; t++) {
            uint8_t out[24], status[3];
            CHECK(from_int(a, dtypes[t], data[t]) == PADIC_OK);
            for (uint64_t i = 0; i < 3; i++)
                CHECK(num_parse(&b, i, want[t][i], strlen(want[t][i]), NULL) == PADIC_OK);
            CHECK(same(&a, &b));
            CHECK(to_int(a, dtypes[t], out, 1, status) == PADIC_OK);
            CHECK(!memcmp(out, data[t], 3 * padic_dtype_size(dtypes[t])));
            CHECK(!status[0] && !status[1] && !status[2]);
            for (int o = 0; o < 7; o++) { // too narrow is 0 with RANGE, and only then
                CHECK(to_int(a, dtypes[o], out, 1, status) == PADIC_OK);
                for (int i = 0; i < 3; i++) {
                    const int64_t v = dtypes[t] < PADIC_U8 ? (t == 1   ? i8[i]
                                                              : t == 3 ? i16[i]
                                                                       : i32[i])
                                      : t == 0             ? u8[i]
                                      : t == 2             ? u16[i]
                                      : t == 4             ? u32[i]
                                                           : (int64_t)(u64[i] >> 1);
                    const uint32_t bits = 8 * padic_dtype_size(dtypes[o]) - (dtypes[o] < PADIC_U8);
                    const int fits = (v >= 0 || dtypes[o] < PADIC_U8) &&
                                     (t == 6 && i == 2 ? o == 6
                                      : v < 0          ? (-(v + 1)) >> (bits & 63) == 0
                                                       : bits > 62 || v >> bits == 0);
                    CHECK_EQ(status[i], fits ? 0 : PADIC_NUM_RANGE);
                }
            }
        }
        padic_num_from_int_desc f = PADIC_ZERO;
        padic_num_to_int_desc g = PADIC_ZERO;
        static const char *const long_ones[3] = {"-1", "-18446744073709551611",
                                                 "170141183460469231731687303715884105727"};
        f.out = a;
        f.in = padic_tensor_2d(PADIC_U64, words, 2, 3);
        CHECK(padic_num_from_int(NULL, &f) == PADIC_OK);
        for (uint64_t i = 0; i < 3; i++)
            CHECK(num_parse(&b, i, long_ones[i], strlen(long_ones[i]), NULL) == PADIC_OK);
        CHECK(same(&a, &b));
        g.in = a;
        g.mode = PADIC_NUM_INT_BALANCED;
        g.out = padic_tensor_2d(PADIC_U64, back, 2, 3);
        CHECK(padic_num_to_int(NULL, &g) == PADIC_OK);
        CHECK(!memcmp(back, words, sizeof words));
        g.out = padic_tensor_2d(PADIC_U64, back, 3, 3); // the sign goes on
        CHECK(padic_num_to_int(NULL, &g) == PADIC_OK);
        CHECK(!memcmp(back, words, sizeof words));
        CHECK(back[6] == UINT64_MAX && back[7] == UINT64_MAX && back[8] == 0);
    }
}

TEST(integer_specials)
{
    padic_num_ring ring;
    uint8_t status[8];
    int64_t x[8];
    static const char *const text[8] = {"3 * 5^-1", "nan(DIV0)", "0", "O(5^3)",
                                        "O(5^-3)",  "-7",        "2 * 5^40", "8 + O(5^1)"};
    static const uint8_t want[8] = {PADIC_NUM_OUTSIDE, PADIC_NUM_DIV0, 0, PADIC_NUM_PRECLOSS,
                                    PADIC_NUM_OUTSIDE, 0, PADIC_NUM_RANGE, 0};
    static const int64_t least[8] = {0, 0, 0, 0, 0, 7450580596923828118, 0, 3};
    CHECK(padic_num_ring_init(&ring, 5, 27, NULL) == PADIC_OK);
    padic_num_array a = place(0, &ring, PADIC_NUM_BALL, 8);
    for (uint64_t i = 0; i < 8; i++)
        CHECK(num_parse(&a, i, text[i], strlen(text[i]), NULL) == PADIC_OK);
    CHECK(to_int(a, PADIC_I64, x, 0, status) == PADIC_OK);
    for (int i = 0; i < 8; i++) {
        CHECK_EQ(x[i], least[i]);
        CHECK_EQ(status[i], want[i]);
    }
    CHECK(to_int(a, PADIC_I64, x, 1, status) == PADIC_OK);
    CHECK_EQ(x[5], -7);
    CHECK_EQ(x[7], -2); // 3 mod 5
    CHECK(to_int(a, PADIC_I64, x, 1, NULL) == PADIC_ERROR_DOMAIN); // nothing is silent
    CHECK_EQ(x[5], -7);
    // two's complement at p = 2
    int32_t small[4] = {-8, 7, 8, -9}, again[4];
    CHECK(padic_num_ring_init(&ring, 2, 4, NULL) == PADIC_OK);
    a = place(0, &ring, PADIC_NUM_RING, 4);
    CHECK(from_int(a, PADIC_I32, small) == PADIC_OK);
    CHECK(to_int(a, PADIC_I32, again, 1, NULL) == PADIC_OK);
    CHECK(again[0] == -8 && again[1] == 7 && again[2] == -8 && again[3] == 7);
    CHECK(to_int(a, PADIC_I32, again, 0, NULL) == PADIC_OK);
    CHECK(again[0] == 8 && again[1] == 7 && again[2] == 8 && again[3] == 7);
}

// n = x d modulo p^k, by long division that shares nothing with the library; all forms agree.
TEST(fractions)
{
    static int64_t n[MOST], d[MOST];
    for (int k = 0; k < RINGS; k++)
        for (int m = 0; m < 3; m++) {
            padic_num_ring first;
            padic_num_array want;
            memset(&want, 0, sizeof want);
            for (int form = 0; form <= 7; form++) {
                static padic_num_ring ring;
                if (!make_ring(&ring, k, form)) continue;
                if (form == 0)
                    for (int i = 0; i < 60; i++) {
                        n[i] =
                            (int64_t)(test_random() >> (1 + test_random() % 63)) * (i % 2 ? 1 : -1);
                        d[i] =
                            (int64_t)(test_random() >> (1 + test_random() % 63)) * (i % 3 ? 1 : -1);
                        if (!d[i]) d[i] = 1;
                        for (int j = 0; j < i % 4; j++)
                            if (llabs(d[i]) < (int64_t)(INT64_MAX / ring.p))
                                d[i] *= (int64_t)ring.p;
                    }
                d[7] = 0;
                n[8] = d[8] = 0;
                n[9] = 0;
                padic_num_array a = place(form ? 1 : 0, form ? &ring : (first = ring, &first),
                                          (padic_num_model)m, 60);
                CHECK(from_rational(a, n, d) == PADIC_OK);
                if (form == 0) want = a;
                CHECK(num_check(NULL, &a, NULL) == PADIC_OK);
                CHECK(same(&a, &want));
                const uint8_t *const status = (const uint8_t *)a.status.data;
                CHECK(status[7] == PADIC_NUM_DIV0 && status[8] == PADIC_NUM_DIV0 && !status[9]);
                for (uint64_t i = 0; i < 60 && ring.bits < 31 && m < 2 && ring.form < PADIC_NUM_RX;
                     i++) {
                    const int64_t P = modulus(&ring), p = (int64_t)ring.p;
                    int64_t a1 = n[i], b1 = d[i];
                    padic_num_value x;
                    int32_t v = 0;
                    if (!a1 || !b1) continue;
                    for (; a1 % p == 0; v++) a1 /= p;
                    for (; b1 % p == 0; v--) b1 /= p;
                    CHECK(padic_num_get(&a, i, &x) == PADIC_OK);
                    if (m == 0) {
                        if (v < 0) CHECK_EQ(status[i], PADIC_NUM_NONUNIT);
                        if (v < 0) continue;
                        for (; v > 0; v--) a1 = a1 % P * p;
                    } else {
                        CHECK_EQ(x.v, v);
                    }
                    CHECK_EQ(((int64_t)x.u[0] * (b1 % P) - a1) % P, 0);
                    CHECK_EQ(status[i], 0);
                }
            }
        }
}

// ---- floats

static double double_of(uint64_t bits)
{
    double x;
    memcpy(&x, &bits, 8);
    return x;
}

// Every finite f16 and bf16: SPLIT at the least N that ring_fit names, and DIRECT at p = 2.
TEST(all_small_floats)
{
    static uint16_t bits[65536], back[65536];
    static int16_t exponent[65536];
    static const uint64_t primes[4] = {2, 3, 257, 65537};
    const uint32_t step = test_tiny ? 37 : 1;
    for (int type = 0; type < 2; type++)
        for (int k = 0; k < 4; k++) {
            padic_num_ring ring;
            uint32_t least;
            const padic_dtype dtype = type ? PADIC_BF16 : PADIC_F16;
            const uint32_t top = type ? 0x7f80 : 0x7c00;
            least = num_fit_float(primes[k], dtype);
            CHECK(padic_num_ring_init(&ring, primes[k], least, NULL) == PADIC_OK);
            for (uint32_t first = 0; first < 65536; first += 4096) {
                uint64_t n = 0;
                for (uint32_t i = first; i < first + 4096; i += step)
                    if ((i & top) != top) bits[n++] = (uint16_t)i;
                if (!n) continue;
                padic_num_array a = place(0, &ring, PADIC_NUM_FLOAT, n);
                CHECK(from_float(a, dtype, bits, PADIC_NUM_FLOAT_SPLIT, 0, exponent) == PADIC_OK);
                CHECK(to_float(a, dtype, back, PADIC_NUM_FLOAT_SPLIT, 0, exponent, NULL) ==
                      PADIC_OK);
                for (uint64_t i = 0; i < n; i++) {
                    const int zero = bits[i] == 0x8000;
                    if (back[i] != (zero ? 0 : bits[i])) CHECK_EQ(back[i], bits[i]);
                    CHECK(((const uint8_t *)a.status.data)[i] == (zero ? PADIC_NUM_INEXACT : 0));
                }
                if (primes[k] != 2) continue;
                CHECK(from_float(a, dtype, bits, PADIC_NUM_FLOAT_DIRECT, 0, NULL) == PADIC_OK);
                CHECK(to_float(a, dtype, back, PADIC_NUM_FLOAT_DIRECT, 0, NULL, NULL) == PADIC_OK);
                for (uint64_t i = 0; i < n; i++)
                    if (back[i] != bits[i] && bits[i] != 0x8000) CHECK_EQ(back[i], bits[i]);
            }
        }
}

// Doubles come back: subnormals, extremes, random bits; in every form, and the floats between too.
TEST(doubles)
{
    static double x[MOST], y[MOST];
    static float z[MOST], w[MOST];
    static int16_t exponent[MOST];
    static const struct {
        uint64_t p;
        uint32_t precision;
    } rings[6] = {{2, 54}, {2, 64}, {3, 35}, {257, 7}, {65537, 4}, {2147483647, 2}};
    for (int k = 0; k < 6; k++)
        for (int form = 0; form < 8; form++) {
            padic_num_ring ring;
            padic_num_ring_options options = PADIC_ZERO;
            options.form = form > 6 ? PADIC_NUM_RX : (padic_num_form)form;
            options.limb32 = form > 6;
            if (padic_num_ring_init(&ring, rings[k].p, rings[k].precision, &options) != PADIC_OK)
                continue;
            for (int i = 0; i < MOST; i++) {
                x[i] = double_of(test_random());
                if (!(x[i] - x[i] == 0)) x[i] = 1.0 / (i + 1); // Inf or NaN
                z[i] = (float)((double)(int64_t)test_random() * 1e-20);
            }
            x[0] = 5e-324;
            x[1] = 1e-300;
            x[2] = 1e300;
            x[3] = double_of(0x7fefffffffffffff);
            x[4] = double_of(0x000fffffffffffff);
            x[5] = 0.015;
            x[6] = 1e6;
            x[7] = 0;
            for (int m = 0; m < 3; m++) {
                padic_num_array a = place(0, &ring, (padic_num_model)m, MOST);
                CHECK(from_float(a, PADIC_F64, x, PADIC_NUM_FLOAT_SPLIT, 0, exponent) == PADIC_OK);
                CHECK(num_check(NULL, &a, NULL) == PADIC_OK);
                CHECK(to_float(a, PADIC_F64, y, PADIC_NUM_FLOAT_SPLIT, 0, exponent, NULL) ==
                      PADIC_OK);
                CHECK(!memcmp(x, y, sizeof x));
                CHECK(from_float(a, PADIC_F32, z, PADIC_NUM_FLOAT_SPLIT, 0, exponent) == PADIC_OK);
                CHECK(to_float(a, PADIC_F32, w, PADIC_NUM_FLOAT_SPLIT, 0, exponent, NULL) ==
                      PADIC_OK);
                CHECK(!memcmp(z, w, sizeof z));
                if (rings[k].p != 2 || !m) continue;
                CHECK(from_float(a, PADIC_F64, x, PADIC_NUM_FLOAT_DIRECT, 0, NULL) == PADIC_OK);
                CHECK(to_float(a, PADIC_F64, y, PADIC_NUM_FLOAT_DIRECT, 0, NULL, NULL) == PADIC_OK);
                CHECK(!memcmp(x, y, sizeof x));
                // A narrower type is rounded as the processor does it.
                CHECK(to_float(a, PADIC_F32, w, PADIC_NUM_FLOAT_DIRECT, 0, NULL, NULL) !=
                      PADIC_ERROR_ARGUMENT);
                for (int i = 0; i < MOST; i++) {
                    const volatile float f = x[i] > 3.5e38    ? (float)1e300
                                             : x[i] < -3.5e38 ? -(float)1e300
                                                              : (float)x[i];
                    const float g = f;
                    if (x[i] < 3.4e38 && x[i] > -3.4e38) CHECK(!memcmp(&w[i], &g, 4));
                }
            }
        }
}

// DIRECT at odd p: m 2^e mod P by repeated doubling and halving modulo P < 2^31, and its bits back
// where P is large enough to reconstruct the fraction.
TEST(direct_odd)
{
    padic_num_ring ring;
    static double x[64], y[64];
    uint8_t status[64];
    CHECK(padic_num_ring_init(&ring, 257, 3, NULL) == PADIC_OK);
    const uint64_t P = ring.modulus[0];
    for (int form = 2; form < 8; form++) {
        padic_num_ring_options options = PADIC_ZERO;
        options.form = form > 6 ? PADIC_NUM_RX : (padic_num_form)form;
        CHECK(padic_num_ring_init(&ring, 257, 3, &options) == PADIC_OK);
        padic_num_array a = place(0, &ring, PADIC_NUM_RING, 64);
        for (int i = 0; i < 64; i++) x[i] = double_of(test_random() & ~(UINT64_C(1) << 62));
        x[0] = 5e-324;
        x[1] = double_of(0x7fefffffffffffff);
        x[2] = 257 * 257 * 12.0;
        CHECK(from_float(a, PADIC_F64, x, PADIC_NUM_FLOAT_DIRECT, 0, NULL) == PADIC_OK);
        for (int i = 0; i < 64; i++) {
            uint64_t bits, r, u[3] = {0, 0, 0};
            memcpy(&bits, &x[i], 8);
            int e = (int)(bits >> 52 & 2047);
            r = ((bits & ((UINT64_C(1) << 52) - 1)) | (uint64_t)(e > 0) << 52) % P;
            e = (e ? e : 1) - 1075;
            for (; e > 0; e--) r = r * 2 % P;
            for (; e < 0; e++) r = (r & 1 ? r + P : r) / 2;
            if (bits >> 63 && r) r = P - r;
            padic_num_to_int_desc d = PADIC_ZERO;
            static uint64_t all[64];
            d.in = a;
            d.out = padic_tensor_1d(PADIC_U64, all, 64);
            CHECK(padic_num_to_int(NULL, &d) == PADIC_OK);
            u[0] = all[i];
            CHECK_EQ(u[0], r);
        }
    }
    for (int form = 0; form < 7; form += 6) {
        padic_num_ring_options options = PADIC_ZERO;
        options.form = (padic_num_form)form;
        CHECK(padic_num_ring_init(&ring, 257, 16, &options) == PADIC_OK);
        for (int m = 0; m < 3; m++) {
            padic_num_array a = place(0, &ring, (padic_num_model)m, 64);
            for (int i = 0; i < 64; i++)
                x[i] = (double)(int64_t)(test_random() >> 11) / (double)(UINT64_C(1) << (i % 50)) *
                       (i & 1 ? 1 : -1);
            x[0] = 0.1;
            x[1] = 257 * 3.25;
            CHECK(from_float(a, PADIC_F64, x, PADIC_NUM_FLOAT_DIRECT, 0, NULL) == PADIC_OK);
            CHECK(to_float(a, PADIC_F64, y, PADIC_NUM_FLOAT_DIRECT, 0, NULL, status) == PADIC_OK);
            for (int i = 0; i < 64; i++) {
                CHECK(x[i] == y[i] && !status[i]);
            }
        }
    }
    // 1/3 is rounded; what is no fraction says so.
    int64_t n[2] = {1, INT64_C(1000000007) * 998244353}, d[2] = {3, INT64_C(999999937) * 1000003};
    CHECK(padic_num_ring_init(&ring, 257, 6, NULL) == PADIC_OK);
    padic_num_array a = place(0, &ring, PADIC_NUM_FLOAT, 2);
    CHECK(from_rational(a, n, d) == PADIC_OK);
    CHECK(to_float(a, PADIC_F64, y, PADIC_NUM_FLOAT_DIRECT, 0, NULL, status) == PADIC_OK);
    CHECK(y[0] == 1.0 / 3 && status[0] == PADIC_NUM_INEXACT);
    CHECK(y[1] != y[1] && status[1] == PADIC_NUM_RATREC);
    const char *const far = "-7/3 * 257^-900";
    CHECK(num_parse(&a, 0, far, strlen(far), NULL) == PADIC_OK);
    CHECK(num_parse(&a, 1, "5 * 257^900", 11, NULL) == PADIC_OK);
    CHECK(to_float(a, PADIC_F64, y, PADIC_NUM_FLOAT_DIRECT, 0, NULL, status) == PADIC_OK);
    CHECK(y[0] == 0 && 1 / y[0] < 0 && status[0] == PADIC_NUM_INEXACT);
    CHECK(1 / y[1] == 0 && status[1] == PADIC_NUM_RANGE);
}

TEST(scaled)
{
    padic_num_ring ring;
    double x[9] = {0.5, 1.5, 2.5, -0.5, -1.5, 0.3, 1e30, -1.5, 2.25}, y[9];
    uint8_t *status, told[9];
    static const int64_t want[9] = {0, 2, 2, 0, -2, 0, 0, -2, 2};
    static const uint8_t bits[9] = {128, 128, 128, 128, 128, 128, 32, 128, 128};
    int64_t n[9];
    for (int form = 0; form < 7; form += 3) {
        padic_num_ring_options options = PADIC_ZERO;
        options.form = (padic_num_form)(form == 3 ? 5 : form);
        CHECK(padic_num_ring_init(&ring, 257, 6, &options) == PADIC_OK);
        for (int m = 0; m < 3; m++) {
            padic_num_array a = place(0, &ring, (padic_num_model)m, 9);
            status = (uint8_t *)a.status.data;
            CHECK(from_float(a, PADIC_F64, x, PADIC_NUM_FLOAT_SCALED, 0, NULL) == PADIC_OK);
            CHECK(to_int(a, PADIC_I64, n, 1, told) == PADIC_OK);
            for (int i = 0; i < 9; i++) {
                CHECK_EQ(n[i], want[i]);
                CHECK_EQ(status[i], bits[i]);
            }
            // -1.5 + 2.25, 3 - 1 and 1.5 * 2.25 on a grid of 2^-4
            double u[3] = {-1.5, 3, 1.5}, v[3] = {2.25, -1, 2.25}, s[3];
            padic_num_array b = place(1, &ring, (padic_num_model)m, 3),
                            c = place(2, &ring, (padic_num_model)m, 3);
            CHECK(from_float(b, PADIC_F64, u, PADIC_NUM_FLOAT_SCALED, 4, NULL) == PADIC_OK);
            CHECK(from_float(c, PADIC_F64, v, PADIC_NUM_FLOAT_SCALED, 4, NULL) == PADIC_OK);
            padic_num_array r = place(3, &ring, (padic_num_model)m, 3);
            CHECK(padic_num_add(NULL, &r, &b, &c) == PADIC_OK);
            CHECK(to_float(r, PADIC_F64, s, PADIC_NUM_FLOAT_SCALED, 4, NULL, NULL) == PADIC_OK);
            CHECK(s[0] == 0.75 && s[1] == 2);
            CHECK(padic_num_mul(NULL, &r, &b, &c) == PADIC_OK);
            CHECK(to_float(r, PADIC_F64, s, PADIC_NUM_FLOAT_SCALED, 8, NULL, NULL) == PADIC_OK);
            CHECK(s[2] == 3.375);
        }
    }
    // The bound is P / 2, exactly, and the error at most half a step.
    CHECK(padic_num_ring_init(&ring, 2, 10, NULL) == PADIC_OK);
    padic_num_array a = place(0, &ring, PADIC_NUM_RING, 4);
    double edge[4] = {511, 511.5, 512, -512};
    CHECK(from_float(a, PADIC_F64, edge, PADIC_NUM_FLOAT_SCALED, 0, NULL) == PADIC_OK);
    status = (uint8_t *)a.status.data;
    CHECK(status[0] == 0 && status[1] == (PADIC_NUM_RANGE | PADIC_NUM_INEXACT) &&
          status[2] == PADIC_NUM_RANGE && status[3] == PADIC_NUM_RANGE);
    CHECK(padic_num_ring_init(&ring, 3, 30, NULL) == PADIC_OK);
    a = place(0, &ring, PADIC_NUM_FLOAT, 9);
    for (int k = 0; k < 200; k++) {
        for (int i = 0; i < 9; i++) x[i] = (double)(int64_t)test_random() * 1e-16;
        CHECK(from_float(a, PADIC_F64, x, PADIC_NUM_FLOAT_SCALED, 20, NULL) == PADIC_OK);
        CHECK(to_float(a, PADIC_F64, y, PADIC_NUM_FLOAT_SCALED, 20, NULL, NULL) == PADIC_OK);
        for (int i = 0; i < 9; i++) CHECK_NEAR(x[i], y[i], 1.0 / (1 << 21));
    }
}

TEST(float_specials)
{
    padic_num_ring ring;
    const uint64_t bits[6] = {0x7ff0000000000000, 0xfff0000000000000, 0x7ff8000000000001,
                              0x8000000000000000, 0, 0x3fe0000000000000};
    double x[6];
    int16_t exponent[6];
    uint32_t sticky = 0;
    uint64_t y[6];
    memcpy(x, bits, sizeof x);
    for (int k = 0; k < 2; k++)
        for (int m = 0; m < 3; m++)
            for (int mode = 0; mode < 3; mode++) {
                CHECK(padic_num_ring_init(&ring, k ? 3 : 2, k ? 35 : 64, NULL) == PADIC_OK);
                padic_num_array a = place(0, &ring, (padic_num_model)m, 6);
                const uint8_t *const s = (const uint8_t *)a.status.data;
                a.sticky = &sticky;
                CHECK(from_float(a, PADIC_F64, x, (padic_num_float_mode)mode, 0,
                                 mode == 1 ? exponent : NULL) == PADIC_OK);
                CHECK(s[0] == PADIC_NUM_OUTSIDE && s[1] == PADIC_NUM_OUTSIDE &&
                      s[2] == PADIC_NUM_OUTSIDE);
                CHECK(s[3] == PADIC_NUM_INEXACT && s[4] == 0);
                CHECK_EQ(s[5], mode == 2               ? PADIC_NUM_INEXACT
                               : mode == 0 && !m && !k ? PADIC_NUM_NONUNIT
                                                       : 0);
                CHECK(sticky & PADIC_NUM_OUTSIDE);
                CHECK(num_check(NULL, &a, NULL) == PADIC_OK);
                if (mode == 1) CHECK(exponent[0] == 0 && exponent[3] == 0 && exponent[5] == -1);
                if (m == 0) continue;
                uint8_t told[6];
                CHECK(to_float(a, PADIC_F64, y, (padic_num_float_mode)mode, 0,
                               mode == 1 ? exponent : NULL, told) == PADIC_OK);
                CHECK(y[0] == 0x7ff8000000000000 && y[1] == y[0] && y[2] == y[0] && !y[3] && !y[4]);
                CHECK(told[0] == PADIC_NUM_OUTSIDE && !told[3] && !told[4]);
            }
    // A type that is too narrow: an infinity with RANGE; a tiny number: rounded.
    CHECK(padic_num_ring_init(&ring, 2, 64, NULL) == PADIC_OK);
    padic_num_array a = place(0, &ring, PADIC_NUM_FLOAT, 3);
    double wide[3] = {1e300, -70000, 1e-30};
    uint16_t small[3];
    uint8_t told[3];
    CHECK(from_float(a, PADIC_F64, wide, PADIC_NUM_FLOAT_DIRECT, 0, NULL) == PADIC_OK);
    CHECK(to_float(a, PADIC_F16, small, PADIC_NUM_FLOAT_DIRECT, 0, NULL, told) == PADIC_OK);
    CHECK(small[0] == 0x7c00 && small[1] == 0xfc00 && small[2] == 0);
    CHECK(told[0] == PADIC_NUM_RANGE && told[1] == PADIC_NUM_RANGE && told[2] == PADIC_NUM_INEXACT);
    // a power of p that is far too long
    CHECK(padic_num_ring_init(&ring, 3, 20, NULL) == PADIC_OK);
    a = place(0, &ring, PADIC_NUM_FLOAT, 3);
    CHECK(num_parse(&a, 0, "-1 * 3^400000000", 16, NULL) == PADIC_OK);
    CHECK(num_parse(&a, 1, "1 * 3^-1", 8, NULL) == PADIC_OK);
    CHECK(num_parse(&a, 2, "5", 1, NULL) == PADIC_OK);
    CHECK(to_float(a, PADIC_F64, x, PADIC_NUM_FLOAT_SCALED, 1, NULL, told) == PADIC_OK);
    CHECK(x[0] < -1e308 && told[0] == PADIC_NUM_RANGE);
    CHECK(x[1] != x[1] && told[1] == PADIC_NUM_OUTSIDE);
    CHECK(x[2] == 2.5 && told[2] == 0);
    // and of 2, which leaves no bit of u
    CHECK(padic_num_ring_init(&ring, 2, 20, NULL) == PADIC_OK);
    a = place(0, &ring, PADIC_NUM_FLOAT, 2);
    CHECK(num_parse(&a, 0, "-1 * 2^5000", 11, NULL) == PADIC_OK);
    CHECK(num_parse(&a, 1, "1 * 2^4000", 10, NULL) == PADIC_OK);
    CHECK(to_float(a, PADIC_F64, x, PADIC_NUM_FLOAT_SCALED, 4000, NULL, told) == PADIC_OK);
    CHECK(x[0] < -1e308 && told[0] == PADIC_NUM_RANGE);
    CHECK(x[1] == 1 && told[1] == 0);
}

// ---- digits

TEST(digits)
{
    static uint64_t digits[40 * 300];
    static int32_t val[40];
    static uint16_t known[40];
    static const padic_dtype types[2][4] = {{PADIC_U8, PADIC_U16, PADIC_U32, PADIC_U64},
                                            {PADIC_I8, PADIC_I16, PADIC_I32, PADIC_I64}};
    for (int k = 0; k < RINGS; k++)
        for (int form = 0; form <= 7; form++) {
            padic_num_ring ring;
            if (!make_ring(&ring, k, form)) continue;
            for (int m = 0; m < 3; m++)
                for (int kind = 0; kind < 3; kind++)
                    for (int t = 0; t < 4; t++)
                        for (int layout = 0; layout < 2; layout++) {
                            const padic_dtype dtype = types[kind == 1][t];
                            const uint64_t room = 8u * padic_dtype_size(dtype) - (kind == 1);
                            const uint64_t most = kind == 1 ? ring.p / 2 : ring.p - 1;
                            const int fits = room > 63 || most >> room == 0;
                            if ((kind == 2 || test_tiny) && (t + k) % 3) continue;
                            padic_num_array a =
                                numbers(0, &ring, (padic_num_model)m, 33, test_random());
                            padic_num_array b = place(1, &ring, (padic_num_model)m, 33);
                            const padic_result result =
                                to_digits(a, dtype, digits, (padic_num_digit_kind)kind,
                                          (padic_num_layout)layout, val, known);
                            CHECK(result == (fits ? PADIC_OK : PADIC_ERROR_ARGUMENT));
                            if (!fits) continue;
                            CHECK(from_digits(b, dtype, digits, (padic_num_digit_kind)kind,
                                              (padic_num_layout)layout, val, known) == PADIC_OK);
                            CHECK(same(&a, &b));
                        }
        }
}

// Against % and /, and what is out of range.
TEST(digit_values)
{
    static uint16_t digits[6 * 33];
    static int16_t balanced[6 * 33], minus[6 * 33];
    padic_num_ring ring;
    for (int form = 3; form < 8; form++) {
        padic_num_ring_options options = PADIC_ZERO;
        options.form = form > 6 ? PADIC_NUM_RX : (padic_num_form)form;
        options.limb32 = form > 6;
        CHECK(padic_num_ring_init(&ring, 257, 6, &options) == PADIC_OK);
        padic_num_array a = numbers(0, &ring, PADIC_NUM_RING, 33, 5),
                        b = place(1, &ring, PADIC_NUM_RING, 33);
        int64_t x[33];
        CHECK(num_parse(&a, 0, "-1", 2, NULL) == PADIC_OK);
        CHECK(to_int(a, PADIC_I64, x, 0, NULL) == PADIC_OK);
        CHECK(to_digits(a, PADIC_U16, digits, PADIC_NUM_DIGITS_STANDARD, PADIC_NUM_LAYOUT_PLANES,
                        NULL, NULL) == PADIC_OK);
        CHECK(to_digits(a, PADIC_I16, balanced, PADIC_NUM_DIGITS_BALANCED, PADIC_NUM_LAYOUT_ROWS,
                        NULL, NULL) == PADIC_OK);
        CHECK(padic_num_neg(NULL, &b, &a) == PADIC_OK);
        CHECK(to_digits(b, PADIC_I16, minus, PADIC_NUM_DIGITS_BALANCED, PADIC_NUM_LAYOUT_ROWS, NULL,
                        NULL) == PADIC_OK);
        for (int i = 0; i < 33; i++) {
            int64_t y = x[i], sum = 0;
            for (int k = 0; k < 6; k++, y /= 257) CHECK_EQ(digits[k * 33 + i], y % 257);
            for (int k = 5; k >= 0; k--) {
                sum = 257 * sum + balanced[6 * i + k];
                CHECK(balanced[6 * i + k] >= -128 && balanced[6 * i + k] <= 128);
                CHECK_EQ(minus[6 * i + k], -balanced[6 * i + k]);
            }
            CHECK((sum - x[i]) % INT64_C(288136807515649) == 0);
        }
        for (int k = 0; k < 6; k++) CHECK_EQ(digits[k * 33], 256);
        digits[2 * 33 + 7] = 257;
        CHECK(from_digits(b, PADIC_U16, digits, PADIC_NUM_DIGITS_STANDARD, PADIC_NUM_LAYOUT_PLANES,
                          NULL, NULL) == PADIC_OK);
        for (uint64_t i = 0; i < 33; i++) {
            int64_t z[33];
            CHECK_EQ(((uint8_t *)b.status.data)[i], i == 7 ? PADIC_NUM_OUTSIDE : 0);
            CHECK(to_int(b, PADIC_I64, z, 0, NULL) == PADIC_OK);
            CHECK_EQ(z[i], i == 7 ? 0 : x[i]);
        }
        b.status.dtype = PADIC_DTYPE_NONE;
        b.status.data = NULL;
        CHECK(from_digits(b, PADIC_U16, digits, PADIC_NUM_DIGITS_STANDARD, PADIC_NUM_LAYOUT_PLANES,
                          NULL, NULL) == PADIC_ERROR_DOMAIN);
    }
    // The decoded value comes from the digits alone: without them it is another.
    padic_num_ring_init(&ring, 5, 12, NULL);
    padic_num_array a = place(0, &ring, PADIC_NUM_FLOAT, 1);
    uint8_t d[12] = {0, 0, 3, 1};
    CHECK(from_digits(a, PADIC_U8, d, PADIC_NUM_DIGITS_STANDARD, PADIC_NUM_LAYOUT_ROWS, NULL,
                      NULL) == PADIC_OK);
    CHECK(is_text(&a, 0, PADIC_NUM_TEXT_VALUE, "8 * 5^2"));
    memset(d, 0, sizeof d);
    CHECK(from_digits(a, PADIC_U8, d, PADIC_NUM_DIGITS_STANDARD, PADIC_NUM_LAYOUT_ROWS, NULL,
                      NULL) == PADIC_OK);
    CHECK(is_text(&a, 0, PADIC_NUM_TEXT_VALUE, "0"));
}

// A radix that is not a prime.
TEST(composite)
{
    static const uint64_t radix[4] = {10, 256, 6, 1000};
    static uint16_t digits[60 * 16];
    for (int k = 0; k < 4; k++)
        for (uint32_t n = 1; n < 60; n += 7) {
            padic_num_ring ring;
            CHECK(padic_num_ring_init_radix(&ring, radix[k], n, NULL) == PADIC_OK);
            padic_num_array a = place(0, &ring, PADIC_NUM_RING, 16);
            for (uint32_t i = 0; i < 16 * n; i++) digits[i] = (uint16_t)(test_random() % radix[k]);
            CHECK(from_digits(a, PADIC_U16, digits, PADIC_NUM_DIGITS_STANDARD,
                              PADIC_NUM_LAYOUT_ROWS, NULL, NULL) == PADIC_OK);
            for (uint64_t i = 0; i < 16; i++) {
                char want[400] = "...", number[200] = "";
                for (uint32_t j = n; j-- > 0;)
                    snprintf(want + strlen(want), 20, j ? "%d " : "%d", digits[i * n + j]);
                snprintf(want + strlen(want), 20, " (%d)", (int)radix[k]);
                CHECK(is_text(&a, i, PADIC_NUM_TEXT_DIGITS, want));
                CHECK(num_parse(&a, i, want, strlen(want), NULL) == PADIC_OK);
                CHECK(is_text(&a, i, PADIC_NUM_TEXT_DIGITS, want));
                if (radix[k] != 10) continue;
                uint32_t top = n - 1;
                while (top && !digits[i * n + top]) top--;
                for (uint32_t j = top + 1; j-- > 0;)
                    snprintf(number + strlen(number), 8, "%d", digits[i * n + j]);
                snprintf(number + strlen(number), 20, " mod 10^%d", (int)n);
                CHECK(is_text(&a, i, PADIC_NUM_TEXT_VALUE, number));
                CHECK(num_parse(&a, i, number, strlen(number), NULL) == PADIC_OK);
                CHECK(is_text(&a, i, PADIC_NUM_TEXT_VALUE, number));
            }
            CHECK(from_digits(a, PADIC_U16, digits, PADIC_NUM_DIGITS_TEICHMUELLER,
                              PADIC_NUM_LAYOUT_ROWS, NULL, NULL) == PADIC_ERROR_NOT_SUPPORTED);
            int64_t one[16] = {1};
            CHECK(from_int(a, PADIC_I64, one) == PADIC_ERROR_NOT_SUPPORTED);
        }
}

// ---- random numbers

TEST(random_numbers)
{
    for (int k = 0; k < RINGS; k++) {
        padic_num_ring first;
        CHECK(make_ring(&first, k, 0));
        for (int m = 0; m < 3; m++)
            for (int form = 1; form <= 7; form++) {
                padic_num_ring ring;
                if (!make_ring(&ring, k, form)) continue;
                padic_num_array a = numbers(0, &first, (padic_num_model)m, 40, 9);
                padic_num_array b = numbers(1, &ring, (padic_num_model)m, 40, 9);
                CHECK(same(&a, &b));
                CHECK(num_check(NULL, &b, NULL) == PADIC_OK);
            }
    }
    // floor(P w / 2^128) of the block itself, P = 3^20 < 2^32, word by word from the lowest
    padic_num_ring ring;
    padic_num_random_desc d = PADIC_ZERO;
    CHECK(padic_num_ring_init(&ring, 3, 20, NULL) == PADIC_OK);
    d.out = place(0, &ring, PADIC_NUM_RING, 100);
    d.seed = 123;
    d.stream = 7;
    d.first = UINT64_C(0x4fffffff0);
    CHECK(padic_num_random(NULL, &d) == PADIC_OK);
    for (uint64_t i = 0; i < 100; i++) {
        uint32_t w[4];
        uint64_t carry = 0;
        padic_num_value x;
        padic_random_block(123, 7, (uint32_t)((d.first + i) >> 32), (uint32_t)(d.first + i), w);
        for (int j = 0; j < 4; j++) carry = (w[j] * UINT64_C(3486784401) + carry) >> 32;
        CHECK(padic_num_get(&d.out, i, &x) == PADIC_OK);
        CHECK_EQ(x.u[0], carry);
    }
    d.first = UINT64_C(1) << 48;
    CHECK(padic_num_random(NULL, &d) == PADIC_ERROR_LIMIT);
}

TEST(fit)
{
    static const uint64_t primes[4] = {2, 3, 257, 65537};
    static const padic_dtype types[4] = {PADIC_BF16, PADIC_F16, PADIC_F32, PADIC_F64};
    static const uint32_t want[4][4] = {
        {9, 12, 25, 54}, {6, 8, 16, 35}, {2, 2, 4, 7}, {1, 1, 2, 4}};
    padic_num_ring_fit_desc both = PADIC_ZERO;
    for (int k = 0; k < 4; k++)
        for (int t = 0; t < 4; t++) CHECK_EQ(num_fit_float(primes[k], types[t]), want[k][t]);
    CHECK_EQ(num_fit_integer(5, 62), 3); // 125 > 124
    CHECK_EQ(num_fit_integer(5, 63), 4);
    CHECK_EQ(num_fit_integer(5, 0), 1);
    CHECK_EQ(num_fit_fraction(5, 12, 5), 4); // 625 > 600
    CHECK_EQ(num_fit_fraction(5, 9, 7), 5);
    CHECK_EQ(num_fit_integer(2, UINT64_MAX), 65);
    CHECK_EQ(num_fit_fraction(2, UINT64_MAX, UINT64_MAX), 130);
    CHECK_EQ(num_fit_integer(9, 5), 0);                             // no prime
    CHECK_EQ(num_fit_integer(UINT64_C(9223372036854775837), 5), 0); // a prime above 2^63
    CHECK_EQ(num_fit_fraction(5, 0, 5), 0);
    CHECK_EQ(num_fit_float(5, PADIC_I32), 0);
    CHECK_EQ(padic_num_ring_fit(NULL), 0);
    both.p = 5; // all of them at once: what the largest needs
    both.greatest_numerator = 12;
    both.greatest_denominator = 5;
    both.dtype = PADIC_F64;
    CHECK_EQ(padic_num_ring_fit(&both), num_fit_float(5, PADIC_F64));
    both.greatest_numerator = UINT64_MAX;
    CHECK_EQ(padic_num_ring_fit(&both), num_fit_fraction(5, UINT64_MAX, 5));
}

// ---- text

TEST(text_examples)
{
    padic_num_ring ring;
    CHECK(padic_num_ring_init(&ring, 257, 6, NULL) == PADIC_OK);
    padic_num_array r = place(0, &ring, PADIC_NUM_RING, 1), f = place(1, &ring, PADIC_NUM_FLOAT, 1);
    padic_num_array b = place(2, &ring, PADIC_NUM_BALL, 1);
    static const char *const exact[3][8] = {
        {"12345 mod 257^6", "0 mod 257^6"},
        {"12345 * 257^-2", "12345", "0", "nan(DIV0)", "nan(OUTSIDE|INEXACT)", "1 * 257^536870912"},
        {"12345 * 257^-2 + O(257^4)", "12345 + O(257^2)", "O(257^4)", "O(257^-4)", "0",
         "nan(DIV0)"}};
    static const char *const also[3][8][2] = {
        {{"12345", "12345 mod 257^6"},
         {"-7/3", "96045602505214 mod 257^6"},
         {" 1 * 257^5 ", "1121154893057 mod 257^6"}},
        {{"-12.375", "36017100939444"},
         {"1e-3", "1"},
         {"257", "1 * 257^1"},
         {"5/257", "5 * 257^-1"},
         {"1e3", "1000"},
         {"  +3.50E+1 ", "35"},
         {"...0 0 0 1 2 0 (257)", "259 * 257^1"},
         {"...1 0 0 0 0 3 (257) * 257^-2", "1121154893060 * 257^-2"}},
        {{"8 + O(257^0)", "O(257^0)"},
         {"5 * 257^3 + O(257^9)", "5 * 257^3 + O(257^9)"},
         {"5 + O(257^9)", "5 + O(257^6)"},
         {"0 + O(257^-3)", "O(257^-3)"},
         {"...3 0 (257)", "3 * 257^1 + O(257^2)"}}};
    const padic_num_array *const arrays[3] = {&r, &f, &b};
    for (int m = 0; m < 3; m++) {
        for (int k = 0; k < 8 && exact[m][k]; k++) {
            CHECK(num_parse(arrays[m], 0, exact[m][k], strlen(exact[m][k]), NULL) == PADIC_OK);
            CHECK(is_text(arrays[m], 0, PADIC_NUM_TEXT_VALUE, exact[m][k]));
        }
        for (int k = 0; k < 8 && also[m][k][0]; k++) {
            if (!strcmp(also[m][k][0], "1e-3") || !strcmp(also[m][k][0], "-12.375") ||
                !strcmp(also[m][k][0], "-7/3")) { // times the denominator it is the numerator
                int64_t n[1], want = also[m][k][0][0] == '1'                              ? 1
                                     : also[m][k][0][2] == '/' || also[m][k][0][1] == '7' ? -7
                                                                                          : -99;
                const int64_t d = want == 1 ? 1000 : want == -7 ? 3 : 8;
                padic_num_array one = place(3, &ring, (padic_num_model)m, 1);
                int64_t by[1] = {d};
                CHECK(num_parse(arrays[m], 0, also[m][k][0], strlen(also[m][k][0]), NULL) ==
                      PADIC_OK);
                CHECK(from_int(one, PADIC_I64, by) == PADIC_OK);
                CHECK(padic_num_mul(NULL, &one, &one, arrays[m]) == PADIC_OK);
                CHECK(to_int(one, PADIC_I64, n, 1, NULL) == PADIC_OK);
                CHECK_EQ(n[0], want);
                continue;
            }
            CHECK(num_parse(arrays[m], 0, also[m][k][0], strlen(also[m][k][0]), NULL) == PADIC_OK);
            CHECK(is_text(arrays[m], 0, PADIC_NUM_TEXT_VALUE, also[m][k][1]));
        }
    }
    CHECK(padic_num_ring_init(&ring, 5, 3, NULL) == PADIC_OK);
    r = place(0, &ring, PADIC_NUM_RING, 1);
    CHECK(num_parse(&r, 0, "...4 2 0 (5)", 12, NULL) == PADIC_OK);
    CHECK(is_text(&r, 0, PADIC_NUM_TEXT_VALUE, "110 mod 5^3"));
    CHECK(is_text(&r, 0, PADIC_NUM_TEXT_DIGITS, "...4 2 0 (5)"));
}

TEST(text_errors)
{
    static const struct {
        int model; // of Z/5^27
        const char *text;
        padic_result result;
        size_t bad;
    } cases[] = {{1, "", PADIC_ERROR_CORRUPT, 0},
                 {1, "   ", PADIC_ERROR_CORRUPT, 3},
                 {1, "x", PADIC_ERROR_CORRUPT, 0},
                 {1, "12x", PADIC_ERROR_CORRUPT, 2},
                 {1, "1 2", PADIC_ERROR_CORRUPT, 2},
                 {1, "1/", PADIC_ERROR_CORRUPT, 2},
                 {1, "1.5/2", PADIC_ERROR_CORRUPT, 3},
                 {1, "1.2.3", PADIC_ERROR_CORRUPT, 3},
                 {1, "--1", PADIC_ERROR_CORRUPT, 1},
                 {1, "1e", PADIC_ERROR_CORRUPT, 2},
                 {1, "1e9999999999", PADIC_ERROR_CORRUPT, 2},
                 {1, "inf", PADIC_ERROR_CORRUPT, 0},
                 {1, "1 * 7^2", PADIC_ERROR_DOMAIN, 4},
                 {1, "1 * x", PADIC_ERROR_CORRUPT, 4},
                 {1, "1 * 99999999999999999999^2", PADIC_ERROR_CORRUPT, 23}, // above 2^64
                 {1, "1 * 5", PADIC_ERROR_CORRUPT, 5},
                 {1, "1 * 5^", PADIC_ERROR_CORRUPT, 6},
                 {1, "...4 5 0 (5)", PADIC_ERROR_CORRUPT, 5},
                 {1, "...4 2 0", PADIC_ERROR_CORRUPT, 8},
                 {1, "...4 2 0 (7)", PADIC_ERROR_DOMAIN, 10},
                 {1, "... (5)", PADIC_ERROR_CORRUPT, 4},
                 {1, "...4 2 0 (5", PADIC_ERROR_CORRUPT, 11},
                 {1, "...1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 (5)",
                  PADIC_ERROR_CORRUPT, 57}, // one more than 27
                 {1, "nan()", PADIC_ERROR_CORRUPT, 4},
                 {1, "nan(DIV0", PADIC_ERROR_CORRUPT, 8},
                 {1, "nan(INEXACT)", PADIC_ERROR_CORRUPT, 12}, // which makes no NaN
                 {1, "nan(DIV)", PADIC_ERROR_CORRUPT, 4},
                 {1, "1 + O(5^3)", PADIC_ERROR_DOMAIN, 2},
                 {1, "1 mod 5^27", PADIC_ERROR_DOMAIN, 2},
                 {0, "1 mod 5^26", PADIC_ERROR_DOMAIN, 2},
                 {0, "1 mod 7^27", PADIC_ERROR_DOMAIN, 6},
                 {0, "nan(DIV0)", PADIC_ERROR_DOMAIN, 0},
                 {0, "O(5^3)", PADIC_ERROR_DOMAIN, 0},
                 {2, "O(5^4", PADIC_ERROR_CORRUPT, 5},
                 {2, "O(7^2)", PADIC_ERROR_DOMAIN, 2},
                 {2, "1 + O(5^3", PADIC_ERROR_CORRUPT, 9},
                 {2, "1 + 2", PADIC_ERROR_CORRUPT, 4},
                 {2, "1 + O(7^2)", PADIC_ERROR_DOMAIN, 6}};
    padic_num_ring ring;
    char text[1400];
    size_t bad, size;
    CHECK(padic_num_ring_init(&ring, 5, 27, NULL) == PADIC_OK);
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        padic_num_array a = place(0, &ring, (padic_num_model)cases[k].model, 1);
        CHECK(num_parse(&a, 0, "2", 1, NULL) == PADIC_OK);
        CHECK_EQ(num_parse(&a, 0, cases[k].text, strlen(cases[k].text), &bad), cases[k].result);
        CHECK_EQ(bad, cases[k].bad);
        CHECK(is_text(&a, 0, PADIC_NUM_TEXT_DIGITS,
                      "...0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 2 (5)")); // as it was
    }
    padic_num_array a = place(0, &ring, PADIC_NUM_FLOAT, 1);
    memset(text, '7', sizeof text);
    CHECK(num_parse(&a, 0, text, 1200, &bad) == PADIC_OK);
    CHECK(num_parse(&a, 0, text, 1400, &bad) == PADIC_ERROR_CORRUPT && bad > 1200);
    CHECK(num_parse(&a, 0, "1/0", 3, &bad) == PADIC_OK);
    CHECK(is_text(&a, 0, PADIC_NUM_TEXT_VALUE, "nan(DIV0)"));
    CHECK_EQ(*(uint8_t *)a.status.data, PADIC_NUM_DIV0);
    CHECK(num_parse(&a, 1, "1", 1, &bad) == PADIC_ERROR_REGION);
    CHECK(num_print(&a, 1, PADIC_NUM_TEXT_VALUE, text, sizeof text, &size) == PADIC_ERROR_REGION);
    CHECK(num_print(&a, 0, PADIC_NUM_TEXT_VALUE, text, 9, &size) == PADIC_ERROR_CAPACITY &&
          size == 10);
    CHECK(text[0] == '7');
    CHECK(num_print(&a, 0, PADIC_NUM_TEXT_VALUE, text, 10, &size) == PADIC_OK && size == 9);
    CHECK(num_parse(&a, 0, "0 * 5^3", 7, &bad) == PADIC_OK);
    CHECK(is_text(&a, 0, PADIC_NUM_TEXT_VALUE, "0"));
    CHECK(num_parse(&a, 0, "1\0", 2, &bad) == PADIC_ERROR_CORRUPT && bad == 1);
    CHECK(num_parse(&a, 0, "x", 1, NULL) == PADIC_ERROR_CORRUPT);
    CHECK(num_parse(&a, 0, NULL, 0, &bad) == PADIC_ERROR_ARGUMENT);
    memset(&a.status, 0, sizeof a.status);
    uint32_t sticky = PADIC_NUM_INEXACT;
    a.sticky = &sticky;
    CHECK(num_parse(&a, 0, "1/0", 3, &bad) == PADIC_OK);
    CHECK_EQ(sticky, PADIC_NUM_INEXACT | PADIC_NUM_DIV0);
    a.sticky = NULL;
    CHECK(num_parse(&a, 0, "1/0", 3, &bad) == PADIC_ERROR_DOMAIN);
    CHECK(num_parse(&a, 0, "nan(DIV0)", 9, &bad) == PADIC_OK); // that is the number it says
    a = place(0, &ring, PADIC_NUM_RING, 1);
    CHECK(num_parse(&a, 0, "1/5", 3, &bad) == PADIC_OK);
    CHECK_EQ(*(uint8_t *)a.status.data, PADIC_NUM_NONUNIT);
    CHECK(num_parse(NULL, 0, "1", 1, NULL) == PADIC_ERROR_ARGUMENT);
    CHECK(padic_num_print_size_bound(NULL, PADIC_NUM_TEXT_VALUE) == 0);
}

TEST(text_round_trip)
{
    static char text[70000];
    for (int k = 0; k < RINGS; k++)
        for (int form = 0; form <= 7; form++)
            for (int m = 0; m < 3; m++)
                for (int style = 0; style < 2; style++) {
                    padic_num_ring ring;
                    if (!make_ring(&ring, k, form)) continue;
                    padic_num_array a = numbers(0, &ring, (padic_num_model)m, 6, test_random());
                    padic_num_array b = place(1, &ring, (padic_num_model)m, 6);
                    for (uint64_t i = 0; i < 6; i++) {
                        size_t size;
                        const size_t bound =
                            padic_num_print_size_bound(&ring, (padic_num_text)style);
                        CHECK(bound <= sizeof text);
                        CHECK(num_print(&a, i, (padic_num_text)style, text, bound, &size) ==
                              PADIC_OK);
                        CHECK(num_parse(&b, i, text, size, NULL) == PADIC_OK);
                    }
                    CHECK(same(&a, &b));
                }
}

// ---- bytes

TEST(bytes)
{
    static uint8_t stream[60000], damaged[60000];
    for (int k = 0; k < RINGS; k++)
        for (int m = 0; m < 3; m++)
            for (int form = 0; form <= 7; form++) {
                padic_num_ring first, ring;
                padic_num_report header;
                size_t size, bound;
                if (!make_ring(&ring, k, form) || !make_ring(&first, k, 0)) continue;
                padic_num_array a = numbers(0, &first, (padic_num_model)m, 50, test_random());
                if (m) {
                    CHECK(num_parse(&a, 1, "0", 1, NULL) == PADIC_OK);
                    if (first.bits > 7)
                        CHECK(num_parse(&a, 2, "nan(RATREC|INEXACT)", 19, NULL) == PADIC_OK);
                }
                bound = padic_num_write_size_bound(&a);
                CHECK(num_write(NULL, &a, stream, sizeof stream, &size) == PADIC_OK &&
                      size <= bound);
                const size_t exact = size;
                CHECK(num_write(NULL, &a, damaged, exact - 1, &size) == PADIC_ERROR_CAPACITY &&
                      size == exact);
                CHECK(num_info(stream, exact, &header) == PADIC_OK);
                CHECK(header.model == (padic_num_model)m && header.count == 50 &&
                      header.p == ring.p && header.precision == ring.precision);
                padic_num_array b = place(1, &ring, (padic_num_model)m, 50);
                CHECK(num_read(NULL, &b, stream, exact) == PADIC_OK);
                CHECK(same(&a, &b));
                CHECK(num_write(NULL, &b, damaged, exact, &size) == PADIC_OK);
                CHECK(size == exact && !memcmp(stream, damaged, exact)); // no form in it
                for (size_t cut = 0; cut < exact; cut += 1 + cut / 64)
                    CHECK(num_read(NULL, &b, stream, cut) != PADIC_OK);
                for (int j = 0; j < 40; j++) {
                    memcpy(damaged, stream, exact);
                    damaged[test_random() % exact] ^= (uint8_t)(1 << test_random() % 8);
                    CHECK(num_read(NULL, &b, damaged, exact) != PADIC_OK);
                }
                CHECK(same(&a, &b)); // nothing of them was written
            }
}

// The checksum of FORMAT.md.
static uint64_t mix(uint64_t x)
{
    x *= UINT64_C(0xbf58476d1ce4e5b9);
    x ^= x >> 32;
    x *= UINT64_C(0x94d049bb133111eb);
    return x ^ (x >> 29);
}

static uint64_t sum_of(const uint8_t *p, size_t size, uint64_t seed)
{
    uint64_t sum = mix(size ^ ~seed);
    for (size_t i = 0; 8 * i < size; i++) {
        uint64_t word = 0;
        for (size_t k = 0; k < 8 && 8 * i + k < size; k++)
            word |= (uint64_t)p[8 * i + k] << (8 * k);
        sum += mix(word ^ ((seed + 1) * UINT64_C(0xd1342543de82ef95) +
                           i * UINT64_C(0x9e3779b97f4a7c15)));
    }
    return sum;
}

static void put(uint8_t *p, uint64_t x, size_t size)
{
    for (size_t k = 0; k < size; k++) p[k] = (uint8_t)(x >> 8 * k);
}

static void seal(uint8_t *head)
{
    put(head + 32, sum_of(head, 32, 0), 8);
}

// Streams of two numbers, the first of which is 1, written byte by byte.
TEST(bytes_by_hand)
{
    static const struct {
        uint32_t precision;
        int narrow; // valuations of 16 bits
        uint64_t unit[2];
        const char *vals;
        size_t size;
        const char *text; // NULL: refused
        padic_result result;
    } list[] = {
        {6, 0, {2, 0}, "\0\0", 2, "2", PADIC_OK},
        {6, 0, {2, 0}, "\0\1", 2, "2 * 257^-1", PADIC_OK},
        {6, 0, {257, 0}, "\0\0", 2, NULL, PADIC_ERROR_CORRUPT},
        {6, 0, {2, 0}, "\0\200\1", 3, "2 * 257^64", PADIC_OK},
        {6, 0, {2, 0}, "\0\200\0", 3, NULL, PADIC_ERROR_CORRUPT}, // 0 in two bytes
        {6, 0, {2, 0}, "\0\200", 2, NULL, PADIC_ERROR_CORRUPT},   // the end in a number
        {6, 0, {2, 0}, "\0\0\0", 3, NULL, PADIC_ERROR_CORRUPT},
        {6, 0, {2, 0}, "\0", 1, NULL, PADIC_ERROR_CORRUPT},
        {6, 0, {2, 0}, "\0\0\0\0\0\0\0\0\0\0\0", 11, NULL, PADIC_ERROR_CORRUPT},
        {6, 0, {PADIC_NUM_DIV0, 0}, "\0\377\377\377\377\17", 6, "nan(DIV0)", PADIC_OK},
        {6, 0, {0, 0}, "\0\377\377\377\377\17", 6, NULL, PADIC_ERROR_CORRUPT}, // of no status
        {6, 0, {PADIC_NUM_DIV0, 0}, "\0\377\377\377\377\37", 6, NULL, PADIC_ERROR_CORRUPT},
        {20, 0, {PADIC_NUM_DIV0, 0}, "\0\377\377\377\377\17", 6, "nan(DIV0)", PADIC_OK},
        {20, 0, {PADIC_NUM_DIV0, 1}, "\0\377\377\377\377\17", 6, NULL, PADIC_ERROR_CORRUPT},
        {6, 1, {2, 0}, "\0\375\377\1", 4, "2 * 257^-16383", PADIC_OK},
        {6, 1, {2, 0}, "\0\377\377\1", 4, NULL, PADIC_ERROR_LIMIT},
        {6, 1, {2, 0}, "\0\200\200\2", 4, NULL, PADIC_ERROR_LIMIT},
    };
    for (size_t i = 0; i < sizeof list / sizeof *list; i++) {
        const size_t unit = list[i].precision == 6 ? 7 : 21, payload = 2 * unit + list[i].size;
        uint8_t p[256] = "PDN\1\1\3";
        padic_num_ring ring;
        CHECK(padic_num_ring_init(&ring, 257, list[i].precision, NULL) == PADIC_OK);
        padic_num_array a = place(0, &ring, PADIC_NUM_FLOAT, 2);
        padic_num_array want = place(1, &ring, PADIC_NUM_FLOAT, 2);
        if (list[i].narrow) a.val.dtype = PADIC_I16;
        put(p + 8, 257, 8);
        put(p + 16, 2, 8);
        put(p + 24, list[i].precision, 4);
        seal(p);
        put(p + 40, payload, 4);
        p[44] = 1;
        put(p + 44 + unit, list[i].unit[0], unit < 8 ? unit : 8);
        if (unit > 16) put(p + 52 + unit, list[i].unit[1], 8);
        memcpy(p + 44 + 2 * unit, list[i].vals, list[i].size);
        put(p + 44 + payload, sum_of(p + 40, payload + 4, sum_of(p, 32, 0)), 8);
        CHECK_EQ(num_read(NULL, &a, p, 52 + payload), list[i].result);
        if (!list[i].text) continue;
        CHECK(num_parse(&want, 0, "1", 1, NULL) == PADIC_OK);
        CHECK(num_parse(&want, 1, list[i].text, strlen(list[i].text), NULL) == PADIC_OK);
        CHECK(same(&a, &want));
    }
}

// More numbers than the caller's array holds, or a header that says so: CAPACITY before anything
// is read or written, whatever follows.
TEST(count_over_the_callers_limit)
{
    static const uint64_t counts[] = {9, 65537, UINT64_C(1) << 31, UINT64_C(1) << 32,
                                      UINT64_C(1) << 60, UINT64_MAX};
    static uint8_t stream[4000], head[4000];
    padic_num_ring ring;
    padic_num_report header;
    size_t size;
    CHECK(padic_num_ring_init(&ring, 257, 6, NULL) == PADIC_OK);
    for (int m = 0; m < 3; m++) {
        padic_num_array a = numbers(0, &ring, (padic_num_model)m, 8, 5);
        CHECK(num_write(NULL, &a, stream, sizeof stream, &size) == PADIC_OK);
        memcpy(head, stream, size);
        seal(head);
        CHECK(!memcmp(head, stream, size)); // else nothing below is tested
        for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
            padic_num_array b = numbers(1, &ring, (padic_num_model)m, 8, 6);
            padic_num_array c = numbers(2, &ring, (padic_num_model)m, 8, 6);
            for (int k = 0; k < 8; k++) head[16 + k] = (uint8_t)(counts[i] >> 8 * k);
            seal(head);
            CHECK(num_info(head, size, &header) == PADIC_OK);
            CHECK(header.count == counts[i]);
            CHECK(num_read(NULL, &b, head, size) == PADIC_ERROR_CAPACITY);
            CHECK(same(&b, &c));
        }
        padic_num_array b = place(1, &ring, (padic_num_model)m, 7);
        CHECK(num_read(NULL, &b, stream, size) == PADIC_ERROR_CAPACITY);
        b = place(1, &ring, (padic_num_model)m, 8);
        CHECK(num_read(NULL, &b, stream, size) == PADIC_OK && same(&a, &b));
    }
}

TEST(byte_errors)
{
    static uint8_t stream[4000], other[4000];
    padic_num_ring ring, small;
    size_t size;
    uint64_t i;
    CHECK(padic_num_ring_init(&ring, 257, 6, NULL) == PADIC_OK);
    padic_num_array a = numbers(0, &ring, PADIC_NUM_FLOAT, 8, 1),
                    b = place(1, &ring, PADIC_NUM_FLOAT, 8);
    CHECK(num_parse(&a, 0, "1 * 257^20000", 13, NULL) == PADIC_OK);
    CHECK(num_write(NULL, &a, stream, sizeof stream, &size) == PADIC_OK);
    // "PDN", 1, FLOAT, planes 3, p, count, N; units of 7 bytes (49 bits)
    CHECK(!memcmp(stream, "PDN\1\1\3\0\0\1\1\0\0\0\0\0\0\10\0\0\0\0\0\0\0\6\0\0\0\0\0\0\0", 32));
    CHECK(stream[40] == 8 * 7 + 8 + 2 && stream[44] == 1 && stream[51] != 0);
    memcpy(other, stream, size);
    other[0] = 'Q';
    CHECK(num_read(NULL, &b, other, size) == PADIC_ERROR_CORRUPT);
    other[0] = 'P';
    other[3] = 2;
    CHECK(num_read(NULL, &b, other, size) == PADIC_ERROR_VERSION);
    other[3] = 1;
    other[8] ^= 1;
    CHECK(num_read(NULL, &b, other, size) == PADIC_ERROR_CHECKSUM);
    other[8] ^= 1;
    other[50] ^= 1;
    CHECK(num_read(NULL, &b, other, size) == PADIC_ERROR_CHECKSUM);
    other[50] ^= 1;
    other[size] = 0;
    CHECK(num_read(NULL, &b, other, size + 1) == PADIC_ERROR_CORRUPT);
    CHECK(num_read(NULL, &b, other, size) == PADIC_OK);
    CHECK(num_read(NULL, NULL, other, size) == PADIC_ERROR_ARGUMENT);
    padic_num_array c = place(2, &ring, PADIC_NUM_FLOAT, 7);
    CHECK(num_read(NULL, &c, stream, size) == PADIC_ERROR_CAPACITY);
    c = place(2, &ring, PADIC_NUM_FLOAT, 9);
    CHECK(num_read(NULL, &c, stream, size) == PADIC_ERROR_MISMATCH);
    c = place(2, &ring, PADIC_NUM_RING, 8);
    CHECK(num_read(NULL, &c, stream, size) == PADIC_ERROR_RING);
    CHECK(padic_num_ring_init(&small, 257, 5, NULL) == PADIC_OK);
    c = place(2, &small, PADIC_NUM_FLOAT, 8);
    CHECK(num_read(NULL, &c, stream, size) == PADIC_ERROR_RING);
    CHECK(padic_num_ring_init(&small, 251, 6, NULL) == PADIC_OK);
    c = place(2, &small, PADIC_NUM_FLOAT, 8);
    CHECK(num_read(NULL, &c, stream, size) == PADIC_ERROR_RING);
    c = place(2, &ring, PADIC_NUM_FLOAT, 8);
    c.val.dtype = PADIC_I16;
    CHECK(num_read(NULL, &c, stream, size) == PADIC_ERROR_LIMIT);
    CHECK(num_parse(&a, 0, "1 * 257^16383", 13, NULL) == PADIC_OK);
    CHECK(num_parse(&a, 1, "0", 1, NULL) == PADIC_OK);
    CHECK(num_parse(&a, 2, "nan(DIV0)", 9, NULL) == PADIC_OK);
    CHECK(num_write(NULL, &a, stream, sizeof stream, &size) == PADIC_OK);
    CHECK(num_read(NULL, &c, stream, size) == PADIC_OK && same(&a, &c));
    ((uint64_t *)a.unit.data)[3] = 257;
    CHECK(num_write(NULL, &a, stream, sizeof stream, &size) == PADIC_ERROR_CORRUPT);
    CHECK(num_info(stream, 39, NULL) == PADIC_ERROR_ARGUMENT);
    padic_num_report header;
    CHECK(num_info(NULL, 40, &header) == PADIC_ERROR_ARGUMENT);
    CHECK(num_info(NULL, 0, &header) == PADIC_ERROR_ARGUMENT);
    CHECK(num_info("", 0, &header) == PADIC_ERROR_CORRUPT);
    CHECK(num_read(NULL, &a, NULL, 40) == PADIC_ERROR_ARGUMENT);
    CHECK(num_read(NULL, &a, NULL, 0) == PADIC_ERROR_ARGUMENT);
    CHECK(num_read(NULL, &a, "", 0) == PADIC_ERROR_CORRUPT);
    CHECK(padic_num_read(NULL, NULL) == PADIC_ERROR_ARGUMENT);
    CHECK(padic_num_info(NULL, NULL) == PADIC_ERROR_ARGUMENT);
    CHECK(padic_num_write(NULL, NULL) == PADIC_ERROR_ARGUMENT);
    CHECK(padic_num_print(NULL, NULL) == PADIC_ERROR_ARGUMENT);
    CHECK(padic_num_parse(NULL, NULL) == PADIC_ERROR_ARGUMENT);
    CHECK(padic_num_check(NULL, NULL) == PADIC_ERROR_ARGUMENT);
    CHECK(padic_num_valuation_of(NULL, NULL) == PADIC_ERROR_ARGUMENT);
    ((uint64_t *)a.unit.data)[3] = 1;
    CHECK(num_write(NULL, &a, NULL, sizeof stream, &size) == PADIC_ERROR_ARGUMENT);
    { // its size is asked for
        size_t asked;
        CHECK(num_write(NULL, &a, NULL, 0, &asked) == PADIC_ERROR_CAPACITY);
        CHECK(num_write(NULL, &a, stream, asked - 1, &size) == PADIC_ERROR_CAPACITY);
        CHECK(num_write(NULL, &a, stream, asked, &size) == PADIC_OK && size == asked);
    }
    // more than one block; none
    padic_num_ring tiny;
    static uint8_t large[300000];
    CHECK(padic_num_ring_init(&tiny, 3, 5, NULL) == PADIC_OK);
    const uint64_t n = 65536 + 77;
    a = numbers(0, &tiny, PADIC_NUM_RING, n, 3);
    b = place(1, &tiny, PADIC_NUM_RING, n);
    CHECK(num_write(NULL, &a, large, sizeof large, &size) == PADIC_OK);
    CHECK_EQ(size, 40 + 2 * 12 + n);
    CHECK(num_read(NULL, &b, large, size) == PADIC_OK);
    for (i = 0; i < n; i++)
        if (((uint32_t *)a.unit.data)[i] != ((uint32_t *)b.unit.data)[i]) break;
    CHECK_EQ(i, n);
    a = place(0, &tiny, PADIC_NUM_RING, 0);
    CHECK(num_write(NULL, &a, large, sizeof large, &size) == PADIC_OK && size == 40);
    CHECK(num_read(NULL, &a, large, size) == PADIC_OK);
    // of a radix that is no prime no stream is written, and none read
    CHECK(padic_num_ring_init_radix(&small, 6, 5, NULL) == PADIC_OK);
    a = place(0, &small, PADIC_NUM_RING, 0);
    CHECK(num_write(NULL, &a, other, sizeof other, &size) == PADIC_ERROR_NOT_SUPPORTED);
    put(large + 8, 6, 8);
    seal(large);
    CHECK(num_read(NULL, &a, large, 40) == PADIC_ERROR_RING);
}

// ---- calls

static void *run_now(void (*fn)(void *arg), void *arg, void *user)
{
    ++*(int *)user;
    (*fn)(arg);
    return NULL;
}

static void wait_for(void *task, void *user)
{
    (void)task;
    (void)user;
}

// With workers everything is cut into pieces: the same bytes, whatever the layout.
TEST(workers)
{
    enum { COUNT = 20000 };
    static uint16_t digits[2][6 * COUNT];
    static int64_t n[2][2 * COUNT];
    static double x[COUNT];
    padic_context_desc cd;
    padic_context *context = NULL;
    padic_num_ring ring;
    int ran = 0;
    memset(&cd, 0, sizeof cd);
    cd.jobs.workers = 4;
    cd.jobs.enqueue = run_now;
    cd.jobs.finish = wait_for;
    cd.jobs.user = &ran;
    CHECK(padic_context_create(&cd, &context) == PADIC_OK);
    CHECK(padic_num_ring_init(&ring, 257, 6, NULL) == PADIC_OK);
    for (int k = 0; k < COUNT; k++) x[k] = (double)(int64_t)test_random() * 1e-13;
    for (int layout = 0; layout < 2; layout++) {
        padic_num_array a = place(0, &ring, PADIC_NUM_RING, COUNT),
                        b = place(1, &ring, PADIC_NUM_RING, COUNT);
        for (int k = 0; k < 2; k++) {
            padic_context *const c = k ? context : NULL;
            padic_num_array out = k ? b : a;
            padic_num_random_desc r = PADIC_ZERO;
            padic_num_to_digits_desc d = PADIC_ZERO;
            padic_num_from_digits_desc e = PADIC_ZERO;
            padic_num_to_int_desc t = PADIC_ZERO;
            padic_num_from_int_desc f = PADIC_ZERO;
            padic_num_from_float_desc g = PADIC_ZERO;
            r.out = out;
            r.seed = 4;
            CHECK(padic_num_random(c, &r) == PADIC_OK);
            d.in = out;
            d.layout = (padic_num_layout)layout;
            d.digits = layout ? padic_tensor_2d(PADIC_U16, digits[k], COUNT, 6)
                              : padic_tensor_2d(PADIC_U16, digits[k], 6, COUNT);
            CHECK(padic_num_to_digits(c, &d) == PADIC_OK);
            t.in = out;
            t.mode = PADIC_NUM_INT_BALANCED;
            t.out = padic_tensor_2d(PADIC_U64, n[k], 2, COUNT);
            CHECK(padic_num_to_int(c, &t) == PADIC_OK);
            e.out = out;
            e.layout = d.layout;
            e.digits = d.digits;
            CHECK(padic_num_from_digits(c, &e) == PADIC_OK);
            f.out = place(2 + k, &ring, PADIC_NUM_RING, COUNT);
            f.in = t.out;
            CHECK(padic_num_from_int(c, &f) == PADIC_OK);
            CHECK(!memcmp(f.out.unit.data, out.unit.data, 8 * COUNT));
            g.out = f.out;
            g.in = padic_tensor_1d(PADIC_F64, x, COUNT);
            CHECK(padic_num_from_float(c, &g) == PADIC_OK);
        }
        CHECK(!memcmp(digits[0], digits[1], sizeof digits[0]));
        CHECK(!memcmp(n[0], n[1], sizeof n[0]));
        CHECK(!memcmp(a.unit.data, b.unit.data, 8 * COUNT));
        CHECK(!memcmp(memory[2], memory[3], 8 * COUNT));
    }
    CHECK(ran > 0);
    CHECK(padic_num_from_int(context, NULL) == PADIC_ERROR_ARGUMENT);
    CHECK(padic_context_message(context)[0] != 0);
    padic_context_destroy(context);
}

TEST(call_errors)
{
    padic_num_ring ring, rx;
    int64_t n[8] = {1, 2, 3, 4, 5, 6, 7, 8};
    uint64_t words[8 * 70] = {0};
    double x[8] = {1, 2, 3, 4, 5, 6, 7, 8};
    int16_t exponent[8];
    uint8_t digits[64];
    CHECK(padic_num_ring_init(&ring, 5, 8, NULL) == PADIC_OK);
    CHECK(padic_num_ring_init(&rx, 5, 100, NULL) == PADIC_OK);
    padic_num_array a = place(0, &ring, PADIC_NUM_RING, 8), none;
    memset(&none, 0, sizeof none);
    CHECK(from_int(a, PADIC_I64, n) == PADIC_OK);
    CHECK(padic_num_from_int(NULL, NULL) == PADIC_ERROR_ARGUMENT);
    CHECK(padic_num_to_int(NULL, NULL) == PADIC_ERROR_ARGUMENT);
    CHECK(padic_num_from_rational(NULL, NULL) == PADIC_ERROR_ARGUMENT);
    CHECK(padic_num_from_float(NULL, NULL) == PADIC_ERROR_ARGUMENT);
    CHECK(padic_num_to_float(NULL, NULL) == PADIC_ERROR_ARGUMENT);
    CHECK(padic_num_to_digits(NULL, NULL) == PADIC_ERROR_ARGUMENT);
    CHECK(padic_num_from_digits(NULL, NULL) == PADIC_ERROR_ARGUMENT);
    CHECK(padic_num_random(NULL, NULL) == PADIC_ERROR_ARGUMENT);
    CHECK(from_int(none, PADIC_I64, n) == PADIC_ERROR_ARGUMENT);
    CHECK(from_int(a, PADIC_F64, n) == PADIC_ERROR_DTYPE);
    CHECK(from_int(a, PADIC_I64, NULL) == PADIC_ERROR_ARGUMENT);
    padic_num_from_int_desc f = PADIC_ZERO;
    f.out = a;
    f.in = padic_tensor_1d(PADIC_I64, n, 7);
    CHECK(padic_num_from_int(NULL, &f) == PADIC_ERROR_MISMATCH);
    f.in = padic_tensor_2d(PADIC_U64, words, 65, 8);
    CHECK(padic_num_from_int(NULL, &f) == PADIC_ERROR_LIMIT);
    f.in = padic_tensor_2d(PADIC_U64, words, 64, 8);
    CHECK(padic_num_from_int(NULL, &f) == PADIC_OK);
    f.in = padic_tensor_2d(PADIC_U64, words, 2, 7);
    CHECK(padic_num_from_int(NULL, &f) == PADIC_ERROR_MISMATCH);
    f.in = padic_tensor_1d(PADIC_U32, a.unit.data, 8);
    CHECK(padic_num_from_int(NULL, &f) == PADIC_ERROR_OVERLAP);
    padic_num_from_rational_desc r = PADIC_ZERO;
    int32_t d32[8] = {1, 1, 1, 1, 1, 1, 1, 1};
    r.out = a;
    r.numerator = padic_tensor_1d(PADIC_I64, n, 8);
    r.denominator = padic_tensor_1d(PADIC_I32, d32, 8);
    CHECK(padic_num_from_rational(NULL, &r) == PADIC_ERROR_DTYPE);
    CHECK(from_float(a, PADIC_F64, x, PADIC_NUM_FLOAT_SPLIT, 0, NULL) == PADIC_ERROR_ARGUMENT);
    CHECK(from_float(a, PADIC_F64, x, PADIC_NUM_FLOAT_DIRECT, 0, exponent) == PADIC_ERROR_ARGUMENT);
    CHECK(from_float(a, PADIC_F64, x, (padic_num_float_mode)3, 0, NULL) == PADIC_ERROR_ARGUMENT);
    CHECK(from_float(a, PADIC_F64, x, PADIC_NUM_FLOAT_SCALED, 1 << 21, NULL) == PADIC_ERROR_LIMIT);
    CHECK(from_float(a, PADIC_I64, x, PADIC_NUM_FLOAT_DIRECT, 0, NULL) == PADIC_ERROR_DTYPE);
    CHECK(to_digits(a, PADIC_F32, digits, PADIC_NUM_DIGITS_STANDARD, PADIC_NUM_LAYOUT_ROWS, NULL,
                    NULL) == PADIC_ERROR_DTYPE);
    CHECK(to_digits(a, PADIC_U8, digits, PADIC_NUM_DIGITS_BALANCED, PADIC_NUM_LAYOUT_ROWS, NULL,
                    NULL) == PADIC_ERROR_DTYPE);
    CHECK(to_digits(a, PADIC_U8, digits, (padic_num_digit_kind)3, PADIC_NUM_LAYOUT_ROWS, NULL,
                    NULL) == PADIC_ERROR_ARGUMENT);
    padic_num_to_digits_desc t = PADIC_ZERO;
    t.in = a;
    t.digits = padic_tensor_2d(PADIC_U8, digits, 4, 16);
    CHECK(padic_num_to_digits(NULL, &t) == PADIC_ERROR_MISMATCH);
    // long numbers without room to work
    a = place(0, &rx, PADIC_NUM_RING, 8);
    a.workspace_size--;
    CHECK(from_int(a, PADIC_I64, n) == PADIC_ERROR_CAPACITY);
    CHECK(num_parse(&a, 0, "1", 1, NULL) == PADIC_ERROR_CAPACITY);
    a = place(0, &ring, PADIC_NUM_RING, 0);
    CHECK(from_int(a, PADIC_I64, NULL) == PADIC_OK); // no elements
}

TEST_MAIN("num_convert", CASE(published), CASE(published_residues), CASE(integers),
          CASE(integer_types), CASE(integer_specials), CASE(fractions), CASE(all_small_floats),
          CASE(doubles), CASE(direct_odd), CASE(scaled), CASE(float_specials), CASE(digits),
          CASE(digit_values), CASE(composite), CASE(random_numbers), CASE(fit), CASE(text_examples),
          CASE(text_errors), CASE(text_round_trip), CASE(bytes), CASE(bytes_by_hand),
          CASE(count_over_the_callers_limit),
          CASE(byte_errors), CASE(workers), CASE(call_errors))
