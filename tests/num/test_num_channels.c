// Levels, fields of floats, digests and compressed gradients of padic.h.
#define PADIC_IMPLEMENTATION
#include "../../padic.h"
#include "../../backends/padic_threads.h"
#include "num_log_cases.h"
#include "../support/padic_test.h"
#include "../support/num_calls.h"

static const padic_dtype floats[4] = {PADIC_F16, PADIC_BF16, PADIC_F32, PADIC_F64};
static const uint32_t mantissas[4] = {10, 7, 23, 52}, exponents[4] = {5, 8, 8, 11};

static void put(void *plane, uint32_t size, uint64_t i, uint64_t x)
{
    uint8_t b = (uint8_t)x;
    uint16_t s = (uint16_t)x;
    uint32_t w = (uint32_t)x;
    memcpy((char *)plane + i * size, size == 1   ? (void *)&b
                                     : size == 2 ? (void *)&s
                                     : size == 4 ? (void *)&w
                                                 : (void *)&x, size);
}

static uint64_t get(const void *plane, uint32_t size, uint64_t i)
{
    uint8_t b;
    uint16_t s;
    uint32_t w;
    uint64_t x;
    const char *p = (const char *)plane + i * size;
    if (size == 1) return memcpy(&b, p, 1), b;
    if (size == 2) return memcpy(&s, p, 2), s;
    if (size == 4) return memcpy(&w, p, 4), w;
    return memcpy(&x, p, 8), x;
}

static padic_num_log_desc log_desc(padic_dtype dtype, uint32_t f, void *value, int8_t *sign,
                                   int64_t *level, uint64_t n)
{
    padic_num_log_desc d = PADIC_ZERO;
    d.value = padic_tensor_1d(dtype, value, n);
    d.sign = padic_tensor_1d(PADIC_I8, sign, n);
    d.level = padic_tensor_1d(PADIC_I64, level, n);
    d.fraction = f;
    return d;
}

// One float by another road than a batch, with F as given.
static int64_t level_of(padic_dtype dtype, uint32_t f, uint64_t bits, int8_t *sign)
{
    uint64_t memory;
    int64_t y = 77;
    padic_num_log_desc d = log_desc(dtype, f, &memory, sign, &y, 1);
    put(&memory, padic_dtype_size(dtype), 0, bits);
    CHECK_EQ(padic_num_log_encode(NULL, &d), PADIC_OK);
    return y;
}

static uint64_t value_of(padic_dtype dtype, uint32_t f, int8_t sign, int64_t y, uint32_t *sticky)
{
    uint64_t memory = 0;
    padic_num_log_desc d = log_desc(dtype, f, &memory, &sign, &y, 1);
    d.sticky = sticky;
    *sticky = 0;
    CHECK_EQ(padic_num_log_decode(NULL, &d), PADIC_OK);
    return get(&memory, padic_dtype_size(dtype), 0);
}

TEST(log_golden)
{
    uint32_t sticky;
    int8_t s;
    size_t i;
    for (i = 0; i < sizeof log_encode_cases / sizeof *log_encode_cases; i++) {
        const struct log_case *c = &log_encode_cases[i];
        const uint64_t sign = UINT64_C(1) << (8 * padic_dtype_size(c->dtype) - 1);
        CHECK_EQ(level_of(c->dtype, c->f, c->bits, &s), c->level);
        CHECK_EQ(s, 1);
        CHECK_EQ(level_of(c->dtype, c->f, c->bits | sign, &s), c->level);
        CHECK_EQ(s, -1);
    }
    for (i = 0; i < sizeof log_decode_cases / sizeof *log_decode_cases; i++) {
        const struct log_case *c = &log_decode_cases[i];
        const uint64_t sign = UINT64_C(1) << (8 * padic_dtype_size(c->dtype) - 1);
        CHECK_EQ(value_of(c->dtype, c->f, 1, c->level, &sticky), c->bits);
        CHECK_EQ(value_of(c->dtype, c->f, -1, c->level, &sticky), c->bits | sign);
        CHECK_EQ(value_of(c->dtype, c->f, 0, c->level, &sticky), 0);
    }
    // F = 10: 1, 2, 3 are 0, 1024, 1623
    CHECK_EQ(level_of(PADIC_F32, 10, 0x3f800000, &s), 0);
    CHECK_EQ(level_of(PADIC_F32, 10, 0x40000000, &s), 1024);
    CHECK_EQ(level_of(PADIC_F32, 10, 0x40400000, &s), 1623);
}

// All values of the 16-bit types in order, for every F: y grows, the error keeps its bound, and
// encode(decode(y)) = y for every y with a normal result.
TEST(log_sweep)
{
    static uint16_t value[65536], back[65536];
    static int8_t sign[65536];
    static int64_t level[65536];
    for (int t = 0; t < 2; t++) {
        const uint32_t m = mantissas[t], top = ((1u << exponents[t]) - 1) << m;
        const int32_t bias = (1 << (exponents[t] - 1)) - 1;
        for (uint32_t i = 0; i < top; i++) value[i] = (uint16_t)i;
        for (uint32_t f = 0; f + 1 <= m; f++) {
            padic_num_log_desc d = log_desc(floats[t], f, value, sign, level, top);
            CHECK_EQ(padic_num_log_encode(NULL, &d), PADIC_OK);
            CHECK(!sign[0] && !level[0]);
            for (uint32_t i = 2; i < top; i++) CHECK(sign[i] == 1 && level[i] >= level[i - 1]);
            uint32_t range = 0; // the last level may be infinity
            d.value = padic_tensor_1d(floats[t], back, top);
            d.sticky = &range;
            CHECK_EQ(padic_num_log_decode(NULL, &d), PADIC_OK);
            for (uint32_t i = 1u << m; i < top - 1; i += 7) {
                // The next level down or up lies beyond the value, so it is the nearest but for the
                // rounding of the float itself.
                uint32_t sticky;
                const uint64_t down = value_of(floats[t], f, 1, level[i] - 1, &sticky);
                const uint64_t up = value_of(floats[t], f, 1, level[i] + 1, &sticky);
                CHECK(down <= i && i <= up && down <= back[i] && back[i] <= up);
            }
            const int64_t first = (int64_t)(1 - bias) * (1 << f);
            const int64_t end = (int64_t)(bias + 1) * (1 << f);
            int64_t n = 0;
            for (int64_t y = first; y < end && n < 65536; y++) sign[n] = 1, level[n++] = y;
            d = log_desc(floats[t], f, back, sign, level, (uint64_t)n);
            d.sticky = &range;
            CHECK_EQ(padic_num_log_decode(NULL, &d), PADIC_OK);
            for (int64_t k = 0; k < n; k++)
                if (back[k] != top && (k % 5 == 0 || f < 3)) {
                    int8_t s;
                    CHECK_EQ(level_of(floats[t], f, back[k], &s), first + k);
                }
        }
    }
}

TEST(log_round_trip)
{
    const uint32_t most[2] = {22, 30};
    for (int t = 2; t < 4; t++)
        for (int k = 0; k < (test_tiny ? 2000 : 100000); k++) {
            const uint32_t f = (uint32_t)(test_random() % (most[t - 2] + 1));
            const int64_t bias = (1 << (exponents[t] - 1)) - 1, span = 2 * bias << f;
            const int64_t y = (int64_t)(test_random() % (uint64_t)span) - (bias - 1) * (1 << f);
            uint32_t sticky;
            int8_t s;
            const uint64_t x = value_of(floats[t], f, 1, y, &sticky);
            if (sticky) continue; // rounded up to infinity
            CHECK_EQ(level_of(floats[t], f, x, &s), y);
        }
    // Against libm, which is good to an ulp or so: F = 16 bounds the error by 5.3e-6.
    for (int k = 0; k < 20000; k++) {
        uint64_t bits = test_random() & (UINT64_MAX >> 1);
        double x, y;
        uint32_t sticky;
        int8_t s;
        if (bits >> 52 == 0x7ff || bits >> 52 == 0) continue;
        memcpy(&x, &bits, 8);
        bits = value_of(PADIC_F64, 16, 1, level_of(PADIC_F64, 16, bits, &s), &sticky);
        memcpy(&y, &bits, 8);
        CHECK_NEAR(y / x, 1, 5.3e-6);
    }
}

// What the exactness of levels rests on: no 2^(j / 2^31), 0 < j < 2^31, is nearer than 2^-85 to a
// multiple of 2^-53. All of them take half a minute (PADIC_TEST_FULL=1); else every 64th block of
// 4,096. Numbers from 1 to 2 in units of 2^-127, high word first; a product is less than 6 of them
// too small.
typedef struct wide {
    uint64_t high, low;
} wide;

static uint64_t high_half(uint64_t a, uint64_t b)
{
    const uint64_t al = (uint32_t)a, ah = a >> 32, bl = (uint32_t)b, bh = b >> 32;
    const uint64_t m = al * bh, n = ah * bl;
    const uint64_t middle = (al * bl >> 32) + (uint32_t)m + (uint32_t)n;
    return ah * bh + (m >> 32) + (n >> 32) + (middle >> 32);
}

static wide product(wide a, wide b) // below 2
{
    const uint64_t m = high_half(a.high, b.low), n = high_half(a.low, b.high);
    const uint64_t low = a.high * b.high, sum = low + m, all = sum + n;
    const wide x = {high_half(a.high, b.high) + (sum < low) + (all < sum), all};
    const wide twice = {x.high << 1 | x.low >> 63, x.low << 1};
    return x.high >> 63 ? x : twice;
}

// The distance from a multiple of 2^-53 in units of 2^-117.
static uint64_t distance(wide x)
{
    const uint64_t rest = x.high << 54 | x.low >> 10;
    return rest > 0 - rest ? 0 - rest : rest;
}

TEST(log_thresholds)
{
    const wide step = {UINT64_C(0x80000000b17217f8), UINT64_C(0x4cce71aa0dcfffe7)}; // 2^(2^-31)
    const wide strides[3] = { // of 4,096 steps, 64 times and 32,768 times as many
        {UINT64_C(0x80000b1721fa7c18), UINT64_C(0x8307016c1cd4e8b6)}, // 2^(2^-19)
        {UINT64_C(0x8002c5d00fdcfcb6), UINT64_C(0xb6566a58c048be1f)}, // 2^(2^-13)
        {UINT64_C(0x85aac367cc487b14), UINT64_C(0xc5c95b8c2154c1b2)}, // 2^(2^-4)
    };
    const char *full = getenv("PADIC_TEST_FULL");
    const int kind = full && *full == '1' ? 0 : test_tiny ? 2 : 1;
    const uint64_t stride = UINT64_C(4096) << (kind == 0 ? 0 : kind == 1 ? 6 : 15);
    wide first = {UINT64_C(1) << 63, 0}, power = first, square = step;
    uint64_t nearest = UINT64_MAX, b, j;
    for (b = 0; b < UINT64_C(1) << 31; b += stride, first = product(first, strides[kind])) {
        wide x = first;
        for (j = b; j < b + 4096; j++, x = product(x, step))
            if (j && distance(x) < nearest) nearest = distance(x);
    }
    CHECK(nearest > UINT64_C(1) << 32); // 2^-85
    for (j = 841758199; j > 0; j /= 2, square = product(square, square)) // this is the one
        if (j & 1) power = product(power, square);
    CHECK(distance(power) > UINT64_C(1) << 32 && distance(power) < UINT64_C(1) << 33);
}

TEST(log_specials)
{
    double value[6] = {0, 1, 1, 5e-324, 1.7976931348623157e308, 0};
    const uint64_t odd[3] = {UINT64_C(0x7ff0000000000000), UINT64_C(0xfff8000000001234),
                             UINT64_C(0x8000000000000000)};
    int8_t sign[6];
    int64_t level[6];
    uint8_t status[6];
    uint32_t sticky = 0;
    memcpy(&value[1], &odd[0], 8);
    memcpy(&value[2], &odd[1], 8);
    memcpy(&value[5], &odd[2], 8);
    padic_num_log_desc d = log_desc(PADIC_F64, 20, value, sign, level, 6);
    CHECK_EQ(padic_num_log_encode(NULL, &d), PADIC_ERROR_DOMAIN); // nothing to say it in
    d.sticky = &sticky;
    d.status = padic_tensor_1d(PADIC_U8, status, 6);
    CHECK_EQ(padic_num_log_encode(NULL, &d), PADIC_OK);
    CHECK_EQ(sticky, PADIC_NUM_OUTSIDE | PADIC_NUM_INEXACT);
    CHECK(!status[0] && status[1] == PADIC_NUM_OUTSIDE && status[2] == PADIC_NUM_OUTSIDE);
    CHECK(!status[3] && !status[4] && status[5] == PADIC_NUM_INEXACT);
    CHECK(!sign[0] && !sign[1] && !sign[2] && sign[3] == 1 && sign[4] == 1 && !sign[5]);
    CHECK(level[3] == -1074 * 1048576 && level[4] == 1024 * 1048576);
    double back[6];
    d.value = padic_tensor_1d(PADIC_F64, back, 6);
    CHECK_EQ(padic_num_log_decode(NULL, &d), PADIC_OK);
    CHECK(back[0] == 0 && back[1] == 0 && back[2] == 0 && back[3] == value[3]);
    CHECK(status[4] == PADIC_NUM_RANGE); // the largest float's level is 2^1024: infinity
    level[0] = INT64_MIN, level[1] = INT64_MAX, level[2] = 5;
    sign[0] = -1, sign[1] = 1, sign[2] = 2;
    CHECK_EQ(padic_num_log_decode(NULL, &d), PADIC_OK);
    CHECK(get(back, 8, 0) == odd[2] && status[0] == PADIC_NUM_INEXACT);
    CHECK(get(back, 8, 1) == odd[0] && status[1] == PADIC_NUM_RANGE);
    CHECK(get(back, 8, 2) == UINT64_C(0x7ff8000000000000) && status[2] == PADIC_NUM_OUTSIDE);
}

TEST(log_errors)
{
    double value[4] = {1, 2, 3, 4};
    int8_t sign[4];
    int64_t level[4] = {9, 9, 9, 9};
    padic_num_ring ring;
    padic_num_log_desc d = log_desc(PADIC_F64, 31, value, sign, level, 4);
    CHECK_EQ(padic_num_log_encode(NULL, NULL), PADIC_ERROR_ARGUMENT);
    CHECK_EQ(padic_num_log_encode(NULL, &d), PADIC_ERROR_LIMIT);
    d.fraction = 21;
    d.level = padic_tensor_1d(PADIC_I32, level, 4); // 1,075 2^21 > 2^31
    CHECK_EQ(padic_num_log_encode(NULL, &d), PADIC_ERROR_ARGUMENT);
    d.fraction = 20;
    CHECK_EQ(padic_num_log_encode(NULL, &d), PADIC_OK);
    CHECK_EQ(padic_num_ring_init(&ring, 2, 31, NULL), PADIC_OK);
    d.ring = &ring; // 2,150 2^20 > 2^31
    CHECK_EQ(padic_num_log_encode(NULL, &d), PADIC_ERROR_LIMIT);
    CHECK_EQ(padic_num_ring_init(&ring, 2, 32, NULL), PADIC_OK);
    CHECK_EQ(padic_num_log_encode(NULL, &d), PADIC_OK);
    memset(&ring, 0, sizeof ring);
    CHECK_EQ(padic_num_log_encode(NULL, &d), PADIC_ERROR_ARGUMENT);
    d.ring = NULL;
    d.sign.shape[0] = 3;
    CHECK_EQ(padic_num_log_encode(NULL, &d), PADIC_ERROR_MISMATCH);
    d.sign = padic_tensor_1d(PADIC_U8, sign, 4);
    CHECK_EQ(padic_num_log_encode(NULL, &d), PADIC_ERROR_DTYPE);
    d.sign = padic_tensor_1d(PADIC_I8, (int8_t *)(void *)value + 3, 4);
    CHECK_EQ(padic_num_log_encode(NULL, &d), PADIC_ERROR_OVERLAP);
    d.sign = padic_tensor_1d(PADIC_I8, NULL, 4);
    CHECK_EQ(padic_num_log_encode(NULL, &d), PADIC_ERROR_ARGUMENT);
    d = log_desc(PADIC_F64, 3, NULL, NULL, NULL, 0);
    CHECK_EQ(padic_num_log_encode(NULL, &d), PADIC_OK);
    d = log_desc(PADIC_F32, 23, value, sign, level, 4);
    CHECK_EQ(padic_num_log_decode(NULL, &d), PADIC_ERROR_LIMIT);
    d = log_desc(PADIC_I32, 3, value, sign, level, 4);
    CHECK_EQ(padic_num_log_decode(NULL, &d), PADIC_ERROR_DTYPE);
}

TEST(channels)
{
    static uint64_t value[65536], back[65536], mantissa[65536];
    static uint8_t sign[65536];
    static uint16_t exponent[65536];
    for (int t = 0; t < 4; t++) {
        const uint32_t size = padic_dtype_size(floats[t]);
        for (uint32_t i = 0; i < 65536; i++) put(value, size, i, size == 2 ? i : test_random());
        padic_num_channels_desc d = PADIC_ZERO;
        d.value = padic_tensor_1d(floats[t], value, 65536);
        d.sign = padic_tensor_1d(PADIC_U8, sign, 65536);
        d.exponent = padic_tensor_1d(PADIC_U16, exponent, 65536);
        d.mantissa = padic_tensor_1d(size == 8   ? PADIC_U64
                                     : size == 4 ? PADIC_U32
                                                 : PADIC_U16, mantissa, 65536);
        CHECK_EQ(padic_num_channels_split(NULL, &d), PADIC_OK);
        for (uint32_t i = 0; i < 65536; i++) {
            const uint64_t x = get(value, size, i), m = get(mantissa, size, i);
            CHECK(sign[i] < 2 && exponent[i] < 1u << exponents[t] && !(m >> mantissas[t]));
            CHECK_EQ(x, ((uint64_t)sign[i] << exponents[t] | exponent[i]) << mantissas[t] | m);
        }
        d.value = padic_tensor_1d(floats[t], back, 65536);
        CHECK_EQ(padic_num_channels_join(NULL, &d), PADIC_OK);
        CHECK(!memcmp(back, value, 65536 * size));
        sign[1] = 2;
        exponent[2] = (uint16_t)(1u << exponents[t]);
        put(mantissa, size, 3, UINT64_C(1) << mantissas[t]);
        CHECK_EQ(padic_num_channels_join(NULL, &d), PADIC_ERROR_DOMAIN);
        CHECK(!get(back, size, 1) && !get(back, size, 2) && !get(back, size, 3));
        CHECK_EQ(get(back, size, 4), get(value, size, 4));
        d.mantissa.dtype = PADIC_U8; // wide enough for bf16 only
        CHECK_EQ(padic_num_channels_join(NULL, &d) == PADIC_ERROR_ARGUMENT, t != 1);
        d.mantissa.dtype = PADIC_I32;
        CHECK_EQ(padic_num_channels_join(NULL, &d), PADIC_ERROR_DTYPE);
    }
    CHECK_EQ(padic_num_channels_split(NULL, NULL), PADIC_ERROR_ARGUMENT);
}

// The digest of one record by another road: multiplication by doubling, words from bytes, and
// Philox by its public address (counter = block, step, stream).
static uint64_t slow_product(uint64_t a, uint64_t b)
{
    const uint64_t q = (UINT64_C(1) << 61) - 1;
    uint64_t x = 0;
    for (int i = 60; i >= 0; i--) {
        x = 2 * x % q;
        if (b >> i & 1) x = (x + a) % q;
    }
    return x;
}

static void slow_digest(uint64_t seed, uint64_t id, const uint8_t *data, size_t size,
                        uint64_t sum[2])
{
    const uint64_t q = (UINT64_C(1) << 61) - 1;
    uint32_t w[4];
    uint64_t h[2];
    padic_random_block(seed, UINT64_C(0xffffffff00000000), 0xffffffff, 0, w);
    for (int k = 0; k < 2; k++) {
        const uint64_t r = (w[2 * k] | (uint64_t)w[2 * k + 1] << 32) % q;
        uint64_t x = 1;
        x = (slow_product(x, r) + ((uint64_t)size >> 32)) % q;
        x = (slow_product(x, r) + (uint32_t)size) % q;
        x = (slow_product(x, r) + (id >> 32)) % q;
        x = (slow_product(x, r) + (uint32_t)id) % q;
        for (size_t i = 0; i < size; i += 4) {
            uint32_t word = 0;
            for (size_t j = i; j < size && j < i + 4; j++) word |= (uint32_t)data[j] << 8 * (j - i);
            x = (slow_product(x, r) + word) % q;
        }
        h[k] = x;
    }
    padic_random_block(seed, h[1], (uint32_t)(h[0] >> 32), (uint32_t)h[0], w);
    sum[0] += w[0] | (uint64_t)w[1] << 32;
    sum[1] += w[2] | (uint64_t)w[3] << 32;
}

TEST(digest)
{
    uint8_t data[200][41];
    size_t size[200];
    uint64_t seed = test_random(), sum[2] = {0, 0};
    padic_num_digest a, b, c, empty;
    padic_num_digest_init(&a, seed);
    padic_num_digest_init(&b, seed);
    padic_num_digest_init(&c, seed);
    empty = a;
    for (uint32_t i = 0; i < 200; i++) {
        size[i] = i % 42;
        for (size_t j = 0; j < size[i]; j++) data[i][j] = (uint8_t)test_random();
        padic_num_digest_add(&a, i * i, size[i] ? data[i] : NULL, size[i]);
        slow_digest(seed, i * i, data[i], size[i], sum);
    }
    CHECK(a.count == 200 && a.sum[0] == sum[0] && a.sum[1] == sum[1]);
    for (uint32_t i = 200; i-- > 0;) // backwards, in two parts
        padic_num_digest_add(i % 3 ? &b : &c, i * i, data[i], size[i]);
    CHECK_EQ(padic_num_digest_merge(&b, &c), PADIC_OK);
    CHECK(!memcmp(&a, &b, sizeof a));
    for (uint32_t i = 0; i < 200; i++) { // change and change back, in another order
        uint8_t other[41];
        memset(other, (int)i, sizeof other);
        padic_num_digest_update(&b, i * i, data[i], other, size[i]);
        if (size[i] > 1) CHECK(memcmp(&a, &b, sizeof a));
        padic_num_digest_update(&b, i * i, other, data[i], size[i]);
    }
    CHECK(!memcmp(&a, &b, sizeof a));
    for (uint32_t i = 0; i < 200; i++) {
        const uint32_t k = i * 7 % 200;
        padic_num_digest_remove(&b, k * k, data[k], size[k]);
    }
    CHECK(!memcmp(&empty, &b, sizeof b));
    padic_num_digest_init(&b, seed + 1);
    CHECK_EQ(padic_num_digest_merge(&a, &b), PADIC_ERROR_MISMATCH);
}

// A sum of polynomials would not see these; lengths and zeros must count.
TEST(digest_cancel)
{
    int32_t x[2] = {5, 9}, y[2] = {6, 8};
    const uint8_t zeros[9] = {0};
    padic_num_digest a, b;
    padic_num_digest_init(&a, 42);
    padic_num_digest_init(&b, 42);
    for (uint32_t i = 0; i < 2; i++) {
        padic_num_digest_add(&a, i, &x[i], 4);
        padic_num_digest_add(&b, i, &y[i], 4); // +1 and -1
    }
    CHECK(a.sum[0] != b.sum[0] && a.sum[1] != b.sum[1]);
    padic_num_digest_init(&a, 42);
    padic_num_digest_add(&a, 0, x, 4);
    padic_num_digest_add(&a, 1, x + 1, 4);
    padic_num_digest_init(&b, 42);
    padic_num_digest_add(&b, 1, x, 4); // swapped owners
    padic_num_digest_add(&b, 0, x + 1, 4);
    CHECK(a.sum[0] != b.sum[0] && a.sum[1] != b.sum[1]);
    uint64_t seen[10];
    for (size_t n = 0; n < 10; n++) {
        padic_num_digest_init(&a, 42);
        padic_num_digest_add(&a, 0, zeros, n < 9 ? n : 0);
        if (n == 9) padic_num_digest_add(&a, 0, zeros, 0); // twice is not once
        seen[n] = a.sum[0];
        for (size_t k = 0; k < n; k++) CHECK(seen[k] != seen[n]);
    }
}

TEST(straight_through)
{
    float in[6] = {-2.0f, -1.0f, 0.0f, 1.0f, 1.0000001f, 0}, grad[6] = {1, 2, 3, 4, 5, 6};
    const uint16_t half[4] = {0x3c00, 0x3c01, 0xfc00, 0x0001}; // 1, above 1, -Inf, 2^-24
    const uint32_t nan = 0x7fc00000;
    uint16_t bf[4];
    memcpy(&in[5], &nan, 4);
    padic_num_ste_desc d = PADIC_ZERO;
    d.out = d.grad = padic_tensor_1d(PADIC_F32, grad, 6);
    d.in = padic_tensor_1d(PADIC_F32, in, 6);
    d.low = -1;
    d.high = 1;
    CHECK_EQ(padic_num_ste_backward(NULL, &d), PADIC_OK);
    CHECK(grad[0] == 0 && grad[1] == 2 && grad[2] == 3);
    CHECK(grad[3] == 4 && grad[4] == 0 && grad[5] == 0);
    uint16_t values[4];
    memcpy(values, half, sizeof half);
    uint16_t passed[4] = {0x3f80, 0x3f81, 0xffc1, 0x8001};
    d.out = padic_tensor_1d(PADIC_BF16, bf, 4);
    d.grad = padic_tensor_1d(PADIC_BF16, passed, 4);
    d.in = padic_tensor_1d(PADIC_F16, values, 4);
    d.low = 1.0 / 16777216;
    CHECK_EQ(padic_num_ste_backward(NULL, &d), PADIC_OK);
    CHECK(bf[0] == 0x3f80 && !bf[1] && !bf[2] && bf[3] == 0x8001);
    d.low = -1 / (double)(grad[0]); // -Inf
    CHECK_EQ(padic_num_ste_backward(NULL, &d), PADIC_OK);
    CHECK(bf[2] == 0xffc1);
    d.high = d.low - d.low;
    CHECK_EQ(padic_num_ste_backward(NULL, &d), PADIC_ERROR_ARGUMENT);
    d.high = 1;
    d.grad = padic_tensor_1d(PADIC_F32, grad, 4);
    CHECK_EQ(padic_num_ste_backward(NULL, &d), PADIC_ERROR_MISMATCH);
    d.grad = padic_tensor_1d(PADIC_BF16, bf + 1, 3);
    CHECK_EQ(padic_num_ste_backward(NULL, &d), PADIC_ERROR_MISMATCH);
    d.out = padic_tensor_1d(PADIC_BF16, bf, 3), d.in.shape[0] = 3;
    CHECK_EQ(padic_num_ste_backward(NULL, &d), PADIC_ERROR_OVERLAP);
}

enum { MANY = 300 };

// sent + residual' = residual + input, as integers, at every step of every mode.
TEST(gradient_identity)
{
    static const padic_dtype sent_types[4] = {PADIC_I8, PADIC_I16, PADIC_I32, PADIC_I64};
    for (int round = 0; round < 60; round++) {
        static float in[MANY];
        static int64_t residual[MANY], before[MANY], total[MANY], given[MANY], sent[MANY];
        static uint32_t index[MANY];
        const padic_dtype type = sent_types[round % 4];
        const uint32_t size = padic_dtype_size(type);
        padic_num_grad_desc d = PADIC_ZERO;
        padic_num_grad_report r;
        d.in = padic_tensor_1d(PADIC_F32, in, MANY);
        d.residual = padic_tensor_1d(PADIC_I64, residual, MANY);
        d.scale = 20;
        d.step = (uint32_t)(test_random() % 24);
        d.mode = (padic_num_grad_mode)(round % 3);
        d.threshold = test_random() % 3000000;
        d.top = test_random() % (MANY + 2);
        d.sent = padic_tensor_1d(type, sent, MANY);
        d.index = padic_tensor_1d(PADIC_U32, index, MANY);
        memset(residual, 0, sizeof residual);
        memset(total, 0, sizeof total);
        memset(given, 0, sizeof given);
        for (int step = 0; step < 5; step++) {
            for (int i = 0; i < MANY; i++) { // multiples of 2^-20, so exact
                const int64_t units = (int64_t)(test_random() % 8388608) - 4194304;
                in[i] = (float)units / 1048576.0f;
                if (test_random() % 4 == 0) in[i] = in[i > 0 ? i - 1 : 0]; // ties
                total[i] += (int64_t)(in[i] * 1048576.0f);
                before[i] = residual[i] + (int64_t)(in[i] * 1048576.0f);
            }
            CHECK_EQ(num_grad_step(NULL, &d, &r), PADIC_OK);
            CHECK(!r.inexact && !r.refused);
            uint64_t need = 0, k = 0;
            for (int i = 0; i < MANY; i++) {
                int chosen = d.mode == PADIC_NUM_GRAD_ALL;
                const int64_t m = before[i] < 0 ? -before[i] : before[i];
                if (d.mode == PADIC_NUM_GRAD_THRESHOLD) chosen = (uint64_t)m >= d.threshold;
                if (d.mode == PADIC_NUM_GRAD_TOP) {
                    uint64_t above = 0;
                    for (int j = 0; j < MANY; j++) {
                        const int64_t n = before[j] < 0 ? -before[j] : before[j];
                        above += n > m || (n == m && j < i);
                    }
                    chosen = above < d.top;
                }
                need += (uint64_t)chosen;
                if (!chosen) {
                    CHECK_EQ(residual[i], before[i]);
                    continue;
                }
                if (d.mode != PADIC_NUM_GRAD_ALL) CHECK_EQ(index[k], i);
                const uint64_t sign = UINT64_C(1) << (8 * size - 1);
                const int64_t q = (int64_t)((get(sent, size, k++) ^ sign) - sign);
                const int64_t part = q * (int64_t)(UINT64_C(1) << d.step);
                const int64_t half = (int64_t)(UINT64_C(1) << d.step >> 1);
                CHECK_EQ(part + residual[i], before[i]);
                given[i] += part;
                const int full = q == (int64_t)(sign - 1) || q == (int64_t)(0 - sign);
                CHECK(full || (residual[i] <= half && residual[i] >= -half));
                if (half && (residual[i] == half || residual[i] == -half)) CHECK(full || !(q & 1));
            }
            CHECK_EQ(r.sent, need);
        }
        for (int i = 0; i < MANY; i++) CHECK_EQ(total[i], given[i] + residual[i]);
    }
}

TEST(gradient_specials)
{
    double in[8] = {0.5, 1.5, -2.5, 1e300, 1, 1, 3, 5e-324};
    const uint64_t nan = UINT64_C(0x7ff8000000000000);
    int64_t residual[8] = {0, 0, 0, 5, INT64_MAX, INT64_MIN, 0, 0}, sent[8];
    uint8_t status[8];
    uint32_t sticky = 0, index[8];
    padic_num_grad_report r;
    memcpy(&in[6], &nan, 8);
    padic_num_grad_desc d = PADIC_ZERO;
    d.in = padic_tensor_1d(PADIC_F64, in, 8);
    d.residual = padic_tensor_1d(PADIC_I64, residual, 8);
    d.sent = padic_tensor_1d(PADIC_I64, sent, 8);
    d.status = padic_tensor_1d(PADIC_U8, status, 8);
    d.sticky = &sticky;
    CHECK_EQ(num_grad_step(NULL, &d, &r), PADIC_OK);
    CHECK(sent[0] == 0 && sent[1] == 2 && sent[2] == -2); // ties to even
    CHECK(sent[3] == 5 && sent[4] == INT64_MAX && sent[5] == INT64_MIN + 1 && !sent[6] && !sent[7]);
    CHECK(status[3] == PADIC_NUM_RANGE && status[4] == PADIC_NUM_RANGE && !status[5]);
    CHECK(status[6] == PADIC_NUM_OUTSIDE && status[7] == PADIC_NUM_INEXACT);
    CHECK(r.sent == 8 && r.inexact == 4 && r.refused == 3);
    CHECK_EQ(sticky, PADIC_NUM_RANGE | PADIC_NUM_OUTSIDE | PADIC_NUM_INEXACT);
    for (int i = 0; i < 8; i++) CHECK_EQ(residual[i], 0);
    // The largest steps: INT64_MAX is nearer to 2 2^62 than to 2^62.
    memset(in, 0, sizeof in);
    residual[0] = INT64_MAX, residual[1] = INT64_MIN, residual[2] = INT64_C(1) << 61;
    d.step = 62;
    CHECK_EQ(num_grad_step(NULL, &d, NULL), PADIC_OK);
    CHECK(sent[0] == 2 && residual[0] == -1 && sent[1] == -2 && residual[1] == 0 && sent[2] == 0);
    // No room: nothing is sent, nothing is lost.
    for (int i = 0; i < 8; i++) in[i] = i % 3, residual[i] = 0;
    d.step = 0;
    d.mode = PADIC_NUM_GRAD_TOP;
    d.top = 5;
    d.sent = padic_tensor_1d(PADIC_I64, sent, 4);
    d.index = padic_tensor_1d(PADIC_U32, index, 4);
    CHECK_EQ(num_grad_step(NULL, &d, &r), PADIC_ERROR_CAPACITY);
    CHECK(r.sent == 5 && residual[2] == 2 && residual[1] == 1 && residual[7] == 1);
    memset(in, 0, sizeof in);
    d.top = 3;
    CHECK_EQ(num_grad_step(NULL, &d, &r), PADIC_OK);
    CHECK(r.sent == 3 && index[0] == 1 && index[1] == 2 && index[2] == 5); // ties: the lower index
    CHECK(sent[0] == 1 && sent[1] == 2 && sent[2] == 2 && !residual[2] && residual[4] == 1);
    d.status = padic_tensor_1d(PADIC_DTYPE_NONE, NULL, 0), d.sticky = NULL;
    memcpy(&in[6], &nan, 8);
    CHECK_EQ(num_grad_step(NULL, &d, &r), PADIC_ERROR_DOMAIN);
    CHECK(r.sent == 3 && r.refused == 1 && residual[4] == 0); // done all the same
    // 1 = 2^52 2^-52 is 2^-11 and 2^-12 of a unit, and 2^-1100; the largest float is too large.
    for (int k = 0; k < 4; k++) {
        static const int32_t scales[4] = {-11, -12, -1100, 1100};
        double one = 1;
        int64_t state = 5, out;
        padic_num_grad_desc e = PADIC_ZERO;
        e.in = padic_tensor_1d(PADIC_F64, &one, 1);
        e.residual = padic_tensor_1d(PADIC_I64, &state, 1);
        e.sent = padic_tensor_1d(PADIC_I64, &out, 1);
        e.scale = scales[k];
        e.sticky = &sticky;
        CHECK_EQ(num_grad_step(NULL, &e, &r), PADIC_OK);
        CHECK(out == 5 && state == 0 && r.inexact == (k < 3) && r.refused == (k == 3));
    }
    // errors
    CHECK_EQ(num_grad_step(NULL, NULL, &r), PADIC_ERROR_ARGUMENT);
    d.step = 63;
    CHECK_EQ(num_grad_step(NULL, &d, &r), PADIC_ERROR_ARGUMENT);
    d.step = 0, d.scale = 1101;
    CHECK_EQ(num_grad_step(NULL, &d, &r), PADIC_ERROR_ARGUMENT);
    d.scale = 0, d.index.shape[0] = 3;
    CHECK_EQ(num_grad_step(NULL, &d, &r), PADIC_ERROR_MISMATCH);
    d.index.shape[0] = 4, d.index.data = residual;
    CHECK_EQ(num_grad_step(NULL, &d, &r), PADIC_ERROR_OVERLAP);
    d.index.data = index, d.residual.dtype = PADIC_U64;
    CHECK_EQ(num_grad_step(NULL, &d, &r), PADIC_ERROR_DTYPE);
}

// Threads change no byte.
TEST(threads)
{
    enum { N = 40000 };
    static float in[N];
    static int64_t a[N], b[N], sent[2][N], level[2][N];
    static int8_t sign[2][N];
    padic_context *context;
    padic_context_desc cd = PADIC_ZERO;
    padic_threads *pool = padic_threads_create(3, NULL);
    REQUIRE(pool != NULL);
    cd.jobs = padic_threads_jobs(pool);
    REQUIRE(padic_context_create(&cd, &context) == PADIC_OK);
    for (int i = 0; i < N; i++) in[i] = (float)((int64_t)test_random() >> 40) / 4096.0f;
    for (int k = 0; k < 2; k++) {
        padic_num_log_desc l = log_desc(PADIC_F32, 16, in, sign[k], level[k], N);
        CHECK_EQ(padic_num_log_encode(k ? context : NULL, &l), PADIC_OK);
        padic_num_grad_desc d = PADIC_ZERO;
        padic_num_grad_report r;
        d.in = padic_tensor_1d(PADIC_F32, in, N);
        d.residual = padic_tensor_1d(PADIC_I64, k ? a : b, N);
        d.sent = padic_tensor_1d(PADIC_I64, sent[k], N);
        d.scale = 10;
        d.step = 4;
        CHECK_EQ(num_grad_step(k ? context : NULL, &d, &r), PADIC_OK);
        CHECK(r.sent == N && r.inexact > 0);
    }
    CHECK(!memcmp(a, b, sizeof a) && !memcmp(sent[0], sent[1], sizeof a));
    CHECK(!memcmp(level[0], level[1], sizeof a) && !memcmp(sign[0], sign[1], sizeof sign[0]));
    padic_context_destroy(context);
    padic_threads_destroy(pool);
}

TEST_MAIN("num_channels", CASE(log_golden), CASE(log_sweep), CASE(log_round_trip),
          CASE(log_thresholds), CASE(log_specials), CASE(log_errors), CASE(channels), CASE(digest),
          CASE(digest_cancel), CASE(straight_through),
          CASE(gradient_identity), CASE(gradient_specials), CASE(threads))
