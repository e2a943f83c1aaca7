#include "../context/messages.h"
#include "../context/operation.h"
#include "../context/ops.h"
#include "../context/workspace.h"
#include "../core/jobs.h"
#include "best.h"
#include "entries.h"

#if PADICI_IMPLEMENT_PQ

// Sink, chosen positions, window: each position once.

PADICI_FN uint32_t padici_pq_lists_operands(void *desc_, padici_operand *operands)
{
    padic_pq_lists_desc *desc = (padic_pq_lists_desc *)desc_;
    uint32_t n = padici_pq_operand(operands, 0, "chosen", &desc->chosen, 0);
    n = padici_pq_optional(operands, n, "chosen_lengths", &desc->chosen_lengths, 0);
    n = padici_pq_optional(operands, n, "key_counts", &desc->key_counts, 0);
    n = padici_pq_optional(operands, n, "query_counts", &desc->query_counts, 0);
    n = padici_pq_operand(operands, n, "lists", &desc->lists, 1);
    n = padici_pq_optional(operands, n, "lengths", &desc->lengths, 1);
    return padici_pq_optional(operands, n, "status", &desc->status, 1);
}

PADIC_API uint64_t padic_pq_lists_workspace(padic_context *context, const padic_pq_lists_desc *desc)
{
    padici_pq_space space;
    const uint64_t *n = desc ? desc->chosen.shape : NULL;
    if (!desc || desc->chosen.rank != 4 || n[3] >> 31) return 0;
    return padici_pq_space_bytes(context ? padici_jobs(context) : NULL, n[0] * n[1] * n[2],
                                 n[3] * 8, &space);
}

PADICI_FN padic_result padici_pq_lists_check(padic_context *context, const void *desc_)
{
    const padic_pq_lists_desc *desc = (const padic_pq_lists_desc *)desc_;
    const uint64_t *n = desc->chosen.shape;
    const char *field = NULL;
    uint64_t least;
    padic_result result = padici_pq_check_lists(context, "chosen", &desc->chosen, UINT64_MAX,
                                                UINT64_MAX, UINT64_MAX);
    if (!result)
        result = padici_pq_check_optional(context, "chosen_lengths", &desc->chosen_lengths,
                                          PADIC_U32, 3, n[0], n[1], n[2], 0);
    if (!result)
        result = padici_pq_seen_check(context, n[0], desc->key_count, &desc->key_counts,
                                      &desc->query_counts);
    if (result) return result;
    if ((uint32_t)desc->order > PADIC_PQ_ORDER_BEST)
        return padici_fail_field(context, PADIC_ERROR_ARGUMENT, "order", "is unknown");
    if (desc->sink >> 31) field = "sink";
    if (desc->window >> 31) field = "window";
    if (desc->full_below >> 31) field = "full_below";
    if (n[3] >> 31) field = "chosen";
    if (field) return padici_fail_field(context, PADIC_ERROR_LIMIT, field, "is 2^31 or more");
    result = padici_pq_check_lists(context, "lists", &desc->lists, n[0], n[1], n[2]);
    least = desc->sink + n[3] + desc->window;
    if (!result && desc->lists.shape[3] < (least > desc->full_below ? least : desc->full_below))
        result = padici_fail_field(context, PADIC_ERROR_CAPACITY, "lists",
                                   "is shorter than max(sink + n + window, full_below)");
    if (!result)
        result = padici_pq_check_optional(context, "lengths", &desc->lengths, PADIC_U32, 3, n[0],
                                          n[1], n[2], 0);
    if (!result)
        result = padici_pq_check_optional(context, "status", &desc->status, PADIC_U32, 3, n[0],
                                          n[1], n[2], 0);
    return result ? result
                  : padici_workspace_check(context, &desc->workspace,
                                           padic_pq_lists_workspace(context, desc));
}

typedef struct padici_pq_listing {
    const padic_pq_lists_desc *desc;
    padici_pq_listed chosen;
    padici_pq_seen seen;
    padici_pq_view lists, lengths, status;
    padici_pq_space space;
} padici_pq_listing;

// The list of a query that sees `visible` keys, from its sorted entries.
static void padici_pq_list_write(const padici_pq_listing *work, uint64_t visible, uint64_t *entries,
                                 uint64_t count, char *to, uint32_t *length)
{
    const padic_pq_lists_desc *desc = work->desc;
    const uint64_t least = desc->sink + desc->chosen.shape[3] + desc->window;
    const int all = visible <= (least > desc->full_below ? least : desc->full_below);
    const uint64_t sink = all ? visible : desc->sink, last = all ? visible : visible - desc->window;
    const uint64_t from = padici_pq_entries_from(entries, count, sink);
    const uint64_t end = padici_pq_entries_from(entries, count, last);
    uint64_t k;
    uint32_t n = 0;
    if (desc->order == PADIC_PQ_ORDER_BEST) {
        for (k = from; k < end; k++) entries[k] = entries[k] << 32 | entries[k] >> 32;
        if (end > from) padici_pq_sort(entries + from, end - from);
        for (k = from; k < end; k++) entries[k] = entries[k] << 32 | entries[k] >> 32;
    }
    for (k = 0; k < sink; k++, n++, to += work->lists.step[3])
        padici_pq_list_put(to, work->lists.dtype, (int64_t)k);
    for (k = from; k < end; k++, n++, to += work->lists.step[3])
        padici_pq_list_put(to, work->lists.dtype, (int64_t)(entries[k] >> 32));
    for (k = last; k < visible; k++, n++, to += work->lists.step[3])
        padici_pq_list_put(to, work->lists.dtype, (int64_t)k);
    *length = n;
    for (k = n; k < desc->lists.shape[3]; k++, to += work->lists.step[3])
        padici_pq_list_put(to, work->lists.dtype, -1);
}

static void padici_pq_lists_work(void *work_, uint32_t worker)
{
    const padici_pq_listing *work = (const padici_pq_listing *)work_;
    const uint64_t *n = work->desc->chosen.shape;
    uint64_t *entries = (uint64_t *)(void *)(work->space.at + worker * work->space.each), item;
    for (item = worker; item < n[0] * n[1] * n[2]; item += work->space.workers) {
        const uint64_t i = item % n[2], head = item / n[2] % n[1], row = item / n[2] / n[1];
        uint32_t status = 0, length;
        const uint64_t visible = padici_pq_visible(&work->seen, row, i, &status);
        const uint64_t count =
            padici_pq_entries(&work->chosen, row, head, i, visible, entries, &status);
        padici_pq_list_write(work, visible, entries, count,
                             work->lists.at + padici_pq_at3(&work->lists, row, head, i), &length);
        if (work->lengths.at)
            *(uint32_t *)(void *)(work->lengths.at +
                                  padici_pq_at3(&work->lengths, row, head, i)) = length;
        if (work->status.at)
            *(uint32_t *)(void *)(work->status.at + padici_pq_at3(&work->status, row, head, i)) =
                status;
    }
}

PADICI_FN padic_result padici_pq_lists_host(const padic_env *env, const void *desc_)
{
    const padic_pq_lists_desc *desc = (const padic_pq_lists_desc *)desc_;
    const uint64_t *n = desc->chosen.shape;
    padici_pq_listing work;
    padic_result result;
    work.desc = desc;
    work.chosen.list = padici_pq_view_of(&desc->chosen);
    work.chosen.lengths = padici_pq_view_of(&desc->chosen_lengths);
    work.chosen.n = n[3];
    work.seen.key_counts = padici_pq_view_of(&desc->key_counts);
    work.seen.query_counts = padici_pq_view_of(&desc->query_counts);
    work.seen.keys = desc->key_count;
    work.seen.queries = n[2];
    work.seen.positions = INT32_MAX;
    work.lists = padici_pq_view_of(&desc->lists);
    work.lengths = padici_pq_view_of(&desc->lengths);
    work.status = padici_pq_view_of(&desc->status);
    result = padici_pq_space_begin(env, &desc->workspace, n[0] * n[1] * n[2], n[3] * 8,
                                   &work.space);
    if (result) return result;
    padici_parallel(padici_env_jobs(env), work.space.workers, padici_pq_lists_work, &work);
    padici_pq_space_end(env, &work.space);
    return PADIC_OK;
}

#endif
