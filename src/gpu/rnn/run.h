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

PADICI_FN int padici_gpu_rnn_net_of(const padici_rnn_net *net, padici_gpu_rnn_net *gpu_net);

#endif
