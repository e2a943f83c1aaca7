#include "../context/messages.h"
#include "../core/platform.h"
#include "../core/splitmix.h"
#include "../core/tensor.h"
#include "../core/words.h"
#include "array.h"
#include "ring.h"
#include "tree.h"
#include "tree_digits.h"
#include "tree_insert.h"

#if PADICI_IMPLEMENT_NUM

// ---- validate, write, read

// 1 if an inner node in use fits its parent and children. If all do, places grow downwards, so
// there is no cycle, and the one root reaches them all.
static int padici_num_tree_sound(const padic_num_tree *tree, uint32_t number)
{
    const padic_num_tree_node *n = &tree->node[number];
    const uint32_t self = number + PADICI_NUM_TREE_INNER;
    uint64_t sum = 0;
    uint32_t k;
    if (n->child[0] == n->child[1] || (n->parent == PADICI_NUM_TREE_ROOT) != (tree->root == self))
        return 0;
    for (k = 0; k < 2; k++) {
        const uint32_t c = n->child[k];
        if (c < PADICI_NUM_TREE_INNER) {
            if (c >= tree->points.count) return 0;
        } else if (c - PADICI_NUM_TREE_INNER >= tree->used ||
                   !padici_num_tree_node(tree, c)->count ||
                   padici_num_tree_node(tree, c)->place <= n->place) {
            return 0;
        }
        if (*padici_num_tree_up(tree, c) != self) return 0;
        sum += padici_num_tree_leaves(tree, c);
    }
    return n->count == sum;
}

// 1 if every link is valid and has its reverse link.
static int padici_num_tree_linked(const padic_num_tree *tree)
{
    uint32_t i, k, inner = 0, leaves = 0, spare = 0;
    uint64_t id;
    if (tree->used > tree->capacity || tree->count > tree->capacity) return 0;
    for (i = 0; i < tree->used; i++) {
        if (tree->node[i].count && !padici_num_tree_sound(tree, i)) return 0;
        inner += tree->node[i].count != 0;
    }
    for (id = 0; id < tree->points.count; id++) {
        const uint32_t up = tree->leaf[id];
        if (up == PADIC_NUM_TREE_NONE) continue;
        leaves++;
        if (up == PADICI_NUM_TREE_ROOT) {
            if (tree->root != id) return 0;
            continue;
        }
        if (up < PADICI_NUM_TREE_INNER || up - PADICI_NUM_TREE_INNER >= tree->used ||
            !padici_num_tree_node(tree, up)->count ||
            (padici_num_tree_node(tree, up)->child[0] != id &&
             padici_num_tree_node(tree, up)->child[1] != id))
            return 0;
    }
    for (k = tree->free; k != PADIC_NUM_TREE_NONE; k = tree->node[k].child[0])
        if (k >= tree->used || tree->node[k].count || ++spare > tree->used) return 0;
    if (leaves != tree->count || spare != tree->used - inner) return 0;
    if (!leaves) return !inner && tree->root == PADIC_NUM_TREE_NONE;
    return inner == leaves - 1 &&
           (inner ? tree->root - PADICI_NUM_TREE_INNER < tree->used &&
                        padici_num_tree_node(tree, tree->root)->count == leaves
                  : tree->root < PADICI_NUM_TREE_INNER);
}

// 1 if the leaves are in order and each pair of neighbours diverges where the node between them
// says.
static int padici_num_tree_ordered(const padic_num_tree *tree, const padic_num_planes *p)
{
    uint32_t link, next, up;
    int after;
    if (!tree->count) return 1;
    link = padici_num_tree_first(tree, tree->root, UINT64_MAX);
    if (padici_num_tree_val(p, link) == PADIC_NUM_NAN) return 0;
    for (;; link = next) {
        next = padici_num_tree_next(tree, link, tree->root, UINT64_MAX);
        if (next == PADIC_NUM_TREE_NONE) return 1;
        up = padici_num_tree_gap(tree, link);
        if (padici_num_tree_val(p, next) == PADIC_NUM_NAN ||
            padici_num_tree_part(tree->points.ring, p, next, link, &after) !=
                padici_num_tree_node(tree, up)->place ||
            !after)
            return 0;
    }
}

PADIC_API padic_result padic_num_tree_validate(padic_context *context,
                                               const padic_num_tree_validate_desc *desc)
{
    padic_num_planes p;
    const padic_num_tree *const tree = desc ? desc->tree : NULL;
    padic_result result = padici_num_tree_points(context, tree, &p);
    if (!result && (!padici_num_tree_linked(tree) || !padici_num_tree_ordered(tree, &p)))
        result = padici_blame(context, PADIC_ERROR_CORRUPT, "tree", NULL,
                              "has a wrong link, count or place, or its numbers have changed");
    return result ? padici_fault(context, result, "num_tree_validate") : PADIC_OK;
}

#define PADICI_NUM_TREE_HEAD 32u
#define PADICI_NUM_TREE_SEED 0x545044u

// The bytes of a stream, and in at[] the offsets of bits, ids and checksum.
static uint64_t padici_num_tree_layout(uint64_t leaves, uint64_t bits, uint64_t at[3])
{
    at[0] = PADICI_NUM_TREE_HEAD;
    at[1] = at[0] + (bits + 63) / 64 * 8;
    at[2] = at[1] + (leaves + 1) / 2 * 8;
    return at[2] + 8;
}

// The p-ary tree in level order, one bit at a time: written to `out`, or compared with the `bits`
// bits of `in`. Returns their number, 0 if they differ. The queue in tree->work never holds more
// links than there are leaves.
static uint64_t padici_num_tree_levels(const padic_num_tree *tree, uint8_t *out, const uint8_t *in,
                                   uint64_t bits)
{
    uint64_t head = 0, tail = 1, at = 0;
    if (!tree->count) return 0;
    tree->work[0] = tree->root;
    for (; head < tail; head++) {
        const uint32_t top = tree->work[head % tree->count];
        uint64_t limit = 0;
        uint32_t link = PADIC_NUM_TREE_NONE;
        if (top >= PADICI_NUM_TREE_INNER) {
            limit = ((padici_num_tree_node(tree, top)->place >> 6) + 1) << 6;
            link = padici_num_tree_first(tree, top, limit);
        }
        for (;; at++) {
            const uint32_t bit = link != PADIC_NUM_TREE_NONE;
            if (out) out[at / 8] = (uint8_t)(out[at / 8] | bit << (at & 7));
            if (in && (at >= bits || (uint32_t)(in[at / 8] >> (at & 7) & 1) != bit)) return 0;
            if (!bit) break;
            tree->work[tail++ % tree->count] = link;
            link = padici_num_tree_next(tree, link, top, limit);
        }
        at++;
    }
    return at;
}

PADIC_API uint64_t padic_num_tree_write_size_bound(const padic_num_tree *tree)
{
    uint64_t at[3], n = tree && tree->leaf ? tree->count : 0;
    return tree && tree->leaf ? (size_t)padici_num_tree_layout(n, 4 * n, at) : 0;
}

// Bytes that a call reads or writes, in host memory.
static padic_result padici_num_tree_bytes(padic_context *context, const padic_bytes *bytes,
                                          const char *field, uint64_t size, uint8_t **p)
{
    padic_tensor t = padic_tensor_1d(PADIC_U8, bytes->data, size);
    void *plane;
    padic_result result;
    t.buffer = bytes->buffer;
    t.offset = bytes->offset;
    result = padici_num_plane(context, &t, size, 1u << PADIC_U8, &plane);
    *p = (uint8_t *)plane;
    return padici_blame(context, result, field, NULL,
                        result == PADIC_ERROR_ARGUMENT ? "has no memory" : NULL);
}

static void padici_num_tree_store(const padic_num_tree *tree, uint64_t bits, uint8_t *p)
{
    uint64_t at[3];
    const uint64_t total = padici_num_tree_layout(tree->count, bits, at);
    uint32_t link = 0, i;
    memset(p, 0, (size_t)total);
    memcpy(p, "PDT1", 4);
    padici_store32(p + 4, (uint32_t)tree->points.model);
    padici_store32(p + 8, tree->points.ring->precision);
    padici_store32(p + 12, tree->count);
    padici_store64(p + 16, tree->points.ring->p);
    padici_store64(p + 24, bits);
    padici_num_tree_levels(tree, p + at[0], NULL, 0);
    for (i = 0; i < tree->count; i++) {
        link = i ? padici_num_tree_next(tree, link, tree->root, UINT64_MAX)
                 : padici_num_tree_first(tree, tree->root, UINT64_MAX);
        padici_store32(p + at[1] + 4 * (size_t)i, link);
    }
    padici_store64(p + at[2], padici_checksum(p, (size_t)at[2], PADICI_NUM_TREE_SEED));
}

PADIC_API padic_result padic_num_tree_write(padic_context *context,
                                            const padic_num_tree_write_desc *desc)
{
    const padic_num_tree *const tree = desc ? desc->tree : NULL;
    uint8_t *p;
    uint64_t at[3], bits, total;
    padic_result result = PADIC_OK;
    if (desc && desc->report) desc->report->size = 0;
    if (!tree || !tree->leaf)
        return padici_fail_in(context, PADIC_ERROR_ARGUMENT, "num_tree_write",
                              "desc or tree is NULL, or tree was not made by num_tree_init");
    bits = padici_num_tree_levels(tree, NULL, NULL, 0);
    total = padici_num_tree_layout(tree->count, bits, at);
    if (desc->report) desc->report->size = total;
    if (desc->out.capacity < total)
        result = padici_blame(context, PADIC_ERROR_CAPACITY, "out", "capacity",
                              "is too small: the report tells the size, and "
                              "num_tree_write_size_bound one that is enough");
    if (!result) result = padici_num_tree_bytes(context, &desc->out, "out", total, &p);
    if (!result) result = padici_num_tree_apart(context, tree, "out", p, total);
    if (result) return padici_fault(context, result, "num_tree_write");
    padici_num_tree_store(tree, bits, p);
    return PADIC_OK;
}

// Checks header and checksum of a stream against the tree it is read into.
static padic_result padici_num_tree_head(const padic_num_tree *tree, const uint8_t *p,
                                         uint64_t size, uint64_t at[3])
{
    uint64_t bits, n;
    if (size < PADICI_NUM_TREE_HEAD + 8 || memcmp(p, "PDT", 3)) return PADIC_ERROR_CORRUPT;
    if (p[3] != '1') return PADIC_ERROR_VERSION;
    n = padici_load32(p + 12);
    bits = padici_load64(p + 24);
    if (bits > 4 * n || (bits & 1) != (n != 0) || padici_num_tree_layout(n, bits, at) != size)
        return PADIC_ERROR_CORRUPT;
    if (padici_load64(p + at[2]) != padici_checksum(p, (size_t)at[2], PADICI_NUM_TREE_SEED))
        return PADIC_ERROR_CHECKSUM;
    if (padici_load32(p + 4) != (uint32_t)tree->points.model ||
        padici_load32(p + 8) != tree->points.ring->precision ||
        padici_load64(p + 16) != tree->points.ring->p)
        return PADIC_ERROR_RING;
    return n > tree->capacity ? PADIC_ERROR_CAPACITY : PADIC_OK;
}

// Inserts the ids of a stream with a valid header. It must be bit for bit what would be written,
// including the padding.
static int padici_num_tree_load_ids(padic_num_tree *tree, const padic_num_planes *planes,
                                    const uint8_t *p, const uint64_t at[3])
{
    const uint64_t n = padici_load32(p + 12), bits = padici_load64(p + 24);
    uint64_t i;
    uint32_t link = 0;
    for (i = 0; i < n; i++)
        if (padici_num_tree_insert(tree, planes, padici_load32(p + at[1] + 4 * i))) return 0;
    for (i = 0; i < n; i++) {
        link = i ? padici_num_tree_next(tree, link, tree->root, UINT64_MAX)
                 : padici_num_tree_first(tree, tree->root, UINT64_MAX);
        if (padici_load32(p + at[1] + 4 * i) != link) return 0;
    }
    if (padici_num_tree_levels(tree, NULL, p + at[0], bits) != bits) return 0;
    for (i = bits; i < (at[1] - at[0]) * 8; i++)
        if (p[at[0] + i / 8] >> (i & 7) & 1) return 0;
    return !(n & 1 && padici_load32(p + at[2] - 4));
}

PADIC_API padic_result padic_num_tree_read(padic_context *context,
                                           const padic_num_tree_read_desc *desc)
{
    padic_num_tree *const tree = desc ? desc->tree : NULL;
    padic_num_planes planes;
    uint64_t at[3];
    uint8_t *p;
    padic_result result = padici_num_tree_points(context, tree, &planes);
    if (!result) {
        padici_num_tree_clear(tree);
        result = padici_num_tree_bytes(context, &desc->bytes, "bytes", desc->bytes.size, &p);
        if (!result)
            result = padici_num_tree_apart(context, tree, "bytes", p, desc->bytes.size);
    }
    if (!result) {
        result = padici_num_tree_head(tree, p, desc->bytes.size, at);
        if (!result && !padici_num_tree_load_ids(tree, &planes, p, at))
            result = PADIC_ERROR_CORRUPT;
        if (result) padici_num_tree_clear(tree);
        padici_blame(context, result, "bytes", NULL, NULL);
    }
    return result ? padici_fault(context, result, "num_tree_read") : PADIC_OK;
}

#undef PADICI_NUM_TREE_HEAD
#undef PADICI_NUM_TREE_SEED

#endif
