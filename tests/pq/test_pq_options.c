// test_pq_options.c: pq_options.h on the CPU; lists of heads of keys; codes of keys as they leave a
// window.
#define PADIC_IMPLEMENTATION
#include "../../padic.h"
#include "../../backends/padic_simd.h"
#include "../../backends/padic_threads.h"
#include "../support/padic_test.h"
#include "../support/contexts.h"
#include "pq_support.h"

static void asked_begin(void)
{
    contexts_begin(0);
}

static void asked_end(void)
{
    contexts_end();
}

#include "pq_options.h"

// Lists of heads of keys, of 32 and 64 bits, are those of each query head to attention.
TEST(shared_lists)
{
    enum { KEYS = 70, N = 30 };
    float q[2 * 6 * 2 * 8], k[2 * 3 * KEYS * 8], v[2 * 3 * KEYS * 5], out[2][2 * 6 * 2 * 5];
    float dense[2][2 * 6 * 2 * KEYS], weight[2 * 3 * 2 * N], weights[2 * 6 * 2 * N];
    int64_t list[2 * 3 * 2 * N];
    int32_t lists[2 * 6 * 2 * N];
    uint32_t length[12], lengths[24];
    padic_pq_attend_desc desc = PADIC_ZERO;
    padic_pq_weights_dense_desc all = PADIC_ZERO;
    for (int i = 0; i < 2 * 6 * 2 * 8; i++) q[i] = pq_uniform();
    for (int i = 0; i < 2 * 3 * KEYS * 8; i++) k[i] = pq_uniform();
    for (int i = 0; i < 2 * 3 * KEYS * 5; i++) v[i] = pq_uniform();
    for (uint64_t r = 0; r < 12; r++) length[r] = (uint32_t)pq_below(N + 1);
    for (int i = 0; i < 2 * 3 * 2 * N; i++) {
        list[i] = (int64_t)pq_below(KEYS);
        weight[i] = (float)(1 + pq_below(5));
    }
    for (int r = 0; r < 24; r++) {
        const int from = r / 12 * 6 + r / 2 % 6 / 2 * 2 + r % 2; // (b, head / 2, i)
        lengths[r] = length[from];
        for (int j = 0; j < N; j++) {
            lists[r * N + j] = (int32_t)list[from * N + j];
            weights[r * N + j] = weight[from * N + j];
        }
    }
    desc.queries = pq_tensor(PADIC_F32, q, 4, 2, 6, 2, 8, 0);
    desc.keys = pq_tensor(PADIC_F32, k, 4, 2, 3, KEYS, 8, 0);
    desc.values = pq_tensor(PADIC_F32, v, 4, 2, 3, KEYS, 5, 0);
    for (int both = 0; both < 2; both++) {
        desc.lists = both ? pq_tensor(PADIC_I32, lists, 4, 2, 6, 2, N, 0)
                          : pq_tensor(PADIC_I64, list, 4, 2, 3, 2, N, 0);
        desc.lengths = both ? pq_tensor(PADIC_U32, lengths, 3, 2, 6, 2, 0, 0)
                            : pq_tensor(PADIC_U32, length, 3, 2, 3, 2, 0, 0);
        desc.weights = both ? pq_tensor(PADIC_F32, weights, 4, 2, 6, 2, N, 0)
                            : pq_tensor(PADIC_F32, weight, 4, 2, 3, 2, N, 0);
        desc.out = pq_tensor(PADIC_F32, out[both], 4, 2, 6, 2, 5, 0);
        CHECK_EQ(padic_pq_attend(NULL, &desc), PADIC_OK);
        all.lists = desc.lists;
        all.lengths = desc.lengths;
        all.out = pq_tensor(PADIC_F32, dense[both], 4, 2, both ? 6 : 3, 2, KEYS, 0);
        CHECK_EQ(padic_pq_weights_dense(NULL, &all), PADIC_OK);
    }
    CHECK(!memcmp(out[0], out[1], sizeof out[0]));
    CHECK(!memcmp(dense[0], dense[1], 2 * KEYS * 4));
    list[3] = (int64_t)1 << 40; // no position
    length[0] = N;
    desc.lists = pq_tensor(PADIC_I64, list, 4, 2, 3, 2, N, 0);
    desc.lengths = pq_tensor(PADIC_U32, length, 3, 2, 3, 2, 0, 0);
    desc.weights = pq_tensor(PADIC_F32, weight, 4, 2, 3, 2, N, 0);
    desc.status = pq_tensor(PADIC_U32, lengths, 3, 2, 6, 2, 0, 0);
    CHECK_EQ(padic_pq_attend(NULL, &desc), PADIC_OK);
    CHECK_EQ(lengths[0], PADIC_PQ_STATUS_ENTRY);
    CHECK_EQ(lengths[2], PADIC_PQ_STATUS_ENTRY);
    CHECK_EQ(lengths[4], 0);
}

// Codes of keys as they leave a window, step by step and from pages, are those of all at once.
TEST(deferred)
{
    const pq_sizes is = {2, 2, 2, 1, 300, 2, 4, 5, 0};
    pq_world w, all;
    padic_pq_append_desc desc = PADIC_ZERO;
    uint32_t given[2], pages[2][10];
    float *paged = (float *)pq_fresh(20 * 2 * 32 * 8 * 4);
    const uint64_t bytes = 2 * 2 * 5 * 2 * 64;
    test_random_state = 7;
    pq_world_new(&all, &is, 5);
    test_random_state = 7; // the same keys
    pq_world_new(&w, &is, 5);
    CHECK_EQ(pq_train(NULL, &w, 3), PADIC_OK);
    CHECK_EQ(pq_train(NULL, &all, 3), PADIC_OK);
    for (uint32_t i = 0; i < 20; i++) pages[i / 10][i % 10] = (i * 7 + 3) % 20;
    for (uint64_t b = 0; b < 2; b++)
        for (uint64_t g = 0; g < 2; g++)
            for (uint64_t p = 0; p < 300; p++)
                memcpy(paged + ((pages[b][p / 32] * 2 + g) * 32 + p % 32) * 8, pq_key(&w, b, g, p),
                       32);
    desc.codebook = w.book;
    desc.cache = w.cache;
    desc.cache.start = 11;
    desc.keys = w.key_view;
    desc.key_counts = padic_tensor_1d(PADIC_U32, given, 2);
    desc.deferred = 1;
    desc.window = 20;
    for (uint32_t s = 0; s <= 300; s += 1 + s % 3) {
        given[0] = s, given[1] = s / 2;
        if (s > 150) {
            desc.keys = pq_tensor(PADIC_F32, paged, 4, 20, 2, 32, 8, 0);
            desc.key_pages = padic_tensor_2d(PADIC_U32, pages, 2, 10);
        }
        CHECK_EQ(padic_pq_append(NULL, &desc), PADIC_OK);
        CHECK_EQ(w.lengths[0], s > 31 ? s - 31 : 0);
        CHECK_EQ(w.lengths[1], s / 2 > 31 ? s / 2 - 31 : 0);
    }
    given[0] = given[1] = 300;
    CHECK_EQ(padic_pq_append(NULL, &desc), PADIC_OK);
    desc.window = 0;
    CHECK_EQ(padic_pq_append(NULL, &desc), PADIC_OK);
    CHECK_EQ(w.lengths[1], 289);
    CHECK_EQ(pq_append(NULL, &all, 11, 289), PADIC_OK);
    CHECK(!memcmp(w.codes, all.codes, bytes));
    CHECK(!memcmp(w.counts, all.counts, 4 * 1024 * 4));
    pages[1][9] = 20; // none: but its keys have their codes
    CHECK_EQ(padic_pq_append(NULL, &desc), PADIC_OK);
    w.lengths[1] = 200;
    CHECK_EQ(padic_pq_append(NULL, &desc), PADIC_ERROR_DOMAIN);
    given[0] = 321;
    CHECK_EQ(padic_pq_append(NULL, &desc), PADIC_ERROR_ARGUMENT);
    desc.deferred = 0;
    CHECK_EQ(padic_pq_append(NULL, &desc), PADIC_ERROR_ARGUMENT);
    desc.key_pages.data = NULL;
    desc.key_pages.rank = 0;
    desc.keys = w.key_view;
    desc.window = 1;
    CHECK_EQ(padic_pq_append(NULL, &desc), PADIC_ERROR_ARGUMENT);
    free(paged);
    pq_world_free(&w);
    pq_world_free(&all);
}

TEST(errors)
{
    asked a;
    asked_new(&a, 0, PADIC_PQ_REDUCE_NONE);
    a.desc.heavy_fraction = 1.5;
    CHECK_EQ(padic_pq_select(NULL, &a.desc), PADIC_ERROR_ARGUMENT);
    a.desc.heavy_fraction = NAN;
    CHECK_EQ(padic_pq_select(NULL, &a.desc), PADIC_ERROR_ARGUMENT);
    a.desc.heavy_fraction = 0;
    a.desc.top_p = -0.1;
    CHECK_EQ(padic_pq_select(NULL, &a.desc), PADIC_ERROR_ARGUMENT);
    a.desc.top_p = 0;
    a.desc.threshold = NAN;
    CHECK_EQ(padic_pq_select(NULL, &a.desc), PADIC_ERROR_ARGUMENT);
    a.desc.threshold = 0;
    a.desc.limit = (padic_pq_limit)3;
    CHECK_EQ(padic_pq_select(NULL, &a.desc), PADIC_ERROR_ARGUMENT);
    a.desc.limit = PADIC_PQ_LIMIT_NONE;
    a.desc.scale = INFINITY;
    CHECK_EQ(padic_pq_select(NULL, &a.desc), PADIC_ERROR_ARGUMENT);
    a.desc.scale = 0;
    a.desc.reduce = PADIC_PQ_REDUCE_MAX; // lists have h heads
    CHECK_EQ(padic_pq_select(NULL, &a.desc), PADIC_ERROR_MISMATCH);
    a.desc.reduce = PADIC_PQ_REDUCE_NONE;
    a.desc.slopes = padic_tensor_1d(PADIC_F32, a.slopes, 3);
    CHECK_EQ(padic_pq_select(NULL, &a.desc), PADIC_ERROR_MISMATCH);
    a.desc.slopes = padic_tensor_1d(PADIC_F32, a.slopes, 4);
    a.desc.bias = pq_tensor(PADIC_F32, a.bias, 3, 1, 4, 700, 0, 0);
    CHECK_EQ(padic_pq_select(NULL, &a.desc), PADIC_ERROR_MISMATCH);
    a.desc.bias.shape[0] = 2;
    CHECK_EQ(padic_pq_select(NULL, &a.desc), PADIC_OK);
    asked_free(&a);
}

TEST_MAIN("test_pq_options", CASE(counts_and_fractions), CASE(biases), CASE(limits), CASE(groups),
          CASE(shared_lists), CASE(deferred), CASE(errors))
