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
    int loose; // floats that are compared otherwise
} pair;

typedef struct pairs {
    padic_context *context;
    pair of[24];
    uint32_t count;
} pairs;

// Elements before a tensor: 16 bytes, which may be read at a time.
static uint64_t edge(const padic_tensor *t)
{
    return t->data ? 16 / padic_dtype_size(t->dtype) : 0;
}

// Puts *there, which is in host memory, into a buffer.
static void put(pairs *p, padic_tensor *there)
{
    const uint64_t size = padic_dtype_size(there->dtype), first = edge(there);
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
    x->loose = 0;
    p->count++;
    desc.size = (first + (last > 0 ? (uint64_t)last + 1 : padic_tensor_count(there)) + 16) * size;
    CHECK_EQ(padic_buffer_create(p->context, &desc, &buffer), PADIC_OK);
    CHECK_EQ(padic_buffer_fill(p->context, buffer, 0, 0xa5a5a5a5u, desc.size & ~UINT64_C(3)),
             PADIC_OK);
    if (desc.size > (first + 16) * size)
        CHECK_EQ(padic_buffer_upload(p->context, buffer, first * size, there->data,
                                     desc.size - (first + 16) * size),
                 PADIC_OK);
    there->data = NULL;
    *there = padic_tensor_in(*there, buffer, first);
}

// Whether the device has what the host has.
static int same(const pairs *p)
{
    int fine = 1;
    for (uint32_t i = 0; i < p->count; i++) {
        const padic_tensor *t = &p->of[i].here;
        const uint64_t size = padic_dtype_size(t->dtype), bytes = padic_tensor_count(t) * size;
        const uint64_t first = edge(t);
        uint8_t *got;
        if (t->stride[t->rank - 1]) continue; // an input
        got = (uint8_t *)pq_fresh(bytes + (first + 16) * size);
        CHECK_EQ(padic_buffer_download(p->context, p->of[i].there->buffer, 0, got,
                                       bytes + (first + 16) * size),
                 PADIC_OK);
        if (!p->of[i].loose) fine &= !memcmp(got + first * size, t->data, bytes);
        for (uint64_t k = 0; k < (first + 16) * size - 3; k++)
            fine &= got[k < first * size ? k : bytes + k] == 0xa5;
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
    int64_t *list; // of I32 or I64
    uint32_t *length, *status;
    uint64_t rows, cap;
} lists;

static void lists_of(lists *l, const pq_world *w, padic_pq_select_desc *desc)
{
    const uint64_t parts = desc->sink + desc->window + desc->heavy;
    const uint64_t heads = desc->reduce ? w->is.g : w->is.h;
    const padic_dtype dtype = desc->lists.dtype == PADIC_I64 ? PADIC_I64 : PADIC_I32;
    l->cap = (parts > desc->full_below ? parts : desc->full_below) + 2;
    l->rows = w->is.b * heads * w->is.s_q;
    l->list = (int64_t *)pq_fresh(l->rows * l->cap * padic_dtype_size(dtype));
    l->length = (uint32_t *)pq_fresh(l->rows * 4);
    l->status = (uint32_t *)pq_fresh(l->rows * 4);
    desc->lists = pq_tensor(dtype, l->list, 4, w->is.b, heads, w->is.s_q, l->cap, 0);
    desc->lengths = pq_tensor(PADIC_U32, l->length, 3, w->is.b, heads, w->is.s_q, 0, 0);
    desc->status = pq_tensor(PADIC_U32, l->status, 3, w->is.b, heads, w->is.s_q, 0, 0);
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
    put(&p, &got.heavy_counts);
    put(&p, &got.bias);
    put(&p, &got.slopes);
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
        if ((is.bits == 5 || is.bits == 6) && at & 8) pq_world_pack(&w);
        books(&w);
        for (uint64_t i = 0; i < 8; i++)
            page[i] = (uint32_t)(pq_below(8) ? pq_below(2 * pages) : test_random());
        for (uint64_t i = 0; i < is.b * is.g * w.tiles * is.m * w.cache.codes.shape[4]; i++)
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

// Numbers of a bias or of slopes: whole ones, any ones, and what is not finite or subnormal.
static float added(int at)
{
    static const float rare[6] = {NAN, INFINITY, -INFINITY, -0.0f, 1e-39f, 3e38f};
    if (at & 1 && !pq_below(30)) return rare[pq_below(6)];
    return at & 2 ? pq_uniform() * 4 : (float)((int)pq_below(9) - 4);
}

// What a desc asks for besides, at random; `more` has room for two rows of 4 heads.
static void asked_for(padic_pq_select_desc *desc, int at, float *more, uint32_t heavy[2],
                      float slopes[4])
{
    const uint64_t some = 1 + pq_below(130);
    for (uint64_t i = 0; i < 8 * some; i++) more[i] = added(at);
    for (int i = 0; i < 4; i++) slopes[i] = added(at) / 16;
    for (int i = 0; i < 2; i++) heavy[i] = (uint32_t)pq_below(40);
    if (!pq_below(3)) desc->heavy_counts = padic_tensor_1d(PADIC_U32, heavy, 2);
    if (!pq_below(3)) desc->heavy_fraction = (double)pq_below(1000) / 2500;
    if (!pq_below(3)) desc->bias = pq_tensor(PADIC_F32, more, 3, 2, 4, some, 0, 0);
    if (!pq_below(3)) desc->slopes = padic_tensor_1d(PADIC_F32, slopes, 4);
    if (pq_below(2)) desc->limit = (padic_pq_limit)pq_below(3);
    if (pq_below(2)) desc->reduce = (padic_pq_reduce)pq_below(4);
    desc->threshold = desc->reduce == PADIC_PQ_REDUCE_SOFTMAX_SUM ? 1e-3f
                      : pq_below(9) ? pq_uniform() * 8
                                    : (at & 4 ? -INFINITY : -3e38f);
    desc->top_p = (double)pq_below(1000) / 1000;
    if (pq_below(2)) desc->scale = (double)pq_uniform();
    if (pq_below(2)) desc->lists.dtype = PADIC_I64;
}

// All that a selection may ask for together, of caches whose lengths and pages are any numbers.
TEST(options)
{
    float *more = (float *)pq_fresh(8 * 131 * 4);
    open_devices();
    for (int at = 0; at < (test_tiny ? 80 : 400) * device_count; at++) {
        pq_sizes is = {2, 2, 4, 2, 200, 2, 2, 6, 0};
        uint32_t page[8], keys[2], queries[2], heavy[2];
        padic_pq_select_desc desc = PADIC_ZERO;
        float slopes[4];
        lists l;
        pq_world w;
        is.g = 1 + pq_below(2);
        is.bits = 1 + (uint32_t)pq_below(11);
        is.m = 1 + pq_below(3);
        pq_world_new(&w, &is, 4);
        books(&w);
        CHECK_EQ(pq_append(NULL, &w, 0, is.n), PADIC_OK);
        for (uint64_t i = 0; i < is.b * is.h * is.s_q * w.d; i++)
            w.queries[i] = at & 2 ? pq_uniform() * (pq_below(9) ? 2 : 1e-38f)
                                  : (float)((int)pq_below(5) - 2);
        if (!pq_below(4)) w.queries[pq_below(is.b * is.h * is.s_q * w.d)] = NAN;
        for (uint64_t i = 0; i < 8; i++)
            page[i] = (uint32_t)(pq_below(20) ? pq_below(4) : test_random());
        for (int i = 0; i < 2; i++) {
            if (at & 8) w.lengths[i] = (uint32_t)pq_below(270);
            keys[i] = (uint32_t)(pq_below(5) ? pq_below(270) : 200);
            queries[i] = (uint32_t)pq_below(4);
        }
        desc.codebook = w.book;
        desc.cache = w.cache;
        if (at & 8) desc.cache.counts.data = NULL;
        if (at & 16) {
            desc.cache.codes.shape[0] = 4;
            desc.cache.codes.shape[2] = 2;
            desc.cache.codes = padic_tensor_nd(w.cache.codes.dtype, w.codes, 5,
                                               desc.cache.codes.shape);
            desc.cache.pages = pq_tensor(PADIC_U32, page, 2, 2, 2, 0, 0, 0);
            desc.cache.counts.data = NULL;
        }
        desc.cache.start = pq_below(5);
        desc.queries = w.query_view;
        if (!pq_below(3)) desc.key_counts = padic_tensor_1d(PADIC_U32, keys, 2);
        if (!pq_below(4)) desc.query_counts = padic_tensor_1d(PADIC_U32, queries, 2);
        desc.sink = pq_below(9);
        desc.window = pq_below(9);
        desc.heavy = pq_below(50);
        desc.full_below = pq_below(3) ? 0 : pq_below(100);
        desc.tie = (padic_pq_tie)pq_below(2);
        desc.order = (padic_pq_order)pq_below(2);
        desc.method = (padic_pq_method)pq_below(3);
        asked_for(&desc, at, more, heavy, slopes);
        lists_of(&l, &w, &desc);
        CHECK(select_same(devices[at % device_count], &desc));
        lists_free(&l);
        pq_world_free(&w);
    }
    free(more);
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

// ------------------------------------------------------------------------------------ attention

// b rows, h query heads of g heads of keys, n queries, s keys, lists of c entries.
typedef struct heads {
    uint64_t b, h, g, n, s, d, v, c;
    padic_dtype dtype;
    void *q, *k, *x; // queries, keys, values
    int32_t *list;
    uint32_t *length, *status;
    float *weight, *out, *lse;
    padic_pq_attend_desc desc;
    padic_pq_attend_full_desc full;
} heads;

static double element(const void *from, padic_dtype dtype, uint64_t i)
{
    const uint32_t h = dtype == PADIC_F32 ? 0 : ((const uint16_t *)from)[i];
    const double sign = h >> 15 ? -1 : 1;
    const int wide = dtype == PADIC_BF16 ? 7 : 10;
    const int e = (int)((h & 0x7fffu) >> wide), bias = dtype == PADIC_BF16 ? 127 : 15;
    const double part = (double)(h & ((1u << wide) - 1)) / (double)(1u << wide);
    if (dtype == PADIC_F32) return (double)((const float *)from)[i];
    return sign * (e ? ldexp(1 + part, e - bias) : ldexp(part, 1 - bias));
}

static void *elements(padic_dtype dtype, uint64_t count)
{
    void *p = pq_fresh(count * 4);
    for (uint64_t i = 0; i < count; i++) {
        const float value = pq_uniform() * 2;
        uint32_t bits;
        memcpy(&bits, &value, 4);
        if (dtype == PADIC_F32) ((float *)p)[i] = value;
        else if (dtype == PADIC_BF16) ((uint16_t *)p)[i] = (uint16_t)(bits >> 16);
        else ((uint16_t *)p)[i] = (uint16_t)(test_random() & 0xbfffu);
    }
    return p;
}

static void heads_new(heads *a, const uint64_t n[8], padic_dtype dtype)
{
    memset(a, 0, sizeof *a);
    a->b = n[0], a->h = n[1], a->g = n[2], a->n = n[3], a->s = n[4], a->d = n[5], a->v = n[6];
    a->c = n[7];
    a->dtype = dtype;
    a->q = elements(dtype, a->b * a->h * a->n * a->d);
    a->k = elements(dtype, a->b * a->g * a->s * a->d);
    a->x = elements(dtype, a->b * a->g * a->s * a->v);
    a->list = (int32_t *)pq_fresh(a->b * a->h * a->n * a->c * 4);
    a->weight = (float *)pq_fresh(a->b * a->h * a->n * a->c * 4);
    a->length = (uint32_t *)pq_fresh(a->b * a->h * a->n * 4);
    a->status = (uint32_t *)pq_fresh(a->b * a->h * a->n * 4);
    a->out = (float *)pq_fresh(a->b * a->h * a->n * a->v * 4);
    a->lse = (float *)pq_fresh(a->b * a->h * a->n * 4);
    for (uint64_t i = 0; i < a->b * a->h * a->n * a->c; i++) {
        a->list[i] = pq_below(9) ? (int32_t)pq_below(a->s) : -1;
        a->weight[i] = (float)pq_below(100) / 16;
    }
    for (uint64_t i = 0; i < a->b * a->h * a->n; i++)
        a->length[i] = (uint32_t)(pq_below(5) ? pq_below(a->c + 1) : 0);
    a->desc.queries = pq_tensor(dtype, a->q, 4, a->b, a->h, a->n, a->d, 0);
    a->desc.keys = pq_tensor(dtype, a->k, 4, a->b, a->g, a->s, a->d, 0);
    a->desc.values = pq_tensor(dtype, a->x, 4, a->b, a->g, a->s, a->v, 0);
    a->desc.lists = pq_tensor(PADIC_I32, a->list, 4, a->b, a->h, a->n, a->c, 0);
    a->desc.lengths = pq_tensor(PADIC_U32, a->length, 3, a->b, a->h, a->n, 0, 0);
    a->desc.weights = pq_tensor(PADIC_F32, a->weight, 4, a->b, a->h, a->n, a->c, 0);
    a->desc.out = pq_tensor(PADIC_F32, a->out, 4, a->b, a->h, a->n, a->v, 0);
    a->desc.lse = pq_tensor(PADIC_F32, a->lse, 3, a->b, a->h, a->n, 0, 0);
    a->desc.status = pq_tensor(PADIC_U32, a->status, 3, a->b, a->h, a->n, 0, 0);
    a->full.queries = a->desc.queries;
    a->full.keys = a->desc.keys;
    a->full.values = a->desc.values;
    a->full.out = a->desc.out;
    a->full.lse = a->desc.lse;
    a->full.status = a->desc.status;
}

static void heads_free(heads *a)
{
    free(a->q), free(a->k), free(a->x), free(a->list), free(a->length), free(a->status);
    free(a->weight), free(a->out), free(a->lse);
}

// What the device has of a view.
static float *fetched(const pairs *p, const padic_tensor *there)
{
    const uint64_t bytes = padic_tensor_count(there) * 4;
    float *got = (float *)pq_fresh(bytes);
    if (bytes)
        CHECK_EQ(padic_buffer_download(p->context, there->buffer, there->offset * 4, got, bytes),
                 PADIC_OK);
    return got;
}

static void put_loose(pairs *p, padic_tensor *there)
{
    const uint32_t count = p->count;
    put(p, there);
    if (p->count > count) p->of[count].loose = 1;
}

// Runs a call on the device, and on the host, and answers whether status and guards are the same.
// out and lse of the device are in got[0] and got[1]. `listed`: padic_pq_attend().
static int attend_there(padic_context *context, const heads *a, int listed, float *got[2])
{
    padic_pq_attend_desc list = a->desc;
    padic_pq_attend_full_desc full = a->full;
    pairs p = PADIC_ZERO;
    int fine;
    p.context = context;
    put(&p, listed ? &list.queries : &full.queries);
    put(&p, listed ? &list.keys : &full.keys);
    put(&p, listed ? &list.values : &full.values);
    put(&p, listed ? &list.pages : &full.pages);
    put(&p, listed ? &list.lists : &full.key_counts);
    put(&p, listed ? &list.lengths : &full.query_counts);
    if (listed) put(&p, &list.weights);
    put(&p, listed ? &list.status : &full.status);
    put_loose(&p, listed ? &list.out : &full.out);
    put_loose(&p, listed ? &list.lse : &full.lse);
    if (listed) {
        CHECK_EQ(padic_pq_attend(context, &list), PADIC_OK);
        CHECK_EQ(padic_pq_attend(NULL, &a->desc), PADIC_OK);
    } else {
        CHECK_EQ(padic_pq_attend_full(context, &full), PADIC_OK);
        CHECK_EQ(padic_pq_attend_full(NULL, &a->full), PADIC_OK);
    }
    got[0] = fetched(&p, listed ? &list.out : &full.out);
    got[1] = fetched(&p, listed ? &list.lse : &full.lse);
    fine = same(&p);
    drop(&p);
    return fine;
}

// Row r of the device's numbers against the definition in f64, within the bound of the header.
// `count` entries, or keys.
static void attended(const heads *a, uint64_t r, uint64_t count, int listed, float *const got[2])
{
    const uint64_t head = r / a->n % a->h, row = r / a->n / a->h;
    const uint64_t key = (row * a->g + head / (a->h / a->g)) * a->s;
    const double scale = a->desc.scale != 0 ? a->desc.scale : 1 / sqrt((double)a->d);
    const int weighted = listed && a->desc.weights.data;
    double *o = (double *)pq_fresh(a->v * 8), *size = (double *)pq_fresh(a->v * 8);
    double *logit = (double *)pq_fresh((count + 1) * 8), sum = 0, most = -INFINITY, large = 0;
    uint64_t entries = 0;
    for (uint64_t j = 0; j < count; j++) {
        const uint64_t p = listed ? (uint64_t)(int64_t)a->list[r * a->c + j] : j;
        double dot = 0;
        logit[j] = -INFINITY;
        if (p >= a->s || (weighted && !(a->weight[r * a->c + j] > 0))) continue;
        for (uint64_t i = 0; i < a->d; i++)
            dot += element(a->q, a->dtype, r * a->d + i) *
                   element(a->k, a->dtype, (key + p) * a->d + i);
        logit[j] = dot * scale + (weighted ? log((double)a->weight[r * a->c + j]) : 0);
        most = fmax(most, logit[j]);
        large = fmax(large, fabs(logit[j]));
        entries++;
    }
    for (uint64_t j = 0; j < count; j++) {
        const uint64_t p = listed ? (uint64_t)(int64_t)a->list[r * a->c + j] : j;
        const double e = exp(logit[j] - most);
        if (!(logit[j] > -INFINITY)) continue;
        sum += e;
        for (uint64_t i = 0; i < a->v; i++) {
            const double x = element(a->x, a->dtype, (key + p) * a->v + i);
            o[i] += e * x;
            size[i] += e * fabs(x);
        }
    }
    for (uint64_t i = 0; i < a->v; i++) {
        const double is = (double)got[0][r * a->v + i];
        const double bound = (8 + large + log2((double)entries)) * ldexp(1, -23) * size[i] / sum;
        if (!entries) CHECK(is == 0 && !signbit(is));
        else CHECK(fabs(is - o[i] / sum) <= bound);
    }
    if (!entries) CHECK(got[1][r] == -INFINITY);
    else CHECK(fabs((double)got[1][r] - most - log(sum)) <= (8 + large) * ldexp(1, -23));
    free(o), free(size), free(logit);
}

static const padic_dtype dtypes[3] = {PADIC_F32, PADIC_F16, PADIC_BF16};
static const uint64_t attentions[7][8] = {
    {1, 1, 1, 1, 40, 16, 16, 20},   {2, 4, 2, 1, 300, 32, 24, 200}, {1, 8, 1, 3, 100, 64, 128, 65},
    {2, 2, 2, 2, 70, 128, 136, 64}, {1, 3, 3, 1, 20, 1, 1, 1},      {1, 1, 1, 1, 500, 255, 9, 129},
    {2, 2, 1, 1, 9, 7, 3, 1100}};

// Lists of every length, of which some entries are -1, and some weights 0.
TEST(attention)
{
    open_devices();
    for (int at = 0; at < 21 * device_count; at++) {
        heads a;
        float *got[2];
        if (test_tiny && at % 7 > 3) continue;
        heads_new(&a, attentions[at % 7], dtypes[at / 7 % 3]);
        if (at % 5 == 1) a.desc.scale = 0.5;
        if (at % 2) a.desc.weights.data = NULL;
        CHECK(attend_there(devices[at / 21], &a, 1, got));
        for (uint64_t r = 0; r < a.b * a.h * a.n; r++) attended(&a, r, a.length[r], 1, got);
        free(got[0]), free(got[1]);
        heads_free(&a);
    }
}

TEST(attention_full)
{
    open_devices();
    for (int at = 0; at < 21 * device_count; at++) {
        heads a;
        float *got[2];
        uint32_t keys[2], queries[2];
        if (test_tiny && at % 7 > 3) continue;
        heads_new(&a, attentions[at % 7], dtypes[at / 7 % 3]);
        for (int i = 0; i < 2; i++) {
            keys[i] = (uint32_t)(pq_below(4) ? pq_below(a.s + 1) : a.s + 5);
            queries[i] = (uint32_t)pq_below(a.n + 2);
        }
        if (at & 1) a.full.key_counts = padic_tensor_1d(PADIC_U32, keys, a.b);
        else a.full.key_count = 1 + pq_below(a.s);
        if (at & 2) a.full.query_counts = padic_tensor_1d(PADIC_U32, queries, a.b);
        CHECK(attend_there(devices[at / 21], &a, 0, got));
        for (uint64_t r = 0; r < a.b * a.h * a.n; r++) {
            const uint64_t row = r / a.n / a.h, i = r % a.n;
            const uint64_t given = at & 1 ? keys[row] : a.full.key_count;
            const uint64_t s_k = given < a.s ? given : a.s;
            const uint64_t s_q = at & 2 && queries[row] < a.n ? queries[row] : a.n;
            attended(&a, r, i < s_q && s_k + i + 1 > s_q ? s_k + i + 1 - s_q : 0, 0, got);
        }
        free(got[0]), free(got[1]);
        heads_free(&a);
    }
}

// Keys and values of 16 bits, read 16 bytes at a time, of sizes that have kernels of their own:
// heads that share their keys or not, short splits and long ones, pages, counts of any remainder.
TEST(attention_wide)
{
    static const uint64_t d[3] = {128, 64, 256}, per[6] = {4, 8, 2, 1, 3, 12};
    open_devices();
    for (int at = 0; at < (test_tiny ? 12 : 72) * device_count; at++) {
        const int i = at / device_count;
        const uint64_t size = d[i % 3], heads_of = per[i / 3 % 6];
        const uint64_t s = i % 4 == 3 ? 2049 + pq_below(500) : 1 + pq_below(UINT64_C(70) << i % 4);
        const uint64_t n[8] = {1 + pq_below(2), 2 * heads_of, 2, 1, s, size, size, 100};
        const int listed = i % 5 == 4;
        uint32_t keys[2] = {(uint32_t)s, (uint32_t)pq_below(s + 3)}, pages[10];
        heads a;
        float *got[2];
        heads_new(&a, n, dtypes[1 + i % 2]);
        if (i % 3 == 2) a.full.key_counts = padic_tensor_1d(PADIC_U32, keys, a.b);
        if (i % 7 == 3 && s > 8) { // ten pages
            const uint64_t page = s / (a.b * 5);
            for (uint32_t t = 0; t < 10; t++) pages[t] = t * 3 % (uint32_t)(a.b * 5);
            a.full.keys = pq_tensor(a.dtype, a.k, 4, a.b * 5, 2, page, size, 0);
            a.full.values = pq_tensor(a.dtype, a.x, 4, a.b * 5, 2, page, size, 0);
            a.full.pages = padic_tensor_2d(PADIC_U32, pages, a.b, 5);
            a.full.key_counts.data = NULL;
            keys[0] = keys[1] = (uint32_t)(5 * page);
        }
        CHECK(attend_there(devices[at % device_count], &a, listed, got));
        for (uint64_t r = 0; r < a.b * a.h; r++) {
            const uint64_t given = i % 3 == 2 ? keys[r / a.h] : s;
            if (listed) attended(&a, r, a.length[r], 1, got);
            else if (!a.full.pages.data) attended(&a, r, given < s ? given : s, 0, got);
        }
        for (uint64_t x = 0; a.full.pages.data && x < a.b * a.h * size; x++)
            CHECK(fabs((double)got[0][x] - (double)a.out[x]) <= (8 + 90 + 12) * ldexp(1, -22));
        free(got[0]), free(got[1]);
        heads_free(&a);
    }
}

// The same, where one number of a key or a value is not finite: it stays in the queries that meet
// it, and in its component.
TEST(attention_wide_not_finite)
{
    static const uint16_t odd[4] = {0x7e01, 0x7c00, 0xfc00, 0xfd55};
    open_devices();
    for (int at = 0; at < 16 * device_count; at++) {
        const int i = at / device_count;
        const uint64_t size = i & 4 ? 64 : 128, s = 77, key = pq_below(s), c = pq_below(size);
        const uint64_t n[8] = {1, 8, 2, 1, s, size, size, 1};
        heads a;
        float *got[2];
        heads_new(&a, n, dtypes[1 + (i >> 3)]);
        ((uint16_t *)(i & 2 ? a.k : a.x))[(s + key) * size + c] =
            (uint16_t)(i & 8 ? (i & 1 ? 0x7f80 : 0xffc1) : odd[i & 3]);
        CHECK(attend_there(devices[at % device_count], &a, 0, got));
        for (uint64_t x = 0; x < 8 * size; x++) {
            const float want = a.out[x], is = got[0][x];
            CHECK(isnan(is) == isnan(want) && isinf(is) == isinf(want));
            if (isinf(want)) CHECK(is == want);
            if (x < 4 * size) CHECK(isfinite(is));
            if (isfinite(want)) CHECK_NEAR(is, want, 2e-5);
        }
        free(got[0]), free(got[1]);
        heads_free(&a);
    }
}

// A row by itself, a head by itself, pages in any order, strides, 64-bit lists and lists of heads
// of keys: the same bits.
TEST(attention_one_order)
{
    static const uint64_t n[8] = {3, 4, 2, 2, 96, 40, 20, 150};
    open_devices();
    for (int at = 0; at < 6 * device_count; at++) {
        padic_context *context = devices[at / 6];
        heads a, b;
        float *got[2], *want[2];
        uint32_t pages[18];
        int64_t list[3 * 4 * 2 * 150];
        uint64_t first = 0, rows;
        heads_new(&a, n, dtypes[at % 3]);
        b = a;
        rows = a.b * a.h * a.n;
        if (at % 6 == 0) { // the last row alone
            b.desc.queries.shape[0] = b.desc.keys.shape[0] = b.desc.values.shape[0] = 1;
            b.desc.lists.shape[0] = b.desc.lengths.shape[0] = b.desc.weights.shape[0] = 1;
            b.desc.out.shape[0] = b.desc.lse.shape[0] = b.desc.status.shape[0] = 1;
            b.desc.queries.data = (float *)a.q + 2 * 4 * 2 * 40;
            b.desc.keys.data = (float *)a.k + 2 * 2 * 96 * 40;
            b.desc.values.data = (float *)a.x + 2 * 2 * 96 * 20;
            b.desc.lists.data = a.list + 2 * 4 * 2 * 150;
            b.desc.weights.data = a.weight + 2 * 4 * 2 * 150;
            b.desc.lengths.data = a.length + 2 * 4 * 2;
            first = 2 * 4 * 2;
            rows = 4 * 2;
        } else if (at % 6 == 1) { // 18 pages of 16 keys, the last first
            const uint64_t size = 2;
            b.k = pq_fresh(18 * 2 * 16 * 40 * size), b.x = pq_fresh(18 * 2 * 16 * 20 * size);
            for (uint32_t t = 0; t < 18; t++) {
                const uint64_t row = t / 6, to = 17 - t;
                pages[t] = (uint32_t)to;
                for (uint64_t g = 0; g < 2; g++) {
                    memcpy((char *)b.k + (to * 2 + g) * 16 * 40 * size,
                           (char *)a.k + ((row * 2 + g) * 96 + t % 6 * 16) * 40 * size,
                           16 * 40 * size);
                    memcpy((char *)b.x + (to * 2 + g) * 16 * 20 * size,
                           (char *)a.x + ((row * 2 + g) * 96 + t % 6 * 16) * 20 * size,
                           16 * 20 * size);
                }
            }
            b.desc.keys = pq_tensor(a.dtype, b.k, 4, 18, 2, 16, 40, 0);
            b.desc.values = pq_tensor(a.dtype, b.x, 4, 18, 2, 16, 20, 0);
            b.desc.pages = padic_tensor_2d(PADIC_U32, pages, 3, 6);
        } else if (at % 6 == 2) {
            for (int i = 0; i < 3600; i++) list[i] = a.list[i];
            b.desc.lists = pq_tensor(PADIC_I64, list, 4, 3, 4, 2, 150, 0);
        } else if (at % 6 == 3) { // a list of both heads
            for (int i = 0; i < 3600; i++)
                a.list[i] = a.list[i / 600 * 600 + i % 300], a.weight[i] = a.weight[i % 300];
            for (int i = 0; i < 24; i++) a.length[i] = a.length[i / 4 * 4 + i % 2];
            b.desc.lists.shape[1] = b.desc.lengths.shape[1] = b.desc.weights.shape[1] = 2;
            b.desc.lists.stride[0] = b.desc.weights.stride[0] = 1200;
            b.desc.lists.stride[1] = b.desc.weights.stride[1] = 600;
            b.desc.lists.stride[2] = b.desc.weights.stride[2] = 150;
            b.desc.lists.stride[3] = b.desc.weights.stride[3] = 1;
            b.desc.lengths.stride[0] = 8, b.desc.lengths.stride[1] = 4;
            b.desc.lengths.stride[2] = 1;
        } else { // gaps between components
            const uint64_t count = 3 * 2 * 96 * 40;
            b.k = pq_fresh(count * 3 * 2);
            for (uint64_t i = 0; i < count; i++)
                ((uint16_t *)b.k)[3 * i] = ((const uint16_t *)a.k)[i];
            b.desc.keys.data = b.k;
            b.desc.keys.stride[3] = 3, b.desc.keys.stride[2] = 120;
            b.desc.keys.stride[1] = 120 * 96, b.desc.keys.stride[0] = 240 * 96;
        }
        CHECK(attend_there(context, &a, 1, want));
        CHECK(attend_there(context, &b, 1, got));
        CHECK(!memcmp(got[0], want[0] + first * 20, rows * 20 * 4));
        CHECK(!memcmp(got[1], want[1] + first, rows * 4));
        free(got[0]), free(got[1]), free(want[0]), free(want[1]);
        if (b.k != a.k) free(b.k);
        if (b.x != a.x) free(b.x);
        heads_free(&a);
    }
}

// NaN and infinity stay in the queries that meet them, as on the host.
TEST(attention_not_finite)
{
    static const uint64_t n[8] = {1, 2, 1, 3, 70, 33, 5, 70};
    open_devices();
    for (int at = 0; at < 5 * device_count; at++) {
        heads a;
        float *got[2];
        heads_new(&a, n, PADIC_F32);
        for (uint64_t i = 0; i < 6 * 70; i++) a.list[i] = (int32_t)(i * 3 % 60), a.weight[i] = 1;
        for (uint64_t i = 0; i < 6; i++) a.length[i] = 70;
        a.list[2 * 70 + 65] = 69; // only query 2 has this key
        if (at % 5 == 0) ((float *)a.q)[3 * 33 + 7] = NAN;
        if (at % 5 == 1) ((float *)a.k)[69 * 33 + 3] = NAN;
        if (at % 5 == 2) ((float *)a.x)[69 * 5 + 3] = NAN;
        if (at % 5 == 3) ((float *)a.x)[69 * 5 + 3] = -INFINITY;
        if (at % 5 == 4) ((float *)a.q)[4 * 33] = 1e30f, ((float *)a.k)[69 * 33] = 1e30f;
        CHECK(attend_there(devices[at / 5], &a, 1, got));
        for (uint64_t i = 0; i < 6 * 5; i++) {
            CHECK(isnan(got[0][i]) == isnan(a.out[i]));
            CHECK(isinf(got[0][i]) == isinf(a.out[i]));
            if (isfinite(a.out[i])) CHECK_NEAR(got[0][i], a.out[i], 4e-6);
        }
        for (uint64_t i = 0; i < 6; i++) CHECK(isnan(got[1][i]) == isnan(a.lse[i]));
        free(got[0]), free(got[1]);
        heads_free(&a);
    }
}

// Any words as lists, lengths, pages and weights: the host's status, its numbers within the bound,
// and nothing else is read or written (plain C runs under a sanitizer).
TEST(attention_hostile)
{
    static const uint64_t n[8] = {2, 4, 2, 2, 64, 24, 11, 70};
    open_devices();
    for (int at = 0; at < (test_tiny ? 8 : 24) * device_count; at++) {
        heads a;
        float *got[2];
        uint32_t pages[8], keys[2];
        int64_t list[16 * 70];
        const int listed = at % 4 != 3;
        heads_new(&a, n, dtypes[at % 3]);
        for (uint64_t i = 0; i < 16 * 70; i++) {
            list[i] = (int64_t)(pq_below(3) ? pq_below(70) : test_random() >> pq_below(64));
            a.list[i] = (int32_t)list[i];
            if (!pq_below(4)) {
                const uint32_t bits = (uint32_t)test_random();
                memcpy(&a.weight[i], &bits, 4);
            }
        }
        for (uint64_t i = 0; i < 16; i++)
            a.length[i] = (uint32_t)(pq_below(3) ? pq_below(80) : test_random());
        for (uint64_t i = 0; i < 8; i++)
            pages[i] = (uint32_t)(pq_below(5) ? pq_below(8) : test_random());
        for (uint64_t i = 0; i < 2; i++)
            keys[i] = (uint32_t)(pq_below(2) ? pq_below(70) : test_random());
        if (at & 1) {
            a.desc.keys = pq_tensor(a.dtype, a.k, 4, 8, 2, 16, 24, 0);
            a.desc.values = pq_tensor(a.dtype, a.x, 4, 8, 2, 16, 11, 0);
            a.desc.pages = padic_tensor_2d(PADIC_U32, pages, 2, 4);
            a.full.keys = a.desc.keys, a.full.values = a.desc.values;
            a.full.pages = a.desc.pages;
        }
        if (at & 2) a.desc.lists = pq_tensor(PADIC_I64, list, 4, 2, 4, 2, 70, 0);
        if (at & 4) a.desc.weights.data = NULL;
        a.full.key_counts = padic_tensor_1d(PADIC_U32, keys, 2);
        a.full.query_counts = padic_tensor_1d(PADIC_U32, a.length, 2);
        CHECK(attend_there(devices[at % device_count], &a, listed, got));
        for (uint64_t i = 0; i < 16 * 11; i++)
            CHECK(fabs((double)got[0][i] - (double)a.out[i]) <= (8 + 90 + 7) * ldexp(1, -22));
        for (uint64_t i = 0; i < 16; i++)
            CHECK(got[1][i] == a.lse[i] ||
                  fabs((double)got[1][i] - (double)a.lse[i]) <= 100 * ldexp(1, -22));
        free(got[0]), free(got[1]);
        heads_free(&a);
    }
}

// Two parts of each list as one are the whole; parts without entries.
TEST(merged)
{
    static const uint64_t n[8] = {2, 4, 2, 2, 64, 16, 150, 90};
    open_devices();
    for (int at = 0; at < 2 * device_count; at++) {
        padic_context *context = devices[at / 2];
        heads a;
        padic_pq_merge_desc desc = PADIC_ZERO, got;
        float *whole[2], *part[2], *half[2], *out, *lse;
        pairs p = PADIC_ZERO;
        heads_new(&a, n, PADIC_F32);
        for (uint64_t i = 0; i < 16; i++) a.length[i] = 90;
        CHECK(attend_there(context, &a, 1, whole));
        for (uint64_t i = 0; i < 16; i++) a.length[i] = (uint32_t)(i % 3 == 0 ? 0 : 10 * (i % 9));
        CHECK(attend_there(context, &a, 1, part));
        for (uint64_t i = 0; i < 16 * 90; i++)
            if (i % 90 < a.length[i / 90]) a.list[i] = -1;
        for (uint64_t i = 0; i < 16; i++) a.length[i] = at & 1 ? 90 : i % 3 ? 90 : 0;
        CHECK(attend_there(context, &a, 1, half));
        out = (float *)pq_fresh(16 * 150 * 4);
        lse = (float *)pq_fresh(16 * 4);
        desc.first = pq_tensor(PADIC_F32, part[0], 4, 2, 4, 2, 150, 0);
        desc.second = pq_tensor(PADIC_F32, half[0], 4, 2, 4, 2, 150, 0);
        desc.first_lse = pq_tensor(PADIC_F32, part[1], 3, 2, 4, 2, 0, 0);
        desc.second_lse = pq_tensor(PADIC_F32, half[1], 3, 2, 4, 2, 0, 0);
        desc.out = pq_tensor(PADIC_F32, out, 4, 2, 4, 2, 150, 0);
        desc.lse = pq_tensor(PADIC_F32, lse, 3, 2, 4, 2, 0, 0);
        got = desc;
        p.context = context;
        put(&p, &got.first);
        put(&p, &got.second);
        put(&p, &got.first_lse);
        put(&p, &got.second_lse);
        put_loose(&p, &got.out);
        put_loose(&p, &got.lse);
        CHECK_EQ(padic_pq_merge(context, &got), PADIC_OK);
        CHECK(same(&p));
        out = fetched(&p, &got.out);
        lse = fetched(&p, &got.lse);
        for (uint64_t i = 0; i < 16; i++) {
            const int none = !(at & 1) && i % 3 == 0;
            if (none) CHECK(lse[i] == -INFINITY);
            else CHECK(fabs((double)lse[i] - (double)whole[1][i]) <= 2e-6);
            for (uint64_t k = i * 150; k < (i + 1) * 150; k++)
                if (none) CHECK(out[k] == 0);
                else CHECK(fabs((double)out[k] - (double)whole[0][k]) <= 8e-6);
        }
        drop(&p);
        for (int i = 0; i < 2; i++) free(whole[i]), free(part[i]), free(half[i]);
        free(desc.out.data), free(desc.lse.data), free(out), free(lse);
        heads_free(&a);
    }
}

// Entries that occur twice, in lists of more than a group's items.
TEST(dense)
{
    static const uint64_t n[8] = {2, 3, 1, 2, 100, 1, 1, 300};
    open_devices();
    for (int at = 0; at < 4 * device_count; at++) {
        padic_context *context = devices[at / 4];
        heads a;
        padic_pq_weights_dense_desc desc = PADIC_ZERO, got;
        float *out = (float *)pq_fresh(12 * 90 * 4);
        int64_t *list = (int64_t *)pq_fresh(12 * 300 * 8);
        pairs p = PADIC_ZERO;
        heads_new(&a, n, PADIC_F32);
        for (uint64_t i = 0; i < 12 * 300; i++) {
            list[i] = (int64_t)(pq_below(9) ? pq_below(100) : test_random());
            a.weight[i] = pq_uniform() * (pq_below(9) ? 1 : 1e-38f);
        }
        a.length[3] = 1000;
        desc.lists = at & 1 ? pq_tensor(PADIC_I64, list, 4, 2, 3, 2, 300, 0) : a.desc.lists;
        desc.lengths = a.desc.lengths;
        if (at & 2) desc.weights = a.desc.weights;
        desc.out = pq_tensor(PADIC_F32, out, 4, 2, 3, 2, 90, 0);
        got = desc;
        p.context = context;
        put(&p, &got.lists);
        put(&p, &got.lengths);
        put(&p, &got.weights);
        put(&p, &got.out);
        CHECK_EQ(padic_pq_weights_dense(context, &got), PADIC_OK);
        CHECK_EQ(padic_pq_weights_dense(NULL, &desc), PADIC_OK);
        CHECK(same(&p));
        drop(&p);
        free(out), free(list);
        heads_free(&a);
    }
}

// Any numbers as lists with sink and window, and the best of them by the keys: the host's lists,
// lengths and status, in one order or the other, by 32 and 64 bits.
static const uint64_t listings[6][8] = {{1, 1, 1, 1, 40, 8, 1, 20},  {2, 4, 2, 2, 300, 33, 1, 290},
                                        {1, 2, 1, 3, 50, 128, 1, 7}, {2, 2, 2, 1, 1000, 5, 1, 700},
                                        {1, 1, 1, 1, 9, 1, 1, 1},    {1, 1, 1, 2, 64, 1024, 1, 64}};

// What both have: counts of rows, and lists that are written.
typedef struct listing {
    heads a;
    int64_t *chosen, *out;
    uint32_t keys[2], queries[2];
    uint64_t rows, cap, sink, window;
    padic_tensor lists, lengths, status, chosen_view, key_counts, query_counts;
} listing;

static void listing_new(listing *l, int at)
{
    const uint64_t *n = listings[at % 6];
    memset(l, 0, sizeof *l);
    heads_new(&l->a, n, dtypes[at % 3]);
    l->rows = n[0] * n[1] * n[3];
    l->sink = pq_below(2) ? pq_below(9) : 0;
    l->window = pq_below(2) ? pq_below(9) : 0;
    l->cap = l->sink + n[7] + l->window + 2;
    l->chosen = (int64_t *)pq_fresh(l->rows * n[7] * 8);
    l->out = (int64_t *)pq_fresh(l->rows * l->cap * 8);
    for (uint64_t i = 0; i < l->rows * n[7]; i++) {
        if (at % 5 == 4) l->a.list[i] = (int32_t)(i % n[7]); // they ascend
        else if (!pq_below(30)) l->a.list[i] = (int32_t)test_random();
        l->chosen[i] = pq_below(30) ? l->a.list[i] : (int64_t)test_random();
    }
    if (!(at & 1)) l->a.length[0] = (uint32_t)n[7] + 5;
    for (int i = 0; i < 2; i++) {
        l->keys[i] = (uint32_t)(pq_below(6) ? pq_below(n[4] + 1) : test_random());
        l->queries[i] = (uint32_t)pq_below(n[3] + 2);
    }
    l->chosen_view = at & 1 ? l->a.desc.lists
                            : pq_tensor(PADIC_I64, l->chosen, 4, n[0], n[1], n[3], n[7], 0);
    l->lists = pq_tensor(at & 2 ? PADIC_I32 : PADIC_I64, l->out, 4, n[0], n[1], n[3], l->cap, 0);
    l->lengths = pq_tensor(PADIC_U32, pq_fresh(l->rows * 4), 3, n[0], n[1], n[3], 0, 0);
    l->status = l->a.desc.status;
    if (at & 4) l->key_counts = padic_tensor_1d(PADIC_U32, l->keys, n[0]);
    if (at & 8) l->query_counts = padic_tensor_1d(PADIC_U32, l->queries, n[0]);
}

static void listing_free(listing *l)
{
    free(l->chosen), free(l->out), free(l->lengths.data);
    heads_free(&l->a);
}

TEST(listed)
{
    open_devices();
    for (int at = 0; at < (test_tiny ? 12 : 48) * device_count; at++) {
        padic_context *context = devices[at % device_count];
        padic_pq_lists_desc desc = PADIC_ZERO, got;
        pairs p = PADIC_ZERO;
        listing l;
        listing_new(&l, at / device_count);
        desc.chosen = l.chosen_view;
        if (pq_below(2)) desc.chosen_lengths = l.a.desc.lengths;
        desc.key_count = pq_below(l.a.s + 9);
        desc.key_counts = l.key_counts;
        desc.query_counts = l.query_counts;
        desc.sink = l.sink;
        desc.window = l.window;
        desc.full_below = pq_below(2) ? pq_below(l.cap) : 0;
        desc.order = (padic_pq_order)pq_below(2);
        desc.lists = l.lists;
        desc.lengths = l.lengths;
        desc.status = l.status;
        got = desc;
        p.context = context;
        put(&p, &got.chosen);
        put(&p, &got.chosen_lengths);
        put(&p, &got.key_counts);
        put(&p, &got.query_counts);
        put(&p, &got.lists);
        put(&p, &got.lengths);
        put(&p, &got.status);
        CHECK_EQ(padic_pq_lists(context, &got), PADIC_OK);
        CHECK_EQ(padic_pq_lists(NULL, &desc), PADIC_OK);
        CHECK(same(&p));
        drop(&p);
        listing_free(&l);
    }
}

TEST(reranked)
{
    open_devices();
    for (int at = 0; at < (test_tiny ? 12 : 48) * device_count; at++) {
        padic_context *context = devices[at % device_count];
        padic_pq_rerank_desc desc = PADIC_ZERO, got;
        uint32_t pages[2 * 4];
        pairs p = PADIC_ZERO;
        listing l;
        listing_new(&l, at / device_count);
        desc.queries = l.a.desc.queries;
        desc.keys = l.a.desc.keys;
        if (pq_below(3) == 0 && l.a.s % 2 == 0) { // pages of half as many keys
            desc.keys = pq_tensor(l.a.dtype, l.a.k, 4, 2 * l.a.b, l.a.g, l.a.s / 2, l.a.d, 0);
            desc.pages = padic_tensor_2d(PADIC_U32, pages, l.a.b, 2);
            for (int i = 0; i < 8; i++) pages[i] = (uint32_t)pq_below(2 * l.a.b + 1);
        }
        if (l.a.dtype == PADIC_F32) { // equal scores; what is not finite
            for (uint64_t i = 0; i < l.a.b * l.a.g * l.a.s * l.a.d; i += 2)
                ((float *)l.a.k)[i] = (float)((int)pq_below(3) - 1);
            ((float *)l.a.k)[pq_below(l.a.s) * l.a.d] = NAN;
            if (pq_below(2)) ((float *)l.a.q)[pq_below(l.rows * l.a.d)] = INFINITY;
        }
        desc.lists = l.chosen_view;
        if (pq_below(2)) desc.list_lengths = l.a.desc.lengths;
        desc.key_count = pq_below(3) ? pq_below(l.a.s + 9) : 0;
        desc.key_counts = l.key_counts;
        desc.query_counts = l.query_counts;
        desc.sink = l.sink;
        desc.window = l.window;
        desc.heavy = pq_below(4) ? pq_below(l.a.c + 1) : l.a.c * 9;
        desc.tie = (padic_pq_tie)pq_below(2);
        desc.order = (padic_pq_order)pq_below(2);
        desc.out = l.lists;
        desc.lengths = l.lengths;
        desc.status = l.status;
        got = desc;
        p.context = context;
        put(&p, &got.queries);
        put(&p, &got.keys);
        put(&p, &got.pages);
        put(&p, &got.lists);
        put(&p, &got.list_lengths);
        put(&p, &got.key_counts);
        put(&p, &got.query_counts);
        put(&p, &got.out);
        put(&p, &got.lengths);
        put(&p, &got.status);
        CHECK_EQ(padic_pq_rerank(context, &got), PADIC_OK);
        CHECK_EQ(padic_pq_rerank(NULL, &desc), PADIC_OK);
        CHECK(same(&p));
        drop(&p);
        listing_free(&l);
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

// ---------------------------------------------------------------------------------------- plans

typedef struct decoder {
    pq_world w;
    float *values, *out, *lse, *fresh;
    uint32_t keys[2], *status;
    padic_pq_plan_desc desc;
} decoder;

enum { DECODED = 2 * 4 * 5 }; // elements of `out`

static void decoder_new(decoder *a, const pq_sizes *is)
{
    memset(a, 0, sizeof *a);
    pq_world_new(&a->w, is, 6);
    books(&a->w);
    a->values = (float *)elements(PADIC_F32, is->b * is->g * is->n * 5);
    a->out = (float *)pq_fresh(DECODED * 4);
    a->lse = (float *)pq_fresh(8 * 4);
    a->status = (uint32_t *)pq_fresh(8 * 4);
    a->fresh = (float *)pq_fresh(is->b * is->g * a->w.d * 4);
    a->desc.append.codebook = a->w.book;
    a->desc.append.cache = a->w.cache;
    a->desc.append.keys = pq_tensor(PADIC_F32, a->fresh, 4, is->b, is->g, 1, a->w.d, 0);
    a->desc.select.queries = a->w.query_view;
    a->desc.select.key_counts = padic_tensor_1d(PADIC_U32, a->keys, is->b);
    a->desc.select.sink = a->desc.select.window = 5;
    a->desc.select.heavy = 30;
    a->desc.attend.keys = a->w.key_view;
    a->desc.attend.values = pq_tensor(PADIC_F32, a->values, 4, is->b, is->g, is->n, 5, 0);
    a->desc.attend.out = pq_tensor(PADIC_F32, a->out, 4, is->b, is->h, 1, 5, 0);
    a->desc.attend.lse = pq_tensor(PADIC_F32, a->lse, 3, is->b, is->h, 1, 0, 0);
    a->desc.attend.status = pq_tensor(PADIC_U32, a->status, 3, is->b, is->h, 1, 0, 0);
}

static void decoder_free(decoder *a)
{
    pq_world_free(&a->w);
    free(a->values), free(a->out), free(a->lse), free(a->status), free(a->fresh);
}

static void decoder_put(pairs *p, padic_pq_plan_desc *desc)
{
    put_book(p, &desc->append.codebook);
    put_cache(p, &desc->append.cache);
    put(p, &desc->append.keys);
    put(p, &desc->select.queries);
    put(p, &desc->select.key_counts);
    put(p, &desc->attend.keys);
    put(p, &desc->attend.values);
    put_loose(p, &desc->attend.out);
    put_loose(p, &desc->attend.lse);
    put(p, &desc->attend.status);
}

// Other keys, queries and lengths, also in the device's memory.
static void decoder_next(decoder *a, const padic_pq_plan_desc *there, padic_context *context)
{
    const padic_tensor *const to[3] = {&there->append.keys, &there->select.queries,
                                       &there->select.key_counts};
    const void *from[3];
    from[0] = a->fresh, from[1] = a->w.queries, from[2] = a->keys;
    for (uint32_t b = 0; b < 2; b++) a->keys[b] = a->w.lengths[b] + 1;
    for (uint64_t i = 0; i < 4 * a->w.d; i++) a->fresh[i] = pq_uniform();
    for (uint64_t i = 0; i < 8 * a->w.d; i++) a->w.queries[i] = pq_uniform();
    for (int i = 0; i < 3; i++)
        CHECK_EQ(padic_buffer_upload(context, to[i]->buffer, to[i]->offset * 4, from[i],
                                     padic_tensor_count(to[i]) * 4),
                 PADIC_OK);
}

// The plan's lists are the host's, and so is all memory of the descs; the attention is near.
static void decoded(const decoder *a, const pairs *p, const padic_pq_plan_desc *there,
                    const padic_pq_plan *plan, const padic_pq_plan *host)
{
    padic_pq_plan_report got, want;
    const padic_tensor *one, *two;
    CHECK_EQ(padic_pq_plan_info(plan, &got), PADIC_OK);
    CHECK_EQ(padic_pq_plan_info(host, &want), PADIC_OK);
    for (int i = 0; i < 3; i++) {
        float *x;
        one = i == 0 ? &got.lists : i == 1 ? &got.lengths : &got.status;
        two = i == 0 ? &want.lists : i == 1 ? &want.lengths : &want.status;
        CHECK_EQ(padic_tensor_count(one), padic_tensor_count(two));
        x = fetched(p, one);
        CHECK(!memcmp(x, two->data, padic_tensor_count(two) * 4));
        free(x);
    }
    CHECK(same(p));
    for (int i = 0; i < 2; i++) {
        float *x = fetched(p, i ? &there->attend.lse : &there->attend.out);
        for (int k = 0; k < (i ? 8 : DECODED); k++)
            CHECK_NEAR(x[k], i ? a->lse[k] : a->out[k], 6e-6);
        free(x);
    }
}

// Steps of a plan, and replays of one: keys are added, lists made and attended to while lengths
// grow in the device's memory, and nothing comes back to the host. A step that has no room for its
// key leaves the cache as it is.
TEST(planned)
{
    const pq_sizes is = {2, 2, 4, 1, 400, 2, 4, 4, 0};
    open_devices();
    for (int d = 0; d < device_count; d++) {
        padic_context *context = devices[d];
        padic_pq_plan *host = NULL, *plan = NULL;
        padic_pq_plan_desc there;
        padic_record record = {0};
        padic_stats before, stats;
        pairs p = PADIC_ZERO;
        uint32_t length = 0;
        decoder a;
        decoder_new(&a, &is);
        CHECK_EQ(pq_append(NULL, &a.w, 0, 376), PADIC_OK);
        p.context = context;
        there = a.desc;
        decoder_put(&p, &there);
        CHECK_EQ(padic_pq_plan_create(NULL, &a.desc, &host), PADIC_OK);
        CHECK_EQ(padic_pq_plan_create(context, &there, &plan), PADIC_OK);
        for (int step = 0; step < 9; step++) {
            decoder_next(&a, &there, context);
            if (step == 2) {
                CHECK_EQ(padic_record_begin(context), PADIC_OK);
                CHECK_EQ(padic_pq_plan_step(plan, NULL), PADIC_OK);
                CHECK_EQ(padic_record_end(context, &record), PADIC_OK);
            }
            padic_context_stats(context, &before);
            if (step < 2) CHECK_EQ(padic_pq_plan_step(plan, NULL), PADIC_OK);
            else CHECK_EQ(padic_record_replay(context, record, 1), PADIC_OK);
            padic_context_stats(context, &stats);
            if (step == 1) CHECK_EQ(stats.launches - before.launches, 2 + 4 + 2);
            CHECK(step == 0 || stats.host_allocations == before.host_allocations);
            CHECK(step == 0 || stats.device_allocations == before.device_allocations);
            CHECK(step < 2 || stats.downloads == before.downloads);
            CHECK(step < 2 || stats.syncs == before.syncs);
            CHECK_EQ(padic_pq_plan_step(host, NULL), step < 8 ? PADIC_OK : PADIC_ERROR_CAPACITY);
            if (step < 8) decoded(&a, &p, &there, plan, host);
        }
        CHECK_EQ(a.w.lengths[0], 384);
        CHECK_EQ(padic_buffer_download(context, there.append.cache.lengths.buffer, 16, &length, 4),
                 PADIC_OK);
        CHECK_EQ(length, 384);
        CHECK(same(&p)); // codes and counts, too
        CHECK_EQ(padic_record_drop(context, record), PADIC_OK);
        padic_pq_plan_destroy(plan);
        padic_pq_plan_destroy(host);
        drop(&p);
        decoder_free(&a);
    }
}

// Lists and the cache of a plan are the host's.
static void planned_same(const pairs *p, const padic_pq_plan *plan, const padic_pq_plan *host)
{
    padic_pq_plan_report got, want;
    float *x;
    CHECK_EQ(padic_pq_plan_info(plan, &got), PADIC_OK);
    CHECK_EQ(padic_pq_plan_info(host, &want), PADIC_OK);
    x = fetched(p, &got.lists);
    CHECK(!memcmp(x, want.lists.data, padic_tensor_count(&want.lists) * 4));
    free(x);
    CHECK(same(p));
}

// The steps that one launch can do, of a key and a list for each head: rows that are long enough
// for counts of cells, of lengths that only the device knows, and then without room.
TEST(planned_keys)
{
    const pq_sizes is = {2, 2, 2, 1, 9030, 2, 3, 6, 0};
    open_devices();
    for (int d = 0; d < device_count; d++) {
        padic_context *context = devices[d];
        padic_pq_plan *host = NULL, *plan = NULL;
        padic_pq_plan_desc desc = PADIC_ZERO, there;
        padic_record record = {0};
        pairs p = PADIC_ZERO;
        float fresh[2 * 2 * 6];
        pq_world w;
        pq_world_new(&w, &is, 141);
        books(&w);
        CHECK_EQ(pq_append(NULL, &w, 0, 9018), PADIC_OK);
        desc.parts = PADIC_PQ_PLAN_APPEND | PADIC_PQ_PLAN_SELECT;
        desc.append.codebook = w.book;
        desc.append.cache = w.cache;
        desc.append.keys = pq_tensor(PADIC_F32, fresh, 4, 2, 2, 1, w.d, 0);
        desc.select.queries = w.query_view;
        desc.select.sink = desc.select.window = 5;
        desc.select.heavy = 30;
        there = desc;
        p.context = context;
        put_book(&p, &there.append.codebook);
        put_cache(&p, &there.append.cache);
        put(&p, &there.append.keys);
        put(&p, &there.select.queries);
        CHECK_EQ(padic_pq_plan_create(NULL, &desc, &host), PADIC_OK);
        CHECK_EQ(padic_pq_plan_create(context, &there, &plan), PADIC_OK);
        for (int step = 0; step < 8; step++) {
            for (uint64_t i = 0; i < 4 * w.d; i++) fresh[i] = pq_uniform();
            for (uint64_t i = 0; i < 4 * w.d; i++) w.queries[i] = step == 4 ? 0 : pq_uniform();
            CHECK_EQ(padic_buffer_upload(context, there.append.keys.buffer, 16, fresh, 16 * w.d),
                     PADIC_OK);
            CHECK_EQ(padic_buffer_upload(context, there.select.queries.buffer, 16, w.queries,
                                         16 * w.d),
                     PADIC_OK);
            if (step == 1) {
                CHECK_EQ(padic_record_begin(context), PADIC_OK);
                CHECK_EQ(padic_pq_plan_step(plan, NULL), PADIC_OK);
                CHECK_EQ(padic_record_end(context, &record), PADIC_OK);
            }
            if (step < 1) CHECK_EQ(padic_pq_plan_step(plan, NULL), PADIC_OK);
            else CHECK_EQ(padic_record_replay(context, record, 1), PADIC_OK);
            CHECK_EQ(padic_pq_plan_step(host, NULL), step < 6 ? PADIC_OK : PADIC_ERROR_CAPACITY);
            if (step < 6) planned_same(&p, plan, host);
            else CHECK(same(&p));
        }
        CHECK_EQ(padic_record_drop(context, record), PADIC_OK);
        padic_pq_plan_destroy(plan);
        padic_pq_plan_destroy(host);
        drop(&p);
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

// Packed codes: keys in pieces that begin and end anywhere in a tile, scores, lists; tables of more
// numbers than local memory holds.
TEST(packed)
{
    static const pq_sizes shapes[3] = {
        {2, 1, 2, 1, 300, 2, 3, 6, 0}, {1, 2, 2, 2, 200, 3, 2, 5, 0},
        {1, 1, 1, 1, 150, 17, 2, 6, 1}};
    open_devices();
    for (int at = 0; at < 3 * device_count; at++) {
        static const uint64_t pieces[] = {1, 16, 15, 31, 70, 1};
        padic_context *context = devices[at / 3];
        padic_pq_select_desc desc = PADIC_ZERO;
        uint64_t done = 0;
        lists l;
        pq_world w;
        pq_world_new(&w, &shapes[at % 3], 5);
        pq_world_pack(&w);
        books(&w);
        for (int i = 0; i < 6; i++) {
            padic_pq_append_desc one = append_of(&w, done, pieces[i]), got = one;
            pairs p = PADIC_ZERO;
            p.context = context;
            put_book(&p, &got.codebook);
            put_cache(&p, &got.cache);
            put(&p, &got.keys);
            CHECK_EQ(padic_pq_append(context, &got), PADIC_OK);
            CHECK_EQ(padic_pq_append(NULL, &one), PADIC_OK);
            CHECK(same(&p));
            drop(&p);
            done += pieces[i];
        }
        CHECK(score_same(context, &w, &w.cache, w.is.n));
        desc.codebook = w.book;
        desc.cache = w.cache;
        desc.queries = w.query_view;
        desc.heavy = 30;
        desc.sink = desc.window = 3;
        lists_of(&l, &w, &desc);
        for (int how = 0; how < 3; how++) {
            desc.method = (padic_pq_method)how;
            CHECK(select_same(context, &desc));
        }
        lists_free(&l);
        pq_world_free(&w);
    }
}

// Tables without a cache, of one codebook for all rows, too; queries that are not finite.
TEST(tables)
{
    open_devices();
    for (int at = 0; at < SIZES * device_count; at++) {
        padic_context *context = devices[at / SIZES];
        const pq_sizes *is = &sizes[at % SIZES];
        padic_pq_lut_desc desc = PADIC_ZERO, got;
        const uint64_t rows = is->b * is->h * is->s_q;
        pairs p = PADIC_ZERO;
        float *out;
        pq_world w;
        if (is->n > 1000) continue;
        pq_world_new(&w, is, 1);
        books(&w);
        out = (float *)pq_fresh(rows * is->m * w.K * 4);
        w.queries[w.d - 1] = at & 1 ? NAN : 0;
        desc.codebook = w.book;
        desc.codebook.centroids.shape[0] = desc.codebook.scaled.shape[0] =
            desc.codebook.info.shape[0] = 1;
        desc.queries = w.query_view;
        desc.out = pq_tensor(PADIC_F32, out, 5, is->b, is->h, is->s_q, is->m, w.K);
        got = desc;
        p.context = context;
        put_book(&p, &got.codebook);
        put(&p, &got.queries);
        put(&p, &got.out);
        CHECK_EQ(padic_pq_lut(context, &got), PADIC_OK);
        CHECK_EQ(padic_pq_lut(NULL, &desc), PADIC_OK);
        CHECK(same(&p));
        drop(&p);
        free(out);
        pq_world_free(&w);
    }
}

// Pages of two tiles for the caches below, 6 tiles a row: those of a row come in any order, and the
// last two are no row's.
static void paged(pq_world *w, uint32_t *pages)
{
    uint64_t *shape = w->cache.codes.shape;
    for (uint32_t i = 0; i < 3 * w->is.b; i++) pages[i] = i * 5 % (3 * (uint32_t)w->is.b);
    shape[0] = 3 * w->is.b + 2;
    shape[2] = 2;
    w->cache.codes = padic_tensor_nd(w->cache.codes.dtype, w->codes, 5, shape);
    w->cache.pages = pq_tensor(PADIC_U32, pages, 2, w->is.b, 3, 0, 0, 0);
}

// What a cache's rows have become on the device and on the host, by the same call with the same
// result.
#define ROWS_CALL(call, desc, more)                           \
    do {                                                      \
        pairs p = PADIC_ZERO;                                 \
        padic_pq_##call##_desc got = desc;                    \
        padic_result want;                                    \
        p.context = context;                                  \
        put_cache(&p, &got.cache);                            \
        more;                                                 \
        want = padic_pq_##call(NULL, &desc);                  \
        CHECK_EQ(padic_pq_##call(context, &got), want);       \
        CHECK(same(&p)); /* with an error nothing was written */ \
        drop(&p);                                             \
    } while (0)

// Rows that are shortened, shared, read and set, as the host does it, errors and all; what is
// appended after a cut is what there would be at once.
TEST(rows)
{
    static const pq_sizes shapes[4] = {
        {2, 1, 1, 1, 380, 2, 2, 4, 0}, {2, 2, 2, 1, 300, 2, 2, 6, 0},
        {2, 2, 2, 1, 370, 2, 2, 5, 0}, {3, 1, 1, 1, 290, 3, 2, 9, 0}};
    static const padic_dtype widths[4] = {PADIC_U8, PADIC_I64, PADIC_I32, PADIC_U16};
    open_devices();
    for (int at = 0; at < 8 * device_count; at++) {
        padic_context *context = devices[at / 8];
        const pq_sizes *is = &shapes[at % 4];
        const uint64_t count = is->b * is->g * (is->n + 3) * is->m;
        padic_pq_truncate_desc cut = PADIC_ZERO;
        padic_pq_fork_desc fork = PADIC_ZERO;
        padic_pq_export_desc out = PADIC_ZERO;
        padic_pq_import_desc in = PADIC_ZERO;
        uint32_t pages[9], keep[3] = {70, 0, 129}, some[3] = {5, 200, 64};
        uint64_t *flat = (uint64_t *)pq_fresh(count * 8);
        pq_world w;
        pq_world_new(&w, is, 8);
        if (at % 4 == 2) pq_world_pack(&w);
        w.cache.bits = is->bits;
        books(&w);
        if (at & 4) paged(&w, pages);
        CHECK_EQ(pq_append(NULL, &w, 0, is->n - 9), PADIC_OK);
        out.cache = w.cache;
        out.out = pq_tensor(widths[at % 4], flat, 4, is->b, is->g, is->n + 3, is->m, 0);
        ROWS_CALL(export, out, put(&p, &got.out));
        cut.cache = w.cache;
        cut.lengths = padic_tensor_1d(PADIC_U32, keep, is->b);
        keep[1] = (uint32_t)is->n; // more than the row has
        ROWS_CALL(truncate, cut, put(&p, &got.lengths));
        keep[1] = 0;
        ROWS_CALL(truncate, cut, put(&p, &got.lengths));
        if (at & 4) {
            fork.cache = w.cache;
            fork.from = 0, fork.to = 1;
            fork.page = 3 * is->b;
            ROWS_CALL(fork, fork, (void)0);
            fork.length = 71; // of 70
            ROWS_CALL(fork, fork, (void)0);
            fork.length = 64;
            fork.page = 99;
            ROWS_CALL(fork, fork, (void)0);
        }
        in.cache = w.cache;
        in.codes = out.out;
        in.codes.shape[2] = is->n;
        in.codes.stride[3] = 1, in.codes.stride[2] = (int64_t)is->m;
        in.codes.stride[1] = (int64_t)((is->n + 3) * is->m);
        in.codes.stride[0] = (int64_t)(is->g * (is->n + 3) * is->m);
        for (int i = 0; i < 4; i++) { // right, too many keys, a code that is none, all keys
            some[1] = i == 1 ? (uint32_t)is->n + 1 : 200;
            if (i < 3) in.key_counts = padic_tensor_1d(PADIC_U32, some, is->b);
            if (i == 2) ((uint8_t *)flat)[40 * padic_dtype_size(widths[at % 4])] ^= 128;
            if (i == 2 && at % 4 == 3) ((uint8_t *)flat)[81] ^= 128;
            if (i == 3) in.key_counts.data = NULL;
            ROWS_CALL(import, in, put(&p, &got.codes); put(&p, &got.key_counts));
        }
        for (int i = 0; i < 3 && at & 4; i++) { // a page that is none, lengths beyond the tiles
            pages[1] = i == 0 ? 1000 : 2;
            w.lengths[0] = i == 1 ? 385 : 130;
            ROWS_CALL(export, out, put(&p, &got.out));
            ROWS_CALL(truncate, cut, put(&p, &got.lengths));
        }
        free(flat);
        pq_world_free(&w);
    }
}

// Keys at once, and added, cut and added again, in a recording that is replayed: the same bytes.
TEST(cut_and_added)
{
    const pq_sizes is = {2, 1, 1, 1, 250, 2, 2, 6, 0};
    open_devices();
    for (int d = 0; d < 2 * device_count; d++) {
        padic_context *context = devices[d / 2];
        uint32_t keep[2] = {100, 100};
        padic_pq_append_desc one, got;
        padic_pq_truncate_desc cut = PADIC_ZERO;
        padic_record record = {0};
        pairs p = PADIC_ZERO;
        pq_world w;
        pq_world_new(&w, &is, 4);
        if (d & 1) pq_world_pack(&w);
        w.cache.bits = is.bits;
        books(&w);
        CHECK_EQ(pq_append(NULL, &w, 0, 130), PADIC_OK);
        one = append_of(&w, 100, 150);
        got = one;
        p.context = context;
        put_book(&p, &got.codebook);
        put_cache(&p, &got.cache);
        put(&p, &got.keys);
        cut.cache = got.cache;
        cut.lengths = padic_tensor_1d(PADIC_U32, keep, 2);
        put(&p, &cut.lengths);
        CHECK_EQ(padic_pq_truncate(context, &cut), PADIC_OK);
        CHECK_EQ(padic_pq_append(context, &got), PADIC_OK);
        CHECK_EQ(padic_record_begin(context), PADIC_OK);
        CHECK_EQ(padic_pq_truncate(context, &cut), PADIC_OK);
        CHECK_EQ(padic_pq_append(context, &got), PADIC_OK);
        CHECK_EQ(padic_record_end(context, &record), PADIC_OK);
        CHECK_EQ(pq_append(NULL, &w, 130, 120), PADIC_OK);
        CHECK_EQ(padic_record_replay(context, record, 2), PADIC_OK);
        CHECK(same(&p));
        keep[0] = 251; // beyond the row: nothing of the replay's first part happens
        CHECK_EQ(padic_buffer_upload(context, cut.lengths.buffer, 16, keep, 8), PADIC_OK);
        CHECK_EQ(padic_record_replay(context, record, 1), PADIC_OK);
        CHECK(same(&p));
        CHECK_EQ(padic_record_drop(context, record), PADIC_OK);
        drop(&p);
        pq_world_free(&w);
    }
}

TEST_MAIN("gpu_pq", CASE(codes), CASE(flat), CASE(selected), CASE(sweep), CASE(hostile),
          CASE(options), CASE(counts), CASE(topk), CASE(attention), CASE(attention_full),
          CASE(attention_wide), CASE(attention_wide_not_finite), CASE(attention_one_order),
          CASE(attention_not_finite), CASE(attention_hostile), CASE(merged), CASE(dense),
          CASE(listed), CASE(reranked), CASE(recorded), CASE(planned), CASE(planned_keys),
          CASE(errors), CASE(packed), CASE(tables), CASE(rows), CASE(cut_and_added),
          CASE(no_kernel_was_dropped))
