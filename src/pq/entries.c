#include "entries.h"
#include "../context/messages.h"
#include "../core/view.h"
#include "../core/words.h"
#include "best.h"

#if PADICI_IMPLEMENT_PQ

// Lists of positions that are read.

static uint64_t padici_pq_seen_count(const padici_pq_view *view, uint64_t row, uint64_t otherwise)
{
    if (!view->at) return otherwise;
    return *(const uint32_t *)(const void *)(view->at + (int64_t)row * view->step[0]);
}

PADICI_FN uint64_t padici_pq_visible(const padici_pq_seen *seen, uint64_t row, uint64_t i,
                                     uint32_t *status)
{
    uint64_t keys = padici_pq_seen_count(&seen->key_counts, row, seen->keys);
    uint64_t queries = padici_pq_seen_count(&seen->query_counts, row, seen->queries);
    if (keys > seen->positions || queries > seen->queries) *status |= PADIC_PQ_STATUS_LENGTH;
    if (keys > seen->positions) keys = seen->positions;
    if (queries > seen->queries) queries = seen->queries;
    return i < queries && keys + i + 1 > queries ? keys + i + 1 - queries : 0;
}

PADICI_FN uint64_t padici_pq_entries(const padici_pq_listed *listed, uint64_t row, uint64_t head,
                                     uint64_t i, uint64_t visible, uint64_t *entries,
                                     uint32_t *status)
{
    const char *at = listed->list.at + padici_pq_at3(&listed->list, row, head, i);
    uint64_t length = listed->n, count = 0, left = 0, k;
    int sorted = 1;
    if (listed->lengths.at)
        length = *(const uint32_t *)(const void *)(listed->lengths.at +
                                                   padici_pq_at3(&listed->lengths, row, head, i));
    if (length > listed->n) {
        *status |= PADIC_PQ_STATUS_LENGTH;
        length = listed->n;
    }
    for (k = 0; k < length; k++, at += listed->list.step[3]) {
        const int64_t position = padici_pq_list_get(at, listed->list.dtype);
        if (position == -1) continue;
        if (position < 0 || (uint64_t)position >= visible) {
            *status |= PADIC_PQ_STATUS_ENTRY;
            continue;
        }
        entries[count] = (uint64_t)position << 32 | k;
        if (count && entries[count] < entries[count - 1]) sorted = 0;
        count++;
    }
    if (!sorted) padici_pq_sort(entries, count);
    for (k = 0; k < count; k++)
        if (!left || entries[left - 1] >> 32 != entries[k] >> 32) entries[left++] = entries[k];
    return left;
}

PADICI_FN uint64_t padici_pq_entries_from(const uint64_t *entries, uint64_t n, uint64_t from)
{
    uint64_t low = 0;
    while (n) {
        const uint64_t half = n / 2;
        if (entries[low + half] >> 32 < from) {
            low += half + 1;
            n -= half + 1;
        } else {
            n = half;
        }
    }
    return low;
}

PADICI_FN padic_result padici_pq_seen_check(padic_context *context, uint64_t rows,
                                            uint64_t key_count, const padic_tensor *key_counts,
                                            const padic_tensor *query_counts)
{
    padic_result result;
    if (key_count >> 31)
        return padici_fail_field(context, PADIC_ERROR_LIMIT, "key_count", "is 2^31 or more");
    result = padici_pq_check_optional(context, "key_counts", key_counts, PADIC_U32, 1, rows, 0, 0,
                                      0);
    return result ? result
                  : padici_pq_check_optional(context, "query_counts", query_counts, PADIC_U32, 1,
                                             rows, 0, 0, 0);
}

PADICI_FN padic_result padici_pq_check_keys(padic_context *context, const padic_tensor *queries,
                                            const padic_tensor *keys, const padic_tensor *pages)
{
    const int paged = padici_pq_here(pages);
    const uint64_t *n = queries->shape, *s = keys->shape;
    uint64_t positions = s[2];
    padic_result result = padici_pq_check(context, "queries", queries, PADIC_DTYPE_NONE, 4,
                                          UINT64_MAX, UINT64_MAX, UINT64_MAX, UINT64_MAX);
    if (!result)
        result = padici_pq_check(context, "keys", keys, PADIC_DTYPE_NONE, 4,
                                 paged ? UINT64_MAX : n[0], UINT64_MAX, UINT64_MAX, n[3]);
    if (!result)
        result = padici_pq_check_optional(context, "pages", pages, PADIC_U32, 2, n[0], UINT64_MAX,
                                          0, 0);
    if (!result) result = padici_pq_check_dense(context, "pages", pages);
    if (result) return result;
    if (!n[3] || n[3] > PADICI_PQ_COMPONENTS)
        return padici_fail_field(context, PADIC_ERROR_LIMIT, "queries",
                                 "have a d that is not from 1 to 1,024");
    if (s[1] ? n[1] % s[1] : n[1])
        return padici_fail_field(context, PADIC_ERROR_MISMATCH, "queries",
                                 "has heads that are no multiple of those of the keys");
    if ((paged && !padici_mul_u64(s[2], pages->shape[1], &positions)) || s[2] >> 31 ||
        positions >> 31)
        return padici_fail_field(context, PADIC_ERROR_LIMIT, "keys", "has 2^31 positions or more");
    return PADIC_OK;
}

PADICI_FN padici_pq_places padici_pq_places_of(const padic_tensor *keys, const padic_tensor *pages)
{
    padici_pq_places places;
    places.pages = (const uint32_t *)pages->data;
    places.page = keys->shape[2];
    places.page_count = keys->shape[0];
    places.row_pages = places.pages ? pages->shape[1] : 1;
    return places;
}

#endif
