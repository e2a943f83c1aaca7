// test_gpu_sample.c: low-discrepancy points in buffers of a device. Every function, mode, type and
// base gives the bytes that the host gives, which test_sample.c has compared with an oracle.
#define PADIC_IMPLEMENT_GPU
#include "../support/inside.h"
#include "../../padic.h"

#include "gpu_devices.h"
#include "../support/sample_calls.h"

#define POINTS 1000u
static uint64_t keys[4096];

// A tensor of host memory and its twin in a buffer, `skip` elements from its start.
typedef struct twin {
    padic_tensor host, device;
    uint8_t *memory;
    size_t size;
} twin;

static twin twin_new(padic_context *context, padic_tensor like, uint64_t elements, uint64_t skip)
{
    padic_buffer_desc desc = PADIC_ZERO;
    padic_buffer buffer = {0};
    twin t;
    size_t i;
    t.size = (size_t)((elements + skip + 8) * padic_dtype_size(like.dtype) + 3) & ~(size_t)3;
    t.memory = (uint8_t *)malloc(t.size);
    if (!t.memory) abort();
    for (i = 0; i < t.size; i++) t.memory[i] = (uint8_t)(0x5a + i % 7);
    desc.size = t.size;
    CHECK_EQ(padic_buffer_create(context, &desc, &buffer), PADIC_OK);
    t.host = like;
    t.host.data = t.memory + skip * padic_dtype_size(like.dtype);
    t.device = padic_tensor_in(like, buffer, skip);
    t.device.data = NULL;
    return t;
}

static void twin_up(padic_context *context, const twin *t)
{
    CHECK_EQ(padic_buffer_upload(context, t->device.buffer, 0, t->memory, t->size), PADIC_OK);
}

// Both have the same bytes, those between and behind the elements, too.
static int twin_same(padic_context *context, const twin *t)
{
    uint8_t *got = (uint8_t *)malloc(t->size);
    int same;
    if (!got) abort();
    CHECK_EQ(padic_buffer_download(context, t->device.buffer, 0, got, t->size), PADIC_OK);
    same = !memcmp(got, t->memory, t->size);
    free(got);
    return same;
}

static void twin_end(padic_context *context, twin *t)
{
    CHECK_EQ(padic_buffer_destroy(context, t->device.buffer), PADIC_OK);
    free(t->memory);
}

static const padic_dtype dtypes[] = {PADIC_U32, PADIC_U64, PADIC_F32, PADIC_F64};

static padic_sample_scrambling scrambling_of(padic_sample_mode mode)
{
    padic_sample_scrambling s = PADIC_ZERO;
    s.mode = mode;
    if (mode) s.keys = padic_tensor_1d(PADIC_U64, keys, sizeof keys / 8);
    return s;
}

static void fill_keys(void)
{
    uint32_t i, word[4];
    for (i = 0; i < sizeof keys / sizeof *keys; i++) {
        padic_random_block(4, 5, 6, i, word);
        keys[i] = word[0] | (uint64_t)word[1] << 32;
    }
}

// Index views: of U32 or U64 numbers below b^D, `stride` apart, one of them too large if `outside`.
static twin indices(padic_context *context, padic_dtype dtype, uint64_t last, uint64_t n,
                    uint64_t stride, int outside)
{
    padic_tensor like = padic_tensor_1d(dtype, NULL, n);
    twin t;
    uint64_t i, x;
    uint32_t word[4], half;
    like.stride[0] = (int64_t)stride;
    t = twin_new(context, like, n * stride, 3);
    for (i = 0; i < n; i++) {
        padic_random_block(1, 2, 3, (uint32_t)i, word);
        x = word[0] | (uint64_t)word[1] << 32;
        if (dtype == PADIC_U32 && last > UINT32_MAX) x = word[0];
        else if (last < UINT64_MAX) x %= last + 1;
        if (i == n / 2) x = dtype == PADIC_U32 && last > UINT32_MAX ? UINT32_MAX : last;
        if (i == n / 3 && outside) x = last + 1;
        half = (uint32_t)x;
        if (dtype == PADIC_U32)
            memcpy((uint8_t *)t.host.data + 4 * i * stride, &half, 4);
        else
            memcpy((uint8_t *)t.host.data + 8 * i * stride, &x, 8);
    }
    twin_up(context, &t);
    return t;
}

static void inverse_case(padic_context *context, uint32_t base, padic_sample_digits digits,
                         padic_sample_mode mode, padic_dtype dtype, uint64_t n, int given,
                         int reversed)
{
    const uint64_t step = n % 2 ? 2 : 1;
    padic_sample_radical_inverse_desc desc = PADIC_ZERO, there;
    padic_tensor like = padic_tensor_1d(dtype, NULL, n);
    padic_result result;
    uint64_t last;
    twin out, index = PADIC_ZERO;
    last = padic_sample_last_index(base, digits);
    like.stride[0] = (int64_t)step;
    out = twin_new(context, like, n * step, 1);
    desc.base = base;
    desc.digits = digits;
    desc.scrambling = scrambling_of(mode);
    desc.reversed = (uint32_t)reversed;
    desc.first = last - n + (n ? 1 : 0);
    there = desc;
    if (given) {
        index = indices(context, given == 1 ? PADIC_U32 : PADIC_U64, last, n, given == 1 ? 1 : 3,
                        given == 3);
        desc.index = index.host;
        there.index = index.device;
    }
    twin_up(context, &out);
    desc.out = out.host;
    there.out = out.device;
    result = padic_sample_radical_inverse(NULL, &desc);
    CHECK_EQ(result, given == 3 && n ? PADIC_ERROR_LIMIT : PADIC_OK);
    CHECK_EQ(padic_sample_radical_inverse(context, &there), result);
    if (!twin_same(context, &out)) {
        printf("\n  base %u digits %d mode %d dtype %d n %d index %d reversed %d", base,
               (int)digits, (int)mode, (int)dtype, (int)n, given, reversed);
        test_failed(__FILE__, __LINE__, "the host's bytes");
    }
    twin_end(context, &out);
    if (given) twin_end(context, &index);
}

TEST(inverses)
{
    static const uint32_t bases[] = {2, 3, 5, 10, 257, 1021, 8161, 65537};
    static const uint64_t counts[] = {0, 1, 129, POINTS};
    int d;
    uint32_t b, t, m;
    fill_keys();
    open_devices();
    for (d = 0; d < device_count; d++)
        for (b = 0; b < 8; b++)
            for (m = 0; m < 4; m++)
                for (t = 0; t < 4; t++) {
                    const padic_sample_digits digits = (padic_sample_digits)((b + t + m) % 2);
                    if (m == 3 && bases[b] > 300) continue; // 1,021 steps a digit: slow
                    if (m && bases[b] > 1021 && bases[b] != 8161 && bases[b] != 65537) continue;
                    inverse_case(devices[d], bases[b], digits, (padic_sample_mode)m, dtypes[t],
                                 counts[(b + m + t) % 4], 0, 0);
                    inverse_case(devices[d], bases[b], (padic_sample_digits)(1 - (int)digits),
                                 (padic_sample_mode)m, dtypes[t], test_tiny ? 33 : 259,
                                 bases[b] == 257 && t == 3 ? 3 : (int)(b + t) % 3, 0);
                    if (t == 1)
                        inverse_case(devices[d], bases[b], digits, (padic_sample_mode)m, PADIC_U64,
                                     77, 2, 1);
                }
}

// Points of several dimensions, in both layouts.
TEST(points)
{
    static const padic_sample_mode modes[] = {PADIC_SAMPLE_MODE_NONE, PADIC_SAMPLE_MODE_OWEN,
                                              PADIC_SAMPLE_MODE_PERMUTE};
    int d, i, m, t;
    fill_keys();
    open_devices();
    for (d = 0; d < device_count; d++)
        for (i = 0; i < 4; i++)
            for (m = 0; m < 3; m++)
                for (t = 0; t < 4; t++) {
                    const uint64_t n = t ? 137 : 1, c = (uint64_t)i + 1;
                    padic_sample_halton_desc halton = PADIC_ZERO;
                    padic_sample_hammersley_desc hammersley = PADIC_ZERO;
                    twin out = twin_new(devices[d],
                                        i % 2 ? padic_tensor_2d(dtypes[t], NULL, n, c)
                                              : padic_tensor_2d(dtypes[t], NULL, c, n),
                                        n * c, 2);
                    twin_up(devices[d], &out);
                    halton.layout = hammersley.layout =
                        i % 2 ? PADIC_SAMPLE_LAYOUT_POINTS : PADIC_SAMPLE_LAYOUT_PLANES;
                    halton.dimension = 5u * (uint32_t)i;
                    halton.first = 1000;
                    halton.scrambling = hammersley.scrambling = scrambling_of(modes[m]);
                    halton.out = out.host;
                    CHECK_EQ(padic_sample_halton(NULL, &halton), PADIC_OK);
                    halton.out = out.device;
                    CHECK_EQ(padic_sample_halton(devices[d], &halton), PADIC_OK);
                    CHECK(twin_same(devices[d], &out));
                    hammersley.n = 1013;
                    hammersley.first = 3;
                    hammersley.digits = (padic_sample_digits)(t % 2);
                    hammersley.out = out.host;
                    CHECK_EQ(padic_sample_hammersley(NULL, &hammersley), PADIC_OK);
                    hammersley.out = out.device;
                    CHECK_EQ(padic_sample_hammersley(devices[d], &hammersley), PADIC_OK);
                    CHECK(twin_same(devices[d], &out));
                    twin_end(devices[d], &out);
                }
}

// Scramble and back, reversal and back, shuffles: also into the memory of what they read.
TEST(maps)
{
    static const uint32_t bases[] = {2, 3, 6, 257, 65537};
    int d, b, m, in_place;
    fill_keys();
    open_devices();
    for (d = 0; d < device_count; d++)
        for (b = 0; b < 5; b++)
            for (m = 0; m < 3; m++)
                for (in_place = 0; in_place < 2; in_place++) {
                    padic_context *const context = devices[d];
                    const padic_sample_digits digits = (padic_sample_digits)(m == 2);
                    const padic_dtype dtype = m == 2 ? PADIC_U64 : PADIC_U32;
                    padic_sample_scramble_desc scramble = PADIC_ZERO;
                    padic_sample_shuffle_index_desc shuffle = PADIC_ZERO;
                    padic_sample_radical_index_desc reverse = PADIC_ZERO;
                    uint64_t last;
                    twin in, out;
                    last = padic_sample_last_index(bases[b], digits);
                    in = indices(context, dtype, last, 100, 1, 0);
                    out = twin_new(context, in.host, 100, 0);
                    twin_up(context, &out);
                    if (in_place) {
                        twin_end(context, &out);
                        out = in;
                    }
                    scramble.base = shuffle.base = reverse.base = bases[b];
                    scramble.digits = shuffle.digits = reverse.digits = digits;
                    scramble.scrambling = shuffle.scrambling =
                        scrambling_of(m ? PADIC_SAMPLE_MODE_OWEN : PADIC_SAMPLE_MODE_PERMUTE);
#define BOTH(desc, call, from, to)                                                              \
    desc.from = in.host;                                                                        \
    desc.to = out.host;                                                                         \
    CHECK_EQ(call(NULL, &desc), PADIC_OK);                                                      \
    desc.from = in.device;                                                                      \
    desc.to = out.device;                                                                       \
    CHECK_EQ(call(context, &desc), PADIC_OK);                                                   \
    CHECK(twin_same(context, &out))
                    BOTH(scramble, padic_sample_scramble, reversals, out);
                    BOTH(scramble, sample_unscramble, reversals, out);
                    BOTH(shuffle, padic_sample_shuffle_index, index, out);
                    shuffle.levels = 2 - (bases[b] > 60000);
                    BOTH(shuffle, padic_sample_shuffle_index, index, out);
                    BOTH(reverse, padic_sample_radical_index, reversals, out);
                    if (!in_place) twin_end(context, &out);
                    twin_end(context, &in);
                }
}

TEST(refused)
{
    int d;
    fill_keys();
    open_devices();
    for (d = 0; d < device_count; d++) {
        padic_context *const context = devices[d];
        padic_sample_radical_inverse_desc desc = PADIC_ZERO;
        twin out = twin_new(context, padic_tensor_1d(PADIC_U32, NULL, 64), 64, 0);
        twin index = indices(context, PADIC_U32, 1000, 64, 1, 0);
        twin_up(context, &out);
        desc.base = 3;
        desc.out = out.device;
        desc.index = index.host; // there and here: moved there
        CHECK_EQ(padic_sample_radical_inverse(context, &desc), PADIC_OK);
        desc.out = out.host;
        CHECK_EQ(padic_sample_radical_inverse(NULL, &desc), PADIC_OK);
        CHECK(twin_same(context, &out));
        desc.out = out.device;
        desc.index = index.device;
        CHECK_EQ(padic_sample_radical_inverse(NULL, &desc), PADIC_ERROR_ARGUMENT);
        desc.index = padic_tensor_in(padic_tensor_1d(PADIC_U32, NULL, 64), out.device.buffer, 1);
        CHECK_EQ(padic_sample_radical_inverse(context, &desc), PADIC_ERROR_OVERLAP);
        memset(&desc.index, 0, sizeof desc.index);
        desc.out.offset = 10; // 64 elements from there are beyond the end
        CHECK(padic_sample_radical_inverse(context, &desc) != PADIC_OK);
        desc.out.offset = 0;
        desc.first = UINT32_MAX;
        CHECK_EQ(padic_sample_radical_inverse(context, &desc), PADIC_ERROR_LIMIT);
        CHECK(twin_same(context, &out));
        twin_end(context, &out);
        twin_end(context, &index);
    }
}

TEST_MAIN("gpu_sample", CASE(inverses), CASE(points), CASE(maps), CASE(refused),
          CASE(no_kernel_was_dropped))
