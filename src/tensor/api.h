#pragma once
// ----------------------------------------------------------------------------------- >>tensor API
//
// Matrix products and contractions of tensors of any strides. All operands are F32, F64, C64 or
// C128 and of one precision; `c` is complex when `a` or `b` is. The inputs a and b may have any
// strides: negative ones, or 0, which repeats an axis (not all of them 0, since that means dense:
// give an axis of size 1 a stride of 1). `c` has positive strides and shares no memory with a or b.
//
//     #define PADIC_IMPLEMENTATION
//     #include "padic.h"
//     #include <stdio.h>
//
//     int main(void) // c = a b
//     {
//         double a[2][3] = {{1, 2, 3}, {4, 5, 6}}, b[3][2] = {{1, 0}, {0, 1}, {1, 1}}, c[2][2];
//         padic_tensor_gemm_desc desc = PADIC_ZERO;
//         padic_result result;
//         desc.a = padic_tensor_2d(PADIC_F64, a, 2, 3);
//         desc.b = padic_tensor_2d(PADIC_F64, b, 3, 2);
//         desc.c = padic_tensor_2d(PADIC_F64, c, 2, 2);
//         result = padic_tensor_gemm(NULL, &desc);
//         printf("%g %g, %g %g\n", c[0][0], c[0][1], c[1][0], c[1][1]); // 4 5, 10 11
//         return result != PADIC_OK;
//     }
//
// A result beyond the dtype is infinite, and a NaN stays a NaN, as IEEE 754 has it; operations that
// cannot compute with them return NOT_FINITE.
//
// The plain CPU adds in F64, in the order of k, multiplies by alpha, adds beta C and rounds once.
// Vectors and devices do all of that in the precision of the operands, in fixed blocks of k: what
// is beyond it on the way is infinite, below it 0. They leave alpha and beta that are neither 0 nor
// normal there to the plain CPU. D1; D2 within the bounds below. With u = 2^-24 (2^-53 for F64 and
// C128), k the number of products in a sum and |A| |B| the product of the absolute values; without
// what is beyond that precision's range on the way (of F64 and C128 on the plain CPU, too): it is
// infinite, below the range 0.

typedef enum padic_tensor_math {
    PADIC_TENSOR_MATH_EXACT = 0, // 4 real products: |error of c| <= 4 (k + 2) u |A| |B|
    PADIC_TENSOR_MATH_GAUSS = 1, // 3 real products: Frobenius norm <= 8 (k + 2) u ||A|| ||B||
    // Tensor cores, each number in two pieces of 11 bits, three products, small ones first.
    // Relative in the Frobenius norm <= 1e-6 for N(0,1) data, k <= 1024.
    PADIC_TENSOR_MATH_SPLIT = 2,
    PADIC_TENSOR_MATH_TF32 = 3 // tensor cores, one piece: relative 2e-3. Only ever by this name.
} padic_tensor_math;
// GAUSS, SPLIT and TF32 name the accuracy that is good enough: where there is no faster way (real
// numbers, F64, no tensor cores, narrow matrices, the reference) they compute as EXACT does. Tensor
// cores need memory for the pieces of a and b: up to 256 MiB from the pool, or the size of the
// matrices of one batch if that is more; on Hopper chips (sm_90) only where rows, columns or the
// sum are several axes.

typedef enum padic_tensor_op {
    PADIC_TENSOR_OP_N = 0,   // as it is
    PADIC_TENSOR_OP_T = 1,   // transposed
    PADIC_TENSOR_OP_C = 2,   // transposed and conjugated
    PADIC_TENSOR_OP_CONJ = 3 // conjugated
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
    padic_tensor_op op_a, op_b;
    padic_tensor_math math;
    double alpha[2];     // real, imaginary; both 0: 1
    double beta[2];      // 0: c is only written, whatever it held
    const padic_tensor_gemm_group *groups; // optional
    uint32_t group_count;
} padic_tensor_gemm_desc;
PADIC_API padic_result padic_tensor_gemm(padic_context *context,
                                         const padic_tensor_gemm_desc *desc);

// The short way: out = a b of two matrices, of batches of them, or of a matrix (m, k) and a vector
// (k), whose product is (m). As padic_tensor_gemm(), or padic_tensor_contract() for a vector.
PADIC_API padic_result padic_tensor_multiply(padic_context *context, padic_tensor a,
                                             padic_tensor b, padic_tensor out);

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
    uint8_t labels_a[PADIC_MAX_RANK]; // one per axis, 1 to 255; 0 after the last
    uint8_t labels_b[PADIC_MAX_RANK];
    uint8_t labels_c[PADIC_MAX_RANK];
    uint32_t conj; // 1: conjugate a, 2: b, 3: both
    padic_tensor_math math;
    double alpha[2], beta[2];
} padic_tensor_contract_desc;
PADIC_API padic_result padic_tensor_contract(padic_context *context,
                                             const padic_tensor_contract_desc *desc);

// Sets the labels of a contraction from "abc,cbd->ad": letters, spaces ignored. Without "->" c has
// the labels that occur once, in the order of the alphabet, capitals first. Errors: ARGUMENT; LIMIT
// above 8 labels for one tensor. On an error `out` is as it was.
typedef struct padic_tensor_labels_report {
    uint32_t position; // the character where reading stopped
} padic_tensor_labels_report;

typedef struct padic_tensor_labels_desc {
    const char *expression;
    padic_tensor_contract_desc *out; // only its labels are written
    padic_tensor_labels_report *report; // optional
} padic_tensor_labels_desc;
PADIC_API padic_result padic_tensor_labels(padic_context *context,
                                           const padic_tensor_labels_desc *desc);

// The short way: labels and contraction in one call, padic_tensor_contract_as(context,
// "abc,cbd->ad", a, b, out).
PADIC_API padic_result padic_tensor_contract_as(padic_context *context, const char *expression,
                                                padic_tensor a, padic_tensor b, padic_tensor out);

// Factorisations of a matrix A (m x n), or of each matrix of a batch (one more axis in front), F32,
// F64, C64 or C128; r is the smaller of m and n. Inputs may have any strides. The reference
// works in F64 and rounds once, vectors in the precision of the operands, a matrix by one worker:
// D1. A result that is absent (dtype NONE) is not made. Working memory on the CPU comes from the
// context's allocator (malloc without one): about 64 r max(m, n) bytes per worker, of C128 with
// vectors 112. A device works in the precision of the operands, a
// matrix a group of items, where r <= 64 and the matrix fits into 11 KiB of its local memory (32
// KiB where it has 48 KiB: 64 x 64 numbers of C64); the next backend does others.
//
// Each matrix of the batch has a result of its own: PADIC_OK; NOT_FINITE when A has a NaN or an
// infinity, or S, R or W would (scale A then), and nothing is written for it; DOMAIN when 30 sweeps
// were not enough, and the values so far are written. The others are done all the same. With
// `status`, a tensor (I32, one number for each matrix), the results go there and the call returns
// OK whatever they are, does not wait for a device, and can be recorded. Without it the call
// returns the first that is not OK, and the context's message names the matrix: it waits for the
// device and cannot be recorded. Other errors, before anything is written: DTYPE, MISMATCH,
// ARGUMENT, OVERLAP, MEMORY, LIMIT. In host memory a progress hook counts matrices; after
// CANCELLED some of them are done, and the results of the others are undefined.

// A = U diag(S) Vh: U (m x r) has orthonormal columns, Vh (r x n) orthonormal rows, S (r) descends.
// One side longer than 1.2 r: of R of a QR. The largest entry of each column of U is real and
// positive (of several, the first within 2^-20). ||A - U S Vh|| <= 10 max(m, n) eps ||A||, and so
// for |U^dagger U - 1|, |Vh Vh^dagger - 1| and, times S_0, for S.
//
// Truncated: with `rank` k the k largest values alone are made: U (m x k), S (k), Vh (k x n). Of
// these, values S_i <= cutoff S_0 are dropped: S_i, column i of U and row i of Vh are 0. `ranks`
// says how many are kept, `discarded` the weight of all others, sum S_i^2 over those not kept,
// divided by the sum over all (0 for A = 0): the squared relative error of U S Vh as A, the least
// of any matrix of that rank (Eckart and Young 1936). Devices leave truncation to the next backend.
typedef enum padic_tensor_svd_method {
    // The fastest: with vectors Householder reflections to bidiagonal form and implicit QR steps
    // (Golub and Kahan 1965); JACOBI elsewhere.
    PADIC_TENSOR_SVD_METHOD_AUTO = 0,
    // One-sided Jacobi rotations: of A = B D, D diagonal, all values have an error relative to
    // themselves, about max(m, n) eps times the condition of B alone (Demmel and Veselic 1992).
    // Columns of U for which S <= max(m, n) eps S_0 are completed to an orthonormal set.
    PADIC_TENSOR_SVD_METHOD_JACOBI = 1
} padic_tensor_svd_method;

typedef struct padic_tensor_svd_desc {
    padic_tensor a;
    padic_tensor u, vh; // dtype of a; optional
    padic_tensor s;     // F32 for F32 and C64, else F64; optional
    padic_tensor status; // I32, (B), or (1) of one matrix; optional
    padic_tensor_svd_method method;
    uint64_t rank;          // up to r; 0: r
    double cutoff;          // of S_0, 0 to 1; 0: nothing is dropped
    padic_tensor ranks;     // I32, as status; optional
    padic_tensor discarded; // F64, as status; optional
} padic_tensor_svd_desc;
PADIC_API padic_result padic_tensor_svd(padic_context *context, const padic_tensor_svd_desc *desc);

// A = Q R by Householder reflections: Q (m x r) has orthonormal columns, R (r x n) is upper
// triangular, its diagonal real and >= 0, so that the Q of a Gaussian matrix is Haar distributed.
typedef struct padic_tensor_qr_desc {
    padic_tensor a;
    padic_tensor q, r; // dtype of a; optional
    padic_tensor status; // as above
} padic_tensor_qr_desc;
PADIC_API padic_result padic_tensor_qr(padic_context *context, const padic_tensor_qr_desc *desc);

// A = V diag(W) V^dagger, A Hermitian (n x n): its lower triangle is read, the imaginary part of
// the diagonal ignored. W (n) ascends; the largest entry of each column of V is real and positive,
// as above. Jacobi rotations up to n = 64 by the reference, else tridiagonal form and implicit QL
// steps; with vectors always tridiagonal form, and QR steps.
typedef struct padic_tensor_eigh_desc {
    padic_tensor a;
    padic_tensor v; // n x n, dtype of a; optional
    padic_tensor w; // as s above; optional
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
// dims, orders, renyi and spectrum are dense and lie in host memory (NOT_SUPPORTED otherwise), so
// each call waits and none can be recorded. Errors: ARGUMENT (both or no tensor, a mask beyond the
// axes, an order < 0 or NaN, an array that is not dense); DTYPE; MISMATCH (rho not square, dims,
// renyi and orders); CAPACITY (the report's rank is what the spectrum needs); DOMAIN: a zero state,
// an eigenvalue of rho below -1e-6 of the trace; NOT_FINITE; LIMIT; MEMORY. On an error nothing
// else is written.
typedef enum padic_tensor_unit {
    PADIC_TENSOR_UNIT_NATS = 0,
    PADIC_TENSOR_UNIT_BITS = 1 // of entropies and spectrum
} padic_tensor_unit;

typedef struct padic_tensor_entropy_report {
    double von_neumann, gap;
    double negativity; // of a state; of rho 0
    uint64_t rank;     // how many p are not dropped
} padic_tensor_entropy_report;

typedef struct padic_tensor_entropy_desc {
    padic_tensor state; // F32, F64, C64, C128
    padic_tensor rho;   // or a density matrix (d, d): its lower triangle is read
    uint64_t part;      // bit i: axis i of the state belongs to A; not for rho
    padic_tensor dims;  // optional: U64, up to 64 axes that split a dense state, in C order
    padic_tensor_unit unit;
    uint32_t legacy;       // 1: BITS, p <= 1e-12 dropped, `part` are leading axes
    padic_tensor orders;   // optional: F64, of Renyi entropies
    padic_tensor renyi;    // F64, one for each of orders
    padic_tensor spectrum; // optional: F64, of rank elements or more; those beyond are left alone
    padic_tensor_entropy_report *report; // optional
} padic_tensor_entropy_desc;
PADIC_API padic_result padic_tensor_entropy(padic_context *context,
                                            const padic_tensor_entropy_desc *desc);

// I(A:B) = S_A + S_B - S_AB of a pure state; the masks are disjoint. As above.
typedef struct padic_tensor_mutual_information_report {
    double information;
    double entropy_a, entropy_b, entropy_ab;
} padic_tensor_mutual_information_report;

typedef struct padic_tensor_mutual_information_desc {
    padic_tensor state;
    uint64_t part_a, part_b;
    padic_tensor dims; // as above
    padic_tensor_unit unit;
    padic_tensor_mutual_information_report *report;
} padic_tensor_mutual_information_desc;
PADIC_API padic_result padic_tensor_mutual_information(
    padic_context *context, const padic_tensor_mutual_information_desc *desc);

