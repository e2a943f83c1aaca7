// test_codec_words.c: what a reader makes of words that no packer writes. Streams with words of
// all 64 bits, whose checksums are those of what the description (codec_reader.h) says that they
// hold, are taken by every reader, or refused by all: the plain loops and those of each level of
// vectors, the pulled decoder, boxes, the kernels of devices, the text for kernels of others.
#define PADIC_IMPLEMENT_GPU
#include "../support/inside.h"
#include "../../padic.h"
#include "../support/codec_calls.h"
#include "../../backends/padic_simd.h"

#include "../gpu/gpu_devices.h"

#include "codec_cases.h"
#include "codec_reader.h"

#include "../../src/kernels/dialect.h"
#include "../../src/kernels/codec/fetch.h"

static const padic_dtype dtypes[12] = {PADIC_F64, PADIC_F32, PADIC_F16, PADIC_BF16,
                                       PADIC_I8,  PADIC_I16, PADIC_I32, PADIC_I64,
                                       PADIC_U8,  PADIC_U16, PADIC_U32, PADIC_U64};

enum { MOST = 4 * 2048 + 300, ROOM = 1 << 18 };

typedef struct bytes {
    uint8_t at[ROOM];
    size_t size;
} bytes;

static void put(bytes *to, uint64_t value, size_t size)
{
    size_t i;
    for (i = 0; i < size; i++) to->at[to->size++] = (uint8_t)(value >> (8 * i));
}

// Edges of every length, and anything.
static uint64_t word(void)
{
    const uint64_t r = test_random(), edge = UINT64_C(1) << (r >> 8) % 64;
    uint64_t x = r % 3 == 0 ? edge : test_random() >> (r >> 16) % 64;
    if (r % 3 == 0) x += (r >> 24) % 5 - 2;
    return r >> 40 & 1 ? 0 - x : x;
}

// A double that is a number, mostly one that is used.
static uint64_t factor(void)
{
    const uint64_t r = test_random(), sign = r & UINT64_C(1) << 63, up = 1023 + r % 61 - 30;
    if (r >> 8 & 1) return sign | up << 52; // a power of 2
    return sign | up << 52 | (test_random() >> 12 & ~UINT64_C(0) << (r >> 16) % 52);
}

// What is chosen of a stream.
typedef struct choice {
    padic_dtype dtype;
    size_t n;
    uint32_t form, shift, predictor, representations, fold, tolerance; // predictor 0, 1 or 7
    int profile;     // whether a device reads it by itself
    int is_long;
    int by_position; // whether the text for kernels of others reads it
} choice;

static void put_digits(bytes *p, choice *c)
{
    const size_t groups = (c->n + 255) / 256, head = p->size;
    // a payload may not be longer than the elements: what is above comes of step and first
    const uint32_t bits = 8 * (uint32_t)cc_size(c->dtype);
    const uint32_t widest = test_random() % 16 ? bits - (bits > 8 ? 8 : 2) : 65;
    uint32_t width[MOST / 256 + 1], each = (uint32_t)(test_random() % widest);
    size_t g, i, at;
    if (c->representations == 1) { // whole words, or their lower bytes
        const uint32_t planes = 1 + (uint32_t)(test_random() % (widest / 8 ? widest / 8 : 1));
        put(p, planes, 1);
        for (g = 0; g < planes; g++) {
            put(p, 0, 1);
            for (i = 0; i < c->n; i++) p->at[p->size + g + i] = 0;
            p->size += c->n;
        }
        for (i = 0; i < c->n; i++) {
            const uint64_t x = word();
            for (g = 0; g < planes; g++)
                p->at[head + 1 + g * (c->n + 1) + 1 + i] = (uint8_t)(x >> (8 * g));
        }
        return;
    }
    if (c->representations == 0) { // one token
        const uint32_t extra = (uint32_t)(test_random() % (widest < 62 ? widest : 62));
        const uint32_t token = test_random() % 5 ? (extra + 1) * 4 + (uint32_t)(test_random() % 4)
                                                 : (uint32_t)(test_random() % 8);
        const uint64_t plain = token < 8 ? 0 : (uint64_t)extra * c->n;
        put(p, 2, 1);
        put(p, 63, 1);
        put(p, 1, 1);
        put(p, token, 1);
        put(p, (plain + 7) / 8, 4);
        for (i = 0; i < (plain + 7) / 8; i++) put(p, test_random(), 1);
        if (plain % 8) p->at[p->size - 1] &= (uint8_t)((1u << plain % 8) - 1);
        return;
    }
    c->by_position = test_random() & 1; // one width
    for (g = 0; g < groups; g++) {
        width[g] = c->by_position ? each : (uint32_t)(test_random() % widest);
    }
    put(p, (uint64_t)c->by_position, 1);
    for (g = 0; g < (c->by_position ? 1 : groups); g++) put(p, width[g], 1);
    put(p, 0, 4);
    at = p->size;
    put(p, 0, 4);
    for (g = 0; g < groups; g++) {
        const size_t here = c->n - g * 256 < 256 ? c->n - g * 256 : 256;
        const size_t begin = p->size, whole = (here * width[g] + 7) / 8;
        for (i = 0; i < whole; i++) put(p, 0, 1);
        for (i = 0; i < here * width[g]; i++) {
            if (test_random() >> 20 & 1) p->at[begin + i / 8] |= (uint8_t)(1u << i % 8);
        }
        if (test_random() % 4 == 0) // the largest ones
            for (i = 0; i < here * width[g]; i++) p->at[begin + i / 8] |= (uint8_t)(1u << i % 8);
    }
    i = p->size - at - 4;
    memcpy(p->at + at, &i, 4); // little-endian hosts, as tests of devices have
}

// A payload as FORMAT.md has it.
static void put_payload(bytes *p, choice *c)
{
    const uint64_t r = test_random();
    const int is_float = cc_is_float(c->dtype);
    const uint32_t off = r % 5 == 0 && c->form != 2 ? 8u : 0u;
    uint32_t coset = r & 64 || c->predictor != 7 ? 16u : 0u;
    uint64_t step = word(), first = word();
    if (c->predictor == 7) coset = 0;
    if (r >> 8 & 1) step = 1;
    if (r >> 9 & 1) step = UINT64_C(1) << (r >> 16) % 64;
    if (r >> 10 & 1) first = 0;
    if (c->form == 2 && c->tolerance) // words of a scale, as far as devices make them
        step = 1, first = word() & 0xffff;
    put(p, c->form, 1);
    put(p, coset | off | c->fold, 1);
    put(p, c->predictor, 1);
    put(p, 0, 1);
    put(p, c->representations, 1);
    if (c->form == 0) put(p, c->shift, 1);
    if (c->form >= 2) put(p, is_float ? factor() : word(), 8);
    if (c->form == 3) put(p, is_float ? factor() : word(), 8);
    if (coset) put(p, step, 8);
    if (coset) put(p, first, 8);
    if (c->predictor) {
        put(p, 1, 1);
        put(p, 0x80, 1);
        put(p, 1, 4);
    }
    if (c->predictor == 7) { // the last word, or twice that less the one before
        put(p, 1 + (r >> 30 & 1), 1);
        put(p, 128 + 4, 1);
        put(p, 1, 1);
        put(p, r >> 30 & 1 ? 16 : 0, 4);
        if (r >> 30 & 1) put(p, 2, 1);
        if (r >> 30 & 1) put(p, UINT64_MAX - 15, 4);
    }
    c->by_position = 0;
    put_digits(p, c);
    if (off) { // every 16th element, relative to what it is
        const uint32_t count = (uint32_t)(c->n / 16);
        uint32_t i;
        put(p, count, 4);
        put(p, 1, 1);
        put(p, 0, 1);
        put(p, 0, 1); // gaps: plain bytes as tokens
        put(p, 0, 1);
        for (i = 0; i < count; i++) put(p, i ? 7 : r >> 40 & 1, 1);
        put(p, 0, 4);
        put(p, 2, 1);
        put(p, 63, 1);
        put(p, 0, 1);
        for (i = 0; i < count; i++) put(p, 252 + (i & 3), 1); // of 62 plain bits
        put(p, (count * UINT64_C(62) + 7) / 8, 4);
        for (i = 0; i < (count * UINT64_C(62) + 7) / 8; i++) put(p, test_random(), 1);
        if (count * 62 % 8) p->at[p->size - 1] &= (uint8_t)((1u << count * 62 % 8) - 1);
    }
    put(p, 0, 8);
    c->profile = (c->form == 0 || (c->form == 2 && c->tolerance)) && coset && !off &&
                 c->representations != 1 && c->predictor < 2 && c->fold == (c->predictor == 1);
    c->by_position &= c->profile && !c->predictor;
}

static size_t of(const choice *c)
{
    return cc_size(c->dtype);
}

// The stream of one block, whose elements as the description tells them are in `elements`.
// 0: the description has no such block.
static int put_stream(bytes *s, choice *c, uint8_t *elements)
{
    static bytes payload;
    rd_box box;
    rd_input in;
    uint64_t *x, frame, index, sum;
    size_t i;
    int good;
    payload.size = 0;
    put_payload(&payload, c);
    memset(&box, 0, sizeof box);
    box.dtype = c->dtype;
    box.rank = 1;
    box.extent[0] = box.n = c->n;
    memset(&in, 0, sizeof in);
    in.bytes = payload.at;
    in.end = payload.size;
    x = rd_block(&in, &box, NULL, 0);
    if (rd_get(&in, 8) != 0 || in.at != in.end) in.bad = 1;
    for (i = 0; i < c->n * of(c); i++)
        elements[i] = (uint8_t)(x[i / of(c)] >> (8 * (i % of(c))));
    free(x);
    good = !in.bad;
    c->is_long = payload.size > c->n * of(c) + 9; // more than any block takes
    s->size = 0;
    put(s, 0x43444150u, 4);
    put(s, 1, 1);
    put(s, (uint64_t)c->dtype, 1);
    put(s, 1, 1);
    put(s, 0, 1);
    put(s, c->tolerance, 1);
    put(s, 0, 1);
    put(s, 52, 2);
    put(s, c->predictor == 7 ? 2048 + 4096 : 0, 4);
    put(s, c->tolerance ? UINT64_C(0x3ff0000000000000) : 0, 8);
    put(s, c->tolerance ? UINT64_C(0x3ff0000000000000) : 0, 8);
    put(s, c->n, 8);
    put(s, c->n, 4);
    put(s, cc_checksum(s->at, s->size, 0x44414548), 8);
    frame = s->size;
    put(s, payload.size, 4);
    put(s, c->n, 4);
    put(s, cc_checksum(elements, c->n * of(c), 0), 8);
    memcpy(s->at + s->size, payload.at, payload.size);
    s->size += payload.size;
    index = s->size;
    put(s, 0xffffffffu, 8);
    put(s, 1, 8);
    put(s, c->n, 8);
    put(s, frame, 8);
    put(s, index, 8);
    sum = cc_checksum(s->at + index, 24, 0x58444e49) ^
          cc_checksum(s->at + index + 24, 8, 0x58444e4a) ^
          cc_checksum(s->at + index + 32, 8, 0x58444e4b);
    put(s, sum, 8);
    put(s, UINT64_C(0x444e452d43444150), 8);
    return good;
}

static int read_all(void *data, size_t size, size_t *got, void *user)
{
    bytes *from = (bytes *)user; // `size` counts down
    *got = size < from->size ? size : from->size;
    memcpy(data, from->at + ROOM - from->size, *got);
    from->size -= *got;
    return 0;
}

// Every reader of the host, at one level.
static void check_host(padic_context *context, const choice *c, const bytes *s,
                       const uint8_t *elements, int good)
{
    static uint8_t back[8 * MOST];
    static bytes tail;
    const size_t size = c->n * of(c), from = c->n / 3, count = (c->n + 2) / 3;
    padic_codec_unpack_desc unpack = PADIC_ZERO;
    padic_codec_unpacker *pull = NULL;
    padic_result result;
    size_t got = 0;
    memset(back, 0x5a, size);
    unpack.tensor = padic_tensor_1d(c->dtype, back, c->n);
    result = codec_unpack(context, &unpack, s->at, s->size);
    CHECK_EQ(result, good ? PADIC_OK : PADIC_ERROR_CHECKSUM);
    if (good) CHECK(!memcmp(back, elements, size));
    CHECK_EQ(codec_verify(context, NULL, s->at, s->size), result);
    memset(back, 0x5a, size);
    unpack.tensor = padic_tensor_1d(c->dtype, back, count);
    unpack.begin[0] = from;
    unpack.count[0] = count;
    if (count) CHECK_EQ(codec_unpack(context, &unpack, s->at, s->size), result);
    if (count && good) CHECK(!memcmp(back, elements + from * of(c), count * of(c)));
    unpack.begin[0] = unpack.count[0] = 0;
    tail.size = s->size;
    memcpy(tail.at + ROOM - s->size, s->at, s->size);
    memset(back, 0x5a, size);
    CHECK_EQ(codec_unpack_begin(context, &unpack, read_all, &tail, NULL, &pull), PADIC_OK);
    if (!pull) return;
    CHECK_EQ(codec_unpack_pull(pull, back, size, &got), result);
    if (good) CHECK(got == size && !memcmp(back, elements, size));
    padic_codec_unpack_end(pull);
}

// Devices, which are strict, take what is a profile's, or say that they do not know it.
static void check_devices(const choice *c, const bytes *s, const uint8_t *elements, int good,
                          uint32_t *taken)
{
    const padic_tensor like = padic_tensor_1d(c->dtype, NULL, c->n);
    const padic_tensor packed_like = padic_tensor_1d(PADIC_U8, NULL, s->size);
    int d;
    for (d = 0; d < device_count; d++) {
        plane packed = plane_new(devices[d], &packed_like, 4, s->at);
        plane back = plane_new(devices[d], &like, 16 / of(c), NULL);
        padic_codec_unpack_desc unpack = PADIC_ZERO;
        padic_result result;
        unpack.tensor = back.tensor;
        result = codec_unpack_from(devices[d], &unpack, &packed.tensor);
        if (!good) CHECK_EQ(result, PADIC_ERROR_CHECKSUM);
        if (good && result) CHECK_EQ(result, PADIC_ERROR_NOT_SUPPORTED);
        if (good && c->profile && c->form == 0) CHECK_EQ(result, PADIC_OK);
        if (!result) CHECK(plane_is(devices[d], &back, elements, c->n * of(c)));
        *taken += !result;
        plane_end(devices[d], &packed);
        plane_end(devices[d], &back);
    }
}

static void check_fetch(const choice *c, const bytes *s, const uint8_t *elements, int good,
                        uint32_t *found)
{
    static pd_u32 words[ROOM / 4];
    const uint32_t size = (uint32_t)of(c);
    const uint32_t kind = cc_is_float(c->dtype)    ? PADIC_FETCH_FLOAT
                          : cc_is_signed(c->dtype) ? PADIC_FETCH_SIGNED
                                                   : PADIC_FETCH_UNSIGNED;
    padic_codec_block b;
    uint32_t i, wrong = 0;
    memcpy(words, s->at, s->size);
    if (!padic_codec_block_find(words, 0, s->size, 0, (pd_u32)c->n, size, &b)) return;
    for (i = 0; i < c->n; i++) {
        uint64_t want = 0;
        memcpy(&want, elements + i * size, size);
        if (!good && b.shift && kind != PADIC_FETCH_FLOAT) want = 0; // there is none
        wrong += padic_codec_fetch(words, b, i, size, kind) != want;
    }
    CHECK(c->by_position);
    CHECK_EQ(wrong, 0);
    *found += 1;
}

static void run(int rounds, int profiles)
{
    static const char *const names[] = {"none", "avx2", "avx512", "avx512ifma", "neon"};
    static uint8_t elements[8 * MOST];
    static bytes s;
    padic_context *levels[5];
    uint32_t taken = 0, found = 0, refused = 0;
    int l, k;
    for (l = 0; l < 5; l++) {
        padic_context_desc desc = PADIC_ZERO;
        desc.backends[0] = padic_simd();
        desc.device.name = names[l];
        levels[l] = NULL;
        if (padic_context_create(&desc, &levels[l])) levels[l] = NULL;
    }
    open_devices();
    for (k = 0; k < rounds; k++) {
        const int failures = test_failures;
        const uint64_t r = test_random();
        rd_array whole;
        choice c;
        int good;
        memset(&c, 0, sizeof c);
        c.dtype = dtypes[r % 12];
        // as long as any loop, and as those that take long blocks alone
        c.n = (r >> 8 & 3 ? 100 : 20) + (r >> 16) % 700;
        if ((r >> 8) % 64 == 0 || k % 16 == 0) c.n = MOST - (r >> 16) % 600;
        c.form = profiles ? 0 : (uint32_t)(r >> 32) % 5;
        if (c.form == 4 && !cc_is_float(c.dtype)) c.form = 1;
        if (profiles && cc_is_float(c.dtype) && of(&c) >= 4 && r >> 36 & 1) c.tolerance = 1;
        if (c.tolerance && r >> 37 & 1) c.form = 2;
        if (c.form == 0 && (r >> 38 & 3) == 0 && (cc_is_float(c.dtype) || (r >> 56 & 7) == 0))
            c.shift = (uint32_t)(r >> 41) % 64;
        if (c.form == 0 && (r >> 38 & 3) == 1 && cc_is_float(c.dtype))
            c.shift = 1 + (uint32_t)(r >> 41) % (8 * (uint32_t)of(&c) - 1);
        c.predictor = (r >> 48 & 3) == 0;
        c.representations = profiles ? (r >> 50 & 1) * 2 : r >> 50 & 1 ? 1 : (r >> 51 & 1) * 2;
        c.fold = c.predictor && (profiles || r >> 53 & 1);
        if (!profiles && c.form == 0 && !c.shift && of(&c) >= 4 && cc_is_float(c.dtype) &&
            r >> 54 & 1)
            c.predictor = 7, c.fold = r >> 55 & 1;
        good = put_stream(&s, &c, elements);
        whole = rd_read(s.at, s.size);
        if (!c.is_long) CHECK_EQ(whole.data != NULL, good);
        good = good && !c.is_long;
        refused += !good;
        if (whole.data) CHECK(!memcmp(whole.data, elements, c.n * of(&c)));
        free(whole.data);
        check_host(NULL, &c, &s, elements, good);
        for (l = 0; l < 5; l++)
            if (levels[l]) check_host(levels[l], &c, &s, elements, good);
        if (profiles) check_devices(&c, &s, elements, good, &taken);
        if (profiles && good) check_fetch(&c, &s, elements, good, &found);
        if (test_failures > failures)
            printf("\n  round %d: dtype %d, n %d, form %d, shift %d, predictor %d, digits %d\n", k,
                   (int)c.dtype, (int)c.n, (int)c.form, (int)c.shift, (int)c.predictor,
                   (int)c.representations);
        if (test_failures > 20) break;
    }
    if (profiles && rounds > 100) {
        CHECK(found > (uint32_t)rounds / 10);
        CHECK(!device_count || taken > (uint32_t)rounds / 3);
    }
    CHECK(refused < (uint32_t)rounds / 2); // shifts of integers, long ones
    for (l = 0; l < 5; l++) padic_context_destroy(levels[l]);
}

TEST(transforms)
{
    run(test_amount(300, 1500, 4000), 0);
}

TEST(profiles)
{
    run(test_amount(300, 1500, 4000), 1);
}

TEST_MAIN("codec_words", CASE(transforms), CASE(profiles), CASE(no_kernel_was_dropped))
