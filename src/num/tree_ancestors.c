#include "../context/messages.h"
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
// them. padic_num_tree.index holds the rank of each id, then for l = 0, 1, ... the smallest
// exponent of the 2^l gaps from each gap on.

PADIC_API uint64_t padic_num_tree_index_size_bound(const padic_num_tree *tree)
{
    uint64_t size, l;
    if (!tree || !tree->leaf) return 0;
    size = tree->points.count + tree->count;
    for (l = 2; l < tree->count; l *= 2) size += tree->count;
    return size > (size_t)-1 / 8 ? 0 : (size_t)(4 * size);
}

static void padici_num_tree_index_make(padic_num_tree *tree, uint32_t *rank)
{
    const uint32_t n = tree->count;
    int32_t *least = (int32_t *)(void *)(rank + tree->points.count);
    uint32_t link = n ? padici_num_tree_first(tree, tree->root, UINT64_MAX) : PADIC_NUM_TREE_NONE;
    uint32_t i, half;
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
}

PADIC_API padic_result padic_num_tree_index(padic_context *context,
                                            const padic_num_tree_index_desc *desc)
{
    padic_result result;
    if (!desc || !desc->tree || !desc->tree->leaf)
        return padici_fail_in(context, PADIC_ERROR_ARGUMENT, "num_tree_index",
                              "desc or tree is NULL, or tree was not made by num_tree_init");
    result = padici_num_tree_memory(context, &desc->memory,
                                    padic_num_tree_index_size_bound(desc->tree), 4);
    if (result) return padici_fault(context, result, "num_tree_index");
    padici_num_tree_index_make(desc->tree, (uint32_t *)desc->memory.data);
    return PADIC_OK;
}

// The depth of two different leaves, from the index.
static int32_t padici_num_tree_depth(const padic_num_tree *tree, uint32_t a, uint32_t b)
{
    const uint32_t x = tree->index[a], y = tree->index[b];
    const uint32_t from = x < y ? x : y, gaps = x < y ? y - x : x - y;
    const uint32_t l = 31 - padici_clz32(gaps);
    const int32_t *least = (const int32_t *)(const void *)(tree->index + tree->points.count) +
                           (size_t)l * tree->count;
    const int32_t v = least[from], w = least[from + gaps - (UINT32_C(1) << l)];
    return v < w ? v : w;
}

static padic_result padici_num_tree_lca(padic_context *context,
                                        const padic_num_tree_lca_desc *desc, uint64_t *done)
{
    const padic_num_tree *const tree = desc->tree;
    padic_num_planes p;
    uint64_t n, m;
    uint32_t *first, *second;
    void *plane;
    int after;
    padic_result result = padici_num_tree_points(context, tree, &p);
    if (!result) result = padici_num_tree_ids(context, &desc->first, "first", &n, &first);
    if (!result) result = padici_num_tree_ids(context, &desc->second, "second", &m, &second);
    if (!result && n != m)
        result = padici_blame(context, PADIC_ERROR_MISMATCH, "second", NULL,
                              "must have as many ids as `first`");
    if (result) return result;
    result = padici_num_plane(context, &desc->out, n, 1u << PADIC_I32, &plane);
    if (result) return padici_blame(context, result, "out", NULL, NULL);
    result = padici_num_tree_apart(context, tree, "out", plane, n * 4);
    if (result) return result;
    for (; *done < n; ++*done) {
        const uint32_t a = first[*done], b = second[*done];
        if (!padici_num_tree_has(tree, a) || !padici_num_tree_has(tree, b))
            return padici_blame(context, PADIC_ERROR_ARGUMENT,
                                padici_num_tree_has(tree, a) ? "second" : "first", NULL,
                                "an id is not in the tree");
        ((int32_t *)plane)[*done] =
            a == b        ? PADIC_NUM_ZERO
            : tree->index ? padici_num_tree_depth(tree, a, b)
                          : padici_num_tree_exponent(padici_num_tree_place(
                                tree->points.ring, &p, a, &p, b, &after));
    }
    return PADIC_OK;
}

PADIC_API padic_result padic_num_tree_lca(padic_context *context,
                                          const padic_num_tree_lca_desc *desc)
{
    uint64_t done = 0;
    padic_result result;
    if (!desc) return padici_fail_in(context, PADIC_ERROR_ARGUMENT, "num_tree_lca", "desc is NULL");
    result = padici_num_tree_lca(context, desc, &done);
    if (desc->report) desc->report->done = done;
    return result ? padici_fault(context, result, "num_tree_lca") : PADIC_OK;
}

#endif
