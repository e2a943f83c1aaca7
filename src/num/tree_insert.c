#include "tree_insert.h"
#include "../core/view.h"
#include "array.h"
#include "ring.h"
#include "tree.h"
#include "tree_digits.h"

#if PADICI_IMPLEMENT_NUM

// ---- memory, insert, erase

PADICI_FN void padici_num_tree_clear(padic_num_tree *tree)
{
    uint64_t i;
    for (i = 0; i < tree->points.count; i++) tree->leaf[i] = PADIC_NUM_TREE_NONE;
    tree->count = tree->used = 0;
    tree->root = tree->free = PADIC_NUM_TREE_NONE;
    tree->index = NULL;
}

PADIC_API uint64_t padic_num_tree_size_bound(const padic_num_array *points, uint64_t capacity)
{
    uint64_t size;
    if (!points || points->count > PADICI_NUM_TREE_INNER - 2) return 0;
    if (!capacity || capacity > points->count) capacity = points->count;
    size = capacity * (sizeof(padic_num_tree_node) + 4) + points->count * 4 + 8;
    return size > (size_t)-1 / 2 ? 0 : (size_t)size;
}

PADIC_API padic_result padic_num_tree_init(padic_num_tree *tree, const padic_num_array *points,
                                           uint64_t capacity, void *memory, size_t size)
{
    padic_num_planes planes;
    padic_result result;
    if (!tree) return PADIC_ERROR_ARGUMENT;
    memset(tree, 0, sizeof *tree);
    if (!points || !memory || !padici_num_ring_is(points->ring)) return PADIC_ERROR_ARGUMENT;
    if (!padici_aligned(memory, 8)) return PADIC_ERROR_ALIGNMENT;
    if ((uint32_t)points->model > PADIC_NUM_FLOAT || points->ring->composite)
        return PADIC_ERROR_NOT_SUPPORTED;
    if (!padic_num_tree_size_bound(points, capacity)) return PADIC_ERROR_LIMIT;
    if (size < padic_num_tree_size_bound(points, capacity)) return PADIC_ERROR_CAPACITY;
    if ((result = padici_num_planes_of(NULL, points, &planes)) != PADIC_OK) return result;
    if (!capacity || capacity > points->count) capacity = points->count;
    tree->points = *points;
    tree->capacity = (uint32_t)capacity;
    tree->node = (padic_num_tree_node *)memory;
    tree->leaf = (uint32_t *)(void *)(tree->node + capacity);
    tree->work = tree->leaf + points->count;
    padici_num_tree_clear(tree);
    return PADIC_OK;
}

// Below `up` stands `link` instead of `old`.
static void padici_num_tree_replace(padic_num_tree *tree, uint32_t up, uint32_t old, uint32_t link)
{
    uint32_t *const child =
        up == PADICI_NUM_TREE_ROOT ? NULL : padici_num_tree_node(tree, up)->child;
    if (child)
        child[child[1] == old] = link;
    else
        tree->root = link;
}

// Puts inner node `number` above `link`, and a leaf beside that: at the right if `right`.
static void padici_num_tree_graft(padic_num_tree *tree, uint32_t number, uint64_t place,
                                  uint32_t link, uint32_t id, uint32_t right)
{
    padic_num_tree_node *n = &tree->node[number];
    uint32_t *const up = padici_num_tree_up(tree, link);
    const uint32_t self = number + PADICI_NUM_TREE_INNER;
    n->place = place;
    n->parent = *up;
    n->child[right] = id;
    n->child[!right] = link;
    n->count = padici_num_tree_leaves(tree, link) + 1;
    padici_num_tree_replace(tree, *up, link, self);
    *up = tree->leaf[id] = self;
}

PADICI_FN padic_result padici_num_tree_insert(padic_num_tree *tree, const padic_num_planes *p,
                                          uint64_t id)
{
    uint32_t link, up, number;
    uint64_t place;
    int after;
    if (id >= tree->points.count || tree->leaf[id] != PADIC_NUM_TREE_NONE)
        return PADIC_ERROR_ARGUMENT;
    if (padici_num_tree_val(p, id) == PADIC_NUM_NAN) return PADIC_ERROR_DOMAIN;
    if (tree->count == tree->capacity) return PADIC_ERROR_CAPACITY;
    tree->index = NULL;
    if (!tree->count++) {
        tree->root = (uint32_t)id;
        tree->leaf[id] = PADICI_NUM_TREE_ROOT;
        return PADIC_OK;
    }
    link = padici_num_tree_descend(tree, p, id, (uint32_t)id);
    place = padici_num_tree_part(tree->points.ring, p, (uint32_t)id, link, &after);
    while (padici_num_tree_above(tree, link) > place) link = *padici_num_tree_up(tree, link);
    number = tree->free == PADIC_NUM_TREE_NONE ? tree->used++ : tree->free;
    if (number == tree->free) tree->free = tree->node[number].child[0];
    padici_num_tree_graft(tree, number, place, link, (uint32_t)id, (uint32_t)after);
    for (up = tree->node[number].parent; up != PADICI_NUM_TREE_ROOT;
         up = *padici_num_tree_up(tree, up))
        padici_num_tree_node(tree, up)->count++;
    return PADIC_OK;
}

PADIC_API padic_result padic_num_tree_insert(padic_num_tree *tree, uint64_t id)
{
    padic_num_planes p;
    padic_result result;
    if (!tree || !tree->leaf) return PADIC_ERROR_ARGUMENT;
    result = padici_num_planes_of(NULL, &tree->points, &p);
    return result ? result : padici_num_tree_insert(tree, &p, id);
}

PADICI_FN int padici_num_tree_has(const padic_num_tree *tree, uint64_t id)
{
    return tree && tree->leaf && id < tree->points.count &&
           tree->leaf[id] != PADIC_NUM_TREE_NONE;
}

PADIC_API padic_result padic_num_tree_erase(padic_num_tree *tree, uint64_t id)
{
    uint32_t link, up, other;
    padic_num_tree_node *n;
    if (!padici_num_tree_has(tree, id)) return PADIC_ERROR_ARGUMENT;
    link = tree->leaf[id];
    tree->leaf[id] = PADIC_NUM_TREE_NONE;
    tree->index = NULL;
    tree->count--;
    if (link == PADICI_NUM_TREE_ROOT) {
        tree->root = PADIC_NUM_TREE_NONE;
        return PADIC_OK;
    }
    n = padici_num_tree_node(tree, link);
    other = n->child[n->child[0] == id];
    up = *padici_num_tree_up(tree, other) = n->parent;
    padici_num_tree_replace(tree, up, link, other);
    n->count = 0;
    n->child[0] = tree->free;
    tree->free = link - PADICI_NUM_TREE_INNER;
    for (; up != PADICI_NUM_TREE_ROOT; up = *padici_num_tree_up(tree, up))
        padici_num_tree_node(tree, up)->count--;
    return PADIC_OK;
}

PADIC_API padic_result padic_num_tree_build(padic_num_tree *tree, const padic_tensor *ids)
{
    padic_num_planes p;
    uint64_t n, i;
    void *list = NULL;
    padic_result result = PADIC_OK;
    if (!tree || !tree->leaf) return PADIC_ERROR_ARGUMENT;
    padici_num_tree_clear(tree);
    n = tree->points.count;
    if (ids && !(result = padici_tensor_check_shape(ids, &n)))
        result = padici_num_plane(NULL, ids, n, 1u << PADIC_U32, &list);
    if (!result) result = padici_num_planes_of(NULL, &tree->points, &p);
    for (i = 0; !result && i < n; i++)
        result = padici_num_tree_insert(tree, &p, list ? ((const uint32_t *)list)[i] : i);
    if (result) padici_num_tree_clear(tree);
    return result;
}

#endif
