// test_codec_corrupt.c: any bytes at all. Truncation at every offset, every bit flipped, bytes
// appended, hostile sizes, random headers, little memory, little room; and wrong descs.
//
//     cc -O2 tests/codec/test_codec_corrupt.c -o t -lm -lpthread && ./t
#define PADIC_IMPLEMENT_CODEC
#include "../support/inside.h"
#include "../../padic.h"
#include "../support/codec_calls.h"
#include "../support/padic_test.h"
#include "codec_cases.h"

// A stream, the array it came from, and where it is cut.
typedef struct specimen {
    padic_codec_pack_desc desc;
    uint8_t *data;
    size_t bytes;
    cc_packed packed;
} specimen;

#define SPECIMENS 22
static specimen make_specimen(int i)
{
    static const struct {
        padic_dtype dtype;
        cc_kind kind;
        uint32_t rank;
        uint64_t shape[4], block[4];
        padic_codec_stages stages;
        int bounded;
    } list[SPECIMENS] = {
        {PADIC_F32, CC_DECIMAL, 1, {600, 0, 0, 0}, {200, 0, 0, 0}, {0, 0, 0, 0, 0}, 0},
        {PADIC_F64, CC_SMOOTH, 2, {20, 30, 0, 0}, {8, 30, 0, 0}, {0, 0, 0, 0, 0}, 0},
        {PADIC_I16,
         CC_WALK,
         2,
         {30, 31, 0, 0},
         {16, 16, 0, 0},
         {0, 0, 0, PADIC_CODEC_REPRESENTATION_BUCKETS, PADIC_CODEC_CODER_RANS},
         0},
        {PADIC_U8,
         CC_SKEW,
         1,
         {900, 0, 0, 0},
         {300, 0, 0, 0},
         {0, 0, PADIC_CODEC_PATTERN_NONE, PADIC_CODEC_REPRESENTATION_BYTES,
          PADIC_CODEC_CODER_HUFFMAN},
         0},
        {PADIC_U32,
         CC_REPEAT,
         1,
         {700, 0, 0, 0},
         {0, 0, 0, 0},
         {0, 0, PADIC_CODEC_PATTERN_LZ, 0, 0},
         0},
        {PADIC_I32,
         CC_RUNS,
         1,
         {800, 0, 0, 0},
         {0, 0, 0, 0},
         {0, 0, PADIC_CODEC_PATTERN_RUNS, 0, 0},
         0},
        {PADIC_F32, CC_BITS, 3, {5, 6, 7, 0}, {2, 3, 7, 0}, {0, 0, 0, 0, 0}, 0},
        {PADIC_F32,
         CC_OUTLIERS,
         1,
         {500, 0, 0, 0},
         {0, 0, 0, 0},
         {0, 0, PADIC_CODEC_PATTERN_NONE, PADIC_CODEC_REPRESENTATION_PACKED,
          PADIC_CODEC_CODER_PACKED},
         0},
        {PADIC_U64,
         CC_PRIME,
         1,
         {300, 0, 0, 0},
         {0, 0, 0, 0},
         {0, 0, PADIC_CODEC_PATTERN_NONE, PADIC_CODEC_REPRESENTATION_PRIME, 0},
         0},
        {PADIC_I64,
         CC_VALUATION,
         1,
         {300, 0, 0, 0},
         {0, 0, 0, 0},
         {0, 0, PADIC_CODEC_PATTERN_NONE, PADIC_CODEC_REPRESENTATION_UNIT,
          PADIC_CODEC_CODER_SPARSE},
         0},
        {PADIC_C64, CC_SMOOTH, 2, {15, 20, 0, 0}, {0, 0, 0, 0}, {0, 0, 0, 0, 0}, 1},
        {PADIC_F64,
         CC_REPEAT,
         1,
         {400, 0, 0, 0},
         {150, 0, 0, 0},
         {0, 0, PADIC_CODEC_PATTERN_MATCH, 0, 0},
         0},
        {PADIC_F64,
         CC_MIRROR,
         1,
         {450, 0, 0, 0},
         {200, 0, 0, 0},
         {PADIC_CODEC_TRANSFORM_FIELDS, 0, PADIC_CODEC_PATTERN_MATCH, 0, 0},
         0},
        {PADIC_I32,
         CC_WALK,
         2,
         {25, 30, 0, 0},
         {0, 0, 0, 0},
         {0, 0, PADIC_CODEC_PATTERN_NONE, PADIC_CODEC_REPRESENTATION_BUCKETS,
          PADIC_CODEC_CODER_CONTEXT},
         0},
        {PADIC_F16, CC_CONSTANT, 4, {3, 4, 5, 6}, {0, 0, 0, 0}, {0, 0, 0, 0, 0}, 0},
        {PADIC_F64,
         CC_DECIMAL,
         2,
         {80, 5, 0, 0},
         {0},
         {PADIC_CODEC_TRANSFORM_COLUMNS, 0, 0, 0, 0},
         0},
        {PADIC_I32,
         CC_SMOOTH,
         3,
         {7, 9, 20, 0},
         {7, 9, 10, 0},
         {0, PADIC_CODEC_PREDICTOR_LINEAR, PADIC_CODEC_PATTERN_NONE, 0, 0},
         0},
        {PADIC_I16,
         CC_WALK,
         1,
         {300, 0, 0, 0},
         {0, 0, 0, 0},
         {0, PADIC_CODEC_PREDICTOR_LINEAR, 0, 0, 0},
         0},
        {PADIC_I16, CC_RUNS, 1, {1100, 0, 0, 0}, {0},
         {0, 0, 1, PADIC_CODEC_REPRESENTATION_TABLE, 0}, 0},
        {PADIC_I16,
         CC_REPEAT,
         1,
         {900, 0, 0, 0},
         {400, 0, 0, 0},
         {0, 0, PADIC_CODEC_PATTERN_NONE, PADIC_CODEC_REPRESENTATION_BYTES,
          PADIC_CODEC_CODER_REPEAT},
         0},
        {PADIC_F32,
         CC_MIRROR,
         1,
         {700, 0, 0, 0},
         {0},
         {PADIC_CODEC_TRANSFORM_PLAIN, 0, PADIC_CODEC_PATTERN_NONE, 0, PADIC_CODEC_CODER_REPEAT},
         0},
        {PADIC_F32, CC_MIRROR, 1, {900, 0, 0, 0}, {300, 0, 0, 0}, {0, 0, 0, 0, 0}, 1},
    };
    specimen s;
    const size_t n = cc_count(list[i].rank, list[i].shape);
    s.bytes = n * cc_size(list[i].dtype);
    s.data = (uint8_t *)cc_new(s.bytes);
    cc_fill(list[i].kind, list[i].dtype, s.data, n, (size_t)list[i].shape[list[i].rank - 1], 3);
    s.desc = cc_desc(list[i].dtype, s.data, list[i].rank, list[i].shape);
    for (uint32_t a = 0; a < list[i].rank; a++) s.desc.block[a] = list[i].block[a];
    s.desc.stages = list[i].stages;
    s.desc.prime = list[i].dtype == PADIC_U64 ? 257 : 0;
    if (list[i].bounded)
        s.desc.tolerance_mode = PADIC_CODEC_TOLERANCE_RANGE, s.desc.tolerance = 1e-3;
    snprintf(cc_label, sizeof cc_label, "specimen %d", i);
    s.packed = cc_pack(NULL, &s.desc);
    CC_CHECK(s.packed.result == PADIC_OK);
    if (s.packed.result != PADIC_OK) { // nothing below makes sense without it
        printf("\nspecimen %d cannot be packed: %d\n", i, (int)s.packed.result);
        exit(1);
    }
    if (list[i].bounded &&
        s.packed.result == PADIC_OK) { // what must come back is what comes back now
        padic_codec_unpack_desc u;
        memset(&u, 0, sizeof u);
        u.tensor = s.desc.tensor;
        CC_CHECK(codec_unpack(NULL, &u, s.packed.bytes, s.packed.size) == PADIC_OK);
    }
    return s;
}

static void drop_specimen(specimen *s)
{
    free(s->data);
    free(s->packed.bytes);
}

typedef struct source {
    const uint8_t *bytes;
    size_t size, at;
} source;

static int source_read(void *data, size_t size, size_t *got, void *user)
{
    source *s = (source *)user;
    size_t n = s->size - s->at;
    if (n > size) n = size;
    if (n) memcpy(data, s->bytes + s->at, n);
    s->at += n;
    *got = n;
    return 0;
}

// Gives bytes to every decoder there is. Returns what unpack said; `out` is what it wrote over
// 0xA6, `bad` the damaged block. An answer called right must be right: the array, or an error.
static padic_result try_all(const specimen *s, const uint8_t *bytes, size_t size, uint8_t *out,
                            uint64_t *bad)
{
    uint8_t *exact = (uint8_t *)cc_copy(bytes, size);
    padic_codec_report r;
    const padic_result told = codec_info(exact, size, &r);
    uint64_t bad_verify = 77;
    padic_codec_unpack_desc v;
    memset(&v, 0, sizeof v);
    v.report = CODEC_BAD_BLOCK(&bad_verify);
    v.memory_limit = 64u << 20;
    const padic_result verified = codec_verify(NULL, &v, exact, size);
    padic_codec_unpack_desc u;
    memset(&u, 0, sizeof u);
    u.tensor = cc_tensor(s->desc.tensor.dtype, out, s->desc.tensor.rank, s->desc.tensor.shape);
    u.report = CODEC_BAD_BLOCK(bad);
    u.memory_limit = 64u << 20;
    memset(out, 0xA6, s->bytes);
    const padic_result unpacked = codec_unpack(NULL, &u, exact, size);
    if (unpacked == PADIC_OK) {
        CC_CHECK(!memcmp(out, s->data, s->bytes));
        CC_CHECK(verified == PADIC_OK && told == PADIC_OK);
    }
    // No change of dtype or shape can pass a checked header, so the two agree.
    if (verified == PADIC_OK) CC_CHECK(unpacked == PADIC_OK);
    if (unpacked == PADIC_ERROR_CHECKSUM)
        CC_CHECK(verified == PADIC_ERROR_CHECKSUM && bad_verify == *bad);

    source in = {exact, size, 0};
    padic_codec_unpacker *unpacker = NULL;
    padic_codec_unpack_desc d;
    memset(&d, 0, sizeof d);
    d.memory_limit = 64u << 20;
    if (codec_unpack_begin(NULL, &d, source_read, &in, NULL, &unpacker) == PADIC_OK) {
        uint8_t *pulled = (uint8_t *)cc_new(s->bytes);
        size_t got = 0;
        const padic_result pull = codec_unpack_pull(unpacker, pulled, s->bytes, &got);
        CC_CHECK(got <= s->bytes);
        CC_CHECK(!memcmp(pulled, s->data, got)); // what came before an error was right
        if (pull == PADIC_OK) CC_CHECK(got == s->bytes);
        free(pulled);
        padic_codec_unpack_end(unpacker);
    } else {
        CC_CHECK(unpacker == NULL);
    }
    free(exact);
    return unpacked;
}

TEST(truncation)
{
    for (int i = 0; i < SPECIMENS; i++) {
        specimen s = make_specimen(i);
        uint8_t *out = (uint8_t *)cc_new(s.bytes);
        uint64_t bad = 0;
        for (size_t cut = 0; cut < s.packed.size; cut += test_tiny ? 1 + cut / 40 : 1) {
            snprintf(cc_label, sizeof cc_label, "specimen %d, cut at %d of %d", i, (int)cut,
                     (int)s.packed.size);
            const padic_result r = try_all(&s, s.packed.bytes, cut, out, &bad);
            CC_CHECK(r == PADIC_ERROR_CORRUPT || r == PADIC_ERROR_CHECKSUM);
            uint8_t *exact = (uint8_t *)cc_copy(s.packed.bytes, cut);
            CC_CHECK(codec_verify(NULL, NULL, exact, cut) != PADIC_OK);
            free(exact);
        }
        CC_CHECK(try_all(&s, s.packed.bytes, s.packed.size, out, &bad) == PADIC_OK);
        free(out);
        drop_specimen(&s);
    }
}

TEST(bit_flips)
{
    for (int i = 0; i < SPECIMENS; i++) {
        specimen s = make_specimen(i);
        uint8_t *out = (uint8_t *)cc_new(s.bytes),
                *bytes = (uint8_t *)cc_copy(s.packed.bytes, s.packed.size);
        uint64_t bad = 0, unseen = 0, flips = 0;
        for (size_t bit = 0; bit < s.packed.size * 8; bit += test_tiny ? 1 + bit % 29 : 1) {
            bytes[bit / 8] ^= (uint8_t)(1 << bit % 8);
            snprintf(cc_label, sizeof cc_label, "specimen %d, bit %d of byte %d of %d", i,
                     (int)(bit % 8), (int)(bit / 8), (int)s.packed.size);
            // try_all() checks that success means the right array: a bit may have no meaning.
            const padic_result r = try_all(&s, bytes, s.packed.size, out, &bad);
            unseen += r == PADIC_OK;
            flips++;
            CC_CHECK(r == PADIC_OK || r == PADIC_ERROR_CORRUPT || r == PADIC_ERROR_CHECKSUM ||
                     r == PADIC_ERROR_VERSION || r == PADIC_ERROR_NOT_SUPPORTED);
            bytes[bit / 8] ^= (uint8_t)(1 << bit % 8);
        }
        snprintf(cc_label, sizeof cc_label, "specimen %d: %d of %d flips are harmless", i,
                 (int)unseen, (int)flips);
        CC_CHECK(unseen * 10 <= flips);
        free(bytes);
        free(out);
        drop_specimen(&s);
    }
}

TEST(bytes_changed_at_random)
{
    cc_random r = {21};
    for (int i = 0; i < SPECIMENS; i++) {
        specimen s = make_specimen(i);
        uint8_t *out = (uint8_t *)cc_new(s.bytes);
        for (int trial = 0; trial < test_amount(60, 600, 1500); trial++) {
            const size_t size = s.packed.size;
            uint8_t *bytes = (uint8_t *)cc_copy(s.packed.bytes, size);
            uint64_t bad = 0;
            const size_t changes = 1 + (size_t)cc_below(&r, 6), at = (size_t)cc_below(&r, size);
            for (size_t c = 0; c < changes; c++) {
                const size_t where = trial % 2 ? (size_t)cc_below(&r, size) : (at + c) % size;
                const uint64_t v = cc_next(&r);
                bytes[where] = trial % 3 == 0 ? 0xFF : trial % 3 == 1 ? (uint8_t)v : 0;
            }
            snprintf(cc_label, sizeof cc_label, "specimen %d, trial %d", i, trial);
            const padic_result got = try_all(&s, bytes, size, out, &bad);
            if (!memcmp(bytes, s.packed.bytes, size)) CC_CHECK(got == PADIC_OK);
            free(bytes);
        }
        free(out);
        drop_specimen(&s);
    }
}

TEST(bytes_appended)
{
    for (int i = 0; i < SPECIMENS; i++) {
        specimen s = make_specimen(i);
        uint8_t *out = (uint8_t *)cc_new(s.bytes),
                *bytes = (uint8_t *)cc_new(s.packed.size * 2 + 300);
        cc_random r = {4};
        for (size_t more = 1; more < 280; more = more * 2 + 1) {
            uint64_t bad = 0;
            for (int k = 0; k < 3; k++) {
                memcpy(bytes, s.packed.bytes, s.packed.size);
                for (size_t b = 0; b < more; b++)
                    bytes[s.packed.size + b] = k ? (uint8_t)cc_next(&r) : 0;
                snprintf(cc_label, sizeof cc_label, "specimen %d, %d bytes more", i, (int)more);
                CC_CHECK(try_all(&s, bytes, s.packed.size + more, out, &bad) != PADIC_OK);
                memmove(bytes + more, s.packed.bytes, s.packed.size); // in front
                CC_CHECK(try_all(&s, bytes, s.packed.size + more, out, &bad) != PADIC_OK);
            }
        }
        // Twice the same stream.
        uint64_t bad = 0;
        memcpy(bytes, s.packed.bytes, s.packed.size);
        memcpy(bytes + s.packed.size, s.packed.bytes, s.packed.size);
        CC_CHECK(try_all(&s, bytes, s.packed.size * 2, out, &bad) != PADIC_OK);
        free(bytes);
        free(out);
        drop_specimen(&s);
    }
}

// Pieces of two valid streams, spliced.
TEST(splices)
{
    cc_random r = {8};
    for (int trial = 0; trial < test_amount(30, 300, 600); trial++) {
        specimen a = make_specimen((int)cc_below(&r, SPECIMENS)),
                 b = make_specimen((int)cc_below(&r, SPECIMENS));
        const size_t from = (size_t)cc_below(&r, a.packed.size),
                     to = (size_t)cc_below(&r, b.packed.size);
        const size_t size = from + (b.packed.size - to);
        uint8_t *bytes = (uint8_t *)cc_new(size), *out = (uint8_t *)cc_new(a.bytes);
        memcpy(bytes, a.packed.bytes, from);
        memcpy(bytes + from, b.packed.bytes + to, b.packed.size - to);
        uint64_t bad = 0;
        snprintf(cc_label, sizeof cc_label, "splice %d", trial);
        const padic_result got = try_all(&a, bytes, size, out, &bad);
        if (size != a.packed.size) CC_CHECK(got != PADIC_OK);
        free(bytes);
        free(out);
        drop_specimen(&a);
        drop_specimen(&b);
    }
}

// Nothing but noise, with and without the right first bytes.
TEST(noise)
{
    specimen s = make_specimen(0);
    uint8_t *out = (uint8_t *)cc_new(s.bytes);
    cc_random r = {15};
    for (int trial = 0; trial < test_amount(500, 8000, 20000); trial++) {
        uint8_t bytes[300];
        const size_t size = (size_t)cc_below(&r, sizeof bytes + 1), keep = (size_t)cc_below(&r, 40);
        for (size_t i = 0; i < size; i++)
            bytes[i] = trial % 3 ? (uint8_t)cc_next(&r) : (uint8_t)(cc_below(&r, 3) * 127);
        for (size_t i = 0; i < keep && i < size && trial % 2; i++) bytes[i] = s.packed.bytes[i];
        uint64_t bad = 0;
        snprintf(cc_label, sizeof cc_label, "noise %d", trial);
        CC_CHECK(try_all(&s, bytes, size, out, &bad) != PADIC_OK);
    }
    uint8_t text[64] = "this is not a stream of ours, it is a line of text";
    uint64_t bad = 0;
    CHECK(try_all(&s, text, sizeof text, out, &bad) == PADIC_ERROR_CORRUPT);
    CHECK(try_all(&s, text, 0, out, &bad) == PADIC_ERROR_CORRUPT);
    CHECK(codec_info(text, sizeof text, NULL) != PADIC_OK);
    free(out);
    drop_specimen(&s);
}

// A header that says what it must not, under a right checksum. The fields lie where FORMAT.md says.
TEST(hostile_headers)
{
    const uint64_t seed = 0x44414548u; // "HEAD"
    specimen s = make_specimen(1);     // 20 x 30 f64 in blocks of 8 x 30
    uint8_t *out = (uint8_t *)cc_new(s.bytes);
    const size_t header = (size_t)s.packed.bytes[10] | (size_t)s.packed.bytes[11] << 8;
    REQUIRE(header >= 40 && header < s.packed.size);
    uint64_t stored = 0;
    for (size_t k = 0; k < 8; k++) stored |= (uint64_t)s.packed.bytes[header - 8 + k] << (8 * k);
    CHECK(stored == cc_checksum(s.packed.bytes, header - 8, seed)); // else nothing below is tested
    static const struct {
        size_t at, size;
        uint64_t value;
        padic_result expected; // PADIC_OK: any error
    } list[] = {
        {4, 1, 2, PADIC_ERROR_VERSION},
        {4, 1, 255, PADIC_ERROR_VERSION},
        {4, 1, 0, PADIC_OK},
        {5, 1, 0, PADIC_OK},
        {5, 1, 15, PADIC_OK},
        {5, 1, 255, PADIC_OK},
        {5, 1, PADIC_C128, PADIC_OK},
        {5, 1, PADIC_U8, PADIC_OK},
        {6, 1, 0, PADIC_OK},
        {6, 1, 1, PADIC_OK},
        {6, 1, 3, PADIC_OK},
        {6, 1, 8, PADIC_OK},
        {6, 1, 9, PADIC_OK},
        {6, 1, 255, PADIC_OK},
        {8, 1, 6, PADIC_OK},
        {8, 1, 255, PADIC_OK},
        {9, 1, 2, PADIC_OK},
        {9, 1, 128, PADIC_OK},
        {10, 2, 0, PADIC_OK},
        {10, 2, 8, PADIC_OK},
        {10, 2, 0xffff, PADIC_OK},
        {12, 4, 1, PADIC_OK},
        {12, 4, 0x80000000u, PADIC_OK},
        {32, 8, 0, PADIC_OK},
        {32, 8, 19, PADIC_OK},
        {32, 8, 25, PADIC_OK},
        {32, 8, (uint64_t)1 << 32, PADIC_OK},
        {32, 8, (uint64_t)1 << 60, PADIC_OK},
        {32, 8, (uint64_t)1 << 63, PADIC_OK},
        {32, 8, UINT64_MAX, PADIC_OK},
        {40, 8, UINT64_MAX / 30, PADIC_OK},
        {40, 8, (uint64_t)1 << 59, PADIC_OK},
        {48, 4, 0, PADIC_OK},
        {48, 4, 1, PADIC_OK},
        {48, 4, 20, PADIC_OK},
        {48, 4, (uint64_t)1 << 20, PADIC_OK},
        {48, 4, UINT32_MAX, PADIC_OK},
        {52, 4, 0, PADIC_OK},
        {52, 4, 29, PADIC_OK},
        {52, 4, UINT32_MAX, PADIC_OK},
    };
    for (size_t i = 0; i < sizeof list / sizeof *list; i++) {
        uint8_t *bytes = (uint8_t *)cc_copy(s.packed.bytes, s.packed.size);
        cc_set(bytes + list[i].at, list[i].value, list[i].size);
        cc_set(bytes + header - 8, cc_checksum(bytes, header - 8, seed), 8);
        const size_t told = (size_t)bytes[10] | (size_t)bytes[11] << 8;
        if (told != header && told >= 40 && told <= s.packed.size)
            cc_set(bytes + told - 8, cc_checksum(bytes, told - 8, seed), 8);
        uint64_t bad = 0;
        snprintf(cc_label, sizeof cc_label, "header byte %d says %lu", (int)list[i].at,
                 (unsigned long)list[i].value);
        const padic_result r = try_all(&s, bytes, s.packed.size, out, &bad);
        CC_CHECK(r != PADIC_OK);
        if (list[i].expected) CC_CHECK(r == list[i].expected);
        padic_codec_report report;
        const padic_result info = codec_info(bytes, s.packed.size, &report);
        if (list[i].expected) CC_CHECK(info == list[i].expected);
        free(bytes);
    }
    free(out);
    drop_specimen(&s);
}

// An index that lies, under a right checksum.
TEST(hostile_index)
{
    specimen s = make_specimen(0); // 600 f32 in 3 blocks
    uint8_t *out = (uint8_t *)cc_new(s.bytes);
    const size_t size = s.packed.size;
    uint64_t index = 0;
    for (size_t k = 0; k < 8; k++) index |= (uint64_t)s.packed.bytes[size - 24 + k] << (8 * k);
    REQUIRE(index + 48 + 3 * 8 == size);
    uint64_t offsets[3] = {0, 0, 0};
    for (size_t b = 0; b < 3; b++)
        for (size_t k = 0; k < 8; k++)
            offsets[b] |= (uint64_t)s.packed.bytes[index + 24 + 8 * b + k] << (8 * k);
    const struct {
        size_t at;
        uint64_t value;
    } list[] = {
        {8, 0},
        {8, 2},
        {8, 4},
        {8, UINT64_MAX},
        {8, (uint64_t)1 << 61},
        {16, 0},
        {16, 599},
        {16, 601},
        {16, UINT64_MAX},
        {24, 0},
        {24, 1},
        {24, size},
        {24, size - 1},
        {24, size - 15},
        {24, UINT64_MAX},
        {24, UINT64_MAX - 7},
        {24, (uint64_t)1 << 63},
        {24, offsets[1]},
        {32, offsets[0]},
        {32, offsets[2]},
        {40, offsets[1]},
        {40, index},
        {40, index - 8},
        {40, index + 8},
        {32, offsets[1] + 1},
        {0, 0xfffffffeu},
        {0, UINT64_MAX},
        {48, 0},
        {48, index + 8},
        {48, index - 8},
        {48, UINT64_MAX},
        {48, size},
        {48, size - 48},
    };
    for (size_t i = 0; i < sizeof list / sizeof *list; i++) {
        uint8_t *bytes = (uint8_t *)cc_copy(s.packed.bytes, size);
        cc_set(bytes + index + list[i].at, list[i].value, 8);
        cc_repair_index(bytes, size, index);
        uint64_t bad = 0;
        snprintf(cc_label, sizeof cc_label, "index byte %d says %lu", (int)list[i].at,
                 (unsigned long)list[i].value);
        CC_CHECK(try_all(&s, bytes, size, out, &bad) != PADIC_OK);
        free(bytes);
    }
    // A frame that claims more, or other rows.
    for (size_t b = 0; b < 3; b++) {
        static const uint32_t claims[] = {0,       1,           8,           9,
                                          1000000, 0x7fffffffu, 0xfffffffeu, 0xffffffffu};
        for (size_t i = 0; i < sizeof claims / sizeof *claims; i++) {
            for (size_t field = 0; field < 8; field += 4) {
                uint8_t *bytes = (uint8_t *)cc_copy(s.packed.bytes, size);
                uint64_t bad = 0;
                cc_set(bytes + offsets[b] + field, claims[i], 4);
                snprintf(cc_label, sizeof cc_label, "frame %d, field %d says %lu", (int)b,
                         (int)field, (unsigned long)claims[i]);
                CC_CHECK(try_all(&s, bytes, size, out, &bad) == PADIC_ERROR_CHECKSUM && bad == b);
                free(bytes);
            }
        }
    }
    free(out);
    drop_specimen(&s);
}

// A stream may lie anywhere in memory.
TEST(unaligned_streams)
{
    for (int i = 0; i < SPECIMENS; i++) {
        specimen s = make_specimen(i);
        uint8_t *out = (uint8_t *)cc_new(s.bytes);
        for (size_t shift = 1; shift < 8; shift++) {
            uint8_t *room = (uint8_t *)cc_new(s.packed.size + shift);
            memcpy(room + shift, s.packed.bytes, s.packed.size);
            padic_codec_unpack_desc u;
            memset(&u, 0, sizeof u);
            u.tensor = s.desc.tensor;
            u.tensor.data = out;
            memset(out, 0x42, s.bytes);
            snprintf(cc_label, sizeof cc_label, "specimen %d at address %d", i, (int)shift);
            CC_CHECK(codec_unpack(NULL, &u, room + shift, s.packed.size) == PADIC_OK);
            CC_CHECK(!memcmp(out, s.data, s.bytes));
            if (s.desc.tolerance_mode == PADIC_CODEC_TOLERANCE_NONE) {
                size_t size = 0;
                memset(room, 0, s.packed.size + shift);
                CC_CHECK(codec_pack(NULL, &s.desc, room + shift, s.packed.size, &size) ==
                         PADIC_OK);
                CC_CHECK(!memcmp(room + shift, s.packed.bytes, s.packed.size));
            }
            free(room);
        }
        free(out);
        drop_specimen(&s);
    }
}

// One damaged block: its number is told, its elements stay as they were, all others are right.
TEST(damaged_block)
{
    static const struct {
        uint32_t rank;
        uint64_t shape[3], block[3];
    } cases[] = {
        {1, {1000, 0, 0}, {128, 0, 0}}, {2, {33, 41, 0}, {8, 16, 0}}, {3, {9, 10, 11}, {4, 4, 4}}};
    for (int c = 0; c < 3; c++) {
        const uint32_t rank = cases[c].rank;
        const size_t n = cc_count(rank, cases[c].shape);
        int32_t *data = (int32_t *)cc_new(n * 4), *out = (int32_t *)cc_new(n * 4);
        cc_fill(CC_WALK, PADIC_I32, data, n, (size_t)cases[c].shape[rank - 1], 3);
        padic_codec_pack_desc desc = cc_desc(PADIC_I32, data, rank, cases[c].shape);
        uint64_t grid[3] = {1, 1, 1}, blocks = 1;
        for (uint32_t a = 0; a < rank; a++) {
            desc.block[a] = cases[c].block[a];
            grid[a] = (cases[c].shape[a] + cases[c].block[a] - 1) / cases[c].block[a];
            blocks *= grid[a];
        }
        cc_packed p = cc_pack(NULL, &desc);
        uint8_t hit[512];
        memset(hit, 0, sizeof hit);
        REQUIRE(blocks <= sizeof hit && p.result == PADIC_OK);
        for (size_t at = 0; at < p.size; at += test_tiny ? 7 : 1) {
            uint64_t bad = 99999;
            uint8_t *bytes = (uint8_t *)cc_copy(p.bytes, p.size);
            bytes[at] ^= 0x40;
            memset(out, 0xA6, n * 4);
            padic_codec_unpack_desc u;
            memset(&u, 0, sizeof u);
            u.tensor = cc_tensor(PADIC_I32, out, rank, cases[c].shape);
            u.report = CODEC_BAD_BLOCK(&bad);
            snprintf(cc_label, sizeof cc_label, "case %d, byte %d of %d", c, (int)at, (int)p.size);
            const padic_result r = codec_unpack(NULL, &u, bytes, p.size);
            if (r == PADIC_OK) CC_CHECK(!memcmp(out, data, n * 4)); // a byte without meaning
            if (r == PADIC_ERROR_CHECKSUM && bad < blocks) {
                hit[bad] = 1;
                for (size_t i = 0; i < n; i++) {
                    size_t rest = i;
                    uint64_t number = 0, step = 1;
                    for (uint32_t a = rank; a-- > 0;) {
                        number +=
                            rest % (size_t)cases[c].shape[a] / (size_t)cases[c].block[a] * step;
                        step *= grid[a];
                        rest /= (size_t)cases[c].shape[a];
                    }
                    int32_t untouched;
                    memset(&untouched, 0xA6, 4);
                    CC_CHECK(out[i] == (number == bad ? untouched : data[i]));
                }
                // A box that keeps clear of the damaged block is whole.
                uint64_t other = bad ? 0 : blocks - 1, rest = other;
                memset(&u, 0, sizeof u);
                u.tensor = cc_tensor(PADIC_I32, out, rank, cases[c].shape);
                for (uint32_t a = rank; a-- > 0;) {
                    u.begin[a] = rest % grid[a] * cases[c].block[a];
                    rest /= grid[a];
                    u.count[a] = 1;
                    u.tensor.shape[a] = 1;
                }
                CC_CHECK(codec_unpack(NULL, &u, bytes, p.size) == PADIC_OK);
                size_t first = 0;
                for (uint32_t a = 0; a < rank; a++)
                    first = first * (size_t)cases[c].shape[a] + (size_t)u.begin[a];
                CC_CHECK(out[0] == data[first]);
            } else {
                // The header or the index: nothing was called right, and nothing is wrong.
                for (size_t i = 0; i < n; i++) {
                    int32_t untouched;
                    memset(&untouched, 0xA6, 4);
                    CC_CHECK(out[i] == data[i] || out[i] == untouched);
                }
            }
            free(bytes);
        }
        uint64_t all = 0;
        for (uint64_t b = 0; b < blocks; b++) all += hit[b];
        if (!test_tiny) CC_CHECK(all == blocks); // every block was damaged at least once
        free(p.bytes);
        free(data);
        free(out);
    }
}

// Two damaged blocks: the first is told.
TEST(first_damaged_block)
{
    uint16_t data[4000], out[4000];
    cc_fill(CC_BITS, PADIC_U16, data, 4000, 0, 3);
    padic_codec_pack_desc desc = cc_desc_1d(PADIC_U16, data, 4000);
    desc.block[0] = 1000;
    cc_packed p = cc_pack(NULL, &desc);
    padic_codec_unpack_desc u;
    memset(&u, 0, sizeof u);
    u.tensor = padic_tensor_1d(PADIC_U16, out, 4000);
    uint64_t bad = 0;
    u.report = CODEC_BAD_BLOCK(&bad);
    p.bytes[p.size * 3 / 8] ^= 1; // about the middle of blocks 1 and 3 of four equal ones
    p.bytes[p.size * 7 / 8] ^= 1;
    memset(out, 0xA6, sizeof out);
    CHECK(codec_unpack(NULL, &u, p.bytes, p.size) == PADIC_ERROR_CHECKSUM);
    CHECK_EQ(bad, 1);
    CHECK(!memcmp(out, data, 2000) && !memcmp(out + 2000, data + 2000, 2000));
    CHECK(out[1500] == 0xA6A6 && out[3500] == 0xA6A6);
    bad = 0;
    CHECK(codec_verify(NULL, &u, p.bytes, p.size) == PADIC_ERROR_CHECKSUM);
    CHECK_EQ(bad, 1);
    free(p.bytes);
}

// ------------------------------------------------------------------------------- room and memory

// Each capacity below the size gives CAPACITY and the size, and touches nothing past its end.
TEST(capacity)
{
    for (int i = 0; i < SPECIMENS; i++) {
        specimen s = make_specimen(i);
        if (s.desc.tolerance_mode !=
            PADIC_CODEC_TOLERANCE_NONE) { // its data are the decoded ones by now
            drop_specimen(&s);
            continue;
        }
        for (size_t room = 0; room <= s.packed.size;
             room += test_tiny && room + 40 < s.packed.size ? 37 : 1) {
            uint8_t *bytes = (uint8_t *)cc_new(room); // exactly: sanitizers see one byte more
            size_t size = 12345;
            const padic_result r = codec_pack(NULL, &s.desc, bytes, room, &size);
            snprintf(cc_label, sizeof cc_label, "specimen %d, room for %d of %d", i, (int)room,
                     (int)s.packed.size);
            CC_CHECK(r == (room < s.packed.size ? PADIC_ERROR_CAPACITY : PADIC_OK));
            CC_CHECK(size == s.packed.size);
            free(bytes);
        }
        size_t size = 0;
        CC_CHECK(codec_pack(NULL, &s.desc, NULL, 0, &size) == PADIC_ERROR_CAPACITY);
        CC_CHECK(size == s.packed.size);
        uint8_t *guarded = (uint8_t *)cc_new(s.packed.size + 64);
        memset(guarded, 0x77, s.packed.size + 64);
        CC_CHECK(codec_pack(NULL, &s.desc, guarded, s.packed.size - 1, &size) ==
                 PADIC_ERROR_CAPACITY);
        for (size_t k = s.packed.size - 1; k < s.packed.size + 64; k++)
            CC_CHECK(guarded[k] == 0x77);
        memset(guarded, 0x77, s.packed.size + 64);
        CC_CHECK(codec_pack(NULL, &s.desc, guarded, s.packed.size + 64, &size) == PADIC_OK);
        for (size_t k = s.packed.size; k < s.packed.size + 64; k++) CC_CHECK(guarded[k] == 0x77);
        free(guarded);
        drop_specimen(&s);
    }
}

// Working memory never goes above the limit: it is enough, or LIMIT.
TEST(memory_limit)
{
    for (int i = 0; i < SPECIMENS; i++) {
        specimen s = make_specimen(i);
        uint8_t *out = (uint8_t *)cc_new(s.bytes);
        padic_codec_report report;
        CC_CHECK(codec_info(s.packed.bytes, s.packed.size, &report) == PADIC_OK);
        int enough = 0;
        for (uint64_t limit = 1; limit < ((uint64_t)1 << 32); limit = limit + limit / 3 + 1) {
            cc_memory memory;
            memset(&memory, 0, sizeof memory);
            const padic_allocator allocator = cc_allocator(&memory);
            padic_codec_unpack_desc u;
            memset(&u, 0, sizeof u);
            u.tensor = cc_tensor(s.desc.tensor.dtype, out, s.desc.tensor.rank, s.desc.tensor.shape);
            u.allocator = &allocator;
            u.memory_limit = limit;
            const padic_result r = codec_unpack(NULL, &u, s.packed.bytes, s.packed.size);
            snprintf(cc_label, sizeof cc_label, "specimen %d, limit %lu", i, (unsigned long)limit);
            CC_CHECK(memory.peak <= limit && memory.live == 0);
            CC_CHECK(r == PADIC_OK || (r == PADIC_ERROR_LIMIT && !enough));
            if (limit >= report.workspace) CC_CHECK(r == PADIC_OK);
            if (r == PADIC_OK) enough = 1;
        }
        CC_CHECK(enough);
        free(out);
        drop_specimen(&s);
    }
}

// ------------------------------------------------------------------------------------ wrong descs

static padic_dtype dtype_number(int number)
{
    padic_dtype dtype;
    memset(&dtype, 0, sizeof dtype);
    memcpy(&dtype, &number, sizeof number < sizeof dtype ? sizeof number : sizeof dtype);
    return dtype;
}

static padic_result pack_result(const padic_codec_pack_desc *desc)
{
    static uint8_t room[1 << 16];
    size_t size = 0;
    memset(room, 0x21, sizeof room);
    const padic_result r = codec_pack(NULL, desc, room, sizeof room, &size);
    if (r != PADIC_OK && r != PADIC_ERROR_CAPACITY) {
        // "0 for a desc that codec_pack() refuses"; without data the size can be told
        if (desc->tensor.data) CHECK(padic_codec_size_bound(desc) == 0);
        size_t touched = 0;
        for (size_t i = 0; i < sizeof room; i++) touched += room[i] != 0x21;
        CHECK(touched == 0);
    }
    return r;
}

TEST(wrong_descs)
{
    float value[64];
    cc_fill(CC_WALK, PADIC_F32, value, 64, 8, 1);
    const padic_codec_pack_desc good = cc_desc_1d(PADIC_F32, value, 64);
    padic_codec_pack_desc d = good;
    CHECK(pack_result(&d) == PADIC_OK);
    static const int wrong[] = {0, 15, 16, 99, 255, 256 + 2};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        d = good;
        d.tensor.dtype = dtype_number(wrong[i]);
        CHECK(pack_result(&d) == PADIC_ERROR_DTYPE);
    }
    d = good;
    d.tensor.data = NULL;
    CHECK(pack_result(&d) == PADIC_ERROR_ARGUMENT);
    for (int rank = 9; rank < 12; rank++) {
        d = good;
        d.tensor.rank = (uint32_t)rank;
        const padic_result r = pack_result(&d);
        CHECK(r == PADIC_ERROR_ARGUMENT || r == PADIC_ERROR_LIMIT);
    }
    d.tensor.rank = UINT32_MAX;
    CHECK(pack_result(&d) != PADIC_OK);
    // Shapes whose bytes go beyond 2^63, or wrap around to something small.
    static const uint64_t shapes[][3] = {{UINT64_MAX, 1, 1},
                                         {(uint64_t)1 << 61, 1, 1},
                                         {(uint64_t)1 << 32, (uint64_t)1 << 32, 1},
                                         {(uint64_t)1 << 32, (uint64_t)1 << 31, 2},
                                         {(uint64_t)1 << 22, (uint64_t)1 << 21, (uint64_t)1 << 21},
                                         {UINT64_MAX, UINT64_MAX, UINT64_MAX},
                                         {3, (uint64_t)1 << 62, 1},
                                         {(uint64_t)1 << 63, 2, 4}};
    for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s++) {
        d = cc_desc(PADIC_F32, value, 3, shapes[s]);
        CHECK(pack_result(&d) == PADIC_ERROR_LIMIT);
    }
    // Strides: negative, zero among others, overlapping.
    const uint64_t square[2] = {8, 8};
    static const int64_t strides[][2] = {{-8, 1},
                                         {8, -1},
                                         {1, 1},
                                         {4, 1},
                                         {7, 1},
                                         {0, 1},
                                         {8, 0},
                                         {2, 3},
                                         {1, 7},
                                         {INT64_MIN, 1},
                                         {INT64_MAX, INT64_MAX}};
    for (size_t s = 0; s < sizeof strides / sizeof *strides; s++) {
        d = cc_desc(PADIC_F32, value, 2, square);
        d.tensor.stride[0] = strides[s][0];
        d.tensor.stride[1] = strides[s][1];
        const padic_result r = pack_result(&d);
        CHECK(r == PADIC_ERROR_ARGUMENT || r == PADIC_ERROR_OVERLAP ||
              (r == PADIC_ERROR_LIMIT && s == 10));
    }
    d = good;
    d.tensor.stride[0] = -1;
    CHECK(pack_result(&d) == PADIC_ERROR_ARGUMENT);
    static const int levels[] = {-1, 10, 100, INT32_MIN, INT32_MAX};
    for (size_t l = 0; l < sizeof levels / sizeof *levels; l++) {
        d = good;
        d.level = (uint32_t)(levels[l]);
        CHECK(pack_result(&d) == PADIC_ERROR_ARGUMENT);
    }
    d = good;
    d.block[0] = ((uint64_t)1 << 20) + 1;
    CHECK(pack_result(&d) == PADIC_ERROR_LIMIT);
    d.block[0] = UINT64_MAX;
    CHECK(pack_result(&d) == PADIC_ERROR_LIMIT);
    d = cc_desc(PADIC_F32, value, 2, square);
    d.block[0] = (uint64_t)1 << 32; // 2^64 elements, which wraps to 0
    d.block[1] = (uint64_t)1 << 32;
    CHECK(pack_result(&d) == PADIC_ERROR_LIMIT);
    d.block[0] = 4; // a block of 4 x 0
    d.block[1] = 0;
    CHECK(pack_result(&d) == PADIC_ERROR_ARGUMENT);
    // Bits of the masks that no choice has.
    for (int g = 0; g < 5; g++) {
        d = good;
        uint32_t *const masks[5] = {&d.stages.transforms, &d.stages.predictors, &d.stages.patterns,
                                    &d.stages.representations, &d.stages.coders};
        *masks[g] = 1u << 31;
        const padic_result r = pack_result(&d); // refused, or the plain choice
        CHECK(r == PADIC_OK || r == PADIC_ERROR_ARGUMENT || r == PADIC_ERROR_NOT_SUPPORTED);
    }
    CHECK(padic_codec_size_bound(NULL) == 0);
    CHECK(padic_codec_pack_workspace(NULL) == 0);
    size_t size = 0;
    uint8_t room[16];
    CHECK(padic_codec_pack(NULL, NULL) == PADIC_ERROR_ARGUMENT);
    CHECK(codec_pack(NULL, &good, NULL, 16, &size) == PADIC_ERROR_ARGUMENT);
    padic_codec_packer *packer = (padic_codec_packer *)(void *)room;
    CHECK(codec_pack_begin(NULL, &good, NULL, NULL, &packer) == PADIC_ERROR_ARGUMENT);
    CHECK(packer == NULL);
    CHECK(codec_pack_push(NULL, value, 4) == PADIC_ERROR_ARGUMENT);
    CHECK(padic_codec_pack_end(NULL) == PADIC_ERROR_ARGUMENT);
}

TEST(wrong_unpack_descs)
{
    float value[12 * 10], out[12 * 10];
    const uint64_t shape[2] = {12, 10};
    cc_fill(CC_WALK, PADIC_F32, value, 120, 10, 1);
    padic_codec_pack_desc desc = cc_desc(PADIC_F32, value, 2, shape);
    cc_packed p = cc_pack(NULL, &desc);
    REQUIRE(p.result == PADIC_OK);
    padic_codec_unpack_desc good, u;
    memset(&good, 0, sizeof good);
    good.tensor = cc_tensor(PADIC_F32, out, 2, shape);
    u = good;
    CHECK(codec_unpack(NULL, &u, p.bytes, p.size) == PADIC_OK);
    // Regions that reach outside, by one, by far, by wrapping around.
    static const uint64_t boxes[][4] = {
        {12, 0, 1, 1},         {0, 10, 1, 1},
        {0, 0, 13, 10},        {0, 0, 12, 11},
        {11, 0, 2, 1},         {3, 9, 1, 2},
        {UINT64_MAX, 0, 2, 1}, {UINT64_MAX - 4, 0, 5, 1},
        {0, 0, UINT64_MAX, 1}, {5, 0, UINT64_MAX - 3, 1},
        {13, 0, 1, 1},         {(uint64_t)1 << 63, 0, (uint64_t)1 << 63, 1}};
    memset(out, 0x5A, sizeof out);
    for (size_t b = 0; b < sizeof boxes / sizeof *boxes; b++) {
        u = good;
        for (int a = 0; a < 2; a++) {
            u.begin[a] = boxes[b][a];
            u.count[a] = boxes[b][a + 2];
            u.tensor.shape[a] = boxes[b][a + 2];
        }
        snprintf(cc_label, sizeof cc_label, "box %d", (int)b);
        CC_CHECK(codec_unpack(NULL, &u, p.bytes, p.size) == PADIC_ERROR_REGION);
    }
    // Destinations that do not fit.
    u = good;
    u.tensor.shape[0] = 11;
    CHECK(codec_unpack(NULL, &u, p.bytes, p.size) == PADIC_ERROR_MISMATCH);
    u = good;
    u.tensor.shape[0] = 10, u.tensor.shape[1] = 12;
    CHECK(codec_unpack(NULL, &u, p.bytes, p.size) == PADIC_ERROR_MISMATCH);
    u = good;
    u.tensor = padic_tensor_1d(PADIC_F32, out, 120);
    CHECK(codec_unpack(NULL, &u, p.bytes, p.size) == PADIC_ERROR_MISMATCH);
    u = good;
    u.tensor.data = NULL;
    CHECK(codec_unpack(NULL, &u, p.bytes, p.size) == PADIC_ERROR_ARGUMENT);
    u = good;
    u.tensor.stride[0] = -10, u.tensor.stride[1] = 1;
    CHECK(codec_unpack(NULL, &u, p.bytes, p.size) == PADIC_ERROR_ARGUMENT);
    u = good;
    u.tensor.stride[0] = 1, u.tensor.stride[1] = 1; // overlapping
    const padic_result overlapping = codec_unpack(NULL, &u, p.bytes, p.size);
    CHECK(overlapping == PADIC_ERROR_ARGUMENT || overlapping == PADIC_ERROR_OVERLAP);
    u = good;
    u.tensor.dtype = dtype_number(77);
    CHECK(codec_unpack(NULL, &u, p.bytes, p.size) == PADIC_ERROR_DTYPE);
    for (size_t i = 0; i < 120; i++) CHECK(cc_load_bits(4, out, i) == 0x5A5A5A5A);
    CHECK(padic_codec_unpack(NULL, NULL) == PADIC_ERROR_ARGUMENT);
    CHECK(codec_unpack(NULL, &good, NULL, p.size) == PADIC_ERROR_ARGUMENT);
    CHECK(codec_verify(NULL, NULL, NULL, p.size) == PADIC_ERROR_ARGUMENT);
    padic_codec_report r;
    CHECK(codec_info(NULL, p.size, &r) == PADIC_ERROR_ARGUMENT);
    free(p.bytes);

    // Of all pairs of dtypes only the same and the documented wider ones.
    double in[8], back[64];
    for (int a = 0; a < CC_DTYPES; a++) {
        cc_fill(CC_NOISE, cc_dtypes[a], in, 4, 0, 1);
        padic_codec_pack_desc d = cc_desc_1d(cc_dtypes[a], in, 4);
        p = cc_pack(NULL, &d);
        for (int b = 0; b < CC_DTYPES; b++) {
            const padic_dtype f = cc_dtypes[a], t = cc_dtypes[b];
            const int fits =
                f == t ||
                ((f == PADIC_F16 || f == PADIC_BF16) && (t == PADIC_F32 || t == PADIC_F64)) ||
                (f == PADIC_F32 && t == PADIC_F64);
            u = good;
            u.tensor = padic_tensor_1d(t, back, 4);
            snprintf(cc_label, sizeof cc_label, "dtype %d into %d", (int)f, (int)t);
            CC_CHECK(codec_unpack(NULL, &u, p.bytes, p.size) ==
                     (fits ? PADIC_OK : PADIC_ERROR_MISMATCH));
        }
        free(p.bytes);
    }
}

// What stands inside payloads, where it says how far memory is read: reached by few streams only.
TEST(parts_of_payloads)
{
    static const struct {
        uint32_t a, b, length;
        int good;
    } plans[] = {{1, 0, 4, 1},   {1, 0, 3, 0},    {0, 4, 64, 1},    {0, 0, 64, 0},
                 {0, 3, 64, 0},  {0, 256, 256, 1}, {0, 257, 514, 0}, {0, 4, 0, 0}};
    padici_codec_grid grid = PADIC_ZERO;
    padici_codec_work w;
    padici_codec_box box = PADIC_ZERO;
    padici_codec_plan plan = PADIC_ZERO;
    padici_codec_reader in;
    uint8_t bytes[1024];
    for (size_t i = 0; i < sizeof plans / sizeof *plans; i++) { // 100 bytes, at most 32 stretches
        padici_codec_context_plan contexts;
        memset(bytes, 0, sizeof bytes);
        padici_store32(bytes + 1, plans[i].a);
        padici_store32(bytes + 5, plans[i].b);
        padici_store32(bytes + 9, plans[i].length);
        in.at = bytes;
        in.end = bytes + sizeof bytes;
        in.bad = 0;
        padici_codec_context_take_plan(&in, 100, &contexts);
        CHECK_EQ(!in.bad, plans[i].good);
    }
    grid.capacity = 256;
    grid.span = 1;
    grid.dtype = PADIC_U8;
    uint8_t *memory = (uint8_t *)malloc(padici_codec_work_layout(NULL, &grid, 1, NULL) + 64);
    REQUIRE(memory != NULL);
    uint8_t *base = (uint8_t *)(((uintptr_t)memory + 63) & ~(uintptr_t)63);
    (void)padici_codec_work_layout(&w, &grid, 1, base);
    w.loops = padici_codec_plain_loops();
    w.policy = padici_codec_policy_of(5);
    for (uint64_t highest = 2; highest < 5; highest++) { // a table of 3 words, and its ranks
        uint64_t table[3] = {50, 60, 70}, ranks[64], back[64 + 64];
        for (uint64_t i = 0; i < 64; i++) ranks[i] = i == 40 ? highest : i % 3;
        w.out.start = w.out.at = bytes;
        w.out.end = bytes + sizeof bytes;
        w.out.full = 0;
        padici_codec_put_u32(&w.out, 3);
        padici_codec_put_buckets(&w, table, 3, 2, w.symbols, 1);
        padici_codec_put_buckets(&w, ranks, 64, 2, w.symbols, 0);
        in.at = bytes;
        in.end = w.out.at;
        in.bad = 0;
        padici_codec_take_word_table(&w, &in, back, 64, NULL);
        CHECK_EQ(in.bad, highest > 2);
        for (uint64_t i = 0; i < 64 && highest == 2; i++) CHECK_EQ(back[i], table[ranks[i]]);
    }
    box.n = 100;
    box.size = 1;
    box.dtype = PADIC_U8;
    for (size_t past = 99; past < 102; past++) { // a block that is the window's beginning
        memset(w.raw, 0, 100);
        memset(w.record, 7, 100);
        w.history = w.record;
        w.past = past;
        w.out.start = w.out.at = bytes;
        w.out.full = 0;
        padici_codec_put_u32(&w.out, 0);
        for (int i = 0; i < 3; i++) padici_codec_put_buckets(&w, w.list, 0, 0, w.symbols, 0);
        in.at = bytes;
        in.end = w.out.at;
        in.bad = 0;
        padici_codec_take_matches(&w, &in, &box, &plan, 0, 0);
        CHECK_EQ(in.bad, past < 100);
        CHECK_EQ(w.raw[99], past < 100 ? 0 : 7);
    }
    free(memory);
}

// Huffman's bits in eight lanes, the last of which says more symbols than it holds: five codes of a
// lane are read together, and none of them from far behind the payload.
TEST(last_lane_ends_sooner)
{
    enum { EACH = 400, WHOLE = EACH * 11 / 8, HEAD = 7 + 4 * 8, PAD = 8 };
    static uint16_t table[1 << 11];
    static uint8_t out[8 * EACH];
    for (size_t held = 0; held <= WHOLE; held++) { // bytes of the last lane
        const size_t size = HEAD + 7 * WHOLE + held;
        uint8_t *bytes = (uint8_t *)cc_new(size + PAD); // and no byte more
        padici_codec_reader in;
        size_t got = 0;
        memset(bytes, 0, size + PAD);
        bytes[0] = 11; // symbols 0 to 11, of 1 to 10 bits and two of 11; the last is 11 ones
        for (int s = 0; s < 12; s++)
            bytes[1 + s / 2] |= (uint8_t)((s < 11 ? s + 1 : 11) << (s % 2 * 4));
        for (int lane = 0; lane < 8; lane++)
            cc_set(bytes + 7 + 4 * lane, lane < 7 ? WHOLE : held, 4);
        memset(bytes + HEAD, 0xff, size - HEAD);
        in.at = bytes;
        in.end = bytes + size;
        in.bad = 0;
        memset(out, 0xa6, sizeof out);
        padici_codec_huffman_take(&in, out, sizeof out, table);
        CHECK_EQ(in.bad, held < WHOLE);
        while (got < EACH && out[8 * got + 7] != 0xa6) got++;
        CHECK(got >= held * 8 / 11 && got <= held * 8 / 11 + 6);
        free(bytes);
    }
}

// A block finds those before it in its own super-block only, and only if they were decoded.
TEST(windows)
{
    padici_codec_grid grid = PADIC_ZERO;
    padici_codec_work w;
    memset(&w, 0, sizeof w);
    uint8_t window[4 * 10 * 2];
    w.window = window;
    grid.dtype = PADIC_I16;
    grid.span = 4;
    padici_codec_window_enter(&w, 5);
    for (uint32_t k = 0; k < 4; k++) w.starts[k + 1] = w.starts[k] + 10;
    for (uint32_t held = 0; held < 8; held++)
        for (uint64_t super = 4; super < 7; super++)
            for (uint32_t slot = 0; slot < 4; slot++)
                for (uint32_t reach = 0; reach < 256; reach += reach < 6 ? 1 : 25) {
                    int there = reach <= slot && super == 5;
                    for (uint32_t k = 1; k <= reach && there; k++) there = held >> (slot - k) & 1;
                    if (reach == 0) there = 1;
                    w.held = held;
                    w.past = 77;
                    CHECK_EQ(padici_codec_window_find(&grid, &w, super * 4 + slot, reach), there);
                    CHECK_EQ(w.past, there ? 10 * reach : 0);
                    if (there && reach) CHECK(w.history == window + 20 * (slot - reach));
                }
    padici_codec_window_enter(&w, 6); // nothing is left of the one before
    CHECK(!padici_codec_window_find(&grid, &w, 6 * 4 + 1, 1));
}

// Predictors of payloads: axes, each once, and as many as there is room for.
TEST(predictors_of_payloads)
{
    static const struct {
        uint8_t kind, count, axis[4], first; // flags are 0 or this
        int good;
    } list[] = {
        {PADICI_CODEC_PREDICTOR_INTERPOLATE, 2, {0, 1, 0, 0}, 0, 1},
        {PADICI_CODEC_PREDICTOR_INTERPOLATE, 2, {1, 1, 0, 0}, 0, 0},
        {PADICI_CODEC_PREDICTOR_INTERPOLATE, 2, {0, 4, 0, 0}, 0, 0},
        {PADICI_CODEC_PREDICTOR_LINEAR, 3, {0, 1, 2, 0}, 0, 1},
        {PADICI_CODEC_PREDICTOR_LINEAR, 4, {0, 1, 2, 3}, 0, 0},
        {PADICI_CODEC_PREDICTOR_LINEAR, 3, {0, 1, 1, 0}, 0, 0},
        {PADICI_CODEC_PREDICTOR_LINEAR, 2, {1, 0, 0, 0}, 0, 0},
        {PADICI_CODEC_PREDICTOR_LINEAR, 1, {0, 0, 0, 0}, PADICI_CODEC_BLOCK_FIRST, 0},
    };
    padici_codec_box box = PADIC_ZERO;
    box.rank = 4;
    box.n = 256;
    box.size = 4;
    box.dtype = PADIC_F32;
    for (int k = 0; k < 4; k++) box.extent[k] = 4;
    for (size_t i = 0; i < sizeof list / sizeof *list; i++) {
        uint8_t bytes[128] = {0}, *p = bytes;
        padici_codec_plan plan;
        padici_codec_reader in;
        *p++ = PADICI_CODEC_TRANSFORM_BITS;
        *p++ = list[i].first;
        *p++ = list[i].kind;
        p += 3; // no pattern, planes, no shift
        *p++ = list[i].count;
        if (list[i].kind == PADICI_CODEC_PREDICTOR_INTERPOLATE) *p++ = 1; // the scale
        for (int k = 0; k < list[i].count; k++) {
            *p++ = list[i].axis[k];
            if (list[i].kind == PADICI_CODEC_PREDICTOR_INTERPOLATE) p += 4;
        }
        if (list[i].kind == PADICI_CODEC_PREDICTOR_LINEAR) {
            *p++ = 1;                     // tap
            *p++ = 0;                     // shift
            for (int k = 0; k < list[i].count; k++) *p++ = 1; // steps back
            *p++ = 1;                     // weight
        }
        in.at = bytes;
        in.end = bytes + sizeof bytes;
        in.bad = 0;
        padici_codec_take_plan(&in, &box, &plan);
        CHECK_EQ(!in.bad, list[i].good);
    }
}

// A source that says it gave more than was asked for.
static int read_too_much(void *data, size_t size, size_t *got, void *user)
{
    memset(data, 0x50, size);
    *got = size + 1 + *(const size_t *)user;
    return 0;
}

static int read_header_of_60000(void *data, size_t size, size_t *got, void *user)
{
    uint8_t *p = (uint8_t *)data;
    memset(p, 0, size);
    if (!*(int *)user) { // the first 40 bytes
        memcpy(p, "PADC\1", 5);
        padici_store16(p + 10, 60000);
    }
    *(int *)user = 1;
    *got = size;
    return 0;
}

static void *alloc_nothing(size_t size, size_t align, void *user)
{
    (void)size, (void)align, (void)user;
    return NULL;
}

TEST(hostile_sources)
{
    padic_codec_unpacker *u = (padic_codec_unpacker *)(void *)&cc_label;
    padic_codec_unpack_desc desc = PADIC_ZERO;
    cc_memory memory;
    memset(&memory, 0, sizeof memory);
    const padic_allocator allocator = cc_allocator(&memory);
    padic_allocator none = allocator;
    size_t more = 0, got = 5;
    int begun = 0;
    none.alloc = alloc_nothing;
    for (more = 0; more < 3; more++) {
        u = (padic_codec_unpacker *)(void *)&cc_label;
        CHECK_EQ(codec_unpack_begin(NULL, &desc, read_too_much, &more, NULL, &u),
                 PADIC_ERROR_CALLBACK);
        CHECK(u == NULL);
    }
    CHECK_EQ(codec_unpack_begin(NULL, &desc, NULL, NULL, NULL, &u), PADIC_ERROR_ARGUMENT);
    CHECK_EQ(codec_unpack_begin(NULL, &desc, read_too_much, &more, NULL, NULL),
             PADIC_ERROR_ARGUMENT);
    desc.allocator = &allocator;
    desc.memory_limit = 59999; // a header of 60000 bytes
    CHECK_EQ(codec_unpack_begin(NULL, &desc, read_header_of_60000, &begun, NULL, &u),
             PADIC_ERROR_LIMIT);
    CHECK(u == NULL && memory.peak == 0);
    desc.memory_limit = 60000;
    begun = 0;
    CHECK_EQ(codec_unpack_begin(NULL, &desc, read_header_of_60000, &begun, NULL, &u),
             PADIC_ERROR_CHECKSUM);
    CHECK(u == NULL && memory.live == 0);
    desc.allocator = &none;
    begun = 0;
    CHECK_EQ(codec_unpack_begin(NULL, &desc, read_header_of_60000, &begun, NULL, &u),
             PADIC_ERROR_MEMORY);
    CHECK_EQ(codec_unpack_pull(NULL, &more, 1, &got), PADIC_ERROR_ARGUMENT);
    CHECK_EQ(got, 0);
}

// Every code has a sentence of its own.
TEST(texts)
{
    static const int codes[] = {0,    -100, -101, -102, -103, -104, -105, -106,
                                -107, -108, -109, -110, -200, -300, -301, -302,
                                -303, -304, -400, -401, -402, -500, -501};
    const int count = (int)(sizeof codes / sizeof *codes);
    for (int i = 0; i < count; i++) {
        const char *text = padic_result_text((padic_result)codes[i]);
        REQUIRE(text != NULL);
        CHECK(strlen(text) > 3);
        for (int j = 0; j < i; j++)
            CHECK(strcmp(text, padic_result_text((padic_result)codes[j])) != 0);
    }
}

TEST_MAIN("codec_corrupt", CASE(truncation), CASE(bit_flips), CASE(bytes_changed_at_random),
          CASE(bytes_appended), CASE(splices), CASE(noise), CASE(hostile_headers),
          CASE(hostile_index), CASE(unaligned_streams), CASE(damaged_block),
          CASE(first_damaged_block), CASE(capacity), CASE(memory_limit), CASE(wrong_descs),
          CASE(wrong_unpack_descs), CASE(parts_of_payloads), CASE(last_lane_ends_sooner),
          CASE(windows), CASE(predictors_of_payloads), CASE(hostile_sources), CASE(texts))
