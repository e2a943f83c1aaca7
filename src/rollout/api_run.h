#pragma once
// ------------------------------------------------------------------------------- >>evaluation API
//
// The output for a state is a function of it and of its operator's weights: its bits are the same
// whatever the other states, the batch, max_bytes and the workers are. D1; D2 between backends.
//
// Inside, states are computed in f64, and F32 ones rounded once per evaluation. Statistics of norms
// are merged from tiles of rows (Chan, Golub, LeVeque 1979), in a tree that depends on the operator
// alone. A NaN or infinity spreads as the formulas have it: with a norm over its statistics.
//
// The CPU does it all: tensors may lie in buffers, and are moved.

// out = F(state), one evaluation for each of N operators and B states of each. One node alone, a
// convolution, a norm, a resampling, is an operator of one node.
// Errors: as padic_rollout_operator_info(); DTYPE, MISMATCH (weights, state, out); MEMORY.
// N or B 0: done at once.
typedef struct padic_rollout_apply_desc {
    padic_rollout_operator op;
    padic_tensor weights; // (N, P), F32 or F64
    padic_tensor state;   // (N, B, C, H, W), F32 or F64, dense
    padic_tensor out;     // (N, B, C', H', W') of the last node, of state's dtype, dense
    uint64_t max_bytes;   // of working memory: fewer trajectories at a time; 0: no limit
} padic_rollout_apply_desc;
PADIC_API padic_result padic_rollout_apply(padic_context *context,
                                           const padic_rollout_apply_desc *desc);
