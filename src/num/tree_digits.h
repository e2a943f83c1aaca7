#pragma once
#include "../core/platform.h"
#include "cell.h"

#ifndef PADIC_NO_NUM

PADICI_INLINE int32_t padici_num_tree_val(const padic_num_planes *p, uint64_t i)
{
    return p->val ? padici_num_val_load(p, i) : 0;
}

PADICI_FN uint64_t padici_num_tree_place(const padic_num_ring *r, const padic_num_planes *a,
                                         uint64_t i, const padic_num_planes *b, uint64_t j,
                                         int *after);
PADICI_FN uint64_t padici_num_tree_part(const padic_num_ring *r, const padic_num_planes *p,
                                        uint32_t a, uint32_t b, int *after);
PADICI_FN uint32_t padici_num_tree_descend(const padic_num_tree *tree, const padic_num_planes *q,
                                       uint64_t i, uint32_t id);

#endif
