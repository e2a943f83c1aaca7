#pragma once
#include "../core/platform.h"
#include "cell.h"

#ifndef PADIC_NO_NUM

// Sums neighbours pairwise in element order, like the bits of a binary counter: two subtrees of one
// size become one of twice the size. At the end the remaining ones are folded from the right.
typedef struct padici_num_reduction {
    padici_num_cell level[40]; // enough for 2^51 elements
    uint64_t count;
    uint32_t depth;
} padici_num_reduction;

PADICI_FN void padici_num_reduce_merge(const padic_num_call *call, padici_num_reduction *f,
                                       uint64_t *temp);
PADICI_FN void padici_num_reduce_push(const padic_num_call *call, padici_num_reduction *f,
                                  const padici_num_cell *x, uint64_t *temp);
PADICI_FN void padici_num_reduce_chunk(const padic_num_call *call, uint64_t first, uint64_t end,
                                   padici_num_reduction *f, padici_num_cell *x, uint64_t *temp);

#endif
