#pragma once
#include "../context/operation.h"
#include "../context/view_task.h"
#include "../core/platform.h"
#include "kept.h"
#include "matrix.h"
#include "source.h"

#ifndef PADIC_NO_SPARSE

enum { // views of an encoding, and operands of its call
    PADICI_SPARSE_V_KEYS = 0,  // what is tested: elements, or valuations
    PADICI_SPARSE_V_UNITS = 1, // beside valuations
    PADICI_SPARSE_V_PLANES = 2, // four of them
    PADICI_SPARSE_V_TOTALS = 6
};

// A call that counts, or encodes one matrix or a batch: a row of src/ops.def each.
typedef struct padici_sparse_encoding {
    padici_view_task task;
    padic_sparse_source from; // a copy, redirected to where the work is
    padic_tensor unit, val;   // of from.numbers, as views; no data: there are none
    padic_sparse_csr to;      // what is made, in those planes: every call sets it
    // found by the check:
    padici_sparse_source source;
    padici_sparse planes;
    // 0 at first
    const char *name;         // of the operation
    uint32_t op;
    padic_tensor totals;
    padic_sparse_method method; // wanted; becomes what it was
    const padic_sparse_calibration *calibration;
    padic_sparse_csr *batch_out; // of a batch, of each: nnz
    uint64_t batch, step;     // matrices, and elements from one to the next; 0: one
    uint32_t fill, report;    // entries are wanted, not only their number; what is dropped is
    uint32_t has_limit;       // 1: of THRESHOLD, `limit` instead of the threshold
    uint64_t limit;
    double density;           // of a matrix like this seen before, or -1
    // found by the work:
    uint64_t found[4];        // 0, entries, kept by `other`, largest
    uint64_t written[4];      // bytes of the planes
    uint64_t *firsts;         // of a batch on a device: batch + 1, entries before each
    padic_sparse_encode_report sum; // of a batch whose matrices were done one by one
} padici_sparse_encoding;

PADICI_FN void padici_sparse_encoding_begin(padici_sparse_encoding *e, const char *name,
                                            uint32_t op, const padic_sparse_source *from,
                                            padic_sparse_method method,
                                            const padic_sparse_calibration *calibration);
PADICI_FN padic_result padici_sparse_encoding_run(padic_context *context,
                                                  padici_sparse_encoding *e);
PADICI_FN padic_result padici_sparse_found(const padici_sparse_source *s, padic_sparse_csr *a,
                                           const padici_sparse *planes, const uint64_t found[4],
                                           uint32_t wanted, padic_sparse_encode_report *report);
PADICI_FN void padici_sparse_add_found(padic_sparse_encode_report *sum,
                                       const padic_sparse_encode_report *each);
PADICI_FN void padici_sparse_part(padic_sparse_csr *part, const padic_sparse_csr *whole,
                                  const padici_sparse_source *s, uint64_t b, uint64_t first);
PADICI_FN void padici_sparse_encoding_written(padici_sparse_encoding *e);

#endif
