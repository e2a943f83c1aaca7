#pragma once
#include "../context/loops.h"
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
    padic_sparse_method method; // that did it
    padici_loop count_loop, fill_loop; // of a backend; none: plain ones
    uint32_t report, full;
    uint32_t fill, surely; // fill: not only count; surely: there is room
    uint64_t begin, step, end; // elements of the tasks
    uint32_t tasks;            // that have been used
    uint64_t start[PADICI_SPARSE_TASKS], kept[PADICI_SPARSE_TASKS], other[PADICI_SPARSE_TASKS],
        largest[PADICI_SPARSE_TASKS];
    uint32_t vectors[PADICI_SPARSE_TASKS]; // 1: a backend's loop did it
} padici_sparse_work;

PADICI_FN padic_sparse_method padici_sparse_choose(padic_sparse_method method,
                                                   const padic_sparse_calibration *calibration,
                                                   const padic_sparse_source *from, uint64_t batch);
PADICI_FN padic_result padici_sparse_work_run(padici_sparse_work *w, padic_sparse_method method,
                                              const padic_sparse_calibration *calibration,
                                              uint64_t found[4]);

#endif
