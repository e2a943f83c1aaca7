// fuzz_pq.c: calls of pq that are legal or nearly so, chosen by the bytes: codebooks, caches,
// pages, lengths, counts, lists and codes of any bytes; shapes, strides, types, enums off by one,
// overlapping and misaligned arrays, sizes that overflow, workspaces a byte short. Whatever codes
// and tables stand for, nothing outside an array is read, and no list has a position twice. See
// fuzz_views.h.
#define PADIC_IMPLEMENTATION
#include "../../padic.h"
#include "../../backends/padic_simd.h"
#include "fuzz.h"
#include "fuzz_views.h"

typedef struct sizes {
    uint64_t b, g, h, s_q, m, ds, K, D, width, tiles, page;
    uint32_t bits;
    int paged;
} sizes;

static sizes s; // of this call

static uint64_t axis(void)
{
    return next(30) ? 1 + next(3) : next(70);
}

static void sizes_choose(void)
{
    memset(&s, 0, sizeof s);
    s.bits = next(20) ? 1 + next(9) : next(16);
    s.b = axis(), s.g = axis(), s.s_q = axis();
    s.h = s.g * (1 + next(3));
    s.m = next(8) ? 1 + next(4) : next(40);
    s.ds = 1 + next(5);
    if (s.bits > 6) s.m = s.m % 3; // tables of a mebibyte at most
    s.K = (uint64_t)1 << s.bits;
    s.D = s.ds + next(2);
    s.width = s.bits <= 4 ? 32 : 64;
    s.tiles = 1 + next(3);
    s.paged = !next(3);
    s.page = 1 + next(2);
    if (!s.bits || s.bits > 12 || !s.m || s.m > 256) mistakes++;
}

static padic_tensor view_of(padic_dtype dtype, uint32_t rank, uint64_t n0, uint64_t n1, uint64_t n2,
                            uint64_t n3, uint64_t n4)
{
    uint64_t shape[5];
    shape[0] = n0, shape[1] = n1, shape[2] = n2, shape[3] = n3, shape[4] = n4;
    return view(dtype, rank, shape);
}

// What must be dense: without the longer rows that view() may choose.
static padic_tensor dense_of(padic_dtype dtype, uint32_t rank, uint64_t n0, uint64_t n1,
                             uint64_t n2, uint64_t n3, uint64_t n4)
{
    padic_tensor t = view_of(dtype, rank, n0, n1, n2, n3, n4);
    for (uint32_t a = 0; a < rank && a < PADIC_MAX_RANK; a++)
        if (t.stride[a]) mistakes++;
    return t;
}

static padic_tensor maybe(padic_tensor t)
{
    const padic_tensor none = {NULL, {0}, PADIC_DTYPE_NONE, 0, 0, {0}, {0}};
    return next(3) ? t : none;
}

// Small numbers in a U32, I32 or I64 array that is in its block; else its bytes stay as they are.
static void small_numbers(const padic_tensor *t, uint32_t below)
{
    uint64_t lead, size = view_size(t, &lead);
    if (!t->data || t->offset || size == UINT64_MAX || !next(4)) return;
    for (uint64_t i = 0; i + 4 <= size; i += padic_dtype_size(t->dtype) == 8 ? 8 : 4) {
        uint32_t value = next(below + 1) - (next(12) ? 0u : 1u);
        memcpy((char *)t->data - lead + i, &value, 4);
        value = value == UINT32_MAX ? value : 0;
        if (padic_dtype_size(t->dtype) == 8) memcpy((char *)t->data - lead + i + 4, &value, 4);
    }
}

static padic_pq_codebook book_of(void)
{
    padic_pq_codebook book;
    const uint64_t B = next(3) ? 1 : s.b;
    memset(&book, 0, sizeof book);
    book.metric = s.D > s.ds ? PADIC_PQ_METRIC_IP : PADIC_PQ_METRIC_L2;
    if (!next(40)) book.metric = (padic_pq_metric)enumerated(2), mistakes++;
    book.centroids = dense_of(PADIC_F32, 5, B, s.g, s.m, s.K, s.D);
    book.scaled = dense_of(PADIC_F32, 5, B, s.g, s.m, s.D + 1, s.K);
    book.info = dense_of(PADIC_I32, 4, B, s.g, s.m, 4, 0);
    return book;
}

static padic_pq_cache cache_of(void)
{
    padic_pq_cache cache;
    const uint64_t pages = 1 + next(5);
    memset(&cache, 0, sizeof cache);
    cache.codes = dense_of(s.bits > 8 ? PADIC_U16 : PADIC_U8, 5, s.paged ? pages : s.b, s.g,
                           s.paged ? s.page : s.tiles, s.m, s.width);
    cache.lengths = dense_of(PADIC_U32, 1, s.b, 0, 0, 0, 0);
    small_numbers(&cache.lengths, 64 * (uint32_t)s.tiles + 1);
    if (s.paged) {
        cache.pages = dense_of(PADIC_U32, 2, s.b, s.tiles, 0, 0, 0);
        small_numbers(&cache.pages, (uint32_t)pages);
    }
    if (s.m * s.bits <= 10 && next(2))
        cache.counts = dense_of(PADIC_U32, 3, s.b, s.g, (uint64_t)1 << s.m * s.bits, 0, 0);
    if (cache.counts.data) small_numbers(&cache.counts, 60);
    cache.start = next(8) ? next(9) : UINT64_MAX >> next(64);
    if (cache.start > 1 << 20) mistakes++;
    cache.bits = next(2) ? s.bits : 0;
    if (!next(40)) cache.bits = next(16), mistakes++;
    if (!cache.bits) mistakes++; // guessed by calls without a codebook
    return cache;
}

static padic_dtype real(void)
{
    static const padic_dtype all[3] = {PADIC_F32, PADIC_F16, PADIC_BF16};
    return all[next(3)];
}

static padic_tensor keys_of(uint64_t heads, uint64_t n)
{
    return view_of(real(), 4, s.b, heads, n, s.m * s.ds, 0);
}

static padic_tensor list_of(uint64_t heads, uint64_t n)
{
    return view_of(next(2) ? PADIC_I32 : PADIC_I64, 4, s.b, heads, s.s_q, n, 0);
}

static padic_tensor row_of(padic_dtype dtype, uint64_t heads)
{
    return view_of(dtype, 3, s.b, heads, s.s_q, 0, 0);
}

static padic_tensor counts_of(uint32_t below)
{
    padic_tensor t = maybe(dense_of(PADIC_U32, 1, s.b, 0, 0, 0, 0));
    small_numbers(&t, below);
    return t;
}

static uint64_t number(uint32_t below)
{
    if (next(40)) return next(below);
    mistakes++;
    return UINT64_MAX >> next(64);
}

// What an array holds may be refused too, and then some calls keep what they wrote before.
static void pq_after(padic_context *context, padic_result result, int partial)
{
    FUZZ_CHECK(blocks_same(1));
    if (result && !partial) FUZZ_CHECK(blocks_same(0));
    if (result && context) FUZZ_CHECK(*padic_context_message(context));
    FUZZ_CHECK(result == PADIC_OK || mistakes || result == PADIC_ERROR_DOMAIN ||
               result == PADIC_ERROR_NOT_FINITE || result == PADIC_ERROR_CAPACITY ||
               result == PADIC_ERROR_ARGUMENT);
}

// Positions of a list, each once and below `limit`, then -1.
static void list_check(const padic_tensor *t)
{
    uint64_t lead;
    if (view_size(t, &lead) == UINT64_MAX || t->rank != 4 || t->stride[0] || lead) return;
    for (uint64_t r = 0; r < t->shape[0] * t->shape[1] * t->shape[2]; r++) {
        uint8_t seen[4096] = {0};
        int done = 0;
        for (uint64_t i = 0; i < t->shape[3]; i++) {
            const uint64_t k = r * t->shape[3] + i;
            const int64_t p = t->dtype == PADIC_I64 ? ((const int64_t *)t->data)[k]
                                                    : ((const int32_t *)t->data)[k];
            FUZZ_CHECK(p >= -1 && (p == -1 || !done));
            done |= p == -1;
            if (p < 0 || p >= 4096) continue;
            FUZZ_CHECK(!seen[p]);
            seen[p] = 1;
        }
    }
}

static void fuzz_books(padic_context *context)
{
    const uint64_t n = 1 + next(40);
    if (next(2)) {
        padic_pq_train_desc d;
        memset(&d, 0, sizeof d);
        d.codebook = book_of();
        d.keys = keys_of(s.g, n);
        d.seed = next(9);
        d.init = (padic_pq_init)enumerated(3);
        d.rounds = 1 + next(3);
        d.samples = next(2) ? 0 : 1 + next(30);
        d.tolerance_moves = next(3);
        if (!next(3))
            d.inertia = view_of(PADIC_F64, 4, d.codebook.centroids.shape[0], s.g, s.m,
                                d.rounds + 1, 0);
        d.workspace = workspace_of(padic_pq_train_workspace(context, &d));
        blocks_keep();
        pq_after(context, padic_pq_train(context, &d), 1);
    } else if (next(2)) {
        padic_pq_encode_desc d;
        memset(&d, 0, sizeof d);
        d.codebook = book_of();
        d.keys = keys_of(s.g, n);
        d.out = view_of(s.bits > 8 ? PADIC_U16 : PADIC_U8, 4, s.b, s.g, n, s.m, 0);
        d.clamped = maybe(view_2(PADIC_U32, s.b, s.g));
        d.workspace = workspace_of(padic_pq_encode_workspace(context, &d));
        blocks_keep();
        pq_after(context, padic_pq_encode(context, &d), 1);
    } else {
        padic_pq_decode_desc d;
        memset(&d, 0, sizeof d);
        d.codebook = book_of();
        d.codes = view_of(next(2) ? PADIC_I32 : PADIC_U16, 4, s.b, s.g, n, s.m, 0);
        d.out = view_of(PADIC_F32, 4, s.b, s.g, n, s.m * s.ds, 0);
        blocks_keep();
        pq_after(context, padic_pq_decode(context, &d), 1);
    }
}

static void fuzz_caches(padic_context *context)
{
    const uint64_t n = 1 + next(90);
    const uint32_t what = next(5);
    if (what < 2) {
        padic_pq_append_desc d;
        memset(&d, 0, sizeof d);
        d.codebook = book_of();
        d.cache = cache_of();
        d.keys = keys_of(s.g, n);
        d.key_counts = counts_of((uint32_t)n + 1);
        d.deferred = next(4) ? 0 : 1;
        d.window = d.deferred ? next(20) : !next(40);
        if (d.deferred && !next(3)) {
            d.keys.shape[2] = 1 + next(20);
            d.key_pages = dense_of(PADIC_U32, 2, s.b, 1 + next(4), 0, 0, 0);
            small_numbers(&d.key_pages, (uint32_t)s.b);
            if (d.keys.stride[0] || d.keys.shape[2] > n) mistakes++;
            if (d.keys.shape[2] > n) d.keys.shape[2] = n;
        }
        d.not_finite = maybe(view_2(PADIC_U32, s.b, s.g));
        d.clamped = maybe(view_2(PADIC_U32, s.b, s.g));
        d.workspace = workspace_of(padic_pq_append_workspace(context, &d));
        blocks_keep();
        pq_after(context, padic_pq_append(context, &d), 0);
    } else if (what == 2) {
        padic_pq_import_desc d;
        static const padic_dtype flat[4] = {PADIC_U8, PADIC_U16, PADIC_I32, PADIC_I64};
        memset(&d, 0, sizeof d);
        d.cache = cache_of();
        d.codes = view_of(flat[next(4)], 4, s.b, s.g, n, s.m, 0);
        if (d.codes.dtype == PADIC_I32) small_numbers(&d.codes, (uint32_t)s.K);
        d.key_counts = counts_of((uint32_t)n + 1);
        blocks_keep();
        pq_after(context, padic_pq_import(context, &d), 0);
    } else if (what == 3) {
        padic_pq_export_desc d;
        memset(&d, 0, sizeof d);
        d.cache = cache_of();
        d.out = view_of(next(2) ? PADIC_U16 : PADIC_I64, 4, s.b, s.g, n, s.m, 0);
        blocks_keep();
        pq_after(context, padic_pq_export(context, &d), 0);
    } else if (next(2)) {
        padic_pq_truncate_desc d;
        memset(&d, 0, sizeof d);
        d.cache = cache_of();
        d.lengths = view_1(PADIC_U32, s.b);
        small_numbers(&d.lengths, 70);
        blocks_keep();
        pq_after(context, padic_pq_truncate(context, &d), 0);
    } else {
        padic_pq_fork_desc d;
        memset(&d, 0, sizeof d);
        s.paged |= next(8) != 0;
        d.cache = cache_of();
        d.from = next(3), d.to = next(3);
        d.length = next(2) ? 0 : next(99);
        d.page = next(6);
        if (!s.paged) mistakes++;
        blocks_keep();
        pq_after(context, padic_pq_fork(context, &d), 0);
    }
}

static void fuzz_select(padic_context *context)
{
    padic_pq_select_desc d;
    uint64_t heads, least;
    memset(&d, 0, sizeof d);
    d.codebook = book_of();
    d.cache = cache_of();
    d.queries = keys_of(s.h, s.s_q);
    d.key_count = number(200);
    d.key_counts = counts_of(200);
    d.query_counts = counts_of((uint32_t)s.s_q + 1);
    d.sink = number(9), d.window = number(9), d.heavy = number(60), d.full_below = number(40);
    d.heavy_counts = counts_of(61);
    d.heavy_fraction = next(4) ? 0 : (double)next(6) / 5;
    if (d.heavy_fraction > 1) mistakes++;
    d.tie = (padic_pq_tie)enumerated(2);
    d.order = (padic_pq_order)enumerated(2);
    d.method = (padic_pq_method)enumerated(4);
    d.limit = (padic_pq_limit)(next(2) ? 0 : enumerated(3));
    d.threshold = (float)next(9) - 4;
    d.top_p = (double)next(9) / 8;
    d.reduce = (padic_pq_reduce)(next(2) ? 0 : enumerated(4));
    if (!next(3)) d.bias = view_of(PADIC_F32, 3, s.b, s.h, 1 + next(200), 0, 0);
    if (!next(3)) d.slopes = view_1(PADIC_F32, s.h);
    heads = d.reduce ? s.g : s.h;
    least = d.sink + d.window + d.heavy > d.full_below ? d.sink + d.window + d.heavy : d.full_below;
    if (least > 4096) least = 8;
    d.lists = list_of(heads, least + next(3));
    d.lengths = maybe(row_of(PADIC_U32, heads));
    d.status = maybe(row_of(PADIC_U32, heads));
    d.workspace = workspace_of(padic_pq_select_workspace(context, &d));
    blocks_keep();
    {
        const padic_result result = padic_pq_select(context, &d);
        pq_after(context, result, 0);
        if (!result) list_check(&d.lists);
    }
}

static void fuzz_scores(padic_context *context)
{
    if (next(2)) {
        padic_pq_score_desc d;
        memset(&d, 0, sizeof d);
        d.codebook = book_of();
        d.cache = cache_of();
        d.queries = keys_of(s.h, s.s_q);
        if (next(2)) d.tables = view_of(PADIC_F32, 5, s.b, s.h, s.s_q, s.m, s.K);
        if (next(3)) d.out = view_of(PADIC_F32, 4, s.b, s.h, s.s_q, next(200), 0);
        d.workspace = workspace_of(padic_pq_score_workspace(context, &d));
        blocks_keep();
        pq_after(context, padic_pq_score(context, &d), 0);
    } else if (next(2)) {
        padic_pq_lut_desc d;
        memset(&d, 0, sizeof d);
        d.codebook = book_of();
        d.queries = keys_of(s.h, s.s_q);
        d.out = view_of(PADIC_F32, 5, s.b, s.h, s.s_q, s.m, s.K);
        d.workspace = workspace_of(padic_pq_lut_workspace(context, &d));
        blocks_keep();
        pq_after(context, padic_pq_lut(context, &d), 0);
    } else {
        padic_pq_topk_desc d;
        const uint64_t rows = axis(), n = next(250);
        memset(&d, 0, sizeof d);
        d.scores = view_2(PADIC_F32, rows, n);
        d.out = view_2(PADIC_I32, rows, next(60));
        d.tie = (padic_pq_tie)enumerated(2);
        d.order = (padic_pq_order)enumerated(2);
        d.workspace = workspace_of(padic_pq_topk_workspace(context, &d));
        blocks_keep();
        pq_after(context, padic_pq_topk(context, &d), 0);
    }
}

static void fuzz_attend(padic_context *context)
{
    const uint64_t n = 1 + next(90), d_v = next(12), pages = 1 + next(4);
    const uint64_t heads = next(3) ? s.h : s.g, entries = next(80);
    padic_tensor queries = keys_of(s.h, s.s_q), keys, values, table;
    memset(&table, 0, sizeof table);
    keys = view_of(real(), 4, s.paged ? pages : s.b, s.g, n, s.m * s.ds, 0);
    values = view_of(real(), 4, s.paged ? pages : s.b, s.g, n, d_v, 0);
    if (s.paged) {
        table = dense_of(PADIC_U32, 2, s.b, 1 + next(4), 0, 0, 0);
        small_numbers(&table, (uint32_t)pages);
    }
    if (next(2)) {
        padic_pq_attend_desc d;
        memset(&d, 0, sizeof d);
        d.queries = queries, d.keys = keys, d.values = values, d.pages = table;
        d.lists = list_of(heads, entries);
        small_numbers(&d.lists, (uint32_t)n);
        d.lengths = maybe(row_of(PADIC_U32, heads));
        small_numbers(&d.lengths, (uint32_t)entries + 1);
        if (next(2)) d.weights = view_of(PADIC_F32, 4, s.b, heads, s.s_q, entries, 0);
        d.out = view_of(PADIC_F32, 4, s.b, s.h, s.s_q, d_v, 0);
        d.lse = maybe(row_of(PADIC_F32, s.h));
        d.status = maybe(row_of(PADIC_U32, s.h));
        d.workspace = workspace_of(padic_pq_attend_workspace(context, &d));
        blocks_keep();
        pq_after(context, padic_pq_attend(context, &d), 0);
    } else {
        padic_pq_attend_full_desc d;
        memset(&d, 0, sizeof d);
        d.queries = queries, d.keys = keys, d.values = values, d.pages = table;
        d.key_count = next(100);
        d.key_counts = counts_of((uint32_t)n + 1);
        d.query_counts = counts_of((uint32_t)s.s_q + 1);
        d.out = view_of(PADIC_F32, 4, s.b, s.h, s.s_q, d_v, 0);
        d.lse = maybe(row_of(PADIC_F32, s.h));
        d.status = maybe(row_of(PADIC_U32, s.h));
        d.workspace = workspace_of(padic_pq_attend_full_workspace(context, &d));
        blocks_keep();
        pq_after(context, padic_pq_attend_full(context, &d), 0);
    }
}

static void fuzz_lists(padic_context *context)
{
    const uint64_t n = next(60), keys = 1 + next(90);
    const uint32_t what = next(3);
    if (!what) {
        padic_pq_lists_desc d;
        memset(&d, 0, sizeof d);
        d.chosen = list_of(s.h, n);
        small_numbers(&d.chosen, 100);
        d.chosen_lengths = maybe(row_of(PADIC_U32, s.h));
        d.key_count = number(200);
        d.key_counts = counts_of(200);
        d.query_counts = counts_of((uint32_t)s.s_q + 1);
        d.sink = number(9), d.window = number(9), d.full_below = number(80);
        d.order = (padic_pq_order)enumerated(2);
        d.lists = list_of(s.h, 100);
        d.lengths = maybe(row_of(PADIC_U32, s.h));
        d.status = maybe(row_of(PADIC_U32, s.h));
        d.workspace = workspace_of(padic_pq_lists_workspace(context, &d));
        blocks_keep();
        {
            const padic_result result = padic_pq_lists(context, &d);
            pq_after(context, result, 0);
            if (!result) list_check(&d.lists);
        }
    } else if (what == 1) {
        padic_pq_rerank_desc d;
        memset(&d, 0, sizeof d);
        d.queries = keys_of(s.h, s.s_q);
        d.keys = keys_of(s.g, keys);
        d.lists = list_of(s.h, n);
        small_numbers(&d.lists, (uint32_t)keys);
        d.list_lengths = maybe(row_of(PADIC_U32, s.h));
        d.key_count = number(100);
        d.key_counts = counts_of(100);
        d.sink = number(9), d.window = number(9), d.heavy = number(30);
        d.tie = (padic_pq_tie)enumerated(2);
        d.order = (padic_pq_order)enumerated(2);
        d.out = list_of(s.h, n + next(2));
        d.lengths = maybe(row_of(PADIC_U32, s.h));
        d.status = maybe(row_of(PADIC_U32, s.h));
        d.workspace = workspace_of(padic_pq_rerank_workspace(context, &d));
        blocks_keep();
        {
            const padic_result result = padic_pq_rerank(context, &d);
            pq_after(context, result, 0);
            if (!result) list_check(&d.out);
        }
    } else {
        padic_pq_quality_desc d;
        memset(&d, 0, sizeof d);
        d.queries = keys_of(s.h, s.s_q);
        d.keys = keys_of(s.g, keys);
        d.values = view_of(real(), 4, s.b, s.g, keys, 1 + next(9), 0);
        d.lists = list_of(s.h, n);
        small_numbers(&d.lists, (uint32_t)keys);
        d.list_lengths = maybe(row_of(PADIC_U32, s.h));
        d.key_counts = counts_of((uint32_t)keys + 1);
        d.sink = number(9), d.window = number(9);
        d.recall = maybe(row_of(PADIC_F32, s.h));
        d.mass = maybe(row_of(PADIC_F32, s.h));
        d.error = maybe(row_of(PADIC_F32, s.h));
        d.status = maybe(row_of(PADIC_U32, s.h));
        d.workspace = workspace_of(padic_pq_quality_workspace(context, &d));
        blocks_keep();
        pq_after(context, padic_pq_quality(context, &d), 0);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_begin();
    at = data, end = data + size;
    while (at < end) {
        const uint64_t before = memory.bytes;
        padic_context *context = any_context();
        mistakes = 0;
        sizes_choose();
        switch (next(8)) {
        case 0: fuzz_books(context); break;
        case 1:
        case 2: fuzz_caches(context); break;
        case 3: fuzz_scores(context); break;
        case 4: fuzz_attend(context); break;
        case 5: fuzz_lists(context); break;
        default: fuzz_select(context); break;
        }
        blocks_free();
        FUZZ_CHECK(memory.bytes == before || memory.bytes <= 1 << 20); // the pool keeps some
    }
    return 0;
}
