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
    n = padici_pq_optional(operands, n, "heavy_counts", &desc->heavy_counts, 0);
    n = padici_pq_optional(operands, n, "bias", &desc->bias, 0);
    n = padici_pq_optional(operands, n, "slopes", &desc->slopes, 0);
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

// Heads that have lists of their own.
static uint64_t padici_pq_select_heads(const padic_pq_select_desc *desc)
{
    return desc->reduce ? desc->codebook.centroids.shape[1] : desc->queries.shape[1];
}

static uint64_t padici_pq_select_items(const padic_pq_select_desc *desc)
{
    return desc->queries.shape[0] * padici_pq_select_heads(desc) * desc->queries.shape[2];
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
    if ((uint32_t)desc->limit > PADIC_PQ_LIMIT_TOP_P) field = "limit";
    if ((uint32_t)desc->reduce > PADIC_PQ_REDUCE_SOFTMAX_SUM) field = "reduce";
    if (field) return padici_fail_field(context, PADIC_ERROR_ARGUMENT, field, "is unknown");
    if (desc->sink >= limit) field = "sink";
    if (desc->window >= limit) field = "window";
    if (desc->heavy >= limit) field = "heavy";
    if (desc->full_below >= limit) field = "full_below";
    if (desc->key_count >= limit) field = "key_count";
    return field ? padici_fail_field(context, PADIC_ERROR_LIMIT, field, "is 2^31 or more")
                 : PADIC_OK;
}

// Numbers that must be in their ranges, and the optional inputs.
static padic_result padici_pq_select_options(padic_context *context,
                                             const padic_pq_select_desc *desc)
{
    const uint64_t *n = desc->queries.shape;
    const char *field = NULL;
    padic_result result;
    if (!(desc->heavy_fraction >= 0 && desc->heavy_fraction <= 1)) field = "heavy_fraction";
    if (!(desc->top_p >= 0 && desc->top_p <= 1)) field = "top_p";
    if (field)
        return padici_fail_field(context, PADIC_ERROR_ARGUMENT, field, "is not from 0 to 1");
    if (desc->threshold != desc->threshold)
        return padici_fail_field(context, PADIC_ERROR_ARGUMENT, "threshold", "is a NaN");
    if (desc->scale - desc->scale != 0)
        return padici_fail_field(context, PADIC_ERROR_ARGUMENT, "scale", "is not finite");
    result = padici_pq_check_optional(context, "heavy_counts", &desc->heavy_counts, PADIC_U32, 1,
                                      n[0], 0, 0, 0);
    if (!result)
        result = padici_pq_check_optional(context, "bias", &desc->bias, PADIC_F32, 3, n[0], n[1],
                                          UINT64_MAX, 0);
    return result ? result
                  : padici_pq_check_optional(context, "slopes", &desc->slopes, PADIC_F32, 1, n[1],
                                             0, 0, 0);
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
    uint64_t heads;
    padic_result result = padici_pq_check_book(context, &desc->codebook);
    if (!result) result = padici_pq_check_store(context, &desc->cache, &desc->codebook);
    if (!result) result = padici_pq_check_queries(context, &desc->queries, &desc->codebook, rows);
    if (!result) result = padici_pq_select_sizes(context, desc);
    if (!result) result = padici_pq_select_options(context, desc);
    if (!result)
        result = padici_pq_check_optional(context, "key_counts", &desc->key_counts, PADIC_U32, 1,
                                          rows, 0, 0, 0);
    if (!result)
        result = padici_pq_check_optional(context, "query_counts", &desc->query_counts, PADIC_U32,
                                          1, rows, 0, 0, 0);
    if (result) return result;
    heads = padici_pq_select_heads(desc);
    result = padici_pq_check_lists(context, "lists", &desc->lists, n[0], heads, n[2]);
    if (!result && desc->lists.shape[3] < padici_pq_list_least(desc))
        result = padici_fail_field(context, PADIC_ERROR_CAPACITY, "lists",
                                   "is shorter than max(sink + heavy + window, full_below)");
    if (!result)
        result = padici_pq_check_optional(context, "lengths", &desc->lengths, PADIC_U32, 3, n[0],
                                          heads, n[2], 0);
    if (!result)
        result = padici_pq_check_optional(context, "status", &desc->status, PADIC_U32, 3, n[0],
                                          heads, n[2], 0);
    return result ? result
                  : padici_workspace_check(context, &desc->workspace,
                                           padic_pq_select_workspace(context, desc));
}

typedef struct padici_pq_selecting {
    const padici_pq_kernels *kernels;
    const padic_pq_select_desc *desc;
    padici_pq_book book;
    padici_pq_store store;
    padici_pq_view queries, key_counts, query_counts, heavy_counts, bias, slopes;
    padici_pq_view lists, lengths, status;
    uint64_t heads, per; // with lists of their own; query heads of a head of keys
    double scale;
    padici_pq_space space;
} padici_pq_selecting;

typedef struct padici_pq_item { // a query
    uint64_t row, head, i, visible; // head: that of the list
    uint32_t status;
    uint32_t valued; // search.order has values of all candidates, not sums of tables
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
        padici_pq_list_put(item->list, work->lists.dtype, (int64_t)from);
}

static void padici_pq_item_query(const padici_pq_selecting *work, padici_pq_item *item,
                                 uint64_t head)
{
    padici_pq_query_load(work->kernels, &work->book, item->row, head / work->per, &work->queries,
                         work->queries.at + padici_pq_at3(&work->queries, item->row, head, item->i),
                         &item->query);
    if (!item->query.finite) item->status |= PADIC_PQ_STATUS_NOT_FINITE;
}

// Values: scores as they are, with what is added to them; of one head or of a group.

typedef struct padici_pq_values {
    const padici_pq_selecting *work;
    padici_pq_item *item;
    uint64_t head;
    double most, sum; // of a softmax
    float *to;        // of the candidates
} padici_pq_values;

// The value of candidate i, whose scaled score is `score`.
static float padici_pq_value(const padici_pq_values *v, uint64_t i, float score)
{
    const padici_pq_selecting *work = v->work;
    const padici_pq_item *item = v->item;
    const uint64_t position = work->store.start + item->search.first + i;
    float value = padici_pq_unscaled(score, item->query.exponent);
    if (work->bias.at && position < work->desc->bias.shape[2])
        value = padici_pq_flushed(
            value + padici_pq_flushed(*(const float *)(const void *)(
                        work->bias.at +
                        padici_pq_at3(&work->bias, item->row, v->head, position))));
    if (work->slopes.at) {
        const uint64_t away = item->visible - 1 - position;
        const float slope = padici_pq_flushed(*(const float *)(const void *)(
            work->slopes.at + (int64_t)v->head * work->slopes.step[0]));
        const float less = slope * (float)(int32_t)(away < 0xffffff ? away : 0xffffff);
        value = padici_pq_flushed(value - padici_pq_flushed(less));
    }
    return padici_pq_of_order(padici_pq_order(value));
}

// What a value adds to that of its group.
static void padici_pq_value_add(padici_pq_values *v, uint64_t i, float value, uint32_t round)
{
    const padic_pq_reduce reduce = v->work->desc->reduce;
    const int first = reduce == PADIC_PQ_REDUCE_NONE || v->head % v->work->per == 0;
    if (reduce == PADIC_PQ_REDUCE_SOFTMAX_SUM) {
        const double logit = v->work->scale * (double)value;
        if (round == 0 && logit > v->most) v->most = logit;
        if (round == 1) v->sum = v->sum + exp(logit - v->most);
        if (round != 2) return;
        value = v->sum > 0 ? (float)(exp(logit - v->most) / v->sum) : 0;
    }
    if (reduce == PADIC_PQ_REDUCE_MAX) {
        if (first || value > v->to[i]) v->to[i] = value;
    } else {
        v->to[i] = padici_pq_flushed(first ? value : v->to[i] + value);
    }
}

static void padici_pq_values_head(padici_pq_values *v, uint32_t round)
{
    const padici_pq_search *s = &v->item->search;
    const uint64_t end = s->first + s->count;
    uint64_t at = s->first;
    float scores[PADICI_PQ_TILE];
    while (at < end) {
        const uint64_t tile = at / PADICI_PQ_TILE, base = tile * PADICI_PQ_TILE;
        const uint64_t stop = base + PADICI_PQ_TILE < end ? base + PADICI_PQ_TILE : end;
        if (v->item->query.finite)
            padici_pq_tile_scores(s->store, s->tables,
                                  padici_pq_tile(s->store, s->row, s->head, tile), scores);
        for (; at < stop; at++)
            padici_pq_value_add(v, at - s->first,
                                v->item->query.finite
                                    ? padici_pq_value(v, at - s->first, scores[at - base])
                                    : padici_pq_float(0xff800000u),
                                round);
    }
}

// Values of all candidates, as ordered integers.
static void padici_pq_values_make(const padici_pq_selecting *work, padici_pq_item *item)
{
    const padici_pq_search *s = &item->search;
    const uint32_t rounds = work->desc->reduce == PADIC_PQ_REDUCE_SOFTMAX_SUM ? 3 : 1;
    const uint64_t heads = work->desc->reduce ? work->per : 1;
    padici_pq_values v;
    uint64_t k, i;
    uint32_t round;
    v.work = work;
    v.item = item;
    v.to = (float *)(void *)s->order;
    for (k = 0; k < heads; k++) {
        v.head = work->desc->reduce ? item->head * work->per + k : item->head;
        v.most = -1.7e308;
        v.sum = 0;
        padici_pq_item_query(work, item, v.head);
        for (round = 0; round < rounds; round++)
            padici_pq_values_head(&v, round);
    }
    for (i = 0; i < s->count; i++) s->order[i] = padici_pq_order(v.to[i]);
}

// The best by the method that is asked for, or the fastest that there is.
static uint64_t padici_pq_search_run(const padici_pq_selecting *work, padici_pq_item *item)
{
    const padici_pq_search *s = &item->search;
    padic_pq_method method = work->desc->method;
    uint64_t found = UINT64_MAX, i;
    if (item->valued) {
        padici_pq_values_make(work, item);
        padici_pq_best(s->order, s->count, s->k, s->tie, s->bins, s->out);
        for (i = 0; i < s->k; i++) s->out[i] += (uint32_t)s->first;
        return s->k;
    }
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

// Scores of what was found, as ordered integers, in the place of the first of `order`.
static void padici_pq_found_orders(const padici_pq_selecting *work, padici_pq_item *item,
                                   uint64_t found)
{
    const padici_pq_search *s = &item->search;
    const int limited = work->desc->limit == PADIC_PQ_LIMIT_THRESHOLD;
    uint64_t i;
    for (i = 0; i < found; i++) {
        const uint32_t at = s->out[i];
        float score;
        if (item->valued) { // out ascends: never overtaken
            s->order[i] = s->order[at - s->first];
            continue;
        }
        if (!item->query.finite) {
            s->order[i] = padici_pq_order(padici_pq_float(0xff800000u));
            continue;
        }
        score = padici_pq_key_score(s->store, s->tables,
                                    padici_pq_tile(s->store, s->row, s->head, at / PADICI_PQ_TILE),
                                    at % PADICI_PQ_TILE);
        s->order[i] =
            padici_pq_order(limited ? padici_pq_unscaled(score, item->query.exponent) : score);
    }
}

// Of what was found, those from the threshold on.
static uint64_t padici_pq_limit_threshold(const padici_pq_selecting *work, padici_pq_item *item,
                                          uint64_t found)
{
    const padici_pq_search *s = &item->search;
    const uint32_t least = padici_pq_order(work->desc->threshold);
    uint64_t i, left = 0;
    padici_pq_found_orders(work, item, found);
    for (i = 0; i < found; i++)
        if (s->order[i] >= least) {
            s->out[left] = s->out[i];
            s->order[left++] = s->order[i];
        }
    return left;
}

// The share of the softmax of what was found, best first, up to `top_p`; the rest is dropped. They
// are best first then.
static uint64_t padici_pq_limit_mass(const padici_pq_selecting *work, padici_pq_item *item,
                                     uint64_t found)
{
    const padici_pq_search *s = &item->search;
    double most = -1.7e308, all = 0, sum = 0;
    uint64_t i;
    for (i = 0; i < s->count; i++) {
        const double logit = work->scale * (double)padici_pq_of_order(s->order[i]);
        if (logit > most) most = logit;
    }
    for (i = 0; i < s->count; i++)
        all = all + exp(work->scale * (double)padici_pq_of_order(s->order[i]) - most);
    padici_pq_found_orders(work, item, found);
    padici_pq_best_first(s->order, found, s->tie, item->keys, s->out);
    for (i = 0; i < found && !(sum >= work->desc->top_p * all); i++) {
        const uint32_t order = ~(uint32_t)(item->keys[i] >> 32);
        sum = sum + exp(work->scale * (double)padici_pq_of_order(order) - most);
    }
    return i;
}

static void padici_pq_heavy_add(const padici_pq_selecting *work, padici_pq_item *item)
{
    const padici_pq_search *s = &item->search;
    const int best = work->desc->order == PADIC_PQ_ORDER_BEST;
    uint64_t found = padici_pq_search_run(work, item), i;
    if (work->desc->limit == PADIC_PQ_LIMIT_TOP_P) {
        found = padici_pq_limit_mass(work, item, found);
        if (!best) {
            memset(s->order, 0, (size_t)found * sizeof *s->order);
            padici_pq_best_first(s->order, found, PADIC_PQ_TIE_FIRST, item->keys, s->out);
        }
    } else {
        if (work->desc->limit == PADIC_PQ_LIMIT_THRESHOLD)
            found = padici_pq_limit_threshold(work, item, found);
        else if (best) padici_pq_found_orders(work, item, found);
        if (best) padici_pq_best_first(s->order, found, s->tie, item->keys, s->out);
    }
    for (i = 0; i < found; i++)
        padici_pq_list_add(work, item, s->store->start + s->out[i],
                           s->store->start + s->out[i] + 1);
}

static void padici_pq_select_parts(const padici_pq_selecting *work, padici_pq_item *item,
                                   uint64_t heavy)
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
    s->head = desc->reduce ? item->head : item->head / work->per;
    s->coded = coded;
    s->first = low - store->start;
    s->count = high - low;
    s->k = heavy < s->count ? heavy : s->count;
    item->valued = desc->reduce || desc->limit == PADIC_PQ_LIMIT_TOP_P || work->bias.at ||
                   work->slopes.at;
    padici_pq_list_add(work, item, 0, from);
    if (!item->valued) padici_pq_item_query(work, item, item->head);
    if (s->k) padici_pq_heavy_add(work, item);
    padici_pq_list_add(work, item, to, item->visible);
}

// The most of the best: heavy, or fewer.
static uint64_t padici_pq_item_heavy(const padici_pq_selecting *work, padici_pq_item *item)
{
    const padic_pq_select_desc *desc = work->desc;
    uint64_t heavy = padici_pq_count_of(&work->heavy_counts, item->row, desc->heavy, desc->heavy,
                                        &item->status);
    if (desc->heavy_fraction > 0) {
        const uint64_t part = (uint64_t)(desc->heavy_fraction * (double)item->visible);
        if (part < heavy) heavy = part;
    }
    return heavy;
}

static void padici_pq_select_item(const padici_pq_selecting *work, padici_pq_item *item)
{
    const padic_pq_select_desc *desc = work->desc;
    uint64_t keys, queries, heavy, least;
    item->status = 0;
    item->length = 0;
    item->list = work->lists.at + padici_pq_at3(&work->lists, item->row, item->head, item->i);
    keys = work->store.start + padici_pq_readable(&work->store, item->row,
                                                  work->store.lengths[item->row]);
    keys = padici_pq_count_of(&work->key_counts, item->row, INT32_MAX,
                              desc->key_count ? desc->key_count : keys, &item->status);
    queries = padici_pq_count_of(&work->query_counts, item->row, desc->queries.shape[2],
                                 desc->queries.shape[2], &item->status);
    item->visible = item->i < queries && keys + item->i + 1 > queries
                        ? keys + item->i + 1 - queries
                        : 0;
    heavy = padici_pq_item_heavy(work, item);
    least = desc->sink + heavy + desc->window;
    if (item->visible <= (least > desc->full_below ? least : desc->full_below))
        padici_pq_list_add(work, item, 0, item->visible);
    else padici_pq_select_parts(work, item, heavy);
    if (work->lengths.at)
        *(uint32_t *)(void *)(work->lengths.at +
                              padici_pq_at3(&work->lengths, item->row, item->head, item->i)) =
            item->length;
    if (work->status.at)
        *(uint32_t *)(void *)(work->status.at +
                              padici_pq_at3(&work->status, item->row, item->head, item->i)) =
            item->status;
    for (; item->length < desc->lists.shape[3]; item->length++, item->list += work->lists.step[3])
        padici_pq_list_put(item->list, work->lists.dtype, -1);
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
    for (i = worker; i < n[0] * work->heads * n[2]; i += work->space.workers) {
        item.i = i % n[2];
        item.head = i / n[2] % work->heads;
        item.row = i / n[2] / work->heads;
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
    work.heavy_counts = padici_pq_view_of(&desc->heavy_counts);
    work.bias = padici_pq_view_of(&desc->bias);
    work.slopes = padici_pq_view_of(&desc->slopes);
    work.heads = padici_pq_select_heads(desc);
    work.per = work.book.groups ? desc->queries.shape[1] / work.book.groups : 1;
    work.scale = desc->scale != 0 ? desc->scale
                                  : 1 / sqrt((double)(work.book.m * work.book.ds));
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
