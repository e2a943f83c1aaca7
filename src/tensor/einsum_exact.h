#pragma once
#include "../core/platform.h"
#include "einsum_expression.h"

#ifndef PADIC_NO_TENSOR

typedef struct padici_tensor_einsum_best {
    padici_tensor_label_set set, keep; // of all its operands; of its result
    double score, tie, bytes;
    // Root of the product of the sizes of those labels of `keep` that two operands have and the
    // result has not, or one operand and the result. Of x, y and x with y their product is that of
    // all such labels of x and y, so of no more elements than x with y goes over.
    double root;
    uint16_t left; // 0: not connected; of one operand itself
    uint16_t beside; // operands that share a label with one of these
    uint8_t node, paired;
} padici_tensor_einsum_best;

PADICI_FN void padici_tensor_einsum_exact(padici_tensor_einsum *e, padici_tensor_einsum_best *best,
                                          padic_tensor_path *path);

#endif
