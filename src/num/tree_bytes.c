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

// Whether an inner node in use fits its parent and children. If all do, places grow downwards, so
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

// Every link leads somewhere, and back.
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

PADIC_API padic_result padic_num_tree_validate(const padic_num_tree *tree)
{
    padic_num_planes p;
    uint32_t link, next, up;
    int after;
    padic_result result;
    if (!tree || !tree->leaf || !padici_num_ring_is(tree->points.ring)) return PADIC_ERROR_ARGUMENT;
    if ((result = padici_num_planes_of(NULL, &tree->points, &p)) != PADIC_OK) return result;
    if (!padici_num_tree_linked(tree)) return PADIC_ERROR_CORRUPT;
    if (!tree->count) return PADIC_OK;
    link = padici_num_tree_first(tree, tree->root, UINT64_MAX);
    if (padici_num_tree_val(&p, link) == PADIC_NUM_NAN) return PADIC_ERROR_CORRUPT;
    for (;; link = next) {
        next = padici_num_tree_next(tree, link, tree->root, UINT64_MAX);
        if (next == PADIC_NUM_TREE_NONE) return PADIC_OK;
        up = padici_num_tree_gap(tree, link);
        if (padici_num_tree_val(&p, next) == PADIC_NUM_NAN ||
            padici_num_tree_part(tree->points.ring, &p, next, link, &after) !=
                padici_num_tree_node(tree, up)->place ||
            !after)
            return PADIC_ERROR_CORRUPT;
    }
}

#define PADICI_NUM_TREE_HEAD 32u
#define PADICI_NUM_TREE_SEED 0x545044u

// Bytes of a stream, and in at[] where bits, ids and checksum begin.
static uint64_t padici_num_tree_layout(uint64_t leaves, uint64_t bits, uint64_t at[3])
{
    at[0] = PADICI_NUM_TREE_HEAD;
    at[1] = at[0] + (bits + 63) / 64 * 8;
    at[2] = at[1] + (leaves + 1) / 2 * 8;
    return at[2] + 8;
}

// The p-ary tree in level order, a bit at a time: written to `out`, or compared with the `bits`
// bits of `in`; how many there are, 0 if they differ. No more links than leaves ever wait in
// tree->work.
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

PADIC_API padic_result padic_num_tree_write(const padic_num_tree *tree, void *data, size_t size,
                                            size_t *written)
{
    uint8_t *p = (uint8_t *)data;
    uint64_t at[3], bits, total;
    uint32_t link = 0, i;
    if (!tree || !tree->leaf || !written) return PADIC_ERROR_ARGUMENT;
    bits = padici_num_tree_levels(tree, NULL, NULL, 0);
    total = padici_num_tree_layout(tree->count, bits, at);
    *written = (size_t)total;
    if (size < total) return PADIC_ERROR_CAPACITY;
    if (!p) return PADIC_ERROR_ARGUMENT;
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
    return PADIC_OK;
}

PADIC_API padic_result padic_num_tree_read(padic_num_tree *tree, const void *data, size_t size)
{
    const uint8_t *p = (const uint8_t *)data;
    padic_num_planes planes;
    uint64_t at[3], bits, n, i;
    uint32_t link = 0;
    padic_result result;
    if (!tree || !tree->leaf || !p) return PADIC_ERROR_ARGUMENT;
    padici_num_tree_clear(tree);
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
    if (n > tree->capacity) return PADIC_ERROR_CAPACITY;
    result = padici_num_planes_of(NULL, &tree->points, &planes);
    for (i = 0; !result && i < n; i++)
        result = padici_num_tree_insert(tree, &planes, padici_load32(p + at[1] + 4 * i));
    if (result) {
        padici_num_tree_clear(tree);
        return PADIC_ERROR_CORRUPT;
    }
    // As it would be written, bit for bit, padding too.
    for (i = 0; i < n; i++) {
        link = i ? padici_num_tree_next(tree, link, tree->root, UINT64_MAX)
                 : padici_num_tree_first(tree, tree->root, UINT64_MAX);
        if (padici_load32(p + at[1] + 4 * i) != link) result = PADIC_ERROR_CORRUPT;
    }
    if (padici_num_tree_levels(tree, NULL, p + at[0], bits) != bits) result = PADIC_ERROR_CORRUPT;
    for (i = bits; i < (at[1] - at[0]) * 8; i++)
        if (p[at[0] + i / 8] >> (i & 7) & 1) result = PADIC_ERROR_CORRUPT;
    if (n & 1 && padici_load32(p + at[2] - 4)) result = PADIC_ERROR_CORRUPT;
    if (result) padici_num_tree_clear(tree);
    return result;
}

// Self hash

#define PADICI_NUM_HASH_COUNT 8u

// Everything lies in the caller's memory, since one array takes most of a stack frame.
typedef struct padici_num_hash_work {
    padic_num_ring ring;
    padic_num_array a, b, x;
    padic_num_random_desc random;
    padic_num_from_int_desc from_int;
    padic_num_to_rational_desc to_rational;
    padic_num_write_desc write;
    padic_num_write_report written;
    int64_t integers[2][PADICI_NUM_HASH_COUNT];
    uint32_t sticky;
    unsigned char bytes[2048];
} padici_num_hash_work;

// The byte form of an array is the same everywhere, so is its checksum. 0 if anything failed.
static PADICI_NOINLINE uint64_t padici_num_hash_array(uint64_t hash, padic_result result,
                                                  padici_num_hash_work *w)
{
    w->write.in = w->x;
    w->write.out = padic_bytes_out(w->bytes, sizeof w->bytes);
    w->write.report = &w->written;
    if (!result) result = padic_num_write(NULL, &w->write);
    if (result) return 0;
    return padici_mix(hash ^ padici_checksum(w->bytes, (size_t)w->written.size, hash));
}

// a and b hold random residues; x is room.
static uint64_t padici_num_hash_ring(uint64_t hash, padici_num_hash_work *w)
{
    const padic_num_array *a = &w->a, *b = &w->b, *x = &w->x;
    hash = padici_num_hash_array(hash, padic_num_add(NULL, x, a, b), w);
    hash = padici_num_hash_array(hash, padic_num_sub(NULL, x, a, b), w);
    hash = padici_num_hash_array(hash, padic_num_mul(NULL, x, a, b), w);
    hash = padici_num_hash_array(hash, padic_num_inv(NULL, x, a), w);
    hash = padici_num_hash_array(hash, padic_num_pow(NULL, x, a, 1000003), w);
    return padici_num_hash_array(hash, padic_num_fma(NULL, x, a, b, a), w);
}

// a and b hold small integers.
static uint64_t padici_num_hash_float(uint64_t hash, padici_num_hash_work *w)
{
    const padic_num_array *a = &w->a, *b = &w->b, *x = &w->x;
    padic_num_to_rational_desc *to = &w->to_rational;
    uint32_t i;
    hash = padici_num_hash_array(hash, padic_num_div(NULL, x, a, b), w);
    to->in = *x;
    to->numerator = padic_tensor_1d(PADIC_I64, w->integers[0], PADICI_NUM_HASH_COUNT);
    to->denominator = padic_tensor_1d(PADIC_I64, w->integers[1], PADICI_NUM_HASH_COUNT);
    to->sticky = &w->sticky;
    if (padic_num_to_rational(NULL, to)) return 0;
    for (i = 0; i < PADICI_NUM_HASH_COUNT; i++)
        hash = padici_mix(hash ^ (uint64_t)w->integers[0][i] ^ (uint64_t)w->integers[1][i] << 32);
    hash = padici_num_hash_array(hash, padic_num_add(NULL, x, x, b), w);
    hash = padici_num_hash_array(hash, padic_num_square(NULL, x, x), w);
    hash = padici_num_hash_array(hash, padic_num_sqrt(NULL, x, x), w);
    hash = padici_num_hash_array(hash, padic_num_teichmueller(NULL, x, a), w);
    hash = padici_num_hash_array(hash, padic_num_shift(NULL, x, a, a->ring->p == 2 ? 2 : 1), w);
    hash = padici_num_hash_array(hash, padic_num_exp(NULL, x, x), w);
    return padici_num_hash_array(hash, padic_num_log(NULL, x, x, 0), w);
}

// Room for an array at `at`, and in it random residues or integers of stream j.
static padic_result padici_num_hash_fill(padici_num_hash_work *w, padic_num_array *array,
                                     padic_num_model model, char *at, uint32_t j)
{
    const size_t size = padic_num_array_size_bound(&w->ring, model, PADICI_NUM_HASH_COUNT);
    padic_result result = padic_num_place(array, &w->ring, model, PADICI_NUM_HASH_COUNT, at, size);
    uint32_t k;
    array->sticky = &w->sticky;
    if (result || array == &w->x) return result;
    for (k = 0; k < PADICI_NUM_HASH_COUNT; k++)
        w->integers[j][k] = (int64_t)(padici_mix(k + 1 + 16 * j) % 2000) - 1000;
    w->random.out = w->from_int.out = *array;
    w->random.stream = j;
    w->from_int.in = padic_tensor_1d(PADIC_I64, w->integers[j], PADICI_NUM_HASH_COUNT);
    return model == PADIC_NUM_RING ? padic_num_random(NULL, &w->random)
                                   : padic_num_from_int(NULL, &w->from_int);
}

PADIC_API uint64_t padic_num_self_hash(void *memory)
{
    static const uint32_t rings[7][2] = {{257, 6}, {2, 53}, {2, 20}, {3, 20},
                                         {5, 27},  {257, 12}, {257, 40}};
    const uintptr_t up = (0u - (uintptr_t)memory) & 63;
    char *const base = memory ? (char *)memory + up : NULL;
    char *const planes =
        base ? base + ((sizeof(padici_num_hash_work) + 63) & ~(size_t)63) : NULL;
    const size_t third = (PADIC_NUM_SELF_HASH - 64 - (size_t)(planes - base)) / 192 * 64;
    padici_num_hash_work *const w = (padici_num_hash_work *)(void *)base;
    uint64_t hash = 0x9e3779b97f4a7c15u;
    uint32_t i, j;
    if (!memory) return 0;
    for (i = 0; i < 7; i++)
        for (j = PADIC_NUM_RING; j <= PADIC_NUM_BALL; j++) {
            const padic_num_model model = (padic_num_model)j;
            memset(w, 0, sizeof *w);
            if (padic_num_ring_init(&w->ring, rings[i][0], rings[i][1], NULL) ||
                padic_num_array_size_bound(&w->ring, model, PADICI_NUM_HASH_COUNT) > third ||
                padici_num_hash_fill(w, &w->a, model, planes, 0) ||
                padici_num_hash_fill(w, &w->b, model, planes + third, 1) ||
                padici_num_hash_fill(w, &w->x, model, planes + 2 * third, 0))
                return 0;
            hash = j ? padici_num_hash_float(hash, w) : padici_num_hash_ring(hash, w);
            if (!hash) return 0;
        }
    return hash;
}


#undef PADICI_NUM_TREE_HEAD
#undef PADICI_NUM_TREE_SEED
#undef PADICI_NUM_HASH_COUNT

#endif
