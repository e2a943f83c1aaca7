#pragma once
// --------------------------------------------------------------------------------- >>series API
//
// Roots, exp, log, Teichmueller residues, roots of polynomials: digits that are proven, not
// iterated until they look right.

// Tables that make some operations of a ring faster and change no result: seeds of inverses and
// square roots and the Teichmueller residues where p <= 65,537, coefficients of exp and log up to
// W128; of RX up to 320 exponentials of parts of the lowest limb, at most 1 MiB, with which exp and
// log take a third of the time and vectors do them. Copies of the ring that were made before do not
// have them. `memory` is U8 of rank 1 in host memory, 8-byte aligned, with at least
// padic_num_ring_tables_size_bound() bytes (0: this ring has no tables, and `memory` may be zero);
// it must last as long as the ring and its copies are used. Errors: ARGUMENT, NOT_SUPPORTED
// (composite radix), CAPACITY, ALIGNMENT.
typedef struct padic_num_ring_tables_desc {
    padic_num_ring *ring;
    padic_tensor memory;
} padic_num_ring_tables_desc;
PADIC_API uint64_t padic_num_ring_tables_size_bound(const padic_num_ring *ring);
PADIC_API padic_result padic_num_ring_tables(padic_context *context,
                                             const padic_num_ring_tables_desc *desc);

// Square root of p^v u. Odd p: v even, u a square modulo p; the root with the smaller residue.
// p = 2: v even, u = 1 mod 8; the root that is 1 mod 4, fixed only modulo 2^(N-1), its top digit 0.
// NaN (RING: 0) with NOPOWER where there is none. The same as padic_num_root() with n = 2.
PADIC_API padic_result padic_num_sqrt(padic_context *context, const padic_num_array *out,
                                      const padic_num_array *a);
// n-th root, n = p^e m > 0 (0: ARGUMENT). There is one iff n divides v and, odd p, w(u) is an n-th
// power modulo p and u = w(u) mod p^(e+1); p = 2: n odd, or u = 1 mod 2^(e+2). The root with the
// smallest residue modulo p (p = 2, n even: the one that is 1 mod 4), known to e digits less than
// u, at least 1; digits that are not known are 0. RING: p^v u has only N - v digits; PRECLOSS if
// the root has less than N, though its n-th power is the operand again. RING 0 and ZERO: 0. A ball
// whose digits do not suffice to tell, and O(p^v): O(p^(v/n rounded up)) with PRECLOSS.
PADIC_API padic_result padic_num_root(padic_context *context, const padic_num_array *out,
                                      const padic_num_array *a, uint64_t n);
// All n-th roots of each number. One that has any has padic_num_root_count() = gcd(n, p - 1) of
// them (p = 2: gcd(n, 2)). Root j of number i is element j in.count + i of `out`, so that out.count
// is the number of roots times in.count (MISMATCH). Root 0 is that of padic_num_root(); root j is
// root 0 times z^j, with the same root of unity z for all numbers. The roots of 0 are all 0. `out`
// must not overlap `in`. Where p >= 2^32 the time may grow with the number of roots.
typedef struct padic_num_roots_desc {
    padic_num_array out, in;
    uint64_t n; // > 0
} padic_num_roots_desc;
// Returns 0 for n = 0 and for a ring of composite radix.
PADIC_API uint64_t padic_num_root_count(const padic_num_ring *ring, uint64_t n);
PADIC_API padic_result padic_num_roots(padic_context *context, const padic_num_roots_desc *desc);

// exp(x), v(x) >= 1 (p = 2: 2), else OUTSIDE, also for a ball that is not within; exp(0) = 1. Keeps
// the absolute precision: BALL p^v u + O(p^(v+n)) has min(N, v + n) digits.
PADIC_API padic_result padic_num_exp(padic_context *context, const padic_num_array *out,
                                     const padic_num_array *a);
// Where log is defined.
typedef enum padic_num_log_branch {
    PADIC_NUM_LOG_SERIES = 0, // on 1 + p Z_p, where its series converges; p = 2: on every odd x,
                              // with log(x) = log(-x)
    PADIC_NUM_LOG_IWASAWA = 1 // on every x but 0 and O(p^v): log p = 0, and log u =
                              // log(u^(p-1)) / (p - 1)
} padic_num_log_branch;

// log(x) in that branch, else OUTSIDE; log(1) = 0. Keeps the absolute precision of the unit: BALL
// is known modulo p^n, and log(1 + O(2)) is O(4), as log(-1) = 0. FLOAT: log u mod P, again split
// into valuation and unit; 0 for a u that is not 1 is ZERO with PRECLOSS. RING: p^v u has only
// N - v digits; v > 0: PRECLOSS.
PADIC_API padic_result padic_num_log(padic_context *context, const padic_num_array *out,
                                     const padic_num_array *a, padic_num_log_branch branch);
// x^s = exp(s log x), each step as above, for x in 1 + p Z_p (p = 2: 1 + 4 Z_2) and any s (count 1:
// for all) with s log x where exp is defined; else OUTSIDE, as is 1 + O(2).
PADIC_API padic_result padic_num_pow_padic(padic_context *context, const padic_num_array *out,
                                           const padic_num_array *x, const padic_num_array *s);
// w(x): the (p-1)-th root of unity that is x mod p; p = 2: 1 or -1, which is x mod 4; v(x) > 0: 0.
// Always known to N digits. OUTSIDE for v < 0. O(p^v), v <= 0, is not known: O(p^0), or OUTSIDE for
// v < 0; p = 2 and only one digit: 1 + O(2); these with PRECLOSS.
PADIC_API padic_result padic_num_teichmueller(padic_context *context, const padic_num_array *out,
                                              const padic_num_array *a);

// Roots in Z_p of polynomials f(x) = sum c_k x^k, c_k in Z_p (v >= 0), by Hensel's lemma: if
// v(f(x)) > 2 s, s = v(f'(x)), there is exactly one root in x + p^(s+1) Z_p. Newton's steps find it
// modulo p^(A-s), where A <= N digits are known of all coefficients, and double v(f(x)) - 2 s each;
// digits above are 0 (RING: PRECLOSS). BALL: A is the least of N and all v + n, whatever power of x
// is multiplied by them; a seed is taken as its stored digits.
//
// Coefficients, here and below: `terms` of them (1 to 2^20 - 1), c_0 first, shared by all
// polynomials (count = terms), or each polynomial's own (count = terms x polynomials, term-major:
// c_k of polynomial i at k polynomials + i). Errors: ARGUMENT (no terms), LIMIT, RING, MISMATCH,
// OVERLAP (`out` is the coefficients).

// Lifts a root from a seed: out[i] is the root of polynomial i that seed i leads to; OUTSIDE if the
// lemma does not hold there or v(seed) < 0. There are out.count polynomials. RX: out.workspace.
typedef struct padic_num_hensel_desc {
    padic_num_array out, coefficients, seeds;
    uint32_t terms;
} padic_num_hensel_desc;
PADIC_API padic_result padic_num_hensel(padic_context *context, const padic_num_hensel_desc *desc);

// Whether the roots that were found are all there are.
typedef enum padic_num_guarantee {
    PADIC_NUM_GUARANTEE_EXACT = 0,      // all roots of any polynomial with these digits
    PADIC_NUM_GUARANTEE_LOWER_BOUND = 1 // there may be more in a residue class that was given up:
                                        // `branches` was too small, or the root is multiple, which
                                        // no number of digits proves
} padic_num_guarantee;

// Finds all roots, without seeds, from the residues modulo p (p < 2^20, else LIMIT). out.count =
// root_limit x polynomials: root j of polynomial i is element i root_limit + j; unused elements are
// ZERO (RING: 0). found[i] counts the roots, also those beyond root_limit. First come the roots
// that are alone in their residue class modulo p, then those alone modulo p^2, ...; within each
// group by digits, the lowest first. If several roots may share a residue class: with branches = 0
// only the lemma at the residue itself is tried; else classes are split digit by digit, and up to
// `branches` of them wait in a queue. A constant has no roots. Runs on one thread; on a device each
// polynomial has a group, and the call waits.
//
// Errors, besides those above: ARGUMENT (a polynomial whose known digits are all 0; a device has
// written the roots of the others by then), CAPACITY, ALIGNMENT (workspace). A coefficient that is
// no integer: every root OUTSIDE, found 0.
typedef struct padic_num_polynomial_roots_desc {
    padic_num_array out, coefficients;
    uint32_t terms;
    uint32_t root_limit; // how many roots of each polynomial are kept
    uint32_t branches;   // 0: none; < 2^20
    uint64_t polynomials;
    padic_tensor found;     // U32, one for each polynomial
    padic_tensor guarantee; // U8, optional, one for each polynomial: padic_num_guarantee
    // U8 of rank 1 in host memory, padic_num_polynomial_roots_workspace() bytes or more, 8-byte
    // aligned; or zero: from the allocator.
    padic_tensor workspace;
} padic_num_polynomial_roots_desc;
// 0 if the desc has an error.
PADIC_API uint64_t
padic_num_polynomial_roots_workspace(const padic_num_polynomial_roots_desc *desc);
PADIC_API padic_result padic_num_polynomial_roots(padic_context *context,
                                                  const padic_num_polynomial_roots_desc *desc);

