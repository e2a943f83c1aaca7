#pragma once
#include "codebook.h"

#ifndef PADIC_NO_PQ

// A query's components, scaled below 2 by their largest exponent, and its tables.
typedef struct padici_pq_query {
    float *x, *tables; // d; m K
    int32_t exponent;  // of what a table's values must be multiplied by
    uint32_t finite;
} padici_pq_query;

PADICI_FN uint64_t padici_pq_query_floats(const padici_pq_book *book);
PADICI_FN void padici_pq_query_space(const padici_pq_book *book, float *space,
                                     padici_pq_query *query);
PADICI_FN void padici_pq_query_load(const padici_pq_kernels *kernels, const padici_pq_book *book,
                                    uint64_t row, uint64_t head, const padici_pq_view *queries,
                                    const char *at, padici_pq_query *query);

// The scores of the keys of a tile, still scaled.
PADICI_FN void padici_pq_tile_scores(const padici_pq_store *store, const float *tables,
                                     const uint8_t *tile, float out[PADICI_PQ_TILE]);
// That of key i of a tile.
PADICI_INLINE float padici_pq_key_score(const padici_pq_store *store, const float *tables,
                                        const uint8_t *tile, uint32_t i)
{
    float sum = tables[padici_pq_code(store, tile, 0, i)];
    uint64_t j;
    for (j = 1; j < store->m; j++)
        sum = sum + tables[(j << store->bits) + padici_pq_code(store, tile, j, i)];
    return sum;
}

#endif
