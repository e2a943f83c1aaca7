// padic_tensor.h: tensors. padic.h includes it when it lies beside it.
// Part of padic.h 0.1.0; MIT or Unlicense.
//
// >>contents: search for the tag
//
//     >>tensor API          matrix products, contractions, factorisations, entropies
//     >>einsum API          many tensors at once: paths, workspace
//     >>code API            perfect tensors, holographic codes
//     >>mera API            layers of a MERA
//     >>tensor impl         the plain reference
//     >>einsum impl         expressions, paths, steps
//     >>code impl           tiles, stabilisers, cuts
//     >>mera impl           chains of contractions, forwards and backwards
//     >>tensor operations   their rows of the op table in padic.h

#ifndef PADIC_HEADER
#include "padic.h" // which includes this file where it belongs
#else

#ifndef PADIC_TENSOR_H
#define PADIC_TENSOR_H

// room: src/tensor/api.h
// ----------------------------------------------------------------------------------- >>tensor API
//
// Matrix products and contractions of tensors of any strides. All operands are F32, F64, C64 or
// C128 and of one precision; `c` is complex when `a` or `b` is. What is read (a, b) may have any
// strides: negative, or 0, which repeats an axis (not all of them 0, which means dense: give an
// axis of 1 a stride of 1). `c` has positive strides and shares no memory with a or b.
//
// What is beyond the dtype is infinite, and a NaN stays one, as IEEE 754 has it; what other
// operations cannot tell they refuse as NOT_FINITE.
//
// The reference adds in F64, in the order of k, and rounds once. A device adds in the precision of
// the operands, in fixed blocks of k. D1. With u = 2^-24 (2^-53 for F64 and C128), k the number of
// products in a sum and |A| |B| the product of the absolute values:

typedef enum padic_tensor_math {
    PADIC_TENSOR_EXACT = 0, // 4 real products: |error of c| <= 4 (k + 2) u |A| |B|
    PADIC_TENSOR_GAUSS = 1, // 3 real products: Frobenius norm <= 8 (k + 2) u ||A|| ||B||
    // Tensor cores, each number in two pieces of 11 bits, three products, small ones first.
    // Relative in the Frobenius norm <= 1e-6 for N(0,1) data, k <= 1024.
    PADIC_TENSOR_SPLIT = 2,
    PADIC_TENSOR_TF32 = 3 // tensor cores, one piece: relative 2e-3. Only ever by this name.
} padic_tensor_math;
// GAUSS, SPLIT and TF32 say what is good enough: where there is no faster way (real numbers, F64,
// no tensor cores, narrow matrices, the reference) they are EXACT. Tensor cores take memory for the
// pieces of a and b: up to 256 MiB from the pool, or what the matrices of one batch fill if larger;
// on Hopper chips (sm_90) only where rows, columns or the sum are several axes.

typedef enum padic_tensor_op {
    PADIC_TENSOR_N = 0,   // as it is
    PADIC_TENSOR_T = 1,   // transposed
    PADIC_TENSOR_C = 2,   // transposed and conjugated
    PADIC_TENSOR_CONJ = 3 // conjugated
} padic_tensor_op;

// C = alpha op(A) op(B) + beta C: op(A) is m x k, op(B) k x n, C m x n, all of one dtype. With one
// more axis in front, C is a batch of products, and so is A or B, or it is the same for all of them
// (rank 2, or stride 0). k = 0: C = beta C.
// Errors: DTYPE; MISMATCH of shapes or dtypes; ARGUMENT: rank, op, math, imaginary alpha or beta of
// real numbers; OVERLAP; DOMAIN: alpha or beta not finite; LIMIT.
//
// With `groups` it is that many products of any sizes, on a device in one launch (there all by
// EXACT; the table of groups goes up with it). Then a, b and c are dense tensors of rank 1 in which
// the matrices lie; those of c follow each other, the next one not before the end of the last.
// Errors besides: ARGUMENT: one of groups and group_count without the other, a rank or stride, a c
// out of order; MISMATCH: a matrix beyond the end of its tensor, a line shorter than a row.
typedef struct padic_tensor_gemm_group {
    uint64_t m, n, k; // op(A) is m x k, op(B) k x n, C m x n
    uint64_t a, b, c; // where the first element of each lies, in elements
    uint64_t line_a, line_b, line_c; // elements from row to row in memory; 0: no gap
} padic_tensor_gemm_group;

typedef struct padic_tensor_gemm_desc {
    padic_tensor a, b, c;
    uint32_t op_a, op_b; // padic_tensor_op
    uint32_t math;       // padic_tensor_math
    double alpha[2];     // real, imaginary; both 0: 1
    double beta[2];      // 0: c is only written, whatever it held
    const padic_tensor_gemm_group *groups; // optional
    uint32_t group_count;
} padic_tensor_gemm_desc;
PADIC_API padic_result padic_tensor_gemm(padic_context *context,
                                         const padic_tensor_gemm_desc *desc);

// Two tensors contracted by labels: every axis has one, and
//
//     c[labels_c] = alpha sum a[labels_a] b[labels_b] + beta c[labels_c],
//
// summed over all values of the labels that are not in labels_c. So a label of a, b and c is a
// batch axis, of a and c a row, of b and c a column; one of a and b only is contracted, one of a
// alone or of b alone summed. A label that a tensor has twice takes its diagonal. Sizes of one
// label agree. Nothing is permuted to memory: it is a matrix product that reads through strides.
// c may have no label twice and none that neither a nor b has. Real with complex is complex.
// Errors: as above; ARGUMENT: labels that are missing, too many, unknown or twice in c.
typedef struct padic_tensor_contract_desc {
    padic_tensor a, b, c;
    uint8_t labels_a[PADIC_MAX_RANK]; // one an axis, 1 to 255; 0 after the last
    uint8_t labels_b[PADIC_MAX_RANK];
    uint8_t labels_c[PADIC_MAX_RANK];
    uint32_t conj; // 1: conjugate a, 2: b, 3: both
    uint32_t math; // padic_tensor_math
    double alpha[2], beta[2];
} padic_tensor_contract_desc;
PADIC_API padic_result padic_tensor_contract(padic_context *context,
                                             const padic_tensor_contract_desc *desc);

// Sets the labels from "abc,cbd->ad": letters, spaces ignored. Without "->" c has the labels that
// occur once, in the order of the alphabet, capitals first. Nothing else of the desc is touched.
// Errors: ARGUMENT (*position is the character where reading stopped; NULL is fine), LIMIT above
// 8 labels for one tensor. On an error the desc is as it was.
PADIC_API padic_result padic_tensor_labels(const char *expression,
                                           padic_tensor_contract_desc *desc, uint32_t *position);

// Factorisations of a matrix A (m x n), or of each matrix of a batch (one more axis in front), F32,
// F64, C64 or C128; r is the smaller of m and n. What is read may have any strides. The reference
// works in F64 and rounds once, a matrix by one worker: D1. A result that is absent (dtype NONE) is
// not made. Working memory of the reference comes from the context's allocator (malloc without
// one): about 64 r max(m, n) bytes a worker. A device works in the precision of the operands, a
// matrix a group of items, where r <= 64 and the matrix fits into 11 KiB of its local memory (32
// KiB where it has 48 KiB: 64 x 64 numbers of C64); the next backend does others.
//
// `info`, optional, takes one result for each matrix of the batch: PADIC_OK; NOT_FINITE when A has
// a NaN or an infinity, or S, R or W would (scale A then), and nothing is written for it; DOMAIN
// when 30 sweeps were not enough, then the values so far are. The others are done all the same; the
// call returns the first that is not OK, and the context's message names the matrix. To hear of it
// a call waits for the device, so that it cannot be recorded. With `status`, a tensor (I32, one
// number for each matrix), the same numbers go there and nothing is said of them here: the call
// returns OK whatever they are, does not wait, and can be recorded; `info` must be NULL then. Other
// errors, before anything is written: DTYPE, MISMATCH, ARGUMENT, OVERLAP, MEMORY, LIMIT. In host
// memory a progress hook is told of matrices; after CANCELLED some of them are done, and all that
// is written of the others, `info` included, means nothing.

// A = U diag(S) Vh: U (m x r) has orthonormal columns, Vh (r x n) orthonormal rows, S (r) descends.
// One-sided Jacobi, after a QR when one side is longer than 1.2 r. The largest entry of each column
// of U is real and positive (of several, the first within 2^-20). Columns of U for which S <=
// max(m, n) eps S_0 are completed to an orthonormal set. Golub and Van Loan 8.6.
typedef struct padic_tensor_svd_desc {
    padic_tensor a;
    padic_tensor u, vh; // dtype of a; optional
    padic_tensor s;     // F32 for F32 and C64, else F64; optional
    int32_t *info;
    padic_tensor status; // I32, (B), or (1) of one matrix; optional
} padic_tensor_svd_desc;
PADIC_API padic_result padic_tensor_svd(padic_context *context, const padic_tensor_svd_desc *desc);

// A = Q R by Householder reflections: Q (m x r) has orthonormal columns, R (r x n) is upper
// triangular, its diagonal real and >= 0, so that the Q of a Gaussian matrix is Haar distributed.
typedef struct padic_tensor_qr_desc {
    padic_tensor a;
    padic_tensor q, r; // dtype of a; optional
    int32_t *info;
    padic_tensor status; // as above
} padic_tensor_qr_desc;
PADIC_API padic_result padic_tensor_qr(padic_context *context, const padic_tensor_qr_desc *desc);

// A = V diag(W) V^dagger, A Hermitian (n x n): its lower triangle is read, the imaginary part of
// the diagonal ignored. W (n) ascends; the largest entry of each column of V is real and positive,
// as above. Jacobi rotations up to n = 64, tridiagonal form and implicit QL steps above.
typedef struct padic_tensor_eigh_desc {
    padic_tensor a;
    padic_tensor v; // n x n, dtype of a; optional
    padic_tensor w; // as s above; optional
    int32_t *info;
    padic_tensor status; // as above
} padic_tensor_eigh_desc;
PADIC_API padic_result padic_tensor_eigh(padic_context *context,
                                         const padic_tensor_eigh_desc *desc);

// Entanglement of a pure state between the axes in `part` and the rest, or the entropies of a
// density matrix. p_i, descending, are the squared singular values of the state as a matrix, or the
// eigenvalues of rho, divided by their sum; p <= 1e-14 is dropped (F32, C64 and LEGACY: 1e-12).
//
//     von Neumann  -sum p ln p          Renyi  ln(sum p^a)/(1 - a); a = 0 ln rank, 1 von Neumann,
//     gap          p_0 - p_1                   infinity -ln p_0
//     spectrum     -ln p_i              negativity  ((sum sqrt p)^2 - 1)/2, of a pure state only
//
// States of F64 and C128 whose shorter side is at most 64 go by singular values, others by the Gram
// matrix of that side in F64: an absolute error of about 1e-15 r in p. The tensor may have any
// strides. A device does shorter sides up to 64: of F32 and C64 by the Gram matrix in F64 (without
// F64, or where that does not fit its local memory, by singular values, where the state fits), of
// F64 and C128 by singular values where the state fits, as for svd. With F64 it makes the Gram
// matrix of a state's shorter side up to 2048, whose eigenvalues the host finds. The next backend
// does others.
// The results are the caller's, so each call waits and none can be recorded. Errors: ARGUMENT (both
// or no tensor, a mask beyond the axes, an order < 0 or NaN, negativity of rho); DTYPE; MISMATCH
// (rho not square, dims);
// CAPACITY (*rank is what the spectrum needs); DOMAIN: a zero state, an eigenvalue of rho below
// -1e-6 of the trace; NOT_FINITE; LIMIT; MEMORY. On an error nothing else is written.
typedef enum padic_tensor_unit {
    PADIC_TENSOR_NATS = 0,
    PADIC_TENSOR_BITS = 1 // of entropies and spectrum
} padic_tensor_unit;

typedef struct padic_tensor_entropy_desc {
    padic_tensor state; // F32, F64, C64, C128
    padic_tensor rho;   // or a density matrix (d, d): its lower triangle is read
    uint64_t part;      // bit i: axis i of the state belongs to A; not for rho
    uint32_t dim_count; // 0: the axes are those of the tensor; up to 64 dims split a dense state
    const uint64_t *dims; // into others, in C order
    uint32_t unit;        // padic_tensor_unit
    uint32_t legacy;      // 1: BITS, p <= 1e-12 dropped, `part` are leading axes
    uint32_t order_count; // Renyi: one result in renyi[] for each of orders[]
    const double *orders;
    double *renyi, *von_neumann, *gap, *negativity; // optional results
    double *spectrum; // optional: as many as are not dropped, at most spectrum_capacity
    uint64_t spectrum_capacity;
    uint64_t *rank; // optional: how many are not dropped
} padic_tensor_entropy_desc;
PADIC_API padic_result padic_tensor_entropy(padic_context *context,
                                            const padic_tensor_entropy_desc *desc);

// I(A:B) = S_A + S_B - S_AB of a pure state; the masks are disjoint. As above.
typedef struct padic_tensor_mutual_information_desc {
    padic_tensor state;
    uint64_t part_a, part_b;
    uint32_t dim_count;
    const uint64_t *dims;
    uint32_t unit;
    double *information;
    double *entropies; // optional: S_A, S_B, S_AB
} padic_tensor_mutual_information_desc;
PADIC_API padic_result padic_tensor_mutual_information(
    padic_context *context, const padic_tensor_mutual_information_desc *desc);

// room: src/tensor/einsum.h
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
// message and in path.position; LIMIT above 2^63 bytes or above memory_limit, CAPACITY in a
// workspace that is too small, with the bytes needed in the message; MEMORY. OVERLAP: the result or
// the workspace shares memory with another one.

#define PADIC_TENSOR_MAX_OPERANDS 64
#define PADIC_TENSOR_MAX_LABELS 128
#define PADIC_TENSOR_MAX_SLICED 20
#define PADIC_TENSOR_NONE 255 // as the right one of a step: there is but one operand

typedef enum padic_tensor_method {
    // Up to 14 operands: the best of all orders without needless outer products. Else the best of
    // 33 greedy ones by size(result) - size(a) - size(b): the plain one, and 32 that take one of
    // the 8 best pairs at random (Smith and Gray 2018). Both D0.
    PADIC_TENSOR_AUTO = 0,
    PADIC_TENSOR_LEFT = 1, // ((0 1) 2) 3 ...
    PADIC_TENSOR_GIVEN = 2 // left[] and right[] of the path given to padic_tensor_path_find()
} padic_tensor_method;

typedef enum padic_tensor_objective { // what AUTO makes small
    PADIC_TENSOR_FLOPS = 0,
    PADIC_TENSOR_PEAK = 1,  // bytes of results in use at a time
    PADIC_TENSOR_WRITES = 2 // flops and 64 for each element written
} padic_tensor_objective;

typedef struct padic_tensor_term { // an operand, or the result
    padic_tensor tensor;
    const uint8_t *labels; // without an expression: one an axis, any values
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
    uint64_t flops;           // 2 a product and sum, 8 where the step is complex; all slices
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
    uint32_t math;      // padic_tensor_math of all steps
    uint32_t method;    // padic_tensor_method
    uint32_t objective; // padic_tensor_objective
    // Most bytes of workspace; 0: any. Labels are fixed one by one, that with the least added flops
    // first, and the steps done for each of their values, until it fits (Gray, Kourtis 2021). More
    // than 2^20 slices are an error.
    uint64_t memory_limit;
    const padic_tensor_path *path; // of these shapes; NULL: found here, the last one is kept
    padic_tensor workspace; // U8, rank 1; no memory: of the context's pool, without one malloc's
} padic_tensor_einsum_desc;

// Without a context the tensors and the workspace are host memory. Besides the workspace about
// 100 KiB are taken for the time of the call, or 1.2 MiB while a path is searched. A progress hook
// is told of steps of all slices; after CANCELLED `out` holds the sum of some slices, or what it
// held, and means nothing.
PADIC_API padic_result padic_tensor_einsum(padic_context *context,
                                           const padic_tensor_einsum_desc *desc);
// The path that padic_tensor_einsum() takes without one; reads shapes and strides, no element, and
// needs no memory in the tensors. desc->path and workspace are ignored. A context serves its
// allocator and message only. D0.
PADIC_API padic_result padic_tensor_path_find(padic_context *context,
                                              const padic_tensor_einsum_desc *desc,
                                              padic_tensor_path *path);

// Pair pooling, a layer of the library that this one replaces: with v_p the numbers of tensor 2p
// and after them those of tensor 2p + 1,
//
//     out[p] = (v_p U_p) W_p        tensors (N, d, d), U (N/2, 2d^2, 2d^2), W (N/2, 2d^2, d_out)
//
// rows times matrices, transposed and not conjugated: out (N/2, d_out). It is no MERA layer. With
// `fused` (N/2, 2d^2, d_out), made by padic_tensor_pair_pool_fuse(), U and W are not read: the same
// to rounding from (2d^2 + d_out) / d_out times fewer numbers. Strides, dtypes, errors and
// workspace as in padic_tensor_einsum(), v U there: N d^2 numbers, rounded up to 64 bytes; none
// with `fused`. ARGUMENT: N is odd, a rank. MISMATCH: a shape.
typedef struct padic_tensor_pair_pool_desc {
    padic_tensor tensors, u, w, out;
    padic_tensor fused; // dtype NONE: u and w are used
    padic_tensor workspace;
} padic_tensor_pair_pool_desc;
PADIC_API padic_result padic_tensor_pair_pool(padic_context *context,
                                              const padic_tensor_pair_pool_desc *desc);
// Writes desc->fused = U W; tensors, out and workspace are ignored.
PADIC_API padic_result padic_tensor_pair_pool_fuse(padic_context *context,
                                                   const padic_tensor_pair_pool_desc *desc);

// room: src/tensor/code.h
// ------------------------------------------------------------------------------------- >>code API
//
// Perfect tensors and the holographic codes made of them (Pastawski, Yoshida, Harlow, Preskill
// 1503.06237). All of it is integer, D0, on the CPU; but padic_tensor_perfect_check() is F64, D1.

// The six-leg perfect tensor T_b = 2^-3 prod over edges (-1)^{b_i b_j} of the wheel graph: hub 0,
// joined to the ring 1..5. Equivalent to the [[5,1,3]] code with leg 0 as its input. `tensor` has
// shape (2, 2, 2, 2, 2, 2), any of F32, F64, C64, C128, in host memory.
// Errors: ARGUMENT, DTYPE, MISMATCH (another shape).
PADIC_API padic_result padic_tensor_perfect(padic_context *context, const padic_tensor *tensor);

// How far a tensor of 2, 4, 6 or 8 equal extents is from perfect: with M the tensor as a matrix and
// c the mean of the diagonal of M M^dagger, the largest |M M^dagger - c 1|/c of all splits of the
// legs in halves. 0: perfect. In host memory. Errors: ARGUMENT, DTYPE, MISMATCH (number of legs,
// extents that differ), DOMAIN (zero or not finite).
PADIC_API padic_result padic_tensor_perfect_check(padic_context *context,
                                                  const padic_tensor *tensor, double *deviation);

typedef enum padic_tensor_code {
    PADIC_TENSOR_PENTAGON = 0, // {5,4}: slot 0 is a bulk leg, slots 1..5 counter-clockwise from the
                               // inward one
    PADIC_TENSOR_HEXAGON = 1   // {6,4}: slots 0..5 from the inward one, no bulk leg
} padic_tensor_code;

// A code: tiles, each a padic_tensor_perfect() whose legs are its six slots. Layer 1 has a tile on
// every edge of the first one. Then, going round counter-clockwise, each tile puts new tiles on its
// middle outward legs, and one on its last outward leg and the first one of its successor (which
// meets the new tile's first slot, its own the second). Boundary legs are numbered in that order.
#define PADIC_TENSOR_HAPPY_LEG 0x80000000u  // + number of the boundary leg
#define PADIC_TENSOR_HAPPY_BULK 0x40000000u // + number of the tile
typedef struct padic_tensor_happy {
    uint32_t code, layers; // given: padic_tensor_code, 0 to 8
    uint32_t *links; // 6 a tile: what a slot is joined to, 6 tile + slot, or one of the above
    uint64_t link_capacity; // in words; links NULL: only the counts are wanted
    uint32_t tiles, legs;   // results
} padic_tensor_happy;
// Errors: ARGUMENT; CAPACITY, with the counts set.
PADIC_API padic_result padic_tensor_happy_build(padic_context *context, padic_tensor_happy *happy);

// The stabilisers of the encoded state. Qubits: the boundary legs, then the open bulk legs by tile.
// bulk[t] says what tile t's is: 0 open; 1, 2 the +1, -1 eigenstate of X; 3, 4 of Y; 5, 6 of Z.
// NULL: all open. Row r: `words` words of X bits, then as many of Z bits, and a sign (1: minus);
// both bits are Y. Errors: ARGUMENT; CAPACITY, with qubits and words set (rows
// NULL: only these); MEMORY.
typedef struct padic_tensor_tableau {
    uint64_t *rows;        // qubits x 2 x words
    uint8_t *signs;        // qubits
    uint64_t row_capacity; // words of `rows`
    uint32_t qubits, words;
} padic_tensor_tableau;
PADIC_API padic_result padic_tensor_happy_encode(padic_context *context,
                                                 const padic_tensor_happy *happy,
                                                 const uint8_t *bulk,
                                                 padic_tensor_tableau *tableau);

// Entropy of the qubits in `part` (bit q of part[q / 64]), in units of ln 2: the rank over GF(2) of
// the rows cut to them, minus their number. Errors: ARGUMENT (bits beyond the qubits); MEMORY.
PADIC_API padic_result padic_tensor_happy_entropy(padic_context *context,
                                                  const padic_tensor_tableau *tableau,
                                                  const uint64_t *part, uint32_t *entropy);

// The fewest links that part the boundary legs in `part` from the others, by maximal flow. side
// (optional, one byte a tile): 1 for the tiles that are then on the side of `part`, as few as can
// be. edges (optional, *cut of them, at most `legs`): a slot 6 tile + slot of each link cut.
// Errors: ARGUMENT (no code, bits beyond the legs), MEMORY.
PADIC_API padic_result padic_tensor_happy_cut(padic_context *context,
                                              const padic_tensor_happy *happy,
                                              const uint64_t *part, uint32_t *cut, uint8_t *side,
                                              uint32_t *edges);

// The greedy wedge of the boundary legs in `part`: a tile joins when at least half of its legs (not
// the bulk leg; rounded up) are in `part` or lead to tiles that have joined. inside: a byte a tile.
// *tiles (optional): how many joined. Errors: ARGUMENT (no code, bits beyond the legs).
PADIC_API padic_result padic_tensor_happy_wedge(padic_context *context,
                                                const padic_tensor_happy *happy,
                                                const uint64_t *part, uint8_t *inside,
                                                uint32_t *tiles);

// room: src/tensor/mera.h
// ------------------------------------------------------------------------------------- >>mera API
//
// One layer of a binary or ternary MERA (Vidal cond-mat/0512165, quant-ph/0610099; Evenbly and
// Vidal 0707.1454). u (f, f, f, f): fine legs, then coarse ones, a unitary that straddles two
// blocks. w (f, f, c), ternary (f, f, f, c): an isometry, fine legs first. Sites count from the
// left, the leftmost most significant.
//
//     binary   V = (1 u_23 u_45 1)(w_12 w_34 w_56), 3 coarse -> 6 fine sites
//              A(o) = 1/2 V^dagger (o_234 + o_345) V
//     ternary  V = (1 1 u_34 1 1)(w_123 w_456), 2 coarse -> 6 fine sites
//              A(o) = 1/3 V^dagger (o_23 + o_34 + o_45) V
//
// Operators and density matrices act on 3 sites (ternary: 2): (d, d) with d = f^3 below, c^3 above
// a layer. All tensors are of one dtype, F32, F64, C64 or C128, in host memory, of any strides; the
// work is done in C128 by padic_tensor_contract(), at a cost of chi^9 (ternary chi^8), and rounded
// once. Errors: ARGUMENT, DTYPE, MISMATCH, OVERLAP, MEMORY, LIMIT; DOMAIN when u or w is not
// isometric within 1e-10 (F32, C64: 1e-4), unless UNCHECKED; NOT_FINITE, with nothing written: a
// tensor that is read has a NaN or an infinity, or a result would be beyond its dtype.
typedef enum padic_tensor_mera_kind {
    PADIC_TENSOR_BINARY = 0,
    PADIC_TENSOR_TERNARY = 1
} padic_tensor_mera_kind;
#define PADIC_TENSOR_UNCHECKED 1u

// What a function does not name, it does not use.
typedef struct padic_tensor_mera_desc {
    uint32_t kind, flags; // padic_tensor_mera_kind; UNCHECKED
    padic_tensor u, w;
    padic_tensor op, rho, out;
    double tolerance; // 0: 1e-12
    uint32_t steps;   // 0: as said there
    uint64_t seed;
    double *result; // optional, as said there
} padic_tensor_mera_desc;

// out (above) = A(op); op below.
PADIC_API padic_result padic_tensor_mera_ascend(padic_context *context,
                                                const padic_tensor_mera_desc *desc);
// out (below) = D(rho), rho above: the adjoint of A, tr(A(o) rho) = tr(o D(rho)).
PADIC_API padic_result padic_tensor_mera_descend(padic_context *context,
                                                 const padic_tensor_mera_desc *desc);
// result[0] + i result[1] = tr(rho op); of op and rho alone.
PADIC_API padic_result padic_tensor_mera_expect(padic_context *context,
                                                const padic_tensor_mera_desc *desc);
// out = D^n(1/d), f = c, until no entry changes by more than `tolerance`; at most `steps` (1000)
// times: DOMAIN, with the last one in out. result: the last change.
PADIC_API padic_result padic_tensor_mera_fixed_point(padic_context *context,
                                                     const padic_tensor_mera_desc *desc);
// result[0 .. n - 1]: |lambda|, the n largest eigenvalues of A, descending; result[n ...]: scaling
// dimensions -log_b |lambda|, b = 2 or 3, infinite for an eigenvalue of 0. n is `steps` (1 to 64),
// f = c. Block subspace iteration.
PADIC_API padic_result padic_tensor_mera_scaling(padic_context *context,
                                                 const padic_tensor_mera_desc *desc);
// d tr(A(op) rho)/d u (`steps` 0) or d w (1), the conjugates held: out has the shape of u or w.
PADIC_API padic_result padic_tensor_mera_environment(padic_context *context,
                                                     const padic_tensor_mera_desc *desc);
// u, then w, becomes what makes tr(A(op) rho) least with the rest held: op is shifted by its
// largest eigenvalue, environment E = U S V^dagger, tensor <- -conj(U V^dagger); `steps` (1) times.
// Writes u and w. result: tr(A(op) rho) before.
PADIC_API padic_result padic_tensor_mera_update(padic_context *context,
                                                const padic_tensor_mera_desc *desc);
// Haar distributed u and w from Philox, by `seed`.
PADIC_API padic_result padic_tensor_mera_random(padic_context *context,
                                                const padic_tensor_mera_desc *desc);
// result: the largest |u^dagger u - 1|, |w^dagger w - 1|.
PADIC_API padic_result padic_tensor_mera_check(padic_context *context,
                                               const padic_tensor_mera_desc *desc);
// The state of a ring: rho (c^n), a vector above the layer, n = `steps` sites (2 or more), to out
// (f^{2n}, ternary f^{3n}), at most 2^20 numbers. The first u joins sites 2 and 3 (ternary 3 and
// 4), the last one the end and the beginning.
PADIC_API padic_result padic_tensor_mera_state(padic_context *context,
                                               const padic_tensor_mera_desc *desc);
// room: src/padic_tensor.in.h:27
#endif // PADIC_TENSOR_H

#ifdef PADICI_AREAS_IMPLEMENTATION

// room: src/tensor/tensor.c
// ---------------------------------------------------------------------------------- >>tensor impl
//
// Every product is one plan: four groups of axes. Along an axis of the group
//
//     BATCH  a, b and c step;  ROW  a and c;  COLUMN  b and c;  SUM  a and b.
//
// An operand that lacks a label stays (step 0), one that has it twice takes both its steps.

#define PADICI_TENSOR_AXES 16 // SUM: 8 labels of a alone and 8 of b alone

enum { PADICI_TENSOR_BATCH, PADICI_TENSOR_ROW, PADICI_TENSOR_COLUMN, PADICI_TENSOR_SUM };

typedef struct padici_tensor_axis {
    uint64_t size;
    int64_t step[3]; // of a, b, c, in elements
} padici_tensor_axis;

typedef struct padici_tensor_group {
    uint32_t count;
    uint64_t size; // product of the sizes
    padici_tensor_axis axis[PADICI_TENSOR_AXES]; // slowest first
} padici_tensor_group;

typedef struct padici_tensor_plan {
    padici_tensor_group group[4];
    padic_dtype dtype[3];
    uint32_t conj, math; // conj: 1 a, 2 b
    double alpha[2], beta[2];
} padici_tensor_plan;

PADICI_INLINE int padici_tensor_is_complex(padic_dtype dtype)
{
    return dtype == PADIC_C64 || dtype == PADIC_C128;
}

PADICI_INLINE int padici_tensor_is_double(padic_dtype dtype)
{
    return dtype == PADIC_F64 || dtype == PADIC_C128;
}

static void padici_tensor_group_add(padici_tensor_group *group, uint64_t size, int64_t a, int64_t b,
                                    int64_t c)
{
    padici_tensor_axis *axis = &group->axis[group->count++];
    axis->size = size;
    axis->step[0] = a;
    axis->step[1] = b;
    axis->step[2] = c;
}

// Whether going once around the inner axis is one step of the outer one, for all operands.
static int padici_tensor_axes_join(const padici_tensor_axis *outer, const padici_tensor_axis *inner)
{
    uint32_t i;
    for (i = 0; i < 3; i++) // by division: the product may not fit
        if (outer->step[i] % (int64_t)inner->size ||
            outer->step[i] / (int64_t)inner->size != inner->step[i])
            return 0;
    return 1;
}

// Sorts the axes, largest step first, drops those of size 1 and joins neighbours: fewer axes, the
// same set of elements. Sums change their order, the same for every device and worker count.
static int padici_tensor_group_tidy(padici_tensor_group *group, uint32_t key)
{
    uint32_t i, j, n = 0;
    group->size = 1;
    for (i = 0; i < group->count; i++) {
        const padici_tensor_axis axis = group->axis[i];
        const int64_t step = axis.step[key] < 0 ? -axis.step[key] : axis.step[key];
        if (!padici_mul_u64(group->size, axis.size, &group->size)) return 0;
        if (axis.size == 1) continue;
        for (j = n; j > 0; j--) {
            const int64_t before = group->axis[j - 1].step[key];
            if ((before < 0 ? -before : before) >= step) break;
            group->axis[j] = group->axis[j - 1];
        }
        group->axis[j] = axis;
        n++;
    }
    group->count = n;
    for (i = 0, j = 1; j < n && group->size; j++) {
        if (padici_tensor_axes_join(&group->axis[i], &group->axis[j])) {
            const uint64_t size = group->axis[i].size * group->axis[j].size;
            group->axis[i] = group->axis[j];
            group->axis[i].size = size;
        } else {
            group->axis[++i] = group->axis[j];
        }
    }
    if (n) group->count = i + 1;
    return 1;
}

// 0 when a size does not fit 64 bits.
static int padici_tensor_plan_tidy(padici_tensor_plan *plan)
{
    return padici_tensor_group_tidy(&plan->group[PADICI_TENSOR_BATCH], 2) &&
           padici_tensor_group_tidy(&plan->group[PADICI_TENSOR_ROW], 0) &&
           padici_tensor_group_tidy(&plan->group[PADICI_TENSOR_COLUMN], 1) &&
           padici_tensor_group_tidy(&plan->group[PADICI_TENSOR_SUM], 0);
}

// What gemm and contract share: dtypes, math, factors.
static padic_result padici_tensor_plan_begin(padic_context *context, padici_tensor_plan *plan,
                                             const padic_tensor *const t[3], uint32_t math,
                                             const double alpha[2], const double beta[2])
{
    uint32_t i, paired = 0;
    for (i = 0; i < 4; i++) { // axes are written as they come; of none the first is looked at
        plan->group[i].count = 0;
        plan->group[i].size = 0;
        memset(&plan->group[i].axis[0], 0, sizeof plan->group[i].axis[0]);
    }
    plan->conj = 0;
    for (i = 0; i < 3; i++) {
        plan->dtype[i] = t[i]->dtype;
        if (t[i]->dtype != PADIC_F32 && !padici_tensor_is_double(t[i]->dtype) &&
            !padici_tensor_is_complex(t[i]->dtype))
            return padici_fail_here(context, PADIC_ERROR_DTYPE,
                                    "a, b and c are F32, F64, C64 or C128");
        if (padici_tensor_is_double(t[i]->dtype) != padici_tensor_is_double(t[0]->dtype))
            return padici_fail_here(context, PADIC_ERROR_MISMATCH,
                                    "a, b and c are of one precision");
        if (i < 2) paired |= (uint32_t)padici_tensor_is_complex(t[i]->dtype);
    }
    if (paired != (uint32_t)padici_tensor_is_complex(t[2]->dtype))
        return padici_fail_here(context, PADIC_ERROR_MISMATCH,
                                "c is complex when a or b is, and only then");
    if (math > PADIC_TENSOR_TF32)
        return padici_fail_here(context, PADIC_ERROR_ARGUMENT, "math is no padic_tensor_math");
    for (i = 0; i < 2; i++) // a difference of infinities, and of a NaN, is a NaN
        if (!(alpha[i] - alpha[i] == 0) || !(beta[i] - beta[i] == 0))
            return padici_fail_here(context, PADIC_ERROR_DOMAIN, "alpha or beta is not finite");
    if (!paired && (alpha[1] != 0 || beta[1] != 0))
        return padici_fail_here(context, PADIC_ERROR_ARGUMENT,
                                "alpha and beta of real tensors have no imaginary part");
    plan->math = math;
    for (i = 0; i < 2; i++) {
        plan->alpha[i] = alpha[i];
        plan->beta[i] = beta[i];
    }
    if (alpha[0] == 0 && alpha[1] == 0) plan->alpha[0] = 1;
    return PADIC_OK;
}

static padic_result padici_tensor_gemm_plan(padic_context *context,
                                            const padic_tensor_gemm_desc *desc,
                                            padici_tensor_plan *plan)
{
    const padic_tensor *t[3];
    const uint32_t op[3] = {desc->op_a, desc->op_b, PADIC_TENSOR_N};
    uint64_t size[3][2]; // rows, columns
    int64_t stride[3][PADIC_MAX_RANK], step[3][3]; // batch, row, column
    uint32_t i, batched;
    padic_result result;
    t[0] = &desc->a;
    t[1] = &desc->b;
    t[2] = &desc->c;
    result = padici_tensor_plan_begin(context, plan, t, desc->math, desc->alpha, desc->beta);
    if (result) return result;
    if (plan->dtype[0] != plan->dtype[1])
        return padici_fail_here(context, PADIC_ERROR_MISMATCH, "a, b and c are of one dtype");
    batched = t[2]->rank == 3;
    for (i = 0; i < 3; i++) {
        const uint32_t rank = t[i]->rank;
        const uint32_t turned = op[i] == PADIC_TENSOR_T || op[i] == PADIC_TENSOR_C;
        if (op[i] > PADIC_TENSOR_CONJ)
            return padici_fail_here(context, PADIC_ERROR_ARGUMENT,
                                    "op_a or op_b is no padic_tensor_op");
        if (rank != 2 && (rank != 3 || !batched))
            return padici_fail_here(context, PADIC_ERROR_ARGUMENT,
                                    "a, b and c have rank 2, or 3 when c has");
        if (rank == 3 && t[i]->shape[0] != t[2]->shape[0])
            return padici_fail_here(context, PADIC_ERROR_MISMATCH,
                                    "a, b and c differ in the size of the batch");
        padici_tensor_dense(t[i], stride[i]);
        size[i][0] = t[i]->shape[rank - 2 + turned];
        size[i][1] = t[i]->shape[rank - 1 - turned];
        step[i][0] = rank == 3 ? stride[i][0] : 0;
        step[i][1] = stride[i][rank - 2 + turned];
        step[i][2] = stride[i][rank - 1 - turned];
        if (op[i] == PADIC_TENSOR_C || op[i] == PADIC_TENSOR_CONJ) plan->conj |= 1u << i;
    }
    if (size[0][0] != size[2][0] || size[1][1] != size[2][1] || size[0][1] != size[1][0])
        return padici_fail_here(context, PADIC_ERROR_MISMATCH,
                                "op(a) is m x k, op(b) k x n and c m x n");
    if (batched)
        padici_tensor_group_add(&plan->group[PADICI_TENSOR_BATCH], t[2]->shape[0], step[0][0],
                                step[1][0], step[2][0]);
    padici_tensor_group_add(&plan->group[PADICI_TENSOR_ROW], size[2][0], step[0][1], 0, step[2][1]);
    padici_tensor_group_add(&plan->group[PADICI_TENSOR_COLUMN], size[2][1], 0, step[1][2],
                            step[2][2]);
    padici_tensor_group_add(&plan->group[PADICI_TENSOR_SUM], size[0][1], step[0][2], step[1][1], 0);
    if (!padici_tensor_plan_tidy(plan))
        return padici_fail_here(context, PADIC_ERROR_LIMIT,
                                "a, b and c have a product of sizes beyond 2^64");
    return PADIC_OK;
}

// Rows and columns of a matrix of a group as it lies in memory, its first element and its line:
// operand 0, 1 or 2.
typedef struct padici_tensor_place {
    uint64_t rows, columns, first, line;
} padici_tensor_place;

static void padici_tensor_group_place(const padic_tensor_gemm_desc *desc, uint32_t group,
                                      uint32_t operand, padici_tensor_place *place)
{
    const padic_tensor_gemm_group *g = &desc->groups[group];
    const uint32_t op = operand == 0 ? desc->op_a : operand == 1 ? desc->op_b : 0;
    const int turned = op == PADIC_TENSOR_T || op == PADIC_TENSOR_C;
    const uint64_t rows = operand == 1 ? g->k : g->m, columns = operand == 0 ? g->k : g->n;
    place->rows = turned ? columns : rows;
    place->columns = turned ? rows : columns;
    place->first = operand == 0 ? g->a : operand == 1 ? g->b : g->c;
    place->line = operand == 0 ? g->line_a : operand == 1 ? g->line_b : g->line_c;
    if (!place->line) place->line = place->columns;
}

// NULL, or what is wrong with a matrix. *end: where it ends, 0 of one without elements.
static const char *padici_tensor_group_fault(const padici_tensor_place *place,
                                             const padic_tensor *t, uint64_t *end)
{
    uint64_t reach = 0;
    *end = 0;
    if (place->line < place->columns)
        return "line_a, line_b or line_c of groups is shorter than a row";
    if (!place->rows || !place->columns) return NULL;
    if (!padici_mul_u64(place->rows - 1, place->line, &reach) || reach >> 62 ||
        place->columns >> 62 || place->first > t->shape[0] ||
        reach + place->columns > t->shape[0] - place->first)
        return "groups has a matrix that ends beyond its tensor";
    *end = place->first + reach + place->columns;
    return NULL;
}

PADICI_NOINLINE static padic_result padici_tensor_gemm_groups(padic_context *context,
                                                              const padic_tensor_gemm_desc *desc)
{
    const padic_tensor *t[3];
    padici_tensor_plan plan;
    uint64_t end, last = 0;
    uint32_t i, g;
    padic_result result;
    t[0] = &desc->a;
    t[1] = &desc->b;
    t[2] = &desc->c;
    if (!desc->groups || !desc->group_count)
        return padici_fail_here(context, PADIC_ERROR_ARGUMENT,
                                "groups and group_count come together");
    result = padici_tensor_plan_begin(context, &plan, t, desc->math, desc->alpha, desc->beta);
    if (result) return result;
    if (plan.dtype[0] != plan.dtype[1])
        return padici_fail_here(context, PADIC_ERROR_MISMATCH, "a, b and c are of one dtype");
    if (desc->op_a > PADIC_TENSOR_CONJ || desc->op_b > PADIC_TENSOR_CONJ)
        return padici_fail_here(context, PADIC_ERROR_ARGUMENT,
                                "op_a or op_b is no padic_tensor_op");
    for (i = 0; i < 3; i++)
        if (t[i]->rank != 1 || (t[i]->stride[0] != 0 && t[i]->stride[0] != 1))
            return padici_fail_here(context, PADIC_ERROR_ARGUMENT,
                                    "a, b and c are dense tensors of rank 1 when there are groups");
    for (g = 0; g < desc->group_count; g++)
        for (i = 0; i < 3; i++) {
            padici_tensor_place place;
            const char *fault;
            padici_tensor_group_place(desc, g, i, &place);
            fault = padici_tensor_group_fault(&place, t[i], &end);
            if (fault) return padici_fail_here(context, PADIC_ERROR_MISMATCH, fault);
            if (i < 2 || !end) continue;
            if (place.first < last)
                return padici_fail_here(context, PADIC_ERROR_ARGUMENT,
                                        "groups has matrices of c that do not follow each other");
            last = end;
        }
    return PADIC_OK;
}

// One group as a product of its own, in host memory.
static void padici_tensor_gemm_group_at(const padic_tensor_gemm_desc *desc, uint32_t group,
                                        padic_tensor_gemm_desc *one)
{
    padic_tensor *t[3];
    uint32_t i;
    *one = *desc;
    one->groups = NULL;
    one->group_count = 0;
    t[0] = &one->a;
    t[1] = &one->b;
    t[2] = &one->c;
    for (i = 0; i < 3; i++) {
        padici_tensor_place place;
        padici_tensor_group_place(desc, group, i, &place);
        t[i]->rank = 2;
        t[i]->shape[0] = place.rows;
        t[i]->shape[1] = place.columns;
        t[i]->stride[0] = (int64_t)place.line;
        t[i]->stride[1] = 1;
        if (place.rows && place.columns) // else it may lie anywhere
            t[i]->data = (char *)t[i]->data + place.first * padic_dtype_size(t[i]->dtype);
    }
}

// The axis of a label: its size, and what each operand steps along it. 0 when sizes differ.
static int padici_tensor_label_axis(const padic_tensor *const t[3], const uint8_t *const labels[3],
                                    uint8_t label, padici_tensor_axis *axis, uint32_t *has)
{
    uint32_t i, j;
    *has = 0;
    memset(axis, 0, sizeof *axis);
    for (i = 0; i < 3; i++) {
        int64_t stride[PADIC_MAX_RANK];
        padici_tensor_dense(t[i], stride);
        for (j = 0; j < t[i]->rank; j++) {
            if (labels[i][j] != label) continue;
            if (*has && axis->size != t[i]->shape[j]) return 0;
            axis->size = t[i]->shape[j];
            axis->step[i] += stride[j];
            *has |= 1u << i;
        }
    }
    return 1;
}

// One label an axis, no more, and in c none twice.
static const char *padici_tensor_labels_fault(const padic_tensor *const t[3],
                                              const uint8_t *const labels[3])
{
    uint32_t i, j, k;
    for (i = 0; i < 3; i++)
        for (j = 0; j < PADIC_MAX_RANK; j++)
            if ((labels[i][j] != 0) != (j < t[i]->rank))
                return i == 0   ? "labels_a has one label an axis of a, then 0"
                       : i == 1 ? "labels_b has one label an axis of b, then 0"
                                : "labels_c has one label an axis of c, then 0";
    for (j = 0; j < t[2]->rank; j++)
        for (k = 0; k < j; k++)
            if (labels[2][j] == labels[2][k]) return "labels_c has a label twice";
    return NULL;
}

static padic_result padici_tensor_contract_plan(padic_context *context,
                                                const padic_tensor_contract_desc *desc,
                                                padici_tensor_plan *plan)
{
    // By the operands that have a label (a 1, b 2, c 4); a label of c alone is refused.
    static const uint8_t group_of[8] = {0,
                                        PADICI_TENSOR_SUM,
                                        PADICI_TENSOR_SUM,
                                        PADICI_TENSOR_SUM,
                                        0,
                                        PADICI_TENSOR_ROW,
                                        PADICI_TENSOR_COLUMN,
                                        PADICI_TENSOR_BATCH};
    const padic_tensor *t[3];
    const uint8_t *labels[3];
    uint8_t seen[256];
    uint32_t i, j, has;
    const char *fault;
    padic_result result;
    t[0] = &desc->a, labels[0] = desc->labels_a;
    t[1] = &desc->b, labels[1] = desc->labels_b;
    t[2] = &desc->c, labels[2] = desc->labels_c;
    result = padici_tensor_plan_begin(context, plan, t, desc->math, desc->alpha, desc->beta);
    if (result) return result;
    if (desc->conj > 3)
        return padici_fail_here(context, PADIC_ERROR_ARGUMENT, "conj is 0 to 3");
    plan->conj = desc->conj;
    fault = padici_tensor_labels_fault(t, labels);
    if (fault) return padici_fail_here(context, PADIC_ERROR_ARGUMENT, fault);
    memset(seen, 0, sizeof seen);
    for (i = 3; i-- > 0;) // from c on, so that its labels decide the order
        for (j = 0; j < t[i]->rank; j++) {
            padici_tensor_axis axis;
            if (seen[labels[i][j]]) continue;
            seen[labels[i][j]] = 1;
            if (!padici_tensor_label_axis(t, labels, labels[i][j], &axis, &has))
                return padici_fail_here(context, PADIC_ERROR_MISMATCH,
                                        "labels_a, labels_b and labels_c give axes of different "
                                        "sizes one label");
            if (has == 4)
                return padici_fail_here(context, PADIC_ERROR_ARGUMENT,
                                        "labels_c has a label that neither a nor b has");
            padici_tensor_group_add(&plan->group[group_of[has]], axis.size, axis.step[0],
                                    axis.step[1], axis.step[2]);
        }
    if (!padici_tensor_plan_tidy(plan))
        return padici_fail_here(context, PADIC_ERROR_LIMIT,
                                "labels_a and labels_b make more than 2^64 products");
    return PADIC_OK;
}

// A place in a group, and where each operand stands there.
typedef struct padici_tensor_walk {
    const padici_tensor_group *group;
    uint64_t digit[PADICI_TENSOR_AXES];
    int64_t at[3];
} padici_tensor_walk;

static void padici_tensor_walk_to(padici_tensor_walk *walk, const padici_tensor_group *group,
                                  uint64_t index)
{
    uint32_t i, j;
    walk->group = group;
    for (j = 0; j < 3; j++) walk->at[j] = 0;
    for (i = group->count; i-- > 0;) {
        walk->digit[i] = index % group->axis[i].size;
        index /= group->axis[i].size;
        for (j = 0; j < 3; j++) walk->at[j] += (int64_t)walk->digit[i] * group->axis[i].step[j];
    }
}

static void padici_tensor_walk_on(padici_tensor_walk *walk)
{
    uint32_t i, j;
    for (i = walk->group->count; i-- > 0;) {
        const padici_tensor_axis *axis = &walk->group->axis[i];
        for (j = 0; j < 3; j++) walk->at[j] += axis->step[j];
        if (++walk->digit[i] < axis->size) return;
        walk->digit[i] = 0;
        for (j = 0; j < 3; j++) walk->at[j] -= (int64_t)axis->size * axis->step[j];
    }
}

// The reference: tiles of 8 x 8 results, sums in F64 over blocks of 4.
#define PADICI_TENSOR_TILE 8
#define PADICI_TENSOR_BLOCK 4

typedef struct padici_tensor_work {
    const padici_tensor_plan *plan;
    char *data[3];
    uint64_t rows, columns, tiles, share; // tiles down, across, in all, and of one task
} padici_tensor_work;

typedef struct padici_tensor_panel { // some numbers of a and b, as F64
    double re[PADICI_TENSOR_BLOCK][PADICI_TENSOR_TILE], im[PADICI_TENSOR_BLOCK][PADICI_TENSOR_TILE];
} padici_tensor_panel;

PADICI_INLINE void padici_tensor_read(padic_dtype dtype, const char *data, int64_t at, double *re,
                                      double *im)
{
    float f[2];
    double d[2];
    *im = 0;
    if (dtype == PADIC_F32) {
        memcpy(f, data + at * 4, 4);
        *re = (double)f[0];
    } else if (dtype == PADIC_C64) {
        memcpy(f, data + at * 8, 8);
        *re = (double)f[0];
        *im = (double)f[1];
    } else if (dtype == PADIC_F64) {
        memcpy(re, data + at * 8, 8);
    } else {
        memcpy(d, data + at * 16, 16);
        *re = d[0];
        *im = d[1];
    }
}

PADICI_INLINE void padici_tensor_write(padic_dtype dtype, char *data, int64_t at, double re,
                                       double im)
{
    float f[2];
    double d[2];
    if (padici_tensor_is_double(dtype)) {
        d[0] = re;
        d[1] = im;
        memcpy(data + at * (dtype == PADIC_F64 ? 8 : 16), d, dtype == PADIC_F64 ? 8 : 16);
    } else {
        f[0] = (float)re;
        f[1] = (float)im;
        memcpy(data + at * (dtype == PADIC_F32 ? 4 : 8), f, dtype == PADIC_F32 ? 4 : 8);
    }
}

// Fills a panel from operand i: `depth` places of the sum, `width` rows or columns. Places beyond
// are 0.
static void padici_tensor_gather(const padici_tensor_work *work, uint32_t i, const int64_t *sum,
                                 uint32_t depth, const int64_t *line, uint32_t width,
                                 padici_tensor_panel *panel)
{
    const padic_dtype dtype = work->plan->dtype[i];
    const double sign = work->plan->conj >> i & 1 ? -1.0 : 1.0;
    uint32_t k, l;
    memset(panel, 0, sizeof *panel);
    for (k = 0; k < depth; k++)
        for (l = 0; l < width; l++) {
            padici_tensor_read(dtype, work->data[i], sum[k] + line[l], &panel->re[k][l],
                               &panel->im[k][l]);
            panel->im[k][l] *= sign;
        }
}

// sum += a b for a block of the sum.
static void padici_tensor_block(const padici_tensor_panel *a, const padici_tensor_panel *b,
                                int paired, double re[][PADICI_TENSOR_TILE],
                                double im[][PADICI_TENSOR_TILE])
{
    uint32_t k, i, j;
    for (k = 0; k < PADICI_TENSOR_BLOCK; k++)
        for (i = 0; i < PADICI_TENSOR_TILE; i++) {
            const double ar = a->re[k][i], ai = a->im[k][i];
            for (j = 0; j < PADICI_TENSOR_TILE; j++) re[i][j] += ar * b->re[k][j];
            if (!paired) continue;
            for (j = 0; j < PADICI_TENSOR_TILE; j++) {
                re[i][j] -= ai * b->im[k][j];
                im[i][j] += ar * b->im[k][j] + ai * b->re[k][j];
            }
        }
}

// c = alpha sum + beta c, rounded once.
static void padici_tensor_store(const padici_tensor_work *work, int64_t at, double re, double im)
{
    const padici_tensor_plan *plan = work->plan;
    const double *x = plan->alpha, *y = plan->beta;
    // Sums only: gcc 12 fuses a vector of a difference and a sum, whatever the setting.
    double r = x[0] * re + -x[1] * im, i = x[0] * im + x[1] * re, cr, ci;
    if (y[0] != 0 || y[1] != 0) {
        padici_tensor_read(plan->dtype[2], work->data[2], at, &cr, &ci);
        r += y[0] * cr + -y[1] * ci;
        i += y[0] * ci + y[1] * cr;
    }
    padici_tensor_write(plan->dtype[2], work->data[2], at, r, i);
}

// Where the next `count` places of a walk lie for operands x and y.
static void padici_tensor_places(padici_tensor_walk *walk, uint32_t count, uint32_t x,
                                 int64_t *at_x, uint32_t y, int64_t *at_y)
{
    const uint32_t last = walk->group->count - 1;
    uint32_t i, j, run;
    for (; count; count -= run, at_x += run, at_y += run) { // to the end of the last axis
        const padici_tensor_axis *axis = walk->group->count ? &walk->group->axis[last] : NULL;
        const int64_t step_x = axis ? axis->step[x] : 0, step_y = axis ? axis->step[y] : 0;
        run = count;
        if (axis && axis->size - walk->digit[last] < run)
            run = (uint32_t)(axis->size - walk->digit[last]);
        for (i = 0; i < run; i++) {
            at_x[i] = walk->at[x] + (int64_t)i * step_x;
            at_y[i] = walk->at[y] + (int64_t)i * step_y;
        }
        if (!axis) continue;
        walk->digit[last] += run - 1;
        for (j = 0; j < 3; j++) walk->at[j] += (int64_t)(run - 1) * axis->step[j];
        padici_tensor_walk_on(walk);
    }
}

PADICI_INLINE uint32_t padici_tensor_part(uint64_t size, uint64_t begin, uint32_t most)
{
    return size - begin < most ? (uint32_t)(size - begin) : most;
}

static void padici_tensor_tile(const padici_tensor_work *work, uint64_t tile)
{
    const padici_tensor_group *group = work->plan->group;
    const uint64_t column = tile % work->columns * PADICI_TENSOR_TILE;
    const uint64_t row = tile / work->columns % work->rows * PADICI_TENSOR_TILE;
    const uint32_t height = padici_tensor_part(group[PADICI_TENSOR_ROW].size, row, 8);
    const uint32_t width = padici_tensor_part(group[PADICI_TENSOR_COLUMN].size, column, 8);
    const int paired = padici_tensor_is_complex(work->plan->dtype[2]);
    double re[PADICI_TENSOR_TILE][PADICI_TENSOR_TILE], im[PADICI_TENSOR_TILE][PADICI_TENSOR_TILE];
    int64_t row_a[8], row_c[8], column_b[8], column_c[8], base[3];
    uint64_t k;
    uint32_t i, j;
    padici_tensor_walk walk;
    memset(re, 0, sizeof re);
    memset(im, 0, sizeof im);
    padici_tensor_walk_to(&walk, &group[PADICI_TENSOR_BATCH],
                          tile / work->columns / work->rows);
    memcpy(base, walk.at, sizeof base);
    padici_tensor_walk_to(&walk, &group[PADICI_TENSOR_ROW], row);
    padici_tensor_places(&walk, height, 0, row_a, 2, row_c);
    padici_tensor_walk_to(&walk, &group[PADICI_TENSOR_COLUMN], column);
    padici_tensor_places(&walk, width, 1, column_b, 2, column_c);
    if (group[PADICI_TENSOR_SUM].size)
        padici_tensor_walk_to(&walk, &group[PADICI_TENSOR_SUM], 0);
    for (k = 0; k < group[PADICI_TENSOR_SUM].size; k += PADICI_TENSOR_BLOCK) {
        const uint32_t depth = padici_tensor_part(group[PADICI_TENSOR_SUM].size, k, 4);
        int64_t sum_a[PADICI_TENSOR_BLOCK], sum_b[PADICI_TENSOR_BLOCK];
        padici_tensor_panel a, b;
        padici_tensor_places(&walk, depth, 0, sum_a, 1, sum_b);
        for (i = 0; i < depth; i++) {
            sum_a[i] += base[0];
            sum_b[i] += base[1];
        }
        padici_tensor_gather(work, 0, sum_a, depth, row_a, height, &a);
        padici_tensor_gather(work, 1, sum_b, depth, column_b, width, &b);
        padici_tensor_block(&a, &b, paired, re, im);
    }
    for (i = 0; i < height; i++)
        for (j = 0; j < width; j++)
            padici_tensor_store(work, base[2] + row_c[i] + column_c[j], re[i][j], im[i][j]);
}

static void padici_tensor_task(void *arg, uint32_t task)
{
    const padici_tensor_work *work = (const padici_tensor_work *)arg;
    const uint64_t begin = task * work->share;
    uint64_t i;
    for (i = begin; i < work->tiles && i < begin + work->share; i++) padici_tensor_tile(work, i);
}

// Operands are in host memory, checked, and c has elements.
static void padici_tensor_run(const padic_jobs *jobs, const padici_tensor_plan *plan, void *a,
                              void *b, void *c)
{
    padici_tensor_work work;
    work.plan = plan;
    work.data[0] = (char *)a;
    work.data[1] = (char *)b;
    work.data[2] = (char *)c;
    work.rows = (plan->group[PADICI_TENSOR_ROW].size + PADICI_TENSOR_TILE - 1) / PADICI_TENSOR_TILE;
    work.columns =
        (plan->group[PADICI_TENSOR_COLUMN].size + PADICI_TENSOR_TILE - 1) / PADICI_TENSOR_TILE;
    work.tiles = work.rows * work.columns * plan->group[PADICI_TENSOR_BATCH].size;
    work.share = work.tiles / 4096 + 1;
    padici_parallel(jobs, (uint32_t)((work.tiles + work.share - 1) / work.share),
                    padici_tensor_task, &work);
}

// The labels of one tensor, up to the next ',' or "->"; -1, or how many there were.
static int padici_tensor_labels_read(const char *text, uint32_t *at, uint8_t labels[PADIC_MAX_RANK])
{
    int n = 0;
    memset(labels, 0, PADIC_MAX_RANK);
    for (;; ++*at) {
        const char c = text[*at];
        if (c == ' ') continue;
        if (!((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'))) return n;
        if (n == PADIC_MAX_RANK) return -1;
        labels[n++] = (uint8_t)c;
    }
}

// The labels that occur once in a and b together, in the order of the alphabet.
static int padici_tensor_labels_guess(const uint8_t *a, const uint8_t *b, uint8_t *c)
{
    uint32_t label, i, n = 0;
    memset(c, 0, PADIC_MAX_RANK);
    for (label = 'A'; label <= 'z'; label++) {
        uint32_t count = 0;
        for (i = 0; i < PADIC_MAX_RANK; i++) {
            count += a[i] == label;
            count += b[i] == label;
        }
        if (count != 1) continue;
        if (n == PADIC_MAX_RANK) return -1;
        c[n++] = (uint8_t)label;
    }
    return 0;
}

PADIC_API padic_result padic_tensor_labels(const char *expression,
                                           padic_tensor_contract_desc *desc, uint32_t *position)
{
    uint8_t labels[3][PADIC_MAX_RANK];
    uint32_t at = 0, i;
    int good = 1, guess = 0;
    padic_result result = PADIC_OK;
    if (position) *position = 0;
    if (!expression || !desc) return PADIC_ERROR_ARGUMENT;
    for (i = 0; i < 3 && good && !guess; i++) {
        if (padici_tensor_labels_read(expression, &at, labels[i]) < 0) result = PADIC_ERROR_LIMIT;
        if (result) break;
        if (i == 1) {
            guess = !expression[at];
            good = guess || (expression[at] == '-' && expression[at + 1] == '>');
            if (good && !guess) at += 2;
        } else {
            good = expression[at] == (i == 0 ? ',' : 0);
            if (good && i == 0) at++;
        }
    }
    if (!result && !good) result = PADIC_ERROR_ARGUMENT;
    if (!result && guess && padici_tensor_labels_guess(labels[0], labels[1], labels[2]))
        result = PADIC_ERROR_LIMIT;
    if (position) *position = at;
    if (result) return result;
    memcpy(desc->labels_a, labels[0], sizeof labels[0]);
    memcpy(desc->labels_b, labels[1], sizeof labels[1]);
    memcpy(desc->labels_c, labels[2], sizeof labels[2]);
    return PADIC_OK;
}

// Factorisations. A matrix is F64, complex, interleaved, its columns one after another; of real
// ones the imaginary parts stay 0.

#define PADICI_EPS 1.1102230246251565e-16 // 2^-53
#ifndef PADICI_SWEEPS // tests/test_sweeps.c has fewer, so that they do not do
#define PADICI_SWEEPS 30u
#endif

// x^dagger y
static void padici_z_dot(uint64_t n, const double *x, const double *y, double out[2])
{
    double re = 0, im = 0;
    uint64_t i;
    for (i = 0; i < 2 * n; i += 2) {
        re += x[i] * y[i];
        re += x[i + 1] * y[i + 1];
        im += x[i] * y[i + 1];
        im -= x[i + 1] * y[i];
    }
    out[0] = re;
    out[1] = im;
}

static double padici_z_norm2(uint64_t n, const double *x)
{
    double sum = 0;
    uint64_t i;
    for (i = 0; i < 2 * n; i++) sum += x[i] * x[i];
    return sum;
}

// y += (re + i im) x
static void padici_z_add(uint64_t n, double *y, double re, double im, const double *x)
{
    const double minus = -im;
    uint64_t i;
    for (i = 0; i < 2 * n; i += 2) {
        double a = y[i], b = y[i + 1];
        a += re * x[i];
        a += minus * x[i + 1];
        b += re * x[i + 1];
        b += im * x[i];
        y[i] = a;
        y[i + 1] = b;
    }
}

// x *= re + i im; sums only, as in a plan's products
static void padici_z_scale(uint64_t n, double *x, double re, double im)
{
    const double minus = -im;
    uint64_t i;
    for (i = 0; i < 2 * n; i += 2) {
        const double a = x[i], b = x[i + 1];
        x[i] = a * re;
        x[i] += b * minus;
        x[i + 1] = a * im;
        x[i + 1] += b * re;
    }
}

// (x, y) <- (c x - s conj(e) y, s x + c conj(e) y), |e| = 1: a rotation after y's phase is turned.
static void padici_z_rotate(uint64_t n, double *x, double *y, double c, double s, const double e[2])
{
    const double minus = -e[1];
    uint64_t i;
    for (i = 0; i < 2 * n; i += 2) {
        const double a = x[i], b = x[i + 1];
        double p = y[i] * e[0], q = y[i + 1] * e[0];
        p += y[i + 1] * e[1];
        q += y[i] * minus;
        x[i] = c * a + -s * p;
        x[i + 1] = c * b + -s * q;
        y[i] = s * a + c * p;
        y[i + 1] = s * b + c * q;
    }
}

// |re + i im|, of numbers whose squares F64 does not hold, too.
static double padici_z_size(double re, double im)
{
    const double x = fabs(re), y = fabs(im), large = x > y ? x : y, square = re * re + im * im;
    const double ratio = (x > y ? y : x) / (large > 0 ? large : 1);
    if (square > 1e-280 && square < 1e300) return sqrt(square);
    return large * sqrt(1 + ratio * ratio);
}

// The phase of z, 1 for 0.
static void padici_z_phase(const double z[2], double phase[2])
{
    const double up = fabs(z[0]) + fabs(z[1]) < 1e-290 ? 1e300 : 1; // a size needs all its digits
    const double size = padici_z_size(z[0] * up, z[1] * up);
    phase[0] = size > 0 ? z[0] * up / size : 1;
    phase[1] = size > 0 ? z[1] * up / size : 0;
}

// The reflection I - 2 v v^dagger / |v|^2 that takes x to (beta, 0, ...): v in place of x, beta =
// -phase(x_0) |x|. Returns 2/|v|^2, or 0 when x is 0.
static double padici_z_reflector(uint64_t n, double *x, double beta[2])
{
    double norm2 = padici_z_norm2(n, x), largest = 0, norm, phase[2];
    uint64_t i;
    int power = 0;
    if (norm2 < 1e-270) { // squares lose digits: of 2^-power x, about 1, with the same reflection
        for (i = 0; i < 2 * n; i++)
            if (fabs(x[i]) > largest) largest = fabs(x[i]);
        if (largest > 0) frexp(largest, &power);
        for (i = 0; i < 2 * n; i++) x[i] = ldexp(x[i], -power);
        norm2 = padici_z_norm2(n, x);
    }
    norm = sqrt(norm2);
    beta[0] = beta[1] = 0;
    if (!(norm2 > 0)) return 0;
    padici_z_phase(x, phase);
    norm2 += norm * padici_z_size(x[0], x[1]);
    x[0] += phase[0] * norm;
    x[1] += phase[1] * norm;
    beta[0] = -phase[0] * norm;
    beta[1] = -phase[1] * norm;
    if (power) beta[0] = ldexp(beta[0], power);
    if (power) beta[1] = ldexp(beta[1], power);
    return 1 / norm2;
}

// y <- (I - tau v v^dagger) y
static void padici_z_reflect(uint64_t n, const double *v, double tau, double *y)
{
    double g[2];
    if (tau == 0) return;
    padici_z_dot(n, v, y, g);
    padici_z_add(n, y, -tau * g[0], -tau * g[1], v);
}

// a (m x n) becomes the vectors v below and on the diagonal and R above it; tau[k], and diag: R's
// diagonal (complex).
static void padici_z_qr(uint64_t m, uint64_t n, double *a, double *tau, double *diag)
{
    const uint64_t r = m < n ? m : n;
    uint64_t j, k;
    for (k = 0; k < r; k++) {
        double *column = a + 2 * (k * m + k);
        tau[k] = padici_z_reflector(m - k, column, diag + 2 * k);
        for (j = k + 1; j < n; j++)
            padici_z_reflect(m - k, column, tau[k], a + 2 * (j * m + k));
    }
}

// x (m x columns) <- Q x, of the reflections in a.
static void padici_z_qr_apply(uint64_t m, uint64_t r, const double *a, const double *tau,
                              uint64_t columns, double *x)
{
    uint64_t j, k;
    for (k = r; k-- > 0;)
        for (j = 0; j < columns; j++)
            padici_z_reflect(m - k, a + 2 * (k * m + k), tau[k], x + 2 * (j * m + k));
}

// One-sided Jacobi: columns of w (m x n) are rotated until they are orthogonal, and with them those
// of v (n x n; NULL is fine). 0 when 30 sweeps do not do it. Sums of few numbers leave more than
// `tolerance` for ever: what is below `rounding` is rotated, but asks for no other sweep.
static int padici_z_jacobi(uint64_t m, uint64_t n, double *w, double *v, double tolerance)
{
    const double rounding = tolerance + 8 * PADICI_EPS;
    uint32_t sweep;
    for (sweep = 0; sweep < PADICI_SWEEPS; sweep++) {
        uint64_t p, q, turned = 0;
        for (p = 0; p + 1 < n; p++)
            for (q = p + 1; q < n; q++) {
                double *x = w + 2 * p * m, *y = w + 2 * q * m, g[2], e[2], z, t, c;
                const double a = padici_z_norm2(m, x), b = padici_z_norm2(m, y);
                double size;
                padici_z_dot(m, x, y, g);
                size = sqrt(g[0] * g[0] + g[1] * g[1]);
                if (!(size > tolerance * sqrt(a) * sqrt(b)) || !(size > 1e-100)) continue;
                turned += size > rounding * sqrt(a) * sqrt(b);
                e[0] = g[0] / size;
                e[1] = g[1] / size;
                z = (b - a) / (2 * size);
                // Of the two tangents that which puts the longer column first: where singular
                // values fall far, the small angle alone needs many more sweeps.
                t = z > 0 ? -(z + sqrt(1 + z * z)) : -1 / (sqrt(1 + z * z) - z);
                c = 1 / sqrt(1 + t * t);
                padici_z_rotate(m, x, y, c, c * t, e);
                if (v) padici_z_rotate(n, v + 2 * p * n, v + 2 * q * n, c, c * t, e);
            }
        if (!turned) return 1;
    }
    return n < 2;
}

static void padici_z_swap(uint64_t n, double *x, double *y)
{
    uint64_t i;
    for (i = 0; i < 2 * n; i++) {
        const double a = x[i];
        x[i] = y[i];
        y[i] = a;
    }
}

// Sorts values (descending, or ascending) and the columns of x and y (NULL is fine) with them.
static void padici_z_sort(uint64_t n, double *values, int ascending, uint64_t m, double *x,
                          uint64_t k, double *y)
{
    uint64_t i, j;
    for (i = 0; i + 1 < n; i++) {
        uint64_t best = i;
        double value;
        for (j = i + 1; j < n; j++)
            if (ascending ? values[j] < values[best] : values[j] > values[best]) best = j;
        if (best == i) continue;
        value = values[i];
        values[i] = values[best];
        values[best] = value;
        if (x) padici_z_swap(m, x + 2 * i * m, x + 2 * best * m);
        if (y) padici_z_swap(k, y + 2 * i * k, y + 2 * best * k);
    }
}

// Columns `done` and on of u (m x n) become unit vectors orthogonal to all before: of the axes the
// one that those before cover least, orthogonalised twice.
static void padici_z_complete(uint64_t m, uint64_t n, uint64_t done, double *u)
{
    uint64_t i, j, k, pass;
    for (k = done; k < n; k++) {
        double *x = u + 2 * k * m, least = 2, g[2], norm;
        uint64_t at = 0;
        for (i = 0; i < m; i++) {
            double covered = 0;
            for (j = 0; j < k; j++) covered += padici_z_norm2(1, u + 2 * (j * m + i));
            if (covered < least) {
                least = covered;
                at = i;
            }
        }
        memset(x, 0, (size_t)(16 * m));
        x[2 * at] = 1;
        for (pass = 0; pass < 2; pass++)
            for (j = 0; j < k; j++) {
                padici_z_dot(m, u + 2 * j * m, x, g);
                padici_z_add(m, x, -g[0], -g[1], u + 2 * j * m);
            }
        norm = sqrt(padici_z_norm2(m, x));
        padici_z_scale(m, x, 1 / norm, 0);
    }
}

// Turns column x so that its largest entry is real and positive, and y by the same phase.
static void padici_z_sign(uint64_t m, double *x, uint64_t n, double *y)
{
    double largest = 0, phase[2];
    uint64_t i, at = 0;
    for (i = 0; i < m; i++) {
        const double size = padici_z_norm2(1, x + 2 * i);
        if (size <= largest * (1 + 1.9073486328125e-6)) continue;
        largest = size;
        at = i;
    }
    padici_z_phase(x + 2 * at, phase);
    padici_z_scale(m, x, phase[0], -phase[1]);
    if (phase[1] != 0) x[2 * at + 1] = 0;
    if (y) padici_z_scale(n, y, phase[0], -phase[1]);
}

// w (m x n, m >= n) = U diag(s) V^dagger: U in place of w, s, V (n x n; NULL: s alone is made, and
// w is lost). work: 2 m n + 2 n n + 3 n doubles. `single`: the numbers came from F32.
static int padici_z_svd(uint64_t m, uint64_t n, double *w, double *s, double *v, double *work,
                        int single)
{
    const double eps = single ? 1.1920928955078125e-7 : 2 * PADICI_EPS;
    const double tolerance = (double)n * (single ? 9.094947017729282e-13 : PADICI_EPS);
    const int tall = (double)m > 1.2 * (double)n;
    const uint64_t rows = tall ? n : m;
    double *x = w, *tau = work, *diag = work + n, *q = work + 3 * n, limit;
    uint64_t i, j, rank;
    int good;
    if (tall) { // of R instead
        padici_z_qr(m, n, w, tau, diag);
        x = q + 2 * m * n;
        memset(x, 0, (size_t)(16 * n * n));
        for (j = 0; j < n; j++) {
            memcpy(x + 2 * j * n, w + 2 * j * m, (size_t)(16 * j));
            x[2 * (j * n + j)] = diag[2 * j];
            x[2 * (j * n + j) + 1] = diag[2 * j + 1];
        }
    }
    if (v) memset(v, 0, (size_t)(16 * n * n));
    for (j = 0; v && j < n; j++) v[2 * (j * n + j)] = 1;
    good = padici_z_jacobi(rows, n, x, v, tolerance);
    for (j = 0; j < n; j++) s[j] = sqrt(padici_z_norm2(rows, x + 2 * j * rows));
    padici_z_sort(n, s, 0, rows, v ? x : NULL, n, v);
    if (!v) return good;
    limit = (double)m * eps * (n ? s[0] : 0);
    for (rank = 0; rank < n && s[rank] > limit; rank++)
        padici_z_scale(rows, x + 2 * rank * rows, 1 / s[rank], 0);
    padici_z_complete(rows, n, rank, x);
    if (!tall) return good;
    memset(q, 0, (size_t)(16 * m * n));
    for (j = 0; j < n; j++) memcpy(q + 2 * j * m, x + 2 * j * n, (size_t)(16 * n));
    padici_z_qr_apply(m, n, w, tau, n, q);
    for (i = 0; i < 2 * m * n; i++) w[i] = q[i];
    return good;
}

// Two-sided Jacobi on the Hermitian a (n x n), whole; its diagonal becomes the eigenvalues. v may
// be NULL.
static int padici_z_eigh_jacobi(uint64_t n, double *a, double *v)
{
    const double tiny = 8.673617379884035e-19 * sqrt(padici_z_norm2(n * n, a)); // 2^-60
    uint32_t sweep;
    for (sweep = 0; sweep < PADICI_SWEEPS; sweep++) {
        uint64_t p, q, i, turned = 0;
        for (p = 0; p + 1 < n; p++)
            for (q = p + 1; q < n; q++) {
                double *x = a + 2 * p * n, *y = a + 2 * q * n, g[2], e[2], z, t, c, s, size;
                const double app = x[2 * p], aqq = y[2 * q];
                g[0] = y[2 * p]; // a_pq
                g[1] = y[2 * p + 1];
                size = sqrt(g[0] * g[0] + g[1] * g[1]);
                if (!(size > PADICI_EPS * sqrt(fabs(app)) * sqrt(fabs(aqq))) || !(size > tiny))
                    continue;
                turned++;
                padici_z_phase(g, e);
                z = (aqq - app) / (2 * size);
                t = (z < 0 ? -1 : 1) / (fabs(z) + sqrt(1 + z * z));
                c = 1 / sqrt(1 + t * t);
                s = c * t;
                padici_z_rotate(n, x, y, c, s, e);
                for (i = 0; i < n; i++) { // rows, as the conjugates of columns
                    if (i == p || i == q) continue;
                    a[2 * (i * n + p)] = x[2 * i];
                    a[2 * (i * n + p) + 1] = -x[2 * i + 1];
                    a[2 * (i * n + q)] = y[2 * i];
                    a[2 * (i * n + q) + 1] = -y[2 * i + 1];
                }
                x[2 * p] = app - t * size;
                y[2 * q] = aqq + t * size;
                x[2 * p + 1] = y[2 * q + 1] = 0;
                x[2 * q] = x[2 * q + 1] = y[2 * p] = y[2 * p + 1] = 0;
                if (v) padici_z_rotate(n, v + 2 * p * n, v + 2 * q * n, c, s, e);
            }
        if (!turned) return 1;
    }
    return n < 2;
}

// a (Hermitian, n x n, whole) to a real tridiagonal matrix d, e (e[k] couples k and k + 1), with
// the transformation in v (NULL is fine): a = v T v^dagger. work: 2 n + n.
static void padici_z_tridiagonal(uint64_t n, double *a, double *v, double *d, double *e,
                                 double *work)
{
    double *p = work, *tau = work + 2 * n, phase[2], turn[2], beta[2];
    uint64_t i, j, k;
    if (v) memset(v, 0, (size_t)(16 * n * n));
    if (v) v[0] = 1;
    turn[0] = 1;
    turn[1] = 0;
    for (k = 0; k + 1 < n; k++) {
        double *x = a + 2 * (k * n + k + 1), g[2], t;
        const uint64_t m = n - k - 1;
        d[k] = a[2 * (k * n + k)];
        tau[k] = padici_z_reflector(m, x, beta);
        e[k] = padici_z_size(beta[0], beta[1]);
        padici_z_phase(beta, phase); // of the entry below the diagonal
        t = turn[0] * phase[0] - turn[1] * phase[1];
        turn[1] = turn[0] * phase[1] + turn[1] * phase[0];
        turn[0] = t;
        if (v) {
            v[2 * ((k + 1) * n + k + 1)] = turn[0];
            v[2 * ((k + 1) * n + k + 1) + 1] = turn[1];
        }
        if (tau[k] == 0) continue;
        memset(p, 0, (size_t)(16 * m));
        for (j = 0; j < m; j++) // p = tau A x
            padici_z_add(m, p, tau[k] * x[2 * j], tau[k] * x[2 * j + 1],
                         a + 2 * ((k + 1 + j) * n + k + 1));
        padici_z_dot(m, x, p, g);
        padici_z_add(m, p, -0.5 * tau[k] * g[0], -0.5 * tau[k] * g[1], x);
        for (j = 0; j < m; j++) { // A -= x p^dagger + p x^dagger
            double *column = a + 2 * ((k + 1 + j) * n + k + 1);
            padici_z_add(m, column, -p[2 * j], p[2 * j + 1], x);
            padici_z_add(m, column, -x[2 * j], x[2 * j + 1], p);
        }
    }
    if (n) d[n - 1] = a[2 * (n * n - 1)];
    for (k = n; v && k-- > 1;)
        for (i = 0; i < n; i++)
            padici_z_reflect(n - k, a + 2 * ((k - 1) * n + k), tau[k - 1], v + 2 * (i * n + k));
}

// Implicit QL on the tridiagonal d, e (n of each, e[n - 1] is space); columns of v (n x n; NULL is
// fine) turn along. Bowdler, Martin, Reinsch, Wilkinson 1968. A coupling within the rounding of the
// whole matrix counts as none: between small entries steps would only move that rounding about.
static int padici_z_ql(uint64_t n, double *d, double *e, double *v)
{
    static const double one[2] = {1, 0};
    double least = 0;
    uint64_t l, k, i;
    for (k = 0; k < n; k++) {
        const double size = fabs(d[k]) + (k + 1 < n ? fabs(e[k]) : 0);
        if (size > least) least = size;
    }
    least = 1e-290 + PADICI_EPS * least;
    for (l = 0; l < n; l++) {
        uint32_t step;
        for (step = 0;; step++) {
            double g, r, s = 1, c = 1, p = 0;
            for (k = l; k + 1 < n; k++)
                if (fabs(e[k]) <= least) break;
            if (k == l) break;
            if (step == 60) return 0;
            g = (d[l + 1] - d[l]) / (2 * e[l]);
            r = sqrt(g * g + 1);
            g = d[k] - d[l] + e[l] / (g + (g < 0 ? -r : r));
            for (i = k; i-- > l;) {
                const double f = s * e[i], b = c * e[i];
                e[i + 1] = r = sqrt(f * f + g * g);
                if (r == 0) break; // underflow: this coupling is gone
                s = f / r;
                c = g / r;
                g = d[i + 1] - p;
                r = (d[i] - g) * s + 2 * c * b;
                p = s * r;
                d[i + 1] = g + p;
                g = c * r - b;
                if (v) padici_z_rotate(n, v + 2 * i * n, v + 2 * (i + 1) * n, c, s, one);
                r = 1;
            }
            if (r == 0) {
                d[i + 1] -= p;
            } else {
                d[l] -= p;
                e[l] = g;
            }
            e[k] = 0;
        }
    }
    return 1;
}

// Eigenvalues, ascending, of the Hermitian a (n x n, whole, lost), vectors in v (NULL: none). work:
// 4 n doubles.
static int padici_z_eigh(uint64_t n, double *a, double *values, double *v, double *work)
{
    uint64_t i;
    int good;
    if (n <= 64 && v) { // values alone: fewer operations the other way
        memset(v, 0, (size_t)(16 * n * n));
        for (i = 0; i < n; i++) v[2 * (i * n + i)] = 1;
        good = padici_z_eigh_jacobi(n, a, v);
        for (i = 0; i < n; i++) values[i] = a[2 * (i * n + i)];
    } else {
        padici_z_tridiagonal(n, a, v, values, work + 3 * n, work);
        good = padici_z_ql(n, values, work + 3 * n, v);
    }
    padici_z_sort(n, values, 1, n, v, 0, NULL);
    return good;
}

// One call of svd, qr or eigh. Tensors: A, then what is made of it.
typedef struct padici_factor {
    padic_tensor tensors[4];
    padic_tensor status;   // dtype NONE: none
    int64_t status_step;
    uint32_t kind;         // below
    uint64_t batch, m, n, r;
    int64_t stride[4][3];  // batch, row, column; a vector has only the row
    int32_t *info;
    double *space;
    size_t each;    // doubles for one task
    uint64_t tasks;
    padici_steps steps; // matrices
} padici_factor;

enum { PADICI_FACTOR_SVD, PADICI_FACTOR_QR, PADICI_FACTOR_EIGH };

static padic_result padici_operand_find(padic_context *context, padici_operand *o, uint64_t count);
static int padici_operands_overlap(const padici_operand *a, const padici_operand *b);
static padic_result padici_fail_overlap(padic_context *context, const padici_operand *out,
                                        const padici_operand *other);

// Finds host tensors (an absent one has dtype NONE), sets their data; the first `in` are read.
static padic_result padici_tensor_host(padic_context *context, padic_tensor *tensors,
                                       const char *const *names, padici_operand *operands,
                                       uint32_t count, uint32_t in)
{
    uint32_t i, j;
    memset(operands, 0, count * sizeof *operands);
    for (i = 0; i < count; i++) {
        padici_operand *o = &operands[i];
        uint64_t elements;
        padic_result result;
        if (tensors[i].dtype == PADIC_DTYPE_NONE) continue;
        o->tensor = &tensors[i];
        o->name = names[i];
        o->out = i >= in;
        result = padici_tensor_check_view(o->tensor, i < in, &elements);
        if (result) return padici_fail_view(context, result, o->name, o->tensor);
        result = padici_operand_find(context, o, elements);
        if (result) return result;
        if (!o->home.host)
            return padici_fail_field(context, PADIC_ERROR_NOT_SUPPORTED, o->name,
                                     "is in a device's memory: download it first");
        for (j = 0; j < i; j++)
            if (o->out && o->bytes && operands[j].bytes && padici_operands_overlap(o, &operands[j]))
                return padici_fail_overlap(context, o, &operands[j]);
    }
    for (i = 0; i < count; i++)
        if (operands[i].tensor && operands[i].bytes)
            tensors[i].data = (void *)(uintptr_t)(operands[i].home.mem.bits + operands[i].home.at);
    return PADIC_OK;
}

// The field of a desc that tensor i is.
static const char *padici_factor_name(const padici_factor *f, uint32_t i)
{
    static const char *const names[3][4] = {
        {"a", "u", "vh", "s"}, {"a", "q", "r", ""}, {"a", "v", "w", ""}};
    return names[f->kind][i];
}

// Shape and strides of tensor i, which has `rows` x `columns` (0: a vector) a matrix.
static padic_result padici_factor_shape(padic_context *context, padici_factor *f, uint32_t i,
                                        uint64_t rows, uint64_t columns, int vector)
{
    const padic_tensor *t = &f->tensors[i];
    const uint32_t batched = f->tensors[0].rank == 3, rank = batched + (vector ? 1 : 2);
    const padic_dtype dtype = f->tensors[0].dtype;
    const padic_dtype real = padici_tensor_is_double(dtype) ? PADIC_F64 : PADIC_F32;
    int64_t stride[PADIC_MAX_RANK];
    if (t->dtype == PADIC_DTYPE_NONE) return PADIC_OK;
    if (t->dtype != (vector ? real : dtype))
        return padici_fail_field(context, PADIC_ERROR_MISMATCH, padici_factor_name(f, i),
                                 vector ? "has not the real dtype of a" : "has not the dtype of a");
    if (t->rank != rank || (batched && t->shape[0] != f->batch) || t->shape[batched] != rows ||
        (!vector && t->shape[batched + 1] != columns))
        return padici_fail_field(context, PADIC_ERROR_MISMATCH, padici_factor_name(f, i),
                                 "has not the shape that a asks for");
    padici_tensor_dense(t, stride);
    f->stride[i][0] = batched ? stride[0] : 0;
    f->stride[i][1] = stride[batched];
    f->stride[i][2] = vector ? 0 : stride[batched + 1];
    return PADIC_OK;
}

// The size of the matrices: 0, or what is wrong with a.
static padic_result padici_factor_begin(padic_context *context, padici_factor *f)
{
    const padic_tensor *a = &f->tensors[0];
    if (a->dtype != PADIC_F32 && !padici_tensor_is_double(a->dtype) &&
        !padici_tensor_is_complex(a->dtype))
        return padici_fail_here(context, PADIC_ERROR_DTYPE, "a is F32, F64, C64 or C128");
    if (a->rank != 2 && a->rank != 3)
        return padici_fail_here(context, PADIC_ERROR_ARGUMENT, "a has rank 2 or 3");
    f->batch = a->rank == 3 ? a->shape[0] : 1;
    f->m = a->shape[a->rank - 2];
    f->n = a->shape[a->rank - 1];
    f->r = f->m < f->n ? f->m : f->n;
    if (f->kind == PADICI_FACTOR_EIGH && f->m != f->n)
        return padici_fail_here(context, PADIC_ERROR_MISMATCH, "a is not square");
    if (f->m >> 24 || f->n >> 24 || f->batch >> 31)
        return padici_fail_here(context, PADIC_ERROR_LIMIT,
                                "a has an extent of 2^24 or more, or 2^31 matrices");
    return padici_factor_shape(context, f, 0, f->m, f->n, 0);
}

// Reads matrix b, conjugated and transposed when `turn`; its scale, a power of 2 that all entries
// are divided by, so that no square overflows. 0 when an entry is not finite.
static int padici_factor_read(const padici_factor *f, uint64_t b, int turn, double *a,
                              double *scale)
{
    const padic_tensor *t = &f->tensors[0];
    const int64_t *stride = f->stride[0];
    const uint64_t m = turn ? f->n : f->m, n = turn ? f->m : f->n;
    double largest = 0;
    uint64_t i, j;
    int power;
    for (j = 0; j < n; j++)
        for (i = 0; i < m; i++) {
            const int64_t row = (int64_t)(turn ? j : i), column = (int64_t)(turn ? i : j);
            double *z = a + 2 * (j * m + i);
            if (f->kind == PADICI_FACTOR_EIGH && i < j) continue;
            padici_tensor_read(t->dtype, (const char *)t->data,
                               (int64_t)b * stride[0] + row * stride[1] + column * stride[2], z,
                               z + 1);
            if (turn) z[1] = -z[1];
            if (f->kind == PADICI_FACTOR_EIGH && i == j) z[1] = 0;
            if (!(z[0] - z[0] == 0) || !(z[1] - z[1] == 0)) return 0;
            if (fabs(z[0]) > largest) largest = fabs(z[0]);
            if (fabs(z[1]) > largest) largest = fabs(z[1]);
        }
    frexp(largest, &power);
    *scale = largest > 0 ? ldexp(1.0, power < -1000 ? -1000 : power > 1000 ? 1000 : power) : 1;
    for (j = 0; j < n; j++)
        for (i = 0; i < m; i++) {
            double *z = a + 2 * (j * m + i);
            if (f->kind == PADICI_FACTOR_EIGH && i < j) {
                z[0] = a[2 * (i * m + j)]; // read and divided before
                z[1] = -a[2 * (i * m + j) + 1];
            } else {
                z[0] /= *scale;
                z[1] /= *scale;
            }
        }
    return 1;
}

// Sets `power` so that 2^-power brings the largest part of a tensor to about 1, as far as such a
// factor is a number. 0 when a part is not finite.
static int padici_tensor_power(const padic_tensor *t, int *power)
{
    const uint64_t count = padic_tensor_count(t);
    int64_t step[PADIC_MAX_RANK];
    double largest = 0;
    uint64_t e;
    uint32_t i;
    padici_tensor_dense(t, step);
    for (e = 0; e < count; e++) {
        uint64_t rest = e;
        int64_t at = 0;
        double re, im;
        for (i = t->rank; i-- > 0; rest /= t->shape[i])
            at += (int64_t)(rest % t->shape[i]) * step[i];
        padici_tensor_read(t->dtype, (const char *)t->data, at, &re, &im);
        if (!(re - re == 0) || !(im - im == 0)) return 0;
        if (fabs(re) > largest) largest = fabs(re);
        if (fabs(im) > largest) largest = fabs(im);
    }
    *power = 0;
    if (largest > 0) frexp(largest, power);
    if (*power > 1000) *power = 1000;
    if (*power < -1000) *power = -1000;
    return 1;
}

// Whether a number is finite, and stays so when it is written to a tensor.
static int padici_tensor_holds(padic_dtype dtype, double x)
{
    // Half a step above the largest F32, numbers are rounded up to infinity.
    return padici_tensor_is_double(dtype) ? x - x == 0 : fabs(x) < 3.40282356779733661638e38;
}

// Whether tensor i holds n numbers x times the scale; one that is absent holds any.
static int padici_factor_holds(const padici_factor *f, uint32_t i, const double *x, uint64_t n,
                               double scale)
{
    uint64_t k;
    if (f->tensors[i].dtype == PADIC_DTYPE_NONE) return 1;
    for (k = 0; k < n; k++)
        if (!padici_tensor_holds(f->tensors[i].dtype, x[k] * scale)) return 0;
    return 1;
}

// Writes x (rows x columns, columns `step` entries apart) to tensor i of matrix b; or its
// conjugate transpose.
static void padici_factor_write(const padici_factor *f, uint32_t i, uint64_t b, const double *x,
                                uint64_t rows, uint64_t columns, int turn)
{
    const padic_tensor *t = &f->tensors[i];
    const int64_t *stride = f->stride[i];
    uint64_t j, k;
    if (t->dtype == PADIC_DTYPE_NONE) return;
    for (j = 0; j < columns; j++)
        for (k = 0; k < rows; k++) {
            const double *z = x + 2 * (j * rows + k);
            const int64_t row = (int64_t)(turn ? j : k), column = (int64_t)(turn ? k : j);
            padici_tensor_write(t->dtype, (char *)t->data,
                                (int64_t)b * stride[0] + row * stride[1] + column * stride[2], z[0],
                                turn ? -z[1] : z[1]);
        }
}

static void padici_factor_values(const padici_factor *f, uint32_t i, uint64_t b, const double *x,
                                 uint64_t n, double scale)
{
    const padic_tensor *t = &f->tensors[i];
    uint64_t k;
    for (k = 0; t->dtype != PADIC_DTYPE_NONE && k < n; k++)
        padici_tensor_write(t->dtype, (char *)t->data,
                            (int64_t)b * f->stride[i][0] + (int64_t)k * f->stride[i][1],
                            x[k] * scale, 0);
}

// Tensors a, u, vh, s. A wide matrix is done as its adjoint: A^dagger = V S U^dagger.
static int padici_factor_svd(const padici_factor *f, uint64_t b, double *space)
{
    const int turn = f->m < f->n;
    const int vectors = f->tensors[1].dtype != PADIC_DTYPE_NONE ||
                        f->tensors[2].dtype != PADIC_DTYPE_NONE;
    const uint64_t m = turn ? f->n : f->m, n = f->r;
    double *w = space, *s = w + 2 * m * n, *v = s + n, *work = v + 2 * n * n, scale;
    uint64_t j;
    int good;
    if (!padici_factor_read(f, b, turn, w, &scale)) return PADIC_ERROR_NOT_FINITE;
    good = padici_z_svd(m, n, w, s, vectors ? v : NULL, work,
                        !padici_tensor_is_double(f->tensors[0].dtype));
    if (!padici_factor_holds(f, 3, s, n, scale)) return PADIC_ERROR_NOT_FINITE;
    for (j = 0; vectors && j < n; j++) {
        if (turn)
            padici_z_sign(n, v + 2 * j * n, m, w + 2 * j * m);
        else
            padici_z_sign(m, w + 2 * j * m, n, v + 2 * j * n);
    }
    padici_factor_write(f, turn ? 2 : 1, b, w, m, n, turn);
    padici_factor_write(f, turn ? 1 : 2, b, v, n, n, !turn);
    padici_factor_values(f, 3, b, s, n, scale);
    return good ? PADIC_OK : PADIC_ERROR_DOMAIN;
}

// Tensors a, q, r.
static int padici_factor_qr(const padici_factor *f, uint64_t b, double *space)
{
    const uint64_t m = f->m, n = f->n, r = f->r;
    double *a = space, *q = a + 2 * m * n, *rr = q + 2 * m * r, *tau = rr + 2 * r * n;
    double *diag = tau + r, scale, phase[2];
    uint64_t j, k;
    if (!padici_factor_read(f, b, 0, a, &scale)) return PADIC_ERROR_NOT_FINITE;
    padici_z_qr(m, n, a, tau, diag);
    memset(q, 0, (size_t)(16 * (m * r + r * n)));
    for (j = 0; j < r; j++) q[2 * (j * m + j)] = 1;
    padici_z_qr_apply(m, r, a, tau, r, q);
    for (j = 0; j < n; j++)
        for (k = 0; k <= j && k < r; k++) {
            double *z = rr + 2 * (j * r + k);
            memcpy(z, k == j ? diag + 2 * k : a + 2 * (j * m + k), 16);
            padici_z_phase(diag + 2 * k, phase);
            padici_z_scale(1, z, phase[0] * scale, -phase[1] * scale);
            if (k == j) z[1] = 0;
        }
    if (!padici_factor_holds(f, 2, rr, 2 * r * n, 1)) return PADIC_ERROR_NOT_FINITE;
    for (k = 0; k < r; k++) {
        padici_z_phase(diag + 2 * k, phase);
        padici_z_scale(m, q + 2 * k * m, phase[0], phase[1]);
    }
    padici_factor_write(f, 1, b, q, m, r, 0);
    padici_factor_write(f, 2, b, rr, r, n, 0);
    return PADIC_OK;
}

// Tensors a, v, w.
static int padici_factor_eigh(const padici_factor *f, uint64_t b, double *space)
{
    const uint64_t n = f->n;
    const int vectors = f->tensors[1].dtype != PADIC_DTYPE_NONE;
    double *a = space, *v = a + 2 * n * n, *values = v + 2 * n * n, scale;
    uint64_t j;
    int good;
    if (!padici_factor_read(f, b, 0, a, &scale)) return PADIC_ERROR_NOT_FINITE;
    good = padici_z_eigh(n, a, values, vectors ? v : NULL, values + n);
    if (!padici_factor_holds(f, 2, values, n, scale)) return PADIC_ERROR_NOT_FINITE;
    for (j = 0; vectors && j < n; j++) padici_z_sign(n, v + 2 * j * n, 0, NULL);
    padici_factor_write(f, 1, b, v, n, n, 0);
    padici_factor_values(f, 2, b, values, n, scale);
    return good ? PADIC_OK : PADIC_ERROR_DOMAIN;
}

static void padici_factor_task(void *arg, uint32_t task)
{
    padici_factor *f = (padici_factor *)arg;
    double *space = f->space + task * f->each;
    uint64_t b;
    for (b = task; b < f->batch; b += f->tasks) {
        f->info[b] = f->kind == PADICI_FACTOR_SVD  ? padici_factor_svd(f, b, space)
                     : f->kind == PADICI_FACTOR_QR ? padici_factor_qr(f, b, space)
                                                   : padici_factor_eigh(f, b, space);
        if (padici_steps_more(&f->steps, 1)) return;
    }
}

// The first result that is not OK, and the sentence about it.
static padic_result padici_factor_say(const int32_t *info, uint64_t batch, char *to, size_t size)
{
    padici_text text;
    uint64_t b;
    for (b = 0; b < batch && !info[b]; b++) continue;
    if (b == batch) return PADIC_OK;
    padici_text_begin(&text, to, size);
    padici_text_add(&text, "a: matrix ");
    padici_text_number(&text, b, 1);
    padici_text_add(&text, info[b] == PADIC_ERROR_NOT_FINITE
                               ? " has a NaN or an infinity, or results beyond its dtype"
                               : " did not converge");
    return (padic_result)info[b];
}

// Doubles that the tasks need together; 0: too many.
static int padici_factor_space(padici_factor *f, size_t *bytes)
{
    const uint64_t longer = f->m < f->n ? f->n : f->m;
    if (!padici_mul_size((size_t)(longer + 1), (size_t)(f->r + 1), &f->each) ||
        !padici_mul_size(f->each, 8 * 8, bytes) ||
        !padici_mul_size(*bytes, (size_t)f->tasks, bytes) || *bytes > ((size_t)-1) / 2)
        return 0;
    f->each *= 8;
    return 1;
}

// Runs a call that is checked: memory, tasks, what they said.
static padic_result padici_factor_run(const padic_env *env, padici_factor *f, int32_t *info)
{
    const padic_allocator *allocator = env ? env->allocator : NULL;
    const padic_jobs *jobs = env ? env->jobs : NULL;
    const size_t infos = info ? 0 : ((size_t)f->batch * 4 + 63) / 64 * 64;
    size_t bytes;
    uint64_t b;
    padic_result result;
    char *memory, space[96];
    f->tasks = jobs && jobs->workers > 1 ? jobs->workers : 1;
    if (f->tasks > f->batch) f->tasks = f->batch;
    if (!padici_factor_space(f, &bytes))
        return padici_env_fail(env, PADIC_ERROR_LIMIT, "a has matrices too large for memory");
    if (!f->batch) return PADIC_OK;
    bytes += infos;
    memory = (char *)padici_alloc(allocator, bytes, 64);
    if (!memory) return padici_env_fail(env, PADIC_ERROR_MEMORY, "out of host memory");
    f->info = info ? info : (int32_t *)(void *)memory;
    f->space = (double *)(void *)(memory + infos);
    padici_steps_begin(&f->steps, NULL, env ? env->progress : NULL, f->batch);
    padici_parallel(jobs, (uint32_t)f->tasks, padici_factor_task, f);
    if (padici_steps_end(&f->steps)) {
        padici_free(allocator, memory, bytes);
        return padici_env_fail(env, PADIC_ERROR_CANCELLED,
                               "the progress hook stopped it midway");
    }
    if (f->status.dtype != PADIC_DTYPE_NONE) {
        for (b = 0; b < f->batch; b++)
            ((int32_t *)f->status.data)[(int64_t)b * f->status_step] = f->info[b];
        result = PADIC_OK;
    } else {
        result = padici_factor_say(f->info, f->batch, space, sizeof space);
        if (result) result = padici_env_fail(env, result, space);
    }
    padici_free(allocator, memory, bytes);
    return result;
}

// Where the results of the matrices go, besides info.
static padic_result padici_factor_status(padic_context *context, padici_factor *f,
                                         const padic_tensor *status, const int32_t *info)
{
    int64_t stride[PADIC_MAX_RANK];
    f->status = *status;
    if (status->dtype == PADIC_DTYPE_NONE) return PADIC_OK;
    if (info)
        return padici_fail_here(context, PADIC_ERROR_ARGUMENT, "info or status, not both");
    if (status->dtype != PADIC_I32 || status->rank != 1 || status->shape[0] != f->batch)
        return padici_fail_here(context, PADIC_ERROR_MISMATCH,
                                "status has one I32 for each matrix");
    padici_tensor_dense(status, stride);
    f->status_step = stride[0];
    return PADIC_OK;
}

// Everything about a call but its memory.

static padic_result padici_factor_of_svd(padic_context *context, const padic_tensor_svd_desc *desc,
                                         padici_factor *f)
{
    padic_result result;
    memset(f, 0, sizeof *f);
    f->kind = PADICI_FACTOR_SVD;
    f->tensors[0] = desc->a;
    f->tensors[1] = desc->u;
    f->tensors[2] = desc->vh;
    f->tensors[3] = desc->s;
    result = padici_factor_begin(context, f);
    if (!result) result = padici_factor_shape(context, f, 1, f->m, f->r, 0);
    if (!result) result = padici_factor_shape(context, f, 2, f->r, f->n, 0);
    if (!result) result = padici_factor_shape(context, f, 3, f->r, 0, 1);
    return result ? result : padici_factor_status(context, f, &desc->status, desc->info);
}

static padic_result padici_factor_of_qr(padic_context *context, const padic_tensor_qr_desc *desc,
                                        padici_factor *f)
{
    padic_result result;
    memset(f, 0, sizeof *f);
    f->kind = PADICI_FACTOR_QR;
    f->tensors[0] = desc->a;
    f->tensors[1] = desc->q;
    f->tensors[2] = desc->r;
    result = padici_factor_begin(context, f);
    if (!result) result = padici_factor_shape(context, f, 1, f->m, f->r, 0);
    if (!result) result = padici_factor_shape(context, f, 2, f->r, f->n, 0);
    return result ? result : padici_factor_status(context, f, &desc->status, desc->info);
}

static padic_result padici_factor_of_eigh(padic_context *context,
                                          const padic_tensor_eigh_desc *desc, padici_factor *f)
{
    padic_result result;
    memset(f, 0, sizeof *f);
    f->kind = PADICI_FACTOR_EIGH;
    f->tensors[0] = desc->a;
    f->tensors[1] = desc->v;
    f->tensors[2] = desc->w;
    result = padici_factor_begin(context, f);
    if (!result) result = padici_factor_shape(context, f, 1, f->n, f->n, 0);
    if (!result) result = padici_factor_shape(context, f, 2, f->n, 0, 1);
    return result ? result : padici_factor_status(context, f, &desc->status, desc->info);
}

// Entropies.

// A state by its axes, cut in two: where the `size` places of each side lie.
typedef struct padici_cut {
    padic_tensor tensor;
    uint32_t axes;
    uint64_t extent[64];
    int64_t step[64];
    uint64_t size[2]; // sides, the shorter one first
    uint32_t shorter; // 1: that of the axes in `part`
    int64_t *at[2];
    double *p; // the shorter side's p_i, descending
    double *space;
    const padic_allocator *allocator;
    const char *fault; // after an error
    char *memory;
    size_t bytes;
} padici_cut;

static padic_result padici_cut_fail(padici_cut *cut, padic_result result, const char *sentence)
{
    cut->fault = sentence;
    return result;
}

static void padici_cut_end(padici_cut *cut)
{
    padici_free(cut->allocator, cut->memory, cut->bytes);
    cut->memory = NULL;
}

// The axes: the tensor's, or `dims` of a dense one.
static padic_result padici_cut_axes(padici_cut *cut, const padic_tensor *state, uint32_t dims_count,
                                    const uint64_t *dims)
{
    uint64_t count = 1, step = 1, before;
    int64_t stride[PADIC_MAX_RANK];
    uint32_t i;
    int dense = 1;
    memset(cut, 0, sizeof *cut);
    cut->tensor = *state;
    if (!padici_tensor_is_complex(state->dtype) && !padici_tensor_is_double(state->dtype) &&
        state->dtype != PADIC_F32)
        return padici_cut_fail(cut, PADIC_ERROR_DTYPE, "state or rho is not F32, F64, C64 or C128");
    padici_tensor_dense(state, stride);
    cut->axes = dims_count ? dims_count : state->rank;
    if (dims_count > 64 || (dims_count && !dims))
        return padici_cut_fail(cut, PADIC_ERROR_ARGUMENT, "dim_count is above 64, or dims is NULL");
    for (i = cut->axes; i-- > 0;) {
        cut->extent[i] = dims_count ? dims[i] : state->shape[i];
        cut->step[i] = dims_count ? (int64_t)step : stride[i];
        if (!padici_mul_u64(count, cut->extent[i], &count)) count = 0;
        step *= cut->extent[i];
    }
    if (dims_count && padic_tensor_count(state)) (void)padici_tensor_span(state, &dense, &before);
    if (dims_count && (!dense || count != padic_tensor_count(state)))
        return padici_cut_fail(cut, PADIC_ERROR_MISMATCH,
                               "dims do not split state, which must be dense");
    if (!count) return padici_cut_fail(cut, PADIC_ERROR_DOMAIN, "the state is zero");
    return PADIC_OK;
}

// Where the places of the axes in `part` lie, the last axis fastest.
static void padici_cut_places(const padici_cut *cut, uint64_t part, int64_t *at)
{
    uint64_t n = 1, i, j;
    uint32_t axis;
    at[0] = 0;
    for (axis = 0; axis < cut->axes; axis++) {
        const uint64_t extent = cut->extent[axis];
        if (!(part >> axis & 1)) continue;
        for (i = n; i-- > 0;) // from the end, so that nothing is lost
            for (j = extent; j-- > 0;) at[i * extent + j] = at[i] + (int64_t)j * cut->step[axis];
        n *= extent;
    }
}

// Whether p comes from singular values.
static int padici_cut_by_svd(const padici_cut *cut)
{
    return padici_tensor_is_double(cut->tensor.dtype) && cut->size[0] <= 64;
}

// The sides, and whether they are of a size.
static padic_result padici_cut_sizes(padici_cut *cut, uint64_t part)
{
    uint64_t size[2] = {1, 1};
    uint32_t i;
    if (cut->axes < 64 && part >> cut->axes)
        return padici_cut_fail(cut, PADIC_ERROR_ARGUMENT, "part has bits beyond the axes");
    for (i = 0; i < cut->axes; i++) size[part >> i & 1] *= cut->extent[i];
    cut->shorter = size[1] < size[0];
    cut->size[0] = size[cut->shorter];
    cut->size[1] = size[!cut->shorter];
    if (cut->size[0] > 32768 || cut->size[1] >> 40)
        return padici_cut_fail(cut, PADIC_ERROR_LIMIT,
                               "part leaves a shorter side above 32768, or a longer one of 2^40");
    return PADIC_OK;
}

// Memory for a cut, and its places.
static padic_result padici_cut_begin(padici_cut *cut, uint64_t part)
{
    const uint64_t all = cut->axes == 64 ? UINT64_MAX : (UINT64_C(1) << cut->axes) - 1;
    uint64_t doubles;
    size_t bytes;
    padic_result result = padici_cut_sizes(cut, part);
    if (result) return result;
    doubles = padici_cut_by_svd(cut)
                  ? 4 * cut->size[1] * cut->size[0] + 2 * cut->size[0] * cut->size[0]
                  : 2 * cut->size[0] * cut->size[0];
    doubles += 8 * cut->size[0] + cut->size[0] + cut->size[1];
    if (doubles > (size_t)-1 || !padici_mul_size((size_t)doubles, 8, &bytes))
        return padici_cut_fail(cut, PADIC_ERROR_LIMIT, "u and w are too large for memory");
    cut->bytes = bytes;
    cut->memory = (char *)padici_alloc(cut->allocator, bytes, 64);
    if (!cut->memory) return padici_cut_fail(cut, PADIC_ERROR_MEMORY, "out of host memory");
    cut->at[0] = (int64_t *)(void *)cut->memory;
    cut->at[1] = cut->at[0] + cut->size[0];
    cut->p = (double *)(void *)(cut->at[1] + cut->size[1]);
    cut->space = cut->p + cut->size[0];
    padici_cut_places(cut, part, cut->at[!cut->shorter]);
    padici_cut_places(cut, all & ~part, cut->at[cut->shorter]);
    return PADIC_OK;
}

// Column j (of the longer side) of the state, divided by `scale`.
static void padici_cut_read(const padici_cut *cut, uint64_t j, double scale, double *x)
{
    uint64_t i;
    for (i = 0; i < cut->size[0]; i++) {
        padici_tensor_read(cut->tensor.dtype, (const char *)cut->tensor.data,
                           cut->at[1][j] + cut->at[0][i], x + 2 * i, x + 2 * i + 1);
        x[2 * i] /= scale;
        x[2 * i + 1] /= scale;
    }
}

// A power of 2 near the largest part; 0 for a zero state, -1 for one that is not finite.
static double padici_cut_scale(const padici_cut *cut, double *x)
{
    double largest = 0;
    uint64_t i, j;
    int power;
    for (j = 0; j < cut->size[1]; j++) {
        padici_cut_read(cut, j, 1, x);
        for (i = 0; i < 2 * cut->size[0]; i++) {
            if (!(x[i] - x[i] == 0)) return -1;
            if (fabs(x[i]) > largest) largest = fabs(x[i]);
        }
    }
    if (largest == 0) return 0;
    frexp(largest, &power);
    return ldexp(1.0, power < -1000 ? -1000 : power > 1000 ? 1000 : power);
}

// p of the cut, not yet divided by their sum.
static int padici_cut_values(padici_cut *cut, double scale)
{
    const uint64_t r = cut->size[0], n = cut->size[1];
    double *g = cut->space + 8 * r - 2 * r, *x = cut->space;
    uint64_t i, j;
    int good = 1;
    if (padici_cut_by_svd(cut)) {
        double *w = cut->space + 2 * r;
        for (j = 0; j < n; j++) {
            padici_cut_read(cut, j, scale, x);
            for (i = 0; i < r; i++) memcpy(w + 2 * (i * n + j), x + 2 * i, 16);
        }
        good = padici_z_svd(n, r, w, cut->p, NULL, w + 2 * n * r, 0);
        for (i = 0; i < r; i++) cut->p[i] *= cut->p[i];
        return good;
    }
    memset(g, 0, (size_t)(16 * r * r));
    for (j = 0; j < n; j++) { // the lower triangle of sum x x^dagger
        padici_cut_read(cut, j, scale, x);
        for (i = 0; i < r; i++)
            padici_z_add(r - i, g + 2 * (i * r + i), x[2 * i], -x[2 * i + 1], x + 2 * i);
    }
    for (i = 0; i < r; i++)
        for (j = 0; j < i; j++) {
            g[2 * (i * r + j)] = g[2 * (j * r + i)];
            g[2 * (i * r + j) + 1] = -g[2 * (j * r + i) + 1];
        }
    good = padici_z_eigh(r, g, cut->p, NULL, cut->space);
    padici_z_sort(r, cut->p, 0, 0, NULL, 0, NULL);
    return good;
}

static padic_result padici_cut_normalise(padici_cut *cut, double drop, uint64_t *rank)
{
    double sum = 0;
    uint64_t i;
    for (i = cut->size[0]; i-- > 0;) sum += cut->p[i]; // the small ones first
    if (!(sum > 0)) return padici_cut_fail(cut, PADIC_ERROR_DOMAIN, "rho has no positive trace");
    if (cut->p[cut->size[0] - 1] < -1e-6 * sum)
        return padici_cut_fail(cut, PADIC_ERROR_DOMAIN, "rho has a negative eigenvalue");
    for (i = 0; i < cut->size[0] && cut->p[i] / sum > drop; i++) cut->p[i] /= sum;
    *rank = i;
    return PADIC_OK;
}

// p of a state, descending, and how many are above `drop`.
static padic_result padici_cut_run(padici_cut *cut, uint64_t part, double drop, uint64_t *rank)
{
    double scale;
    padic_result result = padici_cut_begin(cut, part);
    if (result) return result;
    scale = padici_cut_scale(cut, cut->space);
    if (scale < 0)
        result = padici_cut_fail(cut, PADIC_ERROR_NOT_FINITE, "the state has a NaN or an infinity");
    else if (scale == 0)
        result = padici_cut_fail(cut, PADIC_ERROR_DOMAIN, "the state is zero");
    else if (!padici_cut_values(cut, scale))
        result = padici_cut_fail(cut, PADIC_ERROR_DOMAIN, "no convergence");
    if (!result) result = padici_cut_normalise(cut, drop, rank);
    if (result) padici_cut_end(cut);
    return result;
}

// The same of a density matrix.
static padic_result padici_cut_run_rho(padici_cut *cut, double drop, uint64_t *rank)
{
    const uint64_t n = cut->extent[0];
    padici_factor f;
    double *g, scale;
    padic_result result;
    memset(&f, 0, sizeof f);
    result = padici_cut_begin(cut, 1);
    if (result) return result;
    f.kind = PADICI_FACTOR_EIGH;
    f.tensors[0] = cut->tensor;
    f.m = f.n = n;
    f.stride[0][1] = cut->step[0];
    f.stride[0][2] = cut->step[1];
    g = cut->space + 6 * n;
    if (!padici_factor_read(&f, 0, 0, g, &scale))
        result = padici_cut_fail(cut, PADIC_ERROR_NOT_FINITE, "rho has a NaN or an infinity");
    else if (!padici_z_eigh(n, g, cut->p, NULL, cut->space))
        result = padici_cut_fail(cut, PADIC_ERROR_DOMAIN, "no convergence");
    if (!result) padici_z_sort(n, cut->p, 0, 0, NULL, 0, NULL);
    if (!result) result = padici_cut_normalise(cut, drop, rank);
    if (result) padici_cut_end(cut);
    return result;
}

static double padici_entropy_von_neumann(const double *p, uint64_t n)
{
    double sum = 0;
    uint64_t i;
    for (i = n; i-- > 0;) sum -= p[i] * log(p[i]);
    return sum > 0 ? sum : 0;
}

static double padici_entropy_renyi(const double *p, uint64_t n, double order)
{
    double sum = 0;
    uint64_t i;
    if (order == 1) return padici_entropy_von_neumann(p, n);
    if (order == 0) return log((double)n);
    if (order - order != 0) return -log(p[0]) + 0.0;
    for (i = n; i-- > 0;) sum += pow(p[i] / p[0], order); // p^a may vanish for all of them
    return (order * log(p[0]) + log(sum)) / (1 - order);
}

static void padici_entropy_write(const padic_tensor_entropy_desc *desc, const double *p, uint64_t n)
{
    const double unit = desc->unit || desc->legacy ? 1.4426950408889634 : 1;
    double sum = 0;
    uint64_t i;
    for (i = 0; desc->renyi && i < desc->order_count; i++)
        desc->renyi[i] = unit * padici_entropy_renyi(p, n, desc->orders[i]);
    if (desc->von_neumann) *desc->von_neumann = unit * padici_entropy_von_neumann(p, n);
    if (desc->gap) *desc->gap = p[0] - (n > 1 ? p[1] : 0);
    for (i = n; i-- > 0;) sum += sqrt(p[i]);
    if (desc->negativity) *desc->negativity = n > 1 ? (sum * sum - 1) / 2 : 0;
    for (i = 0; desc->spectrum && i < n; i++) desc->spectrum[i] = unit * -log(p[i]);
}

// What p must be above.
static double padici_entropy_drop(const padic_tensor_entropy_desc *desc, padic_dtype dtype)
{
    return desc->legacy || !padici_tensor_is_double(dtype) ? 1e-12 : 1e-14;
}

static const char *padici_entropy_fault(const padic_tensor_entropy_desc *desc)
{
    const int rho = desc->rho.dtype != PADIC_DTYPE_NONE;
    uint32_t i;
    if (rho == (desc->state.dtype != PADIC_DTYPE_NONE)) return "state or rho: one of them is given";
    if (rho && (desc->part || desc->dim_count || desc->negativity))
        return "part, dims and negativity are for a state";
    if (desc->unit > PADIC_TENSOR_BITS || desc->legacy > 1)
        return "unit is no padic_tensor_unit, or legacy is above 1";
    if (desc->legacy && (desc->part & (desc->part + 1)))
        return "part has other than leading axes, but legacy is set";
    if (desc->order_count && (!desc->orders || !desc->renyi))
        return "orders or renyi is NULL, but order_count is not 0";
    for (i = 0; i < desc->order_count; i++)
        if (!(desc->orders[i] >= 0)) return "orders has one below 0";
    return NULL;
}

// Everything about a call but its memory.
static padic_result padici_entropy_of(const padic_tensor_entropy_desc *desc, padici_cut *cut)
{
    const int rho = desc->rho.dtype != PADIC_DTYPE_NONE;
    const char *fault = padici_entropy_fault(desc);
    padic_result result;
    cut->fault = fault;
    if (fault) return PADIC_ERROR_ARGUMENT;
    result = padici_cut_axes(cut, rho ? &desc->rho : &desc->state, desc->dim_count, desc->dims);
    if (!result && rho && (cut->axes != 2 || cut->extent[1] != cut->extent[0]))
        result = padici_cut_fail(cut, PADIC_ERROR_MISMATCH, "rho is a square matrix");
    return result ? result : padici_cut_sizes(cut, rho ? 1 : desc->part);
}

static padic_result padici_tensor_mutual_information_named(
    padic_context *context, const padic_tensor_mutual_information_desc *desc)
{
    padic_tensor_entropy_desc one;
    double s[3];
    uint32_t i;
    padic_result result = PADIC_OK;
    if (!desc || !desc->information)
        return padici_fail_here(context, PADIC_ERROR_ARGUMENT, "desc or information is NULL");
    if (desc->unit > PADIC_TENSOR_BITS || (desc->part_a & desc->part_b))
        return padici_fail_here(context, PADIC_ERROR_ARGUMENT,
                                "part_a and part_b overlap, or unit is no padic_tensor_unit");
    memset(&one, 0, sizeof one);
    one.state = desc->state;
    one.dim_count = desc->dim_count;
    one.dims = desc->dims;
    one.unit = desc->unit;
    for (i = 0; i < 3 && !result; i++) {
        one.part = i == 0 ? desc->part_a : i == 1 ? desc->part_b : desc->part_a | desc->part_b;
        one.von_neumann = &s[i];
        result = padic_tensor_entropy(context, &one);
    }
    if (result) return result;
    *desc->information = s[0] + s[1] - s[2];
    for (i = 0; desc->entropies && i < 3; i++) desc->entropies[i] = s[i];
    return PADIC_OK;
}

PADIC_API padic_result padic_tensor_mutual_information(
    padic_context *context, const padic_tensor_mutual_information_desc *desc)
{
    const char *before = padici_enter(context, "tensor_mutual_information");
    const padic_result result = padici_tensor_mutual_information_named(context, desc);
    padici_leave(context, before);
    return result;
}

// room: src/tensor/einsum.c
// ---------------------------------------------------------------------------------- >>einsum impl
//
// Labels are numbers below 128 and sets of them 128 bits. A node is an operand or the result of a
// step. Workspace is dealt out ahead, by measuring the path: the lowest place that is free.

#define PADICI_EINSUM_NODES (2 * PADIC_TENSOR_MAX_OPERANDS)
#define PADICI_EINSUM_EXACT 14 // operands up to which all orders are looked at

// The last path is kept in the context with the checksum of what it depends on.
typedef struct padici_einsum_kept {
    uint64_t hash;
    padic_tensor_path path;
} padici_einsum_kept;

// Defined later in padic.h.
static padici_einsum_kept *padici_context_einsum(padic_context *context);

typedef struct padici_labels {
    uint64_t w[2];
} padici_labels;

typedef struct padici_einsum_word { // the labels of one term
    uint32_t count, dots, dots_at, end; // dots: labels before "..."; NONE: it has none
    uint32_t at[PADIC_TENSOR_MAX_OPERANDS];
    uint8_t label[PADIC_TENSOR_MAX_OPERANDS];
} padici_einsum_word;

typedef struct padici_einsum_axis {
    uint64_t size, digit;
    int64_t step[3];
    uint32_t has, loop; // bits of a, b, c; a loop around the calls
} padici_einsum_axis;

typedef struct padici_einsum {
    const padic_tensor_einsum_desc *desc;
    const char *fault;
    uint32_t at, placed, count, dots, axes; // placed: the fault has a character
    uint64_t size[PADIC_TENSOR_MAX_LABELS];   // of each label
    uint64_t extent[PADIC_TENSOR_MAX_LABELS]; // the same; 1 when it is sliced
    uint32_t seen[PADIC_TENSOR_MAX_LABELS];   // in how many places
    padici_labels known, out, set[PADICI_EINSUM_NODES];
    uint8_t paired[PADICI_EINSUM_NODES]; // complex
    uint64_t place[PADICI_EINSUM_NODES], bytes[PADICI_EINSUM_NODES];
    uint8_t live[PADICI_EINSUM_NODES];
    uint32_t unit; // bytes of a real number
    uint8_t vanish[PADIC_TENSOR_MAX_LABELS];
    uint32_t ordered; // labels in `order`: those of an extent above 1
    uint8_t order[PADIC_TENSOR_MAX_LABELS];
    uint64_t digit[PADIC_TENSOR_MAX_SLICED];
    padici_einsum_axis axis[PADIC_TENSOR_MAX_LABELS]; // from here on not cleared as a whole
    int64_t row[3][PADIC_TENSOR_MAX_LABELS];
    int64_t step[PADIC_TENSOR_MAX_OPERANDS + 1][PADIC_TENSOR_MAX_LABELS]; // the last: the result's
} padici_einsum;

PADICI_INLINE int padici_labels_has(const padici_labels *s, uint32_t label)
{
    return (int)(s->w[label >> 6] >> (label & 63) & 1);
}

PADICI_INLINE void padici_labels_add(padici_labels *s, uint32_t label)
{
    s->w[label >> 6] |= UINT64_C(1) << (label & 63);
}

PADICI_INLINE padici_labels padici_labels_or(padici_labels a, padici_labels b)
{
    a.w[0] |= b.w[0];
    a.w[1] |= b.w[1];
    return a;
}

PADICI_INLINE padici_labels padici_labels_and(padici_labels a, padici_labels b)
{
    a.w[0] &= b.w[0];
    a.w[1] &= b.w[1];
    return a;
}

// Product of the extents, as a double, and in *exact, UINT64_MAX where it does not fit.
static double padici_einsum_volume(const padici_einsum *e, padici_labels s, uint64_t *exact)
{
    double n = 1;
    uint64_t whole = 1;
    uint32_t i;
    for (i = 0; i < 2; i++)
        for (; s.w[i]; s.w[i] &= s.w[i] - 1) {
            const uint64_t size = e->extent[64 * i + padici_ctz64(s.w[i])];
            n *= (double)size;
            if (exact && !padici_mul_u64(whole, size, &whole)) whole = UINT64_MAX;
        }
    if (exact) *exact = n >= 18446744073709551616.0 ? UINT64_MAX : whole;
    return n;
}

static padic_result padici_einsum_fault(padici_einsum *e, padic_result result, uint32_t at,
                                        const char *sentence)
{
    e->fault = sentence;
    e->at = at;
    e->placed = e->desc->expression != NULL;
    return result;
}

// The labels of a term of the expression, up to ',', "->" or the end.
static padic_result padici_einsum_read(padici_einsum *e, padici_einsum_word *word)
{
    const char *text = e->desc->expression;
    word->count = 0;
    word->dots = PADIC_TENSOR_NONE;
    for (;; e->at++) {
        const char c = text[e->at];
        if (c == ' ') continue;
        if (c == '.') {
            if (word->dots != PADIC_TENSOR_NONE || text[e->at + 1] != '.' ||
                text[e->at + 2] != '.')
                return padici_einsum_fault(e, PADIC_ERROR_ARGUMENT, e->at,
                                           "expression has \"...\" of three dots, once in a term");
            word->dots = word->count;
            word->dots_at = e->at;
            e->at += 2;
            continue;
        }
        if (!((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'))) break;
        if (word->count == PADIC_TENSOR_MAX_OPERANDS)
            return padici_einsum_fault(e, PADIC_ERROR_LIMIT, e->at,
                                       "expression has more than 64 labels in a term");
        word->at[word->count] = e->at;
        word->label[word->count++] = (uint8_t)(c >= 'a' ? c - 'a' + 26 : c - 'A');
    }
    word->end = e->at;
    return PADIC_OK;
}

// Splits the runs of a view, its axes joined where they can be, by dims. 0: they do not fit.
static int padici_einsum_split(const padic_tensor_term *term, uint64_t *size, int64_t *step)
{
    const padic_tensor *t = &term->tensor;
    int64_t stride[PADIC_MAX_RANK], next = 0;
    uint64_t left = 1;
    uint32_t i = t->rank, d, empty = 0, zero = 0;
    padici_tensor_dense(t, stride);
    for (d = 0; d < t->rank; d++) empty |= !t->shape[d];
    for (d = 0; d < term->rank; d++) zero |= !term->dims[d];
    for (d = term->rank; d-- > 0;) {
        uint64_t want = size[d] = term->dims[d];
        step[d] = 0;
        if (empty || zero || want == 1) continue;
        for (; want > 1;) {
            if (left == 1) {
                while (i > 0 && t->shape[i - 1] == 1) i--;
                if (!i) return 0;
                left = t->shape[--i];
                if (want != size[d] && stride[i] != next) return 0; // a dim across two runs
                next = stride[i];
            }
            if (want == size[d]) step[d] = next;
            if (left % want && want % left) return 0;
            if (left >= want) {
                left /= want;
                next *= (int64_t)want;
                want = 1;
            } else {
                want /= left;
                next *= (int64_t)left;
                left = 1;
            }
        }
    }
    if (empty || zero) return empty == zero;
    while (i > 0 && t->shape[i - 1] == 1) i--;
    return left == 1 && !i;
}

// The axes of a term in elements. Also checks its view.
static padic_result padici_einsum_axes(padici_einsum *e, const padic_tensor_term *term, int out,
                                       uint64_t *size, int64_t *step, uint32_t *axes)
{
    const padic_tensor *t = &term->tensor;
    int64_t stride[PADIC_MAX_RANK];
    uint64_t count;
    uint32_t i;
    const padic_result result = padici_tensor_check_view(t, !out, &count);
    e->placed = 0;
    if (result) {
        e->fault = out ? "out has a dtype, shape or strides that cannot be written"
                       : "operands has a tensor whose dtype, shape or strides make no sense";
        return result;
    }
    e->fault = "operands or out are not F32, F64, C64 or C128";
    if (t->dtype != PADIC_F32 && !padici_tensor_is_double(t->dtype) &&
        !padici_tensor_is_complex(t->dtype))
        return PADIC_ERROR_DTYPE;
    e->fault = "conj of a term is not 0 or 1, or of out not 0";
    if (term->conj > (out ? 0u : 1u)) return PADIC_ERROR_ARGUMENT;
    e->fault = "rank of a term is not that of its dims, up to 64, or not 0 without dims";
    if (term->rank > PADIC_TENSOR_MAX_OPERANDS || (!term->dims && term->rank))
        return PADIC_ERROR_ARGUMENT;
    if (term->dims) {
        *axes = term->rank;
        e->fault = "dims do not split the axes of their tensor";
        return padici_einsum_split(term, size, step) ? PADIC_OK : PADIC_ERROR_MISMATCH;
    }
    *axes = t->rank;
    padici_tensor_dense(t, stride);
    for (i = 0; i < t->rank; i++) {
        size[i] = t->shape[i];
        step[i] = stride[i];
    }
    return PADIC_OK;
}

// One axis of term i, which is `out` for the last: its label, size and step.
static padic_result padici_einsum_axis_add(padici_einsum *e, uint32_t i, uint32_t label,
                                           uint32_t at, int stretch, uint64_t size, int64_t step)
{
    const int out = i == PADIC_TENSOR_MAX_OPERANDS;
    if (out && !padici_labels_has(&e->known, label))
        return padici_einsum_fault(e, PADIC_ERROR_ARGUMENT, at,
                                   "expression, or labels of out, has a label that no operand has");
    if (out && padici_labels_has(&e->out, label))
        return padici_einsum_fault(e, PADIC_ERROR_ARGUMENT, at,
                                   "expression, or labels of out, has a label twice");
    if (!padici_labels_has(&e->known, label) || (stretch && !out && e->size[label] == 1))
        e->size[label] = size;
    else if (e->size[label] != size && (out || !stretch || size != 1))
        return padici_einsum_fault(e, PADIC_ERROR_MISMATCH, at,
                                   "operands and out have axes of different sizes with one label");
    padici_labels_add(&e->known, label);
    e->seen[label] += !out;
    if (size == 1) return PADIC_OK; // never stepped along, and stretched as if it were not there
    e->step[i][label] += step;
    padici_labels_add(out ? &e->out : &e->set[i], label);
    return PADIC_OK;
}

static padic_result padici_einsum_term(padici_einsum *e, uint32_t i, const padici_einsum_word *word)
{
    const int out = i == PADIC_TENSOR_MAX_OPERANDS, dots = word->dots != PADIC_TENSOR_NONE;
    const padic_tensor_term *term = out ? &e->desc->out : &e->desc->operands[i];
    uint64_t size[PADIC_TENSOR_MAX_OPERANDS];
    int64_t step[PADIC_TENSOR_MAX_OPERANDS];
    uint32_t n, j, more;
    padic_result result = padici_einsum_axes(e, term, out, size, step, &n);
    if (result) return result;
    if (n < word->count || (!dots && n != word->count) ||
        (out && dots && n - word->count != e->dots))
        return padici_einsum_fault(e, PADIC_ERROR_MISMATCH, word->end,
                                   "operands or out have not as many axes as their terms in "
                                   "expression");
    more = n - word->count;
    if (!out && more > e->dots) e->dots = more;
    if (out && !dots && e->dots)
        return padici_einsum_fault(e, PADIC_ERROR_ARGUMENT, word->end,
                                   "expression has \"...\" in an operand, but not in the result");
    for (j = 0; j < n && !result; j++) {
        const int inside = dots && j >= word->dots && j < word->dots + more;
        const uint32_t k = dots && j >= word->dots + more ? j - more : j;
        result = inside ? padici_einsum_axis_add(e, i, 128 - (word->dots + more - j), word->dots_at,
                                                 1, size[j], step[j])
                        : padici_einsum_axis_add(e, i, word->label[k], word->at[k], 0, size[j],
                                                 step[j]);
    }
    return result;
}

// Without "->": what occurs once.
static void padici_einsum_guess(const padici_einsum *e, padici_einsum_word *word)
{
    uint32_t label;
    word->count = 0;
    word->dots = e->dots ? 0 : PADIC_TENSOR_NONE;
    word->dots_at = word->end = e->at;
    for (label = 0; label < 52; label++)
        if (e->seen[label] == 1) {
            word->at[word->count] = e->at;
            word->label[word->count++] = (uint8_t)label;
        }
}

static padic_result padici_einsum_expression(padici_einsum *e)
{
    const char *text = e->desc->expression;
    padici_einsum_word word;
    padic_result result = PADIC_OK;
    uint32_t i;
    e->at = 0;
    for (i = 0; !result; i++) {
        result = padici_einsum_read(e, &word);
        if (result) break;
        if (i >= e->count)
            return padici_einsum_fault(e, i >= PADIC_TENSOR_MAX_OPERANDS ? PADIC_ERROR_LIMIT
                                                                         : PADIC_ERROR_MISMATCH,
                                       e->at, "expression has more terms than there are operands");
        if (text[e->at] != ',' && text[e->at] && (text[e->at] != '-' || text[e->at + 1] != '>'))
            return padici_einsum_fault(e, PADIC_ERROR_ARGUMENT, e->at,
                                       "expression has neither a letter, \",\", \"->\" nor "
                                       "\"...\"");
        if (text[e->at] != ',' && i + 1 < e->count)
            return padici_einsum_fault(e, PADIC_ERROR_MISMATCH, e->at,
                                       "expression has fewer terms than there are operands");
        result = padici_einsum_term(e, i, &word);
        if (result || text[e->at] != ',') break;
        e->at++;
    }
    if (result) return result;
    if (text[e->at]) {
        e->at += 2;
        result = padici_einsum_read(e, &word);
        if (!result && text[e->at])
            result = padici_einsum_fault(e, PADIC_ERROR_ARGUMENT, e->at,
                                         "expression has other than letters and \"...\" in the "
                                         "result");
    } else {
        padici_einsum_guess(e, &word);
    }
    return result ? result : padici_einsum_term(e, PADIC_TENSOR_MAX_OPERANDS, &word);
}

// Label arrays: values become their places among those in use.
static padic_result padici_einsum_arrays(padici_einsum *e)
{
    uint8_t number[256];
    padici_einsum_word word;
    uint32_t i, j, n = 0;
    padic_result result = PADIC_OK;
    memset(number, 0, sizeof number);
    word.dots = PADIC_TENSOR_NONE;
    word.dots_at = word.end = 0;
    for (i = 0; i <= e->count; i++) {
        const padic_tensor_term *term = i < e->count ? &e->desc->operands[i] : &e->desc->out;
        const uint32_t rank = term->dims ? term->rank : term->tensor.rank;
        if (rank > PADIC_TENSOR_MAX_OPERANDS || (rank && !term->labels))
            return padici_einsum_fault(e, PADIC_ERROR_ARGUMENT, 0,
                                       "expression is NULL, and labels are not given for each "
                                       "axis");
        for (j = 0; j < rank; j++) number[term->labels[j]] = 1;
    }
    for (i = 0; i < 256; i++)
        if (number[i]) {
            if (n == PADIC_TENSOR_MAX_LABELS)
                return padici_einsum_fault(e, PADIC_ERROR_LIMIT, 0,
                                           "labels are more than 128");
            number[i] = (uint8_t)n++;
        }
    for (i = 0; i <= e->count && !result; i++) {
        const padic_tensor_term *term = i < e->count ? &e->desc->operands[i] : &e->desc->out;
        word.count = term->dims ? term->rank : term->tensor.rank;
        for (j = 0; j < word.count; j++) {
            word.label[j] = number[term->labels[j]];
            word.at[j] = 0;
        }
        result = padici_einsum_term(e, i < e->count ? i : PADIC_TENSOR_MAX_OPERANDS, &word);
    }
    return result;
}

// More than 64 operands: the comma before the one too many.
static padic_result padici_einsum_many(padici_einsum *e)
{
    const char *text = e->desc->expression;
    uint32_t at = 0, commas = 0;
    for (; text && text[at]; at++) {
        commas += text[at] == ',';
        if (commas == PADIC_TENSOR_MAX_OPERANDS) break;
    }
    return padici_einsum_fault(e, PADIC_ERROR_LIMIT, at, "count is above 64");
}

// Reads the desc. A label is in the set of a term where its axis is larger than 1.
static padic_result padici_einsum_begin(padici_einsum *e, const padic_tensor_einsum_desc *desc)
{
    padic_result result;
    uint32_t i;
    int paired = 0;
    memset(e, 0, (size_t)((char *)e->axis - (char *)e));
    e->desc = desc;
    e->count = desc->count;
    e->fault = "count is 0, or operands is NULL";
    if (!desc->count || !desc->operands) return PADIC_ERROR_ARGUMENT;
    if (desc->count > PADIC_TENSOR_MAX_OPERANDS) return padici_einsum_many(e);
    memset(e->step, 0, desc->count * sizeof *e->step);
    memset(e->step[PADIC_TENSOR_MAX_OPERANDS], 0, sizeof *e->step);
    e->fault = "math, method or objective is unknown";
    if (desc->math > PADIC_TENSOR_TF32 || desc->method > PADIC_TENSOR_GIVEN ||
        desc->objective > PADIC_TENSOR_WRITES)
        return PADIC_ERROR_ARGUMENT;
    result = desc->expression ? padici_einsum_expression(e) : padici_einsum_arrays(e);
    if (result) return result;
    e->placed = 0;
    e->unit = padici_tensor_is_double(desc->out.tensor.dtype) ? 8 : 4;
    for (i = 0; i < e->count; i++) {
        const padic_dtype dtype = desc->operands[i].tensor.dtype;
        e->paired[i] = (uint8_t)padici_tensor_is_complex(dtype);
        paired |= e->paired[i];
        e->fault = "operands and out are not of one precision";
        if ((padici_tensor_is_double(dtype) ? 8u : 4u) != e->unit) return PADIC_ERROR_MISMATCH;
    }
    e->fault = "out is complex when one of the operands is, and only then";
    if (paired != padici_tensor_is_complex(desc->out.tensor.dtype)) return PADIC_ERROR_MISMATCH;
    for (i = 0; i < PADIC_TENSOR_MAX_LABELS; i++) {
        if (!padici_labels_has(&e->known, i)) e->size[i] = 1;
        e->extent[i] = e->size[i];
    }
    return PADIC_OK;
}

// What a path costs. As doubles where sums may be beyond 64 bits.
typedef struct padici_einsum_cost {
    double flops, writes, score, tie; // score, then tie: by the objective
    uint64_t whole_flops, whole_writes, peak, workspace;
    uint64_t widest; // bytes of the largest result
} padici_einsum_cost;

static uint64_t padici_einsum_plus(uint64_t a, uint64_t b) // or the most there is
{
    return a > UINT64_MAX - b ? UINT64_MAX : a + b;
}

static uint64_t padici_einsum_bytes(double elements, uint64_t exact, uint32_t size)
{
    if (elements >= 144115188075855872.0) return UINT64_MAX; // 2^57
    return (exact * size + 63) / 64 * 64;
}

// The lowest place for a node among the live ones.
static uint64_t padici_einsum_find_place(const padici_einsum *e, uint32_t node, uint32_t nodes)
{
    uint64_t place = 0;
    uint32_t i;
    for (i = e->count; i < nodes; i++)
        if (e->live[i] && place < e->place[i] + e->bytes[i] &&
            e->place[i] < place + e->bytes[node]) {
            place = e->place[i] + e->bytes[i];
            i = e->count - 1;
        }
    return place;
}

// The set of a step's result: what the result of all or an operand not yet used has.
static padici_labels padici_einsum_result(const padici_einsum *e, uint32_t node, uint32_t a,
                                          uint32_t b, padici_labels *all)
{
    padici_labels rest = e->out;
    uint32_t i;
    *all = b == PADIC_TENSOR_NONE ? e->set[a] : padici_labels_or(e->set[a], e->set[b]);
    for (i = 0; i < node; i++)
        if (e->live[i] && i != a && i != b) rest = padici_labels_or(rest, e->set[i]);
    return padici_labels_and(*all, rest);
}

// Walks through a valid path: sets, sizes and places of its results, and its cost for one slice.
static void padici_einsum_measure(padici_einsum *e, const padic_tensor_path *path,
                                  padici_einsum_cost *cost)
{
    uint64_t live = 0, exact;
    uint32_t s;
    memset(cost, 0, sizeof *cost);
    memset(e->vanish, 0, sizeof e->vanish);
    memset(e->live, 1, e->count);
    for (s = 0; s < path->steps; s++) {
        const uint32_t a = path->left[s], b = path->right[s], node = e->count + s;
        const int paired = e->paired[a] || (b != PADIC_TENSOR_NONE && e->paired[b]);
        padici_labels all, gone;
        double volume;
        e->set[node] = padici_einsum_result(e, node, a, b, &all);
        e->paired[node] = (uint8_t)paired;
        gone.w[0] = all.w[0] & ~e->set[node].w[0];
        gone.w[1] = all.w[1] & ~e->set[node].w[1];
        for (; gone.w[0]; gone.w[0] &= gone.w[0] - 1)
            e->vanish[padici_ctz64(gone.w[0])] = (uint8_t)(s + 1);
        for (; gone.w[1]; gone.w[1] &= gone.w[1] - 1)
            e->vanish[64 + padici_ctz64(gone.w[1])] = (uint8_t)(s + 1);
        volume = padici_einsum_volume(e, all, &exact);
        cost->flops += volume * (paired ? 8 : 2);
        if (!padici_mul_u64(exact, paired ? 8 : 2, &exact)) exact = UINT64_MAX;
        cost->whole_flops = padici_einsum_plus(cost->whole_flops, exact);
        volume = padici_einsum_volume(e, e->set[node], &exact);
        cost->writes += volume;
        cost->whole_writes = padici_einsum_plus(cost->whole_writes, exact);
        e->bytes[node] = 0; // the last one is the result
        if (s + 1 < path->steps)
            e->bytes[node] = padici_einsum_bytes(volume, exact, paired ? 2 * e->unit : e->unit);
        if (e->bytes[node] > cost->widest) cost->widest = e->bytes[node];
        live = padici_einsum_plus(live, e->bytes[node]);
        if (live > cost->peak) cost->peak = live;
        if (cost->peak >> 62) { // places would not fit
            cost->workspace = UINT64_MAX;
            e->place[node] = 0;
        } else {
            e->place[node] = padici_einsum_find_place(e, node, node);
            if (e->place[node] + e->bytes[node] > cost->workspace)
                cost->workspace = e->place[node] + e->bytes[node];
            live -= (a < e->count ? 0 : e->bytes[a]) +
                    (b == PADIC_TENSOR_NONE || b < e->count ? 0 : e->bytes[b]);
        }
        e->live[node] = 1;
        e->live[a] = 0;
        if (b != PADIC_TENSOR_NONE) e->live[b] = 0;
    }
    cost->score = e->desc->objective == PADIC_TENSOR_PEAK     ? (double)cost->peak
                  : e->desc->objective == PADIC_TENSOR_WRITES ? cost->flops + 64 * cost->writes
                                                              : cost->flops;
    cost->tie = e->desc->objective == PADIC_TENSOR_PEAK ? cost->flops : 0;
}

static int padici_einsum_path_valid(const padici_einsum *e, const padic_tensor_path *path)
{
    uint8_t used[PADICI_EINSUM_NODES];
    uint32_t s;
    memset(used, 0, sizeof used);
    if (e->count == 1)
        return path->steps == 1 && path->left[0] == 0 && path->right[0] == PADIC_TENSOR_NONE;
    if (path->steps != e->count - 1) return 0;
    for (s = 0; s < path->steps; s++) {
        const uint32_t a = path->left[s], b = path->right[s];
        if (a >= e->count + s || b >= e->count + s || a == b || used[a] || used[b]) return 0;
        used[a] = used[b] = 1;
    }
    return 1;
}

// Orders the steps of a tree depth first, at each the operand that leaves more memory at its peak
// before the other: fewer results wait. Which are left and right stays.
static void padici_einsum_reorder(padici_einsum *e, padic_tensor_path *path)
{
    padici_einsum_cost cost;
    uint64_t need[PADICI_EINSUM_NODES];
    uint8_t stack[PADICI_EINSUM_NODES], seen[PADICI_EINSUM_NODES], name[PADICI_EINSUM_NODES];
    uint8_t left[PADIC_TENSOR_MAX_OPERANDS], right[PADIC_TENSOR_MAX_OPERANDS];
    uint32_t s, top = 0, done = 0;
    if (e->count < 3) return;
    padici_einsum_measure(e, path, &cost);
    memset(need, 0, sizeof need);
    memset(seen, 0, sizeof seen);
    for (s = 0; s < e->count; s++) e->bytes[s] = 0, name[s] = (uint8_t)s;
    for (s = 0; s < path->steps; s++) {
        uint32_t a = path->left[s], b = path->right[s];
        const uint64_t both = padici_einsum_plus(e->bytes[a], e->bytes[b]);
        const uint64_t ab = padici_einsum_plus(e->bytes[a], need[b]);
        const uint64_t ba = padici_einsum_plus(e->bytes[b], need[a]);
        const uint64_t first = ab > need[a] ? ab : need[a], second = ba > need[b] ? ba : need[b];
        const uint64_t least = first < second ? first : second;
        const uint64_t here = padici_einsum_plus(both, e->bytes[e->count + s]);
        need[e->count + s] = least > here ? least : here;
        seen[e->count + s] = second < first ? 2 : 0; // 2: right first
    }
    stack[top++] = (uint8_t)(e->count + path->steps - 1);
    while (top) { // bit 0 of seen: its operands have been pushed
        const uint32_t node = stack[top - 1];
        uint32_t a, b;
        if (node < e->count) {
            top--;
            continue;
        }
        s = node - e->count;
        a = path->left[s], b = path->right[s];
        if (!(seen[node] & 1)) {
            stack[top++] = (uint8_t)(seen[node] & 2 ? a : b);
            stack[top++] = (uint8_t)(seen[node] & 2 ? b : a);
            seen[node] |= 1;
            continue;
        }
        left[done] = name[a], right[done] = name[b];
        name[node] = (uint8_t)(e->count + done++);
        top--;
    }
    memcpy(path->left, left, done);
    memcpy(path->right, right, done);
}

// All orders: the best for each connected set of operands, from those for its two parts.

typedef struct padici_einsum_best {
    padici_labels set, keep; // of all its operands; of its result
    double score, tie, bytes;
    // Root of the product of the sizes of those labels of `keep` that two operands have and the
    // result has not, or one operand and the result. Of x, y and x with y their product is that of
    // all such labels of x and y, so of no more elements than x with y goes over.
    double root;
    uint16_t left; // 0: not connected; of one operand itself
    uint16_t beside; // operands that share a label with one of these
    uint8_t node, paired;
} padici_einsum_best;

// The score of contracting x with y, if it is below that of `best`.
static void padici_einsum_try(const padici_einsum *e, padici_einsum_best *best,
                              const padici_einsum_best *x, const padici_einsum_best *y,
                              uint32_t left)
{
    // Less by what rounding may add: whatever passes is looked at exactly.
    const double least = x->root * y->root * best->root * (best->paired ? 8 : 2) * (1 - 1e-12);
    double score, tie = 0, flops, low;
    if (e->desc->objective == PADIC_TENSOR_PEAK) {
        const double xy = x->score > x->bytes + y->score ? x->score : x->bytes + y->score;
        const double yx = y->score > y->bytes + x->score ? y->score : y->bytes + x->score;
        score = xy < yx ? xy : yx;
        if (score < x->bytes + y->bytes + best->bytes) score = x->bytes + y->bytes + best->bytes;
        low = x->tie + y->tie;
        if (best->left &&
            (score > best->score || (score >= best->score && low + least >= best->tie)))
            return;
    } else {
        score = low = x->score + y->score;
        if (best->left && score + least >= best->score) return;
    }
    flops = padici_einsum_volume(e, padici_labels_or(x->keep, y->keep), NULL) *
            (best->paired ? 8 : 2);
    if (e->desc->objective == PADIC_TENSOR_PEAK) {
        tie = low + flops;
        if (best->left && score >= best->score && tie >= best->tie) return;
    } else {
        score += flops;
        if (e->desc->objective == PADIC_TENSOR_WRITES)
            score += 64 * padici_einsum_volume(e, best->keep, NULL);
        if (best->left && score >= best->score) return;
    }
    best->score = score;
    best->tie = tie;
    best->left = (uint16_t)left;
}

// The labels that the comment of `root` names, none when something is empty.
static padici_labels padici_einsum_plain(const padici_einsum *e)
{
    padici_labels once = {{0, 0}}, twice = {{0, 0}}, more = {{0, 0}}, empty = {{0, 0}};
    uint32_t i;
    for (i = 0; i < e->count; i++) {
        const padici_labels s = e->set[i];
        more = padici_labels_or(more, padici_labels_and(twice, s));
        twice = padici_labels_or(twice, padici_labels_and(once, s));
        once = padici_labels_or(once, s);
    }
    for (i = 0; i < PADIC_TENSOR_MAX_LABELS; i++)
        if (padici_labels_has(&once, i) && !e->extent[i]) return empty;
    for (i = 0; i < 2; i++)
        once.w[i] = (twice.w[i] & ~more.w[i] & ~e->out.w[i]) |
                    (once.w[i] & ~twice.w[i] & e->out.w[i]);
    return once;
}

static void padici_einsum_best_begin(const padici_einsum *e, padici_einsum_best *best,
                                     uint32_t full)
{
    const padici_labels plain = padici_einsum_plain(e);
    uint32_t s, i, j;
    memset(best, 0, (size_t)(full + 1) * sizeof *best);
    for (i = 0; i < e->count; i++) {
        padici_einsum_best *one = &best[1u << i];
        one->left = (uint16_t)(1u << i);
        one->set = e->set[i];
        one->paired = e->paired[i];
        for (j = 0; j < e->count; j++) {
            const padici_labels common = padici_labels_and(e->set[i], e->set[j]);
            if (i != j && (common.w[0] | common.w[1])) one->beside |= (uint16_t)(1u << j);
        }
    }
    for (s = 1; s <= full; s++) {
        const uint32_t low = s & (0 - s);
        if (s == low) continue;
        best[s].set = padici_labels_or(best[low].set, best[s ^ low].set);
        best[s].beside = (uint16_t)(best[low].beside | best[s ^ low].beside);
        best[s].paired = (uint8_t)(best[low].paired | best[s ^ low].paired);
    }
    for (s = 1; s <= full; s++) {
        uint64_t exact;
        if (!(s & (s - 1))) {
            best[s].keep = best[s].set;
            best[s].root = sqrt(padici_einsum_volume(e, padici_labels_and(best[s].set, plain),
                                                     NULL));
            continue;
        }
        best[s].keep = padici_labels_and(best[s].set,
                                         padici_labels_or(e->out, best[full ^ s].set));
        best[s].root = sqrt(padici_einsum_volume(e, padici_labels_and(best[s].keep, plain), NULL));
        best[s].bytes = padici_einsum_volume(e, best[s].keep, &exact);
        best[s].bytes = (double)padici_einsum_bytes(best[s].bytes, exact,
                                                    best[s].paired ? 2 * e->unit : e->unit);
        if (s == full) best[s].bytes = 0;
    }
}

// The steps of the best tree for the operands in `set`, their order reversed.
static uint32_t padici_einsum_unfold(const padici_einsum_best *best, uint32_t set, uint16_t *parts,
                                     uint32_t count)
{
    uint16_t stack[PADICI_EINSUM_EXACT + 1];
    uint32_t top = 0;
    stack[top++] = (uint16_t)set;
    while (top) {
        const uint32_t s = stack[--top], left = best[s].left;
        if (s == left) continue;
        parts[count++] = (uint16_t)s;
        stack[top++] = (uint16_t)left;
        stack[top++] = (uint16_t)(s ^ left);
    }
    return count;
}

static void padici_einsum_exact(padici_einsum *e, padici_einsum_best *best, padic_tensor_path *path)
{
    const uint32_t full = (1u << e->count) - 1;
    uint16_t parts[PADICI_EINSUM_EXACT], whole[PADICI_EINSUM_EXACT];
    uint32_t s, sub, count = 0, wholes = 0, i, j, left = full;
    padici_einsum_best_begin(e, best, full);
    for (s = 1; s <= full; s++) {
        const uint32_t low = s & (0 - s), rest = s ^ low;
        if (!rest) continue;
        for (sub = (rest - 1) & rest;; sub = (sub - 1) & rest) { // the part with the lowest operand
            const uint32_t x = sub | low, y = s ^ x;
            if (best[x].left && best[y].left && (best[x].beside & y))
                padici_einsum_try(e, &best[s], &best[x], &best[y], x);
            if (!sub) break;
        }
    }
    while (left) { // parts that share no label
        uint32_t now = left & (0 - left), next = now;
        do {
            now = next;
            for (i = 0, next = now; i < e->count; i++)
                if (now >> i & 1) next |= best[1u << i].beside;
        } while (next != now);
        whole[wholes++] = (uint16_t)now;
        count = padici_einsum_unfold(best, now, parts, count);
        left &= ~now;
    }
    for (i = 0; i < e->count; i++) best[1u << i].node = (uint8_t)i;
    path->steps = 0;
    for (j = count; j-- > 0; path->steps++) {
        path->left[path->steps] = best[best[parts[j]].left].node;
        path->right[path->steps] = best[parts[j] ^ best[parts[j]].left].node;
        best[parts[j]].node = (uint8_t)(e->count + path->steps);
    }
    for (; wholes > 1; path->steps++) { // outer products, the two lightest first
        uint32_t a = 0, b = 1;
        for (i = 0; i < wholes; i++)
            for (j = 0; j < i; j++)
                if (best[whole[i]].bytes + best[whole[j]].bytes <
                    best[whole[a]].bytes + best[whole[b]].bytes)
                    a = j, b = i;
        path->left[path->steps] = best[whole[a]].node;
        path->right[path->steps] = best[whole[b]].node;
        whole[a] = (uint16_t)(whole[a] | whole[b]);
        best[whole[a]].node = (uint8_t)(e->count + path->steps);
        whole[b] = whole[--wholes];
    }
    padici_einsum_reorder(e, path);
}

// Greedy, with more operands. Slots hold what is left.

typedef struct padici_einsum_greedy {
    double score[PADIC_TENSOR_MAX_OPERANDS][PADIC_TENSOR_MAX_OPERANDS]; // of row > column
    double size[PADIC_TENSOR_MAX_OPERANDS];
    padici_labels set[PADIC_TENSOR_MAX_OPERANDS];
    uint8_t node[PADIC_TENSOR_MAX_OPERANDS];
    uint32_t count;
} padici_einsum_greedy;

#define PADICI_EINSUM_APART 1e300 // the score of those that share no label

// e^-x for 0 <= x < 700: (Taylor of e^(-x / 1024))^1024. No libm: paths are D0.
static double padici_einsum_exp(double x)
{
    const double y = x / 1024;
    double v = 1 - y * (1 - y / 2 * (1 - y / 3 * (1 - y / 4)));
    uint32_t i;
    for (i = 0; i < 10; i++) v *= v;
    return v;
}

static padici_labels padici_einsum_pair(const padici_einsum *e, const padici_einsum_greedy *g,
                                        uint32_t i, uint32_t j)
{
    padici_labels rest = e->out;
    uint32_t k;
    for (k = 0; k < g->count; k++)
        if (k != i && k != j) rest = padici_labels_or(rest, g->set[k]);
    return padici_labels_and(padici_labels_or(g->set[i], g->set[j]), rest);
}

static void padici_einsum_rate(const padici_einsum *e, padici_einsum_greedy *g, uint32_t i,
                               uint32_t j)
{
    const padici_labels common = padici_labels_and(g->set[i], g->set[j]);
    double *score = i > j ? &g->score[i][j] : &g->score[j][i];
    *score = PADICI_EINSUM_APART;
    if (common.w[0] | common.w[1])
        *score = padici_einsum_volume(e, padici_einsum_pair(e, g, i, j), NULL) - g->size[i] -
                 g->size[j];
}

// Chooses a pair: the best, or one of the 8 best with the odds e^((best - score) / heat).
static void padici_einsum_choose(const padici_einsum_greedy *g, uint32_t round, uint32_t step,
                                 uint32_t *x, uint32_t *y)
{
    const uint32_t most = round ? 8 : 1;
    double low[9], weight[8], heat, sum = 0, dart;
    uint8_t at[9][2];
    uint32_t count = 0, i, j, k, word[4];
    for (i = 1; i < g->count; i++)
        for (j = 0; j < i; j++) {
            const double score = g->score[i][j];
            if (score >= PADICI_EINSUM_APART || (count == most && score >= low[count - 1]))
                continue;
            for (k = count < most ? count++ : most - 1; k > 0 && low[k - 1] > score; k--) {
                low[k] = low[k - 1];
                at[k][0] = at[k - 1][0], at[k][1] = at[k - 1][1];
            }
            low[k] = score;
            at[k][0] = (uint8_t)i, at[k][1] = (uint8_t)j;
        }
    if (!count) { // nothing is connected: the two lightest
        double least = 0;
        for (i = 1; i < g->count; i++)
            for (j = 0; j < i; j++)
                if (!count || g->size[i] * g->size[j] < least) {
                    least = g->size[i] * g->size[j];
                    at[0][0] = (uint8_t)i, at[0][1] = (uint8_t)j;
                    count = 1;
                }
    }
    k = 0;
    if (count > 1) {
        heat = low[0] < 0 ? -low[0] : low[0];
        if (heat < 1) heat = 1;
        for (i = 0; i < count; i++) {
            const double far_off = (low[i] - low[0]) / heat;
            sum += weight[i] = far_off < 700 ? padici_einsum_exp(far_off) : 0;
        }
        padic_random_block(0, round, step, 0, word);
        dart = padic_random_f64(word[0], word[1]) * sum;
        for (; k + 1 < count && dart >= weight[k]; k++) dart -= weight[k];
    }
    *x = at[k][1], *y = at[k][0];
}

static void padici_einsum_greedy_once(padici_einsum *e, padici_einsum_greedy *g, uint32_t round,
                                      padic_tensor_path *path)
{
    uint32_t i, j, a, b;
    g->count = e->count;
    for (i = 0; i < e->count; i++) {
        g->set[i] = e->set[i];
        g->size[i] = padici_einsum_volume(e, e->set[i], NULL);
        g->node[i] = (uint8_t)i;
    }
    for (i = 1; i < e->count; i++)
        for (j = 0; j < i; j++) padici_einsum_rate(e, g, i, j);
    for (path->steps = 0; g->count > 1; path->steps++) {
        const uint32_t last = g->count - 1;
        padici_einsum_choose(g, round, path->steps, &a, &b);
        path->left[path->steps] = g->node[a] < g->node[b] ? g->node[a] : g->node[b];
        path->right[path->steps] = g->node[a] < g->node[b] ? g->node[b] : g->node[a];
        g->set[a] = padici_einsum_pair(e, g, a, b);
        g->size[a] = padici_einsum_volume(e, g->set[a], NULL);
        g->node[a] = (uint8_t)(e->count + path->steps);
        if (b != last) { // the last one moves to the free slot
            g->set[b] = g->set[last], g->size[b] = g->size[last], g->node[b] = g->node[last];
            for (i = 0; i < last; i++)
                if (i != b) *(i > b ? &g->score[i][b] : &g->score[b][i]) = g->score[last][i];
        }
        g->count--;
        for (i = 0; i < g->count; i++)
            if (i != a) padici_einsum_rate(e, g, a, i);
    }
    padici_einsum_reorder(e, path);
}

static void padici_einsum_greedy_all(padici_einsum *e, padici_einsum_greedy *g,
                                     padic_tensor_path *path)
{
    padic_tensor_path now = *path;
    padici_einsum_cost cost, least;
    uint32_t round;
    memset(&least, 0, sizeof least);
    for (round = 0; round <= 32; round++) {
        padici_einsum_greedy_once(e, g, round, &now);
        padici_einsum_measure(e, &now, &cost);
        if (round && (cost.score > least.score ||
                      (cost.score >= least.score && cost.tie >= least.tie)))
            continue;
        least = cost;
        *path = now;
    }
}

// Fixes labels until the workspace fits: of those that make it smaller (or, when none does, of
// those that a result has) the one with the fewest flops in all.
static padic_result padici_einsum_slice(padici_einsum *e, padic_tensor_path *path,
                                        padici_einsum_cost *cost)
{
    const uint64_t limit = e->desc->memory_limit;
    while (limit && cost->workspace > limit) {
        uint32_t label, s, chosen = PADIC_TENSOR_NONE;
        int helps = 0;
        double least = 0;
        uint64_t most = 0;
        padici_labels any;
        any.w[0] = any.w[1] = 0;
        for (s = 0; s + 1 < path->steps; s++) any = padici_labels_or(any, e->set[e->count + s]);
        for (label = 0; label < PADIC_TENSOR_MAX_LABELS; label++) {
            padici_einsum_cost then;
            int better;
            if (e->extent[label] < 2 || !padici_labels_has(&any, label) ||
                path->slices > (UINT64_C(1) << 20) / e->extent[label])
                continue;
            e->extent[label] = 1;
            padici_einsum_measure(e, path, &then);
            e->extent[label] = e->size[label];
            better = then.workspace < cost->workspace;
            if (better < helps) continue;
            then.flops *= (double)e->size[label];
            if (chosen != PADIC_TENSOR_NONE && better == helps &&
                (then.flops > least || (then.flops >= least && then.workspace >= most)))
                continue;
            chosen = label, helps = better, least = then.flops, most = then.workspace;
        }
        if (chosen == PADIC_TENSOR_NONE || path->slice_count == PADIC_TENSOR_MAX_SLICED)
            return PADIC_ERROR_LIMIT;
        path->slice[path->slice_count++] = (uint8_t)chosen;
        path->slices *= e->size[chosen];
        e->extent[chosen] = 1;
        padici_einsum_measure(e, path, cost);
    }
    return cost->workspace == UINT64_MAX ? PADIC_ERROR_LIMIT : PADIC_OK;
}

// The numbers of a path from what was measured.
static void padici_einsum_totals(const padici_einsum_cost *cost, padic_tensor_path *path)
{
    if (!padici_mul_u64(cost->whole_flops, path->slices, &path->flops)) path->flops = UINT64_MAX;
    if (!padici_mul_u64(cost->whole_writes, path->slices, &path->writes))
        path->writes = UINT64_MAX;
    path->peak_bytes = cost->peak;
    path->workspace_bytes = cost->workspace;
}

// A path of somebody else: valid or not, sizes set to its slices, measured anew.
static padic_result padici_einsum_take(padici_einsum *e, padic_tensor_path *path)
{
    padici_einsum_cost cost;
    uint32_t i;
    path->slices = 1;
    e->fault = "path is not one of these operands";
    if (path->operands != e->count || path->slice_count > PADIC_TENSOR_MAX_SLICED ||
        !padici_einsum_path_valid(e, path))
        return PADIC_ERROR_ARGUMENT;
    for (i = 0; i < path->slice_count; i++) {
        const uint32_t label = path->slice[i];
        if (label >= PADIC_TENSOR_MAX_LABELS || e->extent[label] < 2 ||
            path->slices > (UINT64_C(1) << 20) / e->extent[label])
            return PADIC_ERROR_ARGUMENT;
        path->slices *= e->extent[label];
        e->extent[label] = 1;
    }
    padici_einsum_measure(e, path, &cost);
    padici_einsum_totals(&cost, path);
    e->fault = "workspace is larger than memory_limit, or than 2^62 bytes: it needs ";
    return cost.workspace == UINT64_MAX ||
                   (e->desc->memory_limit && cost.workspace > e->desc->memory_limit)
               ? PADIC_ERROR_LIMIT
               : PADIC_OK;
}

// Finds a path. The sizes of what is sliced are 1 afterwards.
static padic_result padici_einsum_find(padici_einsum *e, const padic_allocator *allocator,
                                       padic_tensor_path *path)
{
    const size_t size = e->count <= PADICI_EINSUM_EXACT
                            ? ((size_t)1 << e->count) * sizeof(padici_einsum_best)
                            : sizeof(padici_einsum_greedy);
    padici_einsum_cost cost;
    padic_result result;
    void *space;
    uint32_t i;
    if (e->desc->method != PADIC_TENSOR_GIVEN) memset(path, 0, sizeof *path);
    path->slice_count = 0;
    path->slices = 1;
    if (e->desc->method == PADIC_TENSOR_GIVEN) {
        e->fault = "path is not one of these operands";
        if (path->operands != e->count || !padici_einsum_path_valid(e, path))
            return PADIC_ERROR_ARGUMENT;
    } else if (e->count < 3 || e->desc->method == PADIC_TENSOR_LEFT) {
        path->steps = e->count < 2 ? 1 : e->count - 1;
        for (i = 0; i < path->steps; i++) {
            path->left[i] = (uint8_t)(i ? e->count + i - 1 : 0);
            path->right[i] = (uint8_t)(e->count < 2 ? PADIC_TENSOR_NONE : i + 1);
        }
    } else {
        space = padici_alloc(allocator, size, 16);
        e->fault = padic_result_text(PADIC_ERROR_MEMORY);
        if (!space) return PADIC_ERROR_MEMORY;
        if (e->count <= PADICI_EINSUM_EXACT)
            padici_einsum_exact(e, (padici_einsum_best *)space, path);
        else
            padici_einsum_greedy_all(e, (padici_einsum_greedy *)space, path);
        padici_free(allocator, space, size);
    }
    path->operands = e->count;
    padici_einsum_measure(e, path, &cost);
    result = padici_einsum_slice(e, path, &cost);
    padici_einsum_totals(&cost, path);
    e->fault = "workspace is larger than memory_limit, or than 2^62 bytes: it needs ";
    return result;
}

// Labels of results in memory, slowest first: those that stay longest, so that what one step sums
// over, and what goes on together, lies together and joins to one axis.
static void padici_einsum_sort(padici_einsum *e, uint32_t steps)
{
    const int64_t *out = e->step[PADIC_TENSOR_MAX_OPERANDS];
    uint32_t i, j;
    e->ordered = 0;
    for (i = 0; i < PADIC_TENSOR_MAX_LABELS; i++) {
        if (e->extent[i] < 2) continue;
        if (padici_labels_has(&e->out, i)) e->vanish[i] = (uint8_t)(steps + 1);
        for (j = e->ordered++; j > 0; j--) {
            const uint8_t before = e->order[j - 1];
            if (e->vanish[before] > e->vanish[i] ||
                (e->vanish[before] == e->vanish[i] && out[before] >= out[i]))
                break;
            e->order[j] = before;
        }
        e->order[j] = (uint8_t)i;
    }
}

// The steps of a node along its labels, in e->row[k].
static void padici_einsum_row(padici_einsum *e, uint32_t k, uint32_t node, int last)
{
    int64_t step = 1;
    uint32_t i;
    if (last || node < e->count) {
        memcpy(e->row[k], e->step[last ? PADIC_TENSOR_MAX_OPERANDS : node], sizeof e->row[k]);
        return;
    }
    memset(e->row[k], 0, sizeof e->row[k]);
    for (i = e->ordered; i-- > 0;) {
        const uint32_t label = e->order[i];
        if (!padici_labels_has(&e->set[node], label)) continue;
        e->row[k][label] = step;
        step *= (int64_t)e->extent[label];
    }
}

// Whether axis y goes on where x ends: x is joined to it.
static int padici_einsum_join(padici_einsum_axis *x, const padici_einsum_axis *y)
{
    uint32_t k;
    if (x->has != y->has) return 0;
    for (k = 0; k < 3; k++) // y is the inner one; sizes are 2 at least
        if (x->step[k] % (int64_t)y->size || x->step[k] / (int64_t)y->size != y->step[k]) return 0;
    x->size *= y->size;
    for (k = 0; k < 3; k++) x->step[k] = y->step[k];
    return 1;
}

// The axes of a step: its labels, joined where they can be.
static void padici_einsum_axes_make(padici_einsum *e, const uint32_t node[3], int last)
{
    uint32_t i, j, k;
    e->axes = 0;
    for (i = 0; i < e->ordered; i++) {
        const uint32_t label = e->order[i];
        padici_einsum_axis *axis = &e->axis[e->axes];
        axis->has = axis->loop = 0;
        axis->size = e->extent[label];
        axis->digit = 0;
        for (k = 0; k < 3; k++) {
            if (node[k] == PADIC_TENSOR_NONE) {
                axis->step[k] = 0;
                continue;
            }
            axis->step[k] = e->row[k][label];
            if (padici_labels_has(k == 2 && last ? &e->out : &e->set[node[k]], label))
                axis->has |= 1u << k;
        }
        e->axes += axis->has != 0;
    }
    for (i = 0; i < e->axes; i++)
        for (j = 0; j < e->axes; j++)
            if (i != j && padici_einsum_join(&e->axis[i], &e->axis[j])) {
                e->axis[j] = e->axis[--e->axes];
                if (i == e->axes) i = j; // it was the last one and has moved
                j = UINT32_MAX;          // from the begin again
            }
}

// Until no tensor has more than 8 axes, the shortest of them becomes a loop around the calls. A
// tensor that does not move along any takes an axis of 1, since strides all 0 mean dense.
static void padici_einsum_loops(padici_einsum *e)
{
    for (;;) {
        uint32_t count[3] = {0, 0, 0}, moves = 4, i, k, over = 0, chosen = PADIC_TENSOR_NONE;
        for (i = 0; i < e->axes; i++)
            for (k = 0; k < 3 && !e->axis[i].loop; k++) {
                count[k] += e->axis[i].has >> k & 1;
                if (e->axis[i].step[k]) moves |= 1u << k;
            }
        for (k = 0; k < 3; k++)
            if (count[k] + (moves >> k & 1 ? 0u : 1u) > PADIC_MAX_RANK) over |= 1u << k;
        if (!over) return;
        for (i = 0; i < e->axes; i++)
            if (!e->axis[i].loop && (e->axis[i].has & over) &&
                (chosen == PADIC_TENSOR_NONE || e->axis[i].size < e->axis[chosen].size))
                chosen = i;
        e->axis[chosen].loop = 1;
    }
}

// The view of tensor k in a call: the axes that are no loops, from element `at` on.
static void padici_einsum_view(const padici_einsum *e, uint32_t k, const padic_tensor *base,
                               int64_t at, padic_tensor *view, uint8_t *labels)
{
    uint32_t i, moves = 0;
    memset(view, 0, sizeof *view);
    memset(labels, 0, PADIC_MAX_RANK);
    view->dtype = base->dtype;
    view->buffer = base->buffer;
    view->data = base->data;
    view->offset = base->offset;
    if (view->data)
        view->data = (char *)view->data + at * (int64_t)padic_dtype_size(view->dtype);
    else
        view->offset += (uint64_t)at;
    for (i = 0; i < e->axes; i++) {
        if (e->axis[i].loop || !(e->axis[i].has >> k & 1)) continue;
        labels[view->rank] = (uint8_t)(i + 1);
        view->shape[view->rank] = e->axis[i].size;
        view->stride[view->rank++] = e->axis[i].step[k];
        moves |= e->axis[i].step[k] != 0;
    }
    if (!view->rank || moves) return;
    labels[view->rank] = (uint8_t)(200 + k);
    view->shape[view->rank] = 1;
    view->stride[view->rank++] = 1;
}

// A node as a tensor of any shape: an operand, the result or a part of the workspace.
static void padici_einsum_base(const padici_einsum *e, const padic_tensor *workspace, uint32_t node,
                               int last, padic_tensor *base)
{
    static const double one = 1;
    static const float single = 1;
    const uint32_t paired = node == PADIC_TENSOR_NONE ? 0u : e->paired[node];
    uint64_t at;
    if (last || node < e->count) {
        *base = last ? e->desc->out.tensor : e->desc->operands[node].tensor;
        return;
    }
    memset(base, 0, sizeof *base);
    base->dtype = e->unit == 8 ? (paired ? PADIC_C128 : PADIC_F64) : paired ? PADIC_C64 : PADIC_F32;
    if (node == PADIC_TENSOR_NONE) {
        base->data = (void *)(uintptr_t)(e->unit == 8 ? (const void *)&one : (const void *)&single);
        return;
    }
    at = e->place[node];
    base->buffer = workspace->buffer;
    if (workspace->data)
        base->data = (char *)workspace->data + at;
    else
        base->offset = (workspace->offset + at) / padic_dtype_size(base->dtype);
}

// Where an operand, or the result, stands in this slice.
static int64_t padici_einsum_offset(const padici_einsum *e, const padic_tensor_path *path,
                                    uint32_t node, int last)
{
    const int64_t *steps;
    int64_t at = 0;
    uint32_t i;
    if (!last && node >= e->count) return 0;
    steps = e->step[last ? PADIC_TENSOR_MAX_OPERANDS : node];
    for (i = 0; i < path->slice_count; i++)
        at += (int64_t)e->digit[i] * steps[path->slice[i]];
    return at;
}

static padic_result padici_einsum_step(padici_einsum *e, padic_context *context,
                                       const padic_tensor_path *path, uint32_t s,
                                       const padic_tensor *workspace, int more)
{
    const int last = s + 1 == path->steps;
    const uint32_t node[3] = {path->left[s], path->right[s], e->count + s};
    padic_tensor_contract_desc call;
    padic_tensor base[3];
    int64_t at[3];
    padic_result result;
    uint32_t i, k;
    memset(&call, 0, sizeof call);
    call.math = e->desc->math;
    for (k = 0; k < 3; k++) {
        const int out = k == 2 && last;
        if (node[k] != PADIC_TENSOR_NONE) padici_einsum_row(e, k, node[k], out);
        padici_einsum_base(e, workspace, node[k], out, &base[k]);
        at[k] = padici_einsum_offset(e, path, node[k], out);
        if (k < 2 && node[k] < e->count && e->paired[node[k]] && e->desc->operands[node[k]].conj)
            call.conj |= 1u << k;
    }
    padici_einsum_axes_make(e, node, last);
    padici_einsum_loops(e);
    do {
        int again = more && last; // something has been written there
        for (i = 0; i < e->axes; i++)
            again |= e->axis[i].digit && !(e->axis[i].has & 4);
        call.beta[0] = again;
        padici_einsum_view(e, 0, &base[0], at[0], &call.a, call.labels_a);
        padici_einsum_view(e, 1, &base[1], at[1], &call.b, call.labels_b);
        padici_einsum_view(e, 2, &base[2], at[2], &call.c, call.labels_c);
        result = padic_tensor_contract(context, &call);
        for (i = 0; i < e->axes; i++) { // the loops go on
            padici_einsum_axis *axis = &e->axis[i];
            if (!axis->loop) continue;
            axis->digit++;
            for (k = 0; k < 3; k++) at[k] += axis->step[k];
            if (axis->digit < axis->size) break;
            for (k = 0; k < 3; k++) at[k] -= (int64_t)axis->size * axis->step[k];
            axis->digit = 0;
        }
    } while (!result && i < e->axes);
    return result;
}

// All slices. Of what a result's element is the sum of, the first slice writes, later ones add.
static padic_result padici_einsum_run(padici_einsum *e, padic_context *context,
                                      const padic_tensor_path *path, const padic_tensor *workspace)
{
    padici_steps steps;
    padic_result result = PADIC_OK;
    uint32_t s, i;
    padici_steps_begin(&steps, NULL, padici_progress(context), path->slices * path->steps);
    padici_einsum_sort(e, path->steps);
    memset(e->digit, 0, sizeof e->digit);
    do {
        int more = 0;
        for (i = 0; i < path->slice_count; i++)
            more |= e->digit[i] && !padici_labels_has(&e->out, path->slice[i]);
        for (s = 0; s < path->steps && !result; s++) {
            result = padici_einsum_step(e, context, path, s, workspace, more);
            if (!result && padici_steps_more(&steps, 1))
                result = padici_fail_here(context, PADIC_ERROR_CANCELLED,
                                     "the progress hook stopped it midway");
        }
        for (i = 0; i < path->slice_count; i++) {
            if (++e->digit[i] < e->size[path->slice[i]]) break;
            e->digit[i] = 0;
        }
    } while (!result && i < path->slice_count);
    return result;
}

// Says the fault with its character or the bytes needed.
static padic_result padici_einsum_say(padic_context *context, const padici_einsum *e,
                                      padic_result result, uint64_t bytes)
{
    padici_text text;
    char space[192];
    padici_text_begin(&text, space, sizeof space);
    padici_text_add(&text, e->fault);
    if (e->placed) {
        padici_text_add(&text, " (at character ");
        padici_text_number(&text, e->at, 1);
        padici_text_add(&text, ")");
    } else if (bytes) {
        padici_text_number(&text, bytes, 1);
        padici_text_add(&text, " bytes");
    }
    return padici_fail_here(context, result, space);
}

static padic_result padici_tensor_path_find_named(padic_context *context,
                                                  const padic_tensor_einsum_desc *desc,
                                                  padic_tensor_path *path)
{
    const padic_allocator *allocator = padici_allocator(context);
    padici_einsum *e;
    padic_result result;
    if (!desc || !path)
        return padici_fail_here(context, PADIC_ERROR_ARGUMENT, "desc or path is NULL");
    path->position = 0;
    e = (padici_einsum *)padici_alloc(allocator, sizeof *e, 16);
    if (!e) return padici_fail_here(context, PADIC_ERROR_MEMORY, "out of memory");
    result = padici_einsum_begin(e, desc);
    if (result) {
        path->position = e->placed ? e->at : 0;
        (void)padici_einsum_say(context, e, result, 0);
    } else {
        result = padici_einsum_find(e, allocator, path);
        if (result)
            (void)padici_einsum_say(context, e, result,
                                    result == PADIC_ERROR_LIMIT ? path->workspace_bytes : 0);
    }
    padici_free(allocator, e, sizeof *e);
    return result;
}

PADIC_API padic_result padic_tensor_path_find(padic_context *context,
                                              const padic_tensor_einsum_desc *desc,
                                              padic_tensor_path *path)
{
    const char *before = padici_enter(context, "tensor_path_find");
    const padic_result result = padici_tensor_path_find_named(context, desc, path);
    padici_leave(context, before);
    return result;
}

static uint64_t padici_einsum_hash(const padici_einsum *e)
{
    uint64_t hash = e->desc->memory_limit;
    const uint32_t words[4] = {e->count, e->desc->method, e->desc->objective, e->unit};
    hash = padici_checksum(words, sizeof words, hash);
    hash = padici_checksum(e->size, sizeof e->size, hash);
    hash = padici_checksum(e->set, sizeof e->set, hash); // 0 beyond the operands
    hash = padici_checksum(e->paired, sizeof e->paired, hash);
    return padici_checksum(&e->out, sizeof e->out, hash);
}

// Given, kept or found: a valid path, measured, its slices' sizes 1.
static padic_result padici_einsum_path(padici_einsum *e, padic_context *context,
                                       padic_tensor_path *path)
{
    const padic_tensor_einsum_desc *desc = e->desc;
    // From left to right a path is found as fast as one that is kept.
    const int plain = !desc->memory_limit && desc->method == PADIC_TENSOR_LEFT;
    padici_einsum_kept *kept = context && !plain ? padici_context_einsum(context) : NULL;
    const uint64_t hash = kept ? padici_einsum_hash(e) : 0;
    padic_result result;
    if (e->desc->path || (kept && kept->hash == hash)) {
        *path = e->desc->path ? *e->desc->path : kept->path;
        return padici_einsum_take(e, path);
    }
    e->fault = "method is GIVEN, but path is NULL";
    if (e->desc->method == PADIC_TENSOR_GIVEN) return PADIC_ERROR_ARGUMENT;
    result = padici_einsum_find(e, padici_allocator(context), path);
    if (!result && kept) {
        kept->path = *path;
        kept->hash = hash;
    }
    return result;
}

// No output shares memory with anything: the result with no operand, the workspace with neither.
static padic_result padici_einsum_places(padici_einsum *e, padic_context *context,
                                         padic_tensor *workspace, uint64_t bytes)
{
    padici_operand out, space, one;
    padic_tensor result = e->desc->out.tensor, t;
    padic_result code;
    uint32_t i;
    memset(&out, 0, sizeof out);
    memset(&space, 0, sizeof space);
    out.name = "out";
    out.tensor = &result;
    space.name = "workspace";
    space.tensor = workspace;
    code = padici_operand_find(context, &out, padic_tensor_count(&result));
    if (!code && bytes) code = padici_operand_find(context, &space, bytes);
    for (i = 0; i <= e->count && !code; i++) {
        memset(&one, 0, sizeof one);
        t = i < e->count ? e->desc->operands[i].tensor : result;
        one.name = "operands";
        one.tensor = &t;
        code = padici_operand_find(context, &one, padic_tensor_count(&t));
        if (code || !one.bytes) continue;
        e->fault = i < e->count ? "one of the operands shares memory with out or workspace"
                                : "workspace shares memory with out";
        if ((i < e->count && out.bytes && padici_operands_overlap(&out, &one)) ||
            (space.bytes && padici_operands_overlap(&space, &one)))
            return padici_einsum_say(context, e, PADIC_ERROR_OVERLAP, 0);
    }
    return code;
}

// The caller's workspace, or a buffer from the pool; without a context memory, to be freed.
static padic_result padici_einsum_workspace(padici_einsum *e, padic_context *context,
                                            uint64_t bytes, padic_tensor *workspace)
{
    padic_buffer_desc desc;
    padic_buffer buffer;
    const padic_tensor *given = &e->desc->workspace;
    uint64_t count = 0;
    padic_result result;
    memset(workspace, 0, sizeof *workspace);
    e->placed = 0;
    if (!bytes) return PADIC_OK;
    if (given->data || given->buffer.id) {
        e->fault = "workspace is not U8, dense, at a multiple of 16 bytes of its buffer";
        result = padici_tensor_check_view(given, 0, &count);
        if (result || given->dtype != PADIC_U8 || given->rank != 1 ||
            (given->stride[0] && given->stride[0] != 1) || (!given->data && given->offset % 16))
            return padici_einsum_say(context, e, PADIC_ERROR_ARGUMENT, 0);
        e->fault = "workspace is too small: it needs ";
        if (count < bytes) return padici_einsum_say(context, e, PADIC_ERROR_CAPACITY, bytes);
        *workspace = padic_tensor_1d(PADIC_U8, given->data, bytes);
        workspace->buffer = given->buffer;
        workspace->offset = given->offset;
        return PADIC_OK;
    }
    if (!context) { // as much of malloc
        size_t size = (size_t)bytes;
        *workspace = padic_tensor_1d(PADIC_U8, NULL, bytes);
        if (size == bytes) workspace->data = padici_alloc(NULL, size, 64);
        return workspace->data ? PADIC_OK : PADIC_ERROR_MEMORY;
    }
    memset(&desc, 0, sizeof desc);
    desc.size = bytes;
    result = padic_buffer_create(context, &desc, &buffer);
    if (!result)
        *workspace = padic_tensor_in(padic_tensor_1d(PADIC_U8, NULL, bytes), buffer, 0);
    return result;
}

static padic_result padici_einsum_do(padici_einsum *e, padic_context *context,
                                     const padic_tensor_einsum_desc *desc)
{
    padic_tensor_path path;
    padic_tensor workspace;
    padic_result result = padici_einsum_begin(e, desc), freed;
    uint32_t i, none = 0;
    if (result) return padici_einsum_say(context, e, result, 0);
    for (i = 0; i < PADIC_TENSOR_MAX_LABELS; i++) none |= !e->size[i];
    memset(&path, 0, sizeof path);
    if (!none) {
        result = padici_einsum_path(e, context, &path);
        if (result)
            return padici_einsum_say(context, e, result,
                                     result == PADIC_ERROR_LIMIT ? path.workspace_bytes : 0);
    }
    result = padici_einsum_workspace(e, context, path.workspace_bytes, &workspace);
    if (result) return result;
    result = padici_einsum_places(e, context, &workspace, path.workspace_bytes);
    if (!result && none) { // nothing to sum: zeros, if there is anywhere to write them
        padic_fill_desc fill;
        memset(&fill, 0, sizeof fill);
        fill.tensor = desc->out.tensor;
        result = padic_fill(context, &fill);
    } else if (!result) {
        result = padici_einsum_run(e, context, &path, &workspace);
    }
    if (workspace.buffer.id && !desc->workspace.buffer.id) {
        freed = padic_buffer_destroy(context, workspace.buffer);
        if (!result) result = freed;
    }
    if (!context && !desc->workspace.data)
        padici_free(NULL, workspace.data, (size_t)path.workspace_bytes);
    return result;
}

static padic_result padici_tensor_einsum_named(padic_context *context,
                                               const padic_tensor_einsum_desc *desc)
{
    const padic_allocator *allocator = padici_allocator(context);
    padici_einsum *e;
    padic_result result;
    if (!desc) return padici_fail_here(context, PADIC_ERROR_ARGUMENT, "desc is NULL");
    e = (padici_einsum *)padici_alloc(allocator, sizeof *e, 16);
    if (!e) return padici_fail_here(context, PADIC_ERROR_MEMORY, "out of memory");
    result = padici_einsum_do(e, context, desc);
    padici_free(allocator, e, sizeof *e);
    return result;
}

PADIC_API padic_result padic_tensor_einsum(padic_context *context,
                                           const padic_tensor_einsum_desc *desc)
{
    const char *before = padici_enter(context, "tensor_einsum");
    const padic_result result = padici_tensor_einsum_named(context, desc);
    padici_leave(context, before);
    return result;
}

// Whether t is of a dtype, and of the precision of `like`.
static padic_result padici_pair_pool_type(padic_context *context, const padic_tensor *t,
                                          const char *name, padic_dtype like)
{
    if (t->dtype != PADIC_F32 && !padici_tensor_is_double(t->dtype) &&
        !padici_tensor_is_complex(t->dtype))
        return padici_fail_field(context, PADIC_ERROR_DTYPE, name, "is not F32, F64, C64 or C128");
    if (t->rank > PADIC_MAX_RANK)
        return padici_fail_view(context, PADIC_ERROR_LIMIT, name, t);
    if (padici_tensor_is_double(t->dtype) == padici_tensor_is_double(like)) return PADIC_OK;
    return padici_fail_field(context, PADIC_ERROR_MISMATCH, name,
                             "is not of the others' precision");
}

// Shape of u (2d^2 columns), w or fused (any number of columns) for `pairs` and `rows`.
static int padici_pair_pool_shape(const padic_tensor *t, uint64_t pairs, uint64_t rows)
{
    return t->rank == 3 && t->shape[0] == pairs && t->shape[1] == rows;
}

static padic_result padici_tensor_pair_pool_named(padic_context *context,
                                                  const padic_tensor_pair_pool_desc *desc)
{
    static const char *const texts[2] = {"pnab,pnabj,pjk->pk", "pnab,pnabk->pk"};
    padic_tensor_einsum_desc einsum;
    padic_tensor_term terms[3];
    const padic_tensor *t, *first;
    uint64_t dims[2][5], rows, d, pairs;
    uint32_t fused;
    padic_result result;
    if (!desc) return padici_fail_here(context, PADIC_ERROR_ARGUMENT, "desc is NULL");
    t = &desc->tensors;
    fused = desc->fused.dtype != PADIC_DTYPE_NONE;
    first = fused ? &desc->fused : &desc->u;
    result = padici_pair_pool_type(context, t, "tensors", t->dtype);
    if (!result) result = padici_pair_pool_type(context, first, fused ? "fused" : "u", t->dtype);
    if (!result && !fused) result = padici_pair_pool_type(context, &desc->w, "w", t->dtype);
    if (!result) result = padici_pair_pool_type(context, &desc->out, "out", t->dtype);
    if (result) return result;
    if (t->rank != 3 || t->shape[0] % 2)
        return padici_fail_here(context, PADIC_ERROR_ARGUMENT, "tensors are (N, d, d), N is even");
    pairs = t->shape[0] / 2, d = t->shape[1];
    if (d != t->shape[2] || d >> 31)
        return padici_fail_here(context, PADIC_ERROR_MISMATCH, "tensors are (N, d, d)");
    rows = 2 * d * d;
    if (!padici_pair_pool_shape(first, pairs, rows) || (!fused && first->shape[2] != rows))
        return padici_fail_here(context, PADIC_ERROR_MISMATCH,
                                fused ? "fused is (N/2, 2d^2, d_out)" : "u is (N/2, 2d^2, 2d^2)");
    if (!fused && !padici_pair_pool_shape(&desc->w, pairs, rows))
        return padici_fail_here(context, PADIC_ERROR_MISMATCH, "w is (N/2, 2d^2, d_out)");
    if (desc->out.rank != 2 || desc->out.shape[0] != pairs ||
        desc->out.shape[1] != (fused ? first : &desc->w)->shape[2])
        return padici_fail_here(context, PADIC_ERROR_MISMATCH, "out is (N/2, d_out)");
    memset(&einsum, 0, sizeof einsum);
    memset(terms, 0, sizeof terms);
    dims[0][0] = dims[1][0] = pairs;
    dims[0][1] = dims[1][1] = 2;
    dims[0][2] = dims[1][2] = dims[0][3] = dims[1][3] = d;
    dims[1][4] = first->shape[2];
    terms[0].tensor = *t;
    terms[0].dims = dims[0];
    terms[0].rank = 4;
    terms[1].tensor = *first;
    terms[1].dims = dims[1];
    terms[1].rank = 5;
    terms[2].tensor = desc->w;
    einsum.expression = texts[fused];
    einsum.operands = terms;
    einsum.count = fused ? 2 : 3;
    einsum.out.tensor = desc->out;
    einsum.method = PADIC_TENSOR_LEFT;
    einsum.workspace = desc->workspace;
    return padic_tensor_einsum(context, &einsum);
}

PADIC_API padic_result padic_tensor_pair_pool(padic_context *context,
                                              const padic_tensor_pair_pool_desc *desc)
{
    const char *before = padici_enter(context, "tensor_pair_pool");
    const padic_result result = padici_tensor_pair_pool_named(context, desc);
    padici_leave(context, before);
    return result;
}

static padic_result padici_tensor_pair_pool_fuse_named(padic_context *context,
                                                       const padic_tensor_pair_pool_desc *desc)
{
    padic_tensor_contract_desc contract;
    padic_result result;
    if (!desc) return padici_fail_here(context, PADIC_ERROR_ARGUMENT, "desc is NULL");
    result = padici_pair_pool_type(context, &desc->u, "u", desc->u.dtype);
    if (!result) result = padici_pair_pool_type(context, &desc->w, "w", desc->u.dtype);
    if (!result) result = padici_pair_pool_type(context, &desc->fused, "fused", desc->u.dtype);
    if (result) return result;
    if (desc->u.rank != 3)
        return padici_fail_here(context, PADIC_ERROR_MISMATCH, "u is not (N/2, 2d^2, 2d^2)");
    if (!padici_pair_pool_shape(&desc->w, desc->u.shape[0], desc->u.shape[2]))
        return padici_fail_here(context, PADIC_ERROR_MISMATCH, "w is not (N/2, 2d^2, d_out)");
    if (!padici_pair_pool_shape(&desc->fused, desc->u.shape[0], desc->u.shape[1]) ||
        desc->fused.shape[2] != desc->w.shape[2])
        return padici_fail_here(context, PADIC_ERROR_MISMATCH, "fused is not (N/2, 2d^2, d_out)");
    memset(&contract, 0, sizeof contract);
    memcpy(contract.labels_a, "pij", 3);
    memcpy(contract.labels_b, "pjk", 3);
    memcpy(contract.labels_c, "pik", 3);
    contract.a = desc->u;
    contract.b = desc->w;
    contract.c = desc->fused;
    return padic_tensor_contract(context, &contract);
}

PADIC_API padic_result padic_tensor_pair_pool_fuse(padic_context *context,
                                                   const padic_tensor_pair_pool_desc *desc)
{
    const char *before = padici_enter(context, "tensor_pair_pool_fuse");
    const padic_result result = padici_tensor_pair_pool_fuse_named(context, desc);
    padici_leave(context, before);
    return result;
}

// room: src/tensor/code.c
// ------------------------------------------------------------------------------------ >>code impl

static uint32_t padici_ones(uint64_t x)
{
    x -= x >> 1 & UINT64_C(0x5555555555555555);
    x = (x & UINT64_C(0x3333333333333333)) + (x >> 2 & UINT64_C(0x3333333333333333));
    return (uint32_t)(((x + (x >> 4)) & UINT64_C(0x0f0f0f0f0f0f0f0f)) *
                          UINT64_C(0x0101010101010101) >> 56);
}

static padic_result padici_tensor_perfect_named(padic_context *context, const padic_tensor *tensor)
{
    static const char *const names[1] = {"tensor"};
    padic_tensor t;
    padici_operand operand;
    int64_t stride[PADIC_MAX_RANK];
    uint32_t i, b;
    padic_result result;
    if (!tensor) return padici_fail_here(context, PADIC_ERROR_ARGUMENT, "tensor is NULL");
    t = *tensor;
    if (t.dtype != PADIC_F32 && !padici_tensor_is_double(t.dtype) &&
        !padici_tensor_is_complex(t.dtype))
        return padici_fail_here(context, PADIC_ERROR_DTYPE, "tensor is not F32, F64, C64 or C128");
    result = padici_tensor_host(context, &t, names, &operand, 1, 0);
    if (result) return result;
    for (i = 0, b = t.rank == 6; i < 6 && b; i++) b = t.shape[i] == 2;
    if (!b) return padici_fail_here(context, PADIC_ERROR_MISMATCH, "tensor has not six axes of 2");
    padici_tensor_dense(&t, stride);
    for (b = 0; b < 64; b++) {
        const uint32_t ring = b >> 1; // bit i - 1: leg i
        const uint32_t next = (ring << 1 | ring >> 4) & 31;
        const uint32_t minus = padici_ones((b & 1) ? ring : 0) + padici_ones(ring & next);
        int64_t at = 0;
        for (i = 0; i < 6; i++) at += (b >> i & 1) * stride[i];
        padici_tensor_write(t.dtype, (char *)t.data, at, minus & 1 ? -0.125 : 0.125, 0);
    }
    return PADIC_OK;
}

PADIC_API padic_result padic_tensor_perfect(padic_context *context, const padic_tensor *tensor)
{
    const char *before = padici_enter(context, "tensor_perfect");
    const padic_result result = padici_tensor_perfect_named(context, tensor);
    padici_leave(context, before);
    return result;
}

// Where the number `index` of the legs in `part` lies, the last one fastest.
static int64_t padici_perfect_at(const padic_tensor *t, const int64_t *stride, uint32_t part,
                                 uint64_t index)
{
    int64_t at = 0;
    uint32_t i;
    for (i = t->rank; i-- > 0;) {
        if (!(part >> i & 1)) continue;
        at += (int64_t)(index % t->shape[i]) * stride[i];
        index /= t->shape[i];
    }
    return at;
}

// (M M^dagger)_ij of a split with d rows, all numbers divided by `scale`.
static void padici_perfect_entry(const padic_tensor *t, double scale, uint32_t part, uint64_t d,
                                 uint64_t i, uint64_t j, double out[2])
{
    const uint32_t rest = ((1u << t->rank) - 1) & ~part;
    int64_t stride[PADIC_MAX_RANK], row[2];
    uint64_t k;
    padici_tensor_dense(t, stride);
    row[0] = padici_perfect_at(t, stride, part, i);
    row[1] = padici_perfect_at(t, stride, part, j);
    out[0] = out[1] = 0;
    for (k = 0; k < d; k++) {
        const int64_t at = padici_perfect_at(t, stride, rest, k);
        double x[2], y[2];
        padici_tensor_read(t->dtype, (const char *)t->data, row[0] + at, x, x + 1);
        padici_tensor_read(t->dtype, (const char *)t->data, row[1] + at, y, y + 1);
        x[0] /= scale, x[1] /= scale;
        y[0] /= scale, y[1] /= scale;
        out[0] += x[0] * y[0];
        out[0] += x[1] * y[1];
        out[1] += x[1] * y[0];
        out[1] -= x[0] * y[1];
    }
}

static padic_result padici_tensor_perfect_check_named(padic_context *context,
                                                      const padic_tensor *tensor, double *deviation)
{
    static const char *const names[1] = {"tensor"};
    padic_tensor t;
    padici_operand operand;
    uint32_t part, i;
    uint64_t d = 1, j, k;
    double norm = 0, z[2], worst = 0, scale = 1;
    int power;
    padic_result result;
    if (!tensor || !deviation)
        return padici_fail_here(context, PADIC_ERROR_ARGUMENT, "tensor is NULL");
    t = *tensor;
    if (t.dtype != PADIC_F32 && !padici_tensor_is_double(t.dtype) &&
        !padici_tensor_is_complex(t.dtype))
        return padici_fail_here(context, PADIC_ERROR_DTYPE, "tensor is not F32, F64, C64 or C128");
    result = padici_tensor_host(context, &t, names, &operand, 1, 1);
    if (result) return result;
    for (i = 0; i < t.rank && t.shape[i] == t.shape[0]; i++) continue;
    if (!t.rank || t.rank % 2 || i < t.rank || !t.shape[0])
        return padici_fail_here(context, PADIC_ERROR_MISMATCH,
                                "tensor has not 2, 4, 6 or 8 axes of one extent");
    for (i = 0; i < t.rank / 2; i++) d *= t.shape[0];
    if (padici_tensor_power(&t, &power)) {
        scale = ldexp(1.0, power);
        for (j = 0; j < d; j++) {
            padici_perfect_entry(&t, scale, (1u << t.rank / 2) - 1, d, j, j, z);
            norm += z[0] / (double)d;
        }
    }
    if (!(norm > 0))
        return padici_fail_here(context, PADIC_ERROR_DOMAIN, "tensor is zero or not finite");
    for (part = 1; part < 1u << t.rank; part += 2) { // with leg 0; the others are the rest of one
        uint32_t legs = 0;
        for (i = 0; i < t.rank; i++) legs += part >> i & 1;
        if (legs != t.rank / 2) continue;
        for (j = 0; j < d; j++)
            for (k = 0; k <= j; k++) {
                double off;
                padici_perfect_entry(&t, scale, part, d, j, k, z);
                if (j == k) z[0] -= norm;
                off = sqrt(z[0] * z[0] + z[1] * z[1]) / norm;
                if (off > worst) worst = off;
            }
    }
    *deviation = worst;
    return PADIC_OK;
}

PADIC_API padic_result padic_tensor_perfect_check(padic_context *context,
                                                  const padic_tensor *tensor, double *deviation)
{
    const char *before = padici_enter(context, "tensor_perfect_check");
    const padic_result result = padici_tensor_perfect_check_named(context, tensor, deviation);
    padici_leave(context, before);
    return result;
}

// Codes.

#define PADICI_HAPPY_UNSET 0xffffffffu

static uint32_t padici_happy_base(uint32_t code) // the first slot that is no bulk leg
{
    return code == PADIC_TENSOR_PENTAGON;
}

static void padici_happy_join(uint32_t *links, uint32_t a, uint32_t b)
{
    links[a] = b;
    links[b] = a;
}

// The first outward slot of a tile in the last layer but one: two of its legs may lead inward.
static uint32_t padici_happy_first(const uint32_t *links, uint32_t tile, uint32_t base)
{
    const uint32_t second = links[6 * tile + base + 1];
    return 6 * tile + base + (second != PADICI_HAPPY_UNSET && second / 6 < tile ? 2 : 1);
}

// The tiles on the layer [begin, end); returns how many tiles there are then.
static uint32_t padici_happy_layer(uint32_t *links, uint32_t base, uint32_t begin, uint32_t end)
{
    uint32_t t, slot, tiles = end;
    for (t = begin; t < end; t++) {
        const uint32_t next = t + 1 < end ? t + 1 : begin, last = 6 * t + 5;
        for (slot = padici_happy_first(links, t, base) + 1; slot < last; slot++)
            padici_happy_join(links, slot, 6 * tiles++ + base);
        padici_happy_join(links, padici_happy_first(links, next, base), 6 * tiles + base);
        padici_happy_join(links, last, 6 * tiles++ + base + 1);
    }
    return tiles;
}

static padic_result padici_tensor_happy_build_named(padic_context *context,
                                                    padic_tensor_happy *happy)
{
    uint64_t f, g = 0, tiles = 1, legs;
    uint32_t base, layer, begin, end, i;
    if (!happy || happy->code > PADIC_TENSOR_HEXAGON || happy->layers > 8)
        return padici_fail_here(context, PADIC_ERROR_ARGUMENT,
                                "happy is NULL, its code no padic_tensor_code, or its layers "
                                "above 8");
    base = padici_happy_base(happy->code);
    f = legs = 6 - base;
    for (layer = 1; layer <= happy->layers; layer++) {
        const uint64_t both = f + g, more = (3 - base) * f + (2 - base) * g;
        if (layer > 1) {
            g = both;
            f = more;
        }
        tiles += f + g;
        legs = (5 - base) * f + (4 - base) * g;
    }
    happy->tiles = (uint32_t)tiles;
    happy->legs = (uint32_t)legs;
    if (!happy->links) return PADIC_OK;
    if (happy->link_capacity < 6 * tiles)
        return padici_fail_here(context, PADIC_ERROR_CAPACITY,
                                "link_capacity is too small: 6 words a tile");
    for (i = 0; i < 6 * tiles; i++) happy->links[i] = PADICI_HAPPY_UNSET;
    for (begin = 0, end = 1, layer = 1; layer <= happy->layers; layer++) {
        uint32_t now = end;
        if (layer == 1)
            for (i = base; i < 6; i++) padici_happy_join(happy->links, i, 6 * now++ + base);
        else
            now = padici_happy_layer(happy->links, base, begin, end);
        begin = end;
        end = now;
    }
    for (i = 0, legs = 0; i < 6 * tiles; i++) {
        if (base && i % 6 == 0)
            happy->links[i] = PADIC_TENSOR_HAPPY_BULK + i / 6;
        else if (happy->links[i] == PADICI_HAPPY_UNSET)
            happy->links[i] = PADIC_TENSOR_HAPPY_LEG + (uint32_t)legs++;
    }
    return PADIC_OK;
}

PADIC_API padic_result padic_tensor_happy_build(padic_context *context, padic_tensor_happy *happy)
{
    const char *before = padici_enter(context, "tensor_happy_build");
    const padic_result result = padici_tensor_happy_build_named(context, happy);
    padici_leave(context, before);
    return result;
}

// Links as _build() made them, and a mask of legs without bits beyond.
static const char *padici_happy_fault(const padic_tensor_happy *happy, const uint64_t *part)
{
    uint32_t i;
    if (!happy || !happy->links || happy->code > PADIC_TENSOR_HEXAGON || !happy->tiles)
        return "happy has no code: padic_tensor_happy_build() makes it, with links";
    if (happy->link_capacity / 6 < happy->tiles) return "link_capacity is too small";
    for (i = 0; i < 6 * happy->tiles; i++) {
        const uint32_t link = happy->links[i];
        if (link & PADIC_TENSOR_HAPPY_LEG) {
            if (link - PADIC_TENSOR_HAPPY_LEG >= happy->legs) return "links are damaged";
        } else if (!(link & PADIC_TENSOR_HAPPY_BULK) &&
                   (link >= 6 * happy->tiles || happy->links[link] != i)) {
            return "links are damaged";
        }
    }
    if (part && happy->legs % 64 && part[happy->legs / 64] >> happy->legs % 64)
        return "part has bits beyond the legs";
    return NULL;
}

// A growing state: `n` qubits in columns of rows that have room for more.
typedef struct padici_tableau {
    uint64_t *rows;
    uint8_t *signs;
    uint32_t *column; // of each slot of each tile
    uint32_t *spare;  // columns not in use
    uint32_t n, words, spares;
} padici_tableau;

static uint64_t *padici_tableau_row(const padici_tableau *t, uint32_t row)
{
    return t->rows + (uint64_t)row * 2 * t->words;
}

PADICI_INLINE uint32_t padici_tableau_bit(const uint64_t *bits, uint32_t at)
{
    return (uint32_t)(bits[at / 64] >> at % 64 & 1);
}

// Row h becomes the product of rows i and h, which commute. Aaronson and Gottesman
// quant-ph/0406196: a factor i for XY, YZ, ZX, -i for the other way round.
static void padici_tableau_multiply(const padici_tableau *t, uint32_t h, uint32_t i)
{
    uint64_t *a = padici_tableau_row(t, i), *b = padici_tableau_row(t, h);
    uint32_t w, phase = 0;
    for (w = 0; w < t->words; w++) {
        const uint64_t x = a[w], z = a[w + t->words], p = b[w], q = b[w + t->words];
        phase += padici_ones((x & z & q & ~p) | (x & ~z & p & q) | (~x & z & p & ~q));
        phase -= padici_ones((x & z & p & ~q) | (x & ~z & q & ~p) | (~x & z & p & q));
        b[w] ^= x;
        b[w + t->words] ^= z;
    }
    t->signs[h] = (uint8_t)((t->signs[h] ^ t->signs[i]) ^ (phase >> 1 & 1));
}

// Projects on the eigenvalue +1 (sign 1: -1) of a Pauli product: x and z on each of `count`
// columns. Returns its row; UINT32_MAX when it was decided before.
static uint32_t padici_tableau_project(const padici_tableau *t, const uint32_t *columns,
                                       uint32_t count, uint32_t x, uint32_t z, uint32_t sign)
{
    uint32_t r, i, pivot = UINT32_MAX;
    uint64_t *row;
    for (r = 0; r < t->n; r++) {
        uint32_t odd = 0;
        row = padici_tableau_row(t, r);
        for (i = 0; i < count; i++)
            odd ^= (padici_tableau_bit(row, columns[i]) & z) ^
                   (padici_tableau_bit(row + t->words, columns[i]) & x);
        if (!odd) continue;
        if (pivot == UINT32_MAX)
            pivot = r;
        else
            padici_tableau_multiply(t, r, pivot);
    }
    if (pivot == UINT32_MAX) return pivot;
    row = padici_tableau_row(t, pivot);
    memset(row, 0, 16 * t->words);
    for (i = 0; i < count; i++) {
        row[columns[i] / 64] |= (uint64_t)x << columns[i] % 64;
        row[t->words + columns[i] / 64] |= (uint64_t)z << columns[i] % 64;
    }
    t->signs[pivot] = (uint8_t)sign;
    return pivot;
}

// Clears a column from all rows but `row`, whose Pauli there they have or not; then drops the row.
static void padici_tableau_drop(padici_tableau *t, uint32_t row, uint32_t column)
{
    const uint64_t *own = padici_tableau_row(t, row);
    const uint32_t x = padici_tableau_bit(own, column);
    uint32_t r;
    for (r = 0; r < t->n; r++) {
        const uint64_t *other = padici_tableau_row(t, r) + (x ? 0 : t->words);
        if (r != row && padici_tableau_bit(other, column)) padici_tableau_multiply(t, r, row);
    }
    if (row != --t->n) {
        memcpy(padici_tableau_row(t, row), padici_tableau_row(t, t->n), 16 * t->words);
        t->signs[row] = t->signs[t->n];
    }
}

// Six rows and columns of a new tile: X on a leg, Z on its neighbours in the wheel.
static void padici_tableau_tile(padici_tableau *t, uint32_t tile)
{
    static const uint8_t wheel[6] = {0x3e, 0x25, 0x0b, 0x15, 0x29, 0x13}; // bit j: joined to j
    uint32_t *column = t->column + 6 * tile, i, j;
    for (i = 0; i < 6; i++) column[i] = t->spare[--t->spares];
    for (i = 0; i < 6; i++) {
        uint64_t *row = padici_tableau_row(t, t->n);
        memset(row, 0, 16 * t->words);
        row[column[i] / 64] |= UINT64_C(1) << column[i] % 64;
        for (j = 0; j < 6; j++)
            row[t->words + column[j] / 64] |= (uint64_t)(wheel[i] >> j & 1) << column[j] % 64;
        t->signs[t->n++] = 0;
    }
}

// Adds a tile: fixes its bulk leg, joins the slots that lead to tiles before it by Bell pairs.
static int padici_tableau_add(padici_tableau *t, const padic_tensor_happy *happy, uint32_t tile,
                              uint32_t state)
{
    uint32_t slot, row, other;
    padici_tableau_tile(t, tile);
    for (slot = 0; slot < 6; slot++) {
        const uint32_t at = 6 * tile + slot, link = happy->links[at];
        uint32_t pair[2];
        pair[0] = t->column[at];
        if (link & PADIC_TENSOR_HAPPY_LEG) continue;
        if (link & PADIC_TENSOR_HAPPY_BULK) {
            if (!state) continue;
            row = padici_tableau_project(t, pair, 1, state < 5, state > 2, (state - 1) & 1);
            if (row == UINT32_MAX) return 0;
            padici_tableau_drop(t, row, pair[0]);
            t->spare[t->spares++] = pair[0];
            continue;
        }
        if (link / 6 >= tile) continue;
        pair[1] = t->column[link];
        row = padici_tableau_project(t, pair, 2, 1, 0, 0);
        other = padici_tableau_project(t, pair, 2, 0, 1, 0);
        if (row == UINT32_MAX || other == UINT32_MAX) return 0;
        padici_tableau_drop(t, other, pair[0]); // rows commute with XX and ZZ: I, XX, YY, ZZ there
        padici_tableau_drop(t, row == t->n ? other : row, pair[0]);
        t->spare[t->spares++] = pair[0];
        t->spare[t->spares++] = pair[1];
    }
    return 1;
}

// Rows with the columns in the order of the qubits.
static void padici_tableau_write(const padici_tableau *t, const padic_tensor_happy *happy,
                                 const uint8_t *bulk, padic_tensor_tableau *out)
{
    uint32_t r, i;
    memset(out->rows, 0, (size_t)16 * out->words * out->qubits);
    for (r = 0; r < t->n; r++) {
        const uint64_t *from = padici_tableau_row(t, r);
        uint64_t *to = out->rows + (uint64_t)2 * out->words * r;
        uint32_t open = happy->legs;
        for (i = 0; i < 6 * happy->tiles; i++) {
            const uint32_t link = happy->links[i], column = t->column[i];
            uint32_t q = open;
            if (link & PADIC_TENSOR_HAPPY_LEG)
                q = link - PADIC_TENSOR_HAPPY_LEG;
            else if (!(link & PADIC_TENSOR_HAPPY_BULK) || (bulk && bulk[i / 6]))
                continue;
            else
                open++;
            to[q / 64] |= (uint64_t)padici_tableau_bit(from, column) << q % 64;
            to[out->words + q / 64] |= (uint64_t)padici_tableau_bit(from + t->words, column)
                                       << q % 64;
        }
        out->signs[r] = t->signs[r];
    }
}

static padic_result padici_tensor_happy_encode_named(padic_context *context,
                                                     const padic_tensor_happy *happy,
                                                     const uint8_t *bulk,
                                                     padic_tensor_tableau *tableau)
{
    const char *fault = tableau ? padici_happy_fault(happy, NULL) : "tableau is NULL";
    padici_tableau t;
    uint64_t room;
    uint32_t i;
    size_t bytes;
    char *memory;
    if (fault) return padici_fail_here(context, PADIC_ERROR_ARGUMENT, fault);
    tableau->qubits = happy->legs;
    for (i = 0; i < happy->tiles; i++) {
        if (bulk && bulk[i] > 6)
            return padici_fail_here(context, PADIC_ERROR_ARGUMENT, "bulk has a state above 6");
        tableau->qubits += happy->code == PADIC_TENSOR_PENTAGON && !(bulk && bulk[i]);
    }
    tableau->words = (tableau->qubits + 63) / 64;
    if (!tableau->rows) return PADIC_OK;
    if (!tableau->signs || tableau->row_capacity / 2 / tableau->words < tableau->qubits)
        return padici_fail_here(context, PADIC_ERROR_CAPACITY,
                                "row_capacity is too small: qubits x 2 x words, and signs");
    memset(&t, 0, sizeof t);
    room = (uint64_t)tableau->qubits + 8; // a tile adds six, and at most five of them go again
    t.words = (uint32_t)((room + 63) / 64);
    bytes = (size_t)(room * 16 * t.words + (uint64_t)t.words * 256 + room +
                     (uint64_t)happy->tiles * 24);
    memory = (char *)padici_alloc(padici_allocator(context), bytes, 64);
    if (!memory) return padici_fail_here(context, PADIC_ERROR_MEMORY, "out of host memory");
    t.rows = (uint64_t *)(void *)memory;
    t.spare = (uint32_t *)(void *)(t.rows + room * 2 * t.words);
    t.column = t.spare + 64 * t.words;
    t.signs = (uint8_t *)(t.column + 6 * happy->tiles);
    for (i = 64 * t.words; i-- > 0;) t.spare[t.spares++] = i;
    for (i = 0; i < happy->tiles; i++)
        if (!padici_tableau_add(&t, happy, i, bulk ? bulk[i] : 0)) break;
    if (i == happy->tiles) padici_tableau_write(&t, happy, bulk, tableau);
    padici_free(padici_allocator(context), memory, bytes);
    return i == happy->tiles ? PADIC_OK
                             : padici_fail_here(context, PADIC_ERROR_DOMAIN,
                                                "bulk makes a state of norm 0");
}

PADIC_API padic_result padic_tensor_happy_encode(padic_context *context,
                                                 const padic_tensor_happy *happy,
                                                 const uint8_t *bulk, padic_tensor_tableau *tableau)
{
    const char *before = padici_enter(context, "tensor_happy_encode");
    const padic_result result = padici_tensor_happy_encode_named(context, happy, bulk, tableau);
    padici_leave(context, before);
    return result;
}

// Rank of rows of `width` words, which are lost.
static uint32_t padici_rank(uint64_t *rows, uint32_t n, uint32_t width)
{
    uint32_t rank = 0, r, i, w;
    for (w = 0; w < width; w++)
        for (;;) { // the lowest bit of word w that a row not used has
            uint64_t bit = 0;
            for (r = rank; r < n && !bit; r++) bit = rows[(uint64_t)r * width + w];
            if (!bit) break;
            bit &= ~bit + 1;
            for (i = 0, r--; i < width; i++) {
                const uint64_t x = rows[(uint64_t)r * width + i];
                rows[(uint64_t)r * width + i] = rows[(uint64_t)rank * width + i];
                rows[(uint64_t)rank * width + i] = x;
            }
            for (r++; r < n; r++) {
                if (!(rows[(uint64_t)r * width + w] & bit)) continue;
                for (i = w; i < width; i++)
                    rows[(uint64_t)r * width + i] ^= rows[(uint64_t)rank * width + i];
            }
            rank++;
        }
    return rank;
}

static padic_result padici_tensor_happy_entropy_named(padic_context *context,
                                                      const padic_tensor_tableau *tableau,
                                                      const uint64_t *part, uint32_t *entropy)
{
    uint32_t width, r, w, members = 0;
    uint64_t *rows;
    size_t bytes;
    if (!tableau || !tableau->rows || !part || !entropy ||
        tableau->words != (tableau->qubits + 63) / 64 ||
        (tableau->qubits && tableau->row_capacity / 2 / tableau->words < tableau->qubits))
        return padici_fail_here(context, PADIC_ERROR_ARGUMENT, "tableau, part or entropy is NULL");
    if (tableau->qubits % 64 && part[tableau->words - 1] >> tableau->qubits % 64)
        return padici_fail_here(context, PADIC_ERROR_ARGUMENT, "part has bits beyond the qubits");
    *entropy = 0;
    for (w = 0; w < tableau->words; w++) members += padici_ones(part[w]);
    if (!members || members == tableau->qubits) return PADIC_OK;
    width = 2 * tableau->words;
    if (!padici_mul_size((size_t)tableau->qubits * 8, width, &bytes))
        return padici_fail_here(context, PADIC_ERROR_LIMIT, "tableau has too many qubits");
    rows = (uint64_t *)padici_alloc(padici_allocator(context), bytes, 64);
    if (!rows) return padici_fail_here(context, PADIC_ERROR_MEMORY, "out of host memory");
    for (r = 0; r < tableau->qubits; r++)
        for (w = 0; w < width; w++)
            rows[(uint64_t)r * width + w] =
                tableau->rows[(uint64_t)r * width + w] & part[w % tableau->words];
    *entropy = padici_rank(rows, tableau->qubits, width) - members;
    padici_free(padici_allocator(context), rows, bytes);
    return PADIC_OK;
}

PADIC_API padic_result padic_tensor_happy_entropy(padic_context *context,
                                                  const padic_tensor_tableau *tableau,
                                                  const uint64_t *part, uint32_t *entropy)
{
    const char *before = padici_enter(context, "tensor_happy_entropy");
    const padic_result result = padici_tensor_happy_entropy_named(context, tableau, part, entropy);
    padici_leave(context, before);
    return result;
}

// A search in the graph of tiles for one more unit of flow. flow: of each slot, out of its tile.
typedef struct padici_flow {
    const padic_tensor_happy *happy;
    const uint64_t *part;
    uint32_t *queue, *from; // of a tile: the slot by which it was reached + 1
    int8_t *flow;
} padici_flow;

static int padici_flow_inside(const padici_flow *f, uint32_t link)
{
    const uint32_t leg = link - PADIC_TENSOR_HAPPY_LEG;
    return (int)(f->part[leg / 64] >> leg % 64 & 1);
}

// Reaches what residual capacity leads to; the last slot of a path to the sink, or UINT32_MAX.
static uint32_t padici_flow_search(const padici_flow *f)
{
    const uint32_t *links = f->happy->links;
    uint32_t i, head = 0, tail = 0;
    memset(f->from, 0, 4 * (size_t)f->happy->tiles);
    for (i = 0; i < 6 * f->happy->tiles; i++) {
        if (!(links[i] & PADIC_TENSOR_HAPPY_LEG) || !padici_flow_inside(f, links[i])) continue;
        if (f->flow[i] < 0 || f->from[i / 6]) continue; // in use: a unit comes in
        f->from[i / 6] = i + 1;
        f->queue[tail++] = i / 6;
    }
    while (head < tail) {
        const uint32_t tile = f->queue[head++];
        for (i = 6 * tile; i < 6 * tile + 6; i++) {
            if ((links[i] & PADIC_TENSOR_HAPPY_BULK) || f->flow[i] > 0) continue;
            if (links[i] & PADIC_TENSOR_HAPPY_LEG) {
                if (!padici_flow_inside(f, links[i])) return i;
            } else if (!f->from[links[i] / 6]) {
                f->from[links[i] / 6] = links[i] + 1;
                f->queue[tail++] = links[i] / 6;
            }
        }
    }
    return UINT32_MAX;
}

// One unit along the path that ends with `slot`.
static void padici_flow_push(const padici_flow *f, uint32_t slot)
{
    const uint32_t *links = f->happy->links;
    for (;;) {
        const uint32_t in = f->from[slot / 6] - 1;
        f->flow[slot]++;
        f->flow[in]--;
        if (links[in] & PADIC_TENSOR_HAPPY_LEG) return;
        slot = links[in];
    }
}

static padic_result padici_tensor_happy_cut_named(padic_context *context,
                                                  const padic_tensor_happy *happy,
                                                  const uint64_t *part, uint32_t *cut,
                                                  uint8_t *side, uint32_t *edges)
{
    const char *fault = part && cut ? padici_happy_fault(happy, part) : "part or cut is NULL";
    padici_flow f;
    uint32_t i, slot, n = 0;
    size_t bytes;
    if (fault) return padici_fail_here(context, PADIC_ERROR_ARGUMENT, fault);
    bytes = (size_t)14 * happy->tiles;
    f.happy = happy;
    f.part = part;
    f.queue = (uint32_t *)padici_alloc(padici_allocator(context), bytes, 64);
    if (!f.queue) return padici_fail_here(context, PADIC_ERROR_MEMORY, "out of host memory");
    f.from = f.queue + happy->tiles;
    f.flow = (int8_t *)(f.from + happy->tiles);
    memset(f.flow, 0, (size_t)6 * happy->tiles);
    *cut = 0;
    while ((slot = padici_flow_search(&f)) != UINT32_MAX) {
        padici_flow_push(&f, slot);
        ++*cut;
    }
    for (i = 0; side && i < happy->tiles; i++) side[i] = f.from[i] != 0;
    for (i = 0; edges && i < 6 * happy->tiles; i++) {
        const uint32_t link = happy->links[i], here = f.from[i / 6] != 0;
        if (link & PADIC_TENSOR_HAPPY_BULK) continue;
        if (link & PADIC_TENSOR_HAPPY_LEG) {
            if (here != (uint32_t)padici_flow_inside(&f, link)) edges[n++] = i;
        } else if (here && !f.from[link / 6]) {
            edges[n++] = i;
        }
    }
    padici_free(padici_allocator(context), f.queue, bytes);
    return PADIC_OK;
}

PADIC_API padic_result padic_tensor_happy_cut(padic_context *context,
                                              const padic_tensor_happy *happy, const uint64_t *part,
                                              uint32_t *cut, uint8_t *side, uint32_t *edges)
{
    const char *before = padici_enter(context, "tensor_happy_cut");
    const padic_result result = padici_tensor_happy_cut_named(context, happy, part, cut, side,
                                                              edges);
    padici_leave(context, before);
    return result;
}

static padic_result padici_tensor_happy_wedge_named(padic_context *context,
                                                    const padic_tensor_happy *happy,
                                                    const uint64_t *part, uint8_t *inside,
                                                    uint32_t *tiles)
{
    const char *fault = part && inside ? padici_happy_fault(happy, part) : "part or inside is NULL";
    uint32_t t, slot, more = 1, count = 0;
    if (fault) return padici_fail_here(context, PADIC_ERROR_ARGUMENT, fault);
    memset(inside, 0, happy->tiles);
    while (more) // from the rim inwards: a few rounds do
        for (t = happy->tiles, more = 0; t-- > 0;) {
            uint32_t legs = 0;
            for (slot = 6 * t; slot < 6 * t + 6; slot++) {
                const uint32_t link = happy->links[slot], leg = link - PADIC_TENSOR_HAPPY_LEG;
                if (link & PADIC_TENSOR_HAPPY_LEG)
                    legs += (uint32_t)(part[leg / 64] >> leg % 64 & 1);
                else if (!(link & PADIC_TENSOR_HAPPY_BULK))
                    legs += inside[link / 6];
            }
            if (inside[t] || legs < 3) continue; // half of 6, and of 5 rounded up
            inside[t] = 1;
            more = 1;
            count++;
        }
    if (tiles) *tiles = count;
    return PADIC_OK;
}

PADIC_API padic_result padic_tensor_happy_wedge(padic_context *context,
                                                const padic_tensor_happy *happy,
                                                const uint64_t *part, uint8_t *inside,
                                                uint32_t *tiles)
{
    const char *before = padici_enter(context, "tensor_happy_wedge");
    const padic_result result = padici_tensor_happy_wedge_named(context, happy, part, inside,
                                                                tiles);
    padici_leave(context, before);
    return result;
}

// room: src/tensor/mera.c
// ------------------------------------------------------------------------------------ >>mera impl
//
// tr(A(o) rho) is linear in o, and in each u and w that stands in it. One term of A is a chain: S_0
// = o, S_k+1 = S_k B_k, S_n = A(o). Backwards, R_n = rho, R_k = R_k+1 B_k: R_0 is D(rho), and S_k
// R_k+1 is the derivative by B_k.

typedef struct padici_mera_step {
    char what; // u, w; U, W: their conjugates; y, z: w with its conjugate, beside
    const char *b, *s; // labels of B, and of S after it
} padici_mera_step;

typedef struct padici_mera_chain {
    const char *o;
    const char *pair[2][2]; // labels of w and its conjugate in y and z
    padici_mera_step steps[9];
    uint32_t count, mirrored;
} padici_mera_chain;

#define PADICI_MERA_BINARY \
    "ijklmn", {{"epa", "erA"}, {"xgc", "zgC"}}, \
    {{'u', "lmpq", "ijkpqn"}, {'U', "ijrs", "rskpqn"}, {'y', "parA", "skqnaA"}, \
     {'w', "qtb", "sknaAtb"}, {'u', "nvtx", "skaAbvx"}, {'W', "syB", "kaAbvxyB"}, \
     {'U', "kvyz", "aAbxBz"}, {'z', "xczC", "ABCabc"}, {0, NULL, NULL}}, 8
#define PADICI_MERA_SIDE \
    "ijkl", {{"", ""}, {"qfgb", "vfgB"}}, \
    {{'u', "lspq", "ijkspq"}, {'U', "jsuv", "ikpquv"}, {'w', "xkpa", "iquvxa"}, \
     {'W', "xiuA", "qvaA"}, {'z', "qbvB", "ABab"}, {0, NULL, NULL}, {0, NULL, NULL}, \
     {0, NULL, NULL}, {0, NULL, NULL}}, 5
static const padici_mera_chain padici_mera_chains[5] = {
    {PADICI_MERA_BINARY, 0},
    {PADICI_MERA_BINARY, 1},
    {PADICI_MERA_SIDE, 0},
    {PADICI_MERA_SIDE, 1},
    {"ijkl",
     {{"efpa", "efuA"}, {"qfgb", "vfgB"}},
     {{'u', "klpq", "ijpq"}, {'U', "ijuv", "uvpq"}, {'y', "pauA", "vqaA"}, {'z', "qbvB", "ABab"},
      {0, NULL, NULL}, {0, NULL, NULL}, {0, NULL, NULL}, {0, NULL, NULL}, {0, NULL, NULL}},
     4,
     0}};

#define PADICI_MERA_BLOCKS 48

static const char *const padici_mera_names[5] = {"u", "w", "op", "rho", "out"};

typedef struct padici_mera {
    padic_context *context;
    const padic_tensor_mera_desc *desc;
    uint32_t sites;  // an operator acts on
    uint64_t f, c, below, above; // extents; of operators
    padic_tensor u, w;           // dense C128 copies
    padic_dtype dtype;
    void *blocks[PADICI_MERA_BLOCKS];
    size_t sizes[PADICI_MERA_BLOCKS];
    uint32_t used;
} padici_mera;

static void padici_mera_back_to(padici_mera *m, uint32_t used)
{
    while (m->used > used) {
        m->used--;
        padici_free(padici_allocator(m->context), m->blocks[m->used], m->sizes[m->used]);
    }
}

// A dense C128 tensor in memory of its own.
static padic_result padici_mera_take(padici_mera *m, uint32_t rank, const uint64_t *shape,
                                     padic_tensor *t)
{
    size_t bytes = 16;
    uint32_t i;
    *t = padic_tensor_nd(PADIC_C128, NULL, rank, shape);
    for (i = 0; i < rank; i++)
        if (!padici_mul_size(bytes, (size_t)shape[i], &bytes) || (uint64_t)bytes >> 40)
            return padici_fail_here(m->context, PADIC_ERROR_LIMIT,
                                    "u and w are too large for memory");
    if (m->used == PADICI_MERA_BLOCKS)
        return padici_fail_here(m->context, PADIC_ERROR_LIMIT, "too many tensors at once");
    t->data = padici_alloc(padici_allocator(m->context), bytes, 64);
    if (!t->data) return padici_fail_here(m->context, PADIC_ERROR_MEMORY, "out of host memory");
    memset(t->data, 0, bytes);
    m->blocks[m->used] = t->data;
    m->sizes[m->used++] = bytes;
    return PADIC_OK;
}

// to += weight from, axis i of `from` being axis order[i] of `to` (NULL: the same); any dtypes and
// strides. clear: to = instead.
static void padici_mera_add(const padic_tensor *to, const padic_tensor *from, const uint8_t *order,
                            double weight, int clear)
{
    const uint64_t count = padic_tensor_count(from);
    int64_t step[2][PADIC_MAX_RANK];
    uint64_t e;
    uint32_t i;
    padici_tensor_dense(to, step[0]);
    padici_tensor_dense(from, step[1]);
    for (e = 0; e < count; e++) {
        uint64_t rest = e;
        int64_t a = 0, b = 0;
        double x[2], y[2] = {0, 0};
        for (i = from->rank; i-- > 0; rest /= from->shape[i]) {
            const int64_t digit = (int64_t)(rest % from->shape[i]);
            a += digit * step[0][order ? order[i] : i];
            b += digit * step[1][i];
        }
        padici_tensor_read(from->dtype, (const char *)from->data, b, x, x + 1);
        if (!clear) padici_tensor_read(to->dtype, (const char *)to->data, a, y, y + 1);
        padici_tensor_write(to->dtype, (char *)to->data, a, y[0] + weight * x[0],
                            y[1] + weight * x[1]);
    }
}

static padic_tensor padici_mera_turned(const padic_tensor *t, const uint8_t *order)
{
    padic_tensor out = *t;
    int64_t stride[PADIC_MAX_RANK];
    uint32_t i;
    padici_tensor_dense(t, stride);
    for (i = 0; i < t->rank; i++) {
        out.shape[i] = t->shape[order[i]];
        out.stride[i] = stride[order[i]];
    }
    return out;
}

// The order of axes seen in a mirror: of u, of w, of an operator.
static const uint8_t *padici_mera_mirror(const padici_mera *m, char what)
{
    static const uint8_t u[4] = {1, 0, 3, 2}, w2[3] = {1, 0, 2}, w3[4] = {2, 1, 0, 3};
    static const uint8_t o3[6] = {2, 1, 0, 5, 4, 3};
    return what == 'u' ? u : what == 'w' ? (m->sites == 3 ? w2 : w3) : m->sites == 3 ? o3 : u;
}

// c (new) = a b by labels; conj: of b.
static padic_result padici_mera_contract(padici_mera *m, const padic_tensor *a, const char *la,
                                         const padic_tensor *b, const char *lb, int conj,
                                         padic_tensor *c, const char *lc)
{
    padic_tensor_contract_desc desc;
    uint64_t shape[PADIC_MAX_RANK];
    uint32_t i, j;
    padic_result result;
    memset(&desc, 0, sizeof desc);
    for (i = 0; lc[i]; i++) {
        shape[i] = 0;
        for (j = 0; la[j]; j++)
            if (la[j] == lc[i]) shape[i] = a->shape[j];
        for (j = 0; lb[j]; j++)
            if (lb[j] == lc[i]) shape[i] = b->shape[j];
    }
    result = padici_mera_take(m, i, shape, c);
    if (result) return result;
    desc.a = *a;
    desc.b = *b;
    desc.c = *c;
    memcpy(desc.labels_a, la, strlen(la));
    memcpy(desc.labels_b, lb, strlen(lb));
    memcpy(desc.labels_c, lc, strlen(lc));
    desc.conj = conj ? 2 : 0;
    return padic_tensor_contract(m->context, &desc);
}

// The tensors of one chain.
typedef struct padici_mera_run {
    const padici_mera_chain *chain;
    padic_tensor u, w, y, z; // as the chain sees them
    padic_tensor s[10];
} padici_mera_run;

static padic_result padici_mera_open(padici_mera *m, padici_mera_run *r,
                                     const padici_mera_chain *chain)
{
    const char *const *y = chain->pair[0], *const *z = chain->pair[1];
    padic_result result = PADIC_OK;
    r->chain = chain;
    r->u = chain->mirrored ? padici_mera_turned(&m->u, padici_mera_mirror(m, 'u')) : m->u;
    r->w = chain->mirrored ? padici_mera_turned(&m->w, padici_mera_mirror(m, 'w')) : m->w;
    if (y[0][0]) {
        const uint32_t last = m->sites == 3 ? 1 : 2;
        char labels[5] = {0, 0, 0, 0, 0};
        labels[0] = y[0][last];
        labels[1] = y[0][last + 1];
        labels[2] = y[1][last];
        labels[3] = y[1][last + 1];
        result = padici_mera_contract(m, &r->w, y[0], &r->w, y[1], 1, &r->y, labels);
    }
    if (!result) {
        const uint32_t last = m->sites == 3 ? 2 : 3;
        char labels[5] = {0, 0, 0, 0, 0};
        labels[0] = z[0][0];
        labels[1] = z[0][last];
        labels[2] = z[1][0];
        labels[3] = z[1][last];
        result = padici_mera_contract(m, &r->w, z[0], &r->w, z[1], 1, &r->z, labels);
    }
    return result;
}

static const padic_tensor *padici_mera_factor(const padici_mera_run *r, char what)
{
    return what == 'u' || what == 'U'   ? &r->u
           : what == 'w' || what == 'W' ? &r->w
           : what == 'y'                ? &r->y
                                        : &r->z;
}

// S_0 = op (as 2 sites axes) up to S_n.
static padic_result padici_mera_forward(padici_mera *m, padici_mera_run *r, const padic_tensor *op)
{
    const char *labels = r->chain->o;
    uint32_t k;
    r->s[0] = r->chain->mirrored ? padici_mera_turned(op, padici_mera_mirror(m, 'o')) : *op;
    for (k = 0; k < r->chain->count; k++) {
        const padici_mera_step *step = &r->chain->steps[k];
        const padic_result result = padici_mera_contract(
            m, &r->s[k], labels, padici_mera_factor(r, step->what), step->b,
            step->what == 'U' || step->what == 'W', &r->s[k + 1], step->s);
        if (result) return result;
        labels = step->s;
    }
    return PADIC_OK;
}

// The derivative by B_k, added to env_u or env_w as the layer sees them.
static padic_result padici_mera_derive(padici_mera *m, const padici_mera_run *r, uint32_t k,
                                       const padic_tensor *after, const char *labels,
                                       const padic_tensor *env_u, const padic_tensor *env_w,
                                       double weight)
{
    const padici_mera_step *step = &r->chain->steps[k];
    const char *before = k ? r->chain->steps[k - 1].s : r->chain->o;
    const uint8_t *order = NULL;
    padic_tensor e, ew;
    padic_result result;
    if (step->what == 'U' || step->what == 'W') return PADIC_OK;
    result = padici_mera_contract(m, &r->s[k], before, after, labels, 0, &e, step->b);
    if (result) return result;
    if (r->chain->mirrored) order = padici_mera_mirror(m, step->what == 'u' ? 'u' : 'w');
    if (step->what == 'y' || step->what == 'z') {
        const char *const *pair = r->chain->pair[step->what == 'z'];
        result = padici_mera_contract(m, &e, step->b, &r->w, pair[1], 1, &ew, pair[0]);
        if (result) return result;
        e = ew;
    }
    padici_mera_add(step->what == 'u' ? env_u : env_w, &e, order, weight, 0);
    return PADIC_OK;
}

// R_n = rho back to R_0, added to `descended`; or, when S is there, the environments.
static padic_result padici_mera_backward(padici_mera *m, padici_mera_run *r,
                                         const padic_tensor *rho, const padic_tensor *descended,
                                         const padic_tensor *env_u, const padic_tensor *env_w,
                                         double weight)
{
    static const uint8_t swap3[6] = {3, 4, 5, 0, 1, 2}, swap2[4] = {2, 3, 0, 1};
    static const uint8_t swap3m[6] = {5, 4, 3, 2, 1, 0}, swap2m[4] = {3, 2, 1, 0};
    const char *labels = m->sites == 3 ? "abcABC" : "abAB";
    padic_tensor after =
        r->chain->mirrored ? padici_mera_turned(rho, padici_mera_mirror(m, 'o')) : *rho;
    uint32_t k;
    for (k = r->chain->count; k-- > 0;) {
        const padici_mera_step *step = &r->chain->steps[k];
        const char *before = k ? r->chain->steps[k - 1].s : r->chain->o;
        padic_tensor next;
        padic_result result = PADIC_OK;
        if (env_u) result = padici_mera_derive(m, r, k, &after, labels, env_u, env_w, weight);
        if (!result)
            result = padici_mera_contract(m, &after, labels, padici_mera_factor(r, step->what),
                                          step->b, step->what == 'U' || step->what == 'W', &next,
                                          before);
        if (result) return result;
        after = next;
        labels = before;
    }
    if (descended)
        padici_mera_add(descended, &after,
                        r->chain->mirrored ? (m->sites == 3 ? swap3m : swap2m)
                                           : (m->sites == 3 ? swap3 : swap2),
                        weight, 0);
    return PADIC_OK;
}

// All terms of A: ascends op to `up` (NULL: not), descends rho to `down`, or derives.
static padic_result padici_mera_all(padici_mera *m, const padic_tensor *op, const padic_tensor *rho,
                                    const padic_tensor *up, const padic_tensor *down,
                                    const padic_tensor *env_u, const padic_tensor *env_w)
{
    const padici_mera_chain *chain = padici_mera_chains + (m->sites == 3 ? 0 : 2);
    const uint32_t terms = m->sites == 3 ? 2 : 3, used = m->used;
    const double weight = 1.0 / terms;
    uint32_t i;
    padic_result result = PADIC_OK;
    for (i = 0; i < terms && !result; i++) {
        padici_mera_run run;
        result = padici_mera_open(m, &run, chain + i);
        if (!result && op) result = padici_mera_forward(m, &run, op);
        if (!result && up)
            padici_mera_add(up, &run.s[run.chain->count],
                            run.chain->mirrored ? padici_mera_mirror(m, 'o') : NULL, weight, 0);
        if (!result && rho)
            result = padici_mera_backward(m, &run, rho, down, env_u, env_w, weight);
        padici_mera_back_to(m, used);
    }
    return result;
}

static padic_result padici_mera_infinite(padici_mera *m, const char *name)
{
    return padici_fail_field(m->context, PADIC_ERROR_NOT_FINITE, name, "has a NaN or an infinity");
}

// A (d, d) tensor as one of an axis a site, copied to dense C128 and divided by 2^power, so that no
// product of two is beyond F64. `given` NULL: zeros.
static padic_result padici_mera_operator(padici_mera *m, const padic_tensor *given,
                                         const char *name, uint64_t extent, padic_tensor *out,
                                         int *power)
{
    uint64_t shape[6], d;
    uint32_t i;
    padic_tensor flat;
    padic_result result;
    for (i = 0; i < 6; i++) shape[i] = extent;
    result = padici_mera_take(m, 2 * m->sites, shape, out);
    if (result || !given) return result;
    d = m->sites == 3 ? extent * extent * extent : extent * extent;
    flat = padic_tensor_2d(PADIC_C128, out->data, d, d);
    if (!padici_tensor_power(given, power)) return padici_mera_infinite(m, name);
    padici_mera_add(&flat, given, NULL, ldexp(1.0, -*power), 1);
    return PADIC_OK;
}

// Writes from 2^power (`from` is lost) where `to` holds all of it.
static padic_result padici_mera_write(padici_mera *m, const padic_tensor *to,
                                      const padic_tensor *from, int power)
{
    const double first = ldexp(1.0, power / 2), second = ldexp(1.0, power - power / 2);
    const uint64_t count = 2 * padic_tensor_count(from);
    padic_tensor flat = *from;
    double *x = (double *)from->data;
    uint64_t i;
    for (i = 0; i < count; i++) {
        x[i] = x[i] * first * second;
        if (!padici_tensor_holds(to->dtype, x[i]))
            return padici_fail_here(m->context, PADIC_ERROR_NOT_FINITE,
                                    "a number of out is beyond its dtype: scale op, rho, u or w");
    }
    flat.rank = to->rank;
    memcpy(flat.shape, to->shape, sizeof flat.shape);
    padici_mera_add(to, &flat, NULL, 1, 1);
    return PADIC_OK;
}

// max |x^dagger x - 1| of x as rows of its fine legs.
static double padici_mera_off(const padic_tensor *x, uint64_t columns)
{
    const uint64_t rows = padic_tensor_count(x) / columns;
    const double *z = (const double *)x->data;
    double worst = 0;
    uint64_t i, j, k;
    for (i = 0; i < columns; i++)
        for (j = 0; j <= i; j++) {
            double re = i == j ? -1 : 0, im = 0, off;
            for (k = 0; k < rows; k++) {
                const double *p = z + 2 * (k * columns + i), *q = z + 2 * (k * columns + j);
                re += p[0] * q[0];
                re += p[1] * q[1];
                im += p[0] * q[1];
                im -= p[1] * q[0];
            }
            off = padici_z_size(re, im);
            if (worst == worst && !(off <= worst)) worst = off; // a NaN stays
        }
    return worst;
}

#define PADICI_MERA_UW 1u // which fields a function uses: u and w, read
#define PADICI_MERA_UW_OUT 2u
#define PADICI_MERA_OP 4u
#define PADICI_MERA_RHO 8u
#define PADICI_MERA_OUT 16u
#define PADICI_MERA_RESULT 32u

// Finds the tensors (u, w, op, rho, out), their dtypes, and the extents of the layer.
static padic_result padici_mera_find(padici_mera *m, padic_context *context,
                                     const padic_tensor_mera_desc *desc, uint32_t uses,
                                     padic_tensor *t)
{
    padici_operand operands[5];
    uint32_t i, j, legs;
    padic_result result;
    memset(m, 0, sizeof *m);
    m->context = context;
    m->desc = desc;
    if (!desc) return padici_fail_here(context, PADIC_ERROR_ARGUMENT, "desc is NULL");
    if (desc->kind > PADIC_TENSOR_TERNARY)
        return padici_fail_here(context, PADIC_ERROR_ARGUMENT, "kind is no padic_tensor_mera_kind");
    if (desc->flags > PADIC_TENSOR_UNCHECKED)
        return padici_fail_here(context, PADIC_ERROR_ARGUMENT, "flags has an unknown bit");
    if ((uses & PADICI_MERA_RESULT) && !desc->result)
        return padici_fail_here(context, PADIC_ERROR_ARGUMENT, "result is NULL");
    if (!(desc->tolerance >= 0))
        return padici_fail_here(context, PADIC_ERROR_ARGUMENT, "tolerance is negative or a NaN");
    memset(t, 0, 5 * sizeof *t);
    if (uses & (PADICI_MERA_UW | PADICI_MERA_UW_OUT)) {
        t[0] = desc->u;
        t[1] = desc->w;
    }
    if (uses & PADICI_MERA_OP) t[2] = desc->op;
    if (uses & PADICI_MERA_RHO) t[3] = desc->rho;
    if (uses & PADICI_MERA_OUT) t[4] = desc->out;
    // What is written comes last there; u and w are checked as written ones, too, when they are.
    result = padici_tensor_host(context, t, padici_mera_names, operands, 5,
                                uses & PADICI_MERA_UW_OUT ? 0 : 4);
    if (result) return result;
    for (i = 0; i < 5; i++) {
        const uint32_t used = (i < 2 ? 3u : 1u << i) & uses;
        if (!used) continue;
        if (m->dtype == PADIC_DTYPE_NONE) m->dtype = t[i].dtype;
        if (t[i].dtype != PADIC_F32 && !padici_tensor_is_double(t[i].dtype) &&
            !padici_tensor_is_complex(t[i].dtype))
            return padici_fail_field(context, PADIC_ERROR_DTYPE, padici_mera_names[i],
                                     "is not F32, F64, C64 or C128");
        if (t[i].dtype != m->dtype)
            return padici_fail_here(context, PADIC_ERROR_MISMATCH,
                                    "u, w, op, rho and out are not of one dtype");
    }
    m->sites = desc->kind == PADIC_TENSOR_BINARY ? 3 : 2;
    if (!(uses & (PADICI_MERA_UW | PADICI_MERA_UW_OUT))) return PADIC_OK;
    legs = desc->kind == PADIC_TENSOR_BINARY ? 2 : 3;
    m->f = t[0].rank == 4 ? t[0].shape[0] : 0;
    for (i = 0, j = m->f > 0 && m->f <= 64 && t[1].rank == legs + 1; i < 4 && j; i++)
        j = t[0].shape[i] == m->f;
    for (i = 0; i < legs && j; i++) j = t[1].shape[i] == m->f;
    m->c = j ? t[1].shape[legs] : 0;
    if (!m->c || m->c > (legs == 2 ? m->f * m->f : m->f * m->f * m->f))
        return padici_fail_here(context, PADIC_ERROR_MISMATCH,
                                "u is (f, f, f, f), w (f, f, c), ternary (f, f, f, c)");
    m->below = m->sites == 3 ? m->f * m->f * m->f : m->f * m->f;
    m->above = m->sites == 3 ? m->c * m->c * m->c : m->c * m->c;
    return PADIC_OK;
}

static void padici_mera_end(padici_mera *m) { padici_mera_back_to(m, 0); }

// u or w, copied.
static padic_result padici_mera_copy(padici_mera *m, const padic_tensor *t, const char *name,
                                     padic_tensor *to)
{
    int power;
    padic_result result = padici_mera_take(m, t->rank, t->shape, to);
    if (result) return result;
    padici_mera_add(to, t, NULL, 1, 1);
    return padici_tensor_power(to, &power) ? PADIC_OK : padici_mera_infinite(m, name);
}

// Copies u and w, and checks them.
static padic_result padici_mera_begin(padici_mera *m, padic_context *context,
                                      const padic_tensor_mera_desc *desc, uint32_t uses,
                                      padic_tensor *t)
{
    padic_result result = padici_mera_find(m, context, desc, uses, t);
    double bound;
    if (result) return result;
    result = padici_mera_copy(m, &t[0], "u", &m->u);
    if (!result) result = padici_mera_copy(m, &t[1], "w", &m->w);
    if (!result) {
        bound = desc->flags & PADIC_TENSOR_UNCHECKED  ? 1e300
                : padici_tensor_is_double(m->dtype) ? 1e-10
                                                    : 1e-4;
        if (!(padici_mera_off(&m->u, m->f * m->f) <= bound) ||
            !(padici_mera_off(&m->w, m->c) <= bound))
            result = padici_fail_here(context, PADIC_ERROR_DOMAIN, "u or w is not isometric");
    }
    if (result) padici_mera_end(m);
    return result;
}

// Whether t is (d, d); else MISMATCH, and what was taken is given back.
static padic_result padici_mera_square(padici_mera *m, const padic_tensor *t, const char *name,
                                       uint64_t d)
{
    if (t->rank == 2 && t->shape[0] == d && t->shape[1] == d) return PADIC_OK;
    return padici_fail_field(m->context, PADIC_ERROR_MISMATCH, name,
                             "is not square, of f or c to the power of its sites");
}

static padic_result padici_mera_ascend(padic_context *context,
                                       const padic_tensor_mera_desc *desc)
{
    padici_mera m;
    padic_tensor t[5], op, up;
    int power = 0;
    padic_result result = padici_mera_begin(&m, context, desc,
                                            PADICI_MERA_UW | PADICI_MERA_OP | PADICI_MERA_OUT, t);
    if (result) return result;
    result = padici_mera_square(&m, &t[2], "op", m.below);
    if (!result) result = padici_mera_square(&m, &t[4], "out", m.above);
    if (!result) result = padici_mera_operator(&m, &t[2], "op", m.f, &op, &power);
    if (!result) result = padici_mera_operator(&m, NULL, "", m.c, &up, NULL);
    if (!result) result = padici_mera_all(&m, &op, NULL, &up, NULL, NULL, NULL);
    if (!result) result = padici_mera_write(&m, &t[4], &up, power);
    padici_mera_end(&m);
    return result;
}

static padic_result padici_mera_descend(padic_context *context,
                                        const padic_tensor_mera_desc *desc)
{
    padici_mera m;
    padic_tensor t[5], rho, down;
    int power = 0;
    padic_result result = padici_mera_begin(&m, context, desc,
                                            PADICI_MERA_UW | PADICI_MERA_RHO | PADICI_MERA_OUT, t);
    if (result) return result;
    result = padici_mera_square(&m, &t[3], "rho", m.above);
    if (!result) result = padici_mera_square(&m, &t[4], "out", m.below);
    if (!result) result = padici_mera_operator(&m, &t[3], "rho", m.c, &rho, &power);
    if (!result) result = padici_mera_operator(&m, NULL, "", m.f, &down, NULL);
    if (!result) result = padici_mera_all(&m, NULL, &rho, NULL, &down, NULL, NULL);
    if (!result) result = padici_mera_write(&m, &t[4], &down, power);
    padici_mera_end(&m);
    return result;
}

static padic_result padici_mera_expect(padic_context *context,
                                       const padic_tensor_mera_desc *desc)
{
    padici_mera m;
    padic_tensor t[5];
    int64_t p[PADIC_MAX_RANK], q[PADIC_MAX_RANK];
    uint64_t i, j, d;
    double re = 0, im = 0, x[2], y[2], scale[2];
    int power[2];
    padic_result result = padici_mera_find(
        &m, context, desc, PADICI_MERA_OP | PADICI_MERA_RHO | PADICI_MERA_RESULT, t);
    if (result) return result;
    d = t[2].rank == 2 ? t[2].shape[0] : 0;
    result = padici_mera_square(&m, &t[2], "op", d);
    if (!result) result = padici_mera_square(&m, &t[3], "rho", d);
    for (i = 0; i < 2 && !result; i++) {
        if (!padici_tensor_power(&t[2 + i], &power[i]))
            result = padici_mera_infinite(&m, padici_mera_names[2 + i]);
        else scale[i] = ldexp(1.0, power[i]);
    }
    if (result) return result;
    padici_tensor_dense(&t[2], p);
    padici_tensor_dense(&t[3], q);
    for (i = 0; i < d; i++)
        for (j = 0; j < d; j++) {
            const int64_t r = (int64_t)i, s = (int64_t)j;
            padici_tensor_read(m.dtype, (const char *)t[2].data, r * p[0] + s * p[1], x, x + 1);
            padici_tensor_read(m.dtype, (const char *)t[3].data, s * q[0] + r * q[1], y, y + 1);
            x[0] /= scale[0], x[1] /= scale[0];
            y[0] /= scale[1], y[1] /= scale[1];
            re += x[0] * y[0];
            re -= x[1] * y[1];
            im += x[0] * y[1];
            im += x[1] * y[0];
        }
    re = ldexp(re, power[0] + power[1]);
    im = ldexp(im, power[0] + power[1]);
    if (re - re != 0 || im - im != 0)
        return padici_fail_here(context, PADIC_ERROR_NOT_FINITE,
                                "the result is beyond F64: scale op or rho");
    desc->result[0] = re;
    desc->result[1] = im;
    return PADIC_OK;
}

static padic_result padici_mera_fixed_point(padic_context *context,
                                            const padic_tensor_mera_desc *desc)
{
    padici_mera m;
    padic_tensor t[5], x[2];
    uint64_t i, count;
    uint32_t step, steps;
    padici_steps hook;
    double change = 1, tolerance;
    padic_result result =
        padici_mera_begin(&m, context, desc, PADICI_MERA_UW | PADICI_MERA_OUT, t);
    if (result) return result;
    steps = desc->steps ? desc->steps : 1000;
    tolerance = desc->tolerance > 0 ? desc->tolerance : 1e-12;
    if (m.f != m.c)
        result = padici_fail_here(context, PADIC_ERROR_MISMATCH, "w has c other than f");
    if (!result) result = padici_mera_square(&m, &t[4], "out", m.above);
    if (!result) result = padici_mera_operator(&m, NULL, "", m.f, &x[0], NULL);
    if (!result) result = padici_mera_operator(&m, NULL, "", m.f, &x[1], NULL);
    count = 2 * m.above * m.above;
    for (i = 0; !result && i < m.above; i++)
        ((double *)x[0].data)[2 * i * (m.above + 1)] = 1 / (double)m.above;
    padici_steps_begin(&hook, NULL, padici_progress(context), 0); // as many as it takes
    for (step = 0; !result && step < steps && change > tolerance; step++) {
        double *a = (double *)x[0].data, *b = (double *)x[1].data;
        memset(b, 0, (size_t)count * 8);
        result = padici_mera_all(&m, NULL, &x[0], NULL, &x[1], NULL, NULL);
        for (i = 0, change = 0; i < count; i++) {
            if (!(fabs(b[i] - a[i]) <= change)) change = fabs(b[i] - a[i]); // or a NaN
            a[i] = b[i];
        }
        if (!result && padici_steps_more(&hook, 1))
            result = padici_fail_here(context, PADIC_ERROR_CANCELLED,
                                     "the progress hook stopped it");
    }
    if (!result) result = padici_mera_write(&m, &t[4], &x[0], 0);
    if (!result) {
        if (desc->result) *desc->result = change;
        if (!(change <= tolerance))
            result = padici_fail_here(context, PADIC_ERROR_DOMAIN, "no fixed point yet");
    }
    padici_mera_end(&m);
    return result;
}

static padic_result padici_mera_environment(padic_context *context,
                                            const padic_tensor_mera_desc *desc)
{
    padici_mera m;
    padic_tensor t[5], op, rho, env[2];
    int up = 0, down = 0;
    uint32_t i, w;
    padic_result result = padici_mera_begin(
        &m, context, desc, PADICI_MERA_UW | PADICI_MERA_OP | PADICI_MERA_RHO | PADICI_MERA_OUT, t);
    if (result) return result;
    w = desc->steps;
    if (w > 1)
        result = padici_fail_here(context, PADIC_ERROR_ARGUMENT, "steps is not 0 (u) or 1 (w)");
    for (i = 0; !result && i < t[4].rank && t[4].rank == t[w].rank; i++)
        if (t[4].shape[i] != t[w].shape[i]) break;
    if (!result && i < t[w].rank)
        result = padici_fail_here(context, PADIC_ERROR_MISMATCH, "out has not the shape of u or w");
    if (!result) result = padici_mera_square(&m, &t[2], "op", m.below);
    if (!result) result = padici_mera_square(&m, &t[3], "rho", m.above);
    if (!result) result = padici_mera_operator(&m, &t[2], "op", m.f, &op, &up);
    if (!result) result = padici_mera_operator(&m, &t[3], "rho", m.c, &rho, &down);
    if (!result) result = padici_mera_take(&m, m.u.rank, m.u.shape, &env[0]);
    if (!result) result = padici_mera_take(&m, m.w.rank, m.w.shape, &env[1]);
    if (!result) result = padici_mera_all(&m, &op, &rho, NULL, NULL, &env[0], &env[1]);
    if (!result) result = padici_mera_write(&m, &t[4], &env[w], up + down);
    padici_mera_end(&m);
    return result;
}

// x <- -conj(U V^dagger) of its environment, both as matrices of fine by coarse legs.
static padic_result padici_mera_best(padici_mera *m, const padic_tensor *x, const padic_tensor *env,
                                     uint64_t columns)
{
    const uint64_t rows = padic_tensor_count(x) / columns;
    uint64_t shape[1], i, j, k;
    const double *e = (const double *)env->data;
    double *z = (double *)x->data, *a, *v, *s, *work;
    const uint32_t used = m->used;
    padic_tensor space;
    int power;
    padic_result result;
    shape[0] = 2 * rows * columns + 2 * columns * columns + 4 * columns + 2;
    result = padici_mera_take(m, 1, shape, &space);
    if (result) return result;
    a = (double *)space.data;
    s = a + 2 * rows * columns;
    v = s + columns;
    work = v + 2 * columns * columns;
    for (i = 0; i < rows; i++)
        for (j = 0; j < columns; j++) memcpy(a + 2 * (j * rows + i), e + 2 * (i * columns + j), 16);
    if (!padici_tensor_power(env, &power))
        result = padici_fail_here(m->context, PADIC_ERROR_NOT_FINITE,
                                  "an environment is beyond F64: scale u or w");
    for (i = 0; !result && i < 2 * rows * columns; i++) a[i] = ldexp(a[i], -power);
    if (!result && !padici_z_svd(rows, columns, a, s, v, work, 0))
        result = padici_fail_here(m->context, PADIC_ERROR_DOMAIN, "no convergence of the SVD");
    for (i = 0; !result && i < rows; i++)
        for (j = 0; j < columns; j++) {
            double re = 0, im = 0; // of (U V^dagger)_ij
            for (k = 0; k < columns; k++) {
                const double *p = a + 2 * (k * rows + i), *q = v + 2 * (k * columns + j);
                re += p[0] * q[0];
                re += p[1] * q[1];
                im += p[1] * q[0];
                im -= p[0] * q[1];
            }
            z[2 * (i * columns + j)] = -re;
            z[2 * (i * columns + j) + 1] = im;
        }
    padici_mera_back_to(m, used);
    return result;
}

// op - its largest eigenvalue; that value.
static padic_result padici_mera_shift(padici_mera *m, const padic_tensor *op, double *shift)
{
    const uint64_t d = m->below;
    const uint32_t used = m->used;
    uint64_t shape[1], i;
    padic_tensor space;
    double *a, *x = (double *)op->data;
    padic_result result;
    shape[0] = d * d + 4 * d;
    result = padici_mera_take(m, 1, shape, &space);
    if (result) return result;
    a = (double *)space.data;
    for (i = 0; i < 2 * d * d; i++) a[i] = i & 1 ? -x[i] : x[i]; // rows as columns: conjugated
    if (!padici_z_eigh(d, a, a + 2 * d * d, NULL, a + 2 * d * d + d))
        result = padici_fail_here(m->context, PADIC_ERROR_DOMAIN, "no convergence");
    *shift = a[2 * d * d + d - 1];
    for (i = 0; !result && i < d; i++) x[2 * i * (d + 1)] -= *shift;
    padici_mera_back_to(m, used);
    return result;
}

static padic_result padici_mera_update(padic_context *context,
                                       const padic_tensor_mera_desc *desc)
{
    padici_mera m;
    padic_tensor t[5], op, rho, env[2];
    padici_steps hook;
    uint32_t i, steps;
    uint64_t k;
    int up = 0, down = 0;
    double shift = 0, energy = 0, trace = 0;
    padic_result result = padici_mera_begin(
        &m, context, desc, PADICI_MERA_UW_OUT | PADICI_MERA_OP | PADICI_MERA_RHO, t);
    if (result) return result;
    steps = desc->steps ? desc->steps : 1;
    result = padici_mera_square(&m, &t[2], "op", m.below);
    if (!result) result = padici_mera_square(&m, &t[3], "rho", m.above);
    if (!result) result = padici_mera_operator(&m, &t[2], "op", m.f, &op, &up);
    if (!result) result = padici_mera_operator(&m, &t[3], "rho", m.c, &rho, &down);
    if (!result) result = padici_mera_take(&m, m.u.rank, m.u.shape, &env[0]);
    if (!result) result = padici_mera_take(&m, m.w.rank, m.w.shape, &env[1]);
    if (!result) result = padici_mera_shift(&m, &op, &shift);
    padici_steps_begin(&hook, NULL, padici_progress(context), steps);
    for (i = 0; i < 2 * steps && !result; i++) {
        const padic_tensor *x = i & 1 ? &m.w : &m.u, *e = &env[i & 1];
        const uint64_t count = padic_tensor_count(&m.u);
        memset(env[0].data, 0, (size_t)count * 16);
        memset(env[1].data, 0, (size_t)padic_tensor_count(&m.w) * 16);
        result = padici_mera_all(&m, &op, &rho, NULL, NULL, &env[0], &env[1]);
        for (k = 0; !i && k < count; k++) { // each of the u in a term gives the whole of it
            const double *p = (double *)m.u.data + 2 * k, *q = (double *)env[0].data + 2 * k;
            energy += p[0] * q[0];
            energy -= p[1] * q[1];
        }
        if (!result) result = padici_mera_best(&m, x, e, i & 1 ? m.c : m.f * m.f);
        if (!result && padici_steps_more(&hook, i & 1))
            result = padici_fail_here(context, PADIC_ERROR_CANCELLED,
                                     "the progress hook stopped it; nothing is written");
    }
    for (k = 0; !result && k < m.above; k++) trace += ((double *)rho.data)[2 * k * (m.above + 1)];
    energy = ldexp(energy / (m.sites == 3 ? 2 : 1) + shift * trace, up + down);
    if (!result && desc->result && energy - energy != 0)
        result = padici_fail_here(context, PADIC_ERROR_NOT_FINITE,
                                  "the result is beyond F64: scale op or rho");
    if (!result) {
        padici_mera_add(&t[0], &m.u, NULL, 1, 1);
        padici_mera_add(&t[1], &m.w, NULL, 1, 1);
        if (desc->result) *desc->result = energy;
    }
    padici_mera_end(&m);
    return result;
}

// Columns of a Gaussian matrix, orthonormalised; to t, of `columns` coarse ones.
static padic_result padici_mera_haar(padici_mera *m, const padic_tensor *t, uint64_t columns,
                                     uint64_t stream)
{
    const uint64_t rows = padic_tensor_count(t) / columns;
    const uint32_t used = m->used;
    uint64_t shape[1], i, j;
    padic_tensor space, out;
    double *a, *q, *tau, *diag, phase[2];
    padic_result result;
    shape[0] = 2 * rows * columns + 2 * columns;
    result = padici_mera_take(m, 1, shape, &space);
    if (!result) result = padici_mera_take(m, t->rank, t->shape, &out);
    if (result) return result;
    a = (double *)space.data;
    q = a + 2 * rows * columns;
    tau = q + 2 * rows * columns;
    diag = tau + columns;
    for (i = 0; i < rows * columns; i++) {
        uint32_t word[4];
        double radius, angle;
        padic_random_block(m->desc->seed, stream, 0, (uint32_t)i, word);
        radius = sqrt(-2 * log(1 - padic_random_f64(word[0], word[1])));
        angle = 6.283185307179586477 * padic_random_f64(word[2], word[3]);
        a[2 * i] = radius * cos(angle);
        a[2 * i + 1] = padici_tensor_is_complex(m->dtype) ? radius * sin(angle) : 0;
        q[2 * i] = i % (rows + 1) == 0 && i / rows < columns ? 1 : 0;
        q[2 * i + 1] = 0;
    }
    padici_z_qr(rows, columns, a, tau, diag);
    padici_z_qr_apply(rows, columns, a, tau, columns, q);
    for (j = 0; j < columns; j++) {
        padici_z_phase(diag + 2 * j, phase);
        padici_z_scale(rows, q + 2 * j * rows, phase[0], phase[1]);
        for (i = 0; i < rows; i++)
            memcpy((double *)out.data + 2 * (i * columns + j), q + 2 * (j * rows + i), 16);
    }
    padici_mera_add(t, &out, NULL, 1, 1);
    padici_mera_back_to(m, used);
    return PADIC_OK;
}

static padic_result padici_mera_random(padic_context *context,
                                       const padic_tensor_mera_desc *desc)
{
    padici_mera m;
    padic_tensor t[5];
    padic_result result = padici_mera_find(&m, context, desc, PADICI_MERA_UW_OUT, t);
    if (!result) result = padici_mera_haar(&m, &t[0], m.f * m.f, 0);
    if (!result) result = padici_mera_haar(&m, &t[1], m.c, 1);
    padici_mera_end(&m);
    return result;
}

static padic_result padici_mera_check(padic_context *context,
                                      const padic_tensor_mera_desc *desc)
{
    padici_mera m;
    padic_tensor t[5];
    padic_result result =
        padici_mera_find(&m, context, desc, PADICI_MERA_UW | PADICI_MERA_RESULT, t);
    if (!result) result = padici_mera_copy(&m, &t[0], "u", &m.u);
    if (!result) result = padici_mera_copy(&m, &t[1], "w", &m.w);
    if (!result) {
        const double off = padici_mera_off(&m.u, m.f * m.f), other = padici_mera_off(&m.w, m.c);
        const double worst = other > off || other != other ? other : off; // a NaN stays
        if (worst - worst == 0)
            desc->result[0] = worst;
        else
            result = padici_fail_here(context, PADIC_ERROR_NOT_FINITE,
                                      "the result is beyond F64: scale u or w");
    }
    padici_mera_end(&m);
    return result;
}

// One factor of the ring: x, seen as (left, middle, right), to y, seen as (left, new, right); or of
// its last and first site.
static padic_result padici_mera_ring(padici_mera *m, padic_tensor *x, padic_tensor *y,
                                     const padic_tensor *b, uint64_t left, uint64_t right, int wrap)
{
    padic_tensor_contract_desc desc;
    const uint64_t rows = b->shape[0];
    void *data = x->data;
    padic_result result;
    memset(&desc, 0, sizeof desc);
    desc.b = *b;
    desc.a = padic_tensor_3d(PADIC_C128, x->data, left, wrap ? rows : b->shape[1], right);
    desc.c = padic_tensor_3d(PADIC_C128, y->data, left, rows, right);
    memcpy(desc.labels_a, "lcr", 3);
    memcpy(desc.labels_b, "xc", 2);
    memcpy(desc.labels_c, "lxr", 3);
    if (wrap) { // left and right are both f: u (right', left', right, left)
        desc.a.shape[1] = desc.c.shape[1] = padic_tensor_count(x) / (left * right);
        memcpy(desc.labels_b, "RLrl", 4);
        memcpy(desc.labels_c, "LcR", 3);
    }
    result = padic_tensor_contract(m->context, &desc);
    x->data = y->data;
    y->data = data;
    return result;
}

static padic_result padici_mera_state(padic_context *context,
                                      const padic_tensor_mera_desc *desc)
{
    padici_mera m;
    padic_tensor t[5], x, y, u, w;
    int power = 0;
    uint64_t n, legs, i, fine = 1, coarse = 1, left = 1, right;
    padic_result result = padici_mera_begin(&m, context, desc,
                                            PADICI_MERA_UW | PADICI_MERA_RHO | PADICI_MERA_OUT, t);
    if (result) return result;
    n = desc->steps;
    legs = m.sites == 3 ? 2 : 3;
    for (i = 0; i < n * legs && fine <= 1u << 20; i++) fine *= m.f;
    for (i = 0; i < n && coarse <= 1u << 20; i++) coarse *= m.c;
    if (n < 2 || fine > 1u << 20 || coarse > 1u << 20)
        result = padici_fail_here(context, PADIC_ERROR_LIMIT,
                                  "steps is below 2, or the ring has more than 2^20 numbers");
    else if (t[3].rank != 1 || t[3].shape[0] != coarse || t[4].rank != 1 || t[4].shape[0] != fine)
        result = padici_fail_here(context, PADIC_ERROR_MISMATCH,
                                  "rho is not (c^n), or out not (f^(2 n)), ternary (f^(3 n))");
    right = fine > coarse ? fine : coarse; // in between it is never longer
    if (!result) result = padici_mera_take(&m, 1, &right, &x);
    if (!result) result = padici_mera_take(&m, 1, &right, &y);
    if (!result && !padici_tensor_power(&t[3], &power)) result = padici_mera_infinite(&m, "rho");
    if (!result) padici_mera_add(&x, &t[3], NULL, ldexp(1.0, -power), 1);
    x.shape[0] = fine;
    u = padic_tensor_2d(PADIC_C128, m.u.data, m.f * m.f, m.f * m.f);
    w = padic_tensor_2d(PADIC_C128, m.w.data, padic_tensor_count(&m.w) / m.c, m.c);
    for (i = 0, right = coarse; i < n && !result; i++, left *= w.shape[0])
        result = padici_mera_ring(&m, &x, &y, &w, left, right /= m.c, 0);
    for (i = 1, left = w.shape[0] / m.f; i < n && !result; i++, left *= w.shape[0])
        result = padici_mera_ring(&m, &x, &y, &u, left, fine / left / m.f / m.f, 0);
    if (!result) result = padici_mera_ring(&m, &x, &y, &m.u, m.f, m.f, 1);
    if (!result) result = padici_mera_write(&m, &t[4], &x, power);
    padici_mera_end(&m);
    return result;
}

// h (n x n) to upper Hessenberg form, which keeps its eigenvalues.
static void padici_z_hessenberg(uint64_t n, double *h)
{
    uint64_t i, j, k;
    for (k = 0; k + 2 < n; k++) {
        double *x = h + 2 * (k * n + k + 1), beta[2];
        const uint64_t m = n - k - 1;
        const double tau = padici_z_reflector(m, x, beta);
        for (j = k + 1; j < n; j++) padici_z_reflect(m, x, tau, h + 2 * (j * n + k + 1));
        for (i = 0; i < n && tau != 0; i++) { // from the right, row by row
            double re = 0, im = 0, sum[2];
            for (j = 0; j < m; j++) {
                const double *z = h + 2 * ((k + 1 + j) * n + i);
                re += z[0] * x[2 * j];
                re -= z[1] * x[2 * j + 1];
                im += z[0] * x[2 * j + 1];
                im += z[1] * x[2 * j];
            }
            sum[0] = re;
            sum[1] = im;
            for (j = 0; j < m; j++) // sum conj(x_j)
                padici_z_add(1, h + 2 * ((k + 1 + j) * n + i), -tau * x[2 * j],
                             tau * x[2 * j + 1], sum);
        }
        memset(x, 0, (size_t)(16 * m));
        x[0] = beta[0];
        x[1] = beta[1];
    }
}

// The eigenvalue of the last 2 x 2 block up to `hi` that is closer to the last entry.
static void padici_z_shift(uint64_t n, const double *h, uint64_t hi, double out[2])
{
    const double *a = h + 2 * ((hi - 1) * n + hi - 1), *d = h + 2 * (hi * n + hi);
    const double *b = h + 2 * (hi * n + hi - 1), *c = a + 2;
    const double p = (a[0] - d[0]) / 2, q = (a[1] - d[1]) / 2;
    const double re = p * p - q * q + (b[0] * c[0] - b[1] * c[1]);
    const double im = 2 * p * q + (b[0] * c[1] + b[1] * c[0]), size = sqrt(re * re + im * im);
    double x = sqrt((size + fabs(re)) / 2), y = x > 0 ? im / (2 * x) : 0; // a root of re + i im
    if (re < 0) {
        const double t = x;
        x = fabs(y);
        y = im < 0 ? -t : t;
    }
    if (x * p + y * q > 0) { // the one that takes p + root towards 0
        x = -x;
        y = -y;
    }
    out[0] = d[0] + p + x;
    out[1] = d[1] + q + y;
}

// One QR step with a shift on rows and columns lo .. hi of the Hessenberg matrix h. g: 4 (hi - lo).
static void padici_z_qr_step(uint64_t n, double *h, uint64_t lo, uint64_t hi, const double shift[2],
                             double *g)
{
    uint64_t i, j, k;
    for (k = lo; k <= hi; k++) {
        h[2 * (k * n + k)] -= shift[0];
        h[2 * (k * n + k) + 1] -= shift[1];
    }
    for (k = lo; k < hi; k++) {
        double *r = g + 4 * (k - lo), *z = h + 2 * (k * n + k), size = 0;
        for (i = 0; i < 4; i++) size += z[i] * z[i];
        size = sqrt(size);
        for (i = 0; i < 4; i++) r[i] = size > 0 ? z[i] / size : i == 0; // c, s
        for (j = k; j <= hi; j++) {
            double *x = h + 2 * (j * n + k), a[4];
            memcpy(a, x, sizeof a);
            x[0] = r[0] * a[0] + r[1] * a[1] + r[2] * a[2] + r[3] * a[3];
            x[1] = r[0] * a[1] - r[1] * a[0] + r[2] * a[3] - r[3] * a[2];
            x[2] = r[0] * a[2] - r[1] * a[3] - r[2] * a[0] + r[3] * a[1];
            x[3] = r[0] * a[3] + r[1] * a[2] - r[2] * a[1] - r[3] * a[0];
        }
    }
    for (k = lo; k < hi; k++)
        for (i = lo; i <= (k + 2 < hi ? k + 2 : hi); i++) {
            const double *r = g + 4 * (k - lo);
            double *x = h + 2 * (k * n + i), *y = x + 2 * n;
            const double a = x[0], b = x[1], c = y[0], d = y[1];
            x[0] = a * r[0] - b * r[1] + c * r[2] - d * r[3];
            x[1] = a * r[1] + b * r[0] + c * r[3] + d * r[2];
            y[0] = c * r[0] + d * r[1] - a * r[2] - b * r[3];
            y[1] = d * r[0] - c * r[1] - b * r[2] + a * r[3];
        }
    for (k = lo; k <= hi; k++) {
        h[2 * (k * n + k)] += shift[0];
        h[2 * (k * n + k) + 1] += shift[1];
    }
}

// Absolute values of the eigenvalues of h (n x n, lost), descending. work: 4 n.
static int padici_z_moduli(uint64_t n, double *h, double *values, double *work)
{
    uint64_t hi = n - 1, lo, i;
    uint32_t step = 0;
    double shift[2];
    padici_z_hessenberg(n, h);
    while (hi > 0) {
        for (lo = hi; lo > 0; lo--) {
            double *z = h + 2 * ((lo - 1) * n + lo);
            const double about = fabs(h[2 * (lo * n + lo)]) + fabs(h[2 * (lo * n + lo) + 1]) +
                                 fabs(z[-2]) + fabs(z[-1]);
            if (fabs(z[0]) + fabs(z[1]) <= PADICI_EPS * about + 1e-290) break;
        }
        if (lo == hi) {
            hi--;
            step = 0;
            continue;
        }
        if (++step > 90) return 0;
        padici_z_shift(n, h, hi, shift);
        if (step % 15 == 0) shift[0] += fabs(h[2 * ((hi - 1) * n + hi)]); // out of a cycle
        padici_z_qr_step(n, h, lo, hi, shift, work);
    }
    for (i = 0; i < n; i++) {
        const double *z = h + 2 * (i * n + i);
        values[i] = sqrt(z[0] * z[0] + z[1] * z[1]);
    }
    padici_z_sort(n, values, 0, 0, NULL, 0, NULL);
    return 1;
}

// A block of operators of `d` numbers each, orthonormal, and what one step makes of it.
typedef struct padici_mera_block {
    uint64_t d, columns;
    double *x, *y, *h, *values, *work; // y = A(x), h = x^dagger y
} padici_mera_block;

static padic_result padici_mera_block_step(padici_mera *m, padici_mera_block *b)
{
    const uint64_t d = b->d, n = b->columns;
    uint64_t i, j, shape[6];
    padic_result result = PADIC_OK;
    for (i = 0; i < 6; i++) shape[i] = m->f;
    memset(b->y, 0, (size_t)(16 * d * n));
    for (j = 0; j < n && !result; j++) {
        const padic_tensor from =
            padic_tensor_nd(PADIC_C128, b->x + 2 * j * d, 2 * m->sites, shape);
        const padic_tensor to = padic_tensor_nd(PADIC_C128, b->y + 2 * j * d, 2 * m->sites, shape);
        result = padici_mera_all(m, &from, NULL, &to, NULL, NULL, NULL);
    }
    if (result) return result;
    for (i = 0; i < 2 * d * n; i++)
        if (b->y[i] - b->y[i] != 0)
            return padici_fail_here(m->context, PADIC_ERROR_NOT_FINITE,
                                    "an operator is beyond F64: scale u or w");
    for (j = 0; j < n; j++)
        for (i = 0; i < n; i++)
            padici_z_dot(d, b->x + 2 * i * d, b->y + 2 * j * d, b->h + 2 * (j * n + i));
    if (!padici_z_moduli(n, b->h, b->values, b->work))
        return padici_fail_here(m->context, PADIC_ERROR_DOMAIN, "no convergence");
    padici_z_qr(d, n, b->y, b->work, b->work + n); // x <- Q of y
    memset(b->x, 0, (size_t)(16 * d * n));
    for (j = 0; j < n; j++) b->x[2 * (j * d + j)] = 1;
    padici_z_qr_apply(d, n, b->y, b->work, n, b->x);
    return PADIC_OK;
}

static padic_result padici_mera_scaling(padic_context *context,
                                        const padic_tensor_mera_desc *desc)
{
    padici_mera m;
    padici_mera_block b;
    padic_tensor t[5], space;
    uint64_t i, shape[1], n;
    uint32_t step;
    double tolerance, change = 1, last[64];
    padici_steps hook;
    padic_result result =
        padici_mera_begin(&m, context, desc, PADICI_MERA_UW | PADICI_MERA_RESULT, t);
    if (result) return result;
    memset(&b, 0, sizeof b);
    n = desc->steps;
    tolerance = desc->tolerance > 0 ? desc->tolerance : 1e-12;
    b.d = m.below * m.below;
    b.columns = 2 * n + 8 < b.d ? 2 * n + 8 : b.d;
    if (m.f != m.c || !n || n > 64 || n > b.d)
        result = padici_fail_here(context, PADIC_ERROR_ARGUMENT,
                                  "w has c other than f, or steps is not 1 to 64");
    shape[0] = 2 * b.d * b.columns + b.columns * b.columns + 4 * b.columns;
    if (!result) result = padici_mera_take(&m, 1, shape, &space);
    if (!result) {
        b.x = (double *)space.data;
        b.y = b.x + 2 * b.d * b.columns;
        b.h = b.y + 2 * b.d * b.columns;
        b.values = b.h + 2 * b.columns * b.columns;
        b.work = b.values + b.columns;
    }
    for (i = 0; !result && i < b.d * b.columns; i++) {
        uint32_t word[4];
        padic_random_block(desc->seed, 2, 0, (uint32_t)i, word);
        b.y[2 * i] = padic_random_f64(word[0], word[1]) - 0.5;
        b.y[2 * i + 1] = padic_random_f64(word[2], word[3]) - 0.5;
    }
    if (!result) {
        padici_z_qr(b.d, b.columns, b.y, b.work, b.work + b.columns);
        for (i = 0; i < b.columns; i++) b.x[2 * (i * b.d + i)] = 1;
        padici_z_qr_apply(b.d, b.columns, b.y, b.work, b.columns, b.x);
    }
    padici_steps_begin(&hook, NULL, padici_progress(context), 0); // as many as it takes
    for (step = 0; !result && step < 500 && change > tolerance; step++) {
        result = padici_mera_block_step(&m, &b);
        if (!result && padici_steps_more(&hook, 1))
            result = padici_fail_here(context, PADIC_ERROR_CANCELLED,
                                      "the progress hook stopped it");
        for (i = 0, change = step ? 0 : 1; !result && i < n; i++) {
            if (step && fabs(b.values[i] - last[i]) > change) change = fabs(b.values[i] - last[i]);
            last[i] = b.values[i];
        }
    }
    for (i = 0; !result && i < n; i++) {
        desc->result[i] = last[i];
        desc->result[n + i] = -log(last[i]) / log(m.sites == 3 ? 2.0 : 3.0);
    }
    if (!result && !(change <= tolerance))
        result = padici_fail_here(context, PADIC_ERROR_DOMAIN, "no convergence in 500 steps");
    padici_mera_end(&m);
    return result;
}

#define PADICI_MERA_ENTRY(name)                                                             \
    PADIC_API padic_result padic_tensor_mera_##name(padic_context *context,                 \
                                                    const padic_tensor_mera_desc *desc)     \
    {                                                                                       \
        const char *before = padici_enter(context, "tensor_mera_" #name);                   \
        const padic_result result = padici_mera_##name(context, desc);                      \
        padici_leave(context, before);                                                      \
        return result;                                                                      \
    }
PADICI_MERA_ENTRY(ascend)
PADICI_MERA_ENTRY(descend)
PADICI_MERA_ENTRY(expect)
PADICI_MERA_ENTRY(fixed_point)
PADICI_MERA_ENTRY(environment)
PADICI_MERA_ENTRY(update)
PADICI_MERA_ENTRY(random)
PADICI_MERA_ENTRY(check)
PADICI_MERA_ENTRY(state)
PADICI_MERA_ENTRY(scaling)
#undef PADICI_MERA_ENTRY

// room: src/tensor/ops.c
// ---------------------------------------------------------------------------- >>tensor operations

// tensor_gemm, tensor_contract

static padic_result padici_tensor_gemm_check(padic_context *context, const void *desc)
{
    const padic_tensor_gemm_desc *gemm = (const padic_tensor_gemm_desc *)desc;
    padici_tensor_plan plan;
    if (gemm->groups || gemm->group_count) return padici_tensor_gemm_groups(context, gemm);
    return padici_tensor_gemm_plan(context, gemm, &plan);
}

static padic_result padici_tensor_contract_check(padic_context *context, const void *desc)
{
    padici_tensor_plan plan;
    return padici_tensor_contract_plan(context, (const padic_tensor_contract_desc *)desc, &plan);
}

// Elements from line to line of a matrix in host memory that has few, 0 when it is anything else.
static int64_t padici_tensor_line(const padic_tensor *t)
{
    if (!t->data || t->rank != 2 || t->shape[0] - 1 > 127 || t->shape[1] - 1 > 127) return 0;
    if (!t->stride[0] && !t->stride[1]) return (int64_t)t->shape[1];
    return t->stride[1] == 1 && t->stride[0] >= (int64_t)t->shape[1] && t->stride[0] < INT32_MAX
               ? t->stride[0]
               : 0;
}

static int padici_tensor_apart(const padic_tensor *x, int64_t line_x, const padic_tensor *y,
                               int64_t line_y)
{
    const uint64_t size = padic_dtype_size(x->dtype);
    const uint64_t from_x = (uint64_t)(uintptr_t)x->data, from_y = (uint64_t)(uintptr_t)y->data;
    return from_x + ((x->shape[0] - 1) * (uint64_t)line_x + x->shape[1]) * size <= from_y ||
           from_y + ((y->shape[0] - 1) * (uint64_t)line_y + y->shape[1]) * size <= from_x;
}

// Whether a product is a small one of host memory, and nothing but a b: then it is valid, too.
static int padici_tensor_gemm_small(const padic_tensor_gemm_desc *desc,
                                    padic_tensor_product *product)
{
    const padic_tensor *a = &desc->a, *b = &desc->b, *c = &desc->c;
    product->line_a = padici_tensor_line(a);
    product->line_b = padici_tensor_line(b);
    product->line_c = padici_tensor_line(c);
    if (!product->line_a || !product->line_b || !product->line_c || a->dtype != b->dtype ||
        a->dtype != c->dtype || desc->op_a || desc->op_b || desc->math || desc->groups ||
        desc->group_count || (desc->alpha[0] != 0 && desc->alpha[0] != 1) || desc->alpha[1] != 0 ||
        desc->beta[0] != 0 || desc->beta[1] != 0 || a->shape[0] != c->shape[0] ||
        a->shape[1] != b->shape[0] || b->shape[1] != c->shape[1] ||
        (a->dtype != PADIC_F32 && !padici_tensor_is_double(a->dtype) &&
         !padici_tensor_is_complex(a->dtype)) ||
        !padici_tensor_apart(a, product->line_a, c, product->line_c) ||
        !padici_tensor_apart(b, product->line_b, c, product->line_c))
        return 0;
    product->dtype = a->dtype;
    product->rows = (uint32_t)c->shape[0];
    product->columns = (uint32_t)c->shape[1];
    product->depth = (uint32_t)a->shape[1];
    product->a = a->data;
    product->b = b->data;
    product->c = c->data;
    return 1;
}

static uint32_t padici_tensor_operands(padic_tensor *a, padic_tensor *b, padic_tensor *c,
                                       const double *beta, padici_operand *operands)
{
    operands[0].name = "a";
    operands[0].tensor = a;
    operands[1].name = "b";
    operands[1].tensor = b;
    operands[2].name = "c";
    operands[2].tensor = c;
    operands[0].any_stride = operands[1].any_stride = 1;
    operands[2].out = beta[0] != 0 || beta[1] != 0 ? 2 : 1; // c is read, too
    return 3;
}

static uint32_t padici_tensor_gemm_operands(void *desc_, padici_operand *operands)
{
    padic_tensor_gemm_desc *desc = (padic_tensor_gemm_desc *)desc_;
    padici_tensor_operands(&desc->a, &desc->b, &desc->c, desc->beta, operands);
    if (desc->groups) operands[2].out = 2; // what lies between its matrices stays
    return 3;
}

static uint32_t padici_tensor_contract_operands(void *desc_, padici_operand *operands)
{
    padic_tensor_contract_desc *desc = (padic_tensor_contract_desc *)desc_;
    return padici_tensor_operands(&desc->a, &desc->b, &desc->c, desc->beta, operands);
}

static padic_result padici_tensor_gemm_host(const padic_jobs *jobs, const void *desc_)
{
    const padic_tensor_gemm_desc *desc = (const padic_tensor_gemm_desc *)desc_;
    const uint32_t count = desc->groups ? desc->group_count : 1;
    padici_tensor_plan plan;
    padic_result result = PADIC_OK;
    uint32_t i;
    for (i = 0; i < count && !result; i++) {
        padic_tensor_gemm_desc one = *desc;
        if (desc->groups) padici_tensor_gemm_group_at(desc, i, &one);
        if (desc->groups && (!one.c.shape[0] || !one.c.shape[1])) continue;
        result = padici_tensor_gemm_plan(NULL, &one, &plan);
        if (!result) padici_tensor_run(jobs, &plan, one.a.data, one.b.data, one.c.data);
    }
    return result;
}

static padic_result padici_tensor_contract_host(const padic_jobs *jobs, const void *desc_)
{
    const padic_tensor_contract_desc *desc = (const padic_tensor_contract_desc *)desc_;
    padici_tensor_plan plan;
    padic_result result = padici_tensor_contract_plan(NULL, desc, &plan);
    if (!result) padici_tensor_run(jobs, &plan, desc->a.data, desc->b.data, desc->c.data);
    return result;
}

// tensor_svd, tensor_qr, tensor_eigh. What is written is read, too: where a matrix has a NaN its
// results stay as they were.

static uint32_t padici_factor_operands(padic_tensor *const *tensors, const char *const *names,
                                       uint32_t count, padici_operand *operands)
{
    uint32_t i, n = 1;
    operands[0].name = names[0];
    operands[0].tensor = tensors[0];
    operands[0].any_stride = 1;
    for (i = 1; i < count; i++) {
        if (tensors[i]->dtype == PADIC_DTYPE_NONE) continue;
        operands[n].name = names[i];
        operands[n].tensor = tensors[i];
        operands[n++].out = 2;
    }
    return n;
}

// The last operand, which is only written.
static uint32_t padici_factor_operand_status(padic_tensor *status, padici_operand *operands,
                                             uint32_t n)
{
    if (status->dtype == PADIC_DTYPE_NONE) return n;
    operands[n].name = "status";
    operands[n].tensor = status;
    operands[n].out = 1;
    return n + 1;
}

static uint32_t padici_tensor_svd_operands(void *desc_, padici_operand *operands)
{
    static const char *const names[4] = {"a", "u", "vh", "s"};
    padic_tensor_svd_desc *desc = (padic_tensor_svd_desc *)desc_;
    padic_tensor *tensors[4];
    tensors[0] = &desc->a;
    tensors[1] = &desc->u;
    tensors[2] = &desc->vh;
    tensors[3] = &desc->s;
    return padici_factor_operand_status(&desc->status, operands,
                                        padici_factor_operands(tensors, names, 4, operands));
}

static uint32_t padici_tensor_qr_operands(void *desc_, padici_operand *operands)
{
    static const char *const names[3] = {"a", "q", "r"};
    padic_tensor_qr_desc *desc = (padic_tensor_qr_desc *)desc_;
    padic_tensor *tensors[3];
    tensors[0] = &desc->a;
    tensors[1] = &desc->q;
    tensors[2] = &desc->r;
    return padici_factor_operand_status(&desc->status, operands,
                                        padici_factor_operands(tensors, names, 3, operands));
}

static uint32_t padici_tensor_eigh_operands(void *desc_, padici_operand *operands)
{
    static const char *const names[3] = {"a", "v", "w"};
    padic_tensor_eigh_desc *desc = (padic_tensor_eigh_desc *)desc_;
    padic_tensor *tensors[3];
    tensors[0] = &desc->a;
    tensors[1] = &desc->v;
    tensors[2] = &desc->w;
    return padici_factor_operand_status(&desc->status, operands,
                                        padici_factor_operands(tensors, names, 3, operands));
}

static padic_result padici_tensor_svd_check(padic_context *context, const void *desc)
{
    padici_factor f;
    return padici_factor_of_svd(context, (const padic_tensor_svd_desc *)desc, &f);
}

static padic_result padici_tensor_qr_check(padic_context *context, const void *desc)
{
    padici_factor f;
    return padici_factor_of_qr(context, (const padic_tensor_qr_desc *)desc, &f);
}

static padic_result padici_tensor_eigh_check(padic_context *context, const void *desc)
{
    padici_factor f;
    return padici_factor_of_eigh(context, (const padic_tensor_eigh_desc *)desc, &f);
}

static padic_result padici_tensor_svd_host(const padic_env *env, const void *desc_)
{
    const padic_tensor_svd_desc *desc = (const padic_tensor_svd_desc *)desc_;
    padici_factor f;
    padic_result result = padici_factor_of_svd(NULL, desc, &f);
    return result ? result : padici_factor_run(env, &f, desc->info);
}

static padic_result padici_tensor_qr_host(const padic_env *env, const void *desc_)
{
    const padic_tensor_qr_desc *desc = (const padic_tensor_qr_desc *)desc_;
    padici_factor f;
    padic_result result = padici_factor_of_qr(NULL, desc, &f);
    return result ? result : padici_factor_run(env, &f, desc->info);
}

static padic_result padici_tensor_eigh_host(const padic_env *env, const void *desc_)
{
    const padic_tensor_eigh_desc *desc = (const padic_tensor_eigh_desc *)desc_;
    padici_factor f;
    padic_result result = padici_factor_of_eigh(NULL, desc, &f);
    return result ? result : padici_factor_run(env, &f, desc->info);
}

// tensor_entropy. Its results are the caller's doubles: of the first `rank` p; NULL, or what is
// wrong.
static const char *padici_entropy_give(const padic_tensor_entropy_desc *desc, const double *p,
                                       uint64_t rank)
{
    if (desc->rank) *desc->rank = rank;
    if (desc->spectrum && desc->spectrum_capacity < rank)
        return "spectrum_capacity is too small: see *rank";
    padici_entropy_write(desc, p, rank);
    return NULL;
}

static uint32_t padici_tensor_entropy_operands(void *desc_, padici_operand *operands)
{
    padic_tensor_entropy_desc *desc = (padic_tensor_entropy_desc *)desc_;
    const int rho = desc->rho.dtype != PADIC_DTYPE_NONE;
    if (rho == (desc->state.dtype != PADIC_DTYPE_NONE)) return 0; // for the check to say
    operands[0].name = rho ? "rho" : "state";
    operands[0].tensor = rho ? &desc->rho : &desc->state;
    operands[0].any_stride = 1;
    return 1;
}

static padic_result padici_tensor_entropy_check(padic_context *context, const void *desc)
{
    padici_cut cut;
    const padic_result result = padici_entropy_of((const padic_tensor_entropy_desc *)desc, &cut);
    return result ? padici_fail_here(context, result, cut.fault) : PADIC_OK;
}

static padic_result padici_tensor_entropy_host(const padic_env *env, const void *desc_)
{
    const padic_tensor_entropy_desc *desc = (const padic_tensor_entropy_desc *)desc_;
    const int rho = desc->rho.dtype != PADIC_DTYPE_NONE;
    padici_cut cut;
    double drop;
    uint64_t rank = 0;
    padic_result result = padici_entropy_of(desc, &cut);
    if (result) return padici_env_fail(env, result, cut.fault);
    cut.allocator = env ? env->allocator : NULL;
    drop = padici_entropy_drop(desc, cut.tensor.dtype);
    result = rho ? padici_cut_run_rho(&cut, drop, &rank)
                 : padici_cut_run(&cut, desc->part, drop, &rank);
    if (result) return padici_env_fail(env, result, cut.fault);
    cut.fault = padici_entropy_give(desc, cut.p, rank);
    padici_cut_end(&cut);
    return cut.fault ? padici_env_fail(env, PADIC_ERROR_CAPACITY, cut.fault) : PADIC_OK;
}
// room: src/padic_tensor.in.h:36
#endif // PADICI_AREAS_IMPLEMENTATION

#endif // PADIC_HEADER
