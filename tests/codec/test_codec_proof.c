// test_codec_proof.c: what the packer lets go comes back. Arrays that were packed and did not come
// back, and a packer with a bug in it: costs bytes, loses nothing, and is told.
#undef PADICI_CODEC_REENCODED // it plants bugs of its own
#define PADIC_IMPLEMENT_CODEC
#include "../support/inside.h"
#include "../../padic.h"
#include "../support/codec_calls.h"
#include "../support/padic_test.h"
#include <math.h>

#define MOST 90000u

static uint8_t packed[16 * MOST + 65536];
static uint64_t array[2 * MOST], other[2 * MOST], back[2 * MOST];

// The CPU's backend, but for a bug in the codec's loops.
static void plant_bug(padici_codec_loops *loops);

static padic_result bug_run(padic_device *device, uint32_t op, void *loops, const padic_mem *mem)
{
    (void)mem;
    (void)device;
    (void)op;
    plant_bug((padici_codec_loops *)loops);
    return PADIC_OK;
}

static const padic_backend_op bug_ops[] = {{PADIC_OP_CODEC_LOOPS, NULL, bug_run}};

static uint32_t warnings;

static void count_warnings(padic_log_level level, uint32_t item, const char *text, void *user)
{
    (void)item;
    (void)user;
    warnings += level == PADIC_LOG_WARNING && strstr(text, "codec_pack") && strstr(text, "report");
}

static padic_context *make_context(void)
{
    static padic_backend backend;
    padic_context_desc desc = PADIC_ZERO;
    padic_context *context = NULL;
    backend = padici_cpu;
    backend.name = "bug";
    backend.ops = bug_ops;
    backend.op_count = 1;
    desc.backends[0] = &backend;
    desc.log.write = count_warnings;
    if (padic_context_create(&desc, &context)) return NULL;
    return context;
}

static padic_tensor view(padic_dtype dtype, void *data, uint32_t rank, const uint64_t *shape)
{
    return padic_tensor_nd(dtype, data, rank, shape);
}

// Packs and unpacks; 1 if that is without an error and no block was stored another way.
static int round_trip(padic_context *context, const padic_codec_pack_desc *given,
                      uint64_t *reencoded)
{
    padic_codec_pack_desc desc = *given;
    padic_codec_unpack_desc unpack = PADIC_ZERO;
    padic_codec_report report;
    size_t size;
    padic_result result;
    memset(&report, 0xff, sizeof report);
    memset(back, 0xa5, sizeof back);
    desc.report = &report;
    result = codec_pack(context, &desc, packed, sizeof packed, &size);
    CHECK_EQ(result, PADIC_OK);
    if (result) return 0;
    CHECK_EQ(report.packed_size, size);
    CHECK(size <= padic_codec_size_bound(&desc));
    unpack.tensor = desc.tensor;
    unpack.tensor.data = back;
    unpack.reference = desc.reference;
    result = codec_unpack(NULL, &unpack, packed, size);
    CHECK_EQ(result, PADIC_OK);
    *reencoded += report.blocks_reencoded;
    return result == PADIC_OK;
}

static double value_of(padic_dtype dtype, const void *data, size_t i)
{
    uint32_t bits;
    float f;
    switch (dtype) {
    case PADIC_F64: return ((const double *)data)[i];
    case PADIC_F32: return (double)((const float *)data)[i];
    case PADIC_BF16:
        bits = (uint32_t)((const uint16_t *)data)[i] << 16;
        memcpy(&f, &bits, 4);
        return (double)f;
    default: break;
    }
    return 0;
}

// A zero array with a few words of any size where a sample of every fourth sees none of them.
TEST(outliers)
{
    static const uint64_t shape[1] = {20000};
    uint64_t reencoded = 0;
    int level, k, kind;
    for (level = 1; level <= 9; level++)
        for (kind = 0; kind < 2; kind++)
            for (k = 0; k < (test_tiny ? 4 : 24); k++) {
                padic_codec_pack_desc desc = PADIC_ZERO;
                uint32_t i, n = 1 + (uint32_t)(test_random() % 6);
                const uint32_t noise = (uint32_t)(test_random() % 3) * 3 + 1;
                if (level > 7 && k > 2) break;
                for (i = 0; i < 20000; i++) {
                    const uint64_t x = test_random() % noise;
                    if (kind) array[i] = x;
                    else ((double *)array)[i] = (double)x;
                }
                while (n--) {
                    i = (uint32_t)(test_random() % 5000) * 4 + 1 + n % 3;
                    if (kind) array[i] = test_random() >> (test_random() % 40);
                    else ((double *)array)[i] = 0.1 * (double)(test_random() % 100000);
                }
                desc.tensor = view(kind ? PADIC_I64 : PADIC_F64, array, 1, shape);
                desc.level = (uint32_t)level;
                CHECK(round_trip(NULL, &desc, &reencoded));
                CHECK(!memcmp(array, back, 160000));
                if (kind) continue;
                desc.tolerance_mode = PADIC_CODEC_TOLERANCE_ABSOLUTE;
                desc.tolerance = 0.01;
                CHECK(round_trip(NULL, &desc, &reencoded));
                for (i = 0; i < 20000; i++)
                    CHECK(fabs(((double *)array)[i] - ((double *)back)[i]) <= 0.01);
            }
    CHECK_EQ(reencoded, 0);
}

// References, layers and bounds over all levels, types and ranks, in blocks of several tiles of
// the decoder: the words that it adds a reference to are those that later ones look back at.
TEST(references)
{
    static const padic_dtype dtypes[] = {PADIC_F64, PADIC_F32, PADIC_BF16, PADIC_F16,
                                         PADIC_I64, PADIC_U32, PADIC_I16,  PADIC_U8};
    uint64_t reencoded = 0;
    uint32_t round, rounds = (uint32_t)test_amount(60, 600, 1500), i, k;
    for (round = 0; round < rounds; round++) {
        padic_codec_pack_desc desc = PADIC_ZERO;
        const padic_dtype dtype = dtypes[test_random() % 8];
        const uint32_t size = padic_dtype_size(dtype), rank = 1 + (uint32_t)(test_random() % 4);
        const int is_float = dtype <= PADIC_BF16;
        uint64_t shape[4], n = 1, all = 1200 + test_random() % 7000;
        const uint32_t change = (uint32_t)(test_random() % 40) + 1;
        uint32_t mode;
        for (k = 0; k < rank; k++) {
            shape[k] = k + 1 == rank ? all / n : 2 + test_random() % 12;
            if (!shape[k]) shape[k] = 1;
            n *= shape[k];
        }
        for (i = 0; i < n; i++) {
            const uint64_t slow = i % shape[rank - 1] / 3 + (i / 64 % 7) * 5;
            const uint64_t now = test_random() % change ? slow : slow + test_random() % 50;
            const double x = 0.25 * (double)now, y = 0.25 * (double)slow;
            uint32_t bits;
            float f = (float)x, g = (float)y;
            switch (dtype) {
            case PADIC_F64: ((double *)array)[i] = x, ((double *)other)[i] = y; break;
            case PADIC_F32: ((float *)array)[i] = f, ((float *)other)[i] = g; break;
            case PADIC_F16: // any bits below infinity
                ((uint16_t *)array)[i] = (uint16_t)(0x3000 + now * 16);
                ((uint16_t *)other)[i] = (uint16_t)(0x3000 + slow * 16);
                break;
            case PADIC_BF16:
                memcpy(&bits, &f, 4);
                ((uint16_t *)array)[i] = (uint16_t)(bits >> 16);
                memcpy(&bits, &g, 4);
                ((uint16_t *)other)[i] = (uint16_t)(bits >> 16);
                break;
            case PADIC_I64: array[i] = now << 20, other[i] = slow << 20; break;
            case PADIC_U32:
                ((uint32_t *)array)[i] = (uint32_t)now, ((uint32_t *)other)[i] = (uint32_t)slow;
                break;
            case PADIC_I16:
                ((uint16_t *)array)[i] = (uint16_t)(0 - now);
                ((uint16_t *)other)[i] = (uint16_t)(0 - slow);
                break;
            default:
                ((uint8_t *)array)[i] = (uint8_t)now, ((uint8_t *)other)[i] = (uint8_t)slow;
                break;
            }
        }
        desc.tensor = view(dtype, array, rank, shape);
        if (round % 4) desc.reference = view(dtype, other, rank, shape);
        if (round % 4 != 2) desc.layers = (uint32_t)(test_random() % 4);
        desc.level = (uint32_t)((int)(round % 9) + 1);
        if (desc.level == 9 && n > 2500) desc.level = 1;
        mode = (uint32_t)(test_random() % 4);
        if (dtype == PADIC_F16 || (!is_float && mode == 3)) mode = 0;
        desc.tolerance_mode = (padic_codec_tolerance_mode)mode;
        desc.tolerance = mode == 3 ? 1e-4 : mode ? 0.00995 : 0;
        desc.range = mode == 2 ? 1 : 0;
        if (!round_trip(NULL, &desc, &reencoded)) break;
        if (!mode) CHECK(!memcmp(array, back, n * size));
        for (i = 0; i < n && mode && is_float; i++) {
            const double x = value_of(dtype, array, i), y = value_of(dtype, back, i);
            CHECK(fabs(x - y) <= (mode == 3 ? 1e-4 * fabs(x) : 0.00995));
        }
        for (i = 0; i < n && mode && !is_float; i++) // a bound below 1 of integers is exact
            CHECK(((uint8_t *)array)[i * size] == ((uint8_t *)back)[i * size]);
    }
    CHECK_EQ(reencoded, 0);
}

// The bugs: each is an error on the encoder's side of one loop, now and then.
static padici_codec_loops right;

static void bad_put_fixed(const uint64_t *z, size_t n, uint32_t width, uint8_t *p, size_t room)
{
    (*right.put_fixed)(z, n, width, p, room);
    if (n > 100) p[5] ^= 1;
}

static uint64_t bad_tokens(const uint64_t *z, size_t n, uint32_t m, uint8_t *tokens,
                           uint32_t *widest)
{
    const uint64_t total = (*right.tokens)(z, n, m, tokens, widest);
    if (n > 100) tokens[99] ^= 1;
    return total;
}

static void bad_put_plain(const uint64_t *z, const uint8_t *tokens, size_t n, uint32_t m,
                          uint32_t widest, uint8_t *p)
{
    (*right.put_plain)(z, tokens, n, m, widest, p);
    if (n > 100) p[2] ^= 4;
}

static void bad_plane(const uint64_t *z, size_t n, uint32_t shift, uint8_t *to)
{
    (*right.plane)(z, n, shift, to);
    if (shift == 8) to[n / 2] ^= 128;
}

static size_t bad_words(const padici_codec_transform *form, const padici_codec_tolerance *tolerance,
                        padic_dtype dtype, uint32_t size, const uint8_t *raw, size_t n,
                        uint64_t *words, uint32_t *off, size_t most)
{
    const size_t count = (*right.words)(form, tolerance, dtype, size, raw, n, words, off, most);
    if (n > 100) words[n / 3] += 7;
    return count;
}

static void bad_difference(const uint64_t *x, uint64_t *to, size_t n, const padici_codec_op *op,
                           int zigzag, int exclusive)
{
    (*right.difference)(x, to, n, op, zigzag, exclusive);
    if (n > 100) to[70] ^= 2;
}

static void bad_lower(uint64_t *x, size_t n, uint64_t first, uint32_t shift)
{
    (*right.lower)(x, n, first, shift);
    if (n > 100) x[n - 1]++;
}

static size_t bad_group(const uint64_t *z, size_t from, size_t to, uint8_t *width, uint64_t *gaps,
                        uint64_t *high, size_t count, size_t *before)
{
    const size_t all = (*right.group)(z, from, to, width, gaps, high, count, before);
    if (*width) --*width; // the words' highest bits are lost
    return all;
}

static uint64_t bad_least(const uint64_t *x, size_t n, uint64_t *differ)
{
    const uint64_t least = (*right.least)(x, n, differ);
    *differ <<= 1; // a coset that is none
    return least;
}

static int planted;

static void plant_bug(padici_codec_loops *loops)
{
    right = *loops;
    switch (planted) {
    case 1: loops->put_fixed = bad_put_fixed; break;
    case 2: loops->tokens = bad_tokens; break;
    case 3: loops->put_plain = bad_put_plain; break;
    case 4: loops->plane = bad_plane; break;
    case 5: loops->words = bad_words; break;
    case 6: loops->difference = bad_difference; break;
    case 7: loops->lower = bad_lower; break;
    case 8: loops->group = bad_group; break;
    case 9: loops->least = bad_least; break;
    default: break;
    }
}

// With each of them every array comes back; each is caught somewhere, and told.
TEST(planted)
{
    static const uint64_t shape[2] = {60, 90};
    padic_context *context;
    int bug;
    context = make_context();
    REQUIRE(context != NULL);
    for (bug = 0; bug <= 9; bug++) {
        uint64_t reencoded = 0;
        int level, kind;
        planted = bug;
        warnings = 0;
        for (level = 1; level <= 9; level++)
            for (kind = 0; kind < 6; kind++) {
                padic_codec_pack_desc desc = PADIC_ZERO;
                uint32_t i;
                float *f = (float *)array;
                for (i = 0; i < 5400; i++) {
                    const uint64_t r = test_random();
                    const float wave = (float)(int)(i % 90 * (i / 90));
                    if (kind == 0) f[i] = wave * 0.01f + (float)(r % 100) * 0.01f;
                    if (kind == 1) f[i] = (float)sin(i * 0.001) + (float)(r % 1000) * 1e-6f;
                    if (kind == 2) f[i] = (float)(r % 4 ? i % 37 * 1048573 : r % 100000);
                    if (kind == 3) f[i] = (float)((int)(r % 2001) - 1000);
                    if (kind >= 4) f[i] = wave + (float)(r % 997) * 1.37e-3f;
                }
                desc.tensor = view(kind == 2 ? PADIC_I32 : PADIC_F32, array, 2, shape);
                desc.level = (uint32_t)level;
                if (level == 9) desc.block[0] = 10, desc.block[1] = 30;
                if (level == 1) desc.block[0] = 30, desc.block[1] = 90;
                if (kind == 4)
                    desc.tolerance_mode = PADIC_CODEC_TOLERANCE_ABSOLUTE, desc.tolerance = 0.01;
                if (kind == 5)
                    desc.tolerance_mode = PADIC_CODEC_TOLERANCE_POINTWISE, desc.tolerance = 0.001;
                if (kind == 3 && level == 4) desc.profile = PADIC_CODEC_PROFILE_PARALLEL;
                if (kind == 3 && level == 5) desc.profile = PADIC_CODEC_PROFILE_CODED;
                CHECK(round_trip(context, &desc, &reencoded));
                for (i = 0; i < 5400; i++) {
                    const float *g = (const float *)back;
                    const double x = (double)f[i], y = (double)g[i];
                    if (kind < 4) CHECK(!memcmp(f + i, g + i, 4));
                    if (kind == 4) CHECK(fabs(x - y) <= 0.01);
                    if (kind == 5) CHECK(fabs(x - y) <= 0.001 * fabs(x));
                }
            }
        CHECK((reencoded > 0) == (bug > 0));
        CHECK((warnings > 0) == (bug > 0));
    }
    padic_context_destroy(context);
}

// Streams tell the same; without the proof the bytes are the same, and an unknown flag is refused.
static uint8_t stream[sizeof packed];
static size_t stream_size;

static int append(const void *data, size_t size, void *user)
{
    (void)user;
    memcpy(stream + stream_size, data, size);
    stream_size += size;
    return 0;
}

TEST(flags)
{
    static const uint64_t shape[2] = {60, 90};
    padic_codec_pack_desc desc = PADIC_ZERO;
    padic_codec_report report;
    padic_codec_packer *packer;
    size_t size, again;
    uint32_t i;
    float *f = (float *)array;
    for (i = 0; i < 5400; i++) f[i] = (float)(i % 90 * (i / 90)) + (float)(test_random() % 8);
    desc.tensor = view(PADIC_F32, array, 2, shape);
    desc.block[0] = 10, desc.block[1] = 90;
    desc.report = &report;
    memset(&report, 0xff, sizeof report);
    CHECK_EQ(codec_pack(NULL, &desc, packed, sizeof packed, &size), PADIC_OK);
    CHECK(report.blocks == 6 && report.raw_size == 21600 && report.packed_size == size &&
          report.blocks_reencoded == 0 && report.rank == 2 && report.shape[1] == 90 &&
          report.level == 5);
    memset(&report, 0xff, sizeof report);
    desc.tensor.data = NULL;
    REQUIRE(codec_pack_begin(NULL, &desc, append, NULL, &packer) == PADIC_OK);
    CHECK_EQ(codec_pack_push(packer, array, 21600), PADIC_OK);
    CHECK_EQ(padic_codec_pack_end(packer), PADIC_OK);
    CHECK(stream_size == size && !memcmp(stream, packed, size));
    CHECK(report.packed_size == size && report.blocks == 6 && report.blocks_reencoded == 0);
    desc.tensor.data = array;
    desc.flags = PADIC_CODEC_PACK_NO_PROOF;
    CHECK_EQ(codec_pack(NULL, &desc, stream, sizeof stream, &again), PADIC_OK);
    CHECK(again == size && !memcmp(stream, packed, size));
    desc.flags = 2;
    CHECK_EQ(codec_pack(NULL, &desc, stream, sizeof stream, &again), PADIC_ERROR_ARGUMENT);
}

// A share of a size, at and beside equality: whole numbers times a power of two, however small or
// large, against the same in integers.
TEST(shares)
{
    static const int powers[9] = {-1074, -1040, -700, -340, -300, 0, 500, 900, 970};
    for (int i = 0; i < test_amount(20000, 80000, 200000); i++) {
        const int bits = (int)(10 + 5 * (test_random() % 4)), e = powers[test_random() % 9];
        int64_t a = (int64_t)(test_random() >> (12 + test_random() % 50)) + 1;
        const int64_t s = (int64_t)(test_random() % (1 << 10)) + 1;
        if (test_random() % 4 == 0 && a >> bits) a = a >> bits << bits; // an exact share
        const int64_t off = (s * a >> bits) + (int64_t)(test_random() % 3) - 1;
        const int64_t b = test_random() & 1 ? a + off : a - off;
        const int64_t apart = b < a ? a - b : b - a;
        const int within = apart * (INT64_C(1) << bits) <= s * a;
        const double share = ldexp((double)s, -bits), sign = test_random() & 1 ? -1 : 1;
        const double x = ldexp(sign * (double)a, e), y = ldexp(sign * (double)b, e);
        CHECK_EQ(padici_codec_within_share(x, y, share), within);
    }
    const double odd[] = {HUGE_VAL, (double)NAN, 0, 1, 1e-310, 1e-90, 1e140, 1.7e308};
    for (size_t i = 0; i < sizeof odd / sizeof *odd; i++)
        for (size_t k = 0; k < sizeof odd / sizeof *odd && (i < 2 || k < 2); k++)
            for (int sign = 0; sign < 4; sign++)
                for (double share = 0.999; share > 1e-300; share *= 1e-23)
                    CHECK_EQ(padici_codec_within_share(sign & 1 ? -odd[i] : odd[i],
                                                       sign & 2 ? -odd[k] : odd[k], share),
                             0);
    CHECK_EQ(padici_codec_within_share(0.0, 0.0, 0.5), 1);
}

// Blocks that follow the first of their group (levels 1 and 2), which predicts floats: their words
// are multiples of a step, so that they are not the bits of floats any more.
TEST(followers)
{
    static const uint64_t shape[1] = {16384};
    for (int level = 1; level < 4; level++)
        for (int single = 0; single < 2; single++) {
            padic_codec_pack_desc desc = PADIC_ZERO;
            uint64_t reencoded = 0;
            double x = 1;
            for (int i = 0; i < 16384; i++) {
                x += 1e-3 * (double)(i % 100) + 1e-9 * (double)(test_random() % 1000);
                const double y = i / 2048 % 4 ? floor(x) : x;
                const float z = (float)y;
                if (single) memcpy((uint8_t *)array + 4 * i, &z, 4);
                else memcpy(array + i, &y, 8);
            }
            desc.tensor = view(single ? PADIC_F32 : PADIC_F64, array, 1, shape);
            desc.level = (uint32_t)level;
            desc.block[0] = 2048;
            desc.stages.transforms = PADIC_CODEC_TRANSFORM_BITS;
            desc.stages.predictors = PADIC_CODEC_PREDICTOR_LINEAR;
            CHECK(round_trip(NULL, &desc, &reencoded));
            CHECK_EQ(reencoded, 0);
            CHECK(!memcmp(array, back, single ? 65536 : 131072));
        }
}

TEST_MAIN("codec_proof", CASE(shares), CASE(outliers), CASE(references), CASE(followers),
          CASE(planted), CASE(flags))
