#pragma once
#include "../../core/platform.h"
#include "../../rnn/plan.h"
#include "../frame.h"
#include "../texts.h"
#include "product.h"

#ifndef PADIC_NO_RNN

#define PADICI_GPU_RNN_LAYER 16u // words of a layer in the table: rnn/rnn.cl
#define PADICI_GPU_RNN_TILE 32u  // rows of a group

// What the kernels have of a plan, in one block: layers, biases and factors, weights.
typedef struct padici_gpu_rnn_net {
    padic_dtype dtype; // of all weights; F32 where they differ
    uint32_t words;    // of the table, of biases and of factors
    uint64_t size;     // bytes
    uint32_t memory;   // rows of 32 of a group
    uint32_t side, fed_at; // in it
} padici_gpu_rnn_net;

// A run of a plan.
typedef struct padici_gpu_rnn_sequence {
    padici_gpu *gpu;
    const padici_call *call;
    const padic_rnn_run_desc *desc;
    padic_rnn_plan *plan;
    padici_gpu_rnn_net is;
    padici_gpu_rnn_view x, lengths, out, columns;
    padici_k_rnn_run_params k;
    padici_gpu_block memory, from, to; // sequences between layers
    padici_gpu_block sums, back, words; // layer by layer: W x + b, U h + c; states as words
    uint32_t tiles, tile, layered;      // groups of rows, rows of each
} padici_gpu_rnn_sequence;

// A layer over some of the steps.
typedef struct padici_gpu_rnn_layer {
    padici_gpu_rnn_sequence *r;
    const padici_rnn_part *part;
    uint32_t row[PADICI_GPU_RNN_LAYER];
    uint32_t number, first, count;
    uint32_t turned, last; // the layer is the last
    padic_mem y;           // where its outputs go
    uint32_t y_flags, y_at, y_time, y_row, y_column;
} padici_gpu_rnn_layer;

PADICI_FN int padici_gpu_rnn_net_of(const padici_rnn_net *net, padici_gpu_rnn_net *gpu_net);
PADICI_FN int padici_gpu_rnn_is_there(const padici_rnn_net *net, uint32_t i);
PADICI_FN void padici_gpu_rnn_row(const padici_rnn_net *net, const padici_gpu_rnn_net *is,
                                  uint32_t part, uint32_t row[PADICI_GPU_RNN_LAYER]);
PADICI_FN int padici_gpu_rnn_is_layered(padici_gpu *gpu, const padici_gpu_rnn_net *is,
                                        const padici_rnn_net *net, uint64_t rows);
PADICI_FN padic_result padici_gpu_rnn_layers(padici_gpu_rnn_sequence *r);
PADICI_FN int padici_gpu_rnn_has_rows(padici_gpu *gpu, const padici_gpu_rnn_net *is,
                                      const padici_rnn_net *net);
PADICI_FN uint64_t padici_gpu_rnn_words(const padici_gpu *gpu, const padici_rnn_net *net,
                                        uint64_t rows);
PADICI_FN padic_result padici_gpu_rnn_layer_cuda(const padici_gpu_rnn_layer *l);

#endif
