// test_limits.c: bytes of strangers. Every reader of the codec gives the same answer to a damaged
// stream, takes no more memory than it may, and stops when it is told to; refusals say what is
// wrong.
//
//     cc -O2 tests/codec/test_limits.c -o t -lm -lpthread && ./t
#define PADIC_IMPLEMENTATION
#include "../../padic.h"
#include "../support/codec_calls.h"
#include "../support/padic_test.h"
#include "codec_cases.h"
#include <ctype.h>

typedef struct bytes_source {
    const uint8_t *bytes;
    size_t size, at;
} bytes_source;

static int take(void *data, size_t size, size_t *got, void *user)
{
    bytes_source *s = (bytes_source *)user;
    size_t n = s->size - s->at;
    if (n > size) n = size;
    if (n) memcpy(data, s->bytes + s->at, n);
    s->at += n;
    *got = n;
    return 0;
}

typedef struct bytes_sink {
    uint8_t bytes[1 << 16];
    size_t size;
} bytes_sink;

static int give(const void *data, size_t size, void *user)
{
    bytes_sink *s = (bytes_sink *)user;
    if (size > sizeof s->bytes - s->size) return 1;
    if (size) memcpy(s->bytes + s->size, data, size);
    s->size += size;
    return 0;
}

typedef struct pulled {
    padic_result begin, result;
    size_t size; // of what came
    uint64_t bad;
} pulled;

static pulled pull_all(const padic_codec_unpack_desc *desc, const uint8_t *bytes, size_t size,
                       uint8_t *out, size_t room)
{
    pulled p;
    bytes_source in = {bytes, size, 0};
    padic_codec_unpack_desc d = *desc;
    padic_codec_unpacker *unpacker = NULL;
    size_t got = 0;
    memset(&p, 0, sizeof p);
    d.report = CODEC_BAD_BLOCK(&p.bad);
    p.begin = p.result = codec_unpack_begin(NULL, &d, take, &in, NULL, &unpacker);
    while (!p.result && p.size < room) {
        p.result = codec_unpack_pull(unpacker, out + p.size, room - p.size, &got);
        p.size += got;
        if (!got) break;
    }
    if (!p.result) p.result = codec_unpack_pull(unpacker, NULL, 0, &got); // the end
    padic_codec_unpack_end(unpacker);
    return p;
}

#define ARRAY_MOST 65536

// Where readers may differ in what they write and in the number of the damaged block, not in the
// code: of a damaged index of a stream that was written without its length unpack knows no shape
// and writes nothing; and places of blocks that lie under a right checksum are found by pulling
// when all blocks came.
enum { STREAMED = 1, PLACES_LIE = 2 };

// What each reader says of these bytes; they must agree. Returns what unpack says, or verify of an
// array that is too large to unpack here.
static padic_result agree(const uint8_t *given, size_t size, int may)
{
    uint8_t *bytes = (uint8_t *)cc_copy(given, size);
    static uint8_t whole[ARRAY_MOST], part[ARRAY_MOST], again[ARRAY_MOST];
    padic_codec_report r;
    padic_codec_unpack_desc v = PADIC_ZERO, u = PADIC_ZERO;
    uint64_t bad = 5, bad_verify = 6;
    memset(&r, 0, sizeof r);
    const padic_result told = codec_info(bytes, size, &r);
    v.report = CODEC_BAD_BLOCK(&bad_verify);
    const padic_result verified = codec_verify(NULL, &v, bytes, size);
    // the header is told by pulling, when info gave up at the index
    bytes_source in = {bytes, size, 0};
    padic_codec_unpacker *unpacker = NULL;
    padic_codec_report head;
    const padic_result begun = codec_unpack_begin(NULL, NULL, take, &in, &head, &unpacker);
    padic_codec_unpack_end(unpacker);
    if (told) r = head;
    if (verified == PADIC_OK) CC_CHECK(told == PADIC_OK);
    if (begun == PADIC_ERROR_NOT_SUPPORTED || begun == PADIC_ERROR_MISMATCH) { // layers, reference
        free(bytes);
        return verified;
    }
    if (begun && begun != PADIC_ERROR_LIMIT) {
        // of the header: all four say the same
        CC_CHECK(verified == begun && told == begun);
        padic_result unpacked;
        u.tensor = padic_tensor_1d(PADIC_U8, whole, 1);
        unpacked = codec_unpack(NULL, &u, bytes, size);
        CC_CHECK(unpacked == begun);
        free(bytes);
        return verified;
    }
    if (begun == PADIC_ERROR_LIMIT || r.raw_size > ARRAY_MOST || !r.raw_size) {
        const pulled p = pull_all(&u, bytes, size, part, sizeof part);
        if (p.size < sizeof part && !begun) CC_CHECK(p.result == verified);
        CC_CHECK(verified != PADIC_OK || p.begin == PADIC_ERROR_LIMIT || !p.result);
        free(bytes);
        return verified;
    }

    const size_t all = (size_t)r.raw_size;
    u.tensor = cc_tensor(r.dtype, whole, r.rank, r.shape);
    u.report = CODEC_BAD_BLOCK(&bad);
    memset(whole, 0x5b, all);
    const padic_result unpacked = codec_unpack(NULL, &u, bytes, size);
    CC_CHECK(unpacked == verified && bad == bad_verify);
    if (told) CC_CHECK(unpacked != PADIC_OK);

    // a box of everything, and two that are everything together
    for (uint32_t k = 0; k < r.rank; k++) u.count[k] = r.shape[k];
    u.tensor.data = part;
    memset(part, 0x5b, all);
    CC_CHECK(codec_unpack(NULL, &u, bytes, size) == unpacked && bad == bad_verify);
    CC_CHECK(!memcmp(whole, part, all));
    if (r.rank && r.shape[0] > 1) {
        const uint64_t half = r.shape[0] / 2;
        memset(part, 0x5b, all);
        u.report = NULL;
        u.count[0] = u.tensor.shape[0] = half;
        const padic_result low = codec_unpack(NULL, &u, bytes, size);
        u.begin[0] = half;
        u.count[0] = u.tensor.shape[0] = r.shape[0] - half;
        u.tensor.data = part + all / (size_t)r.shape[0] * (size_t)half;
        const padic_result high = codec_unpack(NULL, &u, bytes, size);
        CC_CHECK((low ? low : high) == unpacked);
        CC_CHECK(!memcmp(whole, part, all));
    }

    // The stream's reader. What it gave is what unpack wrote, and all before the damaged row of
    // blocks was given.
    padic_codec_unpack_desc d = PADIC_ZERO;
    const pulled p = pull_all(&d, bytes, size, again, all);
    CC_CHECK(p.begin == PADIC_OK && p.result == unpacked);
    if (!(may & PLACES_LIE) && (!(may & STREAMED) || bad != UINT64_MAX || !unpacked)) {
        uint64_t across = 1, row = padic_dtype_size(r.dtype);
        for (uint32_t k = 1; k < r.rank; k++) {
            across *= (r.shape[k] + r.block[k] - 1) / r.block[k];
            row *= r.shape[k];
        }
        if (r.rank) row *= r.block[0];
        CC_CHECK(p.bad == bad);
        CC_CHECK(!memcmp(again, whole, p.size));
        CC_CHECK(p.size >= (bad == UINT64_MAX || !across ? all : bad / across * row));
    }
    if (unpacked == PADIC_OK) CC_CHECK(p.size == all);
    free(bytes);
    return unpacked;
}

// A small array in several blocks, on two axes, packed whole or as a stream of unknown length.
static size_t sample(uint32_t i, uint8_t *bytes, size_t room)
{
    static const struct {
        padic_dtype dtype;
        uint32_t rank;
        uint64_t shape[3], block[3];
        cc_kind kind;
        int streamed, level;
    } list[] = {
        {PADIC_F32, 1, {300, 0, 0}, {64, 0, 0}, CC_DECIMAL, 0, 5},
        {PADIC_I16, 2, {21, 30, 0}, {8, 16, 0}, CC_WALK, 0, 5},
        {PADIC_U8, 1, {257, 0, 0}, {64, 0, 0}, CC_CONSTANT, 1, 5},
        {PADIC_F64, 2, {10, 12, 0}, {3, 5, 0}, CC_SMOOTH, 1, 3},
        {PADIC_U16, 3, {5, 4, 9}, {2, 4, 4}, CC_REPEAT, 0, 1},
        {PADIC_C64, 2, {6, 7, 0}, {6, 7, 0}, CC_SMOOTH, 1, 6},
    };
    static uint8_t data[8192];
    bytes_sink *sink;
    padic_codec_pack_desc desc;
    size_t size = 0, n;
    if (i >= sizeof list / sizeof *list) return 0;
    n = cc_count(list[i].rank, list[i].shape);
    cc_fill(list[i].kind, list[i].dtype, data, n, (size_t)list[i].shape[list[i].rank - 1], 3);
    desc = cc_desc(list[i].dtype, data, list[i].rank, list[i].shape);
    for (uint32_t k = 0; k < list[i].rank; k++) desc.block[k] = list[i].block[k];
    desc.level = (uint32_t)(list[i].level);
    if (!list[i].streamed) {
        CC_CHECK(codec_pack(NULL, &desc, bytes, room, &size) == PADIC_OK);
        return size;
    }
    padic_codec_packer *packer = NULL;
    sink = (bytes_sink *)cc_new(sizeof *sink);
    sink->size = 0;
    desc.tensor.shape[0] = PADIC_CODEC_UNKNOWN;
    CC_CHECK(codec_pack_begin(NULL, &desc, give, sink, &packer) == PADIC_OK);
    CC_CHECK(codec_pack_push(packer, data, n * cc_size(list[i].dtype)) == PADIC_OK);
    CC_CHECK(padic_codec_pack_end(packer) == PADIC_OK);
    size = sink->size;
    memcpy(bytes, sink->bytes, size);
    free(sink);
    return size;
}

// Every byte of header and index, with the checksum that fits and with the one that was, and every
// byte of the blocks.
TEST(readers_agree)
{
    static const uint8_t changes[] = {1, 2, 4, 8, 16, 32, 64, 128, 255};
    static uint8_t bytes[1 << 16], damaged[1 << 16];
    for (uint32_t i = 0;; i++) {
        const size_t size = sample(i, bytes, sizeof bytes);
        if (!size) break;
        const size_t header = (size_t)cc_get(bytes + 10, 2);
        const size_t index = (size_t)cc_get(bytes + size - 24, 8);
        const int streamed = bytes[9] & 1;
        CHECK(agree(bytes, size, streamed) == PADIC_OK);
        for (size_t at = 0; at < size; at++)
            for (size_t c = 0; c < sizeof changes; c++)
                for (int repaired = 0; repaired < 2; repaired++) {
                    if (repaired && at >= header && at < index) continue;
                    if (test_tiny && (at * 9 + c) % 7) continue;
                    memcpy(damaged, bytes, size);
                    damaged[at] ^= changes[c];
                    if (repaired && at < header) cc_repair_header(damaged, size);
                    else if (repaired) cc_repair_index(damaged, size, index);
                    snprintf(cc_label, sizeof cc_label, "sample %u, byte %d of %d xor %d%s", i,
                             (int)at, (int)size, changes[c], repaired ? ", repaired" : "");
                    const int lies = repaired && at >= index + 24 && at < size - 24;
                    const padic_result r =
                        agree(damaged, size, streamed | (lies ? PLACES_LIE : 0));
                    if (!repaired && at < header && at != 4)
                        CC_CHECK(r == PADIC_ERROR_CHECKSUM || r == PADIC_ERROR_CORRUPT);
                    if (!repaired && at >= index) {
                        CC_CHECK(r == (at < size - 8 ? PADIC_ERROR_CHECKSUM : PADIC_ERROR_CORRUPT));
                    }
                }
        for (size_t cut = 0; cut < size; cut++) {
            snprintf(cc_label, sizeof cc_label, "sample %u, %d of %d bytes", i, (int)cut,
                     (int)size);
            CC_CHECK(agree(bytes, cut, streamed) == PADIC_ERROR_CORRUPT);
        }
    }
}

// What a later version adds to the header stands before its checksum.
TEST(longer_headers)
{
    static const size_t more[] = {1, 2, 8, 12, 108, 109, 120, 5000, 65000};
    static uint8_t bytes[1 << 16], longer[1 << 18];
    for (uint32_t i = 0;; i++) {
        const size_t size = sample(i, bytes, sizeof bytes);
        if (!size) break;
        const size_t header = (size_t)cc_get(bytes + 10, 2);
        const size_t index = (size_t)cc_get(bytes + size - 24, 8);
        for (size_t m = 0; m < sizeof more / sizeof *more; m++) {
            const size_t n = more[m], all = size + n, there = index + n;
            memcpy(longer, bytes, header - 8);
            memset(longer + header - 8, 0xa1, n);
            memcpy(longer + header + n - 8, bytes + header - 8, size - header + 8);
            cc_set(longer + 10, header + n, 2);
            cc_repair_header(longer, all);
            for (size_t at = there + 24; at < all - 16; at += 8)
                cc_set(longer + at, cc_get(longer + at, 8) + n, 8);
            cc_repair_index(longer, all, there);
            snprintf(cc_label, sizeof cc_label, "sample %u, %d bytes more", i, (int)n);
            CC_CHECK(agree(longer, all, bytes[9] & 1) == PADIC_OK);
            CC_CHECK(agree(longer, header + n - 1, bytes[9] & 1) == PADIC_ERROR_CORRUPT);
        }
    }
}

// ---------------------------------------------------------------------------------------- limits

static void *serial_enqueue(void (*fn)(void *arg), void *arg, void *user)
{
    (void)user;
    (*fn)(arg);
    return NULL;
}

static void serial_finish(void *task, void *user)
{
    (void)task;
    (void)user;
}

// A header alone, of bytes in blocks.
static size_t header_of(uint8_t *p, uint64_t rows, uint64_t columns, uint32_t b0, uint32_t b1,
                        int unknown)
{
    memset(p, 0, 64);
    memcpy(p, "PADC", 4);
    p[4] = 1, p[5] = 9, p[6] = 2, p[7] = 5, p[9] = (uint8_t)unknown, p[10] = 64;
    cc_set(p + 32, rows, 8);
    cc_set(p + 40, columns, 8);
    cc_set(p + 48, b0, 4);
    cc_set(p + 52, b1, 4);
    cc_repair_header(p, 64);
    return 64;
}

// A row of blocks of 2^64 bytes: 0 where sizes are added up without a look.
TEST(rows_beyond_memory)
{
    static const uint64_t columns[] = {(uint64_t)1 << 62, (uint64_t)1 << 61, (uint64_t)1 << 40,
                                       ((uint64_t)1 << 62) + 3};
    for (int unknown = 0; unknown < 2; unknown++)
        for (size_t i = 0; i < 4; i++)
            for (uint32_t b0 = 1; b0 <= 64; b0 *= 2) {
                uint8_t bytes[64];
                padic_codec_report r;
                padic_codec_unpacker *unpacker = NULL;
                padic_codec_unpack_desc d = PADIC_ZERO;
                bytes_source in = {bytes, 64, 0};
                header_of(bytes, unknown ? UINT64_MAX : 1, columns[i], b0, 1 << 14, unknown);
                if (unknown && columns[i] > UINT64_MAX / b0) d.memory_limit = UINT64_MAX;
                CHECK_EQ(codec_unpack_begin(NULL, &d, take, &in, &r, &unpacker),
                         PADIC_ERROR_LIMIT);
                CHECK(!unpacker && r.shape[1] == columns[i]); // it says what it wanted
            }
}

// What a stream claims is taken as far as its array needs it, and no further than the default.
TEST(default_limits)
{
    static uint8_t data[4096], back[4096], packed[65536];
    cc_memory memory;
    padic_context_desc c = PADIC_ZERO;
    padic_context *context = NULL;
    padic_codec_pack_desc d = PADIC_ZERO;
    padic_codec_unpack_desc u = PADIC_ZERO;
    padic_codec_report r;
    size_t size = 0;
    memset(&memory, 0, sizeof memory);
    c.allocator = cc_allocator(&memory);
    c.jobs.workers = 64;
    c.jobs.enqueue = serial_enqueue;
    c.jobs.finish = serial_finish;
    REQUIRE(padic_context_create(&c, &context) == PADIC_OK);
    for (int i = 0; i < 4096; i++) data[i] = (uint8_t)(i * i);
    // 64 elements in a block of 2^20
    d.tensor = padic_tensor_1d(PADIC_U8, data, 64);
    d.block[0] = 1 << 20;
    CHECK_EQ(codec_pack(NULL, &d, packed, sizeof packed, &size), PADIC_OK);
    CHECK_EQ(codec_info(packed, size, &r), PADIC_OK);
    CHECK(r.workspace < 400000 && r.stream_workspace < 420000);
    const uint64_t before = memory.bytes;
    memory.peak = memory.bytes;
    CHECK_EQ(codec_verify(context, NULL, packed, size), PADIC_OK);
    CHECK(memory.peak - before <= r.workspace);
    // 4096 blocks of one element, each of which wants little: 64 workers, and less than the default
    d.tensor = padic_tensor_1d(PADIC_U8, data, 4096);
    d.block[0] = 1;
    d.level = 1;
    CHECK(padic_codec_size_bound(&d) > sizeof packed);
    d.block[0] = 64;
    CHECK_EQ(codec_pack(NULL, &d, packed, sizeof packed, &size), PADIC_OK);
    CHECK_EQ(codec_info(packed, size, &r), PADIC_OK);
    u.tensor = padic_tensor_1d(PADIC_U8, back, 4096);
    for (uint64_t limit = 1; limit; limit = limit > (uint64_t)1 << 60 ? 0 : limit * 2) {
        u.memory_limit = limit;
        memory.peak = memory.bytes;
        const padic_result unpacked = codec_unpack(context, &u, packed, size);
        CHECK(memory.peak - before <= limit && memory.peak - before <= 64 * r.workspace);
        CHECK_EQ(unpacked, limit < r.workspace ? PADIC_ERROR_LIMIT : PADIC_OK);
        CHECK_EQ(codec_verify(context, &u, packed, size), unpacked);
        CHECK(memory.peak - before <= limit);
        CHECK_EQ(pull_all(&u, packed, size, back, sizeof back).result,
                 limit < r.stream_workspace ? PADIC_ERROR_LIMIT : PADIC_OK);
    }
    CHECK(memory.bytes == before && memory.errors == 0);
    padic_context_destroy(context);
}

// A row of blocks above the default is refused, before memory is asked for, and read when asked to.
TEST(default_of_a_pull)
{
    uint8_t bytes[64];
    cc_memory memory;
    padic_codec_unpack_desc d = PADIC_ZERO;
    padic_codec_unpacker *unpacker = NULL;
    padic_codec_report r;
    memset(&memory, 0, sizeof memory);
    const padic_allocator allocator = cc_allocator(&memory);
    d.allocator = &allocator;
    header_of(bytes, 1000, (uint64_t)1 << 22, 64, 1 << 14, 0);
    bytes_source in = {bytes, 64, 0};
    CHECK_EQ(codec_unpack_begin(NULL, &d, take, &in, &r, &unpacker), PADIC_ERROR_LIMIT);
    CHECK(r.stream_workspace > PADIC_CODEC_MEMORY && r.raw_size == (uint64_t)1000 << 22);
    CHECK(memory.peak == 0 && !unpacker);
    d.memory_limit = r.stream_workspace;
    in.at = 0;
    const padic_result begun = codec_unpack_begin(NULL, &d, take, &in, &r, &unpacker);
    CHECK(begun == (unpacker ? PADIC_OK : PADIC_ERROR_MEMORY));
    CHECK(memory.peak <= d.memory_limit);
    padic_codec_unpack_end(unpacker);
    CHECK(memory.live == 0);
}

TEST(output_limit)
{
    static uint8_t bytes[1 << 16], out[1 << 16];
    for (uint32_t i = 0;; i++) {
        padic_codec_report r;
        padic_codec_unpack_desc u = PADIC_ZERO;
        const size_t size = sample(i, bytes, sizeof bytes);
        if (!size) break;
        CHECK_EQ(codec_info(bytes, size, &r), PADIC_OK);
        u.tensor = cc_tensor(r.dtype, out, r.rank, r.shape);
        for (uint64_t limit = r.raw_size - 1; limit <= r.raw_size; limit++) {
            const padic_result want = limit < r.raw_size ? PADIC_ERROR_LIMIT : PADIC_OK;
            u.output_limit = limit;
            memset(out, 0x33, sizeof out);
            CHECK_EQ(codec_unpack(NULL, &u, bytes, size), want);
            CHECK(!want == (memcmp(out, bytes, 0) == 0 && out[r.raw_size] == 0x33 && !want));
            CHECK_EQ(codec_verify(NULL, &u, bytes, size), want);
            const pulled p = pull_all(&u, bytes, size, out, sizeof out);
            CHECK_EQ(p.result, want);
            CHECK(p.size <= limit);
        }
    }
}

// -------------------------------------------------------------------------------------- progress

typedef struct asked {
    uint64_t calls, last, total, stop;
    int wrong;
} asked;

static int step(uint64_t done, uint64_t total, void *user)
{
    asked *a = (asked *)user;
    a->wrong |= done < a->last || (total && done > total) || (a->calls && total != a->total);
    a->last = done;
    a->total = total;
    return ++a->calls == a->stop;
}

// Each call that is long tells how far it is, to the end; and ends when it is told to.
TEST(progress)
{
    static float data[64 * 64], back[64 * 64];
    static uint8_t packed[1 << 16], again[1 << 16];
    for (int i = 0; i < 64 * 64; i++) data[i] = (float)(i % 61) * 0.1f;
    for (int way = 0; way < 2; way++) { // hook of the desc, of the context
        for (uint64_t stop = 0; stop < 20; stop++) {
            asked a = {0, 0, 0, 0, 0};
            cc_memory memory;
            padic_context_desc c = PADIC_ZERO;
            padic_context *context = NULL;
            padic_codec_pack_desc d = PADIC_ZERO;
            padic_codec_unpack_desc u = PADIC_ZERO;
            padic_progress hook;
            size_t size = 0, n = 0;
            memset(&memory, 0, sizeof memory);
            hook.step = step;
            hook.user = &a;
            c.allocator = cc_allocator(&memory);
            c.jobs.workers = 1 + (uint32_t)(stop % 3);
            c.jobs.enqueue = serial_enqueue;
            c.jobs.finish = serial_finish;
            if (way) c.progress = hook;
            REQUIRE(padic_context_create(&c, &context) == PADIC_OK);
            const size_t live = memory.live;
            d.tensor = padic_tensor_2d(PADIC_F32, data, 64, 64);
            d.block[0] = d.block[1] = 16; // 16 blocks
            d.level = (uint32_t)(1 + (int)(stop % 6));
            CHECK_EQ(codec_pack(NULL, &d, packed, sizeof packed, &size), PADIC_OK);
            if (!way) d.progress = u.progress = &hook;
            const padic_result want = stop && stop <= 16 ? PADIC_ERROR_CANCELLED : PADIC_OK;
            a.stop = stop;
            CHECK_EQ(codec_pack(context, &d, again, sizeof again, &n), want);
            CHECK(!a.wrong && a.total == 16 && a.last == (want ? stop : 16) && memory.live == live);
            if (!want) CHECK(n == size && !memcmp(packed, again, size));
            u.tensor = padic_tensor_2d(PADIC_F32, back, 64, 64);
            for (int verify = 0; verify < 2; verify++) {
                a.calls = a.last = 0;
                CHECK_EQ(verify ? codec_verify(context, &u, packed, size)
                                : codec_unpack(context, &u, packed, size), want);
                CHECK(!a.wrong && a.total == 16 && a.last == (want ? stop : 16) &&
                      memory.live == live);
            }
            // searches do not know how far they are; they stop, too
            a.calls = a.last = 0;
            d.tolerance_mode = PADIC_CODEC_TOLERANCE_FIXED;
            d.tolerance = 3000;
            CHECK_EQ(codec_pack(context, &d, again, sizeof again, &n),
                     stop ? PADIC_ERROR_CANCELLED : PADIC_OK);
            CHECK(!a.wrong && a.total == 0 && memory.live == live);
            // streams
            padic_codec_packer *packer = NULL;
            bytes_sink *sink = (bytes_sink *)cc_new(sizeof *sink);
            sink->size = 0;
            d.tolerance_mode = PADIC_CODEC_TOLERANCE_NONE;
            a.calls = a.last = 0;
            REQUIRE(codec_pack_begin(context, &d, give, sink, &packer) == PADIC_OK);
            padic_result r = codec_pack_push(packer, data, sizeof data);
            if (want) CHECK_EQ(r, want);
            CHECK_EQ(padic_codec_pack_end(packer), want);
            CHECK(!a.wrong && memory.live == live);
            free(sink);
            padic_codec_unpacker *unpacker = NULL;
            bytes_source in = {packed, size, 0};
            a.calls = a.last = 0;
            REQUIRE(codec_unpack_begin(context, &u, take, &in, NULL, &unpacker) == PADIC_OK);
            r = codec_unpack_pull(unpacker, back, sizeof back, &n);
            if (!r) r = codec_unpack_pull(unpacker, back, 0, &n);
            padic_codec_unpack_end(unpacker);
            if (stop == 0) CHECK(r == PADIC_OK && a.last == 16);
            if (stop == 1) CHECK(r == PADIC_ERROR_CANCELLED);
            CHECK(!a.wrong && memory.live == live);
            padic_context_destroy(context);
        }
    }
}

// -------------------------------------------------------------------------------------- payloads

// A payload has at most 9 bytes more than the elements of its own block. A constant one, of 22
// bytes, takes the place of the last: of 6 elements of 2 bytes it is too long, of 7 it is not.
TEST(longest_payload)
{
    static uint16_t data[71], back[71];
    static bytes_sink sink;
    for (int streamed = 0; streamed < 3; streamed++) {
        for (uint64_t last = 6; last < 8; last++) {
            // the array's largest block, or what the header alone says of it, has room for it
            const uint64_t count = streamed == 2 ? last : 64 + last;
            padic_codec_pack_desc d = PADIC_ZERO;
            for (size_t i = 0; i < count; i++) data[i] = (uint16_t)(i + last < count ? i * i : 5);
            d.tensor = padic_tensor_1d(PADIC_U16, data, count);
            d.block[0] = 64;
            sink.size = 0;
            size_t size = 0;
            if (streamed) {
                padic_codec_packer *packer = NULL;
                padic_codec_pack_desc s = d;
                s.tensor.data = NULL;
                s.tensor.shape[0] = PADIC_CODEC_UNKNOWN;
                REQUIRE(codec_pack_begin(NULL, &s, give, &sink, &packer) == PADIC_OK);
                CHECK_EQ(codec_pack_push(packer, data, 2 * count), PADIC_OK);
                CHECK_EQ(padic_codec_pack_end(packer), PADIC_OK);
                size = sink.size;
            } else {
                CHECK_EQ(codec_pack(NULL, &d, sink.bytes, sizeof sink.bytes, &size),
                         PADIC_OK);
            }
            uint8_t *p = sink.bytes;
            const size_t index = (size_t)cc_get(p + size - 24, 8), rest = size - index;
            const size_t frame = (size_t)cc_get(p + size - 32, 8), end = frame + 16 + 22;
            CHECK(cc_get(p + frame, 4) <= 2 * last + 9); // the packer keeps to it
            memmove(p + end, p + index, rest);
            cc_set(p + frame, 22, 4);
            memset(p + frame + 16, 0, 22);
            p[frame + 16 + 3] = 3;
            cc_set(p + frame + 16 + 6, 5, 8);
            size = end + rest;
            cc_set(p + size - 24, end, 8);
            cc_repair_index(p, size, end);
            const padic_result want = last == 6 ? PADIC_ERROR_CHECKSUM : PADIC_OK;
            padic_codec_unpack_desc u = PADIC_ZERO;
            padic_codec_report r;
            cc_label[0] = 0;
            CHECK_EQ(agree(p, size, streamed ? STREAMED : 0), want);
            CHECK_EQ(codec_info(p, size, &r), want);
            const pulled pull = pull_all(&u, p, size, (uint8_t *)back, 2 * count);
            CHECK_EQ(pull.result, want);
            u.tensor = padic_tensor_1d(PADIC_U16, back, 1); // a box in that block
            u.begin[0] = count - 1;
            u.count[0] = 1;
            CHECK_EQ(codec_unpack(NULL, &u, p, size), want);
        }
    }
}

// Payloads that no packer writes, each beside a right one; what stands between brackets differs:
// [right/wrong]. Bytes in hexadecimal, `*` repeats those before it, `|` ends a block, D is the
// checksum of the block before. Checksums of blocks are those of `elements`, mostly what a reader
// would make of the wrong bytes if it did not look.
typedef struct payload_pair {
    const char *what;
    padic_dtype dtype;
    uint64_t count, block;
    uint32_t layers, span; // 0: none
    const char *payload, *elements;
    int good; // the second one is right, too
} payload_pair;

#define SEVENS "00 00 00 03 00 00  07 00*7  00*8" // 22 bytes: all words are 7
#define LIST(TOKEN) "00 00 01 " TOKEN " 00000000" // equal tokens, all below 2
#define FLOAT_TAPS "01 00 01 80 01 00000000  01 01 00"

static const payload_pair payload_pairs[] = {
    {"a bit behind a sparse map", PADIC_U8, 68, 68, 0, 0,
     "00 00 00 00 01 00  01  05 01000000 00  01 00*7 [00/10]  00 07  00*8", "07 00*67", 0},
    {"fewer bits in a sparse map than bytes", PADIC_U8, 72, 72, 0, 0,
     "00 00 00 00 01 00  01  05 02000000 00  [03/01] 00*8  00 07 05  00*8", "07 [05/00] 00*70", 0},
    {"repeats of bytes in a sparse stream", PADIC_U8, 72, 72, 0, 0,
     "00 00 00 00 01 00  01  05 01000000 00  01 00*8"
     "[00 07/07 00000000 01000000 00000000000000*3 00 07]  00*8",
     "07 00*71", 0},
    {"a Huffman table at the end", PADIC_U8, 64, 64, 0, 0,
     "00 00 00 00 01 00  01  03 01 11 [08000000 00*8/]  00*8", "00*64", 0},
    {"a word of rANS left", PADIC_U8, 200, 200, 0, 0,
     "00 00 00 00 01 00  01  04 00 8020 [00000000/01000000] 00000100*32 [/0000]  00*8", "00*200",
     0},
    {"classes of contexts that do not grow", PADIC_U8, 200, 200, 0, 0,
     "00 00 00 00 01 00  01  06 02 01000000 00000000 c8000000 [0100/0200] 0200"
     " 008020*3 00000000 00000100*32  00*8",
     "00*200", 0},
    {"the prime 1", PADIC_U8, 64, 64, 0, 0,
     "00 00 00 00 04 00  [02000000 01 01 00/01000000 01]  00*8", "00*64", 0},
    {"what lies above 64 bits", PADIC_U64, 272, 272, 0, 0,
     "00 00 00 00 02 00  00 40 00  [00000000/01000000 " LIST("00") " 02 00 00 05 00000000]"
     "00080000 00*2048  00*8",
     "00*2176", 1},
    {"a run behind the last element", PADIC_U8, 64, 64, 0, 0,
     "00 00 00 01 01 00  [01/02]000000  01 01 07" // of 2^40 words
     "00 [05/28] 00 06 [/29] [01000000 1f/06000000 1f 00*5]  00*8",
     "07*64", 0},
    {"a repeat of length 0", PADIC_U8, 64, 64, 0, 0,
     "00 00 00 02 01 00  [3f/40]000000  01 01 07"
     "01000000 " LIST("01") "[" LIST("01") "/" LIST("00") "]" LIST("01") " 00*8",
     "07*64", 0},
    {"a repeat at distance 0", PADIC_U8, 64, 64, 0, 0, // for ever
     "00 00 00 02 01 00  36000000  01 01 07"
     "01000000 " LIST("01") "03 00 01 0a 00000000 [" LIST("01") "/" LIST("00") "]  00*8",
     "07*64", 0},
    {"a repeat from 2^40 words before", PADIC_U8, 64, 64, 0, 0,
     "00 00 00 02 01 00  3f000000  01 01 07"
     "01000000 " LIST("01") LIST("01") "[" LIST("01") "/00 28 01 29 05000000 00*5]  00*8",
     "07*64", 0},
    {"a match of length 0", PADIC_U8, 64, 64, 0, 0,
     "00 02 00 04 01 00  [3f/40]000000  01 01 07  01000000 " LIST("01")
     "[" LIST("00") "/00 3f 01 40 08000000 ff*7 7f]  01 00 01 02 00000000  00*8",
     "07*64", 0},
    {"matches with a split of 3", PADIC_U8, 64, 64, 0, 0, // low bits 5 4 2 4 0 6 0 ...
     "01 22 00 04 01  03 01000000  01 01 02  01000000 " LIST("01")
     "03 02 01 1f 01000000 02  01 00 01 02 00000000"
     "05 07000000 00 7f 00*7 00 05010204060204  00*8",
     "8a 0a 09 0a 08 0b 08*58", 1},
    {"an exception behind the last element", PADIC_U8, 64, 64, 0, 0,
     "00 08 00 03 00 00  07 00*7  [01/02]000000 00  03 02 00 1f [/00] 01000000 03"
     "03 00 00 09 [/09] 00000000  00*8",
     "07*63 09", 0},
    {"a predictor's stride of 0", PADIC_U8, 64, 64, 0, 0,
     "00 00 01 00 01 00  01 80 [01/00]000000  01 01 00  00*8", "00*64", 0},
    {"a median that is not folded", PADIC_U8, 64, 64, 0, 0,
     "00 00 05 00 01 00  02 8001000000 8008000000  01 05 01000000 00 01 00*7 00 05  00*8", "05*64",
     1},
    {"weights in 2^-32", PADIC_U8, 64, 64, 0, 0,
     "00 00 07 00 01 00  01 00 01 [1f/20] 01 0000  01 01 00  00*8", "00*64", 0},
    {"weights on all words behind an axis", PADIC_U8, 64, 64, 0, 0,
     "00 00 07 00 01 00  [01 00/02 00 8001000000] 01 00 01 [/00] 0000  01 01 00  00*8", "00*64", 0},
    {"weights of floats on integers", PADIC_I32, 24, 24, 0, 0,
     "00 00 07 00 01 00  01 00 01 [00 01 0000/80 01 00000000]  01 01 00  00*8", "00*96", 0},
    {"weights of floats on fields", PADIC_F32, 24, 24, 0, 0,
     "[00/01] 00 07 00 01 [00/] " FLOAT_TAPS " 00*8", "00*96", 0},
    {"weights of floats with a shift", PADIC_F32, 24, 24, 0, 0,
     "00 00 07 00 01 [00/01] " FLOAT_TAPS " 00*8", "00*96", 0},
    {"weights of floats with a split", PADIC_F32, 24, 24, 0, 0,
     "00 [00/20] 07 00 01 00 [/01] " FLOAT_TAPS " [/01 00]  00*8", "00*96", 0},
    {"weights of floats with a coset", PADIC_F32, 24, 24, 0, 0,
     "00 [00/10] 07 00 01 00 [/01 00*7 00*8] " FLOAT_TAPS " 00*8", "00*96", 0},
    {"weights of floats before a pattern", PADIC_F32, 24, 24, 0, 0,
     "00 02 07 01 01 00  01000000 01 8001000000 01 [00 01 0000/80 01 00000000]  01 01 00"
     "03 01 01 13 01000000 01  00*8",
     "00*96", 0},
    {"infinity less infinity", PADIC_F64, 24, 24, 0, 0, // 2^30 x[i - 1] - 2^30 x[i - 2]
     "00 00 07 00 01 00  01 00 02 80 01 00000040 02 000000c0"
     "08 0100*6 05 01000000 00 010000 00 e0  05 01000000 00 010000 00 7f  00*8",
     "000000000000e07f*2 00*8 000000000000f0ff 00*160", 1},
    {"a plain payload of nothing", PADIC_F32, 24, 24, 0, 0,
     "07 [00 00 00 03 00 00 00*8/]  00*8", "00*96", 0},
    {"a plain payload with a reference", PADIC_F32, 24, 24, 2, 0,
     "00 00 00 03 00 00  00000040 00*4  00*8 | [/07] 00 40 00 00 01 00 D 01 01 00  00*8",
     "00000040*24 | 00000040*24", 0},
    {"a plain payload with a window", PADIC_F32, 48, 24, 0, 2,
     "00 00 00 03 00 00  00000040 00*4  00*8 |"
     "[/07] 00 82 01 00 04 01 00  01000000 01 01 00  01000000 " LIST("01")
     "03 01 01 13 01000000 00  01 00 01 02 00000000  00*8",
     "00000040*24 | 00*96", 0},
    {"a window of no blocks", PADIC_U8, 128, 64, 0, 2,
     SEVENS " | 00 82 [01/00] 00 04 01 00  3f000000  01 01 07  01000000 " LIST("01") LIST("00")
     "01 00 01 02 00000000  00*8",
     "07*64 | 07*64", 0},
    {"the window of another super-block", PADIC_U8, 256, 64, 0, 2,
     SEVENS " | 00 82 01 00 04 01 00  00000000 00 00000000 00000000000000*3 00*8 |"
     "[" SEVENS "/00 82 01 00 04 01 00  00000000 00 00000000 00000000000000*3 00*8] | " SEVENS,
     "07*64 | 07*64 | 07*64 | 07*64", 0},
    {"a byte behind the columns", PADIC_U8, 64, 64, 0, 0,
     "06 02000000  16000000 " SEVENS " 16000000 " SEVENS " [/00]  00*8", "07*64", 0},
    {"a byte behind a raw column", PADIC_U8, 200, 200, 0, 0,
     "06 02000000  [6d/6e]000000 05 07*100 [/00] 00*8  16000000 " SEVENS "  00*8", "07*200", 0},
    {"a column of 7 bytes", PADIC_U8, 2000, 2000, 0, 0, // in memory of 1000
     "06 02000000  16000000 " SEVENS " [16000000 " SEVENS "/07000000 00*7]  00*8", "07*2000", 0},
    {"columns with a reference", PADIC_U8, 80, 80, 2, 0,
     SEVENS " | 06 02000000  [16000000 " SEVENS "/1e000000 00 40 00 03 00 00 D 00*8 00*8]"
     "[16000000 " SEVENS "/1e000000 00 40 00 03 00 00 D 00*8 00*8]  00*8",
     "07*80 | 07*80", 0},
};

// What stands in a pair up to the next `|`. Returns its size.
static size_t pair_bytes(const char **text, int wrong, uint64_t digest, uint8_t *to)
{
    size_t size = 0;
    int inside = 0, side = 0;
    for (; **text && **text != '|';) {
        const int take = !inside || side == wrong;
        const char c = *(*text)++;
        uint8_t item[8];
        size_t n = 0;
        unsigned long times = 1;
        if (c == '[') inside = 1, side = 0;
        if (c == '/') side = 1;
        if (c == ']') inside = 0;
        if (c == 'D') cc_set(item, digest, n = 8);
        if (c == ' ' || strchr("[/]", c)) continue;
        for (--*text; c != 'D' && n < 8 && isxdigit((unsigned char)**text); *text += 2) {
            const char two[3] = {(*text)[0], (*text)[1], 0};
            item[n++] = (uint8_t)strtoul(two, NULL, 16);
        }
        if (c == 'D') ++*text;
        if (**text == '*') times = strtoul(*text + 1, (char **)text, 10);
        for (; take && times; times--, size += n) memcpy(to + size, item, n);
    }
    *text += **text == '|';
    return size;
}

// The stream of one of a pair; its elements, all layers, go to `elements`.
static size_t pair_stream(const payload_pair *pair, int wrong, uint8_t *p, uint8_t *elements)
{
    const char *payload = pair->payload, *values = pair->elements;
    const uint64_t blocks = (pair->count + pair->block - 1) / pair->block;
    const uint64_t frames = blocks * (pair->layers ? pair->layers : 1);
    const size_t header = 52 + (pair->layers ? 8u : 0u) + (pair->span ? 4u : 0u);
    size_t at = header, done = 0;
    uint64_t places[8], digest = 0;
    memset(p, 0, header);
    memcpy(p, "PADC\1", 5);
    p[5] = (uint8_t)pair->dtype;
    p[6] = 1;
    p[10] = (uint8_t)header;
    cc_set(p + 12, 0x3b00u | (pair->layers ? 2u : 0u) | (pair->span ? 1024u : 0u), 4);
    cc_set(p + 32, pair->count, 8);
    cc_set(p + 40, pair->block, 4);
    if (pair->layers) cc_set(p + 44, pair->layers, 8);
    if (pair->span) cc_set(p + header - 12, pair->span, 4);
    cc_repair_header(p, header);
    for (uint64_t f = 0; f < frames; f++) {
        const size_t size = pair_bytes(&payload, wrong, digest, p + at + 16);
        const size_t n = pair_bytes(&values, wrong, 0, elements + done);
        digest = cc_checksum(elements + done, n, f % blocks);
        places[f] = at;
        cc_set(p + at, size, 4);
        cc_set(p + at + 4, n / cc_size(pair->dtype), 4);
        cc_set(p + at + 8, digest, 8);
        at += 16 + size;
        done += n;
    }
    CC_CHECK(!*payload && !*values);
    CC_CHECK(done == pair->count * cc_size(pair->dtype) * (frames / blocks));
    cc_set(p + at, 0xffffffffu, 8);
    cc_set(p + at + 8, frames, 8);
    cc_set(p + at + 16, pair->count, 8);
    for (uint64_t f = 0; f < frames; f++) cc_set(p + at + 24 + 8 * f, places[f], 8);
    const size_t size = at + 48 + 8 * (size_t)frames;
    cc_set(p + size - 24, at, 8);
    memcpy(p + size - 8, "PADC-END", 8);
    cc_repair_index(p, size, at);
    return size;
}

TEST(payloads_by_hand)
{
    static uint8_t bytes[8192], elements[8192], back[8192];
    for (size_t i = 0; i < sizeof payload_pairs / sizeof *payload_pairs; i++)
        for (int wrong = 0; wrong < 2; wrong++) {
            const payload_pair *pair = payload_pairs + i;
            const size_t all = (size_t)pair->count * cc_size(pair->dtype);
            const int good = !wrong || pair->good;
            padic_codec_unpack_desc u = PADIC_ZERO;
            snprintf(cc_label, sizeof cc_label, "%s: %s", pair->what, wrong ? "wrong" : "right");
            const size_t size = pair_stream(pair, wrong, bytes, elements);
            CC_CHECK(agree(bytes, size, 0) == (good ? PADIC_OK : PADIC_ERROR_CHECKSUM));
            u.tensor = padic_tensor_1d(pair->dtype, back, pair->count);
            memset(back, 0xa6, all);
            CC_CHECK(codec_unpack(NULL, &u, bytes, size) ==
                     (good ? PADIC_OK : PADIC_ERROR_CHECKSUM));
            const size_t each = cc_size(pair->dtype), last = pair->layers ? pair->layers - 1 : 0;
            for (size_t k = 0; good && k < pair->count; k++)
                CC_CHECK(cc_load_bits(each, back, k) ==
                         cc_get(elements + last * all + k * each, each));
        }
}

// Layers have no super-blocks.
TEST(layers_with_windows)
{
    static uint8_t bytes[1024], elements[256];
    payload_pair pair = {"", PADIC_U8, 64, 64, 2, 0, SEVENS " | " SEVENS, "07*64 | 07*64", 0};
    CHECK_EQ(agree(bytes, pair_stream(&pair, 0, bytes, elements), 0), PADIC_OK);
    for (pair.span = 1; pair.span < 4; pair.span++)
        CHECK_EQ(agree(bytes, pair_stream(&pair, 0, bytes, elements), 0), PADIC_ERROR_CORRUPT);
}

// A length that stands in the index only, under a right checksum.
TEST(lengths_of_the_index)
{
    static const uint64_t lengths[] = {256, 258, 0, 64, (uint64_t)1 << 63, UINT64_MAX - 1,
                                       UINT64_MAX};
    static uint8_t bytes[1 << 16], out[300];
    const size_t size = sample(2, bytes, sizeof bytes); // 257 bytes in blocks of 64
    const size_t index = (size_t)cc_get(bytes + size - 24, 8);
    CHECK_EQ(cc_get(bytes + index + 16, 8), 257);
    for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++) {
        cc_set(bytes + index + 16, lengths[i], 8);
        cc_repair_index(bytes, size, index);
        snprintf(cc_label, sizeof cc_label, "length %d", (int)i);
        CC_CHECK(agree(bytes, size, STREAMED) == PADIC_ERROR_CHECKSUM);
    }
    cc_set(bytes + index + 16, 257, 8);
    cc_repair_index(bytes, size, index);
    bytes_source in = {bytes, size, 0};
    padic_codec_unpacker *u = NULL;
    size_t got = 1;
    REQUIRE(codec_unpack_begin(NULL, NULL, take, &in, NULL, &u) == PADIC_OK);
    CHECK_EQ(padic_codec_unpack_pull(u, NULL), PADIC_ERROR_ARGUMENT);
    CHECK_EQ(codec_unpack_pull(u, NULL, 1, &got), PADIC_ERROR_ARGUMENT);
    CHECK_EQ(got, 0);
    CHECK_EQ(codec_unpack_pull(u, out, sizeof out, &got), PADIC_OK); // none the worse
    CHECK_EQ(got, 257);
    padic_codec_unpack_end(u);
}

// ----------------------------------------------------------------------------------------- views

TEST(steps_on_axes_of_one)
{
    static int16_t data[8] = {1, -2, 3, 4, 500, 6, 7, 8}, back[8];
    static uint8_t packed[1024];
    padic_codec_pack_desc d = PADIC_ZERO;
    padic_codec_unpack_desc u = PADIC_ZERO;
    padic_copy_desc copy = PADIC_ZERO;
    size_t size = 0;
    d.tensor = padic_tensor_3d(PADIC_I16, data, 1, 8, 1);
    d.tensor.stride[0] = INT64_MAX - 7;
    d.tensor.stride[1] = 1;
    d.tensor.stride[2] = INT64_MAX;
    CHECK_EQ(codec_pack(NULL, &d, packed, sizeof packed, &size), PADIC_OK);
    u.tensor = d.tensor;
    u.tensor.data = back;
    CHECK_EQ(codec_unpack(NULL, &u, packed, size), PADIC_OK);
    CHECK(!memcmp(data, back, sizeof data));
    memset(back, 0, sizeof back);
    copy.from = d.tensor;
    copy.to = u.tensor;
    CHECK_EQ(padic_copy(NULL, &copy), PADIC_OK);
    CHECK(!memcmp(data, back, sizeof data));
}

// The codec takes arrays wherever they lie; what reads elements as they are refuses.
TEST(misaligned)
{
    static char data[1024], back[1024];
    static uint8_t packed[4096];
    for (size_t i = 0; i < sizeof data; i++) data[i] = (char)(i * 7 % 23);
    for (int dtype = PADIC_F64; dtype <= PADIC_C128; dtype++) {
        padic_codec_pack_desc d = PADIC_ZERO;
        padic_codec_unpack_desc u = PADIC_ZERO;
        padic_copy_desc copy = PADIC_ZERO;
        size_t size = 0;
        d.tensor = padic_tensor_1d((padic_dtype)dtype, data + 1, 30);
        CHECK_EQ(codec_pack(NULL, &d, packed + 1, sizeof packed - 1, &size), PADIC_OK);
        u.tensor = d.tensor;
        u.tensor.data = back + 1;
        CHECK_EQ(codec_unpack(NULL, &u, packed + 1, size), PADIC_OK);
        CHECK(!memcmp(data + 1, back + 1, 30 * padic_dtype_size((padic_dtype)dtype)));
        copy.from = d.tensor;
        copy.to = u.tensor;
        CHECK_EQ(padic_copy(NULL, &copy),
                 padic_dtype_size((padic_dtype)dtype) == 1 ? PADIC_OK : PADIC_ERROR_ALIGNMENT);
    }
}

// -------------------------------------------------------------------------------------- sentences

TEST(sentences)
{
    static float data[64], other[64];
    static uint8_t packed[4096];
    static const struct {
        padic_result code;
        const char *field;
    } want[] = {
        {PADIC_ERROR_DTYPE, "tensor.dtype"},
        {PADIC_ERROR_LIMIT, "tensor.rank"},
        {PADIC_ERROR_LIMIT, "tensor.shape"},
        {PADIC_ERROR_ARGUMENT, "tensor.data"},
        {PADIC_ERROR_ARGUMENT, "tensor.stride"},
        {PADIC_ERROR_ARGUMENT, "level"},
        {PADIC_ERROR_PRIME, "prime"},
        {PADIC_ERROR_ARGUMENT, "tolerance_mode"},
        {PADIC_ERROR_TOLERANCE, "tolerance"},
        {PADIC_ERROR_ARGUMENT, "layers"},
        {PADIC_ERROR_ARGUMENT, "profile"},
        {PADIC_ERROR_LIMIT, "block"},
        {PADIC_ERROR_MISMATCH, "reference"},
        {PADIC_ERROR_MISMATCH, "importance"},
        {PADIC_ERROR_ARGUMENT, "flags"},
        {PADIC_ERROR_TOLERANCE, "POINTWISE"},
        {PADIC_ERROR_ARGUMENT, "block"},
    };
    padic_context *context = NULL;
    padic_codec_pack_desc good = PADIC_ZERO;
    padic_codec_unpack_desc u = PADIC_ZERO;
    size_t size = 0, n = 0;
    int number = 77;
    REQUIRE(padic_context_create(NULL, &context) == PADIC_OK);
    good.tensor = padic_tensor_2d(PADIC_F32, data, 8, 8);
    CHECK_EQ(codec_pack(context, &good, packed, sizeof packed, &size), PADIC_OK);
    for (size_t i = 0; i < sizeof want / sizeof *want; i++) {
        padic_codec_pack_desc d = good;
        switch (i) {
        case 0: memcpy(&d.tensor.dtype, &number, sizeof d.tensor.dtype); break;
        case 1: d.tensor.rank = 9; break;
        case 2: d.tensor.shape[0] = (uint64_t)1 << 62; break;
        case 3: d.tensor.data = NULL; break;
        case 4: d.tensor.stride[0] = -8, d.tensor.stride[1] = 1; break;
        case 5: d.level = 10; break;
        case 6: d.prime = 15; break;
        case 7:
            memcpy(&d.tolerance_mode, &number, sizeof d.tolerance_mode);
            break;
        case 8:
            d.tolerance_mode = PADIC_CODEC_TOLERANCE_ABSOLUTE;
            break;
        case 9: d.layers = 9; break;
        case 10: memcpy(&d.profile, &number, sizeof d.profile); break;
        case 11: d.block[0] = d.block[1] = 1025; break;
        case 12: d.reference = padic_tensor_2d(PADIC_F32, other, 8, 7); break;
        case 13: d.importance = padic_tensor_2d(PADIC_F32, other, 3, 3); break;
        case 14: d.flags = 0x100; break;
        case 15:
            d.tolerance_mode = PADIC_CODEC_TOLERANCE_POINTWISE, d.tolerance = 1;
            break;
        default: d.block[0] = 4; break;
        }
        CHECK_EQ(codec_pack(context, &d, packed, sizeof packed, &n), want[i].code);
        const char *said = padic_context_message(context);
        snprintf(cc_label, sizeof cc_label, "%d: %s", (int)i, said);
        CC_CHECK(!strncmp(said, "codec_pack: ", 12) && strstr(said, want[i].field));
    }
    CHECK_EQ(codec_pack(context, &good, packed, sizeof packed, &size), PADIC_OK);
    for (int i = 0; i < 5; i++) {
        static const char *const field[] = {"begin", "tensor.shape", "tensor.dtype",
                                            "memory_limit", "output_limit"};
        static const padic_result code[] = {PADIC_ERROR_REGION, PADIC_ERROR_MISMATCH,
                                            PADIC_ERROR_MISMATCH, PADIC_ERROR_LIMIT,
                                            PADIC_ERROR_LIMIT};
        padic_codec_unpack_desc v = u;
        v.tensor = good.tensor;
        if (i == 0) v.begin[0] = 5, v.count[0] = 4, v.count[1] = 8;
        if (i == 1) v.tensor.shape[1] = 7;
        if (i == 2) v.tensor.dtype = PADIC_I32;
        if (i == 3) v.memory_limit = 100;
        if (i == 4) v.output_limit = 255;
        CHECK_EQ(codec_unpack(context, &v, packed, size), code[i]);
        const char *said = padic_context_message(context);
        snprintf(cc_label, sizeof cc_label, "%d: %s", i, said);
        CC_CHECK(!strncmp(said, "codec_unpack: ", 14) && strstr(said, field[i]));
        if (i > 2) CC_CHECK(strstr(said, " bytes") != NULL); // the need
    }
    padic_context_destroy(context);
}

TEST_MAIN("limits", CASE(readers_agree), CASE(longest_payload), CASE(payloads_by_hand),
          CASE(layers_with_windows), CASE(lengths_of_the_index), CASE(longer_headers),
          CASE(rows_beyond_memory), CASE(default_limits), CASE(default_of_a_pull),
          CASE(output_limit), CASE(progress),
          CASE(steps_on_axes_of_one), CASE(misaligned), CASE(sentences))
