// pq_options.h: what a selection may be asked for besides the best k: fewer of them by row, by
// length, by score or by mass, biases, one list for a group of heads, lists of 64 bits. Numbers are
// integers, whose scores are exact, against brute force, in all `contexts`. Include it after
// pq_support.h; asked_begin() and asked_end() make and end the contexts.
#ifndef PQ_OPTIONS_H
#define PQ_OPTIONS_H

static int recent; // of equal scores the higher position first

static int asked_better(const void *a_, const void *b_)
{
    const scored *a = (const scored *)a_, *b = (const scored *)b_;
    if (a->score != b->score) return a->score > b->score ? -1 : 1;
    if (recent) return a->position > b->position ? -1 : a->position < b->position;
    return a->position < b->position ? -1 : a->position > b->position;
}

static int asked_ascending(const void *a, const void *b)
{
    const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return x < y ? -1 : x > y;
}

typedef struct asked {
    pq_world w;
    padic_pq_select_desc desc;
    uint64_t cap, heads;
    int64_t *list;
    uint32_t *length, *status, heavy[2], keys[2];
    float *bias, slopes[8];
} asked;

static const pq_sizes asked_sizes[4] = {{2, 2, 4, 2, 700, 2, 3, 4, 0},
                                        {2, 1, 4, 1, 500, 2, 2, 6, 0},
                                        {2, 2, 2, 1, 400, 4, 2, 5, 0},
                                        {2, 1, 3, 3, 300, 3, 3, 8, 0}};

static void asked_new(asked *a, int at, padic_pq_reduce reduce)
{
    const pq_sizes *is = &asked_sizes[at];
    padic_pq_prepare_desc prepare = PADIC_ZERO;
    memset(a, 0, sizeof *a);
    pq_world_new(&a->w, is, (is->n + 63) / 64);
    for (uint64_t i = 0; i < is->b * is->g * is->m * a->w.K * a->w.D; i++)
        a->w.centroids[i] = (float)((int)pq_below(9) - 4);
    for (uint64_t i = 0; i < is->b * is->h * is->s_q * a->w.d; i++)
        a->w.queries[i] = (float)((int)pq_below(7) - 3);
    for (uint64_t i = 0; i < is->b * is->g * is->n * a->w.d; i++)
        a->w.keys[i] = (float)((int)pq_below(9) - 4);
    prepare.codebook = a->w.book;
    CHECK_EQ(padic_pq_prepare(NULL, &prepare), PADIC_OK);
    CHECK_EQ(pq_append(NULL, &a->w, 0, is->n), PADIC_OK);
    a->heads = reduce ? is->g : is->h;
    a->cap = 50;
    a->list = (int64_t *)pq_fresh(is->b * a->heads * is->s_q * a->cap * 8);
    a->length = (uint32_t *)pq_fresh(is->b * a->heads * is->s_q * 4);
    a->status = (uint32_t *)pq_fresh(is->b * a->heads * is->s_q * 4);
    a->bias = (float *)pq_fresh(is->b * is->h * is->n * 4);
    for (uint64_t i = 0; i < is->b * is->h * is->n; i++) a->bias[i] = (float)((int)pq_below(9) - 4);
    for (uint64_t i = 0; i < is->h; i++) a->slopes[i] = 0.25f * (float)(i + 1);
    a->desc.codebook = a->w.book;
    a->desc.cache = a->w.cache;
    a->desc.cache.start = 3;
    a->desc.queries = a->w.query_view;
    a->desc.sink = 4;
    a->desc.window = 6;
    a->desc.heavy = 40;
    a->desc.reduce = reduce;
    a->desc.lists = pq_tensor(PADIC_I64, a->list, 4, is->b, a->heads, is->s_q, a->cap, 0);
    a->desc.lengths = pq_tensor(PADIC_U32, a->length, 3, is->b, a->heads, is->s_q, 0, 0);
    a->desc.status = pq_tensor(PADIC_U32, a->status, 3, is->b, a->heads, is->s_q, 0, 0);
}

static void asked_free(asked *a)
{
    pq_world_free(&a->w);
    free(a->list);
    free(a->length);
    free(a->status);
    free(a->bias);
}

// The score of head h as the desc wants it.
static double value_of(const asked *a, uint64_t b, uint64_t h, uint64_t i, uint64_t code,
                       uint64_t L)
{
    const uint64_t p = code + a->desc.cache.start;
    double bound, value = pq_score(&a->w, b, h, i, code, &bound);
    if (a->desc.bias.data && p < a->desc.bias.shape[2])
        value += (double)a->bias[(b * a->w.is.h + h) * a->w.is.n + p];
    if (a->desc.slopes.data) value -= (double)a->slopes[h] * (double)(L - 1 - p);
    return value;
}

// Scores of the candidates of a list; SOFTMAX_SUM in f64.
static uint64_t values_of(const asked *a, uint64_t b, uint64_t head, uint64_t i, uint64_t L,
                          scored *all)
{
    const uint64_t per = a->w.is.h / a->w.is.g, many = a->desc.reduce ? per : 1;
    uint64_t n = 0;
    for (uint64_t code = 0; code < a->w.lengths[b]; code++) {
        const uint64_t p = code + a->desc.cache.start;
        if (p < a->desc.sink || p + a->desc.window >= L) continue;
        all[n].position = (int64_t)p;
        all[n++].score = a->desc.reduce == PADIC_PQ_REDUCE_MAX ? -1e9 : 0;
    }
    for (uint64_t k = 0; k < many; k++) {
        const uint64_t h = a->desc.reduce ? head * per + k : head;
        double most = -1e30, sum = 0;
        const double scale = 1 / sqrt((double)a->w.d);
        double *value = (double *)pq_fresh(n * sizeof *value);
        for (uint64_t j = 0; j < n; j++) {
            value[j] = value_of(a, b, h, i, (uint64_t)all[j].position - a->desc.cache.start, L);
            most = fmax(most, value[j]);
        }
        for (uint64_t j = 0; j < n; j++) sum += exp(scale * (value[j] - most));
        for (uint64_t j = 0; j < n; j++) {
            if (a->desc.reduce == PADIC_PQ_REDUCE_MAX)
                all[j].score = fmax(all[j].score, value[j]);
            else if (a->desc.reduce == PADIC_PQ_REDUCE_SOFTMAX_SUM)
                all[j].score += exp(scale * (value[j] - most)) / sum;
            else all[j].score += value[j];
        }
        free(value);
    }
    return n;
}

static uint64_t smaller(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

// How many of the sorted candidates a limit leaves.
static uint64_t limited(const asked *a, const scored *all, uint64_t n, uint64_t k)
{
    const double scale = 1 / sqrt((double)a->w.d);
    double sum = 0, part = 0;
    uint64_t left = 0;
    if (a->desc.limit == PADIC_PQ_LIMIT_THRESHOLD) {
        while (left < k && all[left].score >= (double)a->desc.threshold) left++;
        return left;
    }
    if (a->desc.limit != PADIC_PQ_LIMIT_TOP_P) return k;
    for (uint64_t j = 0; j < n; j++) sum += exp(scale * (all[j].score - all[0].score));
    while (left < k && part < a->desc.top_p * sum)
        part += exp(scale * (all[left++].score - all[0].score));
    return left;
}

// Every list against a sort. With `near_ties` (sums of exponentials) the set may differ where
// scores do by less than 1e-5.
static void against_sort(const asked *a, int near_ties)
{
    const pq_sizes *is = &a->w.is;
    scored *all = (scored *)pq_fresh(is->n * sizeof *all);
    recent = a->desc.tie == PADIC_PQ_TIE_RECENT;
    for (uint64_t r = 0; r < is->b * a->heads * is->s_q; r++) {
        const uint64_t i = r % is->s_q, head = r / is->s_q % a->heads, b = r / is->s_q / a->heads;
        const uint64_t keys = a->desc.key_counts.data ? a->keys[b] : is->n + 3;
        const uint64_t L = keys - is->s_q + i + 1;
        const int64_t *list = a->list + r * a->cap;
        uint64_t k = a->desc.heavy, n, left, at = 0;
        int64_t want[64];
        if (a->desc.heavy_counts.data) k = smaller(k, a->heavy[b]);
        if (a->desc.heavy_fraction > 0)
            k = smaller(k, (uint64_t)floor(a->desc.heavy_fraction * (double)L));
        if (L <= a->desc.sink + k + a->desc.window) {
            CHECK_EQ(a->length[r], L);
            for (uint64_t j = 0; j < L; j++) CHECK_EQ(list[j], j);
            continue;
        }
        n = values_of(a, b, head, i, L, all);
        qsort(all, n, sizeof *all, asked_better);
        left = limited(a, all, n, smaller(k, n));
        CHECK_EQ(a->length[r], 10 + left);
        for (; at < 4; at++) want[at] = (int64_t)at;
        for (uint64_t j = 0; j < left; j++) want[at++] = all[j].position;
        if (a->desc.order == PADIC_PQ_ORDER_POSITION) qsort(want + 4, left, 8, asked_ascending);
        for (uint64_t p = L - 6; p < L; p++) want[at++] = (int64_t)p;
        if (!near_ties) {
            CHECK(!memcmp(list, want, at * 8));
        } else if (left) {
            const double tau = all[left - 1].score;
            for (uint64_t j = 4; j < 4 + left && a->length[r] == 10 + left; j++) {
                uint64_t found = 0;
                while (found < n && all[found].position != list[j]) found++;
                CHECK(found < n && all[found].score >= tau - 1e-5);
            }
        }
        for (uint64_t j = a->length[r]; j < a->cap; j++) CHECK_EQ(list[j], -1);
    }
    free(all);
}

// A selection as asked for, the same bytes in every context and by every method.
static void everywhere(asked *a)
{
    const uint64_t bytes = a->w.is.b * a->heads * a->w.is.s_q * a->cap * 8;
    int64_t *first = (int64_t *)pq_fresh(bytes);
    CHECK_EQ(padic_pq_select(NULL, &a->desc), PADIC_OK);
    memcpy(first, a->list, bytes);
    for (uint32_t c = 0; c < context_count; c++)
        for (uint32_t method = 0; method < 4; method++) {
            a->desc.method = (padic_pq_method)method;
            memset(a->list, 0x33, bytes);
            CHECK_EQ(padic_pq_select(contexts[c], &a->desc), PADIC_OK);
            CHECK(!memcmp(first, a->list, bytes));
        }
    a->desc.method = PADIC_PQ_METHOD_AUTO;
    free(first);
}

TEST(counts_and_fractions)
{
    asked_begin();
    for (int at = 0; at < 12; at++) {
        asked a;
        asked_new(&a, at % 4, PADIC_PQ_REDUCE_NONE);
        a.desc.tie = (padic_pq_tie)(at & 1);
        a.desc.order = (padic_pq_order)(at >> 1 & 1);
        a.keys[0] = (uint32_t)a.w.is.n + 3, a.keys[1] = 100;
        a.heavy[0] = (uint32_t)pq_below(41), a.heavy[1] = at == 3 ? 0 : 7;
        if (at % 3) a.desc.key_counts = padic_tensor_1d(PADIC_U32, a.keys, 2);
        if (at % 3 != 2) a.desc.heavy_counts = padic_tensor_1d(PADIC_U32, a.heavy, 2);
        if (at % 3) a.desc.heavy_fraction = at == 5 ? 1 : 0.07;
        everywhere(&a);
        against_sort(&a, 0);
        a.heavy[1] = 41; // above `heavy`: counts as that
        if (a.desc.heavy_counts.data) {
            CHECK_EQ(padic_pq_select(NULL, &a.desc), PADIC_OK);
            CHECK_EQ(a.status[a.heads * a.w.is.s_q] & 255, PADIC_PQ_STATUS_LENGTH);
            against_sort(&a, 0);
        }
        asked_free(&a);
    }
    asked_end();
}

TEST(biases)
{
    asked_begin();
    for (int at = 0; at < 12; at++) {
        const pq_sizes *is = &asked_sizes[at % 4];
        asked a;
        asked_new(&a, at % 4, PADIC_PQ_REDUCE_NONE);
        a.desc.tie = (padic_pq_tie)(at & 1);
        a.desc.order = (padic_pq_order)(at >> 1 & 1);
        if (at % 3 != 1) {
            a.desc.bias = pq_tensor(PADIC_F32, a.bias, 3, is->b, is->h, is->n, 0, 0);
            if (at > 7) { // of the first keys only
                a.desc.bias.stride[0] = (int64_t)(is->h * is->n);
                a.desc.bias.stride[1] = (int64_t)is->n, a.desc.bias.stride[2] = 1;
                a.desc.bias.shape[2] = 50;
            }
        }
        if (at % 3) a.desc.slopes = padic_tensor_1d(PADIC_F32, a.slopes, is->h);
        everywhere(&a);
        against_sort(&a, 0);
        if (at == 0) { // a NaN is the last, an infinity the first
            a.bias[20] = NAN, a.bias[21] = INFINITY, a.bias[22] = -INFINITY;
            a.desc.order = PADIC_PQ_ORDER_BEST;
            CHECK_EQ(padic_pq_select(NULL, &a.desc), PADIC_OK);
            CHECK_EQ(a.list[4], 21);
            for (uint64_t k = 0; k < 50; k++) CHECK(a.list[k] != 20 && a.list[k] != 22);
        }
        asked_free(&a);
    }
    asked_end();
}

TEST(limits)
{
    asked_begin();
    for (int at = 0; at < 16; at++) {
        asked a;
        asked_new(&a, at % 4, PADIC_PQ_REDUCE_NONE);
        a.desc.tie = (padic_pq_tie)(at & 1);
        a.desc.order = (padic_pq_order)(at >> 1 & 1);
        a.desc.limit = at < 8 ? PADIC_PQ_LIMIT_THRESHOLD : PADIC_PQ_LIMIT_TOP_P;
        a.desc.threshold = (float)(at % 8 * 4);
        a.desc.top_p = at <= 8 ? 0 : at == 9 ? 1 : 0.051 * (at - 9);
        if (at & 4) a.desc.slopes = padic_tensor_1d(PADIC_F32, a.slopes, a.w.is.h);
        everywhere(&a);
        against_sort(&a, 0);
        asked_free(&a);
    }
    asked_end();
}

// One list for the query heads of a head of keys.
TEST(groups)
{
    asked_begin();
    for (int at = 0; at < 24; at++) {
        const padic_pq_reduce reduce = (padic_pq_reduce)(1 + at / 4 % 3);
        asked a;
        asked_new(&a, at % 4, reduce);
        a.desc.tie = (padic_pq_tie)(at & 1);
        if (at > 12) a.desc.slopes = padic_tensor_1d(PADIC_F32, a.slopes, a.w.is.h);
        if (at % 5 == 4) a.desc.limit = PADIC_PQ_LIMIT_THRESHOLD;
        if (at % 5 == 4 && reduce == PADIC_PQ_REDUCE_SOFTMAX_SUM) a.desc.threshold = 1e-9f;
        everywhere(&a);
        against_sort(&a, reduce == PADIC_PQ_REDUCE_SOFTMAX_SUM);
        asked_free(&a);
    }
    { // a head that is not finite
        asked a;
        asked_new(&a, 1, PADIC_PQ_REDUCE_MAX);
        a.w.queries[0] = NAN;
        CHECK_EQ(padic_pq_select(NULL, &a.desc), PADIC_OK);
        CHECK_EQ(a.status[0], PADIC_PQ_STATUS_NOT_FINITE);
        CHECK_EQ(a.status[1], 0);
        CHECK_EQ(a.length[0], 50);
        asked_free(&a);
    }
    asked_end();
}

#endif // PQ_OPTIONS_H
