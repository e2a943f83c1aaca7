#pragma once
#include "../core/platform.h"
#include "noise.h"

#ifndef PADIC_NO_ROLLOUT

#define PADICI_ROLLOUT_PARAMETERS ((uint64_t)1 << 34) // most of an operator

// A node with its defaults filled in, and what follows from it. Node 0 is the state.
typedef struct padici_rollout_node {
    padic_rollout_node is;
    padic_rollout_shape shape;
    uint32_t inputs, skips;   // channels of input, of skip; 0 where there is none
    uint64_t w, skip_w, bias; // how many of each kind of weights: w, w of an ADD's skip, b,
    uint64_t affine;          // gamma and beta,
    uint64_t statistics;      // mu and var
    uint64_t fan_in;          // of w; 0 if there is none
    uint64_t spectral;        // weights of SPECTRAL, which are w, too,
    uint32_t up, down;        // its rows from 0 on and below 0,
    uint32_t columns;         // its columns
    uint64_t mac;
    padic_rollout_noise_law law; // NOISE: `scale` is not used, but
    double scale;                // this
} padici_rollout_node;

// The output of node `at` - 1 of the list (0: the state), from those before it in `all`.
PADICI_FN padic_result padici_rollout_node_find(padic_context *context,
                                                const padic_rollout_operator *op, uint32_t at,
                                                padici_rollout_node *all);
// All of them, 1 + op->count; `parameters` of a row.
PADICI_FN padic_result padici_rollout_nodes_find(padic_context *context,
                                                 const padic_rollout_operator *op,
                                                 padici_rollout_node *all, uint64_t *parameters);
// The same in memory of the allocator hook, to be freed by padici_rollout_nodes_free().
PADICI_FN padic_result padici_rollout_nodes_make(padic_context *context,
                                                 const padic_rollout_operator *op,
                                                 padici_rollout_node **all, uint64_t *parameters);
PADICI_FN void padici_rollout_nodes_free(padic_context *context, padici_rollout_node *all);

PADICI_INLINE int padici_rollout_here(const padic_tensor *t)
{
    return t->data || t->buffer.id;
}

#endif
