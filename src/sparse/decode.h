#pragma once
#include "../context/state.h"
#include "../core/jobs.h"
#include "../core/platform.h"
#include "index.h"
#include "matrix.h"

#ifndef PADIC_NO_SPARSE

typedef struct padici_sparse_job {
    padici_sparse m;
    const padic_sparse_csr *csr;
    uint64_t step;         // rows of a task
    uint8_t *y;            // dense out, and
    uint64_t stride, width; // decode: its row stride; products: columns of x and y
    const uint8_t *x;
    padic_dtype x_dtype, y_dtype;
    padic_num_call call; // numbers: `out`, `b` for x, and in `a` the valuations of the matrix
    uint32_t *sticky_word; // of the numbers that are written
    uint32_t bad[PADICI_JOBS_AT_ONCE];
} padici_sparse_job;

PADICI_INLINE uint64_t padici_sparse_first(const padici_sparse *m, uint64_t row)
{
    return padici_sparse_index(m->row_ptr, m->wide, row);
}

PADICI_FN uint64_t padici_sparse_end_row(const padici_sparse_job *job, uint32_t task);
PADICI_FN PADICI_NOINLINE uint32_t padici_sparse_rows(padic_context *context,
                                                      padici_sparse_job *job, int alone,
                                                      void (*fn)(void *arg, uint32_t task));
PADICI_FN PADICI_NOINLINE padic_result padici_sparse_job_begin(padic_context *context,
                                                               padici_sparse_job *job,
                                                               const padic_sparse_csr *csr);
PADICI_FN padic_result padici_sparse_array(padic_context *context, padici_sparse_job *job,
                                           const padic_num_array *a, uint64_t count,
                                           const char *field, int out);
PADICI_FN padic_result padici_sparse_apart(const padici_sparse_job *job, const padic_num_array *out,
                                           const padic_num_array *in, uint64_t y_size,
                                           uint64_t x_size);
PADICI_FN padic_result padici_sparse_array_end(const padici_sparse_job *job,
                                               const padic_num_array *out, uint32_t bits);
PADICI_FN padic_result padici_sparse_decode(padic_context *context,
                                            const padic_sparse_decode_desc *desc);

#endif
