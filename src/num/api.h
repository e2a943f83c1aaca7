#pragma once
// ------------------------------------------------------------------------------------ >>num API
//
// A p-adic number is x = p^v u: p a prime, v its valuation, u its unit, known to N digits, that is
// modulo P = p^N. |x| = p^-v. A ring fixes p and N for a whole array; an array is a set of planes
// in the caller's memory; an operation works on all its elements. Everything here is D0. Nothing
// allocates, but the functions of >>short API, and a call with a `workspace` that is given none.
//
//     #define PADIC_IMPLEMENTATION
//     #include "padic.h"
//     #include <stdio.h>
//
//     int main(void) // 1/3 + 22/7 among 5-adic numbers of 20 digits, and back
//     {
//         int64_t above[2] = {1, 22}, below[2] = {3, 7};
//         padic_num_array x = PADIC_ZERO, sum = PADIC_ZERO;
//         padic_num_ring ring;
//         padic_result result = padic_num_ring_init(&ring, 5, 20, NULL);
//         if (!result)
//             result = padic_num_from_fractions(NULL, &ring, PADIC_NUM_FLOAT, above, below, 2, &x);
//         if (!result) result = padic_num_new(NULL, &ring, PADIC_NUM_FLOAT, 1, &sum);
//         if (!result) result = padic_num_sum(NULL, &sum, &x);
//         if (!result) result = padic_num_to_fractions(NULL, &sum, above, below);
//         printf("%d/%d, %s\n", (int)above[0], (int)below[0], padic_result_text(result)); // 73/21
//         padic_num_free(NULL, &x);
//         padic_num_free(NULL, &sum);
//         return result != PADIC_OK;
//     }
//
// Calls take one desc each, zero being the default of every field. The element-wise core is
// positional, (context, out, operands..., scalar): add, sub, neg, mul, square, inv, div, shift,
// pow, pow_array, fma, sum, dot, split, equal, tropical, set_precision, change_prime, sqrt, root,
// exp, log, pow_padic, teichmueller. So is what makes or places a ring or an array, asks for one
// number, or is a short way.
//
// Three models of precision:
//
//     RING   plane u         the ring Z/p^N; u in [0, P). Sums in any order give the same bits
//     FLOAT  planes v, u     p^v u, relative precision N, untracked; u in (0, P), p divides it not.
//                            Not associative: (1 + p^N) - 1 = 0, but (1 - 1) + p^N = p^N
//     BALL   planes v, u, n  p^v u + O(p^(v+n)), 1 <= n <= N, 0 < u < p^n: contains the true value;
//                            or O(p^v), with u = n = 0
//
// The ball that an operation returns has the digits on which the results of all numbers in its
// operands agree, at most N of them: no more and no fewer. Operands are taken as independent, even
// one array in two places: mul(a, a) knows less than square(a) where p = 2. A ball may have fewer
// digits where a comment says so: horner, hensel, and roots whose digits do not tell whether they
// exist.
//
// Stored residues are canonical, so every correct algorithm gives the same bytes.

// How residues are stored and computed with; P decides, not p.
typedef enum padic_num_form {
    PADIC_NUM_B2 = 1,   // p = 2, N <= 64: u32 (N <= 32) or u64
    PADIC_NUM_W32 = 2,  // P < 2^32: u32
    PADIC_NUM_W49 = 3,  // P < 2^49: u64
    PADIC_NUM_W64 = 4,  // P < 2^64: u64
    PADIC_NUM_W128 = 5, // P < 2^127: u64, all low words, then all high words
    PADIC_NUM_RX = 6    // any N: limbs of base p^e, in tiles (limb, 32 elements); p^e < 2^49, or
                        // e = 1 and p < 2^63
} padic_num_form;

typedef enum padic_num_model {
    PADIC_NUM_RING = 0,
    PADIC_NUM_FLOAT = 1,
    PADIC_NUM_BALL = 2
} padic_num_model;

#define PADIC_NUM_MAX_PRECISION 65535u
#define PADIC_NUM_MAX_BITS 65536u // of P

// What a ring may be asked for beyond p and N. All zero: the smallest form that holds P.
typedef struct padic_num_ring_options {
    padic_num_form form; // this one; PRECISION where P does not fit
    uint32_t limb32;     // 1: RX keeps limbs below 2^32 as u32 (p < 2^32), as GPUs like them
} padic_num_ring_options;

// Immutable once made; plain bytes without pointers into itself, so it may be copied. Its fields
// are for reading. Two rings are the same if p, precision, form and limb size are.
typedef struct padic_num_ring {
    uint32_t magic; // a ring that init refused is all zero, and every use of it is ARGUMENT
    uint32_t precision;  // N
    uint64_t p;          // the prime; the radix b of padic_num_ring_init_radix()
    uint32_t composite;  // 1: b is not a prime, only digits and text are allowed
    padic_num_form form;
    uint32_t bits;       // of P: the least with P <= 2^bits
    uint32_t unit_size;  // bytes of one stored word: 4 or 8
    uint32_t words;      // stored words of a unit: 1; 2 for W128; the limbs of RX
    uint32_t limb_digits; // RX: e, so that a limb is below p^e; else 0
    uint32_t top_digits;  // RX: digits in the highest limb, N - e (limbs - 1)
    uint32_t shift;       // leading zeros of `base`
    uint64_t modulus[2];  // P, low word first; RX: 0
    uint64_t base;        // RX: p^e; one word: P (B2 with N = 64: 0); W128: 0
    uint64_t reciprocal;  // floor((2^128 - 1) / (base << shift)) - 2^64, to divide by base
    uint64_t barrett;     // floor(2^(50 + bits) / P) where P < 2^49
    uint64_t inverse;     // p^-1 mod 2^64, p odd
    uint64_t unit_limit;  // floor((2^64 - 1) / p): p divides x iff x inverse mod 2^64 is not above
    uint64_t wide_inverse[2], wide_limit[2]; // the same in 128 bits
    uint64_t mont_inverse;   // -P^-1 mod 2^64, P odd, W32 to W128
    uint64_t mont_square[2]; // (2^64)^2 mod P; W128: (2^128)^2 mod P
    uint32_t ladder;         // how many p^(2^j) are below P and 2^64 (p odd; RX: below p^e)
    uint32_t power_count;    // how many powers of p, from p^0, are below 2^127
    uint64_t ladder_power[6], ladder_inverse[6], ladder_limit[6]; // p^(2^j), its inverse mod 2^64,
                                                                  // floor((2^64 - 1) / p^(2^j))
    uint64_t power[128][2];  // p^k, low word first, for k < power_count
    const void *tables;      // of padic_num_ring_tables(), or NULL
} padic_num_ring;

// Makes the ring of p-adic numbers of N = precision digits. `options` may be NULL. On failure the
// ring is zeroed. Errors: ARGUMENT (no ring; no such form), PRIME (p is not prime), PRECISION (N is
// 0 or above 65,535, P above 65,536 bits, a form that does not hold P), LIMIT (p is prime, but
// p >= 2^63, or p >= 2^32 with limb32). From p = 2^49 on, P >= 2^127 has limbs of 64 bits, which
// no backend has kernels for: its loops run on the CPU without vectors.
PADIC_API padic_result padic_num_ring_init(padic_num_ring *ring, uint64_t p, uint32_t precision,
                                           const padic_num_ring_options *options);
// The same for any radix b >= 2 (ARGUMENT below), for digits and text only. Errors: as above, but
// for PRIME.
PADIC_API padic_result padic_num_ring_init_radix(padic_num_ring *ring, uint64_t b,
                                                 uint32_t precision,
                                                 const padic_num_ring_options *options);
// Returns 1 for a prime, else 0: the strong pseudoprime test to the twelve prime bases up to 37,
// which is proven for every 64-bit integer (Sorenson, Webster 2015).
PADIC_API int padic_num_is_prime(uint64_t n);

// Specials of the plane `val`. I32 planes hold them as they stand, I16 planes as below.
#define PADIC_NUM_ZERO INT32_MAX // exactly 0, u = 0
#define PADIC_NUM_NAN INT32_MIN  // no number; u is the status byte that made it
#define PADIC_NUM_ZERO16 32767
#define PADIC_NUM_NAN16 (-32768)
#define PADIC_NUM_MAX_VALUATION (INT32_C(1) << 29) // of finite elements, either sign
#define PADIC_NUM_MAX_VALUATION16 16383
// A valuation above the limit becomes ZERO with INEXACT, one below it NaN with RANGE.

// What happened to an element: its byte in `status`, combined by or into *sticky. Bits 1 to 32 are
// hard: the result is NaN (RING: 0). An operation that raises a hard bit where there is neither a
// status plane nor a sticky word returns DOMAIN, after every element is done.
typedef enum padic_num_status {
    PADIC_NUM_DIV0 = 1,      // inverse of or quotient by zero
    PADIC_NUM_NONUNIT = 2,   // RING: inverse of a non-unit, a negative valuation
    PADIC_NUM_NOPOWER = 4,   // not an n-th power
    PADIC_NUM_OUTSIDE = 8,   // outside the domain of exp, log, Hensel's lemma; Inf, NaN; v < 0
                             // where an integer is wanted
    PADIC_NUM_RATREC = 16,   // no fraction within the bounds
    PADIC_NUM_RANGE = 32,    // valuation below -2^29, or the output's type is too narrow
    PADIC_NUM_PRECLOSS = 64, // FLOAT: cancelled to 0; BALL: no digit left; RING: digits filled by 0
    PADIC_NUM_INEXACT = 128  // rounded, or the sign of -0 lost
} padic_num_status;
#define PADIC_NUM_HARD 63u

// One plane: its elements, without gaps. (See padic_num_form for `unit` of W128 and RX.) The planes
// of a call lie all in host memory, or all in buffers of its context.
//
// In a device's memory the bytes are the same, and a call returns at once, unless it has to wait
// for what it reports: `sticky`, or a hard bit with neither status plane nor sticky word. What the
// device cannot do is done by the host on copies (counted in padic_stats; NOT_SUPPORTED in a strict
// context): rings of more than 64 bits or of composite radix, integers as planes of words, more
// than 32,768 roots with p > 65,537, I16 valuations or U16 precisions beside others; in a recording
// also what needs a table of the ring (roots, exp, log, norms, fractions but the plain ones,
// changes of the prime, floats for odd p) or reports (all roots of polynomials). Text, bytes,
// check, valuation_of, all roots of numbers in rings of more than 64 bits, trees and the short ways
// want host memory, also that of a buffer; get and set want pointers.
typedef struct padic_num_plane {
    void *data;          // in host memory; NULL: in the buffer, if that has an id
    padic_buffer buffer;
    padic_dtype dtype;   // NONE: there is no such plane
    uint64_t offset;     // of the first element in the buffer, in elements
} padic_num_plane;

// An array of numbers: a view, which owns nothing. Its workspace is a pointer, not a tensor, since
// every operand of the smallest call is such an array.
typedef struct padic_num_array {
    const padic_num_ring *ring; // must stay where it is
    padic_num_model model;
    uint64_t count;
    padic_num_plane unit;
    padic_num_plane val;    // FLOAT, BALL: I32 or I16
    padic_num_plane known;  // BALL: n, U8 (N <= 255) or U16
    padic_num_plane status; // U8; optional, written by every operation
    padic_num_plane sticky_word; // U32, one element; optional: as *sticky, host memory or buffer
    uint32_t *sticky;        // optional: all status bits are combined into it by or
    uint64_t high;           // W128: words from a low word to its high word; 0: count
    void *workspace;         // RX only: host memory for operations that write this array,
    uint64_t workspace_size; // 8-byte aligned, padic_num_workspace() bytes for each thread
} padic_num_array;

// Returns a plane in host memory, or one in a buffer from element `offset` on.
PADIC_API padic_num_plane padic_num_plane_of(padic_dtype dtype, void *data);
PADIC_API padic_num_plane padic_num_plane_in(padic_dtype dtype, padic_buffer buffer,
                                             uint64_t offset);

// Returns the bytes that padic_num_place() needs at most; 0 if the arguments make no sense or the
// number overflows.
PADIC_API uint64_t padic_num_array_size_bound(const padic_num_ring *ring, padic_num_model model,
                                              uint64_t count);
// Lays the planes of an array (I32 valuations, a status plane, RX workspace for one thread) into
// one block of memory, 64-byte aligned and padded to 64 elements. The block is not written.
// Errors: ARGUMENT, CAPACITY.
PADIC_API padic_result padic_num_place(padic_num_array *array, const padic_num_ring *ring,
                                       padic_num_model model, uint64_t count, void *memory,
                                       uint64_t size);
// The same in a buffer, from byte `at` on (a multiple of 64); padic_num_array_size_bound() bytes
// suffice. Whether the buffer has them is checked by the calls that use it. RX: the caller adds the
// workspace. Errors: ARGUMENT.
PADIC_API padic_result padic_num_place_buffer(padic_num_array *array, const padic_num_ring *ring,
                                              padic_num_model model, uint64_t count,
                                              padic_buffer buffer, uint64_t at);
// Returns the bytes of workspace that one thread needs for any element-wise operation in this ring;
// 0 up to W128.
PADIC_API uint64_t padic_num_workspace(const padic_num_ring *ring);

// One number, up to W128: RING ignores v and n, FLOAT ignores n. Errors: ARGUMENT, REGION (an index
// beyond the array), NOT_SUPPORTED (RX; planes in buffers), DTYPE, ALIGNMENT.
typedef struct padic_num_value {
    int32_t v;
    uint32_t n;
    uint64_t u[2]; // low word first
} padic_num_value;
PADIC_API padic_result padic_num_get(const padic_num_array *array, uint64_t index,
                                     padic_num_value *value);
// Errors: the same, and DOMAIN if the value is not canonical.
PADIC_API padic_result padic_num_set(const padic_num_array *array, uint64_t index,
                                     const padic_num_value *value);
// Checks that every element is canonical: u < P, p does not divide u, u < p^n, v and n in range,
// specials as documented. Errors: CORRUPT if one is not, and the common errors below.
typedef struct padic_num_check_report {
    uint64_t bad_index; // of the first element that is not canonical; in.count if all are
} padic_num_check_report;
typedef struct padic_num_check_desc {
    padic_num_array in;             // RX: with workspace
    padic_num_check_report *report; // optional
} padic_num_check_desc;
PADIC_API padic_result padic_num_check(padic_context *context, const padic_num_check_desc *desc);

// In the operations below an operand of count 1 serves all elements of `out`. `out` may be exactly
// an operand (the same planes); partial overlap is OVERLAP. Common errors: ARGUMENT (no ring, plane
// or pointer; buffers without a context; planes partly in host memory, partly on a device), DTYPE
// (of a plane), RING (ring, model), MISMATCH (count), CAPACITY (workspace), ALIGNMENT (a plane,
// sticky word or workspace at an address that does not suit its words), DOMAIN (see
// padic_num_status), NOT_SUPPORTED (composite radix; buffers on a device where host memory is
// wanted). Count 0 is OK.
//
// It is trusted that pointers, extents and rings are what they say, and that elements are canonical
// (padic_num_check() tells). Where they are not, the results at these elements are unspecified, and
// in sums and in blocks that share an inversion those at others, too; but nothing outside the
// planes is read or written, nothing traps, and every call returns: precisions above N count as N,
// valuations beyond the limits as ZERO or NaN, units and digits never lead out of a table.

// Valuation and norm; at least one of the two tensors is given.
// val: v; ZERO for 0, never 0 itself. O(p^a): a, PRECLOSS. NaN: NAN.
// norm: p^-v correctly rounded; 0 for 0; overflow is Inf with RANGE.
typedef struct padic_num_valuation_desc {
    padic_num_array in, other; // with `other`: of in - other, so that norm is the distance
    padic_tensor val;          // optional, I32
    padic_tensor norm;         // optional, F32 or F64
    padic_tensor status;       // optional, U8, as in an array
    uint32_t *sticky;          // optional
} padic_num_valuation_desc;
PADIC_API padic_result padic_num_valuation(padic_context *context,
                                           const padic_num_valuation_desc *desc);
// Valuations of integers, or of numerator / denominator: v_p(0) is ZERO. A denominator 0 gives NAN
// there, and DOMAIN after all elements are done. OVERLAP: `out` shares memory with another operand
// and does not replace it element by element.
typedef struct padic_num_valuation_of_desc {
    const padic_num_ring *ring; // whose p
    padic_tensor numerator;     // I8 .. U64
    padic_tensor denominator;   // optional, I8 .. U64, as many; without memory: all 1
    padic_tensor out;           // I32, as many
} padic_num_valuation_of_desc;
PADIC_API padic_result padic_num_valuation_of(padic_context *context,
                                              const padic_num_valuation_of_desc *desc);
// out = the unit of in, and optionally its valuation (I32) in the same pass. RING: u / p^v, whose v
// top digits are unknown and 0 (PRECLOSS); of 0: 0. FLOAT, BALL: valuation 0.
PADIC_API padic_result padic_num_split(padic_context *context, const padic_num_array *out,
                                       const padic_tensor *val, const padic_num_array *in);
// equal: U8, 1 if a = b mod p^prec (prec 0: N, for FLOAT and BALL relative to nothing: absolute), 0
// if not, 2 if the balls cannot tell; NaN: 0.
PADIC_API padic_result padic_num_equal(padic_context *context, const padic_tensor *equal,
                                       const padic_num_array *a, const padic_num_array *b,
                                       int64_t prec);
// The tropical image: I32 -v (PADIC_NUM_ZERO -> -2^31 + 1, minus infinity), or F64 -v ln p
// correctly rounded.
PADIC_API padic_result padic_num_tropical(padic_context *context, const padic_tensor *out,
                                          const padic_num_array *in);

// Arithmetic. RING: modulo P. FLOAT: as above, exact and cut off to N digits: the sum of p^va ua
// and p^vb ub, va <= vb, d = vb - va, is s = (ua + p^d ub) mod P (d >= N: a), again split into
// valuation and unit; s = 0 is ZERO with PRECLOSS. BALL: add keeps A = min(va + na, vb + nb), mul n
// = min(na, nb), and O(p^a) y = O(p^(a + v(y))); square is pow() with k = 2.
PADIC_API padic_result padic_num_add(padic_context *context, const padic_num_array *out,
                                     const padic_num_array *a, const padic_num_array *b);
PADIC_API padic_result padic_num_sub(padic_context *context, const padic_num_array *out,
                                     const padic_num_array *a, const padic_num_array *b);
PADIC_API padic_result padic_num_neg(padic_context *context, const padic_num_array *out,
                                     const padic_num_array *a);
PADIC_API padic_result padic_num_mul(padic_context *context, const padic_num_array *out,
                                     const padic_num_array *a, const padic_num_array *b);
PADIC_API padic_result padic_num_square(padic_context *context, const padic_num_array *out,
                                        const padic_num_array *a);
// 1 / a and a / b. RING: the divisor must be a unit (0 with NONUNIT, DIV0 for 0). FLOAT, BALL: x /
// 0 and 0 / 0 are NaN with DIV0, 0 / x = 0; a ball divides by O(p^a): NaN with DIV0. BALL: n of a,
// or min(na, nb).
PADIC_API padic_result padic_num_inv(padic_context *context, const padic_num_array *out,
                                     const padic_num_array *a);
PADIC_API padic_result padic_num_div(padic_context *context, const padic_num_array *out,
                                     const padic_num_array *a, const padic_num_array *b);
// a p^k. RING, k < 0: p^-k must divide u (else NONUNIT), the top digits become 0 (PRECLOSS).
PADIC_API padic_result padic_num_shift(padic_context *context, const padic_num_array *out,
                                       const padic_num_array *a, int64_t k);
// a^k; 0^0 = 1. RING, k < 0: a unit. BALL: n' = min(N, n + v(k)); p = 2, n = 1, k even: min(N, v(k)
// + 2), since the square of an odd number is 1 modulo 8. O(p^v)^k = O(p^(v k)).
PADIC_API padic_result padic_num_pow(padic_context *context, const padic_num_array *out,
                                     const padic_num_array *a, int64_t k);
// a[i]^k[i], k I32, I64, or 128-bit two's complement: U64 of shape (2, count), low words first.
PADIC_API padic_result padic_num_pow_array(padic_context *context, const padic_num_array *out,
                                           const padic_num_array *a, const padic_tensor *k);
// a b + c, exactly add(mul(a, b), c): no hidden digits. axpy is this with a of count 1.
PADIC_API padic_result padic_num_fma(padic_context *context, const padic_num_array *out,
                                     const padic_num_array *a, const padic_num_array *b,
                                     const padic_num_array *c);
// f(x) = sum c_k x^k, by Horner's rule. Coefficients: terms of them, c_0 first, shared by all
// points (count = terms), or each point's own (count = terms x points, term-major: c_k of point i
// at k points + i). terms < 2^20. `out` must not be the coefficients.
// BALL: each step takes x for another number; with three terms and more f(x) may be known to more
// digits than these.
typedef struct padic_num_horner_desc {
    padic_num_array out, x, coefficients;
    uint32_t terms;
} padic_num_horner_desc;
PADIC_API padic_result padic_num_horner(padic_context *context, const padic_num_horner_desc *desc);
// Sum of all elements, and sum a b, into out of count 1. RING: any order is the same. FLOAT, BALL:
// chunks of 4,096; in a chunk lane j of 32 adds elements j, j + 32, ... in order, then neighbours
// pairwise; chunks in order, neighbours pairwise.
PADIC_API padic_result padic_num_sum(padic_context *context, const padic_num_array *out,
                                     const padic_num_array *a);
PADIC_API padic_result padic_num_dot(padic_context *context, const padic_num_array *out,
                                     const padic_num_array *a, const padic_num_array *b);

