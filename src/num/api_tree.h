#pragma once
// ----------------------------------------------------------------------------------- >>tree API
//
// The ultrametric tree of a set of p-adic numbers: the trie of their digits, lowest first, in which
// a node that does not branch is left out. Two numbers part at depth v(x - y), so their distance
// p^-depth is that of their lowest common ancestor; a ball is a subtree; and the clusters of single
// linkage at radius p^-r are the balls of that radius. Nodes hold absolute exponents, so a new
// smallest valuation changes no other node.
//
// Numbers are elements of one RING or FLOAT array, `points`, which outlives the tree and does not
// change where the tree knows it; an id is an index below 2^31. Digits beyond the N of a unit are
// 0, and ZERO has only those. Leaf order is lexicographic by digit from the lowest exponent on,
// then by id. A digit is looked at bit by bit, from its highest, so inner nodes have two children:
// n - 1 for n leaves, whatever p is, and a step over a digit takes at most log2 p nodes. The same
// set has the same tree, however it was made.

#define PADIC_NUM_TREE_NONE UINT32_MAX

// Links: below 2^31 a leaf, by its id; from 2^31 on an inner node.
typedef struct padic_num_tree_node {
    uint64_t place; // where its halves part: (exponent + 2^31) 64 + leading zeros of the bit's word
    uint32_t child[2], parent;
    uint32_t count; // leaves below; 0: free
} padic_num_tree_node;

// For reading. Made by padic_num_tree_init(); a copy shares its memory.
typedef struct padic_num_tree {
    padic_num_array points;
    padic_num_tree_node *node; // inner nodes, `capacity` of them
    uint32_t *leaf;            // the parent of each id, or NONE if it is not in the tree
    uint32_t *work;            // `capacity`, of write and read
    uint32_t capacity, count;  // leaves, at most and now
    uint32_t root, used, free; // a link; nodes ever used; a list of free ones by child[0]
    uint32_t *index;           // of padic_num_tree_index(), or NULL
} padic_num_tree;

// Bytes for a tree of at most `capacity` leaves (0: points->count), 28 a leaf and 4 an id; 0 if
// that makes no sense.
PADIC_API uint64_t padic_num_tree_size_bound(const padic_num_array *points, uint64_t capacity);
// An empty tree in the caller's memory (8-byte aligned). ARGUMENT, NOT_SUPPORTED (BALL, composite
// radix), LIMIT (2^31 - 2 ids or more), CAPACITY.
PADIC_API padic_result padic_num_tree_init(padic_num_tree *tree, const padic_num_array *points,
                                           uint64_t capacity, void *memory, size_t size);
// Inserts these ids (U32, any order), or all if NULL, into an empty tree. ARGUMENT: an id twice or
// unknown; DOMAIN: a NaN; CAPACITY. Then the tree is empty.
PADIC_API padic_result padic_num_tree_build(padic_num_tree *tree, const padic_tensor *ids);
// O(depth log p). ARGUMENT: there is no such id, it is in the tree already (erase: it is not);
// DOMAIN: a NaN; CAPACITY. Both drop the index.
PADIC_API padic_result padic_num_tree_insert(padic_num_tree *tree, uint64_t id);
PADIC_API padic_result padic_num_tree_erase(padic_num_tree *tree, uint64_t id);

// Makes LCA queries independent of the length of numbers, in padic_num_tree_index_size_bound()
// bytes: 4 log2(n) a leaf. CAPACITY, ARGUMENT (alignment of 4).
PADIC_API uint64_t padic_num_tree_index_size_bound(const padic_num_tree *tree);
PADIC_API padic_result padic_num_tree_index(padic_num_tree *tree, void *memory, size_t size);
// Depth of the lowest common ancestor: v(x - y), ZERO if x = y. O(1) with an index, else by
// comparing the two numbers. ARGUMENT: an id that is not in the tree.
PADIC_API padic_result padic_num_tree_lca(const padic_num_tree *tree, uint64_t a, uint64_t b,
                                          int32_t *depth);

// The k nearest points to each of m numbers: largest v(x - y) first, ties by leaf order. A point of
// the tree that equals x is its nearest (ask for k + 1 to skip it). Rows are filled up with NONE
// and NAN. A query that is NaN gets such a row, and the result is DOMAIN, all else done.
typedef struct padic_num_tree_nearest_desc {
    const padic_num_tree *tree;
    padic_num_array query; // of the ring and model of the points; RX: with workspace
    padic_tensor ids;      // U32, m k elements: shape (m, k)
    padic_tensor val;      // optional: I32, v(x - y)
} padic_num_tree_nearest_desc;
PADIC_API padic_result padic_num_tree_nearest(padic_context *context,
                                              const padic_num_tree_nearest_desc *desc);
// All points y with v(x - y) >= r, x element `index` of `query` (of the ring and model of the
// points), in leaf order: a run of leaves. *count is how many; the first of them are written, as
// many as `ids` (U32; NULL: none) has room for. DOMAIN: x is NaN.
PADIC_API padic_result padic_num_tree_ball(const padic_num_tree *tree, const padic_num_array *query,
                                           uint64_t index, int32_t r, const padic_tensor *ids,
                                           uint64_t *count);
// label[id] (U32, points.count elements) = the smallest id in the ball of radius p^-r around it, so
// that a label stays as its cluster grows; NONE: not in the tree. *clusters (may be NULL): how
// many.
PADIC_API padic_result padic_num_tree_clusters(const padic_num_tree *tree, int32_t r,
                                               const padic_tensor *label, uint64_t *clusters);

// Checks every link, count and place, and the order of the leaves against their numbers: CORRUPT.
// Only the pointers and `capacity` are taken on trust. The calls above trust a tree in full.
PADIC_API padic_result padic_num_tree_validate(const padic_num_tree *tree);

// The tree as bytes, the same for the same set: "PDT1", model, N, leaves (u32 each), p, number of
// bits (u64 each), the p-ary tree in level order (a node with d children is d ones and a zero: 2
// bits a node), padded to 8 bytes, the ids in leaf order (u32), padded, and a checksum. The numbers
// are not in it: write `points` with padic_num_write(). CAPACITY: *written is the size needed.
PADIC_API uint64_t padic_num_tree_write_size_bound(const padic_num_tree *tree);
PADIC_API padic_result padic_num_tree_write(const padic_num_tree *tree, void *data, size_t size,
                                            size_t *written);
// Into a tree of padic_num_tree_init() over the same numbers. Any bytes are safe. CORRUPT (also if
// the numbers are others), CHECKSUM, VERSION, RING (or model), CAPACITY: the tree is empty.
PADIC_API padic_result padic_num_tree_read(padic_num_tree *tree, const void *data, size_t size);

// Runs a small fixed set of everything D0 here, in every form, and returns a hash, as
// padic_self_hash() does for padic.h. `memory` is work space of PADIC_NUM_SELF_HASH bytes; 0 if it
// is NULL.
#define PADIC_NUM_SELF_HASH 65536u
PADIC_API uint64_t padic_num_self_hash(void *memory);

