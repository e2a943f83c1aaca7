// test_gpu_pq.c: product quantisation in buffers of a device, beside the plain reference, which
// tests/pq has compared with sorts and loops in fp64: codes, caches, scores and lists to the same
// bytes, by every method, with pages, rows of unequal lengths and any bytes as a cache; recordings
// whose lengths change in the device's memory; launches; errors.
//
//     ./test_gpu_pq                  devices: see gpu_devices.h
#define PADIC_IMPLEMENT_GPU
#include "../support/inside.h"
#include "../../padic.h"
#include "gpu_devices.h"
#include "../pq/pq_support.h"

// Tensors of a call in a device's memory, beside those of the host that they were made from.
typedef struct pair {
    padic_tensor *there;
    padic_tensor here;
} pair;

typedef struct pairs {
    padic_context *context;
    pair of[24];
    uint32_t count;
} pairs;

// Puts *there, which is in host memory, into a buffer, from the element 4 on.
static void put(pairs *p, padic_tensor *there)
{
    const uint64_t size = padic_dtype_size(there->dtype);
    pair *x = &p->of[p->count];
    padic_buffer_desc desc = PADIC_ZERO;
    padic_buffer buffer;
    int64_t last = 0;
    if (!there->data) return;
    for (uint32_t i = 0; i < there->rank; i++)
        if (padic_tensor_count(there))
            last += (int64_t)(there->shape[i] - 1) *
                    (there->stride[there->rank - 1] ? there->stride[i] : 0);
    x->there = there;
    x->here = *there;
    p->count++;
    desc.size = (4 + (last > 0 ? (uint64_t)last + 1 : padic_tensor_count(there)) + 16) * size;
    CHECK_EQ(padic_buffer_create(p->context, &desc, &buffer), PADIC_OK);
    CHECK_EQ(padic_buffer_fill(p->context, buffer, 0, 0xa5a5a5a5u, desc.size & ~UINT64_C(3)),
             PADIC_OK);
    if (desc.size > 20 * size)
        CHECK_EQ(padic_buffer_upload(p->context, buffer, 4 * size, there->data,
                                     desc.size - 20 * size),
                 PADIC_OK);
    there->data = NULL;
    *there = padic_tensor_in(*there, buffer, 4);
}

// Whether the device has what the host has.
static int same(const pairs *p)
{
    int fine = 1;
    for (uint32_t i = 0; i < p->count; i++) {
        const padic_tensor *t = &p->of[i].here;
        const uint64_t size = padic_dtype_size(t->dtype), bytes = padic_tensor_count(t) * size;
        uint8_t *got;
        if (t->stride[t->rank - 1]) continue; // an input
        got = (uint8_t *)pq_fresh(bytes + 20 * size);
        CHECK_EQ(padic_buffer_download(p->context, p->of[i].there->buffer, 0, got,
                                       bytes + 20 * size),
                 PADIC_OK);
        fine &= !memcmp(got + 4 * size, t->data, bytes);
        for (uint64_t k = 0; k < 20 * size - 3; k++)
            fine &= got[k < 4 * size ? k : bytes + k] == 0xa5;
        free(got);
    }
    return fine;
}

static void drop(pairs *p)
{
    for (uint32_t i = 0; i < p->count; i++) {
        CHECK_EQ(padic_buffer_destroy(p->context, p->of[i].there->buffer), PADIC_OK);
        *p->of[i].there = p->of[i].here;
    }
    p->count = 0;
}

static void put_book(pairs *p, padic_pq_codebook *book)
{
    put(p, &book->centroids);
    put(p, &book->scaled);
    put(p, &book->info);
}

static void put_cache(pairs *p, padic_pq_cache *cache)
{
    put(p, &cache->codes);
    put(p, &cache->lengths);
    put(p, &cache->pages);
    put(p, &cache->counts);
}

static const pq_sizes sizes[] = {
    {1, 1, 2, 1, 1500, 2, 4, 4, 0}, {2, 2, 4, 1, 300, 2, 3, 3, 0},  {1, 2, 2, 2, 9000, 2, 2, 6, 0},
    {1, 1, 1, 1, 600, 4, 2, 8, 0},  {1, 1, 2, 1, 500, 3, 3, 9, 1},  {2, 1, 2, 1, 400, 8, 2, 4, 0},
    {1, 1, 1, 2, 400, 1, 5, 7, 1},  {1, 1, 1, 1, 333, 2, 3, 1, 0},  {1, 2, 4, 1, 200, 2, 7, 12, 0},
    {3, 1, 1, 1, 70, 256, 1, 2, 0},
};
enum { SIZES = sizeof sizes / sizeof *sizes };

// Centroids of a few keys and of noise, used all.
static void books(pq_world *w)
{
    padic_pq_prepare_desc desc = PADIC_ZERO;
    float phi[512];
    for (uint64_t i = 0; i < w->is.b * w->is.g * w->is.m * w->K * w->D; i++)
        w->centroids[i] = pq_uniform();
    for (uint64_t i = 0; i < w->is.b * w->is.g * w->is.m && i < 512; i++) phi[i] = 1.25f;
    desc.codebook = w->book;
    if (w->is.ip)
        desc.phi = pq_tensor(PADIC_F32, phi, 3, w->is.b, w->is.g, w->is.m, 0, 0);
    CHECK_EQ(padic_pq_prepare(NULL, &desc), PADIC_OK);
}

static padic_pq_append_desc append_of(pq_world *w, uint64_t first, uint64_t count)
{
    padic_pq_append_desc desc = PADIC_ZERO;
    desc.codebook = w->book;
    desc.cache = w->cache;
    desc.keys = w->key_view;
    desc.keys.data = w->keys + first * w->d;
    desc.keys.shape[2] = count;
    desc.keys.stride[0] = (int64_t)(w->is.g * w->is.n * w->d);
    desc.keys.stride[1] = (int64_t)(w->is.n * w->d);
    desc.keys.stride[2] = (int64_t)w->d;
    desc.keys.stride[3] = 1;
    return desc;
}

// Keys at once, one by one and in pieces, some of them not finite; codes as flat arrays and back.
TEST(codes)
{
    open_devices();
    for (int at = 0; at < SIZES * device_count; at++) {
        padic_context *context = devices[at / SIZES];
        const pq_sizes *is = &sizes[at % SIZES];
        static const uint64_t pieces[] = {1, 1, 5, 64, 0, 100};
        uint32_t *bad, *beyond, counts[3] = {1, 0, 1};
        uint64_t done = 0;
        pq_world w;
        if (test_tiny && at % 3) continue;
        pq_world_new(&w, is, (is->n + 63) / 64 + 1);
        books(&w);
        w.keys[w.d + 1] = NAN;
        bad = (uint32_t *)pq_fresh(is->b * is->g * 4);
        beyond = (uint32_t *)pq_fresh(is->b * is->g * 4);
        for (int i = 0; i < 6; i++) {
            const uint64_t count = done + pieces[i] < is->n ? pieces[i] : is->n - done;
            padic_pq_append_desc desc = append_of(&w, done, count), got;
            pairs p = PADIC_ZERO;
            p.context = context;
            desc.not_finite = pq_tensor(PADIC_U32, bad, 2, is->b, is->g, 0, 0, 0);
            desc.clamped = pq_tensor(PADIC_U32, beyond, 2, is->b, is->g, 0, 0, 0);
            if (i == 1) desc.key_counts = padic_tensor_1d(PADIC_U32, counts, is->b);
            got = desc;
            put_book(&p, &got.codebook);
            put_cache(&p, &got.cache);
            put(&p, &got.keys);
            put(&p, &got.key_counts);
            put(&p, &got.not_finite);
            put(&p, &got.clamped);
            CHECK_EQ(padic_pq_append(context, &got), PADIC_OK);
            CHECK_EQ(padic_pq_append(NULL, &desc), PADIC_OK);
            CHECK(same(&p));
            drop(&p);
            done += count;
        }
        free(bad);
        free(beyond);
        pq_world_free(&w);
    }
}

TEST(flat)
{
    open_devices();
    for (int at = 0; at < SIZES * device_count; at++) {
        padic_context *context = devices[at / SIZES];
        const pq_sizes *is = &sizes[at % SIZES];
        static const padic_dtype types[3] = {PADIC_I32, PADIC_U16, PADIC_U8};
        const padic_dtype dtype = types[is->bits > 8 ? at % 2 : at % 3];
        padic_pq_encode_desc encode = PADIC_ZERO, got;
        padic_pq_decode_desc decode = PADIC_ZERO, back;
        pairs p = PADIC_ZERO;
        uint32_t *beyond;
        void *codes;
        float *keys;
        pq_world w;
        if (test_tiny && at % 3) continue;
        pq_world_new(&w, is, 1);
        books(&w);
        p.context = context;
        codes = pq_fresh(is->b * is->g * is->n * is->m * 4);
        keys = (float *)pq_fresh(is->b * is->g * is->n * w.d * 4);
        beyond = (uint32_t *)pq_fresh(is->b * is->g * 4);
        encode.codebook = decode.codebook = w.book;
        encode.keys = w.key_view;
        encode.out = decode.codes = pq_tensor(dtype, codes, 4, is->b, is->g, is->n, is->m, 0);
        encode.clamped = pq_tensor(PADIC_U32, beyond, 2, is->b, is->g, 0, 0, 0);
        decode.out = pq_tensor(PADIC_F32, keys, 4, is->b, is->g, is->n, w.d, 0);
        got = encode;
        put_book(&p, &got.codebook);
        put(&p, &got.keys);
        put(&p, &got.out);
        put(&p, &got.clamped);
        CHECK_EQ(padic_pq_encode(context, &got), PADIC_OK);
        CHECK_EQ(padic_pq_encode(NULL, &encode), PADIC_OK);
        CHECK(same(&p));
        drop(&p);
        back = decode;
        put_book(&p, &back.codebook);
        put(&p, &back.codes);
        put(&p, &back.out);
        CHECK_EQ(padic_pq_decode(context, &back), PADIC_OK);
        CHECK_EQ(padic_pq_decode(NULL, &decode), PADIC_OK);
        CHECK(same(&p));
        drop(&p);
        free(codes), free(keys), free(beyond);
        pq_world_free(&w);
    }
}

// ---------------------------------------------------------------------------- scores and lists

typedef struct lists {
    int32_t *list;
    uint32_t *length, *status;
    uint64_t rows, cap;
} lists;

static void lists_of(lists *l, const pq_world *w, padic_pq_select_desc *desc)
{
    const uint64_t parts = desc->sink + desc->window + desc->heavy;
    l->cap = (parts > desc->full_below ? parts : desc->full_below) + 2;
    l->rows = w->is.b * w->is.h * w->is.s_q;
    l->list = (int32_t *)pq_fresh(l->rows * l->cap * 4);
    l->length = (uint32_t *)pq_fresh(l->rows * 4);
    l->status = (uint32_t *)pq_fresh(l->rows * 4);
    desc->lists = pq_tensor(PADIC_I32, l->list, 4, w->is.b, w->is.h, w->is.s_q, l->cap, 0);
    desc->lengths = pq_tensor(PADIC_U32, l->length, 3, w->is.b, w->is.h, w->is.s_q, 0, 0);
    desc->status = pq_tensor(PADIC_U32, l->status, 3, w->is.b, w->is.h, w->is.s_q, 0, 0);
}

static void lists_free(lists *l)
{
    free(l->list), free(l->length), free(l->status);
}

// The device's list, length and status of each query are the host's.
static int select_same(padic_context *context, padic_pq_select_desc *desc)
{
    padic_pq_select_desc got = *desc;
    pairs p = PADIC_ZERO;
    int fine;
    p.context = context;
    put_book(&p, &got.codebook);
    put_cache(&p, &got.cache);
    put(&p, &got.queries);
    put(&p, &got.key_counts);
    put(&p, &got.query_counts);
    put(&p, &got.lists);
    put(&p, &got.lengths);
    put(&p, &got.status);
    CHECK_EQ(padic_pq_select(context, &got), PADIC_OK);
    CHECK_EQ(padic_pq_select(NULL, desc), PADIC_OK);
    fine = same(&p);
    drop(&p);
    return fine;
}

static int score_same(padic_context *context, pq_world *w, const padic_pq_cache *cache, uint64_t n)
{
    padic_pq_score_desc desc = PADIC_ZERO, got;
    const uint64_t rows = w->is.b * w->is.h * w->is.s_q;
    float *tables = (float *)pq_fresh(rows * w->is.m * w->K * 4);
    float *scores = (float *)pq_fresh(rows * n * 4);
    pairs p = PADIC_ZERO;
    int fine;
    p.context = context;
    desc.codebook = w->book;
    desc.cache = *cache;
    desc.queries = w->query_view;
    desc.tables = pq_tensor(PADIC_F32, tables, 5, w->is.b, w->is.h, w->is.s_q, w->is.m, w->K);
    desc.out = pq_tensor(PADIC_F32, scores, 4, w->is.b, w->is.h, w->is.s_q, n, 0);
    got = desc;
    put_book(&p, &got.codebook);
    put_cache(&p, &got.cache);
    put(&p, &got.queries);
    put(&p, &got.tables);
    put(&p, &got.out);
    CHECK_EQ(padic_pq_score(context, &got), PADIC_OK);
    CHECK_EQ(padic_pq_score(NULL, &desc), PADIC_OK);
    fine = same(&p);
    drop(&p);
    free(tables), free(scores);
    return fine;
}

// Whole numbers, whose scores have many ties, and real ones of any size; each method.
TEST(selected)
{
    open_devices();
    for (int at = 0; at < SIZES * device_count; at++) {
        padic_context *context = devices[at / SIZES];
        const pq_sizes *is = &sizes[at % SIZES];
        pq_world w;
        if (test_tiny && at % 3) continue;
        pq_world_new(&w, is, (is->n + 63) / 64);
        books(&w);
        CHECK_EQ(pq_append(NULL, &w, 0, is->n - pq_below(50)), PADIC_OK);
        for (int round = 0; round < (test_tiny ? 2 : 4); round++) {
            padic_pq_select_desc desc = PADIC_ZERO;
            lists l;
            for (uint64_t i = 0; i < is->b * is->h * is->s_q * w.d; i++)
                w.queries[i] = round % 2 ? pq_uniform() * (round == 3 ? 1e-41f : 1e37f)
                                         : (float)((int)pq_below(5) - 2);
            if (round == 1) w.queries[0] = INFINITY;
            desc.codebook = w.book;
            desc.cache = w.cache;
            desc.cache.start = pq_below(5);
            desc.queries = w.query_view;
            desc.sink = pq_below(9);
            desc.window = pq_below(20);
            desc.heavy = 1 + pq_below(90);
            desc.tie = (padic_pq_tie)(round & 1);
            lists_of(&l, &w, &desc);
            for (int how = 0; how < 4; how++) {
                desc.method = (padic_pq_method)(how % 3);
                desc.order = (padic_pq_order)((how + round) >> 1 & 1);
                CHECK(select_same(context, &desc));
            }
            if (round < 2) CHECK(score_same(context, &w, &w.cache, is->n));
            lists_free(&l);
        }
        pq_world_free(&w);
    }
}

// All lengths about the sizes of a list's parts, each of which may be 0.
TEST(sweep)
{
    const pq_sizes is = {1, 1, 1, 2, 130, 2, 2, 3, 0};
    pq_world w;
    open_devices();
    pq_world_new(&w, &is, 3);
    books(&w);
    CHECK_EQ(pq_append(NULL, &w, 0, is.n), PADIC_OK);
    for (int at = 0; at < (test_tiny ? 30 : 200) * device_count; at++) {
        padic_pq_select_desc desc = PADIC_ZERO;
        lists l;
        desc.codebook = w.book;
        desc.cache = w.cache;
        desc.cache.start = pq_below(20);
        desc.queries = w.query_view;
        desc.sink = pq_below(3) ? pq_below(12) : 0;
        desc.window = pq_below(3) ? pq_below(12) : 0;
        desc.heavy = pq_below(3) ? pq_below(30) : 0;
        desc.full_below = pq_below(2) ? pq_below(60) : 0;
        desc.key_count = 1 + pq_below(160);
        desc.tie = (padic_pq_tie)pq_below(2);
        desc.order = (padic_pq_order)pq_below(2);
        desc.method = (padic_pq_method)pq_below(3);
        lists_of(&l, &w, &desc);
        CHECK(select_same(devices[at % device_count], &desc));
        lists_free(&l);
    }
    pq_world_free(&w);
}

// Any bytes as a cache: lengths, pages, codes and counts; the host's answers, and nothing else is
// read or written.
TEST(hostile)
{
    open_devices();
    for (int at = 0; at < (test_tiny ? 12 : 60) * device_count; at++) {
        padic_context *context = devices[at % device_count];
        const pq_sizes is = {2, 2, 4, 2, 64, 2, 2, at % 4 ? (uint32_t)(2 + at % 9) : 6, 0};
        const uint64_t pages = 1 + pq_below(4), each = 1 + pq_below(2);
        uint32_t page[8], keys[2], queries[2];
        padic_pq_select_desc desc = PADIC_ZERO;
        lists l;
        pq_world w;
        pq_world_new(&w, &is, pages * each);
        books(&w);
        for (uint64_t i = 0; i < 8; i++)
            page[i] = (uint32_t)(pq_below(8) ? pq_below(2 * pages) : test_random());
        for (uint64_t i = 0; i < is.b * is.g * w.tiles * is.m * (is.bits <= 4 ? 32 : 64); i++)
            w.codes[i] = (uint8_t)pq_below(256);
        for (int i = 0; i < 2; i++) {
            w.lengths[i] = (uint32_t)(pq_below(4) ? pq_below(w.tiles * 64 + 9) : test_random());
            keys[i] = (uint32_t)(pq_below(4) ? pq_below(w.tiles * 64 + 9) : test_random());
            queries[i] = (uint32_t)pq_below(5);
        }
        desc.codebook = w.book;
        desc.cache = w.cache;
        desc.cache.counts.data = NULL; // wrong ones are below
        if (at & 1) {
            desc.cache.codes.shape[0] = is.b * pages;
            desc.cache.codes.shape[2] = each;
            desc.cache.codes = padic_tensor_nd(w.cache.codes.dtype, w.codes, 5,
                                               desc.cache.codes.shape);
            desc.cache.pages = pq_tensor(PADIC_U32, page, 2, 2, pages, 0, 0, 0);
        }
        desc.queries = w.query_view;
        if (at & 2) desc.key_counts = padic_tensor_1d(PADIC_U32, keys, 2);
        if (at & 4) desc.query_counts = padic_tensor_1d(PADIC_U32, queries, 2);
        desc.sink = pq_below(5);
        desc.window = pq_below(5);
        desc.heavy = pq_below(30);
        desc.order = (padic_pq_order)(at >> 3 & 1);
        desc.method = (padic_pq_method)pq_below(3);
        lists_of(&l, &w, &desc);
        CHECK(select_same(context, &desc));
        CHECK(score_same(context, &w, &desc.cache, 40));
        lists_free(&l);
        pq_world_free(&w);
    }
}

// Counts that are not those of the codes change nothing but the time.
TEST(counts)
{
    const pq_sizes is = {1, 2, 2, 1, 700, 2, 2, 3, 0};
    open_devices();
    for (int at = 0; at < 8 * device_count; at++) {
        padic_context *context = devices[at / 8];
        padic_pq_select_desc desc = PADIC_ZERO, got;
        pairs p = PADIC_ZERO;
        lists l;
        pq_world w;
        pq_world_new(&w, &is, 11);
        books(&w);
        CHECK_EQ(pq_append(NULL, &w, 0, is.n), PADIC_OK);
        desc.codebook = w.book;
        desc.cache = w.cache;
        desc.queries = w.query_view;
        desc.sink = desc.window = 9;
        desc.heavy = 70;
        desc.method = PADIC_PQ_METHOD_SCORES;
        lists_of(&l, &w, &desc);
        CHECK_EQ(padic_pq_select(NULL, &desc), PADIC_OK);
        for (uint64_t i = 0; i < 128; i++)
            if (at & 1) w.counts[i] += (uint32_t)pq_below(3);
            else if (at & 2) w.counts[i] = (uint32_t)test_random();
            else if (at & 4) w.counts[i] = 0;
        got = desc;
        got.method = PADIC_PQ_METHOD_CELLS;
        p.context = context;
        put_book(&p, &got.codebook);
        put_cache(&p, &got.cache);
        put(&p, &got.queries);
        put(&p, &got.lists);
        put(&p, &got.lengths);
        put(&p, &got.status);
        CHECK_EQ(padic_pq_select(context, &got), PADIC_OK);
        CHECK(same(&p));
        drop(&p);
        lists_free(&l);
        pq_world_free(&w);
    }
}

TEST(topk)
{
    static const uint64_t shapes[][3] = {{1, 1, 1},    {3, 100, 7},   {2, 5000, 300}, {4, 64, 64},
                                         {2, 33, 40}, {1, 30000, 128}, {5, 0, 3},      {0, 5, 3}};
    open_devices();
    for (int at = 0; at < 8 * 4 * device_count; at++) {
        padic_context *context = devices[at / 32];
        const uint64_t *n = shapes[at % 8];
        padic_pq_topk_desc desc = PADIC_ZERO, got;
        float *scores = (float *)pq_fresh(n[0] * n[1] * 8);
        int32_t *out = (int32_t *)pq_fresh(n[0] * n[2] * 4);
        pairs p = PADIC_ZERO;
        if (test_tiny && n[1] > 4000) n = shapes[1];
        for (uint64_t i = 0; i < n[0] * n[1] * 2; i++) {
            static const float rare[4] = {NAN, INFINITY, -INFINITY, -0.0f};
            scores[i] = at & 8 ? (float)pq_below(9) - 4 : pq_uniform();
            if (!pq_below(40)) scores[i] = rare[pq_below(4)];
        }
        p.context = context;
        desc.scores = padic_tensor_2d(PADIC_F32, scores, n[0], n[1]);
        if (at & 16 && n[1]) desc.scores.stride[0] = (int64_t)n[1] * 2, desc.scores.stride[1] = 2;
        desc.out = padic_tensor_2d(PADIC_I32, out, n[0], n[2]);
        desc.tie = (padic_pq_tie)(at >> 3 & 1);
        desc.order = (padic_pq_order)(at >> 4 & 1);
        got = desc;
        if (n[1]) put(&p, &got.scores);
        put(&p, &got.out);
        CHECK_EQ(padic_pq_topk(context, &got), PADIC_OK);
        CHECK_EQ(padic_pq_topk(NULL, &desc), PADIC_OK);
        CHECK(same(&p));
        drop(&p);
        free(scores), free(out);
    }
}

// A recording of one key and one selection, replayed while lengths grow in the device's memory.
TEST(recorded)
{
    const pq_sizes is = {1, 2, 4, 1, 400, 2, 4, 4, 0};
    open_devices();
    for (int d = 0; d < device_count; d++) {
        padic_context *context = devices[d];
        padic_pq_append_desc append, one;
        padic_pq_select_desc desc = PADIC_ZERO, got;
        padic_record record = {0};
        padic_stats stats;
        pairs p = PADIC_ZERO;
        uint64_t launches;
        lists l;
        pq_world w;
        pq_world_new(&w, &is, 7);
        books(&w);
        CHECK_EQ(pq_append(NULL, &w, 0, 390), PADIC_OK);
        desc.codebook = w.book;
        desc.cache = w.cache;
        desc.queries = w.query_view;
        desc.sink = desc.window = 5;
        desc.heavy = 30;
        lists_of(&l, &w, &desc);
        p.context = context;
        got = desc;
        put_book(&p, &got.codebook);
        put_cache(&p, &got.cache);
        put(&p, &got.queries);
        put(&p, &got.lists);
        put(&p, &got.lengths);
        put(&p, &got.status);
        for (int way = 0; way < 2; way++) { // by cells, which the counts allow, or by scores
            got.method = desc.method = way ? PADIC_PQ_METHOD_SCORES : PADIC_PQ_METHOD_CELLS;
            CHECK_EQ(padic_pq_select(context, &got), PADIC_OK);
            padic_context_stats(context, &stats);
            launches = stats.launches;
            CHECK_EQ(padic_pq_select(context, &got), PADIC_OK);
            padic_context_stats(context, &stats);
            CHECK_EQ(stats.launches - launches, way ? 4 : 3);
            one = append_of(&w, 390 + 4 * (uint64_t)way, 1);
            append = one;
            append.codebook = got.codebook;
            append.cache = got.cache;
            p.count = 9;
            put(&p, &append.keys);
            p.count = 9; // its place is kept apart
            CHECK_EQ(padic_pq_append(context, &append), PADIC_OK);
            CHECK_EQ(padic_pq_append(NULL, &one), PADIC_OK);
            CHECK_EQ(padic_record_begin(context), PADIC_OK);
            CHECK_EQ(padic_pq_append(context, &append), PADIC_OK);
            CHECK_EQ(padic_pq_select(context, &got), PADIC_OK);
            CHECK_EQ(padic_record_end(context, &record), PADIC_OK);
            for (int i = 1; i < 4; i++) {
                CHECK_EQ(padic_record_replay(context, record, 1), PADIC_OK);
                CHECK_EQ(padic_pq_append(NULL, &one), PADIC_OK);
                CHECK_EQ(padic_pq_select(NULL, &desc), PADIC_OK);
                CHECK(same(&p));
            }
            CHECK_EQ(padic_record_drop(context, record), PADIC_OK);
            CHECK_EQ(padic_buffer_destroy(context, append.keys.buffer), PADIC_OK);
        }
        drop(&p);
        lists_free(&l);
        pq_world_free(&w);
    }
}

TEST(errors)
{
    const pq_sizes is = {2, 1, 1, 1, 130, 2, 2, 4, 0};
    open_devices();
    for (int at = 0; at < 5 * device_count; at++) {
        static const padic_result want[5] = {PADIC_ERROR_CAPACITY, PADIC_ERROR_DOMAIN,
                                             PADIC_ERROR_ARGUMENT, PADIC_ERROR_DOMAIN,
                                             PADIC_ERROR_NOT_FINITE};
        padic_context *context = devices[at / 5];
        uint32_t counts[2] = {3, 3}, pages[2] = {0, 9};
        padic_pq_append_desc desc, got;
        padic_pq_encode_desc encode = PADIC_ZERO;
        uint8_t codes[2 * 130 * 2];
        pairs p = PADIC_ZERO;
        pq_world w;
        pq_world_new(&w, &is, 1);
        books(&w);
        w.lengths[0] = 60;
        w.lengths[1] = at % 5 == 0 ? 62 : at % 5 == 1 ? 65 : 10;
        if (at % 5 == 2) counts[1] = 4;
        desc = append_of(&w, 0, 3);
        desc.key_counts = padic_tensor_1d(PADIC_U32, counts, 2);
        if (at % 5 == 3) desc.cache.pages = padic_tensor_2d(PADIC_U32, pages, 2, 1);
        got = desc;
        p.context = context;
        if (at % 5 < 4) {
            put_book(&p, &got.codebook);
            put_cache(&p, &got.cache);
            put(&p, &got.keys);
            put(&p, &got.key_counts);
            CHECK_EQ(padic_pq_append(context, &got), want[at % 5]);
            CHECK_EQ(padic_pq_append(NULL, &desc), want[at % 5]);
            CHECK(strlen(padic_context_message(context)) > 20);
        } else {
            w.keys[5] = NAN;
            encode.codebook = w.book;
            encode.keys = w.key_view;
            encode.out = pq_tensor(PADIC_U8, codes, 4, 2, 1, 130, 2, 0);
            put_book(&p, &encode.codebook);
            put(&p, &encode.keys);
            put(&p, &encode.out);
            CHECK_EQ(padic_pq_encode(context, &encode), want[at % 5]);
            p.count--; // of which nothing is said
            CHECK_EQ(padic_buffer_destroy(context, encode.out.buffer), PADIC_OK);
        }
        CHECK(same(&p)); // nothing was written
        drop(&p);
        pq_world_free(&w);
    }
}

TEST_MAIN("gpu_pq", CASE(codes), CASE(flat), CASE(selected), CASE(sweep), CASE(hostile),
          CASE(counts), CASE(topk), CASE(recorded), CASE(errors), CASE(no_kernel_was_dropped))
