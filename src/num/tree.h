#pragma once
#include "../core/platform.h"

#ifndef PADIC_NO_NUM

#define PADICI_NUM_TREE_INNER UINT32_C(0x80000000)
#define PADICI_NUM_TREE_ROOT (UINT32_MAX - 1) // the parent of the root
#define PADICI_NUM_TREE_EQUAL ((uint64_t)UINT32_MAX << 6)

// The least place at this exponent.
PADICI_INLINE uint64_t padici_num_tree_limit(int64_t exponent)
{
    return (uint64_t)(exponent + ((int64_t)1 << 31)) << 6;
}

PADICI_INLINE int32_t padici_num_tree_exponent(uint64_t place)
{
    return (int32_t)((int64_t)(place >> 6) - ((int64_t)1 << 31));
}

PADICI_INLINE padic_num_tree_node *padici_num_tree_node(const padic_num_tree *tree, uint32_t link)
{
    return &tree->node[link - PADICI_NUM_TREE_INNER];
}

// The link to the parent.
PADICI_INLINE uint32_t *padici_num_tree_up(const padic_num_tree *tree, uint32_t link)
{
    return link < PADICI_NUM_TREE_INNER ? &tree->leaf[link]
                                        : &padici_num_tree_node(tree, link)->parent;
}

PADICI_INLINE uint32_t padici_num_tree_leaves(const padic_num_tree *tree, uint32_t link)
{
    return link < PADICI_NUM_TREE_INNER ? 1 : padici_num_tree_node(tree, link)->count;
}

// The place of the parent, 0 above the root.
PADICI_INLINE uint64_t padici_num_tree_above(const padic_num_tree *tree, uint32_t link)
{
    const uint32_t up = *padici_num_tree_up(tree, link);
    return up == PADICI_NUM_TREE_ROOT ? 0 : padici_num_tree_node(tree, up)->place;
}

// A walk from left to right over the subtrees below `top` whose places are at least `limit`, leaves
// included: the first at or below `link`, and the one after `link` (NONE after the last).
PADICI_INLINE uint32_t padici_num_tree_first(const padic_num_tree *tree, uint32_t link,
                                             uint64_t limit)
{
    while (link >= PADICI_NUM_TREE_INNER && padici_num_tree_node(tree, link)->place < limit)
        link = padici_num_tree_node(tree, link)->child[0];
    return link;
}

PADICI_FN uint32_t padici_num_tree_next(const padic_num_tree *tree, uint32_t link, uint32_t top,
                                    uint64_t limit);
PADICI_FN uint32_t padici_num_tree_gap(const padic_num_tree *tree, uint32_t link);

#endif
