#pragma once
#include "best.h"
#include "score.h"

#ifndef PADIC_NO_PQ

// The best of a query's candidates, codes first..first + count of a row.
typedef struct padici_pq_search {
    const padici_pq_kernels *kernels;
    const padici_pq_store *store;
    const float *tables;
    uint64_t row, head, coded; // keys of the row
    uint64_t first, count, k;
    padic_pq_tie tie;
    uint32_t *order, *bins, *out; // order: of as many as a row can have, in whole tiles, and 64
    uint32_t *excluded;           // as many as there are cells, all 0
    uint8_t *quantised;           // 256 m
} padici_pq_search;

// Each returns how many it found, in ascending order in `out`, as codes; or UINT64_MAX: it cannot.
PADICI_FN uint64_t padici_pq_by_scores(const padici_pq_search *s);
PADICI_FN uint64_t padici_pq_by_cells(const padici_pq_search *s);
PADICI_FN uint64_t padici_pq_by_filter(const padici_pq_search *s);

// Whether the desc asks for sink, best by score and window only: no bias, limit or group, lists of
// I32, the same number of the best in each row.
PADICI_INLINE int padici_pq_select_is_basic(const padic_pq_select_desc *desc)
{
    return !padici_pq_here(&desc->bias) && !padici_pq_here(&desc->slopes) &&
           !padici_pq_here(&desc->heavy_counts) && !(desc->heavy_fraction > 0) &&
           desc->limit == PADIC_PQ_LIMIT_NONE && desc->reduce == PADIC_PQ_REDUCE_NONE &&
           desc->lists.dtype == PADIC_I32;
}

// A run of tiles that lie one after the other.
PADICI_INLINE uint64_t padici_pq_tiles_run(const padici_pq_store *store, uint64_t tile,
                                           uint64_t end)
{
    uint64_t n = end - tile;
    if (store->page_tiles && n > store->page_tiles - tile % store->page_tiles)
        n = store->page_tiles - tile % store->page_tiles;
    return n;
}

#endif
