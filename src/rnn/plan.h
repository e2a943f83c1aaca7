#pragma once
#include "../core/platform.h"
#include "net.h"

#ifndef PADIC_NO_RNN

// A plan: the net on packed weights, and scratch for each worker, in one piece of memory.
struct padic_rnn_plan {
    padic_context *context; // it was made for
    padic_allocator allocator;
    uint64_t size;   // bytes
    uint32_t placed; // in the caller's memory
    uint32_t flags;
    padici_rnn_net net;
    padici_rnn_part part[PADICI_RNN_PARTS];
    uint64_t parameters;
    uint64_t steps; // BIDIRECTIONAL: most of a run
    uint64_t block; // most rows at a time
    uint32_t workers;
    char *scratch;
    uint64_t room; // of each worker
    uint32_t device_block; // of the context's pool: weights for kernels, or none
    padic_mem device_mem;
};

PADICI_FN void padici_rnn_options_of(const padic_rnn_layer *layer, padici_rnn_options *is);
PADICI_FN padic_result padici_rnn_run_plan(const padic_env *env, const padic_rnn_run_desc *desc);

#endif
