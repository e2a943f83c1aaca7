#pragma once
#include "../core/platform.h"
#include "kernels.h"

#ifndef PADIC_NO_RNN

#define PADICI_RNN_ROWS 64u    // most rows that a worker takes at a time
#define PADICI_RNN_WORKERS 64u // most workers of a call
#define PADICI_RNN_PARTS 32u   // layers times directions

// What a layer is besides its weights.
typedef struct padici_rnn_options {
    padic_rnn_kind kind;
    padic_rnn_reset reset;
    padic_rnn_update update;
    padic_rnn_activation activation;
    double gain, forget_bias;
} padici_rnn_options;

// A layer in one direction, as kernels use it. Biases are in the kernels' reals.
typedef struct padici_rnn_part {
    padici_rnn_options is; // gain: not 0
    uint64_t inputs, units;
    uint64_t width;             // sums of a row: G H, or O
    padici_rnn_matrix input;    // (G H, I)
    padici_rnn_matrix gates;    // recurrent: (4 H, H), of a GRU (2 H, H)
    padici_rnn_matrix fresh;    // of a GRU: (H, H), of n
    const void *bias;           // width: where the sums start
    const void *fresh_bias;     // of a GRU AFTER, H: c of n
} padici_rnn_part;

// Parts in the order of the layers, forward before backward.
typedef struct padici_rnn_net {
    const padici_rnn_kernels *kernels;
    const padici_rnn_part *part;
    uint32_t layers, directions;
    uint32_t is_double; // of activations and states: F64
    uint32_t reverse;
    padic_rnn_feedback feedback;
    uint64_t first;     // column that feedback begins with
    double clip;
    uint64_t inputs, outputs;
    uint64_t widest;    // of all inputs and outputs of layers
    uint64_t sums;      // most sums of a row
    uint64_t state;     // largest H
    uint32_t states;    // recurrent layers times directions
    uint32_t lstm;      // one of them is an LSTM
} padici_rnn_net;

// A tensor of a call: (time, row, column), steps in bytes. `at` NULL: not there.
typedef struct padici_rnn_view {
    char *at;
    int64_t time, row, column;
} padici_rnn_view;

// What a call works on.
typedef struct padici_rnn_work {
    const padici_rnn_net *net;
    uint64_t steps, rows; // T and B
    uint64_t block;       // rows at a time
    uint32_t workers;
    padici_rnn_view x, out, columns;
    padici_rnn_view h0, c0, out_h, out_c; // time: of a layer
    const char *lengths;                  // NULL: T
    int64_t length_step;
    char *scratch; // of all workers
    uint64_t room; // of each
} padici_rnn_work;

PADICI_FN uint64_t padici_rnn_work_room(const padici_rnn_net *net, uint64_t block, uint64_t steps);
PADICI_FN void padici_rnn_work_run(padici_rnn_work *work, const padic_jobs *jobs);
PADICI_FN void padici_rnn_net_measure(padici_rnn_net *net);
PADICI_FN uint64_t padici_rnn_blocks(uint64_t rows, uint64_t most, uint32_t workers,
                                     uint32_t *used);

#endif
