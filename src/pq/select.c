#include "select.h"
#include "../context/messages.h"
#include "../context/operation.h"
#include "../context/ops.h"
#include "../context/workspace.h"
#include "../core/jobs.h"
#include "calls.h"

#if PADICI_IMPLEMENT_PQ

// Lists: sink, the best candidates, window.

PADICI_FN uint32_t padici_pq_select_operands(void *desc_, padici_operand *operands)
{
    padic_pq_select_desc *desc = (padic_pq_select_desc *)desc_;
    uint32_t n = padici_pq_book_operands(operands, &desc->codebook, 0);
    n = padici_pq_store_operands(operands, n, &desc->cache, 0);
    n = padici_pq_operand(operands, n, "queries", &desc->queries, 0);
    n = padici_pq_optional(operands, n, "key_counts", &desc->key_counts, 0);
    n = padici_pq_optional(operands, n, "query_counts", &desc->query_counts, 0);
    n = padici_pq_operand(operands, n, "lists", &desc->lists, 1);
    n = padici_pq_optional(operands, n, "lengths", &desc->lengths, 1);
    return padici_pq_optional(operands, n, "status", &desc->status, 1);
}

// The most codes that can be looked at: whole tiles, and one more.
static uint64_t padici_pq_select_codes(const padic_pq_select_desc *desc)
{
    const int paged = padici_pq_here(&desc->cache.pages);
    return (desc->cache.codes.shape[2] * (paged ? desc->cache.pages.shape[1] : 1) + 1) *
           PADICI_PQ_TILE;
}

// Keys for sorting; ordered scores of all, bins, the best; tables; cells; quantised tables.
static uint64_t padici_pq_select_each(const padic_pq_select_desc *desc, const padici_pq_book *book)
{
    const uint64_t codes = padici_pq_select_codes(desc);
    const uint64_t k = desc->heavy < codes ? desc->heavy : codes;
    return k * 12 + codes * 4 + ((uint64_t)PADICI_PQ_BINS + PADICI_PQ_CELLS) * 4 +
           padici_pq_query_floats(book) * 4 + 256 * book->m;
}

static uint64_t padici_pq_select_items(const padic_pq_select_desc *desc)
{
    return desc->queries.shape[0] * desc->queries.shape[1] * desc->queries.shape[2];
}

PADIC_API uint64_t padic_pq_select_workspace(padic_context *context,
                                             const padic_pq_select_desc *desc)
{
    padici_pq_book book;
    padici_pq_space space;
    if (!desc || padici_pq_check_book(NULL, &desc->codebook) ||
        padici_pq_check_store(NULL, &desc->cache, &desc->codebook))
        return 0;
    padici_pq_book_of(&desc->codebook, &book);
    return padici_pq_space_bytes(context ? padici_jobs(context) : NULL,
                                 padici_pq_select_items(desc), padici_pq_select_each(desc, &book),
                                 &space);
}

static padic_result padici_pq_select_sizes(padic_context *context, const padic_pq_select_desc *desc)
{
    const uint64_t limit = (uint64_t)1 << 31;
    const char *field = NULL;
    if ((uint32_t)desc->tie > PADIC_PQ_TIE_RECENT) field = "tie";
    if ((uint32_t)desc->order > PADIC_PQ_ORDER_BEST) field = "order";
    if ((uint32_t)desc->method > PADIC_PQ_METHOD_FILTER) field = "method";
    if (field) return padici_fail_field(context, PADIC_ERROR_ARGUMENT, field, "is unknown");
    if (desc->sink >= limit) field = "sink";
    if (desc->window >= limit) field = "window";
    if (desc->heavy >= limit) field = "heavy";
    if (desc->full_below >= limit) field = "full_below";
    if (desc->key_count >= limit) field = "key_count";
    return field ? padici_fail_field(context, PADIC_ERROR_LIMIT, field, "is 2^31 or more")
                 : PADIC_OK;
}

static uint64_t padici_pq_list_least(const padic_pq_select_desc *desc)
{
    const uint64_t parts = desc->sink + desc->heavy + desc->window;
    return parts > desc->full_below ? parts : desc->full_below;
}

PADICI_FN padic_result padici_pq_select_check(padic_context *context, const void *desc_)
{
    const padic_pq_select_desc *desc = (const padic_pq_select_desc *)desc_;
    const uint64_t *n = desc->queries.shape, rows = desc->cache.lengths.shape[0];
    padic_result result = padici_pq_check_book(context, &desc->codebook);
    if (!result) result = padici_pq_check_store(context, &desc->cache, &desc->codebook);
    if (!result) result = padici_pq_check_queries(context, &desc->queries, &desc->codebook, rows);
    if (!result) result = padici_pq_select_sizes(context, desc);
    if (!result)
        result = padici_pq_check_optional(context, "key_counts", &desc->key_counts, PADIC_U32, 1,
                                          rows, 0, 0, 0);
    if (!result)
        result = padici_pq_check_optional(context, "query_counts", &desc->query_counts, PADIC_U32,
                                          1, rows, 0, 0, 0);
    if (!result)
        result = padici_pq_check(context, "lists", &desc->lists, PADIC_I32, 4, n[0], n[1], n[2],
                                 UINT64_MAX);
    if (!result && desc->lists.shape[3] < padici_pq_list_least(desc))
        result = padici_fail_field(context, PADIC_ERROR_CAPACITY, "lists",
                                   "is shorter than max(sink + heavy + window, full_below)");
    if (!result)
        result = padici_pq_check_optional(context, "lengths", &desc->lengths, PADIC_U32, 3, n[0],
                                          n[1], n[2], 0);
    if (!result)
        result = padici_pq_check_optional(context, "status", &desc->status, PADIC_U32, 3, n[0],
                                          n[1], n[2], 0);
    return result ? result
                  : padici_workspace_check(context, &desc->workspace,
                                           padic_pq_select_workspace(context, desc));
}

typedef struct padici_pq_selecting {
    const padici_pq_kernels *kernels;
    const padic_pq_select_desc *desc;
    padici_pq_book book;
    padici_pq_store store;
    padici_pq_view queries, key_counts, query_counts, lists, lengths, status;
    uint64_t least; // lists of rows with as few keys are of all
    padici_pq_space space;
} padici_pq_selecting;

typedef struct padici_pq_item { // a query
    uint64_t row, head, i, visible; // head: of the queries
    uint32_t status;
    char *list; // where the next entry goes
    uint32_t length;
    padici_pq_query query;
    padici_pq_search search;
    uint64_t *keys;
} padici_pq_item;

static uint64_t padici_pq_count_of(const padici_pq_view *view, uint64_t row, uint64_t most,
                                   uint64_t otherwise, uint32_t *status)
{
    uint64_t count;
    if (!view->at) return otherwise;
    count = *(const uint32_t *)(const void *)(view->at + (int64_t)row * view->step[0]);
    if (count <= most) return count;
    *status |= PADIC_PQ_STATUS_LENGTH;
    return most;
}

static void padici_pq_list_add(const padici_pq_selecting *work, padici_pq_item *item, uint64_t from,
                               uint64_t to)
{
    for (; from < to; from++, item->list += work->lists.step[3], item->length++)
        *(int32_t *)(void *)item->list = (int32_t)from;
}

// The best by the method that is asked for, or the fastest that there is.
static uint64_t padici_pq_search_run(const padici_pq_selecting *work, padici_pq_item *item)
{
    const padici_pq_search *s = &item->search;
    padic_pq_method method = work->desc->method;
    uint64_t found = UINT64_MAX, i;
    if (!item->query.finite || s->k == s->count) { // all scores are equal, or none is needed
        const uint64_t skip =
            item->query.finite || s->tie == PADIC_PQ_TIE_FIRST ? 0 : s->count - s->k;
        for (i = 0; i < s->k; i++) s->out[i] = (uint32_t)(s->first + skip + i);
        return s->k;
    }
    if (method == PADIC_PQ_METHOD_AUTO) {
        method = s->k * 8 <= s->count ? PADIC_PQ_METHOD_FILTER : PADIC_PQ_METHOD_SCORES;
        if (s->store->cells && s->count >= 2 * s->store->cells && s->coded <= 2 * s->count)
            method = PADIC_PQ_METHOD_CELLS;
    }
    // Counts are of whole rows.
    if (method == PADIC_PQ_METHOD_CELLS && s->coded == s->store->lengths[s->row])
        found = padici_pq_by_cells(s);
    if (method != PADIC_PQ_METHOD_SCORES && found == UINT64_MAX) found = padici_pq_by_filter(s);
    return found == UINT64_MAX ? padici_pq_by_scores(s) : found;
}

static void padici_pq_heavy_add(const padici_pq_selecting *work, padici_pq_item *item)
{
    const padici_pq_search *s = &item->search;
    const uint64_t found = padici_pq_search_run(work, item);
    uint64_t i;
    if (work->desc->order == PADIC_PQ_ORDER_BEST) {
        for (i = 0; i < found; i++) {
            const uint8_t *tile =
                padici_pq_tile(s->store, s->row, s->head, s->out[i] / PADICI_PQ_TILE);
            s->order[i] = !item->query.finite
                              ? 0
                              : padici_pq_order(padici_pq_key_score(s->store, s->tables, tile,
                                                                    s->out[i] % PADICI_PQ_TILE));
        }
        padici_pq_best_first(s->order, found, s->tie, item->keys, s->out);
    }
    for (i = 0; i < found; i++)
        padici_pq_list_add(work, item, s->store->start + s->out[i],
                           s->store->start + s->out[i] + 1);
}

static void padici_pq_select_parts(const padici_pq_selecting *work, padici_pq_item *item)
{
    const padic_pq_select_desc *desc = work->desc;
    const padici_pq_store *store = &work->store;
    const uint64_t length = store->lengths[item->row], most = store->tiles * PADICI_PQ_TILE;
    const uint64_t coded = padici_pq_readable(store, item->row, length);
    const uint64_t from = desc->sink, to = item->visible - desc->window; // between sink and window
    uint64_t low = store->start > from ? store->start : from;
    uint64_t high = store->start + coded < to ? store->start + coded : to, uncoded;
    padici_pq_search *s = &item->search;
    if (high < low) high = low;
    if (length > most) item->status |= PADIC_PQ_STATUS_LENGTH;
    if (coded < length && coded < most) item->status |= PADIC_PQ_STATUS_PAGE;
    uncoded = to - from - (high - low);
    if (uncoded)
        item->status |= PADIC_PQ_STATUS_UNCODED |
                        (uint32_t)(uncoded < 0xffffff ? uncoded : 0xffffff)
                            << PADIC_PQ_STATUS_SHIFT;
    s->row = item->row;
    s->head = item->head / (desc->queries.shape[1] / work->book.groups);
    s->coded = coded;
    s->first = low - store->start;
    s->count = high - low;
    s->k = desc->heavy < s->count ? desc->heavy : s->count;
    padici_pq_list_add(work, item, 0, from);
    if (s->k) padici_pq_heavy_add(work, item);
    padici_pq_list_add(work, item, to, item->visible);
}

static void padici_pq_select_item(const padici_pq_selecting *work, padici_pq_item *item)
{
    const padic_pq_select_desc *desc = work->desc;
    const int64_t at[3] = {(int64_t)item->row, (int64_t)item->head, (int64_t)item->i};
    const padici_pq_view *q = &work->queries, *l = &work->lists;
    uint64_t keys, queries;
    item->status = 0;
    item->length = 0;
    item->list = l->at + at[0] * l->step[0] + at[1] * l->step[1] + at[2] * l->step[2];
    keys = work->store.start + padici_pq_readable(&work->store, item->row,
                                                  work->store.lengths[item->row]);
    keys = padici_pq_count_of(&work->key_counts, item->row, INT32_MAX,
                              desc->key_count ? desc->key_count : keys, &item->status);
    queries = padici_pq_count_of(&work->query_counts, item->row, desc->queries.shape[2],
                                 desc->queries.shape[2], &item->status);
    item->visible = item->i < queries && keys + item->i + 1 > queries
                        ? keys + item->i + 1 - queries
                        : 0;
    if (item->visible <= work->least) {
        padici_pq_list_add(work, item, 0, item->visible);
    } else {
        padici_pq_query_load(work->kernels, &work->book, item->row,
                             item->head / (desc->queries.shape[1] / work->book.groups), q,
                             q->at + at[0] * q->step[0] + at[1] * q->step[1] + at[2] * q->step[2],
                             &item->query);
        if (!item->query.finite) item->status |= PADIC_PQ_STATUS_NOT_FINITE;
        padici_pq_select_parts(work, item);
    }
    if (work->lengths.at)
        *(uint32_t *)(void *)(work->lengths.at + at[0] * work->lengths.step[0] +
                              at[1] * work->lengths.step[1] + at[2] * work->lengths.step[2]) =
            item->length;
    if (work->status.at)
        *(uint32_t *)(void *)(work->status.at + at[0] * work->status.step[0] +
                              at[1] * work->status.step[1] + at[2] * work->status.step[2]) =
            item->status;
    for (; item->length < desc->lists.shape[3]; item->length++, item->list += l->step[3])
        *(int32_t *)(void *)item->list = -1;
}

static void padici_pq_select_work(void *work_, uint32_t worker)
{
    const padici_pq_selecting *work = (const padici_pq_selecting *)work_;
    const uint64_t *n = work->desc->queries.shape, codes = padici_pq_select_codes(work->desc);
    const uint64_t k = work->desc->heavy < codes ? work->desc->heavy : codes;
    padici_pq_item item;
    padici_pq_search *s = &item.search;
    uint64_t i;
    item.keys = (uint64_t *)(void *)(work->space.at + worker * work->space.each);
    s->order = (uint32_t *)(void *)(item.keys + k);
    s->bins = s->order + codes;
    s->excluded = s->bins + PADICI_PQ_BINS;
    s->out = s->excluded + PADICI_PQ_CELLS;
    padici_pq_query_space(&work->book, (float *)(void *)(s->out + k), &item.query);
    s->quantised = (uint8_t *)(item.query.x + padici_pq_query_floats(&work->book));
    s->kernels = work->kernels;
    s->store = &work->store;
    s->tables = item.query.tables;
    s->tie = work->desc->tie;
    memset(s->excluded, 0, (size_t)work->store.cells * sizeof *s->excluded);
    for (i = worker; i < n[0] * n[1] * n[2]; i += work->space.workers) {
        item.i = i % n[2];
        item.head = i / n[2] % n[1];
        item.row = i / n[2] / n[1];
        padici_pq_select_item(work, &item);
    }
}

PADICI_FN padic_result padici_pq_select_run(const padic_env *env, const padici_pq_kernels *kernels,
                                            const padic_pq_select_desc *desc)
{
    padici_pq_selecting work;
    padic_result result;
    work.kernels = kernels;
    work.desc = desc;
    padici_pq_book_of(&desc->codebook, &work.book);
    padici_pq_store_of(&desc->cache, &work.book, &work.store);
    work.queries = padici_pq_view_of(&desc->queries);
    work.key_counts = padici_pq_view_of(&desc->key_counts);
    work.query_counts = padici_pq_view_of(&desc->query_counts);
    work.lists = padici_pq_view_of(&desc->lists);
    work.lengths = padici_pq_view_of(&desc->lengths);
    work.status = padici_pq_view_of(&desc->status);
    work.least = padici_pq_list_least(desc);
    result = padici_pq_space_begin(env, &desc->workspace, padici_pq_select_items(desc),
                                   padici_pq_select_each(desc, &work.book), &work.space);
    if (result) return result;
    padici_parallel(padici_env_jobs(env), work.space.workers, padici_pq_select_work, &work);
    padici_pq_space_end(env, &work.space);
    return PADIC_OK;
}

PADICI_FN padic_result padici_pq_select_host(const padic_env *env, const void *desc)
{
    return padici_pq_select_run(env, padici_pq_plain(), (const padic_pq_select_desc *)desc);
}

#endif
