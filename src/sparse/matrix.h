#pragma once
#include "../context/state.h"
#include "../core/platform.h"
#include "../num/array.h"
#include "../num/task.h"

#ifndef PADIC_NO_SPARSE

// A matrix as loops want it; `room` is how many entries its planes hold.
typedef struct padici_sparse {
    uint8_t *row_ptr, *col, *value, *val;
    uint64_t rows, cols, nnz, room, vals; // vals: number of valuations
    uint32_t wide, entry;                 // 8-byte indices; bytes of a value
    uint32_t size[4];                     // of one element of each plane
    uint64_t bytes[4];                    // that the matrix takes in them
} padici_sparse;

PADICI_FN padic_tensor *padici_sparse_tensor(padic_sparse_csr *a, uint32_t i);
PADICI_FN void padici_sparse_made(padic_sparse_csr *out, const padic_sparse_csr *made);
PADICI_FN uint8_t *padici_sparse_plane(const padici_sparse *m, uint32_t i);
PADICI_FN padic_result padici_sparse_view(const padic_tensor *t, uint64_t count, uint32_t allowed,
                                          void **pointer);
PADICI_FN padic_result padici_sparse_head(const padic_sparse_csr *a, padici_sparse *m);
PADICI_FN padic_result padici_sparse_planes(padic_context *context, const padic_sparse_csr *a,
                                            int out, padici_sparse *m);
PADICI_FN PADICI_NOINLINE padic_result padici_sparse_open(padic_context *context,
                                                          const padic_sparse_csr *a,
                                                          padici_sparse *m);
PADICI_FN void padici_sparse_ranges(const padici_sparse *m, uint32_t same, uint32_t out,
                                    padici_num_range *list, uint32_t *n);
PADICI_FN PADICI_NOINLINE padic_result padici_sparse_end(padic_context *context, const char *name,
                                                         padic_result result);
PADICI_FN PADICI_NOINLINE padic_result padici_sparse_no_desc(padic_context *context,
                                                             const char *name);
PADICI_FN padic_result padici_sparse_lay(padic_sparse_csr *a, padici_sparse *m);

#endif
