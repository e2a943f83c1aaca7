#pragma once
#include "platform.h"

// Walks one or two views of one shape row by row (a row is the last axis), from any row on.
typedef struct padici_rows {
    uint32_t axes; // all but the last
    uint64_t length, index[PADIC_MAX_RANK], shape[PADIC_MAX_RANK];
    int64_t stride[2][PADIC_MAX_RANK], step[2]; // step: along the row
    int64_t at[2];                              // first element of the row, from the view's first
} padici_rows;

PADICI_FN void padici_rows_begin(padici_rows *rows, const padic_tensor *a, const padic_tensor *b,
                                 uint64_t row);
PADICI_FN void padici_rows_next(padici_rows *rows);
PADICI_FN uint64_t padici_tensor_span(const padic_tensor *t, int *dense, uint64_t *before);
