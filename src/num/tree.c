#include "tree.h"

#if PADICI_IMPLEMENT_NUM

// ---------------------------------------------------------------------------------- >>tree impl
//
// A crit-bit tree (Morrison 1968) over the bits of digits. A place is where two numbers diverge:
// the exponent, and the leading zeros of the exclusive or of the digits; smaller is nearer to the
// root. Equal numbers diverge in their ids, at an exponent beyond all others.

PADICI_FN uint32_t padici_num_tree_next(const padic_num_tree *tree, uint32_t link, uint32_t top,
                                    uint64_t limit)
{
    while (link != top) {
        const uint32_t up = *padici_num_tree_up(tree, link);
        if (padici_num_tree_node(tree, up)->child[0] == link)
            return padici_num_tree_first(tree, padici_num_tree_node(tree, up)->child[1], limit);
        link = up;
    }
    return PADIC_NUM_TREE_NONE;
}

// The node where the walk turns right after this leaf, which is not the last.
PADICI_FN uint32_t padici_num_tree_gap(const padic_num_tree *tree, uint32_t link)
{
    uint32_t up = *padici_num_tree_up(tree, link);
    for (; padici_num_tree_node(tree, up)->child[1] == link; up = *padici_num_tree_up(tree, up))
        link = up;
    return up;
}

#endif
