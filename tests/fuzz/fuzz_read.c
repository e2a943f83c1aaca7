// fuzz_read.c: streams that are damaged with a plan. The bytes are choices: one of a few hundred
// streams that were packed from cases of codec/gen.h, what of it changes (fields of header, frames,
// payloads and index, bytes of the payloads, their sizes and order), and which checksums are put
// right afterwards; that of a block is what codec/codec_reader.h decodes. All readers must give the
// same answer and the same elements. See fuzz.h.
//
// With -DFUZZ_MANY a program that draws the choices itself, and needs no sanitizer: behind input,
// output and working memory there are pages that nobody may touch.
//
//     cc -O2 -DFUZZ_MANY tests/fuzz/fuzz_read.c -o read_many -lm -lpthread
//     ./read_many [--seed S] [--count N] [--one K]
//
// FUZZ_DUMP=FILE gets the stream of a failure; FUZZ_LINES prints what is only counted: streams that
// only one of library and other reader takes.
#if defined(FUZZ_MANY) && !defined(_DEFAULT_SOURCE)
#define _DEFAULT_SOURCE // mmap
#endif
#include "fuzz.h"

#include "../../backends/padic_simd.h"
#include "../../backends/padic_threads.h"
#ifdef __clang__ // coverage is that of the library
#pragma clang attribute push(__attribute__((no_sanitize("coverage"))), apply_to = function)
#endif
#include "../support/padic_test.h"

#include "../codec/codec_cases.h"
// The other reader is for whole streams: a width of 200 bits shifts too far there.
#ifdef __clang__
#pragma clang attribute push(__attribute__((no_sanitize("undefined"))), apply_to = function)
#endif
#include "../codec/codec_reader.h"
#ifdef __clang__
#pragma clang attribute pop
#endif

#include "../codec/check_pack.h"
#ifdef __clang__
#pragma clang attribute pop
#endif

#ifdef FUZZ_MANY
#include <signal.h>
#include <sys/mman.h>
#endif

#define POOL 300
#define STREAM_MOST 8192        // bytes of a stream in the pool
#define ROOM (4 * STREAM_MOST)  // and of one that grew
#define OUT_MOST ((uint64_t)1 << 18)
#define MEMORY ((uint64_t)32 << 20)
#define BLOCKS 128

typedef struct stream {
    uint8_t *bytes, *reference; // the latter dense; NULL: none
    size_t size, reference_size;
} stream;

typedef struct place { // a fence behind `size` bytes
    uint8_t *end;
    size_t size;
} place;

static struct {
    uint64_t runs, header, index, info, repaired, decoded, right, readers, counted, ok, lenient,
        strict, limits;
} seen;

static uint32_t now_kind; // changes, as bits

static stream pool[POOL];
static int pool_count;
static check_tools tools;

static void pool_make(uint64_t seed)
{
    static gen_case c;
    if (!tools.arena) check_begin(&tools);
    for (int i = 0; i < pool_count; i++) {
        free(pool[i].bytes);
        free(pool[i].reference);
    }
    pool_count = 0;
    for (uint64_t k = 0; pool_count < POOL; k++) {
        uint8_t bytes[GEN_STRING];
        size_t size = 0;
        gen_seeded(seed * 100003 + k, bytes);
        gen_make(&c, bytes, sizeof bytes);
        const size_t room = c.count > 600 || !c.count ? 0 : padic_codec_size_bound(&c.desc);
        uint8_t *to = (uint8_t *)fuzz_new(room);
        stream *s = &pool[pool_count];
        memset(s, 0, sizeof *s);
        if (room && codec_pack(NULL, &c.desc, to, room, &size) == PADIC_OK &&
            size <= STREAM_MOST) {
            s->bytes = (uint8_t *)fuzz_new(size);
            memcpy(s->bytes, to, size);
            s->size = size;
            if (c.desc.reference.data) {
                s->reference_size = c.count * c.element;
                s->reference = (uint8_t *)fuzz_new(s->reference_size);
                memcpy(s->reference, c.reference_dense, s->reference_size);
            }
            pool_count++;
        }
        free(to);
        gen_free(&c);
    }
}

// ------------------------------------------------------------------------------------------ bytes

static uint64_t get(const uint8_t *p, size_t bytes)
{
    uint64_t x = 0;
    while (bytes-- > 0) x = x << 8 | p[bytes];
    return x;
}

static void put(uint8_t *p, size_t bytes, uint64_t x)
{
    for (; bytes-- > 0; x >>= 8) *p++ = (uint8_t)x;
}

typedef struct work { // the stream that is being changed
    uint8_t bytes[ROOM];
    size_t size, header, index;
    size_t frame[BLOCKS];
    uint32_t frames;
    int touched; // the other reader must not see it
} work;

static int work_open(work *w, const stream *s)
{
    memcpy(w->bytes, s->bytes, s->size);
    w->size = s->size;
    w->header = (size_t)get(w->bytes + 10, 2);
    w->index = (size_t)get(w->bytes + w->size - 24, 8);
    w->frames = (uint32_t)get(w->bytes + w->index + 8, 8);
    w->touched = 0;
    if (w->frames > BLOCKS) return 0;
    for (uint32_t i = 0; i < w->frames; i++)
        w->frame[i] = (size_t)get(w->bytes + w->index + 24 + 8 * i, 8);
    return 1;
}

// Bytes come (filled with what stands behind them) or go at `at`; frames and index move.
static int resize(work *w, size_t at, size_t come, size_t go)
{
    if (w->size + come > ROOM || at + go > w->index) return 0;
    memmove(w->bytes + at + come, w->bytes + at + go, w->size - at - go);
    w->size = w->size + come - go;
    w->index = w->index + come - go;
    for (uint32_t i = 0; i < w->frames; i++) {
        if (w->frame[i] >= at + go) w->frame[i] = w->frame[i] + come - go;
        put(w->bytes + w->index + 24 + 8 * i, 8, w->frame[i]);
    }
    put(w->bytes + w->size - 24, 8, w->index);
    return 1;
}

static uint64_t strange(gen_source *s, uint64_t x)
{
    const uint32_t kind = gen_below(s, 16), k = gen_byte(s);
    switch (kind) {
    case 0: return x + 1;
    case 1: return x - 1;
    case 2: return x ^ UINT64_C(1) << (k & 63);
    case 3: return k;
    case 4: return 0;
    case 5: return UINT64_MAX - k;
    case 6: return UINT64_C(1) << (k & 63);
    case 7: return (UINT64_C(1) << (k & 63)) - 1;
    case 8: return x * (k + 1);
    case 9: return x + k;
    case 10: return x - k;
    case 11: return UINT64_MAX / (k + 1);
    case 12: return UINT64_MAX / (k + 1) + 1;
    case 13: return gen_word(s, 8);
    case 14: return x >> (k & 7);
    default: return x << (k & 7);
    }
}

static void mutate(gen_source *s, uint8_t *p, size_t bytes)
{
    put(p, bytes, strange(s, get(p, bytes)));
}

// Where the head of a payload ends, behind which the other reader takes any bytes; 0: not known.
static size_t head_end(const uint8_t *p, size_t n, uint32_t rank, int inner)
{
    size_t at = 2;
    if (n < 64) return 0;
    const uint32_t form = p[0], flags = p[1];
    if (form == 5) return 1;
    if (form == 7 && !inner) {
        const size_t more = head_end(p + 1, n - 1, rank, 1);
        return more ? more + 1 : 0;
    }
    if (form > 4) return 0;
    if (flags & 128) at++;
    const uint32_t predictor = p[at], pattern = p[at + 1];
    at += 3 + (form == 0 ? 1u : form == 1 ? 0u : form == 3 ? 16u : 8u);
    at += (flags & 16 ? 16u : 0u) + (flags & 32 ? 1u : 0u) + (flags & 64 ? 8u : 0u);
    at += pattern == 3 ? 8u : pattern ? 4u : 0u;
    if (predictor) {
        const uint32_t axes = p[at++];
        if (predictor == 6) at++;
        for (uint32_t k = 0; k < axes && at < n; k++)
            at += (p[at] == 0x80 ? 5u : 1u) + (predictor == 6 ? 4u : 0u);
        if (predictor == 7 && at + 2 < n) {
            const size_t taps = p[at], wide = p[at + 1] & 128 ? 4 : 2;
            at += 2 + taps * (axes + wide);
        }
    }
    return at < n ? at : 0;
}

static void change(gen_source *s, work *w)
{
    const uint32_t kind = gen_below(s, 24), rank = w->bytes[6] & 7;
    const uint32_t f = w->frames ? gen_below(s, w->frames) : 0;
    uint8_t *const b = w->bytes;
    now_kind |= 1u << kind;
    const size_t frame = w->frames ? w->frame[f] : 0;
    size_t payload = w->frames ? (size_t)get(b + frame, 4) : 0;
    if (w->index > w->size || frame + 16 + payload > w->index) payload = 0; // changed before
    switch (kind) {
    case 0: { // the header's fields
        static const uint8_t at[10] = {5, 6, 7, 8, 9, 10, 12, 13, 16, 24};
        static const uint8_t size[10] = {1, 1, 1, 1, 1, 2, 4, 1, 8, 8};
        const uint32_t k = gen_below(s, 10);
        mutate(s, b + at[k], size[k]);
        w->touched = 1;
        break;
    }
    case 1: // shape
        mutate(s, b + 32 + 8 * gen_below(s, rank + 1), 8);
        w->touched = 1;
        break;
    case 2: // block
        mutate(s, b + 32 + 8 * rank + 4 * gen_below(s, rank + 1), 4);
        w->touched = 1;
        break;
    case 3: // whatever stands before the checksum
        mutate(s, b + w->header - 12 - 4 * gen_below(s, 3), 4);
        w->touched = 1;
        break;
    case 4: { // the header grows
        const size_t more = 4 + 4 * gen_below(s, 40);
        const size_t at = w->header - 8;
        if (w->index > w->size || !resize(w, at, more, 0)) break;
        memset(b + at, 0, more);
        w->header += more;
        put(b + 10, 2, w->header);
        w->touched = 1; // the other reader knows no longer headers
        break;
    }
    case 5: // an index field
        mutate(s, b + w->index + 8 * gen_below(s, 4 + w->frames), 8);
        w->touched = 1;
        break;
    case 6: // two places are exchanged
        if (w->frames > 1) {
            const uint32_t g = gen_below(s, w->frames);
            put(b + w->index + 24 + 8 * f, 8, w->frame[g]);
            put(b + w->index + 24 + 8 * g, 8, w->frame[f]);
            w->touched = 1;
        }
        break;
    case 7: // a frame's fields
        if (w->frames) mutate(s, b + frame + 4 * gen_below(s, 3), 4);
        w->touched = 1;
        break;
    case 8: // cut or longer
        if (gen_below(s, 2)) w->size -= gen_below(s, (uint32_t)w->size);
        else if (w->size + 16 < ROOM) {
            memset(b + w->size, 0, 16);
            w->size += gen_below(s, 16);
        }
        w->touched = 1;
        break;
    case 9: { // a payload of another stream
        const stream *o = &pool[gen_below(s, (uint32_t)pool_count)];
        const size_t at = (size_t)get(o->bytes + 10, 2), n = (size_t)get(o->bytes + at, 4);
        if (!payload || at + 16 + n > o->size || n > STREAM_MOST) break;
        if (!resize(w, frame + 16, n, payload)) break;
        memcpy(b + frame + 16, o->bytes + at + 16, n);
        put(b + frame, 4, n);
        w->touched = 1;
        break;
    }
    case 10: case 11: { // a payload's bytes come or go
        if (!w->frames || !payload) break;
        const size_t at = gen_below(s, (uint32_t)payload);
        size_t come = 0, go = 0;
        if (kind == 10) come = 1 + gen_below(s, 16);
        else go = 1 + gen_below(s, 16);
        if (go > payload - at) go = payload - at;
        if (!resize(w, frame + 16 + at, come, go)) break;
        put(b + frame, 4, payload + come - go);
        const size_t head = head_end(b + frame + 16, payload + come - go, rank + 1, 0);
        if (!head || at < head) w->touched = 1;
        break;
    }
    case 12: case 13: case 14: case 15: { // the head of a payload
        if (!w->frames || payload < 64) break;
        size_t head = head_end(b + frame + 16, payload, rank + 1, 0);
        if (!head) head = 32;
        static const uint8_t sizes[4] = {1, 2, 4, 8};
        mutate(s, b + frame + 16 + gen_below(s, (uint32_t)head), sizes[gen_below(s, 4)]);
        w->touched = 1;
        break;
    }
    default: { // what follows it
        if (!w->frames || !payload) break;
        const size_t head = head_end(b + frame + 16, payload, rank + 1, 0);
        static const uint8_t sizes[8] = {1, 1, 1, 1, 2, 4, 4, 8};
        const size_t size = sizes[gen_below(s, 8)];
        // Streams begin with what matters most.
        const size_t left = payload - head, near = gen_below(s, 2) && left > 24 ? 24 : left;
        const size_t at = head + gen_below(s, (uint32_t)near);
        if (at + size > payload) break;
        if (!head) w->touched = 1;
        mutate(s, b + frame + 16 + at, size);
    }
    }
}

// The checksums of all blocks, as the other reader decodes them. 0: it cannot. As in rd_read().
static int repair_blocks(work *w, const stream *from)
{
    rd_input in = {w->bytes, 12, w->size, 0};
    const uint32_t rank = w->bytes[6];
    const padic_dtype dtype = (padic_dtype)w->bytes[5], scalar = cc_base(dtype);
    const uint32_t features = (uint32_t)rd_get(&in, 4);
    uint64_t shape[8], block[8], blocks[8], total = 1;
    in.at = 32;
    for (uint32_t k = 0; k < rank; k++) shape[k] = rd_get(&in, 8);
    for (uint32_t k = 0; k < rank; k++) block[k] = rd_get(&in, 4);
    const uint64_t planes = features & 2 ? rd_get(&in, 8) : 1;
    const uint64_t span = features >> 10 & 1 ? rd_get(&in, 4) : 1;
    if (rank && w->bytes[9]) shape[0] = get(w->bytes + w->index + 16, 8);
    for (uint32_t k = 0; k < rank; k++) {
        blocks[k] = (shape[k] + block[k] - 1) / block[k];
        total *= blocks[k];
    }
    const size_t parts = cc_components(dtype), element = cc_size(scalar);
    uint64_t *before = rd_words(4096);
    size_t starts[65], past = 0;
    int good = 1;
    for (uint64_t b = 0; b < total && good; b++) {
        rd_box box;
        uint64_t begin[9], rest = b, digest = 0;
        memset(&box, 0, sizeof box);
        if (b % span == 0) past = 0;
        starts[b % span] = past;
        box.before = before;
        box.past = past;
        for (uint64_t k = 1; k <= b % span; k++) box.reach[k] = past - starts[b % span - k];
        box.dtype = scalar;
        box.rank = rank ? rank : 1;
        box.extent[0] = box.n = 1;
        for (uint32_t k = rank; k-- > 0;) {
            begin[k] = rest % blocks[k] * block[k];
            rest /= blocks[k];
            const uint64_t left = shape[k] - begin[k];
            box.extent[k] = (size_t)(left < block[k] ? left : block[k]);
            box.n *= box.extent[k];
        }
        if (parts == 2) box.extent[box.rank++] = 2;
        box.n *= parts;
        uint64_t *x = NULL;
        uint8_t *raw = (uint8_t *)cc_new(box.n * element);
        if (from->reference) {
            x = rd_words(box.n);
            for (size_t i = 0; i < box.n; i++) {
                size_t rest_of = i / parts, to = 0, step = 1;
                for (uint32_t k = rank; k-- > 0;) {
                    to += (rest_of % box.extent[k] + (size_t)begin[k]) * step;
                    rest_of /= box.extent[k];
                    step *= (size_t)shape[k];
                }
                x[i] = cc_load_bits(element, from->reference, to * parts + i % parts);
            }
            for (size_t i = 0; i < box.n * element; i++)
                raw[i] = (uint8_t)(x[i / element] >> (8 * (i % element)));
            digest = cc_checksum(raw, box.n * element, b);
        }
        for (uint64_t layer = 0; layer < planes && good; layer++) {
            const size_t frame = w->frame[layer * total + b];
            const size_t payload = (size_t)get(w->bytes + frame, 4);
            rd_input part = {w->bytes, frame + 16, frame + 16 + payload, 0};
            uint64_t *y = rd_block(&part, &box, x, digest);
            free(x);
            x = y;
            for (size_t i = 0; i < box.n * element; i++)
                raw[i] = (uint8_t)(x[i / element] >> (8 * (i % element)));
            digest = cc_checksum(raw, box.n * element, b);
            if (rd_get(&part, 8) != 0 || part.at != part.end || part.bad ||
                payload > box.n * element + 9)
                good = 0;
            else put(w->bytes + frame + 8, 8, digest);
        }
        if (good && past + box.n <= 4096) memcpy(before + past, x, box.n * sizeof *x);
        past += box.n;
        free(raw);
        free(x);
    }
    free(before);
    return good;
}

// ---------------------------------------------------------------------------------------- readers

static place fence_of(size_t most)
{
    place p = {NULL, most};
#ifdef FUZZ_MANY
    uint8_t *at = (uint8_t *)mmap(NULL, most + 4096, PROT_READ | PROT_WRITE,
                                  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (at == (uint8_t *)MAP_FAILED || mprotect(at + most, 4096, PROT_NONE)) exit(3);
    p.end = at + most;
#endif
    return p;
}

// `size` bytes that end at the fence, 64 bytes of 0xa5 before them.
static uint8_t *take(place *p, size_t size)
{
#ifdef FUZZ_MANY
    if (size + 64 > p->size) exit(3);
    memset(p->end - size - 64, 0xa5, 64);
    return p->end - size;
#else
    p->end = (uint8_t *)fuzz_new(size);
    return p->end;
#endif
}

static void leave(place *p, size_t size)
{
#ifdef FUZZ_MANY
    for (int i = 1; i <= 64; i++) FUZZ_CHECK(p->end[-(ptrdiff_t)size - i] == 0xa5);
#else
    (void)size;
    free(p->end);
#endif
}

static const char *doing = ""; // for the message of a failure
static const uint8_t *now_bytes;
static size_t now_size;
static padic_result now_answer; // of unpack
static char now_text[400];

static void say_stream(void) // FUZZ_DUMP=FILE: the stream goes there
{
    const char *path = getenv("FUZZ_DUMP");
    FILE *file = path ? fopen(path, "wb") : NULL;
    fprintf(stderr, "%s\n", now_text);
    if (!file) return;
    fwrite(now_bytes, 1, now_size, file);
    fclose(file);
}

#define SAME(x)                                                                            \
    ((x) ? (void)0                                                                         \
         : (fprintf(stderr, "%s: unpack %d block %ld, here %d block %ld\n", doing, (int)u, \
                    (long)bad, (int)other, (long)other_bad),                               \
            say_stream(), fuzz_failed(__FILE__, __LINE__, #x)))

static void read_all(gen_source *s, const uint8_t *bytes, size_t size, const stream *from,
                     int count_it)
{
    static place one_at, two_at, reference_at;
    static uint64_t spare[1 << 15]; // a reference of the wrong bytes
    padic_codec_report r;
    uint64_t bad = 77, other_bad = 77;
    padic_result u = PADIC_OK, other = PADIC_OK;
    fuzz_memory memory;
    const padic_allocator allocator = fuzz_allocator(&memory);
    if (!one_at.size) one_at = fence_of(OUT_MOST + 4096);
    if (!two_at.size) two_at = fence_of(OUT_MOST + 4096);
    if (!reference_at.size) reference_at = fence_of(OUT_MOST + 4096);
    memset(&r, 0, sizeof r);
    const padic_result told = codec_info(bytes, size, &r);
    seen.readers++;
    seen.info += told == PADIC_OK;
    snprintf(now_text, sizeof now_text,
             "%lu bytes; info %d: dtype %d rank %d shape %ld %ld %ld block %ld %ld %ld blocks %ld "
             "mode %d bound %g %g planes %d reference %d, header's flags %d features %x",
             (unsigned long)size, (int)told, (int)r.dtype, (int)r.rank, (long)r.shape[0],
             (long)r.shape[1], (long)r.shape[2], (long)r.block[0], (long)r.block[1],
             (long)r.block[2], (long)r.blocks, (int)r.tolerance_mode, r.tolerance, r.error_bound,
             (int)r.layers, r.reference, size > 40 ? bytes[9] : 0,
             (unsigned)get(bytes + 12, size > 40 ? 4 : 0));
    now_bytes = bytes;
    now_size = size;
    padic_codec_unpack_desc d;
    memset(&d, 0, sizeof d);
    d.memory_limit = MEMORY;
    d.allocator = &allocator;
    d.report = CODEC_BAD_BLOCK(&bad);
    if (told != PADIC_OK) { // is only the header right?
        fuzz_source in = {bytes, size, 0};
        padic_codec_unpacker *unpacker = NULL;
        padic_codec_report q;
        if (codec_unpack_begin(NULL, &d, fuzz_read, &in, &q, &unpacker) == PADIC_OK) r = q;
        padic_codec_unpack_end(unpacker);
        if (r.shape[0] == PADIC_CODEC_UNKNOWN) memset(&r, 0, sizeof r);
    }
    const int small = r.rank + r.raw_size > 0 && r.raw_size <= OUT_MOST;
    const size_t all = small ? (size_t)r.raw_size : 0;
    const uint32_t parts = r.rank ? 1 + gen_byte(s) : 1;
    uint8_t *one = take(&one_at, all), *two = take(&two_at, all);
    if (small) {
        memset(one, 0x35, all);
        d.tensor = fuzz_tensor(&r, one);
        if (r.reference) {
            d.reference = d.tensor;
            d.reference.data =
                from->reference && all == from->reference_size ? (void *)from->reference : spare;
        }
        u = codec_unpack(NULL, &d, bytes, size);
        now_answer = u;
        seen.readers++;
        FUZZ_CHECK(memory.bytes == 0 && memory.peak <= MEMORY);
        seen.ok += u == PADIC_OK;
        seen.limits += u == PADIC_ERROR_LIMIT;
        // Vectors: the same in every way.
        const uint32_t choice = gen_byte(s);
        int level = tools.level_count > 1
                        ? tools.levels[1 + choice % (uint32_t)(tools.level_count - 1)] : 0;
        padic_context *context = tools.level[level];
        doing = tools.name[level];
        if (choice % 32 == 31) context = tools.thread[choice & 32 ? 1 : 0], doing = "threads";
        memset(two, 0x35, all);
        d.tensor.data = two;
        d.report = CODEC_BAD_BLOCK(&other_bad);
        other = codec_unpack(context, &d, bytes, size);
        seen.readers++;
        SAME(other == u || (doing[0] == 't' && other == PADIC_ERROR_LIMIT));
        if (other == u) {
            SAME(other_bad == bad);
            SAME(!memcmp(one, two, all));
        }
        FUZZ_CHECK(memory.bytes == 0 && memory.peak <= MEMORY);
        doing = "verify";
        other_bad = 77;
        other = codec_verify(choice & 64 ? context : NULL, &d, bytes, size);
        seen.readers++;
        SAME(other == u);
        SAME(other_bad == bad);
        FUZZ_CHECK(memory.bytes == 0 && memory.peak <= MEMORY);
        if (r.rank && gen_below(s, 4) == 0) { // a box
            padic_codec_unpack_desc c = d;
            uint64_t count = 1;
            for (uint32_t k = 0; k < r.rank; k++) {
                const uint64_t extent = r.shape[k] ? r.shape[k] : 1;
                c.begin[k] = gen_word(s, 2) % extent;
                c.count[k] = 1 + gen_word(s, 2) % (extent - c.begin[k]);
                c.tensor.shape[k] = c.count[k];
                count *= c.count[k];
            }
            if (all) {
                doing = "box";
                memset(two, 0x35, all);
                other_bad = 77;
                c.tensor.data = two;
                other = codec_unpack(choice & 128 ? context : NULL, &c, bytes, size);
                seen.readers++;
                SAME(u != PADIC_OK || other == PADIC_OK);
                const size_t element = gen_size(r.dtype);
                int same = 1;
                for (uint64_t i = 0; i < count; i++) { // damaged blocks are left alone by both
                    uint64_t rest = i, at = 0, step = 1;
                    for (uint32_t k = r.rank; k-- > 0;) {
                        at += (rest % c.count[k] + c.begin[k]) * step;
                        rest /= c.count[k];
                        step *= r.shape[k];
                    }
                    same &= !memcmp(two + i * element, one + at * element, element);
                }
                if (other == PADIC_OK || other == PADIC_ERROR_CHECKSUM) SAME(same);
                for (size_t i = (size_t)count * element; i < all; i++) SAME(two[i] == 0x35);
            }
        }
    }
    if (!small || gen_below(s, 2) == 0) { // pulled in pieces
        fuzz_source in = {bytes, size, 0};
        padic_codec_unpacker *unpacker = NULL;
        padic_codec_report q;
        padic_codec_unpack_desc c = d;
        memset(&c.tensor, 0, sizeof c.tensor);
        c.report = CODEC_BAD_BLOCK(&other_bad);
        other_bad = 77;
        doing = "pull";
        const size_t most = small ? all : 4096;
        size_t total = 0;
        uint8_t *to = small ? two : take(&reference_at, most);
        if (small) memset(two, 0x35, all);
        padic_context *context = tools.level[tools.levels[parts % (uint32_t)tools.level_count]];
        other = codec_unpack_begin(context, &c, fuzz_read, &in, &q, &unpacker);
        seen.readers++;
        if (other == PADIC_OK) {
            for (size_t piece = parts; total < most; piece = piece * 3 + 1) {
                const size_t n = most - total < piece ? most - total : piece;
                size_t got = 0;
                other = codec_unpack_pull(unpacker, to + total, n, &got);
                FUZZ_CHECK(got <= n);
                total += got;
                if (other != PADIC_OK || got < n) break;
            }
            if (other == PADIC_OK && small) { // and to its end
                uint8_t more;
                size_t got = 0;
                other = codec_unpack_pull(unpacker, &more, 1, &got);
                FUZZ_CHECK(got == 0 || other == PADIC_OK);
                total += got;
            }
            padic_codec_unpack_end(unpacker);
        } else {
            FUZZ_CHECK(unpacker == NULL);
        }
        FUZZ_CHECK(memory.bytes == 0 && memory.peak <= MEMORY);
        if (small && other != PADIC_ERROR_NOT_SUPPORTED && other != PADIC_ERROR_LIMIT &&
            u != PADIC_ERROR_LIMIT) {
            // Both say the same, and of the same block, but that who pulls does not see which place
            // in the index is wrong, only a block after it that is damaged as well. What was got
            // is right, also where unpack knows from the index that it is not.
            int right = total <= all;
            if (other != u && other_bad == UINT64_MAX && in.at < size) { // behind the index
                d.tensor.data = one;
                d.report = CODEC_BAD_BLOCK(&bad);
                u = codec_unpack(NULL, &d, bytes, in.at);
            }
            for (size_t i = 0; i < total && right; i++)
                right = one[i] == two[i] || (u != PADIC_OK && one[i] == 0x35);
            // Two damages: of the index and of how the stream ends, of which pulling does not know
            // then; the place of a block, which it sees last, and a reference that is another.
            const int behind = other_bad == UINT64_MAX && bad == UINT64_MAX &&
                               u == PADIC_ERROR_CORRUPT && other == PADIC_ERROR_CHECKSUM;
            const int placed = told == PADIC_ERROR_CHECKSUM && u == PADIC_ERROR_CHECKSUM &&
                               other == PADIC_ERROR_MISMATCH;
            SAME(other == u || behind || placed);
            SAME(other_bad >= bad);
            SAME(right && (u != PADIC_OK || other != PADIC_OK || total == all));
        }
        if (!small) leave(&reference_at, most);
    }
    if (told != PADIC_OK && gen_below(s, 4) == 0) {
        FUZZ_CHECK(codec_verify(NULL, &d, bytes, size) != PADIC_OK);
        seen.readers++;
    }
    if (count_it) seen.counted++;
    leave(&one_at, all);
    leave(&two_at, all);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static work w;
    static place in_at;
    gen_source s = {data, size, 0, 1};
    if (!pool_count) pool_make(1);
    if (!in_at.size) in_at = fence_of(ROOM + 4096);
    const stream *from = &pool[gen_below(&s, (uint32_t)pool_count)];
    if (!work_open(&w, from)) return 0;
    const uint32_t sums = gen_byte(&s);
    int repaired = 0, decoded = 0;
    now_kind = 0;
    for (uint32_t k = 1 + gen_below(&s, 8) / 5 + gen_below(&s, 4) / 3; k > 0; k--) change(&s, &w);
    seen.runs++;
    if (!w.touched && (sums & 15) != 15) {
        repaired = 1;
        decoded = repair_blocks(&w, from);
        seen.repaired++;
        seen.decoded += (uint64_t)decoded;
    }
    const size_t header = (size_t)get(w.bytes + 10, 2);
    if ((sums & 0x70) != 0x70 && header >= 40 && header <= w.size)
        put(w.bytes + header - 8, 8, cc_checksum(w.bytes, header - 8, 0x44414548));
    const uint64_t index = w.size >= 88 ? get(w.bytes + w.size - 24, 8) : 0;
    const int there = w.size >= 88 && index <= w.size - 48;
    const uint64_t index_sum =
        there ? cc_checksum(w.bytes + index, 24, 0x58444e49) ^
                    cc_checksum(w.bytes + index + 24, (w.size - 48 - (size_t)index) / 8 * 8,
                                0x58444e4a) ^
                    cc_checksum(w.bytes + w.size - 24, 8, 0x58444e4b)
              : 0;
    if (there && (sums & 0x83) != 0x83) put(w.bytes + w.size - 16, 8, index_sum);
    const int sound = header >= 40 && header <= w.size && !memcmp(w.bytes, "PADC\1", 5) &&
                      get(w.bytes + header - 8, 8) == cc_checksum(w.bytes, header - 8, 0x44414548);
    const int indexed = sound && there && get(w.bytes + w.size - 16, 8) == index_sum;
    seen.header += (uint64_t)sound;
    seen.index += (uint64_t)indexed;
    uint8_t *exact = take(&in_at, w.size);
    memcpy(exact, w.bytes, w.size);
    const uint64_t before = seen.ok, readers = seen.readers;
    read_all(&s, exact, w.size, from, indexed);
    if (indexed) seen.right += seen.readers - readers;
    // For people: the library and the other reader do not draw the line at the same place.
    const int strict = repaired && decoded && seen.ok == before && indexed;
    const int lenient = repaired && !decoded && seen.ok != before;
    seen.strict += (uint64_t)strict;
    seen.lenient += (uint64_t)lenient;
    if ((strict || lenient) && getenv("FUZZ_LINES")) {
        printf("%s %lx: %d %s\n", strict ? "strict" : "lenient", (unsigned long)now_kind,
               (int)now_answer, now_text);
        say_stream();
    }
    leave(&in_at, w.size);
    return 0;
}

#ifdef FUZZ_MANY
static uint64_t now_seed, now_number;

static void crashed(int number)
{
    fprintf(stderr, "FAILED: signal %d in --seed %lu --one %lu (%s)\n", number,
            (unsigned long)now_seed, (unsigned long)now_number, doing);
    signal(number, SIG_DFL);
    raise(number);
}

int main(int argc, char **argv)
{
    uint64_t count = 100000, from = 0, made = UINT64_MAX;
    const uint64_t rounds = 50000; // then other streams
    for (int i = 1; i + 1 < argc; i += 2) {
        const uint64_t value = strtoull(argv[i + 1], NULL, 0);
        if (!strcmp(argv[i], "--seed")) now_seed = value;
        else if (!strcmp(argv[i], "--count")) count = value;
        else if (!strcmp(argv[i], "--from")) from = value;
        else if (!strcmp(argv[i], "--one")) from = value, count = 1;
        else return printf("unknown argument %s\n", argv[i]), 2;
    }
    signal(SIGSEGV, crashed);
    signal(SIGBUS, crashed);
    signal(SIGABRT, crashed);
    for (now_number = from; now_number < from + count; now_number++) {
        uint8_t bytes[GEN_STRING];
        if (now_number / rounds != made) {
            made = now_number / rounds;
            pool_make(now_seed * 1000 + made);
        }
        gen_seeded(now_seed * UINT64_C(1000000007) + now_number, bytes);
        LLVMFuzzerTestOneInput(bytes, 64);
    }
    printf("streams %lu: header right %.1f %%, index %.1f %%, frames and stages %.1f %%\n",
           (unsigned long)seen.runs, 100.0 * (double)seen.header / (double)seen.runs,
           100.0 * (double)seen.index / (double)seen.runs,
           100.0 * (double)seen.info / (double)seen.runs);
    printf("  given to the other reader %lu, decoded by it %lu; all blocks right %lu\n",
           (unsigned long)seen.repaired, (unsigned long)seen.decoded, (unsigned long)seen.ok);
    printf("  readers %lu, behind header and checksums %lu; memory limit %lu\n",
           (unsigned long)seen.readers, (unsigned long)seen.right, (unsigned long)seen.limits);
    printf("  taken by the other reader only %lu, by the library only %lu\n",
           (unsigned long)seen.strict, (unsigned long)seen.lenient);
    return 0;
}
#endif
