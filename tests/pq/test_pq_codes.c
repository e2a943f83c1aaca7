// test_pq_codes.c: codebooks, codes and caches against the definitions of the header in fp64:
// nearest centroids, means, inertia, keys that a codebook holds exactly, inner products, and caches
// that grow one key at a time, shrink, share pages and are read as flat arrays.
#define PADIC_IMPLEMENTATION
#include "../../padic.h"
#include "../../backends/padic_simd.h"
#include "../../backends/padic_threads.h"
#include "../support/padic_test.h"
#include "../support/contexts.h"
#include "../support/failing.h"
#include "pq_support.h"

static const pq_sizes sizes[] = {
    {1, 1, 1, 1, 300, 2, 8, 6, 0}, {2, 3, 6, 1, 200, 4, 3, 4, 0}, {1, 2, 2, 1, 500, 3, 5, 8, 0},
    {1, 1, 1, 1, 700, 1, 4, 9, 0}, {1, 2, 2, 1, 90, 8, 1, 1, 0},  {2, 1, 1, 1, 150, 2, 7, 5, 1},
};
enum { SIZES = sizeof sizes / sizeof *sizes };

// Every code is the nearest centroid, as near as sums in f32 can say.
static void nearest(const pq_world *w)
{
    for (uint64_t b = 0; b < w->is.b; b++)
        for (uint64_t g = 0; g < w->is.g; g++)
            for (uint64_t p = 0; p < w->lengths[b]; p++)
                for (uint64_t j = 0; j < w->is.m; j++) {
                    const float *x = pq_key(w, b, g, p) + j * w->is.ds;
                    const uint64_t part = (b * w->is.g + g) * w->is.m + j;
                    const uint32_t used = (uint32_t)w->info[part * 4 + 1];
                    const uint32_t code = pq_code(w, b, g, p, j);
                    double least = INFINITY, is = 0, size = 0;
                    for (uint32_t k = 0; k < used; k++) {
                        const float *c = pq_centroid(w, b, g, j, k);
                        double sum = 0;
                        for (uint64_t i = 0; i < w->is.ds; i++) {
                            const double apart = (double)x[i] - (double)c[i];
                            sum += apart * apart;
                            size = fmax(size, fabs((double)x[i]) + fabs((double)c[i]));
                        }
                        if (k == code) is = sum;
                        least = fmin(least, sum);
                    }
                    CHECK(code < used);
                    CHECK(is <= least + ldexp((double)(w->is.ds + 4) * size * size, -21) *
                                            (double)w->is.ds);
                }
}

TEST(training)
{
    for (int at = 0; at < SIZES; at++) {
        pq_world w;
        padic_pq_train_desc desc = PADIC_ZERO;
        double *inertia;
        const uint64_t parts = sizes[at].b * sizes[at].g * sizes[at].m;
        if (sizes[at].ip) continue;
        pq_world_new(&w, &sizes[at], (sizes[at].n + 63) / 64);
        inertia = (double *)pq_fresh(parts * 11 * 8);
        desc.codebook = w.book;
        desc.keys = w.key_view;
        desc.seed = 7;
        desc.inertia = pq_tensor(PADIC_F64, inertia, 4, w.is.b, w.is.g, w.is.m, 11, 0);
        CHECK_EQ(padic_pq_train(NULL, &desc), PADIC_OK);
        for (uint64_t i = 0; i < parts; i++)
            for (int r = 1; r < 11; r++)
                CHECK(inertia[i * 11 + (uint64_t)r] <=
                      inertia[i * 11 + (uint64_t)r - 1] * (1 + 1e-6));
        CHECK(inertia[10] < 0.9 * inertia[0] || w.K >= w.is.n / 2);
        CHECK_EQ(pq_append(NULL, &w, 0, w.is.n), PADIC_OK);
        nearest(&w);
        { // the inertia of the header, from codes and centroids
            double sum = 0;
            for (uint64_t p = 0; p < w.is.n; p++)
                for (uint64_t i = 0; i < w.is.ds; i++) {
                    const float *c = pq_centroid(&w, 0, 0, 0, pq_code(&w, 0, 0, p, 0));
                    const double apart = (double)pq_key(&w, 0, 0, p)[i] - (double)c[i];
                    sum += apart * apart;
                }
            CHECK_NEAR(sum, inertia[10], 1e-5 * sum + 1e-4);
        }
        free(inertia);
        pq_world_free(&w);
    }
}

// With as many rounds as it takes, centroids are the means of the keys that have their codes.
TEST(means)
{
    pq_world w;
    padic_pq_train_desc desc = PADIC_ZERO;
    pq_world_new(&w, &sizes[0], 5);
    desc.codebook = w.book;
    desc.keys = w.key_view;
    desc.rounds = 200;
    CHECK_EQ(padic_pq_train(NULL, &desc), PADIC_OK);
    CHECK_EQ(pq_append(NULL, &w, 0, w.is.n), PADIC_OK);
    for (uint64_t j = 0; j < w.is.m; j++)
        for (uint32_t k = 0; k < w.K; k++)
            for (uint64_t i = 0; i < w.is.ds; i++) {
                double sum = 0;
                uint64_t members = 0;
                for (uint64_t p = 0; p < w.is.n; p++)
                    if (pq_code(&w, 0, 0, p, j) == k)
                        sum += (double)pq_key(&w, 0, 0, p)[j * w.is.ds + i], members++;
                CHECK(members > 0);
                CHECK_NEAR(sum / (double)members, pq_centroid(&w, 0, 0, j, k)[i], 1e-6);
            }
    pq_world_free(&w);
}

// The bytes do not depend on workers, vectors, strides, dtype or the scale of the keys.
TEST(same_bytes)
{
    contexts_begin(0);
    for (int at = 0; at < SIZES; at++) {
        pq_world w, first;
        const uint64_t width = sizes[at].bits <= 4 ? 32 : sizes[at].bits <= 8 ? 64 : 128;
        const uint64_t bytes =
            sizes[at].b * sizes[at].g * ((sizes[at].n + 63) / 64) * sizes[at].m * width;
        pq_world_new(&first, &sizes[at], (sizes[at].n + 63) / 64);
        CHECK_EQ(pq_train(NULL, &first, 3), PADIC_OK);
        CHECK_EQ(pq_append(NULL, &first, 0, first.is.n), PADIC_OK);
        for (uint32_t c = 1; c <= context_count; c++) {
            const float scale = c == context_count ? 1.0f / 1048576.0f : 1.0f;
            padic_context *context = contexts[c % context_count];
            pq_world_new(&w, &sizes[at], first.tiles);
            for (uint64_t i = 0; i < w.is.b * w.is.g * w.is.n * w.d; i++)
                w.keys[i] = first.keys[i] * scale;
            CHECK_EQ(pq_train(context, &w, 3), PADIC_OK);
            CHECK_EQ(pq_append(context, &w, 0, w.is.n), PADIC_OK);
            CHECK(!memcmp(w.codes, first.codes, bytes));
            CHECK(!memcmp(w.scaled, first.scaled,
                          w.is.b * w.is.g * w.is.m * w.K * (w.D + 1) * 4));
            for (uint64_t i = 0; i < w.is.b * w.is.g * w.is.m * w.K * w.D; i++)
                CHECK(w.centroids[i] == first.centroids[i] * scale);
            pq_world_free(&w);
        }
        pq_world_free(&first);
    }
    contexts_end();
}

// A training of a fixed set: these bytes never change. FNV-1a of the scaled codebook and the codes.
TEST(golden)
{
    static const uint64_t want[2] = {0x32b16c2d7fa38dcfu, 0x4f3c65a4cbd20046u};
    for (int init = 0; init < 2; init++) {
        const pq_sizes is = {1, 2, 2, 1, 400, 4, 4, 5, init};
        padic_pq_train_desc desc = PADIC_ZERO;
        pq_world w;
        uint64_t hash = 0xcbf29ce484222325u, i;
        pq_world_new(&w, &is, 7);
        for (i = 0; i < 2 * 400 * 16; i++)
            w.keys[i] = (float)((int32_t)((uint32_t)i * 2654435761u >> 8) % 2000 - 1000) / 512.0f;
        desc.codebook = w.book;
        desc.keys = w.key_view;
        desc.seed = 42;
        desc.samples = init ? 250 : 0;
        desc.init = (padic_pq_init)init;
        CHECK_EQ(padic_pq_train(NULL, &desc), PADIC_OK);
        CHECK_EQ(pq_append(NULL, &w, 0, w.is.n), PADIC_OK);
        for (i = 0; i < 2 * 4 * 32 * (w.D + 1); i++) {
            uint32_t bits;
            memcpy(&bits, &w.scaled[i], 4);
            hash = (hash ^ bits) * 0x100000001b3u;
        }
        for (i = 0; i < 2 * 7 * 4 * 64; i++) hash = (hash ^ w.codes[i]) * 0x100000001b3u;
        if (hash != want[init]) printf("hash %d: 0x%llxu\n", init, (unsigned long long)hash);
        CHECK_EQ(hash, want[init]);
        pq_world_free(&w);
    }
}

// Keys from at most K sub-vectors: those are the centroids, codes have no error, the rest of the
// centroids is not used. Fewer keys than centroids, one key, equal keys.
TEST(exact_codebooks)
{
    static const uint64_t different[] = {64, 5, 1, 2};
    for (int at = 0; at < 4; at++)
        for (int init = 0; init < 2; init++) {
            const pq_sizes is = {1, 1, 1, 1, at == 2 ? 1 : 400, 2, 4, 6, 0};
            padic_pq_train_desc desc = PADIC_ZERO;
            float palette[64][8];
            pq_world w;
            pq_world_new(&w, &is, 7);
            for (int k = 0; k < 64; k++)
                for (int i = 0; i < 8; i++)
                    palette[k][i] = (float)((int)pq_below(2048) - 1024) / 1024.0f;
            for (uint64_t p = 0; p < is.n; p++)
                for (uint64_t j = 0; j < 2; j++)
                    memcpy(w.keys + p * 8 + j * 4,
                           palette[(p < different[at] ? p : pq_below(different[at]))] + j * 4, 16);
            desc.codebook = w.book;
            desc.keys = w.key_view;
            desc.init = (padic_pq_init)init;
            CHECK_EQ(padic_pq_train(NULL, &desc), PADIC_OK);
            CHECK_EQ(pq_append(NULL, &w, 0, is.n), PADIC_OK);
            for (uint64_t j = 0; j < 2; j++) CHECK_EQ(w.info[j * 4 + 1], different[at]);
            for (uint64_t p = 0; p < is.n; p++)
                for (uint64_t j = 0; j < 2; j++)
                    CHECK(!memcmp(pq_centroid(&w, 0, 0, j, pq_code(&w, 0, 0, p, j)),
                                  w.keys + p * 8 + j * 4, 16));
            pq_world_free(&w);
        }
}

// IP with one sub-vector: the nearest centroid of the longer vectors. New keys above phi count.
TEST(inner_products)
{
    const pq_sizes is = {1, 1, 1, 1, 64, 1, 6, 6, 1};
    pq_world w;
    padic_pq_append_desc desc = PADIC_ZERO;
    uint32_t clamped = 99;
    float phi, most = 0;
    pq_world_new(&w, &is, 3);
    CHECK_EQ(pq_train(NULL, &w, 1), PADIC_OK);
    CHECK_EQ(pq_append(NULL, &w, 0, 64), PADIC_OK);
    for (uint64_t p = 0; p < 64; p++) { // 64 keys, 64 centroids: each key has its own
        const float *c = pq_centroid(&w, 0, 0, 0, pq_code(&w, 0, 0, p, 0));
        float norm = 0;
        for (int i = 0; i < 6; i++) {
            CHECK(c[i] == pq_key(&w, 0, 0, p)[i]);
            norm += c[i] * c[i];
        }
        if (norm > most) most = norm;
    }
    memcpy(&phi, &w.info[2], 4);
    CHECK_NEAR(ldexp((double)phi, 2 * w.info[0]), most, 1e-6);
    for (uint64_t p = 0; p < 64; p++) { // all as long as the longest: then the nearest is that of
        const float *c = pq_centroid(&w, 0, 0, 0, p); // the largest inner product
        double norm = 0;
        for (int i = 0; i < 7; i++) norm += (double)c[i] * (double)c[i];
        CHECK_NEAR(norm, most, 2e-6 * (double)most);
    }
    for (int i = 0; i < 6; i++) w.keys[i] = 3; // norm 54
    desc.codebook = w.book;
    desc.cache = w.cache;
    desc.keys = pq_tensor(PADIC_F32, w.keys, 4, 1, 1, 2, 6, 0);
    desc.clamped = pq_tensor(PADIC_U32, &clamped, 2, 1, 1, 0, 0, 0);
    CHECK_EQ(padic_pq_append(NULL, &desc), PADIC_OK);
    CHECK_EQ(clamped, 1);
    pq_world_free(&w);
}

static void counted(const pq_world *w)
{
    const uint64_t cells = w->cache.counts.shape[2];
    for (uint64_t b = 0; b < w->is.b; b++)
        for (uint64_t g = 0; g < w->is.g; g++) {
            uint32_t *count = (uint32_t *)pq_fresh(cells * 4);
            for (uint64_t p = 0; p < w->lengths[b]; p++) {
                uint64_t cell = 0;
                for (uint64_t j = 0; j < w->is.m; j++) cell = cell * w->K + pq_code(w, b, g, p, j);
                count[cell]++;
            }
            CHECK(!memcmp(count, w->counts + (b * w->is.g + g) * cells, cells * 4));
            free(count);
        }
}

TEST(caches)
{
    for (int at = 0; at < SIZES; at++) {
        const uint64_t n = sizes[at].n, tiles = (n + 63) / 64;
        const uint64_t bytes = sizes[at].b * sizes[at].g * tiles * sizes[at].m *
                               (sizes[at].bits <= 4 ? 32 : sizes[at].bits <= 8 ? 64 : 128);
        padic_pq_truncate_desc cut = PADIC_ZERO;
        pq_world w;
        uint8_t *whole = (uint8_t *)pq_fresh(bytes);
        uint32_t to[2] = {0, 0};
        uint64_t p;
        pq_world_new(&w, &sizes[at], tiles);
        CHECK_EQ(pq_train(NULL, &w, 3), PADIC_OK);
        CHECK_EQ(pq_append(NULL, &w, 0, n), PADIC_OK);
        memcpy(whole, w.codes, bytes);
        if (w.counts) counted(&w);
        cut.cache = w.cache;
        cut.lengths = padic_tensor_1d(PADIC_U32, to, w.is.b);
        cut.cache.bits = w.is.bits;
        CHECK_EQ(padic_pq_truncate(NULL, &cut), PADIC_OK);
        memset(w.codes, 0, bytes);
        for (p = 0; p < n;) { // one at a time, some at once, and back
            const uint64_t step = p % 3 ? 1 : 1 + pq_below(20), add = step < n - p ? step : n - p;
            CHECK_EQ(pq_append(NULL, &w, p, add), PADIC_OK);
            p += add;
            if (p > 10 && !pq_below(20)) {
                p -= 1 + pq_below(9);
                to[0] = to[1] = (uint32_t)p;
                CHECK_EQ(padic_pq_truncate(NULL, &cut), PADIC_OK);
            }
            if (w.counts && !pq_below(30)) counted(&w);
        }
        CHECK(!memcmp(whole, w.codes, bytes));
        if (w.counts) counted(&w);
        if (n % 64 == 0) CHECK_EQ(pq_append(NULL, &w, 0, 1), PADIC_ERROR_CAPACITY);
        to[0] = (uint32_t)n + 1;
        CHECK_EQ(padic_pq_truncate(NULL, &cut), PADIC_ERROR_ARGUMENT);
        free(whole);
        pq_world_free(&w);
    }
}

// Rows of unequal numbers of keys; keys that are not finite.
TEST(ragged)
{
    const pq_sizes is = {2, 2, 2, 1, 70, 2, 3, 4, 0};
    uint32_t add[2] = {70, 3}, bad[4];
    padic_pq_append_desc desc = PADIC_ZERO;
    pq_world w;
    pq_world_new(&w, &is, 2);
    CHECK_EQ(pq_train(NULL, &w, 3), PADIC_OK);
    w.keys[(70 + 1) * 6 + 5] = NAN; // row 0, head 1, key 1
    w.keys[3 * 70 * 6] = INFINITY;  // row 1, head 1, key 0
    w.keys[3 * 70 * 6 + 40 * 6] = INFINITY; // beyond its 3
    desc.codebook = w.book;
    desc.cache = w.cache;
    desc.keys = w.key_view;
    desc.key_counts = padic_tensor_1d(PADIC_U32, add, 2);
    desc.not_finite = pq_tensor(PADIC_U32, bad, 2, 2, 2, 0, 0, 0);
    CHECK_EQ(padic_pq_append(NULL, &desc), PADIC_OK);
    CHECK_EQ(w.lengths[0], 70);
    CHECK_EQ(w.lengths[1], 3);
    CHECK_EQ(bad[0], 0);
    CHECK_EQ(bad[1], 1);
    CHECK_EQ(bad[2], 0);
    CHECK_EQ(bad[3], 1);
    CHECK_EQ(pq_code(&w, 0, 1, 1, 0), 0);
    CHECK_EQ(pq_code(&w, 0, 1, 1, 1), 0);
    counted(&w);
    add[0] = 0, add[1] = 71;
    CHECK_EQ(padic_pq_append(NULL, &desc), PADIC_ERROR_ARGUMENT);
    add[0] = 59, add[1] = 0;
    CHECK_EQ(padic_pq_append(NULL, &desc), PADIC_ERROR_CAPACITY);
    CHECK_EQ(w.lengths[0], 70);
    add[0] = 0;
    w.lengths[1] = 200;
    CHECK_EQ(padic_pq_append(NULL, &desc), PADIC_ERROR_DOMAIN);
    pq_world_free(&w);
}

// Flat codes in and out; encode and decode beside append.
TEST(flat)
{
    for (int at = 0; at < SIZES; at++) {
        const pq_sizes *is = &sizes[at];
        const uint64_t flat = is->b * is->g * is->n * is->m;
        int32_t *codes = (int32_t *)pq_fresh(flat * 4), *again = (int32_t *)pq_fresh(flat * 4);
        float *keys = (float *)pq_fresh(is->b * is->g * is->n * is->m * is->ds * 4);
        padic_pq_encode_desc encode = PADIC_ZERO;
        padic_pq_decode_desc decode = PADIC_ZERO;
        padic_pq_import_desc import = PADIC_ZERO;
        padic_pq_export_desc out = PADIC_ZERO;
        pq_world w;
        pq_world_new(&w, is, (is->n + 63) / 64);
        CHECK_EQ(pq_train(NULL, &w, 5), PADIC_OK);
        encode.codebook = decode.codebook = w.book;
        encode.keys = w.key_view;
        encode.out = decode.codes = import.codes =
            pq_tensor(PADIC_I32, codes, 4, is->b, is->g, is->n, is->m, 0);
        CHECK_EQ(padic_pq_encode(NULL, &encode), PADIC_OK);
        import.cache = out.cache = w.cache;
        import.cache.bits = out.cache.bits = is->bits;
        CHECK_EQ(padic_pq_import(NULL, &import), PADIC_OK);
        CHECK_EQ(w.lengths[0], is->n);
        for (uint64_t i = 0; i < flat; i++) {
            const uint64_t j = i % is->m, p = i / is->m % is->n, row = i / is->m / is->n;
            CHECK_EQ((uint32_t)codes[i], pq_code(&w, row / is->g, row % is->g, p, j));
        }
        if (w.counts) counted(&w);
        if (!is->ip) nearest(&w);
        out.out = pq_tensor(PADIC_I32, again, 4, is->b, is->g, is->n, is->m, 0);
        CHECK_EQ(padic_pq_export(NULL, &out), PADIC_OK);
        CHECK(!memcmp(codes, again, flat * 4));
        decode.out = pq_tensor(PADIC_F32, keys, 4, is->b, is->g, is->n, w.d, 0);
        CHECK_EQ(padic_pq_decode(NULL, &decode), PADIC_OK);
        for (uint64_t i = 0; i < flat; i++) {
            const uint64_t row = i / is->m / is->n;
            CHECK(!memcmp(keys + i * is->ds,
                          pq_centroid(&w, row / is->g, row % is->g, i % is->m, (uint64_t)codes[i]),
                          is->ds * 4));
        }
        codes[flat - 1] = (int32_t)w.K;
        memset(w.codes, 0x55, 16);
        CHECK_EQ(padic_pq_decode(NULL, &decode), PADIC_ERROR_DOMAIN);
        CHECK_EQ(padic_pq_import(NULL, &import), PADIC_ERROR_DOMAIN);
        CHECK_EQ(w.codes[0], 0x55);
        codes[flat - 1] = -1;
        CHECK_EQ(padic_pq_import(NULL, &import), PADIC_ERROR_DOMAIN);
        free(codes);
        free(again);
        free(keys);
        pq_world_free(&w);
    }
}

// Two rows of pages: the second goes on from the first at any length, and each keeps its own.
TEST(forks)
{
    const pq_sizes is = {1, 2, 2, 1, 300, 2, 3, 5, 0};
    for (uint32_t length = 1; length < 300; length += 37) {
        pq_world w, flat;
        padic_pq_cache cache = PADIC_ZERO;
        padic_pq_append_desc add = PADIC_ZERO;
        padic_pq_fork_desc fork = PADIC_ZERO;
        padic_pq_export_desc out = PADIC_ZERO;
        uint32_t pages[2][4] = {{2, 0, 3, 9}, {9, 9, 9, 9}};
        uint32_t lengths[2] = {0, 0}, more[2] = {250, 0};
        uint32_t counts[2][2][1024];
        uint8_t codes[8 * 2 * 2 * 2 * 64], got[2][2][300][2];
        memset(counts, 0, sizeof counts);
        memset(codes, 0, sizeof codes);
        pq_world_new(&w, &is, 5);
        pq_world_new(&flat, &is, 5);
        memcpy(flat.keys, w.keys, 2 * 300 * 6 * 4);
        CHECK_EQ(pq_train(NULL, &w, 3), PADIC_OK);
        CHECK_EQ(pq_append(NULL, &w, 0, 300), PADIC_OK);
        cache.codes = pq_tensor(PADIC_U8, codes, 5, 8, 2, 2, 2, length / 37 % 2 ? 48 : 64);
        cache.lengths = padic_tensor_1d(PADIC_U32, lengths, 2);
        cache.pages = padic_tensor_2d(PADIC_U32, pages, 2, 4);
        cache.counts = pq_tensor(PADIC_U32, counts, 3, 2, 2, 1024, 0, 0);
        cache.bits = 5;
        add.codebook = w.book;
        add.cache = cache;
        add.keys = pq_tensor(PADIC_F32, w.keys, 4, 2, 2, 250, 6, 0); // both rows: the same keys
        add.keys.stride[1] = 300 * 6;
        add.keys.stride[2] = 6;
        add.keys.stride[3] = 1;
        add.key_counts = padic_tensor_1d(PADIC_U32, more, 2);
        CHECK_EQ(padic_pq_append(NULL, &add), PADIC_OK);
        fork.cache = cache;
        fork.to = 1;
        fork.length = length;
        fork.page = 5;
        if (length > 250) {
            CHECK_EQ(padic_pq_fork(NULL, &fork), PADIC_ERROR_ARGUMENT);
        } else {
            const uint64_t page = length / 128;
            CHECK_EQ(padic_pq_fork(NULL, &fork), PADIC_OK);
            CHECK_EQ(lengths[1], length);
            if (page) CHECK_EQ(pages[1][0], 2);
            if (length % 128) CHECK_EQ(pages[1][page], 5);
            pages[1][page + 1] = 7;
            more[0] = 0; // the second row: other keys from here on, 20 of them
            more[1] = 20;
            add.keys.data = w.keys + 100 * 6;
            add.keys.shape[2] = 20;
            CHECK_EQ(padic_pq_append(NULL, &add), PADIC_OK);
            out.cache = cache;
            out.out = pq_tensor(PADIC_U8, got, 4, 2, 2, 300, 2, 0);
            CHECK_EQ(padic_pq_export(NULL, &out), PADIC_OK);
            for (uint64_t g = 0; g < 2; g++)
                for (uint64_t p = 0; p < 300; p++)
                    for (uint64_t j = 0; j < 2; j++) {
                        CHECK_EQ(got[0][g][p][j], p < 250 ? pq_code(&w, 0, g, p, j) : 0);
                        CHECK_EQ(got[1][g][p][j],
                                 p < length        ? pq_code(&w, 0, g, p, j)
                                 : p < length + 20 ? pq_code(&w, 0, g, p - length + 100, j)
                                                   : 0);
                    }
            for (uint64_t r = 0; r < 2; r++)
                for (uint64_t g = 0; g < 2; g++) {
                    uint64_t sum = 0;
                    for (uint64_t p = 0; p < lengths[r]; p++)
                        counts[r][g][got[r][g][p][0] * 32 + got[r][g][p][1]]--;
                    for (int i = 0; i < 1024; i++) sum += counts[r][g][i];
                    CHECK_EQ(sum, 0);
                }
        }
        pages[0][1] = 8; // no page
        more[0] = 1;
        CHECK_EQ(padic_pq_append(NULL, &add), PADIC_ERROR_DOMAIN);
        pq_world_free(&w);
        pq_world_free(&flat);
    }
}

// Subnormal and huge components are scaled like any others.
TEST(extreme_scales)
{
    static const int powers[] = {-140, -126, -60, 60, 120};
    const pq_sizes is = {1, 1, 1, 1, 200, 2, 4, 4, 0};
    for (int at = 0; at < 5; at++) {
        pq_world w, plain;
        pq_world_new(&w, &is, 4);
        pq_world_new(&plain, &is, 4);
        for (uint64_t i = 0; i < 200 * 8; i++) { // few bits, so that subnormal ones have them all
            plain.keys[i] = (float)((int)pq_below(255) - 127) / 128.0f;
            w.keys[i] = (float)ldexp((double)plain.keys[i], powers[at]);
        }
        CHECK_EQ(pq_train(NULL, &w, 9), PADIC_OK);
        CHECK_EQ(pq_train(NULL, &plain, 9), PADIC_OK);
        CHECK_EQ(pq_append(NULL, &plain, 0, 200), PADIC_OK);
        CHECK_EQ(pq_append(NULL, &w, 0, 200), PADIC_OK);
        if (powers[at] > -120) { // below, means lose bits on their way back
            CHECK(!memcmp(w.codes, plain.codes, 4 * 2 * 32));
            CHECK(!memcmp(w.scaled, plain.scaled, 2 * 16 * 5 * 4));
        }
        pq_world_free(&w);
        pq_world_free(&plain);
    }
}

TEST(prepare)
{
    const pq_sizes is = {1, 2, 2, 1, 200, 2, 4, 4, 0};
    padic_pq_prepare_desc desc = PADIC_ZERO;
    pq_world w;
    float *scaled;
    uint32_t used[4] = {16, 16, 16, 16};
    pq_world_new(&w, &is, 4);
    CHECK_EQ(pq_train(NULL, &w, 9), PADIC_OK);
    scaled = (float *)pq_fresh(4 * 16 * 5 * 4);
    memcpy(scaled, w.scaled, 4 * 16 * 5 * 4);
    memset(w.scaled, 7, 4 * 16 * 5 * 4);
    desc.codebook = w.book;
    CHECK_EQ(padic_pq_prepare(NULL, &desc), PADIC_OK);
    CHECK(!memcmp(scaled, w.scaled, 4 * 16 * 5 * 4));
    desc.used = pq_tensor(PADIC_U32, used, 3, 1, 2, 2, 0, 0);
    used[3] = 1;
    CHECK_EQ(padic_pq_prepare(NULL, &desc), PADIC_OK);
    CHECK_EQ(pq_append(NULL, &w, 0, 200), PADIC_OK);
    for (uint64_t p = 0; p < 200; p++) CHECK_EQ(pq_code(&w, 0, 1, p, 1), 0);
    used[3] = 17;
    CHECK_EQ(padic_pq_prepare(NULL, &desc), PADIC_ERROR_ARGUMENT);
    used[3] = 1;
    w.centroids[9] = NAN;
    CHECK_EQ(padic_pq_prepare(NULL, &desc), PADIC_ERROR_NOT_FINITE);
    free(scaled);
    pq_world_free(&w);
}

static int stop_at_once(uint64_t done, uint64_t total, void *user)
{
    (void)done;
    (void)total;
    return ++*(int *)user;
}

TEST(errors)
{
    const pq_sizes is = {1, 2, 2, 1, 100, 2, 4, 4, 0};
    pq_world w;
    padic_pq_train_desc train = PADIC_ZERO;
    padic_pq_encode_desc encode = PADIC_ZERO;
    padic_context_desc with = PADIC_ZERO;
    padic_context *context = NULL;
    uint8_t codes[2 * 100 * 2];
    failing f = {0, 0};
    char *memory;
    int calls = 0;
    pq_world_new(&w, &is, 2);
    CHECK_EQ(pq_train(NULL, &w, 1), PADIC_OK);
    train.codebook = w.book;
    train.keys = w.key_view;
    train.init = (padic_pq_init)3;
    CHECK_EQ(padic_pq_train(NULL, &train), PADIC_ERROR_ARGUMENT);
    train.init = PADIC_PQ_INIT_GIVEN;
    CHECK_EQ(padic_pq_train(NULL, &train), PADIC_OK);
    w.centroids[3] = INFINITY;
    CHECK_EQ(padic_pq_train(NULL, &train), PADIC_ERROR_NOT_FINITE);
    train.init = PADIC_PQ_INIT_KMEANS_PP;
    w.keys[11] = NAN;
    CHECK_EQ(padic_pq_train(NULL, &train), PADIC_ERROR_NOT_FINITE);
    w.keys[11] = 0;
    CHECK_EQ(padic_pq_train(NULL, &train), PADIC_OK);
    train.codebook.centroids.shape[3] = 15;
    CHECK_EQ(padic_pq_train(NULL, &train), PADIC_ERROR_ARGUMENT);
    train.codebook = w.book;
    train.codebook.metric = PADIC_PQ_METRIC_IP; // ds 3 then
    CHECK_EQ(padic_pq_train(NULL, &train), PADIC_ERROR_MISMATCH);
    train.codebook = w.book;
    train.keys.shape[3] = 7;
    train.keys.stride[0] = train.keys.stride[1] = 800;
    train.keys.stride[2] = 8, train.keys.stride[3] = 1;
    CHECK_EQ(padic_pq_train(NULL, &train), PADIC_ERROR_MISMATCH);
    train.keys = w.key_view;
    train.keys.dtype = PADIC_F64;
    CHECK_EQ(padic_pq_train(NULL, &train), PADIC_ERROR_DTYPE);
    encode.codebook = w.book;
    encode.keys = w.key_view;
    encode.out = pq_tensor(PADIC_U8, codes, 4, 1, 2, 100, 2, 0);
    CHECK_EQ(padic_pq_encode(NULL, &encode), PADIC_OK);
    w.keys[5] = INFINITY;
    CHECK_EQ(padic_pq_encode(NULL, &encode), PADIC_ERROR_NOT_FINITE);
    w.keys[5] = 0;
    with.allocator.alloc = failing_alloc;
    with.allocator.free = failing_free;
    with.allocator.user = &f;
    with.progress.step = stop_at_once;
    with.progress.user = &calls;
    f.left = 1000;
    CHECK_EQ(padic_context_create(&with, &context), PADIC_OK);
    CHECK_EQ(pq_train(context, &w, 1), PADIC_ERROR_CANCELLED);
    CHECK(calls > 0);
    f.left = 0;
    CHECK_EQ(padic_pq_encode(context, &encode), PADIC_ERROR_MEMORY);
    encode.workspace = padic_tensor_1d(PADIC_U8, NULL, padic_pq_encode_workspace(context, &encode));
    memory = (char *)pq_fresh(encode.workspace.shape[0] + 64);
    encode.workspace.data = memory + (64 - ((uintptr_t)memory & 63));
    CHECK_EQ(padic_pq_encode(context, &encode), PADIC_OK);
    encode.workspace.shape[0]--;
    CHECK_EQ(padic_pq_encode(context, &encode), PADIC_ERROR_CAPACITY);
    free(memory);
    padic_context_destroy(context);
    CHECK_EQ(f.live, 0);
    pq_world_free(&w);
}

TEST_MAIN("test_pq_codes", CASE(training), CASE(means), CASE(same_bytes), CASE(golden),
          CASE(exact_codebooks), CASE(inner_products), CASE(caches), CASE(ragged), CASE(flat),
          CASE(forks), CASE(extreme_scales), CASE(prepare), CASE(errors))
