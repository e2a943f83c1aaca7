// test_codec_layers.c: what packer and reader share besides the stream, and bounds that are found
// by search: references, layers (planes), importance, the mean square, a number of bytes.
//
//     cc -O2 tests/codec/test_codec_layers.c -o t -lm -lpthread && ./t
#define PADIC_IMPLEMENTATION
#include "../../padic.h"
#include "../support/codec_calls.h"
#include <float.h>
#include "../support/padic_test.h"
#include "codec_cases.h"

static padic_result unpack(const cc_packed *p, size_t size, const padic_tensor *to,
                           const padic_tensor *reference, uint32_t planes, const uint64_t *begin)
{
    padic_codec_unpack_desc desc;
    memset(&desc, 0, sizeof desc);
    desc.tensor = *to;
    if (reference) desc.reference = *reference;
    desc.layers = planes;
    for (uint32_t a = 0; begin && a < to->rank; a++) {
        desc.begin[a] = begin[a];
        desc.count[a] = to->shape[a];
    }
    return codec_unpack(NULL, &desc, p->bytes, size);
}

// |x - y| <= bound in exact arithmetic, or the same bits.
static int near_enough(padic_dtype dtype, const void *want, const void *got, size_t i,
                       double tolerance)
{
    const cc_exact x = cc_load(dtype, want, i), y = cc_load(dtype, got, i);
    if (x.bits == y.bits) return 1;
    return x.finite && y.finite &&
           cc_within(x, y, cc_of_double(tolerance), cc_of_double(1.0), cc_of_double(0.0));
}

// A frame and the one before, of which every 37th element was another.
static void two_frames(cc_kind kind, padic_dtype dtype, uint8_t *now, uint8_t *before, size_t n,
                       size_t width)
{
    const size_t size = cc_size(dtype);
    cc_fill(kind, dtype, before, n, width, 5);
    memcpy(now, before, n * size);
    for (size_t i = 11; i + 1 < n; i += 37) memcpy(now + i * size, before + (i + 1) * size, size);
}

static void reference_case(padic_dtype dtype, cc_kind kind, int level,
                           padic_codec_tolerance_mode mode)
{
    const uint64_t shape[2] = {67, 61}, block[2] = {32, 61}, part[2] = {20, 30};
    const uint64_t begin[2] = {25, 17};
    const size_t n = 67 * 61, size = cc_size(dtype), bytes = n * size;
    uint8_t *now = (uint8_t *)cc_new(bytes), *before = (uint8_t *)cc_new(bytes);
    uint8_t *got = (uint8_t *)cc_new(bytes), *box = (uint8_t *)cc_new(600 * size);
    two_frames(kind, dtype, now, before, n, 61);
    padic_codec_pack_desc desc = cc_desc(dtype, now, 2, shape);
    const padic_tensor reference = cc_tensor(dtype, before, 2, shape);
    const padic_tensor to = cc_tensor(dtype, got, 2, shape), small = cc_tensor(dtype, box, 2, part);
    desc.level = (uint32_t)level;
    desc.tolerance_mode = mode;
    desc.tolerance = 0.01;
    desc.block[0] = block[0], desc.block[1] = block[1];
    snprintf(cc_label, sizeof cc_label, "dtype %d, %s, level %d, mode %d", (int)dtype,
             cc_kind_names[kind], level, (int)mode);
    cc_packed alone = cc_pack(NULL, &desc);
    desc.reference = reference;
    cc_packed p = cc_pack(NULL, &desc);
    padic_codec_report r;
    CC_CHECK(p.result == PADIC_OK && alone.result == PADIC_OK);
    CC_CHECK(codec_info(p.bytes, p.size, &r) == PADIC_OK && r.reference && r.layers == 1);
    if (mode == PADIC_CODEC_TOLERANCE_NONE && kind == CC_BITS) CC_CHECK(p.size < alone.size / 3);
    CC_CHECK(p.size <= alone.size);
    CC_CHECK(unpack(&p, p.size, &to, &reference, 0, NULL) == PADIC_OK);
    if (mode == PADIC_CODEC_TOLERANCE_NONE) CC_CHECK(!memcmp(got, now, bytes));
    for (size_t i = 0; i < n * cc_components(dtype) && mode != PADIC_CODEC_TOLERANCE_NONE; i++)
        CC_CHECK(near_enough(dtype, now, got, i, r.error_bound));
    CC_CHECK(unpack(&p, p.size, &small, &reference, 0, begin) == PADIC_OK);
    for (size_t i = 0; i < 600; i++)
        CC_CHECK(!memcmp(box + i * size, got + ((25 + i / 30) * 61 + 17 + i % 30) * size, size));
    CC_CHECK(unpack(&p, p.size, &to, NULL, 0, NULL) == PADIC_ERROR_MISMATCH);
    CC_CHECK(codec_verify(NULL, NULL, p.bytes, p.size) == PADIC_ERROR_MISMATCH);
    padic_tensor other = reference;
    other.shape[0]--;
    CC_CHECK(unpack(&p, p.size, &to, &other, 0, NULL) == PADIC_ERROR_MISMATCH);
    if (p.size < alone.size * 9 / 10) { // some block took it
        for (size_t i = 0; i < n * size; i += 61 * size) before[i] ^= 1;
        CC_CHECK(unpack(&p, p.size, &to, &reference, 0, NULL) == PADIC_ERROR_MISMATCH);
    }
    free(alone.bytes), free(p.bytes), free(now), free(before), free(got), free(box);
}

TEST(references)
{
    uint32_t turn = 0;
    for (int d = 0; d < CC_DTYPES; d++) {
        for (int kind = 0; kind < CC_KINDS; kind++, turn++) {
            if (test_tiny && turn % 7) continue;
            const padic_codec_tolerance_mode mode =
                turn % 3 == 2 ? PADIC_CODEC_TOLERANCE_RANGE : PADIC_CODEC_TOLERANCE_NONE;
            reference_case(cc_dtypes[d], (cc_kind)kind, turn % 2 ? 5 : 1 + (int)(turn % 9), mode);
        }
    }
    reference_case(PADIC_F32, CC_BITS, 5, PADIC_CODEC_TOLERANCE_NONE);
    reference_case(PADIC_F64, CC_BITS, 9, PADIC_CODEC_TOLERANCE_NONE);
}

typedef struct bytes_sink {
    uint8_t *bytes;
    size_t size, at;
} bytes_sink;

static int sink_write(const void *data, size_t size, void *user)
{
    bytes_sink *s = (bytes_sink *)user;
    memcpy(s->bytes + s->size, data, size);
    s->size += size;
    return 0;
}

static int sink_read(void *data, size_t size, size_t *got, void *user)
{
    bytes_sink *s = (bytes_sink *)user;
    *got = size < s->size - s->at ? size : s->size - s->at;
    memcpy(data, s->bytes + s->at, *got);
    s->at += *got;
    return 0;
}

// A stream takes a reference, too, and gives the same bytes.
TEST(reference_streams)
{
    const uint64_t shape[2] = {90, 40};
    uint8_t *now = (uint8_t *)cc_new(14400), *before = (uint8_t *)cc_new(14400);
    uint8_t *got = (uint8_t *)cc_new(14400);
    bytes_sink sink = {(uint8_t *)cc_new(40000), 0, 0};
    two_frames(CC_BITS, PADIC_F32, now, before, 3600, 40);
    padic_codec_pack_desc desc = cc_desc(PADIC_F32, now, 2, shape);
    desc.reference = cc_tensor(PADIC_F32, before, 2, shape);
    desc.block[0] = 16, desc.block[1] = 40;
    cc_packed p = cc_pack(NULL, &desc);
    padic_codec_packer *packer;
    REQUIRE(codec_pack_begin(NULL, &desc, sink_write, &sink, &packer) == PADIC_OK);
    CHECK(codec_pack_push(packer, now, 5000) == PADIC_OK);
    CHECK(codec_pack_push(packer, now + 5000, 9400) == PADIC_OK);
    CHECK(padic_codec_pack_end(packer) == PADIC_OK);
    CHECK(sink.size == p.size && !memcmp(sink.bytes, p.bytes, p.size));
    padic_codec_unpack_desc u;
    padic_codec_unpacker *unpacker;
    size_t size = 0;
    memset(&u, 0, sizeof u);
    CHECK(codec_unpack_begin(NULL, &u, sink_read, &sink, NULL, &unpacker) ==
          PADIC_ERROR_MISMATCH);
    sink.at = 0;
    u.reference = desc.reference;
    REQUIRE(codec_unpack_begin(NULL, &u, sink_read, &sink, NULL, &unpacker) == PADIC_OK);
    CHECK(codec_unpack_pull(unpacker, got, 14400, &size) == PADIC_OK && size == 14400);
    padic_codec_unpack_end(unpacker);
    CHECK(!memcmp(got, now, 14400));
    desc.layers = 3; // layers need the whole array
    CHECK(codec_pack_begin(NULL, &desc, sink_write, &sink, &packer) == PADIC_ERROR_ARGUMENT);
    free(p.bytes), free(now), free(before), free(got), free(sink.bytes);
}

static void planes_case(padic_dtype dtype, cc_kind kind, uint32_t planes,
                        padic_codec_tolerance_mode mode)
{
    const uint64_t shape[3] = {11, 19, 23}, part[3] = {5, 7, 9}, begin[3] = {3, 9, 13};
    const size_t n = 11 * 19 * 23, size = cc_size(dtype), bytes = n * size;
    uint8_t *data = (uint8_t *)cc_new(bytes), *got = (uint8_t *)cc_new(bytes);
    uint8_t *box = (uint8_t *)cc_new(315 * size), *cut;
    cc_fill(kind, dtype, data, n, 23, 3);
    padic_codec_pack_desc desc = cc_desc(dtype, data, 3, shape);
    const padic_tensor to = cc_tensor(dtype, got, 3, shape), small = cc_tensor(dtype, box, 3, part);
    desc.layers = planes;
    desc.tolerance_mode = mode;
    desc.tolerance = 1e-4;
    desc.block[0] = 4, desc.block[1] = 19, desc.block[2] = 12;
    snprintf(cc_label, sizeof cc_label, "dtype %d, %s, %d planes, mode %d", (int)dtype,
             cc_kind_names[kind], (int)planes, (int)mode);
    cc_packed p = cc_pack(NULL, &desc);
    padic_codec_report r;
    CC_CHECK(p.result == PADIC_OK && p.size <= padic_codec_size_bound(&desc));
    CC_CHECK(codec_info(p.bytes, p.size, &r) == PADIC_OK && r.layers == planes);
    CC_CHECK(codec_verify(NULL, NULL, p.bytes, p.size) == PADIC_OK);
    double last = 0;
    for (uint32_t k = 1; k <= planes; k++) {
        // as many bytes as the layers have and no more
        const size_t prefix = (size_t)r.layer_end[k - 1];
        cut = (uint8_t *)cc_copy(p.bytes, prefix);
        const cc_packed front = {cut, prefix, PADIC_OK};
        CC_CHECK(k == 1 || prefix > r.layer_end[k - 2]);
        CC_CHECK(unpack(&front, prefix, &to, NULL, k, NULL) == PADIC_OK);
        // who names no number wants all of them
        CC_CHECK(unpack(&front, prefix, &to, NULL, 0, NULL) ==
                 (k == planes ? PADIC_OK : PADIC_ERROR_CORRUPT));
        CC_CHECK(unpack(&front, prefix - 30, &to, NULL, k, NULL) != PADIC_OK);
        CC_CHECK(unpack(&p, p.size, &to, NULL, k, NULL) == PADIC_OK);
        CC_CHECK(unpack(&p, p.size, &small, NULL, k, begin) == PADIC_OK);
        for (size_t i = 0; i < 315; i++) {
            const size_t at = ((3 + i / 63) * 19 + 9 + i / 9 % 7) * 23 + 13 + i % 9;
            CC_CHECK(!memcmp(box + i * size, got + at * size, size));
        }
        double worst = 0;
        for (size_t i = 0; i < n * cc_components(dtype); i++) {
            const cc_exact x = cc_load(dtype, data, i), y = cc_load(dtype, got, i);
            const double e = x.bits == y.bits ? 0 : cc_to_double(x) - cc_to_double(y);
            CC_CHECK(x.bits == y.bits || (x.finite && y.finite));
            if (e > worst || -e > worst) worst = e > 0 ? e : -e;
        }
        if (k > 1) CC_CHECK(worst <= last);
        last = worst;
        if (k == planes && mode == PADIC_CODEC_TOLERANCE_NONE) CC_CHECK(!memcmp(got, data, bytes));
        free(cut);
    }
    for (size_t i = 0; i < n * cc_components(dtype) && mode != PADIC_CODEC_TOLERANCE_NONE; i++)
        CC_CHECK(near_enough(dtype, data, got, i, r.error_bound));
    // damage is found in each layer
    memcpy(data, got, bytes);
    for (size_t at = 60; at < r.layer_end[planes - 1]; at += 97) {
        p.bytes[at] ^= 4;
        CC_CHECK(unpack(&p, p.size, &to, NULL, 0, NULL) != PADIC_OK || !memcmp(got, data, bytes));
        p.bytes[at] ^= 4;
    }
    free(p.bytes), free(data), free(got), free(box);
}

TEST(planes)
{
    static const padic_dtype dtypes[5] = {PADIC_F32, PADIC_F64, PADIC_F16, PADIC_I32, PADIC_C64};
    static const cc_kind kinds[5] = {CC_SMOOTH, CC_CLASSES, CC_DECIMAL, CC_WALK, CC_WEIGHTS};
    for (uint32_t i = 0; i < 25; i++) {
        if (test_tiny && i % 7) continue;
        planes_case(dtypes[i % 5], kinds[i / 5], 2 + i % 7,
                    i % 3 ? PADIC_CODEC_TOLERANCE_NONE : PADIC_CODEC_TOLERANCE_RANGE);
    }
}

// Each element is within its own share of the bound; 0 and less, infinite and NaN are lossless.
TEST(importance)
{
    const uint64_t shape[2] = {120, 50}, blocks[2] = {4, 2};
    const size_t n = 6000;
    float *data = (float *)cc_new(4 * n), *got = (float *)cc_new(4 * n), one[8];
    float *factor = (float *)cc_new(4 * n);
    cc_fill(CC_SMOOTH, PADIC_F32, data, n, 50, 9);
    for (size_t i = 0; i < n; i++) factor[i] = 4 + (float)((i * 7919) % 100) / 10;
    for (int i = 0; i < 8; i++) one[i] = (float)(1 << i) / 4;
    one[2] = 0, one[3] = -1, one[5] = FLT_MAX * 2, one[6] = one[5] - one[5];
    padic_codec_pack_desc desc = cc_desc(PADIC_F32, data, 2, shape);
    const padic_tensor to = cc_tensor(PADIC_F32, got, 2, shape);
    desc.block[0] = 30, desc.block[1] = 25;
    desc.tolerance_mode = PADIC_CODEC_TOLERANCE_ABSOLUTE;
    desc.tolerance = 0.125;
    cc_packed plain = cc_pack(NULL, &desc);
    for (int whole = 0; whole < 2; whole++) {
        desc.importance = whole ? cc_tensor(PADIC_F32, factor, 2, shape)
                                : cc_tensor(PADIC_F32, one, 2, blocks);
        cc_packed p = cc_pack(NULL, &desc);
        snprintf(cc_label, sizeof cc_label, "importance, %s", whole ? "elements" : "blocks");
        CC_CHECK(p.result == PADIC_OK);
        CC_CHECK(unpack(&p, p.size, &to, NULL, 0, NULL) == PADIC_OK);
        size_t beyond = 0;
        for (size_t i = 0; i < n; i++) {
            const float f = whole ? factor[i] : one[i / 50 / 30 * 2 + i % 50 / 25];
            const double tolerance = f > 0 && f <= FLT_MAX ? 0.125 * (double)f : 0;
            CC_CHECK(near_enough(PADIC_F32, data, got, i, tolerance));
            beyond += !near_enough(PADIC_F32, data, got, i, 0.125);
        }
        if (whole) CC_CHECK(p.size <= plain.size);
        if (!whole) CC_CHECK(beyond > 0); // blocks that matter less are coarser
        free(p.bytes);
    }
    desc.importance.shape[0]++;
    cc_packed p = cc_pack(NULL, &desc);
    CHECK(p.result == PADIC_ERROR_MISMATCH);
    free(p.bytes), free(plain.bytes), free(data), free(got), free(factor);
}

static void rms_case(padic_dtype dtype, cc_kind kind, double target)
{
    const uint64_t shape[2] = {90, 70};
    const size_t n = 6300, parts = cc_components(dtype);
    uint8_t *data = (uint8_t *)cc_new(n * cc_size(dtype)), *got;
    got = (uint8_t *)cc_new(n * cc_size(dtype));
    cc_fill(kind, dtype, data, n, 70, 4);
    padic_codec_pack_desc desc = cc_desc(dtype, data, 2, shape);
    const padic_tensor to = cc_tensor(dtype, got, 2, shape);
    desc.tolerance_mode = PADIC_CODEC_TOLERANCE_RMS;
    desc.tolerance = target;
    snprintf(cc_label, sizeof cc_label, "dtype %d, %s, rms %g", (int)dtype, cc_kind_names[kind],
             target);
    cc_packed p = cc_pack(NULL, &desc);
    desc.tolerance_mode = PADIC_CODEC_TOLERANCE_ABSOLUTE;
    cc_packed strict = cc_pack(NULL, &desc);
    padic_codec_report r;
    CC_CHECK(p.result == PADIC_OK && unpack(&p, p.size, &to, NULL, 0, NULL) == PADIC_OK);
    CC_CHECK(codec_info(p.bytes, p.size, &r) == PADIC_OK &&
             r.tolerance_mode == PADIC_CODEC_TOLERANCE_RMS);
    double sum = 0;
    size_t finite = 0;
    for (size_t i = 0; i < n * parts; i++) {
        const cc_exact x = cc_load(dtype, data, i), y = cc_load(dtype, got, i);
        finite += x.finite != 0;
        if (x.bits == y.bits) continue;
        const double e = cc_to_double(x) - cc_to_double(y);
        CC_CHECK(x.finite && y.finite);
        sum += e * e;
    }
    CC_CHECK(sum <= target * target * (double)finite / (double)parts);
    if (kind == CC_WEIGHTS && dtype == PADIC_F64) CC_CHECK(p.size < strict.size);
    free(p.bytes), free(strict.bytes), free(data), free(got);
}

TEST(rms)
{
    rms_case(PADIC_F64, CC_WEIGHTS, 0.001);
    rms_case(PADIC_F32, CC_SMOOTH, 0.5);
    rms_case(PADIC_F32, CC_CLASSES, 0.25);
    rms_case(PADIC_F16, CC_WALK, 0.01);
    rms_case(PADIC_I32, CC_WALK, 3);
    rms_case(PADIC_C64, CC_SMOOTH, 0.5);
    rms_case(PADIC_F64, CC_DECIMAL, 1e-300); // whose square is no number
}

// No more bytes than asked for; with all of them lossless; too few say how many it takes.
TEST(fixed)
{
    static const padic_dtype dtypes[4] = {PADIC_F32, PADIC_F64, PADIC_I16, PADIC_BF16};
    for (uint32_t i = 0; i < 4; i++) {
        const uint64_t shape[2] = {100, 80};
        const size_t bytes = 8000 * cc_size(dtypes[i]);
        uint8_t *data = (uint8_t *)cc_new(bytes), *got = (uint8_t *)cc_new(bytes);
        cc_fill(CC_SMOOTH, dtypes[i], data, 8000, 80, 4);
        padic_codec_pack_desc desc = cc_desc(dtypes[i], data, 2, shape);
        const padic_tensor to = cc_tensor(dtypes[i], got, 2, shape);
        snprintf(cc_label, sizeof cc_label, "dtype %d", (int)dtypes[i]);
        cc_packed exact = cc_pack(NULL, &desc);
        desc.tolerance_mode = PADIC_CODEC_TOLERANCE_FIXED;
        double before = 0;
        for (uint32_t k = 8; k > 0; k--) {
            desc.tolerance = (double)(exact.size / 8 * k);
            cc_packed p = cc_pack(NULL, &desc);
            padic_codec_report r;
            if (p.result == PADIC_ERROR_LIMIT) {
                CC_CHECK(k <= 2);
                free(p.bytes);
                break;
            }
            CC_CHECK(p.result == PADIC_OK && (double)p.size <= desc.tolerance);
            CC_CHECK(unpack(&p, p.size, &to, NULL, 0, NULL) == PADIC_OK);
            CC_CHECK(codec_info(p.bytes, p.size, &r) == PADIC_OK);
            for (size_t e = 0; e < 8000; e++)
                CC_CHECK(near_enough(dtypes[i], data, got, e, r.error_bound));
            CC_CHECK(r.error_bound >= before); // fewer bytes, larger errors
            before = r.error_bound;
            free(p.bytes);
        }
        desc.tolerance = 2 * (double)exact.size; // a lossless stream of this mode has no window
        cc_packed ample = cc_pack(NULL, &desc);
        CC_CHECK(ample.result == PADIC_OK);
        desc.tolerance = (double)ample.size;
        free(ample.bytes);
        cc_packed p = cc_pack(NULL, &desc);
        CC_CHECK(p.result == PADIC_OK && unpack(&p, p.size, &to, NULL, 0, NULL) == PADIC_OK);
        CC_CHECK(!memcmp(got, data, bytes));
        desc.tolerance = 60;
        size_t least = 0;
        CC_CHECK(codec_pack(NULL, &desc, NULL, 0, &least) == PADIC_ERROR_LIMIT);
        CC_CHECK(least > 60 && least < exact.size);
        free(p.bytes), free(exact.bytes), free(data), free(got);
    }
}

TEST_MAIN("codec_layers", CASE(references), CASE(reference_streams), CASE(planes),
          CASE(importance), CASE(rms), CASE(fixed))
