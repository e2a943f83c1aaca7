#pragma once
#include "../core/platform.h"

#ifndef PADIC_NO_NUM

// 1 if an optional tensor is absent.
PADICI_INLINE int padici_num_tree_absent(const padic_tensor *t)
{
    return !t->dtype && !t->data && !t->buffer.id;
}

PADICI_FN void padici_num_tree_clear(padic_num_tree *tree);
PADICI_FN padic_result padici_num_tree_insert(padic_num_tree *tree, const padic_num_planes *p,
                                          uint64_t id);
PADICI_FN padic_result padici_num_tree_memory(padic_context *context, const padic_tensor *memory,
                                              uint64_t need, size_t align);
PADICI_FN padic_result padici_num_tree_points(padic_context *context, const padic_num_tree *tree,
                                              padic_num_planes *p);
PADICI_FN padic_result padici_num_tree_apart(padic_context *context, const padic_num_tree *tree,
                                             const char *field, const void *at, uint64_t size);
PADICI_FN padic_result padici_num_tree_ids(padic_context *context, const padic_tensor *ids,
                                           const char *field, uint64_t *count, uint32_t **list);
PADICI_FN int padici_num_tree_has(const padic_num_tree *tree, uint64_t id);

#endif
