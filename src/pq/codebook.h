#pragma once
#include "kernels.h"
#include "number.h"
#include "shape.h"

#ifndef PADIC_NO_PQ

PADICI_FN int padici_pq_centroids_finite(const padici_pq_book *book, uint64_t row, uint64_t head);
// Fills `scaled` and `info` of one row and head: used[j] centroids, and phi[j] 2^exponent[j] (NULL:
// 0) of each sub-vector.
PADICI_FN void padici_pq_prepare_head(const padici_pq_book *book, uint64_t row, uint64_t head,
                                      const uint32_t *used, const float *phi,
                                      const int32_t *exponent);

// The exponent of a row and head, and phi.
PADICI_INLINE int32_t padici_pq_book_exponent(const padici_pq_book *book, uint64_t row,
                                              uint64_t head)
{
    const int32_t e = book->info[padici_pq_book_index(book, row, head, 0) * PADICI_PQ_INFO];
    return e < -200 ? -200 : e > 200 ? 200 : e;
}

PADICI_INLINE const float *padici_pq_book_scaled(const padici_pq_book *book, uint64_t row,
                                                 uint64_t head, uint64_t j)
{
    return book->scaled +
           padici_pq_book_index(book, row, head, j) * (book->components + 1) * book->cells;
}

// argmin_k (half_norm[k] - <x, c[k]>), ties to the lowest; `sums` of as many as there are cells.
PADICI_FN uint32_t padici_pq_nearest(const padici_pq_kernels *kernels, const float *scaled,
                                     uint64_t components, uint64_t cells, const float *x,
                                     float *sums);

// The codes of a key, `step` bytes between its components. Returns 0 where it is not finite, and
// adds to *clamped. `space`: a sub-vector and its sums, padici_pq_key_floats().
PADICI_FN uint64_t padici_pq_key_floats(const padici_pq_book *book);
PADICI_FN int padici_pq_encode_key(const padici_pq_kernels *kernels, const padici_pq_book *book,
                                   uint64_t row, uint64_t head, const char *key, padic_dtype dtype,
                                   int64_t step, float *space, uint16_t *codes, uint32_t *clamped);

#endif
