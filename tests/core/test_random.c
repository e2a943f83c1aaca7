// Random numbers: published answers of Philox4x32-10, the grids, addresses, and the same bytes for
// every view, thread count and byte order.
#define PADIC_IMPLEMENTATION
#include "../../padic.h"
#include "../../backends/padic_threads.h"
#include "../support/padic_test.h"
#include "../support/ask.h"

// The three known answers of Random123 (kat_vectors, philox4x32 10).
TEST(known_answers)
{
    static const uint32_t kat[3][10] = {
        // counter, key, output
        {0, 0, 0, 0, 0, 0, 0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8},
        {0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff, 0x408f276d,
         0x41c83b0e, 0xa20bc7c6, 0x6d5451fd},
        {0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344, 0xa4093822, 0x299f31d0, 0xd16cfe09,
         0x94fdcceb, 0x5001e420, 0x24126ea1},
    };
    for (int i = 0; i < 3; i++) {
        const uint32_t *k = kat[i];
        uint32_t out[4];
        padic_random_block((uint64_t)k[5] << 32 | k[4], (uint64_t)k[3] << 32 | k[2], k[1], k[0],
                           out);
        for (int j = 0; j < 4; j++) CHECK_EQ(out[j], k[6 + j]);
    }
}

// Each part of the address changes the block, and all 4 words of it.
TEST(address)
{
    uint32_t a[4], b[4];
    padic_random_block(1, 2, 3, 4, a);
    for (int bit = 0; bit < 192; bit++) {
        const uint64_t flip = UINT64_C(1) << (bit & 63);
        padic_random_block(1 ^ (bit < 64 ? flip : 0), 2 ^ (bit >= 64 && bit < 128 ? flip : 0),
                           3 ^ (bit >= 160 ? (uint32_t)1 << (bit - 160) : 0),
                           4 ^ (bit >= 128 && bit < 160 ? (uint32_t)1 << (bit - 128) : 0), b);
        for (int j = 0; j < 4; j++) CHECK(a[j] != b[j]);
    }
}

TEST(grids)
{
    CHECK(padic_random_f32(0) == 0.0f && padic_random_f32(255) == 0.0f);
    CHECK(padic_random_f32(256) == 1.0f / 16777216.0f);
    CHECK(padic_random_f32(0xffffffffu) == 16777215.0f / 16777216.0f);
    CHECK(padic_random_f64(0x7ff, 0) == 0.0);
    CHECK(padic_random_f64(0x800, 0) == 1.0 / 9007199254740992.0);
    CHECK(padic_random_f64(0xffffffffu, 0xffffffffu) == 9007199254740991.0 / 9007199254740992.0);
    CHECK(padic_random_symmetric(0) == -16777215.0f / 16777216.0f);
    CHECK(padic_random_symmetric(0xffffffffu) == 16777215.0f / 16777216.0f);
    CHECK(padic_random_symmetric(0x7fffffffu) == -1.0f / 16777216.0f);
    CHECK(padic_random_symmetric(0x80000000u) == 1.0f / 16777216.0f);
    for (int i = 0; i < 1000; i++) { // odd about the middle
        const uint32_t w = (uint32_t)test_random();
        CHECK(padic_random_symmetric(w) == -padic_random_symmetric(~w));
    }
}

// Bits of a binary16 or bfloat16 as a double, by the definition of the format.
static double small_float(uint16_t bits, int mantissa, int bias)
{
    double value = (double)(bits & ((1 << mantissa) - 1)) / (double)(1 << mantissa);
    int e = (bits & 0x7fff) >> mantissa;
    if (e) value += 1.0;
    e = (e ? e : 1) - bias;
    for (; e < 0; e++) value /= 2.0;
    for (; e > 0; e--) value *= 2.0;
    return bits >> 15 ? -value : value;
}

// Word w of (seed, stream, step), the definition in padic.h.
static uint32_t word(uint64_t seed, uint64_t stream, uint32_t step, uint64_t w)
{
    uint32_t block[4];
    padic_random_block(seed, stream, step, (uint32_t)(w / 4), block);
    return block[w % 4];
}

enum { SEED = 77, STEP = 9 };
static const uint64_t stream = UINT64_C(0x1234500000007);

// Whether element i of a filled tensor, at p, is what the words say.
static int element_right(padic_dtype dtype, uint64_t i, const void *p)
{
    const uint32_t one = word(SEED, stream, STEP, i);
    const uint32_t low = word(SEED, stream, STEP, 2 * i);
    const uint32_t high = word(SEED, stream, STEP, 2 * i + 1);
    uint8_t b;
    uint16_t h;
    uint32_t w;
    uint64_t u;
    float f[2];
    double d[2];
    switch (dtype) {
    case PADIC_I8:
    case PADIC_U8: return memcpy(&b, p, 1), b == (uint8_t)one;
    case PADIC_I16:
    case PADIC_U16: return memcpy(&h, p, 2), h == (uint16_t)one;
    case PADIC_I32:
    case PADIC_U32: return memcpy(&w, p, 4), w == one;
    case PADIC_I64:
    case PADIC_U64: return memcpy(&u, p, 8), u == ((uint64_t)high << 32 | low);
    case PADIC_F16: return memcpy(&h, p, 2), small_float(h, 10, 15) == (one >> 21) / 2048.0;
    case PADIC_BF16: return memcpy(&h, p, 2), small_float(h, 7, 127) == (one >> 24) / 256.0;
    case PADIC_F32: return memcpy(f, p, 4), f[0] == padic_random_f32(one);
    case PADIC_F64: return memcpy(d, p, 8), d[0] == padic_random_f64(low, high);
    case PADIC_C64:
        memcpy(f, p, 8);
        return f[0] == padic_random_f32(low) && f[1] == padic_random_f32(high);
    default:
        memcpy(d, p, 16);
        return d[0] == padic_random_f64(word(SEED, stream, STEP, 4 * i),
                                        word(SEED, stream, STEP, 4 * i + 1)) &&
               d[1] == padic_random_f64(word(SEED, stream, STEP, 4 * i + 2),
                                        word(SEED, stream, STEP, 4 * i + 3));
    }
}

static padic_random_fill_desc fill_of(padic_tensor tensor)
{
    padic_random_fill_desc desc = PADIC_ZERO;
    desc.tensor = tensor;
    desc.seed = SEED;
    desc.stream = stream;
    desc.step = STEP;
    return desc;
}

TEST(fill_every_dtype)
{
    static const uint64_t sizes[] = {0, 1, 2, 3, 5, 64, 1001};
    static char data[1001 * 16 + 16];
    for (int type = PADIC_F64; type <= PADIC_C128; type++) {
        const padic_dtype dtype = (padic_dtype)type;
        const uint32_t size = padic_dtype_size(dtype);
        for (int s = 0; s < 7; s++) {
            memset(data, 0xee, sizeof data);
            padic_random_fill_desc desc = fill_of(padic_tensor_1d(dtype, data, sizes[s]));
            CHECK_EQ(padic_random_fill(NULL, &desc), PADIC_OK);
            for (uint64_t i = 0; i < sizes[s]; i++) CHECK(element_right(dtype, i, data + i * size));
            for (uint32_t i = 0; i < 16; i++)
                CHECK((unsigned char)data[sizes[s] * size + i] == 0xee); // nothing beyond
        }
    }
}

// Strides change where elements go, not what they are; gaps stay.
TEST(fill_strided)
{
    static uint32_t data[7 * 64];
    padic_random_fill_desc desc = fill_of(padic_tensor_3d(PADIC_U32, data, 5, 3, 4));
    int touched = 0;
    desc.tensor.stride[0] = 2; // an order and gaps of its own: 1 + 4 * 2 + 2 * 12 + 3 * 37 elements
    desc.tensor.stride[1] = 12;
    desc.tensor.stride[2] = 37;
    memset(data, 0xee, sizeof data);
    CHECK_EQ(padic_random_fill(NULL, &desc), PADIC_OK);
    for (uint64_t i = 0; i < 60; i++)
        CHECK(element_right(PADIC_U32, i,
                            data + (i / 12) * 2 + (i / 4 % 3) * 12 + (i % 4) * 37));
    for (int i = 0; i < 7 * 64; i++) touched += data[i] != 0xeeeeeeeeu;
    CHECK_EQ(touched, 60);
}

// Chunks that begin in the middle of a row of a view with gaps and axes in another order.
TEST(fill_strided_chunks)
{
    enum { A = 7, B = 151, C = 140, ROOM = 400000 };
    uint16_t *data = (uint16_t *)malloc(ROOM * 2);
    REQUIRE(data);
    padic_random_fill_desc desc = fill_of(padic_tensor_3d(PADIC_U16, data, A, B, C));
    desc.tensor.stride[0] = 2;
    desc.tensor.stride[1] = 15 * (C + 1);
    desc.tensor.stride[2] = 15;
    memset(data, 0xee, ROOM * 2);
    CHECK_EQ(padic_random_fill(NULL, &desc), PADIC_OK);
    for (uint64_t i = 0; i < A * B * C; i++)
        CHECK(element_right(PADIC_U16, i,
                            data + i / (B * C) * 2 + i / C % B * (15 * (C + 1)) + i % C * 15));
    free(data);
}

// 70,000 elements are two chunks. Threads must not change a byte.
TEST(fill_threads)
{
    enum { N = 140001 };
    uint16_t *a = (uint16_t *)malloc(N * 2), *b = (uint16_t *)malloc(N * 2);
    REQUIRE(a && b);
    padic_random_fill_desc desc = fill_of(padic_tensor_1d(PADIC_F16, a, N));
    CHECK_EQ(padic_random_fill(NULL, &desc), PADIC_OK);
    for (uint32_t workers = 1; workers <= 5; workers++) {
        padic_threads *threads = padic_threads_create(workers, NULL);
        padic_context_desc setup = PADIC_ZERO;
        padic_context *context;
        REQUIRE(threads != NULL);
        setup.jobs = padic_threads_jobs(threads);
        CHECK_EQ(padic_context_create(&setup, &context), PADIC_OK);
        memset(b, 0, N * 2);
        desc.tensor.data = b;
        CHECK_EQ(padic_random_fill(context, &desc), PADIC_OK);
        CHECK(!memcmp(a, b, N * 2));
        padic_context_destroy(context);
        padic_threads_destroy(threads);
    }
    for (uint64_t i = 65530; i < 65550; i++) CHECK(element_right(PADIC_F16, i, a + i));
    CHECK(element_right(PADIC_F16, N - 1, a + N - 1));
    free(a);
    free(b);
}

TEST(fill_refuses)
{
    uint64_t value = 0; // aligned for every dtype
    padic_random_fill_desc desc = fill_of(padic_tensor_1d(PADIC_U32, &value, 1));
    padic_context *context;
    CHECK_EQ(padic_context_create(NULL, &context), PADIC_OK);
    REQUIRE(context != NULL);
    CHECK_EQ(padic_random_fill(NULL, NULL), PADIC_ERROR_ARGUMENT);
    desc.tensor.dtype = (padic_dtype)15;
    CHECK_EQ(padic_random_fill(NULL, &desc), PADIC_ERROR_DTYPE);
    desc.tensor.dtype = PADIC_U32;
    desc.tensor.data = NULL;
    CHECK_EQ(padic_random_fill(NULL, &desc), PADIC_ERROR_ARGUMENT);
    desc.tensor.data = &value;
    desc.tensor.shape[0] = (UINT64_C(1) << 34) + 1;
    CHECK_EQ(padic_random_fill(NULL, &desc), PADIC_ERROR_LIMIT);
    desc.tensor.shape[0]--;
    CHECK_EQ(ASK(context, padic_random_fill(context, &desc)), PADIC_OK);
    desc.tensor.dtype = PADIC_C128;
    desc.tensor.shape[0] = (UINT64_C(1) << 32) + 1;
    CHECK_EQ(padic_random_fill(NULL, &desc), PADIC_ERROR_LIMIT);
    desc.tensor.shape[0]--;
    CHECK_EQ(ASK(context, padic_random_fill(context, &desc)), PADIC_OK);
    CHECK_EQ(value, 0);
    padic_context_destroy(context);
}

// Means and correlations of neighbours, within 5 standard deviations: catches words used twice.
TEST(looks_random)
{
    const uint64_t n = test_tiny ? 10000 : 1000000;
    double *x = (double *)malloc((size_t)n * sizeof *x), mean = 0, lag = 0;
    REQUIRE(x);
    padic_random_fill_desc desc = fill_of(padic_tensor_1d(PADIC_F64, x, n));
    CHECK_EQ(padic_random_fill(NULL, &desc), PADIC_OK);
    for (uint64_t i = 0; i < n; i++) mean += x[i] - 0.5;
    for (uint64_t i = 1; i < n; i++) lag += (x[i] - 0.5) * (x[i - 1] - 0.5);
    CHECK(mean * mean < 25.0 * (double)n / 12.0);
    CHECK(lag * lag < 25.0 * (double)n / 144.0);
    free(x);
}

TEST_MAIN("random", CASE(known_answers), CASE(address), CASE(grids), CASE(fill_every_dtype),
          CASE(fill_strided), CASE(fill_strided_chunks), CASE(fill_threads), CASE(fill_refuses),
          CASE(looks_random))
