#include "../../context/ops.h"
#include "../../core/tensor.h"
#include "../../pq/shape.h"
#include "../tables.h"
#include "../tests.h"
#include "../texts.h"
#include "../variants.h"

#if PADICI_IMPLEMENT_GPU && !defined(PADIC_NO_PQ)

// Tests: the drivers against the reference, all bytes of codes, scores and lists. Rows of unequal
// lengths, pages that are out of order, two query heads of a head of keys; codes of 4 to 10 bits;
// tables that fit into local memory and not; packed codes; ties of whole numbers.

enum { PADICI_TEST_PQ_PACKED = 16 }; // added to the bits of a cache

typedef struct padici_test_pq {
    padici_gpu_case *c;
    uint64_t b, g, h, m, ds, n, cells, tiles;
    uint32_t bits, random;
    padic_pq_codebook book;
    padic_pq_cache cache;
    padic_tensor keys, queries;
} padici_test_pq;

static uint32_t padici_test_pq_next(padici_test_pq *t)
{
    t->random = t->random * 1664525u + 1013904223u;
    return t->random >> 8;
}

static padic_tensor padici_test_pq_tensor(padici_test_pq *t, padic_dtype dtype, uint32_t rank,
                                          uint64_t n0, uint64_t n1, uint64_t n2, uint64_t n3,
                                          uint64_t n4)
{
    uint64_t shape[5];
    padic_tensor x;
    shape[0] = n0, shape[1] = n1, shape[2] = n2, shape[3] = n3, shape[4] = n4;
    x = padic_tensor_nd(dtype, NULL, rank, shape);
    x.data = padici_gpu_space(t->c, padic_tensor_count(&x) * padic_dtype_size(dtype));
    if (!t->c->failed)
        memset(x.data, 0, (size_t)padic_tensor_count(&x) * padic_dtype_size(dtype));
    return x;
}

// Whole numbers from -7 to 7, whose scores have many ties, or multiples of 2^-12.
static void padici_test_pq_numbers(padici_test_pq *t, const padic_tensor *x, int whole)
{
    uint64_t i;
    for (i = 0; i < padic_tensor_count(x) && !t->c->failed; i++) {
        const uint32_t word = padici_test_pq_next(t);
        const float part = ((float)(word % 16384u) - 8192) / 4096;
        const float value = whole ? (float)(word % 15u) - 7 : part;
        uint32_t bits;
        memcpy(&bits, &value, 4);
        if (x->dtype == PADIC_F32) ((float *)x->data)[i] = value;
        else if (x->dtype == PADIC_BF16) ((uint16_t *)x->data)[i] = (uint16_t)(bits >> 16);
        else ((uint16_t *)x->data)[i] = (uint16_t)(word & 0xbfffu); // below 2
    }
}

// A codebook, a cache that is still empty, keys and queries. Answers whether there was memory.
static PADICI_NOINLINE int padici_test_pq_begin(padici_test_pq *t, padici_gpu_case *c,
                                                uint32_t which, uint64_t m, uint32_t extra,
                                                padic_dtype dtype, int whole)
{
    const uint32_t bits = which % PADICI_TEST_PQ_PACKED;
    const uint64_t per = which != bits ? PADICI_PQ_PACKED : bits <= 4 ? 32 : 64;
    padic_pq_prepare_desc prepare;
    padic_tensor phi;
    uint64_t i;
    memset(t, 0, sizeof *t);
    memset(&prepare, 0, sizeof prepare);
    t->c = c;
    t->b = t->g = 2;
    t->h = 4;
    t->m = m;
    t->ds = 3;
    t->n = 300;
    t->bits = bits;
    t->cells = (uint64_t)1 << bits;
    t->tiles = 6;
    t->random = 77 + bits;
    t->book.metric = extra ? PADIC_PQ_METRIC_IP : PADIC_PQ_METRIC_L2;
    t->book.centroids =
        padici_test_pq_tensor(t, PADIC_F32, 5, 2, 2, m, t->cells, t->ds + extra);
    t->book.scaled = padici_test_pq_tensor(t, PADIC_F32, 5, 2, 2, m, t->ds + extra + 1, t->cells);
    t->book.info = padici_test_pq_tensor(t, PADIC_I32, 4, 2, 2, m, 4, 0);
    t->cache.codes =
        padici_test_pq_tensor(t, bits > 8 ? PADIC_U16 : PADIC_U8, 5, 2, 2, t->tiles, m, per);
    t->cache.lengths = padici_test_pq_tensor(t, PADIC_U32, 1, 2, 0, 0, 0, 0);
    if (m * bits <= 12)
        t->cache.counts = padici_test_pq_tensor(t, PADIC_U32, 3, 2, 2, (uint64_t)1 << m * bits, 0,
                                                0);
    t->cache.start = 3;
    t->keys = padici_test_pq_tensor(t, dtype, 4, 2, 2, t->n, m * t->ds, 0);
    t->queries = padici_test_pq_tensor(t, dtype, 4, 2, t->h, 2, m * t->ds, 0);
    phi = padici_test_pq_tensor(t, PADIC_F32, 3, 2, 2, m, 0, 0);
    if (c->failed) return 0;
    padici_test_pq_numbers(t, &t->book.centroids, whole);
    padici_test_pq_numbers(t, &t->keys, whole);
    padici_test_pq_numbers(t, &t->queries, whole);
    for (i = 0; i < 4 * m; i++) ((float *)phi.data)[i] = 6;
    prepare.codebook = t->book;
    if (extra) prepare.phi = phi;
    return padic_pq_prepare(NULL, &prepare) == PADIC_OK;
}

// Pages of two tiles for the cache, out of order.
static void padici_test_pq_pages(padici_test_pq *t)
{
    static const uint32_t pages[6] = {5, 0, 3, 1, 4, 2};
    uint64_t *shape = t->cache.codes.shape;
    t->cache.pages = padici_test_pq_tensor(t, PADIC_U32, 2, 2, 3, 0, 0, 0);
    if (!t->c->failed) memcpy(t->cache.pages.data, pages, sizeof pages);
    shape[0] = 6;
    shape[2] = 2;
    t->cache.codes = padic_tensor_nd(t->cache.codes.dtype, t->cache.codes.data, 5, shape);
}

static padic_result padici_test_pq_fill(padici_test_pq *t, padic_pq_append_desc *desc)
{
    memset(desc, 0, sizeof *desc);
    desc->codebook = t->book;
    desc->cache = t->cache;
    desc->keys = t->keys;
    return t->c->failed ? PADIC_ERROR_SELF_TEST : padic_pq_append(NULL, desc);
}

// Its desc is in a frame of its own.
static PADICI_NOINLINE int padici_test_pq_filled(padici_test_pq *t)
{
    padic_pq_append_desc desc;
    return !padici_test_pq_fill(t, &desc);
}

static PADICI_NOINLINE void padici_test_pq_counts(padici_test_pq *t, padic_pq_append_desc *desc)
{
    desc->not_finite = padici_test_pq_tensor(t, PADIC_U32, 2, 2, 2, 0, 0, 0);
    desc->clamped = padici_test_pq_tensor(t, PADIC_U32, 2, 2, 2, 0, 0, 0);
    desc->key_counts = padici_test_pq_tensor(t, PADIC_U32, 1, 2, 0, 0, 0, 0);
    if (t->c->failed) return;
    ((uint32_t *)desc->key_counts.data)[0] = 290;
    ((uint32_t *)desc->key_counts.data)[1] = 100;
}

static padic_result padici_test_pq_append(padici_gpu_case *c)
{
    static const uint32_t bits[5] = {4, 6, 9, 3, 5 + PADICI_TEST_PQ_PACKED};
    padici_test_pq t;
    padic_pq_append_desc desc;
    padic_result result;
    if (!padici_test_pq_begin(&t, c, bits[c->round], c->round ? 2 : 3, c->round & 1,
                              c->round == 2 ? PADIC_BF16 : PADIC_F32, 0))
        return PADIC_ERROR_SELF_TEST;
    if (c->round & 1) padici_test_pq_pages(&t);
    t.keys.shape[2] = 37; // the rest of them below
    t.keys.stride[3] = 1;
    t.keys.stride[2] = (int64_t)(t.m * t.ds);
    t.keys.stride[1] = (int64_t)(t.n * t.m * t.ds);
    t.keys.stride[0] = 2 * t.keys.stride[1];
    result = padici_test_pq_fill(&t, &desc);
    padici_test_pq_counts(&t, &desc);
    if (c->failed || result) return PADIC_ERROR_SELF_TEST;
    desc.keys.shape[2] = t.n;
    if (t.keys.dtype == PADIC_F32) ((uint32_t *)t.keys.data)[50] = 0x7f800000u;
    c->again = c->round < 4;
    return padici_gpu_case_drive(c, PADIC_OP_PQ_APPEND, &desc, 0, 0);
}

static padic_result padici_test_pq_encode(padici_gpu_case *c)
{
    static const padic_dtype widths[3] = {PADIC_I32, PADIC_U16, PADIC_U8};
    static const uint32_t bits[3] = {9, 7, 1};
    padici_test_pq t;
    padic_pq_encode_desc desc;
    if (!padici_test_pq_begin(&t, c, bits[c->round], 2, 1, c->round ? PADIC_F16 : PADIC_F32, 0))
        return PADIC_ERROR_SELF_TEST;
    memset(&desc, 0, sizeof desc);
    desc.codebook = t.book;
    desc.keys = t.keys;
    desc.out = padici_test_pq_tensor(&t, widths[c->round], 4, 2, 2, t.n, t.m, 0);
    desc.clamped = padici_test_pq_tensor(&t, PADIC_U32, 2, 2, 2, 0, 0, 0);
    c->again = c->round < 2;
    return c->failed ? PADIC_ERROR_SELF_TEST
                     : padici_gpu_case_drive(c, PADIC_OP_PQ_ENCODE, &desc, 0, 0);
}

static padic_result padici_test_pq_decode(padici_gpu_case *c)
{
    static const padic_dtype widths[3] = {PADIC_I32, PADIC_U16, PADIC_U8};
    padici_test_pq t;
    padic_pq_decode_desc desc;
    uint64_t i;
    if (!padici_test_pq_begin(&t, c, 7, 2, c->round & 1, PADIC_F32, 0))
        return PADIC_ERROR_SELF_TEST;
    memset(&desc, 0, sizeof desc);
    desc.codebook = t.book;
    desc.codes = padici_test_pq_tensor(&t, widths[c->round], 4, 2, 2, t.n, t.m, 0);
    desc.out = padici_test_pq_tensor(&t, PADIC_F32, 4, 2, 2, t.n, t.m * t.ds, 0);
    for (i = 0; i < padic_tensor_count(&desc.codes) && !c->failed; i++) {
        const uint32_t code = padici_test_pq_next(&t) & 127u;
        if (c->round == 0) ((int32_t *)desc.codes.data)[i] = (int32_t)code;
        else if (c->round == 1) ((uint16_t *)desc.codes.data)[i] = (uint16_t)code;
        else ((uint8_t *)desc.codes.data)[i] = (uint8_t)code;
    }
    c->again = c->round < 2;
    return c->failed ? PADIC_ERROR_SELF_TEST
                     : padici_gpu_case_drive(c, PADIC_OP_PQ_DECODE, &desc, 0, 0);
}

static padic_result padici_test_pq_score(padici_gpu_case *c)
{
    static const uint32_t bits[4] = {4, 10, 6, 6 + PADICI_TEST_PQ_PACKED};
    padici_test_pq t;
    padic_pq_score_desc desc;
    if (!padici_test_pq_begin(&t, c, bits[c->round], 2, c->round & 1,
                              c->round == 2 ? PADIC_F16 : PADIC_F32, 0))
        return PADIC_ERROR_SELF_TEST;
    if (c->round == 2) padici_test_pq_pages(&t);
    if (!padici_test_pq_filled(&t)) return PADIC_ERROR_SELF_TEST;
    ((uint32_t *)t.cache.lengths.data)[1] = 130;
    if (t.queries.dtype == PADIC_F32) ((uint32_t *)t.queries.data)[8] = 0x7fc00000u;
    memset(&desc, 0, sizeof desc);
    desc.codebook = t.book;
    desc.cache = t.cache;
    desc.queries = t.queries;
    desc.tables = padici_test_pq_tensor(&t, PADIC_F32, 5, 2, t.h, 2, t.m, t.cells);
    desc.out = padici_test_pq_tensor(&t, PADIC_F32, 4, 2, t.h, 2, t.n + 9, 0);
    c->again = c->round < 3;
    return c->failed ? PADIC_ERROR_SELF_TEST
                     : padici_gpu_case_drive(c, PADIC_OP_PQ_SCORE, &desc, 0, 0);
}

static padic_result padici_test_pq_topk(padici_gpu_case *c)
{
    static const uint64_t n[4] = {1000, 1000, 700, 20};
    padici_test_pq t;
    padic_pq_topk_desc desc;
    uint64_t i;
    memset(&t, 0, sizeof t);
    memset(&desc, 0, sizeof desc);
    t.c = c;
    desc.scores = padici_test_pq_tensor(&t, PADIC_F32, 2, 5, n[c->round], 0, 0, 0);
    desc.out = padici_test_pq_tensor(&t, PADIC_I32, 2, 5, 33, 0, 0, 0);
    desc.tie = (padic_pq_tie)(c->round & 1);
    desc.order = (padic_pq_order)(c->round >> 1);
    padici_test_pq_numbers(&t, &desc.scores, c->round != 2);
    for (i = 0; i < 9 && !c->failed; i++)
        ((uint32_t *)desc.scores.data)[7 * i] = i % 3 ? 0x7fc00000u : 0x80000000u;
    c->again = c->round < 3;
    return c->failed ? PADIC_ERROR_SELF_TEST
                     : padici_gpu_case_drive(c, PADIC_OP_PQ_TOPK, &desc, 0, 0);
}

// A cache that is filled, with codes of every width.
static int padici_test_pq_rows_begin(padici_test_pq *t, padici_gpu_case *c, int paged)
{
    static const uint32_t bits[4] = {4, 6, 9, 5 + PADICI_TEST_PQ_PACKED};
    if (!padici_test_pq_begin(t, c, bits[c->round], c->round ? 2 : 3, 0, PADIC_F32, 0)) return 0;
    t->cache.bits = t->bits;
    if (paged) padici_test_pq_pages(t);
    c->again = c->round < 3;
    return padici_test_pq_filled(t);
}

static padic_result padici_test_pq_cut(padici_gpu_case *c)
{
    padici_test_pq t;
    padic_pq_truncate_desc desc;
    if (!padici_test_pq_rows_begin(&t, c, (int)(c->round & 1))) return PADIC_ERROR_SELF_TEST;
    memset(&desc, 0, sizeof desc);
    desc.cache = t.cache;
    desc.lengths = padici_test_pq_tensor(&t, PADIC_U32, 1, 2, 0, 0, 0, 0);
    if (c->failed) return PADIC_ERROR_SELF_TEST;
    ((uint32_t *)desc.lengths.data)[0] = 77;
    ((uint32_t *)desc.lengths.data)[1] = 299;
    return padici_gpu_case_drive(c, PADIC_OP_PQ_TRUNCATE, &desc, 0, 0);
}

static padic_result padici_test_pq_fork(padici_gpu_case *c)
{
    padici_test_pq t;
    padic_pq_fork_desc desc;
    if (!padici_test_pq_rows_begin(&t, c, 1)) return PADIC_ERROR_SELF_TEST;
    memset(&desc, 0, sizeof desc);
    desc.cache = t.cache;
    desc.to = 1;
    desc.page = 4;
    desc.length = c->round ? 150 : 256;
    return padici_gpu_case_drive(c, PADIC_OP_PQ_FORK, &desc, 0, 0);
}

static padic_result padici_test_pq_export(padici_gpu_case *c)
{
    static const padic_dtype widths[4] = {PADIC_U8, PADIC_I64, PADIC_U16, PADIC_I32};
    padici_test_pq t;
    padic_pq_export_desc desc;
    if (!padici_test_pq_rows_begin(&t, c, c->round == 1)) return PADIC_ERROR_SELF_TEST;
    memset(&desc, 0, sizeof desc);
    desc.cache = t.cache;
    desc.out = padici_test_pq_tensor(&t, widths[c->round], 4, 2, 2, t.n + 5, t.m, 0);
    return c->failed ? PADIC_ERROR_SELF_TEST
                     : padici_gpu_case_drive(c, PADIC_OP_PQ_EXPORT, &desc, 0, 0);
}

static padic_result padici_test_pq_import(padici_gpu_case *c)
{
    static const padic_dtype widths[4] = {PADIC_I64, PADIC_U8, PADIC_I32, PADIC_U16};
    padici_test_pq t;
    padic_pq_import_desc desc;
    uint64_t i, n;
    if (!padici_test_pq_rows_begin(&t, c, c->round == 1)) return PADIC_ERROR_SELF_TEST;
    memset(&desc, 0, sizeof desc);
    desc.cache = t.cache;
    desc.codes = padici_test_pq_tensor(&t, widths[c->round], 4, 2, 2, 200, t.m, 0);
    if (c->failed) return PADIC_ERROR_SELF_TEST;
    n = padic_tensor_count(&desc.codes);
    for (i = 0; i < n; i++) {
        const uint32_t code = padici_test_pq_next(&t) & ((1u << t.bits) - 1);
        if (c->round == 0) ((int64_t *)desc.codes.data)[i] = (int64_t)code;
        else if (c->round == 1) ((uint8_t *)desc.codes.data)[i] = (uint8_t)code;
        else if (c->round == 2) ((int32_t *)desc.codes.data)[i] = (int32_t)code;
        else ((uint16_t *)desc.codes.data)[i] = (uint16_t)code;
    }
    return padici_gpu_case_drive(c, PADIC_OP_PQ_IMPORT, &desc, 0, 0);
}

// What values.cl does: biases and slopes, groups of heads, a share of a softmax; k of a row and of
// a length.
static PADICI_NOINLINE void padici_test_pq_asks(padici_test_pq *t, padic_pq_select_desc *desc)
{
    const uint32_t round = t->c->round;
    desc->heavy_counts = padici_test_pq_tensor(t, PADIC_U32, 1, 2, 0, 0, 0, 0);
    desc->bias = padici_test_pq_tensor(t, PADIC_F32, 3, 2, t->h, 90, 0, 0);
    if (round & 1) desc->slopes = padici_test_pq_tensor(t, PADIC_F32, 1, t->h, 0, 0, 0, 0);
    if (t->c->failed) return;
    ((uint32_t *)desc->heavy_counts.data)[0] = 40;
    ((uint32_t *)desc->heavy_counts.data)[1] = 11;
    padici_test_pq_numbers(t, &desc->bias, round < 2);
    if (round & 1) padici_test_pq_numbers(t, &desc->slopes, round < 2);
    desc->heavy_fraction = 0.3;
    desc->reduce = (padic_pq_reduce)(round == 4 ? 0 : round);
    if (round == 2) desc->limit = PADIC_PQ_LIMIT_THRESHOLD;
    if (round == 4) desc->limit = PADIC_PQ_LIMIT_TOP_P;
    desc->top_p = 0.6;
}

// Lists of queries of which one is not finite, in rows of 303 and of 53 keys.
static padic_result padici_test_pq_lists(padici_gpu_case *c, padic_pq_method method, uint32_t bits,
                                         int asks)
{
    padici_test_pq t;
    padic_pq_select_desc *desc; // beside `t` too large for the stack
    if (!padici_test_pq_begin(&t, c, bits, bits == 4 && method == PADIC_PQ_METHOD_SCORES ? 3 : 2, 0,
                              PADIC_F32, c->round < 2))
        return PADIC_ERROR_SELF_TEST;
    if (c->round == 1) padici_test_pq_pages(&t);
    if (!padici_test_pq_filled(&t)) return PADIC_ERROR_SELF_TEST;
    desc = (padic_pq_select_desc *)padici_test_pq_tensor(&t, PADIC_U64, 1, sizeof *desc / 8 + 1, 0,
                                                         0, 0, 0).data;
    if (c->failed) return PADIC_ERROR_SELF_TEST;
    memset(desc, 0, sizeof *desc);
    desc->codebook = t.book;
    desc->cache = t.cache;
    desc->queries = t.queries;
    desc->sink = 4;
    desc->heavy = 40;
    desc->window = 9;
    desc->tie = (padic_pq_tie)(c->round & 1);
    desc->order = (padic_pq_order)(c->round >> 1 & 1);
    desc->method = method;
    if (asks) padici_test_pq_asks(&t, desc);
    desc->lists = padici_test_pq_tensor(&t, asks ? PADIC_I64 : PADIC_I32, 4, 2,
                                        desc->reduce ? t.g : t.h, 2, 55, 0);
    desc->lengths = padici_test_pq_tensor(&t, PADIC_U32, 3, 2, desc->reduce ? t.g : t.h, 2, 0, 0);
    desc->status = padici_test_pq_tensor(&t, PADIC_U32, 3, 2, desc->reduce ? t.g : t.h, 2, 0, 0);
    desc->key_counts = padici_test_pq_tensor(&t, PADIC_U32, 1, 2, 0, 0, 0, 0);
    if (c->failed) return PADIC_ERROR_SELF_TEST;
    ((uint32_t *)desc->key_counts.data)[0] = 303;
    ((uint32_t *)desc->key_counts.data)[1] = c->round & 1 ? 53 : 200;
    ((uint32_t *)t.queries.data)[1] = 0x7f800000u;
    c->again = c->round < 4;
    return padici_gpu_case_drive(c, PADIC_OP_PQ_SELECT, desc, 0, 0);
}

static padic_result padici_test_pq_select(padici_gpu_case *c)
{
    static const uint32_t bits[5] = {4, 7, 10, 3, 6 + PADICI_TEST_PQ_PACKED};
    return padici_test_pq_lists(c, PADIC_PQ_METHOD_SCORES, bits[c->round % 5], 0);
}

static padic_result padici_test_pq_values(padici_gpu_case *c)
{
    static const uint32_t bits[5] = {4, 7, 2, 3, 6 + PADICI_TEST_PQ_PACKED};
    return padici_test_pq_lists(c, PADIC_PQ_METHOD_AUTO, bits[c->round % 5], 1);
}

static padic_result padici_test_pq_cells(padici_gpu_case *c)
{
    static const uint32_t bits[5] = {3, 2, 3, 6, 5 + PADICI_TEST_PQ_PACKED};
    return padici_test_pq_lists(c, PADIC_PQ_METHOD_CELLS, bits[c->round % 5], 0);
}

// One key for each head, the first time one that is not finite.
static padic_result padici_test_pq_once_key(padici_gpu_case *c)
{
    padici_test_pq t;
    padic_pq_append_desc desc;
    if (!padici_test_pq_begin(&t, c, 6, 2, 0, PADIC_F32, 0)) return PADIC_ERROR_SELF_TEST;
    t.keys.shape[2] = c->round ? 200 : 64;
    t.keys.stride[3] = 1;
    t.keys.stride[2] = (int64_t)(t.m * t.ds);
    t.keys.stride[1] = (int64_t)(t.n * t.m * t.ds);
    t.keys.stride[0] = 2 * t.keys.stride[1];
    if (padici_test_pq_fill(&t, &desc)) return PADIC_ERROR_SELF_TEST;
    desc.keys.shape[2] = 1;
    desc.keys.data = (float *)t.keys.data + 250 * t.m * t.ds;
    if (!c->round) ((uint32_t *)desc.keys.data)[2] = 0x7f800000u;
    c->again = !c->round;
    return padici_gpu_case_drive(c, PADIC_OP_PQ_APPEND, &desc, 0, 0);
}

// Random codes in rows of n keys, and their counts.
static void padici_test_pq_once_codes(padici_test_pq *t, uint64_t n)
{
    const uint64_t tiles = n / 64 + 1;
    uint8_t *codes;
    uint64_t i;
    t->cache.codes = padici_test_pq_tensor(t, PADIC_U8, 5, 2, 2, tiles, 2, 64);
    codes = (uint8_t *)t->cache.codes.data;
    for (i = 0; i < 512 * tiles && !t->c->failed; i++)
        codes[i] = (uint8_t)(padici_test_pq_next(t) & 63u);
    for (i = 0; i < 4 * n && !t->c->failed; i++) {
        const uint64_t at = (i / n * tiles + i % n / 64) * 128 + i % n % 64;
        ((uint32_t *)t->cache.counts.data)[i / n * 4096 + 64u * codes[at] + codes[at + 64]]++;
    }
    ((uint32_t *)t->cache.lengths.data)[0] = ((uint32_t *)t->cache.lengths.data)[1] = (uint32_t)n;
}

// In one launch: rows long enough for counts, and too short; scores that are all equal; a query
// that is not finite. The variant that adds keys does that, too, in rounds of its own.
static padic_result padici_test_pq_once(padici_gpu_case *c)
{
    padici_test_pq t;
    padic_pq_select_desc *desc;
    uint64_t i;
    if (c->round > 2) {
        padic_result result;
        c->round -= 3;
        result = padici_test_pq_once_key(c);
        c->round += 3;
        return result;
    }
    if (!padici_test_pq_begin(&t, c, 6, 2, c->round == 2, PADIC_F32, c->round < 2))
        return PADIC_ERROR_SELF_TEST;
    padici_test_pq_once_codes(&t, c->round == 1 ? 200 : 9000);
    desc = (padic_pq_select_desc *)padici_test_pq_tensor(&t, PADIC_U64, 1, sizeof *desc / 8 + 1, 0,
                                                         0, 0, 0).data;
    if (c->failed) return PADIC_ERROR_SELF_TEST;
    memset(desc, 0, sizeof *desc);
    desc->codebook = t.book;
    desc->cache = t.cache;
    desc->queries = t.queries;
    desc->sink = 4;
    desc->heavy = 40;
    desc->window = 9;
    desc->tie = (padic_pq_tie)(c->round & 1);
    desc->lists = padici_test_pq_tensor(&t, PADIC_I32, 4, 2, t.h, 2, 55, 0);
    desc->lengths = padici_test_pq_tensor(&t, PADIC_U32, 3, 2, t.h, 2, 0, 0);
    desc->status = padici_test_pq_tensor(&t, PADIC_U32, 3, 2, t.h, 2, 0, 0);
    if (c->failed) return PADIC_ERROR_SELF_TEST;
    ((uint32_t *)t.queries.data)[1] = 0x7f800000u;
    for (i = 12; i < 18; i++) ((uint32_t *)t.queries.data)[i] = 0;
    c->again = c->round < 2 || padici_gpu_define(c, "PD_PQ_APPEND", 0);
    return padici_gpu_case_drive(c, PADIC_OP_PQ_SELECT, desc, 0, 0);
}

PADICI_FN const padici_gpu_test *padici_tests_pq(void)
{
    static const padici_gpu_test rows[] = {
#define PADICI_TEST_PQ(kernel, make) \
    {PADICI_KERNEL_PQ_##kernel, 1, PADICI_TEST_DRIVEN, padici_test_pq_##make, {PADICI_TEST_NONE}}
        PADICI_TEST_PQ(KEYS, append),          PADICI_TEST_PQ(STORE, append),
        PADICI_TEST_PQ(TALLY, encode),         PADICI_TEST_PQ(DECODE, decode),
        PADICI_TEST_PQ(SELECT_TABLES, score),  PADICI_TEST_PQ(SELECT_SCORES, score),
        PADICI_TEST_PQ(SELECT_COUNT, select),  PADICI_TEST_PQ(SELECT_KEEP, select),
        PADICI_TEST_PQ(SELECT_FINISH, select), PADICI_TEST_PQ(SELECT_ROWS, topk),
        PADICI_TEST_PQ(SELECT_CELLS, cells),   PADICI_TEST_PQ(ROWS_CHECK, cut),
        PADICI_TEST_PQ(ROWS_COUNT, cut),       PADICI_TEST_PQ(ROWS_FORK, fork),
        PADICI_TEST_PQ(ROWS_READ, export),     PADICI_TEST_PQ(ROWS_INSPECT, import),
        PADICI_TEST_PQ(ROWS_SET, import),      PADICI_TEST_PQ(VALUES_SUMS, values),
        PADICI_TEST_PQ(VALUES_MAKE, values),   PADICI_TEST_PQ(VALUES_MASS, values),
        PADICI_TEST_PQ(VALUES_SHARES, values),
#undef PADICI_TEST_PQ
        {PADICI_KERNEL_CUDA_PQ_LISTS, 1, PADICI_TEST_DRIVEN, padici_test_pq_once,
         {PADICI_TEST_NONE}},
        PADICI_TESTS_END};
    return rows;
}

PADICI_FN padic_result padici_warm_pq(padici_gpu *gpu)
{
    return padici_gpu_need(gpu, PADICI_KERNEL_PQ_SELECT_TABLES, NULL, 0);
}

#endif
