#include "../context/messages.h"
#include "../context/state.h"
#include "../core/platform.h"
#include "../core/view.h"
#include "array.h"
#include "ring.h"
#include "task.h"
#include "tree.h"
#include "tree_digits.h"
#include "tree_insert.h"

#if PADICI_IMPLEMENT_NUM

// ---- queries

// The subtree of the leaves y with v(x - y) >= r that `leaf` is one of.
static uint32_t padici_num_tree_ball(const padic_num_tree *tree, uint32_t leaf, int64_t r)
{
    while (padici_num_tree_above(tree, leaf) >= padici_num_tree_limit(r) &&
           *padici_num_tree_up(tree, leaf) != PADICI_NUM_TREE_ROOT)
        leaf = *padici_num_tree_up(tree, leaf);
    return leaf;
}

// Copies the leaves of a subtree, at most `room`; returns how many.
static uint64_t padici_num_tree_list(const padic_num_tree *tree, uint32_t top, uint32_t *ids,
                                 uint64_t room)
{
    uint64_t n = 0;
    uint32_t link = room ? padici_num_tree_first(tree, top, UINT64_MAX) : PADIC_NUM_TREE_NONE;
    while (link != PADIC_NUM_TREE_NONE) {
        ids[n++] = link;
        link = n < room ? padici_num_tree_next(tree, link, top, UINT64_MAX) : PADIC_NUM_TREE_NONE;
    }
    return n;
}

typedef struct padici_num_tree_task {
    const padic_num_tree *tree;
    padic_num_planes points;
    uint64_t k;
} padici_num_tree_task;

// The k nearest leaves of one number: its closest ball, then what each larger ball adds.
static uint64_t padici_num_tree_nearest_one(const padici_num_tree_task *task,
                                            const padic_num_planes *q, uint64_t i, uint32_t *ids,
                                            int32_t *val)
{
    const padic_num_tree *tree = task->tree;
    uint64_t n = 0, m;
    uint32_t ball = PADIC_NUM_TREE_NONE, inner, link;
    int after;
    if (tree->count) {
        const uint32_t leaf = padici_num_tree_descend(tree, q, i, 0);
        uint64_t place =
            padici_num_tree_place(tree->points.ring, q, i, &task->points, leaf, &after);
        for (ball = leaf; n < task->k;) {
            const int32_t e = padici_num_tree_exponent(place);
            inner = n ? ball : PADIC_NUM_TREE_NONE;
            ball = padici_num_tree_ball(tree, ball, e);
            link = padici_num_tree_first(tree, ball, padici_num_tree_limit((int64_t)e + 1));
            for (; link != PADIC_NUM_TREE_NONE && n < task->k;
                 link = padici_num_tree_next(tree, link, ball,
                                             padici_num_tree_limit((int64_t)e + 1))) {
                if (link == inner) continue;
                m = padici_num_tree_list(tree, link, ids + n, task->k - n);
                for (; m > 0; m--, n++)
                    if (val) val[n] = e;
            }
            place = padici_num_tree_above(tree, ball);
            if (*padici_num_tree_up(tree, ball) == PADICI_NUM_TREE_ROOT) break;
        }
    }
    return n;
}

static void padici_num_tree_nearest_loop(padic_num_call *call)
{
    const padici_num_tree_task *task = (const padici_num_tree_task *)call->options;
    const uint64_t k = task->k;
    uint64_t i, n;
    for (i = 0; i < call->count; i++) {
        uint32_t *ids = (uint32_t *)call->other[0] + i * k;
        int32_t *val = call->other[1] ? (int32_t *)call->other[1] + i * k : NULL;
        n = 0;
        if (padici_num_tree_val(&call->a, i) == PADIC_NUM_NAN)
            call->bits |= PADIC_NUM_OUTSIDE;
        else
            n = padici_num_tree_nearest_one(task, &call->a, i, ids, val);
        for (; n < k; n++) {
            ids[n] = PADIC_NUM_TREE_NONE;
            if (val) val[n] = PADIC_NUM_NAN;
        }
    }
}

// 1 if the numbers of a query fit the tree.
static padic_result padici_num_tree_query(const padic_num_tree *tree, const padic_num_array *query)
{
    if (!tree || !tree->leaf || !query || !padici_num_ring_is(query->ring))
        return PADIC_ERROR_ARGUMENT;
    return padici_num_ring_equal(query->ring, tree->points.ring) &&
                   query->model == tree->points.model
               ? PADIC_OK
               : PADIC_ERROR_RING;
}

PADIC_API padic_result padic_num_tree_nearest(padic_context *context,
                                              const padic_num_tree_nearest_desc *desc)
{
    padici_num_task task;
    padici_num_tree_task own;
    uint64_t n, m;
    padic_result result =
        desc ? padici_num_tree_query(desc->tree, &desc->query) : PADIC_ERROR_ARGUMENT;
    padici_blame(context, result, !desc ? NULL : "query", NULL,
                 !desc                         ? "desc is NULL"
                 : result == PADIC_ERROR_RING ? NULL
                                              : "has no ring, or tree is NULL or not made");
    if (!result) {
        result = padici_tensor_check_shape(&desc->ids, &n);
        if (!result && desc->query.count && n % desc->query.count) result = PADIC_ERROR_MISMATCH;
        padici_blame(context, result, "ids", NULL, NULL);
    }
    if (!result) {
        result = padici_num_planes_of(context, &desc->tree->points, &own.points);
        padici_blame(context, result, "tree", NULL, NULL);
    }
    if (!result) result = padici_num_tree_apart(context, desc->tree, "ids", desc->ids.data, 4 * n);
    if (!result && !padici_tensor_check_shape(&desc->val, &m))
        result = padici_num_tree_apart(context, desc->tree, "val", desc->val.data, 4 * m);
    if (result) return padici_fault(context, result, "num_tree_nearest");
    if (!n || !desc->query.count) return PADIC_OK;
    own.tree = desc->tree;
    own.k = n / desc->query.count;
    padici_num_task_begin(&task, "num_tree_nearest", PADIC_OP_NUM_TREE_NEAREST,
                          padici_num_tree_nearest_loop, NULL, &desc->query, NULL, NULL);
    task.field[1] = "query";
    task.other_field[0] = "ids";
    task.other_field[1] = "val";
    task.call.options = &own;
    task.other[0] = &desc->ids;
    task.other_dtypes[0] = 1u << PADIC_U32;
    if (desc->val.dtype || desc->val.data) task.other[1] = &desc->val;
    task.other_dtypes[1] = 1u << PADIC_I32;
    task.other_each[0] = task.other_each[1] = own.k;
    task.other_out = 3;
    return padici_num_run(context, &task);
}

static padic_result padici_num_tree_ball_find(padic_context *context,
                                              const padic_num_tree_ball_desc *desc, uint64_t *count)
{
    const padic_num_tree *const tree = desc->tree;
    padic_num_planes p, q;
    uint64_t room = 0;
    uint32_t *list = NULL, link;
    int after;
    padic_result result = padici_num_tree_points(context, tree, &p);
    if (result) return result;
    result = padici_num_tree_query(tree, &desc->query);
    if (!result && desc->index >= desc->query.count)
        return padici_blame(context, PADIC_ERROR_ARGUMENT, "index", NULL,
                            "must be below query.count");
    if (!result) result = padici_num_planes_of(context, &desc->query, &q);
    if (result)
        return padici_blame(context, result, "query", NULL,
                            result == PADIC_ERROR_RING ? "has not the ring or model of the points"
                                                       : NULL);
    if (!padici_num_tree_absent(&desc->out))
        result = padici_num_tree_ids(context, &desc->out, "out", &room, &list);
    if (!result) result = padici_num_tree_apart(context, tree, "out", list, room * 4);
    if (result) return result;
    if (padici_num_tree_val(&q, desc->index) == PADIC_NUM_NAN)
        return padici_blame(context, PADIC_ERROR_DOMAIN, "query", NULL, "is a NaN there");
    if (!tree->count) return PADIC_OK;
    link = padici_num_tree_descend(tree, &q, desc->index, 0);
    if (padici_num_tree_place(tree->points.ring, &q, desc->index, &p, link, &after) <
        padici_num_tree_limit(desc->depth))
        return PADIC_OK;
    link = padici_num_tree_ball(tree, link, desc->depth);
    *count = padici_num_tree_leaves(tree, link);
    padici_num_tree_list(tree, link, list, room);
    return PADIC_OK;
}

PADIC_API padic_result padic_num_tree_ball(padic_context *context,
                                           const padic_num_tree_ball_desc *desc)
{
    uint64_t count = 0;
    padic_result result;
    if (!desc)
        return padici_fail_in(context, PADIC_ERROR_ARGUMENT, "num_tree_ball", "desc is NULL");
    result = padici_num_tree_ball_find(context, desc, &count);
    if (desc->report) desc->report->count = count;
    return result ? padici_fault(context, result, "num_tree_ball") : PADIC_OK;
}

// Labels all leaves; returns the number of clusters.
static uint64_t padici_num_tree_label(const padic_num_tree *tree, uint64_t limit, uint32_t *to)
{
    uint64_t i, n = 0;
    uint32_t link, ball;
    for (i = 0; i < tree->points.count; i++) to[i] = PADIC_NUM_TREE_NONE;
    ball = tree->count ? padici_num_tree_first(tree, tree->root, limit) : PADIC_NUM_TREE_NONE;
    for (; ball != PADIC_NUM_TREE_NONE; n++) {
        const uint32_t first = padici_num_tree_first(tree, ball, UINT64_MAX);
        uint32_t least = first;
        for (link = first; link != PADIC_NUM_TREE_NONE;
             link = padici_num_tree_next(tree, link, ball, UINT64_MAX))
            if (link < least) least = link;
        for (link = first; link != PADIC_NUM_TREE_NONE;
             link = padici_num_tree_next(tree, link, ball, UINT64_MAX))
            to[link] = least;
        ball = padici_num_tree_next(tree, ball, tree->root, limit);
    }
    return n;
}

PADIC_API padic_result padic_num_tree_clusters(padic_context *context,
                                               const padic_num_tree_clusters_desc *desc)
{
    const padic_num_tree *const tree = desc ? desc->tree : NULL;
    void *plane;
    uint64_t count;
    padic_result result;
    if (!tree || !tree->leaf)
        return padici_fail_in(context, PADIC_ERROR_ARGUMENT, "num_tree_clusters",
                              "desc or tree is NULL, or tree was not made by num_tree_init");
    if (desc->report) desc->report->count = 0;
    result = padici_num_plane(context, &desc->out, tree->points.count, 1u << PADIC_U32, &plane);
    padici_blame(context, result, "out", NULL, NULL);
    if (!result)
        result = padici_num_tree_apart(context, tree, "out", plane, tree->points.count * 4);
    if (result) return padici_fault(context, result, "num_tree_clusters");
    count = padici_num_tree_label(tree, padici_num_tree_limit(desc->depth), (uint32_t *)plane);
    if (desc->report) desc->report->count = count;
    return PADIC_OK;
}

#endif
