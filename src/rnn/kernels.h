#pragma once
#include "../core/platform.h"

#ifndef PADIC_NO_RNN

// A matrix of weights, `width` rows of `depth`. Packed in panels of the kernels' `panel` rows:
// for each column the panel's rows side by side, in an order of the kernels' own; or, where
// `row_bytes` is not 0, row by row as the caller has it.
typedef struct padici_rnn_matrix {
    const void *data;
    const void *scale; // reals, one for each row, or NULL: 1
    const float *row_scale; // of rows as the caller has them
    padic_dtype dtype;
    uint64_t width, depth;
    uint64_t row_bytes;
} padici_rnn_matrix;

// sums += x W^T, for each of `rows`. Steps in reals.
typedef struct padici_rnn_product {
    const padici_rnn_matrix *matrix;
    uint64_t rows;
    const void *x;
    uint64_t x_step;
    void *sums;
    uint64_t sum_step;
} padici_rnn_product;

// What becomes of the sums of a row, H of each gate: reals. `h` and `out`, `c` and `out_c` may be
// the same.
typedef struct padici_rnn_cell {
    uint64_t units;
    void *sums;        // r, z, n or i, f, g, o
    const void *fresh; // of a GRU AFTER: Un h + cn; BEFORE: NULL
    const void *h, *c;
    void *out, *out_c;
    uint32_t replace; // (1 - z) h + z n
    uint32_t narrow;  // doubles are rounded to floats
} padici_rnn_cell;

typedef struct padici_rnn_kernels {
    uint32_t is_double; // the reals
    uint32_t panel;
    const uint8_t *(*order)(padic_dtype dtype); // place of each row in a panel; NULL: as they are
    void (*product)(const padici_rnn_product *product);
    void (*gru_reset)(const padici_rnn_cell *cell); // out = s(r) h
    void (*gru)(const padici_rnn_cell *cell);
    void (*lstm)(const padici_rnn_cell *cell);
    void (*activate)(padic_rnn_activation activation, double gain, uint64_t count, const void *in,
                     void *out, uint32_t narrow);
} padici_rnn_kernels;

// What the backends are asked for by the row RNN_KERNELS, for F32 states.
typedef struct padici_rnn_choice {
    const padici_rnn_kernels *kernels;
} padici_rnn_choice;

PADICI_FN const padici_rnn_kernels *padici_rnn_plain(void);

#endif
