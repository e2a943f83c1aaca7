#pragma once
#include "../core/platform.h"

#ifndef PADIC_NO_NUM

PADICI_FN void padici_num_tree_clear(padic_num_tree *tree);
PADICI_FN padic_result padici_num_tree_insert(padic_num_tree *tree, const padic_num_planes *p,
                                          uint64_t id);
PADICI_FN int padici_num_tree_has(const padic_num_tree *tree, uint64_t id);

#endif
