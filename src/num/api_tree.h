#pragma once
// ----------------------------------------------------------------------------------- >>tree API
//
// The ultrametric tree of a set of p-adic numbers: the trie of their digits, lowest first, in which
// a node that does not branch is left out. Two numbers part at depth v(x - y), so their distance
// p^-depth is that of their lowest common ancestor; a ball is a subtree; and the clusters of single
// linkage at radius p^-r are the balls of that radius. Nodes hold absolute exponents, so a new
// smallest valuation changes no other node.
//
// Numbers are elements of one RING or FLOAT array, `points`, which must outlive the tree; those in
// the tree must not change. An id is an index below 2^31. Digits beyond the N of a unit are 0, and
// ZERO has only those. Leaf order is lexicographic by digit from the lowest exponent on, then by
// id. A digit is compared bit by bit, from its highest, so inner nodes have two children: there are
// n - 1 of them for n leaves, whatever p is, and a step over a digit takes at most log2 p nodes.
// The same set has the same tree, however it was made.

#define PADIC_NUM_TREE_NONE UINT32_MAX

// Links: below 2^31 a leaf, by its id; from 2^31 on an inner node.
typedef struct padic_num_tree_node {
    uint64_t place; // where its halves part: (exponent + 2^31) 64 + leading zeros of the bit's word
    uint32_t child[2], parent;
    uint32_t count; // leaves in its subtree; 0: free
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

// Bytes for a tree of at most `capacity` leaves (0: points->count), 28 for each leaf and 4 for each
// id; 0 if that makes no sense, or padic_num_tree_init() would refuse the points.
PADIC_API uint64_t padic_num_tree_size_bound(const padic_num_array *points, uint64_t capacity);

// The calls below work on the calling thread, on a tree, numbers and tensors in host memory;
// only the numbers that are asked about (`query`) and the answers of padic_num_tree_nearest()
// may lie on a device. Common errors: ARGUMENT (a tree that was not made, an id that is
// unknown), DTYPE, MISMATCH (counts), RING (query and points), OVERLAP (ids, bytes or a result
// over the memory of the tree or of its index), NOT_SUPPORTED (a buffer in a device's memory).
// `context` may be NULL; it takes the message of an error.

// Makes an empty tree in the caller's memory, which must last as long as the tree. Errors: ARGUMENT
// and ALIGNMENT (memory), NOT_SUPPORTED (BALL, composite radix), LIMIT (2^31 - 2 ids or more),
// CAPACITY.
typedef struct padic_num_tree_init_desc {
    padic_num_tree *tree; // written
    padic_num_array points;
    uint64_t capacity;    // leaves at most; 0: points.count
    padic_tensor memory;  // U8 of rank 1, 8-byte aligned, padic_num_tree_size_bound() bytes or more
} padic_num_tree_init_desc;
PADIC_API padic_result padic_num_tree_init(padic_context *context,
                                           const padic_num_tree_init_desc *desc);

// Inserts these ids, in any order, into the tree after it was emptied. On an error the tree is
// empty: ARGUMENT (an id twice or unknown), DOMAIN (a NaN), CAPACITY.
typedef struct padic_num_tree_build_report {
    uint64_t inserted; // on an error: before the id that was refused
} padic_num_tree_build_report;
typedef struct padic_num_tree_build_desc {
    padic_num_tree *tree;
    padic_tensor ids; // U32; absent: all
    padic_num_tree_build_report *report; // optional
} padic_num_tree_build_desc;
PADIC_API padic_result padic_num_tree_build(padic_context *context,
                                            const padic_num_tree_build_desc *desc);

// Inserts these ids, one after the other, in O(depth log p) each. Drops the index. The first id
// that is refused ends the call; those before it are in the tree: ARGUMENT (there is no such id, or
// it is in the tree already), DOMAIN (a NaN), CAPACITY.
typedef struct padic_num_tree_insert_report {
    uint64_t inserted; // on an error: ids[inserted] is the one that was refused
} padic_num_tree_insert_report;
typedef struct padic_num_tree_insert_desc {
    padic_num_tree *tree;
    padic_tensor ids; // U32
    padic_num_tree_insert_report *report; // optional
} padic_num_tree_insert_desc;
PADIC_API padic_result padic_num_tree_insert(padic_context *context,
                                             const padic_num_tree_insert_desc *desc);

// Takes these ids out, in the same way. ARGUMENT: one is not in the tree.
typedef struct padic_num_tree_erase_report {
    uint64_t erased; // on an error: ids[erased] is the one that was refused
} padic_num_tree_erase_report;
typedef struct padic_num_tree_erase_desc {
    padic_num_tree *tree;
    padic_tensor ids; // U32
    padic_num_tree_erase_report *report; // optional
} padic_num_tree_erase_desc;
PADIC_API padic_result padic_num_tree_erase(padic_context *context,
                                            const padic_num_tree_erase_desc *desc);

// Makes the time of padic_num_tree_lca() independent of the length of the numbers, by a table of
// 4 log2(n) bytes for each leaf, until ids are inserted or erased. CAPACITY, ALIGNMENT.
typedef struct padic_num_tree_index_desc {
    padic_num_tree *tree;
    padic_tensor memory; // U8 of rank 1, 4-byte aligned, padic_num_tree_index_size_bound() bytes
} padic_num_tree_index_desc;
PADIC_API uint64_t padic_num_tree_index_size_bound(const padic_num_tree *tree);
PADIC_API padic_result padic_num_tree_index(padic_context *context,
                                            const padic_num_tree_index_desc *desc);

// Depths of lowest common ancestors: out[i] = v(x - y), x and y the numbers first[i] and second[i];
// ZERO if they are equal. O(1) each with an index, else by comparing the two numbers. ARGUMENT: an
// id that is not in the tree; the call ends there.
typedef struct padic_num_tree_lca_report {
    uint64_t done; // pairs; on an error: pair `done` was refused
} padic_num_tree_lca_report;
typedef struct padic_num_tree_lca_desc {
    const padic_num_tree *tree;
    padic_tensor first, second; // U32, as many of each: ids
    padic_tensor out;           // I32, one for each pair
    padic_num_tree_lca_report *report; // optional
} padic_num_tree_lca_desc;
PADIC_API padic_result padic_num_tree_lca(padic_context *context,
                                          const padic_num_tree_lca_desc *desc);

// Finds the k nearest points to each of m numbers: largest v(x - y) first, ties by leaf order. A
// point of the tree that equals x is its nearest (ask for k + 1 to skip it). Rows are filled up
// with NONE and NAN. A query that is NaN gets such a row, and the result is DOMAIN, all else done.
typedef struct padic_num_tree_nearest_desc {
    const padic_num_tree *tree;
    padic_num_array query; // of the ring and model of the points; RX: with workspace
    padic_tensor ids;      // U32, m k elements: shape (m, k)
    padic_tensor val;      // optional: I32, v(x - y)
} padic_num_tree_nearest_desc;
PADIC_API padic_result padic_num_tree_nearest(padic_context *context,
                                              const padic_num_tree_nearest_desc *desc);

// Finds all points y with v(x - y) >= depth, in leaf order: a run of leaves. x is element `index`
// of `query`. The first of them are written, as many as `out` has room for. DOMAIN: x is NaN.
typedef struct padic_num_tree_ball_report {
    uint64_t count; // of points in the ball
} padic_num_tree_ball_report;
typedef struct padic_num_tree_ball_desc {
    const padic_num_tree *tree;
    padic_num_array query; // of the ring and model of the points
    uint64_t index;
    int32_t depth;
    padic_tensor out; // U32: ids; absent: none are written
    padic_num_tree_ball_report *report; // optional
} padic_num_tree_ball_desc;
PADIC_API padic_result padic_num_tree_ball(padic_context *context,
                                           const padic_num_tree_ball_desc *desc);

// Labels the clusters of a depth: out[id] is the smallest id in the ball of radius p^-depth around
// it, so that a label stays as its cluster grows; NONE: not in the tree.
typedef struct padic_num_tree_clusters_report {
    uint64_t count; // of clusters
} padic_num_tree_clusters_report;
typedef struct padic_num_tree_clusters_desc {
    const padic_num_tree *tree;
    int32_t depth;
    padic_tensor out; // U32, points.count elements
    padic_num_tree_clusters_report *report; // optional
} padic_num_tree_clusters_desc;
PADIC_API padic_result padic_num_tree_clusters(padic_context *context,
                                               const padic_num_tree_clusters_desc *desc);

// Checks every link, count and place, and the order of the leaves against their numbers: CORRUPT.
// Only the pointers and `capacity` are taken on trust. The other calls trust a tree in full.
typedef struct padic_num_tree_validate_desc {
    const padic_num_tree *tree;
} padic_num_tree_validate_desc;
PADIC_API padic_result padic_num_tree_validate(padic_context *context,
                                               const padic_num_tree_validate_desc *desc);

// Writes the tree as bytes, which are the same for the same set: "PDT1", model, N, leaves (u32
// each), p, number of bits (u64 each), the p-ary tree in level order (a node with d children is d
// ones and a zero: 2 bits for each node), padded to 8 bytes, the ids in leaf order (u32), padded,
// and a checksum. The numbers are not in it: write `points` with padic_num_write(). CAPACITY:
// report->size is what is needed.
typedef struct padic_num_tree_write_report {
    uint64_t size; // bytes written
} padic_num_tree_write_report;
typedef struct padic_num_tree_write_desc {
    const padic_num_tree *tree;
    padic_bytes out;
    padic_num_tree_write_report *report; // optional
} padic_num_tree_write_desc;
PADIC_API uint64_t padic_num_tree_write_size_bound(const padic_num_tree *tree);
PADIC_API padic_result padic_num_tree_write(padic_context *context,
                                            const padic_num_tree_write_desc *desc);
// Reads bytes into a tree of padic_num_tree_init() over the same numbers. Any bytes are safe. On an
// error the tree is empty: CORRUPT (also if the numbers are others), CHECKSUM, VERSION, RING (or
// model), CAPACITY.
typedef struct padic_num_tree_read_desc {
    padic_num_tree *tree;
    padic_bytes bytes;
} padic_num_tree_read_desc;
PADIC_API padic_result padic_num_tree_read(padic_context *context,
                                           const padic_num_tree_read_desc *desc);

// Runs a small fixed set of everything D0 of numbers, in every form, and returns a hash, as
// padic_self_hash() does for padic.h. `memory` is working memory of PADIC_NUM_SELF_HASH bytes; 0 if
// it is NULL.
#define PADIC_NUM_SELF_HASH 65536u
PADIC_API uint64_t padic_num_self_hash(void *memory);

