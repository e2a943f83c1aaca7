#include "../core/platform.h"
#include "../core/view.h"
#include "../core/words.h"
#include "array.h"
#include "tree.h"
#include "tree_digits.h"
#include "tree_insert.h"

#if PADICI_IMPLEMENT_NUM

// ---- lowest common ancestors
//
// The depth of the LCA of two leaves is the smallest exponent of the nodes in the gaps between
// them. In padic_num_tree.index: the rank of each id, then for l = 0, 1, ... the smallest exponent
// of 2^l gaps from each gap on.

PADIC_API uint64_t padic_num_tree_index_size_bound(const padic_num_tree *tree)
{
    uint64_t size, l;
    if (!tree || !tree->leaf) return 0;
    size = tree->points.count + tree->count;
    for (l = 2; l < tree->count; l *= 2) size += tree->count;
    return size > (size_t)-1 / 8 ? 0 : (size_t)(4 * size);
}

PADIC_API padic_result padic_num_tree_index(padic_num_tree *tree, void *memory, size_t size)
{
    const uint32_t n = tree ? tree->count : 0;
    uint32_t *rank, link, i, half;
    int32_t *least;
    if (!tree || !tree->leaf || !memory) return PADIC_ERROR_ARGUMENT;
    if (!padici_aligned(memory, 4)) return PADIC_ERROR_ALIGNMENT;
    if (size < padic_num_tree_index_size_bound(tree)) return PADIC_ERROR_CAPACITY;
    rank = (uint32_t *)memory;
    least = (int32_t *)(void *)(rank + tree->points.count);
    link = n ? padici_num_tree_first(tree, tree->root, UINT64_MAX) : PADIC_NUM_TREE_NONE;
    for (i = 0; i < n; i++) {
        rank[link] = i;
        if (i + 1 == n) break;
        link = padici_num_tree_gap(tree, link);
        least[i] = padici_num_tree_exponent(padici_num_tree_node(tree, link)->place);
        link = padici_num_tree_first(tree, padici_num_tree_node(tree, link)->child[1], UINT64_MAX);
    }
    for (half = 1; 2 * (uint64_t)half < n; half *= 2, least += n)
        for (i = 0; i + 2 * (uint64_t)half < n; i++)
            least[n + i] = least[i] < least[i + half] ? least[i] : least[i + half];
    tree->index = rank;
    return PADIC_OK;
}

PADIC_API padic_result padic_num_tree_lca(const padic_num_tree *tree, uint64_t a, uint64_t b,
                                          int32_t *depth)
{
    padic_num_planes p;
    padic_result result;
    int after;
    if (!depth || !padici_num_tree_has(tree, a) || !padici_num_tree_has(tree, b))
        return PADIC_ERROR_ARGUMENT;
    *depth = PADIC_NUM_ZERO;
    if (a == b) return PADIC_OK;
    if (tree->index) {
        const uint32_t x = tree->index[a], y = tree->index[b];
        const uint32_t from = x < y ? x : y, gaps = x < y ? y - x : x - y;
        const uint32_t l = 31 - padici_clz32(gaps);
        const int32_t *least = (const int32_t *)(const void *)(tree->index + tree->points.count) +
                               (size_t)l * tree->count;
        const int32_t v = least[from], w = least[from + gaps - (UINT32_C(1) << l)];
        *depth = v < w ? v : w;
        return PADIC_OK;
    }
    if ((result = padici_num_planes_of(NULL, &tree->points, &p)) != PADIC_OK) return result;
    *depth =
        padici_num_tree_exponent(padici_num_tree_place(tree->points.ring, &p, a, &p, b, &after));
    return PADIC_OK;
}

#endif
