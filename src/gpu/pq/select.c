#include "select.h"
#include "../../context/messages.h"
#include "../../context/operation.h"
#include "../../context/target.h"
#include "../../pq/best.h"
#include "../launch.h"
#include "../tests.h"
#include "../variants.h"

#if PADICI_IMPLEMENT_GPU && !defined(PADIC_NO_PQ)

// Scores, the best of them, lists: kernels/pq/select.cl.

#define PADICI_GPU_PQ_WORDS (UINT64_C(1) << 26) // of a call's memory, but for one query
#define PADICI_GPU_PQ_PART 2048u                // candidates of a group at least
#define PADICI_GPU_PQ_WIDE 1024u                // numbers of tables without a define

// The variant: tables in local memory where they fit, and more items for them on large devices; on
// NVIDIA's as many as there can be two groups of at a time.
static uint32_t padici_gpu_pq_define(const padici_gpu *gpu, uint64_t tables, const char **defines)
{
    const int large = gpu->info->compute_units >= 64, sm = padici_gpu_is_sm(gpu, 70);
    if ((tables <= PADICI_GPU_PQ_WIDE && !(large && sm)) || gpu->info->local_bytes < 49152)
        return 0;
    defines[0] = "PD_PQ_TABLE=8192";
    defines[1] = sm ? "PD_WG=512" : "PD_WG=256";
    return large ? 2 : 1;
}

// Items of a group.
static uint32_t padici_gpu_pq_items(const padici_gpu_pq_search *s)
{
    const uint32_t wide = padici_gpu_is_sm(s->gpu, 70) ? 512 : 256;
    return padici_gpu_tested(s->gpu, "PD_WG", s->define_count > 1 ? wide : 128);
}

// Groups that share the candidates of a query: as many as run at a time, or somewhat more.
static uint32_t padici_gpu_pq_parts(const padici_gpu *gpu, uint64_t n, uint64_t queries,
                                    uint32_t items)
{
    const uint64_t units = gpu->info->compute_units ? gpu->info->compute_units : 16;
    const uint64_t most = n / PADICI_GPU_PQ_PART + 1;
    uint64_t parts = items < 512 ? (4 * units + queries - 1) / queries : 2 * units / queries;
    if (gpu->tested) return 3;
    if (parts > most) parts = most;
    if (parts < 1) parts = 1;
    return parts > items ? items : (uint32_t)parts;
}

// Groups that share the table of a query head.
static uint32_t padici_gpu_pq_slices(const padici_gpu *gpu, uint64_t table, uint64_t heads,
                                     uint32_t items)
{
    const uint64_t units = gpu->info->compute_units ? gpu->info->compute_units : 16;
    uint64_t slices = (table + items - 1) / items;
    if (gpu->tested) return 2;
    if (slices > 2 * units / heads) slices = 2 * units / heads;
    return slices < 1 ? 1 : (uint32_t)slices;
}

// What tables, scores and lists have in common.
static void padici_gpu_pq_search_begin(padici_gpu_pq_search *s, padici_gpu *gpu,
                                       const padici_call *call, const padic_pq_codebook *codebook,
                                       const padic_tensor *queries)
{
    padici_pq_book book;
    memset(s, 0, sizeof *s);
    s->gpu = s->space.gpu = gpu;
    padici_pq_book_of(codebook, &book);
    padici_gpu_pq_view_of(call, queries, &s->queries);
    padici_gpu_pq_view_of(call, &codebook->scaled, &s->scaled);
    padici_gpu_pq_view_of(call, &codebook->info, &s->info);
    s->all = queries->shape[0] * queries->shape[1] * queries->shape[2];
    s->t.heads = s->k.heads = (uint32_t)queries->shape[1];
    s->t.queries = s->k.queries = (uint32_t)queries->shape[2];
    s->t.groups = s->k.groups = (uint32_t)book.groups;
    s->t.per = book.groups ? (uint32_t)(queries->shape[1] / book.groups) : 1;
    s->t.share = 1;
    s->t.m = s->k.m = (uint32_t)book.m;
    s->t.bits = s->k.bits = book.bits;
    s->t.ds = (uint32_t)book.ds;
    s->t.extra = (uint32_t)(book.components - book.ds);
    s->t.book_rows = book.batch > 1;
    s->t.dtype = s->queries.dtype;
    s->t.query_lo = (uint32_t)s->queries.at;
    s->t.query_hi = (uint32_t)(s->queries.at >> 32);
    memcpy(s->t.query_step, s->queries.step, sizeof s->t.query_step);
    s->t.scaled_at = (uint32_t)s->scaled.at;
    s->t.info_at = (uint32_t)s->info.at;
    s->t.keys = UINT32_MAX;
    s->define_count = padici_gpu_pq_define(gpu, book.m * book.cells, s->defines);
}

// The codes that are searched.
static void padici_gpu_pq_search_cache(padici_gpu_pq_search *s, const padici_call *call,
                                       const padic_pq_codebook *codebook,
                                       const padic_pq_cache *cache)
{
    padici_pq_book book;
    padici_pq_store store;
    padici_pq_book_of(codebook, &book);
    padici_pq_store_of(cache, &book, &store);
    padici_gpu_pq_view_of(call, &cache->codes, &s->codes);
    padici_gpu_pq_view_of(call, &cache->lengths, &s->lengths);
    padici_gpu_pq_view_of(call, &cache->pages, &s->pages);
    padici_gpu_pq_view_of(call, &cache->counts, &s->counts);
    s->codes.at *= padic_dtype_size(cache->codes.dtype);
    s->t.lengths_at = (uint32_t)s->lengths.at;
    s->t.capacity = (uint32_t)(store.tiles * PADICI_PQ_TILE);
    s->t.page = (uint32_t)(store.page_tiles * PADICI_PQ_TILE);
    s->t.page_count = s->k.page_count = (uint32_t)store.page_count;
    s->t.row_pages = s->k.row_pages = (uint32_t)store.row_pages;
    s->t.pages_at = s->k.pages_at = (uint32_t)s->pages.at;
    s->t.start = s->k.start = (uint32_t)store.start;
    s->k.bytes = store.tile_bytes;
    s->k.codes_lo = (uint32_t)s->codes.at;
    s->k.codes_hi = (uint32_t)(s->codes.at >> 32);
    s->k.tiles = (uint32_t)store.tiles;
    s->k.page_tiles = (uint32_t)store.page_tiles;
    s->k.cells = s->counts.here ? (uint32_t)cache->counts.shape[2] : 0;
    s->k.counts_at = (uint32_t)s->counts.at;
}

// Memory for some of the queries, of which each needs `tables` a head, and `sort` pairs; with
// `bins` histograms, orders of n candidates, and of what is kept places and orders. 0: too much.
static int padici_gpu_pq_search_sizes(padici_gpu_pq_search *s, uint64_t tables, int bins,
                                      uint64_t n, uint64_t sort)
{
    const uint32_t items = padici_gpu_pq_items(s);
    const uint64_t share = s->t.share ? s->t.share : 1, table = tables * share;
    const uint64_t orders = bins ? (n + 7) & ~(uint64_t)3 : n; // of a query
    const uint64_t arrays = bins ? 2 * PADICI_PQ_BINS + 3 * orders + items : 0;
    const uint64_t heads = s->k.flags & PADICI_GPU_PQ_VALUES ? PADICI_GPU_PQ_HEAD * s->t.share : 0;
    const uint64_t rows = s->heavy_counts.here ? s->all / (s->k.heads * s->k.queries) : 0;
    uint64_t at, batch;
    s->each = PADICI_GPU_PQ_RECORD + heads + table + arrays + 2 * sort;
    if (s->each >> 31) return 0;
    batch = PADICI_GPU_PQ_WORDS / s->each;
    if (batch < 1) batch = 1;
    if (s->gpu->tested && batch > 3) batch = 3;
    if (batch > s->all) batch = s->all;
    s->batch = (uint32_t)batch;
    at = batch * PADICI_GPU_PQ_RECORD;
    s->t.heads_at = heads ? (uint32_t)at : 0;
    at += batch * heads;
    s->t.heavy_at = (uint32_t)at;
    at = (at + rows + 3) & ~(uint64_t)3; // orders lie at multiples of four words
    s->words = batch * s->each + rows + 8;
    s->k.order_at = (uint32_t)at;
    at += bins ? batch * orders : 0;
    s->t.bins_at = s->k.bins_at = (uint32_t)at;
    at += bins ? batch * 2 * PADICI_PQ_BINS : 0;
    s->t.tables_at = s->k.tables_at = (uint32_t)at;
    at += batch * table;
    s->k.sort_at = (uint32_t)at;
    s->k.sort_n = (uint32_t)sort;
    at += batch * 2 * sort;
    s->k.places_at = (uint32_t)at;
    at += bins ? batch * 2 * orders : 0;
    s->k.part_at = (uint32_t)at;
    s->k.n = (uint32_t)orders;
    s->k.parts = padici_gpu_pq_parts(s->gpu, n, batch, items);
    s->t.slices = padici_gpu_pq_slices(s->gpu, tables, batch * share, items);
    return 1;
}

static padic_result padici_gpu_pq_tables(padici_gpu_pq_search *s)
{
    padic_mem mem[8];
    mem[0] = s->queries.mem;
    mem[1] = s->scaled.mem;
    mem[2] = s->info.mem;
    mem[3] = s->lengths.here ? s->lengths.mem : s->info.mem;
    mem[4] = s->pages.here ? s->pages.mem : s->info.mem;
    mem[5] = s->key_counts.here ? s->key_counts.mem : s->info.mem;
    mem[6] = s->query_counts.here ? s->query_counts.mem : s->info.mem;
    mem[7] = s->memory;
    s->t.first = s->k.first;
    return padici_gpu_pq_launch(s->gpu, PADICI_KERNEL_PQ_SELECT_TABLES, s->defines,
                                s->define_count, mem, 8, &s->t, sizeof s->t,
                                padici_gpu_pq_now(s) * s->t.share * s->t.slices);
}

// padic_pq_score()

static padic_result padici_gpu_pq_scores(padici_gpu_pq_search *s)
{
    padic_mem mem[5];
    mem[0] = s->memory;
    mem[1] = s->codes.here ? s->codes.mem : s->info.mem;
    mem[2] = s->pages.here ? s->pages.mem : s->info.mem;
    mem[3] = s->tables.here ? s->tables.mem : s->out.mem;
    mem[4] = s->out.here ? s->out.mem : s->tables.mem;
    return padici_gpu_pq_launch(s->gpu, PADICI_KERNEL_PQ_SELECT_SCORES, s->defines,
                                s->define_count, mem, 5, &s->k, sizeof s->k,
                                padici_gpu_pq_now(s) * s->k.parts);
}

static padic_result padici_gpu_pq_score_need(padici_gpu *gpu, const padici_call *call,
                                             const padic_pq_codebook *codebook,
                                             const padic_tensor *queries, const padic_tensor *codes)
{
    const char *defines[2];
    padici_pq_book book;
    uint32_t count;
    padic_result result;
    padici_pq_book_of(codebook, &book);
    count = padici_gpu_pq_define(gpu, book.m * book.cells, defines);
    if (!padici_gpu_pq_reach(call, queries, codes, NULL) || padic_tensor_count(queries) >> 31)
        return PADIC_ERROR_NOT_SUPPORTED;
    result = padici_gpu_need(gpu, PADICI_KERNEL_PQ_SELECT_TABLES, defines, count);
    return result ? result
                  : padici_gpu_need(gpu, PADICI_KERNEL_PQ_SELECT_SCORES, defines, count);
}

// Tables, and scores of n codes, where they are wanted.
static padic_result padici_gpu_pq_score_run(padici_gpu_pq_search *s, uint64_t n)
{
    padic_result result;
    if (!s->all || (!s->tables.here && !s->out.here)) return PADIC_OK;
    s->k.flags = (s->tables.here ? PADICI_GPU_PQ_TABLES : 0u) |
                 (s->out.here ? PADICI_GPU_PQ_SCORES : 0u);
    if (!padici_gpu_pq_search_sizes(s, (uint64_t)s->k.m << s->k.bits, 0, s->out.here ? n : 0, 0))
        return PADIC_ERROR_NOT_SUPPORTED;
    padici_gpu_pq_place(&s->out, &s->k.out_at, s->k.out_step, sizeof s->k.out_step);
    padici_gpu_pq_place(&s->tables, &s->k.table_at, s->k.table_step, sizeof s->k.table_step);
    result = padici_gpu_pq_take(&s->space, s->words * 4, &s->memory);
    for (; !result && s->k.first < s->all; s->k.first += s->batch) {
        result = padici_gpu_pq_tables(s);
        if (!result) result = padici_gpu_pq_scores(s);
    }
    padici_gpu_pq_end(&s->space);
    return result;
}

PADICI_FN padic_result padici_gpu_pq_score(padici_gpu *gpu, const padici_call *call, int query)
{
    const padic_pq_score_desc *desc = &call->desc->pq_score;
    padici_gpu_pq_search s;
    const padic_result result = padici_gpu_pq_score_need(gpu, call, &desc->codebook,
                                                         &desc->queries, &desc->cache.codes);
    if (query || result) return result;
    padici_gpu_pq_search_begin(&s, gpu, call, &desc->codebook, &desc->queries);
    padici_gpu_pq_search_cache(&s, call, &desc->codebook, &desc->cache);
    padici_gpu_pq_view_of(call, &desc->tables, &s.tables);
    padici_gpu_pq_view_of(call, &desc->out, &s.out);
    return padici_gpu_pq_score_run(&s, desc->out.shape[3]);
}

// padic_pq_lut()

PADICI_FN padic_result padici_gpu_pq_lut(padici_gpu *gpu, const padici_call *call, int query)
{
    const padic_pq_lut_desc *desc = &call->desc->pq_lut;
    padici_gpu_pq_search s;
    const padic_result result =
        padici_gpu_pq_score_need(gpu, call, &desc->codebook, &desc->queries, NULL);
    if (query || result) return result;
    padici_gpu_pq_search_begin(&s, gpu, call, &desc->codebook, &desc->queries);
    padici_gpu_pq_view_of(call, &desc->out, &s.tables);
    s.t.flags = PADICI_GPU_PQ_ALONE;
    return padici_gpu_pq_score_run(&s, 0);
}

// The best

static padic_result padici_gpu_pq_keep(padici_gpu_pq_search *s)
{
    return padici_gpu_pq_launch(s->gpu, PADICI_KERNEL_PQ_SELECT_KEEP, s->defines, s->define_count,
                                &s->memory, 1, &s->k, sizeof s->k,
                                padici_gpu_pq_now(s) * s->k.parts);
}

static padic_result padici_gpu_pq_finish(padici_gpu_pq_search *s)
{
    padic_mem mem[4];
    mem[0] = s->memory;
    mem[1] = s->lists.mem;
    mem[2] = s->list_lengths.here ? s->list_lengths.mem : s->lists.mem;
    mem[3] = s->status.here ? s->status.mem : s->lists.mem;
    return padici_gpu_pq_launch(s->gpu, PADICI_KERNEL_PQ_SELECT_FINISH, s->defines,
                                s->define_count, mem, 4, &s->k, sizeof s->k, padici_gpu_pq_now(s));
}

// A power of two of pairs for so many that are sorted.
static uint64_t padici_gpu_pq_sorted(uint64_t n, uint32_t flags)
{
    uint64_t pairs = 1;
    while (pairs < n) pairs *= 2;
    return flags & PADICI_GPU_PQ_BEST ? pairs : 0;
}

// padic_pq_topk(): rows are queries, and scores are there.

static padic_result padici_gpu_pq_rows(padici_gpu_pq_search *s, const padici_gpu_pq_view *scores,
                                       uint32_t n, uint32_t wanted)
{
    padici_k_pq_select_rows_params k;
    padic_mem mem[2];
    padic_result result;
    memset(&k, 0, sizeof k);
    k.first = s->k.first;
    k.parts = s->k.parts;
    k.n = n;
    k.stride = s->k.n;
    k.k = wanted;
    k.flags = s->k.flags;
    padici_gpu_pq_place(scores, &k.scores_at, k.score_step, sizeof k.score_step);
    k.bins_at = s->k.bins_at;
    k.order_at = s->k.order_at;
    mem[0] = scores->here ? scores->mem : s->lists.mem;
    mem[1] = s->memory;
    result = padici_target_fill(s->gpu->context, s->gpu->target, s->memory,
                                (uint64_t)s->k.bins_at * 4, 0,
                                padici_gpu_pq_now(s) * 2 * PADICI_PQ_BINS * 4);
    return result ? result
                  : padici_gpu_pq_launch(s->gpu, PADICI_KERNEL_PQ_SELECT_ROWS, s->defines,
                                         s->define_count, mem, 2, &k, sizeof k,
                                         padici_gpu_pq_now(s) * s->k.parts);
}

static padic_result padici_gpu_pq_need_find(padici_gpu *gpu, const char *const *defines,
                                            uint32_t count)
{
    padic_result result = padici_gpu_need(gpu, PADICI_KERNEL_PQ_SELECT_KEEP, defines, count);
    if (!result) result = padici_gpu_need(gpu, PADICI_KERNEL_PQ_SELECT_FINISH, defines, count);
    return result;
}

PADICI_FN padic_result padici_gpu_pq_topk(padici_gpu *gpu, const padici_call *call, int query)
{
    const padic_pq_topk_desc *desc = &call->desc->pq_topk;
    const uint64_t n = desc->scores.shape[1], cap = desc->out.shape[1], k = cap < n ? cap : n;
    padici_gpu_pq_search s;
    padici_gpu_pq_view scores;
    padic_result result;
    if (!padici_gpu_pq_reach(call, NULL, NULL, NULL) || desc->scores.shape[0] >> 31)
        return PADIC_ERROR_NOT_SUPPORTED;
    memset(&s, 0, sizeof s);
    s.define_count = padici_gpu_pq_define(gpu, 0, s.defines);
    result = padici_gpu_need(gpu, PADICI_KERNEL_PQ_SELECT_ROWS, s.defines, s.define_count);
    if (!result) result = padici_gpu_pq_need_find(gpu, s.defines, s.define_count);
    if (query || result) return result;
    s.gpu = s.space.gpu = gpu;
    s.all = desc->scores.shape[0];
    if (!s.all || !cap) return PADIC_OK;
    s.k.flags = (desc->order == PADIC_PQ_ORDER_BEST ? PADICI_GPU_PQ_BEST : 0u) |
                (desc->tie == PADIC_PQ_TIE_RECENT ? PADICI_GPU_PQ_RECENT : 0u);
    if (!padici_gpu_pq_search_sizes(&s, 0, 1, n, padici_gpu_pq_sorted(k, s.k.flags)))
        return PADIC_ERROR_NOT_SUPPORTED;
    padici_gpu_pq_view_of(call, &desc->scores, &scores);
    padici_gpu_pq_view_of(call, &desc->out, &s.lists);
    s.k.heads = s.k.queries = 1;
    s.k.cap = (uint32_t)cap;
    s.k.list_at = (uint32_t)s.lists.at;
    s.k.list_step[0] = s.lists.step[0];
    s.k.list_step[3] = s.lists.step[1];
    result = padici_gpu_pq_take(&s.space, s.words * 4, &s.memory);
    for (; !result && s.k.first < s.all; s.k.first += s.batch) {
        result = padici_gpu_pq_rows(&s, &scores, (uint32_t)n, (uint32_t)k);
        if (!result) result = padici_gpu_pq_keep(&s);
        if (!result) result = padici_gpu_pq_finish(&s);
    }
    padici_gpu_pq_end(&s.space);
    return result;
}

// padic_pq_select()

static padic_result padici_gpu_pq_count(padici_gpu_pq_search *s)
{
    padic_mem mem[3];
    mem[0] = s->memory;
    mem[1] = s->codes.here ? s->codes.mem : s->info.mem;
    mem[2] = s->pages.here ? s->pages.mem : s->info.mem;
    return padici_gpu_pq_launch(s->gpu, PADICI_KERNEL_PQ_SELECT_COUNT, s->defines,
                                s->define_count, mem, 3, &s->k, sizeof s->k,
                                padici_gpu_pq_now(s) * s->k.parts);
}

static padic_result padici_gpu_pq_cells(padici_gpu_pq_search *s, uint32_t again)
{
    padic_mem mem[7];
    s->k.again = again;
    mem[0] = s->memory;
    mem[1] = s->codes.here ? s->codes.mem : s->info.mem;
    mem[2] = s->pages.here ? s->pages.mem : s->info.mem;
    mem[3] = s->counts.here ? s->counts.mem : s->info.mem;
    mem[4] = s->lists.mem;
    mem[5] = s->list_lengths.here ? s->list_lengths.mem : s->lists.mem;
    mem[6] = s->status.here ? s->status.mem : s->lists.mem;
    return padici_gpu_pq_launch(s->gpu, PADICI_KERNEL_PQ_SELECT_CELLS, s->defines,
                                s->define_count, mem, 7, &s->k, sizeof s->k, padici_gpu_pq_now(s));
}

// Whether a group does all of a query by cells. Which way is taken changes no byte.
static int padici_gpu_pq_by_cells(const padic_pq_select_desc *desc)
{
    padici_pq_book book;
    padici_pq_store store;
    padici_pq_book_of(&desc->codebook, &book);
    padici_pq_store_of(&desc->cache, &book, &store);
    if (book.m != 2 || book.bits > 6 || !padici_pq_here(&desc->cache.counts) ||
        padici_gpu_pq_valued(desc) || desc->limit)
        return 0;
    return desc->method == PADIC_PQ_METHOD_CELLS ||
           (desc->method == PADIC_PQ_METHOD_AUTO &&
            store.tiles * PADICI_PQ_TILE >= 2 * book.cells * book.cells);
}

static void padici_gpu_pq_select_params(padici_gpu_pq_search *s, const padici_call *call,
                                        const padic_pq_select_desc *desc)
{
    uint32_t i;
    padici_gpu_pq_view_of(call, &desc->key_counts, &s->key_counts);
    padici_gpu_pq_view_of(call, &desc->query_counts, &s->query_counts);
    padici_gpu_pq_view_of(call, &desc->lists, &s->lists);
    padici_gpu_pq_view_of(call, &desc->lengths, &s->list_lengths);
    padici_gpu_pq_view_of(call, &desc->status, &s->status);
    s->k.flags = (desc->order == PADIC_PQ_ORDER_BEST ? PADICI_GPU_PQ_BEST : 0u) |
                 (desc->tie == PADIC_PQ_TIE_RECENT ? PADICI_GPU_PQ_RECENT : 0u) |
                 (s->key_counts.here ? PADICI_GPU_PQ_COUNTS : 0u) |
                 (s->query_counts.here ? PADICI_GPU_PQ_QUERIES : 0u) |
                 (s->list_lengths.here ? PADICI_GPU_PQ_LENGTHS : 0u) |
                 (s->status.here ? PADICI_GPU_PQ_STATUS : 0u) |
                 (s->cells ? 0u : PADICI_GPU_PQ_BINS);
    padici_gpu_pq_options(s, call, desc);
    s->t.flags = s->k.flags;
    if (desc->key_count) s->t.keys = (uint32_t)desc->key_count;
    s->t.keys_at = (uint32_t)s->key_counts.at;
    s->t.keys_step = s->key_counts.step[0];
    s->t.counts_at = (uint32_t)s->query_counts.at;
    s->t.counts_step = s->query_counts.step[0];
    s->t.sink = s->k.sink = (uint32_t)desc->sink;
    s->t.window = s->k.window = (uint32_t)desc->window;
    s->t.heavy = (uint32_t)desc->heavy;
    s->t.full_below = (uint32_t)desc->full_below;
    s->k.cap = (uint32_t)desc->lists.shape[3];
    padici_gpu_pq_place(&s->lists, &s->k.list_at, s->k.list_step, sizeof s->k.list_step);
    padici_gpu_pq_place(&s->list_lengths, &s->k.length_at, s->k.length_step,
                         sizeof s->k.length_step);
    padici_gpu_pq_place(&s->status, &s->k.status_at, s->k.status_step, sizeof s->k.status_step);
    s->k.list_wide = desc->lists.dtype == PADIC_I64;
    if (!s->k.list_wide) return;
    s->k.list_at *= 2;
    for (i = 0; i < 4; i++) s->k.list_step[i] *= 2;
}

// Candidates of a row at most.
static uint64_t padici_gpu_pq_candidates(const padici_gpu_pq_search *s,
                                         const padic_pq_select_desc *desc)
{
    const uint64_t n = s->t.capacity, keys = desc->key_count;
    const uint64_t begin = s->t.start > desc->sink ? s->t.start : desc->sink;
    if (!keys || s->key_counts.here || keys >= begin + n) return n;
    return keys > begin ? keys - begin : 0;
}

// What only the host does: scales whose softmax f32 does not hold.
static int padici_gpu_pq_select_odd(const padic_pq_select_desc *desc)
{
    const double scale = desc->scale < 0 ? -desc->scale : desc->scale;
    if (desc->limit != PADIC_PQ_LIMIT_TOP_P && desc->reduce != PADIC_PQ_REDUCE_SOFTMAX_SUM)
        return 0;
    return scale != 0 && !(scale > 1e-18 && scale < 1e18);
}

static padic_result padici_gpu_pq_select_need(padici_gpu *gpu, const char *const *defines,
                                              uint32_t count, int cells,
                                              const padic_pq_select_desc *desc)
{
    padic_result result = padici_gpu_need(gpu, PADICI_KERNEL_PQ_SELECT_TABLES, defines, count);
    if (result) return result;
    if (cells) return padici_gpu_need(gpu, PADICI_KERNEL_PQ_SELECT_CELLS, defines, count);
    result = padici_gpu_pq_valued(desc)
                 ? padici_gpu_pq_values_need(gpu, defines, count, desc)
                 : padici_gpu_need(gpu, PADICI_KERNEL_PQ_SELECT_COUNT, defines, count);
    return result ? result : padici_gpu_pq_need_find(gpu, defines, count);
}

// Groups of a query by one launch, or 0.
static padic_result padici_gpu_pq_once_groups_of(padici_gpu *gpu, const padic_pq_select_desc *desc,
                                                 uint32_t *groups)
{
    padic_result result = PADIC_OK;
    *groups = padici_gpu_pq_once(gpu, desc);
    if (*groups) result = padici_gpu_pq_once_need(gpu, desc, *groups);
    if (result != PADIC_ERROR_NOT_SUPPORTED) return result;
    *groups = 0;
    return PADIC_OK;
}

// heavy_counts, to where kernels have room for them.
static padic_result padici_gpu_pq_heavy(padici_gpu_pq_search *s)
{
    padici_place from, to;
    if (!s->heavy_counts.here) return PADIC_OK;
    memset(&from, 0, sizeof from);
    to = from;
    from.mem = s->heavy_counts.mem;
    from.at = s->heavy_counts.at * 4;
    to.mem = s->memory;
    to.at = (uint64_t)s->t.heavy_at * 4;
    return padici_target_move(s->gpu->context, s->gpu->target, &to, &from,
                              s->all / (s->k.heads * s->k.queries) * 4);
}

static padic_result padici_gpu_pq_select_run(padici_gpu_pq_search *s,
                                             const padic_pq_select_desc *desc)
{
    const int cells = s->cells != 0, valued = padici_gpu_pq_valued(desc);
    const uint64_t n = padici_gpu_pq_candidates(s, desc);
    const uint64_t sorted = padici_gpu_pq_sorted(desc->heavy < n ? desc->heavy : n, s->k.flags);
    padic_result result;
    if (!padici_gpu_pq_search_sizes(s, (uint64_t)s->k.m << s->k.bits, !cells, n, sorted))
        return PADIC_ERROR_NOT_SUPPORTED;
    if (!s->lists.here) s->lists.mem = s->list_lengths.here ? s->list_lengths.mem : s->info.mem;
    result = padici_gpu_pq_take(&s->space, s->words * 4, &s->memory);
    if (!result) result = padici_gpu_pq_heavy(s);
    for (; !result && s->k.first < s->all; s->k.first += s->batch) {
        result = padici_gpu_pq_tables(s);
        if (!result && cells) result = padici_gpu_pq_cells(s, 0);
        if (!result && cells) result = padici_gpu_pq_cells(s, 1);
        if (result || cells) continue;
        result = valued ? padici_gpu_pq_values(s) : padici_gpu_pq_count(s);
        if (!result) result = padici_gpu_pq_keep(s);
        if (!result) result = padici_gpu_pq_finish(s);
        if (!result && desc->limit == PADIC_PQ_LIMIT_TOP_P) result = padici_gpu_pq_mass(s);
    }
    padici_gpu_pq_end(&s->space);
    return result;
}

PADICI_FN padic_result padici_gpu_pq_select(padici_gpu *gpu, const padici_call *call, int query)
{
    const padic_pq_select_desc *desc = &call->desc->pq_select;
    const int cells = padici_gpu_pq_by_cells(desc);
    const char *defines[2];
    padici_gpu_pq_search s;
    padici_pq_book book;
    uint32_t count, once = 0;
    padic_result result;
    padici_pq_book_of(&desc->codebook, &book);
    count = padici_gpu_pq_define(gpu, book.m * book.cells, defines);
    if (padici_gpu_pq_select_odd(desc) ||
        !padici_gpu_pq_reach(call, &desc->queries, &desc->cache.codes, NULL) ||
        padic_tensor_count(&desc->queries) >> 31 || desc->lists.shape[3] >> 31)
        return PADIC_ERROR_NOT_SUPPORTED;
    result = padici_gpu_pq_select_need(gpu, defines, count, cells, desc);
    if (!result && !query) result = padici_gpu_pq_once_groups_of(gpu, desc, &once);
    if (query || result) return result;
    padici_gpu_pq_search_begin(&s, gpu, call, &desc->codebook, &desc->queries);
    padici_gpu_pq_search_cache(&s, call, &desc->codebook, &desc->cache);
    s.cells = (uint32_t)cells;
    padici_gpu_pq_select_params(&s, call, desc);
    if (!s.all) return PADIC_OK;
    result = once ? padici_gpu_pq_once_run(&s, once) : PADIC_ERROR_NOT_SUPPORTED;
    if (result != PADIC_ERROR_NOT_SUPPORTED) return result;
    if (padici_gpu_pq_once_waits(gpu))
        return padici_fail(gpu->context, PADIC_ERROR_DEVICE, "the step's keys are lost");
    return padici_gpu_pq_select_run(&s, desc);
}

#undef PADICI_GPU_PQ_WORDS
#undef PADICI_GPU_PQ_PART
#undef PADICI_GPU_PQ_WIDE

#endif
