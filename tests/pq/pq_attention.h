// pq_attention.h: attention in the context PQ_HERE against sums in long double, and what must hold
// between calls: all keys as a list, order and repetition of entries, weights, merged parts,
// groups, rows of unequal lengths, pages, 16-bit inputs; estimates from random lists.
// test_pq_attend.c has it on the CPU, gpu/test_gpu_pq_page.c on devices. Include it after
// pq_support.h.
#ifndef PQ_ATTENTION_H
#define PQ_ATTENTION_H

typedef struct heads { // b rows, h and g heads, n queries, s keys, c entries of a list
    uint64_t b, h, g, n, s, d, v, c;
    padic_dtype dtype;
    void *q, *k, *x; // queries, keys, values
    int32_t *list;
    uint32_t *length, *status;
    float *weight, *out, *lse;
    padic_pq_attend_desc desc;
} heads;

// A number in (-1, 1) times `size`, as an element; its value is exact in f32.
static void put(void *to, padic_dtype dtype, uint64_t i, float value)
{
    uint32_t bits;
    if (dtype == PADIC_F32) {
        ((float *)to)[i] = value;
        return;
    }
    memcpy(&bits, &value, 4);
    if (dtype == PADIC_BF16) ((uint16_t *)to)[i] = (uint16_t)(bits >> 16);
    else // normal numbers of f16 only
        ((uint16_t *)to)[i] = (uint16_t)((bits >> 16 & 0x8000u) |
                                         ((bits >> 13 & 0x3ffffu) - (112u << 10)));
}

static float get(const void *from, padic_dtype dtype, uint64_t i)
{
    uint32_t bits;
    float value;
    if (dtype == PADIC_F32) return ((const float *)from)[i];
    bits = ((const uint16_t *)from)[i];
    if (dtype == PADIC_BF16) bits <<= 16;
    else bits = (bits & 0x8000u) << 16 | ((bits & 0x7fffu) + (112u << 10)) << 13;
    memcpy(&value, &bits, 4);
    return value;
}

static void *numbers(padic_dtype dtype, uint64_t count, float size)
{
    void *p = pq_fresh(count * 4);
    for (uint64_t i = 0; i < count; i++) {
        float value = pq_uniform() * size;
        if (fabs((double)value) < 1e-3) value = 0.0078125f;
        put(p, dtype, i, value);
    }
    return p;
}

static void heads_new(heads *a, uint64_t b, uint64_t h, uint64_t g, uint64_t n, uint64_t s,
                      uint64_t d, uint64_t v, uint64_t c, padic_dtype dtype)
{
    memset(a, 0, sizeof *a);
    a->b = b, a->h = h, a->g = g, a->n = n, a->s = s, a->d = d, a->v = v, a->c = c;
    a->dtype = dtype;
    a->q = numbers(dtype, b * h * n * d, 2);
    a->k = numbers(dtype, b * g * s * d, 2);
    a->x = numbers(dtype, b * g * s * v, 1);
    a->list = (int32_t *)pq_fresh(b * h * n * c * 4);
    a->weight = (float *)pq_fresh(b * h * n * c * 4);
    a->length = (uint32_t *)pq_fresh(b * h * n * 4);
    a->status = (uint32_t *)pq_fresh(b * h * n * 4);
    a->out = (float *)pq_fresh(b * h * n * v * 4);
    a->lse = (float *)pq_fresh(b * h * n * 4);
    for (uint64_t i = 0; i < b * h * n * c; i++) {
        a->list[i] = (int32_t)pq_below(s);
        a->weight[i] = 1 + (float)pq_below(100) / 16;
    }
    for (uint64_t i = 0; i < b * h * n; i++) a->length[i] = (uint32_t)(c - pq_below(c / 4 + 1));
    a->desc.queries = pq_tensor(dtype, a->q, 4, b, h, n, d, 0);
    a->desc.keys = pq_tensor(dtype, a->k, 4, b, g, s, d, 0);
    a->desc.values = pq_tensor(dtype, a->x, 4, b, g, s, v, 0);
    a->desc.lists = pq_tensor(PADIC_I32, a->list, 4, b, h, n, c, 0);
    a->desc.lengths = pq_tensor(PADIC_U32, a->length, 3, b, h, n, 0, 0);
    a->desc.weights = pq_tensor(PADIC_F32, a->weight, 4, b, h, n, c, 0);
    a->desc.out = pq_tensor(PADIC_F32, a->out, 4, b, h, n, v, 0);
    a->desc.lse = pq_tensor(PADIC_F32, a->lse, 3, b, h, n, 0, 0);
    a->desc.status = pq_tensor(PADIC_U32, a->status, 3, b, h, n, 0, 0);
}

static void heads_free(heads *a)
{
    free(a->q);
    free(a->k);
    free(a->x);
    free(a->list);
    free(a->weight);
    free(a->length);
    free(a->status);
    free(a->out);
    free(a->lse);
}

// Row r of the outputs against the definition, over the first `count` entries, or keys.
static void exactly(const heads *a, uint64_t r, uint64_t count, int lists, int weighted)
{
    const uint64_t head = r / a->n % a->h, row = r / a->n / a->h;
    const uint64_t key = (row * a->g + head / (a->h / a->g)) * a->s;
    const double scale = a->desc.scale != 0 ? a->desc.scale : 1 / sqrt((double)a->d);
    long double *o = (long double *)pq_fresh(a->v * sizeof *o), sum = 0, most = -1e30L, large = 0;
    long double *size = (long double *)pq_fresh(a->v * sizeof *size);
    long double *logit = (long double *)pq_fresh((count + 1) * sizeof *logit);
    for (uint64_t j = 0; j < count; j++) {
        const uint64_t p = lists ? (uint64_t)a->list[r * a->c + j] : j;
        long double dot = 0;
        for (uint64_t i = 0; i < a->d; i++)
            dot += (long double)get(a->q, a->dtype, r * a->d + i) *
                   (long double)get(a->k, a->dtype, (key + p) * a->d + i);
        logit[j] = dot * (long double)scale;
        if (weighted) logit[j] += logl((long double)a->weight[r * a->c + j]);
        most = fmaxl(most, logit[j]);
        large = fmaxl(large, fabsl(logit[j]));
    }
    for (uint64_t j = 0; j < count; j++) {
        const uint64_t p = lists ? (uint64_t)a->list[r * a->c + j] : j;
        const long double e = expl(logit[j] - most);
        sum += e;
        for (uint64_t i = 0; i < a->v; i++) {
            const long double x = (long double)get(a->x, a->dtype, (key + p) * a->v + i);
            o[i] += e * x;
            size[i] += e * fabsl(x);
        }
    }
    for (uint64_t i = 0; i < a->v && count; i++) {
        const long double bound =
            (8 + large + log2l((long double)count)) * 0x1p-23L * size[i] / sum;
        CHECK(fabsl((long double)a->out[r * a->v + i] - o[i] / sum) <= bound);
    }
    if (count) CHECK_NEAR(a->lse[r], most + logl(sum), 1e-6L * (1 + large));
    free(o);
    free(size);
    free(logit);
}

static const padic_dtype dtypes[3] = {PADIC_F32, PADIC_F16, PADIC_BF16};

static void full_of(const heads *a, padic_pq_attend_full_desc *desc)
{
    memset(desc, 0, sizeof *desc);
    desc->queries = a->desc.queries;
    desc->keys = a->desc.keys;
    desc->values = a->desc.values;
    desc->out = a->desc.out;
    desc->lse = a->desc.lse;
    desc->status = a->desc.status;
}

// All keys as a list, in any order, is all keys; key_counts and query_counts; each query sees its
// own.
TEST(all_keys)
{
    for (int at = 0; at < 6; at++) {
        heads a;
        padic_pq_attend_full_desc full;
        uint32_t keys[2] = {90, 33}, queries[2] = {4, 2};
        float *out;
        heads_new(&a, 2, 4, 2, 4, 90, 16, 16, 90, dtypes[at % 3]);
        full_of(&a, &full);
        full.key_counts = padic_tensor_1d(PADIC_U32, keys, 2);
        if (at / 3) full.query_counts = padic_tensor_1d(PADIC_U32, queries, 2);
        CHECK_EQ(padic_pq_attend_full(PQ_HERE, &full), PADIC_OK);
        for (uint64_t r = 0; r < 32; r++) {
            const uint64_t i = r % 4, n = at / 3 ? queries[r / 16] : 4;
            const uint64_t sees = i < n ? keys[r / 16] - n + i + 1 : 0;
            exactly(&a, r, sees, 0, 0);
            for (uint64_t k = 0; k < 16 && !sees; k++) CHECK(a.out[r * 16 + k] == 0);
            if (!sees) CHECK(a.lse[r] == -INFINITY);
            a.length[r] = (uint32_t)sees;
            for (uint64_t j = 0; j < 90; j++) a.list[r * 90 + j] = (int32_t)j;
        }
        out = (float *)pq_fresh(32 * 16 * 4);
        memcpy(out, a.out, 32 * 16 * 4);
        for (int shuffled = 0; shuffled < 2; shuffled++) {
            a.desc.weights.data = NULL;
            CHECK_EQ(padic_pq_attend(PQ_HERE, &a.desc), PADIC_OK);
            for (uint64_t i = 0; i < 32 * 16; i++)
                CHECK_NEAR(a.out[i], out[i], shuffled ? 3e-6 : 0);
            for (uint64_t r = 0; r < 32; r++)
                for (uint64_t j = a.length[r]; j-- > 1;) {
                    const uint64_t other = pq_below(j + 1);
                    const int32_t kept = a.list[r * 90 + j];
                    a.list[r * 90 + j] = a.list[r * 90 + other];
                    a.list[r * 90 + other] = kept;
                }
        }
        free(out);
        heads_free(&a);
    }
}

// Weights times a constant; an entry twice; a list in two parts, merged.
TEST(identities)
{
    heads a;
    float out[6][16], lse[6], part[2][6][16], part_lse[2][6];
    padic_pq_merge_desc merge = PADIC_ZERO;
    heads_new(&a, 1, 6, 3, 1, 200, 24, 16, 150, PADIC_F32);
    CHECK_EQ(padic_pq_attend(PQ_HERE, &a.desc), PADIC_OK);
    memcpy(out, a.out, sizeof out);
    memcpy(lse, a.lse, sizeof lse);
    for (int i = 0; i < 6 * 150; i++) a.weight[i] *= 8;
    CHECK_EQ(padic_pq_attend(PQ_HERE, &a.desc), PADIC_OK);
    for (int i = 0; i < 96; i++) CHECK_NEAR(a.out[i], out[i / 16][i % 16], 2e-7);
    for (int i = 0; i < 6; i++) CHECK_NEAR(a.lse[i], (double)lse[i] + log(8.0), 2e-6);
    for (int i = 0; i < 6 * 150; i++) a.weight[i] /= 8;
    for (int i = 0; i < 2; i++) { // entries up to 70 and from 70 on
        for (int r = 0; r < 6 * 150; r++) {
            const int32_t was = a.list[r];
            a.list[r] = (r % 150 < 70) == (i == 0) ? was : -1 - was;
        }
        for (int r = 0; r < 6 * 150; r++)
            if (a.list[r] < 0) a.list[r] = a.list[r] - 1; // below -1
        CHECK_EQ(padic_pq_attend(PQ_HERE, &a.desc), PADIC_OK);
        for (int r = 0; r < 6; r++) CHECK_EQ(a.status[r], PADIC_PQ_STATUS_ENTRY);
        memcpy(part[i], a.out, sizeof part[i]);
        memcpy(part_lse[i], a.lse, sizeof part_lse[i]);
        for (int r = 0; r < 6 * 150; r++)
            if (a.list[r] < 0) a.list[r] = -2 - a.list[r];
    }
    merge.first = pq_tensor(PADIC_F32, part[0], 4, 1, 6, 1, 16, 0);
    merge.second = pq_tensor(PADIC_F32, part[1], 4, 1, 6, 1, 16, 0);
    merge.first_lse = pq_tensor(PADIC_F32, part_lse[0], 3, 1, 6, 1, 0, 0);
    merge.second_lse = pq_tensor(PADIC_F32, part_lse[1], 3, 1, 6, 1, 0, 0);
    merge.out = a.desc.out;
    merge.lse = a.desc.lse;
    CHECK_EQ(padic_pq_merge(PQ_HERE, &merge), PADIC_OK);
    for (int i = 0; i < 96; i++) CHECK_NEAR(a.out[i], out[i / 16][i % 16], 3e-6);
    for (int i = 0; i < 6; i++) CHECK_NEAR(a.lse[i], lse[i], 3e-6);
    for (int i = 0; i < 6; i++) part_lse[0][i] = -INFINITY;
    CHECK_EQ(padic_pq_merge(PQ_HERE, &merge), PADIC_OK);
    CHECK(!memcmp(a.out, part[1], sizeof part[1]));
    for (int i = 0; i < 6; i++) part_lse[1][i] = -INFINITY;
    CHECK_EQ(padic_pq_merge(PQ_HERE, &merge), PADIC_OK);
    CHECK(a.out[3] == 0 && a.lse[3] == -INFINITY);
    for (int r = 0; r < 6; r++) { // an entry twice is weight 2
        a.length[r] = 100;
        a.list[r * 150 + 99] = a.list[r * 150 + 98];
        a.weight[r * 150 + 99] = a.weight[r * 150 + 98] = 3;
    }
    CHECK_EQ(padic_pq_attend(PQ_HERE, &a.desc), PADIC_OK);
    memcpy(out, a.out, sizeof out);
    for (int r = 0; r < 6; r++) a.length[r] = 99, a.weight[r * 150 + 98] = 6;
    CHECK_EQ(padic_pq_attend(PQ_HERE, &a.desc), PADIC_OK);
    for (int i = 0; i < 96; i++) CHECK_NEAR(a.out[i], out[i / 16][i % 16], 2e-7);
    heads_free(&a);
}

// Pages in any order give the bytes of one piece of memory.
TEST(pages)
{
    heads a;
    float *keys, *values, *out;
    uint32_t table[2][3] = {{5, 0, 2}, {1, 4, 3}};
    heads_new(&a, 2, 4, 2, 1, 96, 16, 8, 70, PADIC_F32);
    CHECK_EQ(padic_pq_attend(PQ_HERE, &a.desc), PADIC_OK);
    out = (float *)pq_fresh(8 * 8 * 4);
    memcpy(out, a.out, 8 * 8 * 4);
    keys = (float *)pq_fresh(6 * 2 * 32 * 16 * 4);
    values = (float *)pq_fresh(6 * 2 * 32 * 8 * 4);
    for (uint64_t r = 0; r < 2; r++)
        for (uint64_t g = 0; g < 2; g++)
            for (uint64_t p = 0; p < 96; p++) {
                const uint64_t to = (table[r][p / 32] * 2 + g) * 32 + p % 32;
                memcpy(keys + to * 16, (float *)a.k + ((r * 2 + g) * 96 + p) * 16, 64);
                memcpy(values + to * 8, (float *)a.x + ((r * 2 + g) * 96 + p) * 8, 32);
            }
    a.desc.keys = pq_tensor(PADIC_F32, keys, 4, 6, 2, 32, 16, 0);
    a.desc.values = pq_tensor(PADIC_F32, values, 4, 6, 2, 32, 8, 0);
    a.desc.pages = padic_tensor_2d(PADIC_U32, table, 2, 3);
    CHECK_EQ(padic_pq_attend(PQ_HERE, &a.desc), PADIC_OK);
    CHECK(!memcmp(out, a.out, 8 * 8 * 4));
    table[1][1] = 6;
    CHECK_EQ(padic_pq_attend(PQ_HERE, &a.desc), PADIC_OK);
    CHECK(!memcmp(out, a.out, 4 * 8 * 4));
    CHECK_EQ(a.status[0], 0);
    CHECK_EQ(a.status[4], PADIC_PQ_STATUS_PAGE);
    free(keys);
    free(values);
    free(out);
    heads_free(&a);
}

// A NaN stays in its query; entries that make no sense are skipped; an empty list is 0.
TEST(special_attention)
{
    heads a;
    padic_pq_attend_full_desc full;
    heads_new(&a, 1, 4, 1, 1, 30, 8, 8, 10, PADIC_F32);
    for (int i = 0; i < 4; i++) a.length[i] = 10;
    ((float *)a.q)[3] = NAN;
    a.list[10] = 30, a.list[11] = INT32_MIN, a.list[12] = -1;
    a.weight[13] = -1, a.weight[14] = NAN, a.weight[15] = INFINITY, a.weight[16] = 0;
    a.length[2] = 0;
    a.length[3] = 11;
    CHECK_EQ(padic_pq_attend(PQ_HERE, &a.desc), PADIC_OK);
    CHECK(a.out[0] != a.out[0] && a.lse[0] != a.lse[0]);
    CHECK_EQ(a.status[1], PADIC_PQ_STATUS_ENTRY);
    for (int k = 17; k < 20; k++) { // what is left of query 1
        a.list[k - 7] = a.list[k];
        a.weight[k - 7] = a.weight[k];
    }
    exactly(&a, 1, 3, 1, 1);
    for (int i = 0; i < 8; i++) CHECK(a.out[16 + i] == 0);
    CHECK(a.lse[2] == -INFINITY);
    CHECK_EQ(a.status[3], PADIC_PQ_STATUS_LENGTH);
    exactly(&a, 3, 10, 1, 1);
    full_of(&a, &full);
    full.key_count = 31;
    CHECK_EQ(padic_pq_attend_full(PQ_HERE, &full), PADIC_OK);
    CHECK_EQ(a.status[1], PADIC_PQ_STATUS_LENGTH);
    exactly(&a, 1, 30, 0, 0);
    a.desc.scale = INFINITY;
    CHECK_EQ(padic_pq_attend(PQ_HERE, &a.desc), PADIC_ERROR_ARGUMENT);
    a.desc.scale = 0;
    a.desc.queries.shape[1] = 3;
    CHECK_EQ(padic_pq_attend(PQ_HERE, &a.desc), PADIC_ERROR_MISMATCH);
    heads_free(&a);
}

// Keys drawn with probability p, weighted 1 / p: numerators and denominators are right on average.
TEST(estimates)
{
    enum { KEYS = 12 };
    const int draws = PQ_SMALL ? 600 : test_tiny ? 20000 : 100000;
    heads a;
    double truth[2] = {0, 0}, mean[2] = {0, 0}, square[2] = {0, 0};
    heads_new(&a, 1, 1, 1, 1, KEYS, 8, 1, KEYS, PADIC_F32);
    a.length[0] = KEYS;
    for (int j = 0; j < KEYS; j++) a.list[j] = j, a.weight[j] = 1;
    CHECK_EQ(padic_pq_attend(PQ_HERE, &a.desc), PADIC_OK);
    truth[0] = exp((double)a.lse[0]);
    truth[1] = truth[0] * (double)a.out[0];
    for (int draw = 0; draw < draws; draw++) {
        double got[2];
        a.length[0] = 0;
        for (int j = 0; j < KEYS; j++) {
            const double p = 0.2 + 0.06 * j;
            if ((double)(test_random() >> 11) * 0x1p-53 >= p) continue;
            a.list[a.length[0]] = j;
            a.weight[a.length[0]++] = (float)(1 / p);
        }
        CHECK_EQ(padic_pq_attend(PQ_HERE, &a.desc), PADIC_OK);
        got[0] = exp((double)a.lse[0]);
        got[1] = got[0] * (double)a.out[0];
        for (int k = 0; k < 2; k++) mean[k] += got[k], square[k] += got[k] * got[k];
    }
    for (int k = 0; k < 2; k++) {
        mean[k] /= draws;
        square[k] = square[k] / draws - mean[k] * mean[k];
        CHECK_NEAR(mean[k], truth[k], 5 * sqrt(square[k] / draws));
    }
    heads_free(&a);
}

TEST(dense_weights)
{
    int32_t list[2][5] = {{3, 0, 3, 9, -1}, {1, 2, 4, 5, 6}};
    float weight[2][5] = {{1, 2, 4, 8, 16}, {1, 2, 3, 4, 5}}, out[2][9];
    uint32_t length[2] = {5, 2};
    static const float want[2][9] = {{2, 0, 0, 5}, {0, 1, 2}};
    static const float ones[2][9] = {{1, 0, 0, 2}, {0, 1, 1}};
    padic_pq_weights_dense_desc desc = PADIC_ZERO;
    desc.lists = pq_tensor(PADIC_I32, list, 4, 1, 2, 1, 5, 0);
    desc.weights = pq_tensor(PADIC_F32, weight, 4, 1, 2, 1, 5, 0);
    desc.lengths = pq_tensor(PADIC_U32, length, 3, 1, 2, 1, 0, 0);
    desc.out = pq_tensor(PADIC_F32, out, 4, 1, 2, 1, 9, 0);
    CHECK_EQ(padic_pq_weights_dense(PQ_HERE, &desc), PADIC_OK);
    CHECK(!memcmp(out, want, sizeof out));
    desc.weights.data = NULL;
    CHECK_EQ(padic_pq_weights_dense(PQ_HERE, &desc), PADIC_OK);
    CHECK(!memcmp(out, ones, sizeof out));
}

#endif
