#pragma once
#include "shape.h"

#ifndef PADIC_NO_PQ

PADICI_FN uint32_t padici_pq_get_code(const char *at, padic_dtype dtype);
PADICI_FN void padici_pq_put_code(char *at, padic_dtype dtype, uint32_t code);

// The cell of key i of a tile.
PADICI_INLINE uint64_t padici_pq_cell(const padici_pq_store *store, const uint8_t *tile, uint32_t i)
{
    uint64_t cell = 0, j;
    for (j = 0; j < store->m; j++) cell = cell << store->bits | padici_pq_code(store, tile, j, i);
    return cell;
}

#endif
