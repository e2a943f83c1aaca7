// test_pq_outside.c: written from the header and the specification alone. Whole pipelines of random
// shapes: training, codes as the header lays them out, rows of unequal lengths, pages in any order,
// numbers of any size and type; every list against a sort of fp64 scores within the stated error,
// attention over it against fp64 sums.
#define PADIC_IMPLEMENTATION
#include "../../padic.h"
#include "../../backends/padic_simd.h"
#include "../support/padic_test.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static uint64_t below(uint64_t n)
{
    return test_random() % n;
}

static void *fresh(uint64_t bytes)
{
    void *p = calloc((size_t)(bytes ? bytes : 1), 1);
    if (!p) exit(1);
    return p;
}

static padic_tensor shaped(padic_dtype dtype, void *data, uint32_t rank, uint64_t a, uint64_t b,
                           uint64_t c, uint64_t d, uint64_t e)
{
    uint64_t shape[5];
    shape[0] = a, shape[1] = b, shape[2] = c, shape[3] = d, shape[4] = e;
    return padic_tensor_nd(dtype, data, rank, shape);
}

// A value of a 16-bit type: bf16 by its bits, f16 by its definition.
static double half_value(padic_dtype dtype, uint16_t bits)
{
    const int sign = bits >> 15, exponent = bits >> 10 & 31, fraction = bits & 1023;
    const uint32_t wide = (uint32_t)bits << 16;
    float f;
    double size;
    if (dtype == PADIC_BF16) {
        memcpy(&f, &wide, 4);
        return (double)f;
    }
    size = exponent ? ldexp(1024 + fraction, exponent - 25) : ldexp(fraction, -24);
    return sign ? -size : size;
}

typedef struct array { // numbers of a type, and their values
    padic_dtype dtype;
    void *data;
    double *value;
} array;

// Uniform in (-size, size); of 16 bits any finite pattern of a size at most about 4.
static array numbers(padic_dtype dtype, uint64_t count, double size)
{
    array a;
    a.dtype = dtype;
    a.data = fresh(count * 4);
    a.value = (double *)fresh(count * 8);
    for (uint64_t i = 0; i < count; i++) {
        if (dtype == PADIC_F32) {
            const double u = (double)(test_random() >> 11) / 4503599627370496.0 - 1;
            const float f = (float)(u * size);
            ((float *)a.data)[i] = f;
            a.value[i] = (double)f;
        } else {
            const uint16_t bits = (uint16_t)((test_random() & 0x8000u) |
                                             below(dtype == PADIC_F16 ? 0x4400 : 0x4080));
            ((uint16_t *)a.data)[i] = bits;
            a.value[i] = half_value(dtype, bits);
        }
    }
    return a;
}

static void forget(array *a)
{
    free(a->data);
    free(a->value);
}

typedef struct entry {
    double score;
    int64_t position;
} entry;

static int by_score(const void *a_, const void *b_)
{
    const entry *a = (const entry *)a_, *b = (const entry *)b_;
    return a->score > b->score ? -1 : a->score < b->score;
}

typedef struct world {
    uint64_t b, g, h, s_q, n, m, ds, K, D, d, start, tiles, page, row_pages, pages;
    uint64_t sink, window, heavy, cap;
    uint32_t bits, *lengths, *table, *keys;
    float *centroids, *scaled;
    int32_t *info, *list;
    uint16_t *flat; // codes of keys, as encode gives them
    uint32_t *length;
    uint8_t *codes;
    array key, query, value;
    padic_pq_codebook book;
    padic_pq_cache cache;
} world;

static void world_choose(world *w)
{
    static const padic_dtype types[3] = {PADIC_F32, PADIC_F16, PADIC_BF16};
    static const double sizes[5] = {1, 1e-3, 3e30, 1e-37, 2e-40};
    const int ip = below(3) == 0;
    memset(w, 0, sizeof *w);
    w->b = 1 + below(3), w->g = 1 + below(3), w->h = w->g * (1 + below(3)), w->s_q = 1 + below(3);
    w->n = 1 + below(below(2) ? 40 : 500);
    w->m = 1 + below(5), w->ds = 1 + below(7), w->bits = 1 + (uint32_t)below(9);
    w->K = (uint64_t)1 << w->bits, w->D = w->ds + (ip ? 1 : 0), w->d = w->m * w->ds;
    w->start = below(2) ? 0 : below(20);
    w->tiles = (w->n + 63) / 64 + below(2);
    w->page = 1 + below(2);
    w->row_pages = (w->tiles + w->page - 1) / w->page;
    w->pages = w->b * w->row_pages + 2;
    w->key = numbers(types[below(3)], w->b * w->g * w->n * w->d, sizes[below(5)]);
    w->query = numbers(types[below(3)], w->b * w->h * w->s_q * w->d, sizes[below(5)]);
    w->centroids = (float *)fresh(w->b * w->g * w->m * w->K * w->D * 4);
    w->scaled = (float *)fresh(w->b * w->g * w->m * w->K * (w->D + 1) * 4);
    w->info = (int32_t *)fresh(w->b * w->g * w->m * 16);
    w->book.metric = ip ? PADIC_PQ_METRIC_IP : PADIC_PQ_METRIC_L2;
    w->book.centroids = shaped(PADIC_F32, w->centroids, 5, w->b, w->g, w->m, w->K, w->D);
    w->book.scaled = shaped(PADIC_F32, w->scaled, 5, w->b, w->g, w->m, w->D + 1, w->K);
    w->book.info = shaped(PADIC_I32, w->info, 4, w->b, w->g, w->m, 4, 0);
    w->lengths = (uint32_t *)fresh(w->b * 4);
    w->keys = (uint32_t *)fresh(w->b * 4);
    w->flat = (uint16_t *)fresh(w->b * w->g * w->n * w->m * 2);
}

// Pages in random order, or none; rows of unequal lengths.
static void world_cache(world *w)
{
    const uint64_t width = w->bits <= 4 ? 32 : 64, size = w->bits > 8 ? 2 : 1;
    const int paged = (int)below(2);
    const uint64_t rows = paged ? w->pages : w->b, tiles = paged ? w->page : w->tiles;
    w->codes = (uint8_t *)fresh(rows * w->g * tiles * w->m * width * size);
    w->cache.codes = shaped(size == 2 ? PADIC_U16 : PADIC_U8, w->codes, 5, rows, w->g, tiles, w->m,
                            width);
    w->cache.lengths = padic_tensor_1d(PADIC_U32, w->lengths, w->b);
    w->cache.start = w->start;
    w->cache.bits = w->bits;
    w->table = (uint32_t *)fresh(w->pages * 4);
    for (uint64_t i = 0; i < w->pages; i++) w->table[i] = (uint32_t)i;
    for (uint64_t i = w->pages; i-- > 1;) {
        const uint64_t k = below(i + 1);
        const uint32_t t = w->table[i];
        w->table[i] = w->table[k];
        w->table[k] = t;
    }
    if (paged) w->cache.pages = padic_tensor_2d(PADIC_U32, w->table, w->b, w->row_pages);
}

static void world_free(world *w)
{
    forget(&w->key);
    forget(&w->query);
    free(w->centroids), free(w->scaled), free(w->info), free(w->lengths), free(w->keys);
    free(w->flat), free(w->codes), free(w->table), free(w->list), free(w->length);
}

static double centroid(const world *w, uint64_t b, uint64_t g, uint64_t j, uint64_t k, uint64_t i)
{
    return (double)w->centroids[(((b * w->g + g) * w->m + j) * w->K + k) * w->D + i];
}

// Every code is a nearest centroid among those in use, within what sums in f32 can tell.
static void codes_check(const world *w)
{
    if (w->book.metric == PADIC_PQ_METRIC_IP) return; // its last component is the library's
    for (uint64_t r = 0; r < w->b * w->g; r++)
        for (uint64_t p = 0; p < w->n; p += 1 + below(9))
            for (uint64_t j = 0; j < w->m; j++) {
                const double *x = w->key.value + (r * w->n + p) * w->d + j * w->ds;
                const uint64_t used = (uint64_t)w->info[(r * w->m + j) * 4 + 1];
                const uint64_t code = w->flat[(r * w->n + p) * w->m + j];
                double own = 0, least = INFINITY, size = 0, large = 0;
                for (uint64_t k = 0; k < used; k++) {
                    double apart = 0;
                    for (uint64_t i = 0; i < w->ds; i++) {
                        const double c = centroid(w, r / w->g, r % w->g, j, k, i);
                        apart += (x[i] - c) * (x[i] - c);
                        size = fmax(size, (fabs(x[i]) + fabs(c)) * (fabs(x[i]) + fabs(c)));
                        large = fmax(large, fabs(c));
                    }
                    if (apart < least) least = apart;
                    if (k == code) own = apart;
                }
                for (uint64_t k = 0; k < w->m * w->K; k++) // the scale is that of the head
                    for (uint64_t i = 0; i < w->ds; i++)
                        large = fmax(large, fabs(centroid(w, r / w->g, r % w->g, 0, k, i)));
                CHECK(code < used);
                CHECK(own <= least + 2 * (double)w->ds *
                                         (4 * (double)(w->ds + 2) * 5.9604644775390625e-8 * size +
                                          8 * large * large * 3.637978807091713e-12));
            }
}

// <q, decode(code)>, and the error that the header states.
static double score_of(const world *w, uint64_t b, uint64_t h, uint64_t i, uint64_t p,
                       double *bound)
{
    const uint64_t g = h / (w->h / w->g);
    const double *q = w->query.value + ((b * w->h + h) * w->s_q + i) * w->d;
    double sum = 0, size = 0, q_most = 0, c_most = 0;
    for (uint64_t j = 0; j < w->m; j++) {
        const uint64_t code = w->flat[((b * w->g + g) * w->n + p) * w->m + j];
        for (uint64_t k = 0; k < w->ds; k++) {
            const double one = q[j * w->ds + k] * centroid(w, b, g, j, code, k);
            sum += one;
            size += fabs(one);
        }
        for (uint64_t k = 0; k < w->K * w->D; k++)
            c_most = fmax(c_most, fabs((double)w->centroids[((b * w->g + g) * w->m + j) * w->K *
                                                                w->D + k]));
    }
    for (uint64_t k = 0; k < w->d; k++) q_most = fmax(q_most, fabs(q[k]));
    *bound = 1.01 * (double)(w->ds + w->m) * 5.9604644775390625e-8 * size +
             (double)w->d * 7.275957614183426e-12 * q_most * c_most;
    return sum;
}

// One list: its parts, ascending, each position once; the heavy part within the error.
static void list_check(const world *w, uint64_t r, const int32_t *list, uint32_t length)
{
    const uint64_t i = r % w->s_q, h = r / w->s_q % w->h, b = r / w->s_q / w->h;
    const int64_t seen = (int64_t)w->keys[b] - (int64_t)w->s_q + (int64_t)i + 1;
    const uint64_t L = seen > 0 ? (uint64_t)seen : 0;
    uint64_t n = 0, k, at = w->sink;
    double most = 0, tau;
    entry *all;
    for (uint64_t e = 0; e < w->cap; e++) {
        CHECK(e < length || list[e] == -1);
        CHECK(e >= length || (list[e] >= 0 && (uint64_t)list[e] < L));
        CHECK(e >= length || !e || list[e] > list[e - 1]);
    }
    if (L <= w->sink + w->heavy + w->window) {
        CHECK_EQ(length, L);
        return;
    }
    all = (entry *)fresh((w->n + 1) * sizeof *all);
    for (uint64_t p = 0; p < w->lengths[b]; p++) {
        double bound;
        const uint64_t position = p + w->start;
        if (position < w->sink || position + w->window >= L) continue;
        all[n].score = score_of(w, b, h, i, p, &bound);
        all[n++].position = (int64_t)position;
        most = fmax(most, bound);
    }
    k = w->heavy < n ? w->heavy : n;
    CHECK_EQ(length, w->sink + k + w->window);
    for (uint64_t e = 0; e < w->sink && e < length; e++) CHECK_EQ(list[e], e);
    for (uint64_t e = 0; e < w->window && e < length; e++)
        CHECK_EQ(list[length - 1 - e], L - 1 - e);
    qsort(all, (size_t)n, sizeof *all, by_score);
    tau = k ? all[k - 1].score : 0;
    for (uint64_t e = 0; e < n && k; e++) {
        int in = 0;
        for (at = w->sink; at < w->sink + k; at++) in |= list[at] == all[e].position;
        if (all[e].score > tau + 2 * most) CHECK(in);
        if (all[e].score < tau - 2 * most) CHECK(!in);
    }
    free(all);
}

// Attention over the lists by the formula of the header, in fp64.
static void attend_check(padic_context *context, world *w)
{
    const uint64_t s = w->n + w->start, v = 8 * (1 + below(3)), d = 16, rows = w->b * w->h * w->s_q;
    static const padic_dtype types[3] = {PADIC_F32, PADIC_F16, PADIC_BF16};
    array q = numbers(types[below(3)], rows * d, 2);
    array k = numbers(types[below(3)], w->b * w->g * s * d, 2);
    array x = numbers(types[below(3)], w->b * w->g * s * v, 1);
    float *out = (float *)fresh(rows * v * 4), *lse = (float *)fresh(rows * 4);
    padic_pq_attend_desc desc = PADIC_ZERO;
    desc.queries = shaped(q.dtype, q.data, 4, w->b, w->h, w->s_q, d, 0);
    desc.keys = shaped(k.dtype, k.data, 4, w->b, w->g, s, d, 0);
    desc.values = shaped(x.dtype, x.data, 4, w->b, w->g, s, v, 0);
    desc.lists = shaped(PADIC_I32, w->list, 4, w->b, w->h, w->s_q, w->cap, 0);
    desc.lengths = shaped(PADIC_U32, w->length, 3, w->b, w->h, w->s_q, 0, 0);
    desc.out = shaped(PADIC_F32, out, 4, w->b, w->h, w->s_q, v, 0);
    desc.lse = shaped(PADIC_F32, lse, 3, w->b, w->h, w->s_q, 0, 0);
    CHECK_EQ(padic_pq_attend(context, &desc), PADIC_OK);
    for (uint64_t r = 0; r < rows; r++) {
        const uint64_t head = r / w->s_q % w->h, b = r / w->s_q / w->h;
        const uint64_t base = (b * w->g + head / (w->h / w->g)) * s;
        double *logit = (double *)fresh((w->cap + 1) * 8), most = -INFINITY, sum = 0, large = 0;
        for (uint64_t e = 0; e < w->length[r]; e++) {
            const uint64_t p = base + (uint64_t)w->list[r * w->cap + e];
            for (uint64_t i = 0; i < d; i++)
                logit[e] += q.value[r * d + i] * k.value[p * d + i] / 4;
            most = fmax(most, logit[e]);
            large = fmax(large, fabs(logit[e]));
        }
        for (uint64_t e = 0; e < w->length[r]; e++) sum += exp(logit[e] - most);
        for (uint64_t i = 0; i < v; i++) {
            double o = 0, size = 0;
            for (uint64_t e = 0; e < w->length[r]; e++) {
                const uint64_t p = base + (uint64_t)w->list[r * w->cap + e];
                o += exp(logit[e] - most) / sum * x.value[p * v + i];
                size += exp(logit[e] - most) / sum * fabs(x.value[p * v + i]);
            }
            CHECK(fabs(o - (double)out[r * v + i]) <=
                  (8 + large + log2((double)w->length[r] + 1)) * 1.1920928955078125e-7 * size +
                      1e-300);
        }
        if (w->length[r]) CHECK_NEAR(lse[r], most + log(sum), 1e-6 * (1 + large));
        else CHECK(lse[r] == -INFINITY);
        free(logit);
    }
    forget(&q), forget(&k), forget(&x);
    free(out), free(lse);
}

static void pipeline(padic_context *context)
{
    world w;
    padic_pq_train_desc train = PADIC_ZERO;
    padic_pq_encode_desc encode = PADIC_ZERO;
    padic_pq_append_desc append = PADIC_ZERO;
    padic_pq_export_desc flat = PADIC_ZERO;
    padic_pq_select_desc select = PADIC_ZERO;
    uint16_t *back;
    uint32_t counts[3], rows;
    world_choose(&w);
    train.codebook = encode.codebook = append.codebook = select.codebook = w.book;
    train.keys = encode.keys = append.keys =
        shaped(w.key.dtype, w.key.data, 4, w.b, w.g, w.n, w.d, 0);
    train.seed = test_random();
    train.init = (padic_pq_init)below(2);
    train.rounds = 1 + (uint32_t)below(5);
    CHECK_EQ(padic_pq_train(context, &train), PADIC_OK);
    encode.out = shaped(PADIC_U16, w.flat, 4, w.b, w.g, w.n, w.m, 0);
    CHECK_EQ(padic_pq_encode(context, &encode), PADIC_OK);
    codes_check(&w);
    world_cache(&w);
    append.cache = select.cache = flat.cache = w.cache;
    append.key_counts = padic_tensor_1d(PADIC_U32, counts, w.b);
    for (rows = 0; rows < w.b; rows++) counts[rows] = (uint32_t)below(w.n + 1);
    CHECK_EQ(padic_pq_append(context, &append), PADIC_OK);
    back = (uint16_t *)fresh(w.b * w.g * w.n * w.m * 2);
    flat.out = shaped(PADIC_U16, back, 4, w.b, w.g, w.n, w.m, 0);
    CHECK_EQ(padic_pq_export(context, &flat), PADIC_OK);
    for (uint64_t i = 0; i < w.b * w.g * w.n; i++) {
        CHECK_EQ(w.lengths[i / w.n / w.g], counts[i / w.n / w.g]);
        for (uint64_t j = 0; j < w.m; j++)
            CHECK_EQ(back[i * w.m + j],
                     i % w.n < counts[i / w.n / w.g] ? w.flat[i * w.m + j] : 0);
    }
    w.sink = below(6), w.window = below(12), w.heavy = below(50);
    w.cap = w.sink + w.window + w.heavy;
    w.list = (int32_t *)fresh(w.b * w.h * w.s_q * w.cap * 4);
    w.length = (uint32_t *)fresh(w.b * w.h * w.s_q * 4);
    for (rows = 0; rows < w.b; rows++)
        w.keys[rows] = (uint32_t)below(w.start + w.n + 1);
    select.queries = shaped(w.query.dtype, w.query.data, 4, w.b, w.h, w.s_q, w.d, 0);
    select.key_counts = padic_tensor_1d(PADIC_U32, w.keys, w.b);
    select.sink = w.sink, select.window = w.window, select.heavy = w.heavy;
    select.method = (padic_pq_method)below(4);
    select.tie = (padic_pq_tie)below(2);
    select.lists = shaped(PADIC_I32, w.list, 4, w.b, w.h, w.s_q, w.cap, 0);
    select.lengths = shaped(PADIC_U32, w.length, 3, w.b, w.h, w.s_q, 0, 0);
    CHECK_EQ(padic_pq_select(context, &select), PADIC_OK);
    for (uint64_t r = 0; r < w.b * w.h * w.s_q; r++)
        list_check(&w, r, w.list + r * w.cap, w.length[r]);
    attend_check(context, &w);
    free(back);
    world_free(&w);
}

TEST(pipelines)
{
    padic_context_desc desc = PADIC_ZERO;
    padic_context *context = NULL;
    desc.backends[0] = padic_simd();
    CHECK_EQ(padic_context_create(&desc, &context), PADIC_OK);
    for (int at = 0; at < test_amount(40, 150, 1500); at++)
        pipeline(at & 1 ? context : NULL);
    padic_context_destroy(context);
}

TEST_MAIN("test_pq_outside", CASE(pipelines))
