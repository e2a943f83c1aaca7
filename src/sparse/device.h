#pragma once
#include "../context/operation.h"
#include "../context/state.h"
#include "../core/platform.h"
#include "../num/array.h"
#include "../num/space.h"
#include "kept.h"
#include "work.h"

#ifndef PADIC_NO_SPARSE

// Encoding on a device: what its driver gets with PADIC_KERNEL_SPARSE_ENCODE. Planes that are not
// wanted have no memory (bits 0). The elements are rows x cols x batch without gaps; with `batch`
// above 1 row_ptr has a segment of rows + 1 for each matrix.
typedef struct padici_sparse_drive {
    padic_sparse_method method; // wanted; becomes what it was
    uint32_t size, wide, fill, report, is_signed, has_largest;
    uint32_t unit_size; // not 0: `unit` goes to `value`, kept keys to `val`; else these to `value`
    uint32_t wait;      // 1: `found` is wanted now
    uint64_t rows, cols, batch, room, most;
    double density; // of a matrix like this seen before, or -1
    padici_sparse_test test, other;
    padici_place key, unit, row_ptr, col, value, val, totals;
    uint64_t *firsts;  // batch + 1: entries before each matrix; NULL: not wanted
    uint64_t found[4]; // 0, entries, kept by `other`, largest
} padici_sparse_drive;

// Memory that is moved to where the work is.
typedef struct padici_sparse_stage {
    padic_context *context;
    const padici_num_space *space;
    uint32_t host, count; // host: that is where the work is
    struct {
        padici_place home, now;
        uint32_t block;
    } moved[8];
} padici_sparse_stage;

PADICI_FN padic_result padici_sparse_reach(padici_sparse_stage *stage, const void *pointer,
                                           uint64_t bytes, int in, padici_place *place);
PADICI_FN padic_result padici_sparse_home(padici_sparse_stage *stage, const padici_place *place,
                                          uint64_t bytes);
PADICI_FN void padici_sparse_stage_end(padici_sparse_stage *stage);
PADICI_FN void padici_sparse_stage_begin(padici_sparse_stage *stage, padic_context *context,
                                         const padici_num_space *space, uint32_t host);
PADICI_FN int padici_sparse_drive_begin(const padici_sparse_work *w, const padic_sparse_csr *a,
                                        padic_sparse_method method, uint64_t batch,
                                        padici_sparse_drive *d);
PADICI_FN padic_result padici_sparse_drive_run(const padici_sparse_work *w, padici_sparse_drive *d);
PADICI_FN padic_result padici_sparse_totals(padic_context *context, const padic_tensor *totals,
                                            padici_place *place);
PADICI_FN padic_result padici_sparse_work_do(padici_sparse_work *w, padic_sparse_csr *a,
                                             const padic_sparse_csr *before,
                                             const padic_sparse_encode_desc *desc,
                                             padic_sparse_encode_report *report);

#endif
