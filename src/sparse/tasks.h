#pragma once
#include "../context/view_task.h"
#include "../core/platform.h"
#include "matrix.h"

#ifndef PADIC_NO_SPARSE

// A call that reads up to two matrices, and may make one: a row of src/ops.def each. Its struct
// begins with this, and goes on with a copy of the desc, which points at these copies.
typedef struct padici_sparse_task padici_sparse_task;
struct padici_sparse_task {
    padici_view_task task;
    const char *name;
    padic_result (*work)(padici_sparse_task *t); // all of it in host memory
    padic_sparse_csr a, b, out;
    uint32_t makes;      // 1: `out`
    uint64_t written[4]; // bytes of its planes
};

PADICI_FN void padici_sparse_task_begin(padici_sparse_task *t, padic_context *context,
                                        const char *name,
                                        padic_result (*work)(padici_sparse_task *t));
PADICI_FN const padic_sparse_csr *padici_sparse_reads(padici_sparse_task *t, padic_sparse_csr *copy,
                                                      const padic_sparse_csr *csr);
PADICI_FN padic_sparse_csr *padici_sparse_makes(padici_sparse_task *t, const padic_sparse_csr *out);
PADICI_FN void padici_sparse_add_numbers(padici_sparse_task *t, const char *field,
                                         padic_num_array *numbers, uint8_t out);
PADICI_FN padic_result padici_sparse_task_run(padici_sparse_task *t, uint32_t op,
                                              padic_sparse_csr *out);

#endif
