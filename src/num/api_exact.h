#pragma once
// ------------------------------------------------------------------------------- >>exact API

// Changes the precision of numbers from N to N': the rings of out and in have the same prime, any
// precision and any form; the arrays have the same model. N' < N: u mod p^N', which keeps the low
// digits. N' > N: the old digits; RING and FLOAT fill with 0 (PRECLOSS), BALL keeps n. Never in
// place (OVERLAP). RX: the workspace of `out`, or else of `in`, must have padic_num_workspace()
// bytes of the larger ring; one of two placed arrays has.
PADIC_API padic_result padic_num_set_precision(padic_context *context, const padic_num_array *out,
                                               const padic_num_array *in);
// Takes numbers to the same rational numbers in Q_q, q the prime of out's ring: each element is
// reconstructed as by padic_num_to_rational() with its defaults, and encoded with all digits of
// out. The models may differ. No fraction: NaN (RING: 0) with RATREC; RING with q in the
// denominator: NONUNIT. Each array keeps its own ring. Never in place; workspace as above.
PADIC_API padic_result padic_num_change_prime(padic_context *context, const padic_num_array *out,
                                              const padic_num_array *in);

// Rational reconstruction: x = p^v u to n / d in lowest terms, d > 0. Euclid's algorithm on
// (p^N, u), from the row u / 1 on, to the first remainder r <= Nmax, where t u = r mod p^N: r / t
// is accepted if |t| <= Dmax and p does not divide t, and multiplied by p^v in integers. It is the
// only such fraction, since 2 Nmax Dmax < p^(N - g) is required.
// The g guard digits decide whether a result proves anything: the residue of a number too large
// for N digits is taken for a small fraction with probability (6/pi^2) p/(p + 1) p^-g, which is
// 61 % at p = 257 without a guard digit, 0.24 % with one, 0.001 % with two.
// Sources: Wang 1981; Wang, Guy, Davenport 1982. QUOTIENT: Monagan 2004.
typedef enum padic_num_rational_mode {
    PADIC_NUM_RATIONAL_BOUNDED = 0, // each element for itself, as above
    PADIC_NUM_RATIONAL_COMMON = 1,  // vectors over their least common denominator: Dmax bounds that
                                    // of the units u, Nmax every numerator over it
    PADIC_NUM_RATIONAL_FIXED = 2,   // over the denominator `fixed`: the integers x fixed
    PADIC_NUM_RATIONAL_QUOTIENT = 3 // the row before the largest quotient, if that is greater than
                                    // `quotient`; no bounds, no guard digits and no proof
} padic_num_rational_mode;

#define PADIC_NUM_RATIONAL_NO_GUARD UINT32_MAX

// Nmax and Dmax, low word first: if one of them is 0, it is the largest that the other allows; if
// both are 0, both are floor(sqrt((p^(N - g) - 1) / 2)). FIXED: Dmax is 1. BALL: n takes the place
// of N.
typedef struct padic_num_to_rational_desc {
    padic_num_array in;
    padic_tensor numerator, denominator; // integer tensors (see >>convert API); FIXED: denominator
                                         // is optional
    padic_num_rational_mode mode;
    uint32_t guard; // g; 0: one digit; PADIC_NUM_RATIONAL_NO_GUARD: none
    uint64_t numerator_limit[2], denominator_limit[2]; // Nmax, Dmax
    uint64_t vector;   // COMMON: elements of each vector; 0: all are one
    uint64_t fixed[2]; // FIXED: d > 0, low word first
    uint64_t quotient; // QUOTIENT; 0: 1,024 times the bits of p^N
    padic_tensor status; // U8, optional
    uint32_t *sticky;    // optional
} padic_num_to_rational_desc;
// 0 is 0/1, but RATREC in a RING so small that its bounds are 0. No fraction: 0/0 with RATREC
// (COMMON: in all of the vector), also for O(p^v). Too wide for the tensors: 0/0 with RANGE. NaN:
// 0/0 with its bits. RX: the workspace of `in`.
// Errors besides the common ones: ARGUMENT for 2 Nmax Dmax >= p^(N - g) or fixed = 0; MISMATCH
// where `vector` does not divide in.count.
PADIC_API padic_result padic_num_to_rational(padic_context *context,
                                             const padic_num_to_rational_desc *desc);

// Small exact linear algebra over the rationals: a batch of n x n matrices of integers, 1 <= n <=
// 64, I32 or I64, dense and row-major: shape (n, n) or (batch, n, n). Results are integer tensors;
// those of dtype U64 have an axis more, the first: planes of words in two's complement, the lowest
// first; for one determinant (limbs, 1). What does not fit becomes 0 with RANGE.
//
// `workspace` is U8 of rank 1 in host memory, 8-byte aligned, of at least ..._workspace() bytes for
// one worker and k times as many for k workers; or zero: from the allocator, for all workers.
// Errors: ARGUMENT, DTYPE, MISMATCH (shapes), LIMIT (n), OVERLAP, CAPACITY and ALIGNMENT
// (workspace), MEMORY.

// Bounds determinants by Hadamard's inequality: |det A| < 2^out, from the product of the Euclidean
// norms of the rows or of the columns, whichever is less. A row or column of 0: 0.
typedef struct padic_num_hadamard_desc {
    padic_tensor matrix;
    padic_tensor out; // U32 or I32, one for each matrix: bits
} padic_num_hadamard_desc;
PADIC_API padic_result padic_num_hadamard(padic_context *context,
                                          const padic_num_hadamard_desc *desc);

// det A. If Hadamard's bound keeps all minors below 2^63: elimination without fractions (Bareiss
// 1968). Else modulo as many of the largest primes below 2^49 as the bound asks for, and CRT; for n
// >= 24 a large divisor is found first, as the denominator of a linear system.
typedef struct padic_num_det_desc {
    padic_tensor matrix;
    padic_tensor out;    // one for each matrix
    padic_tensor status; // U8, optional, one for each matrix
    uint32_t *sticky;    // optional
    padic_tensor workspace; // optional, as above
} padic_num_det_desc;
PADIC_API uint64_t padic_num_det_workspace(const padic_num_det_desc *desc); // 0: an error
PADIC_API padic_result padic_num_det(padic_context *context, const padic_num_det_desc *desc);

// Solves A X = B. RATIONAL: each column x of X as numerators over its least positive denominator.
// If the minors of (A B) are below 2^63: elimination without fractions, or, for 3 to 8 unknowns and
// minors below 2^50, all of them by vectors. Else Dixon's lifting: x =
// sum q^i (A^-1 r_i mod q), r_(i+1) = (r_i - A x_i) / q, r_0 = b, until q^k exceeds twice what
// Hadamard's bound leaves to numerators and denominator, and reconstruction: proven, not probable.
// q is the first of the primes below 2^49 that does not divide det A. det A = 0: x = 0/0, DIV0 and
// the rank, both proven by enough primes.
// MODP (`out` has a ring): X modulo p^N by elimination; if p divides det A: 0 with NONUNIT, and the
// rank is that modulo p.
typedef struct padic_num_solve_desc {
    padic_tensor matrix;
    padic_tensor right;       // B, of the matrix's dtype: (n), (n, sides), (batch, n) or
                              // (batch, n, sides)
    padic_tensor numerator;   // RATIONAL: one for each element of B
    padic_tensor denominator; // RATIONAL: (sides) or (batch, sides)
    padic_num_array out;      // MODP: RING, an element for each of B; its status plane is not used
    padic_tensor det;         // RATIONAL, optional: one for each matrix
    padic_tensor rank;        // U32 or I32, optional, one for each matrix
    padic_tensor status;      // U8, optional, one for each matrix
    uint32_t *sticky;         // optional
    uint32_t verify;          // 1: RATIONAL: also check A x = b in integers; SELF_TEST if it fails
    padic_tensor workspace;   // optional, as above
} padic_num_solve_desc;
PADIC_API uint64_t padic_num_solve_workspace(const padic_num_solve_desc *desc); // 0: an error
PADIC_API padic_result padic_num_solve(padic_context *context, const padic_num_solve_desc *desc);

