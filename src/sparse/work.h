#pragma once
#include "../context/state.h"
#include "../core/platform.h"
#include "index.h"
#include "matrix.h"
#include "source.h"

#ifndef PADIC_NO_SPARSE

typedef struct padici_sparse_work {
    padic_context *context;
    const padici_sparse_source *source;
    padici_sparse to; // row_ptr NULL: not wanted
    uint32_t kernels, report, full;
    uint32_t fill, surely; // fill: not only count; surely: there is room
    uint64_t begin, step, end; // elements of the tasks
    uint64_t start[PADICI_SPARSE_TASKS], kept[PADICI_SPARSE_TASKS], other[PADICI_SPARSE_TASKS],
        largest[PADICI_SPARSE_TASKS];
} padici_sparse_work;

PADICI_FN padic_sparse_method padici_sparse_choose(const padic_sparse_encode_desc *desc,
                                                   const padic_jobs *jobs, uint64_t bytes,
                                                   uint64_t elements);
PADICI_FN void padici_sparse_describe(padic_sparse_csr *a, const padici_sparse_source *s,
                                      const padic_sparse_source *source);
PADICI_FN padic_result padici_sparse_found(const padici_sparse_work *w, padic_sparse_csr *a,
                                           uint64_t total, uint64_t other, uint64_t largest,
                                           padic_sparse_encode_report *report);
PADICI_FN padic_result padici_sparse_work_run(padici_sparse_work *w, padic_sparse_csr *a,
                                              const padic_sparse_encode_desc *desc,
                                              padic_sparse_encode_report *report);

#endif
