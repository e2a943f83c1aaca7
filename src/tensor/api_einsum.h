#pragma once
// ----------------------------------------------------------------------------------- >>einsum API
//
// Contraction of up to 64 tensors with up to 128 labels, a pair at a time:
//
//     const char *expression = "ab,bc,cd->ad"    letters, spaces ignored
//
// A label that the result lacks is summed over; one that a tensor has twice takes its diagonal; one
// that three or more have is one index of all of them. "..." stands for the axes that have no
// letter, the last ones of the tensors on top of each other; only there an axis of 1 is stretched.
// Without "->" the result has the axes of "..." and then the labels that occur once, capitals
// first. Real with complex is complex; all are of one precision, and the result is complex when
// one of them is. A size of 0 among the summed labels gives zeros.
//
// Each step is a padic_tensor_contract() that reads through strides. Its result lies in the
// workspace, unless it is the last one. Errors: those of padic_tensor_contract(); ARGUMENT and
// MISMATCH in an expression, and LIMIT above 64 tensors or 128 labels, with the character in the
// message and in the path's position; LIMIT above 2^63 bytes or above memory_limit, CAPACITY in a
// workspace that is too small, with the bytes needed in the message; MEMORY. OVERLAP: the result or
// the workspace shares memory with another one.

#define PADIC_TENSOR_MAX_OPERANDS 64
#define PADIC_TENSOR_MAX_LABELS 128
#define PADIC_TENSOR_MAX_SLICED 20
#define PADIC_TENSOR_NO_OPERAND 255 // as the right one of a step: there is but one operand

typedef enum padic_tensor_method {
    // Up to 14 operands: the best of all orders without needless outer products. Else the best of
    // 33 greedy ones by size(result) - size(a) - size(b): the plain one, and 32 that take one of
    // the 8 best pairs at random (Smith and Gray 2018). Both D0.
    PADIC_TENSOR_METHOD_AUTO = 0,
    PADIC_TENSOR_METHOD_LEFT = 1, // ((0 1) 2) 3 ...
    PADIC_TENSOR_METHOD_GIVEN = 2 // left[] and right[] of the desc's path
} padic_tensor_method;

typedef enum padic_tensor_objective { // what AUTO makes small
    PADIC_TENSOR_OBJECTIVE_FLOPS = 0,
    PADIC_TENSOR_OBJECTIVE_PEAK = 1,  // bytes of results in use at a time
    PADIC_TENSOR_OBJECTIVE_WRITES = 2 // flops and 64 for each element written
} padic_tensor_objective;

typedef struct padic_tensor_term { // an operand, or the result
    padic_tensor tensor;
    const uint8_t *labels; // without an expression: one per axis, any values
    const uint64_t *dims;  // splits the axes of `tensor` (those next to each other may be joined)
    uint32_t rank;         // of dims, up to 64; NULL dims: 0
    uint32_t conj;         // 1: conjugate it; not the result
} padic_tensor_term;

// Step s contracts `left` with `right`: operands are 0 to operands - 1, the result of step s is
// operands + s. Labels in `slice` are numbers: of letters 0 for A to 51 for z, 127 for the last
// axis of "..." and so on down, of label arrays their places among the values in use.
typedef struct padic_tensor_path {
    uint32_t operands, steps;
    uint8_t left[PADIC_TENSOR_MAX_OPERANDS], right[PADIC_TENSOR_MAX_OPERANDS];
    uint32_t slice_count;
    uint8_t slice[PADIC_TENSOR_MAX_SLICED];
    uint64_t slices;          // times that the steps are done: product of the sizes of `slice`
    uint64_t flops;           // 2 per product and sum, 8 where the step is complex; all slices
    uint64_t writes;          // elements written, all slices
    uint64_t peak_bytes;      // of results in use at a time, rounded up to 64 bytes each
    uint64_t workspace_bytes; // with the gaps between them: what padic_tensor_einsum() uses
    uint32_t position;        // after an error in an expression: the character
} padic_tensor_path;

typedef struct padic_tensor_einsum_desc {
    const char *expression; // NULL: labels of the terms
    const padic_tensor_term *operands;
    uint32_t count;
    padic_tensor_term out;
    padic_tensor_math math; // of all steps
    padic_tensor_method method;
    padic_tensor_objective objective;
    // Most bytes of workspace; 0: any. Labels are fixed one by one, that with the least added flops
    // first, and the steps done for each of their values, until it fits (Gray, Kourtis 2021). More
    // than 2^20 slices are an error.
    uint64_t memory_limit;
    const padic_tensor_path *path; // of these shapes; NULL: found here, the last one is kept
    padic_tensor workspace; // U8, rank 1; absent: of the context's pool, without one malloc's
} padic_tensor_einsum_desc;

// Without a context the tensors and the workspace are host memory. Besides the workspace a call
// needs about 100 KiB while it runs, or 1.2 MiB while it searches for a path. A progress hook
// counts the steps of all slices; after CANCELLED `out` is undefined.
PADIC_API padic_result padic_tensor_einsum(padic_context *context,
                                           const padic_tensor_einsum_desc *desc);
// The path that padic_tensor_einsum() takes without one, and what it costs. Reads shapes and
// strides, no element, and needs no memory in the tensors. The desc's path is read with GIVEN only
// (and may be *path). A context serves its allocator and message only. D0.
PADIC_API padic_result padic_tensor_einsum_info(padic_context *context,
                                                const padic_tensor_einsum_desc *desc,
                                                padic_tensor_path *path);
// Returns the bytes of workspace that padic_tensor_einsum() needs, 64 where it needs none: those of
// the desc's path, or of that found. 0: an error, which the context's message tells.
PADIC_API uint64_t padic_tensor_einsum_workspace(padic_context *context,
                                                 const padic_tensor_einsum_desc *desc);

// Pair pooling, a layer of the library that this one replaces: with v_p the numbers of tensor 2p
// and after them those of tensor 2p + 1,
//
//     out[p] = (v_p U_p) W_p        tensors (N, d, d), U (N/2, 2d^2, 2d^2), W (N/2, 2d^2, d_out)
//
// rows times matrices, transposed and not conjugated: out (N/2, d_out). It is no MERA layer. With
// `fused` (N/2, 2d^2, d_out), made by padic_tensor_pair_pool_fuse(), U and W are not read: the same
// to rounding from (2d^2 + d_out) / d_out times fewer numbers. Strides, dtypes, errors and
// workspace as in padic_tensor_einsum(): v U lies there, N d^2 numbers, rounded up to 64 bytes;
// none with `fused`. ARGUMENT: N is odd, a rank. MISMATCH: a shape.
typedef struct padic_tensor_pair_pool_desc {
    padic_tensor tensors, u, w, out;
    padic_tensor fused;     // optional: then u and w are not read
    padic_tensor workspace; // optional
} padic_tensor_pair_pool_desc;
PADIC_API padic_result padic_tensor_pair_pool(padic_context *context,
                                              const padic_tensor_pair_pool_desc *desc);
// As padic_tensor_einsum_workspace().
PADIC_API uint64_t padic_tensor_pair_pool_workspace(padic_context *context,
                                                    const padic_tensor_pair_pool_desc *desc);

// out = U W, for `fused` above.
typedef struct padic_tensor_pair_pool_fuse_desc {
    padic_tensor u, w, out;
} padic_tensor_pair_pool_fuse_desc;
PADIC_API padic_result padic_tensor_pair_pool_fuse(padic_context *context,
                                                   const padic_tensor_pair_pool_fuse_desc *desc);

