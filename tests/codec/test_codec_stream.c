// test_codec_stream.c: the same bytes for any number of workers and any chunking; streams of
// unknown length, cut streams, callbacks that fail; memory from the caller; allocations that fail.
//
//     cc -O2 tests/codec/test_codec_stream.c -o t -lm -lpthread && ./t       FULL=1: 2^32 + 1 bytes
#define PADIC_IMPLEMENTATION
#include "../../padic.h"
#include "../support/codec_calls.h"
#include "../../backends/padic_threads.h"
#include "../support/padic_test.h"
#include "codec_cases.h"

// ------------------------------------------------------------------------------------------- jobs

// Runs jobs in an odd order, in the calling thread: last first, first first, at random, or at once.
#define JOB_SLOTS 64
typedef struct odd_job {
    void (*fn)(void *arg);
    void *arg;
    int state; // 0 free, 1 waiting, 2 running, 3 done
} odd_job;
typedef struct odd_jobs {
    odd_job slots[JOB_SLOTS];
    int order;
    uint64_t ran, open;
    cc_random random;
} odd_jobs;

static void *odd_enqueue(void (*fn)(void *arg), void *arg, void *user)
{
    odd_jobs *j = (odd_jobs *)user;
    int slot = 0;
    while (slot < JOB_SLOTS && j->slots[slot].state) slot++;
    if (j->order == 3 || slot == JOB_SLOTS || (j->order == 2 && !cc_below(&j->random, 5))) {
        fn(arg);
        j->ran++;
        return NULL;
    }
    j->slots[slot].fn = fn;
    j->slots[slot].arg = arg;
    j->slots[slot].state = 1;
    j->open++;
    return &j->slots[slot];
}

static void odd_finish(void *task, void *user)
{
    odd_jobs *j = (odd_jobs *)user;
    odd_job *wanted = (odd_job *)task;
    if (!task) return;
    while (wanted->state == 1) {
        int pick = -1, waiting = 0;
        for (int i = 0; i < JOB_SLOTS; i++) waiting += j->slots[i].state == 1;
        int skip = j->order == 0   ? waiting - 1
                   : j->order == 1 ? 0
                                   : (int)cc_below(&j->random, (uint64_t)waiting);
        for (int i = 0; i < JOB_SLOTS && pick < 0; i++) {
            if (j->slots[i].state == 1 && skip-- == 0) pick = i;
        }
        j->slots[pick].state = 2;
        j->slots[pick].fn(j->slots[pick].arg);
        j->slots[pick].state = 3;
        j->ran++;
    }
    wanted->state = 0;
    j->open--;
}

static padic_context *context_with(odd_jobs *jobs, uint32_t workers, int order)
{
    padic_context_desc desc;
    memset(&desc, 0, sizeof desc);
    memset(jobs, 0, sizeof *jobs);
    jobs->order = order;
    jobs->random.state = workers;
    desc.jobs.workers = workers;
    desc.jobs.enqueue = odd_enqueue;
    desc.jobs.finish = odd_finish;
    desc.jobs.user = jobs;
    padic_context *context = NULL;
    CHECK(padic_context_create(&desc, &context) == PADIC_OK);
    return context;
}

// Packs, decodes, decodes a box and verifies with this context: everything equals the answer of one
// thread.
static void same_with_context(padic_context *context, const padic_codec_pack_desc *desc,
                              const cc_packed *want)
{
    cc_packed p = cc_pack(context, desc);
    CC_CHECK(p.result == PADIC_OK && p.size == want->size &&
             !memcmp(p.bytes, want->bytes, want->size));
    CC_CHECK(codec_verify(context, NULL, want->bytes, want->size) == PADIC_OK);
    const size_t n = cc_count(desc->tensor.rank, desc->tensor.shape),
                 bytes = n * cc_size(desc->tensor.dtype);
    uint8_t *one = (uint8_t *)cc_new(bytes), *many = (uint8_t *)cc_new(bytes);
    memset(one, 1, bytes);
    memset(many, 2, bytes);
    padic_codec_unpack_desc u;
    memset(&u, 0, sizeof u);
    u.tensor = cc_tensor(desc->tensor.dtype, one, desc->tensor.rank, desc->tensor.shape);
    CC_CHECK(codec_unpack(NULL, &u, want->bytes, want->size) == PADIC_OK);
    u.tensor.data = many;
    CC_CHECK(codec_unpack(context, &u, want->bytes, want->size) == PADIC_OK);
    CC_CHECK(!memcmp(one, many, bytes));
    // Damage in the middle is reported the same, and the rest is decoded the same.
    uint8_t *broken = (uint8_t *)cc_copy(want->bytes, want->size);
    broken[want->size / 2] ^= 0x10;
    broken[want->size / 3] ^= 0x01;
    memset(one, 3, bytes);
    memset(many, 3, bytes);
    uint64_t bad_one = 5, bad_many = 6;
    u.tensor.data = one;
    u.report = CODEC_BAD_BLOCK(&bad_one);
    const padic_result a = codec_unpack(NULL, &u, broken, want->size);
    u.tensor.data = many;
    u.report = CODEC_BAD_BLOCK(&bad_many);
    const padic_result b = codec_unpack(context, &u, broken, want->size);
    CC_CHECK(a == b && a != PADIC_OK && bad_one == bad_many);
    CC_CHECK(!memcmp(one, many, bytes));
    free(broken);
    free(one);
    free(many);
    free(p.bytes);
}

TEST(workers)
{
    static const uint32_t workers[] = {1, 2, 3, 8};
    const uint64_t large[3][3] = {{120001}, {300, 401}, {40, 50, 61}};
    const uint64_t little[3][3] = {{13001}, {100, 131}, {17, 18, 20}};
    for (int s = 0; s < 3; s++) {
        const uint64_t(*shapes)[3] = test_tiny ? little : large;
        const uint32_t rank = (uint32_t)s + 1;
        const size_t n = cc_count(rank, shapes[s]);
        for (int d = 0; d < CC_DTYPES; d += test_tiny ? 13 : 2) {
            const padic_dtype dtype = cc_dtypes[(d + s) % CC_DTYPES];
            uint8_t *data = (uint8_t *)cc_new(n * cc_size(dtype));
            cc_fill((cc_kind)(CC_SMOOTH + (d * 3 + s) % 14), dtype, data, n,
                    (size_t)shapes[s][rank - 1], 6);
            padic_codec_pack_desc desc = cc_desc(dtype, data, rank, shapes[s]);
            for (uint32_t a = 0; a < rank; a++)
                desc.block[a] = rank == 1 ? 4096 : rank == 2 ? 64 : 16;
            if (s == 2 && cc_is_float(dtype))
                desc.tolerance_mode = PADIC_CODEC_TOLERANCE_RANGE, desc.tolerance = 1e-3;
            desc.level = (uint32_t)(1 + (d + s * 4) % 9);
            cc_packed p = cc_pack(NULL, &desc);
            snprintf(cc_label, sizeof cc_label, "shape %d, dtype %d", s, (int)dtype);
            CC_CHECK(p.result == PADIC_OK);
            for (int w = 0; w < 4 && p.result == PADIC_OK; w++) {
                const int order = (w + d / 2) % 4;
                odd_jobs jobs;
                padic_context *context = context_with(&jobs, workers[w], order);
                snprintf(cc_label, sizeof cc_label, "shape %d, dtype %d, %u workers, order %d", s,
                         (int)dtype, (unsigned)workers[w], order);
                same_with_context(context, &desc, &p);
                CC_CHECK(jobs.open == 0);
                if (workers[w] > 1) CC_CHECK(jobs.ran > 0);
                padic_context_destroy(context);
            }
            free(p.bytes);
            free(data);
        }
    }
}

TEST(threads)
{
    const size_t n = test_tiny ? 200000 : 2000000;
    float *data = (float *)cc_new(n * 4);
    cc_fill(CC_DECIMAL, PADIC_F32, data, n, 0, 3);
    padic_codec_pack_desc desc = cc_desc_1d(PADIC_F32, data, n);
    if (test_tiny) desc.block[0] = 4096;
    cc_packed p = cc_pack(NULL, &desc);
    for (uint32_t workers = 1; workers <= 8; workers = workers < 3 ? workers + 1 : workers + 5) {
        padic_threads *threads = padic_threads_create(workers, NULL);
        REQUIRE(threads != NULL);
        padic_context_desc c;
        memset(&c, 0, sizeof c);
        c.jobs = padic_threads_jobs(threads);
        padic_context *context = NULL;
        REQUIRE(padic_context_create(&c, &context) == PADIC_OK);
        snprintf(cc_label, sizeof cc_label, "%u threads", (unsigned)workers);
        for (int i = 0; i < 3; i++) same_with_context(context, &desc, &p);
        padic_context_destroy(context);
        padic_threads_destroy(threads);
    }
    free(p.bytes);
    free(data);
}

// Real threads, many more blocks than there are places: hints (levels 1 to 3, in windows 5), single
// blocks (3), windows (5), windows of what the decoder will have and layers, which one thread packs
// in turn.
TEST(threads_share_blocks)
{
    static const int levels[8] = {1, 2, 3, 5, 5, 1, 3, 5};
    const size_t n = 50001;
    float *data = (float *)cc_new(n * 4);
    cc_fill(CC_DECIMAL, PADIC_F32, data, n, 0, 3);
    for (size_t i = 3000; i < n; i++)
        if (i % 7000 < 900) data[i] = data[i - 2800];
    for (int k = 0; k < 8; k++) {
        padic_codec_pack_desc desc = cc_desc_1d(PADIC_F32, data, n);
        desc.level = (uint32_t)(levels[k]);
        desc.block[0] = levels[k] < 3 || k > 5 ? 1024 : 512; // blocks below 1024 give no hints
        if (k == 4) desc.tolerance_mode = PADIC_CODEC_TOLERANCE_RANGE, desc.tolerance = 1e-3;
        if (k == 5) desc.layers = 3;
        cc_packed p = cc_pack(NULL, &desc);
        for (uint32_t workers = 2; workers <= 9; workers = 2 * workers - 1) {
            padic_threads *threads = padic_threads_create(workers, NULL);
            REQUIRE(threads != NULL);
            padic_context_desc c;
            memset(&c, 0, sizeof c);
            c.jobs = padic_threads_jobs(threads);
            padic_context *context = NULL;
            REQUIRE(padic_context_create(&c, &context) == PADIC_OK);
            snprintf(cc_label, sizeof cc_label, "case %d, %u threads", k, (unsigned)workers);
            same_with_context(context, &desc, &p);
            padic_context_destroy(context);
            padic_threads_destroy(threads);
        }
        free(p.bytes);
    }
    free(data);
}

TEST(windows_with_workers) // a batch reaches over several super-blocks, and ends inside of one
{
    const size_t n = 64 * 2000 * 2 + 47000; // super-blocks have 64 blocks of 2000
    uint16_t *data = (uint16_t *)cc_new(n * 2);
    for (size_t i = 0; i < n; i++)
        data[i] = i % 9000 < 500 || i < 9000 ? (uint16_t)test_random() : data[i - 5000];
    padic_codec_pack_desc desc = cc_desc_1d(PADIC_U16, data, n);
    desc.block[0] = 2000;
    for (int level = 4; level <= 5; level++) {
        desc.level = (uint32_t)level;
        cc_packed p = cc_pack(NULL, &desc);
        CC_CHECK(p.size < n); // repeats are found, or the case is none
        for (uint32_t workers = 2; workers <= 40; workers = 3 * workers + 1) {
            odd_jobs jobs;
            padic_context *context = context_with(&jobs, workers, (int)workers % 3);
            snprintf(cc_label, sizeof cc_label, "level %d, %u workers", level, (unsigned)workers);
            same_with_context(context, &desc, &p);
            padic_context_destroy(context);
        }
        free(p.bytes);
    }
    free(data);
}

// ---------------------------------------------------------------------------------------- streams

typedef struct sink {
    uint8_t *bytes;
    size_t size, room;
    uint64_t calls, fail_at;
} sink;

static int sink_write(const void *data, size_t size, void *user)
{
    sink *s = (sink *)user;
    if (++s->calls == s->fail_at) return -7;
    if (s->size + size > s->room) {
        const size_t room = (s->size + size) * 2 + 1000;
        uint8_t *bytes = (uint8_t *)cc_new(room);
        if (s->size) memcpy(bytes, s->bytes, s->size);
        free(s->bytes);
        s->bytes = bytes;
        s->room = room;
    }
    if (size) memcpy(s->bytes + s->size, data, size);
    s->size += size;
    return 0;
}

typedef struct source {
    const uint8_t *bytes;
    size_t size, at;
    uint64_t calls, fail_at;
} source;

static int source_read(void *data, size_t size, size_t *got, void *user)
{
    source *s = (source *)user;
    if (++s->calls == s->fail_at) return 5;
    size_t n = s->size - s->at;
    if (n > size) n = size;
    if (n) memcpy(data, s->bytes + s->at, n);
    s->at += n;
    *got = n;
    return 0;
}

// How a run cuts its bytes: one at a time, odd pieces, at random, all at once.
enum { CHUNK_ALL, CHUNK_ONE, CHUNK_ODD, CHUNK_ELEMENT, CHUNK_RANDOM, CHUNK_LARGE, CHUNKS };
static size_t chunk_size(int chunk, size_t element, cc_random *r)
{
    switch (chunk) {
    case CHUNK_ONE:
        return 1;
    case CHUNK_ODD:
        return 1237;
    case CHUNK_ELEMENT:
        return element * 100;
    case CHUNK_RANDOM:
        return (size_t)cc_below(r, 9000);
    case CHUNK_LARGE:
        return 100003;
    default:
        return SIZE_MAX;
    }
}

// Pushes the dense bytes through a packer; the stream is in *out.
static padic_result stream_pack(padic_context *context, const padic_codec_pack_desc *desc,
                                const uint8_t *data, size_t bytes, int chunk, sink *out,
                                uint64_t *size)
{
    padic_codec_pack_desc told = *desc;
    padic_codec_packer *packer = NULL;
    padic_codec_report report;
    cc_random r = {(uint64_t)chunk};
    if (!told.report) told.report = &report;
    padic_result result = codec_pack_begin(context, &told, sink_write, out, &packer);
    if (result != PADIC_OK) {
        CC_CHECK(packer == NULL);
        return result;
    }
    for (size_t at = 0; at < bytes;) {
        size_t n = chunk_size(chunk, cc_size(desc->tensor.dtype), &r);
        if (n > bytes - at) n = bytes - at;
        uint8_t *piece = (uint8_t *)cc_copy(data + at, n); // gone after the call
        const padic_result pushed = codec_pack_push(packer, piece, n);
        free(piece);
        if (pushed != PADIC_OK && result == PADIC_OK) result = pushed;
        at += n;
        if (result != PADIC_OK && cc_below(&r, 2)) break;
    }
    const padic_result ended = padic_codec_pack_end(packer);
    if (size) *size = told.report->packed_size;
    return result != PADIC_OK ? result : ended;
}

// Pulls everything there is into `data` (room for `bytes` + 64); *total is how many bytes came.
static padic_result stream_unpack(padic_context *context, const padic_codec_unpack_desc *desc,
                                  source *in, uint8_t *data, size_t bytes, int chunk,
                                  padic_codec_report *report, size_t *total)
{
    padic_codec_unpacker *unpacker = NULL;
    padic_codec_unpack_desc none;
    cc_random r = {(uint64_t)chunk + 99};
    memset(&none, 0, sizeof none);
    *total = 0;
    padic_result result =
        codec_unpack_begin(context, desc ? desc : &none, source_read, in, report, &unpacker);
    if (result != PADIC_OK) {
        CC_CHECK(unpacker == NULL);
        return result;
    }
    for (;;) {
        size_t n = chunk_size(chunk, 8, &r), got = 12345;
        if (n == 0) n = 1;
        if (n > bytes + 64 - *total) n = bytes + 64 - *total;
        if (!n) break;
        uint8_t *piece = (uint8_t *)cc_new(n);
        result = codec_unpack_pull(unpacker, piece, n, &got);
        CC_CHECK(got <= n);
        if (got > n) got = n;
        memcpy(data + *total, piece, got);
        free(piece);
        *total += got;
        if (result != PADIC_OK) break;
        if (got < n) {
            uint8_t more[16];
            result = codec_unpack_pull(unpacker, more, 16, &got); // the end stays the end
            CC_CHECK(result == PADIC_OK && got == 0);
            break;
        }
    }
    padic_codec_unpack_end(unpacker);
    return result;
}

// Streams in every chunking: the bytes of codec_pack(), and back.
static void stream_case(padic_dtype dtype, uint32_t rank, const uint64_t *shape,
                        const uint64_t *block, cc_kind kind, int bounded)
{
    const size_t n = cc_count(rank, shape), bytes = n * cc_size(dtype);
    uint8_t *data = (uint8_t *)cc_new(bytes), *again = (uint8_t *)cc_new(bytes + 64),
            *want = (uint8_t *)cc_new(bytes);
    cc_fill(kind, dtype, data, n, rank ? (size_t)shape[rank - 1] : 1, 5);
    padic_codec_pack_desc desc = cc_desc(dtype, data, rank, shape);
    for (uint32_t a = 0; a < rank && block; a++) desc.block[a] = block[a];
    if (bounded)
        desc.tolerance_mode = PADIC_CODEC_TOLERANCE_RANGE, desc.tolerance = 1e-4,
        desc.range = 123.5;
    char label[128];
    snprintf(label, sizeof label, "dtype %d, rank %d, %d elements, %s%s", (int)dtype, (int)rank,
             (int)n, cc_kind_names[kind], bounded ? ", bounded" : "");
    snprintf(cc_label, sizeof cc_label, "%s", label);
    cc_packed p = cc_pack(NULL, &desc);
    CC_CHECK(p.result == PADIC_OK);
    padic_codec_unpack_desc u;
    memset(&u, 0, sizeof u);
    u.tensor = cc_tensor(dtype, want, rank, shape);
    CC_CHECK(codec_unpack(NULL, &u, p.bytes, p.size) == PADIC_OK);
    if (!bounded) CC_CHECK(!memcmp(want, data, bytes));
    desc.tensor.data = NULL; // not read
    cc_packed first = {NULL, 0, PADIC_OK};
    for (int unknown = 0; unknown < 2 && p.result == PADIC_OK; unknown++) {
        if (unknown && (rank == 0 || (n == 0 && rank > 1))) break; // rows of no bytes
        for (int chunk = 0; chunk < CHUNKS; chunk++) {
            if (chunk == CHUNK_ONE && bytes > 50000) continue;
            sink out;
            memset(&out, 0, sizeof out);
            uint64_t size = 0;
            padic_codec_pack_desc d = desc;
            if (unknown) d.tensor.shape[0] = PADIC_CODEC_UNKNOWN;
            snprintf(cc_label, sizeof cc_label, "%s, chunking %d, unknown %d", label, chunk,
                     unknown);
            CC_CHECK(stream_pack(NULL, &d, data, bytes, chunk, &out, &size) == PADIC_OK);
            CC_CHECK(size == out.size);
            if (!unknown) {
                CC_CHECK(out.size == p.size && !memcmp(out.bytes, p.bytes, p.size));
            } else if (!first.bytes) {
                first.bytes = (uint8_t *)cc_copy(out.bytes, out.size);
                first.size = out.size;
            } else {
                CC_CHECK(out.size == first.size && !memcmp(out.bytes, first.bytes, first.size));
            }
            // In memory, whatever the writer knew when it began.
            uint8_t *exact = (uint8_t *)cc_copy(out.bytes, out.size);
            padic_codec_report r;
            CC_CHECK(codec_info(exact, out.size, &r) == PADIC_OK);
            for (uint32_t a = 0; a < rank; a++) CC_CHECK(r.shape[a] == shape[a]);
            memset(again, 0x5D, bytes);
            u.tensor.data = again;
            CC_CHECK(codec_unpack(NULL, &u, exact, out.size) == PADIC_OK);
            CC_CHECK(!memcmp(again, want, bytes));
            CC_CHECK(codec_verify(NULL, NULL, exact, out.size) == PADIC_OK);
            // As a stream.
            source in;
            memset(&in, 0, sizeof in);
            in.bytes = exact;
            in.size = out.size;
            size_t total = 0;
            memset(&r, 0, sizeof r);
            memset(again, 0x5E, bytes);
            const int back = bytes > 50000 && chunk == CHUNK_ALL ? CHUNK_ODD : (chunk + 1) % CHUNKS;
            CC_CHECK(stream_unpack(NULL, NULL, &in, again, bytes,
                                   back == CHUNK_ONE && bytes > 50000 ? CHUNK_ALL : back, &r,
                                   &total) == PADIC_OK);
            CC_CHECK(total == bytes && !memcmp(again, want, bytes));
            CC_CHECK(r.dtype == dtype && r.rank == rank);
            for (uint32_t a = 0; a < rank; a++)
                CC_CHECK(r.shape[a] == shape[a] ||
                         (a == 0 && unknown && r.shape[a] == PADIC_CODEC_UNKNOWN));
            CC_CHECK(in.at == in.size);
            free(exact);
            free(out.bytes);
        }
    }
    free(first.bytes);
    free(p.bytes);
    free(data);
    free(again);
    free(want);
}

TEST(chunking)
{
    const uint64_t none[1] = {0}, one[1] = {1}, small[1] = {5001}, large[1] = {150001};
    const uint64_t plane[2] = {203, 331}, thin[2] = {3001, 3}, wide[2] = {2, 90000},
                   space[3] = {21, 33, 55}, four[4] = {9, 8, 7, 6};
    const uint64_t b1[1] = {1000}, b2[2] = {50, 64}, b3[3] = {8, 9, 10}, b4[4] = {4, 3, 7, 2},
                   empty[3] = {4, 0, 3};
    for (int d = 0; d < CC_DTYPES; d++) {
        const padic_dtype t = cc_dtypes[d];
        const cc_kind kind = (cc_kind)(CC_SMOOTH + (d * 5) % 14);
        if (test_tiny && d % 8 != 1) continue;
        stream_case(t, 0, none, NULL, kind, 0);
        stream_case(t, 1, none, NULL, kind, 0);
        stream_case(t, 1, one, NULL, kind, 0);
        stream_case(t, 1, small, NULL, kind, 0);
        stream_case(t, 1, small, b1, CC_BITS, 0);
        stream_case(t, 2, plane, b2, kind, 0);
        stream_case(t, 2, thin, NULL, CC_RECORDS, 0);
        stream_case(t, 3, empty, NULL, kind, 0);
        stream_case(t, 3, space, b3, kind, 0);
        stream_case(t, 4, four, b4, CC_WALK, 0);
        if (cc_is_float(t)) stream_case(t, 2, plane, b2, CC_SMOOTH, 1);
        if (test_tiny || d % 3) continue;
        stream_case(t, 1, large, NULL, kind, 0);
        stream_case(t, 2, plane, NULL, CC_DECIMAL, 0);
        stream_case(t, 2, wide, NULL, kind, 0);
    }
}

// The same bytes with workers too, and of a damaged stream the same part of the array.
static void workers_case(float *data, uint32_t rank, const uint64_t *shape,
                         const uint64_t *block, int level, int unknown)
{
    const size_t n = 50000;
    float *again = (float *)cc_new(n * 4 + 64), *want = (float *)cc_new(n * 4 + 64);
    padic_codec_pack_desc desc = cc_desc(PADIC_F32, data, rank, shape);
    desc.level = (uint32_t)level;
    for (uint32_t a = 0; a < rank; a++) desc.block[a] = block[a];
    if (unknown) desc.tensor.shape[0] = PADIC_CODEC_UNKNOWN;
    sink one;
    uint64_t size = 0;
    memset(&one, 0, sizeof one);
    CC_CHECK(stream_pack(NULL, &desc, (const uint8_t *)data, n * 4, CHUNK_LARGE, &one, &size) ==
             PADIC_OK);
    uint8_t *bad = (uint8_t *)cc_copy(one.bytes, one.size);
    bad[one.size / 2] ^= 1;
    for (int w = 2; w < 9; w += 3) {
        for (int order = 0; order < 4; order++) {
            odd_jobs jobs;
            padic_context *context = context_with(&jobs, (uint32_t)w, order);
            sink out;
            memset(&out, 0, sizeof out);
            snprintf(cc_label, sizeof cc_label, "%d workers, order %d, rank %u level %d unknown %d",
                     w, order, rank, level, unknown);
            CC_CHECK(stream_pack(context, &desc, (const uint8_t *)data, n * 4, CHUNK_LARGE, &out,
                                 &size) == PADIC_OK);
            CC_CHECK(out.size == one.size && !memcmp(out.bytes, one.bytes, one.size));
            CC_CHECK(jobs.ran > 2);
            jobs.ran = 0;
            for (int damaged = 0; damaged < 2; damaged++) {
                source in, same;
                memset(&in, 0, sizeof in);
                in.bytes = damaged ? bad : one.bytes;
                in.size = one.size;
                same = in;
                size_t total = 0, expect = 0;
                memset(again, 0, n * 4);
                memset(want, 0, n * 4);
                const padic_result result = stream_unpack(
                    NULL, NULL, &same, (uint8_t *)want, n * 4, CHUNK_RANDOM, NULL, &expect);
                CC_CHECK((result == PADIC_OK) == !damaged);
                CC_CHECK(stream_unpack(context, NULL, &in, (uint8_t *)again, n * 4, CHUNK_RANDOM,
                                       NULL, &total) == result);
                CC_CHECK(total == expect && !memcmp(again, data, total));
                CC_CHECK(damaged || total == n * 4);
            }
            CC_CHECK(jobs.ran > 2 || level > 3); // windows are decoded in order
            CC_CHECK(jobs.open == 0);
            padic_context_destroy(context);
            free(out.bytes);
        }
    }
    free(bad);
    free(one.bytes);
    free(again);
    free(want);
}

TEST(chunking_with_workers)
{
    const uint64_t shape[2] = {100, 500}, block[2] = {16, 100};
    const uint64_t line[1] = {50000}, part[1] = {2000};
    float *data = (float *)cc_new(50000 * 4);
    cc_fill(CC_DECIMAL, PADIC_F32, data, 50000, 500, 5);
    for (int level = 2; level < 6; level += 3) {
        for (int unknown = 0; unknown < 2; unknown++) {
            workers_case(data, 2, shape, block, level, unknown);
            workers_case(data, 1, line, part, level, unknown);
        }
    }
    free(data);
}

// Level 1 chooses for groups of blocks: the same bytes whoever packs which of them, at once or as a
// stream whose pieces end inside of a group, and where blocks of a group have little in common.
TEST(groups_with_workers)
{
    static const cc_kind kinds[] = {CC_DECIMAL, CC_SMOOTH, CC_CLASSES, CC_REPEAT, CC_WALK};
    const uint64_t shapes[3][2] = {{50000, 0}, {100, 500}, {100, 500}};
    const uint64_t blocks[3][2] = {{1500, 0}, {16, 100}, {11, 500}};
    float *data = (float *)cc_new(50000 * 4);
    for (size_t i = 0; i < 25; i++) // pieces of 2000: blocks and groups begin inside of them
        cc_fill(kinds[i * i % 5], PADIC_F32, data + 2000 * i, 2000, 500, i);
    memcpy(data + 31000, data + 30000, 1000 * 4); // repeats
    memcpy(data + 32000, data + 30000, 2000 * 4);
    memset(data + 20000, 0, 1700 * 4);
    for (int s = 0; s < 3; s++) {
        padic_codec_pack_desc desc = cc_desc(PADIC_F32, data, s ? 2 : 1, shapes[s]);
        desc.level = 1;
        memcpy(desc.block, blocks[s], sizeof blocks[s]);
        cc_packed p = cc_pack(NULL, &desc);
        CC_CHECK(p.result == PADIC_OK);
        for (uint32_t workers = 1; workers < 12; workers += workers < 4 ? 1 : 4) {
            odd_jobs jobs;
            padic_context *context = context_with(&jobs, workers, (int)workers % 4);
            sink out;
            uint64_t size = 0;
            snprintf(cc_label, sizeof cc_label, "shape %d, %u workers", s, (unsigned)workers);
            same_with_context(context, &desc, &p);
            for (int chunk = CHUNK_ALL; chunk < CHUNKS; chunk++) {
                if (chunk == CHUNK_ONE) continue;
                memset(&out, 0, sizeof out);
                CC_CHECK(stream_pack(context, &desc, (const uint8_t *)data, 50000 * 4, chunk, &out,
                                     &size) == PADIC_OK);
                CC_CHECK(out.size == p.size && !memcmp(out.bytes, p.bytes, p.size));
                free(out.bytes);
            }
            padic_context_destroy(context);
        }
        free(p.bytes);
    }
    free(data);
}

// Too few or too many elements, half an element, wrong arguments.
TEST(wrong_lengths)
{
    uint8_t data[4000];
    cc_fill(CC_WALK, PADIC_I32, data, 1000, 0, 5);
    static const size_t bytes[] = {0, 1, 3, 3999, 3996, 4001, 4004, 8000};
    uint8_t more[8000];
    memset(more, 9, sizeof more);
    memcpy(more, data, 4000);
    for (int unknown = 0; unknown < 2; unknown++) {
        for (size_t b = 0; b < sizeof bytes / sizeof *bytes; b++) {
            const uint64_t shape[2] = {100, 10};
            padic_codec_pack_desc desc = cc_desc(PADIC_I32, NULL, 2, shape);
            if (unknown) desc.tensor.shape[0] = PADIC_CODEC_UNKNOWN;
            for (int chunk = 0; chunk < CHUNKS; chunk++) {
                sink out;
                memset(&out, 0, sizeof out);
                uint64_t size = 0;
                snprintf(cc_label, sizeof cc_label, "%d bytes of 4000, unknown %d, chunking %d",
                         (int)bytes[b], unknown, chunk);
                const padic_result r = stream_pack(NULL, &desc, more, bytes[b], chunk, &out, &size);
                // Of an unknown length any number of whole rows will do.
                if (unknown && bytes[b] % 40 == 0)
                    CC_CHECK(r == PADIC_OK);
                else
                    CC_CHECK(r == PADIC_ERROR_MISMATCH);
                free(out.bytes);
            }
        }
    }
    padic_codec_packer *packer = (padic_codec_packer *)(void *)data;
    sink out;
    memset(&out, 0, sizeof out);
    padic_codec_pack_desc desc = cc_desc_1d(PADIC_I32, NULL, 1000);
    desc.tensor.stride[0] = 2; // streams are dense
    CHECK(codec_pack_begin(NULL, &desc, sink_write, &out, &packer) != PADIC_OK);
    CHECK(packer == NULL && out.size == 0);
    desc = cc_desc_1d(PADIC_F32, NULL, 1000);
    desc.tolerance_mode = PADIC_CODEC_TOLERANCE_RANGE; // the range is not known in a stream
    desc.tolerance = 0.1;
    CHECK(codec_pack_begin(NULL, &desc, sink_write, &out, &packer) != PADIC_OK);
    desc = cc_desc_1d(PADIC_I32, NULL, 1000);
    CHECK(codec_pack_begin(NULL, &desc, NULL, NULL, &packer) != PADIC_OK);
    desc.tensor.rank = 9;
    CHECK(codec_pack_begin(NULL, &desc, sink_write, &out, &packer) != PADIC_OK);
    free(out.bytes);
    // Giving up early frees everything.
    cc_memory memory;
    memset(&memory, 0, sizeof memory);
    const padic_allocator allocator = cc_allocator(&memory);
    desc = cc_desc_1d(PADIC_I32, NULL, 1000);
    desc.allocator = &allocator;
    memset(&out, 0, sizeof out);
    packer = NULL;
    REQUIRE(codec_pack_begin(NULL, &desc, sink_write, &out, &packer) == PADIC_OK);
    CHECK(codec_pack_push(packer, data, 400) == PADIC_OK);
    CHECK(padic_codec_pack_end(packer) == PADIC_ERROR_MISMATCH);
    CHECK(memory.live == 0 && memory.errors == 0);
    free(out.bytes);
}

// A write or read of the caller that fails at its n-th call, for every n.
TEST(callbacks_that_fail)
{
    const size_t n = 20000;
    float *data = (float *)cc_new(n * 4), *again = (float *)cc_new(n * 4 + 64);
    cc_fill(CC_DECIMAL, PADIC_F32, data, n, 0, 5);
    cc_memory memory;
    memset(&memory, 0, sizeof memory);
    const padic_allocator allocator = cc_allocator(&memory);
    padic_codec_pack_desc desc = cc_desc_1d(PADIC_F32, NULL, n);
    desc.block[0] = 3000;
    desc.allocator = &allocator;
    int ended = 0;
    sink good;
    memset(&good, 0, sizeof good);
    for (uint64_t fail = 1; fail < 1000 && !ended; fail++) {
        sink out;
        memset(&out, 0, sizeof out);
        out.fail_at = fail;
        uint64_t size = 0;
        const padic_result r =
            stream_pack(NULL, &desc, (const uint8_t *)data, n * 4, CHUNK_ODD, &out, &size);
        ended = out.calls < fail;
        snprintf(cc_label, sizeof cc_label, "write call %d fails", (int)fail);
        CC_CHECK(r == (ended ? PADIC_OK : PADIC_ERROR_CALLBACK));
        CC_CHECK(memory.live == 0 && memory.errors == 0);
        CC_CHECK(ended || out.calls == fail); // not called again after a failure
        if (ended)
            good = out;
        else
            free(out.bytes);
    }
    CHECK(ended);
    ended = 0;
    padic_codec_unpack_desc u;
    memset(&u, 0, sizeof u);
    u.allocator = &allocator;
    for (uint64_t fail = 1; fail < 1000 && !ended; fail++) {
        source in;
        memset(&in, 0, sizeof in);
        in.bytes = good.bytes;
        in.size = good.size;
        in.fail_at = fail;
        size_t total = 0;
        const padic_result r =
            stream_unpack(NULL, &u, &in, (uint8_t *)again, n * 4, CHUNK_ODD, NULL, &total);
        ended = in.calls < fail;
        snprintf(cc_label, sizeof cc_label, "read call %d fails", (int)fail);
        CC_CHECK(r == (ended ? PADIC_OK : PADIC_ERROR_CALLBACK));
        CC_CHECK(memory.live == 0 && memory.errors == 0);
        CC_CHECK(!memcmp(again, data, total)); // what came before was right
        if (ended) CC_CHECK(total == n * 4);
    }
    CHECK(ended);
    free(good.bytes);
    free(data);
    free(again);
}

// Cut anywhere, a stream is readable up to the last whole block.
TEST(cut_streams)
{
    static const struct {
        uint32_t rank;
        uint64_t shape[2], block[2];
    } cases[] = {{1, {6000, 0}, {500, 0}}, {2, {60, 40}, {6, 40}}, {2, {40, 50}, {10, 20}}};
    for (int c = 0; c < 3; c++) {
        for (int unknown = 0; unknown < 2; unknown++) {
            const size_t n = cc_count(cases[c].rank, cases[c].shape), bytes = n * 4;
            uint8_t *data = (uint8_t *)cc_new(bytes), *again = (uint8_t *)cc_new(bytes + 64);
            cc_fill(CC_WALK, PADIC_I32, data, n, (size_t)cases[c].shape[cases[c].rank - 1], 5);
            padic_codec_pack_desc desc = cc_desc(PADIC_I32, NULL, cases[c].rank, cases[c].shape);
            uint64_t blocks = 1, row = 4, rows = 1;
            for (uint32_t a = 0; a < cases[c].rank; a++) {
                desc.block[a] = cases[c].block[a];
                const uint64_t m = (cases[c].shape[a] + cases[c].block[a] - 1) / cases[c].block[a];
                blocks *= m;
                if (a == 0)
                    rows = m, row *= cases[c].block[a];
                else
                    row *= cases[c].shape[a];
            }
            if (unknown) desc.tensor.shape[0] = PADIC_CODEC_UNKNOWN;
            sink out;
            memset(&out, 0, sizeof out);
            uint64_t size = 0;
            snprintf(cc_label, sizeof cc_label, "cut stream %d, unknown %d", c, unknown);
            CC_CHECK(stream_pack(NULL, &desc, data, bytes, CHUNK_ALL, &out, &size) == PADIC_OK);
            size_t before = 0, steps = 0;
            for (size_t cut = 0; cut <= out.size; cut += test_tiny && cut + 9 < out.size ? 9 : 1) {
                uint8_t *part = (uint8_t *)cc_copy(out.bytes, cut);
                source in;
                memset(&in, 0, sizeof in);
                in.bytes = part;
                in.size = cut;
                size_t total = 0;
                const padic_result r = stream_unpack(NULL, NULL, &in, again, bytes,
                                                     cut % 2 ? CHUNK_ODD : CHUNK_ALL, NULL, &total);
                snprintf(cc_label, sizeof cc_label, "stream %d, unknown %d, cut at %d of %d", c,
                         unknown, (int)cut, (int)out.size);
                CC_CHECK(cut == out.size ? r == PADIC_OK
                                         : r == PADIC_ERROR_CORRUPT || r == PADIC_ERROR_CHECKSUM);
                CC_CHECK(total <= bytes && !memcmp(again, data, total));
                CC_CHECK(total >= before); // a longer piece never gives less
                CC_CHECK(total == bytes || total % row == 0);
                steps += total > before;
                before = total;
                // Everything is there when only the index and the end are missing.
                if (cut + blocks * 16 + 96 >= out.size) CC_CHECK(total >= bytes - row);
                free(part);
            }
            CC_CHECK(steps == rows); // one by one
            free(out.bytes);
            free(data);
            free(again);
        }
    }
}

// Streams take the memory of a row of blocks, however long they are.
TEST(memory_of_streams)
{
    uint64_t peak[2][2];
    for (int longer = 0; longer < 2; longer++) {
        const size_t n = longer ? 1 << 20 : 1 << 18;
        float *data = (float *)cc_new(n * 4), *again = (float *)cc_new(n * 4 + 64);
        cc_fill(CC_DECIMAL, PADIC_F32, data, n, 0, 5);
        cc_memory memory;
        memset(&memory, 0, sizeof memory);
        const padic_allocator allocator = cc_allocator(&memory);
        padic_codec_pack_desc desc = cc_desc_1d(PADIC_F32, NULL, n);
        desc.block[0] = 8192;
        desc.allocator = &allocator;
        sink out;
        memset(&out, 0, sizeof out);
        uint64_t size = 0;
        snprintf(cc_label, sizeof cc_label, "%d floats", (int)n);
        CC_CHECK(stream_pack(NULL, &desc, (const uint8_t *)data, n * 4, CHUNK_LARGE, &out, &size) ==
                 PADIC_OK);
        peak[longer][0] = memory.peak;
        memory.peak = 0;
        CC_CHECK(memory.live == 0 && memory.errors == 0);
        padic_codec_unpack_desc u;
        memset(&u, 0, sizeof u);
        u.allocator = &allocator;
        source in;
        memset(&in, 0, sizeof in);
        in.bytes = out.bytes;
        in.size = out.size;
        size_t total = 0;
        CC_CHECK(stream_unpack(NULL, &u, &in, (uint8_t *)again, n * 4, CHUNK_LARGE, NULL, &total) ==
                 PADIC_OK);
        peak[longer][1] = memory.peak;
        CC_CHECK(total == n * 4 && !memcmp(data, again, n * 4));
        // Less than that is refused, or kept to.
        for (uint64_t limit = 1; limit <= peak[longer][1] * 2 && longer == 0;
             limit = limit * 3 + 1) {
            in.at = 0;
            u.memory_limit = limit;
            memory.peak = 0;
            const padic_result r =
                stream_unpack(NULL, &u, &in, (uint8_t *)again, n * 4, CHUNK_LARGE, NULL, &total);
            CC_CHECK(r == PADIC_OK ? total == n * 4 && !memcmp(data, again, n * 4)
                                   : r == PADIC_ERROR_LIMIT);
            CC_CHECK(memory.peak <= limit && memory.live == 0);
        }
        free(out.bytes);
        free(data);
        free(again);
    }
    // Four times the length may take the index (32 bytes a block at most), and nothing else.
    const uint64_t more = (((uint64_t)1 << 20) - ((uint64_t)1 << 18)) / 8192 * 32;
    snprintf(cc_label, sizeof cc_label, "peaks: pack %lu, %lu; unpack %lu, %lu",
             (unsigned long)peak[0][0], (unsigned long)peak[1][0], (unsigned long)peak[0][1],
             (unsigned long)peak[1][1]);
    CC_CHECK(peak[1][0] <= peak[0][0] + more);
    // a window is 64 blocks here, of which the shorter array has 32
    CC_CHECK(peak[1][1] <= peak[0][1] + more + 32 * (8192 + 64) * 4);
}

// 2^32 + 1 elements of one byte, all the same: counts beyond 32 bits, in little memory.
TEST(more_than_32_bits)
{
    const uint64_t n = test_full() && !test_tiny ? ((uint64_t)1 << 32) + 1
                                               : ((uint64_t)1 << (test_tiny ? 20 : 24)) + 1;
    const size_t piece = (size_t)1 << 20;
    uint8_t *data = (uint8_t *)cc_new(piece);
    memset(data, 0xA7, piece);
    for (int unknown = 0; unknown < 2; unknown++) {
        cc_memory memory;
        memset(&memory, 0, sizeof memory);
        const padic_allocator allocator = cc_allocator(&memory);
        padic_codec_pack_desc desc = cc_desc_1d(PADIC_U8, NULL, unknown ? PADIC_CODEC_UNKNOWN : n);
        desc.allocator = &allocator;
        sink out;
        memset(&out, 0, sizeof out);
        padic_codec_packer *packer = NULL;
        padic_codec_report told;
        desc.report = &told;
        REQUIRE(codec_pack_begin(NULL, &desc, sink_write, &out, &packer) == PADIC_OK);
        for (uint64_t at = 0; at < n; at += piece) {
            const size_t m = n - at < piece ? (size_t)(n - at) : piece;
            CHECK(codec_pack_push(packer, data, m) == PADIC_OK);
        }
        CHECK(padic_codec_pack_end(packer) == PADIC_OK);
        CHECK(told.packed_size == out.size && memory.live == 0);
        CHECK(out.size < n / 100 + 2000);
        CHECK(memory.peak < 64u * 1024 * 1024);
        padic_codec_report report;
        REQUIRE(codec_info(out.bytes, out.size, &report) == PADIC_OK);
        CHECK(report.shape[0] == n && report.raw_size == n);
        // The last two elements alone.
        uint8_t tail[2] = {0, 0};
        padic_codec_unpack_desc u;
        memset(&u, 0, sizeof u);
        u.tensor = padic_tensor_1d(PADIC_U8, tail, 2);
        u.begin[0] = n - 2;
        u.count[0] = 2;
        CHECK(codec_unpack(NULL, &u, out.bytes, out.size) == PADIC_OK);
        CHECK(tail[0] == 0xA7 && tail[1] == 0xA7);
        source in;
        memset(&in, 0, sizeof in);
        in.bytes = out.bytes;
        in.size = out.size;
        padic_codec_unpacker *unpacker = NULL;
        memset(&u, 0, sizeof u);
        REQUIRE(codec_unpack_begin(NULL, &u, source_read, &in, NULL, &unpacker) == PADIC_OK);
        uint8_t *again = (uint8_t *)cc_new(piece);
        uint64_t total = 0;
        for (;;) {
            size_t got = 0;
            memset(again, 0, piece);
            const padic_result r = codec_unpack_pull(unpacker, again, piece, &got);
            CHECK(r == PADIC_OK);
            CHECK(memcmp(again, data, got) == 0);
            total += got;
            if (got < piece || r != PADIC_OK) break;
        }
        CHECK(total == n);
        padic_codec_unpack_end(unpacker);
        free(again);
        free(out.bytes);
    }
    free(data);
}

// ----------------------------------------------------------------------------------------- memory

static void *aligned(void *p)
{
    return (void *)(((uintptr_t)p + 63) & ~(uintptr_t)63);
}

// With the caller's scratch nothing is allocated; one byte less is refused; the guard behind it
// stays as it was.
TEST(scratch)
{
    cc_memory memory;
    memset(&memory, 0, sizeof memory);
    memory.fail_all = 1;
    const padic_allocator never = cc_allocator(&memory);
    const uint64_t shape[2] = {70, 90};
    for (int d = 0; d < CC_DTYPES; d++) {
        for (int kind = 0; kind < CC_KINDS; kind += test_tiny ? 6 : 1) {
            const size_t n = 6300, bytes = n * cc_size(cc_dtypes[d]);
            uint8_t *data = (uint8_t *)cc_new(bytes), *again = (uint8_t *)cc_new(bytes);
            cc_fill((cc_kind)kind, cc_dtypes[d], data, n, 90, 2);
            padic_codec_pack_desc desc = cc_desc(cc_dtypes[d], data, 2, shape);
            if (kind % 3 == 1) desc.block[0] = 33, desc.block[1] = 32;
            if (kind % 3 == 2 && cc_is_float(cc_dtypes[d]))
                desc.tolerance_mode = PADIC_CODEC_TOLERANCE_RANGE, desc.tolerance = 1e-3;
            desc.level = (uint32_t)(1 + kind % 9);
            cc_packed want = cc_pack(NULL, &desc);
            snprintf(cc_label, sizeof cc_label, "scratch, dtype %d, %s", (int)cc_dtypes[d],
                     cc_kind_names[kind]);
            const size_t room = (size_t)padic_codec_pack_workspace(&desc);
            CC_CHECK(room > 0 && want.result == PADIC_OK);
            uint8_t *block = (uint8_t *)cc_new(room + 128), *scratch = (uint8_t *)aligned(block);
            memset(scratch, 0xB4, room + 64);
            desc.allocator = &never;
            desc.workspace = codec_workspace(scratch, room);
            uint8_t *packed = (uint8_t *)cc_new(want.size);
            size_t size = 0;
            CC_CHECK(codec_pack(NULL, &desc, packed, want.size, &size) == PADIC_OK);
            CC_CHECK(size == want.size && !memcmp(packed, want.bytes, size));
            for (int i = 0; i < 64; i++) CC_CHECK(scratch[room + (size_t)i] == 0xB4);
            desc.workspace.shape[0] = room - 1;
            CC_CHECK(codec_pack(NULL, &desc, packed, want.size, &size) != PADIC_OK);
            free(block);

            padic_codec_report r;
            CC_CHECK(codec_info(want.bytes, want.size, &r) == PADIC_OK);
            block = (uint8_t *)cc_new((size_t)r.workspace + 128);
            scratch = (uint8_t *)aligned(block);
            memset(scratch, 0xB5, (size_t)r.workspace + 64);
            padic_codec_unpack_desc u;
            memset(&u, 0, sizeof u);
            u.tensor = cc_tensor(cc_dtypes[d], again, 2, shape);
            u.allocator = &never;
            u.workspace = codec_workspace(scratch, r.workspace);
            CC_CHECK(codec_unpack(NULL, &u, want.bytes, want.size) == PADIC_OK);
            if (desc.tolerance_mode == PADIC_CODEC_TOLERANCE_NONE)
                CC_CHECK(!memcmp(again, data, bytes));
            for (int i = 0; i < 64; i++) CC_CHECK(scratch[(size_t)r.workspace + (size_t)i] == 0xB5);
            if (r.workspace) {
                u.workspace.shape[0] = r.workspace - 1;
                CC_CHECK(codec_unpack(NULL, &u, want.bytes, want.size) != PADIC_OK);
            }
            free(block);
            free(packed);
            free(want.bytes);
            free(data);
            free(again);
        }
    }
}

// The n-th allocation fails, for every n: MEMORY, nothing left behind, and the call works again.
TEST(failing_allocations)
{
    const size_t n = 20000;
    float *data = (float *)cc_new(n * 4), *again = (float *)cc_new(n * 4 + 64);
    for (int workers = 0; workers < 4; workers += 3) {
        for (int what = 0; what < 6; what++) { // pack, unpack, verify, box, stream in, stream out
            cc_fill(CC_DECIMAL, PADIC_F32, data, n, 0, 5);
            padic_codec_pack_desc desc = cc_desc_1d(PADIC_F32, data, n);
            desc.block[0] = 3000;
            cc_packed p = cc_pack(NULL, &desc);
            int ended = 0;
            for (uint64_t fail = 1; fail < 400 && !ended; fail++) {
                cc_memory memory;
                memset(&memory, 0, sizeof memory);
                const padic_allocator allocator = cc_allocator(&memory);
                odd_jobs jobs;
                memset(&jobs, 0, sizeof jobs);
                jobs.order = (int)(fail % 4);
                padic_context *context = NULL;
                padic_context_desc c;
                memset(&c, 0, sizeof c);
                if (workers)
                    c.jobs.workers = (uint32_t)workers, c.jobs.enqueue = odd_enqueue,
                    c.jobs.finish = odd_finish, c.jobs.user = &jobs;
                c.allocator = allocator;
                CHECK(padic_context_create(&c, &context) == PADIC_OK);
                const uint64_t begun = memory.live, calls = memory.calls;
                memory.fail_at = calls + fail;
                padic_result r = PADIC_OK;
                padic_codec_unpack_desc u;
                memset(&u, 0, sizeof u);
                u.tensor = padic_tensor_1d(PADIC_F32, again, n);
                if (what == 3) u.tensor.shape[0] = 5000, u.begin[0] = 2500, u.count[0] = 5000;
                uint8_t *packed = (uint8_t *)cc_new(p.size);
                size_t size = 0, total = 0;
                uint64_t written = 0;
                sink out;
                memset(&out, 0, sizeof out);
                source in;
                memset(&in, 0, sizeof in);
                in.bytes = p.bytes;
                in.size = p.size;
                if (what == 0) r = codec_pack(context, &desc, packed, p.size, &size);
                if (what == 1 || what == 3) r = codec_unpack(context, &u, p.bytes, p.size);
                if (what == 2) r = codec_verify(context, NULL, p.bytes, p.size);
                if (what == 4)
                    r = stream_pack(context, &desc, (const uint8_t *)data, n * 4, CHUNK_LARGE, &out,
                                    &written);
                if (what == 5)
                    r = stream_unpack(context, NULL, &in, (uint8_t *)again, n * 4, CHUNK_LARGE,
                                      NULL, &total);
                ended = memory.calls < memory.fail_at;
                snprintf(cc_label, sizeof cc_label, "call kind %d, %d workers, allocation %d fails",
                         what, workers, (int)fail);
                if (ended)
                    CC_CHECK(r == PADIC_OK);
                else
                    CC_CHECK(r == PADIC_ERROR_MEMORY ||
                             r == PADIC_OK); // fewer workers are no failure
                if (!workers && !ended) CC_CHECK(r == PADIC_ERROR_MEMORY);
                CC_CHECK(memory.live == begun && memory.errors == 0);
                CC_CHECK(jobs.open == 0);
                if (r == PADIC_OK && what == 0)
                    CC_CHECK(size == p.size && !memcmp(packed, p.bytes, size));
                if (r == PADIC_OK && what == 1) CC_CHECK(!memcmp(again, data, n * 4));
                if (r == PADIC_OK && what == 3) CC_CHECK(!memcmp(again, data + 2500, 5000 * 4));
                if (r == PADIC_OK && what == 4)
                    CC_CHECK(out.size == p.size && !memcmp(out.bytes, p.bytes, p.size));
                if (r == PADIC_OK && what == 5)
                    CC_CHECK(total == n * 4 && !memcmp(again, data, n * 4));
                padic_context_destroy(context);
                CC_CHECK(memory.live == 0 && memory.errors == 0);
                free(packed);
                free(out.bytes);
            }
            snprintf(cc_label, sizeof cc_label, "call kind %d, %d workers", what, workers);
            CC_CHECK(ended);
            free(p.bytes);
        }
    }
    free(data);
    free(again);
}

// The desc's allocator is the one that is used, and it sees every block freed.
TEST(allocator_of_the_desc)
{
    const size_t n = 100000;
    float *data = (float *)cc_new(n * 4), *again = (float *)cc_new(n * 4);
    cc_fill(CC_SMOOTH, PADIC_F32, data, n, 100, 5);
    cc_memory memory;
    memset(&memory, 0, sizeof memory);
    const padic_allocator allocator = cc_allocator(&memory);
    padic_codec_pack_desc desc = cc_desc_1d(PADIC_F32, data, n);
    desc.allocator = &allocator;
    const size_t room = padic_codec_size_bound(&desc);
    uint8_t *packed = (uint8_t *)cc_new(room);
    size_t size = 0;
    CHECK(codec_pack(NULL, &desc, packed, room, &size) == PADIC_OK);
    CHECK(memory.calls > 0 && memory.live == 0 && memory.errors == 0);
    CHECK(memory.peak <= padic_codec_pack_workspace(&desc));
    memory.peak = memory.calls = 0;
    padic_codec_report r;
    CHECK(codec_info(packed, size, &r) == PADIC_OK);
    padic_codec_unpack_desc u;
    memset(&u, 0, sizeof u);
    u.tensor = padic_tensor_1d(PADIC_F32, again, n);
    u.allocator = &allocator;
    CHECK(codec_unpack(NULL, &u, packed, size) == PADIC_OK);
    CHECK(memory.live == 0 && memory.errors == 0 && memory.peak <= r.workspace);
    CHECK(!memcmp(data, again, n * 4));
    free(packed);
    free(data);
    free(again);
}

// Repeats of earlier blocks: every block alone, by few and many workers, as a stream; damage stays
// in its super-block of 64 blocks.
static void window_case(padic_dtype dtype, cc_kind kind, uint32_t rank, const uint64_t *shape,
                        const uint64_t *block)
{
    const size_t n = cc_count(rank, shape), size = cc_size(dtype), bytes = n * size;
    uint8_t *data = (uint8_t *)cc_new(bytes), *out = (uint8_t *)cc_new(bytes);
    cc_fill(kind, dtype, data, n, (size_t)shape[rank - 1], 9);
    padic_codec_pack_desc desc = cc_desc(dtype, data, rank, shape);
    for (uint32_t a = 0; a < rank; a++) desc.block[a] = block[a];
    desc.stages.patterns = PADIC_CODEC_PATTERN_MATCH;
    cc_packed p = cc_pack(NULL, &desc);
    padic_codec_report r;
    snprintf(cc_label, sizeof cc_label, "window: dtype %d, %s, rank %d", (int)dtype,
             cc_kind_names[kind], (int)rank);
    REQUIRE(p.result == PADIC_OK && codec_info(p.bytes, p.size, &r) == PADIC_OK);
    CC_CHECK(r.patterns[4] == r.blocks && (p.bytes[13] & 4) != 0);
    for (uint32_t w = 2; w < 6; w += 3) {
        odd_jobs jobs;
        padic_context *context = context_with(&jobs, w, (int)w % 4);
        same_with_context(context, &desc, &p);
        padic_context_destroy(context);
    }
    sink stream;
    uint64_t packed = 0;
    memset(&stream, 0, sizeof stream);
    CC_CHECK(stream_pack(NULL, &desc, data, bytes, CHUNK_RANDOM, &stream, &packed) == PADIC_OK);
    CC_CHECK(stream.size == p.size && !memcmp(stream.bytes, p.bytes, p.size));
    source in;
    size_t total = 0;
    memset(&in, 0, sizeof in);
    in.bytes = p.bytes;
    in.size = p.size;
    uint8_t *again = (uint8_t *)cc_new(bytes + 64);
    CC_CHECK(stream_unpack(NULL, NULL, &in, again, bytes, CHUNK_ODD, NULL, &total) == PADIC_OK);
    CC_CHECK(total == bytes && !memcmp(again, data, bytes));
    // one row of blocks after the other, the last one first; then the same with a damaged one
    uint8_t *broken = (uint8_t *)cc_copy(p.bytes, p.size);
    broken[p.bytes[10] + 16 + 9] ^= 0x20; // in the payload of block 0
    const uint64_t rows = (shape[0] + block[0] - 1) / block[0], across = r.blocks / rows;
    for (uint64_t row = rows; row-- > 0;) {
        const uint64_t first = row * block[0];
        const uint64_t count = shape[0] - first < block[0] ? shape[0] - first : block[0];
        padic_codec_unpack_desc u;
        uint64_t part[2] = {count, shape[1]};
        memset(&u, 0, sizeof u);
        u.tensor = cc_tensor(dtype, out, rank, part);
        u.begin[0] = first;
        for (uint32_t a = 0; a < rank; a++) u.count[a] = part[a];
        memset(out, 7, bytes);
        CC_CHECK(codec_unpack(NULL, &u, p.bytes, p.size) == PADIC_OK);
        CC_CHECK(!memcmp(out, data + first * (n / shape[0]) * size,
                         (size_t)(count * (n / shape[0])) * size));
        const padic_result result = codec_unpack(NULL, &u, broken, p.size);
        if (row == 0) CC_CHECK(result == PADIC_ERROR_CHECKSUM);
        if (row * across >= 64) CC_CHECK(result == PADIC_OK);
        CC_CHECK(result == PADIC_OK || result == PADIC_ERROR_CHECKSUM);
    }
    free(broken);
    free(again);
    free(stream.bytes);
    free(p.bytes);
    free(data);
    free(out);
}

TEST(windows)
{
    const uint64_t line[2] = {9000, 1}, hundred[2] = {100, 1};
    const uint64_t plane[2] = {300, 41}, tile[2] = {8, 16};
    window_case(PADIC_U8, CC_REPEAT, 1, line, hundred);
    window_case(PADIC_F64, CC_MIRROR, 1, line, hundred);
    window_case(PADIC_F32, CC_REPEAT, 2, plane, tile);
    window_case(PADIC_C64, CC_REPEAT, 2, plane, tile);
    window_case(PADIC_BF16, CC_MIRROR, 1, line, hundred);
}

// Within a bound a window holds what comes back: the same for any number of workers and as a
// stream, every value within the bound, each block alone, too.
TEST(windows_within_a_bound)
{
    const size_t each = 2000, n = each * 90 + 700;
    float *data = (float *)cc_new(n * 4), *out = (float *)cc_new(n * 4);
    for (size_t i = 0; i < n; i++) { // frames of noise under a mask that stays, copied now and then
        const uint64_t noise = test_random();
        data[i] = i % each / 50 % 3 == 0 ? 1e6f : (float)(noise % 4096) / 4;
        if (i >= 3 * each && i % each / 200 % 2) data[i] = data[i - 3 * each];
        if (i >= each && i / each % 5 == 0) data[i] = data[i - each] + 0.25f;
    }
    padic_codec_pack_desc desc = cc_desc_1d(PADIC_F32, data, n);
    desc.block[0] = each;
    desc.tolerance = 1;
    for (int level = 4; level <= 8; level += 2) {
        desc.level = (uint32_t)level;
        desc.tolerance_mode = PADIC_CODEC_TOLERANCE_POINTWISE; // no value serves for another there
        desc.tolerance = 0.001;
        cc_packed other = cc_pack(NULL, &desc);
        CC_CHECK(other.result == PADIC_OK);
        free(other.bytes);
        desc.tolerance_mode = PADIC_CODEC_TOLERANCE_ABSOLUTE;
        desc.tolerance = 1;
        cc_packed p = cc_pack(NULL, &desc);
        padic_codec_report r;
        snprintf(cc_label, sizeof cc_label, "window within a bound, level %d", level);
        REQUIRE(p.result == PADIC_OK && codec_info(p.bytes, p.size, &r) == PADIC_OK);
        CC_CHECK(r.patterns[4] > r.blocks / 2); // repeats are found, or the case is none
        for (uint32_t workers = 2; workers <= 7; workers += 5) {
            odd_jobs jobs;
            padic_context *context = context_with(&jobs, workers, (int)workers % 3);
            cc_packed q = cc_pack(context, &desc);
            CC_CHECK(q.result == PADIC_OK && q.size == p.size && !memcmp(q.bytes, p.bytes, p.size));
            free(q.bytes);
            padic_context_destroy(context);
        }
        sink stream;
        uint64_t packed = 0;
        memset(&stream, 0, sizeof stream);
        CC_CHECK(stream_pack(NULL, &desc, (const uint8_t *)data, n * 4, CHUNK_RANDOM, &stream,
                             &packed) == PADIC_OK);
        CC_CHECK(stream.size == p.size && !memcmp(stream.bytes, p.bytes, p.size));
        free(stream.bytes);
        for (size_t from = 0; from < n; from += each) {
            padic_codec_unpack_desc u = PADIC_ZERO;
            const size_t count = n - from < each ? n - from : each;
            u.tensor = padic_tensor_1d(PADIC_F32, out + from, count);
            u.begin[0] = from;
            u.count[0] = count;
            CC_CHECK(codec_unpack(NULL, &u, p.bytes, p.size) == PADIC_OK);
        }
        for (size_t i = 0; i < n; i++)
            CC_CHECK(out[i] - data[i] <= 1 && data[i] - out[i] <= 1); // exact: quarters
        free(p.bytes);
    }
    free(out);
    free(data);
}

// 4 MiB of elements of 4 bytes are work for 16 threads, lossless and within a bound, to pack and to
// unpack: so many blocks, and none that waits for another; of 8 bytes for 8.
TEST(tasks_of_4_mib)
{
    static const uint32_t workers[] = {2, 3, 8};
    for (int turn = 0; turn < (test_tiny ? 6 : 36); turn++) {
        const int wide = turn % 4 == 1 || turn % 4 == 2, bounded = turn % 4 >= 2;
        const uint32_t level = test_tiny ? (turn < 4 ? 5u : 1u) : (uint32_t)(turn / 4 + 1);
        const uint64_t shapes[2][3] = {{64, 128, 128}, {32, 128, 128}};
        const size_t n = cc_count(3, shapes[wide]);
        uint8_t *data = (uint8_t *)cc_new(n * (wide ? 8 : 4));
        cc_random random = {level};
        for (size_t i = 0; i < n; i++) { // slopes and noise: nothing repeats
            const double x = (double)(i % 128) * 0.5 + (double)(i / 128 % 128) * 0.25 +
                             (double)cc_below(&random, 1000000) * 1e-6;
            const float y = (float)x;
            memcpy(data + i * (wide ? 8 : 4), wide ? (const void *)&x : (const void *)&y,
                   wide ? 8 : 4);
        }
        padic_codec_pack_desc desc = cc_desc(wide ? PADIC_F64 : PADIC_F32, data, 3, shapes[wide]);
        desc.level = level;
        if (bounded) desc.tolerance_mode = PADIC_CODEC_TOLERANCE_RANGE, desc.tolerance = 1e-3;
        cc_packed p = cc_pack(NULL, &desc);
        snprintf(cc_label, sizeof cc_label, "level %u, %s, %s", (unsigned)level,
                 wide ? "f64" : "f32", bounded ? "bounded" : "lossless");
        padic_codec_report r;
        CC_CHECK(p.result == PADIC_OK && codec_info(p.bytes, p.size, &r) == PADIC_OK);
        CC_CHECK(level > 8 || r.blocks >= (wide ? 8u : 16u));
        CC_CHECK(!bounded || level > 6 || !(p.bytes[13] & 4)); // feature 1024: a window
        for (int w = 0; w < 3; w++) {
            odd_jobs jobs;
            padic_context *context = context_with(&jobs, workers[w], w);
            cc_packed many = cc_pack(context, &desc);
            CC_CHECK(many.result == PADIC_OK && many.size == p.size &&
                     !memcmp(many.bytes, p.bytes, p.size));
            CC_CHECK(jobs.ran > 0 && jobs.open == 0);
            free(many.bytes);
            padic_context_destroy(context);
        }
        free(p.bytes);
        free(data);
    }
}

TEST_MAIN("codec_stream", CASE(tasks_of_4_mib), CASE(workers), CASE(threads),
          CASE(threads_share_blocks),
          CASE(windows_with_workers),
          CASE(windows_within_a_bound),
          CASE(chunking), CASE(groups_with_workers), CASE(chunking_with_workers),
          CASE(wrong_lengths),
          CASE(callbacks_that_fail), CASE(cut_streams), CASE(memory_of_streams),
          CASE(more_than_32_bits), CASE(scratch), CASE(failing_allocations),
          CASE(allocator_of_the_desc), CASE(windows))
