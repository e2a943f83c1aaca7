// pq_support.h: a cache with its codebook, made of plain arrays, and what the header says of them
// in fp64. Nothing here calls the library but to make views.
#ifndef PQ_SUPPORT_H
#define PQ_SUPPORT_H

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct pq_sizes {
    uint64_t b, g, h, s_q, n, m, ds; // n: keys
    uint32_t bits;
    int ip;
} pq_sizes;

static void *pq_fresh(size_t size) // exactly so many bytes, so that a sanitizer sees one too many
{
    void *p = malloc(size ? size : 1);
    if (!p) exit(1);
    memset(p, 0, size ? size : 1);
    return p;
}

static inline uint64_t pq_below(uint64_t n)
{
    return test_random() % n;
}

static float pq_uniform(void) // in (-1, 1)
{
    return (float)((int64_t)test_random() >> 39) / 16777216.0f;
}

static padic_tensor pq_tensor(padic_dtype dtype, void *data, uint32_t rank, uint64_t n0,
                              uint64_t n1, uint64_t n2, uint64_t n3, uint64_t n4)
{
    uint64_t shape[5];
    shape[0] = n0, shape[1] = n1, shape[2] = n2, shape[3] = n3, shape[4] = n4;
    return padic_tensor_nd(dtype, data, rank, shape);
}

typedef struct scored { // a candidate
    double score;
    int64_t position;
} scored;

typedef struct pq_world {
    pq_sizes is;
    uint64_t K, D, d, tiles;
    int packed;
    float *centroids, *scaled, *keys, *queries;
    int32_t *info;
    uint8_t *codes;
    uint32_t *lengths, *counts;
    padic_pq_codebook book;
    padic_pq_cache cache;
    padic_tensor key_view, query_view;
} pq_world;

// Room for `tiles` tiles of a row, and counts if there may be any.
static inline void pq_world_new(pq_world *w, const pq_sizes *is, uint64_t tiles)
{
    const uint64_t width = is->bits <= 4 ? 32 : 64, size = is->bits > 8 ? 2 : 1;
    uint64_t cells, i;
    memset(w, 0, sizeof *w);
    w->is = *is;
    w->K = (uint64_t)1 << is->bits;
    w->d = is->m * is->ds;
    w->D = is->ds + (is->ip ? 1 : 0);
    w->tiles = tiles;
    w->centroids = (float *)pq_fresh(is->b * is->g * is->m * w->K * w->D * 4);
    w->scaled = (float *)pq_fresh(is->b * is->g * is->m * w->K * (w->D + 1) * 4);
    w->info = (int32_t *)pq_fresh(is->b * is->g * is->m * 16);
    w->keys = (float *)pq_fresh(is->b * is->g * is->n * w->d * 4);
    w->queries = (float *)pq_fresh(is->b * is->h * is->s_q * w->d * 4);
    w->codes = (uint8_t *)pq_fresh(is->b * is->g * tiles * is->m * width * size);
    w->lengths = (uint32_t *)pq_fresh(is->b * 4);
    for (i = 0; i < is->b * is->g * is->n * w->d; i++) w->keys[i] = pq_uniform();
    for (i = 0; i < is->b * is->h * is->s_q * w->d; i++) w->queries[i] = pq_uniform();
    w->book.metric = is->ip ? PADIC_PQ_METRIC_IP : PADIC_PQ_METRIC_L2;
    w->book.centroids = pq_tensor(PADIC_F32, w->centroids, 5, is->b, is->g, is->m, w->K, w->D);
    w->book.scaled = pq_tensor(PADIC_F32, w->scaled, 5, is->b, is->g, is->m, w->D + 1, w->K);
    w->book.info = pq_tensor(PADIC_I32, w->info, 4, is->b, is->g, is->m, 4, 0);
    w->cache.codes = pq_tensor(is->bits > 8 ? PADIC_U16 : PADIC_U8, w->codes, 5, is->b, is->g,
                               tiles, is->m, width);
    w->cache.lengths = padic_tensor_1d(PADIC_U32, w->lengths, is->b);
    if (is->m * is->bits <= 13) {
        cells = (uint64_t)1 << is->m * is->bits;
        w->counts = (uint32_t *)pq_fresh(is->b * is->g * cells * 4);
        w->cache.counts = pq_tensor(PADIC_U32, w->counts, 3, is->b, is->g, cells, 0, 0);
    }
    w->key_view = pq_tensor(PADIC_F32, w->keys, 4, is->b, is->g, is->n, w->d, 0);
    w->query_view = pq_tensor(PADIC_F32, w->queries, 4, is->b, is->h, is->s_q, w->d, 0);
}

// An empty cache of packed tiles, for 5 or 6 bits.
static inline void pq_world_pack(pq_world *w)
{
    w->packed = 1;
    free(w->codes);
    w->codes = (uint8_t *)pq_fresh(w->is.b * w->is.g * w->tiles * w->is.m * 48);
    w->cache.codes = pq_tensor(PADIC_U8, w->codes, 5, w->is.b, w->is.g, w->tiles, w->is.m, 48);
    w->cache.bits = w->is.bits;
}

static inline void pq_world_free(pq_world *w)
{
    free(w->centroids);
    free(w->scaled);
    free(w->info);
    free(w->keys);
    free(w->queries);
    free(w->codes);
    free(w->lengths);
    free(w->counts);
}

// The code of key p, read from the tiles as the header describes them.
static uint32_t pq_code(const pq_world *w, uint64_t b, uint64_t g, uint64_t p, uint64_t j)
{
    const uint64_t tile = ((b * w->is.g + g) * w->tiles + p / 64) * w->is.m + j, i = p % 64;
    if (w->packed) {
        const uint8_t *t = w->codes + tile * 48;
        return (uint32_t)(((i < 32 ? t[i] : t[i - 32] >> 4) & 15) +
                          16 * (t[32 + i % 16] >> 2 * (i / 16) & 3));
    }
    if (w->is.bits > 8) return ((const uint16_t *)(const void *)w->codes)[tile * 64 + i];
    if (w->is.bits > 4) return w->codes[tile * 64 + i];
    return (uint32_t)(w->codes[tile * 32 + i % 32] >> (i < 32 ? 0 : 4)) & 15u;
}

static const float *pq_centroid(const pq_world *w, uint64_t b, uint64_t g, uint64_t j, uint64_t k)
{
    return w->centroids + (((b * w->is.g + g) * w->is.m + j) * w->K + k) * w->D;
}

static inline const float *pq_key(const pq_world *w, uint64_t b, uint64_t g, uint64_t p)
{
    return w->keys + ((b * w->is.g + g) * w->is.n + p) * w->d;
}

static inline const float *pq_query(const pq_world *w, uint64_t b, uint64_t h, uint64_t i)
{
    return w->queries + ((b * w->is.h + h) * w->is.s_q + i) * w->d;
}

// <q, decode(code(p))>, and the error that the header allows a score.
static inline double pq_score(const pq_world *w, uint64_t b, uint64_t h, uint64_t i, uint64_t p,
                       double *bound)
{
    const uint64_t g = h / (w->is.h / w->is.g);
    const float *q = pq_query(w, b, h, i);
    double sum = 0, size = 0, most_q = 0, most_c = 0;
    for (uint64_t j = 0; j < w->is.m; j++) {
        const float *c = pq_centroid(w, b, g, j, pq_code(w, b, g, p, j));
        for (uint64_t k = 0; k < w->is.ds; k++) {
            const double one = (double)q[j * w->is.ds + k] * (double)c[k];
            sum += one;
            size += fabs(one);
        }
    }
    for (uint64_t k = 0; k < w->d; k++) most_q = fmax(most_q, fabs((double)q[k]));
    for (uint64_t k = 0; k < w->is.m * w->K * w->D; k++)
        most_c = fmax(most_c, fabs((double)pq_centroid(w, b, g, 0, 0)[k]));
    *bound = 1.01 * (double)(w->is.ds + w->is.m) * ldexp(size, -24) +
             ldexp((double)w->d * most_q * most_c, -38);
    return sum;
}

static inline padic_result pq_train(padic_context *context, pq_world *w, uint64_t seed)
{
    padic_pq_train_desc desc = PADIC_ZERO;
    desc.codebook = w->book;
    desc.keys = w->key_view;
    desc.seed = seed;
    return padic_pq_train(context, &desc);
}

// Keys first .. first + count of all rows.
static inline padic_result pq_append(padic_context *context, pq_world *w, uint64_t first,
                                     uint64_t count)
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
    return padic_pq_append(context, &desc);
}

#endif
