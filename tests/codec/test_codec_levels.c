// test_codec_levels.c: a higher level packs no worse: on the arrays of tests/data/ the mean ratio
// never falls from one level to the next, and that of one array by no more than one part in 64. And
// from level 5 on, repeats of bytes are found where those of elements are half of it, and from
// level 2 on differences whose bytes are few.
#define PADIC_IMPLEMENTATION
#include "../../padic.h"
#include "../support/codec_calls.h"
#include "../support/padic_test.h"
#include <math.h>

enum { ARRAYS = 7, LEVELS = 9, MOST = 1 << 21 };

// Parts of the arrays, so that level 9 takes a second: the first rows of each.
static const struct {
    const char *name;
    padic_dtype dtype;
    uint32_t rank;
    uint64_t shape[4];
} arrays[ARRAYS] = {
    {"dem_bigtujunga", PADIC_F32, 2, {200, 500}},
    {"em_femm_B", PADIC_F64, 4, {1, 32, 47, 47}},
    {"mesh_helmet_pos", PADIC_F32, 2, {40000, 3}},
    {"nn_silero_f32", PADIC_F32, 1, {100000}},
    {"aud_explosion_st", PADIC_F32, 2, {50000, 2}},
    {"hdr_stilllife", PADIC_F16, 3, {100, 400, 3}},
    {"alp_city_temperature", PADIC_F64, 1, {65536}},
};

static uint8_t source[MOST], packed[MOST + MOST / 8], back[MOST];

// The bytes of an array, or 0.
static size_t load(int i)
{
    char path[200];
    const size_t size = padic_dtype_size(arrays[i].dtype);
    const uint16_t one = 1;
    size_t bytes = size, got;
    for (uint32_t k = 0; k < arrays[i].rank; k++) bytes *= (size_t)arrays[i].shape[k];
    snprintf(path, sizeof path, "tests/data/%s.bin", arrays[i].name);
    FILE *file = fopen(path, "rb");
    if (!file || bytes > sizeof source) {
        if (file) fclose(file);
        return 0;
    }
    got = fread(source, 1, bytes, file);
    fclose(file);
    // The files are little-endian.
    for (size_t e = 0; !*(const unsigned char *)&one && e < bytes; e += size)
        for (size_t k = 0; k < size / 2; k++) {
            unsigned char *const b = (unsigned char *)source + e, low = b[k];
            b[k] = b[size - 1 - k];
            b[size - 1 - k] = low;
        }
    return got == bytes ? bytes : 0;
}

TEST(levels)
{
    static double ratio[LEVELS + 1][ARRAYS];
    const int most = test_tiny ? 6 : LEVELS;
    for (int i = 0; i < ARRAYS; i++) {
        const size_t bytes = load(i);
        CHECK(bytes > 0); // from the root of the repository
        if (!bytes) return;
        for (int level = 1; level <= most; level++) {
            padic_codec_pack_desc desc = PADIC_ZERO;
            padic_codec_unpack_desc unpack = PADIC_ZERO;
            size_t size = 0;
            desc.level = (uint32_t)level;
            desc.tensor.data = source;
            desc.tensor.dtype = arrays[i].dtype;
            desc.tensor.rank = arrays[i].rank;
            int64_t stride = 1;
            for (uint32_t k = arrays[i].rank; k-- > 0;) {
                desc.tensor.shape[k] = arrays[i].shape[k];
                desc.tensor.stride[k] = stride;
                stride *= (int64_t)arrays[i].shape[k];
            }
            CHECK_EQ(codec_pack(NULL, &desc, packed, sizeof packed, &size), PADIC_OK);
            unpack.tensor = desc.tensor;
            unpack.tensor.data = back;
            CHECK_EQ(codec_unpack(NULL, &unpack, packed, size), PADIC_OK);
            CHECK(!memcmp(source, back, bytes));
            ratio[level][i] = (double)bytes / (double)size;
        }
    }
    for (int level = 2; level <= most; level++) {
        double sum = 0;
        for (int i = 0; i < ARRAYS; i++) {
            const double now = ratio[level][i], before = ratio[level - 1][i];
            sum += log(now / before);
            if (now < before * (1 - 1.0 / 64))
                printf("\n  %s: %.4f at level %d, %.4f below", arrays[i].name, now, level, before);
            CHECK(now >= before * (1 - 1.0 / 64));
        }
        if (!(sum >= 0))
            printf("\n  mean of level %d: times %.5f", level, exp(sum / (double)ARRAYS));
        CHECK(sum >= 0);
    }
}

// Of four runs of 400 elements one is new, one a copy of an earlier run and two of its upper halves
// alone: the 28 bits of an element are 21 without repeats, at best 15 without those of bytes.
TEST(halves)
{
    enum { N = 48000, RUN = 400 };
    uint32_t *const x = (uint32_t *)(void *)source;
    size_t size[8], level;
    for (size_t run = 0; run < N / RUN; run++) {
        uint32_t *const to = x + run * RUN;
        const uint32_t *const from = run < 8 ? to : to - 8 * RUN + test_random() % RUN;
        const uint32_t kept = run < 8 || run % 4 == 0 ? 0 : run % 4 == 1 ? 0xffffffff : 0xffff0000;
        for (size_t k = 0; k < RUN; k++)
            to[k] = (from[k] & kept) | ((uint32_t)test_random() & 0x3f3fffff & ~kept); // finite
    }
    for (level = 4; level <= 6; level++) {
        padic_codec_pack_desc desc = PADIC_ZERO;
        padic_codec_unpack_desc unpack = PADIC_ZERO;
        desc.level = (uint32_t)((int)level);
        desc.tensor = padic_tensor_1d(PADIC_F32, source, N);
        unpack.tensor = padic_tensor_1d(PADIC_F32, back, N);
        memset(back, 0, sizeof back);
        CHECK_EQ(codec_pack(NULL, &desc, packed, sizeof packed, &size[level]), PADIC_OK);
        CHECK_EQ(codec_unpack(NULL, &unpack, packed, size[level]), PADIC_OK);
        CHECK(!memcmp(source, back, N * sizeof *x));
    }
    CHECK(size[5] < size[4] - size[4] / 16);
    CHECK(size[6] <= size[5] + size[5] / 64);
}

// A walk by multiples of one large number: the planes of bytes of its differences take seventeen
// values each, their classes leave twenty plain bits.
TEST(multiples)
{
    enum { N = 48000 };
    uint32_t *const x = (uint32_t *)(void *)source;
    int level;
    for (size_t i = 0; i < N; i++)
        x[i] = i ? x[i - 1] + (uint32_t)(test_random() % 17) * 1000003u - 8u * 1000003u +
                       (test_random() % 64 == 0) // no lattice
                 : 0;
    for (level = 2; level <= 9; level++) {
        padic_codec_pack_desc desc = PADIC_ZERO;
        padic_codec_unpack_desc unpack = PADIC_ZERO;
        size_t size;
        desc.level = (uint32_t)level;
        desc.tensor = padic_tensor_1d(PADIC_U32, source, N);
        unpack.tensor = padic_tensor_1d(PADIC_U32, back, N);
        CHECK_EQ(codec_pack(NULL, &desc, packed, sizeof packed, &size), PADIC_OK);
        memset(back, 0, sizeof back);
        CHECK_EQ(codec_unpack(NULL, &unpack, packed, size), PADIC_OK);
        CHECK(!memcmp(source, back, N * sizeof *x));
        CHECK(size < N * 12 / 8); // of 32 bits; a class takes four and twenty
    }
}

TEST_MAIN("codec_levels", CASE(levels), CASE(halves), CASE(multiples))
