#pragma once
#include "../../core/platform.h"
#include "../../rnn/net.h"
#include "../frame.h"
#include "../texts.h"

#ifndef PADIC_NO_RNN

#define PADICI_GPU_RNN_FEW 8u // rows of a step that get a kernel of their own, at most

enum { // flags of the kernels: rnn/cell.cl
    PADICI_GPU_RNN_BEFORE = 1,
    PADICI_GPU_RNN_REPLACE = 2,
    PADICI_GPU_RNN_TANH = 4,
    PADICI_GPU_RNN_SIGMOID = 8,
    PADICI_GPU_RNN_RELU = 16,
    PADICI_GPU_RNN_LENGTHS = 32
};

// A tensor in a device's memory, in its elements; `mem` 0: there is none.
typedef struct padici_gpu_rnn_view {
    padic_mem mem;
    uint32_t at;
    uint32_t step[PADIC_MAX_RANK]; // modulo 2^32
} padici_gpu_rnn_view;

// Products of many rows with weights, of which kernels are made for each dtype.
typedef struct padici_gpu_rnn_product {
    padic_dtype dtype;
    padic_mem x, weights, bias, scale, lengths, out; // bias, scale, lengths: 0 if there is none
    padici_k_rnn_product_params k;
} padici_gpu_rnn_product;

PADICI_FN uint32_t padici_gpu_rnn_define(padic_dtype dtype, const char **define);
PADICI_FN uint32_t padici_gpu_rnn_flags(const padici_rnn_options *is);
PADICI_FN padic_result padici_gpu_rnn_need(padici_gpu *gpu, uint32_t kernel, padic_dtype dtype);
PADICI_FN int padici_gpu_rnn_may(const padici_gpu *gpu, uint32_t kernel);
PADICI_FN padic_result padici_gpu_rnn_multiply(padici_gpu *gpu, const padici_gpu_rnn_product *p,
                                               int few);
PADICI_FN const padici_operand *padici_gpu_rnn_operand(const padici_call *call,
                                                       const padic_tensor *t);
PADICI_FN int padici_gpu_rnn_reach(const padici_call *call);
PADICI_FN void padici_gpu_rnn_view_of(const padici_call *call, const padic_tensor *t,
                                      padici_gpu_rnn_view *view);
PADICI_FN void padici_gpu_rnn_check_of(const padici_gpu_rnn_view *x, uint32_t rank, uint32_t first,
                                       const uint64_t *shape, padici_k_rnn_check_params *k);
PADICI_FN padic_result padici_gpu_rnn_check(padici_gpu *gpu, padic_mem x, padic_mem lengths,
                                            padici_gpu_block *found,
                                            const padici_k_rnn_check_params *k);

#endif
