#include "../context/messages.h"
#include "../context/operation.h"
#include "../context/ops.h"
#include "../context/workspace.h"
#include "../core/jobs.h"
#include "best.h"
#include "entries.h"

#if PADICI_IMPLEMENT_PQ

// The best of a list by the keys themselves.

PADICI_FN uint32_t padici_pq_rerank_operands(void *desc_, padici_operand *operands)
{
    padic_pq_rerank_desc *desc = (padic_pq_rerank_desc *)desc_;
    uint32_t n = padici_pq_operand(operands, 0, "queries", &desc->queries, 0);
    n = padici_pq_operand(operands, n, "keys", &desc->keys, 0);
    n = padici_pq_optional(operands, n, "pages", &desc->pages, 0);
    n = padici_pq_operand(operands, n, "lists", &desc->lists, 0);
    n = padici_pq_optional(operands, n, "list_lengths", &desc->list_lengths, 0);
    n = padici_pq_optional(operands, n, "key_counts", &desc->key_counts, 0);
    n = padici_pq_optional(operands, n, "query_counts", &desc->query_counts, 0);
    n = padici_pq_operand(operands, n, "out", &desc->out, 1);
    n = padici_pq_optional(operands, n, "lengths", &desc->lengths, 1);
    return padici_pq_optional(operands, n, "status", &desc->status, 1);
}

// Entries; keys to sort; the query; orders, the best, bins.
static uint64_t padici_pq_rerank_each(const padic_pq_rerank_desc *desc)
{
    const uint64_t n = desc->lists.shape[3];
    return n >> 31 ? 0 : n * 24 + desc->queries.shape[3] * 4 + PADICI_PQ_BINS * 4;
}

PADIC_API uint64_t padic_pq_rerank_workspace(padic_context *context,
                                             const padic_pq_rerank_desc *desc)
{
    padici_pq_space space;
    const uint64_t *n = desc ? desc->queries.shape : NULL;
    if (!desc || desc->queries.rank != 4 || desc->lists.rank != 4 ||
        n[3] > PADICI_PQ_COMPONENTS)
        return 0;
    return padici_pq_space_bytes(context ? padici_jobs(context) : NULL, n[0] * n[1] * n[2],
                                 padici_pq_rerank_each(desc), &space);
}

static padic_result padici_pq_rerank_sizes(padic_context *context, const padic_pq_rerank_desc *desc)
{
    const char *field = NULL;
    uint64_t most;
    if ((uint32_t)desc->tie > PADIC_PQ_TIE_RECENT) field = "tie";
    if ((uint32_t)desc->order > PADIC_PQ_ORDER_BEST) field = "order";
    if (field) return padici_fail_field(context, PADIC_ERROR_ARGUMENT, field, "is unknown");
    if (desc->sink >> 31) field = "sink";
    if (desc->window >> 31) field = "window";
    if (desc->heavy >> 31) field = "heavy";
    if (desc->lists.shape[3] >> 31) field = "lists";
    if (field) return padici_fail_field(context, PADIC_ERROR_LIMIT, field, "is 2^31 or more");
    most = desc->sink + desc->heavy + desc->window;
    if (most > desc->lists.shape[3]) most = desc->lists.shape[3];
    if (desc->out.shape[3] < most)
        return padici_fail_field(context, PADIC_ERROR_CAPACITY, "out",
                                 "is shorter than min(n, sink + heavy + window)");
    return PADIC_OK;
}

PADICI_FN padic_result padici_pq_rerank_check(padic_context *context, const void *desc_)
{
    const padic_pq_rerank_desc *desc = (const padic_pq_rerank_desc *)desc_;
    const uint64_t *n = desc->queries.shape;
    padic_result result =
        padici_pq_check_keys(context, &desc->queries, &desc->keys, &desc->pages);
    if (!result)
        result = padici_pq_check_lists(context, "lists", &desc->lists, n[0], n[1], n[2]);
    if (!result)
        result = padici_pq_check_optional(context, "list_lengths", &desc->list_lengths, PADIC_U32,
                                          3, n[0], n[1], n[2], 0);
    if (!result)
        result = padici_pq_seen_check(context, n[0], desc->key_count, &desc->key_counts,
                                      &desc->query_counts);
    if (!result) result = padici_pq_check_lists(context, "out", &desc->out, n[0], n[1], n[2]);
    if (!result) result = padici_pq_rerank_sizes(context, desc);
    if (!result)
        result = padici_pq_check_optional(context, "lengths", &desc->lengths, PADIC_U32, 3, n[0],
                                          n[1], n[2], 0);
    if (!result)
        result = padici_pq_check_optional(context, "status", &desc->status, PADIC_U32, 3, n[0],
                                          n[1], n[2], 0);
    return result ? result
                  : padici_workspace_check(context, &desc->workspace,
                                           padic_pq_rerank_workspace(context, desc));
}

typedef struct padici_pq_reranking {
    const padic_pq_rerank_desc *desc;
    padici_pq_view queries, keys, out, lengths, status;
    padici_pq_places places;
    padici_pq_listed listed;
    padici_pq_seen seen;
    padici_pq_space space;
} padici_pq_reranking;

typedef struct padici_pq_reranked { // a query, and memory of its worker
    uint64_t row, head, group, i;
    uint64_t *entries, *keys;
    uint32_t *order, *best, *bins;
    float *q;
    int32_t exponent;
    uint32_t finite, status;
} padici_pq_reranked;

static void padici_pq_rerank_query(const padici_pq_reranking *work, padici_pq_reranked *s)
{
    const uint64_t d = work->desc->queries.shape[3];
    const char *at = work->queries.at + padici_pq_at3(&work->queries, s->row, s->head, s->i);
    uint32_t largest = 0;
    uint64_t k;
    s->finite = 1;
    for (k = 0; k < d; k++, at += work->queries.step[3]) {
        const uint32_t bits = padici_pq_load(at, work->queries.dtype);
        s->finite &= (uint32_t)padici_pq_finite(bits);
        if ((bits & 0x7fffffffu) > largest) largest = bits & 0x7fffffffu;
        s->q[k] = padici_pq_float(bits);
    }
    if (!s->finite) {
        s->status |= PADIC_PQ_STATUS_NOT_FINITE;
        return;
    }
    s->exponent = largest ? padici_pq_exponent(largest) : 0;
    for (k = 0; k < d; k++) s->q[k] = padici_pq_scaled(padici_pq_bits(s->q[k]), s->exponent);
}

// <q, k> as an ordered integer.
static uint32_t padici_pq_rerank_score(const padici_pq_reranking *work, padici_pq_reranked *s,
                                       uint64_t position)
{
    const uint64_t d = work->desc->queries.shape[3];
    const char *key = padici_pq_place(&work->places, &work->keys, s->row, s->group, position);
    const float none = padici_pq_float(0xff800000u);
    uint32_t largest = 0;
    int32_t e;
    float sum = 0;
    uint64_t k;
    if (!key) s->status |= PADIC_PQ_STATUS_PAGE;
    if (!key || !s->finite) return padici_pq_order(none);
    for (k = 0; k < d; k++) {
        const uint32_t bits =
            padici_pq_load(key + (int64_t)k * work->keys.step[3], work->keys.dtype);
        if ((bits & 0x7fffffffu) > largest) largest = bits & 0x7fffffffu;
    }
    if (largest >= PADICI_PQ_INFINITE) return padici_pq_order(none);
    e = largest ? padici_pq_exponent(largest) : 0;
    for (k = 0; k < d; k++) {
        const uint32_t bits =
            padici_pq_load(key + (int64_t)k * work->keys.step[3], work->keys.dtype);
        const float product = s->q[k] * padici_pq_scaled(bits, e);
        sum = k ? sum + product : product;
    }
    return padici_pq_order(padici_pq_unscaled(sum, s->exponent + e));
}

// Keeps the best of entries from..end of a list, in the order that is wanted, at `from`; returns
// their end.
static uint64_t padici_pq_rerank_best(const padici_pq_reranking *work, padici_pq_reranked *s,
                                      uint64_t from, uint64_t end)
{
    const padic_pq_rerank_desc *desc = work->desc;
    const uint64_t n = end - from, k = desc->heavy < n ? desc->heavy : n;
    uint64_t i;
    for (i = 0; i < n; i++)
        s->order[i] = padici_pq_rerank_score(work, s, s->entries[from + i] >> 32);
    padici_pq_best(s->order, n, k, desc->tie, s->bins, s->best);
    if (desc->order == PADIC_PQ_ORDER_BEST) {
        for (i = 0; i < k; i++) s->order[i] = s->order[s->best[i]]; // best ascends
        padici_pq_best_first(s->order, k, desc->tie, s->keys, s->best);
    }
    for (i = 0; i < k; i++) s->keys[i] = s->entries[from + s->best[i]];
    for (i = 0; i < k; i++) s->entries[from + i] = s->keys[i];
    return from + k;
}

static void padici_pq_rerank_one(const padici_pq_reranking *work, padici_pq_reranked *s)
{
    const padic_pq_rerank_desc *desc = work->desc;
    char *to = work->out.at + padici_pq_at3(&work->out, s->row, s->head, s->i);
    uint64_t visible, last, count, from, end, best, i;
    uint32_t length;
    s->status = 0;
    visible = padici_pq_visible(&work->seen, s->row, s->i, &s->status);
    last = visible > desc->window ? visible - desc->window : 0;
    count = padici_pq_entries(&work->listed, s->row, s->head, s->i, visible, s->entries,
                              &s->status);
    padici_pq_rerank_query(work, s);
    from = padici_pq_entries_from(s->entries, count, desc->sink);
    end = padici_pq_entries_from(s->entries, count, last);
    if (end < from) end = from;
    best = padici_pq_rerank_best(work, s, from, end);
    for (i = end; i < count; i++) s->entries[best + i - end] = s->entries[i];
    length = (uint32_t)(best + count - end);
    for (i = 0; i < desc->out.shape[3]; i++, to += work->out.step[3])
        padici_pq_list_put(to, work->out.dtype,
                           i < length ? (int64_t)(s->entries[i] >> 32) : -1);
    if (work->lengths.at)
        *(uint32_t *)(void *)(work->lengths.at +
                              padici_pq_at3(&work->lengths, s->row, s->head, s->i)) = length;
    if (work->status.at)
        *(uint32_t *)(void *)(work->status.at +
                              padici_pq_at3(&work->status, s->row, s->head, s->i)) = s->status;
}

static void padici_pq_rerank_work(void *work_, uint32_t worker)
{
    const padici_pq_reranking *work = (const padici_pq_reranking *)work_;
    const uint64_t *n = work->desc->queries.shape, cap = work->desc->lists.shape[3];
    padici_pq_reranked s;
    uint64_t item;
    s.entries = (uint64_t *)(void *)(work->space.at + worker * work->space.each);
    s.keys = s.entries + cap;
    s.order = (uint32_t *)(void *)(s.keys + cap);
    s.best = s.order + cap;
    s.bins = s.best + cap;
    s.q = (float *)(void *)(s.bins + PADICI_PQ_BINS);
    for (item = worker; item < n[0] * n[1] * n[2]; item += work->space.workers) {
        s.i = item % n[2];
        s.head = item / n[2] % n[1];
        s.row = item / n[2] / n[1];
        s.group = s.head / (n[1] / work->desc->keys.shape[1]);
        padici_pq_rerank_one(work, &s);
    }
}

PADICI_FN padic_result padici_pq_rerank_host(const padic_env *env, const void *desc_)
{
    const padic_pq_rerank_desc *desc = (const padic_pq_rerank_desc *)desc_;
    const uint64_t *n = desc->queries.shape;
    padici_pq_reranking work;
    padic_result result;
    work.desc = desc;
    work.queries = padici_pq_view_of(&desc->queries);
    work.keys = padici_pq_view_of(&desc->keys);
    work.places = padici_pq_places_of(&desc->keys, &desc->pages);
    work.listed.list = padici_pq_view_of(&desc->lists);
    work.listed.lengths = padici_pq_view_of(&desc->list_lengths);
    work.listed.n = desc->lists.shape[3];
    work.seen.key_counts = padici_pq_view_of(&desc->key_counts);
    work.seen.query_counts = padici_pq_view_of(&desc->query_counts);
    work.seen.positions = padici_pq_positions(&work.places);
    work.seen.keys = desc->key_count ? desc->key_count : work.seen.positions;
    work.seen.queries = n[2];
    work.out = padici_pq_view_of(&desc->out);
    work.lengths = padici_pq_view_of(&desc->lengths);
    work.status = padici_pq_view_of(&desc->status);
    result = padici_pq_space_begin(env, &desc->workspace, n[0] * n[1] * n[2],
                                   padici_pq_rerank_each(desc), &work.space);
    if (result) return result;
    padici_parallel(padici_env_jobs(env), work.space.workers, padici_pq_rerank_work, &work);
    padici_pq_space_end(env, &work.space);
    return PADIC_OK;
}

#endif
