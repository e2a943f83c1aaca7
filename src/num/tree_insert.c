#include "tree_insert.h"
#include "../context/messages.h"
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
    if (!points || points->count > PADICI_NUM_TREE_INNER - 2 || !padici_num_ring_is(points->ring) ||
        (uint32_t)points->model > PADIC_NUM_FLOAT || points->ring->composite)
        return 0;
    if (!capacity || capacity > points->count) capacity = points->count;
    size = capacity * (sizeof(padic_num_tree_node) + 4) + points->count * 4 + 8;
    return size > (size_t)-1 / 2 ? 0 : (size_t)size;
}

// Memory that the caller keeps: `need` bytes, aligned to `align`.
PADICI_FN padic_result padici_num_tree_memory(padic_context *context, const padic_tensor *memory,
                                              uint64_t need, size_t align)
{
    if (!memory->data || memory->dtype != PADIC_U8 || memory->rank != 1 || memory->stride[0] > 1 ||
        memory->stride[0] < 0)
        return padici_blame(context, PADIC_ERROR_ARGUMENT, "memory", NULL,
                            "must be U8 of rank 1, without gaps, in host memory");
    if (!padici_aligned(memory->data, align))
        return padici_blame(context, PADIC_ERROR_ALIGNMENT, "memory", NULL, NULL);
    if (memory->shape[0] < need)
        return padici_blame(context, PADIC_ERROR_CAPACITY, "memory", NULL,
                            "is too small: the function with `_size_bound` in its name says how "
                            "many bytes it needs");
    return PADIC_OK;
}

// The planes of the points of a constructed tree.
PADICI_FN padic_result padici_num_tree_points(padic_context *context, const padic_num_tree *tree,
                                              padic_num_planes *p)
{
    padic_result result;
    if (!tree || !tree->leaf || !padici_num_ring_is(tree->points.ring))
        return padici_blame(context, PADIC_ERROR_ARGUMENT, "tree", NULL,
                            "is NULL or was not made by num_tree_init");
    result = padici_num_planes_of(context, &tree->points, p);
    return padici_blame(context, result, "tree", "points", NULL);
}

static padic_result padici_num_tree_begin(padic_context *context,
                                          const padic_num_tree_init_desc *desc)
{
    const padic_num_array *const points = &desc->points;
    padic_num_tree *const tree = desc->tree;
    uint64_t capacity = desc->capacity, need;
    padic_num_planes planes;
    padic_result result;
    if (!tree) return padici_blame(context, PADIC_ERROR_ARGUMENT, "tree", NULL, "is NULL");
    memset(tree, 0, sizeof *tree);
    if (!padici_num_ring_is(points->ring))
        return padici_blame(context, PADIC_ERROR_ARGUMENT, "points", "ring",
                            "was not made by num_ring_init");
    if ((uint32_t)points->model > PADIC_NUM_FLOAT || points->ring->composite)
        return padici_blame(context, PADIC_ERROR_NOT_SUPPORTED, "points", NULL,
                            "must be RING or FLOAT, of a prime");
    need = padic_num_tree_size_bound(points, capacity);
    if (!need)
        return padici_blame(context, PADIC_ERROR_LIMIT, "points", "count",
                            "must be below 2^31 - 2");
    result = padici_num_tree_memory(context, &desc->memory, need, 8);
    if (result) return result;
    result = padici_num_planes_of(context, points, &planes);
    if (result) return padici_blame(context, result, "points", NULL, NULL);
    if (!capacity || capacity > points->count) capacity = points->count;
    tree->points = *points;
    tree->capacity = (uint32_t)capacity;
    tree->node = (padic_num_tree_node *)desc->memory.data;
    tree->leaf = (uint32_t *)(void *)(tree->node + capacity);
    tree->work = tree->leaf + points->count;
    padici_num_tree_clear(tree);
    return PADIC_OK;
}

PADIC_API padic_result padic_num_tree_init(padic_context *context,
                                           const padic_num_tree_init_desc *desc)
{
    const padic_result result =
        desc ? padici_num_tree_begin(context, desc)
             : padici_blame(context, PADIC_ERROR_ARGUMENT, NULL, NULL, "desc is NULL");
    return result ? padici_fault(context, result, "num_tree_init") : PADIC_OK;
}

// Replaces the child `old` of `up`, or the root, by `link`.
static void padici_num_tree_replace(padic_num_tree *tree, uint32_t up, uint32_t old, uint32_t link)
{
    uint32_t *const child =
        up == PADICI_NUM_TREE_ROOT ? NULL : padici_num_tree_node(tree, up)->child;
    if (child)
        child[child[1] == old] = link;
    else
        tree->root = link;
}

// Puts inner node `number` above `link`, with a leaf as its other child: the right one if `right`.
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

PADICI_FN int padici_num_tree_has(const padic_num_tree *tree, uint64_t id)
{
    return tree && tree->leaf && id < tree->points.count &&
           tree->leaf[id] != PADIC_NUM_TREE_NONE;
}

static padic_result padici_num_tree_erase(padic_num_tree *tree, uint64_t id)
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

// Checks that an operand shares no memory with the nodes of a tree and its index.
PADICI_FN padic_result padici_num_tree_apart(padic_context *context, const padic_num_tree *tree,
                                             const char *field, const void *at, uint64_t size)
{
    const uint64_t nodes = tree->capacity * (sizeof(padic_num_tree_node) + 4);
    padici_num_range range[3];
    uint32_t n = 0;
    padici_num_range_add(range, &n, at, size, 0, 1);
    if (!n) return PADIC_OK;
    padici_num_range_add(range, &n, tree->node, nodes + tree->points.count * 4, 0, 0);
    padici_num_range_add(range, &n, tree->index, padic_num_tree_index_size_bound(tree), 0, 0);
    if (!padici_num_overlap(range, n)) return PADIC_OK;
    return padici_blame(context, PADIC_ERROR_OVERLAP, field, NULL,
                        "shares memory with the tree");
}

// A dense list of ids in host memory.
PADICI_FN padic_result padici_num_tree_ids(padic_context *context, const padic_tensor *ids,
                                           const char *field, uint64_t *count, uint32_t **list)
{
    void *plane = NULL;
    padic_result result = padici_tensor_check_shape(ids, count);
    if (!result) result = padici_num_plane(context, ids, *count, 1u << PADIC_U32, &plane);
    *list = (uint32_t *)plane;
    return padici_blame(context, result, field, NULL, NULL);
}

// Inserts or erases ids in order; *done: how many came before the first that is refused.
static padic_result padici_num_tree_change(padic_context *context, padic_num_tree *tree,
                                           const padic_tensor *ids, int erase, uint64_t *done)
{
    padic_num_planes p;
    uint64_t n = 0;
    uint32_t *list = NULL;
    padic_result result = padici_num_tree_points(context, tree, &p);
    *done = 0;
    if (!result && ids) result = padici_num_tree_ids(context, ids, "ids", &n, &list);
    if (!result) result = padici_num_tree_apart(context, tree, "ids", list, n * 4);
    if (result) return result;
    if (!ids) n = tree->points.count;
    for (; *done < n && !result; *done += !result) {
        const uint64_t id = list ? list[*done] : *done;
        result = erase ? padici_num_tree_erase(tree, id) : padici_num_tree_insert(tree, &p, id);
    }
    return padici_blame(context, result, "ids", NULL,
                        result == PADIC_ERROR_DOMAIN     ? "one is of a number that is NaN"
                        : result == PADIC_ERROR_CAPACITY ? "are more than the tree's `capacity`"
                        : erase                          ? "one is not in the tree"
                                                         : "one is unknown or in the tree already");
}

PADIC_API padic_result padic_num_tree_insert(padic_context *context,
                                             const padic_num_tree_insert_desc *desc)
{
    uint64_t done;
    padic_result result;
    if (!desc)
        return padici_fail_in(context, PADIC_ERROR_ARGUMENT, "num_tree_insert", "desc is NULL");
    result = padici_num_tree_change(context, desc->tree, &desc->ids, 0, &done);
    if (desc->report) desc->report->inserted = done;
    return result ? padici_fault(context, result, "num_tree_insert") : PADIC_OK;
}

PADIC_API padic_result padic_num_tree_erase(padic_context *context,
                                            const padic_num_tree_erase_desc *desc)
{
    uint64_t done;
    padic_result result;
    if (!desc)
        return padici_fail_in(context, PADIC_ERROR_ARGUMENT, "num_tree_erase", "desc is NULL");
    result = padici_num_tree_change(context, desc->tree, &desc->ids, 1, &done);
    if (desc->report) desc->report->erased = done;
    return result ? padici_fault(context, result, "num_tree_erase") : PADIC_OK;
}

PADIC_API padic_result padic_num_tree_build(padic_context *context,
                                            const padic_num_tree_build_desc *desc)
{
    uint64_t done;
    padic_result result;
    if (!desc)
        return padici_fail_in(context, PADIC_ERROR_ARGUMENT, "num_tree_build", "desc is NULL");
    if (desc->tree && desc->tree->leaf) padici_num_tree_clear(desc->tree);
    result = padici_num_tree_change(context, desc->tree,
                                    padici_num_tree_absent(&desc->ids) ? NULL : &desc->ids, 0,
                                    &done);
    if (result && desc->tree && desc->tree->leaf) padici_num_tree_clear(desc->tree);
    if (desc->report) desc->report->inserted = done;
    return result ? padici_fault(context, result, "num_tree_build") : PADIC_OK;
}

#endif
