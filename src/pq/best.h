#pragma once
#include "number.h"
#include "shape.h"

#ifndef PADIC_NO_PQ

// The k best of scores as ordered integers (padici_pq_order()): exact, by a histogram.

enum { PADICI_PQ_BINS = 2048 };

// The k-th largest of `order`, how many are above it, and how many equal. 1 <= k <= n.
typedef struct padici_pq_threshold {
    uint32_t value;
    uint64_t above, equal;
} padici_pq_threshold;
PADICI_FN void padici_pq_threshold_find(const uint32_t *order, uint64_t n, uint64_t k,
                                        uint32_t bins[PADICI_PQ_BINS], padici_pq_threshold *t);

// Indices of the k best in ascending order: all above the threshold, and of those equal to it the
// first, or with RECENT the last.
PADICI_FN void padici_pq_best(const uint32_t *order, uint64_t n, uint64_t k, padic_pq_tie tie,
                              uint32_t bins[PADICI_PQ_BINS], uint32_t *out);

// Ascending.
PADICI_FN void padici_pq_sort(uint64_t *keys, uint64_t n);

// Sorts indices best first; order[i] is of out[i]. `keys` of k.
PADICI_FN void padici_pq_best_first(const uint32_t *order, uint64_t k, padic_pq_tie tie,
                                    uint64_t *keys, uint32_t *out);

#endif
