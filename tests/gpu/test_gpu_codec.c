// test_gpu_codec.c: the codec's profiles: every element comes back, the streams of a device are the
// host's to the byte, damaged ones are refused, and the rule of choice is checked against sizes
// that are computed here.
#define PADIC_IMPLEMENT_GPU
#include "../support/inside.h"
#include "../../padic.h"
#include "../support/codec_calls.h"

#include "gpu_devices.h"
#include "../support/kernel_tree.h"

#if NATIVE_HERE
#endif

#include "../codec/codec_cases.h"
#include "../codec/codec_reader.h"

#include "../../src/kernels/dialect.h"
#include "../../src/kernels/codec/fetch.h"

static const padic_dtype all_dtypes[] = {
    PADIC_F64, PADIC_F32, PADIC_F16, PADIC_BF16, PADIC_I8,  PADIC_I16, PADIC_I32,
    PADIC_I64, PADIC_U8,  PADIC_U16, PADIC_U32,  PADIC_U64, PADIC_C64, PADIC_C128};
#define DTYPES (sizeof all_dtypes / sizeof *all_dtypes)

// What arrays look like.
enum { NOISE, CONSTANT, WALK, FEW, BITS_OF_BOTH_SIGNS, MULTIPLES, EXTREMES, STEPS, RARE, KINDS };

// Little-endian hosts, as tests of devices have.
static void make(void *data, padic_dtype dtype, uint64_t n, int kind)
{
    const uint32_t parts = dtype == PADIC_C64 || dtype == PADIC_C128 ? 2 : 1;
    const uint32_t size = padic_dtype_size(dtype) / parts, bits = 8 * size;
    uint64_t i, x, walk = UINT64_C(1) << (bits - 2);
    for (i = 0; i < n * parts; i++) {
        const uint64_t r = test_random();
        switch (kind) {
        case NOISE: x = r; break;
        case CONSTANT: x = 0x7fc0000012345678u; break;
        case WALK: x = walk += r % 7 - 3; break;
        case FEW: x = (UINT64_C(1) << (bits - 3)) + r % 13; break;
        case BITS_OF_BOTH_SIGNS:
            x = (r & 1) << (bits - 1) | (r >> 1 & 7) << (bits / 2 - 3);
            break;
        case MULTIPLES: x = (UINT64_C(1) << (bits - 2)) + (r % 9) * 8; break;
        case EXTREMES:
            x = r & 1 ? UINT64_C(1) << (bits - 1) : r & 2 ? UINT64_MAX : r & 4 ? 0
                                                          : UINT64_MAX >> (65 - bits);
            break;
        case RARE: x = walk += r % 32 ? r >> 8 & 1 : r >> 16 & 8191; break;
        default: x = i / 777; break;
        }
        memcpy((uint8_t *)data + i * size, &x, size);
    }
}

// The host's stream of a desc; NULL data: the bytes must be freed.
static uint8_t *host_stream(const padic_codec_pack_desc *desc, size_t *size)
{
    const size_t room = padic_codec_size_bound(desc);
    uint8_t *bytes = (uint8_t *)malloc(room);
    CHECK(room > 0);
    CHECK_EQ(codec_pack(NULL, desc, bytes, room, size), PADIC_OK);
    CHECK(*size <= room);
    return bytes;
}

static void check_unpacked(const padic_tensor *t, const uint8_t *bytes, size_t size)
{
    const uint64_t raw = padic_tensor_count(t) * padic_dtype_size(t->dtype);
    padic_codec_unpack_desc back = PADIC_ZERO;
    void *got = calloc(1, (size_t)raw + 1);
    back.tensor = *t;
    back.tensor.data = got;
    CHECK_EQ(codec_unpack(NULL, &back, bytes, size), PADIC_OK);
    CHECK(raw == 0 || !memcmp(got, t->data, (size_t)raw));
    free(got);
}

// Packed and unpacked by every device, at odd places.
static void check_devices(const padic_codec_pack_desc *host)
{
    const padic_tensor *t = &host->tensor;
    size_t size;
    uint8_t *bytes = host_stream(host, &size);
    int d;
    check_unpacked(t, bytes, size);
    open_devices();
    for (d = 0; d < device_count; d++) {
        padic_context *context = devices[d];
        const padic_tensor shape = padic_tensor_1d(PADIC_U8, NULL, size);
        plane from = plane_new(context, t, test_random() % 5, t->data);
        plane packed = plane_new(context, &shape, test_random() % 9, NULL);
        plane back = plane_new(context, t, test_random() % 5, NULL);
        padic_codec_unpack_desc unpack = PADIC_ZERO;
        padic_codec_pack_desc desc = *host;
        uint64_t got = 0, bad = 0;
        desc.tensor = from.tensor;
        CHECK_EQ(codec_pack_to(context, &desc, &packed.tensor, &got), PADIC_OK);
        CHECK_EQ(got, size);
        CHECK(plane_is(context, &packed, bytes, size));
        unpack.tensor = back.tensor;
        unpack.report = CODEC_BAD_BLOCK(&bad);
        CHECK_EQ(codec_unpack_from(context, &unpack, &packed.tensor), PADIC_OK);
        CHECK(bad == UINT64_MAX);
        CHECK(plane_is(context, &back, t->data, back.bytes));
        packed.tensor.shape[0]--; // one byte too few
        CHECK_EQ(codec_pack_to(context, &desc, &packed.tensor, &got), PADIC_ERROR_CAPACITY);
        CHECK_EQ(got, size);
        CHECK(plane_is(context, &packed, NULL, 0));
        plane_end(context, &from);
        plane_end(context, &packed);
        plane_end(context, &back);
    }
    free(bytes);
}

TEST(sizes)
{
    static const uint64_t sizes[] = {1, 2, 3, 255, 256, 257, 1023, 1025, 2049, 4099};
    size_t i, t;
    for (t = 0; t < DTYPES; t++) {
        for (i = 0; i < sizeof sizes / sizeof *sizes; i++) {
            padic_codec_pack_desc desc = PADIC_ZERO;
            void *data = malloc(16 * 4099);
            make(data, all_dtypes[t], sizes[i], (int)((i + t) % KINDS));
            desc.tensor = padic_tensor_1d(all_dtypes[t], data, sizes[i]);
            desc.profile = i & 1 ? PADIC_CODEC_PROFILE_FETCH : PADIC_CODEC_PROFILE_PARALLEL;
            if (i == 8) desc.block[0] = 257;
            if (i == 9) desc.block[0] = 1000;
            if (!test_tiny || (i + t) % 5 == 0) check_devices(&desc);
            desc.profile = PADIC_CODEC_PROFILE_CODED;
            if (!test_tiny || (i + t) % 5 == 1) check_devices(&desc);
            free(data);
        }
    }
}

TEST(kinds)
{
    size_t t;
    int kind;
    for (t = 0; t < DTYPES; t++) {
        for (kind = 0; kind < KINDS; kind++) {
            padic_codec_pack_desc desc = PADIC_ZERO;
            void *data = malloc(16 * 3001);
            make(data, all_dtypes[t], 3001, kind);
            desc.tensor = padic_tensor_1d(all_dtypes[t], data, 3001);
            desc.block[0] = 1003;
            desc.profile = PADIC_CODEC_PROFILE_PARALLEL;
            if (!test_tiny || (kind + (int)t) % 5 == 0) check_devices(&desc);
            desc.profile = PADIC_CODEC_PROFILE_FETCH;
            if (!test_tiny || (kind + (int)t) % 5 == 1) check_devices(&desc);
            desc.profile = PADIC_CODEC_PROFILE_CODED;
            if (!test_tiny || (kind + (int)t) % 5 == 2) check_devices(&desc);
            free(data);
        }
    }
}

// More groups than items in a block; more blocks than one; axes that are cut in the middle.
// Differences of about 16 bits and fewer, up and down, and words that pass the highest bit of an
// element in the midst of a block.
TEST(climbs)
{
    static const padic_dtype dtypes[] = {PADIC_U32, PADIC_F32, PADIC_I16, PADIC_BF16, PADIC_U8};
    static const uint32_t widths[] = {1, 14, 15, 16, 8};
    const uint32_t n = 9001;
    uint8_t *data = (uint8_t *)malloc(4 * n);
    uint32_t k, w, i;
    for (k = 0; k < 5; k++)
        for (w = 0; w < (test_tiny ? 4u : 5u); w++) {
            const uint32_t size = padic_dtype_size(dtypes[k]), half = widths[w] - (w > 0);
            uint32_t x = (UINT32_C(1) << (8 * size - 1)) - (n / 2 << half);
            padic_codec_pack_desc desc = PADIC_ZERO;
            if (8 * size <= widths[w]) continue;
            for (i = 0; i < n; i++) {
                const uint32_t r = (uint32_t)test_random() & ((UINT32_C(1) << widths[w]) - 1);
                x += (w & 1) && i > n / 2 ? 0u - r : r;
                memcpy(data + i * size, &x, size);
            }
            desc.tensor = padic_tensor_1d(dtypes[k], data, n);
            desc.profile = PADIC_CODEC_PROFILE_PARALLEL;
            desc.block[0] = w & 2 ? 4100 : 2048;
            check_devices(&desc);
        }
    free(data);
}

TEST(large)
{
    const uint64_t n = test_tiny ? 70000 : 200003;
    static const uint64_t shapes[4][3] = {{7, 300, 129}, {3, 2, 40000}, {1, 1, 5}, {400, 13, 1}};
    padic_codec_pack_desc desc = PADIC_ZERO;
    void *data = malloc((size_t)n * 8);
    int i;
    for (i = 0; i < (test_tiny ? 1 : 3); i++) {
        const padic_dtype dtype = i == 0 ? PADIC_F32 : i == 1 ? PADIC_U8 : PADIC_I64;
        make(data, dtype, n, i == 2 ? STEPS : WALK);
        desc.tensor = padic_tensor_1d(dtype, data, n);
        desc.profile = i == 1 ? PADIC_CODEC_PROFILE_FETCH : PADIC_CODEC_PROFILE_PARALLEL;
        desc.block[0] = i == 2 ? 200000 : 0;
        check_devices(&desc);
        if (i == 1) continue;
        make(data, dtype, n, RARE);
        desc.profile = PADIC_CODEC_PROFILE_CODED;
        check_devices(&desc);
        desc.block[0] = (uint32_t)n; // more than 256 groups
        check_devices(&desc);
    }
    for (i = 0; i < 4; i++) {
        padic_codec_report report;
        uint8_t *bytes;
        size_t size;
        memset(&desc, 0, sizeof desc);
        desc.profile = PADIC_CODEC_PROFILE_PARALLEL;
        make(data, PADIC_F16, 270900, WALK);
        desc.tensor = padic_tensor_nd(PADIC_F16, data, 3, shapes[i]);
        if (i == 3) desc.block[0] = 64, desc.block[1] = 100, desc.block[2] = 1;
        bytes = host_stream(&desc, &size);
        CHECK_EQ(codec_info(bytes, size, &report), PADIC_OK);
        CHECK_EQ(report.level, 0);
        free(bytes);
        if (!test_tiny || i > 1) check_devices(&desc);
    }
    free(data);
}

// ---- bounds

// Arrays for bounds.
enum { WAVES, HALVES, OFFSET, HOLES, SPIKES, MIXED, BITS, SAME, ALL_NAN, NEGATIVE, TINY, FLOATS };

static float float_of(uint32_t bits)
{
    float x;
    memcpy(&x, &bits, 4);
    return x;
}

static void make_floats(float *x, uint64_t n, int kind, double tolerance)
{
    static const float mixed[] = {0, -0.0f, 1e-45f, -1e-40f, 3e38f, -3e38f, 1, -1, 1e20f, 1e-20f};
    uint64_t i;
    for (i = 0; i < n; i++) {
        const uint32_t r = (uint32_t)test_random();
        const double wave = 100 * sin((double)i * 0.01) + (double)(r % 1000) * 1e-3;
        switch (kind) {
        case WAVES: x[i] = (float)wave; break;
        case HALVES: // next to half steps of 2 bound and near it
            x[i] = (float)(((double)(r % 4096) - 2048 + 0.5) * 2 * tolerance *
                           (1 - (double)(r >> 12 & 7) / 512));
            x[i] = float_of((uint32_t)((int32_t)(r >> 16 & 3) - 1) + PD_AS_U32(x[i]));
            break;
        case OFFSET: x[i] = (float)(65536 + wave * 1e-2); break;
        case HOLES: x[i] = r % 300 ? (float)wave : float_of(r | 0x7f800001u); break;
        case SPIKES: // now and then more than a block may have
            x[i] = r % (i / 1000 % 2 ? 3u : 12u) ? (float)wave : float_of(r << 31 | 0x7f000000u);
            break;
        case MIXED: x[i] = mixed[r % 10]; break;
        case BITS: x[i] = float_of(r); break;
        case SAME: x[i] = -12.345f; break;
        case ALL_NAN: x[i] = float_of(0xffc00000u | (uint32_t)i); break;
        case NEGATIVE: x[i] = (float)(-1000 - wave); break;
        default: x[i] = (float)(wave * 1e-37); break;
        }
    }
}

static double double_of(uint64_t bits)
{
    double x;
    memcpy(&x, &bits, 8);
    return x;
}

// The same of doubles.
static void make_doubles(double *x, uint64_t n, int kind, double tolerance)
{
    static const double mixed[] = {0, -0.0, 5e-324, -1e-310, 1e308, -1e308, 1, -1, 1e200, 1e-200};
    uint64_t i;
    for (i = 0; i < n; i++) {
        const uint64_t r = test_random();
        const double wave = 100 * sin((double)i * 0.01) + (double)(r % 1000000) * 1e-6;
        uint64_t bits;
        double half;
        switch (kind) {
        case WAVES: x[i] = wave; break;
        case HALVES: // of words of up to 12 and 38 bits
            half = ((double)(r % (r >> 60 ? 4096 : UINT64_C(1) << 38)) -
                    (r >> 60 ? 2048 : 137438953472.0) + 0.5);
            half *= 2 * tolerance * (1 - (double)(r >> 44 & 7) / 4096);
            memcpy(&bits, &half, 8);
            x[i] = double_of(bits + (r >> 48 & 3) - 1);
            break;
        case OFFSET: x[i] = 65536e6 + wave * 1e-2; break;
        case HOLES: x[i] = r % 300 ? wave : double_of(r | UINT64_C(0x7ff0000000000001)); break;
        case SPIKES:
            x[i] = r % (i / 1000 % 2 ? 3u : 12u)
                       ? wave
                       : double_of(r << 63 | UINT64_C(0x7fe0000000000000));
            break;
        case MIXED: x[i] = mixed[r % 10]; break;
        case BITS: x[i] = double_of(r); break;
        case SAME: x[i] = -12.345; break;
        case ALL_NAN: x[i] = double_of(UINT64_C(0xfff8000000000000) | i); break;
        case NEGATIVE: x[i] = -1000 - wave; break;
        default: x[i] = wave * 1e-300; break;
        }
    }
}

static long double value_at(const void *x, uint32_t size, uint64_t i)
{
    return size == 8 ? (long double)((const double *)x)[i] : (long double)((const float *)x)[i];
}

// Each element as it was, or a number no farther than the bound.
static uint64_t outside(const void *x, const void *y, uint32_t size, uint64_t n, double tolerance)
{
    uint64_t i, bad = 0;
    for (i = 0; i < n; i++)
        if (memcmp((const uint8_t *)x + size * i, (const uint8_t *)y + size * i, size)) {
            const long double apart = value_at(x, size, i) - value_at(y, size, i);
            bad += !(apart <= tolerance && -apart <= tolerance);
        }
    return bad;
}

// The host within the bound; every device the same bytes and the same elements. Returns exceptions.
static uint64_t check_bounded(const padic_codec_pack_desc *host, uint64_t *scaled)
{
    const padic_tensor *t = &host->tensor;
    const int pair = t->dtype == PADIC_C64 || t->dtype == PADIC_C128;
    const uint32_t bytes_each = t->dtype == PADIC_F64 || t->dtype == PADIC_C128 ? 8 : 4;
    const uint64_t n = padic_tensor_count(t) * (pair ? 2 : 1);
    const double part = pair ? sqrt(0.5) : 1;
    padic_codec_unpack_desc back = PADIC_ZERO;
    padic_codec_report report;
    void *got = calloc((size_t)n + 1, bytes_each);
    size_t size;
    uint8_t *bytes = host_stream(host, &size);
    uint64_t i;
    int d, spread = 0;
    double low = 0, high = 0;
    back.tensor = *t;
    back.tensor.data = got;
    CHECK_EQ(codec_unpack(NULL, &back, bytes, size), PADIC_OK);
    CHECK_EQ(codec_info(bytes, size, &report), PADIC_OK);
    for (i = 0; i < n; i++) {
        const double x = (double)value_at(t->data, bytes_each, i);
        if (!(x - x == 0)) continue;
        if (!spread || x < low) low = x;
        if (!spread || x > high) high = x;
        spread = 1;
    }
    CHECK_EQ(outside(t->data, got, bytes_each, n,
                     part * host->tolerance *
                         (host->tolerance_mode == PADIC_CODEC_TOLERANCE_RANGE ? high - low : 1)),
             0);
    CHECK_EQ(outside(t->data, got, bytes_each, n, report.error_bound), 0);
    if (scaled) *scaled = report.transforms[PADICI_CODEC_TRANSFORM_SCALE];
    open_devices();
    for (d = 0; d < device_count; d++) {
        padic_context *context = devices[d];
        const padic_tensor shape = padic_tensor_1d(PADIC_U8, NULL, size);
        plane from = plane_new(context, t, test_random() % 5, t->data);
        plane packed = plane_new(context, &shape, test_random() % 9, NULL);
        plane to = plane_new(context, t, test_random() % 5, NULL);
        padic_codec_pack_desc desc = *host;
        uint64_t wrote = 0;
        desc.tensor = from.tensor;
        CHECK_EQ(codec_pack_to(context, &desc, &packed.tensor, &wrote), PADIC_OK);
        CHECK_EQ(wrote, size);
        CHECK(plane_is(context, &packed, bytes, size));
        back.tensor = to.tensor;
        CHECK_EQ(codec_unpack_from(context, &back, &packed.tensor), PADIC_OK);
        CHECK(plane_is(context, &to, got, to.bytes));
        plane_end(context, &from);
        plane_end(context, &packed);
        plane_end(context, &to);
    }
    free(bytes);
    free(got);
    return report.exceptions;
}

// Elements of every kind, within 10^-1 to 10^-last of the range and within absolute bounds.
static void check_bounds(padic_dtype dtype, padic_dtype pairs, int last)
{
    enum { N = 3001 };
    static union {
        double f64[N + 1];
        float f32[N + 1];
    } memory;
    static const double absolute[] = {1e-35, 1.5777218104420236e-30, 1e-20, 0.3, 1e20, 1e38, 1e300};
    uint64_t exceptions = 0, scaled = 0, all = 0;
    int kind, e, i = 0;
    for (kind = 0; kind < FLOATS; kind++)
        for (e = 1; e <= last + 7; e++) {
            padic_codec_pack_desc desc = PADIC_ZERO;
            const int of_range = e <= last;
            const double tolerance = of_range ? pow(10, -e) : absolute[e - last - 1];
            const int paired = !of_range && (e - last - 1) % 3 == 0;
            if (dtype == PADIC_F64)
                make_doubles(memory.f64, N, kind, of_range ? 100 * tolerance : tolerance);
            else
                make_floats(memory.f32, N, kind, of_range ? 100 * tolerance : tolerance);
            desc.tensor = padic_tensor_1d(paired ? pairs : dtype, &memory, paired ? N / 2 : N);
            desc.block[0] = of_range && e % 2 ? 1003 : 0;
            desc.tolerance_mode =
                of_range ? PADIC_CODEC_TOLERANCE_RANGE : PADIC_CODEC_TOLERANCE_ABSOLUTE;
            desc.tolerance = tolerance;
            if (of_range && kind == HALVES)
                desc.tolerance_mode = PADIC_CODEC_TOLERANCE_ABSOLUTE, desc.tolerance *= 100;
            desc.profile = (padic_codec_profile)(1 + ++i % 3);
            if (test_tiny && i % 4) continue;
            exceptions += check_bounded(&desc, &scaled);
            all += scaled;
        }
    CHECK(exceptions > 0 && all > 0);
}

TEST(bounds)
{
    check_bounds(PADIC_F32, PADIC_C64, 9);
}

TEST(bounds_of_doubles)
{
    check_bounds(PADIC_F64, PADIC_C128, 14);
}

// One block of words of w bits: its step is 1 - 2^-11 of twice the bound, its bits are w each; 2^38
// is the largest word.
TEST(words_of_doubles)
{
    enum { N = 2048 };
    static double x[N];
    padic_codec_pack_desc desc = PADIC_ZERO;
    uint64_t scaled, bits, i;
    int w;
    desc.tensor = padic_tensor_1d(PADIC_F64, x, N);
    desc.tolerance_mode = PADIC_CODEC_TOLERANCE_ABSOLUTE;
    desc.tolerance = 0.5;
    for (w = 2; w <= 40; w++) {
        const double step = 2047. / 2048, most = ldexp(1, w - 1);
        size_t size;
        uint8_t *bytes;
        double g;
        for (i = 0; i < N; i++)
            x[i] = step * (floor(most * ((double)test_random() / 9223372036854775808.0 - 1)) + 0.3);
        x[5] = w < 39 ? step * (most - 1) : step * most;
        x[700] = -step * most;
        x[1300] = 0;
        desc.profile = w % 2 ? PADIC_CODEC_PROFILE_PARALLEL : PADIC_CODEC_PROFILE_FETCH;
        CHECK_EQ(check_bounded(&desc, &scaled), 0);
        CHECK_EQ(scaled, w < 40);
        bytes = host_stream(&desc, &size);
        bits = padici_load64(bytes + 52 + 16 + 5);
        memcpy(&g, &bits, 8);
        if (w < 40) CHECK(g == step);
        if (w < 40 && w % 2 == 0) // header, frame, stages, one width, counts, bits, zeros; index
            CHECK_EQ(size, 52 + 16 + 29 + 2 + 8 + (uint64_t)w * N / 8 + 8 + 56);
        free(bytes);
    }
}

// Exceptions as many as a block may have, one more, and in its first and last places; a scale for
// each size of words.
TEST(limits)
{
    enum { N = 5000 };
    static float x[N];
    padic_codec_pack_desc desc = PADIC_ZERO;
    uint64_t scaled, i;
    int round;
    desc.tensor = padic_tensor_1d(PADIC_F32, x, N);
    desc.tolerance_mode = PADIC_CODEC_TOLERANCE_ABSOLUTE;
    desc.profile = PADIC_CODEC_PROFILE_PARALLEL;
    for (round = 0; round < 6; round++) {
        const uint64_t holes = round == 5 ? 1 : 255 + (uint64_t)round;
        desc.tolerance = 0.01;
        make_floats(x, N, WAVES, 0);
        for (i = 0; i < holes; i++) // round 3: a group of nothing else
            x[round == 3 ? 512 + i : round == 5 ? N - 1 : i * (N - 1) / (holes - 1)] =
                float_of(0x7fc00000u + (uint32_t)i);
        if (round == 3) x[512 + 256] = x[512 + 257] = 1;
        desc.profile = round == 4 ? PADIC_CODEC_PROFILE_CODED : PADIC_CODEC_PROFILE_PARALLEL;
        if (round == 4) x[0] = x[N - 1] = x[(N - 1) / 2] = 0; // 256 or fewer
        i = check_bounded(&desc, &scaled);
        CHECK_EQ(scaled, round != 2);
        CHECK_EQ(i, round == 2 ? 0 : round == 3 ? 256 : round == 4 ? 256 : holes);
        desc.profile = PADIC_CODEC_PROFILE_FETCH; // has none
        CHECK_EQ(check_bounded(&desc, &scaled), 0);
        CHECK_EQ(scaled, 0);
    }
    // words up to 2^13, 2^16, 2^19: within 1 / 256, 1 / 32 and 1 / 4 of steps of twice the bound
    desc.profile = PADIC_CODEC_PROFILE_PARALLEL;
    for (round = 0; round < 5; round++) {
        static const double sizes[5] = {8000, 8200, 63000, 64000, 390000};
        static const double least[5] = {255. / 256, 31. / 32, 31. / 32, 0.75, 0.75};
        size_t size;
        uint8_t *bytes;
        uint64_t bits;
        double g;
        desc.tolerance = 0.5;
        for (i = 0; i < N; i++)
            x[i] = (float)((double)(test_random() % 2001) / 1000 - 1) * (float)sizes[round];
        x[7] = (float)sizes[round];
        CHECK_EQ(check_bounded(&desc, &scaled), 0);
        CHECK_EQ(scaled, 1);
        bytes = host_stream(&desc, &size);
        bits = padici_load64(bytes + 52 + 16 + 5);
        memcpy(&g, &bits, 8);
        CHECK(g == least[round]);
        free(bytes);
    }
    x[7] = 500000; // above 2^19 steps of 3/4
    CHECK_EQ(check_bounded(&desc, &scaled), 1);
    for (i = 0; i < N; i++) x[i] = i % 1900 == 77 ? float_of(0x7fc00000u) : 12.5f; // one token
    desc.profile = PADIC_CODEC_PROFILE_CODED;
    CHECK_EQ(check_bounded(&desc, &scaled), 3);
    CHECK_EQ(scaled, 1);
}

// Sizes as the rule says, computed from the values: one block of 512 elements.
TEST(rule)
{
    static const struct {
        int spread, walk, fetch;
        uint32_t form, predictor;
        size_t payload;
    } cases[] = {
        {1000, 0, 0, PADICI_CODEC_TRANSFORM_BITS, PADICI_CODEC_PREDICTOR_NONE,
         39 + 2 + 2 * 32 * 10},
        {1000, 0, 1, PADICI_CODEC_TRANSFORM_BITS, PADICI_CODEC_PREDICTOR_NONE, 40 + 2 * 32 * 10},
        {4, 1, 0, PADICI_CODEC_TRANSFORM_BITS, PADICI_CODEC_PREDICTOR_DELTA, 45 + 2 + 2 * 32 * 3},
        {0x7fffffff, 0, 0, PADICI_CODEC_TRANSFORM_RAW, PADICI_CODEC_PREDICTOR_NONE, 9 + 512 * 4},
    };
    size_t c, i;
    for (c = 0; c < sizeof cases / sizeof *cases; c++) {
        int32_t x[512], at = 0;
        padic_codec_pack_desc desc = PADIC_ZERO;
        padic_codec_report report;
        uint8_t *bytes;
        size_t size;
        for (i = 0; i < 512; i++) {
            const int32_t r = (int32_t)(((uint32_t)i * 0x9e3779b1u) >> 1) % (cases[c].spread - 1);
            if (cases[c].walk) // steps of -1 to 3: folded at most 6
                x[i] = at += (int32_t)(i % 5) - 1;
            else
                x[i] = i % 256 == 7 ? cases[c].spread - 1 : i % 256 == 9 ? 0 : r;
        }
        if (cases[c].form == PADICI_CODEC_TRANSFORM_RAW) x[3] = INT32_MIN, x[300] = INT32_MIN;
        desc.tensor = padic_tensor_1d(PADIC_I32, x, 512);
        desc.profile = cases[c].fetch ? PADIC_CODEC_PROFILE_FETCH : PADIC_CODEC_PROFILE_PARALLEL;
        bytes = host_stream(&desc, &size);
        CHECK_EQ(codec_info(bytes, size, &report), PADIC_OK);
        CHECK_EQ(report.transforms[cases[c].form], 1);
        if (cases[c].form != PADICI_CODEC_TRANSFORM_RAW)
            CHECK_EQ(report.predictors[cases[c].predictor], 1);
        CHECK_EQ(padici_load32(bytes + 52), cases[c].payload);
        free(bytes);
    }
}

// A walk whose steps are 0 or 1 in 31 of 32 cases, else any of 8192: 31/32 + 13/32 + H(1/32) =
// 1.575 bits a step, which classes in rANS come near. Fixed widths take at least 2.
TEST(coded)
{
    enum { N = 200003 };
    padic_codec_pack_desc desc = PADIC_ZERO;
    padic_codec_report report;
    uint8_t *bytes;
    size_t size, fixed;
    void *data = malloc(4 * N);
    make(data, PADIC_I32, N, RARE);
    desc.tensor = padic_tensor_1d(PADIC_I32, data, N);
    desc.profile = PADIC_CODEC_PROFILE_PARALLEL;
    bytes = host_stream(&desc, &fixed);
    free(bytes);
    desc.profile = PADIC_CODEC_PROFILE_CODED;
    bytes = host_stream(&desc, &size);
    CHECK_EQ(codec_info(bytes, size, &report), PADIC_OK);
    CHECK_EQ(report.representations[PADICI_CODEC_REPRESENTATION_BUCKETS], 4);
    CHECK_EQ(report.predictors[PADICI_CODEC_PREDICTOR_DELTA], 4);
    CHECK_EQ(report.streams[PADICI_CODEC_CODER_RANS], 4);
    CHECK((double)size * 8 < 1.575 * 1.1 * (double)N);
    CHECK((double)size * 8 > 1.575 * 0.98 * (double)N);
    CHECK(fixed > size);
    free(bytes);
    free(data);
}

TEST(refused)
{
    float x[16] = {0};
    padic_codec_pack_desc desc = PADIC_ZERO;
    uint8_t bytes[512];
    size_t size;
    int i;
    desc.tensor = padic_tensor_1d(PADIC_F32, x, 16);
    desc.profile = PADIC_CODEC_PROFILE_PARALLEL;
    desc.tolerance = 0.5;
    for (i = PADIC_CODEC_TOLERANCE_POINTWISE; i <= PADIC_CODEC_TOLERANCE_FIXED; i++) {
        desc.tolerance_mode = (padic_codec_tolerance_mode)i;
        CHECK_EQ(codec_pack(NULL, &desc, bytes, sizeof bytes, &size), PADIC_ERROR_TOLERANCE);
    }
    desc.tolerance_mode = PADIC_CODEC_TOLERANCE_ABSOLUTE;
    for (i = 0; i < (int)DTYPES; i++) {
        double room[32] = {0};
        padic_codec_pack_desc other = desc;
        const int has = all_dtypes[i] == PADIC_F32 || all_dtypes[i] == PADIC_C64 ||
                        all_dtypes[i] == PADIC_F64 || all_dtypes[i] == PADIC_C128;
        other.tensor = padic_tensor_1d(all_dtypes[i], room, 16);
        CHECK_EQ(codec_pack(NULL, &other, bytes, sizeof bytes, &size),
                 has ? PADIC_OK : PADIC_ERROR_TOLERANCE);
    }
    desc.tolerance = 0;
    CHECK_EQ(codec_pack(NULL, &desc, bytes, sizeof bytes, &size), PADIC_ERROR_TOLERANCE);
    desc.tolerance = 1;
    CHECK_EQ(codec_pack(NULL, &desc, bytes, sizeof bytes, &size), PADIC_OK);
    desc.tolerance_mode = PADIC_CODEC_TOLERANCE_NONE;
    desc.layers = 2;
    CHECK_EQ(codec_pack(NULL, &desc, bytes, sizeof bytes, &size), PADIC_ERROR_ARGUMENT);
    desc.layers = 0;
    desc.stages.transforms = 1;
    CHECK_EQ(codec_pack(NULL, &desc, bytes, sizeof bytes, &size), PADIC_ERROR_ARGUMENT);
    desc.stages.transforms = 0;
    desc.prime = 3;
    CHECK_EQ(codec_pack(NULL, &desc, bytes, sizeof bytes, &size), PADIC_ERROR_ARGUMENT);
    desc.prime = 0;
    desc.profile = (padic_codec_profile)4;
    CHECK_EQ(codec_pack(NULL, &desc, bytes, sizeof bytes, &size), PADIC_ERROR_ARGUMENT);
    desc.profile = PADIC_CODEC_PROFILE_FETCH;
    CHECK_EQ(codec_pack(NULL, &desc, bytes, sizeof bytes, &size), PADIC_OK);
}

// Each byte of a stream changed: a device says what the host says, and never success.
TEST(damaged)
{
    enum { N = 700 };
    int16_t x[N];
    padic_codec_pack_desc desc = PADIC_ZERO;
    padic_codec_unpack_desc unpack = PADIC_ZERO;
    padic_context *context;
    padic_tensor shape;
    plane packed, back;
    uint8_t *bytes;
    size_t size, i;
    int kind, spared = 0;
    uint64_t bad_host, bad;
    native_desc.down = 0;
    context = open_one(padic_native(), &native_desc, 0, 0); // the host may be asked
    if (!context) {
        SKIP("no kernels as C");
    }
    for (kind = 0; kind < 5; kind++) {
        static const int kinds[5] = {NOISE, CONSTANT, WALK, FEW, RARE};
        make(x, PADIC_I16, N, kinds[kind]);
        desc.tensor = padic_tensor_1d(PADIC_I16, x, N);
        desc.block[0] = 600;
        desc.profile = kind == 3   ? PADIC_CODEC_PROFILE_FETCH
                       : kind == 4 ? PADIC_CODEC_PROFILE_CODED
                                   : PADIC_CODEC_PROFILE_PARALLEL;
        bytes = host_stream(&desc, &size);
        shape = padic_tensor_1d(PADIC_U8, NULL, size);
        packed = plane_new(context, &shape, 3, bytes);
        back = plane_new(context, &desc.tensor, 1, NULL);
        for (i = 0; i < size; i++) {
            const uint8_t before = bytes[i];
            int16_t y[N];
            padic_result host, device;
            if (test_tiny && i % 7) continue;
            bytes[i] = (uint8_t)(before ^ 1u << test_random() % 8);
            CHECK_EQ(padic_buffer_upload(context, packed.tensor.buffer, 3, bytes, size), PADIC_OK);
            unpack.tensor = desc.tensor;
            unpack.tensor.data = y;
            unpack.report = CODEC_BAD_BLOCK(&bad_host);
            host = codec_unpack(NULL, &unpack, bytes, size);
            unpack.tensor = back.tensor;
            unpack.report = CODEC_BAD_BLOCK(&bad);
            device = codec_unpack_from(context, &unpack, &packed.tensor);
            CHECK_EQ(device, host);
            CHECK_EQ(bad, bad_host);
            CHECK(plane_is(context, &back, x, host ? 0 : sizeof x)); // a bit that no one reads
            spared += !host;
            bytes[i] = before;
        }
        for (i = 0; i < size; i += 1 + size / 50) { // cut off
            shape = packed.tensor;
            packed.tensor.shape[0] = i;
            unpack.tensor = back.tensor;
            CHECK(codec_unpack_from(context, &unpack, &packed.tensor) != PADIC_OK);
            packed.tensor = shape;
        }
        plane_end(context, &packed);
        plane_end(context, &back);
        free(bytes);
    }
    // The level; of 2 blocks the 12 upper bytes of two words whose elements have 2 bytes (of a
    // constant 6); bits that fill up a last byte.
    CHECK(spared <= 5 + 2 * (6 + 3 * 12) + 2 * 4);
    padic_context_destroy(context);
}

// ---- what a strict device says of damage is what the host says

enum { DAMAGED = 700, DAMAGED_BLOCK = 300 };

typedef struct damage {
    padic_context *context; // strict
    padic_dtype dtype;
    uint64_t n;
    plane packed, back;
    uint8_t *copy; // of the stream, to be damaged
    size_t size;
    uint32_t asked, taken, unknown; // unknown: taken by the host alone
} damage;

// Both read what is in d->copy, of which `size` bytes are there.
static void check_damage(damage *d, size_t size)
{
    static uint8_t y[8 * DAMAGED];
    padic_codec_unpack_desc unpack = PADIC_ZERO;
    uint64_t bad_host = 5, bad = 7;
    padic_result host, device;
    uint8_t *exact = (uint8_t *)malloc(size + !size); // the sanitizers look
    memcpy(exact, d->copy, size);
    unpack.tensor = padic_tensor_1d(d->dtype, y, d->n);
    unpack.report = CODEC_BAD_BLOCK(&bad_host);
    host = codec_unpack(NULL, &unpack, exact, size);
    free(exact);
    CHECK_EQ(padic_buffer_upload(d->context, d->packed.tensor.buffer, d->packed.at, d->copy, size),
             PADIC_OK);
    d->packed.tensor.shape[0] = size;
    unpack.tensor = d->back.tensor;
    unpack.report = CODEC_BAD_BLOCK(&bad);
    device = codec_unpack_from(d->context, &unpack, &d->packed.tensor);
    d->asked++;
    // of what it does not read, as another dtype that it would have to widen, it says nothing
    if (device == PADIC_ERROR_NOT_SUPPORTED && (!host || d->copy[5] != (uint8_t)d->dtype)) {
        d->unknown++;
    } else {
        CHECK_EQ(device, host);
        CHECK_EQ(bad, bad_host);
        d->taken += !host;
        CHECK(plane_is(d->context, &d->back, y, host ? 0 : d->n * padic_dtype_size(d->dtype)));
    }
}

// The checksums of header and index, and with `elements` those of the frames: of what they make.
static void repair(damage *d, uint8_t *s, size_t size, int elements)
{
    const uint64_t index = padici_load64(s + size - 24);
    const uint32_t header = padici_load16(s + 10);
    const size_t each = padic_dtype_size(d->dtype);
    uint64_t b, blocks;
    if (header >= 40 && header <= 256)
        padici_store64(s + header - 8, cc_checksum(s, header - 8, 0x44414548));
    if (index < 52 || index > size - 48) return;
    blocks = (size - 48 - index) / 8;
    padici_store64(s + size - 16, cc_checksum(s + index, 24, 0x58444e49) ^
                                      cc_checksum(s + index + 24, 8 * (size_t)blocks, 0x58444e4a) ^
                                      cc_checksum(s + size - 24, 8, 0x58444e4b));
    for (b = 0; b < blocks && elements; b++) {
        const uint64_t at = padici_load64(s + index + 24 + 8 * b);
        uint8_t raw[8 * DAMAGED_BLOCK];
        uint64_t *x;
        rd_box box;
        rd_input in;
        size_t i;
        if (at < 52 || at > index - 16 || padici_load32(s + at) > index - at - 16) continue;
        memset(&box, 0, sizeof box);
        box.dtype = d->dtype;
        box.rank = 1;
        box.n = d->n - b * DAMAGED_BLOCK < DAMAGED_BLOCK ? (size_t)(d->n - b * DAMAGED_BLOCK)
                                                         : (size_t)DAMAGED_BLOCK;
        box.extent[0] = box.n;
        memset(&in, 0, sizeof in);
        in.bytes = s + at + 16;
        in.end = padici_load32(s + at);
        x = rd_block(&in, &box, NULL, 0);
        for (i = 0; i < box.n * each; i++) raw[i] = (uint8_t)(x[i / each] >> (8 * (i % each)));
        free(x);
        if (!in.bad) padici_store64(s + at + 8, cc_checksum(raw, box.n * each, b));
    }
}

TEST(damaged_codes)
{
    static const padic_dtype types[5] = {PADIC_F32, PADIC_I16, PADIC_F64, PADIC_U8, PADIC_F16};
    static uint64_t data[DAMAGED];
    int type, kind, profile, bounded, device;
    uint32_t unknown = 0, taken = 0, asked = 0;
    open_devices();
    for (device = 0; device < device_count; device++)
    for (type = 0; type < 5; type++)
    for (kind = 0; kind < 4; kind++)
        for (profile = PADIC_CODEC_PROFILE_PARALLEL; profile <= PADIC_CODEC_PROFILE_CODED;
             profile++)
            for (bounded = 0; bounded < (type % 2 ? 1 : 2); bounded++) {
                static const int kinds[4] = {CONSTANT, RARE, NOISE, BITS_OF_BOTH_SIGNS};
                const int how = (type + kind + profile + bounded) % 4;
                padic_codec_pack_desc desc = PADIC_ZERO;
                padic_tensor room;
                uint8_t *bytes;
                rd_array whole;
                damage d;
                const size_t stride = (size_t)test_amount(41, 19, 8);
                size_t i, size;
                uint64_t index;
                if ((type + kind + profile + bounded) % test_amount(10, 3, 3)) continue;
                if (bounded && types[type] == PADIC_F16) continue;
                memset(&d, 0, sizeof d);
                d.context = devices[device];
                d.dtype = types[type];
                d.n = DAMAGED - 3;
                make(data, d.dtype, d.n, kinds[kind]);
                if (bounded && d.dtype == PADIC_F32)
                    make_floats((float *)(void *)data, d.n, kind, 0.01);
                if (bounded && d.dtype == PADIC_F64)
                    make_doubles((double *)(void *)data, d.n, kind, 0.01);
                desc.tensor = padic_tensor_1d(d.dtype, data, d.n);
                desc.block[0] = DAMAGED_BLOCK;
                desc.profile = (padic_codec_profile)profile;
                if (bounded)
                    desc.tolerance_mode = PADIC_CODEC_TOLERANCE_ABSOLUTE, desc.tolerance = 0.01;
                bytes = host_stream(&desc, &size);
                index = padici_load64(bytes + size - 24);
                d.size = size + 100;
                d.copy = (uint8_t *)calloc(1, d.size);
                room = padic_tensor_1d(PADIC_U8, NULL, d.size);
                d.packed = plane_new(d.context, &room, 4 + (uint64_t)how, NULL);
                d.back = plane_new(d.context, &desc.tensor, 1, NULL);
                for (i = 0; i < size; i++) { // with checksums that are right, and that are not
                    const uint64_t at = padici_load64(bytes + index + 24); // of the first frame
                    const int head = i < 120 || i >= index || i < at + 80;
                    int round;
                    if (!head && (test_tiny || i % 5)) continue;
                    for (round = 0; round < (head ? 4 : 1); round++) {
                        if (test_tiny && head && (i + (size_t)round) % 3) continue;
                        memcpy(d.copy, bytes, size);
                        d.copy[i] = (uint8_t)(round == 0   ? bytes[i] ^ 1u << test_random() % 8
                                              : round == 1 ? bytes[i] + 1u
                                              : round == 2 ? 255u
                                                           : test_random());
                        if (round != 1 || !head) repair(&d, d.copy, size, round != 3);
                        check_damage(&d, size);
                    }
                }
                for (i = 0; i < size; i += i < 200 || i + 100 > size ? 1u : stride) {
                    memcpy(d.copy, bytes, size);
                    check_damage(&d, i); // cut off
                }
                memcpy(d.copy, bytes, size);
                check_damage(&d, size + 1 + (size_t)(test_random() % 99)); // something behind it
                memcpy(d.copy, bytes, size);
                check_damage(&d, size);
                CHECK(d.taken > 0);
                whole = rd_read(bytes, size);
                CHECK(whole.data != NULL);
                if (whole.data && !bounded)
                    CHECK(!memcmp(whole.data, data, d.n * padic_dtype_size(d.dtype)));
                free(whole.data);
                unknown += d.unknown;
                taken += d.taken;
                asked += d.asked;
                plane_end(d.context, &d.packed);
                plane_end(d.context, &d.back);
                free(d.copy);
                free(bytes);
                if (test_failures > 20) return;
            }
    if (wanted("PADIC_TEST_LOG"))
        printf("\n  %u asked, %u taken, %u unknown", asked, taken, unknown);
    CHECK(unknown < asked / 10);
}

// The same within a bound, with exceptions, of differences, plain and coded.
TEST(damaged_bound)
{
    enum { N = 700 };
    static double x[N], y[N], want[N];
    static float single[N];
    padic_codec_pack_desc desc = PADIC_ZERO;
    padic_codec_unpack_desc unpack = PADIC_ZERO;
    padic_context *context;
    int kind, spared = 0;
    uint64_t bad_host, bad;
    native_desc.down = 0;
    context = open_one(padic_native(), &native_desc, 0, 0);
    if (!context) {
        SKIP("no kernels as C");
    }
    for (kind = 0; kind < 8; kind++) { // from 4 on the same of doubles
        const padic_dtype dtype = kind < 4 ? PADIC_F32 : PADIC_F64;
        const size_t whole = N * (kind < 4 ? 4 : 8);
        const int what = kind % 4;
        plane packed, back;
        padic_tensor shape;
        uint8_t *bytes;
        size_t size, i;
        make_floats(single, N, WAVES, 0);
        for (i = 0; i < N; i++)
            if (what == 1) single[i] = (float)(test_random() % 1000); // no differences
        for (i = 13; i < N && what < 3; i += 177) single[i] = float_of(0x7fc00000u + (uint32_t)i);
        for (i = 0; i < N; i++) x[i] = (double)single[i];
        if (kind < 4) memcpy(x, single, sizeof single);
        desc.tensor = padic_tensor_1d(dtype, x, N);
        desc.block[0] = 600;
        desc.tolerance_mode = PADIC_CODEC_TOLERANCE_ABSOLUTE;
        desc.tolerance = 0.5;
        desc.profile = what == 3   ? PADIC_CODEC_PROFILE_FETCH
                       : what == 2 ? PADIC_CODEC_PROFILE_CODED
                                   : PADIC_CODEC_PROFILE_PARALLEL;
        bytes = host_stream(&desc, &size);
        shape = padic_tensor_1d(PADIC_U8, NULL, size);
        packed = plane_new(context, &shape, 3, bytes);
        back = plane_new(context, &desc.tensor, 1, NULL);
        unpack.tensor = desc.tensor;
        unpack.tensor.data = want;
        CHECK_EQ(codec_unpack(NULL, &unpack, bytes, size), PADIC_OK);
        for (i = 0; i < size; i++) {
            const uint8_t before = bytes[i];
            padic_result host, device;
            if (test_tiny && i % 7) continue;
            bytes[i] = (uint8_t)(before ^ 1u << test_random() % 8);
            CHECK_EQ(padic_buffer_upload(context, packed.tensor.buffer, 3, bytes, size), PADIC_OK);
            unpack.tensor = desc.tensor;
            unpack.tensor.data = y;
            unpack.report = CODEC_BAD_BLOCK(&bad_host);
            host = codec_unpack(NULL, &unpack, bytes, size);
            unpack.tensor = back.tensor;
            unpack.report = CODEC_BAD_BLOCK(&bad);
            device = codec_unpack_from(context, &unpack, &packed.tensor);
            CHECK_EQ(device, host);
            CHECK_EQ(bad, bad_host);
            if (!host) CHECK(!memcmp(want, y, whole));
            CHECK(plane_is(context, &back, want, host ? 0 : whole));
            spared += !host;
            bytes[i] = before;
        }
        plane_end(context, &packed);
        plane_end(context, &back);
        free(bytes);
    }
    // level and bound of the header; of a word what f64 has and f32 rounds away; upper bytes of
    // exceptions' bits; what fills up a byte
    CHECK(spared < 8 * (1 + 17 + 2 * 20));
    padic_context_destroy(context);
}

// Frames whose fields lie, with checksums of header and index that are right.
TEST(lies)
{
    enum { N = 3000 };
    uint32_t x[N];
    padic_codec_pack_desc desc = PADIC_ZERO;
    uint8_t *bytes;
    size_t size;
    uint64_t index;
    int d, round;
    make(x, PADIC_U32, N, WALK);
    desc.tensor = padic_tensor_1d(PADIC_U32, x, N);
    desc.block[0] = 1000;
    desc.profile = PADIC_CODEC_PROFILE_PARALLEL;
    bytes = host_stream(&desc, &size);
    index = padici_load64(bytes + size - 24);
    open_devices();
    for (d = 0; d < device_count; d++) {
        padic_context *context = devices[d];
        const padic_tensor shape = padic_tensor_1d(PADIC_U8, NULL, size);
        plane packed = plane_new(context, &shape, 1, bytes);
        plane back = plane_new(context, &desc.tensor, 1, NULL);
        padic_codec_unpack_desc unpack = PADIC_ZERO;
        uint64_t bad, bad_host;
        padic_result verdict;
        unpack.tensor = back.tensor;
        unpack.report = CODEC_BAD_BLOCK(&bad);
        for (round = 0; round < (test_tiny ? 12 : 120); round++) {
            uint8_t *copy = (uint8_t *)malloc(size);
            memcpy(copy, bytes, size);
            if (round < 12) { // offsets
                static const uint64_t lies[6] = {0, UINT64_MAX, 1, 1u << 20, 52, UINT64_MAX - 15};
                uint64_t at = lies[round % 6];
                if (round >= 6) at += index - 16;
                padici_store64(copy + index + 24 + 8, at);
                padici_store64(
                    copy + size - 16,
                    padici_codec_index_sum(copy + index, copy + index + 24, 3, copy + size - 24));
            } else { // the head of a frame or its widths
                const uint64_t frame = padici_load64(copy + index + 32);
                const uint64_t at = frame + test_random() % 60;
                copy[at] = (uint8_t)(copy[at] + 1 + test_random() % 255);
            }
            CHECK_EQ(padic_buffer_upload(context, packed.tensor.buffer, 1, copy, size), PADIC_OK);
            // the upper halves of step and first say nothing about elements of 4 bytes
            padic_codec_unpack_desc host = PADIC_ZERO;
            host.report = CODEC_BAD_BLOCK(&bad_host);
            verdict = codec_verify(NULL, &host, copy, size);
            CHECK_EQ(codec_unpack_from(context, &unpack, &packed.tensor), verdict);
            CHECK_EQ(bad, bad_host);
            // a place that lies is told of the block before it, which does not end there
            CHECK(verdict ? bad == (uint64_t)(round >= 12) : round >= 12);
            CHECK(plane_is(context, &back, NULL, 0));
            free(copy);
        }
        plane_end(context, &packed);
        plane_end(context, &back);
    }
    free(bytes);
}

// What a device cannot do is done by the host, unless the context is strict.
TEST(others)
{
    enum { N = 900 };
    float x[N], y[N];
    padic_codec_pack_desc desc = PADIC_ZERO;
    padic_codec_unpack_desc unpack = PADIC_ZERO;
    padic_context *context = open_one(padic_native(), &native_desc, 0, 0);
    padic_tensor shape = padic_tensor_1d(PADIC_U8, NULL, 16384), bytes;
    plane from, packed, back;
    uint64_t size = 0;
    padic_op_stats stats;
    if (!context) {
        SKIP("no kernels as C");
    }
    make(x, PADIC_F32, N, WALK);
    desc.tensor = padic_tensor_1d(PADIC_F32, x, N);
    from = plane_new(context, &desc.tensor, 2, x);
    back = plane_new(context, &desc.tensor, 2, NULL);
    packed = plane_new(context, &shape, 1, NULL);
    // every stage: the host's
    desc.tensor = from.tensor;
    CHECK_EQ(codec_pack_to(context, &desc, &packed.tensor, &size), PADIC_OK);
    padic_context_op_stats(context, PADIC_OP_CODEC_PACK, &stats);
    CHECK(stats.calls == 1 && stats.fallbacks == 1 && stats.staged_bytes > 0);
    bytes = packed.tensor;
    bytes.shape[0] = size;
    unpack.tensor = back.tensor;
    CHECK_EQ(codec_unpack_from(context, &unpack, &bytes), PADIC_OK);
    CHECK(plane_is(context, &back, x, sizeof x));
    // the profile: the device's; then to host memory
    desc.profile = PADIC_CODEC_PROFILE_PARALLEL;
    CHECK_EQ(codec_pack_to(context, &desc, &packed.tensor, &size), PADIC_OK);
    bytes.shape[0] = size;
    CHECK_EQ(codec_unpack_from(context, &unpack, &bytes), PADIC_OK);
    padic_context_op_stats(context, PADIC_OP_CODEC_PACK, &stats);
    CHECK(stats.calls == 2 && stats.fallbacks == 1);
    padic_context_op_stats(context, PADIC_OP_CODEC_UNPACK, &stats);
    CHECK(stats.calls == 2 && stats.fallbacks == 1);
    unpack.tensor = padic_tensor_1d(PADIC_F32, y, N);
    CHECK_EQ(codec_unpack_from(context, &unpack, &bytes), PADIC_OK);
    CHECK(!memcmp(x, y, sizeof x));
    unpack.tensor = padic_tensor_1d(PADIC_F32, y, 100); // a part
    unpack.begin[0] = 77;
    unpack.count[0] = 100;
    CHECK_EQ(codec_unpack_from(context, &unpack, &bytes), PADIC_OK);
    CHECK(!memcmp(x + 77, y, 400));
    unpack.begin[0] = unpack.count[0] = 0;
    unpack.tensor = padic_tensor_1d(PADIC_F32, NULL, 100);
    unpack.tensor.buffer = back.tensor.buffer;
    CHECK_EQ(codec_unpack_from(context, &unpack, &bytes), PADIC_ERROR_MISMATCH);
    unpack.tensor = padic_tensor_1d(PADIC_F32, NULL, N); // over the stream
    unpack.tensor.buffer = packed.tensor.buffer;
    CHECK_EQ(codec_unpack_from(context, &unpack, &bytes), PADIC_ERROR_OVERLAP);
    // nothing: header and index
    desc.tensor = from.tensor;
    desc.tensor.shape[0] = 0;
    CHECK_EQ(codec_pack_to(context, &desc, &packed.tensor, &size), PADIC_OK);
    CHECK_EQ(size, 52 + 48);
    plane_end(context, &from);
    plane_end(context, &packed);
    plane_end(context, &back);
    padic_context_destroy(context);
}

// The stored streams of profiles, unpacked by devices; test_codec_golden.c has the host's side.
TEST(golden)
{
    static const char *const names[] = {"profile_f32", "profile_i16", "profile_f64", "profile_u8",
                                        "profile_fetch_bf16", "profile_fetch_i64",
                                        "profile_bits_c64", "profile_coded_i32",
                                        "profile_coded_f32", "profile_bound_f32",
                                        "profile_bound_classes", "profile_bound_fetch",
                                        "profile_bound_coded", "profile_bound_f64",
                                        "profile_bound_f64_classes"};
    size_t i;
    int d;
    open_devices();
    for (i = 0; i < sizeof names / sizeof *names; i++) {
        static uint8_t bytes[1 << 16];
        char path[100];
        size_t size;
        FILE *file;
        padic_codec_report report;
        padic_codec_unpack_desc back = PADIC_ZERO;
        padic_tensor shape;
        void *want;
        snprintf(path, sizeof path, "tests/golden/%s.padc", names[i]);
        file = fopen(path, "rb");
        REQUIRE(file != NULL);
        size = fread(bytes, 1, sizeof bytes, file);
        fclose(file);
        CHECK_EQ(codec_info(bytes, size, &report), PADIC_OK);
        want = malloc((size_t)report.raw_size);
        back.tensor = padic_tensor_nd(report.dtype, want, report.rank, report.shape);
        CHECK_EQ(codec_unpack(NULL, &back, bytes, size), PADIC_OK);
        for (d = 0; d < device_count; d++) {
            plane packed, to;
            shape = padic_tensor_1d(PADIC_U8, NULL, size);
            packed = plane_new(devices[d], &shape, i, bytes);
            shape = padic_tensor_nd(report.dtype, NULL, report.rank, report.shape);
            to = plane_new(devices[d], &shape, i, NULL);
            back.tensor = to.tensor;
            CHECK_EQ(codec_unpack_from(devices[d], &back, &packed.tensor), PADIC_OK);
            CHECK(plane_is(devices[d], &to, want, to.bytes));
            plane_end(devices[d], &packed);
            plane_end(devices[d], &to);
        }
        free(want);
    }
}

// The same of blocks within a bound.
TEST(fetch_bound)
{
    enum { N = 3001, STEP = 1003, AT = 5 };
    static double x[N], y[N];
    size_t size, i;
    int round;
    for (round = 0; round < 2 * FLOATS; round++) {
        const int kind = round / 2;
        const uint32_t each = round % 2 ? 8 : 4;
        const padic_dtype dtype = round % 2 ? PADIC_F64 : PADIC_F32;
        padic_codec_pack_desc desc = PADIC_ZERO;
        padic_codec_unpack_desc back = PADIC_ZERO;
        uint8_t *stream;
        pd_u32 *words, block, found = 0, wrong = 0;
        if (each == 8)
            make_doubles(x, N, kind, 0.01);
        else
            make_floats((float *)(void *)x, N, kind, 0.01);
        desc.tensor = padic_tensor_1d(dtype, x, N);
        desc.block[0] = STEP;
        desc.tolerance_mode = PADIC_CODEC_TOLERANCE_ABSOLUTE;
        desc.tolerance = 0.01;
        desc.profile = PADIC_CODEC_PROFILE_FETCH;
        stream = host_stream(&desc, &size);
        back.tensor = padic_tensor_1d(dtype, y, N);
        CHECK_EQ(codec_unpack(NULL, &back, stream, size), PADIC_OK);
        words = (pd_u32 *)malloc((AT + size + 3) & ~(size_t)3);
        memcpy((uint8_t *)words + AT, stream, size);
        for (block = 0; block < 3; block++) {
            const uint32_t count = block < 2 ? STEP : N - 2 * STEP;
            padic_codec_block b;
            found += padic_codec_block_find(words, AT, size, block, count, each, &b);
            if (kind != HOLES) // of which a block may have none
                CHECK((b.scale != 0) == (kind == WAVES || kind == HALVES || kind == NEGATIVE));
            for (i = 0; i < count; i++)
                wrong += padic_codec_fetch(words, b, (pd_u32)i, each, PADIC_FETCH_FLOAT) !=
                         padici_codec_element((const uint8_t *)y, block * STEP + i, each);
        }
        CHECK_EQ(found, 3);
        CHECK_EQ(wrong, 0);
        for (i = 0; i < (test_tiny ? 60u : 2000u); i++) { // the sanitizers look
            padic_codec_block b;
            uint8_t *at = (uint8_t *)words + AT + 52 + test_random() % 70;
            const uint8_t before = *at;
            *at = (uint8_t)test_random();
            if (padic_codec_block_find(words, AT, size, 0, STEP, each, &b))
                (void)padic_codec_fetch(words, b, STEP - 1, each, PADIC_FETCH_FLOAT);
            *at = before;
        }
        free(words);
        free(stream);
    }
}

// The function for kernels of others, as C. Every element of every block; then bytes that lie.
TEST(fetch)
{
    enum { N = 3001, STEP = 1003, AT = 3 };
    size_t t, size, i;
    int kind;
    for (t = 0; t < DTYPES; t++) {
        const padic_dtype dtype = all_dtypes[t];
        const uint32_t parts = dtype == PADIC_C64 || dtype == PADIC_C128 ? 2 : 1;
        const uint32_t bytes = padic_dtype_size(dtype) / parts;
        const uint32_t number_kind = dtype <= PADIC_BF16 || parts == 2 ? PADIC_FETCH_FLOAT
                                     : dtype <= PADIC_I64              ? PADIC_FETCH_SIGNED
                                                                       : PADIC_FETCH_UNSIGNED;
        for (kind = 0; kind < KINDS; kind++) {
            padic_codec_pack_desc desc = PADIC_ZERO;
            uint8_t *data = (uint8_t *)calloc(N, 16), *stream;
            pd_u32 *words, block, found = 0, wrong = 0;
            make(data, dtype, N, kind);
            desc.tensor = padic_tensor_1d(dtype, data, N);
            desc.block[0] = STEP;
            desc.profile = PADIC_CODEC_PROFILE_FETCH;
            stream = host_stream(&desc, &size);
            words = (pd_u32 *)malloc((AT + size + 3) & ~(size_t)3);
            memcpy((uint8_t *)words + AT, stream, size);
            for (block = 0; block < 3; block++) {
                const uint32_t from = block * STEP * parts;
                const uint32_t count = (block < 2 ? STEP : N - 2 * STEP) * parts;
                padic_codec_block b;
                found += padic_codec_block_find(words, AT, size, block, count, bytes, &b);
                for (i = 0; i < count; i++) {
                    uint64_t want = 0;
                    memcpy(&want, data + (from + i) * bytes, bytes);
                    wrong += padic_codec_fetch(words, b, (pd_u32)i, bytes, number_kind) != want;
                }
                CHECK_EQ(padic_codec_fetch(words, b, count, bytes, number_kind), 0);
                if (b.width)
                    CHECK(!padic_codec_block_find(words, AT, size, block, count + 8, bytes, &b));
            }
            CHECK_EQ(found, 3);
            CHECK_EQ(wrong, 0);
            {
                padic_codec_block b;
                CHECK(!padic_codec_block_find(words, AT, size, 3, 1, bytes, &b));
            }
            for (i = 0; i < (test_tiny ? 60u : 400u); i++) { // the sanitizers look
                padic_codec_block b;
                uint8_t *at = (uint8_t *)words + AT +
                              (i % 4 ? size - 1 - test_random() % 80 : test_random() % size);
                const uint8_t before = *at;
                *at = (uint8_t)test_random();
                for (block = 0; block < 3; block++)
                    if (padic_codec_block_find(words, AT, size, block, STEP * parts, bytes, &b))
                        (void)padic_codec_fetch(words, b, STEP * parts - 1, bytes, number_kind);
                *at = before;
            }
            for (i = 0; i < size; i += 1 + size / 40) {
                padic_codec_block b;
                if (padic_codec_block_find(words, AT, i, 0, STEP * parts, bytes, &b))
                    (void)padic_codec_fetch(words, b, STEP * parts - 1, bytes, number_kind);
            }
            free(words);
            free(stream);
            free(data);
        }
    }
}

// Buffers of the caller's own that end where stream and array end, in the middle of a word: the
// sanitizers look.
TEST(borrowed)
{
    enum { N = 1501 };
    static uint16_t x[N];
    int round;
    for (round = 0; round < 9; round++) {
        padic_codec_pack_desc desc = PADIC_ZERO;
        padic_codec_unpack_desc unpack = PADIC_ZERO;
        padic_buffer_desc borrow = PADIC_ZERO;
        padic_buffer array = {0}, packed = {0}, back = {0};
        padic_context *context;
        padic_tensor to;
        const uint64_t n = N - (uint64_t)round;
        const uint64_t bytes = 2 * n;
        void *data, *memory, *again;
        uint8_t *stream;
        uint64_t written = 0, bad = 0;
        size_t size;
        native_desc.down = 0;
        context = open_one(padic_native(), &native_desc, 0, PADIC_CONTEXT_STRICT);
        if (!context) {
            SKIP("no kernels as C");
        }
        make(x, PADIC_U16, n, round % 3 == 0 ? NOISE : round % 3 == 1 ? RARE : CONSTANT);
        desc.tensor = padic_tensor_1d(PADIC_U16, x, n);
        desc.block[0] = 600;
        desc.profile = (padic_codec_profile)(1 + round / 3);
        stream = host_stream(&desc, &size);
        data = malloc(bytes);
        memory = malloc(size);
        again = malloc(bytes);
        memcpy(data, x, bytes);
        borrow.size = bytes;
        borrow.native = (uint64_t)(uintptr_t)data;
        CHECK_EQ(padic_buffer_create(context, &borrow, &array), PADIC_OK);
        borrow.native = (uint64_t)(uintptr_t)again;
        CHECK_EQ(padic_buffer_create(context, &borrow, &back), PADIC_OK);
        borrow.native = (uint64_t)(uintptr_t)memory;
        borrow.size = size;
        CHECK_EQ(padic_buffer_create(context, &borrow, &packed), PADIC_OK);
        to = padic_tensor_in(padic_tensor_1d(PADIC_U8, NULL, size), packed, 0);
        desc.tensor = padic_tensor_in(desc.tensor, array, 0);
        desc.tensor.data = NULL;
        CHECK_EQ(codec_pack_to(context, &desc, &to, &written), PADIC_OK);
        CHECK(written == size && !memcmp(memory, stream, size));
        unpack.tensor = padic_tensor_in(desc.tensor, back, 0);
        unpack.report = CODEC_BAD_BLOCK(&bad);
        CHECK_EQ(codec_unpack_from(context, &unpack, &to), PADIC_OK);
        CHECK(!memcmp(again, x, bytes));
        CHECK_EQ(padic_buffer_destroy(context, array), PADIC_OK);
        CHECK_EQ(padic_buffer_destroy(context, packed), PADIC_OK);
        CHECK_EQ(padic_buffer_destroy(context, back), PADIC_OK);
        padic_context_destroy(context);
        free(data);
        free(memory);
        free(again);
        free(stream);
    }
}

// ---- the proof: kernels with a bug, planted in a copy of their text

typedef struct planted {
    const char *from, *to; // in the texts of codec, once each
    padic_dtype dtype;
    int kind, bounded;
    padic_codec_profile profile;
    int whole; // no block is right then: somebody else has to pack
    enum { ANYWHERE, PLAINLY, BY_WARPS } where;
} planted;

static const planted bugs[] = {
    // a word of a block's record
    {"codec_note_choice(r, c);",
     "codec_note_choice(r, c);\n            r[CODEC_FIRST] += block % 3u == 1u;", PADIC_U32, RARE,
     0, PADIC_CODEC_PROFILE_PARALLEL, 0, ANYWHERE},
    {"codec_note_choice(r, c);",
     "codec_note_choice(r, c);\n            r[CODEC_FIRST] += block % 3u == 1u;", PADIC_U16,
     CONSTANT, 0, PADIC_CODEC_PROFILE_FETCH, 0, ANYWHERE},
    // a checksum
    {"c->sum = codec_all(each, s.sum, CODEC_ADD) +",
     "c->sum = codec_all(each, s.sum, CODEC_ADD) + (block == 2u) +\n        ", PADIC_F32, WALK, 0,
     PADIC_CODEC_PROFILE_PARALLEL, 0, ANYWHERE},
    // a width that is too small, with the size that it takes
    {"return codec_length((codec_right(most, shift) - codec_right(least, shift)) >> step);",
     "return codec_length((codec_right(most, shift) - codec_right(least, shift)) >> step) *\n"
     "           3u / 4u;",
     PADIC_I16, FEW, 0, PADIC_CODEC_PROFILE_PARALLEL, 0, ANYWHERE},
    // digits
    {"z[2u * i] | z[2u * i + 1u] << width;",
     "z[2u * i] |\n            (z[2u * i + 1u] ^ (width < 8u ? 1u : 0u)) << width;", PADIC_U64, FEW,
     0, PADIC_CODEC_PROFILE_PARALLEL, 0, PLAINLY},
    {"z[2u * i] | z[2u * i + 1u] << width;",
     "z[2u * i] |\n            (z[2u * i + 1u] ^ (width < 8u ? 1u : 0u)) << width;", PADIC_U8,
     STEPS, 0, PADIC_CODEC_PROFILE_FETCH, 0, PLAINLY},
    {"word[bit >> 5] |= z[i] << (bit & 31u);",
     "word[bit >> 5] |= (z[i] ^ (width < 8u && i == 3u)) << (bit & 31u);", PADIC_U32, FEW, 0,
     PADIC_CODEC_PROFILE_PARALLEL, 0, BY_WARPS},
    {"quad[i] = PD_MULWIDE(y, 1u << (a + b)) + x;",
     "quad[i] = PD_MULWIDE(y, 1u << (a + b)) + (x ^ (a ? 1u : 0u));", PADIC_U32, RARE, 0,
     PADIC_CODEC_PROFILE_CODED, 0, BY_WARPS},
    // what a frame says
    {"at + 16u, n, k) - packed;",
     "at + 16u, n, k) - packed;\n        bytes[packed + frame + 22u] += block % 2u;", PADIC_F64,
     MULTIPLES, 0, PADIC_CODEC_PROFILE_PARALLEL, 0, ANYWHERE},
    {"codec_rows(n, k), 4u);\n        codec_put", "codec_rows(n, k) - 1u, 4u);\n        codec_put",
     PADIC_U16, NOISE, 0, PADIC_CODEC_PROFILE_PARALLEL, 1, ANYWHERE},
    // the chain and the tables of coded blocks
    {"x = codec_link(to, mask, turn, 256u", "x = codec_link(to, mask, turn, 1u + 0u * 256u",
     PADIC_U32, RARE, 0, PADIC_CODEC_PROFILE_CODED, 0, ANYWHERE},
    {"t[CODEC_STATES + l] = x;", "t[CODEC_STATES + l] = x + (l == 7u && block == 1u);", PADIC_I16,
     RARE, 0, PADIC_CODEC_PROFILE_CODED, 0, ANYWHERE},
    {"*bits |= (pd_u64)z << *have;", "*bits |= (pd_u64)(z ^ (extra > 3u)) << *have;", PADIC_U32,
     RARE, 0, PADIC_CODEC_PROFILE_CODED, 0, PLAINLY},
    // words within a bound: what comes back is what is told, but too far off
    {"PD_RINT(PD_AS_F32((pd_u32)(bits & ~is_off)) * inverse)",
     "PD_RINT(PD_AS_F32((pd_u32)(bits & ~is_off)) * inverse +\n"
     "                             (bits % 701u == 5u ? 1.0f : 0.0f))",
     PADIC_F32, WAVES, 1, PADIC_CODEC_PROFILE_PARALLEL, 0, ANYWHERE},
    {"((h >> k) + 1u) >> 1;", "((h >> k) + 1u + (bits % 701u == 5u ? 4u : 0u)) >> 1;", PADIC_F64,
     WAVES, 1, PADIC_CODEC_PROFILE_FETCH, 0, ANYWHERE},
    {"((h >> k) + 1u) >> 1;", "((h >> k) + 1u + (bits % 701u == 5u ? 4u : 0u)) >> 1;", PADIC_C128,
     WAVES, 1, PADIC_CODEC_PROFILE_CODED, 0, ANYWHERE},
    // exceptions
    {"bytes[at + 3u + l] = (pd_u8)token;", "bytes[at + 3u + l] = (pd_u8)(token ^ (l == 3u));",
     PADIC_F32, HOLES, 1, PADIC_CODEC_PROFILE_PARALLEL, 0, ANYWHERE},
    // header and index
    {"codec_put(bytes, packed + 4u * b, k.head[b], 4u);",
     "codec_put(bytes, packed + 4u * b, k.head[b] + (b == 4u), 4u);", PADIC_U16, RARE, 0,
     PADIC_CODEC_PROFILE_PARALLEL, 1, ANYWHERE},
    {"8u * (pd_u64)block, frame, 8u);", "8u * (pd_u64)block, frame + (block == 1u), 8u);",
     PADIC_U16, RARE, 0, PADIC_CODEC_PROFILE_PARALLEL, 1, ANYWHERE},
};

static uint32_t warnings;

static void count_warnings(padic_log_level level, uint32_t item, const char *text, void *user)
{
    (void)item;
    (void)user;
    warnings += level == PADIC_LOG_WARNING && strstr(text, "did not come back") != NULL;
    if (wanted("PADIC_TEST_LOG")) printf("\n  %s", text);
}

#if !NATIVE_HERE
TEST(planted_bugs)
{
    SKIP("no kernels as C");
}
#else
TEST(planted_bugs)
{
    enum { N = 5000 };
    static uint64_t data[2 * N], back[2 * N];
    const char *base = getenv("TMPDIR"), *flags = getenv("NATIVE_FLAGS");
    const int warps = flags && strstr(flags, "PD_HAS_WARPS=1");
    char folder[500];
    size_t b;
    native_desc.down = 0;
    snprintf(folder, sizeof folder, "%s/padic-planted-%ld", base ? base : "/tmp", (long)getpid());
    if (!kernel_tree_begin(folder)) {
        SKIP("no folder for kernels");
    }
    for (b = 0; b < sizeof bugs / sizeof *bugs; b++) {
        const planted *bug = bugs + b;
        const int failures = test_failures;
        const uint64_t bytes = N * padic_dtype_size(bug->dtype);
        const uint32_t each = bug->dtype == PADIC_F32 ? 4 : 8; // bytes of a float
        const double tolerance = 0.01,
                     part = bug->dtype == PADIC_C128 ? tolerance * sqrt(0.5) : tolerance;
        padic_context_desc open = PADIC_ZERO;
        padic_context *context = NULL;
        padic_codec_pack_desc desc = PADIC_ZERO;
        padic_codec_unpack_desc unpack = PADIC_ZERO;
        padic_codec_report report = PADIC_ZERO;
        padic_tensor room;
        plane array, packed;
        uint8_t *stream;
        uint64_t size = 0, unproved = 0;
        size_t most;
        int loose, wrong;
        if (bug->where && (bug->where == BY_WARPS) != warps) continue;
        CHECK_EQ(kernel_tree_change(folder, "codec/", bug->from, bug->to), 1);
        make(data, bug->dtype, N, bug->kind);
        if (bug->bounded && bug->dtype == PADIC_F32)
            make_floats((float *)(void *)data, N, bug->kind, tolerance);
        if (bug->bounded && bug->dtype != PADIC_F32)
            make_doubles((double *)(void *)data, bug->dtype == PADIC_F64 ? N : 2 * N, bug->kind,
                         tolerance);
        for (loose = 0; loose < 2; loose++) {
            open.backends[0] = padic_native();
            open.log.write = count_warnings;
            open.backends[1] = loose ? padic_native() : NULL; // else the context is strict
            open.device.native_context = &native_desc;
            open.device.flags = PADIC_DEVICE_SKIP_SELF_TEST;
            open.device.kernel_dir = folder;
            if (padic_context_create(&open, &context)) {
                SKIP("no kernels as C");
            }
            memset(&desc, 0, sizeof desc);
            desc.tensor = padic_tensor_1d(bug->dtype, data, N);
            desc.block[0] = 1000;
            desc.profile = bug->profile;
            desc.report = &report;
            if (bug->bounded)
                desc.tolerance_mode = PADIC_CODEC_TOLERANCE_ABSOLUTE, desc.tolerance = tolerance;
            most = padic_codec_size_bound(&desc);
            room = padic_tensor_1d(PADIC_U8, NULL, most);
            stream = (uint8_t *)malloc(most);
            array = plane_new(context, &desc.tensor, 0, data);
            packed = plane_new(context, &room, 4, NULL);
            desc.tensor = array.tensor;
            desc.flags = PADIC_CODEC_PACK_NO_PROOF;
            CHECK_EQ(codec_pack_to(context, &desc, &packed.tensor, &unproved), PADIC_OK);
            CHECK_EQ(padic_buffer_download(context, packed.tensor.buffer, 4, stream, unproved),
                     PADIC_OK);
            unpack.tensor = padic_tensor_1d(bug->dtype, back, N);
            wrong = codec_unpack(NULL, &unpack, stream, (size_t)unproved) != PADIC_OK;
            if (bug->bounded)
                wrong |= outside(data, back, each, bytes / each, part) != 0;
            else
                wrong |= memcmp(data, back, bytes) != 0;
            CHECK(wrong);
            CHECK_EQ(report.blocks_reencoded, 0);
            desc.flags = warnings = 0;
            CHECK_EQ(codec_pack_to(context, &desc, &packed.tensor, &size),
                     bug->whole && !loose ? PADIC_ERROR_SELF_TEST : PADIC_OK);
            if (!bug->whole) CHECK(report.blocks_reencoded > 0 && report.blocks_reencoded <= 5);
            if (!bug->whole) CHECK_EQ(warnings, 1);
            if (!bug->whole || loose) {
                CHECK_EQ(padic_buffer_download(context, packed.tensor.buffer, 4, stream, size),
                         PADIC_OK);
                CHECK_EQ(report.packed_size, size);
                memset(back, 0, sizeof back);
                CHECK_EQ(codec_unpack(NULL, &unpack, stream, (size_t)size), PADIC_OK);
                if (bug->bounded)
                    CHECK_EQ(outside(data, back, each, bytes / each, part), 0);
                else
                    CHECK(!memcmp(data, back, bytes));
            }
            plane_end(context, &array);
            plane_end(context, &packed);
            free(stream);
            padic_context_destroy(context);
        }
        if (test_failures > failures) printf("\n  bug %d: %s", (int)b, bug->to);
        if (test_failures > 20) break;
    }
    kernel_tree_end(folder);
}
#endif

TEST_MAIN("gpu_codec", CASE(sizes), CASE(kinds), CASE(climbs), CASE(large), CASE(bounds),
          CASE(bounds_of_doubles), CASE(words_of_doubles),
          CASE(limits), CASE(rule), CASE(coded), CASE(refused), CASE(damaged),
          CASE(damaged_bound), CASE(damaged_codes), CASE(lies), CASE(others), CASE(golden),
          CASE(fetch),
          CASE(fetch_bound), CASE(borrowed), CASE(planted_bugs),
          CASE(no_kernel_was_dropped))
