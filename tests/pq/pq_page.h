// pq_page.h: scores, the best of them and lists against sorts of fp64 scores: integers, where both
// are exact, and real numbers within the error that the header states; sinks, windows and
// candidates of all sizes; groups of heads, several queries, rows of unequal lengths, pages; any
// bytes as a cache. All of it in the context PQ_HERE. test_pq_select.c has it on the CPU,
// gpu/test_gpu_pq_page.c on devices. PQ_SMALL: without the shape of many keys, and fewer of the
// rest. Include it after pq_support.h.
#ifndef PQ_PAGE_H
#define PQ_PAGE_H

typedef struct pq_choice { // fields of a desc
    uint64_t sink, window, heavy, full_below, start, key_count;
    padic_pq_tie tie;
    padic_pq_order order;
} pq_choice;

typedef struct pq_lists {
    int32_t *list;
    uint32_t *length, *status;
    uint64_t cap, rows;
} pq_lists;

static void lists_new(pq_lists *l, const pq_world *w, const pq_choice *c)
{
    const uint64_t parts = c->sink + c->window + c->heavy;
    l->cap = parts > c->full_below ? parts : c->full_below;
    l->rows = w->is.b * w->is.h * w->is.s_q;
    l->list = (int32_t *)pq_fresh(l->rows * l->cap * 4);
    l->length = (uint32_t *)pq_fresh(l->rows * 4);
    l->status = (uint32_t *)pq_fresh(l->rows * 4);
}

static void lists_free(pq_lists *l)
{
    free(l->list);
    free(l->length);
    free(l->status);
}

static void lists_desc(const pq_world *w, const pq_choice *c, pq_lists *l,
                       padic_pq_select_desc *desc)
{
    memset(desc, 0, sizeof *desc);
    desc->codebook = w->book;
    desc->cache = w->cache;
    desc->cache.start = c->start;
    desc->queries = w->query_view;
    desc->key_count = c->key_count;
    desc->sink = c->sink;
    desc->window = c->window;
    desc->heavy = c->heavy;
    desc->full_below = c->full_below;
    desc->tie = c->tie;
    desc->order = c->order;
    desc->lists = pq_tensor(PADIC_I32, l->list, 4, w->is.b, w->is.h, w->is.s_q, l->cap, 0);
    desc->lengths = pq_tensor(PADIC_U32, l->length, 3, w->is.b, w->is.h, w->is.s_q, 0, 0);
    desc->status = pq_tensor(PADIC_U32, l->status, 3, w->is.b, w->is.h, w->is.s_q, 0, 0);
}

// Numbers with few bits: sums in f32 have no error, and many scores are equal.
static void integers(pq_world *w, int most)
{
    padic_pq_prepare_desc desc = PADIC_ZERO;
    for (uint64_t i = 0; i < w->is.b * w->is.g * w->is.m * w->K * w->D; i++)
        w->centroids[i] = (float)((int)pq_below((uint64_t)(2 * most + 1)) - most);
    for (uint64_t i = 0; i < w->is.b * w->is.h * w->is.s_q * w->d; i++)
        w->queries[i] = (float)((int)pq_below((uint64_t)(2 * most + 1)) - most);
    for (uint64_t i = 0; i < w->is.b * w->is.g * w->is.n * w->d; i++)
        w->keys[i] = (float)((int)pq_below((uint64_t)(2 * most + 1)) - most);
    desc.codebook = w->book;
    CHECK_EQ(padic_pq_prepare(NULL, &desc), PADIC_OK);
    CHECK_EQ(pq_append(PQ_HERE, w, 0, w->is.n), PADIC_OK);
}

static int better(const void *a_, const void *b_)
{
    const scored *a = (const scored *)a_, *b = (const scored *)b_;
    if (a->score != b->score) return a->score > b->score ? -1 : 1;
    return a->position < b->position ? -1 : a->position > b->position;
}

static int ascending(const void *a, const void *b)
{
    const int32_t x = *(const int32_t *)a, y = *(const int32_t *)b;
    return x < y ? -1 : x > y;
}

// The list by a sort of all candidates' scores. Returns its length.
static uint64_t brute(const pq_world *w, const pq_choice *c, uint64_t b, uint64_t h, uint64_t i,
                      uint64_t keys, uint64_t queries, int32_t *list)
{
    const int64_t visible = (int64_t)keys - (int64_t)queries + (int64_t)i + 1;
    const uint64_t L = i < queries && visible > 0 ? (uint64_t)visible : 0;
    uint64_t n = 0, heavy = 0, parts = c->sink + c->window + c->heavy;
    scored *all;
    if (parts < c->full_below) parts = c->full_below;
    if (L <= parts) {
        for (n = 0; n < L; n++) list[n] = (int32_t)n;
        return n;
    }
    all = (scored *)pq_fresh(w->lengths[b] * sizeof *all);
    for (uint64_t code = 0; code < w->lengths[b]; code++) {
        const uint64_t p = c->start + code;
        double bound;
        if (p < c->sink || p + c->window >= L) continue;
        all[heavy].score = pq_score(w, b, h, i, code, &bound);
        // turned round for RECENT
        all[heavy++].position = c->tie == PADIC_PQ_TIE_RECENT ? -(int64_t)p : (int64_t)p;
    }
    qsort(all, heavy, sizeof *all, better);
    if (heavy > c->heavy) heavy = c->heavy;
    for (; n < c->sink; n++) list[n] = (int32_t)n;
    for (uint64_t k = 0; k < heavy; k++)
        list[n++] = (int32_t)(all[k].position < 0 ? -all[k].position : all[k].position);
    if (c->order == PADIC_PQ_ORDER_POSITION)
        qsort(list + c->sink, heavy, sizeof *list, ascending);
    for (uint64_t p = L - c->window; p < L; p++) list[n++] = (int32_t)p;
    free(all);
    return n;
}

static void against_brute(const pq_world *w, const pq_choice *c, const pq_lists *l, uint64_t keys)
{
    int32_t *want = (int32_t *)pq_fresh((l->cap + 1) * 4);
    for (uint64_t r = 0; r < l->rows; r++) {
        const uint64_t i = r % w->is.s_q, h = r / w->is.s_q % w->is.h, b = r / w->is.s_q / w->is.h;
        const uint64_t n = brute(w, c, b, h, i, keys, w->is.s_q, want);
        CHECK_EQ(l->length[r], n);
        CHECK(!memcmp(want, l->list + r * l->cap, n * 4));
        for (uint64_t k = n; k < l->cap; k++) CHECK_EQ(l->list[r * l->cap + k], -1);
    }
    free(want);
}

static const pq_sizes sizes[] = {
    {1, 1, 2, 1, 1500, 2, 4, 4, 0}, {2, 2, 4, 1, 700, 2, 3, 3, 0}, {1, 2, 2, 2, 9000, 2, 2, 6, 0},
    {1, 1, 1, 1, 600, 4, 2, 8, 0},  {1, 1, 2, 1, 500, 3, 3, 9, 0}, {2, 1, 2, 1, 800, 8, 2, 4, 0},
    {1, 1, 1, 2, 400, 1, 5, 7, 0},  {1, 1, 1, 1, 333, 2, 3, 1, 0},
};
enum { SIZES = sizeof sizes / sizeof *sizes };

// Sums that both compute exactly: the whole list, ties included, by every method.
TEST(integers_exact)
{
    for (int at = 0; at < SIZES; at++) {
        if (PQ_SMALL && at == 2) continue; // many keys
        pq_world w;
        pq_choice c = {3, 5, 40, 0, 2, 0, PADIC_PQ_TIE_FIRST, PADIC_PQ_ORDER_POSITION};
        pq_lists l;
        pq_world_new(&w, &sizes[at], (sizes[at].n + 63) / 64);
        integers(&w, at % 2 ? 2 : 30);
        lists_new(&l, &w, &c);
        for (int how = 0; how < 16; how += PQ_SMALL ? 3 : 1) {
            padic_pq_select_desc desc;
            c.tie = (padic_pq_tie)(how & 1);
            c.order = (padic_pq_order)(how >> 1 & 1);
            lists_desc(&w, &c, &l, &desc);
            desc.method = (padic_pq_method)(how >> 2);
            memset(l.list, 0x77, l.rows * l.cap * 4);
            CHECK_EQ(padic_pq_select(PQ_HERE, &desc), PADIC_OK);
            against_brute(&w, &c, &l, w.is.n + c.start);
        }
        lists_free(&l);
        pq_world_free(&w);
    }
}

// Real numbers: within the error of a score, the list is the best; scores are within it.
TEST(real_numbers)
{
    for (int at = 0; at < SIZES; at++) {
        if (PQ_SMALL && at == 2) continue;
        pq_world w;
        const pq_choice c = {2, 3, 25, 0, 0, 0, PADIC_PQ_TIE_FIRST, PADIC_PQ_ORDER_POSITION};
        pq_lists l;
        padic_pq_select_desc desc;
        padic_pq_score_desc score = PADIC_ZERO;
        float *scores, *tables;
        pq_world_new(&w, &sizes[at], (sizes[at].n + 63) / 64);
        CHECK_EQ(pq_train(NULL, &w, 2), PADIC_OK);
        CHECK_EQ(pq_append(PQ_HERE, &w, 0, w.is.n), PADIC_OK);
        lists_new(&l, &w, &c);
        lists_desc(&w, &c, &l, &desc);
        CHECK_EQ(padic_pq_select(PQ_HERE, &desc), PADIC_OK);
        scores = (float *)pq_fresh(l.rows * w.is.n * 4);
        tables = (float *)pq_fresh(l.rows * w.is.m * w.K * 4);
        score.codebook = w.book;
        score.cache = w.cache;
        score.queries = w.query_view;
        score.out = pq_tensor(PADIC_F32, scores, 4, w.is.b, w.is.h, w.is.s_q, w.is.n, 0);
        score.tables = pq_tensor(PADIC_F32, tables, 5, w.is.b, w.is.h, w.is.s_q, w.is.m, w.K);
        CHECK_EQ(padic_pq_score(PQ_HERE, &score), PADIC_OK);
        for (uint64_t r = 0; r < l.rows; r++) {
            const uint64_t i = r % w.is.s_q, h = r / w.is.s_q % w.is.h;
            const uint64_t b = r / w.is.s_q / w.is.h, L = w.is.n - w.is.s_q + i + 1;
            scored *all = (scored *)pq_fresh(w.is.n * sizeof *all);
            uint8_t *in = (uint8_t *)pq_fresh(w.is.n);
            double tau, most = 0, bound;
            uint64_t n = 0;
            CHECK_EQ(l.length[r], 30);
            for (uint64_t k = 0; k < l.length[r]; k++) {
                const int32_t p = l.list[r * l.cap + k];
                CHECK(p >= 0 && (uint64_t)p < L && !in[p]); // none twice
                CHECK(!k || p > l.list[r * l.cap + k - 1]);
                in[p] = 1;
            }
            for (uint64_t p = 0; p < w.is.n; p++) {
                const double s = pq_score(&w, b, h, i, p, &bound);
                CHECK(fabs(s - (double)scores[r * w.is.n + p]) <= bound);
                if (p < 2 || p + 3 >= L) continue;
                if (bound > most) most = bound;
                all[n].score = s;
                all[n++].position = (int64_t)p;
            }
            qsort(all, n, sizeof *all, better);
            tau = all[24].score;
            for (uint64_t k = 0; k < n; k++) {
                if (all[k].score > tau + 2 * most) CHECK(in[all[k].position]);
                if (all[k].score < tau - 2 * most) CHECK(!in[all[k].position]);
            }
            for (uint64_t j = 0; j < w.is.m; j++)
                for (uint64_t k = 0; k < w.K; k += 5) {
                    double sum = 0, size = 0;
                    const float *cent = pq_centroid(&w, b, h / (w.is.h / w.is.g), j, k);
                    for (uint64_t x = 0; x < w.is.ds; x++) {
                        const double one = (double)cent[x] *
                                           (double)pq_query(&w, b, h, i)[j * w.is.ds + x];
                        sum += one;
                        size += fabs(one);
                    }
                    CHECK_NEAR(sum, tables[(r * w.is.m + j) * w.K + k], 1e-6 * (size + 1e-6));
                }
            free(all);
            free(in);
        }
        lists_free(&l);
        free(scores);
        free(tables);
        pq_world_free(&w);
    }
}

// All lengths of a row about the sizes of its parts, each of which may be 0.
TEST(sweep)
{
    const pq_sizes is = {1, 1, 1, 1, 130, 2, 2, 3, 0};
    pq_world w;
    pq_world_new(&w, &is, 3);
    integers(&w, 4);
    for (int at = 0; at < 60; at++) {
        const pq_choice base = {pq_below(3) ? pq_below(12) : 0, pq_below(3) ? pq_below(12) : 0,
                                pq_below(3) ? pq_below(30) : 0, pq_below(2) ? pq_below(60) : 0,
                                pq_below(20), 0, (padic_pq_tie)pq_below(2),
                                (padic_pq_order)pq_below(2)};
        const uint64_t step = test_tiny ? 7 : 1;
        for (uint64_t keys = 1; keys < 160; keys += step + pq_below(4)) {
            pq_choice c = base;
            pq_lists l;
            padic_pq_select_desc desc;
            c.key_count = keys;
            lists_new(&l, &w, &c);
            lists_desc(&w, &c, &l, &desc);
            desc.method = (padic_pq_method)pq_below(4);
            CHECK_EQ(padic_pq_select(PQ_HERE, &desc), PADIC_OK);
            against_brute(&w, &c, &l, keys);
            lists_free(&l);
        }
    }
    pq_world_free(&w);
}

// Heads in groups, several queries, rows of unequal lengths, pages: each list is that of the call
// with it alone.
TEST(alone)
{
    for (int at = 0; at < 4; at++) {
        const pq_sizes is = {2, 2, at == 0 ? 2u : at == 1 ? 8u : at == 2 ? 16u : 4u,
                             at == 3 ? 5u : 1u, 400, 2, 4, at == 1 ? 4u : 6u, 0};
        const pq_choice c = {4, 6, 20, 0, 3, 0, PADIC_PQ_TIE_RECENT, PADIC_PQ_ORDER_POSITION};
        uint32_t keys[2] = {403, 177}, queries[2] = {5, 3};
        pq_world w, one;
        pq_lists l, single;
        padic_pq_select_desc desc;
        const pq_sizes small = {1, 1, 1, 1, 400, 2, 4, is.bits, 0};
        pq_world_new(&w, &is, 7);
        CHECK_EQ(pq_train(NULL, &w, 2), PADIC_OK);
        CHECK_EQ(pq_append(PQ_HERE, &w, 0, 380), PADIC_OK);
        w.lengths[1] = 170;
        w.cache.counts.data = NULL; // they are of 380
        lists_new(&l, &w, &c);
        lists_desc(&w, &c, &l, &desc);
        desc.key_counts = padic_tensor_1d(PADIC_U32, keys, 2);
        if (at == 3) desc.query_counts = padic_tensor_1d(PADIC_U32, queries, 2);
        CHECK_EQ(padic_pq_select(PQ_HERE, &desc), PADIC_OK);
        pq_world_new(&one, &small, 7);
        lists_new(&single, &one, &c);
        for (uint64_t r = 0; r < l.rows; r++) {
            const uint64_t i = r % is.s_q, h = r / is.s_q % is.h, b = r / is.s_q / is.h;
            const uint64_t g = h / (is.h / is.g), s_q = at == 3 ? queries[b] : 1;
            const uint64_t book = (b * 2 + g) * 2 * w.K, width = is.bits == 4 ? 32 : 64;
            if (i >= s_q) {
                CHECK_EQ(l.length[r], 0);
                continue;
            }
            memcpy(one.centroids, w.centroids + book * 4, 2 * w.K * 16);
            memcpy(one.scaled, w.scaled + book * 5, 2 * w.K * 20);
            memcpy(one.info, w.info + (b * 2 + g) * 8, 32);
            memcpy(one.codes, w.codes + (b * 2 + g) * 7 * 2 * width, 7 * 2 * width);
            memcpy(one.queries, pq_query(&w, b, h, i), 32);
            one.lengths[0] = w.lengths[b];
            one.cache.counts.data = NULL;
            lists_desc(&one, &c, &single, &desc);
            desc.key_count = keys[b] - s_q + i + 1;
            CHECK_EQ(padic_pq_select(PQ_HERE, &desc), PADIC_OK);
            CHECK(!memcmp(single.list, l.list + r * l.cap, l.cap * 4));
            CHECK_EQ(single.status[0], l.status[r]);
        }
        { // the same codes in pages of 2 tiles, out of order
            uint8_t codes[9 * 2 * 2 * 2 * 64];
            uint32_t pages[2][4] = {{8, 0, 3, 5}, {1, 7, 2, 6}};
            int32_t *list = (int32_t *)pq_fresh(l.rows * l.cap * 4);
            const uint64_t width = is.bits == 4 ? 32 : 64;
            memset(codes, 0xff, sizeof codes);
            for (uint64_t b = 0; b < 2; b++)
                for (uint64_t g = 0; g < 2; g++)
                    for (uint64_t t = 0; t < 7; t++)
                        memcpy(codes + ((pages[b][t / 2] * 2 + g) * 2 + t % 2) * 2 * width,
                               w.codes + ((b * 2 + g) * 7 + t) * 2 * width, 2 * width);
            memcpy(list, l.list, l.rows * l.cap * 4);
            lists_desc(&w, &c, &l, &desc);
            desc.key_counts = padic_tensor_1d(PADIC_U32, keys, 2);
            if (at == 3) desc.query_counts = padic_tensor_1d(PADIC_U32, queries, 2);
            desc.cache.codes = pq_tensor(PADIC_U8, codes, 5, 9, 2, 2, 2, width);
            desc.cache.pages = padic_tensor_2d(PADIC_U32, pages, 2, 4);
            for (uint32_t method = 0; method < 4; method++) {
                desc.method = (padic_pq_method)method;
                CHECK_EQ(padic_pq_select(PQ_HERE, &desc), PADIC_OK);
                CHECK(!memcmp(list, l.list, l.rows * l.cap * 4));
            }
            pages[0][1] = 9; // none: what is from there on counts as not coded
            CHECK_EQ(padic_pq_select(PQ_HERE, &desc), PADIC_OK);
            CHECK(l.status[0] & PADIC_PQ_STATUS_PAGE);
            CHECK(l.status[0] & PADIC_PQ_STATUS_UNCODED);
            CHECK(l.list[l.cap - 7] < 128 + 3);
            free(list);
        }
        lists_free(&l);
        lists_free(&single);
        pq_world_free(&one);
        pq_world_free(&w);
    }
}

// Keys of at most K sub-vectors: the codes have no error, and the list is that of the keys.
TEST(lossless)
{
    const pq_sizes is = {1, 1, 3, 1, 900, 2, 4, 5, 0};
    const pq_choice c = {0, 0, 33, 0, 0, 0, PADIC_PQ_TIE_FIRST, PADIC_PQ_ORDER_BEST};
    float palette[32][8];
    pq_world w;
    pq_lists l;
    padic_pq_select_desc desc;
    pq_world_new(&w, &is, 15);
    for (int i = 0; i < 256; i++) palette[i / 8][i % 8] = (float)((int)pq_below(512) - 256) / 1024;
    for (int i = 0; i < 24; i++) w.queries[i] = (float)((int)pq_below(512) - 256) / 1024;
    for (uint64_t p = 0; p < 900; p++)
        for (uint64_t j = 0; j < 2; j++)
            memcpy(w.keys + p * 8 + j * 4, palette[pq_below(32)] + j * 4, 16);
    CHECK_EQ(pq_train(NULL, &w, 1), PADIC_OK);
    CHECK_EQ(pq_append(PQ_HERE, &w, 0, 900), PADIC_OK);
    lists_new(&l, &w, &c);
    lists_desc(&w, &c, &l, &desc);
    CHECK_EQ(padic_pq_select(PQ_HERE, &desc), PADIC_OK);
    for (uint64_t h = 0; h < 3; h++) {
        scored all[900];
        for (uint64_t p = 0; p < 900; p++) {
            all[p].score = 0;
            all[p].position = (int64_t)p;
            for (int i = 0; i < 8; i++)
                all[p].score += (double)w.keys[p * 8 + (uint64_t)i] *
                                (double)w.queries[h * 8 + (uint64_t)i];
        }
        qsort(all, 900, sizeof *all, better);
        for (uint64_t k = 0; k < 33; k++) CHECK_EQ(l.list[h * 33 + k], all[k].position);
    }
    lists_free(&l);
    pq_world_free(&w);
}

TEST(topk)
{
    for (int at = 0; at < 40; at++) {
        const uint64_t n = at < 4 ? (uint64_t)at : 1 + pq_below(3000), k = pq_below(n + 3);
        float *scores = (float *)pq_fresh(3 * n * 4);
        int32_t *out = (int32_t *)pq_fresh(3 * k * 4);
        padic_pq_topk_desc desc = PADIC_ZERO;
        desc.scores = padic_tensor_2d(PADIC_F32, scores, 3, n);
        desc.out = padic_tensor_2d(PADIC_I32, out, 3, k);
        desc.tie = (padic_pq_tie)(at & 1);
        desc.order = (padic_pq_order)(at >> 1 & 1);
        for (uint64_t i = 0; i < 3 * n; i++) {
            const uint64_t what = pq_below(20);
            scores[i] = what == 0   ? NAN
                        : what == 1 ? -INFINITY
                        : what == 2 ? (pq_below(2) ? 0.0f : -0.0f)
                        : what == 3 ? INFINITY
                        : what == 4 ? 1e-42f
                        : at % 3    ? pq_uniform()
                                    : (float)pq_below(9);
        }
        CHECK_EQ(padic_pq_topk(PQ_HERE, &desc), PADIC_OK);
        for (uint64_t row = 0; row < 3; row++) {
            scored *all = (scored *)pq_fresh(n * sizeof *all);
            int32_t *want = (int32_t *)pq_fresh(k * 4);
            for (uint64_t i = 0; i < n; i++) {
                const double s = (double)scores[row * n + i];
                all[i].score = s != s ? -INFINITY : s;
                all[i].position = desc.tie == PADIC_PQ_TIE_RECENT ? -(int64_t)i : (int64_t)i;
            }
            if (n) qsort(all, n, sizeof *all, better);
            for (uint64_t i = 0; i < k; i++)
                want[i] = i < n ? (int32_t)(all[i].position < 0 ? -all[i].position
                                                                : all[i].position)
                                : -1;
            if (k && desc.order == PADIC_PQ_ORDER_POSITION)
                qsort(want, k < n ? k : n, 4, ascending);
            CHECK(!memcmp(want, out + row * k, k * 4));
            free(all);
            free(want);
        }
        free(scores);
        free(out);
    }
    const float four[4] = {1, 2, 3, 4};
    int32_t none[4] = {7, 7, 7, 7};
    padic_pq_topk_desc desc = PADIC_ZERO;
    desc.scores = padic_tensor_2d(PADIC_F32, (void *)(uintptr_t)four, 2, 2);
    desc.out = padic_tensor_2d(PADIC_I32, NULL, 2, 0); // places for none
    CHECK_EQ(padic_pq_topk(PQ_HERE, &desc), PADIC_OK);
    desc.scores = padic_tensor_2d(PADIC_F32, NULL, 2, 0); // none of nothing
    desc.out = padic_tensor_2d(PADIC_I32, none, 2, 2);
    CHECK_EQ(padic_pq_topk(PQ_HERE, &desc), PADIC_OK);
    for (int i = 0; i < 4; i++) CHECK_EQ(none[i], -1);
}

// Keys in clusters, turned with their positions as rotary encodings do, one channel eight times as
// large: the share of the softmax that lists of k keys hold, on average over the queries.
static void rotary(pq_world *w)
{
    float centres[30][16];
    for (int i = 0; i < 30 * 16; i++)
        centres[i / 16][i % 16] = pq_uniform() * (i % 16 == 5 ? 8 : 1);
    for (uint64_t p = 0; p < w->is.n + w->is.h; p++) {
        float *x = p < w->is.n ? w->keys + p * 16 : w->queries + (p - w->is.n) * 16;
        const float *c = centres[pq_below(30)];
        for (int i = 0; i < 8; i++) {
            const double angle = (double)(p < w->is.n ? p : w->is.n) * pow(100, -i / 8.0);
            const double a = (double)(c[2 * i] + pq_uniform() / 4);
            const double b = (double)(c[2 * i + 1] + pq_uniform() / 4);
            x[2 * i] = (float)(a * cos(angle) - b * sin(angle));
            x[2 * i + 1] = (float)(a * sin(angle) + b * cos(angle));
        }
    }
}

static double held(const pq_world *w, const int32_t *lists, uint64_t k)
{
    double share = 0;
    for (uint64_t h = 0; h < w->is.h; h++) {
        double all = 0, in = 0, logit[1000], most = -INFINITY;
        for (uint64_t p = 0; p < w->is.n; p++) {
            logit[p] = 0;
            for (int i = 0; i < 16; i++)
                logit[p] += (double)w->queries[h * 16 + (uint64_t)i] *
                            (double)w->keys[p * 16 + (uint64_t)i] / 4;
            most = fmax(most, logit[p]);
        }
        for (uint64_t p = 0; p < w->is.n; p++) all += exp(logit[p] - most);
        for (uint64_t i = 0; i < k; i++) in += exp(logit[lists[h * k + i]] - most);
        share += in / all / (double)w->is.h;
    }
    return share;
}

TEST(quality)
{
    static const struct {
        uint64_t m, k;
        uint32_t bits;
    } steps[] = {{2, 20, 2}, {2, 20, 4}, {2, 20, 6}, {4, 20, 6}, {8, 20, 6}, {8, 60, 6}};
    double before = 0;
    for (int at = 0; at < 6; at += PQ_SMALL ? 5 : 1) {
        const uint64_t m = steps[at].m, k = steps[at].k;
        const pq_sizes is = {1, 1, 24, 1, 1000, m, 16 / m, steps[at].bits, 0};
        const pq_choice c = {0, 0, k, 0, 0, 0, PADIC_PQ_TIE_FIRST, PADIC_PQ_ORDER_BEST};
        int32_t *exact = (int32_t *)pq_fresh(24 * k * 4), *some = (int32_t *)pq_fresh(24 * k * 4);
        pq_world w;
        pq_lists l;
        padic_pq_select_desc desc;
        double is_pq, is_exact, is_random;
        test_random_state = 12345; // the same keys each time
        pq_world_new(&w, &is, 16);
        test_random_state = 54321;
        rotary(&w);
        CHECK_EQ(pq_train(NULL, &w, 1), PADIC_OK);
        CHECK_EQ(pq_append(PQ_HERE, &w, 0, 1000), PADIC_OK);
        lists_new(&l, &w, &c);
        lists_desc(&w, &c, &l, &desc);
        CHECK_EQ(padic_pq_select(PQ_HERE, &desc), PADIC_OK);
        for (uint64_t h = 0; h < 24; h++) {
            scored all[1000];
            for (uint64_t p = 0; p < 1000; p++) {
                all[p].position = (int64_t)p;
                all[p].score = 0;
                for (uint64_t i = 0; i < 16; i++)
                    all[p].score += (double)w.queries[h * 16 + i] * (double)w.keys[p * 16 + i];
            }
            qsort(all, 1000, sizeof *all, better);
            for (uint64_t i = 0; i < k; i++) {
                exact[h * k + i] = (int32_t)all[i].position;
                some[h * k + i] = (int32_t)(i * 37 % 1000);
            }
        }
        is_pq = held(&w, l.list, k), is_exact = held(&w, exact, k), is_random = held(&w, some, k);
        CHECK(is_pq >= before - 0.01);
        CHECK(is_random <= is_pq && is_pq <= is_exact + 1e-12);
        if (at == 5) CHECK(is_pq > 0.9 * is_exact);
        before = is_pq;
        free(exact);
        free(some);
        lists_free(&l);
        pq_world_free(&w);
    }
}

// A query that is not finite, none, no key, no room.
TEST(special)
{
    const pq_sizes is = {1, 1, 3, 1, 300, 2, 4, 4, 0};
    pq_choice c = {2, 3, 10, 0, 0, 0, PADIC_PQ_TIE_FIRST, PADIC_PQ_ORDER_POSITION};
    pq_world w;
    pq_lists l;
    padic_pq_select_desc desc;
    pq_world_new(&w, &is, 5);
    CHECK_EQ(pq_train(NULL, &w, 1), PADIC_OK);
    CHECK_EQ(pq_append(PQ_HERE, &w, 0, 300), PADIC_OK);
    w.queries[3] = NAN;
    w.queries[12] = -INFINITY;
    for (int i = 16; i < 24; i++) w.queries[i] = 0;
    lists_new(&l, &w, &c);
    for (int tie = 0; tie < 2; tie++) {
        c.tie = (padic_pq_tie)tie;
        lists_desc(&w, &c, &l, &desc);
        for (uint32_t method = 0; method < 4; method++) {
            desc.method = (padic_pq_method)method;
            CHECK_EQ(padic_pq_select(PQ_HERE, &desc), PADIC_OK);
            CHECK_EQ(l.status[0], PADIC_PQ_STATUS_NOT_FINITE);
            CHECK_EQ(l.status[1], PADIC_PQ_STATUS_NOT_FINITE);
            CHECK_EQ(l.status[2], 0);
            for (uint64_t h = 0; h < 3; h++)
                for (int k = 0; k < 15; k++)
                    CHECK_EQ(l.list[h * 15 + (uint64_t)k],
                             k < 12 && (k < 2 || !tie) ? k : 300 - 15 + k);
        }
    }
    desc.lists.shape[3] = 14;
    CHECK_EQ(padic_pq_select(PQ_HERE, &desc), PADIC_ERROR_CAPACITY);
    lists_desc(&w, &c, &l, &desc);
    desc.queries.shape[1] = 0; // no heads
    desc.lists.shape[1] = desc.lengths.shape[1] = desc.status.shape[1] = 0;
    CHECK_EQ(padic_pq_select(PQ_HERE, &desc), PADIC_OK);
    lists_desc(&w, &c, &l, &desc);
    desc.method = (padic_pq_method)4;
    CHECK_EQ(padic_pq_select(PQ_HERE, &desc), PADIC_ERROR_ARGUMENT);
    desc.method = PADIC_PQ_METHOD_AUTO;
    w.lengths[0] = 5000;
    CHECK_EQ(padic_pq_select(PQ_HERE, &desc), PADIC_OK);
    CHECK(l.status[2] & PADIC_PQ_STATUS_LENGTH);
    lists_free(&l);
    pq_world_free(&w);
}

// Any bytes as codes, counts, lengths, pages and tables of a codebook: no list leaves the row, and
// none has a position twice. Sanitizers see the rest.
TEST(any_bytes)
{
    for (int at = 0; at < (test_tiny ? 60 : 300); at++) {
        const pq_sizes is = {2, 1, 1, 1, 10, 1 + pq_below(3), 1 + pq_below(4),
                             1 + (uint32_t)pq_below(9), (int)pq_below(2)};
        const pq_choice c = {pq_below(5), pq_below(5), pq_below(60), 0, pq_below(4), 0,
                             (padic_pq_tie)pq_below(2), (padic_pq_order)pq_below(2)};
        const int packed = (is.bits == 5 || is.bits == 6) && pq_below(2);
        const uint64_t width = packed ? 48 : is.bits <= 4 ? 32 : is.bits <= 8 ? 64 : 128;
        uint32_t pages[2][2];
        pq_world w;
        pq_lists l;
        padic_pq_select_desc desc;
        pq_world_new(&w, &is, 4);
        if (packed) pq_world_pack(&w);
        for (uint64_t i = 0; i < 2 * 4 * is.m * width; i++) w.codes[i] = (uint8_t)test_random();
        for (uint64_t i = 0; i < 2 * is.m * w.K * (w.D + 1); i++) {
            const uint32_t bits = (uint32_t)test_random() >> (at % 3 == 0 ? 0 : 2);
            memcpy(w.scaled + i, &bits, 4);
        }
        for (uint64_t i = 0; i < 8 * is.m; i++)
            w.info[i] = (int32_t)((uint32_t)test_random() >> pq_below(32));
        for (uint64_t i = 0; w.counts && i < 2 * w.cache.counts.shape[2]; i++)
            w.counts[i] = (uint32_t)test_random() >> pq_below(32);
        for (int i = 0; i < 4; i++) pages[i / 2][i % 2] = (uint32_t)pq_below(6);
        w.lengths[0] = (uint32_t)pq_below(300);
        w.lengths[1] = (uint32_t)test_random();
        lists_new(&l, &w, &c);
        lists_desc(&w, &c, &l, &desc);
        desc.method = (padic_pq_method)pq_below(4);
        if (pq_below(2)) { // 4 pages of 2 tiles
            desc.cache.codes.shape[0] = 4;
            desc.cache.codes.shape[2] = 2;
            desc.cache.pages = padic_tensor_2d(PADIC_U32, pages, 2, 2);
        }
        CHECK_EQ(padic_pq_select(PQ_HERE, &desc), PADIC_OK);
        for (uint64_t r = 0; r < 2; r++) {
            uint8_t seen[512] = {0};
            CHECK(l.length[r] <= l.cap);
            for (uint64_t k = 0; k < l.length[r]; k++) {
                const int32_t p = l.list[r * l.cap + k];
                CHECK(p >= 0 && p < 260 && !seen[p]);
                if (p >= 0 && p < 512) seen[p] = 1;
            }
        }
        { // and new keys are added to it, or are not
            uint32_t clamped[2];
            padic_pq_append_desc add = PADIC_ZERO;
            add.codebook = w.book;
            add.cache = desc.cache;
            add.keys = w.key_view;
            add.clamped = pq_tensor(PADIC_U32, clamped, 2, 2, 1, 0, 0, 0);
            (void)padic_pq_append(PQ_HERE, &add);
        }
        lists_free(&l);
        pq_world_free(&w);
    }
}

#endif
