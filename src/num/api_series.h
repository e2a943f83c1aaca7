#pragma once
// --------------------------------------------------------------------------------- >>series API
//
// Roots, exp, log, Teichmueller residues, roots of polynomials: digits that are proven, not
// iterated until they look right.

// Tables in the caller's memory that make some operations of a ring faster, never different: seeds
// of inverses and square roots and the Teichmueller residues where p <= 65,537, coefficients of exp
// and log up to W128. The size bound is 0 where there is nothing to table. Copies of the
// ring made before do not have them; the memory (8-byte aligned) stays with the caller, as long as
// the ring is used. Errors: ARGUMENT, NOT_SUPPORTED (composite radix), CAPACITY.
PADIC_API uint64_t padic_num_ring_tables_size_bound(const padic_num_ring *ring);
PADIC_API padic_result padic_num_ring_tables(padic_num_ring *ring, void *memory, uint64_t size);

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
// All of them: there are padic_num_root_count() = gcd(n, p - 1) (p = 2: gcd(n, 2)) for each number
// that has one. Root j of number i is element j a.count + i, out.count = roots a.count (MISMATCH).
// Root 0 is that of padic_num_root(), root j is it times z^j, z the same root of unity for all. The
// roots of 0 are all 0. `out` must not overlap `a`. p >= 2^32 may take long where the count does.
PADIC_API uint64_t padic_num_root_count(const padic_num_ring *ring, uint64_t n);
PADIC_API padic_result padic_num_roots(padic_context *context, const padic_num_array *out,
                                       const padic_num_array *a, uint64_t n);

// exp(x), v(x) >= 1 (p = 2: 2), else OUTSIDE, also for a ball that is not within; exp(0) = 1. Keeps
// the absolute precision: BALL p^v u + O(p^(v+n)) has min(N, v + n) digits.
PADIC_API padic_result padic_num_exp(padic_context *context, const padic_num_array *out,
                                     const padic_num_array *a);
// log(x), x in 1 + p Z_p (p = 2: any odd x, log(x) = log(-x)), else OUTSIDE; log(1) = 0. With
// PADIC_NUM_IWASAWA every x but 0 and O(p^v): log p = 0, log u = log(u^(p-1)) / (p - 1). Keeps the
// absolute precision of the unit: BALL is known modulo p^n, and log(1 + O(2)) is O(4), as log(-1) =
// 0. FLOAT: log u mod P, again split into valuation and unit; 0 for a u that is not 1 is ZERO with
// PRECLOSS. RING: p^v u has only N - v digits; v > 0: PRECLOSS.
enum { PADIC_NUM_IWASAWA = 1 };
PADIC_API padic_result padic_num_log(padic_context *context, const padic_num_array *out,
                                     const padic_num_array *a, uint32_t options);
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
// stands beside them; a seed is taken as its stored digits. Coefficients: terms of them, c_0 first,
// shared by all (count = terms), or each polynomial's own (count = terms x polynomials,
// term-major).
//
// With seeds: out[i] is the root of f_i that seed i leads to; OUTSIDE if the lemma does not hold
// there or v(seed) < 0. There are out.count polynomials.
//
// Without seeds: all roots that the residues modulo p lead to (p < 2^20, else LIMIT). out.count =
// most x polynomials, root j of polynomial i is element i most + j, unused ones are ZERO (RING: 0).
// found[i] counts the roots, also those above `most`. First come the roots that are alone in their
// residue modulo p, then those alone modulo p^2, ...; each group by digits, the lowest first. If
// several roots may share a residue: branches = 0 only tries the lemma at the residue itself; else
// classes are split digit by digit, with up to `branches` of them waiting. guarantee[i] is EXACT if
// the roots are all there are, of any polynomial with these digits; LOWER_BOUND if a class was left
// (branches too few, or a multiple root, which no number of digits proves). A constant has no
// roots. Runs on one thread; on a device each polynomial has a group, and the call waits.
//
// Errors: ARGUMENT (no terms; without seeds: a polynomial whose known digits are all 0; a device
// has written the roots of the others by then), LIMIT,
// MISMATCH, CAPACITY (workspace below padic_num_hensel_workspace(), 8-byte aligned; with seeds 0:
// RX uses out.workspace). A coefficient that is no integer: every root OUTSIDE, found 0.
typedef enum padic_num_guarantee {
    PADIC_NUM_EXACT = 0,
    PADIC_NUM_LOWER_BOUND = 1
} padic_num_guarantee;

typedef struct padic_num_hensel_desc {
    padic_num_array out, coefficients;
    uint32_t terms;         // < 2^20
    padic_num_array seeds;  // without a ring: all roots; the fields below
    uint64_t polynomials;
    uint32_t most;          // roots kept of each
    uint32_t branches;      // 0: none; < 2^20
    padic_tensor found;     // U32, one for each polynomial
    padic_tensor guarantee; // U8, optional
    void *workspace;
    uint64_t workspace_size;
} padic_num_hensel_desc;
PADIC_API uint64_t padic_num_hensel_workspace(const padic_num_hensel_desc *desc);
PADIC_API padic_result padic_num_hensel(padic_context *context, const padic_num_hensel_desc *desc);

