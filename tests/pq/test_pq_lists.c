// test_pq_lists.c: tables by themselves, lists of positions that were chosen elsewhere, the best of
// a list by the keys, and what a list holds of an attention: against brute force in fp64.
#define PADIC_IMPLEMENTATION
#include "../../padic.h"
#include "../../backends/padic_simd.h"
#include "../../backends/padic_threads.h"
#include "../support/padic_test.h"
#include "../support/contexts.h"
#include "pq_support.h"

enum { B = 2, H = 4, G = 2, Q = 3, KEYS = 120, D = 12, V = 5, N = 60, ROWS = B * H * Q };

typedef struct heads {
    float q[ROWS][D], k[B][G][KEYS][D], v[B][G][KEYS][V];
    int32_t list[ROWS][N], out[ROWS][N + 2];
    uint32_t length[ROWS], out_length[ROWS], status[ROWS], keys[B], queries[B];
} heads;

static padic_tensor of_heads(padic_dtype dtype, void *data, uint64_t last)
{
    return pq_tensor(dtype, data, 4, B, H, Q, last, 0);
}

static padic_tensor of_rows(padic_dtype dtype, void *data)
{
    return pq_tensor(dtype, data, 3, B, H, Q, 0, 0);
}

// Integers, whose products and sums are exact; lists with -1, repetitions and, if `bad`, positions
// that no key has.
static heads *heads_new(int integers, int bad)
{
    heads *a = (heads *)pq_fresh(sizeof *a);
    float *q = (float *)(void *)a->q, *key = (float *)(void *)a->k, *v = (float *)(void *)a->v;
    for (int i = 0; i < ROWS * D; i++)
        q[i] = integers ? (float)((int)pq_below(9) - 4) : pq_uniform();
    for (int i = 0; i < B * G * KEYS * D; i++)
        key[i] = integers ? (float)((int)pq_below(5) - 2) : pq_uniform() * 2;
    for (int i = 0; i < B * G * KEYS * V; i++) v[i] = pq_uniform();
    for (int r = 0; r < ROWS; r++) {
        a->length[r] = (uint32_t)pq_below(N + 1);
        for (int j = 0; j < N; j++) {
            a->list[r][j] = (int32_t)pq_below(KEYS);
            if (!pq_below(8)) a->list[r][j] = -1;
            if (bad && !pq_below(8)) a->list[r][j] = -2 - (int32_t)pq_below(9);
            if (bad && !pq_below(8)) a->list[r][j] = KEYS + (int32_t)pq_below(9);
        }
    }
    a->keys[0] = KEYS, a->keys[1] = 77;
    a->queries[0] = 3, a->queries[1] = 2;
    return a;
}

// Keys that query r sees.
static int64_t seen(const heads *a, int r, int counts)
{
    const int i = r % Q, b = r / Q / H;
    const int64_t keys = counts ? (int64_t)a->keys[b] : (int64_t)KEYS;
    const int64_t queries = counts ? (int64_t)a->queries[b] : (int64_t)Q;
    return i < queries ? keys - queries + i + 1 : 0;
}

// Entries of list r below L, the first of each.
static int distinct(const heads *a, int r, int64_t L, int32_t *to, int *bad)
{
    int n = 0;
    *bad = 0;
    for (uint32_t j = 0; j < a->length[r]; j++) {
        const int32_t p = a->list[r][j];
        int before = 0;
        if (p == -1) continue;
        if (p < 0 || p >= L) {
            *bad = 1;
            continue;
        }
        for (int k = 0; k < n; k++) before |= to[k] == p;
        if (!before) to[n++] = p;
    }
    return n;
}

static double dot(const heads *a, int r, int64_t p)
{
    double sum = 0;
    for (int i = 0; i < D; i++)
        sum += (double)a->q[r][i] * (double)a->k[r / Q / H][r / Q % H / (H / G)][p][i];
    return sum;
}

static int ascending(const void *a, const void *b)
{
    const int32_t x = *(const int32_t *)a, y = *(const int32_t *)b;
    return x < y ? -1 : x > y;
}

static int recent;

static int better(const void *a_, const void *b_)
{
    const scored *a = (const scored *)a_, *b = (const scored *)b_;
    if (a->score != b->score) return a->score > b->score ? -1 : 1;
    return (a->position < b->position ? -1 : a->position > b->position) * (recent ? -1 : 1);
}

TEST(tables)
{
    const pq_sizes is = {2, 2, 4, 3, 50, 3, 4, 5, 0};
    const uint64_t count = 2 * 4 * 3 * 3 * 32;
    pq_world w;
    float *one = (float *)pq_fresh(count * 4), *two = (float *)pq_fresh(count * 4);
    padic_pq_score_desc score = PADIC_ZERO;
    padic_pq_lut_desc desc = PADIC_ZERO;
    contexts_begin(0);
    pq_world_new(&w, &is, 1);
    CHECK_EQ(pq_train(NULL, &w, 2), PADIC_OK);
    w.queries[5] = NAN;
    score.codebook = desc.codebook = w.book;
    score.cache = w.cache;
    score.queries = desc.queries = w.query_view;
    score.tables = pq_tensor(PADIC_F32, one, 5, 2, 4, 3, 3, 32);
    desc.out = pq_tensor(PADIC_F32, two, 5, 2, 4, 3, 3, 32);
    CHECK_EQ(padic_pq_score(NULL, &score), PADIC_OK);
    for (uint32_t c = 0; c < context_count; c++) {
        memset(two, 0, count * 4);
        CHECK_EQ(padic_pq_lut(contexts[c], &desc), PADIC_OK);
        CHECK(!memcmp(one, two, count * 4));
    }
    for (uint64_t i = 0; i < 96; i++) CHECK(two[i] != two[i]);
    for (uint64_t r = 1; r < 24; r++) // of the codebook's definition
        for (uint64_t j = 0; j < 3; j++)
            for (uint64_t k = 0; k < 32; k++) {
                const float *c = pq_centroid(&w, r / 12, r / 3 % 4 / 2, j, k);
                double sum = 0;
                for (uint64_t x = 0; x < 4; x++)
                    sum += (double)c[x] * (double)w.queries[r * 12 + j * 4 + x];
                CHECK_NEAR(two[(r * 3 + j) * 32 + k], sum, 1e-6);
            }
    desc.out.shape[4] = 31;
    CHECK_EQ(padic_pq_lut(NULL, &desc), PADIC_ERROR_MISMATCH);
    free(one);
    free(two);
    pq_world_free(&w);
    contexts_end();
}

TEST(lists)
{
    contexts_begin(0);
    for (int at = 0; at < 40; at++) {
        heads *a = heads_new(1, at % 3 == 1);
        int32_t *out, want[256];
        const uint64_t sink = pq_below(9), window = pq_below(3) ? pq_below(9) : 0;
        const uint64_t full_below = pq_below(2) ? pq_below(130) : 0;
        const uint64_t least = sink + window + N > full_below ? sink + window + N : full_below;
        padic_pq_lists_desc desc = PADIC_ZERO;
        out = (int32_t *)pq_fresh(ROWS * (least + 1) * 4);
        desc.chosen = of_heads(PADIC_I32, a->list, N);
        desc.chosen_lengths = of_rows(PADIC_U32, a->length);
        desc.key_count = KEYS;
        if (at % 2) {
            desc.key_counts = padic_tensor_1d(PADIC_U32, a->keys, B);
            desc.query_counts = padic_tensor_1d(PADIC_U32, a->queries, B);
        }
        desc.sink = sink;
        desc.window = window;
        desc.full_below = full_below;
        desc.order = (padic_pq_order)(at / 2 % 2);
        desc.lists = of_heads(PADIC_I32, out, least + 1);
        desc.lengths = of_rows(PADIC_U32, a->out_length);
        desc.status = of_rows(PADIC_U32, a->status);
        for (uint32_t c = 0; c < context_count; c++) {
            memset(out, 0x55, ROWS * (least + 1) * 4);
            CHECK_EQ(padic_pq_lists(contexts[c], &desc), PADIC_OK);
            for (int r = 0; r < ROWS; r++) {
                const int64_t L = seen(a, r, at % 2);
                int32_t some[N];
                int bad, n = 0;
                const int count = distinct(a, r, L, some, &bad);
                CHECK_EQ(a->status[r], bad ? PADIC_PQ_STATUS_ENTRY : 0);
                if ((uint64_t)L <= least) {
                    for (; n < L; n++) want[n] = n;
                } else {
                    const int64_t last = L - (int64_t)window;
                    for (; n < (int)sink; n++) want[n] = n;
                    for (int k = 0; k < count; k++)
                        if (some[k] >= (int)sink && some[k] < last) want[n++] = some[k];
                    if (desc.order == PADIC_PQ_ORDER_POSITION)
                        qsort(want + sink, (size_t)n - sink, 4, ascending);
                    for (int64_t p = last; p < L; p++) want[n++] = (int32_t)p;
                }
                CHECK_EQ(a->out_length[r], n);
                for (int k = n; k < (int)least + 1; k++) want[k] = -1;
                CHECK(!memcmp(out + (uint64_t)r * (least + 1), want, (least + 1) * 4));
            }
        }
        free(out);
        free(a);
    }
    contexts_end();
}

TEST(rerank)
{
    contexts_begin(0);
    for (int at = 0; at < 40; at++) {
        heads *a = heads_new(1, at % 3 == 1);
        const uint64_t sink = pq_below(30), window = pq_below(30), heavy = pq_below(20);
        int64_t out[ROWS][N];
        float pages[10][G][32][D];
        uint32_t table[B][4] = {{9, 0, 4, 2}, {1, 8, 3, 5}};
        padic_pq_rerank_desc desc = PADIC_ZERO;
        recent = at & 1;
        desc.queries = of_heads(PADIC_F32, a->q, D);
        desc.keys = pq_tensor(PADIC_F32, a->k, 4, B, G, KEYS, D, 0);
        if (at % 5 == 4) { // the same keys in pages
            for (int b = 0; b < B; b++)
                for (int g = 0; g < G; g++)
                    for (int p = 0; p < KEYS; p++)
                        memcpy(pages[table[b][p / 32]][g][p % 32], a->k[b][g][p], D * 4);
            desc.keys = pq_tensor(PADIC_F32, pages, 4, 10, G, 32, D, 0);
            desc.pages = padic_tensor_2d(PADIC_U32, table, B, 4);
        }
        desc.key_count = KEYS;
        desc.lists = of_heads(PADIC_I32, a->list, N);
        desc.list_lengths = of_rows(PADIC_U32, a->length);
        if (at % 4 > 1) {
            desc.key_counts = padic_tensor_1d(PADIC_U32, a->keys, B);
            desc.query_counts = padic_tensor_1d(PADIC_U32, a->queries, B);
        }
        desc.sink = sink;
        desc.window = window;
        desc.heavy = heavy;
        desc.tie = (padic_pq_tie)recent;
        desc.order = (padic_pq_order)(at / 2 % 2);
        desc.out = of_heads(PADIC_I64, out, N);
        desc.lengths = of_rows(PADIC_U32, a->out_length);
        desc.status = of_rows(PADIC_U32, a->status);
        for (uint32_t c = 0; c < context_count; c++) {
            memset(out, 0x55, sizeof out);
            CHECK_EQ(padic_pq_rerank(contexts[c], &desc), PADIC_OK);
            for (int r = 0; r < ROWS; r++) {
                const int64_t L = seen(a, r, at % 4 > 1), last = L - (int64_t)window;
                int32_t some[N], want[N];
                scored all[N];
                int bad, n = 0, mid = 0;
                const int count = distinct(a, r, L, some, &bad);
                CHECK_EQ(a->status[r], bad ? PADIC_PQ_STATUS_ENTRY : 0);
                qsort(some, (size_t)count, 4, ascending);
                for (int k = 0; k < count; k++)
                    if (some[k] < (int)sink) want[n++] = some[k];
                    else if (some[k] < last) {
                        all[mid].position = some[k];
                        all[mid++].score = dot(a, r, some[k]);
                    }
                qsort(all, (size_t)mid, sizeof *all, better);
                if (mid > (int)heavy) mid = (int)heavy;
                for (int k = 0; k < mid; k++) want[n + k] = (int32_t)all[k].position;
                if (desc.order == PADIC_PQ_ORDER_POSITION)
                    qsort(want + n, (size_t)mid, 4, ascending);
                n += mid;
                for (int k = 0; k < count; k++)
                    if (some[k] >= (int)sink && some[k] >= last) want[n++] = some[k];
                CHECK_EQ(a->out_length[r], n);
                for (int k = 0; k < N; k++) CHECK_EQ(out[r][k], k < n ? want[k] : -1);
            }
        }
        free(a);
    }
    contexts_end();
}

// Real numbers of any size: within the error of a sum the best are in, others are not. A key that
// is not finite is the last.
TEST(rerank_scales)
{
    for (int at = 0; at < 3; at++) {
        heads *a = heads_new(0, 0);
        padic_pq_rerank_desc desc = PADIC_ZERO;
        const float scale = at == 0 ? 1.0f : at == 1 ? 1e30f : 1e-22f;
        float *key = (float *)(void *)a->k;
        for (int i = 0; i < B * G * KEYS * D; i++) key[i] *= scale;
        for (int r = 0; r < ROWS; r++) {
            a->length[r] = N;
            for (int j = 0; j < N; j++) a->list[r][j] = (j * 7 + r) % KEYS;
        }
        a->k[0][0][a->list[0][9]][3] = INFINITY;
        desc.queries = of_heads(PADIC_F32, a->q, D);
        desc.keys = pq_tensor(PADIC_F32, a->k, 4, B, G, KEYS, D, 0);
        desc.lists = of_heads(PADIC_I32, a->list, N);
        desc.query_counts = padic_tensor_1d(PADIC_U32, a->queries, B);
        a->queries[0] = a->queries[1] = 1;
        desc.heavy = 20;
        desc.out = of_heads(PADIC_I32, a->out, N + 2);
        CHECK_EQ(padic_pq_rerank(NULL, &desc), PADIC_OK);
        for (int r = 0; r < ROWS; r += Q) {
            uint8_t in[KEYS] = {0};
            double sorted[N];
            int n = 0, taken = 0;
            for (int k = 0; k < 20; k++)
                if (a->out[r][k] >= 0) in[a->out[r][k]] = 1;
            CHECK_EQ(a->out[r][20], -1);
            for (int j = 0; j < N; j++)
                if (isfinite(dot(a, r, a->list[r][j]))) sorted[n++] = -dot(a, r, a->list[r][j]);
            for (int j = 1; j < n; j++)
                for (int k = j; k > 0 && sorted[k] < sorted[k - 1]; k--) {
                    const double t = sorted[k];
                    sorted[k] = sorted[k - 1];
                    sorted[k - 1] = t;
                }
            for (int j = 0; j < N; j++) {
                const int32_t p = a->list[r][j];
                const double s = dot(a, r, p), tau = -sorted[19];
                const double slack = 4e-6 * (double)(int)D * (double)scale;
                taken += in[p];
                if (!isfinite(s)) CHECK(!in[p]);
                else if (s > tau + slack) CHECK(in[p]);
                else if (s < tau - slack) CHECK(!in[p]);
            }
            CHECK_EQ(taken, 20);
        }
        free(a);
    }
}

TEST(quality)
{
    contexts_begin(0);
    for (int at = 0; at < 12; at++) {
        heads *a = heads_new(at & 1, at % 3 == 1);
        float recall[ROWS], mass[ROWS], error[ROWS];
        const uint64_t sink = at % 4 < 2 ? 0 : 5, window = at % 4 < 2 ? 0 : 9;
        padic_pq_quality_desc desc = PADIC_ZERO;
        desc.queries = of_heads(PADIC_F32, a->q, D);
        desc.keys = pq_tensor(PADIC_F32, a->k, 4, B, G, KEYS, D, 0);
        desc.values = pq_tensor(PADIC_F32, a->v, 4, B, G, KEYS, V, 0);
        desc.lists = of_heads(PADIC_I32, a->list, N);
        desc.list_lengths = of_rows(PADIC_U32, a->length);
        if (at > 5) {
            desc.key_counts = padic_tensor_1d(PADIC_U32, a->keys, B);
            desc.query_counts = padic_tensor_1d(PADIC_U32, a->queries, B);
        }
        desc.sink = sink;
        desc.window = window;
        desc.recall = of_rows(PADIC_F32, recall);
        desc.mass = of_rows(PADIC_F32, mass);
        desc.error = of_rows(PADIC_F32, error);
        desc.status = of_rows(PADIC_U32, a->status);
        for (uint32_t c = 0; c < context_count; c++) {
            CHECK_EQ(padic_pq_quality(contexts[c], &desc), PADIC_OK);
            for (int r = 0; r < ROWS; r++) {
                const int64_t L = seen(a, r, at > 5), last = L - (int64_t)window;
                const float *v = (const float *)(const void *)a->v[r / Q / H][r / Q % H / (H / G)];
                int32_t some[N];
                scored all[KEYS];
                double sum = 0, held = 0, o[V] = {0}, part[V] = {0}, apart = 0, size = 0, tau;
                int bad, n = 0, mid = 0, hits = 0;
                const int count = distinct(a, r, L, some, &bad);
                CHECK_EQ(a->status[r], bad ? PADIC_PQ_STATUS_ENTRY : 0);
                for (int64_t p = 0; p < L; p++) {
                    const double e = exp(dot(a, r, p) / sqrt((double)D));
                    int listed = 0;
                    for (int k = 0; k < count; k++) listed |= some[k] == p;
                    sum += e, held += listed ? e : 0;
                    for (int i = 0; i < V; i++) {
                        o[i] += e * (double)v[p * V + i];
                        part[i] += listed ? e * (double)v[p * V + i] : 0;
                    }
                    if (p < (int64_t)sink || p >= last) continue;
                    all[n].score = dot(a, r, p);
                    all[n++].position = (int32_t)p;
                    mid += listed;
                }
                recent = 0;
                qsort(all, (size_t)n, sizeof *all, better);
                tau = mid ? all[mid - 1].score - 1e-6 : 0;
                for (int k = 0; k < count; k++)
                    hits += some[k] >= (int)sink && some[k] < last && dot(a, r, some[k]) >= tau;
                CHECK_NEAR(recall[r], mid ? (double)hits / mid : 1, 1e-6);
                CHECK_NEAR(mass[r], L ? held / sum : 0, 1e-5);
                for (int i = 0; i < V && L; i++) {
                    const double less = (count ? part[i] / held : 0) - o[i] / sum;
                    apart += less * less;
                    size += o[i] / sum * (o[i] / sum);
                }
                CHECK_NEAR(error[r], L ? sqrt(apart / size) : 0, 1e-5 * (1 + sqrt(apart / size)));
            }
        }
        free(a);
    }
    contexts_end();
}

TEST(errors)
{
    heads *a = heads_new(1, 0);
    padic_pq_lists_desc list = PADIC_ZERO;
    padic_pq_rerank_desc rerank = PADIC_ZERO;
    padic_pq_quality_desc quality = PADIC_ZERO;
    list.chosen = rerank.lists = quality.lists = of_heads(PADIC_I32, a->list, N);
    list.lists = rerank.out = of_heads(PADIC_I32, a->out, N + 2);
    list.sink = 3;
    CHECK_EQ(padic_pq_lists(NULL, &list), PADIC_ERROR_CAPACITY);
    list.sink = (uint64_t)1 << 31;
    CHECK_EQ(padic_pq_lists(NULL, &list), PADIC_ERROR_LIMIT);
    list.sink = 0;
    memset(&list.order, 2, sizeof list.order); // none that there is
    CHECK_EQ(padic_pq_lists(NULL, &list), PADIC_ERROR_ARGUMENT);
    rerank.queries = quality.queries = of_heads(PADIC_F32, a->q, D);
    rerank.keys = quality.keys = pq_tensor(PADIC_F32, a->k, 4, B, G, KEYS, D, 0);
    rerank.heavy = 10;
    CHECK_EQ(padic_pq_rerank(NULL, &rerank), PADIC_OK);
    rerank.out.shape[3] = 9;
    CHECK_EQ(padic_pq_rerank(NULL, &rerank), PADIC_ERROR_CAPACITY);
    rerank.out.shape[3] = 10;
    rerank.out.dtype = PADIC_U32;
    CHECK_EQ(padic_pq_rerank(NULL, &rerank), PADIC_ERROR_DTYPE);
    rerank.out.dtype = PADIC_I32;
    rerank.keys.shape[3] = D - 1;
    CHECK_EQ(padic_pq_rerank(NULL, &rerank), PADIC_ERROR_MISMATCH);
    quality.error = of_rows(PADIC_F32, a->status);
    CHECK_EQ(padic_pq_quality(NULL, &quality), PADIC_ERROR_ARGUMENT);
    quality.error.data = NULL;
    quality.scale = NAN;
    CHECK_EQ(padic_pq_quality(NULL, &quality), PADIC_ERROR_ARGUMENT);
    quality.scale = 0;
    quality.key_count = KEYS + 1;
    quality.status = of_rows(PADIC_U32, a->status);
    CHECK_EQ(padic_pq_quality(NULL, &quality), PADIC_OK);
    CHECK_EQ(a->status[2], PADIC_PQ_STATUS_LENGTH);
    free(a);
}

TEST_MAIN("test_pq_lists", CASE(tables), CASE(lists), CASE(rerank), CASE(rerank_scales),
          CASE(quality), CASE(errors))
